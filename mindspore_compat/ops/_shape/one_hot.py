"""One-hot vectors of indices: small ones are compared with each position, large ones written."""

from ..._backend.thresholds import Least
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import Int, InTensor, Number, ScalarOf, TensorOf, integer
from .._rules import Index

Value = TensorOf(integer | {"float16", "float32"})


@op(
    "ops.one_hot(indices, depth, on_value=1, off_value=0, axis=-1)",
    "ops.OneHot(axis=-1)(indices, depth, on_value, off_value)",
    types=SameDtype("on_value off_value"),
    compute="native",
    quirks=Quirks(rules={"ops.OneHot": {"on_value": Value, "off_value": Value}}),
)
def one_hot(
    xp,
    indices: TensorOf("int32", "int64"),
    depth: InTensor(Int(ge=0)),
    on_value: FirstOf(Number) | Value = 1,
    off_value: FirstOf(Number) | Value = 0,
    axis: ScalarOf(Int) = -1,
):
    """Encodes indices as one-hot vectors: a new axis holds `on_value` at each index and `off_value`
    elsewhere. If one of them is a Tensor of several values, the first is used. An index out of
    range gives only `off_value`.

    Shapes:
        `indices` is of any shape of integers. The result has a new axis of length `depth` at
        `axis`, and the dtype of the values.

    Example:
        >>> print(ms.ops.one_hot(ms.Tensor([0, 2]), 3))
        [[1 0 0]
         [0 0 1]]
    """
    on_value, off_value = (
        xp.ravel(array)[0] if array.ndim else array for array in (on_value, off_value)
    )
    if on_value.dtype != off_value.dtype:
        raise TypeError(
            f"For 'one_hot', 'on_value' and 'off_value' must have one dtype, but got "
            f"{on_value.dtype} and {off_value.dtype}."
        )
    axis = axis if axis >= 0 else axis + indices.ndim + 1
    if indices.size * depth < Least.ONE_HOT:
        return xp.where(is_position(xp, indices, depth, axis), on_value, off_value)
    return written(xp, indices, depth, on_value, off_value, axis)


@op("mint.nn.functional.one_hot(tensor, num_classes=-1)", compute="native")
def mint_one_hot(xp, tensor: Index, num_classes: Int(ge=-1) = -1):
    """Encodes class numbers as one-hot vectors along a new last axis: 1 at the class of each
    element and 0 elsewhere.

    Shapes:
        `tensor` is of any shape of integers. The result has a new last axis of length
        `num_classes`, or, if that is -1, of the largest class plus one, and is int64.

    Example:
        >>> print(ms.mint.nn.functional.one_hot(ms.Tensor([0, 2])))
        [[1 0 0]
         [0 0 1]]
    """
    if num_classes == -1:
        num_classes = int(xp.max(tensor)) + 1 if tensor.size else 1
    if tensor.size * num_classes < Least.ONE_HOT:
        return xp.cast(is_position(xp, tensor, num_classes, tensor.ndim), tensor.dtype)
    on_value, off_value = xp.ones((), tensor.dtype), xp.zeros((), tensor.dtype)
    return written(xp, tensor, num_classes, on_value, off_value, tensor.ndim)


def is_position(xp, indices, depth, axis):
    """Returns True at each index along a new axis."""
    line = [1] * (indices.ndim + 1)
    line[axis] = depth
    positions = xp.arange(depth, dtype="int32" if indices.dtype == "uint8" else indices.dtype)
    return xp.expand_dims(indices, axis) == xp.reshape(positions, tuple(line))


def written(xp, indices, depth, on_value, off_value, axis):
    """Returns `off_value` along a new axis, with `on_value` written at each index within range."""
    index = xp.expand_dims(indices, axis)
    inside = xp.logical_and(index >= 0, index < depth)
    values = xp.where(inside, on_value, off_value)
    shape = (*indices.shape[:axis], depth, *indices.shape[axis:])
    off_values = xp.broadcast_to(off_value, shape)
    return xp.scatter_along_axis(off_values, xp.where(inside, index, 0), values, axis)
