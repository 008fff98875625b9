"""Layers of mint.nn with `inplace` write their result into their input."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.mint import nn

INPLACE = {"Hardtanh": (), "ReLU6": (), "SiLU": (), "ELU": (), "Threshold": (0.5, 9.0)}


@pytest.mark.parametrize("name", INPLACE)
def test_layers_with_inplace_write_their_input(name):
    x = Tensor(np.array([[1.0, -2.0, 3.0]], np.float32))
    out = getattr(nn, name)(*INPLACE[name], inplace=True)(x)
    assert out is x
    kept = Tensor(np.array([[1.0, -2.0, 3.0]], np.float32))
    other = getattr(nn, name)(*INPLACE[name])(kept)
    assert other is not kept and kept.asnumpy().tolist() == [[1.0, -2.0, 3.0]]
    close(x, other.asnumpy())


def test_the_gradient_flows_through_a_layer_with_inplace():
    def loss(x, inplace):
        return nn.SiLU(inplace=inplace)(x * 2).sum()

    x = Tensor([1.0, -2.0])
    close(ms.grad(loss)(x, True), ms.grad(loss)(x, False).asnumpy())
