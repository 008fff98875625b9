"""Parameters cut into slices: reads and writes the strategy files that describe how they are cut,
and merges slices.

A strategy file is protobuf, MindSpore's node_strategy.proto, or JSON with the same names. It
lists the layouts of parameters: ranks form a grid (`dev_matrix`), and each axis of a parameter is
cut along one axis of the grid, or not at all (`tensor_map`).
"""

import glob
import json
import math
import os

import numpy as np

from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import InstanceOf, ListOf, Str
from ..._core.tensor.tensor import Tensor
from ..._io.files import atomic_write
from ..._io.protobuf import BYTES, VARINT, bytes_field, fields, int_field, ints, to_signed
from ..._io.reading import content, json_of, reading
from ...common.parameter import Parameter
from ...communication import get_group_size
from ...communication.comm_func import all_gather_into_tensor

_Parameters = ListOf(InstanceOf(Parameter))

__all__ = [
    "build_searched_strategy",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "restore_group_info_list",
]

_LISTS = {1: "dev_matrix", 2: "tensor_map", 3: "param_split_shape", 4: "indices_offset"}
_NUMBERS = {5: "field", 6: "opt_weight_shard_step", 7: "opt_weight_shard_size"}
_STRATEGIES, _LAYOUTS = 2, 3  # fields of a strategy file


class Dims:
    """A list of numbers in a layout.

    Attributes:
        dim (list[int]): the numbers.
    """

    def __init__(self, dim):
        self.dim = dim

    def __repr__(self):
        return f"Dims({self.dim})"


class ParallelLayouts:
    """The layout of a parameter: how it is cut into slices.

    Attributes:
        dev_matrix (list[Dims]): the lengths of the grid of ranks in row-major order: the last axis
            runs fastest.
        tensor_map (list[Dims]): for each axis of the parameter the axis of the grid that cuts it,
            counted from the last one, which is 0; -1 for no cut.
        param_split_shape (list[Dims]): the lengths of slices of different lengths.
        indices_offset (list[Dims]): the offset to subtract from indices that look up a slice.
        field (int): the number of fields of a table that is cut by fields; 0 for other parameters.
        opt_weight_shard_step, opt_weight_shard_size (int): the further cut for the optimizer.
    """

    def __init__(self):
        for name in _LISTS.values():
            setattr(self, name, [])
        for name in _NUMBERS.values():
            setattr(self, name, 0)

    def __repr__(self):
        return f"ParallelLayouts({vars(self)})"


@checked
def build_searched_strategy(strategy_filename: Str):
    """Reads a parallel strategy file.

    Args:
        strategy_filename (str): the file; JSON if its name ends with ".json", otherwise protobuf.

    Returns:
        dict from the names of parameters to their ParallelLayouts.

    Raises:
        TypeError: if `strategy_filename` is not a str.
        ValueError: if there is no such file, or it is empty or not a strategy file.

    Source: mindspore.parallel.build_searched_strategy of MindSpore 2.10.
    """
    _check_file("build_searched_strategy", "strategy_filename", strategy_filename)
    with _reading("build_searched_strategy", strategy_filename):
        if strategy_filename.endswith(".json"):
            items = json_of(strategy_filename).get("parallel_layout_item", {})
            return {name: _layout_from_json(item) for name, item in items.items()}
        _, layouts = _items_of(_content(strategy_filename))
        return {name: _layout(item) for name, item in map(_name_and_content, layouts)}


