"""Runs when Python starts, from a `.pth` or `.start` file at the top of site-packages.

With `MINDSPORE_COMPAT=1` in the environment, it makes `import mindspore` import mindspore_compat,
also in new child processes (multiprocessing's spawn and forkserver, subprocesses). It must be cheap
if the variable is not set, and it must not import the package before `mindspore` is imported. It is
therefore a separate module outside the package.
"""

import os
import sys


class FirstUse:
    """Waits on `sys.meta_path` for the first import of `mindspore`, then installs the real
    finder."""

    @classmethod
    def replace(cls):
        """Replaces this finder by the real one, and returns that."""
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


def start():
    """Install the stand-in if the environment requests it."""
    wanted = os.environ.get("MINDSPORE_COMPAT", "0") not in ("", "0")
    if wanted and FirstUse not in sys.meta_path and "mindspore_compat.standin" not in sys.modules:
        sys.meta_path.insert(0, FirstUse)
