"""Counts the cost of divided networks on simulated ranks: `python -m tests.bench parallel`.

Every form trains one perceptron with Adam; "stages" one of 8 layers with 16 micro-batches,
"experts" one of 8 experts, and "ring" an attention over a divided sequence. For each number of
ranks the table shows the bytes of weights and states that a rank holds and the bytes that it
receives in a step, both as counted and by the formulas of docs/parallel.rst. If they differ (the
bytes held by more than 5 %, those received at all), the command fails. Then it draws weak scaling:
the time of a step if the work per rank stays the same. The time is modelled from the measured
arithmetic of the perceptron and from the formulas at the speeds of two connections. The model
ignores latency and overlap; its only idle times are those of stages, with 4 micro-batches for each
stage.
"""

import sys
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from kit.simulated_ranks import on_ranks  # noqa: E402

import mindspore_compat as ms  # noqa: E402
from mindspore_compat import Parameter, Tensor, nn, ops  # noqa: E402
from mindspore_compat._core.sharding import network  # noqa: E402
from mindspore_compat._core.sharding.mesh import Mesh  # noqa: E402
from mindspore_compat._core.sharding.stages import Stages  # noqa: E402
from mindspore_compat.parallel._transformer.moe import MoE, MoEConfig  # noqa: E402
from mindspore_compat.parallel._transformer.op_parallel_config import MoEParallelConfig  # noqa: E402

ROWS, WIDTH, INNER = 32, 128, 256
CONNECTIONS = {"NVLink, 300 GB/s": 300e9, "network, 12.5 GB/s": 12.5e9}
FORMS = (
    "data parallel",
    "level1",
    "level2",
    "level3",
    "divided weights",
    "stages",
    "experts",
    "ring",
)
LAYERS, MICRO = 8, 16
EXPERTS, CHOSEN = 8, 2
HEADS, STEPS = 4, 64


class Perceptron(nn.Cell):
    def __init__(self, parts):
        super().__init__()
        self.w1 = Parameter(ops.ones((WIDTH, INNER)) * 0.01, name="w1")
        self.w2 = Parameter(ops.ones((INNER, WIDTH)) * 0.01, name="w2")
        self.up, self.down = ops.MatMul(), ops.MatMul()
        if parts > 1:
            self.up.shard(((1, 1), (1, parts)))
            self.down.shard(((1, parts), (parts, 1)))

    def construct(self, x):
        return ops.square(self.down(ops.tanh(self.up(x, self.w1)), self.w2)).mean()


class Layers(nn.Cell):
    def __init__(self, stages):
        super().__init__()
        self.layers = nn.CellList(
            [nn.Dense(WIDTH, WIDTH, has_bias=False, activation="tanh") for _ in range(LAYERS)]
        )
        for number, layer in enumerate(self.layers):
            layer.pipeline_stage = number * stages // LAYERS

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return ops.square(x).mean()


class Experts(nn.Cell):
    """A mixture of experts, without the loss that balances them."""

    def __init__(self, parts):
        super().__init__()
        config = MoEConfig(EXPERTS, num_experts_chosen=CHOSEN, capacity_factor=1.0)
        self.moe = MoE(
            WIDTH, INNER, 0.0, "tanh", ms.float32, config, MoEParallelConfig(1, 1, parts)
        )
        for layer in (self.moe.ffn.mapping, self.moe.ffn.projection):
            layer.compute_dtype = ms.float32

    def construct(self, x):
        return ops.square(self.moe(x)[0]).mean()


class Attention(nn.Cell):
    """Self-attention over a sequence (1, steps, width), in float32."""

    def __init__(self):
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, HEADS, has_bias=False, batch_first=True)

    def construct(self, x):
        return ops.square(self.attention(x, x, x, need_weights=False)[0]).mean()


def settings(form):
    """Returns the settings of a form, as `set_auto_parallel_context` takes them."""
    chosen = {"parallel_optimizer_threshold": 0}
    if form.startswith("level"):
        chosen["optimizer_level"] = form
    return {
        "enable_parallel_optimizer": form.startswith("level"),
        "parallel_optimizer_config": chosen,
    }


def measured(form, count):
    """Returns (bytes held, bytes received in a step) of each of `count` ranks."""
    if form == "stages":
        return on_ranks(count, measured_stage)

    def run(world):
        mesh = Mesh(world)
        net = network_of(form, count)
        optimizer = nn.Adam(net.trainable_params(), 0.01)
        step = nn.TrainOneStepCell(net, optimizer).set_train()
        shape = (1, STEPS, WIDTH) if form == "ring" else (ROWS, WIDTH)
        x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
        data = {"divided weights": "full_batch", "ring": ((1, count, 1),)}.get(
            form, "data_parallel"
        )
        if data != "full_batch":
            x = np.split(x, count, axis=1 if form == "ring" else 0)[world.rank]
        for _ in range(2):
            mesh.traffic.clear()
            network.run_on(mesh, data, step, (Tensor(x),), {})
        shapes = {p.shape for p in net.trainable_params()}
        held = [p for p in optimizer.get_parameters() if p.shape in shapes]
        bytes_held = sum(getattr(p._array, "block", p._array).nbytes for p in held)
        return bytes_held, sum(mesh.traffic.values())

    ms.set_auto_parallel_context(**settings(form))
    try:
        return on_ranks(count, run)
    finally:
        ms.reset_auto_parallel_context()


