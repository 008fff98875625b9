"""mindspore.numpy: window functions for signal processing; public through `array_creations`."""

import math

import numpy

from .._backend.arrays import current_space
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int
from .._core.tensor.tensor import Tensor

__all__ = ["bartlett", "blackman", "hamming", "hanning"]


def _window(path, formula):
    api = path.removeprefix("numpy.")

    def function(M: Int):
        window = numpy.ones(max(M, 0)) if M < 2 else formula(numpy.arange(M), M - 1)
        return Tensor._wrap(current_space().asarray(window.astype(numpy.float32)))

    function.__name__ = function.__qualname__ = api
    function.__doc__ = f"""The {api} window of M points, float32. A TypeError if `M` is no int.

    Example:
        >>> import mindspore_compat as ms
        >>> window = ms.numpy.{api}(3)
        >>> print(window.shape, window[1])
        (3,) 1.0
    """
    return checked(function)


bartlett = _window("numpy.bartlett", lambda n, last: 1 - numpy.abs(2 * n / last - 1))
blackman = _window(
    "numpy.blackman",
    lambda n, last: (
        0.42 - 0.5 * numpy.cos(2 * math.pi * n / last) + 0.08 * numpy.cos(4 * math.pi * n / last)
    ),
)
hamming = _window("numpy.hamming", lambda n, last: 0.54 - 0.46 * numpy.cos(2 * math.pi * n / last))
hanning = _window("numpy.hanning", lambda n, last: 0.5 - 0.5 * numpy.cos(2 * math.pi * n / last))
