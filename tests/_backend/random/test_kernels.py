"""Random operators draw the numbers of MindSpore's CPU kernels for the same seed."""

import copy

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops

pytestmark = pytest.mark.host

# Masks of 16 ones with p=0.5, recorded from MindSpore 2.10: of two calls of the first layer, of the
# second layer, and of the first layer for 20 ones.
MASKS = {
    0: ("1010100111010011", "0000011100001010", "0110110011100111", "10101001110100110000"),
    5: ("0010110110000111", "0100100010000110", "1100101100001011", "00101101100001110100"),
}
WEIGHTS = ms.Tensor([0.1, 0.2, 0.3, 0.4])
# Two successive calls, recorded from MindSpore 2.10 after set_seed(5).
CALLS = {
    "rand": (
        lambda: ops.rand(3),
        [0.1062874, 0.6737604, 0.3678373],
        [0.1833697, 0.1086436, 0.4016076],
    ),
    "rand of a seed": (
        lambda: ops.rand(3, seed=7),
        [0.6698802, 0.3416867, 0.9739289],
        [0.5585504, 0.4242583, 0.956776],
    ),
    "rand_like": (
        lambda: ops.rand_like(ops.ones(3)),
        [0.1062874, 0.6737604, 0.3678373],
        [0.1833697, 0.1086436, 0.4016076],
    ),
    "randn": (
        lambda: ops.randn(3),
        [-0.2182468, -1.1815535, -1.8134737],
        [-0.0163169, -0.5862908, 0.5753849],
    ),
    "normal of a seed": (
        lambda: ops.normal((3,), 0.0, 1.0, seed=5),
        [-1.103138, -1.3390387, 0.8029324],
        [-2.1251142, -2.069024, 0.2964495],
    ),
    "randint": (lambda: ops.randint(0, 100, (4,)), [92, 10, 52, 67], [10, 18, 17, 10]),
    "randint_like": (
        lambda: ops.randint_like(ops.ones(4, ms.int32), 0, 100),
        [92, 10, 52, 67],
        [10, 18, 17, 10],
    ),
    "standard_normal": (
        lambda: ops.standard_normal((3,)),
        [-0.2182468, -1.1815535, -1.8134737],
        [-0.0163169, -0.5862908, 0.5753849],
    ),
    "numpy.rand": (
        lambda: ms.numpy.rand(3),
        [0.1709945, 0.7965015, 0.0520645],
        [0.6161044, 0.2653849, 0.1675855],
    ),
    "numpy.randn": (
        lambda: ms.numpy.randn(3),
        [-1.103138, -1.3390387, 0.8029324],
        [-2.1251142, -2.069024, 0.2964495],
    ),
    "numpy.randint": (lambda: ms.numpy.randint(0, 100, (4,)), [31, 17, 30, 79], [56, 61, 34, 26]),
    "standard_laplace": (
        lambda: ops.standard_laplace((3,)),
        [0.885334, 1.7564017, -4.0019493],
        [-2.4917905, -0.0258588, 3.2457085],
    ),
    "laplace": (
        lambda: ops.laplace((3,), ms.Tensor(1.0), ms.Tensor(2.0)),
        [2.770668, 4.5128034, -7.0038986],
        [-3.983581, 0.9482823, 7.491417],
    ),
    "multinomial": (
        lambda: ops.multinomial(WEIGHTS, 9),
        [3, 3, 0, 3, 1, 2, 2, 2, 2],
        [0, 2, 3, 3, 1, 3, 1, 2, 3],
    ),
    "multinomial without replacement": (
        lambda: ops.multinomial(WEIGHTS, 3, False),
        [1, 2, 3],
        [3, 2, 1],
    ),
    "randint, wide": (
        lambda: ops.randint(-(2**31), 2**31 - 1, (2,)),
        [1836015262, -1690982667],
        [-1714815137, -1359916618],
    ),
    "uniform": (
        lambda: ops.uniform((2,), ms.Tensor(1.0), ms.Tensor(2.0)),
        [1.1062875, 1.6737604],
        [1.1833698, 1.1086437],
    ),
}


def _mask(x):
    return "".join("1" if value else "0" for value in x.asnumpy())


@pytest.fixture(autouse=True)
def _seed():
    before, mode = ms.get_seed(), ms.get_context("mode")
    yield
    ms.set_seed(1 if before is None else before)
    ms.set_context(mode=mode)


@pytest.mark.parametrize("name", CALLS)
def test_calls_draw_recorded_numbers(name):
    call, first, second = CALLS[name]
    ms.set_seed(5)
    for expected in (first, second):
        np.testing.assert_allclose(call().asnumpy(), expected, rtol=1e-6, atol=5e-8)


@pytest.mark.parametrize("seed", MASKS)
def test_layers_draw_recorded_masks(seed):
    ms.set_seed(seed)
    first, second = (nn.Dropout(p=0.5).set_train() for _ in range(2))
    x, longer = ops.ones(16), ops.ones(20)
    drawn = _mask(first(x)), _mask(first(x)), _mask(second(x)), _mask(first(longer))
    assert drawn == MASKS[seed]


@pytest.mark.parametrize("seed", MASKS)
def test_dropout_draws_as_successive_layers(seed):
    ms.set_seed(seed)
    x = ops.ones(16)
    assert _mask(ops.dropout(x, 0.5)) == MASKS[seed][0]
    assert _mask(ops.dropout(x, 0.5)) == MASKS[seed][2]


