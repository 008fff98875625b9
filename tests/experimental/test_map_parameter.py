"""MapParameter: rows by keys. Exports match MindSpore 2.10; lookups match its page."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.experimental import MapParameter, map_parameter


def keys(*values):
    return Tensor(np.array(values, np.int32))


@pytest.fixture
def table():
    return MapParameter(ms.int32, ms.float32, value_shape=(3), default_value="zeros", name="t")


@pytest.fixture
def filled():
    rows = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
    return MapParameter(key_tensor=keys(1, 2, 3), value_tensor=rows)


def listed(arrays):
    return [each.tolist() if hasattr(each, "tolist") else each for each in arrays]


def test_rows_are_read_written_and_erased(table):
    assert table.get(keys(1, 2, 3)).asnumpy().tolist() == [[0] * 3] * 3
    table.put(keys(1, 2), Tensor([[1.0] * 3, [2.0] * 3]))
    assert table.get(keys(1, 2, 3)).asnumpy().tolist() == [[1] * 3, [2] * 3, [0] * 3]
    assert table.erase(keys(2, 3, 9)) is table
    assert table.get_keys().asnumpy().tolist() == [1]
    assert table[keys(1)].asnumpy().tolist() == [[1] * 3]


def test_a_row_may_not_be_kept(table):
    table.get(keys(5), insert_default_value=False)
    assert table.get_keys().shape == (0,) and table.get_values().shape == (0, 3)


def test_settings(filled):
    assert (filled.key_dtype, filled.value_dtype, filled.value_shape) == (
        ms.int32,
        ms.float32,
        (2,),
    )
    plain = MapParameter()
    assert (plain.value_shape, plain.default_value, plain.permit_filter_value) == (
        (1,),
        "normal",
        1,
    )
    assert plain.get(keys(1)).asnumpy()[0] != 0
    assert MapParameter(value_shape=[2, 3], default_value=1.5).get(keys(4)).shape == (1, 2, 3)


def test_a_key_is_admitted_after_some_reads():
    table = MapParameter(default_value="ones", permit_filter_value=2)
    table.get(keys(1))
    assert table.get_keys().shape == (0,)
    table.get(keys(1))
    assert table.get_keys().asnumpy().tolist() == [1]


def test_a_row_is_erased_when_others_are_read():
    table = MapParameter(default_value="ones", evict_filter_value=1)
    for key in (1, 2, 2):
        table.get(keys(key))
    assert table.get_keys().asnumpy().tolist() == [2]


def test_exports(filled):
    values = [[0, 1], [2, 3], [4, 5]]
    assert listed(filled.export_data()) == [[1, 2, 3], values, [0, 0, 0]]
    assert listed(filled.get_data()[0:1])[0] == [1, 2, 3]
    filled.put(keys(2), Tensor([[9.0, 9.0]]))
    filled.erase(keys(1))
    assert listed(filled.export_data(incremental=True)) == [[2, 1], [[9, 9]], [1, 2]]
    assert listed(filled.export_data(incremental=True)) == [[], [], []]
    bytes_of = filled.export_bytes()
    assert np.frombuffer(bytes_of[0], np.int32).tolist() == [2, 3]
    assert np.frombuffer(bytes_of[1], np.float32).tolist() == [9, 9, 4, 5]


def test_exports_in_parts(filled, monkeypatch):
    monkeypatch.setattr(map_parameter, "SLICE", 16)
    filled.erase(keys(3))
    filled.put(keys(4), Tensor([[7.0, 7.0]]))
    first = filled.export_slice_data(incremental=True)
    second = filled.export_slice_data(incremental=True)
    assert listed(first) == [[], [], [], False]
    assert listed(second) == [[4, 3], [[7, 7]], [1, 2], True]


def test_imports(filled):
    filled.import_data((np.array([5, 6]), np.ones((1, 2)), np.array([0, 2])))
    assert listed(filled.export_data()) == [[5], [[1, 1]], [0]]


def test_a_clone_has_rows_of_its_own(filled):
    same, other = filled.clone(), filled.clone("ones")
    filled.put(keys(1), Tensor([[8.0, 8.0]]))
    assert same.get(keys(1)).asnumpy().tolist() == [[0, 1]]
    assert other.get_keys().shape == (0,) and other.get(keys(1)).asnumpy().tolist() == [[1, 1]]


def test_it_is_a_parameter_of_a_cell():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.table = MapParameter(value_shape=2, default_value="ones")

        def construct(self, x):
            return self.table.get(x)

    net = Net()
    assert net(keys(1, 2)).shape == (2, 2)
    assert [each.name for each in net.get_parameters()] == ["table"]


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: MapParameter(key_dtype=1), TypeError),
        (lambda: MapParameter(value_shape="a"), TypeError),
        (lambda: MapParameter(key_tensor=1), TypeError),
        (lambda: MapParameter(default_value="none such"), ValueError),
        (lambda: MapParameter(permit_filter_value="a"), TypeError),
        (lambda: MapParameter(requires_grad=1), TypeError),
        (lambda: MapParameter().get(1), TypeError),
        (lambda: MapParameter().erase(1), TypeError),
        (lambda: MapParameter().put(keys(1), 2), TypeError),
        (lambda: MapParameter().put(keys(1), Tensor([[1.0, 2.0]])), ValueError),
        (lambda: MapParameter().import_data(1), TypeError),
        (
            lambda: MapParameter().import_data((np.array([1]), np.ones((2, 1)), np.array([0]))),
            ValueError,
        ),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()
