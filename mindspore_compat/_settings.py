"""The environment variables of this package: their values, which are checked at import.

A wrong value would otherwise show up late, in the middle of training, or not at all.
"""

from ._version import RELEASES

PREFIX = "MINDSPORE_COMPAT_"
FLAG = ("0", "1")
VALUES = {  # name without the prefix -> the allowed values; a str describes them
    "COMPILE": ("background", "wait", "off"),
    "CUDA_GRAPHS": FLAG,
    "LEGACY": FLAG,
    "PROGRESS": FLAG,
    "READ_LIMIT": "a whole number of MiB from 1 on",
    "RECORDED_STEPS": FLAG,
    "RELEASE": tuple(RELEASES),
    "TRACEBACK": FLAG,
    "WINOGRAD": ("2", "4", "off"),
}


def check(environ):
    """Raises ValueError for wrong values; an empty one counts as absent.

    Raises:
        ValueError: if a variable has a value that is not allowed.
    """
    for name, allowed in VALUES.items():
        value = environ.get(PREFIX + name)
        if value and not _fits(value, allowed):
            if isinstance(allowed, tuple):
                allowed = " or ".join(map(repr, allowed))
            raise ValueError(
                f"The environment variable {PREFIX}{name} must be {allowed}, but is {value!r}."
            )


def _fits(value, allowed):
    if isinstance(allowed, tuple):
        return value in allowed
    return value.isdecimal() and int(value) > 0
