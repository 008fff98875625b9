"""Enumerations of summaries: kinds of data, kinds of files, and phases of a network.

Example:
    >>> from mindspore_compat.train.summary.enums import ModeEnum
    >>> ModeEnum.to_list()
    ['train', 'eval']
"""

from enum import Enum

__all__ = ["BaseEnum", "ModeEnum", "PluginEnum", "WriterPluginEnum"]


class BaseEnum(Enum):
    """Base class of enumerations whose values can be listed."""

    @classmethod
    def to_list(cls):
        """Returns the values in the order of their declaration.

        Returns:
            list.
        """
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """The kinds of data in a summary."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    EXPLAINER = "explainer"
    LANDSCAPE = "landscape"


class WriterPluginEnum(BaseEnum):
    """The kinds of files that a summary is written to."""

    EXPORTER = "exporter"
    EXPLAINER = "explainer"
    SUMMARY = "summary"
    LINEAGE = "lineage"


class ModeEnum(BaseEnum):
    """The phases of a network."""

    TRAIN = "train"
    EVAL = "eval"
