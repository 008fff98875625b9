"""The recorder of the step that this thread runs: a Capture on a GPU, a StepRecorder on the host.

Both kinds of recorder share this state: whether steps may be captured, and whether the running step
trains. Why a step is refused is in refused.py.
"""

import os
import threading

from .. import arrays

VARIABLE = "MINDSPORE_COMPAT_CUDA_GRAPHS"


class _Local(threading.local):
    running = None  # the Capture or StepRecorder whose step this thread runs
    suspended = None  # the StepRecorder that is off while this thread runs a recorded call
    trained = False  # whether this thread has called an optimizer


_local = _Local()
_permitted = True


def allow(value):
    """Allows or forbids that steps are captured and that captured steps are replayed."""
    global _permitted
    _permitted = value


def can_capture():
    """Returns True if steps may be captured: the device target is a GPU and `allow` permits it."""
    return arrays._target == "GPU" and _permitted and os.environ.get(VARIABLE, "1") != "0"


def is_permitted():
    """Returns True unless `allow` has forbidden to capture steps."""
    return _permitted


def running():
    """Returns the Capture or the StepRecorder (recording.py) of the step that this thread runs, or
    None."""
    return _local.running


def capture():
    """Returns the Capture of the step that this thread runs on a GPU, or None."""
    return _local.running if arrays._target == "GPU" else None


def set_running(recorder, suspended=None):
    """Sets the recorder of this thread.

    Args:
        recorder: the Capture or the StepRecorder of the step that this thread now runs, or None.
        suspended: the StepRecorder that is suspended while a recorded call runs, or None.
    """
    _local.running = recorder
    _local.suspended = suspended


def suspended_recorder():
    """Returns the StepRecorder that is suspended while this thread runs a recorded call, or
    None."""
    return _local.suspended


def apart(method, *args, **kwargs):
    """Calls a method whose Python branches on values.

    In a step that is recorded on the host, the whole call is recorded as one, so that each replay
    runs the method's Python code again and makes its own decisions.
    """
    captured = running()
    if captured is None or captured.apart is None:
        return method(*args, **kwargs)
    return captured.apart(method, args, kwargs)


def note_effect(effect):
    """Prevents replays of the step that is recorded on the host, because they would skip a side
    effect of its Python code.

    Args:
        effect (str): the side effect, a text of `refused.Reason`.
    """
    captured = running()
    if captured is not None and captured.apart is not None:
        captured.refuse(effect)


def note_training():
    """Records that this thread calls an optimizer."""
    _local.trained = True


def trains(function, args, kwargs):
    """Calls a function. Returns its result, and True if the function called an optimizer."""
    before, _local.trained = _local.trained, False
    try:
        result = function(*args, **kwargs)
        return result, _local.trained
    finally:
        _local.trained = _local.trained or before
