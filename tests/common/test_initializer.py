"""Initializers: distributions, seeds, names, and user-defined initializers."""

import copy
import math
import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat.common.initializer import (
    Constant,
    Dirac,
    HeNormal,
    HeUniform,
    Identity,
    Initializer,
    Normal,
    One,
    Orthogonal,
    Sparse,
    TruncatedNormal,
    Uniform,
    VarianceScaling,
    XavierNormal,
    XavierUniform,
    Zero,
    initializer,
)

pytestmark = pytest.mark.quick

SHAPE = (300, 200)  # fan_out, fan_in


def values(init, shape=SHAPE, dtype=ms.float32):
    return initializer(init, shape, dtype).init_data().asnumpy()


# Distributions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "init, mean, deviation",
    [
        (Normal(0.5, 2.0), 2.0, 0.5),
        (TruncatedNormal(1.0), 0.0, 0.87962566),
        (Uniform(0.3), 0.0, 0.3 / math.sqrt(3)),
        (XavierNormal(2.0), 0.0, 2.0 * math.sqrt(2 / 500)),
        (XavierUniform(2.0), 0.0, 2.0 * math.sqrt(2 / 500)),
        (HeNormal(), 0.0, math.sqrt(2 / 200)),
        (HeNormal(mode="fan_out", nonlinearity="relu"), 0.0, math.sqrt(2 / 300)),
        (HeUniform(math.sqrt(5)), 0.0, math.sqrt(2 / 6 / 200)),
        (VarianceScaling(3.0, "fan_avg", "uniform"), 0.0, math.sqrt(3 / 250)),
        (VarianceScaling(3.0, "fan_out", "untruncated_normal"), 0.0, math.sqrt(3 / 300)),
        (Constant(3), 3.0, 0.0),
        (Zero(), 0.0, 0.0),
        (One(), 1.0, 0.0),
    ],
)
def test_mean_and_deviation(init, mean, deviation):
    found = values(init).astype(np.float64)
    assert found.mean() == pytest.approx(mean, abs=4 * deviation / math.sqrt(found.size) + 1e-9)
    assert found.std() == pytest.approx(deviation, rel=0.02)


@pytest.mark.parametrize(
    "init, bound",
    [
        (Uniform(0.3), 0.3),
        (XavierUniform(), math.sqrt(6 / 500)),
        (HeUniform(), math.sqrt(6 / 200)),
        (TruncatedNormal(1.0), 2.0),
        (TruncatedNormal(5.0, 0.0, -0.5, 0.5), 0.5),
    ],
)
def test_bounds(init, bound):
    found = np.abs(values(init))
    assert 0.98 * bound < found.max() <= bound * (1 + 1e-6)


def test_fans_of_convolutions_count_the_kernel():
    deviation = math.sqrt(2 / (32 * 9))
    assert values(HeNormal(), (64, 32, 3, 3)).std() == pytest.approx(deviation, rel=0.03)


def test_identity():
    assert np.array_equal(values(Identity(), (2, 3)), np.eye(2, 3))
    with pytest.raises(ValueError, match="Identity"):
        values(Identity(), (2, 2, 2))


def test_orthogonal():
    found = values(Orthogonal(2.0), (3, 5)).astype(np.float64)
    assert np.allclose(found @ found.T, 4 * np.eye(3), atol=1e-5)


def test_sparse_columns_have_their_share_of_zeros():
    assert ((values(Sparse(0.25, 1.0), (8, 5)) == 0).sum(0) == 2).all()


def test_dirac_keeps_channels_of_a_convolution():
    found = values(Dirac(groups=2), (4, 2, 3))
    assert found.sum() == 4
    assert all(found[i, i % 2, 1] == 1 for i in range(4))


# Seeds --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["normal", "uniform", "truncatednormal", "xavier_uniform", "he_uniform", "henormal"]
)
def test_a_seed_gives_the_same_values(name):
    def drawn():
        ms.set_seed(3)
        np.random.seed(3)
        return values(name, (4, 5)), values(name, (4, 5))

    (one, other), (again, _) = drawn(), drawn()
    assert np.array_equal(one, again)
    assert not np.array_equal(one, other)


