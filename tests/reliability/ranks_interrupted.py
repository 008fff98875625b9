"""Interrupts rank 1 at random moments of training steps, on two ranks that train together.

    mpiexec -n 2 python tests/reliability/ranks_interrupted.py COUNT SEED OPTIMIZER MODE

After each interrupt rank 1 continues: it repeats the step unless it has completed it. Either the
ranks have the same weights ("together"), or both get an error that names rank 1 ("refused"), or
rank 1 has broken an exchange off, which ends the job. Rank 0 prints how often each came;
test_ranks.py starts it.
"""

import collections
import json
import random
import sys
import time

import numpy as np
from kit.interrupts import stop_after
from kit.trainings import OPTIMIZERS, network

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn
from mindspore_compat._backend.ranks import endings
from mindspore_compat.mint import distributed as dist

count, seed, kind, mode = sys.argv[1:]
communication.init()
RANK = communication.get_rank()
ms.set_context(mode=ms.GRAPH_MODE if mode == "graph" else ms.PYNATIVE_MODE)
ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
rng = np.random.default_rng(RANK)
x, y = (Tensor(rng.normal(size=(8, width)).astype(np.float32)) for width in (3, 2))


def begun():
    """A network and its training step, after a first call."""
    net = network()
    optimizer = OPTIMIZERS[kind](net.trainable_params())
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer).set_train()
    for _ in range(5):  # in graph mode the next step is a replay
        start = time.perf_counter()
        step(x, y)
        seconds = time.perf_counter() - start
    return net, lambda: step(x, y), seconds


def weights(net):
    return b"".join(p.asnumpy().tobytes() for p in net.trainable_params())


def interrupted(net, step, seconds):
    """Interrupts one step on rank 1, then takes another step; returns the outcome."""
    before, error = weights(net), None
    try:
        if RANK == 0:
            step()
        elif stop_after(seconds, step) and weights(net) == before:
            step()
        step()
    except RuntimeError as refusal:
        error = str(refusal)
    if endings.counts[endings.BROKEN] or "Rank 1 has ended" in str(error):
        return "broken off"
    if error is not None:
        assert "undone a training step of rank 1" in error, error
        endings.Exchanges.undone = False  # as if the job had started again
        endings.counts.clear()
    found = [None] * 2
    try:
        dist.all_gather_object(found, (error, weights(net)))
    except RuntimeError as refusal:
        assert "Rank 1 has ended" in str(refusal), refusal
        return "broken off"
    if error is None:
        assert found[0] == found[1], [text for text, _ in found]
        return "together"
    assert found[0][0] == found[1][0]
    return "refused"


outcome, outcomes, draw = "refused", collections.Counter(), random.Random(int(seed))
for _ in range(int(count)):
    if outcome == "refused":
        net, step, seconds = begun()
    outcome = interrupted(net, step, draw.uniform(0, seconds))
    outcomes[outcome] += 1
    if outcome == "broken off":
        break
if RANK == 0:
    print(json.dumps(outcomes))
