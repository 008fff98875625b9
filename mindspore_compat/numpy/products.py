"""mindspore.numpy: products of vectors and matrices, convolution, polynomials, interpolation."""

import math

from .._core.surface import build
from .._core.tensor import Tensor
from ..ops import (
    _compare,
    _decompose,
    _linalg,
    _math,
    _padding,
    _reduce,
    _shape,
    _statistics,
)
from ..ops._cast import cast
from ._convert import as_tensor, axis_of, floats, with_dtype

__all__ = []


def _public(function):
    __all__.append(function.__name__)
    return function


@_public
def dot(a, b):
    """The product of vectors or matrices: sums over the last axis of a and the last but one of
    b."""
    a, b = as_tensor(a, "dot"), as_tensor(b, "dot")
    return a * b if a.ndim == 0 or b.ndim == 0 else _linalg.dot.run(a, b)


@_public
def matmul(x1, x2, dtype=None):
    """The matrix product over the last two axes."""
    return with_dtype(_linalg.matmul.run(as_tensor(x1, "matmul"), as_tensor(x2, "matmul")), dtype,
                      "matmul")


@_public
def inner(a, b):
    """Sums of products over the last axes."""
    return _decompose.inner.run(as_tensor(a, "inner"), as_tensor(b, "inner"))


@_public
def outer(a, b):
    """Every product of an element of a with one of b."""
    return _linalg.outer.run(as_tensor(a, "outer"), as_tensor(b, "outer"))


@_public
def tensordot(a, b, axes=2):
    """Sums of products over the axes named."""
    return _decompose.tensor_dot.run(as_tensor(a, "tensordot"), as_tensor(b, "tensordot"), axes)


@_public
def kron(a, b):
    """The Kronecker product."""
    return _decompose.kron.run(as_tensor(a, "kron"), as_tensor(b, "kron"))


@_public
def cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None):
    """The cross product of vectors of length 2 or 3."""
    a, b = as_tensor(a, "cross"), as_tensor(b, "cross")
    if axis is not None:
        axisa = axisb = axisc = axis
    a = _shape.moveaxis.run(a, axis_of(axisa, a.ndim, "cross"), -1)
    b = _shape.moveaxis.run(b, axis_of(axisb, b.ndim, "cross"), -1)
    if a.shape[-1] not in (2, 3) or b.shape[-1] not in (2, 3):
        raise ValueError(f"For 'cross', the vectors must have length 2 or 3, but got {a.shape} "
                         f"and {b.shape}.")
    flat = a.shape[-1] == b.shape[-1] == 2
    a, b = (_padding.pad_constant.run(v, [(0, 0)] * (v.ndim - 1) + [(0, 3 - v.shape[-1])],
                                      0) for v in (a, b))
    parts = [a[..., (i + 1) % 3] * b[..., (i + 2) % 3] - a[..., (i + 2) % 3] * b[...,
            (i + 1) % 3] for i in range(3)]
    if flat:
        return parts[2]
    return _shape.moveaxis.run(_shape.stack.run(parts, -1), -1, axisc)


@_public
def multi_dot(arrays):
    """The product of several matrices, in the order that needs the fewest multiplications."""
    arrays = [as_tensor(a, "multi_dot") for a in arrays]
    if len(arrays) < 2:
        raise ValueError(f"For 'multi_dot', there must be at least two matrices, but got "
                         f"{len(arrays)}.")
    while len(arrays) > 1:
        shared = [a.shape[-1] for a in arrays[:-1]]
        at = shared.index(max(shared))
        arrays[at:at + 2] = [_linalg.matmul.run(arrays[at], arrays[at + 1])]
    return arrays[0]


@_public
def norm(x, ord=None, axis=None, keepdims=False):
    """The norm of vectors or matrices over the axes given."""
    return _reduce.norm.run(floats(as_tensor(x, "norm")), ord, axis, keepdims)


def _sliding(a, v, mode, api):
    a, v = floats(as_tensor(a, api)), floats(as_tensor(v, api))
    if a.ndim != 1 or v.ndim != 1 or not a.size or not v.size:
        raise ValueError(f"For '{api}', the inputs must be vectors with elements, but got "
                         f"{a.shape} and {v.shape}.")
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"For '{api}', 'mode' must be 'full', 'same' or 'valid', "
                         f"but got {mode!r}.")
    if a.shape[0] < v.shape[0]:
        a, v = v, a
    count = v.shape[0]
    padded = _padding.pad_constant.run(a, [(count - 1, count - 1)], 0)
    total = a.shape[0] + count - 1
    rows = _shape.stack.run([padded[i:i + total] for i in range(count)], 0)
    whole = _linalg.matmul.run(_shape.flip.run(v, (0,)), rows)
    if mode == "full":
        return whole
    if mode == "valid":
        return whole[count - 1:a.shape[0]]
    start = (count - 1) // 2
    return whole[start:start + a.shape[0]]


@_public
def convolve(a, v, mode="full"):
    """The convolution of two vectors: "full", "same" or "valid"."""
    return _sliding(a, v, mode, "convolve")


