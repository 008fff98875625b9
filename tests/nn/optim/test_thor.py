"""THOR against a float64 reference: factors, damped inverses, twenty steps, rejected calls."""

import math

import numpy as np
import pytest
from kit import close

from mindspore_compat import Tensor, log, nn, ops
from mindspore_compat._core.context import config
from mindspore_compat.common.parameter import Parameter
from mindspore_compat.nn.layer.thor_layer import convert
from mindspore_compat.nn.optim.thor import ThorAscend, ThorGpu

STEPS = 20
BATCH = 8
RELATIVE = 1e-5


class Net(nn.Cell):
    """A network with every kind of layer that THOR supports, and some that it does not support."""

    def __init__(self):
        super().__init__()
        rng = np.random.default_rng(0)

        def draw(*shape):
            return Tensor((rng.standard_normal(shape) / np.sqrt(shape[-1])).astype(np.float32))

        self.conv = nn.Conv2d(
            2,
            3,
            3,
            stride=2,
            pad_mode="pad",
            padding=1,
            has_bias=True,
            weight_init=draw(3, 2, 3, 3),
            bias_init="zeros",
        )
        self.wide = nn.Dense(27, 150, draw(150, 27), "zeros", activation="tanh")
        self.norm = nn.LayerNorm((150,))
        self.narrow = nn.SequentialCell(nn.Dense(150, 4, draw(4, 150), has_bias=False))
        self.table = nn.Embedding(7, 4, embedding_table=draw(7, 4))
        self.lookup = nn.EmbeddingLookup(5, 4, param_init=draw(5, 4))
        self.frozen = nn.Dense(4, 4, draw(4, 4), "zeros")
        for parameter in self.frozen.get_parameters():
            parameter.requires_grad = False

    def construct(self, x, ids, more):
        x = self.conv(x).reshape(x.shape[0], -1)
        x = self.narrow(self.norm(self.wide(x)))
        return self.frozen(x + self.table(ids).mean(1) + self.lookup(more))


def batch(seed):
    rng = np.random.default_rng(seed)
    return (
        Tensor(rng.standard_normal((BATCH, 2, 6, 6)).astype(np.float32)),
        Tensor(rng.integers(0, 7, (BATCH, 3)).astype(np.int32)),
        Tensor(rng.integers(0, 5, BATCH).astype(np.int32)),
    )


def loss(net, x, ids, more):
    return (net(x, ids, more) ** 2).mean()


class Reference:
    """THOR in float64, applied to recorded inputs and output gradients of the layers."""

    def __init__(
        self,
        values,
        kinds,
        rates,
        dampings,
        momentum,
        *,
        decay=0.0,
        scale=1.0,
        nesterov=False,
        clip=False,
        filter=lambda name: True,
    ):
        self.values = {name: value.astype(np.float64) for name, value in values.items()}
        self.moments = {name: np.zeros(value.shape) for name, value in self.values.items()}
        self.kinds, self.rates, self.dampings = kinds, rates, dampings
        self.momentum, self.decay, self.scale = momentum, decay, scale
        self.nesterov, self.clip, self.filter = nesterov, clip, filter
        self.inverses = {}
        self.t = 0

    def step(self, gradients, factors, second_order=True):
        rate = self.rates[min(self.t, len(self.rates) - 1)]
        damping = float(self.dampings[min(self.t, len(self.dampings) - 1)])
        for name, value in self.values.items():
            g = gradients[name].astype(np.float64) / self.scale
            layer, _, last = name.rpartition(".")
            kind = self.kinds.get(layer) if last in ("weight", "embedding_table") else None
            if kind is not None:
                if second_order:
                    self.inverses[layer] = self._inverses(kind, *factors[layer], damping)
                g = self._apply(kind, g, *self.inverses[layer])
            elif layer == "norm":
                g = g / (g**2 / BATCH + math.sqrt(damping))
            if self.decay > 0 and self.filter(name):
                g = g + self.decay * value
            if self.clip:
                g = g / max(np.linalg.norm(g.ravel()), 1.0)
            self.moments[name] = self.momentum * self.moments[name] + g
            ahead = g + self.momentum * self.moments[name] if self.nesterov else self.moments[name]
            self.values[name] = value - rate * ahead
        self.t += 1

    def _inverses(self, kind, x, d, damping):
        rows = d.shape[0]
        windows = 1
        g = d.T @ d / rows * (BATCH / self.scale) ** 2
        if kind == "conv":
            windows = rows // BATCH
        shift = math.sqrt(damping / windows)
        if kind == "table":
            return np.bincount(x), shift, blocks_inverse(g, shift), windows
        return blocks_inverse(x.T @ x / rows, shift), None, blocks_inverse(g, shift), windows

    def _apply(self, kind, g, a, shift, inverse_g, windows):
        if kind == "table":
            counts = np.zeros(g.shape[0])
            counts[: a.size] = a
            return (1 / (counts / BATCH + shift))[:, None] * g @ inverse_g
        rows = g.reshape(g.shape[0], -1)
        return (inverse_g @ rows @ a).reshape(g.shape) / windows


