"""Strategy files and the slices of parameters: reading, merging, rejected calls.

The files are written by hand, field by field of MindSpore's node_strategy.proto. The expected
merged parameters are those that MindSpore 2.10 makes of the same slices.
"""

import json

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, parallel, train
from mindspore_compat._io.protobuf import bytes_field, fields, int_field, varint
from mindspore_compat.train import serialization


def dims(number, values, packed=True):
    if packed:
        return bytes_field(number, bytes_field(1, b"".join(map(varint, values))))
    return bytes_field(number, b"".join(int_field(1, each) for each in values))


def layout(grid, cuts, lengths=(), groups=0, packed=True, further=(2, 4)):
    return (
        dims(1, grid, packed)
        + dims(2, cuts, packed)
        + dims(3, lengths)
        + dims(4, ())
        + int_field(5, groups)
        + int_field(6, further[0])
        + int_field(7, further[1])
    )


def file_of(path, layouts, stage=0):
    """Writes a strategy file; `layouts` maps the names of parameters to messages."""
    operation = bytes_field(1, "op") + bytes_field(2, int_field(1, stage))
    items = [
        bytes_field(3, bytes_field(1, name) + bytes_field(2, one)) for name, one in layouts.items()
    ]
    path.write_bytes(int_field(1, 1) + bytes_field(2, operation) + b"".join(items))
    return str(path)


def merged(path, slices, *arguments, **more):
    strategy = ms.build_searched_strategy(
        file_of(path / "s.ckpt", {"w": layout(*arguments, **more)})
    )
    parts = [Parameter(Tensor(each), "w") for each in slices]
    return ms.merge_sliced_parameter(parts, strategy).asnumpy()


@pytest.mark.parametrize("packed", [True, False])
def test_a_strategy_file(tmp_path, packed):
    path = file_of(
        tmp_path / "s.ckpt",
        {"w": layout([2, 4], [-1, 0], packed=packed), "b": layout([8], [0], [3, 2])},
    )
    found = ms.build_searched_strategy(path)
    assert list(found) == ["w", "b"]
    found_layout = found["w"]
    assert found_layout.dev_matrix[0].dim == [2, 4] and found_layout.tensor_map[0].dim == [-1, 0]
    assert (
        found["b"].param_split_shape[0].dim == [3, 2]
        and found_layout.param_split_shape[0].dim == []
    )
    assert (
        found_layout.field,
        found_layout.opt_weight_shard_step,
        found_layout.opt_weight_shard_size,
    ) == (0, 2, 4)


def test_numbers_below_zero(tmp_path):
    path = file_of(tmp_path / "s.ckpt", {"w": layout([2], [-1], further=(1, -1))})
    assert ms.build_searched_strategy(path)["w"].opt_weight_shard_size == -1


def test_a_strategy_file_in_json(tmp_path):
    path = tmp_path / "s.json"
    path.write_text(
        json.dumps(
            {
                "parallel_layout_item": {
                    "w": {
                        "dev_matrix": [2],
                        "tensor_map": [0],
                        "field": 0,
                        "opt_weight_shard_step": 1,
                        "opt_weight_shard_size": -1,
                        "param_split_shape": [2, 1],
                    }
                }
            }
        )
    )
    found_layout = ms.build_searched_strategy(str(path))["w"]
    assert found_layout.dev_matrix[0].dim == [2] and found_layout.opt_weight_shard_size == -1
    parts = [Parameter(Tensor(each), "w") for each in ([1.0, 2.0], [3.0])]
    whole = ms.merge_sliced_parameter(parts, {"w": found_layout})
    assert whole.asnumpy().tolist() == [1, 2, 3]


WHOLE = np.arange(48, dtype=np.float32).reshape(4, 6, 2)


def cut(*counts):
    """The blocks of WHOLE in row-major order of a grid."""
    parts = [WHOLE]
    for axis, count in enumerate(counts):
        parts = [piece for part in parts for piece in np.split(part, count, axis)]
    return parts


