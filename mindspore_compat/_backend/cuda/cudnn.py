"""cuDNN, called through our own handles: its stable C functions for convolutions and recurrent
layers.

The library comes with the extras `cudnn12` and `cudnn13`, or with the system. If it is missing, or
belongs to another CUDA than CuPy's, `load` returns None, and all is computed without it.
A call allocates nothing and waits for nothing, so it can be captured; the caller provides its
workspace.

convolution.py describes the convolutions, and recurrent.py the recurrent layers; this file has
descriptors, algorithms and status codes.
"""

import ctypes
import importlib.util
import os
from ctypes import byref, c_double, c_float, c_int, c_size_t, c_uint, c_ulonglong, c_void_p
from typing import NamedTuple

import ml_dtypes
import numpy

from .handles import Handles
from .version import cuda_major

NAMES = ("libcudnn.so.9", "cudnn64_9.dll")
CHANNELS_SECOND, CHANNELS_LAST = 0, 1  # TENSOR_NCHW, TENSOR_NHWC
CROSS_CORRELATION = 1
DEFAULT_MATH, TENSOR_OP_MATH, FMA_MATH = 0, 1, 3  # the last is float32 without TF32
DETERMINISTIC = 1
ALIGNMENT = 16  # bytes: kernels read vectors
NOT_SUPPORTED = range(3000, 4000)  # status codes for requests that the library does not support
MOST_ALGORITHMS = 10  # the library has at most eight for a function
PASSES = ("Forward", "BackwardData", "BackwardFilter")

FLOAT32, FLOAT64 = numpy.dtype(numpy.float32), numpy.dtype(numpy.float64)
HALF_TYPES = (numpy.dtype(numpy.float16), numpy.dtype(ml_dtypes.bfloat16))
TYPES = {FLOAT32: 0, FLOAT64: 1, HALF_TYPES[0]: 2, HALF_TYPES[1]: 9}


class Performance(ctypes.Structure):
    """The C struct in which cuDNN's heuristics report on an algorithm. The three tasks have their
    own structs, with the same fields."""

    _fields_ = [
        ("algo", c_int),
        ("status", c_int),
        ("time", c_float),
        ("memory", c_size_t),
        ("determinism", c_int),
        ("mathType", c_int),
        ("reserved", c_int * 3),
    ]


FUNCTIONS = {  # name -> types of its parameters
    "cudnnCreate": (c_void_p,),
    "cudnnSetStream": (c_void_p,) * 2,
    "cudnnSetTensorNdDescriptor": (c_void_p, c_int, c_int, c_void_p, c_void_p),
    "cudnnSetFilterNdDescriptor": (c_void_p, c_int, c_int, c_int, c_void_p),
    "cudnnSetConvolutionNdDescriptor": (
        *(c_void_p, c_int, c_void_p, c_void_p, c_void_p, c_int, c_int),
    ),
    "cudnnSetConvolutionGroupCount": (c_void_p, c_int),
    "cudnnSetConvolutionMathType": (c_void_p, c_int),
}
FUNCTIONS |= {
    "cudnnSetDropoutDescriptor": (c_void_p, c_void_p, c_float, c_void_p, c_size_t, c_ulonglong),
    "cudnnSetRNNDescriptor_v8": (c_void_p, *(c_int,) * 12, c_void_p, c_uint),
    "cudnnSetRNNDataDescriptor": (c_void_p, *(c_int,) * 5, c_void_p, c_void_p),
    "cudnnGetRNNWeightSpaceSize": (c_void_p,) * 3,
    "cudnnGetRNNWeightParams": (
        *(c_void_p, c_void_p, c_int, c_size_t, c_void_p, c_int),
        *((c_void_p,) * 4),
    ),
    "cudnnGetRNNTempSpaceSizes": (c_void_p, c_void_p, c_int, *(c_void_p,) * 3),
    "cudnnRNNForward": (c_void_p, c_void_p, c_int, *(c_void_p,) * 11, *(c_size_t, c_void_p) * 3),
    "cudnnRNNBackwardData_v8": (*(c_void_p,) * 16, *(c_size_t, c_void_p) * 3),
    "cudnnRNNBackwardWeights_v8": (
        *(c_void_p, c_void_p, c_int, *(c_void_p,) * 7),
        *(c_size_t, c_void_p) * 3,
    ),
}
for _kind in ("Tensor", "Filter", "Convolution", "Dropout", "RNN", "RNNData"):
    FUNCTIONS[f"cudnnCreate{_kind}Descriptor"] = (c_void_p,)
    FUNCTIONS[f"cudnnDestroy{_kind}Descriptor"] = (c_void_p,)
