"""Sample frequencies of discrete Fourier transforms (fftfreq, rfftfreq), and shifts of frequency 0
to the middle.
"""

from ..._backend.arrays import current_space
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import DType, Float, Int, ListOf, ScalarOf, TupleOf, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from .._shape.axes import axis_of
from .._shape.flip_roll import roll

Spacing = ScalarOf(Float(gt=0.0) | Float(lt=0.0))


def _frequencies(n, d, dtype, function):
    result = function(current_space().fft)(n, d)
    return Tensor._wrap(result.astype("float32" if dtype is None else dtypes.to_numpy(dtype)))


@public("ops.fftfreq", "mint.fft.fftfreq", "numpy.fft.fftfreq")
@checked
def fftfreq(n: ScalarOf(Int(ge=1)), d: Spacing = 1.0, dtype: DType = None):
    """Computes the sample frequencies of `fft` for n samples a distance `d` apart: zero and the
    positive ones, then the negative ones. The dtype is float32 by default.

    Args:
        n (int): the number of samples.
        d (float): their distance. Default: 1.0.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.fftfreq(4))
        [ 0.    0.25 -0.5  -0.25]

    Source: mindspore.ops.fftfreq of MindSpore 2.10.
    """
    return _frequencies(n, d, dtype, lambda f: f.fftfreq)


@public("ops.rfftfreq", "mint.fft.rfftfreq", "numpy.fft.rfftfreq")
@checked
def rfftfreq(n: ScalarOf(Int(ge=1)), d: Spacing = 1.0, dtype: DType = None):
    """Computes the sample frequencies of `rfft` for n samples a distance `d` apart; float32 by
    default.

    Args:
        n (int): the number of samples.
        d (float): their distance. Default: 1.0.
        dtype (mindspore.dtype): the dtype of the result; None for float32.

    Returns:
        Tensor with one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rfftfreq(4))
        [0.   0.25 0.5 ]

    Source: mindspore.ops.rfftfreq of MindSpore 2.10.
    """
    return _frequencies(n, d, dtype, lambda f: f.rfftfreq)


def _shift(api, input, dim, sign):
    if dim is not None and not input.ndim:
        raise IndexError(f"For '{api}', 'dim' must be None for an input without axes.")
    axes = range(input.ndim) if dim is None else (dim,) if isinstance(dim, int) else dim
    axes = tuple(axis_of(axis, input) for axis in axes)
    if not axes:
        return roll.run(input.reshape(-1), 0, 0).reshape(input.shape)
    steps = tuple(input.shape[a] // 2 if sign > 0 else -(input.shape[a] // 2) for a in axes)
    return roll.run(input, steps, axes)


@public("ops.fftshift", "mint.fft.fftshift")
@checked
def fftshift(input: Anything, dim: Int | TupleOf(Int) | ListOf(Int) | None = None):
    """Shifts frequency 0 to the middle of the given axes, by default of all axes.

    Args:
        input (Tensor): the input.
        dim (Union[int, tuple[int], list[int]]): the axes; None for all.

    Returns:
        Tensor of the same shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.fftshift(ms.Tensor([1, 2, 3])))
        [3 1 2]

    Source: mindspore.ops.fftshift of MindSpore 2.10.
    """
    return _shift("fftshift", input, dim, 1)


@public("ops.ifftshift", "mint.fft.ifftshift")
@checked
def ifftshift(input: Anything, dim: Int | TupleOf(Int) | ListOf(Int) | None = None):
    """Shifts frequency 0 from the middle back to the start: the inverse of `fftshift`.

    Args:
        input (Tensor): the input.
        dim (Union[int, tuple[int], list[int]]): the axes; None for all.

    Returns:
        Tensor of the same shape and dtype.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ifftshift(ms.Tensor([1, 2, 3])))
        [2 3 1]

    Source: mindspore.ops.ifftshift of MindSpore 2.10.
    """
    return _shift("ifftshift", input, dim, -1)
