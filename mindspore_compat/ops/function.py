"""mindspore.ops.function: the functions, under the path of MindSpore's sources.

It has every name of `mindspore.ops`; `import *` imports the listed ones. A name such as `acosh_` is
an instance of a Primitive without settings, `Acosh()`.
"""

import sys

from . import __all__, __dir__  # noqa: F401
from . import __getattr__ as _find
from ._activation.private_names import _innner_log_softmax  # noqa: F401 - imported from here by scripts
from ._attention.private_names import *  # noqa: F403
from ._elementwise.private_names import _check_same_type, _expand  # noqa: F401
from ._image.private_names import (  # noqa: F401
    _interploate_ext_make_tuple,
    _interpolate_ext_scale_factor_convert_size,
)
from ._primitive_aliases.primitive_cache import _get_cache_prim  # noqa: F401

sys.modules[__name__].__class__ = type(sys.modules[__package__])  # its functions keep their names
# MindSpore's source files by subject; each of them has every function
array_func = math_func = nn_func = random_func = linalg_func = sys.modules[__name__]
__all__ = [name for name in __all__ if name[0].islower()]


def __getattr__(name):
    """Returns a name of `mindspore.ops`, or the Primitive that a name such as `acosh_` stands
    for."""
    try:
        return _find(name)
    except AttributeError:
        result = _make(name) if name.endswith("_") and not name.startswith("_") else None
        if result is None:
            raise
        return result


def _make(name):
    from . import auto_generate

    return auto_generate.instance(name.removesuffix("_"))
