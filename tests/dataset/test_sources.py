"""Sources give what MindSpore 2.10 gives for the same files, or reject them as it does.

The calls, and how results are recorded, are in tests/recorded/source_calls.py, the files in
conformance/arguments/sources. Calls for which this package differs on purpose are listed below
with the reason.
"""

import json

import pytest
from recorded import source_calls

import mindspore_compat.dataset as ds
from conformance.arguments import sources as source_files
from conformance.arguments.sources import sound_files as source_files_sound

CASES = [json.loads(line) for line in source_calls.FILE.read_text("utf-8").splitlines()]
DIFFERENT = {
    # MindSpore counts the files that `extensions` leaves out.
    ("CelebADataset", "extensions=['.jpg']"): lambda wanted: [wanted[0], 2, wanted[2]],
    # Contrary to its page, MindSpore accepts any `extra_metadata`, but no single class.
    ("VOCDataset", "extra_metadata=1"): lambda wanted: "TypeError",
    ("LSUNDataset", "classes='classroom'"): lambda wanted: None,
}


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


def test_all_calls_are_observed():
    assert [(name, arguments) for name, arguments, _ in CASES] == list(source_calls.calls())


@pytest.mark.parametrize(
    "name, arguments, wanted", CASES, ids=[f"{name}({arguments})" for name, arguments, _ in CASES]
)
def test_a_source_gives_what_the_original_gives(folder, name, arguments, wanted):
    if "decode=True" in arguments:
        pytest.importorskip("cv2")
    for (source, part), changed in DIFFERENT.items():
        if name == source and part in arguments:
            wanted = changed(wanted)
    found = source_calls.outcome(ds, name, arguments, folder)
    if wanted is None:
        arguments = arguments.replace("'classroom'", "['classroom']")
        wanted = source_calls.outcome(ds, name, arguments, folder)
        assert len(wanted) == 3
    assert found == wanted


@pytest.mark.parametrize("lists", [(), ("testing",), ("validation",)], ids=str)
def test_words_of_commands_need_no_lists(tmp_path, lists):
    for word in ("bed", "cat"):
        (tmp_path / word).mkdir()
        for number in range(2):
            path = tmp_path / word / f"a_nohash_{number}.wav"
            path.write_bytes(source_files_sound.wav(1))
    for name in lists:
        (tmp_path / f"{name}_list.txt").write_text("bed/a_nohash_0.wav\n")
    counts = {}
    for usage in ("train", "test", "valid", "all"):
        data = ds.SpeechCommandsDataset(str(tmp_path), usage, shuffle=False)
        counts[usage] = len(list(data.create_tuple_iterator(num_epochs=1)))
        assert data.get_dataset_size() == counts[usage]
    listed = {"testing": "test", "validation": "valid"}
    parts = {part: int(name in lists) for name, part in listed.items()}
    assert counts == {**parts, "train": 4 - len(lists), "all": 4}


def test_test_sentences_of_multi30k_may_have_their_documented_names(tmp_path):
    for folder, name in (("training", "train"), ("validation", "val"), ("mmt16_task1_test", "val")):
        (tmp_path / folder).mkdir()
        for language in ("en", "de"):
            (tmp_path / folder / f"{name}.{language}").write_text(f"{folder} {language}\n")

    def rows(usage):
        data = ds.Multi30kDataset(str(tmp_path), usage, shuffle=False)
        return [
            [str(text) for text in row] for row in data.create_tuple_iterator(output_numpy=True)
        ]

    assert rows("test") == [["mmt16_task1_test en", "mmt16_task1_test de"]]
    assert rows("valid") == [["validation en", "validation de"]]
    assert len(rows("all")) == 3


def test_sounds_of_other_widths_are_refused(tmp_path):
    for bits in (8, 32):
        (tmp_path / "1_0.wav").write_bytes(source_files_sound.wav(1, bits=bits))
        with pytest.raises(RuntimeError, match=f"16-bit numbers, but is of {bits} bits"):
            next(ds.YesNoDataset(str(tmp_path)).create_tuple_iterator())


