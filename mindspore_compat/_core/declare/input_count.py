"""A wrong number of inputs in the call of a Primitive.

The base class decides with `_error_for_count(name, excess)` whether that is a TypeError, which
Python itself raises, or a ValueError.
"""

import inspect
import re

_ABSENT = type("Absent", (), {"__repr__": lambda self: "nothing"})()
_of_count = re.compile(r"(?:__call__|<lambda>)\(\) (missing|takes) ")


def call_lines(method, name, call, scope, base):
    """Returns the `def` of a generated call. If a wrong number of inputs is a ValueError, the call
    takes any number and counts them."""
    error_for_count = getattr(base, "_error_for_count", None)
    is_plain = not call.star and "*" not in call.text and "/" not in call.text
    if error_for_count is None or not is_plain or error_for_count(name) is TypeError:
        return [f"def {method}({', '.join(filter(None, ['self', call.text]))}):"]
    required = [n for n in call.names if n not in call.defaults]
    optional = call.text.split(", ")[len(required) :]
    scope.update(absent_=_ABSENT, refuse_count_=_refuse_count, error_of_=error_for_count)
    parameters = ["self", *(f"{n}=absent_" for n in required), *filter(None, optional), "*excess_"]
    absent = "".join(f"{n} is absent_ or " for n in required)
    values = "".join(f"{n}, " for n in required)
    return [
        f"def shown_as_({', '.join(filter(None, ['self', call.text]))}):",
        "    pass",
        f"def {method}({', '.join(parameters)}):",
        f"    if {absent}excess_:",
        f"        refuse_count_({name!r}, ({values}), {len(call.names)}, excess_, error_of_)",
    ]


def show_inputs(method, scope):
    """Gives a call that takes any number of inputs the signature that users see."""
    if "shown_as_" in scope:
        scope[method].__signature__ = inspect.signature(scope["shown_as_"])


def _refuse_count(api, required, most, excess, error_for_count):
    """Raises the error for a call without some of its required inputs, or with more than `most`."""
    fewest = len(required)
    number = most + len(excess) if excess else sum(value is not _ABSENT for value in required)
    wanted = str(most) if fewest == most else f"{fewest} to {most}"
    raise error_for_count(api, excess=bool(excess))(
        f"For '{api}', the number of inputs must be {wanted}, but got {number}."
    )


def miscounted(api, error, args):
    """Returns the error for a wrong number of inputs of a hand-written call: the error that the
    base class chooses instead of Python's TypeError. Returns None for any other error.
    """
    error_for_count = getattr(args[0], "_error_for_count", None) if args else None
    match = error_for_count and isinstance(error, TypeError) and _of_count.search(str(error))
    if not match or error_for_count(api, excess=match[1] == "takes") is TypeError:
        return None
    return ValueError(f"For '{api}', the number of inputs must not be {len(args) - 1}.")
