"""load_mindir and save_mindir: MindIR files as messages."""

import os
import stat

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.train.mind_ir_pb2 import AttributeProto, ModelProto


@pytest.fixture
def exported(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    net, x = nn.Dense(3, 2), Tensor(np.ones((1, 3), np.float32))
    ms.export(net, x, file_name="net", file_format="MINDIR")
    return net, x


def test_a_model_with_texts_of_the_user_runs_as_before(exported):
    net, x = exported
    model = ms.load_mindir("net.mindir")
    assert dict(model.user_info) == {}
    model.user_info["version"] = "2"
    model.user_info.update(author="me")
    ms.save_mindir(model, "folder/changed")
    again = ms.load_mindir("folder/changed.mindir")
    assert dict(again.user_info) == {"version": "2", "author": "me"}
    assert again == model
    assert stat.S_IMODE(os.stat("folder/changed.mindir").st_mode) == 0o400
    graph = ms.load("folder/changed.mindir")
    assert np.array_equal(nn.GraphCell(graph)(x).asnumpy(), net(x).asnumpy())


def test_weights_and_nodes_are_fields(exported):
    net, _ = exported
    graph = ms.load_mindir("net.mindir").graph
    weights = {p.name.rpartition(":")[2]: p for p in graph.parameter}
    weight = next(p for name, p in weights.items() if name.endswith("weight"))
    assert list(weight.dims) == [2, 3]
    found = np.frombuffer(weight.raw_data, np.float32).reshape(2, 3)
    assert np.array_equal(found, net.weight.asnumpy())
    assert any("MatMul" in node.op_type or "Dense" in node.op_type for node in graph.node)


def test_numbers_of_messages():
    value = AttributeProto(name="x", f=1.1, d=1.1, i=-3, floats=[1, 2.5], doubles=[0.1])
    again = AttributeProto.FromString(value.SerializeToString())
    assert again.f == np.float32(1.1) and again.d == 1.1 and again.i == -3
    assert list(again.floats) == [1.0, 2.5] and list(again.doubles) == [0.1]
    assert again.HasField("f") and not again.HasField("s")
    assert "f: 1.1" in str(again)
    model = ModelProto(little_endian=True, user_info={"a": "b"})
    again = ModelProto.FromString(model.SerializeToString())
    assert again.little_endian is True and again.user_info == {"a": "b"}
    assert 'user_info {\n  key: "a"\n  value: "b"\n}' in str(again)
    with pytest.raises(TypeError):
        value.f = "x"
    with pytest.raises(TypeError):
        model.user_info["a"] = 3
    with pytest.raises(AttributeError):
        model.user_info = {}


def test_what_is_no_file_or_no_message(exported):
    with open("garbage.mindir", "wb") as file:
        file.write(b"garbage")
    for name in ("missing.mindir", "garbage.mindir", "."):
        with pytest.raises(ValueError, match="'load_mindir'"):
            ms.load_mindir(name)
    with pytest.raises(TypeError):
        ms.load_mindir(3)
    with pytest.raises(TypeError):
        ms.save_mindir(3, "x.mindir")
    with pytest.raises(TypeError):
        ms.save_mindir(ModelProto(), 3)
    assert not os.path.exists("x.mindir")
