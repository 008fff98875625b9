"""Single operators that once took many launches or waits now take few."""

import numpy as np
import pytest
from fakecupy import rawkernels

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat.ops._recurrent.steps import gru_steps, lstm_steps

from . import counters

pytestmark = [
    pytest.mark.parametrize("space", counters.DEVICES, indirect=True),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]
INTEGERS = np.array([[0, 1, -1], [2**40 + 3, -(2**63), 2**63 - 1]])
BOXES = np.array([[[0, 0, 2, 2, 10], [1, 1, 3, 2, 45], [5, 5, 1, 1, 0]]], np.float32)
CALLS = {  # the function, its arguments, the launches
    "population_count of int64": (ops.population_count, (INTEGERS,), 14),
    "population_count of int16": (ops.population_count, (INTEGERS.astype("int16"),), 14),
    "rotated_iou": (ops.rotated_iou, (BOXES, BOXES[:, ::-1] + 0.5), 96),
    "lerp by a number": (lambda x, y: ops.lerp(x, y, 0.3), (BOXES, -BOXES), 1),
    "addcmul with a number": (lambda x, y: ops.addcmul(x, x, y, 0.3), (BOXES, -BOXES), 1),
    "addcmul with an integer": (lambda x, y: ops.addcmul(x, x, y, 2), (BOXES, -BOXES), 2),
}

IDS, POINTS = np.array([0, 0, 1], np.int32), np.array([2, 0, 1], np.int32)
MATRIX, HALF = np.arange(6, dtype=np.float32).reshape(3, 2), np.float32(0.5)
SQUARE = np.eye(3, dtype=np.float32) + HALF
READING = {  # a function that reads values, its arguments, how often the host waits for the device
    "take": (ops.take, (MATRIX, POINTS), 1),
    "Tensor.take": (lambda x, at: x.take(at, mode="raise"), (MATRIX, POINTS), 1),
    "embedding": (mint.nn.functional.embedding, (POINTS, MATRIX), 1),
    "scatter_nd_update": (ops.tensor_scatter_update, (MATRIX, POINTS[:, None], MATRIX), 1),
    "scatter": (lambda x, *given: ops.scatter(x, 0, *given), (SQUARE, POINTS[None], SQUARE[:1]), 0),
    "scatter_nd": (lambda *given: ops.scatter_nd(*given, (3, 2)), (POINTS[:, None], MATRIX), 0),
    "SparseSoftmaxCrossEntropyWithLogits": (
        ops.SparseSoftmaxCrossEntropyWithLogits(),
        (SQUARE, POINTS),
        0,
    ),
    "UnravelIndex": (ops.UnravelIndex(), (POINTS, np.array([2, 2], np.int32)), 2),
    "expand": (ops.expand, (MATRIX, np.array([4, 3, 2])), 1),
    "ResizeArea": (ops.ResizeArea(), (MATRIX.reshape(1, 3, 2, 1), POINTS[:2] + 1), 1),
    "sparse_segment_mean": (ops.sparse_segment_mean, (MATRIX, POINTS, IDS), 1),
    "bincount": (ops.bincount, (POINTS,), 1),
    "mint.bincount, weighted": (mint.bincount, (POINTS, HALF * POINTS), 1),
    "Bincount": (ops.Bincount(), (POINTS, np.int32(2), HALF * POINTS), 1),
    "inverse": (mint.inverse, (SQUARE,), 1),
    "matrix_solve": (ops.matrix_solve, (SQUARE, MATRIX), 1),
    "histc": (ops.histc, (MATRIX,), 0),
    "HistogramFixedWidth": (ops.HistogramFixedWidth(3), (MATRIX, MATRIX[1]), 1),
    "unsorted_segment_max": (ops.unsorted_segment_max, (MATRIX, IDS, 2), 0),
    "CombinedNonMaxSuppression": (
        lambda *given: ops.CombinedNonMaxSuppression()(*given)[0],
        (MATRIX[None, :, None, [0, 0, 1, 1]], MATRIX[None], POINTS[0], POINTS[0], HALF, HALF),
        1,
    ),
    "multi_scale_deformable_attn": (
        ops.multi_scale_deformable_attn_function,
        (
            *(np.ones((1, 6, 1, 8), np.float32), np.array([[2, 2], [1, 2]], np.int32)),
            *(np.array([0, 4], np.int32), np.full((1, 1, 1, 2, 1, 2), HALF)),
            np.ones((1, 1, 1, 2, 1), np.float32),
        ),
        1,
    ),
}

