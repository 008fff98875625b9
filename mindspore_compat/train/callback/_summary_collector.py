"""SummaryCollector: writes values of a training run to event files.

`train.summary` writes the files; data of a loss landscape is saved by `_landscape_data`. This file
decides what is collected and when.
"""

import json
import os
import re

import numpy as np

from ... import log
from ..._core.context.config import GRAPH_MODE, config
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ...nn.loss.loss import LossBase
from ...nn.optim.optimizer import Optimizer
from .._utils import _check_directory, _make_directory, check_value_type, without_optimizer
from ..summary import _dataset_graph, _lineage
from ..summary.summary_record import SummaryRecord, _check_exports
from ._callback import Callback
from ._checkpoint import ModelCheckpoint
from ._landscape_data import DEFAULTS, LandscapeData, check_keys, check_settings

__all__ = ["SummaryCollector"]

_SWITCHES = (
    "collect_metric",
    "collect_graph",
    "collect_train_lineage",
    "collect_eval_lineage",
    "collect_input_data",
    "collect_dataset_graph",
)
_DEFAULTS = {
    **dict.fromkeys(_SWITCHES, True),
    "histogram_regular": None,
    "collect_landscape": DEFAULTS,
}
_HYPER_CONFIG = "MINDINSIGHT_HYPER_CONFIG"
_HYPER_CONFIG_LIMIT = 100_000
_PARAMETERS_BY_DEFAULT = 5
_TENSOR_STEPS_BY_DEFAULT = 20
_INT32 = range(-(1 << 31), 1 << 31)


