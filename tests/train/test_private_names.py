"""Private names of `train` that scripts import: checkpoints as messages, redundancy of slices.

The groups and shares are those of MindSpore 2.10.
"""

import os

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat._backend import arrays
from mindspore_compat.common.file_system import (
    FileSystem,
    _register_basic_file_system,
    _register_mindio_file_system,
)
from mindspore_compat.train import Callback
from mindspore_compat.train._utils import get_parameter_redundancy, remove_param_redundancy
from mindspore_compat.train.model import _StepSync
from mindspore_compat.train.serialization import (
    Checkpoint,
    _exec_save,
    _get_merged_param_data,
    _parse_ckpt_proto,
)

LAYOUTS = {
    "a": ([2, 2], [1, 0], [4, 2], 0, True, ""),
    "b": ([4], [0, -1], [4, 2], 0, True, ""),
    "c": ([4], [-1, -1], [4, 2], 0, True, ""),
    "d": ([2, 2], [0, -1], [4, 2], 0, True, ""),
}
GROUPS = {
    "a": ((0,), (2,), (1,), (3,)),
    "b": ((0,), (1,), (2,), (3,)),
    "c": ((0, 1, 2, 3),),
    "d": ((0, 2), (1, 3)),
}


def test_ranks_of_the_same_slice():
    assert get_parameter_redundancy(LAYOUTS) == GROUPS
    assert get_parameter_redundancy({"d": LAYOUTS["d"]}, 4) == {"d": ((4, 6), (5, 7))}
    crossed = {"p": ([4, 2], [0, 1], [8, 8])}
    assert get_parameter_redundancy(crossed)["p"] == tuple(
        (rank,) for rank in (0, 2, 4, 6, 1, 3, 5, 7)
    )
    with pytest.raises(TypeError, match="'layout_obj' must be a str or a dict"):
        get_parameter_redundancy(1)


@pytest.mark.parametrize(
    "keep, shares",
    [
        (1, {0: {"c", "d"}, 1: {"d", "e"}}),
        (2, {0: {"c", "d"}, 1: {"c", "d", "e"}, 2: {"d", "e"}, 3: {"d"}}),
        (0, {}),
    ],
)
def test_parameters_are_shared_out(keep, shares):
    groups = {"c": GROUPS["c"], "d": GROUPS["d"], "e": GROUPS["c"]}
    assert remove_param_redundancy(groups, keep) == shares


@pytest.mark.parametrize("key", [None, b"0123456789abcdef"])
def test_a_checkpoint_as_a_message(tmp_path, key):
    if key:
        pytest.importorskip("cryptography")
    path = str(tmp_path / "net.ckpt")
    weight = np.arange(6, dtype=np.float32).reshape(3, 2)
    _exec_save(path, {"w": [[3, 2], "Float32", Tensor(weight)]}, enc_key=key, crc_check=True)
    found = _parse_ckpt_proto(path, key, "AES-GCM", True)
    assert isinstance(found, Checkpoint)
    (value,) = found.value
    assert (value.tag, list(value.tensor.dims), value.tensor.tensor_type) == (
        "w",
        [3, 2],
        "Float32",
    )
    assert value.tensor.tensor_content == weight.tobytes()
    np.testing.assert_array_equal(ms.load_checkpoint(path, dec_key=key)["w"].asnumpy(), weight)


def test_a_safetensors_file(tmp_path):
    path = str(tmp_path / "net.safetensors")
    _exec_save(path, {"w": [[2], "Float32", Tensor([1.0, 2.0])]}, format="safetensors")
    assert ms.load_checkpoint(path, format="safetensors")["w"].asnumpy().tolist() == [1, 2]


def test_what_is_no_checkpoint_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no checkpoint file"):
        _parse_ckpt_proto(str(tmp_path / "none.ckpt"), None, "AES-GCM", False)
    (tmp_path / "text.ckpt").write_text("no checkpoint")
    with pytest.raises(ValueError, match="cannot be read as a checkpoint"):
        _parse_ckpt_proto(str(tmp_path / "text.ckpt"), None, "AES-GCM", False)


def test_the_callback_waits_at_the_end_of_each_step(monkeypatch):
    waits = []
    monkeypatch.setattr(arrays, "synchronize", lambda: waits.append(1))
    callback = _StepSync()
    callback.step_begin(None)
    callback.step_end(None)
    assert isinstance(callback, Callback) and waits == [1]


def test_a_file_system_opens_files_by_pythons_open(tmp_path):
    system, path = FileSystem(), tmp_path / "file"
    assert _register_basic_file_system(system) and system.backend == "basic"
    assert _register_mindio_file_system(system) is False
    for text in (b"one", b"two"):
        with system.create(path, *system.create_args) as file:
            file.write(text)
    with system.open(path, *system.open_args) as file:
        assert file.read() == b"onetwo"


def test_checkpoint_is_read_ahead_unless_it_is_missing_or_too_large(tmp_path):
    path = tmp_path / "net.ckpt"
    path.write_bytes(bytes(1000))
    assert ms.mindio_preload(str(path)) is hasattr(os, "posix_fadvise")
    assert ms.mindio_preload(str(tmp_path / "none.ckpt")) is False
    ms.set_mindio_server_info(0)
    assert ms.mindio_preload(str(path)) is False
    ms.set_mindio_server_info()
    with pytest.raises(TypeError, match="data_block_pool_capacity_in_gb"):
        ms.set_mindio_server_info("a")


def test_one_process_has_whole_parameters():
    """As in MindSpore 2.10, the result does not depend on the layout."""
    data = Tensor([[1.0, 2.0]])
    layouts = {"w": ([2], [0, -1], [1, 2], 0, True, "")}
    assert _get_merged_param_data(ms.nn.Cell(), layouts, "w", data, True) is data
    with pytest.raises(KeyError):
        _get_merged_param_data(ms.nn.Cell(), {}, "w", data, True)
