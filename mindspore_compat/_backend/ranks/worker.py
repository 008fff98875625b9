"""One process of `msrun-compat`: names its rank in the environment, redirects its output, runs the
script.

    python -m mindspore_compat._backend.ranks.worker <log file without _rank.log> command ...

If `msrun-compat` waits for the job, this process stays to report the exit status of the script;
otherwise it becomes the script.
"""

import os
import signal
import subprocess
import sys

from . import children, heartbeat, launcher


def main(log, *command):
    """Runs the command with its output in the file `<log>_<rank>.log`. Returns its exit status, or
    128 plus the number of the signal that ended it."""
    rank, _ = launcher.launched()
    local = launcher.launched_local_rank()
    os.environ.update(RANK_ID=str(rank), DEVICE_ID=str(local), MS_NODE_ID=str(rank))
    file = os.open(f"{log}_{rank}.log", os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(file, 1)
    os.dup2(file, 2)
    if heartbeat.JOB not in os.environ:
        os.execvp(command[0], command)
    os.environ[heartbeat.JOB] += f"/{rank}"
    children.signal_at_parent_death(os.getppid(), signal.SIGKILL)
    received = []
    for number in (signal.SIGINT, signal.SIGTERM):  # they are passed on to the script's group
        signal.signal(number, lambda number, _: received.append(number))
    group = os.getpgid(0) if hasattr(os, "getpgid") else 0
    heartbeat.report("process", f"{os.getpid()} {group}")
    script = subprocess.Popen(
        command,
        close_fds=False,  # MPI needs some of them
        preexec_fn=children.before_start(),
    )
    for number in received:  # before there was a script
        script.send_signal(number)
    code = script.wait()
    code = code if code >= 0 else 128 - code
    heartbeat.report("ended", str(code))
    return code


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