for _name in PASSES:
    _DESCRIPTORS = (c_void_p,) * 5  # the handle and four descriptors
    _ranked_algorithms = (*_DESCRIPTORS, c_int, c_void_p, c_void_p)
    FUNCTIONS[f"cudnnGetConvolution{_name}Algorithm_v7"] = _ranked_algorithms
    FUNCTIONS[f"cudnnGetConvolution{_name}WorkspaceSize"] = (*_DESCRIPTORS, c_int, c_void_p)
    FUNCTIONS[f"cudnnConvolution{_name}"] = (
        *((c_void_p,) * 7),
        *(c_int, c_void_p, c_size_t),
        *((c_void_p,) * 3),
    )

_NUMBERS = {dtype: (kind * 2)(1, 0) for dtype, kind in ((FLOAT32, c_float), (FLOAT64, c_double))}
SCALARS = {  # the addresses of 1 and 0 in the type of sums
    dtype: (ctypes.addressof(pair), ctypes.addressof(pair) + dtype.itemsize)
    for dtype, pair in _NUMBERS.items()
}


class Refused(Exception):
    """Raised if cuDNN does not support the described computation."""


class Algorithm(NamedTuple):
    """An algorithm for a convolution.

    Args:
        run (Callable): takes a handle and the addresses of the workspace, the two operands and the
            result; returns the status.
        workspace (int): the number of bytes that it needs.
    """

    run: object
    workspace: int


def load(module):
    """Returns the library for an array module; None if it is missing or lacks a function.

    Args:
        module: CuPy, or its stand-in.
    """
    major = cuda_major(module)
    if major is None:
        return None
    for path in _paths():
        try:
            library = ctypes.CDLL(path)
            library.cudnnGetCudartVersion.restype = c_size_t
            if library.cudnnGetCudartVersion() // 1000 == major:
                return Library(module, library)
        except (OSError, AttributeError):
            continue
    return None


def _paths():
    """Yields the possible locations of the library: the process or the system, or its package."""
    yield from NAMES
    try:
        spec = importlib.util.find_spec("nvidia.cudnn")
    except ModuleNotFoundError:
        return
    for folder in spec.submodule_search_locations or () if spec else ():
        yield from (os.path.join(folder, *path) for path in zip(("lib", "bin"), NAMES, strict=True))


