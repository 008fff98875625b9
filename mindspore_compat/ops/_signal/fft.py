"""Discrete Fourier transforms (FFT) over one, two and more axes, of complex, real and Hermitian
signals.

All are built on one function of `xp`, the complex transform over several axes. Its adjoint is the
inverse transform with the scale on the other side. The other functions crop, pad and mirror its
input or output.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import (
    Bool,
    Int,
    ListOf,
    OneOf,
    ScalarOf,
    TensorOf,
    TupleOf,
    checked,
    floating,
)
from .._rules import Ints
from ..primitive import Primitive

Signal = TensorOf(floating | {"int8", "int16", "int32", "int64", "complex64", "complex128"})
Norm = AnyCase(OneOf("backward", "forward", "ortho")) | None
Length, Axis = ScalarOf(Int(ge=1), TypeError), ScalarOf(Int, TypeError)
Sizes = TupleOf(Int) | ListOf(Int) | None
Axes = Ints | None
_OTHER = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def _complex(xp, x):
    if x.dtype.kind == "c":
        return x
    return xp.cast(x, "complex128" if x.dtype == "float64" else "complex64")


def _real(xp, x):
    return x if x.dtype.kind in "fc" else xp.cast(x, "float32")


def _resize(xp, x, count, axis):
    """Crops or zero-pads an axis at its end to a length."""
    if count is None or count == x.shape[axis]:
        return x
    if count < 1:
        raise ValueError(f"For 'fft', 'n' must be positive, but got {count}.")
    axis = axis % x.ndim
    if count < x.shape[axis]:
        return x[(slice(None),) * axis + (slice(0, count),)]
    return xp.pad(
        x, tuple((0, count - x.shape[axis]) if i == axis else (0, 0) for i in range(x.ndim))
    )


def _axes_and_sizes(x, sizes, axes):
    """Returns (the axes to transform, the length along each or None)."""
    if axes is None:
        axes = tuple(range(x.ndim)) if sizes is None else tuple(range(-len(sizes), 0))
    sizes = (None,) * len(axes) if sizes is None else tuple(sizes)
    if len(sizes) != len(axes):
        raise ValueError(
            f"For 'fftn', 's' and 'dim' must have one length, but got {sizes} and {tuple(axes)}."
        )
    if any(not -x.ndim <= a < x.ndim for a in axes):
        raise ValueError(
            f"For 'fftn', 'dim' must be in [{-x.ndim}, {x.ndim}), but got {tuple(axes)}."
        )
    if 0 in x.shape:
        raise ValueError(f"For 'fftn', 'input' must have elements, but got shape {x.shape}.")
    axes = tuple(a % x.ndim for a in axes)
    if len(set(axes)) < len(axes):
        raise ValueError(f"For 'fftn', each axis of 'dim' must be another, but got {axes}.")
    return axes, tuple(None if n == -1 else n for n in sizes)


def _transform(xp, x, sizes, axes, norm, inverse):
    axes, sizes = _axes_and_sizes(x, sizes, axes)
    x = _real(xp, x)
    for count, axis in zip(sizes, axes):
        x = _resize(xp, x, count, axis)
    return xp.fft_c2c(x, axes, norm, inverse)


def _half(xp, x, sizes, axes, norm):
    """Computes the transform of a real signal, without the mirrored frequencies along the last
    axis.

    As in MindSpore, the transform of a complex signal is shortened in the same way.
    """
    axes, sizes = _axes_and_sizes(x, sizes, axes)
    whole = _transform(xp, _real(xp, x), sizes, axes, norm, False)
    last = axes[-1]
    return whole[(slice(None),) * last + (slice(0, whole.shape[last] // 2 + 1),)]


def _from_half(xp, x, sizes, axes, norm):
    """Computes the real signal of a half spectrum; the last length is even unless given."""
    axes, sizes = _axes_and_sizes(x, sizes, axes)
    last = axes[-1]
    count = 2 * (x.shape[last] - 1) if sizes[-1] is None else sizes[-1]
    x = _resize(xp, _complex(xp, x), count // 2 + 1, last)
    if len(axes) > 1:
        x = _transform(xp, x, sizes[:-1], axes[:-1], norm, True)
    front = (slice(None),) * last
    if count == 0:
        return xp.real(x[(*front, slice(0))])
    mirrored = xp.conj(xp.flip(x[front + (slice(1, (count + 1) // 2),)], last))
    return xp.real(xp.fft_c2c(xp.concatenate([x, mirrored], last), (last,), norm, True))


@op(
    "ops.fft(input, n=None, dim=-1, norm=None)",
    "mint.fft.fft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.fft(a: input, n=None, axis: dim=-1, norm=None)",
)
def fft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) along an axis: X[k] is the sum over j of x[j]
    exp(-2 pi i j k / n).

    Shapes:
        `input` may have any shape with at least one axis. The result has length `n` along `dim`,
        and is complex.

    Example:
        >>> print(ms.ops.fft(ms.Tensor([1.0, 2.0, 3.0, 4.0])))
        [10.+0.j -2.+2.j -2.+0.j -2.-2.j]
    """
    return _transform(xp, input, (n,), (dim,), norm, False)


