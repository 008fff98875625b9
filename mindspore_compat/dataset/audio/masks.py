"""Masking of spectrograms (SpecAugment): FrequencyMasking, TimeMasking, MaskAlongAxis.

As in MindSpore, all examples of a call share one mask. float64 stays float64; other numbers
become float32. Source: D. Park et al., "SpecAugment" (2019).
"""

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, OneOf
from .._rules import natural, positive
from ._wave import NotNegative, Real, SpectrogramOperation

__all__ = ["FrequencyMasking", "MaskAlongAxis", "MaskAlongAxisIID", "TimeMasking"]


class _Mask(SpectrogramOperation):
    """Base class of masks."""

    def _fits(self, x, axis, least, name, limit):
        """Raises RuntimeError for a number greater than the length of an axis.

        Raises:
            RuntimeError: if it is greater.
        """
        if least > limit:
            raise RuntimeError(
                f"For '{type(self).__name__}', {name} must not be above {limit} "
                f"with an axis of {x.shape[axis]}, but got {least}."
            )

    def _hide(self, x, axis, start, width, value):
        """Returns a copy in which a band of an axis is filled."""
        self._fits(x, axis, start + width, "the end of the mask", x.shape[axis])
        out = x.copy()
        np.moveaxis(out, axis, 0)[start : start + width] = value
        return out

    def _hide_at_random(self, x, axis, most, value):
        """Returns a copy in which a band of random width and position is filled."""
        self._fits(x, axis, most, "the width of the mask", x.shape[axis])
        width = self._random.integer(0, most)
        start = self._random.integer(0, x.shape[axis] - width)
        return self._hide(x, axis, start, width, value)


class FrequencyMasking(_Mask):
    """Masks a band of frequencies.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        iid_masks (bool, optional): whether the band is random.
        freq_mask_param (int, optional): the width of the band; for a random band, the maximum
            width.
        mask_start (int, optional): the start of the band, unless it is random.
        mask_value (float, optional): the value that fills the mask, not negative.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if one is negative.
        RuntimeError: if the input is not of that shape, or the band does not fit; raised when it is
            used.

    Source: mindspore.dataset.audio.FrequencyMasking of MindSpore 2.10.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import audio
        >>> audio.FrequencyMasking(freq_mask_param=1, mask_start=1)(np.ones((3, 2)))
        array([[1., 1.],
               [0., 0.],
               [1., 1.]])
    """

    @checked
    def __init__(
        self,
        iid_masks: Bool = False,
        freq_mask_param: natural = 0,
        mask_start: natural = 0,
        mask_value: NotNegative = 0.0,
    ):
        self.iid_masks, self.freq_mask_param = iid_masks, freq_mask_param
        self.mask_start, self.mask_value = mask_start, mask_value

    def _compute(self, x):
        if self.iid_masks:
            return self._hide_at_random(x, -2, self.freq_mask_param, self.mask_value)
        return self._hide(x, -2, self.mask_start, self.freq_mask_param, self.mask_value)


class TimeMasking(_Mask):
    """Masks an interval of time.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        iid_masks (bool, optional): whether the interval is random.
        time_mask_param (int, optional): the length of the interval; for a random interval, the
            maximum length.
        mask_start (int, optional): the start of the interval, unless it is random.
        mask_value (float, optional): the value that fills the mask, not negative.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if one is negative.
        RuntimeError: if the input is not of that shape, or the interval does not fit; raised when
            it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.TimeMasking(time_mask_param=1)(np.ones((1, 2, 4),
        ...         np.float32)).shape)
        (1, 2, 4)

    Source: mindspore.dataset.audio.TimeMasking of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        iid_masks: Bool = False,
        time_mask_param: natural = 0,
        mask_start: natural = 0,
        mask_value: NotNegative = 0.0,
    ):
        self.iid_masks, self.time_mask_param = iid_masks, time_mask_param
        self.mask_start, self.mask_value = mask_start, mask_value

    def _compute(self, x):
        if self.iid_masks:
            return self._hide_at_random(x, -1, self.time_mask_param, self.mask_value)
        return self._hide(x, -1, self.mask_start, self.time_mask_param, self.mask_value)


class MaskAlongAxis(_Mask):
    """Masks a band of one axis.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        mask_start (int): the start of the band.
        mask_width (int): the width of the band, positive.
        mask_value (float): the value that fills the band.
        axis (int): 1 for frequencies, 2 for time.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is not of that shape, or the band does not fit; raised when it is
            used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.MaskAlongAxis(0, 1, 0.5, 1)(np.ones((1, 2, 2), np.float32)))
        [[[0.5 0.5]
          [1.  1. ]]]

    Source: mindspore.dataset.audio.MaskAlongAxis of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, mask_start: natural, mask_width: positive, mask_value: Real, axis: OneOf(1, 2)
    ):
        self.mask_start, self.mask_width = mask_start, mask_width
        self.mask_value, self.axis = mask_value, axis

    def _compute(self, x):
        return self._hide(x, self.axis - 3, self.mask_start, self.mask_width, self.mask_value)


class MaskAlongAxisIID(_Mask):
    """Masks a band of one axis with random width and position.

    The width is an integer in [0, `mask_param`]; the start is such that the band fits.

    Takes numbers of shape (..., freq, time) and returns float32 or float64 of the same shape.

    Args:
        mask_param (int): the maximum width.
        mask_value (float): the value that fills the band.
        axis (int): 1 for frequencies, 2 for time.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument is out of range.
        RuntimeError: if the input is not of that shape, or `mask_param` is above the length of the
            axis; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.audio.MaskAlongAxisIID(1, 0.5,
        ...                                         1)(np.ones((1, 2, 2), np.float32)).shape)
        (1, 2, 2)

    Source: mindspore.dataset.audio.MaskAlongAxisIID of MindSpore 2.10.
    """

    @checked
    def __init__(self, mask_param: natural, mask_value: Real, axis: OneOf(1, 2)):
        self.mask_param, self.mask_value, self.axis = mask_param, mask_value, axis

    def _compute(self, x):
        return self._hide_at_random(x, self.axis - 3, self.mask_param, self.mask_value)
