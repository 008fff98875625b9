"""Gradients registered for Primitives through the path of older releases."""

import importlib
import os
import subprocess
import sys

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

bprop_getters = importlib.import_module("mindspore_compat.ops._grad.grad_base").bprop_getters


class Scaled(ops.PrimitiveWithInfer):
    """A Primitive as users write them."""

    @ops.prim_attr_register
    def __init__(self, factor):
        pass

    def __call__(self, x, y):
        return self.factor * x * y


def test_a_registered_gradient_is_used():
    @bprop_getters.register(Scaled)
    def get_bprop_scaled(self):
        times = ops.Mul()

        def bprop(x, y, out, dout):
            return times(dout, 100 * self.factor), out

        return bprop

    made, x, y = Scaled(3), Tensor([2.0]), Tensor([5.0])
    assert made(x, y).asnumpy() == [30]
    gradients = ms.grad(made, (0, 1))(x, y)
    assert [s.asnumpy().tolist() for s in gradients] == [[300], [30]]
    assert get_bprop_scaled(made) is not None


def test_a_class_without_a_computation_is_only_noted():
    class Idle(ops.PrimitiveWithInfer):
        pass

    assert bprop_getters.register(Idle)(np.sin) is np.sin
    with pytest.raises(TypeError):
        Idle("Idle")(Tensor([1.0]))


@pytest.mark.parametrize("given", ["Scaled", 3, int])
def test_refusals(given):
    with pytest.raises(TypeError):
        bprop_getters.register(given)


@pytest.mark.parametrize("value, shown", [("0", "False"), ("1", "True")])
def test_the_name_is_legacy(value, shown):
    script = "import mindspore_compat.ops._grad.grad_base as g;print(hasattr(g, 'bprop_getters'))"
    found = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MINDSPORE_COMPAT_LEGACY": value},
    )
    assert found.stdout.strip() == shown
