"""Jobs on several machines, the *nodes*: each runs an `msrun-compat` with the same `--master_addr`
and `--master_port`. That of node 0 starts `mpiexec`, the others join it.

    node 0                                          node 1
    listens on master_addr:master_port
                                        <---------  {"node_rank": 1, "workers": 2, "command": ...}
    mpiexec -launcher manual ...
    one command for each node           --------->  {"first": 2, "launch": ...}
    runs its own command                            runs the command: it starts ranks 2 and 3
    {"alive": true} each second         <-------->  {"alive": true} each second
    {"status": 0} at the end            <-------->  {"status": 0} at the end

`mpiexec` prints the commands instead of starting them through `ssh`; only Hydra's does (MPICH). The
processes are connected by MPI itself. Messages are lines of JSON, without authentication.
"""

import json
import math
import os
import select
import socket
import subprocess
import time
from pathlib import Path

from .. import log

_BEAT = 1  # seconds between two signs of life
_RETRY = 0.2  # seconds between two attempts to reach node 0
_GREETING = 10  # seconds in which a node must introduce itself
_END = "HYDRA_LAUNCH_END"


class Line:
    """A connection between two nodes, over which they send messages: dicts.

    Args:
        connection (socket.socket): the connection.
        peer (str): the name of the other node, for errors.
    """

    def __init__(self, connection, peer):
        self.connection, self.peer, self.unread = connection, peer, b""
        self.heard = self.told = time.monotonic()
        self.status = None  # the exit status that the other node has sent

    def send(self, **message):
        """Sends a message; raises an OSError if the other node is gone."""
        self.connection.sendall(json.dumps(message).encode() + b"\n")
        self.told = time.monotonic()

    def receive(self, deadline):
        """Returns the next message.

        Raises:
            OSError: if the other node is gone, or nothing comes before `deadline`.
            ValueError: if the other node sends anything but a message.
        """
        while b"\n" not in self.unread:
            wait = None if deadline == math.inf else max(deadline - time.monotonic(), 0)
            if not select.select([self.connection], [], [], wait)[0]:
                raise TimeoutError(f"{self.peer} has not answered")
            data = self.connection.recv(1 << 16)
            if not data:
                raise ConnectionError(f"{self.peer} has left the job")
            self.unread += data
        self.heard = time.monotonic()
        text, _, self.unread = self.unread.partition(b"\n")
        message = json.loads(text)
        if not isinstance(message, dict):
            raise ValueError(f"{self.peer} has sent {message!r}, which is no message")
        return message

    def why_lost(self, limit):
        """Exchanges signs of life; returns why the other node is lost, else None.

        Args:
            limit (float): the seconds without a sign of life after which it counts as lost.
        """
        try:
            if time.monotonic() - self.told > _BEAT:
                self.send(alive=True)
            while self.status is None:
                self.status = self.receive(time.monotonic()).get("status")
        except TimeoutError:
            if time.monotonic() - self.heard > limit:
                return f"{self.peer} has shown no life for {limit} seconds ('MS_NODE_TIMEOUT')"
        except (OSError, ValueError) as error:
            return f"{self.peer} has left the job ({error})"
        return None

    def final_status(self, seconds):
        """Returns the exit status of the other node, waiting for it; 1 if none comes."""
        deadline = time.monotonic() + seconds
        try:
            while self.status is None:
                self.status = self.receive(deadline).get("status")
        except (OSError, ValueError) as error:
            log.error("msrun: %s has not ended the job: %s.", self.peer, error)
            return 1
        return self.status


