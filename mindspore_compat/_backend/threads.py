"""How many threads the library behind NumPy's products of matrices takes.

OpenBLAS tells and sets it by functions whose names differ by how it was built: NumPy's wheels add
"scipy_" before and "64_" behind.
"""

import ctypes
import glob
import itertools
import os

import numpy


def limit(count):
    """Sets how many threads it takes; tells whether a library was found that can."""
    return any([_call(library, "set", count) is not None for library in _libraries()])


def taken():
    """How many threads each library found takes."""
    return [_call(library, "get") for library in _libraries()]


def _libraries():
    """The OpenBLAS libraries that this process has loaded, or, where that is not told, NumPy's."""
    try:
        with open("/proc/self/maps", encoding="utf-8") as file:
            paths = {line.split(maxsplit=5)[5].strip() for line in file if "openblas" in line}
    except OSError:
        home = os.path.dirname(numpy.__file__)
        paths = {
            path
            for folder in (home + ".libs", os.path.join(home, ".dylibs"))
            for path in glob.glob(os.path.join(glob.escape(folder), "*openblas*"))
        }
    return [ctypes.CDLL(path) for path in sorted(paths)]


def _call(library, what, *arguments):
    """Calls the function that gets or sets the number; None where there is none."""
    for before, behind in itertools.product(("scipy_", ""), ("64_", "_64", "", "_")):
        function = getattr(library, f"{before}openblas_{what}_num_threads{behind}", None)
        if function is not None:
            function.restype = ctypes.c_int
            return function(*map(ctypes.c_int, arguments))
    return None
