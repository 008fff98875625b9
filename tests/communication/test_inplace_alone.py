"""The functional collectives in one process: they return their input, and reject wrong calls."""

import datetime

import numpy
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, communication, mint, nn, ops
from mindspore_compat._backend.ranks import launcher
from mindspore_compat.communication import transfer
from mindspore_compat.mint import distributed as dist
from mindspore_compat.ops import communication as comm
from mindspore_compat.parallel.distributed import DistributedDataParallel
from mindspore_compat.parallel.parameter_broadcast import ranks_with_same_data

GROUP = "hccl_world_group"
ONLY_IN_OPS = {"all_to_all_v_c", "gather_into_tensor", "scatter_tensor", "set_comm_ops_inplace"}


@pytest.fixture(autouse=True)
def no_launcher(monkeypatch):
    for row in launcher.LAUNCHERS:
        for name in row:
            monkeypatch.delenv(name, raising=False)
    yield
    communication.release()


@pytest.fixture
def alone(unused_port):
    dist.init_process_group(
        init_method=f"tcp://127.0.0.1:{unused_port}", world_size=1, rank=0, group_name="me"
    )


def tensor(value=1.0, *shape):
    return Tensor(numpy.full(shape or (2, 3), value, numpy.float32))


def test_names():
    assert set(comm.__all__) - set(dist.__all__) == ONLY_IN_OPS
    assert set(dist.__all__) <= set(comm.__all__)
    for name in set(comm.__all__) - {"gather", "scatter"}:
        assert getattr(ops, name) is getattr(comm, name)
    assert ops.gather is not comm.gather
    assert mint.distributed is dist


def test_before_the_processes_are_connected():
    assert dist.is_available() is True
    assert dist.is_initialized() is False
    assert (dist.get_rank(), dist.get_world_size(), dist.get_rank("g")) == (0, 1, 0)
    assert dist.new_group([0]) == ""
    assert dist.destroy_process_group() is None


def test_one_process_alone(alone):
    assert dist.is_initialized()
    assert dist.get_world_size("me") == 1
    assert dist.get_backend("me") == communication.GlobalComm.BACKEND
    found = tensor()
    for op in ("sum", "prod", "max", "min", "avg"):
        assert dist.all_reduce(found, op) is None
    dist.all_reduce(found, async_op=True).wait()
    dist.broadcast(found, 0)
    dist.reduce(found, 0)
    dist.barrier()
    dist.barrier(async_op=True).wait()
    assert (found == 1).all()
    group = dist.new_group([0])
    assert dist.get_process_group_ranks(group) == [0]
    dist.destroy_process_group(group)
    with pytest.raises(RuntimeError):
        dist.barrier(group)


@pytest.mark.parametrize(
    "call",
    [
        lambda out, given: dist.all_gather_into_tensor(out, given),
        lambda out, given: dist.all_gather_into_tensor_uneven(out, given, [2]),
        lambda out, given: dist.reduce_scatter_tensor(out, given),
        lambda out, given: dist.reduce_scatter_tensor_uneven(out, given, [2]),
        lambda out, given: comm.gather_into_tensor(out, given),
        lambda out, given: comm.scatter_tensor(out, given),
        lambda out, given: dist.all_gather([out], given),
        lambda out, given: dist.gather(given, [out]),
        lambda out, given: dist.scatter(out, [given]),
        lambda out, given: dist.reduce_scatter(out, [given]),
        lambda out, given: dist.all_to_all([out], [given]),
        lambda out, given: dist.all_to_all_single(out, given, [], []),
        lambda out, given: comm.all_to_all_v_c(out, given, [2]),
    ],
)
def test_alone_the_output_becomes_the_input(call, alone, space):
    out, given = (
        Tensor._wrap(space.module.asarray(numpy.full((2, 3), value, numpy.float32)))
        for value in (7, 1)
    )
    memory = out._array
    assert call(out, given) is None
    assert out._array is memory
    assert bool((out._array == 1).all()) and bool((given._array == 1).all())


def test_objects_alone(alone):
    found = [None]
    dist.all_gather_object(found, {"a": 1})
    assert found == [{"a": 1}]
    dist.gather_object("b", found)
    assert found == ["b"]
    dist.scatter_object_list(found, ["c"])
    assert found == ["c"]
    dist.broadcast_object_list(found)
    assert found == ["c"]