class SummaryCollector(Callback):
    """Collects the loss, parameters, inputs and metadata of a run of `Model` in summary files.

    It writes the files of `SummaryRecord`, including the values of the network's summary ops. It
    records the first step, and then each step whose number is divisible by `collect_freq`. The tags
    are "loss/auto", "input_data/auto" and "<parameter>/auto". A list of callbacks may contain only
    one SummaryCollector.

    Args:
        summary_dir (str): the folder of the files; created if necessary.
        collect_freq (int): the number of steps (with data sinking, of epochs) between two records.
        num_process (int): unused; this process writes the values.
        collect_specified_data (dict, optional): what to collect, with the keys below.

            - collect_metric (bool): the loss, which is the mean of the first output of a step.
            - collect_graph (bool): the graph of the network with its loss, in GRAPH_MODE. It
              contains the forward computation, without gradients and updates.
            - collect_train_lineage (bool): network, loss function, optimizer, learning rate, sizes
              and paths of a training.
            - collect_eval_lineage (bool): metrics, size and path of an evaluation.
            - collect_input_data (bool): the first column of the batch if it contains images of
              shape (N, 1 or 3, H, W); with other data this is turned off.
            - collect_dataset_graph (bool): the pipeline of the training's dataset.
            - histogram_regular (str, optional): histograms of the parameters whose names match this
              regular expression; if None, of the first five.
            - collect_landscape (dict, optional): checkpoints for a loss landscape, in the folder
              "ckpt_dir" of `summary_dir`; not saved if it is None or empty. Keys: intervals
              (list[list[int]], the numbers of the steps or epochs, at least three in each list),
              unit ("step" or "epoch"), and, for drawing the landscape, landscape_size (int, 3 to
              256, by default 40), num_samples (int, by default 2048) and create_landscape (dict
              with the keys "train" and "result").
        keep_default_action (bool): whether to collect also everything that `collect_specified_data`
            does not name.
        custom_lineage_data (dict, optional): additional numbers and texts by name, written with the
            metadata. Values in the environment variable MINDINSIGHT_HYPER_CONFIG are added.
        collect_tensor_freq (int, optional): the number of steps between two records of the Tensors
            of `TensorSummary`; by default `collect_freq`, but at most about 20 records per run.
        max_file_size (int, optional): the maximum size of a file in bytes.
        export_options (dict, optional): {"tensor_format": "npy"} also writes Tensors as .npy files.

    Raises:
        TypeError: if an argument, or what it holds, is of the wrong type.
        ValueError: if a number is out of range, a key is unknown, or the expression is invalid.
        RuntimeError: in a run, if another SummaryRecord or SummaryCollector is open.

    Examples:
        >>> from mindspore_compat.train import SummaryCollector
        >>> specified = {"collect_metric": False, "histogram_regular": "^conv1.*"}
        >>> collector = SummaryCollector("summary", collect_specified_data=specified)

    Source: mindspore.train.SummaryCollector of MindSpore 2.10.
    """

    _DEFAULT_SPECIFIED_DATA = _DEFAULTS

    def __init__(
        self,
        summary_dir: str,
        collect_freq: int = 10,
        num_process: int = 32,
        collect_specified_data=None,
        keep_default_action: bool = True,
        custom_lineage_data=None,
        collect_tensor_freq: int | None = None,
        max_file_size: int | None = None,
        export_options=None,
    ):
        super().__init__()
        _check_directory(summary_dir, "summary_dir")
        _check_positive("collect_freq", collect_freq)
        check_value_type("keep_default_action", keep_default_action, bool)
        if collect_tensor_freq is not None:
            _check_positive("collect_tensor_freq", collect_tensor_freq)
        if max_file_size is not None:
            _check_positive("max_file_size", max_file_size)
        self._export_options = _check_exports(export_options)
        self._settings = _check_settings(collect_specified_data, keep_default_action)
        self._custom = _check_custom(custom_lineage_data)
        self._summary_dir = _make_directory(summary_dir, "summary_dir")
        self._collect_freq, self._tensor_freq = collect_freq, collect_tensor_freq
        self._max_file_size = max_file_size
        landscape = self._settings.get("collect_landscape")
        self._landscape = LandscapeData(self._summary_dir, landscape) if landscape else None
        self._record = None
        self._first_step, self._sinking = True, False
        self._has_saved_graphs = False
        self._tensor_steps = ()

    def __enter__(self):
        self._record = SummaryRecord(
            self._summary_dir,
            max_file_size=self._max_file_size,
            export_options=self._export_options or None,
        )
        self._first_step = True
        return self

    def __exit__(self, *err):
        if self._record is not None:  # None after an interrupt of `__enter__`
            self._record.close()

    def begin(self, run_context):
        """Prepares for a run."""
        cb_params = run_context.original_args()
        self._record.set_mode(cb_params.mode)
        self._sinking = cb_params.dataset_sink_mode

    def step_end(self, run_context):
        """Records the step if it is due; after the first step, also the graphs."""
        cb_params = run_context.original_args()
        if cb_params.mode != "train":
            return
        if not self._has_saved_graphs:
            self._has_saved_graphs = True
            self._collect_graphs(cb_params)
            self._record.record(cb_params.cur_step_num)
        if not self._sinking:
            self._collect(
                cb_params, cb_params.cur_step_num, cb_params.epoch_num * cb_params.batch_num
            )
        if self._landscape:
            self._landscape.save(cb_params, "step")

    def epoch_end(self, run_context):
        """Records the epoch if data is sunk and it is due."""
        cb_params = run_context.original_args()
        if cb_params.mode != "train":
            return
        if self._sinking:
            self._collect(cb_params, cb_params.cur_epoch_num, cb_params.epoch_num)
        if self._landscape:
            self._landscape.save(cb_params, "epoch")
        self._record.flush()

    def end(self, run_context):
        """Records the metadata of the run."""
        cb_params = run_context.original_args()
        if cb_params.mode == "train" and self._settings.get("collect_train_lineage"):
            self._record.add_value("train_lineage", "train_lineage", self._train_lineage(cb_params))
        elif cb_params.mode == "eval" and self._settings.get("collect_eval_lineage"):
            self._record.add_value("eval_lineage", "eval_lineage", _eval_lineage(cb_params))
        self._record.set_mode("eval")  # values shown after the last step are dropped
        self._record.record(0)
        if cb_params.mode == "train" and self._landscape:
            self._landscape.finish(cb_params.batch_num)

    # Steps ----------------------------------------------------------------------------------------

    def _collect(self, cb_params, number, total):
        """Records a step or epoch if it is due. `total` is the number of steps or epochs in the
        run."""
        if self._first_step:
            tensors = everything = True
            self._first_step = False
            self._tensor_steps = tensor_steps(total, self._collect_freq, self._tensor_freq)
        else:
            everything, tensors = number % self._collect_freq == 0, number in self._tensor_steps
        if not everything and not tensors:
            return
        self._collect_input_data(cb_params)
        self._collect_metric(cb_params)
        self._collect_histogram(cb_params)
        self._record.record(
            cb_params.cur_step_num,
            plugin_filter=lambda kind: tensors if kind == "tensor" else everything,
        )

    def _collect_input_data(self, cb_params):
        if not self._settings.get("collect_input_data"):
            return
        element = None if self._sinking else cb_params.get("train_dataset_element")
        first = element[0] if isinstance(element, (list, tuple)) and element else element
        try:
            self._record.add_value("image", "input_data/auto", first)
        except (TypeError, ValueError):
            log.warning(
                "For 'SummaryCollector', the input data is not recorded, as it is no "
                "images, or is sunk."
            )
            self._settings["collect_input_data"] = False

    def _collect_metric(self, cb_params):
        if not self._settings.get("collect_metric"):
            return
        loss = _loss_of(cb_params)
        if loss is None:
            self._settings["collect_metric"] = False
        else:
            self._record.add_value("scalar", "loss/auto", Tensor(loss))

    def _collect_histogram(self, cb_params):
        if "histogram_regular" not in self._settings:
            return
        optimizer = _optimizer_of(cb_params)
        if optimizer is None:
            del self._settings["histogram_regular"]
            return
        pattern = self._settings["histogram_regular"]
        parameters = list(optimizer.parameters)
        selection = (
            parameters[:_PARAMETERS_BY_DEFAULT]
            if pattern is None
            else [param for param in parameters if re.match(pattern, param.name)]
        )
        for param in selection:
            self._record.add_value(
                "histogram",
                f"{param.name}/auto",
                param if param.ndim else Tensor(param.asnumpy().reshape(1)),
            )

    # Once in a run --------------------------------------------------------------------------------

    def _collect_graphs(self, cb_params):
        if self._settings.get("collect_graph"):
            self._collect_network(cb_params)
        if self._settings.get("collect_dataset_graph") and hasattr(
            cb_params.train_dataset, "children"
        ):
            self._record.add_value(
                "dataset_graph",
                "train_dataset",
                _dataset_graph.dataset_graph(cb_params.train_dataset),
            )
        if self._custom:
            self._record.add_value(
                "custom_lineage_data", "custom_lineage_data", _lineage.custom_lineage(self._custom)
            )

    def _collect_network(self, cb_params):
        inputs = cb_params.get("train_dataset_element") or cb_params.get("sunk_element")
        if config.mode != GRAPH_MODE or not inputs:
            log.warning(
                "For 'SummaryCollector', the graph is not recorded: only in GRAPH_MODE "
                "there is one."
            )
            return
        from ..summary._network_graph import network_graph  # the tracer is large and rarely needed

        network = without_optimizer(cb_params.train_network)
        try:
            self._record.add_value("graph", "train_network/auto", network_graph(network, inputs))
        except Exception as error:  # noqa: BLE001 - of the user's network; the training goes on
            log.warning("For 'SummaryCollector', the graph is not recorded: %s", error)

    @staticmethod
    def _get_learning_rate(optimizer):
        """Returns the learning rate as a float; None, with a warning, if it is no single number."""
        rate = getattr(optimizer, "learning_rate", None)
        if isinstance(rate, Parameter):
            return float(rate.asnumpy().reshape(-1)[0])
        log.warning(
            "For 'SummaryCollector', the learning rate is not recorded: it is no single number."
        )
        return None

    def _train_lineage(self, cb_params):
        """Returns the metadata of a training."""
        optimizer, loss_fn, loss = (
            _optimizer_of(cb_params),
            _loss_fn_of(cb_params),
            _loss_of(cb_params),
        )
        path = _checkpoint_of(cb_params)
        return _lineage.train_lineage(
            {
                "optimizer": optimizer and type(optimizer).__name__,
                "learning_rate": self._get_learning_rate(optimizer),
                "loss_function": loss_fn and type(loss_fn).__name__,
                "epoch": cb_params.epoch_num,
                "parallel_mode": cb_params.parallel_mode,
                "device_num": cb_params.device_number,
                "network": type(cb_params.network).__name__,
                "loss": None if loss is None else float(loss),
                "model_path": json.dumps({"ckpt": path}),
                "model_size": os.path.getsize(path) if path else 0,
                **_data_of(cb_params.train_dataset),
            }
        )


