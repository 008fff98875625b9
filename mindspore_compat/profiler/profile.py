"""Profiler and profile: record a script from its own code and write result files.

As in MindSpore, a wrong argument never stops a training: it is replaced by the default with a
warning. A call at the wrong time also causes only a warning.
"""

import itertools
import json
import os
import platform
import time
from collections.abc import Hashable

from .. import log
from .._core.rules.vocabulary import InstanceOf
from .options import ProfilerActivity
from .recorder import ProfileRecorder
from .steps import ProfilerAction
from .writing import summary, write

RECORDING = (ProfilerAction.RECORD, ProfilerAction.RECORD_AND_SAVE)
_in_force = []  # the profilers that record now, the last one innermost


class _ProfileSession:
    """Shared base class of Profiler and profile."""

    def _begin(self, output_path, activities, start_profile, schedule, on_trace_ready, sync_enable):
        self.output_path = _good("output_path", output_path, str, "./data")
        self.activities = activities or [ProfilerActivity.CPU, ProfilerActivity.NPU]
        self.start_profile = _good("start_profile", start_profile, bool, True)
        self.schedule = schedule if callable(schedule) else None
        self.on_trace_ready = on_trace_ready if callable(on_trace_ready) else None
        self.sync_enable = _good("sync_enable", sync_enable, bool, True)
        self.metadata = {}
        self.events = []
        self._recorder = None
        self._steps = 0
        self._started = False
        if self.start_profile:
            self.start()

    def start(self):
        """Starts recording; with a schedule, its first step."""
        if self._started:
            log.warning("The profiler has been started already.")
            return
        self._started = True
        self._steps = 0
        self._act()

    def stop(self):
        """Stops recording, and writes the results."""
        if not self._started:
            log.warning("The profiler has not been started, so it cannot be stopped.")
            return
        self._started = False
        if self._pause():
            self._ready()

    def step(self):
        """Marks the end of a step; the schedule decides the action of the next one."""
        if not self._started or self.schedule is None:
            log.warning("The profiler's step() needs a schedule and a profiler that is started.")
            return
        saves = self.schedule(self._steps) is ProfilerAction.RECORD_AND_SAVE
        self._steps += 1
        if saves and self._pause():
            self._ready()
            self.events = []
        self._act()

    def add_metadata(self, key, value):
        """Adds a text to profiler_metadata.json.

        Args:
            key (str): the name of the entry.
            value (str): the text.
        """
        if isinstance(key, str) and isinstance(value, str):
            self.metadata[key] = value
        else:
            log.warning("The profiler's metadata must be two strs, but got %r and %r.", key, value)

    def add_metadata_json(self, key, value):
        """Adds the content of a JSON text to profiler_metadata.json.

        Args:
            key (str): the name of the entry.
            value (str): the JSON text.
        """
        try:
            self.metadata[key] = json.loads(value)
        except (TypeError, ValueError) as error:
            log.warning("The profiler's metadata must be a JSON text, but got %r: %s", value, error)

    def __enter__(self):
        if not self._started:
            self.start()
        return self

    def __exit__(self, kind, error, trace):
        if self._started:
            self.stop()

    def _act(self):
        """Performs the schedule's action for this step; without a schedule, records."""
        if self.schedule is None or self.schedule(self._steps) in RECORDING:
            if self._recorder is None:
                self._recorder = ProfileRecorder(self.sync_enable)
                _in_force.append(self._recorder)
                self._recorder.start()
            self._recorder.step = self._steps
        else:
            self._pause()

    def _pause(self):
        """Stops the recorder and takes its events; returns whether there was one."""
        if self._recorder is None:
            return False
        self._recorder.stop()
        _in_force.remove(self._recorder)
        self.events += self._recorder.events
        self._recorder = None
        return True

    def _ready(self):
        """Passes a finished recording to the handler, or writes it."""
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)
        else:
            self.write(self.output_path)

    def write(self, folder, pretty=False):
        """Writes op_statistic.csv and trace_view.json.

        Args:
            folder (str): the folder to write to.
            pretty (bool): whether JSON is indented. Default: ``False``.
        """
        write(folder, self.events, self.metadata, pretty)


