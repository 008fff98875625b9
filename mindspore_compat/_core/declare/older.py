"""Accepts calls documented by older releases, with keywords that a function no longer has.

Such a call is recognized by its keywords alone, so current calls keep their meaning. With the
environment variable MINDSPORE_COMPAT_LEGACY set to 0, all of them raise errors.
"""

import functools
import os
import sys

_SIGNATURES = {}  # (area, name) -> (keywords of older releases, function that takes such a call)


def takes(keywords, older, most=None):
    """Decorates a function: calls with one of `keywords`, or with more than `most` arguments by
    position, go to `older(function, *args, **kwargs)`.

    `inspect.signature` shows the function's own parameters.
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
    """Decorates a function whose parameters had other names: `renamed(axis="dim")`."""

    def older(function, *args, **kwargs):
        return function(*args, **{names.get(key, key): value for key, value in kwargs.items()})

    return takes(names, older)


def older_signature(path, *keywords):
    """Decorates what takes calls of the function at `path` that hold one of `keywords`."""

    def register(older):
        area, _, name = path.rpartition(".")
        _SIGNATURES[area, name] = takes(keywords, lambda function, *args, **kw: older(*args, **kw))
        return older

    return register


def renamed_keywords(path, **names):
    """Lets the function at `path` take parameters under the names they had."""
    area, _, name = path.rpartition(".")
    _SIGNATURES[area, name] = renamed(**names)


def with_older_signature(area, name, function):
    """`function`, which also takes the calls registered for its public name.

    The same function each time, as `ops.max is ops.functional.max`.
    """
    decorate = _SIGNATURES.get((area, name))
    return function if decorate is None else _decorated(decorate, function)


_decorated = functools.cache(lambda decorate, function: decorate(function))
