"""Transposed convolution layers for sequences, images and volumes; `conv` re-exports them."""

import functools

from .... import ops
from ...._core.declare.public_api import public
from ...._core.rules.value_rules import AnyCase
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
from ....ops._conv.conv_transpose import conv2d_transpose_primitive, conv3d_transpose_primitive
from ....ops._conv.sizes import need_rank
from ....ops._elementwise.arithmetic import add
from ....ops._shape.pad import pad_with_zeros
from ..._parts import need_tensor
from .base import (
    AnyMode,
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
from .documented import documented


class _Transpose(_Conv):
    """Base class of the transposed convolutions of sequences and images."""

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

    def _transpose(self, x):
        """Returns the transposed convolution of images, without the bias."""
        need_tensor(type(self).__name__, "x", x)
        need_rank(type(self).__name__, "x", x, 4)
        size = tuple(map(self._length, x.shape[2:], (0, 1)))
        shape = (x.shape[0], self.weight.shape[1] * self.group, *size)
        return conv2d_transpose_primitive.run(
            x, self.weight, shape, self.in_channels, self.kernel_size, **self._geometry()
        )

    def _length(self, length, at):
        """Returns the output length along axis `at`."""
        reach = self.dilation[at] * (self.kernel_size[at] - 1) + 1
        step = self.stride[at]
        if self.pad_mode == "same":
            return length * step
        if self.pad_mode == "valid":
            return length * step + max(reach - step, 0)
        return length * step + reach - step - sum(_as_tuple(self.padding, 4)[2 * at : 2 * at + 2])

    def _add_bias(self, out):
        bias = self._added_bias()
        return out if bias is None else add.run(out, bias.reshape(-1, 1, 1))


@public("nn.Conv2dTranspose")
@documented
class Conv2dTranspose(_Transpose):
    """2-D transposed convolution layer: multiplies a learnt kernel by each element and adds the
    products to the output.

    An axis of length L becomes one of length (L - 1) s + d (K - 1) + 1 - p + q with "pad", where K
    is the length of the kernel, s the stride, d the dilation, p the sum of both paddings and q the
    output padding. With "same" it is L s, with "valid" (L - 1) s + max(d (K - 1) + 1, s).

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step between neighbouring kernels in the output.
        pad_mode (str): "same" for an output of size * stride, "valid" for the full area that the
            kernels reach, "pad" for that area minus `padding`.
        padding (Union[int, tuple[int]]): how much to cut off above, below, left and right.
        output_padding (Union[int, tuple[int]]): zeros added below and right, with mode "pad" only.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W'), with the dtype of `x`.

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, `padding` is given with another mode than "pad", or
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
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.output_padding = output_padding
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
            "NCHW",
            dtype,
        )

    def construct(self, x):
        """Returns the transposed convolution of `x`."""
        out = self._add_bias(self._transpose(x))
        if self.output_padding not in (0, (0, 0)):  # the bias is not added to these zeros
            out = pad_with_zeros.run(out, ((0, 0), (0, 0), *self._extra()))
        return out

    def _extra(self):
        extra = _as_tuple(self.output_padding, 2)
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
@documented
class Conv1dTranspose(_OfSequences, _Transpose):
    """1-D transposed convolution layer: multiplies a learnt kernel by each element and adds the
    products to the output.

    An axis of length L becomes one of length (L - 1) s + d (K - 1) + 1 - p with "pad", where K is
    the length of the kernel, s the stride, d the dilation and p the sum of both paddings. With
    "same" it is L s, with "valid" (L - 1) s + max(d (K - 1) + 1, s).

    Args:
        kernel_size (int): the length of the kernels.
        stride (int): the step between neighbouring kernels in the output.
        pad_mode (str): "same" for an output of length * stride, "valid" for the full range that the
            kernels reach, "pad" for that range minus `padding`.
        padding (int): how much to cut off at each end.
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
        >>> print(ms.nn.Conv1dTranspose(2, 4, 3)(ms.ops.ones((1, 2, 8))).shape)
        (1, 4, 8)
    """

    def construct(self, x):
        """Returns the transposed convolution of `x`."""
        return self._add_bias(self._transpose(_sequence("Conv1dTranspose", x))).squeeze(2)


@public("nn.Conv3dTranspose")
@documented
class Conv3dTranspose(_Conv):
    """3-D transposed convolution layer: multiplies a learnt kernel by each element and adds the
    products to the output.

    An axis of length L becomes one of length (L - 1) s + d (K - 1) + 1 - p + q with "pad", where K
    is the length of the kernel, s the stride, d the dilation, p the sum of both paddings and q the
    output padding. With "same" it is L s, with "valid" (L - 1) s + max(d (K - 1) + 1, s).

    Args:
        kernel_size (Union[int, tuple[int]]): depth, height and width of the kernels.
        stride (Union[int, tuple[int]]): the step between neighbouring kernels in the output.
        pad_mode (str): "same" for an output of size * stride, "valid" for the full volume that the
            kernels reach, "pad" for that volume minus `padding`.
        padding (Union[int, tuple[int]]): how much to cut off at each of the six sides.
        output_padding (Union[int, tuple[int]]): how far to extend the output, with mode "pad" only.
        data_format (str): "NCDHW".

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W).

    Outputs:
        Tensor of shape (N, out_channels, D', H', W'), with the dtype of `x`.

    Raises:
        TypeError: if a number is not an int, or a size neither an int nor a tuple of ints.
        ValueError: if one is out of range, or padding is given with another mode than "pad".

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
        pad_mode: AnyCase(Mode) = "same",
        padding: Pads3 = 0,
        dilation: Triple = 1,
        group: Size = 1,
        output_padding: Int(ge=0) | TupleOf(Int(ge=0), length=3) = 0,
        has_bias: Bool = False,
        weight_init=None,
        bias_init=None,
        data_format: AsValue(OneOf("NCDHW")) = "NCDHW",
        dtype: LayerDType = float32,
    ):
        super().__init__()
        self.output_padding = _as_tuple(output_padding, 3)
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
        """Returns the transposed convolution of `x`."""
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
