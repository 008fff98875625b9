"""Pooling layers: windows, adaptive windows, and undoing a pooling.

The arithmetic is in the files of `ops/_pooling`. The window layers of the original
take their padding from a mode, which is what this file adds.
"""

from ..._core.context.config import config
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, Str, TensorOf, floating, integer
from ...ops._conv.im2col import each, need_rank, padding_of
from ...ops._pooling.adaptive import (
    adaptive_avg_pool1d,
    adaptive_avg_pool2d,
    adaptive_avg_pool3d,
    adaptive_max_pool1d,
    adaptive_max_pool2d,
    adaptive_max_pool3d,
)
from ...ops._pooling.average_pool import (
    average_windows,
    avg_pool1d_ext,
    avg_pool2d_ext,
    avg_pool3d_ext,
)
from ...ops._pooling.fractional import fractional_max_pool2d, fractional_max_pool3d
from ...ops._pooling.max_pool import largest_windows, max_pool2d_ext
from ...ops._pooling.max_unpool import max_unpool1d, max_unpool2d, max_unpool3d
from .._parts import also, need_floats
from ..cell import Cell

__all__ = [
    "AvgPool3d",
    "MaxPool3d",
    "AvgPool2d",
    "MaxPool2d",
    "AvgPool1d",
    "MaxPool1d",
    "FractionalMaxPool2d",
    "FractionalMaxPool3d",
    "AdaptiveAvgPool1d",
    "AdaptiveMaxPool1d",
    "AdaptiveMaxPool2d",
    "AdaptiveMaxPool3d",
    "AdaptiveAvgPool2d",
    "AdaptiveAvgPool3d",
    "MaxUnpool1d",
    "MaxUnpool2d",
    "MaxUnpool3d",
    "LPPool1d",
    "LPPool2d",
    "AvgPool2dExt",
    "AvgPool3dExt",
    "MaxPool2dExt",
    "AvgPool1dExt",
]

Real = TensorOf(integer | floating)
_MODES = ("VALID", "SAME", "PAD")


# Windows ------------------------------------------------------------------------------------------


@op()
def pool_largest(
    xp,
    x: Real,
    kernel: Any,
    stride: Any,
    mode: Str,
    padding: Any,
    dilation: Any,
    indices: Bool,
    ceil_mode: Bool,
):
    """The largest value of each window, and its place if asked for; the batch may be missing."""
    count = len(kernel)
    need_rank(f"MaxPool{count}d", "x", x, count + 1, count + 2)
    planes = xp.expand_dims(x, 0) if x.ndim == count + 1 else x
    if mode == "PAD":
        out = largest_windows(
            xp,
            f"MaxPool{count}d",
            planes,
            kernel,
            stride,
            padding,
            dilation,
            ceil_mode,
            count,
            "int64" if indices else None,
        )
    else:
        pads = padding_of(
            f"MaxPool{count}d", mode, 0, planes.shape[2:], kernel, stride, (1,) * count
        )
        _need_fit(f"MaxPool{count}d", planes, kernel, pads)
        out = xp.max_pool(planes, kernel, stride, pads, (1,) * count)
    if x.ndim == count + 2:
        return out
    return tuple(xp.squeeze(o, 0) for o in out) if indices else xp.squeeze(out, 0)


@op()
def pool_means(
    xp,
    x: Real,
    kernel: Any,
    stride: Any,
    mode: Str,
    padding: Any,
    ceil_mode: Bool,
    include: Bool,
    divisor: Any,
):
    """The mean of each window; the batch may be missing."""
    count = len(kernel)
    need_rank(f"AvgPool{count}d", "x", x, count + 1, count + 2)
    planes = xp.expand_dims(x, 0) if x.ndim == count + 1 else x
    pads = padding_of(
        f"AvgPool{count}d", mode, padding, planes.shape[2:], kernel, stride, (1,) * count
    )
    out = average_windows(
        xp, f"AvgPool{count}d", planes, kernel, stride, pads, ceil_mode, include, divisor
    )
    return out if x.ndim == count + 2 else xp.squeeze(out, 0)


def _need_fit(api, x, kernel, pads):
    if any(n + sum(p) < k for n, p, k in zip(x.shape[2:], pads, kernel)):
        raise ValueError(
            f"For '{api}', the window {tuple(kernel)} must fit into the padded input, "
            f"but got shape {tuple(x.shape)}."
        )


# attribute -> (where it is kept as one number per dimension, the least of them, its types)
_SIZES = {
    "kernel_size": ("_kernel", 1, (int, tuple)),
    "stride": ("_stride", 1, (int, tuple)),
    "padding": ("_padding", 0, (int, tuple, list)),
}


