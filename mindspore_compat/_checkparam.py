"""Argument checks, under the private path from which scripts import them.

The package itself does not use them; its rules are in signatures (`_core/rules/vocabulary.py`). A
check returns the value, or raises TypeError for a wrong type and ValueError for a wrong value.
Older scripts reach the same checks and relations as `Validator` and `Rel`.
"""

import functools
import inspect
import math
import operator
import re

from ._core.tensor import dtype as dtypes

EQ, NE, LT, LE, GT, GE, INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH, IN, NOT_IN = range(1, 13)

COMPARE = {
    EQ: ("=", operator.eq),
    NE: ("!=", operator.ne),
    LT: ("<", operator.lt),
    LE: ("<=", operator.le),
    GT: (">", operator.gt),
    GE: (">=", operator.ge),
    IN: ("in", lambda one, many: one in many),
    NOT_IN: ("not in", lambda one, many: one not in many),
}
RANGE = {
    INC_NEITHER: ("(", ")", operator.lt, operator.lt),
    INC_LEFT: ("[", ")", operator.le, operator.lt),
    INC_RIGHT: ("(", "]", operator.lt, operator.le),
    INC_BOTH: ("[", "]", operator.le, operator.le),
}

_NAME = r"^\w+[0-9a-zA-Z\_\.]*$"


def check(arg_name, arg_value, value_name, value, rel=EQ, prim_name=None, excp_cls=ValueError):
    """Checks that `arg_value` has the relation `rel` to `value`."""
    if rel in RANGE:
        opening, closing, above, below = RANGE[rel]
        good = above(value[0], arg_value) and below(arg_value, value[1])
        condition = f"in {value_name}: {opening}{value[0]}, {value[1]}{closing}"
    else:
        sign, compare = COMPARE[rel]
        good = compare(arg_value, value)
        condition = f"{sign} {value_name}: {value}"
    if not good:
        raise excp_cls(f"{_subject(arg_name, prim_name)} must be {condition}, but got {arg_value}.")
    return arg_value


def check_number(arg_name, arg_value, value, rel, prim_name):
    """Checks the relation of a number to another, whatever its type."""
    sign, compare = COMPARE[rel]
    if not compare(arg_value, value):
        raise ValueError(
            f"{_subject(arg_name, prim_name)} must be {sign} {value}, but got {arg_value}."
        )
    return arg_value


def check_is_number(arg_value, arg_type, arg_name=None, prim_name=None):
    """Checks the type of a number. A bool is not a number, and a float must be neither NaN nor
    infinite.
    """
    if not isinstance(arg_value, arg_type) or isinstance(arg_value, bool):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be {_article(arg_type)}, but got "
            f"{arg_value!r} of type {type(arg_value).__name__}."
        )
    if isinstance(arg_value, float) and not math.isfinite(arg_value):
        raise ValueError(f"{_subject(arg_name, prim_name)} must be finite, but got {arg_value}.")
    return arg_value


def check_number_range(
    arg_value, lower_limit, upper_limit, rel, value_type, arg_name=None, prim_name=None
):
    """Checks a number's type, and that the number is in a range."""
    check_is_number(arg_value, value_type, arg_name, prim_name)
    opening, closing, above, below = RANGE[rel]
    if not (above(lower_limit, arg_value) and below(arg_value, upper_limit)):
        raise ValueError(
            f"{_subject(arg_name, prim_name)} must be {_article(value_type)} in "
            f"{opening}{lower_limit}, {upper_limit}{closing}, but got {arg_value}."
        )
    return arg_value


def check_int_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Checks that a value is an int in a range."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, int, arg_name, prim_name)


def check_float_range(arg_value, lower_limit, upper_limit, rel, arg_name=None, prim_name=None):
    """Checks that a value is a float in a range."""
    return check_number_range(arg_value, lower_limit, upper_limit, rel, float, arg_name, prim_name)


