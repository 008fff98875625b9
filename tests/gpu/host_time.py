"""Host time of a launch, by kind, on a machine without a GPU.

    python -m tests.cuda_on_host -m tests.gpu.host_time

The launches go to a stream that is being captured, so that no kernel runs, and the replayed graph
is replaced by one that does nothing. The rest is the time of Python, CuPy and the simulated driver.
`raw` is the time of CuPy alone for such a launch. A recorded call runs under a gradient, and its
backward pass is counted, too.
"""

import argparse
import contextlib
import functools
import gc
import json
import pathlib
import statistics
import sys
import time

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]
REPEATS, CALLS = 9, 300


def calls():
    """Returns name -> a function that makes one launch."""
    import mindspore_compat as ms
    from mindspore_compat import nn, ops
    from mindspore_compat._backend import arrays

    ms.set_context(device_target="GPU")
    cupy = arrays.current_space().module
    x = ms.Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8))
    raw, weight = x._array, ms.Tensor(np.eye(8, dtype=np.float32))
    low, half = x.astype(ms.bfloat16), x.astype(ms.float16)
    norm = nn.LayerNorm((8,))
    kernel = cupy.ElementwiseKernel("float32 x", "float32 y", "y = x + 1", "plus_one")
    return {
        "raw: cupy.add": lambda: cupy.add(raw, raw),
        "raw: ElementwiseKernel": lambda: kernel(raw),
        "raw: cupy.sum": lambda: cupy.sum(raw, 1),
        "add": lambda: x + x,
        "add a number": lambda: x + 1.5,
        "exp": lambda: ops.exp(x),
        "add, float16": lambda: half + half,
        "add, bfloat16": lambda: low + low,
        "gelu, a fused body": lambda: ops.gelu(x),
        "softmax, a row kernel": lambda: ops.softmax(x),
        "layer norm, a row kernel": lambda: norm(x),
        "sum": lambda: ops.sum(x, 1),
        "product": lambda: ops.matmul(x, weight),
    }


def tasks():
    """Returns name -> (a function that makes `CALLS` launches or more, how many it makes)."""
    import mindspore_compat as ms
    from mindspore_compat import ops

    found = {name: (_repeated(call), CALLS) for name, call in calls().items()}
    x = ms.Tensor(np.linspace(-1, 1, 32, dtype=np.float32).reshape(4, 8))
    low = x.astype(ms.bfloat16)
    recorded = {"add": lambda y: y + x, "add, bfloat16": lambda y: y + low, "exp": ops.exp}
    for name, function in recorded.items():
        start = low if "bfloat16" in name else x
        found[f"{name}, recorded, and back"] = _recorded(function, start), CALLS
    found["replay of a step of LeNet-5"] = _replays(), CALLS
    return found


def _repeated(call):
    call()  # compiles the kernel

    def run():
        with _captured():
            for _ in range(CALLS):
                call()

    return run


@functools.cache
def _stream():
    """Returns the stream of all captures; its workspace for products is allocated once."""
    import cupy

    return cupy.cuda.Stream(non_blocking=True)


@contextlib.contextmanager
def _captured():
    """While the block runs, captures the launches without running them."""
    stream = _stream()
    with stream:
        stream.begin_capture()
        try:
            yield
        finally:
            stream.end_capture()


def _recorded(function, x):
    import mindspore_compat as ms

    def chain(y):
        for _ in range(CALLS):
            y = function(y)
        return y

    ones = ms.ops.zeros_like(x)
    _, pull = ms.vjp(function, x)
    pull(ones)

    def run():
        with _captured():
            _, pull = ms.vjp(chain, x)
            pull(ones)

    return run


def _replays():
    import mindspore_compat as ms
    from mindspore_compat import nn
    from mindspore_compat._backend.steps import cuda_graph
    from tests.gpu import networks

    network, data, labels = networks.made("LeNet-5")
    network.set_train()
    optimizer = nn.Momentum(network.trainable_params(), 0.01, 0.9)
    step = nn.TrainOneStepCell(network, optimizer)
    ms.set_context(mode=ms.GRAPH_MODE)
    for _ in range(4):
        step(data, labels)
    (capture,) = [one for one in gc.get_objects() if type(one) is cuda_graph.Capture]
    capture._graphs = [(_NoGraph(), function) for _, function in capture._graphs]
    ms.set_context(mode=ms.PYNATIVE_MODE)

    def run():
        ms.set_context(mode=ms.GRAPH_MODE)
        for _ in range(CALLS):
            step(data, labels)
        ms.set_context(mode=ms.PYNATIVE_MODE)

    return run


class _NoGraph:
    """Stands in for a captured graph."""

    def launch(self):
        """Does nothing."""


def measure():
    """Returns microseconds of processor time per call, the median of several runs, by name."""
    found = {}
    for name, (run, count) in tasks().items():
        run()
        times = []
        for _ in range(REPEATS):
            start = time.process_time()
            run()
            times.append((time.process_time() - start) / count * 1e6)
        found[name] = statistics.median(times)
    return found


def main(arguments=None):
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", type=pathlib.Path, help="a file for the figures, too")
    options = parser.parse_args(arguments)
    found = measure()
    for name, micros in found.items():
        print(f"{name:36} {micros:8.1f} us")
    if options.json:
        options.json.write_text(json.dumps(found, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
