"""SummaryRecord: writes values of a training to event files, for MindInsight and similar tools.

Values come from `add_value` and from the network's summary ops (`ops.ScalarSummary`, ...); `record`
writes them. `_events` builds the messages.
"""

import atexit
import os
import platform
import re
import time
from urllib.parse import quote

import numpy as np

from ... import log
from ..._core.context.config import config
from ..._core.rules.checked import checked
from ..._core.rules.vocabulary import Bool, Callable, CellOf, InstanceOf, Int, OneOf, Str
from ..._core.tensor.tensor import Tensor
from ..._core.without_effect import without_effect
from ..._io.files import READ_ONLY, atomic_write, errors_naming, new_file
from ..._io.tfrecord import frame
from ...nn.cell import Cell  # noqa: F401 - CellOf reads the class by name
from ...ops._debug import print_summary
from .._utils import _make_directory, check_value_type
from . import _events

__all__ = ["SummaryRecord"]

_EXPORTS = {"tensor_format": ("npy", None)}
_RANKS = {
    "scalar": "exactly one element",
    "image": "four axes, (N, 1 or 3, H, W)",
    "tensor": "at least one axis",
    "histogram": "at least one axis",
}


@without_effect("train.SummaryRecord(num_process)", "the process writes itself")
class SummaryRecord:
    """Writes scalars, images, tensors and histograms to a summary file, step by step.

    The file is created when the first value is recorded; `log_dir` is its path. Only one
    SummaryRecord may be open at a time.

    Args:
        log_dir (str): the folder for the files; created if necessary.
        file_prefix (str): the prefix of file names.
        file_suffix (str): the suffix of file names.
        num_process (int): checked, but unused; this process writes the values.
        network (Cell): checked, but unused; there is no graph to save.
        max_file_size (int, optional): the maximum size of a file in bytes. Values that do not fit
            are not written, with a warning.
        raise_exception (bool, optional): whether to raise an error of writing instead of logging
            it.
        export_options (dict, optional): {"tensor_format": "npy"} also writes recorded tensors as
            .npy files, in the folder export_<time>.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if a prefix or suffix has other characters than letters, digits, _ and dots, or
            `export_options` has something else.
        RuntimeError: if another SummaryRecord is open.

    Examples:
        >>> from mindspore_compat import SummaryRecord, Tensor
        >>> with SummaryRecord("summary") as summary:  # doctest: +SKIP
        ...     summary.add_value("scalar", "loss", Tensor(0.5))
        ...     summary.record(1)

    Source: mindspore.train.summary.SummaryRecord of MindSpore 2.10.
    """

    count = 0

    @checked
    def __init__(
        self,
        log_dir: Str,
        file_prefix: Str = "events",
        file_suffix: Str = "_MS",
        num_process=32,
        network: CellOf = None,
        max_file_size: Int = None,
        raise_exception: Bool = False,
        export_options=None,
    ):
        if SummaryRecord.count > 0:
            raise RuntimeError("For 'SummaryRecord', another one is open; close it first.")
        for name, text in (("file_prefix", file_prefix), ("file_suffix", file_suffix)):
            if not re.fullmatch(r"\w+[0-9a-zA-Z_.]*", text, re.ASCII):
                raise ValueError(
                    f"For 'SummaryRecord', '{name}' must have letters, digits, _ and "
                    f"dots, but got {text!r}."
                )
        self._export_options = _check_exports(export_options)
        if max_file_size is not None and max_file_size < 0:
            log.warning(
                "For 'SummaryRecord', 'max_file_size' must be >= 0, but got %d; there is no limit.",
                max_file_size,
            )
            max_file_size = None
        self.base_log_dir = _make_directory(log_dir, "log_dir")
        self.max_file_size, self.raise_exception = max_file_size, raise_exception
        self.network, self._mode, self._closed = network, "train", True
        stamp, summary, lineage = self._free_paths(file_prefix, file_suffix)
        self._summary = _File(summary, max_file_size, True)
        self._lineage = _File(lineage, max_file_size, False)
        self._export_dir = self._path(f"export_{stamp}")
        self._values, self._shown = [], []
        atexit.register(self.close)
        print_summary.summary_sinks.append(self._take)
        SummaryRecord.count, self._closed = SummaryRecord.count + 1, False

    def _free_paths(self, prefix, suffix):
        """Returns the time in seconds, and file paths with that time that are not in use.

        If a record opens within a second of another, it uses the next second, so that it does not
        overwrite the other's files.
        """
        stamp = int(time.time())
        while True:
            middle = f".out.events.summary.{stamp}.{config.device_id}.{platform.node()}"
            paths = [self._path(prefix + middle + end) for end in (suffix, "_lineage")]
            if not any(os.path.exists(path) for path in paths):
                return (stamp, *paths)
            stamp += 1

    def _path(self, name):
        return os.path.join(self.base_log_dir, name)

    def __enter__(self):
        if self._closed:
            raise ValueError("For 'SummaryRecord', it is closed.")
        return self

    def __exit__(self, *_):
        self.close()

    @property
    def log_dir(self):
        """The path of the summary file."""
        return self._summary.path

    @checked
    def set_mode(self, mode: OneOf("train", "eval")):
        """Sets the phase of the network; in "eval" the values of its summary ops are not recorded.

        Args:
            mode (str): "train" or "eval".

        Raises:
            ValueError: if `mode` is something else.
        """
        self._mode = mode

    def _take(self, kind, tag, tensor):
        """Stores a value of a summary op; the newest value of a tag is kept."""
        self._shown = [entry for entry in self._shown if entry[:2] != (kind, tag)]
        self._shown.append((kind, tag, tensor.asnumpy().copy()))

    def add_value(self, plugin, name, value):
        """Stores a value for the next `record`.

        Args:
            plugin (str): the kind of value: "scalar", "image", "tensor" or "histogram"; for a
                message built elsewhere, "graph", "train_lineage", "eval_lineage", "dataset_graph",
                "custom_lineage_data" or "LANDSCAPE".
            name (str): the tag.
            value (Union[Tensor, message]): a Tensor; an image has shape (N, 1 or 3, H, W). Or a
                protobuf message: any object with `SerializeToString`; a graph may be bytes.

        Raises:
            ValueError: if `plugin` is something else, `name` is empty or not a text, or the Tensor
                has another shape.
            TypeError: if `value` is not a Tensor or message.
        """
        if plugin in _RANKS:
            if not isinstance(name, str) or not name:
                raise ValueError(
                    f"For 'SummaryRecord', 'name' must be a str that is not empty, "
                    f"but got {name!r}."
                )
            InstanceOf(Tensor).refuse("SummaryRecord", "value", value)
            array = value.asnumpy().copy()
            _check_shape(plugin, array)
            self._values.append((plugin, name, array))
        elif plugin in (*_events.LINEAGES, "LANDSCAPE", "graph"):
            self._values.append((plugin, name, _as_message(plugin, value)))
        else:
            raise ValueError(
                f"For 'SummaryRecord', 'plugin' must be one of "
                f"{(*_events.KINDS, 'graph', *_events.LINEAGES)}, but got {plugin!r}."
            )

    @checked
    def record(self, step: Int, train_network: CellOf = None, plugin_filter: Callable = None):
        """Writes the stored values, and the values that summary ops noted since the last record.

        Args:
            step: the number of the step.
            train_network: checked, but unused; there is no graph to save.
            plugin_filter: takes the kind of a value and returns whether to write it.

        Returns:
            bool, False if the SummaryRecord is closed.

        Raises:
            TypeError: if an argument is of the wrong type.
            OSError: if writing fails, if `raise_exception` is set.
            RuntimeError: if the file is full, if `raise_exception` is set.
        """
        if self._closed:
            log.error("For 'SummaryRecord', it is closed, and nothing is recorded.")
            return False
        entries = [entry for entry in self._shown if self._mode == "train" and _is_valid(entry)]
        values, self._values, self._shown = [*entries, *self._values], [], []
        print_summary.take_latest()  # recorded values are not returned by other calls
        selection = [value for value in values if plugin_filter is None or plugin_filter(value[0])]
        try:
            self._write(step, selection)
        except (OSError, RuntimeError) as error:
            if self.raise_exception:
                raise
            log.error("For 'SummaryRecord', step %d is not recorded: %s", step, error)
        return True

    def _write(self, step, values):
        now = time.time()
        tagged = [value for value in values if value[0] in _events.KINDS]
        newest = {value[:2]: value for value in tagged}
        if newest:
            self._summary.write(now, _events.summary_event(now, step, list(newest.values())))
        for kind, _, value in values:
            if kind == "graph":
                self._summary.write(now, _events.graph_event(now, value))
            elif kind in _events.LINEAGES:
                self._lineage.write(now, _events.lineage_event(now, kind, value))
        if self._export_options.get("tensor_format") == "npy":
            folder = os.path.join(self._export_dir, "tensor")
            for kind, tag, value in newest.values():
                if kind == "tensor":
                    os.makedirs(folder, exist_ok=True)
                    path = os.path.join(folder, f"{quote(tag, safe='')}_{step}.npy")
                    with atomic_write(path, durable=False) as file:
                        np.save(file, value)

    def flush(self):
        """Passes the recorded values to the operating system."""
        if self._closed:
            log.error("For 'SummaryRecord', it is closed, and nothing can be flushed.")
            return
        for file in (self._summary, self._lineage):
            file.flush()

    def close(self):
        """Completes the files. Values that were not recorded are lost."""
        if self._closed:
            return
        SummaryRecord.count, self._closed = SummaryRecord.count - 1, True
        print_summary.summary_sinks.remove(self._take)
        atexit.unregister(self.close)
        try:
            self._summary.close()
        finally:
            self._lineage.close()