def tensor_steps(total, freq, tensor_freq):
    """Returns the numbers of the steps, or epochs, at which Tensors are recorded.

    Args:
        total (int): the number of steps or epochs in the run.
        freq (int): the number of steps between two records of other values.
        tensor_freq (int, optional): the requested number of steps between two records.
    """
    if tensor_freq is not None:
        return range(0, total + 1, tensor_freq)
    if len(range(0, total + 1, freq)) <= _TENSOR_STEPS_BY_DEFAULT:
        return range(0, total + 1, freq)
    stride = total // (_TENSOR_STEPS_BY_DEFAULT - 1)
    if stride > 1:
        return range(0, total + 1, stride)[:_TENSOR_STEPS_BY_DEFAULT]
    return range(0, total + 1)[: _TENSOR_STEPS_BY_DEFAULT + 1]


# The parameters of a run --------------------------------------------------------------------------


def _loss_of(cb_params):
    """Returns the loss as a NumPy number (the mean of the first output), or None."""
    output = cb_params.get("net_outputs")
    if isinstance(output, (list, tuple)) and output:
        output = output[0]
    if not isinstance(output, (int, float, Tensor)):
        log.warning(
            "For 'SummaryCollector', the loss is not recorded: the network's output is a %s.",
            type(output).__name__,
        )
        return None
    values = output.asnumpy() if isinstance(output, Tensor) else np.asarray(output)
    dtype = values.dtype if values.dtype.kind == "f" else np.float32  # float16 stays float16
    return np.mean(values.astype(dtype))


