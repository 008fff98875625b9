"""Runs the text of a CUDA kernel on the host: compiled by a C++ compiler, one thread after another.

In a kernel with barriers each thread of a block has a stack, and a thread runs until the next
`__syncthreads`. If threads of a block do not meet there, an error is raised. A shuffle is two such
barriers, so all threads of a block have to take part. This shows whether the
arithmetic, indexing and barriers of a kernel are correct, but not races between two barriers.
Without a compiler, NotImplementedError is raised.
"""

import contextlib
import ctypes
import functools
import hashlib
import math
import os
import pathlib
import re
import shutil
import subprocess
import tempfile
import threading
import time
import weakref

import numpy

from . import counting, graphs
from .arrays import ndarray

PRELUDE = """
#define FUNCTION(name) inline float name(float x) { return __builtin_##name##f(x); } \\
    inline double name(double x) { return __builtin_##name(x); }
FUNCTION(exp) FUNCTION(expm1) FUNCTION(log) FUNCTION(log1p) FUNCTION(sqrt) FUNCTION(tanh)
FUNCTION(erf) FUNCTION(fabs) FUNCTION(floor) FUNCTION(ceil) FUNCTION(rint)
inline float pow(float x, float y) { return __builtin_powf(x, y); }
inline double pow(double x, double y) { return __builtin_pow(x, y); }
inline float fmod(float x, float y) { return __builtin_fmodf(x, y); }
inline double fmod(double x, double y) { return __builtin_fmod(x, y); }
inline double fmax(double x, double y) { return __builtin_fmax(x, y); }
inline double fmin(double x, double y) { return __builtin_fmin(x, y); }
#define INFINITY __builtin_inff()
struct Place { unsigned x, y, z; };
static thread_local Place gridDim, blockDim, blockIdx, threadIdx;
#define __global__
#define __device__ static inline
#define __launch_bounds__(threads)
#define __forceinline__ inline
#define __restrict__ __restrict
template <class T> static T atomicAdd(T* at, T value) { T old = *at; *at += value; return old; }
static unsigned atomicInc(unsigned* at, unsigned most) {
    unsigned old = *at; *at = old >= most ? 0 : old + 1; return old;
}
static void __threadfence() {}
template <class T> static T atomicMin(T* at, T value) {
    T old = *at; if (value < old) *at = value; return old;
}
template <class T> static T atomicCAS(T* at, T expected, T value) {
    T old = *at; if (old == expected) *at = value; return old;
}
"""
LAUNCH = """
static void run_thread(void** given) {{ {name}({arguments}); }}
{threads}
extern "C" int launch_on_host(const unsigned* sizes, void** given) {{
    const Rounding rounding({flushes});
    gridDim = {{sizes[0], sizes[1], sizes[2]}};
    blockDim = {{sizes[3], sizes[4], sizes[5]}};
    for (unsigned b = 0; b < gridDim.x * gridDim.y * gridDim.z; ++b) {{
        blockIdx = {{b % gridDim.x, b / gridDim.x % gridDim.y, b / gridDim.x / gridDim.y}};
        if (run_block(blockDim.x * blockDim.y * blockDim.z, given)) return 1;
    }}
    return 0;
}}
"""
# CuPy compiles with -ftz=true: arithmetic reads float32 subnormals as 0 and returns 0 for them.
FLUSHING = """
#ifdef __SSE__
struct Rounding {
    unsigned before = __builtin_ia32_stmxcsr();
    Rounding(bool flushes) { if (flushes) __builtin_ia32_ldmxcsr(before | 0x8040u); }
    ~Rounding() { __builtin_ia32_ldmxcsr(before); }
};
#else
struct Rounding { Rounding(bool) {} };
#endif
"""
PLACE = """
static void enter(unsigned t) {
    threadIdx = {t % blockDim.x, t / blockDim.x % blockDim.y, t / blockDim.x / blockDim.y};
}
"""
ALONE = (
    PLACE
    + """
static int run_block(unsigned count, void** given) {
    for (unsigned t = 0; t < count; ++t) { enter(t); run_thread(given); }
    return 0;
}
"""
)
BARRIER = """
#include <setjmp.h>
#include <ucontext.h>
#include <string.h>
#define __shared__ static
static void __syncthreads();
static unsigned long long exchanged[1024];
template <class T> static T __shfl_xor_sync(unsigned, T value, int other, int = 32) {
    const unsigned own = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    memcpy(exchanged + own, &value, sizeof value);
    __syncthreads();
    memcpy(&value, exchanged + (own ^ other), sizeof value);
    __syncthreads();
    return value;
}
"""
TOGETHER = (
    PLACE
    + """
static struct { jmp_buf state; bool begun, done; char stack[32768]; } each[1024];
static jmp_buf back;
static ucontext_t first, unused;
static unsigned volatile running;
static void** held;
static void __syncthreads() {
    if (!_setjmp(each[running].state)) _longjmp(back, 1);
    enter(running);
}
static void begin() { run_thread(held); each[running].done = true; _longjmp(back, 1); }
static int run_block(unsigned count, void** given) {
    held = given;
    for (unsigned t = 0; t < count; ++t) each[t].begun = each[t].done = false;
    for (;;) {
        for (running = 0; running < count; running = running + 1) {
            if (each[running].done || _setjmp(back)) continue;
            enter(running);
            if (each[running].begun) _longjmp(each[running].state, 1);
            each[running].begun = true;
            getcontext(&first);
            first.uc_stack.ss_sp = each[running].stack;
            first.uc_stack.ss_size = sizeof each[running].stack;
            first.uc_link = &unused;
            makecontext(&first, begin, 0);
            setcontext(&first);
        }
        unsigned done = 0;
        for (unsigned t = 0; t < count; ++t) done += each[t].done;
        if (done == count) return 0;
        if (done) return 1;
    }
}
"""
)
PYTHON_NUMBERS = {bool: numpy.bool_, int: numpy.int64, float: numpy.float64}
SIZES = {"int": 4, "unsigned": 4, "float": 4, "double": 8, "long long": 8, "bool": 1, "char": 1}


