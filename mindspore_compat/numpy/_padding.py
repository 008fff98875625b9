"""mindspore.numpy: `pad` and its modes; public through `array_creations`."""

import numpy

from .._core.declare.public_api import build
from .._core.rules.vocabulary import AsValue, OneOf
from .._core.tensor.tensor import Tensor
from ..ops._shape import join_split
from ..ops._shape.pad import pad_by_index, pad_constant
from ._convert import as_tensor, is_int, refuse_complex


def _pairs(value, rank, name, tensors=True):
    """Returns a padding argument as one pair (before, after) per axis: numbers, or a Tensor of
    values if `value` is one, which has a dtype and may have a gradient.

    Raises:
        TypeError: if it is not an int, tuple, list (or Tensor), or holds anything but numbers.
        ValueError: if it cannot be repeated to one pair per axis.
    """
    kinds = (int, tuple, list, Tensor) if tensors else (int, tuple, list)
    if not isinstance(value, kinds):
        raise TypeError(
            f"For 'pad', '{name}' must be an int, tuple, list{' or Tensor' * tensors}, "
            f"but got {value!r}."
        )
    if isinstance(value, (tuple, list)) and any(isinstance(item, Tensor) for item in value):
        value = join_split.stack.run([as_tensor(item, "pad") for item in value], 0)
    tensor = as_tensor(value, "pad")
    if tensor.shape not in ((), (1,), (2,), (1, 2), (rank, 2)):
        raise ValueError(
            f"For 'pad', '{name}' must be a number, a pair or a pair for each of "
            f"{rank} axes, but got {value!r}."
        )
    if isinstance(value, Tensor) and name.endswith("_values"):
        return tensor.broadcast_to((rank, 2))
    return numpy.broadcast_to(tensor.asnumpy(), (rank, 2)).tolist()


def _widths(value, rank, mode):
    """Returns the numbers of values before and after along each axis, ints of at least 0.

    A negative number counts as 0, except in modes that repeat values, which reject it.

    Raises:
        TypeError: if they are not ints.
        ValueError: if one is negative.
    """
    pairs = _pairs(value, rank, "pad_width", tensors=False)
    if not all(is_int(n) for pair in pairs for n in pair):
        raise TypeError(f"For 'pad', 'pad_width' must hold ints, but got {value!r}.")
    if mode not in _LENIENT and any(n < 0 for pair in pairs for n in pair):
        raise ValueError(
            f"For 'pad', 'pad_width' must not hold negative numbers, but got {value!r}."
        )
    return [tuple(max(n, 0) for n in pair) for pair in pairs]


_LENIENT = ("constant", "empty", "linear_ramp", "reflect")


def pad(
    arr,
    pad_width,
    mode="constant",
    stat_length=None,
    constant_values=0,
    end_values=0,
    reflect_type="even",
    **kwargs,
):
    """Pads a Tensor along each axis.

    Args:
        arr (Union[list, tuple, Tensor]): the values.
        pad_width (Union[int, tuple, list]): the numbers of values before and after along each axis.
        mode (Union[str, Function]): "constant", "edge", "wrap", "empty", "linear_ramp", "maximum",
            "mean", "median", "minimum", "reflect", "symmetric", or a function of the form that
            numpy.pad accepts. Default: "constant".
        stat_length (Union[None, int, tuple]): the number of values at each end that the statistics
            use.
        constant_values, end_values (Union[int, tuple, list, Tensor]): the values of "constant" and
            "linear_ramp". Default: 0. A Tensor of constants may promote the dtype.
        reflect_type (str): "even" or "odd". Default: "even".

    Raises:
        TypeError: if `arr` is not one of these.
        ValueError: if `mode` is unknown, or a width is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.numpy.pad(ms.Tensor([1, 2]), (1, 2)))
        [0 1 2 0 0]

    Source: mindspore.numpy.pad of MindSpore 2.10.
    """
    arr = as_tensor(arr, "pad")
    refuse_complex("pad", arr)
    widths = _widths(pad_width, arr.ndim, mode)
    if callable(mode):
        return _padded_by(arr, widths, mode, kwargs)
    _Mode.refuse("pad", "mode", mode)
    options = {
        "stat_length": stat_length,
        "constant_values": constant_values,
        "end_values": end_values,
        "reflect_type": reflect_type,
    }
    return _PADDING[mode](arr, widths, options)


def _padded_by(arr, widths, function, kwargs):
    host = numpy.pad(arr.asnumpy(), widths, function, **kwargs)
    return Tensor(host)


