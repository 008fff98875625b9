"""Metric, the base of what `Model.eval` measures, and what the metrics share."""

import functools
from abc import ABCMeta, abstractmethod

import numpy as np

from ..._core.rules.vocabulary import AsValue, InstanceOf, ListOf
from ..._core.tensor.tensor import Tensor

_Indexes = AsValue(ListOf(InstanceOf(int))).called("a list of ints")

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]


def rearrange_inputs(func):
    """A decorator of `update`, which brings its inputs into the order of the metric's `indexes`.

    Args:
        func (Callable): the method.

    Returns:
        Callable, the method, which gets the inputs at those positions, or all without `indexes`.

    Examples:
        >>> from mindspore_compat.train import Metric, rearrange_inputs
        >>> class Second(Metric):
        ...     def clear(self):
        ...         self.seen = None
        ...     @rearrange_inputs
        ...     def update(self, *inputs):
        ...         self.seen = inputs
        ...     def eval(self):
        ...         return self.seen
        >>> metric = Second().set_indexes([1])
        >>> metric.update(5, 9)
        >>> metric.eval()
        (9,)

    Source: mindspore.train.rearrange_inputs of MindSpore 2.10.
    """

    @functools.wraps(func)
    def wrapper(self, *inputs):
        indexes = self.indexes
        return func(self, *(inputs if not indexes else [inputs[index] for index in indexes]))

    return wrapper


class Metric(metaclass=ABCMeta):
    """Base class of metrics: `clear` starts, `update` takes one batch, `eval` returns the result.

    Example:
        >>> import mindspore_compat as ms
        >>> class Largest(ms.train.Metric):
        ...     def clear(self):
        ...         self.value = 0
        ...     def update(self, *inputs):
        ...         self.value = max(self.value, float(inputs[0].max()))
        ...     def eval(self):
        ...         return self.value
        >>> metric = Largest()
        >>> metric.clear()
        >>> metric.update(ms.Tensor([1.0, 3.0]))
        >>> metric.eval()
        3.0

    Source: mindspore.train.Metric of MindSpore 2.10.
    """

    def __init__(self):
        self._indexes = None

    def __call__(self, *inputs):
        """The result of one batch alone: clears, updates with `inputs` and evaluates."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self):
        """The positions among the inputs of `update` that it uses; None for all, in their order."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes):
        """Sets which inputs of `update` are used, and in which order.

        Args:
            indexes (list[int]): their positions, such as [2, 1].

        Returns:
            Metric, itself.

        Raises:
            ValueError: if `indexes` is not a list of ints.
        """
        _Indexes.refuse("set_indexes", "indexes", indexes)
        self._indexes = indexes
        return self

    def _convert_data(self, data):
        """A Tensor, list or array as a NumPy array.

        Raises:
            TypeError: if `data` is something else.
        """
        if isinstance(data, Tensor):
            data = data.asnumpy()
            return data.astype(np.float32) if data.dtype.name == "bfloat16" else data
        if isinstance(data, list):
            return np.array(data)
        if isinstance(data, np.ndarray):
            return data
        raise TypeError(
            f"For '{type(self).__name__}', inputs must be Tensors, lists or NumPy "
            f"arrays, but got {data!r} of type {type(data).__name__}."
        )

    def _convert_all(self, inputs, count, meaning):
        """`count` inputs as arrays.

        Raises:
            ValueError: if there are more or fewer.
            TypeError: as `_convert_data`.
        """
        self._check_count(inputs, count, meaning)
        return [self._convert_data(x) for x in inputs]

    def _check_count(self, inputs, count, meaning):
        if len(inputs) != count:
            raise ValueError(
                f"For '{type(self).__name__}.update', the inputs must be {count} "
                f"({meaning}), but got {len(inputs)}."
            )

    def _need_updates(self, count):
        """Refuses to compute a result when nothing has been measured."""
        if not count:
            raise RuntimeError(
                f"For '{type(self).__name__}.eval', 'update' must have been called "
                f"with at least one sample before."
            )

    @abstractmethod
    def clear(self):
        """Forgets what has been measured."""

    @abstractmethod
    def eval(self):
        """The result of what has been measured."""

    @abstractmethod
    def update(self, *inputs):
        """Takes the outputs for one batch into account."""


class EvaluationBase(Metric):
    """Base class of metrics over classes, for samples with one class or several.

    Args:
        eval_type (str): "classification", one class for each sample, or "multilabel".

    Raises:
        TypeError: if `eval_type` is neither.
    """

    def __init__(self, eval_type):
        super().__init__()
        if eval_type not in ("classification", "multilabel"):
            raise TypeError(
                f"For '{type(self).__name__}', 'eval_type' must be one of "
                f"'classification', 'multilabel', but got {eval_type!r}."
            )
        self._type = eval_type

    def _check_shape(self, y_pred, y):
        """Refuses predictions and labels whose shapes do not belong together."""
        name = type(self).__name__
        if self._type == "classification":
            if y_pred.ndim != y.ndim + 1 and y_pred.shape != y.shape:
                raise ValueError(
                    f"For '{name}.update', predictions must have one axis more than "
                    f"the labels, or their shape, but got {y_pred.shape} and "
                    f"{y.shape}."
                )
            if y_pred.ndim == y.ndim + 1 and (y_pred.shape[0], *y_pred.shape[2:]) != y.shape:
                raise ValueError(
                    f"For '{name}.update', predictions without their axis 1 must have "
                    f"the shape of the labels, but got {y_pred.shape} and {y.shape}."
                )
        elif y_pred.shape != y.shape:
            raise ValueError(
                f"For '{name}.update', predictions and labels must have the same "
                f"shape, but got {y_pred.shape} and {y.shape}."
            )

    def _check_value(self, y_pred, y):
        """Refuses values other than 0 and 1 for several labels."""
        if self._type != "multilabel":
            return
        for what, values in (("predictions", y_pred), ("labels", y)):
            if not np.isin(values, (0, 1)).all():
                raise ValueError(
                    f"For '{type(self).__name__}.update', {what} must be 0 or 1 for several labels."
                )

    def _same_classes(self, before, y_pred):
        """The number of classes; it must be `before`, that of the batches so far (0 for none)."""
        classes = y_pred.shape[1]
        if before and classes != before:
            raise ValueError(
                f"For '{type(self).__name__}.update', predictions must have as many "
                f"classes as before, {before}, but got {classes}."
            )
        return classes

    @staticmethod
    def _class_numbers(y_pred, y):
        """The labels as class numbers, where they may be one-hot."""
        return y.argmax(axis=1) if y.ndim == y_pred.ndim else y

    @staticmethod
    def _by_sample(values):
        """Turns (N, C, ...) into (rows, C), with one row for each sample and position."""
        return np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
