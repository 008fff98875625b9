"""Operands of operators that move values: shapes, indices, scatters, padding, diagonals.

The notes of lines_layers.py apply here too.
"""

import numpy as np

from mindspore_compat.ops._shape.band import _Band as Band

from .operands import apart, bools, ints, of, positive, x

SHAPES = {
    "_elementwise.cast.cast": [
        of(x(2, 3), np.dtype(name)).labelled(name) for name in ("float64", "float32")
    ],
    "_shape.diagonal.blocks_on_diagonal": of([x(2, 3), x(1, 2)]),
    "_shape.grid.grids": of([x(2), x(3)], "ij"),
    "_shape.join_split.parts_at": of(x(5, 2), (1, 3), 0),
    "_shape.transpose.t": of(x(2, 3)),
    "_indexing.take.chosen": of(ints([0, 2, 1]), [x(3), x(3, seed=1), x(1)], False),
    "_indexing.take.slices_at": of(x(5, 2), ints([4, 0, 4]), 0),
    "_indexing.take.taken": of(x(5), ints([4, 0, 4]), 0, "wrap"),
    "_shape.repeat.expand": of(x(1, 3), ints([2, 3])).unchanged(),
    "_shape.create.fill_v2": of(x(), (2, 3)),
    "_shape.transpose.transpose_ext_view": of(x(2, 3, 2), 0, 2),
    "_shape.transpose.transpose_view": of(x(2, 3, 2), (2, 0, 1)),
    "_shape.reshape.flatten_axes": of(x(2, 3, 2), 1, 2),
    "_shape.repeat.repeated": of(x(2, 3), 2, 1),
    "_shape.reshape.reshape_array": of(x(2, 3), (3, 2)),
    "_shape.reshape.rows_copied": of(x(2, 3, 2)),
    "_shape.join_split.split_at": of(x(5, 2), (1, 3), 0),
    "_shape.pad.pad_by_index": of(x(2, 4), ((0, 0), (2, 1)), "reflect"),
    "stacking.stacked": of([x(2, 3), x(2, 3, seed=1)]),
    "_shape.pad.pad_constant": of(x(2, 3), ((1, 0), (0, 2)), 1.5),
    "padding.pad_ends": of(x(2, 4), ((0, 0), (2, 1)), "reflect"),
    "_shape.band.band_of": of(x(2, 3, 4), x(), Band(-1, 2, 3, 4, "RIGHT_LEFT")),
    "_shape.diagonal.trace_along": of(x(3, 4, 2), 1, 0, 1),
    "_shape.band.with_band": of(x(2, 3, 4), x(2, 2, 3), Band(0, 1, 3, 4, "RIGHT_LEFT")),
    "matrices.diagonal_of": of(x(2, 3, 4)),
    "matrices.on_diagonal": of(x(2, 3)),
    "matrices.scatter_diagonal": of(x(2, 3, 4), x(2, 3)),
    "_shape.create_like.full_like": of(x(2, 3), 1.5),
}
INDICES = {
    "_indexing.gather.gather": of(x(3, 4), ints([2, 0]), 1),
    "_indexing.getitem.getitem": [
        of(x(3, 4), (slice(1, None), None, 2)).labelled("slices"),
        of(x(3, 4), (ints([0, 0, 2]), slice(None))).labelled("repeated rows"),
    ],
    "_indexing.getitem.setitem": [
        of(x(3, 4), x(2, 1), (slice(1, None), slice(0, 2))).labelled("slices"),
        of(x(3, 4), x(2, 4), (ints([2, 0]),)).labelled("rows"),
    ],
    "_indexing.inplace.copied_along": of(x(3, 4), ints([2, 0]), x(2, 4), 0),
    "_indexing.inplace.slices_by": [
        of(x(3, 4), x(2, 4), (2, 0), how).labelled(how) for how in ("update", "add", "sub")
    ],
    "_indexing.scatter_along_axis.added_along": of(x(3, 4), ints([2, 0, 2]), x(3, 4, seed=1), 0),
    "_indexing.masks.masked_scatter": of(x(2, 3), bools([[1, 0, 1], [0, 1, 0]]), x(6)),
    "_indexing.scatter.scatter_by": [
        of(apart(4), positive(3), (ints([0, 2, 0]),), how).labelled(how)
        for how in ("add", "sub", "mul", "div", "max", "min")
    ]
    + [of(apart(4), positive(2), (ints([0, 2]),), "update").labelled("update")],
    "_indexing.scatter_along_axis.scatter": [
        of(x(2, 3), 1, ints([[2, 0]]), x(2, 2)),
        of(x(2, 3), 1, ints([[2, 0]]), x()).labelled("one number"),
    ],
    "_indexing.scatter_along_axis.scatter_add_along": of(
        x(2, 3), 1, ints([[2, 2], [0, 1]]), x(2, 2)
    ),
    "_indexing.scatter_along_axis.tensor_scatter_elements": [
        of(x(2, 3), ints([[2, 1], [0, 1]]), x(2, 2), 1, how).labelled(how)
        for how in ("none", "add", "mul")
    ],
    "_indexing.scatter_along_axis.scatter_add_with_axis": of(
        x(2, 3), ints([[2, 2], [0, 1]]), x(2, 2), 1
    ),
    "_elementwise.clamp.clamp": of(x(3, 4, away=(-0.5, 0.5)), -0.5, 0.5),
    "_elementwise.clamp.clip_to_numbers": of(x(3, 4, away=(-0.5, 0.5)), -0.5, 0.5),
    "_shape.one_hot.one_hot": of(ints([2, 0, 1]), 4, 1.5, -0.5),
}
LINES = {**SHAPES, **INDICES}
