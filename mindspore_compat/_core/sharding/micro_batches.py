"""Training on the stages of a pipeline: the passes of micro-batches in the order of a schedule
(schedules.py), and the gradients.

A rank waits only for the activations and gradients that it needs. With 1f1b the backward passes run
before the gradient at the loss is known. They start with the gradient of the previous step. If the
new gradient differs, the gradients of the weights are multiplied by the ratio. The result of the
network is the sum over the micro-batches, on all ranks.

With interleaved stages the forward pass of a micro-batch has a part for each segment. Python cannot
pause in the middle of a network, so each part runs the network from its start: Cells and operators
that have run return their results again, and the part ends (`Paused`) at the first Cell of a later
segment of this rank's stage.
"""

import functools
import operator
import weakref

import numpy

from ..._backend.arrays import number_of
from ..autograd.row_sparse import RowSparse
from ..autograd.tape import backward, depth, record
from ..autograd.vjp_rule import VjpRule
from ..gradients.custom import put_node
from ..gradients.leaves import _GradientScope
from ..gradients.transforms import outside, tensors_in, unrecorded
from ..tensor.tensor import Tensor
from .array import Sharded
from .schedules import backward_passes, schedule
from .stage_buffers import run_with_buffers
from .stage_cells import planned
from .staged import Paused, Staged, describe, flow, own_array, space_for

_seeds = weakref.WeakKeyDictionary()  # network -> the gradient at its loss in the last step


class MicroBatch:
    """One micro-batch: a run of the network on it, and the backward pass of this run.

    Args:
        plan (Plan): which Cells belong to which stage (stage_cells.py).
        stages (Stages): the stages.
        weights (Sequence[Parameter]): the weights that gradients are computed for; None if there
            are none.
    """

    def __init__(self, plan, stages, weights=None):
        self.plan, self.stages = plan, stages
        self.scope = None if weights is None else _GradientScope(weights)
        self.count = len(weights or ())
        self.copies = {}  # Tensors that were moved to another stage (Stages.move)
        self.sent = []  # the Tensors that have left a stage: Sent
        self.received = []  # the Tensors that have come to this stage: Received
        self.segment = stages.last_segment  # the segment whose part runs
        self.results, self.position = [], 0  # of Cells and operators; how many this part has passed
        self.out = None

    def run(self, function, args, kwargs):
        """Runs a function within this micro-batch, and returns its result."""
        before, flow.micro = flow.micro, self
        own_parameters = [p for p, holders in self.plan.parameters if holders == (self.stages.own,)]
        self.plan.mark(own_parameters, self.stages)
        try:
            return function(*args, **kwargs)
        finally:
            self.plan.unmark(own_parameters)
            flow.micro = before
            if self.segment == self.stages.last_segment:
                self.copies, self.results, self.position = {}, [], 0

    def once(self, function):
        """Calls a function in the first part of the forward pass that reaches it; returns the same
        result in later parts."""
        if self.stages.last_segment == 0:
            return function()
        if self.position == len(self.results):
            self.results.append(function())
        self.position += 1
        return self.results[self.position - 1]

    def forward(self, network, inputs, segment):
        """Runs the part of the network up to the end of a segment. Returns the result of the
        network without its history after the last one, else None."""
        self.segment, self.position = segment, 0
        try:
            self.out = self.scope.within(lambda: self.run(network, inputs, {}))
        except Paused:
            return None
        if not isinstance(self.out, Tensor) or type(self.out._array) is not Staged:
            raise RuntimeError(
                "For 'PipelineCell', the network must return one Tensor, which depends on the "
                f"results of the last stage, but got {self.out!r}."
            )
        return outside(self.out)

    def backward(self, seed, segment, gradient_of):
        """Runs the backward pass of a segment. Returns the gradient of each weight as the tape
        leaves it; None if no gradient arrives.

        Args:
            seed: the gradient at the result: a number, or an array.
            segment (int): the segment.
            gradient_of (Callable): returns the gradient of a Sent that went to another stage.
        """
        stages, roots, grads = self.stages, [], []
        for sent in self.sent:
            if stages.segment(sent.source) == segment:
                roots.append(sent.tensor._node)
                grads.append(sent.entry.gradient if sent.entry else gradient_of(sent))
        if segment == stages.last_segment and own_array(self.out) is not None:
            roots.append(self.out._node)
            grads.append(_spread(seed, own_array(self.out)))
        gradients = self.scope.within(lambda: backward(roots, grads, self.scope.leaves, False))
        leaves = dict(zip(self.scope.leaves, gradients, strict=True))
        entries = [entry for entry in self.received if stages.segment(entry.target) == segment]
        ends = [entry.leaf for entry in entries]
        inputs = _sum_over_stage(stages, [leaves[e] for e in ends], [end.saved for end in ends])
        for entry, g in zip(entries, inputs, strict=True):
            g = _zeros(entry.array) if g is None else g
            if stages.physical(entry.source) == stages.own:
                entry.gradient = g
            else:
                stages.send_gradient(g, entry.source)
        return gradients[: self.count]

    # Called by Stages.move

    def is_later(self, stage):
        """Returns whether a stage is a segment of this rank's that runs in a later part."""
        is_own = self.stages.physical(stage) == self.stages.own
        return is_own and self.stages.segment(stage) > self.segment

    def send(self, tensor, stage):
        """Sends an activation to a later stage."""
        live = self._is_live(tensor)
        description = self.stages.send(tensor._array.array, stage, live)
        if live:
            self.sent.append(Sent(tensor, tensor._array.stage, stage, description))

    def receive(self, source, stage):
        """Returns an activation that a stage has sent to `stage`, which is this rank's."""
        array, live = self.stages.receive(source)
        return self._entered(array, source, stage) if live else Tensor._wrap(array)

    def carry(self, tensor, stage):
        """Returns an activation of an earlier segment of this rank's stage. It is for the segment
        `stage`, and the backward pass of that segment ends at it."""
        if not self._is_live(tensor):
            return tensor
        source = tensor._array.stage
        copied = self._entered(own_array(tensor), source, stage)
        self.sent.append(Sent(tensor, source, stage, entry=self.received[-1]))
        return copied

    def _is_live(self, tensor):
        live = self.scope is not None and tensor._node is not None
        if tensor._node is not None and not live:
            raise RuntimeError(
                "A network of several pipeline stages must be trained within 'nn.PipelineCell'."
            )
        return live

    def _entered(self, array, source, stage):
        tensor = self.scope.input(Tensor._wrap(array))
        self.received.append(Received(tensor._node, array, source, stage))
        return tensor


