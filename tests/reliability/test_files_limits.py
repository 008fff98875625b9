"""Malicious files: limits on memory, paths, code and nesting."""

import contextlib
import gzip
import io
import json
import os
import sqlite3
import struct
import tracemalloc
import zlib

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn
from mindspore_compat._io import matlab, mindir
from mindspore_compat._io.compressed import Inflated
from mindspore_compat._io.reading import (
    check_growth,
    content,
    lines,
    most_bytes,
    reading,
    set_position,
)
from mindspore_compat._io.tfrecord import example, frame, records
from mindspore_compat.dataset import vision
from mindspore_compat.dataset._headers import pixels_of
from mindspore_compat.mindrecord import FileReader, FileWriter, MindPage, MnistToMR

MIB = 1 << 20


# The guard ----------------------------------------------------------------------------------------


def test_an_error_names_the_file_and_the_line(tmp_path):
    path = tmp_path / "list.txt"
    path.write_text("a 1\nb seven\n")
    with pytest.raises(RuntimeError, match=r"list\.txt' cannot be read at line 2: invalid literal"):
        with reading(tmp_path):
            for line in lines(str(path)):
                int(line.split()[1])


@pytest.mark.parametrize("path", [".", "a"])
def test_a_short_name_is_not_taken_for_a_part_of_the_message(path):
    with pytest.raises(RuntimeError, match=f"^'{path}' cannot be read: a number, not '0.5'$"):
        with reading(path):
            raise ValueError("a number, not '0.5'")
    with pytest.raises(ValueError, match="^In '[a.]/x' a number"):
        with reading(path):
            raise ValueError(f"In '{path}/x' a number is missing")


def test_text_that_is_no_utf8_is_reported_with_its_line(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_bytes(b"one\ntwo\nthr\xff\n")
    with pytest.raises(RuntimeError, match=r"lines\.txt' cannot be read at line 3: it is not UTF"):
        list(ds.TextFileDataset(str(path), shuffle=False).create_tuple_iterator(num_epochs=1))


@pytest.mark.parametrize(
    "error, message",
    [
        (KeyError("x"), "it has no 'x'"),
        (MemoryError(), "more memory than there is"),
        (RecursionError("deep"), "nested too deeply"),
        (OverflowError("too large"), "too large"),
        (StopIteration(), "StopIteration"),
        (OSError(5, "Input/output error"), "Input/output error"),
        (ValueError("x" * 1000), r"x{300}\.\.\.$"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_errors_of_libraries_become_the_documented_one(error, message):
    with pytest.raises(ValueError, match=f"'/a/file' is damaged at line 7: .*{message}") as caught:
        with reading("/a/file", ValueError, "is damaged"):
            set_position("/a/file", 7)
            raise error
    assert type(caught.value) is ValueError and caught.value.__cause__ is error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("'/a/file' is too long"),
        ValueError("/a/file: no"),
        ImportError("no OpenCV"),
        KeyboardInterrupt(),
        FileNotFoundError("there is no '/a/file'"),
    ],
)
def test_what_is_reported_already_passes(error):
    with pytest.raises(type(error)) as caught, reading("/a/file"):
        raise error
    assert caught.value is error


def test_guards_lie_in_each_other(tmp_path):
    (tmp_path / "inner").write_bytes(b"x")
    with pytest.raises(RuntimeError, match="outer' cannot be read: later"):
        with reading("outer"):
            with reading():
                assert content(tmp_path / "inner") == b"x"
            raise ValueError("later")


# Growth -------------------------------------------------------------------------------------------


def test_the_bound_follows_from_the_size_and_the_setting(monkeypatch):
    assert most_bytes(1000) == 256 * MIB and most_bytes(16 * MIB) == 1024 * MIB
    check_growth(256 * MIB, 10)
    with pytest.raises(ValueError, match="MINDSPORE_COMPAT_READ_LIMIT"):
        check_growth(256 * MIB + 1, 10)
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "1")
    assert most_bytes(1000) == MIB
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "4096")
    check_growth(4096 * MIB, 10)


