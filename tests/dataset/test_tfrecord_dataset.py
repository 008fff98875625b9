"""TFRecordDataset: columns with and without a schema, shards, shuffling, rejected calls."""

import gzip
import json

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat._io.tfrecord import example, frame

COUNTS = (4, 3, 5, 2)


def record(number):
    return frame(
        example(
            {
                "id": np.array([number]),
                "half": np.array([number / 2], np.float32),
                "many": np.arange(number % 3 + 1),
                "text": [b"a", b"bcd"],
                "name": [f"n{number}".encode()],
            }
        )
    )


@pytest.fixture
def files(tmp_path):
    at, paths = 0, []
    for shard, count in enumerate(COUNTS):
        path = tmp_path / f"part{shard}.tfrecord"
        path.write_bytes(b"".join(record(number) for number in range(at, at + count)))
        paths.append(str(path))
        at += count
    return paths


def rows(dataset):
    return list(dataset.create_dict_iterator(num_epochs=1, output_numpy=True))


def ids(dataset):
    return [int(row["id"].item()) for row in rows(dataset)]


def schema(**columns):
    made = ds.Schema()
    for name, (dtype, shape) in columns.items():
        made.add_column(name, dtype, shape)
    return made


def test_the_first_row_tells_the_columns(files):
    dataset = ds.TFRecordDataset(files, shuffle=False)
    assert dataset.get_col_names() == ["half", "id", "many", "name", "text"]
    row = rows(dataset)[4]
    assert {name: value.dtype.name for name, value in row.items()} == {
        "half": "float32",
        "id": "int64",
        "many": "int64",
        "name": "uint8",
        "text": "uint8",
    }
    assert row["half"].tolist() == [2.0] and row["many"].tolist() == [0, 1]
    assert row["text"].tobytes() == b"a  bcd"


def test_a_schema_gives_dtypes_and_shapes(files):
    wanted = schema(
        id=(ms.int32, []), text=("string", [2]), many=("float32", [-1]), half=("float64", None)
    )
    row = rows(ds.TFRecordDataset(files, schema=wanted, shuffle=False))[5]
    assert row["id"].shape == () and row["id"].dtype == np.int32 and row["id"] == 5
    assert row["text"].tolist() == ["a", "bcd"]
    assert row["many"].dtype == np.float32 and row["many"].tolist() == [0, 1, 2]
    assert row["half"].dtype == np.float64


@pytest.mark.parametrize("wanted", [schema(nothing=("int64", [1])), schema(many=("int64", [2]))])
def test_rows_that_do_not_agree_with_the_schema_are_refused(files, wanted):
    with pytest.raises(RuntimeError, match=r"part0\.tfrecord"):
        rows(ds.TFRecordDataset(files, schema=wanted, shuffle=False))


def test_columns_are_chosen_in_order(files):
    dataset = ds.TFRecordDataset(files[0], columns_list=["name", "id"], shuffle=False)
    assert dataset.get_col_names() == ["name", "id"]
    with pytest.raises(RuntimeError, match="columns_list"):
        ds.TFRecordDataset(files[0], columns_list=["no"]).get_col_names()


def test_the_number_of_rows_is_limited(files, tmp_path):
    whole = tmp_path / "schema.json"
    whole.write_text(json.dumps({"numRows": 3, "columns": {"id": {"type": "int64"}}}))
    assert ids(ds.TFRecordDataset(files, schema=str(whole), shuffle=False)) == [0, 1, 2]
    dataset = ds.TFRecordDataset(files, schema=str(whole), num_samples=5, shuffle=False)
    assert ids(dataset) == [0, 1, 2, 3, 4] and dataset.get_dataset_size() == 5


def test_patterns_name_files(files, tmp_path):
    assert ids(ds.TFRecordDataset(str(tmp_path / "part[02].*"), shuffle=False)) == [
        0,
        1,
        2,
        3,
        7,
        8,
        9,
        10,
        11,
    ]


