"""Tensors over existing memory, swapping two Tensors, and marks for dumping."""

import os
import pickle
import weakref

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._core.rules import base

pytestmark = pytest.mark.quick


def test_a_tensor_over_bytes():
    data = bytearray(np.arange(4, dtype=np.float32).tobytes())
    assert ms.frombuffer(data, ms.float32).asnumpy().tolist() == [0, 1, 2, 3]
    assert ms.frombuffer(data, ms.float32, 2, 4).asnumpy().tolist() == [1, 2]


@pytest.mark.parametrize(
    "arguments",
    [
        (b"", ms.uint8),
        (b"abc", ms.int16),
        (b"abc", ms.uint8, 0),
        (b"abc", ms.uint8, 4),
        (b"abc", ms.uint8, -2),
        (b"abc", ms.uint8, -1, 3),
    ],
)
def test_bytes_that_are_refused(arguments):
    with pytest.raises(RuntimeError, match="frombuffer"):
        ms.frombuffer(*arguments)


def test_tensors_in_each_others_place():
    a, b = Tensor([1]), Parameter(Tensor([2.0]), name="b")
    ms.swap_tensors(a, b)
    assert isinstance(a, Parameter)
    assert (a.name, a.asnumpy().tolist(), b.asnumpy().tolist()) == ("b", [2.0], [1])
    with pytest.raises(TypeError, match="t2"):
        ms.swap_tensors(a, 3)
    reference = weakref.ref(b)
    with pytest.raises(RuntimeError, match="t2"):
        ms.swap_tensors(a, b)
    assert reference() is b


def test_marks_for_dumping():
    net, add = nn.SequentialCell(nn.Dense(2, 2)), ops.Add()
    with pytest.warns(UserWarning, match="CPU"):
        ms.set_dump(net)
        ms.set_dump(add, False)
    assert net[0].get_flags()["dump"] is True
    assert add.attrs["dump"] == "false"
    for wrong in ((3,), (net, 1)):
        with pytest.raises(ValueError, match="set_dump"):
            ms.set_dump(*wrong)


def test_marks_for_dumping_before_any_cell_is_imported(monkeypatch):
    monkeypatch.delitem(base._registered, "Cell")
    add = ops.Add()
    with pytest.warns(UserWarning, match="CPU"):
        ms.set_dump(add)
    assert add.attrs["dump"] == "true"


def test_tensors_as_one_run_of_memory():
    from mindspore_compat.hal import contiguous_tensors_handle as module

    handle = module.combine_tensor_list_contiguous([Tensor([[1.0, 2.0]]), Tensor([3.0])])
    assert handle.total_padding_size == 3 * handle[0].itemsize
    assert handle[1:].asnumpy().tolist() == [2, 3]
    assert handle.slice_by_tensor_index(1, 2).asnumpy().tolist() == [3]
    assert "Tensor[1]: [3.]" in str(handle)
    for wrong in (3, slice(2, 1)):
        with pytest.raises(ValueError, match="index"):
            handle[wrong]
    with pytest.raises(TypeError, match="tensor_list"):
        module.ContiguousTensorsHandle([])


def test_pickles_of_plain_values():
    from mindspore_compat.mint.distributed.distributed import restricted_loads

    data = {"a": [1, 2.5], "b": np.arange(3)}
    found = restricted_loads(pickle.dumps(data))
    assert found["a"] == [1, 2.5]
    assert found["b"].tolist() == [0, 1, 2]
    with pytest.raises(pickle.UnpicklingError, match="os|posix"):
        restricted_loads(pickle.dumps(os.getcwd))
