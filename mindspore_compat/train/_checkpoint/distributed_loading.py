"""load_distributed_checkpoint: loads parameters that ranks saved in slices into a network, or
reshards them. get_ckpt_path_with_strategy: finds the rank whose file holds the slices of this one.

`resharding` defines how parameters are cut, and `strategy` reads strategy files. Files of whole
parameters, the other source, are written by `unifying`.
"""

import os
import re
from concurrent.futures import ThreadPoolExecutor

from ... import log
from ..._core.context.config import get_auto_parallel_context
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Any, Bool, InstanceOf, Int, OneOf, Str
from ..._core.tensor.tensor import Tensor
from ..._io import safetensors
from ..._io.reading import json_of, reading
from ...common.parameter import Parameter
from ...communication.groups import get_group_size, get_rank
from ...nn.cell import Cell
from .loading import load_checkpoint, load_param_into_net
from .resharding import Slicing, Strategy, reslice
from .saving import save_checkpoint
from .strategy import Dims, ParallelLayouts, _merge, build_searched_strategy

__all__ = ["get_ckpt_path_with_strategy", "load_distributed_checkpoint"]

_API = "load_distributed_checkpoint"
_OTHERS = "hyper_param.safetensors"  # values that are not parameters of the network
_MAP = "param_name_map.json"


@checked
def load_distributed_checkpoint(
    network: Any,
    checkpoint_filenames: Any = None,
    predict_strategy: Any = None,
    train_strategy_filename: Str | None = None,
    strict_load: Bool = False,
    dec_key: Any = None,
    dec_mode: Str = "AES-GCM",
    format: OneOf("ckpt", "safetensors") = "ckpt",
    unified_safetensors_dir: Str | None = None,
    dst_safetensors_dir: Str | None = None,
    rank_id: Int(ge=0) | None = None,
    output_format: OneOf("safetensors", "ckpt") = "safetensors",
    name_map: Any = None,
    max_process_num: Int(ge=1) = 64,
    return_param_dict: Bool = False,
):
    """Loads the checkpoints of several ranks into a network, whole or as the slices of this rank.

    Args:
        network (Cell): the network. None, with `format` "safetensors", to write files instead.
        checkpoint_filenames (list[str]): the ".ckpt" files in the order of ranks.
        predict_strategy (Union[dict, str]): how the network's parameters are cut: a dict from the
            name of each parameter to a list, as `Model.infer_predict_layout` returns it: the
            lengths of the grid of ranks, the axis of the grid for each axis of the parameter, the
            shape of a slice or [], 0, whether the slices have one length, and the name of the group
            of ranks that cuts the first axis further. With `format` "safetensors" also a strategy
            file. Default: ``None``, for whole parameters.
        train_strategy_filename (str): the strategy file that describes how the files are cut.
            Default: ``None``, for the context's "strategy_ckpt_load_file" or that of an
            AutoParallel network.
        strict_load (bool): as for `load_param_into_net`. Default: False.
        dec_key (bytes): the key for decrypting the files. Default: ``None``.
        dec_mode (str): "AES-GCM", "AES-CBC" or "SM4-CBC". Default: "AES-GCM".
        format (str): "ckpt" to read `checkpoint_filenames`, "safetensors" to read
            `unified_safetensors_dir`. Default: "ckpt".
        unified_safetensors_dir (str): a folder of files of whole parameters, as
            `unified_safetensors` writes it.
        dst_safetensors_dir (str): without a network, the folder to write into: for each rank a
            folder "rank_<number>" with a file "net.safetensors" or "net.ckpt".
        rank_id (int): without a network, the rank to write for. Default: ``None``, for all.
        output_format (str): the format of the written files. Default: "safetensors".
        name_map (dict): name of a parameter -> its name in the files. Default: ``None``.
        max_process_num (int): the largest number of files written at a time. Default: 64.
        return_param_dict (bool): with `format` "safetensors" and a network, whether to return the
            parameters instead of loading them. Default: False.

    Returns:
        True; with safetensors files and a network, the result of `load_param_into_net`, or a dict
        of the parameters.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if an argument does not belong to the format or is missing; if there are no
            files, or their number differs from the number of ranks; or if slices do not fit.

    Source: mindspore.load_distributed_checkpoint of MindSpore 2.10.
    """
    _check_types(network, predict_strategy, dec_key, name_map)
    if format == "ckpt":
        wholes = _from_slices(
            network,
            checkpoint_filenames,
            train_strategy_filename,
            _target(predict_strategy),
            (dec_key, dec_mode),
        )
        load_param_into_net(network, wholes, strict_load)
        return True
    _check_safetensors(
        network,
        unified_safetensors_dir,
        dst_safetensors_dir,
        {
            "checkpoint_filenames": checkpoint_filenames,
            "dec_key": dec_key,
            "train_strategy_filename": train_strategy_filename,
            "strict_load": strict_load or None,
            "dec_mode": None if dec_mode == "AES-GCM" else dec_mode,
        },
    )
    target = _target(predict_strategy)
    source = _Files(unified_safetensors_dir, name_map or {})
    if network is not None:
        parameters = source.parameters(target, _own_rank())
        return parameters if return_param_dict else load_param_into_net(network, parameters)
    ranks = range(target.ranks * target.stage_count()) if rank_id is None else [rank_id]

    def write(rank):
        """Writes the file of one rank."""
        folder = os.path.join(dst_safetensors_dir, f"rank_{rank}")
        os.makedirs(folder, exist_ok=True)
        save_checkpoint(
            source.parameters(target, rank),
            os.path.join(folder, f"net.{output_format}"),
            format=output_format,
        )

    with ThreadPoolExecutor(min(max_process_num, len(ranks))) as pool:
        list(pool.map(write, ranks))
    return True