class _Pool(Cell):
    """What the layers that pool windows share: the sizes and the mode."""

    _count = 0

    def __setattr__(self, name, value):
        """Checks a size or a mode that is assigned, and keeps it as the computation takes it."""
        if name in _SIZES:
            kept, least, kinds = _SIZES[name]
            self.__dict__[kept] = self._sizes(name, value, least, kinds)
            value = self._shown(name, value)
        elif name == "pad_mode":
            value = self._known_mode(value)
        super().__setattr__(name, value)

    def _set_up(self, kernel_size, stride, pad_mode, padding):
        for name, value in (("kernel_size", kernel_size), ("stride", stride)):
            self._sizes(name, value, *_SIZES[name][1:])  # refused before a wrong mode is
        self.pad_mode = pad_mode  # which decides how some layers show their sizes
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        if self.pad_mode != "PAD" and any(self._padding):
            raise ValueError(
                f"For '{type(self).__name__}', 'padding' must be 0 where 'pad_mode' "
                f"is not 'pad', but got {padding!r} and {pad_mode!r}."
            )

    def _known_mode(self, mode):
        name = type(self).__name__
        if not isinstance(mode, str):
            raise TypeError(
                f"For '{name}', 'pad_mode' must be a str, but got {mode!r} of type "
                f"{type(mode).__name__}."
            )
        if mode.upper() not in _MODES:
            raise ValueError(
                f"For '{name}', 'pad_mode' must be one of 'valid', 'same' and 'pad', "
                f"but got {mode!r}."
            )
        return mode.upper()

    def _sizes(self, name, value, least, kinds):
        """A size as one number per dimension."""
        api, count = type(self).__name__, self._count
        if not isinstance(value, kinds) or isinstance(value, bool):
            raise TypeError(
                f"For '{api}', '{name}' must be an int or a tuple of ints, but got "
                f"{value!r} of type {type(value).__name__}."
            )
        if count == 1 and isinstance(value, tuple) and name != "padding" and self._only_numbers:
            raise TypeError(
                f"For '{api}', '{name}' must be an int, but got {value!r} of type tuple."
            )
        given = each(value, count)
        if any(not isinstance(n, int) or isinstance(n, bool) for n in given):
            raise TypeError(f"For '{api}', '{name}' must hold ints only, but got {value!r}.")
        if len(given) != count or any(n < least for n in given):
            raise ValueError(
                f"For '{api}', '{name}' must be an int >= {least} or a tuple of "
                f"{count} such ints, but got {value!r}."
            )
        return given

    _only_numbers = False

    def _shown(self, name, value):
        single = isinstance(value, tuple) and len(value) == 1 and name != "padding"
        return value[0] if single else value

    def extend_repr(self):
        """The sizes of the layer."""
        return f"kernel_size={self.kernel_size}, stride={self.stride}, pad_mode={self.pad_mode}"


def _need_nchw(api, data_format):
    if data_format not in ("NCHW", "NHWC"):
        raise ValueError(
            f"For '{api}', 'data_format' must be 'NCHW' or 'NHWC', but got {data_format!r}."
        )
    if data_format == "NHWC" and config.device_target == "CPU":
        raise ValueError(f"For '{api}', 'data_format' must be 'NCHW' on a CPU, but got 'NHWC'.")


class _MaxPool(_Pool):
    """What the layers of largest values share."""

    def _set_up_largest(
        self, kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
    ):
        self._set_up(kernel_size, stride, pad_mode, padding)
        name = type(self).__name__
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode
        if not isinstance(dilation, (int, tuple)) or isinstance(dilation, bool):
            error = TypeError if self._count == 3 else ValueError
            raise error(
                f"For '{name}', 'dilation' must be an int or a tuple, but got "
                f"{dilation!r} of type {type(dilation).__name__}."
            )
        self._dilation = (
            self._sizes("dilation", dilation, 1, (int, tuple))
            if self._count > 1
            else each(dilation, 1)
        )
        if len(self._dilation) != self._count or min(self._dilation) < 1:
            raise ValueError(f"For '{name}', 'dilation' must be at least 1, but got {dilation!r}.")
        plain = set(self._dilation) == {1} and not return_indices and not ceil_mode
        if self.pad_mode != "PAD" and not plain:
            raise ValueError(
                f"For '{name}', 'dilation', 'return_indices' and 'ceil_mode' must be "
                f"left as they are where 'pad_mode' is not 'pad', but got "
                f"{dilation!r}, {return_indices!r} and {ceil_mode!r}."
            )

    def construct(self, x):
        """The largest value of each window of `x`, and its place if asked for."""
        if self.pad_mode != "PAD":
            need_floats(type(self).__name__, "x", x)
        return pool_largest.run(
            x,
            self._kernel,
            self._stride,
            self.pad_mode,
            self._padding,
            self._dilation,
            bool(self.return_indices),
            bool(self.ceil_mode),
        )


