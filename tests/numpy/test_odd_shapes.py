"""Calls of mindspore.numpy on 0-d arrays and broadcast shapes."""

import numpy as np

from mindspore_compat import Tensor
from mindspore_compat import numpy as mnp


def test_piecewise_of_a_number():
    assert mnp.piecewise(2, True, [lambda v: v + 1]).asnumpy() == 3
    assert mnp.piecewise(2, Tensor(False), [1, 5]).asnumpy() == 5


def test_take_along_axis_broadcasts_both_ways():
    x = np.arange(8).reshape(2, 2, 1, 2)
    indices = np.array([[[[1], [0], [1]]]], np.int32).repeat(2, 0).repeat(2, 1)
    found = mnp.take_along_axis(Tensor(x), Tensor(indices), -1)
    expected = np.take_along_axis(np.broadcast_to(x, (2, 2, 3, 2)), indices.astype(np.int64), -1)
    np.testing.assert_array_equal(found.asnumpy(), expected)


def test_no_differences_leave_the_input_as_it_is():
    assert mnp.diff(Tensor([1, 2, 4]), 0, append=5).asnumpy().tolist() == [1, 2, 4]
