"""Convolution layers in 1, 2 and 3 dimensions, and the 2-D transposed convolution.

The arithmetic is in `ops/_conv`. Initial weights and biases are uniform in (-k, k) with k = 1 /
sqrt(fan_in).
"""

import math

from ...._core.declare.public_api import public
from ...._core.rules.value_rules import Hashable
from ...._core.rules.vocabulary import (
    AsValue,
    Bool,
    DType,
    Forbid,
    Int,
    ListOf,
    OneOf,
    TupleOf,
    checked,
)
from ...._core.tensor.dtype import float32
from ....nn._parts import default_bias, default_weight, need_tensor, parameter
from ....nn.cell import Cell
from ....ops._conv.conv import conv1d_ext, conv2d_ext, conv3d_ext
from ....ops._conv.conv_transpose import conv_transpose2d
from ....ops._shape.pad import pad_by_index

__all__ = ["Conv2d", "ConvTranspose2d", "Conv3d", "Conv1d"]

Size = Int(ge=1)
Sizes = Size | TupleOf(Size) | ListOf(Size)
Natural = Int(ge=0)
Pads = Natural | TupleOf(Natural) | ListOf(Natural) | OneOf("same", "valid")
Modes = AsValue(OneOf("zeros", "reflect", "replicate", "circular"), Hashable)

_groups = Forbid(
    "in_channels % groups or out_channels % groups",
    ValueError,
    "'in_channels' and 'out_channels' must be divisible by 'groups'",
)
_one_step = Forbid(
    "padding == 'same' and (any(s != 1 for s in stride) if "
    "isinstance(stride, (tuple, list)) else stride != 1)",
    ValueError,
    "'stride' must be 1 where 'padding' is 'same'",
)