class Nodes:
    """The connections of this node: node 0 is connected to all others, and each of these to node 0.

    Attributes:
        number (int): the number of this node.
        first (int): its first rank.
        launch (list[str]): on another node than 0 the arguments of `proxy_of`, which starts its
            processes.
        starter (list[str]): on node 0 the command of `mpiexec`.
        workers (list[int]): on node 0 the number of processes of each node.
    """

    def __init__(self, lines, number, first=0, launch=None, starter=None, workers=None):
        self.lines, self.number, self.first = lines, number, first
        self.launch, self.starter, self.workers = launch, starter, workers

    def why_lost(self, limit):
        """Exchanges signs of life; returns why another node is lost, else None."""
        return next(filter(None, [line.why_lost(limit) for line in self.lines]), None)

    def end(self, status, seconds):
        """Sends the exit status of this node to the others; returns the worst status of all
        nodes."""
        if self.number:
            self._tell(status)
        statuses = [line.final_status(seconds) for line in self.lines]
        worst = max(status, *statuses)
        if not self.number:
            self._tell(worst)
        for line in self.lines:
            line.connection.close()
        return worst

    def _tell(self, status):
        for line in self.lines:
            try:
                line.send(status=status)
            except OSError:
                pass  # the node is gone; `final_status` notices it


def listener(options):
    """Returns the socket on which node 0 waits for the others; None on another node. Without
    `--node_rank`, node 0 is the first that starts at `--master_addr`.

    Raises:
        OSError: if `--node_rank` is 0, but this machine does not have the address, or something
            else has the port.
    """
    if options.node_rank > 0:
        return None
    try:
        return socket.create_server((options.master_addr, options.master_port))
    except OSError:
        if options.node_rank == 0:
            raise
        return None


def joined(options, command):
    """Joins node 0, and returns the Nodes of this node.

    Args:
        options: the options of msrun.
        command (list[str]): what each process of this node runs.

    Raises:
        RuntimeError: if node 0 cannot be reached within `--cluster_time_out`, or refuses.
    """
    peer = f"node 0 ({options.master_addr}:{options.master_port})"
    deadline = _deadline(options)
    while True:
        try:
            address = options.master_addr, options.master_port
            line = Line(socket.create_connection(address, _GREETING), peer)
            break
        except OSError as error:
            if time.monotonic() > deadline:
                raise RuntimeError(f"{peer} cannot be reached: {error}") from error
            time.sleep(_RETRY)
    try:
        line.send(**_introduction(options, command))
        answer = line.receive(deadline)
    except OSError as error:
        raise RuntimeError(f"{peer} does not start the job: {error}") from error
    if "error" in answer:
        raise RuntimeError(f"{peer} has refused this node: {answer['error']}")
    return Nodes([line], answer["number"], answer["first"], answer["launch"])


def gathered(listener, options, command, mpiexec):
    """Waits as node 0 for the other nodes, and returns the Nodes of node 0.

    Args:
        listener (socket.socket): where the others connect; it is closed.
        options: the options of msrun.
        command (list[str]): what each process of this node runs.
        mpiexec (list[str]): the command of mpiexec, without processes.

    Raises:
        RuntimeError: if nodes do not fit each other, or do not come within `--cluster_time_out`.
    """
    members = [(None, _introduction(options, command))]
    deadline = _deadline(options)
    with listener:
        while sum(node["workers"] for _, node in members) < options.worker_num:
            members.append(_accepted(listener, deadline, members, options))
            if problem := _problem([node for _, node in members], options.worker_num):
                for line, _ in members[1:]:
                    line.send(error=problem)
                raise RuntimeError(problem)
    members = [members[0], *_in_order(members[1:])]
    nodes = [node for _, node in members]
    hosts = ",".join(f"node{number}:{node['workers']}" for number, node in enumerate(nodes))
    starter = [*mpiexec, "-launcher", "manual", "-localhost", options.master_addr, "-genvnone"]
    starter += ["-hosts", hosts]
    for number, node in enumerate(nodes):
        starter += [":"] if number else []
        starter += ["-n", str(node["workers"]), "-wdir", node["folder"], *node["command"]]
    lines = [line for line, _ in members[1:]]
    for number, line in enumerate(lines, 1):
        line.peer = f"node {number} ({line.connection.getpeername()[0]})"
    return Nodes(lines, 0, starter=starter, workers=[node["workers"] for node in nodes])


