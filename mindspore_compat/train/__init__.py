"""mindspore.train: models, callbacks, metrics, checkpoints and mixed precision.

A facade of the files of this package. Each file is loaded when one of its names is first used,
except data_sink, because the file and its function have the same name.
"""

from .._core.declare.public_api import Missing, submodule
from .data_sink import data_sink  # noqa: F401 - at once: a later import of the file would hide it

_HOMES = {  # file -> the names that the package takes from it
    "model": "Model",
    "callback": """BackupAndRestore Callback CheckpointConfig EarlyStopping
        FlopsUtilizationCollector History LambdaCallback LearningRateScheduler LossMonitor
        ModelCheckpoint OnRequestExit ReduceLROnPlateau RunContext SummaryCollector
        SummaryLandscape TimeMonitor TrainFaultTolerance""",
    "metrics": """Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1
        Fbeta HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity
        Perplexity Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy
        Top5CategoricalAccuracy TopKCategoricalAccuracy auc get_metric_fn names
        rearrange_inputs""",
    "amp": "build_train_network",
    "loss_scale_manager": "DynamicLossScaleManager FixedLossScaleManager LossScaleManager",
    "train_thor": "ConvertModelUtils ConvertNetUtils",
    "dataset_helper": "DatasetHelper connect_network_with_dataset",
    "data_sink": "data_sink",
    "summary": "SummaryRecord",
    "serialization": """async_ckpt_thread_status build_searched_strategy ckpt_to_safetensors export
        export_split_mindir get_ckpt_path_with_strategy load load_checkpoint load_checkpoint_async
        load_distributed_checkpoint load_param_into_net load_segmented_checkpoints
        merge_sliced_parameter restore_group_info_list safetensors_to_ckpt save_checkpoint""",
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names.split()}


def __getattr__(name):
    if name.startswith("__") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    result = _names() if name == "__all__" else _load(name)
    if result is None:
        raise AttributeError(Missing(__name__, name, [*_HOME_OF, *_HOMES]))
    globals()[name] = result
    return result


def _load(name):
    """Returns the object behind a name of the package, or None. A file's own name may be such a
    name."""
    if name not in _HOME_OF:
        return submodule(__name__, name)
    home = submodule(__name__, _HOME_OF[name])
    return getattr(home, name, None)


def _names():
    """Returns the existing names, for `from mindspore.train import *`."""
    return sorted(name for name in _HOME_OF if _load(name) is not None)


def __dir__():
    return sorted({*globals(), *_names(), *_HOMES})
