"""mindspore.ops.functional: the functions; older scripts import it as `F`.

Any name of `mindspore.ops` is found here; those that are listed are what `import *` gives.
"""

from . import __all__, __dir__, __getattr__  # noqa: F401

__all__ = [name for name in __all__ if name[0].islower()]
