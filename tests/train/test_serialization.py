"""Saving and loading: accepted inputs, order and form of the entries, rejected calls."""

import io
import os
import pathlib
import threading
import time

import numpy as np
import pytest

from mindspore_compat import Tensor, log
from mindspore_compat._core.tensor.dtype import bfloat16, float16, float32, int32
from mindspore_compat._io import checkpoint
from mindspore_compat.common.generator import Generator
from mindspore_compat.common.parameter import Parameter, ParameterTuple
from mindspore_compat.nn.cell import Cell
from mindspore_compat.train import serialization
from mindspore_compat.train._checkpoint import background
from mindspore_compat.train.serialization import (
    async_ckpt_thread_status,
    load_checkpoint,
    load_checkpoint_async,
    load_param_into_net,
    load_segmented_checkpoints,
    save_checkpoint,
)

pytestmark = pytest.mark.quick


class Net(Cell):
    """A network that has parameters with the given names and values."""

    def __init__(self, **values):
        super().__init__()
        for name, value in values.items():
            setattr(self, name, Parameter(Tensor(value), name=name))


def param(name, values, dtype=np.float32):
    return Parameter(Tensor(np.array(values, dtype)), name=name)


def params(**values):
    """A dict as load_checkpoint returns it; `__` in a name stands for a dot."""
    return {
        name.replace("__", "."): param(name.replace("__", "."), value)
        for name, value in values.items()
    }


def values_of(net):
    return {p.name: p.asnumpy().tolist() for p in net.get_parameters()}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def warnings(monkeypatch):
    found = []
    monkeypatch.setattr(log, "warning", lambda message, *_: found.append(message))
    return found


# Saving -------------------------------------------------------------------------------------------


def test_a_network_is_saved_in_its_order_with_what_is_appended():
    net = Net(b=[1.0], a=[2.0, 3.0])
    net.a.requires_grad = False
    net.inner = Net(w=[[4.0]])
    extra = {"epoch": 3, "lr": 0.5, "flag": True, "note": "text", "t": Tensor([1, 2]), "p": net.b}
    save_checkpoint(net, "net", append_dict=extra)
    found = load_checkpoint("net.ckpt")
    assert list(found) == ["b", "a", net.inner.w.name, *extra]
    assert found["note"] == "text" and found["epoch"].shape == () and found["epoch"].dtype != int32
    assert [str(found[n].dtype) for n in ("epoch", "lr", "flag")] == ["Int64", "Float32", "Bool"]
    assert all(p.name == n and p.requires_grad for n, p in found.items() if n != "note")
    assert found["a"].asnumpy().tolist() == [2.0, 3.0]


def test_the_state_of_a_generator_is_saved():
    generator = Generator().manual_seed(7)
    save_checkpoint([], "g", append_dict={"g": generator})
    found = load_checkpoint("g.ckpt")["g"]
    assert found.shape == (16,) and str(found.dtype) == "UInt8"
    other = Generator()
    other.set_state(found)
    assert other.initial_seed() == 7


@pytest.mark.parametrize(
    "save_obj, names",
    [
        ([param("x", [1]), param("y", [2])], ["x", "y"]),
        (
            [{"name": "k", "data": param("x", [1])}, {"name": "t", "data": Tensor([1.0])}],
            ["k", "t"],
        ),
        ({"x": param("q", [1]), "t": Tensor([1.0]), "s": "text", "i": 3}, ["x", "t", "s", "i"]),
    ],
)
def test_lists_and_dicts(save_obj, names):
    save_checkpoint(save_obj, "o.ckpt")
    assert list(load_checkpoint("o.ckpt")) == names
    save_checkpoint(save_obj, "o.ckpt", choice_func=lambda name: name != names[0])
    assert list(load_checkpoint("o.ckpt")) == names[1:]


def test_choice_func_is_not_asked_for_what_is_appended():
    save_checkpoint([param("x", [1])], "c", append_dict={"e": 1}, choice_func=lambda name: False)
    assert list(load_checkpoint("c.ckpt")) == ["e"]


