"""Checkpoints for other slices: which files are needed, the resulting slices, whole folders,
rejected calls.

The expected slices are those that MindSpore 2.10 makes of the same files.
"""

import os
import shutil

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, parallel
from mindspore_compat.train._checkpoint.resharding import Slicing, reslice
from tests.train.test_strategy import file_of, layout

WHOLE = np.arange(64, dtype=np.float32).reshape(8, 8)
ROWS, COLUMNS = layout([4], [0, -1], further=(0, 0)), layout([2], [-1, 0], further=(0, 0))


def slicing(grid, cuts, further=(0, 0)):
    from mindspore_compat.train._checkpoint.strategy import _layout

    return Slicing(_layout(memoryview(layout(grid, cuts, further=further))))


def part_of(made, rank):
    """The part of WHOLE that a rank holds."""
    return WHOLE[tuple(slice(*each) for each in made.region(rank, WHOLE.shape))]


@pytest.mark.parametrize(
    "grid, cuts, rank, expected",
    [
        ([4], [0, -1], 1, WHOLE[2:4]),
        ([2, 2], [1, 0], 2, WHOLE[4:, :4]),
        ([2, 2], [0, 1], 2, WHOLE[:4, 4:]),
        ([2, 2], [-1, 0], 3, WHOLE[:, 4:]),
        ([2, 2], [-1, -1], 3, WHOLE),
        ([2, 2, 2], [2, 0], 5, WHOLE[4:, 4:]),
    ],
    ids=str,
)
def test_what_a_rank_holds(grid, cuts, rank, expected):
    np.testing.assert_array_equal(part_of(slicing(grid, cuts), rank), expected)


@pytest.mark.parametrize(
    "grid, cuts, further, starts",
    [
        ([4], [-1, -1], (1, 2), [0, 4, 0, 4]),
        ([4], [-1, -1], (1, -1), [0, 2, 4, 6]),
        ([2, 2], [0, -1], (2, 2), [0, 4, 2, 6]),
        ([2, 2], [1, -1], (1, 2), [0, 2, 4, 6]),
        ([2, 2], [-1, -1], (1, 2), [0, 4, 0, 4]),
        ([2, 2], [-1, -1], (1, 4), [0, 2, 4, 6]),
        ([8], [-1, -1], (1, 4), [0, 2, 4, 6] * 2),
    ],
    ids=str,
)
def test_the_optimizer_cuts_the_first_axis_further(grid, cuts, further, starts):
    made = slicing(grid, cuts, further)
    assert [made.region(rank, (8, 8))[0][0] for rank in range(len(starts))] == starts


def test_an_axis_cut_twice():
    class Dims:
        def __init__(self, *dim):
            self.dim = list(dim)

    class Layout:
        dev_matrix, tensor_map = [Dims(2, 2, 2)], [Dims(2, 0), Dims(1)]
        opt_weight_shard_size = opt_weight_shard_step = 0

    made = Slicing(Layout())
    assert made.counts(2) == [4, 2] and made.region(5, (8, 8)) == ((6, 8), (0, 4))


LAYOUTS = [
    ([1], [-1, -1]),
    ([4], [0, -1]),
    ([4], [-1, 0]),
    ([2, 2], [1, 0]),
    ([2, 2], [0, 1]),
    ([2, 4], [0, 1]),
    ([8], [-1, -1], (1, 4)),
    ([2, 2], [1, -1], (1, -1)),
]


@pytest.mark.parametrize("source", LAYOUTS, ids=str)
@pytest.mark.parametrize("target", LAYOUTS, ids=str)
def test_slices_become_others(source, target):
    source, target = slicing(*source), slicing(*target)
    for rank in range(target.ranks()):
        slices = {each: part_of(source, each) for each in source.holders(target, rank)}
        np.testing.assert_array_equal(reslice(slices, source, target, rank), part_of(target, rank))


