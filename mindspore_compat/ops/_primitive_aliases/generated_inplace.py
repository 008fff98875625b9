"""Primitives of `ops.auto_generate` that write into their first input."""

from .alias import Tensor, alias, functional

alias(
    "ops.auto_generate.InnerInplaceIndexPut()(input, indices, values, accumulate=False)",
    "Tensor.index_put_",
)
alias("ops.auto_generate.InplaceAddExt()(input, other, alpha=1)", "Tensor.add_")
alias("ops.auto_generate.InplaceAddmm()(input, mat1, mat2, beta=1, alpha=1)", "Tensor.addmm_")


@alias("ops.auto_generate.InplaceAddr()(input, vec1, vec2, beta=1, alpha=1)")
def inplace_addr(input, vec1, vec2, beta, alpha):
    return Tensor.copy_(input, input.addr(vec1, vec2, beta=beta, alpha=alpha))


alias("ops.auto_generate.InplaceAddsExt()(input, other, alpha=1)", "Tensor.add_")
alias("ops.auto_generate.InplaceClampScalar()(input, min=None, max=None)", "Tensor.clamp_")
alias("ops.auto_generate.InplaceClampTensor()(input, min=None, max=None)", "Tensor.clamp_")
alias("ops.auto_generate.InplaceCopy()(input, src, non_blocking=False)", "Tensor.copy_")
alias("ops.auto_generate.InplaceDiv()(input, other)", "Tensor.div_")
alias("ops.auto_generate.InplaceDivMod()(input, other, rounding_mode=None)", "Tensor.div_")
alias("ops.auto_generate.InplaceDivMods()(input, other, rounding_mode=None)", "Tensor.div_")
alias("ops.auto_generate.InplaceDivs()(input, other)", "Tensor.div_")
alias("ops.auto_generate.InplaceElu()(input, alpha=1.0)", "mint.nn.functional.elu_")
alias("ops.auto_generate.InplaceErfinv()(input)", "Tensor.erfinv_")
alias("ops.auto_generate.InplaceExp()(input)", "Tensor.exp_")
alias(
    "ops.auto_generate.InplaceFillDiagonal()(input, fill_value, wrap=False)",
    "Tensor.fill_diagonal_",
)
alias("ops.auto_generate.InplaceFillScalar()(input, value)", "Tensor.fill_")
alias("ops.auto_generate.InplaceFillTensor()(input, value)", "Tensor.fill_")
alias("ops.auto_generate.InplaceFloor()(input)", "Tensor.floor_")
alias("ops.auto_generate.InplaceFloorDivide()(input, other)", "Tensor.floor_divide_")
alias("ops.auto_generate.InplaceFloorDivides()(input, other)", "Tensor.floor_divide_")
alias(
    "ops.auto_generate.InplaceHardtanh()(input, min_val=-1, max_val=1)",
    lambda input, min_val, max_val: functional.hardtanh(input, min_val, max_val, True),
)
alias(
    "ops.auto_generate.InplaceIndexAddExt()(input, dim, index, source, alpha=1)",
    "Tensor.index_add_",
)
alias("ops.auto_generate.InplaceIndexCopy()(input, dim, index, tensor)", "Tensor.index_copy_")
alias("ops.auto_generate.InplaceIndexFillScalar()(input, dim, index, value)", "Tensor.index_fill_")
alias("ops.auto_generate.InplaceIndexFillTensor()(input, dim, index, value)", "Tensor.index_fill_")
alias(
    "ops.auto_generate.InplaceIndexPut()(input, indices, values, accumulate=False)",
    "Tensor.index_put_",
)
alias("ops.auto_generate.InplaceLog()(input)", "Tensor.log_")
alias("ops.auto_generate.InplaceMaskedFillScalar()(input, mask, value)", "Tensor.masked_fill_")
alias("ops.auto_generate.InplaceMaskedFillTensor()(input, mask, value)", "Tensor.masked_fill_")
alias("ops.auto_generate.InplaceMaskedScatter()(input, mask, source)", "Tensor.masked_scatter_")
alias("ops.auto_generate.InplaceMul()(input, other)", "Tensor.mul_")
alias("ops.auto_generate.InplaceMuls()(input, other)", "Tensor.mul_")
alias("ops.auto_generate.InplacePut()(input, index, source, accumulate=False)", "Tensor.put_")
alias("ops.auto_generate.InplaceReLU()(input)", "mint.nn.functional.relu_")
alias("ops.auto_generate.InplaceRemainderTensorScalar()(input, other)", "Tensor.remainder_")
alias("ops.auto_generate.InplaceRemainderTensorTensor()(input, other)", "Tensor.remainder_")
alias("ops.auto_generate.InplaceScatterAdd()(input, dim, index, src)", "Tensor.scatter_add_")
alias("ops.auto_generate.InplaceScatterSrc()(input, dim, index, src)", "Tensor.scatter_")
alias(
    "ops.auto_generate.InplaceScatterSrcReduce()(input, dim, index, src, reduce)", "Tensor.scatter_"
)


alias("ops.auto_generate.InplaceScatterValue()(input, dim, index, value)", "Tensor.scatter_")
alias(
    "ops.auto_generate.InplaceScatterValueReduce()(input, dim, index, value, reduce)",
    "Tensor.scatter_",
)
alias("ops.auto_generate.InplaceSiLU()(input)", lambda input: functional.silu(input, True))
alias("ops.auto_generate.InplaceSigmoid()(input)", "Tensor.sigmoid_")
alias("ops.auto_generate.InplaceSign()(input)", "Tensor.sign_")
alias("ops.auto_generate.InplaceStopGradient()(input)", "ops.stop_gradient_")
alias("ops.auto_generate.InplaceSubExt()(input, other, alpha=1)", "Tensor.sub_")
alias("ops.auto_generate.InplaceSubScalar()(input, other, alpha=1)", "Tensor.sub_")
alias("ops.auto_generate.InplaceTanh()(input)", "Tensor.tanh_")
alias(
    "ops.auto_generate.InplaceThreshold()(input, threshold, value)",
    lambda input, threshold, value: functional.threshold(input, threshold, value, True),
)
alias("ops.auto_generate.InplaceZero()(input)", "Tensor.zero_")
