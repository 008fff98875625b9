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


FREE = ("CACHE", "JOB")  # a folder, and what the package itself sets


def check(environ):
    """Raises ValueError for wrong values, and for names that are probably misspelt; an empty value
    counts as absent.

    Raises:
        ValueError: if a variable has a value that is not allowed, or its name resembles another.
    """
    for name in environ:
        if name.startswith(PREFIX) and environ[name]:
            _check_value(name, environ[name])


def _check_value(variable, value):
    name = variable.removeprefix(PREFIX)
    if name in VALUES and not _fits(value, VALUES[name]):
        allowed = VALUES[name]
        if isinstance(allowed, tuple):
            allowed = " or ".join(map(repr, allowed))
        raise ValueError(
            f"The environment variable {variable} must be {allowed}, but is {value!r}."
        )
    if name not in VALUES and name not in FREE:
        import difflib

        if similar := difflib.get_close_matches(name, (*VALUES, *FREE), 1, 0.8):
            raise ValueError(
                f"The environment variable {variable} has no meaning; is it {PREFIX}{similar[0]}?"
            )


def _fits(value, allowed):
    if isinstance(allowed, tuple):
        return value in allowed
    return value.isdecimal() and int(value) > 0
