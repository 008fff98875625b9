"""Discrete cosine transforms of `mindspore.scipy.fft`: type 2 and its inverse, the only types that
MindSpore has. Both are orthonormal, so each is the transpose and the inverse of the other.

A transform of length N is computed as one complex transform of the same length. Its input has the
even indices first, then the odd ones in reverse order (J. Makhoul, "A Fast Cosine Transform in One
and Two Dimensions", 1980, doi:10.1109/TASSP.1980.1163351).
"""

import math

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, ListOf, OneOf, TensorOf, TupleOf, checked, floating
from .fft import _resize

Signal = TensorOf(floating | {"int16", "int32", "int64", "complex64", "complex128"})
Kind = OneOf(2)
Norm = OneOf("ortho", "ORTHO") | None
Sizes = TupleOf(Int(ge=1)) | ListOf(Int(ge=1)) | None
Axes = TupleOf(Int) | ListOf(Int) | None


def _order(count):
    """Returns the even indices, then the odd ones from the last to the first."""
    return [*range(0, count, 2), *range(1, count, 2)[::-1]]


def _phases(xp, count, axis, rank, dtype):
    """Returns the cosines and the sines of the angles of a quarter turn, times the scale of the
    transform."""
    shape = (1,) * axis + (count,) + (1,) * (rank - axis - 1)
    angles = xp.cast(xp.arange(count), dtype) * (-math.pi / (2 * count))
    scale = xp.where(xp.arange(count) == 0, math.sqrt(1 / count), math.sqrt(2 / count))
    scale = xp.reshape(xp.cast(scale, dtype), shape)
    return xp.reshape(xp.cos(angles), shape) * scale, xp.reshape(xp.sin(angles), shape) * scale


def _cosines(xp, x, axis, inverse):
    """Computes the transform of real values along an axis."""
    count = x.shape[axis]
    even, odd = _phases(xp, count, axis, x.ndim, x.dtype)
    kind = "complex128" if x.dtype == "float64" else "complex64"
    order = _order(count)
    if inverse:
        spectrum = xp.cast(x * even, kind) + xp.cast(x * odd, kind) * 1j
        back = [order.index(index) for index in range(count)]
        return xp.take(xp.real(xp.fft_c2c(spectrum, (axis,), None, False)), xp.asarray(back), axis)
    whole = xp.fft_c2c(xp.cast(xp.take(x, xp.asarray(order), axis), kind), (axis,), None, False)
    return xp.real(whole) * even - xp.imag(whole) * odd


def _axes_and_sizes(x, sizes, axes):
    """Returns (the axes counted from 0, the length along each or None).

    Raises:
        ValueError: if axes and sizes differ in number, or an axis is out of range or occurs twice.
    """
    if axes is None:
        axes = range(x.ndim) if sizes is None else range(-len(sizes), 0)
    sizes = (None,) * len(axes) if sizes is None else tuple(sizes)
    if len(sizes) != len(axes):
        raise ValueError(
            f"For 'dctn', 's' and 'axes' must have one length, but got {sizes} and {tuple(axes)}."
        )
    if not x.ndim or any(not -x.ndim <= axis < x.ndim for axis in axes):
        raise ValueError(
            f"For 'dctn', the axes must be in [{-x.ndim}, {x.ndim}), but got {tuple(axes)}."
        )
    result = tuple(axis % x.ndim for axis in axes)
    if len(set(result)) < len(result):
        raise ValueError(f"For 'dctn', 'axes' must not name an axis twice, but got {tuple(axes)}.")
    if 0 in x.shape:
        raise ValueError(f"For 'dctn', 'x' must have elements, but got shape {x.shape}.")
    return result, sizes


def _transform(xp, x, sizes, axes, inverse):
    """Computes the transform over several axes. For complex values, transforms the real and the
    imaginary part.
    """
    if x.dtype.kind == "c":
        parts = [_transform(xp, part, sizes, axes, inverse) for part in (xp.real(x), xp.imag(x))]
        return xp.cast(parts[0], x.dtype) + xp.cast(parts[1], x.dtype) * 1j
    axes, sizes = _axes_and_sizes(x, sizes, axes)
    x = x if x.dtype == "float64" else xp.cast(x, "float32")
    for count, axis in zip(sizes, axes):
        x = _cosines(xp, _resize(xp, x, count, axis), axis, inverse)
    return x


@op(compute="native")
def cosine_transform(xp, x: Signal, s: Sizes, axes: Axes, inverse: Bool):
    """Crops or zero-pads the input to `s`, and computes the transform over several axes."""
    return _transform(xp, x, s, axes, inverse)


@public("scipy.fft.dct")
@checked
def dct(x: Signal, type: Kind = 2, n: Int(ge=1) | None = None, axis: Int = -1, norm: Norm = None):
    """Computes the orthonormal discrete cosine transform (DCT) of type 2 along an axis.

    Args:
        x (Tensor): the values; ints, float16 and bfloat16 give float32; the real and the imaginary
            part of complex values are transformed separately.
        type (int, optional): must be 2, the only type that MindSpore has.
        n (int, optional): the length; a longer input is cropped, a shorter one padded with zeros.
        axis (int, optional): the axis.
        norm (str, optional): must be "ortho", the only normalization that MindSpore has.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is out of range.

    Source: mindspore.scipy.fft.dct of MindSpore 2.10; J. Makhoul, 1980.
    """
    return cosine_transform.run(x, None if n is None else (n,), (axis,), False)


@public("scipy.fft.idct")
@checked
def idct(x: Signal, type: Kind = 2, n: Int(ge=1) | None = None, axis: Int = -1, norm: Norm = None):
    """Computes the inverse discrete cosine transform (DCT) of the input, cropped or zero-padded to
    length `n`. The arguments are the same as for `dct`.

    Source: mindspore.scipy.fft.idct of MindSpore 2.10.
    """
    return cosine_transform.run(x, None if n is None else (n,), (axis,), True)


@public("scipy.fft.dctn")
@checked
def dctn(x: Signal, type: Kind = 2, s: Sizes = None, axes: Axes = None, norm: Norm = None):
    """Computes the discrete cosine transform (DCT) of type 2 over several axes.

    Args:
        x (Tensor): the values; ints, float16 and bfloat16 give float32; the real and the imaginary
            part of complex values are transformed separately.
        type (int, optional): must be 2, the only type that MindSpore has.
        s (tuple[int], optional): the length of each axis; a longer input is cropped, a shorter one
            padded with zeros.
        axes (tuple[int], optional): the axes; by default the last len(s), or all.
        norm (str, optional): must be "ortho", the only normalization that MindSpore has.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if a value is out of range, an axis occurs twice, or `s` has another length.

    Source: mindspore.scipy.fft.dctn of MindSpore 2.10.
    """
    return cosine_transform.run(x, s, axes, False)


@public("scipy.fft.idctn")
@checked
def idctn(x: Signal, type: Kind = 2, s: Sizes = None, axes: Axes = None, norm: Norm = None):
    """Computes the inverse discrete cosine transform (DCT) over several axes of the input, cropped
    or zero-padded to `s`. The arguments are the same as for `dctn`.

    Source: mindspore.scipy.fft.idctn of MindSpore 2.10.
    """
    return cosine_transform.run(x, s, axes, True)
