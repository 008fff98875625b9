"""Which values a parameter accepts in place of a Python number or bool.

Most parameters of `ops`, `mint`, `numpy` and Tensor take a NumPy scalar for a number; those in
python_numbers.py do not. Those in tensor_numbers.py also take a Tensor without axes and a NumPy
bool, alone and in tuples and lists, because MindSpore never asks for their type.
"""

import functools
from typing import NamedTuple

import numpy as np

from .error_kinds import error_kinds
from .python_numbers import python_only
from .tensor_numbers import from_tensors


class NumberForms(NamedTuple):
    """Exceptions of one public path: parameters that accept numbers in unusual forms, and
    parameters whose wrong values raise an unusual type of error (error_kinds.py)."""

    python_only: frozenset = frozenset()
    from_tensors: frozenset = frozenset()
    errors: dict = {}


USUAL = NumberForms()


@functools.cache
def number_forms(path: str) -> NumberForms:
    """Returns the forms of the parameters of a public function or class ("ops.conv2d")."""
    return NumberForms(python_only(path), from_tensors(path), error_kinds(path))


def plain_numbers(value):
    """Converts NumPy scalars to Python numbers (bools stay), including within tuples and lists."""
    if isinstance(value, np.number):
        return value.item()
    if type(value) in (tuple, list):
        return type(value)(map(plain_numbers, value))
    return value


def number_of_tensor(value):
    """Converts a Tensor without axes, or a NumPy scalar, to a Python number or bool."""
    is_scalar = getattr(value, "ndim", None) == 0 and not isinstance(value, np.ndarray)
    return value.item() if is_scalar and hasattr(value, "item") else value


def in_python(rule, name, value, forms, numpy_scalars=True):
    """Converts a value that the rule does not accept to Python numbers, if the parameter takes that
    form and the rule accepts their type. Otherwise returns the value unchanged.
    """
    if rule.verdict(value) is None:
        return value
    number = value
    is_refused = isinstance(value, np.number) and name in forms.python_only
    if name in forms.from_tensors and not is_refused:
        number = number_of_tensor(value)
    elif f"{name}()" in forms.from_tensors and type(value) in (tuple, list):
        number = type(value)(map(number_of_tensor, value))
    if number is not value and rule.verdict(number) is not TypeError:
        return number
    if numpy_scalars and name not in forms.python_only and not rule.sees_numpy_scalars:
        if isinstance(value, np.bool_):  # a number for what takes numbers, but no flag
            return bool(value) if rule.verdict(True) is rule.verdict(1) is None else value
        return plain_numbers(value)
    return value
