"""Checks of DistributedDataParallel and parameter_broadcast on two or three ranks;
test_inplace_ranks.py starts them through mpiexec and reads the output.
"""

import functools
import tempfile

import numpy
from kit import close
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.mint import distributed as dist
from mindspore_compat.parallel import parameter_broadcast
from mindspore_compat.parallel.distributed import DistributedDataParallel

dist.init_process_group()
_folder = tempfile.TemporaryDirectory()
FOLDER = _folder.name
RANK, SIZE = dist.get_rank(), dist.get_world_size()
MEAN = sum(range(1, SIZE + 1)) / SIZE


class Net(nn.Cell):
    """sum(x first) + sum(x second) + 0 unused; the gradients of first and second are x."""

    def __init__(self, start=0.0):
        super().__init__()
        for name, dtype in (("first", ms.float32), ("second", ms.float16), ("unused", ms.float32)):
            setattr(self, name, Parameter(Tensor(numpy.full(3, start), dtype), name=name))

    def construct(self, x):
        return (x * self.first).sum() + (x * self.second.astype(ms.float32)).sum()


def given(step=1):
    return Tensor(numpy.full(3, step * (RANK + 1), numpy.float32))


def gradients(net, weights, step=1):
    found = ms.grad(lambda x: net(x), None, weights)(given(step))
    return [each.asnumpy().astype(float)[0] for each in found]


MODES = [
    {},
    {"average_in_collective": True},
    {"find_unused_parameters": True, "bucket_cap_mb": 1},
    {"static_graph": True, "reducer_mode": "PythonReducer"},
]


@check
def averages_that_add_up():
    for mode in MODES:
        net = DistributedDataParallel(Net(), **mode)
        weights = net.trainable_params()
        assert len(weights) == 3
        for _ in range(2):
            close(gradients(net, weights), [MEAN, MEAN, 0])
            close(gradients(net, weights, 2), [3 * MEAN, 3 * MEAN, 0])
            net.zero_grad()


@check
def adding_up_without_sending():
    for mode in MODES:
        net = DistributedDataParallel(Net(), **mode)
        weights = net.trainable_params()
        for _ in range(2):
            with net.no_sync():
                close(gradients(net, weights), [RANK + 1, RANK + 1, 0])
                close(gradients(net, weights, 2), [3 * (RANK + 1), 3 * (RANK + 1), 0])
            close(gradients(net, weights, 4), [7 * MEAN, 7 * MEAN, 0])
            net.zero_grad()
            with net.no_sync():
                found = ms.grad(lambda x: net(x), None, weights)(given())
            net.final_grad_reduce()
            close([each.asnumpy().astype(float)[0] for each in found], [MEAN, MEAN, 0])
            net.zero_grad()


@check
def some_parameters_only():
    net = DistributedDataParallel(Net(), find_unused_parameters=True)
    close(gradients(net, [net.module.second]), [MEAN])
    close(gradients(net, [net.module.first]), [MEAN])
    net = DistributedDataParallel(Net(), static_graph=True)
    for _ in range(3):
        close(gradients(net, [net.module.second]), [MEAN])
        net.zero_grad()
    refused(RuntimeError, lambda: gradients(net, [net.module.first]))
    net = DistributedDataParallel(Net())
    gradients(net, [net.module.first])
    refused(RuntimeError, lambda: net(given()))
    net.final_grad_reduce()
    net(given())


@check
def parameters_of_the_first():
    net = DistributedDataParallel(Net(RANK + 1.0))
    for parameter in net.get_parameters():
        assert (parameter.asnumpy() == 1).all()
    net = DistributedDataParallel(Net(RANK + 1.0), init_sync=False)
    assert (net.module.first.asnumpy() == RANK + 1).all()
    net.broadcast_coalesced()
    assert (net.module.second.asnumpy() == 1).all()
    group = dist.new_group([SIZE - 1, 0])
    if group:
        net = DistributedDataParallel(Net(RANK + 1.0), process_group=group)
        assert (net.module.first.asnumpy() == SIZE).all()
        close(gradients(net, net.trainable_params()), [(1 + SIZE) / 2, (1 + SIZE) / 2, 0])