class Library:
    """The functions of cuDNN that the package calls, with a handle for each thread and GPU.

    Args:
        module: CuPy.
        library: the loaded library.

    Attributes:
        version (int): such as 92801 for 9.28.1.

    Raises:
        AttributeError: if the library lacks one of the functions.
    """

    def __init__(self, module, library):
        self._cuda = module.cuda
        for name, types in FUNCTIONS.items():
            function = getattr(library, name)
            function.argtypes, function.restype = types, c_int
            setattr(self, name, function)
        self.version = library.cudnnGetVersion()
        self._message = library.cudnnGetErrorString
        self._message.argtypes, self._message.restype = (c_int,), ctypes.c_char_p
        self.handles = Handles(self._new_handle)

    def handle(self):
        """Returns the current GPU, and this thread's handle for it, set to the current stream.

        Raises:
            Refused: if the library does not start on the GPU.
        """
        gpu = self._cuda.runtime.getDevice()
        handle = self.handles.lease(gpu).handle
        status = self.cudnnSetStream(handle, self._cuda.get_current_stream().ptr)
        self.check(status, "cudnnSetStream")
        return gpu, handle

    def _new_handle(self):
        pointer = c_void_p()
        self.refuse(self.cudnnCreate(byref(pointer)))
        return pointer.value

    def check(self, status, name):
        """Raises an error that names the function, unless the status is success."""
        if status:
            raise RuntimeError(f"{name} failed with the status {self._message(status).decode()}.")

    def refuse(self, status):
        """Raises Refused with the name of the status, unless it is success."""
        if status:
            raise Refused(self._message(status).decode())

    def images(self, shape, dtype, channels_last):
        """Returns the descriptor of images (batch, channels, two or three spatial axes) without
        gaps."""
        sizes = [shape[0], *shape[2:], shape[1]] if channels_last else shape
        steps = [1]
        for size in reversed(sizes[1:]):
            steps.insert(0, steps[0] * size)
        if channels_last:
            steps.insert(1, steps.pop())
        descriptor = Descriptor(self, "Tensor")
        descriptor.set("NdDescriptor", TYPES[dtype], len(shape), ints(shape), ints(steps))
        return descriptor

    def filters(self, shape, dtype, channels_last):
        """Returns the descriptor of weights (filters, channels / groups, kernel...) without
        gaps."""
        layout = CHANNELS_LAST if channels_last else CHANNELS_SECOND
        descriptor = Descriptor(self, "Filter")
        descriptor.set("NdDescriptor", TYPES[dtype], layout, len(shape), ints(shape))
        return descriptor

    def convolution(self, pads, stride, dilation, groups, dtype, math):
        """Returns the descriptor of a convolution; half types are summed in float32."""
        descriptor = Descriptor(self, "Convolution")
        sizes = [ints(values) for values in (pads, stride, dilation)]
        compute = TYPES[sum_type(dtype)]
        descriptor.set("NdDescriptor", len(pads), *sizes, CROSS_CORRELATION, compute)
        descriptor.set("GroupCount", groups)
        descriptor.set("MathType", math)
        return descriptor

    def algorithms(self, name, operands, sizes, dtype, tf32, most):
        """Returns the algorithms that give the same bits each time and need a workspace of at most
        `most` bytes, the fastest first by the library's heuristics.

        Args:
            name (str): one of PASSES.
            operands: the descriptors of both operands and of the result, in the order of the call.
            sizes: pads, stride, dilation and groups.
            dtype (numpy.dtype): of the arrays.
            tf32 (bool): whether float32 may be multiplied in TF32.
            most (int): the limit of the workspace.

        Raises:
            Refused: if there is none.
        """
        math = FMA_MATH if dtype == FLOAT32 and not tf32 else DEFAULT_MATH
        math = TENSOR_OP_MATH if dtype in HALF_TYPES else math
        convolutions = {math: self.convolution(*sizes, dtype, math)}
        algorithms = []
        for entry in self._ranked_algorithms(name, operands, convolutions[math]):
            if entry.status or entry.determinism != DETERMINISTIC:
                continue
            math_type = math if math == FMA_MATH else entry.mathType
            if math_type not in convolutions:
                convolutions[math_type] = self.convolution(*sizes, dtype, math_type)
            algorithm = self._algorithm(name, operands, convolutions[math_type], entry.algo, dtype)
            if algorithm.workspace <= most:
                algorithms.append(algorithm)
        return algorithms

    def _ranked_algorithms(self, name, operands, convolution):
        """Returns the reports of cuDNN's heuristics on the algorithms for a task, best first; the
        arguments are as for `algorithms`, with the descriptor of the convolution."""
        results, count = (Performance * MOST_ALGORITHMS)(), c_int()
        x, y, result = (operand.address for operand in operands)
        status = getattr(self, f"cudnnGetConvolution{name}Algorithm_v7")(
            *(self.handle()[1], x, y, convolution.address, result),
            *(MOST_ALGORITHMS, byref(count), results),
        )
        self.refuse(status)
        return results[: count.value]

    def _algorithm(self, name, operands, convolution, number, dtype):
        descriptors = [operand.address for operand in (*operands[:2], convolution, operands[2])]
        size = c_size_t()
        status = getattr(self, f"cudnnGetConvolution{name}WorkspaceSize")(
            self.handle()[1], *descriptors, number, byref(size)
        )
        self.refuse(status)
        function, size = getattr(self, f"cudnnConvolution{name}"), size.value
        (one, zero), (first, second, sizes, third) = SCALARS[sum_type(dtype)], descriptors

        def run(handle, workspace, x, y, result):
            return function(
                *(handle, one, first, x, second, y, sizes, number),
                *(workspace, size, zero, third, result),
            )

        run.descriptors = operands, convolution  # these live as long as their addresses are used
        return Algorithm(run, size)


class Descriptor:
    """A descriptor of the library, destroyed with this object.

    Args:
        library (Library): the library.
        kind (str): the part of the functions' names before "Descriptor", such as "Filter".

    Attributes:
        address (int): the address that functions take.
    """

    def __init__(self, library, kind):
        self._library, self._kind = library, kind
        pointer = c_void_p()
        create = getattr(library, f"cudnnCreate{kind}Descriptor")
        library.refuse(create(byref(pointer)))
        self.address = pointer.value

    def set(self, name, *values):
        """Sets a property; `name` is the part of the function's name after the kind.

        Raises:
            Refused: if the library does not accept these values.
        """
        function = getattr(self._library, f"cudnnSet{self._kind}{name}")
        self._library.refuse(function(self.address, *values))

    def __del__(self):
        if hasattr(self, "address"):
            getattr(self._library, f"cudnnDestroy{self._kind}Descriptor")(self.address)


def ints(values):
    return (c_int * len(values))(*values)


def sum_type(dtype):
    return FLOAT64 if dtype == FLOAT64 else FLOAT32