def network_of(form, count):
    if form == "experts":
        return Experts(count)
    if form == "ring":
        return Attention()
    return Perceptron(count if form == "divided weights" else 1)


def measured_stage(world):
    """Returns (bytes held, bytes received in a step) of one rank that is a pipeline stage."""
    stages = Stages(world, world.size)
    mesh = Mesh(world, stages.ranks, stages)
    pipeline = nn.PipelineCell(Layers(world.size), MICRO)
    optimizer = nn.Adam(pipeline.trainable_params(), 0.01)
    step = nn.TrainOneStepCell(pipeline, optimizer).set_train()
    world.objects(None)  # no rank starts while another still labels Cells
    for _ in range(2):
        stages.traffic.clear()
        network.run_on(mesh, "full_batch", step, (ops.ones((ROWS, WIDTH)),), {})
    held = [p for p in optimizer.get_parameters() if p.shape == (WIDTH, WIDTH)]
    return sum(p._array.nbytes for p in held), sum(stages.traffic.values())


def formulas(form, count):
    """Returns (bytes held, bytes received in a step) of a rank by the formulas. The losses of the
    parts of the batch are summed."""
    weights, share = 2 * WIDTH * INNER * 4, (count - 1) / count
    loss = 2 * share * 4
    if form == "stages":  # one in the middle: activations from one side, gradients from the other
        weights, moved = LAYERS * WIDTH * WIDTH * 4, ROWS * WIDTH * 4
        return 3 * weights / count, moved * 2 + 4 if count > 2 else moved
    if form == "data parallel":
        return 3 * weights, 2 * share * weights + loss
    if form in ("level1", "level2"):
        return 3 * weights / count, 2 * share * weights + loss
    if form == "level3":  # the first weight is not read again, since its input has no gradient
        return 3 * weights / count, share * (2 * weights + weights / 2) + loss
    if form == "ring":  # the blocks of keys and values twice, and their gradients
        weights, inputs = 4 * WIDTH * WIDTH * 4, STEPS * WIDTH * 4
        return 3 * weights, 2 * share * weights + 3 * 2 * share * inputs + loss
    if form == "experts":
        return formulas_of_experts(count, share)
    return 3 * weights / count, 2 * share * ROWS * WIDTH * 4  # the sum of the second product


def formulas_of_experts(count, share):
    """Returns (bytes held, bytes received in a step) of a rank for experts. Tokens are sent to the
    slots of experts, and the gradients of their results are sent back. The results of all experts
    are summed. The remaining bytes state which token is in which slot."""
    slots, router = CHOSEN * ROWS, EXPERTS * WIDTH * 4
    tokens, results, seats = slots * WIDTH * 4, ROWS * WIDTH * 4, ROWS * slots * 4
    biases = EXPERTS * WIDTH * 4
    choices = ROWS * CHOSEN * (EXPERTS + 1) * 4
    balance = 2 * EXPERTS * 4
    moved = share * (2 * tokens + biases + choices) + share / count * (1 + CHOSEN) * seats
    experts = EXPERTS * (2 * WIDTH * INNER + WIDTH + INNER) * 4
    return 3 * (experts / count + router), moved + 2 * share * (results + router + balance)


def idle(form, count):
    """Returns how much longer a step takes because stages wait, with 4 micro-batches per stage."""
    return 1 + (count - 1) / (4 * count) if form == "stages" else 1


def second_of_arithmetic():
    """Returns the seconds of a step on one process."""
    net = Perceptron(1)
    step = nn.TrainOneStepCell(net, nn.Adam(net.trainable_params(), 0.01)).set_train()
    x = ops.ones((ROWS, WIDTH))
    times = []
    for _ in range(20):
        start = time.perf_counter()
        step(x).asnumpy()
        times.append(time.perf_counter() - start)
    return sorted(times)[len(times) // 2]


def check(form, count, found, wanted):
    """Raises SystemExit if counted bytes differ from those of the formulas."""
    for name, own, other, tolerance in zip(("held", "received"), found, wanted, (0.05, 0)):
        if abs(own - other) > tolerance * other:
            raise SystemExit(f"{form} on {count} ranks: {own} bytes {name} instead of {other}.")


def main(arguments=()):
    print(f"{'form':18}{'ranks':>6}{'held':>12}{'formula':>12}{'received':>12}{'formula':>12}")
    for form in FORMS:
        for count in (2, 4, 8):
            found, wanted = measured(form, count)[count // 2], formulas(form, count)
            numbers = f"{found[0]:12}{wanted[0]:12.0f}{found[1]:12}{wanted[1]:12.0f}"
            print(f"{form:18}{count:6}{numbers}")
            check(form, count, found, wanted)
    seconds = second_of_arithmetic()
    arithmetic = f"{seconds * 1e3:.2f} ms of arithmetic in a step"
    print(f"\nModel of weak scaling on 8, 64 and 1024 ranks, from {arithmetic}:")
    for name, speed in CONNECTIONS.items():
        for form in FORMS:
            rates = [
                seconds / (seconds * idle(form, count) + formulas(form, count)[1] / speed)
                for count in (8, 64, 1024)
            ]
            bars = "  ".join(f"{rate:5.1%} {'#' * round(20 * rate):20}" for rate in rates)
            print(f"{name:20}{form:18}{bars}")


if __name__ == "__main__":
    main()
