"""Convolution layers for sequences, images and volumes.

The arithmetic is in `ops/_conv`, the transposed layers are in `_conv/transpose.py`, and their
common base class is in `_conv/base.py`.
"""

import functools

from ... import ops
from ..._core.context.config import config
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import AsValue, Bool, Forbid, LayerDType, OneOf, checked
from ..._core.tensor.dtype import float32
from ...ops._conv.conv import conv2d, conv2d_primitive, conv3d
from ...ops._elementwise.arithmetic import add
from ._conv.base import (
    Mode,
    Pads2,
    Pads3,
    Size,
    Sizes,
    Triple,
    _as_tuple,
    _Conv,
    _groups,
    _no_pads,
    _OfSequences,
    _padding,
    _sequence,
    _two,
)
from ._conv.documented import documented
from ._conv.transpose import Conv1dTranspose, Conv2dTranspose, Conv3dTranspose

__all__ = ["Conv2d", "Conv2dTranspose", "Conv1d", "Conv1dTranspose", "Conv3d", "Conv3dTranspose"]


class _Planar(_Conv):
    """Base class of 1-D and 2-D convolutions: the primitive that they offer to subclasses."""

    @functools.cached_property
    def conv2d(self):
        """The primitive of the convolution, for subclasses."""
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


@public("nn.Conv2d")
@documented
class Conv2d(_Planar):
    """2-D convolution layer for images.

    y[n, o, i, j] = b[o] + sum(w[o, c, k, l] x[n, c, i s + k d, j s + l d])

    where the sum is over the channels c of the group and the elements k, l of the kernel, s is the
    stride and d the dilation. The padding of `x` is zeros.

    An axis of length L becomes one of length (L + p - d (K - 1) - 1) / s + 1, rounded down, where p
    is the sum of both paddings and K the length of the kernel; with "same" it is L / s, rounded up.

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step of the kernel from one position to the next.
        pad_mode (str): "same" for an output of ceil(size / stride), "valid" for no padding, "pad"
            for `padding` zeros.
        padding (Union[int, tuple[int]]): the zeros above, below, left and right.
        data_format (str): "NCHW", or on a GPU "NHWC".

    Inputs:
        - **x** (Tensor): shape (N, C, H, W), or (N, H, W, C) for "NHWC".

    Outputs:
        Tensor of shape (N, out_channels, H', W'), or (N, H', W', out_channels) for "NHWC", with the
        dtype of `x`.

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given with another mode than "pad", the
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
        dtype: LayerDType = float32,
    ):
        if data_format == "NHWC" and config.device_target == "CPU":
            raise ValueError("For 'Conv2d', 'data_format' must be 'NCHW' on a CPU, but got 'NHWC'.")
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            _as_tuple(kernel_size, 2),
            _as_tuple(stride, 2),
            pad_mode,
            padding,
            _as_tuple(dilation, 2),
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )

    def construct(self, x):
        """Returns the convolution of `x`, plus the bias."""
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


@public("nn.Conv1d")
@documented
class Conv1d(_OfSequences, _Planar):
    """1-D convolution layer for sequences.

    y[n, o, i] = b[o] + sum(w[o, c, k] x[n, c, i s + k d])

    where the sum is over the channels c of the group and the elements k of the kernel, s is the
    stride and d the dilation. The padding of `x` is zeros.

    The length L becomes (L + p - d (K - 1) - 1) / s + 1, rounded down, where p is the sum of both
    paddings and K the length of the kernel; with "same" it becomes L / s, rounded up.

    Args:
        kernel_size (int): the length of the kernels.
        stride (int): the step of the kernel from one position to the next.
        pad_mode (str): "same" for an output of ceil(length / stride), "valid" for no padding,
            "pad" for `padding` zeros.
        padding (int): the zeros at either end.
        dilation (int): the step within a kernel.

    Inputs:
        - **x** (Tensor): shape (N, C, L).

    Outputs:
        Tensor of shape (N, out_channels, L'), with the dtype of `x`.

    Raises:
        TypeError: if a number is not an int.
        ValueError: if one is out of range, `padding` is given with another mode than "pad", or
            the groups do not divide the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv1d(2, 4, 3)(ms.ops.ones((1, 2, 8))).shape)
        (1, 4, 8)
    """

    def construct(self, x):
        """Returns the convolution of `x`, plus the bias."""
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
@documented
class Conv3d(_Conv):
    """3-D convolution layer for volumes.

    y[n, o, h, i, j] = b[o] + sum(w[o, c, m, k, l] x[n, c, h s + m d, i s + k d, j s + l d])

    where the sum is over the channels c of the group and the elements m, k, l of the kernel, s is
    the stride and d the dilation. The padding of `x` is zeros.

    An axis of length L becomes one of length (L + p - d (K - 1) - 1) / s + 1, rounded down, where p
    is the sum of both paddings and K the length of the kernel; with "same" it is L / s, rounded up.

    Args:
        kernel_size (Union[int, tuple[int]]): depth, height and width of the kernels.
        stride (Union[int, tuple[int]]): the step of the kernel from one position to the next.
        pad_mode (str): "same" for an output of ceil(size / stride), "valid" for no padding, "pad"
            for `padding` zeros.
        padding (Union[int, tuple[int]]): the zeros at the front, back, top, bottom, left and right.
        data_format (str): "NCDHW".

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W).

    Outputs:
        Tensor of shape (N, out_channels, D', H', W'), with the dtype of `x`.

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given with another mode than "pad", or
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
        pad_mode: AnyCase(Mode) = "same",
        padding: Pads3 = 0,
        dilation: Triple = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self._set_up(
            in_channels,
            out_channels,
            _as_tuple(kernel_size, 3),
            _as_tuple(stride, 3),
            pad_mode,
            padding,
            _as_tuple(dilation, 3),
            group,
            has_bias,
            weight_init,
            bias_init,
            data_format,
            dtype,
        )

    @functools.cached_property
    def conv3d(self):
        """The primitive of the convolution, for subclasses."""
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
        """Returns the convolution of `x`, plus the bias."""
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


def _check_input_3d(input_shape, op_name):
    """Raises ValueError unless a shape has 3 axes."""
    if len(input_shape) != 3:
        raise ValueError(
            f"For '{op_name}', the input must have 3 axes, but got shape {input_shape}."
        )
