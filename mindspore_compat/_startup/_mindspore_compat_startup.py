"""Runs when Python starts, from a `.pth` or `.start` file at the top of site-packages.

With `MINDSPORE_COMPAT=1` in the environment it makes `import mindspore` mean mindspore_compat,
also in children that are started afresh (multiprocessing's spawn and forkserver, subprocesses).
It must cost next to nothing when the variable is absent, and it must not import the package
before `mindspore` is imported; so it is a module of its own, outside the package.
"""

import os
import sys


class FirstUse:
    """Waits on `sys.meta_path` for the first mention of `mindspore`, then gives way."""

    @classmethod
    def replace(cls):
        """Replace this finder by the real one and return it."""
        sys.meta_path.remove(cls)
        from mindspore_compat import standin

        return standin.install()

    @classmethod
    def find_spec(cls, name, path=None, target=None):
        """Find `mindspore` and what lies below it."""
        if name.partition(".")[0] != "mindspore":
            return None
        return cls.replace().find_spec(name, path, target)

    @classmethod
    def find_distributions(cls, context):
        """Answer questions about the installed version of `mindspore`."""
        if (context.name or "").lower() != "mindspore":
            return []
        return cls.replace().find_distributions(context)


def start():
    """Install the stand-in if the environment requests it."""
    wanted = os.environ.get("MINDSPORE_COMPAT", "0") not in ("", "0")
    if wanted and FirstUse not in sys.meta_path and "mindspore_compat.standin" not in sys.modules:
        sys.meta_path.insert(0, FirstUse)
