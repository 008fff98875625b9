"""Unique values, with their counts and indices."""

import math

from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import Bool, DType, Int, Number, ScalarOf, TensorOf, checked
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from ..primitive import Primitive


@op("ops.unique(input)", "ops.Unique()(x: input)", compute="native")
def unique(xp, input: Anything):
    """Finds the unique values in order of appearance, and the index of each element among them.

    Shapes:
        `input` may have any shape. The values are (K,), of its dtype; the positions have its shape
        and are int32, or int64 for int64.

    Example:
        >>> v, i = ms.ops.unique(ms.Tensor([3, 1, 3, 2]))
        >>> print(v, i)
        [3 1 2] [0 1 0 2]
    """
    values, indices = xp.distinct(xp.ravel(input))
    index_dtype = "int64" if input.dtype == "int64" else "int32"
    return values, xp.cast(xp.reshape(indices, input.shape), index_dtype)


@public("mint.unique")
@checked
def mint_unique(
    input, sorted: Bool = True, return_inverse: Bool = False, return_counts: Bool = False, dim=None
):
    """Finds the unique values in ascending order, with the inverse indices and the counts if
    requested.

    Args:
        input (Tensor): any real dtype.
        sorted (bool): has no effect; the values are always sorted. Default: True.
        return_inverse (bool): whether inverse indices are returned. Default: False.
        return_counts (bool): whether the numbers of occurrences are returned. Default: False.
        dim (int): the axis whose slices are compared; None for all elements, flattened.

    Returns:
        Tensor of the values, or a tuple of it and the requested Tensors in int64: inverse indices,
        in the shape of `input` or of length `input.shape[dim]`, and counts.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.unique(ms.Tensor([3, 1, 3])))
        [1 3]
    """
    xp = space_for(input._array)
    if not (return_inverse or return_counts):
        return Tensor._wrap(xp.unique(input._array, axis=dim))
    values, *others = xp.unique(input._array, False, return_inverse, return_counts, axis=dim)
    if return_inverse:
        shape = input.shape if dim is None else (input.shape[dim],)
        others[0] = others[0].reshape(shape)
    return (Tensor._wrap(values), *[Tensor._wrap(array.astype("int64")) for array in others])


@public("ops.unique_consecutive", "Tensor.unique_consecutive", "mint.unique_consecutive")
@checked
def unique_consecutive(
    input: Anything,
    return_inverse: Bool = False,
    return_counts: Bool = False,
    dim: Int | None = None,
):
    """Removes consecutive duplicates; returns inverse indices and counts if requested.

    Args:
        input (Tensor): any real dtype.
        return_inverse (bool): whether inverse indices are returned. Default: False.
        return_counts (bool): whether the numbers of duplicates are returned. Default: False.
        dim (int): the axis whose slices are compared; None for all elements, flattened.

    Returns:
        Tensor of the values, or a tuple of it and the requested Tensors in int64: inverse indices,
        in the shape of `input` or of length `input.shape[dim]`, and counts.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.unique_consecutive(ms.Tensor([1, 1, 2, 1])))
        [1 2 1]

    Source: mindspore.ops.unique_consecutive of MindSpore 2.10.
    """
    xp = space_for(input._array)
    x = input._array.reshape(-1) if dim is None else xp.moveaxis(input._array, dim, 0)
    rows = x.reshape(x.shape[0], math.prod(x.shape[1:]))
    new = xp.concatenate([xp.ones((min(x.shape[0], 1),), "bool"), (rows[1:] != rows[:-1]).any(1)])
    indices = xp.cumsum(new) - 1
    unique_rows = x[new]
    result = [Tensor._wrap(unique_rows if dim is None else xp.moveaxis(unique_rows, 0, dim))]
    if return_inverse:
        shape = input.shape if dim is None else (x.shape[0],)
        result.append(Tensor._wrap(indices.reshape(shape).astype("int64")))
    if return_counts:
        result.append(Tensor._wrap(xp.occurrences(indices, unique_rows.shape[0])))
    return tuple(result) if len(result) > 1 else result[0]


