"""Cases about undocumented behaviour that scripts rely on: other import paths, names of Parameters,
attributes set after construction, and gradients through every use of a Parameter's value. Real
MindSpore's answers decide.

The cases are made in `scenarios.py`.
"""

import importlib

from . import options, steps, waves
from .observations import observe

KINDS = ("imports", "parameter_names", "set_attributes", "value_gradients")


def imported(worker, case):
    """Whether a path leads to something; of a class, to the one of the public name."""
    module, _, last = f"mindspore.{case['path']}".rpartition(".")
    found = getattr(importlib.import_module(module), last)
    own = worker.resolved(case["name"])
    return {"seen": {"the same class": str(not isinstance(own, type) or found is own)}}


def named(worker, case):
    """The names of what a script, or a layer as it is made, contains."""
    if "code" in case:
        return scripted(worker, case)
    steps.offer(worker)
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    layer = worker.make(case["name"], given)
    parameters = layer.get_parameters() if hasattr(layer, "get_parameters") else ()
    return {"seen": facts([parameter.name for parameter in parameters])}


def assigned(worker, case):
    """What a layer or an optimizer does once attributes of it are set."""
    return (steps if "script" in case else options).drive(worker, case)


def scripted(worker, case):
    """The facts of `seen` after a script."""
    ms = worker.ms
    names = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "Tensor": ms.Tensor, "Parameter": ms.Parameter}
    names["__name__"] = "script"  # the original's compiler reads it of a function
    names["wave"] = lambda *shape, phase=0.0: ms.Tensor(waves.wave(shape, phase))
    exec(case["code"], names)  # noqa: S102
    return {"seen": facts(names["seen"])}


def facts(value):
    """{place: facts} of what a script has seen, however long a list is."""
    if isinstance(value, dict):
        return {str(key): facts(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return {"count": str(len(value)), **{str(i): facts(each) for i, each in enumerate(value)}}
    return observe(value)
