"""Matrix products by cuBLAS: results for every layout against NumPy, and the number of calls.

They run where CuPy computes, on a GPU or on the simulated CUDA, which counts calls and copies.
"""

import threading

import ml_dtypes
import numpy as np
import pytest
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cublas
from mindspore_compat._backend.cuda.handles import Handles

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]
DTYPES = ["float32", "float64", "float16", ml_dtypes.bfloat16, "complex64", "complex128"]
ONE = {"matrix_products": 1}
TABLED = {"matrix_products": 1, "launches": 1}  # a kernel writes the addresses of all matrices
COPIED = {"matrix_products": 1, "launches": 1}


def _heads(x):
    return x.swapaxes(1, 2)


def _turned(x):
    return x.swapaxes(-1, -2)


def _rows(shape):
    return lambda x: np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else _like(x, shape)


def _like(x, shape):
    return arrays.space_of(x).module.broadcast_to(x, shape)


# shapes in memory, the views of them that are multiplied, and what the product takes
CASES = {
    "matrices": ((3, 4), None, (4, 5), None, ONE),
    "transposed left": ((4, 3), _turned, (4, 5), None, ONE),
    "transposed both": ((4, 3), _turned, (5, 4), _turned, ONE),
    "row vector": ((4,), None, (4, 5), None, ONE),
    "column vector": ((3, 4), None, (4,), None, ONE),
    "two vectors": ((4,), None, (4,), None, ONE),
    "vector with gaps": ((7,), lambda x: x[::2], (4, 5), None, ONE),
    "rows of many axes": ((2, 3, 4, 1, 5), None, (5, 6), None, ONE),
    "single rows": ((6, 1, 4), None, (4, 5), None, ONE),
    "axes with a vector": ((2, 3, 4), None, (4,), None, ONE),
    "batch": ((2, 3, 4), None, (2, 4, 5), None, ONE),
    "batch of two axes": ((2, 3, 4, 5), None, (2, 3, 5, 4), None, ONE),
    "transposed batch": ((6, 4, 3), _turned, (6, 5, 4), _turned, ONE),
    "broadcast left": ((3, 4), None, (2, 4, 5), None, ONE),
    "broadcast batch": ((3, 4), _rows((6, 3, 4)), (6, 4, 5), None, ONE),
    "few of many": ((2, 1, 3, 4), None, (5, 4, 6), None, {"matrix_products": 2}),
    "outer batch": ((6, 1, 3, 4), None, (5, 4, 6), None, TABLED),
    "heads": ((3, 7, 5, 8), _heads, (3, 6, 5, 8), lambda x: _turned(_heads(x)), TABLED),
    "four axes": (
        *((3, 2, 3, 2, 3, 4), lambda x: x.transpose(3, 0, 2, 1, 4, 5)),
        *((2, 3, 3, 2, 4, 3), None, TABLED),
    ),
    "five axes": (
        *((2, 2, 2, 2, 2, 3, 4), lambda x: x.transpose(4, 3, 2, 1, 0, 5, 6)),
        *((2, 2, 2, 2, 2, 4, 3), None, {"matrix_products": 2, "launches": 2}),
    ),
    "part of a matrix": ((6, 8), lambda x: x[:, 2:6], (8, 9), lambda x: x[:4, :5], ONE),
    "outer product": ((3, 1), None, (1, 5), None, ONE),
    "gaps in both axes": ((6, 8), lambda x: x[::2, ::2], (4, 5), None, COPIED),
    "backwards": ((6, 8), lambda x: x[::-1], (8, 5), None, COPIED),
    "rows that are one": ((4,), _rows((3, 4)), (4, 5), None, COPIED),
    "empty": ((0, 4), None, (4, 5), None, {}),
    "empty sums": ((3, 0), None, (0, 5), None, {"fills": 1}),
}


def _operands(space, name, dtype):
    """Returns a case's operands on the GPU, and on the host in the widest dtype."""
    first, view, second, other, _ = CASES[name]
    rng = np.random.default_rng(3)
    on_gpu, on_host = [], []
    for shape, part in ((first, view), (second, other)):
        values = rng.standard_normal(shape)
        if np.dtype(dtype).kind == "c":
            values = values + 1j * rng.standard_normal(shape)
        values = values.astype(dtype)
        part = part or (lambda x: x)
        on_gpu.append(part(space.asarray(values)))
        on_host.append(part(values).astype(np.result_type(values, np.float64)))
    return on_gpu, on_host


