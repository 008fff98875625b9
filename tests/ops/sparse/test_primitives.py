"""Primitives on parts of sparse tensors, against dense arithmetic and against 2.10."""

import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.ops.operations import _csr_ops, sparse_ops

RANDOM = np.random.default_rng(5)


def ints(*rows, dtype=np.int64):
    return Tensor(np.array(rows, dtype))


def floats(*rows):
    return Tensor(np.array(rows, np.float32))


def as_lists(out):
    """What came out, as lists."""
    return [x.asnumpy().tolist() for x in (out if isinstance(out, tuple) else (out,))]


def run(name, *inputs, **settings):
    return getattr(sparse_ops, name)(**settings)(*inputs)


def coo_of(dense, dtype=np.float32):
    positions = np.argwhere(dense)
    return Tensor(positions), Tensor(dense[tuple(positions.T)].astype(dtype)), ints(*dense.shape)


def csr_of(dense, dtype=np.float32):
    """The five parts of a matrix or a batch of matrices."""
    batch = dense if dense.ndim == 3 else dense[None]
    rows = [np.cumsum([0, *(matrix != 0).sum(1)]) for matrix in batch]
    batches = np.cumsum([0, *(batch != 0).sum((1, 2))])
    positions = np.argwhere(dense)
    values = dense[tuple(positions.T)].astype(dtype)
    whole = (dense.shape, batches, np.concatenate(rows), positions[:, -1])
    return *(Tensor(np.array(x, np.int32)) for x in whole), Tensor(values)


def dense_of(parts):
    return run("CSRSparseMatrixToDense", *parts).asnumpy()


def sparse(*shape):
    return RANDOM.integers(1, 9, shape) * (RANDOM.random(shape) < 0.4)


A, B, C = sparse(4, 5), sparse(4, 5), sparse(5, 3)
CUBE, CUBE2 = sparse(2, 3, 4), sparse(2, 4, 3)
X1 = (ints([0, 1], [1, 2]), floats(1, 2), ints(3, 3))
X2 = (ints([0, 1], [1, 1]), floats(3, 4), ints(3, 3))
SQUARE = floats([1, 2, 3], [4, 5, 6], [7, 8, 9])
ROWS = (ints([0, 0], [2, 1]), floats(1, 2), ints(4, 2))
COUNTED = (
    ints([1, 2], [3, 4], [2, 1], [2, 2], [1, 0], [3, 3], [2, 0], [2, 2]),
    ints(0, 2, 8, 8, 1, 2, 3, 7),
    ints(5, 5),
    ints(2, 5, 1, 0, 4, 2, 2, 2),
)
WORDS = ints([2, 2, 0], [3, 5, 1], dtype=np.int32)