def blocks_inverse(matrix, shift):
    """Returns a matrix with the inverses of the 128-wide diagonal blocks, and zeros elsewhere."""
    out = np.zeros_like(matrix)
    for start in range(0, len(matrix), 128):
        part = slice(start, start + 128)
        block = matrix[part, part]
        out[part, part] = np.linalg.inv(block + shift * np.eye(len(block)))
    return out


def patches_of(x):
    """The 3x3 patches of images padded by one, at every other index: (rows, channels * 9)."""
    wide = np.pad(x, ((0, 0), (0, 0), (1, 1), (1, 1)))
    rows = [
        wide[n, :, i : i + 3, j : j + 3].ravel()
        for n in range(x.shape[0])
        for i in range(0, x.shape[2], 2)
        for j in range(0, x.shape[3], 2)
    ]
    return np.array(rows, np.float64)


KINDS = {"conv": "conv", "wide": "dense", "narrow.0": "dense", "table": "table", "lookup": "table"}


class Seen:
    """Records the inputs of layers and the gradients at their outputs, by hooks."""

    def __init__(self, net):
        self.inputs, self.gradients = {}, {}
        for name, cell in net.cells_and_names():
            if name in KINDS:
                cell._out = self._noting(name, cell._out)

    def _noting(self, name, plain):
        def out(value, x):
            self.inputs[name] = x.asnumpy().copy()
            made = plain(value, x) * 1
            if made._node is not None:
                made.register_hook(lambda g: self.gradients.__setitem__(name, g.asnumpy().copy()))
            return made

        return out

    def factors(self):
        found = {}
        for name, kind in KINDS.items():
            x, d = self.inputs[name], self.gradients[name].astype(np.float64)
            if kind == "conv":
                found[name] = patches_of(x), d.transpose(0, 2, 3, 1).reshape(-1, d.shape[1])
            elif kind == "table":
                found[name] = x.ravel(), d.reshape(-1, d.shape[-1])
            else:
                found[name] = (
                    x.astype(np.float64).reshape(-1, x.shape[-1]),
                    d.reshape(-1, d.shape[-1]),
                )
        return found


def arguments(**options):
    rates = Tensor(np.float32(np.linspace(0.02, 0.01, STEPS)))
    dampings = Tensor(np.float32(np.linspace(0.3, 0.1, STEPS)))
    return {
        "learning_rate": rates,
        "damping": dampings,
        "momentum": 0.9,
        "batch_size": BATCH,
        **options,
    }


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"weight_decay": 0.01, "loss_scale": 128, "decay_filter": lambda p: "bias" not in p.name},
        {"use_nesterov": True, "enable_clip_grad": True},
    ],
    ids=["plain", "decayed, scaled", "clipped"],
)
def test_twenty_steps(space, options):
    net = Net()
    optimizer = nn.thor(net, **arguments(**options))
    seen = Seen(net)
    scale = float(options.get("loss_scale", 1.0))
    known = options.get("decay_filter", lambda p: True)
    by_name = {p.name: p for p in optimizer.parameters}
    expected = Reference(
        {name: p.asnumpy() for name, p in by_name.items()},
        KINDS,
        np.float64(arguments()["learning_rate"].asnumpy()),
        arguments()["damping"].asnumpy(),
        0.9,
        decay=options.get("weight_decay", 0.0),
        scale=scale,
        nesterov="use_nesterov" in options,
        clip="enable_clip_grad" in options,
        filter=lambda name: known(by_name[name]),
    )
    gradient = ops.grad(lambda *b: loss(net, *b) * scale, None, optimizer.parameters)
    for t in range(STEPS):
        given = gradient(*batch(t))
        assert optimizer(given) == (True,) * len(given)
        expected.step(
            {name: g.asnumpy() for name, g in zip(by_name, given, strict=True)}, seen.factors()
        )
    for name, value in expected.values.items():
        size = np.abs(value).max()
        np.testing.assert_allclose(
            by_name[name].asnumpy(), value, rtol=RELATIVE, atol=RELATIVE * size, err_msg=name
        )
    assert optimizer.cov_step.asnumpy() == [STEPS]


