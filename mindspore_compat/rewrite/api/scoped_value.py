"""ScopedValue: a value in a statement, such as an argument or a target."""

from enum import Enum

from .._checks import need, need_each

__all__ = ["ScopedValue", "ValueType"]


class ValueType(Enum):
    """The kind of a ScopedValue.

    `NamingValue` is the name of a variable, `CustomObjValue` an object that cannot be written as a
    literal, `UnsupportedValue` an expression that is kept unchanged.

    Examples:
        >>> from mindspore_compat.rewrite import ValueType
        >>> print(ValueType.NamingValue)
        ValueType.NamingValue

    Source: mindspore.rewrite.ValueType of MindSpore 2.10.
    """

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


_CONTAINERS = {tuple: ValueType.TupleValue, list: ValueType.ListValue, dict: ValueType.DictValue}


class ScopedValue:
    """A value and the scope of its name.

    Args:
        arg_type (ValueType): the kind of the value.
        scope (str, optional): the part before the name: "self" of "self.conv".
        value (Any, optional): the name or the constant.

    Raises:
        TypeError: if `arg_type` is not a ValueType, or `scope` no str.

    Examples:
        >>> from mindspore_compat.rewrite import ScopedValue, ValueType
        >>> print(ScopedValue(ValueType.NamingValue, "self", "conv"))
        self.conv

    Source: mindspore.rewrite.ScopedValue of MindSpore 2.10.
    """

    def __init__(self, arg_type, scope="", value=None):
        need("ScopedValue", "arg_type", arg_type, ValueType)
        need("ScopedValue", "scope", scope, str)
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value):
        """Returns the ScopedValue of a Python value; its kind follows from the value.

        Args:
            value (Any): a number, str, None, or a tuple, list or dict of these; anything else is a
                `CustomObjValue`.

        Returns:
            ScopedValue.

        Examples:
            >>> from mindspore_compat.rewrite import ScopedValue
            >>> print(ScopedValue.create_variable_value(2))
            2
        """
        if value is None or isinstance(value, (int, float, str)):
            return cls(ValueType.ConstantValue, "", value)
        kind = _CONTAINERS.get(type(value))
        if kind is None:
            return cls(ValueType.CustomObjValue, "", value)
        if kind is ValueType.DictValue:
            values = {key: cls.create_variable_value(item) for key, item in value.items()}
        else:
            values = type(value)(map(cls.create_variable_value, value))
        return cls(kind, "", values)

    @classmethod
    def create_naming_value(cls, name, scope=""):
        """Returns a ScopedValue for a variable.

        Args:
            name (str): the name.
            scope (str, optional): the part before the name.

        Returns:
            ScopedValue.

        Raises:
            TypeError: if an argument is not a str.

        Examples:
            >>> from mindspore_compat.rewrite import ScopedValue
            >>> print(ScopedValue.create_naming_value("conv", "self"))
            self.conv
        """
        need("ScopedValue", "name", name, str)
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None):
        """Returns the ScopedValues of several names.

        Args:
            names (Union[list[str], tuple[str]]): the names.
            scopes (Union[list[str], tuple[str]], optional): the part before each name.

        Returns:
            list[ScopedValue].

        Raises:
            TypeError: if an argument is not a list or tuple of strs.
            ValueError: if there are more or fewer scopes than names.

        Examples:
            >>> from mindspore_compat.rewrite import ScopedValue
            >>> print(ScopedValue.create_name_values(["z", "z_1"], ["self", "self"]))
            [self.z, self.z_1]
        """
        need_each("ScopedValue", "names", names, str)
        if scopes is None:
            scopes = [""] * len(names)
        need_each("ScopedValue", "scopes", scopes, str)
        if len(names) != len(scopes):
            raise ValueError(
                f"For 'ScopedValue', 'scopes' must be as long as 'names', {len(names)}, but got "
                f"{len(scopes)}."
            )
        return [
            ScopedValue.create_naming_value(*entry) for entry in zip(names, scopes, strict=True)
        ]

    def __eq__(self, other):
        if not isinstance(other, ScopedValue):
            return NotImplemented
        return (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self):
        return hash((self.type, self.scope, str(self.value)))

    def __repr__(self):
        if self.type is ValueType.ConstantValue:
            return str(self.value)
        if self.type is ValueType.NamingValue:
            return f"{self.scope}.{self.value}" if self.scope else self.value
        if self.type is ValueType.CustomObjValue:
            return f"CustomObj: {self.value}"
        return f"Illegal ValueType: {self.type}"
