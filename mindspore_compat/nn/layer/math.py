"""Layers around mathematical functions, for scripts that use the layer form."""

import numpy as np

from ... import ops
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    ListOf,
    Number,
    OneDtype,
    TensorOf,
    TupleOf,
    checked,
    floating,
)
from ..._core.tensor.dtype import float32, int32
from ..._core.tensor.tensor import Tensor
from ...ops._loss.cosine import cosine_similarity
from ..cell import Cell

__all__ = [
    "ReduceLogSumExp",
    "Range",
    "LGamma",
    "DiGamma",
    "IGamma",
    "LBeta",
    "CosineSimilarity",
    "MatMul",
    "Moments",
    "MatInverse",
    "MatDet",
]

Half = TensorOf("float16", "float32")
Floats = TensorOf(floating)
Axes = Int | TupleOf(Int) | ListOf(Int)


@public("nn.ReduceLogSumExp")
class ReduceLogSumExp(Cell):
    """Computes log(sum(exp(x))) over some axes without overflow; () means all axes.

    Args:
        axis (Union[int, tuple(int), list(int)]): the axes.
        keep_dims (bool): whether to keep them, with length 1.

    Inputs:
        - **x** (Tensor): floats.

    Outputs:
        Tensor in the dtype of `x`: without the axes, or with length 1 there if `keep_dims`.

    Raises:
        TypeError: if `axis` is of the wrong type, or `keep_dims` not a bool.
        ValueError: if the input has no such axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReduceLogSumExp(0)(ms.Tensor([0.0, 0.0])))
        0.6931472
    """

    @checked
    def __init__(self, axis: Axes, keep_dims: Bool = False):
        super().__init__()
        self.axis = axis
        self.keep_dims = keep_dims

    @checked
    def construct(self, x: Floats):
        """Returns the logarithms of the sums of exponentials of `x`."""
        axis = self.axis
        axis = (axis,) if isinstance(axis, int) else tuple(axis) or tuple(range(x.ndim))
        return ops.logsumexp(x, axis, self.keep_dims)


@public("nn.Range")
class Range(Cell):
    """Returns evenly spaced numbers from `start` up to, but not including, `limit` in steps of
    `delta`.

    Args:
        start (Union[int, float]): the first number; or, without `limit`, the limit.
        limit (Union[int, float]): the end, which is excluded.
        delta (Union[int, float]): the step.

    Inputs:
        None.

    Outputs:
        Tensor of shape (n,): int32 for ints, float32 for floats.

    Raises:
        TypeError: if one is not a number, or a Tensor with one element.
        ValueError: if `delta` is 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Range(1, 4)())
        [1 2 3]
    """

    def __init__(self, start, limit=None, delta=1):
        super().__init__()
        first, last = (0, start) if limit is None else (start, limit)
        given = {"start": first, "limit": last, "delta": delta}
        first, last, delta = (_number("Range", name, value) for name, value in given.items())
        if delta == 0:
            raise ValueError("For 'Range', 'delta' must not be 0.")
        whole = all(isinstance(value, int) for value in (first, last, delta))
        if (last - first) * delta < 0:
            last = first
        self.result_tensor = ops.arange(first, last, delta, dtype=int32 if whole else float32)

    def construct(self):
        """Returns the numbers: int32 if all arguments are ints, else float32."""
        return self.result_tensor


def _number(api, name, value):
    """Returns a number, which may be the element of a Tensor or array."""
    holds_one = isinstance(value, (Tensor, np.ndarray, np.generic)) and value.size == 1
    value = value.item() if holds_one else value
    if isinstance(value, bool):
        return int(value)
    Number.refuse(api, name, value)
    return value


@public("nn.LGamma")
class LGamma(Cell):
    """Log-gamma function: computes log |gamma(x)| element by element.

    Inputs:
        - **x** (Tensor): float16 or float32, of any shape.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `x` is not a Tensor of float16 or float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LGamma()(ms.Tensor([3.0])))
        [0.6931472]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, x: Half):
        """Returns the logarithm of the gamma function at `x`."""
        return ops.lgamma(x)


@public("nn.DiGamma")
class DiGamma(Cell):
    """Digamma function: computes the derivative of log gamma(x) element by element.

    Inputs:
        - **x** (Tensor): float16 or float32, of any shape.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `x` is not a Tensor of float16 or float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.DiGamma()(ms.Tensor([1.0])))
        [-0.5772157]
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, x: Half):
        """Returns the digamma function at `x`."""
        return ops.digamma(x)