COMPRESS = {"GZIP": gzip.compress, "ZLIB": zlib.compress}


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_record_that_grows_too_far_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "1")
    path = tmp_path / "bomb.tfrecord"
    path.write_bytes(COMPRESS[kind](frame(example({"x": [bytes(4 * MIB)]}))))
    with pytest.raises(ValueError, match=r"bomb\.tfrecord.*damaged at record 0.*READ_LIMIT"):
        next(ds.TFRecordDataset(str(path), compression_type=kind).create_tuple_iterator())
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "5")
    row = next(ds.TFRecordDataset(str(path), compression_type=kind).create_tuple_iterator())
    assert row[0].shape == (4 * MIB,)


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_compressed_stream_is_not_held_whole(tmp_path, kind):
    path = tmp_path / "stream"
    path.write_bytes(COMPRESS[kind](bytes(16 * MIB)))
    tracemalloc.start()
    with Inflated(str(path), kind) as file:
        assert all(file.read(1 << 14) == bytes(1 << 14) for _ in range(1 << 10))
        assert file.read(1) == b""
    assert tracemalloc.get_traced_memory()[1] < 2 * MIB
    tracemalloc.stop()


@pytest.mark.parametrize("kind", COMPRESS)
def test_a_stream_that_is_cut_short_is_refused(tmp_path, kind):
    path = tmp_path / "short.tfrecord"
    data = frame(example({"x": [os.urandom(2000)]}))
    path.write_bytes(COMPRESS[kind](data * 3)[:-100])
    with pytest.raises(ValueError, match=r"short\.tfrecord.*damaged at record"):
        list(records(str(path), kind))
    path.write_bytes(COMPRESS[kind](data * 3))
    assert len(list(records(str(path), kind))) == 3


def test_images_of_mnist_that_grow_too_far_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "1")
    for part in ("train", "t10k"):
        with gzip.open(tmp_path / f"{part}-images-idx3-ubyte.gz", "wb") as file:
            file.write(struct.pack(">4I", 2051, 6000, 28, 28) + bytes(6000 * 784))
        with gzip.open(tmp_path / f"{part}-labels-idx1-ubyte.gz", "wb") as file:
            file.write(struct.pack(">2I", 2049, 6000) + bytes(6000))
    with pytest.raises(RuntimeError, match=r"train-images.*asks for 4704000 bytes"):
        MnistToMR(str(tmp_path), str(tmp_path / "out")).transform()


# Images -------------------------------------------------------------------------------------------


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


LARGE = 60000
HUGE = {
    "png": b"\x89PNG\r\n\x1a\n"
    + chunk(b"IHDR", struct.pack(">IIBBBBB", LARGE, LARGE, 8, 2, 0, 0, 0))
    + chunk(b"IDAT", zlib.compress(bytes(1000)))
    + chunk(b"IEND", b""),
    "bmp": struct.pack(
        "<2sIHHIIiiHHIIiiII", b"BM", 54, 0, 0, 54, 40, LARGE, -LARGE, 1, 24, 0, 0, 0, 0, 0, 0
    )
    + bytes(100),
    "jpeg": b"\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0\0\x11\x08"
    + struct.pack(">HH", LARGE, LARGE)
    + b"\3\1\x11\0\2\x11\1\3\x11\1"
    + bytes(50),
    "gif": b"GIF89a" + struct.pack("<HH", LARGE, LARGE) + bytes(50),
    "tiff": b"II*\0\x08\0\0\0"
    + struct.pack("<HHHIIHHII", 2, 256, 4, 1, LARGE, 257, 4, 1, LARGE)
    + bytes(50),
    "ppm": b"P6\n%d # wide\n%d\n255\n" % (LARGE, LARGE) + bytes(50),
}


@pytest.mark.parametrize("kind", HUGE)
def test_an_image_that_asks_for_gigabytes_is_refused(tmp_path, kind):
    pytest.importorskip("cv2")
    assert pixels_of(HUGE[kind]) == LARGE * LARGE
    data = np.frombuffer(HUGE[kind], np.uint8)
    for operation in (vision.Decode(), vision.RandomCropDecodeResize(4)):
        with pytest.raises(RuntimeError, match="asks for 10800000000 bytes"):
            operation(data)
    path = tmp_path / "one" / "huge.img"
    path.parent.mkdir()
    path.write_bytes(HUGE[kind])
    with pytest.raises(RuntimeError, match=r"huge\.img.*asks for"):
        vision.read_image(str(path))
    with pytest.raises(RuntimeError, match=r"huge\.img.*asks for"):
        next(ds.ImageFolderDataset(str(tmp_path), decode=True).create_tuple_iterator())
    with pytest.raises(RuntimeError, match="Pillow"):
        vision.Decode(to_pil=True)(data)


