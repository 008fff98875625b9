"""The Findings about the names that a project uses: missing, changed, without effect."""

import inspect
from typing import NamedTuple

from .._core.without_effect import mark_of
from . import extras, names, releases
from .reading import CALL, TOP

MISSING = "missing"
CHANGED = "changed since"
EXTRA = "needs an extra"
NO_EFFECT = "no effect"
KINDS = (MISSING, CHANGED, EXTRA, NO_EFFECT)


class Finding(NamedTuple):
    """One remark on one place.

    Args:
        kind: one of KINDS.
        name: the public name, from "mindspore." on.
        detail: a remark: the nearest name, the reason, the extra.
        file: the path of the file.
        line: the line in it.
        optional: whether the file itself expects that the name may be absent.
    """

    kind: str
    name: str
    detail: str
    file: str
    line: int
    optional: bool


def find(uses_by_file, assigned, release=None):
    """Returns the Findings in the order of files and lines, each name once in a line.

    Args:
        uses_by_file (dict): file -> its Uses.
        assigned (set): paths that the project assigns to, which are therefore present.
        release (str): the release that the project was written for, or None.
    """
    meanings = releases.Meanings(release, distinct(uses_by_file))
    findings, known = {}, {}
    for file, uses in uses_by_file.items():
        for use in uses:
            key = use[1:]
            if key not in known:
                known[key] = tuple(remarks(use, assigned, meanings))
            for kind, name, detail in known[key]:
                finding = Finding(kind, name, detail, file, use.line, use.optional)
                findings.setdefault((kind, name, file, use.line), finding)
    return list(findings.values())


def distinct(uses_by_file):
    """Returns the uses that differ in more than their line."""
    return list({use[1:]: use for uses in uses_by_file.values() for use in uses}.values())


def remarks(use, assigned, meanings):
    """Yields kind, name and detail of each remark on a use."""
    name = names.find_module(use.path) if use.is_import else names.find(use.path)
    if name.missing:
        if use.sure and not is_of_operation(use) and not is_assigned(name.missing, assigned):
            yield missing(name.missing, meanings)
        return
    if name.target is None or use.call is None:
        return
    path = public(use.path)
    change = meanings.change_of(name.target, use.call)
    if change is not None:
        yield CHANGED, path, f"before {change.release}: {change.before}"
    for extra in extras.extras_of(path.partition(".")[2], name.target, use.call):
        availability = "installed" if extras.is_installed(extra) else "not installed"
        yield EXTRA, path, f"[{extra}], {availability}"
    mark = mark_of(name.target)
    if mark is not None:
        for argument in arguments_without_effect(mark, name.target, use.call):
            yield NO_EFFECT, f"{path}{argument}", mark.because


def arguments_without_effect(mark, target, call):
    """Yields "(name)" for each argument of a call that has no effect. Yields "" if the whole call
    has none."""
    if not mark.arguments:
        yield ""
        return
    arguments = names.arguments(target, call)
    parameters = inspect.signature(target).parameters
    for name in mark.arguments:
        default = parameters[name].default if name in parameters else inspect.Parameter.empty
        if name in arguments and arguments[name] is not default and arguments[name] != default:
            yield f"({name})"


def missing(path, meanings):
    """Returns the remark on a missing name, which an older release may have."""
    name = public(path)
    if meanings.is_present(name):
        return CHANGED, name, f"only with --release {meanings.release}"
    change = meanings.removal_of(name)
    if change is not None:
        return MISSING, name, f"removed in {change.release}; --release gives it"
    return MISSING, name, names.nearest(path)


def is_of_operation(use):
    """Whether a use reads an attribute of a dataset; operations on it may have further ones."""
    return use.path[1:2] == ("dataset",) and CALL in use.path and use.call is None


def is_assigned(path, assigned):
    """Whether the project itself sets the name of a path, perhaps under another path."""
    owner = names.find(path[:-1]).target
    return any(
        other[-1] in (path[-1], "*") and names.find(other[:-1]).target is owner
        for other in assigned
    )


def public(path):
    """Returns a path as text, without the marks of calls."""
    return ".".join(part for part in path if part != CALL) or TOP
