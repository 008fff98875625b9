"""The exception of rejected calls that no page describes, and numbers read from Tensors.

Observed in MindSpore 2.10; the tables are read row by row.
"""

import re

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, int8, int32, mint, nn, ops

pytestmark = pytest.mark.quick

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
ONE = Tensor(np.array(1))
VECTOR = Tensor([1, 2, 3])

# a call with an int or float instead of the Tensor, and the call with the Tensor
READ = {
    "argmax": lambda n: ops.argmax(X, n),
    "argmin": lambda n: ops.argmin(X, n),
    "cumsum": lambda n: ops.cumsum(X, n),
    "cumprod": lambda n: ops.cumprod(X, n),
    "aminmax": lambda n: ops.aminmax(X, axis=n)[0],
    "diagonal": lambda n: ops.diagonal(X, n),
    "diff": lambda n: ops.diff(X, 1, n),
    "gather": lambda n: ops.gather(X, Tensor([[0], [1]]), 1, n),
    "strided_slice": lambda n: ops.strided_slice(X, (1, 1), (2, 2), (1, 1), n),
    "one_hot": lambda n: ops.one_hot(Tensor([0, 1]), 2, axis=n),
    "fftfreq": lambda n: ops.fftfreq(n),
    "Split": lambda n: ops.Split(0, n)(X)[0],
}


@pytest.mark.parametrize("name", READ)
def test_a_tensor_without_axes_stands_for_its_number(name):
    np.testing.assert_array_equal(READ[name](ONE).asnumpy(), READ[name](1).asnumpy())
    with pytest.raises(ValueError, match="must be an int.* but got a Tensor of shape"):
        READ[name](Tensor([1]))
    with pytest.raises(TypeError, match="must be an int"):
        READ[name](Tensor(1.0))


HELD = {
    "ReduceSum": (lambda n: ops.ReduceSum()(X, n), 1, (0, 1)),
    "sum": (lambda n: ops.sum(X, n), 0, (0, 1)),
    "amax": (lambda n: mint.amax(X, n), 1, (0, 1)),
    "gather": (lambda n: ops.gather(X, Tensor([1]), n), 1),
    "gather_elements": (lambda n: ops.gather_elements(X, n, Tensor([[1]])), 1),
    "topk": (lambda n: ops.topk(X, n)[0], 2),
    "one_hot": (lambda n: ops.one_hot(VECTOR, n), 4),
    "expand_dims": (lambda n: ops.expand_dims(X, n), 1),
    "tile": (lambda n: ops.tile(X, n), (2, 2)),
    "broadcast_to": (lambda n: ops.broadcast_to(X, n), (2, 2, 3)),
    "slice": (lambda n: ops.slice(X, n, (1, 1)), (1, 2)),
    "strided_slice": (lambda n: ops.strided_slice(X, (0, 0), n, (1, 1)), (1, 2)),
    "triu": (lambda n: ops.triu(X, n), 1),
}


@pytest.mark.parametrize("name", HELD)
def test_a_tensor_stands_for_the_number_or_tuple_it_holds(name):
    call, *values = HELD[name]
    for value in values:
        wanted = call(value).asnumpy()
        np.testing.assert_array_equal(call(Tensor(value)).asnumpy(), wanted)
        if isinstance(value, int):
            np.testing.assert_array_equal(call(Tensor([value])).asnumpy(), wanted)
    with pytest.raises(TypeError):
        call(Tensor(1.5))
    with pytest.raises((TypeError, ValueError)):
        call(Tensor([[1, 2], [1, 2]]))


@pytest.mark.parametrize(
    "call, value",
    [
        (lambda n: ops.fft(X, n).real(), 2),
        (lambda n: ops.fft(X, dim=n).real(), 0),
        (lambda n: ops.cat([X, X], n), 1),
        (lambda n: ops.elu(-X, n), 1.0),
        (lambda n: ops.CumSum()(X, n), 0),
        (lambda n: mint.add(X, X, alpha=n), 2.0),
        (lambda n: ops.squeeze(X[None], n), 0),
        (lambda n: ops.eye(n), 2),
        (lambda n: mint.narrow(X, 1, n, 1), 2),
    ],
    ids=range(9),
)
def test_a_tensor_without_axes_is_read(call, value):
    np.testing.assert_array_equal(call(Tensor(value)).asnumpy(), call(value).asnumpy())
    with pytest.raises(TypeError, match="but got a Tensor"):
        call(Tensor([value, value]))


