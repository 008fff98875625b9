"""Checks on two ranks; test_two_ranks.py starts them through mpiexec and reads the output."""

import fakecupy
import ml_dtypes
import numpy
from kit import close, same
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, mint, nn, ops
from mindspore_compat._backend.ranks import collective
from mindspore_compat.communication import comm_func
from mindspore_compat.nn.wrap import grad_reducer
from mindspore_compat.utils import comm_exec_order_check

communication.init()
RANK = communication.get_rank()


def part(dtype=numpy.float32):
    """[[1 1 1] [2 2 2]] on rank 0, twice that on rank 1."""
    return Tensor._wrap((numpy.array([[1], [2]]) * [1, 1, 1] * (RANK + 1)).astype(dtype))


ROWS = numpy.array([[1, 1, 1], [2, 2, 2]])


@check
def facts():
    assert communication.get_group_size() == 2
    assert communication.get_local_rank() == RANK
    assert communication.get_local_rank_size() == 2
    assert communication.get_process_group_ranks() == [0, 1]
    assert communication.GlobalComm.WORLD_COMM_GROUP == "mccl_world_group"
    assert communication.GlobalComm.BACKEND == "mccl"
    assert communication.init() is None


class Copies:
    """NCCL that sends nothing."""

    def all_reduce(self, array, operation):
        return array.copy()

    def destroy(self):
        pass


@check
def exchanges_of_gpus_are_compared_once_and_by_the_next_header():
    group = collective.world()
    group.nccl = Copies()
    with fakecupy.installed() as cupy:
        one, two = (cupy.zeros(count, numpy.float32) for count in (1, 2))
        for array in (one, two, two, one):
            group.all_reduce(array).wait()
        group.barrier()
        group.all_reduce(one if RANK else two)
        refused(RuntimeError, group.barrier)
        group.barrier()


@check
def settings_are_compared_before_an_exchange_of_gpus_that_was_compared_before():
    group = collective.world()
    group.nccl = Copies()
    with fakecupy.installed() as cupy:
        array = cupy.zeros(3, numpy.float32)
        for strategy in ("equal", "equal"):
            group.note((("the strategy of 'net'", strategy),))
            group.all_reduce(array).wait()
        group.note((("the strategy of 'net'", f"of rank {RANK}"),))
        refused(RuntimeError, lambda: group.all_reduce(array).wait())
        group.all_reduce(array).wait()


@check
def all_reduce():
    for op, expected in (
        ("sum", 3 * ROWS),
        ("prod", 2 * ROWS * ROWS),
        ("max", 2 * ROWS),
        ("min", ROWS),
    ):
        given = part()
        same(comm_func.all_reduce(given, op)[0], expected)
        same(given, ROWS * (RANK + 1))


@check
def dtypes():
    for dtype in (
        numpy.float16,
        ml_dtypes.bfloat16,
        numpy.float64,
        numpy.int8,
        numpy.int32,
        numpy.int64,
        numpy.uint8,
    ):
        result = comm_func.all_reduce(part(dtype))[0]
        assert result._array.dtype == dtype
        same(result._array, 3 * ROWS)
        same(comm_func.broadcast(part(dtype), 1)._array, 2 * ROWS, dtype)
    truth = Tensor._wrap(numpy.array([RANK == 0, False]))
    same(comm_func.all_reduce(truth)[0], [1, 0], numpy.bool_)
    same(comm_func.all_reduce(truth, "prod")[0], [0, 0], numpy.bool_)


@check
def half_sums_do_not_saturate():
    big = Tensor._wrap(numpy.full(3, 40000 if RANK == 0 else -39999.0, numpy.float16))
    same(comm_func.all_reduce(big)[0], [0, 0, 0])
    fine = Tensor._wrap(numpy.full(1, 2049.0 if RANK else 1.0, numpy.float32))
    same(comm_func.all_reduce(fine)[0], [2050])


@check
def gather_and_scatter():
    both = numpy.concatenate([ROWS, 2 * ROWS])
    same(comm_func.all_gather_into_tensor(part())[0], both)
    same(comm_func.gather_into_tensor(part(), 1), both if RANK == 1 else [0])
    same(comm_func.scatter_tensor(part(), 1), 2 * ROWS[RANK : RANK + 1])
    same(comm_func.reduce_scatter_tensor(part())[0], 3 * ROWS[RANK : RANK + 1])
    same(comm_func.reduce(part(), 0, "max"), 2 * ROWS if RANK == 0 else [0])
    same(comm_func.all_gather_into_tensor(Tensor(float(RANK)))[0], [0, 1])


