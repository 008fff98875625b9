"""MindDataset with MS_DEV_MINDRECORD_SHARD_BY_BLOCK: each process reads a block of rows.

The expected rows are those of MindSpore 2.10.
"""

import pytest

from mindspore_compat import dataset as ds
from mindspore_compat import mindrecord


@pytest.fixture
def rows(tmp_path, monkeypatch):
    """A function that returns the rows of one process, of the rows 0 to 6."""
    monkeypatch.setenv("MS_DEV_MINDRECORD_SHARD_BY_BLOCK", "True")
    path = str(tmp_path / "rows.mindrecord")
    writer = mindrecord.FileWriter(path)
    writer.add_schema({"number": {"type": "int32"}})
    writer.write_raw_data([{"number": number} for number in range(7)])
    writer.commit()

    def read(**settings):
        data = ds.MindDataset(path, **settings)
        return [int(row) for (row,) in data.create_tuple_iterator(output_numpy=True)]

    return read


@pytest.mark.parametrize(
    "count, expected",
    [
        (2, [[0, 1, 2, 3], [4, 5, 6, 0]]),
        (3, [[0, 1, 2], [3, 4, 5], [6, 0, 1]]),
        (4, [[0, 1], [2, 3], [4, 5], [6, 0]]),
    ],
)
def test_blocks(rows, count, expected):
    found = [rows(shuffle=False, num_shards=count, shard_id=i) for i in range(count)]
    assert found == expected


def test_samples_and_offsets(rows):
    assert rows(shuffle=False, num_shards=2, shard_id=1, num_samples=2) == [4, 5]
    assert rows(sampler=ds.DistributedSampler(2, 1, shuffle=False)) == [4, 5, 6, 0]
    assert rows(sampler=ds.DistributedSampler(2, 1, shuffle=False, offset=0)) == [4, 5, 6]


def test_without_the_variable_rows_alternate(rows, monkeypatch):
    monkeypatch.delenv("MS_DEV_MINDRECORD_SHARD_BY_BLOCK")
    assert rows(shuffle=False, num_shards=2, shard_id=1) == [1, 3, 5, 0]
