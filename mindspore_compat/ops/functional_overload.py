"""mindspore.ops.functional_overload: functions with several signatures, as `mint` has them.

Each name is looked up in `mint`, then in `mint.nn.functional`, then in `ops`.
"""

import sys

from .._core.declare.op import DECLARED
from .._core.declare.public_api import PUBLIC, Missing, build

_AREAS = ("mint", "mint.nn.functional", "ops")
_NAMES = """
    add addcdiv all_gather_matmul any bitwise_not clamp clip conv1d conv2d conv3d div divide einsum
    empty empty_like eq floor_divide fmod ge gelu greater_equal imag index_add kthvalue lerp less lt
    lightning_indexer matmul_reduce_scatter max min mul nansum nsa_compress nsa_compress_attention
    nsa_select_attention pixel_shuffle real remainder repeat_interleave sparse_flash_attention sub
    where xlogy
""".split()


def _area(name):
    """Returns the first of these areas that has the name, or None."""
    homes = (area for area in _AREAS for table in (PUBLIC, DECLARED) if name in table.get(area, ()))
    return next(homes, None)


def __getattr__(name):
    if name not in __all__:
        raise AttributeError(Missing(__name__, name, __all__))
    result = build(_area(name), name)
    setattr(sys.modules[__name__], name, result)
    return result


def __dir__():
    return sorted([*__all__, *(name for name in globals() if name.startswith("__"))])


__all__ = [name for name in _NAMES if _area(name)]
