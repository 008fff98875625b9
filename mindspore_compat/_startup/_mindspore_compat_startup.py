"""Runs when Python starts, from a `.pth` or `.start` file at the top of site-packages.

With `MINDSPORE_COMPAT=1` in the environment, it makes `import mindspore` import mindspore_compat,
including in new child processes (multiprocessing's spawn and forkserver, subprocesses). If the
variable is not set and there is no `mindspore`, the error of the import names the ways to use this
package. With 0, no, false or off it does nothing; any other value but 1, yes, true or on is an
error of the import.

It must be cheap, and it must not import the package before `mindspore` is imported. It is therefore
a separate module outside the package.
"""

import os
import sys

ON, OFF = ("1", "yes", "true", "on"), ("0", "no", "false", "off")


class FirstUse:
    """Waits on `sys.meta_path` for the first import of `mindspore`, then installs the real
    finder."""

    @classmethod
    def replace(cls):
        """Replaces this finder by the real one, and returns that.

        Raises:
            ImportError: if the environment variable has a value of no meaning.
        """
        setting = os.environ.get("MINDSPORE_COMPAT", "1")
        if setting.strip().lower() not in ON:
            raise ImportError(
                "The environment variable MINDSPORE_COMPAT must be 1, yes, true or on to import "
                f"mindspore_compat as mindspore, or 0, no, false or off, but is {setting!r}."
            )
        sys.meta_path.remove(cls)
        from mindspore_compat import standin

        return standin.install()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Finds `mindspore` and its submodules."""
        if name.partition(".")[0] != "mindspore":
            return None
        return cls.replace().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context):
        """Returns the distribution of `mindspore` for `importlib.metadata`."""
        if (context.name or "").lower() != "mindspore":
            return []
        return cls.replace().find_distributions(context)


class LastResort:
    """Waits at the end of `sys.meta_path` for an import of `mindspore` that nothing else finds."""

    MESSAGE = (
        "No module named 'mindspore'. mindspore_compat is installed and can take its place: run "
        "`python -m mindspore_compat script.py`, or set the environment variable MINDSPORE_COMPAT=1"
    )

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Raises the error of an import statement; a search such as `importlib.util.find_spec`
        gets None."""
        if name == "mindspore" and sys._getframe(2).f_code.co_name == "_find_and_load_unlocked":
            raise ModuleNotFoundError(cls.MESSAGE, name=name)
        return None


class NoModules:
    """The finder of the folder beside this file in which type checkers find `mindspore`: for Python
    the folder is empty."""

    FOLDER = "mindspore-source"

    @classmethod
    def find_spec(cls, name, target=None):
        """Finds nothing."""
        return None


def start():
    """Makes `import mindspore` import this package if the environment requests it. Otherwise adds
    the last import finder, which explains a failed `import mindspore`."""
    for folder in sys.path:
        if os.path.basename(folder) == NoModules.FOLDER:
            sys.path_importer_cache[folder] = NoModules
    setting = os.environ.get("MINDSPORE_COMPAT", "").strip().lower()
    if setting in OFF:
        return
    if not setting:
        if LastResort not in sys.meta_path:
            sys.meta_path.append(LastResort)
    elif FirstUse not in sys.meta_path and "mindspore_compat.standin" not in sys.modules:
        sys.meta_path.insert(0, FirstUse)
