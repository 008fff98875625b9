"""Two processes of the target that communicate with each other: ranks 0 and 1.

A case with `ranks` runs in both, and their observations are returned by rank. A worker starts them
at the first such case with `mpiexec`, those of real MindSpore also with its scheduler. They are
reused for further cases and have the fault that is planted in the worker.
"""

import contextlib
import json
import os
import queue
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path

from ..arguments.world import schedule
from ..errors import describe
from ..mutation.faults import planting
from ..targets import REFERENCE

# A script that replaces itself by a command; on Linux the command ends with its parent process.
_TIED = """
import contextlib, ctypes, os, sys
with contextlib.suppress(Exception):
    ctypes.CDLL(None).prctl(1, 15)  # PR_SET_PDEATHSIG, SIGTERM
os.execv(sys.argv[1], sys.argv[1:])
"""
COUNT = 2
START, LIMIT = 60, 5  # time limits in seconds: for the start of both ranks, and for a case
IDLE = 50  # the ranks are ended after this many cases that do not need them


class Ranks:
    """The two processes of one worker, which Python starts with the worker's own arguments."""

    def __init__(self, target, arguments, folder):
        self.target, self.arguments, self.folder = target, arguments, folder
        self.processes, self.connections, self.ranks = [], [], []
        self.fault, self.idle, self.broken = None, 0, None

    def observed(self, case):
        """Returns the facts of both ranks, or the exception that both raise."""
        if self.broken:
            raise RuntimeError(self.broken)
        if not self.ranks:
            self._start()
        self.idle = 0
        own = {key: part for key, part in case.items() if key != "ranks"}
        answers = [answer.get("observed") for answer in self._ask(own, LIMIT)]
        if all(isinstance(facts, dict) for facts in answers):
            return _joined(answers)
        self.stop()
        return {"refused": "hang"}

    def replant(self, fault):
        """Plants another fault, or none; returns the counts of calls of the one before."""
        self.fault = fault
        answers = self._ask(planting(fault), LIMIT) if self.ranks else []
        counts = [answer.get("observed") for answer in answers]
        return [sum(column) for column in zip([0, 0], *filter(None, counts), strict=True)]

    def rest(self):
        """Ends the processes if the last cases did not need them."""
        self.idle += 1
        if self.ranks and self.idle > IDLE:
            self.stop()

    def stop(self):
        """Ends the processes; safe to call twice."""
        for connection in self.connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)  # a rank ends with its connection
            connection.close()
        for process in self.processes:
            process.terminate()  # mpiexec ends its ranks then
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(2)
            with contextlib.suppress(OSError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        self.processes, self.connections, self.ranks = [], [], []

    def _start(self):
        with socket.create_server(("127.0.0.1", 0)) as server:
            server.settimeout(0.5)
            self._launch(str(server.getsockname()[1]))
            joined = {}
            try:
                for _ in range(COUNT):
                    connection = self._accepted(server)
                    self.connections.append(connection)
                    connection.settimeout(START)
                    lines = connection.makefile(encoding="utf-8")
                    first = json.loads(lines.readline())
                    if "broken" in first:
                        self.broken = first["broken"]  # no other start is tried
                        raise RuntimeError(self.broken)
                    joined[first["rank"]] = connection, lines
            except (OSError, ValueError):
                raise RuntimeError(f"{COUNT} ranks did not start within {START} s") from None
            finally:
                if len(joined) < COUNT:
                    self.stop()
        self.ranks = [joined[rank] for rank in range(COUNT)]
        if self.fault is not None:
            self._ask(planting(self.fault), LIMIT)

    def _accepted(self, server):
        """Returns a connection with a rank; raises OSError if none comes any more."""
        until = time.monotonic() + START
        while True:
            with contextlib.suppress(TimeoutError):
                return server.accept()[0]
            ended = any(process.poll() is not None for process in self.processes)
            if ended or time.monotonic() > until:
                raise OSError

    def _launch(self, port):
        command = [sys.executable, *self.arguments, "--join", port]
        quiet = {name: subprocess.DEVNULL for name in ("stdin", "stdout", "stderr")}
        if self.target == REFERENCE:
            known, scheduler = schedule(COUNT)
            self.processes.append(scheduler)
            commands = [(command, {**known, "MS_NODE_ID": str(rank)}) for rank in range(COUNT)]
        else:
            commands = [([_mpiexec(), "-n", str(COUNT), *command], {})]
        for line, known in commands:
            more = {"env": {**os.environ, **known}, "cwd": self.folder, **quiet}
            line = [sys.executable, "-c", _TIED, *line]
            self.processes.append(subprocess.Popen(line, start_new_session=True, **more))

    def _ask(self, question, seconds):
        """Returns the answers of both ranks, with an empty answer for a rank that gives none."""
        answers = []
        for rank, (connection, _) in enumerate(self.ranks):
            with contextlib.suppress(OSError):
                connection.sendall(_line({**question, "rank": rank}))
        for connection, lines in self.ranks:
            connection.settimeout(seconds)
            try:
                answers.append(json.loads(lines.readline()))
            except (OSError, ValueError):
                answers.append({})
        return answers


def _line(message):
    return json.dumps(message).encode() + b"\n"


def _joined(facts_by_rank):
    """Returns {"rank R FACT": value} of both ranks, or {"refused": ...} if both refuse alike."""
    refused = {facts.get("refused") for facts in facts_by_rank}
    if len(refused) == 1 and None not in refused:
        return {"refused": refused.pop()}
    joined = {}
    for rank, facts in enumerate(facts_by_rank):
        if "refused" in facts:
            facts = {"result": f"raised {facts['refused']}"}
        joined.update({f"rank {rank} {name}": part for name, part in facts.items()})
    return joined


def _mpiexec():
    """Returns the path of mpiexec, that of this environment first."""
    beside = shutil.which("mpiexec", path=str(Path(sys.executable).parent))
    path = beside or shutil.which("mpiexec")
    if path is None:
        raise RuntimeError("Several ranks need mpiexec: install the extra 'mpi'.")
    return path


def serve(ms, port, answer):
    """Joins the other rank and answers questions of the worker that listens at a port, as long as
    it does."""
    connection = socket.create_connection(("127.0.0.1", int(port)))
    try:
        ms.communication.init()
        reply = {"rank": ms.communication.get_rank()}
    except Exception as error:  # noqa: BLE001  (of the target)
        reply = {"broken": describe(error)}
    connection.sendall(_line(reply))
    if ms.__name__ != REFERENCE and "rank" in reply:
        ms.communication.release()
    questions = queue.Queue()

    def read():
        for line in connection.makefile(encoding="utf-8"):
            questions.put(line)
        os._exit(0)  # whatever the target is waiting for

    threading.Thread(target=read, daemon=True).start()
    while True:
        connection.sendall(_line(answer(json.loads(questions.get()))))
