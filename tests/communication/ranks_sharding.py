"""Networks that are divided over ranks train as on one process; test_sharding_ranks.py starts this
through mpiexec. Each rank first trains the whole network by itself.
"""

import itertools
import os
from pathlib import Path

import numpy as np
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat._core.sharding.array import Sharded
from mindspore_compat._core.sharding.network import mesh_of, space_on
from mindspore_compat.parallel import Layout
from mindspore_compat.parallel.auto_parallel import AutoParallel

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
STEPS = 10


def seeded(shape, scale=0.3, seed=0):
    rng = np.random.default_rng(abs(hash((shape, seed))) % 2**32)
    return (rng.normal(size=shape) * scale).astype(np.float32)


def set_weights(net):
    """Returns values that depend only on the shape and the order of calls, so that all ranks have
    the same."""
    for number, parameter in enumerate(net.trainable_params()):
        if "gamma" not in parameter.name:
            scale = np.prod(parameter.shape[1:]) ** -0.5 if parameter.ndim > 1 else 0.1
            parameter.set_data(Tensor(seeded(parameter.shape, scale, number)))
    return net


class MLP(nn.Cell):
    def __init__(self, dp=1, mp=1):
        super().__init__()
        self.w1, self.w2 = (
            Parameter(Tensor(seeded((8, 32))), "w1"),
            Parameter(Tensor(seeded((32, 8))), "w2"),
        )
        self.b = Parameter(Tensor(np.zeros(32, np.float32)), "b")
        self.first, self.add, self.second = ops.MatMul(), ops.Add(), ops.MatMul()
        if dp * mp > 1:
            self.first.shard(((dp, 1), (1, mp)))
            self.add.shard(((dp, mp), (mp,)))
            self.second.shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        return self.second(ops.gelu(self.add(self.first(x, self.w1), self.b)), self.w2)


class LeNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.conv1, self.conv2 = (
            nn.Conv2d(1, 6, 5, pad_mode="valid"),
            nn.Conv2d(6, 16, 5, pad_mode="valid"),
        )
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(256, 120), nn.Dense(120, 84), nn.Dense(84, 8)

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.flatten(self.pool(ops.relu(self.conv2(x))))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


class ResNet(nn.Cell):
    def __init__(self):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8)
        self.one, self.norm1 = nn.Conv2d(8, 8, 3, has_bias=False), nn.BatchNorm2d(8)
        self.two, self.norm2 = nn.Conv2d(8, 8, 3, has_bias=False), nn.BatchNorm2d(8)
        self.head = nn.Dense(8, 8)

    def construct(self, x):
        x = ops.relu(self.norm(self.stem(x)))
        y = self.norm2(self.two(ops.relu(self.norm1(self.one(x)))))
        return self.head(ops.relu(x + y).mean((2, 3)))


