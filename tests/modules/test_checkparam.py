"""mindspore._checkparam: the checks that public scripts import."""

import math

import numpy
import pytest

from mindspore_compat import _checkparam as check
from mindspore_compat import float16, float32, int32

GOOD = [
    (check.check_positive_int, (3,), 3),
    (check.check_non_negative_int, (0,), 0),
    (check.check_negative_int, (-1,), -1),
    (check.check_non_positive_int, (0,), 0),
    (check.check_int, (5, 3, check.GT), 5),
    (check.check_equal_int, (3, 3), 3),
    (check.check_positive_float, (0.5,), 0.5),
    (check.check_non_negative_float, (0.0,), 0.0),
    (check.check_float, (2.0, 2.0, check.GE), 2.0),
    (check.check_int_range, (1, 1, 5, check.INC_LEFT), 1),
    (check.check_int_range, (5, 1, 5, check.INC_RIGHT), 5),
    (check.check_float_range, (0.5, 0.0, 1.0, check.INC_NEITHER), 0.5),
    (check.check_bool, (False,), False),
    (check.check_string, ("x", ["x", "y"]), "x"),
    (check.check_value_type, ("a", 1, [int]), 1),
    (check.check_value_type, ("a", True, [int, bool]), True),
    (check.check_value_type, ("a", None, (int, type(None))), None),
    (check.check_number, ("a", 3.5, 3, check.GT, "P"), 3.5),
    (check.check, ("a", 3, "b", 3), 3),
    (check.check, ("a", 3, "b", [1, 5], check.INC_BOTH), 3),
    (check.check, ("a", 3, "b", [1, 3], check.IN), 3),
    (check.check_isinstance, ("a", 1, int), 1),
    (check.check_type_name, ("a", float32, [float32, float16], "P"), float32),
    (check.check_types_same_and_valid, ({"a": float32, "b": float32}, [float32], "P"), None),
    (check.check_positive_int_sequence, ([1, 2],), [1, 2]),
    (check.twice, (3,), (3, 3)),
    (check.triple, ((1, 2, 3),), (1, 2, 3)),
]
BAD = [
    (check.check_positive_int, (0, "a", "P"), ValueError),
    (check.check_positive_int, (1.0, "a", "P"), TypeError),
    (check.check_positive_int, (True, "a", "P"), TypeError),
    (check.check_positive_int, (numpy.int64(3), "a", "P"), TypeError),
    (check.check_non_negative_int, (-1, "a", "P"), ValueError),
    (check.check_equal_int, (2, 3, "a", "P"), ValueError),
    (check.check_positive_float, (0.0, "a", "P"), ValueError),
    (check.check_positive_float, (1, "a", "P"), TypeError),
    (check.check_positive_float, (math.nan, "a", "P"), ValueError),
    (check.check_positive_float, (math.inf, "a", "P"), ValueError),
    (check.check_is_float, (numpy.float32(1), "a", "P"), TypeError),
    (check.check_int_range, (5, 1, 5, check.INC_LEFT, "a", "P"), ValueError),
    (check.check_int_range, (1.0, 1, 5, check.INC_LEFT, "a", "P"), TypeError),
    (check.check_float_range, (1.0, 0.0, 1.0, check.INC_NEITHER, "a", "P"), ValueError),
    (check.check_float_range, (1, 0.0, 1.0, check.INC_BOTH, "a", "P"), TypeError),
    (check.check_bool, (1, "a", "P"), TypeError),
    (check.check_string, ("z", ["x", "y"], "a", "P"), ValueError),
    (check.check_string, (1, ["x", "y"], "a", "P"), ValueError),
    (check.check_value_type, ("a", 1.0, [int], "P"), TypeError),
    (check.check_value_type, ("a", True, [int], "P"), TypeError),
    (check.check_number, ("a", 3, 4, check.GT, "P"), ValueError),
    (check.check, ("a", 3, "b", 4, check.EQ, "P"), ValueError),
    (check.check, ("a", 3, "b", 4, check.GT, "P", TypeError), TypeError),
    (check.check, ("a", 5, "b", [1, 5], check.INC_LEFT, "P"), ValueError),
    (check.check_type_name, ("a", int32, [float32], "P"), TypeError),
    (
        check.check_types_same_and_valid,
        ({"b": float32, "a": float16}, [float32, float16], "P"),
        TypeError,
    ),
    (check.check_types_same_and_valid, ({"a": int32}, [float32], "P"), TypeError),
    (check.check_positive_int_sequence, ([1, 0], "a", "P"), ValueError),
]


@pytest.mark.parametrize("function, arguments, expected", GOOD)
def test_returns_the_value(function, arguments, expected):
    assert function(*arguments) == expected


@pytest.mark.parametrize("function, arguments, error", BAD)
def test_refuses(function, arguments, error):
    with pytest.raises(error, match=r"^For 'P', 'a(\[1\])?' must be "):
        function(*arguments)


def test_message_without_names():
    with pytest.raises(ValueError, match=r"^The value must be an int > 0, but got 0\.$"):
        check.check_positive_int(0)


def test_tuple_of_another_length():
    with pytest.raises(TypeError):
        check.twice((1, 2, 3))


def test_decorator_checks_by_position_and_name():
    @check.args_type_check(int, b=str)
    def function(a, b="x"):
        return a, b

    assert function(1) == (1, "x")
    assert function(True, b="y") == (True, "y")
    with pytest.raises(TypeError, match="'a'"):
        function(1.0)
    with pytest.raises(TypeError, match="'b'"):
        function(1, b=2)


def test_decorator_checks_what_collected_keywords_are():
    @check.args_type_check(length=int, rates=(int, float))
    def function(name=None, **settings):
        return name, settings

    assert function("a", length=3, other="x") == ("a", {"length": 3, "other": "x"})
    assert function(length=None) == (None, {"length": None})
    with pytest.raises(TypeError, match="'rates'"):
        function("a", rates="x")


def test_older_spelling():
    assert check.Validator.check_positive_int(3, "a", "P") == 3
    assert check.Rel.INC_BOTH == check.INC_BOTH
    with pytest.raises(ValueError):
        check.Validator.check_float_range(2.0, 0.0, 1.0, check.Rel.INC_NEITHER, "a", "P")


def test_relations_of_the_older_spelling():
    """Libraries use the class `Validator` if it exists, otherwise the module: both have the same
    functions."""
    names = ("EQ", "NE", "LT", "LE", "GT", "GE", "IN", "NOT_IN")
    names += ("INC_NEITHER", "INC_LEFT", "INC_RIGHT", "INC_BOTH")
    for name in names:
        assert getattr(check.Validator, name) == getattr(check, name), name
    check.Validator.check("rank", 2, "expected rank", 2, rel=check.Validator.EQ)
    with pytest.raises(ValueError, match="rank"):
        check.Validator.check("rank", 3, "expected rank", 2, rel=check.Validator.EQ)
