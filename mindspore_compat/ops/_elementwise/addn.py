"""Sums of several Tensors (AddN), and addition of a bias."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.values import upcast
from ..._core.rules.vocabulary import OneOf
from ...common._graph_mode.call import in_graph
from .._rules import Anything, Several
from .._shape.join_split import of_one_dtype

MOST_TERMS = 32  # that one kernel adds: CUDA limits the bytes of its arguments


def _unless_one(run):
    def total_or_itself(x):
        return x[0] if len(x) == 1 and not in_graph() else run(x)

    return total_or_itself


@op(
    "ops.addn(x)",
    "ops.AddN()(x)",
    "ops.accumulate_n(x)",
    "ops.AccumulateNV2()(x)",
    compute="kernels",
    quirks=Quirks(around=_unless_one),
)
def addn(xp, x: Several):
    """Adds all the Tensors of a tuple or list, element by element.

    Shapes:
        All Tensors in `x` have one shape and dtype. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.addn([ms.Tensor([1.0, 2.0]), ms.Tensor([10.0, 20.0]),
        ...                    ms.Tensor([100.0, 200.0])]))
        [111. 222.]
    """
    first, *others = of_one_dtype(xp, x)
    for tensor in others:
        if tensor.shape != first.shape:
            raise ValueError(
                f"For 'addn', the Tensors must have one shape, but got "
                f"{tuple(first.shape)} and {tuple(tensor.shape)}."
            )
    if 0 < len(others) < MOST_TERMS:
        return xp.pointwise(_total, first, *others)
    return xp.cast(_total(xp, *[upcast(xp, tensor) for tensor in (first, *others)]), first.dtype)


def _total(xp, first, *others):
    for tensor in others:
        first = first + tensor
    return first


@addn.vjp_joint
def addn_vjp(xp, g, x_shape):
    """Returns the gradient of the sum, once for each Tensor."""
    return ([g] * len(x_shape),)


@op("ops.bias_add(input_x, bias)", "ops.BiasAdd(data_format='NCHW')(input_x, bias)")
def bias_add(
    xp, input_x: Anything, bias: Anything, data_format: OneOf("NCHW", "NHWC", "NCDHW") = "NCHW"
):
    """Adds a bias to the input, one number for each channel.

    The channels are axis 1, or the last axis if `data_format` is "NHWC".

    Shapes:
        `input_x` has at least two axes, for instance (N, C) or (N, C, H, W); `bias` is (C,), of the
        same dtype. The result has the shape and dtype of `input_x`.

    Example:
        >>> print(ms.ops.bias_add(ms.Tensor([[1.0, 2.0], [3.0, 4.0]]), ms.Tensor([10.0, 20.0])))
        [[11. 22.]
         [13. 24.]]
    """
    if bias.ndim != 1:
        raise ValueError(f"For 'bias_add', 'bias' must have one axis, but got shape {bias.shape}.")
    last = input_x.ndim == 2 or data_format == "NHWC"
    has_channels = 2 <= input_x.ndim <= 5
    if has_channels and bias.shape[0] not in (1, input_x.shape[-1 if last else 1]):
        raise ValueError(
            f"For 'bias_add', 'bias' must have one value for each channel, but got shapes "
            f"{tuple(input_x.shape)} and {tuple(bias.shape)}."
        )
    if input_x.dtype != bias.dtype or not has_channels:
        raise TypeError(
            f"For 'bias_add', the inputs must have one dtype and 'input_x' 2 to 5 "
            f"axes, but got {input_x.dtype}, {bias.dtype} and {input_x.shape}."
        )
    if last:
        return input_x + bias
    return input_x + xp.reshape(bias, (1, -1) + (1,) * (input_x.ndim - 2))