class _Convolution(Cell):
    """The base class of all convolution layers: stores the settings, the weight and the bias."""

    _axes = 0
    transposed = False

    def _set_up(self, in_channels, out_channels, groups, bias, dtype, **settings):
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.groups = groups
        for name, value in settings.items():
            setattr(self, name, value)
        dtype = dtype or float32
        shape = (out_channels, in_channels // groups, *self.kernel_size)
        if self.transposed:
            shape = (in_channels, out_channels // groups, *self.kernel_size)
        self.weight = parameter(default_weight(), shape, dtype, "weight")
        self.bias = None
        if bias:
            first = default_bias(math.prod(shape[1:]))
            self.bias = parameter(first, (out_channels,), dtype, "bias")

    def _as_tuple(self, name, value):
        """Returns one number per axis, given one or several."""
        if isinstance(value, int):
            return (value,) * self._axes
        if len(value) != self._axes:
            raise TypeError(
                f"For '{type(self).__name__}', '{name}' must be an int, or a tuple or "
                f"list of {self._axes}, but got {value!r}."
            )
        return tuple(value)

    def extend_repr(self):
        """Returns the settings of the layer as text."""
        return (
            f"input_channels={self.in_channels}, output_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, padding={self.padding}, "
            f"dilation={self.dilation}, groups={self.groups}, bias={self.bias is not None}"
        )


class _Conv(_Convolution):
    """The base class of the convolution layers that are not transposed."""

    _op = None

    @checked(_groups, _one_step)
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Sizes,
        stride: Sizes = 1,
        padding: Pads = 0,
        dilation: Sizes = 1,
        groups: Size = 1,
        bias: Bool = True,
        padding_mode: Modes = "zeros",
        dtype: DType = None,
    ):
        super().__init__()
        if not isinstance(padding, str):
            padding = self._as_tuple("padding", padding)
        self._set_up(
            in_channels,
            out_channels,
            groups,
            bias,
            dtype,
            padding_mode=padding_mode,
            kernel_size=self._as_tuple("kernel_size", kernel_size),
            padding=padding,
            stride=self._as_tuple("stride", stride),
            dilation=self._as_tuple("dilation", dilation),
            output_padding=self._as_tuple("output_padding", 0),
        )

    def _widths(self):
        """Returns the padding of the input, before and after, for each axis."""
        if self.padding == "valid":
            return ((0, 0),) * self._axes
        if self.padding != "same":
            return tuple((p, p) for p in self.padding)
        reach = [d * (k - 1) for d, k in zip(self.dilation, self.kernel_size)]
        return tuple((r // 2, r - r // 2) for r in reach)

    def construct(self, input):
        """Computes the convolution of `input`."""
        need_tensor(type(self).__name__, "input", input)
        padding = self.padding
        if self.padding_mode != "zeros":
            input, padding = self._pad_circular(input), 0
        return self._op.run(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )

    def _pad_circular(self, x):
        """Pads `x` with its own values."""
        widths = self._widths()
        if x.ndim not in (self._axes + 1, self._axes + 2):
            raise ValueError(
                f"For '{type(self).__name__}', the input must have {self._axes + 1} "
                f"or {self._axes + 2} axes, but got shape {x.shape}."
            )
        margin = -1 if self.padding_mode == "reflect" else 0
        if self.padding_mode != "replicate" and any(
            max(pair) > size + margin for pair, size in zip(widths, x.shape[-self._axes :])
        ):
            raise ValueError(
                f"For '{type(self).__name__}', 'padding' must be less than the size "
                f"of the input, but got {self.padding} for shape {x.shape}."
            )
        around = ((0, 0),) * (x.ndim - self._axes) + widths
        return pad_by_index.run(x, around, self.padding_mode)


@public("mint.nn.Conv1d")
class Conv1d(_Conv):
    """Applies a 1-D convolution (cross-correlation) to sequences.

    Args:
        in_channels (int): the number of input channels.
        out_channels (int): the number of output channels.
        kernel_size (Union[int, tuple[int], list[int]]): the size of the kernels along each axis.
        stride (Union[int, tuple[int], list[int]]): the distance between successive positions of the
            kernel.
        padding (Union[int, tuple[int], list[int], str]): the number of elements added before and
            after each axis; "same" for an output of the size of the input, "valid" for no padding.
        dilation (Union[int, tuple[int], list[int]]): the distance between the elements of the
            kernel.
        groups (int): the number of groups that the channels are split into.
        bias (bool): whether there is a bias.
        padding_mode (str): the values of the padding: "zeros", or the input's own values, by
            "reflect", "replicate" or "circular".
        dtype (mindspore.dtype): the dtype of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, out_channels, L') or (out_channels, L').

    Raises:
        TypeError: if a number is not an int, a size is neither an int nor one int per axis, `bias`
            is not a bool, or `dtype` is not a dtype.
        ValueError: if a size or a number of channels is less than 1, `padding` is less than 0,
            `stride` is not 1 although `padding` is "same", a str is unknown, or `groups` does not
            divide the channels.

    Examples:
        >>> from mindspore_compat import mint, ops
        >>> mint.nn.Conv1d(3, 8, 3, stride=2)(ops.ones((1, 3, 32))).shape
        (1, 8, 15)

    Source: mindspore.mint.nn.Conv1d of MindSpore 2.10.
    """

    _axes = 1
    _op = conv1d_ext


@public("mint.nn.Conv2d")
class Conv2d(_Conv):
    """Applies a 2-D convolution (cross-correlation) to images (N, C, H, W) or (C, H, W).

    Args:
        in_channels (int): the number of input channels.
        out_channels (int): the number of output channels.
        kernel_size (Union[int, tuple[int], list[int]]): height and width of the kernels: one int,
            or two.
        stride (Union[int, tuple[int], list[int]]): the distance between successive positions of the
            kernel. Default: 1.
        padding (Union[int, tuple[int], list[int], str]): the number of elements added before and
            after each axis; "same" for an output of the size of the input, "valid" for no padding.
            Default: 0.
        dilation (Union[int, tuple[int], list[int]]): the distance between the elements of the
            kernel. Default: 1.
        groups (int): the number of groups that the channels are split into. Default: 1.
        bias (bool): whether there is a bias. Default: True.
        padding_mode (str): the values of the padding: "zeros", or the input's own values, by
            "reflect", "replicate" or "circular". Default: "zeros".
        dtype (mindspore.dtype): the dtype of the parameters; None for float32.

    Inputs:
        - **input** (Tensor): of the dtype of the parameters, shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W') or (out_channels, H', W').

    Raises:
        TypeError: if a number is not an int, a size is neither an int nor one int per axis, `bias`
            is not a bool, or `dtype` is not a dtype.
        ValueError: if a size or a number of channels is less than 1, `padding` is less than 0,
            `stride` is not 1 although `padding` is "same", a str is unknown, or `groups` does not
            divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.Conv2d(2, 4, 3)(ms.ops.ones((1, 2, 8, 8))).shape)
        (1, 4, 6, 6)

    Source: mindspore.mint.nn.Conv2d of MindSpore 2.10.
    """

    _axes = 2
    _op = conv2d_ext


@public("mint.nn.Conv3d")
class Conv3d(_Conv):
    """Applies a 3-D convolution (cross-correlation) to volumes (N, C, D, H, W) or (C, D, H, W).

    Args:
        in_channels (int): the number of input channels.
        out_channels (int): the number of output channels.
        kernel_size (Union[int, tuple[int], list[int]]): depth, height and width of the kernels: one
            int, or three.
        stride (Union[int, tuple[int], list[int]]): the distance between successive positions of the
            kernel. Default: 1.
        padding (Union[int, tuple[int], list[int], str]): the number of elements added before and
            after each axis; "same" for an output of the size of the input, "valid" for no padding.
            Default: 0.
        dilation (Union[int, tuple[int], list[int]]): the distance between the elements of the
            kernel. Default: 1.
        groups (int): the number of groups that the channels are split into. Default: 1.
        bias (bool): whether there is a bias. Default: True.
        padding_mode (str): the values of the padding: "zeros", or the input's own values, by
            "reflect", "replicate" or "circular". Default: "zeros".
        dtype (mindspore.dtype): the dtype of the parameters; None for float32.

    Inputs:
        - **input** (Tensor): of the dtype of the parameters, shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, out_channels, D', H', W') or (out_channels, D', H', W').

    Raises:
        TypeError: if a number is not an int, a size is neither an int nor one int per axis, `bias`
            is not a bool, or `dtype` is not a dtype.
        ValueError: if a size or a number of channels is less than 1, `padding` is less than 0,
            `stride` is not 1 although `padding` is "same", a str is unknown, or `groups` does not
            divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.Conv3d(2, 4, 3)(ms.ops.ones((1, 2, 4, 4, 4))).shape)
        (1, 4, 2, 2, 2)

    Source: mindspore.mint.nn.Conv3d of MindSpore 2.10.
    """

    _axes = 3
    _op = conv3d_ext


# Transposed convolution


@public("mint.nn.ConvTranspose2d")
class ConvTranspose2d(_Convolution):
    """Applies a 2-D transposed convolution to images: the transpose of a convolution.

    Each element of the input is multiplied by a kernel, and the products are added to the output.

    Args:
        in_channels (int): the number of input channels.
        out_channels (int): the number of output channels.
        kernel_size (Union[int, tuple(int)]): height and width of the kernels.
        stride (Union[int, tuple(int)]): the distance between neighbouring kernels in the output.
        padding (Union[int, tuple(int)]): the number of elements removed from each edge of the
            output.
        output_padding (Union[int, tuple(int)]): the number of elements added below and to the
            right; less than `stride` or `dilation`.
        groups (int): the number of groups that the channels are split into.
        bias (bool): whether there is a bias.
        dilation (Union[int, tuple(int)]): the distance between the elements of the kernel.
        padding_mode (str): must be "zeros".
        dtype (mindspore.dtype): the dtype of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, H, W) or (C, H, W).
        - **output_size** (tuple[int]): height and width of the output, or its shape, in place of
          `output_padding`; each length may exceed the default by up to stride - 1.

    Outputs:
        Tensor of shape (N, out_channels, H', W') or (out_channels, H', W') with
        H' = (H - 1) stride - 2 padding + dilation (kernel_size - 1) + output_padding + 1.

    Raises:
        TypeError: if a number is not an int, `bias` is not a bool, or `dtype` is not a dtype.
        ValueError: if a number is out of range, a size is neither an int nor a tuple of one or two,
            `groups` does not divide the channels, `padding_mode` is not "zeros", or `output_size`
            is impossible.

    Examples:
        >>> from mindspore_compat import mint, ops
        >>> net = mint.nn.ConvTranspose2d(3, 8, 3, stride=2, padding=1)
        >>> net(ops.ones((1, 3, 6, 6)), output_size=(12, 12)).shape
        (1, 8, 12, 12)

    Source: mindspore.mint.nn.ConvTranspose2d of MindSpore 2.10.
    """

    _axes = 2
    transposed = True

    @checked(_groups)
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups: Size = 1,
        bias: Bool = True,
        dilation=1,
        padding_mode: AsValue(OneOf("zeros")) = "zeros",
        dtype: DType = None,
    ):
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            groups,
            bias,
            dtype,
            padding_mode=padding_mode,
            kernel_size=_pair("kernel_size", kernel_size, Size),
            stride=_pair("stride", stride, Size),
            padding=_pair("padding", padding, Int | Bool),
            output_padding=_pair("output_padding", output_padding, Int | Bool),
            dilation=_pair("dilation", dilation, Size),
        )

    def construct(self, input, output_size=None):
        """Computes the transposed convolution of `input`."""
        need_tensor("ConvTranspose2d", "input", input)
        for name in ("padding", "output_padding"):  # negative numbers are rejected only when called
            for number in getattr(self, name):
                Natural.refuse("ConvTranspose2d", name, number)
        extra = self.output_padding if output_size is None else self._extra(input, output_size)
        return conv_transpose2d.run(
            input,
            self.weight,
            self.bias,
            self.stride,
            self.padding,
            extra,
            self.groups,
            self.dilation,
        )

    def _extra(self, x, output_size):
        """Returns the output padding for an output of the requested size."""
        if len(output_size) not in (2, x.ndim):
            raise ValueError(
                f"For 'ConvTranspose2d', 'output_size' must have 2 or {x.ndim} "
                f"numbers, but got {output_size!r}."
            )
        target = tuple(output_size)[-2:]
        least = tuple(
            (n - 1) * s - 2 * p + d * (k - 1) + 1
            for n, s, p, d, k in zip(
                x.shape[-2:], self.stride, self.padding, self.dilation, self.kernel_size
            )
        )
        extra = tuple(w - n for w, n in zip(target, least))
        if any(not 0 <= e < s for e, s in zip(extra, self.stride)):
            most = tuple(n + s - 1 for n, s in zip(least, self.stride))
            raise ValueError(
                f"For 'ConvTranspose2d', 'output_size' must be from {least} to "
                f"{most} for an input of shape {x.shape}, but got {output_size!r}."
            )
        return extra


def _pair(name, value, rule):
    """Returns two numbers that obey a rule, given one or two."""
    if (
        not isinstance(value, (int, tuple, list))
        or not isinstance(value, int)
        and len(value) not in (1, 2)
    ):
        raise ValueError(
            f"For 'ConvTranspose2d', '{name}' must be an int, or a tuple or list of one or two, "
            f"but got {value!r}."
        )
    pair = (value, value) if isinstance(value, int) else (value[0], value[-1])
    for number in pair:
        rule.refuse("ConvTranspose2d", name, number)
    return tuple(map(int, pair))