# Names, arguments and refusals --------------------------------------------------------------------


@pytest.mark.parametrize(
    "name, kind",
    [
        ("zeros", Zero),
        ("ones", One),
        ("Normal", Normal),
        ("heuniform", HeUniform),
        ("xavier_uniform", XavierUniform),
        ("TruncatedNormal", TruncatedNormal),
    ],
)
def test_names(name, kind):
    assert type(initializer(name, (2, 2)).init or kind()) is kind
    assert values(name, (2, 2)).shape == (2, 2)


def test_a_number_is_a_constant():
    assert values(0.5, (2,), ms.float16).tolist() == [0.5, 0.5]
    assert values(3, (2,), ms.int32).tolist() == [3, 3]


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("no such name", (2,)), ValueError),
        ((None, (2,)), TypeError),
        (("zeros", (0, 2)), ValueError),
        (("zeros", (2.0,)), ValueError),
        (("zeros", "text"), ValueError),
        (([1.0], (2,)), TypeError),
    ],
)
def test_refusals(arguments, error):
    with pytest.raises(error):
        initializer(*arguments)


def test_fans_need_two_axes():
    with pytest.raises(ValueError, match="fan"):
        values(XavierUniform(), (3,))


def test_an_initializer_of_ones_own():
    class Ramp(Initializer):
        def __init__(self, step):
            super().__init__(step=step)
            self.step = step

        def _initialize(self, arr):
            arr[:] = np.arange(arr.size).reshape(arr.shape) * self.step

    assert values(Ramp(2.0), (3,)).tolist() == [0, 2, 4]


def test_values_are_drawn_when_something_is_computed_with_them():
    for use, wanted in (
        (lambda x: x * 3, [3, 3]),
        (lambda x: 3 * x, [3, 3]),
        (lambda x: x[:1], [1]),
        (lambda x: ms.ops.assign(ms.Parameter(ms.Tensor([0.0, 0.0])), x), [1, 1]),
        (lambda x: x.astype(ms.float16), [1, 1]),
        (lambda x: x.reshape(2, 1) @ x.reshape(1, 2), [[1, 1], [1, 1]]),
        (ms.Tensor, [1, 1]),
        (ms.nn.ReLU(), [1, 1]),
        (ms.grad(lambda x: x * x), [2, 2]),
    ):
        x = initializer("ones", [2])
        assert x.has_init and x.shape == (2,) and x.dtype == ms.float32 and x.nbytes == 8
        assert x.has_init and isinstance(x, ms.Tensor) and type(x).__name__ == "Tensor"
        assert use(x).asnumpy().tolist() == wanted
        assert not x.has_init and type(x) is ms.Tensor


def test_copies_of_a_tensor_are_drawn_when_they_are_needed():
    x = initializer(Normal(), [3])
    for made in (copy.copy(x), copy.deepcopy(x)):
        assert made.has_init and x.has_init
        assert made.asnumpy().all()
    assert pickle.loads(pickle.dumps(x)).asnumpy().tolist() == x.asnumpy().tolist()


def test_an_initializer_that_fails_leaves_a_tensor_to_be_drawn():
    class Failing(Initializer):
        def _initialize(self, array):
            raise OSError("no values")

    x = initializer(Failing(), [3])
    for _ in range(2):
        with pytest.raises(OSError, match="no values"):
            x.init_data()
        assert x.has_init and x.shape == (3,)


@pytest.mark.parametrize("low, high", [(-2.0, -0.5), (0.5, 2.0), (0.02, 0.03), (0.5, float("inf"))])
def test_values_far_from_the_mean_lie_near_the_nearer_bound(low, high):
    values = initializer(TruncatedNormal(0.01, 0.0, low, high), (1000,)).init_data().asnumpy()
    nearer = min(low, high, key=abs)
    assert (values >= low).all() and (values <= high).all()
    assert np.abs(values - nearer).max() < 0.01 and len(np.unique(values)) > 100


