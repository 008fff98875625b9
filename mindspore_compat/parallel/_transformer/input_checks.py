"""Input checks that other libraries import from `parallel._transformer.layers` for their layers."""

from functools import wraps
from inspect import signature

from ..._checkparam import check_type_name

__all__ = []


def _args_type_validator_check(*checks, **named):
    """Decorates a function: calls the check of each argument with the argument and its name."""

    def decorate(function):
        parameters = signature(function)
        expected_of = parameters.bind_partial(*checks, **named).arguments
        expected_of = expected_of.get("kwargs", expected_of)

        @wraps(function)
        def call(*args, **kwargs):
            arguments = parameters.bind(*args, **kwargs).arguments
            arguments = arguments.get("kwargs", arguments)
            for name in expected_of.keys() & arguments.keys():
                expected_of[name](arguments[name], name)
            return function(*args, **kwargs)

        return call

    return decorate


def _valid_type_checks(types, class_name):
    """Returns a check for `_args_type_validator_check`: the value's type is one of `types`."""

    def check(value, name):
        return check_type_name(name, type(value), types, class_name)

    return check


def _valid_value_checks(types, class_name):
    """Returns a check for `_args_type_validator_check`: the value, a dtype, is one of `types`."""

    def check(value, name):
        return check_type_name(name, value, types, class_name)

    return check


def _check_input_dtype(input_dtype, param_name, allow_dtypes, cls_name):
    """Rejects an input whose dtype is not allowed.

    Raises:
        TypeError: if it is another one.
    """
    check_type_name(param_name, input_dtype, allow_dtypes, cls_name)


def _check_past_none_input_none(
    use_past, param_name, func_name, default_value, is_tensor, is_default
):
    """Requires an input if token-by-token inference is on, and rejects it otherwise.

    Args:
        use_past (bool): whether the layer keeps keys and values.
        param_name (str): the name of the input.
        func_name (str): the name of the layer.
        default_value: what the input is where none is given.
        is_tensor (bool): whether it is a Tensor.
        is_default (bool): whether it is the default.

    Raises:
        TypeError: if it is a Tensor without `use_past`, or none with it.
        ValueError: if it is neither a Tensor nor the default without `use_past`.
    """
    if use_past != is_tensor:
        expected = "a Tensor" if use_past else repr(default_value)
        raise TypeError(
            f"For '{func_name}', '{param_name}' must be {expected} where 'use_past' is {use_past}."
        )
    if not use_past and not is_default:
        raise ValueError(
            f"For '{func_name}', '{param_name}' must be {default_value!r} without 'use_past'."
        )
    return True


def _need(holds, func_name, param_name, expected, shape):
    if not holds:
        raise ValueError(
            f"For '{func_name}', '{param_name}' must have {expected}, but got shape {shape}."
        )
    return True


class _LayerInputCheck:
    """Checks of shapes; each returns True, or raises a ValueError that names layer and input."""

    @staticmethod
    def check_shape_length(input_shape, param_name, func_name, target_len):
        """Checks that the number of axes is `target_len`, an int or one of a list of them."""
        lengths = target_len if isinstance(target_len, list) else [target_len]
        return _need(
            len(input_shape) in lengths,
            func_name,
            param_name,
            f"{' or '.join(map(str, lengths))} axes",
            input_shape,
        )

    @staticmethod
    def check_shape_equal(input_shape, param_name, func_name, target_shape):
        """Checks that the shape is `target_shape`, or one of a list of shapes."""
        several = isinstance(target_shape[0], (list, tuple))
        shapes = [tuple(shape) for shape in (target_shape if several else [target_shape])]
        return _need(
            tuple(input_shape) in shapes,
            func_name,
            param_name,
            f"the shape {' or '.join(map(str, shapes))}",
            input_shape,
        )

    @staticmethod
    def check_shape_value_on_axis(input_shape, dim, param_name, cls_name, target_value):
        """Checks that the length of the axis `dim` is `target_value`."""
        return _need(
            input_shape[dim] == target_value,
            cls_name,
            param_name,
            f"the length {target_value} along axis {dim}",
            input_shape,
        )

    @staticmethod
    def check_shape_equal_without_batch(input_shape, param_name, func_name, target_shape):
        """Checks that the shape is `target_shape`, apart from the length of the first axis."""
        return _need(
            len(input_shape) == len(target_shape)
            and tuple(input_shape[1:]) == tuple(target_shape[1:]),
            func_name,
            param_name,
            f"the shape {(None, *target_shape[1:])}",
            input_shape,
        )