@public("nn.MaxPool1d")
class MaxPool1d(_MaxPool):
    """The largest value of each window of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): the length of a window.
        stride (int): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(length / stride) windows, "pad" for
            `padding`; in any case.
        padding (Union[int, tuple[int], list[int]]): elements at either end that are never largest.
        dilation (Union[int, tuple[int]]): the step within a window, with mode "pad" only.
        return_indices (bool): whether to return the places as well, with mode "pad" only.
        ceil_mode (bool): whether to keep an incomplete last window, with mode "pad" only.

    Raises:
        TypeError: if a size is not an int.
        ValueError: if a size is out of range, or an argument is not for the mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MaxPool1d(2, 2)(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]])))
        [[[2. 4.]]]
    """

    _count = 1
    _only_numbers = True

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__()
        self._set_up_largest(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )

    def _shown(self, name, value):
        if name == "padding":
            return value
        return (1, 1, value) if self.pad_mode == "PAD" else (1, value)


@public("nn.MaxPool2d")
class MaxPool2d(_MaxPool):
    """The largest value of each window of images (N, C, H, W) or (C, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of a window.
        stride (Union[int, tuple[int]]): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(size / stride) windows, "pad" for
            `padding`; in any case.
        padding (Union[int, tuple[int], list[int]]): elements at the edges that are never largest.
        dilation (Union[int, tuple[int]]): the step within a window, with mode "pad" only.
        return_indices (bool): whether to return the places as well, with mode "pad" only.
        ceil_mode (bool): whether to keep incomplete last windows, with mode "pad" only.
        data_format (str): "NCHW", or on a GPU "NHWC".

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints.
        ValueError: if a size is out of range, or an argument is not for the mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MaxPool2d(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[4.]]]]
    """

    _count = 2

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
        data_format="NCHW",
    ):
        super().__init__()
        self._set_up_largest(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )
        _need_nchw("MaxPool2d", data_format)
        if data_format == "NHWC" and self.pad_mode == "PAD":
            raise ValueError(
                "For 'MaxPool2d', 'data_format' must be 'NCHW' where 'pad_mode' is "
                "'pad', but got 'NHWC'."
            )
        self.format = data_format

    def construct(self, x):
        """The largest value of each window of `x`, and its place if asked for."""
        if self.format == "NCHW":
            return super().construct(x)
        return super().construct(x.moveaxis(-1, 1)).moveaxis(1, -1)


@public("nn.MaxPool3d")
class MaxPool3d(_MaxPool):
    """The largest value of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    Its arguments are those of MaxPool2d, with three numbers per size and without `data_format`.

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints.
        ValueError: if a size is out of range, or an argument is not for the mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MaxPool3d(2)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 1, 1, 1)
    """

    _count = 3

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        dilation=1,
        return_indices=False,
        ceil_mode=False,
    ):
        super().__init__()
        self._set_up_largest(
            kernel_size, stride, pad_mode, padding, dilation, return_indices, ceil_mode
        )


class _AvgPool(_Pool):
    """What the layers of means share."""

    def _set_up_means(
        self, kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
    ):
        self._set_up(kernel_size, stride, pad_mode, padding)
        name = type(self).__name__
        for flag, value in (("ceil_mode", ceil_mode), ("count_include_pad", count_include_pad)):
            if not isinstance(value, bool):
                raise TypeError(
                    f"For '{name}', '{flag}' must be a bool, but got {value!r} of type "
                    f"{type(value).__name__}."
                )
        if divisor_override is not None and (
            isinstance(divisor_override, bool) or not isinstance(divisor_override, int)
        ):
            raise TypeError(
                f"For '{name}', 'divisor_override' must be an int, but got "
                f"{divisor_override!r} of type {type(divisor_override).__name__}."
            )
        if divisor_override is not None and divisor_override <= 0:
            raise ValueError(
                f"For '{name}', 'divisor_override' must be > 0, but got {divisor_override}."
            )
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def _counts_padding(self):
        """Whether the divisor counts padding; in mode "same" only with other than defaults."""
        plain = not self.ceil_mode and self.count_include_pad and self.divisor_override is None
        return False if self.pad_mode == "SAME" and plain else self.count_include_pad

    def construct(self, x):
        """The mean of each window of `x`."""
        need_floats(type(self).__name__, "x", x)
        return pool_means.run(
            x,
            self._kernel,
            self._stride,
            self.pad_mode,
            self._padding,
            self.ceil_mode,
            self._counts_padding(),
            self.divisor_override,
        )