@op(
    "ops.ifft(input, n=None, dim=-1, norm=None)",
    "mint.fft.ifft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.ifft(a: input, n=None, axis: dim=-1, norm=None)",
)
def ifft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the inverse discrete Fourier transform (FFT) along an axis.

    Shapes:
        `input` may have any shape with at least one axis. The result has length `n` along `dim`,
        and is complex.

    Example:
        >>> print(ms.ops.ifft(ms.Tensor([4.0, 0.0, 0.0, 0.0])))
        [1.+0.j 1.+0.j 1.+0.j 1.+0.j]
    """
    return _transform(xp, input, (n,), (dim,), norm, True)


@op(
    "ops.fft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.fft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.fft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def fft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) over two axes.

    Shapes:
        `input` has at least two axes. The result has the lengths `s` along `dim`, and is complex.

    Example:
        >>> print(ms.ops.fft2(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10.+0.j -2.+0.j]
         [-4.+0.j  0.+0.j]]
    """
    return _transform(xp, input, s, dim, norm, False)


@op(
    "ops.ifft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.ifft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.ifft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def ifft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the inverse discrete Fourier transform (FFT) over two axes.

    Shapes:
        `input` has at least two axes. The result has the lengths `s` along `dim`, and is complex.

    Example:
        >>> print(ms.ops.ifft2(ms.Tensor([[4.0, 0.0], [0.0, 0.0]])))
        [[1.+0.j 1.+0.j]
         [1.+0.j 1.+0.j]]
    """
    return _transform(xp, input, s, dim, norm, True)


@op(
    "ops.fftn(input, s=None, dim=None, norm=None)",
    "mint.fft.fftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.fftn(a: input, s=None, axes: dim=None, norm=None)",
)
def fftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) over several axes, by default over all.

    Shapes:
        `input` may have any shape with at least one axis. The result has the lengths `s` along
        `dim`, and is complex.

    Example:
        >>> print(ms.ops.fftn(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10.+0.j -2.+0.j]
         [-4.+0.j  0.+0.j]]
    """
    return _transform(xp, input, s, dim, norm, False)


@op(
    "ops.ifftn(input, s=None, dim=None, norm=None)",
    "mint.fft.ifftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.ifftn(a: input, s=None, axes: dim=None, norm=None)",
)
def ifftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the inverse discrete Fourier transform (FFT) over several axes, by default over all.

    Shapes:
        `input` may have any shape with at least one axis. The result has the lengths `s` along
        `dim`, and is complex.

    Example:
        >>> print(ms.ops.ifftn(ms.Tensor([[4.0, 0.0], [0.0, 0.0]])))
        [[1.+0.j 1.+0.j]
         [1.+0.j 1.+0.j]]
    """
    return _transform(xp, input, s, dim, norm, True)


@op(
    "ops.rfft(input, n=None, dim=-1, norm=None)",
    "mint.fft.rfft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.rfft(a: input, n=None, axis: dim=-1, norm=None)",
)
def rfft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) of a real signal along an axis: the half
    spectrum, without the mirrored frequencies.

    Shapes:
        `input` is real and has at least one axis. The result is complex and has length n // 2 + 1
        along `dim`.

    Example:
        >>> print(ms.ops.rfft(ms.Tensor([1.0, 2.0, 3.0, 4.0])))
        [10.+0.j -2.+2.j -2.+0.j]
    """
    return _half(xp, input, (n,), (dim,), norm)


@op(
    "ops.irfft(input, n=None, dim=-1, norm=None)",
    "mint.fft.irfft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.irfft(a: input, n=None, axis: dim=-1, norm=None)",
)
def irfft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the inverse of `rfft`: a real signal from its half spectrum.

    Shapes:
        `input` has at least one axis, of length m along `dim`. The result is real and has length
        `n` there, by default 2 (m - 1).

    Example:
        >>> print(ms.ops.irfft(ms.ops.rfft(ms.Tensor([1.0, 2.0, 3.0, 4.0]))))
        [1. 2. 3. 4.]
    """
    return _from_half(xp, input, (n,), (dim,), norm)


@op(
    "ops.rfft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.rfft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.rfft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def rfft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) of a real signal over two axes; along the last
    one, the half spectrum without the mirrored frequencies.

    Shapes:
        `input` is real and has at least two axes. The result is complex. Along the last axis of
        `dim`, its length is n // 2 + 1, where n is the length of the input or the entry of `s`.

    Example:
        >>> print(ms.ops.rfft2(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10.+0.j -2.+0.j]
         [-4.+0.j  0.+0.j]]
    """
    return _half(xp, input, s, dim, norm)


@op(
    "ops.irfft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.irfft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.irfft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def irfft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the inverse of `rfft2`: a real signal from its half spectrum.

    Shapes:
        `input` has at least two axes, of length m along the last of `dim`. The result is real and
        has the lengths `s`, by default 2 (m - 1) along the last axis.

    Example:
        >>> print(ms.ops.irfft2(ms.ops.rfft2(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))))
        [[1. 2.]
         [3. 4.]]
    """
    return _from_half(xp, input, s, dim, norm)


@op(
    "ops.rfftn(input, s=None, dim=None, norm=None)",
    "mint.fft.rfftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.rfftn(a: input, s=None, axes: dim=None, norm=None)",
)
def rfftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) of a real signal over several axes; along the
    last one, the half spectrum without the mirrored frequencies.

    Shapes:
        `input` is real and has at least one axis. The result is complex. Along the last axis of
        `dim`, its length is n // 2 + 1, where n is the length of the input or the entry of `s`.

    Example:
        >>> print(ms.ops.rfftn(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10.+0.j -2.+0.j]
         [-4.+0.j  0.+0.j]]
    """
    return _half(xp, input, s, dim, norm)


@op(
    "ops.irfftn(input, s=None, dim=None, norm=None)",
    "mint.fft.irfftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.irfftn(a: input, s=None, axes: dim=None, norm=None)",
)
def irfftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the inverse of `rfftn`: a real signal from its half spectrum.

    Shapes:
        `input` has at least one axis, of length m along the last of `dim`. The result is real and
        has the lengths `s`, by default 2 (m - 1) along the last axis.

    Example:
        >>> print(ms.ops.irfftn(ms.ops.rfftn(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]))))
        [[1. 2.]
         [3. 4.]]
    """
    return _from_half(xp, input, s, dim, norm)


@op(
    "ops.hfft(input, n=None, dim=-1, norm=None)",
    "mint.fft.hfft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.hfft(a: input, n=None, axis: dim=-1, norm=None)",
)
def hfft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) along an axis of a Hermitian signal, which is
    given as its half; the result is real.

    Shapes:
        `input` has at least one axis, of length m along `dim`. The result is real and has length
        `n` there, by default 2 (m - 1).

    Example:
        >>> print(ms.ops.hfft(ms.Tensor([1.0, 2.0, 3.0])))
        [ 8. -2.  0. -2.]
    """
    return _from_half(xp, xp.conj(input), (n,), (dim,), _OTHER[norm])


