"""Arithmetic with bool Tensors against stored answers of MindSpore 2.10.

`data/bool_arithmetic.json` has one row per pair of dtypes and operator: the expression, the dtype
(or the exception) and the values. It omits pairs without a CPU kernel in 2.10, and the undefined
results of integer division by zero.
"""

import json
from pathlib import Path

import numpy
import pytest

import mindspore_compat as ms

ROWS = json.loads((Path(__file__).parents[1] / "data" / "bool_arithmetic.json").read_text())


def tensor(dtype, values):
    """A Tensor of that dtype."""
    return ms.Tensor(values, ms.float32).astype(getattr(ms, "bool_" if dtype == "bool" else dtype))


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_as_kept(row):
    text, outcome, values = row
    if values is None:
        with pytest.raises(TypeError):
            eval(text, {"T": tensor})
        return
    found = eval(text, {"T": tensor})
    assert str(found.dtype) == outcome
    seen = found.astype(ms.complex128 if "Complex" in outcome else ms.float64).asnumpy()
    wanted = [complex(*map(float, v)) if isinstance(v, list) else float(v) for v in values]
    # Some results are of 16 bits.
    numpy.testing.assert_allclose(seen.ravel()[: len(wanted)], wanted, rtol=1e-3)


def test_functions_of_bools():
    one, two = tensor("bool", [1, 0]), tensor("bool", [1, 1])
    assert ms.mint.sub(one, two).tolist() == [False, True]
    assert one.subtract(two).dtype == ms.bool_
    assert ms.ops.subtract(one, two).tolist() == [0, -1]
    assert ms.ops.subtract(one, two).dtype == ms.int64
    assert ms.ops.floor_div(one, two).dtype == ms.bool_


@pytest.mark.parametrize("loss", [ms.nn.L1Loss, ms.nn.MAELoss])
def test_absolute_errors_of_bools_are_bools(loss):
    one, two = tensor("bool", [1, 0, 1]), tensor("bool", [1, 1, 0])
    assert loss("none")(one, two).tolist() == [False, True, True]
    for reduction in ("mean", "sum"):
        total = loss(reduction)(one, two)
        assert total.dtype == ms.bool_ and total.item() is True
    assert loss()(one, one).item() is False


def test_losses_of_bools_and_numbers():
    flags, numbers = tensor("bool", [1, 0, 1]), tensor("int32", [1, 2, 3])
    assert ms.nn.L1Loss("sum")(flags, numbers).dtype == ms.int32
    squares = ms.nn.MSELoss("none")(flags, numbers)
    assert squares.dtype == ms.int32 and squares.tolist() == [0, 4, 4]
    with pytest.raises(TypeError, match="For 'huber_loss', .* but got two Tensors of bool"):
        ms.nn.HuberLoss()(flags, flags)


def test_unsigned_pixels_divided_by_a_float():
    found = tensor("uint16", [0, 65535]) / 65535.0
    assert found.dtype == ms.float32 and found.tolist() == [0.0, 1.0]
    with pytest.raises(TypeError):
        tensor("uint16", [1]) * tensor("bool", [1])
