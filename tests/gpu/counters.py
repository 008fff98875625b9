"""Counts launches, transfers and synchronisations, on the stand-in and on CuPy over the simulated
CUDA. A real GPU has no such counters.

The stand-in counts calls of CuPy by name (tests/fakecupy/counting.py). The simulated CUDA counts
what reaches its libraries: kernels, products, algorithms of CUB and Thrust (sums, sorts), and the
copies and fills within the device.
"""

import contextlib
import importlib.util

from fakecupy import counting

from mindspore_compat._backend import arrays

SIMULATED = importlib.util.find_spec("simulated_cuda") is not None
DEVICES = ["fakecupy", *["cupy"] * SIMULATED]  # whose launches can be counted
LAUNCHES = (
    "launches",
    "matrix_products",
    "convolutions",
    "recurrences",
    "factorizations",
    "transforms",
    "algorithms",
    "fills",
    "device_to_device",
    "graph_launches",
)
EVENTS = {
    "launches": LAUNCHES,
    "allocations": ("allocations",),
    "transfers": ("host_to_device", "device_to_host"),
    "synchronisations": ("synchronizations",),
}
NAMES = {"graph_launches": "graph"}  # events that the stand-in counts under another name


def can_count():
    """Returns True if `counted` can count the work of the current device."""
    return SIMULATED or counting.counts(arrays.current_space())


@contextlib.contextmanager
def counted():
    """Yields the Counts of the device's work while the block runs; empty on the host."""
    if counting.counts(arrays.current_space()) or not SIMULATED:
        with counting.counted() as counts:
            yield counts
        return
    import simulated_cuda

    counts, before = counting.Counts(), simulated_cuda.counters()
    yield counts
    after = simulated_cuda.counters()
    for kind, events in EVENTS.items():
        for event in events:
            if after[event] > before[event]:
                counts.names[kind][NAMES.get(event, event)] = after[event] - before[event]
