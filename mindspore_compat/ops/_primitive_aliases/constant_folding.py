"""`infer_value_for_Tile` and its like: what a Primitive gives for constants.

The original's graph compiler calls them; an input that is no constant is None, and then so is the
result. Types come as numbers (`ops.auto_generate.dtype_to_type_id`), ways to round as 1 (to zero)
and 2 (down).
"""

import functools
import inspect

from ..._core.tensor.dtype import type_id_to_type
from .alias import linalg, mint, ops

FUNCTIONS = {}


def _unknown(value):
    return value is None or isinstance(value, (tuple, list)) and None in value


def _of_constants(function):
    """Shows a function under `ops.auto_generate`; it gives None if an input without a default is
    no constant."""
    signature = inspect.signature(function)
    needed = [each.name for each in signature.parameters.values() if each.default is each.empty]

    @functools.wraps(function)
    def infer(*args, **kwargs):
        given = signature.bind(*args, **kwargs).arguments
        return None if any(_unknown(given[each]) for each in needed) else function(*args, **kwargs)

    name = function.__name__
    infer.__module__ = "mindspore_compat.ops.auto_generate"
    infer.__doc__ = (
        f"The result of the Primitive for constants; None if an input is.\n\n"
        f"Source: mindspore.ops.auto_generate.{name} of MindSpore 2.10.\n"
    )
    FUNCTIONS[name] = infer
    return infer


def _of(number):
    """The type of this number; None for None."""
    return None if number is None else type_id_to_type(number)


def _divided(x, y, rounding_mode):
    """A quotient rounded to zero or down; None for one that is not rounded."""
    mode = {1: "trunc", 2: "floor"}.get(rounding_mode)
    return None if mode is None else mint.div(x, y, rounding_mode=mode)


@_of_constants
def infer_value_for_Arange(start, end, step, dtype=None):
    return mint.arange(start, end, step, dtype=_of(dtype))


@_of_constants
def infer_value_for_BroadcastTo(x, shape):
    return ops.broadcast_to(x, shape)


@_of_constants
def infer_value_for_Cast(x, dst_type_enum=None):
    return ops.cast(x, _of(dst_type_enum))


@_of_constants
def infer_value_for_Concat(tensors, axis):
    return ops.cat(tensors, axis)


@_of_constants
def infer_value_for_Diag(input_x):
    return ops.diag(input_x) if input_x.ndim == 1 else None


@_of_constants
def infer_value_for_Div(input_x, other_x):
    return ops.div(input_x, other_x)


@_of_constants
def infer_value_for_DivMod(input_x, other_x, rounding_mode):
    return _divided(input_x, other_x, rounding_mode)


@_of_constants
def infer_value_for_DivMods(input_x, other_x, rounding_mode):
    return _divided(input_x, other_x, rounding_mode)


@_of_constants
def infer_value_for_Divs(input_x, other_x):
    return ops.div(input_x, other_x)


@_of_constants
def infer_value_for_EqualExt(x, y):
    return mint.equal(x, y)


@_of_constants
def infer_value_for_GatherD(input, dim, index):
    return ops.gather_d(input, dim, index)


@_of_constants
def infer_value_for_LinalgVectorNorm(input_x, ord, dim=None, keepdim=False, dtype=None):
    return linalg.vector_norm(input_x, ord, dim, keepdim, dtype=_of(dtype))


@_of_constants
def infer_value_for_LpNormV2(input_x, p=2, dim=None, keepdim=False, eps=1e-12):
    return mint.norm(input_x, p, dim, keepdim)


@_of_constants
def infer_value_for_Max(input_x):
    return mint.max(input_x)


@_of_constants
def infer_value_for_MeanExt(input_x, axis=None, keep_dims=False, dtype=None):
    return mint.mean(input_x, axis, keep_dims, dtype=_of(dtype))


@_of_constants
def infer_value_for_Min(input_x):
    return mint.min(input_x)


@_of_constants
def infer_value_for_ProdExt(input_x, axis=None, keep_dims=False, dtype=None):
    return mint.prod(input_x, axis, keep_dims, dtype=_of(dtype))


@_of_constants
def infer_value_for_ReduceAll(input_x, axis, keep_dims):
    return ops.ReduceAll(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceAny(input_x, axis, keep_dims):
    return ops.ReduceAny(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceMax(input_x, axis, keep_dims):
    return ops.ReduceMax(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceMean(input_x, axis, keep_dims):
    return ops.ReduceMean(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceMin(input_x, axis, keep_dims):
    return ops.ReduceMin(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceProd(input_x, axis, keep_dims):
    return ops.ReduceProd(keep_dims)(input_x, axis)


@_of_constants
def infer_value_for_ReduceSum(input_x, axis, keep_dims, skip_mode):
    return ops.ReduceSum(keep_dims, skip_mode)(input_x, axis)


@_of_constants
def infer_value_for_Reshape(x, shape):
    return ops.reshape(x, shape)


@_of_constants
def infer_value_for_Softmax(input, axis):
    return ops.Softmax(axis)(input)


@_of_constants
def infer_value_for_SumExt(input_x, axis=None, keep_dims=False, dtype=None):
    return mint.sum(input_x, axis, keep_dims, dtype=_of(dtype))


@_of_constants
def infer_value_for_Svd(input_x, full_matrices, compute_uv):
    return ops.Svd(full_matrices, compute_uv)(input_x)


@_of_constants
def infer_value_for_Tile(input, dims):
    return ops.tile(input, dims)


made = FUNCTIONS.get
