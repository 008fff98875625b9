"""Exchanges of Python objects among the ranks of a group: everything that pickles.

Objects travel through mpi4py, on the host. As with arrays (collective.py), headers come first, so
ranks that call different operations get an error. The steps after the header: object_steps.py.
"""

import pickle

from . import headers, object_steps
from .pending import Pending


class ObjectExchangesMixin:
    """The exchanges of objects of a `Group`."""

    def objects(self, value):
        """Returns the values of all members (anything that pickles), as a list in their order.

        If a member has no memory for what it receives, it raises MemoryError, and the others
        RuntimeError. The same holds for the exchanges below.
        """
        if self.size == 1:
            return [value]
        content = object_steps.content_of(value)
        return self._exchanged("all_gather of objects", object_steps.gather, content)

    def broadcast_object(self, value, root):
        """Returns the value of member `root`, for every member."""
        if self.size == 1:
            return value
        content = object_steps.content_of(value if self.rank == root else None)
        call = f"broadcast from {self._name_of(root)} of an object"
        return (self._exchanged(call, object_steps.broadcast, content, root) or [value])[0]

    def gather_objects(self, value, root):
        """Returns the values of all members as a list, for member `root`; None for the others."""
        if self.size == 1:
            return [value]
        content = object_steps.content_of(value)
        call = f"gather to {self._name_of(root)} of objects"
        return self._exchanged(call, object_steps.gather, content, root) or None

    def scatter_objects(self, values, root):
        """Returns this member's element of the list that member `root` passes."""
        if self.size == 1:
            return values[0]
        contents = list(map(object_steps.content_of, values)) if self.rank == root else None
        call = f"scatter from {self._name_of(root)} of objects"
        return self._exchanged(call, object_steps.scatter, contents, root)[0]

    def _exchanged(self, call, steps, content, *root):
        """Runs the steps of an exchange of objects, and returns the list of received objects."""
        out = []
        self._collective(call, steps(self, content, out, *root), None).wait()
        return out

    def send_object(self, value, to, tag=0):
        """Starts to send anything that pickles to member `to`; returns a Pending."""
        header = headers.packed(self._message("to", to, tag, "an object"))
        return self._send(None, to, tag, header, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def receive_object(self, source, tag=0):
        """Returns the object that member `source` sent with `send_object`; nothing else is
        unpickled."""
        expected = self._message("from", source, tag, "an object")
        header, data = bytearray(headers.SIZE), []

        def steps():
            self._parts["from", source, tag] += 2
            yield from object_steps.receive(self.communicator, header, data, source, tag)
            if headers.text_of(header) != expected:
                self._refuse(expected, header, source)

        absent = self._absent_peer(source, "receive", expected, header)
        self._line.peer(Pending(None, steps(), absent)).wait()
        return pickle.loads(data[0])
