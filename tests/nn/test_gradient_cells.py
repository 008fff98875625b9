"""nn.Jvp and nn.Vjp: the form of the direction and of the results."""

import numpy as np
import pytest

from mindspore_compat import Tensor, ops
from mindspore_compat.nn.grad.cell_grad import Jvp, Vjp

X = Tensor(np.array([1, 2], np.float32))
ONES = ops.ones_like(X)


def test_one_input_and_result_stand_by_themselves():
    for cell in (Jvp, Vjp):
        out, gradient = cell(lambda x: x**3)(X, ONES)
        np.testing.assert_array_equal(out.asnumpy(), [1, 8])
        np.testing.assert_array_equal(gradient.asnumpy(), [3, 12])


def test_several_are_tuples():
    out, gradients = Vjp(lambda x, y: (x * y, x + y))(X, X + 1, (ONES, ONES))
    np.testing.assert_array_equal([s.asnumpy() for s in gradients], [[3, 4], [2, 3]])
    out, gradient = Jvp(lambda x, y: x * y)(X, X + 1, (ONES, ONES))
    np.testing.assert_array_equal(gradient.asnumpy(), [3, 5])


@pytest.mark.parametrize("cell", [Jvp, Vjp])
@pytest.mark.parametrize("given", [(ONES,), (ONES, ONES), [ONES]])
def test_one_takes_no_sequence(cell, given):
    with pytest.raises(TypeError, match="must be a Tensor"):
        cell(lambda x: x * x)(X, given)


@pytest.mark.parametrize("given", [ONES, (ONES,), [ONES, ONES]])
def test_several_take_a_tuple_of_as_many(given):
    with pytest.raises(TypeError, match="a tuple of 2 Tensors"):
        Jvp(lambda x, y: x * y)(X, X, given)
    with pytest.raises(TypeError, match="a tuple of 2 Tensors"):
        Vjp(lambda x: (x, x))(X, given)
