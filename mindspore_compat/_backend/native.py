"""Functions of shared libraries that users compile, called on arrays.

Such a function is `int f(int count, void **data, int *ranks, int64_t **shapes, const char **dtypes,
void *stream, void *extra)`, for inputs and outputs together; 0 says that it is done. On arrays of a
GPU it gets addresses there, and the stream that they are used on.
"""

import ctypes
import os


def load(path, name):
    """The function `name` of the shared library `path`.

    Raises:
        RuntimeError: there is no such file or function, or it is no library.
    """
    if not os.path.isfile(path):
        raise RuntimeError(f"There is no file {path!r}.")
    try:
        library = ctypes.CDLL(path)
        function = getattr(library, name)
    except (OSError, AttributeError) as error:
        raise RuntimeError(f"{path!r} has no function {name!r}: {error}.") from error
    if hasattr(library, f"{name}Init"):
        raise RuntimeError(
            f"{path!r} has a function {name}Init, which needs a C++ class that is not there."
        )
    function.restype = ctypes.c_int
    return function


def call(function, xp, arrays):
    """Calls a function on contiguous arrays of `xp`, the outputs last, and returns what it does."""
    count = len(arrays)
    shapes = [(ctypes.c_int64 * max(each.ndim, 1))(*each.shape) for each in arrays]
    return function(
        ctypes.c_int(count),
        (ctypes.c_void_p * count)(*(_address(each) for each in arrays)),
        (ctypes.c_int * count)(*(each.ndim for each in arrays)),
        (ctypes.c_void_p * count)(*(ctypes.addressof(each) for each in shapes)),
        (ctypes.c_char_p * count)(*(each.dtype.name.encode() for each in arrays)),
        ctypes.c_void_p(_stream(xp)),
        None,
    )


def _address(array):
    """Where the elements of an array lie."""
    return array.ctypes.data if hasattr(array, "ctypes") else array.data.ptr


def _stream(xp):
    """The stream in use on a GPU, None on the host."""
    cuda = getattr(xp.module, "cuda", None)
    return None if cuda is None else cuda.get_current_stream().ptr
