"""Pipelines are written as JSON and rebuilt from it."""

import json

import numpy as np
import pytest
from recorded import source_calls

from conformance.arguments import sources as source_files
from mindspore_compat import dataset as ds
from mindspore_compat import dtype, log, mindrecord
from mindspore_compat.dataset import text, transforms, vision

pytestmark = pytest.mark.quick


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("sources")
    source_files.write(path)
    return path


@pytest.fixture(autouse=True)
def settings():
    before = dict(vars(ds.config._values))  # setting the default would count as a request
    yield
    vars(ds.config._values).update(before)


@pytest.fixture
def lines(tmp_path):
    path = tmp_path / "lines.txt"
    path.write_text("b\na\nc\na\n")
    return ds.TextFileDataset(str(path), shuffle=False)


def rows(data):
    ds.config.set_seed(5)
    return [
        [source_calls.as_json(column) for column in row]
        for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


def made_again(data):
    """Returns the pipeline that is rebuilt from a pipeline's JSON text."""
    return ds.deserialize(json.loads(json.dumps(ds.serialize(data))))


# The calls of each source, except sources that contain Python code and cannot be serialized.
SOURCES = {}
for _name, _arguments in source_calls.calls():
    if _name not in ("Caltech101Dataset", "Flowers102Dataset", "SBDataset", "SVHNDataset"):
        SOURCES.setdefault(_name, []).append(_arguments)


@pytest.mark.parametrize("name", SOURCES)
def test_a_source_is_made_again(folder, name):
    known = {form: f"{folder}/{form}" for form in source_files.FORMS}
    known |= {"ds": ds, "here": str(folder), "numbers": ds.Schema()}
    known["numbers"].add_column("image", "uint8", [2])
    for arguments in SOURCES[name]:
        if "decode=True" in arguments:
            continue
        try:
            data = eval(f"ds.{name}({arguments})", known)
            wanted = rows(data)
        except Exception:  # noqa: S112 - a call that is refused, as others test
            continue
        found = made_again(data)
        assert type(found) is type(data)
        assert rows(found) == wanted
        assert ds.compare(found, data)
        return
    pytest.fail("no call of this source gives rows")


def test_operations_and_what_they_are_made_with_are_made_again(lines):
    vocab = text.Vocab.from_list(["a", "b", "c"], ["<pad>"])
    data = lines.map([text.Lookup(vocab), transforms.TypeCast(np.float32)], ["text"], ["x"])
    data = data.map(transforms.Duplicate(), ["x"], ["x", "y"]).rename("y", "z")
    data = data.zip(lines).repeat(3).skip(1).take(9)
    data = data.project(["z", "text"]).shuffle(4).batch(2, drop_remainder=True)
    both = data.concat(data)
    found = made_again(both)
    assert found.get_col_names() == ["z", "text"]
    assert len(rows(found)) == 8
    assert rows(found) == rows(both)
    assert ds.compare(found, both)


def test_samplers_and_random_transforms_draw_the_same_numbers():
    images = np.arange(6 * 5 * 7 * 3, dtype=np.uint8).reshape(6, 5, 7, 3)
    sampler = ds.SubsetSampler([4, 1, 3])
    sampler.add_child(ds.RandomSampler(num_samples=5))
    data = ds.NumpySlicesDataset(images, ["image"], sampler=sampler).map(
        [
            vision.RandomResizedCrop((3, 4), interpolation=vision.Inter.NEAREST),
            transforms.RandomApply([vision.RandomHorizontalFlip(0.5)], 0.7),
            vision.RandomCrop(3, [1, 0, 1, 0], padding_mode=vision.Border.EDGE),
            vision.Normalize([1.0, 2.0, 3.0], [4.0, 5.0, 6.0]),
        ]
    )
    found = made_again(data)
    assert rows(found) == rows(data)
    assert isinstance(found.children[0].sampler.child_sampler, ds.RandomSampler)


def test_files_with_an_index_are_opened_again(tmp_path):
    path = str(tmp_path / "rows.mindrecord")
    writer = mindrecord.FileWriter(path)
    writer.set_header_size(16 << 10)
    writer.set_page_size(32 << 10)
    writer.add_schema({"a": {"type": "int32"}})
    writer.write_raw_data([{"a": number} for number in range(4)])
    writer.commit()
    data = ds.MindDataset(path, shuffle=False, num_samples=3)
    assert rows(made_again(data)) == rows(data)


def test_a_description_has_the_names_of_the_original(lines, tmp_path):
    path = tmp_path / "pipeline.json"
    described = ds.serialize(lines.batch(2, True), str(path))
    assert (described["op_type"], described["batch_size"]) == ("Batch", 2)
    assert described["drop_remainder"] is True
    (source,) = described["children"]
    assert (source["op_type"], source["children"]) == ("TextFileDataset", [])
    assert json.loads(path.read_text()) == described
    assert rows(ds.deserialize(json_filepath=str(path))) == rows(lines.batch(2, True))
    mapped = ds.serialize(lines.map(text.ToNumber(dtype.int32)))
    assert mapped["operations"][0]["tensor_op_name"] == "text.ToNumber"


def test_pipelines_are_compared(lines):
    assert ds.compare(lines.batch(2), lines.batch(2))
    assert not ds.compare(lines.batch(2), lines.batch(3))
    assert not ds.compare(lines.batch(2), lines)
    assert not ds.compare(lines.map(str.upper), lines.map(str.lower))
    used = lines.shuffle(3)
    rows(used)
    assert ds.compare(used, lines.shuffle(3))


def test_functions_are_shown_but_not_made_again(lines):
    described = ds.serialize(lines.map(len))
    assert described["operations"] == [{"$python": "builtins.len"}]
    with pytest.raises(RuntimeError, match="Python code"):
        ds.deserialize(described)


def test_a_pipeline_is_written_to_the_log(lines, monkeypatch):
    said = []
    monkeypatch.setattr(log, "info", said.append)
    ds.show(lines.batch(2))
    ds.show(lines, indentation=None)
    assert json.loads(said[0])["op_type"] == "Batch"
    assert '\n  "' in said[0]
    assert "\n" not in said[1]


@pytest.mark.parametrize("call", [ds.serialize, ds.show, lambda x: ds.compare(x, x)])
def test_what_is_no_dataset_is_refused(call):
    with pytest.raises(AttributeError):
        call(1)


@pytest.mark.parametrize(
    "described",
    [
        {},
        {"op_type": "Foo", "children": []},
        {"op_type": "Batch"},
        {"op_type": "Batch", "children": [{"op_type": "Foo", "children": []}]},
        {"op_type": "Map", "children": [], "operations": [{"$object": "os.system", "state": {}}]},
        {"op_type": "Map", "children": [], "operations": [{"$object": "json", "state": {}}]},
        {"op_type": "Map", "children": [], "operations": [{"$what": 1}]},
    ],
)
def test_what_describes_no_pipeline_is_refused(described):
    with pytest.raises(RuntimeError, match="no pipeline"):
        ds.deserialize(described)


def test_a_description_must_be_a_dict_or_a_file(lines, tmp_path):
    assert ds.deserialize() is None
    with pytest.raises(TypeError):
        ds.deserialize(1)
    with pytest.raises(OSError):
        ds.deserialize(json_filepath=str(tmp_path / "none.json"))
    (tmp_path / "text.json").write_text("no JSON")
    with pytest.raises(RuntimeError, match="is no JSON"):
        ds.deserialize(json_filepath=str(tmp_path / "text.json"))
    with pytest.raises(OSError):
        ds.serialize(lines, str(tmp_path / "none" / "pipeline.json"))
