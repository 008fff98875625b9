"""Progress bars on a terminal and in notebooks; they leave other text unchanged."""

import os
import subprocess
import sys
import types

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat._core import progress

SCRIPT = """
import sys, time
import numpy as np
import mindspore_compat as ms
from mindspore_compat import nn, log
from mindspore_compat._core import progress
from mindspore_compat.train import Callback, LossMonitor, Model, TimeMonitor

progress.DELAY = progress.INTERVAL = 0

class Talk(Callback):
    def on_train_step_end(self, run_context):
        print("a part", end=", ")
        print("a line", file=sys.stderr if run_context.original_args().cur_step_num % 2 else None)

data = ms.dataset.NumpySlicesDataset(
    (np.ones((8, 2), np.float32), np.ones((8, 1), np.float32)), ["x", "y"], shuffle=False
)
net = nn.Dense(2, 1, "ones", "zeros")
model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"loss"})
batches = data.batch(2)
model.fit(2, batches, batches, callbacks=[LossMonitor(), Talk()], dataset_sink_mode=False)
print(sorted(model.eval(batches)))
data.save(sys.argv[1])
assert type(sys.stdout).__module__ != progress.__name__
print("end")
"""


def screen_of(text):
    """Returns the lines that a terminal shows after it has received a text."""
    lines = []
    for line in text.replace("\r\n", "\n").split("\n"):
        shown = ""
        for part in line.split("\r"):
            shown = part + shown[len(part) :]
        lines.append(shown.rstrip())
    return lines


def on_terminal(tmp_path, code, **variables):
    """Returns the text that a script writes to a pseudo-terminal, its stdout and stderr."""
    pty = pytest.importorskip("pty")
    parent, child = pty.openpty()
    script = tmp_path / "script.py"
    script.write_text(code)
    running = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / f"saved{len(variables)}")],
        stdin=subprocess.DEVNULL,
        stdout=child,
        stderr=child,
        env={**os.environ, "TERM": "xterm", **variables},
    )
    os.close(child)
    parts = []
    try:
        while part := os.read(parent, 1 << 16):
            parts.append(part)
    except OSError:  # Linux ends a closed terminal so
        pass
    os.close(parent)
    assert running.wait(60) == 0, b"".join(parts).decode()
    return b"".join(parts).decode()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
def test_a_bar_leaves_the_text_on_a_terminal_as_it_is_without_one(tmp_path):
    without = on_terminal(tmp_path, SCRIPT, MINDSPORE_COMPAT_PROGRESS="0")
    text = on_terminal(tmp_path, SCRIPT)
    assert "\r" not in without.replace("\r\n", "")
    assert without.count("loss is") == without.count("a part, a line") == 8
    for shown in ("Epoch 1/2  12% [===  ", "1/8 steps", "Epoch 2/2 100%", "Evaluation  25%"):
        assert shown in text, text
    assert "Saving saved0 100%" in text and "8/8 rows" in text
    assert screen_of(text) == screen_of(without)


def test_without_a_terminal_nothing_is_written(capfd, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.bar("Training", 2) as bar:
        bar.advance()
    assert bar.count == 1 and capfd.readouterr() == ("", "")


class Recorded:
    """A screen that keeps what it shows."""

    def __init__(self):
        self.texts = shown
        self.texts.append("open")

    def show(self, text):
        self.texts.append(text)

    def close(self, text):
        self.texts += [text, "close"]


shown = []


@pytest.fixture
def texts(monkeypatch):
    shown.clear()
    monkeypatch.setattr(progress, "_screen", lambda: Recorded)
    monkeypatch.setattr(progress, "DELAY", 0)
    monkeypatch.setattr(progress, "INTERVAL", 0)
    return shown


def test_the_innermost_bar_is_drawn_and_errors_close_the_screen(texts):
    with pytest.raises(KeyError), progress.bar("outer", 4, "files") as outer:
        outer.advance()
        with progress.bar("inner", unit="rows") as inner:
            inner.advance(1500)
            outer.advance()
        raise KeyError
    starts = [text[:5] for text in texts]
    assert starts == ["open", "outer", "inner", "outer", "outer", "close"]
    assert "1/4 files" in texts[1] and "1,500 rows" in texts[2] and "2/4 files" in texts[3]
    assert progress._bars == progress._screens == []


def test_rows_are_counted_as_they_arrive_and_not_when_they_are_written(texts, tmp_path):
    """A slow source shows its bar before the first block of rows is written."""
    arrived = []

    def rows():
        for number in range(3):
            arrived.append(len(texts))
            yield (np.int32(number),)

    ms.dataset.GeneratorDataset(rows, ["a"]).save(str(tmp_path / "a.mindrecord"))
    assert arrived[0] < arrived[1] < arrived[2] and "3 rows" in texts[-2]


def test_a_bar_waits_before_it_appears_and_between_drawings(texts, monkeypatch):
    now = [0.0]
    monkeypatch.setattr(progress.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(progress, "DELAY", 1)
    monkeypatch.setattr(progress, "INTERVAL", 0.5)
    with progress.bar("Training", 10) as bar:
        for now[0] in (0.5, 0.9, 1.0, 1.2, 1.6):
            bar.advance()
    assert [text[:40] for text in texts[1:3]] == [
        "Training  30% [=======                 ]",
        "Training  50% [============            ]",
    ]
    assert texts[1].endswith("3/10 steps, 3.0/s, 0:02 left")


def test_a_notebook_shows_one_output_that_is_replaced(monkeypatch):
    class Output:
        def update(self, data, raw):
            outputs.append((data, raw))

    def display(data, raw, display_id):
        outputs.append((data, display_id))
        return Output()

    outputs = []
    ipython = types.ModuleType("IPython")
    ipython.display = types.ModuleType("IPython.display")
    ipython.display.display = display
    ipython.get_ipython = lambda: types.SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", ipython.display)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.bar("Training", 1) as bar:
        bar.advance()
    assert outputs[0] == ({"text/plain": ""}, True)
    assert [data["text/plain"][:13] for data, _ in outputs[1:]] == ["Training 100%"] * 2
    monkeypatch.setenv(progress.VARIABLE, "0")
    assert progress._screen() is None