def test_a_view_is_filled(alone):
    whole = tensor(0.0, 3, 4)
    dist.all_gather_into_tensor(mint.narrow(whole, 1, 1, 2), tensor(5.0, 3, 2))
    assert whole.asnumpy().tolist() == [[0, 5, 5, 0]] * 3


@pytest.mark.parametrize("operation", ["sum", "max", "min", "avg"])
def test_parts_combined(operation, space):
    parts = space.module.asarray(numpy.arange(6, dtype=numpy.float16).reshape(6, 1))
    out = transfer.combined_op.run(Tensor._wrap(parts), operation, 3)
    name = {"avg": "mean"}.get(operation, operation)
    expected = getattr(numpy, name)(numpy.arange(6).reshape(3, 2, 1), axis=0)
    assert out.asnumpy().dtype == numpy.float16
    assert out.asnumpy().tolist() == expected.tolist()


@pytest.mark.parametrize(
    "call, error, words",
    [
        (lambda t: dist.init_process_group(), RuntimeError, "launcher"),
        (lambda t: dist.init_process_group("mccl"), ValueError, "backend"),
        (lambda t: dist.init_process_group(1), TypeError, "backend"),
        (lambda t: dist.init_process_group(timeout=3), TypeError, "timeout"),
        (lambda t: dist.init_process_group(store=3), TypeError, "store"),
        (lambda t: dist.init_process_group(init_method=3), TypeError, "init_method"),
        (
            lambda t: dist.init_process_group(init_method="tcp://127.0.0.1:80"),
            ValueError,
            "world_size",
        ),
        (
            lambda t: dist.init_process_group(init_method="tcp://127.0.0.1:80", world_size=1),
            ValueError,
            "rank",
        ),
        (
            lambda t: dist.init_process_group(init_method="127.0.0.1:80", world_size=1, rank=0),
            ValueError,
            "init_method",
        ),
        (
            lambda t: dist.init_process_group(
                init_method="tcp://127.0.0.256:80", world_size=1, rank=0
            ),
            ValueError,
            "init_method",
        ),
        (
            lambda t: dist.init_process_group(
                init_method="tcp://127.0.0.1:80", world_size=2, rank=0
            ),
            RuntimeError,
            "launcher",
        ),
        (lambda t: dist.new_group((0,)), TypeError, "ranks"),
        (lambda t: dist.new_group([0, 0]), TypeError, "ranks"),
        (lambda t: dist.new_group([0], backend="gloo"), TypeError, "backend"),
        (lambda t: dist.all_reduce(t, group="none such"), RuntimeError, "not connected"),
        (lambda t: dist.all_reduce(t, "mean"), TypeError, "op"),
        (lambda t: dist.all_reduce(1.0), TypeError, "tensor"),
        (lambda t: dist.get_global_rank(None, 0), RuntimeError, "not connected"),
        (lambda t: dist.P2POp("push", t, 1), TypeError, "op"),
        (lambda t: dist.P2POp(abs, t, 1), TypeError, "op"),
        (lambda t: dist.P2POp("isend", (2, 3), 1), TypeError, "tensor"),
        (lambda t: dist.P2POp("isend", t, 1, tag=1), NotImplementedError, "tag"),
        (lambda t: dist.P2POp("isend", t, 1, tag=None), NotImplementedError, "tag"),
        (lambda t: dist.P2POp("isend", t, 1, tag="0"), NotImplementedError, "tag"),
        (lambda t: dist.batch_isend_irecv([]), TypeError, "p2p_op_list"),
        (lambda t: comm.set_comm_ops_inplace(1), TypeError, "is_enable"),
        (lambda t: comm.set_comm_ops_inplace(True, ("send",)), TypeError, "func_list"),
        (lambda t: comm.set_comm_ops_inplace(True, ["sends"]), ValueError, "func_list"),
    ],
)
def test_refused(call, error, words):
    with pytest.raises(error, match=words):
        call(tensor())
    assert not dist.is_initialized()


