"""A process with one library and one case of `python -m tests.bench`.

An interpreter that has the library runs `python worker.py LIBRARY CASE`. The process prints
`VALUES` with the results of the first steps (null if the library lacks the case). For each line
`SECONDS` on standard input it prints `TIMES` of the steps that ran in that time, a list of wall
times and one of processor milliseconds. At the end of the input it prints `PEAK`, the largest
resident memory in MB. `--without-numba` hides Numba from the package.
"""

import importlib
import json
import os
import resource
import sys
import time

FIRST = 3  # steps that are compared and not timed: compilation, first allocations


def step_of(library, case):
    """Returns the step of a case in a library; None if the library lacks it."""
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
    """Returns (wall, processor) milliseconds of steps that run for some time; at least one runs."""
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
