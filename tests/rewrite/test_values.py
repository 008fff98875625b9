"""ScopedValues; their text is that of MindSpore 2.10."""

import pytest

from mindspore_compat.rewrite import ScopedValue, ValueType


@pytest.mark.parametrize(
    "value, kind, printed",
    [
        (2, "ConstantValue", "2"),
        ("a", "ConstantValue", "a"),
        (None, "ConstantValue", "None"),
        ((1,), "TupleValue", "Illegal ValueType: ValueType.TupleValue"),
        ([1], "ListValue", "Illegal ValueType: ValueType.ListValue"),
        ({"a": 1}, "DictValue", "Illegal ValueType: ValueType.DictValue"),
        (len, "CustomObjValue", "CustomObj: <built-in function len>"),
    ],
)
def test_the_type_follows_from_the_value(value, kind, printed):
    made = ScopedValue.create_variable_value(value)
    assert (made.type, str(made)) == (ValueType[kind], printed)


def test_names():
    name = ScopedValue.create_naming_value("conv", "self")
    assert repr(name) == "self.conv" and vars(name)["scope"] == "self"
    assert name == ScopedValue(ValueType.NamingValue, "self", "conv")
    assert len({name, ScopedValue.create_naming_value("conv", "self")}) == 1
    assert name != ScopedValue.create_naming_value("conv") and name != "self.conv"
    several = ScopedValue.create_name_values(("a", "b"), ["self", "x"])
    assert str(several) == "[self.a, x.b]"


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: ScopedValue(1), TypeError),
        (lambda: ScopedValue.create_naming_value(1), TypeError),
        (lambda: ScopedValue.create_naming_value("a", 1), TypeError),
        (lambda: ScopedValue.create_name_values("a"), TypeError),
        (lambda: ScopedValue.create_name_values([1]), TypeError),
        (lambda: ScopedValue.create_name_values(["a"], [1]), TypeError),
        (lambda: ScopedValue.create_name_values(["a"], ["a", "b"]), ValueError),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error, match="For 'ScopedValue'"):
        call()