class Sent:
    """A Tensor that was sent to another stage.

    Attributes:
        tensor (Tensor): the Tensor.
        source, target (int): the stage that it is on, and the stage that it was sent to.
        description (tuple): its structure, which its gradient shares (`Stages.send`).
        entry (Received): its arrival if both are segments of this rank's stage, in which case
            nothing was sent; else None.
    """

    def __init__(self, tensor, source, target, description=None, entry=None):
        self.tensor, self.source, self.target = tensor, source, target
        self.description, self.entry = description, entry


class Received:
    """A Tensor that was received from another stage.

    Attributes:
        leaf (Leaf): where its gradient ends.
        array: its array.
        source, target (int): the stage that it came from, and the one that it came to.
        gradient: its gradient, after the backward pass of `target`, if `source` is a segment of
            the same stage.
    """

    def __init__(self, leaf, array, source, target):
        self.leaf, self.array, self.source, self.target = leaf, array, source, target
        self.gradient = None


def _spread(seed, like):
    """Returns the gradient at the result as an array like the result."""
    space = space_for(like)
    if isinstance(seed, float):
        return space.multiply(space.ones_like(like), seed)
    return space.asarray(seed)


def _zeros(array):
    return space_for(array).zeros_like(array)


def _placed_as(weight, g):
    """Returns the gradient of a weight, zeros for None, with the placement of the weight."""
    g = _zeros(weight) if g is None else g
    if type(weight) is Sharded:
        return weight.space.place(g, weight.dims)
    return g.space.gather(g) if type(g) is Sharded else g


def _sum_over_stage(stages, grads, ends):
    """Returns gradients summed over the ranks of the stage."""
    grads = [g.whole() if type(g) is RowSparse else g for g in grads]
    if any(type(g) is Sharded for g in grads):
        return stages.space.settled(grads, ends)
    return grads


def run_on_stages(network, function, args, kwargs):
    """Calls a function on the stages of a pipeline, if there are any: a network that is not a
    training step runs as one micro-batch.

    Args:
        network (Callable): the Cell that `function` calls; None if it calls several.
        function (Callable): the function.
        args, kwargs: its inputs.
    """
    stages = flow.stages
    if stages is None or not hasattr(network, "cells_and_names"):
        return function(*args, **kwargs)
    cells = [cell for _, cell in network.cells_and_names()]
    if any(cell._cell_updates or cell._cell_is_step or cell._cell_pipelines for cell in cells):
        return function(*args, **kwargs)
    plan = _common_plan(network, stages, inputs=describe((args, kwargs)))
    micro = MicroBatch(plan, stages)
    return _together(plan, stages, lambda: micro.run(function, args, kwargs))


