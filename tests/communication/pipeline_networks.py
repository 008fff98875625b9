"""The networks that only ranks_pipeline.py divides. Each sets the stages of its Cells, and `data`
for one step. Networks that other scripts also divide are in tests/parallel/networks.py.
"""

import numpy as np
from parallel.networks import Table, drawn

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, communication, nn, ops


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


class Divided(nn.Cell):
    """Two pairs of matrix products; the inner units of each pair are divided within its stage."""

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
    """The first Cell passes its table to the last layer; two slices run one after the other."""

    def __init__(self):
        super().__init__()
        self.table, self.head = Lookup(), ops.MatMul(transpose_b=True)
        self.last = nn.Dense(8, 8)
        self.table.pipeline_stage, self.last.pipeline_stage = 0, 1

    def half(self, ids):
        x, words = self.table(ids)
        return self.last(self.head(x.reshape((-1, 16)), words))

    def construct(self, ids):
        return ops.concat((self.half(ids[:8]), self.half(ids[8:])))


class Normed(nn.Cell):
    """Batch normalization without a stage; it therefore runs on the first stage. The statistics are
    updated there, but all stages hold them. With `twice` it also runs on the second stage."""

    data = MLP.data

    def __init__(self, stages, twice=False):
        super().__init__()
        self.first, self.second = nn.Dense(8, 8, has_bias=False), nn.Dense(8, 8)
        self.norm, self.twice = nn.BatchNorm1d(8, momentum=0.5), twice
        self.count = Parameter(Tensor([0.0], ms.float32), "count", requires_grad=False)
        if stages:
            self.first.pipeline_stage, self.second.pipeline_stage = 0, stages - 1
        if stages == 4:
            self.middle = nn.CellList([nn.Identity(), nn.Identity()])
            self.middle[0].pipeline_stage, self.middle[1].pipeline_stage = 1, 2
        self.stages = stages

    def construct(self, x):
        x = self.norm(self.first(x))
        for cell in self.middle if self.stages == 4 else ():
            x = cell(x)
        x = self.second(x)
        self.count += x.sum()  # of the last stage
        return self.norm(x) if self.twice else x
