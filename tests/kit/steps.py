"""Small networks, optimizers and steps for training tests in both modes."""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common._graph_mode import steps as graph_steps
from tests.gpu import networks

STEPS = 7


class Dense(nn.Cell):
    """Two dense layers, with an optional function between them."""

    def __init__(self, between=None):
        super().__init__()
        self.first, self.second = nn.Dense(4, 8), nn.Dense(8, 3)
        self.between = between

    def construct(self, x):
        x = self.first(x)
        x = x if self.between is None else self.between(x)
        return self.second(x)


class Convolutions(nn.Cell):
    """A residual block (convolutions, batch norms and a shortcut), a mean and a dense layer."""

    def __init__(self):
        super().__init__()
        self.block = networks.Residual(2, 4, 2)
        self.dense = nn.Dense(4, 10)

    def construct(self, x):
        return self.dense(self.block(x).mean((2, 3)))


class Shared(nn.Cell):
    """A network that uses a layer twice, keeps features in a list, and uses a weight directly."""

    def __init__(self):
        super().__init__()
        self.layer, self.last = nn.Dense(4, 4), nn.Dense(12, 3)
        self.scale = ms.Parameter(ms.Tensor(np.full(4, 0.5, np.float32)), name="scale")

    def construct(self, x):
        features = [x]
        for _ in range(2):
            features.append(ops.tanh(self.layer(features[-1])) * self.scale.exp())
        features[0] = features[0] * 2
        return self.last(ops.concat(features, 1))


class Embedded(nn.Cell):
    """An embedding and a recurrent cell; `construct` creates the first state and a mask."""

    def __init__(self):
        super().__init__()
        self.table, self.cell, self.dense = nn.Embedding(7, 4), nn.GRUCell(4, 5), nn.Dense(5, 3)

    def construct(self, x):
        rows = self.table(ops.cast(ops.abs(x) * 3, ms.int32) % 7)
        state = ops.zeros((x.shape[0], 5), ms.float32)
        for index in range(x.shape[1]):
            state = self.cell(rows[:, index], state)
        keep = ops.cast(ops.arange(5) < 4, ms.float32)
        return self.dense(state * keep)


NETWORKS = {
    "LeNet-5": (networks.LeNet5, (2, 1, 32, 32)),
    "batch norm": (Convolutions, (2, 2, 6, 6)),
    "dropout": (networks.Block, (2, 4, 32)),
    "LSTM": (lambda: networks.Recurrent(10), (2, 10, 8)),
    "dense": (Dense, (2, 4)),
    "shared": (Shared, (2, 4)),
    "embedded": (Embedded, (2, 4)),
}
OPTIMIZERS = {
    "Momentum": lambda weights: nn.Momentum(weights, 0.1, 0.9, weight_decay=1e-4),
    "Adam": lambda weights: nn.Adam(weights, nn.ExponentialDecayLR(0.01, 0.9, 2)),
    "rates": lambda weights: nn.SGD(weights, [0.1, 0.05, 0.02, 0.01]),
    "LARS": lambda weights: nn.LARS(nn.Momentum(weights, 0.1, 0.9)),
    "ASGD": lambda weights: nn.ASGD(weights, 0.1),
    "Lamb": lambda weights: nn.Lamb(weights, 0.01, weight_decay=nn.CosineDecayLR(0.0, 0.1, 9)),
}


def network_of(name):
    """Returns a network with its loss and reproducible weights, and the shape of its input."""
    make, shape = NETWORKS[name] if isinstance(name, str) else name
    ms.set_seed(3)  # a dropout layer takes its seeds when it is made
    network = nn.WithLossCell(make(), nn.CrossEntropyLoss())
    rng = np.random.default_rng(1)
    for weight in network.trainable_params():
        values = rng.standard_normal(weight.shape) / max(weight.shape[-1:], default=1) ** 0.5
        weight.set_data(ms.Tensor(values.astype(np.float32)))
    return network.set_train(), shape


def batches(shape, count=STEPS, dtype=np.float32):
    """Returns different batches of one shape."""
    rng = np.random.default_rng(2)
    for _ in range(count):
        data = rng.standard_normal(shape).astype(dtype)
        yield ms.Tensor(data), ms.Tensor(rng.integers(0, 3, shape[0]).astype(np.int32))


class Run:
    """Runs steps in graph mode or PyNative mode; holds the step, its results and the parameters."""

    def __init__(self, graph, step, data, between=None):
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        ms.set_seed(3)
        self.step, self.results = step, []
        for number, batch in enumerate(data):
            if between is not None:
                between(number, step)
            self.results.append(_plain(step(*batch), copy=True))
        cells = step if isinstance(step, nn.Cell) else step.network
        self.values = {weight.name: weight.asnumpy() for weight in cells.get_parameters()}

    def same_as(self, other):
        """Asserts that results and parameters are bitwise equal."""
        for own_result, other_result in zip(self.results, other.results, strict=True):
            np.testing.assert_array_equal(own_result, other_result)
        assert self.values.keys() == other.values.keys()
        for name, value in self.values.items():
            np.testing.assert_array_equal(value, other.values[name], err_msg=name)


def _plain(result, copy=False):
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, (tuple, list)):
        return np.concatenate([_plain(part) for part in result])
    array = result.asnumpy() if isinstance(result, ms.Tensor) else np.asarray(result)
    return np.array(array, np.float64, copy=copy or None).reshape(-1)


def plain_step(cell, optimizer="Momentum", **options):
    return nn.TrainOneStepCell(cell, OPTIMIZERS[optimizer](cell.trainable_params()), **options)


def runs(network="dense", optimizer="Momentum", between=None, data=None, make_step=plain_step):
    """Runs the same steps in PyNative mode and in graph mode; returns both Runs."""
    both = []
    for graph in (False, True):
        cell, shape = network_of(network)
        step = plain_step(cell, optimizer) if make_step is plain_step else make_step(cell)
        both.append(Run(graph, step, data or list(batches(shape)), between))
    return both


def replays(step):
    """Returns the number of replays of each plan of a step."""
    captured_steps = graph_steps._steps.get(id(step), {}).values()
    return [plan.replays for captured in captured_steps for plan in captured._graphs.values()]