def _together(plan, stages, forward):
    """Calls a function that runs forward passes; it fails on all stages or on none."""
    return run_with_buffers(plan, stages, lambda: stages.together(forward, plan.forget))


def _common_plan(network, stages, **settings):
    """Returns the Plan of a network, after comparing it and other settings of the run among all
    ranks, so that either all run the network or none."""
    plan, error = None, None
    try:
        plan = planned(network, stages)
    except RuntimeError as failure:
        error = failure
    settings["pipeline_stage"] = plan.text if error is None else error
    stages.agree({"pipeline_stages": stages.count, **stages.settings, **settings})
    if error is not None:
        raise error
    return plan


# A network on all micro-batches -------------------------------------------------------------------


def run_pipeline(network, batches, kind):
    """Returns the sum of the results of a network on micro-batches; while a gradient is recorded,
    with one node of the tape.

    Args:
        network (Cell): the network.
        batches (Sequence[tuple]): the inputs, one tuple for each micro-batch.
        kind (str): the schedule.

    Raises:
        RuntimeError: if a stage has no Cell, there are fewer micro-batches than stages, a gradient
            with respect to an input is computed, or the ranks run different pipelines.
    """
    stages = flow.stages
    plan = _common_plan(
        network, stages, micro_size=len(batches), schedule=kind, inputs=describe(batches[:1])
    )
    absent = sorted(set(range(stages.count * plan.segments)) - plan.used)
    if absent:
        raise RuntimeError(
            f"For 'PipelineCell', each of the {stages.count} stages must have a Cell with its "
            f"'pipeline_stage' in each segment, but there is none for "
            f"{', '.join(map(stages.name, absent))}."
        )
    if len(batches) < stages.count:
        raise RuntimeError(
            f"For 'PipelineCell', 'micro_size' must be at least the number of stages, "
            f"{stages.count}, but got {len(batches)}."
        )
    weights = []
    if depth.open and not depth.paused:
        weights = [p for p in network.get_parameters() if p._node is not None]
    if any(t._node is not None for t in tensors_in(list(batches))):
        raise RuntimeError("For 'PipelineCell', no gradient by an input can be taken.")
    if not weights:
        micro = MicroBatch(plan, stages)
        return _together(plan, stages, lambda: _summed(micro, network, batches))
    return _Training(network, batches, stages, plan, weights).run(kind)


def _summed(micro, network, batches):
    """Returns the sum of the results of a network on micro-batches, without gradients."""
    total = None
    for inputs in batches:
        out = micro.run(network, inputs, {})
        total = out if total is None else micro.run(operator.add, (total, out), {})
    return total


