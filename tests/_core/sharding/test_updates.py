"""Optimizers update divided parameters like whole ones; each rank updates its own blocks."""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._core.sharding import network, updates
from mindspore_compat._core.sharding.array import Sharded
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.experimental import optim

FIRST = [
    np.random.default_rng(1).normal(size=shape).astype(np.float32) for shape in ((4, 6), (8,), (3,))
]
GRADIENTS = [
    [np.random.default_rng(step).normal(size=p.shape).astype(np.float32) for p in FIRST]
    for step in range(3)
]
DIMS = (((0,), (1,)), ((1, 0),), ((),))  # of four ranks: both axes, one axis twice, whole

OPTIMIZERS = {
    "SGD": lambda p: nn.SGD(p, 0.1, momentum=0.9),
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1, loss_scale=2.0),
    "Adam": lambda p: nn.Adam(p, 0.1, use_amsgrad=True),
    "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1, weight_decay=0.1),
    "AdaMax": lambda p: nn.AdaMax(p, 0.1),
    "Adadelta": lambda p: nn.Adadelta(p, 0.1),
    "Adagrad": lambda p: nn.Adagrad(p, learning_rate=0.1),
    "ASGD": lambda p: nn.ASGD(p, 0.1),
    "FTRL": lambda p: nn.FTRL(p, learning_rate=0.1),
    "LazyAdam": lambda p: nn.LazyAdam(p, 0.1),
    "ProximalAdagrad": lambda p: nn.ProximalAdagrad(p, learning_rate=0.1),
    "RMSProp": lambda p: nn.RMSProp(p, 0.1, centered=True),
    "Rprop": lambda p: nn.Rprop(p, 0.1),
    "Lamb": lambda p: nn.Lamb(p, 0.1, weight_decay=0.1),
    "LARS": lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9), lars_filter=lambda x: True),
    "AdaFactor": lambda p: nn.AdaFactor(p, 0.1, scale_parameter=True, relative_step=False),
    "centralised": lambda p: nn.SGD([{"params": p, "grad_centralization": True}], 0.1, 0.9),
    "AdamW": lambda p: optim.AdamW(p, 0.1),
}


def trained(make, placed=lambda parameter, dims: None):
    parameters = [Parameter(Tensor(array.copy()), name=f"p{i}") for i, array in enumerate(FIRST)]
    for parameter, dims in zip(parameters, DIMS, strict=True):
        placed(parameter, dims)
    optimizer = make(parameters)
    for gradients in GRADIENTS:
        optimizer(tuple(map(Tensor, gradients)))
    return parameters, optimizer


@pytest.mark.parametrize("name", OPTIMIZERS)
def test_equals_the_update_of_wholes(name):
    wanted = [p.asnumpy() for p in trained(OPTIMIZERS[name])[0]]

    def run(world):
        space = network.space_on(Mesh(world))
        parameters, optimizer = trained(
            OPTIMIZERS[name], lambda p, dims: network.adopt(p, space, dims)
        )
        kinds = [type(p._array) for p in parameters]
        blocks = sum(getattr(p._array, "block", p._array).size for p in parameters)
        states = [p for p in optimizer.get_parameters() if p.shape == (4, 6)]
        held = {getattr(p._array, "block", p._array).size for p in states}
        return [p.asnumpy() for p in parameters], kinds, blocks, held

    for found, kinds, blocks, held in on_ranks(4, run):
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)
        assert [kind is Sharded for kind in kinds] == [True, True, False]
        assert blocks == 24 // 4 + 8 // 4 + 3
        assert held == {24 // 4} or name == "AdaFactor"


@pytest.mark.parametrize("name", ["SGD", "Adam", "Lamb"])
def test_parameters_that_are_divided_further_between_steps(name):
    """The weights are whole in the first step, divided along one axis of the mesh in the second,
    and along two in the third."""
    wanted = [p.asnumpy() for p in trained(OPTIMIZERS[name])[0]]

    def run(world):
        space = network.space_on(Mesh(world))
        parameters = [
            Parameter(Tensor(array.copy()), name=f"p{i}") for i, array in enumerate(FIRST)
        ]
        optimizer, first = OPTIMIZERS[name](parameters), parameters[0]
        for gradients, dims in zip(GRADIENTS, (None, ((0,), ()), ((0,), (1,))), strict=True):
            if dims is not None:
                block = space.base.array(space.place(first._array, dims).block)
                first._array = space.wrap(block, dims)
            optimizer(tuple(map(Tensor, gradients)))
        return [p.asnumpy() for p in parameters]

    for found in on_ranks(4, run):
        for got, want in zip(found, wanted, strict=True):
            np.testing.assert_allclose(got, want, rtol=2e-6, atol=2e-6)


@pytest.mark.parametrize("size,parts", [(-1, 4), (1, 1), (2, 2), (3, 4), (4, 4), (8, 4)])
def test_how_many_ranks_share_a_weight(size, parts, monkeypatch):
    """All that hold it, if the setting does not divide their number; the log says so once."""
    warnings = []
    monkeypatch.setattr(updates.log, "warning", lambda text, *parts: warnings.append(text % parts))
    updates._most_that_share.cache_clear()
    options = {} if size == -1 else {"optimizer_weight_shard_size": size}
    ms.set_auto_parallel_context(
        enable_parallel_optimizer=True,
        parallel_optimizer_config={"parallel_optimizer_threshold": 0, **options},
    )

    def run(world):
        weight = Parameter(Tensor(FIRST[0].copy()), name="w")
        optimizer = nn.Adam([weight], 0.1)
        step = nn.TrainOneStepCell(Norm(weight), optimizer).set_train()
        for _ in range(2):
            network.run_on(Mesh(world), "full_batch", step, (), {})
        held = [getattr(p._array, "block", p._array).size for p in (weight, optimizer.moment1[0])]
        return held, weight.asnumpy()

    try:
        found = on_ranks(4, run)
    finally:
        ms.reset_auto_parallel_context()
    for held, value in found:
        assert held == [24 // parts] * 2
        np.testing.assert_allclose(value, found[0][1])
    assert len(set(warnings)) == (4 % max(size, 1) > 0)


class Norm(nn.Cell):
    def __init__(self, weight):
        super().__init__()
        self.weight = weight

    def construct(self):
        return ops.square(self.weight).sum()