def test_a_tensor_with_axes_as_beta_is_no_number():
    found = ops.softplus(X, Tensor(2)).asnumpy()
    np.testing.assert_array_equal(found, ops.softplus(X, 2).asnumpy())
    with pytest.raises(ValueError, match="but got a Tensor"):  # observed in MindSpore
        ops.softplus(X, Tensor([2, 2]))


@pytest.mark.parametrize(
    "call",
    [lambda n: mint.diff(X, 1, n), lambda n: mint.cross(Tensor(np.eye(3)), Tensor(np.eye(3)), n)],
    ids=["diff", "cross"],
)
def test_a_tensor_with_axes_is_of_the_wrong_kind_in_these(call):
    np.testing.assert_array_equal(call(ONE).asnumpy(), call(1).asnumpy())
    with pytest.raises(TypeError, match="'dim' must be an int"):
        call(Tensor([1]))


@pytest.mark.parametrize(
    "name, args",
    {
        "logsumexp": (VECTOR[:1],),
        "expand_dims": (ONE,),
        "top_k": (ONE,),
        "soft_shrink": (ONE,),
        "topk": (VECTOR[:1],),
        "argmax": (VECTOR[:1],),
        "max": (VECTOR[:1],),
        "prod": (VECTOR[:1],),
        "cumsum": (VECTOR[:1],),
        "sort": (VECTOR[:1],),
        "flatten": (VECTOR[:1],),
        "chunk": (VECTOR[:1],),
        "flip": (VECTOR[:1],),
        "std": (VECTOR[:1],),
        "index_add": (VECTOR[:1], VECTOR, X),
    }.items(),
    ids=str,
)
def test_methods_that_read_no_such_tensor(name, args):
    with pytest.raises(TypeError, match="but got a Tensor"):
        getattr(X, name)(*args)


@pytest.mark.parametrize("name", ["sum", "mean", "nansum", "any", "all", "amax", "amin"])
def test_methods_that_read_axes_from_a_tensor(name):
    x = X > 0 if name in ("any", "all") else X
    for axis in (1, (0, 1)):
        wanted = getattr(x, name)(axis)
        np.testing.assert_array_equal(getattr(x, name)(Tensor(axis)).asnumpy(), wanted.asnumpy())
    assert x.unsqueeze(Tensor([0])).shape == (1, 2, 3)


NOTHING = Tensor(np.zeros(0, np.float32))
FLOATS = Tensor(np.zeros(3, np.float32))
MASK = Tensor(np.zeros(2, np.float32))

# if shape and dtype are wrong, 2.10 reports the shape; if only the dtype is wrong, the dtype
SHAPES_FIRST = {
    "gcd": (lambda x: ops.gcd(x, VECTOR), FLOATS),
    "isclose": (lambda x: ops.IsClose()(x, Tensor(np.zeros(3))), FLOATS),
    "select": (lambda x: ops.select(x, X, X), FLOATS),
    "masked_fill": (lambda x: ops.masked_fill(X, x, 1.0), FLOATS),
    "masked_select": (lambda x: mint.masked_select(X, x), FLOATS),
    "gather_elements": (
        lambda x: ops.gather_elements(VECTOR, 0, x[None] if x is NOTHING else x),
        FLOATS,
    ),
    "scatter_nd": (lambda x: ops.scatter_nd(x, VECTOR, (3,)), FLOATS[:, None]),
    "unsorted_segment_sum": (lambda x: ops.unsorted_segment_sum(X, x, 2), MASK),
    "polygamma": (lambda x: ops.polygamma(x, X), Tensor(1.0)),
    "TensorScatterElements": (lambda x: ops.TensorScatterElements()(VECTOR, VECTOR[:2], x), MASK),
}


@pytest.mark.parametrize("name", SHAPES_FIRST)
def test_a_wrong_shape_is_reported_before_a_wrong_dtype(name):
    call, fitting = SHAPES_FIRST[name]
    with pytest.raises(ValueError, match="For '"):
        call(NOTHING)
    with pytest.raises(TypeError, match="dtype"):
        call(fitting)


