"""SummaryLandscape: measures the loss around the weights that SummaryCollector has saved.

`summary._landscape` computes the planes and builds the message.
"""

import os
import shutil

from ..._backend.ranks import children
from ..._core.context.config import config, set_context
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Callable, Int, ListOf, Str
from ..._core.tensor.tensor import Tensor
from ..._io.reading import json_of, reading
from ...common.parameter import Parameter
from .._checkpoint.loading import load_checkpoint, load_param_into_net
from .._utils import _make_directory, check_value_type
from ..dataset_helper import DatasetHelper
from ..metrics import get_metrics
from ..summary import _landscape
from ..summary.summary_record import SummaryRecord
from ._landscape_data import DEFAULTS, FOLDER, METADATA, check_settings, write_metadata

__all__ = ["SummaryLandscape"]

_API = "SummaryLandscape"
_KEYS = {
    "epoch_group",
    "model_params_file_map",
    "step_per_epoch",
    "unit",
    "num_samples",
    "landscape_size",
    "create_landscape",
}


class SummaryLandscape:
    """Draws the loss landscape around the weights of a training saved by SummaryCollector.

    Args:
        summary_dir (str): the folder passed to SummaryCollector.

    Raises:
        TypeError: if `summary_dir` is not a str.
        ValueError: if `summary_dir` is blank.

    Examples:
        >>> from mindspore_compat.train import SummaryLandscape
        >>> landscape = SummaryLandscape("summary")
        >>> landscape.clean_ckpt()

    Source: mindspore.train.SummaryLandscape of MindSpore 2.10.
    """

    @checked
    def __init__(self, summary_dir: Str):
        self._summary_dir = _make_directory(summary_dir, "summary_dir")
        self._folder = _make_directory(os.path.join(self._summary_dir, FOLDER))
        self._path = os.path.join(self._folder, METADATA)

    def clean_ckpt(self):
        """Deletes the checkpoints and the file that describes them."""
        shutil.rmtree(self._folder, ignore_errors=True)

    @checked
    def gen_landscapes_with_multi_process(
        self,
        callback_fn: Callable,
        collect_landscape=None,
        device_ids: ListOf(Int(ge=0, le=7)) | None = None,
        output: Str | None = None,
    ):
        """Measures landscapes and writes them into event files.

        A landscape of the training shows the checkpoints of an interval, along the two directions
        in which they differ most. A landscape of the result has random directions.

        Args:
            callback_fn (Callable): takes no arguments and returns a Model, its network, a dataset
                and a dict of metrics, whose "Loss" is measured. With several devices it runs in
                other processes.
            collect_landscape (dict, optional): settings that override those of SummaryCollector:
                landscape_size, unit, num_samples, create_landscape (dict with the keys "train" and
                "result") and intervals.
            device_ids (list[int], optional): the devices, 0 to 7; with several, one process per
                device. By default the current device.
            output (str, optional): the folder of the event files; by default `summary_dir`.

        Raises:
            TypeError: if an argument, or what `callback_fn` returns, is of the wrong type.
            ValueError: if a number is out of range, a key unknown, or there is no checkpoint of a
                number in the intervals; or the metrics lack "Loss".
            FileNotFoundError: if SummaryCollector has saved nothing in `summary_dir`.
        """
        metadata = self._metadata(collect_landscape)
        devices = device_ids or [config.device_id]
        output = self._summary_dir if output is None else output
        with SummaryRecord(output) as record:
            for epochs, plane in self._planes(metadata):
                losses = _measure(devices, callback_fn, metadata["num_samples"], plane)
                message = _landscape.landscape_message(
                    plane, losses, epochs, metadata["unit"], metadata["step_per_epoch"]
                )
                ends = epochs if len(epochs) == 1 else [epochs[0], epochs[-1]]
                record.add_value("LANDSCAPE", f"landscape_{ends}", message)
                record.record(0)
                record.flush()

    def _planes(self, metadata):
        """Returns the checkpoint numbers and the plane of each requested landscape."""
        groups, kinds = list(metadata["epoch_group"].values()), metadata["create_landscape"]
        if kinds["train"]:
            for epochs in groups:
                yield (
                    epochs,
                    _landscape.plane_of_path(
                        [self._weights(metadata, epoch) for epoch in epochs],
                        metadata["landscape_size"],
                    ),
                )
        if kinds["result"]:
            last = groups[-1][-1]
            yield (
                [last],
                _landscape.plane_of_result(
                    self._weights(metadata, last), metadata["landscape_size"]
                ),
            )

    def _weights(self, metadata, number):
        with reading(self._path, ValueError, "names a checkpoint that cannot be loaded"):
            parameters = load_checkpoint(metadata["model_params_file_map"][str(number)])
            return {name: param.asnumpy() for name, param in parameters.items()}

    def _metadata(self, changes):
        """Returns the saved metadata of the training with the caller's changes, and saves those.

        Raises:
            TypeError: if the changes are of the wrong type.
            ValueError: if the changes, or the saved metadata, are invalid.
            FileNotFoundError: if no metadata is saved.
        """
        check_value_type("collect_landscape", changes, (dict, type(None)))
        has_changes, changes = changes is not None, dict(changes or {})
        check_settings(_API, {"intervals": [], **changes})
        if not os.path.isfile(self._path):
            raise FileNotFoundError(
                f"For '{_API}', there is no {self._path!r}; train with a "
                f"SummaryCollector whose 'collect_landscape' is set."
            )
        with reading(self._path, ValueError):
            metadata = json_of(self._path)
            _check_metadata(metadata)
        if "intervals" in changes:
            metadata["epoch_group"] = {
                str(number): interval for number, interval in enumerate(changes.pop("intervals"))
            }
        self._check_changed(metadata, changes)
        if has_changes:
            write_metadata(self._path, metadata)
        return metadata

    def _check_changed(self, metadata, changes):
        """Changes metadata; rejects changes whose landscapes need checkpoints that were not
        saved."""
        metadata.update(changes)
        if set(metadata["create_landscape"]) != {"train", "result"}:
            source = "" if "create_landscape" in changes else f" in {self._path!r}"
            raise ValueError(
                f"For '{_API}', 'create_landscape'{source} must have the keys 'train' and "
                f"'result', but got {metadata['create_landscape']}."
            )
        missing = [
            epoch
            for interval in metadata["epoch_group"].values()
            for epoch in interval
            if str(epoch) not in metadata["model_params_file_map"]
        ]
        if missing or not metadata["epoch_group"]:
            raise ValueError(
                f"For '{_API}', 'intervals' must hold numbers of checkpoints, but {self._path!r} "
                f"names none of {missing}."
            )


