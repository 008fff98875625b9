"""Reads the stored census (census.json) and checks a call against the parameters listed there."""

import ast
import functools
import inspect
import json
import pathlib


@functools.cache
def census():
    """Returns the names, methods and parameters of the real wheel."""
    text = pathlib.Path(__file__).with_name("census.json").read_text(encoding="utf-8")
    return json.loads(text)


@functools.cache
def signature(line):
    """Returns the signature in a census line such as `function (a, axis=None)`; None if none is
    there."""
    _, bracket, text = line.partition(" (")
    if not bracket:
        return None
    spelled = ast.parse(f"def f({text}: 0").body[0].args
    kinds = inspect.Parameter
    found = [kinds(a.arg, kinds.POSITIONAL_OR_KEYWORD) for a in spelled.posonlyargs + spelled.args]
    for p, default in zip(reversed(range(len(found))), reversed(spelled.defaults), strict=False):
        found[p] = found[p].replace(default=literal(default))
    if spelled.vararg:
        found.append(kinds(spelled.vararg.arg, kinds.VAR_POSITIONAL))
    for a, default in zip(spelled.kwonlyargs, spelled.kw_defaults, strict=False):
        value = kinds.empty if default is None else literal(default)
        found.append(kinds(a.arg, kinds.KEYWORD_ONLY, default=value))
    if spelled.kwarg:
        found.append(kinds(spelled.kwarg.arg, kinds.VAR_KEYWORD))
    return inspect.Signature(found)


def literal(node):
    """Returns the value of a default, or `...` where the text is not a literal."""
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ...


def bind(name, listed, arguments, keywords):
    """Returns the arguments by name. Arguments of a `*parameter` are under "*"; arguments of a
    `**parameter` have their own names.
    """
    try:
        given = listed.bind(*arguments, **keywords).arguments
    except TypeError as refusal:
        raise TypeError(f"{name}() {refusal}") from None
    found = {}
    for key, value in given.items():
        kind = listed.parameters[key].kind
        if kind is inspect.Parameter.VAR_POSITIONAL:
            found["*"] = value
        elif kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        else:
            found[key] = value
    return found
