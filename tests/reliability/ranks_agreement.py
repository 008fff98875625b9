"""The errors of ranks that disagree; test_ranks.py starts it through mpiexec.

In each case rank 0 and the others make different calls. Every rank must raise the same error naming
both sides, and the group must work afterwards.
"""

import itertools
import resource

import numpy
from kit.interrupts import Interrupt
from kit.rank_checks import check, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn, ops
from mindspore_compat._backend.ranks import endings
from mindspore_compat.communication import comm_func
from mindspore_compat.mint import distributed as dist
from mindspore_compat.ops import communication as comm

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
FIRST = RANK == 0


def ones(*shape, dtype=numpy.float32):
    return Tensor(numpy.ones(shape, dtype))


def started(call):
    """The pending exchanges of a call with `async_op=True` that nobody has waited for."""
    handle = call()
    ops.AllReduce()(ones(2))  # other exchanges go on behind it
    return handle[1] if isinstance(handle, tuple) else handle


def either(one, other):
    return one if FIRST else other


# name: (this rank's call, how the error describes rank 0 and rank 1)
COLLECTIVES = {
    "shape": (lambda: ops.AllReduce()(ones(either(4, 5))), "float32 (4,)", "float32 (5,)"),
    "axes": (lambda: ops.AllGather()(ones(*either((2, 3), (3, 2)))), "(2, 3)", "(3, 2)"),
    "many axes": (
        lambda: ops.AllReduce()(ones(*[1] * 60, either(1, 2))),
        "all_reduce",
        "all_reduce",
    ),
    "dtype": (
        lambda: ops.AllReduce()(ones(4, dtype=either(numpy.float32, numpy.float64))),
        "float32 (4,)",
        "float64 (4,)",
    ),
    "half dtypes": (
        lambda: comm_func.broadcast(ones(4).astype(either(ms.float16, ms.bfloat16)), 0),
        "float16",
        "bfloat16",
    ),
    "operation": (
        lambda: either(ops.AllReduce(), ops.AllGather())(ones(4)),
        "all_reduce",
        "all_gather",
    ),
    "reduction": (lambda: ops.AllReduce(either("max", "min"))(ones(4)), "(max)", "(min)"),
    "average": (lambda: ops.ReduceScatter(either("sum", "avg"))(ones(SIZE)), "(sum)", "(avg)"),
    "uneven reduction": (
        lambda: ops.ReduceScatterV(either("max", "min"))(ones(SIZE), [1] * SIZE),
        "(max)",
        "(min)",
    ),
    "root": (lambda: ops.Broadcast(either(0, 1))(ones(4)), "from rank 0", "from rank 1"),
    "destination": (
        lambda: comm_func.gather_into_tensor(ones(4), either(0, 1)),
        "to rank 0",
        "to rank 1",
    ),
    "scattered": (
        lambda: comm_func.scatter_tensor(ones(SIZE, either(2, 3)), 0),
        f"({SIZE}, 2)",
        f"({SIZE}, 3)",
    ),
    "barrier": (
        lambda: either(ops.Barrier(), ops.AllReduce())(*either((), (ones(4),))),
        "barrier",
        "all_reduce",
    ),
    "objects": (
        lambda: either(
            lambda: dist.all_gather_object([None] * SIZE, 1),
            lambda: dist.broadcast_object_list([1], 0),
        )(),
        "all_gather of objects",
        "an object",
    ),
    "object and Tensor": (
        lambda: either(
            lambda: dist.broadcast_object_list([1], 0), lambda: comm_func.broadcast(ones(4), 0)
        )(),
        "an object",
        "float32 (4,)",
    ),
    "columns": (
        lambda: comm_func.all_to_all_single_with_output_shape(
            (SIZE, either(2, 3)), ones(SIZE, either(2, 3))
        ),
        "(0, 2)",
        "(0, 3)",
    ),
    "rows": (
        lambda: ops.AlltoAllV()(ones(SIZE), [1] * SIZE, either([2] * SIZE, [1] * SIZE)),
        "rank 0 expects 2 rows",
        "rank 0 sends 1 rows",
    ),
    "started": (
        lambda: started(lambda: comm_func.all_reduce(ones(either(4, 5)), async_op=True)).wait(),
        "float32 (4,)",
        "float32 (5,)",
    ),
    "started in place": (
        lambda: started(
            lambda: comm.all_reduce(ones(4), either("max", "min"), async_op=True)
        ).wait(),
        "(max)",
        "(min)",
    ),
    "started on one": (
        lambda: either(
            lambda: comm_func.all_reduce(ones(4), async_op=True)[1].wait(),
            lambda: comm_func.all_reduce(ones(5)),
        )(),
        "float32 (4,)",
        "float32 (5,)",
    ),
}