def test_shares_are_files_or_equal_numbers_of_rows(files):
    def shares(**arguments):
        made = [
            ds.TFRecordDataset(files, shuffle=False, num_shards=3, shard_id=shard, **arguments)
            for shard in range(3)
        ]
        assert [len(ids(each)) for each in made] == [each.get_dataset_size() for each in made]
        return [ids(each) for each in made]

    assert shares() == [[0, 1, 2, 3, 12, 13], [4, 5, 6], [7, 8, 9, 10, 11]]
    assert shares(shard_equal_rows=True) == [[0, 1, 2, 3, 4], [5, 6, 7, 8, 9], [10, 11, 12, 13, 0]]
    assert shares(shard_equal_rows=True, num_samples=2) == [[0, 1], [5, 6], [10, 11]]


def test_shuffling_mixes_files_or_rows(files):
    ds.config.set_seed(5)
    assert ids(ds.TFRecordDataset(files, shuffle=ds.Shuffle.FILES)) == [
        12,
        13,
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
        10,
        11,
    ]
    mixed = ids(ds.TFRecordDataset(files))
    assert sorted(mixed) == list(range(14)) and mixed != list(range(14))
    assert np.abs(np.diff(mixed)).max() > 1
    assert ids(ds.TFRecordDataset(files, shuffle=None)) == mixed


def test_shuffled_shares_do_not_overlap(files):
    found = [ids(ds.TFRecordDataset(files, num_shards=2, shard_id=shard)) for shard in (0, 1)]
    assert sorted(found[0] + found[1]) == list(range(14))


def test_compressed_files_are_read(tmp_path):
    path = tmp_path / "packed.tfrecord"
    path.write_bytes(gzip.compress(b"".join(map(record, range(3)))))
    dataset = ds.TFRecordDataset(str(path), shuffle=False, compression_type="GZIP")
    assert ids(dataset) == [0, 1, 2] and dataset.get_dataset_size() == 3
    with pytest.raises(ValueError, match=r"packed\.tfrecord"):
        rows(ds.TFRecordDataset(str(path)))


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"num_shards": 2}, RuntimeError),
        ({"shard_id": 0}, RuntimeError),
        ({"num_shards": 2, "shard_id": 2}, ValueError),
        ({"compression_type": "gzip"}, ValueError),
        ({"num_samples": -1}, ValueError),
        ({"shuffle": 5}, TypeError),
        ({"schema": 5}, TypeError),
        ({"schema": "none.json"}, ValueError),
        ({"columns_list": "id"}, TypeError),
        ({"columns_list": ["id", "id"]}, ValueError),
        ({"shard_equal_rows": 1}, TypeError),
        ({"num_shards": 5, "shard_id": 0, "compression_type": "GZIP"}, ValueError),
        ({"dataset_files": [1], "compression_type": "gzip"}, ValueError),
        ({"dataset_files": [1]}, TypeError),
    ],
)
def test_arguments_are_refused(files, arguments, error):
    with pytest.raises(error):
        ds.TFRecordDataset(**{"dataset_files": files, **arguments})


@pytest.mark.parametrize("paths, error", [("none", ValueError), (5, TypeError), ([], ValueError)])
def test_files_must_be_there(paths, error):
    with pytest.raises(error, match="dataset_files"):
        ds.TFRecordDataset(paths)


def test_more_shares_than_files_need_equal_rows(files):
    with pytest.raises(RuntimeError, match="shares"):
        rows(ds.TFRecordDataset(files, num_shards=5, shard_id=0))


def test_the_original_gives_the_same_rows(oracle, files):
    printed = oracle(
        """
import sys, json
import mindspore.dataset as ds
made = ds.TFRecordDataset(sys.argv[1:], shuffle=False, num_parallel_workers=1)
print(json.dumps([{k: v.tolist() for k, v in row.items()}
                  for row in made.create_dict_iterator(num_epochs=1, output_numpy=True)]))
""",
        *files,
    )
    ours = [
        {name: value.tolist() for name, value in row.items()}
        for row in rows(ds.TFRecordDataset(files, shuffle=False))
    ]
    assert json.loads(printed.splitlines()[-1]) == ours