# an argument that is not a Tensor; 2.10 reads it as a Tensor without axes
AS_SHAPES = {
    "padding": lambda x: ops.padding(x),
    "CombinedNonMaxSuppression": lambda x: ops.CombinedNonMaxSuppression()(
        x, X, VECTOR[0], VECTOR[0], FLOATS[0], FLOATS[0]
    ),
}


@pytest.mark.parametrize("name", AS_SHAPES)
@pytest.mark.parametrize("value", [None, True, 0.5, "wrong", (1, 2)], ids=repr)
def test_what_is_no_tensor_is_of_a_wrong_shape_in_these(name, value):
    with pytest.raises(ValueError, match="must be a Tensor.* but got"):
        AS_SHAPES[name](value)


VALUES = {
    "terms": lambda: ops.AddN()([FLOATS, FLOATS[:1]]),
    "choices": lambda: VECTOR.choose(FLOATS[0]),
    "indices": lambda: VECTOR[0].choose([1, 2]),
    "set_diag": lambda: ops.matrix_set_diag(X, 0.5),
    "kaiser": lambda: ops.kaiser_window(5, beta=(1, 2)),
    "cond": lambda: ops.cond(X[:, :2], (1, 2)),
    "moveaxis": lambda: ops.moveaxis(X, None, 0),
    "renorm": lambda: ops.renorm(X, "wrong", 0, 1.0),
    "ctc": lambda: ops.ctc_loss(0.5, VECTOR[None], (2,), (1,)),
    "unpool": lambda: ops.max_unpool2d(X[None], Tensor([[[0, 1, 2], [3, 4, 5]]]), 1, 1, (1, 2)),
    "pool 3d": lambda: ops.adaptive_max_pool3d(X[None, None], 0.5),
    "pool 3d, a Tensor": lambda: ops.adaptive_max_pool3d(X[None, None], VECTOR[:2]),
    "rows": lambda: ops.matrix_diag(VECTOR, 0, VECTOR),
    "sorter": lambda: ops.searchsorted(VECTOR, VECTOR, sorter=FLOATS),
}
TYPES = {
    "set_diag": lambda: ops.matrix_set_diag(X, None),
    "kaiser": lambda: ops.kaiser_window(5, beta="wrong"),
    "moveaxis": lambda: ops.moveaxis(X, 0.5, 0),
    "renorm": lambda: ops.renorm(X, None, 0, 1.0),
    "bucketize": lambda: ops.bucketize(X, "wrong"),
    "batch_dot": lambda: ops.batch_dot(X, X, True),
    "shuffle": lambda: ops.channel_shuffle(X, 1),
    "pool 2d": lambda: ops.AdaptiveMaxPool2D(2),
    "fractions": lambda: ops.FractionalMaxPool3DWithFixedKsize((1, 1, 1), (2, 2, 2))(
        X, Tensor(np.ones((1, 1, 3), np.float32))
    ),
    "rows": lambda: ops.matrix_diag(VECTOR, 0, FLOATS),
    "SoftShrink": lambda: ops.SoftShrink(Tensor(0.5)),
    "soft_shrink": lambda: ops.soft_shrink(X, Tensor(0.5)),
    "HShrink": lambda: ops.HShrink(Tensor(0.5)),
    "choices": lambda: VECTOR.choose([1, FLOATS]),
    "qr": lambda: ops.qr(X, "wrong"),
    "a class": lambda: ops.MatrixSetDiagV3()(0.5, VECTOR, 0),
}


@pytest.mark.parametrize(
    "error, call",
    [
        *((ValueError, call) for call in VALUES.values()),
        *((TypeError, call) for call in TYPES.values()),
    ],
    ids=[*VALUES, *TYPES],
)
def test_kind(error, call):
    with pytest.raises(error, match="For '"):
        call()


