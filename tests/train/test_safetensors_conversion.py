"""Checkpoints converted to safetensors files and back: names, directories, rejected calls."""

import os
import pathlib

import pytest

from mindspore_compat import Tensor
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.train.serialization import (
    ckpt_to_safetensors,
    load_checkpoint,
    safetensors_to_ckpt,
    save_checkpoint,
)

pytestmark = pytest.mark.quick


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def named(name, value):
    return Parameter(Tensor([value]), name=name)


@pytest.mark.parametrize("processes", [1, 2])
def test_a_directory_is_converted_there_and_back(processes):
    pytest.importorskip("safetensors")
    os.makedirs("in/rank_0")
    save_checkpoint([named("x", 1.0), named("y", 2.0)], "in/rank_0/m")
    save_checkpoint([named("x", 3.0)], "in/n", crc_check=True)
    ckpt_to_safetensors("in", "out", {"x": "z"}, processes_num=processes)
    assert list(load_checkpoint("out/rank_0/m.safetensors", format="safetensors")) == ["y", "z"]
    safetensors_to_ckpt("out", name_map={"z": "x"}, file_name_regex="n")
    assert sorted(os.listdir("out")) == ["n.ckpt", "n.safetensors", "rank_0"]
    assert load_checkpoint("out/n.ckpt")["x"].asnumpy().tolist() == [3]
    ckpt_to_safetensors("in", "part", file_name_regex="ckp")
    assert sorted(os.listdir("part")) == ["n.safetensors", "rank_0"]


@pytest.mark.parametrize(
    "arguments, error",
    [
        (("none",), ValueError),
        ((3,), ValueError),
        (("",), ValueError),
        (("a.txt",), ValueError),
        ((".", 3), TypeError),
        ((".", "a.txt"), ValueError),
        ((".", None, 3), ValueError),
        ((".", None, None, 3), TypeError),
        ((".", None, None, None, 0), ValueError),
        ((".", None, None, None, "2"), TypeError),
        (("text.ckpt",), TypeError),
        (("bad.ckpt",), ValueError),
    ],
)
def test_refusals_of_the_conversion(arguments, error):
    pytest.importorskip("safetensors")
    pathlib.Path("a.txt").write_text("x")
    pathlib.Path("bad.ckpt").write_bytes(b"x")
    save_checkpoint([named("x", 1.0)], "text", append_dict={"note": "s"})
    with pytest.raises(error):
        ckpt_to_safetensors(*arguments)
    assert not [name for name in os.listdir() if name.endswith("safetensors")]
