"""The recorder: start and end of every operator, gradient and Cell, through Python's profile hook.

Three kinds of functions are recorded, recognised by their code: bodies of operators (functions of
`xp` in `ops` and `communication`), gradient rules (written as source named "<gradient of ...>"),
and `Cell.__call__`. An operator within another counts as part of it. Only the starting thread is
recorded.
"""

import os
import sys
import time
from typing import NamedTuple

from .._backend import arrays
from ..nn.cell import Cell

FOLDER = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PACKAGES = tuple(os.path.join(FOLDER, package) + os.sep for package in ("ops", "communication"))
GRADIENT = "<gradient of "
CELL_CODE = Cell.__call__.__code__


class Event(NamedTuple):
    """One call: "op", "gradient" or "cell"; times in nanoseconds of `time.perf_counter_ns`."""

    kind: str
    name: str
    start: int
    end: int
    step: int


class ProfileRecorder:
    """Collects events between `start()` and `stop()`."""

    def __init__(self, wait_for_device=True):
        self.events = []
        self.step = 0
        self.wait_for_device = wait_for_device
        self._labels = {}
        self._open = []
        self._inside = 0
        self._before = None

    def start(self):
        """Starts recording."""
        self._before = sys.getprofile()
        self._open.clear()
        self._inside = 0
        sys.setprofile(self._on_call)

    def stop(self):
        """Stops recording."""
        sys.setprofile(self._before)

    def mark(self, name, start, end):
        """Adds a user-defined range."""
        self.events.append(Event("mark", name, start, end, self.step))

    def _on_call(self, frame, event, argument):
        """Called by Python at the start and end of every function."""
        code = frame.f_code
        label = self._labels.get(code)
        if label is None:
            label = self._labels[code] = _label(code)
        kind, name = label
        if not kind:
            return
        if event == "call":
            if kind == "cell":
                name = type(frame.f_locals.get("self")).__name__
            self._inside += kind != "cell"
            self._open.append((code, name, time.perf_counter_ns()))
        elif event == "return" and self._open and self._open[-1][0] is code:
            self._close(kind)

    def _close(self, kind):
        _, name, start = self._open.pop()
        self._inside -= kind != "cell"
        if kind != "cell" and self._inside:
            return
        if self.wait_for_device:
            arrays.synchronize()
        self.events.append(Event(kind, name, start, time.perf_counter_ns(), self.step))


def _label(code):
    """Returns (kind, name) of the functions that are recorded, ("", "") of all others."""
    if code is CELL_CODE:
        return "cell", ""
    if code.co_filename.startswith(GRADIENT) and code.co_name in ("pull", "flow"):
        return "gradient", code.co_filename[len(GRADIENT) : -1].partition(" #")[0]
    body = (
        code.co_varnames[:1] == ("xp",)
        and code.co_filename.startswith(PACKAGES)
        and code.co_name[0] not in "_<"
    )
    return ("op", code.co_name) if body else ("", "")