@check
def not_contiguous():
    turned = Tensor._wrap(part()._array.T)
    same(comm_func.all_reduce(turned)[0], 3 * ROWS.T)
    same(comm_func.broadcast(turned, 0), ROWS.T)


@check
def asynchronous():
    result, handle = comm_func.all_reduce(part(), async_op=True)
    assert handle.wait() is None
    same(result, 3 * ROWS)
    assert comm_func.all_reduce(part())[1] is None


@check
def point_to_point():
    if RANK == 0:
        comm_func.send(part(), 1, tag=7)
        comm_func.isend(part(numpy.int32), 1).wait()
    else:
        result, handle = comm_func.irecv(part(numpy.int32), 0)
        same(comm_func.recv(part(), 0, tag=7), ROWS)
        handle.wait()
        same(result, ROWS, numpy.int32)
    sent, got = comm_func.batch_isend_irecv(
        [
            comm_func.P2POp("isend", part(), 1 - RANK),
            comm_func.P2POp(comm_func.irecv, (2, 3), 1 - RANK, recv_dtype=ms.float32),
        ]
    )
    assert sent.shape == ()
    same(got, ROWS * (2 - RANK))


@check
def all_to_all():
    if RANK == 0:
        given, shapes = [Tensor([1.0]), Tensor([2.0, 3.0])], [(1,), (3, 1)]
        expected = [[1]], [[4], [5], [6]]
    else:
        given, shapes = [Tensor([4.0, 5.0, 6.0]), Tensor([7.0])], [(2,), (1,)]
        expected = [[2, 3]], [7]
    results, _ = comm_func.all_to_all_with_output_shape(shapes, given)
    same(results[0], expected[0][0])
    same(results[1], expected[1])
    rows = Tensor(numpy.arange(3.0) + 10 * RANK)
    result, _ = comm_func.all_to_all_single_with_output_shape(
        (2,) if RANK == 0 else (4,), rows, [1, 1] if RANK == 0 else [2, 2], [1, 2]
    )
    same(result, [0, 10] if RANK == 0 else [1, 2, 11, 12])
    out = Tensor(numpy.zeros((2, 3), numpy.float32))
    assert comm_func.all_to_all_v_c(out, part(), [1, 1, 1, 1]) is None
    same(out, numpy.stack([ROWS[RANK], 2 * ROWS[RANK]]))


@check
def groups():
    communication.create_group("turned", [1, 0])
    communication.create_group("turned", [1, 0])
    assert communication.get_rank("turned") == 1 - RANK
    assert communication.get_world_rank_from_group_rank("turned", 0) == 1
    assert communication.get_group_rank_from_world_rank(1, "turned") == 0
    assert communication.get_process_group_ranks("turned") == [1, 0]
    same(comm_func.broadcast(part(), 1, "turned"), 2 * ROWS)
    same(comm_func.all_gather_into_tensor(part(), "turned")[0], numpy.concatenate([2 * ROWS, ROWS]))
    communication.destroy_group("turned")
    refused(RuntimeError, lambda: communication.get_rank("turned"))
    if RANK == 0:
        communication.create_group("own", [0])
        same(comm_func.all_reduce(part(), group="own")[0], ROWS)


@check
def refusals():
    create = communication.create_group
    refused(ValueError, lambda: create("g", []))
    refused(ValueError, lambda: create("g", [0, 0]))
    refused(RuntimeError, lambda: create("g", [0, 7]))
    refused(RuntimeError, lambda: create("g", [1 - RANK]))
    refused(ValueError, lambda: communication.destroy_group("mccl_world_group"))
    refused(ValueError, lambda: communication.get_world_rank_from_group_rank("hccl_world_group", 0))
    refused(RuntimeError, lambda: communication.get_world_rank_from_group_rank("nothing", 0))
    refused(RuntimeError, lambda: comm_func.broadcast(part(), 5))
    refused(ValueError, lambda: comm_func.reduce_scatter_tensor(Tensor([1.0, 2.0, 3.0])))
    refused(ValueError, lambda: comm_func.scatter_tensor(Tensor(1.0)))


def gradient(function):
    """Returns the gradient of sum((rank + 1) * function(x)) at this rank's part."""
    return ms.grad(lambda x: (function(x) * (RANK + 1)).sum())(part())


@check
def gradients():
    weights = numpy.ones((2, 3))
    same(gradient(lambda x: comm_func.all_reduce(x)[0]), 3 * weights)
    same(gradient(lambda x: comm_func.all_reduce(x, "max")[0]), 3 * weights * (RANK == 1))
    same(gradient(lambda x: comm_func.all_reduce(x, "prod")[0]), 3 * ROWS * (2 - RANK))
    same(gradient(lambda x: comm_func.all_gather_into_tensor(x)[0]), 3 * weights)
    same(gradient(lambda x: comm_func.reduce_scatter_tensor(x)[0]), ROWS)
    same(gradient(lambda x: comm_func.broadcast(x, 1)), 3 * weights * (RANK == 1))
    same(gradient(lambda x: comm_func.all_to_all_single_with_output_shape((2, 3), x)[0]), ROWS)


