"""Cases about undocumented behaviour that scripts rely on: other import paths, names of Parameters,
attributes set after construction, and gradients through every use of a Parameter's value. Real
MindSpore's answers decide.

The cases are made in `scenarios.py`.
"""

import importlib

from ..arguments import waves
from . import options, steps
from .observations import observe

KINDS = ("imports", "parameter_names", "set_attributes", "value_gradients")


def imported(worker, case):
    """Observes whether a path leads to an object; for a class, to that of the public name."""
    module, _, last = f"mindspore.{case['path']}".rpartition(".")
    thing = getattr(importlib.import_module(module), last)
    own = worker.resolved(case["name"])
    return {"seen": {"the same class": str(not isinstance(own, type) or thing is own)}}


def named(worker, case):
    """Observes the names of the Parameters in a script's object or in a new layer."""
    if "code" in case:
        return scripted(worker, case)
    steps.offer(worker)
    given = {name: worker.values.build(text) for name, text in case["init"].items()}
    layer = worker.make(case["name"], given)
    parameters = layer.get_parameters() if hasattr(layer, "get_parameters") else ()
    return {"seen": facts([parameter.name for parameter in parameters])}


def assigned(worker, case):
    """Observes a layer or an optimizer after some attributes were set."""
    return (steps if "script" in case else options).drive(worker, case)


def scripted(worker, case):
    """Observes the facts of `seen` after running a script."""
    ms = worker.ms
    names = {"ms": ms, "nn": ms.nn, "ops": ms.ops, "Tensor": ms.Tensor, "Parameter": ms.Parameter}
    names["__name__"] = "script"  # MindSpore's compiler reads it for functions
    names["wave"] = lambda *shape, phase=0.0: ms.Tensor(waves.wave(shape, phase))
    exec(case["code"], names)  # noqa: S102
    return {"seen": facts(names["seen"])}


def facts(value):
    """Returns {place: facts} of a script's observations, whatever the length of a list."""
    if isinstance(value, dict):
        return {str(key): facts(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return {"count": str(len(value)), **{str(i): facts(item) for i, item in enumerate(value)}}
    return observe(value)
