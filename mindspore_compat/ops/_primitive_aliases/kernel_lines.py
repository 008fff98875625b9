"""Primitives of `ops.auto_generate` that the original runs on an Ascend alone, by their formulas.

A line of `_TABLE` is the Primitive's signature and the expression that it stands for, over the
functions of `ops`, `mint` and `mint.distributed`, the methods of Tensor, and what `more`
(kernel_arithmetic.py) and `peers` (kernel_communication.py) hold; a line with one pair of brackets
is a function.
`_PULLED` has gradients, written as those of _primitive_aliases/grad_lines.py are.

A collective writes into the Tensors it is given and gives (what it gives, a handle to wait on);
members of a group are told by their place in the group.
"""

import ast
import functools

from ..._core.declare.public_api import _groups as groups
from ..._core.declare.source import compiled
from ..primitive import Primitive
from . import kernel_arithmetic, kernel_communication
from .grad_lines import _Names as Names
from .grad_lines import class_of, lines_of

AREA = "ops.auto_generate"
_TABLE = """
AShardIdentity()(input) = input
AdamW()(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps, amsgrad=False,
    maximize=False) = more.adam_w(var, m, v, max_v, gradient, step, lr, beta1, beta2, decay, eps,
    amsgrad, maximize)
ApplyAdamW()(var, m, v, beta1_power, beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad,
    max_grad_norm=None, amsgrad=False, maximize=False) = more.apply_adam_w(var, m, v, beta1_power,
    beta2_power, lr, weight_decay, beta1, beta2, epsilon, grad, max_grad_norm, amsgrad, maximize)
AsStrided()(input, size, stride, storage_offset=0)
    = more.as_strided(input, size, stride, storage_offset)
BatchNormElemtGrad()(dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count)
    = more.batch_norm_elemt_grad(dout, input, mean, invstd, weight, sumd_dy, sum_dy_xmu, count)
BatchNormExt()(input, weight=None, bias=None, running_mean=None, runnning_var=None, training=False,
    momentum=0.1, epsilon=1e-05) = more.batch_norm_ext(input, weight, bias, running_mean,
    runnning_var, training, momentum, epsilon)
BatchNormGradExt(training=False, eps=1e-05)(dout, input, weight=None, running_mean=None,
    running_var=None, saved_mean=None, saved_rstd=None, output_mask=(1, 1, 1))
    = more.batch_norm_grad_ext(dout, input, weight, running_mean, running_var, saved_mean,
    saved_rstd, training, eps)
BatchNormReduceGrad()(dout, input, mean, invstd, weight, input_g, weight_g, bias_g)
    = more.batch_norm_reduce_grad(dout, input, mean, invstd)
Convolution()(input, weight, bias=None, stride=1, padding=0, dilation=1, transposed=False,
    output_padding=0, groups=1) = more.convolution(input, weight, bias, stride, padding, dilation,
    transposed, output_padding, groups)
ConvolutionStr()(input, weight, bias=None, stride=1, padding='valid', dilation=1, transposed=False,
    output_padding=0, groups=1) = more.convolution(input, weight, bias, stride, padding, dilation,
    transposed, output_padding, groups)
CrossEntropyLoss()(input, target, weight=None, reduction='mean', ignore_index=-100,
    label_smoothing=0.0, lse_square_scale_for_zloss=0.0, return_zloss=False)
    = more.cross_entropy_loss(input, target, weight, reduction, ignore_index, label_smoothing,
    lse_square_scale_for_zloss)
DistCommAllGather()(tensor_list, input, rank_size, group, async_op=True)
    = (tensor_list, distributed.all_gather(tensor_list, input, group, async_op))
DistCommAllGatherIntoTensor()(other, input, rank_size, group, async_op=True)
    = (other, distributed.all_gather_into_tensor(other, input, group, async_op))
DistCommAllGatherIntoTensorUneven()(other, input, output_split_sizes, rank_size, group,
    async_op=True) = (other, distributed.all_gather_into_tensor_uneven(other, input,
    output_split_sizes or None, group, async_op))
DistCommAllReduce()(input, op_type, group, async_op=True)
    = (input, distributed.all_reduce(input, op_type, group, async_op))
DistCommAllToAllV()(other, input, group, send_numel_list, recv_numel_list, rank_size, async_op=True)
    = peers.exchanged_into(other, input, group, send_numel_list, recv_numel_list, async_op)
DistCommAllToAllVSingle()(other, input, group, send_numel_list, recv_numel_list, rank_size,
    split_sizes_empty, async_op=True)
    = peers.exchanged_into(other, input, group, send_numel_list, recv_numel_list, async_op)
DistCommAllToAllVC()(other, input, group, send_count_matrix, rank_size, rank_id, async_op=True)
    = (other, communication.all_to_all_v_c(other, input, send_count_matrix, group, async_op))
DistCommBarrier()(group, async_op=True) = (None, distributed.barrier(group, async_op))
DistCommBatchIsendIrecv()(input, group, op_types, remotes_ranks)
    = peers.started(input, group, op_types, remotes_ranks)
DistCommBroadcast()(input, src, rank_id, group, async_op=True)
    = (input, distributed.broadcast(input, peers.member(group, src), group, async_op))
DistCommGather()(input, gather_list, rank_size, dst, rank_id, group, async_op=True)
    = (gather_list, distributed.gather(input, gather_list, peers.member(group, dst), group,
    async_op))
DistCommGatherIntoTensor()(other, input, rank_size, dst, rank_id, group, async_op=True)
    = (other, communication.gather_into_tensor(other, input, peers.member(group, dst), group,
    async_op))
DistCommIrecv()(input, tag, src, group)
    = (input, distributed.irecv(input, peers.member(group, src), group, tag))
DistCommIsend()(input, dst, group, tag)
    = (input, distributed.isend(input, peers.member(group, dst), group, tag))
DistCommReduce()(input, op_type, dst, group, async_op=True)
    = (input, distributed.reduce(input, peers.member(group, dst), op_type, group, async_op))
DistCommReduceScatter()(other, input_list, rank_size, op_type, group, async_op=True)
    = (other, distributed.reduce_scatter(other, input_list, op_type, group, async_op))
DistCommReduceScatterTensor()(other, input, rank_size, op_type, group, async_op=True)
    = (other, distributed.reduce_scatter_tensor(other, input, op_type, group, async_op))
DistCommReduceScatterTensorUneven()(other, input, input_split_size, rank_size, op_type, group,
    async_op=True) = (other, distributed.reduce_scatter_tensor_uneven(other, input,
    input_split_size or None, op_type, group, async_op))
DistCommScatter()(other, scatter_list, rank_size, src, rank_id, group, async_op=True)
    = (other, distributed.scatter(other, scatter_list, peers.member(group, src), group, async_op))
DistCommScatterTensor()(other, input, rank_size, src, rank_id, group, async_op=True)
    = (other, communication.scatter_tensor(other, input, peers.member(group, src), group, async_op))
Dropout2dExt()(input, p, training, inplace, seed, offset)
    = more.dropout_by_channel(input, p, training, inplace, seed, offset)
DropoutDoMaskExt()(input, mask, p) = more.drop(input, mask, p)
DropoutExt()(input, p, seed, offset) = more.dropout(input, p, seed, offset)
DropoutGenMaskExt()(shape, p, seed, offset, dtype) = more.packed_mask(shape, p, seed, offset)
DropoutGradExt()(input, mask, p) = more.drop(input, mask, p)
FuncDropoutExt()(input, p, training, inplace, seed, offset)
    = more.dropout_in_training(input, p, training, inplace, seed, offset)
FusedAddTopKDiv()(x, add_num, group_num, group_topk, n, k, activate_type=0, is_norm=True, scale=2.5,
    mapping_num=None, mapping_table=None, enable_expert_mapping=False)
    = more.fused_add_topk_div(x, add_num, group_num, group_topk, n, k, activate_type, is_norm,
    scale, mapping_num, mapping_table, enable_expert_mapping)
Gmm()(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0)
    = more.gmm(x, weight, bias, group_list, group_type, group_list_type)
GmmV2()(x, weight, bias=None, group_list=None, group_type=0, group_list_type=0)
    = more.gmm(x, weight, bias, group_list, group_type, group_list_type)
GmmBackward()(grad, x, weight, group_list=None, group_list_type=0)
    = more.gmm_backward(grad, x, weight, group_list, group_list_type)
GmmV2Backward()(grad, x, weight, group_list=None, group_list_type=0)
    = more.gmm_backward(grad, x, weight, group_list, group_list_type)
GmmBackwardFusion()(grad, weight, group_list=None, group_list_type=0)
    = more.gmm_to_inputs(grad, weight, group_list, group_list_type)
GmmV2BackwardFusion()(grad, weight, group_list=None, group_list_type=0)
    = more.gmm_to_inputs(grad, weight, group_list, group_list_type)
InnerCommAllGather()(input, rank_size, group, async_op=True)
    = peers.gathered(input, rank_size, group, async_op)
InnerCommAllReduce()(input, op_type, group, async_op=True)
    = peers.reduced(input, op_type, group, async_op)
InnerCommAllToAllV()(input, group, send_numel_list, recv_numel_list, rank_size, split_sizes_empty,
    async_op=True) = peers.exchanged(input, group, send_numel_list, recv_numel_list, async_op)
InnerCommIrecv()(tag, src, shape, group, dtype) = peers.received(tag, src, shape, group, dtype)
InnerCommIsend()(input, dst, group, tag)
    = (input, distributed.isend(input, peers.member(group, dst), group, tag))
InnerCommReduceScatter()(input, rank_size, op_type, group, async_op=True)
    = peers.reduced_parts(input, rank_size, op_type, group, async_op)
InnerUnique()(input, sorted=True, return_inverse=False) = mint.unique(input, sorted, True)
InplaceGroupedMatmulAdd()(x, weight, group_list, out)
    = more.grouped_matmul_add_(x, weight, group_list, out)
InplaceMatmulAdd()(x, weight, C) = Tensor.add_(C, mint.matmul(more.turned(x), weight))
KVCacheScatterUpdate()(var, indices, updates, axis, reduce='none')
    = more.kv_cache_scatter_update(var, indices, updates, axis)
LogSigmoid()(input) = (functional.logsigmoid(input), mint.exp(-mint.abs(input)))
LpNormV2()(input, p=2, dim=None, keepdim=False, epsilon=1e-12) = mint.norm(input, p, dim, keepdim)
MatmulAllReduceAddRmsNorm()(x1, x2, bias, residual, gamma, epsilon, group, reduce_op='sum',
    comm_turn=0, stream_mode=1) = more.matmul_all_reduce_add_rms_norm(x1, x2, bias, residual, gamma,
    epsilon, group, reduce_op)
MoeGatingTopKSoftmax()(x, finished=None, k=1) = more.moe_gating_top_k_softmax(x, finished, k)
MoeInitRouting()(x, row_idx, expert_idx, active_num)
    = more.moe_init_routing(x, row_idx, expert_idx, active_num)
NLLLoss2d()(input, target, weight, reduction='mean', ignore_index=-100)
    = more.nll_loss_2d(input, target, weight, reduction, ignore_index)
QuantBatchMatmul(transpose_x1=False, transpose_x2=False, dtype=float16)(x1, x2, scale, offset=None,
    bias=None, pertokenScaleOptional=None) = more.quant_batch_matmul(x1, x2, scale, offset, bias,
    pertokenScaleOptional, transpose_x1, transpose_x2, dtype)
RepeatInterleaveGrad()(input, repeats, dim) = more.repeat_interleave_grad(input, repeats, dim)
TensorCopySlices()(x, value, begin, end, strides)
    = more.tensor_copy_slices(x, value, begin, end, strides)
TransposeBatchMatmulTranspose()(input, weight, perm_in, perm_out, transpose_a=False,
    transpose_b=False) = ops.transpose(ops.BatchMatMul(transpose_a, transpose_b)(
    ops.transpose(input, perm_in), weight), perm_out)
TypeAs()(input, other) = ops.cast(input, other.dtype)
Unique2()(input, sorted=True, return_inverse=False, return_counts=False)
    = mint.unique(input, sorted, True, True)
UniqueDim()(input, sorted, return_inverse, dim) = mint.unique(input, sorted, True, True, dim)
WeightQuantBatchMatmul(transpose_x=False, transpose_weight=False, antiquant_group_size=0)(x, weight,
    antiquant_scale, antiquant_offset=None, quant_scale=None, quant_offset=None, bias=None)
    = more.weight_quant_batch_matmul(x, weight, antiquant_scale, antiquant_offset, quant_scale,
    quant_offset, bias, transpose_x, transpose_weight, antiquant_group_size)
div_scalar_(input, other) = Tensor.div_(input, other)
div_tensor_(input, other) = Tensor.div_(input, other)
divmod_scalar_(input, other, rounding_mode=None)
    = Tensor.div_(input, other, rounding_mode=rounding_mode)
divmod_tensor_(input, other, rounding_mode=None)
    = Tensor.div_(input, other, rounding_mode=rounding_mode)
fill_diagonal_(input, fill_value, wrap=False) = Tensor.fill_diagonal_(input, fill_value, wrap)
grouped_matmul_add_(x, weight, group_list, out)
    = more.grouped_matmul_add_(x, weight, group_list, out)
masked_fill_tensor_(input, mask, value) = Tensor.masked_fill_(input, mask, value)
matmul_add_(x, weight, C) = Tensor.add_(C, mint.matmul(more.turned(x), weight))
quant_batch_matmul(x1, x2, scale, offset=None, bias=None, pertokenScaleOptional=None,
    transpose_x1=False, transpose_x2=False, dtype=float16) = more.quant_batch_matmul(x1, x2, scale,
    offset, bias, pertokenScaleOptional, transpose_x1, transpose_x2, dtype)
shard_identity(input) = input
sub_tensor_(input, other, alpha=1) = Tensor.sub_(input, other, alpha=alpha)
weight_quant_batch_matmul(x, weight, antiquant_scale, antiquant_offset=None, quant_scale=None,
    quant_offset=None, bias=None, transpose_x=False, transpose_weight=False, antiquant_group_size=0)
    = more.weight_quant_batch_matmul(x, weight, antiquant_scale, antiquant_offset, quant_scale,
    quant_offset, bias, transpose_x, transpose_weight, antiquant_group_size)
"""

