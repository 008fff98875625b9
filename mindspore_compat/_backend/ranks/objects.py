"""Exchanges of Python objects among the ranks of a group: everything that pickles.

Objects travel through mpi4py, on the host. As with arrays (collective.py), headers come first, so
ranks that call different operations get an error.
"""

import pickle

from . import headers
from .launcher import mpi
from .pending import Pending


class ObjectExchangesMixin:
    """The exchanges of objects of a `Group`."""

    def objects(self, value):
        """Returns the values of all members (anything that pickles), as a list in their order."""
        if self.size == 1:
            return [value]
        self._agree("all_gather of objects").wait()
        return self.communicator.allgather(value)

    def broadcast_object(self, value, root):
        """Returns the value of member `root`, for every member."""
        if self.size == 1:
            return value
        self._agree(f"broadcast from {self._name_of(root)} of an object").wait()
        return self.communicator.bcast(value, root)

    def gather_objects(self, value, root):
        """Returns the values of all members as a list, for member `root`; None for the others."""
        if self.size == 1:
            return [value]
        self._agree(f"gather to {self._name_of(root)} of objects").wait()
        return self.communicator.gather(value, root)

    def scatter_objects(self, values, root):
        """Returns this member's element of the list that member `root` passes."""
        if self.size == 1:
            return values[0]
        self._agree(f"scatter from {self._name_of(root)} of objects").wait()
        return self.communicator.scatter(values, root)

    def send_object(self, value, to, tag=0):
        """Starts to send anything that pickles to member `to`; returns a Pending."""
        header = headers.packed(self._message("to", to, tag, "an object"))
        return self._send(None, to, tag, header, pickle.dumps(value, pickle.HIGHEST_PROTOCOL))

    def receive_object(self, source, tag=0):
        """Returns the object that member `source` sent with `send_object`; nothing else is
        unpickled."""
        expected = self._message("from", source, tag, "an object")
        header, data = bytearray(headers.SIZE), bytearray()

        def steps():
            self._parts["from", source, tag] += 2
            yield self.communicator.Irecv(header, source, tag)
            status = mpi().Status()
            self.communicator.Probe(source, tag, status)
            data.extend(bytes(status.Get_count(mpi().BYTE)))
            yield self.communicator.Irecv(data, source, tag)
            if headers.text_of(header) != expected:
                self._refuse(expected, header, source)

        absent = self._absent_peer(source, "receive", expected, header)
        self._line.peer(Pending(None, steps(), absent)).wait()
        return pickle.loads(data)