REPEATS = 2100  # float16 does not add them one by one: 2048 + 1 is 2048 there
GATHERS = {  # a function that gathers the first row, the launches of its gradient
    "gather": (lambda x, at: ops.gather(x, at, 0), 8),
    "gather of columns": (lambda x, at: ops.gather(x.T, at, 1), 10),
    "index": (lambda x, at: x[at], 9),
    "two indices": (lambda x, at: x[at, at], 15),
    "gather_nd": (lambda x, at: ops.gather_nd(x, at[:, None]), 9),
    "gather_elements": (lambda x, at: ops.gather_elements(x, 0, at[:, None]), 15),
}

STEPS = 4
RECURRENT = {  # an operator, the shapes of its inputs, launches of each step: forward, backward
    "DynamicRNN": (lstm_steps, [(STEPS, 2, 3), (8, 20), (20,), (2, 5), (2, 5)], 3, 3),
    "DynamicGRUV2": (gru_steps, [(STEPS, 2, 3), (3, 15), (5, 15), (2, 5), (15,), (15,)], 3, 5),
}
BESIDE = 3, 24  # launches of all steps together: forward, backward


@pytest.mark.parametrize("name", RECURRENT)
def test_a_step_with_gates_is_a_product_and_a_kernel(space, name):
    op, shapes, forward, backward = RECURRENT[name]
    rng = np.random.default_rng(0)
    tensors = [Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in shapes]

    def both():
        out, pull = ms.vjp(lambda *tensors: op.run(*tensors), *tensors)
        return pull(*out)

    op.run(*tensors), both()
    with counters.counted() as counts:
        op.run(*tensors)
    with counters.counted() as whole:
        both()
    assert counts.launches <= STEPS * forward + BESIDE[0], counts.names
    assert whole.launches - counts.launches <= STEPS * backward + BESIDE[1], whole.names
    assert whole.transfers == whole.synchronisations == 0


@pytest.mark.parametrize("name", CALLS)
def test_operators_take_few_launches_and_wait_for_nothing(space, name):
    function, given, launches = CALLS[name]
    tensors = [Tensor(x) for x in given]
    function(*tensors)
    with counters.counted() as counts:
        found = function(*tensors)
    assert counts.launches <= launches, counts.names
    assert counts.transfers == counts.synchronisations == 0
    ms.set_device("CPU")
    right = function(*map(Tensor, given))
    assert found.dtype == right.dtype
    np.testing.assert_allclose(found.asnumpy(), right.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16])
@pytest.mark.parametrize("name", GATHERS)
def test_gradients_of_a_repeated_row_are_added_in_float32(space, name, dtype):
    function, launches = GATHERS[name]
    x, at = Tensor(np.ones((3, 2)), dtype), Tensor(np.zeros(REPEATS, np.int32))
    gradient = ms.grad(lambda x: function(x, at).sum())
    gradient(x)
    with counters.counted() as counts:
        found = gradient(x)
    assert counts.transfers == counts.synchronisations == 0
    assert dtype == ms.bfloat16 or counts.launches <= launches, counts.names
    assert found.dtype == dtype
    assert found.astype(ms.float32).max() == Tensor(REPEATS, dtype).astype(ms.float32)


@pytest.mark.parametrize("name", READING)
def test_numbers_are_read_together(space, name):
    function, given, waits = READING[name]
    tensors = [x if isinstance(x, int) else Tensor(x) for x in given]
    function(*tensors)
    with counters.counted() as counts:
        found = function(*tensors)
    assert counts.synchronisations == waits, counts.names
    ms.set_device("CPU")
    right = function(*(x if isinstance(x, int) else Tensor(x) for x in given))
    assert found.dtype == right.dtype
    np.testing.assert_allclose(found.asnumpy(), right.asnumpy(), rtol=1e-6)


def test_a_dynamic_loss_scaler_is_adjusted_without_a_wait(space):
    def states():
        scaler = ms.amp.DynamicLossScaler(2.0**126, 2, 2)
        for finite in (True, True, True, True, False, True, False, False):
            scaler.adjust(Tensor(finite))
            yield float(scaler.scale_value), int(scaler.counter)

    scaler, finite = ms.amp.DynamicLossScaler(8, 2, 2), Tensor(True)
    scaler.adjust(finite)
    with counters.counted() as counts:
        scaler.adjust(finite)
    assert (counts.launches, counts.transfers, counts.synchronisations) == (1, 0, 0), counts.names
    found = list(states())
    ms.set_device("CPU")
    assert found == list(states())
    assert found[3][0] == 2.0**127
