"""Jobs of `msrun` on several machines. The machines are network namespaces connected by a virtual
cable, if the system allows that. Some tests need only two `msrun` on this machine.
"""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time

import pytest
from kit.processes import alive, until
from kit.ranks import require_mpi

require_mpi()
if os.name == "nt":
    pytest.skip("namespaces are Linux's", allow_module_level=True)

SUM = """
import os
from mindspore_compat import Tensor, communication, ops
communication.init()
words = ("sum", communication.get_rank(), ops.AllReduce()(Tensor([1.0])),
         communication.get_local_rank(), os.getcwd(), os.environ["OF_NODE"])
os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # by one call: ranks share the pipe
"""
WAITS = """
import os, pathlib, sys, time
import mindspore_compat as ms
from mindspore_compat import communication
communication.init()
folder = pathlib.Path(sys.argv[1])
(folder / str(os.getpid())).touch()
time.sleep(600)
"""
FAILS = """
import sys, time
from mindspore_compat import communication
communication.init()
if communication.get_rank() == 3:
    sys.exit(7)
time.sleep(600)
"""


def unused_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


class Machines:
    """Two machines: the prefixes of commands that run on them, and the address of the first."""

    def __init__(self, prefixes=((), ()), address="127.0.0.1", names=()):
        self.prefixes, self.address, self.names = prefixes, address, names

    def unplug(self):
        subprocess.run([*self.prefixes[1], "ip", "link", "set", "msrun1", "down"], check=True)


@pytest.fixture
def cabled():
    """Two namespaces with a cable; skips the test if they cannot be created."""
    names = [f"msrun{os.getpid()}{end}" for end in "ab"]

    def ip(*words):
        return subprocess.run(["ip", *words], capture_output=True).returncode == 0

    def pair():
        for end, name in enumerate(names):
            inside = "-n", name
            yield ip("netns", "add", name) and ip(*inside, "link", "set", "lo", "up")
            if end:
                peer = "peer", "name", "msrun1", "netns", name
                yield ip("-n", names[0], "link", "add", "msrun0", "type", "veth", *peer)
        for end, name in enumerate(names):
            yield ip("-n", name, "addr", "add", f"10.77.0.{end + 1}/24", "dev", f"msrun{end}")
            yield ip("-n", name, "link", "set", f"msrun{end}", "up")

    try:
        if shutil.which("ip") is None or os.geteuid() or not all(pair()):
            pytest.skip("this system makes no network namespaces")
        prefixes = [("ip", "netns", "exec", name) for name in names]
        yield Machines(prefixes, "10.77.0.1", names)
    finally:
        for name in names:
            ip("netns", "del", name)


class Job:
    """An msrun on each of two machines, with two ranks each; all end with the test."""

    def __init__(self, folder, machines, script, workers=4, ranks=(0, 1), options=(), **variables):
        self.folder, self.processes = folder / "ranks", []
        self.folder.mkdir()
        (folder / "script.py").write_text(script)
        self.port = unused_port()
        for number, prefix in enumerate(machines.prefixes):
            (folder / str(number)).mkdir()
            self.processes.append(
                subprocess.Popen(
                    [
                        *prefix,
                        sys.executable,
                        "-m",
                        "mindspore_compat.msrun",
                        f"--worker_num={workers + (number if workers != 4 else 0)}",
                        "--local_worker_num=2",
                        f"--master_addr={machines.address}",
                        f"--master_port={self.port}",
                        f"--node_rank={ranks[number]}",
                        "--join=True",
                        *options,
                        str(folder / "script.py"),
                        str(self.folder),
                    ],
                    cwd=folder / str(number),
                    env={**os.environ, **variables, "OF_NODE": str(number)},
                    text=True,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                )
            )

    def __enter__(self):
        return self

    def __exit__(self, *error):
        for process in self.processes:
            process.kill()
            process.communicate()
        for name in self._ranks():
            if alive(name):
                os.kill(name, signal.SIGKILL)

    def _ranks(self):
        return list(map(int, os.listdir(self.folder)))

    def ready(self):
        until(lambda: len(self._ranks()) == 4, "the ranks have not begun")

    def ends(self, number, seconds=60):
        """The exit status and the output of one msrun."""
        output = self.processes[number].communicate(timeout=seconds)[0]
        return self.processes[number].returncode, output

    def all_gone(self):
        until(lambda: not any(map(alive, self._ranks())), "ranks are left")


