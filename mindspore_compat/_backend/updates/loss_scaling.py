"""The arithmetic of a loss scale, on a GPU without the host ever learning the scale.

`divide` makes the gradients of a scaled loss those of the loss, `change` gives the next scale. Both
do nothing, and return None and False, unless all their arrays lie on a GPU. On the host Python's
numbers serve; `changed` gives the next scale of these.
"""

from .. import arrays
from .fuse import fuse


def _divided(xp, out, gradient, *, scale):
    """A gradient of the scaled loss, as one of the loss."""
    return (gradient * (1 / scale),)


def _changed(xp, scale, current, last, overflow, *, factor, window, smallest):
    """The loss scale, the count of steps and the step of its last change, after a step."""
    increase = current - last >= window
    overflow = overflow > 0
    down = xp.maximum(scale / factor, smallest)
    changed = xp.where(overflow | increase, current, last)
    return xp.where(overflow, down, xp.where(increase, scale * factor, scale)), current + 1, changed


class _Numbers:
    """The `xp` of numbers."""

    maximum = staticmethod(max)

    @staticmethod
    def where(condition, yes, no):
        return yes if condition else no


_DIVIDED = fuse(_divided, reads=("gradient",))
_CHANGED = fuse(_changed, reads=("overflow",))


def divide(gradients, scale):
    """The gradients divided by `scale`, an array of one element, as a list of new arrays."""
    if not all(map(arrays.on_device, (scale, *gradients))):
        return None
    quotients = [arrays.space_of(g).empty(g.shape, g.dtype) for g in gradients]
    _DIVIDED.sweep_same_dtypes(zip(quotients, gradients, strict=True), scale=scale.reshape(()))
    return quotients


def change(state, overflow, factor, window, smallest):
    """Writes the next state over `state`, and returns whether it did.

    Args:
        state: the scale, the number of the step, and that of the last change.
        overflow: whether the step overflowed; not looked at further unless it is an array.
        factor: what the scale is multiplied and divided by.
        window: the steps without overflow after which the scale goes up.
        smallest: the least scale.
    """
    if not all(map(arrays.on_device, (*state, overflow))):
        return False
    _CHANGED(
        *[array.reshape(()) for array in (*state, overflow)],
        factor=factor.reshape(()),
        window=window.reshape(()),
        smallest=smallest.reshape(()),
    )
    return True


def changed(scale, current, last, overflow, *, factor, window, smallest):
    """The next state as numbers; the arguments are numbers, of the same meaning as in `change`."""
    settings = {"factor": factor, "window": window, "smallest": smallest}
    return _changed(_Numbers, scale, current, last, overflow, **settings)
