"""Bilinear dense layer of two inputs."""

import math

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, InstanceOf, Int, LayerDType, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...common.initializer import Uniform
from ...ops._linalg.matmul import dense
from .._parts import need_init_shape, parameter
from ..cell import Cell
from .basic import _casts_floats

_ATensor = InstanceOf(Tensor)

__all__ = ["BiDense"]


@public("nn.BiDense")
class BiDense(Cell):
    """Bilinear dense layer: computes input1 A input2 + bias, with one matrix A per output.

    Args:
        in1_channels (int): the length of the first input's last axis.
        in2_channels (int): the length of the second input's last axis.
        out_channels (int): the length of the output's last axis.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(in1_channels) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's first values, with
            the same default.
        has_bias (bool): whether the layer has a bias.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **input1** (Tensor): shape (*, in1_channels).
        - **input2** (Tensor): shape (*, in2_channels).

    Outputs:
        Tensor of shape (*, out_channels), with the dtype of the weight.

    Raises:
        TypeError: if a number of channels is not an int, `has_bias` not a bool, or `input1` not of
            the dtype of the weight.
        ValueError: if a number of channels is less than 1, or an initial Tensor has another shape.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BiDense(2, 3, 4)(ms.ops.ones((1, 2)), ms.ops.ones((1, 3))).shape)
        (1, 4)
    """

    @checked
    def __init__(
        self,
        in1_channels: Int(ge=1),
        in2_channels: Int(ge=1),
        out_channels: Int(ge=1),
        weight_init=None,
        bias_init=None,
        has_bias: Bool = True,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.in1_channels = in1_channels
        self.in2_channels = in2_channels
        self.out_channels = out_channels
        self.has_bias = has_bias
        start = Uniform(1 / math.sqrt(in1_channels))
        shape = (out_channels, in1_channels, in2_channels)
        need_init_shape("BiDense", "weight_init", weight_init, shape)
        self.weight = parameter(start if weight_init is None else weight_init, shape, dtype)
        self.bias = None
        if has_bias:
            need_init_shape("BiDense", "bias_init", bias_init, shape[:1])
            self.bias = parameter(start if bias_init is None else bias_init, shape[:1], dtype)

    def construct(self, input1, input2):
        """Returns the bilinear map of `input1` and `input2`."""
        self._check(input1, input2)
        rows = input1.reshape(-1, self.in1_channels)
        columns = input2.reshape(-1, self.in2_channels).astype(self.weight.dtype, copy=False)
        left = self.weight.reshape(self.out_channels * self.in1_channels, self.in2_channels)
        half = dense.run(columns, left).reshape(-1, self.out_channels, self.in1_channels)
        out = (half * rows.expand_dims(1)).sum(-1)
        if self.has_bias and self.bias is not None:
            out = out + self.bias
        return out.reshape(*input1.shape[:-1], self.out_channels)

    def _check(self, input1, input2):
        for name, x, length in (
            ("input1", input1, self.in1_channels),
            ("input2", input2, self.in2_channels),
        ):
            _ATensor.refuse("BiDense", name, x)
            is_other = x.dtype != self.weight.dtype and not _casts_floats(x._array)
            if name == "input1" and is_other:
                raise TypeError(
                    f"For 'BiDense', 'input1' must have the dtype of the weight, "
                    f"{self.weight.dtype}, but got {x.dtype}."
                )
            if x.ndim == 0 or x.shape[-1] != length:
                raise ValueError(
                    f"For 'BiDense', the last axis of '{name}' must have length "
                    f"{length}, but got shape {x.shape}."
                )
        if input1.shape[:-1] != input2.shape[:-1]:
            raise ValueError(
                f"For 'BiDense', 'input1' and 'input2' must have the same leading "
                f"axes, but got shapes {input1.shape} and {input2.shape}."
            )

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return (
            f"in1_channels={self.in1_channels}, in2_channels={self.in2_channels}, "
            f"output_channels={self.out_channels}" + (", has_bias=True" if self.has_bias else "")
        )
