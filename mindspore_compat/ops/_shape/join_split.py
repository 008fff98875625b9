"""Concatenating, stacking, splitting and unstacking Tensors.

The stacks that NumPy names by direction (`hstack`, `vstack`) are in stacks.py.
"""

import itertools

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.value_rules import Alone
from ..._core.rules.vocabulary import Any, InstanceOf, Int, ListOf, ScalarOf, TupleOf, checked
from ..._core.tensor.precision import state as precision
from ..._core.tensor.promotion import one_np, promote_np
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Several
from ..primitive import Primitive
from .axes import axis_of

_Sizes = (Int | InstanceOf(tuple, list)).called("an int, tuple or list")
_Sections = (Int | InstanceOf(tuple, list)).called("an int, tuple or list of ints")

Joined = TupleOf(Anything, min_length=1) | ListOf(Anything, min_length=1)

Scalar, Count = ScalarOf(Int, TypeError), ScalarOf(Int(ge=1), TypeError)


@op(
    "ops.cat(tensors, axis=0)",
    "ops.concat(tensors, axis=0)",
    "ops.Concat(axis=0)(tensors)",
    "mint.cat(tensors, dim: axis=0)",
    "mint.concat(tensors, dim: axis=0)",
    compute="native",
)
def cat(xp, tensors: Several, axis: Scalar = 0):
    """Concatenates Tensors along an existing axis.

    Shapes:
        The Tensors have equal lengths along all axes except `axis`, whose lengths add up. The
        result has the dtype to which they are promoted.

    Example:
        >>> print(ms.ops.cat((ms.Tensor([[1, 2]]), ms.Tensor([[3, 4], [5, 6]])), axis=0))
        [[1 2]
         [3 4]
         [5 6]]
    """
    return xp.concatenate(_joined_dtype(xp, tensors), axis)


cat.vjp_of("concatenate")


@op("mint.stack(tensors, dim: axis=0)", compute="native")
def stack(xp, tensors: Several, axis: Int = 0):
    """Stacks Tensors of one shape along a new axis.

    Shapes:
        Each Tensor is of shape s. The result has a new axis at `axis`, whose length is the number
        of Tensors, and the dtype to which they are promoted.

    Example:
        >>> print(ms.mint.stack((ms.Tensor([1, 2]), ms.Tensor([3, 4])), 1))
        [[1 3]
         [2 4]]
    """
    return xp.stack(_joined_dtype(xp, tensors), axis)


stack.vjp_of("stack")


@op(
    "ops.stack(tensors, axis=0)",
    "ops.Stack(axis=0)(input_x: tensors)",
    "ops.Pack(axis=0)(input_x: tensors)",
    compute="native",
    quirks=Quirks(rules=dict.fromkeys(("ops.stack", "ops.Stack"), {"tensors": Several | Alone})),
)
def stack_one_dtype(xp, tensors: Several, axis: Int = 0):
    """Stacks Tensors of one shape and dtype along a new axis.

    Shapes:
        The result has a new axis at `axis`, whose length is the number of Tensors, and their dtype.

    Example:
        >>> print(ms.ops.stack((ms.Tensor([1, 2]), ms.Tensor([3, 4])), 1))
        [[1 3]
         [2 4]]
    """
    return xp.stack(of_one_dtype(xp, tensors), axis)


stack_one_dtype.vjp_of("stack")


@op(
    "ops.unstack(input_x, axis=0)",
    "ops.Unstack(axis=0, num=None)(input_x)",
    "ops.unbind(input: input_x, dim: axis=0)",
    "Tensor.unbind(dim: axis=0)",
    "mint.unbind(input: input_x, dim: axis=0)",
    "ops.Unpack(axis=0)(input_x)",
    compute="native",
    quirks=Quirks(rules={"mint.unbind": {"axis": Scalar}}),
)
def unstack(xp, input_x: Anything, axis: Int = 0, num: Int | None = None):
    """Unstacks a Tensor into its slices along an axis.

    Shapes:
        `input_x` has at least one axis. The result is a tuple with one Tensor for each position
        along `axis`, without that axis and of the same dtype.

    Example:
        >>> print(ms.ops.unstack(ms.Tensor([[1, 2], [3, 4]]))[1])
        [3 4]
    """
    front = xp.moveaxis(input_x, axis, 0)
    return tuple(front[i] for i in range(front.shape[0]))


