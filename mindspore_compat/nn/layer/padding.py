"""Padding layers: constant, reflection and replication padding.

Paddings are pairs (before, after), the last axis first. A negative one cuts elements off.
"""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.comparisons import Instead
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    InstanceOf,
    Number,
    Str,
    TensorOf,
    any_dtype,
    checked,
)
from ..._core.tensor.tensor import Tensor
from ..cell import Cell

__all__ = [
    "ConstantPad1d",
    "ConstantPad2d",
    "ConstantPad3d",
    "ReflectionPad1d",
    "ReflectionPad2d",
    "ReflectionPad3d",
    "ZeroPad2d",
    "ReplicationPad1d",
    "ReplicationPad2d",
    "ReplicationPad3d",
]

_LEAST_EDGE = {"reflect": 1, "symmetric": 0}


@op(compute="native")
def pad_ends(xp, x: TensorOf(any_dtype), pairs: Any, mode: Str, value: Number = 0):
    """Pads `x` by `pairs`, one (before, after) pair for each of its axes in order.

    "reflect" mirrors without repeating the edge, "symmetric" repeats it, "edge" repeats only the
    edge.
    """
    for axis, (before, behind) in enumerate(pairs):
        if before < 0 or behind < 0:
            x = x[_part(axis, max(-before, 0), x.shape[axis] - max(-behind, 0))]
    pairs = tuple((max(before, 0), max(behind, 0)) for before, behind in pairs)
    if mode == "constant":
        return xp.pad(x, pairs, constant_values=value)
    for axis, (before, behind) in enumerate(pairs):
        if before or behind:
            x = _extend(xp, x, axis, before, behind, mode)
    return x


def _part(axis, start, stop):
    return (slice(None),) * axis + (slice(start, stop),)


def _extend(xp, x, axis, before, behind, mode):
    """Pads `x` along one axis with its own elements from near either end."""
    size = x.shape[axis]
    if not size:
        raise ValueError(
            f"For 'pad', an axis of length 0 has no elements to repeat, but got shape {x.shape}."
        )
    if mode == "edge":
        shape = list(x.shape)
        parts = []
        for count, start in ((before, 0), (behind, size - 1)):
            shape[axis] = count
            parts.append(xp.broadcast_to(x[_part(axis, start, start + 1)], tuple(shape)))
    else:
        skip = _LEAST_EDGE[mode]
        head = x[_part(axis, skip, skip + before)]
        right = x[_part(axis, size - skip - behind, size - skip)]
        parts = [xp.flip(head, axis), xp.flip(right, axis)]
    return xp.concatenate([parts[0], x, parts[1]], axis)


_ATensor = Instead(TensorOf(), AttributeError)  # MindSpore reads its shape first
_Padded = TensorOf().but("bool", "bfloat16")  # of a padding that repeats edges


class _Pad(Cell):
    """Base class of all padding layers."""

    _count = 0  # the number of axes that a single number pads
    _mode = "constant"
    _cuts = True  # whether a negative padding is allowed
    _least_rank = 0  # the least rank of the input, beyond `_count`
    _bools = False  # whether True pads by 1; as in MindSpore, this differs between layers

    @property
    def padding(self):
        """The padding, as it was last given."""
        return self._padding

    @padding.setter
    def padding(self, padding):
        name = type(self).__name__
        InstanceOf(int, tuple).called("an int or a tuple of ints").refuse(name, "padding", padding)
        numbers = padding if isinstance(padding, tuple) else (int(padding),) * (2 * self._count)
        if not all(isinstance(n, int) for n in numbers):
            raise TypeError(f"For '{name}', 'padding' must hold ints only, but got {padding!r}.")
        if len(numbers) % 2 or len(numbers) > 2 * self._count:
            raise ValueError(
                f"For '{name}', 'padding' must be an int or pairs of ints for at most "
                f"{self._count} axes, but got {padding!r}."
            )
        if not self._cuts and any(n < 0 for n in numbers):
            raise ValueError(f"For '{name}', 'padding' must be >= 0, but got {padding!r}.")
        self._padding = padding
        self._pairs = tuple(zip(numbers[::2], numbers[1::2]))

    def construct(self, x):
        """Returns `x`, padded."""
        name = type(self).__name__
        if type(self.padding) is bool and not self._bools:
            raise TypeError(
                f"For '{name}', 'padding' must be an int or a tuple of ints, but got "
                f"{self.padding!r} of type bool."
            )
        if not isinstance(x, Tensor):
            InstanceOf(Tensor).refuse_part(name, "the input", x)
        if x.ndim < len(self._pairs) + self._least_rank:
            raise ValueError(
                f"For '{name}', the input must have at least "
                f"{len(self._pairs) + self._least_rank} axes, but got shape "
                f"{x.shape}."
            )
        pairs = ((0, 0),) * (x.ndim - len(self._pairs)) + self._pairs[::-1]
        self._need_elements(name, x, pairs)
        for pair, size in zip(pairs, x.shape):
            self._need_larger_input(name, pair, size)
        return pad_ends.run(x, pairs, self._mode, self._value(x))

    def _need_larger_input(self, name, pair, size):
        if min(pair) < -size or self._mode == "reflect" and max(pair) >= size:
            raise ValueError(
                f"For '{name}', 'padding' must be less than the axis it pads, but got "
                f"{pair} for length {size}."
            )

    def _need_elements(self, name, x, pairs):
        """Raises a ValueError if the result of a layer has an axis of length 0 or less."""
        if any(size + sum(pair) <= 0 for pair, size in zip(pairs, x.shape)):
            raise ValueError(
                f"For '{name}', each axis of the result must have at least one element, but got "
                f"shape {x.shape} and padding {self.padding!r}."
            )

    def _value(self, x):
        return 0


