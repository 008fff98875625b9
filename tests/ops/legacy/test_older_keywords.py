"""Calls as pages of releases 1.8 to 2.2 document them, with parameter names that 2.10 lacks.

If a function meant something else then, the expected numbers follow its old formula.
"""

import inspect
import os
import subprocess
import sys

import numpy as np
import pytest

from mindspore_compat import Tensor, amp, dataset, nn, ops
from mindspore_compat import dtype as mstype
from mindspore_compat.mindrecord import FileWriter

X = np.array([[1.0, 5.0, 2.0], [4.0, -3.0, 0.5]], "f")
POINT = Tensor([[[[0.3, 0.3]]]], mstype.float32)
IMAGE = np.arange(15, dtype="f").reshape(1, 1, 3, 5)


@pytest.mark.parametrize(
    "older, today",
    [
        (lambda x: ops.argmax(x, axis=1, keepdims=True), lambda x: ops.argmax(x, 1, True)),
        (lambda x: ops.logsumexp(x=x, axis=1, keep_dims=True), lambda x: ops.logsumexp(x, 1, True)),
        (lambda x: ops.concat(input_x=(x, x), axis=1), lambda x: ops.concat((x, x), 1)),
        (lambda x: ops.stack(input_x=(x, x), axis=1), lambda x: ops.stack((x, x), 1)),
        (lambda x: ops.transpose(input_x=x, input_perm=(1, 0)), lambda x: x.T),
        (lambda x: ops.dot(x1=x, x2=x.T), lambda x: ops.dot(x, x.T)),
        (lambda x: ops.ones((2, 3), type=mstype.int32), lambda x: ops.ones((2, 3), mstype.int32)),
        (lambda x: ops.zeros(3, type=mstype.int32), lambda x: ops.zeros(3, mstype.int32)),
        (
            lambda x: ops.binary_cross_entropy_with_logits(logits=x, label=x),
            lambda x: ops.binary_cross_entropy_with_logits(x, x),
        ),
        (
            lambda x: ops.conv2d(x.reshape(1, 2, 1, 3), ops.ones((2, 1, 1, 2)), group=2),
            lambda x: ops.conv2d(x.reshape(1, 2, 1, 3), ops.ones((2, 1, 1, 2)), groups=2),
        ),
        (
            lambda x: ops.grid_sample(x.reshape(1, 1, 2, 3), POINT, interpolation_mode="nearest"),
            lambda x: ops.grid_sample(x.reshape(1, 1, 2, 3), POINT, "nearest"),
        ),
    ],
)
def test_names_of_parameters_that_changed(older, today):
    got, wanted = older(Tensor(X)), today(Tensor(X))
    assert got.dtype == wanted.dtype
    np.testing.assert_array_equal(got.asnumpy(), wanted.asnumpy())


def test_max_and_min_gave_indices_first():
    """The default axis is the first one."""
    index, value = ops.max(Tensor(X), axis=1, keep_dims=True)
    assert index.asnumpy().tolist() == [[1], [0]] and value.asnumpy().tolist() == [[5], [4]]
    index, value = ops.min(x=Tensor(X))
    assert index.asnumpy().tolist() == [0, 1, 1] and value.asnumpy().tolist() == [1, -3, 0.5]


def test_norm_had_an_axis_and_a_power():
    got = ops.norm(Tensor(X), axis=1, p=3, keep_dims=True).asnumpy()
    np.testing.assert_allclose(got, (np.abs(X) ** 3).sum(1, keepdims=True) ** (1 / 3), 1e-6)


def test_split_took_the_number_of_parts():
    parts = ops.split(Tensor(X), axis=1, output_num=3)
    assert [part.asnumpy().tolist() for part in parts] == [[[1], [4]], [[5], [-3]], [[2], [0.5]]]
    assert len(ops.split(input_x=Tensor(X), split_size_or_sections=1, axis=0)) == 2
    with pytest.raises(ValueError, match="'output_num'"):
        ops.split(Tensor(X), axis=1, output_num=2)


