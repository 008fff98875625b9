"""A process that has one library and one case of `python -m tests.bench`.

It is run as `python worker.py LIBRARY CASE` by an interpreter that has the library. It prints
`VALUES` with what the first steps return (null where the library lacks the case). Each line
`SECONDS` on standard input is answered with `TIMES` of the steps that ran in that time, a list of
wall and one of processor milliseconds; the end of the input with `PEAK`, the largest resident
memory in MB. `--without-numba` hides Numba from the package.
"""

import importlib
import json
import os
import resource
import sys
import time

FIRST = 3  # steps that are compared and not timed: compilation, first allocations


def step_of(library, case):
    """The step of a case in a library, None where the library lacks it."""
    if library == "torch":
        modules, given = ("networks_torch", "operators_torch"), ()
    else:
        modules = "networks_mindspore", "operators_mindspore", "pipelines"
        given = (importlib.import_module(library),)
        given[0].set_context(mode=given[0].GRAPH_MODE)
    for module in map(importlib.import_module, modules):
        if case in module.CASES:
            return module.CASES[case](*given)
    return None


def times_of(step, seconds):
    """(wall, processor) milliseconds of steps that run for some time; at least one runs."""
    wall, processor, end = [], [], time.perf_counter() + seconds
    while not wall or time.perf_counter() < end:
        start, used = time.perf_counter(), time.process_time()
        step()
        processor.append((time.process_time() - used) * 1e3)
        wall.append((time.perf_counter() - start) * 1e3)
    return wall, processor


def main(library, case):
    step = step_of(library, case)
    print("VALUES", json.dumps(step and [step() for _ in range(FIRST)]), flush=True)
    for line in sys.stdin:
        print("TIMES", json.dumps(times_of(step, float(line))), flush=True)
    print("PEAK", resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, flush=True)


if __name__ == "__main__":
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # both halve the speed of products
        os.environ.pop(name, None)
    if "--without-numba" in sys.argv:
        sys.argv.remove("--without-numba")
        sys.modules["numba"] = None
    main(*sys.argv[1:])
