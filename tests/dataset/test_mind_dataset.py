"""MindDataset: columns, MindSpore's orders, shards, padding, rejected calls."""

import io
import json

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat import mindrecord
from mindspore_compat.dataset import Shuffle

COUNTS = (4, 3, 5, 2)


@pytest.fixture
def files(tmp_path):
    at, paths = 0, []
    for shard, count in enumerate(COUNTS):
        paths.append(str(tmp_path / f"part{shard}.mindrecord"))
        writer = mindrecord.FileWriter(paths[-1])
        writer.add_schema(
            {
                "k": {"type": "int32"},
                "c": {"type": "string"},
                "a": {"type": "int64", "shape": [-1]},
                "b": {"type": "bytes"},
            }
        )
        writer.write_raw_data(
            [
                {
                    "k": number,
                    "c": "xyz"[number % 3],
                    "a": np.arange(number % 2 + 1),
                    "b": b"b%d" % number,
                }
                for number in range(at, at + count)
            ]
        )
        writer.commit()
        at += count
    return paths


def numbers(dataset, epochs=1):
    ds_iterator = dataset.create_dict_iterator(num_epochs=epochs, output_numpy=True)
    found = [[int(row["k"]) for row in ds_iterator] for _ in range(epochs)]
    return found[0] if epochs == 1 else found


def test_columns_have_the_dtypes_of_the_schema(files):
    dataset = ds.MindDataset(files, shuffle=False)
    assert dataset.get_col_names() == ["a", "b", "c", "k"] and dataset.get_dataset_size() == 14
    row = list(dataset.create_dict_iterator(output_numpy=True, num_epochs=1))[5]
    assert row["k"].dtype == np.int32 and row["k"].shape == () and row["k"] == 5
    assert row["a"].dtype == np.int64 and row["a"].tolist() == [0, 1]
    assert row["b"].tolist() == [b"b5"] and row["c"].item() == "z"


def test_columns_are_chosen_in_order(files):
    assert ds.MindDataset(files, ["k", "b"]).get_col_names() == ["k", "b"]


