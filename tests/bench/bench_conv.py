"""Times convolution and pooling against naive implementations; prints one table.

Run `python tests/bench/bench_conv.py`. Times are processor milliseconds of the fastest of several
runs on one thread. The naive columns are a loop over kernel positions with `tensordot`
(convolution) and a maximum over a strided window view (pooling). Nothing is asserted.
"""

import os
import time

for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # both halve the speed of matrix products
    os.environ.pop(name, None)
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np  # noqa: E402  (the variables above are read when it loads)

from mindspore_compat._backend.conv import convolution, pooling  # noqa: E402

# name: input, weights, stride, padding, groups
CONVOLUTIONS = {
    "LeNet c1": ((32, 1, 32, 32), (6, 1, 5, 5), 1, 0, 1),
    "LeNet c2": ((32, 6, 14, 14), (16, 6, 5, 5), 1, 0, 1),
    "7x7 stride 2, 224": ((16, 3, 224, 224), (64, 3, 7, 7), 2, 3, 1),
    "3x3, 64 at 56": ((8, 64, 56, 56), (64, 64, 3, 3), 1, 1, 1),
    "3x3, 128 at 28": ((8, 128, 28, 28), (128, 128, 3, 3), 1, 1, 1),
    "3x3 stride 2, 64 at 56": ((8, 64, 56, 56), (128, 64, 3, 3), 2, 1, 1),
    "1x1, 256 at 14": ((16, 256, 14, 14), (256, 256, 1, 1), 1, 0, 1),
    "depthwise 3x3, 96 at 56": ((8, 96, 56, 56), (96, 1, 3, 3), 1, 1, 96),
}
POOLS = {
    "2x2, 64 at 56": ((16, 64, 56, 56), 2, 2, 0),
    "3x3 stride 2, 64 at 112": ((8, 64, 112, 112), 3, 2, 1),
}


def fastest(function, runs=7):
    """Returns the processor milliseconds of the fastest of `runs` calls."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function()
        times.append(time.process_time() - start)
    return min(times) * 1e3


def naive_convolution(x, w, stride, pad, groups):
    """Convolves with one `tensordot` (or product, if depthwise) for each kernel position."""
    x = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    high = (x.shape[2] - w.shape[2]) // stride + 1
    wide = (x.shape[3] - w.shape[3]) // stride + 1
    total = 0
    for i, j in np.ndindex(*w.shape[2:]):
        part = x[
            :, :, i : i + stride * (high - 1) + 1 : stride, j : j + stride * (wide - 1) + 1 : stride
        ]
        if groups == 1:
            total = total + np.tensordot(part, w[:, :, i, j], ([1], [1])).transpose(0, 3, 1, 2)
        else:
            total = total + part * w[:, 0, i, j].reshape(1, -1, 1, 1)
    return total


def bench_convolutions():
    """Prints one row per convolution: forward, both gradients, and the naive forward pass."""
    print(
        f"{'convolution':26}{'forward':>9}{'dx':>9}{'dw':>9}{'GF/s':>7}"
        f"{'naive fwd':>11}{'ratio':>7}"
    )
    for name, (x_shape, w_shape, stride, pad, groups) in CONVOLUTIONS.items():
        rng = np.random.default_rng(0)
        x = rng.standard_normal(x_shape, dtype=np.float32)
        w = rng.standard_normal(w_shape, dtype=np.float32)
        options = ((stride,) * 2, ((pad, pad),) * 2, (1, 1), groups)
        y = convolution.convolve(np, x, w, *options)
        calls = (
            lambda: convolution.convolve(np, x, w, *options),
            lambda: convolution.input_gradient(np, y, w, x.shape, *options),
            lambda: convolution.weight_gradient(np, y, x, w.shape, *options),
        )
        times = [fastest(call) for call in calls]
        naive = fastest(lambda: naive_convolution(x, w, stride, pad, groups), 3)
        work = 6 * y.size * w.size / w_shape[0] / 1e6
        print(
            f"{name:26}"
            + "".join(f"{t:9.2f}" for t in times)
            + f"{work / sum(times):7.0f}{naive:11.2f}{naive / times[0]:7.1f}"
        )


def bench_pools():
    """Prints one row per pool: maximum and average, each with its gradient, and the naive
    maximum."""
    print(
        f"\n{'pool':26}{'max':>9}{'grad':>9}{'average':>9}{'grad':>9}{'naive max':>11}{'ratio':>7}"
    )
    for name, (shape, k, s, p) in POOLS.items():
        x = np.random.default_rng(0).standard_normal(shape, dtype=np.float32)
        options = ((k, k), (s, s), ((p, p),) * 2)
        y = pooling.maximum(np, x, *options, (1, 1))
        times = [
            fastest(call)
            for call in (
                lambda: pooling.maximum(np, x, *options, (1, 1)),
                lambda: pooling.max_gradient(np, y, x, y, *options, (1, 1)),
                lambda: pooling.average(np, x, *options),
                lambda: pooling.average_gradient(np, y, x.shape, *options),
            )
        ]
        wide = np.pad(x, ((0, 0), (0, 0), (p, p), (p, p)), constant_values=-np.inf)
        view = np.lib.stride_tricks.sliding_window_view(wide, (k, k), (2, 3))[:, :, ::s, ::s]
        naive = fastest(lambda: view.max((-2, -1)), 3)
        print(
            f"{name:26}"
            + "".join(f"{t:9.2f}" for t in times)
            + f"{naive:11.2f}{naive / times[0]:7.1f}"
        )


if __name__ == "__main__":
    bench_convolutions()
    bench_pools()