def test_what_was_loaded_is_saved_again_alike():
    save_checkpoint(Net(a=[1.0]), "one", append_dict={"note": "text", "n": 3})
    save_checkpoint(load_checkpoint("one.ckpt"), "two")
    assert pathlib.Path("one.ckpt").read_bytes() == pathlib.Path("two.ckpt").read_bytes()


def test_every_type_comes_back():
    for dtype in (
        "Int8 UInt8 Int16 UInt16 Int32 UInt32 Int64 UInt64 Float16 Float32 Float64 Bool"
    ).split():
        save_checkpoint([param("x", [[0, 1]], dtype.lower())], dtype)
        found = load_checkpoint(f"{dtype}.ckpt")["x"]
        assert str(found.dtype) == dtype and found.asnumpy().tolist() == [[0, 1]]
    save_checkpoint([Parameter(Tensor([1.5], bfloat16), name="x")], "b")
    assert load_checkpoint("b.ckpt")["x"].dtype == bfloat16


@pytest.mark.parametrize("how", [True, "thread", "process"])
def test_async_save_writes_the_values_of_the_call(how, warnings):
    p = param("x", [1.0, 2.0])
    save_checkpoint([p], "a", async_save=how)
    p.set_data(Tensor([8.0, 9.0]))
    for _ in range(200):
        if not async_ckpt_thread_status():
            break
        time.sleep(0.1)
    assert load_checkpoint("a.ckpt")["x"].asnumpy().tolist() == [1.0, 2.0]
    assert any("deprecated" in w for w in warnings)


def test_async_save_writes_to_the_folder_of_the_call(monkeypatch):
    has_moved, write, folder = threading.Event(), checkpoint.write, pathlib.Path.cwd()

    def write_late(*arguments, **options):
        has_moved.wait(20)
        write(*arguments, **options)

    monkeypatch.setattr(checkpoint, "write", write_late)
    save_checkpoint([param("x", [1.0])], "a", async_save=True)
    pathlib.Path("other").mkdir()
    monkeypatch.chdir("other")
    has_moved.set()
    background.wait()
    assert (folder / "a.ckpt").exists() and not list(pathlib.Path.cwd().iterdir())


def test_encrypted():
    pytest.importorskip("cryptography")
    save_checkpoint([param("x", [1])], "e", enc_key=b"0" * 16, enc_mode="AES-CBC")
    found = load_checkpoint("e.ckpt", dec_key=b"0" * 16, dec_mode="AES-CBC")
    assert found["x"].asnumpy().tolist() == [1]
    with pytest.raises(ValueError, match="e.ckpt"):
        load_checkpoint("e.ckpt")


P = param("x", [1])


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(save_obj=3), TypeError),
        (dict(save_obj=P), TypeError),
        (dict(save_obj=(P,)), TypeError),
        (dict(save_obj=ParameterTuple([P])), TypeError),
        (dict(save_obj=None), TypeError),
        (dict(save_obj=[1]), TypeError),
        (dict(save_obj=[Tensor([1])]), TypeError),
        (dict(save_obj=[{"data": P}]), TypeError),
        (dict(save_obj=[{"name": "a"}]), TypeError),
        (dict(save_obj=[{"name": 3, "data": P}]), TypeError),
        (dict(save_obj=[{"name": "a", "data": np.ones(2)}]), TypeError),
        (dict(save_obj=[{"name": "a", "data": P}, P]), TypeError),
        (dict(save_obj=[P, {"name": "a", "data": P}]), TypeError),
        (dict(save_obj={3: P}), TypeError),
        (dict(save_obj={"a": [1]}), TypeError),
        (dict(ckpt_file_name=3), TypeError),
        (dict(ckpt_file_name=b"a"), TypeError),
        (dict(ckpt_file_name=pathlib.Path("a")), TypeError),
        (dict(ckpt_file_name="."), OSError),
        (dict(ckpt_file_name=""), IsADirectoryError),
        (dict(ckpt_file_name="no/a"), FileNotFoundError),
        (dict(integrated_save=1), TypeError),
        (dict(integrated_save=None), TypeError),
        (dict(async_save=1), TypeError),
        (dict(async_save=None), TypeError),
        (dict(async_save="later"), ValueError),
        (dict(choice_func=3), TypeError),
        (dict(append_dict=[1]), TypeError),
        (dict(append_dict={3: 1}), TypeError),
        (dict(append_dict={"a": None}), TypeError),
        (dict(append_dict={"a": [1]}), TypeError),
        (dict(append_dict={"a": np.float32(1)}), TypeError),
        (dict(append_dict={"a": 1j}), TypeError),
        (dict(append_dict={"a": 2**70}), ValueError),
        (dict(crc_check=1), ValueError),
        (dict(enc_key="text"), ValueError),
        (dict(enc_key=b"short"), ValueError),
        (dict(enc_key=b""), ValueError),
        (dict(enc_key=b"0" * 16, enc_mode="DES"), ValueError),
        (dict(enc_mode=3), ValueError),
        (dict(format="pt"), ValueError),
        (dict(format=3), ValueError),
        (dict(remove_redundancy=3), ValueError),
        (dict(format="safetensors", enc_key=b"0" * 16), ValueError),
        (dict(format="safetensors", append_dict={"note": "text"}), TypeError),
    ],
)
def test_refusals_of_save_checkpoint_write_nothing(folder, arguments, error):
    with pytest.raises(error):
        save_checkpoint(**{"save_obj": [P], "ckpt_file_name": "r", **arguments})
    assert list(folder.iterdir()) == []


