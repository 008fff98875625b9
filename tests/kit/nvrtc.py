"""NVRTC, the compiler of CUDA texts: it needs neither a GPU nor a driver.

It is found where CuPy's wheels or NVIDIA's own (`pip install nvidia-cuda-nvrtc`, 60 MB) put it, or
at the path in the environment variable NVRTC_LIBRARY.
"""

import ctypes
import functools
import importlib.util
import os
import pathlib

NAMES = ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12")
_Handle, _Text = ctypes.c_void_p, ctypes.c_char_p


@functools.cache
def library():
    """The library, or None where it is not at hand."""
    found = importlib.util.find_spec("nvidia")
    roots = found.submodule_search_locations if found else ()
    paths = [pathlib.Path(root, name) for root in roots for name in NAMES]
    if os.environ.get("NVRTC_LIBRARY"):
        paths.insert(0, pathlib.Path(os.environ["NVRTC_LIBRARY"]))
    for path in paths:
        if path.exists():
            for needed in path.parent.glob("libnvrtc-builtins.so*"):
                ctypes.CDLL(str(needed), ctypes.RTLD_GLOBAL)
            return ctypes.CDLL(str(path))
    return None


@functools.cache
def architectures():
    """The compute capabilities that the library compiles for, as 70, 80, ..."""
    count = ctypes.c_int()
    library().nvrtcGetNumSupportedArchs(ctypes.byref(count))
    found = (ctypes.c_int * count.value)()
    library().nvrtcGetSupportedArchs(found)
    return tuple(found)


def complaint(text, architecture):
    """What the compiler says against a text for one architecture; "" if nothing."""
    program = _Handle()
    library().nvrtcCreateProgram(
        ctypes.byref(program), _Text(text.encode()), _Text(b"kernel.cu"), 0, None, None
    )
    options = (_Text * 1)(f"--gpu-architecture=sm_{architecture}".encode())
    failed = library().nvrtcCompileProgram(program, 1, options)
    size = ctypes.c_size_t()
    library().nvrtcGetProgramLogSize(program, ctypes.byref(size))
    log = ctypes.create_string_buffer(size.value)
    library().nvrtcGetProgramLog(program, log)
    library().nvrtcDestroyProgram(ctypes.byref(program))
    return log.value.decode() or f"error {failed}" if failed else ""
