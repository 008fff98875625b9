"""mindspore.ops: every op as a function and as a Primitive, built from the declarations in this room."""

from .._core import custom, transforms  # noqa: F401 - they declare grad, vjp, stop_gradient, ...
from .._core.surface import attach_methods, window
from . import _cast, _compare, _create, _index, _linalg, _math, _methods, _reduce, _shape, _transform  # noqa: F401
from . import _arrange, _debug, _decompose, _fft, _padding, _random, _scatter, _sparse, _special, _statistics  # noqa: F401
from . import _comm, _comm_all, _float_status  # noqa: F401
from . import _activation, _activation_inplace, _conv, _dropout, _norm, _norm_rows  # noqa: F401
from . import _pool, _pool_fractional, _softmax  # noqa: F401
from . import _image, _image_boxes, _image_sample, _image_space  # noqa: F401
from . import _candidates, _loss, _loss_class, _loss_ctc, _recurrent  # noqa: F401
from . import _optimizers, _optimizers_factored, _optimizers_rows  # noqa: F401
from . import _diagonals, _factors, _forms, _inplace, _mint_forms, _random_classes  # noqa: F401
from . import _segments, _signal  # noqa: F401
from .primitive import Primitive

attach_methods()

__getattr__, __dir__, __all__ = window(__name__, classes=Primitive)
