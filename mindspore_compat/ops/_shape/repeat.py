"""Broadcasting, tiling and repeating."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Int, InTensor, ListOf, TensorOf, TupleOf, checked, number
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Index
from .axes import axis_of

_Repeats = Int.called("ints")


@op(
    "ops.broadcast_to(input, shape)",
    "ops.BroadcastTo(shape)(input)",
    "mint.broadcast_to(input, shape)",
    "mint.nn.functional.broadcast_to(input, shape)",
    compute="native",
    quirks=Quirks(rules={"ops.broadcast_to": {"shape": InTensor(TupleOf(Int) | ListOf(Int))}}),
)
def broadcast_to(xp, input: Anything, shape: TupleOf(Int) | ListOf(Int)):
    """Broadcasts the input to a shape. A length of -1 in `shape` keeps the length of the input.

    Shapes:
        `input` has a shape that broadcasts to `shape`. The result has this shape and the dtype of
        the input.

    Example:
        >>> print(ms.ops.broadcast_to(ms.Tensor([[1], [2]]), (2, 3)))
        [[1 1 1]
         [2 2 2]]
    """
    lead = len(shape) - input.ndim
    if -1 in shape[: max(lead, 0)]:
        raise ValueError(
            f"For 'broadcast_to', 'shape' must have no -1 for new axes, the first {lead}, but got "
            f"{shape}."
        )
    full = tuple(input.shape[i - lead] if n == -1 else n for i, n in enumerate(shape))
    return input if full == input.shape else xp.broadcast_to(input, full)


@op("ops.tile(input, dims)", "ops.Tile()(input, dims)", "mint.tile(input, dims)", compute="native")
def tile(xp, input: Anything, dims: InTensor(TupleOf(Int(ge=0)))):
    """Tiles the input: repeats it along each axis, the number of times given in `dims`.

    Shapes:
        The length of each axis is multiplied by its entry of `dims`; missing entries or axes count
        as 1. The dtype is kept.

    Example:
        >>> print(ms.ops.tile(ms.Tensor([[1, 2]]), (2, 2)))
        [[1 2 1 2]
         [1 2 1 2]]
    """
    return xp.tile(input, tuple(dims))


@op(compute="native")
def repeated(xp, input: Anything, repeats: Any, axis: Int | None):
    """Repeats every element along an axis, each the same number of times or as often as a list
    says."""
    return xp.repeat(input, repeats, axis)


def _repeat(api, input, repeats, axis):
    if not isinstance(input, Tensor):
        Anything.refuse(api, "input", input)
    if input.ndim > 7:
        raise ValueError(f"For '{api}', the input must have at most 7 axes, but got {input.ndim}.")
    if isinstance(repeats, Tensor):
        repeats = repeats.tolist()
    counts = list(repeats) if isinstance(repeats, (tuple, list)) else [repeats]
    for count in counts:
        if isinstance(count, bool) or not isinstance(count, int):
            _Repeats.refuse(api, "repeats", count)
        if count < 0:
            raise ValueError(f"For '{api}', 'repeats' must not be negative, but got {repeats}.")
    if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
        Int.refuse(api, "axis", axis)
    return repeated.run(input, counts[0] if len(counts) == 1 else counts, axis)


@public("ops.repeat_interleave")
@checked
def repeat_interleave(input: TensorOf(number), repeats: Any, axis: Any = None):
    """Repeats every element along an axis, or of the flattened input if `axis` is None.

    Args:
        input (Tensor): any number dtype.
        repeats (Union[int, tuple[int], list[int], Tensor]): the number of repeats, one for all
            elements or one per element.
        axis (Union[int, None]): the axis. Default: None.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `repeats` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.repeat_interleave(ms.Tensor([1, 2]), 2))
        [1 1 2 2]

    Source: mindspore.ops.repeat_interleave of MindSpore 2.10.
    """
    return _repeat("repeat_interleave", input, repeats, axis)


@public("ops.repeat_elements")
@checked
def repeat_elements(x: TensorOf(number), rep: Int(ge=1), axis: Int = 0):
    """Repeats every element along an axis `rep` times; see `ops.repeat_interleave`.

    Args:
        x (Tensor): any dtype but bool.
        rep (int): the number of repetitions, at least 1.
        axis (int): the axis. Default: 0.

    Returns:
        Tensor of the same dtype, with `axis` `rep` times as long.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.repeat_elements(ms.Tensor([1, 2]), 2))
        [1 1 2 2]
    """
    return _repeat("repeat_elements", x, rep, axis)


@op("ops.expand(input_x, size)", "ops.Expand()(x: input_x, shape: size)", compute="native")
def expand(xp, input_x: Anything, size: Index | TupleOf(Int)):
    """Broadcasts the input to a size. A length of -1 in `size` keeps the length of the input.

    Shapes:
        `input_x` has a shape that broadcasts to `size`. The result has this shape and the dtype of
        the input.

    Example:
        >>> print(ms.ops.expand(ms.Tensor([[1.0], [2.0]]), ms.Tensor([2, 3])))
        [[1. 1. 1.]
         [2. 2. 2.]]
    """
    lengths = size if isinstance(size, tuple) else size.tolist()
    lead = len(lengths) - input_x.ndim
    sizes = [input_x.shape[i - lead] if n == -1 else n for i, n in enumerate(lengths)]
    return xp.broadcast_to(input_x, tuple(sizes))


@public("ops.expand_as")
@checked
def expand_as(input: Anything, other: Anything):
    """Broadcasts the input to the shape of another Tensor.

    Args:
        input (Tensor): what is broadcast.
        other (Tensor): gives the shape.

    Returns:
        Tensor of the shape of `other`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.expand_as(ms.Tensor([1, 2]), ms.Tensor([[0, 0], [0, 0]])))
        [[1 2]
         [1 2]]
    """
    return input.broadcast_to(other.shape)


@public("mint.repeat_interleave")
@checked
def mint_repeat_interleave(
    input: Anything, repeats, dim: Int = None, *, output_size: Int(ge=0) = None
):
    """Repeats every element along an axis, or of the flattened input if `dim` is None.

    Args:
        input (Tensor): any shape.
        repeats (Union[int, tuple, list, Tensor]): the number of repeats, one for all elements or
            one per element.
        dim (int): the axis.
        output_size (int): the expected length of the result along the axis.

    Returns:
        Tensor of the dtype of `input`: of its shape except for the length of axis `dim`, or with
        one axis if `dim` is None.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `repeats` is negative or does not fit the axis, or `output_size` differs from
            the actual length.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.repeat_interleave(ms.Tensor([1, 2]), 2))
        [1 1 2 2]

    Source: mindspore.mint.repeat_interleave of MindSpore 2.10.
    """
    out = repeat_interleave(input, repeats, dim)
    length = out.shape[0 if dim is None else axis_of(dim, out)]
    if output_size not in (None, length):
        raise ValueError(
            f"For 'repeat_interleave', 'output_size' must be {length}, but got {output_size}."
        )
    return out
