"""Dataset.save, and the rows of samplers, concatenated datasets and CSV files."""

import os

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.mindrecord import FileReader


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def slices(data, names=None):
    return ds.NumpySlicesDataset(data, names, shuffle=False)


def rows(data):
    return list(data.create_dict_iterator(num_epochs=1, output_numpy=True))


def numbers(data):
    return [int(value) for (value,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


@pytest.mark.parametrize(
    "dtype, stored",
    [
        ("bool", "int32"),
        ("uint8", "int32"),
        ("uint16", "int32"),
        ("uint32", "int64"),
        ("uint64", "int64"),
        ("float16", "float32"),
        ("float64", "float64"),
    ],
)
def test_numbers_are_stored_in_four_dtypes(dtype, stored):
    slices(np.ones((2, 3), dtype), ["a"]).save("file")
    assert FileReader("file").schema() == {"a": {"type": stored, "shape": [-1]}}
    found = rows(ds.MindDataset("file", shuffle=False))
    assert [row["a"].dtype for row in found] == [stored] * 2
    assert np.array_equal(found[0]["a"], np.ones(3))


def test_rows_of_several_columns_are_read_again():
    columns = {
        "n": np.arange(3, dtype=np.int32),
        "m": np.arange(12, dtype=np.float32).reshape(3, 2, 2),
        "s": np.array(["x", "yy", ""]),
    }
    slices(columns).save("file")
    for i, row in enumerate(rows(ds.MindDataset("file", shuffle=False))):
        assert row["n"] == i and row["s"] == columns["s"][i]
        assert np.array_equal(row["m"], columns["m"][i])


def test_batches_of_different_lengths_and_names_with_any_characters():
    slices(np.arange(4), ["a-b"]).batch(3).save("file")
    found = rows(ds.MindDataset("file", shuffle=False))
    assert [row["a-b"].tolist() for row in found] == [[0, 1, 2], [3]]
    slices(np.arange(4), ["a-b"]).save("other")
    assert len(rows(ds.MindDataset("other"))) == 4


def test_several_files_hold_all_rows():
    slices(np.arange(1500), ["n"]).save("file", num_files=2)
    assert sorted(os.listdir()) == ["file0", "file0.db", "file1", "file1.db"]
    assert sorted(numbers(ds.MindDataset("file0"))) == list(range(1500))


@pytest.mark.parametrize(
    "error, arguments",
    [
        (TypeError, (3,)),
        (TypeError, ("file", "a")),
        (TypeError, ("file", 1, 3)),
        (ValueError, ("file", 0)),
        (ValueError, ("file", 1001)),
        (ValueError, ("file", 1, "tfrecord")),
        (RuntimeError, ("",)),
        (RuntimeError, ("missing/file",)),
    ],
)
def test_wrong_arguments_of_save(error, arguments):
    with pytest.raises(error, match="For 'save'"):
        slices([1, 2]).save(*arguments)
    assert os.listdir() == []


def test_rows_that_cannot_be_saved():
    def changing():
        yield (np.ones(2),)
        yield (np.ones((2, 2)),)

    for data in (
        slices(np.array([["x", "y"]])),
        slices([1]).filter(lambda x: False),
        ds.GeneratorDataset(changing, ["x"]),
    ):
        with pytest.raises(RuntimeError, match="For 'save'"):
            data.save("file")
        assert os.listdir() == []
    slices([1]).save("file")
    with pytest.raises(RuntimeError, match="must not exist yet"):
        slices([1]).save("file")


@pytest.mark.parametrize("shards, parts", [(2, (5, 4)), (4, (2, 2, 5)), (3, (1, 4))])
def test_shares_of_concatenated_datasets_repeat_no_row(shards, parts):
    taken = []
    for shard in range(shards):
        data = slices(np.arange(parts[0]))
        for number, part in enumerate(parts[1:], 1):
            data = data + slices(np.arange(part) + 10 * number)
        data.use_sampler(ds.DistributedSampler(shards, shard, False))
        found = numbers(data)
        assert data.get_dataset_size() == len(found)
        taken += found
    assert len(taken) == len(set(taken)) == sum(parts)


def test_a_share_with_an_offset_is_not_empty():
    def share(shard, offset):
        return numbers(
            ds.NumpySlicesDataset(
                np.arange(10), sampler=ds.DistributedSampler(12, shard, False, offset=offset)
            )
        )

    assert [share(0, 1), share(1, 1), share(2, 1)] == [[0], [0], [1]]
    assert [share(0, 2), share(1, 2), share(2, 2)] == [[0], [0], [0]]


def test_a_random_subset_takes_the_first_indices():
    sampler = ds.SubsetRandomSampler([3, 1, 5, 7], num_samples=2)
    assert sorted(numbers(ds.NumpySlicesDataset(np.arange(10), sampler=sampler))) == [1, 3]


def test_batches_without_rows_and_of_sizes_from_a_function():
    data = slices(np.arange(3)).batch(4, drop_remainder=True)
    assert (numbers(data), data.output_shapes(), data.output_types()) == ([], [], [])
    assert slices(np.arange(3)).batch(lambda info: 2).get_batch_size() == -1


def test_nothing_to_concatenate_is_refused():
    with pytest.raises(RuntimeError, match="'concat'"):
        numbers(slices([1, 2]).concat([]))


def test_a_filter_that_returns_an_array_is_refused():
    with pytest.raises(RuntimeError, match="'filter'"):
        numbers(slices(np.ones((2, 2))).filter(lambda x: x > 0))


def test_numbers_of_csv_files_end_where_they_end():
    with open("table.csv", "w") as file:
        file.write("2.5,2.5\n 7, 7\n3x,3x\n-4,-4e1z\n")
    data = ds.CSVDataset(
        "table.csv", column_defaults=[0, 0.0], column_names=["i", "f"], shuffle=False
    )
    found = rows(data)
    assert [int(row["i"]) for row in found] == [2, 7, 3, -4]
    assert [float(row["f"]) for row in found] == [2.5, 7.0, 3.0, -40.0]
    with pytest.raises(RuntimeError, match="must differ"):
        rows(ds.CSVDataset("table.csv", column_names=["a", "a"]))
