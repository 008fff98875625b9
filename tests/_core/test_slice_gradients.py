"""Gradients of slices and gathers: a loop over the rows of an array takes time and memory in
proportion to its rows, with the values of the definition.
"""

import ml_dtypes
import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients
from kit.steps import replays

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._core.autograd import slice_sum
from tests.gpu import counters


def values(*shape):
    return np.random.default_rng(3).normal(size=shape)


def each_index(x):
    return sum((x[i] ** 2).sum() * (i + 1) for i in range(x.shape[0]))


def windows(x):
    return sum((x[i : i + 3] * x[-1, ::2].sum() * (i + 1)).sum() for i in range(x.shape[0]))


def iterated(x):
    out = 1.0
    for row in x:
        out = out + (row * row[1]).sum()
    return out


def looked_up(x):
    return sum((ops.gather(x, Tensor([i]), 0) ** 2).sum() for i in range(x.shape[0]))


def indexed(x):
    return sum((x[Tensor([i])] ** 2).sum() for i in range(x.shape[0]))


def unstacked(x):
    return sum((part**2).sum() * (i + 1) for i, part in enumerate(ops.unstack(x, 1)))


def divided(x):
    return sum((part**3).sum() * (i + 1) for i, part in enumerate(ops.split(x, 2)))


def narrowed(x):
    return sum((ops.narrow(x, 0, i, 2) ** 2).sum() for i in range(x.shape[0] - 1))


def with_whole(x):
    out = (x**2).sum()
    for i in range(x.shape[0]):
        out = out + (x[i] * x[None, ..., 1].sum()).sum() + (x * x[i, 0]).sum()
    return out


def with_rows_by_number(x):
    return (x[Tensor([0, 0, 2])] ** 2).sum() + (x[1:] ** 3).sum() + (x[x > 0] ** 2).sum()


def recurrent(x):
    state = x[0]
    for i in range(1, x.shape[0]):
        state = ops.tanh(state * x[i]) + x[i - 1]
    return state.sum()


def gathered(x):
    rows = ops.cast(x > 0, ms.int32)
    out = (x[1:] ** 2).sum() + (ops.gather(x, rows, 0) ** 3).sum()
    for i in range(x.shape[0]):
        out = out + (ops.gather(x, rows[i, :2], 0) ** 2).sum() * (i + 1)
        out = out + (ops.gather(x, rows[:1, 1:2], 1) ** 3).sum() + x[rows[i, 2:]].prod()
    return out


FUNCTIONS = [
    gathered,
    each_index,
    windows,
    iterated,
    unstacked,
    divided,
    narrowed,
    with_whole,
    with_rows_by_number,
    recurrent,
]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_gradients_agree_with_finite_differences(function):
    check_gradients(function, values(4, 3))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_every_array_type_gives_the_same_gradients(function, space):
    x = values(4, 3)
    tensor = Tensor._wrap(space.asarray(x))
    outer = ms.grad(lambda x: (ms.grad(function)(x) * x).sum())
    for gradient in (ms.grad(function), outer):
        close(gradient(tensor).asnumpy(), gradient(Tensor(x)).asnumpy())


@pytest.mark.parametrize("function", FUNCTIONS)
def test_jacobians_and_vmap_give_the_same_gradients(function):
    x = values(2, 4, 3)
    rows = [ms.grad(function)(Tensor(part)).asnumpy() for part in x]
    if function is not with_rows_by_number:  # a mask has no fixed number of elements
        close(ms.vmap(ms.grad(function))(Tensor(x)).asnumpy(), np.stack(rows))
    close(ms.jacrev(function)(Tensor(x[0])).asnumpy(), rows[0])


@pytest.mark.parametrize("function", FUNCTIONS[:-2])
def test_recorded_steps_give_the_same_gradients(function):
    class Network(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = ms.Parameter(Tensor(values(4, 3).astype(np.float32)), name="w")

        def construct(self, x):
            return function(self.w * x)

    weights = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        network = Network()
        step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 1e-3, 0.9))
        for i in range(5):
            step(Tensor(values(4, 3).astype(np.float32) * i))
        weights.append(network.w.asnumpy())
    assert any(replays(step))
    np.testing.assert_array_equal(*weights)


