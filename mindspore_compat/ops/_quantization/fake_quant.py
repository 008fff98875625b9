"""Fake quantization between a minimum and a maximum, and the observers that find them.

Formulas: Jacob et al., "Quantization and Training of Neural Networks for Efficient
Integer-Arithmetic-Only Inference", 2017. Learned scales are in _quantization/learned_scale.py.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, OneOf, checked
from .._primitive_aliases.alias import ops
from ..primitive import Primitive
from .rounding import (
    DelayedQuantization,
    along_channels,
    require_channels,
    require_single,
    straight_through,
)

_Bits = OneOf(4, 7, 8)
_Decay = Float(ge=0.0, le=1.0)


class _FakeQuant(DelayedQuantization):
    """Base class of the quantizations between a minimum and a maximum."""

    def _set(self, name, num_bits, ema, ema_decay, quant_delay, symmetric, narrow_range, training):
        DelayedQuantization.__init__(self, name, quant_delay, training)
        self.num_bits, self.symmetric, self.narrow_range = num_bits, symmetric, narrow_range
        self.ema, self.ema_decay = ema, ema_decay
        self.quant_min = -(1 << num_bits - 1) if symmetric else 0
        self.quant_max = self.quant_min + (1 << num_bits) - 1
        self.quant_min += narrow_range

    def _quantize(self, x, low, high):
        """Rounds `x` to the levels between `low` and `high`, moved so that 0 is a level."""
        low, high = ops.stop_gradient(ops.minimum(low, 0)), ops.stop_gradient(ops.maximum(high, 0))
        if self.symmetric:
            high = ops.maximum(-low, high)
            low = -high
        scale = (high - low) / (self.quant_max - self.quant_min)
        scale = ops.where(scale > 0, scale, 1)
        if self.symmetric:
            zero_point = 0  # exact where the division below may end on either side of -0.5
        else:
            zero_point = ops.clamp(self.quant_min - low / scale, self.quant_min, self.quant_max)
            zero_point = ops.round(zero_point)
        low, high = (self.quant_min - zero_point) * scale, (self.quant_max - zero_point) * scale
        level = ops.floor((ops.clamp(ops.stop_gradient(x), low, high) - low) / scale + 0.5)
        inside = ops.logical_and(x >= low, x <= high)
        return straight_through(level * scale + low, ops.where(inside, x, 0))


@public("ops.operations._quant_ops.FakeQuantPerLayer")
class FakeQuantPerLayer(_FakeQuant):
    """Rounds data to the levels of an integer format, with one minimum and one maximum.

    Where the data are between the limits, their gradient is the gradient of the result; elsewhere
    it is 0. The limits have gradients of 0.

    Args:
        num_bits (int): 4, 7 or 8. Default: 8.
        ema (bool): stored for the observer. Default: False.
        ema_decay (float): stored for the observer. Default: 0.999.
        quant_delay (int): the number of training calls that return the data unchanged. Default: 0.
        symmetric (bool): whether the limits are made opposite numbers and the levels are signed.
            Default: False.
        narrow_range (bool): whether the lowest level is left out. Default: False.
        training (bool): whether `quant_delay` counts. Default: True.

    Inputs:
        - **x** (Tensor): the data.
        - **min**, **max** (Tensor): the limits, of shape (1,).

    Returns:
        Tensor, like `x`.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is out of its range, or a limit has another shape.

    Example:
        >>> import mindspore_compat as ms
        >>> quantize = ms.ops.operations._quant_ops.FakeQuantPerLayer(num_bits=4)
        >>> one = lambda value: ms.Tensor([value], ms.float32)
        >>> print(quantize(ms.Tensor([-9.0, 0.2, 3.4, 20.0]), one(-5.0), one(10.0)))
        [-5.  0.  3. 10.]

    Source: mindspore.ops.operations._quant_ops.FakeQuantPerLayer of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        num_bits: _Bits = 8,
        ema: Bool = False,
        ema_decay: _Decay = 0.999,
        quant_delay: Int(ge=0) = 0,
        symmetric: Bool = False,
        narrow_range: Bool = False,
        training: Bool = True,
    ):
        self._set(
            "FakeQuantPerLayer",
            num_bits,
            ema,
            ema_decay,
            quant_delay,
            symmetric,
            narrow_range,
            training,
        )

    def quantize(self, x, min, max):
        """Computes the rounded data."""
        require_single("FakeQuantPerLayer", "min", min)
        require_single("FakeQuantPerLayer", "max", max)
        return self._quantize(x, min, max)