def _get_summary_tensor_data():
    """Returns the values of summary ops since the last call or record, for tools that inspect
    layers.

    Returns:
        dict from "tag[:Kind]", such as "conv1[:Tensor]", to the newest Tensor.

    Source: mindspore.train.summary.summary_record of MindSpore 2.10.
    """
    return print_summary.take_latest()


class _File:
    """An event file, created when the first event is written."""

    def __init__(self, path, limit, versioned):
        self.path, self._left, self._versioned = path, limit, versioned
        self._file = None

    def write(self, now, event):
        """Appends an event; `now` is the time of the first event.

        Raises:
            RuntimeError: if the event does not fit into the maximum size of the file.
        """
        records = [frame(event)]
        if self._file is None and self._versioned:
            records.insert(0, frame(_events.first_event(now)))
        length = sum(map(len, records))
        if self._left is not None:
            if length > self._left:
                raise RuntimeError(
                    f"{self.path!r} may get {self._left} more bytes, but {length} are needed."
                )
            self._left -= length
        with errors_naming(self.path):
            if self._file is None:
                self._file = new_file(self.path)
            for record in records:
                self._file.write(record)

    def flush(self):
        """Passes the written data to the operating system."""
        if self._file is not None:
            with errors_naming(self.path):
                self._file.flush()

    def close(self):
        """Completes the file; then only its owner can read it, and nobody can write it."""
        if self._file is not None and not self._file.closed:
            with errors_naming(self.path):
                os.chmod(self.path, READ_ONLY)
                self._file.close()


