"""Raises KeyboardInterrupt at random moments of training steps, and counts those left half done.

    python tests/reliability/interrupted.py --each 4 --seed 1

runs every step of kit/trainings.py with every optimizer in both modes, interrupts it `--each`
times, and prints each step that an interrupt left half done, then the number of interrupts. Then it
interrupts a `Model.train` of several steps. It must end between two steps and leave no thread, no
process and no damaged checkpoint. With `--loops`, updates of every size use compiled loops. The
exit status is 1 if anything was wrong.
"""

import argparse
import contextlib
import io
import itertools
import multiprocessing
import os
import pathlib
import sys
import tempfile
import threading
import time
from functools import partial

sys.path[:0] = map(str, pathlib.Path(__file__).resolve().parents[:3])
if "--loops" in sys.argv:
    os.environ["MINDSPORE_COMPAT_COMPILE"] = "wait"

from kit.interrupts import State, half_changed, random_moments  # noqa: E402
from kit.trainings import OPTIMIZERS, STEPS, STEPS_OF_THEIR_OWN, Training  # noqa: E402

import mindspore_compat as ms  # noqa: E402
from mindspore_compat._backend.thresholds import Least  # noqa: E402

MODES = {"PyNative": ms.PYNATIVE_MODE, "graph": ms.GRAPH_MODE}


def cases():
    """{name: a function that returns a step and the Tensors that it may change}."""
    found = {
        f"{kind}, {name}": lambda kind=kind, name=name: STEPS[kind](OPTIMIZERS[name])
        for kind in STEPS
        for name in OPTIMIZERS
    }
    return found | STEPS_OF_THEIR_OWN


def interrupted(make, each, seed):
    """(interrupts, those that left the step half done) of one case."""
    step, tensors = make()
    for _ in range(4):  # in graph mode the next step is a replay
        step()
    stopped = []

    def counted(stop, function):
        stopped.append(stop(function))
        return stopped[-1]

    stops = [partial(counted, stop) for stop in random_moments(step, each, seed)]
    _, wrong = half_changed(step, tensors, stops)
    return sum(stopped), wrong


TRAININGS = {
    "Model.train": {},
    "Model.train, sink": {"sink": True},
    "Model.train, threads": {"workers": 2},
    "Model.train, processes": {"workers": 2, "processes": True},
}


def interrupted_training(each, seed, **options):
    """(interrupts, what was wrong after them) of a training of a Model."""
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        training = Training(pathlib.Path(folder), **options)
        training.train()
        state = State(training.tensors)
        first, course = training.steps(), [state.values()]
        for count in range(1, training.STEPS + 1):
            state.restore(course[0])
            training.train(count)
            course.append(state.values())
        wrong, interrupts = [], 0
        for stop in random_moments(training.train, each, seed):
            state.restore(course[0])
            try:
                interrupts += stop(training.train)
            except RuntimeError as error:  # of Python's Condition, see test_interrupts_data.py
                if "release un" not in str(error):
                    raise
                interrupts += 1
            done = training.steps() - first
            if found := state.differences(course[done]):
                wrong.append((stop.args, done, found))
            wrong += [(stop.args, left) for left in leftovers()]
            for path in pathlib.Path(folder).glob("*.ckpt"):
                ms.load_checkpoint(str(path))
    return interrupts, wrong


def leftovers(seconds=20):
    """The worker threads and processes of this process that have not ended after some time."""
    until = time.monotonic() + seconds
    while True:
        found = [thread for thread in threading.enumerate() if " worker " in thread.name]
        found += filter(_exists, multiprocessing.active_children())
        if not found or time.monotonic() > until:
            return found
        time.sleep(0.02)


def _exists(process):
    """False if the process has already been reaped; Python overlooks that if an interrupt came
    meanwhile."""
    try:
        os.kill(process.pid, 0)
    except ProcessLookupError:
        return False
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--each", type=int, default=4, help="interrupts of each step (4)")
    parser.add_argument("--seed", type=int, default=0, help="draws the moments (0)")
    parser.add_argument("--loops", action="store_true", help="compiled loops for every size")
    parser.add_argument("names", nargs="*", help="parts of the names of steps; all by default")
    options = parser.parse_args()
    if options.loops:
        Least.UPDATE = 0
    tries = {name: partial(interrupted, make) for name, make in cases().items()}
    tries |= {name: partial(interrupted_training, **how) for name, how in TRAININGS.items()}
    total = half = 0
    for name, mode in itertools.product(tries, MODES):
        if options.names and not any(part in name for part in options.names):
            continue
        ms.set_context(mode=MODES[mode])
        count, wrong = tries[name](options.each, options.seed)
        total, half = total + count, half + len(wrong)
        for found in wrong:
            print(f"{name}, {mode}: {found}", flush=True)
    print(f"{total} interrupts, {half} of them left something half done or behind")
    return 1 if half else 0


if __name__ == "__main__":
    sys.exit(main())