def start(nodes, output, process):
    """Reads the commands that mpiexec printed, sends the other nodes theirs, and returns the
    command of node 0.

    Args:
        nodes (Nodes): those of node 0.
        output (Path): the file that mpiexec writes to.
        process (subprocess.Popen): mpiexec.

    Raises:
        RuntimeError: if mpiexec ends without such commands.
    """
    while _END not in (text := output.read_text("utf-8", "replace")):
        if process.poll() is not None:
            raise RuntimeError(f"'mpiexec' could not start the job: {text.strip()}")
        time.sleep(0.01)
    lines = [line.split() for line in text.splitlines()]
    commands = [words[2:] for words in lines if words[:1] == ["HYDRA_LAUNCH:"]]
    first = 0
    for number, (command, count) in enumerate(zip(commands, nodes.workers, strict=True)):
        if number:
            nodes.lines[number - 1].send(number=number, first=first, launch=command)
        first += count
    return commands[0]


def proxy_of(mpiexec):
    """Returns the program of Hydra that starts the processes of one node."""
    return str(Path(mpiexec).resolve().parent / "hydra_pmi_proxy")


def need_hydra(mpiexec):
    """Raises a RuntimeError if `mpiexec` cannot be joined by other nodes."""
    version = subprocess.run([mpiexec, "--version"], capture_output=True, text=True).stdout
    launchers = next((text for text in version.splitlines() if "Launchers available" in text), "")
    if "manual" not in launchers.split():
        raise RuntimeError(
            f"Several machines need an MPI whose 'mpiexec' is Hydra with the launcher 'manual', "
            f"such as MPICH, but {mpiexec} is not. Start its processes with {mpiexec} itself, with "
            f"'python -m mindspore_compat ...' behind it."
        )


def _introduction(options, command):
    return {
        "node_rank": options.node_rank,
        "workers": options.local_worker_num,
        "worker_num": options.worker_num,
        "command": command,
        "folder": os.getcwd(),
    }


def _deadline(options):
    limit = options.cluster_time_out
    return math.inf if limit < 0 else time.monotonic() + limit


def _accepted(listener, deadline, members, options):
    """Returns the next node that connects: its Line and its introduction."""
    while True:
        wait = None if deadline == math.inf else max(deadline - time.monotonic(), 0)
        if not select.select([listener], [], [], wait)[0]:
            count = sum(node["workers"] for _, node in members)
            raise RuntimeError(
                f"Only {len(members)} nodes with {count} of {options.worker_num} processes "
                f"have come within {options.cluster_time_out} seconds ('--cluster_time_out')."
            )
        connection, (address, *_) = listener.accept()
        line = Line(connection, f"the node at {address}")
        try:
            node = line.receive(time.monotonic() + _GREETING)
            if {"node_rank", "workers", "worker_num", "command", "folder"} <= node.keys():
                return line, node
        except (OSError, ValueError, AttributeError):
            pass  # not an msrun
        connection.close()


def _problem(nodes, worker_num):
    """Returns why nodes cannot start a job together, else None."""
    numbers = [node["node_rank"] for node in nodes if node["node_rank"] > 0]
    total = sum(node["workers"] for node in nodes)
    if any(node["worker_num"] != worker_num for node in nodes):
        given = sorted({node["worker_num"] for node in nodes})
        return f"All nodes must give the same --worker_num, but got {given}."
    if len(set(numbers)) < len(numbers):
        return f"Each node must have its own --node_rank, but got {sorted(numbers)}."
    if total > worker_num:
        counts = [node["workers"] for node in nodes]
        return f"--local_worker_num of the nodes must add up to {worker_num}, but got {counts}."
    return None


def _in_order(members):
    """Returns the nodes after node 0, sorted by their numbers. Nodes without a number fill the
    gaps.
    """
    named = {node["node_rank"]: (line, node) for line, node in members if node["node_rank"] > 0}
    others = [member for member in members if member[1]["node_rank"] < 0]
    order, number = [], 1
    while named or others:
        if number in named:
            order.append(named.pop(number))
        elif others:
            order.append(others.pop(0))
        number += 1
    return order
