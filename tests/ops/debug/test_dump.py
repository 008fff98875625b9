"""Tensors and gradients written to .npy files."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops


def written(folder):
    """The arrays in a folder: name without its number -> arrays in the order of the numbers."""
    found = {}
    for path in sorted(folder.glob("*.npy"), key=lambda p: int(p.stem.rsplit("_", 1)[1])):
        found.setdefault(path.stem.rsplit("_", 1)[0], []).append(np.load(path))
    return found


def test_files_tell_the_dtype_and_are_numbered(tmp_path):
    first, second = Tensor(np.arange(3, dtype=np.int16)), Tensor(np.ones((2, 2), np.int16))
    ops.tensordump(str(tmp_path / "x.npy"), first)
    ops.TensorDump("in")(str(tmp_path / "x"), second)
    found = written(tmp_path)
    assert list(found) == ["x_int16"]
    np.testing.assert_array_equal(found["x_int16"][0], [0, 1, 2])
    np.testing.assert_array_equal(found["x_int16"][1], np.ones((2, 2)))
    numbers = sorted(int(path.stem.rsplit("_", 1)[1]) for path in tmp_path.iterdir())
    assert numbers[1] == numbers[0] + 1


def test_bfloat16_is_written_as_float32_and_folders_are_made(tmp_path):
    ops.tensordump(str(tmp_path / "new" / "b"), Tensor([1.5, 2.0], ms.bfloat16))
    found = written(tmp_path / "new")
    assert found["b_bfloat16"][0].dtype == np.float32
    np.testing.assert_array_equal(found["b_bfloat16"][0], [1.5, 2.0])


def test_gradients_are_written_and_pass(tmp_path):
    dump = ops.DumpGradient()

    def loss(x, y):
        return dump(str(tmp_path / "g.npy"), x, "out") * y

    gradients = ms.grad(loss, (0, 1))(Tensor(1.0), Tensor(2.0))
    assert [float(s) for s in gradients] == [2.0, 1.0]
    np.testing.assert_array_equal(written(tmp_path)["g_float32"], [2.0])


def test_nothing_is_written_without_a_gradient(tmp_path):
    assert float(ops.DumpGradient()(str(tmp_path / "g"), Tensor(3.0), "in")) == 3.0
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    "error, call",
    [
        (ValueError, lambda: ops.TensorDump("all")),
        (TypeError, lambda: ops.TensorDump()(1, Tensor(1.0))),
        (TypeError, lambda: ops.TensorDump()("x", 1.0)),
        (ValueError, lambda: ops.TensorDump()("", Tensor(1.0))),
        (ValueError, lambda: ops.tensordump("x", Tensor(1.0), "all")),
        (TypeError, lambda: ops.tensordump(1, Tensor(1.0))),
        (ValueError, lambda: ops.DumpGradient()("", Tensor(1.0), "out")),
        (ValueError, lambda: ops.DumpGradient()("x", Tensor(1.0), "both")),
    ],
)
def test_refusals(error, call):
    with pytest.raises(error):
        call()
