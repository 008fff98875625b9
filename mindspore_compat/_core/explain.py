"""What an array library's error means at a public name: the documented type, and the API's name.

A body checks what its rules cannot say; what it leaves to NumPy or CuPy comes out in their words
("axis 3 is out of bounds for array of dimension 2"). `explain` puts the API's name in front and
gives it the type that the original documents. Errors of our own begin with "For '" and pass.
"""

import numpy

LIBRARY_ERRORS = (ValueError, TypeError, IndexError, ZeroDivisionError, OverflowError,
                  AttributeError)
_TYPES = (TypeError, AttributeError)


def explain(api, error):
    """The error to raise in the place of `error`: `error` itself where it tells the API."""
    text = str(error)
    if text.startswith("For ") or isinstance(error, numpy.linalg.LinAlgError):
        return error
    if isinstance(error, _TYPES):
        return TypeError(f"For '{api}', an argument has the wrong type: {text.rstrip('.')}.")
    return ValueError(f"For '{api}', the arguments do not fit together: {text.rstrip('.')}.")