OBSERVED = {  # what MindSpore 2.10 gives on a CPU
    "add": (("SparseDenseCwiseAdd", *X1, SQUARE), [[3, 8]]),
    "add a row": (("SparseDenseCwiseAdd", *X1, floats(1, 2, 3)), [[3, 5]]),
    "multiply": (("SparseDenseCwiseMul", *X1, SQUARE), [[2, 12]]),
    "multiply by one": (("SparseDenseCwiseMul", *X1, Tensor(np.float32(2))), [[2, 4]]),
    "maximum": (("SparseSparseMaximum", *X1, *X2), [[[0, 1], [1, 1], [1, 2]], [3, 4, 2]]),
    "minimum": (("SparseSparseMinimum", *X1, *X2), [[[0, 1], [1, 1], [1, 2]], [1, 0, 0]]),
    "sum": (("SparseAdd", *X1, *X2, Tensor(np.float32(4.5))), [[[1, 1], [1, 2]], [4, 2], [3, 3]]),
    "reorder": (
        ("SparseReorder", ints([2, 1], [0, 1], [2, 0]), floats(1, 2, 3), ints(3, 3)),
        [[[0, 1], [2, 0], [2, 1]], [2, 3, 1]],
    ),
    "reshape": (
        (
            "SparseReshape",
            ints([0, 0, 0], [0, 0, 1], [0, 1, 0], [1, 0, 0], [1, 2, 3]),
            ints(2, 3, 6),
            ints(9, -1),
        ),
        [[[0, 0], [0, 1], [1, 2], [4, 2], [8, 1]], [9, 4]],
    ),
    "to dense": (
        ("SparseToDenseV2", ints(1, 2), ints(4), floats(1, 2), Tensor(np.float32(9))),
        [[9, 1, 2, 9]],
    ),
    "addmm": (
        ("SparseAddmm", *X1, floats([1, 2], [3, 4], [5, 6]), floats([2, 2], [6, 6], [0, 0]))
        + (floats(2), floats(3)),
        [[[12, 14], [38, 42], [0, 0]]],
    ),
    "sspaddmm": (
        ("Sspaddmm", ints([0, 1], [0, 1]), floats(1, 2), ints(3, 3))
        + (ints([0, 1, 1], [2, 2, 0]), floats(3, 4, 1), ints(3, 3), SQUARE, floats(1), floats(1)),
        [
            [[0, 1, 0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 2, 0, 1, 2]],
            [1, 2, 21, 24, 27, 29, 34, 39],
            [3, 3],
        ],
    ),
    "fill": (
        ("SparseFillEmptyRows", *ROWS, Tensor(np.float32(9))),
        [[[0, 0], [1, 0], [2, 1], [3, 0]], [1, 9, 2, 9], [False, True, False, True], [0, 2]],
    ),
    "count": (
        ("SparseCountSparseOutput", *COUNTED),
        [[[1, 0], [1, 1], [2, 3], [2, 7], [2, 8], [3, 2]], [2, 4, 2, 2, 1, 7], [5, 9]],
    ),
    "a-b": (
        ("DenseToDenseSetOperation", WORDS, ints([2, 1], [9, 3], dtype=np.int32)),
        [[[0, 0], [1, 0], [1, 1]], [0, 1, 5], [2, 2]],
    ),
    "counts of batches": (("SparseMatrixNNZ", *csr_of(CUBE)), [(CUBE != 0).sum((1, 2)).tolist()]),
}


@pytest.mark.parametrize("name", OBSERVED)
def test_what_the_original_gives(name):
    (primitive, *inputs), expected = OBSERVED[name]
    assert as_lists(run(primitive, *inputs)) == expected


def test_concatenation():
    def joined(axis):
        return as_lists(
            run("SparseConcat", [X1[0], X2[0]], [X1[1], X2[1]], [X1[2]] * 2, concat_dim=axis)
        )

    assert joined(0) == [[[0, 1], [1, 2], [3, 1], [4, 1]], [1, 2, 3, 4], [6, 3]]
    assert joined(-1) == [[[0, 1], [0, 4], [1, 2], [1, 4]], [1, 3, 2, 4], [3, 6]]


@pytest.mark.parametrize("axis, count", [(0, 3), (1, 2), (1, 5)])
def test_split_is_undone_by_concatenation(axis, count):
    given = coo_of(A)
    parts = run("SparseSplit", ints(axis), *given, num_split=count)
    assert (
        [x.asnumpy()[axis] for x in parts[2]] == [len(x) for x in np.array_split(A, count, axis)]
        if axis == 0
        else [x.shape[1] for x in np.array_split(A, count, 1)]
    )
    joined = run("SparseConcat", *map(list, parts), concat_dim=axis)
    assert as_lists(joined) == as_lists(given)


@pytest.mark.parametrize(
    "settings, sums, shape",
    [
        ({"maxlength": 4}, [2, 4, 2, 7], [5, 4]),
        ({"minlength": 12}, [2, 4, 2, 2, 1, 7], [5, 12]),
        ({"maxlength": 20}, [2, 4, 2, 2, 1, 7], [5, 20]),
        ({"binary_output": True}, [1] * 6, [5, 9]),
    ],
)
def test_lengths_of_counts(settings, sums, shape):
    assert as_lists(run("SparseCountSparseOutput", *COUNTED, **settings))[1:] == [sums, shape]


