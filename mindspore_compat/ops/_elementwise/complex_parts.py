"""Complex numbers: their parts, and numbers made of parts."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, any_dtype, number
from .elementary import _floating as as_floating

Anything = TensorOf(any_dtype)


@op("ops.real(input)", "ops.Real()(input)", "Tensor.real()", "mint.real(input)")
def real(xp, input: Anything):
    """The real part, a copy."""
    return xp.array(xp.real(input) if input.dtype.kind == "c" else input)


@op("ops.imag(input)", "ops.Imag()(input)", "Tensor.imag()", "mint.imag(input)")
def imag(xp, input: Anything):
    """The imaginary part; zeros if the input is real."""
    return xp.array(xp.imag(input)) if input.dtype.kind == "c" else xp.zeros_like(input)


@op("ops.conj(input)", "ops.Conj()(input)", "Tensor.conj()", "ops.conjugate(input)")
def conj(xp, input: TensorOf(number)):
    """The complex conjugate."""
    return xp.conj(input)


@op("ops.angle(input)", "ops.Angle()(input)", "Tensor.angle()")
def angle(xp, input: Anything):
    """The angle of a complex number in radians, in (-pi, pi]."""
    return xp.angle(as_floating(xp, input))


def _complex_dtype(x):
    return "complex128" if x.dtype == "float64" else "complex64"


@op("ops.Complex()(real, imag)", "ops.complex(real, imag)", types=SameDtype("real imag"))
def complex(xp, real: TensorOf("float32", "float64"), imag: TensorOf("float32", "float64")):
    """The complex numbers with these real and imaginary parts."""
    wide = _complex_dtype(real)
    return xp.cast(real, wide) + 1j * xp.cast(imag, wide)


@op(
    "ops.polar(abs: size, angle)",
    "mint.polar(abs: size, angle)",
    "ops.Polar()(abs: size, angle)",
    types=SameDtype("size angle"),
)
def polar(xp, size: TensorOf("float32", "float64"), angle: TensorOf("float32", "float64")):
    """The complex numbers of this size at this angle in radians."""
    if size.shape != angle.shape:
        raise ValueError(f"For 'polar', 'abs' and 'angle' must have one shape, but got "
                         f"{size.shape} and {angle.shape}.")
    wide = _complex_dtype(size)
    return xp.cast(size * xp.cos(angle), wide) + 1j * xp.cast(size * xp.sin(angle), wide)


@op("ops.view_as_real(input)")
def view_as_real(xp, input: TensorOf("complex64", "complex128")):
    """The real and imaginary parts along a new last axis."""
    return xp.stack([xp.real(input), xp.imag(input)], -1)


@op("ops.isreal(input)", "Tensor.isreal()")
def isreal(xp, input: Anything):
    """True where the imaginary part is 0."""
    return xp.isreal(input)
