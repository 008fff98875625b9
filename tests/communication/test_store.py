"""TCPStore: keys and values that several clients share over TCP."""

import datetime
import gc
import subprocess
import sys
import threading

import pytest

from mindspore_compat.mint.distributed import TCPStore

SHORT = datetime.timedelta(milliseconds=200)
LONG = datetime.timedelta(seconds=60)


@pytest.fixture
def master(unused_port):
    return TCPStore("127.0.0.1", unused_port, is_master=True, timeout=LONG)


def client_of(master, timeout=LONG):
    return TCPStore(*master._client.address, timeout=timeout)


def test_values_are_bytes(master):
    assert master.set("text", "grüße") is None
    assert master.get("text") == "grüße".encode()
    master.set("text", b"\x00\xff")
    assert master.get("text") == b"\x00\xff"
    master.set("", "")
    assert master.get("") == b""
    large = bytes(range(256)) * (1 << 16)
    master.set("large" * 1000, large)
    assert master.get("large" * 1000) == large


def test_counters(master):
    assert master.add("count", 5) == 5
    assert master.add("count", -7) == -2
    assert master.get("count") == b"-2"
    assert master.add("count", True) == -1
    master.set("number", "10")
    assert master.add("number", 10**30) == 10**30 + 10
    master.set("word", "ten")
    with pytest.raises(RuntimeError, match="word"):
        master.add("word", 1)
    assert master.get("word") == b"ten"


def test_deleting(master):
    master.set("key", "")
    assert master.delete_key("key") is True
    assert master.delete_key("key") is False
    with pytest.raises(RuntimeError, match="within 0.2 seconds"):
        client_of(master, SHORT).get("key")


def test_clients_see_one_store(master):
    first, second = client_of(master), client_of(master)
    first.set("key", "first")
    assert second.get("key") == b"first"
    assert second.add("count", 1) + first.add("count", 1) + master.add("count", 1) == 6


def test_get_waits_for_another_thread_of_the_same_store(master):
    store, found = client_of(master), []
    waiting = threading.Thread(target=lambda: found.append(store.get("late")))
    waiting.start()
    store.set("early", "1")
    store.set("late", "2")
    waiting.join(60)
    assert found == [b"2"]


def test_many_clients_add_at_once(master):
    def adding():
        store = client_of(master)
        for _ in range(50):
            store.add("count", 1)

    threads = [threading.Thread(target=adding) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert master.get("count") == b"400"


def test_client_waits_for_its_master(unused_port):
    made = []
    waiting = threading.Thread(
        target=lambda: made.append(TCPStore("127.0.0.1", unused_port, timeout=LONG))
    )
    waiting.start()
    master = TCPStore("127.0.0.1", unused_port, 2, is_master=True, timeout=LONG)
    waiting.join(60)
    made[0].set("key", "value")
    assert master.get("key") == b"value"


def test_nobody_there(unused_port):
    with pytest.raises(RuntimeError, match="no master"):
        TCPStore("127.0.0.1", unused_port, timeout=SHORT)
    with pytest.raises(RuntimeError, match="0 of 1 clients"):
        TCPStore("127.0.0.1", unused_port, 2, is_master=True, timeout=SHORT)
    alone = TCPStore("127.0.0.1", unused_port, 2, True, SHORT, wait_for_workers=False)
    with pytest.raises(RuntimeError, match="cannot listen"):
        TCPStore("127.0.0.1", unused_port, is_master=True)
    assert alone.add("count", 1) == 1


def test_port_is_given_back(unused_port):
    for _ in range(3):
        store = TCPStore("127.0.0.1", unused_port, is_master=True)
        other = client_of(store)
        store.set("key", "value")
        del store
        gc.collect()
        with pytest.raises(RuntimeError, match="gone"):
            other.get("key")


def test_process_ends_with_a_store_open(unused_port):
    program = (
        "from mindspore_compat.mint.distributed import TCPStore\n"
        f"store = TCPStore('127.0.0.1', {unused_port}, is_master=True)\n"
        f"other = TCPStore('127.0.0.1', {unused_port})\n"
        "other.set('key', 'value'), print(store.get('key'))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"b'value'\n", b"")


@pytest.mark.parametrize(
    "arguments, error, name",
    [
        ({"host_name": 1}, TypeError, "host_name"),
        ({"port": "1"}, TypeError, "port"),
        ({"port": 0}, ValueError, "port"),
        ({"port": 65536}, ValueError, "port"),
        ({"world_size": 1.0}, TypeError, "world_size"),
        ({"world_size": 0}, ValueError, "world_size"),
        ({"is_master": 1}, TypeError, "is_master"),
        ({"timeout": 3}, TypeError, "timeout"),
        ({"timeout": -LONG}, ValueError, "timeout"),
        ({"wait_for_workers": None}, TypeError, "wait_for_workers"),
        ({"host_name": "no such name", "timeout": SHORT}, RuntimeError, "TCPStore"),
    ],
)
def test_refused(arguments, error, name, unused_port):
    given = {"host_name": "127.0.0.1", "port": unused_port, "is_master": True, **arguments}
    with pytest.raises(error, match=name):
        TCPStore(**given)


def test_settings_that_nothing_reads_may_be_anything(unused_port):
    store = TCPStore("127.0.0.1", unused_port, True, True, LONG, True, "some", (1, 2), None)
    store.set("key", "value")
    assert store.get("key") == b"value"


@pytest.mark.parametrize(
    "call",
    [
        lambda store: store.set(1, "value"),
        lambda store: store.set("key", 1),
        lambda store: store.get(b"key"),
        lambda store: store.add(1, 1),
        lambda store: store.add("key", 1.0),
        lambda store: store.delete_key(None),
    ],
)
def test_wrong_types(call, master):
    with pytest.raises(TypeError):
        call(master)
