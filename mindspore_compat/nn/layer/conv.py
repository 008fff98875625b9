"""Convolution layers and their transposes.

The arithmetic is in `ops/_conv/conv.py`. A sequence is convolved as an image of height 1, because
the weights of Conv1d are saved with that axis.
"""

import functools
import math

from ... import ops
from ..._core.context.config import config
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import AsValue, Bool, DType, Forbid, Int, OneOf, TupleOf, checked
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from ...ops._conv.conv import (
    conv2d,
    conv2d_primitive,
    conv2d_transpose_primitive,
    conv3d,
    conv3d_transpose_primitive,
)
from ...ops._conv.im2col import need_rank
from ...ops._elementwise.arithmetic import add
from ...ops._shape.pad import pad_with_zeros
from .._parts import default_bias, default_weight, need_tensor, parameter
from ..cell import Cell

__all__ = ["Conv2d", "Conv2dTranspose", "Conv1d", "Conv1dTranspose", "Conv3d", "Conv3dTranspose"]

Size = Int(ge=1)
Sizes = Size | TupleOf(Size)
Triple = Size | TupleOf(Size, length=3)
Pads2 = Int(ge=0) | TupleOf(Int(ge=0), length=4)
Pads3 = Int(ge=0) | TupleOf(Int(ge=0), length=6)
Mode = OneOf("same", "valid", "pad")
AnyMode = AsValue(Mode)  # where the original knows a ValueError only

_groups = Forbid(
    "in_channels % group or out_channels % group",
    ValueError,
    "'in_channels' and 'out_channels' must be divisible by 'group'",
)
_no_pads = "pad_mode != 'pad' and padding != 0 and any({})"
_padding = "'padding' must be 0 where 'pad_mode' is not 'pad'"


def _two(name):
    """A tuple of another length is refused as another type: as the original does for images."""
    return Forbid(
        f"type({name}) is tuple and len({name}) != 2",
        TypeError,
        f"'{name}' must be an int or a tuple of two",
    )


def _each(value, count):
    return value if isinstance(value, tuple) else (value,) * count


