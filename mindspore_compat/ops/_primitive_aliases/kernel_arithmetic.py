"""What the lines of _primitive_aliases/kernel_lines.py compute that is more than one expression.

The functions take and give Tensors and are made of public ones, so they have gradients and run on
every device.
"""

import numpy as np

from ..._core.tensor.dtype import bool_, float16, float32, int8, int32, int64, uint8
from ..._core.tensor.tensor import Tensor
from ...common.generator import Generator
from .alias import Names

ops, mint, functional = Names("ops"), Names("mint"), Names("mint.nn.functional")
distributed, methods = Names("mint.distributed"), Names("Tensor")


def _must_be(name, argument, value, allowed):
    if value not in allowed:
        words = " or ".join(map(repr, allowed))
        raise ValueError(f"For '{name}', '{argument}' must be {words}, but got {value!r}.")


# Optimizers ---------------------------------------------------------------------------------------


def adam_w(
    var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False, maximize=False
):
    """One step of AdamW, in place: (var, m, v). `step` counts from 1."""
    count = float(step)
    return _adam_step(
        var,
        m,
        v,
        max_v if amsgrad else None,
        -gradient if maximize else gradient,
        lr,
        beta1,
        beta2,
        decay,
        eps,
        1 - beta1**count,
        1 - beta2**count,
    )


def apply_adam_w(
    var,
    m,
    v,
    beta1_power,
    beta2_power,
    lr,
    weight_decay,
    beta1,
    beta2,
    epsilon,
    grad,
    max_grad_norm=None,
    amsgrad=False,
    maximize=False,
):
    """One step of AdamW, in place: (var, m, v); the powers are those of the step before."""
    return _adam_step(
        var,
        m,
        v,
        max_grad_norm if amsgrad else None,
        -grad if maximize else grad,
        lr,
        beta1,
        beta2,
        weight_decay,
        epsilon,
        1 - beta1_power * beta1,
        1 - beta2_power * beta2,
    )


def _adam_step(var, m, v, largest, grad, lr, beta1, beta2, decay, eps, unbias1, unbias2):
    ops.assign(m, beta1 * m + (1 - beta1) * grad)
    ops.assign(v, beta2 * v + (1 - beta2) * grad * grad)
    second = v
    if largest is not None:
        second = ops.assign(largest, ops.maximum(largest, v))
    step = (m / unbias1) / (ops.sqrt(second / unbias2) + eps)
    ops.assign(var, (1 - lr * decay) * var - lr * step)
    return var, m, v


# Shapes and indices -------------------------------------------------------------------------------


def as_strided(input, size, stride, storage_offset=0):
    """The numbers at `storage_offset + sum(index * stride)` of the flattened input."""
    indices = np.full(tuple(size), storage_offset, np.int64)
    for axis, (length, step) in enumerate(zip(size, stride, strict=True)):
        indices += step * np.arange(length).reshape([-1] + [1] * (len(size) - axis - 1))
    flat = ops.gather(ops.reshape(input, (-1,)), Tensor(indices.reshape(-1)), 0)
    return ops.reshape(flat, tuple(size))


def tensor_copy_slices(x, value, begin, end, strides):
    """A copy of `x` with `value` at the given slices."""
    made = methods.copy(x)
    made[tuple(slice(*each) for each in zip(begin, end, strides, strict=True))] = value
    return made


def kv_cache_scatter_update(var, indices, updates, axis, reduce):
    """`var` with `updates` put along an axis, of each row from the position that `indices` gives
    on; in place. `reduce` may be "none" or "update", which are one."""
    _must_be("KVCacheScatterUpdate", "reduce", reduce, ("none", "update"))
    for row, start in enumerate(indices.asnumpy().tolist()):
        part = slice(start, start + updates.shape[axis])
        index = (row, ..., part) if axis in (-1, var.ndim - 1) else (row, ..., part, slice(None))
        var[index] = updates[row]
    return var


def unique(input, sorted, return_inverse, return_counts, dim=None):
    """(the values, the index of each element among them, how often each occurs); the second and
    the third are empty if they are not requested."""
    values, indices, counts = mint.unique(input, sorted, True, True, dim)
    empty = ops.zeros((0,), int64)
    return values, indices if return_inverse else empty, counts if return_counts else empty


