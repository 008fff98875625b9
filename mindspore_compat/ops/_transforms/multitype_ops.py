"""mindspore.ops.composite.multitype_ops: Python's operators as functions of many types.

`add(x, y)` returns `x + y` for Tensors, sparse tensors, numbers, strings, tuples and lists.
Implementations for further types can be registered, as with any `MultitypeFuncGraph`. For all other
types the operator itself is used, for example `default_add`.
"""

import operator

from ..._core.declare.public_api import build
from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import RowTensor
from . import compile_utils as _compile_utils  # noqa: F401 - scripts import it from here
from .functional import HyperMap, MultitypeFuncGraph

_OPERATORS = {
    "add": operator.add,
    "bitwise_and": operator.and_,
    "bitwise_or": operator.or_,
    "bitwise_xor": operator.xor,
    "div": operator.truediv,
    "equal": operator.eq,
    "floordiv": operator.floordiv,
    "getitem": operator.getitem,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "in_": lambda x, many: x in many,
    "invert": operator.invert,
    "left_shift": operator.lshift,
    "less": operator.lt,
    "less_equal": operator.le,
    "logical_and": lambda x, y: x and y,
    "logical_not": operator.not_,
    "logical_or": lambda x, y: x or y,
    "mod": operator.mod,
    "mul": operator.mul,
    "negative": operator.neg,
    "not_equal": operator.ne,
    "not_in_": lambda x, many: x not in many,
    "pow_": operator.pow,
    "right_shift": operator.rshift,
    "sub": operator.sub,
    "uadd": operator.pos,
    "augassign_add": operator.iadd,
    "augassign_div": operator.itruediv,
    "augassign_floordiv": operator.ifloordiv,
    "augassign_mod": operator.imod,
    "augassign_mul": operator.imul,
    "augassign_sub": operator.isub,
}


def _setitem(data, index, value):
    """Runs `data[index] = value` and returns `data`."""
    data[index] = value
    return data


def _of_operator(name, function):
    result = MultitypeFuncGraph(name)
    result.default = function
    return result


def _like(name, number):
    """Returns a function that applies the op `name` to Tensors, replaces numbers by `number`, and
    keeps None."""

    def leaf(x):
        if isinstance(x, Tensor):
            return build("ops", name)(x)
        return type(x)(number) if isinstance(x, (bool, int, float)) else x

    return _of_operator(f"{name}_leaf", leaf)


_MADE = {
    name: _of_operator(name, function)
    for name, function in {**_OPERATORS, "setitem": _setitem}.items()
}
ones_like_leaf, zeros_like_leaf = _like("ones_like", 1), _like("zeros_like", 0)
ones_like, zeros_like = HyperMap(ones_like_leaf), HyperMap(zeros_like_leaf)
default_ones_like_leaf_for_grad = ones_like_leaf.default
# two names with MindSpore's spelling
_DEFAULTS = {"bitwsie_add": "bitwise_and", "bitwsie_or": "bitwise_or", "bitwsie_xor": "bitwise_xor"}
__all__ = sorted(
    [
        *_MADE,
        "check_equal",
        "make_tensor",
        "log_warning",
        "add_rowtensor_tensor",
        "ones_like",
        "zeros_like",
        "ones_like_leaf",
        "zeros_like_leaf",
        "default_ones_like_leaf_for_grad",
    ]
)


def __getattr__(name):
    """Returns an operator, or its default for types without a registered function."""
    if name in _MADE:
        return _MADE[name]
    plain = name.removeprefix("default_")
    plain = _DEFAULTS.get(plain, plain)
    if plain != name and not name.startswith("__"):
        for candidate in (plain, f"{plain}_"):
            if candidate in _MADE:
                return _MADE[candidate].default
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__


def check_equal(param1, param2, msg="{},{}"):
    """Returns True if two values are equal.

    Raises:
        ValueError: if they differ; `msg` is the message, with a placeholder for each value.
    """
    if param1 != param2:
        raise ValueError(msg.format(param1, param2))
    return param1


def make_tensor(a, dtype=None, data_shape=None):
    """Makes a Tensor of numbers, with the given dtype and shape, if any."""
    result = Tensor(a, dtype)
    return result if data_shape is None else build("ops", "broadcast_to")(result, data_shape)


def log_warning(msg):
    """Writes a warning to the log."""
    from ... import log

    log.warning(msg)


def add_rowtensor_tensor(x, y):
    """Adds a RowTensor and a Tensor; returns a Tensor.

    Raises:
        ValueError: if their shapes differ.
    """
    if not isinstance(x, RowTensor) or x.dense_shape != y.shape:
        raise ValueError(
            f"For 'add_rowtensor_tensor', 'x' must be a RowTensor of the shape of "
            f"'y', {y.shape}, but got {x!r}."
        )
    return build("ops", "index_add")(y, x.indices, x.values, 0)
