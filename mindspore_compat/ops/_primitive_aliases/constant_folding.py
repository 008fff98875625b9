"""`infer_value_for_Tile` and its like: what a Primitive gives for constants, one table.

The original's graph compiler asks them; an input that is no constant is None, and then so is the
result. A line is the function and the call that it stands for, over `mint` and `ops`. Types come as
numbers (`ops.auto_generate.dtype_to_type_id`), ways to round as 1 (to zero) and 2 (down).
"""

import functools
import re

from ..._core.declare.public_api import build
from ..._core.declare.source import compiled
from ..._core.tensor.dtype import type_id_to_type
from ..primitive import Primitive

_TABLE = """
Arange(start, end, step, dtype=None) = mint.arange(start, end, step, dtype=of(dtype))
BroadcastTo(x, shape) = ops.broadcast_to(x, shape)
Cast(x, dst_type_enum=None) = ops.cast(x, of(dst_type_enum))
Concat(tensors, axis) = ops.cat(tensors, axis)
Diag(input_x) = ops.diag(input_x) if input_x.ndim == 1 else None
Div(input_x, other_x) = ops.div(input_x, other_x)
DivMod(input_x, other_x, rounding_mode) = divided(input_x, other_x, rounding_mode)
DivMods(input_x, other_x, rounding_mode) = divided(input_x, other_x, rounding_mode)
Divs(input_x, other_x) = ops.div(input_x, other_x)
EqualExt(x, y) = mint.equal(x, y)
GatherD(input, dim, index) = ops.gather_d(input, dim, index)
LinalgVectorNorm(input_x, ord, dim=None, keepdim=False, dtype=None)
    = mint.linalg.vector_norm(input_x, ord, dim, keepdim, dtype=of(dtype))
LpNormV2(input_x, p=2, dim=None, keepdim=False, eps=1e-12) = mint.norm(input_x, p, dim, keepdim)
Max(input_x) = mint.max(input_x)
MeanExt(input_x, axis=None, keep_dims=False, dtype=None)
    = mint.mean(input_x, axis, keep_dims, dtype=of(dtype))
Min(input_x) = mint.min(input_x)
ProdExt(input_x, axis=None, keep_dims=False, dtype=None)
    = mint.prod(input_x, axis, keep_dims, dtype=of(dtype))
ReduceAll(input_x, axis, keep_dims) = ops.ReduceAll(keep_dims)(input_x, axis)
ReduceAny(input_x, axis, keep_dims) = ops.ReduceAny(keep_dims)(input_x, axis)
ReduceMax(input_x, axis, keep_dims) = ops.ReduceMax(keep_dims)(input_x, axis)
ReduceMean(input_x, axis, keep_dims) = ops.ReduceMean(keep_dims)(input_x, axis)
ReduceMin(input_x, axis, keep_dims) = ops.ReduceMin(keep_dims)(input_x, axis)
ReduceProd(input_x, axis, keep_dims) = ops.ReduceProd(keep_dims)(input_x, axis)
ReduceSum(input_x, axis, keep_dims, skip_mode)
    = ops.ReduceSum(keep_dims, skip_mode)(input_x, axis)
Reshape(x, shape) = ops.reshape(x, shape)
Softmax(input, axis) = ops.Softmax(axis)(input)
SumExt(input_x, axis=None, keep_dims=False, dtype=None)
    = mint.sum(input_x, axis, keep_dims, dtype=of(dtype))
Svd(input_x, full_matrices, compute_uv) = ops.Svd(full_matrices, compute_uv)(input_x)
Tile(input, dims) = ops.tile(input, dims)
"""

_LINE = re.compile(r"(\w+)\((.*?)\) = (.*)")
PREFIX = "infer_value_for_"
LINES = {PREFIX + line.split("(", 1)[0]: line
         for line in _TABLE.replace("\n    ", " ").strip().split("\n")}
_NAMED = re.compile(r"\b(ops|mint(?:\.linalg)?)\.(\w+)")


def _unknown(value):
    return value is None or isinstance(value, (tuple, list)) and None in value


def _of(number):
    """The type of this number; None for None."""
    return None if number is None else type_id_to_type(number)


def _divided(x, y, rounding_mode):
    """A quotient rounded to zero or down; None for one that is not rounded."""
    mode = {1: "trunc", 2: "floor"}.get(rounding_mode)
    return None if mode is None else build("mint", "div")(x, y, rounding_mode=mode)


@functools.cache
def made(name):
    """The function of this name, or None if the table has none."""
    if name not in LINES:
        return None
    _, parameters, call = _LINE.fullmatch(LINES[name]).groups()
    needed = [each for each in parameters.split(", ") if "=" not in each]
    scope = {"unknown": _unknown, "of": _of, "divided": _divided}
    for area, target in _NAMED.findall(call):
        scope[f"{area}_{target}".replace(".", "_")] = (
            build(area, target, Primitive) if area == "ops" else build(area, target))
    written = _NAMED.sub(lambda found: found[0].replace(".", "_"), call)
    lines = [f"def {name}({parameters}):",
             f"    if {' or '.join(f'unknown({each})' for each in needed)}:",
             "        return None",
             f"    return {written}"]
    function = compiled(lines, scope, f"ops.auto_generate.{name}")[name]
    function.__module__ = "mindspore_compat.ops.auto_generate"
    function.__doc__ = (f"`{call}`; None if an input is.\n\n"
                        f"Source: mindspore.ops.auto_generate.{name} of MindSpore 2.10.\n")
    return function