class Block(nn.Cell):
    """A layer of a transformer whose heads and inner units are divided."""

    def __init__(self, width, heads, dp, mp):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.q, self.v, self.out = (nn.Dense(width, width) for _ in range(3))
        self.k = nn.Dense(width, width, has_bias=False)  # the gradient of a bias would be noise
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        if dp * mp == 1:
            return
        for dense in (self.q, self.k, self.v):
            dense.matmul.shard(((dp, 1), (mp, 1)))
            if dense.has_bias:
                dense.bias_add.shard(((dp, mp), (mp,)))
        self.out.matmul.shard(((dp, mp), (1, mp)))
        self.up.matmul.shard(((dp, 1), (mp, 1)))
        self.down.matmul.shard(((dp, mp), (1, mp)))

    def split(self, x):
        b, s, w = x.shape
        return ops.transpose(ops.reshape(x, (b, s, self.heads, w // self.heads)), (0, 2, 1, 3))

    def construct(self, x, mask):
        y = self.norm1(x)
        q, k, v = self.split(self.q(y)), self.split(self.k(y)), self.split(self.v(y))
        scores = ops.matmul(q, ops.transpose(k, (0, 1, 3, 2))) / (q.shape[-1] ** 0.5) + mask
        y = ops.transpose(ops.matmul(ops.softmax(scores, -1), v), (0, 2, 1, 3))
        x = x + self.out(ops.reshape(y, x.shape))
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class GPT(nn.Cell):
    def __init__(self, dp=1, mp=1, width=16, heads=4, words=8, length=6):
        super().__init__()
        self.words = Parameter(Tensor(seeded((words, width))), "words")
        self.places = Parameter(Tensor(seeded((length, width), seed=1)), "places")
        self.gather, self.head = ops.Gather(), ops.MatMul(transpose_b=True)
        if dp * mp > 1:
            self.gather.shard(((mp, 1), (1, 1)))
            self.head.shard(((dp, 1), (mp, 1)))
        self.blocks = nn.CellList([Block(width, heads, dp, mp) for _ in range(2)])
        self.norm = nn.LayerNorm((width,))
        self.mask = Tensor(np.triu(np.full((length, length), -1e4, np.float32), 1))

    def construct(self, ids):
        x = self.gather(self.words, ids, 0) + self.places
        for block in self.blocks:
            x = block(x, self.mask)
        x = self.norm(x)
        return self.head(ops.reshape(x, (-1, x.shape[-1])), self.words)


class WithLoss(nn.Cell):
    def __init__(self, net):
        super().__init__(auto_prefix=False)
        self.net, self.loss = net, nn.CrossEntropyLoss()

    def construct(self, x, y):
        return self.loss(self.net(x), ops.reshape(y, (-1,)))


IMAGES, LABELS = seeded((16, 1, 28, 28), 1.0), np.arange(16).astype(np.int32) % 8
DATA = {
    MLP: (seeded((16, 8), 1.0), LABELS),
    LeNet: (IMAGES, LABELS),
    ResNet: (IMAGES[:, :, :8, :8], LABELS),
    GPT: (
        np.random.default_rng(3).integers(0, 8, (8, 6)).astype(np.int32),
        np.random.default_rng(4).integers(0, 8, (8, 6)).astype(np.int32),
    ),
}


def adam(net):
    return nn.Adam(net.trainable_params(), 0.01)


def trained(net, make=adam, around=lambda step: step, share=False):
    """Losses and weights after some steps."""
    arrays = DATA[type(net)]
    if share:
        part = len(arrays[0]) // SIZE
        arrays = [array[RANK * part : (RANK + 1) * part] for array in arrays]
    step = nn.TrainOneStepCell(WithLoss(set_weights(net)), make(net)).set_train()
    run = around(step)
    losses = [float(run(*map(Tensor, arrays)).asnumpy()) for _ in range(STEPS)]
    return losses, {p.name: p.asnumpy() for p in net.get_parameters()}


def same(found, wanted, tolerance=1e-5):
    np.testing.assert_allclose(found[0], wanted[0], rtol=tolerance, atol=tolerance)
    for name, value in wanted[1].items():
        np.testing.assert_allclose(
            found[1][name], value, rtol=tolerance, atol=10 * tolerance, err_msg=name
        )


def parallel(step, **settings):
    net = AutoParallel(step, "semi_auto")
    for name, value in settings.items():
        getattr(net, name)(*value)
    return net


MP = 2
DP = SIZE // MP
FULL = {"dataset_strategy": ("full_batch",)}


@check
def data_parallel_networks():
    for kind in (MLP, LeNet, ResNet, GPT):
        wanted = trained(kind(), lambda net: nn.Momentum(net.trainable_params(), 0.05, 0.9))
        found = trained(
            kind(), lambda net: nn.Momentum(net.trainable_params(), 0.05, 0.9), parallel, True
        )
        same(found, wanted)


@check
def divided_weights():
    for kind in (MLP, GPT):
        wanted = trained(kind(), lambda net: nn.Momentum(net.trainable_params(), 0.05, 0.9))
        net = kind(DP, MP)
        found = trained(
            net,
            lambda net: nn.Momentum(net.trainable_params(), 0.05, 0.9),
            lambda step: parallel(step, **FULL),
        )
        same(found, wanted)
        assert any(type(p._array) is Sharded for p in net.get_parameters())


@check
def the_parallel_optimizer():
    wanted = trained(MLP(), adam)
    for level in ("level1", "level2", "level3"):
        net = MLP()
        around = lambda step: parallel(step, hsdp=(-1, 0, level))  # noqa: B023, E731
        same(trained(net, adam, around, True), wanted)
        for parameter in net.get_parameters():
            assert parameter._array.block.size * SIZE == parameter.size


@check
def divided_weights_and_the_parallel_optimizer():
    make = lambda net: nn.Lamb(net.trainable_params(), 0.01)  # noqa: E731
    wanted = trained(GPT(), make)
    around = lambda step: parallel(step, hsdp=(-1, 0, "level3"), **FULL)  # noqa: E731
    same(trained(GPT(DP, MP), make, around), wanted)


@check
def settings_of_the_context():
    wanted = trained(MLP())
    ms.set_context(mode=ms.GRAPH_MODE)
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel", dataset_strategy="full_batch")
    try:
        net = MLP(DP, MP)
        same(trained(net), wanted)
        assert type(net.w1._array) is Sharded
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)


def scaled(net, make, around, big):
    """Returns losses, overflow flags and weights with a dynamic loss scale, which is too large at
    first."""
    manager = nn.DynamicLossScaleUpdateCell(2.0 ** (140 if big else 10), 2, 1000)
    step = nn.TrainOneStepWithLossScaleCell(WithLoss(set_weights(net)), make(net), manager)
    run, arrays, found = around(step.set_train()), list(map(Tensor, DATA[type(net)])), []
    for _ in range(4):
        loss, overflow, scale = run(*arrays)[:3]
        found += [float(loss.asnumpy()), float(overflow.asnumpy()), float(scale.asnumpy())]
    return found, {p.name: p.asnumpy() for p in net.get_parameters()}


@check
def loss_scales():
    for big in (False, True):
        wanted = scaled(MLP(), adam, lambda step: step, big)
        assert wanted[0][1] == big
        around = lambda step: parallel(step, hsdp=(-1, 0, "level1"), **FULL)  # noqa: E731
        same(scaled(MLP(DP, MP), adam, around, big), wanted)


@check
def mixed_precision():
    """Float16 products are summed over ranks in float16, so results are close but not equal."""
    results = []
    for divided in (False, True):
        net = set_weights(GPT(DP, MP) if divided else GPT())
        optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
        step = ms.amp.build_train_network(WithLoss(net), optimizer, level="O2").set_train()
        run = parallel(step, hsdp=(-1, 0, "level1"), **FULL) if divided else step
        arrays = list(map(Tensor, DATA[GPT]))
        out = [run(*arrays) for _ in range(4)]
        losses = [float((o[0] if isinstance(o, tuple) else o).asnumpy()) for o in out]
        results.append((losses, {p.name: p.asnumpy() for p in net.get_parameters()}))
    same(results[1], results[0], 5e-3)


@check
def clipping_by_the_global_norm():
    def make(net):
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        gradient = ms.value_and_grad(WithLoss(net), None, optimizer.parameters)

        def step(x, y):
            loss, grads = gradient(x, y)
            optimizer(ops.clip_by_global_norm(grads, 0.05))
            return loss

        return step

    arrays, results = list(map(Tensor, DATA[MLP])), []
    for dp, mp, around in (
        (1, 1, lambda step: step),
        (DP, MP, lambda step: parallel(step, hsdp=(-1, 0, "level1"), **FULL)),
    ):
        net = set_weights(MLP(dp, mp))
        run = around(make(net))
        losses = [float(run(*arrays).asnumpy()) for _ in range(STEPS)]
        results.append((losses, {p.name: p.asnumpy() for p in net.get_parameters()}))
    same(results[1], results[0])


@check
def dropout_draws_one_stream():
    x = np.ones((8, 6), np.float32)
    ms.set_seed(7)
    wanted = nn.Dropout(p=0.5).set_train()(Tensor(x)).asnumpy()
    ms.set_seed(7)
    part = Tensor(x[RANK * 2 : RANK * 2 + 2])
    found = parallel(nn.Dropout(p=0.5).set_train())(part).asnumpy()
    assert found.tolist() == wanted[RANK * 2 : RANK * 2 + 2].tolist()


@check
def models_train_divided():
    from mindspore_compat import dataset
    from mindspore_compat.train import LossMonitor, Model

    def weights(divided):
        net = set_weights(MLP(DP, MP) if divided else MLP())
        x, y = DATA[MLP]
        rows = dataset.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(8)
        optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
        model = Model(net, nn.CrossEntropyLoss(), optimizer)
        model.train(3, rows, callbacks=[LossMonitor(100)], dataset_sink_mode=False)
        return {p.name: p.asnumpy() for p in net.get_parameters()}

    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        wanted = weights(False)
        ms.set_auto_parallel_context(
            parallel_mode="semi_auto_parallel", full_batch=True, enable_parallel_optimizer=True
        )
        found = weights(True)
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=ms.PYNATIVE_MODE)
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-5, atol=1e-5)


