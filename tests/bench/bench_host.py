"""Times the package's selection, order statistics, scatter additions and casts against NumPy's.

Run `python tests/bench/bench_host.py`. The columns are microseconds for arrays of shape (256,
1024): NumPy's, the package's, measured in turns, and their ratio.
"""

import statistics
import timeit

import numpy as np

from mindspore_compat._backend import arrays

ROUNDS, CALLS = 15, 3
SHAPE = (256, 1024)


def _stable(x, k):
    order = np.argsort(-x, axis=-1, kind="stable")[:, :k]
    return np.take_along_axis(x, order, -1), order


def _added(x, index, values):
    out = x.copy()
    np.add.at(out, index, values)
    return out


def cases():
    """Returns {name: (NumPy's way, the package's)}."""
    xp, random = arrays.HOST, np.random.default_rng(0)
    x, y = random.standard_normal((2, *SHAPE)).astype(np.float32)
    mask, zero, tiny = x > 0, np.zeros((), np.float32), x * np.float32(1e-6)
    half, small = x.astype(np.float16), tiny.astype(np.float16)
    rows, whole = random.integers(0, 256, 512), random.integers(0, 1000, SHAPE[0] * SHAPE[1])
    values = random.standard_normal((512, SHAPE[1])).astype(np.float32)
    return {
        "where": (lambda: np.where(mask, x, y), lambda: xp.where(mask, x, y)),
        "keep": (lambda: np.where(mask, x, zero), lambda: xp.keep(mask, x)),
        "at_least": (lambda: np.maximum(x, zero), lambda: xp.at_least(x, zero)),
        "top_k": (lambda: _stable(x, 10), lambda: xp.top_k(x, 10)),
        "index_of_rank": (
            lambda: np.argsort(x, axis=-1, kind="stable")[:, 511:512],
            lambda: xp.index_of_rank(x, -1, rank=511),
        ),
        "distinct": (lambda: np.unique(whole, True, True), lambda: xp.distinct(whole)),
        "scatter_add": (lambda: _added(x, rows, values), lambda: xp.scatter_add(x, rows, values)),
        "to float16": (lambda: x.astype(np.float16), lambda: xp.cast(x, np.float16)),
        "to float16, tiny": (lambda: tiny.astype(np.float16), lambda: xp.cast(tiny, np.float16)),
        "to float32": (lambda: half.astype(np.float32), lambda: xp.cast(half, np.float32)),
        "to float32, tiny": (lambda: small.astype(np.float32), lambda: xp.cast(small, np.float32)),
    }


def main():
    for name, ways in cases().items():
        times = [[], []]
        for _ in range(ROUNDS):
            for found, way in zip(times, ways):
                found.append(timeit.timeit(way, number=CALLS) / CALLS * 1e6)
        theirs, own = map(statistics.median, times)
        print(f"{name:18s} {theirs:9.0f} {own:9.0f}  {own / theirs:.2f}")


if __name__ == "__main__":
    main()