def test_of_equal_slices_the_nearest_is_taken():
    source, target = slicing([2, 2], [1, -1]), slicing([2, 2], [-1, -1])
    assert [source.holders(target, rank) for rank in range(4)] == [[0, 2], [1, 3], [0, 2], [1, 3]]


def strategy(path, stage=0, **layouts):
    return file_of(path, layouts, stage)


def saved(path, **arrays):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    ms.save_checkpoint(
        [{"name": name, "data": Tensor(each)} for name, each in arrays.items()],
        str(path),
        format=str(path).rpartition(".")[2],
    )
    return str(path)


def loaded(path):
    kind = str(path).rpartition(".")[2]
    return {
        name: param.asnumpy() for name, param in ms.load_checkpoint(str(path), format=kind).items()
    }


@pytest.fixture
def rows(tmp_path):
    """Checkpoints by rows in rank folders, and their strategy file."""
    for rank in range(4):
        saved(
            tmp_path / "rows" / f"rank_{rank}" / "net.ckpt",
            w=WHOLE[2 * rank : 2 * rank + 2],
            step=np.array(rank),
        )
    return str(tmp_path / "rows"), strategy(tmp_path / "rows.ckpt", w=ROWS)


def files_of(folder):
    return {rank: f"{folder}/rank_{rank}/net.ckpt" for rank in range(4)}


def test_the_ranks_that_are_needed(rows, tmp_path):
    _, source = rows
    target = strategy(tmp_path / "t.ckpt", w=layout([2], [0, -1], further=(0, 0)))
    assert ms.rank_list_for_transform(0, source) == [3, 2, 1, 0]
    assert ms.rank_list_for_transform(0, source, target) == [1, 0]
    assert ms.rank_list_for_transform(1, source, target) == [3, 2, 1]
    assert ms.rank_list_for_transform(3, None, source) == [0]


def test_the_checkpoint_of_a_rank(rows, tmp_path):
    folder, source = rows
    target = strategy(tmp_path / "t.ckpt", w=COLUMNS)
    path = str(tmp_path / "new" / "r1.ckpt")
    ms.transform_checkpoint_by_rank(1, files_of(folder), path, source, target)
    found = loaded(path)
    np.testing.assert_array_equal(found["w"], WHOLE[:, 4:])
    assert found["step"] == 1
    ms.transform_checkpoint_by_rank(0, files_of(folder), path, source)
    np.testing.assert_array_equal(loaded(path)["w"], WHOLE)
    whole = saved(tmp_path / "whole.ckpt", w=WHOLE)
    ms.transform_checkpoint_by_rank(2, {0: whole}, path, None, source)
    np.testing.assert_array_equal(loaded(path)["w"], WHOLE[4:6])


@pytest.mark.parametrize("workers", [1, 3])
def test_a_folder_of_checkpoints(rows, tmp_path, workers):
    folder, source = rows
    saved(f"{folder}/rank_0/early.ckpt", w=WHOLE[:2] * 0)  # net.ckpt is the last by name
    target = strategy(tmp_path / "t.ckpt", w=COLUMNS)
    new = tmp_path / "new"
    ms.transform_checkpoints(folder, str(new), "net", source, target, workers)
    assert sorted(os.listdir(new)) == ["rank_0", "rank_1"]
    found = [loaded(new / f"rank_{rank}" / f"net{rank}.ckpt")["w"] for rank in (0, 1)]
    np.testing.assert_array_equal(np.concatenate(found, 1), WHOLE)


@pytest.mark.parametrize("kind", ["ckpt", "safetensors"])
def test_safetensors(tmp_path, kind):
    for rank in range(4):
        saved(
            tmp_path / "s" / f"rank_{rank}" / "net.safetensors",
            w=part_of(slicing([4], [0, -1]), rank),
        )
    source = strategy(tmp_path / "rows.ckpt", w=ROWS)
    ms.transform_checkpoints(
        str(tmp_path / "s"), str(tmp_path / "new"), "net", source, output_format=kind
    )
    np.testing.assert_array_equal(loaded(tmp_path / "new" / "rank_0" / f"net0.{kind}")["w"], WHOLE)