def test_two_machines(tmp_path, cabled):
    with Job(tmp_path, cabled, SUM) as job:
        for number in (0, 1):
            status, output = job.ends(number)
            assert status == 0, output
            lines = sorted(line for line in output.splitlines() if line.startswith("sum"))
            folder = tmp_path / str(number)
            assert lines == [
                f"sum {2 * number + local} [4.] {local} {folder} {number}" for local in (0, 1)
            ]
            assert (folder / f"worker_{2 * number}.log").exists()


def test_numbers_are_assigned(tmp_path):
    """The first msrun that starts at the address of node 0 becomes node 0."""
    with Job(tmp_path, Machines(), SUM, ranks=(-1, -1)) as job:
        outputs = [job.ends(number) for number in (0, 1)]
        assert [status for status, _ in outputs] == [0, 0], outputs
        sums = [line[:8] for _, text in outputs for line in text.splitlines() if "sum" in line[:3]]
        assert sorted(sums) == [f"sum {rank} [4" for rank in range(4)]


def test_a_failing_rank_ends_the_job_everywhere(tmp_path, cabled):
    with Job(tmp_path, cabled, FAILS) as job:
        assert [job.ends(number)[0] for number in (0, 1)] == [7, 7]


@pytest.mark.parametrize("number", [0, 1])
def test_a_killed_machine_ends_the_job_everywhere(tmp_path, cabled, number):
    with Job(tmp_path, cabled, WAITS) as job:
        job.ready()
        job.processes[number].kill()
        start = time.monotonic()
        status, output = job.ends(1 - number)
        assert status and f"node {number}" in output, output
        assert time.monotonic() - start < 15
        job.all_gone()


def test_a_lost_machine_ends_the_job_everywhere(tmp_path, cabled):
    with Job(tmp_path, cabled, WAITS, MS_NODE_TIMEOUT="3") as job:
        job.ready()
        cabled.unplug()
        start = time.monotonic()
        for number in (0, 1):
            status, output = job.ends(number)
            assert status and "MS_NODE_TIMEOUT" in output, output
        assert time.monotonic() - start < 20
        job.all_gone()


def test_machines_that_do_not_fit_are_refused(tmp_path):
    with Job(tmp_path, Machines(), SUM, workers=5) as job:
        for number in (0, 1):
            status, output = job.ends(number)
            assert status == 1 and "--worker_num" in output, output


def test_machines_that_do_not_come_are_not_waited_for(tmp_path):
    for ranks, text in (((0, 0), "Only 1 nodes"), ((1, 2), "cannot be reached")):
        machines = Machines(((),))
        folder = tmp_path / str(ranks[0])
        folder.mkdir()
        with Job(folder, machines, SUM, ranks=ranks, options=["--cluster_time_out=1"]) as job:
            status, output = job.ends(0)
            assert status == 1 and text in output, output


def test_an_address_of_another_machine(tmp_path):
    with Job(tmp_path, Machines(((),), "192.0.2.1"), SUM) as job:
        status, output = job.ends(0)
        assert status == 1 and "assign requested address" in output, output


def test_an_mpi_that_cannot(tmp_path):
    program = tmp_path / "mpiexec"
    program.write_text("#!/bin/sh\necho 'mpiexec (Open MPI) 5.0'\n")
    program.chmod(0o755)
    code = (
        "from mindspore_compat.communication import msrun; "
        f"msrun.mpiexec = lambda: {str(program)!r}; "
        "msrun.main(['--worker_num=4', '--local_worker_num=2', 'script.py'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert done.returncode == 1 and "Hydra" in done.stderr, done.stderr


@pytest.mark.parametrize("sent", [b"7\n", b"no JSON\n"])
def test_a_peer_that_sends_no_message_counts_as_lost(sent):
    from mindspore_compat.communication.nodes import Line

    here, there = socket.socketpair()
    with here, there:
        there.sendall(sent)
        assert Line(here, "node 1").why_lost(60).startswith("node 1 has left the job")
