"""Runs the cases of one name against mutants, each in its own process.

`MutantServer(name, kinds)` starts `python -m kit.mutant_server`. That process loads everything that
all mutants need: the conformance tool, its specs and answers, and NumPy, but not the package. It
forks a child per mutant. The child replaces the source of one module, imports the package, and runs
the cases until one fails that passes without the fault.
"""

import importlib.abc
import importlib.machinery
import json
import os
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
PACKAGE = "mindspore_compat"
KINDS = (
    "options",
    "steps",
    "signature",
    "raises",
    "accepts",
    "promises",
    "gradient",
    "parameter_names",
    "set_attributes",
)
SECONDS = 60  # a mutant that takes longer counts as detected: the runner would report a hang


class MutantServer:
    """A process that forks for each mutant of one public name; a context manager."""

    def __init__(self, name, kinds=KINDS):
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "GLOG_v": "4"}
        environment["PYTHONPATH"] = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
        command = [sys.executable, "-m", "kit.mutant_server", name, *kinds]
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.process.stdin.close()
        self.process.wait()

    def failing(self, module=None, source=None, sound=()):
        """Returns the ids of failing cases; with a fault, only the first one that is not in
        `sound`."""
        request = {"module": module, "source": source, "sound": sorted(sound)}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())


class _Planted(importlib.abc.MetaPathFinder):
    """Replaces the text of one module of the package."""

    def __init__(self, module, source):
        self.name, self.source = f"{PACKAGE}.{module}", source

    def find_spec(self, name, path=None, target=None):
        if name != self.name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        spec.loader.get_code = lambda _: compile(self.source, spec.origin, "exec")
        return spec


def _failures(cases, stored, request):
    """Returns the ids of the cases that fail, with the requested fault or without a fault."""
    from conformance import targets
    from conformance.running import answers
    from conformance.worker.worker import Worker

    if request["module"]:
        sys.meta_path.insert(0, _Planted(request["module"], request["source"]))
    try:
        worker = Worker(targets.install(PACKAGE))
    except Exception as error:  # noqa: BLE001  (a fault may raise anything)
        return [f"import: {error!r}"]
    failed = []
    for case in cases:
        result = answers.judge(case, worker.run(case), stored)
        if result["status"] not in ("pass", "skip") and case["id"] not in request["sound"]:
            failed.append(case["id"])
            if request["module"]:
                break
    return failed


def _failures_in_child(cases, stored, request):
    """Returns `_failures` as computed by a forked process, or a note that the process was lost."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if not child:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        os.write(write_end, json.dumps(_failures(cases, stored, request)).encode())
        os._exit(0)
    os.close(write_end)
    limit, text = time.monotonic() + SECONDS, b""
    while select.select([read_end], [], [], max(0.0, limit - time.monotonic()))[0]:
        part = os.read(read_end, 1 << 16)
        if not part:
            break
        text += part
    else:
        os.kill(child, signal.SIGKILL)
    os.close(read_end)
    os.waitpid(child, 0)
    return json.loads(text) if text else ["the process was lost"]


def main(name, *kinds):
    from conformance.kinds import cases
    from conformance.reading import specs
    from conformance.running import answers

    entries = specs.load_file(specs.FOLDER / f"{cases.area_of(name)}.yaml", check=False)
    name_cases = cases.of_entry(name, entries[name], kinds)
    name_cases.sort(key=lambda case: kinds.index(case["kind"]))
    stored = {key: answer for key, answer in answers.load().items() if key.startswith(f"{name}::")}
    for line in sys.stdin:
        print(json.dumps(_failures_in_child(name_cases, stored, json.loads(line))), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
