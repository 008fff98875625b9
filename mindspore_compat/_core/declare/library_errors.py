"""Translates errors of the array library: adds the name of the API and uses the documented type.

NumPy or CuPy makes some checks, and their messages name no API ("axis 3 is out of bounds for array
of dimension 2"). `explain` prefixes the name of the API and picks the type that MindSpore
documents. Messages of this package begin with "For '" and pass unchanged. The call path of a
declared operator translates its own errors; `explained` translates those of a hand-written
function, except for errors raised in a user function that it called.
"""

import functools
import os
import pathlib

import numpy

from ..memory_errors import name_operator
from ..tensor.promotion import IntTooLarge

LIBRARY_ERRORS = (
    ValueError,
    TypeError,
    IndexError,
    ZeroDivisionError,
    OverflowError,
    AttributeError,
    MemoryError,
)
_TYPES = (TypeError, AttributeError)
_PACKAGE = pathlib.Path(__file__).resolve().parents[2].as_posix()  # mindspore_compat
_LIBRARIES = tuple(name + "/" for name in ("numpy", "cupy", "scipy", "ml_dtypes"))


def explain(api, error, unfit=ValueError):
    """Returns the error to raise instead of `error`: `error` itself if it names the API.

    Args:
        api (str): the public name.
        error (Exception): the original exception.
        unfit (type): the type that replaces a ValueError.
    """
    if isinstance(error, MemoryError):
        return name_operator(api, error, replace=True)
    text = str(error)
    if isinstance(error, IntTooLarge):
        return RuntimeError(f"For '{api}', {text}")
    if text.startswith("For "):
        return unfit(text) if unfit is not ValueError and isinstance(error, ValueError) else error
    if isinstance(error, numpy.linalg.LinAlgError):
        return type(error)(f"For '{api}', the matrices do not allow it: {text.rstrip('.')}.")
    if isinstance(error, numpy.exceptions.AxisError) and error.ndim is not None:
        return ValueError(
            f"For '{api}', an axis must be in [{-error.ndim}, {error.ndim}), but got {error.axis}."
        )
    if "duplicate value in 'axis'" in text.lower():
        return RuntimeError(f"For '{api}', an axis must not occur twice.")
    if isinstance(error, _TYPES):
        return TypeError(f"For '{api}', an argument has the wrong type: {text.rstrip('.')}.")
    return unfit(f"For '{api}', the arguments do not fit together: {text.rstrip('.')}.")


def explained(api, function, instead=None):
    """Returns `function` with the array library's errors reworded to name `api`.

    `instead(api, error, args)` may return another error.
    """

    @functools.wraps(function)
    def call(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except LIBRARY_ERRORS as error:
            explanation = instead and instead(api, error, args)
            if not explanation:
                explanation = explain(api, error) if _from_library(error.__traceback__) else error
            if explanation is error:
                raise
            raise explanation from error

    return call


def _from_library(trace):
    """Returns True if only this package and the array libraries ran between the call and the
    error."""
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename.replace(os.sep, "/")
        is_generated = file.startswith("<") and " #" in file  # by this package: see source.py
        is_library = file.endswith(".pyx") or any(name in file for name in _LIBRARIES)
        if not (is_generated or file.startswith(_PACKAGE) or is_library):
            return False
        trace = trace.tb_next
    return True
