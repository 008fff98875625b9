"""Small names of datasets: enum conversions, hooks, samplers; values printed by MindSpore."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import dataset as ds
from mindspore_compat.dataset import debug, vision
from mindspore_compat.dataset.vision import utils

pytestmark = pytest.mark.quick

NATIVE = [
    (vision.Inter.NEAREST, "DE_INTER_NEAREST_NEIGHBOUR", 1),
    (vision.Inter.LINEAR, "DE_INTER_LINEAR", 0),
    (vision.Inter.CUBIC, "DE_INTER_CUBIC", 2),
    (vision.Inter.AREA, "DE_INTER_AREA", 3),
    (vision.Inter.PILCUBIC, "DE_INTER_PILCUBIC", 4),
    (vision.Border.EDGE, "DE_BORDER_EDGE", 1),
    (vision.Border.SYMMETRIC, "DE_BORDER_SYMMETRIC", 3),
    (vision.AutoAugmentPolicy.SVHN, "DE_AUTO_AUGMENT_POLICY_SVHN", 2),
    (vision.ConvertMode.COLOR_RGB2GRAY, "DE_COLOR_RGB2GRAY", 7),
    (vision.ConvertMode.COLOR_RGBA2RGB, "DE_COLOR_BGRA2BGR", 1),
    (vision.ImageBatchFormat.NCHW, "DE_IMAGE_BATCH_FORMAT_NCHW", 1),
    (vision.ImageReadMode.COLOR, "DE_IMAGE_READ_MODE_COLOR", 2),
    (vision.SliceMode.DROP, "DE_SLICE_DROP", 1),
]


@pytest.mark.parametrize("member, name, number", NATIVE)
def test_a_choice_has_a_member_of_the_compiled_librarys_enumeration(member, name, number):
    found = type(member).to_c_type(member)
    assert (found.name, int(found)) == (name, number)
    assert type(member).to_c_type(member.value) is found
    for wrong in (99, "x", None):
        with pytest.raises(RuntimeError, match="must be one of"):
            type(member).to_c_type(wrong)


def test_a_choice_has_a_value_for_pillow_and_numpy():
    image = pytest.importorskip("PIL.Image")
    assert vision.Inter.to_python_type(vision.Inter.ANTIALIAS) is image.Resampling.LANCZOS
    assert vision.Inter.to_python_type(vision.Inter.LINEAR) is image.Resampling.BILINEAR
    assert vision.Border.to_python_type(vision.Border.REFLECT) == "reflect"
    for wrong in (vision.Inter.AREA, 99):
        with pytest.raises(RuntimeError):
            vision.Inter.to_python_type(wrong)
    with pytest.raises(RuntimeError):
        vision.Inter.to_c_type(vision.Inter.ANTIALIAS)
    assert utils.AFFINE is image.Transform.AFFINE
    assert utils.PERSPECTIVE is image.Transform.PERSPECTIVE
    assert utils.FLIP_LEFT_RIGHT is image.Transpose.FLIP_LEFT_RIGHT
    assert utils.ANTIALIAS is image.Resampling.LANCZOS
    assert utils.CUBIC is image.Resampling.BICUBIC


@pytest.mark.parametrize(
    "padding, wanted",
    [
        (1, (1, 1, 1, 1)),
        (1.5, (1.5, 1.5, 1.5, 1.5)),
        ([1, 2], (1, 2, 1, 2)),
        ([1, 2, 3, 4], (1, 2, 3, 4)),
        ((1, 2, 3), (1, 2, 3)),
    ],
)
def test_padding_is_parsed(padding, wanted):
    assert utils.parse_padding(padding) == wanted
    with pytest.raises(TypeError):
        utils.parse_padding(None)


def test_the_records_of_videos_keep_what_they_are_given():
    params = utils.DecodeParams("file", 0, 9, stream=1)
    assert (params.container, params.start_offset, params.end_offset, params.stream) == (
        "file",
        0,
        9,
        1,
    )
    assert vars(utils.VideoFrameDvpp(2)) == {"dts": 2, "pts": 0}


@pytest.mark.parametrize("hook", [debug.PrintDataHook, debug.PrintMetaDataHook])
def test_a_hook_prints_between_operations_and_changes_nothing(hook, capsys):
    rows = ds.NumpySlicesDataset([[1, 2], [3, 4]], shuffle=False)
    rows = rows.map([lambda x: x * 10, hook(), lambda x: (x, x + 1)], ["column_0"], ["a", "b"])
    found = [row for row in rows.create_tuple_iterator(num_epochs=1, output_numpy=True)]
    assert np.array(found).tolist() == [[[10, 20], [11, 21]], [[30, 40], [31, 41]]]
    shown = ["[10 20]", "[30 40]"]
    if hook is debug.PrintMetaDataHook:
        shown = ["shape (2,), dtype int64, 16 bytes"] * 2
    printed = [f"[Dataset debugger] Column 0: {each}" for each in shown]
    assert capsys.readouterr().out.splitlines() == printed
    with pytest.raises(TypeError):
        hook("Resize")


@pytest.mark.parametrize(
    "sampler",
    [
        ds.SequentialSampler(1, 2),
        ds.RandomSampler(True, 3),
        ds.DistributedSampler(2, 1),
        ds.PKSampler(2),
        ds.SubsetSampler([1, 2]),
        ds.SubsetRandomSampler([1, 2]),
        ds.WeightedRandomSampler([0.1, 0.2], 2),
    ],
    ids=lambda sampler: type(sampler).__name__,
)
def test_a_sampler_is_parsed_to_what_a_pipeline_takes(sampler):
    assert sampler.parse() is sampler
    is_weighted = isinstance(sampler, ds.WeightedRandomSampler)
    assert hasattr(sampler, "parse_for_minddataset") is not is_weighted
    if not is_weighted:
        assert sampler.parse_for_minddataset() is sampler


def test_parsing_refuses_numbers_out_of_range_of_a_child_too():
    with pytest.raises(RuntimeError, match="'start_index'"):
        ds.SequentialSampler(-1).parse()
    parent = ds.RandomSampler()
    parent.add_child(ds.DistributedSampler(2, 5))
    for parse in (parent.parse, parent.parse_for_minddataset):
        with pytest.raises(RuntimeError, match="'shard_id'"):
            parse()


def test_workers_need_no_preparation():
    rows = ds.GeneratorDataset([1, 2], ["a"], num_parallel_workers=2, shuffle=False)
    rows.prepare_multiprocessing()
    assert [int(row[0]) for row in rows.create_tuple_iterator(num_epochs=1)] == [1, 2]


@pytest.mark.parametrize("by", ["column_types", "schema"])
def test_a_column_of_strings_may_be_declared(by):
    schema = ds.Schema()
    schema.add_column("word", ms.string)
    declared = {"schema": {"schema": schema}}.get(
        by, {"column_names": ["word"], "column_types": [ms.string]}
    )
    rows = ds.GeneratorDataset([("a",), ("bcd",)], shuffle=False, **declared)
    assert [str(row[0]) for row in rows.create_tuple_iterator(output_numpy=True)] == ["a", "bcd"]
    for wrong in (1, b"ab"):
        rows = ds.GeneratorDataset([(wrong,)], shuffle=False, **declared)
        with pytest.raises(RuntimeError, match="'word' must have dtype"):
            list(rows.create_tuple_iterator(output_numpy=True))


def test_a_crop_shows_its_region():
    crop = vision.ResizedCrop(0, 1, 3, 4, (2, 2))
    assert (crop.top, crop.left, crop.height, crop.width) == (0, 1, 3, 4)
