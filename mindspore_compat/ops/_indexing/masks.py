"""Selection by a condition: where, select, masked_fill, masked_select, masked_scatter, nonzero."""

from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import build, public
from ..._core.rules.vocabulary import Bool, TensorOf, any_dtype
from ..._core.tensor.tensor import Tensor
from .._rules import Anything


@op("ops.where(condition, input, other)", types=Promote("input other"))
def where(
    xp,
    condition: Anything,
    input: TensorOf(any_dtype, scalars=True),
    other: TensorOf(any_dtype, scalars=True),
):
    """Selects elements by a condition: `input` where it is true and `other` elsewhere.

    Shapes:
        The shapes of `condition`, `input` and `other` are broadcast. The result has the dtype to
        which `input` and `other` are promoted.

    Example:
        >>> print(ms.ops.where(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]), 0.0))
        [1. 0.]
    """
    return xp.where(xp.cast(condition, "bool"), input, other)


@op(
    "ops.select(condition, input, other)",
    "ops.Select()(condition, input, other)",
    types=Promote("input other"),
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def select(
    xp,
    condition: TensorOf("bool"),
    input: TensorOf(any_dtype, scalars=True),
    other: TensorOf(any_dtype, scalars=True),
):
    """Selects elements by a condition: `input` where it is true and `other` elsewhere.

    Shapes:
        The shapes of `condition`, `input` and `other` are broadcast. The result has the dtype of
        `input` and `other`.

    Example:
        >>> print(ms.ops.select(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]),
        ...                     ms.Tensor([3.0, 4.0])))
        [1. 4.]
    """
    return xp.where(condition, input, other)


@op(
    "ops.masked_fill(input_x, mask, value)",
    "ops.MaskedFill()(input_x, mask, value)",
    "Tensor.masked_fill(mask, value)",
    "mint.masked_fill(input: input_x, mask, value)",
    "Tensor.masked_fill_(mask, value)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def masked_fill(
    xp, input_x: Anything, mask: TensorOf("bool"), value: TensorOf(any_dtype, scalars=True)
):
    """Fills the elements where the mask is true with `value`.

    Shapes:
        The shapes of `input_x` and the bool `mask` are broadcast. The result has the broadcast
        shape and the dtype of `input_x`.

    Example:
        >>> print(ms.ops.masked_fill(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([True, False, True]),
        ...                          0.0))
        [0. 2. 0.]
    """
    if value.ndim:
        raise ValueError(f"For 'masked_fill', 'value' must have no axis, but got {value.shape}.")
    return xp.where(mask, xp.cast(value, input_x.dtype), input_x)


@op(
    "ops.masked_select(input, mask)",
    "ops.MaskedSelect()(x: input, mask)",
    "Tensor.masked_select(mask)",
    "mint.masked_select(input, mask)",
    compute="native",
    quirks=Quirks(shapes_first=True),
)
def masked_select(xp, input: Anything, mask: TensorOf("bool")):
    """Selects the elements where the mask is true.

    Shapes:
        The shapes of `input` and the bool `mask` are broadcast. The result has one axis, with one
        element per True in the mask, and the dtype of `input`.

    Example:
        >>> print(ms.ops.masked_select(ms.Tensor([1.0, 2.0, 3.0]), ms.Tensor([True, False, True])))
        [1. 3.]
    """
    if input.shape != mask.shape:
        shape = xp.broadcast_shapes(input.shape, mask.shape)
        input, mask = xp.broadcast_to(input, shape), xp.broadcast_to(mask, shape)
    return xp.getitem(input, mask)


@op(
    "ops.argwhere(input)",
    "Tensor.argwhere()",
    "mint.argwhere(input)",
    "ops.NonZero()(input)",
    compute="native",
)
def argwhere(xp, input: Anything):
    """Finds the indices of the nonzero elements.

    Shapes:
        `input` may have any shape, of D axes. The result is (N, D), of int64: one row per nonzero
        element.

    Example:
        >>> print(ms.ops.argwhere(ms.Tensor([[0, 5], [7, 0]])))
        [[0 1]
         [1 0]]
    """
    return xp.cast(xp.stack(xp.nonzero(input), -1), "int64")


@public("mint.where")
def mint_where(condition, *args, **kwargs):
    """Selects `input` where the condition is true and `other` elsewhere; or, given a condition
    alone, finds the indices of its nonzero elements.

    Args:
        condition (Tensor): the condition; it is broadcast with the other arguments.
        input (Union[Tensor, number]): the values where the condition is true.
        other (Union[Tensor, number]): the values elsewhere.

    Returns:
        Tensor, of the dtype to which `input` and `other` are promoted. For a condition alone:
        tuple[Tensor], int64 positions along each axis, as `mint.nonzero(condition, as_tuple=True)`.

    Raises:
        TypeError: if `condition` is not a Tensor, or only one of `input` and `other` is given.
        ValueError: if the shapes do not broadcast.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.where(ms.Tensor([True, False]), ms.Tensor([1.0, 2.0]), 0.0))
        [1. 0.]
        >>> print(ms.mint.where(ms.Tensor([True, False, True])))
        (Tensor(shape=[2], dtype=Int64, value= [0, 2]),)

    Source: mindspore.mint.where of MindSpore 2.10.
    """
    if not args and not kwargs:
        return nonzero(condition, as_tuple=True)
    return build("ops", "where")(condition, *args, **kwargs)


@public("ops.nonzero", "Tensor.nonzero", "mint.nonzero")
def nonzero(input, *, as_tuple=False):
    """Finds the int64 indices of the nonzero elements.

    Args:
        input (Tensor): any dtype.
        as_tuple (bool): True to return one Tensor of positions per axis. Default: False, one Tensor
            whose rows are positions.

    Returns:
        int64 Tensor of shape (nonzero elements, axes of `input`); with `as_tuple` a tuple of one
        Tensor for each axis.

    Raises:
        TypeError: if `input` is not a Tensor or `as_tuple` is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.nonzero(ms.Tensor([0, 5, 7])))
        [[1]
         [2]]

    Source: mindspore.ops.nonzero of MindSpore 2.10.
    """
    if not isinstance(input, Tensor):
        Anything.refuse("nonzero", "input", input)
    if not isinstance(as_tuple, bool):
        Bool.refuse("nonzero", "as_tuple", as_tuple)
    rows = argwhere.run(input)
    return tuple(rows[:, i] for i in range(rows.shape[1])) if as_tuple else rows


@op(
    "ops.masked_scatter(input, mask, source)",
    "ops.MaskedScatter()(x: input, mask, updates: source)",
    "Tensor.masked_scatter(mask, source)",
    "mint.masked_scatter(input, mask, source)",
    "Tensor.masked_scatter_(mask, source)",
    compute="native",
)
def masked_scatter(xp, input: Anything, mask: TensorOf("bool"), source: Anything):
    """Writes the elements of `source`, in order, where the mask is true, in a copy of the input.

    Shapes:
        The shapes of `input` and the bool `mask` are broadcast; `source` has at least one element
        per True in the mask. The result has the dtype of `input`.

    Example:
        >>> print(ms.ops.masked_scatter(ms.Tensor([1, 2, 3]), ms.Tensor([True, False, True]),
        ...                             ms.Tensor([9, 8])))
        [9 2 8]
    """
    mask = xp.broadcast_to(mask, input.shape)
    flat = xp.ravel(mask)
    order = xp.cumsum(xp.cast(flat, "int64")) - 1
    elements = xp.take(xp.ravel(source), xp.where(flat, order, 0))
    return xp.where(mask, xp.reshape(elements, input.shape), input)