def test_headers_tell_the_size_that_libraries_decode():
    cv2, image = pytest.importorskip("cv2"), pytest.importorskip("PIL.Image")
    pixels = np.zeros((37, 53, 3), np.uint8)
    made = {
        kind: cv2.imencode(f".{kind}", pixels)[1].tobytes()
        for kind in "bmp png jpg tiff webp ppm sr jp2 pam".split()
    }
    for kind, more in (
        ("GIF", {}),
        ("JPEG", {"progressive": True}),
        ("WEBP", {"quality": 50}),
        ("WEBP", {"exif": b"Exif\0\0"}),
        ("TIFF", {"big_tiff": True}),
    ):
        file = io.BytesIO()
        image.fromarray(pixels).save(file, kind, **more)
        made[f"{kind} {more}"] = file.getvalue()
    assert {kind: pixels_of(data) for kind, data in made.items()} == dict.fromkeys(made, 37 * 53)
    assert all(pixels_of(data[:at]) <= 37 * 53 for data in made.values() for at in range(80))


# MindIR -------------------------------------------------------------------------------------------


def with_outer_weights(folder, location):
    """A graph whose weights are in another file."""
    ms.export(
        nn.Dense(3, 2),
        Tensor(np.ones((1, 3), np.float32)),
        file_name=str(folder / "net"),
        file_format="MINDIR",
    )
    path = folder / "net.mindir"
    model = mindir.parse(memoryview(path.read_bytes()))
    weight = model.graph.parameter[0]
    raw, weight.raw_data = bytes(weight.raw_data), None
    weight.external_data = mindir.Message(
        "External", location=str(location), offset=4, length=len(raw)
    )
    path.unlink()
    path.write_bytes(b"".join(map(bytes, mindir.pieces(model))))
    return raw


def test_weights_lie_beside_the_graph_or_below(tmp_path):
    folder = tmp_path / "model"
    (folder / "parts").mkdir(parents=True)
    raw = with_outer_weights(folder, "parts/weights")
    (folder / "parts" / "real").write_bytes(b"head" + raw)
    (folder / "parts" / "weights").symlink_to("real")
    net = nn.GraphCell(ms.load(str(folder / "net.mindir")))
    assert net(Tensor(np.ones((1, 3), np.float32))).shape == (1, 2)


@pytest.mark.parametrize("kind", ["up", "absolute", "link", "folder link"])
def test_weights_outside_of_the_folder_are_refused(tmp_path, kind):
    folder, secret = tmp_path / "model", tmp_path / "secret"
    folder.mkdir()
    secret.write_bytes(bytes(100))
    location = {
        "up": "../secret",
        "absolute": secret,
        "link": "weights",
        "folder link": "up/secret",
    }[kind]
    with_outer_weights(folder, location)
    (folder / "weights").symlink_to(secret)
    (folder / "up").symlink_to(tmp_path)
    with pytest.raises(RuntimeError, match=r"net\.mindir.*outside of the folder"):
        ms.load(str(folder / "net.mindir"))


# MindRecord ---------------------------------------------------------------------------------------


def mindrecord(folder, field="label"):
    path = str(folder / "rows.mindrecord")
    writer = FileWriter(path, 1)
    writer.add_schema({field: {"type": "int32"}, "data": {"type": "bytes"}}, "rows")
    writer.add_index([field])
    writer.write_raw_data([{field: number, "data": b"x"} for number in range(3)])
    writer.commit()
    return path


ENDLESS = "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT n FROM t"
HARMFUL = {
    "view": ["ALTER TABLE INDEXES RENAME TO kept", "CREATE VIEW INDEXES AS SELECT * FROM kept"],
    "endless view": ["DROP TABLE INDEXES", f"CREATE VIEW INDEXES(ROW_ID) AS {ENDLESS}"],
    "computed": ["ALTER TABLE INDEXES ADD COLUMN more AS (hex(zeroblob(1 << 29)))"],
    "trigger": ["CREATE TRIGGER each AFTER INSERT ON INDEXES BEGIN DELETE FROM INDEXES; END"],
    "no table": ["DROP TABLE INDEXES"],
    "no column": ["ALTER TABLE INDEXES RENAME COLUMN PAGE_ID_RAW TO other"],
}
DAMAGED = {
    "text": ["UPDATE INDEXES SET PAGE_ID_RAW = 'x'"],
    "too large": ["UPDATE INDEXES SET PAGE_ID_RAW = 1 << 62"],
    "negative": ["UPDATE INDEXES SET PAGE_OFFSET_RAW = -1"],
}


def changed(path, statements):
    """A MindRecord file whose index is changed by SQL."""
    with contextlib.closing(sqlite3.connect(f"{path}.db")) as base:
        for statement in statements:
            base.execute(statement)
        base.commit()
    return path


