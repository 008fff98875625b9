"""NumPy scalars, alone and in tuples, where a function expects a Python number.

MindSpore 2.10 accepts them in functions that pass their arguments to the runtime.
"""

import numpy as np
import pytest

from mindspore_compat import Tensor, mint, nn, ops
from mindspore_compat import numpy as mnp

ONE, TWO, HALF = np.int64(1), np.int32(2), np.float32(0.5)
x = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))


@pytest.mark.parametrize(
    "call, shape",
    [
        (lambda: ops.zeros((TWO, 3)), (2, 3)),
        (lambda: ops.ones(TWO), (2,)),
        (lambda: ops.reshape(x, [np.int64(4), 6]), (4, 6)),
        (lambda: x.reshape(np.int64(4), 6), (4, 6)),
        (lambda: x.transpose(np.int64(0), TWO, ONE), (2, 4, 3)),
        (lambda: ops.Transpose()(x, (np.int64(0), TWO, ONE)), (2, 4, 3)),
        (lambda: x.sum(ONE), (2, 4)),
        (lambda: x.sum(axis=(ONE, 2)), (2,)),
        (lambda: ops.mean(x, (ONE, 2)), (2,)),
        (lambda: x.argmax(ONE), (2, 4)),
        (lambda: ops.expand_dims(x, ONE), (2, 1, 3, 4)),
        (lambda: ops.concat((x, x), ONE), (2, 6, 4)),
        (lambda: ops.Concat(ONE)((x, x)), (2, 6, 4)),
        (lambda: x.tile((TWO, 1, 1)), (4, 3, 4)),
        (lambda: ops.topk(x, TWO)[0], (2, 3, 2)),
        (lambda: ops.Pad(((ONE, 1), (0, 0), (0, 0)))(x), (4, 3, 4)),
        (lambda: ops.one_hot(Tensor([0, 1]), np.int64(3), 1.0, 0.0), (2, 3)),
        (lambda: mint.cat((x, x), ONE), (2, 6, 4)),
        (lambda: mnp.reshape(x, (np.int64(4), 6)), (4, 6)),
        (lambda: mnp.sum(x, ONE), (2, 4)),
    ],
)
def test_ints(call, shape):
    assert call().shape == shape


@pytest.mark.parametrize(
    "call, value",
    [
        (lambda: ops.linspace(HALF, 2, np.int64(3)), [0.5, 1.25, 2.0]),
        (lambda: mint.add(Tensor([1.0]), Tensor([2.0]), alpha=HALF), [2.0]),
        (lambda: ops.addcmul(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]), value=HALF), [4.0]),
        (lambda: ops.pad(Tensor([1.0]), (1, 0), value=HALF), [0.5, 1.0]),
        (lambda: ops.celu(Tensor([2.0]), HALF), [2.0]),
        (lambda: nn.LeakyReLU(HALF)(Tensor([-2.0])), [-1.0]),
        (lambda: ops.clip_by_global_norm(Tensor([3.0, 4.0]), np.float32(2.5)), [1.5, 2.0]),
        (lambda: ops.clip_by_global_norm(Tensor([3.0, 4.0]), np.float64(2.5)), [1.5, 2.0]),
        (lambda: ops.clip_by_norm(Tensor([3.0, 4.0]), np.int64(9)), [3.0, 4.0]),
        (lambda: Tensor([3.0, 4.0]).itemset(ONE, HALF), [3.0, 0.5]),
    ],
)
def test_floats(call, value):
    assert call().asnumpy().tolist() == value


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.sum(x, HALF),  # not an int
        lambda: ops.sum(x, 1, np.bool_(True)),  # a bool of NumPy is not a bool, there and here
        lambda: ops.zeros((HALF, 3)),
        lambda: ops.celu(x, ONE),
        lambda: nn.Dense(np.int64(3), 2),  # a layer looks at the type
    ],
)
def test_what_holds_no_such_number_is_refused(call):
    with pytest.raises(TypeError, match="^For '"):
        call()


@pytest.mark.parametrize(
    "call",
    [
        lambda x, one: mint.add(x, x, alpha=one),
        lambda x, one: ops.elu(x, one),
        lambda x, one: ops.celu(x, one),
        lambda x, one: ops.softplus(x, one),
        lambda x, one: ops.softshrink(x, one),
        lambda x, one: ops.huber_loss(x, x + 1, delta=one),
        lambda x, one: ops.addmm(x, x, x, beta=one),
        lambda x, one: ops.cosine_similarity(x, x, eps=one),
        lambda x, one: ops.vector_norm(x, one),
        lambda x, one: ops.renorm(x, 1, 0, one),
        lambda x, one: nn.ELU(one)(x),
        lambda x, one: nn.HuberLoss(delta=one)(x, x),
    ],
)
def test_a_float64_widens_no_result(call):
    square = Tensor(np.eye(3, dtype=np.float32))
    found, wanted = (call(square, one) for one in (np.float64(1.0), 1.0))
    assert found.dtype == wanted.dtype == square.dtype
    assert found.asnumpy().tolist() == wanted.asnumpy().tolist()


def test_python_only_parameters_take_no_numpy_scalars():
    ops.chunk(Tensor([1.0, 2.0]), 2)
    for chunks in (np.int64(2), np.int32(2)):
        with pytest.raises(TypeError, match="chunks"):
            ops.chunk(Tensor([1.0, 2.0]), chunks)
    assert ops.cumsum(Tensor([1.0, 2.0]), np.int64(0)).asnumpy().tolist() == [1, 3]
