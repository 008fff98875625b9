"""Arithmetic on indices: coordinates of flat indices, inverse permutations, offsets, groups."""

import numpy

from ..._backend.arrays import extremes
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import Int, ListOf, TensorOf, TupleOf, checked
from ..._core.tensor.tensor import Tensor
from .._rules import Index, Integers
from ..primitive import Primitive


@op("ops.UnravelIndex()(indices, dims)", types=SameDtype("indices dims"), compute="native")
def unravel_index(xp, indices: Index, dims: Index):
    """Converts flat indices in row-major order to coordinates in an array of shape `dims`.

    Shapes:
        `indices` is (N,) or a scalar and `dims` is (D,), both int32 or int64. The result is (D, N),
        or (D,) for a scalar, of the same dtype.

    Example:
        >>> print(ms.ops.UnravelIndex()(ms.Tensor([1, 5], ms.int32), ms.Tensor([2, 3], ms.int32)))
        [[0 1]
         [1 2]]
    """
    if dims.ndim != 1 or indices.ndim > 1:
        raise ValueError(
            f"For 'UnravelIndex', 'dims' must have one axis and 'indices' at most one, but got "
            f"{dims.shape} and {indices.shape}."
        )
    sizes = dims.tolist()
    total = int(numpy.prod(sizes))
    low, high = extremes(indices) if indices.size else (0, -1)
    if any(n <= 0 for n in sizes) or low < 0 or high >= total:
        raise ValueError(
            f"For 'UnravelIndex', 'dims' must be above 0 and 'indices' in [0, {total})."
        )
    rows = []
    for size in reversed(sizes):
        rows.append(indices % size)
        indices = indices // size
    return xp.stack(rows[::-1], 0)


@public("ops.InvertPermutation")
class InvertPermutation(Primitive):
    """Returns the inverse of a permutation, a tuple of ints: `ops.InvertPermutation()((2, 0, 1))`.

    Raises:
        TypeError: if the input is not a tuple or list of ints.
        ValueError: if it is not a permutation.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.InvertPermutation()((2, 0, 1)))
        (1, 2, 0)

    Source: mindspore.ops.InvertPermutation of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("InvertPermutation")

    @checked
    def __call__(self, input_x: TupleOf(Int) | ListOf(Int)):
        if sorted(input_x) != list(range(len(input_x))):
            raise ValueError(
                f"For 'InvertPermutation', 'input_x' must be a permutation, but got {input_x}."
            )
        result = [0] * len(input_x)
        for index, place in enumerate(input_x):
            result[place] = index
        return tuple(result)


@op("ops.MapUniform()(input, per_group_size, group_num)", compute="native")
def map_uniform(
    xp, input: TensorOf("int16", "int32", "int64"), per_group_size: Int, group_num: Int
):
    """Distributes numbers over `group_num` groups: number x goes to group x % group_num, and there
    to a position in the range of `per_group_size` numbers.

    A RuntimeError is raised if a size is not positive.

    Shapes:
        `input` may have any shape of an integer dtype; the result has the same shape and dtype.

    Example:
        >>> print(ms.ops.MapUniform()(ms.Tensor([0, 1, 2, 3]), 4, 2))
        [0 4 1 5]
    """
    for name, size in (("per_group_size", per_group_size), ("group_num", group_num)):
        if size < 1:
            raise RuntimeError(f"For 'MapUniform', '{name}' must be an int >= 1, but got {size}.")
    return input % group_num * per_group_size + input // group_num


_Wide = TensorOf("int32", "int64")


@public("ops.SubAndFilter")
class SubAndFilter(Primitive):
    """Subtracts `offset` from `input_x`, and keeps the differences in [0, max_num).

    Returns a tuple: the remaining differences, and their indices in `input_x`. If `max_num` or
    `offset` is a tuple or list, its first number is used.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.SubAndFilter()(ms.Tensor([1, 5, 9]), 10, 4)[0])
        [1 5]

    Source: mindspore.ops.SubAndFilter of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("SubAndFilter")

    @checked
    def __call__(
        self, input_x: _Wide, max_num: FirstOf(Int) | Integers, offset: FirstOf(Int) | Integers
    ):
        xp = space_for(input_x._array)
        shifted = input_x._array - int(offset)
        in_range = xp.nonzero((shifted >= 0) & (shifted < int(max_num)))[0]
        return Tensor._wrap(shifted[in_range]), Tensor._wrap(in_range.astype(shifted.dtype))
