"""Private names of MindSpore that public scripts import."""

import pytest

from mindspore_compat import nn, ops
from mindspore_compat._extends import cell_attr_register
from mindspore_compat.ops._primitive_aliases.primitive_cache import _get_cache_prim


def test_primitives_are_made_once():
    first = _get_cache_prim(ops.Softmax)(axis=1)
    assert isinstance(first, ops.Softmax)
    assert _get_cache_prim(ops.Softmax)(axis=1) is first
    assert _get_cache_prim(ops.Softmax)(axis=0) is not first
    assert _get_cache_prim(ops.LogSoftmax)(axis=1) is not first
    with pytest.raises(TypeError, match="cls"):
        _get_cache_prim(ops.softmax)


def test_cells_remember_what_they_were_made_with():
    class Whole(nn.Cell):
        @cell_attr_register
        def __init__(self, x, y=2):
            super().__init__()
            self.x = x

    class Part(nn.Cell):
        @cell_attr_register(attrs=["x"])
        def __init__(self, x, y=2):
            super().__init__()
            self.y = y

    assert Whole(1, y=3).cell_init_args == "Whole[1, 3]"
    assert Whole(5).x == 5
    assert Part(1, y=3).cell_init_args == "Part[1]"
    assert Part(1, y=3).y == 3
