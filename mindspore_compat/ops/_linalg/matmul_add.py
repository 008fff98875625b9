"""Matrix and vector products added to an input: addmm, addmv, addr, addbmm, baddbmm."""

from ..._core.declare.inputs import Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.value_rules import Listed
from ..._core.rules.vocabulary import Number, TensorOf
from ..._core.tensor.promotion import adds_up_as_int64, promoted, scaled
from .._rules import Anything, NumberOrBool, Operand
from .decomposition import need_axes
from .products import _by_vector

Plain = TensorOf("float16", "float32", "float64", "int16", "int32", "int64")


def _same_stack(api, first, second):
    if first.shape[:-2] != second.shape[:-2]:
        raise ValueError(
            f"For '{api}', 'batch1' and 'batch2' must have one stacked shape, but got "
            f"shapes {first.shape} and {second.shape}."
        )


@op(
    "ops.addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    "Tensor.addmm(mat1, mat2, *, beta=1, alpha=1)",
    "mint.addmm(input, mat1, mat2, *, beta=1, alpha=1)",
    "Tensor.addmm_(mat1, mat2, *, beta=1, alpha=1)",
    types=SameDtype("mat1 mat2"),
    quirks=Quirks(
        shapes_first=True,
        rules={"ops.addmm": {"input": Operand | Listed}, "mint.addmm": {"input": TensorOf().but()}},
    ),
)
def addmm(
    xp,
    input: Operand,
    mat1: Anything,
    mat2: Anything,
    beta: NumberOrBool = 1,
    alpha: NumberOrBool = 1,
):
    """Adds a matrix product to the input: beta * input + alpha * (mat1 @ mat2).

    Shapes:
        `mat1` is (M, K), `mat2` is (K, N); `input` is broadcast to (M, N), which is the shape of
        the result. All have one dtype.

    Example:
        >>> print(ms.ops.addmm(ms.Tensor([[1.0]]), ms.Tensor([[1.0, 2.0]]),
        ...                    ms.Tensor([[3.0], [4.0]]), beta=2))
        [[13.]]
    """
    need_axes("addmm", 2, mat1=mat1, mat2=mat2)
    return _plus(xp, beta, input, alpha, xp.matmul(mat1, mat2))


def _plus(xp, beta, input, alpha, product):
    """Computes beta * input + alpha * product, in the promoted dtype of the two."""
    a, b = promoted(xp, scaled(xp, beta, input), scaled(xp, alpha, product))
    return a + b


@op(
    "ops.addmv(input, mat, vec, *, beta=1, alpha=1)",
    "Tensor.addmv(mat, vec, *, beta=1, alpha=1)",
    types=SameDtype("mat vec"),
    quirks=Quirks(rules=dict.fromkeys(("ops.addmv", "Tensor.addmv"), {"input": Plain})),
)
def addmv(
    xp,
    input: Anything,
    mat: Anything,
    vec: Anything,
    beta: NumberOrBool = 1,
    alpha: NumberOrBool = 1,
):
    """Adds the product of a matrix and a vector to the input: beta * input + alpha * (mat @ vec).

    Shapes:
        `mat` is (M, K), `vec` is (K,); `input` is broadcast to (M,), which is the shape of the
        result.

    Example:
        >>> print(ms.ops.addmv(ms.Tensor([1.0]), ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0]),
        ...                    beta=2))
        [13.]
    """
    return _plus(xp, beta, input, alpha, _by_vector(xp, "addmv", mat, vec))


@op(
    "mint.addmv(input, mat, vec, *, beta=1, alpha=1)",
    types=SameDtype("mat vec"),
    quirks=Quirks(shapes_first=True),
)
def addmv_strict(
    xp,
    input: Anything,
    mat: Anything,
    vec: Anything,
    beta: NumberOrBool = 1,
    alpha: NumberOrBool = 1,
):
    """Adds the product of a matrix and a vector to the input: beta * input + alpha * (mat @ vec).

    Shapes:
        `mat` is (M, K), `vec` is (K,); `input` is broadcast to (M,), which is the shape of the
        result.

    Example:
        >>> print(ms.mint.addmv(ms.Tensor([1.0]), ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0, 4.0]),
        ...                     beta=2))
        [13.]
    """
    need_axes("addmv", 1, vec=vec)
    return addmv.body(xp, input, mat, vec, beta, alpha)