EVERY = weakref.WeakSet()  # the kernels that have been defined
UNUSED = 14 * 24 * 3600  # seconds after which a compiled kernel is removed


def compiler():
    """Returns the path of the C++ compiler, or None."""
    return shutil.which("c++")


@functools.cache
def compiler_version():
    """Returns the compiler's version text."""
    return subprocess.check_output([compiler(), "--version"], text=True)


class RawKernel:
    """A kernel of CUDA text, called as CuPy's."""

    def __init__(
        self,
        code,
        name,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        jitify=False,
    ):
        self.code, self.name, self.options, self.backend = code, name, options, backend
        EVERY.add(self)

    def __call__(self, grid, block, args, *, shared_mem=0):
        note_for_replays = graphs.begin(self._run, (grid, block, args), {})
        self._run(grid, block, args)
        counting.note("launches", self.name)
        counting.submitted(self.name, args)
        note_for_replays(None, [])

    def _run(self, grid, block, args):
        sizes = [*grid, *(1,) * (3 - len(grid)), *block, *(1,) * (3 - len(block))]
        types = parameters(self.code, self.name)
        if math.prod(block) > most_threads(self.code, self.name):
            raise RuntimeError(f"{self.name}: too many resources requested for launch")
        if len(args) != len(types):
            raise TypeError(f"{self.name} takes {len(types)} arguments, but got {len(args)}")
        converted = [passed(value, spelled) for value, spelled in zip(args, types, strict=True)]
        function = compiled(self.code, self.name)
        if function(
            (ctypes.c_uint * 6)(*sizes),
            (ctypes.c_void_p * len(converted))(*[h.ctypes.data for h in converted]),
        ):
            raise RuntimeError(f"some threads of {self.name} ended while others wait for them")


class RawModule:
    """Several kernels in one text."""

    def __init__(
        self,
        code=None,
        *,
        path=None,
        options=(),
        backend="nvrtc",
        translate_cucomplex=False,
        enable_cooperative_groups=False,
        name_expressions=None,
        jitify=False,
    ):
        self.code, self.options, self.backend = code, options, backend

    def get_function(self, name):
        """Returns the kernel of this name."""
        return RawKernel(self.code, name, self.options, self.backend)


