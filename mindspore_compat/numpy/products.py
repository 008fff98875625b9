"""mindspore.numpy: products of vectors and matrices, norms, convolution, interpolation. Polynomials
are in `_polynomials`."""

import math

from .._core.declare.public_api import build
from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, InstanceOf, Int, Number, Str
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise import arithmetic, clamp, division, elementary
from ..ops._elementwise.cast import cast
from ..ops._linalg import matmul as matmul_ops
from ..ops._linalg import products
from ..ops._reduction import cumulative, reduce
from ..ops._reduction import norm as norm_ops
from ..ops._shape import flip_roll, join_split, pad, transpose
from . import _polynomials
from ._convert import as_tensor, axes_of, axis_of, need_tensor, refuse_complex, with_dtype
from ._polynomials import *  # noqa: F403
from ._sliding import sliding

_Axes = (Int | InstanceOf(tuple, list)).called("an int, tuple or list")
_Operand = InstanceOf(Tensor, list, tuple).called("Tensors, lists or tuples")

_Arrays = InstanceOf(list, tuple, Tensor).called("a list, tuple or Tensor")

__all__ = [
    "convolve",
    "correlate",
    "cross",
    "dot",
    "inner",
    "interp",
    "kron",
    "matmul",
    "matrix_power",
    "multi_dot",
    "norm",
    "outer",
    "tensordot",
    "unwrap",
]
__all__ += _polynomials.__all__


def _two(a, b, api):
    """Returns two Tensors of one dtype, which must not be bool.

    Raises:
        TypeError: if one is anything else.
    """
    a, b = need_tensor(a, api), need_tensor(b, api)
    if a.dtype != b.dtype or a._array.dtype.kind == "b":
        raise TypeError(
            f"For '{api}', the inputs must have one dtype, not bool, but got {a.dtype} "
            f"and {b.dtype}."
        )
    return a, b


def _check_aligned(a, b, axis, api):
    """Rejects Tensors whose contracted axes differ in length with a ValueError."""
    if a.shape[-1] != b.shape[axis if b.ndim > 1 else -1]:
        raise ValueError(
            f"For '{api}', the axes that are summed must have one length, but got "
            f"shapes {a.shape} and {b.shape}."
        )


def dot(a, b):
    """Computes the dot product of vectors, or the product of matrices.

    The last axis of `a` is contracted with the second-to-last axis of `b`, or its only one; a
    number multiplies every element.

    Args:
        a, b (Tensor): of one dtype, unless one has no axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.dot(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: mindspore.numpy.dot of MindSpore 2.10.
    """
    a, b = need_tensor(a, "dot"), need_tensor(b, "dot")
    if not a.ndim or not b.ndim:
        return a * b
    _check_aligned(a, b, -2, "dot")
    return cast.run(matmul_ops.mint_dot.run(*_two(a, b, "dot")), a._array.dtype)


@checked
def matmul(x1, x2, dtype=None):
    """Computes the matrix product over the last two axes of Tensors of one dtype.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.matmul(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: mindspore.numpy.matmul of MindSpore 2.10.
    """
    x1, x2 = _two(x1, x2, "matmul")
    if not x1.ndim or not x2.ndim:
        raise ValueError("For 'matmul', the inputs must have an axis.")
    _check_aligned(x1, x2, -2, "matmul")
    return with_dtype(matmul_ops.matmul.run(x1, x2), dtype, "matmul")


def inner(a, b):
    """Computes the inner product of Tensors over their last axes; a number multiplies every
    element.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.inner(ms.Tensor([1.0, 2.0]), ms.Tensor([3.0, 4.0])))
        11.0

    Source: mindspore.numpy.inner of MindSpore 2.10.
    """
    a, b = need_tensor(a, "inner"), need_tensor(b, "inner")
    if not a.ndim or not b.ndim:
        return a * b
    _check_aligned(a, b, -1, "inner")
    return products.inner.run(*_two(a, b, "inner"))


