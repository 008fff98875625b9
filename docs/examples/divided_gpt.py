"""A GPT whose weights, states and data are divided over processes.

    msrun-compat --worker_num=4 --local_worker_num=4 docs/examples/divided_gpt.py --parts 2

trains some 19 million parameters with 2 shares of the data times 2 parts of each layer. The heads
of attention and the inner units of the feed-forward layers are divided, the optimizer's states are
divided over the shares, too. With `--stages 2` in place of `--parts 2` half of the layers lie on
the first two processes, half on the others, and each batch is cut into 4 micro-batches.

Rank 0 prints the losses and what each process holds and receives; with `--steps 5 --width 64
--layers 2` it takes seconds. The losses are those of one process.
"""

import argparse

import mindspore as ms
import numpy as np
from mindspore import Parameter, Tensor, nn, ops
from mindspore.communication import comm_func, get_group_size, get_rank, init
from mindspore.parallel.auto_parallel import AutoParallel

LETTERS = "abcdefgh ."
SENTENCES = ["a bad cab.", "a fed head.", "feed a bead.", "a beach chad faced.", "he had a cage."]


class Block(nn.Cell):
    """One layer; every product knows how it is divided."""

    def __init__(self, width, heads, shares, parts):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
        self.query, self.key, self.value = (nn.Dense(width, width) for _ in range(3))
        self.out = nn.Dense(width, width)
        self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
        if shares * parts > 1:
            for dense in (self.query, self.key, self.value, self.up):  # columns
                dense.matmul.shard(((shares, 1), (parts, 1)))
                dense.bias_add.shard(((shares, parts), (parts,)))
            for dense in (self.out, self.down):  # rows: their sums are taken afterwards
                dense.matmul.shard(((shares, parts), (1, parts)))

    def split(self, x):
        batch, length, width = x.shape
        x = x.reshape((batch, length, self.heads, width // self.heads))
        return x.transpose((0, 2, 1, 3))

    def construct(self, x, mask):
        y = self.norm1(x)
        query, key, value = (self.split(f(y)) for f in (self.query, self.key, self.value))
        scores = ops.matmul(query, key.swapaxes(-1, -2)) / query.shape[-1] ** 0.5 + mask
        y = ops.matmul(ops.softmax(scores, -1), value).transpose((0, 2, 1, 3))
        x = x + self.out(y.reshape(x.shape))
        return x + self.down(ops.gelu(self.up(self.norm2(x))))


class GPT(nn.Cell):
    """Predicts the next letter at each place."""

    def __init__(self, width, layers, length, shares, parts, stages, micro):
        super().__init__()
        self.micro = micro  # micro-batches, whose losses are summed
        draw = np.random.default_rng(0)
        letters = draw.normal(size=(len(LETTERS), width)).astype(np.float32) * 0.1
        places = draw.normal(size=(length, width)).astype(np.float32) * 0.1
        self.letters = Parameter(Tensor(letters), name="letters")
        self.places = Parameter(Tensor(places), name="places")
        heads = max(width // 64, 2)
        self.blocks = nn.CellList([Block(width, heads, shares, parts) for _ in range(layers)])
        if stages > 1:
            for number, block in enumerate(self.blocks):
                block.pipeline_stage = number * stages // layers
        self.norm = nn.LayerNorm((width,))  # the last stage runs it: there its input is
        self.mask = Tensor(np.triu(np.full((length, length), -1e4, np.float32), 1))

    def construct(self, ids, labels):
        x = ops.gather(self.letters, ids, 0) + self.places
        for block in self.blocks:
            x = block(x, self.mask)
        logits = ops.matmul(self.norm(x), self.letters.swapaxes(0, 1))
        loss = ops.cross_entropy(logits.reshape((-1, len(LETTERS))), labels.reshape((-1,)))
        return loss / self.micro


def batches(steps, rows, length):
    """Rows of letters, and the letters that follow."""
    draw = np.random.default_rng(1)
    text = " ".join(draw.choice(SENTENCES) for _ in range(2000))
    numbers = np.array([LETTERS.index(letter) for letter in text], np.int32)
    for _ in range(steps):
        starts = draw.integers(0, len(numbers) - length - 1, rows)
        window = numbers[starts[:, None] + np.arange(length + 1)]
        yield Tensor(window[:, :-1]), Tensor(window[:, 1:])


def costs(step, stages):
    """(MB that this process holds of weights and states, MB that it has received)."""
    # Bytes received have no public name.
    from mindspore_compat._core.sharding.network import mesh_of  # type: ignore[import-not-found]

    arrays = [parameter._array for parameter in step.get_parameters()]
    held = sum(getattr(array, "block", array).nbytes for array in arrays)
    mesh = mesh_of(stages)
    received = 0
    if mesh is not None:
        received = sum(mesh.traffic.values())
        received += sum(mesh.stages.traffic.values()) if stages > 1 else 0
    return held / 1e6, received / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--parts", type=int, default=1, help="into how many a layer is divided")
    parser.add_argument("--stages", type=int, default=1, help="of the pipeline")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--width", type=int, default=512)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--rate", type=float, default=1e-4)
    given = parser.parse_args()
    init()
    size, length = get_group_size(), 32
    ms.set_seed(0)  # the same first weights on every process
    parts, stages = given.parts, given.stages
    micro = 4 if stages > 1 else 1
    net = GPT(given.width, given.layers, length, size // parts // stages, parts, stages, micro)
    optimizer = nn.AdamWeightDecay(net.trainable_params(), given.rate)
    network = nn.PipelineCell(net, micro) if stages > 1 else net
    step = nn.TrainOneStepCell(network, optimizer).set_train()
    run = AutoParallel(step, parallel_mode="semi_auto")
    run.pipeline(stages, scheduler="1f1b")
    run.dataset_strategy("full_batch")
    run.hsdp(optimizer_level="level1")
    before = 0
    for number, batch in enumerate(batches(given.steps, 8, length)):
        before = costs(step, stages)[1]
        loss = float(run(*batch).asnumpy())
        if get_rank() == 0:
            print(f"step {number}: {loss:.5f}", flush=True)
    held, received = costs(step, stages)
    row = Tensor(np.array([[held, received - before]], np.float32))
    table = comm_func.all_gather_into_tensor(row)[0].asnumpy()
    if get_rank() == 0:
        count = sum(parameter.size for parameter in net.trainable_params()) / 1e6
        print(f"{count:.1f} million parameters, {size} processes, {stages} stages, {parts} parts")
        for rank, (held, received) in enumerate(table):
            print(f"rank {rank}: holds {held:.1f} MB, receives {received:.1f} MB in a step")


if __name__ == "__main__":
    main()