class profile(_ProfileSession):
    """Records a script: `with profile() as prof: ...`, or `start()` and `stop()`.

    Results go to `./data`, unless `on_trace_ready` takes them: op_statistic.csv (each operator's
    count and times) and trace_view.json (a timeline for chrome://tracing or Perfetto).

    Args:
        activities (Iterable[ProfilerActivity]): stored without effect. Default: ``None``.
        with_stack (bool): stored without effect. Default: ``False``.
        profile_memory (bool): stored without effect. Default: ``False``.
        data_process (bool): stored without effect. Default: ``False``.
        parallel_strategy (bool): stored without effect. Default: ``False``.
        start_profile (bool): whether to start at once. Default: ``True``.
        hbm_ddr (bool): stored without effect. Default: ``False``.
        pcie (bool): stored without effect. Default: ``False``.
        sync_enable (bool): whether to wait for a GPU after each operator. Default: ``True``.
        record_shapes (bool): stored without effect. Default: ``False``.
        schedule (schedule): the steps to record. Default: ``None``, all.
        on_trace_ready (Callable): called with this object when a recording is complete. Default:
            ``None``.
        experimental_config (_ExperimentalConfig): stored without effect. Default: ``None``.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import profiler
        >>> with profiler.profile(schedule=profiler.schedule(wait=0, active=1)) as running:
        ...     y = ms.ops.relu(ms.Tensor([1.0]))
        ...     running.step()

    Source: mindspore.profiler.profile of MindSpore 2.10.
    """

    def __init__(
        self,
        activities=None,
        with_stack=False,
        profile_memory=False,
        data_process=False,
        parallel_strategy=False,
        start_profile=True,
        hbm_ddr=False,
        pcie=False,
        sync_enable=True,
        record_shapes=False,
        schedule=None,
        on_trace_ready=None,
        experimental_config=None,
    ):
        self.options = dict(
            with_stack=with_stack,
            profile_memory=profile_memory,
            data_process=data_process,
            parallel_strategy=parallel_strategy,
            hbm_ddr=hbm_ddr,
            pcie=pcie,
            record_shapes=record_shapes,
            experimental_config=experimental_config,
        )
        self._begin("./data", activities, start_profile, schedule, on_trace_ready, sync_enable)


class Profiler(_ProfileSession):
    """Records a script from its construction to `analyse()`; the older form of `profile`.

    Args:
        **kwargs: `output_path` (str, "./data"), `start_profile` (bool, True), `schedule`,
            `on_trace_ready`, `activities` and `sync_enable` as for `profile`. Others, of older
            releases or of an Ascend device, are stored.

    Example:
        >>> import mindspore_compat as ms
        >>> profiler = ms.Profiler(output_path="profile")
        >>> y = ms.ops.relu(ms.Tensor([1.0]))
        >>> profiler.analyse()

    Source: mindspore.profiler.Profiler of MindSpore 2.10.
    """

    def __init__(self, **kwargs):
        options = {
            "activities": None,
            "start_profile": True,
            "schedule": None,
            "on_trace_ready": None,
            "sync_enable": True,
            "output_path": "./data",
        }
        self.options = {key: value for key, value in kwargs.items() if key not in options}
        self._begin(**{key: kwargs.get(key, default) for key, default in options.items()})

    def analyse(self, offline_path=None, pretty=False, step_list=None, mode="sync"):
        """Stops recording and writes the results to the output path.

        Args:
            offline_path (str): stored without effect; results are written when a recording ends.
                Default: ``None``.
            pretty (bool): whether JSON is indented. Default: ``False``.
            step_list (list[int]): the steps that are written. Default: ``None``, all.
            mode (str): "sync" or "async"; both write before the call returns. Default: ``"sync"``.
        """
        if self._started:
            self._started = False
            self._pause()
        if step_list is not None:
            self.events = [event for event in self.events if event.step in step_list]
        self.write(self.output_path, bool(pretty))

    def op_analyse(self, op_name, device_id=None):
        """Returns, as a JSON text, count and times of operators recorded so far.

        Args:
            op_name (Union[str, list[str]]): the operators' names, as functions or Primitives.
            device_id (int): stored without effect. Default: ``None``.

        Raises:
            TypeError: if `op_name` is neither a str nor a list, or `device_id` is not an int.
        """
        InstanceOf(str, list).refuse("Profiler.op_analyse", "op_name", op_name)
        if device_id is not None and type(device_id) is not int:
            raise TypeError(
                "For 'Profiler.op_analyse', 'device_id' must be an int, but got "
                f"{device_id!r} of type {type(device_id).__name__}."
            )
        events = self.events + (self._recorder.events if self._recorder else [])
        rows = {_plain(row["name"]): row for row in summary(events) if row["kind"] == "op"}
        names = [op_name] if isinstance(op_name, str) else op_name
        return json.dumps({name: rows.get(_plain(name)) for name in names})


