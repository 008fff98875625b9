"""Inputs of the optimizer tests: Parameters of four shapes, their gradients, a decay and an
optimizer."""

import numpy as np

from mindspore_compat import Tensor, nn
from mindspore_compat.common.parameter import Parameter

SHAPES = {"a.weight": (3, 4), "b.bias": (5,), "conv.weight": (2, 3, 2, 2), "bn.gamma": (4,)}


def make_parameters():
    rng = np.random.default_rng(0)
    return [
        Parameter(Tensor(rng.standard_normal(shape).astype(np.float32)), name=name)
        for name, shape in SHAPES.items()
    ]


def make_gradients(seed=1):
    rng = np.random.default_rng(seed)
    return tuple(Tensor(rng.standard_normal(shape).astype(np.float32)) for shape in SHAPES.values())


def momentum(params, lr=0.1, **options):
    return nn.Momentum(params, lr, 0.9, **options)


class Decay(nn.Cell):
    """A weight decay that grows with the step."""

    def construct(self, step):
        return 0.01 * (step + 1).astype("float32")
