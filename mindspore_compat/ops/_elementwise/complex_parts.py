"""Complex numbers: real and imaginary parts, angles, conjugates, and construction from parts."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import TensorOf, number
from .._rules import Anything
from .unary import as_floating


@op("ops.real(input)", "ops.Real()(input)", "Tensor.real()", "mint.real(input)")
def real(xp, input: Anything):
    """Returns the real part of each element, as a copy.

    Shapes:
        `input` may have any shape. The result has the same shape; complex64 gives float32,
        complex128 gives float64, and a real dtype is kept.

    Example:
        >>> print(ms.ops.real(ms.Tensor([1 + 2j, 3 - 4j])))
        [1. 3.]
    """
    return xp.array(xp.real(input) if input.dtype.kind == "c" else input)


@op("ops.imag(input)", "ops.Imag()(input)", "Tensor.imag()", "mint.imag(input)")
def imag(xp, input: Anything):
    """Returns the imaginary part of each element, which is 0 for a real number.

    Shapes:
        `input` may have any shape. The result has the same shape; complex64 gives float32,
        complex128 gives float64, and a real dtype is kept.

    Example:
        >>> print(ms.ops.imag(ms.Tensor([1 + 2j, 3 - 4j])))
        [ 2. -4.]
    """
    return xp.array(xp.imag(input)) if input.dtype.kind == "c" else xp.zeros_like(input)


@op("ops.conj(input)", "ops.Conj()(input)", "Tensor.conj()", "ops.conjugate(input)")
def conj(xp, input: TensorOf(number)):
    """Computes the complex conjugate of each element.

    Shapes:
        `input` may have any shape. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.conj(ms.Tensor([1 + 2j, 3 - 4j])))
        [1.-2.j 3.+4.j]
    """
    return xp.conj(input)


@op("ops.angle(input)", "ops.Angle()(input)", "Tensor.angle()")
def angle(xp, input: Anything):
    """Computes the angle of each complex number in radians, in (-pi, pi].

    Shapes:
        `input` may have any shape. The result has the same shape and a floating dtype: float32 for
        complex64 and integers, float64 for complex128.

    Example:
        >>> print(ms.ops.angle(ms.Tensor([1j, -1 + 0j])))
        [1.57079633 3.14159265]
    """
    return xp.angle(as_floating(xp, input))


@op("ops.Complex()(real, imag)", "ops.complex(real, imag)", types=SameDtype("real imag"))
def complex(xp, real: TensorOf("float32", "float64"), imag: TensorOf("float32", "float64")):
    """Builds complex numbers from their real and imaginary parts.

    Shapes:
        The shapes of `real` and `imag` are broadcast and their dtypes are equal. float32 gives
        complex64, float64 gives complex128.

    Example:
        >>> print(ms.ops.Complex()(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, -4.0])))
        [1.+3.j 2.-4.j]
    """
    return xp.from_parts(real, imag)


@op(
    "ops.polar(abs: size, angle)",
    "mint.polar(abs: size, angle)",
    "ops.Polar()(abs: size, angle)",
    types=SameDtype("size angle"),
)
def polar(xp, size: TensorOf("float32", "float64"), angle: TensorOf("float32", "float64")):
    """Builds complex numbers from their absolute values and their angles in radians: abs
    (cos(angle) + i sin(angle)).

    Shapes:
        The absolute values and `angle` have one shape and one dtype. float32 gives complex64,
        float64 gives complex128.

    Example:
        >>> print(ms.ops.polar(ms.Tensor([1.0, 2.0]), ms.Tensor([0.0, np.pi])))
        [ 1.+0.0000000e+00j -2.-1.7484555e-07j]
    """
    if size.shape != angle.shape:
        raise ValueError(
            f"For 'polar', 'abs' and 'angle' must have one shape, but got "
            f"{size.shape} and {angle.shape}."
        )
    return xp.from_parts(size * xp.cos(angle), size * xp.sin(angle))


@op("ops.view_as_real(input)")
def view_as_real(xp, input: TensorOf("complex64", "complex128")):
    """Writes the real and the imaginary part of each element side by side along a new last axis.

    Shapes:
        `input` is complex, of any shape (...). The result is (..., 2), of float32 for complex64 and
        float64 for complex128.

    Example:
        >>> print(ms.ops.view_as_real(ms.Tensor([1 + 2j, 3 - 4j])))
        [[ 1.  2.]
         [ 3. -4.]]
    """
    return xp.stack([xp.real(input), xp.imag(input)], -1)


@op("ops.isreal(input)", "Tensor.isreal()")
def isreal(xp, input: Anything):
    """Tests which elements are real, that is, have an imaginary part of 0.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isreal(ms.Tensor([1 + 0j, 1 + 2j])))
        [ True False]
    """
    return xp.isreal(input)


@op("ops.ComplexAbs()(x)")
def complex_abs(xp, x: TensorOf("complex64", "complex128")):
    """Computes the absolute values of complex numbers.

    Shapes:
        `x` may have any shape. The result has the same shape; complex64 gives float32 and
        complex128 gives float64.

    Example:
        >>> print(ms.ops.ComplexAbs()(ms.Tensor([3 + 4j])))
        [5.]
    """
    return xp.abs(x)
