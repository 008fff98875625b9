"""Checks of the functional collectives on two or three ranks; test_inplace_ranks.py starts them
through mpiexec and reads the output.
"""

import ml_dtypes
import numpy
from kit import same
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, mint, ops
from mindspore_compat.mint import distributed as dist
from mindspore_compat.ops import communication as comm

dist.init_process_group()
RANK, SIZE = dist.get_rank(), dist.get_world_size()
LAST = SIZE - 1
ROWS = numpy.arange(1, SIZE + 1)[:, None] * [1, 1]  # a row for each rank: [1 1], [2 2], ...
TOTAL = sum(range(1, SIZE + 1))
PRODUCT = int(numpy.prod(range(1, SIZE + 1)))


def part(dtype=numpy.float32, rank=RANK):
    """ROWS times the rank's number, counted from 1."""
    return Tensor._wrap((ROWS * (rank + 1)).astype(dtype))


def room(*shape, dtype=numpy.float32):
    return Tensor._wrap(numpy.full(shape, -7, dtype))


def finished(handle, async_op):
    """Waits for the handle, which must exist if it was requested."""
    assert (handle is not None) == async_op
    if async_op:
        assert handle.wait() is None
        assert handle.wait() is None


@check
def facts():
    assert dist.is_available() and dist.is_initialized() and comm.is_initialized()
    assert dist.get_backend() == "mccl"
    assert dist.get_process_group_ranks() == list(range(SIZE))
    assert dist.get_rank("nothing") == -1 and dist.get_world_size("nothing") == -1
    assert dist.get_global_rank(None, LAST) == LAST == dist.get_group_rank(None, LAST)
    refused(RuntimeError, lambda: dist.get_global_rank(None, SIZE))
    refused(RuntimeError, lambda: dist.get_group_rank(None, SIZE))
    refused(RuntimeError, lambda: dist.get_process_group_ranks("nothing"))


@check
def all_reduce():
    for async_op in (False, True):
        for op, expected in (
            ("sum", ROWS * TOTAL),
            ("prod", PRODUCT * ROWS**SIZE),
            ("max", ROWS * SIZE),
            ("min", ROWS),
            ("avg", ROWS * (TOTAL / SIZE)),
        ):
            given = part()
            memory = given._array
            finished(dist.all_reduce(given, op, async_op=async_op), async_op)
            same(given, expected)
            assert given._array is memory
    for dtype in (numpy.float16, ml_dtypes.bfloat16, numpy.int64, numpy.uint8):
        given = part(dtype)
        ops.all_reduce(given)
        same(given._array, ROWS * TOTAL, dtype)
    number = Tensor(float(RANK + 1))
    dist.all_reduce(number)
    same(number, TOTAL)
    view = room(2, SIZE, 2)
    dist.all_reduce(mint.narrow(view, 0, 1, 1))
    same(view, numpy.stack([numpy.full((SIZE, 2), -7), numpy.full((SIZE, 2), -7 * SIZE)]))


@check
def reduce_and_broadcast():
    for async_op in (False, True):
        given = part()
        finished(dist.reduce(given, LAST, "avg", async_op=async_op), async_op)
        same(given, ROWS * (TOTAL / SIZE) if RANK == LAST else ROWS * (RANK + 1))
        given = part()
        finished(dist.broadcast(given, LAST, async_op=async_op), async_op)
        same(given, ROWS * SIZE)
    refused(RuntimeError, lambda: dist.broadcast(given, SIZE), given)
    refused(TypeError, lambda: dist.reduce(given, 0, "mean"), given)


