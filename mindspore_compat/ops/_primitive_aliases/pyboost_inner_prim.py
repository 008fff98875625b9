"""mindspore.ops.auto_generate.pyboost_inner_prim: Primitives as functions, settings and all.

A line of the table is the function, whose parameters are the inputs and then the settings of a
Primitive, and the call that it stands for. They are written out when first asked for. Of each there
is a class too, `MatMulPrim_` of `matmul_impl`, whose calls take all that in one list.
"""

import functools
import re

from ..._core.declare.source import compiled
from .. import auto_generate
from . import grad_ops

_TABLE = """
adaptive_max_pool2d_impl(input, output_size) = AdaptiveMaxPool2D(output_size)(input)
argmax_with_value_impl(input, axis, keep_dims) = ArgMaxWithValue(axis, keep_dims)(input)
argmin_with_value_impl(input, axis, keep_dims) = ArgMinWithValue(axis, keep_dims)(input)
batch_mat_mul_impl(x, y, transpose_a, transpose_b) = BatchMatMul(transpose_a, transpose_b)(x, y)
batch_norm_grad_ext_impl(dout, input, weight, running_mean, running_var, saved_mean, saved_rstd,
    training, eps, output_mask) = BatchNormGradExt(training, eps)(dout, input, weight, running_mean,
    running_var, saved_mean, saved_rstd, output_mask)
binary_cross_entropy_grad_impl(input, target, grad_output, weight, reduction) =
    BinaryCrossEntropyGrad(reduction)(input, target, grad_output, weight)
binary_cross_entropy_impl(input, target, weight, reduction) =
    BinaryCrossEntropy(reduction)(input, target, weight)
binary_cross_entropy_with_logits_impl(input, target, weight, posWeight, reduction) =
    BCEWithLogitsLoss(reduction)(input, target, weight, posWeight)
broadcast_to_impl(input, shape) = BroadcastTo(shape)(input)
cdist_impl(x1, x2, p) = Cdist(p)(x1, x2)
concat_impl(tensors, axis) = Concat(axis)(tensors)
cross_impl(input, other, dim) = Cross(dim)(input, other)
cummax_impl(input, axis) = Cummax(axis)(input)
elu_ext_impl(input, alpha) = EluExt(alpha)(input)
flash_attention_score_impl(query, key, value, real_shift, drop_mask, padding_mask, attn_mask,
    prefix, actual_seq_qlen, actual_seq_kvlen, head_num, keep_prob, scale_value, pre_tokens,
    next_tokens, inner_precise, input_layout, sparse_mode) = FlashAttentionScore(head_num,
    keep_prob, scale_value, pre_tokens, next_tokens, inner_precise, input_layout,
    sparse_mode)(query, key, value, real_shift, drop_mask, padding_mask, attn_mask, prefix,
    actual_seq_qlen, actual_seq_kvlen)
fused_infer_attention_score_impl(query, key, value, pse_shift, attn_mask, actual_seq_lengths,
    actual_seq_lengths_kv, dequant_scale1, quant_scale1, dequant_scale2, quant_scale2,
    quant_offset2, antiquant_scale, antiquant_offset, block_table, query_padding_size,
    kv_padding_size, key_antiquant_scale, key_antiquant_offset, value_antiquant_scale,
    value_antiquant_offset, key_shared_prefix, value_shared_prefix, actual_shared_prefix_len,
    num_heads, scale_value, pre_tokens, next_tokens, input_layout, num_key_value_heads, sparse_mode,
    inner_precise, block_size, antiquant_mode, softmax_lse_flag, key_antiquant_mode,
    value_antiquant_mode) = FusedInferAttentionScore(num_heads, scale_value, pre_tokens,
    next_tokens, input_layout, num_key_value_heads, sparse_mode, inner_precise, block_size,
    antiquant_mode, softmax_lse_flag, key_antiquant_mode, value_antiquant_mode)(query, key, value,
    pse_shift, attn_mask, actual_seq_lengths, actual_seq_lengths_kv, dequant_scale1, quant_scale1,
    dequant_scale2, quant_scale2, quant_offset2, antiquant_scale, antiquant_offset, block_table,
    query_padding_size, kv_padding_size, key_antiquant_scale, key_antiquant_offset,
    value_antiquant_scale, value_antiquant_offset, key_shared_prefix, value_shared_prefix,
    actual_shared_prefix_len)
glu_grad_impl(grads, x, axis) = GluGrad(axis)(grads, x)
glu_impl(x, axis) = GLU(axis)(x)
grid_sampler_2d_grad_impl(grad, input_x, grid, interpolation_mode, padding_mode, align_corners,
    output_mask) = GridSampler2DGrad(interpolation_mode, padding_mode, align_corners,
    output_mask)(grad, input_x, grid)
grid_sampler_2d_impl(input_x, grid, interpolation_mode, padding_mode, align_corners) =
    GridSampler2D(interpolation_mode, padding_mode, align_corners)(input_x, grid)
grid_sampler_3d_grad_impl(grad, input_x, grid, interpolation_mode, padding_mode, align_corners,
    output_mask) = GridSampler3DGrad(interpolation_mode, padding_mode, align_corners,
    output_mask)(grad, input_x, grid)
grid_sampler_3d_impl(input_x, grid, interpolation_mode, padding_mode, align_corners) =
    GridSampler3D(interpolation_mode, padding_mode, align_corners)(input_x, grid)
grouped_matmul_impl(x, weight, bias, scale, offset, antiquant_scale, antiquant_offset,
    group_list, split_item, group_type, transpose_a, transpose_b) = GroupedMatmul(split_item,
    group_type, transpose_a, transpose_b)(x, weight, bias, scale, offset, antiquant_scale,
    antiquant_offset, group_list)
hshrink_grad_impl(gradients, features, lambd) = HShrinkGrad(lambd)(gradients, features)
hshrink_impl(input, lambd) = HShrink(lambd)(input)
incre_flash_attention_impl(query, key, value, attn_mask, actual_seq_lengths, pse_shift,
    dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale,
    antiquant_offset, block_table, kv_padding_size, num_heads, input_layout, scale_value,
    num_key_value_heads, block_size, inner_precise) = IncreFlashAttention(num_heads, input_layout,
    scale_value, num_key_value_heads, block_size, inner_precise)(query, key, value, attn_mask,
    actual_seq_lengths, pse_shift, dequant_scale1, quant_scale1, dequant_scale2, quant_scale2,
    quant_offset2, antiquant_scale, antiquant_offset, block_table, kv_padding_size)
isclose_impl(input, other, rtol, atol, equal_nan) = IsClose(rtol, atol, equal_nan)(input, other)
log_softmax_grad_impl(logits, grad, axis) = LogSoftmaxGrad(axis)(logits, grad)
log_softmax_impl(logits, axis) = LogSoftmax(axis)(logits)
matmul_impl(input, mat2, transpose_a, transpose_b) = MatMul(transpose_a, transpose_b)(input,
    mat2)
max_pool_grad_with_indices_impl(x, grad, argmax, kernel_size, strides, pads, dilation,
    ceil_mode, argmax_type) = MaxPoolGradWithIndices(kernel_size, strides, pads, dilation,
    ceil_mode, argmax_type)(x, grad, argmax)
max_pool_with_indices_impl(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type) =
    MaxPoolWithIndices(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)(x)
meshgrid_impl(inputs, indexing) = Meshgrid(indexing)(inputs)
nan_to_num_impl(input, nan, posinf, neginf) = NanToNum(nan, posinf, neginf)(input)
nllloss_grad_impl(logits, loss_grad, labels, weight, total_weight, reduction, ignore_index) =
    NLLLossGrad(reduction, ignore_index)(logits, loss_grad, labels, weight, total_weight)
nllloss_impl(logits, labels, weight, reduction, ignore_index) = NLLLoss(reduction,
    ignore_index)(logits, labels, weight)
one_hot_ext_impl(tensor, num_classes, on_value, off_value, axis) = OneHotExt(axis)(tensor,
    num_classes, on_value, off_value)
prompt_flash_attention_impl(query, key, value, attn_mask, actual_seq_lengths,
    actual_seq_lengths_kv, pse_shift, deq_scale1, quant_scale1, deq_scale2, quant_scale2,
    quant_offset2, num_heads, scale_value, pre_tokens, next_tokens, input_layout,
    num_key_value_heads, sparse_mode, inner_precise) = PromptFlashAttention(num_heads, scale_value,
    pre_tokens, next_tokens, input_layout, num_key_value_heads, sparse_mode, inner_precise)(query,
    key, value, attn_mask, actual_seq_lengths, actual_seq_lengths_kv, pse_shift, deq_scale1,
    quant_scale1, deq_scale2, quant_scale2, quant_offset2)
quant_batch_matmul_impl(x1, x2, scale, offset, bias, pertokenScaleOptional, transpose_x1,
    transpose_x2, dtype) = QuantBatchMatmul(transpose_x1, transpose_x2, dtype)(x1, x2, scale,
    offset, bias, pertokenScaleOptional)
reduce_all_impl(input, axis, keep_dims) = ReduceAll(keep_dims)(input, axis)
reduce_any_impl(x, axis, keep_dims) = ReduceAny(keep_dims)(x, axis)
reduce_max_impl(x, axis, keep_dims) = ReduceMax(keep_dims)(x, axis)
reduce_min_impl(x, axis, keep_dims) = ReduceMin(keep_dims)(x, axis)
reverse_v2_impl(input, axis) = ReverseV2(axis)(input)
rms_norm_impl(x, gamma, epsilon) = RmsNorm(epsilon)(x, gamma)
roll_impl(input, shifts, dims) = Roll(shifts, dims)(input)
searchsorted_impl(sorted_sequence, values, sorter, dtype, right) = SearchSorted(dtype,
    right)(sorted_sequence, values, sorter)
smooth_l1_loss_grad_impl(prediction, target, dout, beta, reduction) = SmoothL1LossGrad(beta,
    reduction)(prediction, target, dout)
smooth_l1_loss_impl(prediction, target, beta, reduction) = SmoothL1Loss(beta,
    reduction)(prediction, target)
soft_margin_loss_grad_impl(predict, label, dout, reduction) =
    SoftMarginLossGrad(reduction)(predict, label, dout)
soft_margin_loss_impl(input, target, reduction) = SoftMarginLoss(reduction)(input, target)
softmax_impl(input, axis) = Softmax(axis)(input)
softshrink_grad_impl(input_grad, input_x, lambd) = SoftShrinkGrad(lambd)(input_grad, input_x)
softshrink_impl(input, lambd) = SoftShrink(lambd)(input)
split_impl(input_x, axis, output_num) = Split(axis, output_num)(input_x)
squeeze_impl(input, axis) = Squeeze(axis)(input)
stack_ext_impl(tensors, dim) = StackExt(dim)(tensors)
triu_impl(input, diagonal) = Triu(diagonal)(input)
unique_consecutive_impl(input, return_inverse, return_counts, dim) =
    UniqueConsecutive(return_inverse, return_counts, dim)(input)
upsample_trilinear3d_grad_impl(dy, input_size, output_size, scales, align_corners) =
    UpsampleTrilinear3DGrad(align_corners)(dy, input_size, output_size, scales)
upsample_trilinear3d_impl(x, output_size, scales, align_corners) =
    UpsampleTrilinear3D(align_corners)(x, output_size, scales)
weight_quant_batch_matmul_impl(x, weight, antiquant_scale, antiquant_offset, quant_scale,
    quant_offset, bias, transpose_x, transpose_weight, antiquant_group_size) =
    WeightQuantBatchMatmul(transpose_x, transpose_weight, antiquant_group_size)(x, weight,
    antiquant_scale, antiquant_offset, quant_scale, quant_offset, bias)
"""