@op(
    "ops.addr(x, vec1, vec2, *, beta=1, alpha=1)",
    "Tensor.addr(vec1, vec2, beta=1, alpha=1)",
    "mint.addr_(input: x, vec1, vec2, beta=1, alpha=1)",
    types=SameDtype("vec1 vec2"),
    quirks=Quirks(rules=dict.fromkeys(("ops.addr", "Tensor.addr"), {"x": Plain})),
)
def addr(
    xp, x: Anything, vec1: Anything, vec2: Anything, beta: NumberOrBool = 1, alpha: NumberOrBool = 1
):
    """Adds the outer product of two vectors to a matrix: beta * x + alpha * outer(vec1, vec2).

    Shapes:
        `vec1` is (M,), `vec2` is (N,); `x` is broadcast to (M, N), which is the shape of the
        result.

    Example:
        >>> print(ms.ops.addr(ms.Tensor([[1.0, 1.0]]), ms.Tensor([2.0]), ms.Tensor([3.0, 4.0])))
        [[7. 9.]]
    """
    vec1, vec2 = (
        xp.ravel(vec) if vec.ndim > 1 and vec.size == max(vec.shape) else vec
        for vec in (vec1, vec2)
    )
    return _plus(xp, beta, x, alpha, xp.expand_dims(vec1, 1) * xp.expand_dims(vec2, 0))


@op(
    "ops.addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    "Tensor.addbmm(batch1, batch2, *, beta=1, alpha=1)",
    "mint.addbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    types=SameDtype("batch1 batch2"),
    quirks=Quirks(shapes_first=True, rules={"ops.addbmm": {"input": Operand | Listed}}),
)
def addbmm(
    xp,
    input: Operand,
    batch1: Anything,
    batch2: Anything,
    beta: NumberOrBool = 1,
    alpha: NumberOrBool = 1,
):
    """Adds the sum over a batch of matrix products to the input: beta * input + alpha * sum(batch1
    @ batch2).

    Shapes:
        `batch1` is (B, M, K), `batch2` is (B, K, N); `input` is broadcast to (M, N), which is the
        shape of the result.

    Example:
        >>> print(ms.ops.addbmm(ms.Tensor([[1.0]]), ms.ops.ones((2, 1, 3)), ms.ops.ones((2, 3, 1))))
        [[7.]]
    """
    _same_stack("addbmm", batch1, batch2)
    product = xp.matmul(batch1, batch2)
    product = xp.cast(product, "int64") if adds_up_as_int64(product.dtype) else product
    return _plus(xp, beta, input, alpha, xp.cast(xp.sum(product, 0), product.dtype))


@op(
    "ops.baddbmm(input, batch1, batch2, beta=1, alpha=1)",
    "Tensor.baddbmm(batch1, batch2, *, beta=1, alpha=1)",
    "mint.baddbmm(input, batch1, batch2, *, beta=1, alpha=1)",
    types=SameDtype("batch1 batch2"),
)
def baddbmm(
    xp, input: Anything, batch1: Anything, batch2: Anything, beta: Number = 1, alpha: Number = 1
):
    """Adds a batch of matrix products to the input: beta * input + alpha * (batch1 @ batch2).

    Shapes:
        `batch1` is (B, M, K), `batch2` is (B, K, N); `input` is broadcast to (B, M, N), which is
        the shape of the result.

    Example:
        >>> print(ms.ops.baddbmm(ms.ops.ones((1, 1, 1)), ms.ops.ones((1, 1, 3)),
        ...                      ms.ops.ones((1, 3, 1))))
        [[[4.]]]
    """
    _same_stack("baddbmm", batch1, batch2)
    return _plus(xp, beta, input, alpha, xp.matmul(batch1, batch2))
