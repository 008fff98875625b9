"""Rules for arguments that are only compared or indexed: Compared, Items, Instead, AsFloat."""

import math

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat._core.rules.comparisons import AsFloat, Compared, Instead, Items
from mindspore_compat._core.rules.vocabulary import Int, Str, checked

pytestmark = pytest.mark.quick
SHARE = Compared(ge=0.0, lt=1.0)


@pytest.mark.parametrize("value", [0, 0.5, False, np.float32(0.5), np.array([0.5]), Tensor([0.5])])
def test_what_can_be_compared_is_read_as_a_number(value):
    assert SHARE.accepts(value)
    assert SHARE.read(value) in (0, 0.5) and isinstance(SHARE.read(value), (int, float))


@pytest.mark.parametrize(
    "value, error",
    [(1.0, ValueError), (np.array([0.1, 0.2]), ValueError), ("0.5", TypeError), (None, TypeError)],
)
def test_other_values_are_refused(value, error):
    with pytest.raises(error, match="'share' must be a number >= 0.0 and < 1.0"):
        SHARE.refuse("f", "share", value)


def test_nan_is_in_range_unless_the_rule_says_otherwise():
    assert SHARE.accepts(math.nan)
    assert Compared(ge=0.0, nan=False).verdict(math.nan) is ValueError


def test_each_of_two_items_parameters_has_its_own_rules():
    @checked
    def f(low: Items(SHARE, SHARE) = (0, 0), high: Items(Compared(gt=5), Compared(gt=5)) = (6, 6)):
        return low, high

    assert f([0.5, np.float64(0.1)], [6, 7, 8]) == ((0.5, 0.1), (6, 7))
    for arguments, name in (([0.5, 1.0], [6, 7]), "low"), (([0.5, 0.5], [6, 5]), "high"):
        with pytest.raises(ValueError, match=f"'{name}' must be"):
            f(*arguments)
    with pytest.raises(IndexError):
        f([0.5])


def test_another_error_takes_the_place_of_a_type_error():
    rule = Instead(Int(ge=1), AttributeError, Str)
    assert [rule.verdict(v) for v in (1, 0, None, "1")] == [
        None,
        ValueError,
        AttributeError,
        TypeError,
    ]


def test_whatever_float_converts():
    assert AsFloat().read(" 1e3 ") == 1000.0 and AsFloat().read(Tensor([2])) == 2.0
    assert AsFloat().verdict("text") is ValueError and AsFloat().verdict([1]) is TypeError
