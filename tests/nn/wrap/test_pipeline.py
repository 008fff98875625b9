"""Gradients accumulated over slices of a batch, divided by the loss scale."""

import numpy
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops, parallel


def reducer(*arguments, **options):
    net = nn.Dense(2, 1)
    return nn.PipelineGradReducer(net.trainable_params(), *arguments, **options)


GRADS = Tensor([[1.0, 2.0]]), Tensor([4.0])


@pytest.mark.parametrize("opt_shard", [None, False, True])
def test_gradients_are_divided(opt_shard):
    made = reducer(2.0, opt_shard)
    for _ in range(2):
        found = made(GRADS)
        assert [each.tolist() for each in found] == [[[0.5, 1.0]], [2.0]]
    assert [each.tolist() for each in reducer()(GRADS)] == [[[1.0, 2.0]], [4.0]]


def test_what_was_gathered_is_added_unless_states_are_divided():
    for opt_shard, wanted in ((False, [3.0]), (True, [2.0])):
        made = reducer(2.0, opt_shard)
        ops.assign(made.accu_grads[1], Tensor([2.0]))
        assert made(GRADS)[1].tolist() == wanted
        assert made.accu_grads[1].asnumpy().tolist() == [0.0]


def test_parameters_are_named_as_in_the_original():
    names = [each.name for each in reducer().get_parameters()]
    assert names == ["accu_grads.weight", "accu_grads.bias", "scale_sense"]


def test_the_context_says_whether_states_are_divided():
    ms.set_auto_parallel_context(enable_parallel_optimizer=True)
    try:
        assert reducer().opt_shard is True
    finally:
        ms.reset_auto_parallel_context()
    assert reducer().opt_shard is False


def test_training_on_slices_as_on_the_whole():
    x = Tensor(numpy.random.default_rng(0).standard_normal((8, 3)).astype("float32"))

    def trained(sliced):
        ms.set_seed(1)
        net = nn.Dense(3, 1, weight_init="ones")
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        step = nn.PipelineCell(net, 4) if sliced else net
        made = parallel.nn.PipelineGradReducer(optimizer.parameters, 8.0)
        grads = ms.value_and_grad(lambda: (step(x) * 8.0).sum(), None, optimizer.parameters)()[1]
        optimizer(made(grads))
        return net.weight.asnumpy()

    whole = nn.Dense(3, 1, weight_init="ones")
    wanted = whole.weight.asnumpy() - 0.1 * x.asnumpy().sum(0)
    for sliced in (False, True):
        close(trained(sliced), wanted)


@pytest.mark.parametrize(
    "bad", [(3,), ([3],), ([Parameter(Tensor(1.0))], "1"), ([Parameter(Tensor(1.0))], 1.0, 1)]
)
def test_refusals(bad):
    with pytest.raises(TypeError):
        nn.PipelineGradReducer(*bad)
