"""Describes the GPU and the CUDA libraries that are present."""

import contextlib
import importlib

import fakecupy

from mindspore_compat._backend.cuda import cudnn


class NoDevice(Exception):
    """No device is usable; the message says why."""


@contextlib.contextmanager
def cupy_of(stand_in):
    """Yields CuPy, or the stand-in, while the block runs."""
    if stand_in:
        with fakecupy.installed() as cupy:
            yield cupy
    else:
        yield importlib.import_module("cupy")


def device(stand_in):
    """Returns a description of the device, as a dict.

    Raises:
        NoDevice: none computes.
    """
    try:
        with cupy_of(stand_in) as cupy:
            properties = cupy.cuda.runtime.getDeviceProperties(0)
            total = float((cupy.arange(2) + 1).sum())
    except Exception as error:  # each library has errors of its own: reported
        raise NoDevice(f"No GPU computes: {type(error).__name__}: {error}") from error
    if total != 3.0:
        raise NoDevice(f"No GPU computes: 1 + 2 is {total} on the device.")
    name = properties["name"]
    return {
        "name": name.decode() if isinstance(name, bytes) else name,
        "compute capability": f"{properties['major']}.{properties['minor']}",
        "memory, bytes": int(properties["totalGlobalMem"]),
        "CuPy": cupy.__version__,
        "stand-in": stand_in,
    }


def versions(stand_in):
    """Returns the version of each library, or the reason why it is missing."""
    with cupy_of(stand_in) as cupy:
        cuda = cupy.cuda
        return {
            "driver": _version(lambda: cuda.runtime.driverGetVersion()),
            "runtime": _version(lambda: cuda.runtime.runtimeGetVersion()),
            "NVRTC": _version(lambda: ".".join(map(str, _part(cuda, "nvrtc").getVersion()))),
            "cuBLAS": _version(
                lambda: _part(cuda, "cublas").getVersion(cuda.Device(0).cublas_handle)
            ),
            "cuDNN": _version(lambda: _cudnn_version(cupy)),
            "NCCL": _version(lambda: _part(cuda, "nccl").get_version()),
        }


def _version(read):
    try:
        return {"version": str(read())}
    except Exception as error:  # each library has errors of its own: reported, not raised
        return {"missing": f"{type(error).__name__}: {error}"}


def _part(cuda, name):
    """Returns a part of CuPy's CUDA module; some are modules of their own, some only attributes."""
    if hasattr(cuda, name):
        return getattr(cuda, name)
    return importlib.import_module(f"{cuda.__name__}.{name}")


def _cudnn_version(cupy):
    """Returns the version of cuDNN, or raises ImportError."""
    library = cudnn.load(cupy)
    if library is None:
        raise ImportError("not installed, or not for this CUDA")
    return library.version