_PULLED = """
ConvolutionGrad()(dout, input, weight, bias=None, stride=1, padding=0, dilation=(1, 1),
    transposed=False, output_padding=0, groups=1, output_mask=()): dout through
    more.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
    groups) for input, weight, bias from (input, weight, more.bias_of(dout, bias))
ConvolutionStrGrad()(dout, input, weight, bias=None, stride=1, padding='valid', dilation=1,
    transposed=False, output_padding=0, groups=1, output_mask=()): dout through
    more.convolution(input, weight, bias, stride, padding, dilation, transposed, output_padding,
    groups) for input, weight, bias from (input, weight, more.bias_of(dout, bias))
CrossEntropyLossGrad()(grad_loss, log_prob, target, weight=None, grad_zloss=None,
    lse_for_zloss=None, reduction='mean', ignore_index=-100, label_smoothing=0.0,
    lse_square_scale_for_zloss=0.0): grad_loss through functional.cross_entropy(log_prob, target,
    weight, ignore_index, reduction, label_smoothing) for log_prob
LayerNormGradExt()(dy, x, normalized_shape, mean, variance, gamma, beta, output_mask=(1, 1, 1)): dy
    through functional.layer_norm(x, normalized_shape, gamma, beta) for x, gamma, beta
MoeTokenUnpermuteGrad()(permuted_tokens, unpermuted_tokens_grad, sorted_indices, probs=None,
    padded_mode=False, restore_shape=None): unpermuted_tokens_grad through
    ops.moe_token_unpermute(permuted_tokens, sorted_indices, probs, padded_mode, restore_shape)
    for permuted_tokens, probs from (permuted_tokens, more.probs_of(sorted_indices, permuted_tokens,
    probs))
NLLLoss2dGrad()(loss_grad, input, target, weight, reduction, ignore_index, total_weight): loss_grad
    through functional.nll_loss(input, target, weight, ignore_index, reduction) for input
RotaryPositionEmbeddingGrad()(dy, cos, sin, dx=None, mode=0): dy through
    ops.rotary_position_embedding(dx, cos, sin, mode) for dx, cos, sin
    from (dy if dx is None else dx, cos, sin)
"""

