"""mindspore.ops.auto_generate.pyboost_inner_prim: Primitives as functions, settings and all.

The parameters of a function are the inputs and then the settings of a Primitive. Each has a class
too, `SoftmaxPrim_`, whose calls take them as one list.
"""

from . import declarations  # noqa: F401 - it makes names
from .alias import found


class _Primitives:
    """Every Primitive as an attribute, found when first asked for."""

    def __getattr__(self, name):
        areas = ("ops.auto_generate", "ops.operations._grad_ops", "ops")
        made = next(filter(None, (found(f"{area}.{name}") for area in areas)))
        setattr(self, name, made)
        return made


primitives = _Primitives()
_CLASSES = {}


def _kernel(title):
    """Declares the class of a function; its calls are those of the function with a list."""

    def declare(function):
        def call(self, arguments):
            if not isinstance(arguments, (list, tuple)):
                raise TypeError(
                    f"For '{title}', 'arguments' must be a list, but got "
                    f"{arguments!r} of type {type(arguments).__name__}."
                )
            return function(*arguments)

        name = function.__name__
        call.__name__, call.__qualname__ = "__call__", f"{title}.__call__"
        call.__doc__ = f"`{name}(*arguments)`; a TypeError if they are no list."
        _CLASSES[title] = type(
            title,
            (),
            {
                "__call__": call,
                "__module__": __name__,
                "__doc__": f"""`{name}` with its arguments in one list.

            Source: mindspore.ops.auto_generate.pyboost_inner_prim.{title} of MindSpore 2.10.
            """,
            },
        )
        function.__doc__ = f"""{function.__doc__.rstrip()}

    Source: mindspore.ops.auto_generate.pyboost_inner_prim.{name} of MindSpore 2.10.
    """
        return function

    return declare


