"""The strategy file of a divided network: how each rank's checkpoint was cut.

The grid of a parameter is the mesh of the network (_core/sharding/mesh.py), so each axis of the
parameter is cut along the mesh axes that divide it. `strategy.py` reads the file.
"""

import json

from ..._core.sharding.array import Sharded
from ..._io.files import atomic_write
from ..._io.protobuf import bytes_field, int_field

_WHOLE = (1 << 64) - 1  # -1, an axis that is not cut, as an unsigned number of 64 bits


def can_be_cut(array):
    """Returns True if a strategy file can describe the division of an array. It cannot describe a
    partial sum, nor a 1-D array that several mesh axes divide unless these are adjacent."""
    return not array.sums and (array.ndim > 1 or len(array.dims[0]) <= 1 or _run(array.dims[0]))


def _run(mesh_axes):
    return list(mesh_axes) == list(range(mesh_axes[0], mesh_axes[0] + len(mesh_axes)))


def grid_of(array, mesh):
    """(lengths of the grid, for each axis the grid's axes that cut it, counted from the last)."""
    dims, grid = getattr(array, "dims", ((),) * array.ndim), list(mesh.shape)
    if type(array) is Sharded and not can_be_cut(array):
        dims = ((),) * array.ndim
    if array.ndim == 1 and len(dims[0]) > 1:  # the axes of the grid that cut it, as one
        first, count = dims[0][0], len(dims[0])
        grid[first : first + count] = [mesh.count(dims[0])]
        dims = ((first,),)
    cuts = [[len(grid) - 1 - axis for axis in axes] or [-1] for axes in dims]
    return grid or [1], cuts


def write_strategy(path, parameters, mesh, stage=0):
    """Writes how parameters are cut.

    Args:
        path (str): the file; JSON if it ends with ".json", else protobuf.
        parameters (Iterable[Parameter]): the parameters.
        mesh (Mesh): the ranks of this stage.
        stage (int): the number of the stage.
    """
    grids = {p.name: grid_of(p._array, mesh) for p in parameters}
    text = _as_json(grids, stage).encode() if path.endswith(".json") else _as_proto(grids, stage)
    with atomic_write(path) as file:
        file.write(text)


def _numbers(values):
    return b"".join(int_field(1, _WHOLE if value < 0 else value) for value in values)


def _as_proto(grids, stage):
    strategies, layouts = [], []
    for name, (grid, cuts) in grids.items():
        strategies.append(
            bytes_field(2, bytes_field(1, name) + bytes_field(2, int_field(1, stage)))
        )
        layout = bytes_field(1, _numbers(grid))
        layout += b"".join(bytes_field(2, _numbers(axes)) for axes in cuts or [[]])
        layouts.append(bytes_field(3, bytes_field(1, name) + bytes_field(2, layout)))
    return b"".join([int_field(1, 1), *strategies, *layouts])


def _as_json(grids, stage):
    return json.dumps(
        {
            "current_stage": 1,
            "parallel_strategy_item": {name: {"stage": stage} for name in grids},
            "parallel_layout_item": {
                name: {
                    "dev_matrix": grid,
                    "tensor_map": [axes[0] if len(axes) == 1 else axes for axes in cuts],
                }
                for name, (grid, cuts) in grids.items()
            },
        }
    )
