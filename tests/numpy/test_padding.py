"""Constants of `numpy.pad` given as Tensors, as observed in MindSpore 2.10."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat import numpy as mnp

pytestmark = pytest.mark.quick

WHOLE = Tensor(np.array([1, 2], np.int32))


def test_constants_in_a_tensor_may_widen():
    found = mnp.pad(WHOLE, (1, 2), constant_values=Tensor([0.5, 4.0]))
    assert found.dtype == ms.float32 and found.asnumpy().tolist() == [0.5, 1, 2, 4, 4]
    found = mnp.pad(WHOLE, (1, 2), constant_values=(0.5, 4.0))
    assert found.dtype == ms.int32 and found.asnumpy().tolist() == [0, 1, 2, 4, 4]


def test_each_constant_gets_its_own_gradient():
    matrix = Tensor(np.ones((1, 2), np.float32))
    ends = Tensor(np.array([[3.0, 5.0], [1.0, 2.0]], np.float32))
    gradient = ms.grad(lambda k: mnp.pad(matrix, (1, 2), constant_values=k).sum())(ends)
    assert gradient.asnumpy().tolist() == [[2, 4], [4, 8]]
    gradient = ms.grad(lambda k: mnp.pad(matrix[0], 1, constant_values=[k, 2 * k]).sum())(
        ends[0, 0]
    )
    assert gradient.asnumpy() == 3


def test_means_of_integers_are_cut_off():
    padded = mnp.pad(ms.Tensor([[0, 1, 2, 3], [4, 5, 6, 8]]), ((0, 0), (1, 0)), "mean")
    assert padded.asnumpy()[:, 0].tolist() == [1, 5]
