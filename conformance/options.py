"""Layers and functions called with one argument after another changed, on fixed numbers.

Every Parameter of a layer is set to a wave first, so that no two places of a kernel are alike: a
kernel that is turned round, a dilation that is ignored or a group that is taken wrongly changes
the result.
"""

import numpy as np

from .observations import observe
from .steps import wave


def drive(worker, case):
    """{"result": facts}, with what a layer keeps besides its weights."""
    vars(worker.values.names["sample"]).update(
        wave=lambda *shape, phase=0.0, plus=0.0: worker.ms.Tensor(
            wave(shape, phase) + np.float32(plus)
        )
    )
    thing = worker.resolved(case["name"])
    if case.get("init") is None:
        return {"seen": {"result": observe(worker.call(case))}}
    layer = worker.make(case["name"], _built(worker, case["init"]))
    if hasattr(layer, "get_parameters"):
        for parameter in layer.get_parameters():
            phase = float(len(parameter.name.rpartition(".")[2]))
            parameter.set_data(
                worker.ms.Tensor(wave(parameter.shape, phase)).astype(parameter.dtype)
            )
        layer.set_train(case.get("train", False))
    result = layer(*_built(worker, case["call"]).values())
    kept = layer.get_parameters() if case.get("train") and isinstance(thing, type) else ()
    held = {p.name: observe(p) for p in kept if not p.requires_grad}
    return {"seen": {"result": observe(result), **held}}


def _built(worker, texts):
    return {name: worker.values.build(text) for name, text in texts.items()}
