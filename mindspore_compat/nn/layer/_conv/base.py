"""Base classes of the convolution layers and their transposes.

They define the rules of arguments, the weight and the bias, and how a sequence becomes an image of
height 1: the weights of Conv1d are saved with that axis.
"""

import functools
import math

from .... import ops
from ...._core.rules.vocabulary import (
    AsValue,
    Bool,
    Forbid,
    Int,
    LayerDType,
    OneOf,
    TupleOf,
    checked,
)
from ...._core.tensor.dtype import float32
from ...._core.tensor.tensor import Tensor
from ..._parts import default_bias, default_weight, need_tensor, parameter
from ...cell import Cell

Size = Int(ge=1)
Sizes = Size | TupleOf(Size)
Triple = Size | TupleOf(Size, length=3)
Pads2 = Int(ge=0) | TupleOf(Int(ge=0), length=4)
Pads3 = Int(ge=0) | TupleOf(Int(ge=0), length=6)
Mode = OneOf("same", "valid", "pad")
AnyMode = AsValue(Mode)  # where MindSpore raises only ValueError
_groups = Forbid(
    "in_channels % group or out_channels % group",
    ValueError,
    "'in_channels' and 'out_channels' must be divisible by 'group'",
)
_no_pads = "pad_mode != 'pad' and padding != 0 and any({})"
_padding = "'padding' must be 0 where 'pad_mode' is not 'pad'"


def _two(name):
    """Returns a rule for pairs. As in MindSpore, a tuple of another length is a TypeError for
    images."""
    return Forbid(
        f"type({name}) is tuple and len({name}) != 2",
        TypeError,
        f"'{name}' must be an int or a tuple of two",
    )


def _as_tuple(value, count):
    return value if isinstance(value, tuple) else (value,) * count


class _Conv(Cell):
    """Base class of all convolution layers: sizes, the weight and the bias."""

    _transposed = False

    def _set_up(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        pad_mode,
        padding,
        dilation,
        group,
        has_bias,
        weight_init,
        bias_init,
        data_format,
        dtype,
    ):
        self.in_channels, self.out_channels, self.group = in_channels, out_channels, group
        self.kernel_size, self.stride, self.dilation = kernel_size, stride, dilation
        self.pad_mode, self.padding = pad_mode, padding
        self.has_bias, self.data_format = has_bias, data_format
        self.weight_init = default_weight() if weight_init is None else weight_init
        shape = self._weight_shape()
        self.weight = parameter(self.weight_init, shape, dtype)
        self.bias_init = bias_init
        self.bias = None
        if has_bias:
            last = data_format == "NHWC"
            fan_in = shape[-1] * math.prod(shape[1:3]) if last else math.prod(shape[1:])
            self.bias_init = default_bias(fan_in) if bias_init is None else bias_init
            self.bias = parameter(self.bias_init, (out_channels,), dtype)

    def _weight_shape(self):
        if self._transposed:
            return self.in_channels, self.out_channels // self.group, *self.kernel_size
        if self.data_format == "NHWC":
            return self.out_channels, *self.kernel_size, self.in_channels // self.group
        return self.out_channels, self.in_channels // self.group, *self.kernel_size

    def _geometry(self):
        """Returns stride, padding, dilation and groups in the form of the primitives."""
        return {
            "stride": self.stride,
            "dilation": self.dilation,
            "group": self.group,
            "pad_mode": self.pad_mode,
            "pad": self.padding,
        }

    @functools.cached_property
    def bias_add(self):
        """The primitive that adds a bias, for subclasses."""
        return ops.BiasAdd(data_format=self.data_format)

    def _added_bias(self):
        """Returns the bias, or None if `has_bias` is False or was set to False."""
        return self.bias if self.has_bias else None

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


def _flat(value):
    """Converts a size of a sequence to the size of an image of height 1."""
    return 1, value


def _three_axes(api, name, init):
    """Returns the initial weight of a 1-D convolution with an inserted axis of height 1."""
    if not isinstance(init, Tensor):
        return init
    if init.ndim != 3:
        raise ValueError(
            f"For '{api}', '{name}' must have 3 axes where it is a Tensor, but got "
            f"shape {init.shape}."
        )
    return init.reshape(*init.shape[:2], 1, init.shape[2])


class _OfSequences:
    """Mixin for 1-D convolutions, which reshape a sequence to an image of height 1 and back."""

    @checked(_groups, Forbid("pad_mode != 'pad' and padding != 0", ValueError, _padding))
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Size,
        stride: Size = 1,
        pad_mode: AnyMode = "same",
        padding: Int(ge=0) = 0,
        dilation: Size = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        dtype: LayerDType = float32,
    ):
        super().__init__()
        weight_init = _three_axes(type(self).__name__, "weight_init", weight_init)
        self._set_up(
            in_channels,
            out_channels,
            _flat(kernel_size),
            _flat(stride),
            pad_mode,
            (0, 0, padding, padding),
            _flat(dilation),
            group,
            has_bias,
            weight_init,
            bias_init,
            "NCHW",
            dtype,
        )

    @functools.cached_property
    def expand_dims(self):
        """The primitive that inserts an axis, for subclasses."""
        return ops.ExpandDims()

    @functools.cached_property
    def squeeze(self):
        """The primitive that removes axis 2, for subclasses."""
        return ops.Squeeze(2)


def _sequence(api, x):
    """Reshapes a sequence to an image of height 1."""
    need_tensor(api, "x", x)
    if x.ndim != 3:
        raise ValueError(f"For '{api}', the input must have 3 axes, but got shape {x.shape}.")
    return x.expand_dims(2)
