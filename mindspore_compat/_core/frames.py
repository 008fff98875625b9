"""Separates the frames of the package in a traceback from all others, so that errors show a
script's author only the frames that help."""

import contextlib
import os
import runpy
import types
from pathlib import Path

VARIABLE = "MINDSPORE_COMPAT_TRACEBACK"
_FOLDER = str(Path(__file__).parent.parent) + os.sep
_RUNNER = ("<frozen runpy>", runpy.__file__)


def shows_all_frames():
    """Returns True if an environment variable asks for complete tracebacks."""
    return os.environ.get(VARIABLE, "0") not in ("", "0")


def is_of_package(filename):
    """Returns True if a frame with this file name belongs to the package: to one of its files, or
    to source that it has generated."""
    filename = str(filename)
    generated = filename.startswith("<") and " #" in filename
    return generated or filename.startswith(_FOLDER) or filename in _RUNNER


def links_of(trace):
    """Yields the traceback of each frame, from the outermost on."""
    while trace is not None:
        yield trace
        trace = trace.tb_next


def without_package_frames(trace):
    """Returns a traceback without the package's frames. Returns `trace` itself if it has no other
    frames, or if all frames are to be shown."""
    own_links = [
        link for link in links_of(trace) if not is_of_package(link.tb_frame.f_code.co_filename)
    ]
    if not own_links or shows_all_frames():
        return trace
    linked = None
    for link in reversed(own_links):
        linked = types.TracebackType(linked, link.tb_frame, link.tb_lasti, link.tb_lineno)
    return linked


def hide_package_frames(summary):
    """Removes the package's frames from a `traceback.TracebackException`, and causes that have no
    other frames. Returns the number of removed frames."""
    own_frames = [frame for frame in summary.stack if not is_of_package(frame.filename)]
    # the frames before the first are those that run the script; they are not counted
    preamble = summary.stack.index(own_frames[0]) if own_frames else 0
    hidden = len(summary.stack) - preamble - len(own_frames)
    summary.stack[:] = own_frames
    for name in ("__cause__", "__context__"):
        earlier = getattr(summary, name)
        if earlier is not None:
            from_worker = not earlier.stack  # its text holds the traceback of the other process
            hidden += hide_package_frames(earlier)
            if not from_worker and all(_library(frame.filename) for frame in earlier.stack):
                setattr(summary, name, None)
    return hidden


_CHAIN = ("__traceback__", "__cause__", "__context__", "__suppress_context__")


@contextlib.contextmanager
def causes_without_package_frames(error):
    """Removes, until the block ends, the package's frames from the causes of an error, and causes
    that have no other frames, as `hide_package_frames` does."""
    before = {}

    def shorten(error):
        if id(error) in before:
            return
        before[id(error)] = error, [getattr(error, name) for name in _CHAIN]
        for name in ("__cause__", "__context__"):
            earlier = getattr(error, name)
            if earlier is None:
                continue
            shorten(earlier)
            files = [link.tb_frame.f_code.co_filename for link in links_of(earlier.__traceback__)]
            if files and all(is_of_package(file) or _library(file) for file in files):
                setattr(error, name, None)
            else:
                earlier.__traceback__ = without_package_frames(earlier.__traceback__)
        error.__suppress_context__ = before[id(error)][1][-1]

    try:
        if not shows_all_frames():
            shorten(error)
        yield
    finally:
        for changed, values in before.values():
            for name, value in zip(_CHAIN, values):
                setattr(changed, name, value)


def _library(filename):
    return "site-packages" in filename or filename.startswith(os.path.dirname(os.__file__))
