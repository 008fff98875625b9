"""Marks settings that are accepted but have no effect, and warns the user.

    @without_effect("dataset.config.set_fast_recovery")
    def set_fast_recovery(fast_recovery): ...

    @without_effect("dataset.config.set_iterator_mode(parallel_convert)")
    def set_iterator_mode(do_copy=False, parallel_convert=False): ...

The text is the public path of a function, of a method, or of a property whose setter only stores a
value. If only some arguments have no effect, they are listed in parentheses. The mark adds a
sentence to the docstring, which `help` and the reference show. It also adds a comment to the stub
(_startup/stubs.py) and a line to one page of the documentation (docs/without_effect.py). It logs
one warning per process: at the first call, or when such an argument first differs from its default.

Keys of `set_context` and similar functions are marked in their tables (context/settings.py).
"""

import functools
import inspect
import re
import sys
import textwrap
from typing import NamedTuple

from .. import log
from .frames import is_of_package

SENTENCE = "Accepted for compatibility, has no effect here"
MARKS = {}  # the public path of each marked thing -> its Mark
_warned = set()


class Mark(NamedTuple):
    """The scope of a mark (a whole function, or the named arguments), and why it has no effect."""

    path: str
    arguments: tuple
    because: str

    @property
    def sentence(self):
        """The sentence in the help, the stub and the page."""
        return f"{SENTENCE}: {self.because}." if self.because else f"{SENTENCE}."


def without_effect(line, because=""):
    """Marks a function, a property, or arguments of a class that are stored without effect.

    Args:
        line (str): the public path; in brackets the arguments without effect (of a class, those of
            its `__init__`).
        because (str): the reason, a clause that follows a colon.
    """
    path, _, arguments = line.partition("(")
    mark = Mark(path, tuple(arguments.rstrip(")").replace(",", " ").split()), because)
    MARKS[path] = mark

    def give(thing):
        if isinstance(thing, property):
            setter = _warning(thing.fset, mark)
            return property(thing.fget, setter, thing.fdel, _insert_mark(thing.__doc__, mark))
        if inspect.isclass(thing):
            thing.__init__ = _warning(thing.__init__, mark)
            target = thing
        else:
            target = _warning(thing, mark)
        target.__doc__ = _insert_mark(thing.__doc__, mark)
        return target

    return give


def keys_without_effect(path, keys):
    """Marks keywords of a function that accepts any keywords, by a sentence in its docstring. The
    function logs its own warnings."""
    mark = Mark(path, tuple(keys), "")
    MARKS[path] = mark

    def give(function):
        keys_text = ", ".join(f"`{key}`" for key in keys)
        function.__doc__ = _insert_sentence(function.__doc__, f"{SENTENCE}: {keys_text}.")
        function.without_effect = mark
        return function

    return give


def warn_once(name, because=""):
    """Warns once per process that a setting has no effect; the warning names the line of the caller
    outside the package."""
    if name in _warned:
        return
    _warned.add(name)
    level, frame = 1, sys._getframe()
    while frame.f_back and is_of_package(frame.f_code.co_filename):
        level, frame = level + 1, frame.f_back
    reason = f": {because}" if because else ""
    message = f"{name} is accepted for compatibility and has no effect here{reason}."
    log.warning("%s", message, stacklevel=level)


def mark_of(thing):
    """Returns the Mark of a function, of a property's setter or of a class, or None."""
    if inspect.isclass(thing):
        thing = vars(thing).get("__init__")
    return getattr(getattr(thing, "fset", thing), "without_effect", None)


def _warning(function, mark):
    """Wraps the function to warn before it runs."""
    if mark.arguments:
        return _warning_of_arguments(function, mark)

    @functools.wraps(function)
    def run(*args, **kwargs):
        warn_once(f"'{mark.path}'", mark.because)
        return function(*args, **kwargs)

    run.without_effect = mark
    return run


def _warning_of_arguments(function, mark):
    """Wraps the function to warn of each marked argument that differs from its default."""
    parameters = inspect.signature(function).parameters
    positions = {name: i for i, name in enumerate(parameters)}
    defaults = {
        name: parameters[name].default if name in parameters else inspect.Parameter.empty
        for name in mark.arguments
    }

    @functools.wraps(function)
    def run(*args, **kwargs):
        for name, default in defaults.items():
            position = positions.get(name, len(args))
            argument = args[position] if position < len(args) else kwargs.get(name, default)
            if argument is not default and not (
                type(argument) is type(default) and argument == default
            ):
                warn_once(f"'{name}' of '{mark.path}'", mark.because)
        return function(*args, **kwargs)

    run.without_effect = mark
    return run


def _insert_mark(doc, mark):
    """Returns a docstring with the sentence of a Mark inserted: as the second paragraph, or after
    the entry of each marked argument."""
    if not mark.arguments:
        return _insert_sentence(doc, mark.sentence)

    def extended(entry):
        return f"{entry[0]}\n{_wrap_sentence(mark.sentence, entry[1] + '    ')}"

    for name in mark.arguments if doc else ():
        entry = rf"\n( +)\*{{0,2}}{name}\b[^\n]*(?:\n\1 +[^\n]*)*"
        doc = re.sub(entry, extended, doc, count=1)
    return doc


def _insert_sentence(doc, sentence):
    """Returns the docstring with the sentence as its second paragraph."""
    if not doc:
        return doc
    summary, rest = re.fullmatch(r"(.*?)(\s*|\n\s*\n.*)", doc, re.DOTALL).groups()
    indent = re.search(r"\n( *)\S", doc)
    return f"{summary}\n\n{_wrap_sentence(sentence, indent[1] if indent else '')}{rest}"


def _wrap_sentence(sentence, indent):
    """Wraps the sentence into lines of a docstring."""
    return textwrap.fill(
        sentence, 100, initial_indent=indent, subsequent_indent=indent, break_on_hyphens=False
    )