@checked
def merge_sliced_parameter(sliced_parameters: _Parameters, strategy: InstanceOf(dict) = None):
    """Merges the slices of a parameter into the whole parameter.

    Args:
        sliced_parameters (list[Parameter]): the slices in the order of ranks. Their names, and
            their shapes after the first axis, must be equal.
        strategy (dict, optional): layouts by parameter name, as `build_searched_strategy` returns
            them. Without it the slices are joined along the first axis.

    Returns:
        Parameter, the whole parameter.

    Raises:
        TypeError: if `sliced_parameters` is not a list of Parameters, or `strategy` not a dict.
        ValueError: if there are no slices, or they do not fit each other or the layout.
        KeyError: if `strategy` does not name the parameter.

    Examples:
        >>> from mindspore_compat import Parameter, Tensor, merge_sliced_parameter
        >>> slices = [Parameter(Tensor([1.0, 2.0]), "w"), Parameter(Tensor([3.0]), "w")]
        >>> print(merge_sliced_parameter(slices).asnumpy())
        [1. 2. 3.]

    Source: mindspore.parallel.merge_sliced_parameter of MindSpore 2.10.
    """
    api = "merge_sliced_parameter"
    if not sliced_parameters:
        raise ValueError(f"For '{api}', 'sliced_parameters' must not be empty.")
    first = sliced_parameters[0]
    for parameter in sliced_parameters:
        if (
            parameter.name != first.name
            or parameter.ndim != first.ndim
            or parameter.shape[1:] != first.shape[1:]
        ):
            raise ValueError(
                f"For '{api}', 'sliced_parameters' must have one name and the same "
                f"shape after the first axis, but got {first.name!r} {first.shape} "
                f"and {parameter.name!r} {parameter.shape}."
            )
    slices = [parameter.asnumpy() for parameter in sliced_parameters]
    if not strategy:
        whole = np.concatenate(slices)
    elif first.name not in strategy:
        raise KeyError(f"For '{api}', 'strategy' must name the parameter {first.name!r}.")
    else:
        whole = _merge(slices, strategy[first.name])
    return Parameter(Tensor(whole), first.name, first.requires_grad, first.layerwise_parallel)


def _get_merged_param_data(net, parameter_layout_dict, param_name, param_data, integrated_save):
    """Returns the whole of a sharded parameter, for libraries that save it.

    Args:
        net (Cell): the network; its layouts are in `parameter_layout_dict`.
        parameter_layout_dict (dict): name -> the grid of ranks, the axis of the grid that cuts each
            axis of the parameter, the shape of a slice and the number of fields.
        param_name (str): the parameter.
        param_data (Tensor): this rank's slice.
        integrated_save (bool): whether to join the slices.

    Returns:
        Tensor, the whole on every rank; `param_data` itself if it is not cut or not joined.

    Raises:
        KeyError: if `parameter_layout_dict` does not name the parameter.
        ValueError: if the layout does not fit the slices.

    Source: mindspore.train.serialization of MindSpore 2.10.
    """
    grid, cuts, _, fields = parameter_layout_dict[param_name][:4]
    if not integrated_save or get_group_size() == 1 or all(axis < 0 for axis in cuts):
        return param_data
    layout = ParallelLayouts()
    layout.dev_matrix, layout.tensor_map, layout.field = [Dims(grid)], [Dims(cuts)], fields
    gathered, _ = all_gather_into_tensor(param_data)
    return Tensor(_merge(np.split(gathered.asnumpy(), get_group_size()), layout), param_data.dtype)


def _merge(slices, layout):
    """Returns the whole array joined from `slices`, in the order of ranks.

    Raises:
        ValueError: if the layout is invalid, or does not fit the slices.
    """
    api = "merge_sliced_parameter"
    try:
        grid, cuts = list(layout.dev_matrix[0].dim), list(layout.tensor_map[0].dim)
        lengths = list(layout.param_split_shape[0].dim) if layout.param_split_shape else []
        groups = int(layout.field)
    except (AttributeError, IndexError, TypeError) as error:
        raise ValueError(
            f"For '{api}', 'strategy' must hold layouts, but got {layout!r}: {error}."
        ) from None
    if len(slices) != math.prod(grid):
        raise ValueError(
            f"For '{api}', 'sliced_parameters' must be of {math.prod(grid)} ranks, "
            f"but got {len(slices)}."
        )
    if not lengths and len({part.shape for part in slices}) > 1:
        raise ValueError(
            f"For '{api}', 'sliced_parameters' must have one shape, but got "
            f"{[part.shape for part in slices]}."
        )
    if not lengths and groups > 0:
        return _merged_by_groups(slices, groups)
    counts = [1 if axis < 0 else grid[len(grid) - 1 - axis] for axis in cuts]
    if lengths and len(lengths) != math.prod(counts):
        raise ValueError(
            f"For '{api}', 'param_split_shape' must have {math.prod(counts)} numbers, "
            f"but got {lengths}."
        )
    blocks = np.empty(counts, object)
    for rank, part in enumerate(slices):  # among ranks with the same slice the last one counts
        coordinates = np.unravel_index(rank, grid)
        at = tuple(0 if axis < 0 else coordinates[len(grid) - 1 - axis] for axis in cuts)
        length = lengths[np.ravel_multi_index(at, counts)] if lengths else len(part)
        if len(part) != length:
            raise ValueError(
                f"For '{api}', the slice of rank {rank} must have length {length}, "
                f"but got {len(part)}."
            )
        blocks[at] = part
    return np.block(blocks.tolist())


