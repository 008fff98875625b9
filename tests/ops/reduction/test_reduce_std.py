"""ReduceStd refuses axes as its page says: by a ValueError, whatever is wrong with them."""

import pytest

from mindspore_compat import Tensor, ops


@pytest.mark.parametrize("axis", ["wrong", 0.5, True, [0.5], 2])
def test_a_wrong_axis_is_a_value_error(axis):
    with pytest.raises(ValueError, match="For 'ReduceStd'"):
        ops.ReduceStd(axis=axis)(Tensor([[1.0, 2.0], [3.0, 5.0]]))
