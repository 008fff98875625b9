"""mindspore.ops: every op as a function and as a Primitive, built from this room's declarations."""

import sys
import types

from .._core import custom, linear, packing, taylor, transforms  # noqa: F401 - they declare grad, ...
from .._core.surface import attach_methods, build, window
from .._core.tensor import Tensor  # noqa: F401 - `from mindspore.ops import Tensor`
from . import (  # noqa: F401 - their declarations make the names
    _activation,
    _activation_inplace,
    _arrange,
    _attention,
    _batches,
    _cache,
    _cache_map,
    _candidates,
    _cast,
    _comm,
    _comm_all,
    _comm_fused,
    _comm_neighbors,
    _compare,
    _composites,
    _control,
    _conv,
    _cosine,
    _counting,
    _covariance,
    _create,
    _csr_ops,
    _custom,
    _debug,
    _decompose,
    _diagonals,
    _dropout,
    _dump,
    _experts,
    _experts_exchange,
    _experts_groups,
    _experts_products,
    _factors,
    _fft,
    _flash,
    _flash_chosen,
    _flash_fused,
    _flash_inference,
    _flash_paged,
    _flash_speed,
    _float_status,
    _forms,
    _generated_more,
    _generated_norm,
    _gradients,
    _gradients_more,
    _heads,
    _host,
    _image,
    _image_boxes,
    _image_glimpse,
    _image_patches,
    _image_regions,
    _image_rotated,
    _image_sample,
    _image_space,
    _index,
    _inference,
    _inplace,
    _kernel,
    _legacy,
    _linalg,
    _loss,
    _loss_class,
    _loss_ctc,
    _loss_rnnt,
    _math,
    _memory,
    _methods,
    _mint_forms,
    _mint_strict,
    _norm,
    _norm_rows,
    _nsa,
    _nsa_attention,
    _optimizers,
    _optimizers_factored,
    _optimizers_rows,
    _padding,
    _pool,
    _pool_adaptive,
    _pool_fractional,
    _primitives,
    _queue,
    _random,
    _random_classes,
    _random_mint,
    _recurrent,
    _recurrent_flat,
    _recurrent_steps,
    _reduce,
    _register,
    _replay,
    _reshard,
    _scatter,
    _segments,
    _shape,
    _signal,
    _softmax,
    _sparse,
    _sparse_arithmetic,
    _sparse_attention,
    _sparse_parts,
    _special,
    _statistics,
    _stores,
    _tensor_places,
    _tensor_reductions,
    _tensor_shapes,
    _transform,
)
from .primitive import Primitive

attach_methods()


class _Package(types.ModuleType):
    """This package: a function stays under its name when a path of that name is imported."""

    def __setattr__(self, name, value):
        if not (isinstance(value, types.ModuleType) and name in __all__):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
_find, __dir__, __all__ = window(__name__, classes=Primitive)


def __getattr__(name):
    """A declared name; `acos_ext`, `narrow_view`, ... are what `mint` calls `acos`, `narrow`."""
    for ending in ("_ext_view", "_ext", "_view"):
        if name.endswith(ending) and name not in __all__:
            for known in (name, name.removesuffix(ending)):
                for area in ("mint", "mint.nn.functional", "mint.linalg"):
                    found = build(area, known)
                    if found is not None:
                        return found
    return _find(name)