@check
def second_order():
    def cube(x):
        y = comm_func.all_reduce(x)[0]
        return (y * y * y).sum()

    total = 3 * ROWS
    same(ms.grad(cube)(part()), 2 * 3 * total**2)
    same(ms.grad(lambda x: ms.grad(cube)(x).sum())(part()), 2 * 2 * 6 * total)


@check
def primitives():
    both = numpy.concatenate([ROWS, 2 * ROWS])
    same(ops.AllReduce()(part()), 3 * ROWS)
    same(ops.AllReduce(ops.ReduceOp.MAX)(part()), 2 * ROWS)
    same(ops.AllReduce("avg")(part()), 1.5 * ROWS)
    same(ops.AllGather()(part()), both)
    same(ops.ReduceScatter()(part()), 3 * ROWS[RANK : RANK + 1])
    first, second = ops.Broadcast(1)((part(), part(numpy.int32)))
    same(first, 2 * ROWS)
    same(second, 2 * ROWS, numpy.int32)
    same(ops.Broadcast(0)(part())[0], ROWS)
    same(ops.Reduce(1)(part()), 3 * ROWS if RANK else [0])
    same(ops.CollectiveScatter(1)(part()), 2 * ROWS[RANK : RANK + 1])
    same(ops.CollectiveGather(0)(part()), [0] if RANK else both)
    if RANK == 0:
        ops.Send(2, 1)(part())
    else:
        same(ops.Receive(2, 0, [2, 3], ms.float32)(), ROWS)
    ops.Barrier()()


@check
def primitives_of_all_with_all():
    same(ops.AlltoAll(2, 0, 1)(part()), [[[1, 1, 1, 2, 2, 2]], [[2, 2, 2, 4, 4, 4]]][RANK])
    flat = Tensor(numpy.arange(3.0) + 10 * RANK)
    counts = [[1, 2], [2, 1]]
    got = [[0, 10, 11], [1, 2, 12]]
    same(ops.AlltoAllV()(flat, counts[RANK], [1, 2] if RANK == 0 else [2, 1]), got[RANK])
    same(ops.AlltoAllVC()(flat, [1, 2, 2, 1]), got[RANK])
    same(ops.AlltoAllVC(transpose=True)(flat, [1, 2, 2, 1]), got[RANK])
    same(ops.AllGatherV()(Tensor(numpy.arange(RANK + 1.0)), [1, 2]), [0, 0, 1])
    same(ops.ReduceScatterV()(flat, [1, 2]), [[10], [12, 14]][RANK])
    same(ops.ReduceScatterV("max")(flat, [3, 0]), [10, 11, 12] if RANK == 0 else 0)
    exchange = ops.NeighborExchange([1 - RANK], [1 - RANK], ([3],), ([3],), ms.float64)
    (result,) = exchange((flat,))
    same(result, numpy.arange(3) + 10 * (1 - RANK))


@check
def gradients_of_primitives():
    weights = numpy.ones((2, 3))
    same(gradient(ops.AllReduce()), 3 * weights)
    same(gradient(ops.AllReduce("avg")), 1.5 * weights)
    same(gradient(ops.AlltoAll(2, 0, 1)), ROWS)
    same(gradient(lambda x: ops.AllGatherV()(x.reshape(-1), [6, 6])), 3 * weights)
    same(gradient(lambda x: ops.ReduceScatterV()(x.reshape(-1), [3, 3])), ROWS)


def trained(x, y, reducer=None):
    """Returns the weight of a small network after three steps."""
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    reduce = reducer(optimizer.parameters) if reducer else lambda grads: grads
    step = ms.value_and_grad(lambda a, b: ((net(a) - b) ** 2).mean(), None, optimizer.parameters)
    for _ in range(3):
        optimizer(reduce(step(x, y)[1]))
    return net.weight.asnumpy()


@check
def data_parallel_training():
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    x = Tensor(numpy.arange(12, dtype=numpy.float32).reshape(4, 3) / 10)
    y = Tensor(numpy.ones((4, 1), numpy.float32))
    half = slice(2 * RANK, 2 * RANK + 2)
    together = trained(x[half], y[half], nn.DistributedGradReducer)
    close(together, trained(x, y), rtol=1e-5, atol=0)
    assert not numpy.allclose(together, trained(x[half], y[half]), rtol=1e-3)