def _check_types(network, predict_strategy, dec_key, name_map):
    for name, value, kinds in (
        ("network", network, (Cell, type(None))),
        ("predict_strategy", predict_strategy, (dict, str, type(None))),
        ("dec_key", dec_key, (bytes, type(None))),
        ("name_map", name_map, (dict, type(None))),
    ):
        if not isinstance(value, kinds):
            names = " or ".join(kind.__name__ for kind in kinds[:-1])
            raise TypeError(
                f"For '{_API}', '{name}' must be a {names}, or None, but got {value!r} "
                f"of type {type(value).__name__}."
            )


def _check_safetensors(network, source, target, others):
    """Checks the arguments that only safetensors files need or allow."""
    if source is None:
        raise ValueError(
            f"For '{_API}', 'unified_safetensors_dir' must be given where 'format' is "
            f"'safetensors', but got None."
        )
    for name, value in others.items():
        if value is not None:
            raise ValueError(
                f"For '{_API}', '{name}' must be left out where 'format' is "
                f"'safetensors', but got {value!r}."
            )
    if network is None and target is None:
        raise ValueError(
            f"For '{_API}', 'dst_safetensors_dir' must be given where 'network' is "
            f"None, but got None."
        )


def _own_rank():
    """Returns this rank's number; 0 if there is only one process."""
    try:
        return get_rank()
    except RuntimeError:
        return 0


# How the network is cut ---------------------------------------------------------------------------


class _GivenLayouts:
    """A strategy given as a dict of lists, with the methods of `resharding.Strategy`."""

    def __init__(self, layouts):
        self._slicings = {name: Slicing(layout) for name, layout in layouts.items()}
        self.ranks = max((slicing.ranks() for slicing in self._slicings.values()), default=1)

    def stage_count(self):
        """Returns 1: a dict has no stages."""
        return 1

    def has(self, name, stage=None):
        """Returns whether the strategy describes a parameter."""
        return name in self._slicings

    def slicing(self, name, stage=None):
        """Returns the slicing of a parameter."""
        return self._slicings[name]


def _target(entry):
    """Returns the slicings of `predict_strategy`, and the groups that cut the first axis
    further."""
    if not isinstance(entry, dict):
        try:
            target = Strategy(entry)
        except ValueError as error:
            raise ValueError(
                f"For '{_API}', 'predict_strategy' must be a strategy file: {error}"
            ) from None
        target.groups = {}
        return target
    layouts, groups = {}, {}
    for name, description in entry.items():
        layouts[name] = _layout(name, description)
        if len(description) > 5 and description[5]:
            groups[name] = description[5]
    target = _GivenLayouts(layouts)
    target.groups = groups
    return target


def _layout(name, description):
    """Returns the layout that a list describes."""
    is_list = (
        isinstance(description, (list, tuple)) and len(description) >= 4 and isinstance(name, str)
    )
    if (
        not is_list
        or description[3] != 0
        or not all(map(_are_ints, (description[0], description[2] or [])))
        or not _are_axes(description[1])
    ):
        raise ValueError(
            f"For '{_API}', 'predict_strategy' must hold by the names of parameters "
            f"lists of the lengths of the grid, the axes of the grid, a shape or [], and 0, but "
            f"got {description!r} by {name!r}."
        )
    layout = ParallelLayouts()
    layout.dev_matrix, axes = [Dims(list(description[0]))], description[1]
    layout.tensor_map = [Dims(list(axes))]
    if any(type(axis) is not int for axis in axes):  # several axes of the grid cut one of these
        layout.tensor_map = [Dims([n] if type(n) is int else list(n)) for n in axes]
    return layout


