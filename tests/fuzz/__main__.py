"""Fuzzes readers of files: `python -m tests.fuzz READER... [--seconds 60 | --inputs 10000]`.

The readers are those of tests/reliability (`python -m tests.fuzz --list`). Each is given damaged
versions of its valid files. A version that reaches new lines of the package, or fails at a new
place, joins the corpus. Later inputs are made from the corpus. An input counts as a failure if the
process crashes, if it takes more than 10 seconds of processor time or 1 GiB, or if the error is not
of the documented type or does not name the file. Files and threads that a reader leaves open are
failures, too. Failing inputs are stored below `--keep`, as READER/FILE.DIGEST.

A child process (child.py) reads the inputs. If an input ends it, another child continues with the
same corpus. Linux only.
"""

import argparse
import hashlib
import json
import os
import select
import signal
import sys
import tempfile
import time
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # read when NumPy is imported

from . import child  # noqa: E402

SILENCE = 120  # seconds after which a silent child counts as hanging in a library
_MEMORY = "/dev/shm"  # noqa: S108 - a folder without a disk; a folder of its own is made in it


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help="'all' for all of them")
    parser.add_argument("--seconds", type=float, help="for each reader (default: 60)")
    parser.add_argument("--inputs", type=int, help="for each reader, however long it takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", type=Path, default=Path("fuzz-findings"))
    parser.add_argument("--list", action="store_true", help="print the names of the readers")
    options = parser.parse_args()
    names = sorted(child.attack.readers())
    if options.list:
        print("\n".join(names))
        return 0
    chosen = names if options.readers == ["all"] else options.readers
    unknown = sorted(set(chosen) - set(names))
    if unknown or not chosen:
        parser.error(f"READER must be among those of --list, but got {unknown or 'none'}.")
    if options.seconds is None:
        options.seconds = 60.0 if options.inputs is None else float("inf")
    runs = [Run(name, options) for name in chosen]
    for run in runs:
        run.fuzz()
    if len(runs) > 1:
        print(
            f"{sum(run.cases for run in runs)} inputs, {sum(len(run.wrong) for run in runs)} wrong"
        )
    return 1 if any(run.wrong for run in runs) else 0


class Run:
    """The fuzzing of one reader."""

    def __init__(self, name, options):
        self.name, self.options = name, options
        self.cases, self.corpus, self.wrong = 0, 0, []

    def fuzz(self):
        """Runs children until the time is over or all inputs are read; prints a summary."""
        begin, seed = time.monotonic(), self.options.seed
        memory = _MEMORY if Path(_MEMORY).is_dir() else None
        with tempfile.TemporaryDirectory(dir=memory) as folder:
            while True:
                seconds = self.options.seconds - (time.monotonic() - begin)
                inputs = (self.options.inputs or sys.maxsize) - self.cases
                if seconds < 0.5 or inputs <= 0:
                    break
                self._child(Path(folder), seed, seconds, inputs)
                seed += 1
        rate = self.cases / (time.monotonic() - begin)
        print(
            f"{self.name}: {self.cases} inputs, {self.corpus} in the corpus, "
            f"{len(self.wrong)} wrong, {rate:.0f} a second",
            flush=True,
        )
        for verdict, path in self.wrong:
            print(f"    {path}: {verdict}", flush=True)

    def _child(self, folder, seed, seconds, inputs):
        """Reads inputs in a fork of this process, which has imported the package already."""
        before, ended = self.cases, False
        source, sink = os.pipe()
        process = os.fork()
        if not process:
            os.close(source)
            child.begin(self.name, folder, seed, seconds, inputs, sink)
        os.close(sink)
        for report in _reports(source, process):
            self.cases, self.corpus = before + report["cases"], report["corpus"]
            ended = report["kind"] == "end"
            if report["kind"] == "wrong":
                self._add(report["verdict"], report["file"], bytes.fromhex(report["content"]))
        status = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
        if ended:
            return
        said = (folder / "printed").read_bytes()[-3000:].decode(errors="replace")
        if not (folder / "current").exists():
            raise RuntimeError(f"The child that reads {self.name} ended with {status}: {said}")
        verdict = f"the process ended with {status}: {said[-200:]}"
        self._add(verdict, (folder / "file").read_text(), (folder / "current").read_bytes())
        self.cases += 1

    def _add(self, verdict, file, content):
        digest = hashlib.sha256(content).hexdigest()[:12]
        path = self.options.keep / self.name / f"{Path(file).name}.{digest}"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        self.wrong.append((verdict, path))


def _reports(source, process):
    """Yields the reports of a child; kills one that is silent for too long."""
    with open(source, "rb", buffering=0) as pipe:
        left = b""
        while True:
            if not select.select([pipe], [], [], SILENCE)[0]:
                os.kill(process, signal.SIGKILL)
            said = pipe.read(1 << 16)
            *lines, left = (left + said).split(b"\n")
            yield from map(json.loads, lines)
            if not said:
                return


if __name__ == "__main__":
    sys.exit(main())
