"""Gradients of matrix factors and of `einsum`, as Primitives."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import vjp
from ..._core.rules.vocabulary import Bool, ListOf, Str, TensorOf, TupleOf, checked, real
from .._linalg.matmul import einsum
from .._rules import Floats
from ..primitive import Primitive


@op("ops.operations._grad_ops.LuUnpackGrad(L_grad_flag, U_grad_flag)(L_grad, U_grad, LU_data)")
def lu_unpack_grad(
    xp,
    L_grad: TensorOf(real),
    U_grad: TensorOf(real),
    LU_data: TensorOf(real),
    L_grad_flag: Bool,
    U_grad_flag: Bool,
):
    """Computes the gradient of `ops.LuUnpack` with respect to its data, in two parts: through L and
    through U.

    A flag tells whether the gradient of its factor is used; otherwise its part is 0.

    Shapes:
        `LU_data` is (..., M, N). With K = min(M, N), `L_grad` is (..., M, K) and `U_grad` is (...,
        K, N). Both results have the shape of `LU_data`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.LuUnpackGrad(True, True)
        >>> ones = ms.ops.ones((2, 2))
        >>> print(back(ones, ones, ones)[0])
        [[0. 0.]
         [1. 0.]]
    """
    height, width = LU_data.shape[-2:]
    least = min(height, width)
    lower = xp.tril(L_grad, -1) if L_grad_flag else L_grad * 0
    upper = xp.triu(U_grad) if U_grad_flag else U_grad * 0
    batch = tuple(LU_data.shape[:-2])
    right = xp.zeros((*batch, height, width - least), LU_data.dtype)
    below = xp.zeros((*batch, height - least, width), LU_data.dtype)
    return xp.concatenate([lower, right], -1), xp.concatenate([upper, below], -2)


@public("ops.operations._grad_ops.EinsumGrad")
class EinsumGrad(Primitive):
    """Computes the gradient of `ops.einsum` for each input: `EinsumGrad(equation)(x, dout)`."""

    @checked
    def __init__(self, equation: Str):
        super().__init__("EinsumGrad")
        self.equation = equation

    @checked
    def __call__(self, x: TupleOf(Floats) | ListOf(Floats), dout: Floats):
        gradients = vjp(lambda *given: einsum(self.equation, *given), *x)[1](dout)
        return tuple(gradients) if isinstance(gradients, (tuple, list)) else (gradients,)
