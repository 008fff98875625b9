"""Cells on pipeline stages: which Cells and parameters belong to which stage, and how a Cell of a
stage is called.

    net.encoder.pipeline_stage = 0
    net.decoder.pipeline_stage = 1

The ranks of stage 1 do not run `net.encoder`. Its results are Staged without values (staged.py);
the ranks of stage 0 send their structure once. The inputs of `net.decoder` are sent to stage
1. If neither a Cell nor its sub-cells have a stage, the Cell runs on the last stage that has one of
its inputs. A parameter is held by the ranks of the stages whose Cells use it, or by all ranks if a
Cell without a stage uses it.

With interleaved stages, segment `g` of stage `s` of `n` has the number `g * n + s` in place of its
stage: in this order the network runs.
"""

import weakref

from ..context.config import config
from ..gradients.transforms import map_tensors, tensors_in
from .staged import Paused, Staged, describe, fill_in, flow, outline, unwrap
from .strategies import LongText

FOLLOWS = -1  # in place of a stage: the Cell runs where its inputs are


class Plan:
    """The assignment of a network's Cells and parameters to stages.

    Args:
        network (Cell): the network.
        count (int): the number of stages.
        interleaved (bool): whether each stage has several segments: those that Cells name by
            `pipeline_segment`, or else one more wherever the stages of the Cells start over.

    Attributes:
        segments (int): the number of segments of each stage.
        cells (WeakKeyDictionary): the stage of each Cell that runs on one stage, or FOLLOWS.
        results (WeakKeyDictionary): for each such Cell the structure of its results, by call.
        parameters (list): pairs of a Parameter and the stages that hold it, a tuple; None for all.
        used (set): the stages of Cells.
        text (LongText): the names of the Cells that have a stage of their own, with their stages.

    Raises:
        RuntimeError: if the stage of a Cell is not below `count`.
    """

    changes = 0  # counts assignments of Cells to stages; older plans are invalid

    @classmethod
    def outdate(cls):
        """Makes `planned` plan each network again: a Cell was put on a stage."""
        cls.changes += 1

    def __init__(self, network, count, interleaved=False):
        self.count, self.version = count, (Plan.changes, count, interleaved)
        self.cells, self.used, self._holders = weakref.WeakKeyDictionary(), set(), {}
        segments = _segments(network) if interleaved else {}
        self._named_stages = []
        self._visit(network, None, "", segments)
        self.text = LongText(", ".join(self._named_stages))
        self.segments = 1 + max(self.used, default=0) // count
        self._holders = {
            key: (parameter, None if None in holders else tuple(sorted(holders)))
            for key, (parameter, holders) in self._holders.items()
        }
        self.parameters = list(self._holders.values())
        self.results = weakref.WeakKeyDictionary()
        self._held, self._marks = weakref.WeakKeyDictionary(), {}

    def _visit(self, cell, above, name, segments):
        """Adds a Cell and its sub-cells; returns the stages at which they run, a set.

        Args:
            cell (Cell): the Cell.
            above (int): the stage of the Cell that it is a part of; None for none.
            name (str): its name.
            segments (dict): the segments of Cells with a stage; 0 for others.
        """
        stage = cell.__dict__.get("_pipeline_stage")
        if stage is not None and stage >= self.count:
            raise RuntimeError(
                f"For 'Cell', 'pipeline_stage' must be below the number of stages, {self.count}, "
                f"but got {stage} for '{name or type(cell).__name__}'."
            )
        if stage is not None:
            stage += segments.get(cell, 0) * self.count
            self._named_stages.append(f"{name} on {stage}".strip())
        stage = above if stage is None else stage
        for parameter in cell.__dict__["_params"].values():
            if parameter is not None:
                physical = None if stage is None else stage % self.count
                self._holders.setdefault(id(parameter), (parameter, set()))[1].add(physical)
        stages = {stage}
        for key, member in cell.__dict__["_cells"].items():
            if member is not None:
                stages |= self._visit(member, stage, f"{name}.{key}".strip("."), segments)
        if stage is not None:
            self.used.add(stage)
        if len(stages) == 1:
            own_stage = FOLLOWS if stage is None else stage
            if self.cells.setdefault(cell, own_stage) != own_stage:  # it is part of several Cells
                self.cells[cell] = FOLLOWS
        return stages

    def holders(self, parameter):
        """Returns the stages that hold a parameter of the network, a tuple; None for all."""
        return self._holders[id(parameter)][1]

    def held_by(self, cell, stage):
        """Returns the parameters of a Cell that only this stage holds."""
        if cell not in self._held:
            parameters = [p for p in cell.get_parameters() if id(p) in self._holders]
            self._held[cell] = [p for p in parameters if self.holders(p) == (stage,)]
        return self._held[cell]

    def forget(self):
        """Forgets the structures of results, so that the stages send them again."""
        self.results.clear()

    def mark(self, parameters, stages):
        """Wraps the arrays of parameters that only this rank's stage holds in Staged, which names
        the stage."""
        for parameter in parameters:
            if type(parameter._array) is not Staged:
                array = parameter._array
                mark = self._marks.setdefault(
                    id(parameter), Staged(stages, stages.own, array, stays=True)
                )
                mark.array, parameter._array = array, mark

    def unmark(self, parameters):
        """Undoes `mark`."""
        for parameter in parameters:
            array = parameter._array
            if type(array) is Staged and array.array is not None:
                parameter._array = array.array