def _are_axes(values):
    return isinstance(values, (list, tuple)) and all(
        type(axis) is int or _are_ints(axis) for axis in values
    )


def _are_ints(values):
    return isinstance(values, (list, tuple)) and all(type(n) is int for n in values)


def _cut_further(target, name, array):
    """Returns this rank's part of a slice whose first axis is divided among a group of ranks."""
    group = target.groups.get(name)
    if group is None:
        return array
    rank, size = get_rank(group), get_group_size(group)
    if len(array) % size:
        raise ValueError(
            f"For '{_API}', {name!r} of shape {array.shape} is not to be cut into "
            f"{size} for the group {group!r}."
        )
    step = len(array) // size
    return array[rank * step : (rank + 1) * step]


# From slices --------------------------------------------------------------------------------------


def _from_slices(network, files, strategy_file, target, secret):
    """Loads the checkpoint file of each rank, and returns the network's parameters by name, each
    joined from its slices in these files."""
    if network is None:
        raise TypeError(
            f"For '{_API}', 'network' must be a Cell where 'format' is 'ckpt', but got None."
        )
    _check_files(files)
    if strategy_file is None:
        strategy_file = getattr(network, "_save_strategy_file_path", None) or (
            get_auto_parallel_context("strategy_ckpt_load_file")
        )
    layouts, source = build_searched_strategy(strategy_file), Strategy(strategy_file)
    count = source.ranks * source.stage_count()
    if len(files) != count:
        raise ValueError(
            f"For '{_API}', 'checkpoint_filenames' must be of the {count} ranks that "
            f"'train_strategy_filename' names, but got {len(files)}."
        )
    checkpoints = [load_checkpoint(file, dec_key=secret[0], dec_mode=secret[1]) for file in files]
    parameters, unknown, lacking = {}, [], []
    for _, param in network.parameters_and_names():
        name = param.name
        if not source.has(name) or isinstance(target, _GivenLayouts) and not target.has(name):
            unknown.append(name)
            continue
        stage = min(source.stages[name])
        ranks = range(stage * source.ranks, (stage + 1) * source.ranks)
        slices = {
            rank - ranks.start: checkpoints[rank][name]
            for rank in ranks
            if name in checkpoints[rank]
        }
        if not slices:
            lacking.append(name)
            continue
        layout = layouts.get(name) or layouts[f"{stage}-{name}"]
        parameters[name] = _join(name, slices, source.slicing(name), layout, target)
    for names, where in ((unknown, "strategy"), (lacking, "checkpoints")):
        if names:
            log.warning(f"For '{_API}', {names} of 'network' are not in the {where}.")
    return parameters


def _check_files(files):
    InstanceOf(list, tuple).called("a list of str").refuse(_API, "checkpoint_filenames", files)
    for file in files:
        if (
            not isinstance(file, str)
            or not file.endswith(".ckpt")
            or not os.path.isfile(file)
            or (os.path.getsize(file) == 0)
        ):
            raise ValueError(
                f"For '{_API}', 'checkpoint_filenames' must name '.ckpt' files that "
                f"are there and not empty, but got {file!r}."
            )


def _join(name, slices, slicing, layout, target):
    """Returns this rank's part of a parameter, joined from the slices of other ranks."""
    arrays = {rank: param.asnumpy() for rank, param in slices.items()}
    target_slicing = target.slicing(name)
    try:
        if layout.field or layout.param_split_shape:  # slices of different lengths: joined first
            if len(arrays) < slicing.ranks():
                raise ValueError("the slices of all ranks are needed")
            whole = _merge([arrays[rank] for rank in range(slicing.ranks())], layout)
            arrays, slicing = {0: whole}, Slicing()
        array = reslice(arrays, slicing, target_slicing, _own_rank() % target_slicing.ranks())
    except ValueError as error:
        raise ValueError(f"For '{_API}', {name!r}: {error}.") from None
    like = next(iter(slices.values()))
    array = _cut_further(target, name, array)
    return Parameter(Tensor(array), name, like.requires_grad, like.layerwise_parallel)


# From whole parameters ----------------------------------------------------------------------------


