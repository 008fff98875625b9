"""Undocumented arguments that MindSpore 2.10 accepts, and their results.

Observed in MindSpore 2.10; the tables are read row by row.
"""

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.mint import nn

X = Tensor(np.arange(1, 7, dtype=np.float32).reshape(2, 3))
VECTOR = Tensor(np.array([1, 2, 3], np.float32))
WHOLE = Tensor(np.array([1, 3, 5], np.int32))
MATRIX = Tensor(np.array([[3, 0], [1, 2]], np.float32))
ONE = Tensor(np.array([1.0], np.float32))
EMPTY = Tensor(np.zeros(0, np.float32))
FILLED = {
    f"a shape of {shape!r}": (lambda shape=shape: ops.fill(ms.float32, shape, 2), 2.0)
    for shape in (True, "wrong", -1, 3, 0.5)
}

TAKEN = {
    # new Tensors
    **FILLED,
    "FillV2 by text": (lambda: ops.FillV2()("wrong", ONE), 1.0),
    "the first value of several": (
        lambda: ops.one_hot(WHOLE[:2], 4, (7, 2), [5, 6]),
        [[5, 7, 5, 5], [5, 5, 5, 7]],
    ),
    "the first value of a Tensor": (
        lambda: ops.OneHot()(WHOLE[:1], 2, VECTOR, Tensor([4.0, 5.0])),
        [[4, 1]],
    ),
    "powers of 0": (lambda: ops.logspace(0.0, 2.0, 3, 0), [1, 0, 0]),
    "a list as a shape": (lambda: mint.broadcast_to(WHOLE, [2, 3]), [[1, 3, 5]] * 2),
    "a list as a shape of a function": (
        lambda: nn.functional.broadcast_to(WHOLE, [2, -1]),
        [[1, 3, 5]] * 2,
    ),
    "a list as a shape of a primitive": (lambda: ops.BroadcastTo([2, 3])(WHOLE), [[1, 3, 5]] * 2),
    "a Tensor as the length of a permutation": (lambda: ops.randperm(Tensor(1)), [0]),
    "steps that lead away": (lambda: ms.nn.Range(1, 8, -1)(), np.zeros(0)),
    "steps up to a smaller number": (lambda: ms.nn.Range(8, 1, 2)(), np.zeros(0)),
    "a step in a Tensor": (lambda: ms.nn.Range(1, 8, Tensor(1.5))(), [1, 2.5, 4, 5.5, 7]),
    # lookup and counts
    "a table without rows": (
        lambda: ops.EmbeddingLookup()(EMPTY.reshape(0, 2), WHOLE[:1], 0),
        [[0, 0]],
    ),
    "the first of several offsets": (lambda: ops.SubAndFilter()(WHOLE, (4, 9), [1, 2])[0], [0, 2]),
    "counts of a matrix": (
        lambda: ops.Bincount()(
            Tensor(np.array([[1, 2, 2]], np.int32)), Tensor(3, ms.int32), VECTOR
        ),
        [0, 1, 5],
    ),
    # random numbers
    "no samples": (lambda: ops.Multinomial()(X, 0).shape, (2, 0)),
    "an offset of text": (lambda: ops.Bernoulli(1, "wrong")(VECTOR, 1.0), [1, 1, 1]),
    "no rows of Laplace": (lambda: ops.StandardLaplace()((0, 3)).shape, (0, 3)),
    "no rows of bounded numbers": (
        lambda: (
            ops.ParameterizedTruncatedNormal()(
                Tensor(np.array([0, 3], np.int32)), 0 * ONE, ONE, -ONE, ONE
            ).shape
        ),
        (0, 3),
    ),
    # norms, products and solutions
    "keepdims by text": (lambda: ops.matrix_norm(X, 1, keepdims="wrong"), [[9]]),
    "keepdim by no text": (lambda: ops.norm(VECTOR, 1, keepdim=""), 6),
    "keepdim by several": (lambda: VECTOR.norm(1, keepdim=(1, 2)), [6]),
    "an order in a Tensor": (lambda: ops.norm(VECTOR, Tensor(1.0)), 6),
    "an order for matrices": (lambda: X.norm(ONE, (0, 1)), 91**0.5),
    "condition by a Tensor": (lambda: ops.cond(MATRIX, ONE), 7 / 3),
    "condition by True": (lambda: ops.cond(MATRIX, True), 2),
    "distance from ints": (lambda: ops.dist(WHOLE, VECTOR - 1), 14**0.5),
    "power of one matrix": (lambda: ops.matrix_power(MATRIX, 2), [[9, 0], [5, 4]]),
    "inverse by text": (lambda: ops.CholeskyInverse("wrong").name, "CholeskyInverse"),
    "a stack of right sides": (
        lambda: ops.MatrixTriangularSolve()(MATRIX, X[:, :2].reshape(1, 2, 2)),
        [[[1 / 3, 2 / 3], [11 / 6, 13 / 6]]],
    ),
    "a matrix for a vector": (lambda: ops.mv(X, VECTOR.reshape(1, 3)), [14, 32]),
    "a column for a vector": (lambda: ops.addmv(VECTOR[:2], X, VECTOR.reshape(3, 1)), [15, 34]),
    "rows for vectors": (
        lambda: ops.addr(X, VECTOR[:2].reshape(1, 2), VECTOR.reshape(1, 3)),
        [[2, 4, 6], [6, 9, 12]],
    ),
    "columns for vectors": (
        lambda: ops.addr(X, VECTOR[:2].reshape(2, 1, 1), VECTOR.reshape(3, 1)),
        [[2, 4, 6], [6, 9, 12]],
    ),
    "products of other ranks": (
        lambda: ops.cross(MATRIX[:1, :1] * 0 + VECTOR, X.reshape(1, 2, 3)[:, 1:]),
        [[[-3, 6, -3]]],
    ),
    # reductions
    "a bound in a Tensor": (lambda: ops.amax(X, 1, initial=Tensor([5.0])), [5, 6]),
    "a bound True": (lambda: ops.amin(X, 1, initial=True), [1, 1]),
    "a mask by text": (lambda: ops.amax(X, 1, where="wrong"), [3, 6]),
    "a mask False": (lambda: ops.amax(X, 1, initial=4, where=False), [4, 6]),
    "a mask without an axis": (lambda: ops.max(X, where=X < 3, initial=8), (6, 0)),
    "a mask by number": (lambda: ops.min(X, 1, where=0), ([1, 4], [0, 0])),
    "a bound before indices": (lambda: ops.max(X, 1, initial=5), ([5, 6], [0, 2])),
    "a sum of no exponentials": (lambda: ops.logsumexp(EMPTY, 0), -np.inf),
    "a softmax of nothing": (lambda: ops.log_softmax(EMPTY), []),
    "the deviation of nothing": (lambda: EMPTY.std(1), np.nan),
    "the dtype of no variance": (lambda: float(EMPTY.astype(ms.float64).var(1).itemsize), 8),
    "the range along True": (lambda: X.ptp(True), [2, 2]),
    "corrections in a Tensor": (
        lambda: ops.cov(X, correction=Tensor([[0], [1]])),
        [[2 / 3, 2 / 3], [1, 1]],
    ),
    "several corrections": (lambda: ops.cov(X, correction=(0, 1)), [[2 / 3, 1], [2 / 3, 1]]),
    # numbers one by one
    "bounds True": (lambda: ops.clip_by_value(X[0], False, True), [1, 1, 1]),
    "bounds of truth values": (lambda: ops.clip_by_value(X[0], None, ONE > 0), [1, 1, 1]),
    "a scale in a Tensor": (lambda: ops.subtract(VECTOR, ONE, alpha=Tensor([2.0])), [-1, 0, 1]),
    "a scale for ints": (lambda: ops.subtract(WHOLE, WHOLE, alpha=0.5), [0.5, 1.5, 2.5]),
    "several scales": (lambda: ops.subtract(WHOLE, 2, alpha=VECTOR), [-1, -1, -1]),
    "a fraction of truths": (lambda: ops.subtract(ONE > 0, True, alpha=2.5), [-1.5]),
    "a slope in a Tensor": (lambda: ops.softplus(VECTOR, 1, ONE * 0), [1, 2, 3]),
    "what is left of complex numbers": (
        lambda: ops.remainder(Tensor([5 + 3j]), Tensor([2 + 1j])),
        [1 + 1j],
    ),
    "silu of complex numbers": (lambda: ops.silu(Tensor([1j])), [1j / (1 + np.exp(-1j))]),
    "logsigmoid of complex numbers": (
        lambda: ops.logsigmoid(Tensor([1j])),
        [-np.log(1 + np.exp(-1j))],
    ),
    "a number for isnan": (lambda: mint.isnan(0.5), False),
    "isnan of complex numbers": (lambda: mint.isnan(Tensor([1j, np.nan])), [False, True]),
    # indices and counts
    "an axis in a Tensor": (
        lambda: ops.tensor_scatter_elements(X, WHOLE[:2].reshape(2, 1) // 2, X[:, :1] * 0, ONE),
        [[0, 2, 3], [4, 0, 6]],
    ),
    "the top along a Tensor": (lambda: ops.topk(X, 1, ONE)[0], [[3], [6]]),
    "differences less than never": (lambda: mint.diff(VECTOR, -1), [1, 2, 3]),
    "differences True times": (lambda: mint.diff(VECTOR, True), [1, 1]),
    "counts of complex numbers": (lambda: ops.bincount(Tensor([1 + 5j, 1])), [0, 2]),
    "boundaries in a Tensor": (lambda: ops.bucketize(VECTOR, Tensor([2.0, 3.0])), [0, 0, 1]),
    "the first number to pad with": (lambda: ops.unique_with_pad(WHOLE // 2, (7, 1))[0], [0, 1, 2]),
    "choices by fractions": (lambda: Tensor([0.0, 1.7]).choose([[1, 2], [3, 4]]), [1, 4]),
    "choices cut to ints": (lambda: Tensor([0, 1]).choose([ONE + 0.5, -ONE * 2.7]), [1, -2]),
    "a list added": (lambda: X.add([[1, 2, 3], [0, 0, 0]], alpha=2), [[3, 6, 9], [4, 5, 6]]),
    "a tuple added": (lambda: ONE.add((1.5,)), [2.5]),
    "nearest, doubled": (
        lambda: nn.functional.interpolate(VECTOR.reshape(1, 1, 3), scale_factor=2.3),
        [[[1, 1, 2, 2, 3, 3]]],
    ),
    "nearest, of the same length": (
        lambda: nn.functional.interpolate(VECTOR.reshape(1, 1, 3), scale_factor=1.3),
        [[[1, 2, 3]]],
    ),
    "nearest, by the factor": (
        lambda: nn.functional.interpolate(VECTOR.reshape(1, 1, 3), scale_factor=1.6),
        [[[1, 1, 2, 2]]],
    ),
    "choices by lists": (lambda: Tensor([0, 1]).choose([[1.5, 2], True]), [1, 1]),
    "choices by any mode": (lambda: Tensor([0, 5, -1]).choose(X[:, :1], "wrong"), [1, 4, 1]),
    "a copy to nothing": (lambda: Tensor(np.zeros(0)).copy_(X), []),
    # images and signals
    "parts as they are": (lambda: ops.adaptive_max_pool2d(X.reshape(1, 2, 3), -1), [X.tolist()]),
    "parts True": (lambda: ops.adaptive_max_pool3d(X.reshape(1, 1, 2, 3), True), [[[[6]]]]),
    "a factor found again by 0": (
        lambda: ops.interpolate(X.reshape(1, 2, 3), (1,), recompute_scale_factor=0),
        [[[1], [4]]],
    ),
    "a centre by nothing": (
        lambda: ops.stft(VECTOR, 3, 3, center=(), return_complex=True),
        [[6], [-1.5 + 0.75**0.5 * 1j]],
    ),
    "columns in two axes": (
        lambda: ops.fold(X.reshape(1, 1, 1, 6), (2, 3), (1, 1)),
        [[X.tolist()]],
    ),
    # losses
    "any word for none": (lambda: ops.nll_loss(X, WHOLE[:2] // 2, reduction="wrong"), [-1, -5]),
    "losses of ints": (lambda: ops.nll_loss(X.astype(ms.int32), WHOLE[:2] // 2), -3),
    "a class in a Tensor": (lambda: ops.nll_loss(X, WHOLE[:2] // 2, None, ONE), -1),
    "cosines by int": (lambda: ops.cosine_similarity(X, X, 1, -1), [1, 1]),
    "a cosine of matrices": (lambda: ops.cosine_similarity(X, X, None), 91 / 90.402695),
    "variances that broadcast": (
        lambda: ops.gaussian_nll_loss(X, X, VECTOR**0, reduction="none"),
        X.asnumpy() * 0,
    ),
    "margins that broadcast": (
        lambda: ops.multilabel_soft_margin_loss(X * 0, X[:1] * 0, reduction="none"),
        [np.log(2)] * 2,
    ),
    # several Tensors
    "one Tensor on a stack": (lambda: ops.stack(X), [X.tolist()]),
    "a Tensor in the place of several": (
        lambda: ops.clip_by_global_norm(Tensor([3.0, 4.0]), 2.5),
        [1.5, 2],
    ),
    "text in the place of a tuple": (lambda: ops.tuple_to_array("wrong"), None),
    "a list in the place of a tuple": (lambda: ops.tuple_to_array([1, 2]), None),
}


@pytest.mark.parametrize("case", TAKEN)
def test_takes(case):
    call, expected = TAKEN[case]
    found = call()
    pairs = zip(found, expected, strict=True) if isinstance(found, tuple) else [(found, expected)]
    for got, wanted in pairs:
        if isinstance(got, Tensor):
            assert got.shape == np.shape(wanted)
            # float64 results are compared with float32 numbers that the original printed.
            np.testing.assert_allclose(got.asnumpy(), wanted, rtol=2e-6, atol=1e-6)
        else:
            assert got == wanted


@pytest.mark.parametrize("call", [ops.silu, ops.logsigmoid])
def test_gradients_of_complex_numbers(call):
    """Gradients of the real part of the sum equal differences along the real and imaginary
    parts."""
    x, step = np.array([0.3 + 0.4j, -1 + 0.2j], np.complex128), 1e-6

    def real(z):
        return call(Tensor(z)).asnumpy().real.sum()

    gradients = [
        [(real(x + step * unit) - real(x - step * unit)) / (2 * step) for unit in way * np.eye(2)]
        for way in (1, 1j)
    ]
    found = ms.grad(lambda z: ops.real(call(z)).sum())(Tensor(x)).asnumpy()
    close_sums(found, np.array(gradients[0]) + 1j * np.array(gradients[1]))


@pytest.mark.parametrize(
    "call, wanted, by",
    {
        "softplus": (lambda k: ops.softplus(X - 1, k, Tensor([20.0])), -0.292351723, 2.0),
        "subtract": (lambda k: ops.subtract(X, X - 1, alpha=k), -15, 2.0),
        "amax": (lambda k: ops.amax(X, 1, initial=k, where=X < 0), 2, 4.0),
        "amin": (lambda k: ops.amin(X, 1, initial=k), 1, 2.0),
        "cov": (lambda k: ops.cov(X, correction=k), 8 / 2.25, 1.5),
        "weighted cov": (
            lambda k: ops.cov(X, correction=k, fweights=Tensor([1, 1, 1])),
            8 / 2.25,
            1.5,
        ),
        "full": (lambda k: ops.full((2, 3), k), 6, 1.5),
        "pad": (lambda k: ms.numpy.pad(X, 1, constant_values=k), 14, 1.5),
        "ramp": (lambda k: ms.numpy.pad(VECTOR, 1, "linear_ramp", end_values=k), 2, 1.5),
        "fill": (lambda k: ops.fill(ms.float32, (2, 2), k), 4, 1.5),
        "clip_by_norm": (lambda k: ops.clip_by_norm(X, k), 21 / 91**0.5, 1.5),
    }.values(),
)
@pytest.mark.parametrize("shape", [(), (1,)])
def test_gradients_go_to_numbers_in_tensors(call, wanted, by, shape):
    number = Tensor(np.full(shape, by, np.float32))
    value, gradient = ms.value_and_grad(lambda k: call(k).sum())(number)
    assert gradient.shape == shape
    close(gradient, np.full(shape, wanted), atol=0)
    close(value, call(number).sum().asnumpy(), atol=0)


def test_a_number_with_a_gradient_does_not_widen():
    halves = VECTOR.astype(ms.float16)
    gradient = ms.value_and_grad(lambda k: ops.subtract(halves, halves, alpha=k), has_aux=False)
    assert gradient(Tensor(2.0))[0].dtype == ms.float16


@pytest.mark.parametrize("given", [[1, 2], "wrong", X])
def test_the_class_makes_arrays_of_tuples_only(given):
    assert ops.TupleToArray()((1, 2)).asnumpy().tolist() == [1, 2]
    with pytest.raises(TypeError, match="'input_x' must be a tuple"):
        ops.TupleToArray()(given)


def test_settings_are_looked_at_in_use():
    plain = nn.SyncBatchNorm(2, process_group=0).process_group
    assert plain == nn.SyncBatchNorm(2).process_group
    assert nn.ConvTranspose2d(1, 1, 1, padding=True).padding == (1, 1)
    for wrong, error in (
        (ops.kernel(ONE), Exception),
        (nn.Hardtanh("wrong"), TypeError),
        (nn.ConvTranspose2d(1, 1, 1, padding=-1), ValueError),
        (ops.CholeskyInverse("wrong"), TypeError),
    ):
        with pytest.raises(error):
            wrong(X)


def test_numbers_of_adam_weight_decay_have_no_bounds():
    params = [ms.Parameter(Tensor(np.ones(2, np.float32)), name=each) for each in ("p", "m", "v")]
    ops.AdamWeightDecay()(*params, 0.5, 0.0, 1.0, 0.0, -1.0, Tensor([3.0, 3.0]))
    assert params[0].asnumpy().tolist() == [0, 0]  # 1 - 0.5 * (3 / sqrt(1) - 1 * 1)


@pytest.mark.parametrize("call", [lambda v: mint.mv(X, v), lambda v: mint.addmv(VECTOR[:2], X, v)])
def test_vectors_of_mint_have_one_axis(call):
    with pytest.raises(ValueError, match="vec"):
        call(VECTOR.reshape(1, 3))


@pytest.mark.parametrize("dim", [1, -65530])
def test_the_class_crosses_vectors_of_one_rank(dim):
    assert ops.Cross(dim)(X, X).asnumpy().tolist() == [[0, 0, 0]] * 2
    with pytest.raises(ValueError, match="as many axes"):
        ops.Cross(dim)(X, X.reshape(1, 2, 3))


def test_a_number_of_pieces_counts_when_they_are_cut():
    split = ops.SplitV([1, -1], 1, 1)
    with pytest.raises(ValueError, match="num_split"):
        split(X)


@pytest.mark.parametrize("form", (ops.nanmean, Tensor.nanmean))
@pytest.mark.parametrize(
    "dtype, mean",
    [(ms.float64, 1.75), (ms.float16, 1.75), (ms.int32, 1), (ms.uint8, 1), (ms.bool_, True)],
)
def test_nanmean_casts_its_result_to_dtypes_without_nan(form, dtype, mean):
    result = form(Tensor([1.0, 2.5, np.nan]), dtype=dtype)
    assert result.dtype == dtype
    assert result.item() == mean


@pytest.mark.parametrize("order", ["k0", "k0e", "k1", "k1e", "y0", "y1"])
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32, ms.float64])
def test_bessel_functions_of_negative_numbers_are_infinite(order, dtype):
    x = Tensor([-np.inf, -2.0, -0.5, np.nan], dtype)
    limit = np.inf if order[0] == "k" else -np.inf
    np.testing.assert_array_equal(
        getattr(ops, f"bessel_{order}")(x).asnumpy(), [limit, limit, limit, np.nan]
    )


@pytest.mark.parametrize("inverse", [False, True])
@pytest.mark.parametrize("counts", [False, True])
def test_unique_consecutive_as_a_class_has_three_results(inverse, counts):
    output, *rest = ops.UniqueConsecutive(inverse, counts)(Tensor([1, 1, 2, 1]))
    assert output.asnumpy().tolist() == [1, 2, 1]
    shapes = [(4,) if inverse else (), (3,) if counts else ()]
    assert [part.shape for part in rest] == shapes
    assert all(part.dtype == ms.int64 for part in rest)
