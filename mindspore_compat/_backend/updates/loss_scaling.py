"""Loss-scale arithmetic on a GPU, without transferring the scale to the host.

`divide` divides the gradients of a scaled loss by the scale, and `change` and `adjust` compute the
next scale. They do nothing, and return None or False, unless all their arrays lie on a GPU. On the
host the scale is a Python number, and `changed` and `adjusted` compute the next one.
"""

from .. import arrays
from .fuse import fuse

_LARGEST = 3.4028234663852886e38  # the largest float32


def _unscale(xp, out, gradient, *, scale):
    """Returns a gradient of the scaled loss, divided by the scale."""
    return (gradient * (1 / scale),)


def _change_scale(xp, scale, current, last, overflow, *, factor, window, smallest):
    """Returns the new state of loss scaling after a step: the scale, the step count, and the step
    of the scale's last change."""
    increase = current - last >= window
    overflow = overflow > 0
    down = xp.maximum(scale / factor, smallest)
    changed_scale = xp.where(overflow | increase, current, last)
    return (
        xp.where(overflow, down, xp.where(increase, scale * factor, scale)),
        current + 1,
        changed_scale,
    )


def _adjust_scale(xp, scale, count, finite, *, factor, window):
    """Returns the new state of `amp.DynamicLossScaler` after a step: the scale, and the number of
    finite steps since it changed. A scale beyond float32 stays as it is."""
    finite, count = finite > 0, count + 1
    increase = count >= window
    up = xp.where(scale * factor <= _LARGEST, scale * factor, scale)
    return (
        xp.where(finite, xp.where(increase, up, scale), xp.maximum(scale / factor, 1)),
        xp.where(finite, xp.where(increase, 0, count), 0),
    )


class _Numbers:
    """The `xp` with which the formulas of scales run on Python numbers."""

    maximum = staticmethod(max)

    @staticmethod
    def where(condition, yes, no):
        return yes if condition else no


_DIVIDED = fuse(_unscale, reads=("gradient",))
_CHANGED = fuse(_change_scale, reads=("overflow",))
_ADJUSTED = fuse(_adjust_scale, reads=("finite",))


def divide(gradients, scale):
    """Returns the gradients divided by `scale`, a one-element array, as a list of new arrays;
    None unless all arrays lie on a GPU."""
    if not all(map(arrays.on_device, (scale, *gradients))):
        return None
    quotients = [arrays.space_of(g).empty(g.shape, g.dtype) for g in gradients]
    _DIVIDED.sweep_same_dtypes(zip(quotients, gradients, strict=True), scale=scale.reshape(()))
    return quotients


def change(state, overflow, factor, window, smallest):
    """Overwrites `state` with the next state. Returns True; returns False, and does nothing, unless
    all arrays lie on a GPU.

    Args:
        state: the scale, the number of the step, and the number of the step that changed the scale
            last.
        overflow: whether the step overflowed, as an array.
        factor: the number that multiplies or divides the scale.
        window: the number of steps without overflow after which the scale grows.
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
    """Returns the next state as numbers. The arguments are numbers with the same meaning as in
    `change`."""
    settings = {"factor": factor, "window": window, "smallest": smallest}
    return _change_scale(_Numbers, scale, current, last, overflow, **settings)


def adjust(state, finite, factor, window):
    """Overwrites `state` with the next state of `amp.DynamicLossScaler`. Returns True; returns
    False, and does nothing, unless all arrays lie on a GPU.

    Args:
        state: the scale, and the number of finite steps since it changed.
        finite: whether the gradients are finite, as an array.
        factor (int): the number that multiplies or divides the scale.
        window (int): the number of finite steps after which the scale grows.
    """
    if not all(map(arrays.on_device, (*state, finite))):
        return False
    _ADJUSTED(*[array.reshape(()) for array in (*state, finite)], factor=factor, window=window)
    return True


def adjusted(scale, count, finite, *, factor, window):
    """Returns the next state as numbers. The arguments are numbers with the same meaning as in
    `adjust`."""
    return _adjust_scale(_Numbers, scale, count, finite, factor=factor, window=window)
