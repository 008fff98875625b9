"""`ops.kernel`: user-defined operators in a small kernel language, run as Python.

A kernel function maps NumPy arrays to NumPy arrays. In addition to Python it may use the names in
`_WORDS`. It can be passed to `ops.Custom`.
"""

import contextlib
import functools
import itertools
import json
import types

import numpy as np

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Callable, CellOf, InstanceOf, checked


def _allocate(shape, dtype, scope="local"):
    """Returns an array of zeros; `scope`, the kind of memory, has no effect."""
    return np.zeros(shape, dtype)


def _erf(x):
    from scipy import special  # imported late, because it loads slowly

    return special.erf(x)


_WORDS = {
    "output_tensor": _allocate,
    "allocate": _allocate,
    "block_realize": lambda tensor: contextlib.nullcontext(tensor),
    "grid": lambda shape: itertools.product(*map(range, shape)),
    **dict.fromkeys(("serial", "vectorize", "parallel", "reduce"), range),
    "rsqrt": lambda x: 1 / np.sqrt(x),
    "erf": _erf,
    "ceil_div": lambda a, b: -(-a // b),
    "atan": np.arctan,
    "atan2": np.arctan2,
    **{
        name: getattr(np, name)
        for name in (
            "sqrt exp isnan sin cos isinf isfinite expm1 floor ceil trunc round abs log sign tanh "
            "power float16 float32 float64 int8 int16 int32 int64"
        ).split()
    },
}


@public("ops.kernel", "ops.ms_kernel")
@checked
def kernel(fn: Callable | CellOf("Tensor") = None, reg_info: Any = None, compile_attrs: Any = None):
    """Decorates a function in the kernel language; the function runs on NumPy arrays.

    The function may use `output_tensor(shape, dtype)` and `allocate(shape, dtype, scope)` for
    arrays of zeros; `grid(shape)`, `serial`, `vectorize`, `parallel` and `reduce` for loops, which
    all run in order like `range`; `block_realize(tensor)` in a `with` statement; `ceil_div`,
    `rsqrt`, `erf`, and NumPy's `sqrt`, `exp`, `power`, `tanh` and others; and the dtypes `float32`,
    `int32`, ...

    Args:
        fn (Function): the function; None if the decorator is called with settings.
        reg_info (tuple, str, dict): a description for kernel libraries, stored as `reg_info`.
        compile_attrs (dict): settings of a compiler, stored as JSON in `compile_attrs`.

    Raises:
        TypeError: if `fn` is not callable, or another argument has the wrong type.

    Examples:
        >>> import numpy as np
        >>> from mindspore_compat.ops import kernel
        >>> @kernel
        ... def twice(a):
        ...     c = output_tensor(a.shape, a.dtype)
        ...     for i in serial(a.shape[0]):
        ...         c[i] = 2.0 * a[i]
        ...     return c
        >>> print(twice(np.array([1.0, 2.0])))
        [2. 4.]

    Source: mindspore.ops.kernel of MindSpore 2.10.
    """

    if reg_info is not None:
        InstanceOf(str, dict, tuple).called("a str or dict or tuple").refuse(
            "kernel", "reg_info", reg_info
        )
    if compile_attrs is not None:
        InstanceOf(dict).refuse("kernel", "compile_attrs", compile_attrs)

    def decorate(function):
        run = _in_words(function)
        run.ms_kernel_flag = True
        run.compile_attrs = json.dumps(compile_attrs or {})
        if reg_info is not None:
            run.reg_info = reg_info
        return run

    return decorate if fn is None else decorate(fn)


def _in_words(function):
    """Returns a copy of the function whose globals include the names of the kernel language."""

    @functools.wraps(function)
    def run(*args, **kwargs):
        words = {**_WORDS, **function.__globals__}
        inner = types.FunctionType(
            function.__code__, words, function.__name__, function.__defaults__, function.__closure__
        )
        inner.__kwdefaults__ = function.__kwdefaults__
        return inner(*args, **kwargs)

    return run