def _pad_constant(arr, widths, options):
    values = _pairs(options["constant_values"], arr.ndim, "constant_values")
    for axis, (width, value) in enumerate(zip(widths, values)):
        if isinstance(value, Tensor):
            blocks = [
                end.broadcast_to(arr.shape[:axis] + (n,) + arr.shape[axis + 1 :])
                for end, n in zip(value, width)
            ]
            arr = join_split.cat.run([blocks[0], arr, blocks[1]], axis)
            continue
        for side in (0, 1):
            widths_of_axes = [(0, 0)] * arr.ndim
            widths_of_axes[axis] = (width[0], 0) if side == 0 else (0, width[1])
            arr = pad_constant.run(arr, widths_of_axes, value[side])
    return arr


def _pad_by_index(mode):
    def run(arr, widths, options):
        if options["reflect_type"] == "even" or mode not in ("reflect", "symmetric"):
            return pad_by_index.run(arr, widths, mode)
        # odd: point reflection about the value at the edge, axis by axis
        for axis, width in enumerate(widths):
            pad_widths = [width if i == axis else (0, 0) for i in range(arr.ndim)]
            reflection, edges = (
                pad_by_index.run(arr, pad_widths, mode),
                pad_by_index.run(arr, pad_widths, "replicate"),
            )
            front = (slice(None),) * axis
            last = width[0] + arr.shape[axis]
            ends = [
                edges[front + (part,)] * 2 - reflection[front + (part,)]
                for part in (slice(0, width[0]), slice(last, None))
            ]
            arr = join_split.cat.run([ends[0], arr, ends[1]], axis)
        return arr

    return run


def _pad_statistic(name):
    def run(arr, widths, options):
        lengths = options["stat_length"]
        lengths = (
            [(None, None)] * arr.ndim
            if lengths is None
            else _pairs(lengths, arr.ndim, "stat_length")
        )
        for axis, ((before, after), (first, last)) in enumerate(zip(widths, lengths)):
            front = (slice(None),) * axis
            ends = (
                arr[front + (slice(None, first),)],
                arr[front + (slice(-last if last else None, None),)],
            )
            parts = [_statistic(name, end, axis) for end in ends]
            blocks = [
                p.broadcast_to(arr.shape[:axis] + (n,) + arr.shape[axis + 1 :])
                for p, n in zip(parts, (before, after))
            ]
            arr = join_split.cat.run([blocks[0], arr, blocks[1]], axis)
        return arr

    return run


def _statistic(name, part, axis):
    """Returns a statistic along an axis, which is kept with length 1, in the dtype of the part
    (rounded for ints)."""
    if name in ("maximum", "minimum"):
        return build("ops", {"maximum": "amax", "minimum": "amin"}[name])(part, axis, True)
    upcast = part.astype("float32")
    if name == "mean":
        result = build("ops", "mean")(upcast, axis, True)
    else:
        sorted_part = build("ops", "sort")(upcast, axis)[0]
        count = part.shape[axis]
        front = (slice(None),) * axis
        low, high = (count - 1) // 2, count // 2
        middle = [sorted_part[front + (slice(i, i + 1),)] for i in (low, high)]
        result = (middle[0] + middle[1]) / 2
    if name == "median" and part._array.dtype.kind in "iu":
        result = build("ops", "round")(result)
    return result.astype(part.dtype)


def _pad_ramp(arr, widths, options):
    ends = _pairs(options["end_values"], arr.ndim, "end_values")
    for axis, ((before, after), (first, last)) in enumerate(zip(widths, ends)):
        front = (slice(None),) * axis
        left, right = arr[front + (slice(0, 1),)], arr[front + (slice(-1, None),)]
        blocks = [_ramp(left, first, before, axis, False), _ramp(right, last, after, axis, True)]
        arr = join_split.cat.run([blocks[0], arr, blocks[1]], axis)
    return arr


def _ramp(edge, end, count, axis, rising):
    """Returns values on a straight line between an edge and an end value, which is included."""
    steps = [(i + 1) / count if rising else 1 - i / count for i in range(count)]
    weight = as_tensor(steps or [0.0])[:count]
    weight = weight.reshape((1,) * axis + (-1,) + (1,) * (edge.ndim - axis - 1))
    return (edge + (end - edge) * weight).astype(edge.dtype)


_PADDING = {
    "constant": _pad_constant,
    "empty": _pad_constant,
    "edge": _pad_by_index("replicate"),
    "wrap": _pad_by_index("circular"),
    "reflect": _pad_by_index("reflect"),
    "symmetric": _pad_by_index("symmetric"),
    "linear_ramp": _pad_ramp,
    **{name: _pad_statistic(name) for name in ("maximum", "mean", "median", "minimum")},
}
_Mode = AsValue(OneOf(*_PADDING)).called(f"one of {sorted(_PADDING)}")
