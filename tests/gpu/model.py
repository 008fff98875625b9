"""A model of the time of training steps: from counted launches, bytes and operations.

    python -m tests.gpu.model

A step runs on the stand-in for CuPy with batches of two and three samples, and the counts, which
grow linearly, are extrapolated. A convolution counts as one call that reads its operands once, as
cuDNN computes it. Each launch takes the longer of the time for its bytes and for its operations; a
captured step adds a gap between launches, and an operator-by-operator step takes at least the
host's time for them. The rates are those of NVIDIA's data sheet of the H200, times an efficiency.
"""

import argparse
import contextlib
import math
import pathlib
import sys

import numpy as np

ROOT = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

BYTES, EFFICIENCY = 4.8e12, 0.9  # rates per second; the fraction that kernels reach
OPERATIONS = {"float32": 67e12 * 0.8, "TF32": 494e12 * 0.6, "float16": 989e12 * 0.6}
GAP, HOST = 1e-6, 10e-6  # seconds between two kernels of a graph; seconds of the host per launch
MOMENTUM = 20  # bytes for a parameter: it, its gradient and its moment are read, two are written


class Launch:
    """What one launch moves and computes.

    Attributes:
        size: bytes.
        operations: of products and convolutions.
    """

    def __init__(self, size, operations=0):
        self.size, self.operations = size, operations

    def time(self, rate):
        """Returns the seconds of this launch at a rate of operations."""
        return max(self.size / (BYTES * EFFICIENCY), self.operations / rate)


