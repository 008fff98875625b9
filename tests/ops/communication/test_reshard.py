"""reshard returns its Tensor; Primitive.update_parameter."""

import pytest

from mindspore_compat import Layout, Tensor, ops
from mindspore_compat.parallel import function


def test_a_tensor_stays_whole():
    x = Tensor([1.0, 2.0])
    assert ops.reshard(x, Layout((1,), ("a",))("a")) is x
    assert function.reshard is ops.reshard
    for args in ((1, Layout((1,), ("a",))), (x, "a")):
        with pytest.raises(TypeError, match="^For 'reshard'"):
            ops.reshard(*args)
    layout = (Layout((1,), ("a",))("a"),)
    assert ops.Reshard(layout, layout, ((1,),))(x) is x


def test_a_primitive_tells_whether_it_writes():
    class Writes(ops.Primitive):
        _update_parameter = True

    assert (ops.ReLU().update_parameter, Writes("Writes").update_parameter) == (False, True)