class _Conv(Cell):
    """What all convolutions share: sizes, the weight and the bias."""

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
        """How the kernel moves over the input, as the primitives take it."""
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
        """The bias, or None where `has_bias` is False or has been set to it."""
        return self.bias if self.has_bias else None

    def extend_repr(self):
        """The sizes of the layer."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}, weight_init={self.weight_init}, "
            f"bias_init={self.bias_init}, format={self.data_format}"
        )


@public("nn.Conv2d")
class Conv2d(_Conv):
    """Cross-correlation of images with learnt kernels.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step from place to place.
        pad_mode (str): "same" for ceil(size / stride) places, "valid" for no padding, "pad" for
            `padding` zeros.
        padding (Union[int, tuple[int]]): the zeros above, below, left and right.
        dilation (Union[int, tuple[int]]): the step within a kernel.
        group (int): into how many groups the channels are split.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        data_format (str): "NCHW", or on a GPU "NHWC".
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W), or (N, H, W, C) for "NHWC".

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given beside another mode than "pad", the
            groups do not divide the channels, or a name is unknown.

    Examples:
        >>> from mindspore_compat import nn, ops
        >>> nn.Conv2d(3, 8, 3, stride=2)(ops.ones((1, 3, 32, 32))).shape
        (1, 8, 16, 16)
    """

    @checked(
        *map(_two, ("kernel_size", "stride", "dilation")),
        _groups,
        Forbid(_no_pads.format("padding if type(padding) is tuple else [1]"), ValueError, _padding),
    )
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Sizes,
        stride: Sizes = 1,
        pad_mode: Mode = "same",
        padding: Pads2 = 0,
        dilation: Sizes = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        data_format: AsValue(OneOf("NCHW", "NHWC")) = "NCHW",
        dtype: DType = float32,
    ):
        if data_format == "NHWC" and config.device_target == "CPU":
            raise ValueError("For 'Conv2d', 'data_format' must be 'NCHW' on a CPU, but got 'NHWC'.")
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            _each(kernel_size, 2),
            _each(stride, 2),
            pad_mode,
            padding,
            _each(dilation, 2),
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )

    @functools.cached_property
    def conv2d(self):
        """The convolution as a primitive, for subclasses."""
        return ops.Conv2D(
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
            self.data_format,
        )

    def construct(self, x):
        """The convolution of `x`."""
        if self.data_format == "NCHW":
            return conv2d.run(
                x,
                self.weight,
                self._added_bias(),
                self.stride,
                self.pad_mode,
                self.padding,
                self.dilation,
                self.group,
            )
        out = conv2d_primitive.run(
            x,
            self.weight,
            self.out_channels,
            self.kernel_size,
            data_format="NHWC",
            **self._geometry(),
        )
        bias = self._added_bias()
        return out if bias is None else add.run(out, bias)


def _flat(value):
    """A size of a sequence as that of an image of height 1."""
    return 1, value


def _three_axes(api, name, init):
    """The initial weight of a one-dimensional convolution, with the axis of height 1 put in."""
    if not isinstance(init, Tensor):
        return init
    if init.ndim != 3:
        raise ValueError(
            f"For '{api}', '{name}' must have 3 axes where it is a Tensor, but got "
            f"shape {init.shape}."
        )
    return init.reshape(*init.shape[:2], 1, init.shape[2])


class _OfSequences:
    """What layers of sequences have for subclasses: how a sequence becomes an image, and back."""

    @functools.cached_property
    def expand_dims(self):
        """The primitive that puts an axis in, for subclasses."""
        return ops.ExpandDims()

    @functools.cached_property
    def squeeze(self):
        """The primitive that takes axis 2 away, for subclasses."""
        return ops.Squeeze(2)


def _sequence(api, x):
    """A sequence as an image of height 1."""
    need_tensor(api, "x", x)
    if x.ndim != 3:
        raise ValueError(f"For '{api}', the input must have 3 axes, but got shape {x.shape}.")
    return x.expand_dims(2)


@public("nn.Conv1d")
class Conv1d(_OfSequences, _Conv):
    """Cross-correlation of sequences with learnt kernels.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (int): the length of the kernels.
        stride (int): the step from place to place.
        pad_mode (str): "same" for ceil(length / stride) places, "valid" for no padding, "pad" for
            `padding` zeros.
        padding (int): the zeros at either end.
        dilation (int): the step within a kernel.
        group (int): into how many groups the channels are split.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, L).

    Raises:
        TypeError: if a number is not an int.
        ValueError: if one is out of range, `padding` is given beside another mode than "pad", or
            the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv1d(2, 4, 3)(ms.ops.ones((1, 2, 8))).shape)
        (1, 4, 8)
    """

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
        dtype: DType = float32,
    ):
        super().__init__()
        weight_init = _three_axes("Conv1d", "weight_init", weight_init)
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
    def conv2d(self):
        """The convolution as a primitive, for subclasses."""
        return ops.Conv2D(
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
            self.data_format,
        )

    def construct(self, x):
        """The convolution of `x`."""
        out = conv2d.run(
            _sequence("Conv1d", x),
            self.weight,
            self._added_bias(),
            self.stride,
            self.pad_mode,
            self.padding,
            self.dilation,
            self.group,
        )
        return out.squeeze(2)


@public("nn.Conv3d")
class Conv3d(_Conv):
    """Cross-correlation of volumes with learnt kernels.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (Union[int, tuple[int]]): depth, height and width of the kernels.
        stride (Union[int, tuple[int]]): the step from place to place.
        pad_mode (str): "same" for ceil(size / stride) places, "valid" for no padding, "pad" for
            `padding` zeros.
        padding (Union[int, tuple[int]]): the zeros before and behind, above, below, left and right.
        dilation (Union[int, tuple[int]]): the step within a kernel.
        group (int): into how many groups the channels are split.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        data_format (str): "NCDHW".
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W).

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given beside another mode than "pad", or
            the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv3d(2, 4, 3)(ms.ops.ones((1, 2, 4, 4, 4))).shape)
        (1, 4, 4, 4, 4)
    """

    @checked(
        _groups,
        Forbid(_no_pads.format("padding if type(padding) is tuple else [1]"), ValueError, _padding),
    )
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Triple,
        stride: Triple = 1,
        pad_mode: Mode = "same",
        padding: Pads3 = 0,
        dilation: Triple = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
        dtype: DType = float32,
    ):
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            _each(kernel_size, 3),
            _each(stride, 3),
            pad_mode,
            padding,
            _each(dilation, 3),
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )

    @functools.cached_property
    def conv3d(self):
        """The convolution as a primitive, for subclasses."""
        return ops.Conv3D(
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
        )

    def construct(self, x):
        """The convolution of `x`."""
        return conv3d.run(
            x,
            self.weight,
            self._added_bias(),
            self.stride,
            self.pad_mode,
            self.padding,
            self.dilation,
            self.group,
        )


# Transposed convolutions --------------------------------------------------------------------------


class _Transpose(_Conv):
    """What the transposed convolutions of images and sequences share."""

    _transposed = True

    @functools.cached_property
    def conv2d_transpose(self):
        """The transposed convolution as a primitive, for subclasses."""
        return ops.Conv2DTranspose(
            self.in_channels,
            self.kernel_size,
            self.pad_mode,
            self.padding,
            None,
            1,
            self.stride,
            self.dilation,
            self.group,
        )

    def _spread(self, x):
        """The transposed convolution of images, before the bias."""
        need_tensor(type(self).__name__, "x", x)
        need_rank(type(self).__name__, "x", x, 4)
        size = tuple(map(self._length, x.shape[2:], (0, 1)))
        shape = (x.shape[0], self.weight.shape[1] * self.group, *size)
        return conv2d_transpose_primitive.run(
            x, self.weight, shape, self.in_channels, self.kernel_size, **self._geometry()
        )

    def _length(self, length, at):
        """How long axis `at` of the output is."""
        reach = self.dilation[at] * (self.kernel_size[at] - 1) + 1
        step = self.stride[at]
        if self.pad_mode == "same":
            return length * step
        if self.pad_mode == "valid":
            return length * step + max(reach - step, 0)
        return length * step + reach - step - sum(_each(self.padding, 4)[2 * at : 2 * at + 2])

    def _biased(self, out):
        bias = self._added_bias()
        return out if bias is None else add.run(out, bias.reshape(-1, 1, 1))


@public("nn.Conv2dTranspose")
class Conv2dTranspose(_Transpose):
    """The transpose of a convolution of images: each element is spread out by a learnt kernel.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step from place to place of the output.
        pad_mode (str): "same" for size * stride places, "valid" for all that the kernels reach,
            "pad" for these less `padding`.
        padding (Union[int, tuple[int]]): what is cut off above, below, left and right.
        output_padding (Union[int, tuple[int]]): zeros added below and right, with mode "pad" only.
        dilation (Union[int, tuple[int]]): the step within a kernel.
        group (int): into how many groups the channels are split.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W).

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given beside another mode than "pad", or
            the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv2dTranspose(2, 4, 3, 2)(ms.ops.ones((1, 2, 8, 8))).shape)
        (1, 4, 16, 16)
    """

    @checked(
        *map(_two, ("kernel_size", "stride", "dilation")),
        _groups,
        Forbid(_no_pads.format("padding if type(padding) is tuple else [1]"), ValueError, _padding),
    )
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Sizes,
        stride: Sizes = 1,
        pad_mode: AnyMode = "same",
        padding: Pads2 = 0,
        output_padding: Int | TupleOf(Int, length=2) = 0,
        dilation: Sizes = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        dtype: DType = float32,
    ):
        super().__init__()
        self.output_padding = output_padding
        self._set_up(
            in_channels,
            out_channels,
            _each(kernel_size, 2),
            _each(stride, 2),
            pad_mode,
            padding,
            _each(dilation, 2),
            group,
            has_bias,
            weight_init,
            bias_init,
            "NCHW",
            dtype,
        )

    def construct(self, x):
        """The transposed convolution of `x`."""
        out = self._biased(self._spread(x))
        if self.output_padding not in (0, (0, 0)):  # which the bias does not reach
            out = pad_with_zeros.run(out, ((0, 0), (0, 0), *self._extra()))
        return out

    def _extra(self):
        extra = _each(self.output_padding, 2)
        if self.pad_mode != "pad":
            raise ValueError(
                f"For 'Conv2dTranspose', 'output_padding' must be 0 where 'pad_mode' "
                f"is not 'pad', but got {self.output_padding}."
            )
        if any(not 0 <= e < max(s, d) for e, s, d in zip(extra, self.stride, self.dilation)):
            raise ValueError(
                "For 'Conv2dTranspose', 'output_padding' must be in [0, max(stride, "
                f"dilation)), but got {self.output_padding}."
            )
        return tuple((0, e) for e in extra)


@public("nn.Conv1dTranspose")
class Conv1dTranspose(_OfSequences, _Transpose):
    """The transpose of a convolution of sequences: each element is spread out by a learnt kernel.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (int): the length of the kernels.
        stride (int): the step from place to place of the output.
        pad_mode (str): "same" for length * stride places, "valid" for all that the kernels reach,
            "pad" for these less `padding`.
        padding (int): what is cut off at either end.
        dilation (int): the step within a kernel.
        group (int): into how many groups the channels are split.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, L).

    Raises:
        TypeError: if a number is not an int.
        ValueError: if one is out of range, `padding` is given beside another mode than "pad", or
            the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv1dTranspose(2, 4, 3)(ms.ops.ones((1, 2, 8))).shape)
        (1, 4, 8)
    """

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
        dtype: DType = float32,
    ):
        super().__init__()
        weight_init = _three_axes("Conv1dTranspose", "weight_init", weight_init)
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

    def construct(self, x):
        """The transposed convolution of `x`."""
        return self._biased(self._spread(_sequence("Conv1dTranspose", x))).squeeze(2)


@public("nn.Conv3dTranspose")
class Conv3dTranspose(_Conv):
    """The transpose of a convolution of volumes: each element is spread out by a learnt kernel.

    Args:
        in_channels (int): the channels of the input.
        out_channels (int): the channels of the output.
        kernel_size (Union[int, tuple[int]]): depth, height and width of the kernels.
        stride (Union[int, tuple[int]]): the step from place to place of the output.
        pad_mode (str): "same" for size * stride places, "valid" for all that the kernels reach,
            "pad" for these less `padding`.
        padding (Union[int, tuple[int]]): what is cut off at the six sides.
        dilation (Union[int, tuple[int]]): the step within a kernel.
        group (int): into how many groups the channels are split.
        output_padding (Union[int, tuple[int]]): how far the output goes on, with mode "pad" only.
        has_bias (bool): whether there is a bias.
        weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
            U(-k, k) with k = 1 / sqrt(fan_in) by default.
        bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
        data_format (str): "NCDHW".
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W).

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, or padding is given beside another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv3dTranspose(2, 4, 3)(ms.ops.ones((1, 2, 4, 4, 4))).shape)
        (1, 4, 4, 4, 4)
    """

    _transposed = True

    @checked(
        _groups,
        Forbid(_no_pads.format("padding if type(padding) is tuple else [1]"), ValueError, _padding),
        Forbid(
            "pad_mode != 'pad' and output_padding not in (0, (0, 0, 0))",
            ValueError,
            "'output_padding' must be 0 where 'pad_mode' is not 'pad'",
        ),
    )
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Triple,
        stride: Triple = 1,
        pad_mode: Mode = "same",
        padding: Pads3 = 0,
        dilation: Triple = 1,
        group: Size = 1,
        output_padding: Int(ge=0) | TupleOf(Int(ge=0), length=3) = 0,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
        dtype: DType = float32,
    ):
        super().__init__()
        self.output_padding = _each(output_padding, 3)
        self._set_up(
            in_channels,
            out_channels,
            _each(kernel_size, 3),
            _each(stride, 3),
            pad_mode,
            padding,
            _each(dilation, 3),
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )

    @functools.cached_property
    def conv3d_transpose(self):
        """The transposed convolution as a primitive, for subclasses."""
        return ops.Conv3DTranspose(
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            1,
            self.pad_mode,
            self.padding,
            self.stride,
            self.dilation,
            self.group,
            self.output_padding,
        )

    def construct(self, x):
        """The transposed convolution of `x`."""
        out = conv3d_transpose_primitive.run(
            x,
            self.weight,
            self.in_channels,
            self.out_channels,
            self.kernel_size,
            output_padding=self.output_padding,
            **self._geometry(),
        )
        bias = self._added_bias()
        return out if bias is None else add.run(out, bias.reshape(-1, 1, 1, 1))


def _check_input_3d(input_shape, op_name):
    """Refuses a shape that has not 3 axes."""
    if len(input_shape) != 3:
        raise ValueError(
            f"For '{op_name}', the input must have 3 axes, but got shape {input_shape}."
        )
