"""Primitives of `ops.auto_generate` that the original runs on an Ascend alone, by their formulas.

What is more than one expression is in kernel_arithmetic.py. Collectives are in
kernel_communication_lines.py.
"""

from . import kernel_arithmetic
from .alias import Names, Tensor, alias, asked, functional, mint, ops, pulled

generated = Names("ops.auto_generate")

alias("ops.auto_generate.AShardIdentity()(input)", lambda input: input)
alias(
    "ops.auto_generate.AdamW()(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, "
    "amsgrad=False, maximize=False)",
    kernel_arithmetic.adam_w,
)
alias(
    "ops.auto_generate.ApplyAdamW()(var, m, v, beta1_power, beta2_power, lr, weight_decay, "
    "beta1, beta2, epsilon, grad, max_grad_norm=None, amsgrad=False, maximize=False)",
    kernel_arithmetic.apply_adam_w,
)
alias(
    "ops.auto_generate.AsStrided()(input, size, stride, storage_offset=0)",
    kernel_arithmetic.as_strided,
)


@alias(
    "ops.auto_generate.BatchNormElemtGrad()(dout, input, mean, invstd, weight, sumd_dy, "
    "sum_dy_xmu, count)"
)
def batch_norm_elemt_grad(dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count):
    return kernel_arithmetic.batch_norm_elemt_grad(
        dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count
    )


@alias(
    "ops.auto_generate.BatchNormExt()(input, weight=None, bias=None, running_mean=None, "
    "runnning_var=None, training=False, momentum=0.1, epsilon=1e-05)"
)
def batch_norm_ext(input, weight, bias, running_mean, runnning_var, training, momentum, epsilon):
    return kernel_arithmetic.batch_norm_ext(
        input, weight, bias, running_mean, runnning_var, training, momentum, epsilon
    )


@alias(
    "ops.auto_generate.BatchNormGradExt(training=False, eps=1e-05)(dout, input, weight=None, "
    "running_mean=None, running_var=None, saved_mean=None, saved_rstd=None, output_mask=(1, 1, "
    "1))"
)
def batch_norm_grad_ext(
    dout,
    input,
    weight,
    running_mean,
    running_var,
    saved_mean,
    saved_rstd,
    output_mask,
    training,
    eps,
):
    gradients = kernel_arithmetic.batch_norm_grad_ext(
        dout, input, weight, running_mean, running_var, saved_mean, saved_rstd, training, eps
    )
    return asked(gradients, output_mask)


@alias(
    "ops.auto_generate.BatchNormReduceGrad()(dout, input, mean, invstd, weight, input_g, "
    "weight_g, bias_g)"
)
def batch_norm_reduce_grad(dout, input, mean, invstd, weight, input_g, weight_g, bias_g):
    sums = kernel_arithmetic.batch_norm_reduce_grad(dout, input, mean, invstd)
    return asked(sums, (input_g, input_g, weight_g, bias_g))


alias(
    "ops.auto_generate.Convolution()(input, weight, bias=None, stride=1, padding=0, "
    "dilation=1, transposed=False, output_padding=0, groups=1)",
    kernel_arithmetic.convolution,
)
alias(
    "ops.auto_generate.ConvolutionStr()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, transposed=False, output_padding=0, groups=1)",
    kernel_arithmetic.convolution,
)


@alias(
    "ops.auto_generate.CrossEntropyLoss()(input, target, weight=None, reduction='mean', "
    "ignore_index=-100, label_smoothing=0.0, lse_square_scale_for_zloss=0.0, "
    "return_zloss=False)"
)
def cross_entropy_loss(
    input,
    target,
    weight,
    reduction,
    ignore_index,
    label_smoothing,
    lse_square_scale_for_zloss,
    return_zloss,
):
    return kernel_arithmetic.cross_entropy_loss(
        input,
        target,
        weight,
        reduction,
        ignore_index,
        label_smoothing,
        lse_square_scale_for_zloss,
        return_zloss,
    )


