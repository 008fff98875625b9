"""Regression losses: distances, divergences and margins between Tensors."""

import math

import numpy

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    Number,
    OneOf,
    Str,
    TensorOf,
    any_dtype,
    checked,
)
from ..._core.tensor.dtype import float32, promote
from ..._core.tensor.tensor import Tensor
from ._base import LossBase

Anything = TensorOf(any_dtype)
Divided = OneOf("none", "mean", "batchmean", "sum")


@checked
def _need_tensors(logits: Anything, labels: Anything):
    """Raises TypeError unless both inputs are Tensors."""


# Distances ----------------------------------------------------------------------------------------


@public("nn.L1Loss")
class L1Loss(LossBase):
    """L1 loss (mean absolute error): |logits - labels|.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): of shapes that broadcast.

    Raises:
        ValueError: if `reduction` is another value, or the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.L1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.l1_loss(logits, labels, self.reduction)


@public("nn.L1LossExt", "mint.nn.L1Loss")
class L1LossExt(LossBase):
    """L1 loss (mean absolute error): |logits - labels|; see L1Loss.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.L1LossExt()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """

    def construct(self, input, target):
        """Returns the loss of the predictions `input` for `target`."""
        return ops.l1_loss(input, target, self.reduction)


@public("nn.MAELoss")
class MAELoss(LossBase):
    """Mean absolute error: |logits - label|; see L1Loss.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **label** (Tensor): of shapes that broadcast.

    Raises:
        ValueError: if `reduction` is another value, or the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MAELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.0
    """

    def construct(self, logits, label):
        """Returns the loss of the predictions `logits` for `label`."""
        return ops.l1_loss(logits, label, self.reduction)


@public("nn.MSELoss")
class MSELoss(LossBase):
    """Mean squared error loss: (logits - labels)^2.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): of shapes that broadcast.

    Raises:
        TypeError: if an input is not a Tensor.
        ValueError: if `reduction` is another value, or the shapes do not broadcast.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> float(nn.MSELoss()(ops.ones(4), ops.zeros(4)))
        1.0
    """

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        loss = ops.mse_loss(logits, labels, self.reduction)
        if logits.is_floating_point() or labels.is_floating_point():
            return loss
        return loss.astype(promote(logits.dtype, labels.dtype))


_Signed = TensorOf().but("uint8", "uint16", "uint32", "uint64")


@public("nn.RMSELoss")
class RMSELoss(LossBase):
    """Root mean square error: the square root of the mean of (logits - label)^2.

    Inputs:
        - **logits**, **label** (Tensor): of shapes that broadcast.

    Raises:
        ValueError: if the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.RMSELoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0])))
        1.4142135
    """

    def __init__(self):
        super().__init__()
        self.MSELoss = MSELoss()

    def construct(self, logits, label):
        """Returns the loss of the predictions `logits` for `label`."""
        for name, value in (("logits", logits), ("label", label)):
            _Signed.refuse("RMSELoss", name, value)
        return ops.sqrt(ops.mse_loss(logits, label))


@public("nn.SmoothL1Loss")
class SmoothL1Loss(LossBase):
    """Smooth L1 loss: d^2 / (2 beta) if d = |logits - labels| is less than `beta`, otherwise d -
    beta / 2.

    Args:
        beta (number): the d at which the square turns into a line; positive.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): floats of the same shape.

    Raises:
        TypeError: if `beta` is not a number, or an input not a Tensor of floats.
        ValueError: if `reduction` is another value, or the shapes differ.
        RuntimeError: if `beta` is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SmoothL1Loss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0])))
        [0.125 2.5  ]
    """

    @checked
    def __init__(self, beta: Number | Bool = 1.0, reduction: Any = "none"):
        super().__init__(reduction)
        self.beta = beta

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


@public("nn.HuberLoss")
class HuberLoss(LossBase):
    """Huber loss: d^2 / 2 if d = |logits - labels| is less than `delta`, otherwise delta (d - delta
    / 2).

    Args:
        reduction (str): 'none', 'mean' or 'sum'.
        delta (Union[int, float]): the d at which the square turns into a line; positive.

    Inputs:
        - **logits**, **labels** (Tensor): of shapes that broadcast.

    Raises:
        TypeError: if `delta` is neither an int nor a float.
        ValueError: if `delta` is not positive, `reduction` another value, or shapes do not
            broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.HuberLoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.5, 5.0])))
        1.3125
    """

    @checked
    def __init__(self, reduction: Any = "mean", delta: Number(gt=0) = 1.0):
        super().__init__(reduction)
        self.delta = delta

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


# Divergences --------------------------------------------------------------------------------------


@public("nn.KLDivLoss")
class KLDivLoss(LossBase):
    """Kullback-Leibler divergence loss: labels (log(labels) - logits), where `logits` are log
    probabilities.

    Args:
        reduction (str): 'none', 'mean', 'batchmean' (the sum divided by the batch size) or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): floats of the same shape and dtype.

    Raises:
        TypeError: if `reduction` is not a str, or an input not a Tensor of floats.
        ValueError: if `reduction` is another value, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.KLDivLoss(reduction="sum")(ms.Tensor([-1.0, -0.5]), ms.Tensor([0.4, 0.6])))
        0.026988376
    """

    @checked
    def __init__(self, reduction: Divided = "mean"):
        super().__init__()
        self.reduction = reduction

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.kl_div(logits, labels, self.reduction)


@public("nn.PoissonNLLLoss")
class PoissonNLLLoss(LossBase):
    """Poisson negative log likelihood loss of counts `target`.

    Args:
        log_input (bool): whether `input` holds logarithms of rates. The loss is exp(x) - t x if so,
            otherwise x - t log(x + eps).
        full (bool): whether to add log(t!) (by Stirling's formula, for t above 1).
        eps (float): keeps the logarithm finite.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **input**, **target** (Tensor): of the same shape.

    Raises:
        TypeError: if an input is not a Tensor, or `reduction` not a str.
        ValueError: if `reduction` is another value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.PoissonNLLLoss()(ms.Tensor([0.5, 1.0]), ms.Tensor([1.0, 2.0])))
        0.9335016
    """

    @checked
    def __init__(self, log_input=True, full=False, eps=1e-08, reduction: Str = "mean"):
        super().__init__(reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    @checked
    def construct(self, input: Anything, target: Anything):
        """Returns the loss of the predictions `input` for `target`."""
        if self.log_input:
            loss = ops.exp(input) - input * target
        else:
            loss = input - target * ops.log(input + self.eps)
        if self.full:
            safe = ops.maximum(target, 1)
            stirling = safe * ops.log(safe) - safe + 0.5 * ops.log(2 * math.pi * safe)
            loss = loss + ops.where(target > 1, stirling, ops.zeros_like(stirling))
        return self.get_loss(loss)


@public("nn.GaussianNLLLoss")
class GaussianNLLLoss(LossBase):
    """Gaussian negative log likelihood loss of `labels` under means and variances.

    Args:
        full (bool): whether to add the constant log(2 pi) / 2.
        eps (float): the lower bound of variances; positive.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits** (Tensor): the means.
        - **labels** (Tensor): of a shape that broadcasts to that of `logits`.
        - **var** (Tensor): the variances: in the shape of `logits`, or without its last axis, or
          with length 1 there.

    Raises:
        TypeError: if `full` is not a bool, `eps` not a float, or an input not a Tensor.
        ValueError: if `eps` is not positive, or `reduction` another value.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.GaussianNLLLoss()(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0, 4.0]),
        ...                               ms.Tensor([1.0, 4.0])))
        0.5965736
    """

    @checked
    def __init__(self, *, full: Bool = False, eps: Float(gt=0.0) = 1e-06, reduction: Any = "mean"):
        super().__init__(reduction)
        self.full = full
        self.eps = eps

    def construct(self, logits, labels, var):
        """Returns the loss of `logits`, `labels` and `var`."""
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


# Margins ------------------------------------------------------------------------------------------


@public("nn.SoftMarginLoss")
class SoftMarginLoss(LossBase):
    """Soft margin loss: log(1 + exp(-labels * logits)), for labels 1 and -1.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): floats of the same shape.

    Raises:
        TypeError: if an input is not a Tensor of floats.
        ValueError: if `reduction` is another value, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SoftMarginLoss()(ms.Tensor([0.5, -1.0]), ms.Tensor([1.0, -1.0])))
        0.3936693
    """

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.soft_margin_loss(logits, labels, self.reduction)


@public("nn.HingeEmbeddingLoss")
class HingeEmbeddingLoss(LossBase):
    """Hinge embedding loss: `logits` where labels are 1, and max(0, margin - logits) where labels
    are -1.

    Args:
        margin (Union[float, int]): the margin.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): of shapes that broadcast.

    Raises:
        TypeError: if `margin` is neither a float nor an int, or an input not a Tensor.
        ValueError: if `reduction` is another value, or the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.HingeEmbeddingLoss()(ms.Tensor([0.5, 0.3]), ms.Tensor([1.0, -1.0])))
        0.6
    """

    @checked
    def __init__(self, margin: Number = 1.0, reduction: Any = "mean"):
        super().__init__(reduction)
        self.margin = margin

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


@public("nn.MarginRankingLoss")
class MarginRankingLoss(LossBase):
    """Margin ranking loss: max(0, -target (input1 - input2) + margin), for targets 1 and -1.

    Args:
        margin (float): the margin.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **input1**, **input2**, **target** (Tensor): of the same shape and dtype.

    Raises:
        TypeError: if `margin` is not a float, or an input not a Tensor, or dtypes differ.
        ValueError: if `reduction` is another value.

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

    Raises:
        TypeError: if `margin` is not a float, or the dtypes differ.
        ValueError: if `margin` is out of range, `reduction` another value, or shapes do not fit.

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

    Raises:
        TypeError: if `p` is not an int, `eps` not a float, `swap` not a bool, or dtypes differ.
        ValueError: if `reduction` is another value, or shapes do not fit.

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

    Raises:
        TypeError: if `swap` is not a bool, `margin` not a float, or an input not a Tensor.
        ValueError: if `reduction` is another value, or shapes do not fit.

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
