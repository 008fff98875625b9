"""Functions of Tensors for the tests of exported graphs, with inputs for the export and for
runs."""

import numpy as np

from mindspore_compat import Tensor, nn, ops

RANDOM = np.random.default_rng(11)


def normal(*shape):
    return RANDOM.standard_normal(shape).astype(np.float32)


def positive(*shape):
    return RANDOM.random(shape, np.float32) + 0.5


def whole(high, *shape, dtype=np.int32):
    return RANDOM.integers(0, high, shape).astype(dtype)


UNARY = """abs neg exp expm1 log log1p sqrt rsqrt square reciprocal sin cos tan atan sinh cosh
    tanh asinh floor ceil trunc round sign erf erfc sigmoid softplus isnan isinf isfinite
    log2 log10 relu gelu silu mish elu selu softsign logsigmoid hardswish hardsigmoid
    relu6 leaky_relu lgamma digamma celu tanhshrink""".split()
BINARY = """add sub mul div floor_div floor_mod pow maximum minimum atan2 equal not_equal less
    less_equal greater greater_equal fmod xlogy hypot logaddexp""".split()

CASES = {f"unary {n}": (lambda x, n=n: getattr(ops, n)(x), [positive(3, 4)]) for n in UNARY}
CASES |= {
    f"binary {n}": (lambda x, y, n=n: getattr(ops, n)(x, y), [positive(3, 4), positive(4)])
    for n in BINARY
}
CASES |= {
    "asin": (lambda x: ops.asin(x) + ops.acos(x) + ops.atanh(x), [positive(3) / 2]),
    "acosh": (ops.acosh, [positive(3) + 1]),
    "erfinv": (ops.erfinv, [positive(3) / 2]),
    "whole numbers": (lambda x, y: (x + y, x * 2, x // 3, x % 3, -x), [whole(9, 4), whole(9, 4)]),
    "mixed types": (lambda x, y: x + y, [whole(9, 4), normal(4)]),
    "bools": (lambda x, y: ops.logical_and(x > 0, ops.logical_not(y > 0)), [normal(4), normal(4)]),
    "bits": (lambda x, y: x & y, [whole(9, 4), whole(9, 4)]),
    "numbers": (lambda x: 1 - x / 2 + 3**x, [normal(3)]),
    "cast": (lambda x: (x.astype("float16"), x > 0, (x * 3).astype("int32")), [normal(3)]),
    "where": (lambda x, y: ops.where(x > 0, y, 0.5), [normal(3, 1), normal(4)]),
    "clamp": (lambda x: ops.clamp(x, -0.5, 0.5), [normal(3, 4)]),
    "nan_to_num": (ops.nan_to_num, [normal(3)]),
    "sum": (lambda x: (x.sum(), x.sum(1), x.sum((0, 2), keepdims=True)), [normal(2, 3, 4)]),
    "mean": (lambda x: (x.mean(), x.mean(-1, True), x.std(1), x.var(0)), [normal(2, 3, 4)]),
    "extremes": (lambda x: (x.max(), x.min(1), ops.amax(x, (0, 2)), x.prod(1)), [normal(2, 3, 4)]),
    "running extremes": (lambda x: (*ops.cummax(x, 1), *ops.cummin(x, -1)), [normal(2, 3, 4)]),
    "all any": (lambda x: ((x > 0).all(1), (x > 0).any()), [normal(2, 3)]),
    "argmax": (lambda x: (x.argmax(), x.argmax(1), ops.argmin(x, 0)), [normal(3, 4)]),
    "cumsum": (lambda x: ops.cumsum(x, 1), [normal(2, 3)]),
    "softmax": (lambda x: (ops.softmax(x, 1), ops.log_softmax(x, -1)), [normal(2, 3)]),
    "matmul": (ops.matmul, [normal(3, 4), normal(4, 5)]),
    "matmul of vectors": (
        lambda x, y: (ops.matmul(x, y), ops.matmul(x, x), ops.matmul(y.T, x)),
        [normal(4), normal(4, 5)],
    ),
    "batched matmul": (ops.matmul, [normal(2, 1, 3, 4), normal(5, 4, 2)]),
    "einsum": (lambda x, y: ops.einsum("bij,bkj->bik", x, y), [normal(2, 3, 4), normal(2, 5, 4)]),
    "tensordot": (lambda x, y: ops.tensor_dot(x, y, 1), [normal(2, 3), normal(3, 4)]),
    "reshape": (lambda x: (x.reshape(6, 4), x.view(-1), ops.flatten(x)), [normal(2, 3, 4)]),
    "transpose": (
        lambda x: (x.transpose(2, 0, 1), x.swapaxes(0, 1), ops.movedim(x, 0, 2)),
        [normal(2, 3, 4)],
    ),
    "squeeze": (
        lambda x: (x.squeeze(), ops.expand_dims(x, 0), ops.squeeze(x, 1)),
        [normal(2, 1, 4)],
    ),
    "broadcast": (lambda x: ops.broadcast_to(x, (3, 2, 4)), [normal(2, 4)]),
    "concat": (
        lambda x, y: (ops.cat((x, y), 1), ops.stack((x, x), 1)),
        [normal(2, 3), normal(2, 4)],
    ),
    "split": (lambda x: ops.split(x, 2, 1), [normal(2, 4)]),
    "tile": (lambda x: (ops.tile(x, (2, 1, 3)), ops.repeat_interleave(x, 2, 1)), [normal(2, 3)]),
    "flip": (lambda x: (ops.flip(x, (0,)), ops.roll(x, 1, 1)), [normal(2, 3)]),
    "slices": (
        lambda x: (x[0], x[:, 1:3], x[..., -1], x[::2, None], x[:, ::-1], x[1, 2]),
        [normal(3, 4)],
    ),
    "index lists": (lambda x: (x[[2, 0]], x[[0, 1], [3, 2]], x[:, [1, 1]]), [normal(3, 4)]),
    "gather": (
        lambda x, i: (ops.gather(x, i, 0), ops.gather(x, i, 1), x[i]),
        [normal(4, 4), whole(4, 2, 3)],
    ),
    "gradient of gather": (
        lambda x, i: ops.grad(lambda x: ops.gather(x, i, 0) * x.sum())(x),
        [normal(3, 4), whole(3, 5, 2) - 1],
    ),
    "gradient of nll_loss": (
        lambda x, i: ops.grad(lambda x: ops.nll_loss(x, i))(x),
        [normal(3, 4), whole(4, 3)],
    ),
    "gather_elements": (lambda x, i: ops.gather_elements(x, 1, i), [normal(3, 4), whole(4, 3, 2)]),
    "gather_nd": (ops.gather_nd, [normal(3, 4), whole(3, 5, 2)]),
    "one_hot": (lambda i: ops.one_hot(i, 5), [whole(5, 2, 3)]),
    "pad": (
        lambda x: (
            ops.pad(x, (1, 2)),
            ops.pad(x, (1, 1), "reflect"),
            ops.pad(x, (2, 0), value=-1.0),
        ),
        [normal(2, 3)],
    ),
    "tril": (lambda x: (ops.tril(x), ops.triu(x, 1)), [normal(3, 4)]),
    "diagonal": (lambda x: (ops.diagonal(x), ops.diag(x[0])), [normal(3, 3)]),
    "sort": (lambda x: ops.sort(x, 1), [normal(3, 5)]),
    "topk": (lambda x: (ops.topk(x, 2), ops.topk(x, 2, 0, False)), [normal(3, 5)]),
    "scatter": (
        lambda x, i, u: (
            ops.tensor_scatter_add(x, i, u),
            ops.tensor_scatter_elements(x, i[:, 0], u, 0),
        ),
        [normal(5), whole(5, 3, 1), normal(3)],
    ),
    "layer_norm": (
        lambda x, g, c: ops.layer_norm(x, (4,), g, c),
        [normal(3, 4), normal(4), normal(4)],
    ),
    "unfold": (lambda x: ops.unfold(x, 2), [normal(1, 2, 4, 4)]),
    "interpolate": (
        lambda x: ops.interpolate(x, size=(6, 6), mode="bilinear"),
        [normal(1, 2, 4, 4)],
    ),
    "inverse": (lambda x: ops.inverse(ops.matmul(x, x.T) + ops.eye(3)), [normal(3, 3)]),
    "avg_pool2d": (
        lambda x: (ops.avg_pool2d(x, 2, 2), ops.avg_pool2d(x, 3, 2, 1)),
        [normal(1, 2, 6, 6)],
    ),
    "max_pool2d": (
        lambda x: (ops.max_pool2d(x, 2, 2), ops.max_pool2d(x, 3, 2, 1)),
        [normal(1, 2, 6, 6)],
    ),
    "adaptive": (
        lambda x: (ops.adaptive_avg_pool2d(x, 2), ops.adaptive_avg_pool2d(x, (3, 5))),
        [normal(1, 2, 6, 7)],
    ),
    "conv2d": (
        lambda x, w: (ops.conv2d(x, w), ops.conv2d(x, w, stride=2, pad_mode="pad", padding=1)),
        [normal(1, 4, 6, 6), normal(2, 4, 3, 3)],
    ),
    "conv2d groups": (
        lambda x, w: ops.conv2d(x, w, groups=2, dilation=2),
        [normal(1, 4, 6, 6), normal(2, 2, 2, 2)],
    ),
    "conv1d": (ops.conv1d, [normal(1, 2, 8), normal(3, 2, 3)]),
    "conv3d": (ops.conv3d, [normal(1, 2, 4, 4, 4), normal(3, 2, 2, 2, 2)]),
    "nothing of the input": (lambda x: ops.ones_like(x) + ops.arange(3), [normal(3)]),
    "nested outputs": (lambda x, y: ((x + 1, y), x * y), [normal(2), normal(2)]),
}


class Attention(nn.Cell):
    """Self-attention, as a network of its own parameters."""

    def __init__(self):
        super().__init__()
        self.q, self.k, self.v = nn.Dense(8, 8), nn.Dense(8, 8), nn.Dense(8, 8)
        self.norm = nn.LayerNorm((8,))
        self.drop = nn.Dropout(p=0.5)

    def construct(self, x):
        q, k, v = self.q(x), self.k(x), self.v(x)
        weights = ops.softmax(ops.matmul(q, k.swapaxes(-1, -2)) / 8**0.5, -1)
        return self.norm(x + self.drop(ops.matmul(weights, v)))


class Images(nn.Cell):
    """Convolutions, normalisation, pooling, and a loop over layers."""

    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 4, 3, pad_mode="pad", padding=1, has_bias=True)
        self.rest = nn.CellList(
            [nn.SequentialCell(nn.Conv2d(4, 4, 3), nn.BatchNorm2d(4), nn.ReLU()) for _ in range(2)]
        )
        self.pool = nn.MaxPool2d(2, 2)
        self.up = nn.Conv2dTranspose(4, 2, 3, stride=2)
        self.dense = nn.Dense(2 * 64, 3)

    def construct(self, x):
        x = self.first(x)
        for layer in self.rest:
            x = x + layer(x)
        return self.dense(ops.flatten(self.up(self.pool(x))))


NETWORKS = {"attention": (Attention, [normal(2, 5, 8)]), "images": (Images, [normal(2, 1, 8, 8)])}


def tensors(arrays):
    return [Tensor(array) for array in arrays]


def others(arrays):
    """Returns different values of the same shapes, dtypes and ranges."""
    return [np.ascontiguousarray(array[..., ::-1]) for array in arrays]
