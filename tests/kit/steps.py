"""Small networks, optimizers and steps for training tests in both modes."""

import numpy as np

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat.common._graph_mode import steps as graph_steps
from tests.gpu import networks

STEPS = 7


class Dense(nn.Cell):
    """Two dense layers, with what a test puts between them."""

    def __init__(self, between=None):
        super().__init__()
        self.first, self.second = nn.Dense(4, 8), nn.Dense(8, 3)
        self.between = between

    def construct(self, x):
        x = self.first(x)
        x = x if self.between is None else self.between(x)
        return self.second(x)


class Convolutions(nn.Cell):
    """Convolutions with batch norms beside their input, a mean and a dense layer."""

    def __init__(self):
        super().__init__()
        self.block = networks.Residual(2, 4, 2)
        self.dense = nn.Dense(4, 10)

    def construct(self, x):
        return self.dense(self.block(x).mean((2, 3)))


class Shared(nn.Cell):
    """A layer that is used twice, a list of features, and a weight that is used by itself."""

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
    """An embedding, zeros that it makes itself, a mask and a recurrent layer."""

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
    """Returns a network with its loss and fixed weights, and the shape of its input."""
    make, shape = NETWORKS[name] if isinstance(name, str) else name
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
    """Steps in graph mode or not: their results, the parameters after them, and the step."""

    def __init__(self, graph, step, data, between=None):
        ms.set_context(mode=ms.GRAPH_MODE if graph else ms.PYNATIVE_MODE)
        ms.set_seed(3)
        self.step, self.results = step, []
        for number, batch in enumerate(data):
            if between is not None:
                between(number, step)
            made = step(*batch)
            self.results.append(_plain(made, copy=True))
        cells = step if isinstance(step, nn.Cell) else step.network
        self.values = {each.name: each.asnumpy() for each in cells.get_parameters()}

    def same_as(self, other):
        """Compares results and parameters, bit by bit."""
        for mine, others in zip(self.results, other.results, strict=True):
            np.testing.assert_array_equal(mine, others)
        assert self.values.keys() == other.values.keys()
        for name, value in self.values.items():
            np.testing.assert_array_equal(value, other.values[name], err_msg=name)


def _plain(result, copy=False):
    if isinstance(result, dict):
        result = tuple(result.values())
    if isinstance(result, (tuple, list)):
        return np.concatenate([_plain(each) for each in result])
    array = result.asnumpy() if isinstance(result, ms.Tensor) else np.asarray(result)
    return np.array(array, np.float64, copy=copy or None).reshape(-1)


def plain_step(cell, optimizer="Momentum", **options):
    return nn.TrainOneStepCell(cell, OPTIMIZERS[optimizer](cell.trainable_params()), **options)


def runs(network="dense", optimizer="Momentum", between=None, data=None, made=plain_step):
    """Returns the same steps twice, operator by operator and in graph mode."""
    found = []
    for graph in (False, True):
        cell, shape = network_of(network)
        step = made(cell) if made is not plain_step else plain_step(cell, optimizer)
        found.append(Run(graph, step, data or list(batches(shape)), between))
    return found


def replays(step):
    """Returns how often each plan of a step has been replayed."""
    steps = graph_steps._steps.get(id(step), {})
    return [plan.replays for each in steps.values() for plan in each._graphs.values()]
