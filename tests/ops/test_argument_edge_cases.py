"""Edge cases of shapes, new Tensors and elementwise functions: accepted and rejected.

Observed in MindSpore 2.10; the tables are read row by row.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops

X = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))
SQUARE = Tensor(np.arange(9, dtype=np.float32).reshape(3, 3))
VECTOR = Tensor(np.array([1, 2, 3], np.float32))
TRUE = Tensor(np.array([True, False, True]))
PLACES = Tensor(np.array([0, 1, 2]))
ONE = Tensor(np.array([1.0], np.float32))
COMPLEX = Tensor(np.ones((3, 3), np.complex64))
DOUBLE = Tensor(np.ones((3, 3)))
EMPTY = Tensor(np.zeros(0, np.float32))

REFUSED = {
    # diagonals, grids, slices given by numbers, stacks and splits
    "trace of truth values": (lambda: ops.trace(TRUE.reshape(1, 3)), TypeError),
    "trace of stacks": (lambda: ops.trace(X), RuntimeError),
    "diagonal of truth values": (lambda: ops.diag_embed(TRUE), TypeError),
    "diagonal of nothing": (lambda: ops.diag_embed(EMPTY), ValueError),
    "a class's int on a diagonal": (lambda: ops.FillDiagonal(1)(SQUARE), TypeError),
    "a shorter diagonal": (lambda: ops.diagonal_scatter(SQUARE, ONE), ValueError),
    "one Tensor spans no grid": (lambda: ops.Meshgrid()(VECTOR), TypeError),
    "one Tensor is no stack": (lambda: ops.hstack(SQUARE), TypeError),
    "nothing is no stack": (lambda: ops.vstack([]), TypeError),
    "choices of matrices": (lambda: ops.combinations(SQUARE), ValueError),
    "choices of nothing": (lambda: ops.combinations(VECTOR, 0), ValueError),
    "choices of True": (lambda: ops.combinations(VECTOR, True), TypeError),
    "powers of matrices": (lambda: ops.vander(SQUARE), ValueError),
    "no powers": (lambda: ops.vander(VECTOR, 0), ValueError),
    "slices of another rank": (lambda: ops.slice(X, (0, 0), (1, 1)), ValueError),
    "steps of another length": (lambda: ops.strided_slice(X, (0, 0), (1, 1), (1,)), ValueError),
    "a wider slice": (lambda: ops.slice_scatter(X, X, 1, 0, 2), ValueError),
    "a slice of another dtype": (lambda: ops.slice_scatter(SQUARE, DOUBLE, 0, 0, 3), TypeError),
    "hsplit of a vector": (lambda: ops.hsplit(VECTOR, 3), ValueError),
    "split along True": (lambda: ops.tensor_split(X, 2, True), TypeError),
    "sequences along the end": (lambda: ops.reverse_sequence(SQUARE, PLACES, -1), ValueError),
    "indices of no dtype": (lambda: ops.tril_indices(2, 2, dtype=None), TypeError),
    # shapes
    "flatten a number": (lambda: ops.Flatten()(1), TypeError),
    "squeeze None in a class": (lambda: ops.Squeeze(None)(X), TypeError),
    "flip an int": (lambda: ops.flip(X, 1), TypeError),
    "triangle of a vector": (lambda: ops.tril(VECTOR), ValueError),
    "triangle of complex numbers": (lambda: ops.triu(COMPLEX), TypeError),
    "repeat truth values": (lambda: ops.repeat_elements(TRUE, 2), TypeError),
    "repeat never": (lambda: ops.repeat_elements(X, 0), ValueError),
    # new Tensors
    "one hot of two dtypes": (lambda: ops.one_hot(PLACES, 3, 0.5), TypeError),
    "one hot of bools": (lambda: ops.one_hot(PLACES, 3, True, False), TypeError),
    "a range of ints and floats": (lambda: ops.range(0, 2.0, 1), TypeError),
    "a range of True": (lambda: ops.Range(True)(0, 1, 1), TypeError),
    "numbers between vectors": (lambda: ops.linspace(ONE, 2.0, 3), ValueError),
    "numbers between two dtypes": (
        lambda: ops.LinSpace()(Tensor(0.0), Tensor(1.0, ms.float64), 3),
        TypeError,
    ),
    "numbers from a vector on": (lambda: ops.arange(ONE, 3), ValueError),
    "an eye of no dtype": (lambda: ops.Eye()(2, 2, None), TypeError),
    # element by element
    "exp of int32": (lambda: ops.exp(Tensor([1], ms.int32)), TypeError),
    "ceil of ints": (lambda: ops.ceil(PLACES), TypeError),
    "order of complex numbers": (lambda: ops.minimum(COMPLEX, 1.0), TypeError),
    "logic of numbers": (lambda: ops.logical_and(TRUE, 0.5), TypeError),
    "rounding by number": (lambda: ops.div(X, X, rounding_mode=1), ValueError),
    "logit without a bound": (lambda: ops.Logit(None)(VECTOR), TypeError),
    "doubles without NaN": (lambda: ops.nan_to_num(DOUBLE), TypeError),
    "beta of several shapes": (lambda: ops.Betainc()(ONE, ONE, VECTOR), ValueError),
    "bits of truth values": (lambda: ops.invert(TRUE), TypeError),
    "softplus of 0": (lambda: ops.softplus(X, 0), ValueError),
    "doubles in halves": (lambda: ops.fast_gelu(DOUBLE), TypeError),
    "weights in doubles": (lambda: ops.prelu(SQUARE, DOUBLE[0]), TypeError),
    "dropout before 0": (lambda: ops.dropout(X, seed=-1), ValueError),
    "shifts in two dtypes": (lambda: ops.LeftShift()(PLACES, PLACES.astype(ms.int8)), TypeError),
    # statistics
    "indices of complex numbers": (lambda: ops.ArgMinWithValue()(COMPLEX), TypeError),
    "each truth value twice": (lambda: ops.repeat_interleave(TRUE, 2), TypeError),
    "median of truth values": (lambda: ops.median(TRUE), TypeError),
    "count of truth values": (lambda: ops.count_nonzero(TRUE), TypeError),
    "count along None": (lambda: ops.count_nonzero(X, None), TypeError),
    "order of one complex number": (lambda: ops.aminmax(COMPLEX), TypeError),
    "weights of other columns": (lambda: ops.cov(SQUARE, aweights=ONE), ValueError),
    "distances in two dtypes": (lambda: ops.cdist(SQUARE, DOUBLE), TypeError),
    "distances of an int": (lambda: ops.cdist(SQUARE, SQUARE, 2), TypeError),
    "sums of truth values": (lambda: ops.cumsum(TRUE, 0), TypeError),
    "sums along None": (lambda: ops.cumsum(X, None), TypeError),
    "renorm by True": (lambda: ops.renorm(SQUARE, True, 0, 1.0), TypeError),
    "largest along a Tensor": (lambda: ops.max(X, ONE), TypeError),
    # settings
    "a side by number": (lambda: ops.TensorDump(0), ValueError),
    "a kernel by number": (lambda: ops.kernel(abs, 1), TypeError),
    "a compiler's text": (lambda: ops.kernel(abs, compile_attrs="fast"), TypeError),
    "indices of no numbers": (lambda: ops.TrilIndices(2, 2, dtype=None), TypeError),
    "fill with several": (lambda: ops.full_like(X, VECTOR), ValueError),
    "fill of mint with several": (lambda: mint.full_like(X, VECTOR), ValueError),
}

TAKEN = {
    "narrow along True": (lambda: ops.narrow(SQUARE, True, 0, 1), [[0], [3], [6]]),
    "turn True times": (lambda: ops.rot90(SQUARE, True, [0, 1])[0], [2, 5, 8]),
    "diagonal True": (lambda: ops.diagflat(ONE, True), [[0, 1], [0, 0]]),
    "index True": (lambda: ops.select_scatter(SQUARE, VECTOR, 0, True)[:2], [[0, 1, 2], [1, 2, 3]]),
    "start True": (lambda: ops.slice_scatter(VECTOR, ONE, 0, True, 2), [1, 1, 3]),
    "vsplit of a vector": (lambda: ops.vsplit(VECTOR, 3)[2], [3]),
    "powers True": (lambda: ops.vander(VECTOR, True), [[1], [1], [1]]),
    "swap True": (lambda: ops.swapaxes(SQUARE, True, 0)[0], [0, 3, 6]),
    "move True": (lambda: ops.moveaxis(SQUARE, True, 0)[0], [0, 3, 6]),
    "fill with a Tensor": (lambda: ops.fill(ms.int32, (2,), ONE), [1, 1]),
    "fill without a dtype": (lambda: ops.fill(None, (2,), 2), [2, 2]),
    "fill like with a Tensor": (lambda: ops.full_like(VECTOR, ONE), [1, 1, 1]),
    "fill like with a Tensor of mint": (lambda: mint.full_like(VECTOR, ONE), [1, 1, 1]),
    "numbers between bools": (lambda: ops.linspace(True, 3, 3), [1, 2, 3]),
    "slopes of truth values": (lambda: ops.leaky_relu(TRUE), [True, False, True]),
    "softplus True": (lambda: ops.softplus(EMPTY, True), []),
    "subtract True times": (lambda: ops.subtract(ONE, ONE, alpha=True), [0]),
    "running sums of nothing": (lambda: ops.logcumsumexp(EMPTY, 0), []),
    "the larger of a number": (lambda: ops.fmax(2.5, VECTOR), [2.5, 2.5, 3]),
    "fill by a tuple": (lambda: ops.FillV2()((2,), ONE), [1, 1]),
    "distances of halves": (
        lambda: ops.cdist(SQUARE.astype(ms.float16), SQUARE.astype(ms.float16))[0, :2],
        [0, 5.1953125],
    ),
    "the top along True": (lambda: ops.topk(SQUARE, 1, True)[0], [[2], [5], [8]]),
    "buckets of a tuple": (lambda: ops.bucketize(VECTOR, (2, 3)), [0, 0, 1]),
    "a range of Tensors": (lambda: ops.range(Tensor([0]), Tensor(2, ms.int32), 1), [0, 1]),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refuses(case):
    call, error = REFUSED[case]
    with pytest.raises(error, match="For '"):
        call()


@pytest.mark.parametrize("case", TAKEN)
def test_takes(case):
    call, expected = TAKEN[case]
    assert call().asnumpy().tolist() == expected


BEYOND = {
    "ops.topk": lambda: ops.topk(SQUARE, 1, 5),
    "mint.topk": lambda: mint.topk(SQUARE, 1, 5),
    "mint.sort": lambda: mint.sort(SQUARE, dim=5),
    "ops.argsort": lambda: ops.argsort(SQUARE, 5),
    "mint.argsort": lambda: mint.argsort(SQUARE, 5),
    "ops.chunk": lambda: ops.chunk(SQUARE, 2, 5),
    "ops.median": lambda: ops.median(SQUARE, 5),
    "ops.nanmedian": lambda: ops.nanmedian(SQUARE.float(), 5),
}


@pytest.mark.parametrize("name", BEYOND)
def test_an_axis_beyond_the_last_is_named(name):
    with pytest.raises(ValueError, match="must be in .*but got 5"):
        BEYOND[name]()


def test_the_most_values_of_mint_topk_is_the_length_of_the_axis():
    with pytest.raises(ValueError, match=r"'k' must be in \[0, 3\], but got 4"):
        mint.topk(SQUARE, 4)


def test_ranges_are_of_int64_or_float32():
    assert ops.range(*(Tensor(n, ms.int8) for n in (0, 3, 1))).dtype == ms.int64
    assert ops.range(*(Tensor(n, ms.float64) for n in (0, 3, 1))).dtype == ms.float32


def test_a_tensor_that_fills_gets_a_gradient():
    gradient = ms.grad(lambda value: ops.full_like(SQUARE, value).sum())(Tensor(2.0))
    assert gradient.asnumpy() == 9


@pytest.mark.parametrize("unfold", [lambda x: ops.unfold(x, 2), ops.Im2Col(2)])
def test_windows_need_a_channel(unfold):
    with pytest.raises(ValueError, match=r"at least one channel, but got shape \(2, 0, 4, 4\)"):
        unfold(Tensor(np.zeros((2, 0, 4, 4), np.float32)))


def test_hook_backward_takes_tensors_alone():
    for value in ("wrong", 0.5):
        with pytest.raises(TypeError, match="'input'"):
            ops.HookBackward(lambda gradient: gradient)(value)


def test_nuclear_norm_without_axes_takes_a_matrix():
    x = Tensor(np.ones((2, 3, 4), np.float32))
    with pytest.raises(ValueError, match="two axes"):
        ops.NuclearNorm()(x)
    assert ops.NuclearNorm((0, 1))(x).shape == (4,)