# Loading ------------------------------------------------------------------------------------------


NAMES = ["conv1.w", "conv1.b", "conv2.w", "fc.w", "fcx", "note"]


@pytest.mark.parametrize(
    "arguments, expected",
    [
        (dict(filter_prefix="conv1"), NAMES[2:]),
        (dict(filter_prefix=["conv1", "fc"]), ["conv2.w", "note"]),
        (dict(filter_prefix=("con", "fc.")), ["fcx", "note"]),
        (dict(specify_prefix="fc"), ["fc.w", "fcx"]),
        (dict(specify_prefix=["conv1", "fc."]), ["conv1.w", "conv1.b", "fc.w"]),
        (dict(specify_prefix="fc", filter_prefix="fcx"), ["fc.w"]),
        (dict(choice_func=lambda n: n.endswith("w")), ["conv1.w", "conv2.w", "fc.w"]),
        (dict(choice_func=lambda n: False, filter_prefix="conv"), NAMES[3:]),
    ],
)
def test_which_values_are_loaded(arguments, expected, warnings):
    save_checkpoint([param(n, [1]) for n in NAMES[:-1]], "n", append_dict={"note": "text"})
    assert list(load_checkpoint("n.ckpt", **arguments)) == expected
    assert len(warnings) == len(arguments.keys() & {"filter_prefix", "specify_prefix"})


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(ckpt_file_name=3), TypeError),
        (dict(ckpt_file_name=None), TypeError),
        (dict(ckpt_file_name=pathlib.Path("n.ckpt")), TypeError),
        (dict(ckpt_file_name=io.BytesIO()), TypeError),
        (dict(ckpt_file_name="n"), ValueError),
        (dict(ckpt_file_name="no.ckpt"), ValueError),
        (dict(ckpt_file_name=""), ValueError),
        (dict(format="safetensors"), ValueError),
        (dict(format="pt"), ValueError),
        (dict(net=3), TypeError),
        (dict(filter_prefix=3), TypeError),
        (dict(filter_prefix=[3]), TypeError),
        (dict(specify_prefix=3), TypeError),
        (dict(filter_prefix=""), ValueError),
        (dict(filter_prefix=[]), ValueError),
        (dict(specify_prefix=[""]), ValueError),
        (dict(specify_prefix="zz"), ValueError),
        (dict(choice_func=lambda n: False), ValueError),
        (dict(choice_func=3), TypeError),
        (dict(dec_key="text"), ValueError),
        (dict(dec_key=b"0" * 16), ValueError),
        (dict(dec_mode=3), ValueError),
        (dict(crc_check=1), ValueError),
        (dict(remove_redundancy=1), ValueError),
    ],
)
def test_refusals_of_load_checkpoint(arguments, error):
    save_checkpoint([P], "n")
    with pytest.raises(error):
        load_checkpoint(**{"ckpt_file_name": "n.ckpt", **arguments})


