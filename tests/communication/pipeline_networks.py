"""The networks of ranks_pipeline.py: each sets the stages of its Cells, and `data` for one step."""

import numpy as np

from mindspore_compat import Parameter, Tensor, communication, nn, ops


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
        divided = communication.get_group_size() == 4 and stages == 2
        self.pairs = nn.CellList([Pair(divided) for _ in range(2)])
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
