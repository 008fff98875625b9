"""The operators that mindspore.scipy provides with its own argument names."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.scipy import ops_wrapper


@pytest.mark.parametrize("alignment", ["RIGHT_LEFT", "LEFT_RIGHT", "LEFT_LEFT", "RIGHT_RIGHT"])
def test_diagonals_are_set_as_by_the_operator(alignment):
    x, values = Tensor(np.zeros((3, 4), np.float32)), Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    found = ops_wrapper.matrix_set_diag(input_x=x, diagonal=values, k=(0, 1), alignment=alignment)
    expected = ops.matrix_set_diag(x, values, Tensor([0, 1], ms.int32), alignment)
    np.testing.assert_array_equal(found.asnumpy(), expected.asnumpy())
