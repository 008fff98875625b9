"""Parts of the API, for counts of values and mutants."""

import re

_METRICS = (
    "Accuracy BleuScore ConfusionMatrix ConfusionMatrixMetric CosineSimilarity Dice F1 Fbeta "
    "HausdorffDistance Loss MAE MSE MeanSurfaceDistance Metric OcclusionSensitivity Perplexity "
    "Precision ROC Recall RootMeanSquareDistance Top1CategoricalAccuracy Top5CategoricalAccuracy "
    "TopKCategoricalAccuracy auc get_metric_fn names rearrange_inputs"
).split()
_TRAIN = (
    r"Model|.*Callback.*|.*Monitor|CheckpointConfig|ModelCheckpoint|EarlyStopping|RunContext"
    r"|History|TimeMonitor|ReduceLROnPlateau|.*LossScale.*|Convert\w+|DatasetHelper|data_sink"
    r"|connect_network_with_dataset|build_\w+|SummaryRecord|.*SummaryCollector|OnRequestExit"
)
_FILES = (
    r"(?:load|save|export|convert_model|obfuscate|merge|transform_checkpoint|rank_list|restore"
    r"|parse_print|safetensors|ckpt|check_checkpoint|async_ckpt|build_searched|get_ckpt"
    r"|get_ckpt_path|sync_pipeline|set_mindio|load_.*|save_.*|.*checkpoint.*|.*safetensors.*).*"
)
# Part of the API -> the names in it; the first match counts.
_GROUPS = (
    ("Tensor", r"Tensor|Tensor\..*|(?:CSR|COO|Row)Tensor.*"),
    ("amp and boost", r"amp\..*|boost\..*|nn\..*LossScale.*"),
    ("metrics", rf"(?:train\.)?(?:{'|'.join(_METRICS)})(?:\..*)?"),
    ("training and callbacks", rf"(?:train\.)?(?:{_TRAIN})(?:\..*)?"),
    ("saving and loading", rf"(?:train\.)?{_FILES}|mindrecord\..*|onnx\..*"),
    ("numpy", r"numpy\..*"),
    ("scipy", r"scipy\..*"),
    ("mint", r"mint\.(?!optim\.|distributed\.)[\w.]+"),
    ("communication", r"communication.*|mint\.distributed.*|parallel.*"),
    ("vision", r"dataset\.vision.*"),
    ("audio", r"dataset\.audio.*"),
    ("text", r"dataset\.text.*"),
    ("transforms", r"dataset\.transforms.*"),
    ("datasets", r"dataset.*"),
    ("initializers", r"common\.initializer.*"),
    ("schedules", r"experimental\.optim\.lr_scheduler.*|nn\.\w*(?:LR|_lr|LearningRateSchedule)"),
    ("optimizers", r"mint\.optim.*|experimental\.optim.*"),
    ("losses", r"nn\.\w*(?:Loss|LossBase|Cell_WithLoss)|nn\.L1Loss"),
    ("probability", r"nn\.probability.*"),
    ("layers", r"nn\..*"),
    ("primitives", r"ops\.[A-Z].*"),
    ("functions", r"ops\..*"),
)
_EXPRESSIONS = [(name, re.compile(pattern)) for name, pattern in _GROUPS]
OTHER = "core and runtime"


def group_of(name, entry=None):
    """Returns the part of the API that contains a public name."""
    for group, expression in _EXPRESSIONS:
        if expression.fullmatch(name):
            given = (entry or {}).get("signature") or [""]
            is_optimizer = group == "layers" and given[0].partition("=")[0] == "params"
            return "optimizers" if is_optimizer else group
    return OTHER
