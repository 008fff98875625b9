"""Helpers of scripts that run transforms in processes or threads of their own."""

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
    """What runs a transform: compiled code or Python."""

    C = 0
    PY = 1


def is_numpy(img):
    """Whether something is an array of NumPy."""
    return isinstance(img, np.ndarray)


def to_list(items):
    """A list: of a tuple's items, of one thing, or empty for None."""
    if items is None:
        return []
    return list(items) if isinstance(items, (tuple, list)) else [items]


def flatten_single_lists(nested_list):
    """Lists in lists without those that hold nothing but one list."""
    found = nested_list
    while isinstance(found, list) and [type(each) for each in found] == [list]:
        (found,) = found
    return [*map(flatten_single_lists, found)] if isinstance(found, list) else found


class KeyErrorParse(str):
    """A text that a KeyError shows as it is, without quotation marks."""

    def __repr__(self):
        return str(self)


class ExceptionHandler:
    """An error of a worker, stored as text so that it can be raised in another process.

    Args:
        except_info (tuple): what `sys.exc_info()` gave. Default: ``None``, the error being handled.
        where (str): where it happened. Default: "in python function".
    """

    def __init__(self, except_info=None, where="in python function"):
        kind, error, trace = except_info or sys.exc_info()
        self.where, self.except_type = where, kind
        self.except_msg = "".join(traceback.format_exception(kind, error, trace))

    def reraise(self):
        """Raises an error of the same type; its message has the trace of the first one."""
        start = self.except_msg.rfind("Traceback")
        message = self.except_msg[max(start, 0) :].strip()
        raise self.except_type(KeyErrorParse(message) if self.except_type is KeyError else message)


class FuncWrapper:
    """A function as a transform; its errors contain their traceback.

    Args:
        transform (Callable): the function.

    Raises:
        ValueError: it cannot be called.
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
    """A thread that keeps the result of its function, or its error.

    `exitcode` is 1 after an error, which is `exception`; `res` is the result.
    """

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.res, self.exitcode, self.exception, self.exc_traceback = 0, 0, None, ""

    def run(self):
        """Calls the function."""
        try:
            if self._target:
                self.res = self._target(*self._args, **self._kwargs)
        except Exception as error:
            self.exitcode, self.exception = 1, error
            self.exc_traceback = traceback.format_exc()
