"""Margin losses between the scores of several classes."""

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Float, OneOf, Str, checked
from ._base import LossBase


@public("nn.MultiMarginLoss")
class MultiMarginLoss(LossBase):
    """Multi-class margin loss: the sum over other classes of max(0, margin - x[target] + x)^p / C.

    Args:
        p (int): 1 or 2.
        margin (float): the margin.
        reduction (str): 'none', 'mean' or 'sum'.
        weight (Tensor): a weight per class.

    Inputs:
        - **x** (Tensor): floats of shape (N, C).
        - **target** (Tensor): int64 classes of shape (N,).
        - **weight** (Tensor): a weight per class for this call.

    Outputs:
        Tensor in the dtype of `x`: of shape (N,) for "none", otherwise of shape ().

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `p` or `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MultiMarginLoss()(ms.Tensor([[0.1, 0.9, 0.4]]), ms.Tensor([1])))
        0.23333335
    """

    @checked
    def __init__(
        self, p: OneOf(1, 2) = 1, margin: Float = 1.0, reduction: Str = "mean", weight=None
    ):
        super().__init__(reduction)
        self.multi_margin_loss = ops.MultiMarginLoss(p, margin, reduction)
        self.weight = weight

    def construct(self, x, target, weight=None):
        """Returns the loss of `x`, `target` and `weight`."""
        return self.multi_margin_loss(x, target, self.weight if weight is None else weight)


@public("nn.MultilabelMarginLoss")
class MultilabelMarginLoss(LossBase):
    """Multi-label margin loss: the sum of max(0, 1 - (x[t] - x[i])) / C over targets t and other
    classes i.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **x** (Tensor): float16 or float32, shape (C,) or (N, C).
        - **target** (Tensor): int32, of the same shape: class indices up to the first -1.

    Outputs:
        Tensor in the dtype of `x`: of shape (N,) for "none" and an `x` of shape (N, C), otherwise
        of shape ().

    Raises:
        TypeError: if an input is of the wrong type.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MultilabelMarginLoss()(ms.Tensor([[0.1, 0.9]]),
        ...                                    ms.Tensor([[1, -1]], ms.int32)))
        0.100000024
    """

    def __init__(self, reduction="mean"):
        super().__init__(reduction)
        self.multilabel_margin_loss = ops.MultilabelMarginLoss(reduction)

    def construct(self, x, target):
        """Returns the loss of the predictions `x` for `target`."""
        return self.multilabel_margin_loss(x, target)[0]


@public("nn.MultiLabelSoftMarginLoss")
class MultiLabelSoftMarginLoss(LossBase):
    """Multi-label soft margin loss: the mean over classes of the cross entropy of sigmoid(x)
    with targets 0 and 1.

    Args:
        weight (Union[Tensor, int, float]): multiplies the loss of each class.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **x**, **target** (Tensor): of the same shape (N, C).

    Outputs:
        Tensor in the dtype of `x`: of shape (N,) for "none", otherwise of shape ().

    Raises:
        ValueError: if `reduction` is invalid, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MultiLabelSoftMarginLoss()(ms.Tensor([[2.0, -1.0]]),
        ...                                        ms.Tensor([[1.0, 0.0]])))
        0.22009481
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, x, target):
        """Returns the loss of the predictions `x` for `target`."""
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)
