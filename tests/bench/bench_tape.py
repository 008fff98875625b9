"""Times a chain of 100 small operators, forward and backward, in microseconds per operator, against
hand-written NumPy.

Run `python tests/bench/bench_tape.py`.
"""

import statistics
import timeit

import numpy

from mindspore_compat import Tensor, grad

LENGTH, ROUNDS, CALLS = 100, 15, 20


def chain(x, w):
    for _ in range(LENGTH // 2):
        x = x * w
        x = x + w
    return x


def by_hand(x, w):
    """Computes the same chain, and returns its gradient with respect to `x`."""
    outs = []
    for _ in range(LENGTH // 2):
        outs.append(x)
        x = x * w
        x = x + w
    g = numpy.ones_like(x)
    for _ in outs:
        g = g * w
    return g


def main():
    x, w = Tensor(numpy.ones((4, 4), numpy.float32)), Tensor(numpy.full((4, 4), 0.9, numpy.float32))
    a, b = x.asnumpy(), w.asnumpy()
    gradient = grad(chain)
    cases = {
        "forward": lambda: chain(x, w),
        "forward and back": lambda: gradient(x, w),
        "by hand": lambda: by_hand(a, b),
    }
    times = {name: [] for name in cases}
    for _ in range(ROUNDS):
        for name, call in cases.items():
            times[name].append(timeit.timeit(call, number=CALLS) / CALLS / LENGTH * 1e6)
    for name, found in times.items():
        print(f"{name:18s} {statistics.median(found):6.2f} us per op")


if __name__ == "__main__":
    main()