def check_is_int(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is an int."""
    return check_is_number(arg_value, int, arg_name, prim_name)


def check_is_float(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a float."""
    return check_is_number(arg_value, float, arg_name, prim_name)


def check_int(arg_value, value, rel, arg_name=None, prim_name=None):
    """Checks the relation of an int to another."""
    return _check_relation(arg_value, value, rel, int, arg_name, prim_name)


def check_float(arg_value, value, rel, arg_name=None, prim_name=None):
    """Checks the relation of a float to another."""
    return _check_relation(arg_value, value, rel, float, arg_name, prim_name)


def check_equal_int(arg_value, value, arg_name=None, prim_name=None):
    """Checks that an int equals another."""
    return check_int(arg_value, value, EQ, arg_name, prim_name)


def check_positive_int(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is an int above zero."""
    return check_int(arg_value, 0, GT, arg_name, prim_name)


def check_negative_int(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is an int below zero."""
    return check_int(arg_value, 0, LT, arg_name, prim_name)


def check_non_positive_int(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is an int not above zero."""
    return check_int(arg_value, 0, LE, arg_name, prim_name)


def check_non_negative_int(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is an int not below zero."""
    return check_int(arg_value, 0, GE, arg_name, prim_name)


def check_positive_float(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a float above zero."""
    return check_float(arg_value, 0, GT, arg_name, prim_name)


def check_negative_float(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a float below zero."""
    return check_float(arg_value, 0, LT, arg_name, prim_name)


def check_non_positive_float(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a float not above zero."""
    return check_float(arg_value, 0, LE, arg_name, prim_name)


def check_non_negative_float(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a float not below zero."""
    return check_float(arg_value, 0, GE, arg_name, prim_name)


def check_positive_int_sequence(sequence, arg_name=None, prim_name=None):
    """Checks that a sequence has only ints above zero."""
    return _check_each(check_positive_int, sequence, arg_name, prim_name)


def check_non_negative_int_sequence(sequence, arg_name=None, prim_name=None):
    """Checks that a sequence has only ints not below zero."""
    return _check_each(check_non_negative_int, sequence, arg_name, prim_name)


def check_positive_float_sequence(sequence, arg_name=None, prim_name=None):
    """Checks that a sequence has only floats above zero."""
    return _check_each(check_positive_float, sequence, arg_name, prim_name)


def check_bool(arg_value, arg_name=None, prim_name=None):
    """Checks that a value is a bool."""
    if not isinstance(arg_value, bool):
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be a bool, but got {arg_value!r} of "
            f"type {type(arg_value).__name__}."
        )
    return arg_value


def check_string(arg_value, valid_values, arg_name=None, prim_name=None):
    """Checks that a str is one of several."""
    if not isinstance(arg_value, str) or arg_value not in valid_values:
        raise ValueError(
            f"{_subject(arg_name, prim_name)} must be a str in {valid_values}, but "
            f"got {arg_value!r}."
        )
    return arg_value


def check_isinstance(arg_name, arg_value, classes):
    """Raises ValueError unless a value is an instance of one of several classes."""
    if not isinstance(arg_value, classes):
        raise ValueError(
            f"{_subject(arg_name, None)} must be an instance of {classes}, but got {arg_value!r}."
        )
    return arg_value


def check_str_by_regular(target, reg=None, flag=re.ASCII, prim_name=None):
    """Checks that a text matches a regular expression, by default that of a name: letters, digits,
    underscores and dots, the first no dot.
    """
    pattern = _NAME if reg is None else reg
    if re.match(pattern, target, flag) is None:
        raise ValueError(
            f"{_subject('target', prim_name)} must match {pattern!r}, but got {target!r}."
        )
    return True


def check_value_type(arg_name, arg_value, valid_types, prim_name=None):
    """Checks that a value has one of several types; a bool only if bool is among them."""
    types = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    wrong_bool = isinstance(arg_value, bool) and bool not in types
    if not isinstance(arg_value, types) or wrong_bool:
        names = " or ".join(type_.__name__ for type_ in types)
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be of type {names}, but got "
            f"{arg_value!r} of type {type(arg_value).__name__}."
        )
    return arg_value


def check_type_name(arg_name, arg_type, valid_types, prim_name):
    """Checks that a dtype, or the name of a type, is one of several."""
    valid = valid_types if isinstance(valid_types, (list, tuple, set)) else (valid_types,)
    if arg_type not in valid:
        raise TypeError(
            f"{_subject(arg_name, prim_name)} must be one of {list(valid)}, but got {arg_type}."
        )
    return arg_type


def check_types_same_and_valid(args, valid_values, prim_name):
    """Checks dtypes by name: all must be equal, and among the valid ones."""
    first = next(iter(args), None)
    for name, dtype in args.items():
        if dtype not in valid_values:
            raise TypeError(
                f"{_subject(name, prim_name)} must be one of {list(valid_values)}, but got {dtype}."
            )
        if dtype != args[first]:
            raise TypeError(
                f"{_subject(name, prim_name)} must be of the dtype of '{first}', "
                f"{args[first]}, but got {dtype}."
            )


def check_subclass(arg_name, type_, template_types, prim_name, addition_error_info=None):
    """Checks that a type is one of the given types, or a dtype of a kind such as `number`."""
    is_sequence = isinstance(template_types, (tuple, list))
    templates = template_types if is_sequence else (template_types,)
    for template in templates:
        kinds = isinstance(type_, dtypes.Type) and isinstance(template, dtypes.Type)
        if type_ == template or kinds and dtypes.issubclass_(type_, template):
            return
    names = ", ".join(map(str, templates))
    raise TypeError(
        f"{_subject(arg_name, prim_name)} must be {'one of ' if is_sequence else ''}{names}, "
        f"but got {type_}{' ' + addition_error_info if addition_error_info else ''}."
    )


def args_type_check(*type_args, **type_kwargs):
    """Decorator that checks the types of a function's arguments, given by position or by name."""

    def decorate(function):
        signature = inspect.signature(function)
        types_by_name = _named(signature, signature.bind_partial(*type_args, **type_kwargs))

        @functools.wraps(function)
        def checked(*args, **kwargs):
            for name, value in _named(signature, signature.bind(*args, **kwargs)).items():
                if (
                    name in types_by_name
                    and value is not None
                    and not isinstance(value, types_by_name[name])
                ):
                    raise TypeError(
                        f"The argument '{name}' must be of type {types_by_name[name]}, but "
                        f"got {value!r} of type {type(value).__name__}."
                    )
            return function(*args, **kwargs)

        return checked

    return decorate


def _named(signature, bound):
    """Returns arguments by name: those that `**kwargs` collects, or all if it collects none."""
    kind = inspect.Parameter.VAR_KEYWORD
    collector = next((p.name for p in signature.parameters.values() if p.kind is kind), None)
    return bound.arguments.get(collector, bound.arguments)


def once(value):
    """Converts a number, or a tuple of one number, to a tuple of one number."""
    return _repeat(value, 1)


def twice(value):
    """Converts a number, or a tuple of two numbers, to a tuple of two numbers."""
    return _repeat(value, 2)


def triple(value):
    """Converts a number, or a tuple of three numbers, to a tuple of three numbers."""
    return _repeat(value, 3)


def once_sequence(value):
    """Converts a number, or a tuple or list of one number, to a tuple of one number."""
    return once(tuple(value) if isinstance(value, list) else value)


def twice_sequence(value):
    """Converts a number, or a tuple or list of two numbers, to a tuple of two numbers."""
    return twice(tuple(value) if isinstance(value, list) else value)


def triple_sequence(value):
    """Converts a number, or a tuple or list of three numbers, to a tuple of three numbers."""
    return triple(tuple(value) if isinstance(value, list) else value)


# the same in graphs
check_bool_const, check_int_const, check_string_const = check_bool, check_int, check_string
check_positive_int_const, check_positive_float_const = check_positive_int, check_positive_float
check_positive_int_sequence_const = check_positive_int_sequence
check_positive_float_sequence_const = check_positive_float_sequence
check_non_negative_float_const = check_non_negative_float


def check_dense_inputs_same_shape(input1, input2, prim_name=None):
    """Checks that two shapes are equal."""
    check("shape", tuple(input1), "the other shape", tuple(input2), EQ, prim_name)


def check_last_dimension(input1, input2, prim_name=None):
    """Checks that the lengths of two last axes are equal."""
    check("last axis", input1, "the other last axis", input2, EQ, prim_name)


def get_broadcast_shape(x_shape, y_shape, prim_name, arg_name1="x", arg_name2="y"):
    """Returns the shape, as a list, to which two shapes broadcast; raises ValueError if they do
    not."""
    long, short = sorted((list(x_shape), list(y_shape)), key=len, reverse=True)
    short = [1] * (len(long) - len(short)) + short
    if any(a != b and 1 not in (a, b) for a, b in zip(long, short)):
        raise ValueError(
            f"For '{prim_name}', '{arg_name1}' and '{arg_name2}' must broadcast, but "
            f"got shapes {tuple(x_shape)} and {tuple(y_shape)}."
        )
    return [b if a == 1 else a for a, b in zip(long, short)]


def raise_value_error(info):
    """Raises ValueError with a message."""
    raise ValueError(info)


def is_stub_tensor(tensor):
    """Returns whether a Tensor is still waiting for its value; here no Tensor is."""
    return hasattr(tensor, "stub")


def check_hook_fn(hook_fn):
    """Checks that a hook is callable."""
    if not callable(hook_fn):
        raise TypeError(
            f"'hook_fn' must be a function, but got {hook_fn!r} of type {type(hook_fn).__name__}."
        )


def check_input_data(*data, data_class):
    """Checks that data, including data in tuples, lists and dicts, has one of the given classes.

    Args:
        data: the data to check.
        data_class (Union[type, None, tuple]): the class, or None for None itself.
    """
    classes = data_class if isinstance(data_class, (tuple, list)) else (data_class,)
    for item in data:
        if isinstance(item, (list, tuple, dict)):
            check_input_data(
                *(item.values() if isinstance(item, dict) else item), data_class=data_class
            )
        elif not any(item is None if kind is None else isinstance(item, kind) for kind in classes):
            names = ", ".join(getattr(kind, "__name__", str(kind)) for kind in classes)
            raise TypeError(
                f"Data must be of type {names}, but got {item!r} of type {type(item).__name__}."
            )


def check_input_dataset(*dataset, dataset_type):
    """Returns whether there are arguments, and all are datasets of a type."""
    return bool(dataset) and all(isinstance(item, dataset_type) for item in dataset)


def check_output_data(data):
    """Raises RuntimeError if the output of a network is None."""
    if data is None:
        raise RuntimeError("The network must give a result, but got None.")


def _repeat(value, count):
    if not isinstance(value, tuple):
        return (value,) * count
    if len(value) != count:
        raise TypeError(f"A tuple must be of length {count}, but got {value}.")
    return value


def _check_relation(value, other, rel, kind, arg_name, prim_name):
    check_is_number(value, kind, arg_name, prim_name)
    sign, compare = COMPARE[rel]
    if not compare(value, other):
        raise ValueError(
            f"{_subject(arg_name, prim_name)} must be {_article(kind)} {sign} "
            f"{other}, but got {value}."
        )
    return value


def _check_each(check_one, sequence, arg_name, prim_name):
    for index, value in enumerate(sequence):
        check_one(value, f"{arg_name or 'value'}[{index}]", prim_name)
    return sequence


def _subject(arg_name, prim_name):
    """Returns the beginning of a message: "For 'Adam', 'beta1'"."""
    name = f"'{arg_name}'" if arg_name else "the value"
    return f"For '{prim_name}', {name}" if prim_name else name[0].upper() + name[1:]


def _article(kind):
    return f"{'an' if kind is int else 'a'} {kind.__name__}"


class Rel:
    """The relations by name."""

    EQ, NE, LT, LE, GT, GE = EQ, NE, LT, LE, GT, GE
    INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH = INC_NEITHER, INC_LEFT, INC_RIGHT, INC_BOTH
    IN, NOT_IN = IN, NOT_IN


check_int_positive = check_positive_int  # the names of releases before 1.0


def check_integer(arg_name, arg_value, value, rel, prim_name=None):
    """Calls `check_int`; the parameters are in their original order."""
    return check_int(arg_value, value, rel, arg_name, prim_name)


def check_float_positive(arg_name, arg_value, prim_name=None):
    """Calls `check_positive_float`; the parameters are in their original order."""
    return check_positive_float(arg_value, arg_name, prim_name)


def check_float_legal_value(arg_name, arg_value, prim_name=None):
    """Calls `check_is_float`; the parameters are in their original order."""
    return check_is_float(arg_value, arg_name, prim_name)


class Validator:
    """The checks above as static methods of one class, and the relations they take.

    Code written for several releases imports this class or, failing that, the module under one
    name, and then asks it for `check` and for `EQ` alike.
    """


for _name, _value in list(globals().items()):
    if _name.startswith("check"):
        setattr(Validator, _name, staticmethod(_value))
    elif _name.isupper() and isinstance(_value, int):
        setattr(Validator, _name, _value)
