"""Padding: constant, reflected, replicated and circular. Space-to-batch and space-to-depth are in
_image/pixel_shuffle.py.
"""

import functools

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    InstanceOf,
    Int,
    ListOf,
    OneOf,
    Plain,
    Str,
    TensorOf,
    TupleOf,
    checked,
    number,
)
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Ints
from ..primitive import Primitive

_Value = InstanceOf(int, float).called("a number") | None

# Padding ------------------------------------------------------------------------------------------


@op(compute="native")
def pad_constant(xp, input: Anything, widths: Any, value: Any):
    """Pads the input with a number; negative widths crop it."""
    widths = tuple(widths)
    if any([a < 0 or b < 0 for a, b in widths]):
        crop = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, input.shape))
        input, widths = input[crop], tuple((max(a, 0), max(b, 0)) for a, b in widths)
    return xp.pad(input, widths, constant_values=value)


@op(compute="native")
def pad_by_index(xp, input: Anything, widths: Any, mode: Str):
    """Pads the input with its own values."""
    return xp.pad_by_index(input, widths, mode)


PAD_MODES = ("constant", "reflect", "replicate", "circular")
# The number of axes, batch and channels included, that the kernel of a mode pads.
MOST_AXES = {"reflect": 4}


@public("ops.pad")
def pad(input_x, padding, mode="constant", value=None):
    """Pads the input; `padding` lists the last axis first.

    Args:
        input_x (Tensor): any dtype.
        padding (Union[tuple[int], list[int], Tensor]): the widths (before, after) of the last axis,
            then of the second-to-last, ...
        mode (str): "constant", "reflect", "replicate" or "circular". Default: "constant".
        value (Union[int, float, None]): the constant, 0 by default; for "constant" only.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `padding` has an odd length or too many entries, `mode` is not one of these,
            or `value` is given for another mode.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.pad(ms.Tensor([1.0, 2.0]), (1, 1)))
        [0. 1. 2. 0.]

    Source: mindspore.ops.pad of MindSpore 2.10.
    """
    return _pad(input_x, padding, mode, value, most=MOST_AXES)


def _pad(input_x, padding, mode, value, most):
    if not isinstance(input_x, Tensor):
        Anything.refuse("pad", "input_x", input_x)
    if isinstance(padding, Tensor):
        padding = padding.asnumpy().reshape(-1).tolist()
    if not isinstance(padding, (tuple, list)) or not all([isinstance(p, int) for p in padding]):
        raise TypeError(
            f"For 'pad', 'padding' must be a tuple, list or Tensor of ints, but got {padding!r}."
        )
    if len(padding) % 2 or len(padding) > 2 * input_x.ndim:
        raise ValueError(
            f"For 'pad', 'padding' must have a pair for at most {input_x.ndim} axes, "
            f"but got {padding}."
        )
    if mode not in PAD_MODES:
        raise ValueError(f"For 'pad', 'mode' must be one of {PAD_MODES}, but got {mode!r}.")
    pairs = len(padding) // 2
    if mode != "constant" and pairs:
        _need_axes("pad", input_x, pairs, mode, (pairs + 1, pairs + 2), most)
    widths = _width_pairs(tuple(padding), input_x.ndim)
    if mode == "constant":
        if isinstance(value, Tensor) and value.size == 1:
            value = value.item()
        value = plain_numbers(value)
        if not isinstance(value, (int, float, type(None))):
            _Value.refuse("pad", "value", value)
        return pad_constant.run(input_x, widths, 0 if value is None else value)
    if value is not None:
        raise ValueError(
            f"For 'pad', 'value' goes with mode 'constant', but got {value} for '{mode}'."
        )
    if mode == "reflect" and not _is_mirrored(widths, input_x.shape):
        raise ValueError(
            f"For 'pad', 'padding' must be less than the axis that is mirrored, but "
            f"got {padding} for shape {input_x.shape}."
        )
    return pad_by_index.run(input_x, widths, mode)


@functools.lru_cache(maxsize=512)
def _width_pairs(padding, ndim):
    """Returns the widths (before, after) of each axis, the first axis first."""
    numbers = list(map(int, padding))
    pairs = tuple(zip(numbers[::2], numbers[1::2]))[::-1]
    return ((0, 0),) * (ndim - len(pairs)) + pairs


