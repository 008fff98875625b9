"""BERT- and ResNet-like networks on four ranks train as on one process: parts of each layer, shares
of the data and divided states together. test_models.py starts this through mpiexec. Each rank first
trains the whole network by itself.
"""

import functools

from kit.rank_checks import check, run_named_checks
from networks import Bert, ResNet, around, assert_equal, losses_of, share, step_of, with_weights

from mindspore_compat import communication, nn

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
DIVISIONS = (4, 1), (2, 2), (1, 4)


def adam(net):
    return nn.Adam(net.trainable_params(), 0.001)


def momentum(net):
    return nn.Momentum(net.trainable_params(), 0.05, 0.9, weight_decay=0.01)


@functools.cache
def alone(kind, make):
    """The losses and the network after training on one process."""
    net = with_weights(kind())
    return losses_of(step_of(net, False, make), kind.data), net


def compare(kind, dp, mp, level, make):
    net = with_weights(kind(1, dp, mp))
    step = step_of(net, False, make)
    if mp == 1:
        step, arrays = around(step, level=level, data="data_parallel"), share(kind.data, dp)
    else:
        step, arrays = around(step, level=level), kind.data
    assert_equal(losses_of(step, arrays), net, *alone(kind, make))
    return net


def assert_divided(net, count):
    """Each rank holds one of `count` parts of some weights, and of all states of these."""
    divided = [p._array for p in net.trainable_params() if any(getattr(p._array, "dims", ()))]
    assert any(count * array.block.size == array.size for array in divided)


@check
def bert_with_parts_of_each_layer():
    for dp, mp in DIVISIONS:
        net = compare(Bert, dp, mp, None, adam)
        if mp > 1:
            assert_divided(net, mp)


@check
def bert_with_divided_states():
    for dp, mp in DIVISIONS:
        for level in ("level1", "level2", "level3"):
            assert_divided(compare(Bert, dp, mp, level, adam), SIZE)


@check
def resnet_with_parts_of_each_layer():
    for dp, mp in DIVISIONS:
        net = compare(ResNet, dp, mp, None, momentum)
        if mp > 1:
            assert_divided(net, mp)


@check
def resnet_with_divided_states():
    for dp, mp in DIVISIONS:
        for level in ("level1", "level2", "level3"):
            assert_divided(compare(ResNet, dp, mp, level, momentum), SIZE)


run_named_checks()