def test_gradients_in_low_precision_are_rounded_once_for_each_slice():
    x = Tensor(values(5, 3).astype(np.float16))
    gradient = ms.grad(each_index)(x)
    assert gradient.dtype == ms.float16
    close(gradient.asnumpy(), (2 * np.arange(1, 6)[:, None] * x.asnumpy()).astype(np.float16))


@pytest.mark.parametrize("dtype", [np.float16, ml_dtypes.bfloat16])
def test_the_host_adds_repeated_rows_in_low_precision_in_float32(dtype):
    g, rows = np.ones((700, 2), dtype), np.ones(700, np.int64)
    parts = [slice_sum.gradient_of_take(arrays.HOST, g, (2048, 2), rows, 0) for _ in range(3)]
    whole = sum(parts[1:], start=parts[0]).whole()
    assert whole.dtype == dtype
    np.testing.assert_array_equal(whole[1], np.full(2, 2100).astype(dtype))


@pytest.mark.parametrize(
    "function", [each_index, iterated, unstacked, divided, narrowed, looked_up, indexed]
)
def test_memory_grows_with_the_rows(function, monkeypatch):
    counts, zeros = [], arrays.HOST.zeros

    def counted(shape, *args):
        counts.append(np.prod(shape))
        return zeros(shape, *args)

    monkeypatch.setattr(arrays.HOST, "zeros", counted)
    ms.grad(function)(Tensor(values(64, 32).astype(np.float32)))
    assert sum(counts) < 8 * 64 * 32


def test_slices_of_as_many_elements_as_the_array_are_added(monkeypatch):
    lengths, add = [], slice_sum.SliceSum.whole

    def counted(self):
        lengths.append(len(self.slices))
        return add(self)

    monkeypatch.setattr(slice_sum.SliceSum, "whole", counted)
    ms.grad(lambda x: sum((x[:3] * i).sum() for i in range(50)))(Tensor(values(4, 3)))
    assert max(lengths) < 5


def test_a_slice_does_not_keep_the_array_that_it_is_a_part_of():
    whole = np.ones((100, 100))
    for g, is_copied in ((whole[:2], True), (whole[:], False), (np.ones((2, 100)), False)):
        gradient = slice_sum.gradient_of_slice(arrays.HOST, g, (200, 100), slice(len(g)))
        assert (gradient.slices[0] is not g) == is_copied


def test_a_table_that_is_also_sliced_gets_both_gradients():
    table = ms.Parameter(Tensor(values(6, 2).astype(np.float32)), name="table")
    lookup = nn.EmbeddingLookup(6, 2, sparse=True)
    lookup.embedding_table = table

    def loss(ids):
        return (lookup(ids) ** 2).sum() + (table[1:3] ** 2).sum() + table[0].sum()

    found = ms.grad(loss, None, [table])(Tensor([1, 4, 4]))[0].asnumpy()
    wanted = np.zeros((6, 2))
    wanted[[1, 4]] = 2 * table.asnumpy()[[1, 4]] * [[1], [2]]
    wanted[1:3] += 2 * table.asnumpy()[1:3]
    wanted[0] += 1
    close(found, wanted.astype(np.float32))


@pytest.mark.parametrize("space", counters.DEVICES, indirect=True)
def test_rows_of_a_gpu_named_by_indices_of_the_host(space):
    xp, rows = arrays.current_space(), np.array([0, 2])
    parts = [xp.asarray(np.full((2, 3), value)) for value in (1.0, 2.0)]
    gradients = [slice_sum.gradient_of_slice(xp, g, (4, 3), (rows,)) for g in parts]
    whole = gradients[1] + gradients[0]
    whole = whole.whole() if isinstance(whole, slice_sum.SliceSum) else whole
    np.testing.assert_array_equal(whole.tolist(), [[3.0] * 3, [0.0] * 3] * 2)