def message_of(call):
    """The message of the RuntimeError that a call raises, or None."""
    try:
        call()
    except RuntimeError as error:
        return str(error)
    return None


def assert_all_work():
    same = ops.AllReduce()(ones(3)).asnumpy()
    assert (same == SIZE).all(), same


@check
def collectives():
    for name, (call, *sides) in COLLECTIVES.items():
        texts = [None] * SIZE
        dist.all_gather_object(texts, message_of(call))
        assert len(set(texts)) == 1 and texts[0] is not None, (name, texts)
        assert all(side in texts[0] for side in [*sides, "rank 0"]), (name, texts[0])
        assert_all_work()


# name: (what rank 0 sends, what rank 1 receives, how the error describes both)
MESSAGES = {
    "shape": (
        lambda: comm_func.send(ones(4), 1),
        lambda: comm_func.recv(ones(5), 0),
        "float32 (4,)",
        "float32 (5,)",
    ),
    "shorter": (
        lambda: comm_func.send(ones(5), 1),
        lambda: comm_func.recv(ones(4), 0),
        "float32 (5,)",
        "float32 (4,)",
    ),
    "dtype": (
        lambda: comm_func.send(ones(4), 1),
        lambda: comm_func.recv(ones(4, dtype=numpy.int32), 0),
        "float32",
        "int32",
    ),
    "long": (
        lambda: comm_func.send(ones(1 << 20), 1),
        lambda: ops.Receive(0, 0, [1 << 19], ms.float64)(),
        "float32",
        "float64",
    ),
    "objects": (
        lambda: dist.send_object_list([1], 1),
        lambda: comm_func.recv(ones(5), 0),
        "an object",
        "float32 (5,)",
    ),
    "no objects": (
        lambda: comm_func.send(ones(1 << 20), 1),
        lambda: dist.recv_object_list([None], 0),
        "float32 (1048576,)",
        "an object",
    ),
    "in place": (
        lambda: dist.isend(ones(4), 1).wait(),
        lambda: dist.irecv(ones(2, 2), 0).wait(),
        "float32 (4,)",
        "float32 (2, 2)",
    ),
    "neighbors": (
        lambda: ops.NeighborExchange([1], [], [], [[4]], ms.float32)((ones(4),)),
        lambda: ops.NeighborExchange([], [0], [[5]], [], ms.float32)(()),
        "float32 (4,)",
        "float32 (5,)",
    ),
}


@check
def messages():
    for name, (send, receive, *sides) in MESSAGES.items():
        text = message_of(send) if FIRST else message_of(receive) if RANK == 1 else None
        assert (text is None) == (RANK != 1), (name, text)
        if RANK == 1:
            assert all(side in text for side in [*sides, "rank 0", "rank 1"]), (name, text)
        got = [None]
        if FIRST:
            dist.send_object_list(["well"], 1)
            comm_func.send(ones(2), 1)
        elif RANK == 1:
            dist.recv_object_list(got, 0)
            assert got == ["well"]
            assert (comm_func.recv(ones(2), 0) == 1).all()
        assert_all_work()
    if FIRST:
        comm_func.send(ones(3, dtype=numpy.int32), 1)
    elif RANK == 1:
        given = ones(3)
        assert message_of(lambda: dist.recv(given, 0))
        assert (given == 1).all()  # what is refused is not written


@check
def groups():
    if RANK < 2:
        text = message_of(lambda: communication.create_group("pair", either([0, 1], [1, 0])))
        assert "[0, 1]" in text and "[1, 0]" in text, text
        communication.create_group("pair", [0, 1])
        assert (ops.AllReduce(group="pair")(ones(2)) == 2).all()
        text = message_of(lambda: ops.AllReduce(group="pair")(ones(either(2, 3))))
        assert "rank 0 called all_reduce" in text and "as exchange 2;" in text
    if FIRST:  # these functions answer from this rank alone; other ranks need not call them
        assert communication.get_local_rank() == 0
        assert communication.get_local_rank_size() == SIZE
    assert_all_work()