@pytest.mark.parametrize(
    "operation, function",
    [
        ("A-B", lambda a, b: a - b),
        ("b-a", lambda a, b: b - a),
        ("intersection", lambda a, b: a & b),
        ("union", lambda a, b: a | b),
    ],
)
def test_set_operations(operation, function):
    one, two = RANDOM.integers(0, 6, (2, 3, 4)), RANDOM.integers(1, 7, (2, 3, 5))
    wanted = [
        sorted(function(set(a), set(b)))
        for a, b in zip(one.reshape(6, 4).tolist(), two.reshape(6, 5).tolist(), strict=True)
    ]
    _, values, shape = run(
        "DenseToDenseSetOperation", Tensor(one), Tensor(two), set_operation=operation
    )
    assert values.asnumpy().tolist() == sum(wanted, [])
    assert shape.asnumpy().tolist() == [2, 3, max(map(len, wanted))]
    again = run(
        "DenseToSparseSetOperation", Tensor(one), *coo_of(two, int), set_operation=operation
    )
    assert as_lists(again)[1:] == as_lists((values, shape))
    sizes = run("SetSize", *coo_of(two, int))
    assert sizes.dtype == ms.int32
    assert sizes.asnumpy().reshape(-1).tolist() == [
        len(set(row)) for row in two.reshape(6, 5).tolist()
    ]


@pytest.mark.parametrize("dense", [A, CUBE], ids=["matrix", "batch"])
def test_forms_of_a_matrix(dense):
    parts = csr_of(dense)
    np.testing.assert_array_equal(dense_of(parts), dense)
    coo = run("CSRSparseMatrixToSparseTensor", *parts)
    assert as_lists(coo[:2]) == as_lists(coo_of(dense)[:2])
    assert as_lists(run("SparseTensorToCSRSparseMatrix", *coo)) == as_lists(parts)
    assert as_lists(run("DenseToCSRSparseMatrix", floats(*dense.tolist()), coo[0])) == as_lists(
        parts
    )
    turned = run("SparseMatrixTranspose", *parts)
    assert as_lists(turned) == as_lists(csr_of(dense.swapaxes(-1, -2)))


def test_products_and_sums():
    a, b = csr_of(A), csr_of(B)
    added = run("SparseMatrixAdd", *a, *b, floats(2), floats(-1))
    np.testing.assert_array_equal(dense_of(added), 2 * A - B)
    assert len(added[4]) == ((A != 0) | (B != 0)).sum()
    np.testing.assert_array_equal(dense_of(run("SparseMatrixSparseMatMul", *a, *csr_of(C))), A @ C)
    product = run("SparseMatrixSparseMatMul", *a, *b, transpose_b=True)
    np.testing.assert_array_equal(dense_of(product), A @ B.T)
    product = run("SparseMatrixSparseMatMul", *csr_of(CUBE), *csr_of(CUBE2))
    np.testing.assert_array_equal(dense_of(product), CUBE @ CUBE2)


def test_product_with_a_dense_matrix():
    def product(dense, x, **settings):
        return run("SparseMatrixMatMul", *csr_of(dense), Tensor(x.astype(np.float32)), **settings)

    np.testing.assert_array_equal(product(A, C).asnumpy(), A @ C)
    np.testing.assert_array_equal(product(A, B, transpose_x1=True).asnumpy(), A.T @ B)
    np.testing.assert_array_equal(product(A, B, adjoint_x2=True).asnumpy(), A @ B.T)
    np.testing.assert_array_equal(product(A, C, transpose_output=True).asnumpy(), (A @ C).T)
    np.testing.assert_array_equal(
        product(CUBE, CUBE2, conjugate_output=True).asnumpy(), CUBE @ CUBE2
    )


@pytest.mark.parametrize("dense", [A, CUBE], ids=["matrix", "batch"])
def test_softmax(dense):
    powers = np.where(dense != 0, np.exp(dense.astype(float)), 0)
    wanted = powers / np.maximum(powers.sum(-1, keepdims=True), 1)
    parts = csr_of(dense)
    found = run("SparseMatrixSoftmax", *parts, dtype=ms.float64)
    assert found[4].dtype == ms.float64
    # The exponentials are float32.
    np.testing.assert_allclose(dense_of(found), wanted, 1e-5)
    np.testing.assert_array_equal(dense_of(parts), dense)  # what was given stays
    values = run("SparseSoftmax", *coo_of(dense)).asnumpy()
    close(values, wanted[dense != 0], atol=0)


@pytest.mark.parametrize("pointers", [[4], [0, 2, 4], [0, 0]])
def test_softmax_of_a_matrix_returns_any_pointers_to_batches(pointers):
    parts = list(csr_of(A))
    found = run("SparseMatrixSoftmax", parts[0], ints(*pointers), *parts[2:], dtype=ms.float64)
    assert found[1].asnumpy().tolist() == pointers
    np.testing.assert_array_equal(found[4], run("SparseMatrixSoftmax", *parts, dtype=ms.float64)[4])
    with pytest.raises(ValueError):
        run("SparseMatrixTranspose", parts[0], ints(0, 1, 2, 3), *parts[2:])


