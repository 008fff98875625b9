"""Rotary position embedding (RoPE): rotates pairs of features by angles that depend on the
position.

MindSpore runs these operators on Ascend only, so its documentation of 2.10 is the reference.
"""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, TensorOf
from .._precision import at_least_float32
from .._rules import Floats


@op(
    "ops.rotary_position_embedding(x, cos, sin, mode=0)",
    "ops.auto_generate.RotaryPositionEmbedding()(x, cos, sin, mode=0)",
    compute="native",
)
def rotary_position_embedding(xp, x: Floats, cos: Floats, sin: Floats, mode: Int = 0):
    """Applies rotary position embedding (RoPE): x * cos + rotated(x) * sin, summed in float32.

    In mode 0, rotated(x) maps feature pairs (a, b) to (-b, a), where a is in the first half of the
    features and b in the second. In mode 1, a and b are neighbours.

    Args:
        x (Tensor): shape (B, N, S, D), D even.
        cos (Tensor): broadcasts against `x`.
        sin (Tensor): of the shape of `cos`.
        mode (int): 0 or 1. Default: 0.

    Shapes:
        `x` is (B, N, S, D) with an even D; `cos` and `sin` are broadcast. The result has the shape
        and dtype of `x`.

    Returns:
        Tensor, of the shape and dtype of `x`.

    Raises:
        TypeError: if an input is not a floating Tensor, or `mode` is not an int.
        ValueError: if `x` does not have 4 axes with the last of even length, or `mode` is neither 0
            nor 1.

    Example:
        >>> x, one = ms.Tensor([[[[1.0, 2.0]]]]), ms.ops.ones((1, 1, 1, 2))
        >>> print(ms.ops.rotary_position_embedding(x, 0 * one, one))
        [[[[-2.  1.]]]]

    Source: mindspore.ops.rotary_position_embedding of MindSpore 2.10.
    """
    api = "rotary_position_embedding"
    if x.ndim != 4 or x.shape[-1] % 2:
        raise ValueError(
            f"For '{api}', 'x' must have 4 axes, the last of even length, but got shape {x.shape}."
        )
    if mode not in (0, 1):
        raise ValueError(f"For '{api}', 'mode' must be 0 or 1, but got {mode}.")
    upcast, half = at_least_float32(xp, x), x.shape[-1] // 2
    if mode == 0:
        rotated = xp.concatenate([-upcast[..., half:], upcast[..., :half]], -1)
    else:
        rotated = xp.reshape(xp.stack([-upcast[..., 1::2], upcast[..., ::2]], -1), x.shape)
    cos, sin = at_least_float32(xp, cos, sin)
    return xp.cast(upcast * cos + rotated * sin, x.dtype)


@op(
    "ops.ApplyRotaryPosEmb(cos_format=0)(query, key, cos, sin, position_ids)",
    "ops.auto_generate.ApplyRotaryPosEmb(cos_format=0)(query, key, cos, sin, position_ids)",
    compute="native",
)
def apply_rotary_pos_emb(
    xp,
    query: Floats,
    key: Floats,
    cos: Floats,
    sin: Floats,
    position_ids: TensorOf(),
    cos_format: Int = 0,
):
    """Applies rotary position embedding (RoPE) to a query and a key: x cos + rotate_half(x) sin.

    If `cos` and `sin` have one row per token or one per position of the sequence, the rows are used
    in order. Otherwise `position_ids` gives the row of each token.

    Args:
        query (Tensor): the number of its features is a multiple of the width of `cos`.
        key (Tensor): as `query`; it may have fewer heads.
        cos (Tensor): the cosines, one row per position.
        sin (Tensor): the sines, one row per position.
        position_ids (Tensor): the row of each token.
        cos_format (int): the layout of `cos` and `sin`. It has no effect, because their shapes show
            it. Default: 0.

    Shapes:
        `query` is (batch, sequence, features) or (batch, heads, sequence, width).

    Returns:
        tuple[Tensor], the rotated query and key.

    Example:
        >>> query, angle = ms.ops.ones((1, 1, 2)), ms.Tensor([[np.pi / 2] * 2], ms.float32)
        >>> rotate = ms.ops.ApplyRotaryPosEmb()
        >>> turned, key = rotate(query, query, angle.cos(), angle.sin(), ms.Tensor([0]))
        >>> print(turned.round())
        [[[-1.  1.]]]

    Source: mindspore.ops.ApplyRotaryPosEmb of MindSpore 2.10.
    """
    return tuple(_rotate(xp, x, cos, sin, position_ids) for x in (query, key))


def _rotate(xp, x, cos, sin, position_ids):
    width = cos.shape[-1]
    cos, sin = (xp.reshape(array, (-1, width)) for array in (cos, sin))
    heads = x
    if x.ndim == 3:
        heads = xp.swapaxes(xp.reshape(x, (*x.shape[:2], -1, width)), 1, 2)
    batch, _, length, _ = heads.shape
    if cos.shape[0] not in (length, batch * length):
        rows = xp.reshape(position_ids, (-1,))
        cos, sin = (xp.getitem(array, (rows,)) for array in (cos, sin))
    cos, sin = (xp.cast(xp.reshape(array, (-1, 1, length, width)), x.dtype) for array in (cos, sin))
    half = width // 2
    rotated = xp.concatenate([-heads[..., half:], heads[..., :half]], -1)
    result = heads * cos + rotated * sin
    return result if x.ndim == 4 else xp.reshape(xp.swapaxes(result, 1, 2), x.shape)
