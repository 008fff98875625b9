"""Training on the stages of a pipeline: the schedule of micro-batches, and their gradients.

With 2 stages and 4 micro-batches the ranks run these forward passes F and backward passes B:

    gpipe   stage 0: F0 F1 F2 F3 .. .. B0 B1 B2 B3
            stage 1: .. F0 F1 F2 F3 B0 B1 B2 B3
    1f1b    stage 0: F0 F1 .. B0 F2 B1 F3 B2 .. B3
            stage 1: .. F0 B0 F1 B1 F2 B2 F3 B3

In both, a rank waits only for the activations and gradients that it needs. With 1f1b, stage s of n
holds the activations of at most n - s micro-batches at a time. The backward passes then run before
the gradient at the loss is known. They start with that of the previous step; if it has changed, the
gradients of the weights are multiplied by the ratio. The result of the network is the sum over the
micro-batches, on all ranks.
"""

import functools
import operator
import weakref

import numpy

from ..._backend.arrays import number_of
from ..autograd.row_sparse import RowSparse
from ..autograd.tape import VjpRule, backward, depth, record
from ..gradients.custom import put_node
from ..gradients.leaves import _GradientScope
from ..gradients.transforms import outside, tensors_in, unrecorded
from ..tensor.tensor import Tensor
from .array import Sharded
from .stage_cells import planned
from .staged import Staged, flow, own_array, space_for

_seeds = weakref.WeakKeyDictionary()  # network -> the gradient at its loss in the last step


class MicroBatch:
    """One micro-batch: a run of the network on it, and the backward pass of this run.

    Args:
        plan (Plan): which Cells belong to which stage (stage_cells.py).
        stages (Stages): the stages.
        weights (Sequence[Parameter]): what gradients are taken by; None if there are none.
    """

    def __init__(self, plan, stages, weights=None):
        self.plan, self.stages = plan, stages
        self.scope = None if weights is None else _GradientScope(weights)
        self.count = len(weights or ())
        self.copies = {}  # Tensors that have come to another stage (Stages.moved)
        self.sent = []  # pairs of a Tensor and the stage that it was sent to
        self.sources, self.inputs = [], []  # the stages of received Tensors, and their arrays
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
            self.copies = {}

    def forward(self, network, inputs):
        """Runs the network, and returns its result without its history."""
        self.out = self.scope.within(lambda: self.run(network, inputs, {}))
        if not isinstance(self.out, Tensor) or type(self.out._array) is not Staged:
            raise RuntimeError(
                "For 'PipelineCell', the network must return one Tensor, which depends on the "
                f"results of the last stage, but got {self.out!r}."
            )
        return outside(self.out)

    def backward(self, seed):
        """Runs the backward pass, and returns the gradient of each weight as the tape leaves it;
        None if no gradient arrives.

        Args:
            seed: the gradient at the result: a number, or an array.
        """
        stages, roots, grads = self.stages, [], []
        for tensor, stage in self.sent:
            roots.append(tensor._node)
            grads.append(stages.receive_gradient(own_array(tensor), stage))
        if own_array(self.out) is not None:
            roots.append(self.out._node)
            grads.append(_spread(seed, own_array(self.out)))
        gradients = self.scope.within(lambda: backward(roots, grads, self.scope.leaves, False))
        ends = self.scope.leaves[self.count :]
        inputs = _sum_over_stage(stages, gradients[self.count :], [end.saved for end in ends])
        for stage, array, g in zip(self.sources, self.inputs, inputs, strict=True):
            stages.send_gradient(_zeros(array) if g is None else g, stage)
        return gradients[: self.count]

    # Called by Stages.moved

    def send(self, tensor, stage):
        """Sends an activation to a later stage."""
        live = self.scope is not None and tensor._node is not None
        if tensor._node is not None and not live:
            raise RuntimeError(
                "A network of several pipeline stages must be trained within 'nn.PipelineCell'."
            )
        self.stages.send(tensor._array.array, stage, live)
        if live:
            self.sent.append((tensor, stage))

    def receive(self, stage):
        """Returns an activation that a stage has sent."""
        array, live = self.stages.receive(stage)
        if not live:
            return Tensor._wrap(array)
        self.sources.append(stage)
        self.inputs.append(array)
        return self.scope.input(Tensor._wrap(array))


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
    """Returns gradients with the sums over the ranks of the stage taken."""
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
    out = MicroBatch(planned(network, stages), stages).run(function, args, kwargs)
    stages.finish()
    return out


