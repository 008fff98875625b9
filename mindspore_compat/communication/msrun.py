"""`msrun-compat`: starts a script on several processes through `mpiexec`, like MindSpore's `msrun`.

    msrun-compat --worker_num=4 --local_worker_num=4 --log_dir=logs --join=True train.py --epochs 5

Each process runs the script with this package as its `mindspore`, and writes to its own file in
`log_dir`. With `--join=True` the processes end with this one, and a hanging process ends the job
(`job.py`). With fewer `--local_worker_num` than `--worker_num`, each of several machines runs this
command (`nodes.py`). The command has a name of its own, so that it does not overwrite the `msrun`
of a MindSpore in the same environment; `python -m mindspore_compat.msrun` is the same.
"""

import argparse
import functools
import math
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from ..log import print_escaped
from . import nodes
from .job import GRACE, Job


def parser():
    """Returns the options of MindSpore's msrun, written `--name value` or `--name=value`."""
    command_line = argparse.ArgumentParser(
        "msrun-compat", description=__doc__.splitlines()[0], allow_abbrev=False
    )
    add = command_line.add_argument
    add("--worker_num", type=int, default=8, help="number of processes (8)")
    add("--local_worker_num", type=int, default=8, help="of them on this machine (8)")
    add("--master_addr", default="127.0.0.1", help="address of node 0; MS_SCHED_HOST")
    add("--master_port", type=int, default=8118, help="port of node 0; MS_SCHED_PORT")
    add("--node_rank", type=int, default=-1, help="number of this machine; -1 assigns one")
    add("--log_dir", default="", help="folder of the log files (the current one)")
    add("--join", type=truth, default=False, help="wait for the processes, and show their output")
    add(
        "--cluster_time_out",
        type=int,
        default=600,
        help="seconds that machines, and with --join=True ranks, may take to join; below 0 any "
        "time (600)",
    )
    add("--bind_core", type=truth, default=False, help="bind each process to cores of its own")
    add("--bind_numa", type=truth, default=False, help="bind each process to a NUMA node")
    add("--rank_table_file", default="", help="exported as RANK_TABLE_FILE")
    add(
        "--worker_log_name",
        default="worker",
        help="name of the log files, before _<rank>.log; {ip} and {hostname} are filled in",
    )
    add(
        "--tail_worker_log",
        default="-1",
        help="with --join=True: whose output is shown, such as 0,2 (-1: all)",
    )
    add("task_script", help="the script, then its arguments")
    add("task_script_args", nargs=argparse.REMAINDER)
    return command_line


def truth(text):
    """Returns True or False, as written on the command line."""
    if text.lower() not in ("true", "false"):
        raise argparse.ArgumentTypeError(f"must be True or False, but got {text}")
    return text.lower() == "true"


def main(arguments=None):
    """Starts the processes. With `--join=True`, waits for them and returns their worst exit
    status."""
    reader = parser()
    options = reader.parse_args(arguments)
    report = check(reader, options)
    limits = seconds(reader, "MS_NODE_TIMEOUT", 300), seconds(reader, "HCCL_EXEC_TIMEOUT", 1800)
    folder = Path(options.log_dir).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    command = worker(options, folder / log_name(options))
    if options.local_worker_num < options.worker_num:
        try:
            return run_node(options, command, folder, report, limits)
        except (OSError, RuntimeError) as error:
            sys.exit(f"msrun: {error}")
    logs = logs_of(options, folder, range(options.worker_num))
    command = [mpiexec(), "-n", str(options.worker_num), *bound(options), *command]
    if options.join:
        with Job(command, environment(options), logs, options.cluster_time_out, *limits) as job:
            follow(job, [logs[rank] for rank in report])
            return job.status()
    detached(command, environment(options))
    return 0


def logs_of(options, folder, ranks):
    """Creates the log file of each rank; returns a dict of them by rank."""
    logs = {rank: folder / f"{log_name(options)}_{rank}.log" for rank in ranks}
    for rank, log in logs.items():
        log.write_bytes(b"")
        print_escaped(
            f"Start worker process with rank id:{rank}, log file:{log}. Environment variable "
            f"[RANK_ID={rank}] is exported.",
            flush=True,
        )
    return logs


