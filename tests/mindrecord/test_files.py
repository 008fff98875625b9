"""MindRecord files: round trips here and with MindSpore; damaged files are rejected."""

import json
import os
import re
import sqlite3

import numpy as np
import pytest

from mindspore_compat import mindrecord
from mindspore_compat.mindrecord.common import exceptions

pytestmark = pytest.mark.quick

SCHEMA = {
    "name": {"type": "string"},
    "label": {"type": "int32"},
    "score": {"type": "float64"},
    "points": {"type": "float32", "shape": [-1, 2]},
    "ids": {"type": "int64", "shape": [3]},
    "data": {"type": "bytes"},
}


def row(number):
    return {
        "name": f"{number}.jpg",
        "label": number * 3 - 40,
        "score": number / 3,
        "points": np.full((number % 4 + 1, 2), number, np.float32),
        "ids": np.array([number, -number * 10**8, number * 10**12]),
        "data": b"ab\0" * (number * 40),
    }


def agree(found, number):
    expected = row(number)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert type(found[name]) is type(value)
        np.testing.assert_array_equal(found[name], value)
        assert getattr(found[name], "dtype", 0) == getattr(value, "dtype", 0)


def write(path, count=20, shards=1, schema=SCHEMA, make=row, small=True, **arguments):
    writer = mindrecord.FileWriter(str(path), shards)
    if small:
        writer.set_page_size(1 << 15)
        writer.set_header_size(1 << 16)
    writer.add_schema(schema, "rows of a test")
    for start in range(0, count, 7):
        writer.write_raw_data([make(n) for n in range(start, min(count, start + 7))], **arguments)
    writer.commit()
    return str(path)


def read(path, **arguments):
    reader = mindrecord.FileReader(path, **arguments)
    found = list(reader.get_next())
    assert reader.len() == len(found)
    reader.close()
    return found


def by_label(rows):
    return sorted(rows, key=lambda found: found["label"])


@pytest.mark.parametrize("shards, arguments", [(1, {}), (3, {}), (12, {"parallel_writer": True})])
def test_rows_come_back(tmp_path, shards, arguments):
    write(tmp_path / "some.mindrecord", shards=shards, **arguments)
    names = sorted(each for each in os.listdir(tmp_path) if not each.endswith(".db"))
    assert len(names) == shards and not any(each.endswith(".tmp") for each in names)
    rows = by_label(read(str(tmp_path / names[0])))
    assert len(rows) == 20
    for number, found in enumerate(rows):
        agree(found, number)


def test_rows_are_divided_evenly(tmp_path):
    write(tmp_path / "some.mindrecord", shards=3)
    counts = [len(read([str(tmp_path / f"some.mindrecord{shard}")])) for shard in range(3)]
    assert sorted(counts) == [6, 7, 7]


@pytest.mark.parametrize(
    "schema, values",
    [
        ({"data": {"type": "bytes"}}, {"data": b"xyz"}),
        ({"data": {"type": "bytes"}, "k": {"type": "int64"}}, {"data": b"", "k": -(2**40)}),
        ({"a": {"type": "int32", "shape": [-1]}}, {"a": np.array([1, -129, 2**31 - 1], np.int32)}),
        ({"a": {"type": "int32", "shape": [-1]}}, {"a": np.zeros(0, np.int32)}),
        ({"a": {"type": "float64", "shape": [2, 1]}}, {"a": np.array([[0.1], [2]])}),
        ({"s": {"type": "string"}, "f": {"type": "float32"}}, {"s": "täxt" * 100, "f": 0.1}),
        ({"i": {"type": "int64"}, "g": {"type": "float64"}}, {"i": 2**63 - 1, "g": 1e300}),
    ],
)
def test_each_kind_of_schema_comes_back(tmp_path, schema, values):
    path = write(tmp_path / "one", 1, schema=schema, make=lambda _: values)
    (found,) = read(path)
    for name, value in values.items():
        np.testing.assert_array_equal(found[name], value)


