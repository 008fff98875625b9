"""Calls layers and functions with one argument changed at a time, on fixed numbers.

Every Parameter of a layer is first set to a wave, so that all elements of a kernel differ. A
flipped kernel, an ignored dilation or a wrong group then changes the result. Cases about initial
values keep them (`as_made`).
"""

import inspect

import numpy as np

from ..arguments.waves import wave
from .observations import observe
from .steps import offer

PLAIN = (bool, int, float, str)  # types of attributes that are compared


def drive(worker, case):
    """Returns {"result": facts}, with the attributes of a layer besides its weights; if the case
    only constructs an object, the fact that it exists.
    """
    offer(worker)
    vars(worker.values.names["sample"]).update(
        wave=lambda *shape, phase=0.0, plus=0.0: worker.ms.Tensor(
            wave(shape, phase) + np.float32(plus)
        )
    )
    thing = worker.resolved(case["name"])
    if case.get("init") is None:
        return {"seen": {"result": observe(worker.call(case))}}
    layer = worker.make(case["name"], _built(worker, case["init"]))
    if case.get("attributes"):
        return {"seen": _plain_attributes(layer, worker.resolved(case["name"]))}
    if case["call"] is None:
        return {"seen": {"result": "made"}}
    if hasattr(layer, "get_parameters") and not case.get("as_made"):
        for parameter in layer.get_parameters():
            phase = float(len(parameter.name.rpartition(".")[2]))
            parameter.set_data(
                worker.ms.Tensor(wave(parameter.shape, phase)).astype(parameter.dtype)
            )
    for name, value in _built(worker, case.get("later", {})).items():
        setattr(layer, name, value)
    if hasattr(layer, "set_train"):
        layer.set_train(case.get("train", False))
    result = layer(*_built(worker, case["call"]).values())
    parameters = layer.get_parameters() if case.get("train") and isinstance(thing, type) else ()
    state = {p.name: observe(p) for p in parameters if not p.requires_grad}
    return {"seen": {"result": observe(result), **state}}


def _plain_attributes(instance, thing):
    """Returns {name: facts} of the arguments that an object stores under their own names."""
    names = inspect.signature(getattr(thing, "__init__", thing)).parameters
    state = {name: getattr(instance, name, instance) for name in names}
    return {name: observe(value) for name, value in state.items() if _is_plain(value)}


def _is_plain(value):
    items = value if type(value) is tuple else (value,)
    return all(isinstance(v, PLAIN) for v in items)


def _built(worker, texts):
    return {name: worker.values.build(text) for name, text in texts.items()}
