"""Networks, layers, losses, optimizers and learning rate schedules."""

import importlib

from .._core.declare.public_api import facade
from . import (  # noqa: F401 - the declarations
    dynamic_lr,
    grad,
    graph_cell,
    graph_kernel,
    layer,
    learning_rate_schedule,
    loss,
    optim,
    sparse,
    utils,
    wrap,
)
from .cell import Cell

# `nn` also has the names of `train.metrics`. That package is built on this one, so it is loaded
# when one of its names is first requested.
_METRICS = (
    "Accuracy",
    "BleuScore",
    "ConfusionMatrix",
    "ConfusionMatrixMetric",
    "CosineSimilarity",
    "Dice",
    "F1",
    "Fbeta",
    "HausdorffDistance",
    "Loss",
    "MAE",
    "MSE",
    "MeanSurfaceDistance",
    "Metric",
    "OcclusionSensitivity",
    "Perplexity",
    "Precision",
    "ROC",
    "Recall",
    "RootMeanSquareDistance",
    "Top1CategoricalAccuracy",
    "Top5CategoricalAccuracy",
    "TopKCategoricalAccuracy",
    "auc",
    "get_metric_fn",
    "get_metrics",
    "names",
    "rearrange_inputs",
)

_find, __dir__, __all__ = facade(__name__, classes=Cell, names=("Cell", *_METRICS))


def __getattr__(name):
    if name in _METRICS:
        return getattr(importlib.import_module("..train.metrics", __name__), name)
    return _find(name)
