"""A backward pass releases saved tensors as soon as they are used, unless it is repeated."""

import tracemalloc
import weakref

import numpy as np
import pytest
from fakecupy import memory
from kit import close
from kit.loops import without_compiler

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops
from mindspore_compat._backend import arrays

SIZE, LENGTH = 1 << 16, 8  # elements of each weight and activation; the number of layers


class Chain(nn.Cell):
    """Multiplies by weights as large as the products, so that gradients can reuse the released
    memory."""

    def __init__(self, recompute=False):
        super().__init__()
        self.layers = nn.CellList([Link(f"w{number}") for number in range(LENGTH)])
        if recompute:
            for layer in self.layers:
                layer.recompute()

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        return x.sum()


class Link(nn.Cell):
    """sin(x w) w, which keeps two arrays besides its input."""

    def __init__(self, name):
        super().__init__()
        self.w = Parameter(Tensor(np.full(SIZE, 1.01, np.float32)), name=name)

    def construct(self, x):
        return ops.sin(x * self.w) * self.w


def differentiated(recompute=False):
    """Returns a function that computes the gradient of a chain for all its weights, and the input
    of that function."""
    network = Chain(recompute)
    gradient = ms.grad(network, None, network.trainable_params())
    return lambda: gradient(Tensor(np.ones(SIZE, np.float32)))


def peak_on_device(run):
    """Returns the largest number of arrays of SIZE elements that the stand-in has in use."""
    run()
    with memory.tracked() as tracked_memory:
        run()
    return tracked_memory.peak / (4 * SIZE)


def peak_on_host(run):
    """Returns the peak memory of NumPy in a run, in arrays of SIZE elements."""
    run()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()[1] / (4 * SIZE)
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("space", ["numpy", "fakecupy"], indirect=True)
def test_gradients_take_the_memory_of_activations(space, monkeypatch):
    without_compiler(monkeypatch)
    peak_of = peak_on_host if arrays.current_space() is arrays.HOST else peak_on_device
    plain, again = peak_of(differentiated()), peak_of(differentiated(recompute=True))
    saved = 3 * LENGTH  # the input of each layer, its product and the sine
    assert saved - 2 <= plain <= saved + 5, plain  # gradients reuse the memory of these arrays
    assert again <= 2 * LENGTH, again  # the inputs of layers, whose memory the gradients reuse


@pytest.mark.parametrize("space", ["numpy", "fakecupy"], indirect=True)
def test_an_array_is_gone_when_the_walk_has_passed_it(space):
    tracked_memory, seen = [], []

    def look(g):
        seen.append([reference() is None for reference in tracked_memory])

    def function(x):
        a = x * 2.0
        a.register_hook(look)
        b = ops.exp(a)
        tracked_memory.append(weakref.ref(getattr(b._array, "_host", b._array)))
        return ops.sin(b).sum()

    found = ms.grad(function)(Tensor(np.array([0.5, 1.0], np.float32)))
    assert seen == [[True]]
    x = np.array([0.5, 1.0])
    close(found, np.cos(np.exp(2 * x)) * np.exp(2 * x) * 2, rtol=1e-5, atol=1e-6)


def test_a_tape_that_is_walked_again_stays():
    _, pull = ms.vjp(lambda x: ops.exp(x) * x, Tensor(1.0))
    assert float(pull(Tensor(1.0))[0]) == float(pull(Tensor(1.0))[0])
    _, along = ops.linearize(lambda x: ops.exp(x) * x, Tensor(1.0))
    assert float(along(Tensor(1.0))) == float(along(Tensor(1.0)))


@pytest.mark.parametrize("again", ["vjp", "linearize"])
def test_a_tape_that_leaves_the_gradient_stays(again):
    left = []

    def function(x):
        out, pull = getattr(ops, again)(lambda y: ops.exp(y) * x, x)
        left.append(pull)
        return out

    close(ms.grad(function)(Tensor(1.0)), 2 * np.e, rtol=1e-6, atol=0)
    found = left[0](Tensor(1.0))
    close(found[0] if isinstance(found, tuple) else found, np.e, rtol=1e-6, atol=0)


def test_a_value_of_an_earlier_gradient_is_a_constant_in_the_next():
    saved = []

    def function(x):
        saved.append(ops.exp(x))
        return saved[-1] * saved[0]

    gradient = ms.grad(function)
    close(gradient(Tensor(1.0)), 2 * np.e**2, rtol=1e-6, atol=0)
    close(gradient(Tensor(1.0)), np.e**2, rtol=1e-6, atol=0)
