"""Gated linear units: one half of the channels times an activation of the other half."""

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import Parts
from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Int, ScalarOf, TensorOf, floating
from .._rules import Floats, FloatsUpTo32


def _split_in_two(xp, api, x, axis, error):
    """Returns the two halves of `x` along `axis`."""
    if not -x.ndim <= axis < x.ndim:
        kind = IndexError if error is RuntimeError else ValueError
        raise kind(f"For '{api}', 'axis' must be in [{-x.ndim}, {x.ndim}), but got {axis}.")
    axis = axis % x.ndim
    if x.shape[axis] % 2:
        raise error(f"For '{api}', the length along 'axis' must be even, but got {x.shape[axis]}.")
    middle = x.shape[axis] // 2
    front = (slice(None),) * axis
    return x[front + (slice(None, middle),)], x[front + (slice(middle, None),)]


@op("ops.glu(x, axis=-1)", "nn.GLU(axis=-1)(x)", compute="kernels")
def glu(xp, x: TensorOf(floating, "complex64", "complex128"), axis: ScalarOf(Int) = -1):
    """Applies the gated linear unit (GLU): the first half of `x` along `axis` times the sigmoid of
    the second half.

    Shapes:
        `x` has an even length 2 n along `axis`. The result has length n there, and the dtype of
        `x`.

    Example:
        >>> print(ms.ops.glu(ms.Tensor([[1.0, 2.0, 0.0, 3.0]])))
        [[0.5       1.9051483]]
    """
    a, b = _split_in_two(xp, "glu", x, axis, ValueError)
    return xp.pointwise(_glu, a, b)


def _glu(xp, a, b):
    return a * xp.sigmoid(b)


def _glu_vjp(xp, g, a, b):
    s = xp.sigmoid(b)
    return g * s, g * a * (s * (1 - s))


def _split_in_two_vjp(xp, formula, g, x, axis):
    """Returns the gradients that `formula` gives for both halves, as one array."""
    a, b = _split_in_two(xp, "glu", x, axis, ValueError)
    if axis in (-1, x.ndim - 1) and x.size and (bodies := bodies_of(xp, x, g)):
        gradient = xp.empty(x.shape, x.dtype)
        if bodies.pointwise(formula, g, Parts(x, 2), out=[Parts(gradient, 2)]) is not None:
            return gradient
    if x.dtype.kind == "c":
        a, b = xp.conj(a), xp.conj(b)
    return xp.concatenate(list(xp.pointwise(formula, g, a, b)), axis)


glu.vjp(x=lambda xp, g, x, axis: _split_in_two_vjp(xp, _glu_vjp, g, x, axis))


@op(
    "ops.GLU(axis=-1)(x)",
    "mint.nn.functional.glu(input: x, dim: axis=-1)",
    "mint.nn.GLU(dim: axis=-1)(input: x)",
    compute="kernels",
)
def glu_primitive(xp, x: Floats, axis: ScalarOf(Int, TypeError) = -1):
    """Applies the gated linear unit (GLU): the first half of `x` along `axis` times the sigmoid of
    the second half.

    Shapes:
        `x` has an even length 2 n along `axis`. The result has length n there, and the dtype of
        `x`.

    Raises:
        TypeError: if `x` is not a Tensor of a floating dtype, or `axis` is not an int.
        IndexError: if `axis` is not one of the axes of `x`.
        RuntimeError: if the length along `axis` is odd.

    Example:
        >>> print(ms.ops.GLU()(ms.Tensor([[1.0, 2.0, 0.0, 3.0]])))
        [[0.5       1.9051483]]
    """
    a, b = _split_in_two(xp, "GLU", x, axis, RuntimeError)
    return xp.pointwise(_glu, a, b)


glu_primitive.vjp(x=lambda xp, g, x, axis: _split_in_two_vjp(xp, _glu_vjp, g, x, axis))


@op("ops.swiglu(input, dim=-1)", compute="kernels", quirks=Quirks(shapes_first=True))
def swiglu(xp, input: FloatsUpTo32, dim: Int = -1):
    """Applies the SwiGLU activation: the SiLU of the first half of `input` along `dim` times the
    second half.

    Shapes:
        `input` has an even length 2 n along `dim`. The result has length n there, and the dtype of
        `input`.

    Example:
        >>> print(ms.ops.swiglu(ms.Tensor([[1.0, 2.0, 0.5, 3.0]])))
        [[0.3655293 5.2847824]]
    """
    a, b = _split_in_two(xp, "swiglu", input, dim, RuntimeError)
    return xp.pointwise(_swiglu, a, b)


def _swiglu(xp, a, b):
    return a * xp.sigmoid(a) * b


def _swiglu_vjp(xp, g, a, b):
    s = xp.sigmoid(a)
    return g * b * (s * (1 + a * (1 - s))), g * (a * s)


swiglu.vjp(input=lambda xp, g, input, dim: _split_in_two_vjp(xp, _swiglu_vjp, g, input, dim))
