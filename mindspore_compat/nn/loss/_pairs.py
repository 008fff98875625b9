"""Margin losses between two or three Tensors: ranks, cosines and triplets."""

import numpy

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Float, Int, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ._base import LossBase
from ._distances import Anything, _need_tensors


@public("nn.MarginRankingLoss")
class MarginRankingLoss(LossBase):
    """Margin ranking loss: max(0, -target (input1 - input2) + margin), for targets 1 and -1.

    Args:
        margin (float): the margin.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **input1**, **input2**, **target** (Tensor): of the same shape and dtype.

    Outputs:
        Tensor in their dtype: of the shape of the inputs for "none", otherwise of shape ().

    Raises:
        TypeError: if `margin` is not a float, or an input not a Tensor, or dtypes differ.
        ValueError: if `reduction` is invalid.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MarginRankingLoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([0.5, 3.0]),
        ...                                 ms.Tensor([1.0, 1.0])))
        0.5
    """

    @checked
    def __init__(self, margin: Float = 0.0, reduction: Any = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, input1, input2, target):
        """Returns the loss of `input1`, `input2` and `target`."""
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


@public("nn.CosineEmbeddingLoss")
class CosineEmbeddingLoss(LossBase):
    """Cosine embedding loss: 1 - cosine for pairs labelled 1, and max(0, cosine - margin) for pairs
    labelled -1.

    Args:
        margin (float): the margin, in [-1, 1].
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits_x1**, **logits_x2** (Tensor): of the same shape and dtype; vectors are along axis
          1.
        - **labels** (Tensor): in that shape without axis 1, or in one that broadcasts with it.

    Outputs:
        Tensor in the dtype of `logits_x1`: of the broadcast shape of `labels` and the
        cosines for "none", otherwise of shape ().

    Raises:
        TypeError: if `margin` is not a float, or the dtypes differ.
        ValueError: if `margin` is out of range, `reduction` invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.CosineEmbeddingLoss()(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]]),
        ...                                   ms.Tensor([-1])))
        0.70710677
    """

    @checked
    def __init__(self, margin: Float(ge=-1.0, le=1.0) = 0.0, reduction: Any = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits_x1, logits_x2, labels):
        """Returns the loss of `logits_x1`, `logits_x2` and `labels`."""
        _need_tensors(logits_x1, logits_x2)
        if logits_x1.dtype != logits_x2.dtype:
            raise TypeError(
                f"For 'CosineEmbeddingLoss', 'logits_x1' and 'logits_x2' must have the "
                f"same dtype, but got {logits_x1.dtype} and {logits_x2.dtype}."
            )
        if logits_x1.shape != logits_x2.shape:
            raise ValueError(
                f"For 'CosineEmbeddingLoss', 'logits_x1' and 'logits_x2' must have the "
                f"same shape, but got {logits_x1.shape} and {logits_x2.shape}."
            )
        _need_tensors(logits_x1, labels)
        pairs = [_broadcast_pairs(x, labels) for x in (logits_x1, logits_x2)]
        shape = pairs[0].shape[:1] + pairs[0].shape[2:]
        labels = labels if labels.shape == shape else ops.broadcast_to(labels, shape)
        return ops.cosine_embedding_loss(*pairs, labels, self.margin, self.reduction)


def _broadcast_pairs(x, labels):
    """Returns vectors (along axis 1) broadcast to the shape of their labels."""
    shape = x.shape[:1] + x.shape[2:]
    if labels.shape == shape:
        return x
    try:
        whole = numpy.broadcast_shapes(labels.shape, shape)
    except ValueError:
        raise ValueError(
            f"For 'CosineEmbeddingLoss', 'labels' must have a shape that broadcasts with {shape}, "
            f"but got {labels.shape}."
        ) from None
    if whole == shape:
        return x
    return ops.moveaxis(ops.broadcast_to(ops.moveaxis(x, 1, -1), (*whole, x.shape[1])), -1, 1)


