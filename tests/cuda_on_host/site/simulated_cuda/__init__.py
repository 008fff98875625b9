"""CUDA whose device is the host, for real CuPy on a machine without a GPU.

A .pth file of the environment starts this package with Python. At the first import of CuPy it loads
the fake libraries before CuPy looks for NVIDIA's, and puts g++ in the place of NVRTC.

`counters()` counts launches, copies, synchronizations and more.

Every Python process of the environment imports this file when it starts, so further imports are
inside functions.
"""

import os
import sys

_FOLDER = os.path.dirname(__file__)

# In the order of their dependencies, each under the name that CuPy loads.
_NAMES = (
    "libcudart.so.13",
    "libcuda.so.1",
    "libcublasLt.so.13",
    "libcublas.so.13",
    "libnvJitLink.so.13",
    "libcusolver.so.12",
    "libcusparse.so.12",
    "libcufft.so.12",
    "libcurand.so.10",
    "libnccl.so.2",
    "libcudnn.so.9",
)
_loaded = {}


def load_libraries():
    """Loads the fakes; the system's loader then returns them under the names of NVIDIA's."""
    import ctypes

    for name in _NAMES:
        if name not in _loaded:
            path = os.path.join(_FOLDER, "lib", name)
            _loaded[name] = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)
    return _loaded


def counters():
    """Returns how often each kind of event has occurred in this process, by name."""
    import ctypes

    runtime = load_libraries()["libcudart.so.13"]
    name_of, value_of = runtime.host_counter_name, runtime.host_counter_value
    name_of.restype, value_of.restype = ctypes.c_char_p, ctypes.c_long
    return {name_of(i).decode(): value_of(i) for i in range(runtime.host_counter_count())}


class _Watcher:
    """An import finder that finds no module itself, but prepares and completes those of the CuPy
    that is installed in this environment."""

    def find_spec(self, name, path=None, target=None):
        if name not in ("cupy", "cupy_backends", "cupy.cuda.compiler"):
            return None
        from importlib.machinery import PathFinder

        spec = PathFinder.find_spec(name, path)
        if spec is None or not (spec.origin or "").startswith(sys.prefix + os.sep):
            return None
        load_libraries()
        kernels = os.path.join(os.path.dirname(sys.prefix), "kernels")
        os.environ.setdefault("CUPY_CACHE_DIR", kernels)
        return spec if name == "cupy_backends" else self._completed(name, spec)

    def _completed(self, name, spec):
        from . import compiler, poison

        execute = spec.loader.exec_module

        def exec_module(module):
            execute(module)
            if name == "cupy":
                poison.install(module, _loaded["libcudart.so.13"])
            else:
                compiler.take_over(module)

        spec.loader.exec_module = exec_module
        return spec


def watch():
    """Makes the first import of CuPy in this process use the host as its device."""
    sys.meta_path.insert(0, _Watcher())