def _need_few_axes(name, x):
    """Raises a ValueError for an input with more than five axes."""
    if x.ndim > 5:
        raise ValueError(
            f"For '{name}', the input must have at most 5 axes, but got shape {x.shape}."
        )


class _Reflection(_Pad):
    _mode = "reflect"
    _cuts = False
    _bools = True

    def construct(self, x):
        """Returns `x`, padded."""
        _ATensor.refuse_part(type(self).__name__, "the input", x)
        _need_few_axes(type(self).__name__, x)
        return super().construct(x)

    def __init__(self, padding):
        super().__init__()
        self.padding = padding


class _Replication(_Pad):
    _mode = "edge"
    _least_rank = 1

    def construct(self, x):
        """Returns `x`, padded."""
        name = type(self).__name__
        _ATensor.refuse_part(name, "the input", x)
        _need_few_axes(name, x)
        _Padded.refuse_part(name, "the input", x)
        self._need_rank(name, x)
        return super().construct(x)

    def _need_rank(self, name, x):
        """Raises a ValueError unless `x` has a batch, channels and the padded axes.

        The batch may be missing where the layer pads all axes of its name.
        """
        padded = len(self._pairs)
        ranks = (padded + 1, padded + 2) if padded == self._count else (padded + 2,)
        if x.ndim not in ranks or padded < self._count and x.ndim == self._count + 1:
            raise ValueError(
                f"For '{name}', with 'padding' {self.padding!r} the input must have "
                f"{' or '.join(map(str, ranks))} axes, but got shape {x.shape}."
            )

    def __init__(self, padding):
        super().__init__()
        self.padding = padding


class _Constant(_Pad):
    @checked
    def __init__(self, padding, value: Number | Bool):
        super().__init__()
        self.padding = padding
        self.value = value

    def _value(self, x):
        return x._array.dtype.type(self.value)


@public("nn.ConstantPad1d")
class ConstantPad1d(_Constant):
    """Pads the last axis with a constant.

    Args:
        padding (Union[int, tuple]): the number of elements before and after.
        value (Union[int, float]): the constant.

    Inputs:
        - **x** (Tensor): of any dtype, with at least one axis.

    Outputs:
        Tensor with the last axis longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints, or `value` not a number.
        ValueError: if `padding` is not a pair, or cuts off more than there is.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ConstantPad1d(1, 5.0)(ms.Tensor([[[1.0, 2.0]]])))
        [[[5. 1. 2. 5.]]]
    """

    _count = 1


@public("nn.ConstantPad2d")
class ConstantPad2d(_Constant):
    """Pads the last two axes with a constant.

    Args:
        padding (Union[int, tuple]): the number of elements left, right, above and below.
        value (Union[int, float]): the constant.

    Inputs:
        - **x** (Tensor): of any dtype, with at least two axes.

    Outputs:
        Tensor with the last two axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints, or `value` not a number.
        ValueError: if `padding` is not made of pairs, or cuts off more than there is.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ConstantPad2d(1, 5.0)(ms.ops.ones((1, 1, 2, 2))).shape)
        (1, 1, 4, 4)
    """

    _count = 2


