"""Gathers: select elements and slices at positions along axes or in rows."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Int, InTensor, ScalarOf, TensorOf, integer
from .._rules import Anything, Index, IndexOfAnyInt
from .._shape.axes import axis_of


@op(
    "ops.gather(input_params, input_indices, axis, batch_dims=0)",
    "ops.Gather(batch_dims=0)(input_params, input_indices, axis)",
    "ops.GatherV2()(input_params, input_indices, axis)",
    compute="native",
)
def gather(
    xp,
    input_params: Anything,
    input_indices: TensorOf(integer),
    axis: InTensor(Int),
    batch_dims: ScalarOf(Int) = 0,
):
    """Gathers slices of the input at the given positions along an axis. The first `batch_dims` axes
    are shared by input and indices.

    Shapes:
        `input_params` may have any shape with at least one axis, `input_indices` any shape of
        integers. In the result the axes of the indices replace `axis`. The result has the dtype of
        `input_params`.

    Example:
        >>> print(ms.ops.gather(ms.Tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), ms.Tensor([2, 0]),
        ...                     0))
        [[5. 6.]
         [1. 2.]]
    """
    if batch_dims == 0:
        return _slices_at(xp, "gather", "input_indices", input_params, input_indices, axis)
    if not -input_indices.ndim <= batch_dims <= input_indices.ndim:
        raise ValueError(
            f"For 'gather', 'batch_dims' must be in [{-input_indices.ndim}, "
            f"{input_indices.ndim}], but got {batch_dims}."
        )
    lead = batch_dims + input_indices.ndim if batch_dims < 0 else batch_dims
    axis = axis_of(axis, input_params)
    positions = []
    for i in range(lead):
        view = [1] * (input_indices.ndim)
        view[i] = input_params.shape[i]
        positions.append(xp.reshape(xp.arange(input_params.shape[i]), tuple(view)))
    front = xp.moveaxis(input_params, axis, lead)
    slices = _at(front, (*positions, input_indices), "gather", "input_indices")
    inner = input_indices.ndim - lead
    between = tuple(range(input_indices.ndim, input_indices.ndim + axis - lead))
    order = (
        *range(lead),
        *between,
        *range(lead, lead + inner),
        *range(input_indices.ndim + axis - lead, slices.ndim),
    )
    return xp.transpose(slices, order)


@op("ops.index_select(input, axis, index)", compute="native", quirks=Quirks(shapes_first=True))
def index_select(xp, input: Anything, axis: Int | Bool, index: TensorOf(integer)):
    """Selects slices of the input at the given positions along an axis.

    Shapes:
        `input` has at least one axis, `index` is (K,) of integers. The result has length K along
        `axis`, and the dtype of `input`.

    Example:
        >>> print(ms.ops.index_select(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, ms.Tensor([1, 1, 0])))
        [[2. 2. 1.]
         [4. 4. 3.]]
    """
    if index.ndim != 1:
        raise ValueError(f"For 'index_select', 'index' must have one axis, but got {index.shape}.")
    return _slices_at(xp, "index_select", "index", input, index, int(axis))


@op(
    "ops.gather_d(x, dim, index)",
    "ops.GatherD()(x, dim, index)",
    "ops.gather_elements(input: x, dim, index)",
    "Tensor.gather_elements(dim, index)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def gather_elements(xp, x: Anything, dim: InTensor(Int), index: Index):
    """Gathers single elements along an axis. With two axes and `dim` 1 it is out[i][j] =
    x[i][index[i][j]].

    Shapes:
        `index` has as many axes as `x`. Along every axis but `dim` it is at most as long as `x`.
        The result has the shape of `index` and the dtype of `x`.

    Example:
        >>> print(ms.ops.gather_elements(ms.Tensor([[1, 2], [3, 4]]), 1,
        ...                              ms.Tensor([[1, 1], [0, 1]])))
        [[2 2]
         [3 4]]
    """
    try:
        return gather_along.body(xp, x, dim, index)
    except IndexError as error:
        raise beyond("gather_d", "index", error) from error


@op("mint.gather(input: x, dim, index)", compute="native", quirks=Quirks(shapes_first=True))
def gather_along(xp, x: Anything, dim: InTensor(Int), index: IndexOfAnyInt):
    """Gathers single elements along an axis. With two axes and `dim` 1 it is out[i][j] =
    x[i][index[i][j]]. A position out of range raises a ValueError.

    Shapes:
        `index` has as many axes as `x`. Along every axis but `dim` it is at most as long as `x`.
        The result has the shape of `index` and the dtype of `x`.

    Example:
        >>> print(ms.mint.gather(ms.Tensor([[1, 2], [3, 4]]), 1, ms.Tensor([[1, 1], [0, 1]])))
        [[2 2]
         [3 4]]
    """
    if index.ndim != x.ndim:
        raise ValueError(
            f"For 'gather', 'index' must have as many axes as the input, but got "
            f"shapes {tuple(index.shape)} and {tuple(x.shape)}."
        )
    axis = axis_of(dim, x)
    lengths = [x.shape[i] if i == axis else n for i, n in enumerate(index.shape)]
    if lengths != list(x.shape):
        x = x[tuple(slice(0, n) for n in lengths)]
    return xp.take_along_axis(x, index, dim)


@op(
    "ops.gather_nd(input_x, indices)",
    "ops.GatherNd()(input_x, indices)",
    "Tensor.gather_nd(indices)",
    compute="native",
)
def gather_nd(xp, input_x: Anything, indices: IndexOfAnyInt):
    """Gathers slices of the input; each row of `indices` is the position of one slice.

    Shapes:
        `input_x` is of any shape; `indices` is (..., K), with K at most the number of axes, or one
        number for one row. The result is (..., *input_x.shape[K:]), of the dtype of `input_x`.

    Example:
        >>> print(ms.ops.gather_nd(ms.Tensor([[1, 2], [3, 4]]), ms.Tensor([[0, 1], [1, 0]])))
        [2 3]
    """
    indices = indices if indices.ndim else xp.reshape(indices, (1,))
    if indices.shape[-1] > input_x.ndim:
        raise ValueError(
            f"For 'gather_nd', 'indices' must hold at most {input_x.ndim} numbers for "
            f"each index, but got shape {tuple(indices.shape)}."
        )
    if not indices.shape[-1]:
        return xp.broadcast_to(input_x, (*indices.shape[:-1], *input_x.shape))
    positions = tuple(indices[..., i] for i in range(indices.shape[-1]))
    return _at(input_x, positions, "gather_nd", "indices")


def _slices_at(xp, api, name, x, positions, axis):
    try:
        return xp.take(x, positions, axis)
    except IndexError as error:
        raise beyond(api, name, error) from error


def _at(x, positions, api, name):
    try:
        return x[positions]
    except IndexError as error:
        raise beyond(api, name, error) from error


def beyond(api, name, error):
    """Returns RuntimeError, which MindSpore's kernels raise for an index out of range unless the
    documentation names another error; for an axis, returns `error`.
    """
    if isinstance(error, ValueError):
        return error
    return RuntimeError(f"For '{api}', '{name}' must lie within the input, but {error}.")