def __getattr__(name):
    """A class that belongs to a function."""
    if name in _CLASSES:
        return _CLASSES[name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__


@_kernel("AdaptiveMaxPool2DPrim_")
def adaptive_max_pool2d_impl(input, output_size):
    """Calls the Primitive `AdaptiveMaxPool2D`."""
    return primitives.AdaptiveMaxPool2D(output_size)(input)


@_kernel("ArgMaxWithValuePrim_")
def argmax_with_value_impl(input, axis, keep_dims):
    """Calls the Primitive `ArgMaxWithValue`."""
    return primitives.ArgMaxWithValue(axis, keep_dims)(input)


@_kernel("ArgMinWithValuePrim_")
def argmin_with_value_impl(input, axis, keep_dims):
    """Calls the Primitive `ArgMinWithValue`."""
    return primitives.ArgMinWithValue(axis, keep_dims)(input)


@_kernel("BatchMatMulPrim_")
def batch_mat_mul_impl(x, y, transpose_a, transpose_b):
    """Calls the Primitive `BatchMatMul`."""
    return primitives.BatchMatMul(transpose_a, transpose_b)(x, y)


@_kernel("BatchNormGradExtPrim_")
def batch_norm_grad_ext_impl(
    dout,
    input,
    weight,
    running_mean,
    running_var,
    saved_mean,
    saved_rstd,
    training,
    eps,
    output_mask,
):
    """Calls the Primitive `BatchNormGradExt`."""
    return primitives.BatchNormGradExt(training, eps)(
        dout, input, weight, running_mean, running_var, saved_mean, saved_rstd, output_mask
    )


@_kernel("BinaryCrossEntropyGradPrim_")
def binary_cross_entropy_grad_impl(input, target, grad_output, weight, reduction):
    """Calls the Primitive `BinaryCrossEntropyGrad`."""
    return primitives.BinaryCrossEntropyGrad(reduction)(input, target, grad_output, weight)


@_kernel("BinaryCrossEntropyPrim_")
def binary_cross_entropy_impl(input, target, weight, reduction):
    """Calls the Primitive `BinaryCrossEntropy`."""
    return primitives.BinaryCrossEntropy(reduction)(input, target, weight)


@_kernel("BCEWithLogitsLossPrim_")
def binary_cross_entropy_with_logits_impl(input, target, weight, posWeight, reduction):
    """Calls the Primitive `BCEWithLogitsLoss`."""
    return primitives.BCEWithLogitsLoss(reduction)(input, target, weight, posWeight)


@_kernel("BroadcastToPrim_")
def broadcast_to_impl(input, shape):
    """Calls the Primitive `BroadcastTo`."""
    return primitives.BroadcastTo(shape)(input)


@_kernel("CdistPrim_")
def cdist_impl(x1, x2, p):
    """Calls the Primitive `Cdist`."""
    return primitives.Cdist(p)(x1, x2)


@_kernel("ConcatPrim_")
def concat_impl(tensors, axis):
    """Calls the Primitive `Concat`."""
    return primitives.Concat(axis)(tensors)


@_kernel("CrossPrim_")
def cross_impl(input, other, dim):
    """Calls the Primitive `Cross`."""
    return primitives.Cross(dim)(input, other)


@_kernel("CummaxPrim_")
def cummax_impl(input, axis):
    """Calls the Primitive `Cummax`."""
    return primitives.Cummax(axis)(input)


@_kernel("EluExtPrim_")
def elu_ext_impl(input, alpha):
    """Calls the Primitive `EluExt`."""
    return primitives.EluExt(alpha)(input)


@_kernel("FlashAttentionScorePrim_")
def flash_attention_score_impl(
    query,
    key,
    value,
    real_shift,
    drop_mask,
    padding_mask,
    attn_mask,
    prefix,
    actual_seq_qlen,
    actual_seq_kvlen,
    head_num,
    keep_prob,
    scale_value,
    pre_tokens,
    next_tokens,
    inner_precise,
    input_layout,
    sparse_mode,
):
    """Calls the Primitive `FlashAttentionScore`."""
    return primitives.FlashAttentionScore(
        head_num,
        keep_prob,
        scale_value,
        pre_tokens,
        next_tokens,
        inner_precise,
        input_layout,
        sparse_mode,
    )(
        query,
        key,
        value,
        real_shift,
        drop_mask,
        padding_mask,
        attn_mask,
        prefix,
        actual_seq_qlen,
        actual_seq_kvlen,
    )


@_kernel("FusedInferAttentionScorePrim_")
def fused_infer_attention_score_impl(
    query,
    key,
    value,
    pse_shift,
    attn_mask,
    actual_seq_lengths,
    actual_seq_lengths_kv,
    dequant_scale1,
    quant_scale1,
    dequant_scale2,
    quant_scale2,
    quant_offset2,
    antiquant_scale,
    antiquant_offset,
    block_table,
    query_padding_size,
    kv_padding_size,
    key_antiquant_scale,
    key_antiquant_offset,
    value_antiquant_scale,
    value_antiquant_offset,
    key_shared_prefix,
    value_shared_prefix,
    actual_shared_prefix_len,
    num_heads,
    scale_value,
    pre_tokens,
    next_tokens,
    input_layout,
    num_key_value_heads,
    sparse_mode,
    inner_precise,
    block_size,
    antiquant_mode,
    softmax_lse_flag,
    key_antiquant_mode,
    value_antiquant_mode,
):
    """Calls the Primitive `FusedInferAttentionScore`."""
    return primitives.FusedInferAttentionScore(
        num_heads,
        scale_value,
        pre_tokens,
        next_tokens,
        input_layout,
        num_key_value_heads,
        sparse_mode,
        inner_precise,
        block_size,
        antiquant_mode,
        softmax_lse_flag,
        key_antiquant_mode,
        value_antiquant_mode,
    )(
        query,
        key,
        value,
        pse_shift,
        attn_mask,
        actual_seq_lengths,
        actual_seq_lengths_kv,
        dequant_scale1,
        quant_scale1,
        dequant_scale2,
        quant_scale2,
        quant_offset2,
        antiquant_scale,
        antiquant_offset,
        block_table,
        query_padding_size,
        kv_padding_size,
        key_antiquant_scale,
        key_antiquant_offset,
        value_antiquant_scale,
        value_antiquant_offset,
        key_shared_prefix,
        value_shared_prefix,
        actual_shared_prefix_len,
    )


@_kernel("GluGradPrim_")
def glu_grad_impl(grads, x, axis):
    """Calls the Primitive `GluGrad`."""
    return primitives.GluGrad(axis)(grads, x)


@_kernel("GLUPrim_")
def glu_impl(x, axis):
    """Calls the Primitive `GLU`."""
    return primitives.GLU(axis)(x)


@_kernel("GridSampler2DGradPrim_")
def grid_sampler_2d_grad_impl(
    grad, input_x, grid, interpolation_mode, padding_mode, align_corners, output_mask
):
    """Calls the Primitive `GridSampler2DGrad`."""
    return primitives.GridSampler2DGrad(
        interpolation_mode, padding_mode, align_corners, output_mask
    )(grad, input_x, grid)


@_kernel("GridSampler2DPrim_")
def grid_sampler_2d_impl(input_x, grid, interpolation_mode, padding_mode, align_corners):
    """Calls the Primitive `GridSampler2D`."""
    return primitives.GridSampler2D(interpolation_mode, padding_mode, align_corners)(input_x, grid)


@_kernel("GridSampler3DGradPrim_")
def grid_sampler_3d_grad_impl(
    grad, input_x, grid, interpolation_mode, padding_mode, align_corners, output_mask
):
    """Calls the Primitive `GridSampler3DGrad`."""
    return primitives.GridSampler3DGrad(
        interpolation_mode, padding_mode, align_corners, output_mask
    )(grad, input_x, grid)


@_kernel("GridSampler3DPrim_")
def grid_sampler_3d_impl(input_x, grid, interpolation_mode, padding_mode, align_corners):
    """Calls the Primitive `GridSampler3D`."""
    return primitives.GridSampler3D(interpolation_mode, padding_mode, align_corners)(input_x, grid)


@_kernel("GroupedMatmulPrim_")
def grouped_matmul_impl(
    x,
    weight,
    bias,
    scale,
    offset,
    antiquant_scale,
    antiquant_offset,
    group_list,
    split_item,
    group_type,
    transpose_a,
    transpose_b,
):
    """Calls the Primitive `GroupedMatmul`."""
    return primitives.GroupedMatmul(split_item, group_type, transpose_a, transpose_b)(
        x, weight, bias, scale, offset, antiquant_scale, antiquant_offset, group_list
    )


@_kernel("HShrinkGradPrim_")
def hshrink_grad_impl(gradients, features, lambd):
    """Calls the Primitive `HShrinkGrad`."""
    return primitives.HShrinkGrad(lambd)(gradients, features)


@_kernel("HShrinkPrim_")
def hshrink_impl(input, lambd):
    """Calls the Primitive `HShrink`."""
    return primitives.HShrink(lambd)(input)


@_kernel("IncreFlashAttentionPrim_")
def incre_flash_attention_impl(
    query,
    key,
    value,
    attn_mask,
    actual_seq_lengths,
    pse_shift,
    dequant_scale1,
    quant_scale1,
    dequant_scale2,
    quant_scale2,
    quant_offset2,
    antiquant_scale,
    antiquant_offset,
    block_table,
    kv_padding_size,
    num_heads,
    input_layout,
    scale_value,
    num_key_value_heads,
    block_size,
    inner_precise,
):
    """Calls the Primitive `IncreFlashAttention`."""
    return primitives.IncreFlashAttention(
        num_heads, input_layout, scale_value, num_key_value_heads, block_size, inner_precise
    )(
        query,
        key,
        value,
        attn_mask,
        actual_seq_lengths,
        pse_shift,
        dequant_scale1,
        quant_scale1,
        dequant_scale2,
        quant_scale2,
        quant_offset2,
        antiquant_scale,
        antiquant_offset,
        block_table,
        kv_padding_size,
    )


@_kernel("IsClosePrim_")
def isclose_impl(input, other, rtol, atol, equal_nan):
    """Calls the Primitive `IsClose`."""
    return primitives.IsClose(rtol, atol, equal_nan)(input, other)


@_kernel("LogSoftmaxGradPrim_")
def log_softmax_grad_impl(logits, grad, axis):
    """Calls the Primitive `LogSoftmaxGrad`."""
    return primitives.LogSoftmaxGrad(axis)(logits, grad)


@_kernel("LogSoftmaxPrim_")
def log_softmax_impl(logits, axis):
    """Calls the Primitive `LogSoftmax`."""
    return primitives.LogSoftmax(axis)(logits)


@_kernel("MatMulPrim_")
def matmul_impl(input, mat2, transpose_a, transpose_b):
    """Calls the Primitive `MatMul`."""
    return primitives.MatMul(transpose_a, transpose_b)(input, mat2)


@_kernel("MaxPoolGradWithIndicesPrim_")
def max_pool_grad_with_indices_impl(
    x, grad, argmax, kernel_size, strides, pads, dilation, ceil_mode, argmax_type
):
    """Calls the Primitive `MaxPoolGradWithIndices`."""
    return primitives.MaxPoolGradWithIndices(
        kernel_size, strides, pads, dilation, ceil_mode, argmax_type
    )(x, grad, argmax)


@_kernel("MaxPoolWithIndicesPrim_")
def max_pool_with_indices_impl(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    """Calls the Primitive `MaxPoolWithIndices`."""
    return primitives.MaxPoolWithIndices(
        kernel_size, strides, pads, dilation, ceil_mode, argmax_type
    )(x)


@_kernel("MeshgridPrim_")
def meshgrid_impl(inputs, indexing):
    """Calls the Primitive `Meshgrid`."""
    return primitives.Meshgrid(indexing)(inputs)


@_kernel("NanToNumPrim_")
def nan_to_num_impl(input, nan, posinf, neginf):
    """Calls the Primitive `NanToNum`."""
    return primitives.NanToNum(nan, posinf, neginf)(input)


@_kernel("NLLLossGradPrim_")
def nllloss_grad_impl(logits, loss_grad, labels, weight, total_weight, reduction, ignore_index):
    """Calls the Primitive `NLLLossGrad`."""
    return primitives.NLLLossGrad(reduction, ignore_index)(
        logits, loss_grad, labels, weight, total_weight
    )


@_kernel("NLLLossPrim_")
def nllloss_impl(logits, labels, weight, reduction, ignore_index):
    """Calls the Primitive `NLLLoss`."""
    return primitives.NLLLoss(reduction, ignore_index)(logits, labels, weight)


@_kernel("OneHotExtPrim_")
def one_hot_ext_impl(tensor, num_classes, on_value, off_value, axis):
    """Calls the Primitive `OneHotExt`."""
    return primitives.OneHotExt(axis)(tensor, num_classes, on_value, off_value)


@_kernel("PromptFlashAttentionPrim_")
def prompt_flash_attention_impl(
    query,
    key,
    value,
    attn_mask,
    actual_seq_lengths,
    actual_seq_lengths_kv,
    pse_shift,
    deq_scale1,
    quant_scale1,
    deq_scale2,
    quant_scale2,
    quant_offset2,
    num_heads,
    scale_value,
    pre_tokens,
    next_tokens,
    input_layout,
    num_key_value_heads,
    sparse_mode,
    inner_precise,
):
    """Calls the Primitive `PromptFlashAttention`."""
    return primitives.PromptFlashAttention(
        num_heads,
        scale_value,
        pre_tokens,
        next_tokens,
        input_layout,
        num_key_value_heads,
        sparse_mode,
        inner_precise,
    )(
        query,
        key,
        value,
        attn_mask,
        actual_seq_lengths,
        actual_seq_lengths_kv,
        pse_shift,
        deq_scale1,
        quant_scale1,
        deq_scale2,
        quant_scale2,
        quant_offset2,
    )


@_kernel("QuantBatchMatmulPrim_")
def quant_batch_matmul_impl(
    x1, x2, scale, offset, bias, pertokenScaleOptional, transpose_x1, transpose_x2, dtype
):
    """Calls the Primitive `QuantBatchMatmul`."""
    return primitives.QuantBatchMatmul(transpose_x1, transpose_x2, dtype)(
        x1, x2, scale, offset, bias, pertokenScaleOptional
    )


@_kernel("ReduceAllPrim_")
def reduce_all_impl(input, axis, keep_dims):
    """Calls the Primitive `ReduceAll`."""
    return primitives.ReduceAll(keep_dims)(input, axis)


@_kernel("ReduceAnyPrim_")
def reduce_any_impl(x, axis, keep_dims):
    """Calls the Primitive `ReduceAny`."""
    return primitives.ReduceAny(keep_dims)(x, axis)


@_kernel("ReduceMaxPrim_")
def reduce_max_impl(x, axis, keep_dims):
    """Calls the Primitive `ReduceMax`."""
    return primitives.ReduceMax(keep_dims)(x, axis)


@_kernel("ReduceMinPrim_")
def reduce_min_impl(x, axis, keep_dims):
    """Calls the Primitive `ReduceMin`."""
    return primitives.ReduceMin(keep_dims)(x, axis)


@_kernel("ReverseV2Prim_")
def reverse_v2_impl(input, axis):
    """Calls the Primitive `ReverseV2`."""
    return primitives.ReverseV2(axis)(input)


@_kernel("RmsNormPrim_")
def rms_norm_impl(x, gamma, epsilon):
    """Calls the Primitive `RmsNorm`."""
    return primitives.RmsNorm(epsilon)(x, gamma)


@_kernel("RollPrim_")
def roll_impl(input, shifts, dims):
    """Calls the Primitive `Roll`."""
    return primitives.Roll(shifts, dims)(input)


@_kernel("SearchSortedPrim_")
def searchsorted_impl(sorted_sequence, values, sorter, dtype, right):
    """Calls the Primitive `SearchSorted`."""
    return primitives.SearchSorted(dtype, right)(sorted_sequence, values, sorter)


@_kernel("SmoothL1LossGradPrim_")
def smooth_l1_loss_grad_impl(prediction, target, dout, beta, reduction):
    """Calls the Primitive `SmoothL1LossGrad`."""
    return primitives.SmoothL1LossGrad(beta, reduction)(prediction, target, dout)


@_kernel("SmoothL1LossPrim_")
def smooth_l1_loss_impl(prediction, target, beta, reduction):
    """Calls the Primitive `SmoothL1Loss`."""
    return primitives.SmoothL1Loss(beta, reduction)(prediction, target)


@_kernel("SoftMarginLossGradPrim_")
def soft_margin_loss_grad_impl(predict, label, dout, reduction):
    """Calls the Primitive `SoftMarginLossGrad`."""
    return primitives.SoftMarginLossGrad(reduction)(predict, label, dout)


@_kernel("SoftMarginLossPrim_")
def soft_margin_loss_impl(input, target, reduction):
    """Calls the Primitive `SoftMarginLoss`."""
    return primitives.SoftMarginLoss(reduction)(input, target)


@_kernel("SoftmaxPrim_")
def softmax_impl(input, axis):
    """Calls the Primitive `Softmax`."""
    return primitives.Softmax(axis)(input)


@_kernel("SoftShrinkGradPrim_")
def softshrink_grad_impl(input_grad, input_x, lambd):
    """Calls the Primitive `SoftShrinkGrad`."""
    return primitives.SoftShrinkGrad(lambd)(input_grad, input_x)


@_kernel("SoftShrinkPrim_")
def softshrink_impl(input, lambd):
    """Calls the Primitive `SoftShrink`."""
    return primitives.SoftShrink(lambd)(input)


@_kernel("SplitPrim_")
def split_impl(input_x, axis, output_num):
    """Calls the Primitive `Split`."""
    return primitives.Split(axis, output_num)(input_x)


@_kernel("SqueezePrim_")
def squeeze_impl(input, axis):
    """Calls the Primitive `Squeeze`."""
    return primitives.Squeeze(axis)(input)


@_kernel("StackExtPrim_")
def stack_ext_impl(tensors, dim):
    """Calls the Primitive `StackExt`."""
    return primitives.StackExt(dim)(tensors)


@_kernel("TriuPrim_")
def triu_impl(input, diagonal):
    """Calls the Primitive `Triu`."""
    return primitives.Triu(diagonal)(input)


@_kernel("UniqueConsecutivePrim_")
def unique_consecutive_impl(input, return_inverse, return_counts, dim):
    """Calls the Primitive `UniqueConsecutive`."""
    return primitives.UniqueConsecutive(return_inverse, return_counts, dim)(input)


@_kernel("UpsampleTrilinear3DGradPrim_")
def upsample_trilinear3d_grad_impl(dy, input_size, output_size, scales, align_corners):
    """Calls the Primitive `UpsampleTrilinear3DGrad`."""
    return primitives.UpsampleTrilinear3DGrad(align_corners)(dy, input_size, output_size, scales)


@_kernel("UpsampleTrilinear3DPrim_")
def upsample_trilinear3d_impl(x, output_size, scales, align_corners):
    """Calls the Primitive `UpsampleTrilinear3D`."""
    return primitives.UpsampleTrilinear3D(align_corners)(x, output_size, scales)


@_kernel("WeightQuantBatchMatmulPrim_")
def weight_quant_batch_matmul_impl(
    x,
    weight,
    antiquant_scale,
    antiquant_offset,
    quant_scale,
    quant_offset,
    bias,
    transpose_x,
    transpose_weight,
    antiquant_group_size,
):
    """Calls the Primitive `WeightQuantBatchMatmul`."""
    return primitives.WeightQuantBatchMatmul(transpose_x, transpose_weight, antiquant_group_size)(
        x, weight, antiquant_scale, antiquant_offset, quant_scale, quant_offset, bias
    )


@_kernel("ApplyRotaryPosEmbPrim_")
def apply_rotary_pos_emb_impl(query, key, cos, sin, position_ids, cos_format):
    """Calls the Primitive `ApplyRotaryPosEmb`."""
    return primitives.ApplyRotaryPosEmb(cos_format)(query, key, cos, sin, position_ids)


@_kernel("FFNExtPrim_")
def ffn_ext_impl(
    x,
    weight1,
    weight2,
    expertTokens,
    bias1,
    bias2,
    scale,
    offset,
    deqScale1,
    deqScale2,
    antiquant_scale1,
    antiquant_scale2,
    antiquant_offset1,
    antiquant_offset2,
    activation,
    inner_precise,
):
    """Calls the Primitive `FFNExt`."""
    return primitives.FFNExt(activation, inner_precise)(
        x,
        weight1,
        weight2,
        expertTokens,
        bias1,
        bias2,
        scale,
        offset,
        deqScale1,
        deqScale2,
        antiquant_scale1,
        antiquant_scale2,
        antiquant_offset1,
        antiquant_offset2,
    )


@_kernel("FlashAttentionScoreGradPrim_")
def flash_attention_score_grad_impl(
    query,
    key,
    value,
    dy,
    pse_shift,
    drop_mask,
    padding_mask,
    atten_mask,
    softmax_max,
    softmax_sum,
    softmax_in,
    attention_in,
    prefix,
    actual_seq_qlen,
    actual_seq_kvlen,
    head_num,
    keep_prob,
    scale_value,
    pre_tokens,
    next_tokens,
    inner_precise,
    input_layout,
    sparse_mode,
):
    """Calls the Primitive `FlashAttentionScoreGrad`."""
    return primitives.FlashAttentionScoreGrad(
        head_num,
        keep_prob,
        scale_value,
        pre_tokens,
        next_tokens,
        inner_precise,
        input_layout,
        sparse_mode,
    )(
        query,
        key,
        value,
        dy,
        pse_shift,
        drop_mask,
        padding_mask,
        atten_mask,
        softmax_max,
        softmax_sum,
        softmax_in,
        attention_in,
        prefix,
        actual_seq_qlen,
        actual_seq_kvlen,
    )


@_kernel("MaxPoolGradWithMaskPrim_")
def max_pool_grad_with_mask_impl(
    x, grad, mask, kernel_size, strides, pads, dilation, ceil_mode, argmax_type
):
    """Calls the Primitive `MaxPoolGradWithMask`."""
    return primitives.MaxPoolGradWithMask(
        kernel_size, strides, pads, dilation, ceil_mode, argmax_type
    )(x, grad, mask)


@_kernel("MaxPoolWithMaskPrim_")
def max_pool_with_mask_impl(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    """Calls the Primitive `MaxPoolWithMask`."""
    return primitives.MaxPoolWithMask(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)(
        x
    )


@_kernel("PagedAttentionPrim_")
def paged_attention_impl(
    query,
    key_cache,
    value_cache,
    block_tables,
    context_lens,
    antiquant_scale,
    antiquant_offset,
    attn_mask,
    q_seq_lens,
    alibi_mask,
    head_num,
    scale_value,
    kv_head_num,
    kv_cache_quant_mode,
    mask_mode,
    mla_v_dim,
):
    """Calls the Primitive `PagedAttention`."""
    return primitives.PagedAttention(
        head_num, scale_value, kv_head_num, kv_cache_quant_mode, mask_mode, mla_v_dim
    )(
        query,
        key_cache,
        value_cache,
        block_tables,
        context_lens,
        antiquant_scale,
        antiquant_offset,
        attn_mask,
        q_seq_lens,
        alibi_mask,
    )


__all__ = sorted([*(name for name in globals() if name.endswith("_impl")), *_CLASSES])
