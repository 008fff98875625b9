"""Regression losses: distances and divergences between Tensors, and margins of one Tensor."""

import math

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Number,
    OneOf,
    Str,
    TensorOf,
    any_dtype,
    checked,
)
from ..._core.tensor.dtype import promote
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

    Outputs:
        Tensor in the promoted dtype of both inputs: of the broadcast shape for "none", otherwise of
        shape ().

    Raises:
        ValueError: if `reduction` is invalid, or the shapes do not broadcast.

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
    """L1 loss (mean absolute error): |input - target|.

    Inputs:
        - **input**, **target** (Tensor): of shapes that broadcast.

    Args:
        reduction (str): "mean", "sum" or "none". Default: "mean".

    Outputs:
        Tensor in the promoted dtype of both inputs: of the broadcast shape for "none", otherwise of
        shape ().

    Raises:
        TypeError: if an input is not a Tensor.
        ValueError: if `reduction` is unknown, or the shapes do not broadcast.

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

    Outputs:
        Tensor in the promoted dtype of both inputs: of the broadcast shape for "none", otherwise of
        shape ().

    Raises:
        ValueError: if `reduction` is invalid, or the shapes do not broadcast.

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

    Outputs:
        Tensor in the promoted dtype of both inputs: of the broadcast shape for "none", otherwise of
        shape ().

    Raises:
        TypeError: if an input is not a Tensor.
        ValueError: if `reduction` is invalid, or the shapes do not broadcast.

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

    Outputs:
        Tensor of shape (), in the promoted dtype of both inputs; float32 for ints.

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

    Outputs:
        Tensor in the dtype of `logits`: of the shape of `logits` for "none", otherwise of shape ().

    Raises:
        TypeError: if `beta` is not a number, or an input not a Tensor of floats.
        ValueError: if `reduction` is invalid, or the shapes differ.
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

    Outputs:
        Tensor in the promoted dtype of both inputs: of the broadcast shape for "none", otherwise of
        shape ().

    Raises:
        TypeError: if `delta` is neither an int nor a float.
        ValueError: if `delta` is not positive, `reduction` invalid, or shapes do not broadcast.

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

    Outputs:
        Tensor in the dtype of `logits`: of its shape for "none", otherwise of shape ().

    Raises:
        TypeError: if `reduction` is not a str, or an input not a Tensor of floats.
        ValueError: if `reduction` is invalid, or the shapes differ.

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

    Outputs:
        Tensor in the dtype of `input`: of the shape of `input` for "none", otherwise of shape ().

    Raises:
        TypeError: if an input is not a Tensor, or `reduction` not a str.
        ValueError: if `reduction` is invalid.

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

    Outputs:
        Tensor in the dtype of `logits` (float32 for ints): of the shape of `logits` for "none",
        otherwise of shape ().

    Raises:
        TypeError: if `full` is not a bool, `eps` not a float, or an input not a Tensor.
        ValueError: if `eps` is not positive, or `reduction` invalid.

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

    Outputs:
        Tensor in the dtype of `logits`: of the shape of `logits` for "none", otherwise of shape ().

    Raises:
        TypeError: if an input is not a Tensor of floats.
        ValueError: if `reduction` is invalid, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SoftMarginLoss()(ms.Tensor([0.5, -1.0]), ms.Tensor([1.0, -1.0])))
        0.3936693
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        self.reduction = reduction  # the call checks it

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

    Outputs:
        Tensor in the dtype of `logits`: of the broadcast shape for "none", otherwise of shape ().

    Raises:
        TypeError: if `margin` is neither a float nor an int, or an input not a Tensor.
        ValueError: if `reduction` is invalid, or the shapes do not broadcast.

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
