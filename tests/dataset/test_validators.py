"""Decorators and checks that scripts apply to their own transforms and datasets."""

import numpy as np
import pytest

from mindspore_compat.dataset.audio import validators as audio
from mindspore_compat.dataset.core import validator_helpers as helpers
from mindspore_compat.dataset.engine import validators as engine
from mindspore_compat.dataset.transforms import validators as transforms
from mindspore_compat.dataset.vision import validators as vision

pytestmark = pytest.mark.quick


class Crop:
    """A transform of a script's own."""

    @vision.check_random_crop
    def __init__(self, size, padding=None, note=""):
        self.size = size


class Rows:
    """A dataset of a script's own."""

    @engine.check_imagefolderdataset
    def __init__(self, dataset_dir, num_samples=None):
        self.dataset_dir = dataset_dir

    @engine.check_batch
    def batch(self, batch_size, drop_remainder=False):
        """Gives its argument."""
        return batch_size


def test_a_decorated_method_is_called_when_its_arguments_are_good(tmp_path):
    assert Crop(3, note="kept").size == 3
    assert Rows(str(tmp_path), 5).batch(4) == 4


@pytest.mark.parametrize(
    "arguments, error",
    [(("a",), TypeError), ((-3,), ValueError), ((3, -1), ValueError), ((3, "a"), TypeError)],
)
def test_a_decorator_refuses_what_the_transform_refuses(arguments, error):
    with pytest.raises(error, match="RandomCrop"):
        Crop(*arguments)


def test_a_decorator_refuses_what_the_dataset_refuses(tmp_path):
    with pytest.raises(ValueError, match="dataset_dir"):
        Rows(str(tmp_path / "none"))
    with pytest.raises(TypeError, match="dataset_dir"):
        Rows(3)
    with pytest.raises(ValueError, match="batch_size"):
        Rows(str(tmp_path)).batch(0)
    with pytest.raises(TypeError, match="drop_remainder"):
        Rows(str(tmp_path)).batch(2, "yes")


@pytest.mark.parametrize(
    "check, good, wrong",
    [
        (vision.check_crop_size, (3,), (0,)),
        (vision.check_degrees, ((-3, 3),), ((3, -3),)),
        (audio.check_biquad_q, (0.5,), (2.0,)),
        (audio.check_mel_scale_n_mels, (8,), (0,)),
        (engine.check_max_rowsize, ([6, 6],), (-2,)),
        (engine.check_pad_info, ("a", ([None, 3], 0)), ("a", (0,))),
        (transforms.check_transform_op_type, (0, np.abs), (0, int)),
        (helpers.check_pos_float32, (0.1,), (0,)),
        (helpers.check_uint8, (255,), (256,)),
        (helpers.check_range, ((1, 2), (0, 2)), ((2, 1), (0, 2))),
        (helpers.check_odd, (3,), (4,)),
        (helpers.check_columns, (["a", "b"], "names"), (["a", "a"], "names")),
        (helpers.check_filename, ("a/b.txt",), ("a/b?.txt",)),
        (helpers.check_int32_not_zero, (-1,), (0,)),
    ],
)
def test_a_check_of_a_value(check, good, wrong):
    assert check(*good) is None
    with pytest.raises(ValueError):
        check(*wrong)


@pytest.mark.parametrize("value, types", [(True, (int,)), ("a", (int, float)), (1, (str,))])
def test_types(value, types):
    with pytest.raises(TypeError, match="thing"):
        helpers.type_check(value, types, "thing")


def test_options_that_exclude_each_other():
    helpers.check_sampler_shuffle_shard_options({"num_shards": 2, "shard_id": 1})
    for options in ({"sampler": 1, "shuffle": True}, {"num_shards": 2}, {"shard_id": 0}):
        with pytest.raises(RuntimeError):
            helpers.check_sampler_shuffle_shard_options(options)
    with pytest.raises(ValueError, match="shard_id"):
        helpers.check_sampler_shuffle_shard_options({"num_shards": 2, "shard_id": 2})


def test_arguments_of_a_call_by_name():
    def method(self, a, b=2):
        return a, b

    given, by_name = helpers.parse_user_args(method, 1)
    assert given == [1, 2]
    assert by_name["b"] == 2


@pytest.mark.parametrize("module", [audio, engine, transforms, vision])
def test_every_name_that_is_listed_is_there(module):
    assert all(
        callable(getattr(module, name)) for name in module.__all__ if name.startswith("check_")
    )
