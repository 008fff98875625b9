"""Converts expressions to ScopedValues, and ScopedValues to expressions."""

import ast

from .api.scoped_value import ScopedValue, ValueType
from .flattening import is_path


def value_of(expression):
    """Returns the ScopedValue of an expression."""
    if isinstance(expression, ast.Constant) and isinstance(
        expression.value, (int, float, str, type(None))
    ):
        return ScopedValue(ValueType.ConstantValue, "", expression.value)
    if is_path(expression):
        scope, _, name = ast.unparse(expression).rpartition(".")
        return ScopedValue.create_naming_value(name, scope)
    return ScopedValue(ValueType.UnsupportedValue)


def expression_of(api, value):
    """Returns the expression for a ScopedValue; a str names a variable.

    Raises:
        TypeError: if the value is neither a name nor made of constants.
    """
    if isinstance(value, str):
        value = ScopedValue.create_naming_value(value)
    if value.type is ValueType.NamingValue:
        return ast.parse(repr(value), mode="eval").body
    if value.type is ValueType.ConstantValue:
        return ast.Constant(value.value)
    if value.type in (ValueType.TupleValue, ValueType.ListValue):
        items = [expression_of(api, item) for item in value.value]
        return (ast.Tuple if value.type is ValueType.TupleValue else ast.List)(items, ast.Load())
    if value.type is ValueType.DictValue:
        keys = [ast.Constant(key) for key in value.value]
        return ast.Dict(keys, [expression_of(api, item) for item in value.value.values()])
    raise TypeError(f"For '{api}', a value must be a name or constants, but got {value!r}.")


def target_of(targets):
    """Returns the left side of an assignment to these ScopedValues or strs."""
    targets_ = [expression_of("Node", place) for place in targets]
    target = targets_[0] if len(targets_) == 1 else ast.Tuple(targets_, ast.Store())
    for place in ast.walk(target):
        if hasattr(place, "ctx"):
            place.ctx = ast.Load()
    for place in [target, *targets_]:
        place.ctx = ast.Store()
    return target