def test_a_hidden_column_is_given_under_another_name(folder):
    data = ds.VOCDataset(f"{folder}/voc", "Detection", shuffle=False, extra_metadata=True)
    assert data.get_col_names()[-1] == "_meta-filename"
    assert "_meta-filename" not in next(data.create_dict_iterator(output_numpy=True))
    renamed = data.rename("_meta-filename", "name")
    names = [str(row["name"]) for row in renamed.create_dict_iterator(1, output_numpy=True)]
    assert names == ["1", "2"]


CLASSES = {
    "VOCDataset(f'{here}/voc', 'Detection')": {"cat": 0, "dog": 1, "train": 2},
    "VOCDataset(f'{here}/voc', 'Detection', class_indexing={'cat': 3})": {"cat": 3},
    "CocoDataset(f'{here}/coco/images', f'{here}/coco/instances.json')": {"cat": [7], "dog": [2]},
    "CocoDataset(f'{here}/coco/images', f'{here}/coco/panoptic.json', 'Panoptic')": {
        "cat": [7, 1],
        "dog": [2, 0],
    },
    "ManifestDataset(f'{here}/manifest/all.manifest')": {"ant": 0, "cat": 1, "dog": 2},
    "ManifestDataset(f'{here}/manifest/all.manifest', 'eval')": {"cat": 0},
    "Caltech101Dataset(f'{here}/caltech101')": {"Faces": 0, "ant": 1},
}


@pytest.mark.parametrize("call", CLASSES)
def test_numbers_of_classes(folder, call):
    made = eval(f"ds.{call}", {"ds": ds, "here": folder})
    assert made.get_class_indexing() == CLASSES[call]


def test_flowers_have_names(folder):
    numbers = ds.Flowers102Dataset(f"{folder}/flowers102").get_class_indexing()
    assert len(numbers) == 102
    assert [numbers[name] for name in ("pink primrose", "rose", "blackberry lily")] == [0, 73, 101]


@pytest.mark.parametrize(
    "call",
    [
        "VOCDataset(f'{here}/voc')",
        "CocoDataset(f'{here}/coco/images', f'{here}/coco/keypoints.json', 'Keypoint')",
    ],
)
def test_tasks_without_classes_refuse_to_number_them(folder, call):
    with pytest.raises(NotImplementedError):
        eval(f"ds.{call}", {"ds": ds, "here": folder}).get_class_indexing()


def test_sources_keep_their_rows_in_a_cache(folder):
    for name, (form, _) in source_calls.CALLS.items():
        if form is None or "/" in form or name in NO_CACHE:
            continue
        cache = ds.DatasetCache(len(name))
        extra = {
            "EMnistDataset": {"name": "mnist"},
            "PhotoTourDataset": {"name": "liberty", "usage": "test"},
            "QMnistDataset": {"usage": "nist"},
        }.get(name, {})
        made = getattr(ds, name)(f"{folder}/{form}", shuffle=False, cache=cache, **extra)
        rows = [
            [source_calls.as_json(column) for column in row]
            for row in made.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]
        plain = getattr(ds, name)(f"{folder}/{form}", shuffle=False, **extra)
        assert rows == [
            [source_calls.as_json(column) for column in row]
            for row in plain.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]
        assert cache.get_stat().num_mem_cached == len(rows) > 0
        del cache, made


NO_CACHE = (
    "CLUEDataset",
    "ManifestDataset",
    "Caltech101Dataset",
    "Flowers102Dataset",
    "SBDataset",
    "SVHNDataset",
    "FakeImageDataset",
)


def test_random_rows_without_a_schema_are_the_originals():
    ds.config.set_seed(1)
    data = ds.RandomDataset(total_rows=1)
    assert data.get_col_names() == ["c0", "c1"]
    row = next(data.create_tuple_iterator(output_numpy=True))
    assert [(column.dtype.name, column.shape) for column in row] == [
        ("float64", (30, 6, 4)),
        ("int16", (4, 7, 3, 13)),
    ]
    assert [column.tobytes()[0] for column in row] == [99, 88]
    ds.config.set_seed(3)
    assert ds.RandomDataset().get_dataset_size() == 565


@pytest.mark.parametrize("use", [list, len, lambda data: data.get_col_names()])
def test_a_negative_number_of_random_rows_is_refused_when_it_is_used(use):
    data = ds.RandomDataset(-1, columns_list=["a"])
    with pytest.raises(RuntimeError, match="'total_rows' must be at least 0, but got -1"):
        use(data)


