"""Counts the work of a training step on a device; measures its time there and on the CPU."""

import contextlib
import time

import conftest
import numpy as np
from fakecupy import memory

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._backend import arrays

from . import counters, networks, steps

REPEATS = 20


def counts(stand_in):
    """Counts one step of each network: {"device": ..., "networks": name -> part -> figures}.

    A real GPU has no counters; the step then runs on the stand-in, too.
    """
    simulated = counters.SIMULATED and not stand_in
    with contextlib.nullcontext() if simulated else conftest.standing_in():
        target = arrays._target
        arrays.set_target("GPU")
        try:
            return {
                "device": "CuPy" if simulated else "the stand-in",
                "networks": {name: _counts_of(name) for name in networks.NAMES},
            }
        finally:
            arrays.set_target(target)


def _counts_of(name):
    return {**_figures(steps.counts_of(name)), "captured": steps.replayed(name).figures()}


def peak_bytes(recompute, width=64, size=224, batch=1):
    """Returns the peak memory in bytes of a training step of ResNet-50, without weights and
    optimizer states."""
    with conftest.standing_in():
        network = networks.ResNet50(width, recompute=recompute)
        loss = nn.WithLossCell(network, nn.CrossEntropyLoss()).set_train()
        step = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
        data = ms.Tensor(np.ones((batch, 3, size, size), np.float32))
        labels = ms.Tensor(np.zeros(batch, np.int32))
        step(data, labels)
        with memory.tracked() as usage:
            step(data, labels)
        return usage.peak


def peaks():
    """Returns `peak_bytes` of one image of 224 x 224, as it is and with `recompute`."""
    return {"ResNet-50": peak_bytes(False), "ResNet-50, recompute": peak_bytes(True)}


def _figures(found):
    forward, backward = steps.per_layer(found)
    parts = ("forward", "forward and backward", "update", "step")
    return {
        "layers": found["layers"],
        "parameters": found["parameters"],
        "forward launches of a layer": round(forward, 2),
        "backward launches of a layer": round(backward, 2),
        **{part: found[part].figures() for part in parts},
    }


def times(stand_in):
    """Returns the milliseconds of a step of each network: name -> {"GPU": ..., "CPU": ...}. Returns
    None on the stand-in, whose times mean nothing."""
    if stand_in:
        return None
    return {
        name: {target: _time(name, target) for target in ("GPU", "CPU")} for name in networks.NAMES
    }


def _time(name, target):
    arrays.set_target(target)
    network, data, labels = networks.made(name, small=False)
    network.set_train()
    step = nn.TrainOneStepCell(network, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    for _ in range(3):
        step(data, labels)
    arrays.synchronize()
    start = time.perf_counter()
    for _ in range(REPEATS):
        step(data, labels)
    arrays.synchronize()
    arrays.set_target("CPU")
    return round((time.perf_counter() - start) / REPEATS * 1e3, 3)
