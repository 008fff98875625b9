"""Padding layers: constant, zero, reflection and replication padding.

`padding` is one number for all sides, or (before, after) of the last axis, then of the
second-to-last, ... The arithmetic is in `ops/_shape/pad.py`.
"""

from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import Bool, Number, checked
from ....nn._parts import need_tensor
from ....nn.cell import Cell
from ....ops._shape.pad import mint_pad

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
    "ZeroPad1d",
    "ZeroPad2d",
    "ZeroPad3d",
]


class _Pad(Cell):
    """The base class of all padding layers."""

    _axes = 0  # the number of last axes that are padded
    _mode = "constant"
    _least = None  # the smallest padding, and the smallest as a single number
    _least_alone = None
    value = None

    def _set_up(self, padding):
        name, sides = type(self).__name__, 2 * self._axes
        alone = isinstance(padding, int)
        if not alone and not (isinstance(padding, (tuple, list)) and len(padding) == sides):
            raise ValueError(
                f"For '{name}', 'padding' must be an int, or a tuple or list of "
                f"{sides} ints, but got {padding!r}."
            )
        numbers = (padding,) * sides if alone else padding
        if any(not isinstance(n, int) or isinstance(n, bool) for n in numbers):
            raise TypeError(f"For '{name}', 'padding' must hold ints only, but got {padding!r}.")
        least = self._least_alone if alone else self._least
        if least is not None and min(numbers) < least:
            raise ValueError(
                f"For '{name}', 'padding' must be at least {least}, but got {padding!r}."
            )
        self.padding = numbers

    def construct(self, input):
        """Pads `input`."""
        need_tensor(type(self).__name__, "input", input)
        return mint_pad(input, self.padding, self._mode, self.value)


class _Constant(_Pad):
    @checked
    def __init__(self, padding, value: Number | Bool | None):
        super().__init__()
        self._set_up(padding)
        self.value = value


class _Zeros(_Pad):
    _least = _least_alone = 0

    def __init__(self, padding):
        super().__init__()
        self._set_up(padding)
        self.value = 0


class _Mirror(_Pad):
    _mode = "reflect"
    _least, _least_alone = 0, 1

    def __init__(self, padding):
        super().__init__()
        self._set_up(padding)


class _Edge(_Mirror):
    _mode = "replicate"


@public("mint.nn.ConstantPad1d")
class ConstantPad1d(_Constant):
    """Pads the last axis with a constant.

    Args:
        padding (Union[int, tuple[int], list[int]]): the number of elements before and after; a
            negative number crops.
        value (Union[int, float]): the constant.

    Inputs:
        - **input** (Tensor): any shape with this axis.

    Outputs:
        Tensor, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints, or `value` is not a number.
        ValueError: if `padding` is neither an int nor one int per side.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ConstantPad1d((1, 2), 9.0)(ms.Tensor([[1.0, 2.0]])))
        [[9. 1. 2. 9. 9.]]

    Source: mindspore.mint.nn.ConstantPad1d of MindSpore 2.10.
    """

    _axes = 1


@public("mint.nn.ConstantPad2d")
class ConstantPad2d(_Constant):
    """Pads the last two axes with a constant.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, or four: left, right,
            above and below. A negative number crops.
        value (Union[int, float]): the constant.

    Inputs:
        - **input** (Tensor): at least two axes.

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ConstantPad2d((1, 0, 0, 1), 9.0)(ms.Tensor([[[1.0, 2.0]]])))
        [[[9. 1. 2.]
          [9. 9. 9.]]]

    Source: mindspore.mint.nn.ConstantPad2d of MindSpore 2.10.
    """

    _axes = 2


@public("mint.nn.ConstantPad3d")
class ConstantPad3d(_Constant):
    """Pads the last three axes with a constant.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, or six: left, right,
            above, below, in front and behind. A negative number crops.
        value (Union[int, float]): the constant.

    Inputs:
        - **input** (Tensor): at least three axes.

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.ops.ones((1, 2, 2, 2))
        >>> print(ms.mint.nn.ConstantPad3d((1, 1, 0, 0, 0, 1), 9.0)(x).shape)
        (1, 3, 2, 4)

    Source: mindspore.mint.nn.ConstantPad3d of MindSpore 2.10.
    """

    _axes = 3


@public("mint.nn.ZeroPad1d")
class ZeroPad1d(_Zeros):
    """Pads the last axis with zeros.

    Args:
        padding (Union[int, tuple, list]): the number of elements before and after.

    Inputs:
        - **input** (Tensor): any shape with this axis.

    Outputs:
        Tensor, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints.
        ValueError: if `padding` is neither an int nor one int per side, or is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ZeroPad1d((1, 2))(ms.Tensor([[1.0, 2.0]])))
        [[0. 1. 2. 0. 0.]]

    Source: mindspore.mint.nn.ZeroPad1d of MindSpore 2.10.
    """

    _axes = 1


@public("mint.nn.ZeroPad2d")
class ZeroPad2d(_Zeros):
    """Pads the last two axes with zeros.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, or four: left, right,
            above and below; each at least 0.

    Inputs:
        - **input** (Tensor): at least two axes.

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints.
        ValueError: if `padding` is negative, or is neither an int nor one int per side.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ZeroPad2d((1, 0, 0, 1))(ms.Tensor([[[1.0, 2.0]]])))
        [[[0. 1. 2.]
          [0. 0. 0.]]]

    Source: mindspore.mint.nn.ZeroPad2d of MindSpore 2.10.
    """

    _axes = 2


