"""Compares the speed of the package with MindSpore and PyTorch: `python -m tests.bench`.

    python -m tests.bench --mindspore PYTHON --torch PYTHON --busy 2 --output docs/performance

measures training steps, optimizer updates, operators with their gradients, data pipelines and
checkpoints. PYTHON is an interpreter that has the library; without it the library is left out. Each
library runs each case in its own process, MindSpore in GRAPH_MODE. The computed values are compared
first. The libraries then take turns, so that noise affects all of them alike. `--busy N` repeats
the rounds while N processes keep one core busy each. With Numba installed, the package is measured
with and without it. Nothing is asserted.

    python -m tests.bench growth
    python -m tests.bench operators --torch PYTHON

measure how cost grows with size, and single operators (growth.py, operators.py).

    python -m tests.bench parallel

counts what divided networks hold and exchange (parallel.py).

The table shows medians in milliseconds, and the times of the others relative to the package.
`--output` names a folder for `bench.json` (with processor times and memory), `table.csv` and
`bench.svg`.
"""

import argparse
import contextlib
import importlib
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))  # workers import the cases in the same way

import networks_mindspore  # noqa: E402
import operators_mindspore  # noqa: E402
import pipelines  # noqa: E402
from chart import draw  # noqa: E402

CASES = [*networks_mindspore.CASES, *operators_mindspore.CASES, *pipelines.CASES]
OURS, BARE = "here", "here, no Numba"
NEAR = 2e-3  # the largest relative difference of values that are called equal