def _merged_by_groups(slices, groups):
    """Returns a table (rows, columns) of several fields; every rank holds some rows of each
    field."""
    columns = slices[0].shape[1]
    parts = [part.reshape(groups, -1, columns) for part in slices]
    return np.concatenate(parts, axis=1).reshape(-1, columns)


@checked
def restore_group_info_list(group_info_file_name: Str):
    """Reads from a group file which ranks hold the same parameters.

    Args:
        group_info_file_name (str): the file, protobuf.

    Returns:
        list[int], the ranks.

    Raises:
        TypeError: if `group_info_file_name` is not a str.
        ValueError: if there is no such file, or it is empty or not a file of groups.

    Source: mindspore.parallel.restore_group_info_list of MindSpore 2.10.
    """
    api, name = "restore_group_info_list", "group_info_file_name"
    _check_file(api, name, group_info_file_name)
    with _reading(api, group_info_file_name, "file of groups"):
        entries = [
            value
            for number, kind, value in fields(_content(group_info_file_name))
            if number == 2 and kind == BYTES
        ]
        if not entries:
            raise ValueError("it has no list of ranks")
        return _dims(entries[-1])


@checked
def merge_pipeline_strategys(src_strategy_dirs: Str, dst_strategy_file: Str):
    """Merges the strategy files of all stages of a pipeline into one file.

    The stage is prepended to the name of a parameter: "1-weight". If a stage has several files, the
    first is used.

    Args:
        src_strategy_dirs (str): the folder of the files, all ".ckpt" (protobuf) or all ".json".
        dst_strategy_file (str): the file to write; its folder is created if necessary.

    Raises:
        TypeError: if an argument is not a str.
        NotADirectoryError: if there is no such folder.
        ValueError: if the folder has no strategy files, or files of both kinds, or one that
            describes no parameters.

    Source: mindspore.parallel.merge_pipeline_strategys of MindSpore 2.10.
    """
    api = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(
            f"For '{api}', 'src_strategy_dirs' must be a directory, but got {src_strategy_dirs!r}."
        )
    paths_of_kind = {
        kind: sorted(glob.glob(os.path.join(glob.escape(src_strategy_dirs), f"*.{kind}")))
        for kind in ("ckpt", "json")
    }
    if bool(paths_of_kind["ckpt"]) == bool(paths_of_kind["json"]):
        raise ValueError(
            f"For '{api}', 'src_strategy_dirs' must have files that are all '.ckpt' "
            f"or all '.json', but got {sum(paths_of_kind.values(), [])}."
        )
    content = (
        _merged_messages(api, paths_of_kind["ckpt"])
        if paths_of_kind["ckpt"]
        else json.dumps(_merged_json(api, paths_of_kind["json"])).encode()
    )
    path = os.path.abspath(dst_strategy_file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with atomic_write(path) as file:
        file.write(content)


def _merged_messages(api, paths):
    stages, strategies, layouts = set(), [], []
    for path in paths:
        with _reading(api, path):
            cut, entries = _items_of(_content(path))
            stage = _stage_of(cut[0]) if cut and entries else None
        if stage is None:
            raise _empty_file_error(api, path)
        if stage in stages:
            continue
        stages.add(stage)
        strategies += [bytes_field(_STRATEGIES, bytes(item)) for item in cut]
        for name, layout in map(_name_and_content, entries):
            layouts.append(
                bytes_field(
                    _LAYOUTS, bytes_field(1, f"{stage}-{name}") + bytes_field(2, bytes(layout))
                )
            )
    return b"".join([int_field(1, 1), *strategies, *layouts])


def _merged_json(api, paths):
    result, stages = (
        {"current_stage": 1, "parallel_strategy_item": {}, "parallel_layout_item": {}},
        set(),
    )
    for path in paths:
        with _reading(api, path):
            content = json_of(path)
            cut, entries = (
                content.get("parallel_strategy_item"),
                content.get("parallel_layout_item"),
            )
            if not cut or not entries:
                raise _empty_file_error(api, path)
            stage = next(iter(cut.values())).get("stage")
            if stage not in stages:
                stages.add(stage)
                result["parallel_strategy_item"].update(cut)
                result["parallel_layout_item"].update(
                    {f"{stage}-{name}": layout for name, layout in entries.items()}
                )
    return result


def _empty_file_error(api, path):
    return ValueError(f"For '{api}', the strategy file {path!r} describes no parameters.")


def stage_of_file(path):
    """Returns the stage of a strategy file: the stage of its first operation.

    Raises:
        ValueError: if it has no operations.
    """
    with _reading("rank_list", path):
        if path.endswith(".json"):
            cut = list(json_of(path).get("parallel_strategy_item", {}).values())
            stages = [item.get("stage") for item in cut]
        else:
            stages = [_stage_of(item) for item in _items_of(_content(path))[0]]
    if not stages:
        raise ValueError(f"the strategy file {path!r} describes no operations")
    return stages[0]


# Files --------------------------------------------------------------------------------------------


def _check_file(api, name, path):
    if not os.path.isfile(path):
        raise ValueError(f"For '{api}', '{name}' must be a file, but there is no {path!r}.")
    if os.path.getsize(path) == 0:
        raise ValueError(f"For '{api}', '{name}' must not be empty, but {path!r} is.")


def _reading(api, path, kind="strategy file"):
    return reading(path, ValueError, f"is no {kind}", api)


def _content(path):
    return memoryview(content(path))


def _items_of(view):
    """Returns the strategies of operations and the layouts of parameters in a file, as bytes."""
    items = {_STRATEGIES: [], _LAYOUTS: []}
    for number, kind, value in fields(view):
        if kind == BYTES and number in items:
            items[number].append(value)
        elif number != 1 or kind != VARINT:
            raise ValueError(f"it has a field {number}, which is not known")
    return items[_STRATEGIES], items[_LAYOUTS]


def _name_and_content(item):
    """Returns the name and the content of an item."""
    parts = {number: value for number, _, value in fields(item)}
    return str(parts.get(1, b""), "utf-8"), parts.get(2, memoryview(b""))


def _stage_of(item):
    """Returns the stage of an operation."""
    _, content = _name_and_content(item)
    return next((value for number, _, value in fields(content) if number == 1), 0)


def _layout(view):
    layouts = ParallelLayouts()
    for number, _, value in fields(view):
        if number in _LISTS:
            getattr(layouts, _LISTS[number]).append(Dims(_dims(value)))
        elif number in _NUMBERS:
            setattr(layouts, _NUMBERS[number], to_signed(value))
    return layouts


def _dims(view):
    return [
        element
        for number, kind, value in fields(view)
        if number == 1
        for element in ints(kind, value)
    ]


def _layout_from_json(description):
    if not isinstance(description, dict):
        raise TypeError(f"a layout must be an object, but is {description!r}")
    layouts = ParallelLayouts()
    for number, name in _LISTS.items():
        is_required = number <= 2
        values = list(description[name] if is_required else description.get(name, []))
        rows = [value if isinstance(value, list) else [value] for value in values]
        _check_integers(name, [value for row in rows for value in row])
        if any(isinstance(value, list) for value in values):  # an axis cut along several
            dims = [Dims(row) for row in rows]
        else:
            dims = [Dims(values)] if is_required or values else []
        setattr(layouts, name, dims)
    for name in _NUMBERS.values():
        number = description.get(name, 0)
        _check_integers(name, [number])
        setattr(layouts, name, number)
    return layouts


def _check_integers(name, values):
    if not all(type(value) is int for value in values):
        raise TypeError(f"{name!r} must have integers, but has {values!r}")
