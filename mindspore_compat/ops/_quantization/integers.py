"""Conversions to int8 and back, and the parameters of a quantized layer."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    Float,
    InstanceOf,
    ListOf,
    OneOf,
    Str,
    TupleOf,
    checked,
)
from ..._core.tensor.dtype import QuantDtype, float16, float32, int8
from .._primitive_aliases.alias import ops
from ..primitive import Primitive

_ROUNDINGS = {"Round": "round", "Floor": "floor", "Ceil": "ceil", "Trunc": "trunc"}


@public("ops.operations._inner_ops.Quant")
class Quant(Primitive):
    """Quantizes to int8: rounds `scale * x + offset`, and clips to the range of int8.

    Args:
        scale (float): the factor.
        offset (float): what is added.
        sqrt_mode (bool): whether `scale` is applied twice. Default: False.
        round_mode (str): "Round" (to the nearest, ties to the even integer), "Floor", "Ceil" or
            "Trunc". Default: "Round".

    Inputs:
        - **input_x** (Tensor): the data, float16 or float32.

    Returns:
        Tensor of int8.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if `round_mode` is another text.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.operations._inner_ops.Quant(2.0, 1.0)(ms.Tensor([1.0, -0.4, 99.0])))
        [  3   0 127]

    Source: mindspore.ops.operations._inner_ops.Quant of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        scale: Float,
        offset: Float,
        sqrt_mode: Bool = False,
        round_mode: OneOf(*_ROUNDINGS) = "Round",
    ):
        super().__init__("Quant")
        self.scale, self.offset = scale, offset
        self.sqrt_mode, self.round_mode = sqrt_mode, round_mode

    def __call__(self, input_x):
        """Computes the integers."""
        factor = self.scale * self.scale if self.sqrt_mode else self.scale
        x = input_x.astype(float32) * factor + self.offset
        x = getattr(ops, _ROUNDINGS[self.round_mode])(x)
        return ops.clamp(x, -128, 127).astype(int8)


@public("ops.operations._inner_ops.Dequant")
class Dequant(Primitive):
    """Computes the numbers that integers represent: `x * deq_scale`.

    Args:
        sqrt_mode (bool): whether `deq_scale` is applied twice. Default: False.
        relu_flag (bool): whether negative results become 0. Default: False.
        dtype (mindspore.dtype): the dtype of the result. Default: float16.

    Inputs:
        - **input_x** (Tensor): the integers.
        - **deq_scale** (Tensor): the factor.

    Returns:
        Tensor of `dtype`.

    Raises:
        TypeError: if a setting has the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> dequantize = ms.ops.operations._inner_ops.Dequant(relu_flag=True)
        >>> print(dequantize(ms.Tensor([3, -4], ms.int32), ms.Tensor([0.5], ms.float16)))
        [1.5 0. ]

    Source: mindspore.ops.operations._inner_ops.Dequant of MindSpore 2.10.
    """

    @checked
    def __init__(self, sqrt_mode: Bool = False, relu_flag: Bool = False, dtype: DType = float16):
        super().__init__("Dequant")
        self.sqrt_mode, self.relu_flag, self.dtype = sqrt_mode, relu_flag, dtype

    def __call__(self, input_x, deq_scale):
        """Computes the numbers."""
        scale = deq_scale.astype(float32)
        result = input_x.astype(float32) * (scale * scale if self.sqrt_mode else scale)
        return (ops.relu(result) if self.relu_flag else result).astype(self.dtype)


_Scales = Float | TupleOf(Float) | ListOf(Float)


@public("ops.operations._quant_ops.FakeQuantParam")
class FakeQuantParam(Primitive):
    """Marks data with the parameters of their quantization; returns them unchanged.

    Args:
        quant_dtype (QuantDtype): the integer format.
        quant_algo_name (str): the algorithm; `attr_value_linear_quant_algo_name` for a linear one.
        is_per_channel (bool): whether each channel has its own parameters.
        kwargs (dict): further parameters, stored as attributes of the primitive.

    Inputs:
        - **input_x** (Tensor): the data.

    Returns:
        Tensor, `input_x`.

    Raises:
        TypeError: if a setting has the wrong type.

    Example:
        >>> import mindspore_compat as ms
        >>> FakeQuantParam = ms.ops.operations._quant_ops.FakeQuantParam
        >>> mark = FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, 0.5, 1)
        >>> print(mark.attrs["linear_quant_scale"], mark(ms.Tensor([1.0])))
        [0.5] [1.]

    Source: mindspore.ops.operations._quant_ops.FakeQuantParam of MindSpore 2.10.
    """

    attr_key_linear_quant_scale = "linear_quant_scale"
    attr_key_linear_quant_zero_point = "linear_quant_zero_point"
    attr_value_linear_quant_algo_name = "linear_quant_algo"

    @checked
    def __init__(
        self,
        quant_dtype: InstanceOf(QuantDtype),
        quant_algo_name: Str,
        is_per_channel: Bool,
        **kwargs,
    ):
        super().__init__("FakeQuantParam")
        settings = {
            "quant_dtype": quant_dtype.value(),
            "quant_algo_name": quant_algo_name,
            "is_per_channel": is_per_channel,
            "kwargs": kwargs,
            **kwargs,
        }
        for name, value in settings.items():
            self.add_prim_attr(name, value)

    @classmethod
    def linear_quant_param(cls, quant_dtype, scale, zp, is_per_channel=False, **kwargs):
        """Returns the mark of a linear quantization, `real = scale * (integer - zp)`.

        Args:
            quant_dtype (QuantDtype): the integer format.
            scale (Union[float, list, tuple]): the scale, or one scale per channel.
            zp (Union[int, list, tuple]): the integer that represents 0, or one per channel.
            is_per_channel (bool): whether each channel has its own parameters. Default: False.
            kwargs (dict): further parameters.

        Returns:
            FakeQuantParam.

        Raises:
            TypeError: if a setting has the wrong type.
        """
        _Scales.refuse("FakeQuantParam", "scale", scale)
        parameters = {
            cls.attr_key_linear_quant_scale: _as_list(scale),
            cls.attr_key_linear_quant_zero_point: _as_list(zp),
        }
        name = cls.attr_value_linear_quant_algo_name
        return cls(quant_dtype, name, is_per_channel, **parameters, **kwargs)

    def __call__(self, input_x):
        """Returns the data."""
        return input_x


def _as_list(value):
    return list(value) if isinstance(value, (tuple, list)) else [value]
