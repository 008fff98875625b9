"""How the parameters of a network are divided, as `parallel.strategy` returns it."""

import numpy as np
import pytest
from kit.simulated_ranks import on_ranks

from mindspore_compat import Tensor, nn
from mindspore_compat._core.sharding import network
from mindspore_compat._core.sharding.mesh import Mesh
from mindspore_compat.parallel import strategy


@pytest.fixture
def enabled():
    strategy.enable_save_strategy_online()
    yield
    strategy.clear_strategy_metadata()


def divided(world):
    """A layer whose weight is divided along both axes of the mesh, and whose bias is divided twice
    along one axis."""
    net = nn.Dense(4, 8, weight_init=Tensor(np.ones((8, 4), np.float32)))
    space = network.space_on(Mesh(world))
    network.adopt(net.weight, space, ((0,), (1,)))
    network.adopt(net.bias, space, ((0, 1),))
    return net


def test_layouts_of_each_rank(enabled):
    def run(world):
        net = divided(world)
        return (
            strategy.get_strategy_metadata(net),
            strategy.get_strategy_metadata(net, rank_id=2),
            strategy.get_strategy_metadata(net, rank_id=9),
            strategy.get_current_strategy_metadata(net),
        )

    for every, third, none, own in on_ranks(4, run):
        assert list(every) == [0, 1, 2, 3]
        assert list(third) == [2] and none is None and list(own) == [0]
        [(layout, dtype, shape)] = every[3]["weight"]
        assert (dtype, shape) == ("float32", "[8, 4]")
        assert layout.to_dict()["device_matrix"] == (2, 2)
        assert layout.to_dict()["tensor_map"] == (1, 0)
        assert layout.to_dict()["rank_list"] == [0, 1, 2, 3]
        assert own[0]["bias"][0][0].to_dict()["device_matrix"] == (4,)


def test_nothing_is_returned_before_it_is_enabled():
    assert on_ranks(4, lambda world: strategy.get_strategy_metadata(divided(world))) == [None] * 4


def test_a_whole_network_has_no_layouts(enabled):
    assert strategy.get_strategy_metadata(nn.Dense(2, 3)) is None
    assert strategy.get_current_strategy_metadata(nn.Dense(2, 3)) is None


def test_refusals():
    with pytest.raises(TypeError, match="'network'"):
        strategy.get_strategy_metadata("net")
    with pytest.raises(TypeError, match="'network'"):
        strategy.get_current_strategy_metadata(1)
    with pytest.raises(ValueError, match="'rank_id'"):
        strategy.get_strategy_metadata(nn.ReLU(), rank_id=-1)