@pytest.mark.parametrize(
    "slices, grid, cuts",
    [
        (cut(4), [4], [0, -1, -1]),
        (cut(2, 2), [2, 2], [1, 0, -1]),
        ([cut(2, 2)[i] for i in (0, 2, 1, 3)], [2, 2], [0, 1, -1]),
        (cut(1, 2) * 2, [2, 2], [-1, 0, -1]),
        ([cut(2, 1, 2)[i] for i in (0, 1, 0, 1, 2, 3, 2, 3)], [2, 2, 2], [2, -1, 0]),
        ([WHOLE, WHOLE], [2], [-1, -1, -1]),
    ],
    ids=str,
)
def test_slices_stand_in_a_grid(tmp_path, slices, grid, cuts):
    np.testing.assert_array_equal(merged(tmp_path, slices, grid, cuts), WHOLE)


def test_of_slices_that_ranks_share_the_last_counts(tmp_path):
    assert merged(tmp_path, [[1.0, 2.0], [3.0, 4.0]], [2], [-1]).tolist() == [3, 4]


def test_slices_of_several_lengths(tmp_path):
    slices = [WHOLE[:3], WHOLE[:3], WHOLE[3:], WHOLE[3:]]
    np.testing.assert_array_equal(merged(tmp_path, slices, [2, 2], [1, -1, -1], [3, 1]), WHOLE)


def test_slices_by_fields(tmp_path):
    first, second = np.arange(12.0).reshape(6, 2), np.arange(12.0, 24).reshape(6, 2)
    found = merged(tmp_path, [first, second], [2], [0, -1], groups=3)
    assert found[:, 0].tolist() == [0, 2, 12, 14, 4, 6, 16, 18, 8, 10, 20, 22]


def test_without_a_strategy_slices_follow_one_another():
    parts = [Parameter(Tensor(np.full((n, 2), n, np.float16)), "w", False, True) for n in (1, 2)]
    whole = ms.merge_sliced_parameter(parts)
    assert whole.asnumpy()[:, 0].tolist() == [1, 2, 2] and whole.dtype == ms.float16
    assert (whole.name, whole.requires_grad, whole.layerwise_parallel) == ("w", False, True)


def slices(*shapes, name="w"):
    return [Parameter(Tensor(np.ones(shape, np.float32)), name) for shape in shapes]


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, [1]),
        (TypeError, [tuple(slices(1))]),
        (TypeError, [[1]]),
        (ValueError, [[]]),
        (TypeError, [slices(1), "wrong"]),
        (TypeError, [slices(1), 1]),
        (KeyError, [slices(1), {"v": None}]),
        (ValueError, [slices(1), {"w": None}]),
        (ValueError, [slices((1, 2), (1, 3))]),
        (ValueError, [slices((1, 2), 1)]),
        (ValueError, [slices(1) + slices(1, name="v")]),
    ],
    ids=str,
)
def test_refused_slices(error, arguments):
    with pytest.raises(error, match="For 'merge_sliced_parameter', "):
        ms.merge_sliced_parameter(*arguments)


@pytest.mark.parametrize(
    "parts, arguments",
    [
        ([[1.0], [1.0]], ([4], [0])),
        ([[1.0], [1.0, 2.0]], ([2], [0])),
        ([[1.0], [1.0, 2.0]], ([2], [0], [2, 1])),
        ([[1.0], [1.0]], ([2], [0], [1, 1, 1])),
    ],
    ids=str,
)
def test_slices_of_another_layout(tmp_path, parts, arguments):
    with pytest.raises(ValueError, match="For 'merge_sliced_parameter', "):
        merged(tmp_path, parts, *arguments)


def test_refused_strategy_files(tmp_path):
    with pytest.raises(TypeError):
        ms.build_searched_strategy(1)
    for name, content in (
        ("empty.ckpt", b""),
        ("cut.ckpt", b"\x1a\x09a"),
        ("other.ckpt", b"text"),
        ("cut.json", b"{"),
        ("list.json", b"[1]"),
        ("short.json", b'{"parallel_layout_item": {"w": {}}}'),
    ):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match="For 'build_searched_strategy', "):
            ms.build_searched_strategy(str(tmp_path / name))
    with pytest.raises(ValueError, match="there is no"):
        ms.build_searched_strategy(str(tmp_path / "missing"))