@check
def one_tensor():
    whole = numpy.concatenate([ROWS * (rank + 1) for rank in range(SIZE)])
    for async_op in (False, True):
        out = room(SIZE * SIZE, 2)
        finished(dist.all_gather_into_tensor(out, part(), async_op=async_op), async_op)
        same(out, whole)
        out = room(1, 2)
        finished(dist.reduce_scatter_tensor(out, part(), "avg", async_op=async_op), async_op)
        same(out, ROWS[RANK : RANK + 1] * (TOTAL / SIZE))
        out = room(SIZE * SIZE, 2)
        finished(comm.gather_into_tensor(out, part(), LAST, async_op=async_op), async_op)
        same(out, whole if RANK == LAST else numpy.full((SIZE * SIZE, 2), -7))
        out = room(1, 2)
        source = part() if RANK == LAST else room(1)
        finished(comm.scatter_tensor(out, source, LAST, async_op=async_op), async_op)
        same(out, SIZE * ROWS[RANK : RANK + 1])
    out = room(SIZE)
    dist.all_gather_into_tensor(out, Tensor(float(RANK)))
    same(out, range(SIZE))


@check
def uneven():
    lengths = [2 * rank for rank in range(SIZE)]
    mine = Tensor._wrap(numpy.full((2 * RANK, 2), RANK + 1.0, numpy.float32))
    joined = numpy.repeat(range(1, SIZE + 1), lengths)[:, None] * [1, 1]
    for async_op in (False, True):
        out = room(sum(lengths), 2)
        finished(
            dist.all_gather_into_tensor_uneven(out, mine, lengths, async_op=async_op), async_op
        )
        same(out, joined)
        whole = Tensor._wrap(numpy.float32(joined * (RANK + 1)))
        for op, times in (("sum", TOTAL), ("max", SIZE), ("avg", TOTAL / SIZE)):
            out = room(2 * RANK, 2)
            finished(
                dist.reduce_scatter_tensor_uneven(out, whole, lengths, op, async_op=async_op),
                async_op,
            )
            same(out, numpy.full((2 * RANK, 2), (RANK + 1) * times))
    out = room(SIZE, 2)
    dist.all_gather_into_tensor_uneven(out, part()[:1])
    same(out, ROWS)
    refused(ValueError, lambda: dist.all_gather_into_tensor_uneven(out, part()[:1], lengths), out)
    refused(TypeError, lambda: dist.reduce_scatter_tensor_uneven(out, part(), None, "prod"), out)


@check
def lists():
    each = [ROWS * (rank + 1) for rank in range(SIZE)]
    for async_op in (False, True):
        outs = [room(SIZE, 2) for _ in range(SIZE)]
        finished(dist.all_gather(outs, part(), async_op=async_op), async_op)
        for out, expected in zip(outs, each, strict=True):
            same(out, expected)
        outs = [room(SIZE, 2) for _ in range(SIZE)] if RANK == LAST else []
        finished(dist.gather(part(), outs, LAST, async_op=async_op), async_op)
        for out, expected in zip(outs, each, strict=RANK == LAST):
            same(out, expected)
        out = room(SIZE, 2)
        given = [part(rank=rank) for rank in range(SIZE)] if RANK == 0 else []
        finished(dist.scatter(out, given, 0, async_op=async_op), async_op)
        same(out, ROWS * (RANK + 1))
        out = room(2)
        given = [Tensor._wrap(numpy.float32(row * (RANK + 1))) for row in ROWS]
        finished(dist.reduce_scatter(out, given, "avg", async_op=async_op), async_op)
        same(out, ROWS[RANK] * (TOTAL / SIZE))
    numbers = [Tensor(0.0) for _ in range(SIZE)]
    dist.all_gather(numbers, Tensor(float(RANK)))
    same([number.item() for number in numbers], range(SIZE))
    refused(TypeError, lambda: dist.all_gather(numbers[:-1], Tensor(1.0)), *numbers)
    refused(TypeError, lambda: dist.all_gather(numbers, Tensor(1)), *numbers)
    refused(TypeError, lambda: dist.scatter(out, [out] * (SIZE - 1), RANK), out)
    refused(TypeError, lambda: dist.reduce_scatter(out, [room(3)] * SIZE), out)


