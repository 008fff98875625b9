"""A strict stand-in for CuPy on a machine without a GPU.

    import fakecupy
    with fakecupy.installed():
        import cupy                     # the stand-in

Its arrays reject NumPy arrays and implicit conversion, and its reductions return 0-d arrays. It has
only the names, methods and keywords of the census (census.json), which `census.py` took from the
real wheel. It cannot show: speed, concurrent threads, the order of streams, rounding, the order of
conflicting scatters.
"""

import contextlib
import sys

from . import functions, modules

_made = None


def names():
    """Returns the modules of the stand-in by path, built once."""
    global _made
    if _made is None:
        _made = modules.build()
    return _made


def install():
    """Makes `import cupy` and `import cupyx` find the stand-in; returns the modules that it
    replaces."""
    before = {
        name: sys.modules.pop(name)
        for name in list(sys.modules)
        if name.split(".")[0] in ("cupy", "cupyx")
    }
    sys.modules.update(names())
    return before


def uninstall(before=()):
    """Removes the stand-in and restores the modules `before`."""
    for name in [name for name in list(sys.modules) if name.split(".")[0] in ("cupy", "cupyx")]:
        del sys.modules[name]
    sys.modules.update(before)


@contextlib.contextmanager
def installed():
    """Installs the stand-in as `cupy` while the block runs."""
    before = install()
    functions.TF32.clear()
    try:
        yield names()["cupy"]
    finally:
        uninstall(before)