def test_columns_are_chosen(tmp_path):
    found = read(write(tmp_path / "some"), columns=["data", "label"])[2]
    assert found == {"label": -34, "data": row(2)["data"]}


def test_the_schema_is_reported(tmp_path):
    reader = mindrecord.FileReader(write(tmp_path / "some"))
    assert reader.schema() == SCHEMA
    reader.close()
    assert (reader.schema(), reader.len(), list(reader.get_next())) == (SCHEMA, 20, [])


def test_a_reader_yields_each_row_once(tmp_path):
    reader = mindrecord.FileReader(write(tmp_path / "some"))
    labels = [next(reader.get_next())["label"], *(row["label"] for row in reader.get_next())]
    assert labels == [found["label"] for found in read(str(tmp_path / "some"))]
    assert not list(reader.get_next())


@pytest.mark.parametrize("shards", [1, 3])
def test_rows_are_appended(tmp_path, shards):
    write(tmp_path / "some", 5, shards)
    path = str(tmp_path / ("some" if shards == 1 else "some1"))
    writer = mindrecord.FileWriter.open_for_append(path)
    writer.write_raw_data([row(number) for number in range(5, 40)])
    assert len(read(path)) == 5  # readers see them when they are complete
    writer.commit()
    rows = by_label(read(path))
    assert len(rows) == 40
    for number, found in enumerate(rows):
        agree(found, number)