alias(
    "ops.auto_generate.Dropout2dExt()(input, p, training, inplace, seed, offset)",
    kernel_arithmetic.dropout_by_channel,
)
alias(
    "ops.auto_generate.DropoutDoMaskExt()(input, mask, p)",
    lambda input, mask, p: kernel_arithmetic.drop(input, mask, p),
)
alias(
    "ops.auto_generate.DropoutExt()(input, p, seed, offset)",
    lambda input, p, seed, offset: kernel_arithmetic.dropout(input, p, seed, offset),
)
alias(
    "ops.auto_generate.DropoutGenMaskExt()(shape, p, seed, offset, dtype)",
    lambda shape, p, seed, offset, dtype: kernel_arithmetic.packed_mask(
        shape, kernel_arithmetic.rounded(p, dtype), seed, offset
    ),
)
alias(
    "ops.auto_generate.DropoutGradExt()(input, mask, p)",
    lambda input, mask, p: kernel_arithmetic.drop(input, mask, p),
)
alias(
    "ops.auto_generate.FuncDropoutExt()(input, p, training, inplace, seed, offset)",
    kernel_arithmetic.dropout_in_training,
)
alias(
    "ops.auto_generate.FusedAddTopKDiv()(x, add_num, group_num, group_topk, n, k, "
    "activate_type=0, is_norm=True, scale=2.5, mapping_num=None, mapping_table=None, "
    "enable_expert_mapping=False)",
    kernel_arithmetic.fused_add_topk_div,
)
alias(
    "ops.auto_generate.Gmm()(x, weight, bias=None, group_list=None, group_type=0, "
    "group_list_type=0)",
    kernel_arithmetic.gmm,
)
alias(
    "ops.auto_generate.GmmV2()(x, weight, bias=None, group_list=None, group_type=0, "
    "group_list_type=0)",
    kernel_arithmetic.gmm,
)
alias(
    "ops.auto_generate.GmmBackward()(grad, x, weight, group_list=None, group_list_type=0)",
    kernel_arithmetic.gmm_backward,
)
alias(
    "ops.auto_generate.GmmV2Backward()(grad, x, weight, group_list=None, group_list_type=0)",
    kernel_arithmetic.gmm_backward,
)
alias(
    "ops.auto_generate.GmmBackwardFusion()(grad, weight, group_list=None, group_list_type=0)",
    kernel_arithmetic.gmm_to_inputs,
)
alias(
    "ops.auto_generate.GmmV2BackwardFusion()(grad, weight, group_list=None, group_list_type=0)",
    kernel_arithmetic.gmm_to_inputs,
)
alias(
    "ops.auto_generate.InnerUnique()(input, sorted=True, return_inverse=False)",
    lambda input, sorted, return_inverse: kernel_arithmetic.unique(
        input, sorted, return_inverse, False
    )[:2],
)
alias(
    "ops.auto_generate.InplaceGroupedMatmulAdd()(x, weight, group_list, out)",
    kernel_arithmetic.grouped_matmul_add_,
)
alias(
    "ops.auto_generate.InplaceMatmulAdd()(x, weight, C)",
    lambda x, weight, C: Tensor.add_(C, mint.matmul(kernel_arithmetic.turned(x), weight)),
)
alias(
    "ops.auto_generate.KVCacheScatterUpdate()(var, indices, updates, axis, reduce='none')",
    kernel_arithmetic.kv_cache_scatter_update,
)
alias(
    "ops.auto_generate.LogSigmoid()(input)",
    lambda input: (functional.logsigmoid(input), mint.exp(-mint.abs(input))),
)
alias(
    "ops.auto_generate.LpNormV2()(input, p=2, dim=None, keepdim=False, epsilon=1e-12)",
    lambda input, p, dim, keepdim, epsilon: mint.clamp(mint.norm(input, p, dim, keepdim), epsilon),
)
alias(
    "ops.auto_generate.MatmulAllReduceAddRmsNorm()(x1, x2, bias, residual, gamma, epsilon, "
    "group, reduce_op='sum', comm_turn=0, stream_mode=1)",
    kernel_arithmetic.matmul_all_reduce_add_rms_norm,
)
alias(
    "ops.auto_generate.MoeGatingTopKSoftmax()(x, finished=None, k=1)",
    lambda x, finished, k: kernel_arithmetic.moe_gating_top_k_softmax(x, finished, k),
)
alias(
    "ops.auto_generate.MoeInitRouting()(x, row_idx, expert_idx, active_num)",
    kernel_arithmetic.moe_init_routing,
)
alias(
    "ops.auto_generate.NLLLoss2d()(input, target, weight, reduction='mean', ignore_index=-100)",
    kernel_arithmetic.nll_loss_2d,
)
alias(
    "ops.auto_generate.QuantBatchMatmul(transpose_x1=False, transpose_x2=False, "
    "dtype=float16)(x1, x2, scale, offset=None, bias=None, pertokenScaleOptional=None)",
    kernel_arithmetic.quant_batch_matmul,
)


