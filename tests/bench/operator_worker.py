"""A process that measures operators of one library: `operator_worker.py LIBRARY`.

It reads a line of JSON for each measurement and writes one:

    {"name": expression, "size": elements, "backward": bool, "seconds": time, "memory": bool}
    {"ms": least processor milliseconds, "wall": median milliseconds, "mb": peak of allocations}

or {"error": text}. A step repeats the expression until it takes about a tenth of a millisecond.
"""

import gc
import json
import os
import statistics
import sys
import time
import tracemalloc

from operator_table import MORE, Inputs, lines


class Torch:
    """The expressions in PyTorch."""

    def __init__(self):
        import torch

        self.torch = torch
        self.scope = {"T": torch, "F": torch.nn.functional}
        self.expressions = {name: theirs for name, _, theirs in lines()}
        self.tensor = torch.from_numpy

    def step(self, call, inputs, wanted, backward):
        """Returns a function that runs the expression, and its gradients if `backward` is set."""
        if not backward or not wanted:

            def forward():
                with self.torch.no_grad():
                    return call()

            return forward
        for name in wanted:
            inputs[name].requires_grad_()
        leaves = [inputs[name] for name in wanted]
        ones = self.torch.ones_like(call())

        def both():
            return self.torch.autograd.grad(call(), leaves, ones)

        return both


class Package:
    """The expressions in the package."""

    def __init__(self):
        os.environ.setdefault("MINDSPORE_COMPAT_COMPILE", "wait")
        import mindspore_compat as ms

        self.ms = ms
        ms.set_context(mode=ms.PYNATIVE_MODE)
        self.scope = {"T": ms.mint, "F": ms.mint.nn.functional, "ops": ms.ops}
        self.scope["attend"] = self.attend
        self.expressions = {name: ours for name, ours, _ in lines()}
        self.expressions.update((name, name) for name in MORE.strip().splitlines())
        self.tensor = ms.Tensor

    def attend(self, query, key, value):
        """Computes attention in blocks."""
        from mindspore_compat.ops._attention.attention import attend

        return attend.run(query, key, value, None, None, None, query.shape[-1] ** -0.5)

    def step(self, call, inputs, wanted, backward):
        """As of `Torch`."""
        if not backward or not wanted:
            return call
        gradient = self.ms.ops.GradOperation(get_all=True, sens_param=True)

        def function(*values):
            return call(dict(zip(wanted, values)))

        leaves = [inputs[name] for name in wanted]
        ones = self.ms.ops.ones_like(call())
        run = gradient(function)
        return lambda: run(*leaves, ones)


def made(library, request):
    """Returns the step of a request."""
    text = library.expressions[request["name"]]
    inputs = Inputs(request["size"], library.tensor)
    code = compile(text, text, "eval")
    names = [name for name in code.co_names if _is_input(inputs, library.scope, name)]
    values = {name: inputs[name] for name in names}
    wanted = [name for name in names if name[0].isupper()]

    def call(given=None):
        return eval(code, {**library.scope, **values, **(given or {})})

    return library.step(call, values, wanted, request["backward"])


def _is_input(inputs, scope, name):
    if name in scope:
        return False
    try:
        return inputs[name] is not None
    except KeyError:
        return False


def measured(step, seconds):
    """Returns the (minimum processor, median wall) milliseconds of a step."""
    step()
    start = time.perf_counter()
    step()
    count = max(int(1e-4 / max(time.perf_counter() - start, 1e-7)), 1)
    processor, wall, end = [], [], time.perf_counter() + seconds
    while len(wall) < 3 or time.perf_counter() < end:
        begin, used = time.perf_counter(), time.process_time()
        for _ in range(count):
            step()
        processor.append((time.process_time() - used) * 1e3 / count)
        wall.append((time.perf_counter() - begin) * 1e3 / count)
    return min(processor), statistics.median(wall)


def peak(step):
    """Returns the peak memory that NumPy and Python allocate in a step, in MB."""
    gc.collect()
    tracemalloc.start()
    before = tracemalloc.get_traced_memory()[0]
    tracemalloc.reset_peak()
    step()
    found = tracemalloc.get_traced_memory()[1] - before
    tracemalloc.stop()
    return found / 1e6


def main(library):
    library = {"torch": Torch, "mindspore_compat": Package}[library]()
    print("READY", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            step = made(library, request)
            processor, wall = measured(step, request["seconds"])
            answer = {"ms": processor, "wall": wall}
            if request.get("memory"):
                answer["mb"] = peak(step)
        except Exception as error:  # reported in the table
            answer = {"error": f"{type(error).__name__}: {error}".partition("\n")[0]}
        print("ANSWER", json.dumps(answer), flush=True)


if __name__ == "__main__":
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # both halve the speed of products
        os.environ.pop(name, None)
    main(sys.argv[1])