class Worker:
    """A process that runs one case in one library."""

    def __init__(self, python, library, case, *options):
        environment = dict(os.environ)
        if library == "mindspore":  # oneDNN falls to its reference convolution under AVX-512
            environment["DNNL_MAX_CPU_ISA"] = "AVX2"
            environment.pop("PYTHONPATH", None)
        if library == "mindspore_compat":
            paths = [str(HERE.parent.parent), environment.get("PYTHONPATH", "")]
            environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
            environment["MINDSPORE_COMPAT_COMPILE"] = "wait"  # the first steps, which are not timed
        self.process = subprocess.Popen(
            [python, str(HERE / "worker.py"), library, case, *options],
            text=True,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self.wall, self.processor = [], []

    def answer(self, head):
        """Returns the text that the process prints after a keyword. If the process ends, prints a
        line and returns None."""
        for line in self.process.stdout:
            if line.startswith(head + " "):
                return json.loads(line[len(head) :])
        print("  failed:", " ".join(self.process.args), flush=True)
        return None

    def measure(self, seconds):
        """Runs steps for some time and keeps their times."""
        self.process.stdin.write(f"{seconds}\n")
        self.process.stdin.flush()
        wall, processor = self.answer("TIMES")
        self.wall += wall
        self.processor += processor

    def medians(self):
        """Returns the median milliseconds (wall, processor) of the steps since the last call."""
        found = [statistics.median(self.wall), statistics.median(self.processor)]
        self.wall, self.processor = [], []
        return found

    def end(self):
        """Ends the process; returns its largest resident memory in MB."""
        self.process.stdin.close()
        peak = self.answer("PEAK")
        self.process.wait()
        return peak


@contextlib.contextmanager
def busy(count):
    """Keeps this many cores busy, with a process each."""
    loops = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for loop in loops:
            loop.kill()
            loop.wait()


def measure(case, libraries, options):
    """Returns {library: figures} of a case.

    Args:
        case (str): its name.
        libraries (dict): from a name to the arguments of `Worker` except the case.
        options (argparse.Namespace): `rounds`, `seconds` and `busy`.
    """
    workers = {name: Worker(*given[:2], case, *given[2:]) for name, given in libraries.items()}
    values = {name: worker.answer("VALUES") for name, worker in workers.items()}
    found = {name: {"values": value} for name, value in values.items() if value is not None}
    workers = {name: workers[name] for name in found}
    for key, count in [("quiet", 0), *([("busy", options.busy)] if options.busy else [])]:
        with busy(count):
            for _ in range(options.rounds):
                for worker in workers.values():
                    worker.measure(options.seconds)
        for name, worker in workers.items():
            found[name][key] = worker.medians()
    for name, worker in workers.items():
        found[name]["peak"] = worker.end()
    return found


def differ(found):
    """Returns the libraries whose values differ from the package's."""
    ours = found[OURS]["values"]
    scale = max(map(abs, ours))
    return [
        name
        for name, figures in found.items()
        if any(abs(x - y) > NEAR * scale for x, y in zip(ours, figures["values"]))
    ]


def row(case, found, libraries, key):
    """Returns the cells of a case in the table: milliseconds of all, and ratios to the
    package's."""
    times = {name: found[name][key][0] for name in libraries if name in found}
    cells = [f"{times[name]:.4g}" if name in times else "–" for name in libraries]
    others = [name for name in libraries if name != OURS]
    ratios = [f"{times[name] / times[OURS]:.2f}" if name in times else "–" for name in others]
    return [case, *cells, *ratios]


def show(cells):
    """Prints a row of the table."""
    print(f"{cells[0]:46}" + "".join(f"{cell:>18}" for cell in cells[1:]), flush=True)


def arguments():
    """Returns the command line."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--mindspore", metavar="PYTHON", help="an interpreter with MindSpore")
    parser.add_argument("--torch", metavar="PYTHON", help="an interpreter with PyTorch")
    parser.add_argument("--busy", type=int, default=0, metavar="N", help="busy processes beside")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases whose name has it")
    parser.add_argument("--rounds", type=int, default=5, help="turns of each library (5)")
    parser.add_argument("--seconds", type=float, default=0.5, help="length of a turn (0.5)")
    parser.add_argument("--output", type=Path, metavar="FOLDER", help="where files are written")
    return parser.parse_args()


def chosen(options):
    """Returns {name: arguments of `Worker` except the case} for the libraries to measure."""
    libraries = {OURS: (sys.executable, "mindspore_compat")}
    if importlib.util.find_spec("numba"):
        libraries[BARE] = (*libraries[OURS], "--without-numba")
    if options.mindspore:
        libraries["MindSpore"] = (options.mindspore, "mindspore")
    if options.torch:
        libraries["PyTorch"] = (options.torch, "torch")
    return libraries


def main():
    options = arguments()
    libraries = chosen(options)
    others = [name for name in libraries if name != OURS]
    kinds = ["quiet", *(["busy"] if options.busy else [])]
    head = ["case", *(f"{name}, ms" for name in libraries), *(f"{name}, ratio" for name in others)]
    results, rows = {}, []
    show(head)
    for case in CASES:
        if options.only in case:
            found = results[case] = measure(case, libraries, options)
            for kind in kinds:
                name = case if kind == "quiet" else f"{case}, beside {options.busy} busy"
                rows.append(row(name, found, libraries, kind))
                show(rows[-1])
            if wrong := differ(found):
                print(f"  other values: {', '.join(wrong)}", flush=True)
            if options.output:
                write(options.output, head, rows, results, options)


def write(folder, head, rows, results, options):
    """Writes the files that the module's text names."""
    folder.mkdir(parents=True, exist_ok=True)
    machine = f"{os.cpu_count()} cores of {processor()}, Python {platform.python_version()}"
    texts = {
        "bench.json": json.dumps(
            {"machine": machine, "busy": options.busy, "results": results}, indent=1
        ),
        "table.csv": "\n".join(",".join(f'"{cell}"' for cell in row) for row in [head, *rows]),
        "bench.svg": draw(results, OURS, machine),
    }
    for name, text in texts.items():
        temporary = folder / f"{name}.part"
        temporary.write_text(text + "\n", encoding="utf-8")
        temporary.replace(folder / name)


def processor():
    """Returns the processor's name."""
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8") as lines:
        return next((x.split(":")[1].strip() for x in lines if x.startswith("model name")), "")
    return platform.processor() or platform.machine()


if __name__ == "__main__":
    for name in ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE"):  # both halve the speed of products
        os.environ.pop(name, None)
    if sys.argv[1:2] and sys.argv[1] in ("growth", "operators", "parallel"):
        importlib.import_module(sys.argv[1]).main(sys.argv[2:])
    else:
        main()