def _checked(found, wanted, dtype):
    assert found.shape == wanted.shape and found.dtype == np.dtype(dtype)
    bits = 8 if found.dtype == ml_dtypes.bfloat16 else np.finfo(found.dtype).nmant
    size = np.max(np.abs(wanted), initial=1)
    close(found.get().astype(wanted.dtype), wanted, atol=8 * size * 2.0**-bits)


@pytest.fixture
def counted():
    """What calls a function makes of the simulated device."""
    counters = pytest.importorskip("simulated_cuda").counters

    def count(function):
        before = counters()
        function()
        after = counters()
        return {name: after[name] - n for name, n in before.items() if after[name] != n}

    return count


@pytest.mark.parametrize("dtype", DTYPES, ids=lambda dtype: np.dtype(dtype).name)
@pytest.mark.parametrize("name", CASES)
def test_products_of_every_layout(space, name, dtype):
    (x, y), wanted = _operands(space, name, dtype)
    _checked(space.matmul(x, y), np.matmul(*wanted), dtype)


@pytest.mark.parametrize("name", CASES)
def test_what_can_be_read_as_it_lies_is_not_copied(space, name, counted):
    (x, y), _ = _operands(space, name, ml_dtypes.bfloat16)
    space.matmul(x, y)
    counts = counted(lambda: space.matmul(x, y))
    calls = {kind: counts.get(kind, 0) for kind in ("matrix_products", "launches", "fills")}
    assert {kind: count for kind, count in calls.items() if count} == CASES[name][-1]


def test_half_types_are_summed_in_float32(space):
    for dtype in ("float16", ml_dtypes.bfloat16):
        ones = space.ones((4, 4096), dtype)
        assert space.matmul(ones, space.ones((4096, 3), dtype)).get().tolist() == [[4096] * 3] * 4
        batch = space.matmul(space.ones((2, 1, 4096), dtype), space.ones((2, 4096, 1), dtype))
        assert batch.get().reshape(-1).tolist() == [4096, 4096]


def test_results_are_written_where_they_are_wanted(space):
    rng = np.random.default_rng(1)
    x, y = (rng.standard_normal(shape).astype(np.float32) for shape in ((2, 3, 4), (4, 5)))
    wanted = x @ y
    whole = space.zeros((2, 3, 2, 5), np.float32)
    outs = {
        "array": space.zeros((2, 3, 5), np.float32),
        "turned": space.zeros((2, 5, 3), np.float32).swapaxes(1, 2),
        "part": whole[:, :, 1],
        "gaps": space.zeros((2, 3, 10), np.float32)[..., ::2],
        "other dtype": space.zeros((2, 3, 5), np.float64),
    }
    for out in outs.values():
        assert space.matmul(space.asarray(x), space.asarray(y), out=out) is out
        close(out.get(), wanted)
    assert not whole[:, :, 0].any()
    with pytest.raises(ValueError, match="shape"):
        space.matmul(space.asarray(x), space.asarray(y), out=whole)


def test_a_result_may_overwrite_an_operand(space):
    square = np.random.default_rng(2).standard_normal((4, 4)).astype(np.float32)
    x = space.asarray(square)
    space.matmul(x, x.T, out=x)
    close(x.get(), square @ square.T)


def test_other_dtypes_are_promoted_or_left_to_the_library(space):
    x, y = np.arange(6).reshape(2, 3), np.arange(12).reshape(3, 4)
    for one, two in (("int32", "int32"), ("float32", "float64"), ("int64", "float32")):
        found = space.matmul(space.asarray(x.astype(one)), space.asarray(y.astype(two)))
        assert found.dtype == np.result_type(one, two)
        np.testing.assert_array_equal(found.get(), x @ y)


LONG = {
    "left": ((2, 8), (8, 3)),
    "right": ((2, 3), (3, 8)),
    "rows": ((8, 2), (2, 3)),
    "matrices": ((8, 2, 2), (8, 2, 2)),
    "matrices of two axes": ((2, 4, 2, 2), (4, 2, 2)),
}


