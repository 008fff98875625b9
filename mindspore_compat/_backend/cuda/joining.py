"""`concatenate` and `stack` as one kernel on a GPU.

CuPy launches a kernel for each array. For more than eight it copies their addresses from the host
instead, which a captured step cannot do. Here a struct with the addresses is passed by value.

An array of shape (2, 3, 4) that is joined along axis 1 consists of two lines of 12 elements. Lines
are contiguous and equally far apart in each array; other arrays are left to CuPy.
"""

import functools
from math import prod

import numpy

THREADS, CHUNK = 256, 8192  # CHUNK: elements of one block of threads
MOST = 80  # arrays of one launch: their struct fits the 4096 bytes of parameters
_FIELDS = ("address", "size", "first_block", "width", "stride", "start")
_TABLE = numpy.dtype([("rows", numpy.int64, (MOST, len(_FIELDS))), ("count", numpy.int64)])
_WORDS = {1: "unsigned char", 2: "unsigned short", 4: "unsigned", 8: "unsigned long long"}
_TEXT = """
struct Pair {{ unsigned long long low, high; }};
struct Row {{ long long {fields}; }};
struct Table {{ Row rows[{most}]; long long count; }};
extern "C" __global__ void __launch_bounds__({threads}) join(
    const Table table, {word}* out, long long whole) {{
    int row = 0, last = table.count - 1;
    while (row < last) {{
        int middle = (row + last + 1) / 2;
        if (table.rows[middle].first_block <= blockIdx.x) row = middle; else last = middle - 1;
    }}
    const {word}* x = (const {word}*)table.rows[row].address;
    const {index} size = table.rows[row].size, width = table.rows[row].width;
    const {index} stride = table.rows[row].stride;
    const {index} start = (blockIdx.x - ({index})table.rows[row].first_block) * {chunk};
    const {index} stop = size - start < {chunk} ? size : start + {chunk};
    out += table.rows[row].start;
    for ({index} at = start + threadIdx.x; at < stop; at += blockDim.x) {{
        const {index} line = at / width, place = at - line * width;
        out[line * ({index})whole + place] = x[line * stride + place];
    }}
}}
"""


@functools.cache
def _kernel(module, word, index):
    text = _TEXT.format(
        fields=", ".join(_FIELDS), most=MOST, threads=THREADS, chunk=CHUNK, word=word, index=index
    )
    return module.RawKernel(text, "join")


def concatenated(module, arrays, axis):
    """Returns the arrays joined along an axis; None if CuPy has to do it, or to refuse it."""
    if not _of_one_kind(module, arrays) or type(axis) is not int:
        return None
    shape = arrays[0].shape
    if not -len(shape) <= axis < len(shape):
        return None
    axis %= len(shape)
    outer, inner = shape[:axis], shape[axis + 1 :]
    if any([x.shape[:axis] != outer or x.shape[axis + 1 :] != inner for x in arrays]):
        return None
    length = sum([x.shape[axis] for x in arrays])
    return _joined(module, arrays, axis, (*outer, length, *inner))


def stacked(module, arrays, axis):
    """Returns the arrays joined along a new axis; None if CuPy has to do it, or to refuse it."""
    if not _of_one_kind(module, arrays) or type(axis) is not int:
        return None
    shape = arrays[0].shape
    if not -len(shape) <= axis + (axis < 0) <= len(shape):
        return None
    axis %= len(shape) + 1
    if any([x.shape != shape for x in arrays]):
        return None
    return _joined(module, arrays, axis, (*shape[:axis], len(arrays), *shape[axis:]))


def _of_one_kind(module, arrays):
    """Returns True for at least two arrays of the GPU of one dtype and number of axes."""
    if not isinstance(arrays, list | tuple) or len(arrays) < 2:
        return False
    first = arrays[0]
    if type(first) is not module.ndarray or first.itemsize > 16:
        return False
    kind, dtype, ndim = module.ndarray, first.dtype, first.ndim
    return all([type(x) is kind and x.dtype == dtype and x.ndim == ndim for x in arrays])


def _joined(module, arrays, axis, shape):
    """Returns an array of `shape` that contains the lines of the arrays, one array after the
    other.
    """
    strides = [_stride(x, axis) for x in arrays]
    if None in strides:
        return None
    out = module.empty(shape, arrays[0].dtype)
    rows, whole, start, block, reach = [], prod(shape[axis:]), 0, 0, out.size
    for x, stride in zip(arrays, strides):
        if x.size:
            width = prod(x.shape[axis:])
            rows.append((x.data.ptr, x.size, block, width, stride, start))
            start, block = start + width, block - (-x.size // CHUNK)
            reach = max(reach, x.size // width * abs(stride))
    index = "int" if reach < 2**31 - CHUNK else "long long"
    kernel = _kernel(module, _WORDS.get(out.itemsize, "Pair"), index)
    for number in range(0, len(rows), MOST):
        part = rows[number : number + MOST]
        before, after = part[0][2], rows[number + MOST][2] if number + MOST < len(rows) else block
        table = numpy.zeros((), _TABLE)
        table["rows"][: len(part)] = part
        table["rows"][: len(part), 2] -= before
        table["count"] = len(part)
        kernel((after - before,), (THREADS,), (table, out, numpy.int64(whole)))
    return out


def _stride(x, axis):
    """Returns how many elements apart the lines of an array are, where each line is an index of the
    axes before `axis`; None if lines are not contiguous or not equally far apart."""
    shape, strides, itemsize = x.shape, x.strides, x.itemsize
    if x.flags.c_contiguous or not x.size:
        return prod(shape[axis:])
    wanted = itemsize
    for at in range(len(shape) - 1, axis - 1, -1):
        if shape[at] > 1 and strides[at] != wanted:
            return None
        wanted *= shape[at]
    stride = wanted = None
    for at in range(axis - 1, -1, -1):
        if shape[at] > 1:
            if stride is None:
                stride = wanted = strides[at]
            elif strides[at] != wanted:
                return None
            wanted *= shape[at]
    if stride is None:
        return prod(shape[axis:])
    return None if stride % itemsize else stride // itemsize