@pytest.mark.parametrize(
    "name", ["equal", "less", "fmod", "float_power", "bitwise_and", "zeta", "bitwise_left_shift"]
)
def test_two_numbers_are_no_tensors(name):
    with pytest.raises(TypeError, match=f"For '{name}', '.+' or '.+' must be a Tensor, but got 2"):
        getattr(ops, name)(2, 3)
    assert ops.add(2, 3) == 5
    message = "For 'TruncateMod', 'x' or 'y' must be a Tensor, but got 2 of type int and 3.0"
    with pytest.raises(TypeError, match=message):
        ops.TruncateMod()(2, 3.0)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.ReduceMean()(X, None),
        lambda: ops.ReduceMax()(X, None),
        lambda: ops.logsumexp(X, None),
        lambda: X.astype(None),
        lambda: ops.cosine_similarity(X, X.astype("float64")),
    ],
    ids=range(5),
)
def test_refused_as_of_the_wrong_type(call):
    with pytest.raises(TypeError, match="For '"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.ReduceSum()(X, None),
        lambda: ops.CumProd()(X, None),
        lambda: ops.NMSWithMask("a"),
        lambda: ops.LogNormalReverse()(None),
        lambda: ops.BatchMatMul()(ops.ones((2, 3, 4)), ops.ones((4, 5))),
        lambda: ops.standard_normal(Tensor([[2, 3]])),
        lambda: ops.fractional_max_pool2d(ops.ones((1, 1, 5, 5)), "a", 2),
        lambda: ops.inverse(ops.ones((2, 2))),
    ],
    ids=range(8),
)
def test_refused_with_the_value_error_of_the_page(call):
    with pytest.raises(ValueError, match="For '"):
        call()


BY_PAGE = {
    "Reshape": (TypeError, lambda: ops.Reshape()(X, -1)),
    "UnravelIndex": (TypeError, lambda: ops.UnravelIndex()(Tensor([2], int32), Tensor([3]))),
    "RandomPoisson": (TypeError, lambda: ops.RandomPoisson()(Tensor([2]), X.astype(int8))),
    "broadcast_to, a new axis": (ValueError, lambda: ops.broadcast_to(X, (-1, 2, 3))),
    "expand, a new axis": (ValueError, lambda: X.expand(-1, 2, 3)),
    "SoftMarginLoss": (ValueError, lambda: nn.SoftMarginLoss("abc")(X, X)),
    "mul_": (RuntimeError, lambda: (FLOATS + 0).mul_(X[:, :2])),
    "mul_, grown": (RuntimeError, lambda: (FLOATS + 0).mul_(X)),
    "floor_divide_": (RuntimeError, lambda: (VECTOR + 0).floor_divide_(VECTOR[:2])),
    "remainder_": (RuntimeError, lambda: (VECTOR + 0).remainder_(VECTOR[:2])),
    "add_": (ValueError, lambda: (FLOATS + 0).add_(X[:, :2])),
    "mul": (ValueError, lambda: FLOATS.mul(X[:, :2])),
    "RightShift": (TypeError, lambda: ops.RightShift()(VECTOR, VECTOR[:2])),
    "LeftShift": (ValueError, lambda: ops.LeftShift()(VECTOR, VECTOR[:2])),
    "mm, shapes": (RuntimeError, lambda: X.mm(X)),
    "mm, ints": (RuntimeError, lambda: X.mm(X.T.astype("int32"))),
    "mm, floats": (TypeError, lambda: X.mm(X.T.astype("float16"))),
    "bitwise_not": (RuntimeError, lambda: X.bitwise_not()),
    "empty_like": (RuntimeError, lambda: mint.empty_like(X, device="wrong", pin_memory=True)),
    "dist": (TypeError, lambda: ops.dist(X, X, -1)),
    "std": (TypeError, lambda: (X > 0).std(1)),
    "var": (TypeError, lambda: (X > 0).var(dim=1)),
    "FusedSparseFtrl": (
        TypeError,
        lambda: ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)(X + 0, X + 0, X + 0, X, VECTOR),
    ),
}


@pytest.mark.parametrize("error, call", BY_PAGE.values(), ids=BY_PAGE)
def test_refused_as_the_page_of_the_name_says(error, call):
    with pytest.raises(error, match="For '") as found:
        call()
    assert found.type is error