@pytest.mark.parametrize("odd", [True, "wrong", -1, 0.5, (1, 2), None])
def test_settings_that_nothing_reads_may_be_anything(odd):
    made = dist.new_group(backend=odd, use_local_synchronization=odd, group_desc=odd)
    assert made == communication.GlobalComm.WORLD_COMM_GROUP
    assert ops.AlltoAllVC(None, block_size=-1).block_size == -1
    assert dist.P2POp("isend", tensor(), 1, odd).group == odd
    if not (odd is None or isinstance(odd, str)):
        with pytest.raises(TypeError, match="'group'"):
            dist.batch_isend_irecv([dist.P2POp("isend", tensor(), 1, odd)])


def test_words_of_a_batch_are_read_when_it_is_called():
    batch = ops.BatchISendIRecv((1, "irecv"), [0, 0], [()], [ms.float32])
    with pytest.raises(ValueError, match="op_types"):
        batch([None])


def test_store_and_address_together(unused_port):
    store = dist.TCPStore("127.0.0.1", unused_port, is_master=True)
    with pytest.raises(ValueError, match="both"):
        dist.init_process_group(init_method="tcp://127.0.0.1:80", store=store)
    dist.init_process_group(
        store=store, world_size=1, rank=0, timeout=datetime.timedelta(seconds=9)
    )
    assert dist.is_initialized()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda out: dist.all_gather_into_tensor(out, tensor(1.0, 3, 3)), ValueError),
        (lambda out: dist.all_gather_into_tensor(out, Tensor([1])), TypeError),
        (lambda out: dist.reduce_scatter_tensor(out, tensor(1.0, 2, 2)), ValueError),
        (lambda out: dist.reduce_scatter_tensor(out, Tensor(1.0)), ValueError),
        (lambda out: dist.all_gather_into_tensor_uneven(out, tensor(), [3]), ValueError),
        (lambda out: dist.all_gather([out, out], tensor()), TypeError),
        (lambda out: dist.all_gather([out], tensor(1.0, 3)), TypeError),
        (lambda out: dist.gather(tensor(), [], 0), TypeError),
        (lambda out: dist.scatter(out, [], 0), TypeError),
        (lambda out: dist.scatter(out, None, 0), TypeError),
        (lambda out: dist.broadcast(out, 1), RuntimeError),
        (lambda out: dist.broadcast(out, 0, "no group"), RuntimeError),
        (lambda out: dist.all_to_all([out, out], [out]), TypeError),
        (lambda out: dist.all_to_all_single(out, tensor(), [1]), ValueError),
        (lambda out: comm.all_to_all_v_c(out, tensor(), [1]), ValueError),
        (lambda out: comm.all_to_all_v_c(out, tensor(), [1, 1]), TypeError),
        (lambda out: dist.recv(out, 0), ValueError),
    ],
)
def test_a_refused_call_leaves_the_output(call, error, alone):
    out = tensor(7.0)
    with pytest.raises(error):
        call(out)
    assert (out == 7).all()


def test_distributed_data_parallel_alone():
    net = nn.Dense(2, 1, weight_init="ones")
    wrapped = DistributedDataParallel(net, average_in_collective=True, static_graph=True)
    take = ms.grad(lambda x: wrapped(x).sum(), None, [net.weight])
    for _ in range(2):
        assert take(tensor(2.0, 3, 2))[0].asnumpy().tolist() == [[6, 6]]
        assert take(tensor(1.0, 3, 2))[0].asnumpy().tolist() == [[9, 9]]
        wrapped.zero_grad()


@pytest.mark.parametrize(
    "arguments, error, name",
    [
        ({"module": 1}, TypeError, "module"),
        ({"init_sync": 1}, TypeError, "init_sync"),
        ({"process_group": 1}, TypeError, "process_group"),
        ({"process_group": "none such"}, RuntimeError, "not connected"),
        ({"bucket_cap_mb": 2.0}, TypeError, "bucket_cap_mb"),
        ({"bucket_cap_mb": 0}, ValueError, "bucket_cap_mb"),
        ({"find_unused_parameters": None}, TypeError, "find_unused_parameters"),
        ({"average_in_collective": None}, TypeError, "average_in_collective"),
        ({"static_graph": None}, TypeError, "static_graph"),
        ({"reducer_mode": "Reducer"}, ValueError, "reducer_mode"),
    ],
)
def test_distributed_data_parallel_refuses(arguments, error, name):
    with pytest.raises(error, match=name):
        DistributedDataParallel(**{"module": nn.Dense(2, 1), **arguments})


