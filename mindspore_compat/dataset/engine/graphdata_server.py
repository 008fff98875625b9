"""A graph that several processes ask: one process reads it and answers the others over a socket.

A message is four bytes of length and JSON, never a pickle, so that nothing but numbers and text
comes in. An array is {"array": nested lists, "dtype": name}; keys of dicts that are whole numbers
come back as such. A question is [name, arguments]; an answer is ["ok", value] or the name of an
error with its text.
"""

import json
import socket
import socketserver
import threading

import numpy as np

_QUESTIONS = (
    "all_nodes",
    "all_edges",
    "ends",
    "between",
    "neighbors",
    "sampled",
    "strangers",
    "features",
    "info",
    "walks",
)
_ERRORS = {error.__name__: error for error in (RuntimeError, TypeError, ValueError)}


def serve(graph, hostname, port, clients, ends):
    """Answers questions about a graph.

    Args:
        graph (LocalGraph): the graph.
        hostname (str): where it listens.
        port (int): the port.
        clients (int): how many clients there are.
        ends (bool): whether it ends when that many came and went.

    Raises:
        RuntimeError: it cannot listen there.
    """
    one_at_a_time, gone = threading.Lock(), []

    class Talk(socketserver.BaseRequestHandler):
        """One client, from its first question to its last."""

        def handle(self):
            while (question := _received(self.request)) is not None:
                with one_at_a_time:
                    _send(self.request, _answer(graph, question))
            gone.append(self.client_address)
            if ends and len(gone) >= clients:
                threading.Thread(target=self.server.shutdown).start()

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    try:
        server = Server((hostname, port), Talk)
    except OSError as error:
        raise RuntimeError(
            f"For 'GraphData', the server cannot listen at {hostname}:{port}: {error}"
        ) from error
    with server:
        server.serve_forever(poll_interval=0.05)


def _answer(graph, question):
    name, arguments = question
    if name not in _QUESTIONS:
        return ["ValueError", f"There is no question {name!r}."]
    try:
        return ["ok", getattr(graph, name)(*arguments)]
    except tuple(_ERRORS.values()) as error:
        return [type(error).__name__, str(error)]


class Client:
    """What a graph elsewhere answers; its methods are those of LocalGraph.

    Args:
        hostname (str): where the server is.
        port (int): its port.

    Raises:
        RuntimeError: there is no server.
    """

    def __init__(self, hostname, port):
        try:
            self._socket = socket.create_connection((hostname, port), timeout=60)
        except OSError as error:
            raise RuntimeError(
                f"For 'GraphData', there is no server at {hostname}:{port}: {error}"
            ) from error

    def __getattr__(self, name):
        if name not in _QUESTIONS:
            raise AttributeError(name)

        def ask(*arguments):
            _send(self._socket, [name, list(arguments)])
            answer = _received(self._socket)
            if answer is None:
                raise RuntimeError("For 'GraphData', the server has ended.")
            kind, value = answer
            if kind != "ok":
                raise _ERRORS[kind](value)
            return value

        return ask

    def __del__(self):
        if "_socket" in self.__dict__:
            self._socket.close()


def _plain(value):
    if isinstance(value, np.ndarray):
        return {"array": value.tolist(), "dtype": value.dtype.name}
    return value.item()


def _rebuilt(found):
    if found.keys() == {"array", "dtype"}:
        return np.array(found["array"], found["dtype"])
    return {int(key) if key.lstrip("-").isdigit() else key: value for key, value in found.items()}


def _send(connection, message):
    data = json.dumps(message, default=_plain).encode()
    connection.sendall(len(data).to_bytes(4, "big") + data)


def _received(connection):
    """The next message, or None where the other side has gone."""
    length = _exactly(connection, 4)
    data = None if length is None else _exactly(connection, int.from_bytes(length, "big"))
    return None if data is None else json.loads(data, object_hook=_rebuilt)


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