def tensorboard_trace_handler(dir_name=None, worker_name=None, analyse_flag=True, async_mode=False):
    """Returns a function for `on_trace_ready` that writes each recording to a new folder.

    Args:
        dir_name (str): the parent folder. Default: ``None``, "./data".
        worker_name (str): the prefix of the folder names. Default: ``None``, machine and process.
        analyse_flag (bool): whether to write results. Default: ``True``.
        async_mode (bool): stored without effect. Default: ``False``.

    Example:
        >>> from mindspore_compat import profiler
        >>> handler = profiler.tensorboard_trace_handler("trace")

    Source: mindspore.profiler.tensorboard_trace_handler of MindSpore 2.10.
    """
    worker = worker_name or f"{platform.node()}_{os.getpid()}"

    def handle(profiler):
        if analyse_flag:
            moment = time.strftime("%Y%m%d%H%M%S") + f"{time.time_ns() // 1000000 % 1000:03d}"
            profiler.write(os.path.join(dir_name or "./data", f"{worker}_{moment}_ms"))

    return handle


class mstx:
    """User-defined marks in the timeline.

    Example:
        >>> from mindspore_compat import profiler
        >>> profiler.mstx.mark("begin of an epoch")

    Source: mindspore.profiler.mstx of MindSpore 2.10.
    """

    _ranges = {}
    _numbers = itertools.count(1)

    @staticmethod
    def mark(message, stream=None, domain="default"):
        """Adds a mark to the timeline.

        Args:
            message (str): the name of the mark.
            stream: stored without effect. Default: ``None``.
            domain (str): stored without effect. Default: ``"default"``.
        """
        now = time.perf_counter_ns()
        for recorder in _in_force:
            recorder.mark(message, now, now)

    @staticmethod
    def range_start(message, stream=None, domain="default"):
        """Begins a range, and returns its number for `range_end`; 0 if nothing is recorded.

        Args:
            message (str): the name of the range.
            stream: stored without effect. Default: ``None``.
            domain (str): stored without effect. Default: ``"default"``.
        """
        if not _in_force:
            return 0
        number = next(mstx._numbers)
        mstx._ranges[number] = message, time.perf_counter_ns()
        return number

    @staticmethod
    def range_end(range_id, domain="default"):
        """Ends a range.

        Args:
            range_id (int): the number of the range.
            domain (str): stored without effect. Default: ``"default"``.
        """
        if isinstance(range_id, Hashable) and range_id in mstx._ranges:
            message, start = mstx._ranges.pop(range_id)
            for recorder in _in_force:
                recorder.mark(message, start, time.perf_counter_ns())


def _good(name, value, kind, default):
    """Returns the value if it has a type, otherwise the default with a warning."""
    if isinstance(value, kind):
        return value
    log.warning(
        "For the profiler, '%s' must be a %s, but got %r; %r is taken.",
        name,
        kind.__name__,
        value,
        default,
    )
    return default


def _plain(name):
    """Returns an operator's name in a form that is equal for the Primitive ('BiasAdd') and the
    function."""
    return name.replace("_", "").lower()