@pytest.mark.parametrize("kind", HARMFUL)
def test_an_index_is_nothing_but_a_table(tmp_path, kind):
    path = changed(mindrecord(tmp_path), HARMFUL[kind])
    with pytest.raises(RuntimeError, match="rows.mindrecord"):
        FileReader(path)
    with pytest.raises(RuntimeError, match="rows.mindrecord"):
        FileWriter.open_for_append(path)


@pytest.mark.parametrize("kind", DAMAGED)
def test_an_index_tells_offsets_in_the_file(tmp_path, kind):
    path = changed(mindrecord(tmp_path), DAMAGED[kind])
    with pytest.raises(RuntimeError, match="rows.mindrecord"):
        FileReader(path)


def test_a_query_has_a_bound(tmp_path, monkeypatch):
    from mindspore_compat._io import mindrecord_index

    path = mindrecord(tmp_path)
    assert len(FileReader(path)._records) == 3
    monkeypatch.setattr(mindrecord_index, "_STEPS", 0)
    monkeypatch.setattr(mindrecord_index, "_STEPS_A_BYTE", 0)
    monkeypatch.setattr(mindrecord_index, "_AT_ONCE", 1)
    with pytest.raises(RuntimeError, match="rows.mindrecord.db.*interrupted"):
        FileReader(path)


def test_names_of_fields_are_no_sql(tmp_path):
    path = mindrecord(tmp_path)
    with open(path, "r+b") as file:
        length = int.from_bytes(file.read(8), "little")
        header = json.loads(file.read(length))
        name = 'label_0, (SELECT sql FROM sqlite_master) AS "x'
        header["schema"][0]["schema"][name] = {"type": "int32"}
        header["index_fields"][0]["index_field"] = name
        text = json.dumps(header).encode()
        file.seek(0)
        file.write(len(text).to_bytes(8, "little") + text)
    pages = MindPage(path)
    with pytest.raises(RuntimeError, match="INDEXES has no column"):
        pages.category_field = name


# Nesting ------------------------------------------------------------------------------------------


DEEP = "[" * 200_000


def test_deep_json_is_refused(tmp_path):
    path = tmp_path / "deep.json"
    path.write_text('{"images": ' + DEEP)
    for read in (
        lambda: ds.Schema(str(path)),
        lambda: ds.config.load(str(path)),
        lambda: ds.CocoDataset(str(tmp_path), str(path)).get_dataset_size(),
        lambda: ds.ManifestDataset(str(path)).get_dataset_size(),
        lambda: list(ds.CLUEDataset(str(path))),
    ):
        with pytest.raises(RuntimeError, match=r"deep\.json.*nested too deeply") as caught:
            read()
        assert type(caught.value) is RuntimeError


def test_deep_messages_are_refused(tmp_path):
    content = b""
    for _ in range(5000):
        content = mindir.bytes_field(17, content)
    path = tmp_path / "deep.mindir"
    path.write_bytes(mindir.bytes_field(7, mindir.bytes_field(8, content)))
    with pytest.raises(RuntimeError, match=r"deep\.mindir.*nested too deeply") as caught:
        ms.load(str(path))
    assert type(caught.value) is RuntimeError


# Files of MATLAB ----------------------------------------------------------------------------------


def element(kind, data):
    return struct.pack("<II", kind, len(data)) + data + bytes(-len(data) % 8)


def array(kind, shape, *parts, name=b"a", flags=0):
    head = element(6, struct.pack("<II", kind | flags, 0))
    return element(
        14,
        head
        + element(5, struct.pack(f"<{len(shape)}i", *shape))
        + element(1, name)
        + b"".join(parts),
    )


def matlab_file(path, *arrays):
    path.write_bytes(bytes(b"MATLAB 5.0".ljust(124)) + b"\0\1IM" + b"".join(arrays))
    return str(path)


def numbers(*values):
    return element(5, struct.pack(f"<{len(values)}i", *values))