def _check_metadata(metadata):
    """Rejects saved metadata that no training wrote.

    Raises:
        TypeError, ValueError: if a key is missing or a value invalid.
    """
    check_value_type("metadata", metadata, dict)
    if set(metadata) != _KEYS:
        raise ValueError(f"it must have the keys {sorted(_KEYS)}, but has {sorted(metadata)}")
    for name in ("epoch_group", "model_params_file_map"):
        check_value_type(name, metadata[name], dict)
    check_value_type("step_per_epoch", metadata["step_per_epoch"], int)
    for path in metadata["model_params_file_map"].values():
        check_value_type("each path in model_params_file_map", path, str)
    settings = {name: metadata[name] for name in DEFAULTS if name in metadata}
    check_settings(_API, {**settings, "intervals": list(metadata["epoch_group"].values())})


def _measure(devices, callback_fn, num_samples, plane):
    """Returns the losses at the points of a plane, which the devices share."""
    points = plane.points()
    if len(devices) == 1:
        before = config.device_id
        try:
            return _losses(devices[0], callback_fn, num_samples, plane, points)
        finally:
            set_context(device_id=before)
    # Another interpreter may not find the caller's function, so processes are forked, unless CUDA
    # runs.
    method = "fork" if config.device_target == "CPU" else "spawn"
    share = -(-len(points) // len(devices))
    with children.executor(len(devices), method) as pool:
        parts = [
            pool.submit(
                _losses,
                device,
                callback_fn,
                num_samples,
                plane,
                points[number * share : (number + 1) * share],
            )
            for number, device in enumerate(devices)
        ]
        return [loss for part in parts for loss in part.result()]


def _losses(device, callback_fn, num_samples, plane, points):
    """Returns the losses at some points, measured on a device."""
    set_context(device_id=device)
    result = callback_fn()
    if not isinstance(result, (tuple, list)) or len(result) != 4:
        raise TypeError(
            f"For '{_API}', 'callback_fn' must return a Model, a network, a dataset "
            f"and metrics, but got {result!r}."
        )
    model, network, dataset, metrics = result
    metric = (get_metrics(metrics) or {}).get("Loss")
    if metric is None:
        raise ValueError(
            f"For '{_API}', the metrics that 'callback_fn' returns must have 'Loss', "
            f"but got {metrics!r}."
        )
    data = dataset.take(max(num_samples // dataset.get_batch_size(), 1))
    model.train_network.set_train(True)
    losses = []
    for point in points:
        load_param_into_net(
            network,
            {name: Parameter(Tensor(value), name=name) for name, value in plane.at(point).items()},
        )
        metric.clear()
        for inputs in DatasetHelper(data, False):
            outputs = model.train_network(*inputs)
            metric.update(outputs[0] if isinstance(outputs, tuple) else outputs)
        losses.append(float(metric.eval()))
    return losses
