"""Histograms, bins, counts and edits, mostly of whole numbers."""

import numpy

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import FirstOf
from ..._core.rules.vocabulary import (
    Alike,
    Bool,
    DType,
    Float,
    Int,
    ListOf,
    Number,
    OneOf,
    ScalarOf,
    TensorOf,
    TupleOf,
    checked,
    number,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.by_slices import in_each_slice
from .._rules import Anything, Index, Integers, Reals
from ..primitive import Primitive
from .statistics import need_rows, places_in
from .unique import unique

# Places among ordered values ----------------------------------------------------------------------


def _bound(xp, api, edges, values, out_type, right):
    if edges.dtype != values.dtype:
        raise TypeError(f"For '{api}', the dtypes must agree: {edges.dtype}, {values.dtype}.")
    if edges.ndim != 2 or values.ndim != 2 or edges.shape[0] != values.shape[0]:
        raise ValueError(
            f"For '{api}', 'sorted_x' and 'values' must have two axes and as many rows, but got "
            f"{edges.shape} and {values.shape}."
        )
    return xp.cast(places_in.body(xp, edges, values, right), out_type)


@op("ops.LowerBound(out_type=int32)(sorted_x, values)", compute="native")
def lower_bound(
    xp, sorted_x: Reals, values: Reals, out_type: DType("int32", "int64") = dtypes.int32
):
    """Finds where each value would be inserted in its sorted row, before equal elements.

    Shapes:
        `sorted_x` is (N, M) with each row in rising order, `values` is (N, K), of one real dtype.
        The result is (N, K), of `out_type`.

    Example:
        >>> print(ms.ops.LowerBound()(ms.Tensor([[1, 3, 3, 5]]), ms.Tensor([[3, 4]])))
        [[1 3]]
    """
    return _bound(xp, "LowerBound", sorted_x, values, out_type, False)


@op("ops.UpperBound(out_type=int32)(sorted_x, values)", compute="native")
def upper_bound(
    xp, sorted_x: Reals, values: Reals, out_type: DType("int32", "int64") = dtypes.int32
):
    """Finds where each value would be inserted in its sorted row, behind equal elements.

    Shapes:
        `sorted_x` is (N, M) with each row in rising order, `values` is (N, K), of one real dtype.
        The result is (N, K), of `out_type`.

    Example:
        >>> print(ms.ops.UpperBound()(ms.Tensor([[1, 3, 3, 5]]), ms.Tensor([[3, 4]])))
        [[3 3]]
    """
    return _bound(xp, "UpperBound", sorted_x, values, out_type, True)


@op(
    "ops.SearchSorted(dtype=int64, right=False)(sorted_sequence, values, sorter=None)",
    compute="native",
)
def search_sorted(
    xp,
    sorted_sequence: Reals,
    values: Reals,
    sorter: TensorOf("int64") | None = None,
    dtype: DType("int32", "int64") = dtypes.int64,
    right: Bool = False,
):
    """Finds where each value would be inserted in a sorted sequence: before equal elements, or
    behind them with `right`.

    `sorter`, where given, holds the positions that bring the sequence into rising order.

    Shapes:
        `sorted_sequence` is (..., M), or (M,) for all values; `values` is (..., K). The result has
        the shape of `values` and is of `dtype`.

    Example:
        >>> print(ms.ops.SearchSorted()(ms.Tensor([1.0, 3.0, 5.0]), ms.Tensor([3.0, 4.0])))
        [1 2]
    """
    need_rows("SearchSorted", sorted_sequence, values)
    if sorter is not None:
        sorted_sequence = xp.take_along_axis(sorted_sequence, sorter, -1)
    return xp.cast(places_in.body(xp, sorted_sequence, values, right), dtype)


@op("ops.Bucketize(boundaries)(input)", compute="native")
def bucketize_of(
    xp,
    input: TensorOf("int16", "int32", "int64", "float16", "float32", "float64"),
    boundaries: ListOf(Float),
):
    """Finds the number of the bucket into which each element falls; an edge belongs to the bucket
    above it.

    Shapes:
        `input` may have any shape. The result has the same shape and is int32.

    Example:
        >>> print(ms.ops.Bucketize([1.0, 3.0])(ms.Tensor([0.5, 1.0, 4.0])))
        [0 1 2]
    """
    edges = xp.asarray(boundaries, "float64")
    return xp.cast(xp.searchsorted(edges, xp.cast(input, "float64"), "right"), "int32")


@op("ops.NthElement(reverse=False)(input, n)", compute="native")
def nth_element(xp, input: Reals, n: Int(ge=0) | TensorOf("int32"), reverse: Bool = False):
    """Finds the n-th smallest element of each row, counted from 0, or the n-th largest with
    `reverse`.

    Shapes:
        `input` is (..., M) of a real dtype and `n` one integer. The result is (...), of the same
        dtype.

    Example:
        >>> print(ms.ops.NthElement()(ms.Tensor([[3.0, 1.0, 2.0]]), 1))
        [2.]
    """
    n = int(n)
    if not 0 <= n < input.shape[-1]:
        raise ValueError(f"For 'NthElement', 'n' must be in [0, {input.shape[-1]}), but got {n}.")
    rank = input.shape[-1] - 1 - n if reverse else n
    return xp.squeeze(xp.take_along_axis(input, xp.place_of_rank(input, -1, rank=rank), -1), -1)


@op("ops.UnravelIndex()(indices, dims)", compute="native")
def unravel_index(xp, indices: Index, dims: Index):
    """Converts positions counted in row order to coordinates in an array of shape `dims`.

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
    sizes = [int(n) for n in dims]
    total = int(numpy.prod(sizes))
    if any(n <= 0 for n in sizes) or bool(xp.any(indices < 0)) or bool(xp.any(indices >= total)):
        raise ValueError(
            f"For 'UnravelIndex', 'dims' must be above 0 and 'indices' in [0, {total})."
        )
    rows = []
    for size in reversed(sizes):
        rows.append(indices % size)
        indices = indices // size
    return xp.stack(rows[::-1], 0)


# Sets and orders ----------------------------------------------------------------------------------


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
    """(the elements of x that y lacks, their places): `ops.ListDiff(out_idx)(x, y)`.

    Args:
        out_idx (mindspore.dtype): int32 or int64, the dtype of the places.

    Raises:
        TypeError: if the dtypes differ or an argument is of another type.
        ValueError: if an input has not one axis.

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
        kept = xp.nonzero(~xp.isin(x._array, y._array))[0]
        places = kept.astype(dtypes.to_numpy(self.out_idx))
        return Tensor._wrap(x._array[kept]), Tensor._wrap(places)


@public("ops.InvertPermutation")
class InvertPermutation(Primitive):
    """The permutation that undoes a tuple of ints: `ops.InvertPermutation()((2, 0, 1))`.

    Raises:
        TypeError: if the input is no tuple or list of ints.
        ValueError: if it is no permutation.

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
        made = [0] * len(input_x)
        for place, each in enumerate(input_x):
            made[each] = place
        return tuple(made)


@op("ops.MapUniform()(input, per_group_size, group_num)", compute="native")
def map_uniform(
    xp, input: TensorOf("int16", "int32", "int64"), per_group_size: Int, group_num: Int
):
    """Deals numbers to groups: number x goes to group x % group_num, and to a position in the
    stretch of that group.

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


@public("ops.SubAndFilter")
class SubAndFilter(Primitive):
    """(x - offset where that is in [0, max_num), the places of those elements).

    Of a tuple or list in the place of `max_num` or `offset`, the first number counts.

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
        self, input_x: Integers, max_num: FirstOf(Int) | Integers, offset: FirstOf(Int) | Integers
    ):
        xp = space_for(input_x._array)
        moved = input_x._array - int(offset)
        kept = xp.nonzero((moved >= 0) & (moved < int(max_num)))[0]
        return Tensor._wrap(moved[kept]), Tensor._wrap(kept.astype(moved.dtype))


# Counting -----------------------------------------------------------------------------------------


@public("ops.unique_with_pad", "Tensor.unique_with_pad")
@in_each_slice
@checked
def unique_with_pad(
    x: TensorOf("int32", "int64", "float32"), pad_num: FirstOf(Number) | ScalarOf(Number)
):
    """(each value once, padded to the input's length, the positions of the elements).

    Of several numbers to pad with the first one counts.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.unique_with_pad(ms.Tensor([3, 1, 3]), 0)[0])
        [3 1 0]
    """
    if x.ndim != 1:
        raise ValueError(f"For 'unique_with_pad', 'x' must have one axis, but got {x.shape}.")
    values, places = unique.run(x)
    xp = space_for(values._array)
    padded = xp.full(x.shape, pad_num, values._array.dtype)
    padded[: values.shape[0]] = values._array
    return Tensor._wrap(padded), places


@op("ops.Bincount()(array, size, weights)", compute="native")
def bincount_of(
    xp,
    array: TensorOf("int32"),
    size: Int(ge=0) | TensorOf("int32"),
    weights: TensorOf("int32", "int64", "float32", "float64"),
):
    """Adds up the weights of each number below `size`; larger numbers are left out. Without weights
    each counts 1.

    Shapes:
        `array` is int32 of any shape, `weights` has its shape or is empty. The result is (size,),
        of the dtype of `weights`.

    Example:
        >>> print(ms.ops.Bincount()(ms.Tensor([0, 1, 1], ms.int32), ms.Tensor(3, ms.int32),
        ...                         ms.Tensor([1.0, 2.0, 3.0])))
        [1. 5. 0.]
    """
    if array.size != weights.size and weights.size:
        raise ValueError(
            f"For 'Bincount', 'weights' must have as many elements as 'array', but got shapes "
            f"{weights.shape} and {array.shape}."
        )
    if not isinstance(size, int) and size.ndim:
        raise ValueError(f"For 'Bincount', 'size' must have no axes, but got {size.shape}.")
    size = int(size)
    flat = xp.ravel(array)
    if bool(xp.any(flat < 0)):
        raise ValueError("For 'Bincount', 'array' must hold no number below 0.")
    flat = xp.where(flat < size, flat, size)
    given = xp.ravel(weights) if weights.size else xp.ones(flat.shape, weights.dtype)
    return xp.scatter_add(xp.zeros(size + 1, weights.dtype), (flat,), given)[:size]


@op("ops.Histogram(bins=100, min=0.0, max=0.0)(x)", compute="native")
def histogram(
    xp,
    x: TensorOf("float16", "float32", "int32"),
    bins: Int(ge=1) = 100,
    min: Float = 0.0,
    max: Float = 0.0,
):
    """Counts how many elements fall into each of `bins` equal intervals of [min, max].

    If `min` and `max` are equal, the range of the elements is taken. Elements outside are left out.

    Shapes:
        `x` may have any shape. The result is (bins,), of the dtype of `x`.

    Example:
        >>> print(ms.ops.Histogram(bins=3, min=0.0, max=3.0)(ms.Tensor([0.5, 1.5, 1.7, 9.0])))
        [1. 2. 0.]
    """
    return histc.body(xp, x, bins, min, max)


@op("ops.HistogramFixedWidth(nbins, dtype='int32')(x, range)", compute="native")
def histogram_fixed_width(
    xp,
    x: TensorOf("int32", "float16", "float32", "float64"),
    range: Reals,
    nbins: Int(ge=1),
    dtype: OneOf("int32") = "int32",
):
    """Counts how many elements fall into each of `nbins` equal intervals of a range. Elements
    outside count in the first or the last interval.

    Shapes:
        `x` may have any shape, `range` is (2,) of the same dtype. The result is (nbins,), of int32.

    Example:
        >>> print(ms.ops.HistogramFixedWidth(3)(ms.Tensor([0.5, 1.5, 9.0]), ms.Tensor([0.0, 3.0])))
        [1 1 1]
    """
    if range.shape != (2,) or not bool(range[0] < range[1]):
        raise ValueError("For 'HistogramFixedWidth', 'range' must be two rising numbers.")
    low, high = (xp.cast(each, "float64") for each in range)
    place = xp.floor((xp.cast(xp.ravel(x), "float64") - low) / (high - low) * nbins)
    place = xp.cast(xp.clip(place, 0, nbins - 1), "int64")
    return xp.cast(xp.bincount(place, None, nbins), dtype)


@op("ops.EqualCount()(x, y)", types=SameDtype("x y"), compute="native")
def equal_count(xp, x: Anything, y: Anything):
    """Counts the positions at which two Tensors hold equal elements.

    Shapes:
        `x` and `y` have one shape and dtype. The result is (1,), of their dtype.

    Example:
        >>> print(ms.ops.EqualCount()(ms.Tensor([1, 2, 3]), ms.Tensor([1, 0, 3])))
        [2]
    """
    if x.shape != y.shape:
        raise ValueError(
            f"For 'EqualCount', 'x' and 'y' must have one shape, but got {x.shape} and {y.shape}."
        )
    return xp.cast(xp.reshape(xp.sum(x == y), (1,)), x.dtype)


@public("ops.ConfusionMatrix")
class ConfusionMatrix(Primitive):
    """How often each label (row) was taken for each prediction (column).

    Args:
        num_classes (int): how many classes there are.
        dtype (str): the dtype of the counts.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the shapes differ or a class is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ConfusionMatrix(2)(ms.Tensor([0, 1], ms.int32),
        ...                                 ms.Tensor([0, 0], ms.int32)))
        [[1 0]
         [1 0]]

    Source: mindspore.ops.ConfusionMatrix of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, num_classes: Int(ge=1), dtype: OneOf("int32", "int64", "float32", "float64") = "int32"
    ):
        super().__init__("ConfusionMatrix")
        self.num_classes, self.dtype = num_classes, dtype

    @checked
    def __call__(self, labels: Integers, predictions: Integers, weights: Reals = None):
        if labels.ndim != 1 or labels.shape != predictions.shape:
            raise ValueError(
                f"For 'ConfusionMatrix', 'labels' and 'predictions' must be vectors of one "
                f"length, but got {labels.shape} and {predictions.shape}."
            )
        xp = space_for(labels._array)
        both = xp.stack([labels._array, predictions._array])
        if both.size and not (0 <= int(both.min()) and int(both.max()) < self.num_classes):
            raise ValueError(f"For 'ConfusionMatrix', classes must be in [0, {self.num_classes}).")
        given = xp.ones(labels.size, self.dtype) if weights is None else weights._array
        made = xp.zeros((self.num_classes, self.num_classes), self.dtype)
        xp.add.at(made, (both[0], both[1]), given.astype(self.dtype))
        return Tensor._wrap(made)


