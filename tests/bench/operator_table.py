"""The operators that `python -m tests.bench operators` and `growth` measure; those of `MORE`, which
have no counterpart under these names in torch, by `growth` alone.

A line is an expression: `T` stands for `mint` and for `torch`, `F` for their `nn.functional`; if
the package lacks a name, its own expression follows after `|`. The names of the inputs state their
shapes (`Inputs`); gradients are computed for those in capitals.
"""

import math

import numpy as np

TABLE = """
T.abs(X)
T.acos(U)
T.acosh(P + 1)
T.add(X, Y)
T.addcdiv(X, Y, P)
T.addcmul(X, Y, P)
T.addmm(Q, Q, Q)
T.all(x > 0)
T.amax(X, 1)
T.amin(X, 0)
T.any(x > 0)
T.argmax(x, 0)
T.argmax(x, 1)
T.argmin(x, 1)
T.argsort(r)
T.asin(U)
T.asinh(X)
T.atan(X)
T.atan2(X, Y)
T.atanh(U)
T.baddbmm(B, B, B)
T.bmm(B, B)
T.broadcast_to(V, x.shape)
T.cat([X, Y], 0)
T.cat([X, Y], 1)
T.ceil(x)
T.chunk(X, 4, 1)[1]
T.clamp(X, -1.0, 1.0)
T.clone(X)
T.cos(X)
T.cosh(X)
T.count_nonzero(x)
T.cumprod(U, 1) | ops.cumprod(U, 1)
T.cumsum(R, 1)
T.cumsum(X, 0)
T.cummax(R, 1)[0]
T.cummin(R, 1)[0]
T.diff(X)
T.div(X, P)
T.dot(L, L)
T.eq(x, y)
T.erf(X)
T.erfc(X)
T.erfinv(U)
T.exp(X)
T.exp2(X)
T.expm1(X)
T.flatten(X)
T.flip(X, (0,))
T.flip(X, (1,))
T.floor(x)
T.fmod(X, P)
T.frac(X)
T.gather(R, 1, ri)
T.gather(X, 0, xi)
T.ge(x, y)
T.histc(x)
T.hypot(X, P) | ops.hypot(X, P)
T.index_add(X, 0, rows, Y) | X.index_add(0, rows, Y)
T.index_select(X, 0, rows)
T.index_select(X, 1, columns)
T.isfinite(x)
T.isnan(x)
T.kthvalue(r, 7)[0] | ops.topk(r, 7, largest=False)[0][:, -1]
T.lerp(X, Y, 0.3)
T.linspace(0, 1, x.numel())
T.log(P)
T.log10(P)
T.log1p(P)
T.log2(P)
T.logaddexp(X, Y)
T.logcumsumexp(R, 1) | ops.logcumsumexp(R, 1)
T.logical_and(x > 0, y > 0)
T.logsumexp(X, 1)
T.lt(x, y)
T.masked_fill(X, y > 0, 1.5)
T.masked_select(X, y > 0)
X[y > 0]
X[rows]
X[:, 3:77]
T.matmul(Q, Q)
T.matmul(X, W)
T.matmul(W, X.T)
T.max(X)
T.max(X, 1)[0]
T.maximum(X, Y)
T.mean(X)
T.mean(X, 0)
T.mean(X, 1)
T.median(r, 1)[0]
T.min(X, 0)[0]
T.minimum(X, Y)
T.mul(X, Y)
T.mul(X, V)
T.mv(X, V)
T.nan_to_num(X)
T.narrow(X, 1, 3, 60)
T.ne(x, y)
T.neg(X)
T.nonzero(x > 1)
T.norm(X)
T.norm(X, 2, 1)
T.outer(L[:512], L[:512])
T.permute(I, (0, 2, 3, 1)) + 0.0
T.pow(P, 2.5)
T.pow(X, 2)
T.prod(U, 1)
T.reciprocal(P)
T.remainder(X, P)
T.repeat_interleave(X, 2, 0)
T.repeat_interleave(X, 2, 1)
T.roll(X, 3, 0)
T.roll(X, 3, 1)
T.round(x)
T.rsqrt(P)
T.scatter(X, 0, xi, Y)
T.scatter_add(R, 1, ri, R)
T.scatter_add(X, 0, xi, Y)
T.select(X, 1, 3)
T.sigmoid(X)
T.sign(x)
T.sin(X)
T.sinc(X)
T.sinh(X)
T.sort(R, dim=1)[0]
T.sort(x, dim=0)[0]
T.split(X, 64, 1)[2]
T.sqrt(P)
T.square(X)
T.stack([X, Y], 0)
T.stack([X, Y], 2)
T.std(X, 1)
T.std_mean(X, 0)[0] | T.std(X, 0)
T.sub(X, Y)
T.sum(X)
T.sum(X, 0)
T.sum(X, 1)
T.take(X, flat) | X.take(flat)
T.tan(X)
T.tanh(X)
T.tile(X, (2, 3))
T.topk(R, 16, 1)[0]
T.topk(X, 5, 1)[0]
T.transpose(X, 0, 1) + 0.0
T.tril(X)
T.triu(X)
T.trunc(x)
T.unique(r.reshape(-1).round())
T.var(X)
T.var(X, 0)
T.where(y > 0, X, Y)
T.xlogy(P, P)
T.zeros_like(x)
F.adaptive_avg_pool2d(I, (7, 7))
F.avg_pool2d(I, 2, 2)
F.batch_norm(I, zeros8, ones8, None, None, True)
F.binary_cross_entropy(S, s)
F.binary_cross_entropy_with_logits(X, y)
F.conv2d(I, K3, None, 1, 1)
F.conv2d(I, K1)
F.conv2d(I3, K33, None, 1, 1)
F.conv_transpose2d(I, K3, None, 2, 1)
F.conv3d(Z, KZ, None, 1, 1)
F.cosine_similarity(X, Y) | ops.cosine_similarity(X, Y)
F.cross_entropy(X, classes)
F.ctc_loss(E, labels, steps, lengths) | ops.ctc_loss(E, labels, steps, lengths)[0]
F.elu(X)
F.embedding(ids, X)
F.fold(F.unfold(I, 3), (I.shape[2], I.shape[3]), 3)
F.gelu(X)
F.gelu(X, approximate='tanh')
F.glu(X)
F.grid_sample(I, grid, align_corners=False) | ops.grid_sample(I, grid)
F.group_norm(I, 2)
F.hardshrink(X)
F.hardsigmoid(X)
F.hardswish(X)
F.huber_loss(X, y) | ops.huber_loss(X, y)
F.interpolate(I, scale_factor=2, mode='nearest') | F.interpolate(I, scale_factor=2.0)
F.interpolate(I, scale_factor=2.0, mode='bilinear')
F.kl_div(X, s) | ops.kl_div(X, s)
F.l1_loss(X, y)
F.layer_norm(X, (256,))
F.layer_norm(R, (R.shape[1],))
F.leaky_relu(X)
F.linear(X, W)
F.log_softmax(X, 1)
F.logsigmoid(X)
F.max_pool2d(I, 2, 2)
F.max_pool2d(I, 3, 2, 1)
F.mish(X)
F.mse_loss(X, y)
F.nll_loss(X, classes)
F.normalize(X)
F.one_hot(classes, 256)
F.pad(I, (1, 2, 3, 1))
F.pad(I, (1, 2, 3, 1), mode='reflect')
F.prelu(I, ones8)
F.relu(X)
F.relu6(X)
F.scaled_dot_product_attention(A, A, A) | attend(A, A, A)
F.selu(X)
F.silu(X)
F.smooth_l1_loss(X, y)
F.softmax(X, 1)
F.softmax(R, 1)
F.softmax(X, 0)
F.softplus(X)
F.softshrink(X)
F.softsign(X) | ops.softsign(X)
F.tanh(X) | T.tanh(X)
F.threshold(X, 0.1, 20.0)
F.unfold(I, 3, 1, 1)
"""

