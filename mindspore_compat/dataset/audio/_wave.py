"""Base classes, input checks and parameter rules of audio transforms."""

import numpy as np

from ..._core.rules.vocabulary import Int, Number
from .._rules import INT32_MAX, AnInstance
from ..transforms.base import TensorOperation
from .utils import WindowType

LIMIT = 16777216.0  # integers up to here are exact in float32

NonZero = Int(ge=-(2**31), le=-1) | Int(ge=1, le=INT32_MAX)
AnyInt = Int(ge=-(2**31), le=INT32_MAX)
Real = Number(ge=-LIMIT, le=LIMIT)
NotNegative = Number(ge=0.0, le=LIMIT)
Positive = Number(gt=0.0, le=LIMIT)
Quality = Number(gt=0.0, le=1.0)
Window = AnInstance(WindowType)


class AudioOperation(TensorOperation):
    """Base class of audio transforms.

    A subclass defines `_compute(x)`, which takes a float32 or float64 array with at least `least`
    axes; further axes come first.
    """

    least = 1
    axes = "<..., time>"
    takes_numbers = False  # lists, tuples and Tensors of numbers, in place of an array

    def _as_input(self, value):
        if self.takes_numbers and (isinstance(value, (list, tuple)) or hasattr(value, "asnumpy")):
            value = np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)
        if isinstance(value, np.ndarray):
            return super()._as_input(value)
        raise TypeError(
            f"For '{type(self).__name__}', the input must be a NumPy array, but got "
            f"{type(value).__name__}."
        )

    def _array(self, x, lead):
        self._check(x, lead)
        return self._compute(self._cast(x))

    def _check(self, x, lead):
        """Raises RuntimeError for an array that is not audio.

        Raises:
            RuntimeError: text, an array with too few axes, or one without elements.
        """
        if x.dtype.kind not in "biuf":
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must hold numbers, but got {x.dtype}."
            )
        if x.ndim - lead < self.least or not x.size:
            raise RuntimeError(
                f"For '{type(self).__name__}', the input must be of shape "
                f"{self.axes} and not empty, but got {x.shape[lead:]}."
            )

    def _need_positive_rate(self, *, zero=True):
        """Refuses the sample rate below 0 that a constructor accepts; without `zero`, also 0.

        Raises:
            RuntimeError: if it is.
        """
        if self.sample_rate < (not zero):
            raise RuntimeError(
                f"For '{type(self).__name__}', 'sample_rate' must be > 0 when a wave is "
                f"transformed, but got {self.sample_rate}."
            )

    def _cast(self, x):
        """Casts to float32, except float64."""
        return x if x.dtype == np.float64 else x.astype(np.float32)


class SpectrogramOperation(AudioOperation):
    """Base class of transforms of <..., freq, time>."""

    least = 2
    axes = "<..., freq, time>"


class ComplexOperation(AudioOperation):
    """Base class of transforms whose last axis holds a real and an imaginary part."""

    axes = "<..., complex=2>"

    def _check(self, x, lead):
        super()._check(x, lead)
        check_complex(type(self).__name__, x)


def check_complex(api, x):
    """Checks that the last axis holds pairs of a real and an imaginary part.

    Raises:
        RuntimeError: if it has another length.
    """
    if x.shape[-1] != 2:
        raise RuntimeError(
            f"For '{api}', the last axis must hold a real and an imaginary part, "
            f"but got shape {x.shape}."
        )


def complex_of(x):
    """Returns pairs as complex numbers."""
    return x[..., 0] + 1j * x[..., 1]


def pairs_of(z, dtype):
    """Converts complex numbers to pairs."""
    return np.stack([z.real, z.imag], -1).astype(dtype)


def rows_of(x, axes=1):
    """Returns an array whose leading axes are merged into one."""
    return x.reshape(-1, *x.shape[x.ndim - axes :])