@public("ops.operations._quant_ops.FakeQuantPerChannel")
class FakeQuantPerChannel(_FakeQuant):
    """Rounds data to the levels of an integer format, with limits for each channel.

    The settings and gradients are the same as for `FakeQuantPerLayer`.

    Args:
        channel_axis (int): the axis of the channels. Default: 1.

    Inputs:
        - **x** (Tensor): the data.
        - **min**, **max** (Tensor): the limits of each channel.

    Returns:
        Tensor, like `x`.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is out of its range, or a limit does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.FakeQuantPerChannel of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        num_bits: _Bits = 8,
        ema: Bool = False,
        ema_decay: _Decay = 0.999,
        quant_delay: Int(ge=0) = 0,
        symmetric: Bool = False,
        narrow_range: Bool = False,
        training: Bool = True,
        channel_axis: Int(ge=0) = 1,
    ):
        self._set(
            "FakeQuantPerChannel",
            num_bits,
            ema,
            ema_decay,
            quant_delay,
            symmetric,
            narrow_range,
            training,
        )
        self.channel_axis = channel_axis

    def quantize(self, x, min, max):
        """Computes the rounded data."""
        axis = self.channel_axis
        require_channels("FakeQuantPerChannel", "min", min, x, axis)
        require_channels("FakeQuantPerChannel", "max", max, x, axis)
        return self._quantize(x, along_channels(min, x, axis), along_channels(max, x, axis))


class _MinMaxUpdate(Primitive):
    """Base class of the observers of a minimum and a maximum."""

    def _include_zero(self, lowest, highest, min, max):
        """Returns limits that include 0, without gradients."""
        if self.ema:
            lowest = self.ema_decay * min + (1 - self.ema_decay) * lowest
            highest = self.ema_decay * max + (1 - self.ema_decay) * highest
        limits = ops.minimum(lowest, 0), ops.maximum(highest, 0)
        return tuple(ops.stop_gradient(limit) for limit in limits)


@public("ops.operations._quant_ops.MinMaxUpdatePerLayer")
class MinMaxUpdatePerLayer(_MinMaxUpdate):
    """Observes the minimum and the maximum of data, for `FakeQuantPerLayer`.

    Both are moved to include 0. They have no gradients.

    Args:
        ema (bool): whether the results are `ema_decay * old + (1 - ema_decay) * observed`; if
            not, they depend on the data alone. Default: False.
        ema_decay (float): in [0, 1]. Default: 0.999.

    Inputs:
        - **x** (Tensor): the data.
        - **min**, **max** (Tensor): the old limits, of shape (1,).

    Returns:
        tuple[Tensor], the new limits.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if `ema_decay` is out of its range, or a limit has another shape.

    Source: mindspore.ops.operations._quant_ops.MinMaxUpdatePerLayer of MindSpore 2.10.
    """

    @checked
    def __init__(self, ema: Bool = False, ema_decay: _Decay = 0.999):
        super().__init__("MinMaxUpdatePerLayer")
        self.ema, self.ema_decay = ema, ema_decay

    def __call__(self, x, min, max):
        """Computes the new limits."""
        require_single("MinMaxUpdatePerLayer", "min", min)
        require_single("MinMaxUpdatePerLayer", "max", max)
        lowest, highest = (find(x).reshape((1,)) for find in (ops.amin, ops.amax))
        return self._include_zero(lowest, highest, min, max)


@public("ops.operations._quant_ops.MinMaxUpdatePerChannel")
class MinMaxUpdatePerChannel(_MinMaxUpdate):
    """Observes the minimum and the maximum of each channel, for `FakeQuantPerChannel`.

    Args:
        ema (bool): as for `MinMaxUpdatePerLayer`. Default: False.
        ema_decay (float): in [0, 1]. Default: 0.999.
        channel_axis (int): the axis of the channels. Default: 1.

    Inputs:
        - **x** (Tensor): the data.
        - **min**, **max** (Tensor): the old limits of each channel.

    Returns:
        tuple[Tensor], the new limits.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is out of its range, or a limit does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.MinMaxUpdatePerChannel of MindSpore 2.10.
    """

    @checked
    def __init__(self, ema: Bool = False, ema_decay: _Decay = 0.999, channel_axis: Int(ge=0) = 1):
        super().__init__("MinMaxUpdatePerChannel")
        self.ema, self.ema_decay, self.channel_axis = ema, ema_decay, channel_axis

    def __call__(self, x, min, max):
        """Computes the new limits."""
        require_channels("MinMaxUpdatePerChannel", "min", min, x, self.channel_axis)
        require_channels("MinMaxUpdatePerChannel", "max", max, x, self.channel_axis)
        others = tuple(axis for axis in range(x.ndim) if axis != self.channel_axis)
        lowest, highest = (find(x, others) if others else x for find in (ops.amin, ops.amax))
        return self._include_zero(lowest, highest, min, max)
