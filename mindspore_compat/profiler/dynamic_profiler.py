"""DynamicProfilerMonitor: records steps of a running training as specified in a file."""

import json
import os
import time

from .. import log
from .._core.rules.vocabulary import InstanceOf
from .._io.files import atomic_write
from ..communication import get_rank
from ..train.callback import Callback
from .profile import profile, tensorboard_trace_handler

FILE = "profiler_config.json"
OUTPUT = "./dyn_profile_data"
SECONDS = 2
UNSET = {"start_step": -1, "stop_step": -1, "prof_path": "./"}  # content of a newly written file


class DynamicProfilerMonitor(Callback):
    """Records steps of a training as specified in a JSON file, which may change during training.

    The file `profiler_config.json` holds "start_step" and "stop_step", the first and the last step
    that are recorded, counted from 1. A later range must begin after the end of the previous one.
    "prof_path" may give the folder of the results; other entries are options of an Ascend and have
    no effect. If the file does not exist, one that requests no step is written.

    Args:
        cfg_path (str): the folder of the file. Default: ``None``, which is refused.
        output_path (str): the folder of the results. Default: ``"./dyn_profile_data"``.
        poll_interval (int): the interval in seconds between reads of the file. Default: ``2``.
        **kwargs: stored without effect.

    Raises:
        TypeError: if `cfg_path` is not a str.

    Examples:
        >>> import mindspore_compat as ms
        >>> monitor = ms.profiler.DynamicProfilerMonitor("monitored", "monitored/results")

    Source: mindspore.profiler.DynamicProfilerMonitor of MindSpore 2.10.
    """

    def __init__(self, cfg_path=None, output_path=OUTPUT, poll_interval=SECONDS, **kwargs):
        super().__init__()
        InstanceOf(str).refuse("DynamicProfilerMonitor", "cfg_path", cfg_path)
        self.options = kwargs
        self._file = os.path.join(cfg_path, FILE)
        self._output = _good("output_path", output_path, isinstance(output_path, str), OUTPUT)
        whole = type(poll_interval) is int and poll_interval >= 1
        self._seconds = _good("poll_interval", poll_interval, whole, SECONDS)
        self._rank = get_rank()
        self._step = 0
        self._last = 0  # the last step that was recorded
        self._profiler = None
        if not os.path.exists(self._file):
            os.makedirs(cfg_path, exist_ok=True)
            with atomic_write(self._file) as file:
                file.write(json.dumps(UNSET, indent=4).encode())
        self._read()

    def step_begin(self, run_context):
        """Starts recording before the first step of a range."""
        self._step += 1
        if time.monotonic() - self._moment >= self._seconds:
            self._read()
        start, stop = self._range
        if self._profiler is None and self._step == start > self._last:
            self._last = stop
            self._profiler = profile(on_trace_ready=tensorboard_trace_handler(self._folder()))

    def step_end(self, run_context):
        """Stops recording after the last step of a range."""
        if self._step >= self._last:
            self._stop()

    def on_train_end(self, run_context):
        """Ends a recording whose last step was not reached."""
        if self._profiler is not None:
            log.warning("The training ended before step %s, up to which it is recorded", self._last)
        self._stop()

    def _stop(self):
        if self._profiler is not None:
            self._profiler.stop()
            self._profiler = None

    def _folder(self):
        start, stop = self._range
        return os.path.join(self._above, f"rank{self._rank}_start{start}_stop{stop}")

    def _read(self):
        """Reads the file: the range that it requests, and the folder of the results."""
        self._moment = time.monotonic()
        self._range, self._above = (-1, -1), self._output
        try:
            with open(self._file, encoding="utf-8") as file:
                config = json.load(file)
            start, stop = config["start_step"], config["stop_step"]
            if not (type(start) is int and type(stop) is int and start <= stop):
                raise ValueError(f"'start_step' is {start!r} and 'stop_step' {stop!r}")
        except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
            log.error("%s requests no range of steps: %s", self._file, error)
            return
        self._range = start, stop
        folder = config.get("prof_path")
        if isinstance(folder, str) and folder != UNSET["prof_path"]:
            self._above = folder


def _good(name, value, right, default):
    """Returns the value, or the default with a warning if it is invalid."""
    if right:
        return value
    log.warning(
        "For 'DynamicProfilerMonitor', '%s' is %r; %r is taken instead.", name, value, default
    )
    return default
