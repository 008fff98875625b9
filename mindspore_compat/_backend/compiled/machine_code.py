"""The machine code of compiled loops: stored once Numba has compiled a loop, and loaded by later
processes without Numba, whose import takes seconds and 130 MB.

    the process that compiles a loop            processes that run it
    Numba and LLVM make an object file
    `store`: writes it to the disk cache        `function` or `address`: reads it from there
             with the name of its function               links it (linker.py)
                                                         wraps the address in a Python function

The machine code calls functions of Python, of the C library, and of three extension modules of
Numba. These modules are imported here without the rest of Numba.

The Python function is the one that Numba's dispatcher calls: it converts arguments, releases the
interpreter lock, and raises the errors of the loop. Unlike the dispatcher, it does not check the
types of the arguments, so callers must pass the types that the loop was compiled for.
"""

import builtins
import ctypes
import functools
import importlib.util
import json
import os
import sys
from importlib.machinery import PathFinder

from ..starting import lock_for_forks
from . import disk_cache
from .linker import Linker

_EXTENSIONS = ("_helperlib", "_dynfunc", "core.runtime._nrt_python")
# Variables with such names point to an object with the constants of a function that are objects of
# Python. Loops have no such constants.
_ENVIRONMENT = "_ZN08NumbaEnv"
_functions = {}  # the loaded functions by name
_lock = lock_for_forks()


def store(name, library, symbol):
    """Stores the code of a function under a name that identifies the code. Does nothing if storing
    fails or the code cannot be linked; the function can still be used in this process.

    Args:
        library: Numba's CodeLibrary of the function.
        symbol (str): the name of the function in it.
    """
    try:
        variables = [variable.name for variable in library._final_module.global_variables]
        environments = [name for name in variables if name.startswith(_ENVIRONMENT)]
        header = json.dumps({"symbol": symbol, "environments": environments})
        content = header.encode() + b"\n" + library._get_compiled_object()
        with _lock:
            _linked(content)
        disk_cache.write(name, content)
    except Exception:  # the disk is full, or another version of Numba has other attributes
        return


def function(name):
    """Returns the function stored under a name as a function of Python, or None."""
    with _lock:
        address = name not in _functions and _loaded(name)
        if address:
            make, module = _extensions()["_dynfunc"].make_function, sys.modules[__name__]
            _functions[name] = make(module, name, "", address, _environment(), ())
    return _functions.get(name)


def address(name):
    """Returns the address of the function stored under a name, or None."""
    with _lock:
        return _loaded(name)


def _loaded(name):
    content = disk_cache.read(name)
    try:
        return None if content is None else _linked(content)
    except Exception:  # code for another system, or one that allows no new code: Numba compiles it
        return None


def _linked(content):
    """Links the machine code in `content`, which `store` has written. Returns the address of the
    function.
    """
    header, code = content.split(b"\n", 1)
    header = json.loads(header)
    addresses = _linker().link(code, [header["symbol"], *header["environments"]])
    for name in header["environments"]:
        ctypes.c_void_p.from_address(addresses[name]).value = id(_environment())
    return addresses[header["symbol"]]


@functools.cache
def _linker():
    """Returns the linker of all functions."""
    return Linker(_helpers())


@functools.cache
def _environment():
    """Returns an empty environment, which serves all functions."""
    return _extensions()["_dynfunc"].Environment({})


@functools.cache
def _extensions():
    """Imports the extension modules of Numba without `numba` itself; returns them by name."""
    modules = {}
    for path in _EXTENSIONS:
        *packages, name = path.split(".")
        folders = importlib.util.find_spec("numba").submodule_search_locations
        folders = [os.path.join(folder, *packages) for folder in folders]
        # Under another name, because Numba, if it is imported too, imports them itself.
        spec = PathFinder.find_spec(f"{__name__}.{name}", folders)
        modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(modules[name])
    return modules


def _helpers():
    """Returns the addresses of the symbols that Numba provides, by name."""
    modules = _extensions()
    addresses = dict(modules["_helperlib"].c_helpers)  # functions of the C library
    for name in ("_helperlib", "_dynfunc"):
        table = modules[name].c_helpers.items()
        addresses |= {f"numba_{key}": address for key, address in table}
    for key, address in modules["_nrt_python"].c_helpers.items():
        addresses[key if key.startswith("_") else f"NRT_{key}"] = address
    for key, value in vars(builtins).items():
        if isinstance(value, type) and issubclass(value, BaseException):
            addresses[f"PyExc_{key}"] = id(value)
    return {**addresses, "_Py_NoneStruct": id(None)}