def test_a_number_of_rows_is_cut_to_an_int():
    """As in MindSpore 2.10."""
    columns = {"x": {"type": "int8", "shape": [2]}}
    schema = ds.Schema()
    schema.from_json({"numRows": 3.5, "columns": columns})
    assert schema.num_rows == 3
    for rows in ("3", [3], float("nan")):
        with pytest.raises(ValueError, match="'numRows' must be a number > 0"):
            schema.from_json({"numRows": rows, "columns": columns})


def test_a_schema_prints_its_keys_in_alphabetical_order():
    schema = ds.Schema()
    schema.from_json({"numRows": 3, "columns": {"x": {"type": "int8", "shape": [2]}}})
    assert [line.strip() for line in str(schema).splitlines() if ":" in line] == [
        '"columns": [',
        '"name": "x",',
        '"rank": 1,',
        '"shape": [',
        '"type": "int8"',
        '"datasetType": "",',
        '"numRows": 3',
    ]


def test_columns_without_a_shape_have_one_axis_if_added_and_none_if_parsed():
    schema = ds.Schema()
    assert json.loads(schema.to_json()) == {"columns": None}
    schema.add_column("x", "int8")
    schema.parse_columns({"y": {"type": "int8", "rank": 3}})
    assert json.loads(schema.to_json())["columns"] == [
        {"name": "x", "type": "int8", "rank": 1},
        {"name": "y", "type": "int8", "rank": 0, "shape": []},
    ]


def test_random_rows_are_limited_shared_and_kept():
    schema = ds.Schema()
    schema.add_column("a", "uint8", [])
    ds.config.set_seed(3)

    def rows(**options):
        data = ds.RandomDataset(5, schema, **options)
        found = [int(a) for (a,) in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]
        assert len(found) == data.get_dataset_size()
        return found

    whole = rows()
    assert len(set(whole)) == 5
    assert rows(num_samples=2) == whole[:2]
    assert rows(num_shards=2, shard_id=1) == [whole[1], whole[3], whole[0]]
    cache = ds.DatasetCache(77)
    assert rows(cache=cache) == whole
    assert cache.get_stat().num_mem_cached == 5
    with pytest.raises(RuntimeError, match="column 'b'"):
        rows(columns_list=["b"])


def test_entries_of_a_manifest_need_no_type(tmp_path):
    def manifest(*lines):
        path = tmp_path / "images.manifest"
        path.write_text("\n".join(json.dumps({"source": "x.png", **line}) for line in lines))
        return ds.ManifestDataset(str(path), shuffle=False)

    named = [{"usage": "train", "annotation": [{"name": n}, {"name": "a"}]} for n in "bc"]
    other = {"usage": "TRAIN", "annotation": [{"name": "d", "type": "object_detection"}]}
    assert manifest(*named, other).get_class_indexing() == {"a": 0, "b": 1, "c": 2, "d": 3}
    for missing in ("usage", "annotation"):
        line = {key: value for key, value in other.items() if key != missing}
        with pytest.raises(RuntimeError, match=f"no '{missing}'"):
            manifest(line).get_class_indexing()


@pytest.mark.parametrize("columns", [None, 3, "a", [3], {"a": 3}, {"a": {"shape": [1]}}])
def test_a_schema_refuses_what_does_not_describe_columns(columns):
    with pytest.raises(RuntimeError, match="For 'Schema'"):
        ds.Schema().parse_columns(columns)


@pytest.mark.parametrize(
    "arguments",
    [
        {"sampler": ds.SequentialSampler(), "shuffle": True},
        {"sampler": [1], "num_shards": 2, "shard_id": 0},
        {"num_shards": 2},
        {"shard_id": 0},
    ],
    ids=["shuffled", "shared", "no share", "no number"],
)
@pytest.mark.parametrize("source", ["Caltech101", "Flowers102", "SB", "SVHN"])
def test_annotated_images_refuse_a_sampler_with_another_selection(source, arguments, tmp_path):
    with pytest.raises(RuntimeError, match=f"For '{source}Dataset'"):
        getattr(ds, f"{source}Dataset")(str(tmp_path), **arguments)
