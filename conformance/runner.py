"""Cases sent to workers, results brought back: time limits, crashes, resuming, progress.

A worker that dies or hangs costs the case it was at; the next one starts where it left off.
Results are appended to a file as they come, so an interrupted run goes on from there.
"""

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from .cases import digest
from .errors import BadInput, TargetBroken, text_of
from .targets import REFERENCE

SECONDS = {"example": 60, "accepts": 60, "gradient": 40, "steps": 60, "options": 60}
LIMIT, START = 20, 180  # seconds for any other case, and for the import of the target
RENEW = 600  # cases after which a worker is replaced, so that its memory is given back


class Process:
    """One worker process and the threads that read its two streams."""

    def __init__(self, target, python=None):
        self.target = target
        environment = dict(
            os.environ,
            PYTHONPATH=_paths(target),
            PYTHONWARNINGS="ignore",
            GLOG_v="4",
            PYTHONHASHSEED="0",
        )
        environment.setdefault("DNNL_MAX_CPU_ISA", "AVX2")
        self.folder = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True
        )  # examples and kernels leave files
        command = [python or sys.executable, "-m", "conformance.worker", "--target", target]
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                env=environment,
                cwd=self.folder.name,
            )
        except OSError as error:
            raise BadInput(command[0], f"cannot be run: {error.strerror}") from None
        self.lines, self.errors = queue.Queue(), []
        threading.Thread(target=self._read, daemon=True).start()
        threading.Thread(target=self._listen, daemon=True).start()
        first = self._next(START)
        if first is None or "broken" in first:
            self.stop()
            what = (first or {}).get("broken") or (
                self.errors[-1].strip() if self.errors else "no answer"
            )
            raise TargetBroken(target, f"cannot be imported: {what}")
        self.release = first["ready"]
        self.served = 0

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put(None)

    def _listen(self):
        for line in self.process.stderr:
            self.errors.append(line)
            del self.errors[:-50]

    def _next(self, seconds):
        try:
            line = self.lines.get(timeout=seconds)
        except queue.Empty:
            return None
        try:
            return json.loads(line) if line else None
        except ValueError:
            return None

    def ask(self, case):
        """The result of one case; status "crash" or "hang" where the worker did not survive it."""
        limit = SECONDS.get(case["kind"], LIMIT)
        start = time.monotonic()
        try:
            self.process.stdin.write(json.dumps(case) + "\n")
            self.process.stdin.flush()
        except OSError:
            return self._lost(case, "crash", start)
        answer = self._next(limit)
        if answer is None:
            hung = self.process.poll() is None and time.monotonic() - start >= limit
            return self._lost(case, "hang" if hung else "crash", start)
        self.served += 1
        return answer

    def _lost(self, case, status, start):
        self.stop()
        code = self.process.returncode
        got = (
            f"no answer within {SECONDS.get(case['kind'], LIMIT)} s"
            if status == "hang"
            else f"the process died (status {code})"
        )
        return {
            "id": case["id"],
            "status": status,
            "got": got,
            "seconds": round(time.monotonic() - start, 2),
            "observed": status,
        }

    def stop(self):
        """End the process; safe to call twice."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    @property
    def alive(self):
        return self.process.poll() is None


def _paths(target):
    """Where the worker looks for modules: what is given first, so that a copy can be tested."""
    here = str(Path(__file__).resolve().parent.parent)
    if target == REFERENCE:
        return here
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join([os.path.abspath(p) for p in given if p] + [here, os.getcwd()])


def run(cases, target, python=None, store=None, progress=None, about=None):
    """Yield (case, result) for every case; results already in `store` are not asked again."""
    done = load(store) if store else {}
    process = None
    out = open(store, "a", encoding="utf-8") if store else None
    try:
        for case in cases:
            result, asked = done.get(case["id"]), digest(case)
            if result is None or result.get("digest") != asked:
                if process is None or not process.alive or process.served >= RENEW:
                    if process is not None:
                        process.stop()
                    process = Process(target, python)
                    if about is not None:
                        about["release"] = process.release
                result = {**process.ask(case), "digest": asked}
                if out:
                    out.write(json.dumps(result, ensure_ascii=False) + "\n")
                    out.flush()
            if progress:
                progress(case, result)
            yield case, result
    finally:
        if process is not None:
            process.stop()
        if out:
            out.close()


def load(store):
    """Results kept by an earlier run; a last line cut off by an interruption is dropped."""
    found = {}
    path = Path(store)
    if path.exists():
        for number, line in enumerate(text_of(path).splitlines(), 1):
            try:
                result = json.loads(line)
                found[result["id"]] = result
            except (ValueError, KeyError, TypeError, RecursionError):
                if line.strip().startswith("{"):
                    continue
                raise BadInput(path, "is no result file", number) from None
    return found


class Progress:
    """A line on a terminal; silent elsewhere."""

    def __init__(self, total, stream=sys.stderr):
        self.total, self.stream, self.count, self.bad, self.start = (
            total,
            stream,
            0,
            0,
            time.monotonic(),
        )
        self.shown = 0.0

    def __call__(self, case, result):
        self.count += 1
        self.bad += result["status"] in ("fail", "crash", "hang")
        now = time.monotonic()
        if not self.stream.isatty() or (now - self.shown < 0.1 and self.count < self.total):
            return
        self.shown = now
        width = 30
        full = int(width * self.count / max(1, self.total))
        left = (now - self.start) / self.count * (self.total - self.count)
        self.stream.write(
            f"\r[{'#' * full}{'.' * (width - full)}] {self.count}/{self.total}  {self.bad} "
            f"failed  {left:4.0f} s left  {case['name'][:40]:40}"
        )
        if self.count == self.total:
            self.stream.write("\n")
        self.stream.flush()
