"""Networks and training steps for the scripts of this folder. They run on several ranks with
pipeline stages, sharded weights and data parallelism, or on one process with the default arguments.
"""

import numpy as np

from mindspore_compat import Parameter, Tensor, communication, nn, ops
from mindspore_compat.parallel.auto_parallel import AutoParallel

STEPS, MICRO = 4, 4


def drawn(shape, scale=1.0, seed=0):
    """Returns the same array on every rank."""
    return (np.random.default_rng([seed, *shape]).normal(size=shape) * scale).astype(np.float32)


def with_weights(net):
    """Sets weights that depend only on their order and shape."""
    for number, p in enumerate(net.trainable_params()):
        if "gamma" not in p.name:
            scale = np.prod(p.shape[1:]) ** -0.5 if p.ndim > 1 else 0.1
            p.set_data(Tensor(drawn(p.shape, scale, number)))
    return net


def with_stages(cells, stages):
    """Puts consecutive Cells on the stages of a pipeline, if there are several."""
    for number, cell in enumerate(cells if stages > 1 else ()):
        cell.pipeline_stage = number * stages // len(cells)


class FeedForward(nn.Cell):
    """Two matrix products around a tanh, with a residual; the inner units are divided into `mp`
    parts."""

    def __init__(self, dp=1, mp=1, width=8):
        super().__init__()
        self.w1 = Parameter(Tensor(np.zeros((width, 4 * width), np.float32)), "w1")
        self.w2 = Parameter(Tensor(np.zeros((4 * width, width), np.float32)), "w2")
        self.up, self.down = ops.MatMul(), ops.MatMul()
        if mp > 1:
            self.up.shard(((dp, 1), (1, mp)))
            self.down.shard(((dp, mp), (mp, 1)))

    def construct(self, x):
        return x + self.down(ops.tanh(self.up(x, self.w1)), self.w2)


class MLP(nn.Cell):
    data = drawn((16, 8)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages=1, dp=1, mp=1):
        super().__init__()
        self.layers = nn.CellList([FeedForward(dp, mp) for _ in range(4)])
        with_stages(self.layers, stages)

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x


class LeNet(nn.Cell):
    """LeNet-5; `mp` parts of the channels of its second convolution, and of the units of its first
    and second dense layer."""

    data = drawn((16, 1, 28, 28)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages=1, dp=1, mp=1):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True)
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True)
        self.pool, self.flatten = nn.MaxPool2d(2, 2), nn.Flatten()
        self.fc1, self.fc2, self.fc3 = nn.Dense(256, 120), nn.Dense(120, 84), nn.Dense(84, 8)
        with_stages((self.conv1, self.conv2, self.fc1, self.fc3), stages)
        if stages > 1:
            self.fc2.pipeline_stage = self.fc1.pipeline_stage
        if mp > 1:
            parts = {"self.weight": (mp, 1, 1, 1), "self.bias": (mp,)}
            self.conv2.shard(((dp, 1, 1, 1),), None, parts)
            self.fc1.matmul.shard(((dp, 1), (mp, 1)))
            self.fc2.matmul.shard(((dp, mp), (1, mp)))

    def construct(self, x):
        x = self.pool(ops.relu(self.conv1(x)))
        x = self.flatten(self.pool(ops.relu(self.conv2(x))))
        return self.fc3(ops.relu(self.fc2(ops.relu(self.fc1(x)))))


class Block(nn.Cell):
    """A layer of a transformer; its heads and inner units are divided into `mp` parts."""

    def __init__(self, dp=1, mp=1, width=16, heads=4):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.q, self.k, self.v = (nn.Dense(width, width, has_bias=False) for _ in range(3))
        self.out = nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        if mp > 1:
            for dense in (self.q, self.k, self.v, self.up):
                dense.matmul.shard(((dp, 1), (mp, 1)))
            for dense in (self.out, self.down):
                dense.matmul.shard(((dp, mp), (1, mp)))

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
    """Embeddings of words and positions; the rows of the word table are divided into `mp` parts."""

    def __init__(self, dp=1, mp=1, words=8, width=16, length=6):
        super().__init__()
        self.words = Parameter(Tensor(np.zeros((words, width), np.float32)), "words")
        self.places = Parameter(Tensor(np.zeros((length, width), np.float32)), "places")
        self.gather = ops.Gather()
        if mp > 1:
            self.gather.shard(((mp, 1), (dp, 1)))

    def construct(self, ids):
        return self.gather(self.words, ids, 0) + self.places


class GPT(nn.Cell):
    """Four blocks; the table of words is the last layer's weight, too."""

    data = tuple(np.random.default_rng(n).integers(0, 8, (16, 6)).astype(np.int32) for n in (3, 4))

    def __init__(self, stages=1, dp=1, mp=1):
        super().__init__()
        self.table = Table(dp, mp)
        self.blocks = nn.CellList([Block(dp, mp) for _ in range(4)])
        self.norm = nn.LayerNorm((16,))
        self.mask = Tensor(np.triu(np.full((6, 6), -1e4, np.float32), 1))
        with_stages(self.blocks, stages)
        if stages > 1:
            self.table.pipeline_stage = 0

    def construct(self, ids):
        x = self.table(ids)
        for block in self.blocks:
            x = block(x, self.mask)
        x = self.norm(x)
        return ops.matmul(x.reshape((-1, x.shape[-1])), self.table.words.swapaxes(0, 1))