@pytest.mark.parametrize(
    "lengths, axes, words",
    [
        ([1], (1, 0), "'seq_lengths' must have shape (2,)"),
        ([[1, 2]], (1, 0), "'seq_lengths' must have shape (2,)"),
        ([1, 2], (0, 0), "'seq_dim' and 'batch_dim' must differ"),
        ([1, 2], (2, 0), "'seq_dim' must be in [0, 2)"),
        ([1, 2], (1, 2), "'batch_dim' must be in [0, 2)"),
    ],
)
def test_sequences_that_do_not_fit_are_refused(lengths, axes, words):
    with pytest.raises(ValueError, match=re.escape(words)):
        ops.reverse_sequence(ops.ones((2, 3)), Tensor(lengths), *axes)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.CumulativeLogsumexp()(FLOATS, Tensor(5)),
        lambda: ops.ReverseSequence(1)(ops.ones((2, 3)), Tensor([1, -2])),
        lambda: ops.ReverseSequence(1)(ops.ones((2, 3)), Tensor([1, 4])),
        lambda: ops.round(Tensor([1, 2]), decimals=1),
        lambda: ops.smooth_l1_loss(FLOATS, FLOATS.astype("int32")),
    ],
    ids=range(5),
)
def test_refused_with_the_runtime_error_of_the_page(call):
    with pytest.raises(RuntimeError, match="For '"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.CumulativeLogsumexp()(FLOATS, 0),
        lambda: ops.quantile(FLOATS, 1),
        lambda: ops.stft(ops.ones((1, 2, 64)), 16),
        lambda: ops.FractionalMaxPool([1.0, 1.5, 1.5, 1.0])(ops.ones((4, 4, 1))),
    ],
    ids=range(4),
)
def test_refused_with_the_type_error_of_the_page(call):
    with pytest.raises(TypeError, match="For '"):
        call()


def test_zeta_takes_numbers():
    close(ops.zeta(2.0, FLOATS + 1), [np.pi**2 / 6] * 3, atol=0)
    with pytest.raises(TypeError):
        ops.Zeta()(2.0, FLOATS)


CLASSES, TARGET = ops.ones((3, 5)), Tensor([1, 2, 3])
IMAGE, KERNEL = ops.ones((1, 2, 4, 4)), ops.ones((2, 2, 3, 3))
TRANSPOSE = ops.Conv2DTranspose(2, 3)

# an index out of range; a GPU wraps it around
PLACES = [
    (RuntimeError, lambda: ops.gather(X, Tensor([2]), 0)),
    (RuntimeError, lambda: ops.gather(X, Tensor([[0], [3]]), 1, 1)),
    (RuntimeError, lambda: ops.gather(X, Tensor([[0], [0], [0]]), 1, 1)),
    (RuntimeError, lambda: X.gather(Tensor([-3]), 0)),
    (RuntimeError, lambda: ops.gather_d(X, 0, Tensor([[2]]))),
    (RuntimeError, lambda: X.gather_elements(0, Tensor([[-3]]))),
    (RuntimeError, lambda: ops.gather_nd(X, Tensor([[2, 0]]))),
    (RuntimeError, lambda: X.gather_nd(Tensor([[0, 3]]))),
    (RuntimeError, lambda: ops.index_select(X, 0, Tensor([2]))),
    (RuntimeError, lambda: X.index_select(1, Tensor([3]))),
    (RuntimeError, lambda: ops.index_fill(X, 0, Tensor([2], dtype=int32), 1.0)),
    (RuntimeError, lambda: nn.Embedding(4, 3)(Tensor([4]))),
    (RuntimeError, lambda: ops.cross_entropy(CLASSES, Tensor([1, 2, 5]))),
    (RuntimeError, lambda: nn.CrossEntropyLoss()(CLASSES, Tensor([1, 2, 5], dtype=int32))),
    (RuntimeError, lambda: ops.nll_loss(CLASSES, Tensor([1, 2, -6]))),
    # cases for which the page documents a ValueError, or 2.10 raises one
    (ValueError, lambda: mint.gather(X, 0, Tensor([[2]]))),
    (ValueError, lambda: X.gather(0, Tensor([[2]]))),
    (ValueError, lambda: mint.nn.functional.nll_loss(CLASSES, Tensor([1, 2, 5]))),
]


@pytest.mark.parametrize("error, call", PLACES, ids=range(len(PLACES)))
def test_an_index_out_of_range(error, call):
    if Tensor(0).device != "CPU":
        pytest.skip("the stand-in for a GPU wraps indices around")
    with pytest.raises(error, match="For '"):
        call()


