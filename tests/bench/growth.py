"""Measures how cost grows with size: `python -m tests.bench growth`.

Every operator of `operator_table`, with its gradients if it has any, runs at 1, 4, 16 and 64 times
its size. So do training steps by the number of parameters, layers, time steps and rows of a table,
datasets by rows and checkpoints by entries. The table shows the least processor times in ms, the
peak memory in MB, and the exponents of their growth; 1 is proportional to the size. Of the
exponents of the whole range and of its last step, the smaller one is shown, so that neither the
fixed cost of small sizes nor the edge of a cache counts as growth. The end lists the exponents
above 1.15, those in `REASONS` with the reason.
"""

import argparse
import math
import sys
import tempfile
from pathlib import Path

import numpy as np
from operator_table import growing
from operator_worker import measured, peak
from operators import Library

FACTORS = (1, 4, 16, 64)
MOST = 1.15
# Why an operator may grow faster than its elements.
REASONS = {
    "T.matmul(Q, Q)": "n^1.5 multiplications",
    "T.addmm(Q, Q, Q)": "n^1.5 multiplications",
    "T.sort(R, dim=1)[0]": "n log n comparisons",
    "T.sort(x, dim=0)[0]": "n log n comparisons",
    "T.argsort(r)": "n log n comparisons",
    "T.unique(r.reshape(-1).round())": "n log n comparisons",
    "ops.rfft(L)": "n log n operations",
    "ops.fft2(Q)": "n log n operations",
    "ops.sort(L)[0]": "n log n comparisons",
    "ops.quantile(L, 0.3)": "n log n comparisons",
    "ops.nanmedian(R, 1)[0]": "n log n comparisons",
    "ops.randperm(x.numel())": "n log n comparisons",
    "ops.searchsorted(ordered, l)": "n log n comparisons",
    "ops.searchsorted(ordered_rows, r)": "n log n comparisons",
    "ops.multinomial(p.reshape(-1), p.numel() // 16)": "n log n comparisons",
    **dict.fromkeys(
        ("T.gather(X, 0, xi)", "T.scatter(X, 0, xi, Y)", "T.scatter_add(X, 0, xi, Y)"),
        "random access beyond the cache; PyTorch's grow as fast",
    ),
    "T.take(X, flat)": "random access beyond the cache; PyTorch's grows as fast",
}


def network(ms, layers, width):
    """Returns an Adam step on a chain of small layers."""
    cells = [ms.nn.Dense(width, width) for _ in range(layers)]
    return _step(ms, ms.nn.SequentialCell(*cells), ms.ops.ones((4, width)))


def parameters(ms, count):
    """Returns an Adam step on `count` parameters with given gradients."""
    made = [ms.Parameter(ms.ops.ones((16,)), name=f"p{i}") for i in range(count)]
    optimizer = ms.nn.Adam(made)
    gradients = tuple(ms.ops.ones((16,)) for _ in made)
    return lambda: optimizer(gradients)


def recurrence(ms, steps):
    """Returns an Adam step on an LSTM."""
    return _step(ms, ms.nn.LSTM(32, 32), ms.ops.ones((steps, 4, 32)), lambda out: out[0])


def vocabulary(ms, rows):
    """Returns a LazyAdam step on 512 rows of a sparse table."""
    cell = ms.nn.EmbeddingLookup(rows, 16)
    return _step(ms, cell, ms.ops.arange(512), optimizer=ms.nn.LazyAdam)


def _step(ms, cell, inputs, result=lambda out: out, optimizer=None):
    optimizer = (optimizer or ms.nn.Adam)(cell.trainable_params())
    gradient = ms.value_and_grad(lambda x: result(cell(x)).sum(), None, optimizer.parameters)
    return lambda: optimizer(gradient(inputs)[1])


def dataset(ms, rows):
    """Returns one epoch of a shuffled dataset in batches."""
    data = ms.dataset.NumpySlicesDataset(np.zeros((rows, 4), np.float32)).batch(16)
    return lambda: sum(1 for _ in data.create_tuple_iterator(num_epochs=1))


def checkpoint(ms, entries):
    """Returns a step that saves and loads a checkpoint."""
    folder = tempfile.mkdtemp()
    path = str(Path(folder) / "a.ckpt")
    made = [{"name": f"p{i}", "data": ms.ops.ones((4,))} for i in range(entries)]

    def step():
        ms.save_checkpoint(made, path)
        return ms.load_checkpoint(path)

    return step


# {name: (function of the library and a size, the smallest size)}
CASES = {
    "layers of a network": (lambda ms, n: network(ms, n, 8), 8),
    "parameters of Adam": (parameters, 64),
    "steps of an LSTM": (recurrence, 32),
    "rows of a sparse table": (vocabulary, 1 << 14),
    "rows of a dataset": (dataset, 1 << 10),
    "entries of a checkpoint": (checkpoint, 64),
}
# What does not depend on the size may not grow at all.
CONSTANT = {"rows of a sparse table"}


def exponent(values):
    """Returns the exponent of the growth: over the whole range or over the last step, whichever is
    smaller."""
    first, *_, before, last = (max(value, 1e-3) for value in values)
    ends = (first, FACTORS[0]), (before, FACTORS[-2])
    return min(math.log(last / v) / math.log(FACTORS[-1] / f) for v, f in ends)


def show(name, times, memory):
    """Prints a row; returns the exponents of time and memory."""
    found = exponent(times), exponent(memory)
    cells = [*(f"{t:.3g}" for t in times), *(f"{m:.3g}" for m in memory)]
    print(f"{name:60}" + "".join(f"{cell:>9}" for cell in [*cells, *(f"{e:.2f}" for e in found)]))
    sys.stdout.flush()
    return found


def main(arguments):
    parser = argparse.ArgumentParser(prog="python -m tests.bench growth", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose line has it")
    parser.add_argument("--size", type=int, default=1 << 18, help="elements at 1 time (262144)")
    parser.add_argument("--seconds", type=float, default=0.02, help="of a measurement (0.02)")
    options = parser.parse_args(arguments)
    found = {}
    ours = Library(sys.executable, "mindspore_compat")
    for name in growing():
        if options.only in name:
            answers = [
                ours.ask(
                    name=name,
                    size=options.size * factor,
                    backward=True,
                    seconds=options.seconds,
                    memory=True,
                )
                for factor in FACTORS
            ]
            if errors := [answer["error"] for answer in answers if "error" in answer]:
                print(f"{name}: {errors[0]}", flush=True)
                continue
            found[name] = show(name, *([a[key] for a in answers] for key in ("ms", "mb")))
    import mindspore_compat as ms

    for name, (make, size) in CASES.items():
        if options.only in name:
            steps = [make(ms, size * factor) for factor in FACTORS]
            times = [measured(step, options.seconds)[0] for step in steps]
            found[name] = show(name, times, [peak(step) for step in steps])
    print("\nabove", MOST)
    for name, exponents in found.items():
        limit = MOST - 1 if name in CONSTANT else MOST
        if max(exponents) > limit:
            print(f"{name:60} {exponents[0]:5.2f} {exponents[1]:5.2f}  {REASONS.get(name, '')}")