def test_the_factors(space):
    net = Net()
    optimizer = nn.thor(net, **arguments())
    seen = Seen(net)
    ops.grad(lambda *b: loss(net, *b), None, optimizer.parameters)(*batch(0))
    for name, (x, d) in seen.factors().items():
        cell = dict(net.cells_and_names())[name]
        a = np.bincount(x, minlength=cell.vocab_size) if x.ndim == 1 else x.T @ x / len(x)
        close(cell.matrix_a, a, rtol=1e-5, atol=1e-6)
        g = d.T @ d / len(d)
        close(cell.matrix_g, g, rtol=1e-5, atol=1e-6 * abs(g).max())
    assert net.conv.a_normalizer.asnumpy() == [9] and net.conv.g_normalizer.asnumpy() == [9]


def test_first_order_steps_reuse_the_inverses_and_gather_nothing():
    net = Net()
    optimizer = nn.thor(net, **arguments())
    gradient = ops.grad(lambda *b: loss(net, *b), None, optimizer.parameters)
    optimizer(gradient(*batch(0)))
    matrices = {
        p.name: p.asnumpy().copy() for p in optimizer.get_parameters() if "matrix" in p.name
    }
    net.add_flags_recursive(thor=False)
    optimizer.thor = False
    given = gradient(*batch(1))
    before = net.wide.weight.asnumpy().copy()
    optimizer(given)
    for p in optimizer.get_parameters():
        if p.name in matrices:
            np.testing.assert_array_equal(p.asnumpy(), matrices[p.name], err_msg=p.name)
    assert np.abs(net.wide.weight.asnumpy() - before).max() > 0


def test_layers_are_replaced_and_parameters_stay():
    net = Net()
    before = dict(net.parameters_and_names())
    modes = {name: p.requires_grad for name, p in before.items()}
    nn.thor(net, **arguments())
    kinds = {name: type(cell).__name__ for name, cell in net.cells_and_names()}
    assert [kinds[name] for name in KINDS] == [
        "Conv2dThor",
        "DenseThor",
        "DenseThor",
        "EmbeddingThor",
        "EmbeddingLookupThor",
    ]
    assert kinds["frozen"] == "Dense" and kinds["norm"] == "LayerNorm"
    after = dict(net.parameters_and_names())
    for name, parameter in before.items():
        assert after[name] is parameter and parameter.requires_grad == modes[name]
    assert {p.name for p in net.untrainable_params()} >= {
        "conv.matrix_a_cov",
        "conv.matrix_g_cov",
        "conv.a_normalizer",
        "wide.matrix_a",
        "narrow.0.matrix_g",
        "table.matrix_a",
    }


def test_the_parameters_of_a_convolution_have_the_original_order():
    matrices = ["a_normalizer", "g_normalizer", "matrix_a", "matrix_g"]
    made = nn.Conv2dThor(1, 2, 3)
    assert [p.name for p in made.get_parameters()] == ["weight", *matrices]
    (converted,) = convert(nn.SequentialCell(nn.Conv2d(1, 2, 3)))
    endings = ["weight", *matrices[:2], "matrix_a_cov", "matrix_g_cov"]
    assert [p.name for p in converted.get_parameters()] == [f"0.{name}" for name in endings]


def test_converted_layers_compute_what_they_did():
    net = Net()
    x = batch(3)
    before = net(*x).asnumpy()
    convert(net)
    np.testing.assert_array_equal(net(*x).asnumpy(), before)


