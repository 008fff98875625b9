"""In the mode auto_parallel, weights without a strategy are divided in the cheapest way: the one
that exchanges the fewest bytes. The results are those of one process.
"""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat._core.context.config import config
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.choosing import Sizes, cheapest, product_costs, table_costs
from mindspore_compat._core.sharding.mesh import Mesh

RANKS = 4
RNG = np.random.default_rng(0)


class Product(nn.Cell):
    def __init__(self, rows, inner, columns):
        super().__init__()
        self.x = RNG.normal(size=(rows, inner)).astype(np.float32)
        self.layer = nn.Dense(inner, columns, has_bias=False)

    def construct(self, x):
        return (self.layer(x) ** 2).mean()


class Convolution(nn.Cell):
    def __init__(self, images, side, channels):
        super().__init__()
        self.x = RNG.normal(size=(images, channels, side, side)).astype(np.float32)
        self.layer = nn.Conv2d(channels, channels, 3)

    def construct(self, x):
        return (self.layer(x) ** 2).mean()


class Table(nn.Cell):
    def __init__(self, ids, rows, columns):
        super().__init__()
        self.x = RNG.integers(0, rows, ids).astype(np.int32)
        self.layer = nn.Embedding(rows, columns)

    def construct(self, x):
        return (self.layer(x) ** 2).mean()


# network, its sizes, and the axis of the weight that is divided, None for none
CASES = [
    (Product, (1024, 16, 16), None),  # many rows, a small weight
    (Product, (4, 256, 512), 0),  # few rows: the input is smaller than the result
    (Product, (4, 512, 64), 1),  # the result is smaller than the input
    (Product, (4, 510, 512), 0),  # 4 parts do not divide the inner axis
    (Convolution, (16, 8, 4), None),
    (Convolution, (4, 1, 64), 0),
    (Table, (1024, 16, 8), None),
    (Table, (16, 4096, 8), 1),
    (Table, (16, 4096, 7), 0),  # 4 parts do not divide the columns
]


@pytest.fixture
def automatic():
    """The settings of auto_parallel, which simulated ranks share."""
    before = config.parallel.parallel_mode
    config.parallel.parallel_mode = "auto_parallel"
    yield
    config.parallel.parallel_mode = before


def weight_of(net):
    return next(p for p in net.trainable_params() if p.ndim > 1)


def copies(count, kind, *sizes):
    """Networks with the same input and weights."""
    nets = [kind(*sizes) for _ in range(count)]
    for net in nets[1:]:
        net.x = nets[0].x
        for own, other in zip(net.trainable_params(), nets[0].trainable_params(), strict=True):
            own.set_data(Tensor(other.asnumpy().copy()))
    return nets


def trained(net, world=None, axis=None):
    """Returns the losses of two steps, the weight after them, the bytes that the second step
    exchanges, and the divided axes of the weight."""
    weight = weight_of(net)
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(net, optimizer).set_train()
    x, traffic = Tensor(net.x), 0
    if world is None:
        losses = [float(step(x).asnumpy()) for _ in range(2)]
    else:
        mesh = Mesh(world)
        if axis is not None:
            weight.__dict__["_division_chosen"] = True
            dims = [mesh.axes if number == axis else () for number in range(weight.ndim)]
            network.adopt(weight, network.space_on(mesh), dims)
        losses = []
        for _ in range(2):
            mesh.traffic.clear()
            losses.append(float(network.run_on(mesh, "full_batch", step, (x,), {}).asnumpy()))
        traffic = sum(mesh.traffic.values())
    dims = getattr(weight._array, "dims", ((),) * weight.ndim)
    return losses, weight.asnumpy(), traffic, [n for n, axes in enumerate(dims) if axes]


@pytest.mark.parametrize("kind,sizes,axis", CASES)
def test_the_cheapest_division_is_chosen(automatic, kind, sizes, axis, capfd):
    nets = copies(RANKS + 1, kind, *sizes)
    losses, value, _, _ = trained(nets[-1])
    for found in on_ranks(RANKS, lambda world: trained(nets[world.rank], world)):
        np.testing.assert_allclose(found[0], losses, rtol=1e-5)
        np.testing.assert_allclose(found[1], value, rtol=1e-4, atol=1e-6)
        assert found[3] == ([] if axis is None else [axis])
    printed = capfd.readouterr().out
    assert printed.count("auto_parallel: ") == 1
    assert ("whole (cost" if axis is None else f"divided along axis {axis}") in printed


@pytest.mark.parametrize(
    "kind,sizes,factor", [(Product, (4, 256, 512), 100), (Table, (16, 4096, 8), 100)]
)
def test_the_choice_exchanges_fewer_bytes_than_others(automatic, kind, sizes, factor):
    """The chosen division exchanges a small fraction of the bytes that a whole weight needs."""

    def bytes_of(other):
        nets = copies(RANKS, kind, *sizes)
        for net in nets if other == "whole" else ():
            weight_of(net).__dict__["_division_chosen"] = True
        given = None if other in ("chosen", "whole") else other
        return on_ranks(RANKS, lambda world: trained(nets[world.rank], world, given)[2])[0]

    chosen = bytes_of("chosen")
    others = [bytes_of(other) for other in ("whole", 0, 1)]
    assert chosen == min(others) and others[0] > factor * chosen


def test_costs():
    many = Sizes(4096, 64, 64, 1 << 20, 1 << 20, 16384, True)
    assert product_costs(many, 4)["whole"] == 2 * 16384 * 3 / 4 + 6 * 4096 * 64 * 64 / 4000
    assert cheapest(product_costs(many, 4), {"inner": 64, "columns": 64}, 4) == "whole"
    alone = many._replace(by_rows=False)  # then each rank computes all rows
    assert product_costs(alone, 4)["whole"] > product_costs(many, 4)["whole"]
    divided = many._replace(by_inner=True)
    assert product_costs(divided, 4)["inner"] < product_costs(many, 4)["inner"]
    table = Sizes(16, 4096, 8, 64, 512, 131072, True)
    assert cheapest(table_costs(table, 4), {"inner": 4096, "columns": 8}, 4) == "columns"
    assert cheapest(table_costs(table, 4), {"inner": 4096, "columns": 7}, 4) == "inner"


def test_other_modes_choose_nothing():
    nets = copies(RANKS, Product, 4, 256, 512)
    ms.set_auto_parallel_context(parallel_mode="auto_parallel", search_mode="sharding_propagation")
    try:
        assert on_ranks(RANKS, lambda world: trained(nets[world.rank], world)[3]) == [[]] * RANKS
    finally:
        ms.reset_auto_parallel_context()
