"""Cosine similarity, and the embedding loss based on it."""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, Bool, Float, Int, InTensor, ListOf, Number, TupleOf
from ..._core.tensor.promotion import promote_low_precision_np
from .._reduction.norm import norm
from .._rules import Floats, Numbers, NumbersOrBools
from .reduction import Reduced, Reduction, need_broadcast, need_shape, reduced


def _cosine(xp, a, b, axis, eps):
    """Computes the inner product divided by the product of the norms, which is at least `eps`."""
    if isinstance(axis, int):
        x_norm, y_norm = (xp.safe_sqrt(xp.sum_of_squares(v, axis)) for v in (a, b))
    else:
        x_norm, y_norm = (norm.body(xp, v, 2, axis, False) for v in (a, b))
    return xp.sum(a * b, axis) / xp.maximum(x_norm * y_norm, eps)


@op(
    "ops.cosine_similarity(x1, x2, dim=1, eps=1e-08)",
    types=Promote("x1 x2", promote=promote_low_precision_np),
    quirks=Quirks(shapes_first=True),
)
def cosine_similarity(
    xp,
    x1: Floats,
    x2: Floats,
    dim: Int | TupleOf(Int) | ListOf(Int) | None = 1,
    eps: InTensor(AsValue(Number, Bool | None)) = 1e-8,
):
    """Computes the cosine similarity of `x1` and `x2` along `dim`: their inner product divided by
    the product of their norms, sum(x1 x2) / max(norm(x1) norm(x2), eps).

    Over two axes, or over a whole matrix if `dim` is None, the norms are the largest singular
    values.

    Shapes:
        The shapes of `x1` and `x2` are broadcast. The result is the broadcast shape without `dim`.

    Example:
        >>> print(ms.ops.cosine_similarity(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])))
        [0.70710677]
    """
    need_broadcast("cosine_similarity", "x1", "x2", x1, x2)
    return _cosine(xp, x1, x2, dim, eps)


def _by_cosine(xp, x1, x2, target, margin, reduction, axis):
    """Computes 1 - cosine for similar pairs (target 1), and max(0, cosine - margin) for dissimilar
    pairs (-1).
    """
    # The product of the sums of squares would overflow or underflow; that of their roots does not.
    x1_norm, x2_norm = (xp.sqrt(xp.sum_of_squares(x, axis) + 1e-12) for x in (x1, x2))
    cosine = xp.sum(x1 * x2, axis) / (x1_norm * x2_norm)
    apart = xp.maximum(cosine - margin, 0)
    loss = xp.where(target == 1, 1 - cosine, 0) + xp.where(target == -1, apart, 0)
    return reduced(xp, xp.cast(loss, x1.dtype), reduction)


@op(
    "ops.cosine_embedding_loss(input1, input2, target, margin=0.0, reduction='mean')",
    types=SameDtype("input1 input2"),
)
def cosine_embedding_loss(
    xp,
    input1: Floats,
    input2: Floats,
    target: NumbersOrBools,
    margin: Number(ge=-1.0, le=1.0) | Bool = 0.0,
    reduction: Reduced = "mean",
):
    """Computes the cosine embedding loss: 1 - cos for pairs with target 1, and max(0, cos - margin)
    for pairs with target -1, with the cosine along axis 1.

    Shapes:
        `input1` and `input2` are (N, D, ...), `target` is (N, ...). The result is (), or the shape
        of `target` for `reduction` "none".

    Example:
        >>> print(ms.ops.cosine_embedding_loss(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]]),
        ...                                    ms.Tensor([-1])))
        0.70710677
    """
    need_broadcast("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != (input1.shape[0], *input1.shape[2:]):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape "
            f"{(input1.shape[0], *input1.shape[2:])}, but got {tuple(target.shape)}."
        )
    return _by_cosine(xp, input1, input2, target, margin, reduction, 1)


@op(
    "mint.nn.functional.cosine_embedding_loss(input1, input2, target, margin=0.0, "
    "reduction='mean')",
    "mint.nn.CosineEmbeddingLoss(margin=0.0, reduction='mean')(input1, input2, target)",
)
def cosine_embedding_loss_ext(
    xp,
    input1: Floats,
    input2: Floats,
    target: Numbers,
    margin: Float = 0.0,
    reduction: Reduction = "mean",
):
    """Computes the cosine embedding loss: 1 - cos for pairs with target 1, and max(0, cos - margin)
    for pairs with target -1, with the cosine along the last axis.

    Shapes:
        `input1` and `input2` are (N, D) or (D,), `target` is (N,) or (). The result is (), or the
        shape of `target` for `reduction` "none".

    Example:
        >>> x, y = ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])
        >>> print(ms.mint.nn.functional.cosine_embedding_loss(x, y, ms.Tensor([-1])))
        0.70710677
    """
    need_shape("cosine_embedding_loss", "input1", "input2", input1, input2)
    if tuple(target.shape) != tuple(input1.shape[:-1]) or input1.ndim not in (1, 2):
        raise ValueError(
            f"For 'cosine_embedding_loss', 'target' must have shape {tuple(input1.shape[:-1])}, "
            f"but got {tuple(target.shape)}."
        )
    return _by_cosine(xp, input1, input2, target, margin, reduction, -1)
