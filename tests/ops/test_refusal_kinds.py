"""Which exception a refused call ends in where no page says so, and numbers read from Tensors.

Observed in MindSpore 2.10; the tables are read row by row.
"""

import numpy as np
import pytest

from mindspore_compat import Tensor, mint, ops

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
ONE = Tensor(np.array(1))

# a call with an int or float in the place of the Tensor, and with the Tensor
READ = {
    "argmax": lambda n: ops.argmax(X, n),
    "argmin": lambda n: ops.argmin(X, n),
    "cumsum": lambda n: ops.cumsum(X, n),
    "cumprod": lambda n: ops.cumprod(X, n),
    "aminmax": lambda n: ops.aminmax(X, axis=n)[0],
    "diagonal": lambda n: ops.diagonal(X, n),
    "diff": lambda n: ops.diff(X, 1, n),
    "gather": lambda n: ops.gather(X, Tensor([[0], [1]]), 1, n),
    "strided_slice": lambda n: ops.strided_slice(X, (1, 1), (2, 2), (1, 1), n),
    "one_hot": lambda n: ops.one_hot(Tensor([0, 1]), 2, axis=n),
    "fftfreq": lambda n: ops.fftfreq(n),
    "Split": lambda n: ops.Split(0, n)(X)[0],
}


@pytest.mark.parametrize("name", READ)
def test_a_tensor_without_axes_stands_for_its_number(name):
    np.testing.assert_array_equal(READ[name](ONE).asnumpy(), READ[name](1).asnumpy())
    with pytest.raises(ValueError, match="must be an int.* but got a Tensor of shape"):
        READ[name](Tensor([1]))
    with pytest.raises(TypeError, match="must be an int"):
        READ[name](Tensor(1.0))


@pytest.mark.parametrize("call", [lambda n: mint.diff(X, 1, n), lambda n: mint.cross(
    Tensor(np.eye(3)), Tensor(np.eye(3)), n)], ids=["diff", "cross"])
def test_a_tensor_with_axes_is_of_the_wrong_kind_in_these(call):
    np.testing.assert_array_equal(call(ONE).asnumpy(), call(1).asnumpy())
    with pytest.raises(TypeError, match="'dim' must be an int"):
        call(Tensor([1]))
