"""cuBLAS, called through our own handles.

CuPy refuses its functions while a stream is captured, because a product may then allocate memory.
Here each stream has its own workspace, so a product allocates nothing and can be captured. The
library is the one that CuPy has loaded. If there is none, `load` returns None, and CuPy computes
the products.

A matrix is described in the library's column-major terms; products.py translates arrays to these.
"""

import ctypes
import threading
from ctypes import byref, c_int, c_longlong, c_size_t, c_void_p
from typing import NamedTuple

import ml_dtypes
import numpy

from .handles import Handles
from .streams import PER_THREAD
from .version import cuda_major

HOPPER = 9  # from this compute capability on, products want a larger workspace
WORKSPACE, LARGE_WORKSPACE = 4 << 20, 32 << 20  # bytes, as the library's manual recommends
MATH_MODE = 16  # DISALLOW_REDUCED_PRECISION_REDUCTION: partial sums of half types stay float32
ALGORITHM = -1  # DEFAULT: the library chooses
COMPUTE_32F, COMPUTE_32F_FAST_TF32, COMPUTE_64F = 68, 77, 70
LARGEST = 2**31 - 1  # limit of a length or a leading dimension

STATUS = {
    1: "NOT_INITIALIZED",
    3: "ALLOC_FAILED",
    7: "INVALID_VALUE",
    8: "ARCH_MISMATCH",
    11: "MAPPING_ERROR",
    13: "EXECUTION_FAILED",
    14: "INTERNAL_ERROR",
    15: "NOT_SUPPORTED",
    16: "LICENSE_ERROR",
}

# Whether float32 products may use TF32, except the products of convolutions. MindSpore allows
# TF32 for convolutions by default; here float32 stays float32 unless the user asks for TF32.
tf32 = {"matmul": False, "conv": False}


class Kind(NamedTuple):
    """A dtype in the form that cuBLAS requires: the codes of the matrices, the sums and the result,
    and the numbers 0 and 1 in the type of the sums. A product with a factor has the factor in place
    of 1."""

    data: int
    compute: int
    zero: ctypes.Array
    one: ctypes.Array
    out: int


def _kind(data, compute, letter, length=1):
    number = ctypes.c_double if letter == "d" else ctypes.c_float
    return Kind(data, compute, (number * length)(0), (number * length)(1), data)


def in_float32(dtype, factor):
    """Returns the Kind of a product of low-precision matrices whose result is float32, times a
    factor."""
    return KINDS[dtype]._replace(out=KINDS[FLOAT32].data, one=(ctypes.c_float * 1)(factor))


FLOAT32 = numpy.dtype(numpy.float32)
KINDS = {
    FLOAT32: _kind(0, COMPUTE_32F, "f"),
    numpy.dtype(numpy.float64): _kind(1, COMPUTE_64F, "d"),
    numpy.dtype(numpy.float16): _kind(2, COMPUTE_32F, "f"),
    numpy.dtype(ml_dtypes.bfloat16): _kind(14, COMPUTE_32F, "f"),
    numpy.dtype(numpy.complex64): _kind(4, COMPUTE_32F, "f", 2),
    numpy.dtype(numpy.complex128): _kind(5, COMPUTE_64F, "d", 2),
}
TF32 = KINDS[FLOAT32]._replace(compute=COMPUTE_32F_FAST_TF32)

_FUNCTIONS = (
    "cublasCreate_v2",
    "cublasSetStream_v2",
    "cublasSetWorkspace_v2",
    "cublasSetMathMode",
    "cublasGemmEx",
    "cublasGemmStridedBatchedEx",
    "cublasGemmBatchedEx",
)


def load(module):
    """Returns the library behind an array module; None if there is none, or if it lacks a function.

    Args:
        module: CuPy, or its stand-in.
    """
    major = cuda_major(module)
    if major is None:
        return None
    for name in (f"libcublas.so.{major}", f"cublas64_{major}.dll"):
        try:
            return Library(module, ctypes.CDLL(name))
        except (OSError, AttributeError):
            continue
    return None