def positions(mode, new, old):
    """The positions of the new pixels among the old ones, by the formulas of the page."""
    i = np.arange(new)
    return {
        "align_corners": i * (old - 1) / (new - 1),
        "half_pixel": (i + 0.5) * old / new - 0.5,
        "asymmetric": i * old / new,
    }[mode].clip(0, old - 1)


@pytest.mark.parametrize("mode", ["align_corners", "half_pixel", "asymmetric"])
class TestInterpolate:
    def test_images(self, mode):
        """The images are linear in both directions, so the pixels follow from the positions."""
        rows, columns = positions(mode, 4, 3), positions(mode, 7, 5)
        got = ops.interpolate(
            Tensor(IMAGE), sizes=(4, 7), coordinate_transformation_mode=mode, mode="bilinear"
        )
        wanted = (5 * rows[:, None] + columns)[None, None]
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-5, atol=1e-5)

    def test_sequences(self, mode):
        got = ops.interpolate(
            Tensor(IMAGE[0]), scales=(1.0, 1.0, 1.5), coordinate_transformation_mode=mode
        )
        wanted = IMAGE[0, :, :, :1] + positions(mode, 7, 5)
        np.testing.assert_allclose(got.asnumpy(), wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"sizes": (4, 7)}, ValueError),  # "linear" is for sequences
        ({"sizes": (4,), "mode": "bilinear"}, ValueError),
        ({"sizes": 4, "mode": "bilinear"}, TypeError),
        ({"sizes": (4.0, 7.0), "mode": "bilinear"}, TypeError),
        ({"sizes": (4, 7), "mode": "nearest"}, ValueError),
        ({"sizes": (4, 7), "scales": (1.0, 1.0, 2.0, 2.0), "mode": "bilinear"}, ValueError),
        ({"scales": (1.0, 2.0, 2.0, 2.0), "mode": "bilinear"}, ValueError),
        ({"coordinate_transformation_mode": "other", "sizes": (4, 7)}, ValueError),
    ],
)
def test_other_interpolations_are_refused(arguments, error):
    with pytest.raises(error, match="For 'interpolate'"):
        ops.interpolate(Tensor(IMAGE), **arguments)


def test_a_function_shows_the_parameters_of_today():
    assert list(inspect.signature(ops.argmax).parameters) == ["input", "dim", "keepdim"]
    with pytest.raises(TypeError, match="unexpected keyword"):
        ops.argmax(Tensor(X), axes=1)
    assert "vocab_cache_size" not in inspect.signature(nn.EmbeddingLookup).parameters


def test_a_cache_of_embeddings_is_dropped():
    layer = nn.EmbeddingLookup(4, 3, vocab_cache_size=0)
    assert layer.embedding_table.shape == (4, 3)
    with pytest.raises(TypeError, match="'vocab_cache_size' must be an int >= 0, but got -1"):
        nn.EmbeddingLookup(4, 3, vocab_cache_size=-1)


def test_the_status_of_overflows():
    status = amp.init_status()
    assert status.shape == (8,) and not status.asnumpy().any()
    assert amp.all_finite([Tensor(X)], status) and amp.all_finite([Tensor(X)], status=None)
    assert not amp.all_finite([Tensor([np.inf])], status)
    with pytest.raises(TypeError, match="'status'"):
        amp.all_finite([Tensor(X)], 3)


def test_the_file_of_a_dataset(tmp_path):
    path = str(tmp_path / "rows")
    writer = FileWriter(path, 1, overwrite=True)
    writer.add_schema({"n": {"type": "int32"}})
    writer.write_raw_data([{"n": 7}])
    writer.commit()
    assert [
        int(row["n"]) for row in dataset.MindDataset(dataset_file=path).create_dict_iterator()
    ] == [7]


def test_a_script_may_have_them_refused():
    script = "from mindspore_compat import Tensor, ops; ops.argmax(Tensor([1]), axis=0)"
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, "MINDSPORE_COMPAT_LEGACY": "0"},
        capture_output=True,
        text=True,
    )
    assert "unexpected keyword argument 'axis'" in done.stderr
