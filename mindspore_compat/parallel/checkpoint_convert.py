"""`mindspore.parallel.checkpoint_convert`: checkpoints of ranks, made for other slices.

The functions do what `rank_list_for_transform` and its two companions do; how is in
`train._checkpoint.transform`.
"""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any, Int, OneOf, Str
from ..train._checkpoint import transform

__all__ = ["convert_checkpoint_by_rank", "convert_checkpoints", "rank_list_for_convert"]


@checked
def rank_list_for_convert(
    rank_id: Int(ge=0), src_strategy_file: Str | None = None, dst_strategy_file: Str | None = None
):
    """Tells which checkpoints are needed to make one for ranks that hold other slices.

    Args:
        rank_id (int): the rank of which the checkpoint is to be made.
        src_strategy_file (str, optional): how the checkpoints are cut; without it they are whole.
        dst_strategy_file (str, optional): how the new one is to be cut; without it it is whole.

    Returns:
        list[int], ranks, the highest first.

    Raises:
        TypeError: an argument is of another type.
        ValueError: `rank_id` is negative, a file is no strategy file, or one cannot be turned into
            the other.

    Example:
        >>> from mindspore_compat import parallel
        >>> parallel.rank_list_for_convert(3)  # of whole parameters any rank will do
        [0]

    Source: mindspore.parallel.rank_list_for_convert of MindSpore 2.10.
    """
    return transform.rank_list(
        "rank_list_for_convert", rank_id, src_strategy_file, dst_strategy_file
    )


@checked
def convert_checkpoint_by_rank(
    rank_id: Int(ge=0),
    checkpoint_files_map: Any,
    save_checkpoint_file_name: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
):
    """Makes a rank's checkpoint out of those of ranks that hold other slices.

    Args:
        rank_id (int): the rank of which the checkpoint is to be made.
        checkpoint_files_map (dict): the files of the checkpoints by rank, at least those of
            `rank_list_for_convert`.
        save_checkpoint_file_name (str): the file to write, ".ckpt"; its folder is made if need be.
        src_strategy_file (str, optional): how the checkpoints are cut; without it they are whole.
        dst_strategy_file (str, optional): how the new one is to be cut; without it it is whole.

    Raises:
        TypeError: an argument is of another type.
        ValueError: a number is negative, the name does not end with ".ckpt", a file is missing or
            no strategy file, or the slices do not fit.

    Source: mindspore.parallel.convert_checkpoint_by_rank of MindSpore 2.10.
    """
    transform.checkpoint_by_rank(
        "convert_checkpoint_by_rank",
        rank_id,
        checkpoint_files_map,
        save_checkpoint_file_name,
        src_strategy_file,
        dst_strategy_file,
    )


@checked
def convert_checkpoints(
    src_checkpoints_dir: Str,
    dst_checkpoints_dir: Str,
    ckpt_prefix: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
    process_num: Int(ge=1) = 1,
    output_format: OneOf("ckpt", "safetensors") = "ckpt",
):
    """Makes the checkpoints of all ranks out of those of ranks that hold other slices.

    Args:
        src_checkpoints_dir (str): the folder with a folder "rank_<number>" for each rank; of
            several checkpoints in one the last by name is taken.
        dst_checkpoints_dir (str): the folder to write "rank_<number>/<prefix><number>.<format>"
            into.
        ckpt_prefix (str): what the names of the files begin with.
        src_strategy_file (str, optional): how the checkpoints are cut; without it they are whole.
        dst_strategy_file (str, optional): how the new ones are to be cut; without it there is one,
            and it is whole.
        process_num (int, optional): how many ranks are worked on at a time.
        output_format (str, optional): "ckpt" or, if the checkpoints are so, "safetensors".

    Raises:
        TypeError: an argument is of another type.
        NotADirectoryError: a folder is none.
        ValueError: there are no checkpoints, of both formats, or not those that are needed; a file
            is no strategy file; the slices do not fit; or an argument is none of those that may be.

    Source: mindspore.parallel.convert_checkpoints of MindSpore 2.10.
    """
    transform.all_checkpoints(
        "convert_checkpoints",
        src_checkpoints_dir,
        dst_checkpoints_dir,
        ckpt_prefix,
        src_strategy_file,
        dst_strategy_file,
        process_num,
        output_format,
    )
