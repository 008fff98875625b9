"""The lines of the package that a call executes, as pairs of consecutive lines of a function.

On Python 3.12 and later `sys.monitoring` reports them, before that `sys.settrace`.
"""

import contextlib
import sys
from pathlib import Path

import mindspore_compat

PACKAGE = str(Path(mindspore_compat.__file__).parent)


@contextlib.contextmanager
def edges():
    """Yields a set; adds (file, previous line, line) to it while the block runs."""
    found, last = set(), {}

    def note(code, line, key):
        found.add((code.co_filename, last.get(key, 0), line))
        last[key] = line

    with _monitored(note) if hasattr(sys, "monitoring") else _traced(note):
        yield found


@contextlib.contextmanager
def _traced(note):
    def local(frame, event, arg):
        if event == "line":
            note(frame.f_code, frame.f_lineno, id(frame))
        return local

    def enter(frame, event, arg):
        return local if frame.f_code.co_filename.startswith(PACKAGE) else None

    before = sys.gettrace()
    sys.settrace(enter)
    try:
        yield
    finally:
        sys.settrace(before)


@contextlib.contextmanager
def _monitored(note):
    monitoring = sys.monitoring
    tool = monitoring.COVERAGE_ID

    def line(code, number):
        if not code.co_filename.startswith(PACKAGE):
            return monitoring.DISABLE
        return note(code, number, code)

    monitoring.use_tool_id(tool, "fuzz")
    try:
        monitoring.register_callback(tool, monitoring.events.LINE, line)
        monitoring.set_events(tool, monitoring.events.LINE)
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.free_tool_id(tool)