@pytest.mark.parametrize("packed", [True, False])
def test_a_file_of_groups(tmp_path, packed):
    path = tmp_path / "group.pb"
    path.write_bytes(bytes_field(1, bytes_field(1, "group")) + dims(2, [0, 4, 300], packed))
    assert ms.restore_group_info_list(str(path)) == [0, 4, 300]


def test_refused_files_of_groups(tmp_path):
    with pytest.raises(TypeError):
        ms.restore_group_info_list(0.5)
    for content in (b"", b"\x12\x09a", bytes_field(1, b"")):
        (tmp_path / "group.pb").write_bytes(content)
        with pytest.raises(ValueError, match="For 'restore_group_info_list', "):
            ms.restore_group_info_list(str(tmp_path / "group.pb"))


def test_stages_become_one_file(tmp_path):
    folder = tmp_path / "stages"
    folder.mkdir()
    for name, stage, parameter in (("a", 0, "w"), ("b", 1, "v"), ("c", 1, "other")):
        file_of(folder / f"{name}.ckpt", {parameter: layout([2], [0])}, stage)
    path = tmp_path / "new" / "merged.ckpt"
    ms.merge_pipeline_strategys(str(folder), str(path))
    found = ms.build_searched_strategy(str(path))
    assert list(found) == ["0-w", "1-v"] and found["1-v"].dev_matrix[0].dim == [2]
    found_layout = [(number, value) for number, _, value in fields(memoryview(path.read_bytes()))]
    assert found_layout[0] == (1, 1) and [number for number, _ in found_layout] == [1, 2, 2, 3, 3]


def test_stages_in_json_become_one_file(tmp_path):
    folder = tmp_path / "stages"
    folder.mkdir()
    for stage in (0, 1):
        (folder / f"{stage}.json").write_text(
            json.dumps(
                {
                    "parallel_strategy_item": {f"op{stage}": {"stage": stage}},
                    "parallel_layout_item": {"w": {"dev_matrix": [stage + 1], "tensor_map": [0]}},
                }
            )
        )
    ms.merge_pipeline_strategys(str(folder), str(tmp_path / "merged.json"))
    found = ms.build_searched_strategy(str(tmp_path / "merged.json"))
    assert {name: each.dev_matrix[0].dim for name, each in found.items()} == {
        "0-w": [1],
        "1-w": [2],
    }
    found_layout = json.loads((tmp_path / "merged.json").read_text())
    assert found_layout["current_stage"] == 1 and list(found_layout["parallel_strategy_item"]) == [
        "op0",
        "op1",
    ]


def test_refused_stages(tmp_path):
    target = tmp_path / "new" / "merged.ckpt"
    with pytest.raises(NotADirectoryError):
        ms.merge_pipeline_strategys("/does/not/exist", str(target))
    with pytest.raises(TypeError):
        ms.merge_pipeline_strategys(str(tmp_path), 1)
    with pytest.raises(ValueError, match="all '.ckpt' or all '.json'"):
        ms.merge_pipeline_strategys(str(tmp_path), str(target))
    (tmp_path / "a.ckpt").write_bytes(b"")
    with pytest.raises(ValueError, match="describes no parameters"):
        ms.merge_pipeline_strategys(str(tmp_path), str(target))
    (tmp_path / "a.json").write_text("{}")
    with pytest.raises(ValueError, match="all '.ckpt' or all '.json'"):
        ms.merge_pipeline_strategys(str(tmp_path), str(target))
    assert not target.parent.exists()


def test_the_names_have_several_homes():
    for name in ("build_searched_strategy", "merge_sliced_parameter", "restore_group_info_list"):
        homes = (ms, train, serialization, parallel, parallel.checkpoint_transform)
        assert len({getattr(home, name) for home in homes}) == 1
    assert parallel.merge_pipeline_strategys is ms.merge_pipeline_strategys
