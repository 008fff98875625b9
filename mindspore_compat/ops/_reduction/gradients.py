"""Gradients of medians and of unique elements, from the indices of the forward pass."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, ListOf, TensorOf, TupleOf, checked, real
from ..primitive import Primitive

Sequence = TupleOf(TensorOf()) | ListOf(TensorOf())


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
    """Computes the gradient of `ops.Median`: it goes to the index of the median. For the median of
    all elements, it is divided among the elements that equal it.

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
        is_median = xp.cast(x == y, dtype)
        return gradient * is_median / xp.sum(is_median)
    if not keep_dims and x.ndim:
        gradient, indices = xp.expand_dims(gradient, axis), xp.expand_dims(indices, axis)
    if not x.ndim:
        return gradient
    return xp.scatter_along_axis(xp.zeros(x.shape, dtype), indices, gradient, axis)


@public("ops.operations._grad_ops.UniqueGrad")
class UniqueGrad(Primitive):
    """Computes the gradient of `ops.Unique`: `UniqueGrad()(dy, y)`, with the gradients and the
    results of both outputs. Each element gets the gradient of the unique element that it equals.

    Raises:
        TypeError: if `dy` or `y` is not a sequence of Tensors.

    Source: mindspore.ops.operations._grad_ops.UniqueGrad of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("UniqueGrad")

    @checked
    def __call__(self, dy: Sequence, y: Sequence):
        return dy[0][y[1]]
