"""The memory of a Tensor: sharing, storages, files, capsules (MindSpore 2.10)."""

import copy

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, utils


def grid():
    return Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))


def test_a_tensor_of_a_tensor_shares_memory_and_a_copy_does_not():
    tensor = grid()
    same, other, deep = Tensor(tensor), copy.copy(tensor), copy.deepcopy(tensor)
    tensor[0] = 9
    assert same.asnumpy()[0, 0] == 9
    assert other.asnumpy()[0, 0] == deep.asnumpy()[0, 0] == 0
    assert Tensor(tensor, ms.int32).dtype == ms.int32


def test_values_shape_and_dtype_of_another_tensor():
    tensor = grid()
    view = tensor.reshape(-1)
    tensor.assign_value(Tensor([[1, 2]], ms.int32))
    assert tensor.dtype == ms.int32 and tensor.shape == (1, 2) and view.shape == (12,)
    tensor.data = Tensor([7.0])
    assert tensor.asnumpy().tolist() == [7.0]
    assert tensor.set_dtype(ms.int8) == ms.int8 == tensor.dtype
    for wrong in (
        lambda: tensor.assign_value(1),
        lambda: setattr(tensor, "data", 1),
        lambda: tensor.set_dtype("int8"),
    ):
        with pytest.raises(TypeError, match="For 'Tensor"):
            wrong()


def test_a_copy_broadcasts_and_is_cast():
    tensor = grid()
    assert tensor.copy_(Tensor([1, 2, 3, 4])) is tensor
    assert tensor.asnumpy().tolist() == [[1, 2, 3, 4]] * 3
    with pytest.raises(RuntimeError, match="'src' must broadcast"):
        tensor.copy_(Tensor([1, 2, 3]))
    with pytest.raises(TypeError, match="'src' must be a Tensor"):
        tensor.copy_(1)


def test_a_storage_is_shared_by_views():
    tensor = grid()
    storage = tensor[1:].storage()
    assert len(storage) == storage.size() == storage.nbytes() == 48
    assert storage.data_ptr() == tensor.data_ptr() == tensor.T.untyped_storage().data_ptr()
    assert storage.dtype == ms.float32 and storage.element_size() == 1 and not storage.is_shared()
    assert storage.copy_(Tensor(np.ones((3, 4), np.float32)).storage()) is storage
    assert tensor.asnumpy().tolist() == [[1.0] * 4] * 3


@pytest.mark.parametrize(
    "error, wrong",
    [
        (RuntimeError, lambda s: s.copy_(Tensor([1.0]).storage())),
        (TypeError, lambda s: s.copy_(1)),
        (RuntimeError, lambda s: s[0]),
        (RuntimeError, lambda s: s.__setitem__(0, 1)),
        (TypeError, lambda s: ms.UntypedStorage(4)),
    ],
)
def test_what_a_storage_refuses(error, wrong):
    with pytest.raises(error, match="For 'UntypedStorage"):
        wrong(grid().storage())


def test_a_tensor_laid_over_other_memory():
    tensor = grid()
    window = Tensor([0.0]).set_(tensor, 1, (2, 2), (4, 1))
    assert window.asnumpy().tolist() == [[1, 2], [5, 6]]
    window[0, 0] = 99
    assert tensor.asnumpy()[0, 1] == 99
    assert Tensor([0.0]).set_(tensor.storage()).shape == (12,)
    assert Tensor([0.0]).set_(tensor.storage(), 10, (2,)).asnumpy().tolist() == [10, 11]
    assert Tensor([0.0]).set_(tensor).shape == (3, 4)
    assert Tensor([0.0]).set_().shape == (0,)


@pytest.mark.parametrize(
    "error, args",
    [
        (RuntimeError, (Tensor([1]),)),
        (RuntimeError, (grid(), -1, (1,))),
        (RuntimeError, (grid(), 0, (13,))),
        (RuntimeError, (grid(), 0, (2, 2), (1,))),
        (RuntimeError, (grid().T, 0, (1,))),
        (TypeError, (1,)),
        (TypeError, (grid(), 0)),
    ],
)
def test_memory_that_a_tensor_cannot_be_laid_over(error, args):
    tensor = Tensor([5.0])
    with pytest.raises(error, match="For 'Tensor.set_'"):
        tensor.set_(*args)
    assert tensor.asnumpy().tolist() == [5.0]


def test_strides_in_elements():
    assert grid().stride() == [4, 1] and grid().T.stride(-1) == 4
    with pytest.raises(IndexError, match="'dim' must be in"):
        grid().stride(2)
    with pytest.raises(TypeError, match="'dim' must be an int"):
        grid().stride("a")


def test_values_in_a_file(tmp_path):
    tensor = grid()
    path = str(tmp_path / "values")
    assert tensor.offload_file_path() == ""
    assert tensor.offload(path) is True and tensor.offload_file_path() == path
    assert np.fromfile(path, np.float32).tolist() == list(range(12))
    tensor[0] = 5
    np.testing.assert_array_equal((tensor + 1).asnumpy()[0], [6] * 4)
    with pytest.raises(TypeError, match="'file_path' must be a str"):
        tensor.offload(1)
    with pytest.raises(RuntimeError, match="'file_path' must be a file"):
        tensor.offload(str(tmp_path / "none" / "values"))


