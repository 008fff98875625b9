"""Docstring templates, which document the common parameters of classes and functions once.

    documented = template(
        '''
        learning_rate (float): the learning rate.
        weight_decay (float): the weight decay.
        ''',
        Outputs="tuple[bool], True for each parameter.",
    )

    @documented
    class Momentum(Optimizer):
        '''Stochastic gradient descent with momentum.

        Args:
            momentum (float): how slowly the average of gradients changes.
        '''

        def __init__(self, learning_rate, momentum, weight_decay=0.0): ...

`help(Momentum)` shows all three arguments in the order of the signature, and the outputs. Entries
and sections of the docstring itself override the template.
"""

import inspect
import re

_ENTRY = re.compile(r"    \*{0,2}(\w+(?:, \w+)*).*")
_ORDER = "Args Attributes Inputs Outputs Returns Raises Note Example Examples Source".split()
_HEADING = re.compile(rf"^({'|'.join(_ORDER)}):", re.M)


def template(arguments, **sections):
    """Returns a decorator that completes the docstring of a class or function.

    Args:
        arguments (str): entries of an `Args` section.
        sections: the text of other sections, such as `Inputs`, by their headings.
    """
    shared = _entries(_indent(arguments))
    sections = {heading: _indent(text) for heading, text in sections.items()}

    def complete(thing):
        if thing.__doc__ is not None:  # python -OO has none
            thing.__doc__ = _complete(thing, shared, sections)
        return thing

    return complete


def _complete(thing, shared, sections):
    parts = _split(inspect.cleandoc(thing.__doc__))
    own_entries = _entries(parts.get("Args", ""))
    others = {name: text for name, text in shared.items() if name not in own_entries}
    entries = [own_entries.get(name) or others.get(name) for name in _parameters(thing)]
    parts["Args"] = "\n".join(filter(None, dict.fromkeys([*entries, *own_entries.values()])))
    for heading, text in sections.items():
        parts.setdefault(heading, text)
    source = parts.pop("Source", None)
    ordered_parts = [f"{heading}:\n{parts[heading]}" for heading in _ORDER if parts.get(heading)]
    return "\n\n".join(filter(None, [parts[""], *ordered_parts, source])) + "\n"


def _parameters(thing):
    """Returns the names of the parameters; for a class, of its `__init__`."""
    function = inspect.unwrap(thing.__init__ if inspect.isclass(thing) else thing)
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    variadic = bool(code.co_flags & inspect.CO_VARARGS) + bool(
        code.co_flags & inspect.CO_VARKEYWORDS
    )
    return code.co_varnames[: count + variadic]


def _split(text):
    """Returns the prose of a docstring under "", and its sections by heading; "Source" with its
    heading."""
    head, *rest = _HEADING.split(text)
    parts = {"": head.rstrip("\n")}
    for heading, section in zip(rest[::2], rest[1::2], strict=True):
        parts[heading] = f"Source:{section}" if heading == "Source" else section.strip("\n")
    return parts


def _entries(section):
    """Returns the entries of an `Args` section by name; an entry for several names appears under
    each."""
    entries, names = {}, ()
    for line in section.splitlines():
        entry = _ENTRY.fullmatch(line)
        names = entry[1].split(", ") if entry else names
        entries |= {name: line if entry else f"{entries[name]}\n{line}" for name in names}
    return entries


def _indent(text):
    return "\n".join(f"    {line}".rstrip() for line in inspect.cleandoc(text).splitlines())