# Schedules ----------------------------------------------------------------------------------------


def schedule(kind, stage, stages, count):
    """Returns what the ranks of a stage do: pairs of "forward" or "backward" and the number of a
    micro-batch.

    Args:
        kind (str): "gpipe", or "1f1b" or a name of another schedule, which run as "1f1b".
        stage (int): the stage.
        stages (int): the number of stages.
        count (int): the number of micro-batches.
    """
    ahead = count if kind == "gpipe" else min(stages - stage - 1, count)
    steps = [("forward", number) for number in range(ahead)]
    for number in range(count):
        if ahead + number < count:
            steps.append(("forward", ahead + number))
        steps.append(("backward", number))
    return steps


# A network on all micro-batches -------------------------------------------------------------------


def run_pipeline(network, batches, kind):
    """Returns the sum of the results of a network on micro-batches; while a gradient is recorded,
    with one node of the tape.

    Args:
        network (Cell): the network.
        batches (Sequence[tuple]): the inputs, one tuple for each micro-batch.
        kind (str): the schedule.

    Raises:
        RuntimeError: if a stage has no Cell, there are fewer micro-batches than stages, or a
            gradient by an input is taken.
    """
    stages = flow.stages
    plan = planned(network, stages)
    absent = sorted(set(range(stages.count)) - plan.used)
    if absent:
        raise RuntimeError(
            f"For 'PipelineCell', each of the {stages.count} stages must have a Cell with its "
            f"'pipeline_stage', but there is none for {absent}."
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
        micro, total = MicroBatch(plan, stages), None
        for inputs in batches:
            out = micro.run(network, inputs, {})
            total = out if total is None else micro.run(operator.add, (total, out), {})
        stages.finish()
        return total
    return _Training(network, batches, stages, plan, weights).run(kind)


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
        count = len(self.batches)
        self._forward(0)
        kind = kind if self.total.size == 1 else "gpipe"
        steps = schedule(kind, self.stages.own, self.stages.count, count)
        if kind == "gpipe":
            self._take(steps[:count])
            pulled = functools.partial(self._backward_gradients, steps[count:])
        else:
            seed = _seeds.get(self.network, 1.0)
            self._take(steps, seed, kept=False)
            self._finish()
            pulled = functools.partial(self._rescaled_gradients, seed)
        total = self.stages.everywhere(self.total)
        rule = _PipelineRule(pulled)
        parents = tuple(weight._node for weight in self.weights)
        put_node(record(rule, parents, (), None), [total])
        return total

    def _take(self, steps, seed=None, kept=True):
        """Takes steps of the schedule; the first forward pass has already run. Unless `kept`, a
        micro-batch is dropped after its backward pass."""
        for step, number in steps:
            if step == "backward":
                self._backward(number, seed)
                if not kept:
                    del self.micros[number]
            elif number:
                self._forward(number)

    @unrecorded()
    def _forward(self, number):
        micro = self.micros[number] = MicroBatch(self.plan, self.stages, self.own)
        out = micro.forward(self.network, self.batches[number])
        self.total = out if self.total is None else micro.run(operator.add, (self.total, out), {})

    def _backward(self, number, seed):
        with unrecorded():
            gradients = self.micros[number].backward(seed)
        for index, g in enumerate(gradients):
            g = g.whole() if type(g) is RowSparse else g
            old = self.grads[index]
            self.grads[index] = g if old is None else old if g is None else old + g

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
            sums = stages.summed([self.grads[index] for index in shared[at]], at)
            for index, total in zip(shared[at], sums):
                self.grads[index] = total
        stages.finish()

    def _backward_gradients(self, steps, g):
        """Takes the backward passes, given the gradient at the result, and returns the gradient of
        each weight. May be called again: the micro-batches are kept as long as the tape is."""
        self.grads = [None] * len(self.own)
        self._take(steps, g)
        self._finish()
        return self._weight_gradients(self.grads)

    def _rescaled_gradients(self, seed, g):
        """Returns the gradient of each weight, given the gradient at the result and `seed`, with
        which the backward passes have started in its place."""
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
    """Returns a gradient at the result, unless a gradient of it is to be taken."""
    if not hasattr(g, "dtype") or hasattr(g, "node"):
        raise RuntimeError("For 'PipelineCell', only first gradients can be taken.")
    return g