def _optimizer_of(cb_params):
    """Returns the optimizer, or None with a warning."""
    if isinstance(cb_params.optimizer, Optimizer):
        return cb_params.optimizer
    for _, cell in cb_params.train_network.cells_and_names():
        optimizer = cell if isinstance(cell, Optimizer) else getattr(cell, "optimizer", None)
        if isinstance(optimizer, Optimizer):
            return optimizer
    log.warning(
        "For 'SummaryCollector', there is no optimizer of MindSpore's kind, and nothing of "
        "it is recorded."
    )
    return None


def _loss_fn_of(cb_params):
    """Returns the loss function, which may be inside the network."""
    if cb_params.loss_fn is not None:
        return cb_params.loss_fn
    return next(
        (
            cell
            for _, cell in cb_params.train_network.cells_and_names()
            if isinstance(cell, LossBase)
        ),
        None,
    )


def _checkpoint_of(cb_params):
    """Returns the path of the newest checkpoint written by a callback."""
    paths = [
        callback.latest_ckpt_file_name
        for callback in cb_params.list_callback
        if isinstance(callback, ModelCheckpoint)
    ]
    return os.path.realpath(paths[-1]) if paths and paths[-1] else None


def _data_of(dataset):
    """Returns the path and the sizes of a dataset, where known."""
    cb_params = {}
    if hasattr(dataset, "get_batch_size"):
        cb_params["batch_size"] = dataset.get_batch_size()
        cb_params["dataset_size"] = dataset.get_dataset_size() * cb_params["batch_size"]
    source = dataset
    while getattr(source, "children", ()):
        source = source.children[0]
    path = getattr(source, "dataset_dir", None) or getattr(source, "dataset_files", None)
    if path and not isinstance(path, str):
        path = path[0]
    if path:
        cb_params["path"] = os.path.dirname(path) if os.path.isfile(path) else path
    return cb_params


