"""cuBLASLt: matrix products with a vector added to each row, in one kernel.

The description of a product and the algorithm that the library proposes are kept for the next
product of the same shapes. An algorithm relies on the alignment of addresses; `prepared` requires
ALIGNMENT.
"""

import ctypes
import threading
import weakref
from ctypes import byref, c_int, c_int64, c_size_t, c_uint32, c_uint64, c_void_p

from . import cublas
from .version import cuda_major

ALIGNMENT = 16  # bytes
TRANSA, TRANSB, EPILOGUE, BIAS_POINTER = 3, 4, 7, 8  # attributes of a product
MAX_WORKSPACE, REDUCTION_MASK, FIRST_ALIGNMENT = 1, 3, 5  # attributes of a preference
EPILOGUE_BIAS = 4
EXACT_REDUCTIONS = 2  # adds partial sums in the type of sums; in place would be in the result's
SCALE_32F = 0
REAL = (0, 2, 14)  # the codes of float32, float16 and bfloat16

_FUNCTIONS = ("Create", "Matmul", "MatmulDescCreate", "MatmulDescDestroy") + tuple(
    f"{kind}{step}"
    for kind in ("MatrixLayout", "MatmulPreference")
    for step in ("Create", "Destroy")
)
_SETTERS = "MatmulDescSetAttribute", "MatmulPreferenceSetAttribute", "MatmulAlgoGetHeuristic"


class _Heuristic(ctypes.Structure):
    """An algorithm that cuBLASLt proposes for a product, as its C struct."""

    _fields_ = [
        ("algorithm", c_uint64 * 8),
        ("workspace", c_size_t),
        ("state", c_int),
        ("waves", ctypes.c_float),
        ("reserved", c_int * 4),
    ]


def load(module, products):
    """Returns the cuBLASLt that belongs to the cuBLAS of `products`; None if it is missing or lacks
    a function.

    Args:
        module: CuPy.
        products (cublas.Library): cuBLAS, or None if it is missing.
    """
    if products is None:
        return None
    major = cuda_major(module)
    for name in (f"libcublasLt.so.{major}", f"cublasLt64_{major}.dll"):
        try:
            return Library(module, products, ctypes.CDLL(name))
        except (OSError, AttributeError):
            continue
    return None


class Library:
    """The functions of cuBLASLt, with a handle for each GPU.

    Args:
        module: CuPy.
        products (cublas.Library): the library whose workspaces are used.
        library: the loaded library.

    Raises:
        AttributeError: if the library lacks one of the functions.
    """

    def __init__(self, module, products, library):
        self._cuda, self._products = module.cuda, products
        for name in (*_FUNCTIONS, *_SETTERS):
            setattr(self, f"_{name}", getattr(library, f"cublasLt{name}"))
        self._handles = {}

    def _handle(self):
        gpu = self._cuda.runtime.getDevice()
        handle = self._handles.get(gpu)
        if handle is None:
            handle = self._handles[gpu] = self._new("Create")
        return handle

    def _new(self, name, *arguments):
        pointer = c_void_p()
        cublas.check(getattr(self, f"_{name}")(byref(pointer), *arguments), f"cublasLt{name}")
        return pointer

    def _set(self, kind, description, attribute, value):
        name = f"{kind}SetAttribute"
        size = c_size_t(ctypes.sizeof(value))
        status = getattr(self, f"_{name}")(description, c_int(attribute), byref(value), size)
        cublas.check(status, f"cublasLt{name}")

    def prepared(self, kind, turns, sizes, leads):
        """Returns a function that takes the addresses of A, B, C and a vector, aligned to
        ALIGNMENT, and computes C = A @ B plus the vector, which is added to each column of C.
        Returns None if cuBLASLt proposes no algorithm.

        Args:
            kind, turns, sizes, leads: as for `cublas.Library.prepared`.
        """
        if kind.data not in REAL:
            return None
        rows, columns, inner = sizes
        shapes = (rows, inner), (inner, columns), (rows, columns)
        matrices = [
            self._layout(kind, shape, turn, lead)
            for shape, turn, lead in zip(shapes, (*turns, 0), leads, strict=True)
        ]
        description = self._new("MatmulDescCreate", c_int(kind.compute), c_int(SCALE_32F))
        for attribute, value in (
            (TRANSA, c_int(turns[0])),
            (TRANSB, c_int(turns[1])),
            (EPILOGUE, c_uint32(EPILOGUE_BIAS)),
            (BIAS_POINTER, c_void_p(ALIGNMENT)),  # a proposal depends on how it is aligned
        ):
            self._set("MatmulDesc", description, attribute, value)
        proposal = self._proposal(description, matrices)
        if proposal is None:
            self._destroy(description, matrices)
            return None
        multiply = self._multiply(kind, description, matrices, proposal)
        weakref.finalize(multiply, self._destroy, description, matrices).atexit = False
        return multiply

    def _layout(self, kind, shape, turn, lead):
        rows, columns = shape[::-1] if turn else shape
        sizes = c_uint64(rows), c_uint64(columns), c_int64(lead)
        return self._new("MatrixLayoutCreate", c_int(kind.data), *sizes)

    def _proposal(self, description, matrices):
        """Returns the algorithm that cuBLASLt proposes for a product, as a _Heuristic, or None."""
        preference = self._new("MatmulPreferenceCreate")
        workspace = self._products.workspace()
        wishes = {
            MAX_WORKSPACE: c_uint64(workspace.size),
            REDUCTION_MASK: c_uint32(EXACT_REDUCTIONS),
        }
        for matrix in range(4):
            wishes[FIRST_ALIGNMENT + matrix] = c_uint32(ALIGNMENT)
        for attribute, value in wishes.items():
            self._set("MatmulPreference", preference, attribute, value)
        proposal, count = _Heuristic(), c_int()
        status = self._MatmulAlgoGetHeuristic(
            *(self._handle(), description, *matrices, matrices[2], preference, c_int(1)),
            *(byref(proposal), byref(count)),
        )
        self._MatmulPreferenceDestroy(preference)
        return None if status or not count.value or proposal.state else proposal

    def _multiply(self, kind, description, matrices, proposal):
        """Returns the function that `prepared` returns."""
        left, right, result = matrices
        lock, function, zero, unit = threading.Lock(), self._Matmul, kind.zero, kind.one
        size = c_size_t(ctypes.sizeof(c_void_p))

        def multiply(a, b, c, vector):
            stream = c_void_p(self._cuda.get_current_stream().ptr)
            memory, out = self._products.workspace(), c_void_p(c)
            workspace = c_void_p(memory.ptr), c_size_t(memory.size)
            with lock:  # the address of the vector belongs to what is shared
                self._MatmulDescSetAttribute(
                    description, c_int(BIAS_POINTER), byref(c_void_p(vector)), size
                )
                status = function(
                    *(self._handle(), description, unit, c_void_p(a), left, c_void_p(b), right),
                    *(zero, out, result, out, result, byref(proposal), *workspace, stream),
                )
            if status:
                cublas.check(status, "cublasLtMatmul")

        return multiply

    def _destroy(self, description, matrices):
        for matrix in matrices:
            self._MatrixLayoutDestroy(matrix)
        self._MatmulDescDestroy(description)
