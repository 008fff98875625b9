"""Converts the checkpoint files of ranks into checkpoint files of ranks whose slices are cut
differently.

`resharding` defines how parameters are cut and joined.
"""

import glob
import os
from concurrent.futures import ThreadPoolExecutor

from ..._core import progress
from ..._core.declare.templates import template
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Any, InstanceOf, Int, OneOf, Str
from .._utils import _make_directory
from .loading import load_checkpoint
from .resharding import Strategy, Transformation
from .saving import save_checkpoint
from .strategy import stage_of_file

_STATES = ("accu_grads", "adam_v", "adam_m")
# Shared by the docstrings here and in `parallel.checkpoint_convert`.
_ARGUMENTS = """
    rank_id (int): the rank to make the checkpoint of.
    save_checkpoint_file_name (str): the file to write, ".ckpt"; its folder is made if need be.
    src_strategy_file (str, optional): how the checkpoints are cut; without it they are whole.
    dst_strategy_file (str, optional): how to cut the new one; without it, the new one is whole.
"""
documented_rank_list = template(
    _ARGUMENTS,
    Raises="""
    TypeError: if an argument is of the wrong type.
    ValueError: if `rank_id` is negative, a file is not a strategy file, or one cannot be turned
        into the other.
    """,
)
documented_checkpoint = template(
    _ARGUMENTS,
    Raises="""
    TypeError: if an argument is of the wrong type.
    ValueError: if a number is negative, the name does not end with ".ckpt", a file is missing or
        not a strategy file, or the slices do not fit.
    """,
)
documented_checkpoints = template(
    """
    src_checkpoints_dir (str): the folder with a folder "rank_<number>" for each rank; of
        several checkpoints in one the last by name is taken.
    ckpt_prefix (str): the prefix of file names.
    src_strategy_file (str, optional): how the checkpoints are cut; without it they are whole.
    dst_strategy_file (str, optional): how the new ones are to be cut; without it there is one,
        and it is whole.
    process_num (int, optional): the number of ranks processed at a time.
    output_format (str, optional): "ckpt" or, if the checkpoints are so, "safetensors".
    """,
    Raises="""
    TypeError: if an argument is of the wrong type.
    NotADirectoryError: if a folder is missing.
    ValueError: if there are no checkpoints, of both formats, or not those that are needed; if a
        file is not a strategy file; if the slices do not fit; or if an argument is not allowed.
    """,
)


@checked
@documented_rank_list
def rank_list_for_transform(
    rank_id: Int(ge=0), src_strategy_file: Str | None = None, dst_strategy_file: Str | None = None
):
    """Lists the ranks whose checkpoints are needed to build the checkpoint of a resharded rank.

    Returns:
        list[int], ranks in descending order. Among ranks with the same slice, the one whose
        position in the grid corresponds to `rank_id`.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.rank_list_for_transform(3)  # of whole parameters any rank will do
        [0]

    Source: mindspore.rank_list_for_transform of MindSpore 2.10.
    """
    return rank_list("rank_list_for_transform", rank_id, src_strategy_file, dst_strategy_file)


def rank_list(api, rank_id, src_strategy_file, dst_strategy_file):
    """Runs `rank_list_for_transform`; errors name `api`."""
    if src_strategy_file is None:
        return [0]
    source, target = _strategies(api, src_strategy_file, dst_strategy_file)
    return _needed_ranks(api, Transformation(api, source, target, rank_id))


@checked
@documented_checkpoint
def transform_checkpoint_by_rank(
    rank_id: Int(ge=0),
    checkpoint_files_map: Any,
    save_checkpoint_file_name: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
):
    """Builds a rank's checkpoint from the checkpoints of ranks whose slices are cut differently.

    Parameters that the strategy files do not name are copied from the rank of the same number.

    Args:
        checkpoint_files_map (dict): rank -> checkpoint file, at least for the ranks of
            `rank_list_for_transform`.

    Source: mindspore.transform_checkpoint_by_rank of MindSpore 2.10.
    """
    checkpoint_by_rank(
        "transform_checkpoint_by_rank",
        rank_id,
        checkpoint_files_map,
        save_checkpoint_file_name,
        src_strategy_file,
        dst_strategy_file,
    )


def checkpoint_by_rank(
    api,
    rank_id,
    checkpoint_files_map,
    save_checkpoint_file_name,
    src_strategy_file,
    dst_strategy_file,
):
    """Runs `transform_checkpoint_by_rank`; errors name `api`."""
    InstanceOf(dict).refuse(api, "checkpoint_files_map", checkpoint_files_map)
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"For '{api}', 'save_checkpoint_file_name' must end with '.ckpt', but got "
            f"{save_checkpoint_file_name!r}."
        )
    for rank, path in checkpoint_files_map.items():
        if not os.path.isfile(path):
            raise ValueError(
                f"For '{api}', 'checkpoint_files_map' must hold files, but there is "
                f"no {path!r} of rank {rank}."
            )
    source, target = _strategies(api, src_strategy_file, dst_strategy_file)
    checkpoints = {rank: load_checkpoint(path) for rank, path in checkpoint_files_map.items()}
    parameters = Transformation(api, source, target, rank_id).run(checkpoints)
    os.makedirs(os.path.dirname(os.path.abspath(save_checkpoint_file_name)), exist_ok=True)
    save_checkpoint(parameters, save_checkpoint_file_name)