def networks_of_the_bench():
    """Returns name -> (batch, a function of the batch that returns a network with its loss and
    data)."""
    import mindspore_compat as ms
    from mindspore_compat import nn
    from tests.gpu import networks

    def images(make, side, channels):
        def made(batch):
            data = ms.Tensor(np.ones((batch, channels, side, side), np.float32))
            return make(), data

        return made

    def bert(layers=12, width=768, length=128):
        def made(batch):
            blocks = nn.SequentialCell(*[_Layer(width, width // 64) for _ in range(layers)])
            data = ms.Tensor(np.ones((batch, length, width), np.float32))
            return nn.SequentialCell(blocks, _First(width)), data

        return made

    class _Layer(networks.Block):
        def construct(self, x):
            x = x + self.attention(self.norm1(x))
            return x + self.dropout(self.shrink(self.gelu(self.grow(self.norm2(x)))))

    class _First(nn.Cell):
        def __init__(self, width):
            super().__init__()
            self.dense = nn.Dense(width, 10)

        def construct(self, x):
            return self.dense(x[:, 0])

    def lstm(batch):
        return networks.Recurrent(64), ms.Tensor(np.ones((batch, 64, 8), np.float32))

    return {
        "LeNet-5": (64, images(networks.LeNet5, 32, 1)),
        "ResNet-50": (32, images(networks.ResNet50, 224, 3)),
        "BERT-base, 128 tokens": (32, bert()),
        "LSTM, 64 steps": (64, lstm),
    }


def launches_of(make, batch, whole):
    """Returns the Launches of a training step with Momentum. The small `batch` represents the
    `whole` one."""
    from fakecupy import counting

    import mindspore_compat as ms
    from mindspore_compat import nn
    from mindspore_compat._backend import arrays

    network, data = make(batch)
    loss = nn.WithLossCell(network, nn.CrossEntropyLoss()).set_train()
    step = nn.TrainOneStepCell(loss, nn.Momentum(network.trainable_params(), 0.01, 0.9))
    labels = ms.Tensor(np.zeros(batch, np.int32))
    launches = []

    def note(name, values):
        sizes = {id(a): a.nbytes for a in values}
        operations = 0
        if name == "matmul":
            x, y = values[:2]
            operations = 2 * math.prod(x.shape) * (y.shape[-1] if y.ndim > 1 else 1)
        if name.startswith("many_"):
            sizes = {0: MOMENTUM * sum(p.size for p in network.trainable_params())}
        launches.append(Launch(sum(sizes.values()), operations))

    with _whole_convolutions(arrays.current_space(), launches), _rows_divided_as_in(batch, whole):
        step(data, labels)
        launches.clear()
        with counting.counted():
            counting.watchers.append(note)
            try:
                step(data, labels)
            finally:
                counting.watchers.remove(note)
    return launches


@contextlib.contextmanager
def _rows_divided_as_in(batch, whole):
    """While the block runs, divides long rows into chunks as for the whole batch."""
    from mindspore_compat._backend.bodies import row_layout

    choose, chunk, few = row_layout.choose, row_layout.CHUNK, row_layout.FEW_BLOCKS

    def choose_for_whole(problem):
        longer = problem.shape[0] > 1  # channels: a larger batch has longer rows, else more rows
        row_layout.CHUNK = chunk * batch // whole if longer else chunk
        row_layout.FEW_BLOCKS = few if longer else few * batch // whole
        return choose(problem)

    row_layout.choose = choose_for_whole
    try:
        yield
    finally:
        row_layout.choose, row_layout.CHUNK, row_layout.FEW_BLOCKS = choose, chunk, few


@contextlib.contextmanager
def _whole_convolutions(space, launches):
    """While the block runs, counts a convolution or its gradient as one launch. They return zeros,
    since only sizes matter."""
    for name in ("convolve_nd", "convolve_input", "convolve_weight"):
        function = getattr(space, name)
        if not isinstance(function, _Convolution):
            setattr(space, name, _Convolution(space, name, function))
    _Convolution.launches = launches
    try:
        yield
    finally:
        _Convolution.launches = None


class _Convolution:
    """A convolution, or one of its gradients, that counts as one launch if `launches` is a list.
    Spaces of other arrays inherit the functions of this one, so it is never removed."""

    launches = None

    def __init__(self, space, name, function):
        self.space, self.name, self.function = space, name, function

    def __call__(self, x, y, *sizes):
        if self.launches is None:
            return self.function(x, y, *sizes)
        from fakecupy import counting

        with counting.quiet():
            out = self.space.zeros(self._shape(x, y, sizes), x.dtype)
        images, outputs, weight = {
            "convolve_nd": (x, out, y),
            "convolve_input": (out, x, y),
            "convolve_weight": (y, x, out),
        }[self.name]
        size = images.nbytes + outputs.nbytes + weight.nbytes
        self.launches.append(Launch(size, 2 * outputs.size * math.prod(weight.shape[1:])))
        return out

    def _shape(self, x, y, sizes):
        from mindspore_compat._backend.conv.pooling import output_size

        if self.name != "convolve_nd":
            return sizes[0]
        stride, pads, dilation, _ = sizes
        lengths = output_size(x.shape[2:], y.shape[2:], stride, pads, dilation)
        return (x.shape[0], y.shape[0], *lengths)


def modelled(name, batch, make):
    """Returns the figures of one network: the counts of a step with this batch, and its times in
    seconds."""
    two, three = launches_of(make, 2, batch), launches_of(make, 3, batch)
    if len(two) != len(three):
        raise RuntimeError(f"{name}: {len(two)} launches for two samples, {len(three)} for three")
    grown = [
        Launch(*(a + (batch - 2) * (b - a) for a, b in zip(first, second, strict=True)))
        for first, second in (
            ((x.size, x.operations), (y.size, y.operations))
            for x, y in zip(two, three, strict=True)
        )
    ]
    times = {kind: sum(one.time(rate) for one in grown) for kind, rate in OPERATIONS.items()}
    count = len(grown)
    return {
        "batch": batch,
        "launches": count,
        "MB": sum(one.size for one in grown) / 1e6,
        "GFLOP": sum(one.operations for one in grown) / 1e9,
        "eager": max(times["float32"] + count * GAP, count * HOST) * 1e3,
        **{kind: (time + count * GAP) * 1e3 for kind, time in times.items() if kind != "float16"},
    }


def rows(names=None):
    """Yields the names and the figures of networks, always on the stand-in."""
    import conftest

    with conftest.standing_in():
        found = networks_of_the_bench()
        for name in names or found:
            yield name, modelled(name, *found[name])


def main(arguments=None):
    """Prints the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", help="the networks")
    columns = ("batch", "launches", "MB", "GFLOP", "eager", "float32", "TF32")
    print(f"{'network':24}" + "".join(f"{column:>10}" for column in columns))
    for name, figures in rows(parser.parse_args(arguments).only):
        numbers = "".join(
            f"{figures[column]:>10.{0 if column in columns[:3] else 2}f}" for column in columns
        )
        print(f"{name:24}{numbers}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
