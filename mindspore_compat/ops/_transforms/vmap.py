"""vmap: one run of a function for all slices of its inputs.

This module handles the axes and their checks. The arrays with a hidden axis are in `_core/vmap`.
"""

import inspect

from ..._backend.arrays import HOST
from ..._core.autograd.devices import in_space
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.gradients.transforms import map_tensors, tensors_in
from ..._core.rules.vocabulary import Any, TensorOf, any_dtype
from ..._core.tensor.tensor import Tensor
from ..._core.vmap.batch import BatchSpace, running
from ...common._graph_mode.call import graphs
from .._shape.join_split import cat, stack
from .._shape.transpose import moveaxis


@op(compute="native")
def enter_batch(xp, x: TensorOf(any_dtype), space: Any, axis: Any):
    """Returns `x` with one axis hidden."""
    return xp.enter_batch(x, space, axis)


@op(compute="native")
def leave_batch(xp, x: TensorOf(any_dtype), space: Any, axis: Any):
    """Returns `x` with its hidden axis made visible again."""
    return xp.leave_batch(x, space, axis)


@public("vmap", "ops.vmap")
def vmap(fn, in_axes=0, out_axes=0, chunk_size=None):
    """Vectorizes a function: returns a function that runs `fn` once for all slices of its inputs
    along an axis.

    Args:
        fn (Union[Cell, Function, CellList]): the function that computes one slice; of a CellList,
            cell i runs on slice i.
        in_axes (Union[int, list, tuple]): the mapped axis of each input; None for an input that is
            the same for every slice. Nested like the inputs. Default: 0.
        out_axes (Union[int, list, tuple]): the position of the axis in each output. An output that
            is a number becomes a Tensor that repeats it; None returns an output that is the same in
            every slice without the axis. Default: 0.
        chunk_size (int): the maximum number of slices that run at once. Default: None, all of them.

    Random numbers are drawn once and are the same in every slice. If slices shall differ, draw the
    numbers outside and map over them.

    Raises:
        RuntimeError: if an axis is neither an int nor None, or does not exist; if every entry of
            `in_axes` or `out_axes` is None (a CellList may have None); if the axes are not nested
            like the inputs or outputs; if the mapped axes differ in length or there is none; if an
            output that differs between slices has None in `out_axes`; if a CellList holds only one
            cell, or cells that take different numbers of inputs.
        TypeError: if `fn` takes the wrong number of inputs.
        ValueError: if a CellList does not have one cell per slice.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.vmap(lambda x: x.sum())(ms.Tensor([[1.0, 2.0], [3.0, 4.0]])))
        [3. 7.]

    Source: mindspore.vmap of MindSpore 2.10.
    """
    cells = hasattr(fn, "insert") and hasattr(fn, "append")  # a CellList: one cell per slice

    def mapped(*args, **kwargs):
        _check_axes("in_axes", in_axes, cells)
        _check_axes("out_axes", out_axes, cells)
        if cells:
            _check_cells(fn)
        elif not kwargs:
            _check_number_of_inputs(fn, len(args))
        pairs = _pairs(args, in_axes)
        if cells:
            return _over_cells(fn, args, in_axes, out_axes, _count(pairs, len(fn)))
        count = _count(pairs)
        if chunk_size is not None and count > chunk_size:
            return _in_chunks(fn, args, kwargs, in_axes, out_axes, count, chunk_size)
        mapped_tensors = [t for t, a in pairs if a is not None]
        active = running.spaces
        base = active[-1] if active else _device_of(mapped_tensors)
        space = BatchSpace(base, count)
        entered = _zip_map(
            lambda t, a: t if a is None else enter_batch.run(in_space(base, t), space, a),
            args,
            in_axes,
            "in_axes",
        )
        active.append(space)
        running.started += 1
        outside, graphs.separate = graphs.separate, True
        try:
            out = fn(*entered, **kwargs)
        finally:
            active.pop()
            graphs.separate = outside
        return _zip_map(
            lambda t, a: _leave(t, space, a),
            out,
            out_axes,
            "out_axes",
            lambda number, axis: _repeat(number, count, axis),
        )

    return mapped


def _device_of(tensors):
    """Returns the array namespace of Tensors: the GPU's if at least one of them is on it."""
    spaces = [space_for(tensor._array) for tensor in tensors]
    return next((space for space in spaces if space is not HOST), HOST)


def _inputs_of(fn):
    """Returns the smallest and largest number of positional inputs; None means no limit."""
    try:
        parameters = inspect.signature(getattr(fn, "construct", fn)).parameters.values()
    except (TypeError, ValueError):
        return None
    kinds = [parameter.kind for parameter in parameters]
    if inspect.Parameter.VAR_POSITIONAL in kinds:
        return None
    positional = [
        parameter
        for parameter in parameters
        if parameter.kind <= inspect.Parameter.POSITIONAL_OR_KEYWORD
    ]
    return sum(parameter.default is inspect.Parameter.empty for parameter in positional), len(
        positional
    )


def _check_number_of_inputs(fn, count):
    bounds = _inputs_of(fn)
    if bounds is not None and not bounds[0] <= count <= bounds[1]:
        raise TypeError(
            f"For 'vmap': The parameters number of the function is {bounds[1]}, but the number of "
            f"provided arguments is {count}."
        )


def _check_cells(cells):
    if len(cells) < 2:
        raise RuntimeError(
            "In the model ensembling parallel training scenario ('VmapOperation' arg0 is a "
            f"'CellList'), the size of 'CellList' must be greater than 1, but got {len(cells)}."
        )
    if len({_inputs_of(cell) for cell in cells}) > 1:
        raise RuntimeError(
            "For 'vmap': 'VmapOperation' arg0 is a CellList, whose elements's inputs should be "
            "consistent."
        )


