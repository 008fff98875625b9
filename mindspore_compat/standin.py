"""The stand-in: after `install()`, `import mindspore` imports this package.

`mindspore` and `mindspore.x.y` become additional names of the *same module objects* as
`mindspore_compat` and `mindspore_compat.x.y`. Classes keep their identity, pickles that name
`mindspore.common.tensor` load, and `importlib.metadata` finds a `mindspore` of the version that
this package implements. Entry points are `python -m mindspore_compat` (`__main__.py`), pytest
(`pytest_plugin.py`), IPython's `%load_ext mindspore_compat`, and `install()` itself.
"""

import importlib.metadata
import os
import sys
from importlib.util import find_spec
from pathlib import Path

from ._paths import PACKAGE, same_module_spec
from ._startup import traceback_hooks

NAME = "mindspore"
VARIABLE = "MINDSPORE_COMPAT"
FOLDER = Path(__file__).resolve().parent


class StandIn:
    """The import finder for `mindspore`."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        """Returns the spec that maps `mindspore.x` to the module `mindspore_compat.x`, or None."""
        top_package, dot, rest = name.partition(".")
        if top_package != NAME:
            return None
        traceback_hooks.install()  # once more: IPython may have started since
        return same_module_spec(name, PACKAGE + dot + rest)

    @staticmethod
    def find_distributions(context=None):
        """Returns the distribution `mindspore` if it is requested by name or with all others."""
        name = context.name if context is not None else None
        return [StandInDistribution()] if (name or NAME).lower() == NAME else []


class StandInDistribution(importlib.metadata.Distribution):
    """The distribution that `importlib.metadata` finds while the stand-in is installed."""

    def read_text(self, filename):
        """Returns the text of one metadata file; None if there is no such file."""
        version = sys.modules[PACKAGE].__version__
        metadata = (
            f"Metadata-Version: 2.1\nName: {NAME}\nVersion: {version}\n"
            f"Summary: {PACKAGE} standing in for {NAME}\n"
        )
        return {"METADATA": metadata, "top_level.txt": f"{NAME}\n"}.get(filename)

    def locate_file(self, path):
        """Returns the path of a file of the distribution."""
        return FOLDER.parent / path


def install():
    """Makes `import mindspore` import this package; repeated calls have no effect.

    Uncaught errors then show the frames of the program alone, and hints; in IPython and notebooks
    too.

    Returns:
        The finder that was put first on `sys.meta_path`.

    Raises:
        RuntimeError: If another `mindspore` has been imported already.

    Example:
        >>> import mindspore_compat
        >>> finder = mindspore_compat.install()
        >>> import mindspore
        >>> mindspore.Tensor is mindspore_compat.Tensor
        True
        >>> mindspore_compat.uninstall()
    """
    module = sys.modules.get(NAME)
    if module is not None and module is not sys.modules[PACKAGE]:
        origin = getattr(module, "__file__", "an unknown location")
        raise RuntimeError(
            f"'{NAME}' is already imported, from {origin}. Install {PACKAGE} "
            f"before the first 'import {NAME}'."
        )
    if StandIn not in sys.meta_path:
        sys.meta_path.insert(0, StandIn)
        traceback_hooks.install()
    if sys.platform == "linux":
        # MindSpore's import sets it, and libraries read it unchecked. Empty, it adds no folder.
        os.environ.setdefault("LD_LIBRARY_PATH", "")
    return StandIn


def uninstall():
    """Removes the stand-in; later imports of `mindspore` work as usual.

    Names that a script has already imported keep their objects.
    """
    waiting = "_mindspore_compat_startup"
    if StandIn in sys.meta_path:
        traceback_hooks.uninstall()
    sys.meta_path[:] = [
        finder
        for finder in sys.meta_path
        if finder is not StandIn and getattr(finder, "__module__", None) != waiting
    ]
    for name, module in list(sys.modules.items()):
        ours = sys.modules.get(PACKAGE + name[len(NAME) :])
        if name.partition(".")[0] == NAME and module is ours:
            del sys.modules[name]


def install_for_children():
    """Installs the stand-in in this process and, through the environment, in its child
    processes."""
    install()
    os.environ[VARIABLE] = "1"
    if find_spec("_mindspore_compat_startup") is not None:
        return
    # An uninstalled checkout: its sitecustomize does the work of the .pth file.
    folder = str(FOLDER / "_startup")
    python_path = os.environ.get("PYTHONPATH")
    if python_path is None or folder not in python_path.split(os.pathsep):
        os.environ["PYTHONPATH"] = folder if not python_path else folder + os.pathsep + python_path


def load_ipython_extension(ipython):
    """Runs on `%load_ext mindspore_compat`."""
    install()


def unload_ipython_extension(ipython):
    """Runs on `%unload_ext mindspore_compat`."""
    uninstall()