def _segments(network):
    """Returns a dict: the segment of each Cell with a stage of its own."""
    cells = [cell for _, cell in network.cells_and_names() if "_pipeline_stage" in cell.__dict__]
    if any("_pipeline_segment" in cell.__dict__ for cell in cells):
        return {cell: cell.__dict__.get("_pipeline_segment", 0) for cell in cells}
    segments, segment, last = {}, 0, 0
    for cell in cells:
        stage = cell.__dict__["_pipeline_stage"]
        segment += stage < last
        segments[cell], last = segment, stage
    return segments


_plans = weakref.WeakKeyDictionary()  # network -> its Plan


def planned(network, stages):
    """Returns the Plan of a network, after releasing the parameters of other stages."""
    plan = _plans.get(network)
    version = Plan.changes, stages.count, bool(config.parallel.pipeline_interleave)
    if plan is None or plan.version != version:
        plan = _plans[network] = Plan(network, *version[1:])
        for cell in plan.cells:
            cell.__dict__["_cell_staged"] = True
            cell._cell_choose_path()
        for parameter, holders in plan.parameters:
            parameter.__dict__["_stages"] = holders and (stages, holders[0])
    stages.last_segment = plan.segments - 1
    for parameter, holders in plan.parameters:
        array = parameter._array
        if holders is None or stages.own in holders:
            plan.unmark([parameter])
        elif type(array) is not Staged:
            dropped = Staged(stages, holders[0], None, array.shape, array.dtype, True)
            parameter._array = dropped
    return plan


def call(cell, proceed, args, kwargs):
    """Calls a Cell while a network of several stages runs.

    Args:
        cell (Cell): the Cell.
        proceed (Callable): runs the Cell here: `proceed(args, kwargs)`.
        args, kwargs: its inputs.

    Raises:
        RuntimeError: if the Cell has a stage, but its network does not run on stages.
    """
    if flow.micro is None:
        if "_pipeline_stage" not in cell.__dict__:
            return proceed(args, kwargs)
        raise RuntimeError(
            f"A Cell with a 'pipeline_stage', here a {type(cell).__name__}, must be a part of the "
            f"network of 'nn.PipelineCell', or of a network that is called as a whole."
        )
    stage = flow.micro.plan.cells.get(cell)
    if stage == FOLLOWS:
        places = [t._array.stage for t in tensors_in([*args, kwargs]) if type(t._array) is Staged]
        stage = max(places, default=None)
    if stage is None:
        return proceed(args, kwargs)
    return flow.micro.once(lambda: _call_on(stage, cell, proceed, args, kwargs))


def _call_on(stage, cell, proceed, args, kwargs):
    """Moves the inputs of a Cell to a stage and calls the Cell there; other ranks return
    placeholders.

    Raises:
        Paused: if this stage runs later in the step.
    """
    if flow.micro.is_later(stage):
        raise Paused
    plan, stages = flow.micro.plan, flow.stages
    args, kwargs = map_tensors(lambda t: stages.move(t, stage), (args, kwargs))
    results, key = plan.results.setdefault(cell, {}), (cell.training, describe((args, kwargs)))
    if stages.physical(stage) != stages.own:
        if key not in results:
            results[key] = stages.receive_structure(stage)
        return fill_in(results[key], lambda description: stages.absent(stage, *description))
    out = _called_here(cell, proceed, args, kwargs, plan, stages)
    if key not in results:
        results[key] = outline(out)
        stages.send_structure(results[key])
    return map_tensors(lambda t: stages.wrap(t, stage), out)


def _called_here(cell, proceed, args, kwargs, plan, stages):
    held = plan.held_by(cell, stages.own)
    args, kwargs = map_tensors(unwrap, (args, kwargs))
    flow.inside = True
    plan.unmark(held)
    try:
        return proceed(args, kwargs)
    finally:
        flow.inside = False
        plan.mark(held, stages)
