"""Which GPU and which CUDA libraries are present."""

import contextlib
import importlib
import importlib.metadata

import fakecupy


@contextlib.contextmanager
def cupy_of(stand_in):
    """CuPy, or the stand-in, while the block runs."""
    if stand_in:
        with fakecupy.installed() as cupy:
            yield cupy
    else:
        yield importlib.import_module("cupy")


def device(stand_in):
    """What the device is, as a dict; None where none computes."""
    try:
        with cupy_of(stand_in) as cupy:
            properties = cupy.cuda.runtime.getDeviceProperties(0)
            name = properties["name"]
            if float((cupy.arange(2) + 1).sum()) != 3.0:
                return None
            return {
                "name": name.decode() if isinstance(name, bytes) else name,
                "compute capability": f"{properties['major']}.{properties['minor']}",
                "memory, bytes": int(properties["totalGlobalMem"]),
                "CuPy": cupy.__version__,
                "stand-in": stand_in,
            }
    except Exception:  # whatever a broken driver raises means: no GPU here
        return None


def found(stand_in):
    """Each library: its version, or why there is none."""
    with cupy_of(stand_in) as cupy:
        asked = {
            "driver": lambda: cupy.cuda.runtime.driverGetVersion(),
            "runtime": lambda: cupy.cuda.runtime.runtimeGetVersion(),
            "NVRTC": lambda: ".".join(
                map(str, importlib.import_module("cupy.cuda.nvrtc").getVersion())
            ),
            "cuBLAS": lambda: _cublas(cupy),
            "cuDNN": lambda: _distribution("nvidia-cudnn-cu13", "nvidia-cudnn-cu12"),
            "NCCL": lambda: importlib.import_module("cupy.cuda.nccl").get_version(),
        }
        return {name: _told(tell) for name, tell in asked.items()}


def _told(tell):
    try:
        return {"version": str(tell())}
    except Exception as error:  # each library has errors of its own: reported, not raised
        return {"missing": f"{type(error).__name__}: {error}"}


def _cublas(cupy):
    cublas = importlib.import_module("cupy.cuda.cublas")
    return cublas.getVersion(cupy.cuda.Device(0).cublas_handle)


def _distribution(*names):
    """The version of the first of these that is installed; the package uses none of it."""
    for name in names:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            return importlib.metadata.version(name)
    raise ImportError("not installed, and not used")