# a rule for which 2.10 raises a RuntimeError with a message of its own
RULES = {
    "a rank": [
        lambda: ops.index_fill(X, 2, Tensor([0], dtype=int32), 1.0),
        lambda: ops.trace(FLOATS),
        lambda: ops.Trace()(X[None]),
        lambda: ops.LayerNorm(2)(X, FLOATS, FLOATS),
        lambda: mint.nn.GroupNorm(1, 3)(FLOATS),
        lambda: nn.GroupNorm(1, 3)(FLOATS),
        lambda: TRANSPOSE(IMAGE[0], KERNEL, (1, 2, 6, 6)),
        lambda: TRANSPOSE(IMAGE, KERNEL[0], (1, 2, 6, 6)),
        lambda: TRANSPOSE(IMAGE, KERNEL, (2, 6, 6)),
        lambda: mint.nn.functional.nll_loss(FLOATS, TARGET),
        lambda: ops.NLLLoss()(CLASSES, TARGET[None], ops.ones(5)),
    ],
    "shapes that fit": [
        lambda: ops.nll_loss(CLASSES[None], TARGET),
        lambda: ops.nll_loss(CLASSES, TARGET, FLOATS),
        lambda: ops.matmul(X, X),
        lambda: mint.matmul(X[0], X),
        lambda: X @ X,
        lambda: ops.matmul(ops.ones((2, 3, 4)), ops.ones((5, 4, 4))),
        lambda: ops.approximate_equal(X, X[0]),
        lambda: ops.ApproximateEqual()(X, 0.5),
        lambda: ops.trapz(X, ops.ones(1)),
        lambda: ops.NLLLoss()(CLASSES, TARGET, ops.ones(4)),
        lambda: mint.nn.functional.nll_loss(CLASSES, TARGET, ops.ones(4)),
    ],
    "a range": [
        lambda: ops.softshrink(X, -1),
        lambda: nn.SoftShrink(-0.5)(X),
        lambda: mint.nn.functional.softshrink(X, -0.5),
        lambda: NOTHING.take(VECTOR),
        lambda: ops.randint(3, 3, (2,)),
        lambda: ops.randint_like(VECTOR, 3, 1),
        lambda: ops.diff(X, -1),
        lambda: ops.rot90(X, 1, (0, -2)),
        lambda: X.rot90(1, (1, 1)),
        lambda: ops.MapUniform()(VECTOR, 0, 2),
        lambda: ops.MapUniform()(VECTOR, 2, -1),
    ],
}


@pytest.mark.parametrize(
    "call",
    [call for calls in RULES.values() for call in calls],
    ids=[f"{name} {i}" for name, calls in RULES.items() for i, _ in enumerate(calls)],
)
def test_a_broken_rule_is_a_runtime_error(call):
    with pytest.raises(RuntimeError, match="For '"):
        call()


