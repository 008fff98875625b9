"""nsa_compress: compressed keys for native sparse attention.

MindSpore runs this operator on Ascend only, so its documentation of 2.10 is the reference. Sparse
attention to selected keys is in _attention/sparse_flash.py.
"""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, ListOf, TupleOf
from .._precision import at_least_float32
from .._rules import HalfPrecision


@op(
    "ops.nsa_compress(input, weight, compress_block_size, compress_stride, *, actual_seq_len)",
    types=SameDtype("input weight"),
    compute="native",
)
def nsa_compress(
    xp,
    input: HalfPrecision,
    weight: HalfPrecision,
    compress_block_size: Int,
    compress_stride: Int,
    actual_seq_len: TupleOf(Int) | ListOf(Int),
):
    """Compresses windows of tokens by weighted sums: out[j] = sum over i of weight[i] *
    input[stride * j + i].

    A window never crosses the end of a sequence. The windows of all sequences are joined in order.

    Args:
        input (Tensor): the tokens of all sequences, shape (T, N, D) for N heads, at most 128, and D
            features, a multiple of 16 up to 256; float16 or bfloat16.
        weight (Tensor): shape (compress_block_size, N), of the dtype of `input`.
        compress_block_size (int): the length of a window, a multiple of 16 in [16, 128].
        compress_stride (int): the distance of successive windows, a multiple of 16 in [16,
            compress_block_size].
        actual_seq_len (Union[tuple[int], list[int]]): the end of each sequence; the last one is T.

    Shapes:
        `input` is (T, N, D), `weight` is (compress_block_size, N). The result is (windows, N, D),
        of the same dtype.

    Returns:
        Tensor, shape (windows, N, D); a sequence of L tokens has max(0, 1 + (L -
        compress_block_size) // compress_stride) windows.

    Raises:
        TypeError: if a dtype is not one of those listed, or an argument has the wrong type.
        RuntimeError: if a shape, a size or `actual_seq_len` is not as described.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.ones((48, 2, 16), np.float16))
        >>> weight = Tensor(np.full((16, 2), 0.5, np.float16))
        >>> print(ops.nsa_compress(x, weight, 16, 16, actual_seq_len=(40, 48))[:, 0, 0])
        [8. 8.]

    Source: mindspore.ops.nsa_compress of MindSpore 2.10.
    """
    _need_windows(input, weight, compress_block_size, compress_stride, actual_seq_len)
    firsts = xp.asarray(_firsts(compress_block_size, compress_stride, actual_seq_len), "int64")
    x, table = at_least_float32(xp, input, weight)
    out = xp.zeros((firsts.shape[0], *input.shape[1:]), x.dtype)
    for i in range(compress_block_size):
        out = out + xp.getitem(x, (firsts + i,)) * xp.expand_dims(table[i], -1)
    return xp.cast(out, input.dtype)


@nsa_compress.vjp_joint
def nsa_compress_vjp(xp, g, input, weight, compress_block_size, compress_stride, actual_seq_len):
    """Returns the gradients of tokens and weights: a token's is the sum over the windows that
    contain it."""
    g, x, table = at_least_float32(xp, g, input, weight)
    firsts = xp.asarray(_firsts(compress_block_size, compress_stride, actual_seq_len), "int64")
    sums = [xp.sum(g * xp.getitem(x, (firsts + i,)), (0, 2)) for i in range(compress_block_size)]
    counts = _window_counts(compress_block_size, compress_stride, actual_seq_len)
    tokens = xp.arange(x.shape[0])
    sequence = xp.searchsorted(xp.asarray(list(actual_seq_len), "int64"), tokens, side="right")
    starts, counts, before = (
        xp.take(xp.asarray(array, "int64"), sequence)
        for array in (
            [0, *actual_seq_len[:-1]],
            counts,
            [sum(counts[:i]) for i in range(len(counts))],
        )
    )
    at = tokens - starts
    to_x = xp.zeros(x.shape, x.dtype)
    for m in range(-(-compress_block_size // compress_stride)):
        window = at // compress_stride - m
        within = at - window * compress_stride
        real = (window >= 0) & (window < counts) & (within < compress_block_size)
        if firsts.shape[0]:
            flow = xp.getitem(g, (xp.where(real, before + window, 0),))
            part = xp.getitem(table, (xp.where(real, within, 0),))
            to_x = to_x + xp.where(real[:, None, None], flow * xp.expand_dims(part, -1), 0)
    return to_x, xp.stack(sums)


def _window_counts(block, stride, ends):
    """Returns the number of windows of each sequence."""
    return [
        max(0, 1 + (end - start - block) // stride) for start, end in zip([0, *ends[:-1]], ends)
    ]


def _firsts(block, stride, ends):
    """Returns the first position of each window."""
    counts = _window_counts(block, stride, ends)
    return [
        start + stride * j for start, count in zip([0, *ends[:-1]], counts) for j in range(count)
    ]


def _need_windows(x, weight, block, stride, ends):
    """Checks the documented limits of windows."""
    fault = None
    if x.ndim != 3 or weight.ndim != 2:
        fault = "'input' must have 3 axes and 'weight' 2", f"shapes {x.shape} and {weight.shape}"
    elif weight.shape != (block, x.shape[1]):
        fault = f"'weight' must have shape ({block}, {x.shape[1]})", weight.shape
    elif x.shape[2] % 16 or x.shape[2] > 256 or not 1 <= x.shape[1] <= 128:
        fault = "'input' must have 1 to 128 heads of 16, 32, ... or 256 features", x.shape
    elif block % 16 or not 16 <= block <= 128:
        fault = "'compress_block_size' must be a multiple of 16 in [16, 128]", block
    elif stride % 16 or not 16 <= stride <= block:
        fault = f"'compress_stride' must be a multiple of 16 in [16, {block}]", stride
    elif not ends or min(ends) < 1 or sorted(ends) != list(ends) or ends[-1] != x.shape[0]:
        fault = f"'actual_seq_len' must be above 0 and grow to {x.shape[0]}", ends
    if fault:
        raise RuntimeError(f"For 'nsa_compress', {fault[0]}, but got {fault[1]}.")
