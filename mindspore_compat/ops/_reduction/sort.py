"""Sorting: sorted values with their indices, and the k largest."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.value_rules import ElementOf
from ..._core.rules.vocabulary import Bool, Int, InTensor, TensorOf, real
from .._rules import Anything, Numbers, Reals, Sortable
from .._shape.axes import axis_of
from .picked import picked_vjp


@op(
    "ops.sort(input_x, axis=-1, descending=False)",
    "ops.Sort(axis=-1, descending=False)(x: input_x)",
    compute="native",
)
def sort(xp, input_x: Sortable, axis: Int = -1, descending: Bool = False):
    """Sorts the elements along an axis; returns the values and their positions in the input.

    Shapes:
        `input_x` may have any shape with at least one axis. The values have its shape and dtype;
        the positions have its shape and are int32.

    Example:
        >>> v, i = ms.ops.sort(ms.Tensor([3.0, 1.0, 2.0]))
        >>> print(v, i)
        [1. 2. 3.] [1 2 0]
    """
    axis = axis_of(axis, input_x)
    values, at = xp.top_k(input_x, input_x.shape[axis], axis, descending)
    return values, xp.cast(at, "int32")


sort.vjp(
    input_x=lambda xp, g, input_x_shape, out, axis: picked_vjp(xp, g, input_x_shape, out, axis)
)


@op("mint.sort(input: input_x, *, dim: axis=-1, descending=False, stable=False)", compute="native")
def mint_sort(
    xp, input_x: Anything, axis: Int = -1, descending: Bool = False, stable: Bool = False
):
    """Sorts the elements along an axis; returns the values and their positions in the input. The
    sort is always stable.

    Shapes:
        `input_x` may have any shape with at least one axis. The values have its shape and dtype;
        the positions have its shape and are int64.

    Example:
        >>> v, i = ms.mint.sort(ms.Tensor([3.0, 1.0, 2.0]), descending=True)
        >>> print(v, i)
        [3. 2. 1.] [0 2 1]
    """
    values, at = xp.top_k(input_x, input_x.shape[axis_of(axis, input_x)], axis, descending)
    return values, xp.cast(at, "int64")


mint_sort.vjp(
    input_x=lambda xp, g, input_x_shape, out, axis: picked_vjp(xp, g, input_x_shape, out, axis)
)


@op("ops.argsort(input, axis=-1, descending=False)", compute="native")
def argsort(xp, input: Sortable, axis: Int = -1, descending: Bool = False):
    """Computes the indices that sort the elements along an axis.

    Shapes:
        `input` may have any shape with at least one axis. The result has the same shape and is
        int32.

    Example:
        >>> print(ms.ops.argsort(ms.Tensor([3.0, 1.0, 2.0])))
        [1 2 0]
    """
    length = input.shape[axis_of(axis, input)]
    return xp.cast(xp.top_k(input, length, axis, descending)[1], "int32")


@op(
    "ops.topk(input, k, dim=None, largest=True, sorted=True)",
    "ops.TopK(sorted=True)(input_x: input, k)",
    "ops.top_k(input_x: input, k, sorted=True)",
    "Tensor.top_k(k, sorted=True)",
    compute="native",
    quirks=Quirks(rules={"Tensor.top_k": {"k": Int}}),
)
def topk(
    xp,
    input: TensorOf(real),
    k: InTensor(Int),
    dim: ElementOf(Int | Bool) = None,
    largest: Bool = True,
    sorted: Bool = True,
):
    """Finds the `k` largest elements along an axis, or the smallest if `largest` is False, and
    their positions.

    The elements are sorted. Only if `sorted` is False and `k` is the length of the axis, they keep
    the order of the input.

    Shapes:
        `input` has at least one axis. Both results have length `k` along `dim`, by default the last
        axis; the values keep the dtype, the positions are int32.

    Example:
        >>> v, i = ms.ops.topk(ms.Tensor([3.0, 1.0, 5.0, 2.0]), 2)
        >>> print(v, i)
        [5. 3.] [2 0]
    """
    axis = -1 if dim is None else int(dim)
    length = input.shape[axis_of(axis, input)] if input.ndim else 1
    if not 1 <= k <= length:
        raise ValueError(f"For 'topk', 'k' must be in [1, {length}], but got {k}.")
    if k == length and not sorted and input.ndim:
        return input, _positions(xp, input, axis)
    values, at = xp.top_k(input, k, axis, largest)
    return values, xp.cast(at, "int32")


def _positions(xp, x, axis):
    """Returns the int32 positions of the elements of `x` along an axis."""
    line = [1] * x.ndim
    line[axis] = x.shape[axis]
    return xp.broadcast_to(xp.reshape(xp.arange(x.shape[axis], dtype="int32"), line), x.shape)


@op("ops.msort(input)", "Tensor.msort()", compute="native")
def msort(xp, input: Sortable):
    """Sorts the input along its first axis.

    Shapes:
        `input` has at least one axis. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.msort(ms.Tensor([[3.0, 1.0], [2.0, 4.0]])))
        [[2. 1.]
         [3. 4.]]
    """
    return xp.top_k(input, input.shape[0], 0, False)[0]


@op(
    "mint.kthvalue(input, k, dim=-1, keepdim=False)",
    "Tensor.kthvalue(k, dim=-1, keepdim=False)",
    compute="native",
)
def kthvalue(xp, input: Numbers, k: Int, dim: Int = -1, keepdim: Bool = False):
    """Finds the `k`-th smallest value along an axis and its position. A RuntimeError is raised if
    `k` is out of range.

    Shapes:
        `input` has at least one axis. Both results lack the axis, or have length 1 along it with
        `keepdim`; the values keep the dtype, the positions are int64.

    Example:
        >>> v, i = ms.mint.kthvalue(ms.Tensor([3.0, 1.0, 2.0]), 2)
        >>> print(v, i)
        2.0 2
    """
    if not input.size:
        raise ValueError("For 'kthvalue', 'input' must not be empty.")
    length = input.shape[axis_of(dim, input)] if input.ndim else 1
    if not 1 <= k <= length:
        raise RuntimeError(f"For 'kthvalue', 'k' must be in [1, {length}], but got {k}.")
    if not input.ndim:
        return input, xp.zeros((), "int64")
    if input.dtype.kind == "c":
        raise TypeError(f"For 'kthvalue', 'input' must hold real numbers, but got {input.dtype}.")
    at = xp.index_of_rank(input, dim, rank=k - 1)
    values, at = xp.take_along_axis(input, at, dim), xp.cast(at, "int64")
    return (values, at) if keepdim else (xp.squeeze(values, dim), xp.squeeze(at, dim))


@op("mint.topk(input, k, dim=-1, largest=True, sorted=True)", compute="native")
def mint_topk(
    xp, input: Reals, k: Int(ge=0), dim: Int = -1, largest: Bool = True, sorted: Bool = True
):
    """Finds the `k` largest elements along an axis, or the smallest if `largest` is False, in
    order, and their positions.

    Shapes:
        `input` has at least one axis. Both results have length `k` along `dim`; the values keep the
        dtype, the positions are int64.

    Example:
        >>> v, i = ms.mint.topk(ms.Tensor([3.0, 1.0, 5.0, 2.0]), 2)
        >>> print(v, i)
        [5. 3.] [2 0]
    """
    length = input.shape[axis_of(dim, input)]
    if k > length:
        raise ValueError(f"For 'topk', 'k' must be in [0, {length}], but got {k}.")
    values, at = xp.top_k(input, k, dim, largest)
    return values, xp.cast(at, "int64")


mint_topk.vjp(input=lambda xp, g, input_shape, out, dim: picked_vjp(xp, g, input_shape, out, dim))


@op("mint.argsort(input, dim=-1, descending=False, stable=False)", compute="native")
def mint_argsort(
    xp, input: Anything, dim: Int = -1, descending: Bool = False, stable: Bool = False
):
    """Computes the indices that sort the elements along an axis; the sort is always stable.

    Shapes:
        `input` has at least one axis. The result has the same shape and is int64.

    Example:
        >>> print(ms.mint.argsort(ms.Tensor([3.0, 1.0, 2.0])))
        [1 2 0]
    """
    length = input.shape[axis_of(dim, input)]
    return xp.cast(xp.top_k(input, length, dim, descending)[1], "int64")


@op("ops.NthElement(reverse=False)(input, n)", compute="native")
def nth_element(
    xp,
    input: Reals.but("bfloat16", "uint32", "uint64"),
    n: Int(ge=0) | TensorOf("int32"),
    reverse: Bool = False,
):
    """Finds the n-th smallest element of each row, counted from 0, or the n-th largest with
    `reverse`.

    Shapes:
        `input` is (..., M) of a real dtype and `n` one integer. The result is (...), of the same
        dtype.

    Example:
        >>> print(ms.ops.NthElement()(ms.Tensor([[3.0, 1.0, 2.0]]), 1))
        [2.]
    """
    n = int(n)
    if not 0 <= n < input.shape[-1]:
        raise ValueError(f"For 'NthElement', 'n' must be in [0, {input.shape[-1]}), but got {n}.")
    rank = input.shape[-1] - 1 - n if reverse else n
    return xp.squeeze(xp.take_along_axis(input, xp.index_of_rank(input, -1, rank=rank), -1), -1)
