"""Losses of the overlap between regions: the Dice coefficient, for one class and for several."""

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import CellOf, Float, Int, OneOf, TensorOf, any_dtype, checked
from ..._core.tensor.dtype import float32
from ..cell import Cell
from ..layer.activation import get_activation
from ._base import LossBase

Anything = TensorOf(any_dtype)


@public("nn.DiceLoss")
class DiceLoss(LossBase):
    """Dice loss: 1 - 2 sum(logits label) / (sum(logits^2) + sum(label^2) + smooth).

    Args:
        smooth (float): keeps the quotient finite; positive.

    Inputs:
        - **logits**, **label** (Tensor): of the same shape.

    Outputs:
        Tensor of shape (), in the dtype of `logits`; float32 for ints.

    Raises:
        TypeError: if `smooth` is not a float, or an input not a Tensor.
        ValueError: if `smooth` is not positive, or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.DiceLoss()(ms.Tensor([[0.9, 0.1]]), ms.Tensor([[1.0, 0.0]])))
        0.010994434
    """

    @checked
    def __init__(self, smooth: Float(gt=0.0) = 1e-05):
        super().__init__()
        self.smooth = smooth

    @checked
    def construct(self, logits: Anything, label: Anything):
        """Returns the loss of the predictions `logits` for `label`."""
        _need_same("DiceLoss", logits, label)
        if not logits.is_floating_point():
            logits = logits.astype(float32)
        shared = (logits * label).sum()
        return 1 - 2 * shared / (ops.square(logits).sum() + ops.square(label).sum() + self.smooth)


def _need_same(api, logits, label):
    if logits.shape != label.shape:
        raise ValueError(
            f"For '{api}', 'logits' and 'label' must have the same shape, but got "
            f"{logits.shape} and {label.shape}."
        )


@public("nn.MultiClassDiceLoss")
class MultiClassDiceLoss(LossBase):
    """Multi-class Dice loss: the mean of the DiceLoss of each class (axis 1).

    Args:
        weights (Tensor): shape (classes, d): multiplies the loss of each class.
        ignore_indiex (int): a class that does not contribute to the loss.
        activation (Union[str, Cell]): applied to `logits`: 'softmax', 'logsoftmax', 'relu',
            'relu6', 'tanh', 'sigmoid', or a Cell.

    Inputs:
        - **logits**, **label** (Tensor): of the same shape (N, C, ...).

    Outputs:
        Tensor of shape (), in the dtype of `logits`.

    Raises:
        TypeError: if an argument is of the wrong type, or an input not a Tensor.
        ValueError: if an activation is unknown, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MultiClassDiceLoss()(ms.Tensor([[0.9, 0.1]]), ms.Tensor([[1.0, 0.0]])))
        0.5325613
    """

    @checked
    def __init__(
        self,
        weights: Anything | None = None,
        ignore_indiex: Int | None = None,
        activation: OneOf("softmax", "logsoftmax", "relu", "relu6", "tanh", "sigmoid")
        | CellOf
        | None = "softmax",
    ):
        super().__init__()
        if weights is not None and weights.ndim != 2:
            raise ValueError(
                f"For 'MultiClassDiceLoss', 'weights' must have 2 axes, but got shape "
                f"{weights.shape}."
            )
        self.weights = weights
        self.ignore_indiex = ignore_indiex
        self.binarydiceloss = DiceLoss(smooth=1e-5)
        self.activation = activation if isinstance(activation, Cell) else get_activation(activation)

    @checked
    def construct(self, logits: Anything, label: Anything):
        """Returns the loss of the predictions `logits` for `label`."""
        _need_same("MultiClassDiceLoss", logits, label)
        if logits.ndim < 2:
            raise ValueError(
                f"For 'MultiClassDiceLoss', 'logits' must have 2 or more axes, but "
                f"got shape {logits.shape}."
            )
        classes, weights = label.shape[1], self.weights
        if weights is not None and weights.shape[0] != classes:
            raise ValueError(
                f"For 'MultiClassDiceLoss', 'weights' must have {classes} rows, but "
                f"got shape {weights.shape}."
            )
        if self.activation is not None:
            logits = self.activation(logits)
        total = 0
        for at in range(classes):
            if at != self.ignore_indiex:
                loss = self.binarydiceloss(logits[:, at], label[:, at])
                total = total + (loss if weights is None else loss * weights[at])
        return total / classes
