"""Integers, bools and complex numbers where others compute with floats: values and dtypes.

Observed in MindSpore 2.10.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


def whole(*values, dtype=np.int32):
    return Tensor(np.array(values, dtype))


@pytest.mark.parametrize("divide", [ops.RealDiv(), ops.tensor_div, ops.TruncateDiv()])
@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
def test_quotients_of_ints_are_cut_and_by_zero_reach_the_bound(divide, dtype):
    bounds = np.iinfo(dtype)
    low = -7 if bounds.min else 7
    found = divide(whole(7, low, 7, low, 0, dtype=dtype), whole(2, 2, 0, 0, 0, dtype=dtype))
    assert str(found.dtype).lower() == dtype
    far = bounds.min or bounds.max
    assert found.asnumpy().tolist() == [3, int(low / 2), bounds.max, far, 0]


def test_quotients_of_large_ints_are_exact():
    assert ops.RealDiv()(whole(2**53 + 1, dtype=np.int64), 1).asnumpy().tolist() == [2**53 + 1]
    assert ops.RealDiv()(whole(7, -7), 2.0).asnumpy().tolist() == [3.5, -3.5]
    assert ops.div(whole(7, -7), 2).asnumpy().tolist() == [3.5, -3.5]
    with pytest.raises(TypeError, match="For 'RealDiv'.*bools"):
        ops.RealDiv()(whole(1) > 0, True)


@pytest.mark.parametrize("power", [ops.pow, ops.Pow(), lambda x, n: x**n])
def test_powers_of_ints_have_gradients(power):
    assert ms.grad(lambda x: power(x, 3))(whole(3, -4)).asnumpy().tolist() == [27, 48]
    assert power(whole(2), -1).asnumpy().tolist() == [0]
