"""Matrix products plus a vector that is added to each row: one call of cuBLASLt."""

import ml_dtypes
import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cublaslt

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]
REAL = ["float32", "float16", ml_dtypes.bfloat16]


@pytest.fixture
def counted():
    """What calls a function makes of the simulated device."""
    counters = pytest.importorskip("simulated_cuda").counters

    def count(function):
        before = counters()
        function()
        after = counters()
        return tuple(after[name] - before[name] for name in ("matrix_products", "launches"))

    return count


def operands(space, dtype, rows=3, inner=4, columns=8):
    """Returns two matrices, the second one transposed, a vector, and the expected sum on the
    host."""
    rng = np.random.default_rng(6)
    shapes = (rows, inner), (columns, inner), (columns,)
    x, y, vector = (rng.standard_normal(shape).astype(dtype) for shape in shapes)
    wanted = x.astype(np.float64) @ y.astype(np.float64).T + vector.astype(np.float64)
    x, y, vector = map(space.asarray, (x, y, vector))
    return (x, y.T, vector), wanted


@pytest.mark.parametrize("dtype", [*REAL, "float64"], ids=lambda dtype: np.dtype(dtype).name)
def test_a_vector_is_added_to_each_row(space, dtype):
    (x, y, vector), wanted = operands(space, dtype)
    tolerance = 0.1 if dtype is ml_dtypes.bfloat16 else 0.01 if dtype == "float16" else 1e-5
    for left in (x, space.ascontiguousarray(x.T).T):
        found = space.matmul_add(left, y, vector)
        assert found.dtype == x.dtype and found.flags.c_contiguous
        close(found.get().astype(np.float64), wanted, atol=tolerance)


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: np.dtype(dtype).name)
def test_it_is_one_call(space, dtype, counted):
    given, _ = operands(space, dtype)
    space.matmul_add(*given)
    assert counted(lambda: space.matmul_add(*given)) == (1, 0)


def test_other_operands_take_two(space, counted):
    (x, y, vector), wanted = operands(space, "float32")
    odd = space.asarray(np.append(np.float32(0), vector.get()))[1:]  # not aligned
    wide = space.asarray(np.repeat(vector.get(), 2))[::2]
    for other in (odd, wide):
        close(space.matmul_add(x, y, other).get(), wanted, atol=1e-5)
        assert counted(lambda other=other: space.matmul_add(x, y, other)) == (1, 1)
    close(space.matmul_add(x, y, vector.astype(np.float64)).get(), wanted, atol=1e-5)
    assert space.matmul_add(x[:0], y, vector).shape == (0, 8)
    with pytest.raises(ValueError):
        space.matmul_add(x, y[1:], vector)


def test_a_captured_sum_reads_its_vector_again(space):
    cuda = space.module.cuda
    (x, y, vector), wanted = operands(space, "float32")
    stream = cuda.Stream(non_blocking=True)
    with stream:
        space.matmul_add(x, y, vector)
        stream.begin_capture()
        made = space.matmul_add(x, y, vector)
        graph = stream.end_capture()
        space.matmul_add(x, y, space.zeros_like(vector))  # of the same shapes
        vector += 1
        graph.launch(stream)
    stream.synchronize()
    close(made.get(), wanted + 1, atol=1e-5)


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16, ms.bfloat16])
def test_a_dense_layer_and_a_batch_need_no_casts(space, dtype, counted):
    layer = nn.Dense(8, 16)
    for weight in layer.trainable_params():
        weight.set_dtype(dtype)
    x, sens = ops.ones((4, 8), dtype), ops.ones((4, 16), dtype)
    gradient = ops.GradOperation(get_all=True, sens_param=True)(layer)
    calls = lambda: gradient(x, sens)  # noqa: E731
    calls()
    products, launches = counted(calls)
    assert (products, launches) == (2, 0)  # forward, and back to the input
    one, two = ops.ones((3, 4, 5), dtype), ops.ones((3, 5, 6), dtype)
    ops.bmm(one, two)
    assert counted(lambda: ops.bmm(one, two)) == (1, 0)


def test_without_the_library_a_kernel_adds(space, monkeypatch, counted):
    monkeypatch.setattr(space.products, "with_vectors", None)
    given, wanted = operands(space, "float32")
    close(space.matmul_add(*given).get(), wanted, atol=1e-5)
    assert counted(lambda: space.matmul_add(*given)) == (1, 1)
    assert cublaslt.load(space.module, None) is None


def test_a_library_that_proposes_nothing_is_not_asked_again(space, monkeypatch):
    library = space.products.with_vectors
    monkeypatch.setattr(library, "_proposal", lambda *arguments: None)
    monkeypatch.setattr(space.products, "_sums", {})
    given, wanted = operands(space, "float32")
    close(space.matmul_add(*given).get(), wanted, atol=1e-5)
    assert list(space.products._sums.values()) == [None]


@pytest.mark.parametrize("dtype", REAL, ids=lambda dtype: np.dtype(dtype).name)
def test_halves_are_summed_in_no_lower_precision_than_float32(space, monkeypatch, dtype):
    """Partial sums are rounded if they are added in place or stored in the dtype of the result."""
    in_place, in_type_of_sums, in_type_of_result, masks = 1, 2, 4, []
    library = space.products.with_vectors
    settle = library._set

    def remember(kind, description, attribute, value):
        if (kind, attribute) == ("MatmulPreference", cublaslt.REDUCTION_MASK):
            masks.append(value.value)
        settle(kind, description, attribute, value)

    monkeypatch.setattr(library, "_set", remember)
    monkeypatch.setattr(space.products, "_sums", {})
    space.matmul_add(*operands(space, dtype)[0])
    assert masks == [in_type_of_sums] and not masks[0] & (in_place | in_type_of_result)
