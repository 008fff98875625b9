"""Metric: the base class of metrics, and helpers that metrics share."""

import functools
from abc import ABCMeta, abstractmethod

import numpy as np

from ..._core.rules.vocabulary import AsValue, InstanceOf, ListOf
from ..._core.tensor.tensor import Tensor

_Indexes = AsValue(ListOf(InstanceOf(int))).called("a list of ints")

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]


def rearrange_inputs(func):
    """Decorates `update` so that it receives its inputs in the order of the metric's `indexes`.

    Args:
        func (Callable): the method.

    Returns:
        Callable, the method that receives the inputs at those positions, or all without `indexes`.

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
    """Base class of metrics: `clear` resets, `update` adds one batch, `eval` returns the result.

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
        """Returns the result for one batch: clears, updates with `inputs` and evaluates."""
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self):
        """The positions of the inputs that `update` uses; None for all, in order."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes):
        """Sets which inputs `update` uses, and in which order.

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
        """Converts a Tensor, list or array to a NumPy array.

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
        """Returns `count` inputs as arrays.

        Raises:
            ValueError: if there are more or fewer.
            TypeError: as for `_convert_data`.
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
        """Raises RuntimeError if there has been no update."""
        if not count:
            raise RuntimeError(
                f"For '{type(self).__name__}.eval', 'update' must have been called "
                f"with at least one sample before."
            )

    @abstractmethod
    def clear(self):
        """Resets the metric."""
        raise NotImplementedError("For 'Metric', a subclass must define 'clear'.")

    @abstractmethod
    def eval(self):
        """Returns the result for all batches so far."""
        raise NotImplementedError("For 'Metric', a subclass must define 'eval'.")

    @abstractmethod
    def update(self, *inputs):
        """Updates the metric with the outputs for one batch."""
        raise NotImplementedError("For 'Metric', a subclass must define 'update'.")


class EvaluationBase(Metric):
    """Base class of classification metrics, with one or several labels per sample.

    Args:
        eval_type (str): "classification" for one class per sample, or "multilabel".

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
        """Rejects predictions and labels whose shapes do not match."""
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
        """For multilabel data, rejects values other than 0 and 1."""
        if self._type != "multilabel":
            return
        for kind, values in (("predictions", y_pred), ("labels", y)):
            if not np.isin(values, (0, 1)).all():
                raise ValueError(
                    f"For '{type(self).__name__}.update', {kind} must be 0 or 1 for several labels."
                )

    def _same_classes(self, before, y_pred):
        """Returns the number of classes. It must equal `before`, the number in earlier batches (0
        if there were none).
        """
        classes = y_pred.shape[1]
        if before and classes != before:
            raise ValueError(
                f"For '{type(self).__name__}.update', predictions must have as many "
                f"classes as before, {before}, but got {classes}."
            )
        return classes

    def _convert_classes(self, inputs):
        """Returns predictions and labels as arrays, after all checks; notes the number of
        classes."""
        y_pred, y = self._convert_all(inputs, 2, "predictions and labels")
        self._check_shape(y_pred, y)
        self._check_value(y_pred, y)
        self._class_num = self._same_classes(self._class_num, y_pred)
        return y_pred, y

    @staticmethod
    def _class_numbers(y_pred, y):
        """Returns the labels as class indices; they may be one-hot."""
        return y.argmax(axis=1) if y.ndim == y_pred.ndim else y

    @staticmethod
    def _by_sample(values):
        """Turns (N, C, ...) into (rows, C), with one row for each sample and position."""
        return np.moveaxis(values, 1, -1).reshape(-1, values.shape[1])
