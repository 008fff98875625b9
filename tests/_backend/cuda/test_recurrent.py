"""Recurrent layers by cuDNN give the same numbers as on the host, and make only the calls that they
need.

They run where CuPy computes, on a GPU or on the simulated CUDA, which counts calls and copies.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cublas, cudnn

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]
KINDS = {
    "tanh": (nn.RNN, {}),
    "relu": (nn.RNN, {"nonlinearity": "relu"}),
    "lstm": (nn.LSTM, {}),
    "gru": (nn.GRU, {}),
}
LAYERS = {
    "plain": {},
    "both ways": {"bidirectional": True},
    "two layers, no bias": {"num_layers": 2, "bidirectional": True, "has_bias": False},
    "batch first": {"batch_first": True},
}
BITS = {"float32": 18, "float64": 45, "float16": 7, "bfloat16": 4}


@pytest.fixture(autouse=True)
def library(space):
    """Skips the tests without cuDNN."""
    if arrays.current_space().convolutions.library is None:
        pytest.skip("no cuDNN")


def _network(kind, **options):
    layer, more = KINDS[kind]
    return layer(3, 4, **options, **more)


def _states(kind, rng, cells, batch):
    states = [rng.standard_normal((cells, batch, 4)) for _ in range(1 + (kind == "lstm"))]
    return tuple(states)


def _trained(kind, options, dtype, target, second=False):
    """Returns outputs, last states and all gradients of a network on a device."""
    rng = np.random.default_rng(3)
    ms.set_device(target)
    dtype = getattr(ms, dtype)
    network = _network(kind, dtype=dtype, **options)
    cells = options.get("num_layers", 1) * (1 + options.get("bidirectional", False))
    for parameter in network.get_parameters():
        parameter.set_data(ms.Tensor(rng.standard_normal(parameter.shape) / 2, dtype))
    x = ms.Tensor(rng.standard_normal((5, 5, 3)), dtype)
    states = tuple(ms.Tensor(state, dtype) for state in _states(kind, rng, cells, 5))
    out_weight = ms.Tensor(rng.standard_normal((5, 5, 1)), dtype)

    def loss(x, states):
        out, ends = network(x, states if kind == "lstm" else states[0])
        ends = ends if type(ends) is tuple else (ends,)
        return (out * out_weight).sum() + sum(end.sum() for end in ends), out, *ends

    if second:

        def slope(x, states):
            return (ms.grad(lambda x: loss(x, states)[0])(x) ** 2).sum()

        grads = ms.grad(slope, (0, 1), network.trainable_params())(x, states)
        return _flat(grads)
    value, grads = ms.value_and_grad(loss, (0, 1), network.trainable_params(), True)(x, states)
    return _flat((value, grads))


def _flat(values):
    if isinstance(values, ms.Tensor):
        return [values.astype(ms.float64).asnumpy()]
    return [array for value in values for array in _flat(value)]


def _alike(found, wanted, dtype):
    for one, other in zip(found, wanted, strict=True):
        size = np.max(np.abs(other), initial=1)
        np.testing.assert_allclose(one, other, atol=size * 2.0 ** -BITS[dtype], rtol=0)


@pytest.fixture
def counted():
    """Returns a function that counts calls of recurrent functions and waits in a block."""
    simulated = pytest.importorskip("simulated_cuda")

    def count(function):
        before = simulated.counters()
        function()
        after = simulated.counters()
        return {name: after[name] - before[name] for name in after if after[name] > before[name]}

    return count


@pytest.mark.parametrize("dtype", BITS)
@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("kind", KINDS)
def test_a_network_trains_as_on_the_host(kind, layers, dtype):
    options = LAYERS[layers]
    found = _trained(kind, options, dtype, "GPU")
    _alike(found, _trained(kind, options, dtype, "CPU"), dtype)


@pytest.mark.parametrize("kind", KINDS)
def test_second_order_is_composed(kind):
    options = {"bidirectional": True}
    found = _trained(kind, options, "float64", "GPU", True)
    _alike(found, _trained(kind, options, "float64", "CPU", True), "float64")


@pytest.mark.parametrize("kind", KINDS)
def test_a_layer_is_one_call_and_its_gradients_are_two(counted, kind):
    network, x = _network(kind, bidirectional=True), ops.ones((6, 2, 3))
    train = ms.value_and_grad(lambda x: network(x)[0].sum(), None, network.trainable_params())
    network(x), train(x)
    forward, whole = counted(lambda: network(x)), counted(lambda: train(x))
    assert forward["recurrences"] == 1 and whole["recurrences"] == 3
    assert "synchronizations" not in whole and "host_to_device" not in whole
    longer = ops.ones((60, 2, 3))
    network(longer), train(longer)
    assert counted(lambda: train(longer)) == whole


@pytest.mark.parametrize("kind", KINDS)
def test_gradients_may_be_taken_twice(kind):
    """The first time overwrites only a copy of what the layer keeps."""
    network, x = _network(kind), ops.ones((3, 2, 3))
    _, back = ms.vjp(lambda x: network(x)[0], x)
    g = ops.ones((3, 2, 4))
    np.testing.assert_array_equal(back(g)[0].asnumpy(), back(g)[0].asnumpy())


def test_lengths_are_run_step_by_step(counted):
    network, x = _network("lstm"), ops.ones((6, 2, 3))
    assert "recurrences" not in counted(lambda: network(x, None, ms.Tensor([6, 3])))


def test_what_cudnn_refuses_is_run_step_by_step(counted, monkeypatch):
    def refuse(self, *args):
        raise cudnn.Refused("NOT_SUPPORTED")

    from mindspore_compat._backend.cuda import recurrent

    monkeypatch.setattr(recurrent.Plan, "_check_weights", refuse)
    monkeypatch.setattr(arrays.current_space().recurrent_layers, "_plans", {})
    network, x = _network("gru"), ops.ones((6, 2, 3))
    assert "recurrences" not in counted(lambda: network(x))


@pytest.mark.parametrize(
    "function", ["cudnnRNNForward", "cudnnRNNBackwardData_v8", "cudnnRNNBackwardWeights_v8"]
)
def test_what_cudnn_refuses_when_it_runs_is_run_step_by_step(function, counted, monkeypatch):
    layers = arrays.current_space().recurrent_layers
    monkeypatch.setattr(layers, "_plans", {})
    expected = _trained("lstm", {"bidirectional": True}, "float64", "GPU")
    refused = []

    def refuse(*args):
        refused.append(function)
        return cudnn.NOT_SUPPORTED[0]

    monkeypatch.setattr(arrays.current_space().convolutions.library, function, refuse)
    found = _trained("lstm", {"bidirectional": True}, "float64", "GPU")
    _alike(found, expected, "float64")
    assert len(refused) == 1
    assert "recurrences" not in counted(
        lambda: _trained("lstm", {"bidirectional": True}, "float64", "GPU")
    )


def test_other_failures_are_errors(monkeypatch):
    library = arrays.current_space().convolutions.library
    monkeypatch.setattr(library, "cudnnRNNForward", lambda *args: 5000)
    with pytest.raises(RuntimeError, match="cudnnRNNForward failed with .*EXECUTION_FAILED"):
        _network("lstm")(ops.ones((6, 2, 3)))


def test_tf32_follows_the_setting_of_products(monkeypatch):
    network, x = _network("gru"), ops.rand((6, 2, 3))
    exact = network(x)[0].asnumpy()
    monkeypatch.setitem(cublas.tf32, "matmul", True)
    rounded = network(x)[0].asnumpy()
    assert not np.array_equal(exact, rounded)
    np.testing.assert_allclose(exact, rounded, atol=2e-3)
