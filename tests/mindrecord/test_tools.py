"""Converters to MindRecord: what they read, write and reject."""

import gzip
import io
import pickle
import struct
from types import SimpleNamespace

import numpy as np
import pytest

from mindspore_compat import mindrecord
from mindspore_compat._io.tfrecord import example, frame


def read(path):
    return list(mindrecord.FileReader(str(path)).get_next())


def smooth(count, channels):
    """Images that JPEG hardly changes."""
    ramp = np.add.outer(np.arange(32), np.arange(32))[None, None] * 3
    return (ramp + np.arange(count * channels).reshape(count, channels, 1, 1) * 5).astype(np.uint8)


def check_image(data, expected):
    from PIL import Image

    found = np.asarray(Image.open(io.BytesIO(data)))
    assert np.abs(found.astype(int) - expected).mean() < 4


def test_cifar10(tmp_path):
    pytest.importorskip("PIL")
    images = smooth(5, 3)
    for name, part in (
        ("data_batch_1", slice(0, 2)),
        ("data_batch_2", slice(2, 3)),
        ("test_batch", slice(3, 5)),
    ):
        content = {b"data": images[part].reshape(-1, 3072), b"labels": list(range(5))[part]}
        (tmp_path / name).write_bytes(pickle.dumps(content, 4))
    mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "out")).transform(["label"])
    rows, others = read(tmp_path / "out"), read(tmp_path / "out_test")
    assert [(row["id"], row["label"]) for row in rows] == [(0, 0), (1, 1), (2, 2)]
    assert [(row["id"], row["label"]) for row in others] == [(0, 3), (1, 4)]
    for row, image in zip([*rows, *others], images, strict=True):
        check_image(row["data"], image.transpose(1, 2, 0))
    assert mindrecord.MindPage(str(tmp_path / "out")).candidate_fields == ["label"]


def test_cifar100(tmp_path):
    pytest.importorskip("PIL")
    for name in ("train", "test"):
        (tmp_path / name).write_bytes(
            pickle.dumps(
                {
                    b"data": smooth(2, 3).reshape(-1, 3072),
                    b"fine_labels": [5, 6],
                    b"coarse_labels": [1, 2],
                },
                4,
            )
        )
    mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "out")).transform()
    assert [(row["fine_label"], row["coarse_label"]) for row in read(tmp_path / "out_test")] == [
        (5, 1),
        (6, 2),
    ]