class _Files:
    """A folder of safetensors files of whole parameters.

    Args:
        folder (str): the folder.
        name_map (dict): name of a parameter -> its name in the files.

    Raises:
        ValueError: if there are no files, or several without a map from names to files.
    """

    def __init__(self, folder, name_map):
        names = [name for name in sorted(os.listdir(folder)) if name.endswith(safetensors.SUFFIX)]
        self._folder, self._name_map = folder, name_map
        self._others = _OTHERS if _OTHERS in names and len(names) > 1 else None
        renamed = {value: key for key, value in name_map.items()}
        if len(names) == 1:
            tags = [tag for tag, *_ in self._read(names[0])]
            self.homes = {renamed.get(tag, tag): names[0] for tag in tags}
        elif names and os.path.isfile(os.path.join(folder, _MAP)):
            with reading(os.path.join(folder, _MAP), ValueError):
                weight_map = json_of(os.path.join(folder, _MAP))
                weight_map = weight_map.get("weight_map", weight_map)
                self.homes = {
                    renamed.get(tag, tag): _plain_name(home) for tag, home in weight_map.items()
                }
        else:
            raise ValueError(
                f"For '{_API}', 'unified_safetensors_dir' must have safetensors "
                f"files, and {_MAP!r} where they are several, but {folder!r} has "
                f"{names}."
            )

    def _read(self, name, part=None):
        return safetensors.read(os.path.join(self._folder, name), accepts=part)[0]

    def parameters(self, target, rank):
        """Returns the parameters of a rank, and other values, by name."""
        parameters, stage = {}, rank // target.ranks
        homes = {
            name: home
            for name, home in self.homes.items()
            if target.has(name, None if _is_whole(target) else stage)
        }
        for home in dict.fromkeys(homes.values()):
            if not os.path.isfile(os.path.join(self._folder, home)):
                raise ValueError(
                    f"For '{_API}', {os.path.join(self._folder, _MAP)!r} names the file {home!r}, "
                    f"which is not there."
                )
            tags = {self._name_map.get(name, name): name for name in homes if homes[name] == home}
            for tag, array, *_ in self._read(home, tags.__contains__):
                parameters[tags[tag]] = self._cut(tags[tag], array, target, rank)
        parameters = {name: parameters[name] for name in homes if name in parameters}
        for tag, array, *_ in self._read(self._others) if self._others else ():
            parameters[tag] = Parameter(Tensor(array), tag)
        return parameters

    def _cut(self, name, array, target, rank):
        slicing = target.slicing(name, rank // target.ranks)
        try:
            array = reslice({0: array}, Slicing(), slicing, rank % slicing.ranks())
        except ValueError as error:
            raise ValueError(f"For '{_API}', {name!r}: {error}.") from None
        return Parameter(Tensor(_cut_further(target, name, array)), name)


def _plain_name(home):
    """Returns the name of a file, which must be in the folder itself."""
    if os.path.basename(home) != home:
        raise ValueError(f"it names the file {home!r}, which is not in its folder")
    return home


def _is_whole(target):
    """Returns whether a strategy is empty, so that every parameter is whole."""
    return isinstance(target, Strategy) and target.stages is None


# Another rank's file ------------------------------------------------------------------------------


@checked
def get_ckpt_path_with_strategy(cur_ckpt_path: Str, cur_strategy_path: Str):
    """Returns a checkpoint with the slices of this rank: its own, or that of a rank with the same
    slices.

    Args:
        cur_ckpt_path (str): the file that this rank would load; "rank_<number>" in it marks the
            rank. A path without it is returned unchanged.
        cur_strategy_path (str): the strategy file that describes how parameters are cut.

    Returns:
        str, the path of an existing file, of the first rank that holds the same slices, or None.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `cur_strategy_path` is needed and is not a strategy file.

    Source: mindspore.get_ckpt_path_with_strategy of MindSpore 2.10.
    """
    rank = _own_rank()
    if f"rank_{rank}" in cur_ckpt_path and os.path.isfile(cur_ckpt_path):
        return cur_ckpt_path
    try:
        strategy = Strategy(cur_strategy_path)
    except ValueError as error:
        raise ValueError(
            f"For 'get_ckpt_path_with_strategy', 'cur_strategy_path' must be a strategy file: "
            f"{error}"
        ) from None
    first = rank - rank % strategy.ranks
    for other in _ranks_with_same_data(strategy, rank % strategy.ranks):
        path = re.sub(r"rank_\d+", f"rank_{first + other}", cur_ckpt_path)
        if os.path.isfile(path):
            return path
    return None


def _ranks_with_same_data(strategy, rank):
    """Returns the ranks of a stage with the same slices as a rank; only itself if slices
    overlap."""
    groups = [
        {other for other in range(strategy.ranks) if slicing.slot(other) == slicing.slot(rank)}
        for slicing in map(strategy.slicing, strategy.stages)
    ]
    least = min(groups, key=len)
    return sorted(least) if all(least <= group for group in groups) else [rank]
