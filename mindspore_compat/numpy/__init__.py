"""`mindspore.numpy`: the functions of NumPy for Tensors."""

import math

from .. import ops  # noqa: F401 - its packages hold the declarations
from .._core.tensor.dtype import (  # noqa: F401 - NumPy's names for them
    bool_,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from . import (
    array_creations,
    array_ops,
    fft,  # noqa: F401 - in MindSpore these are there without an import of their own
    logic_ops,
    math_ops,
    products,
    utils,  # noqa: F401
    utils_const,  # noqa: F401
)
from .array_creations import *  # noqa: F403
from .array_ops import *  # noqa: F403
from .logic_ops import *  # noqa: F403
from .math_ops import *  # noqa: F403
from .products import *  # noqa: F403

int_, float_, uint = int32, float32, uint32
pi, e, inf, nan = math.pi, math.e, math.inf, math.nan
PINF, NINF = math.inf, -math.inf

__all__ = sorted(
    {
        *array_creations.__all__,
        *array_ops.__all__,
        *math_ops.__all__,
        *products.__all__,
        *logic_ops.__all__,
        "bool_",
        "float16",
        "float32",
        "float64",
        "float_",
        "int16",
        "int32",
        "int64",
        "int8",
        "int_",
        "uint16",
        "uint32",
        "uint64",
        "uint8",
        "uint",
        "pi",
        "inf",
    }
)
