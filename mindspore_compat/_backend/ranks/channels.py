"""Messages between pipeline stages: over NCCL for arrays of GPUs, else over MPI.

Arrays of GPUs go through the host until two stages have connected for such messages (`connect`).
Then the host gets only a short note for each array, in place of which a failed stage sends a
notice.
"""

import numpy

from .. import arrays
from . import nccl

_NOTE = numpy.zeros(1, numpy.uint8)  # tells that an array comes through a channel


class Channels:
    """The connections of a rank with the ranks of other stages, one for each (sending stage,
    receiving stage, tag).

    Args:
        world: the group of all ranks (collective.py).
        own (int): the stage of this rank.
    """

    def __init__(self, world, own):
        self.world, self.own = world, own
        self.wanted = set()  # connections that arrays of GPUs lacked
        self._opened = {}  # key -> nccl.Channel; None if there is no NCCL

    def send(self, array, stage, peer, tag):
        """Starts to send a contiguous array to a stage; returns a Pending."""
        message, channel = array, self._channel(array, (self.own, stage, tag))
        if channel is not None:
            channel.send(array)
            message = _NOTE
        elif arrays.on_device(array):
            message = arrays.to_host(array)
        return self.world.send(message, peer, tag)

    def receive(self, like, stage, peer, tag):
        """Returns an array of the shape and dtype of `like` from a stage. On a GPU, only the work
        that uses the array waits for it."""
        channel = self._channel(like, (stage, self.own, tag))
        if not arrays.on_device(like):
            return self.world.receive(like, peer, tag).wait()
        if channel is not None:
            self.world.receive(_NOTE, peer, tag).wait()
            return channel.receive(like)
        room = numpy.empty(like.shape, like.dtype)
        received = self.world.receive(room, peer, tag).wait()
        return arrays.to_space(arrays.space_of(like), received)

    def _channel(self, array, key):
        if arrays.on_device(array) and key not in self._opened:
            self.wanted.add(key)
        return self._opened.get(key) if arrays.on_device(array) else None

    def connect(self, group):
        """Opens the channels that stages have wanted. All members of `group`, one for each stage,
        call this; they open the channels in one order, since each waits for two of them."""
        gpus, wishes = zip(*group.objects((self.world.own_gpu(), self.wanted)), strict=True)
        wanted = sorted(set().union(*wishes))
        usable = [
            (source, target, tag)
            for source, target, tag in wanted
            if None not in (gpus[source], gpus[target]) and gpus[source] != gpus[target]
        ]
        own_names = {key: nccl.new_name() for key in usable if key[0] == self.own}
        names = dict(item for rank_names in group.objects(own_names) for item in rank_names.items())
        self._opened |= dict.fromkeys(wanted)
        for key in usable:
            if self.own in key[:2]:
                self._opened[key] = nccl.Channel(names[key], key[0] == self.own)
        self.wanted.clear()

    def settle(self):
        """Makes later work of the GPU wait for all messages so far."""
        for channel in filter(None, self._opened.values()):
            channel.settle()

    def abort(self):
        """Closes all channels, and ends messages that no stage takes."""
        for channel in filter(None, self._opened.values()):
            channel.abort()
        self._opened.clear()