def test_the_index_holds_the_chosen_fields(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    writer.add_schema(SCHEMA)
    writer.add_index(["label", "name"])
    writer.write_raw_data([row(1)])
    writer.commit()
    base = sqlite3.connect(tmp_path / "some.db")
    assert base.execute("SELECT label_0, name_0 FROM INDEXES").fetchall() == [(-37, "1.jpg")]
    base.close()


def test_rows_that_do_not_agree_are_left_out(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    writer.add_schema({"k": {"type": "int32"}, "a": {"type": "int64", "shape": [2]}})
    good = {"k": 1, "a": np.arange(2)}
    bad = [
        {"k": 1},
        {**good, "k": "1"},
        {**good, "k": 2**31},
        {**good, "a": np.arange(3)},
        {**good, "a": np.arange(2, dtype=np.int32)},
        {**good, "k": True},
    ]
    rows = [*bad, good]
    writer.write_raw_data(rows)
    assert rows == [*bad, good]
    with pytest.raises(RuntimeError, match="agree"):
        writer.write_raw_data(bad)
    writer.commit()
    assert len(read(str(tmp_path / "some"))) == 1


def test_too_large_rows_change_nothing(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    writer.set_page_size(1 << 15)
    writer.add_schema({"d": {"type": "bytes"}})
    with pytest.raises(exceptions.MRMInvalidPageSizeError, match="set_page_size"):
        writer.write_raw_data([{"d": b"small"}, {"d": bytes(40000)}])
    writer.write_raw_data([{"d": b"small"}])
    writer.commit()
    assert read(str(tmp_path / "some")) == [{"d": b"small"}]


def test_existing_files_are_replaced_only_when_asked(tmp_path):
    path = write(tmp_path / "some", 3)
    with pytest.raises(exceptions.MRMOpenError, match="overwrite"):
        write(path, 2)
    assert len(read(path)) == 3
    writer = mindrecord.FileWriter(path, overwrite=True)
    writer.add_schema(SCHEMA)
    writer.write_raw_data([row(0)])
    assert len(read(path)) == 3  # until the new one is complete
    writer.commit()
    assert len(read(path)) == 1


def test_a_writer_given_up_leaves_nothing(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    writer.add_schema(SCHEMA)
    writer.write_raw_data([row(0)])
    del writer
    assert os.listdir(tmp_path) == []


def test_the_order_of_calls_is_kept(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    for call in (
        lambda: writer.write_raw_data([row(0)]),
        writer.commit,
        lambda: writer.add_index(["k"]),
    ):
        with pytest.raises(exceptions.MRMGetMetaError):
            call()
    writer.add_schema(SCHEMA)
    writer.write_raw_data([row(0)])
    with pytest.raises(RuntimeError, match="parallel_writer"):
        writer.write_raw_data([row(0)], True)
    writer.commit()
    with pytest.raises(RuntimeError, match="commit"):
        writer.write_raw_data([row(0)])
    with pytest.raises(RuntimeError, match="commit"):
        writer.commit()


@pytest.mark.parametrize(
    "arguments",
    [
        (5,),
        ("",),
        ("x/",),
        ("x?",),
        (" x",),
        ("x", 0),
        ("x", 1001),
        ("x", "1"),
        ("x", None),
        ("x", 1, 3),
    ],
)
def test_writers_refuse_bad_arguments(arguments):
    with pytest.raises(exceptions.ParamValueError) as caught:
        mindrecord.FileWriter(*arguments)
    assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize(
    "content, error",
    [
        ({}, "MRMInvalidSchemaError"),
        (5, "MRMInvalidSchemaError"),
        ({"a b": {"type": "int32"}}, "MRMInvalidSchemaError"),
        ({"a": {"type": "int8"}}, "MRMInvalidSchemaError"),
        ({"a": {"type": "string", "shape": [2]}}, "MRMInvalidSchemaError"),
        ({"a": {"type": "int32", "form": [2]}}, "MRMInvalidSchemaError"),
        ({"a": {"type": "int32", "shape": ["x"]}}, "MRMAddSchemaError"),
        ({"a": {"type": "int32", "shape": [-1, -1]}}, "MRMBuildSchemaError"),
    ],
)
def test_schemas_are_checked(content, error):
    with pytest.raises(getattr(exceptions, error)):
        mindrecord.FileWriter("x").add_schema(content)


@pytest.mark.parametrize(
    "fields, error",
    [
        ("label", "ParamTypeError"),
        ([], "ParamTypeError"),
        ([5], "ParamTypeError"),
        (["data"], "MRMDefineIndexError"),
        (["ids"], "MRMDefineIndexError"),
        (["no"], "MRMAddIndexError"),
        (["label", "label"], "MRMAddIndexError"),
    ],
)
def test_indexes_are_checked(fields, error):
    writer = mindrecord.FileWriter("x")
    writer.add_schema(SCHEMA)
    with pytest.raises(getattr(exceptions, error)):
        writer.add_index(fields)


@pytest.mark.parametrize("size", [1 << 13, (1 << 14) + 2, 1 << 29, "x"])
def test_sizes_are_checked(size):
    """A caller that expects MindSpore's RuntimeError can catch the error, too."""
    writer = mindrecord.FileWriter("x")
    for expected in (exceptions.MRMInvalidHeaderSizeError, RuntimeError):
        with pytest.raises(expected):
            writer.set_header_size(size)
    for expected in (exceptions.MRMInvalidPageSizeError, RuntimeError):
        with pytest.raises(expected):
            writer.set_page_size(size)


def test_a_header_must_fit(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "some"))
    writer.set_header_size(1 << 14)
    writer.set_page_size(1 << 15)
    writer.add_schema({"d": {"type": "bytes"}})
    writer.write_raw_data([{"d": bytes(30000)}] * 200)
    with pytest.raises(exceptions.MRMInvalidHeaderSizeError, match="set_header_size"):
        writer.commit()


def damaged(path, change):
    content = bytearray(path.read_bytes())
    change(content)
    os.chmod(path, 0o600)
    path.write_bytes(content)


@pytest.mark.parametrize(
    "change, reason",
    [
        (lambda content: content.clear(), "length of a header"),
        (lambda content: content.__setitem__(slice(0, 8), b"\xff" * 8), "length of a header"),
        (lambda content: content.__setitem__(12, 0), "not a MindRecord file"),
        (lambda content: content.__delitem__(slice(70000, None)), "truncated"),
        (lambda content: content.__setitem__(slice(1 << 16, (1 << 16) + 8), bytes(8)), "damaged"),
    ],
)
def test_damaged_files_are_refused_by_name(tmp_path, change, reason):
    write(tmp_path / "some")
    damaged(tmp_path / "some", change)
    with pytest.raises(ValueError, match=rf"some.*{reason}"):
        read(str(tmp_path / "some"))


def test_the_index_must_be_there_and_whole(tmp_path):
    path = write(tmp_path / "some")
    damaged(tmp_path / "some.db", lambda content: content.__setitem__(slice(0, 16), bytes(16)))
    with pytest.raises(ValueError, match=r"some\.db"):
        read(path)
    os.remove(path + ".db")
    with pytest.raises(ValueError, match=r"some\.db is missing"):
        read(path)


@pytest.mark.parametrize("name", ["page", "shard_id", "compression_size"])
def test_a_header_without_what_a_writer_needs_is_refused(tmp_path, name):
    path = write(tmp_path / "some")
    key, other = f'"{name}"'.encode(), f'"{"x" * len(name)}"'.encode()
    damaged(
        tmp_path / "some",
        lambda content: content.__setitem__(slice(None), content.replace(key, other)),
    )
    with pytest.raises(exceptions.MRMOpenForAppendError, match=f"some.*has no '{name}'"):
        mindrecord.FileWriter.open_for_append(path)


def test_missing_files_are_refused(tmp_path):
    write(tmp_path / "some", shards=2)
    os.remove(tmp_path / "some1")
    for path in (str(tmp_path / "some0"), str(tmp_path / "none")):
        with pytest.raises(exceptions.MRMOpenError, match="some1|none"):
            read(path)
        with pytest.raises(exceptions.MRMOpenForAppendError):
            mindrecord.FileWriter.open_for_append(path)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"num_consumer": 0}, "ParamValueError"),
        ({"num_consumer": "1"}, "ParamValueError"),
        ({"columns": "label"}, "ParamTypeError"),
        ({"columns": ["no"]}, "ParamValueError"),
    ],
)
def test_readers_refuse_bad_arguments(tmp_path, arguments, error):
    path = write(tmp_path / "some", 1)
    with pytest.raises(getattr(exceptions, error)):
        mindrecord.FileReader(path, **arguments)


