"""Reductions and shape checks that losses share."""

from ..._core.rules.vocabulary import AsValue, OneOf

Reduction = OneOf("none", "mean", "sum")
Reduced = AsValue(Reduction)  # raises ValueError for every bad value, as MindSpore here


def reduced(xp, loss, reduction):
    """Returns the loss of each element, their mean, or their sum."""
    if reduction == "none":
        return loss
    total = xp.mean(loss) if reduction == "mean" else xp.sum(loss)
    return xp.cast(total, loss.dtype)


def need_shape(api, first_name, second_name, first, second):
    """Rejects two Tensors of different shapes."""
    if tuple(first.shape) != tuple(second.shape):
        raise ValueError(
            f"For '{api}', '{first_name}' and '{second_name}' must have the same shape, but got "
            f"{tuple(first.shape)} and {tuple(second.shape)}."
        )


def need_broadcast(api, first_name, second_name, first, second):
    """Rejects two Tensors whose shapes do not broadcast."""
    for a, b in zip(reversed(first.shape), reversed(second.shape)):
        if a != b and 1 not in (a, b):
            raise ValueError(
                f"For '{api}', '{first_name}' and '{second_name}' must broadcast, but got shapes "
                f"{tuple(first.shape)} and {tuple(second.shape)}."
            )