@check
def all_to_all():
    """Rank i sends i + j + 1 numbers 10 i + j to rank j."""
    for async_op in (False, True):
        given = [Tensor._wrap(numpy.full(RANK + to + 1, 10.0 * RANK + to)) for to in range(SIZE)]
        outs = [room(RANK + source + 1, dtype=numpy.float64) for source in range(SIZE)]
        finished(dist.all_to_all(outs, given, async_op=async_op), async_op)
        for source, out in enumerate(outs):
            same(out, numpy.full(RANK + source + 1, 10 * source + RANK))
        out = room(SIZE, 2)
        finished(dist.all_to_all_single(out, part(), async_op=async_op), async_op)
        same(out, numpy.stack([ROWS[RANK] * (rank + 1) for rank in range(SIZE)]))
        rows = [RANK + to for to in range(SIZE)]
        flat = Tensor._wrap(numpy.repeat(10.0 * RANK + numpy.arange(SIZE), rows))
        expected = numpy.repeat(10 * numpy.arange(SIZE) + RANK, rows)
        out = room(sum(rows), dtype=numpy.float64)
        finished(dist.all_to_all_single(out, flat, rows, rows, async_op=async_op), async_op)
        same(out, expected)
        matrix = [source + to for source in range(SIZE) for to in range(SIZE)]
        out = room(sum(rows), dtype=numpy.float64)
        finished(comm.all_to_all_v_c(out, flat, matrix, async_op=async_op), async_op)
        same(out, expected)
    refused(TypeError, lambda: dist.all_to_all(outs[:-1], given), *outs)
    refused(ValueError, lambda: dist.all_to_all_single(out, flat, rows, rows[::-1] + [1]), out)
    refused(TypeError, lambda: comm.all_to_all_v_c(out, flat, matrix[:-1]), out)


@check
def sending():
    following, before = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    out = room(SIZE, 2)
    handle = dist.isend(part(), following)
    assert dist.recv(out, before) == 0
    handle.wait()
    same(out, ROWS * (before + 1))
    out = room(SIZE, 2, dtype=numpy.int16)
    handle = ops.irecv(out, before, tag=3)
    dist.send(part(numpy.int16), following, tag=3)
    handle.wait()
    same(out, ROWS * (before + 1), numpy.int16)
    out = room(SIZE, 2)
    for isend, irecv in (("isend", "irecv"), (dist.isend, dist.irecv), (comm.isend, comm.irecv)):
        handles = dist.batch_isend_irecv(
            [dist.P2POp(isend, part(), following), comm.P2POp(irecv, out, before)]
        )
        assert len(handles) == 1
        handles[0].wait()
        same(out, ROWS * (before + 1))
    refused(ValueError, lambda: dist.send(out, RANK))
    refused(ValueError, lambda: dist.recv(out, RANK), out)
    refused(ValueError, lambda: dist.irecv(out, SIZE), out)
    refused(
        TypeError,
        lambda: dist.batch_isend_irecv(
            [dist.P2POp("isend", out, following), dist.P2POp("irecv", out, before, "other")]
        ),
        out,
    )


@check
def objects():
    own = {"rank": RANK, "tensor": part()}
    found = [None] * SIZE
    dist.all_gather_object(found, own)
    for rank, each in enumerate(found):
        assert each["rank"] == rank
        same(each["tensor"], ROWS * (rank + 1))
    found = [own, "more"] if RANK == LAST else [None, None]
    dist.broadcast_object_list(found, LAST)
    assert found[0]["rank"] == LAST and found[1] == "more"
    found = [None] * SIZE if RANK == LAST else None
    dist.gather_object((RANK,), found, LAST)
    assert found == ([(rank,) for rank in range(SIZE)] if RANK == LAST else None)
    found = [None, "kept"]
    dist.scatter_object_list(found, [str(rank) for rank in range(SIZE)] if RANK == 0 else None)
    assert found == [str(RANK), "kept"]
    if RANK == 0:
        dist.send_object_list(["a", {1: 2}], LAST)
    elif RANK == LAST:
        found = [None, None]
        assert dist.recv_object_list(found, 0) == 0
        assert found == ["a", {1: 2}]


