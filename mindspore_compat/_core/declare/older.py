"""Accepts calls in the form of older releases, with keywords that a function no longer has.

Only its keywords identify such a call, so current calls keep their meaning. If the environment
variable MINDSPORE_COMPAT_LEGACY is 0, all such calls raise errors.
"""

import functools
import os
import sys

_SIGNATURES = {}  # (area, name) -> (keywords of older releases, function that handles such a call)


def takes(keywords, older, most=None):
    """Decorates a function to redirect older calls to `older(function, *args, **kwargs)`: calls
    with one of `keywords`, or with more than `most` positional arguments.

    `inspect.signature` shows the parameters of the function itself.
    """
    keywords = frozenset(keywords)
    most = sys.maxsize if most is None else most

    def decorate(function):
        @functools.wraps(function)
        def call(*args, **kwargs):
            if (kwargs and not keywords.isdisjoint(kwargs)) or len(args) > most:
                if os.environ.get("MINDSPORE_COMPAT_LEGACY") != "0":
                    return older(function, *args, **kwargs)
            return function(*args, **kwargs)

        return call

    return decorate


def renamed(**names):
    """Decorates a function whose parameters had different names: `renamed(axis="dim")`."""

    def older(function, *args, **kwargs):
        return function(*args, **{names.get(key, key): value for key, value in kwargs.items()})

    return takes(names, older)


def older_signature(path, *keywords):
    """Returns a decorator for a function that handles older calls of the function at `path`: calls
    with one of `keywords`."""

    def register(older):
        area, _, name = path.rpartition(".")
        _SIGNATURES[area, name] = takes(keywords, lambda function, *args, **kw: older(*args, **kw))
        return older

    return register


def renamed_keywords(path, **names):
    """Lets the function at `path` accept parameters under their former names."""
    area, _, name = path.rpartition(".")
    _SIGNATURES[area, name] = renamed(**names)


def with_older_signature(area, name, function):
    """Wraps `function` to accept also the older calls registered for its public name.

    Returns the same function each time, because `ops.max is ops.functional.max`.
    """
    decorate = _SIGNATURES.get((area, name))
    return function if decorate is None else _decorated(decorate, function)


_decorated = functools.cache(lambda decorate, function: decorate(function))