def test_a_registered_class_is_found_by_its_name_and_a_taken_name_keeps_its_class():
    names = ms.common.initializer._INITIALIZER_ALIAS
    before = dict(names)

    @ms.common.initializer._register("twos", "Two_s")
    class Two(Initializer):
        def _initialize(self, arr):
            arr[...] = 2

    @ms.common.initializer._register()
    class Uniform(Initializer):
        def _initialize(self, arr):
            arr[...] = 9

    try:
        for name in ("two", "TWO", "twos", "two_s"):
            np.testing.assert_array_equal(values(name, (2,)), [2, 2])
        assert np.abs(values("uniform", (3,))).max() < 1
    finally:
        names.clear()
        names.update(before)


# MindSpore's values -------------------------------------------------------------------------------

FIRST = [  # the first values after numpy.random.seed(7), in MindSpore 2.10
    (Uniform(0.3), [50001], [-0.046938248, -0.032829266, -0.23696217]),
    (Normal(0.5, -3.0), [33333], [-2.8341188, -3.0149493, -3.2680814]),
    (TruncatedNormal(0.02), [5001], [-0.0039473698, -0.002751682, -0.025064373]),
    (TruncatedNormal(1.0, 0.5, -1.0, 3.0), [5000], [0.39397308, 0.44878846, -0.47734624]),
    (HeNormal(), [4, 5, 3, 3], [0.069941647, -0.0063031614, -0.11303308]),
    (HeUniform(5**0.5), [2000, 999], [-0.0049502011, -0.0034622396, -0.024990505]),
]
LAST = [  # the last two of the same draws
    *[[0.24493676, -0.089910425], [-2.2998149, -3.2664542], [-0.02302172, -0.029333523]],
    *[[0.58853543, -0.40572926], [-0.10003433, 0.14288826], [-0.029919507, -0.028591063]],
]


@pytest.mark.parametrize(
    "init, shape, first, last", [(*case, last) for case, last in zip(FIRST, LAST, strict=True)]
)
def test_a_seed_gives_the_values_of_mindspore(init, shape, first, last):
    np.random.seed(7)
    drawn = values(init, shape).reshape(-1)
    np.testing.assert_allclose([*drawn[:3], *drawn[-2:]], [*first, *last], rtol=2e-6, atol=1e-7)


def test_set_seed_gives_the_weights_of_mindspore():
    ms.set_seed(1)
    dense, conv = ms.nn.Dense(3, 2), ms.nn.Conv2d(1, 1, 2)
    expected = [0.33661935, -0.2950237, 0.20274945, -0.43335572, -0.2811716, -0.48321804]
    np.testing.assert_allclose(dense.weight.asnumpy().reshape(-1), expected, rtol=2e-6)
    expected = [0.3721445, 0.12110763, -0.46508786, 0.11734481]
    np.testing.assert_allclose(conv.weight.asnumpy().reshape(-1), expected, rtol=2e-6)


def test_recurrent_layers_draw_from_numpy_direction_after_direction():
    np.random.seed(3)
    net = ms.nn.LSTM(3, 2, num_layers=2, bidirectional=True)
    np.random.seed(3)
    for layer, width in enumerate((3, 4)):
        for suffix in ("", "_reverse"):
            for kind, shape in {
                "weight_ih": (8, width),
                "weight_hh": (8, 2),
                "bias_ih": (8,),
                "bias_hh": (8,),
            }.items():
                drawn = np.random.uniform(-(2**-0.5), 2**-0.5, shape).astype(np.float32)
                weight = getattr(net, f"{kind}_l{layer}{suffix}")
                np.testing.assert_array_equal(weight.asnumpy(), drawn)


def test_recurrent_cells_give_the_weights_of_mindspore():
    ms.set_seed(1)
    cell = ms.nn.GRUCell(3, 2)
    first = [float(weight.asnumpy().flat[0]) for weight in cell.get_parameters()]
    expected = [0.43844232, -0.072047822, -0.31382114, 0.3882145]
    np.testing.assert_allclose(first, expected, rtol=2e-6)
    assert np.random.rand() == pytest.approx(0.6637946452197888)
