"""Stages: the division of all ranks into the stages of a pipeline, and what the stages exchange.

    stages = Stages(world, 2)        # 4 ranks: 0 and 1 are stage 0, 2 and 3 are stage 1
    stages.peer(1)                   # on rank 0: 2, the rank with the same place in stage 1
    stages.physical(3)               # 1: with interleaved stages 3 stands for segment 1 of stage 1

The ranks of a stage form a mesh (mesh.py). Each rank exchanges its blocks with the rank that has
the same place in another stage. It sends activations and gradients without waiting until they have
arrived.

Stages connect over NCCL at the end of the first run in which they exchange arrays of GPUs, while
all of them are there (_backend/ranks/channels.py).
"""

import collections
import contextlib
import json
import zlib

import numpy

from ..._backend.arrays import current_space
from ..._backend.ranks.channels import Channels
from ..declare.values import space_for
from ..tensor.tensor import Tensor
from .array import Sharded
from .mesh import group_of
from .staged import Staged, dtype_named, flow
from .strategies import LongText

ACTIVATIONS, GRADIENTS, STRUCTURES = 1, 2, 3  # tags of messages
_ROOM = 256  # bytes of a message that describes an array


class Stages:
    """The stages of a pipeline, of equally many ranks.

    Args:
        world: a group of all ranks (_backend/ranks/collective.py).
        count (int): the number of stages, which divides the number of ranks.

    Attributes:
        all (tuple[int]): all stages.
        stage_size (int): the number of ranks of a stage.
        own (int): the stage of this rank.
        ranks (tuple[int]): the ranks of this stage.
        space (ShardedSpace): the space of this stage's divided arrays; network.py sets it.
        settings (dict): the settings of the network that runs, as text; network.py sets it.
        traffic (Counter): the bytes of arrays that this rank received, by kind of exchange.
    """

    space = None
    settings = {}
    last_segment = 0  # of the network that runs, if its stages are interleaved

    def __init__(self, world, count):
        self.world, self.count, self.all = world, count, tuple(range(count))
        self.stage_size = len(world.ranks) // count
        own = world.ranks.index(world.ranks[world.rank])
        self.own, self._place = divmod(own, self.stage_size)
        start = self.own * self.stage_size
        self.ranks = tuple(world.ranks[start : start + self.stage_size])
        self.traffic = collections.Counter()
        self._under_way = []
        self._groups = {}
        self._channels = Channels(world, self.own)

    def physical(self, stage):
        """Returns the stage whose ranks run a segment of a stage."""
        return stage % self.count

    def segment(self, stage):
        """Returns the number of the segment that a segment of a stage is."""
        return stage // self.count

    def name(self, stage):
        """Returns the name of a segment of a stage, for errors."""
        of = f"segment {self.segment(stage)} of " if self.last_segment else ""
        return f"{of}stage {self.physical(stage)}"

    def peer(self, stage):
        """Returns the member of `world` that has this rank's place in another stage."""
        return self.physical(stage) * self.stage_size + self._place

    def group(self, stages):
        """Returns the group of the ranks with this rank's place in some stages, a tuple that
        includes its own. All these ranks must ask for the same groups in the same order."""
        if stages not in self._groups:
            ranks = [self.world.ranks[self.peer(stage)] for stage in stages]
            self._groups[stages] = group_of(self.world, ranks)
        return self._groups[stages]

    # Values of stages -----------------------------------------------------------------------------

    def wrap(self, tensor, stage, stays=False):
        """Returns a Tensor of this rank's stage as a new Staged."""
        array = tensor._array.array if type(tensor._array) is Staged else tensor._array
        result = Tensor._wrap(Staged(self, stage, array, stays=stays))
        result._node = tensor._node
        return result

    def absent(self, stage, shape, dtype, stays=False):
        """Returns a Tensor of another stage; `dtype` is a dtype of arrays or its name."""
        dtype = dtype_named(dtype) if isinstance(dtype, str) else dtype
        return Tensor._wrap(Staged(self, stage, None, shape, dtype, stays))

    def move(self, tensor, stage):
        """Moves a Tensor to a later stage; its gradient moves back. Tensors that lie on no stage
        are returned unchanged.

        Raises:
            RuntimeError: if the stage is an earlier one.
        """
        x = tensor._array
        if type(x) is not Staged or x.stage == stage:
            return tensor
        if x.stage > stage:
            raise RuntimeError(
                f"A pipeline runs from the first stage to the last, but a Cell of "
                f"{self.name(stage)} takes a result of {self.name(x.stage)}."
            )
        entry = flow.micro.copies.get((id(x), stage))
        if entry is None:
            entry = flow.micro.copies[id(x), stage] = x, self._copy(tensor, stage)
        return entry[1]

    def _copy(self, tensor, stage):
        x, micro = tensor._array, flow.micro
        source, target = self.physical(x.stage), self.physical(stage)
        if self.own == target:
            crosses = source != target
            copy = micro.receive(x.stage, stage) if crosses else micro.carry(tensor, stage)
            return self.wrap(copy, stage)
        if self.own == source:
            micro.send(tensor, stage)
        return self.absent(stage, x.shape, x.dtype)

    def everywhere(self, tensor):
        """Sends a Tensor that lies on one stage to all ranks, and returns it as an ordinary Tensor.
        Returns other Tensors unchanged.
        """
        x = tensor._array
        if type(x) is not Staged:
            return tensor
        group = self.group(self.all)
        mine, description, source = None, None, self.physical(x.stage)
        if self.own == source:
            mine, description = _sendable(x.array)
        shape, dtype, dims = group.broadcast_object(description, source)
        if mine is None:
            mine = current_space().module.empty(shape, dtype_named(dtype))
            self.traffic["broadcast"] += mine.nbytes
        block = group.broadcast(mine, source).wait()
        return Tensor._wrap(self._wrap_block(block, dims if any(dims or ()) else None))

    def whole_value(self, parameter, stage):
        """Returns the array of a parameter that a stage holds, on all ranks."""
        x = parameter._array
        mine = x if self.own == stage else None
        staged = Staged(self, stage, mine, x.shape, x.dtype)
        return self.everywhere(Tensor._wrap(staged))._array

    def sum_over(self, arrays, stages):
        """Returns the sums of arrays over the ranks with this rank's place in some stages."""
        group, sums = self.group(stages), []
        for array in arrays:
            block = getattr(array, "block", array)
            self.traffic["shared"] += 2 * (group.size - 1) * block.nbytes // group.size
            total = group.all_reduce(block, "sum").wait()
            sums.append(array.space.like(array, total) if type(array) is Sharded else total)
        return sums

    def equalize(self, array, stages):
        """Writes into an array the values that it has on the first of some stages.

        Args:
            array: an ordinary or divided array.
            stages (tuple): the stages that hold it; None for all.
        """
        stages = stages or self.all
        if self.own in stages and len(stages) > 1:
            block = getattr(array, "block", array)
            block[...] = self.group(stages).broadcast(block, 0).wait()

    def anywhere(self, flag):
        """Returns a 0-d bool array: whether `flag` is True on any stage."""
        group = self.group(self.all)
        return group.all_reduce(current_space().asarray(flag), "max").wait()

    def agree(self, settings):
        """Compares a digest of the network and its settings among the ranks of all stages.

        Args:
            settings (dict): what is run, by name; the values are compared as text.

        Raises:
            RuntimeError: on each rank, if a setting differs between two ranks.
        """
        digests = [(name, _digest_of(value)) for name, value in settings.items()]
        digest = zlib.crc32(repr(digests).encode())
        pair = self.world.all_reduce(numpy.asarray([digest, -digest], numpy.int64), "max").wait()
        if pair[0] == -pair[1]:
            return
        others = self.world.objects({name: str(value) for name, value in settings.items()})
        names = {name: None for other in others for name in other}
        name = next(name for name in names if len({other.get(name) for other in others}) > 1)
        ranks_by_value = {}
        for rank, other in zip(self.world.ranks, others, strict=True):
            ranks_by_value.setdefault(other.get(name), []).append(rank)
        values = "; ".join(f"{value} on ranks {ranks}" for value, ranks in ranks_by_value.items())
        raise RuntimeError(
            f"All ranks must run the same pipeline, but '{name}' differs between them: {values}."
        )

    @contextlib.contextmanager
    def compared(self):
        """Returns a context in which the ranks of all stages compare `settings` before one of them
        ends with an error, because the settings of the other stages may be right.
        """
        try:
            yield
        except RuntimeError:
            self.agree({"pipeline_stages": self.count, **self.settings})
            raise

    # Messages -------------------------------------------------------------------------------------

    def send(self, array, stage, live):
        """Sends an activation, and returns a description of the block that was sent.

        Args:
            array: an ordinary or a divided array.
            stage (int): the stage that receives it.
            live (bool): whether the stage sends its gradient back.
        """
        block, description = _sendable(array)
        shape, dtype, dims = description
        text = json.dumps((shape, dtype, dims if any(dims or ()) else None, live))
        self._post(_as_bytes(text), stage, ACTIVATIONS)
        self._post(block, stage, ACTIVATIONS)
        return description

    def receive(self, stage):
        """Returns an activation that a stage sent, and whether it waits for the gradient."""
        room = numpy.empty(_ROOM, numpy.uint8)
        shape, dtype, dims, live = json.loads(self._receive(room, stage, ACTIVATIONS).tobytes())
        room = current_space().module.empty(shape, dtype_named(dtype))
        self.traffic["activations"] += room.nbytes
        return self._wrap_block(self._receive(room, stage, ACTIVATIONS), dims), live

    def send_gradient(self, array, stage):
        """Sends the gradient of an activation to the stage that the activation came from."""
        self._post(getattr(array, "block", array), stage, GRADIENTS)

    def receive_gradient(self, description, stage):
        """Returns the gradient of an activation.

        Args:
            description (tuple): what `send` has returned for the activation.
            stage (int): the stage that received it.
        """
        shape, dtype, dims = description
        room = current_space().module.empty(shape, dtype_named(dtype))
        self.traffic["gradients"] += room.nbytes
        return self._wrap_block(self._receive(room, stage, GRADIENTS), dims)

    def send_structure(self, value):
        """Sends a result without its values to all other stages."""
        for stage in self.all:
            if stage != self.own:
                pending = self.world.send_object(value, self.peer(stage), STRUCTURES)
                self._under_way.append(pending)

    def receive_structure(self, stage):
        """Returns the result without values that a stage sent by `send_structure`."""
        structure = self.world.receive_object(self.peer(stage), STRUCTURES)
        if type(structure) is StageFailure:
            raise structure
        return structure

    def finish(self):
        """Waits until all that this rank has sent has left; only the GPU waits for its messages."""
        for pending in self._under_way:
            pending.wait()
        self._under_way.clear()
        self._channels.settle()

    def together(self, function, forget):
        """Calls a function in which the stages exchange messages, and returns its result. If it
        fails on one stage, it fails on all: a stage that waits for a message gets a notice in its
        place, and all messages that were not received are discarded.

        Args:
            function (Callable): called without arguments.
            forget (Callable): drops what the stages know of each other; called after an error.

        Raises:
            RuntimeError: if the function has failed on another stage.
        """
        group = self.group(self.all)  # made while all stages can
        try:
            with contextlib.nullcontext() if self.space is None else self.space.mesh.run():
                result, error = function(), None
        except Exception as failure:
            result, error = None, failure
        if error is not None:
            self._send_notices()
        state = numpy.asarray([error is not None, bool(self._channels.wanted)])
        has_failed, connects = group.all_reduce(state, "max").wait()
        if not has_failed:
            self.finish()
            if connects:
                self._channels.connect(group)
            return result
        forget()
        self._channels.abort()
        own = None if error is None else (type(error) is StageFailure, str(error))
        peers = [self.peer(stage) for stage in self.all]
        reports = group.objects((own, [self.world.sent(peer) for peer in peers]))
        for stage, (_, sent) in enumerate(reports):
            if stage != self.own:
                self.world.discard(self.peer(stage), sent[self.own])
        self.finish()
        errors = [(*own, stage) for stage, (own, _) in enumerate(reports) if own is not None]
        is_failure, text, stage = min(errors, key=lambda entry: (entry[0], entry[2]))
        if error is not None and (type(error) is not StageFailure or is_failure):
            raise error
        raise RuntimeError(f"Pipeline stage {stage} has failed: {text}")

    def _send_notices(self):
        """Sends every other stage a notice on every tag, because it may be waiting for any of
        them.
        """
        for stage in self.all:
            for tag in (ACTIVATIONS, GRADIENTS, STRUCTURES) if stage != self.own else ():
                pending = self.world.send_object(StageFailure(), self.peer(stage), tag)
                self._under_way.append(pending)

    def _post(self, array, stage, tag):
        self._under_way = [pending for pending in self._under_way if not pending.advance()]
        array = space_for(array).ascontiguousarray(array).reshape(array.shape)
        target = self.physical(stage)
        self._under_way.append(self._channels.send(array, target, self.peer(stage), tag))

    def _receive(self, like, stage, tag):
        try:
            return self._channels.receive(like, self.physical(stage), self.peer(stage), tag)
        except RuntimeError as error:  # a notice, in place of an array
            raise StageFailure(str(error)) from error

    def _wrap_block(self, block, dims):
        return block if dims is None else self.space.wrap(block, dims)


class StageFailure(RuntimeError):
    """Stands for the error of another stage, in a message."""


def _digest_of(value):
    return value.digest if type(value) is LongText else str(value)


def _sendable(array):
    """Returns the block of an array to send, and a description of it: its shape and dtype, and the
    mesh axes that divide the array (None for an ordinary array)."""
    if type(array) is not Sharded:
        return array, (tuple(array.shape), array.dtype.name, None)
    array = array.space.summed(array.space.used(array))
    return array.block, (tuple(array.block.shape), array.dtype.name, array.dims)


def _as_bytes(text):
    data = text.encode()
    if len(data) > _ROOM:
        raise RuntimeError(f"A Tensor between pipeline stages has too many axes: {text}.")
    return numpy.frombuffer(data.ljust(_ROOM), numpy.uint8)
