"""Errors that a GPU reports, and the poison in uninitialized and freed memory."""

import warnings

import cupy
import numpy as np

from .common import counted, refused, same

runtime = cupy.cuda.runtime

DOUBLE = (
    'extern "C" __global__ void twice(float* x) { x[blockIdx.x * blockDim.x + threadIdx.x] *= 2; }'
)


def test_limits_of_launches():
    kernel = cupy.RawKernel(DOUBLE, "twice")
    error = cupy.cuda.driver.CUDADriverError
    x = cupy.ones(2048, "f")
    for grid, block in (((1,), (1025,)), ((1,), (32, 64)), ((1,), (1, 1, 65)), ((1, 65536), (1,))):
        refused(error, "INVALID_VALUE", kernel, grid, block, (x,))
    refused(error, "INVALID_VALUE", kernel, (1,), (1,), (x,), shared_mem=50000)
    kernel.max_dynamic_shared_size_bytes = 200000
    kernel((1,), (1,), (x,), shared_mem=200000)
    bound = DOUBLE.replace("void", "__launch_bounds__(64) void")
    refused(error, "LAUNCH_OUT_OF_RESOURCES", cupy.RawKernel(bound, "twice"), (1,), (128,), (x,))
    refused(cupy.cuda.compiler.CompileException, "error", cupy.RawKernel("void f( {", "f").compile)
    refused(error, "NOT_FOUND", cupy.RawKernel(DOUBLE.replace('extern "C" ', ""), "twice").compile)


def test_pointers_are_checked():
    kernel = cupy.RawKernel(DOUBLE, "twice")
    error = (cupy.cuda.driver.CUDADriverError, runtime.CUDARuntimeError)
    host = np.ones(64, "f")
    refused(error, "ILLEGAL_ADDRESS", kernel, (1,), (1,), (np.uintp(host.ctypes.data),))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        place = runtime.malloc(4096)
    kernel((1,), (1,), (np.uintp(place),))
    refused(error, "ILLEGAL_ADDRESS", kernel, (100,), (1024,), (np.uintp(place),))  # over its end
    refused(error, "InvalidValue", runtime.memcpy, place, host.ctypes.data, 256, 2)
    refused(error, "InvalidValue", runtime.memcpy, host.ctypes.data, host.ctypes.data, 256, 1)
    refused(error, "InvalidValue", runtime.memcpy, place, host.ctypes.data, 8192, 1)
    refused(error, "InvalidValue", runtime.memset, host.ctypes.data, 0, 256)
    runtime.memcpy(place, host.ctypes.data, 256, 1)
    runtime.free(place)
    refused(error, "ILLEGAL_ADDRESS", kernel, (1,), (1,), (np.uintp(place),))
    refused(error, "InvalidValue", runtime.memcpy, host.ctypes.data, place, 256, 2)
    refused(error, "InvalidValue", runtime.free, place)
    count = 1 << 26  # larger than any block of the pool
    borrowed = cupy.cuda.UnownedMemory(cupy.empty(1).data.ptr, 4 * count, None)
    outside = cupy.ndarray(count, "f", cupy.cuda.MemoryPointer(borrowed, 0))
    refused(error, "ILLEGAL_ADDRESS", lambda: outside[::4096] + 1)
    table = 'extern "C" __global__ void follow(float** t) { t[0][0] = 1; }'
    bad = cupy.asarray(np.array([8], np.uintp))
    refused(error, "ILLEGAL_ADDRESS", cupy.RawKernel(table, "follow"), (1,), (1,), (bad,))


def test_uninitialised_and_freed_memory():
    assert np.isnan((cupy.empty(10, "f") * 0).get()).all()
    x = cupy.arange(10, dtype="f")
    view = cupy.ndarray(
        10, "f", cupy.cuda.MemoryPointer(cupy.cuda.UnownedMemory(x.data.ptr, 40, None), 0)
    )
    del x
    assert np.isnan(view.get()).all()
    code = (
        'extern "C" __global__ void unset(float* y) { extern __shared__ float s[]; y[0] = s[1]; }'
    )
    y = cupy.zeros(1, "f")
    cupy.RawKernel(code, "unset")((1,), (1,), (y,), shared_mem=16)
    assert np.isnan(y.get()).all()


def test_barriers_that_never_end():
    code = """extern "C" __global__ void stuck(int* x) {
        if (threadIdx.x == 0) __syncwarp();
        else __syncthreads();
    }"""
    error = cupy.cuda.driver.CUDADriverError
    x = cupy.zeros(1, "i")
    refused(error, "LAUNCH_FAILED", cupy.RawKernel(code, "stuck"), (1,), (64,), (x,))
    same(x + 1, np.ones(1, "i"))


def test_what_is_not_modelled_says_so():
    with counted() as count:
        try:
            import cupyx.scipy.sparse as sparse

            sparse.csr_matrix(cupy.eye(3)) @ cupy.ones(3)
        except Exception as error:  # each library has an error of its own
            assert "NOT_SUPPORTED" in str(error) or "NotSupported" in str(error), error
    assert count["unmodelled"] > 0
