"""nsa_select_attention: attention to selected blocks of keys.

The blocks selected by a query are gathered first, and then passed to _attention/attention.py as the
keys of that query alone. MindSpore runs this operator on Ascend only, so its documentation of 2.10
is the reference.
"""

from ..._backend.arrays import to_host
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, Int, TensorOf, checked
from ..._core.tensor.dtype import bfloat16, float16
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Ints
from .._shape.join_split import cat
from .attention import attend, attention_extent

_BLOCK = 64  # keys; the only size that MindSpore accepts


def _need_matching_shapes(api, query, key, value, blocks, heads, count):
    """Rejects shapes that do not fit together."""
    if {query.ndim, key.ndim, value.ndim, blocks.ndim} != {3}:
        raise RuntimeError(
            f"For '{api}', all inputs must have 3 axes, but got shapes "
            f"{query.shape}, {key.shape}, {value.shape} and {blocks.shape}."
        )
    if len({query.dtype, key.dtype, value.dtype}) > 1:
        raise RuntimeError(
            f"For '{api}', 'query', 'key' and 'value' must have one dtype, but got "
            f"{query.dtype}, {key.dtype} and {value.dtype}."
        )
    if query.dtype not in (float16, bfloat16):
        raise TypeError(
            f"For '{api}', 'query' must be a Tensor of float16 or bfloat16, but got {query.dtype}."
        )
    if query.shape[1] != heads or heads % key.shape[1]:
        raise RuntimeError(
            f"For '{api}', 'head_num' must be the number of heads of 'query' and "
            f"divisible by that of 'key', but got {heads} for shapes {query.shape} "
            f"and {key.shape}."
        )
    if (
        query.shape[2] != key.shape[2]
        or value.shape[2] > key.shape[2]
        or (key.shape[:2] != value.shape[:2])
    ):
        raise RuntimeError(
            f"For '{api}', 'query' must have as many features as 'key', and 'value' "
            f"the steps and heads of 'key' and no more features, but got shapes "
            f"{query.shape}, {key.shape} and {value.shape}."
        )
    expected_shape = (query.shape[0], key.shape[1], count)
    if blocks.shape != expected_shape:
        raise RuntimeError(
            f"For '{api}', 'topk_indices' must have shape {expected_shape}, but got {blocks.shape}."
        )


def _ranges(api, ends, totals):
    """Returns the start and end of each sequence of queries and keys."""
    for name, sequence_ends, total in zip(("actual_seq_qlen", "actual_seq_kvlen"), ends, totals):
        stops = (
            sorted([0, *sequence_ends]) == [0, *sequence_ends]
            and sequence_ends
            and sequence_ends[-1] == total
        )
        if not stops or len(sequence_ends) != len(ends[0]):
            raise RuntimeError(
                f"For '{api}', '{name}' must grow to {total}, a number for each "
                f"sequence, but got {sequence_ends}."
            )
    starts = [[0, *sequence_ends[:-1]] for sequence_ends in ends]
    return list(
        zip(*(map(slice, start, sequence_ends) for start, sequence_ends in zip(starts, ends)))
    )


def _select(key, value, blocks):
    """Returns the keys and values of the blocks that each query of one sequence attends to, and a
    mask of the positions after the last key.

    Returns:
        keys and values, (queries, heads, blocks * 64, features), and the mask,
        (queries, heads, 1, blocks * 64).
    """
    xp = space_for(blocks._array)
    steps = blocks._array[..., None] * _BLOCK + xp.arange(_BLOCK)
    steps = steps.reshape((*blocks.shape[:2], -1))
    beyond = steps >= key.shape[0]
    at = Tensor._wrap(xp.where(beyond, 0, steps))
    head = Tensor._wrap(xp.arange(key.shape[1])[None, :, None])
    return key[at, head], value[at, head], Tensor._wrap(beyond[:, :, None])


@public("ops.nsa_select_attention")
@checked
def nsa_select_attention(
    query: Anything,
    key: Anything,
    value: Anything,
    topk_indices: TensorOf("int32"),
    scale_value: Float,
    head_num: Int,
    select_block_size: Int,
    select_block_count: Int,
    *,
    atten_mask: Anything = None,
    actual_seq_qlen: Ints,
    actual_seq_kvlen: Ints,
):
    """Computes attention of each query to the blocks of 64 keys selected for it.

    A block that is listed twice counts twice. The result is computed in float32.

    Args:
        query (Tensor): shape (T1, N1, D1), where T1 is the number of steps of all joined sequences;
            float16 or bfloat16.
        key (Tensor): shape (T2, N2, D1), N2 a divisor of N1.
        value (Tensor): shape (T2, N2, D2), D2 at most D1.
        topk_indices (Tensor): the blocks that each query attends to, as indices within its
            sequence, int32, shape (T1, N2, select_block_count).
        scale_value (float): the factor of the products of queries and keys.
        head_num (int): N1.
        select_block_size (int): must be 64.
        select_block_count (int): the number of blocks that each query attends to.
        atten_mask (Tensor): reserved; must be None.
        actual_seq_qlen (Union[tuple[int], list[int]]): the end of each sequence of queries.
        actual_seq_kvlen (Union[tuple[int], list[int]]): the end of each sequence of keys.

    Returns:
        tuple[Tensor]: the attention, (T1, N1, D2); the largest score of each query; and the sum of
        exponentials relative to it. The last two are float32, (T1, N1, 8), with each value repeated
        eight times.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `select_block_size` is not 64, or `atten_mask` is given.
        RuntimeError: if shapes, dtypes, lengths or blocks do not fit.

    Example:

    Source: mindspore.ops.nsa_select_attention of MindSpore 2.10.
    """
    api = "nsa_select_attention"
    if select_block_size != _BLOCK or atten_mask is not None:
        raise ValueError(
            f"For '{api}', 'select_block_size' must be {_BLOCK} and 'atten_mask' "
            f"None, but got {select_block_size} and {atten_mask!r}."
        )
    _need_matching_shapes(api, query, key, value, topk_indices, head_num, select_block_count)
    ends = (list(actual_seq_qlen), list(actual_seq_kvlen))
    parts = []
    for rows, columns in _ranges(api, ends, (query.shape[0], key.shape[0])):
        blocks = topk_indices[rows]
        most = -(-(columns.stop - columns.start) // _BLOCK)
        numbers = to_host(blocks._array)
        if numbers.size and (numbers.min() < 0 or numbers.max() > most):
            raise RuntimeError(
                f"For '{api}', 'topk_indices' must be in [0, {most}], but got "
                f"values from {numbers.min()} to {numbers.max()}."
            )
        parts.append(_of_sequence(query[rows], key[columns], value[columns], blocks, scale_value))
    return tuple(
        column[0] if len(column) == 1 else cat.run(list(column), 0) for column in zip(*parts)
    )


def _of_sequence(query, key, value, blocks, scale):
    """Computes the attention of one sequence; the query heads that share a key head become queries
    of `attend`."""
    steps, heads, features = query.shape
    keys, values, beyond = _select(key, value, blocks)
    groups = query.reshape((steps, key.shape[1], -1, features))
    out = attend.run(groups, keys, values, None, beyond, None, float(scale))
    extent = attention_extent.run(groups, keys, None, beyond, float(scale))
    repeated = [x.reshape((steps, heads, 1)).broadcast_to((steps, heads, 8)) for x in extent]
    return out.reshape((steps, heads, value.shape[-1])), *repeated
