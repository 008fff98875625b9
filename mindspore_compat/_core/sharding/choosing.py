"""Chooses how to divide weights that have no strategy, in the mode "auto_parallel".

When a product, an embedding or a convolution first uses a weight, the possible divisions of the
weight are compared: whole, or along one of its axes over all ranks. The cost of each is a count,

    bytes that a rank receives in a step + operations that it computes / OPERATIONS_PER_BYTE

for the forward and the backward pass, with the exchanges of moving.py. The cheapest is taken, and
rank 0 prints it. The choice is made operator by operator, in the order of the first step: a result
that stays divided is counted as if it had to be divided by rows again.
"""

import math
from typing import NamedTuple

from ...log import print_escaped
from ..gradients.leaves import WEIGHTS
from .array import Sharded

OPERATIONS_PER_BYTE = 1000  # 100 TFLOP/s of arithmetic and 100 GB/s of exchange


class Sizes(NamedTuple):
    """What an operator with a weight computes.

    Attributes:
        rows (int): the number of rows of the input, such as samples or tokens.
        inner (int): the length of the axis that is summed over.
        columns (int): the number of columns of the result.
        input_bytes, output_bytes, weight_bytes (int): the sizes of its arrays.
        by_rows (bool): whether the rows can be divided over all ranks.
        by_inner (bool): whether the input is divided along its inner axis already.
    """

    rows: int
    inner: int
    columns: int
    input_bytes: int
    output_bytes: int
    weight_bytes: int
    by_rows: bool
    by_inner: bool = False


def product_costs(sizes, ranks):
    """Returns the cost of each division of the weight of a product or convolution: "whole",
    "columns" of the result, or the "inner" axis."""
    others, parts = (ranks - 1) / ranks, 1 / ranks
    own_operations = 6 * sizes.rows * sizes.inner * sizes.columns * parts / OPERATIONS_PER_BYTE
    x, y, weight = (others * n for n in (sizes.input_bytes, sizes.output_bytes, sizes.weight_bytes))
    # gradient of a divided weight: counted by the larger of input and result, in its placement
    of_columns = x if sizes.output_bytes >= sizes.input_bytes else weight
    return {
        "whole": 2 * weight
        + (2 * parts * x if sizes.by_inner else 0)
        + own_operations * (1 if sizes.by_rows else ranks),
        "columns": 2 * (x + parts * y) + of_columns + own_operations,
        "inner": (0 if sizes.by_inner else 2 * parts * x + weight) + 2 * y + own_operations,
    }


def table_costs(sizes, ranks):
    """Returns the cost of each division of an embedding table: "whole" for none, "inner" for a
    division of its rows, "columns" for a division of its columns."""
    others = (ranks - 1) / ranks
    return {
        "whole": 2 * others * sizes.weight_bytes,
        "inner": 2 * others * sizes.output_bytes,
        "columns": 2 * others * sizes.output_bytes / ranks + others * sizes.input_bytes,
    }


def cheapest(costs, lengths, ranks):
    """Returns the cheapest division among those with equal parts.

    Args:
        costs (dict): the cost of each division.
        lengths (dict): the length of the axis of the weight that a division cuts.
        ranks (int): the number of parts.
    """
    possible = [name for name in costs if lengths.get(name, ranks) % ranks == 0]
    return min(possible, key=costs.get)


def _product(x, weight, ranks, inner, column):
    shape = weight.shape
    rows = math.prod(x.shape[:-1])
    kernel = shape[inner], shape[column]
    output = rows * kernel[1] * x.itemsize
    return Sizes(rows, *kernel, x.nbytes, output, weight.nbytes, *_place(x, -1, ranks)), (
        inner,
        column,
    )


def _place(x, inner, ranks):
    """Returns whether the rows of an input can be divided over all ranks, and whether its inner
    axis is divided."""
    return x.ndim > 1 and x.shape[0] % ranks == 0, bool(type(x) is Sharded and x.dims[inner])


def _convolution(values, x, weight, ranks):
    out, in_channels, *window = weight.shape
    rows = x.shape[0] * math.prod(x.shape[2:])
    output = rows * out * x.itemsize
    sizes = rows, in_channels * math.prod(window), out, x.nbytes, output, weight.nbytes
    return Sizes(*sizes, *_place(x, 1, ranks)), (1, 0)


def _table(values, ids, table, ranks):
    output = ids.size * math.prod(table.shape[1:]) * table.itemsize
    return Sizes(ids.size, *table.shape, ids.nbytes, output, table.nbytes, True), (0, 1)


def _mat_mul(values, x, weight, ranks):
    column, inner = (0, 1) if values["transpose_b"] else (1, 0)
    return None if values["transpose_a"] else _product(x, weight, ranks, inner, column)


def _is_plain(values):
    return values.get("group", values.get("groups", 1)) == 1 and (
        values.get("data_format", "NCHW") == "NCHW"
    )


# operator -> the names of its input and its weight, the weight's number of axes, the function of
# (arguments, input, weight, ranks) that returns the sizes and the inner and column axis of the
# weight, and its costs
_OPERATORS = {
    "dense": ("input", "weight", 2, lambda values, *given: _product(*given, 1, 0), product_costs),
    "matmul": ("input", "other", 2, lambda values, *given: _product(*given, 0, 1), product_costs),
    "mat_mul": ("input", "other", 2, _mat_mul, product_costs),
    "conv2d": ("input", "weight", 4, _convolution, product_costs),
    "conv2d_primitive": ("x", "weight", 4, _convolution, product_costs),
    "gather": ("input_indices", "input_params", 2, _table, table_costs),
}


def choose(space, operator, values):
    """Divides the weight that an operator uses, unless it is divided or was chosen to stay whole.
    Returns whether the weight has been divided.

    Args:
        space (ShardedSpace): the space of the operator's arrays.
        operator (str): the name of the operator.
        values (dict): its arguments.
    """
    if operator not in _OPERATORS:
        return False
    of_input, of_weight, axes, sizes_of, costs_of = _OPERATORS[operator]
    weight, x = values[of_weight], values[of_input]
    if WEIGHTS.get(id(weight)) is not weight or weight.__dict__.get("_division_chosen"):
        return False
    array, mesh = weight._array, space.mesh
    if type(array) is Sharded or array.ndim != axes or not x._array.ndim or not _is_plain(values):
        return False
    described = sizes_of(values, x._array, array, mesh.size)
    if described is None:
        return False
    weight.__dict__["_division_chosen"] = True
    sizes, (inner, column) = described
    axis_of = {"inner": inner, "columns": column}
    costs = costs_of(sizes, mesh.size)
    lengths = {name: array.shape[axis] for name, axis in axis_of.items()}
    name = cheapest(costs, lengths, mesh.size)
    if mesh.world.rank == 0:
        print_escaped(_line(weight, operator, name, axis_of, costs), flush=True)
    if name == "whole":
        return False
    dims = [()] * array.ndim
    dims[axis_of[name]] = mesh.axes
    weight._array = space.shard(array, dims)
    return True


def _line(weight, operator, name, axis_of, costs):
    where = "whole" if name == "whole" else f"divided along axis {axis_of[name]}"
    counts = ", ".join(f"{name} {cost / 1e6:.3g}" for name, cost in costs.items())
    shape = tuple(weight.shape)
    return f"auto_parallel: {weight.name} {shape} of {operator}: {where} (cost in MB: {counts})"
