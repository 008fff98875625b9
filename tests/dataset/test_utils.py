"""LineReader: lines by number, line ends, rejected calls."""

import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset.utils import LineReader


@pytest.fixture
def reader(tmp_path):
    (tmp_path / "lines.txt").write_bytes("one\n\nthree é\r\nlast".encode())
    return LineReader(str(tmp_path / "lines.txt"))


def test_lines_are_read_by_number(reader):
    assert ds.LineReader is LineReader
    assert len(reader) == reader.len() == 4
    assert [reader.readline(number) for number in (4, 1, 3, 2)] == ["last", "one", "three é", ""]
    assert reader[3] == "three é"


def test_a_closed_file_is_opened_again(reader):
    assert reader[1] == "one"
    reader.close()
    reader.close()
    assert reader[1] == "one"


def test_it_feeds_a_dataset(reader):
    class Lines:
        def __len__(self):
            return reader.len()

        def __getitem__(self, index):
            return reader.readline(index + 1)

    data = ds.GeneratorDataset(Lines(), "text", shuffle=False)
    assert [str(row[0]) for row in data.create_tuple_iterator(output_numpy=True)][2] == "three é"


def test_an_empty_file_has_no_lines(tmp_path):
    (tmp_path / "empty.txt").write_bytes(b"")
    assert LineReader(str(tmp_path / "empty.txt")).len() == 0


@pytest.mark.parametrize(
    "line, error",
    [(0, ValueError), (5, ValueError), (-1, ValueError), ("1", TypeError), (1.0, TypeError)],
)
def test_other_numbers_are_refused(reader, line, error):
    with pytest.raises(error, match="'line'"):
        reader.readline(line)


def test_only_files_are_read(tmp_path):
    for name, error in (
        (str(tmp_path), RuntimeError),
        (str(tmp_path / "none"), RuntimeError),
        (1, TypeError),
    ):
        with pytest.raises(error, match="'filename'"):
            LineReader(name)
