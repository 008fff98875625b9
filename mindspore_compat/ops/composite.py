"""mindspore.ops.composite: GradOperation, HyperMap and others; older scripts import it as `C`.

Any name of `mindspore.ops` is found here.
"""

from . import __all__, __dir__, __getattr__  # noqa: F401
