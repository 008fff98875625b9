"""Helpers for scripts that run transforms in their own processes or threads."""

import enum
import sys
import threading
import traceback

import numpy as np

__all__ = [
    "ExceptionHandler",
    "ExceptionThread",
    "FuncWrapper",
    "Implementation",
    "KeyErrorParse",
    "flatten_single_lists",
    "is_numpy",
    "to_list",
]


class Implementation(enum.IntEnum):
    """The implementation of a transform: compiled code or Python."""

    C = 0
    PY = 1


def is_numpy(img):
    """Returns whether an object is a NumPy array."""
    return isinstance(img, np.ndarray)


def to_list(items):
    """Returns a list of a tuple's items, of one object, or an empty one for None."""
    if items is None:
        return []
    return list(items) if isinstance(items, (tuple, list)) else [items]


def flatten_single_lists(nested_list):
    """Replaces, in nested lists, each list that contains only one list by that list."""
    result = nested_list
    while isinstance(result, list) and [type(item) for item in result] == [list]:
        (result,) = result
    return [*map(flatten_single_lists, result)] if isinstance(result, list) else result


class KeyErrorParse(str):
    """A text that a KeyError prints without quotation marks."""

    def __repr__(self):
        return str(self)


class ExceptionHandler:
    """A worker's exception, stored as text so that another process can raise it.

    Args:
        except_info (tuple): the result of `sys.exc_info()`. Default: ``None``, the error being
            handled.
        where (str): where it happened. Default: "in python function".
    """

    def __init__(self, except_info=None, where="in python function"):
        kind, error, trace = except_info or sys.exc_info()
        self.where, self.except_type = where, kind
        self.except_msg = "".join(traceback.format_exception(kind, error, trace))

    def reraise(self):
        """Raises an exception of the same type whose message contains the original traceback."""
        start = self.except_msg.rfind("Traceback")
        message = self.except_msg[max(start, 0) :].strip()
        raise self.except_type(KeyErrorParse(message) if self.except_type is KeyError else message)


class FuncWrapper:
    """Wraps a function as a transform; its errors contain their traceback.

    Args:
        transform (Callable): the function.

    Raises:
        ValueError: if `transform` is not callable.
    """

    def __init__(self, transform):
        if not callable(transform):
            raise ValueError(f"'transform' must be a function, but got {transform!r}.")
        self.transform = transform
        self.implementation = Implementation.C
        self.random = bool(getattr(transform, "random", False))

    def __call__(self, *args):
        try:
            return self.transform(*args)
        except Exception:
            handler = ExceptionHandler(where="in map(or batch) worker and execute Python function")
        return handler.reraise()


class ExceptionThread(threading.Thread):
    """A thread that stores the result of its function, or its exception.

    `res` is the result. After an error, `exitcode` is 1 and `exception` is the error.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.res, self.exitcode, self.exception, self.exc_traceback = 0, 0, None, ""

    def run(self):
        """Calls the function and stores its result."""
        try:
            if self._target:
                self.res = self._target(*self._args, **self._kwargs)
        except Exception as error:
            self.exitcode, self.exception = 1, error
            self.exc_traceback = traceback.format_exc()