def outer(a, b):
    """Computes the outer product of two Tensors of one dtype; raises a TypeError for other values.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.outer(ms.Tensor([1, 2]), ms.Tensor([3, 4])))
        [[3 4]
         [6 8]]

    Source: mindspore.numpy.outer of MindSpore 2.10.
    """
    a, b = _two(a, b, "outer")
    return matmul_ops.outer.run(a.reshape(-1), b.reshape(-1))


def tensordot(a, b, axes=2):
    """Computes the tensor dot product (contraction) of Tensors of one dtype over axes.

    Args:
        a, b (Tensor): of one dtype.
        axes (Union[int, tuple, list]): the number of last axes of `a` and first axes of `b`, or the
            two lists of axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.tensordot(ms.numpy.ones((2, 3)), ms.numpy.ones((3, 4)), 1).shape)
        (2, 4)

    Source: mindspore.numpy.tensordot of MindSpore 2.10.
    """
    a, b = need_tensor(a, "tensordot"), need_tensor(b, "tensordot")
    _Axes.refuse("tensordot", "axes", axes)
    left, right = _summed_axes(a, b, axes)
    if [a.shape[i] for i in left] != [b.shape[i] for i in right]:
        raise ValueError(
            f"For 'tensordot', the axes that are summed must have one length, but got "
            f"shapes {a.shape} and {b.shape} with axes {axes}."
        )
    return products.tensor_dot.run(*_two(a, b, "tensordot"), (left, right))


def _summed_axes(a, b, axes):
    """Returns the axes of both Tensors that are contracted, counted from 0."""
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(
                f"For 'tensordot', 'axes' must be in [0, {min(a.ndim, b.ndim)}], but got {axes}."
            )
        return tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    if len(axes) != 2:
        raise ValueError(f"For 'tensordot', 'axes' must be two lists of axes, but got {axes}.")
    if any(isinstance(axis, (str, float)) for axis in axes):
        raise TypeError(f"For 'tensordot', 'axes' must hold ints, but got {axes}.")
    left, right = (axes_of(axis, t.ndim, "tensordot") for axis, t in zip(axes, (a, b)))
    if len(left) != len(right):
        raise ValueError(f"For 'tensordot', there must be as many axes of both, but got {axes}.")
    return left, right


def kron(a, b):
    """Computes the Kronecker product of two array-like values.

    Raises:
        TypeError: if an argument has the wrong type, or only one of them is complex.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.kron([1, 2], [1, 1]))
        [1 1 2 2]

    Source: mindspore.numpy.kron of MindSpore 2.10.
    """
    a, b = as_tensor(a, "kron"), as_tensor(b, "kron")
    refuse_complex("kron", a, b)
    common = promote_np(a._array.dtype, b._array.dtype)
    if not a.size or not b.size:
        return cast.run((a.reshape(-1)[:0]), common)
    return cast.run(products.kron.run(a, b), common)


