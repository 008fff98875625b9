"""The stand-in rejects what CuPy rejects, returns what CuPy returns, and has only the real wheel's
names.
"""

import copy
import pickle
import threading

import ml_dtypes
import numpy
import pytest

import fakecupy
from fakecupy import rawkernels


@pytest.fixture
def cupy():
    with fakecupy.installed():
        import cupy

        yield cupy


@pytest.fixture
def a(cupy):
    return cupy.arange(6, dtype=numpy.float32).reshape(2, 3)


HOST = numpy.ones((2, 3), numpy.float32)


@pytest.mark.parametrize(
    "mix",
    [
        lambda cp, a: a + HOST,
        lambda cp, a: HOST + a,
        lambda cp, a: numpy.add(a, HOST),
        lambda cp, a: a @ HOST.T,
        lambda cp, a: cp.maximum(a, HOST),
        lambda cp, a: cp.where(a > 0, HOST, a),
        lambda cp, a: cp.concatenate([a, HOST]),
        lambda cp, a: cp.matmul(a, HOST.T),
        lambda cp, a: cp.einsum("ij,kj->ik", a, HOST),
        lambda cp, a: a.dot(HOST.T),
        lambda cp, a: cp.add.at(a, 0, HOST[0]),
        lambda cp, a: cp.stack((HOST, a)),
        lambda cp, a: cp.sum(HOST),
        lambda cp, a: a < HOST,
        lambda cp, a: a.__iadd__(HOST),
        lambda cp, a: cp.array([a, HOST]),
        lambda cp, a: cp.linalg.solve(a[:, :2], HOST[:, :2]),
        lambda cp, a: numpy.stack([a, HOST]),
    ],
)
def test_host_and_device_arrays_do_not_mix(cupy, a, mix):
    with pytest.raises(TypeError):
        mix(cupy, a)


def test_basic_assignment_refuses_a_host_array(a):
    with pytest.raises(ValueError, match="non-scalar"):
        a[0] = HOST[0]


@pytest.mark.parametrize(
    "convert",
    [
        numpy.asarray,
        numpy.array,
        lambda a: HOST.__setitem__(slice(None), a),
        lambda a: range(a[0, 0].astype("i")),
        lambda a: [1, 2, 3][a[0, 1].astype("i")],
        lambda a: numpy.zeros(a[0].astype("i")),
        lambda a: HOST[a[0].astype("i")],
    ],
)
def test_no_conversion_that_was_not_asked_for(a, convert):
    with pytest.raises((TypeError, IndexError)):
        convert(a)


def test_what_cupy_takes_arrays_for_and_what_it_lacks(cupy, a):
    from cupyx.scipy import special

    with pytest.raises(TypeError):
        special.polygamma(1, a)
    assert special.polygamma(cupy.asarray(1), a + 1).shape == (2, 3)
    with pytest.raises(NotImplementedError):
        cupy.packbits(a > 2, axis=-1)
    assert cupy.packbits(a > 2).tolist() == [0b00011100]


def test_conversion_on_request(cupy, a):
    assert type(a.get()) is type(cupy.asnumpy(a)) is numpy.ndarray
    assert a.get().tolist() == a.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert float(a[1, 2]) == a[1, 2].item() == 5.0 and bool(a[0, 1])
    a.get()[0] = 9  # a copy
    assert float(a[0, 0]) == 0


@pytest.mark.parametrize(
    "reduce",
    [
        lambda cp, a: a.sum(),
        lambda cp, a: cp.max(a),
        lambda cp, a: cp.mean(a),
        lambda cp, a: numpy.mean(a),
        lambda cp, a: a.argmax(),
        lambda cp, a: a[0, 1],
        lambda cp, a: cp.linalg.norm(a),
        lambda cp, a: cp.any(a),
        lambda cp, a: a[0] @ a[1],
        lambda cp, a: cp.count_nonzero(a),
        lambda cp, a: cp.exp(a[0, 0]),
        lambda cp, a: cp.array_equal(a, a),
        lambda cp, a: next(iter(a[0])),
    ],
)
def test_answers_are_0d_arrays_where_numpy_gives_scalars(cupy, a, reduce):
    found = reduce(cupy, a)
    assert type(found) is cupy.ndarray and found.shape == ()


