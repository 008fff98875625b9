"""The meaning of older releases: `MINDSPORE_COMPAT_RELEASE=1.8`, or `--release 1.8`.

`changes` is the table of what changed in which release. A Change names the function here that
gives the earlier meaning: it takes today's object and returns the object that replaces it. The
replacement happens once, right after the module of the name has been loaded. Without the variable
nothing here is imported, and no call is slower.

A call that the earlier signature does not accept keeps today's meaning.

The attributes of such a function tell `--check` which calls the change affects. A call must meet
all of them:

    needs           calls with one of these arguments
    without         calls that leave out one of these arguments: their default has changed
    fits            calls that the earlier signature accepts
    is_of_result    calls whose result is read
"""

import functools
import importlib
import sys

from .. import _version
from .._paths import PACKAGE, PathsFinder
from .changes import CHANGES


def activate(release):
    """Gives all changed names the meaning of a release.

    Modules that are loaded already are changed at once, others when they are loaded.

    Args:
        release (str): one of `_version.RELEASES`.

    Returns:
        str, the version, as `__version__` then shows it.
    """
    if release != _version.RELEASES[-1]:
        _version.__version__ = f"{release}.0"
        finder = _Finder(_replacements(release))
        sys.meta_path.insert(0, finder)
        for module in list(finder.by_module):
            if module in sys.modules:
                finder.replace(sys.modules[module])
    return _version.__version__


def changes_after(release):
    """Returns a dict from names to Changes: for each name, the first Change after a release."""
    order = _version.RELEASES.index
    earliest = {}
    for change in CHANGES:
        previous = earliest.get(change.name)
        if order(change.release) > order(release) and (
            previous is None or order(change.release) < order(previous.release)
        ):
            earliest[change.name] = change
    return earliest


def _replacements(release):
    """Returns {module: [(attribute path, Change)]}."""
    by_module = {}
    for change in changes_after(release).values():
        for place in change.where.split():
            module, _, attribute = place.partition(":")
            by_module.setdefault(f"{PACKAGE}.{module}", []).append((attribute, change))
    return by_module


class _Finder:
    """The import finder that replaces names in modules that have just been loaded."""

    def __init__(self, by_module):
        self.by_module = by_module

    def find_spec(self, name, path=None, target=None):
        """Returns the usual spec of a module in the table, with a loader that replaces names."""
        spec = PathsFinder.find_spec(name, path) if name in self.by_module else None
        if spec is None:
            return None
        load = spec.loader.exec_module

        def load_and_replace(module):
            load(module)
            self.replace(module)

        spec.loader.exec_module = load_and_replace
        return spec

    def replace(self, module):
        """Replaces the changed names of a module."""
        for path, change in self.by_module[module.__name__]:
            *owners, name = path.split(".")
            owner = functools.reduce(getattr, owners, module)
            today = getattr(owner, name, None)
            if getattr(today, "replaced_by", None) is not change:
                earlier = meaning_of(change)(today)
                earlier.replaced_by = change
                setattr(owner, name, earlier)


def meaning_of(change):
    """Returns the function that a Change names: it takes today's object and returns the one with
    the earlier release's meaning."""
    file, _, name = change.old.partition(".")
    return getattr(importlib.import_module(f"{__name__}.{file}"), name)
