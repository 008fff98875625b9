"""The recursions of CTC and RNN-T are one kernel each on a GPU, with the same numbers as on the
host."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from tests.gpu import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
RNG = np.random.default_rng(0)
ROUNDING = {np.float64: 1e-12, np.float32: 2e-5}
SIZES = {  # times, count, classes, labels
    "usual": (9, 4, 6, 3),
    "no labels": (3, 2, 4, 0),
    "one time": (1, 2, 3, 1),
    "a label and its repeats": (7, 2, 3, 3),
    "many labels": (1100, 1, 5, 520),
}


def log_softmax(x):
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


def of_ctc(size, dtype):
    times, count, classes, longest = SIZES[size]
    logs = log_softmax(RNG.normal(size=(times, count, classes))).astype(dtype)
    targets = RNG.integers(1, classes, (count, longest))
    if size == "a label and its repeats":
        targets[0], targets[1, -1] = 1, -1
    steps = np.maximum(times - np.arange(count), 1)
    lengths = np.minimum(np.maximum(longest - np.arange(count), 0), steps)
    return logs, targets, steps, lengths


def check(space, name, given, *settings, dtype):
    """Asserts that a function returns on the device what it returns on the host."""
    wanted = results(arrays.HOST, name, given, settings)
    device = [space.asarray(array) for array in given]
    results(space, name, device, settings)
    with counters.counted() as counts:
        found = results(space, name, device, settings)
    assert counts.synchronisations == counts.transfers == 0 and counts.launches <= 4
    rounding = ROUNDING[dtype] * max(len(given[0]) / 40, 1)  # of numbers that grow with time
    for array, expected in zip(found, wanted, strict=True):
        assert array.dtype == dtype and type(array) is type(device[0])
        np.testing.assert_allclose(arrays.to_host(array), expected, rtol=rounding, atol=rounding)


def results(space, name, given, settings):
    found = getattr(space, name)(*given, *settings)
    return found if isinstance(found, tuple) else (found,)


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("merge", [True, False])
def test_ctc_is_that_of_the_host(space, size, merge, dtype):
    given = of_ctc(size, dtype)
    check(space, "ctc_nll", given, 0, merge, dtype=dtype)
    check(space, "ctc_occupation", given, 0, merge, dtype=dtype)
    check(space, "ctc_nll_and_alpha", given, 0, dtype=dtype)


def test_no_time_is_aligned_to_no_label_alone(space):
    logs, targets, steps, lengths = of_ctc("usual", np.float32)
    steps[:], lengths[0] = 0, 0
    for name in ("ctc_nll", "ctc_occupation", "ctc_nll_and_alpha"):
        check(space, name, (logs, targets, steps, lengths), 0, dtype=np.float32)


@pytest.mark.parametrize("value", [-np.inf, np.nan])
def test_impossible_targets_and_nan(space, value):
    logs, targets, steps, lengths = of_ctc("usual", np.float32)
    logs[:, 0] = value
    steps[1] = 1  # three labels need three times
    given = logs, targets, steps, lengths
    for name in ("ctc_nll", "ctc_occupation"):
        check(space, name, given, 2, dtype=np.float32)


@pytest.mark.parametrize("dtype", ROUNDING)
@pytest.mark.parametrize("sizes", [(3, 4, 3, 5), (2, 1, 1, 2), (1, 3, 1040, 2), (1, 40, 2, 3)])
@pytest.mark.parametrize("blank", [0, 1])
def test_transducers_are_those_of_the_host(space, sizes, blank, dtype):
    batch, times, positions, classes = sizes
    logs = log_softmax(RNG.normal(size=sizes)).astype(dtype)
    labels = RNG.integers(0, classes, (batch, positions - 1))
    steps = np.maximum(times - np.arange(batch), 1)
    lengths = np.maximum(positions - 1 - np.arange(batch), 0)
    for name in ("rnnt_nll", "rnnt_occupation"):
        check(space, name, (logs, labels, steps, lengths), blank, dtype=dtype)


def losses():
    """A list of losses: the arguments, the number of launches of a call and of a call with its
    gradient, and the number of copies from the host."""
    logs, targets, steps, lengths = of_ctc("usual", np.float32)
    targets, steps, lengths = (x.astype(np.int32) for x in (targets, steps, lengths))
    labels = np.array([[1, 2], [2, 3]], np.int32), np.array([4, 4], np.int32), np.int32([2, 1])
    acts = RNG.normal(size=(2, 4, 3, 5)).astype(np.float32)
    rows = np.array([[0, 0], [0, 1], [1, 0], [3, 0]]), np.array([0, 1, 2, 0], np.int32), steps
    return {
        "ctc_loss": ((lambda *x: ops.ctc_loss(*x)[0]), (logs, targets, steps, lengths), 20, 40, 0),
        "RNNTLoss": ((lambda *x: ops.RNNTLoss()(*x)[0]), (acts, *labels), 18, 21, 0),
        "CTCLoss": ((lambda *x: ops.CTCLoss()(*x)[0]), (logs, *rows), 18, 25, 1),
    }


@pytest.mark.parametrize("name", losses())
def test_losses_read_only_their_lengths_once(space, name):
    loss, given, launches, with_gradient, copies = losses()[name]
    gradient = ms.value_and_grad(lambda *x: loss(*x).sum())
    tensors = [Tensor(x) for x in given]
    for function, most in ((loss, launches), (gradient, with_gradient)):
        function(*tensors)
        with counters.counted() as counts:
            function(*tensors)
        assert counts.launches <= most and counts.synchronisations <= 1
        names = counts.names["transfers"]
        assert names["host_to_device"] + names["asarray"] == copies
    found = [x.asnumpy() for x in gradient(*tensors)]
    arrays.set_target("CPU")
    for one, right in zip(found, gradient(*map(Tensor, given)), strict=True):
        np.testing.assert_allclose(one, right.asnumpy(), rtol=2e-5, atol=2e-5)


def test_greedy_decoding_waits_for_lengths_and_for_the_number_of_labels(space):
    logs, _, steps, _ = of_ctc("usual", np.float32)
    given = logs, steps.astype(np.int32)
    tensors = [Tensor(x) for x in given]
    ops.ctc_greedy_decoder(*tensors)
    with counters.counted() as counts:
        found = ops.ctc_greedy_decoder(*tensors)
    assert counts.launches <= 34 and counts.synchronisations <= 2
    names = counts.names["transfers"]
    assert names["host_to_device"] + names["asarray"] == 0
    found = [x.asnumpy() for x in found]
    arrays.set_target("CPU")
    for one, right in zip(found, ops.ctc_greedy_decoder(*map(Tensor, given)), strict=True):
        assert one.dtype == right.asnumpy().dtype
        np.testing.assert_allclose(one, right.asnumpy(), rtol=2e-5)


def test_several_arrays_are_read_at_once(space):
    given = np.arange(3, dtype=np.int32), np.array([[7], [-9]]), np.zeros((0, 2), np.uint8)
    device = [space.asarray(array) for array in given]
    with counters.counted() as counts:
        found = arrays.integers_to_host(device)
    assert counts.synchronisations == 1
    for one, right in zip(found, given, strict=True):
        np.testing.assert_array_equal(one, right)
