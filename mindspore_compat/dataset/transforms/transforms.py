"""Transforms for data of any kind: casts, one-hot, fill, slice, mask, padding, composition."""

from enum import IntEnum

import numpy as np

from ..._core.rules.checked import Forbid, checked
from ..._core.rules.vocabulary import Bool, DType, Int, ListOf, Number, Str
from ..._core.tensor import dtype as dtypes
from .._rules import INT64_MAX, AnInstance, Probability
from ..core.py_util_helpers import Implementation
from ..engine.batching import pad_to_shape
from .base import CompoundOperation, OfTransforms, PyTensorOperation, TensorOperation, is_pil, run

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "not_random",
]

_Scalar = Str | Number | Bool | AnInstance(bytes)


class Relational(IntEnum):
    """The relational operators of `Mask`.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import transforms
        >>> transforms.Mask(transforms.Relational.GT, 2)(np.array([1, 2, 3]))
        array([False, False,  True])

    Source: mindspore.dataset.transforms.Relational of MindSpore 2.10.
    """

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


_compare = {
    Relational.EQ: np.equal,
    Relational.NE: np.not_equal,
    Relational.GT: np.greater,
    Relational.GE: np.greater_equal,
    Relational.LT: np.less,
    Relational.LE: np.less_equal,
}


def not_random(function):
    """Decorator that marks a function as deterministic: equal inputs give equal results.

    Example:
        >>> from mindspore_compat.dataset import transforms
        >>> @transforms.not_random
        ... def double(row):
        ...     return 2 * row
        >>> double(4)
        8

    Source: mindspore.dataset.transforms.not_random of MindSpore 2.10.
    """
    function.random = False
    return function


class _ArrayOperation(TensorOperation):
    """Base class of transforms that convert a PIL image to an array."""

    def _as_input(self, value):
        return np.array(value) if is_pil(value) else super()._as_input(value)


class TypeCast(_ArrayOperation):
    """Casts the input to another dtype.

    Args:
        data_type (Union[mindspore.dtype, numpy.dtype]): the dtype of the result; also a Python type
            or the name of a NumPy dtype.

    Raises:
        TypeError: if `data_type` is neither.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.TypeCast(ms.float32)(np.array([1, 2])).dtype)
        float32

    Source: mindspore.dataset.transforms.TypeCast of MindSpore 2.10.
    """

    blockwise = True

    def __init__(self, data_type):
        self.data_type = numeric_dtype(type(self).__name__, data_type)

    def _array(self, x, lead):
        if x.dtype.kind in "SU":
            raise RuntimeError(f"For 'TypeCast', text cannot be cast to {self.data_type}.")
        with np.errstate(invalid="ignore", over="ignore"):
            return x.astype(self.data_type, copy=False)


def numeric_dtype(api, data_type):
    """Returns the NumPy dtype for a dtype of numbers or bools in any form.

    Raises:
        TypeError: if it is not one.
    """
    try:
        if isinstance(data_type, dtypes.Type):
            dtype = dtypes.to_numpy(data_type)
        else:
            dtype = None if data_type is None else np.dtype(data_type)
    except (TypeError, ValueError):
        dtype = None
    if dtype is None or dtype.kind not in "biuf" or dtype.itemsize > 8:
        raise TypeError(
            f"For '{api}', the dtype must be one of numbers or bools, of MindSpore or "
            f"NumPy, but got {data_type!r} of type {type(data_type).__name__}."
        )
    return dtype


