"""Gradients of sparse tables keep the rows that were looked up, through autograd, clipping, loss
scales and optimizers."""

import tracemalloc

import numpy as np
import pytest
from fakecupy import rawkernels
from kit import close, same
from kit.loops import without_compiler

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import equal_numbers
from mindspore_compat._backend.cuda.equal_numbers import first_equal
from mindspore_compat._core.tensor.tensor import stored
from tests.gpu import counters

DEVICES = ["fakecupy", *["cupy"] * arrays.gpu_available()]
SPACES = ["numpy", *DEVICES]
ROWS, WIDTH = 9, 3
IDS = [[1, 4, 4], [7, 1, 1], [4, 0, 2]]


def table(**options):
    values = np.random.default_rng(0).standard_normal((ROWS, WIDTH)).astype(np.float32)
    return nn.EmbeddingLookup(ROWS, WIDTH, Tensor(values), **options)


def gradient(cell, function, ids):
    """The gradient of the sum of a function of the rows."""
    return ms.grad(lambda ids: (function(cell(ids)) ** 2).sum(), None, cell.trainable_params())(ids)


@pytest.mark.parametrize("ids", [[1, 4, 1], [[0, 8], [8, 3]], [2, -1, 9, 2], [-3]])
@pytest.mark.parametrize(
    "function",
    [lambda rows: rows, lambda rows: ops.sin(rows), lambda rows: rows.astype(ms.float16)],
)
def test_the_gradient_is_that_of_a_dense_table(ids, function):
    ids = Tensor(ids, ms.int32)
    (sparse,) = gradient(table(), function, ids)
    (dense,) = gradient(table(sparse=False, target="DEVICE"), function, ids)
    assert "_rows" in vars(sparse) and "_rows" not in vars(dense)
    assert (sparse.shape, sparse.dtype, sparse.ndim, sparse.size) == ((9, 3), ms.float32, 2, 27)
    known = [i for i in np.unique(ids.asnumpy()) if 0 <= i < ROWS]
    assert sparse._rows.index.tolist() == known
    close(sparse * 0.5, dense * 0.5)
    close(sparse / Tensor(4.0), dense / 4)
    close(sparse + 1, dense + 1)
    assert isinstance(sparse, Tensor) and repr(type(sparse)) == repr(Tensor)
    assert type(sparse) is Tensor  # its values have been read


def test_rows_of_several_uses_add_up():
    cell, dense = table(), table(sparse=False, target="DEVICE")

    def total(cell):
        def function(ids):
            weight = cell.embedding_table
            return (cell(ids) * cell(ids + 1)).sum() + (ops.sin(weight) ** 2)[2:].sum()

        return ms.grad(function, None, cell.trainable_params())(Tensor([1, 3, 3]))

    close(total(cell)[0], total(dense)[0])


def test_a_gradient_that_flows_on_is_dense():
    cell = table()

    def function(weight):
        return (nn.layer.embedding.sparse_rows.run(weight * weight, Tensor([1, 4, 1])) ** 2).sum()

    x = Tensor(np.random.default_rng(1).standard_normal((ROWS, WIDTH)))
    expected = np.zeros((ROWS, WIDTH))
    np.add.at(expected, [1, 4, 1], 4 * x.asnumpy()[[1, 4, 1]] ** 3)
    close(ms.grad(function)(x), expected, atol=1e-12)
    second = ms.grad(lambda x: ms.grad(function)(x).sum())(x)
    rows = np.zeros((ROWS, WIDTH))
    np.add.at(rows, [1, 4, 1], 12 * x.asnumpy()[[1, 4, 1]] ** 2)
    close(second, rows, atol=1e-12)
    assert cell.sparse


OPTIMIZERS = {
    "LazyAdam": lambda p: nn.LazyAdam(p, 0.1),
    "Adam, lazy": lambda p: nn.Adam(p, 0.1, use_lazy=True),
    "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1),
    "ProximalAdagrad": lambda p: nn.ProximalAdagrad(p, learning_rate=0.1),
    "Adam": lambda p: nn.Adam(p, 0.1),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9),
}


