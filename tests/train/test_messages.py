"""Checkpoints and strategies as messages: bytes, text and rejected calls are those of 2.10."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat._io.messages import DecodeError, EncodeError
from mindspore_compat.train.checkpoint_pb2 import Checkpoint, TensorProto
from mindspore_compat.train.node_strategy_pb2 import ParallelGroupMap, ParallelStrategyMap
from tests.train.test_strategy import file_of, layout

BYTES = b"\n\x17\n\x01w\x12\x12\x08\x02\x08\x03\x12\x07Float32\x1a\x03abc"
PRINTED = """value {
  tag: "w"
  tensor {
    dims: 2
    dims: 3
    tensor_type: "Float32"
    tensor_content: "abc"
  }
}
"""


def made():
    found = Checkpoint()
    value = found.value.add()
    value.tag = "w"
    value.tensor.dims.extend([2, 3])
    value.tensor.tensor_type = "Float32"
    value.tensor.tensor_content = b"abc"
    return found


def test_bytes_and_printing():
    found = made()
    assert found.SerializeToString() == BYTES and found.ByteSize() == 25
    assert str(found) == PRINTED
    read = Checkpoint()
    assert read.ParseFromString(BYTES) == 25
    assert read == found == Checkpoint.FromString(BYTES)
    assert list(read.value[0].tensor.dims) == [2, 3] and len(read.value) == 1
    other = Checkpoint()
    other.CopyFrom(found)
    other.value[0].tag = "v"
    assert other != found and found.value[0].tag == "w"


def test_which_fields_are_set():
    value = made().value[0]
    assert value.HasField("tensor") and value.HasField("tag") and not value.HasField("maptensor")
    assert list(value.maptensor.tensor) == [] and not value.HasField("maptensor")
    value.maptensor.tensor.add(tensor_type="Int8", tensor_content=b"")
    assert value.HasField("maptensor") and not value.HasField("tensor")
    value.ClearField("maptensor")
    assert not value.HasField("maptensor") and value.maptensor.tensor == []
    with pytest.raises(ValueError, match="nope"):
        value.HasField("nope")


def test_a_list_alone_sets_what_it_is_in():
    value = Checkpoint.Value(tag="w")
    value.tensor.dims.append(4)
    assert value.HasField("tensor")
    assert str(value) == 'tag: "w"\ntensor {\n  dims: 4\n}\n'


@pytest.mark.parametrize(
    "change, error",
    [
        (lambda v: setattr(v, "tag", 3), TypeError),
        (lambda v: setattr(v, "nope", 3), AttributeError),
        (lambda v: v.tensor.dims.append("a"), TypeError),
        (lambda v: setattr(v.tensor, "dims", [1]), AttributeError),
        (lambda v: setattr(v, "tensor", TensorProto()), AttributeError),
        (lambda v: v.tensor.dims.append(2**63), ValueError),
        (lambda v: v.tensor.dims.add(), AttributeError),
    ],
)
def test_refused_changes(change, error):
    found = made()
    with pytest.raises(error):
        change(found.value[0])
    assert found == made()


def test_what_is_lacking():
    found = Checkpoint()
    found.value.add()
    assert not found.IsInitialized() and made().IsInitialized()
    with pytest.raises(EncodeError, match=r"value\[0\].tag"):
        found.SerializeToString()
    for bad in (b"\xff\xff", b"\n\x00", b"\n\x05abc"):
        with pytest.raises(DecodeError):
            found.ParseFromString(bad)


def test_checkpoints_are_taken_apart_and_made(tmp_path):
    weight = np.arange(6, dtype=np.float32).reshape(2, 3)
    path = str(tmp_path / "a.ckpt")
    ms.save_checkpoint([{"name": "w", "data": Tensor(weight)}], path)
    found = Checkpoint.FromString((tmp_path / "a.ckpt").read_bytes())
    (value,) = found.value
    assert (value.tag, value.tensor.tensor_type) == ("w", "Float32")
    array = np.frombuffer(value.tensor.tensor_content, np.float32).reshape(value.tensor.dims)
    np.testing.assert_array_equal(array, weight)
    value.tag, value.tensor.tensor_content = "v", (weight + 1).tobytes()
    (tmp_path / "b.ckpt").write_bytes(found.SerializeToString())
    loaded = ms.load_checkpoint(str(tmp_path / "b.ckpt"))
    np.testing.assert_array_equal(loaded["v"].asnumpy(), weight + 1)


def test_strategies(tmp_path):
    path = file_of(tmp_path / "s.ckpt", {"w": layout([2, 4], [-1, 0])}, stage=3)
    found = ParallelStrategyMap.FromString((tmp_path / "s.ckpt").read_bytes())
    (item,) = found.parallel_layout_item
    layouts = item.parallel_layouts
    assert item.param_name == "w" and list(layouts.dev_matrix[0].dim) == [2, 4]
    assert list(layouts.tensor_map[0].dim) == [-1, 0] and layouts.opt_weight_shard_size == 4
    assert found.parallel_strategy_item[0].parallel_strategys.stage == 3
    layouts.opt_weight_shard_step = -1
    (tmp_path / "s.ckpt").write_bytes(found.SerializeToString())
    assert ms.build_searched_strategy(path)["w"].opt_weight_shard_step == -1
    with pytest.raises(ValueError):
        found.current_stage = -1
    assert ParallelStrategyMap(current_stage=2).current_stage == 2


def test_groups(tmp_path):
    found = ParallelGroupMap()
    found.ckpt_restore_rank_list.dim.extend([4, 5])
    (tmp_path / "g.pb").write_bytes(found.SerializeToString())
    assert ms.restore_group_info_list(str(tmp_path / "g.pb")) == [4, 5]