def test_masks_of_channels():
    ms.set_seed(5)
    images = ops.ones((2, 16, 2, 2))
    layer = nn.Dropout2d(0.5).set_train()
    expected = [  # of 2.10, whatever the seed
        "11100010110000001101001011110101",
        "11110110100001000111011000111101",
        "10011001101010001101101111101000",
    ]
    for mask, drop in zip(expected, [layer, lambda x: ops.dropout2d(x, 0.5), layer], strict=True):
        assert _mask(drop(images)[:, :, 0, 0].reshape(-1)) == mask
    for drop, x in (
        (lambda x: ops.dropout3d(x, 0.5)[..., 0, 0, 0], images[..., None]),
        (lambda x: ops.dropout1d(x, 0.5)[..., 0], images[..., 0]),
    ):
        assert _mask(drop(x).reshape(-1)) == expected[0]
    ms.set_seed(7)
    assert _mask(layer(images)[:, :, 0, 0].reshape(-1)) == expected[0]


def test_bernoulli_numbers_of_a_seed():
    for _ in range(2):
        assert _mask(ops.bernoulli(ops.ones(16), 0.5, seed=0)) == "1001011000111000"
        assert _mask(ops.bernoulli(ops.ones(16), 0.3, seed=3)) == "1000000101000010"
        assert _mask(ops.Bernoulli(3, 7)(ops.ones(16), 0.5)) == "1000110111000010"


def test_primitives_of_seeds():
    draw = ops.Multinomial(3, 4)
    assert draw(WEIGHTS, 9).asnumpy().tolist() == [3, 1, 1, 1, 2, 2, 2, 0, 3]
    assert draw(WEIGHTS, 9).asnumpy().tolist() == [2, 0, 3, 3, 3, 1, 1, 3, 3]
    assert draw(WEIGHTS, 8).asnumpy().tolist() == [3, 1, 1, 1, 2, 2, 2, 0]
    numbers = ops.StandardLaplace(1, 2)((2, 2)).asnumpy().reshape(-1)
    expected = [0.7701394, 0.2521391, -0.4083105, -0.1873568]
    np.testing.assert_allclose(numbers, expected, rtol=1e-6, atol=5e-8)


def test_calls_that_keep_all_elements_count():
    ms.set_seed(5)
    x = ops.ones(16)
    ops.dropout(x, 0.0)
    ops.dropout(x, 0.5, training=False)  # does not count
    nn.Dropout(p=0.0)
    ops.dropout(x, 0.5)
    assert _mask(ops.dropout(x, 0.5)) == "1100111111110101"


def test_copied_layer_begins_again():
    ms.set_seed(5)
    layer = nn.Dropout(p=0.5).set_train()
    x = ops.ones(16)
    layer(x)
    other = copy.deepcopy(layer)
    assert (_mask(other(x)), _mask(layer(x))) == MASKS[5][:2]


class _Twice(nn.Cell):
    def __init__(self):
        super().__init__()
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        return self.drop(x), self.drop(x), ops.rand(3)


def test_each_call_in_a_graph_continues_its_own_stream():
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_seed(5)
    cell, x = _Twice().set_train(), ops.ones(16)
    numbers = [0.1062874, 0.6737604, 0.3678373], [0.1730961, 0.3739174, 0.4508911]
    for mask, expected in zip(MASKS[5][:2], numbers, strict=True):
        first, second, drawn = cell(x)
        assert _mask(first) == _mask(second) == mask
        np.testing.assert_allclose(drawn.asnumpy(), expected, rtol=1e-6)


def test_recorded_graph_continues_its_streams():
    def masks(mode):
        ms.set_context(mode=mode)
        ms.set_seed(5)
        layer = nn.Dropout(p=0.5).set_train()
        return [_mask(layer(ops.ones(16))) for _ in range(6)]

    assert masks(ms.GRAPH_MODE) == masks(ms.PYNATIVE_MODE)


def test_primitive_of_seeds_continues_per_shape():
    draw = ops.StandardNormal(3, 4)
    whole = ops.StandardNormal(3, 4)((5,)).asnumpy()
    first, second = draw((3,)).asnumpy(), draw((3,)).asnumpy()
    np.testing.assert_array_equal(first, whole[:3])
    assert second[0] == whole[4]  # the second number of an incomplete pair is not used
    np.testing.assert_array_equal(draw((5,)).asnumpy(), whole)


def test_recomputed_layer_draws_the_same_mask():
    ms.set_seed(5)
    layer = nn.Dropout(p=0.5).set_train()
    layer.recompute()
    x = ops.ones(16)
    value, gradient = ms.value_and_grad(lambda x: (layer(x) * layer(x)).sum())(x)
    assert float((gradient * x).sum()) == 2 * float(value)
    assert _mask(layer(x)) not in MASKS[5][:2]


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_a_restored_state_continues_all_streams(mode):
    def begun():
        ms.set_seed(5)
        return _Twice().set_train()

    ms.set_context(mode=mode)
    x, longer = ops.ones(16), ops.ones(20)
    cell = begun()
    cell(x), cell(longer), cell(x)
    state = ms.get_rng_state()
    expected = [[part.asnumpy() for part in cell(y)] for y in (x, longer)]
    cell = begun()  # as in a new process
    ms.set_seed(99)
    for _ in range(2):
        ms.set_rng_state(state)
        assert (ms.get_rng_state() == state).all()
        for parts, y in zip(expected, (x, longer), strict=True):
            for part, known in zip(cell(y), parts, strict=True):
                np.testing.assert_array_equal(part.asnumpy(), known)


def test_a_state_without_draws_has_16_bytes():
    ms.set_seed(5)
    assert ms.get_rng_state().shape == (16,)
    ops.rand(3)
    state = ms.get_rng_state()
    drawn = ops.rand(3)
    ms.set_rng_state(state)
    assert (ops.rand(3) == drawn).all()
    for wrong in (state[:-3], ops.zeros(32, ms.uint8), state[:5]):
        with pytest.raises(ValueError):
            ms.set_rng_state(wrong)
    assert ms.Generator().get_state().shape == (16,)