@op("ops.CompareAndBitpack()(x, threshold)", types=SameDtype("x threshold"), compute="native")
def compare_and_bitpack(
    xp,
    x: TensorOf("bool", "float16", "float32", "float64", "int8", "int16", "int32", "int64"),
    threshold: Anything,
):
    """Compares elements with a threshold and packs eight answers into one byte, the first one as
    its highest bit.

    Shapes:
        `x` is (..., 8 n), `threshold` a scalar of the same dtype. The result is (..., n), of uint8.

    Example:
        >>> print(ms.ops.CompareAndBitpack()(ms.Tensor([1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0]),
        ...                                  ms.Tensor(0.5)))
        [131]
    """
    if x.ndim == 0 or x.shape[-1] % 8:
        raise ValueError(
            f"For 'CompareAndBitpack', the last axis must be a multiple of 8, but got {x.shape}."
        )
    if threshold.ndim:
        raise ValueError(
            f"For 'CompareAndBitpack', 'threshold' must be one number, but got {threshold.shape}."
        )
    return xp.packbits(x > threshold, axis=-1)


# Words and classes --------------------------------------------------------------------------------


@public("ops.NoRepeatNGram")
class NoRepeatNGram(Primitive):
    """Scores of next words, the lowest float where the word would repeat an n-gram.

    Args:
        ngram_size (int): how many words may not repeat.

    Inputs:
        - **state_seq** (Tensor): the words so far, (batch, beams, length).
        - **log_probs** (Tensor): the scores of the next word, (batch, beams, words).

    Raises:
        TypeError: if an input is of another type.
        ValueError: if `ngram_size` is not in (0, length] or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> sequences, scores = ms.Tensor([[[1, 2, 1]]], ms.int32), ms.ops.ones((1, 1, 3))
        >>> print(ms.ops.NoRepeatNGram(2)(sequences, scores))
        [[[ 1.0000000e+00  1.0000000e+00 -3.4028235e+38]]]

    Source: mindspore.ops.NoRepeatNGram of MindSpore 2.10.
    """

    @checked
    def __init__(self, ngram_size: Int(ge=1) = 1):
        super().__init__("NoRepeatNGram")
        self.ngram_size = ngram_size

    @in_each_slice
    @checked
    def __call__(self, state_seq: Integers, log_probs: TensorOf("float16", "float32", "float64")):
        if state_seq.ndim != 3 or log_probs.ndim != 3 or state_seq.shape[:2] != log_probs.shape[:2]:
            raise ValueError(
                f"For 'NoRepeatNGram', the inputs must be (batch, beams, ...), but got "
                f"{state_seq.shape} and {log_probs.shape}."
            )
        length, size = state_seq.shape[-1], self.ngram_size
        if size > length:
            raise ValueError(
                f"For 'NoRepeatNGram', 'ngram_size' must be at most {length}, but got {size}."
            )
        words = state_seq.asnumpy().reshape(-1, length)
        scores = log_probs.asnumpy().copy()
        rows = scores.reshape(-1, scores.shape[-1])
        for row, seen in zip(rows, words, strict=True):
            head = seen[length - size + 1 :]
            for start in range(length - size + 1):
                if (seen[start : start + size - 1] == head).all():
                    row[seen[start + size - 1]] = numpy.finfo(scores.dtype).min
        return Tensor._wrap(space_for(log_probs._array).asarray(scores))


