"""Calls functions of users' own shared libraries on arrays.

Such a function is `int f(int count, void **data, int *ranks, int64_t **shapes, const char **dtypes,
void *stream, void *extra)`. `count` is the number of arrays, inputs and then outputs, which the
arrays `data`, `ranks`, `shapes` and `dtypes` describe. It returns 0 on success. For arrays on a GPU
it gets device addresses, and the stream in use.
"""

import ctypes
import os


def load(path, name):
    """Returns the function `name` of the shared library `path`.

    Raises:
        RuntimeError: if the file or the function does not exist, or the file is not a library.
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
    """Calls a function on contiguous arrays of `xp`, the outputs last; returns its status."""
    count = len(arrays)
    shapes = [(ctypes.c_int64 * max(array.ndim, 1))(*array.shape) for array in arrays]
    return function(
        ctypes.c_int(count),
        (ctypes.c_void_p * count)(*(_address(array) for array in arrays)),
        (ctypes.c_int * count)(*(array.ndim for array in arrays)),
        (ctypes.c_void_p * count)(*(ctypes.addressof(shape) for shape in shapes)),
        (ctypes.c_char_p * count)(*(array.dtype.name.encode() for array in arrays)),
        ctypes.c_void_p(_stream(xp)),
        None,
    )


def _address(array):
    """Returns the address of the elements of an array."""
    return array.ctypes.data if hasattr(array, "ctypes") else array.data.ptr


def _stream(xp):
    """Returns the current stream of a GPU; None on the host."""
    cuda = getattr(xp.module, "cuda", None)
    return None if cuda is None else cuda.get_current_stream().ptr
