"""Safetensors files of ranks merged: the written files, and rejected calls.

The files, their names and contents are those that MindSpore 2.10 writes for the same slices.
"""

import json
import os
import shutil

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.train._checkpoint import unifying
from tests.train.test_strategy import file_of, layout

pytest.importorskip("safetensors")

WHOLE = np.arange(64, dtype=np.float32).reshape(8, 8)
BIAS = np.float32([1, 2])


def saved(folder, rank, suffix="1_1", **options):
    os.makedirs(folder / f"rank_{rank}", exist_ok=True)
    values = {"w": WHOLE[2 * rank : 2 * rank + 2], "b": BIAS, "step": np.int32([rank])}
    values = {name: values[name] for name in options.pop("names", values)}
    ms.save_checkpoint(
        [{"name": name, "data": Tensor(each)} for name, each in values.items()],
        str(folder / f"rank_{rank}" / f"x-{suffix}.safetensors"),
        format="safetensors",
        **options,
    )


@pytest.fixture
def source(tmp_path):
    for rank in range(4):
        saved(tmp_path / "src", rank)
    file = file_of(
        tmp_path / "s.ckpt",
        {"w": layout([4], [0, -1], further=(0, 0)), "b": layout([4], [-1], further=(0, 0))},
    )
    return tmp_path / "src", file, tmp_path / "dst"


def written(source, **options):
    folder, file, target = source
    shutil.rmtree(target, ignore_errors=True)
    ms.unified_safetensors(str(folder), file, str(target), **options)
    found = {}
    for name in sorted(os.listdir(target)):
        if name.endswith(".json"):
            found["map"] = json.loads((target / name).read_text(encoding="utf-8"))
        else:
            loaded = ms.load_checkpoint(str(target / name), format="safetensors")
            found[name.partition(".")[0]] = {key: each.asnumpy() for key, each in loaded.items()}
    return found


def test_the_whole_is_written(source):
    found = written(source)
    assert set(found) == {"map", "part0", "hyper_param"}
    np.testing.assert_array_equal(found["part0"]["w"], WHOLE)
    np.testing.assert_array_equal(found["part0"]["b"], BIAS)
    np.testing.assert_array_equal(found["hyper_param"]["step"], [0])
    assert found["map"] == {
        "metadata": {"total_size": 264},
        "weight_map": {"w": "part0.safetensors", "b": "part0.safetensors"},
    }
    assert list(found["map"]["weight_map"]) == ["w", "b"]


def test_the_map_names_no_file_that_is_not_there(source, monkeypatch):
    write = unifying.safetensors.write

    def full(path, *rest):
        if "part" in path:
            raise OSError("no space")
        write(path, *rest)

    monkeypatch.setattr(unifying.safetensors, "write", full)
    with pytest.raises(OSError, match="no space"):
        written(source)
    assert os.listdir(source[2]) == ["hyper_param.safetensors"]


def test_parameters_are_chosen_and_renamed(source):
    found = written(source, choice_func=lambda name: name != "b")
    assert set(found["part0"]) == {"w"} and set(found["hyper_param"]) == {"b", "step"}
    assert found["map"]["metadata"]["total_size"] == 256
    found = written(source, choice_func=lambda name: f"p.{name}")
    assert set(found["part0"]) == {"p.w", "p.b"}
    assert list(found["map"]["weight_map"]) == ["p.w", "p.b"]


def test_the_last_file_or_that_of_a_suffix_is_taken(source):
    for rank in range(4):
        saved(source[0], rank, "0_9", names=("w",))
    assert "b" in written(source)["part0"]
    assert "b" not in written(source, file_suffix="0_9")["part0"]


@pytest.mark.parametrize("workers", [1, 2])
def test_parts_are_of_one_size_and_tasks_share_them(source, monkeypatch, workers):
    monkeypatch.setattr(unifying, "_PART", 100)
    found = written(source, max_process_num=workers)
    assert set(found["part0"]) == {"w"} and set(found["part1"]) == {"b"}
    assert found["map"]["weight_map"]["b"] == "part1.safetensors"
    assert set(written(source, split_dst_file=(1, 2))) == {"map", "part0", "hyper_param"}
    assert set(written(source, split_dst_file=(2, 2))) == {"part1"}
    with pytest.raises(ValueError, match="split_dst_file"):
        written(source, split_dst_file=(3, 3))


@pytest.mark.parametrize("marked", [False, True])
def test_slices_that_one_rank_holds_for_all(source, marked):
    options = {"remove_redundancy": True} if marked else {}
    for rank in range(4):
        saved(source[0], rank, names=("w", "step") if rank != 2 else ("w", "b"), **options)
    found = written(source, merge_with_redundancy=marked)
    np.testing.assert_array_equal(found["part0"]["w"], WHOLE)
    np.testing.assert_array_equal(found["part0"]["b"], BIAS)


def test_missing_files_are_refused(source):
    shutil.rmtree(source[0] / "rank_2")
    for redundant in (True, False):
        with pytest.raises(ValueError, match="2"):
            written(source, merge_with_redundancy=redundant)


def test_files_that_are_not_needed_may_be_missing(source):
    file = file_of(source[2].parent / "t.ckpt", {"b": layout([4], [-1], further=(0, 0))})
    for rank in (1, 2, 3):
        shutil.rmtree(source[0] / f"rank_{rank}")
    found = written((source[0], file, source[2]))
    assert set(found["part0"]) == {"b"} and set(found["hyper_param"]) == {"w", "step"}


def test_slices_that_files_lack_are_refused(source):
    saved(source[0], 1, names=("b",))
    for redundant in (True, False):
        with pytest.raises(ValueError, match="'w'"):
            written(source, merge_with_redundancy=redundant)


@pytest.mark.parametrize(
    "options, error",
    [
        ({"file_suffix": "9_9"}, ValueError),
        ({"choice_func": lambda name: 3}, ValueError),
        ({"choice_func": lambda name: False}, ValueError),
        ({"choice_func": 3}, TypeError),
        ({"max_process_num": 0}, ValueError),
        ({"max_process_num": "1"}, TypeError),
        ({"merge_with_redundancy": 1}, TypeError),
        ({"file_suffix": 3}, ValueError),
        ({"split_dst_file": 3}, TypeError),
        ({"split_dst_file": (1, "2")}, TypeError),
        ({"split_dst_file": (1,)}, ValueError),
        ({"split_dst_file": (3, 2)}, ValueError),
        ({"split_dst_file": (2, 2)}, ValueError),
    ],
)
def test_refusals_write_nothing(source, options, error):
    with pytest.raises(error):
        written(source, **options)
    assert not source[2].exists()


def test_refused_folders_and_strategies(source):
    folder, file, target = map(str, source)
    for arguments, error in (
        ((3, file, target), TypeError),
        ((folder, None, target), TypeError),
        ((folder + "x", file, target), ValueError),
        ((folder, "absent", target), ValueError),
    ):
        with pytest.raises(error, match="unified_safetensors"):
            ms.parallel.unified_safetensors(*arguments)
    (source[0] / "rank_0" / "x.ckpt").write_bytes(b"x")
    with pytest.raises(ValueError, match="ckpt"):
        ms.unified_safetensors(folder, file, target)