def detached(command, environment, output=subprocess.DEVNULL):
    """Starts a process that stays when this one ends."""
    return subprocess.Popen(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def run_node(options, command, folder, report, limits):
    """Starts the processes of one of several machines. With `--join=True`, waits for them and
    returns the worst exit status of all machines.

    Raises:
        RuntimeError: if the machines cannot start a job together.
        OSError: if `--master_addr` is not an address of node 0.
    """
    program = mpiexec()
    nodes.need_hydra(program)
    listener = nodes.listener(options)
    if listener is not None:
        members = nodes.gathered(listener, options, command, [program, *bound(options)])
    else:
        members = nodes.joined(options, command)
    ranks = range(members.first, members.first + options.local_worker_num)
    logs, variables = logs_of(options, folder, ranks), environment(options)
    proxy = nodes.proxy_of(program)
    with tempfile.NamedTemporaryFile(prefix="mpiexec-") as output:
        if not options.join:
            if members.starter:
                started = detached(members.starter, variables, output)
                members.launch = nodes.start(members, Path(output.name), started)
            detached([proxy, *members.launch], variables)
            return 0
        return _run_and_wait(members, options, proxy, variables, output, logs, report, limits)


def _run_and_wait(members, options, proxy, variables, output, logs, report, limits):
    launcher = members.starter or [proxy, *members.launch]
    why_lost = functools.partial(members.why_lost, limits[0])
    with Job(launcher, variables, logs, options.cluster_time_out, *limits, why_lost, output) as job:
        if members.starter:
            arguments = nodes.start(members, Path(output.name), job.process)
            job.start_beside([proxy, *arguments], variables)
        follow(job, [logs[rank] for rank in report if rank in logs])
        status = job.status()
    return members.end(status, GRACE)


def check(reader, options):
    """Checks the options; returns the ranks whose output is shown."""
    if options.worker_num < 1:
        reader.error(f"--worker_num must be at least 1, but got {options.worker_num}")
    if options.local_worker_num > options.worker_num and options.local_worker_num != 8:
        reader.error(
            f"--local_worker_num must be at most --worker_num {options.worker_num}, but "
            f"got {options.local_worker_num}"
        )
    if options.local_worker_num < 1:
        reader.error(f"--local_worker_num must be at least 1, but got {options.local_worker_num}")
    if options.local_worker_num >= options.worker_num and options.node_rank > 0:
        reader.error(
            f"--node_rank must be -1 or 0 where all processes are on one machine, but got "
            f"{options.node_rank}"
        )
    if not 1024 <= options.master_port <= 65535:
        reader.error(f"--master_port must be in [1024, 65535], but got {options.master_port}")
    if options.tail_worker_log == "-1":
        return list(range(options.worker_num))
    ranks = [
        int(text) if text.strip().isdigit() else -1 for text in options.tail_worker_log.split(",")
    ]
    if not all(0 <= rank < options.worker_num for rank in ranks):
        reader.error(
            f"--tail_worker_log must name ranks, such as 0,2, but got {options.tail_worker_log}"
        )
    return ranks


def seconds(reader, name, default):
    """Returns a time limit from the environment; 0 means no limit."""
    text = os.environ.get(name, str(default))
    if not text.isdecimal():
        reader.error(f"{name} in the environment must be 0 or a positive int, but got {text!r}")
    return int(text) or math.inf


def log_name(options):
    """Returns the name that the log files have in common, without the rank."""
    name = options.worker_log_name
    if "{ip}" in name or "{hostname}" in name:
        host = socket.gethostname()
        name = name.replace("{hostname}", host).replace("{ip}", socket.gethostbyname(host))
    return name


def mpiexec():
    """Returns the program that starts the processes."""
    scripts_folder = Path(sys.executable).parent
    path = shutil.which("mpiexec", path=str(scripts_folder)) or shutil.which("mpiexec")
    if path is None:
        sys.exit("msrun: there is no 'mpiexec'; install the extra 'mpi' of mindspore_compat")
    return path


def bound(options):
    """Returns the options of mpiexec that bind the processes."""
    unit = "core" if options.bind_core else "numa" if options.bind_numa else None
    return ["-bind-to", unit] if unit else []


def worker(options, log):
    """Returns the command of each process: `_backend/ranks/worker.py`, which redirects its output,
    and the script."""
    script = [options.task_script, *options.task_script_args]
    if options.task_script.endswith(".py"):
        script = [sys.executable, "-m", "mindspore_compat", *script]
    return [sys.executable, "-m", "mindspore_compat._backend.ranks.worker", str(log), *script]


def environment(options):
    """Returns the variables that MindSpore's msrun exports to all processes."""
    exported = {
        "MINDSPORE_COMPAT": "1",
        "MS_WORKER_NUM": str(options.worker_num),
        "RANK_SIZE": str(options.worker_num),
        "MS_ROLE": "MS_WORKER",
        "MS_SCHED_HOST": options.master_addr,
        "MS_SCHED_PORT": str(options.master_port),
        "MS_TOPO_TIMEOUT": str(options.cluster_time_out),
        "PYTHONUNBUFFERED": "1",
    }
    if options.rank_table_file:
        exported["RANK_TABLE_FILE"] = options.rank_table_file
    return {**os.environ, **exported}


def follow(job, logs):
    """Shows the output files as they grow, until the job ends."""
    read = [0] * len(logs)
    while True:
        is_finished = job.ended()
        for index, log in enumerate(logs):
            with open(log, "rb") as file:
                file.seek(read[index])
                fresh = file.read()
            read[index] += len(fresh)
            print_escaped(fresh.decode("utf-8", "replace"), end="", flush=True)
        if is_finished:
            return
        time.sleep(0.1)


if __name__ == "__main__":
    sys.exit(main())