def test_a_missing_checksum_is_a_warning(warnings):
    save_checkpoint([P], "with", crc_check=True)
    save_checkpoint([P], "before")
    checkpoint.write("without", [("x", np.array([1.0]))])
    for name in ("with", "before"):
        load_checkpoint(f"{name}.ckpt", crc_check=True)
    assert not warnings
    load_checkpoint("without.ckpt", crc_check=True)
    assert "without.ckpt" in warnings[0]


def test_a_damaged_file_is_named():
    pathlib.Path("bad.ckpt").write_bytes(b"nothing of the kind")
    with pytest.raises(ValueError, match="bad.ckpt"):
        load_checkpoint("bad.ckpt")


def test_load_checkpoint_into_a_network_returns_the_dict():
    save_checkpoint([param("a", [5]), param("q", [6])], "n")
    net = Net(a=[0.0])
    assert list(load_checkpoint("n.ckpt", net)) == ["a", "q"]
    assert values_of(net) == {"a": [5]}


def test_load_checkpoint_async():
    save_checkpoint([P], "n")
    assert list(load_checkpoint_async("n.ckpt").result()) == ["x"]
    with pytest.raises(ValueError, match="no.ckpt"):
        load_checkpoint_async("no.ckpt").result()


def test_segmented():
    save_checkpoint([param("x", [1]), param("y", [1])], "a")
    save_checkpoint([param("x", [2])], "b")
    found = load_segmented_checkpoints(".")
    assert {n: p.asnumpy().tolist() for n, p in found.items()} == {"x": [2], "y": [1]}
    with pytest.raises(TypeError):
        load_segmented_checkpoints(3)
    with pytest.raises(ValueError):
        load_segmented_checkpoints("none")


def test_safetensors(warnings):
    pytest.importorskip("safetensors")
    save_checkpoint(
        [param("b", [1, 2]), param("a", 3)],
        "s",
        format="safetensors",
        crc_check=True,
        remove_redundancy=False,
    )
    assert os.listdir() == ["s.safetensors"]
    content = io.BytesIO(pathlib.Path("s.safetensors").read_bytes())
    for source in ("s.safetensors", content):
        found = load_checkpoint(source, format="safetensors", crc_check=True)
        assert {n: (p.name, p.asnumpy().tolist()) for n, p in found.items()} == {
            "a": ("a", 3),
            "b": ("b", [1, 2]),
        }
    net = Net(b=[0.0, 0.0])
    load_checkpoint("s.safetensors", net, remove_redundancy=True, format="safetensors")
    assert values_of(net) == {"b": [1, 2]} and "remove_redundancy" in warnings[0]
    assert list(load_checkpoint_async("s.safetensors").result()) == ["a", "b"]


# Into a network -----------------------------------------------------------------------------------


def test_what_is_lacking_and_what_is_left_over(warnings):
    net = Net(a=[0.0, 0.0], b=[0.0])
    given = {**params(a=[1, 2], c=[3]), "note": "s"}
    assert load_param_into_net(net, given) == (["b"], ["c", "note"])
    assert values_of(net) == {"a": [1, 2], "b": [0]}
    assert "1 parameters" in warnings[0] and "['b']" in warnings[1]
    assert load_param_into_net(net, {"b": "text"}) == (["a"], ["b"])


