"""Primitives of graphs and devices on a CPU."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import RowTensor, Tensor, ops


def floats(*values):
    return Tensor(np.array(values, np.float32))


@pytest.fixture
def graph_mode():
    ms.set_context(mode=ms.GRAPH_MODE)
    yield
    ms.set_context(mode=ms.PYNATIVE_MODE)


def same(value):
    return value


def test_morph_is_its_function_and_gradient(graph_mode):
    plain = ops.Morph(lambda x, y: x * y, same, same)
    assert plain(floats(2), floats(5)).asnumpy() == [10]
    assert [s.asnumpy() for s in ms.grad(plain, (0, 1))(floats(2), floats(5))] == [[5], [2]]
    own = ops.Morph(lambda x: 3 * x, same, same, lambda x, out, dout: (7 * dout * out,))
    assert ms.grad(own)(floats(2)).asnumpy() == [42]


def test_morph_needs_graph_mode():
    with pytest.raises(RuntimeError, match="GRAPH_MODE"):
        ops.Morph(same, same, same)(floats(1))


def test_update_state_gives_the_state():
    state = floats(1)
    assert ops.UpdateState()(state, floats(2)) is state


@pytest.mark.parametrize("to", ["CPU", "Ascend", "GPU"])
def test_move_to_copies(space, to):
    given = Tensor(np.array([1, 2], np.int32))
    moved = ops.MoveTo()(given, to, False)
    given[0] = 9
    np.testing.assert_array_equal(moved.asnumpy(), [1, 2])
    assert moved.dtype == ms.int32
    assert (type(moved._array) is np.ndarray) == (to == "CPU" or space.module is np)


def test_move_to_takes_lists_and_passes_gradients(space):
    assert ops.MoveTo()([1, 2]).dtype == ms.int64
    gradient = ms.grad(lambda x: ops.MoveTo()(x) * 3.0)(floats(1, 2))
    assert type(gradient._array) is space.module.ndarray
    np.testing.assert_array_equal(gradient.asnumpy(), [3, 3])


def test_copy_with_slice_writes_into_a_part():
    whole = Tensor(np.ones((2, 2), np.float32))
    ops.CopyWithSlice()(whole[0], Tensor(np.array([3, 4], np.int32)))
    np.testing.assert_array_equal(whole.asnumpy(), [[3, 4], [1, 1]])
    with pytest.raises(ValueError, match="CopyWithSlice"):
        ops.CopyWithSlice()(whole, floats(1, 2))


def test_stop_gradient_in_place():
    def net(x):
        one, other = x * 2, x * 5
        assert ops.stop_gradient_(other) is other
        return one + other

    assert ms.grad(net)(floats(1)).asnumpy() == [2]
    assert ms.grad(ms.grad(lambda x: net(x) * x))(floats(1)).asnumpy() == [4]


def test_tensor_muls_keeps_the_kind_of_the_number():
    ints = Tensor(np.array([1, 2], np.int32))
    assert ops.tensor_muls(ints, 2).dtype == ms.int32
    assert ops.tensor_muls(ints, 1.5).dtype == ms.float32
    np.testing.assert_array_equal(ops.tensor_muls(ints, True).asnumpy(), [1, 2])
    assert ms.grad(ops.tensor_muls)(floats(3), 4.0).asnumpy() == [4]
    with pytest.raises(TypeError):
        ops.tensor_muls(ints, ints)


def test_scalar_to_array():
    assert ops.ScalarToArray()(2).dtype == ms.int64
    assert float(ops.ScalarToArray()(2.5)) == 2.5
    with pytest.raises(TypeError):
        ops.ScalarToArray()("2")


def test_the_parameter_server_is_not_there():
    assert ops.Push("Adam", [0, 1]).only_shape_indices == [0, 1]
    with pytest.raises(RuntimeError, match="parameter server"):
        ops.Push()((floats(1),), (floats(1),))
    with pytest.raises(RuntimeError, match="parameter server"):
        ops.Pull()(floats(1), floats(1))


def test_functions_registered_for_primitives():
    @ops.vm_impl_registry.register(ops.ReLU)
    def make(prim):
        return lambda x: (prim, x)

    relu = ops.ReLU()
    assert ops.get_vm_impl_fn(relu)(1) == (relu, 1)
    assert ops.get_vm_impl_fn("ReLU")(2) == ("ReLU", 2)
    assert ops.get_vm_impl_fn("NoSuchPrimitive") is None
    assert ops.get_vm_impl_fn(3) is None
    del ops.vm_impl_registry["ReLU"]


def test_rows():
    rows = ops.make_row_tensor(Tensor([1]), floats([1, 2]), (3, 2))
    assert isinstance(rows, RowTensor)
    both = ops.row_tensor_add(rows, ops.make_row_tensor(Tensor([0]), floats([3, 4]), (3, 2)))
    np.testing.assert_array_equal(ops.row_tensor_get_indices(both).asnumpy(), [1, 0])
    np.testing.assert_array_equal(ops.row_tensor_get_values(both).asnumpy(), [[1, 2], [3, 4]])
    assert ops.row_tensor_get_dense_shape(both) == (3, 2)
    with pytest.raises(ValueError):
        ops.row_tensor_add(rows, ops.make_row_tensor(Tensor([0]), floats([3, 4]), (4, 2)))
    with pytest.raises(TypeError):
        ops.row_tensor_get_values(floats(1))
