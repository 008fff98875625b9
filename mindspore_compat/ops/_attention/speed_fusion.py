"""speed_fusion_attention: the attention of _attention/flash.py with built-in dropout and ALiBi.

Layouts, masks and joined sequences are handled there, as for flash_attention_score. MindSpore runs
this operator on Ascend only, so its documentation of 2.10 is the reference.
"""

import math

from ..._backend.random import streams
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, OneDtype, OneOf, TensorOf, checked
from ..._core.rules.vocabulary import any_dtype as anything
from ..._core.tensor.tensor import Tensor
from .._rules import FloatsUpTo32, Ints
from .flash import Mask, _Call, _lengths, _need_no_padding
from .flash_masks import ALL_TOKENS
from .head_layouts import Layout

_SCALED, _GIVEN, _LINEAR, _ROOT = 1, 0, 2, 3  # the values of `pse_type`


class _Speed(_Call):
    """A call that drops weights at random, and whose shift may be given as the slopes of ALiBi."""

    mask_name, shift_name = "atten_mask", "pse"

    def __init__(self, *args, pse_type, origin):
        super().__init__(*args, shift_first=pse_type == _SCALED)
        self.pse_type = pse_type
        self.origin = origin
        self.drawn = 0

    def _dropout_bits(self, drop_mask, shape):
        if self.keep_prob == 1:
            return None
        xp = self.space
        self.drawn += math.prod(shape)
        return Tensor._wrap(xp.random_bits(shape, self.keep_prob))

    def _shift(self, shift, sizes):
        if self.pse_type in (_SCALED, _GIVEN):
            return super()._shift(shift, sizes)
        batch, heads, groups, queries, keys = sizes
        if shift.shape not in ((heads,), (batch, heads)):
            raise ValueError(
                f"For '{self.api}', 'pse' must have shape ({heads},) or ({batch}, {heads}) where "
                f"'pse_type' is {self.pse_type}, but got {shift.shape}."
            )
        xp = self.space
        ahead = xp.arange(keys)[None, :] - xp.arange(queries)[:, None] - self.origin
        distance = xp.abs(xp.cast(ahead, "float32"))
        distance = xp.sqrt(distance) if self.pse_type == _ROOT else distance
        slopes = shift.reshape((-1, groups, heads // groups, 1, 1))
        return slopes * Tensor._wrap(-distance)

    def _shift_of(self, at, shift, ranges):
        if self.pse_type in (_SCALED, _GIVEN):
            return super()._shift_of(at, shift, ranges)
        if shift.ndim == 2 and shift.shape[0] == len(ranges):
            return shift[at : at + 1]
        return shift


@public("ops.speed_fusion_attention")
@checked(OneDtype("query key value"))
def speed_fusion_attention(
    query: FloatsUpTo32,
    key: FloatsUpTo32,
    value: FloatsUpTo32,
    head_num: Int,
    input_layout: Layout,
    *,
    pse: FloatsUpTo32 = None,
    padding_mask: TensorOf(anything) = None,
    atten_mask: Mask = None,
    scale: Float = 1.0,
    keep_prob: Float(gt=0.0, le=1.0) = 1.0,
    pre_tokens: Int = ALL_TOKENS,
    next_tokens: Int = ALL_TOKENS,
    inner_precise: Int = 0,
    prefix: Ints = None,
    actual_seq_qlen: Ints = None,
    actual_seq_kvlen: Ints = None,
    sparse_mode: OneOf(0, 1, 2, 3, 4, 5) = 0,
    gen_mask_parallel: Bool = True,
    sync: Bool = False,
    pse_type: OneOf(0, 1, 2, 3) = 1,
    q_start_idx: Ints = None,
    kv_start_idx: Ints = None,
):
    """Computes multi-head attention with dropout of the weights: softmax(scores) @ value.

    If `pse_type` is 1, the scores are scale * (query @ key.T + pse), otherwise scale * query @
    key.T + pse. Shapes and sequences are those of `ops.flash_attention_score`: B is the number of
    batches, N1 of query heads, S1 of queries, S2 of keys. The output of a query that may not attend
    to any key is 0.

    Args:
        query (Tensor): float16, bfloat16 or float32.
        key (Tensor): of the dtype of `query`.
        value (Tensor): of the shape and dtype of `key`.
        head_num (int): N1.
        input_layout (str): "BSH", "BNSD", "SBH", "BSND" or "TND".
        pse (Tensor): added to the scores, of the dtype of `query`, shape (B, N1, S1, S2) or (1, N1,
            S1, S2), or the last 1024 rows of a causal shift. If `pse_type` is 2 or 3: the slopes of
            ALiBi, float32, shape (B, N1) or (N1,). Default: None.
        padding_mask (Tensor): reserved; must be None.
        atten_mask (Tensor): true or 1 where a key must not be attended to; bool or uint8.
        scale (float): the factor of the products of queries and keys. Default: 1.0.
        keep_prob (float): the probability that dropout keeps a weight, in (0, 1]. Default: 1.0.
        pre_tokens (int): how many keys before its own position a query attends to; for modes 0
            (with a mask) and 4.
        next_tokens (int): how many keys after its own position a query attends to.
        inner_precise (int): reserved.
        prefix (Union[tuple[int], list[int]]): for mode 5, the number of leading keys of each batch
            that every query attends to.
        actual_seq_qlen (Union[tuple[int], list[int]]): the end of each sequence of queries, for
            "TND".
        actual_seq_kvlen (Union[tuple[int], list[int]]): the end of each sequence of keys.
        sparse_mode (int): which keys a query attends to, as in `ops.flash_attention_score`.
            Default: 0.
        gen_mask_parallel (bool): for debugging; without effect.
        sync (bool): for debugging; without effect.
        pse_type (int): 0 if `pse` is added after scaling, 1 if before; 2 for a shift of minus the
            slope times the distance of key and query, 3 for minus the slope times the root of the
            distance. Default: 1.
        q_start_idx (Union[tuple[int], list[int]]): one int, the number of positions by which the
            diagonal of distance 0 is moved up from the upper left corner, for types 2 and 3.
            Default: None.
        kv_start_idx (Union[tuple[int], list[int]]): one int, added to `q_start_idx`. Default: None.

    Returns:
        tuple[Tensor] of seven: the attention, of the shape and dtype of `query`; the largest score
        of each query and the sum of exponentials relative to it, float32, shape (B, N1, S1, 8), or
        (T1, N1, 8) for joined sequences, with each value repeated eight times; an empty Tensor; and
        three int64 0-D Tensors: the seed and the offset of the generator that drew the
        dropout mask, and the number of elements of the mask, 0 without dropout.

    Raises:
        TypeError: if a dtype is not one of those listed, dtypes differ, or an argument has the
            wrong type.
        ValueError: if `input_layout`, `sparse_mode` or `pse_type` is unknown, `keep_prob` is out of
            range, lengths or slopes do not fit, or the band is empty.
        RuntimeError: if heads or other shapes do not fit.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat import Tensor, ops
        >>> x = Tensor(np.ones((2, 4, 64), np.float16))
        >>> print(ops.speed_fusion_attention(x, x, x, 4, "BSH")[0].shape)
        (2, 4, 64)

    Source: mindspore.ops.speed_fusion_attention of MindSpore 2.10; ALiBi: Press, Smith and Lewis,
    Train Short, Test Long, 2022.
    """
    api = "speed_fusion_attention"
    _need_no_padding(api, padding_mask)
    _need_shift(api, query, pse, pse_type)
    starts = _start(api, "q_start_idx", q_start_idx) + _start(api, "kv_start_idx", kv_start_idx)
    reach = (pre_tokens, next_tokens)
    call = _Speed(
        api,
        head_num,
        keep_prob,
        scale,
        reach,
        input_layout,
        sparse_mode,
        pse_type=pse_type,
        origin=starts,
    )
    call.space = space_for(query._array)
    lengths = _lengths(actual_seq_qlen, actual_seq_kvlen)
    state = streams.default.state()
    out, parts = call.run(query, key, value, pse, None, atten_mask, prefix, lengths)
    unused = Tensor._wrap(call.space.zeros((0,), query._array.dtype))
    state_tensors = [Tensor._wrap(call.space.asarray(n, "int64")) for n in (*state, call.drawn)]
    return (out, *call.extent(parts), unused, *state_tensors)


def _need_shift(api, query, pse, pse_type):
    """Rejects a shift of the wrong dtype, or missing slopes."""
    if pse_type in (_LINEAR, _ROOT):
        if pse is None or str(pse.dtype) != "Float32":
            raise TypeError(
                f"For '{api}', 'pse' must be a Tensor of dtype float32 where 'pse_type' is "
                f"{pse_type}, but got {None if pse is None else pse.dtype}."
            )
    elif pse is not None and pse.dtype != query.dtype:
        raise TypeError(
            f"For '{api}', 'pse' must have the dtype of 'query', {query.dtype}, but got "
            f"{pse.dtype}."
        )


def _start(api, name, values):
    if values is None:
        return 0
    if len(values) != 1:
        raise ValueError(f"For '{api}', '{name}' must hold one int, but got {values}.")
    return values[0]
