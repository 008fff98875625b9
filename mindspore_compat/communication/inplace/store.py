"""TCPStore: keys and values that processes share, stored by one of them and read over TCP.

The master listens; a thread for each connection answers. A request has one byte for the operation,
the milliseconds that `get` waits, the lengths of key and value, the key and the value. An answer is
one byte, a length, and a value. Several threads may use a store: idle connections are reused, and
one thread may wait in `get` while another calls `set`.
"""

import contextlib
import datetime
import socket
import struct
import threading
import time
import weakref

from ..._backend.starting import Thread
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Any, Bool, InstanceOf, Int, OneOf, Str, checked

REQUEST = struct.Struct("!cQQQ")
ANSWER = struct.Struct("!cQ")
SET, GET, ADD, DELETE, JOIN = b"S", b"G", b"A", b"D", b"J"
DONE, MISSING, REFUSED = b"+", b"-", b"!"
RETRY = 0.05  # seconds between attempts to reach a master that does not listen yet


@public("mint.distributed.TCPStore", "ops.communication.TCPStore", "ops.TCPStore")
class TCPStore:
    """A store of keys and values that processes share over TCP.

    One process is the master and holds the store; it ends with the master's TCPStore. The others
    connect to it, and wait for it to appear.

    Args:
        host_name (str): the master's address, or a name that leads to it.
        port (int): the port it listens on, in [1, 65535].
        world_size (int): how many processes use the store, the master among them.
            Default: ``None``, any number.
        is_master (bool): whether this process holds the store. Default: ``False``.
        timeout (datetime.timedelta): how long `get` waits for a key, a client for its master, and
            a master for its clients. Default: 300 seconds.
        wait_for_workers (bool): whether the master waits, when it is made, until the other
            `world_size` - 1 processes have connected. Default: ``True``.
        multi_tenant: accepted but ignored. Default: ``False``.
        master_listen_fd: accepted but ignored. Default: ``None``.
        use_libuv: accepted but ignored. Default: ``True``.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `port` or `world_size` is out of range, or `timeout` is negative.
        RuntimeError: if the address cannot be used, or the other side does not appear in time.

    Examples:
        >>> from mindspore_compat.mint.distributed import TCPStore
        >>> store = TCPStore("127.0.0.1", 18765, is_master=True)
        >>> store.set("colour", "green")
        >>> print(store.get("colour"))
        b'green'
        >>> print(store.add("count", 2), store.add("count", 3))
        2 5
        >>> print(store.delete_key("count"), store.delete_key("count"))
        True False

    Source: mindspore.mint.distributed.TCPStore of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        host_name: Str,
        port: Int(ge=1, le=65535) | OneOf(True),
        world_size: Int(ge=1) | OneOf(True) = None,
        is_master: Bool = False,
        timeout: Any = datetime.timedelta(seconds=300),
        wait_for_workers: Bool = True,
        multi_tenant: Any = False,
        master_listen_fd: Any = None,
        use_libuv: Any = True,
    ):
        port = int(port)
        seconds = seconds_of("TCPStore", timeout)
        self._timeout = seconds
        server = _Server(host_name, port) if is_master else None
        self._client = _Client(host_name, port, seconds)
        self._close = weakref.finalize(self, _end, self._client, server)
        try:
            if not is_master:
                self._client.ask(JOIN)
            elif world_size is not None and wait_for_workers:
                server.await_workers(world_size - 1, seconds)
        except BaseException:
            self._close()
            raise

    @checked
    def set(self, key: Str, value: Any):
        """Stores a value under a key and replaces any existing value.

        Args:
            key: the key.
            value (Union[bytes, str]): the value; a str is stored as UTF-8.

        Raises:
            TypeError: if `value` is neither.
            RuntimeError: if the master is gone.
        """
        InstanceOf(bytes, str).refuse("TCPStore.set", "value", value)
        self._client.ask(SET, 0, key, value.encode() if isinstance(value, str) else value)

    @checked
    def get(self, key: Str):
        """Returns the value of a key as bytes; waits for the key for up to `timeout`.

        Args:
            key: the key.

        Raises:
            RuntimeError: if no value came in time, or the master is gone.
        """
        code, value = self._client.ask(GET, int(self._timeout * 1000), key)
        if code == MISSING:
            raise RuntimeError(
                f"For 'TCPStore.get', there was no value for 'key' {key!r} within "
                f"{self._timeout} seconds."
            )
        return value

    @checked
    def add(self, key: Str, amount: Int | Bool):
        """Adds to a counter, which starts at 0, and returns its new value.

        Args:
            key: the key of the counter; `get` returns its digits.
            amount: the number to add.

        Raises:
            RuntimeError: if the key's value is not a whole number, or the master is gone.
        """
        code, value = self._client.ask(ADD, 0, key, str(int(amount)).encode())
        if code == REFUSED:
            raise RuntimeError(
                f"For 'TCPStore.add', the value of 'key' {key!r} must be a whole "
                f"number, but it is {value!r}."
            )
        return int(value)

    @checked
    def delete_key(self, key: Str):
        """Deletes a key and its value; returns whether the key existed.

        Args:
            key: the key.

        Raises:
            RuntimeError: if the master is gone.
        """
        code, _ = self._client.ask(DELETE, 0, key)
        return code == DONE


def seconds_of(api, timeout):
    """Returns a timedelta in seconds.

    Raises:
        TypeError: if `timeout` is not a timedelta.
        ValueError: if it is negative.
    """
    InstanceOf(datetime.timedelta).called("a datetime.timedelta").refuse(api, "timeout", timeout)
    if timeout < datetime.timedelta(0):
        raise ValueError(f"For '{api}', 'timeout' must not be negative, but got {timeout!r}.")
    return timeout.total_seconds()


def _end(client, server):
    client.close()
    if server is not None:
        server.close()


class _Server:
    """The stored values, and the threads that serve them."""

    def __init__(self, host, port):
        self.values = {}
        self.workers = 0
        self.closed = False
        self.changed = threading.Condition()
        self.connections = set()
        try:
            family, kind, protocol, _, address = socket.getaddrinfo(
                host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
            )[0]
            self.listener = socket.socket(family, kind, protocol)
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                self.listener.bind(address)
                self.listener.listen(128)
            except OSError:
                self.listener.close()
                raise
        except OSError as error:
            raise RuntimeError(
                f"For 'TCPStore', the master cannot listen on '{host}', port {port}: {error}."
            ) from error
        Thread(target=self.accept, name="TCPStore", daemon=True).start()

    def accept(self):
        """Starts a thread for each connection, until the listening socket is closed."""
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.changed:
                self.connections.add(connection)
            Thread(target=self.serve, args=(connection,), name="TCPStore", daemon=True).start()

    def serve(self, connection):
        """Answers the requests of one connection, until it ends."""
        try:
            while True:
                request, wait, key_size, value_size = REQUEST.unpack(
                    _receive_exactly(connection, REQUEST.size)
                )
                key, value = (
                    _receive_exactly(connection, key_size),
                    _receive_exactly(connection, value_size),
                )
                code, content = self.answer(request, wait, key, value)
                connection.sendall(ANSWER.pack(code, len(content)) + content)
        except OSError:
            pass  # the other side has left, or this side is closing
        finally:
            with self.changed:
                self.connections.discard(connection)
            connection.close()

    def answer(self, request, wait, key, value):
        """Returns the code and the value of the answer."""
        with self.changed:
            if request == SET:
                self.values[key] = value
            elif request == ADD:
                return self.added(key, value)
            elif request == DELETE:
                return (MISSING if self.values.pop(key, None) is None else DONE), b""
            elif request == JOIN:
                self.workers += 1
            else:
                self.changed.wait_for(lambda: key in self.values or self.closed, wait / 1000)
                return (DONE, self.values[key]) if key in self.values else (MISSING, b"")
            self.changed.notify_all()
            return DONE, b""

    def added(self, key, amount):
        """Answers a request to add to a counter, in the form of `answer`."""
        try:
            total = int(self.values.get(key, b"0")) + int(amount)
        except ValueError:
            return REFUSED, self.values[key]
        self.values[key] = str(total).encode()
        self.changed.notify_all()
        return DONE, self.values[key]

    def await_workers(self, count, seconds):
        """Waits until `count` clients have connected."""
        with self.changed:
            if not self.changed.wait_for(lambda: self.workers >= count, seconds):
                raise RuntimeError(
                    f"For 'TCPStore', {self.workers} of {count} clients connected "
                    f"within {seconds} seconds."
                )

    def close(self):
        """Ends the threads and releases the port."""
        with contextlib.suppress(OSError):
            self.listener.shutdown(socket.SHUT_RDWR)  # wakes up the accepting thread
        self.listener.close()
        with self.changed:
            self.closed = True
            self.changed.notify_all()
            for connection in self.connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)


class _Client:
    """The connections to a master; a request uses an idle connection or opens a new one."""

    def __init__(self, host, port, seconds):
        self.address = host, port
        self.seconds = seconds
        self.lock = threading.Lock()
        self.idle = []
        self.idle.append(self.connected())

    def connected(self):
        """Opens a new connection; retries until the timeout if the master does not listen yet."""
        end = time.monotonic() + self.seconds
        while True:
            try:
                connection = socket.create_connection(self.address, max(self.seconds, RETRY))
            except OSError as error:
                if time.monotonic() + RETRY > end or isinstance(error, socket.gaierror):
                    raise RuntimeError(
                        f"For 'TCPStore', there is no master at '{self.address[0]}',"
                        f" port {self.address[1]}: {error}."
                    ) from error
                time.sleep(RETRY)
            else:
                connection.settimeout(None)
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return connection

    def ask(self, request, wait=0, key="", value=b""):
        """Sends a request; returns the code and the value of the answer."""
        with self.lock:
            connection = self.idle.pop() if self.idle else None
        connection = connection or self.connected()
        name = key.encode()
        try:
            connection.sendall(REQUEST.pack(request, wait, len(name), len(value)) + name)
            connection.sendall(value)
            code, size = ANSWER.unpack(_receive_exactly(connection, ANSWER.size))
            answer = _receive_exactly(connection, size)
        except OSError as error:
            connection.close()
            raise RuntimeError(
                f"For 'TCPStore', the master at '{self.address[0]}', port "
                f"{self.address[1]} is gone: {error}."
            ) from error
        except BaseException:
            connection.close()  # half an answer may still arrive on it
            raise
        with self.lock:
            self.idle.append(connection)
        return code, answer

    def close(self):
        """Returns the idle connections to the pool."""
        with self.lock:
            for connection in self.idle:
                connection.close()
            self.idle.clear()


def _receive_exactly(connection, size):
    """Receives exactly `size` bytes.

    Raises:
        OSError: if the other side has closed.
    """
    parts = bytearray()
    while len(parts) < size:
        part = connection.recv(min(size - len(parts), 1 << 20))
        if not part:
            raise ConnectionError("the connection was closed")
        parts += part
    return bytes(parts)