@checked
@documented_checkpoints
def transform_checkpoints(
    src_checkpoints_dir: Str,
    dst_checkpoints_dir: Str,
    ckpt_prefix: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
    process_num: Int(ge=1) = 1,
    output_format: OneOf("ckpt", "safetensors") = "ckpt",
):
    """Builds the checkpoints of all ranks from the checkpoints of ranks that are cut differently.

    Args:
        dst_checkpoints_dir (str): the folder for the files
            "rank_<number>/<prefix><number>.<format>". If the source describes only some parameters
            of the target, as the file of one stage does, "_part<stage>" follows the number.

    Source: mindspore.transform_checkpoints of MindSpore 2.10.
    """
    all_checkpoints(
        "transform_checkpoints",
        src_checkpoints_dir,
        dst_checkpoints_dir,
        ckpt_prefix,
        src_strategy_file,
        dst_strategy_file,
        process_num,
        output_format,
    )


def all_checkpoints(
    api,
    src_checkpoints_dir,
    dst_checkpoints_dir,
    ckpt_prefix,
    src_strategy_file,
    dst_strategy_file,
    process_num,
    output_format,
):
    """Runs `transform_checkpoints`; errors name `api`."""
    if not os.path.isdir(src_checkpoints_dir):
        raise NotADirectoryError(
            f"For '{api}', 'src_checkpoints_dir' must be a directory, but got "
            f"{src_checkpoints_dir!r}."
        )
    if not ckpt_prefix or os.path.basename(ckpt_prefix) != ckpt_prefix:
        raise ValueError(
            f"For '{api}', 'ckpt_prefix' must be a part of a file's name, but got {ckpt_prefix!r}."
        )
    kind, files = _checkpoints_in(api, src_checkpoints_dir)
    if kind == "ckpt" and output_format != kind:
        raise ValueError(
            f"For '{api}', 'output_format' must be 'ckpt', as the checkpoints are, "
            f"but got {output_format!r}."
        )
    source, target = _strategies(api, src_strategy_file, dst_strategy_file)
    stage = _only_stage(source, target, src_strategy_file) if kind == "ckpt" else None
    ranks = range(target.ranks * (target.stage_count() if stage is None else 1))
    folder = _make_directory(dst_checkpoints_dir, "dst_checkpoints_dir")

    def write(rank):
        """Writes the checkpoint of one rank."""
        change = Transformation(api, source, target, rank)
        wanted_ranks = (
            [stage * source.ranks + number for number in range(source.ranks)]
            if stage is not None
            else _needed_ranks(api, change)
        )
        missing = [number for number in wanted_ranks if number not in files]
        if missing:
            raise ValueError(
                f"For '{api}', 'src_checkpoints_dir' must contain the checkpoints of ranks "
                f"{missing}, which rank {rank} needs."
            )
        parameters = change.run(
            {number: load_checkpoint(files[number], format=kind) for number in wanted_ranks}
        )
        part = "" if stage is None else f"_part{stage}"
        path = os.path.join(
            _make_directory(os.path.join(folder, f"rank_{rank}")),
            f"{ckpt_prefix}{rank}{part}.{output_format}",
        )
        save_checkpoint(parameters, path, format=output_format)

    with ThreadPoolExecutor(process_num) as pool:
        progress.exhaust(pool.map(write, ranks), "Converting", len(ranks), "checkpoints")


def _strategies(api, *paths):
    try:
        return [Strategy(path) for path in paths]
    except ValueError as error:
        raise ValueError(
            f"For '{api}', 'src_strategy_file' and 'dst_strategy_file' must be "
            f"strategy files: {error}"
        ) from None


def _needed_ranks(api, change):
    try:
        return change.needed()
    except ValueError as error:
        raise ValueError(
            f"For '{api}', 'src_strategy_file' and 'dst_strategy_file' must fit each "
            f"other, but {change.files[0]!r} and {change.files[1]!r} do not: {error}."
        ) from None


def _checkpoints_in(api, folder):
    """Returns the format of the checkpoints of all ranks, and their files by rank."""
    files_of_kind = {"ckpt": {}, "safetensors": {}}
    for path in sorted(glob.glob(os.path.join(glob.escape(folder), "rank_[0-9]*", "*"))):
        rank, kind = os.path.basename(os.path.dirname(path))[5:], path.rpartition(".")[2]
        if rank.isdigit() and kind in files_of_kind and os.path.isfile(path):
            files_of_kind[kind][int(rank)] = path
    if bool(files_of_kind["ckpt"]) == bool(files_of_kind["safetensors"]):
        raise ValueError(
            f"For '{api}', 'src_checkpoints_dir' must have checkpoints in folders "
            f"'rank_<number>', and of one format, but got {files_of_kind}."
        )
    return next((kind, files) for kind, files in files_of_kind.items() if files)


def _only_stage(source, target, path):
    """Returns the stage of the source file, if it has only some of the target's parameters."""
    if source.stages is None or target.stages is None:
        return None
    names = [
        {name for name in strategy.stages if not name.startswith(_STATES)}
        for strategy in (source, target)
    ]
    single = source.stage_count() == target.stage_count() == 1
    return stage_of_file(path) if single and names[0] < names[1] else None