class Attention(nn.Cell):
    """Attention between all words of a sequence, in float32, as a layer of a network."""

    def __init__(self):
        super().__init__()
        self.norm, self.attention = (
            nn.LayerNorm((8,)),
            nn.MultiheadAttention(8, 2, has_bias=False, batch_first=True),  # with one, as in Block
        )
        self.up, self.down = nn.Dense(8, 16), nn.Dense(16, 8)

    def construct(self, x):
        y = self.norm(x)
        x = x + self.attention(y, y, y, need_weights=False)[0]
        return x + self.down(ops.gelu(self.up(x)))


@check
def a_sequence_divided_in_a_ring():
    """This also holds with two shares of the data. Each rank receives the blocks of keys and values
    of the others in both passes, and in the backward pass their gradients: for n parts 3 (n - 1)
    blocks each of keys and values."""
    x, y = Tensor(seeded((4, 16, 8), 1.0)), Tensor(seeded((4, 16, 8), 1.0, 1))

    def run(parts):
        net = set_weights(Attention())
        step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), adam(net)).set_train()
        if parts is not None:
            step = AutoParallel(step, parallel_mode="semi_auto")
            step.dataset_strategy((parts, parts))
            traffic = mesh_of().traffic
            traffic.clear()
        own = [x, y] if parts is None else [share_of(z, parts) for z in (x, y)]
        losses = [float(step(*own).asnumpy()) for _ in range(STEPS)]
        if parts is not None:
            blocks = 3 * 2 * (parts[1] - 1)
            assert traffic["ring"] == STEPS * blocks * own[0].nbytes, traffic
        return losses, {p.name: p.asnumpy() for p in net.trainable_params()}

    wanted = run(None)
    for parts in ((1, SIZE, 1), (2, SIZE // 2, 1)):
        same(run(parts), wanted)


def share_of(x, parts):
    """Returns this rank's part of a Tensor whose first two axes are divided."""
    rows, columns = divmod(RANK, parts[1])
    x = np.split(np.split(x.asnumpy(), parts[0])[rows], parts[1], axis=1)[columns]
    return Tensor(x)


@check
def counted_bytes():
    """A step of ZeRO receives 2 (n - 1) / n of the weights: it gathers the weights and
    reduce-scatters their gradients. At level 3 the backward pass gathers again the weights that it
    reads."""
    for level in ("level1", "level3"):
        net = MLP()
        step = nn.TrainOneStepCell(WithLoss(set_weights(net)), adam(net)).set_train()
        run = parallel(step, hsdp=(-1, 0, level))
        part = len(DATA[MLP][0]) // SIZE
        arrays = [Tensor(a[RANK * part : (RANK + 1) * part]) for a in DATA[MLP]]
        run(*arrays)
        traffic = mesh_of().traffic
        traffic.clear()
        run(*arrays)
        size = sum(p.nbytes for p in (net.w1, net.w2, net.b))
        again = net.w2.nbytes if level == "level3" else 0
        assert traffic["all_gather"] == (SIZE - 1) * (size + again) // SIZE, traffic
        assert traffic["reduce_scatter"] == (SIZE - 1) * size // SIZE, traffic
        assert traffic["all_reduce"] < 40, traffic  # the loss


@check
def every_placement_becomes_every_other():
    """Tests all placements of a matrix over MPI: each mesh axis divides rows, columns or nothing,
    or holds terms of a sum."""
    mesh = mesh_of()
    space, whole = space_on(mesh), np.arange(8.0 * 12).reshape(8, 12).astype(np.float32)

    def made(dims, sums):
        term = whole / mesh.count(sums) if sums else whole
        return space.wrap(space.cut(term, dims).copy(), dims, sums)

    placements = []
    for ways in itertools.product((0, 1, None, "sum"), repeat=len(mesh.axes)):
        dims = tuple(tuple(a for a, way in zip(mesh.axes, ways) if way == axis) for axis in (0, 1))
        placements.append((dims, tuple(a for a, way in zip(mesh.axes, ways) if way == "sum")))
    for source, target in itertools.product(placements, repeat=2):
        if set(target[1]) <= set(source[1]):
            moved = space.place(made(*source), *target)
            assert (moved.dims, moved.sums) == target
            np.testing.assert_allclose(moved.get(), whole, rtol=1e-6, err_msg=f"{source} {target}")


@check
def a_wrong_strategy_is_refused_on_every_rank():
    for strategy, text in (
        (((3, 1), (1, 1)), "divide"),
        (((SIZE, 2), (2, SIZE)), "divide"),
        (((1, 2), (1, 1)), "alike"),
        (((1,), (1, 1)), "one number for each"),
        (((SIZE * 16, 1), (1, 1)), "divide"),
    ):
        net = MLP()
        net.first.shard(strategy)
        try:
            parallel(net, **FULL)(Tensor(DATA[MLP][0]))
        except RuntimeError as error:
            assert text in str(error), error
        else:
            raise AssertionError(f"{strategy} was not refused")


@check
def strategies_that_ranks_used_before_are_compared():
    """The first exchanges are between different pairs of ranks, which could otherwise wait for each
    other in a circle."""
    x = Tensor(DATA[MLP][0])

    def run(first, second):
        net = set_weights(MLP())
        net.first.shard(first)
        net.second.shard(second)
        return parallel(net, **FULL)(x)

    pairs = [
        (((1, 2), (2, 1)), ((SIZE // 2, 2), (2, 1))),
        (((SIZE // 2, 2), (2, 1)), ((1, 2), (2, 1))),
        (((1, SIZE), (SIZE, 1)), ((SIZE, 1), (1, 1))),
    ]
    for pair in pairs:
        run(*pair)
    for first, other in itertools.permutations(pairs, 2):
        for rank in (0, SIZE - 1):
            refused(RuntimeError, lambda: run(*(other if RANK == rank else first)))  # noqa: B023
        run(*first)


@check
def a_cell_and_a_function_with_strategies():
    x = seeded((8, 6), 1.0)
    net = nn.Dense(6, 4, Tensor(seeded((4, 6))), "zeros")
    wanted = net(Tensor(x)).asnumpy()
    net.shard(((SIZE, 1),), ((1, 1),), {"self.weight": (2, 1)})
    np.testing.assert_allclose(parallel(net, **FULL)(Tensor(x)).asnumpy(), wanted, rtol=1e-5)
    assert type(net.weight._array) is Sharded
    layout = Layout((SIZE // 2, 2), ("a", "b"))
    seen = []

    def double(x):
        seen.append(getattr(x._array, "block", x._array).shape)
        return x * 2

    around = ms.parallel.shard(double, (layout("a", "b"),), (layout("None", "a"),))
    np.testing.assert_allclose(parallel(around, **FULL)(Tensor(x)).asnumpy(), 2 * x)
    assert seen[-1] == (8 // (SIZE // 2), 3)
    assert around(Tensor(x)).asnumpy().tolist() == (2 * x).tolist()  # outside: as it is


@check
def results_divided_by_data_are_shares():
    x = seeded((8, 6), 1.0)[RANK * 2 : RANK * 2 + 2]
    out = parallel(nn.ReLU())(Tensor(x))
    assert out.asnumpy().tolist() == np.maximum(x, 0).tolist()


@check
def gradients_are_averaged_if_asked_for():
    net = nn.Dense(3, 1, Tensor(np.ones((1, 3), np.float32)), has_bias=False)
    grad = ms.grad(lambda x: net(x).sum(), None, net.trainable_params())
    x = Tensor(np.full((1, 3), RANK + 1, np.float32))
    total = SIZE * (SIZE + 1) / 2
    assert parallel(grad)(x)[0].asnumpy().tolist() == [[total] * 3]
    averaged = parallel(grad, enable_gradients_mean=())
    assert averaged(x)[0].asnumpy().tolist() == [[total / SIZE] * 3]


@check
def checkpoints_of_ranks_with_a_strategy_file():
    """The slices of all ranks, merged by means of the strategy file, equal the weights and
    states."""
    folder = Path(os.environ["FOLDER"])
    for ending in ("ckpt", "json"):
        net = MLP(DP, MP)
        optimizer = adam(net)
        step = nn.TrainOneStepCell(WithLoss(set_weights(net)), optimizer).set_train()
        run = parallel(step, hsdp=(-1, 0, "level1"), **FULL)
        run.disable_strategy_file_only_for_trainable_params()
        strategy = folder / f"strategy_{RANK}.{ending}"
        run.save_param_strategy_file(str(strategy))
        arrays = list(map(Tensor, DATA[MLP]))
        for _ in range(2):
            run(*arrays)
        file = folder / f"{ending}_{RANK}.ckpt"
        ms.save_checkpoint(step, str(file), integrated_save=False)
        wholes = {p.name: p.asnumpy() for p in step.get_parameters()}
        saved = ms.load_checkpoint(str(file))
        assert saved["w1"].size * SIZE == net.w1.size
        ms.communication.comm_func.barrier()
        again = MLP()
        step = nn.TrainOneStepCell(WithLoss(again), adam(again))
        files = [str(folder / f"{ending}_{rank}.ckpt") for rank in range(SIZE)]
        ms.load_distributed_checkpoint(step, files, None, str(strategy))
        for parameter in step.get_parameters():
            np.testing.assert_array_equal(
                parameter.asnumpy(), wholes[parameter.name], err_msg=parameter.name
            )
        losses = [float(parallel(step, **FULL)(*arrays).asnumpy()) for _ in range(2)]
        np.testing.assert_allclose(
            losses, [float(run(*arrays).asnumpy()) for _ in range(2)], rtol=1e-6
        )


@check
def inputs_that_differ_between_ranks_are_refused_by_all():
    net = set_weights(MLP())
    for rows, kind in ((8 - RANK, np.float32), (8, np.float64 if RANK else np.float32)):
        for data in ("data_parallel", ((SIZE, 1),)):
            around = AutoParallel(net, "semi_auto")
            around.dataset_strategy(data)
            x = Tensor(np.ones((rows, 8), kind))
            refused(RuntimeError, lambda: around(x))  # noqa: B023
            x = Tensor(np.ones((4, 8), np.float32))
            assert around(x).shape[0] in (4, 4 * SIZE)


run_named_checks()
