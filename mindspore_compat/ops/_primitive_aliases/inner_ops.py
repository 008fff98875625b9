"""mindspore.ops.operations._inner_ops: the Primitives that MindSpore's layers use.

It also has every name of `mindspore.ops` and `mindspore.ops.auto_generate`.
"""

from ..._core.declare.public_api import build
from ...communication import GlobalComm  # noqa: F401 - imported from here by scripts
from ..auto_generate import __all__, __dir__  # noqa: F401
from ..auto_generate import __getattr__ as _find
from ..primitive import Primitive


def __getattr__(name):
    """Returns a name that only this path has, else the one in `mindspore.ops.auto_generate`."""
    result = build("ops.operations._inner_ops", name, Primitive)
    return _find(name) if result is None else result
