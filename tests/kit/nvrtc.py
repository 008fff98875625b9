"""NVRTC, the runtime compiler of CUDA. It needs neither a GPU nor a driver.

The library is looked for at the path in the environment variable NVRTC_LIBRARY, and where NVIDIA's
wheel (`pip install nvidia-cuda-nvrtc`, 60 MB) installs it. The disassembler (`pip install
nvidia-cuda-nvdisasm`, 6 MB) is looked for at the path in NVDISASM, in the PATH, and in the wheel.
"""

import contextlib
import ctypes
import functools
import importlib.util
import os
import pathlib
import re
import shutil
import struct
import subprocess
import tempfile

NAMES = ("cu13/lib/libnvrtc.so.13", "cuda_nvrtc/lib/libnvrtc.so.12")
_Handle, _Text = ctypes.c_void_p, ctypes.c_char_p
_REGISTER_COUNT, _WITH_LENGTH = 0x2F, 4  # of the attributes of a compiled kernel


@functools.cache
def library():
    """Returns the library, or None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec else ()
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
    """Returns the compute capabilities that the library supports: 70, 80, ..."""
    count = ctypes.c_int()
    library().nvrtcGetNumSupportedArchs(ctypes.byref(count))
    capabilities = (ctypes.c_int * count.value)()
    library().nvrtcGetSupportedArchs(capabilities)
    return tuple(capabilities)


@contextlib.contextmanager
def _compiled(text, architecture):
    """Yields a program and the error code of its compilation; 0 means success."""
    program = _Handle()
    library().nvrtcCreateProgram(
        ctypes.byref(program), _Text(text.encode()), _Text(b"kernel.cu"), 0, None, None
    )
    options = (_Text * 1)(f"--gpu-architecture=sm_{architecture}".encode())
    try:
        yield program, library().nvrtcCompileProgram(program, 1, options)
    finally:
        library().nvrtcDestroyProgram(ctypes.byref(program))


def _output(program, what):
    """Returns one output of the compiler as bytes: "ProgramLog", "PTX" or "CUBIN"."""
    size = ctypes.c_size_t()
    getattr(library(), f"nvrtcGet{what}Size")(program, ctypes.byref(size))
    output = ctypes.create_string_buffer(size.value)
    getattr(library(), f"nvrtcGet{what}")(program, output)
    return output.raw


def complaint(text, architecture):
    """Returns the compiler's messages if it rejects a CUDA text for an architecture, else ""."""
    with _compiled(text, architecture) as (program, failed):
        log = _output(program, "ProgramLog").rstrip(b"\0").decode()
    return log or f"error {failed}" if failed else ""


def binary(text, architecture):
    """Returns the machine code of a CUDA text, an ELF file, as bytes."""
    with _compiled(text, architecture) as (program, _):
        return _output(program, "CUBIN")


def registers(text, architecture):
    """Returns the number of registers per thread; of several kernels, the largest number."""
    code = binary(text, architecture)
    headers, size, count, names = (
        *struct.unpack_from("<Q", code, 0x28),
        *struct.unpack_from("<3H", code, 0x3A),
    )
    sections = [  # name, type, flags, address, offset, length, ...
        struct.unpack_from("<2I4Q", code, headers + size * number) for number in range(count)
    ]
    label = code.index(b"\0.nv.info\0", sections[names][4]) + 1 - sections[names][4]
    _, _, _, _, at, length = next(section for section in sections if section[0] == label)
    most, end = 0, at + length
    while at < end:  # an attribute: its layout, its kind, and its value or the value's length
        layout, attribute, value = struct.unpack_from("<2BH", code, at)
        if attribute == _REGISTER_COUNT:  # the value is a symbol and its count
            most = max(most, struct.unpack_from("<2I", code, at + 4)[1])
        at += 4 + (value if layout == _WITH_LENGTH else 0)
    return most


def disassembler():
    """Returns the path of `nvdisasm`, or None if it is not installed."""
    spec = importlib.util.find_spec("nvidia")
    roots = spec.submodule_search_locations if spec else ()
    paths = [pathlib.Path(root, "cu13", "bin", "nvdisasm") for root in roots]
    preferred = os.environ.get("NVDISASM") or shutil.which("nvdisasm")
    paths = [pathlib.Path(preferred), *paths] if preferred else paths
    return next((path for path in paths if path.exists()), None)


def instructions(text, architecture):
    """Returns the names of the machine instructions of a CUDA text in order, or of its PTX
    instructions if there is no disassembler."""
    with _compiled(text, architecture) as (program, _):
        binary, ptx = _output(program, "CUBIN"), _output(program, "PTX").decode()
    if disassembler() is None:
        return re.findall(r"^\s+(?:@!?%p\d+ )?([a-z][a-z0-9_.]+)", ptx, re.MULTILINE)
    with tempfile.NamedTemporaryFile(suffix=".cubin") as file:
        file.write(binary)
        file.flush()
        command = [disassembler(), "-c", file.name]
        listing = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return re.findall(r"/\*[0-9a-f]{4,}\*/\s+(?:@!?U?P\d+ )?([A-Z0-9_.]+)", listing)