@public("ops.ComputeAccidentalHits")
class ComputeAccidentalHits(Primitive):
    """Where sampled classes are true ones: (rows, places among the sampled, the lowest float32).

    Args:
        num_true (int): how many true classes a row has.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.ComputeAccidentalHits()(ms.Tensor([[1], [2]]), ms.Tensor([2, 3]))[0])
        [1]

    Source: mindspore.ops.ComputeAccidentalHits of MindSpore 2.10.
    """

    @checked
    def __init__(self, num_true: Int(ge=1) = 1):
        super().__init__("ComputeAccidentalHits")
        self.num_true = num_true

    @checked
    def __call__(self, true_classes: Index, sampled_candidates: Index):
        rows, sampled = true_classes._array, sampled_candidates._array
        if rows.ndim != 2 or rows.shape[1] != self.num_true or sampled.ndim != 1:
            raise ValueError(
                f"For 'ComputeAccidentalHits', 'true_classes' must have shape (N, "
                f"{self.num_true}) and 'sampled_candidates' one axis, but got {rows.shape} and "
                f"{sampled.shape}."
            )
        xp = space_for(rows)
        row, _, place = xp.nonzero(rows[:, :, None] == sampled[None, None])
        lowest = xp.full(row.shape, xp.finfo("float32").min, "float32")
        return (
            Tensor._wrap(row.astype("int32")),
            Tensor._wrap(place.astype(rows.dtype)),
            Tensor._wrap(lowest),
        )