class OneHot(_ArrayOperation):
    """Converts labels to one-hot vectors.

    A vector is 1 at the index of its label and 0 elsewhere. As in MindSpore, axes of length 1
    are removed: a row of one label gives one vector.

    With smoothing `s`, 1 becomes `1 - s + s / num_classes`, and 0 becomes `s / num_classes`.

    Args:
        num_classes (int): the length of the vectors; greater than every label.
        smoothing_rate (float, optional): the label smoothing, in [0, 1].

    Raises:
        RuntimeError: if a label is not an int, or not in [0, num_classes); raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.OneHot(3)(np.array(1)))
        [0 1 0]

    Source: mindspore.dataset.transforms.OneHot of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, num_classes: Int(ge=1), smoothing_rate: Number(ge=0.0, le=1.0) = 0.0):
        self.num_classes, self.smoothing_rate = num_classes, smoothing_rate

    def _array(self, labels, lead):
        if labels.dtype.kind not in "iu":
            raise RuntimeError(f"For 'OneHot', labels must be ints, but got {labels.dtype}.")
        if labels.size and not 0 <= int(labels.min()) <= int(labels.max()) < self.num_classes:
            raise RuntimeError(
                f"For 'OneHot', labels must be in [0, {self.num_classes}), but got "
                f"{labels.min()} to {labels.max()}."
            )
        hot = labels[..., None] == np.arange(self.num_classes)
        hot = hot.reshape([*hot.shape[:lead], *(n for n in hot.shape[lead:] if n != 1)])
        if not self.smoothing_rate:
            return hot.astype(labels.dtype)
        if self.num_classes == 1:
            return hot.astype(np.float64)
        rest = self.smoothing_rate / self.num_classes
        return np.where(hot, 1.0 - self.smoothing_rate + rest, rest)


class Fill(_ArrayOperation):
    """Fills the input with one value; shape and dtype stay.

    Args:
        fill_value (Union[str, bytes, int, float, bool]): the value.

    Raises:
        RuntimeError: if text is filled with a number, or numbers with text; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.Fill(7)(np.zeros(2, np.int32)))
        [7 7]

    Source: mindspore.dataset.transforms.Fill of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(self, fill_value: _Scalar):
        self.fill_value = fill_value

    def _array(self, x, lead):
        value, kind = np.asarray(self.fill_value), x.dtype.kind
        if (kind in "SU" or value.dtype.kind in "SU") and value.dtype.kind != kind:
            raise RuntimeError(
                f"For 'Fill', text and numbers do not mix, but got "
                f"{self.fill_value!r} for dtype {x.dtype}."
            )
        dtype = value.dtype if kind in "SU" else x.dtype
        return np.broadcast_to(value.astype(dtype), x.shape).copy()


class Slice(_ArrayOperation):
    """Slices the input along each axis.

    Args:
        *slices (Union[int, list[int], slice, None, Ellipsis, bool]): for each axis an index, a list
            of indices or a slice; None, True and Ellipsis take all. No axis is removed.

    Raises:
        TypeError: if one is not one of these.
        RuntimeError: if an index is out of range; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.Slice(slice(0, 2))(np.array([1, 2, 3])))
        [1 2]

    Source: mindspore.dataset.transforms.Slice of MindSpore 2.10.
    """

    def __init__(self, *slices):
        for item in slices:
            fine = (
                item is None
                or isinstance(item, (int, slice, type(Ellipsis)))
                or (isinstance(item, list) and all(type(index) is int for index in item))
            )
            if not fine:
                raise TypeError(
                    f"For 'Slice', 'slices' must hold ints, lists of ints, slices, "
                    f"None or Ellipsis, but got {item!r}."
                )
        self.slices = slices

    def _array(self, x, lead):
        if len(self.slices) > x.ndim:
            raise RuntimeError(
                f"For 'Slice', the input must have at least {len(self.slices)} "
                f"axes, but got {x.ndim}."
            )
        for axis, part in enumerate(self.slices):
            if part is None or isinstance(part, (bool, type(Ellipsis))):
                continue
            try:
                if isinstance(part, slice):
                    x = x[(slice(None),) * axis + (part,)]
                else:
                    x = np.take(x, [part] if isinstance(part, int) else part, axis)
            except IndexError as error:
                raise RuntimeError(f"For 'Slice', {part} is out of range: {error}.") from error
        return x


class Mask(_ArrayOperation):
    """Compares each element with a constant and returns the mask of results.

    Args:
        operator (Relational): the comparison.
        constant (Union[str, int, float, bool]): the constant to compare with.
        dtype (mindspore.dtype, optional): the dtype of the result.

    Raises:
        RuntimeError: if text is compared with a number; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.Mask(ms.dataset.transforms.Relational.GT,
        ...                                  1)(np.array([1, 2])))
        [False  True]

    Source: mindspore.dataset.transforms.Mask of MindSpore 2.10.
    """

    blockwise = True

    @checked
    def __init__(
        self, operator: AnInstance(Relational), constant: _Scalar, dtype: DType = dtypes.bool_
    ):
        self.operator, self.constant = operator, constant
        self.dtype = numeric_dtype("Mask", dtype)

    def _array(self, x, lead):
        if isinstance(self.constant, (str, bytes)) != (x.dtype.kind in "SU"):
            raise RuntimeError(
                f"For 'Mask', text and numbers do not compare, but got "
                f"{self.constant!r} for dtype {x.dtype}."
            )
        constant = self.constant
        if x.dtype.kind not in "SU":  # MindSpore casts the constant first
            with np.errstate(invalid="ignore", over="ignore"):
                constant = np.asarray(constant).astype(x.dtype)
        return np.asarray(_compare[self.operator](x, constant), self.dtype)