@pytest.mark.parametrize(
    "name",
    [
        "insert",
        "block",
        "geomspace",
        "frompyfunc",
        "nanquantile",
        "vecdot",
        "bfloat16",
        "linalg.multi_dot",
        "linalg.vector_norm",
        "linalg.svdvals",
        "random.SeedSequence",
        "random.get_state",
        "cudnn",
        "ndarray.resize",
        "ndarray.setflags",
        "object_",
    ],
)
def test_absent_names_are_absent(cupy, name):
    found = cupy
    with pytest.raises(AttributeError):
        for part in name.split("."):
            found = getattr(found, part)


@pytest.mark.parametrize(
    "call",
    [
        lambda cp, a: cp.sum(a, where=a > 0),
        lambda cp, a: cp.max(a, initial=0),
        lambda cp, a: cp.einsum("ij->i", a, out=a),
        lambda cp, a: cp.add(a, a, where=a > 0),
        lambda cp, a: cp.clip(a, min=0),
        lambda cp, a: cp.take(a, 0, mode="clip"),
        lambda cp, a: a.item(0),
        lambda cp, a: cp.unique(a, sorted=False),
        lambda cp, a: cp.count_nonzero(a, keepdims=True),
        lambda cp, a: cp.sum([1, 2]),
    ],
)
def test_absent_keywords_and_lists_for_arrays_are_refused(cupy, a, call):
    with pytest.raises(TypeError):
        call(cupy, a)


def test_unknown_and_unimplemented_names_differ(cupy):
    with pytest.raises(NotImplementedError, match="exists in CuPy"):
        cupy.broadcast  # noqa: B018


@pytest.mark.parametrize("dtype", [object, "U3", "M8[s]", numpy.longdouble])
def test_types_a_gpu_has_not(cupy, dtype):
    with pytest.raises(ValueError, match="Unsupported dtype"):
        cupy.zeros(2, dtype)


def test_bfloat16_loops(cupy):
    x = cupy.array([1, 2], dtype=ml_dtypes.bfloat16)
    assert cupy.exp(x).dtype == x.dtype and (x + 1).dtype == x.dtype
    assert (x + cupy.ones(2, numpy.float32)).dtype == numpy.float32


def test_python_numbers_do_not_widen(cupy, a):
    assert (a * 2.5).dtype == numpy.float32 and (a + numpy.float64(1)).dtype == numpy.float64
    assert (cupy.arange(3, dtype=numpy.int8) + 1).dtype == numpy.int8
    assert cupy.sqrt(cupy.arange(3, dtype=numpy.int8)).dtype == numpy.float16


def test_integer_index_arrays_wrap_around(cupy):
    x = cupy.arange(3)
    assert x[cupy.array([3, -4])].tolist() == [0, 2] and cupy.take(x, cupy.array([4])).tolist() == [
        1
    ]
    with pytest.raises(IndexError):
        x[3]  # a Python integer does not


def test_views_share_memory(a):
    a[0, 1][...] = 7
    a[1:].fill(2)
    row = a[0]
    row += 1
    assert a.tolist() == [[1, 8, 3], [2, 2, 2]]


def test_in_place_operators_keep_the_type(cupy):
    x = cupy.arange(3)
    with pytest.raises(TypeError, match="same_kind"):
        x += 0.5


def test_scatters_add_repeated_indices(cupy):
    import cupyx

    x = cupy.zeros(3, numpy.float32)
    cupy.add.at(x, cupy.array([0, 0, 2]), 1.0)
    cupyx.scatter_add(x, cupy.array([2]), cupy.ones(1))
    assert x.tolist() == [2, 0, 2]
    with pytest.raises(NotImplementedError):
        cupy.multiply.at(x, 0, 2)
    with pytest.raises(TypeError):
        cupy.add.at(cupy.zeros(2, numpy.int8), 0, 1)
    with pytest.raises(NotImplementedError):
        cupy.maximum.reduce(x)


def test_an_object_that_asks_for_it_gets_the_operator(a):
    class Other:
        __array_ufunc__ = None

        def __radd__(self, other):
            return "reflected"

    assert a + Other() == "reflected"
    with pytest.raises(TypeError, match="Unsupported type"):
        a + object()


def test_copies_and_pickles(cupy, a):
    for other in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a)), a.astype(a.dtype)):
        other[...] = 0
    assert float(a.sum()) == 15
    assert a.astype(numpy.float32, copy=False) is a and cupy.asarray(a) is a


