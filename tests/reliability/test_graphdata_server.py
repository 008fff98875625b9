"""The graph-data server under attack: it keeps answering its clients."""

import json
import socket
import struct
import threading

import numpy as np
import pytest

from mindspore_compat.dataset.engine import graphdata_server as server_module
from mindspore_compat.dataset.engine.graphdata import LocalGraph, Twister
from mindspore_compat.dataset.engine.graphdata_server import Client

HOST = "127.0.0.1"


class Ring(LocalGraph):
    """Three nodes of type 1 in a ring, with a feature of 1000 numbers."""

    def __init__(self):
        self.nodes = dict.fromkeys(range(3), 1)
        self.edges = {10 + node: (5, node, (node + 1) % 3) for node in range(3)}
        self.edge_of = {(node, (node + 1) % 3): 10 + node for node in range(3)}
        self.near = {node: {1: [((node + 1) % 3, 1.0)]} for node in range(3)}
        self.feature_values = {
            "node": {
                1: {node: np.full(1000, node) for node in range(3)},
                2: {node: np.full(2, "text") for node in range(3)},
            },
            "edge": {},
        }
        self.random = Twister(0)


@pytest.fixture
def port(monkeypatch):
    monkeypatch.setattr(server_module, "PATIENCE", 0.5)
    before = set(threading.enumerate())
    server = server_module._Server((HOST, 0), Ring(), 100, False)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield server.server_address[1]
    server.shutdown()
    server.server_close()
    left = [thread for thread in threading.enumerate() if thread not in before]
    for thread in left:
        thread.join(20)
    assert not any(thread.is_alive() for thread in left)


def message(value, length=None):
    data = value if isinstance(value, bytes) else json.dumps(value).encode()
    return struct.pack(">I", len(data) if length is None else length) + data


def connected(port, greet=True):
    made = socket.create_connection((HOST, port), timeout=20)
    if greet:
        made.sendall(message("GraphData"))
        assert made.recv(100) == message("GraphData")
    return made


def answered(port):
    """Asserts that a client is answered."""
    client = Client(HOST, port)
    assert client.all_nodes(1).tolist() == [0, 1, 2]
    client._socket.close()


def given_up(connection):
    """Whether the server closes a connection without an answer."""
    try:
        return connection.recv(100) == b""
    except ConnectionError:
        return True


def array(values, dtype):
    return {"array": values, "dtype": dtype}


STRANGE = {
    "no JSON": message(b"\x80\x04K\x01."),  # a pickle
    "nothing": message(None),
    "no UTF-8": message(b"\xff\xfe\xfd"),
    "a length that is none": b"GET / HTTP/1.1\r\n\r\n",
    "too long": struct.pack(">I", (1 << 32) - 1),
    "nested deep": message(b"[" * 100_000),
    "a dtype of objects": message(["ends", [array([1], "object")]]),
    "a dtype of text": message(["ends", [array(["a"], "U1000000000")]]),
    "a dtype of fields": message(["ends", [array([1], "i4,i8")]]),
    "a dtype that is a list": message(["ends", [array([1], [["a", "i4"]])]]),
    "a ragged array": message(["ends", [array([[1], [2, 3]], "int64")]]),
    "a number beyond the dtype": message(["ends", [array([1 << 70], "int64")]]),
    "a number of 5000 digits": message(b'["all_nodes", [' + b"9" * 5000 + b"]]"),
    "a key that is no number": message(b'{"\xc2\xb2": 1}'),
}


@pytest.mark.parametrize("name", STRANGE)
@pytest.mark.parametrize("greet", [True, False])
def test_what_is_no_message_ends_the_connection(name, greet, port):
    with connected(port, greet) as stranger:
        stranger.sendall(STRANGE[name])
        assert given_up(stranger)
    answered(port)


whole = array([0, 1], "int64")


@pytest.mark.parametrize(
    "question",
    [
        1,
        "info",
        [],
        ["info"],
        ["info", {}],
        [["info"], []],
        ["__init__", []],
        ["near", []],
        ["_known", [1]],
        ["no such", []],
        ["info", [1]],
        ["all_nodes", ["1"]],
        ["all_nodes", [True]],
        ["all_nodes", [1 << 40]],
        ["ends", [[1]]],
        ["ends", [array([1.5], "float64")]],
        ["ends", [array([[1]], "int64")]],
        ["between", [whole]],
        ["neighbors", [whole]],
        ["features", ["kept", whole, whole]],
        ["features", [whole, whole, whole]],
        ["walks", [whole, whole, 0.0, 1.0, 1]],
        ["walks", [whole, whole, float("nan"), 1.0, 1]],
    ],
    ids=str,
)
def test_what_is_no_question_is_refused(question, port):
    with connected(port) as stranger:
        stranger.sendall(message(question))
        length = struct.unpack(">I", stranger.recv(4))[0]
        assert json.loads(stranger.recv(length))[0] == "ValueError"
        stranger.sendall(message(["info", []]))
        assert stranger.recv(4)
    answered(port)