@public("nn.AvgPool1d")
class AvgPool1d(_AvgPool):
    """The mean of each window of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): the length of a window.
        stride (int): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(length / stride) windows, "pad" for
            `padding`; in any case.
        padding (Union[int, tuple[int], list[int]]): zeros at either end.
        ceil_mode (bool): whether to keep an incomplete last window.
        count_include_pad (bool): whether the divisor counts padding.

    Raises:
        TypeError: if a size is not an int, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given beside another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool1d(2, 2)(ms.Tensor([[[1.0, 2.0, 3.0, 4.0]]])))
        [[[1.5 3.5]]]
    """

    _count = 1

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, None
        )

    def _shown(self, name, value):
        if name == "padding":
            return value
        sizes = each(value, 1)
        return sizes[0] if self.pad_mode == "PAD" else (1, *sizes)


@public("nn.AvgPool2d")
class AvgPool2d(_AvgPool):
    """The mean of each window of images (N, C, H, W) or (C, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of a window.
        stride (Union[int, tuple[int]]): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(size / stride) windows, "pad" for
            `padding`; in any case.
        padding (Union[int, tuple[int], list[int]]): zeros at the edges.
        ceil_mode (bool): whether to keep incomplete last windows.
        count_include_pad (bool): whether the divisor counts padding.
        divisor_override (int): the divisor, in place of the window's size.
        data_format (str): "NCHW", or on a GPU "NHWC".

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given beside another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool2d(2)(ms.Tensor([[[[1.0, 2.0], [3.0, 4.0]]]])))
        [[[[2.5]]]]
    """

    _count = 2

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
        data_format="NCHW",
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )
        _need_nchw("AvgPool2d", data_format)
        self.format = data_format

    def construct(self, x):
        """The mean of each window of `x`."""
        if self.format == "NCHW":
            return super().construct(x)
        return super().construct(x.moveaxis(-1, 1)).moveaxis(1, -1)


@public("nn.AvgPool3d")
class AvgPool3d(_AvgPool):
    """The mean of each window of volumes (N, C, D, H, W) or (C, D, H, W).

    Its arguments are those of AvgPool2d, with three numbers per size and without `data_format`.

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints, or a flag not a bool.
        ValueError: if a size is out of range, or `padding` is given beside another mode than "pad".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.AvgPool3d(2)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 1, 1, 1)
    """

    _count = 3

    def __init__(
        self,
        kernel_size=1,
        stride=1,
        pad_mode="valid",
        padding=0,
        ceil_mode=False,
        count_include_pad=True,
        divisor_override=None,
    ):
        super().__init__()
        self._set_up_means(
            kernel_size, stride, pad_mode, padding, ceil_mode, count_include_pad, divisor_override
        )

    def _counts_padding(self):
        return self.count_include_pad


# Layers made from the lines of their ops ----------------------------------------------------------

also(adaptive_avg_pool1d, "nn.AdaptiveAvgPool1d(output_size)(input)")
also(adaptive_avg_pool2d, "nn.AdaptiveAvgPool2d(output_size)(input)")
also(adaptive_avg_pool3d, "nn.AdaptiveAvgPool3d(output_size)(input)")
also(adaptive_max_pool1d, "nn.AdaptiveMaxPool1d(output_size)(x: input)")
also(adaptive_max_pool2d, "nn.AdaptiveMaxPool2d(output_size, return_indices=False)(input)")
also(adaptive_max_pool3d, "nn.AdaptiveMaxPool3d(output_size, return_indices=False)(input)")
also(
    max_unpool1d,
    "nn.MaxUnpool1d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    max_unpool2d,
    "nn.MaxUnpool2d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    max_unpool3d,
    "nn.MaxUnpool3d(kernel_size, stride=None, padding=0)(x, indices, output_size=None)",
)
also(
    avg_pool1d_ext,
    "nn.AvgPool1dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True)(input)",
)
also(
    avg_pool2d_ext,
    "nn.AvgPool2dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    avg_pool3d_ext,
    "nn.AvgPool3dExt(kernel_size, stride=None, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)(input)",
)
also(
    max_pool2d_ext,
    "nn.MaxPool2dExt(kernel_size=1, stride=None, padding=0, dilation=1, "
    "return_indices=False, ceil_mode=False)(input)",
)
also(
    fractional_max_pool2d,
    "nn.FractionalMaxPool2d(kernel_size, output_size=None, "
    "output_ratio=None, return_indices=False, _random_samples=None)(input)",
)
also(
    fractional_max_pool3d,
    "nn.FractionalMaxPool3d(kernel_size, output_size=None, "
    "output_ratio=None, return_indices=False, _random_samples=None)(input)",
)