def test_one_file_brings_those_written_with_it(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"), 3)
    writer.add_schema({"k": {"type": "int32"}})
    writer.write_raw_data([{"k": number} for number in range(9)])
    writer.commit()
    assert sorted(numbers(ds.MindDataset(str(tmp_path / "some1")))) == list(range(9))
    assert len(numbers(ds.MindDataset([str(tmp_path / "some1")]))) == 3


@pytest.mark.parametrize(
    "arguments, epochs",
    [
        (
            {"shuffle": True},
            [
                [1, 8, 7, 12, 5, 11, 2, 9, 3, 13, 0, 6, 10, 4],
                [8, 2, 11, 4, 10, 0, 3, 12, 5, 7, 6, 13, 1, 9],
            ],
        ),
        (
            {"shuffle": Shuffle.INFILE},
            [
                [1, 3, 2, 0, 6, 4, 5, 11, 7, 8, 10, 9, 13, 12],
                [3, 1, 2, 0, 5, 6, 4, 8, 11, 7, 9, 10, 12, 13],
            ],
        ),
        ({"num_shards": 3, "shard_id": 1}, [[8, 5, 9, 0, 4], [6, 12, 3, 11, 7]]),
        (
            {"shuffle": Shuffle.FILES, "num_shards": 3, "shard_id": 1},
            [[5, 13, 9, 0, 3], [5, 1, 7, 10, 13]],
        ),
        (
            {"shuffle": Shuffle.INFILE, "num_shards": 3, "shard_id": 1},
            [[3, 6, 11, 10, 12], [0, 6, 9, 11, 12]],
        ),
        ({"sampler": ds.SubsetRandomSampler([3, 1, 9, 8])}, [[1, 8, 9, 3], [1, 8, 9, 3]]),
        ({"sampler": ds.SubsetSampler([3, 1, 9, 8])}, [[3, 1, 9, 8], [3, 1, 9, 8]]),
        ({"sampler": ds.RandomSampler(num_samples=4)}, [[1, 8, 7, 12], [8, 1, 7, 12]]),
        ({"sampler": ds.SequentialSampler(2, 5)}, [[2, 3, 4, 5, 6]] * 2),
    ],
)
def test_seeded_orders_are_the_originals(files, arguments, epochs):
    ds.config.set_seed(5)
    assert numbers(ds.MindDataset(files, **arguments), 2) == epochs


def test_first_epochs_of_draws_are_the_originals(files):
    ds.config.set_seed(5)
    assert numbers(ds.MindDataset(files, num_samples=5)) == [12, 1, 12, 0, 10]
    ds.config.set_seed(5)
    assert numbers(ds.MindDataset(files, shuffle=Shuffle.FILES)) == [
        4,
        5,
        6,
        12,
        13,
        7,
        8,
        9,
        10,
        11,
        0,
        1,
        2,
        3,
    ]


def test_parts_are_shuffled(files):
    found = numbers(ds.MindDataset(files, shuffle=Shuffle.PARTIAL), 2)
    assert all(sorted(each) == list(range(14)) for each in found) and found[0] != found[1]


def test_rows_of_classes(files):
    dataset = ds.MindDataset(files, sampler=ds.PKSampler(2, class_column="c"))
    assert dataset.get_dataset_size() == 6
    assert [number % 3 for number in numbers(dataset)] == [0, 0, 1, 1, 2, 2]
    with pytest.raises(RuntimeError, match="class_column"):
        numbers(ds.MindDataset(files, sampler=ds.PKSampler(2, class_column="b")))


def test_images_are_decoded(tmp_path):
    pictures = [np.full((6, 4, 3), 40 * number, np.uint8) for number in range(3)]
    writer = mindrecord.FileWriter(str(tmp_path / "images"))
    writer.add_schema({"image": {"type": "bytes"}, "label": {"type": "int32"}})
    rows = []
    image = pytest.importorskip("PIL.Image")
    for number, picture in enumerate(pictures):
        content = io.BytesIO()
        image.fromarray(picture).save(content, "BMP")  # ends with zero bytes
        rows.append({"image": content.getvalue(), "label": number})
    writer.write_raw_data(rows)
    writer.commit()
    dataset = ds.MindDataset(str(tmp_path / "images"), shuffle=False)
    dataset = dataset.map(ds.vision.Decode(), "image").batch(3)
    (batch,) = dataset.create_dict_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(batch["image"], pictures)
    assert batch["label"].tolist() == [0, 1, 2]


def test_padding_makes_shares_equal(files):
    padded = {"k": -1, "b": b"none"}
    made = [
        ds.MindDataset(
            files,
            ["k", "b"],
            shuffle=False,
            num_shards=4,
            shard_id=shard,
            padded_sample=padded,
            num_padded=2,
        )
        for shard in range(4)
    ]
    assert [numbers(each) for each in made] == [
        [0, 4, 8, 12],
        [1, 5, 9, 13],
        [2, 6, 10, -1],
        [3, 7, 11, -1],
    ]
    row = list(made[3].create_dict_iterator(output_numpy=True, num_epochs=1))[-1]
    assert row["k"].dtype == np.int32 and row["b"].tolist() == [b"none"]
    with pytest.raises(RuntimeError, match="multiple"):
        numbers(
            ds.MindDataset(
                files, ["k"], num_shards=4, shard_id=0, padded_sample={"k": 0}, num_padded=1
            )
        )


def padding(files, column, value):
    """The value of a column in a padding row."""
    padded = {"other": None, column: value}  # more columns than are read
    dataset = ds.MindDataset(files, [column], shuffle=False, padded_sample=padded, num_padded=1)
    *_, row = dataset.create_dict_iterator(output_numpy=True, num_epochs=1)
    return row[column]


@pytest.mark.parametrize(
    "column, value, expected",
    [
        ("k", -3, np.int32(-3)),
        ("c", 3, np.array("3")),
        ("b", b"xy", np.array([b"xy"])),
        ("a", np.full((1, 2), 7.0), np.array([7, 7])),
    ],
)
def test_a_padding_row_has_the_types_of_the_columns(files, column, value, expected):
    found = padding(files, column, value)
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize(
    "column, value",
    [("k", "x"), ("k", 2.5), ("k", np.arange(2)), ("c", b"x"), ("b", "x"), ("a", 1.0)],
)
def test_a_value_for_padding_must_fit_its_column(files, column, value):
    with pytest.raises(RuntimeError, match=f"MindDataset.*'{column}' in 'padded_sample'"):
        padding(files, column, value)


def test_a_split_does_not_overlap(files):
    one, other = ds.MindDataset(files).split([10, 4])
    assert sorted(numbers(one) + numbers(other)) == list(range(14))


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"columns_list": "k"}, TypeError),
        ({"columns_list": ["no"]}, RuntimeError),
        ({"columns_list": ["k", "k"]}, ValueError),
        ({"shuffle": 1}, TypeError),
        ({"num_shards": 2}, RuntimeError),
        ({"shard_id": 1}, RuntimeError),
        ({"num_shards": 2, "shard_id": 2}, ValueError),
        ({"num_padded": 1}, RuntimeError),
        ({"padded_sample": {"k": 1}}, RuntimeError),
        ({"padded_sample": {"k": 1}, "num_padded": 1}, RuntimeError),
        ({"columns_list": ["k", "a"], "padded_sample": {"k": 1}, "num_padded": 1}, ValueError),
        ({"columns_list": ["k"], "padded_sample": {"k": 1}, "num_padded": -1}, ValueError),
        ({"columns_list": ["k"], "padded_sample": [1], "num_padded": 1}, TypeError),
        ({"num_samples": -1}, ValueError),
        ({"num_samples": 1.5}, TypeError),
        ({"num_parallel_workers": 0}, ValueError),
        ({"num_samples": 2, "shuffle": Shuffle.FILES}, ValueError),
        ({"sampler": ds.RandomSampler(), "shuffle": False}, RuntimeError),
        ({"sampler": ds.SequentialSampler(), "num_samples": 2}, RuntimeError),
        ({"sampler": [1, 2]}, ValueError),
        ({"sampler": ds.WeightedRandomSampler([1.0])}, ValueError),
    ],
)
def test_arguments_are_refused(files, arguments, error):
    with pytest.raises(error):
        ds.MindDataset(files, **arguments)


