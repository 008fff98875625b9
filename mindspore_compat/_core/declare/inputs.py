"""Declarations of an operator's input dtypes, and of quirks of the original.

@op("ops.mul(input, other)", types=Promote("input other", lists=True))
@op("ops.cross(input, other)", types=SameDtype("input other"))
@op("mint.eq(input, other)", quirks=Quirks(rules={"mint.eq": {"input": TensorOf("float32")}}))
"""

from ..rules.base import NoneRule, parts_of
from ..rules.vocabulary import TensorOf
from ..tensor import promotion


class Promote:
    """Inputs that are brought to one dtype before the op computes.

    Args:
        names (str): the inputs, separated by blanks.
        promote (callable): the dtype that two of them are promoted to, from their NumPy dtypes.
        lists (Union[bool, Callable]): Python lists and tuples are taken as Tensors too, as by
            Python's operators; a function says whether they are just now.
        exact (bool): an int out of range for the other Tensor's dtype keeps its value (comparisons,
            quotients) instead of being cut to the Tensor's dtype.
        weak_0d (bool): within its kind, a Tensor without axes takes the dtype of a Tensor with
            axes, as a number does.
        need_tensor (bool): a number is taken only together with a Tensor; two numbers are a
            TypeError.
    """

    def __init__(
        self,
        names,
        promote=promotion.promote_np,
        lists=False,
        exact=False,
        weak_0d=False,
        need_tensor=False,
    ):
        self.names = names.split()
        self.promote = promote
        self.lists = lists
        self.exact = exact
        self.weak_0d = weak_0d
        self.need_tensor = need_tensor


class SameDtype:
    """Inputs that must come with one dtype; a TypeError if they do not.

    Args:
        names (str): the inputs, separated by blanks.
    """

    def __init__(self, names):
        self.names = names.split()


class Quirks:
    """Where public paths of one op differ from its body, as the original's do.

    Args:
        rules (dict): public path -> {parameter of the body: a stricter rule}.
        errors (dict): public path -> the error that arguments which do not fit together are there,
            instead of a ValueError.
        shapes_first (bool): where dtypes are wrong and shapes too, the ValueError of the shapes is
            raised; else the TypeError of the dtypes.
        on_tape (Callable): called instead of the op, with the same arguments, where a number is
            given in a Tensor that a gradient goes to: what is read from it would not carry the
            gradient.
    """

    def __init__(self, rules=None, errors=None, shapes_first=False, on_tape=None):
        self.rules = rules or {}
        self.errors = errors or {}
        self.shapes_first = shapes_first
        self.on_tape = on_tape


def holds_tensor(rule):
    """Whether a rule takes a Tensor."""
    return any(isinstance(part, TensorOf) for part in parts_of(rule))


def takes_numbers(rule):
    """Whether a rule takes something else than a Tensor or None, such as a number."""
    return any(
        part.scalars if isinstance(part, TensorOf) else not isinstance(part, NoneRule)
        for part in parts_of(rule)
    )


def takes_none(rule):
    """Whether a rule takes None."""
    return any(isinstance(part, NoneRule) for part in parts_of(rule))


def holds_tensors(rule):
    """Whether a rule takes a list or tuple of Tensors."""
    return any(isinstance(getattr(part, "item", None), TensorOf) for part in parts_of(rule))