@check
def objects_that_are_refused():
    def unpicklable():
        return None

    error = (AttributeError, TypeError) if RANK == 0 else RuntimeError
    own, found = unpicklable if RANK == 0 else RANK, ["kept"] * SIZE
    refused(error, lambda: dist.all_gather_object(found, own))
    refused(error, lambda: dist.scatter_object_list(found, [1] * LAST + [own]))
    if RANK == 0:
        refused(error, lambda: dist.broadcast_object_list([own], 0))
        refused(error, lambda: dist.send_object_list([own], LAST))
    else:
        refused(error, lambda: dist.broadcast_object_list(found, 0))
        if RANK == LAST:
            refused(error, lambda: dist.recv_object_list(found, 0))
    shorter = ["sent"] if RANK == 0 else found
    if RANK == 0:
        dist.broadcast_object_list(shorter)
    else:
        refused(ValueError, lambda: dist.broadcast_object_list(shorter))
    assert found == ["kept"] * SIZE
    refused(TypeError, lambda: dist.all_gather_object([None], 1))
    refused(TypeError, lambda: dist.gather_object(1, [None], RANK))
    refused(TypeError, lambda: dist.scatter_object_list([], [1] * SIZE, RANK))
    refused(ValueError, lambda: dist.send_object_list([1], RANK))


@check
def groups():
    assert dist.new_group() == communication.GlobalComm.WORLD_COMM_GROUP
    turned = dist.new_group([LAST, 0])
    if RANK not in (0, LAST):
        assert turned == ""
        assert dist.get_rank(turned) == -1
    else:
        assert turned == dist.new_group([LAST, 0])
        assert dist.get_world_size(turned) == 2
        assert dist.get_rank(turned) == (1 if RANK == 0 else 0)
        assert dist.get_global_rank(turned, 0) == LAST
        assert dist.get_group_rank(turned, LAST) == 0
        out = [room(1), room(1)]
        dist.all_gather(out, Tensor([float(RANK)]), group=turned)
        same([each.item() for each in out], [LAST, 0])
        given = Tensor([float(RANK)])
        dist.broadcast(given, LAST, turned)
        same(given, [LAST])
        found = [None]
        dist.scatter_object_list(found, ["first", "second"], LAST, turned)
        assert found == ["second" if RANK == 0 else "first"]
        dist.destroy_process_group(turned)
        assert dist.get_rank(turned) == -1
        refused(RuntimeError, lambda: dist.barrier(turned))
    assert dist.new_group([]) == "" == dist.new_group([0, SIZE])
    refused(TypeError, lambda: dist.new_group([0, 0]))
    finished(dist.barrier(), False)
    finished(dist.barrier(async_op=True), True)


@check
def new_tensors():
    """Functions of ops return new tensors if they are set not to write to their arguments."""
    comm.set_comm_ops_inplace(False)
    given = part()
    result, handle = ops.all_reduce(given)
    assert handle is None
    same(result, ROWS * TOTAL)
    same(given, ROWS * (RANK + 1))
    result, handle = ops.all_reduce(given, "avg", async_op=True)
    handle.wait()
    same(result, ROWS * (TOTAL / SIZE))
    result, _ = ops.all_gather_into_tensor(None, given)
    assert result.shape == (SIZE * SIZE, 2)
    result, handle = ops.reduce_scatter_tensor(None, given, async_op=True)
    handle.wait()
    same(result, ROWS[RANK : RANK + 1] * TOTAL)
    (*results,), _ = ops.all_to_all([(2,)] * SIZE, [room(2)] * SIZE)
    same(results[LAST], [-7, -7])
    result, _ = ops.all_to_all_single((SIZE, 2), given)
    same(result, numpy.stack([ROWS[RANK] * (rank + 1) for rank in range(SIZE)]))
    following, before, out = (RANK + 1) % SIZE, (RANK - 1) % SIZE, room(SIZE, 2)
    for receive in (comm.recv, lambda *given: finish(*comm.irecv(*given))):
        handle = dist.isend(part(), following)
        same(receive(out, before), ROWS * (before + 1))
        same(out, numpy.full((SIZE, 2), -7))
        handle.wait()
    dist.all_reduce(given)
    same(given, ROWS * TOTAL)
    comm.set_comm_ops_inplace(True, ["all_reduce"])
    assert ops.all_reduce(given) is None
    assert isinstance(ops.all_gather_into_tensor(None, given), tuple)
    comm.set_comm_ops_inplace(True)
    refused(TypeError, lambda: ops.all_gather_into_tensor(None, given))
    refused(ValueError, lambda: comm.set_comm_ops_inplace(True, ["get_rank"]))


