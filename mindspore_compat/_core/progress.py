"""A progress bar for work that takes more than a second: training, saving and converting files.

    with progress.bar("Saving", total=100, unit="rows") as bar:
        for row in rows:
            write(row)
            bar.advance()

The bar is shown on a terminal and in a notebook, unless MINDSPORE_COMPAT_PROGRESS is 0. Elsewhere
nothing is written. On a terminal the bar is the last line of stderr: it is erased before other text
is written through `sys.stdout` and `sys.stderr`, drawn again below it, and erased at the end.
Libraries for bars are not used, because what a script prints must stay as it is: beside their bars,
text without a line end is overwritten (tqdm) or held back and wrapped (rich), and a notebook needs
ipywidgets.
"""

import os
import sys
import threading
import time

__all__ = ["bar", "exhaust"]

VARIABLE = "MINDSPORE_COMPAT_PROGRESS"
DELAY = 1.0  # seconds before a bar appears
INTERVAL = 0.1  # seconds between two drawings
_WIDTH = 24  # characters between the brackets
_bars = []  # the open bars; the innermost one is drawn
_screens = []  # the screen, from the first drawing until no bar is open


def bar(label, total=None, unit="steps"):
    """Returns a bar to use in a `with` statement.

    Args:
        label (str): what is being done; may be changed later by setting `label`.
        total (int, optional): the number of calls of `advance` until the end, if it is known.
        unit (str): what is counted.
    """
    return Bar(label, total, unit, _screen())


def exhaust(results, label, total, unit):
    """Takes all results of an iterator, whose computation a bar shows."""
    with bar(label, total, unit) as shown:
        for _ in results:
            shown.advance()


def _screen():
    """Returns the class of the screen to draw on; None if no bar can or should be shown."""
    if os.environ.get(VARIABLE) == "0":
        return None
    get_ipython = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)
    if getattr(get_ipython(), "kernel", None) is not None:
        return Notebook
    if not _is_terminal(sys.stderr) or os.environ.get("TERM") == "dumb":
        return None
    return Terminal


def _is_terminal(stream):
    """Returns whether a stream is there, open, and a terminal."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


class Bar:
    """A bar; see `bar`. Without a screen it only counts."""

    def __init__(self, label, total, unit, screen):
        self.label, self.total, self.unit = label, total, unit
        self.count = 0
        self._screen = screen
        self._due = float("inf")

    def __enter__(self):
        self._start = time.perf_counter()
        if self._screen is not None:
            self._due = self._start + DELAY
            _bars.append(self)
        return self

    def advance(self, steps=1):
        """Counts `steps` further steps, and draws the bar if that is due."""
        self.count += steps
        if time.perf_counter() >= self._due:
            self._draw()

    def counted(self, items):
        """Yields all items of an iterator, and counts them as they arrive."""
        for item in items:
            self.advance()
            yield item

    def _draw(self):
        self._due = time.perf_counter() + INTERVAL
        if _bars[-1] is self:
            if not _screens:
                _screens.append(self._screen())
            _screens[0].show(self.text())

    def __exit__(self, *_):
        if self not in _bars:
            return
        _bars.remove(self)
        if _screens and _bars:
            _screens[0].show(_bars[-1].text())
        elif _screens:
            _screens.pop().close(self.text())

    def text(self):
        """Returns the line to show."""
        seconds = time.perf_counter() - self._start
        rate = self.count / max(seconds, 1e-9)
        speed = f"{rate:,.1f}/s" if rate < 100 else f"{rate:,.0f}/s"
        if not self.total:
            return f"{self.label}: {self.count:,} {self.unit}, {speed}, {_clock(seconds)}"
        done = min(self.count / self.total, 1)
        filled = "=" * int(done * _WIDTH)
        left = _clock((self.total - self.count) / rate) if rate else "?"
        return (
            f"{self.label} {done:4.0%} [{filled:{_WIDTH}}] {self.count:,}/{self.total:,} "
            f"{self.unit}, {speed}, {left} left"
        )


def _clock(seconds):
    """Returns a duration as minutes and seconds, or hours, minutes and seconds."""
    minutes, seconds = divmod(max(round(seconds), 0), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


class Terminal:
    """The last line of the terminal. While it is open, `sys.stdout` and `sys.stderr` are streams
    that erase the line before they write."""

    def __init__(self):
        self._lock = threading.RLock()
        self._stream = sys.stderr
        self._length = 0  # of the text on the line
        self._mid_line = False  # whether other text without a line end is on the line
        self._replaced = {}
        for name in ("stdout", "stderr"):
            stream = getattr(sys, name)
            if _is_terminal(stream):
                self._replaced[name] = (stream, ErasingStream(stream, self))
                setattr(sys, name, self._replaced[name][1])

    def show(self, text):
        """Draws the line, unless other text is on it."""
        with self._lock:
            if not self._mid_line:
                text = text[: self._columns() - 1]
                self._put(f"{text:{self._length}}\r")
                self._length = len(text)

    def erase(self):
        """Erases the line."""
        if self._length:
            self._put(" " * self._length + "\r")
            self._length = 0

    def write(self, stream, text):
        """Writes other text to one of the two streams."""
        with self._lock:
            self.erase()
            if text:
                self._mid_line = not text.endswith("\n")
            return stream.write(text)

    def close(self, _):
        """Erases the line, and restores the streams unless the script has set others."""
        with self._lock:
            self.erase()
            for name, (stream, erasing) in self._replaced.items():
                if getattr(sys, name) is erasing:
                    setattr(sys, name, stream)

    def _put(self, text):
        self._stream.write(text)
        self._stream.flush()

    def _columns(self):
        try:
            return os.get_terminal_size(self._stream.fileno()).columns or 80
        except (OSError, ValueError):
            return 80


class ErasingStream:
    """A stream whose texts are written where the bar of a Terminal was.

    Args:
        stream (io.TextIOBase): the stream to write to.
        terminal (Terminal): the terminal that shows the bar.
    """

    def __init__(self, stream, terminal):
        self._stream, self._terminal = stream, terminal

    def write(self, text):
        """Writes a text, and returns its length."""
        return self._terminal.write(self._stream, text)

    def writelines(self, lines):
        """Writes several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name):
        return getattr(self._stream, name)


class Notebook:
    """An output of a notebook that is replaced by each drawing, and shows the last state."""

    def __init__(self):
        from IPython.display import display

        self._output = display({"text/plain": ""}, raw=True, display_id=True)

    def show(self, text):
        """Replaces the text."""
        self._output.update({"text/plain": text}, raw=True)

    close = show