@pytest.mark.parametrize(
    "net, given, loaded, left",
    [
        ("x y", "net.x net.y", [1, 2], "net.x net.y"),
        ("x y", "n.x m.y", [1, 2], "n.x m.y"),
        ("x y z", "n.x n.y z", [1, 2, 3], "n.x n.y"),
        ("fc.w b", "net.fc.w c", [1, 0], "net.fc.w c"),
        ("w fc.w", "fc.w", [1, 1], ""),
        ("w", "a_w", [1], "a_w"),
        ("w fc.w", "a.fc.w", [1, 1], "a.fc.w"),
        ("w b", "moment1.w moment1.b net.w net.b", [1, 2], "moment1.w moment1.b net.w net.b"),
        ("x y", "n.x n.y x", [3, 2], "n.x n.y"),
        ("aaa bbb", "p.bbb q.aaa q.bbb", [2, 3], "p.bbb q.aaa q.bbb"),
        ("bbb aaa", "p.bbb q.aaa q.bbb", [1, 2], "p.bbb q.aaa q.bbb"),
        ("long.name b", "n.b q", [0, 1], "n.b q"),
        ("net.x net.y", "x y", [0, 0], "x y"),
    ],
)
def test_prefixes_are_dropped_as_the_original_drops_them(net, given, loaded, left):
    cell = Cell()
    for i, name in enumerate(net.split()):
        setattr(cell, f"p{i}", param(name, [0]))
    source = {name: param(name, [i]) for i, name in enumerate(given.split(), 1)}
    lacking, leftover = load_param_into_net(cell, source)
    assert [v[0] for v in values_of(cell).values()] == loaded
    assert leftover == left.split()
    assert lacking == [n for n, v in zip(net.split(), loaded, strict=True) if not v]


def test_strict_load_drops_no_prefix_and_converts_nothing():
    net = Net(x=[0.0])
    assert load_param_into_net(net, params(n__x=[1]), strict_load=True) == (["x"], ["n.x"])
    with pytest.raises(RuntimeError, match="Float16"):
        load_param_into_net(net, {"x": param("x", [1], np.float16)}, strict_load=True)


@pytest.mark.parametrize(
    "given, wanted, fits",
    [
        ("float16", "float32", True),
        ("float64", "float16", True),
        ("int8", "int32", True),
        ("int64", "int8", True),
        ("int32", "float32", False),
        ("uint8", "int16", False),
        ("uint8", "uint16", False),
        ("bool", "uint8", False),
        ("float32", "bool", False),
        ("complex64", "float32", False),
        ("float32", "int32", False),
        ("bool", "bool", True),
    ],
)
def test_types_that_are_converted(given, wanted, fits, warnings):
    net = Cell()
    net.x = param("x", [0, 0], wanted)
    if fits:
        load_param_into_net(net, {"x": param("x", [1, 0], given)})
        assert net.x.asnumpy().dtype == wanted and net.x.asnumpy().tolist() == [1, 0]
        assert bool(warnings) == (given != wanted)
    else:
        with pytest.raises(RuntimeError, match="'x' is of type"):
            load_param_into_net(net, {"x": param("x", [1, 0], given)})


def test_bfloat16_is_converted_too():
    net = Net(x=[0.0])
    load_param_into_net(net, {"x": Parameter(Tensor([1.5], bfloat16), name="x")})
    assert net.x.dtype == float32 and net.x.asnumpy().tolist() == [1.5]
    net.x.set_dtype(bfloat16)
    load_param_into_net(net, {"x": Parameter(Tensor([2.5], float16), name="x")})
    assert net.x.dtype == bfloat16 and float(net.x.asnumpy()[0]) == 2.5


@pytest.mark.parametrize(
    "shape, given, fits",
    [
        ((2, 3), (2, 3, 1, 1), True),
        ((), (1,), True),
        ((2,), (2, 1), True),
        ((1,), (), False),
        ((2,), (1, 2), False),
        ((2, 3), (6,), False),
        ((2, 3, 1), (2, 3), False),
        ((2,), (3,), False),
    ],
)
def test_shapes_differ_by_ones_at_the_end_only(shape, given, fits):
    net = Net(x=np.zeros(shape, np.float32))
    source = {"x": param("x", np.ones(given))}
    if fits:
        load_param_into_net(net, source)
        assert net.x.shape == shape and net.x.asnumpy().all()
    else:
        with pytest.raises(RuntimeError, match="shape"):
            load_param_into_net(net, source)


def test_a_refused_call_changes_nothing():
    net = Net(a=[0.0], b=[0.0])
    for bad in (param("b", [1, 2]), param("b", [1], np.int32)):
        with pytest.raises(RuntimeError):
            load_param_into_net(net, {"a": param("a", [1]), "b": bad})
    assert values_of(net) == {"a": [0], "b": [0]}


