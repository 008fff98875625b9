"""Shapes and dtypes that Primitives infer for their results, as observed in 2.10."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat.common.dtype import TensorType

SINGLE, HALF, WHOLE = TensorType(ms.float32), TensorType(ms.float16), TensorType(ms.int32)


def test_fill_v2():
    fill = ops.FillV2()
    assert fill.infer_value((2, 3), Tensor(1.0)).tolist() == [[1, 1, 1], [1, 1, 1]]
    assert fill.infer_value([2], Tensor(1, ms.int8)).dtype == ms.int8
    assert fill.infer_value((2, 0), Tensor(1.0)).shape == (2, 0)
    for dims, value in (
        (None, Tensor(1.0)),
        ((2, None), Tensor(1.0)),
        ([2], None),
        (Tensor([2, 3]), Tensor(1.0)),
    ):
        assert fill.infer_value(dims, value) is None


@pytest.mark.parametrize(
    "x, y, wanted",
    [
        ([2, 1], [3], [2, 3]),
        ([], [3], [3]),
        ([2, -1], [1, 3], [2, 3]),
        ([-1], [1], [-1]),
        ([2, 3], [2, 3], [2, 3]),
        ([0], [1], [0]),
    ],
)
def test_shapes_of_quotients(x, y, wanted):
    assert ops.Xdivy().infer_shape(x, y) == wanted
    assert ops.Xdivy().infer_shape(y, x) == wanted


@pytest.mark.parametrize("x, y", [([2, 1], [3, 3, 3]), ([2], [3]), ([2, -1], [3, 1])])
def test_shapes_that_do_not_broadcast(x, y):
    with pytest.raises(ValueError, match="For 'Xdivy'"):
        ops.Xdivy().infer_shape(x, y)


def test_dtypes_and_values_of_quotients():
    made = ops.Xdivy()
    assert made.infer_dtype(ms.float32, ms.float32) == ms.float32
    assert made.infer_dtype(SINGLE, ms.float32) == SINGLE
    assert made.infer_dtype(TensorType(ms.complex64), TensorType(ms.complex64)) == TensorType(
        ms.complex64
    )
    for pair in ((ms.float32, ms.float16), (ms.int32, ms.int32), (SINGLE, HALF)):
        with pytest.raises(TypeError, match="For 'Xdivy'"):
            made.infer_dtype(*pair)
    assert made.infer_value(Tensor([2.0, 0.0]), Tensor([4.0, 0.0])).tolist() == [0.5, 0]
    assert made.infer_value(None, Tensor([1.0])) is made.infer_value(Tensor([1.0]), None) is None
    assert made(Tensor([2.0, 0.0]), Tensor([4.0, 0.0])).tolist() == [0.5, 0]


def test_dtypes_of_momentum():
    made = ops.FusedWeightScaleApplyMomentum()
    assert made.infer_dtype(*[SINGLE] * 7) == SINGLE
    assert made.infer_dtype(ms.float32, SINGLE, HALF, SINGLE, ms.float16, SINGLE, SINGLE) == HALF
    for at, bad in ((2, WHOLE), (2, ms.float32), (3, ms.float16), (0, ms.int32), (5, WHOLE)):
        given = [SINGLE] * 7
        given[at] = bad
        with pytest.raises(TypeError, match="For 'FusedWeightScaleApplyMomentum'"):
            made.infer_dtype(*given)


def test_dtypes_of_adam():
    made, good = ops.FusedCastAdamWeightDecay(), [HALF, *[SINGLE] * 7, HALF, SINGLE]
    assert made.infer_dtype(*good) == (HALF, SINGLE, SINGLE)
    mixed = [ms.float16, HALF, HALF, ms.float32, SINGLE, ms.float32, SINGLE, SINGLE, ms.float16, 3]
    assert made.infer_dtype(*mixed) == (ms.float16, HALF, HALF)
    for at, bad in (
        (2, HALF),
        (0, TensorType(ms.float64)),
        (7, HALF),
        (1, ms.float32),
        (1, TensorType(ms.bool_)),
        (8, WHOLE),
    ):
        given = list(good)
        given[at] = bad
        with pytest.raises(TypeError, match="For 'FusedCastAdamWeightDecay'"):
            made.infer_dtype(*given)