@public("nn.IGamma")
class IGamma(Cell):
    """Lower regularised incomplete gamma function P(a, x), element by element.

    Inputs:
        - **a**, **x** (Tensor): float16 or float32, of shapes that broadcast.

    Outputs:
        Tensor of the broadcast shape, in the promoted dtype.

    Raises:
        TypeError: if `a` or `x` is not a Tensor of float16 or float32.
        ValueError: if the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.IGamma()(ms.Tensor([1.0]), ms.Tensor([1.0])))
        [0.63212055]
    """

    def __init__(self):
        super().__init__()
        self.lgamma = LGamma()

    @checked(OneDtype("a x"))
    def construct(self, a: Half, x: Half):
        """Computes P(a, x), element by element."""
        return ops.igamma(a, x)


@public("nn.LBeta")
class LBeta(Cell):
    """Log-beta function: computes log |beta(x, y)| without cancelling large logarithms.

    Inputs:
        - **x**, **y** (Tensor): float16 or float32, of shapes that broadcast.

    Outputs:
        Tensor of the broadcast shape, in the promoted dtype.

    Raises:
        TypeError: if `x` or `y` is not a Tensor of float16 or float32.
        ValueError: if the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.LBeta()(ms.Tensor([2.0]), ms.Tensor([3.0])))
        [-2.4849067]
    """

    def __init__(self):
        super().__init__()
        self.lgamma = LGamma()

    @checked(OneDtype("x y"))
    def construct(self, x: Half, y: Half):
        """Returns the logarithm of the beta function, element by element."""
        return log_beta.run(x, y)


@op()
def log_beta(xp, x: Half, y: Half):
    """Computes log |beta(x, y)|."""
    return xp.betaln(x, y)


log_beta.vjp(
    x=lambda xp, g, x, y: g * (xp.digamma(x) - xp.digamma(x + y)),
    y=lambda xp, g, x, y: g * (xp.digamma(y) - xp.digamma(x + y)),
)


@public("mint.nn.CosineSimilarity")
class CosineSimilarity(Cell):
    """Cosine similarity of vectors: the cosine of the angle between them.

    Args:
        dim (int): the axis of the vectors.
        eps (float): the lower bound of the product of lengths, which is the divisor.

    Inputs:
        - **x1** (Tensor), **x2** (Tensor): of shapes that broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.CosineSimilarity()(ms.Tensor([[1.0, 0.0]]), ms.Tensor([[1.0, 1.0]])))
        [0.70710677]
    """

    @checked
    def __init__(self, dim: Int = 1, eps: Float = 1e-8):
        super().__init__()
        self.dim = dim
        self.eps = eps

    @checked
    def construct(self, x1: TensorOf(), x2: TensorOf()):
        """Returns the cosines."""
        return cosine_similarity.run(x1, x2, self.dim, self.eps)


@public("nn.MatMul")
class MatMul(Cell):
    """Matrix product of matrices or vectors, transposed first if requested.

    Args:
        transpose_x1 (bool): whether to transpose `x1` first.
        transpose_x2 (bool): whether to transpose `x2` first.

    Inputs:
        - **x1** (Tensor), **x2** (Tensor): of the same dtype.

    Outputs:
        Tensor of the same dtype: shape (*, N, M) for matrices (*, N, K) and (*, K, M), without the
        axis of a factor that is a vector.

    Raises:
        TypeError: if a flag is not a bool, or the dtypes differ.
        ValueError: if the inner lengths differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatMul()(ms.Tensor([[1.0, 2.0]]), ms.Tensor([[3.0], [4.0]])))
        [[11.]]
    """

    @checked
    def __init__(self, transpose_x1: Bool = False, transpose_x2: Bool = False):
        super().__init__()
        self.transpose_x1 = transpose_x1
        self.transpose_x2 = transpose_x2

    @checked(OneDtype("x1 x2"))
    def construct(self, x1: TensorOf(), x2: TensorOf()):
        """Returns the product."""
        if self.transpose_x1 and x1.ndim > 1:
            x1 = x1.swapaxes(-1, -2)
        if self.transpose_x2 and x2.ndim > 1:
            x2 = x2.swapaxes(-1, -2)
        inner = x1.shape[-1:], x2.shape[-2:-1] if x2.ndim > 1 else x2.shape
        if inner[0] != inner[1]:
            raise ValueError(
                f"For 'MatMul', the inner lengths must agree, but got shapes "
                f"{x1.shape} and {x2.shape}."
            )
        return ops.matmul(x1, x2)


