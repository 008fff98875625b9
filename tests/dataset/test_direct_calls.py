"""Direct calls of transforms refuse odd inputs as in MindSpore 2.10: none, too many, empty arrays,
and values that are not arrays.
"""

import numpy as np
import pytest

from mindspore_compat import dataset as ds
from mindspore_compat.dataset import audio, text, transforms, vision

IMAGE = np.zeros((4, 4, 3), np.uint8)
OF_ARRAYS = {
    "CaseFold": text.CaseFold(),
    "Fill": transforms.Fill(1),
    "Duplicate": transforms.Duplicate(),
    "Compose": transforms.Compose([transforms.Fill(1)]),
    "RandomChoice": transforms.RandomChoice([transforms.Fill(1)]),
}
OF_IMAGES = {
    "Resize": vision.Resize(2),
    "Invert": vision.Invert(),
    "RandomColorAdjust": vision.RandomColorAdjust(0.1),
}


@pytest.mark.parametrize("name", OF_ARRAYS)
@pytest.mark.parametrize(
    "value, error",
    [
        (None, TypeError),
        ({}, TypeError),
        ({1}, TypeError),
        (object(), TypeError),
        (2**70, TypeError),
        (np.array([None]), TypeError),
        ([[1], [1, 2]], ValueError),
        ([], RuntimeError),
        (np.zeros((0, 3)), RuntimeError),
    ],
)
def test_an_input_that_is_no_array_is_refused(name, value, error):
    with pytest.raises(error):
        OF_ARRAYS[name](value)


@pytest.mark.parametrize("transform", [*OF_IMAGES.values(), OF_ARRAYS["Compose"]])
def test_a_call_without_inputs_is_refused(transform):
    with pytest.raises(RuntimeError):
        transform()


@pytest.mark.parametrize("transform", OF_IMAGES.values())
@pytest.mark.parametrize("inputs", [(IMAGE, IMAGE), (IMAGE[:0],)])
def test_an_image_transform_takes_one_image_with_elements(transform, inputs):
    with pytest.raises(RuntimeError):
        transform(*inputs)


@pytest.mark.parametrize(
    "transform", [vision.Decode(), vision.ToNumpy(), text.PythonTokenizer(str.split)]
)
def test_a_call_that_takes_one_input_counts_them(transform):
    with pytest.raises(TypeError):
        transform()
    with pytest.raises(TypeError):
        transform(IMAGE, IMAGE)


def test_some_random_transforms_take_several_images():
    for transform in (vision.RandomCrop(2), vision.RandomHorizontalFlip(1.0)):
        assert len(transform(IMAGE, IMAGE)) == 2


def test_arrays_of_objects_are_no_audio():
    with pytest.raises(TypeError):
        audio.Vol(0.5)(np.array([None]))


def test_a_tokenizer_in_python_takes_arrays_only():
    with pytest.raises(TypeError, match="in_array"):
        text.PythonTokenizer(str.split)("good day")


def test_pipelines_pass_empty_rows_on():
    rows = ds.NumpySlicesDataset([np.zeros((0,), np.float32)], ["a"]).map(transforms.Fill(1))
    (row,) = rows.create_tuple_iterator(output_numpy=True)
    assert row[0].shape == (0,)


def test_a_result_is_no_view_of_the_input():
    image = np.zeros((4, 4, 3), np.uint8)
    part = vision.Crop((0, 0), 2)(image)
    part[...] = 7
    assert not image.any()
