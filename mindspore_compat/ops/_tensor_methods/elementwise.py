"""Methods of Tensor that combine elements and have several signatures, such as `sub(other, alpha)`
and `sub(y)`, and the matrix products. The ops are in `ops/_elementwise` and `ops/_linalg`."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.overloads import form
from ..._core.rules.vocabulary import Bool, ScalarOf, TensorOf, any_dtype
from .._elementwise import arithmetic, comparison, division, logical
from .._linalg import matmul as matmul_ops
from .._rules import Anything, NumberOrBool
from ._dtypes import need_one_dtype

Value = TensorOf(any_dtype) | NumberOrBool


@form("Tensor.sub")
def sub(self, other: Value, *, alpha: NumberOrBool = 1):
    """Computes self - alpha * other, element by element; the shapes broadcast.

    Source: mindspore.Tensor.sub of MindSpore 2.10.
    """
    if type(alpha) is bool and self._array.dtype.kind != "b":
        raise TypeError(
            f"For 'Tensor.sub', 'alpha' must be a number with {self.dtype}, but got {alpha}."
        )
    return arithmetic.sub_scaled.run(self, other, alpha)


@form("Tensor.sub")
def sub_y(self, y):
    """Computes self - y."""
    return arithmetic.sub_scaled.run(self, y, 1)


@form("Tensor.remainder")
def remainder(self, other: Value):
    """Computes the remainder of floor division by `other`, element by element; it has the divisor's
    sign.

    Source: mindspore.Tensor.remainder of MindSpore 2.10.
    """
    return division.remainder.run(self, other)


@form("Tensor.remainder")
def remainder_divisor(self, divisor: Value):
    """Computes the remainder of floor division by `divisor`."""
    return division.remainder.run(self, divisor)


@form("Tensor.matmul")
def matmul(self, tensor2: Anything):
    """Computes the matrix product over the last two axes; a vector is treated as a matrix.

    Source: mindspore.Tensor.matmul of MindSpore 2.10.
    """
    need_one_dtype("matmul", "tensor2", self, tensor2)
    return matmul_ops.matrix_product.run(self, tensor2)


@form("Tensor.matmul")
def matmul_other(self, other: Anything):
    """Computes the matrix product with `other`."""
    need_one_dtype("matmul", "other", self, other)
    return matmul_ops.matrix_product.run(self, other)


@op("Tensor.mm(mat2)", quirks=Quirks(shapes_first=True, errors={"Tensor.mm": RuntimeError}))
def mm(xp, input: Anything, mat2: Anything):
    """Multiplies two matrices.

    Shapes:
        `input` is (M, K) and `mat2` is (K, N), of one dtype. The result is (M, N), of the same
        dtype.

    Raises:
        TypeError: if `mat2` is not a Tensor, or both are floating and the dtypes differ.
        RuntimeError: if the shapes do not fit, or the dtypes differ otherwise.

    Example:
        >>> print(ms.Tensor([[1.0, 2.0]]).mm(ms.Tensor([[3.0], [4.0]])))
        [[11.]]

    Source: mindspore.Tensor.mm of MindSpore 2.10.
    """
    if input.dtype is not mat2.dtype and input.dtype != mat2.dtype:
        floats = input.dtype.kind in "fV" and mat2.dtype.kind in "fV"
        raise (TypeError if floats else RuntimeError)(
            f"For 'mm', 'self' and 'mat2' must have one dtype, but got {input.dtype} and "
            f"{mat2.dtype}."
        )
    return matmul_ops.mm.body(xp, input, mat2)


@form("Tensor.isclose")
def isclose(
    self,
    other: Anything,
    rtol: ScalarOf(NumberOrBool, TypeError) = 1e-05,
    atol: ScalarOf(NumberOrBool, TypeError) = 1e-08,
    equal_nan: Bool = False,
):
    """Tests whether |self - other| <= atol + rtol |other|.

    Source: mindspore.Tensor.isclose of MindSpore 2.10.
    """
    need_one_dtype("isclose", "other", self, other)
    return comparison.isclose.run(self, other, rtol, atol, equal_nan)


@form("Tensor.isclose")
def isclose_x2(
    self,
    x2: Anything,
    rtol: ScalarOf(NumberOrBool, TypeError) = 1e-05,
    atol: ScalarOf(NumberOrBool, TypeError) = 1e-08,
    equal_nan: Bool = False,
):
    """Tests whether |self - x2| <= atol + rtol |x2|."""
    need_one_dtype("isclose", "x2", self, x2)
    return comparison.isclose.run(self, x2, rtol, atol, equal_nan)


def _logical(path, op, words):
    def with_other(self, other: TensorOf(any_dtype) | Bool):
        return op.run(self, other)

    def with_y(self, y: TensorOf(any_dtype) | Bool):
        """Applies the logical operator to this Tensor and `y`."""
        return op.run(self, y)

    with_other.__doc__ = f"{words}.\n\nSource: mindspore.{path} of MindSpore 2.10.\n"
    form(path)(with_other)
    form(path)(with_y)


_logical("Tensor.logical_and", logical.logical_and, "True where both elements are true")
_logical("Tensor.logical_or", logical.logical_or, "True where either element is true")


@form("Tensor.logical_xor")
def logical_xor(self, other: TensorOf(any_dtype) | Bool):
    """Computes the logical XOR: True where one element is true and the other is not.

    Source: mindspore.Tensor.logical_xor of MindSpore 2.10.
    """
    return logical.logical_xor.run(self, other)