@checked
def cross(
    a,
    b,
    axisa: Int | Bool = -1,
    axisb: Int | Bool = -1,
    axisc: Int | Bool = -1,
    axis: Int | Bool = None,
):
    """Computes the cross product of vectors of length 2 or 3.

    Args:
        a, b (Union[Tensor, list, tuple]): the vectors.
        axisa, axisb, axisc (int): the axes of the vectors in `a`, in `b` and in the result.
        axis (int): if given, the axis in all three.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if an axis is out of range, or the vectors have another length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.cross([1, 0, 0], [0, 1, 0]))
        [0 0 1]

    Source: mindspore.numpy.cross of MindSpore 2.10.
    """
    a, b = as_tensor(a, "cross"), as_tensor(b, "cross")
    refuse_complex("cross", a, b)
    if axis is not None:
        axisa = axisb = axisc = axis
    if not a.ndim or not b.ndim:
        raise ValueError("For 'cross', the inputs must have an axis.")
    a = transpose.moveaxis.run(a, axis_of(axisa, a.ndim, "cross", True), -1)
    b = transpose.moveaxis.run(b, axis_of(axisb, b.ndim, "cross", True), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(
            f"For 'cross', the vectors must have length 2 or 3, but got {a.shape} and {b.shape}."
        )
    flat = a.shape[-1] == b.shape[-1] == 2
    rank = max(a.ndim, b.ndim) - flat
    if not rank or not -rank <= axisc < rank:
        raise ValueError(f"For 'cross', 'axisc' must be an axis of the result, but got {axisc}.")
    a, b = (
        pad.pad_constant.run(v, [(0, 0)] * (v.ndim - 1) + [(0, 3 - v.shape[-1])], 0) for v in (a, b)
    )
    parts = [
        a[..., (i + 1) % 3] * b[..., (i + 2) % 3] - a[..., (i + 2) % 3] * b[..., (i + 1) % 3]
        for i in range(3)
    ]
    if flat:
        return parts[2]
    return transpose.moveaxis.run(join_split.stack.run(parts, -1), -1, int(axisc))


@checked
def multi_dot(arrays: _Arrays):
    """Multiplies several matrices in the order with the fewest multiplications.

    Args:
        arrays (Union[list, tuple, Tensor]): at least two matrices; the first and last may be
            vectors.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if there are fewer than two, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.multi_dot([ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]]),
        ...                           ms.Tensor([[2.0]])]))
        [[22.]]

    Source: mindspore.numpy.multi_dot of MindSpore 2.10.
    """
    if isinstance(arrays, Tensor):
        if arrays.ndim < 2:
            raise ValueError(
                f"For 'multi_dot', a Tensor must have two axes, but got shape {arrays.shape}."
            )
        arrays = [arrays[i] for i in range(arrays.shape[0])]
    arrays = [as_tensor(a, "multi_dot") for a in arrays]
    if len(arrays) < 2:
        raise ValueError(
            f"For 'multi_dot', there must be at least two matrices, but got {len(arrays)}."
        )
    while len(arrays) > 1:
        shared = [a.shape[-1] if a.ndim else 1 for a in arrays[:-1]]
        at = shared.index(max(shared))
        arrays[at : at + 2] = [dot(*arrays[at : at + 2])]
    return arrays[0]


@checked
def matrix_power(a, n: Int(ge=0) | Bool):
    """Raises square matrices to an integer power; power 0 gives identity matrices.

    Args:
        a (Union[list, tuple, Tensor]): the matrices; not bools.
        n (int): the exponent; not negative, as in MindSpore.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `a` is not a square matrix, or `n` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.matrix_power(ms.Tensor([[1.0, 1.0], [0.0, 1.0]]), 3))
        [[1. 3.]
         [0. 1.]]

    Source: mindspore.numpy.matrix_power of MindSpore 2.10.
    """
    a = as_tensor(a, "matrix_power")
    if a.ndim < 2 or a.shape[-1] != a.shape[-2]:
        raise ValueError(
            f"For 'matrix_power', 'a' must be a square matrix, but got shape {a.shape}."
        )
    if a._array.dtype.kind == "b":
        raise TypeError("For 'matrix_power', 'a' must not hold bools.")
    if not n:
        return build("ops", "eye")(a.shape[-1], a.shape[-1], a.dtype).broadcast_to(a.shape)
    result, square, exponent = None, a, int(n)
    while exponent:
        if exponent % 2:
            result = square if result is None else matmul_ops.matmul.run(result, square)
        exponent //= 2
        square = matmul_ops.matmul.run(square, square) if exponent else square
    return result


# Norms --------------------------------------------------------------------------------------------


@checked
def norm(x, ord=None, axis=None, keepdims: Bool = False):
    """Computes the norm of vectors or matrices over axes; at least float32.

    Args:
        x (Union[Tensor, number, list, tuple]): the vectors or matrices.
        ord (Union[number, "fro", "nuc", inf, -inf]): the order of the norm; by default the root of
            the sum of squares.
        axis (Union[int, tuple, list, None]): one axis for vectors, two for matrices; None means
            all.
        keepdims (bool): whether the axes are kept with length 1.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `ord` is not a norm of vectors or matrices, or the axes are out of range or
            more than two.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.norm(ms.Tensor([3.0, 4.0])))
        5.0

    Source: mindspore.numpy.norm of MindSpore 2.10.
    """
    x = as_tensor(x, "norm")
    axes = axes_of(axis, x.ndim, "norm", bools=True)
    if axis is None and ord is None:
        x = x.reshape(-1) if not keepdims else x
        return _root_of_squares(x, axes if keepdims else (0,), keepdims)
    if axis is not None and not axes or len(axes) not in (1, 2):
        raise ValueError(
            f"For 'norm', there must be one axis or two, but got {axis} for shape {x.shape}."
        )
    if ord is None:
        return _root_of_squares(x, axes, keepdims)
    return _norm_of(x, ord, axes, keepdims)


def _root_of_squares(x, axes, keepdims):
    x = _at_least_single(x)
    size = arithmetic.abs.run(x)
    root = elementary.sqrt.run(reduce.reduce_sum.run(size * size, axes, keepdims))
    return cast.run(root, x._array.dtype)


def _at_least_single(x):
    """Casts ints, bools and low-precision floats to float32."""
    return (
        cast.run(x, "float32")
        if x._array.dtype.kind in "biu" or (x._array.dtype.itemsize == 2)
        else x
    )


def _norm_of(x, ord, axes, keepdims):
    """Computes a norm with a given order, over one axis or two."""
    orders = (
        isinstance(ord, (int, float))
        if len(axes) == 1
        else (
            ord in ("fro", "nuc", 1, -1, 2, -2, math.inf, -math.inf)
            if isinstance(ord, (str, int, float))
            else False
        )
    )
    if not orders:
        raise ValueError(
            f"For 'norm', 'ord' must be a norm of {'vectors' * (len(axes) == 1)}"
            f"{'matrices' * (len(axes) == 2)}, but got {ord!r}."
        )
    exact = ord in (math.inf, -math.inf) or (len(axes) == 2 and ord in (1, -1))
    kind = x._array.dtype
    upcast = _at_least_single(x)
    ord = float(ord) if not isinstance(ord, str) else ord
    result = norm_ops.norm.run(upcast, ord, axes[0] if len(axes) == 1 else axes, keepdims)
    return cast.run(result, kind) if exact and kind.kind in "iu" else result


# Convolution --------------------------------------------------------------------------------------


def convolve(a, v, mode="full"):
    """Computes the convolution of two vectors.

    Args:
        a, v (Union[number, list, tuple, Tensor]): the vectors; a number is a vector of length 1.
        mode (str): the part that is returned: "full", "same" or "valid".

    Raises:
        TypeError: if an argument has the wrong type, or is complex.
        ValueError: if an input is empty or not a vector, or `mode` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.convolve([1.0, 2.0], [1.0, 1.0]))
        [1. 3. 2.]

    Source: mindspore.numpy.convolve of MindSpore 2.10.
    """
    return sliding(as_tensor(a, "convolve"), as_tensor(v, "convolve"), mode, "convolve")


@checked
def correlate(a, v, mode: Str = "valid"):
    """Computes the cross-correlation of two vectors of one dtype; ints give floats of the same
    size.

    Args:
        a, v (Union[list, tuple, Tensor]): the vectors.
        mode (str): the part that is returned: "full", "same" or "valid".

    Raises:
        TypeError: if an argument has the wrong type, or the dtypes differ or are below 32 bits.
        ValueError: if an input is empty or not a vector, or `mode` is unknown.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.correlate([1.0, 2.0, 3.0], [1.0, 1.0]))
        [3. 5.]

    Source: mindspore.numpy.correlate of MindSpore 2.10.
    """
    for value in (a, v):
        _Operand.refuse_part("correlate", "the inputs", value)
    a, v = as_tensor(a, "correlate"), as_tensor(v, "correlate")
    if a.ndim != 1 or v.ndim != 1:
        raise ValueError(
            f"For 'correlate', the inputs must be vectors, but got shapes {a.shape} and {v.shape}."
        )
    if (
        a.ndim == v.ndim == 1
        and a.size
        and v.size
        and (a.dtype != v.dtype or a._array.dtype.kind in "biu" and a._array.dtype.itemsize < 4)
    ):
        raise TypeError(
            f"For 'correlate', the inputs must have one dtype, ints of 32 or 64 bits "
            f"or floats, but got {a.dtype} and {v.dtype}."
        )
    a, v = (
        cast.run(t, f"float{t._array.dtype.itemsize * 8}")
        if t._array.dtype.kind in "iu" and t._array.dtype.itemsize > 2
        else t
        for t in (a, v)
    )
    if a.ndim == v.ndim == 1 and a.shape[0] < v.shape[0]:
        result = sliding(v, flip_roll.flip.run(a, (0,)), mode, "correlate", complexes=True)
        return flip_roll.flip.run(result, (0,))
    reversed_v = flip_roll.flip.run(v, (0,)) if v.ndim == 1 and v.size else v
    return sliding(a, reversed_v, mode, "correlate", complexes=True)


# Angles and interpolation -------------------------------------------------------------------------


def _double_or_single(x):
    return x if x._array.dtype == "float64" else cast.run(x, "float32")


@checked
def unwrap(p, discont: Number | Bool = math.pi, axis: Int | Bool = -1):
    """Unwraps angles: replaces differences larger than `discont` by their complement to 2 pi;
    float32, or float64 for float64.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the axis is out of range or has one element.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.unwrap(ms.Tensor([0.0, 6.0])))
        [ 0.       -0.283185]

    Source: mindspore.numpy.unwrap of MindSpore 2.10.
    """
    p = as_tensor(p, "unwrap")
    refuse_complex("unwrap", p)
    if not p.ndim:
        raise ValueError("For 'unwrap', 'p' must have an axis.")
    axis = axis_of(axis, p.ndim, "unwrap", bools=True)
    if p.shape[axis] < 2:
        raise ValueError(f"For 'unwrap', the axis must have two elements, but got {p.shape}.")
    p = _double_or_single(p)
    gap = cumulative.diff.run(p, 1, axis)
    wrapped = division.floor_mod.run(gap + math.pi, 2 * math.pi) - math.pi
    where = build("ops", "where")
    wrapped = where((wrapped == -math.pi) & (gap > 0), math.pi, wrapped)
    change = where(arithmetic.abs.run(gap) < discont, 0.0, wrapped - gap)
    front = (slice(None),) * axis
    rest = p[front + (slice(1, None),)] + cumulative.cumsum.run(change, axis)
    return join_split.cat.run([p[front + (slice(0, 1),)], rest], axis)


def interp(x, xp, fp, left=None, right=None):
    """Interpolates linearly between the points (xp, fp); float32, or float64 for a float64 `x`.

    Args:
        x (Union[number, list, tuple, Tensor]): the positions at which to interpolate.
        xp, fp (Union[list, tuple, Tensor]): positions and values of the points, vectors of one
            length; `xp` ascends.
        left, right (Union[number, list, tuple, Tensor]): the values before and after all points; by
            default the first and the last point.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `xp` and `fp` are not vectors of one length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.interp(ms.Tensor([0.5]), ms.Tensor([0.0, 1.0]), ms.Tensor([10.0, 20.0])))
        [15.]

    Source: mindspore.numpy.interp of MindSpore 2.10.
    """
    x = as_tensor(x, "interp")
    refuse_complex("interp", x)
    x = _double_or_single(x)
    xp, fp = (cast.run(as_tensor(v, "interp"), "float32") for v in (xp, fp))
    if xp.ndim != 1 or fp.ndim != 1 or xp.shape != fp.shape or not xp.size:
        raise ValueError(
            f"For 'interp', 'xp' and 'fp' must be vectors of one length, but got "
            f"{xp.shape} and {fp.shape}."
        )
    ends = [
        cast.run(as_tensor(default if end_value is None else end_value, "interp"), "float32")
        for end_value, default in ((left, fp[0]), (right, fp[-1]))
    ]
    where = build("ops", "where")
    if xp.shape[0] == 1:
        result = x * 0 + fp[0]
    else:
        x4 = cast.run(x, "float32")
        high = build("ops", "searchsorted")(xp, x4, right=True)
        high = clamp.clamp.run(high, 1, xp.shape[0] - 1)
        low = high - 1
        weight = (x - xp[low]) / (xp[high] - xp[low])
        result = fp[low] + weight * (fp[high] - fp[low])
    result = where(x < xp[0], ends[0], result)
    return where(x > xp[-1], ends[1], result)
