"""What an error tells of a call that has arguments of other types than an operation takes.

The form is the original's, because scripts look for it:

    Failed calling Add with "Add()(input=Tensor, other=string)". The valid calling should be:
    "Add()(input=<Number, Tensor>, other=<Number, Tensor>)".
"""

import re

from ..tensor.tensor import Tensor

_NAMES = {str: "string", type(None): "None"}
_SEQUENCES = {list: "List", tuple: "Tuple"}


def type_of(value):
    """The type of a value in such a text: "Tensor", "int", "string", "List<int, Tuple<float>>"."""
    if isinstance(value, Tensor):
        return "Tensor"
    for kind, shown in _SEQUENCES.items():
        if isinstance(value, kind):
            return f"{shown}<{', '.join(map(type_of, value))}>"
    return _NAMES.get(type(value), type(value).__name__)


def failed_call(op, sources):
    """The text for an operation that was given `sources` instead of its Tensors.

    Args:
        op (Op): the operation.
        sources (list): what it was given, in the order of `op.inputs`.
    """
    primitive = next((line for line in op.lines if re.match(r"ops\.\w+\(.*?\)\(", line)), None)
    name = primitive[len("ops.") : primitive.index("(")] if primitive else _camel(op.name)
    given = ", ".join(f"{n}={type_of(s)}" for n, s in zip(op.inputs, sources, strict=False))
    taken = ", ".join(f"{n}=<{_taken(op, n)}>" for n in op.inputs[: len(sources)])
    return (
        f'Failed calling {name} with "{name}()({given})". The valid calling should be: '
        f'"{name}()({taken})".'
    )


def no_tensor(op, name, value):
    """The error for an input that must be a Tensor, or perhaps a number."""
    return TypeError(
        f"For '{op.name}', '{name}' must be a Tensor{' or a number' * (name in op.numbers)}, but "
        f"got {value!r} of type {type(value).__name__}."
    )


def _taken(op, name):
    kinds = ["None"] * (name in op.absent) + ["Number"] * (name in op.numbers) + ["Tensor"]
    return ", ".join(kinds)


def _camel(name):
    return "".join(word.title() for word in name.split("_"))