@pytest.mark.parametrize(
    "question, error",
    [
        (lambda ask: ask.all_nodes(9), RuntimeError),
        (lambda ask: ask.strangers(np.array([0]), (1 << 31) - 1, 1), ValueError),
        (lambda ask: ask.sampled(np.array([0]), np.full(6, 1000), np.full(6, 1), 0), ValueError),
        (lambda ask: ask.walks(np.zeros(5000, int), np.full(5000, 1), 1.0, 1.0, 0), ValueError),
        (lambda ask: ask.features("node", np.zeros(1 << 15, int), np.array([1])), ValueError),
        (lambda ask: ask.features("node", np.array([0]), np.array([2])), TypeError),
        (lambda ask: ask.ends(np.zeros(1 << 23, int)), ValueError),
        (lambda ask: ask.sampled(np.array([0]), np.array([1, 1]), np.array([1]), 0), ValueError),
    ],
)
def test_a_refused_question_leaves_the_client(question, error, port):
    client = Client(HOST, port)
    with pytest.raises(error):
        question(client)
    assert client.all_nodes(1).tolist() == [0, 1, 2]


def test_a_long_answer_is_an_error(port, monkeypatch):
    monkeypatch.setattr(server_module._send, "__defaults__", (1000,))
    client = Client(HOST, port)
    with pytest.raises(ValueError, match="at most 1000 bytes"):
        client.features("node", np.array([0]), np.array([1]))
    assert client.all_nodes(1).tolist() == [0, 1, 2]


def test_who_says_nothing_is_given_up(port):
    silent = [connected(port, greet=False) for _ in range(5)]
    begun = connected(port)
    begun.sendall(message(["info", []])[:5])
    answered(port)
    for each in [*silent, begun]:
        assert given_up(each)
        each.close()


def test_who_takes_no_answer_keeps_nobody_waiting(port):
    with connected(port) as greedy:
        nodes = array([0] * 1000, "int64")  # a million numbers come
        greedy.sendall(message(["features", ["node", nodes, array([1], "int64")]]))
        answered(port)


def test_more_connections_than_places_are_refused(monkeypatch):
    with socket.socket() as taken:
        taken.bind((HOST, 0))
        number = taken.getsockname()[1]
    monkeypatch.setattr(server_module, "SPARE_CONNECTIONS", 1)
    made = server_module._Server((HOST, number), Ring(), 1, True)
    serving = threading.Thread(target=made.serve_forever, args=(0.02,))
    serving.start()
    first, second = connected(number), connected(number, greet=False)
    third = connected(number, greet=False)
    assert given_up(third)
    second.close()
    assert serving.is_alive()  # a connection that closes at once does not count as a client
    first.close()
    serving.join(20)
    assert not serving.is_alive()
    made.server_close()


@pytest.mark.parametrize("says", [message("GraphDat"), b"220 mail\r\n", message(["ok", 1]), b""])
def test_a_client_refuses_another_server(says):
    with socket.create_server((HOST, 0)) as other:

        def talk():
            connection, _ = other.accept()
            with connection:
                connection.sendall(says)

        threading.Thread(target=talk, daemon=True).start()
        with pytest.raises(RuntimeError, match="no server"):
            Client(HOST, other.getsockname()[1])


@pytest.mark.parametrize("says", [1, ["ok"], ["KeyError", "text"], {"ok": 1}, b"nothing", None])
def test_a_client_refuses_what_is_no_answer(says):
    with socket.create_server((HOST, 0)) as other:

        def talk():
            connection, _ = other.accept()
            with connection:
                connection.recv(100)
                connection.sendall(message("GraphData"))
                connection.recv(1000)
                if says is not None:
                    connection.sendall(message(says))

        threading.Thread(target=talk, daemon=True).start()
        client = Client(HOST, other.getsockname()[1])
        with pytest.raises(RuntimeError, match="server"):
            client.all_nodes(1)
