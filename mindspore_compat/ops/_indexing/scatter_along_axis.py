"""Scatters along one axis: of single elements, and of whole slices (index_add, index_fill)."""

import numpy

from ..._backend.arrays import SPACES, extremes
from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.writing import fill, plain
from ..._core.rules.value_rules import AnyCase, ElementOf
from ..._core.rules.vocabulary import (
    Any,
    Float,
    Int,
    InTensor,
    Number,
    OneOf,
    TensorOf,
    any_dtype,
    checked,
    real,
)
from ..._core.tensor.dtype import promote
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index, Reals, TensorOrNumber
from .._shape.axes import axis_of
from ..primitive import Primitive
from .gather import beyond
from .scatter import check_range
from .write_cast import cast_for_write


@op(
    "ops.tensor_scatter_elements(input_x, indices, updates, axis=0, reduction='none')",
    "ops.TensorScatterElements(axis=0, reduction='none')(data: input_x, indices, updates)",
    types=SameDtype("input_x updates"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def tensor_scatter_elements(
    xp,
    input_x: Anything,
    indices: Index,
    updates: Anything,
    axis: ElementOf(Int) = 0,
    reduction: AnyCase(OneOf("none", "add", "mul")) = "none",
):
    """Scatters updates at indices along an axis, element by element, into a copy of the input.

    With `reduction` "add" or "mul", updates are added or multiplied instead. Updates for indices
    past the end are ignored.

    Shapes:
        `indices` and `updates` have one shape, with the same number of axes as `input_x`. The
        result has the shape and dtype of `input_x`.

    Example:
        >>> print(ms.ops.tensor_scatter_elements(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[1], [0]]),
        ...                                      ms.Tensor([[9], [8]]), axis=1))
        [[1 9]
         [8 4]]
    """
    if not input_x.ndim == indices.ndim == updates.ndim:
        raise ValueError(
            f"For 'tensor_scatter_elements', the inputs must have as many axes, but "
            f"got {input_x.shape}, {indices.shape} and {updates.shape}."
        )
    length = input_x.shape[axis_of(axis, input_x)]
    if _reaches(indices, length):
        return _within(xp, input_x, indices, updates, axis_of(axis, input_x), reduction)
    updates = xp.cast(updates, input_x.dtype)
    axis = axis_of(axis, input_x)
    if reduction == "mul":
        positions = [
            xp.reshape(xp.arange(n), (-1,) + (1,) * (indices.ndim - i - 1))
            for i, n in enumerate(indices.shape)
        ]
        return xp.scatter_reduce(
            input_x, (*positions[:axis], indices, *positions[axis + 1 :]), updates, "mul"
        )
    return xp.scatter_along_axis(input_x, indices, updates, axis, reduction == "add")


def _reaches(indices, length, waits=True):
    """Returns True if a position is past the end. Positions on a GPU are read only if the host
    `waits` for them.

    Raises:
        IndexError: if one is before the start, as NumPy does and CuPy does not.
    """
    array = getattr(indices, "array", indices)
    if type(array) not in SPACES or not array.size:
        return False
    if not waits and type(array) is not numpy.ndarray:
        return False
    low, high = extremes(array)
    if low < -length:
        raise IndexError(f"index {low} is out of bounds for an axis of length {length}")
    return high >= length


def _within(xp, input_x, indices, updates, axis, reduction):
    """Runs `tensor_scatter_elements` on an input with one extra slice, which absorbs positions past
    the end."""
    length = input_x.shape[axis]
    shape = (*input_x.shape[:axis], 1, *input_x.shape[axis + 1 :])
    longer = xp.concatenate([input_x, xp.zeros(shape, input_x.dtype)], axis)
    at = xp.where(indices < 0, indices + length, indices)
    at = xp.where(at > length, length, at)
    out = tensor_scatter_elements.body(xp, longer, at, updates, axis, reduction)
    return out[(slice(None),) * axis + (slice(0, length),)]


@op("ops.scatter(input, axis, index, src)", types=SameDtype("input src"), compute="native")
def scatter(
    xp,
    input: Anything,
    axis: InTensor(Int),
    index: TensorOf("int16", "int32", "int64"),
    src: TensorOf(any_dtype, scalars=True),
):
    """Scatters the values of `src` at indices along an axis, element by element, into a copy of the
    input. Values for indices past the end are ignored.

    Shapes:
        `index` and `src` have the same number of axes as `input`, and `index` is no longer than
        `src` along any axis. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.ops.scatter(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1], [0]]),
        ...                      ms.Tensor([[9], [8]])))
        [[1 9]
         [8 4]]
    """
    if src.ndim not in (0, index.ndim):
        raise ValueError(
            f"For 'scatter', 'src' must have as many axes as 'index', but got "
            f"{src.shape} and {index.shape}."
        )
    src = xp.cast(src, input.dtype)
    src = src[tuple(slice(0, n) for n in index.shape)] if src.ndim else src
    axis = axis_of(axis, input)
    if input.ndim == index.ndim and _reaches(index, input.shape[axis], waits=False):
        return _within(xp, input, index, xp.broadcast_to(src, index.shape), axis, "none")
    return xp.scatter_along_axis(input, index, src, axis)


@op(
    "mint.scatter_add(input, dim, index, src)",
    "Tensor.scatter_add_(dim, index, src)",
    types=SameDtype("input src"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def scatter_add_along(xp, input: Anything, dim: Int, index: Index, src: Anything):
    """Scatter-adds the values of `src` at indices along an axis, element by element, to a copy of
    the input.

    Shapes:
        `index` and `src` have the same number of axes as `input`, and `index` is no longer than
        `src` along any axis. The result has the shape and dtype of `input`.

    Example:
        >>> print(ms.mint.scatter_add(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1], [0]]),
        ...                           ms.Tensor([[9], [8]])))
        [[ 1 11]
         [11  4]]
    """
    src = xp.cast(src[tuple(slice(0, n) for n in index.shape)], input.dtype)
    return xp.scatter_along_axis(input, index, src, axis_of(dim, input), True)


@op(compute="native")
def added_along(xp, input: Anything, index: Index, source: Anything, axis: Int):
    """Returns a copy with slices of `source` added at indices along an axis."""
    return xp.scatter_add(
        input, (slice(None),) * (axis_of(axis, input)) + (index,), xp.cast(source, input.dtype)
    )


@public("ops.index_add")
@checked
def index_add(
    x: TensorOrNumber,
    indices: TensorOf("int32"),
    y: TensorOrNumber,
    axis: Int,
    use_lock: Any = True,
    check_index_bound: Any = True,
):
    """Adds slices of `y` to the Parameter `x` at indices along an axis, in place, and returns it.

    Args:
        x (Parameter): what is changed.
        indices (Tensor): int32 of shape (n,): the positions along `axis`.
        y (Tensor): the slices: n along `axis`, otherwise of the shape of `x`.
        axis (int): the axis.
        use_lock (bool): has no effect. Default: True.
        check_index_bound (bool): has no effect; indices are always checked. Default: True.

    Returns:
        `x`.

    Raises:
        TypeError: if an argument has the wrong type, or `y` has a wider dtype than `x`.
        ValueError: if `axis` is out of range or the shapes do not fit.
        IndexError: if an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.Parameter(ms.Tensor([1.0, 2.0, 3.0]))
        >>> print(ms.ops.index_add(x, ms.Tensor([0, 2], ms.int32), ms.Tensor([10.0, 20.0]), 0))
        [11.  2. 23.]

    Source: mindspore.ops.index_add of MindSpore 2.10.
    """
    x, y = cast_for_write("index_add", x, y)
    if not -x.ndim <= axis < x.ndim:
        raise ValueError(
            f"For 'index_add', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    if y.ndim != x.ndim or y.shape[axis] != indices.shape[0]:
        raise ValueError(
            f"For 'index_add', 'y' must have {indices.shape[0]} slices along axis "
            f"{axis}, but got {y.shape}."
        )
    check_range(
        "index_add",
        indices._array.reshape(-1, 1),
        x.shape[axis:][:1] if axis >= 0 else (x.shape[axis],),
    )
    return _add_in_place(x, indices, y, axis)


@in_each_slice
def _add_in_place(x, indices, y, axis):
    result = added_along.run(x, indices, y, axis)
    fill(x, result._array)
    out = plain(x)
    out._node = result._node
    return out


@public("ops.IndexAdd")
class IndexAdd(Primitive):
    """The class form of `ops.index_add`: `ops.IndexAdd(axis)(x, indices, y)`.

    Args:
        axis (int): the axis.
        use_lock (bool): has no effect. Default: True.
        check_index_bound (bool): has no effect; indices are always checked. Default: True.

    Inputs:
        - **x** (Parameter): what is changed.
        - **indices** (Tensor): int32 of shape (n,): the positions along `axis`.
        - **y** (Tensor): the slices: n along `axis`, otherwise of the shape of `x`.

    Outputs:
        `x`.

    Example:
        >>> x = ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))
        >>> _ = ms.ops.IndexAdd(axis=0)(x, ms.Tensor([1], ms.int32), ms.Tensor([[10.0, 10.0]]))
        >>> print(x.value())
        [[ 1.  2.]
         [13. 14.]]
    """

    @checked
    def __init__(self, axis: Int, use_lock: Any = True, check_index_bound: Any = True):
        super().__init__("IndexAdd")
        self.axis, self.use_lock, self.check_index_bound = axis, use_lock, check_index_bound

    @checked
    def __call__(self, x: TensorOrNumber, indices: Index, y: Anything):
        return index_add(x, indices, y, self.axis)


@op(
    "ops.index_fill(x, axis, index, value)",
    "ops.IndexFill()(x, dim: axis, indices: index, value)",
    "Tensor.index_fill(axis, index, value)",
    compute="native",
)
def index_fill(
    xp,
    x: Anything,
    axis: Int | Index,
    index: TensorOf("int32"),
    value: TensorOf(any_dtype, scalars=True),
):
    """Fills the slices at the given indices along an axis with one number, in a copy of the input.

    Shapes:
        `x` has at least one axis; `index` is (K,) of int32. The result has the shape and dtype of
        `x`.

    Example:
        >>> print(ms.ops.index_fill(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([0], ms.int32), 9))
        [[9 2]
         [9 4]]
    """
    if index.ndim > 1 or value.ndim:
        raise ValueError(
            f"For 'index_fill', 'index' must have at most one axis and 'value' none, "
            f"but got {index.shape} and {value.shape}."
        )
    axis = int(axis)
    if not -x.ndim <= axis < x.ndim:
        raise RuntimeError(
            f"For 'index_fill', the axis must be in [{-x.ndim}, {x.ndim}), but got {axis}."
        )
    try:
        return xp.scatter_set(
            x, (slice(None),) * (axis % x.ndim) + (index,), xp.cast(value, x.dtype)
        )
    except IndexError as error:
        raise beyond("index_fill", "index", error) from error


@op("ops.ScatterAddWithAxis(axis=0)(input_x, indices, updates)", compute="native")
def scatter_add_with_axis(xp, input_x: Anything, indices: Index, updates: Anything, axis: Int = 0):
    """Scatter-adds updates at indices along an axis, element by element, to a copy of the input.

    Shapes:
        `indices` and `updates` have one shape, with the same number of axes as `input_x`. The
        result has the shape and dtype of `input_x`.

    Example:
        >>> print(ms.ops.ScatterAddWithAxis(axis=1)(ms.Tensor([[1, 2], [3, 4]]),
        ...                                         ms.Tensor([[1], [0]]), ms.Tensor([[9], [8]])))
        [[ 1 11]
         [11  4]]
    """
    if indices.shape != updates.shape or indices.ndim != input_x.ndim:
        raise ValueError(
            f"For 'ScatterAddWithAxis', 'indices' and 'updates' must have one shape and the rank "
            f"of 'input_x', but got {indices.shape}, {updates.shape} and {input_x.shape}."
        )
    rows = xp.reshape(indices, (-1, 1))
    check_range("ScatterAddWithAxis", rows, (input_x.shape[axis],), ValueError)
    return xp.scatter_along_axis(input_x, indices, xp.cast(updates, input_x.dtype), axis, add=True)


@public("mint.index_add")
@checked
def mint_index_add(
    input: Reals, dim: Int, index: Index, source: TensorOf(real, "bool"), *, alpha: Number = 1
):
    """Adds `alpha` times the slices of `source` at indices along an axis, in a copy of the input.

    Args:
        input (Tensor): any shape.
        dim (int): the axis.
        index (Tensor): int32 or int64 indices, along one axis.
        source (Tensor): the slices, one for each index, of the dtype of `input` or a narrower one.
        alpha (number.Number): the factor.

    Returns:
        Tensor of the shape and dtype of `input`.

    Raises:
        TypeError: if an argument has the wrong type, or `source` has a wider dtype than `input`.
        ValueError: if the input has no such axis, the shapes do not fit, or, on a CPU, an index is
            out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.index_add(ms.Tensor([1.0, 2.0]), 0, ms.Tensor([1]), ms.Tensor([10.0])))
        [ 1. 12.]

    Source: mindspore.mint.index_add of MindSpore 2.10.
    """
    if promote(input.dtype, source.dtype) != input.dtype:
        raise TypeError(
            f"For 'index_add', 'source' must not be wider than {input.dtype}, but got "
            f"{source.dtype}."
        )
    if not -input.ndim <= dim < input.ndim:
        raise ValueError(
            f"For 'index_add', 'dim' must be in [{-input.ndim}, {input.ndim}), but got {dim}."
        )
    fits = list(input.shape)
    fits[dim] = index.size
    if index.ndim != 1 or source.shape != tuple(fits):
        raise ValueError(
            f"For 'index_add', 'index' must have one axis and 'source' a slice for each index, but "
            f"got shapes {index.shape} and {source.shape} for an input of {input.shape}."
        )
    scaled = source if alpha == 1 else source * alpha
    return added_along.run(input, index, scaled, dim)


@public("mint.scatter")
@checked
def mint_scatter(
    input: Anything,
    dim: InTensor(Int),
    index: TensorOf("int16", "int32", "int64"),
    src: Anything | Float | Int,
):
    """Scatters the values of `src` at indices along an axis, element by element, into a copy of the
    input.

    Args:
        input (Tensor): at least one axis.
        dim (int): the axis.
        index (Tensor): int32 or int64 indices, with the same number of axes as `input`.
        src (Union[Tensor, float]): the values, of the dtype of `input`; one for each index.

    Returns:
        Tensor of the shape and dtype of `input`.

    Raises:
        TypeError: if an argument has the wrong type, or the dtypes differ.
        ValueError: if the numbers of axes differ, the input has no such axis, or an index is out of
            range.
        RuntimeError: if `src` is smaller than `index`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.scatter(ms.Tensor([1, 2, 3]), 0, ms.Tensor([0]), ms.Tensor([9])))
        [9 2 3]

    Source: mindspore.mint.scatter of MindSpore 2.10.
    """
    tensors = [input, index] + ([src] if isinstance(src, Tensor) else [])
    if isinstance(src, Tensor) and src.dtype != input.dtype:
        raise TypeError(
            f"For 'scatter', 'src' must be of dtype {input.dtype}, but got {src.dtype}."
        )
    if len({tensor.ndim for tensor in tensors}) > 1 or not input.ndim:
        raise ValueError(
            f"For 'scatter', the Tensors must have as many axes, at least one, but "
            f"got shapes {', '.join(str(tensor.shape) for tensor in tensors)}."
        )
    if isinstance(src, Tensor):
        if any(n > m for n, m in zip(index.shape, src.shape)):
            raise RuntimeError(
                f"For 'scatter', 'src' must be as large as 'index', but got shapes "
                f"{src.shape} and {index.shape}."
            )
    return scatter.run(input, dim, index, src)
