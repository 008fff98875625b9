"""LossBase: the base class of losses, which reduces them."""

from ... import ops
from ..._core.declare.public_api import public
from ..._core.tensor.dtype import float32
from ..cell import Cell

_REDUCTIONS = ("none", "mean", "sum")


def need_reduction(api, reduction):
    """Raises ValueError unless a reduction is 'none', 'mean' or 'sum'."""
    if reduction not in _REDUCTIONS:
        raise ValueError(
            f"For '{api}', 'reduction' must be one of {', '.join(_REDUCTIONS)}, but "
            f"got {reduction!r}."
        )


@public("nn.LossBase")
class LossBase(Cell):
    """Base class of losses: a subclass computes a loss per element and passes it to `get_loss`.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): the output of a network and the targets, as the subclass
          defines.

    Outputs:
        What the subclass computes; `get_loss` gives the losses themselves for "none", otherwise a
        Tensor of shape ().

    Raises:
        ValueError: if `reduction` is invalid.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> class Absolute(nn.LossBase):
        ...     def construct(self, logits, labels):
        ...         return self.get_loss(ops.abs(logits - labels))
        >>> float(Absolute()(ops.ones((2, 2)), ops.zeros((2, 2))))
        1.0
    """

    def __init__(self, reduction="mean"):
        super().__init__()
        need_reduction(type(self).__name__, reduction)
        self.reduction = reduction
        self.cast, self.mul = ops.Cast(), ops.Mul()
        self.reduce_mean, self.reduce_sum = ops.ReduceMean(), ops.ReduceSum()

    @property
    def reduction(self):
        """The reduction: 'none', 'mean' or 'sum' according to `reduce` and `average`, or a
        subclass's value."""
        reduction = self.__dict__.get("_reduction")
        if reduction not in _REDUCTIONS:
            return reduction
        return ("mean" if self.average else "sum") if self.reduce else "none"

    @reduction.setter
    def reduction(self, reduction):
        self.__dict__["_reduction"] = reduction
        if reduction in _REDUCTIONS:
            self.average = reduction != "sum"
            self.reduce = reduction != "none"

    def get_axis(self, x):
        """Returns all axes of `x`, over which a loss is reduced."""
        return tuple(range(x.ndim))

    def get_loss(self, x, weights=1.0):
        """Multiplies the loss of each element by `weights`, and reduces it in the dtype of `x`.

        Args:
            x (Tensor): the loss of each element.
            weights (Union[float, Tensor]): broadcast to `x`.
        """
        dtype = x.dtype
        x = ops.mul(weights, x.astype(float32) if x._array.dtype.itemsize < 8 else x)
        if self.reduce:
            axis = self.get_axis(x)
            x = x.mean(axis) if self.average else x.sum(axis)
        return x if x.dtype == dtype else x.astype(dtype)

    def construct(self, logits, labels):
        """Computes the loss; subclasses define it."""
        raise NotImplementedError(f"For '{type(self).__name__}', 'construct' must be defined.")


class _Loss(LossBase):
    """The former name of LossBase."""