def _eval_lineage(cb_params):
    """Returns the metadata of an evaluation, without metrics that JSON cannot represent."""
    info = _data_of(cb_params.valid_dataset)
    try:
        info["metrics"] = json.dumps(cb_params.metrics)
    except TypeError as error:
        log.warning("For 'SummaryCollector', the metrics are not recorded: %s", error)
    return _lineage.eval_lineage(info)


# Arguments ----------------------------------------------------------------------------------------


def _check_positive(name, value):
    """Rejects anything but an int above 0."""
    check_value_type(name, value, int)
    if value <= 0:
        raise ValueError(
            f'For "SummaryCollector", the value of `{name}` should be greater than 0, but got '
            f"`{value}`."
        )


def _check_settings(specified, keep_default_action):
    """Returns a dict of the settings that say which data to collect.

    Raises:
        TypeError: if a key or value is of the wrong type.
        ValueError: if a key or value is not an allowed one.
    """
    check_value_type("collect_specified_data", specified, (dict, type(None)))
    for name in specified or {}:
        check_value_type(name, name, str)
    check_keys("SummaryCollector", "collect_specified_data", specified or {}, _DEFAULTS)
    settings = {**(_DEFAULTS if keep_default_action else {}), **(specified or {})}
    for name in _SWITCHES:
        if name in settings:
            check_value_type(name, settings[name], bool)
    pattern = settings.get("histogram_regular")
    check_value_type("histogram_regular", pattern, (str, type(None)))
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise ValueError(
            f"For `collect_specified_data`, the value of `histogram_regular` must be a regular "
            f"expression, but got {pattern!r}: {error}."
        ) from None
    landscape = settings.get("collect_landscape")
    check_value_type("collect_landscape", landscape, (dict, type(None)))
    if landscape:
        check_settings("SummaryCollector", landscape)
    return settings


def _check_custom(custom):
    """Returns the values to write with the metadata, including the values of the environment.

    Raises:
        TypeError: if they are not a dict of numbers and texts by name.
        ValueError: if an int has more than 32 bits.
    """
    check_value_type("custom_lineage_data", custom, (dict, type(None)))
    values = {**_from_environment(), **(custom or {})}
    for name, value in values.items():
        check_value_type(f"custom_lineage_data -> {name}", name, str)
        check_value_type(f"the value of custom_lineage_data -> {name}", value, (int, str, float))
        if isinstance(value, int) and value not in _INT32:
            raise ValueError(
                f"For 'SummaryCollector', 'custom_lineage_data' must hold ints of 32 "
                f"bits, but got {value} for {name!r}."
            )
    return values


def _from_environment():
    """Returns values that a hyperparameter tuner passes in an environment variable, as JSON."""
    text = os.environ.get(_HYPER_CONFIG, "")
    if not text:
        return {}
    try:
        if len(text) > _HYPER_CONFIG_LIMIT:
            raise ValueError(f"it has more than {_HYPER_CONFIG_LIMIT} characters")
        return json.loads(text).get("custom_lineage_data") or {}
    except (ValueError, AttributeError) as error:
        log.warning("The environment variable %s is left out: %s", _HYPER_CONFIG, error)
        return {}