@public("nn.Moments")
class Moments(Cell):
    """Computes the mean and the (biased) variance over some axes.

    Args:
        axis (Union[int, tuple(int), None]): the axes; None for all of them.
        keep_dims (Union[bool, None]): whether to keep them, with length 1.

    Inputs:
        - **x** (Tensor): float16 or float32.

    Outputs:
        A pair of Tensors, mean and variance, in the dtype of `x`: without the axes, or with length
        1 there if `keep_dims`.

    Raises:
        TypeError: if `axis` is of the wrong type, or `keep_dims` not a bool.
        ValueError: if the input has no such axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.nn.Moments(axis=0)(ms.Tensor([1.0, 3.0])))
        2.0 1.0
    """

    @checked
    def __init__(self, axis: Int | TupleOf(Int) | None = None, keep_dims: Bool | None = None):
        super().__init__()
        self.axis = () if axis is None else axis
        self.keep_dims = bool(keep_dims)

    @checked
    def construct(self, x: Half):
        """Returns the means and the variances of `x`."""
        return moments.run(x, self.axis, self.keep_dims)


@op()
def moments(xp, x: Floats, axis: Any = (), keep_dims: Bool = False):
    """Computes mean and variance over some axes; () means all axes."""
    axes = (axis,) if isinstance(axis, int) else tuple(axis) or tuple(range(x.ndim))
    if any(not -x.ndim <= number < x.ndim for number in axes):
        raise ValueError(
            f"For 'Moments', 'axis' must hold axes of the input, but got {axis} for "
            f"shape {tuple(x.shape)}."
        )
    mean = xp.mean(x, axes, keepdims=True)
    variance = xp.mean(xp.square(x - mean), axes, keepdims=True)
    return (mean, variance) if keep_dims else (xp.squeeze(mean, axes), xp.squeeze(variance, axes))


@public("nn.MatInverse")
class MatInverse(Cell):
    """Inverts positive definite matrices by Cholesky decomposition.

    Inputs:
        - **a** (Tensor): float16 or float32 matrices, shape (*, M, M).

    Outputs:
        Tensor of shape (*, M, M), with the dtype of `a`.

    Raises:
        TypeError: if `a` is not a Tensor of float16 or float32.
        ValueError: if `a` does not hold square matrices.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatInverse()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        [[0.49999997 0.        ]
         [0.         0.25      ]]
    """

    def __init__(self):
        super().__init__()
        self.matmul = MatMul()

    @checked
    def construct(self, a: Half):
        """Returns the inverses of `a`, shape (*, N, N)."""
        return ops.cholesky_inverse(ops.cholesky(a.astype(float32))).astype(a.dtype)


@public("nn.MatDet")
class MatDet(Cell):
    """Computes determinants of positive definite matrices by Cholesky decomposition.

    Inputs:
        - **a** (Tensor): float16 or float32 matrices, shape (*, M, M).

    Outputs:
        Tensor of shape (*,), with the dtype of `a`.

    Raises:
        TypeError: if `a` is not a Tensor of float16 or float32.
        ValueError: if `a` does not hold square matrices.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MatDet()(ms.Tensor([[2.0, 0.0], [0.0, 4.0]])))
        7.9999995
    """

    def __init__(self):
        super().__init__()

    @checked
    def construct(self, a: Half):
        """Returns the determinants of `a`, shape (*, N, N)."""
        factor = ops.cholesky(a.astype(float32))
        diagonal = ops.diagonal(factor, 0, -2, -1)
        return ops.square(diagonal.prod(-1)).astype(a.dtype)