def test_what_conversion_leaves_alone():
    class Own(nn.Dense):
        pass

    net = nn.SequentialCell(nn.Conv2d(4, 4, 3, group=2), Own(3, 4), nn.Conv1d(2, 3, 3))
    assert [type(cell) for cell in convert(net)] == [nn.Conv2d, Own, nn.Conv1d]


def test_float_types_asked_for_hold_after_conversion():
    net = nn.SequentialCell(nn.Dense(3, 4))
    net.to_float(Tensor(np.float16(0)).dtype)
    convert(net)
    assert str(net[0](Tensor(np.ones((2, 3), np.float32))).dtype) == "Float16"


def test_names_of_the_saved_state():
    net = nn.SequentialCell(nn.Dense(3, 2), nn.ReLU())
    optimizer = nn.thor(net, **arguments())
    assert [p.name for p in optimizer.get_parameters()] == [
        "global_step",
        "0.weight",
        "0.bias",
        "momentum",
        "moments.0.weight",
        "moments.0.bias",
        "0.matrix_a",
        "0.matrix_g",
        "cov_step",
        "matrix_a_inv_0",
        "matrix_g_inv_0",
        "learning_rate",
    ]


def test_the_last_learning_rate_and_damping_stay():
    net = nn.SequentialCell(nn.Dense(3, 2))
    optimizer = nn.thor(net, Tensor([0.1]), Tensor([0.5, 0.25]), 0.9)
    gradient = ops.grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)
    for _ in range(4):
        optimizer(gradient(Tensor(np.ones((2, 3), np.float32))))
    assert np.isfinite(net[0].weight.asnumpy()).all()
    assert optimizer.cov_step.asnumpy() == [4] and optimizer.get_frequency() == 100


def test_the_class_follows_the_device_target(monkeypatch):
    net = nn.SequentialCell(nn.Dense(3, 2))
    assert type(nn.thor(net, **arguments())) is ThorGpu
    monkeypatch.setattr(config.config, "device_target", "Ascend")
    assert type(nn.thor(nn.SequentialCell(nn.Dense(3, 2)), **arguments())) is ThorAscend


REFUSALS = [
    ({"learning_rate": 0.1}, TypeError),
    ({"learning_rate": [0.1]}, TypeError),
    ({"learning_rate": Tensor([[0.1]])}, ValueError),
    ({"learning_rate": Tensor([0.1, math.nan])}, ValueError),
    ({"damping": Tensor([0.1, math.nan])}, ValueError),
    ({"damping": Tensor([-0.1])}, ValueError),
    ({"damping": "a"}, TypeError),
    ({"damping": None}, TypeError),
    ({"momentum": 1}, TypeError),
    ({"momentum": -0.1}, ValueError),
    ({"momentum": math.nan}, ValueError),
    ({"weight_decay": "a"}, TypeError),
    ({"weight_decay": -0.1}, ValueError),
    ({"loss_scale": 0.0}, ValueError),
    ({"loss_scale": -1}, ValueError),
    ({"loss_scale": "a"}, TypeError),
    ({"batch_size": "a"}, TypeError),
    ({"use_nesterov": 1}, TypeError),
    ({"decay_filter": 1}, TypeError),
    ({"decay_filter": None}, TypeError),
    ({"decay_filter": lambda p: 1 / 0}, ZeroDivisionError),
    ({"frequency": 1}, ValueError),
    ({"frequency": 0}, ValueError),
    ({"frequency": 2.0}, TypeError),
    ({"frequency": True}, TypeError),
    ({"frequency": "a"}, TypeError),
]


@pytest.mark.parametrize("options, error", REFUSALS)
def test_refusals_leave_the_network_alone(options, error):
    net = nn.SequentialCell(nn.Dense(3, 2))
    with pytest.raises(error):
        nn.thor(net, **arguments(**options))
    assert type(net[0]) is nn.Dense and len(list(net.get_parameters())) == 2


@pytest.mark.parametrize(
    "options",
    [
        {"loss_scale": 128},
        {"weight_decay": 1},
        {"damping": 0.1},
        {"learning_rate": Tensor(0.1)},
        {"damping": Tensor(0.1)},
        {"batch_size": 32.0},
        {"split_indices": [0]},
        {"frequency": 2},
        {"enable_clip_grad": 1},
    ],
    ids=str,
)
def test_what_the_original_accepts_is_accepted(options):
    nn.thor(nn.SequentialCell(nn.Dense(3, 2)), **arguments(**options))


