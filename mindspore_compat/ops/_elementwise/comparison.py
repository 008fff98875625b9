"""Comparison and tests of numbers, element by element."""

from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.library_errors import LIBRARY_ERRORS, explain
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.declare.shapes_first import shapes_first
from ..._core.rules.vocabulary import (
    AsValue,
    Bool,
    Float,
    Number,
    OneDtype,
    TensorOf,
    checked,
    number,
)
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import in_graph
from .._rules import Anything, NumbersOrBools, Operand, RealOperand, RealsOrBools

Ordinary = TensorOf(number, "bool", scalars=True)


@op(
    "ops.equal(input, other)",
    "ops.Equal()(x: input, y: other)",
    "ops.eq(input, other)",
    "Tensor.equal(other)",
    "Tensor.eq(other)",
    "mint.eq(input, other)",
    types=Promote("input other", lists=True, exact=True, need_tensor=True),
    quirks=Quirks(rules={"mint.eq": {"input": NumbersOrBools}}),
)
def equal(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where the elements are equal.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.equal(ms.Tensor([1, 2, 3]), ms.Tensor([1, 0, 3])))
        [ True False  True]
    """
    return xp.equal(input, other)


@op(
    "ops.not_equal(input, other)",
    "ops.NotEqual()(x: input, y: other)",
    "ops.ne(input, other)",
    "Tensor.not_equal(other)",
    "Tensor.ne(other)",
    "mint.ne(input, other)",
    "mint.not_equal(input, other)",
    types=Promote("input other", lists=True, exact=True),
)
def not_equal(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where the elements differ.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.not_equal(ms.Tensor([1, 2, 3]), ms.Tensor([1, 0, 3])))
        [False  True False]
    """
    return xp.not_equal(input, other)


@op(
    "ops.less(input, other)",
    "ops.Less()(x: input, y: other)",
    "ops.lt(input, other)",
    "Tensor.less(other)",
    "Tensor.lt(other)",
    "Tensor.__lt__(other)",
    "mint.less(input, other)",
    "mint.lt(input, other)",
    "ops.tensor_lt(input, other)",
    types=Promote("input other", lists=in_graph, exact=True, need_tensor=True),
)
def less(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where input < other.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.less(ms.Tensor([1, 2, 3]), 2))
        [ True False False]
    """
    return xp.less(input, other)


@op(
    "ops.less_equal(input, other)",
    "ops.LessEqual()(x: input, y: other)",
    "ops.le(input, other)",
    "Tensor.less_equal(other)",
    "Tensor.le(other)",
    "Tensor.__le__(other)",
    "mint.less_equal(input, other)",
    "mint.le(input, other)",
    "ops.tensor_le(input, other)",
    types=Promote("input other", lists=in_graph, exact=True),
)
def less_equal(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where input <= other.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.less_equal(ms.Tensor([1, 2, 3]), 2))
        [ True  True False]
    """
    return xp.less_equal(input, other)


