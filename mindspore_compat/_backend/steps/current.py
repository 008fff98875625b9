"""Which recorder, if any, the step of this thread runs under: a Capture on a GPU, a StepRecorder on
the host.

Both forms of replayed steps share what is here: whether steps may be captured, what a running step
has noted, and the error that says why a step cannot be replayed.
"""

import os
import threading

from .. import arrays

VARIABLE = "MINDSPORE_COMPAT_CUDA_GRAPHS"


class Refused(RuntimeError):
    """Why something cannot be captured: a clause that begins with a noun.

    Attributes:
        results (tuple): what the step returned, as its only element, if it has run meanwhile.
    """

    results = None


class _Local(threading.local):
    running = None  # the Capture whose step this thread runs
    suspended = None  # the StepRecorder that notes the call in which this thread is
    trained = False  # whether something has been noted that `trains` looks for


_local = _Local()
_wanted = True


def allow(value):
    """Whether steps are captured from now on; those that have been are replayed only meanwhile."""
    global _wanted
    _wanted = value


def allowed():
    """True if steps may be captured: the device target is a GPU, and nothing forbids it."""
    return arrays._target == "GPU" and _wanted and os.environ.get(VARIABLE, "1") != "0"


def wanted():
    """True unless `allow` has forbidden that steps are captured."""
    return _wanted


def running():
    """The Capture whose step this thread rehearses or captures, or the StepRecorder of a step on
    the host (recording.py); None for none."""
    return _local.running


def set_running(recorder, suspended=None):
    """Puts a StepRecorder in force in this thread; None for none.

    Args:
        recorder: the StepRecorder.
        suspended: a StepRecorder within a call that it notes.
    """
    _local.running = recorder
    _local.suspended = suspended


def suspended():
    """The StepRecorder within whose noted call this thread is; None for none."""
    return _local.suspended


def apart(method, *args, **kwargs):
    """Calls a method whose Python decides by values: in the replays of a step that is recorded on
    the host it runs as always."""
    captured = running()
    if captured is None or captured.apart is None:
        return method(*args, **kwargs)
    return captured.apart(method, args, kwargs)


def note_effect(what):
    """Has a step that is recorded on the host not be replayed: a replay would not do this.

    Args:
        what (str): what it does, a clause that begins with a noun.
    """
    captured = running()
    if captured is not None and captured.apart is not None:
        captured.refuse(what)


def note_training():
    """Notes that an optimizer is called in this thread."""
    _local.trained = True


def note_gradient():
    """Notes that a gradient is taken in this thread; on a GPU only whole steps are captured."""
    if arrays._target == "CPU":
        _local.trained = True


def trains(function, args, kwargs):
    """Calls a function, and tells whether it calls an optimizer, or on the host takes a gradient:
    (its result, a bool)."""
    before, _local.trained = _local.trained, False
    try:
        made = function(*args, **kwargs)
        return made, _local.trained
    finally:
        _local.trained = _local.trained or before