@public("nn.ConstantPad3d")
class ConstantPad3d(_Constant):
    """Pads the last three axes with a constant.

    Args:
        padding (Union[int, tuple]): the number of elements left, right, above, below, in front and
            behind.
        value (Union[int, float]): the constant.

    Inputs:
        - **x** (Tensor): of any dtype, with at least three axes.

    Outputs:
        Tensor with the last three axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints, or `value` not a number.
        ValueError: if `padding` is not made of pairs, or cuts off more than there is.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ConstantPad3d(1, 5.0)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 4, 4, 4)
    """

    _count = 3


@public("nn.ZeroPad2d")
class ZeroPad2d(_Constant):
    """Pads the last two axes with zeros.

    Args:
        padding (Union[int, tuple]): the number of elements left, right, above and below.

    Inputs:
        - **x** (Tensor): of any dtype, with at least two axes.

    Outputs:
        Tensor with the last two axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if `padding` is not made of pairs, or cuts off more than there is.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ZeroPad2d(1)(ms.ops.ones((1, 1, 2, 2))).shape)
        (1, 1, 4, 4)
    """

    _count = 2

    def __init__(self, padding):
        super().__init__(padding, 0)


@public("nn.ReflectionPad1d")
class ReflectionPad1d(_Reflection):
    """Reflection padding of the last axis: mirrors the input, without its edge.

    Args:
        padding (Union[int, tuple]): the number of elements before and after, at least 0.

    Inputs:
        - **x** (Tensor): shape (N, C, L) or (C, L).

    Outputs:
        Tensor with the last axis longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if `padding` is negative, no pair, or not less than the axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReflectionPad1d(1)(ms.Tensor([[[1.0, 2.0, 3.0]]])))
        [[[2. 1. 2. 3. 2.]]]
    """

    _count = 1


@public("nn.ReflectionPad2d")
class ReflectionPad2d(_Reflection):
    """Reflection padding of the last two axes; see ReflectionPad1d.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W) or (C, H, W).

    Args:
        padding (Union[int, tuple]): the number of elements before and after each axis, from the
            last axis on; one int for all. Each is at least 0 and less than the axis.

    Outputs:
        Tensor with the last two axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if it is negative, has an odd length or too many numbers, or is not less than an
            axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReflectionPad2d(1)(ms.ops.ones((1, 1, 2, 2))).shape)
        (1, 1, 4, 4)
    """

    _count = 2


@public("nn.ReflectionPad3d")
class ReflectionPad3d(_Reflection):
    """Reflection padding of the last three axes; see ReflectionPad1d.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W) or (C, D, H, W).

    Args:
        padding (Union[int, tuple]): the number of elements before and after each axis, from the
            last axis on; one int for all. Each is at least 0 and less than the axis.

    Outputs:
        Tensor with the last three axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if it is negative, has an odd length or too many numbers, or is not less than an
            axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReflectionPad3d(1)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 4, 4, 4)
    """

    _count = 3


@public("nn.ReplicationPad1d")
class ReplicationPad1d(_Replication):
    """Replication padding of the last axis: repeats the edge of the input.

    Args:
        padding (Union[int, tuple]): the number of elements before and after.

    Inputs:
        - **x** (Tensor): shape (N, C, L) or (C, L).

    Outputs:
        Tensor with the last axis longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if `padding` is not a pair, or cuts off more than there is.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReplicationPad1d(1)(ms.Tensor([[[1.0, 2.0]]])))
        [[[1. 1. 2. 2.]]]
    """

    _count = 1


@public("nn.ReplicationPad2d")
class ReplicationPad2d(_Replication):
    """Replication padding of the last two axes; see ReplicationPad1d.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W) or (C, H, W).

    Args:
        padding (Union[int, tuple]): the number of elements before and after each axis, from the
            last axis on; one int for all. A negative number crops.

    Outputs:
        Tensor with the last two axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if it has an odd length or too many numbers, or leaves an axis without elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReplicationPad2d(1)(ms.ops.ones((1, 1, 2, 2))).shape)
        (1, 1, 4, 4)
    """

    _count = 2


@public("nn.ReplicationPad3d")
class ReplicationPad3d(_Replication):
    """Replication padding of the last three axes; see ReplicationPad1d.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W) or (C, D, H, W).

    Args:
        padding (Union[int, tuple]): the number of elements before and after each axis, from the
            last axis on; one int for all. A negative number crops.

    Outputs:
        Tensor with the last three axes longer by the padding, and the dtype of `x`.

    Raises:
        TypeError: if `padding` is neither an int nor a tuple of ints.
        ValueError: if it has an odd length or too many numbers, or leaves an axis without elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.ReplicationPad3d(1)(ms.ops.ones((1, 1, 2, 2, 2))).shape)
        (1, 1, 4, 4, 4)
    """

    _count = 3