def test_pipelines(tmp_path):
    flat = strategy(tmp_path / "flat.ckpt", w=ROWS, v=ROWS, both=ROWS)
    by_rows, by_columns = layout([2], [0, -1], further=(0, 0)), COLUMNS
    (tmp_path / "stages").mkdir()
    strategy(tmp_path / "stages" / "0.ckpt", 0, w=by_rows, both=by_rows)
    strategy(tmp_path / "stages" / "1.ckpt", 1, v=by_columns, both=by_rows)
    pipe = str(tmp_path / "pipe.ckpt")
    ms.merge_pipeline_strategys(str(tmp_path / "stages"), pipe)
    saved(
        tmp_path / "whole" / "rank_0" / "a.ckpt",
        w=WHOLE,
        v=-WHOLE,
        both=2 * WHOLE,
        step=np.array(3),
    )
    folder = [str(tmp_path / name) for name in ("whole", "pipe", "flat", "again")]
    ms.transform_checkpoints(folder[0], folder[1], "p", None, pipe)
    found = [loaded(f"{folder[1]}/rank_{rank}/p{rank}.ckpt") for rank in range(4)]
    assert [sorted(each) for each in found] == 2 * [["both", "step", "w"]] + 2 * [
        ["both", "step", "v"]
    ]
    np.testing.assert_array_equal(found[3]["v"], -WHOLE[:, 4:])
    np.testing.assert_array_equal(found[3]["both"], 2 * WHOLE[4:])
    ms.transform_checkpoints(folder[1], folder[2], "f", pipe, flat)
    found = loaded(f"{folder[2]}/rank_2/f2.ckpt")
    np.testing.assert_array_equal(found["v"], -WHOLE[4:6])
    np.testing.assert_array_equal(found["w"], WHOLE[4:6])
    ms.transform_checkpoints(folder[2], folder[3], "p", flat, pipe)
    for rank in range(4):
        first, second = (loaded(f"{each}/rank_{rank}/p{rank}.ckpt") for each in folder[1::2])
        assert first.keys() == second.keys()
        assert all(np.array_equal(first[name], second[name]) for name in first)


def test_one_stage_alone(rows, tmp_path):
    folder, source = rows
    target = strategy(tmp_path / "t.ckpt", w=COLUMNS, v=COLUMNS)
    ms.transform_checkpoints(folder, str(tmp_path / "new"), "net", source, target)
    found = loaded(tmp_path / "new" / "rank_1" / "net1_part0.ckpt")
    np.testing.assert_array_equal(found["w"], WHOLE[:, 4:])


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, (True,)),
        (TypeError, (0.5,)),
        (TypeError, ("wrong",)),
        (ValueError, (-1,)),
        (TypeError, (0, 1)),
        (TypeError, (0, "rows", 0.5)),
        (ValueError, (0, "missing")),
        (ValueError, (0, "rows", "missing")),
        (ValueError, (0, "rows", "three")),
        (ValueError, (1, "rows")),
        (ValueError, (4, "rows", "rows")),
    ],
    ids=str,
)
def test_refused_lists(rows, tmp_path, error, arguments):
    strategy(tmp_path / "three.ckpt", w=layout([3], [0, -1], further=(0, 0)))
    given = [
        str(tmp_path / f"{each}.ckpt") if number and isinstance(each, str) else each
        for number, each in enumerate(arguments)
    ]
    with pytest.raises(error):
        ms.rank_list_for_transform(*given)