@pytest.mark.parametrize("shapes", LONG.values(), ids=LONG.keys())
@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_what_the_library_cannot_count_is_left_to_cupy(space, monkeypatch, shapes, dtype):
    x, y = (np.arange(np.prod(shape)).reshape(shape).astype(dtype) / 8 for shape in shapes)
    on_gpu, out = (space.asarray(x), space.asarray(y)), space.zeros((x @ y).shape, dtype)
    refused = lambda *arguments: pytest.fail("cuBLAS counts in 32 bits")  # noqa: E731
    monkeypatch.setattr(space.products.library, "prepared", refused)
    monkeypatch.setattr(cublas, "LARGEST", 5)
    monkeypatch.setattr(space.products, "_plans", {})
    close(space.matmul(*on_gpu).get(), x @ y)
    assert space.matmul(*on_gpu, out=out) is out
    close(out.get(), x @ y)
    close(space.matmul_float32(*on_gpu, 2.0).get(), 2 * x.astype("float32") @ y)


def test_operands_that_do_not_fit_are_refused(space):
    for one, two in (((3, 4), (3, 4)), ((2, 3, 4), (3, 4, 4)), ((), (3, 4))):
        with pytest.raises(ValueError):
            space.matmul(space.ones(one), space.ones(two))
    with pytest.raises(TypeError):
        space.matmul(space.ones((2, 2)), np.ones((2, 2)))


def test_a_product_is_captured_and_replayed(space):
    cuda, rng = space.module.cuda, np.random.default_rng(4)
    x = space.asarray(rng.standard_normal((3, 7, 5, 8)).astype(np.float16))
    w = space.asarray(rng.standard_normal((8, 6)).astype(np.float16))

    def step():
        heads = _heads(space.matmul(x, w))
        return space.matmul(heads, _turned(heads)), space.einsum("bshd,de->she", x, w)

    stream = cuda.Stream(non_blocking=True)
    with stream:
        step()  # kernels are compiled, and the stream has its workspace
        stream.begin_capture()
        made = step()
        graph = stream.end_capture()
        x[...] = space.asarray(rng.standard_normal(x.shape).astype(np.float16))
        graph.launch(stream)
        wanted = step()
    stream.synchronize()
    for one, two in zip(made, wanted, strict=True):
        np.testing.assert_array_equal(one.get(), two.get())


def test_default_streams_of_threads_share_no_workspace(space):
    """All of them have the same address."""
    library, workspaces = space.products.library, []

    def remember():
        with space.module.cuda.Stream.ptds:
            workspaces.append(library.workspace())

    remember()
    remember()
    thread = threading.Thread(target=remember)
    thread.start()
    thread.join()
    assert workspaces[0] is workspaces[1] is not workspaces[2]


def test_a_thread_takes_the_handle_of_one_that_has_ended(space, monkeypatch):
    library = space.products.library
    monkeypatch.setattr(library, "handles", Handles(library._new_handle))
    handles = []

    def multiply():
        assert float(space.matmul(space.ones((2, 3)), space.ones((3, 2)))[0, 0]) == 3
        handles.append(library.handle())

    multiply()
    for _ in range(2):
        thread = threading.Thread(target=multiply)
        thread.start()
        thread.join()
    assert handles[0] is not handles[1] is handles[2]


def test_each_purpose_has_its_own_setting_of_tf32(space, monkeypatch):
    monkeypatch.setattr(cublas, "tf32", {"matmul": False, "conv": False})
    x = space.full((1, 1), 1 + 2.0**-20, np.float32)
    for purpose, multiply in (("matmul", space.matmul), ("conv", space.conv_matmul)):
        assert float(multiply(x, x)[0, 0]) > 1
        monkeypatch.setitem(cublas.tf32, purpose, True)
        assert float(multiply(x, x)[0, 0]) == 1
    assert float(space.matmul(x.astype(np.float64), x.astype(np.float64))[0, 0]) > 1


def test_without_cublas_the_library_multiplies(space, monkeypatch):
    monkeypatch.setattr(space.products, "library", None)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    out = space.zeros((2, 2), np.float32)
    assert space.matmul(space.asarray(x), space.asarray(x.T), out=out) is out
    np.testing.assert_array_equal(out.get(), x @ x.T)


def test_a_library_that_lacks_a_function_is_not_used(space, monkeypatch):
    monkeypatch.setattr(cublas, "_FUNCTIONS", (*cublas._FUNCTIONS, "cublasNoSuchFunction"))
    assert cublas.load(space.module) is None


def test_a_status_is_an_error_with_its_name(space):
    with pytest.raises(RuntimeError, match="cublasGemmEx.*INVALID_VALUE"):
        multiply = space.products.library.prepared(
            cublas.KINDS[np.dtype(np.float32)], (0, 0), (4, 4, 4), (1, 1, 1)
        )
        multiply(*(space.zeros((4, 4), np.float32).data.ptr for _ in range(3)))