class _Training:
    """One step of a pipeline: the forward and backward passes of all micro-batches."""

    def __init__(self, network, batches, stages, plan, weights):
        self.network, self.batches, self.stages, self.plan = network, batches, stages, plan
        self.weights = weights
        self.own = [w for w in weights if type(w._array) is not Staged]
        self.grads, self.micros, self.total = [None] * len(self.own), {}, None

    def run(self, kind):
        """Returns the sum of the results. Gradients are computed here too, except with "gpipe",
        whose backward passes wait for the gradient at the result. Results of several elements need
        this gradient, so they run as "gpipe"."""
        seed = _seeds.get(self.network, 1.0)
        later = _together(self.plan, self.stages, lambda: self._first_passes(kind, seed))
        if later:
            pulled = functools.partial(self._backward_gradients, later)
        else:
            self._finish()
            pulled = functools.partial(self._rescaled_gradients, seed)
        total = self.stages.everywhere(self.total)
        rule = _PipelineRule(pulled)
        parents = tuple(weight._node for weight in self.weights)
        put_node(record(rule, parents, (), None), [total])
        return total

    def _first_passes(self, kind, seed):
        """Runs the passes of the schedule that do not wait for the gradient at the result; returns
        the others. `seed` is used in place of this gradient."""
        stages = self.stages
        passes = schedule(kind, stages.own, stages.count, len(self.batches), self.plan.segments)
        ahead = next(number for number, step in enumerate(passes) if step.kind == "backward")
        self._take(passes[:ahead])
        rest = passes[ahead:]
        if kind != "gpipe" and self.total.size == 1:
            self._take(rest, seed, kept=False)
            return []
        self._take([step for step in rest if step.kind == "forward"])
        return [step for step in rest if step.kind == "backward"]

    def _take(self, passes, seed=None, kept=True):
        """Runs passes of the schedule. Unless `kept`, a micro-batch is dropped after its last
        backward pass."""
        self.arrived = {}  # a Sent -> its gradient, received before it was needed
        self.expected = {stage: self._expected(stage) for stage in self.stages.all}
        for kind, number, segment in passes:
            if kind == "forward":
                self._forward(number, segment)
                continue
            self._backward(number, segment, seed)
            if segment == 0 and not kept:
                del self.micros[number]

    @unrecorded()
    def _forward(self, number, segment):
        if segment == 0:
            self.micros[number] = MicroBatch(self.plan, self.stages, self.own)
        micro = self.micros[number]
        out = micro.forward(self.network, self.batches[number], segment)
        if out is not None:
            total = self.total
            self.total = out if total is None else micro.run(operator.add, (total, out), {})

    def _backward(self, number, segment, seed):
        with unrecorded():
            gradients = self.micros[number].backward(seed, segment, self._gradient_of)
        for index, g in enumerate(gradients):
            g = g.whole() if type(g) is RowSparse else g
            old = self.grads[index]
            self.grads[index] = g if old is None else old if g is None else old + g

    def _gradient_of(self, sent):
        """Receives the gradient of a Sent from another stage. Gradients that the stage sent before
        are received first, and stored."""
        stages = self.stages
        expected = self.expected[stages.physical(sent.target)]
        while sent not in self.arrived:
            other = next(expected)
            array = stages.receive_gradient(other.description, other.target)
            self.arrived[other] = array
        return self.arrived.pop(sent)

    def _expected(self, stage):
        """Yields each Sent whose gradient the ranks of a stage send, in the order of their backward
        passes."""
        stages = self.stages
        for _, number, segment in backward_passes(
            stages.count, len(self.batches), self.plan.segments
        ):
            target = segment * stages.count + stage
            if number in self.micros and stage != stages.own:
                yield from [sent for sent in self.micros[number].sent if sent.target == target]

    def _finish(self):
        """Completes the sums of gradients over the ranks of a stage and over stages."""
        stages = self.stages
        ends = [(getattr(w._array, "placement", None), True) for w in self.own]
        self.grads = _sum_over_stage(stages, self.grads, ends)
        self.grads = [_placed_as(w._array, g) for w, g in zip(self.own, self.grads)]
        shared = {}
        for index, weight in enumerate(self.own):
            at = self.plan.holders(weight) or stages.all
            if len(at) > 1:
                shared.setdefault(at, []).append(index)
        for at in sorted(shared):
            sums = stages.sum_over([self.grads[index] for index in shared[at]], at)
            for index, total in zip(shared[at], sums):
                self.grads[index] = total
        stages.finish()

    def _backward_gradients(self, steps, g):
        """Runs the backward passes, given the gradient at the result, and returns the gradient of
        each weight. It may be called again, because the micro-batches live as long as the tape."""
        self.grads = [None] * len(self.own)
        self.stages.together(lambda: self._take(steps, g), self.plan.forget)
        self._finish()
        return self._weight_gradients(self.grads)

    def _rescaled_gradients(self, seed, g):
        """Returns the gradient of each weight, given the gradient at the result. The backward
        passes started from `seed` instead, so the gradients are rescaled."""
        now = number_of(g)
        factor = now / seed
        grads = self.grads
        if factor != 1:
            grads = [space_for(grad).multiply(grad, factor) for grad in grads]
        if numpy.isfinite(now) and now:
            _seeds[self.network] = now
        return self._weight_gradients(grads)

    def _weight_gradients(self, own_grads):
        own = {id(w): g for w, g in zip(self.own, own_grads, strict=True)}
        return [self._gradient(weight, own.get(id(weight))) for weight in self.weights]

    def _gradient(self, weight, g):
        array, stages = weight._array, self.stages
        if type(array) is Staged:
            return array.like(array)
        if type(g) is Sharded:
            g.of_weight = True
        is_of_stage = self.plan.holders(weight) == (stages.own,)
        return Staged(stages, stages.own, g, stays=True) if is_of_stage else g


class _PipelineRule(VjpRule):
    """The rule of one step of a pipeline; its inputs are the weights."""

    def __init__(self, pulled):
        self.name = "pipeline"
        self.inputs = ()
        self.saves = ()
        self.upcast = False
        self.many = True
        self.pull = lambda xp, g, saved, wanted: (pulled(_first_order(g)),)


def _first_order(g):
    """Returns a gradient at the result; raises an error if a second-order gradient is requested."""
    if not hasattr(g, "dtype") or hasattr(g, "node"):
        raise RuntimeError("For 'PipelineCell', only first gradients can be taken.")
    return g