@pytest.mark.parametrize("operator", ["read", True])
def test_a_reader_refuses_an_operator_that_is_no_number(tmp_path, operator):
    path = write(tmp_path / "some", 1)
    assert mindrecord.FileReader(path, operator=1).len() == mindrecord.FileReader(path).len()
    with pytest.raises(TypeError, match="'operator' must be an int") as caught:
        mindrecord.FileReader(path, operator=operator)
    assert type(caught.value) is TypeError


def test_pages_of_a_class(tmp_path):
    schema = {"k": {"type": "int32"}, "s": {"type": "string"}}
    path = write(tmp_path / "some", 12, 2, schema, lambda n: {"k": n, "s": "ab"[n % 3 == 0]}) + "0"
    page = mindrecord.MindPage(path)
    assert page.candidate_fields == ["k", "s"] and page.category_field is None
    with pytest.raises(exceptions.MRMReadCategoryInfoError):
        page.read_category_info()
    page.category_field = "s"
    assert json.loads(page.read_category_info()) == {
        "key": "s_0",
        "categories": [{"count": 8, "id": 0, "name": "a"}, {"count": 4, "id": 1, "name": "b"}],
    }
    found = [page.read_at_page_by_name("a", number, 3) for number in range(3)]
    assert [len(each) for each in found] == [3, 3, 2]
    assert sorted(each["k"] for part in found for each in part) == [1, 2, 4, 5, 7, 8, 10, 11]
    assert page.read_at_page_by_id(0, 1, 3) == found[1]
    for call in (
        lambda: page.read_at_page_by_id(0, 3, 3),
        lambda: page.read_at_page_by_id(9, 0, 1),
        lambda: page.read_at_page_by_name("c", 0, 1),
    ):
        with pytest.raises(exceptions.MRMFetchDataError, match=re.escape(repr(path))):
            call()
    with pytest.raises(exceptions.ParamValueError):
        page.read_at_page_by_id(0, 0, 0)
    with pytest.raises(exceptions.MRMDefineCategoryError):
        page.category_field = "no"
    with pytest.raises(exceptions.ParamTypeError):
        page.category_field = 5