def _leaves(axes):
    if isinstance(axes, (tuple, list)):
        return [a for axis in axes for a in _leaves(axis)]
    return [axes]


def _check_axes(name, axes, cells):
    for axis in _leaves(axes):
        if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
            text = f"{axis:g}" if isinstance(axis, float) else axis
            raise RuntimeError(
                f"For 'vmap': The axis in vmap's '{name}' should be a None or a scalar of type "
                f"Int64Imm, but got a {text}."
            )
    if cells:
        return
    unless = "while 'fn' is not a 'CellList'"
    if axes is None:
        raise RuntimeError(f"The '{name}' of 'vmap' cannot be a single None {unless}.")
    if all(a is None for a in _leaves(axes)):
        raise RuntimeError(f"The '{name}' of 'vmap' cannot be all None {unless}, but got {axes}.")


def _check_axis(name, axis, rank):
    if not -rank <= axis < rank:
        raise RuntimeError(
            f"For 'vmap': The axis: {axis} in '{name}' is out of bounds for array of dimension "
            f"[{-rank},{rank})."
        )


def _leave(tensor, space, axis):
    """Returns an output with its hidden axis at `axis`; None for an output that is the same in
    every slice.
    """
    if axis is None:
        if space.is_batch(tensor._array):
            raise RuntimeError(
                "For 'vmap', an output that differs from slice to slice must have an int in "
                "'out_axes': It is invalid that source is not None and dst is None."
            )
        return tensor
    _check_axis("out_axes", axis, tensor.ndim + 1)
    return leave_batch.run(tensor, space, axis)


def _repeat(number, count, axis):
    """Repeats a number, the output of every slice, as a Tensor; unchanged if `axis` is None."""
    if axis is None:
        return number
    _check_axis("out_axes", axis, 1)
    return Tensor([number] * count)


def _zip_map(function, value, axes, name, of_number=None):
    """Applies `function(tensor, axis)` to every Tensor, and `of_number` to every number. `axes` is
    nested like `value`, or is one axis for all; `name` is its name in error messages."""
    if isinstance(value, Tensor):
        return function(value, axes)
    if isinstance(value, (tuple, list)):
        axis_list = axes if isinstance(axes, (tuple, list)) else [axes] * len(value)
        if len(axis_list) != len(value):
            of = "results" if name == "out_axes" else "arguments"
            raise RuntimeError(
                f"The size of vmap's '{name}' should be equal to the number of {of} of 'fn': "
                f"{len(value)}, but got size: {len(axis_list)}."
            )
        pairs = zip(value, axis_list, strict=True)
        return type(value)(_zip_map(function, v, a, name, of_number) for v, a in pairs)
    if of_number and isinstance(value, (bool, int, float)):
        return of_number(value, axes)
    return value


def _pairs(args, in_axes):
    pairs = []
    _zip_map(lambda t, a: pairs.append((t, a)) or t, args, in_axes, "in_axes")
    return pairs


def _count(pairs, default=None):
    """Returns the common length of the mapped axes; `default` if there are none."""
    lengths = {}
    for tensor, axis in pairs:
        if axis is not None:
            _check_axis("in_axes", axis, tensor.ndim)
            lengths[tensor.shape[axis]] = None
    if not lengths and default is None:
        raise RuntimeError(
            "For 'vmap': Failed to get 'axis_size' within the scope of vmap. No Tensor is mapped."
        )
    if len(lengths) > 1:
        raise RuntimeError(
            "The 'axis_size' of each argument in the scope of 'vmap' should be equal, but got "
            f"{' and '.join(map(str, lengths))}."
        )
    return next(iter(lengths), default)


def _part(tensor, axis, index):
    """Returns the slice or range `index` of a Tensor along an axis."""
    return tensor[(slice(None),) * (axis % tensor.ndim) + (index,)]


def _over_cells(cells, args, in_axes, out_axes, count):
    if len(cells) != count:
        raise ValueError(
            "For 'vmap', a 'CellList' must have one cell for each slice. If you want to execute "
            "the model ensembling parallel training, please make sure the 'axis_size' in the "
            "scope of vmap consistent with the cell size of the input 'CellList', otherwise, "
            "please do not enter 'CellList' as the first argument, but we get axis_size: "
            f"{count} and the cell size: {len(cells)}."
        )
    outs = [
        cell(
            *_zip_map(
                lambda t, a, i=i: t if a is None else _part(t, a, i), args, in_axes, "in_axes"
            )
        )
        for i, cell in enumerate(cells)
    ]
    return _stack(outs, out_axes)


def _stack(outs, out_axes):
    columns = [tensors_in(out) for out in outs]
    columns_stacked = iter([stack.run(list(column), 0) for column in zip(*columns)])
    whole = map_tensors(lambda t: next(columns_stacked), outs[0])
    return _zip_map(
        lambda t, a: t if a in (0, None) else moveaxis.run(t, 0, a), whole, out_axes, "out_axes"
    )


def _in_chunks(fn, args, kwargs, in_axes, out_axes, count, chunk_size):
    outs = []
    for start in range(0, count, chunk_size):
        part = slice(start, start + chunk_size)
        sliced = _zip_map(
            lambda t, a, part=part: t if a is None else _part(t, a, part), args, in_axes, "in_axes"
        )
        outs.append(vmap(fn, in_axes, out_axes)(*sliced, **kwargs))
    columns = iter([list(column) for column in zip(*[tensors_in(out) for out in outs])])

    def whole(tensor, axis):
        column = next(columns)
        return column[0] if axis is None else cat.run(column, axis)

    return _zip_map(whole, outs[0], out_axes, "out_axes")