@public("ops.EditDistance")
class EditDistance(Primitive):
    """How many insertions, deletions and replacements make one sequence of another.

    Args:
        normalize (bool): whether to divide by the length of the truth.

    Inputs: the places (int64), values and shape (int64) of two sparse tensors of sequences along
    the last axis: hypothesis_indices, hypothesis_values, hypothesis_shape, truth_indices,
    truth_values, truth_shape.

    Raises:
        TypeError: if an argument is of another type, or the values have not one dtype.
        ValueError: if places are no rows or a shape is no vector.

    Example:
        >>> import mindspore_compat as ms
        >>> hypothesis, truth = ms.Tensor([[0, 0, 0]]), ms.Tensor([[0, 0, 0]])
        >>> distance, shape = ms.ops.EditDistance(), ms.Tensor([1, 1, 1])
        >>> print(distance(hypothesis, ms.Tensor([5]), shape, truth, ms.Tensor([5]), shape))
        [[0.]]

    Source: mindspore.ops.EditDistance of MindSpore 2.10.
    """

    @checked
    def __init__(self, normalize: Bool = True):
        super().__init__("EditDistance")
        self.normalize = normalize

    @checked(Alike("hypothesis_values truth_values"))
    def __call__(
        self,
        hypothesis_indices: TensorOf("int64"),
        hypothesis_values: Anything,
        hypothesis_shape: TensorOf("int64"),
        truth_indices: TensorOf("int64"),
        truth_values: Anything,
        truth_shape: TensorOf("int64"),
    ):
        for name, each, axes in (
            ("hypothesis_indices", hypothesis_indices, 2),
            ("hypothesis_shape", hypothesis_shape, 1),
            ("truth_indices", truth_indices, 2),
            ("truth_shape", truth_shape, 1),
        ):
            if each.ndim != axes:
                raise ValueError(
                    f"For 'EditDistance', '{name}' must have {axes} axes, but got "
                    f"shape {each.shape}."
                )
        given = _sequences(hypothesis_indices, hypothesis_values)
        wanted = _sequences(truth_indices, truth_values)
        sizes = numpy.maximum(hypothesis_shape.asnumpy(), truth_shape.asnumpy())[:-1]
        made = numpy.zeros(tuple(sizes), numpy.float32)
        for place in numpy.ndindex(*made.shape):
            made[place] = self._distance(given.get(place, []), wanted.get(place, []))
        return Tensor._wrap(space_for(truth_values._array).asarray(made))

    def _distance(self, given, wanted):
        count = _edits(given, wanted)
        if not self.normalize:
            return count
        return count / len(wanted) if wanted else (numpy.inf if given else 0.0)