def test_cifar_runs_no_code(tmp_path):
    class Evil:
        def __reduce__(self):
            return exec, ("raise SystemExit",)

    for name in ("data_batch_1", "test_batch"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    with pytest.raises(RuntimeError, match="data_batch_1"):
        mindrecord.Cifar10ToMR(str(tmp_path), str(tmp_path / "out")).transform()
    with pytest.raises(ValueError, match="train"):
        mindrecord.Cifar100ToMR(str(tmp_path), str(tmp_path / "out"))


def test_mnist(tmp_path):
    pytest.importorskip("PIL")
    images = smooth(3, 1)[:, 0, :28, :28]
    for begin in ("train", "t10k"):
        with gzip.open(tmp_path / f"{begin}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">4i", 2051, 3, 28, 28) + images.tobytes())
        with gzip.open(tmp_path / f"{begin}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">2i", 2049, 3) + bytes([7, 8, 9]))
    mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "out")).transform()
    for ending in ("train", "test"):
        rows = read(tmp_path / f"out_{ending}.mindrecord")
        assert [row["label"] for row in rows] == [7, 8, 9]
        for row, image in zip(rows, images, strict=True):
            check_image(row["data"], image)
    (tmp_path / "t10k-labels-idx1-ubyte.gz").write_bytes(gzip.compress(bytes(4)))
    with pytest.raises(RuntimeError, match="t10k-labels"):
        mindrecord.MnistToMR(str(tmp_path), str(tmp_path / "other")).transform()


def test_folders_of_photographs(tmp_path):
    for index, name in enumerate(("cats", "dogs")):
        (tmp_path / name).mkdir()
        for number in range(2):
            (tmp_path / name / f"{number}.jpg").write_bytes(b"%d%d" % (index, number))
    (tmp_path / "cats" / "notes.txt").write_text("no image")
    (tmp_path / "cats" / "empty.jpg").write_bytes(b"")
    (tmp_path / "map.txt").write_text("cats 4\ndogs 9\nnone 3\n")
    arguments = [str(tmp_path / "map.txt"), str(tmp_path), str(tmp_path / "out")]
    mindrecord.ImageNetToMR(*arguments).transform()
    rows = read(tmp_path / "out")
    assert [(row["label"], row["image"]) for row in rows] == [
        (4, b"00"),
        (4, b"01"),
        (9, b"10"),
        (9, b"11"),
    ]
    assert rows[0]["file_name"] == str(tmp_path / "cats" / "0.jpg")
    with pytest.raises(ValueError, match="folders"):
        mindrecord.ImageNetToMR(
            arguments[0], str(tmp_path / "cats"), str(tmp_path / "b")
        ).transform()


TABLE = 'name,age,height,here,gap\n"A, B",3,1.5,True,1\nC,-4,2,False,\n'


def test_csv(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    mindrecord.CsvToMR(str(tmp_path / "table.csv"), str(tmp_path / "out")).transform()
    reader = mindrecord.FileReader(str(tmp_path / "out"))
    assert {name: field["type"] for name, field in reader.schema().items()} == {
        "name": "string",
        "age": "int64",
        "height": "float64",
        "here": "int32",
        "gap": "float64",
    }
    first, second = reader.get_next()
    assert first == {"name": "A, B", "age": 3, "height": 1.5, "here": 1, "gap": 1.0}
    assert second["name"] == "C" and second["here"] == 0 and np.isnan(second["gap"])


def test_csv_with_chosen_columns(tmp_path):
    (tmp_path / "table.csv").write_text(TABLE)
    mindrecord.CsvToMR(str(tmp_path / "table.csv"), str(tmp_path / "out"), ["age"], 2).transform()
    assert sorted(row["age"] for row in read(tmp_path / "out0")) == [-4, 3]


@pytest.mark.parametrize(
    "text, columns, error",
    [
        (TABLE, ["no"], RuntimeError),
        ("1,2\n3,4\n", None, ValueError),
        ("a,b\n1\n", None, RuntimeError),
        ("", None, RuntimeError),
    ],
)
def test_bad_csv_files_are_refused(tmp_path, text, columns, error):
    (tmp_path / "table.csv").write_text(text)
    with pytest.raises(error):
        mindrecord.CsvToMR(str(tmp_path / "table.csv"), str(tmp_path / "out"), columns).transform()


def feature(shape, dtype):
    return SimpleNamespace(shape=shape, dtype=SimpleNamespace(name=dtype))


def test_tfrecord(tmp_path):
    (tmp_path / "some.tfrecord").write_bytes(
        b"".join(
            frame(
                example(
                    {
                        "file/name": [b"n%d" % number],
                        "image": [b"\0\xff"],
                        "one": np.array([number]),
                        "list": np.arange(3) + number,
                        "half": np.array([0.5, number]),
                    }
                )
            )
            for number in range(4)
        )
    )
    features = {
        "file/name": feature([], "string"),
        "image": feature([], "string"),
        "one": feature([], "int64"),
        "list": feature([3], "int32"),
        "half": feature([2], "float32"),
    }
    mindrecord.TFRecordToMR(
        str(tmp_path / "some.tfrecord"), str(tmp_path / "out"), features, ["image"]
    ).transform()
    row = read(tmp_path / "out")[3]
    assert row["file_name"] == "n3" and row["image"] == b"\0\xff" and row["one"] == 3
    assert row["list"].tolist() == [3, 4, 5] and row["list"].dtype == np.int32
    assert row["half"].tolist() == [0.5, 3]
    with pytest.raises(ValueError, match="list"):
        mindrecord.TFRecordToMR(
            str(tmp_path / "some.tfrecord"), str(tmp_path / "b"), {"list": feature([2], "int64")}
        ).transform()


@pytest.mark.parametrize(
    "features, names",
    [
        (5, None),
        ({"a": 5}, None),
        ({"a": feature([2, 2], "int64")}, None),
        ({"a": feature([2], "string")}, None),
        ({"a": feature([], "complex64")}, None),
        ({"a": feature([], "int64")}, ["a"]),
        ({"a": feature([], "string")}, "a"),
    ],
)
def test_features_are_checked(features, names):
    with pytest.raises(ValueError, match="TFRecordToMR"):
        mindrecord.TFRecordToMR("source", "destination", features, names)


@pytest.mark.parametrize(
    "make",
    [
        lambda: mindrecord.Cifar10ToMR(5, "x"),
        lambda: mindrecord.MnistToMR("x", "y?"),
        lambda: mindrecord.MnistToMR("x", "y", 0),
        lambda: mindrecord.CsvToMR("x", "y", "a"),
        lambda: mindrecord.CsvToMR("x", "y", [5]),
        lambda: mindrecord.CsvToMR("x", "y", None, "1"),
        lambda: mindrecord.ImageNetToMR("x", "y", None),
    ],
)
def test_arguments_are_refused(make):
    with pytest.raises(ValueError, match="For '"):
        make()


def test_missing_sources_are_refused(tmp_path):
    for make in (
        lambda: mindrecord.CsvToMR(str(tmp_path / "x"), str(tmp_path / "y")),
        lambda: mindrecord.TFRecordToMR(
            str(tmp_path / "x"), str(tmp_path / "y"), {"a": feature([], "int64")}
        ),
    ):
        with pytest.raises(OSError, match="x"):
            make().transform()