@pytest.mark.parametrize("kind, power", [("Sum", 0), ("SqrtN", 0.5), ("Mean", 1)])
def test_segments(kind, power):
    x = floats([0, 1, 2], [1, 2, 3], [3, 6, 7])
    given = (x, ints(0, 1, 2), ints(0, 2, 2))
    out = run(f"SparseSegment{kind}WithNumSegments", *given, ints(4))
    pair = x.asnumpy()[1:].sum(0) / 2**power
    close(out, [[0, 1, 2], [0] * 3, pair, [0] * 3], atol=0)
    with pytest.raises(ValueError, match="'num_segments' must be larger than 2"):
        run(f"SparseSegment{kind}WithNumSegments", *given, ints(2))
    if kind != "Mean":
        out = run(f"SparseSegment{kind}", x, ints(0, 1, 2), ints(0, 1, 1))
        close(out, [[0, 1, 2], pair], atol=0)
        with pytest.raises(ValueError, match="each number from 0"):
            run(f"SparseSegment{kind}", *given)


def values_of(count):
    return RANDOM.uniform(0.5, 2, count)


VALUES, PARTS, OTHER = len(csr_of(A)[4]), csr_of(A)[:4], csr_of(B)[:4]
SLOPES = {
    "SparseDenseCwiseAdd": (lambda v, d: (X1[0], v, X1[2], d), 2, (3, 3)),
    "SparseDenseCwiseMul": (lambda v, d: (X1[0], v, X1[2], d), 2, (1, 3)),
    "SparseDenseCwiseDiv": (lambda v, d: (X1[0], v, X1[2], d), 2, 3),
    "SparseSparseMaximum": (lambda v, w: (X1[0], v, X1[2], X2[0], w, X2[2]), 2, 2),
    "SparseAdd": (lambda v, w: (X1[0], v, X1[2], X2[0], w, X2[2], Tensor(0.0)), 2, 2),
    "SparseReorder": (lambda v: (X1[0][::-1], v, X1[2]), 2),
    "SparseToDenseV2": (lambda v, d: (X1[0], X1[2], v, d), 2, ()),
    "SparseSoftmax": (lambda v: (COUNTED[0][:2], v, COUNTED[2]), 2),
    "SparseAddmm": (lambda v, x, y, a, b: (X1[0], v, X1[2], x, y, a, b), 2, (3, 2), (3, 2), 1, 1),
    "Sspaddmm": (
        lambda v, w, x: (X1[0], v, X1[2], X2[0], w, X2[2], x, Tensor(2.0), Tensor(3.0)),
        *(2, 2, (3, 3)),
    ),
    "SparseFillEmptyRows": (lambda v, d: (ROWS[0], v, ROWS[2], d), 2, ()),
    "CSRSparseMatrixToSparseTensor": (lambda v: (*PARTS, v), VALUES),
    "CSRSparseMatrixToDense": (lambda v: (*PARTS, v), VALUES),
    "SparseMatrixTranspose": (lambda v: (*PARTS, v), VALUES),
    "SparseMatrixMatMul": (lambda v, x: (*PARTS, v, x), VALUES, (5, 2)),
    "SparseMatrixAdd": (
        lambda v, w, a: (*PARTS, v, *OTHER, w, a, a),
        *(VALUES, len(csr_of(B)[4]), 1),
    ),
    "SparseMatrixSparseMatMul": (
        lambda v, w: (*PARTS, v, *csr_of(C)[:4], w),
        *(VALUES, len(csr_of(C)[4])),
    ),
    "DenseToCSRSparseMatrix": (lambda d: (d, ints([0, 0], [1, 2], [2, 1])), (3, 3)),
    "SparseSegmentSum": (lambda x: (x, ints(0, 2, 0), ints(0, 1, 1)), (3, 2)),
    "SparseSegmentSqrtN": (lambda x: (x, ints(0, 2, 0), ints(0, 1, 1)), (3, 2)),
    "SparseSegmentMeanWithNumSegments": (lambda x: (x, ints(0, 2), ints(0, 2), ints(4)), (3, 2)),
}