def _sequences(indices, values):
    """The sequences of a sparse tensor, by their place."""
    found = {}
    for place, value in zip(indices.asnumpy().tolist(), values.asnumpy().tolist(), strict=True):
        found.setdefault(tuple(place[:-1]), []).append(value)
    return found


def _edits(given, wanted):
    """Levenshtein's distance, one row of the table at a time."""
    row = list(range(len(wanted) + 1))
    for i, one in enumerate(given, 1):
        before, row[0] = row[0], i
        for j, other in enumerate(wanted, 1):
            cost = min(row[j] + 1, row[j - 1] + 1, before + (one != other))
            before, row[j] = row[j], cost
    return row[-1]


@public("ops.RaggedRange")
class RaggedRange(Primitive):
    """Ranges laid end to end: (where each begins, their values).

    Args:
        Tsplits (mindspore.dtype): int32 or int64, the dtype of the beginnings.

    Inputs: starts, limits and deltas, Tensors of one dtype with at most one axis, which broadcast.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if a delta is 0, or an input has two axes or more.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.RaggedRange(ms.int64)(ms.Tensor([0]), ms.Tensor([3]), ms.Tensor([1]))[1])
        [0 1 2]

    Source: mindspore.ops.RaggedRange of MindSpore 2.10.
    """

    @checked
    def __init__(self, Tsplits: DType("int32", "int64")):
        super().__init__("RaggedRange")
        self.Tsplits = Tsplits

    @checked(Alike("starts limits deltas"))
    def __call__(self, starts: Reals, limits: Reals, deltas: Reals):
        given = [each.asnumpy() for each in (starts, limits, deltas)]
        if any(each.ndim > 1 for each in given):
            raise ValueError(
                "For 'RaggedRange', the inputs must have at most one axis, but got "
                f"shapes {', '.join(str(each.shape) for each in given)}."
            )
        rows = numpy.stack(numpy.broadcast_arrays(*(numpy.atleast_1d(each) for each in given)), -1)
        if (rows[:, 2] == 0).any():
            raise ValueError("For 'RaggedRange', 'deltas' must not hold 0.")
        parts = [numpy.arange(*row).astype(given[0].dtype) for row in rows.tolist()]
        ends = numpy.cumsum([0, *map(len, parts)]).astype(dtypes.to_numpy(self.Tsplits))
        asarray = space_for(starts._array).asarray
        return Tensor._wrap(asarray(ends)), Tensor._wrap(asarray(numpy.concatenate(parts)))