def stepped(x, y, scale=None):
    """The weights of four dense layers after three training steps."""
    rng = numpy.random.default_rng(0)
    layers = [nn.Dense(6, 6, bias_init="zeros") for _ in range(4)]
    for layer in layers:
        values = 0.4 * rng.standard_normal((6, 6))
        layer.weight.set_data(Tensor(values.astype(numpy.float32)))
    net = nn.WithLossCell(nn.SequentialCell(*layers), nn.MSELoss())
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    if scale is None:
        step = nn.TrainOneStepCell(net, optimizer)
    else:
        step = nn.TrainOneStepWithLossScaleCell(net, optimizer, Tensor(scale, ms.float32))
    for _ in range(3):
        step(x, y)
    return [weight.asnumpy() for weight in optimizer.parameters]


@check
def gradients_that_travel_during_the_walk_back():
    """Without `device_num` they are averaged over all ranks."""
    grad_reducer.BUCKET = 50
    ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
    rng = numpy.random.default_rng(1)
    x, y = (Tensor(rng.standard_normal((4, 6)).astype(numpy.float32)) for _ in range(2))
    half = slice(2 * RANK, 2 * RANK + 2)
    for scale in (None, 3.0):
        together = stepped(x[half], y[half], scale)
        ms.reset_auto_parallel_context()
        alone = stepped(x, y, scale)
        ms.set_auto_parallel_context(parallel_mode="data_parallel", gradients_mean=True)
        for one, two in zip(together, alone, strict=True):
            close(one, two, rtol=1e-4, atol=1e-6)


@check
def wide_gradients_keep_their_digits():
    """Float64 gradients share a message with float32 gradients and keep their precision."""
    weights = [
        Parameter(Tensor(numpy.zeros(1, kind)), name=kind) for kind in ("float32", "float64")
    ]
    grads = tuple(Tensor([1 + 2.0**-40], getattr(ms, p.name)) for p in weights)
    one, other = nn.DistributedGradReducer(weights, mean=False)(grads)
    assert (one.dtype, one.asnumpy()[0]) == (ms.float32, 2)
    assert (other.dtype, other.asnumpy()[0]) == (ms.float64, 2 + 2.0**-39)


@check
def models_start_with_the_parameters_of_the_first():
    ms.set_auto_parallel_context(
        parallel_mode="data_parallel", gradients_mean=True, parameter_broadcast=True
    )
    net = nn.Dense(3, 1, Tensor(numpy.full((1, 3), RANK + 1.0, numpy.float32)), "zeros")
    model = ms.Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), 0.1, 0.9))
    rows = [numpy.full(3, RANK, numpy.float32), numpy.zeros(1, numpy.float32)]
    data = ms.dataset.GeneratorDataset([tuple(rows)] * 4, ["x", "y"], shuffle=False).batch(2)
    model.train(1, data, dataset_sink_mode=False)
    weights = Tensor(net.weight.asnumpy())
    close(comm_func.broadcast(weights).asnumpy(), weights.asnumpy(), rtol=0, atol=0)
    assert not numpy.allclose(weights.asnumpy(), 1)


@check
def batch_norm_of_both_ranks():
    x = numpy.sin(numpy.arange(48)).reshape(4, 3, 4)
    half = slice(2 * RANK, 2 * RANK + 2)

    def step(made, given, weights):
        layer = made(3, dtype=ms.float64).set_train()
        gradient = ms.grad(lambda x: (layer(x) * Tensor(weights)).sum())(Tensor(given))
        return gradient.asnumpy(), [p.asnumpy() for p in layer.get_parameters()]

    found, states = step(mint.nn.SyncBatchNorm, x[half], x[half] ** 2)
    whole, expected = step(mint.nn.BatchNorm1d, x, x**2)
    close(found, whole[half], rtol=1e-7, atol=1e-12)
    for one, other in zip(states, expected):
        close(one, other, rtol=1e-7, atol=1e-12)


@check
def order_of_collectives():
    communication.create_group("pair", [0, 1])
    comm_exec_order_check("start")
    comm_func.all_reduce(part(), group="pair")
    comm_exec_order_check("end")
    comm_exec_order_check("start")
    pending = comm_func.all_reduce(part(), group="pair", async_op=True) if RANK == 0 else None
    refused(RuntimeError, lambda: comm_exec_order_check("end"))
    _, handle = pending or comm_func.all_reduce(part(), group="pair", async_op=True)
    handle.wait()


@check
def release():
    communication.release()
    assert not communication.GlobalComm.INITED
    communication.init()
    same(comm_func.all_reduce(part())[0], 3 * ROWS)


run_named_checks()