def parameters(code, name):
    """Returns the types of a kernel's parameters, as spelled."""
    return [
        re.sub(r"\s*\w+$", "", part.replace("__restrict__", "").strip())
        for part in _head(code, name)["parameters"].split(",")
    ]


def most_threads(code, name):
    """Returns the most threads that a block may have, from the kernel's launch bounds. Without
    bounds the compiler may use 255 registers per thread, and a block has 65,536."""
    return int(_head(code, name)["threads"] or 256)


def _head(code, name):
    """Returns the regular expression's match of a kernel's first line."""
    found = re.search(
        rf"__global__\s+void\s+(__launch_bounds__\((?P<threads>\d+)\)\s+)?"
        rf"{name}\s*\((?P<parameters>[^)]*)\)",
        code,
    )
    if found is None:
        raise ValueError(f"no kernel {name} in the text")
    return found


def passed(value, spelled):
    """Returns an argument as an array whose first bytes are passed to the kernel."""
    if isinstance(value, ndarray):
        if "*" not in spelled:
            raise TypeError(f"an array is given for a parameter of type {spelled}")
        return numpy.array([value._host.ctypes.data], numpy.uintp)
    if isinstance(value, numpy.ndarray):
        if value.size != 1:
            raise TypeError("Only numpy.ndarrays of size one can be passed by value.")
        return value.reshape(1)
    if value is None:
        return numpy.zeros(1, numpy.uintp)
    made = numpy.array([value], PYTHON_NUMBERS.get(type(value)))
    if SIZES.get(spelled.replace("const ", ""), made.itemsize) != made.itemsize:
        raise TypeError(
            f"{made.dtype} is given for a parameter of type {spelled}: a GPU would read other bytes"
        )
    return made


@functools.cache
def folder():
    """Returns the folder of the libraries that processes share. It is in the user's cache, or a
    temporary folder if the cache is not writable. Libraries that nobody used for two weeks are
    removed."""
    cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    shared = pathlib.Path(cache, "mindspore_compat", "fakecupy")
    try:
        shared.mkdir(parents=True, exist_ok=True)
        tempfile.TemporaryFile(dir=shared).close()
    except OSError:
        return pathlib.Path(temporary_folder().name)
    for old in shared.iterdir():
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > UNUSED:
                old.unlink()
    return shared


@functools.cache
def temporary_folder():
    """Returns a folder that is removed with the process."""
    return tempfile.TemporaryDirectory(prefix="fakecupy-")


@functools.cache
def compiled(code, name):
    """Returns the function that runs a kernel over its whole grid."""
    if compiler() is None:
        raise NotImplementedError(f"the stand-in needs a C++ compiler or a GPU to run {name}")
    spelled = parameters(code, name)
    arguments = ", ".join(f"*({kind}*)given[{i}]" for i, kind in enumerate(spelled))
    together = re.search("__syncthreads|__shared__|__shfl", code) is not None
    launch = LAUNCH.format(
        name=name,
        arguments=arguments,
        threads=TOGETHER if together else ALONE,
        flushes=int(re.search(r"\bfloat\b", code) is not None),
    )
    text = PRELUDE + BARRIER * together + code + FLUSHING + launch
    command = [compiler(), "-O1", "-ffp-contract=off", "-shared", "-fPIC", "-x", "c++"]
    label = hashlib.sha1("\0".join([*command, compiler_version(), text]).encode()).hexdigest()
    library = folder() / f"{label}.so"
    try:
        os.utime(library)  # it is in use
    except FileNotFoundError:
        _compile(command, text, library, name)
    return ctypes.CDLL(str(library)).launch_on_host


def _compile(command, text, library, name):
    """Compiles to a file name of this thread first, because other threads and processes may compile
    the same kernel."""
    made = library.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    done = subprocess.run([*command, "-o", made, "-"], input=text, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"the kernel {name} does not compile:\n{done.stderr}")
    made.replace(library)