@public("mint.nn.ZeroPad3d")
class ZeroPad3d(_Zeros):
    """Pads the last three axes with zeros.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, or six: left, right,
            above, below, in front and behind; each at least 0.

    Inputs:
        - **input** (Tensor): at least three axes.

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints.
        ValueError: if `padding` is negative, or is neither an int nor one int per side.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.ops.ones((1, 2, 2, 2))
        >>> print(ms.mint.nn.ZeroPad3d(1)(x).shape)
        (1, 4, 4, 4)

    Source: mindspore.mint.nn.ZeroPad3d of MindSpore 2.10.
    """

    _axes = 3


@public("mint.nn.ReflectionPad1d")
class ReflectionPad1d(_Mirror):
    """Pads the last axis with the mirror image of the input, without its edge.

    Args:
        padding (Union[int, tuple, list]): the number of elements before and after. A single number
            is at least 1, numbers in a sequence are at least 0; all are less than the length of the
            axis.

    Inputs:
        - **input** (Tensor): shape (N, C, W) or (C, W).

    Outputs:
        Tensor, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints.
        ValueError: if `padding` is neither an int nor one int per side, or is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ReflectionPad1d((1, 2))(ms.Tensor([[1.0, 2.0, 3.0]])))
        [[2. 1. 2. 3. 2. 1.]]

    Source: mindspore.mint.nn.ReflectionPad1d of MindSpore 2.10.
    """

    _axes = 1


@public("mint.nn.ReflectionPad2d")
class ReflectionPad2d(_Mirror):
    """Pads the last two axes of (N, C, H, W) or (C, H, W) with the mirror image of the input.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, at least 1, or four:
            left, right, above and below, each at least 0; all are less than the axis.

    Inputs:
        - **input** (Tensor): shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ReflectionPad2d((1, 0, 0, 1))(ms.Tensor([[[1.0, 2.0], [3.0, 4.0]]])))
        [[[2. 1. 2.]
          [4. 3. 4.]
          [2. 1. 2.]]]

    Source: mindspore.mint.nn.ReflectionPad2d of MindSpore 2.10.
    """

    _axes = 2


@public("mint.nn.ReflectionPad3d")
class ReflectionPad3d(_Mirror):
    """Pads the last three axes of (N, C, D, H, W) or (C, D, H, W) with the mirror image.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, at least 1, or six:
            left, right, above, below, in front and behind, each at least 0; all are less than the
            axis.

    Inputs:
        - **input** (Tensor): shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.ops.ones((1, 2, 2, 2))
        >>> print(ms.mint.nn.ReflectionPad3d(1)(x).shape)
        (1, 4, 4, 4)

    Source: mindspore.mint.nn.ReflectionPad3d of MindSpore 2.10.
    """

    _axes = 3


@public("mint.nn.ReplicationPad1d")
class ReplicationPad1d(_Edge):
    """Pads the last axis by repeating the edge of the input.

    Args:
        padding (Union[int, tuple, list]): the number of elements before and after. A single number
            is at least 1, numbers in a sequence are at least 0.

    Inputs:
        - **input** (Tensor): shape (N, C, W) or (C, W).

    Outputs:
        Tensor, longer along the padded axes.

    Raises:
        TypeError: if `padding` holds anything but ints.
        ValueError: if `padding` is neither an int nor one int per side, or is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ReplicationPad1d((1, 2))(ms.Tensor([[1.0, 2.0]])))
        [[1. 1. 2. 2. 2.]]

    Source: mindspore.mint.nn.ReplicationPad1d of MindSpore 2.10.
    """

    _axes = 1


@public("mint.nn.ReplicationPad2d")
class ReplicationPad2d(_Edge):
    """Pads the last two axes of (N, C, H, W) or (C, H, W) by repeating the edge of the input.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, at least 1, or four:
            left, right, above and below, each at least 0.

    Inputs:
        - **input** (Tensor): shape (N, C, H, W) or (C, H, W).

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.ReplicationPad2d((1, 0, 0, 1))(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2.]
          [1. 1. 2.]]]

    Source: mindspore.mint.nn.ReplicationPad2d of MindSpore 2.10.
    """

    _axes = 2


@public("mint.nn.ReplicationPad3d")
class ReplicationPad3d(_Edge):
    """Pads the last three axes of (N, C, D, H, W) or (C, D, H, W) by repeating the edge of the
    input.

    Args:
        padding (Union[int, tuple[int], list[int]]): one number for all sides, at least 1, or six:
            left, right, above, below, in front and behind, each at least 0.

    Inputs:
        - **input** (Tensor): shape (N, C, D, H, W) or (C, D, H, W).

    Outputs:
        Tensor of the same dtype, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> x = ms.ops.ones((1, 2, 2, 2))
        >>> print(ms.mint.nn.ReplicationPad3d(1)(x).shape)
        (1, 4, 4, 4)

    Source: mindspore.mint.nn.ReplicationPad3d of MindSpore 2.10.
    """

    _axes = 3
