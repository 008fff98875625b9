"""Helpers that user-defined optimizers import from MindSpore: limits, and Primitives to call.

`op_mul` is `ops.Mul()`, and so on for any Primitive without settings.
"""

from ...ops import auto_generate

_MADE = {"op_add": "addn", "op_assignadd": "assign_add", "op_oneslike": "ones_like"}
__all__ = [
    "check_not_less_than",
    "check_not_less_than_without_equal",
    "op_add",
    "op_assign",
    "op_assignadd",
    "op_cast",
    "op_fill",
    "op_gather",
    "op_maximum",
    "op_mul",
    "op_oneslike",
    "op_pow",
    "op_select",
    "op_sign",
    "op_sqrt",
]


def __getattr__(name):
    """Returns a Primitive ready to call."""
    primitive = None
    if name.startswith("op_"):
        primitive = auto_generate.instance(_MADE.get(name) or name.removeprefix("op_"))
    if primitive is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return primitive


def check_not_less_than(arg_value, arg_name, prim, value=0.0):
    """Checks a number of an optimizer that must not be below a limit.

    Args:
        arg_value (Union[int, float]): the number.
        arg_name (str): its name.
        prim (str): the optimizer.
        value (float): the limit. Default: 0.0.

    Raises:
        ValueError: if `arg_value` is less than `value`.
    """
    if arg_value < value:
        raise ValueError(f"For '{prim}', '{arg_name}' must be >= {value}, but got {arg_value}.")


def check_not_less_than_without_equal(arg_value, arg_name, prim, value=0.0):
    """Checks a number of an optimizer that must be above a limit.

    Args:
        arg_value (Union[int, float]): the number.
        arg_name (str): its name.
        prim (str): the optimizer.
        value (float): the limit. Default: 0.0.

    Raises:
        ValueError: if `arg_value` is not greater than `value`.
    """
    if arg_value <= value:
        raise ValueError(f"For '{prim}', '{arg_name}' must be > {value}, but got {arg_value}.")
