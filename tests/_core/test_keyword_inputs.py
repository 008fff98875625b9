"""Gradients for keyword inputs, recomputation under mixed precision, and a Parameter that occurs
several times in a tuple.
"""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, amp, nn, ops

X = Tensor([1.0, 2.0])


def weighted(x, y, **others):
    return 2 * x + 3 * y + 4 * others["v"]


def test_all_inputs_are_those_by_name_too():
    found = ops.GradOperation(get_all=True)(weighted)(X, y=X + 1, v=X * 3)
    assert [each.asnumpy()[0] for each in found] == [2, 3, 4]
    found = ops.GradOperation(get_all=True, sens_param=True)(weighted)(X, X + 1, X, v=X * 3)
    assert [each.asnumpy()[1] for each in found] == [4, 6, 8]


def test_a_block_is_recomputed_in_the_precision_it_ran_in():
    net = nn.SequentialCell(nn.Conv2d(1, 2, 3, has_bias=False), nn.BatchNorm2d(2))
    net[0].recompute()
    net = amp.auto_mixed_precision(net, amp_level="auto", dtype=ms.float16)
    image = Tensor(np.ones((1, 1, 4, 4), np.float16))
    assert ops.GradOperation()(net)(image).dtype == ms.float16


def test_a_parameter_may_stand_in_a_tuple_twice():
    weight = Parameter(X, name="w")
    assert len(ParameterTuple((weight, weight))) == 2