def _check_shape(plugin, array):
    fits = {
        "scalar": array.size == 1,
        "image": array.ndim == 4 and array.shape[1] in (1, 3) and array.size > 0,
        "tensor": array.ndim > 0,
        "histogram": array.ndim > 0,
    }[plugin]
    if not fits:
        raise ValueError(
            f"For 'SummaryRecord', 'value' of plugin {plugin!r} must have "
            f"{_RANKS[plugin]}, but got shape {array.shape}."
        )


def _is_valid(entry):
    """Returns whether the value of an op can be written; otherwise logs a warning."""
    kind, tag, array = entry
    try:
        _check_shape(kind, array)
    except ValueError as error:
        log.warning("The value %r of a summary op is left out: %s", tag, error)
        return False
    return True


def _as_message(plugin, value):
    if plugin == "graph" and isinstance(value, bytes):
        return value
    if not hasattr(value, "SerializeToString"):
        raise TypeError(
            f"For 'SummaryRecord', 'value' of plugin {plugin!r} must be a protobuf "
            f"message, but got {value!r} of type {type(value).__name__}."
        )
    return value.SerializeToString()


def _check_exports(options):
    """Checks the export options and returns them.

    Raises:
        TypeError: if they are not a dict, or a format is not a text.
        ValueError: if a key or a format is unknown.
    """
    if options is None:
        return {}
    check_value_type("export_options", options, (dict, type(None)))
    for name, kind in options.items():
        check_value_type("export_option", name, str)
        check_value_type("export_format", kind, (str, type(None)))
    unknown = set(options) - set(_EXPORTS)
    if unknown:
        raise ValueError(
            f"For 'SummaryRecord', the keys {unknown} of \"export_options\" are unsupported; they "
            f"must be among {list(_EXPORTS)}."
        )
    for name, kind in options.items():
        if kind not in _EXPORTS[name]:
            raise ValueError(
                f'For "SummaryRecord", the export_format { {kind} } of "export_options" are '
                f"unsupported for {name}, expect the follow values: {list(_EXPORTS[name])}"
            )
    return dict(options)
