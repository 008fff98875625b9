"""The Primitives of `ops.auto_generate` that say again what a function says: one table.

A line is the Primitive's own signature and the call that it stands for, or the first result of it;
where that call is left out, the function takes the inputs, and then the settings, in the order
told. Random ones draw from the generator that has the seed and the offset (`at`). The classes are
written out when first asked for. Primitives with arithmetic of their own are declared by the files
of their subject, under `ops.auto_generate`.
"""

import ast
import functools
import re

from ..._core.declare.public_api import build
from ..._core.declare.source import compiled
from ..._core.tensor.dtype import int64
from ...common.generator import Generator
from ..primitive import Primitive

_TABLE = """
AcosExt()(input) = mint.acos
AcoshExt()(input) = mint.acosh
AdaptiveAvgPool1D()(input, output_size) = mint.nn.functional.adaptive_avg_pool1d
AdaptiveAvgPool2DExt()(input, output_size) = mint.nn.functional.adaptive_avg_pool2d
AdaptiveAvgPool3DExt()(input, output_size) = mint.nn.functional.adaptive_avg_pool3d
AdaptiveMaxPool1D()(input, output_size)
    = mint.nn.functional.adaptive_max_pool1d(input, output_size, True)
AddExt()(input, other, alpha=1) = mint.add(input, other, alpha=alpha)
AddLayerNormV2()(x1, x2, gamma, beta, epsilon=1e-05, additionalOut=False) = ops.add_layer_norm
AddRmsNorm()(x1, x2, gamma, epsilon=1e-06) = ops.add_rms_norm
AddScalar()(input, other, alpha=1) = mint.add(input, other, alpha=alpha)
Addbmm()(input, batch1, batch2, beta=1, alpha=1)
    = mint.addbmm(input, batch1, batch2, beta=beta, alpha=alpha)
AddcdivExt()(input, tensor1, tensor2, value=1) = ops.addcdiv
AddcmulExt()(input, tensor1, tensor2, value=1) = ops.addcmul
Addmm()(input, mat1, mat2, beta=1, alpha=1) = mint.addmm(input, mat1, mat2, beta=beta, alpha=alpha)
Addmv()(input, mat, vec, beta=1, alpha=1) = mint.addmv(input, mat, vec, beta=beta, alpha=alpha)
AllGatherMatmul()(input, x2, group, world_size, bias=None, gather_index=0, gather_output=True,
    comm_turn=0, trans_input=False, trans_x2=False)
    = ops.all_gather_matmul(input, x2, group, world_size, bias=bias, gather_index=gather_index,
    gather_output=gather_output, comm_turn=comm_turn, trans_input=trans_input, trans_x2=trans_x2)
Any()(input) = mint.any
AnyExt()(input, dim, keepdim=False) = mint.any
Arange()(start, end, step, dtype=None) = mint.arange(start, end, step, dtype=dtype)
ArgMaxExt()(input, dim=None, keepdim=False) = mint.argmax
ArgMinExt()(input, dim=None, keepdim=False) = mint.argmin
ArgSort()(input, dim=-1, descending=False, stable=False) = mint.argsort
AsinExt()(input) = mint.asin
AsinhExt()(input) = mint.asinh
Atan2Ext()(input, other) = mint.atan2
AtanExt()(input) = mint.atan
AvgPool1D()(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True)
    = mint.nn.functional.avg_pool1d
AvgPool2D()(input, kernel_size, stride, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None) = mint.nn.functional.avg_pool2d
AvgPool3DExt()(input, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True,
    divisor_override=None) = mint.nn.functional.avg_pool3d
Baddbmm()(input, batch1, batch2, beta=1, alpha=1)
    = mint.baddbmm(input, batch1, batch2, beta=beta, alpha=alpha)
BatchMatMulExt()(input, mat2) = mint.bmm
BatchNormElemt()(input, weight=None, bias=None, mean=None, invstd=None, eps=1e-05)
    = mint.batch_norm_elemt
BatchNormGatherStatsWithCounts()(input, mean, invstd, running_mean=None, running_var=None,
    momentum=0.1, eps=1e-05, counts=None) = mint.batch_norm_gather_stats_with_counts
BatchNormStats()(input, eps) = mint.batch_norm_stats
BernoulliExt()(input, seed, offset) = mint.bernoulli(input, generator=at(seed, offset))
BincountExt()(input, weights=None, minlength=0) = mint.bincount
BitwiseAndScalar()(input, other) = mint.bitwise_and
BitwiseAndTensor()(input, other) = mint.bitwise_and
BitwiseNot()(input) = mint.bitwise_not
BitwiseOrScalar()(input, other) = mint.bitwise_or
BitwiseOrTensor()(input, other) = mint.bitwise_or
BitwiseXorScalar()(input, other) = mint.bitwise_xor
BitwiseXorTensor()(input, other) = mint.bitwise_xor
BroadcastToView()(input, shape) = mint.broadcast_to
Chunk()(input, chunks, dim=0) = mint.chunk
ChunkView()(input, chunks, dim=0) = mint.chunk
ClampScalar()(input, min=None, max=None) = mint.clamp
ClampTensor()(input, min=None, max=None) = mint.clamp
Clone()(input) = mint.clone
Col2ImExt()(input, output_size, kernel_size, dilation=1, padding=0, stride=1)
    = mint.nn.functional.fold
Col2ImGrad()(input, kernel_size, dilation=1, padding=0, stride=1) = mint.nn.functional.unfold
ConstantPadND()(input, padding, value=0.0)
    = mint.nn.functional.pad(input, padding, 'constant', value)
Contiguous()(input) = Tensor.contiguous
Conv1DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    = mint.nn.functional.conv1d
Conv1DPadding()(input, weight, bias=None, stride=1, padding='valid', dilation=1, groups=1)
    = mint.nn.functional.conv1d
Conv2DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    = mint.nn.functional.conv2d
Conv2DPadding()(input, weight, bias=None, stride=1, padding='valid', dilation=1, groups=1)
    = mint.nn.functional.conv2d
Conv3DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, groups=1)
    = mint.nn.functional.conv3d
Conv3DPadding()(input, weight, bias=None, stride=1, padding='valid', dilation=1, groups=1)
    = mint.nn.functional.conv3d
ConvTbc()(input, weight, bias, pad=0) = mint.conv_tbc
ConvTranspose2D()(input, weight, bias=None, stride=1, padding=0, output_padding=0, groups=1,
    dilation=1) = mint.nn.functional.conv_transpose2d
Copy()(input) = mint.clone
CosineEmbeddingLoss()(input1, input2, target, margin=0.0, reduction='mean')
    = mint.nn.functional.cosine_embedding_loss
CumminExt()(input, dim) = mint.cummin
CumsumExt()(input, dim, dtype=None) = mint.cumsum
DCT()(x, type=2, n=None, axis=-1, norm=None) = scipy.fft.dct
DCTN()(x, type=2, s=None, axes=None, norm=None) = scipy.fft.dctn
DiagExt()(input, diagonal=0) = mint.diag
Diagonal(offset=0, dim1=0, dim2=1)(input) = ops.diagonal(input, offset, dim1, dim2)
DiagonalView()(input, offset=0, dim1=0, dim2=1) = mint.diagonal
DivMod()(input, other, rounding_mode=None) = mint.div(input, other, rounding_mode=rounding_mode)
DivMods()(input, other, rounding_mode=None) = mint.div(input, other, rounding_mode=rounding_mode)
Divs()(input, other) = mint.div
Dot()(input, other) = mint.dot
EinsumExt()(equation, operands) = mint.einsum(equation, *operands)
EluExt(alpha=1.0)(input) = mint.nn.functional.elu
Embedding()(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False)
    = mint.nn.functional.embedding
Empty()(size, dtype=None, device=None, pin_memory=False)
    = mint.empty(*size, dtype=dtype, device=device, pin_memory=pin_memory)
EmptyLike()(input, dtype=None, device=None, pin_memory=False)
    = mint.empty_like(input, dtype=dtype, device=device, pin_memory=pin_memory)
EqScalar()(input, other) = mint.eq
EqualExt()(input, other) = mint.equal
Exp2()(input) = mint.exp2
ExpandAs()(input, other) = ops.expand_as
ExpandDimsView()(input, dim) = ops.expand_dims
FFT()(input, n=None, dim=-1, norm=None) = ops.fft
FFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.fft2
FFTFreq()(n, d=1.0, dtype=None) = ops.fftfreq
FFTN()(input, s=None, dim=None, norm=None) = ops.fftn
FFTShift()(input, dim=None) = ops.fftshift
FillScalar()(size, fill_value, dtype=None) = mint.full(size, fill_value, dtype=dtype)
FillTensor()(size, fill_value, dtype=None) = mint.full(size, fill_value, dtype=dtype)
FlattenExt()(input, start_dim=0, end_dim=-1) = mint.flatten
FloorDivScalar()(input, other) = mint.floor_divide
FmodScalar()(input, other) = mint.fmod
FmodTensor()(input, other) = mint.fmod
Frac()(input) = mint.frac
FullLike()(input, fill_value, dtype=None) = mint.full_like(input, fill_value, dtype=dtype)
FuncMaxPool2D()(input, kernel_size, stride=None, padding=0, dilation=(1, 1), ceil_mode=False,
    return_indices=False) = mint.nn.functional.max_pool2d
FusedInferAttentionScore(num_heads=1, scale_value=1.0, pre_tokens=2147483647,
    next_tokens=2147483647, input_layout='BSH', num_key_value_heads=0, sparse_mode=0,
    inner_precise=1, block_size=0, antiquant_mode=0, softmax_lse_flag=False, key_antiquant_mode=0,
    value_antiquant_mode=0)(query, key, value, pse_shift=None, attn_mask=None,
    actual_seq_lengths=None, actual_seq_lengths_kv=None, dequant_scale1=None, quant_scale1=None,
    dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None,
    antiquant_offset=None, block_table=None, query_padding_size=None, kv_padding_size=None,
    key_antiquant_scale=None, key_antiquant_offset=None, value_antiquant_scale=None,
    value_antiquant_offset=None, key_shared_prefix=None, value_shared_prefix=None,
    actual_shared_prefix_len=None)
    = ops.fused_infer_attention_score(query, key, value, pse_shift=pse_shift, atten_mask=attn_mask,
    actual_seq_lengths=actual_seq_lengths, actual_seq_lengths_kv=actual_seq_lengths_kv,
    dequant_scale1=dequant_scale1, quant_scale1=quant_scale1, dequant_scale2=dequant_scale2,
    quant_scale2=quant_scale2, quant_offset2=quant_offset2, antiquant_scale=antiquant_scale,
    antiquant_offset=antiquant_offset, key_antiquant_scale=key_antiquant_scale,
    key_antiquant_offset=key_antiquant_offset, value_antiquant_scale=value_antiquant_scale,
    value_antiquant_offset=value_antiquant_offset, block_table=block_table,
    query_padding_size=query_padding_size, kv_padding_size=kv_padding_size,
    key_shared_prefix=key_shared_prefix, value_shared_prefix=value_shared_prefix,
    actual_shared_prefix_len=actual_shared_prefix_len, num_heads=num_heads, scale=scale_value,
    pre_tokens=pre_tokens, next_tokens=next_tokens, input_layout=input_layout,
    num_key_value_heads=num_key_value_heads, sparse_mode=sparse_mode, inner_precise=inner_precise,
    block_size=block_size, antiquant_mode=antiquant_mode, key_antiquant_mode=key_antiquant_mode,
    value_antiquant_mode=value_antiquant_mode, softmax_lse_flag=softmax_lse_flag)
GatherNdExt()(input, indices) = ops.gather_nd
GeluExt()(input, approximate='none') = mint.nn.functional.gelu(input, approximate=approximate)
GreaterEqualScalar()(input, other) = mint.ge
GroupedMatmulV2()(x, weight, bias=None, scale=None, offset=None, antiquant_scale=None,
    antiquant_offset=None, group_list=None, split_item=0, group_type=-1)
    = ops.auto_generate.grouped_matmul
HFFT()(input, n=None, dim=-1, norm=None) = ops.hfft
HFFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.hfft2
HFFTN()(input, s=None, dim=None, norm=None) = ops.hfftn
Hardtanh()(input, min_val=-1, max_val=1) = mint.nn.functional.hardtanh
HistcExt()(input, bins=100, min=0, max=0) = mint.histc
IDCT()(x, type=2, n=None, axis=-1, norm=None) = scipy.fft.idct
IDCTN()(x, type=2, s=None, axes=None, norm=None) = scipy.fft.idctn
IFFT()(input, n=None, dim=-1, norm=None) = ops.ifft
IFFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.ifft2
IFFTN()(input, s=None, dim=None, norm=None) = ops.ifftn
IFFTShift()(input, dim=None) = ops.ifftshift
IHFFT()(input, n=None, dim=-1, norm=None) = ops.ihfft
IHFFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.ihfft2
IHFFTN()(input, s=None, dim=None, norm=None) = ops.ihfftn
IRFFT()(input, n=None, dim=-1, norm=None) = ops.irfft
IRFFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.irfft2
IRFFTN()(input, s=None, dim=None, norm=None) = ops.irfftn
Im2ColExt()(input, kernel_size, dilation=1, padding=0, stride=1) = mint.nn.functional.unfold
ImagView()(input) = mint.imag
IncreFlashAttention(num_heads=1, input_layout='BSH', scale_value=1.0, num_key_value_heads=0,
    block_size=0, inner_precise=1)(query, key, value, attn_mask=None, actual_seq_lengths=None,
    pse_shift=None, dequant_scale1=None, quant_scale1=None, dequant_scale2=None, quant_scale2=None,
    quant_offset2=None, antiquant_scale=None, antiquant_offset=None, block_table=None,
    kv_padding_size=None)
    = ops.incre_flash_attention(query, key, value, attn_mask, actual_seq_lengths, pse_shift,
    dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, antiquant_scale,
    antiquant_offset, block_table, num_heads, input_layout, scale_value, num_key_value_heads,
    block_size, inner_precise, kv_padding_size)
Index()(input, indices) = ops.tuple_getitem(input, tuple(indices))
IndexAddExt()(input, dim, index, source, alpha=1)
    = mint.index_add(input, dim, index, source, alpha=alpha)
IndexFillScalar()(input, dim, index, value) = Tensor.index_fill
IndexFillTensor()(input, dim, index, value) = Tensor.index_fill
IndexSelect()(input, dim, index) = mint.index_select
InnerIndex()(input, indices) = ops.tuple_getitem(input, tuple(indices))
InnerInplaceIndexPut()(input, indices, values, accumulate=False) = Tensor.index_put_
InnerMoeTokenUnpermute()(permuted_tokens, sorted_indices, probs=None, padded_mode=False,
    restore_shape=None) = ops.moe_token_unpermute
InnerNonZero()(input) = mint.nonzero
InplaceAddExt()(input, other, alpha=1) = Tensor.add_(input, other, alpha=alpha)
InplaceAddmm()(input, mat1, mat2, beta=1, alpha=1)
    = Tensor.addmm_(input, mat1, mat2, beta=beta, alpha=alpha)
InplaceAddr()(input, vec1, vec2, beta=1, alpha=1)
    = Tensor.copy_(input, input.addr(vec1, vec2, beta=beta, alpha=alpha))
InplaceAddsExt()(input, other, alpha=1) = Tensor.add_(input, other, alpha=alpha)
InplaceBernoulliScalar()(input, p, seed, offset)
    = Tensor.bernoulli_(input, p, generator=at(seed, offset))
InplaceBernoulliTensor()(input, p, seed, offset)
    = Tensor.bernoulli_(input, p, generator=at(seed, offset))
InplaceClampScalar()(input, min=None, max=None) = Tensor.clamp_
InplaceClampTensor()(input, min=None, max=None) = Tensor.clamp_
InplaceCopy()(input, src, non_blocking=False) = Tensor.copy_
InplaceDiv()(input, other) = Tensor.div_
InplaceDivMod()(input, other, rounding_mode=None)
    = Tensor.div_(input, other, rounding_mode=rounding_mode)
InplaceDivMods()(input, other, rounding_mode=None)
    = Tensor.div_(input, other, rounding_mode=rounding_mode)
InplaceDivs()(input, other) = Tensor.div_
InplaceElu()(input, alpha=1.0) = mint.nn.functional.elu_
InplaceErfinv()(input) = Tensor.erfinv_
InplaceExp()(input) = Tensor.exp_
InplaceExponential()(input, lambd, seed, offset)
    = Tensor.exponential_(input, lambd, generator=at(seed, offset))
InplaceFillDiagonal()(input, fill_value, wrap=False) = Tensor.fill_diagonal_
InplaceFillScalar()(input, value) = Tensor.fill_
InplaceFillTensor()(input, value) = Tensor.fill_
InplaceFloor()(input) = Tensor.floor_
InplaceFloorDivide()(input, other) = Tensor.floor_divide_
InplaceFloorDivides()(input, other) = Tensor.floor_divide_
InplaceHardtanh()(input, min_val=-1, max_val=1)
    = mint.nn.functional.hardtanh(input, min_val, max_val, True)
InplaceIndexAddExt()(input, dim, index, source, alpha=1)
    = Tensor.index_add_(input, dim, index, source, alpha=alpha)
InplaceIndexCopy()(input, dim, index, tensor) = Tensor.index_copy_
InplaceIndexFillScalar()(input, dim, index, value) = Tensor.index_fill_
InplaceIndexFillTensor()(input, dim, index, value) = Tensor.index_fill_
InplaceIndexPut()(input, indices, values, accumulate=False) = Tensor.index_put_
InplaceLog()(input) = Tensor.log_
InplaceMaskedFillScalar()(input, mask, value) = Tensor.masked_fill_
InplaceMaskedFillTensor()(input, mask, value) = Tensor.masked_fill_
InplaceMaskedScatter()(input, mask, source) = Tensor.masked_scatter_
InplaceMul()(input, other) = Tensor.mul_
InplaceMuls()(input, other) = Tensor.mul_
InplaceNormal()(input, mean, std, seed, offset)
    = Tensor.normal_(input, mean, std, generator=at(seed, offset))
InplacePut()(input, index, source, accumulate=False) = Tensor.put_
InplaceRandom()(input, from_=0, to=None, seed=0, offset=0)
    = Tensor.random_(input, from_, to, generator=at(seed, offset))
InplaceReLU()(input) = mint.nn.functional.relu_
InplaceRemainderTensorScalar()(input, other) = Tensor.remainder_
InplaceRemainderTensorTensor()(input, other) = Tensor.remainder_
InplaceScatterAdd()(input, dim, index, src) = Tensor.scatter_add_
InplaceScatterSrc()(input, dim, index, src) = Tensor.scatter_
InplaceScatterSrcReduce()(input, dim, index, src, reduce)
    = Tensor.scatter_(input, dim, index, src, reduce=reduce)
InplaceScatterValue()(input, dim, index, value) = Tensor.scatter_(input, dim, index, value=value)
InplaceScatterValueReduce()(input, dim, index, value, reduce)
    = Tensor.scatter_(input, dim, index, value=value, reduce=reduce)
InplaceSiLU()(input) = mint.nn.functional.silu(input, True)
InplaceSigmoid()(input) = Tensor.sigmoid_
InplaceSign()(input) = Tensor.sign_
InplaceStopGradient()(input) = ops.stop_gradient_
InplaceSubExt()(input, other, alpha=1) = Tensor.sub_(input, other, alpha=alpha)
InplaceSubScalar()(input, other, alpha=1) = Tensor.sub_(input, other, alpha=alpha)
InplaceTanh()(input) = Tensor.tanh_
InplaceThreshold()(input, threshold, value)
    = mint.nn.functional.threshold(input, threshold, value, True)
InplaceUniform()(input, from_, to, seed, offset)
    = Tensor.uniform_(input, from_, to, generator=at(seed, offset))
InplaceZero()(input) = Tensor.zero_
IsNegInf()(input) = mint.isneginf
KLDiv()(input, target, reduction='mean', log_target=False)
    = mint.nn.functional.kl_div(input, target, reduction, log_target)
Kthvalue()(input, k, dim=-1, keepdim=False) = mint.kthvalue
L1LossExt()(input, target, reduction='mean') = mint.nn.functional.l1_loss
LeakyReLUExt()(input, negative_slope=0.01) = mint.nn.functional.leaky_relu
LessScalar()(input, other) = mint.lt
LightningIndexer()(query, key, weights, actual_seq_lengths_query=None,
    actual_seq_lengths_key=None, block_table=None, layout_query='BSND', layout_key='BSND',
    sparse_count=2048, sparse_mode=3, pre_tokens=9223372036854775807,
    next_tokens=9223372036854775807, return_value=False)
    = ops.lightning_indexer(query, key, weights, actual_seq_lengths_query=actual_seq_lengths_query,
    actual_seq_lengths_key=actual_seq_lengths_key, block_table=block_table,
    layout_query=layout_query, layout_key=layout_key, sparse_count=sparse_count,
    sparse_mode=sparse_mode, pre_tokens=pre_tokens, next_tokens=next_tokens,
    return_value=return_value)
LinSpaceExt()(start, end, steps, dtype=None) = mint.linspace(start, end, steps, dtype=dtype)
LinalgQr()(A, mode='reduced') = mint.linalg.qr
LinalgVectorNorm()(x, ord=2, dim=None, keepdim=False, dtype=None)
    = mint.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)
Log10()(input) = mint.log10
Log2()(input) = mint.log2
LogAddExp()(input, other) = mint.logaddexp
LogAddExp2()(input, other) = mint.logaddexp2
LogSumExp()(input, dim, keepdim=False) = mint.logsumexp
MSELossExt()(input, target, reduction='mean') = mint.nn.functional.mse_loss
MaskedFillScalar()(input, mask, value) = mint.masked_fill
MatMulExt()(input, other) = mint.matmul
MatmulReduceScatter()(input, x2, group, world_size, reduce_op='sum', bias=None, comm_turn=0,
    trans_input=False, trans_x2=False)
    = ops.matmul_reduce_scatter(input, x2, group, world_size, reduce_op=reduce_op, bias=bias,
    comm_turn=comm_turn, trans_input=trans_input, trans_x2=trans_x2)
MatrixInverseExt()(input) = ops.matrix_inverse
Max()(input) = mint.max
MaxDim()(input, dim, keepdim=False) = mint.max
MaxPoolWithIndices(kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False,
    argmax_type=int64)(x)
    = ops.MaxPoolWithArgmaxV2(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)(x)
MaxUnpool2DExt()(input, indices, kernel_size, stride=None, padding=0, output_size=None)
    = mint.nn.functional.max_unpool2d
MeanExt()(input, dim=None, keepdim=False, dtype=None) = mint.mean(input, dim, keepdim, dtype=dtype)
MedianDim()(input, dim=-1, keepdim=False) = mint.median
MedianExt()(input) = mint.median
Min()(input) = mint.min
MinDim()(input, dim, keepdim=False) = mint.min
MishExt()(input) = mint.nn.functional.mish
Mm()(input, mat2) = mint.mm
MoeDistributeCombine()(expand_x, expert_ids, expand_idx, ep_send_counts, expert_scales,
    ep_world_size, ep_rank_id, moe_expert_num, tp_send_counts=None, x_active_mask=None,
    activate_scale=None, weight_scale=None, group_list=None, expand_scales=None, group_ep=None,
    group_tp=None, tp_world_size=0, tp_rank_id=0, expert_shard_type=0, shared_expert_num=0,
    shared_export_rank_num=0, global_bs=0, out_dtype=0, common_quant_mode=0, group_list_type=0)
    = ops.moe_distribute_combine
MoeDistributeDispatch()(x, expert_ids, ep_world_size, ep_rank_id, moe_expert_num,
    expert_scales=None, scales=None, x_active_mask=None, group_ep=None, group_tp=None,
    tp_world_size=0, tp_rank_id=0, expert_shard_type=0, shared_expert_num=0,
    shared_expert_rank_num=0, quant_mode=0, global_bs=0, expert_token_nums_type=0)
    = ops.moe_distribute_dispatch
Muls()(input, other) = mint.mul
MultinomialExt()(input, num_samples, replacement, seed, offset)
    = mint.multinomial(input, num_samples, replacement, generator=at(seed, offset))
Mv()(input, vec) = mint.mv
Nansum()(input, dim=None, keepdim=False, dtype=None)
    = mint.nansum(input, dim, keepdim, dtype=dtype)
Narrow()(input, dim, start, length) = mint.narrow
NarrowView()(input, dim, start, length) = mint.narrow
NewEmpty()(input, size, dtype=None, device=None)
    = Tensor.new_empty(input, size, dtype=dtype, device=device)
NewFull()(input, size, fill_value, dtype=None)
    = Tensor.new_full(input, size, fill_value, dtype=dtype)
NewOnes()(input, size, dtype=None) = Tensor.new_ones(input, size, dtype=dtype)
NewZeros()(input, size, dtype=None) = Tensor.new_zeros(input, size, dtype=dtype)
NonZeroExt()(input) = mint.nonzero(input, as_tuple=True)
Norm()(input, p=2.0, dim=None, keepdim=False, dtype=None)
    = mint.norm(input, p, dim, keepdim, dtype=dtype)
NormalFloatFloat()(mean, std, size, seed, offset)
    = mint.normal(mean, std, size, at(seed, offset))
NormalFloatTensor()(mean, std, seed, offset) = mint.normal(mean, std, generator=at(seed, offset))
NormalTensorFloat()(mean, std, seed, offset) = mint.normal(mean, std, generator=at(seed, offset))
NormalTensorTensor()(mean, std, seed, offset) = mint.normal(mean, std, generator=at(seed, offset))
NpuGelu()(input, approximate='none') = mint.npu_gelu
NsaCompress()(input, weight, compress_block_size, compress_stride, actual_seq_len=None)
    = ops.nsa_compress(input, weight, compress_block_size, compress_stride,
    actual_seq_len=actual_seq_len)
MoeTokenPermuteGrad()(permuted_tokens_grad, sorted_indices, num_topk=1, padded_mode=False)
    = ops.moe_token_unpermute(permuted_tokens_grad, sorted_indices, ones(sorted_indices, num_topk,
    permuted_tokens_grad), padded_mode)
NsaCompressAttention()(query, key, value, scale_value, head_num, compress_block_size,
    compress_stride, select_block_size, select_block_count, topk_mask=None, atten_mask=None,
    actual_seq_qlen=None, actual_cmp_seq_kvlen=None, actual_sel_seq_kvlen=None)
    = ops.nsa_compress_attention(query, key, value, scale_value, head_num, compress_block_size,
    compress_stride, select_block_size, select_block_count, topk_mask=topk_mask,
    atten_mask=atten_mask, actual_seq_qlen=actual_seq_qlen,
    actual_cmp_seq_kvlen=actual_cmp_seq_kvlen, actual_sel_seq_kvlen=actual_sel_seq_kvlen)
NsaSelectAttention()(query, key, value, topk_indices, scale_value, head_num, select_block_size,
    select_block_count, atten_mask=None, actual_seq_qlen=None, actual_seq_kvlen=None)
    = ops.nsa_select_attention(query, key, value, topk_indices, scale_value, head_num,
    select_block_size, select_block_count, atten_mask=atten_mask, actual_seq_qlen=actual_seq_qlen,
    actual_seq_kvlen=actual_seq_kvlen)
OneHotExt(axis=-1)(tensor, num_classes, on_value, off_value)
    = ops.one_hot(tensor, num_classes, on_value, off_value, axis)
OnesLikeExt()(input, dtype=None) = mint.ones_like(input, dtype=dtype)
Outer()(input, vec2) = mint.outer
PixelShuffle()(input, upscale_factor) = mint.nn.functional.pixel_shuffle
PowScalarTensor()(input, exponent) = mint.pow
PowTensorScalar()(input, exponent) = mint.pow
ProdExt()(input, dim=None, keepdim=False, dtype=None) = mint.prod(input, dim, keepdim, dtype=dtype)
PromptFlashAttention(num_heads=1, scale_value=1.0, pre_tokens=2147483647, next_tokens=0,
    input_layout='BSH', num_key_value_heads=0, sparse_mode=0, inner_precise=1)(query, key, value,
    attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None,
    deq_scale1=None, quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None)
    = ops.prompt_flash_attention
RFFT()(input, n=None, dim=-1, norm=None) = ops.rfft
RFFT2()(input, s=None, dim=(-2, -1), norm=None) = ops.rfft2
RFFTFreq()(n, d=1.0, dtype=None) = ops.rfftfreq
RFFTN()(input, s=None, dim=None, norm=None) = ops.rfftn
RandExt()(shape, seed, offset, dtype=None, device=None)
    = mint.rand(*shape, generator=at(seed, offset), dtype=dtype, device=device)
RandInt()(low, high, shape, seed, offset, dtype=None, device=None)
    = mint.randint(low, high, shape, generator=at(seed, offset), dtype=dtype, device=device)
RandIntLike()(input, low, high, seed, offset, dtype=None, device=None)
    = mint.randint(low, high, input.shape, generator=at(seed, offset), dtype=dtype or input.dtype,
    device=device)
RandLikeExt()(tensor, seed, offset, dtype=None, device=None)
    = mint.rand(*tensor.shape, generator=at(seed, offset), dtype=dtype or tensor.dtype,
    device=device)
Randn()(shape, seed, offset, dtype=None, device=None)
    = mint.randn(*shape, generator=at(seed, offset), dtype=dtype, device=device)
RandnLike()(input, seed, offset, dtype=None, device=None)
    = mint.randn(*input.shape, generator=at(seed, offset), dtype=dtype or input.dtype,
    device=device)
RandpermExt()(n, seed, offset, dtype=int64)
    = mint.randperm(n, generator=at(seed, offset), dtype=dtype)
RealView()(input) = mint.real
ReflectionPad1D()(input, padding) = mint.nn.functional.pad(input, padding, 'reflect')
ReflectionPad2D()(input, padding) = mint.nn.functional.pad(input, padding, 'reflect')
ReflectionPad3D()(input, padding) = mint.nn.functional.pad(input, padding, 'reflect')
RemainderScalarTensor()(input, other) = mint.remainder
RemainderTensorScalar()(input, other) = mint.remainder
RemainderTensorTensor()(input, other) = mint.remainder
Repeat()(input, repeats) = Tensor.repeat
RepeatInterleaveInt()(input, repeats, dim=None, output_size=None)
    = mint.repeat_interleave(input, repeats, dim, output_size=output_size)
RepeatInterleaveTensor()(input, repeats, dim=None, output_size=None)
    = mint.repeat_interleave(input, repeats, dim, output_size=output_size)
ReplicationPad1D()(input, padding) = mint.nn.functional.pad(input, padding, 'replicate')
ReplicationPad2D()(input, padding) = mint.nn.functional.pad(input, padding, 'replicate')
ReplicationPad3D()(input, padding) = mint.nn.functional.pad(input, padding, 'replicate')
RotatedIou()(boxes, query_boxes, trans=False, mode=0, is_cross=True, v_threshold=0.0,
    e_threshold=0.0) = ops.rotated_iou(boxes.swapaxes(1, 2), query_boxes.swapaxes(1, 2), trans,
    mode, is_cross, v_threshold, e_threshold)
Scatter()(input, dim, index, src, reduce='none')
    = Tensor.scatter_(input.copy(), dim, index, src, reduce=None if reduce == 'none' else reduce)
ScatterAddExt()(input, dim, index, src) = mint.scatter_add
ScatterValue()(input, dim, index, src, reduce='none')
    = Tensor.scatter_(input.copy(), dim, index, src, reduce=None if reduce == 'none' else reduce)
SeLUExt()(input) = mint.nn.functional.selu
SelectExtView()(input, dim, index) = mint.select
SelectV2()(condition, input, other) = mint.where
SequenceConcat(axis=0)(x) = ops.cat
SiLU()(input) = mint.nn.functional.silu
SliceExt()(input, dim, start, end, step)
    = ops.tuple_getitem(input, along(input.ndim, dim, slice(start, end, step)))
SliceExtView()(input, dim, start, end, step)
    = ops.tuple_getitem(input, along(input.ndim, dim, slice(start, end, step)))
SoftplusExt()(input, beta=1, threshold=20) = mint.nn.functional.softplus
SolveTriangular()(a, b, trans=0, lower=False, unit_diagonal=False)
    = mint.triangular_solve(b, a.conj() if trans == 2 else a, not lower, trans > 0,
    unit_diagonal)[0]
SortExt()(input, dim=-1, descending=False, stable=False)
    = mint.sort(input, dim=dim, descending=descending, stable=stable)
SparseFlashAttention()(query, key, value, sparse_indices, scale_value, block_table=None,
    actual_seq_lengths_query=None, actual_seq_lengths_kv=None, query_rope=None, key_rope=None,
    sparse_block_size=1, layout_query='BSND', layout_kv='BSND', sparse_mode=3,
    pre_tokens=9223372036854775807, next_tokens=9223372036854775807, attention_mode=0,
    return_softmax_lse=False)
    = ops.sparse_flash_attention(query, key, value, sparse_indices, scale_value,
    block_table=block_table, actual_seq_lengths_query=actual_seq_lengths_query,
    actual_seq_lengths_kv=actual_seq_lengths_kv, query_rope=query_rope, key_rope=key_rope,
    sparse_block_size=sparse_block_size, layout_query=layout_query, layout_kv=layout_kv,
    sparse_mode=sparse_mode, pre_tokens=pre_tokens, next_tokens=next_tokens,
    attention_mode=attention_mode, return_softmax_lse=return_softmax_lse)
SplitTensor()(input, split_size, dim=0) = mint.split
SplitTensorView()(input, split_size, dim=0) = mint.split
SplitWithSize()(input, split_size, dim=0) = mint.split
SplitWithSizeView()(input, split_size, dim=0) = mint.split
StackExt(dim=0)(tensors) = mint.stack
Std()(input, dim=None, correction=1, keepdim=False)
    = mint.std(input, dim, correction=correction, keepdim=keepdim)
StdMean()(input, dim=None, correction=1, keepdim=False)
    = mint.std_mean(input, dim, correction=correction, keepdim=keepdim)
SubExt()(input, other, alpha=1) = mint.sub(input, other, alpha=alpha)
SubScalar()(input, other, alpha=1) = mint.sub(input, other, alpha=alpha)
SumExt()(input, dim=None, keepdim=False, dtype=None) = mint.sum(input, dim, keepdim, dtype=dtype)
Swiglu()(input, dim=-1) = ops.swiglu
TExt()(input) = mint.t
Take()(input, index) = mint.take
Threshold()(input, threshold, value) = mint.nn.functional.threshold
ToDtype()(input, dtype=None, non_blocking=False, copy=False)
    = Tensor.to(input, dtype, non_blocking=non_blocking, copy=copy)
ToOther()(input, other, non_blocking=False, copy=False)
    = Tensor.to(input, other, non_blocking=non_blocking, copy=copy)
TopkExt()(input, k, dim=-1, largest=True, sorted=True) = mint.topk
TraceExt()(input) = mint.trace
TraceV2()(input, offset=0, axis1=1, axis2=0, dtype=None)
    = Tensor.trace(input, offset, axis1, axis2, dtype)
TriangularSolve()(b, A, upper=True, transpose=False, unitriangular=False) = mint.triangular_solve
TrilExt()(input, diagonal=0) = mint.tril
UniformExt()(tensor, a, b, seed, offset)
    = Tensor.uniform_(tensor.copy(), a, b, generator=at(seed, offset))
UnstackExtView()(input, dim=0) = mint.unbind
UpsampleBicubic2D()(x, output_size=None, scales=None, align_corners=False)
    = mint.nn.functional.interpolate(x, output_size, scales, 'bicubic', align_corners)
UpsampleBilinear2D()(x, output_size=None, scales=None, align_corners=False)
    = mint.nn.functional.interpolate(x, output_size, scales, 'bilinear', align_corners)
UpsampleLinear1D()(x, output_size=None, scales=None, align_corners=False)
    = mint.nn.functional.interpolate(x, output_size, scales, 'linear', align_corners)
UpsampleNearest1D()(x, output_size=None, scales=None)
    = mint.nn.functional.interpolate(x, output_size, scales, 'nearest')
UpsampleNearest2D()(x, output_size=None, scales=None)
    = mint.nn.functional.interpolate(x, output_size, scales, 'nearest')
Var()(input, dim=None, correction=1, keepdim=False)
    = mint.var(input, dim, correction=correction, keepdim=keepdim)
VarMean()(input, dim=None, correction=1, keepdim=False)
    = mint.var_mean(input, dim, correction=correction, keepdim=keepdim)
Vdot()(input, other) = mint.vdot
View()(input, shape) = Tensor.view
ViewAs()(input, other) = ops.view_as
ViewDtype()(input, dtype) = Tensor.view
XLogYScalarOther()(input, other) = mint.xlogy
XLogYScalarSelf()(input, other) = mint.xlogy
ZerosLikeExt()(input, dtype=None) = mint.zeros_like(input, dtype=dtype)
"""

