"""mindspore.ops.operations: the Primitives; older scripts import it as `P`.

It has every name of `mindspore.ops`; `import *` imports the listed ones.
"""

from . import __all__, __dir__, __getattr__  # noqa: F401

__all__ = [name for name in __all__ if name[0].isupper()]
