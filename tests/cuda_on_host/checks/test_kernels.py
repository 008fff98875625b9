"""Kernels of CuPy and hand-written ones, on values and shapes that NumPy can check."""

import os
import subprocess
import sys
import warnings

import cupy
import cupyx
import cupyx.scipy.special
import numpy as np
import scipy.special

from .common import RNG, same


def test_elementwise():
    x = RNG.standard_normal((7, 33)).astype("f")
    d = cupy.asarray(x)
    same(d * 2 + 1, x * 2 + 1)
    same(cupy.exp(d), np.exp(x), 1e-6)
    same(d.astype("e") * 2, x.astype("e") * 2)
    same(cupy.where(d > 0, d, 0)[::-2, 1::3], np.where(x > 0, x, 0)[::-2, 1::3])
    same(d[d > 0], x[x > 0])
    same(cupy.floor_divide(cupy.arange(-5, 5), 3), np.arange(-5, 5) // 3)
    z = x[0] + 1j * x[1]
    same(cupy.sqrt(cupy.asarray(z)), np.sqrt(z), 1e-6)
    kernel = cupy.ElementwiseKernel("T x, T y", "T z", "z = x * x + y", "check_square")
    same(kernel(d, d), x * x + x, 1e-6)

    @cupy.fuse()
    def doubled_tanh(a):
        return cupy.tanh(a) * 2

    same(doubled_tanh(d), np.tanh(x) * 2, 1e-6)


def test_reductions():
    for dtype in ("f", "d", "e", "i", "F", "?"):
        x = (RNG.standard_normal((5, 7, 300)) * 4).astype(dtype)
        d, tolerance = cupy.asarray(x), {"e": 2e-2, "f": 1e-5, "F": 1e-5}.get(dtype, 1e-12)
        for axis in (None, 0, 2, (0, 2)):
            np.testing.assert_allclose(d.sum(axis).get(), x.sum(axis), tolerance, 1e3 * tolerance)
            same(d.max(axis), x.max(axis))
            same(d.any(axis), x.any(axis))
        same(d.argmax(1), x.argmax(1))
        same(d.argmin(), x.argmin())
    x = RNG.standard_normal(1000)
    x[500] = np.nan
    same(cupy.asarray(x).max(), x.max())
    same(cupy.nanmax(cupy.asarray(x)), np.nanmax(x))
    same(cupy.var(cupy.asarray(x[:400])), np.var(x[:400]), 1e-12)
    same(cupy.prod(cupy.asarray(x[:9])), np.prod(x[:9]), 1e-12)
    kernel = cupy.ReductionKernel("T x", "T y", "x * x", "a + b", "y = sqrt(a)", "0", "check_norm")
    same(kernel(cupy.asarray(x[:400])), np.sqrt((x[:400] ** 2).sum()), 1e-12)


def test_sort_scan_unique():
    for dtype in ("f", "d", "e", "i", "l", "D", "?"):
        x = (RNG.standard_normal((6, 50)) * 5).astype(dtype)
        if dtype in "fde":
            x[2, 3:5] = np.nan
        d = cupy.asarray(x)
        same(cupy.sort(d), np.sort(x))
        same(cupy.sort(d, axis=0), np.sort(x, axis=0))
        same(cupy.argsort(d), np.argsort(x, kind="stable"))
        same(cupy.argsort(d.ravel()), np.argsort(x.ravel(), kind="stable"))
        tolerance = {"f": 1e-5, "d": 1e-12, "e": 3e-2, "D": 1e-12}.get(dtype, 0)
        np.testing.assert_allclose(
            cupy.cumsum(d[0]).get(), np.cumsum(x[0]), tolerance, 20 * tolerance
        )
    x = RNG.integers(0, 40, 500)
    d = cupy.asarray(x)
    for actual, expected in zip(
        cupy.unique(d, True, True, True), np.unique(x, True, True, True), strict=True
    ):
        same(actual, expected)
    same(cupy.cumsum(d), np.cumsum(x))
    same(cupy.cumprod(d[:8].astype("d") + 0.5), np.cumprod(x[:8] + 0.5), 1e-12)
    same(cupy.lexsort(cupy.asarray(x[:400].reshape(2, 200))), np.lexsort(x[:400].reshape(2, 200)))
    same(cupy.partition(d, 20)[20], np.partition(x, 20)[20])
    same(cupy.histogram(d, 10)[0], np.histogram(x, 10)[0])
    same(cupy.bincount(d), np.bincount(x))
    same(cupy.searchsorted(cupy.arange(0, 40, 3), d), np.searchsorted(np.arange(0, 40, 3), x))
    same(cupy.nonzero(d > 20)[0], np.nonzero(x > 20)[0])
    same(cupy.median(d), np.median(x))
    same(cupy.percentile(d, 30), np.percentile(x, 30), 1e-12)


REVERSE = r"""
extern "C" __global__ void reverse_blocks(const float* x, float* y, int n) {
    extern __shared__ float part[];
    __shared__ float total[1];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x == 0) total[0] = 0;
    part[threadIdx.x] = i < n ? x[i] : 0.0f;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {
        float other = threadIdx.x < half ? part[threadIdx.x + half] : 0.0f;
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += other;
        __syncthreads();
    }
    if (threadIdx.x == 0) total[0] = part[0];
    __syncthreads();
    if (i < n) y[i] = total[0];
}
"""


def test_raw_kernel_with_barriers():
    kernel = cupy.RawKernel(REVERSE, "reverse_blocks")
    x = RNG.integers(0, 9, 1000).astype("f")
    out = cupy.zeros(1000, "f")
    kernel((4,), (256,), (cupy.asarray(x), out, np.int32(1000)), shared_mem=256 * 4)
    padded = np.concatenate([x, np.zeros(24, "f")]).reshape(4, 256)
    same(out, np.repeat(padded.sum(1), 256)[:1000])


WARPS = r"""
extern "C" __global__ void warps(const int* x, int* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, sum = x[i];
    for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
    int scan = x[i];
    for (int step = 1; step < 32; step *= 2) {
        int below = __shfl_up_sync(0xffffffffu, scan, step);
        if (lane >= step) scan += below;
    }
    unsigned odd = __ballot_sync(0xffffffffu, x[i] & 1);
    int first = 0;
    if (lane < 8) first = __shfl_sync(0xffu, x[i], 3, 8);
    int next = __shfl_down_sync(0xffffffffu, x[i], 1);
    int* to = y + 5 * i;
    to[0] = sum; to[1] = scan; to[2] = odd; to[3] = first; to[4] = next;
}
"""


def test_warp_exchanges():
    x = RNG.integers(0, 100, 192).astype("i")
    out = cupy.zeros((192, 5), "i")
    cupy.RawKernel(WARPS, "warps")((2,), (96,), (cupy.asarray(x), out))
    rows = x.reshape(6, 32)
    lanes = np.tile(np.arange(32), (6, 1))
    odd = ((rows & 1).astype(np.uint64) << np.arange(32, dtype=np.uint64)).sum(1).astype(np.uint32)
    expected = np.stack(
        [
            np.repeat(rows.sum(1, keepdims=True), 32, 1),
            rows.cumsum(1),
            np.repeat(odd.view("i")[:, None], 32, 1),
            np.where(lanes < 8, rows[:, 3:4], 0),
            np.where(lanes < 31, np.roll(rows, -1, 1), rows),
        ],
        -1,
    )
    same(out, expected.reshape(192, 5).astype("i"))


def test_raw_module_templates_and_globals():
    code = r"""
    __constant__ float table[4];
    __device__ int calls;
    template <typename T, int n> __global__ void scaled(T* x) {
        int i = threadIdx.x;
        x[i] = x[i] * n + T(table[i % 4]);
        atomicAdd(&calls, 1);
    }
    """
    names = ("scaled<double, 3>", "scaled<float, 2>")
    module = cupy.RawModule(code=code, options=("--std=c++17",), name_expressions=names)
    place = module.get_global("table")
    cupy.ndarray(4, "f", place)[...] = cupy.arange(4, dtype="f")
    x = cupy.ones(8)
    module.get_function(names[0])((1,), (8,), (x,))
    same(x, 3 + np.arange(8) % 4 + 0.0)
    y = cupy.ones(8, "f")
    module.get_function(names[1])((1,), (8,), (y,))
    same(y, (2 + np.arange(8) % 4).astype("f"))


def test_kernels_in_python():
    from cupyx import jit

    def mirrored(x, y, last):
        place = jit.threadIdx.x
        shared = jit.shared_memory(np.float32, 64)
        shared[place] = x[place]
        jit.syncthreads()
        y[place] = shared[last - place]

    x, y = cupy.arange(64, dtype="f"), cupy.empty(64, "f")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it is experimental
        jit.rawkernel()(mirrored)((1,), (64,), (x, y, np.uint32(63)))
    same(y, np.arange(64, dtype="f")[::-1])


def test_atomics():
    code = r"""
    extern "C" __global__ void many(double* sum, float* f, int* most, unsigned long long* cas) {
        atomicAdd(sum, 0.125 * threadIdx.x);
        atomicAdd(f, 1.0f);
        atomicMax(most, (int)threadIdx.x);
        unsigned long long seen = *cas, old;
        do { old = seen; seen = atomicCAS(cas, old, old + 2); } while (seen != old);
    }
    """
    sum_, f = cupy.zeros((), "d"), cupy.zeros((), "f")
    most, cas = cupy.zeros((), "i"), cupy.zeros((), "Q")
    cupy.RawKernel(code, "many")((3,), (100,), (sum_, f, most, cas))
    assert (float(sum_), float(f), int(most), int(cas)) == (3 * 4950 / 8, 300, 99, 600)
    x = cupy.zeros(4)
    cupyx.scatter_add(x, cupy.asarray([1, 1, 3]), cupy.asarray([0.5, 0.25, 2.0]))
    same(x, np.array([0, 0.75, 0, 2]))


def test_subnormals():
    tiny = np.float32(1e-40)
    x = np.array([tiny, 1.0], "f")
    same(cupy.asarray(x) * np.float32(1), np.array([0, 1], "f"))  # -ftz=true
    halves = np.array([6e-8, 3e-5, 6.1e-5], "e")
    same(cupy.asarray(halves) * np.float16(1), halves)  # subnormal, but not as float32
    same(cupy.asarray(halves).astype("f"), halves.astype("f"))
    same(cupy.asarray(np.array([5e-324, 1e-310])) + 0.0, np.array([5e-324, 1e-310]))


def test_fused_multiplication_and_addition():
    code = 'extern "C" __global__ void f(float* x) { x[3] = x[0] * x[1] + x[2]; }'
    x = np.array([1 + 2**-12, 1 + 2**-12, -1, 0], "f")
    d = cupy.asarray(x)
    cupy.RawKernel(code, "f")((1,), (1,), (d,))
    exact = float(x[0]) * float(x[1]) - 1
    with open("/proc/cpuinfo") as file:
        if " fma " in file.read():
            assert float(d[3]) == np.float32(exact)


def test_special_functions():
    x = np.concatenate([np.linspace(0.05, 0.95, 9), [1.5, 3.2, 7.9, 20.1]])
    names = "j0 j1 y0 y1 i0 i0e i1 i1e gamma gammaln loggamma digamma erf erfc erfcx ndtr expit"
    names += " exp2 exp10 log_ndtr psi rgamma zetac entr cbrt k0 k1 expi exp1 spence lambertw"
    names += (
        " log1p expm1 kl_div rel_entr logit ndtri erfinv erfcinv betaln beta gammainc gammaincc"
    )
    pairs = "kl_div rel_entr betaln beta gammainc gammaincc".split()
    unknown = []
    for name in names.split():
        ours, theirs = (getattr(m.special, name, None) for m in (cupyx.scipy, scipy))
        if ours is None or theirs is None:
            continue
        points = x[x < 1] if name in ("logit", "ndtri", "erfinv", "erfcinv") else x
        inputs = [points, points[::-1].copy()] if name in pairs else [points]
        for dtype, tolerance in (("d", 1e-10), ("f", 2e-4)):
            inputs = [one.astype(dtype) for one in inputs]
            try:
                actual = cupy.asnumpy(ours(*map(cupy.asarray, inputs)))
            except Exception as error:  # collected for the report
                unknown.append(f"{name}: {str(error)[:300]}")
                break
            expected = theirs(*inputs)
            np.testing.assert_allclose(actual, expected, tolerance, tolerance, err_msg=name)
    assert not unknown, unknown
    z = x[:6] + 1j * x[6:12]
    for name in ("lambertw", "digamma", "sici", "shichi", "loggamma"):
        ours, theirs = (getattr(m.special, name) for m in (cupyx.scipy, scipy))
        actual, expected = ours(cupy.asarray(z)), theirs(z)
        if not isinstance(expected, tuple):
            actual, expected = (actual,), (expected,)
        for one, other in zip(actual, expected, strict=True):
            same(one, other, 1e-10)
    for name in ("tan", "arcsinh", "arccosh", "log2", "cbrt", "hypot", "nextafter", "sinc", "i0"):
        ours, theirs = getattr(cupy, name), getattr(np, name)
        inputs = [x + 1] * getattr(theirs, "nin", 1)
        same(ours(*map(cupy.asarray, inputs)), theirs(*inputs), 1e-12)


def test_the_other_order_of_threads():
    """Runs tests of kernels in a process whose blocks and threads go in descending order."""
    chosen = "raw_kernel or warp or reductions or sort_scan"
    result = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", __file__, "-k", chosen],
        env={**os.environ, "CUDA_ON_HOST_REVERSED": "1"},
        capture_output=True,
        text=True,
    )
    assert result.returncode == 0, result.stdout + result.stderr
