"""vjp rules of matrix and Tensor products: matmul, einsum and related functions.

vjp_rules.py describes the conventions.
"""

import math

from .vjp_rules import compose, conj, derive
from .vjp_rules_reduce import restore_axes


def adjoint(xp, x):
    return conj(xp, xp.swapaxes(x, -1, -2))


def product(xp, x, y):
    """Computes x @ y; one large product instead of a batch of small ones if `y` is a single
    matrix."""
    if x.ndim < 3 or y.ndim != 2 or not merges_axes(xp):
        return xp.matmul(x, y)
    flat = xp.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1]))
    return xp.reshape(xp.matmul(flat, y), (*x.shape[:-1], y.shape[-1]))


def product_plus(xp, x, y, addend):
    """Computes x @ y + addend, for a matrix `y` and a vector `addend` that is added to each row."""
    if x.ndim < 2 or x.ndim > 2 and not merges_axes(xp):
        return xp.matmul(x, y) + addend
    flat = xp.reshape(x, (math.prod(x.shape[:-1]), x.shape[-1])) if x.ndim > 2 else x
    result = xp.matmul_add(flat, y, addend)
    return xp.reshape(result, (*x.shape[:-1], y.shape[-1])) if x.ndim > 2 else result


def product_over_rows(xp, x, y):
    """Computes the sum of x[i].T @ y[i] over the leading axes i, which are the same for both."""
    if x.ndim > 2 and not merges_axes(xp):
        lead = "abcdefgh"[: x.ndim - 1]
        return xp.einsum_list([x, y], f"{lead}x,{lead}y->xy")
    x, y = (xp.reshape(array, (-1, array.shape[-1])) for array in (x, y))
    return xp.matmul(xp.swapaxes(x, 0, 1), y)


def merges_axes(xp):
    """Returns whether `reshape` merges axes without an exchange between ranks."""
    return getattr(xp, "merges_axes", True)


def _matmul_left(xp, g, x, y):
    if y.ndim == 1:
        return g * conj(xp, y) if x.ndim == 1 else xp.expand_dims(g, -1) * conj(xp, y)
    if x.ndim == 1:
        g = xp.expand_dims(g, -2)
        grad = xp.matmul(g, adjoint(xp, y))
        return xp.reshape(grad, grad.shape[:-2] + grad.shape[-1:])
    return product(xp, g, adjoint(xp, y))


def _is_turned(y):
    """Returns True if `y` is a transposed view. Its gradient should be a transposed view, too, so
    that the gradient of the transpose is contiguous. Returns False for values without strides."""
    strides = getattr(y, "strides", None)
    return strides is not None and strides[-1] > strides[-2]


def _matmul_right(xp, g, x, y):
    if x.ndim == 1:
        return (
            g * conj(xp, x)
            if y.ndim == 1
            else xp.expand_dims(conj(xp, x), -1) * xp.expand_dims(g, -2)
        )
    if y.ndim == 1:
        return xp.matmul(xp.reshape(g, (-1,)), conj(xp, xp.reshape(x, (-1, x.shape[-1]))))
    if y.ndim == 2 and x.ndim > 2:  # one product instead of a batch of them and a sum
        return product_over_rows(xp, conj(xp, x), g)
    if _is_turned(y):
        return xp.swapaxes(xp.matmul(xp.swapaxes(g, -1, -2), conj(xp, x)), -1, -2)
    return xp.matmul(adjoint(xp, x), g)


derive("matmul(x, y)", x=_matmul_left, y=_matmul_right, upcast="low_precision_products")


derive(
    "vecdot(x, y)",
    x=lambda xp, g, y: xp.expand_dims(g, -1) * conj(xp, y),
    y=lambda xp, g, x: xp.expand_dims(g, -1) * conj(xp, x),
)
derive(
    "sum_of_squares(x, axis=None, keepdims=False)",
    x=lambda xp, g, x, axis, keepdims: restore_axes(xp, 2 * g, x.shape, axis, keepdims) * x,
)


@compose
def matmul_add(xp, x, y, addend):
    return xp.matmul(x, y) + addend


@compose
def tensordot(xp, x, y, axes=2):
    """Computes a tensor contraction by transposes, one matrix product, and a reshape."""
    if isinstance(axes, int):
        axes = (tuple(range(x.ndim - axes, x.ndim)), tuple(range(axes)))
    left, right = ((a,) if isinstance(a, int) else tuple(a) for a in axes)
    left = tuple(a % x.ndim for a in left)
    right = tuple(a % y.ndim for a in right)
    free_x = tuple(i for i in range(x.ndim) if i not in left)
    free_y = tuple(i for i in range(y.ndim) if i not in right)
    inner = math.prod(x.shape[a] for a in left)
    flat_x = xp.reshape(
        xp.transpose(x, free_x + left), (math.prod(x.shape[a] for a in free_x), inner)
    )
    flat_y = xp.reshape(
        xp.transpose(y, right + free_y), (inner, math.prod(y.shape[a] for a in free_y))
    )
    shape = tuple(x.shape[a] for a in free_x) + tuple(y.shape[a] for a in free_y)
    return xp.reshape(xp.matmul(flat_x, flat_y), shape)


@compose
def einsum(xp, equation, *operands):
    return xp.einsum_list(list(operands), equation)


def _einsum_vjp(xp, g, operands, equation):
    """Returns the gradients of the operands of an einsum: each is an einsum of `g` with the other
    operands."""
    sources, target = equation.split("->")
    sources = sources.split(",")
    grads = []
    for i, source in enumerate(sources):
        others = sources[:i] + sources[i + 1 :]
        rest = [conj(xp, o) for j, o in enumerate(operands) if j != i]
        letters = set(target).union(*others) if others else set(target)
        present = "".join(c for c in source if c in letters)
        part = xp.einsum_list([g, *rest], ",".join([target, *others]) + "->" + present)
        missing = [(k, operands[i].shape[k]) for k, c in enumerate(source) if c not in letters]
        for k, _ in missing:
            part = xp.expand_dims(part, k)
        grads.append(xp.broadcast_to(part, operands[i].shape))
    return (grads,)


derive(
    "einsum_list(operands, equation)",
    arrays="*operands",
    joint=_einsum_vjp,
    upcast="low_precision_products",
)