LINES = lines_of(_TABLE)
PULLED = lines_of(_PULLED)
_SCOPE = {"ops": Names("ops"), "mint": Names("mint"), "functional": Names("mint.nn.functional"),
          "distributed": Names("mint.distributed"), "communication": Names("ops.communication"),
          "Tensor": Names("Tensor"), "more": kernel_arithmetic, "peers": kernel_communication,
          "float16": kernel_arithmetic.float16, "base": Primitive}
__all__ = sorted([*LINES, *PULLED])


@functools.cache
def made(name):
    """The Primitive or function of this name, or None if the tables have none."""
    if name in PULLED:
        return class_of(PULLED[name], AREA, {"more": kernel_arithmetic})
    if name not in LINES:
        return None
    signature, _, result = LINES[name].partition(") = ")
    parts = groups(signature + ")")
    return (_class if len(parts) == 2 else _function)(name, *parts, result)


def _class(name, settings, inputs, result):
    held = [each.arg for each in ast.parse(f"def f({settings}): pass").body[0].args.args]
    lines = [f"def __init__({', '.join(filter(None, ['self', settings]))}):",
             f"    base.__init__(self, {name!r})",
             *(f"    self.{each} = {each}" for each in held),
             "",
             f"def __call__(self, {inputs}):",
             *(f"    {each} = self.{each}" for each in held),
             f"    return {result}"]
    scope = compiled(lines, dict(_SCOPE), f"{AREA}.{name}")
    return type(name, (Primitive,), {
        "__init__": scope["__init__"], "__call__": scope["__call__"],
        "__module__": f"mindspore_compat.{AREA}",
        "__doc__": f"`{name}({settings})({inputs})`: `{result}`.\n\n"
                   f"Source: mindspore.{AREA}.{name} of MindSpore 2.10.\n"})


def _function(name, inputs, result):
    made = compiled([f"def {name}({inputs}):", f"    return {result}"], dict(_SCOPE),
                    f"{AREA}.{name}")[name]
    made.__module__ = f"mindspore_compat.{AREA}"
    made.__doc__ = (f"`{result}`.\n\nSource: mindspore.{AREA}.{name} of MindSpore 2.10.\n")
    return made
