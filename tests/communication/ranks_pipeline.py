"""Networks on the stages of a pipeline train as on one process; test_pipeline_ranks.py starts this
through mpiexec with two or four ranks. Each rank first trains the whole network by itself.
"""

import numpy as np
from kit.rank_checks import check, refused, run_named_checks

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat._core.sharding import micro_batches
from mindspore_compat.parallel.auto_parallel import AutoParallel

communication.init()
RANK, SIZE = communication.get_rank(), communication.get_group_size()
STEPS, MICRO = 10, 4
BOTH = ("1f1b", "gpipe")


def drawn(shape, scale=1.0, seed=0):
    return (np.random.default_rng([seed, *shape]).normal(size=shape) * scale).astype(np.float32)


class MLP(nn.Cell):
    """Four layers; a residual goes around two of them, across stages."""

    data = drawn((16, 8)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(8, 8, activation="tanh") for _ in range(4)])
        for number, layer in enumerate(self.layers if stages else ()):
            layer.pipeline_stage = number * stages // 4

    def construct(self, x):
        first = self.layers[0](x)
        y = self.layers[2](self.layers[1](first))
        return self.layers[3](y + first * 0.5)


class Long(MLP):
    data = drawn((32, 8)), np.arange(32).astype(np.int32) % 8


class LeNet(nn.Cell):
    data = drawn((16, 1, 28, 28)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(256, 120), nn.Dense(120, 84), nn.Dense(84, 8)
        if stages:
            cells = (self.conv1, self.conv2, self.fc1, self.fc2, self.fc3)
            for cell, quarter in zip(cells, (0, 1, 2, 2, 3)):
                cell.pipeline_stage = quarter * stages // 4

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.flatten(self.pool(ops.relu(self.conv2(x))))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


class Block(nn.Cell):
    def __init__(self, width=16, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.q, self.v, self.out = (nn.Dense(width, width) for _ in range(3))
        self.k = nn.Dense(width, width, has_bias=False)  # with one its gradient is but noise
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)

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


class Table(nn.Cell):
    """An embedding whose table is also the last layer's weight."""

    def __init__(self, words=8, width=16, length=6):
        super().__init__()
        self.words = Parameter(Tensor(drawn((words, width), 0.3)), "words")
        self.places = Parameter(Tensor(drawn((length, width), 0.3)), "places")

    def construct(self, ids):
        return ops.gather(self.words, ids, 0) + self.places


class GPT(nn.Cell):
    data = tuple(np.random.default_rng(n).integers(0, 8, (8, 6)).astype(np.int32) for n in (3, 4))

    def __init__(self, stages):
        super().__init__()
        self.table = Table()
        self.blocks = nn.CellList([Block() for _ in range(4)])
        self.norm = nn.LayerNorm((16,))  # of the last stage: there its input is
        self.mask = Tensor(np.triu(np.full((6, 6), -1e4, np.float32), 1))
        if stages:
            self.table.pipeline_stage = 0
            for number, block in enumerate(self.blocks):
                block.pipeline_stage = number * stages // 4

    def construct(self, ids):
        x = self.table(ids)
        for block in self.blocks:
            x = block(x, self.mask)
        x = self.norm(x)
        return ops.matmul(x.reshape((-1, x.shape[-1])), self.table.words.swapaxes(0, 1))


class Divided(nn.Cell):
    """Two pairs of products; the inner units of each pair are divided within its stage."""

    data = MLP.data

    def __init__(self, stages):
        super().__init__()
        self.pairs = nn.CellList([Pair(SIZE == 4 and stages == 2) for _ in range(2)])
        if stages:
            self.pairs[1].pipeline_stage = 1
            self.pairs[0].pipeline_stage = 0

    def construct(self, x):
        return self.pairs[1](self.pairs[0](x))


class Pair(nn.Cell):
    def __init__(self, divided):
        super().__init__()
        self.w1 = Parameter(Tensor(drawn((8, 32), 0.3)), "w1")
        self.w2 = Parameter(Tensor(drawn((32, 8), 0.3)), "w2")
        self.up, self.down = ops.MatMul(), ops.MatMul()
        if divided:
            self.up.shard(((1, 1), (1, 2)))
            self.down.shard(((1, 2), (2, 1)))

    def construct(self, x):
        return self.down(ops.tanh(self.up(x, self.w1)), self.w2)


class Loss(nn.Cell):
    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss()

    def construct(self, logits, labels):
        return self.loss(logits, labels.reshape((-1,)))


class Halves(nn.Cell):
    """Two stages with one table: as an attribute of both."""

    def __init__(self):
        super().__init__()
        self.first, self.second = Table(), Table()
        self.second.words = self.first.words
        self.first.pipeline_stage, self.second.pipeline_stage = 0, 1

    def construct(self, ids):
        return self.second(ids) + self.first(ids).sum()


class Lookup(Table):
    def construct(self, ids):
        return super().construct(ids), self.words


class Passed(nn.Cell):
    """The first Cell returns its table to the last layer; two slices run one after the other."""

    def __init__(self):
        super().__init__()
        self.table, self.head = Lookup(), ops.MatMul(transpose_b=True)
        self.last = nn.Dense(8, 8)
        self.table.pipeline_stage, self.last.pipeline_stage = 0, 1

    def half(self, ids):
        x, words = self.table(ids)
        return self.last(self.head(x.reshape((-1, 16)), words))

    def construct(self, ids):
        return ops.concat((self.half(ids[:4]), self.half(ids[4:])))


def with_weights(net):
    """Gives every rank the same first weights."""
    for number, p in enumerate(net.trainable_params()):
        if "gamma" not in p.name:
            scale = np.prod(p.shape[1:]) ** -0.5 if p.ndim > 1 else 0.1
            p.set_data(Tensor(drawn(p.shape, scale, number)))
    return net


def adam(net):
    return nn.Adam(net.trainable_params(), 0.01)


def thor(net):
    return nn.thor(net, Tensor(0.1), Tensor(0.1), 0.9)


def step_of(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    return nn.TrainOneStepCell(pipeline, make(net)).set_train()


def clipped_step(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    optimizer = make(net)
    gradient = ms.value_and_grad(pipeline, None, optimizer.parameters)
    reduced = nn.PipelineGradReducer(optimizer.parameters)

    def step(x, y):
        loss, grads = gradient(x, y)
        optimizer(ops.clip_by_global_norm(reduced(grads), 0.5))
        return loss

    return step


def step_with_own_formula(net, make=adam):
    """Gradient descent that a script writes itself, with a momentum of its own."""
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    weights = net.trainable_params()
    moments = ms.ParameterTuple(weights).clone("moment", "zeros")
    gradient = ms.value_and_grad(pipeline, None, weights)

    def step(x, y):
        loss, grads = gradient(x, y)
        for weight, moment, grad in zip(weights, moments, grads):
            ops.assign(moment, moment * 0.5 + grad)
            ops.assign_sub(weight, moment * 0.01)
        return loss

    return step


def accumulated_step(net, make=adam):
    """Two runs of a pipeline in one gradient, each of whose micro-batches is cut once more."""
    sliced = nn.MicroBatchInterleaved(nn.WithLossCell(net, Loss()), 2)
    network = nn.GradAccumulationCell(nn.PipelineCell(sliced, MICRO), 2)
    return nn.TrainOneStepCell(network, make(net)).set_train()


def scaled_step(net, make=adam):
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    scale = nn.DynamicLossScaleUpdateCell(64.0, 2, 3)
    step = nn.TrainOneStepWithLossScaleCell(pipeline, make(net), scale)
    return lambda x, y: step(x, y)[0]


def trained(kind, stages=0, scheduler="1f1b", shares=1, step_of=step_of, make=adam, level=None):
    """The losses of some steps, and the weights after them that this rank has."""
    net = with_weights(kind(stages))
    step = step_of(net, make)
    x, y = kind.data
    if stages:
        around = AutoParallel(step, "semi_auto")
        around.pipeline(stages, scheduler=scheduler)
        around.dataset_strategy("data_parallel" if shares > 1 else "full_batch")
        if level:
            around.hsdp(-1, 0, level)
        place = RANK % (SIZE // stages)
        if shares > 1:
            x, y = (np.split(array, shares)[place] for array in (x, y))
        step = around
    losses = [float(step(Tensor(x), Tensor(y)).asnumpy()) for _ in range(STEPS)]
    return losses, net


def equal(found, wanted):
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    held = 0
    for own, p in zip(found[1].get_parameters(), wanted[1].get_parameters(), strict=True):
        if own._array.nbytes:
            held += 1
            np.testing.assert_allclose(
                own.asnumpy(), p.asnumpy(), rtol=1e-5, atol=1e-5, err_msg=own.name
            )
        else:
            refused(RuntimeError, own.asnumpy)
    assert 0 < held < len(list(wanted[1].get_parameters()))


def compare(kind, schedulers=("1f1b",), **how):
    wanted = trained(kind, **{k: v for k, v in how.items() if k in ("step_of", "make")})
    for stages in (2, 4) if SIZE == 4 else (2,):
        shares = SIZE // stages
        for scheduler in schedulers:
            equal(trained(kind, stages, scheduler, shares, **how), wanted)


@check
def perceptron():
    compare(MLP, BOTH)


@check
def lenet():
    compare(LeNet, BOTH)


@check
def gpt():
    compare(GPT, BOTH)


@check
def clipped_by_the_global_norm():
    compare(MLP, step_of=clipped_step)


@check
def scaled_loss():
    compare(MLP, step_of=scaled_step)


@check
def slices_of_slices():
    compare(Long, step_of=accumulated_step)


@check
def a_formula_of_the_script():
    compare(MLP, step_of=step_with_own_formula)


class Steep(MLP):
    def construct(self, x):
        return super().construct(x) * 1e3


@check
def steps_that_overflow():
    net = with_weights(Steep(2))
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    step = nn.TrainOneStepWithLossScaleCell(pipeline, optimizer, Tensor(np.float32(2.0**126)))
    around = AutoParallel(step, "semi_auto")
    around.pipeline(2)
    around.dataset_strategy("full_batch")
    around(*map(Tensor, MLP.data))
    before = [p.asnumpy().copy() for p in net.get_parameters() if p._array.nbytes]
    for _ in range(2):  # in the second, the backward passes start with this scale
        assert bool(around(*map(Tensor, MLP.data))[1])
    after = [p.asnumpy() for p in net.get_parameters() if p._array.nbytes]
    assert all(map(np.array_equal, before, after))


@check
def all_stages_see_the_overflow_of_one():
    net = with_weights(MLP(2))
    pipeline = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
    gradient = ms.grad(pipeline, None, net.trainable_params())

    def finite(x, y):
        first, *others = gradient(x, y)
        return ms.amp.all_finite([first, *others]), ms.amp.all_finite([first / 0.0, *others])

    around = AutoParallel(finite, "semi_auto")
    around.pipeline(2)
    around.dataset_strategy("full_batch")
    assert list(map(bool, around(*map(Tensor, MLP.data)))) == [True, False]


class Recomputed(MLP):
    def __init__(self, stages):
        super().__init__(stages)
        for layer in self.layers:
            layer.recompute()


@check
def recomputed_activations():
    compare(Recomputed)


OPTIMIZERS = {
    "sgd": lambda net: nn.SGD(net.trainable_params(), 0.1, weight_decay=0.01),
    "momentum": lambda net: nn.Momentum(
        [{"params": net.trainable_params(), "grad_centralization": True}], 0.1, 0.9
    ),
    "lamb": lambda net: nn.Lamb(net.trainable_params(), 0.01),
    "lars": lambda net: nn.LARS(nn.Momentum(net.trainable_params(), 0.1, 0.9)),
    "adafactor": lambda net: nn.AdaFactor(net.trainable_params(), 0.01, relative_step=False),
    "ftrl": lambda net: nn.FTRL(net.trainable_params(), learning_rate=0.1),
    "asgd": lambda net: nn.ASGD(net.trainable_params(), 0.1),
}


@check
def other_optimizers():
    for make in OPTIMIZERS.values():
        wanted = trained(MLP, make=make)
        equal(trained(MLP, 2, shares=SIZE // 2, make=make), wanted)


@check
def divided_states():
    if SIZE == 4:
        for level in ("level1", "level3"):
            equal(trained(MLP, 2, shares=2, level=level), trained(MLP))
        equal(trained(GPT, 2, shares=2, level="level1"), trained(GPT))  # shared weights, too


@check
def stages_times_parts_of_products():
    wanted = trained(Divided)
    found = trained(Divided, 2)
    np.testing.assert_allclose(found[0], wanted[0], rtol=1e-5)
    own = found[1].pairs[RANK * 2 // SIZE]
    assert own.w1._array.nbytes == 8 * 32 * 4
    assert getattr(own.w1._array, "block", own.w1._array).shape == (8, 32 * 2 // SIZE)
    for p, other in zip(own.get_parameters(), wanted[1].pairs[RANK * 2 // SIZE].get_parameters()):
        np.testing.assert_allclose(p.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-5)


@check
def prediction():
    x, y = map(Tensor, GPT.data)
    wanted = with_weights(GPT(0))(x).asnumpy()
    for step in (None, step_of):
        net = with_weights(GPT(2))
        around = AutoParallel(net, "semi_auto")
        around.pipeline(2)
        around.dataset_strategy("full_batch")
        if step is not None:  # the sum of the losses of micro-batches
            around.network = nn.PipelineCell(nn.WithLossCell(net, Loss()), MICRO)
            single = nn.GradAccumulationCell(nn.WithLossCell(with_weights(GPT(0)), Loss()), MICRO)
            np.testing.assert_allclose(around(x, y).asnumpy(), single(x, y).asnumpy(), rtol=1e-5)
        else:
            np.testing.assert_allclose(around(x).asnumpy(), wanted, rtol=1e-4, atol=1e-5)


@check
def the_context_and_jit():
    wanted = trained(MLP, step_of=clipped_step)[0]
    mode = ms.get_context("mode")
    try:
        ms.set_context(mode=ms.GRAPH_MODE)
        ms.set_auto_parallel_context(
            parallel_mode="semi_auto_parallel",
            pipeline_stages=2,
            full_batch=True,
            pipeline_config={"pipeline_interleave": False, "pipeline_scheduler": "gpipe"},
        )
        net = with_weights(MLP(2))
        step = ms.jit(clipped_step(net))
        x, y = map(Tensor, MLP.data)
        np.testing.assert_allclose([float(step(x, y)) for _ in wanted], wanted, rtol=1e-5)
        held = [p._array.nbytes > 0 for p in net.get_parameters()]
        assert held == [number // 4 == RANK * 2 // SIZE for number in range(8)]
    finally:
        ms.reset_auto_parallel_context()
        ms.set_context(mode=mode)


@check
def activations_alive():
    """With 1f1b stage s of n keeps those of at most n - s micro-batches, with gpipe all."""
    alive, most = set(), 0

    before = micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward

    def forward(self, *args):
        nonlocal most
        alive.add(self)
        most = max(most, len(alive))
        return before[0](self, *args)

    def backward(self, *args):
        alive.discard(self)
        return before[1](self, *args)

    micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward = forward, backward
    try:
        for scheduler in ("1f1b", "gpipe"):
            most = 0
            trained(MLP, SIZE, scheduler)
            assert most == (SIZE - RANK if scheduler == "1f1b" else MICRO), most
    finally:
        micro_batches.MicroBatch.forward, micro_batches.MicroBatch.backward = before


class Several(MLP):
    """Returns one number for each column, so that every schedule runs as "gpipe"."""

    def construct(self, x):
        return super().construct(x).sum(0)


@check
def gradients_taken_twice_from_one_run():
    x = Tensor(MLP.data[0])
    factors = Tensor(drawn((8,))), Tensor(drawn((8,), seed=1))

    def pulled(net, network):
        def both(x):
            _, pull = ms.vjp(lambda: network(x), weights=net.trainable_params())
            return pull(factors[0]), pull(factors[1])

        return both

    net = with_weights(Several(0))
    wanted = pulled(net, net)(x)
    for scheduler in BOTH:
        net = with_weights(Several(2))
        run = around(pulled(net, nn.PipelineCell(net, MICRO)))
        run.pipeline(2, scheduler=scheduler)
        for found, exact in zip(run(x), wanted, strict=True):
            own = [(g, w) for g, w in zip(found, exact, strict=True) if g._array.nbytes]
            assert len(own) == 4
            for g, w in own:
                np.testing.assert_allclose(g.asnumpy(), w.asnumpy(), rtol=1e-4, atol=1e-5)


@check
def a_second_gradient_is_refused():
    net = with_weights(Several(2))
    weights = net.trainable_params()
    first = ms.grad(lambda x: nn.PipelineCell(net, MICRO)(x).sum(), None, weights)
    for scheduler in BOTH:
        run = around(ms.grad(lambda x: sum((g * g).sum() for g in first(x)), None, weights))
        run.pipeline(2, scheduler=scheduler)
        refused(RuntimeError, lambda: run(Tensor(MLP.data[0])))


@check
def a_parameter_as_a_result():
    net = with_weights(Passed())
    ids = Tensor(GPT.data[0])
    wanted = net(ids).asnumpy()
    np.testing.assert_allclose(around(net)(ids).asnumpy(), wanted, rtol=1e-5, atol=1e-6)


@check
def shared_parameters():
    net = Halves()
    run = around(net)
    ids = Tensor(GPT.data[0])
    first = run(ids).asnumpy()
    if RANK * 2 >= SIZE:  # a checkpoint that only the first stage has read
        net.first.words.set_data(net.first.words * 0.0)
    ms.parallel.sync_pipeline_shared_parameters(run)
    np.testing.assert_allclose(run(ids).asnumpy(), first, rtol=1e-6)


def around(step, stages=2):
    made = AutoParallel(step, "semi_auto")
    made.pipeline(stages)
    made.dataset_strategy("full_batch")
    return made


@check
def wrong_settings():
    x, y = map(Tensor, MLP.data)
    refused(RuntimeError, lambda: around(step_of(MLP(2)), 3)(x, y))  # stages do not divide ranks
    beyond = MLP(2)
    beyond.layers[3].pipeline_stage = 2
    refused(RuntimeError, lambda: around(step_of(beyond))(x, y))
    back = MLP(2)
    back.layers[1].pipeline_stage = 1
    back.layers[2].pipeline_stage = 0
    refused(RuntimeError, lambda: around(step_of(back))(x, y))
    empty = MLP(0)
    empty.layers[0].pipeline_stage = 1
    refused(RuntimeError, lambda: around(step_of(empty))(x, y))
    few = nn.PipelineCell(nn.WithLossCell(MLP(2), Loss()), 1)
    refused(RuntimeError, lambda: around(few)(x, y))
    refused(ValueError, lambda: around(step_of(MLP(2)))(x[:15], y[:15]))
    net = MLP(2)  # without PipelineCell
    step = nn.TrainOneStepCell(nn.WithLossCell(net, Loss()), adam(net)).set_train()
    refused(RuntimeError, lambda: around(step)(x, y))
    refused(RuntimeError, lambda: around(step_of(MLP(2), thor))(x, y))
    equal(trained(MLP, 2), trained(MLP))  # the ranks have stayed together


run_named_checks()