@op(compute="native")
def split_at(xp, input: Anything, edges: Any, axis: Int):
    """Returns the parts of the input between the edges."""
    return tuple(xp.split(input, list(edges), axis))


def _edges(api, length, sizes):
    """Returns the split positions for parts of `sizes`: one size for all (the last part may be
    shorter), or a list of sizes.
    """
    if isinstance(sizes, int):
        if sizes < 1:
            raise ValueError(f"For '{api}', 'split_size' must be at least 1, but got {sizes}.")
        return list(range(sizes, length, sizes))
    if sum(sizes) != length or min(sizes, default=0) < 0:
        raise ValueError(f"For '{api}', the sizes {sizes} must add up to the length {length}.")
    edges, total = [], 0
    for size in sizes[:-1]:
        total += size
        edges.append(total)
    return edges


@public("ops.split")
def split(tensor, split_size_or_sections, axis=0):
    """Splits a Tensor along an axis into a tuple of parts.

    Args:
        tensor (Tensor): any dtype.
        split_size_or_sections (Union[int, tuple[int], list[int]]): the length of every part (the
            last may be shorter), or a list of lengths.
        axis (int): the axis to split. Default: 0.

    Returns:
        A tuple of Tensors that differ from `tensor` in the length of `axis` alone.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `axis` does not exist, a length is below 1, or the lengths do not add up.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.ops.split(ms.ops.arange(5), 2)])
        [(2,), (2,), (1,)]

    Source: mindspore.ops.split of MindSpore 2.10.
    """
    return _split("split", tensor, split_size_or_sections, axis)


def _split(api, tensor, sizes, axis):
    if not isinstance(tensor, Tensor):
        Anything.refuse(api, "tensor", tensor)
    if isinstance(axis, bool) or not isinstance(axis, int):
        Int.refuse(api, "axis", axis)
    if not -tensor.ndim <= axis < tensor.ndim:
        raise ValueError(
            f"For '{api}', 'axis' must be in [{-tensor.ndim}, {tensor.ndim}), but got {axis}."
        )
    if isinstance(sizes, bool) or not isinstance(sizes, (int, tuple, list)):
        _Sizes.refuse(api, "split_size_or_sections", sizes)
    return split_at.run(tensor, _edges(api, tensor.shape[axis], sizes), axis)


@public("mint.split")
def mint_split(tensor, split_size_or_sections, dim=0):
    """Splits a Tensor along `dim` into a tuple of parts.

    Args:
        tensor (Tensor): any dtype.
        split_size_or_sections (Union[int, tuple[int], list[int]]): the length of every part (the
            last may be shorter), or a list of lengths.
        dim (int): the axis to split. Default: 0.

    Returns:
        A tuple of Tensors that differ from `tensor` in the length of `dim` alone.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `dim` does not exist, the length of the parts is below 1, or the lengths do
            not add up.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.mint.split(ms.ops.arange(5), 2)])
        [(2,), (2,), (1,)]
    """
    return _split("split", tensor, split_size_or_sections, plain_numbers(dim))


@op("ops.Split(axis=0, output_num=1)(input_x)", compute="native")
def split_evenly(
    xp, input_x: Anything, axis: ScalarOf(Int) = 0, output_num: ScalarOf(Int(ge=1)) = 1
):
    """Splits the input into `output_num` equal parts along an axis.

    Shapes:
        The length along `axis` is a multiple of `output_num`. The result is a tuple of Tensors of
        the same dtype.

    Example:
        >>> print(ms.ops.Split(0, 2)(ms.Tensor([1, 2, 3, 4]))[1])
        [3 4]
    """
    if input_x.shape[axis] % output_num:
        raise ValueError(
            f"For 'Split', 'output_num' must divide the length {input_x.shape[axis]}, but got "
            f"{output_num}."
        )
    return tuple(xp.split(input_x, output_num, axis))