MORE = """
ops.unsorted_segment_sum(X, rows, X.shape[0])
ops.unsorted_segment_max(X, rows, X.shape[0])
ops.unsorted_segment_prod(X, rows, X.shape[0])
ops.tensor_scatter_add(X, row_indices, Y)
ops.tensor_scatter_max(X, row_indices, Y)
ops.tensor_scatter_mul(X, row_indices, Y)
ops.tensor_scatter_div(X, row_indices, P)
ops.tensor_scatter_elements(X, xi, Y)
ops.scatter_nd(row_indices, X, X.shape)
ops.gather_nd(X, row_indices)
ops.searchsorted(ordered, l)
ops.searchsorted(ordered_rows, r)
ops.bucketize(l, [0.0, 0.5, 1.0])
ops.bincount(flat.int())
ops.cross(L3, M3, 1)
ops.diagonal(Q)
ops.einsum('bij,bjk->bik', B, B)
ops.rfft(L)
ops.fft2(Q)
ops.unique_consecutive(l)[0]
ops.pixel_shuffle(I, 2)
ops.interpolate(I, scale_factor=2.0, mode='bicubic', recompute_scale_factor=True)
ops.interpolate(Z, scale_factor=2.0, mode='trilinear', recompute_scale_factor=True)
ops.adaptive_max_pool2d(I, (7, 7))
ops.adaptive_avg_pool3d(Z, (3, 3, 3))
ops.max_pool3d(Z, 2, 2)
ops.avg_pool2d(I, 31, 1, 15)
ops.conv2d(I, K3, pad_mode='same', dilation=4)
ops.lrn(I)
ops.rms_norm(X, V)[0]
ops.dropout(X, 0.5)
ops.cummax(X, 0)[0]
ops.cumprod(X, 0)
ops.logcumsumexp(X, 0)
ops.quantile(L, 0.3)
ops.nanmedian(R, 1)[0]
ops.multi_margin_loss(X, classes)
ops.cosine_embedding_loss(X, Y, classes * 0 + 1)
ops.triplet_margin_loss(X, Y, P)
ops.reverse_sequence(X, classes, 1, 0)
ops.masked_scatter(X, y > 0, Y)
ops.multinomial(s, 8)
ops.multinomial(p.reshape(-1), p.numel() // 16)
ops.randperm(x.numel())
ops.sort(L)[0]
ops.cholesky(SPD)
ops.inverse(SPD)
ops.det(SPD)
ops.slogdet(SPD)[1]
ops.matrix_power(B, 3)
ops.digamma(P)
ops.lgamma(P)
ops.ctc_greedy_decoder(e, steps.int())[2]
ops.vander(l, 4)
"""


