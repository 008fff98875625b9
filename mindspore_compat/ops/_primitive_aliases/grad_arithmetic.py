"""Primitives of gradients with arithmetic of their own: activations, parts, segments, gamma draws.

They are given what an operation found on its way. Those of pools are in
_primitive_aliases/grad_pooling.py. Those that pull a gradient back through a call
are lines of _primitive_aliases/grad_pulled.py and _primitive_aliases/generated_grads.py.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    ListOf,
    TensorOf,
    TupleOf,
    checked,
    real,
)
from .._rules import Floats, Index
from ..primitive import Primitive
from .grad_pulled import igamma_grad_a

_Count = TensorOf("int32", "int64").called("a Tensor of int32 or int64")

Sequence = TupleOf(TensorOf()) | ListOf(TensorOf())


# Activations --------------------------------------------------------------------------------------


@op("ops.auto_generate.EluGradExt()(dout, x_or_out, alpha=1.0, is_result=False)")
def elu_grad_ext(xp, dout: Floats, x_or_out: Floats, alpha: Float = 1.0, is_result: Bool = False):
    """Computes the gradient of ELU, from its input or, with `is_result`, from its result.

    Shapes:
        `dout` and `x_or_out` have one shape, which is that of the result.

    Example:
        >>> print(ms.ops.auto_generate.EluGradExt()(ms.Tensor([1.0, 1.0]), ms.Tensor([-1.0, 2.0])))
        [0.36787942 1.        ]
    """
    low = xp.minimum(x_or_out, 0)
    gradient = low + alpha if is_result else alpha * xp.exp(low)
    return xp.where(x_or_out > 0, dout, dout * gradient)


@op("ops.auto_generate.LeakyReLUGradExt()(dy, input, negative_slope=0.01, is_result=False)")
def leaky_relu_grad_ext(
    xp, dy: Floats, input: Floats, negative_slope: Float = 0.01, is_result: Bool = False
):
    """Computes the gradient of the leaky ReLU, from its input or from its result, whose signs
    agree.

    Shapes:
        `dy` and `input` have one shape, which is that of the result.

    Example:
        >>> print(ms.ops.auto_generate.LeakyReLUGradExt()(ms.Tensor([1.0, 1.0]),
        ...         ms.Tensor([-1.0, 2.0])))
        [0.01 1.  ]
    """
    if is_result and negative_slope < 0:
        raise ValueError(
            f"For 'LeakyReLUGradExt', 'negative_slope' must not be negative where a result is "
            f"given, but got {negative_slope}."
        )
    return xp.where(input > 0, dy, dy * negative_slope)


# Parts of matrices, medians -----------------------------------------------------------------------


@op("ops.operations._grad_ops.LuUnpackGrad(L_grad_flag, U_grad_flag)(L_grad, U_grad, LU_data)")
def lu_unpack_grad(
    xp,
    L_grad: TensorOf(real),
    U_grad: TensorOf(real),
    LU_data: TensorOf(real),
    L_grad_flag: Bool,
    U_grad_flag: Bool,
):
    """Computes the gradients of `ops.LuUnpack` for its data, one by way of L and one by way of U.

    A flag says whether there is a gradient of that factor; without it the part is 0.

    Shapes:
        `LU_data` is (..., M, N), with K = min(M, N) `L_grad` is (..., M, K) and `U_grad` is (...,
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


@op(
    "ops.operations._grad_ops.MedianGrad(global_median=False, axis=0, keep_dims=False)"
    "(y_grad, x, y, indices)",
    compute="native",
)
def median_grad(
    xp,
    y_grad: TensorOf(real),
    x: TensorOf(real),
    y: TensorOf(real),
    indices: TensorOf("int64"),
    global_median: Bool = False,
    axis: Int = 0,
    keep_dims: Bool = False,
):
    """Computes the gradient of `ops.Median`: at the index of the median, or, of the median of all
    elements, shared by those that equal it.

    Shapes:
        `y_grad`, `y` and `indices` have one shape, the result has that of `x`. It is float64 for
        float64, else float32.

    Raises:
        ValueError: if the shapes of `y_grad` and `y` differ.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> x = ms.Tensor([[1.0, 2.0, 3.0]])
        >>> back = _grad_ops.MedianGrad(axis=1)
        >>> print(back(ms.Tensor([5.0]), x, ms.Tensor([2.0]), ms.Tensor([1])))
        [[0. 5. 0.]]
    """
    if tuple(y_grad.shape) != tuple(y.shape):
        raise ValueError(
            f"For 'MedianGrad', 'y_grad' and 'y' must have the same shape, but got "
            f"{tuple(y_grad.shape)} and {tuple(y.shape)}."
        )
    dtype = "float64" if x.dtype == "float64" else "float32"
    gradient = xp.cast(y_grad, dtype)
    if global_median:
        same = xp.cast(x == y, dtype)
        return gradient * same / xp.sum(same)
    if not keep_dims and x.ndim:
        gradient, indices = xp.expand_dims(gradient, axis), xp.expand_dims(indices, axis)
    if not x.ndim:
        return gradient
    return xp.scatter_along_axis(xp.zeros(x.shape, dtype), indices, gradient, axis)


# Segments and sparse matrices ---------------------------------------------------------------------


def _segments(line, scale, printed):
    """Declares the gradient of a sum of rows by segments, divided by a power of their counts."""
    name = line.partition("(")[0].rpartition(".")[2]

    def back(xp, x: Floats, indices: Index, segment_ids: Index, output_dim0: Any):
        rows = _count_of(name, output_dim0)
        _need_segments(xp, name, x, indices, segment_ids, rows)
        counts = xp.scatter_add(
            xp.zeros(x.shape[:1], x.dtype), (segment_ids,), xp.ones(segment_ids.shape, x.dtype)
        )
        shape = (-1,) + (1,) * (x.ndim - 1)
        share = x / xp.reshape(xp.maximum(counts, 1) ** scale, shape) if scale else x
        made = xp.zeros((rows, *x.shape[1:]), x.dtype)
        return xp.scatter_add(made, (indices,), share[segment_ids])

    back.__doc__ = f"""Hands the gradient of each segment to the rows that `ops.{name[:-4]}` sums.

    Shapes:
        `x` is (segments, ...), `indices` and `segment_ids` are (K,), `output_dim0` is a scalar. The
        result is (output_dim0, ...), of the dtype of `x`.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> rows, segments = ms.Tensor([0, 2], ms.int32), ms.Tensor([0, 0], ms.int32)
        >>> print(_grad_ops.{name}()(ms.Tensor([4.0]), rows, segments, ms.Tensor(3, ms.int32)))
        {printed}
    """
    op(line)(back)


def _count_of(api, value):
    _Count.refuse(api, "output_dim0", value)
    if value.ndim:
        raise ValueError(f"For '{api}', 'output_dim0' must have no axes, but got {value.shape}.")
    return int(value.asnumpy())


def _need_segments(xp, api, x, indices, segment_ids, rows):
    if x.ndim < 1 or indices.ndim != 1 or tuple(indices.shape) != tuple(segment_ids.shape):
        raise ValueError(
            f"For '{api}', 'indices' and 'segment_ids' must have one axis and the same length, but "
            f"got {tuple(indices.shape)} and {tuple(segment_ids.shape)}."
        )
    if not indices.shape[0]:
        return
    if bool(xp.any(segment_ids[1:] < segment_ids[:-1])):
        raise ValueError(f"For '{api}', 'segment_ids' must be sorted.")
    for name, each, most in (("indices", indices, rows), ("segment_ids", segment_ids, x.shape[0])):
        if bool(xp.any((each < 0) | (each >= most))):
            raise ValueError(f"For '{api}', '{name}' must be in [0, {most}).")


_GIVEN = "(x, indices, segment_ids, output_dim0)"
_segments("ops.operations._grad_ops.SparseSegmentMeanGrad()" + _GIVEN, 1, "[2. 0. 2.]")
_segments(
    "ops.operations._grad_ops.SparseSegmentSqrtNGrad()" + _GIVEN,
    0.5,
    "[2.828427 0.       2.828427]",
)
_segments(
    "ops.operations._grad_ops.SparseSegmentSumGrad()(grad: x, indices, segment_ids, output_dim0)",
    0,
    "[4. 0. 4.]",
)


@op(
    "ops.operations._grad_ops.SparseSliceGrad()(backprop_val_grad, indices, start, new_indices)",
    compute="native",
)
def sparse_slice_grad(
    xp,
    backprop_val_grad: TensorOf(),
    indices: TensorOf("int64"),
    start: TensorOf("int64"),
    new_indices: TensorOf("int64"),
):
    """Computes the gradient of `ops.SparseSlice` for the values: 0 for those that were cut off.

    Args:
        backprop_val_grad: the gradient of the values in the slice, (M,).
        indices: where the values of the matrix stand, sorted, (N, rank).
        start: where the slice starts, (rank,).
        new_indices: where the values of the slice stand, sorted, (M, rank).

    Shapes:
        See the arguments; the result is (N,), of the dtype of `backprop_val_grad`.

    Raises:
        ValueError: if shapes do not fit.
        RuntimeError: if a value of the slice is none of the matrix.

    Example:
        >>> from mindspore_compat.ops.operations import _grad_ops
        >>> back = _grad_ops.SparseSliceGrad()
        >>> print(back(ms.Tensor([5.0]), ms.Tensor([[0, 0], [1, 1]]), ms.Tensor([1, 1]),
        ...            ms.Tensor([[0, 0]])))
        [0. 5.]
    """
    api, rank = "SparseSliceGrad", start.shape[0] if start.ndim == 1 else None
    shapes = tuple(indices.shape[1:]), tuple(new_indices.shape[1:])
    if shapes != ((rank,), (rank,)) or tuple(backprop_val_grad.shape) != new_indices.shape[:1]:
        raise ValueError(
            f"For '{api}', shapes must be (M,), (N, rank), (rank,) and (M, rank), but got "
            f"{tuple(backprop_val_grad.shape)}, {tuple(indices.shape)}, {tuple(start.shape)} and "
            f"{tuple(new_indices.shape)}."
        )
    same = xp.expand_dims(indices - start, 1) == xp.expand_dims(new_indices, 0)
    same = xp.all(same, 2)
    if not bool(xp.all(xp.any(same, 0))):
        raise RuntimeError(f"For '{api}', 'new_indices' must all be among 'indices', both sorted.")
    grads = xp.expand_dims(backprop_val_grad, 0)
    return xp.cast(xp.sum(xp.where(same, grads, xp.zeros_like(grads)), 1), backprop_val_grad.dtype)


# Draws and unique elements ------------------------------------------------------------------------


@public("ops.operations._grad_ops.RandomGammaGrad")
class RandomGammaGrad(Primitive):
    """The derivative of a draw from a gamma distribution for the shape `alpha` of that.

    Of a draw the value of the distribution function stays, so it is minus the derivative of that
    for `alpha`, divided by the density: Figurnov et al., "Implicit Reparameterization Gradients"
    (2018).

    Raises:
        TypeError: if an input is no Tensor of float32 or float64, or the dtypes differ.
        ValueError: if the shapes cannot be broadcast together.

    Source: mindspore.ops.operations._grad_ops.RandomGammaGrad of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("RandomGammaGrad")

    @checked
    def __call__(
        self, alpha: TensorOf("float32", "float64"), sample: TensorOf("float32", "float64")
    ):
        if alpha.dtype != sample.dtype:
            raise TypeError(
                f"For 'RandomGammaGrad', 'alpha' and 'sample' must have the same dtype, but got "
                f"{alpha.dtype} and {sample.dtype}."
            )
        gradient = igamma_grad_a(alpha, sample)
        return gamma_draw_gradient.run(gradient, alpha, sample)


@op()
def gamma_draw_gradient(xp, gradient: Floats, alpha: Floats, sample: Floats):
    """Minus `gradient` divided by the density of the gamma distribution at `sample`."""
    return -gradient * xp.exp(sample + xp.gammaln(alpha) - (alpha - 1) * xp.log(sample))


@public("ops.operations._grad_ops.UniqueGrad")
class UniqueGrad(Primitive):
    """The gradient of `ops.Unique`: `UniqueGrad()(dy, y)` with the gradients and the results of
    both outputs; each element gets the gradient of the unique element that it is.

    Raises:
        TypeError: if `dy` or `y` is no sequence of Tensors.

    Source: mindspore.ops.operations._grad_ops.UniqueGrad of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("UniqueGrad")

    @checked
    def __call__(self, dy: Sequence, y: Sequence):
        return dy[0][y[1]]
