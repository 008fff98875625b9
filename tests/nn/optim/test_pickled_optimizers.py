"""An unpickled optimizer continues from the state of MindSpore, with its own parameters."""

import inspect
import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import mint, nn, ops

OPTIMIZERS = {
    "Adam": lambda params: nn.Adam(params, nn.CosineDecayLR(0.0, 0.1, 10), weight_decay=0.1),
    "SGD": lambda params: nn.SGD(params, 0.1, momentum=0.9),
    "AdamOffload": nn.AdamOffload,
    "LARS": lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9)),
    "mint.AdamW": mint.optim.AdamW,
}


@pytest.mark.parametrize("space", ["numpy", "fakecupy"], indirect=True)
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_copy_takes_the_same_step(space, name):
    net = nn.SequentialCell(nn.Dense(3, 2), nn.BatchNorm1d(2))
    params = net.trainable_params()
    optimizer = OPTIMIZERS[name](params)
    gradients = tuple(ops.ones_like(each) for each in params)
    optimizer(gradients)
    copy = pickle.loads(pickle.dumps(optimizer))
    before = [each.asnumpy().copy() for each in params]
    copy(gradients)
    owner = copy.opt if name == "LARS" else copy
    stepped = owner.param_groups[0]["params"] if "mint" in name else owner.parameters
    assert all(map(np.array_equal, before, [each.asnumpy() for each in params]))
    optimizer(gradients)
    for one, other in zip(params, stepped, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_classes_of_primitives_are_pickled_by_name():
    for name in dir(ops):
        if inspect.isclass(getattr(ops, name)):
            assert pickle.loads(pickle.dumps(getattr(ops, name))) is getattr(ms.ops, name)
