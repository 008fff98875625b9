"""Audio transforms give what MindSpore 2.10 was observed to give.

The calls, and how results are told, are in tests/audio_calls.py.
"""

import json

import audio_calls
import numpy as np
import pytest

from mindspore_compat import dataset as ds

CASES = [json.loads(line) for line in audio_calls.FILE.read_text().splitlines()]
KNOWN = audio_calls.names("mindspore_compat")

# How far values may be off, in parts of the largest one. The original computes in the dtype of the
# input, sample after sample, so errors add up; whole numbers may be rounded to either side.
NEAR = {"float16": 2e-2, "float32": 2e-5, "float64": 2e-5}


@pytest.mark.parametrize("call, wanted", CASES, ids=[case[0] for case in CASES])
def test_a_call_gives_what_the_original_gives(call, wanted):
    ds.config.set_seed(audio_calls.SEED)
    check(audio_calls.outcome(call, KNOWN), wanted)


def check(found, wanted):
    """Compares what was told of two results."""
    if isinstance(wanted, str) or isinstance(found, str):
        assert found == wanted
        return
    if isinstance(wanted, list):
        assert len(found) == len(wanted)
        for each, other in zip(found, wanted, strict=True):
            check(each, other)
        return
    assert (found["dtype"], found["shape"]) == (wanted["dtype"], wanted["shape"])
    values = np.array(wanted["values"])
    largest = np.abs(values[np.isfinite(values)]).max(initial=0.0)
    near = NEAR.get(wanted["dtype"], 0.0)
    np.testing.assert_allclose(found["values"], values, rtol=near, atol=near * largest)
    np.testing.assert_allclose(found["mass"], wanted["mass"], rtol=10 * near)


def test_a_filter_in_a_pipeline_filters_each_row():
    rows = audio_calls.waves()["batch"]
    low = ds.audio.LowpassBiquad(8000, 300.0)
    found = [row for (row,) in ds.NumpySlicesDataset(rows, ["wave"], shuffle=False)
             .map(low, "wave").create_tuple_iterator(output_numpy=True, num_epochs=1)]
    np.testing.assert_array_equal(found, [low(row) for row in rows])


@pytest.mark.parametrize("value", [[1.0, 2.0], 1.0, "text", None])
def test_what_is_no_array_is_refused(value):
    with pytest.raises(TypeError, match="For 'Gain', the input must be a NumPy array"):
        ds.audio.Gain()(value)