LINES = {line.split("(", 1)[0]: line for line in _TABLE.replace("\n    ", " ").strip().split("\n")}
_LINE = re.compile(r"(\w+)\((.*?)\)\((.*)\) = ([\w.]+)(?:\((.*)\)(\[0\])?)?")
_made = {}


def made(name):
    """The Primitive of this name, or None if the table has none."""
    if name in LINES and name not in _made:
        _made[name] = _make(*_LINE.fullmatch(LINES[name]).groups())
    return _made.get(name)


def _make(name, settings, inputs, path, call, part):
    held, given = _names(settings), _names(inputs)
    call = ", ".join(given + held) if call is None else call
    lines = [
        f"def __init__({', '.join(filter(None, ['self', settings]))}):",
        f"    base.__init__(self, {name!r})",
        *(f"    self.{n} = {n}" for n in held),
        "",
        f"def __call__(self, {inputs}):",
        *(f"    {n} = self.{n}" for n in held),
        f"    return found({path!r})({call}){part or ''}",
    ]
    scope = compiled(lines, {"base": Primitive, **_SCOPE}, f"ops.auto_generate.{name}")
    return type(
        name,
        (Primitive,),
        {
            "__init__": scope["__init__"],
            "__call__": scope["__call__"],
            "__module__": "mindspore_compat.ops.auto_generate",
            "__doc__": f"`{path}` as a Primitive: `{name}({settings})({inputs})`.\n\n"
            f"Source: mindspore.ops.auto_generate.{name} of MindSpore 2.10.\n",
        },
    )


def _names(parameters):
    """The names in "a, b=1, c=(2, 3)"."""
    return [each.arg for each in ast.parse(f"def f({parameters}): pass").body[0].args.args]


@functools.cache
def _found(path):
    """The function of a public path."""
    area, _, name = path.rpartition(".")
    return build(area, name, Primitive) if area == "ops" else build(area, name)


def _at(seed, offset):
    """A generator of random numbers that has this seed and has been asked so often."""
    made = Generator()
    made._stream.restore((int(seed), int(offset)))
    return made


def _along(rank, dim, part):
    """The index that takes a slice along one axis."""
    if not -rank <= dim < rank:
        raise ValueError(f"For 'SliceExt', 'dim' must be in [{-rank}, {rank}), but got {dim}.")
    return (slice(None),) * (dim % rank) + (part,)


def _ones(places, copies, like):
    """A weight of 1 for each copy of each token."""
    return build("ops", "ones")((places.shape[0] // copies, copies), like.dtype)


_SCOPE = {"found": _found, "ones": _ones, "at": _at, "along": _along, "int64": int64}