LINES = {line.split("(", 1)[0]: line for line in _TABLE.replace("\n    ", " ").strip().split("\n")}
_LINE = re.compile(r"((\w+)\(.*?\)) = ((\w+)\(.*\))")


@functools.cache
def _made(name):
    """The function of this name."""
    signature, _, call, prim = _LINE.fullmatch(LINES[name]).groups()
    lines = [f"def {signature}:", f"    return {call}"]
    shown = auto_generate if hasattr(auto_generate, prim) else grad_ops
    scope = compiled(lines, {prim: getattr(shown, prim)}, f"{__name__}.{name}")
    function = scope[name]
    function.__module__ = __name__
    function.__doc__ = (
        f"`{call}`: the Primitive as a function.\n\n"
        f"Source: mindspore.ops.auto_generate.pyboost_inner_prim.{name} of MindSpore 2.10.\n"
    )
    return function


_CLASSES = {_LINE.fullmatch(line)[4] + "Prim_": name for name, line in LINES.items()}
__all__ = sorted([*LINES, *_CLASSES])


@functools.cache
def _class(name):
    """The class of this name, whose calls are those of a function of the table with a list."""
    function = _CLASSES[name]

    def call(self, arguments):
        if not isinstance(arguments, (list, tuple)):
            raise TypeError(f"For '{name}', 'arguments' must be a list, but got {arguments!r} of "
                            f"type {type(arguments).__name__}.")
        return _made(function)(*arguments)

    call.__name__, call.__qualname__ = "__call__", f"{name}.__call__"
    call.__doc__ = f"`{function}(*arguments)`; a TypeError if they are no list."
    return type(name, (), {
        "__call__": call, "__module__": __name__,
        "__doc__": f"""`{function}` with its arguments in one list.

        Source: mindspore.ops.auto_generate.pyboost_inner_prim.{name} of MindSpore 2.10.
        """})


def __getattr__(name):
    """A function of the table, or its class."""
    if name in _CLASSES:
        return _class(name)
    if name not in LINES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return _made(name)


def __dir__():
    return __all__