@pytest.mark.parametrize(
    "paths, error",
    [("none", ValueError), (["none"], ValueError), (5, TypeError), (["x", 5], TypeError)],
)
def test_files_must_be_there(paths, error):
    with pytest.raises(error):
        ds.MindDataset(paths)


def test_files_must_be_alike(files, tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "other"))
    writer.add_schema({"k": {"type": "int64"}})
    writer.write_raw_data([{"k": 1}])
    writer.commit()
    with pytest.raises(ValueError, match="other.*another schema"):
        ds.MindDataset([*files, str(tmp_path / "other")])


def test_the_original_gives_the_same_rows(oracle, files):
    printed = oracle(
        """
import sys, json
import mindspore.dataset as ds
ds.config.set_seed(3)
def text(value):
    return value.astype(str).tolist() if value.dtype.kind == "S" else value.tolist()
made = ds.MindDataset(sys.argv[1:])
print(json.dumps([{k: text(v) for k, v in row.items()}
                  for row in made.create_dict_iterator(num_epochs=1, output_numpy=True)]))
""",
        *files,
    )
    ds.config.set_seed(3)
    ours = [
        {
            name: value.astype(str).tolist() if value.dtype.kind == "S" else value.tolist()
            for name, value in row.items()
        }
        for row in ds.MindDataset(files).create_dict_iterator(num_epochs=1, output_numpy=True)
    ]
    assert json.loads(printed.splitlines()[-1]) == ours