@functools.lru_cache(maxsize=512)
def _is_mirrored(widths, shape):
    """Returns True if each padded axis is longer than its widths, as "reflect" needs."""
    return all(max(pair) < length for pair, length in zip(widths, shape) if any(pair))


def _need_axes(api, x, pairs, mode, ranks, most):
    """Raises a ValueError unless the number of axes of `x` is in `ranks`, and the number of padded
    axes (`pairs`) plus two for batch and channels is at most that of the mode in `most`."""
    if x.ndim not in ranks or pairs + 2 > most.get(mode, 5):
        raise ValueError(
            f"For '{api}', where {pairs} axes are padded with mode '{mode}', the input must have "
            f"{' or '.join(map(str, ranks))} axes, and at most {most.get(mode, 5) - 2} may be "
            f"padded, but got shape {x.shape}."
        )


@public("mint.nn.functional.pad")
def mint_pad(input, pad, mode="constant", value=None):
    """Pads the input; `pad` lists the last axis first.

    A mode other than "constant" pads the last axis of an input with two or three axes, the last two
    of three or four, or the last three of four or five.

    Args:
        input (Tensor): any dtype.
        pad (Union[tuple[int], list[int], Tensor]): the widths (before, after) of the last axis,
            then of the second-to-last, ...
        mode (str): "constant", "reflect", "replicate" or "circular". Default: "constant".
        value (Union[int, float, None]): the constant, 0 by default; for "constant" only.

    Returns:
        Tensor of the same dtype, longer along the padded axes.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: as `ops.pad`, or if the mode does not support the number of axes of the input.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.functional.pad(ms.Tensor([1.0, 2.0]), (1, 1)))
        [0. 1. 2. 0.]

    Source: mindspore.mint.nn.functional.pad of MindSpore 2.10.
    """
    return _pad(input, pad, mode, value, most={})


@public("ops.PadV3")
class PadV3(Primitive):
    """The class form of `ops.pad`: `ops.PadV3(mode, paddings_contiguous)(x, paddings, value)`.

    Args:
        mode (str): "constant", "reflect", "edge" or "circular". Default: "constant".
        paddings_contiguous (bool): whether the two widths of an axis are neighbours in `paddings`;
            otherwise all widths before the axes come first. Default: True.

    Inputs:
        - **x** (Tensor): the input.
        - **paddings** (Union[Tensor, tuple[int], list[int]]): the widths, from the last axis on.
        - **constant_value** (Union[Number, Tensor]): the constant; None for 0.

    Outputs:
        Tensor of the dtype of `x`, longer along the padded axes.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.PadV3()(ms.Tensor([1, 2, 3]), (1, 1), 0))
        [0 1 2 3 0]
    """

    @checked
    def __init__(
        self,
        mode: AsValue(OneOf("constant", "reflect", "edge", "circular")) = "constant",
        paddings_contiguous: Bool = True,
    ):
        self.mode, self.paddings_contiguous = mode, paddings_contiguous

    @checked
    def __call__(
        self,
        x: TensorOf(number),
        paddings: TensorOf("int16", "int32", "int64") | Ints,
        constant_value: Any = None,
    ):
        if isinstance(paddings, Tensor) and paddings.ndim != 1:
            raise ValueError(
                f"For 'PadV3', 'paddings' must have 1 dimension, but got {paddings.ndim}."
            )
        flat = paddings.tolist() if isinstance(paddings, Tensor) else list(paddings)
        if not self.paddings_contiguous:
            half = len(flat) // 2
            flat = [n for pair in zip(flat[:half], flat[half:]) for n in pair]
        if self.mode != "constant" and flat:
            pairs = len(flat) // 2
            _need_axes("PadV3", x, pairs, self.mode, (pairs + 2,), MOST_AXES)
        return pad(x, flat, "replicate" if self.mode == "edge" else self.mode, constant_value)