@_public
def correlate(a, v, mode="valid"):
    """The sliding product of two vectors: "full", "same" or "valid"."""
    a, v = as_tensor(a, "correlate"), as_tensor(v, "correlate")
    if a.shape[0] < v.shape[0]:
        return _shape.flip.run(_sliding(v, _shape.flip.run(a, (0,)), mode, "correlate"), (0,))
    return _sliding(a, _shape.flip.run(v, (0,)), mode, "correlate")


# Polynomials --------------------------------------------------------------------------------------


def _aligned(a1, a2, api):
    one, two = as_tensor(a1, api).reshape(-1), as_tensor(a2, api).reshape(-1)
    count = max([one.shape[0], two.shape[0]])
    return [_padding.pad_constant.run(p, [(count - p.shape[0], 0)], 0) for p in (one, two)]


@_public
def polyadd(a1, a2):
    """The sum of two polynomials, given by their coefficients from the highest power down."""
    one, two = _aligned(a1, a2, "polyadd")
    return one + two


@_public
def polysub(a1, a2):
    """The difference of two polynomials."""
    one, two = _aligned(a1, a2, "polysub")
    return one - two


@_public
def polymul(a1, a2):
    """The product of two polynomials."""
    one, two = as_tensor(a1, "polymul").reshape(-1), as_tensor(a2, "polymul").reshape(-1)
    found = _sliding(one, two, "full", "polymul")
    return cast.run(found, _math.mul.run(one[:1], two[:1])._array.dtype)


@_public
def polyval(p, x):
    """The values of a polynomial at x, by Horner's rule."""
    p, x = as_tensor(p, "polyval").reshape(-1), as_tensor(x, "polyval")
    found = x * 0 + p[0]
    for i in range(1, p.shape[0]):
        found = found * x + p[i]
    return found


@_public
def polyder(p, m=1):
    """The m-th derivative of a polynomial.

    Raises:
        ValueError: if `m` is negative.
    """
    p = as_tensor(p, "polyder").reshape(-1)
    if m < 0:
        raise ValueError(f"For 'polyder', 'm' must not be negative, but got {m}.")
    for _ in range(m):
        degrees = list(range(p.shape[0] - 1, 0, -1))
        p = p[:-1] * as_tensor(degrees) if degrees else p[:0]
    return p


@_public
def polyint(p, m=1, k=None):
    """The m-th integral of a polynomial, with the constants k (0 by default).

    Raises:
        ValueError: if `m` is negative, or `k` has another length.
    """
    p = floats(as_tensor(p, "polyint").reshape(-1))
    if m < 0:
        raise ValueError(f"For 'polyint', 'm' must not be negative, but got {m}.")
    constants = as_tensor(0.0 if k is None else k, "polyint").reshape(-1)
    constants = constants.broadcast_to((m,)) if constants.shape[0] == 1 else constants
    if constants.shape[0] != m:
        raise ValueError(f"For 'polyint', 'k' must hold one or {m} constants, but got "
                         f"{constants.shape[0]}.")
    for i in range(m):
        degrees = Tensor([float(n) for n in range(p.shape[0], 0, -1)])
        p = _shape.cat.run([p / degrees, floats(constants[i:i + 1])], 0)
    return p


@_public
def unwrap(p, discont=math.pi, axis=-1):
    """Angles without jumps larger than `discont`, by turns of 2 pi."""
    p = floats(as_tensor(p, "unwrap"))
    gap = _statistics.diff.run(p, 1, axis)
    turned = _math.floor_mod.run(gap + math.pi, 2 * math.pi) - math.pi
    where = build("ops", "where")
    turned = where((turned == -math.pi) & (gap > 0), math.pi, turned)
    change = where(_math.abs.run(gap) < discont, 0.0, turned - gap)
    front = (slice(None),) * (axis % p.ndim)
    rest = p[front + (slice(1, None),)] + _reduce.cumsum.run(change, axis % p.ndim)
    return _shape.cat.run([p[front + (slice(0, 1),)], rest], axis % p.ndim)


@_public
def interp(x, xp, fp, left=None, right=None):
    """Values between points (xp, fp) by straight lines; `left` and `right` beyond the ends."""
    x, xp, fp = (floats(as_tensor(v, "interp")) for v in (x, xp, fp))
    if xp.ndim != 1 or fp.ndim != 1 or xp.shape != fp.shape:
        raise ValueError(f"For 'interp', 'xp' and 'fp' must be vectors of one length, but got "
                         f"{xp.shape} and {fp.shape}.")
    where = build("ops", "where")
    high = _compare.clamp.run(build("ops", "searchsorted")(xp, x, right=True), 1, xp.shape[0] - 1)
    low = high - 1
    weight = (x - xp[low]) / (xp[high] - xp[low])
    found = fp[low] + weight * (fp[high] - fp[low])
    found = where(x < xp[0], fp[0] if left is None else left, found)
    return where(x > xp[-1], fp[-1] if right is None else right, found)

