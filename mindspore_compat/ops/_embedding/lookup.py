"""Embedding lookups, which select rows of tables by index: EmbeddingLookup, embedding."""

from ..._backend.arrays import SPACES, extremes
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, InTensor, checked
from .._reduction import norm
from .._rules import Anything, Index


@op("ops.EmbeddingLookup()(input_params, input_indices, offset)", compute="native")
def embedding_lookup(xp, input_params: Anything, input_indices: Index, offset: InTensor(Int)):
    """Looks up the rows of a table at the indices minus `offset`; rows that do not exist are zeros.

    Shapes:
        `input_params` has at least one axis, `input_indices` any shape of integers. The result is
        (*input_indices.shape, *input_params.shape[1:]), of the dtype of `input_params`.

    Example:
        >>> print(ms.ops.EmbeddingLookup()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]),
        ...                                ms.Tensor([1, 2, 5]), 1))
        [[1. 2.]
         [3. 4.]
         [0. 0.]]
    """
    if input_params.ndim > 2:
        raise ValueError(
            f"For 'EmbeddingLookup', 'input_params' must have at most two axes, but got "
            f"{input_params.shape}."
        )
    indices = input_indices - offset
    inside = (indices >= 0) & (indices < input_params.shape[0])
    if not input_params.shape[0]:
        return xp.zeros(indices.shape + input_params.shape[1:], input_params.dtype)
    rows = xp.take(input_params, xp.where(inside, indices, 0), 0)
    mask = xp.reshape(inside, inside.shape + (1,) * (input_params.ndim - 1))
    return xp.where(mask, rows, xp.zeros_like(rows))


@op("ops.SparseGatherV2()(input_params, input_indices, axis)", compute="native")
def sparse_gather_v2(xp, input_params: Anything, input_indices: Index, axis: Int):
    """Takes slices of the input at the indices along an axis.

    Shapes:
        `input_params` has at least one axis, `input_indices` any shape of integers. In the result
        the axes of `input_indices` replace `axis`. The result has the dtype of `input_params`.

    Example:
        >>> print(ms.ops.SparseGatherV2()(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([1, 1]),
        ...                               0))
        [[3. 4.]
         [3. 4.]]
    """
    return xp.take(input_params, input_indices, axis)


@op(compute="native")
def rows_of(xp, weight: Anything, input: Index, padding: Int | None = None, scaled: Bool = False):
    """Returns the rows of a table at the given indices."""
    return xp.take(weight, input, 0)


def _rows_vjp(xp, g, weight_shape, input, padding, scaled):
    """Sums the gradients of equal indices, 0 for the padding index; divides by the number of
    occurrences if `scaled`.
    """
    if padding is not None:
        g = xp.where(xp.expand_dims(input == padding, -1), 0 * g, g)
    if scaled:
        flat = xp.ravel(input)
        counts = xp.sum(flat[:, None] == flat[None, :], 1)
        g = g / xp.expand_dims(xp.cast(xp.reshape(counts, input.shape), g.dtype), -1)
    return xp.segment_sum(input, g, weight_shape[0])


rows_of.vjp(weight=_rows_vjp)


@public("ops.embedding", "mint.nn.functional.embedding")
@checked
def embedding(
    input: Index,
    weight: Anything,
    padding_idx: Int = None,
    max_norm: Float = None,
    norm_type: Float = 2.0,
    scale_grad_by_freq: Bool = False,
):
    """Looks up the rows of `weight` at the indices in `input` (an embedding).

    Args:
        input (Tensor): int32 or int64 indices.
        weight (Tensor): the table, one row per index.
        padding_idx (int): an index whose row gets no gradient.
        max_norm (float): rows of `weight` with a larger norm are scaled to this norm in place.
        norm_type (float): the order p of the p-norm.
        scale_grad_by_freq (bool): whether the gradient of a row is divided by the number of times
            that its index occurs.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `weight` does not have two axes, or `padding_idx` is out of range.
        IndexError: if an index is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.embedding(ms.Tensor([1, 0]),
        ...                        ms.Parameter(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))))
        [[3. 4.]
         [1. 2.]]

    Source: mindspore.ops.embedding of MindSpore 2.10.
    """
    if weight.ndim != 2:
        raise ValueError(f"For 'embedding', 'weight' must have two axes, but got {weight.shape}.")
    count = weight.shape[0]
    if padding_idx is not None and not -count <= padding_idx < count:
        raise ValueError(
            f"For 'embedding', 'padding_idx' must be in [{-count}, {count}), but got {padding_idx}."
        )
    indices = input._array
    if type(indices) in SPACES and indices.size:  # not a Batch
        low, high = extremes(indices)
        if low < 0 or high >= count:
            raise IndexError(f"For 'embedding', 'input' must be in [0, {count}).")
    if max_norm is not None:
        _shorten(weight._array, indices, max_norm, norm_type)
    padding = None if padding_idx is None else padding_idx % count
    return rows_of.run(weight, input, padding, scale_grad_by_freq)


def _shorten(table, indices, longest, order):
    """Scales the rows at the indices down to a maximum norm, in place."""
    xp = space_for(table)
    rows_used = xp.unique(indices)
    rows = table[rows_used]
    size = norm._vector_norm(xp, rows, order, -1, True)
    table[rows_used] = rows * xp.where(size > longest, longest / (size + 1e-7), 1)
