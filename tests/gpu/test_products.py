"""Each kind of matrix product and its gradients give the same numbers on a device and on the
host."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops
from mindspore_compat import numpy as mnp

from .host import agree, host, result_and_gradients

pytestmark = pytest.mark.device


def swap(x):
    return x.swapaxes(-1, -2)


def einsum(equation):
    return lambda *operands: ops.einsum(equation, *operands)


PRODUCTS = {
    "matrix by matrix": (ops.matmul, (3, 4), (4, 5)),
    "vector by matrix": (ops.matmul, (4,), (4, 5)),
    "matrix by vector": (ops.matmul, (3, 4), (4,)),
    "vector by vector": (ops.matmul, (4,), (4,)),
    "stack by stack": (ops.matmul, (2, 3, 4), (2, 4, 5)),
    "stack by matrix": (ops.matmul, (2, 3, 4), (4, 5)),
    "matrix by stack": (ops.matmul, (3, 4), (2, 4, 5)),
    "stacks of stacks": (ops.matmul, (2, 3, 4, 5), (2, 3, 5, 6)),
    "broadcast stacks": (ops.matmul, (3, 1, 4, 5), (2, 5, 6)),
    "rows and columns of one": (ops.matmul, (2, 1, 4), (2, 4, 1)),
    "many terms": (ops.matmul, (17, 300), (300, 33)),
    "no rows": (ops.matmul, (0, 4), (4, 5)),
    "no terms": (ops.matmul, (3, 0), (0, 5)),
    "transposed": (lambda x, y: ops.matmul(swap(x), swap(y)), (2, 4, 3), (2, 5, 4)),
    "left transposed": (lambda x, y: ops.matmul(swap(x), y), (4, 3), (4, 5)),
    "right transposed": (lambda x, y: ops.matmul(x, swap(y)), (3, 4), (5, 4)),
    "of itself": (lambda x: ops.matmul(x, swap(x)), (4, 5)),
    "strided": (lambda x, y: ops.matmul(x[::2], y[:, ::2]), (5, 4), (4, 7)),
    "permuted stacks": (
        lambda x, y: ops.matmul(x.transpose(1, 0, 2), y.transpose(1, 2, 0)),
        (3, 2, 4),
        (5, 2, 4),
    ),
    "MatMul": (ops.MatMul(transpose_a=True), (4, 3), (4, 5)),
    "BatchMatMul": (ops.BatchMatMul(transpose_b=True), (2, 3, 4), (2, 5, 4)),
    "mm": (ops.mm, (3, 4), (4, 5)),
    "mv": (ops.mv, (3, 4), (4,)),
    "bmm": (ops.bmm, (2, 3, 4), (2, 4, 5)),
    "dot": (ops.dot, (2, 3, 4), (5, 4, 6)),
    "inner": (ops.inner, (2, 3, 4), (5, 4)),
    "outer": (ops.outer, (3,), (4,)),
    "kron": (ops.kron, (2, 3), (3, 2)),
    "vecdot": (ops.vecdot, (3, 4), (3, 4)),
    "tensor_dot": (lambda x, y: ops.tensor_dot(x, y, ((0, 2), (1, 0))), (2, 3, 4), (4, 2, 5)),
    "batch_dot": (ops.batch_dot, (2, 3, 4), (2, 4, 5)),
    "multi_dot": (lambda *operands: mnp.multi_dot(operands), (3, 4), (4, 5), (5, 2)),
    "einsum of matrices": (einsum("ij,jk->ik"), (3, 4), (4, 5)),
    "einsum of stacks": (einsum("bhqd,bhkd->bhqk"), (2, 2, 3, 4), (2, 2, 5, 4)),
    "einsum of three": (einsum("ij,jk,kl->il"), (3, 4), (4, 5), (5, 2)),
    "trace by einsum": (einsum("ii->"), (4, 4)),
    "addmm": (ops.addmm, (3, 5), (3, 4), (4, 5)),
    "addmv": (ops.addmv, (3,), (3, 4), (4,)),
    "addr": (ops.addr, (3, 4), (3,), (4,)),
    "addbmm": (ops.addbmm, (3, 5), (2, 3, 4), (2, 4, 5)),
    "baddbmm": (ops.baddbmm, (2, 3, 5), (2, 3, 4), (2, 4, 5)),
    "dense": (ops.dense, (2, 3, 4), (5, 4), (5,)),
    "bidense": (ops.bidense, (3, 4), (3, 5), (2, 4, 5), (2,)),
    "cdist": (ops.cdist, (3, 4), (5, 4)),
    "conv1d": (ops.conv1d, (2, 3, 9), (4, 3, 3)),
    "conv2d": (ops.conv2d, (2, 3, 6, 7), (4, 3, 3, 3)),
    "conv2d of 1 x 1": (ops.conv2d, (2, 3, 4, 5), (6, 3, 1, 1)),
    "conv2d in groups": (lambda x, w: ops.conv2d(x, w, groups=2), (2, 4, 6, 6), (6, 2, 3, 3)),
    "conv2d by depth": (lambda x, w: ops.conv2d(x, w, groups=4), (2, 4, 6, 6), (4, 1, 3, 3)),
    "conv2d with stride": (
        lambda x, w: ops.conv2d(x, w, stride=2, pad_mode="pad", padding=1, dilation=2),
        (2, 3, 9, 8),
        (4, 3, 3, 3),
    ),
    "conv2d transposed": (
        lambda x, w: ops.conv_transpose2d(x, w, stride=2),
        (2, 3, 4, 4),
        (3, 2, 3, 3),
    ),
    "conv3d": (ops.conv3d, (1, 2, 4, 5, 4), (3, 2, 2, 3, 2)),
    "attention": (
        lambda q, k, v: ops.matmul(ops.softmax(ops.matmul(q, swap(k)) * 0.5), v),
        (2, 2, 3, 4),
        (2, 2, 5, 4),
        (2, 2, 5, 4),
    ),
}
DTYPES = ("float16", "bfloat16", "float32", "float64")
LAYERS = {
    "LSTM": lambda: nn.LSTM(4, 5, num_layers=2, bidirectional=True),
    "GRU": lambda: nn.GRU(4, 5),
    "RNN": lambda: nn.RNN(4, 5),
    "MultiheadAttention": lambda: nn.MultiheadAttention(4, 2),
    "TransformerEncoderLayer": lambda: nn.TransformerEncoderLayer(4, 2, 8, dropout=0.0),
}


def operands(shapes, dtype):
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal(shape).astype(np.float32) for shape in shapes]
    return [Tensor(array).astype(getattr(ms, dtype)) for array in arrays]


def outcome(name, dtype):
    """Returns the result and the gradients of a product, or the error for its dtype."""
    function, *shapes = PRODUCTS[name]
    try:
        return result_and_gradients(function, operands(shapes, dtype))
    except TypeError as error:
        return str(error)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", PRODUCTS)
def test_a_product_is_that_of_the_host(space, name, dtype):
    result = outcome(name, dtype)
    with host():
        expected = outcome(name, dtype)
    if isinstance(expected, str):
        assert result == expected
    else:
        agree(result, expected)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8"])
def test_products_of_other_dtypes(space, dtype):
    rng = np.random.default_rng(0)
    x, y = (rng.integers(-3, 4, shape) for shape in ((2, 3, 4), (2, 4, 5)))

    def product():
        pair = [Tensor(part.astype(dtype)) for part in (x % 7, y % 7)]
        return ops.matmul(*pair).asnumpy()

    result = product()
    with host():
        expected = product()
    agree([result], [expected])


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_of_products_is_that_of_the_host(space, name):
    def run(weights=None):
        ms.set_seed(1)
        layer = LAYERS[name]()
        x = operands([(3, 2, 4)], "float32")[0]
        for parameter, array in zip(layer.get_parameters(), weights or ()):
            parameter.set_data(Tensor(array))
        inputs = (x, x, x) if name == "MultiheadAttention" else (x,)

        def output(*inputs):
            out = layer(*inputs)
            return out[0] if isinstance(out, tuple) else out

        arrays = [parameter.asnumpy() for parameter in layer.get_parameters()]
        return arrays, result_and_gradients(output, inputs, list(layer.trainable_params()))

    with host():
        weights, expected = run()
    agree(run(weights)[1], expected)
