"""Counts of values: bincount, histograms, equal elements, the confusion matrix."""

import math

from ..._backend.arrays import extremes
from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, Number, OneOf, TensorOf, checked, number
from ..._core.tensor.tensor import Tensor
from .._rules import Anything, Integers, Reals
from ..primitive import Primitive


@op("ops.Bincount()(array, size, weights)", compute="native")
def bincount_of(
    xp,
    array: TensorOf("int32"),
    size: Int(ge=0) | TensorOf("int32"),
    weights: TensorOf("int32", "int64", "float32", "float64"),
):
    """Sums the weights of the occurrences of each number below `size`; ignores larger numbers.
    Without weights, each occurrence counts 1.

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
    flat = xp.ravel(array)
    size, below = xp.stack([xp.asarray(size), xp.any(flat < 0)]).tolist()
    if below:
        raise ValueError("For 'Bincount', 'array' must hold no number below 0.")
    flat = xp.where(flat < size, flat, size)
    terms = xp.ravel(weights) if weights.size else xp.ones(flat.shape, weights.dtype)
    return xp.scatter_add(xp.zeros(size + 1, weights.dtype), (flat,), terms)[:size]


@op("ops.Histogram(bins=100, min=0.0, max=0.0)(x)", compute="native")
def histogram(
    xp,
    x: TensorOf("float16", "float32", "int32"),
    bins: Int(ge=1) = 100,
    min: Float = 0.0,
    max: Float = 0.0,
):
    """Computes a histogram: counts the elements in each of `bins` equal intervals of [min, max].

    If `min` and `max` are equal, the range of the elements is used. Elements outside are ignored.

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
    """Computes a histogram: counts the elements in each of `nbins` equal intervals of a range.
    Elements outside are counted in the first or the last interval.

    Shapes:
        `x` may have any shape, `range` is (2,) of the same dtype. The result is (nbins,), of int32.

    Example:
        >>> print(ms.ops.HistogramFixedWidth(3)(ms.Tensor([0.5, 1.5, 9.0]), ms.Tensor([0.0, 3.0])))
        [1 1 1]
    """
    if range.shape != (2,) or not bool(range[0] < range[1]):
        raise ValueError("For 'HistogramFixedWidth', 'range' must be two rising numbers.")
    low, high = (xp.cast(bound, "float64") for bound in range)
    index = xp.floor((xp.cast(xp.ravel(x), "float64") - low) / (high - low) * nbins)
    index = xp.cast(xp.clip(index, 0, nbins - 1), "int64")
    return xp.cast(xp.occurrences(index, nbins), dtype)


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
    """Computes the confusion matrix: the number of times that each label (row) was predicted as
    each class (column).

    Args:
        num_classes (int): the number of classes.
        dtype (str): the dtype of the counts.

    Raises:
        TypeError: if an argument has the wrong type.
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
        pair = xp.stack([labels._array, predictions._array])
        low, high = extremes(pair) if pair.size else (0, -1)
        if low < 0 or high >= self.num_classes:
            raise ValueError(f"For 'ConfusionMatrix', classes must be in [0, {self.num_classes}).")
        terms = xp.ones(labels.size, self.dtype) if weights is None else weights._array
        matrix = xp.zeros((self.num_classes, self.num_classes), self.dtype)
        xp.add.at(matrix, (pair[0], pair[1]), terms.astype(self.dtype))
        return Tensor._wrap(matrix)


@op(
    "ops.bincount(input, weights=None, minlength=0)",
    "Tensor.bincount(weights=None, minlength=0)",
    compute="native",
)
def bincount(
    xp, input: TensorOf(number, "bool"), weights: Anything | None = None, minlength: Int(ge=0) = 0
):
    """Counts the occurrences of each number, or sums the weights of its occurrences.

    Shapes:
        `input` is (N,) of integers that are not negative, `weights` is (N,). The result has
        max(input) + 1 elements, or `minlength` if that is more; it is float32.

    Example:
        >>> print(ms.ops.bincount(ms.Tensor([0, 1, 1, 3])))
        [1. 2. 0. 1.]
    """
    counts = xp.bincount(xp.cast(xp.real(input), "int64"), weights, minlength)
    return xp.cast(counts, "float32")


@op("mint.bincount(input, weights=None, minlength=0)", compute="native")
def mint_bincount(
    xp,
    input: TensorOf("int8", "int16", "int32", "int64", "uint8"),
    weights: Anything | None = None,
    minlength: Int(ge=0) = 0,
):
    """Counts the occurrences of each number, or sums the weights of its occurrences.

    Shapes:
        `input` is (N,) of integers that are not negative, `weights` is (N,). The result has
        max(input) + 1 elements, or `minlength` if that is more; it is int64, or of the dtype of
        `weights`.

    Example:
        >>> print(ms.mint.bincount(ms.Tensor([0, 1, 1, 3])))
        [1 2 0 1]
    """
    counts = xp.bincount(input, weights, minlength)
    return xp.cast(counts, "int64" if weights is None else weights.dtype)


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
    """Computes a histogram: counts the elements in each of `bins` equal intervals of [min, max].

    If `min` and `max` are equal, the range of the elements is used, or if all are equal, the range
    from 1 below to 1 above. Elements outside are ignored.

    Shapes:
        `input` may have any shape. The result is (bins,).

    Example:
        >>> print(ms.ops.histc(ms.Tensor([0.5, 1.5, 1.7, 9.0]), bins=3, min=0.0, max=3.0))
        [1. 2. 0.]
    """
    if not (min <= max and math.isfinite(max - min)):
        raise ValueError(
            f"For 'histc', 'min' must be at most 'max', and both finite, but got {min} and {max}."
        )
    low, high = (xp.min(input), xp.max(input)) if min == max else (min, max)
    if min == max:
        if input.dtype == "int32":  # their difference and the numbers beside them may not be int32
            low, high = xp.cast(low, "float64"), xp.cast(high, "float64")
        low, high = xp.where(low == high, low - 1, low), xp.where(low == high, high + 1, high)
    flat = xp.ravel(input)
    inside = (flat >= low) & (flat <= high)
    width = (high - low) / bins
    if min == max:  # both are arrays then, which may be 0
        width = xp.where(width == 0, 1.0, width)
    index = xp.cast(xp.clip(xp.floor((flat - low) / width), 0, bins - 1), "int64")
    counts = xp.occurrences(xp.where(inside, index, bins), bins + 1)[:bins]
    return xp.cast(counts, "int32" if input.dtype == "int32" else "float32")