@op(
    "ops.bincount(input, weights=None, minlength=0)",
    "Tensor.bincount(weights=None, minlength=0)",
    compute="native",
)
def bincount(
    xp, input: TensorOf(number, "bool"), weights: Anything | None = None, minlength: Int(ge=0) = 0
):
    """Counts how often each number appears, or adds up the weights of each.

    Shapes:
        `input` is (N,) of integers that are not negative, `weights` is (N,). The result has
        max(input) + 1 elements, or `minlength` if that is more; it is float32, or of the dtype of
        `weights`.

    Example:
        >>> print(ms.ops.bincount(ms.Tensor([0, 1, 1, 3])))
        [1. 2. 0. 1.]
    """
    found = xp.bincount(xp.cast(xp.real(input), "int64"), weights, minlength)
    return xp.cast(found, "float32" if weights is None else weights.dtype)


@op("mint.bincount(input, weights=None, minlength=0)", compute="native")
def mint_bincount(
    xp,
    input: TensorOf("int8", "int16", "int32", "int64", "uint8"),
    weights: Anything | None = None,
    minlength: Int(ge=0) = 0,
):
    """Counts how often each number appears, or adds up the weights of each.

    Shapes:
        `input` is (N,) of integers that are not negative, `weights` is (N,). The result has
        max(input) + 1 elements, or `minlength` if that is more; it is int64, or of the dtype of
        `weights`.

    Example:
        >>> print(ms.mint.bincount(ms.Tensor([0, 1, 1, 3])))
        [1 2 0 1]
    """
    found = xp.bincount(input, weights, minlength)
    return xp.cast(found, "int64" if weights is None else weights.dtype)