def test_elementwise_kernel_computes_as_c(cupy, a):
    kernel = cupy.ElementwiseKernel(
        "T x, float32 c, raw int32 table",
        "T y, bool big",
        """
        T t = x * c;  // one temporary
        big = t > 2.5f && !(x == 5);
        if (big) { y = t - 1; } else y = table[i % 2] / 2 + (int)1.9;
    """,
        "sample",
    )
    y, big = kernel(a, 1.0, cupy.array([3, -3], dtype=numpy.int32))
    assert y.tolist() == [[2, 0, 2], [2, 3, 0]] and y.dtype == numpy.float32
    assert big.tolist() == [[False, False, False], [True, True, False]]
    with pytest.raises(TypeError, match="Unsupported type"):
        kernel(HOST, 1.0, a)


def test_a_kernel_with_a_loop_is_defined_but_not_called(cupy, a):
    loop = cupy.ElementwiseKernel("T x", "T y", "for (int k = 0; k < 3; ++k) y = x;", "loop")
    with pytest.raises(NotImplementedError, match="for"):
        loop(a)


ADD_KERNEL = """
typedef float T;
extern "C" __global__ void add_to(const T* __restrict__ x, T* y, double factor, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += (T)factor * x[i] + (i == 0 ? atomicAdd(y + 1, (T)0) : (T)0);
}
"""


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
def test_a_raw_kernel_runs_compiled_for_the_host(cupy, a):
    raw = cupy.RawKernel(ADD_KERNEL, "add_to")
    y = cupy.ones(6, numpy.float32)
    raw((2,), (4,), (a, y, 2.0, numpy.int32(6)))
    assert y.tolist() == [2, 3, 5, 7, 9, 11]
    with pytest.raises(TypeError, match="other bytes"):
        raw((2,), (4,), (a, y, 2.0, 6))  # a Python int is 64 bits wide
    with pytest.raises(TypeError, match="size one"):
        raw((2,), (4,), (HOST, y, 2.0, numpy.int32(6)))
    with pytest.raises(TypeError, match="takes 4"):
        raw((2,), (4,), (a, y))


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
def test_a_kernel_without_launch_bounds_has_few_threads(cupy, a):
    y, arguments = cupy.zeros(6, numpy.float32), (0.0, numpy.int32(6))
    raw = cupy.RawKernel(ADD_KERNEL, "add_to")
    with pytest.raises(RuntimeError, match="too many resources"):
        raw((1,), (512,), (a, y, *arguments))
    bounded = ADD_KERNEL.replace("add_to", "__launch_bounds__(512) add_to")
    cupy.RawKernel(bounded, "add_to")((1,), (512,), (a, y, *arguments))


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
def test_a_raw_kernel_takes_subnormals_for_zero(cupy):
    x = cupy.full(6, 1e-40, dtype=numpy.float32)
    cupy.RawKernel(ADD_KERNEL, "add_to")((1,), (6,), (x, x, 1.0, numpy.int32(6)))
    assert not x.any()


def test_devices_and_streams(cupy):
    assert cupy.cuda.runtime.getDeviceCount() == 1 and cupy.cuda.is_available()
    with cupy.cuda.Device(0) as device, cupy.cuda.Stream(non_blocking=True) as stream:
        stream.synchronize()
        assert cupy.zeros(1).device == device
    with pytest.raises(RuntimeError):
        cupy.cuda.Device(1)


def test_each_thread_has_its_own_current_stream(cupy):
    others = []

    def run():
        others.append(cupy.cuda.get_current_stream())
        cupy.cuda.Stream().use()

    with cupy.cuda.Stream(non_blocking=True) as stream:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert cupy.cuda.get_current_stream() is stream
    assert others == [cupy.cuda.Stream.null]


def test_random_numbers(cupy):
    cupy.random.seed(1)
    first = cupy.random.normal(0, 1, (3,), dtype=numpy.float32)
    cupy.random.seed(1)
    assert (
        first.dtype == numpy.float32
        and (first == cupy.random.normal(0, 1, (3,), dtype=numpy.float32)).all()
    )
    assert cupy.random.default_rng(cupy.random.Philox4x3210(3)).random(2).shape == (2,)
    with pytest.raises(TypeError):
        cupy.random.normal(0, 1, shape=(3,))


def test_uninstalling_puts_back_what_was_there():
    import sys

    before = sys.modules.get("cupy")
    with fakecupy.installed() as cupy:
        assert sys.modules["cupy"] is cupy
    assert sys.modules.get("cupy") is before
