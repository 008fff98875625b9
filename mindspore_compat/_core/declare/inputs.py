"""Declarations of the input dtypes of an operator, and of quirks of MindSpore.

@op("ops.mul(input, other)", types=Promote("input other", lists=True))
@op("ops.cross(input, other)", types=SameDtype("input other"))
@op("mint.eq(input, other)", quirks=Quirks(rules={"mint.eq": {"input": TensorOf("float32")}}))
"""

from ..rules.base import NoneRule, parts_of
from ..rules.vocabulary import TensorOf
from ..tensor import promotion


class Promote:
    """Type promotion: inputs that are cast to one dtype before the op computes.

    Args:
        names (str): the inputs, separated by blanks.
        promote (callable): maps the NumPy dtypes of two inputs to the promoted dtype.
        lists (Union[bool, Callable]): whether Python lists and tuples count as Tensors, as with
            Python's operators; a function returns whether they currently do.
        exact (bool): an int out of range for the dtype of the other Tensor keeps its value
            (comparisons, quotients); otherwise it is cast to that dtype.
        weak_0d (bool): within its kind, a 0-d Tensor takes the dtype of a Tensor with axes, as a
            number does.
        need_tensor (bool): a number is accepted only together with a Tensor; two numbers raise a
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
    """Inputs that must have the same dtype; a call in which their dtypes differ raises a TypeError.

    Args:
        names (str): the inputs, separated by blanks.
    """

    def __init__(self, names):
        self.names = names.split()


class Quirks:
    """Differences between public paths of one op and its body, as in MindSpore.

    Args:
        rules (dict): public path -> {parameter of the body: a stricter rule}.
        errors (dict): public path -> the type of error for arguments that do not fit together,
            instead of a ValueError.
        shapes_first (Union[bool, tuple]): if both dtypes and shapes are wrong, whether the
            ValueError of the shapes is raised; otherwise the TypeError of the dtypes is. A tuple
            has the public paths that raise the former. None: as it is raised for a generated
            Primitive of the op, if there is one (../rules/stored_arguments.py).
        on_tape (Callable): called instead of the op, with the same arguments, if a Tensor that
            needs a gradient holds a number: a number that is read from it carries no gradient.
        stored (dict): public path of a class -> {argument: a function of it, whose result the
            instance has as the attribute of that name}.
        checked_at_once (tuple): public paths of layers whose constructors check their arguments.
            Those of other layers in `nn` and `mint.nn` take any arguments; the call refuses them.
        around (Callable): given the `run` of the op, returns the function that public paths call in
            its place, with the same arguments: one that returns an input itself where MindSpore
            does, and not another Tensor of the same memory. Within a graph it must call `run`: a
            graph's results are Tensors of their own, and a write to one leaves the input alone.
    """

    def __init__(
        self,
        rules=None,
        errors=None,
        shapes_first=None,
        on_tape=None,
        stored=None,
        checked_at_once=(),
        around=None,
    ):
        self.rules = rules or {}
        self.errors = errors or {}
        self.shapes_first = shapes_first
        self.on_tape = on_tape
        self.stored = stored or {}
        self.checked_at_once = checked_at_once
        self.around = around

    def public_run(self, run):
        """Returns the function that public paths call in place of the op's `run`."""
        return run if self.around is None else self.around(run)


def accepts_tensor(rule):
    """Returns whether a rule accepts a Tensor."""
    return any(isinstance(part, TensorOf) for part in parts_of(rule))


def takes_numbers(rule):
    """Returns whether a rule accepts a value other than a Tensor or None, such as a number."""
    return any(
        part.scalars if isinstance(part, TensorOf) else not isinstance(part, NoneRule)
        for part in parts_of(rule)
    )


def takes_none(rule):
    """Returns whether a rule accepts None."""
    return any(isinstance(part, NoneRule) for part in parts_of(rule))


def accepts_list(rule):
    """Returns whether a rule accepts a list or tuple of Tensors."""
    return any(isinstance(getattr(part, "item", None), TensorOf) for part in parts_of(rule))