def finish(result, handle):
    handle.wait()
    return result


@check
def reading_waits():
    """A Tensor that a pending exchange writes to is complete when it is read, also without
    `wait`."""
    given = part()
    dist.all_reduce(given, async_op=True)
    same(given, ROWS * TOTAL)
    assert type(given) is Tensor
    weight = ms.Parameter(part(), name="weight")
    handle = dist.all_reduce(weight, async_op=True)
    assert isinstance(weight, ms.Parameter)
    same(weight + 1, ROWS * TOTAL + 1)
    assert type(weight) is ms.Parameter
    handle.wait()
    same(weight, ROWS * TOTAL)
    dist.all_reduce(given, async_op=True)
    dist.all_reduce(given, "max", async_op=True)
    same(given, ROWS * TOTAL * SIZE)
    out = room(SIZE, 2)
    following, before = (RANK + 1) % SIZE, (RANK - 1) % SIZE
    dist.batch_isend_irecv(
        [dist.P2POp("isend", part(), following), dist.P2POp("irecv", out, before)]
    )
    same(out, ROWS * (before + 1))
    dist.all_reduce(weight, async_op=True)
    weight.set_data(part())
    same(weight, ROWS * (RANK + 1))


def gradient(function):
    """Returns the gradient of sum((rank + 1) * function(x)) at this rank's part."""
    return ms.grad(lambda x: (function(x) * (RANK + 1)).sum())(part())


@check
def gradients():
    ones = numpy.ones((SIZE, 2))
    shares = (ROWS**0).cumsum(0)  # the number of each row's rank, counted from 1

    def reduced(x):
        y = x * 1
        dist.all_reduce(y, async_op=True).wait()
        return y

    def gathered(x):
        outs = [room(SIZE, 2) for _ in range(SIZE)]
        dist.all_gather(outs, x)
        return ops.stack(outs)

    def exchanged(x):
        out = room(SIZE, 2)
        dist.all_to_all_single(out, x)
        return out

    same(gradient(reduced), ones * TOTAL)
    same(gradient(gathered), ones * TOTAL)
    same(gradient(exchanged), shares)
    same(gradient(ops.CollectiveScatter(LAST)), shares * (RANK == LAST))
    same(gradient(ops.CollectiveGather(LAST)), ones * SIZE)
    same(gradient(ops.Reduce(LAST)), ones * SIZE)
    same(gradient(ops.Reduce(LAST, "max")), ones * SIZE * (RANK == LAST))


@check
def no_gradient_to_or_from_one():
    def scattered(x):
        y = x * 2
        dist.broadcast(y, LAST)
        return y

    def collected(x):
        y = x * 2
        dist.reduce(y, LAST)
        return y

    ones = numpy.ones((SIZE, 2))
    same(gradient(scattered), ones * 2 * SIZE * (RANK == LAST))
    same(gradient(collected), ones * 2 * (RANK + 1) * (RANK != LAST))


run_named_checks()
dist.destroy_process_group()
assert not dist.is_initialized()