@check
def started_exchanges_wait_for_each_other():
    """Waiting for one exchange also advances exchanges that were only started."""
    results = [comm_func.all_reduce(ones(2) * (index + 1), async_op=True) for index in range(5)]
    if FIRST:
        comm_func.send(ones(1 << 18), 1)
        for _, handle in reversed(results):
            handle.wait()
    else:
        results[0][1].wait()
        if RANK == 1:
            comm_func.recv(ones(1 << 18), 0)
        for _, handle in results:
            handle.wait()
    for index, (total, _) in enumerate(results):
        assert (total == SIZE * (index + 1)).all()
    ops.Barrier()()


def of_size(count, call):
    """Runs a call with `count` bytes more of memory on rank 1; returns the kind of its error."""
    with open("/proc/self/statm", encoding="ascii") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    if RANK == 1:
        resource.setrlimit(resource.RLIMIT_AS, (used + count, resource.RLIM_INFINITY))
    try:
        call()
    except (MemoryError, RuntimeError) as error:
        return type(error).__name__
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY,) * 2)


@check
def objects_without_memory():
    """If a rank lacks memory for an object, this exchange fails on all ranks; other exchanges go
    on."""
    large = bytes(64 << 20) if FIRST else b"small"
    calls = [
        lambda: dist.all_gather_object([None] * SIZE, large),
        lambda: dist.broadcast_object_list([large]),
        lambda: dist.gather_object(large, [None] * SIZE if RANK == 1 else None, 1),
        lambda: dist.scatter_object_list([None], [large] * SIZE if FIRST else None),
    ]
    for call in calls:
        kind = of_size(16 << 20, call)
        assert kind == ("MemoryError" if RANK == 1 else "RuntimeError"), kind
        assert_all_work()
    if FIRST:
        dist.send_object_list([large], 1)
        dist.send_object_list(["well"], 1)
    elif RANK == 1:
        got = [None]
        assert of_size(16 << 20, lambda: dist.recv_object_list(got, 0)) == "MemoryError"
        dist.recv_object_list(got, 0)
        assert got == ["well"]
    assert_all_work()


class Net(nn.Cell):
    """A network that calls `reach` at two places on each rank; rank 1 may be interrupted there."""

    place = None
    kind = Interrupt

    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 2, weight_init="ones")

    def reach(self, place):
        if RANK == 1 and self.place == place:
            self.place = None
            raise self.kind

    def construct(self, x):
        self.reach("network")
        return ops.square(self.dense(x)).mean()


def trained_step():
    net = Net()

    class Adam(nn.Adam):
        def construct(self, gradients):
            net.reach("update")
            return super().construct(gradients)

    step = nn.TrainOneStepCell(net, Adam(net.trainable_params(), 0.1)).set_train()
    x = ones(4, 3) * (RANK + 1)
    return net, lambda: step(x)


def weights_of_all(net):
    found = [None] * SIZE
    dist.all_gather_object(found, net.dense.weight.asnumpy().tobytes())
    return set(found)


@check
def steps_that_an_interrupt_undoes():
    """An interrupt before the exchange undoes the step; after the exchange the other ranks may
    complete it."""
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    modes = (ms.PYNATIVE_MODE, ms.GRAPH_MODE)
    for mode, kind in itertools.product(modes, (Interrupt, MemoryError)):
        ms.set_context(mode=mode)
        net, step = trained_step()
        net.kind = kind
        step()
        for place in ("network", "update"):
            net.place = place
            try:
                step()
            except kind:
                if place == "network":
                    step()
            if place == "network":
                assert len(weights_of_all(net)) == 1
        calls = [step, lambda: ops.AllReduce()(ones(2)), ops.Barrier()]
        if RANK < 2:
            calls.append(
                either(lambda: comm_func.recv(ones(2), 1), lambda: comm_func.send(ones(2)))
            )
        for call in calls[:3]:
            assert "undone a training step of rank 1 after" in message_of(call)
        if FIRST:
            assert "undone a training step of rank 1" in message_of(calls[3])
        elif RANK == 1:
            calls[3]()
            assert "of rank 1" in message_of(lambda: comm_func.recv(ones(2), 0))
        endings.Exchanges.undone = False  # as if the job had started again
        assert len(weights_of_all(net)) == 2
    ms.reset_auto_parallel_context()
    ms.set_context(mode=ms.PYNATIVE_MODE)


run_named_checks()
