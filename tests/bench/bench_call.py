"""The cost of one operator over NumPy in microseconds, plain and recorded, checks included.

Run `python tests/bench/bench_call.py`. The budget for a 4x4 float32 add is +1 unrecorded and +2
recorded.
"""

import statistics
import timeit

import numpy

from mindspore_compat import Tensor, grad, ops

ROUNDS, CALLS = 15, 20000


def compare(cases):
    """Returns the median microseconds of each case, measured in turns so that all see the same
    noise."""
    times = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, call in cases.items():
            times[name].append(timeit.timeit(call, number=CALLS) / CALLS * 1e6)
    return {name: statistics.median(found) for name, found in times.items()}


def live(tensor):
    """Returns a Tensor that is recorded, kept alive outside its gradient."""
    seen = []
    grad(lambda x: seen.append(x) or x)(tensor)
    return seen[0]


def main():
    x, y = Tensor(numpy.ones((4, 4), numpy.float32)), Tensor(numpy.full((4, 4), 2, numpy.float32))
    a, b = x.asnumpy(), y.asnumpy()
    r = live(x)
    found = compare(
        {
            "numpy add": lambda: a + b,
            "ops.add": lambda: ops.add(x, y),
            "x + y": lambda: x + y,
            "recorded ops.add": lambda: ops.add(r, y),
            "recorded x + y": lambda: r + y,
            "numpy a + 1.0": lambda: a + 1.0,
            "x + 1.0": lambda: x + 1.0,
            "recorded x + 1.0": lambda: r + 1.0,
            "numpy tanh": lambda: numpy.tanh(a),
            "ops.tanh": lambda: ops.tanh(x),
            "recorded ops.tanh": lambda: ops.tanh(r),
            "numpy sum": lambda: a.sum(0),
            "ops.sum": lambda: ops.sum(x, 0),
            "recorded ops.sum": lambda: ops.sum(r, 0),
            "numpy reshape": lambda: a.reshape(2, 8),
            "x.reshape": lambda: x.reshape(2, 8),
            "recorded x.reshape": lambda: r.reshape(2, 8),
            "numpy a[0]": lambda: a[0],
            "x[0]": lambda: x[0],
            "recorded x[0]": lambda: r[0],
            "numpy a @ b": lambda: a @ b,
            "x @ y": lambda: x @ y,
            "recorded x @ y": lambda: r @ y,
        }
    )
    base = None
    for name, time in found.items():
        base = time if name.startswith("numpy") else base
        over = "" if name.startswith("numpy") else f"   {time - base:+.2f} over NumPy"
        print(f"{name:20s} {time:7.2f}{over}")


if __name__ == "__main__":
    main()
