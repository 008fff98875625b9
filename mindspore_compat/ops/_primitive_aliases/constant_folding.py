"""`infer_value_for_Tile` and others: the results of Primitives for constant inputs.

MindSpore's graph compiler calls these functions. An input that is not a constant is None, and then
the result is None, too. Types are given by their codes (`ops.auto_generate.dtype_to_type_id`),
rounding modes as 1 (toward zero) and 2 (down).
"""

import functools
import inspect

from ..._core.source import compiled
from ..._core.tensor.dtype import type_id_to_type
from .alias import function_of, mint, ops

_AREA = "ops.auto_generate"
# Each function, and the public function with the same arguments, or a call of it, as in names.py.
# `type_of` returns the type for a code. If a constant is None, the result is None.
CONSTANTS = {
    "ops.auto_generate.infer_value_for_Arange(start, end, step, dtype=None)": (
        "mint.arange(start, end, step, dtype=type_of(dtype))"
    ),
    "ops.auto_generate.infer_value_for_BroadcastTo(x, shape)": "ops.broadcast_to",
    "ops.auto_generate.infer_value_for_Cast(x, dst_type_enum=None)": (
        "ops.cast(x, type_of(dst_type_enum))"
    ),
    "ops.auto_generate.infer_value_for_Concat(tensors, axis)": "ops.cat",
    "ops.auto_generate.infer_value_for_Div(input_x, other_x)": "ops.div",
    "ops.auto_generate.infer_value_for_Divs(input_x, other_x)": "ops.div",
    "ops.auto_generate.infer_value_for_EqualExt(x, y)": "mint.equal",
    "ops.auto_generate.infer_value_for_GatherD(input, dim, index)": "ops.gather_d",
    "ops.auto_generate.infer_value_for_LinalgVectorNorm(input_x, ord, dim=None, keepdim=False, "
    "dtype=None)": "mint.linalg.vector_norm(input_x, ord, dim, keepdim, dtype=type_of(dtype))",
    "ops.auto_generate.infer_value_for_LpNormV2(input_x, p=2, dim=None, keepdim=False, "
    "eps=1e-12)": "mint.norm(input_x, p, dim, keepdim)",
    "ops.auto_generate.infer_value_for_Max(input_x)": "mint.max",
    "ops.auto_generate.infer_value_for_MeanExt(input_x, axis=None, keep_dims=False, "
    "dtype=None)": "mint.mean(input_x, axis, keep_dims, dtype=type_of(dtype))",
    "ops.auto_generate.infer_value_for_Min(input_x)": "mint.min",
    "ops.auto_generate.infer_value_for_ProdExt(input_x, axis=None, keep_dims=False, "
    "dtype=None)": "mint.prod(input_x, axis, keep_dims, dtype=type_of(dtype))",
    "ops.auto_generate.infer_value_for_ReduceAll(input_x, axis, keep_dims)": (
        "ops.ReduceAll(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceAny(input_x, axis, keep_dims)": (
        "ops.ReduceAny(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceMax(input_x, axis, keep_dims)": (
        "ops.ReduceMax(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceMean(input_x, axis, keep_dims)": (
        "ops.ReduceMean(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceMin(input_x, axis, keep_dims)": (
        "ops.ReduceMin(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceProd(input_x, axis, keep_dims)": (
        "ops.ReduceProd(keep_dims)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_ReduceSum(input_x, axis, keep_dims, skip_mode)": (
        "ops.ReduceSum(keep_dims, skip_mode)(input_x, axis)"
    ),
    "ops.auto_generate.infer_value_for_Reshape(x, shape)": "ops.reshape",
    "ops.auto_generate.infer_value_for_Softmax(input, axis)": "ops.Softmax(axis)(input)",
    "ops.auto_generate.infer_value_for_SumExt(input_x, axis=None, keep_dims=False, "
    "dtype=None)": "mint.sum(input_x, axis, keep_dims, dtype=type_of(dtype))",
    "ops.auto_generate.infer_value_for_Svd(input_x, full_matrices, compute_uv)": (
        "ops.Svd(full_matrices, compute_uv)(input_x)"
    ),
    "ops.auto_generate.infer_value_for_Tile(input, dims)": "ops.tile",
}


def _constant(line):
    """Returns a decorator that adds a Python function to the table."""

    def declare(function):
        CONSTANTS[line] = function
        return function

    return declare


@_constant("ops.auto_generate.infer_value_for_Diag(input_x)")
def infer_diag(input_x):
    return ops.diag(input_x) if input_x.ndim == 1 else None


@_constant("ops.auto_generate.infer_value_for_DivMod(input_x, other_x, rounding_mode)")
@_constant("ops.auto_generate.infer_value_for_DivMods(input_x, other_x, rounding_mode)")
def infer_rounded_quotient(input_x, other_x, rounding_mode):
    """Returns a quotient rounded toward zero or down; None for an unrounded quotient."""
    mode = {1: "trunc", 2: "floor"}.get(rounding_mode)
    return None if mode is None else mint.div(input_x, other_x, rounding_mode=mode)


_LINES = {line.partition("(")[0].removeprefix(f"{_AREA}."): line for line in CONSTANTS}
__all__ = sorted(_LINES)


@functools.cache
def find_inference(name):
    """Returns the `infer_value_for_` function of a name, or None if there is none. The returned
    function gives None if an input without a default is not a constant.
    """
    line = _LINES.get(name)
    if line is None:
        return None
    parameters = line.partition("(")[2][:-1]
    signature = inspect.signature(compiled([f"def {name}({parameters}): ..."], {}, name)[name])
    names = signature.parameters
    sources = [
        parameter.name for parameter in names.values() if parameter.default is parameter.empty
    ]
    function = function_of(CONSTANTS[line], ", ".join(names), type_of=_type_of)

    def infer(*args, **kwargs):
        arguments = signature.bind(*args, **kwargs)
        if any(_is_unknown(arguments.arguments[parameter]) for parameter in sources):
            return None
        arguments.apply_defaults()
        return function(*arguments.args)

    infer.__signature__ = signature
    infer.__name__ = infer.__qualname__ = name
    infer.__module__ = f"{__package__.partition('.')[0]}.{_AREA}"
    infer.__doc__ = (
        f"The result of the Primitive for constants; None if an input is.\n\n"
        f"Source: mindspore.ops.auto_generate.{name} of MindSpore 2.10.\n"
    )
    return infer


def _is_unknown(value):
    return value is None or isinstance(value, (tuple, list)) and None in value


def _type_of(number):
    """Returns the type with this code; None for None."""
    return None if number is None else type_id_to_type(number)