def test_refused_checkpoints(rows, tmp_path):
    folder, source = rows
    files, path = files_of(folder), str(tmp_path / "new" / "r.ckpt")
    other = strategy(tmp_path / "other.ckpt", v=ROWS)
    uneven = strategy(tmp_path / "uneven.ckpt", w=layout([16], [0, -1], further=(0, 0)))
    call = ms.transform_checkpoint_by_rank
    for error, arguments in (
        (TypeError, (0, [], path)),
        (TypeError, (0.5, files, path)),
        (TypeError, (0, files, 1)),
        (ValueError, (0, files, "name")),
        (ValueError, (0, {0: "missing.ckpt"}, path)),
        (ValueError, (0, files, path)),
        (ValueError, (0, {0: files[0]}, path, source)),
        (ValueError, (0, files, path, other)),
        (ValueError, (0, files, path, source, other)),
        (ValueError, (0, files, path, source, uneven)),
    ):
        with pytest.raises(error, match="For 'transform_checkpoint_by_rank', "):
            call(*arguments)
    assert not os.path.exists(tmp_path / "new")


def test_refused_folders(rows, tmp_path):
    folder, source = rows
    new, empty = str(tmp_path / "new"), tmp_path / "empty"
    empty.mkdir()
    call = ms.transform_checkpoints
    for error, arguments in (
        (NotADirectoryError, ("missing", new, "p", source)),
        (TypeError, (1, new, "p")),
        (NotADirectoryError, (folder, source, "p", source)),
        (TypeError, (folder, new, 1)),
        (ValueError, (str(empty), new, "p", source)),
        (ValueError, (folder, new, "a/b")),
        (ValueError, (folder, new, "p", source, None, 1, "safetensors")),
        (ValueError, (folder, new, "p", source, None, 1, "text")),
        (ValueError, (folder, new, "p", source, None, 0)),
    ):
        with pytest.raises(error):
            call(*arguments)
    shutil.rmtree(f"{folder}/rank_2")
    with pytest.raises(ValueError, match=r"\[2\]"):
        call(folder, new, "p", source)
    saved(f"{folder}/rank_2/net.safetensors", w=WHOLE[:2])
    with pytest.raises(ValueError, match="of one format"):
        call(folder, new, "p", source)


@pytest.mark.parametrize(
    "grid, cuts, further",
    [
        ([2], [1, -1], (0, 0)),
        ([2], [0, -1], (1, 2)),
        ([4], [-1, -1], (2, 2)),
        ([4], [-1, -1], (1, 3)),
        ([4], [-1, -1], (1, 8)),
        ([4], [], (1, 4)),
    ],
    ids=str,
)
def test_layouts_that_contradict_themselves(grid, cuts, further):
    with pytest.raises(ValueError, match="a layout cuts"):
        slicing(grid, cuts, further)


def test_the_names_have_several_homes():
    for name in (
        "rank_list_for_transform",
        "transform_checkpoint_by_rank",
        "transform_checkpoints",
    ):
        assert getattr(ms, name) is getattr(parallel, name)
        assert getattr(ms, name) is getattr(parallel.checkpoint_transform, name)


def test_the_newer_names_do_the_same(rows, tmp_path):
    folder, source = rows
    target = strategy(tmp_path / "t.ckpt", w=COLUMNS)
    assert parallel.rank_list_for_convert(1, source, target) == ms.rank_list_for_transform(
        1, source, target
    )
    path = str(tmp_path / "new" / "r1.ckpt")
    parallel.convert_checkpoint_by_rank(1, files_of(folder), path, source, target)
    np.testing.assert_array_equal(loaded(path)["w"], WHOLE[:, 4:])
    parallel.convert_checkpoints(folder, str(tmp_path / "all"), "p", source, target)
    np.testing.assert_array_equal(
        loaded(tmp_path / "all" / "rank_0" / "p0.ckpt")["w"], WHOLE[:, :4]
    )


def test_refusals_tell_the_newer_names(tmp_path):
    for call, values, error in (
        (parallel.rank_list_for_convert, ("0",), TypeError),
        (parallel.rank_list_for_convert, (0, "absent", "absent"), ValueError),
        (parallel.convert_checkpoint_by_rank, (0, {}, "a.txt"), ValueError),
        (parallel.convert_checkpoint_by_rank, (0, 3, "a.ckpt"), TypeError),
        (parallel.convert_checkpoints, ("absent", str(tmp_path), "p"), NotADirectoryError),
    ):
        with pytest.raises(error, match=call.__name__):
            call(*values)
