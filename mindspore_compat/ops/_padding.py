"""Padding, and blocks of space that become channels or batches and back."""

from .._core.op import op
from .._core.rules import Any, Bool, Int, ListOf, OneOf, Str, TensorOf, TupleOf, any_dtype, checked
from .._core.surface import public
from .._core.tensor import Tensor

Anything = TensorOf(any_dtype)
Ints = TupleOf(Int) | ListOf(Int)


# Blocks of space ----------------------------------------------------------------------------------


@op("ops.DepthToSpace(block_size)(x)", widen=False)
def depth_to_space(xp, x: Anything, block_size: Int(ge=2)):
    """Channels become block_size x block_size pixels: (N, C b², H, W) to (N, C, H b, W b)."""
    n, c, h, w = x.shape
    if c % (block_size * block_size):
        raise ValueError(f"For 'DepthToSpace', 'block_size' squared must divide {c} channels, but "
                         f"got {block_size}.")
    parts = xp.reshape(x, (n, block_size, block_size, c // block_size ** 2, h, w))
    return xp.reshape(xp.transpose(parts, (0, 3, 4, 1, 5, 2)),
                      (n, c // block_size ** 2, h * block_size, w * block_size))


@op("ops.SpaceToDepth(block_size)(x)", widen=False)
def space_to_depth(xp, x: Anything, block_size: Int(ge=2)):
    """block_size x block_size pixels become channels: (N, C, H, W) to (N, C b², H/b, W/b)."""
    n, c, h, w = x.shape
    if h % block_size or w % block_size:
        raise ValueError(f"For 'SpaceToDepth', 'block_size' must divide height and width, but got "
                         f"{block_size}, {x.shape}.")
    parts = xp.reshape(x, (n, c, h // block_size, block_size, w // block_size, block_size))
    return xp.reshape(xp.transpose(parts, (0, 3, 5, 1, 2, 4)),
                      (n, c * block_size ** 2, h // block_size, w // block_size))


@op("ops.space_to_batch_nd(input_x, block_size, paddings)",
    "ops.SpaceToBatchND(block_shape: block_size, paddings)(input_x)",
    widen=False)
def space_to_batch_nd(xp, input_x: Anything, block_size: Int | Ints, paddings: Any):
    """Blocks of the last axes become batches, after padding with zeros."""
    block = [block_size] * len(paddings) if isinstance(block_size, int) else list(block_size)
    lead = input_x.ndim - len(block)
    x = xp.pad(input_x, ((0, 0),) * lead + tuple(tuple(p) for p in paddings))
    shape = list(x.shape[:lead])
    for size, b in zip(x.shape[lead:], block):
        shape += [size // b, b]
    x = xp.reshape(x, tuple(shape))
    inner = [lead + 2 * i + 1 for i in range(len(block))]
    outer = [lead + 2 * i for i in range(len(block))]
    x = xp.transpose(x, (*inner, *range(lead), *outer))
    batch = input_x.shape[0]
    for b in block:
        batch *= b
    return xp.reshape(x, (batch, *x.shape[len(block) + 1:]))


@op("ops.batch_to_space_nd(input_x, block_shape, crops)",
    "ops.BatchToSpaceND(block_shape, crops)(input_x)", widen=False)
def batch_to_space_nd(xp, input_x: Anything, block_shape: Int | Ints, crops: Any):
    """Batches become blocks of the last axes, which are then cropped."""
    block = [block_shape] * len(crops) if isinstance(block_shape, int) else list(block_shape)
    count = len(block)
    batch = input_x.shape[0]
    for b in block:
        batch //= b
    lead = input_x.ndim - count
    x = xp.reshape(input_x, (*block, batch, *input_x.shape[1:]))
    order = list(range(count, count + lead))
    for i in range(count):
        order += [count + lead + i, i]
    x = xp.transpose(x, tuple(order))
    sizes = [n * b for n, b in zip(input_x.shape[lead:], block)]
    x = xp.reshape(x, (batch, *input_x.shape[1:lead], *sizes))
    cut = tuple(slice(a, n - b) for (a, b), n in zip(crops, sizes))
    return x[(slice(None),) * lead + cut]


# Padding ------------------------------------------------------------------------------------------


@op(widen=False)
def pad_constant(xp, input: Anything, widths: Any, value: Any):
    """A number around the input; negative widths cut."""
    cut = tuple(slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(widths, input.shape))
    added = tuple((max(a, 0), max(b, 0)) for a, b in widths)
    return xp.pad(input[cut], added, constant_values=value)


@op(widen=False)
def pad_by_index(xp, input: Anything, widths: Any, mode: Str):
    """The input continued by its own values: a gather along each padded axis."""
    for axis, (before, after) in enumerate(widths):
        if before == after == 0:
            continue
        n = input.shape[axis]
        places = xp.arange(-before, n + after)
        if mode == "replicate":
            places = xp.clip(places, 0, n - 1)
        elif mode == "circular":
            places = places % n
        elif mode == "symmetric":
            places = n - 1 - xp.abs(places % (2 * n) - n + (places % (2 * n) < n))
        else:
            places = xp.abs(places)
            places = n - 1 - xp.abs(n - 1 - places)
        input = xp.take(input, places, axis)
    return input


PAD_MODES = ("constant", "reflect", "replicate", "circular")


@public("ops.pad")
def pad(input_x, padding, mode="constant", value=None):
    """The input with values added around it, the last axis first in `padding`.

    Args:
        input_x (Tensor): any dtype.
        padding (Union[tuple[int], list[int], Tensor]): (before, after) of the last axis, of the one
            before, ...
        mode (str): "constant", "reflect", "replicate" or "circular". Default: "constant".
        value (Union[int, float, None]): the constant, 0 by default; for "constant" only.

    Raises:
        TypeError: if an argument has another type.
        ValueError: if `padding` has an odd length or too many entries, `mode` is none of these, or
        `value`
            is given for another mode.

    Source: mindspore.ops.pad of MindSpore 2.10.
    """
    return _padded(input_x, padding, mode, value)


def _padded(input_x, padding, mode, value):
    if not isinstance(input_x, Tensor):
        raise TypeError(f"For 'pad', 'input_x' must be a Tensor, but got {type(input_x).__name__}.")
    if isinstance(padding, Tensor):
        padding = padding.asnumpy().reshape(-1).tolist()
    if not isinstance(padding, (tuple, list)) or not all(isinstance(p, int) for p in padding):
        raise TypeError(f"For 'pad', 'padding' must be a tuple, list or Tensor of ints, but got "
                        f"{padding!r}.")
    if len(padding) % 2 or len(padding) > 2 * input_x.ndim:
        raise ValueError(f"For 'pad', 'padding' must have a pair for at most {input_x.ndim} axes, "
                         f"but got {padding}.")
    if mode not in PAD_MODES:
        raise ValueError(f"For 'pad', 'mode' must be one of {PAD_MODES}, but got {mode!r}.")
    widths = [(padding[i], padding[i + 1]) for i in range(0, len(padding), 2)][::-1]
    widths = [(0, 0)] * (input_x.ndim - len(widths)) + widths
    if mode == "constant":
        return pad_constant.run(input_x, widths, 0 if value is None else value)
    if value is not None:
        raise ValueError(f"For 'pad', 'value' goes with mode 'constant', but got {value} for "
                         f"'{mode}'.")
    return pad_by_index.run(input_x, widths, mode)


@public("mint.nn.functional.pad")
def mint_pad(input, pad, mode="constant", value=None):
    """The input with values added around it; the arguments are those of `ops.pad`."""
    return _padded(input, pad, mode, value)


@public("ops.PadV3")
class PadV3:
    """The class form of `ops.pad`: `ops.PadV3(mode, paddings_contiguous)(x, paddings, value)`."""

    @checked
    def __init__(self, mode: OneOf("constant", "reflect", "edge", "circular") = "constant",
                 paddings_contiguous: Bool = True):
        self.mode, self.paddings_contiguous = mode, paddings_contiguous

    def __call__(self, x, paddings, constant_value=None):
        flat = paddings.asnumpy().reshape(-1).tolist() if isinstance(paddings,
                                                                     Tensor) else list(paddings)
        if not self.paddings_contiguous:
            half = len(flat) // 2
            flat = [n for pair in zip(flat[:half], flat[half:]) for n in pair]
        value = constant_value.item() if isinstance(constant_value, Tensor) else constant_value
        return pad(x, flat, "replicate" if self.mode == "edge" else self.mode, value)


@public("ops.MirrorPad")
class MirrorPad:
    """The input continued by its mirror image: `ops.MirrorPad(mode)(x, paddings)`, one row for each
    axis."""

    @checked
    def __init__(self, mode: OneOf("REFLECT", "SYMMETRIC") = "REFLECT"):
        self.mode = mode

    def __call__(self, input_x, paddings):
        rows = [tuple(row) for row in paddings.asnumpy().tolist()]
        return pad_by_index.run(input_x, rows, self.mode.lower())

