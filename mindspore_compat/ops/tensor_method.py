"""mindspore.ops.tensor_method: the methods of Tensor as functions.

`tensor_abs(input)` is `input.abs()`. So is `deprecated_tensor_abs(input)`, the function of an
earlier signature, because a method accepts all of its signatures. The module also has every name of
`mindspore.ops`.
"""

import functools

from .._core.tensor.tensor import Tensor
from . import __all__, __dir__  # noqa: F401
from . import __getattr__ as _find
from ._rules import Anything

# Names that contain the types of the arguments, and the method that accepts them.
_METHODS = {
    other: method
    for method, others in {
        "clamp": "clamp_scalar clamp_tensor",
        "fill_diagonal_": "inplace_fill_diagonal",
        "floor_divide": "floor_div floor_div_scalar",
        "lerp": "lerp_scalar",
        "masked_scatter_": "inplace_masked_scatter",
        "max": "maxdim",
        "median": "median_dim",
        "min": "mindim",
        "mul_": "inplace_mul",
        "pow": "pow_tensor_tensor",
        "scatter_": """inplace_scatter_src inplace_scatter_src_reduce inplace_scatter_value
            inplace_scatter_value_reduce""",
        "remainder": "mod",
        "split": "split_tensor split_with_size",
        "sub_": "inplace_sub",
        "view": "view_dtype",
    }.items()
    for other in others.split()
}


def __getattr__(name):
    """Returns a method of Tensor as a function, else a name of `mindspore.ops`."""
    plain = name.removeprefix("deprecated_")
    if name.startswith(("tensor_", "deprecated_")):
        plain = plain.removeprefix("tensor_")
        result = _function(name, _METHODS.get(plain, plain))
        if result is not None:
            return result
    return _find(name)


@functools.cache
def _function(name, plain):
    """Returns the function `name` that calls the method `plain`, or None."""
    method = getattr(Tensor, plain, None) or getattr(Tensor, plain.removesuffix("_ext"), None)
    if plain.startswith("_") or not callable(method):
        return None

    @functools.wraps(method)
    def function(input, *args, **kwargs):
        if not isinstance(input, Tensor):
            Anything.refuse(name, "input", input)
        return method(input, *args, **kwargs)

    function.__name__ = function.__qualname__ = name
    function.__module__ = __name__
    return function
