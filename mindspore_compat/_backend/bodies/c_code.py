"""C source for the kernels that bodies/ and updates/ generate from a trace: expressions, element
types, and the conversion of float16 and bfloat16.

Float16 and bfloat16 values are passed as 16-bit words. Each has two conversion functions, which are
one instruction on a GPU and plain C elsewhere, so a kernel needs no header. CuPy compiles every
kernel with `-ftz=true`, and arithmetic then flushes subnormal float32 numbers to 0. The conversion
instructions keep subnormals; the plain C functions convert subnormal halves from integers.

Scalar arguments, such as a learning rate, are passed by value or are 0-d arrays on the device. In
the latter case the kernel computes expressions of scalars itself, in double precision, like the
host.
"""

import ml_dtypes
import numpy

from ..elementwise import texts

EXPRESSIONS = texts(lambda primitive: primitive.c)

HALVES = r"""
typedef unsigned short word;
__device__ float float_of_bits(unsigned bits) {
    union { unsigned bits; float value; } both; both.bits = bits; return both.value;
}
__device__ unsigned bits_of_float(float value) {
    union { unsigned bits; float value; } both; both.value = value; return both.bits;
}
#ifdef __CUDA_ARCH__
__device__ float from_half(word given) {
    float value; asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(given)); return value;
}
__device__ word to_half(float value) {
    word bits; asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value)); return bits;
}
#else
__device__ float from_half(word given) {
    unsigned low = given & 0x7fff, sign = (unsigned)(given & 0x8000) << 16;
    if (low < 0x400)
        return float_of_bits(bits_of_float((float)low * 5.9604644775390625e-8f) | sign);
    return float_of_bits(((low << 13) + (low < 0x7c00 ? 0x38000000u : 0x70000000u)) | sign);
}
__device__ word to_half(float value) {
    unsigned bits = bits_of_float(value), sign = (bits >> 16) & 0x8000u;
    bits &= 0x7fffffffu;
    if (bits > 0x7f800000u) return (word)(sign | 0x7e00u);
    if (bits >= 0x477ff000u) return (word)(sign | 0x7c00u);
    if (bits < 0x38800000u)
        return (word)(sign | (bits_of_float(float_of_bits(bits) + 0.5f) - 0x3f000000u));
    return (word)(sign | ((bits - 0x38000000u + 0xfffu + ((bits >> 13) & 1u)) >> 13));
}
#endif
__device__ float from_bfloat(word given) {
    return float_of_bits((unsigned)given << 16);
}
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
__device__ word to_bfloat(float value) {
    word bits; asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(bits) : "f"(value)); return bits;
}
#else
__device__ word to_bfloat(float value) {
    unsigned bits = bits_of_float(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) return (word)((bits >> 16) | 0x40u);
    return (word)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}
#endif
"""
_FLOAT16, _BFLOAT16 = numpy.dtype(numpy.float16), numpy.dtype(ml_dtypes.bfloat16)
TYPES = {
    numpy.dtype(numpy.float32): "float",
    numpy.dtype(numpy.float64): "double",
    numpy.dtype(numpy.int32): "int",
    numpy.dtype(numpy.int64): "long long",
    numpy.dtype(bool): "bool",
    _FLOAT16: "word",
    _BFLOAT16: "word",
}
_LOADS = {_FLOAT16: "from_half({})", _BFLOAT16: "from_bfloat({})"}
_STORES = {_FLOAT16: "to_half({})", _BFLOAT16: "to_bfloat({})"}


def compute_dtype(dtypes):
    """Returns the dtype in which a kernel computes on arrays of these dtypes: float64 if one is
    float64 or an integer of 32 or more bits, else float32."""
    in_float64 = any(
        dtype.kind == "f" and dtype.itemsize == 8 or dtype.kind in "iu" and dtype.itemsize > 2
        for dtype in map(numpy.dtype, dtypes)
    )
    return numpy.dtype(numpy.float64 if in_float64 else numpy.float32)


def supported(dtypes):
    """Returns True if kernels can be generated for arrays of these dtypes."""
    return all(dtype in TYPES for dtype in dtypes)


def preamble(dtypes):
    """Returns the C source that precedes a kernel for arrays of these dtypes: the conversion
    functions if one is float16 or bfloat16."""
    return HALVES if any(dtype in _LOADS for dtype in dtypes) else ""


def load(dtype, element):
    """Returns a C expression that converts `element`, an expression of a dtype, to a number that C
    can compute with."""
    return _LOADS.get(dtype, "{}").format(element)


def store(dtype, value):
    """Returns a C expression that converts `value`, a computed number, to an element of a dtype."""
    if dtype in _STORES:
        return _STORES[dtype].format(value)
    return f"({TYPES[dtype]})({value})"


def operand(value):
    """Returns the C name of a value, given by its number in the trace, or the text of a scalar."""
    return f"v{value}" if type(value) is int else value


def step_line(step, real):
    """Returns the C declaration of the result of one step of a trace; `real` is the C type of
    results that are not masks."""
    text = EXPRESSIONS[step.name].format(*map(operand, step.operands))
    return f"const {'bool' if step.is_bool else real} v{step.result} = {text};"


def scalar_lines(trace, real):
    """Returns the C lines that compute the scalars s0, s1, ... of a trace from the numbers of a
    call, which are the variables `n_lr`, ..."""
    return [
        f"const {real} s{index} = ({real})({code});"
        for index, code in enumerate(trace.scalar_code())
    ]