@public("ops.UniqueConsecutive")
class UniqueConsecutive(Primitive):
    """The class form of `ops.unique_consecutive`. It always has three results: the values, the
    inverse indices and the counts; the latter two are a Tensor without axes where not requested.

    Args:
        return_inverse (bool): whether inverse indices are computed. Default: False.
        return_counts (bool): whether duplicates are counted. Default: False.
        dim (int): the axis whose slices are compared; None for all elements, flattened.

    Inputs:
        - **input** (Tensor): any real dtype.

    Outputs:
        A tuple of three Tensors.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniqueConsecutive()(ms.Tensor([1, 1, 2, 1]))[0])
        [1 2 1]
    """

    @checked
    def __init__(
        self, return_inverse: Bool = False, return_counts: Bool = False, dim: ScalarOf(Int) = None
    ):
        self.return_inverse, self.return_counts, self.dim = return_inverse, return_counts, dim

    def __call__(self, input):
        output, inverse, counts = unique_consecutive(input, True, True, self.dim)
        nothing = Tensor._wrap(space_for(input._array).zeros((), "int64"))
        return (
            output,
            inverse if self.return_inverse else nothing,
            counts if self.return_counts else nothing,
        )


@public("ops.UniqueWithPad")
class UniqueWithPad(Primitive):
    """The class form of `ops.unique_with_pad`: `ops.UniqueWithPad()(x, pad_num)`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniqueWithPad()(ms.Tensor([3, 1, 3]), 0)[0])
        [3 1 0]
    """

    def __init__(self):
        super().__init__("UniqueWithPad")

    def __call__(self, x, pad_num):
        pad = pad_num.item() if isinstance(pad_num, Tensor) else pad_num
        return unique_with_pad(x, pad)


@public("ops.ListDiff")
class ListDiff(Primitive):
    """Finds the elements of x that y lacks; returns (these elements, their indices):
    `ops.ListDiff(out_idx)(x, y)`.

    Args:
        out_idx (mindspore.dtype): int32 or int64, the dtype of the indices.

    Raises:
        TypeError: if the dtypes differ or an argument has the wrong type.
        ValueError: if an input does not have one axis.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.ops.ListDiff()(ms.Tensor([1, 2, 3]), ms.Tensor([2])))
        [1 3] [0 2]

    Source: mindspore.ops.ListDiff of MindSpore 2.10.
    """

    @checked
    def __init__(self, out_idx: DType("int32", "int64") = dtypes.int32):
        super().__init__("ListDiff")
        self.out_idx = out_idx

    @checked
    def __call__(self, x: Anything, y: Anything):
        if x.dtype != y.dtype:
            raise TypeError(f"For 'ListDiff', the dtypes must agree: {x.dtype}, {y.dtype}.")
        if x.ndim != 1 or y.ndim != 1:
            raise ValueError(
                f"For 'ListDiff', the inputs must have one axis, but got {x.shape} and {y.shape}."
            )
        xp = space_for(x._array)
        unique_rows = xp.nonzero(~xp.isin(x._array, y._array))[0]
        indices = unique_rows.astype(dtypes.to_numpy(self.out_idx))
        return Tensor._wrap(x._array[unique_rows]), Tensor._wrap(indices)


@public("ops.unique_with_pad", "Tensor.unique_with_pad")
@in_each_slice
@checked
def unique_with_pad(
    x: TensorOf("int32", "int64", "float32"), pad_num: FirstOf(Number) | ScalarOf(Number)
):
    """Finds the unique values, padded to the input's length, and the index of each element among
    them.

    If `pad_num` holds several numbers, the first is used. It is an int for an integer dtype and a
    float for a floating one.

    Args:
        x (Tensor): a vector of numbers.
        pad_num (Union[Number, Sequence, Tensor]): the number that fills the end.

    Returns:
        A tuple of two Tensors of the shape of `x`: the values, and the indices.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.unique_with_pad(ms.Tensor([3, 1, 3]), 0)[0])
        [3 1 0]
    """
    if x.ndim != 1:
        raise ValueError(f"For 'unique_with_pad', 'x' must have one axis, but got {x.shape}.")
    if isinstance(pad_num, float) != (x.dtype == dtypes.float32):
        raise TypeError(
            f"For 'unique_with_pad', 'pad_num' must be an int where 'x' is of ints, a float where "
            f"it is of floats, but got {pad_num!r} and an 'x' of {x.dtype}."
        )
    values, indices = unique.run(x)
    xp = space_for(values._array)
    padded = xp.full(x.shape, pad_num, values._array.dtype)
    padded[: values.shape[0]] = values._array
    return Tensor._wrap(padded), indices
