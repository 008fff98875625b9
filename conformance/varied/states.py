"""Observes a new object: its public attributes with plain values or Tensors, and the names of its
Parameters. Calls and results reveal only the part of this state that they use."""

import re

_LISTED = 24  # Parameters of an object whose names are compared
# Attributes that serve an implementation, not its user.
_INTERNAL = re.compile(
    r"phase|.*_phase|bprop_debug|instance_count|create_time|create_time_id|graph_name|cls_name|.*_id"
    r"|arguments_key|signatures|const_value|.*cache.*|.*handle.*|.*count(?:er)?|.*graph.*|.*compile.*"
)
_PLAIN = (bool, int, float, str, bytes, type(None))


def facts_of(thing, observe):
    """Returns {"attribute NAME": facts, "parameter NUMBER": [name, whether it is trained]}."""
    facts = {}
    for name in dir(thing):
        if name.startswith("_") or is_internal(name):
            continue
        try:
            value = getattr(thing, name)
        except Exception:  # noqa: BLE001  (a property that refuses shows nothing)
            continue
        if _is_shown(value):
            facts[f"attribute {name}"] = _with_name(value, observe)
    if hasattr(thing, "get_parameters"):
        for index, parameter in enumerate(list(thing.get_parameters())[:_LISTED]):
            facts[f"parameter {index}"] = f"{parameter.name} {parameter.requires_grad}"
    return facts


def is_internal(name):
    """Returns whether an attribute is an implementation detail."""
    return _INTERNAL.fullmatch(name) is not None


def shown(thing, names):
    """Returns {name: value} of those of the named attributes that can be compared."""
    values = {name: getattr(thing, name) for name in names if hasattr(thing, name)}
    return {
        name: [value.requires_grad, value.training] if hasattr(value, "get_parameters") else value
        for name, value in values.items()
        if _is_shown(value)
    }


def _is_shown(value):
    """Returns True if a value is plain, a dtype, a Tensor, or a collection of such values."""
    if isinstance(value, (tuple, list)):
        return all(map(_is_shown, value)) and len(value) <= 8
    if hasattr(value, "get_parameters"):  # a layer shows its two flags
        return not isinstance(value, type)
    is_tensor = hasattr(value, "asnumpy") and hasattr(value, "dtype")
    is_dtype = type(value).__module__.endswith(("dtype", "typing")) and not callable(value)
    return isinstance(value, _PLAIN) or is_tensor or is_dtype


def _with_name(value, observe):
    if hasattr(value, "get_parameters"):
        return f"{value.requires_grad} {value.training}"
    if "Parameter" in {kind.__name__ for kind in type(value).__mro__}:
        return {"name": str(value.name), "value": observe(value)[:2]}
    return observe(value)