@op(
    "ops.ihfft(input, n=None, dim=-1, norm=None)",
    "mint.fft.ihfft(input, n=None, dim=-1, norm=None)",
    "numpy.fft.ihfft(a: input, n=None, axis: dim=-1, norm=None)",
)
def ihfft(xp, input: Signal, n: Length = None, dim: Axis = -1, norm: Norm = None):
    """Computes the inverse of `hfft`: half of a Hermitian signal from its real spectrum.

    Shapes:
        `input` is real and has at least one axis. The result is complex and has length n // 2 + 1
        along `dim`.

    Example:
        >>> print(ms.ops.ihfft(ms.Tensor([1.0, 2.0, 3.0, 4.0])))
        [ 2.5-0.j  -0.5-0.5j -0.5-0.j ]
    """
    return xp.conj(_half(xp, input, (n,), (dim,), _OTHER[norm]))


@op(
    "ops.hfft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.hfft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.hfft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def hfft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) over two axes of a Hermitian signal, which is
    given as its half; the result is real.

    Shapes:
        `input` has at least two axes, of length m along the last of `dim`. The result is real and
        has the lengths `s`, by default 2 (m - 1) along the last axis.

    Example:
        >>> print(ms.ops.hfft2(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10. -2.]
         [-4.  0.]]
    """
    return _from_half(xp, xp.conj(input), s, dim, _OTHER[norm])


@op(
    "ops.ihfft2(input, s=None, dim=(-2, -1), norm=None)",
    "mint.fft.ihfft2(input, s=None, dim=(-2, -1), norm=None)",
    "numpy.fft.ihfft2(a: input, s=None, axes: dim=(-2, -1), norm=None)",
)
def ihfft2(xp, input: Signal, s: Sizes = None, dim: Ints = (-2, -1), norm: Norm = None):
    """Computes the inverse of `hfft2`: half of a Hermitian signal from its real spectrum.

    Shapes:
        `input` is real and has at least two axes. The result is complex. Along the last axis of
        `dim`, its length is n // 2 + 1, where n is the length of the input or the entry of `s`.

    Example:
        >>> print(ms.ops.ihfft2(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[ 2.5-0.j -0.5-0.j]
         [-1. -0.j  0. -0.j]]
    """
    return xp.conj(_half(xp, input, s, dim, _OTHER[norm]))


@op(
    "ops.hfftn(input, s=None, dim=None, norm=None)",
    "mint.fft.hfftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.hfftn(a: input, s=None, axes: dim=None, norm=None)",
)
def hfftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the discrete Fourier transform (FFT) over several axes of a Hermitian signal, which
    is given as its half; the result is real.

    Shapes:
        `input` has at least one axis, of length m along the last of `dim`. The result is real and
        has the lengths `s`, by default 2 (m - 1) along the last axis.

    Example:
        >>> print(ms.ops.hfftn(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[10. -2.]
         [-4.  0.]]
    """
    return _from_half(xp, xp.conj(input), s, dim, _OTHER[norm])


@op(
    "ops.ihfftn(input, s=None, dim=None, norm=None)",
    "mint.fft.ihfftn(input, s=None, dim=None, norm=None)",
    "numpy.fft.ihfftn(a: input, s=None, axes: dim=None, norm=None)",
)
def ihfftn(xp, input: Signal, s: Sizes = None, dim: Axes = None, norm: Norm = None):
    """Computes the inverse of `hfftn`: half of a Hermitian signal from its real spectrum.

    Shapes:
        `input` is real and has at least one axis. The result is complex. Along the last axis of
        `dim`, its length is n // 2 + 1, where n is the length of the input or the entry of `s`.

    Example:
        >>> print(ms.ops.ihfftn(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [[ 2.5-0.j -0.5-0.j]
         [-1. -0.j  0. -0.j]]
    """
    return xp.conj(_half(xp, input, s, dim, _OTHER[norm]))


for _operator in (
    fft,
    ifft,
    fft2,
    ifft2,
    fftn,
    ifftn,
    rfft,
    irfft,
    rfft2,
    irfft2,
    rfftn,
    irfftn,
    hfft,
    ihfft,
    hfft2,
    ihfft2,
    hfftn,
    ihfftn,
):
    _operator.upcast = False  # float16 becomes complex64, and a real result of it stays float32


@public("ops.FFTWithSize")
class FFTWithSize(Primitive):
    """Computes a discrete Fourier transform (FFT) over the last `signal_ndim` axes: complex, or
    from a real signal to its half spectrum and back.

    Args:
        signal_ndim (int): 1, 2 or 3.
        inverse (bool): True for the inverse transform.
        real (bool): True for a real signal.
        norm (str): "backward", "forward" or "ortho". Default: "backward".
        onesided (bool): True to return (or, for the inverse, accept) half of the frequencies of a
            real signal. Default: True.
        signal_sizes (tuple[int]): the lengths of the real signal, for the inverse of a half
            spectrum. Default: ().

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.FFTWithSize(1, False, False)(ms.Tensor([1 + 0j, 0j])))
        [1.+0.j 1.+0.j]

    Source: mindspore.ops.FFTWithSize of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        signal_ndim: ScalarOf(Int(ge=1, le=3)),
        inverse: Bool,
        real: Bool,
        norm: AnyCase(OneOf("backward", "forward", "ortho")) = "backward",
        onesided: Bool = True,
        signal_sizes: TupleOf(Int) | ListOf(Int) = (),
    ):
        super().__init__("FFTWithSize")
        self.signal_ndim, self.inverse, self.real = signal_ndim, inverse, real
        self.norm, self.onesided, self.signal_sizes = norm, onesided, tuple(signal_sizes)

    @checked
    def __call__(self, x: Signal):
        axes = tuple(range(-self.signal_ndim, 0))
        if not self.real and x._array.dtype.kind != "c":
            raise TypeError(
                f"For 'FFTWithSize', 'x' must be complex where 'real' is False, but "
                f"got dtype {x.dtype}."
            )
        if self.real and not self.inverse and x._array.dtype.kind == "c":
            raise TypeError(
                f"For 'FFTWithSize', 'x' must be real where 'real' is True, but got "
                f"dtype {x.dtype}."
            )
        half = self.real and self.onesided
        name = f"{'i' if self.inverse else ''}{'r' if half else ''}fftn"
        sizes = self.signal_sizes if half and self.inverse and self.signal_sizes else None
        result = build("ops", name)(x, sizes, axes, self.norm)
        return build("ops", "real")(result) if self.real and self.inverse and not half else result