class PadEnd(_ArrayOperation):
    """Pads or truncates the input at the end of each axis to a target shape.

    Args:
        pad_shape (list[int]): the target length of each axis; None keeps the length.
        pad_value (Union[str, bytes, int, float, bool], optional): the padding value; by default 0,
            or empty text.

    Raises:
        RuntimeError: when it is used, if the input has the wrong number of axes, except a scalar,
            which is returned as it is; or if text is padded with numbers, or bytes with a str.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.PadEnd([4], 0)(np.array([1, 2])))
        [1 2 0 0]

    Source: mindspore.dataset.transforms.PadEnd of MindSpore 2.10.
    """

    @checked
    def __init__(
        self, pad_shape: ListOf(Int(ge=1, le=INT64_MAX) | None), pad_value: _Scalar = None
    ):
        self.pad_shape, self.pad_value = pad_shape, pad_value

    def _array(self, x, lead):
        if not x.ndim:
            return x
        if len(self.pad_shape) != x.ndim:
            raise RuntimeError(
                f"For 'PadEnd', the input must have {len(self.pad_shape)} axes, but got {x.ndim}."
            )
        shape = [
            length if target is None else target
            for target, length in zip(self.pad_shape, x.shape, strict=True)
        ]
        return pad_to_shape(x, shape, self.pad_value)


class Concatenate(TensorOperation):
    """Concatenates one-dimensional arrays before and after the input.

    Args:
        axis (int, optional): 0 or -1.
        prepend (numpy.ndarray, optional): the array before the input.
        append (numpy.ndarray, optional): the array after the input.

    Raises:
        ValueError: if `axis` is neither 0 nor -1, or an array has more than one axis.
        RuntimeError: if dtypes differ, or an array is empty; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.Concatenate(append=np.array([9]))(np.array([1, 2])))
        [1 2 9]

    Source: mindspore.dataset.transforms.Concatenate of MindSpore 2.10.
    """

    @checked(
        Forbid("axis not in (0, -1)", ValueError, "'axis' must be 0 or -1"),
        Forbid(
            "prepend is not None and prepend.ndim != 1", ValueError, "'prepend' must have one axis"
        ),
        Forbid(
            "append is not None and append.ndim != 1", ValueError, "'append' must have one axis"
        ),
    )
    def __init__(
        self,
        axis: Int = 0,
        prepend: AnInstance(np.ndarray) = None,
        append: AnInstance(np.ndarray) = None,
    ):
        self.axis, self.prepend, self.append = axis, prepend, append

    def _apply(self, *inputs):
        parts = [part for part in (self.prepend, *inputs, self.append) if part is not None]
        for part in parts:
            same_kind = (
                part.dtype == parts[0].dtype
                or part.dtype.kind in "SU"
                and (part.dtype.kind == parts[0].dtype.kind)
            )
            if part.ndim != 1 or not part.size or not same_kind:
                raise RuntimeError(
                    f"For 'Concatenate', all parts must have elements, one axis and one "
                    f"dtype, but got {[part.dtype for part in parts]} and "
                    f"{[part.shape for part in parts]}."
                )
        return np.concatenate(parts)


class Duplicate(_ArrayOperation):
    """Duplicates the input: returns it twice.

    Raises:
        RuntimeError: if there are two inputs; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print(ms.dataset.transforms.Duplicate()(np.array([1, 2])))
        (array([1, 2]), array([1, 2]))

    Source: mindspore.dataset.transforms.Duplicate of MindSpore 2.10.
    """

    def _array(self, x, lead):
        return x, x.copy()


