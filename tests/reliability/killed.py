"""Trainings killed at random moments; run as a program with a folder, a number of rounds and a
seed.

In each round a process saves checkpoints as fast as it can in one of five ways. It is killed, the
folder is inspected, and another checkpoint is saved as the next process would. The output and the
exit code give the findings. Each round forks a process, so that the package is imported once.
"""

import fcntl
import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
from train.runs import At, Descent, batches

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.train import CheckpointConfig, Model, ModelCheckpoint, OnRequestExit

SIZE = 1 << 16  # float32 numbers of each of two parameters


class Pair(nn.Cell):
    """A network of two parameters. In a valid checkpoint, all elements have the same value."""

    def __init__(self):
        super().__init__()
        self.first = Parameter(Tensor(np.zeros(SIZE, np.float32)), name="first")
        self.second = Parameter(Tensor(np.zeros(SIZE, np.float32)), name="second")

    def fill(self, run_context):
        step = np.full(SIZE, run_context.original_args().cur_step_num, np.float32)
        self.first.set_data(Tensor(step))
        self.second.set_data(Tensor(step))


def trained(folder, epochs, **config):
    """A training that saves after each step."""
    pair = Pair()
    saving = ModelCheckpoint("A", str(folder), CheckpointConfig(saved_network=pair, **config))
    Model(Descent()).train(epochs, batches(4), [At(on_train_step_begin=pair.fill), saving])


def ended(folder, epochs):
    """Trains with OnRequestExit and sends SIGTERM in the first step, so that it saves again and
    again."""
    pair = Pair()
    ask = At(
        on_train_step_begin=pair.fill,
        on_train_step_end=lambda run_context: os.kill(os.getpid(), signal.SIGTERM),
    )
    for _ in range(epochs):
        leaving = OnRequestExit(save_mindir=False, file_name="A", directory=str(folder))
        leaving._load = lambda network, paths: None
        leaving._save = lambda network, path: OnRequestExit._save(leaving, pair, path)
        Model(Descent()).train(1, batches(1), [ask, leaving])


WAYS = [
    lambda folder, epochs: trained(folder, epochs, keep_checkpoint_max=1),
    lambda folder, epochs: trained(
        folder, epochs, keep_checkpoint_max=0, keep_checkpoint_per_n_minutes=1
    ),
    lambda folder, epochs: trained(folder, epochs, keep_checkpoint_max=1, async_save="thread"),
    lambda folder, epochs: trained(folder, epochs, keep_checkpoint_max=1, async_save="process"),
    ended,
]


def checkpoints(folder):
    return sorted(folder.rglob("*.ckpt"))


def problems(folder):
    """The faults of the checkpoints in a folder."""
    found = checkpoints(folder)
    if not found:
        yield "there is none"
    for path in found:
        try:
            values = ms.load_checkpoint(str(path))
        except ValueError as error:
            yield str(error)
            continue
        if len(np.unique([values[name].asnumpy() for name in ("first", "second")])) != 1:
            yield f"{path} is torn"


def killed(folder, train, delay):
    """Kills a training, and its processes, `delay` seconds after its first checkpoint."""
    ends, alive = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        try:
            train(folder, 10**6)
        finally:
            os._exit(1)
    os.close(alive)
    end = time.monotonic() + 60
    while not checkpoints(folder) and time.monotonic() < end:
        time.sleep(0.001)
    time.sleep(delay)
    os.killpg(child, signal.SIGKILL)
    os.read(ends, 1)  # until no process of the training can open another file
    os.close(ends)
    for left in folder.rglob("*.tmp"):
        with open(left, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # until the system has closed its files
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def main(folder, rounds, seed):
    draw, left, wrong = random.Random(seed), 0, []
    for number in range(rounds):
        target, train = folder / str(number), WAYS[number % len(WAYS)]
        target.mkdir()
        if killed(target, train, draw.uniform(0, 0.03)) != -signal.SIGKILL:
            wrong.append(f"round {number}: the training ended by itself")
        wrong += [f"round {number}: {each}" for each in problems(target)]
        left += any(target.rglob("*.tmp"))
        train(target, 1)
        wrong += [f"round {number}: {path} stays" for path in target.rglob("*.tmp")]
        wrong += [f"round {number}, later: {each}" for each in problems(target)]
        shutil.rmtree(target)
    print(f"{rounds} kills, {left} of them left a temporary file", *wrong, sep="\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))
