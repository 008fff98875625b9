"""mindspore.ops.function: the functions, under the path of the original's sources.

Any name of `mindspore.ops` is found here; those that are listed are what `import *` gives.
"""

import sys

from . import __all__, __dir__, __getattr__  # noqa: F401
from ._primitive_aliases.primitive_cache import _get_cache_prim  # noqa: F401 - imported from here by scripts

# the original's sources by subject; every function is found under each
array_func = math_func = nn_func = random_func = linalg_func = sys.modules[__name__]
__path__ = []  # further paths below this one are in _paths.py
__all__ = [name for name in __all__ if name[0].islower()]