@public("nn.TripletMarginLoss")
class TripletMarginLoss(LossBase):
    """Triplet margin loss: max(0, d(x, positive) - d(x, negative) + margin), where d is the p-norm
    of the difference.

    Args:
        p (int): the degree of the norm.
        swap (bool): whether d(x, negative) is replaced by d(positive, negative) if that is smaller.
        eps (float): added to differences.
        reduction (str): 'none', 'mean' or 'sum'.
        margin (Union[Tensor, float]): the margin.

    Inputs:
        - **x**, **positive**, **negative** (Tensor): of one dtype and of shapes that broadcast.
        - **margin** (Union[Tensor, float]): the margin of this call; used if the layer's margin is
          1.0.

    Outputs:
        Tensor of float32, or float64 for float64: of the broadcast shape without axis 1 for "none",
        otherwise of shape ().

    Raises:
        TypeError: if `p` is not an int, `eps` not a float, `swap` not a bool, or dtypes differ.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.TripletMarginLoss()(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]),
        ...                                 ms.Tensor([[1.0, 0.0]])))
        4.9999995
    """

    @checked
    def __init__(
        self,
        p: Int = 2,
        swap: Bool = False,
        eps: Float = 1e-06,
        reduction: Any = "mean",
        margin: Float | Anything = 1.0,
    ):
        super().__init__(reduction)
        self.p = p
        self.swap = swap
        self.eps = eps
        self.margin = margin

    @checked
    def construct(self, x, positive, negative, margin: Float | Anything = 1.0):
        """Returns the loss of `x`, `positive`, `negative` and `margin`."""
        margin = margin if isinstance(self.margin, float) and self.margin == 1.0 else self.margin
        if isinstance(margin, float):
            margin = Tensor(margin, float32)
        layer = ops.TripletMarginLoss(self.p, self.swap, self.eps, self.reduction)
        return layer(x, positive, negative, margin)


@public("nn.TripletMarginWithDistanceLoss")
class TripletMarginWithDistanceLoss(LossBase):
    """Triplet margin loss with a custom distance d: max(0, d(x, positive) - d(x, negative) +
    margin).

    Args:
        distance_function (callable): the distance of two Tensors; by default the length of their
            difference along axis 1.
        swap (bool): whether d(x, negative) is replaced by d(positive, negative) if that is smaller.
        reduction (str): 'none', 'mean' or 'sum'.
        margin (float): the margin.

    Inputs:
        - **x**, **positive**, **negative** (Tensor): of shapes that broadcast.

    Outputs:
        Tensor in the dtype that the distance gives: of its shape for "none", otherwise of shape ().

    Raises:
        TypeError: if `swap` is not a bool, `margin` not a float, or an input not a Tensor.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> loss = ms.nn.TripletMarginWithDistanceLoss()
        >>> print(loss(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[3.0, 4.0]]), ms.Tensor([[1.0, 0.0]])))
        5.0
    """

    @checked
    def __init__(
        self,
        distance_function=None,
        swap: Bool = False,
        reduction: Any = "mean",
        margin: Float = 1.0,
    ):
        super().__init__(reduction)
        self.distance_function = _length if distance_function is None else distance_function
        self.swap = swap
        self.margin = margin

    @checked
    def construct(self, x: Anything, positive: Anything, negative: Anything):
        """Returns the loss of `x`, `positive` and `negative`."""
        near = self.distance_function(x, positive)
        far = self.distance_function(x, negative)
        if self.swap:
            far = ops.minimum(far, self.distance_function(positive, negative))
        return self.get_loss(ops.maximum(near - far + self.margin, 0))


def _length(a, b):
    """Returns the Euclidean length of the difference along axis 1."""
    if a.ndim < 2 and b.ndim < 2:
        raise ValueError(
            f"For 'TripletMarginWithDistanceLoss', the inputs must have 2 or more "
            f"axes, but got shapes {a.shape} and {b.shape}."
        )
    return ops.norm(a - b, dim=1)