def repeat_interleave_grad(input, repeats, dim):
    """The gradient of `repeat_interleave`: what belongs to one index is added up."""
    lengths = repeats.asnumpy().tolist() if isinstance(repeats, Tensor) else repeats
    if isinstance(lengths, int) or len(lengths) == 1:
        each = lengths if isinstance(lengths, int) else lengths[0]
        lengths = [each] * (input.shape[dim] // each)
    owners = Tensor(np.repeat(np.arange(len(lengths)), lengths))
    shape = list(input.shape)
    shape[dim] = len(lengths)
    return ops.index_add(ops.zeros(tuple(shape), input.dtype), owners.astype(int32), input, dim)


# Normalization ------------------------------------------------------------------------------------


def _by_channel(values, x):
    return None if values is None else ops.reshape(values, (1, -1) + (1,) * (x.ndim - 2))


def _others(x):
    return (0, *range(2, x.ndim))


def batch_norm_reduce_grad(dout, input, mean, invstd):
    """Sums over all but the channels: of the gradient, of the gradient times the input less its
    mean, and the gradients of weight and bias."""
    total = ops.sum(dout, _others(input))
    weighted = ops.sum(dout * (input - _by_channel(mean, input)), _others(input))
    return total, weighted, weighted * invstd, total


def batch_norm_elemt_grad(dout, input, mean, invstd, weight, sum_dy, sum_dy_xmu, count):
    """The gradient of the input of a batch normalization, of sums over all devices."""
    number = ops.sum(count).astype(dout.dtype)
    scale = invstd if weight is None else invstd * weight
    centred = (input - _by_channel(mean, input)) * _by_channel(
        invstd * invstd * sum_dy_xmu / number, input
    )
    return (dout - _by_channel(sum_dy / number, input) - centred) * _by_channel(scale, input)


def batch_norm_ext(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """(the result, the mean and 1 / sqrt(variance + eps) of the batch); statistics in running are
    brought up to date in training."""
    out = functional.batch_norm(
        input, running_mean, running_var, weight, bias, training, momentum, eps
    )
    mean = ops.mean(input, _others(input))
    variance = ops.mean((input - _by_channel(mean, input)) ** 2, _others(input))
    return out, mean, ops.rsqrt(variance + eps)


def batch_norm_grad_ext(
    dout, input, weight, running_mean, running_var, saved_mean, saved_rstd, training, eps
):
    """Gradients of the input, the weight and the bias of a batch normalization."""
    mean = saved_mean if training else running_mean
    rstd = saved_rstd if training else ops.rsqrt(running_var + eps)
    total, weighted, of_weight, of_bias = batch_norm_reduce_grad(dout, input, mean, rstd)
    if not training:
        scale = rstd if weight is None else rstd * weight
        return dout * _by_channel(scale, input), of_weight, of_bias
    number = Tensor(input.size // input.shape[1], int64)
    grad = batch_norm_elemt_grad(dout, input, mean, rstd, weight, total, weighted, number)
    return grad, of_weight, of_bias


def add_layer_norm_grad(dy, x1, x2, rstd, mean, gamma, dsum):
    """Gradients of the sum, the scale and the shift of a normalized sum of two Tensors; `dsum` is
    the gradient that the sum itself has besides."""
    axes = tuple(range(x1.ndim - gamma.ndim, x1.ndim))
    others = tuple(range(x1.ndim - gamma.ndim))
    normal, scaled = (x1 + x2 - mean) * rstd, dy * gamma
    grad = rstd * (
        scaled - ops.mean(scaled, axes, True) - normal * ops.mean(scaled * normal, axes, True)
    )
    grad = grad if dsum is None else grad + dsum
    return grad, ops.sum(dy * normal, others), ops.sum(dy, others)


def matmul_all_reduce_add_rms_norm(
    x1, x2, bias, residual, gamma, epsilon, group, reduce_op, comm_turn, stream_mode
):
    """A product summed over a group, plus the residual, and that normalized: (sum, normalized).

    The kernel knows one `comm_turn`, 0, and one `stream_mode`, 1.
    """
    _must_be("MatmulAllReduceAddRmsNorm", "comm_turn", comm_turn, (0,))
    _must_be("MatmulAllReduceAddRmsNorm", "stream_mode", stream_mode, (1,))
    product = ops.matmul(x1, x2)
    product = product if bias is None else product + bias
    summed = ops.AllReduce(reduce_op, group)(product) + residual
    return summed, ops.rms_norm(summed, gamma, epsilon)[0]


# Convolution and losses ---------------------------------------------------------------------------


def convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    """A convolution over one, two or three axes, or the transposed one over two."""
    if transposed:
        return functional.conv_transpose2d(
            input, weight, bias, stride, padding, output_padding, groups, dilation
        )
    name = f"conv{weight.ndim - 2}d"
    return getattr(functional, name)(input, weight, bias, stride, padding, dilation, groups)


def bias_of(dout, bias):
    """The bias, zeros where there is none."""
    return ops.zeros(dout.shape[1], dout.dtype) if bias is None else bias


def cross_entropy_loss(
    input, target, weight, reduction, ignore_index, label_smoothing, scale, return_zloss
):
    """(the loss of at least one axis, log-softmax, scale * logsumexp(input)**2, logsumexp(input)).

    The third is empty unless `return_zloss` is set, the fourth where `scale` is 0.
    """
    loss = functional.cross_entropy(input, target, weight, ignore_index, reduction, label_smoothing)
    total = ops.logsumexp(input, 1)
    empty = ops.zeros((0,), input.dtype)
    zloss = scale * total * total if return_zloss else empty
    log_prob = input - ops.expand_dims(total, 1)
    return ops.reshape(loss, (-1,)), log_prob, zloss, total if scale else empty


def nll_loss_2d(input, target, weight, reduction, ignore_index):
    """(the loss, the sum of the weights of the classes met)."""
    loss = functional.nll_loss(input, target, weight, ignore_index, reduction)
    keep_mask = (target != ignore_index).astype(input.dtype)
    each = (
        keep_mask
        if weight is None
        else keep_mask
        * ops.gather(weight, ops.select(target != ignore_index, target, ops.zeros_like(target)), 0)
    )
    return loss, ops.sum(each)


# Dropout ------------------------------------------------------------------------------------------


def _uniform(shape, seed, offset):
    generator = Generator()
    generator._stream.restore((int(seed), int(offset)))
    return mint.rand(tuple(shape), generator=generator)


def rounded(p, dtype):
    """A probability as a number of that dtype."""
    return float(Tensor(p, dtype).astype(float32).asnumpy())


def packed_mask(shape, p, seed, offset):
    """A dropout mask of so many elements, eight to a byte, uint8; filled up to 128 elements."""
    keep_mask = (_uniform(shape, seed, offset) >= p).asnumpy().reshape(-1)
    keep_mask = np.append(keep_mask, np.zeros(-keep_mask.size % 128, bool))
    return Tensor(np.packbits(keep_mask, bitorder="little"), uint8)


def drop(input, mask, p):
    """The input where a mask, packed as `packed_mask` does, keeps it, divided by 1 - p."""
    bits = np.unpackbits(mask.asnumpy(), bitorder="little")[: input.size]
    keep_mask = Tensor(bits.reshape(input.shape).astype(bool), bool_).astype(input.dtype)
    return input * keep_mask / (1 - p) if p < 1 else ops.zeros_like(input)


def dropout(input, p, seed, offset):
    """(the input without what is dropped, the mask)."""
    mask = packed_mask(input.shape, p, seed, offset)
    return drop(input, mask, p), mask


def _into(input, result, inplace):
    return methods.copy_(input, result) if inplace else result


def dropout_in_training(input, p, training, inplace, seed, offset):
    """The input without what is dropped; as it is where nothing is trained."""
    return _into(input, dropout(input, p, seed, offset)[0], inplace) if training else input


def dropout_by_channel(input, p, training, inplace, seed, offset):
    """The input without whole channels; as it is where nothing is trained."""
    if not training:
        return input
    shape = (*input.shape[:2], *(1,) * (input.ndim - 2))
    keep_mask = (_uniform(shape, seed, offset) >= p).astype(input.dtype)
    return _into(input, input * keep_mask / (1 - p) if p < 1 else ops.zeros_like(input), inplace)


# Experts ------------------------------------------------------------------------------------------


def fused_add_topk_div(
    x,
    add_num,
    group_num,
    group_topk,
    n,
    k,
    activate_type=0,
    is_norm=True,
    scale=2.5,
    mapping_num=None,
    mapping_table=None,
    enable_expert_mapping=False,
):
    """(weights, experts) of each token: the `k` best of `group_topk` groups of experts.

    A group counts by the sum of its `n` best of sigmoid(x) + add_num; weights are sigmoid(x) of the
    chosen, divided by their sum where `is_norm` is set, times `scale`. Of an expert that
    `mapping_table` has several indices for, token i gets entry i modulo their number. The kernel
    knows one `activate_type`, 0, the sigmoid.
    """
    _must_be("FusedAddTopKDiv", "activate_type", activate_type, (0,))
    rows, experts = x.shape
    chance = ops.sigmoid(x.astype(float32))
    rated = (chance + add_num.astype(float32)).asnumpy().reshape(rows, group_num, -1)
    groups = -np.sort(-rated, -1)[..., :n].sum(-1)
    best = np.argsort(-groups, -1, kind="stable")[:, :group_topk]
    open_ = np.zeros(groups.shape, bool)
    np.put_along_axis(open_, best, True, -1)
    rated = np.where(open_[..., None], rated, -np.inf).reshape(rows, experts)
    chosen = np.argsort(-rated, -1, kind="stable")[:, :k]
    weights = ops.gather_elements(chance, 1, Tensor(chosen, int32))
    if is_norm:
        weights = weights / ops.sum(weights, -1, True)
    if enable_expert_mapping:
        turn = np.arange(rows)[:, None] % mapping_num.asnumpy()[chosen]
        chosen = mapping_table.asnumpy()[chosen, turn]
    return weights * scale, Tensor(chosen, int32)


def moe_gating_top_k_softmax(x, finished=None, k=1):
    """(the `k` largest of softmax(x), their experts, for each its index among all rows).

    The expert of a token that is finished is the number of experts.
    """
    values, experts = ops.topk(ops.softmax(x.astype(float32), -1), k)
    if finished is not None:
        done = ops.expand_dims(finished, -1).astype(experts.dtype)
        experts = experts * (1 - done) + x.shape[-1] * done
    rows = int(np.prod(x.shape[:-1]))
    indices = np.arange(k)[None] * rows + np.arange(rows)[:, None]
    return (
        values.astype(x.dtype),
        experts.astype(int32),
        Tensor(indices.reshape(values.shape), int32),
    )


def moe_init_routing(x, row_idx, expert_idx, active_num):
    """(rows sorted by their experts, for each of them where it went, the experts sorted)."""
    experts, rows = expert_idx.asnumpy().reshape(-1), row_idx.asnumpy().reshape(-1)
    order = np.argsort(experts, kind="stable")
    sources = rows[order]
    went = np.empty_like(sources)
    went[sources] = np.arange(sources.size)
    taken = min(x.shape[0], active_num) * expert_idx.shape[-1]
    chosen = Tensor((sources[:taken] % x.shape[0]).astype(np.int32))
    return ops.gather(x, chosen, 0), Tensor(went, int32), Tensor(experts[order], int32)


def probs_of(sorted_indices, tokens, probs):
    """The weights of tokens, ones where there are none."""
    return ops.ones((sorted_indices.size, 1), tokens.dtype) if probs is None else probs


# Products of matrices -----------------------------------------------------------------------------


def turned(x):
    """A matrix, or a stack of them, transposed."""
    return ops.swapaxes(x, -1, -2)


def _parts(group_list, group_list_type):
    """(start, end) of each group; the list holds ends, or lengths where the type is 1."""
    numbers = group_list.asnumpy() if isinstance(group_list, Tensor) else np.asarray(group_list)
    ends = np.cumsum(numbers) if group_list_type == 1 else numbers
    return list(zip([0, *ends[:-1].tolist()], ends.tolist()))


def gmm(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0):
    """Products of lists of matrices, a tuple: pair by pair (`group_type` -1), groups of rows of one
    matrix by one weight each (0), or groups of its columns by the same rows of the weight (2)."""
    if group_type == -1:
        products = tuple(ops.matmul(a, b) for a, b in zip(x, weight, strict=True))
        return products if bias is None else tuple(a + b for a, b in zip(products, bias))
    parts = _parts(group_list, group_list_type)
    if group_type == 2:
        return (ops.stack([ops.matmul(x[0][:, a:b], weight[0][a:b]) for a, b in parts]),)
    each = [part for one in weight for part in (one if one.ndim == 3 else [one])]
    added = (
        [0] * len(parts)
        if bias is None
        else [part for one in bias for part in (one if one.ndim == 2 else [one])]
    )
    rows = [ops.matmul(x[0][a:b], w) + c for (a, b), w, c in zip(parts, each, added)]
    return (ops.cat(rows, 0),)


def gmm_to_inputs(grad, weight, group_list=None, group_list_type=0):
    """The gradients of the matrices that `gmm` multiplied, a tuple."""
    return gmm(
        grad,
        tuple(turned(one) for one in weight),
        None,
        group_list,
        -1 if group_list is None else 0,
        group_list_type,
    )


def gmm_backward(grad, x, weight, group_list=None, group_list_type=0):
    """The gradients of the matrices and then of the weights that `gmm` multiplied, a tuple."""
    if group_list is None:
        of_weights = tuple(ops.matmul(turned(a), g) for a, g in zip(x, grad, strict=True))
    else:
        parts = _parts(group_list, group_list_type)
        each = [ops.matmul(turned(x[0][a:b]), grad[0][a:b]) for a, b in parts]
        of_weights = (ops.stack(each),) if weight[0].ndim == 3 else tuple(each)
    return gmm_to_inputs(grad, weight, group_list, group_list_type) + of_weights


def grouped_matmul_add_(x, weight, group_list, out):
    """Adds to each part of `out`, in place, the product of a group of rows of `x`, transposed, and
    the same rows of `weight`.

    Source: mindspore.ops.auto_generate.grouped_matmul_add_ of MindSpore 2.10.
    """
    products = [ops.matmul(turned(x[a:b]), weight[a:b]) for a, b in _parts(group_list, 0)]
    return methods.add_(out, ops.reshape(ops.stack(products), out.shape).astype(out.dtype))


def least_squares(a, b, driver):
    """(the solution of least squares, its residuals, the rank, the singular values).

    What a driver of LAPACK does not compute is empty: "gelsy", which is the default, gives no
    residuals and no singular values, "gels" no rank and no singular values.
    """
    _must_be("LstsqV2", "driver", driver, (None, "gels", "gelsy", "gelsd", "gelss"))
    rows, columns = a.shape[-2:]
    solution = ops.matmul(ops.pinv(a), b)
    residuals, values = ops.zeros((0,), b.dtype), ops.zeros((0,), a.dtype)
    if rows > columns and driver not in (None, "gelsy"):
        residuals = ops.sum((ops.matmul(a, solution) - b) ** 2, -2)
    if driver == "gels":
        return solution, residuals, ops.zeros((0,), int64), values
    singular = ops.svd(a, compute_uv=False)
    smallest = float(np.finfo(np.float32).eps) * max(rows, columns) * singular[..., :1]
    rank = ops.sum((singular > smallest).astype(int64), -1)
    return solution, residuals, rank, singular if driver in ("gelsd", "gelss") else values


def quant_batch_matmul(
    x1,
    x2,
    scale,
    offset=None,
    bias=None,
    pertokenScaleOptional=None,
    transpose_x1=False,
    transpose_x2=False,
    dtype=float16,
):
    """(x1 @ x2 + bias) * scale * pertokenScaleOptional + offset of int8, in another dtype.

    Source: mindspore.ops.auto_generate.quant_batch_matmul of MindSpore 2.10.
    """
    by_row = pertokenScaleOptional
    product = ops.BatchMatMul(transpose_x1, transpose_x2)(x1.astype(float32), x2.astype(float32))
    product = product if bias is None else product + bias
    product = product * scale
    product = product if by_row is None else product * ops.expand_dims(by_row, -1)
    return (product if offset is None else product + offset).astype(dtype)


def weight_quant_batch_matmul(
    x,
    weight,
    antiquant_scale,
    antiquant_offset=None,
    quant_scale=None,
    quant_offset=None,
    bias=None,
    transpose_x=False,
    transpose_weight=False,
    antiquant_group_size=0,
):
    """x @ ((weight + offset) * scale) + bias; as int8 where `quant_scale` is given.

    With `antiquant_group_size` each group of so many rows of the weight has its own scale.

    Source: mindspore.ops.auto_generate.weight_quant_batch_matmul of MindSpore 2.10.
    """
    rows = turned(weight) if transpose_weight else weight
    scale, offset = antiquant_scale, antiquant_offset
    if antiquant_group_size:
        each = [turned(t) if transpose_weight and t is not None else t for t in (scale, offset)]
        scale, offset = (
            None
            if t is None
            else mint.repeat_interleave(t, antiquant_group_size, 0)[: rows.shape[0]]
            for t in each
        )
    rows = rows.astype(x.dtype)
    rows = (rows if offset is None else rows + offset) * scale
    product = ops.matmul(turned(x) if transpose_x else x, rows)
    product = product if bias is None else product + bias
    if quant_scale is None:
        return product
    product = product * quant_scale + (0 if quant_offset is None else quant_offset)
    return ops.clamp(ops.round(product), -128, 127).astype(int8)
