"""mindspore.common: Parameters, initializers, dtypes, seeds, generators, and decorators of graph
mode."""

from .._core import dynamic_shape as _dynamic_shape  # noqa: F401 - it makes Tensors too
from .._core.context.config import get_seed, set_recursion_limit, set_seed
from .._core.tensor.tensor import Tensor
from . import dtype
from . import lazy_inline as _lazy_inline  # noqa: F401 - before the function of the same name
from . import seed as _seed  # noqa: F401 - likewise
from ._grad_function import _Function
from .generator import (
    Generator,
    default_generator,
    get_rng_state,
    initial_seed,
    manual_seed,
    seed,
    set_rng_state,
)
from .jit import (
    JitConfig,
    enable_dynamic,
    jit,
    jit_class,
    lazy_inline,
    ms_class,
    ms_function,
    ms_memory_recycle,
    no_inline,
)
from .mutable import constexpr, mutable
from .parameter import Parameter, ParameterTuple
from .recompute import recompute
from .run_check import run_check
from .sparse_tensor import COOTensor, CSRTensor, RowTensor, SparseTensor
from .storage import UntypedStorage
from .tensor import from_numpy, is_tensor, tensor

dtype_to_nptype = dtype.dtype_to_nptype
dtype_to_pytype = dtype.dtype_to_pytype
pytype_to_dtype = dtype.pytype_to_dtype

__all__ = [
    "COOTensor",
    "CSRTensor",
    "Generator",
    "JitConfig",
    "Parameter",
    "ParameterTuple",
    "RowTensor",
    "SparseTensor",
    "Tensor",
    "UntypedStorage",
    "_Function",
    "constexpr",
    "default_generator",
    "dtype",
    "dtype_to_nptype",
    "dtype_to_pytype",
    "enable_dynamic",
    "from_numpy",
    "get_rng_state",
    "get_seed",
    "initial_seed",
    "is_tensor",
    "jit",
    "jit_class",
    "lazy_inline",
    "manual_seed",
    "ms_class",
    "ms_function",
    "ms_memory_recycle",
    "mutable",
    "no_inline",
    "pytype_to_dtype",
    "recompute",
    "run_check",
    "seed",
    "set_recursion_limit",
    "set_rng_state",
    "set_seed",
    "tensor",
]