@check
def training():
    """Ranks that train on parts of the data obtain the network that is trained on all of it."""
    x = numpy.arange(6 * SIZE, dtype=numpy.float32).reshape(2 * SIZE, 3) / 10
    y = numpy.ones((2 * SIZE, 1), numpy.float32)

    def trained(x, y, wrap=None):
        net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
        net = wrap(net) if wrap else net
        optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
        step = ms.value_and_grad(
            lambda a, b: ((net(a) - b) ** 2).mean(), None, optimizer.parameters
        )
        for _ in range(3):
            optimizer(step(Tensor(x), Tensor(y))[1])
            if wrap:
                net.zero_grad()
        return net.trainable_params()[0].asnumpy()

    own = slice(2 * RANK, 2 * RANK + 2)
    together = trained(x[own], y[own], DistributedDataParallel)
    # Gradients are summed in another order.
    numpy.testing.assert_allclose(together, trained(x, y), rtol=1e-5)
    assert not numpy.allclose(together, trained(x[own], y[own]), rtol=1e-3)


@check
def broadcast_of_parameters():
    """Ranks arranged as (SIZE / 2, 2) or (SIZE,); `second` is divided along the last axis."""
    net = Net(RANK + 1.0)
    devices = [SIZE // 2, 2] if SIZE % 2 == 0 else [SIZE]
    layout = {
        "first": [devices, [-1], [3], 0, True, ""],
        "second": [devices, [(0,)], [3]],
        "unused": [devices, [-1], [3], 0, True, "a group"],
    }
    assert parameter_broadcast(net, layout, RANK) is None
    last = RANK % 2 if SIZE % 2 == 0 else RANK
    for name, expected in (("first", 1), ("second", last + 1), ("unused", RANK + 1)):
        assert (net.parameters_dict()[name].asnumpy() == expected).all(), name
    refused(ValueError, lambda: parameter_broadcast(net, layout, RANK + 1))
    refused(ValueError, lambda: parameter_broadcast(net, layout, RANK, SIZE))
    refused(ValueError, lambda: parameter_broadcast(net, {"third": layout["first"]}, RANK))
    refused(TypeError, lambda: parameter_broadcast(net, [1], RANK))
    refused(TypeError, lambda: parameter_broadcast(1, layout, RANK))


@check
def broadcast_of_parameters_within_a_stage():
    """With one rank per stage, nothing is broadcast; with all ranks in one stage, the values of the
    first rank are."""
    net = Net(RANK + 1.0)
    parameter_broadcast(net, {"first": [[1], [-1], [3]]}, RANK, RANK)
    assert (net.first.asnumpy() == RANK + 1).all()
    parameter_broadcast(net, {"first": [[SIZE], [-1], [3]]}, RANK, 0)
    assert (net.first.asnumpy() == 1).all()


@check
def states_that_ranks_divide():
    """In the mode "data_parallel" each rank updates some of the parameters and sends them to the
    others; a checkpoint has the states of all parameters."""

    def trained(make, divide):
        ms.set_auto_parallel_context(
            parallel_mode="data_parallel", gradients_mean=True, enable_parallel_optimizer=divide
        )
        try:
            rng = numpy.random.default_rng(0)
            net = nn.SequentialCell(nn.Dense(4, 6), nn.Tanh(), nn.Dense(6, 3))
            for p in net.get_parameters():
                p.set_data(Tensor(rng.normal(size=p.shape).astype(numpy.float32)))
            optimizer = make(net.trainable_params())
            step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
            for number in range(4):
                x = Tensor(rng.normal(size=(4, 4)).astype(numpy.float32) + RANK)
                step(x, Tensor(numpy.full((4, 3), number, numpy.float32)))
        finally:
            ms.reset_auto_parallel_context()
        ms.save_checkpoint(step, f"{FOLDER}/{RANK}.ckpt")
        values = ms.load_checkpoint(f"{FOLDER}/{RANK}.ckpt")
        return {name: value.asnumpy() for name, value in values.items()}, optimizer

    for make in (nn.Adam, nn.Lamb, nn.AdamWeightDecay):
        make = functools.partial(make, learning_rate=0.1)
        (found, optimizer), (wanted, whole) = trained(make, True), trained(make, False)
        assert found.keys() == wanted.keys()
        for name, value in wanted.items():
            numpy.testing.assert_allclose(found[name], value, rtol=1e-6, err_msg=name)
        states = optimizer.moments1 if hasattr(optimizer, "moments1") else optimizer.moment1
        held = [state._array.nbytes > 0 for state in states]
        assert tuple(held) == optimizer.optim_filter and optimizer.use_parallel
        assert sum(held) < 4 and not whole.use_parallel
        assert set(optimizer.param_rank) == set(range(SIZE))


run_named_checks()