@op(
    "ops.greater(input, other)",
    "ops.Greater()(x: input, y: other)",
    "ops.gt(input, other)",
    "Tensor.greater(other)",
    "Tensor.gt(other)",
    "Tensor.__gt__(other)",
    "mint.greater(input, other)",
    "mint.gt(input, other)",
    "ops.tensor_gt(input, other)",
    types=Promote("input other", lists=in_graph, exact=True),
)
def greater(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where input > other.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.greater(ms.Tensor([1, 2, 3]), 2))
        [False False  True]
    """
    return xp.greater(input, other)


@op(
    "ops.greater_equal(input, other)",
    "ops.GreaterEqual()(x: input, y: other)",
    "ops.ge(input, other)",
    "Tensor.greater_equal(other)",
    "Tensor.ge(other)",
    "Tensor.__ge__(other)",
    "mint.greater_equal(input, other)",
    "mint.ge(input, other)",
    "ops.tensor_ge(input, other)",
    types=Promote("input other", lists=in_graph, exact=True),
    quirks=Quirks(
        rules={
            "mint.greater_equal": {"input": RealOperand, "other": RealOperand},
            "mint.ge": {"input": RealOperand, "other": RealOperand},
        }
    ),
)
def greater_equal(xp, input: Operand, other: Operand):
    """Compares two Tensors element by element: True where input >= other.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.greater_equal(ms.Tensor([1, 2, 3]), 2))
        [False  True  True]
    """
    return xp.greater_equal(input, other)


@public("Tensor.__eq__")
def tensor_eq(self, other):
    """Compares for equality, element by element. If `other` is neither a Tensor nor a real
    number of Python's, returns False.
    """
    if not isinstance(other, (Tensor, *_NUMBERS)):
        return False
    try:
        return equal.run(self, other)
    except LIBRARY_ERRORS as error:
        raise explain("__eq__", error) from None


@public("Tensor.__ne__")
def tensor_ne(self, other):
    """Compares for inequality, element by element. If `other` is neither a Tensor nor a real
    number of Python's, returns True.
    """
    if not isinstance(other, (Tensor, *_NUMBERS)):
        return True
    try:
        return not_equal.run(self, other)
    except LIBRARY_ERRORS as error:
        raise explain("__ne__", error) from None


_NUMBERS = (int, float)


# Tests of numbers ---------------------------------------------------------------------------------


@op(
    "ops.isnan(input)",
    "ops.IsNan()(x: input)",
    "Tensor.isnan()",
    "mint.isnan(input)",
    "ops.isnan_ext(tensor: input)",
    quirks=Quirks(rules=dict.fromkeys(("ops.isnan", "ops.IsNan"), {"input": RealsOrBools})),
)
def isnan(xp, input: Ordinary):
    """Tests each element for NaN.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isnan(ms.Tensor([1.0, np.nan, np.inf])))
        [False  True False]
    """
    return xp.isnan(input)


@op("ops.isinf(input)", "ops.IsInf()(x: input)", "Tensor.isinf()", "mint.isinf(input)")
def isinf(xp, input: Anything):
    """Tests each element for infinity, positive or negative.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isinf(ms.Tensor([1.0, np.nan, np.inf])))
        [False False  True]
    """
    return xp.isinf(input)


@op("ops.isfinite(input)", "ops.IsFinite()(x: input)", "Tensor.isfinite()", "mint.isfinite(input)")
def isfinite(xp, input: RealsOrBools):
    """Tests whether each element is finite, that is, neither infinite nor NaN.

    Shapes:
        `input` may have any shape. The result is a bool Tensor of the same shape.

    Example:
        >>> print(ms.ops.isfinite(ms.Tensor([1.0, np.nan, np.inf])))
        [ True False False]
    """
    return xp.isfinite(input)


@op(
    "ops.isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    "ops.IsClose(rtol=1e-05, atol=1e-08, equal_nan=False)(input, other)",
    "mint.isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False)",
    types=SameDtype("input other"),
    quirks=Quirks(shapes_first=True),
)
def isclose(
    xp,
    input: Anything,
    other: Anything,
    rtol: Number | Bool = 1e-5,
    atol: Number | Bool = 1e-8,
    equal_nan: Bool = False,
):
    """Tests whether elements are close: |input - other| <= atol + rtol |other|.

    Two NaN count as equal only if `equal_nan` is True.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of the
        broadcast shape.

    Example:
        >>> print(ms.ops.isclose(ms.Tensor([1.0, 2.0]), ms.Tensor([1.0000001, 2.1])))
        [ True False]
    """
    return xp.isclose(input, other, rtol, atol, equal_nan)


@op("ops.FloatStatus()(x)", compute="native")
def float_status(xp, x: TensorOf("float16", "float32", "float64")):
    """Returns 1 if any element is infinite or NaN, else 0.

    Shapes:
        `x` may have any shape. The result is a float32 Tensor of shape (1,).

    Example:
        >>> print(ms.ops.FloatStatus()(ms.Tensor([1.0, np.inf])))
        [1.]
    """
    return xp.reshape(xp.cast(xp.logical_not(xp.all(xp.isfinite(x))), "float32"), (1,))


# Comparison of whole Tensors ----------------------------------------------------------------------


@public("Tensor.allclose", "mint.allclose", "ops.allclose")
@shapes_first
@checked(OneDtype("input other"))
def allclose(
    input: Anything,
    other: Anything,
    rtol: Number | Bool = 1e-5,
    atol: Number | Bool = 1e-8,
    equal_nan: Bool = False,
):
    """Returns True if all elements are close: |input - other| <= atol + rtol |other|.

    Args:
        input (Tensor): the first Tensor.
        other (Tensor): the second one, of the same dtype; the shapes broadcast.
        rtol (float): the relative tolerance. Default: 1e-5.
        atol (float): the absolute tolerance. Default: 1e-8.
        equal_nan (bool): whether NaN is close to NaN. Default: False.

    Returns:
        bool.

    Raises:
        TypeError: if an argument has the wrong type, or the dtypes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.allclose(ms.Tensor([1.0]), ms.Tensor([1.0000001])))
        True

    Source: mindspore.mint.allclose of MindSpore 2.10.
    """
    return bool(isclose.run(input, other, rtol, atol, equal_nan)._array.all())


@op(
    "ops.approximate_equal(x, y, tolerance=1e-5)",
    "ops.ApproximateEqual(tolerance=1e-5)(x, y)",
    types=Promote("x y", need_tensor=True),
)
def approximate_equal(xp, x: RealOperand, y: RealOperand, tolerance: Float = 1e-5):
    """Tests whether |x - y| is less than `tolerance`; infinities and NaN are never equal.

    Shapes:
        `x` and `y` have one shape, or one of them has no axes; else a RuntimeError is raised. The
        result is a bool Tensor of that shape.

    Example:
        >>> print(ms.ops.approximate_equal(ms.Tensor([1.0, 2.0]), ms.Tensor([1.000001, 2.1])))
        [ True False]
    """
    if x.shape != y.shape:
        raise RuntimeError(
            f"For 'approximate_equal', 'x' and 'y' must have one shape, but got "
            f"{tuple(x.shape)} and {tuple(y.shape)}."
        )
    return xp.abs(x - y) < tolerance


@op(
    "Tensor.approximate_equal(other, tolerance=1e-5)",
    types=Promote("input other"),
    quirks=Quirks(shapes_first=True),
)
def approximately_equal(
    xp, input: RealsOrBools, other: AsValue(RealsOrBools), tolerance: Float = 1e-5
):
    """Tests whether |input - other| is less than `tolerance`; infinities and NaN are never equal.

    Shapes:
        The shapes of `input` and `other` are broadcast. The result is a bool Tensor of that shape.

    Example:
        >>> print(ms.Tensor([1.0, 2.0]).approximate_equal(ms.Tensor(1.000001)))
        [ True False]
    """
    if input.dtype.kind == "b":
        input, other = xp.cast(input, "float32"), xp.cast(other, "float32")
    return xp.abs(input - other) < tolerance


@public("mint.equal")
@checked
def mint_equal(input: Anything, other: Anything):
    """Returns True if both Tensors have the same shape and elements.

    Args:
        input (Tensor): the first Tensor.
        other (Tensor): the second Tensor.

    Returns:
        bool.

    Raises:
        TypeError: if an argument is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.equal(ms.Tensor([1, 2]), ms.Tensor([1, 2])))
        True

    Source: mindspore.mint.equal of MindSpore 2.10.
    """
    if input.shape != other.shape:
        return False
    return bool((input == other)._array.all())