def test_what_scipy_writes_is_read(tmp_path):
    scipy_io = pytest.importorskip("scipy.io")
    import scipy.sparse

    parts = np.empty((1, 2), object)
    parts[0, 0], parts[0, 1] = np.arange(3.0), "text"
    contents = {
        "a": np.arange(6.0).reshape(2, 3),
        "b": {"x": 1, "y": parts},
        "c": "some text",
        "d": scipy.sparse.csc_array(np.eye(3)),
        "e": np.ones((2, 2)) * 1j,
        "f": np.zeros((0, 0)),
        "g": np.array([[True]]),
        "h": np.arange(300, dtype=np.uint16),
    }
    for compress in (False, True):
        path = tmp_path / "some.mat"
        scipy_io.savemat(path, contents, do_compression=compress)
        found = matlab.load(str(path))
        assert sorted(name for name in found if name[0] != "_") == sorted(contents)
        assert found["a"].tolist() == contents["a"].tolist() and found["c"][0] == "some text"
        assert found["d"].toarray().tolist() == np.eye(3).tolist()
        assert found["b"]["y"][0, 0][0, 1][0] == "text"
    scipy_io.savemat(tmp_path / "old.mat", {"a": np.arange(4.0)}, format="4")
    assert matlab.load(str(tmp_path / "old.mat"))["a"].ravel().tolist() == [0, 1, 2, 3]


def nested(depth):
    made = array(6, (1, 1), element(9, bytes(8)))
    for _ in range(depth):
        made = array(1, (1, 1), made)
    return made


LYING = {
    "nesting": (nested(100), "nested more than"),
    "kind of numbers": (array(6, (1, 2), element(14, bytes(16))), "of kind 14"),
    "too few numbers": (array(6, (9, 9), element(9, bytes(16))), "has 2 numbers"),
    "shape": (array(6, (-1, 2), element(9, bytes(16))), "shape"),
    "cells": (array(1, (1 << 16, 1 << 15)), "entries"),
    "fields": (array(2, (1, 1), numbers(0), element(1, b"abcd")), "names of fields"),
    "rows of a sparse array": (
        array(5, (3, 1), numbers(99), numbers(0, 1), element(9, bytes(8))),
        "in row 99",
    ),
    "columns of a sparse array": (
        array(5, (3, 1), numbers(1), numbers(0, 900), element(9, bytes(8))),
        "other indices",
    ),
    "class": (array(17, (1, 1)), "class 17"),
    "length": (struct.pack("<II", 14, 1 << 31) + bytes(50), "bytes left"),
    "compression": (struct.pack("<II", 15, 50) + bytes(50), "compressed"),
}


@pytest.mark.parametrize("kind", LYING)
def test_files_that_lie_do_not_reach_scipy(tmp_path, kind):
    made, message = LYING[kind]
    path = matlab_file(tmp_path / "lying.mat", made)
    with pytest.raises(ValueError, match=message):
        matlab.load(path)


def test_compressed_arrays_have_a_bound(tmp_path, monkeypatch):
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "1")
    bomb = zlib.compress(array(6, (1, 1 << 20), element(9, bytes(8 << 20))))
    path = matlab_file(tmp_path / "bomb.mat", struct.pack("<II", 15, len(bomb)) + bomb)
    with pytest.raises(ValueError, match="more than"):
        matlab.load(path)


@pytest.mark.parametrize(
    "made",
    [
        array(6, (1, 1 << 20), element(2, bytes(1 << 20))),  # bytes that become float64
        array(4, (1, 1 << 20), element(16, bytes(1 << 20))),  # characters of four bytes
        element(14, element(6, bytes(8)) + element(5, bytes(1 << 20)) + element(1, b"")),  # axes
    ],
    ids=["float64", "text", "shape"],
)
def test_arrays_that_grow_when_read_have_a_bound(tmp_path, monkeypatch, made):
    monkeypatch.setenv("MINDSPORE_COMPAT_READ_LIMIT", "2")
    bomb = zlib.compress(made)
    path = matlab_file(tmp_path / "bomb.mat", struct.pack("<II", 15, len(bomb)) + bomb)
    with pytest.raises(ValueError, match="may grow to|axes"):
        matlab.load(path)


def test_a_sparse_array_is_not_spread_without_a_bound(tmp_path):
    part = array(
        5, (1 << 20, 1 << 12), numbers(1), numbers(*[0] * (1 << 12), 1), element(9, bytes(8))
    )
    boundaries = array(1, (1, 1), part)
    task = array(2, (1, 1), numbers(11), element(1, b"Boundaries\0"), boundaries, name=b"GTcls")
    for name in ("img", "cls"):
        (tmp_path / name).mkdir()
    (tmp_path / "val.txt").write_text("one\n")
    (tmp_path / "img" / "one.jpg").write_bytes(b"x")
    matlab_file(tmp_path / "cls" / "one.mat", task)
    with pytest.raises(RuntimeError, match=r"one\.mat.*asks for"):
        next(ds.SBDataset(str(tmp_path), usage="val").create_tuple_iterator())
