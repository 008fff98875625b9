"""`mindspore.parallel.checkpoint_convert`: converts checkpoints of ranks to other slices.

The functions do the same as `rank_list_for_transform`, `transform_checkpoint_by_rank` and
`transform_checkpoints`; `train._checkpoint.transform` implements them.
"""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Any, Int, OneOf, Str
from ..train._checkpoint import transform

__all__ = ["convert_checkpoint_by_rank", "convert_checkpoints", "rank_list_for_convert"]


@checked
@transform.documented_rank_list
def rank_list_for_convert(
    rank_id: Int(ge=0), src_strategy_file: Str | None = None, dst_strategy_file: Str | None = None
):
    """Returns the ranks whose checkpoints are needed to convert one to other slices.

    Returns:
        list[int], ranks, the highest first.

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
@transform.documented_checkpoint
def convert_checkpoint_by_rank(
    rank_id: Int(ge=0),
    checkpoint_files_map: Any,
    save_checkpoint_file_name: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
):
    """Converts checkpoints of ranks with other slices to the checkpoint of one rank.

    Args:
        checkpoint_files_map (dict): the files of the checkpoints by rank, at least those of
            `rank_list_for_convert`.

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
@transform.documented_checkpoints
def convert_checkpoints(
    src_checkpoints_dir: Str,
    dst_checkpoints_dir: Str,
    ckpt_prefix: Str,
    src_strategy_file: Str | None = None,
    dst_strategy_file: Str | None = None,
    process_num: Int(ge=1) = 1,
    output_format: OneOf("ckpt", "safetensors") = "ckpt",
):
    """Converts checkpoints of ranks with other slices to the checkpoints of all ranks.

    Args:
        dst_checkpoints_dir (str): the folder to write "rank_<number>/<prefix><number>.<format>"
            into.

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