READ = """
import sys, json
from mindspore.mindrecord import FileReader
rows = list(FileReader(sys.argv[1]).get_next())
print(json.dumps([{k: v.tolist() if hasattr(v, "tolist") else v.decode("latin1")
                   if isinstance(v, bytes) else v for k, v in row.items()} for row in rows]))
"""
WRITE = """
import sys
sys.path.insert(0, sys.argv[2])
from mindspore.mindrecord import FileWriter
from test_files import SCHEMA, row
writer = FileWriter(sys.argv[1], 3)
writer.set_page_size(1 << 15)
writer.add_schema(SCHEMA)
writer.write_raw_data([row(number) for number in range(20)])
writer.commit()
"""
APPEND = """
import sys
sys.path.insert(0, sys.argv[2])
from mindspore.mindrecord import FileWriter
from test_files import row
writer = FileWriter.open_for_append(sys.argv[1])
writer.write_raw_data([row(number) for number in range(20, 40)])
writer.commit()
"""


def test_the_original_reads_and_appends_to_what_is_written_here(oracle, tmp_path):
    write(tmp_path / "some", shards=3)
    found = by_label(json.loads(oracle(READ, tmp_path / "some0").splitlines()[-1]))
    assert [each["ids"] for each in found] == [row(n)["ids"].tolist() for n in range(20)]
    assert [each["data"] for each in found] == [row(n)["data"].decode() for n in range(20)]
    rows_module = tmp_path / "test_files.py"
    rows_module.write_text(_shared())
    oracle(APPEND, tmp_path / "some1", tmp_path)
    for number, each in enumerate(by_label(read(str(tmp_path / "some0")))):
        agree(each, number)


def _shared():
    """The schema and the rows of this file, for an interpreter without pytest."""
    import inspect

    return f"import numpy as np\nSCHEMA = {SCHEMA!r}\n\n\n{inspect.getsource(row)}"


def test_what_the_original_writes_is_read_and_appended_to(oracle, tmp_path):
    (tmp_path / "test_files.py").write_text(_shared())
    oracle(WRITE, tmp_path / "some", tmp_path)
    path = str(tmp_path / "some2")
    writer = mindrecord.FileWriter.open_for_append(path)
    writer.write_raw_data([row(number) for number in range(20, 30)])
    writer.commit()
    for number, each in enumerate(by_label(read(path))):
        agree(each, number)
    found = by_label(json.loads(oracle(READ, path).splitlines()[-1]))
    assert [each["ids"] for each in found] == [row(n)["ids"].tolist() for n in range(30)]


def test_the_schema_of_a_reader_is_sorted(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "x"))
    writer.add_schema({"b": {"type": "int64", "shape": [2]}, "a": {"type": "int32"}})
    writer.write_raw_data([{"a": 1, "b": np.arange(2)}])
    writer.commit()
    reader = mindrecord.FileReader(str(tmp_path / "x"))
    assert json.dumps(reader.schema()) == (
        '{"a": {"type": "int32"}, "b": {"shape": [2], "type": "int64"}}'
    )
    reader.close()


def test_description_that_is_no_text_is_refused(tmp_path):
    writer = mindrecord.FileWriter(str(tmp_path / "a.mindrecord"))
    with pytest.raises(TypeError, match="'desc' must be a str or None, but got 3 of type int"):
        writer.add_schema({"n": {"type": "int32"}}, 3)
    writer.add_schema({"n": {"type": "int32"}}, "rows")