@pytest.mark.parametrize(
    "error, call",
    [
        # other forms of operators above: the page documents a ValueError, or 2.10 raises one
        (ValueError, lambda: mint.trace(FLOATS)),
        (ValueError, lambda: FLOATS.trace()),
        (ValueError, lambda: X.matmul(X)),
        (ValueError, lambda: ops.gather_d(X, 0, Tensor([[[0]]]))),
        (ValueError, lambda: ops.gather_nd(X, Tensor([[0, 0, 0]]))),
        (ValueError, lambda: ops.gather(X, Tensor([0]), 2)),
        (ValueError, lambda: ops.matmul(X, X[0, :2])),
        (ValueError, lambda: ops.matmul(ONE, VECTOR)),
        (ValueError, lambda: ops.rot90(X, 1, (0, 4))),
        (ValueError, lambda: ops.rot90(X, 1, (0,))),
        (ValueError, lambda: ops.Multinomial()(NOTHING, 2)),
        (ValueError, lambda: ops.cross_entropy(CLASSES, TARGET[:2])),
        (ValueError, lambda: ops.nll_loss(CLASSES, TARGET, ops.ones(7))),
        (ValueError, lambda: mint.nn.functional.nll_loss(CLASSES, TARGET[:2])),
        (ValueError, lambda: TRANSPOSE(IMAGE, KERNEL, (1, 2, 6, -6))),
        (ValueError, lambda: nn.Conv2dTranspose(2, 4, 3)(IMAGE[0])),
        (ValueError, lambda: ops.addmm((1, 2), X, ops.ones((3, 4)))),
        (ValueError, lambda: ops.zeta(FLOATS, FLOATS[None])),
        (ValueError, lambda: ops.zeta(2.0, FLOATS[:1])),
        (ValueError, lambda: ops.Zeta()(FLOATS, ONE * 1.0)),
        (TypeError, lambda: ops.L2Normalize((0, 1))(X)),
        (TypeError, lambda: ops.clip_by_value(X, (1, 2, 3))),
        (TypeError, lambda: ops.col2im(ops.ones((1, 1, 4, 4)), (3, 3), 2, 1, 0, 1)),
        (TypeError, lambda: ops.SampleDistortedBoundingBoxV2(area_range=(1, 2))),
        (TypeError, lambda: mint.addmm((1.0, 2.0), X, ops.ones((3, 2)))),
        (TypeError, lambda: ops.addcdiv(FLOATS, FLOATS, FLOATS, (True, False, True))),
        (KeyError, lambda: ops.iou(ops.ones((1, 4)), ops.ones((1, 4)), None)),
        (KeyError, lambda: ops.IOU((1, 2))),
    ],
    ids=range(28),
)
def test_kind_beside_those_rules(error, call):
    with pytest.raises(error, match="For '"):
        call()


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda: ops.addmm((1, 2), X, ops.ones((3, 2))), [[4, 5], [13, 14]]),
        (lambda: ops.addbmm([1.0, 2.0], X[None], ops.ones((1, 3, 2))), [[4, 5], [13, 14]]),
        (lambda: ops.addcmul(VECTOR, VECTOR, VECTOR, (1, 2, 3)), [2, 10, 30]),
        (lambda: ops.addcdiv(FLOATS, FLOATS + 1, FLOATS + 1, (1, 2, 3)), [1, 2, 3]),
        (lambda: ops.approximate_equal(0.5, Tensor(0.5)), True),
        (lambda: ops.zeta(Tensor([2.0]), FLOATS + 1).round(decimals=3), [1.645] * 3),
        (lambda: mint.diff(X, -1), [[0, 1, 2], [3, 4, 5]]),
    ],
    ids=range(7),
)
def test_taken(call, expected):
    close(call(), expected, atol=0)


@pytest.mark.parametrize("order", [3, 0, -3.0, "wrong"])
def test_norms_of_matrices_have_a_few_orders(order):
    for call in (ops.norm, mint.linalg.norm):
        with pytest.raises(ValueError, match="For 'norm', the order"):
            call(X, order)
    with pytest.raises(TypeError, match="'ord' must be a number"):
        ops.norm(FLOATS, "wrong")
    with pytest.raises(ValueError, match="'p' must be"):
        mint.norm(X, "wrong", 0)


BITS, IMAGINARY = Tensor([6, 3]), Tensor(np.ones(3, np.complex64))


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.bitwise_and(BITS, 0.5),
        lambda: BITS | 0.5,
        lambda: ops.BitwiseXor()(0.5, BITS),
        lambda: ops.bitwise_left_shift(BITS, 0.5),
        lambda: ops.hypot(FLOATS, IMAGINARY),
        lambda: ops.copysign(IMAGINARY, FLOATS),
        lambda: ops.logaddexp(FLOATS, IMAGINARY),
        lambda: ops.truncate_mod(IMAGINARY, FLOATS),
    ],
    ids=range(8),
)
def test_what_an_op_does_not_take_is_reported_by_name(call):
    with pytest.raises(TypeError, match="' must be a Tensor of .* but got"):
        call()


@pytest.mark.parametrize("name", ["stride", "padding", "dilation"])
@pytest.mark.parametrize("wrong", ["wrong", 0.5, True, None])
def test_a_setting_of_conv1d_of_a_wrong_kind_is_a_type_error(name, wrong):
    x, w = Tensor(np.ones((1, 1, 4), np.float32)), Tensor(np.ones((1, 1, 2), np.float32))
    with pytest.raises(TypeError, match=f"'{name}' must be an int"):
        ops.conv1d(x, w, pad_mode="pad", **{name: wrong})
    with pytest.raises(ValueError, match=f"'{name}' must be an int"):
        ops.conv1d(x, w, pad_mode="pad", **{name: (1, 2)})
