"""Whole scripts, run by real MindSpore and by this package, print the same.

Times are masked; other numbers may differ in their last digits.
"""

import math
import re
import subprocess
import sys

import pytest

BEGINNING = """
import os, sys
import numpy as np
import mindspore as ms
import mindspore.dataset as ds
from mindspore import nn, Tensor
from mindspore.train import (Accuracy, Callback, CheckpointConfig, EarlyStopping, History,
    LambdaCallback, LearningRateScheduler, Loss, LossMonitor, MAE, Model, ModelCheckpoint,
    ReduceLROnPlateau, TimeMonitor)
ms.set_context(mode=ms.PYNATIVE_MODE)

class SquaredError(nn.Cell):
    def construct(self, x, y):
        return ((x - y) * (x - y)).mean()

def data(count=8, seed=0):
    r = np.random.RandomState(seed)
    rows = {"x": r.randn(count, 4).astype(np.float32), "y": r.randn(count, 3).astype(np.float32)}
    return ds.NumpySlicesDataset(rows, shuffle=False).batch(2)

def model(rate=0.1, **options):
    net = nn.Dense(4, 3)
    net.weight.set_data(Tensor((np.arange(12).reshape(3, 4) / 10 - 0.5).astype(np.float32)))
    net.bias.set_data(Tensor(np.zeros(3, np.float32)))
    optimizer = nn.Momentum(net.trainable_params(), rate, 0.9)
    return Model(net, SquaredError(), optimizer, **options)

HOOKS = [f"on_{kind}_{time}" for kind in ("train", "eval")
         for time in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")]

class Teller(Callback):
    def __init__(self):
        self.seen = set()
    def __enter__(self):
        print("enter")
        return self
    def __exit__(self, *err):
        print("exit", err[0])

def hook(name):
    def call(self, run_context):
        told = run_context.original_args()
        new, self.seen = sorted(set(told) - self.seen), self.seen | set(told)
        print(name, told.get("mode"), told.get("cur_epoch_num"), told.get("cur_step_num"),
              told.get("epoch_num"), told.get("batch_num"), told.get("dataset_sink_mode"), new)
    return call

for name in HOOKS:
    setattr(Teller, name, hook(name))
"""

STORIES = {
    "train": "model().train(2, data(), [Teller(), LossMonitor(), TimeMonitor()])",
    "sink": "model().train(2, data(), [Teller(), LossMonitor(2)], dataset_sink_mode=True, "
    "sink_size=3)",
    "later": "model().train(3, data(), [Teller(), LossMonitor(3)], initial_epoch=1)",
    "eval": "print({k: float(v) for k, v in model(metrics={'mae': MAE(), 'loss': Loss()})"
    ".eval(data(), [Teller(), LossMonitor(), TimeMonitor(data_time=True)]).items()})",
    "fit": "model(metrics={'mae': MAE(), 'loss': Loss()}).fit(3, data(), data(6, 1), 2, "
    "[Teller(), LossMonitor(), TimeMonitor(), History()])",
    "stop": """
class Stop(Callback):
    def on_train_step_end(self, run_context):
        if run_context.original_args().cur_step_num == 2:
            run_context.request_stop()
model().train(3, data(), [Stop(), Teller()])""",
    "failure": """
class Fail(Callback):
    def on_train_step_end(self, run_context):
        raise ZeroDivisionError
try:
    model().train(3, data(), [Teller(), Fail()])
except ZeroDivisionError:
    print("failed")""",
    "history": """
history = History()
model(metrics={'mae': MAE()}).fit(4, data(), data(6, 1), 2, history)
print(history.epoch, {k: [float(each) for each in v] for k, v in history.history.items()})""",
    "rates": """
def halve(rate, step):
    print(type(rate).__name__, rate, step)
    return rate / 2
model().train(1, data(), LearningRateScheduler(halve))""",
    "early": """
for options in ({}, {"patience": 1}, {"monitor": "loss", "patience": 1, "min_delta": 0.2},
                {"monitor": "mae", "mode": "max", "patience": 2, "restore_best_weights": True}):
    it = model(0.4, metrics={'mae': MAE()})
    it.fit(8, data(), data(6, 1), callbacks=[EarlyStopping(verbose=True, **options)])
    print(it.predict_network.weight.asnumpy().sum())""",
    "plateau": """
for options in ({"patience": 1}, {"patience": 0, "cooldown": 1, "factor": 0.5},
                {"monitor": "mae", "mode": "max", "patience": 1, "min_lr": 0.01}):
    it = model(0.4, metrics={'mae': MAE()})
    it.fit(8, data(), data(6, 1), callbacks=[ReduceLROnPlateau(verbose=True, **options)])
    print(it.predict_network.weight.asnumpy().sum())""",
    "lambda": "model(metrics={'mae': MAE()}).fit(2, data(), data(), callbacks=LambdaCallback(**{"
    "name: lambda run_context, name=name: print(name) for name in HOOKS}))",
    "files": """
for prefix, config in (("a", {}), ("a", {"save_checkpoint_steps": 3}), ("b", {
        "save_checkpoint_steps": 3, "keep_checkpoint_max": 2}), ("c", {
        "keep_checkpoint_max": 0, "keep_checkpoint_per_n_minutes": 1}), ("d", {
        "async_save": True, "append_info": ["epoch_num", {"lr": 0.5}]})):
    callback = ModelCheckpoint(prefix, "files", CheckpointConfig(**config))
    model().train(2, data(), callback)
    print(sorted(os.listdir("files")), os.path.basename(callback.latest_ckpt_file_name))
found = ms.load_checkpoint("files/d-2_4.ckpt")
print({name: value.asnumpy().tolist() for name, value in found.items()})""",
    "breakpoint": """
class Fail(Callback):
    def on_train_step_begin(self, run_context):
        if run_context.original_args().cur_step_num == 3:
            raise ZeroDivisionError
saving = ModelCheckpoint("a", "files", CheckpointConfig(2, exception_save=True))
try:
    model().train(2, data(), [saving, Fail()])
except ZeroDivisionError:
    print(sorted(os.listdir("files")))""",
}

NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def parts(text):
    """The printed text without times and numbers, and the numbers."""
    text = re.sub(r"time: [\d.]+ ms", "time: # ms", text)
    return NUMBER.sub("#", text), [float(each) for each in NUMBER.findall(text)]


@pytest.mark.parametrize("name", STORIES)
def test_the_same_is_printed(name, oracle, tmp_path):
    story = BEGINNING + STORIES[name]
    folder = tmp_path / "ours"
    folder.mkdir()
    standin = "from mindspore_compat import standin\nstandin.install()\n"
    done = subprocess.run(
        [sys.executable, "-c", standin + story],
        cwd=folder,
        text=True,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    ours, our_numbers = parts(done.stdout)
    theirs, their_numbers = parts(oracle(story))
    assert ours == theirs
    assert all(
        math.isclose(a, b, rel_tol=1e-4, abs_tol=1e-5)
        for a, b in zip(our_numbers, their_numbers, strict=True)
    )
