"""A server for a graph: one process reads the graph and answers queries of others over a socket.

There is neither authentication nor encryption: everyone who can reach the port can query the graph.
Restrict it to this machine ("127.0.0.1", the default) or to a network whose users may all read the
graph. Clients can only query: a message is JSON of bounded length, never a pickle, arrays are
numeric, and questions come from a fixed list with typed arguments.

A message consists of a length of four bytes and JSON. An array is {"array": nested lists, "dtype":
name}; integer keys of dicts are restored as integers. Client and server first exchange the word
"GraphData". A question is [name, arguments]; an answer is ["ok", value], or the name of an error
and its text.
"""

import json
import math
import socket
import socketserver
import threading

import numpy as np

from ... import log
from ..._backend.starting import Thread

LONGEST_QUESTION = 16 << 20  # bytes of JSON
LONGEST_ANSWER = 256 << 20
MOST_NUMBERS = 1 << 24  # in one answer, if the question states the number
SPARE_CONNECTIONS = 32  # in addition to the clients' connections; a stranger is disconnected soon
PATIENCE = 30.0  # seconds for a greeting, for the rest of a message, and for sending an answer

_GREETING = "GraphData"
_ERRORS = {error.__name__: error for error in (RuntimeError, TypeError, ValueError)}
_DTYPES = {np.dtype(code).name for code in "?bhilqBHILQefd"}


def _is_whole(value):
    return type(value) is int and -(1 << 31) <= value < 1 << 31


def _is_float(value):
    return type(value) is float and 0 < value < math.inf


def _is_thing(value):
    return isinstance(value, str) and value in ("node", "edge")


def _is_answer(value):
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], str)
        and (value[0] == "ok" or value[0] in _ERRORS)
    )


def _is_array(value):
    return isinstance(value, np.ndarray) and value.dtype == np.int64


def _is_list(value):
    return _is_array(value) and value.ndim == 1


def _is_pairs(value):
    return _is_array(value) and value.ndim == 2 and value.shape[1] == 2


# The callable methods of LocalGraph, with a check for each argument.
_QUESTIONS = {
    "all_nodes": (_is_whole,),
    "all_edges": (_is_whole,),
    "ends": (_is_list,),
    "between": (_is_pairs,),
    "neighbors": (_is_list, _is_whole),
    "sampled": (_is_list, _is_list, _is_list, _is_whole),
    "strangers": (_is_list, _is_whole, _is_whole),
    "features": (_is_thing, _is_array, _is_list),
    "info": (),
    "walks": (_is_list, _is_list, _is_float, _is_float, _is_whole),
}

# The number of values in an answer; for other questions it depends on the graph only.
_NUMBERS = {
    "neighbors": lambda graph, nodes, kind: sum(
        len(graph.near.get(node, {}).get(kind, ())) for node in nodes.tolist()
    ),
    "sampled": lambda graph, nodes, counts, *_: len(nodes) * sum(np.cumprod(counts, dtype=float)),
    "strangers": lambda graph, nodes, count, kind: len(nodes) * count,
    "features": lambda graph, thing, numbers, types: (
        numbers.size
        * sum(
            next(iter(graph.feature_values[thing].get(each, {0: np.empty(0)}).values())).size
            for each in types.tolist()
        )
    ),
    "walks": lambda graph, nodes, path, *_: len(nodes) * (len(path) + 1),
}


def serve(graph, hostname, port, clients, ends):
    """Answers questions about a graph.

    Args:
        graph (LocalGraph): the graph.
        hostname (str): the address to listen on.
        port (int): the port.
        clients (int): the number of clients.
        ends (bool): whether to stop after this number of clients has disconnected.

    Raises:
        RuntimeError: if it cannot listen on this address.
    """
    try:
        server = _Server((hostname, port), graph, clients, ends)
    except OSError as error:
        raise RuntimeError(
            f"For 'GraphData', the server cannot listen at {hostname}:{port}: {error}"
        ) from error
    with server:
        server.serve_forever(poll_interval=0.05)


class _Server(socketserver.ThreadingTCPServer):
    """The server, with its graph and the number of clients that have disconnected."""

    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, address, graph, clients, ends):
        super().__init__(address, _Talk)
        self.graph, self.clients, self.ends = graph, clients, ends
        self.one_at_a_time = threading.Lock()
        self.slots = threading.Semaphore(clients + SPARE_CONNECTIONS)
        self.gone = 0

    def verify_request(self, request, client_address):
        """Returns whether there is a slot for another connection."""
        return self.slots.acquire(blocking=False)


class _Talk(socketserver.BaseRequestHandler):
    """One client connection, from the greeting to the last query."""

    def handle(self):
        try:
            self.request.settimeout(PATIENCE)
            _check_greeting(self.request)
            _send(self.request, _GREETING)
            try:
                self._answer_all()
            finally:
                self._count()
        except (_Unfit, OSError) as error:
            log.warning(
                f"For 'GraphData', the connection from {self.client_address[0]} is given "
                f"up: {error}"
            )
        finally:
            self.server.slots.release()

    def _answer_all(self):
        while (question := _receive(self.request, LONGEST_QUESTION, wait=True)) is not None:
            with self.server.one_at_a_time:
                answer = _answer(self.server.graph, question)
            try:
                _send(self.request, answer)
            except (TypeError, ValueError) as error:
                _send(self.request, [_kind(error), str(error)])

    def _count(self):
        with self.server.one_at_a_time:
            self.server.gone += 1
            last = self.server.ends and self.server.gone >= self.server.clients
        if last:
            Thread(target=self.server.shutdown).start()


