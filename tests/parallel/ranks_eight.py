"""If one of eight ranks makes an error, all raise it, and afterwards they train like one process.
test_eight_ranks.py starts this through mpiexec. The ways to divide are in ranks_table.py.
"""

import functools

import numpy as np
from kit.rank_checks import check, refused, run_named_checks
from networks import (
    MICRO,
    MLP,
    FeedForward,
    around,
    assert_equal,
    losses_of,
    share,
    step_of,
    with_weights,
)

from mindspore_compat import Tensor, communication, ops

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()


@functools.cache
def alone(kind):
    """The losses and the network after training on one process, in the same micro-batches."""
    net = with_weights(kind())
    return losses_of(step_of(net, True), kind.data), net


def compare(kind, stages, dp, mp):
    """Trains a network on stages, `dp` shares of the data and `mp` parts of each layer."""
    net = with_weights(kind(stages, dp, mp))
    step = around(step_of(net, True), stages, data="data_parallel" if mp == 1 else "full_batch")
    losses = losses_of(step, share(kind.data, dp, stages) if mp == 1 else kind.data)
    assert_equal(losses, net, *alone(kind))


def run(function, *arrays, stages=1):
    return around(function, stages)(*map(Tensor, arrays))


@check
def wrong_strategies_are_refused_by_all():
    x, w = MLP.data[0], np.ones((8, 32), np.float32)
    for strategy in (
        ((16, 1), (1, 1)),  # more parts than ranks
        ((3, 1), (1, 1)),  # does not divide the ranks
        ((4, 1), (1, 4)),  # their product is more than the ranks
        ((1, 2), (4, 1)),  # the summed axes belong together
        ((1, 1, 1), (1, 1)),  # another number of axes
        ((0, 1), (1, 1)),
        ((-1, 1), (1, 1)),
    ):
        product = ops.MatMul().shard(strategy)
        refused(RuntimeError, lambda product=product: run(product, x, w))
    odd = np.ones((6, 8), np.float32)  # 4 parts do not divide 6 rows
    refused(RuntimeError, lambda: run(ops.MatMul().shard(((4, 1), (1, 2))), odd, w))
    assert run(ops.MatMul().shard(((4, 1), (1, 2))), x, w).shape == (16, 32)


@check
def strategies_that_differ_between_ranks_are_refused_by_all():
    x, w = MLP.data[0], np.ones((8, 32), np.float32)
    for first, others in (
        (((8, 1), (1, 1)), ((1, 1), (1, 8))),
        (((2, 4), (4, 1)), ((4, 2), (2, 1))),
        (((3, 1), (1, 1)), ((4, 1), (1, 2))),  # only that of one rank is wrong
        (((1, 1), (1, 1)), ((1, 8), (8, 1))),
    ):
        product = ops.MatMul().shard(first if RANK == SIZE - 1 else others)
        refused(RuntimeError, lambda product=product: run(product, x, w))
    assert run(ops.MatMul().shard(((4, 1), (1, 2))), x, w).shape == (16, 32)


@check
def wrong_strategies_within_a_stage_are_refused_by_all():
    class Two(MLP):
        def __init__(self, dp, mp):
            super().__init__(2)
            for layer in self.layers:
                layer.up.shard(((dp, 1), (1, mp)))

    refused(RuntimeError, lambda: losses_of(around(step_of(Two(2, 4), True), 2), MLP.data, 1))
    assert FeedForward(2, 2)(Tensor(MLP.data[0])).shape == (16, 8)
    compare(MLP, 2, 2, 2)


class Failing(FeedForward):
    """Fails on the third micro-batch: in the forward pass, or in the backward pass."""

    count, backward = 0, False

    def construct(self, x):
        self.count += 1
        if self.count == 3 and not self.backward:
            raise ValueError("the third")
        return super().construct(x)

    def bprop(self, x, out, dout):
        if self.count == MICRO:
            raise ValueError("the last")
        return (dout,)


@check
def an_error_of_one_stage_reaches_all():
    for stage, scheduler, backward in (
        (0, "1f1b", False),
        (2, "gpipe", False),
        (3, "gpipe", True),
        (1, "1f1b", True),
    ):
        net = MLP(4)
        net.layers[stage] = Failing()
        net.layers[stage].backward = backward
        net.layers[stage].pipeline_stage = stage
        step = around(step_of(net, True), 4, scheduler)
        try:
            losses_of(step, MLP.data, 1)
        except (ValueError, RuntimeError) as error:
            own = RANK * 4 // SIZE == stage
            assert type(error) is (ValueError if own else RuntimeError)
            assert "the third" in str(error) or "the last" in str(error)
            assert own or f"stage {stage}" in str(error)
        else:
            raise AssertionError("no error")
        compare(MLP, 4, 2, 1)  # the ranks have stayed together


run_named_checks()
