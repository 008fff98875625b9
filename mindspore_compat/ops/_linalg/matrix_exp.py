"""The matrix exponential."""

import math

from ..._core.declare.op import op
from .._precision import at_least_float32
from .._rules import InexactOfNumPy
from .decomposition import _square

_PADE = [
    64764752532480000,
    32382376266240000,
    7771770303897600,
    1187353796428800,
    129060195264000,
    10559470521600,
    670442572800,
    33522128640,
    1323241920,
    40840800,
    960960,
    16380,
    182,
    1,
]


@op("ops.matrix_exp(input)", "ops.MatrixExp()(input)", "Tensor.matrix_exp()")
def matrix_exp(xp, input: InexactOfNumPy):
    """Computes the matrix exponential of each matrix, the sum of x^k / k! over all k.

    Shapes:
        `input` is (..., M, M). The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.matrix_exp(ms.Tensor([[0.0, 1.0], [0.0, 0.0]])))
        [[1. 1.]
         [0. 1.]]
    """
    _square("matrix_exp", "input", input)
    dtype, input = input.dtype, at_least_float32(xp, input)
    size = float(xp.max(xp.sum(xp.abs(xp.stop(input)), -1))) if input.size else 0.0
    halvings = max(0, math.ceil(math.log2(size / 5.4))) if size > 5.4 else 0
    x = input / 2**halvings
    eye = xp.eye(input.shape[-1], dtype=input.dtype)
    square = xp.matmul(x, x)
    odd, even, power = 0, 0, eye
    for index in range(0, len(_PADE), 2):
        even = even + _PADE[index] * power
        odd = odd + _PADE[index + 1] * power
        power = xp.matmul(power, square)
    odd = xp.matmul(x, odd)
    out = xp.linalg_solve(even - odd, even + odd)
    for _ in range(halvings):
        out = xp.matmul(out, out)
    return xp.cast(out, dtype)