def test_a_network_with_nothing_to_train_is_refused():
    with pytest.raises(ValueError, match="thor"):
        nn.thor(nn.ReLU(), **arguments())
    with pytest.raises(TypeError, match="For 'thor', 'net'"):
        nn.thor(1, **arguments())


def test_two_parameters_of_one_name_are_refused_before_the_network_is_changed():
    net = nn.SequentialCell(nn.Dense(3, 2), nn.Dense(2, 2))
    net[1].weight.name = net[0].weight.name
    with pytest.raises(ValueError, match="name"):
        nn.thor(net, **arguments())
    assert type(net[0]) is nn.Dense


@pytest.mark.host  # the damping that the GPU chose is not read, so that no step waits
def test_a_factor_that_is_not_positive_definite_is_damped_more_and_training_goes_on(monkeypatch):
    said = []
    monkeypatch.setattr(log, "warning", lambda text, *args, **keywords: said.append(text))
    net = nn.SequentialCell(nn.Dense(3, 2, "ones", has_bias=False))
    optimizer = nn.thor(net, Tensor([0.1]), Tensor([0.0]), 0.0, batch_size=2)
    step = ops.value_and_grad(lambda x: (net(x) ** 2).sum(), None, optimizer.parameters)
    x = Tensor(np.ones((2, 3), np.float32))
    first, gradients = step(x)
    for _ in range(3):
        optimizer(gradients)
        last, gradients = step(x)
    assert float(last) < float(first)
    assert all(np.isfinite(param.asnumpy()).all() for param in net.get_parameters())
    assert len([text for text in said if "is not positive definite" in text]) == 2


def test_a_layer_of_its_own_is_named_by_its_network():
    class Own(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = nn.Dense(3, 3)
            self.first.weight = Parameter(Tensor(np.eye(3, dtype=np.float32)), name="shared")
            self.second = nn.Dense(3, 3)

        def construct(self, x):
            return self.second(self.first(x))

    net = Own()
    nn.thor(net, **arguments())
    assert net.first.matrix_a.name == "first.matrix_a"
    assert net.second.matrix_a.name == "second.matrix_a"


def test_a_layer_keeps_the_moments_of_a_gradient():
    """The numbers are those of MindSpore 2.10."""
    g = Tensor(np.arange(4, dtype=np.float32).reshape(2, 2))
    dense = nn.DenseThor(3, 2)
    assert dense.save_gradient(g) is g
    np.testing.assert_array_equal(dense.matrix_g.asnumpy(), [[2, 3], [3, 5]])
    conv = nn.Conv2dThor(2, 3, 1)
    conv.save_gradient(Tensor(np.arange(12, dtype=np.float32).reshape(1, 3, 2, 2)))
    moments = [[3.5, 9.5, 15.5], [9.5, 31.5, 53.5], [15.5, 53.5, 91.5]]
    np.testing.assert_array_equal(conv.matrix_g.asnumpy(), moments)
    assert conv.g_normalizer.asnumpy() == [4]
    rows = Tensor(np.arange(6, dtype=np.float32).reshape(3, 2))
    for layer in (nn.EmbeddingThor(5, 2), nn.EmbeddingLookupThor(5, 2)):
        layer.save_gradient(rows)
        found = layer.matrix_g.asnumpy()
        close(found, [[6.666667, 8.666667], [8.666667, 11.666667]], atol=0)
    layer.save_gradient(Tensor(np.arange(12, dtype=np.float32).reshape(2, 3, 2)))
    close(layer.matrix_g.asnumpy(), [[110, 125], [125, 143]], atol=0)  # the first axis has 2
    with pytest.raises(TypeError, match="'dout' must be a Tensor"):
        dense.save_gradient(1)
    for layer in (dense, conv, nn.EmbeddingThor(5, 2)):
        with pytest.raises(ValueError, match=r"'dout' must have \d dimensions"):
            layer.save_gradient(Tensor(np.ones((2, 1, 2), np.float32)))