class Unique(_ArrayOperation):
    """Returns the unique elements in order of first appearance, the inverse indices, and the
    counts; the last two as int32.

    Raises:
        RuntimeError: if the input has fewer than two axes, or is text; raised when it is used.

    Example:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> print([each.tolist() for each in ms.dataset.transforms.Unique()(np.array([[3, 1, 3]]))])
        [[3, 1], [0, 1, 0], [2, 1]]

    Source: mindspore.dataset.transforms.Unique of MindSpore 2.10.
    """

    def _array(self, x, lead):
        if x.ndim < 2 or x.dtype.kind in "SUb":
            raise RuntimeError(
                f"For 'Unique', the input must hold numbers and have at least two "
                f"axes, but got shape {x.shape} and dtype {x.dtype}."
            )
        _, first, indices, counts = np.unique(
            x.ravel(), return_index=True, return_inverse=True, return_counts=True
        )
        order = np.argsort(first)
        rank = np.argsort(order)
        return (
            x.ravel()[first[order]],
            rank[indices.ravel()].astype(np.int32),
            counts[order].astype(np.int32),
        )


class Compose(CompoundOperation):
    """Composes transforms: applies them one after another.

    A call returns the array. As in MindSpore, it returns a tuple with the result if the input is a
    PIL image, or if one of the transforms processes PIL images or exists in Python only: `ToPIL`,
    `Decode(to_pil=True)`, `Grayscale`, `RandomErasing`, `LinearTransformation`, `RandomOrder`.

    Args:
        transforms (list): transforms, or functions that take arrays.

    Raises:
        TypeError: if `transforms` is not a list, or holds something else.
        ValueError: if `transforms` is empty.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import transforms
        >>> print(transforms.Compose([transforms.Fill(7)])(np.zeros(2, np.int32)))
        [7 7]

    Source: mindspore.dataset.transforms.Compose of MindSpore 2.10.
    """

    _run = CompoundOperation._run

    def __call__(self, *inputs):
        outputs = super().__call__(*inputs)
        in_python = self.implementation is Implementation.PY or any(map(is_pil, inputs))
        return (outputs,) if in_python and not isinstance(outputs, tuple) else outputs

    @property
    def blockwise(self):
        """Whether every transform processes whole blocks."""
        return all(
            isinstance(transform, TensorOperation) and transform.blockwise
            for transform in self.transforms
        )

    def _apply(self, *inputs):
        return run(self.transforms, inputs)

    def _array(self, x, lead):
        for transform in self.transforms:
            x = transform._array(transform._as_input(x), lead)
        return x


class RandomApply(CompoundOperation):
    """Applies a list of transforms with a probability; otherwise the input is unchanged.

    Args:
        transforms (list): transforms, or functions that take arrays.
        prob (float, optional): the probability that they are applied.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `transforms` is empty, or `prob` is not in [0, 1].

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import transforms
        >>> print(transforms.RandomApply([transforms.Fill(7)], prob=1.0)(np.zeros(2, np.int32)))
        [7 7]

    Source: mindspore.dataset.transforms.RandomApply of MindSpore 2.10.
    """

    @checked
    def __init__(self, transforms, prob: Probability = 0.5):
        super().__init__(transforms)
        self.prob = prob

    def _apply(self, *inputs):
        if self._random.chance(self.prob):
            return run(self.transforms, inputs)
        return inputs[0] if len(inputs) == 1 else inputs


class RandomChoice(CompoundOperation):
    """Applies one transform of a list, chosen at random.

    Args:
        transforms (list): transforms, or functions that take arrays.

    Raises:
        TypeError: if `transforms` is not a list, or holds something else.
        ValueError: if `transforms` is empty.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import transforms
        >>> print(transforms.RandomChoice([transforms.Fill(7)])(np.zeros(2, np.int32)))
        [7 7]

    Source: mindspore.dataset.transforms.RandomChoice of MindSpore 2.10.
    """

    def _apply(self, *inputs):
        return run([self.transforms[self._random.integer(0, len(self.transforms) - 1)]], inputs)


class RandomOrder(OfTransforms, PyTensorOperation):
    """Applies transforms in a random order.

    Args:
        transforms (list): transforms, or functions that take arrays.

    Raises:
        TypeError: if `transforms` is not a list, or holds something else.
        ValueError: if `transforms` is empty.

    Example:
        >>> import numpy as np
        >>> from mindspore_compat.dataset import transforms
        >>> print(transforms.RandomOrder([transforms.Fill(7)])(np.zeros(2, np.int32)))
        [7 7]

    Source: mindspore.dataset.transforms.RandomOrder of MindSpore 2.10.
    """

    implementation = Implementation.PY

    def __call__(self, *inputs):
        self._check_count(inputs)
        return super().__call__(*inputs)

    def _apply(self, *inputs):
        order = self._random.shuffle(list(range(len(self.transforms))))
        return run([self.transforms[index] for index in order], inputs)
