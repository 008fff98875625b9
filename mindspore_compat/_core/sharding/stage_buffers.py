"""Buffers: parameters without a gradient that a network itself writes, such as the running
statistics of batch normalization. If several pipeline stages hold a buffer, because its Cell has no
stage, the stage that has run the Cell sends it to the others at the end of the forward passes.
"""

import zlib

import numpy

from ..._backend.arrays import current_space, to_host
from ..._backend.steps.journal import journal, whole_step
from .array import Sharded
from .moving import split_flat
from .staged import Staged, own_array


def run_with_buffers(plan, stages, function):
    """Calls a function that runs a network on stages, and returns its result. Buffers then have
    the same values on all stages that hold them.

    Args:
        plan (Plan): which Cells and parameters belong to which stage (stage_cells.py).
        stages (Stages): the stages.
        function (Callable): called without arguments.

    Raises:
        RuntimeError: if Cells of different stages have written one buffer.
    """
    buffers = [
        (parameter, holders or stages.all)
        for parameter, holders in plan.parameters
        if not parameter.requires_grad and (holders is None or len(holders) > 1)
    ]
    if not buffers:
        return function()
    return whole_step(_run, (stages, buffers, function), {})


def _run(stages, buffers, function):
    before = [parameter._array for parameter, _ in buffers]
    try:
        return _run_and_send(stages, buffers, function)
    except BaseException:  # the journal lists the arrays that were written in place
        for (parameter, _), array in zip(buffers, before, strict=True):
            parameter._array = array
        raise


def _run_and_send(stages, buffers, function):
    result = function()
    written = numpy.asarray([_is_written_here(p) for p, _ in buffers], numpy.uint8)
    group = stages.group(stages.all)
    flags = group.all_gather(written[None]).wait()  # stage, buffer
    messages = {}
    for index, (parameter, holders) in enumerate(buffers):
        writers = [stage for stage in stages.all if flags[stage, index]]
        if len(writers) == 1:
            key = holders, writers[0], parameter._array.dtype.name
            messages.setdefault(key, []).append(parameter)
        elif writers:
            _compare(group, parameter, writers, holders)
    for (holders, writer, _), parameters in sorted(messages.items()):
        if stages.own in holders:
            _send(stages.group(holders), parameters, holders.index(writer), stages.own == writer)
    return result


def _is_written_here(parameter):
    """Returns whether this rank has written a buffer: in a Cell, or between Cells, where a value of
    one stage makes it a Staged."""
    array = parameter._array
    return array.array is not None if type(array) is Staged else id(parameter) in journal.saved


def _compare(group, parameter, writers, holders):
    """Refuses a buffer that several stages have written, unless all stages that hold it have
    written the same values, as buffers of a Cell that runs everywhere.
    """
    block = getattr(parameter._array, "block", parameter._array)
    digest = zlib.crc32(numpy.ascontiguousarray(to_host(block)).tobytes())
    digests = group.all_gather(numpy.asarray([digest], numpy.int64)).wait()
    if tuple(writers) != holders or len({int(digests[stage]) for stage in writers}) > 1:
        raise RuntimeError(
            f"The parameter '{parameter.name}', which has no gradient, is written on pipeline "
            f"stages {', '.join(map(str, writers))}, which do not know the values of each other: "
            "its Cell must run on one stage."
        )


def _send(group, parameters, source, is_mine):
    """Sends buffers of one dtype from one stage to others, in one message."""
    arrays, xp = [parameter._array for parameter in parameters], current_space()
    if is_mine:
        arrays = [own_array(parameter) for parameter in parameters]
        flat = xp.concatenate([xp.reshape(_whole(array), (-1,)) for array in arrays])
    else:
        flat = xp.module.empty(sum(array.size for array in arrays), arrays[0].dtype)
    flat = group.broadcast(flat, source).wait()
    journal.note_replaced(parameters)
    values = arrays if is_mine else split_flat(xp, flat, arrays)
    for parameter, array, value in zip(parameters, arrays, values, strict=True):
        is_cut = type(array) is Sharded and not is_mine
        parameter._array = array.space.shard(value, array.dims, array.parked) if is_cut else value


def _whole(array):
    return array.space.gather(array) if type(array) is Sharded else array
