"""Operators of `ops` and `nn` for which real MindSpore has no kernel on a CPU: their documented
formulas in PyTorch, with MindSpore's arguments.

Each function is listed under the names that have its formula. `ops.RmsNorm(epsilon)(x, gamma)`
becomes the function `rms_norm(x, gamma, epsilon)`: arguments of a class are passed by name, inputs
by position.
"""

import functools
import math

import torch
from torch.nn import functional as F

FUNCTIONS, CLASSES = {}, {}  # public name → function of torch.Tensors
_LOW = (torch.float16, torch.bfloat16)


def named(*names):
    """Lists a function under public names; those whose last part is a class become classes."""

    def put(function):
        for name in names:
            is_class = name.rpartition(".")[2][0].isupper()
            (CLASSES if is_class else FUNCTIONS)[name] = function
        return function

    return put


def upcast(function):
    """Computes half-precision Tensors in float32 and rounds the results."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        low = next((a.dtype for a in args if torch.is_tensor(a) and a.dtype in _LOW), None)
        if low is None:
            return function(*args, **kwargs)
        up = lambda v: v.float() if torch.is_tensor(v) and v.dtype in _LOW else v  # noqa: E731
        out = function(*map(up, args), **{k: up(v) for k, v in kwargs.items()})
        down = lambda v: v.to(low) if torch.is_tensor(v) and v.dtype == torch.float32 else v  # noqa: E731
        return tuple(map(down, out)) if isinstance(out, tuple) else down(out)

    return call


def _reduced(losses, reduction):
    return {"none": losses, "mean": losses.mean(), "sum": losses.sum()}[reduction]


# Elementwise functions.


def _float(x):
    return x if x.is_floating_point() else x.float()


@named("ops.erf", "ops.Erf", "Tensor.erf")
def erf(input):
    return torch.erf(_float(input))


@named("ops.erfc", "ops.Erfc")
def erfc(input):
    return torch.erfc(_float(input))


@named("ops.erfinv", "ops.Erfinv")
def erfinv(input):
    return torch.erfinv(_float(input))


@named("ops.fmin", "ops.Fmin")
def fmin(input, other):
    return torch.fmin(input, other)


@named("ops.i0")
def i0(input):
    return torch.i0(input)


@named("ops.fills", "ops.Fills")
def fills(x, value):
    return torch.full_like(x, float(value))


@named("ops.type_as")
def type_as(input, other):
    return input.to(other.dtype)


@named("ops.clamp_")
def clamp_(input, min=None, max=None):
    return input.clamp_(min, max)


@named("ops.tanh_")
def tanh_(input):
    return input.tanh_()


@named("ops.zero_")
def zero_(input):
    return input.zero_()


@named("ops.inplace_sigmoid")
def inplace_sigmoid(input):
    return input.sigmoid_()


@named("ops.swiglu")
@upcast
def swiglu(input, dim=-1):
    gate, value = input.chunk(2, dim)
    return F.silu(gate) * value


@named("ops.FloatStatus")
def float_status(x):
    return (~torch.isfinite(x)).any().float().reshape(1)


# Shapes and indices.


@named("ops.roll", "ops.Roll")
def roll(input, shifts, dims=None):
    return torch.roll(input, shifts, dims)


@named("nn.Roll")
def roll_layer(input_x, shift, axis):
    return torch.roll(input_x, shift, axis)


@named("ops.take")
def take(input, index):
    return torch.take(input, index)


@named("ops.SparseGatherV2")
def sparse_gather(input_params, input_indices, axis):
    return torch.stack(
        [input_params.select(axis, int(i)) for i in input_indices.reshape(-1)], axis
    ).reshape((*input_params.shape[:axis], *input_indices.shape, *input_params.shape[axis:][1:]))


@named("ops.SplitV")
def split_v(input_x, size_splits, split_dim, num_split):
    sizes = list(size_splits)
    assert len(sizes) == num_split
    if -1 in sizes:
        sizes[sizes.index(-1)] = input_x.shape[split_dim] - sum(sizes) - 1
    return torch.split(input_x, sizes, split_dim)


@named("ops.accumulate_n", "ops.AccumulateNV2")
def accumulate_n(x):
    return functools.reduce(torch.add, x)


@named("ops.einsum")
def einsum(equation, *operands):
    return torch.einsum(equation, *operands)


@named("ops.Einsum")
def einsum_class(*operands, equation):
    operands = operands[0] if isinstance(operands[0], (tuple, list)) else operands
    return torch.einsum(equation, *operands)


@named("ops.SpaceToBatch")
def space_to_batch(input_x, block_size, paddings):
    (top, bottom), (left, right) = paddings
    x = F.pad(input_x, (left, right, top, bottom))
    n, c, h, w = x.shape
    b = block_size
    x = x.reshape(n, c, h // b, b, w // b, b)
    return x.permute(3, 5, 0, 1, 2, 4).reshape(n * b * b, c, h // b, w // b)


@named("ops.BatchToSpace")
def batch_to_space(input_x, block_size, crops):
    (top, bottom), (left, right) = crops
    n, c, h, w = input_x.shape
    b = block_size
    x = input_x.reshape(b, b, n // (b * b), c, h, w).permute(2, 3, 4, 0, 5, 1)
    x = x.reshape(n // (b * b), c, h * b, w * b)
    return x[:, :, top : h * b - bottom, left : w * b - right]


@named("nn.MatrixDiag")
def matrix_diag(input_x):
    return torch.diag_embed(input_x)


@named("nn.MatrixDiagPart")
def matrix_diag_part(input_x):
    return torch.diagonal(input_x, dim1=-2, dim2=-1)


@named("nn.MatrixSetDiag")
def matrix_set_diag(input_x, diagonal):
    return torch.diagonal_scatter(input_x, diagonal, dim1=-2, dim2=-1)


@named("ops.ConfusionMatrix")
def confusion_matrix(labels, predictions, weights=None, *, num_classes, dtype=torch.int32):
    dtype = getattr(torch, dtype) if isinstance(dtype, str) else dtype
    counts = torch.zeros((num_classes, num_classes), dtype=dtype)
    counted = torch.ones(len(labels), dtype=dtype) if weights is None else weights.to(dtype)
    return counts.index_put((labels.long(), predictions.long()), counted, accumulate=True)


@named("ops.HistogramFixedWidth")
def histogram_fixed_width(x, range, nbins, dtype="int32"):
    assert dtype == "int32"
    low, high = (float(v) for v in range)
    places = ((x.float() - low) / (high - low) * nbins).floor().long().clamp(0, nbins - 1)
    return torch.bincount(places.reshape(-1), minlength=nbins).int()


@named("ops.ComputeAccidentalHits")
def accidental_hits(true_classes, sampled_candidates, num_true=1):
    hits = [
        (row, place)
        for row, classes in enumerate(true_classes.tolist())
        for place, candidate in enumerate(sampled_candidates.tolist())
        if candidate in classes
    ]
    rows, places = zip(*hits, strict=True)
    weights = torch.full((len(hits),), -torch.finfo(torch.float32).max)
    return torch.tensor(rows).int(), torch.tensor(places), weights


# Reductions.


@named("ops.EuclideanNorm")
def euclidean_norm(x, axes, keep_dims=False):
    total = (x.double() ** 2).sum(tuple(axes.reshape(-1).tolist()), keep_dims)
    return total.sqrt().to(x.dtype)


@named("ops.quantile")
def quantile(input, q, axis=None, keepdims=False):
    return torch.quantile(input, q, axis, keepdims)


@named("ops.nanquantile")
def nanquantile(input, q, axis=None, keepdims=False):
    return torch.nanquantile(input, q, axis, keepdims)


@named("ops.Quantile")
def quantile_class(input, q, dim=None, keep_dims=False, ignore_nan=False):
    return (torch.nanquantile if ignore_nan else torch.quantile)(input, q, dim, keep_dims)


@named("ops.CountNonZero")
def count_nonzero(x, dims=None):
    return torch.count_nonzero(x, dims)


# Linear algebra.


@named("ops.matrix_exp", "ops.MatrixExp")
def matrix_exp(input):
    return torch.matrix_exp(input)


@named("ops.matrix_determinant", "nn.MatDet")
def determinant(input):
    return torch.linalg.det(input)


@named("nn.MatInverse")
def inverse(a):
    return torch.linalg.inv(a)


@named("ops.ormqr", "ops.Ormqr")
def ormqr(input, tau, other, left=True, transpose=False):
    return torch.ormqr(input, tau, other, left, transpose)


@named("ops.orgqr")
def orgqr(input, input2):
    return torch.orgqr(input, input2)


@named("ops.baddbmm_ext")
def baddbmm_ext(input, batch1, batch2, *, beta=1, alpha=1):
    return torch.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)


@named("mint.addr_")
def addr_(input, vec1, vec2, beta=1, alpha=1):
    return input.addr_(vec1, vec2, beta=beta, alpha=alpha)


@named("mint.triangular_solve")
def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    return tuple(torch.triangular_solve(b, A, upper, transpose, unitriangular))


@named("ops.vector_norm")
def vector_norm(x, ord=2, axis=None, keepdims=False, *, dtype=None):
    return torch.linalg.vector_norm(x, ord, axis, keepdims, dtype=dtype)


# Normalization.


@named("ops.layer_norm")
def layer_norm(input, normalized_shape, weight=None, bias=None, eps=1e-05):
    return F.layer_norm(input, tuple(normalized_shape), weight, bias, eps)


@named("ops.rms_norm", "ops.RmsNorm")
@upcast
def rms_norm(x, gamma, epsilon=1e-06):
    axes = tuple(range(-gamma.ndim, 0))
    rstd = torch.rsqrt((x * x).mean(axes, keepdim=True) + epsilon)
    return x * rstd * gamma, rstd


@named("ops.add_rms_norm")
def add_rms_norm(x1, x2, gamma, epsilon=1e-06):
    total = x1 + x2
    return (*rms_norm(total, gamma, epsilon), total)


@named("ops.add_layer_norm")
def add_layer_norm(x1, x2, gamma, beta, epsilon=1e-05, additional_output=False):
    total = x1 + x2
    mean = total.mean(-1, keepdim=True)
    rstd = torch.rsqrt(((total - mean) ** 2).mean(-1, keepdim=True) + epsilon)
    out = (total - mean) * rstd * gamma + beta
    return out, mean, rstd, total if additional_output else torch.zeros_like(total)


# Convolution, pooling and embeddings.


@named("ops.conv_transpose2d")
def conv_transpose2d(
    input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1, dilation=1
):
    return F.conv_transpose2d(
        input, weight, bias, stride, padding, output_padding, groups, dilation
    )


@named("ops.adaptive_avg_pool2d_ext")
def adaptive_avg_pool2d_ext(input, output_size):
    return F.adaptive_avg_pool2d(input, output_size)


@named("ops.embedding")
def embedding(
    input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False
):
    return F.embedding(input, weight, padding_idx, max_norm, norm_type, scale_grad_by_freq)


@named("ops.Dilation2D")
def dilation2d(x, filter, stride, dilation, pad_mode="SAME", data_format="NCHW"):
    def of(pair):
        pair = pair if isinstance(pair, (tuple, list)) else (pair, pair)
        return pair[-2:]

    kernel, stride, dilation = filter.shape[1:], of(stride), of(dilation)
    pads = []
    for size, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True):
        wide = (k - 1) * d + 1
        total = max(0, (-(-size // s) - 1) * s + wide - size) if pad_mode.upper() == "SAME" else 0
        pads = [total // 2, total - total // 2, *pads]
    x = F.pad(x, pads, value=-math.inf)
    high, wide = (
        (size - (k - 1) * d - 1) // s + 1
        for size, k, s, d in zip(x.shape[2:], kernel, stride, dilation, strict=True)
    )
    parts = [
        x[
            :,
            :,
            i * dilation[0] : i * dilation[0] + (high - 1) * stride[0] + 1 : stride[0],
            j * dilation[1] : j * dilation[1] + (wide - 1) * stride[1] + 1 : stride[1],
        ]
        + filter[:, i, j][None, :, None, None]
        for i in range(kernel[0])
        for j in range(kernel[1])
    ]
    return torch.stack(parts).amax(0)


# Losses.


@named("ops.soft_margin_loss", "ops.SoftMarginLoss")
def soft_margin_loss(input, target, reduction="mean"):
    return F.soft_margin_loss(input, target, reduction=reduction)


@named("nn.SoftMarginLoss")
def soft_margin(logits, labels, reduction="mean"):
    return F.soft_margin_loss(logits, labels, reduction=reduction)


@named("ops.mse_loss_ext")
def mse_loss_ext(input, target, reduction="mean"):
    return _reduced((input - target) ** 2, reduction)


@named("nn.L1LossExt")
def l1_loss(logits, labels, reduction="mean"):
    return _reduced((logits - labels).abs(), reduction)


@named("ops.multilabel_margin_loss")
def multilabel_margin_loss(input, target, reduction="mean"):
    return F.multilabel_margin_loss(input, target.long(), reduction=reduction)


@named("nn.MultilabelMarginLoss")
def multilabel_margin(x, target, reduction="mean"):
    return multilabel_margin_loss(x, target, reduction)


@named("ops.MultilabelMarginLoss")
def multilabel_margin_class(x, target, reduction="mean"):
    is_target = torch.zeros_like(target)
    for row, labels in enumerate(target.reshape(-1, target.shape[-1]).tolist()):
        for label in labels[: labels.index(-1)] if -1 in labels else labels:
            is_target.reshape(-1, target.shape[-1])[row, label] = 1
    return multilabel_margin_loss(x, target, reduction), is_target


@named("ops.triplet_margin_loss")
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, reduction="mean"
):
    return F.triplet_margin_loss(
        anchor, positive, negative, float(margin), p, eps, swap, reduction=reduction
    )


@named("nn.TripletMarginLoss", "ops.TripletMarginLoss")
def triplet_margin(
    x, positive, negative, margin=1.0, *, p=2, swap=False, eps=1e-06, reduction="mean"
):
    return triplet_margin_loss(x, positive, negative, margin, p, eps, swap, reduction)


@named("nn.LogSoftmaxExt")
def log_softmax(x, dim=None):
    return F.log_softmax(x, dim)
