"""Selects the implementation under test and makes it `mindspore` in the worker's process.

`mindspore` is itself. `mindspore_compat` uses its own `install`. Any other package is installed
under that name by the finder here, submodules included.
"""

import importlib
import importlib.abc
import importlib.util
import sys

REFERENCE, DEFAULT = "mindspore", "mindspore_compat"


def install(target):
    """Make `import mindspore` give the target, and return the module."""
    if target == REFERENCE:
        return importlib.import_module(REFERENCE)
    if target == DEFAULT:
        importlib.import_module(f"{DEFAULT}.standin").install()
        return importlib.import_module(REFERENCE)
    module = importlib.import_module(target)
    sys.meta_path.insert(0, _Finder(module.__name__))
    sys.modules[REFERENCE] = module
    return module


class _Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Import finder that returns the module object of `target.a.b` for `mindspore.a.b`."""

    def __init__(self, target):
        self.target = target

    def find_spec(self, name, path=None, module=None):
        if not name.startswith(REFERENCE + "."):
            return None
        return importlib.util.spec_from_loader(name, self)

    def create_module(self, spec):
        return importlib.import_module(self.target + spec.name[len(REFERENCE) :])

    def exec_module(self, module):
        pass  # the module has already been executed under its own name