@public("ops.mirror_pad")
def mirror_pad(input_x, paddings, mode):
    """Pads the input with its mirror image, as `ops.MirrorPad` does.

    Args:
        input_x (Tensor): the input.
        paddings (Tensor): int32 or int64 of shape (axes of `input_x`, 2): the number of elements
            before and after each axis.
        mode (str): "REFLECT" omits the edge of the input from its mirror image, "SYMMETRIC" repeats
            it.

    Returns:
        Tensor of the dtype of `input_x`, longer along each axis by the sum of its row.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `mode` is unknown, or a width is negative or too large for its axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.mirror_pad(ms.Tensor([1, 2, 3]), ms.Tensor([[1, 1]]), "REFLECT"))
        [2 1 2 3 2]
    """
    return MirrorPad(mode)(input_x, paddings)


@public("ops.MirrorPad")
class MirrorPad(Primitive):
    """Pads the input with its mirror image: `ops.MirrorPad(mode)(x, paddings)`, where `paddings`
    has one row per axis.

    Args:
        mode (str): "REFLECT" omits the edge of the input from its mirror image, "SYMMETRIC" repeats
            it. Default: "REFLECT".

    Inputs:
        - **input_x** (Tensor): the input.
        - **paddings** (Tensor): int32 or int64 of shape (axes of `input_x`, 2): the number of
          elements before and after each axis.

    Outputs:
        Tensor of the dtype of `input_x`, longer along each axis by the sum of its row.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.MirrorPad()(ms.Tensor([1, 2, 3]), ms.Tensor([[1, 1]])))
        [2 1 2 3 2]
    """

    @checked
    def __init__(self, mode: AsValue(OneOf("REFLECT", "SYMMETRIC")) = "REFLECT"):
        self.mode = mode

    @checked
    def __call__(self, input_x: Anything, paddings: TensorOf("int32", "int64")):
        rows = [tuple(row) for row in paddings.asnumpy().tolist()]
        if paddings.shape != (input_x.ndim, 2):
            raise ValueError(
                f"For 'MirrorPad', 'paddings' must have shape {(input_x.ndim, 2)}, "
                f"but got {paddings.shape}."
            )
        if input_x.ndim > 5:
            raise ValueError(
                f"For 'MirrorPad', 'input_x' must have at most 5 axes, but got {input_x.ndim}."
            )
        if self.mode == "REFLECT" and any(max(row) >= n for row, n in zip(rows, input_x.shape)):
            raise ValueError(
                f"For 'MirrorPad', 'paddings' must be less than the sizes of the axes, "
                f"{input_x.shape}, but got {rows}."
            )
        return pad_by_index.run(input_x, rows, self.mode.lower())


@op("ops.Padding(pad_dim_size=8)(x)", "ops.padding(x, pad_dim_size=8)", compute="native")
def padding(xp, x: AsValue(Anything, Plain), pad_dim_size: Int(ge=1) = 8):
    """Pads the last axis, of length 1, with zeros at the end.

    Shapes:
        `x` is (..., 1). The result is (..., pad_dim_size), of the same dtype.

    Example:
        >>> print(ms.ops.padding(ms.Tensor([[1.0], [2.0]]), 3))
        [[1. 0. 0.]
         [2. 0. 0.]]
    """
    if x.ndim < 2 or x.shape[-1] != 1:
        raise ValueError(
            f"For 'Padding', 'x' must have at least two axes and the last one length 1, but got "
            f"{x.shape}."
        )
    return xp.pad(x, [(0, 0)] * (x.ndim - 1) + [(0, pad_dim_size - 1)])


@op("ops.Pad(paddings)(input_x)", compute="native")
def pad_with_zeros(
    xp, input_x: Anything, paddings: TupleOf(TupleOf(Int, length=2) | ListOf(Int, length=2))
):
    """Pads each axis with zeros before and after; `paddings` holds one pair of widths per axis.

    Shapes:
        `input_x` may have any shape. Each axis grows by the sum of its pair; the dtype is kept.

    Example:
        >>> print(ms.ops.Pad(((0, 1), (1, 1)))(ms.Tensor([[1, 2]])))
        [[0 1 2 0]
         [0 0 0 0]]
    """
    if len(paddings) != input_x.ndim:
        raise ValueError(
            f"For 'Pad', 'paddings' must have a pair for each axis of shape "
            f"{tuple(input_x.shape)}, but got {paddings}."
        )
    return xp.pad(input_x, paddings)