def growing():
    """Returns the names of all operators whose growth is measured."""
    return [name for name, *_ in lines()] + MORE.strip().splitlines()


def lines():
    """Returns [(name, the package's expression, torch's expression)]."""
    found = []
    for line in filter(None, TABLE.strip().splitlines()):
        name, _, ours = line.partition(" | ")
        found.append((name, ours or name, name))
    return found


class Inputs(dict):
    """The inputs of expressions, created at their first use.

    Args:
        size (int): the number of elements of the large inputs.
        tensor: a function that makes a tensor of an array.
    """

    def __init__(self, size, tensor):
        super().__init__()
        self._size, self._tensor = size, tensor
        self._random = np.random.default_rng(0)

    def __missing__(self, name):
        base = name.lower() if len(name) == 1 else name
        make = getattr(self, f"_{base}", None)
        if make is None:
            raise KeyError(name)
        self[name] = self._tensor(np.ascontiguousarray(make()))
        return self[name]

    def _normal(self, *shape):
        return self._random.standard_normal(shape).astype(np.float32)

    def _whole(self, high, *shape):
        return self._random.integers(0, high, shape)

    @property
    def rows_of_matrix(self):
        return max(self._size // 256, 4)

    @property
    def side(self):
        return max(math.isqrt(self._size // 16), 8)

    def _x(self):
        return self._normal(self.rows_of_matrix, 256)

    _y = _x

    def _p(self):
        return np.abs(self._x()) + 0.1

    def _u(self):
        return np.tanh(self._x()) * 0.95

    def _s(self):
        return 1 / (1 + np.exp(-self._x()))

    def _r(self):
        return self._normal(8, self._size // 8)

    def _l(self):
        return self._normal(self._size)

    def _v(self):
        return self._normal(256)

    def _w(self):
        return self._normal(256, 256)

    def _q(self):
        side = max(math.isqrt(self._size), 4)
        return self._normal(side, side)

    def _b(self):
        return self._normal(max(self._size // 1024, 1), 32, 32)

    def _i(self):
        return self._normal(2, 8, self.side, self.side)

    def _I3(self):
        side = max(math.isqrt(self._size // 3), 8)
        return self._normal(1, 3, side, side)

    def _z(self):
        side = max(round((self._size / 4) ** (1 / 3)), 4)
        return self._normal(1, 4, side, side, side)

    def _L3(self):
        return self._normal(self._size // 3, 3)

    _M3 = _L3

    def _SPD(self):
        matrices = self._b()
        return matrices @ matrices.transpose(0, 2, 1) + 32 * np.eye(32, dtype=np.float32)

    def _K1(self):
        return self._normal(8, 8, 1, 1)

    def _K3(self):
        return self._normal(8, 8, 3, 3)

    def _K33(self):
        return self._normal(8, 3, 3, 3)

    def _KZ(self):
        return self._normal(4, 4, 3, 3, 3)

    def _a(self):
        return self._normal(max(self._size // (1 << 15), 1), 8, 64, 64)

    def _e(self):
        logs = self._normal(max(self._size // 64, 24), 2, 32)
        return logs - np.log(np.exp(logs).sum(-1, keepdims=True))

    def _labels(self):
        return self._whole(31, 2, 10) + 1

    def _steps(self):
        return np.full(2, max(self._size // 64, 24))

    def _lengths(self):
        return np.full(2, 10)

    def _ri(self):
        return self._whole(self._size // 8, 8, self._size // 8)

    def _xi(self):
        return self._whole(self.rows_of_matrix, self.rows_of_matrix, 256)

    def _rows(self):
        return self._whole(self.rows_of_matrix, self.rows_of_matrix)

    def _ids(self):
        return self._whole(self.rows_of_matrix, self.rows_of_matrix)

    def _row_indices(self):
        return self._whole(self.rows_of_matrix, self.rows_of_matrix, 1)

    def _ordered(self):
        return np.sort(self._l())

    def _ordered_rows(self):
        return np.sort(self._r(), -1)

    def _columns(self):
        return self._whole(256, 256)

    def _flat(self):
        return self._whole(self._size, self._size)

    def _classes(self):
        return self._whole(256, self.rows_of_matrix)

    def _grid(self):
        return self._random.uniform(-1, 1, (2, self.side, self.side, 2)).astype(np.float32)

    def _zeros8(self):
        return np.zeros(8, np.float32)

    def _ones8(self):
        return np.ones(8, np.float32)