class Loss(nn.Cell):
    """The cross entropy of labels of any shape."""

    def __init__(self):
        super().__init__()
        self.loss = nn.CrossEntropyLoss()

    def construct(self, logits, labels):
        return self.loss(logits, labels.reshape((-1,)))


def adam(net):
    return nn.Adam(net.trainable_params(), 0.001)


def step_of(net, pipelined, make=adam):
    """Returns a training step; with `pipelined`, of micro-batches."""
    network = nn.WithLossCell(net, Loss())
    network = nn.PipelineCell(network, MICRO) if pipelined else network
    return nn.TrainOneStepCell(network, make(net)).set_train()


def around(step, stages=1, scheduler="1f1b", level=None, data="full_batch"):
    """Returns a step or a network that runs divided."""
    divided = AutoParallel(step, "semi_auto")
    divided.dataset_strategy(data)
    if stages > 1:
        divided.pipeline(stages, scheduler=scheduler)
    if level:
        divided.hsdp(-1, 0, level)
    return divided


def share(arrays, count, stages=1):
    """Returns this rank's share of arrays that the `count` ranks of a stage divide. With stages,
    each micro-batch is divided, so that micro-batches have the same rows as on one process."""
    place = communication.get_rank() % (communication.get_group_size() // stages)
    micro = MICRO if stages > 1 else 1
    return [
        np.concatenate([np.split(part, count)[place] for part in np.split(array, micro)])
        for array in arrays
    ]


def losses_of(step, arrays, steps=STEPS):
    """Returns the losses of some steps on the same arrays."""
    return [float(step(*map(Tensor, arrays)).asnumpy()) for _ in range(steps)]


def assert_equal(losses, net, wanted_losses, wanted_net, bound=1e-5):
    """Asserts that a divided network has the losses of another one, and the same weights where this
    rank holds them. The rank must hold at least one."""
    np.testing.assert_allclose(losses, wanted_losses, rtol=bound)
    count = 0
    for own, p in zip(net.get_parameters(), wanted_net.get_parameters(), strict=True):
        if own._array.nbytes:  # 0 for those of other stages
            count += 1
            np.testing.assert_allclose(
                own.asnumpy(), p.asnumpy(), rtol=bound, atol=bound, err_msg=own.name
            )
    assert count


class Residual(nn.Cell):
    """A residual block of two convolutions with batch normalization; the channels between them are
    divided into `mp` parts."""

    def __init__(self, dp=1, mp=1, channels=8):
        super().__init__()
        rng = np.random.default_rng(channels)
        shape = channels, channels, 3, 3
        self.w1, self.w2 = (
            Parameter(Tensor(rng.normal(size=shape).astype(np.float32)), name)
            for name in ("w1", "w2")
        )
        self.norm1, self.norm2 = nn.BatchNorm2d(channels), nn.BatchNorm2d(channels)
        self.first, self.second = (ops.Conv2D(channels, 3, pad_mode="same") for _ in range(2))
        if dp * mp > 1:
            self.first.shard(((dp, 1, 1, 1), (mp, 1, 1, 1)))
            self.second.shard(((dp, mp, 1, 1), (1, mp, 1, 1)))

    def construct(self, x):
        y = ops.relu(self.norm1(self.first(x, self.w1)))
        return ops.relu(x + self.norm2(self.second(y, self.w2)))


class ResNet(nn.Cell):
    data = drawn((16, 1, 8, 8)), np.arange(16).astype(np.int32) % 8

    def __init__(self, stages=1, dp=1, mp=1):
        super().__init__()
        self.stem, self.norm = nn.Conv2d(1, 8, 3), nn.BatchNorm2d(8)
        self.blocks = nn.CellList([Residual(dp, mp) for _ in range(2)])
        self.head = nn.Dense(8, 8)
        with_stages((self.stem, *self.blocks, self.head), stages)

    def construct(self, x):
        x = ops.relu(self.norm(self.stem(x)))
        for block in self.blocks:
            x = block(x)
        return self.head(x.mean((2, 3)))


class Bert(nn.Cell):
    """BERT: embeddings of words, positions and segments, two bidirectional blocks, and the pooled
    first token."""

    words = np.random.default_rng(5).integers(0, 8, (16, 6)).astype(np.int32)
    data = words, words[:, 0] * 3 % 8

    def __init__(self, stages=1, dp=1, mp=1):
        super().__init__()
        self.table = Table(dp, mp)
        self.segments = Parameter(Tensor(np.zeros((2, 16), np.float32)), "segments")
        self.norm = nn.LayerNorm((16,))
        self.blocks = nn.CellList([Block(dp, mp) for _ in range(2)])
        self.pooler, self.head = nn.Dense(16, 16, activation="tanh"), nn.Dense(16, 8)
        if mp > 1:
            self.pooler.matmul.shard(((dp, 1), (mp, 1)))
            self.head.matmul.shard(((dp, mp), (1, mp)))
        with_stages((self.table, *self.blocks, self.pooler), stages)
        if stages > 1:
            self.head.pipeline_stage = self.pooler.pipeline_stage

    def construct(self, ids):
        segments = ops.gather(self.segments, (ids > 3).astype("int32"), 0)
        x = self.norm(self.table(ids) + segments)
        barred = ops.where(ids == 0, -1e4, 0.0).reshape((ids.shape[0], 1, 1, -1))
        for block in self.blocks:
            x = block(x, barred)
        return self.head(self.pooler(x[:, 0]))
