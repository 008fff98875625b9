"""mindspore.numpy: polynomials, given by their coefficients from the highest power to the lowest;
public through `products`."""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Bool, Int, InTensor
from .._core.tensor import dtype as dtypes
from .._core.tensor.promotion import promote_np
from .._core.tensor.tensor import Tensor
from ..ops._elementwise.cast import cast
from ..ops._shape import join_split, pad
from ._convert import as_tensor, floats, refuse_complex
from ._sliding import sliding

__all__ = ["polyadd", "polyder", "polyint", "polymul", "polysub", "polyval"]


def _coefficients(p, api):
    """Returns a polynomial as a vector; a number is a polynomial of degree 0.

    Raises:
        TypeError: if it is not array-like.
        ValueError: if it has more than one axis.
    """
    p = as_tensor(p, api)
    if p.ndim > 1:
        raise ValueError(f"For '{api}', a polynomial must be a vector, but got shape {p.shape}.")
    return p.reshape(-1)


def _align(a1, a2, api):
    first, second = _coefficients(a1, api), _coefficients(a2, api)
    common = promote_np(first._array.dtype, second._array.dtype)
    first, second = cast.run(first, common), cast.run(second, common)
    count = max(first.shape[0], second.shape[0])
    if first._array.dtype.kind == "b":
        first, second = cast.run(first, "int32"), cast.run(second, "int32")
    return [pad.pad_constant.run(p, [(count - p.shape[0], 0)], 0) for p in (first, second)]


def polyadd(a1, a2):
    """Adds two polynomials (numbers, lists, tuples or Tensors).

    Args:
        a1, a2 (Union[Tensor, number, list, tuple]): coefficients, the highest
            power first.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if one has more than one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polyadd([1, 2], [3, 4, 5]))
        [3 5 7]

    Source: mindspore.numpy.polyadd of MindSpore 2.10.
    """
    first, second = _align(a1, a2, "polyadd")
    return first + second


def polysub(a1, a2):
    """Subtracts two polynomials. It raises the same errors as `polyadd`.

    Args:
        a1, a2 (Union[Tensor, number, list, tuple]): coefficients, the highest
            power first.

    Raises:
        TypeError: if a polynomial is not array-like.
        ValueError: if a polynomial has more than one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polysub([1, 2], [1, 1]))
        [0 1]

    Source: mindspore.numpy.polysub of MindSpore 2.10.
    """
    first, second = _align(a1, a2, "polysub")
    return first - second


def polymul(a1, a2):
    """Multiplies two polynomials. It raises the same errors as `polyadd`; an empty polynomial
    raises a ValueError, a complex one a TypeError.

    Args:
        a1, a2 (Union[Tensor, number, list, tuple]): coefficients, the highest
            power first.

    Raises:
        TypeError: if a polynomial is not array-like.
        ValueError: if a polynomial has more than one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polymul([1, 2], [1, 3]))
        [1 5 6]

    Source: mindspore.numpy.polymul of MindSpore 2.10.
    """
    first, second = _coefficients(a1, "polymul"), _coefficients(a2, "polymul")
    return sliding(first, second, "full", "polymul")


def polyval(p, x):
    """Evaluates a polynomial at `x` by Horner's rule; at least float32.

    Args:
        p (Union[number, list, tuple, Tensor]): the coefficients.
        x (Union[number, list, tuple, Tensor]): the points.

    Raises:
        TypeError: if an argument has the wrong type, or is complex.
        ValueError: if `p` is empty or has more than one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polyval([1, 2, 3], ms.Tensor([2])))
        [11.]

    Source: mindspore.numpy.polyval of MindSpore 2.10.
    """
    p, x = _coefficients(p, "polyval"), as_tensor(x, "polyval")
    refuse_complex("polyval", p, x)
    if not p.size:
        raise ValueError("For 'polyval', 'p' must have coefficients.")
    p, x = (
        t if t._array.dtype in ("float32", "float64") else cast.run(t, "float32") for t in (p, x)
    )
    result = x * 0 + p[0]
    for i in range(1, p.shape[0]):
        result = result * x + p[i]
    return result


@checked
def polyder(p, m: InTensor(Int(ge=0) | Bool, ValueError) = 1):
    """Differentiates a polynomial `m` times; the result is an empty float32 Tensor if no
    coefficient is left.

    Raises:
        TypeError: if an argument has the wrong type, or `p` is complex.
        ValueError: if `m` is negative, or `p` has more than one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polyder([1, 2, 3]))
        [2 2]

    Source: mindspore.numpy.polyder of MindSpore 2.10.
    """
    p = _coefficients(p, "polyder")
    refuse_complex("polyder", p)
    for _ in range(m):
        degrees = list(range(p.shape[0] - 1, 0, -1))
        if not degrees:
            return Tensor([], dtypes.float32)
        p = p[:-1] * as_tensor(degrees)
    return p


@checked
def polyint(p, m: InTensor(Int(ge=0)) = 1, k=None):
    """Integrates a polynomial `m` times, with the constants `k` (0 by default); at least float32
    unless `m` is 0.

    Args:
        p (Union[number, list, tuple, Tensor]): the coefficients.
        m (int): the number of integrations.
        k (Union[number, list, tuple, Tensor]): one constant for all integrations, or one for each.

    Raises:
        TypeError: if an argument has the wrong type, or `p` is complex.
        ValueError: if `m` is negative, `p` has more than one axis, or `k` holds too few constants.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.polyint([2.0, 2.0]))
        [1. 2. 0.]

    Source: mindspore.numpy.polyint of MindSpore 2.10.
    """
    p = _coefficients(p, "polyint")
    refuse_complex("polyint", p)
    constants = _coefficients(0.0 if k is None else k, "polyint")
    single = k is None or isinstance(k, (int, float)) or not as_tensor(k, "polyint").ndim
    if not single and constants.shape[0] < m:
        raise ValueError(
            f"For 'polyint', 'k' must hold one or {m} constants, but got {constants.shape[0]}."
        )
    for i in range(m):
        p = floats(p)
        degrees = cast.run(as_tensor(list(range(p.shape[0], 0, -1))), p._array.dtype)
        constant = constants[:1] if single else constants[i : i + 1]
        p = join_split.cat.run([p / degrees, cast.run(constant, p._array.dtype)], 0)
    return p