class Library:
    """The functions of cuBLAS that products need, with a handle for each thread and GPU.

    Args:
        module: CuPy.
        library: the loaded library.

    Raises:
        AttributeError: if the library lacks one of the functions.
    """

    def __init__(self, module, library):
        self._cuda = module.cuda
        for name in _FUNCTIONS:
            setattr(self, name, getattr(library, name))
        self.handles = Handles(self._new_handle)
        self._workspaces = {}  # (GPU, stream) -> memory that work on this stream may use
        self._workspaces_of_thread = threading.local()  # the same for its default stream

    def handle(self):
        """Returns the handle of this thread for the current GPU and stream."""
        gpu = self._cuda.runtime.getDevice()
        stream = self._cuda.get_current_stream().ptr
        lease = self.handles.lease(gpu)
        handle = lease.handle
        if stream != lease.stream:
            check(self.cublasSetStream_v2(handle, c_void_p(stream)), "cublasSetStream")
            memory = self.workspace()
            status = self.cublasSetWorkspace_v2(handle, c_void_p(memory.ptr), c_size_t(memory.size))
            check(status, "cublasSetWorkspace")
            lease.stream = stream
        return handle

    def _new_handle(self):
        handle = c_void_p()
        check(self.cublasCreate_v2(byref(handle)), "cublasCreate")
        check(self.cublasSetMathMode(handle, MATH_MODE), "cublasSetMathMode")
        return handle

    def workspace(self):
        """Returns the workspace of the current stream. It is never freed, because graphs captured
        from the stream keep using it. It does not come from a memory pool, because a capture would
        then have to keep the pool. The workspace of a thread's default stream is freed when the
        thread ends, after its work is done."""
        gpu, stream = self._cuda.runtime.getDevice(), self._cuda.get_current_stream().ptr
        workspaces = self._workspaces
        if stream == PER_THREAD:
            workspaces = self._workspaces_of_thread.__dict__
        memory = workspaces.get((gpu, stream))
        if memory is None:
            capability = int(self._cuda.Device(gpu).compute_capability)
            size = LARGE_WORKSPACE if capability >= 10 * HOPPER else WORKSPACE
            memory = workspaces[gpu, stream] = self._cuda.Memory(size)
        return memory

    def prepared(self, kind, turns, sizes, leads, steps=None, count=None):
        """Returns a function that takes the addresses of A, B and C, and computes C = A @ B. The
        arguments are converted here once, since that takes longer than the call itself.

        Args:
            kind (Kind): the dtype.
            turns: for A and B, 1 if the matrix is read transposed, else 0.
            sizes: rows of A, columns of B, columns of A.
            leads: the leading dimensions of A, B and C.
            steps: the elements from one matrix to the next, for `count` of each; None if the three
                addresses point to arrays of `count` addresses.
            count (int): the number of products; None for one.
        """
        name = "cublasGemmEx"
        if count is not None:
            name = "cublasGemmBatchedEx" if steps is None else "cublasGemmStridedBatchedEx"
        data, compute, zero, one, out = kind
        matrices = [
            (c_int(code), c_int(lead), *(() if steps is None else (c_longlong(steps[side]),)))
            for side, (code, lead) in enumerate(zip((data, data, out), leads))
        ]
        first = (*(c_int(number) for number in (*turns, *sizes)), one)
        second, third = matrices[0], (*matrices[1], zero)
        last = (*matrices[2], *(() if count is None else (c_int(count),)))
        last = (*last, c_int(compute), c_int(ALGORITHM))
        function = getattr(self, name)

        def multiply(a, b, c):
            status = function(
                *(self.handle(), *first, c_void_p(a), *second, c_void_p(b), *third),
                *(c_void_p(c), *last),
            )
            if status:
                check(status, name)

        return multiply


def check(status, name):
    """Raises RuntimeError for a status that is not success."""
    if status:
        raise RuntimeError(f"{name} of cuBLAS failed with the status {STATUS.get(status, status)}.")