@op(
    "ops.chunk(input, chunks, axis=0)",
    "mint.chunk(input, chunks, dim: axis=0)",
    compute="native",
    quirks=Quirks(rules={"mint.chunk": {"chunks": Count, "axis": Scalar}}),
)
def chunk(xp, input: Anything, chunks: Int(ge=1), axis: Int = 0):
    """Splits the input into at most `chunks` parts of equal length along an axis; the last part may
    be shorter.

    Shapes:
        `input` has at least one axis. The result is a tuple of Tensors of the same dtype.

    Example:
        >>> print([part.shape for part in ms.ops.chunk(ms.Tensor([1, 2, 3, 4, 5]), 2)])
        [(3,), (2,)]
    """
    length = input.shape[axis_of(axis, input)]
    step = -(-length // chunks)
    starts = list(range(step, length, step)) if length else [0] * (chunks - 1)
    return tuple(xp.split(input, starts, axis))


@op(compute="native")
def parts_at(xp, input: Anything, edges: Any, axis: Int):
    """Returns the parts of the input between edges."""
    return tuple(xp.split(input, list(edges), axis))


@public("ops.tensor_split", "Tensor.tensor_split")
@checked
def tensor_split(input: Anything, indices_or_sections: Any, axis: Int = 0):
    """Splits a Tensor along an axis into a number of nearly equal parts, or at the given indices.

    Args:
        input (Tensor): the input.
        indices_or_sections (Union[int, tuple[int], list[int]]): the number of parts, or where each
            part but the first starts.
        axis (int): the axis. Default: 0.

    Returns:
        A tuple of Tensors.

    Raises:
        TypeError: if `indices_or_sections` does not hold ints.
        ValueError: if `axis` does not exist, or the number of parts is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> print([part.shape for part in ms.ops.tensor_split(ms.ops.arange(5), 2)])
        [(3,), (2,)]
    """
    return _parts("tensor_split", input, indices_or_sections, axis)


@public("mint.tensor_split")
@checked
def mint_tensor_split(input: Anything, indices_or_sections: Any, dim: Int = 0):
    """Splits a Tensor along `dim` into nearly equal parts or at the given indices; see
    `ops.tensor_split`.

    Args:
        input (Tensor): at least one axis.
        indices_or_sections (Union[int, tuple(int), list(int)]): the number of parts, of which the
            first ones are longer by 1 if needed; or the first index of each part but the first.
        dim (int): the axis. Default: 0.

    Returns:
        tuple[Tensor], the parts.

    Example:
        >>> print(ms.mint.tensor_split(ms.Tensor([1, 2, 3]), 2))
        (Tensor(shape=[2], dtype=Int64, value= [1, 2]), Tensor(shape=[1], dtype=Int64, value= [3]))
    """
    return _parts("tensor_split", input, indices_or_sections, dim)


def _parts(api, input, indices_or_sections, axis):
    if not isinstance(input, Tensor):
        Anything.refuse(api, "input", input)
    if isinstance(indices_or_sections, bool) or not isinstance(
        indices_or_sections, (int, tuple, list)
    ):
        _Sections.refuse(api, "indices_or_sections", indices_or_sections)
    if isinstance(indices_or_sections, (tuple, list)):
        for index in indices_or_sections:
            if isinstance(index, bool) or not isinstance(index, int):
                Int.refuse_part(api, "each of 'indices_or_sections'", index)
    if isinstance(indices_or_sections, int):
        if indices_or_sections < 1:
            raise ValueError(
                f"For '{api}', 'indices_or_sections' must be positive, but got "
                f"{indices_or_sections}."
            )
        whole, rest = divmod(input.shape[axis], indices_or_sections)
        sizes = [whole + 1] * rest + [whole] * (indices_or_sections - rest)
        indices_or_sections = list(itertools.accumulate(sizes))[:-1]
    return parts_at.run(input, indices_or_sections, axis)


def _split_by_name(path, method, axis, least):
    name = path.removeprefix("ops.")
    axes = "one axis" if least == 1 else f"{least} axes"

    def make(input, indices_or_sections):
        if isinstance(input, Tensor) and input.ndim < least:
            raise ValueError(
                f"For '{name}', 'input' must have at least {axes}, but got {input.ndim}."
            )
        return _parts(name, input, indices_or_sections, axis)

    make.__name__ = name
    make.__doc__ = f"""Splits a Tensor along axis {axis}, as `ops.tensor_split`.

    Args:
        input (Tensor): at least {axes}.
        indices_or_sections (Union[int, tuple[int], list[int]]): the number of parts, or where each
            part but the first starts.

    Returns:
        A tuple of Tensors.

    Raises:
        TypeError: if `indices_or_sections` does not hold ints.
        ValueError: if `input` has fewer axes, or the number of parts is not positive.

    Example:
        >>> import mindspore_compat as ms
        >>> parts = ms.ops.{name}(ms.ops.ones((2, 2, 2)), 2)
        >>> print(len(parts))
        2
    """
    return public(path, method)(make)


_split_by_name("ops.hsplit", "Tensor.hsplit", 1, 2)
_split_by_name("ops.vsplit", "Tensor.vsplit", 0, 1)
_split_by_name("ops.dsplit", "Tensor.dsplit", 2, 3)


@public("ops.SplitV")
class SplitV(Primitive):
    """Splits a Tensor into parts of given lengths along an axis; a length of -1 takes the rest.

    Args:
        size_splits (Union[tuple[int], list[int]]): the lengths.
        split_dim (int): the axis.
        num_split (int): the number of parts.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if the lengths do not fit, when called.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.SplitV([1, 2], 0, 2)(ms.Tensor([1, 2, 3]))[1])
        [2 3]

    Source: mindspore.ops.SplitV of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, size_splits: TupleOf(Int) | ListOf(Int), split_dim: Int, num_split: Int(ge=1)
    ):
        super().__init__("SplitV")
        self.size_splits, self.split_dim = list(size_splits), split_dim
        self.num_split = num_split

    @checked
    def __call__(self, input_x: Anything):
        if len(self.size_splits) != self.num_split:
            raise ValueError(
                f"For 'SplitV', 'size_splits' must hold 'num_split' lengths, but got "
                f"{self.size_splits} and {self.num_split}."
            )
        rank = input_x.ndim
        if not -rank <= self.split_dim < rank:
            raise ValueError(
                f"For 'SplitV', 'split_dim' must be in [{-rank}, {rank}), but got {self.split_dim}."
            )
        sizes, length = list(self.size_splits), input_x.shape[self.split_dim]
        if sizes.count(-1) == 1:
            sizes[sizes.index(-1)] = length - sum(sizes) - 1
        if sum(sizes) != length or min(sizes) < 0:
            raise ValueError(
                f"For 'SplitV', 'size_splits' must add up to {length}, but got {self.size_splits}."
            )
        edges = list(itertools.accumulate(sizes))[:-1]
        return split_at.run(input_x, edges, self.split_dim)


@public("ops.ParallelConcat")
class ParallelConcat(Primitive):
    """Concatenates Tensors along the first axis, along which each has length 1.

    Raises:
        TypeError: if the input is not a tuple or list of Tensors.
        ValueError: if the first axis of a Tensor has another length or the shapes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ParallelConcat()((ms.Tensor([[1.0]]), ms.Tensor([[2.0]]))))
        [[1.]
         [2.]]

    Source: mindspore.ops.ParallelConcat of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("ParallelConcat")

    @checked
    def __call__(self, values: TupleOf(Anything, min_length=1) | ListOf(Anything, min_length=1)):
        shapes = {value.shape for value in values}
        if len(shapes) > 1 or any(shape[:1] != (1,) for shape in shapes):
            raise ValueError(
                f"For 'ParallelConcat', 'values' must have one shape that begins with 1, but got "
                f"{sorted(shapes)}."
            )
        return cat.run(list(values), 0)


def _joined_dtype(xp, tensors):
    """Casts Tensors to their common dtype, or to the float dtype to which the Cell casts."""
    target = tensors[0].dtype
    for tensor in tensors[1:]:
        target = promote_np(target, tensor.dtype)
    if precision.dtype is not None and any(tensor.dtype != target for tensor in tensors):
        target = precision.dtype if target.kind in "fV" else target
    return [xp.cast(tensor, target) for tensor in tensors]


def of_one_dtype(xp, tensors):
    """Returns Tensors that must have one dtype, unchanged; if a Cell casts floats, they are cast.

    Raises:
        TypeError: if they have several dtypes.
    """
    if precision.dtype is not None:
        return _joined_dtype(xp, tensors)
    for tensor in tensors[1:]:
        one_np(tensors[0].dtype, tensor.dtype)
    return tensors
