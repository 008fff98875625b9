"""Metrics for `Model.eval`, one per file; `get_metric_fn` creates a metric by its name.

Metrics compute with NumPy on the host, even if the device is a GPU.
"""

from ...nn import _METRICS
from .accuracy import Accuracy
from .auc import auc
from .bleu_score import BleuScore
from .confusion_matrix import ConfusionMatrix, ConfusionMatrixMetric
from .cosine_similarity import CosineSimilarity
from .dice import Dice
from .error import MAE, MSE
from .fbeta import F1, Fbeta  # noqa: F401 - in __all__
from .hausdorff_distance import HausdorffDistance
from .loss import Loss
from .mean_surface_distance import MeanSurfaceDistance
from .metric import Metric, rearrange_inputs  # noqa: F401 - in __all__
from .occlusion_sensitivity import OcclusionSensitivity
from .perplexity import Perplexity
from .precision import Precision
from .recall import Recall
from .roc import ROC
from .root_mean_square_surface_distance import RootMeanSquareDistance
from .topk import Top1CategoricalAccuracy, Top5CategoricalAccuracy, TopKCategoricalAccuracy

__all__ = list(_METRICS)

_BY_NAME = {
    "F1": F1,
    "acc": Accuracy,
    "accuracy": Accuracy,
    "auc": auc,
    "bleu_score": BleuScore,
    "confusion_matrix": ConfusionMatrix,
    "confusion_matrix_metric": ConfusionMatrixMetric,
    "cosine_similarity": CosineSimilarity,
    "dice": Dice,
    "hausdorff_distance": HausdorffDistance,
    "loss": Loss,
    "mae": MAE,
    "mean_surface_distance": MeanSurfaceDistance,
    "mse": MSE,
    "occlusion_sensitivity": OcclusionSensitivity,
    "perplexity": Perplexity,
    "precision": Precision,
    "recall": Recall,
    "roc": ROC,
    "root_mean_square_distance": RootMeanSquareDistance,
    "top_1_accuracy": Top1CategoricalAccuracy,
    "top_5_accuracy": Top5CategoricalAccuracy,
    "topk": TopKCategoricalAccuracy,
}


def names():
    """Returns the names that `get_metric_fn` and Model accept, sorted.

    Returns:
        list[str].

    Example:
        >>> from mindspore_compat import train
        >>> "accuracy" in train.names()
        True
    """
    return sorted(_BY_NAME)


def get_metric_fn(name, *args, **kwargs):
    """Creates a metric by its name.

    Args:
        name (str): its name, see `names`.
        *args: positional arguments of the class.
        **kwargs: keyword arguments of the class.

    Returns:
        Metric, or for "auc" the number that the function `auc` returns.

    Raises:
        KeyError: if there is no such name.

    Examples:
        >>> from mindspore_compat.train import get_metric_fn
        >>> get_metric_fn("topk", 3).k
        3

    Source: mindspore.train.get_metric_fn of MindSpore 2.10.
    """
    if name not in _BY_NAME:
        raise KeyError(
            f"For 'get_metric_fn', 'name' must be one of {', '.join(names())}, but got {name!r}."
        )
    return _BY_NAME[name](*args, **kwargs)


def get_metrics(metrics):
    """Returns the metrics given to a Model as a dict by name.

    Args:
        metrics (Union[None, dict, set]): Metrics by name, or a set of names.

    Returns:
        dict, a new one; None for None. Metrics of a set are sorted by name.

    Raises:
        TypeError: if `metrics` is something else, or a dict of something else.
        KeyError: if a name is unknown.

    Examples:
        >>> import mindspore_compat as ms
        >>> sorted(ms.nn.get_metrics({"accuracy", "recall"}))
        ['accuracy', 'recall']

    Source: mindspore.nn.get_metrics of MindSpore 2.10.
    """
    if metrics is None:
        return None
    if isinstance(metrics, dict):
        for name, metric in metrics.items():
            if not (isinstance(name, str) and isinstance(metric, Metric)):
                raise TypeError(
                    f"For 'get_metrics', 'metrics' must have strs as keys and Metrics as "
                    f"values, but got {name!r}: {metric!r}."
                )
        return dict(metrics)
    if isinstance(metrics, set):
        return {name: get_metric_fn(name) for name in sorted(metrics, key=str)}
    raise TypeError(
        f"For 'get_metrics', 'metrics' must be a dict, a set or None, but got {metrics!r} of "
        f"type {type(metrics).__name__}."
    )
