"""A one-minute test that a GPU computes the same results as the host. It stops at the first
failure.

    python -m tests.gpu.smoke

Products of each number of axes and dtype, each kernel, all 65,536 numbers of float16, captured
steps bit by bit, 20 steps of LeNet-5. tests/gpu/day.sh runs this first.
"""

import sys
import time

import numpy as np

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.steps import cuda_graph
from mindspore_compat.common._graph_mode.reachable import WARM_UP

from . import test_kernels, test_products
from .host import agree, host, train, twins
from .steps import OPTIMIZERS

REPLAYS = 3


def main():
    """Runs every check; an error ends the process with its traceback."""
    arrays.set_target("GPU")
    for check in (products, kernels, halves, captures, lenet):
        start = time.perf_counter()
        check()
        print(f"{check.__name__:10} {time.perf_counter() - start:6.1f} s", flush=True)


def products():
    """Compares products of two, three and four axes in each dtype, with their gradients."""
    for dtype in test_products.DTYPES:
        for name in ("matrix by matrix", "stack by stack", "stacks of stacks", "conv2d"):
            found = test_products.outcome(name, dtype)
            with host():
                expected = test_products.outcome(name, dtype)
            agree(found, expected)


def kernels():
    """Compares the body of each layer, and the hand-written kernels."""
    for name, make in test_kernels.EVERY_LAYER.items():
        test_kernels.compare(make, test_kernels.shape_of(name), np.float32)
    for make, shape in test_kernels.WINDOWS.values():
        test_kernels.compare(make, shape, np.float32)


def halves():
    """Compares the cast to float32 and the ReLU of every float16 number with NumPy's, including
    subnormal ones."""
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    x = Tensor(every)
    np.testing.assert_array_equal(x.astype(ms.float32).asnumpy(), every.astype(np.float32))
    np.testing.assert_array_equal(ops.relu(x).asnumpy(), np.maximum(every, np.float16(0)))


def captures():
    """Compares captured and replayed steps with ordinary ones, bit by bit."""
    replay, count = cuda_graph.Capture.replay, 0

    def counted(self):
        nonlocal count
        count += 1
        return replay(self)

    cuda_graph.Capture.replay = counted
    steps = WARM_UP + REPLAYS
    eager = train(*twins("LeNet-5")[0], OPTIMIZERS["Momentum"], steps)
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        captured = train(*twins("LeNet-5")[0], OPTIMIZERS["Momentum"], steps)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
        cuda_graph.Capture.replay = replay
    for one, other in zip(captured, eager, strict=True):
        np.testing.assert_array_equal(one, other)
    assert count == REPLAYS, f"{count} of {REPLAYS} steps were replayed"


def lenet():
    """Trains LeNet-5 for twenty steps; losses and parameters must equal the host's."""
    on_device, on_host = twins("LeNet-5")
    with host():
        expected = train(*on_host, OPTIMIZERS["Momentum"], 20)
    agree(train(*on_device, OPTIMIZERS["Momentum"], 20), expected, factor=20)


if __name__ == "__main__":
    sys.exit(main())