@pytest.mark.parametrize("name", SLOPES)
def test_gradients(name):
    arrange, *shapes = SLOPES[name]
    primitive = getattr(sparse_ops, name)()

    def function(*differentiated):
        out = primitive(*arrange(*differentiated))
        return tuple(out) if isinstance(out, tuple) else out

    check_gradients(function, *map(values_of, shapes))


@pytest.mark.device
def test_tensors_of_two_devices_meet_on_the_gpu(space):
    indices, values = ints([0, 1], [1, 0]).to("CPU"), Tensor([1.0, 2.0])
    shape, least = ints(2, 2).to("CPU"), Tensor(0.0).to("CPU")
    add = sparse_ops.SparseAdd()
    found = add(indices, values, shape, indices, values.to("CPU"), shape, least)
    assert found[0].asnumpy().tolist() == [[0, 1], [1, 0]]
    assert found[1].asnumpy().tolist() == [2, 4]


PLACE = ints([0, 1], [1, 5])
REFUSED = {
    "indices": lambda: run("SparseDenseCwiseAdd", PLACE, *X1[1:], SQUARE),
    "broadcast": lambda: run("SparseDenseCwiseMul", *X1, floats(1, 2)),
    "shapes": lambda: run("SparseSparseMaximum", *X1, *X2[:2], ints(3, 4)),
    "order": lambda: run("SetSize", ints([1, 1], [0, 2]), ints(1, 2), ints(3, 4)),
    "dense order": lambda: run("SparseToDenseV2", X1[0][::-1], X1[2], X1[1], Tensor(0.0)),
    "operation": lambda: sparse_ops.DenseToDenseSetOperation("x"),
    "no operation": lambda: sparse_ops.DenseToSparseSetOperation(),
    "rows": lambda: run("DenseToDenseSetOperation", WORDS, WORDS[:1]),
    "one axis": lambda: run("DenseToDenseSetOperation", WORDS[0], WORDS[0]),
    "both ways": lambda: sparse_ops.SparseMatrixMatMul(transpose_x1=True, adjoint_x1=True),
    "product": lambda: run("SparseMatrixMatMul", *csr_of(A), SQUARE),
    "pointers": lambda: run("CSRSparseMatrixToDense", *csr_of(A)[:2], ints(0, 1), *csr_of(A)[3:]),
    "sum of shapes": lambda: run("SparseMatrixAdd", *csr_of(A), *csr_of(C), floats(1), floats(1)),
    "reshape": lambda: run("SparseReshape", X1[0], X1[2], ints(2, 4)),
    "softmax": lambda: run("SparseSoftmax", ints([0], [1]), floats(1, 2), ints(3)),
    "concat": lambda: run("SparseConcat", [X1[0]], [X1[1]], [X1[2]], concat_dim=2),
    "split": lambda: run("SparseSplit", ints(2), *X1),
    "segment index": lambda: run("SparseSegmentSum", SQUARE, ints(0, 3), ints(0, 1)),
    "segment order": lambda: run("SparseSegmentSum", SQUARE, ints(0, 1), ints(1, 0)),
    "addmm": lambda: run("SparseAddmm", *X1, SQUARE, floats([1]), floats(1), floats(1)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    with pytest.raises(ValueError, match=r"^For '\w+', "):
        REFUSED[name]()


def test_counts_refuse_with_runtime_errors():
    for values, weights in (([-1, 2], [1, 1]), ([1, 2], [1, 1, 1])):
        with pytest.raises(RuntimeError, match="SparseCountSparseOutput"):
            run("SparseCountSparseOutput", X1[0], ints(*values), X1[2], floats(*weights))


def test_functions_of_parts():
    indptr, indices = ints(0, 1, 2, dtype=np.int32), ints(0, 2, dtype=np.int32)
    found = _csr_ops.CSRGather()(indptr, indices, SQUARE[:2], (2, 3))
    assert as_lists(found) == [[1, 6]]
    assert as_lists(_csr_ops.CSR2COO()(ints(0, 1, 1, 4, dtype=np.int32), 4)) == [[0, 2, 2, 2]]
    assert as_lists(_csr_ops.COO2CSR()(ints(0, 2, 2, 2, dtype=np.int32), 3)) == [[0, 1, 1, 4]]


def test_other_primitives_are_found_beside_them():
    assert sparse_ops.SparseTensorDenseMatmul is ms.ops.SparseTensorDenseMatmul
    with pytest.raises(AttributeError):
        sparse_ops.NoSuchPrimitive  # noqa: B018
