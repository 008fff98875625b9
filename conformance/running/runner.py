"""Runs cases in worker processes: time limits, crashes, resuming, progress.

If a worker dies or hangs, it is replaced, and its case is run once more; the second outcome is the
case's status. A case that is `alone` has a process of its own: what it shows depends on the first
call of a process. Results are appended to a file when they arrive, so an interrupted run can be
resumed.
"""

import contextlib
import json
import os
import queue
import signal
import subprocess
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from ..errors import BadInput, TargetBroken, text_of
from ..kinds.cases import LOST, digest
from ..targets import REFERENCE

SECONDS = {"example": 60, "ranks": 70}  # examples may train; ranks have to start first
LIMIT, START = 10, 180  # seconds for all other cases, and for the import of the target
RENEW = 3000  # cases after which a worker is replaced even if its memory is small
# Code that loads the tool in another interpreter under its own name. The folder of the tool's
# parent is not added to the path, because it may have other libraries.
TOOL = Path(__file__).resolve().parents[1]
_BEGIN = """
import importlib, importlib.util, sys
name, folder = sys.argv[1:3]
spec = importlib.util.spec_from_file_location(
    name, folder + "/__init__.py", submodule_search_locations=[folder])
sys.modules[name] = importlib.util.module_from_spec(spec)
importlib.import_module(name + ".worker.worker").main(sys.argv[3:])
"""


class Process:
    """One worker process and the threads that read its two streams."""

    def __init__(self, target, python=None):
        self.target = target
        environment = dict(
            os.environ,
            PYTHONPATH=_paths(target, python),
            PYTHONWARNINGS="ignore",
            GLOG_v="4",
            PYTHONHASHSEED="0",
        )
        environment.setdefault("DNNL_MAX_CPU_ISA", "AVX2")
        self.folder = tempfile.TemporaryDirectory(
            ignore_cleanup_errors=True
        )  # examples and kernels write files
        package = __package__.rpartition(".")[0]
        command = [python or sys.executable, "-c", _BEGIN, package, str(TOOL), "--target", target]
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
        self.about = first["ready"]  # release of the target, Python, system
        self.served, self.full = 0, False

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
        """Returns the result of one case; its status is one of `LOST` if the worker died."""
        limit = _limit(case)
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
        self.full = answer.pop("full", False) or self.served >= RENEW or "alone" in case
        return answer

    def _lost(self, case, status, start):
        if status == "hang":
            got = f"no answer within {_limit(case)} s"
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self.process.wait(5)
            code = self.process.returncode
            got = f"the process died (status {code})"
            if code == -getattr(signal, "SIGKILL", 0):
                status, got = "killed", "the process was killed, most often for its memory"
        self.stop()
        return {
            "id": case["id"],
            "status": status,
            "got": got,
            "seconds": round(time.monotonic() - start, 2),
            "observed": status,
        }

    def stop(self):
        """Ends the process; safe to call twice."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.folder.cleanup()

    @property
    def alive(self):
        return self.process.poll() is None


def _limit(case):
    """Returns the time limit of a case in seconds."""
    return SECONDS.get("ranks" if "ranks" in case else case["kind"], LIMIT)


def _paths(target, python):
    """Returns the PYTHONPATH of a worker: first that of this process, so that a copy can be tested.

    Another interpreter has its own libraries; those next to this package would hide them.
    """
    if target == REFERENCE:
        return ""
    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    here = [] if python else [str(TOOL.parent)]
    return os.pathsep.join([os.path.abspath(p) for p in given if p] + here + [os.getcwd()])


class Workers:
    """A pool of worker processes, each of which runs one case after another; a context manager.

    The first worker is started at once, so that a broken target is reported before anything is
    written; the others are started on demand.
    """

    def __init__(self, target, python, count):
        self.target, self.python, self.closed = target, python, False
        self.living, self.idle = set(), queue.LifoQueue()
        self.threads = ThreadPoolExecutor(max(1, count))
        self.about = {}
        for _ in range(count - 1):
            self.idle.put(None)
        if count:
            self.idle.put(self._ready(None))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.closed = True
        self.threads.shutdown(wait=False, cancel_futures=True)
        for process in list(self.living):
            process.stop()
        self.threads.shutdown()

    def ask(self, case):
        """Returns the result of one case, which is run once more if its worker died."""
        process = self.idle.get()
        try:
            if "alone" in case and process is not None and process.served:
                process.full = True
            process = self._ready(process)
            result = process.ask(case)
            if result["status"] in LOST and result["status"] != "hang" and not self.closed:
                process = self._ready(process)
                result = {**process.ask(case), "tries": 2}
            return result
        finally:
            self.idle.put(process)

    def _ready(self, process):
        """Returns a living process: this one, or its replacement."""
        if process is not None and process.alive and not process.full:
            return process
        if process is not None:
            self.living.discard(process)
            process.stop()
        process = Process(self.target, self.python)
        self.living.add(process)
        self.about = process.about
        return process


class _Store:
    """The file to which results are appended; none without a path."""

    def __init__(self, path, restart):
        self.out = open(path, "w" if restart else "a", encoding="utf-8") if path else None
        self.lock = threading.Lock()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.out:
            self.out.close()

    def add(self, result):
        """Writes a result immediately; may be called from any thread."""
        if self.out:
            with self.lock:
                self.out.write(json.dumps(result, ensure_ascii=False) + "\n")
                self.out.flush()


def run(cases, target, python=None, store=None, progress=None, about=None, jobs=1, restart=False):
    """Yield (case, result) for every case in order, from several workers at a time.

    Cases whose results are in `store` are not run again. With `restart` all cases run, and the
    store is cleared as soon as a worker has started.
    """
    cases = list(cases)
    done = load(store) if store and not restart else {}
    wanted = [done.get(case["id"], {}).get("digest") != digest(case) for case in cases]
    with (
        Workers(target, python, min(jobs, sum(wanted))) as workers,
        _Store(store, restart) as store_file,
    ):
        if about is not None:
            about.update(workers.about)

        def ask(case):
            result = {**workers.ask(case), "digest": digest(case)}
            if not workers.closed:
                store_file.add(result)
            return result

        fresh = {n: workers.threads.submit(ask, cases[n]) for n in _order(cases) if wanted[n]}
        for number, case in enumerate(cases):
            result = fresh.pop(number).result() if wanted[number] else done[case["id"]]
            if progress:
                progress(case, result)
            yield case, result


def _order(cases):
    """Returns the positions of cases in the order in which they are run: first those of several
    ranks, so that the ranks are started once and not for each name."""
    return sorted(range(len(cases)), key=lambda number: "ranks" not in cases[number])


def load(store):
    """Returns the results stored by an earlier run, without a last line cut off by an
    interruption."""
    results = {}
    path = Path(store)
    if path.exists():
        for number, line in enumerate(text_of(path).splitlines(), 1):
            try:
                result = json.loads(line)
                results[result["id"]] = result
            except (ValueError, KeyError, TypeError, RecursionError):
                if line.strip().startswith("{"):
                    continue
                raise BadInput(path, "is no result file", number) from None
    return results


class Progress:
    """Shows progress in a line on a terminal; does nothing elsewhere."""

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
        self.bad += result["status"] in ("fail", *LOST)
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
