"""mindspore.numpy.fft: Fourier transforms under NumPy's names.

The transforms are declared together with the transforms of `mindspore.ops`. This module defines the
two functions whose parameter names differ.
"""

from .. import ops  # noqa: F401 - its packages hold the declarations
from .._core.declare.public_api import build, facade

__getattr__, __dir__, __all__ = facade(__name__, names=("fftshift", "ifftshift"))


def fftshift(x, axes=None):
    """Shifts frequency 0 to the middle of the given axes, by default of all axes.

    Args:
        x (Tensor): the result of `fft` or `fftfreq`.
        axes (Union[int, tuple[int], list[int]], optional): the axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.fft.fftshift(ms.Tensor([0, 1, 2, 3])))
        [2 3 0 1]

    Source: mindspore.numpy.fft.fftshift of MindSpore 2.10.
    """
    return build("ops", "fftshift")(x, axes)


def ifftshift(x, axes=None):
    """Shifts frequency 0 from the middle back to the start: the inverse of `fftshift`, with its
    arguments and errors.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.fft.ifftshift(ms.Tensor([2, 3, 0, 1])))
        [0 1 2 3]

    Source: mindspore.numpy.fft.ifftshift of MindSpore 2.10.
    """
    return build("ops", "ifftshift")(x, axes)