def test_values_of_the_same_dtype_are_shared():
    net, source = Net(x=[0.0]), params(x=[1])
    half = Net(x=np.zeros(1, np.float16))
    load_param_into_net(net, source)
    load_param_into_net(half, source)
    source["x"].add_(1)
    assert values_of(net) == {"x": [2]}
    net.x[0] = 7.0
    assert source["x"].asnumpy() == [7]
    assert values_of(half) == {"x": [1]}


def test_values_that_cannot_be_written_are_copied():
    values = np.ones(1, np.float32)
    values.flags.writeable = False
    net = Net(x=[0.0])
    load_param_into_net(net, {"x": Parameter(Tensor.from_numpy(values), name="x")})
    net.x += 1
    assert (values, net.x.asnumpy()) == ([1], [2])


@pytest.mark.parametrize(
    "arguments, error",
    [
        (dict(net=3), TypeError),
        (dict(net=None), TypeError),
        (dict(parameter_dict=[1]), TypeError),
        (dict(parameter_dict=None), TypeError),
        (dict(parameter_dict={"x": Tensor([1.0])}), TypeError),
        (dict(parameter_dict={"x": 3}), TypeError),
        (dict(parameter_dict={1: P}), TypeError),
        (dict(strict_load=1), TypeError),
        (dict(remove_redundancy=1), ValueError),
        (dict(remove_redundancy=True), TypeError),
    ],
)
def test_refusals_of_load_param_into_net(arguments, error):
    with pytest.raises(error):
        load_param_into_net(**{"net": Net(x=[0.0]), "parameter_dict": {"x": P}, **arguments})


def test_functions_report_their_public_module():
    for name in serialization.__all__:
        assert getattr(serialization, name).__module__ == serialization.__name__


# Both ways with MindSpore ----------------------------------------------------------------------


def test_the_original_loads_what_we_save(oracle, folder):
    net = Net(w=[[1.5, 2.0]], h=np.array([0.5], np.float16))
    save_checkpoint(net, "ours", append_dict={"epoch": 7, "note": "text"}, crc_check=True)
    printed = oracle("""
import mindspore as ms
from mindspore import nn, Parameter, Tensor
class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([[0., 0.]]), name="w")
        self.h = Parameter(Tensor([0.], ms.float16), name="h")
net = Net()
found = ms.load_checkpoint("ours.ckpt", net, crc_check=True)
print(list(found), found["epoch"], found["note"])
print(net.w.asnumpy().tolist(), net.h.asnumpy().tolist())
""")
    assert printed == (
        "['w', 'h', 'epoch', 'note'] Parameter (name=epoch, shape=(), dtype=Int64, "
        "requires_grad=True) text\n[[1.5, 2.0]] [0.5]\n"
    )


@pytest.mark.parametrize(
    "options",
    [{}, {"crc_check": True}, {"enc_key": b"0" * 16}, {"enc_key": b"0" * 16, "crc_check": True}],
    ids=str,
)
def test_the_original_loads_whatever_checksum_there_is(oracle, folder, options):
    if "enc_key" in options:
        pytest.importorskip("cryptography")
    save_checkpoint([param("x", [1.5, 2.0])], "ours", **options)
    assert (
        oracle(f"""
import mindspore as ms
print([ms.load_checkpoint("ours.ckpt", dec_key={options.get("enc_key")!r}, crc_check=check)["x"]
       .asnumpy().tolist() for check in (False, True)])
""")
        == "[[1.5, 2.0], [1.5, 2.0]]\n"
    )


def test_we_load_what_the_original_saves(oracle, folder):
    oracle("""
import mindspore as ms
from mindspore import nn
net = nn.SequentialCell(nn.Dense(2, 3), nn.BatchNorm1d(3))
ms.save_checkpoint(net, "theirs", append_dict={"epoch": 7, "note": "text"}, async_save=True)
""")
    found = load_checkpoint("theirs.ckpt")
    assert list(found) == [
        "0.weight",
        "0.bias",
        "1.moving_mean",
        "1.moving_variance",
        "1.gamma",
        "1.beta",
        "epoch",
        "note",
    ]
    assert found["0.weight"].shape == (3, 2) and found["note"] == "text"
    save_checkpoint(found, "again")
    assert pathlib.Path("again.ckpt").read_bytes()[9:] == pathlib.Path("theirs.ckpt").read_bytes()
