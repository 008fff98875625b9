"""`mindspore.train.node_strategy_pb2`: files of strategies and groups as messages, for scripts.

`build_searched_strategy` goes by `_checkpoint/strategy.py`.
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
    """Into how many parts each axis of an input is cut."""


class DevMatrix(_Numbers):
    """The lengths of the grid of ranks."""


class ParallelGroupRanks(_Numbers):
    """The ranks of a group."""


class TensorMap(Message):
    """For each axis of a parameter the axis of the grid, counted from the last; -1 for none."""

    FIELDS = (Field(1, "dim", "int32", REPEATED),)


class ParamSplitShape(Message):
    """The lengths of slices that are not of one length."""

    FIELDS = (Field(1, "dim", "int64", REPEATED),)


class IndicesOffset(Message):
    """What is taken from indices that look up a slice."""

    FIELDS = (Field(1, "dim", "int64", REPEATED),)


class ParallelStrategys(Message):
    """How an operator is cut: its stage, and the parts of each input."""

    FIELDS = (
        Field(1, "stage", "uint32", REQUIRED),
        Field(2, "parallel_strategy", ParallelStrategy, REPEATED),
    )


class ParallelStrategyItem(Message):
    """An operator by name, and how it is cut."""

    FIELDS = (
        Field(1, "node_name", "string", REQUIRED),
        Field(2, "parallel_strategys", ParallelStrategys, REQUIRED),
    )


class ParallelLayouts(Message):
    """How a parameter is cut."""

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
    """A parameter by name, and how it is cut."""

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
    """A group by name, and its ranks."""

    FIELDS = (
        Field(1, "group_name", "string", REQUIRED),
        Field(2, "parallel_group_ranks", ParallelGroupRanks, REQUIRED),
    )


class ParallelGroupMap(Message):
    """A file of groups, and the ranks from whose checkpoints one is restored."""

    FIELDS = (
        Field(1, "parallel_group_item", ParallelGroupItem, REPEATED),
        Field(2, "ckpt_restore_rank_list", ParallelGroupRanks, REQUIRED),
    )
