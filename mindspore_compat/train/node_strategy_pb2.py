"""`mindspore.train.node_strategy_pb2`: strategy and group files as messages, for scripts.

`build_searched_strategy` uses `_checkpoint/strategy.py` instead.
"""

from .._io.messages import REPEATED, REQUIRED, Field, Message

__all__ = [
    "DevMatrix",
    "IndicesOffset",
    "ParallelGroupItem",
    "ParallelGroupMap",
    "ParallelGroupRanks",
    "ParallelLayoutItem",
    "ParallelLayouts",
    "ParallelStrategy",
    "ParallelStrategyItem",
    "ParallelStrategyMap",
    "ParallelStrategys",
    "ParamSplitShape",
    "TensorMap",
]


class _Numbers(Message):
    """A list of numbers."""

    FIELDS = (Field(1, "dim", "uint32", REPEATED),)


class ParallelStrategy(_Numbers):
    """The number of parts of each axis of an input."""


class DevMatrix(_Numbers):
    """The lengths of the grid of ranks."""


class ParallelGroupRanks(_Numbers):
    """The ranks of a group."""


class TensorMap(Message):
    """The axis of the device grid that cuts each axis of a parameter, counted from the last one; -1
    for an axis that is not cut."""

    FIELDS = (Field(1, "dim", "int32", REPEATED),)


class ParamSplitShape(Message):
    """The lengths of slices of different lengths."""

    FIELDS = (Field(1, "dim", "int64", REPEATED),)


class IndicesOffset(Message):
    """The offset to subtract from indices that look up a slice."""

    FIELDS = (Field(1, "dim", "int64", REPEATED),)


class ParallelStrategys(Message):
    """The strategy of an operator: its stage, and the parts of each input."""

    FIELDS = (
        Field(1, "stage", "uint32", REQUIRED),
        Field(2, "parallel_strategy", ParallelStrategy, REPEATED),
    )


class ParallelStrategyItem(Message):
    """The name of an operator and its strategy."""

    FIELDS = (
        Field(1, "node_name", "string", REQUIRED),
        Field(2, "parallel_strategys", ParallelStrategys, REQUIRED),
    )


class ParallelLayouts(Message):
    """The layout of a parameter: how it is cut into slices."""

    FIELDS = (
        Field(1, "dev_matrix", DevMatrix, REPEATED),
        Field(2, "tensor_map", TensorMap, REPEATED),
        Field(3, "param_split_shape", ParamSplitShape, REPEATED),
        Field(4, "indices_offset", IndicesOffset, REPEATED),
        Field(5, "field", "int32", REQUIRED),
        Field(6, "opt_weight_shard_step", "int32", REQUIRED),
        Field(7, "opt_weight_shard_size", "int32", REQUIRED),
    )


class ParallelLayoutItem(Message):
    """The name of a parameter and its layout."""

    FIELDS = (
        Field(1, "param_name", "string", REQUIRED),
        Field(2, "parallel_layouts", ParallelLayouts, REQUIRED),
    )


class ParallelStrategyMap(Message):
    """A file of strategies."""

    FIELDS = (
        Field(1, "current_stage", "uint32", REQUIRED),
        Field(2, "parallel_strategy_item", ParallelStrategyItem, REPEATED),
        Field(3, "parallel_layout_item", ParallelLayoutItem, REPEATED),
    )


class ParallelGroupItem(Message):
    """The name of a group and its ranks."""

    FIELDS = (
        Field(1, "group_name", "string", REQUIRED),
        Field(2, "parallel_group_ranks", ParallelGroupRanks, REQUIRED),
    )


class ParallelGroupMap(Message):
    """A file of groups, and the ranks from whose checkpoints a rank is restored."""

    FIELDS = (
        Field(1, "parallel_group_item", ParallelGroupItem, REPEATED),
        Field(2, "ckpt_restore_rank_list", ParallelGroupRanks, REQUIRED),
    )
