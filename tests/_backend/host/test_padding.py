"""Padding by reflected or repeated values, and its gradients as those of a gather."""

import numpy as np
import pytest
from kit import close, same

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.host import padding
from mindspore_compat._backend.thresholds import Least

MODES = {"replicate": "edge", "circular": "wrap", "symmetric": "symmetric", "reflect": "reflect"}
WIDTHS = [
    ((1, 2),),
    ((0, 0), (2, 1)),
    ((3, 0), (0, 2)),
    ((1, 1), (0, 0), (2, 3)),
    ((0, -1), (2, 1)),
    ((0, 0), (0, 0)),
]


def operands(widths):
    x = np.random.default_rng(0).standard_normal((4, 5, 4)[: len(widths)])
    return x, padding._gather(HOST, x, widths, "reflect").shape


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("widths", WIDTHS, ids=str)
@pytest.mark.parametrize("threads_from", [0, Least.UFUNC])
def test_values_and_the_transpose(mode, widths, threads_from, monkeypatch):
    monkeypatch.setattr(Least, "UFUNC", threads_from)
    x, shape = operands(widths)
    found = HOST.pad_by_index(x, widths, mode)
    same(found, padding._gather(HOST, x, widths, mode))
    if min(map(min, widths)) >= 0:
        same(found, np.pad(x, widths, MODES[mode]))
    g = np.random.default_rng(1).standard_normal(shape)
    kept = g.copy()
    back = HOST.add_padding_back(g, x.shape, widths, mode)
    same(g, kept)
    assert back.shape == x.shape
    close((back * x).sum(), (g * found).sum(), atol=1e-9)
    close(back, padding._scatter(HOST, g, x.shape, widths, mode), atol=1e-12)


@pytest.mark.parametrize("mode", ["replicate", "circular", "symmetric"])
def test_padding_wider_than_the_array(mode):
    x = np.arange(6.0).reshape(2, 3)
    widths = ((5, 4), (7, 8))
    found = HOST.pad_by_index(x, widths, mode)
    same(found, np.pad(x, widths, MODES[mode]))
    g = np.random.default_rng(1).standard_normal(found.shape)
    back = HOST.add_padding_back(g, x.shape, widths, mode)
    close((back * x).sum(), (g * found).sum(), atol=1e-9)


def test_copies_of_one_element_are_one_strip_and_many_strips_are_left_to_gathers():
    assert len(padding._strips(64, 50, 50, "replicate")) == 2
    x = np.ones((4, 3), np.float32)
    back = HOST.add_padding_back(
        np.ones((4, 203), np.float32), x.shape, ((0, 0), (99, 101)), "replicate"
    )
    same(back, [[100, 1, 102]] * 4)
    assert padding._is_special(x.shape, ((0, 0), (300, 0)), "circular")
    assert not padding._is_special(x.shape, ((0, 0), (300, 0)), "replicate")


def test_an_axis_without_elements():
    assert HOST.pad_by_index(np.ones((0, 3)), ((0, 0), (1, 1)), "reflect").shape == (0, 5)
    assert HOST.add_padding_back(np.ones((0, 5)), (0, 3), ((0, 0), (1, 1)), "reflect").size == 0


@pytest.mark.parametrize("mode", ["replicate", "circular", "reflect"])
def test_gradients_and_vmap_together(mode):
    x = Tensor(np.random.default_rng(0).standard_normal((3, 2, 4)).astype(np.float32))

    def loss(x):
        padded = ops.pad(x, (2, 1), mode)
        return (padded * padded * padded).sum()

    want = ops.stack([ms.grad(loss)(row) for row in x])
    close(ms.vmap(ms.grad(loss))(x), want)
    close(ms.grad(lambda x: ms.vmap(loss)(x).sum())(x), want)
    twice = ms.grad(lambda x: ms.grad(loss)(x).sum())
    close(ms.vmap(twice)(x), ops.stack([twice(row) for row in x]))
    if mode == "replicate":
        counts = np.array([3, 1, 1, 2], np.float32)  # how often each element is in the result
        close(twice(x[0]), 6 * x[0].asnumpy() * counts, atol=1e-5)


@pytest.mark.parametrize("widths", [((0, 0), (2, 1)), ((3, 0), (0, 4)), ((1, 2), (3, 4))])
@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
def test_a_number_around_a_large_array(widths, dtype, monkeypatch):
    monkeypatch.setattr(Least, "UFUNC", 1)
    x = np.random.default_rng(0).integers(0, 2, (7, 9)).astype(dtype)
    for given in (x, x.T.copy().T):
        same(HOST.pad(given, widths, constant_values=1), np.pad(x, widths, constant_values=1))
    same(HOST.pad(x, widths, mode="edge"), np.pad(x, widths, mode="edge"))


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool", "complex64"])
def test_constant_padding_of_small_arrays_is_numpys(dtype):
    x = np.random.default_rng(0).integers(0, 2, (3, 4, 5)).astype(dtype)
    for value in (0, 1.5, 100, -1):
        for widths in ([(1, 2), (0, 0), (3, 0)], [(0, 0)] * 3, ((0, 1), (2, 0), (0, 0))):
            for operand in (x, x.transpose(1, 2, 0), x[::2], x[:0]):
                expected = np.pad(operand, widths, constant_values=value)
                same(HOST.pad(operand, widths, constant_values=value), expected)
    same(HOST.pad(x, 1), np.pad(x, 1))
    same(HOST.pad(x, [(1, 2)]), np.pad(x, [(1, 2)]))
    with pytest.raises(ValueError):
        HOST.pad(x, [(1, -1)] * 3)


def test_what_follows_from_shapes_is_computed_once(monkeypatch):
    x = np.arange(12.0).reshape(3, 4)
    widths = ((1, 2), (0, 1))
    monkeypatch.delattr(np, "pad")  # its checks take longer than to pad a small array
    for given in (widths, list(widths), [list(pair) for pair in widths]):
        hits = padding._parts.cache_info().hits
        found = HOST.pad(x, given, constant_values=7)
        assert found.shape == (6, 5) and (found[1:4, :4] == x).all() and found.sum() == 66 + 7 * 18
        HOST.pad(x, given)
        assert padding._parts.cache_info().hits > hits
    for _ in range(2):
        hits = padding._copies.cache_info().hits
        found = HOST.pad_by_index(x, widths, "reflect")
        assert found[0, 0] == x[1, 0] and found[-1, -1] == x[0, -2]
    assert padding._copies.cache_info().hits > hits


@pytest.mark.parametrize("mode", ["symmetric", "reflect"])
@pytest.mark.parametrize("widths", WIDTHS, ids=str)
def test_gradients_of_small_arrays_have_the_bits_of_those_of_large_ones(mode, widths, monkeypatch):
    x, _ = operands(widths)
    g = np.random.default_rng(1).standard_normal(padding.pad_by_index(HOST, x, widths, mode).shape)
    small = padding.add_padding_back(HOST, g, x.shape, widths, mode)
    monkeypatch.setattr(Least, "UFUNC", 0)
    large = padding.add_padding_back(HOST, g, x.shape, widths, mode)
    assert small.flags.c_contiguous and small.tobytes() == large.tobytes()