@pytest.fixture(params=[ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def mode(request):
    """Each mode."""
    yield request.param
    ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_steps_are_those_of_a_row_tensor(name, mode):
    first, second = table(), table()
    optimizer = OPTIMIZERS[name](second.trainable_params())
    ms.set_context(mode=mode)
    network = ops_of(first)
    step = nn.TrainOneStepCell(network, OPTIMIZERS[name](first.trainable_params()))
    before = first.embedding_table.asnumpy().copy()
    for ids in IDS:
        step(Tensor(ids, ms.int32))
        rows = second.embedding_table.asnumpy()[ids]
        values = Tensor(2 * rows)
        optimizer((ms.RowTensor(Tensor(ids, ms.int32), values, (ROWS, WIDTH)),))
        close(first.embedding_table, second.embedding_table)
    if name not in ("Adam", "Momentum"):
        same(first.embedding_table.asnumpy()[[3, 5, 6, 8]], before[[3, 5, 6, 8]])


@pytest.mark.parametrize("space", DEVICES, indirect=True)
@pytest.mark.parametrize("name", ["LazyAdam", "FTRL"])
def test_other_rows_stay_on_a_gpu_too(space, name):
    cell = table()
    before = cell.embedding_table.asnumpy().copy()
    step = nn.TrainOneStepCell(ops_of(cell), OPTIMIZERS[name](cell.trainable_params()))
    for ids in IDS:
        step(Tensor(ids, ms.int32))
    same(cell.embedding_table.asnumpy()[[3, 5, 6, 8]], before[[3, 5, 6, 8]])


@pytest.mark.parametrize("space", DEVICES, indirect=True)
@pytest.mark.parametrize("ids", [[1, 4, 4], [2, -1, 9, 2]])
def test_rows_and_scaled_rows_on_a_gpu(space, ids):
    ids = Tensor(ids, ms.int32)
    (sparse,) = gradient(table(), ops.sin, ids)
    (dense,) = gradient(table(sparse=False, target="DEVICE"), ops.sin, ids)
    half = sparse * 0.5
    for found, factor in ((sparse, 1), (half, 0.5)):
        assert found._rows.index.tolist() == [i for i in np.unique(ids.asnumpy()) if 0 <= i < ROWS]
        chosen = found._rows.chosen()
        close(Tensor._wrap(chosen.whole()), dense * factor)
        close(found, dense * factor)


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", DEVICES, indirect=True)
@pytest.mark.parametrize("scaled", [False, True])
@pytest.mark.parametrize("name", ["Adam", "Momentum"])
def test_an_optimizer_of_all_rows_waits_for_nothing_on_a_gpu(space, name, scaled, capture_allowed):
    found, cells = [], [table(), table(), table(sparse=False, target="DEVICE")]
    for graph, cell in zip((False, True, False), cells, strict=True):
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        network, optimizer = ops_of(cell), OPTIMIZERS[name](cell.trainable_params())
        if scaled:
            scale = nn.DynamicLossScaleUpdateCell(2.0**8, 100, 2)
            step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=scale)
        else:
            step = nn.TrainOneStepCell(network, optimizer)
        for ids in [*IDS, *IDS]:
            ids = Tensor(ids, ms.int32)
            with counters.counted() as counts:
                step(ids)
        assert not counts.names["synchronisations"]
        assert counts.names["launches"]["graph"] == (graph and counters.can_count())
        found.append(cell.embedding_table.asnumpy())
    ms.set_context(mode=ms.PYNATIVE_MODE)
    same(found[0], found[1])
    close(found[0], found[2])


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", DEVICES, indirect=True)
def test_a_step_that_updates_rows_is_not_captured(space, capture_allowed):
    found = []
    for mode in (ms.PYNATIVE_MODE, ms.GRAPH_MODE):
        ms.set_context(mode=mode)
        cell = table()
        step = nn.TrainOneStepCell(ops_of(cell), nn.LazyAdam(cell.trainable_params(), 0.1))
        for ids in [*IDS, *IDS]:
            with counters.counted() as counts:
                step(Tensor(ids, ms.int32))
        assert not counts.names["launches"]["graph"]
        found.append(cell.embedding_table.asnumpy())
    same(*found)


def ops_of(cell):
    """A Cell that returns the sum of the squares of rows."""

    class Squares(nn.Cell):
        def __init__(self):
            super().__init__()
            self.cell = cell

        def construct(self, ids):
            return (self.cell(ids) ** 2).sum()

    return Squares()


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", SPACES, indirect=True)
@pytest.mark.parametrize("ids", [[1, 4, 1], [1, -1, 9, 1, 1, 0, 4]])
def test_clipping_and_loss_scales_keep_rows(space, ids):
    ids = Tensor(ids, ms.int32)
    (sparse,) = gradient(table(), lambda x: x, ids)
    (dense,) = gradient(table(sparse=False, target="DEVICE"), lambda x: x, ids)
    ops.clip_by_global_norm((sparse, Tensor([3.0])), 0.5)  # the host waits for its constants once
    with counters.counted() as counts:
        clipped = ops.clip_by_global_norm((sparse, Tensor([3.0])), 0.5)
    assert "_rows" in vars(clipped[0]) and "_rows" in vars(sparse)
    assert counts.synchronisations == 0 and stored(clipped[0]).shape[0] <= ids.size
    for x, y in zip(clipped, ops.clip_by_global_norm((dense, Tensor([3.0])), 0.5)):
        close(x, y)
    infinite = (dense * np.inf).asnumpy()
    infinite[dense.asnumpy() == 0] = 0
    close(sparse * np.inf, infinite)


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", DEVICES, indirect=True)
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_where_numbers_occur_first(space, index, monkeypatch):
    if index is np.int64:
        monkeypatch.setattr(equal_numbers, "SMALL", 0)
    numbers = np.random.default_rng(0).integers(-1, 300, 1000) * 2**40
    numbers[numbers < 0] = -1
    first, once = (
        x.get() for x in first_equal(space.module, space.module.asarray(numbers.astype(np.int64)))
    )
    for at, number in enumerate(numbers.tolist()):
        expected = at if number < 0 else numbers.tolist().index(number)
        assert first[at] == expected and once[at] == (number if expected == at else -1)


class Clipped(nn.TrainOneStepCell):
    """A step that clips the gradients."""

    def construct(self, ids):
        loss, grads = ms.value_and_grad(self.network, None, self.weights)(ids)
        self.optimizer(ops.clip_by_global_norm(grads, 0.5))
        return loss


@pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler")
@pytest.mark.parametrize("space", ["numpy", "fakecupy"], indirect=True)
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("name", ["LazyAdam", "FTRL", "ProximalAdagrad", "Adam, lazy"])
def test_a_step_allocates_nothing_of_the_size_of_the_table(space, name, scaled, monkeypatch):
    without_compiler(monkeypatch)
    cell = nn.EmbeddingLookup(200_000, 8)
    optimizer = OPTIMIZERS[name](cell.trainable_params())
    if scaled:
        manager = nn.DynamicLossScaleUpdateCell(1024.0, 2, 100)
        step = nn.TrainOneStepWithLossScaleCell(ops_of(cell), optimizer, scale_sense=manager)
    else:
        step = Clipped(ops_of(cell), optimizer)
    ids = Tensor(np.arange(64) * 7, ms.int32)
    peaks = []
    for _ in range(3):  # another thread may still compile while the first ones run
        tracemalloc.start()
        step(ids)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert min(peaks) < 200_000
