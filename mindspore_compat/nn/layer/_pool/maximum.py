"""Max pooling layers.

The arithmetic is in `ops/_pooling/max_pool.py`; this file computes the padding of each mode.
"""

import numpy as np

from ...._core.declare.op import op
from ...._core.declare.public_api import public
from ...._core.rules.base import show, show_with_type
from ...._core.rules.value_rules import Truth
from ...._core.rules.vocabulary import Any, Bool, Str
from ...._core.tensor.tensor import Tensor
from ....ops._conv.sizes import need_rank, padding_of
from ....ops._pooling.max_pool import largest_windows
from ..._parts import need_floats
from .base import Real, _need_nchw, _Pool


@op(compute="kernels", inline=True)
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
    """Computes the maximum of each window, and its index if requested; the batch axis may be
    missing."""
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


def _is_number(value, number):
    """Returns whether a value is a number or a Tensor of one that equals `number`."""
    if isinstance(value, Tensor) and value.size == 1:
        value = value.asnumpy().item()
    return isinstance(value, (int, float, np.number)) and value == number


def _need_fit(api, x, kernel, pads):
    if any(n + sum(p) < k for n, p, k in zip(x.shape[2:], pads, kernel)):
        raise ValueError(
            f"For '{api}', the window {tuple(kernel)} must fit into the padded input, "
            f"but got shape {tuple(x.shape)}."
        )


class _MaxPool(_Pool):
    """Base class of the max pooling layers."""

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
        name = type(self).__name__
        mode = self._known_mode(pad_mode) if isinstance(pad_mode, str) else None
        if mode in ("VALID", "SAME") and self._count < 3:
            padding = self._without_padding(padding)
        self._set_up(kernel_size, stride, pad_mode, padding)
        Truth.refuse(name, "return_indices", return_indices)
        if self.pad_mode == "PAD":
            if self._count < 3 or return_indices:
                Bool.refuse(name, "ceil_mode", ceil_mode)
            self._dilation = self._dilation_sizes(dilation)
        else:
            self._dilation = (1,) * self._count
            if not _is_number(dilation, 1) or return_indices or ceil_mode:
                raise ValueError(
                    f"For '{name}', 'dilation', 'return_indices' and 'ceil_mode' must be "
                    f"left as they are where 'pad_mode' is not 'pad', but got "
                    f"{show(dilation)}, {show(return_indices)} and {show(ceil_mode)}."
                )
        self.return_indices = bool(return_indices)
        self.ceil_mode = bool(ceil_mode)

    def _without_padding(self, padding):
        """Returns 0 for any number that equals 0; refuses everything else."""
        if not _is_number(padding, 0):
            raise ValueError(
                f"For '{type(self).__name__}', 'padding' must be 0 where 'pad_mode' is not 'pad', "
                f"but got {show(padding)}."
            )
        return 0

    def _dilation_sizes(self, dilation):
        name, count = type(self).__name__, self._count
        if count == 3 and dilation is True:
            dilation = 1
        if not isinstance(dilation, (int, tuple)):
            error = TypeError if count == 3 else ValueError
            raise error(
                f"For '{name}', 'dilation' must be an int or a tuple, but got "
                f"{show_with_type(dilation)}."
            )
        if count == 1 and isinstance(dilation, tuple):
            if len(dilation) != 1:
                raise ValueError(
                    f"For '{name}', 'dilation' must be an int or a tuple of 1 int, but got "
                    f"{dilation!r}."
                )
            dilation = dilation[0]
        return self._sizes("dilation", dilation, 1, (int, tuple))

    def construct(self, x):
        """Returns the maximum of each window of `x`, and its index if requested."""
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
    """1-D max pooling of a sequence (N, C, L) or (C, L).

    Args:
        kernel_size (int): the length of a window.
        stride (int): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(length / stride) windows, "pad" for
            `padding`; upper or lower case.
        padding (Union[int, tuple[int], list[int]]): number of elements at either end, which are
            never the maximum.
        dilation (Union[int, tuple[int]]): the step within a window, with mode "pad" only.
        return_indices (bool): whether to return the indices as well, with mode "pad" only.
        ceil_mode (bool): whether to keep an incomplete last window, with mode "pad" only.

    Inputs:
        - **x** (Tensor): floats of shape (N, C, L) or (C, L).

    Outputs:
        Tensor of shape (N, C, L') or (C, L'), with the dtype of `x`: the maxima. With
        `return_indices`, also a Tensor of that shape: the positions of the maxima.

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

    def _attribute_value(self, name, value):
        if name == "padding":
            return value
        return (1, 1, value) if self.pad_mode == "PAD" else (1, value)


@public("nn.MaxPool2d")
class MaxPool2d(_MaxPool):
    """2-D max pooling of images (N, C, H, W) or (C, H, W).

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of a window.
        stride (Union[int, tuple[int]]): the step from window to window.
        pad_mode (str): "valid" for no padding, "same" for ceil(size / stride) windows, "pad" for
            `padding`; upper or lower case.
        padding (Union[int, tuple[int], list[int]]): number of elements at the edges, which are
            never the maximum.
        dilation (Union[int, tuple[int]]): the step within a window, with mode "pad" only.
        return_indices (bool): whether to return the indices as well, with mode "pad" only.
        ceil_mode (bool): whether to keep incomplete last windows, with mode "pad" only.
        data_format (str): "NCHW", or on a GPU "NHWC".

    Inputs:
        - **x** (Tensor): floats of shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of shape (N, C, H', W') or (C, H', W'), with the dtype of `x`: the maxima. With
        `return_indices`, also a Tensor of that shape: the positions of the maxima.

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
        super().__init__(
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
        """Returns the maximum of each window of `x`, and its index if requested."""
        if self.format == "NCHW":
            return super().construct(x)
        return super().construct(x.moveaxis(-1, 1)).moveaxis(1, -1)


@public("nn.MaxPool3d")
class MaxPool3d(_MaxPool):
    """3-D max pooling of volumes (N, C, D, H, W) or (C, D, H, W).

    It takes the arguments of MaxPool2d, with three numbers per size and without `data_format`.

    Inputs:
        - **x** (Tensor): floats of shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of shape (N, C, D', H', W') or (C, D', H', W'), with the dtype of `x`: the maxima.
        With `return_indices`, also a Tensor of that shape: the positions of the maxima.

    Raises:
        TypeError: if a size is neither an int nor a tuple of ints.
        ValueError: if a size is out of range, or an argument is not for the mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.MaxPool3d(2)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 1, 1, 1)
    """

    _count = 3