@op(
    "ops.histc(input, bins=100, min=0.0, max=0.0)",
    "Tensor.histc(bins=100, min=0.0, max=0.0)",
    "mint.histc(input, bins=100, min=0, max=0)",
    compute="native",
)
def histc(
    xp,
    input: TensorOf("float16", "float32", "int32"),
    bins: Int(ge=1) = 100,
    min: Number | Bool = 0.0,
    max: Number | Bool = 0.0,
):
    """Counts how many elements fall into each of `bins` equal intervals of [min, max].

    If `min` and `max` are equal, the range of the elements is taken. Elements outside are left out.

    Shapes:
        `input` may have any shape. The result is (bins,).

    Example:
        >>> print(ms.ops.histc(ms.Tensor([0.5, 1.5, 1.7, 9.0]), bins=3, min=0.0, max=3.0))
        [1. 2. 0.]
    """
    if min > max:
        raise ValueError(f"For 'histc', 'min' must be at most 'max', but got {min} and {max}.")
    low, high = (xp.min(input), xp.max(input)) if min == max else (min, max)
    flat = xp.ravel(input)
    inside = (flat >= low) & (flat <= high)
    width = (high - low) / bins
    if min == max:  # then it is an array, which may be 0
        width = xp.where(width == 0, 1.0, width)
    place = xp.cast(xp.clip(xp.floor((flat - low) / width), 0, bins - 1), "int64")
    found = xp.bincount(xp.where(inside, place, bins), None, bins + 1)[:bins]
    return xp.cast(found, "int32" if input.dtype == "int32" else "float32")