alias(
    "ops.auto_generate.RepeatInterleaveGrad()(input, repeats, dim)",
    lambda input, repeats, dim: kernel_arithmetic.repeat_interleave_grad(input, repeats, dim),
)
alias(
    "ops.auto_generate.TensorCopySlices()(x, value, begin, end, strides)",
    kernel_arithmetic.tensor_copy_slices,
)


@alias(
    "ops.auto_generate.TransposeBatchMatmulTranspose()(input, weight, perm_in, perm_out, "
    "transpose_a=False, transpose_b=False)"
)
def transpose_batch_matmul_transpose(input, weight, perm_in, perm_out, transpose_a, transpose_b):
    return ops.transpose(
        ops.BatchMatMul(transpose_a, transpose_b)(ops.transpose(input, perm_in), weight), perm_out
    )


alias("ops.auto_generate.TypeAs()(input, other)", lambda input, other: ops.cast(input, other.dtype))
alias(
    "ops.auto_generate.Unique2()(input, sorted=True, return_inverse=False, return_counts=False)",
    lambda input, sorted, return_inverse, return_counts: kernel_arithmetic.unique(
        input, sorted, return_inverse, return_counts
    ),
)
alias(
    "ops.auto_generate.UniqueDim()(input, sorted, return_inverse, dim)",
    lambda input, sorted, return_inverse, dim: kernel_arithmetic.unique(
        input, sorted, return_inverse, True, dim
    ),
)
alias(
    "ops.auto_generate.WeightQuantBatchMatmul(transpose_x=False, transpose_weight=False, "
    "antiquant_group_size=0)(x, weight, antiquant_scale, antiquant_offset=None, "
    "quant_scale=None, quant_offset=None, bias=None)",
    kernel_arithmetic.weight_quant_batch_matmul,
)


@alias(
    "ops.auto_generate.ConvolutionGrad()(dout, input, weight, bias=None, stride=1, padding=0, "
    "dilation=(1, 1), transposed=False, output_padding=0, groups=1, output_mask=())"
)
@alias(
    "ops.auto_generate.ConvolutionStrGrad()(dout, input, weight, bias=None, stride=1, "
    "padding='valid', dilation=1, transposed=False, output_padding=0, groups=1, output_mask=())"
)
def convolution_grad(
    dout,
    input,
    weight,
    bias,
    stride,
    padding,
    dilation,
    transposed,
    output_padding,
    groups,
    output_mask,
):
    gradients = pulled(
        dout,
        lambda input, weight, bias: kernel_arithmetic.convolution(
            input, weight, bias, stride, padding, dilation, transposed, output_padding, groups
        ),
        input,
        weight,
        kernel_arithmetic.bias_of(dout, bias),
    )
    return asked(gradients, output_mask)


