"""EnvProfiler: records as specified in the environment variable MS_PROFILER_OPTIONS."""

import json
import os

from .. import log
from .options import ProfilerActivity
from .profile import profile, tensorboard_trace_handler

VARIABLE = "MS_PROFILER_OPTIONS"


class EnvProfiler:
    """Records a script as specified in the environment variable MS_PROFILER_OPTIONS.

    The variable holds a JSON text: ``{"start": true, "output_path": "...", "activities":
    ["CPU"]}``. Without "start", or if the text is not JSON, nothing is recorded. Other entries are
    options of an Ascend and have no effect.

    Examples:
        >>> from mindspore_compat.profiler import EnvProfiler
        >>> recording = EnvProfiler()
        >>> recording.init_profiler()
        >>> recording.analyse()

    Source: mindspore.profiler.EnvProfiler of MindSpore 2.10.
    """

    def __init__(self):
        self.profiler = None

    def init_profiler(self):
        """Starts recording, if the environment variable requests it.

        Raises:
            AttributeError: if its JSON text is not an object.
        """
        options = _options()
        if not options.get("start"):
            return
        folder = options.get("output_path")
        self.profiler = profile(
            activities=_activities(options.get("activities")),
            on_trace_ready=tensorboard_trace_handler(folder if isinstance(folder, str) else None),
        )

    def analyse(self):
        """Stops recording, and writes the results."""
        if self.profiler is not None:
            self.profiler.stop()


def _options():
    """Returns the options in the environment variable."""
    try:
        return json.loads(os.environ.get(VARIABLE, "{}"))
    except ValueError as error:
        log.error("%s must be a JSON text, but got %r: %s", VARIABLE, os.environ[VARIABLE], error)
        return {}


def _activities(names):
    """Returns the activities with these names; all activities if a name is unknown."""
    try:
        return [ProfilerActivity(name) for name in names or ()] or None
    except ValueError as error:
        log.warning("%s: %s; all activities are taken.", VARIABLE, error)
        return None