def _answer(graph, question):
    """Returns the answer to a question; the question may be any JSON value."""
    try:
        name, arguments = _parse_question(graph, question)
        return ["ok", getattr(graph, name)(*arguments)]
    except tuple(_ERRORS.values()) as error:
        return [_kind(error), str(error)]
    except Exception as error:  # the server must survive the error of any question
        return ["RuntimeError", f"{type(error).__name__}: {error}"]


def _kind(error):
    """Returns the name of an error's class, or of its base class in `_ERRORS`."""
    return next(class_.__name__ for class_ in type(error).__mro__ if class_.__name__ in _ERRORS)


def _parse_question(graph, question):
    """Checks a question and returns its name and arguments.

    Raises:
        ValueError: if it is not a question, or its answer has too many numbers.
    """
    fits = isinstance(question, list) and len(question) == 2 and isinstance(question[1], list)
    if not fits or not isinstance(question[0], str) or question[0] not in _QUESTIONS:
        raise ValueError(
            "For 'GraphData', a question must be [name, arguments], with the name one "
            f"of {', '.join(_QUESTIONS)}."
        )
    name, arguments = question
    checks = _QUESTIONS[name]
    if len(arguments) != len(checks) or not all(
        check(argument) for check, argument in zip(checks, arguments)
    ):
        raise ValueError(
            f"For 'GraphData', the arguments of the question '{name}' must be "
            f"{len(checks)} of other types or ranges."
        )
    count = _NUMBERS[name](graph, *arguments) if name in _NUMBERS else 0
    if count > MOST_NUMBERS:
        raise ValueError(
            f"For 'GraphData', an answer of a server must have at most {MOST_NUMBERS} "
            f"numbers, but the question '{name}' asks for {count:.0f}."
        )
    return name, arguments


class Client:
    """A client of a graph server; it has the methods of LocalGraph.

    Args:
        hostname (str): the host of the server.
        port (int): the port of the server.

    Raises:
        RuntimeError: if no server answers.
    """

    def __init__(self, hostname, port):
        try:
            self._socket = socket.create_connection((hostname, port), timeout=60)
            _send(self._socket, _GREETING)
            _check_greeting(self._socket)
        except (OSError, _Unfit) as error:
            raise RuntimeError(
                f"For 'GraphData', there is no server at {hostname}:{port}: {error}"
            ) from error

    def __getattr__(self, name):
        if name not in _QUESTIONS:
            raise AttributeError(name)
        return lambda *arguments: self._ask(name, arguments)

    def _ask(self, name, arguments):
        try:
            _send(self._socket, [name, list(arguments)], LONGEST_QUESTION)
            answer = _receive(self._socket, LONGEST_ANSWER)
            if answer is not None and not _is_answer(answer):
                raise _Unfit("what it says is no answer")
        except (OSError, _Unfit) as error:
            raise RuntimeError(f"For 'GraphData', the server does not answer: {error}") from error
        if answer is None:
            raise RuntimeError("For 'GraphData', the server has ended.")
        kind, value = answer
        if kind != "ok":
            raise _ERRORS[kind](value)
        return value

    def __del__(self):
        if "_socket" in self.__dict__:
            self._socket.close()


class _Unfit(Exception):
    """A message that does not follow the protocol."""


def _plain(value):
    if isinstance(value, np.ndarray):
        if value.dtype.name not in _DTYPES:
            raise TypeError(
                f"For 'GraphData', a server answers with numeric arrays, but this one "
                f"is of dtype {value.dtype}."
            )
        return {"array": value.tolist(), "dtype": value.dtype.name}
    return value.item()


def _rebuild(mapping):
    if mapping.keys() == {"array", "dtype"}:
        if mapping["dtype"] not in _DTYPES:
            raise ValueError(f"an array must be of a numeric dtype, not {mapping['dtype']!r:.40}")
        return np.array(mapping["array"], mapping["dtype"])
    return {int(key) if key.lstrip("-").isdigit() else key: value for key, value in mapping.items()}


def _send(connection, message, longest=LONGEST_ANSWER):
    """Sends a message.

    Raises:
        TypeError: if it contains anything but numbers and text.
        ValueError: if it is too long.
    """
    data = json.dumps(message, default=_plain).encode()
    if len(data) > longest:
        raise ValueError(
            f"For 'GraphData', a message between client and server must have at most "
            f"{longest} bytes, but this one has {len(data)}: ask about fewer at once."
        )
    connection.sendall(len(data).to_bytes(4, "big") + data)


def _check_greeting(connection):
    """Refuses a peer that does not begin with the greeting."""
    greeting = _receive(connection, LONGEST_QUESTION)
    if not isinstance(greeting, str) or greeting != _GREETING:
        raise _Unfit("the other side is no GraphData")


def _receive(connection, longest, wait=False):
    """Returns the next message, or None if the peer has disconnected.

    Args:
        connection (socket.socket): the connection.
        longest (int): the maximum length of a message in bytes.
        wait (bool): whether to wait for the message without a time limit.

    Raises:
        _Unfit: if it is too long or not a message.
        TimeoutError: if the peer stops within a message.
    """
    patience = connection.gettimeout()
    connection.settimeout(None if wait else patience)
    first = _exactly(connection, 1)
    connection.settimeout(patience)
    rest = None if first is None else _exactly(connection, 3)
    if rest is None:
        return None
    length = int.from_bytes(first + rest, "big")
    if length > longest:
        raise _Unfit(f"a message has at most {longest} bytes, not {length}")
    data = _exactly(connection, length)
    try:
        return None if data is None else json.loads(data, object_hook=_rebuild)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise _Unfit(f"{type(error).__name__}: {error}") from error


def _exactly(connection, count):
    parts = []
    while count:
        try:
            part = connection.recv(min(count, 1 << 20))
        except ConnectionError:
            return None
        if not part:
            return None
        parts.append(part)
        count -= len(part)
    return b"".join(parts)