@pytest.mark.parametrize(
    "rank, devices, axes, expected",
    [
        (5, [2, 4], [-1, -1], list(range(8))),
        (5, [2, 4], [0, -1], [1, 5]),
        (5, [2, 4], [1, -1], [4, 5, 6, 7]),
        (5, [2, 4], [1, 0], [5]),
        (5, [2, 4], [(1, 0), -1], [5]),
        (6, [2, 2, 2], [2], [4, 5, 6, 7]),
        (6, [2, 2, 2], [0, 2], [4, 6]),
    ],
)
def test_ranks_that_hold_the_same_part(rank, devices, axes, expected):
    assert ranks_with_same_data(rank, devices, axes) == expected


def test_parameter_broadcast_alone():
    net = nn.Dense(2, 1, weight_init="ones")
    assert ms.parameter_broadcast(net, {"weight": [[2], [-1, -1], [1, 2]]}) is None
    assert (net.weight == 1).all()
    assert ms.parallel.parameter_broadcast(net, 1) is None  # one process reads no layout


@pytest.mark.parametrize(
    "name, arguments, expected",
    [
        ("DistCommAllReduce", lambda x, room: (x, "sum", GROUP), lambda x, room: x),
        ("DistCommAllGather", lambda x, room: ([room], x, 1, GROUP), lambda x, room: room),
        ("DistCommAllGatherIntoTensor", lambda x, room: (room, x, 1, GROUP), lambda x, room: room),
        (
            "DistCommAllGatherIntoTensorUneven",
            lambda x, room: (room, x, [], 1, GROUP),
            lambda x, room: room,
        ),
        (
            "DistCommAllToAllV",
            lambda x, room: ([room], x.reshape(-1), GROUP, [6], [6], 1),
            lambda x, room: room,
        ),
        (
            "DistCommAllToAllVSingle",
            lambda x, room: (room, x, GROUP, [6], [6], 1, False),
            lambda x, room: room,
        ),
        ("DistCommAllToAllVC", lambda x, room: (room, x, GROUP, [2], 1, 0), lambda x, room: room),
        ("DistCommBroadcast", lambda x, room: (x, 0, 0, GROUP), lambda x, room: x),
        ("DistCommGather", lambda x, room: (x, [room], 1, 0, 0, GROUP), lambda x, room: room),
        (
            "DistCommGatherIntoTensor",
            lambda x, room: (room, x, 1, 0, 0, GROUP),
            lambda x, room: room,
        ),
        ("DistCommReduce", lambda x, room: (x, "sum", 0, GROUP), lambda x, room: x),
        (
            "DistCommReduceScatter",
            lambda x, room: (room, [x], 1, "sum", GROUP),
            lambda x, room: room,
        ),
        (
            "DistCommReduceScatterTensor",
            lambda x, room: (room, x, 1, "sum", GROUP),
            lambda x, room: room,
        ),
        ("DistCommScatter", lambda x, room: (room, [x], 1, 0, 0, GROUP), lambda x, room: room),
        ("DistCommScatterTensor", lambda x, room: (room, x, 1, 0, 0, GROUP), lambda x, room: room),
        ("InnerCommAllGather", lambda x, room: (x, 1, GROUP), None),
        ("InnerCommAllReduce", lambda x, room: (x, "sum", GROUP), None),
        ("InnerCommReduceScatter", lambda x, room: (x, 1, "sum", GROUP), None),
        ("InnerCommAllToAllV", lambda x, room: (x, GROUP, [6], [6], 1, False), None),
    ],
)
@pytest.mark.parametrize("async_op", [False, True])
def test_primitives_of_collectives(alone, name, arguments, expected, async_op):
    x, room = tensor(3.0), tensor(0.0)
    result, handle = getattr(ops.auto_generate, name)()(*arguments(x, room), async_op)
    assert (handle is not None) == async_op
    if async_op:
        handle.wait()
    found = expected(x, room) if expected else result
    assert numpy.array_equal(found.asnumpy().reshape(-1), numpy.full(6, 3.0, numpy.float32))