@alias(
    "ops.auto_generate.CrossEntropyLossGrad()(grad_loss, log_prob, target, weight=None, "
    "grad_zloss=None, lse_for_zloss=None, reduction='mean', ignore_index=-100, "
    "label_smoothing=0.0, lse_square_scale_for_zloss=0.0)"
)
def cross_entropy_loss_grad(
    grad_loss,
    log_prob,
    target,
    weight,
    grad_zloss,
    lse_for_zloss,
    reduction,
    ignore_index,
    label_smoothing,
    lse_square_scale_for_zloss,
):
    found = pulled(
        ops.reshape(grad_loss, (-1,) if reduction == "none" else ()),
        lambda log_prob: functional.cross_entropy(
            log_prob, target, weight, ignore_index, reduction, label_smoothing
        ),
        log_prob,
    )
    if grad_zloss is None:
        return found
    gradient = 2 * lse_square_scale_for_zloss * grad_zloss * lse_for_zloss
    return found + ops.expand_dims(gradient, 1) * ops.exp(log_prob)


@alias(
    "ops.auto_generate.LayerNormGradExt()(dy, x, normalized_shape, mean, variance, gamma, "
    "beta, output_mask=(1, 1, 1))"
)
def layer_norm_grad_ext(dy, x, normalized_shape, mean, variance, gamma, beta, output_mask):
    gradients = pulled(
        dy,
        lambda x, gamma, beta: functional.layer_norm(x, normalized_shape, gamma, beta),
        x,
        gamma,
        beta,
    )
    return asked(gradients, output_mask)


@alias(
    "ops.auto_generate.MoeTokenUnpermuteGrad()(permuted_tokens, unpermuted_tokens_grad, "
    "sorted_indices, probs=None, padded_mode=False, restore_shape=None)"
)
def moe_token_unpermute_grad(
    permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs, padded_mode, restore_shape
):
    return pulled(
        unpermuted_tokens_grad,
        lambda permuted_tokens, probs: ops.moe_token_unpermute(
            permuted_tokens, sorted_indices, probs, padded_mode, restore_shape
        ),
        permuted_tokens,
        kernel_arithmetic.probs_of(sorted_indices, permuted_tokens, probs),
    )


@alias(
    "ops.auto_generate.NLLLoss2dGrad()(loss_grad, input, target, weight, reduction, "
    "ignore_index, total_weight)"
)
def nll_loss2d_grad(loss_grad, input, target, weight, reduction, ignore_index, total_weight):
    return pulled(
        loss_grad,
        lambda input: functional.nll_loss(input, target, weight, ignore_index, reduction),
        input,
    )


@alias("ops.auto_generate.RotaryPositionEmbeddingGrad()(dy, cos, sin, dx=None, mode=0)")
def rotary_position_embedding_grad(dy, cos, sin, dx, mode):
    return pulled(
        dy,
        lambda dx, cos, sin: ops.rotary_position_embedding(dx, cos, sin, mode),
        dy if dx is None else dx,
        cos,
        sin,
    )


alias(
    "ops.auto_generate.AddLayerNormGrad()(dy, x1, x2, rstd, mean, gamma, dsumOptional)",
    lambda dy, x1, x2, rstd, mean, gamma, dsumOptional: kernel_arithmetic.add_layer_norm_grad(
        dy, x1, x2, rstd, mean, gamma, dsumOptional
    ),
)
alias(
    "ops.auto_generate.LstsqV2()(A, B, driver=None)",
    lambda A, B, driver: kernel_arithmetic.least_squares(A, B, driver),
)


@alias(
    "ops.auto_generate.MaxPoolWithMask(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x)"
)
def max_pool_with_mask(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    pool = generated.MaxPoolWithIndices(
        kernel_size, strides, pads, dilation, ceil_mode, argmax_type
    )
    return pool(x)


@alias(
    "ops.auto_generate.MaxPoolGradWithMask(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x, grad, mask)"
)
def max_pool_grad_with_mask(
    x, grad, mask, kernel_size, strides, pads, dilation, ceil_mode, argmax_type
):
    gradient = generated.MaxPoolGradWithIndices(
        kernel_size, strides, pads, dilation, ceil_mode, argmax_type
    )
    return gradient(x, grad, mask)
