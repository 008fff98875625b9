"""Whether a result shares memory with its input, as in MindSpore 2.10.

`CALLS` return copies: writing to the result leaves the input unchanged. `ITSELF` return the input
object, and `VIEWS` return a view of it.
"""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, grad, mint, nn, ops, vmap

CALLS = {
    "flip": lambda x: ops.flip(x, (0,)),
    "ReverseV2": lambda x: ops.ReverseV2([0, 1])(x),
    "mint.flip": lambda x: mint.flip(x, (1,)),
    "Tensor.flip": lambda x: x.flip([0]),
    "fliplr": ops.fliplr,
    "flipud": ops.flipud,
    "rot90": lambda x: ops.rot90(x, 1, [0, 1]),
    "Identity": ops.Identity(),
    "Tensor.to": lambda x: x.to(x.dtype, copy=True),
    "real": ops.real,
    "imag": ops.imag,
    "flatten": ops.flatten,
    "flatten, columns first": lambda x: ops.flatten(x, order="F"),
    "Flatten": ops.Flatten(),
    "nn.Flatten": lambda x: nn.Flatten()(x),
    "Tensor.flatten": lambda x: x.flatten(start_dim=1),
    "numpy.positive": ms.numpy.positive,
}
ITSELF = {
    "cast": lambda x: ops.cast(x, x.dtype),
    "Cast": lambda x: ops.Cast()(x, x.dtype),
    "+": lambda x: +x,
    "positive": ops.positive,
    "Tensor.positive": lambda x: x.positive(),
    "type_as": lambda x: x.type_as(Tensor([1.0])),
    "contiguous": lambda x: x.contiguous(),
    "addn": lambda x: ops.addn([x]),
    "AddN": lambda x: ops.AddN()((x,)),
    "accumulate_n": lambda x: ops.accumulate_n([x]),
    "dropout": lambda x: ops.dropout(x, 0.5, False),
    "[...]": lambda x: x[...],
    "[()]": lambda x: x[()],
    "[:, :]": lambda x: x[:, :3],
}
VIEWS = {
    "to": lambda x: x.to(x.dtype),
    "astype": lambda x: x.astype(x.dtype),
    "[:]": lambda x: x[:],
    "flatten": lambda x: ops.flatten(x, start_dim=0),
    "mint.flatten": lambda x: mint.flatten(x, 1),
    "broadcast_to": lambda x: ops.broadcast_to(x, (2, 3)),
}


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
@pytest.mark.parametrize("name", CALLS)
def test_written_to(name, dtype):
    x = Tensor(np.arange(6).reshape(2, 3).astype(dtype))
    before = x.asnumpy().copy()
    found = CALLS[name](x)
    found[(0,) * found.ndim] = 99
    np.testing.assert_array_equal(x.asnumpy(), before)


@pytest.mark.parametrize("name", ["flip", "fliplr", "flipud", "real", "flatten"])
def test_recorded_and_mapped(name):
    x = Tensor(np.arange(12, dtype=np.float32).reshape(2, 2, 3))
    weights = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    gradient = grad(lambda one: (CALLS[name](one) * weights).sum())(x[0])
    wanted = CALLS[name](weights).asnumpy()
    np.testing.assert_array_equal(gradient.asnumpy(), wanted)
    mapped = vmap(CALLS[name])(x).asnumpy()
    np.testing.assert_array_equal(mapped, [CALLS[name](one).asnumpy() for one in x])


@pytest.mark.parametrize("kind", [Tensor, Parameter])
@pytest.mark.parametrize("name", ITSELF)
def test_the_input_itself(name, kind):
    x = kind(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))
    assert ITSELF[name](x) is x

    @ms.jit
    def in_a_graph(x):
        y = ITSELF[name](x)
        y[0, 0] = 9.0
        return x * 1

    np.testing.assert_array_equal(in_a_graph(Tensor(x.asnumpy().copy())), x)
    gradient = grad(lambda x: (ITSELF[name](x) * x).sum())(Tensor(x.asnumpy().copy()))
    np.testing.assert_array_equal(gradient, 2 * x.asnumpy())


@pytest.mark.parametrize("name", VIEWS)
def test_views(name):
    x = Parameter(Tensor(np.arange(6, dtype=np.float32).reshape(2, 3)))
    view = VIEWS[name](x)
    assert type(view) is Tensor
    ops.assign_add(x, Tensor(np.ones((2, 3), np.float32)))
    np.testing.assert_array_equal(view.asnumpy().reshape(-1), np.arange(1, 7))
    view[0] = 50.0
    assert x[0, 0] == 50.0
