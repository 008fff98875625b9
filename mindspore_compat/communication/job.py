"""The processes of an `msrun-compat` job: forwards signals, ends hung jobs, returns the exit
status."""

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from pathlib import Path

from .. import log
from .._backend.ranks import children, heartbeat

GRACE = 5  # seconds for the processes to end after a signal
_LONGEST = 1  # most seconds that count between two checks, in case this process was suspended
_ENDED = {128 + signal.SIGTERM, 137}  # statuses of ranks that were ended because of another
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has no SIGKILL
_SIGNALS = [
    getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name)
]


class Job:
    """A running launcher and the ranks that it started, to be used in a `with` statement.

    SIGINT and SIGTERM go to the ranks, which are killed if they still run after `GRACE` seconds, or
    at a second signal. A rank counts as hung, and ends the job, if

    - it has not joined within `cluster_time_out` seconds after the first rank began to join; a
      negative number means no limit;
    - it joined, but has sent no heartbeat for `node_timeout` seconds;
    - it has not joined a collective that another rank has been waiting in for more than
      `exec_timeout` seconds; if all ranks wait, all count as hung.

    Time in which this process or the rank does not run, because the machine is paused, does not
    count.

    Args:
        command (list[str]): the command of the launcher.
        environment (dict): its environment variables.
        logs (dict[int, Path]): for each rank on this machine the file of its output.
        cluster_time_out (int): seconds; the option of that name.
        node_timeout (float): seconds; the environment variable MS_NODE_TIMEOUT.
        exec_timeout (float): seconds; the environment variable HCCL_EXEC_TIMEOUT.
        why_lost (Callable): returns why the job cannot go on, else None; it may take no time.
        output: where the launcher writes to, as for `subprocess.Popen`.
    """

    def __init__(
        self,
        command,
        environment,
        logs,
        cluster_time_out,
        node_timeout,
        exec_timeout,
        why_lost=lambda: None,
        output=None,
    ):
        self.why_lost = why_lost
        self.logs, self.cluster_time_out = logs, cluster_time_out
        self.node_timeout, self.exec_timeout = node_timeout, exec_timeout
        self.signal_number, self.deadline, self.killed = None, None, False
        self.clock = heartbeat.Clock(_LONGEST)
        self.beats = {}  # rank -> its last heartbeat, and the time when it was first seen
        self.folder = tempfile.TemporaryDirectory(prefix="msrun-")
        self.process = None
        for number in _SIGNALS:
            if number in (signal.SIGINT, signal.SIGTERM) or (
                signal.getsignal(number) != signal.SIG_IGN
            ):
                signal.signal(number, self._tell)
        self.process = subprocess.Popen(
            command,
            env={**environment, heartbeat.JOB: self.folder.name},
            stdin=subprocess.DEVNULL,
            stdout=output,
            start_new_session=True,
            preexec_fn=children.before_start(),
        )
        if self.signal_number is not None:
            self._pass_on()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if self.process.poll() is None:
            self.kill()
            self.process.wait()
        self._kill_ranks()
        self.folder.cleanup()

    def start_beside(self, command, environment):
        """Starts a further process of the job; it ends with the job."""
        subprocess.Popen(
            command,
            env={**environment, heartbeat.JOB: self.folder.name},
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=children.before_start(),
        )

    def ended(self):
        """Returns True if the job has ended. Must be called often: each call checks for hung
        processes."""
        if self.process.poll() is not None:
            return True
        if self.deadline is None:
            self._look()
        elif time.monotonic() > self.deadline:
            log.warning(
                "msrun: the processes have not ended within %s seconds; they are killed.", GRACE
            )
            self.kill()
        return False

    def status(self):
        """Returns the exit status of an ended job: the worst status of its ranks.

        Ranks that were ended because another one failed do not count, unless a signal ended the
        job.
        """
        statuses = [int(text) for text in map(self._read, self._files("ended")) if text]
        launcher = self.process.returncode
        launcher = launcher if launcher >= 0 else 128 - launcher
        if self.signal_number is None:
            running = [status for status in statuses if status not in _ENDED]
            return max(running, default=0) or launcher
        killed = self.killed or launcher == 137
        killed = [137] if killed and len(statuses) < len(self.logs) else []
        return max(statuses + killed, default=128 + self.signal_number)

    def kill(self):
        """Ends all processes at once."""
        self.signal_number, self.killed = self.signal_number or _KILL, True
        self._kill_ranks()
        self.process.kill()

    # Signals --------------------------------------------------------------------------------------

    def _tell(self, number, frame):
        again = self.signal_number is not None
        self.signal_number = number
        if self.process is not None:
            if again:
                self.kill()
            else:
                self._pass_on()

    def _pass_on(self):
        log.warning("msrun: %s; all processes are to end.", signal.Signals(self.signal_number).name)
        self.deadline = time.monotonic() + GRACE
        self.process.send_signal(
            signal.SIGINT if self.signal_number == signal.SIGINT else signal.SIGTERM
        )

    def _kill_ranks(self):
        """Kills each rank's process group, which includes its child processes."""
        for text in map(self._read, self._files("process")):
            process, group = map(int, text.split() or (0, 0))
            if process:
                with contextlib.suppress(ProcessLookupError, PermissionError):
                    if process == group:
                        os.killpg(group, _KILL)
                    else:
                        os.kill(process, _KILL)

    # Ranks that hang ------------------------------------------------------------------------------

    def _look(self):
        """Ends the job if a rank hangs; logs the rank."""
        now = self.clock.tick()
        if reason := self.why_lost():
            log.error("msrun: %s. All processes are ended.", reason)
            self.deadline = time.monotonic() + GRACE
            self.kill()
            return
        for rank, text in zip(self.logs, map(self._read, self._files("beat"))):
            if text and self.beats.get(rank, ("",))[0] != text:
                self.beats[rank] = text, now
        ended = map(self._read, self._files("ended"))
        live = [rank for rank, text in zip(self.logs, ended) if not text]
        ranks, why = self._hanging(live, now)
        for rank in ranks:
            process = self._read(Path(self.folder.name, f"{rank}.process")).partition(" ")[0]
            log.error(
                "msrun: rank %s (process %s, %s) hangs: %s. All processes are ended.",
                rank,
                process or "not started",
                self.logs[rank],
                why,
            )
        if ranks:
            self.deadline = time.monotonic() + GRACE
            self.kill()

    def _hanging(self, live, now):
        """Returns the hung ranks, and the reason."""
        states = {rank: text.split() for rank, (text, _) in self.beats.items()}
        joining = [rank for rank in live if rank in states and states[rank][1] == "joining"]
        limit = self.cluster_time_out
        if joining and 0 <= limit < now - min(self.beats[rank][1] for rank in joining):
            missing = [rank for rank in self.logs if rank not in states]
            return missing or joining, (
                f"it has not joined the others within {limit} seconds ('--cluster_time_out')"
            )
        joined = [rank for rank in live if rank in states and rank not in joining]
        silent = [rank for rank in joined if now - self.beats[rank][1] > self.node_timeout]
        if silent:
            return silent, (
                f"it has shown no life for {self.node_timeout} seconds ('MS_NODE_TIMEOUT')"
            )
        waits = {rank: int(states[rank][2]) for rank in joined}
        if max(waits.values(), default=0) > self.exec_timeout:
            busy = [rank for rank in joined if waits[rank] == 0]
            return busy or joined, (
                f"an exchange has waited for {self.exec_timeout} seconds ('HCCL_EXEC_TIMEOUT')"
            )
        return [], None

    # Files ----------------------------------------------------------------------------------------

    def _files(self, kind):
        return [Path(self.folder.name, f"{rank}.{kind}") for rank in self.logs]

    @staticmethod
    def _read(file):
        try:
            return file.read_text("ascii")
        except FileNotFoundError:
            return ""