def test_bytes_and_back():
    tensor = grid()
    again = Tensor.convert_bytes_to_tensor(tensor.get_bytes(), tensor.shape, tensor.dtype)
    np.testing.assert_array_equal(again.asnumpy(), tensor.asnumpy())
    for error, args in (
        (ValueError, (b"abc", (1,), ms.int32)),
        (TypeError, ("a", (1,), ms.int8)),
        (TypeError, (b"a", 0.5, ms.int8)),
        (TypeError, (b"a", (1,), "int8")),
    ):
        with pytest.raises(error, match="For 'Tensor.convert_bytes_to_tensor'"):
            Tensor.convert_bytes_to_tensor(*args)


def test_memory_let_go_reads_as_zeros():
    tensor = grid()
    assert tensor.delete_() is tensor
    assert tensor.shape == (3, 4) and not tensor.asnumpy().any()
    tensor[0] = 1
    assert tensor.asnumpy().sum() == 4


def test_devices():
    tensor = grid()
    assert tensor.to_("CPU") is tensor and tensor.device == "CPU"
    for wrong in (None, "cpu", "CPU:0"):
        with pytest.raises(ValueError, match="'device' must be"):
            tensor.to_(wrong)
    assert tensor.data_sync() is None and tensor.flush_from_cache() is None


def test_pinned_memory_needs_a_gpu():
    tensor = grid()
    assert not tensor.is_pinned()
    if tensor.device == "CPU":
        with pytest.raises(RuntimeError, match="a GPU must be present"):
            tensor.pin_memory()
    else:
        pinned = tensor.pin_memory()
        assert pinned.is_pinned() and pinned.device == "CPU"
        np.testing.assert_array_equal(pinned.asnumpy(), tensor.asnumpy())


def test_windows_of_images():
    image = Tensor(np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4))
    columns = image.unfold(2)
    assert columns.shape == (1, 4, 9)
    np.testing.assert_array_equal(columns.asnumpy(), ms.ops.unfold(image, 2).asnumpy())
    size = Tensor([4, 4], ms.int32)
    folded = columns.fold(size, 2)
    np.testing.assert_array_equal(folded.asnumpy(), ms.ops.fold(columns, size, 2).asnumpy())


# Capsules -----------------------------------------------------------------------------------------


@pytest.fixture
def on_host():
    if grid().device != "CPU":
        pytest.skip("the stand-in for a GPU has no capsules")


@pytest.mark.usefixtures("on_host")
def test_a_capsule_shares_memory_and_is_taken_once():
    tensor = grid()
    capsule = utils.to_dlpack(tensor)
    assert type(capsule).__name__ == "PyCapsule"
    again = utils.from_dlpack(capsule)
    again[0] = 9
    assert tensor.asnumpy()[0, 0] == 9
    with pytest.raises(RuntimeError, match="not taken before"):
        utils.from_dlpack(capsule)


@pytest.mark.usefixtures("on_host")
def test_arrays_of_other_libraries():
    array = np.arange(3)
    shared = Tensor.from_dlpack(array)
    array[0] = 7
    assert shared.asnumpy().tolist() == [7, 1, 2]
    assert utils.dlpack.from_dlpack(shared.to_dlpack()).dtype == ms.int64


@pytest.mark.usefixtures("on_host")
def test_what_no_capsule_holds():
    with pytest.raises(RuntimeError, match="For 'from_dlpack'"):
        utils.from_dlpack(1)
    with pytest.raises(TypeError, match="to_dlpack"):
        utils.to_dlpack(1)
    with pytest.raises(TypeError, match="For 'to_dlpack', the dtype"):
        utils.to_dlpack(Tensor([1.0], ms.bfloat16))


# Making a Tensor ----------------------------------------------------------------------------------


def test_a_dtype_is_met_without_a_detour():
    for made in (Tensor(0.1, ms.float64), Tensor([0.1], ms.float64), ms.tensor(0.1, ms.float64)):
        assert made.asnumpy().item() == 0.1
    assert Tensor(1e300, ms.float64).asnumpy().item() == 1e300
    assert Tensor([Tensor(0.5), 0.1], ms.float64).asnumpy().tolist() == [0.5, 0.1]
    assert Tensor(0.1).dtype == Tensor([0.1, 1]).dtype == ms.float32


@pytest.mark.parametrize(
    "error, kwargs",
    [
        (ValueError, {"input_data": [1.0], "shape": (1,)}),
        (ValueError, {"shape": (2,)}),
        (TypeError, {"shape": np.array([1, 2]), "dtype": ms.float32}),
    ],
)
def test_shapes_and_values_exclude_each_other(error, kwargs):
    with pytest.raises(error, match="For 'Tensor'"):
        Tensor(**kwargs)


def test_a_tensor_among_python_values():
    assert None not in Tensor([1, 2]) and "a" not in Tensor([1, 2]) and 2 in Tensor([1, 2])
    assert f"{Tensor(1.5):.2f}" == "1.50" and f"{Tensor([1])}" == "[1]"
    with pytest.raises(TypeError, match="0-d Tensor"):
        format(Tensor([1.0, 2.0]), ".2f")
    for wrong in (Tensor([1, 2]), Tensor(1.0)):
        with pytest.raises(ValueError, match="For 'Tensor.__index__'"):
            [1, 2, 3][wrong]
