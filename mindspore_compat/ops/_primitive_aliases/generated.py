"""Primitives of `ops.auto_generate` that say again what a function says.

Those of layers, those that write in place, draw random numbers or serve attention and experts have
files of their own; Primitives with arithmetic of their own are declared by the files of their
subject.
"""

from .alias import Tensor, alias, mint, ops


def _along(rank, dim, part):
    """The index that takes a slice along one axis."""
    if not -rank <= dim < rank:
        raise ValueError(f"For 'SliceExt', 'dim' must be in [{-rank}, {rank}), but got {dim}.")
    return (slice(None),) * (dim % rank) + (part,)


alias("ops.auto_generate.AcosExt()(input)", "mint.acos")
alias("ops.auto_generate.AcoshExt()(input)", "mint.acosh")
alias("ops.auto_generate.AddExt()(input, other, alpha=1)", "mint.add")
alias(
    "ops.auto_generate.AddLayerNormV2()(x1, x2, gamma, beta, epsilon=1e-05, additionalOut=False)",
    "ops.add_layer_norm",
)
alias("ops.auto_generate.AddRmsNorm()(x1, x2, gamma, epsilon=1e-06)", "ops.add_rms_norm")
alias("ops.auto_generate.AddScalar()(input, other, alpha=1)", "mint.add")
alias("ops.auto_generate.Addbmm()(input, batch1, batch2, beta=1, alpha=1)", "mint.addbmm")
alias("ops.auto_generate.AddcdivExt()(input, tensor1, tensor2, value=1)", "ops.addcdiv")
alias("ops.auto_generate.AddcmulExt()(input, tensor1, tensor2, value=1)", "ops.addcmul")
alias("ops.auto_generate.Addmm()(input, mat1, mat2, beta=1, alpha=1)", "mint.addmm")
alias("ops.auto_generate.Addmv()(input, mat, vec, beta=1, alpha=1)", "mint.addmv")
alias("ops.auto_generate.Any()(input)", "mint.any")
alias("ops.auto_generate.AnyExt()(input, dim, keepdim=False)", "mint.any")
alias("ops.auto_generate.Arange()(start, end, step, dtype=None)", "mint.arange")
alias("ops.auto_generate.ArgMaxExt()(input, dim=None, keepdim=False)", "mint.argmax")
alias("ops.auto_generate.ArgMinExt()(input, dim=None, keepdim=False)", "mint.argmin")
alias("ops.auto_generate.ArgSort()(input, dim=-1, descending=False, stable=False)", "mint.argsort")
alias("ops.auto_generate.AsinExt()(input)", "mint.asin")
alias("ops.auto_generate.AsinhExt()(input)", "mint.asinh")
alias("ops.auto_generate.Atan2Ext()(input, other)", "mint.atan2")
alias("ops.auto_generate.AtanExt()(input)", "mint.atan")
alias("ops.auto_generate.Baddbmm()(input, batch1, batch2, beta=1, alpha=1)", "mint.baddbmm")
alias("ops.auto_generate.BatchMatMulExt()(input, mat2)", "mint.bmm")
alias(
    "ops.auto_generate.BatchNormElemt()(input, weight=None, bias=None, mean=None, invstd=None, "
    "eps=1e-05)",
    "mint.batch_norm_elemt",
)
alias("ops.auto_generate.BatchNormStats()(input, eps)", "mint.batch_norm_stats")
alias("ops.auto_generate.BincountExt()(input, weights=None, minlength=0)", "mint.bincount")
alias("ops.auto_generate.BitwiseAndScalar()(input, other)", "mint.bitwise_and")
alias("ops.auto_generate.BitwiseAndTensor()(input, other)", "mint.bitwise_and")
alias("ops.auto_generate.BitwiseNot()(input)", "mint.bitwise_not")
alias("ops.auto_generate.BitwiseOrScalar()(input, other)", "mint.bitwise_or")
alias("ops.auto_generate.BitwiseOrTensor()(input, other)", "mint.bitwise_or")
alias("ops.auto_generate.BitwiseXorScalar()(input, other)", "mint.bitwise_xor")
alias("ops.auto_generate.BitwiseXorTensor()(input, other)", "mint.bitwise_xor")
alias("ops.auto_generate.BroadcastToView()(input, shape)", "mint.broadcast_to")
alias("ops.auto_generate.Chunk()(input, chunks, dim=0)", "mint.chunk")
alias("ops.auto_generate.ChunkView()(input, chunks, dim=0)", "mint.chunk")
alias("ops.auto_generate.ClampScalar()(input, min=None, max=None)", "mint.clamp")
alias("ops.auto_generate.ClampTensor()(input, min=None, max=None)", "mint.clamp")
alias("ops.auto_generate.Clone()(input)", "mint.clone")
alias("ops.auto_generate.Contiguous()(input)", "Tensor.contiguous")
alias("ops.auto_generate.ConvTbc()(input, weight, bias, pad=0)", "mint.conv_tbc")
alias("ops.auto_generate.Copy()(input)", "mint.clone")
alias("ops.auto_generate.CumminExt()(input, dim)", "mint.cummin")
alias("ops.auto_generate.CumsumExt()(input, dim, dtype=None)", "mint.cumsum")
alias("ops.auto_generate.DCT()(x, type=2, n=None, axis=-1, norm=None)", "scipy.fft.dct")
alias("ops.auto_generate.DCTN()(x, type=2, s=None, axes=None, norm=None)", "scipy.fft.dctn")
alias("ops.auto_generate.DiagExt()(input, diagonal=0)", "mint.diag")
alias("ops.auto_generate.Diagonal(offset=0, dim1=0, dim2=1)(input)", "ops.diagonal")
alias("ops.auto_generate.DiagonalView()(input, offset=0, dim1=0, dim2=1)", "mint.diagonal")
alias("ops.auto_generate.DivMod()(input, other, rounding_mode=None)", "mint.div")
alias("ops.auto_generate.DivMods()(input, other, rounding_mode=None)", "mint.div")
alias("ops.auto_generate.Divs()(input, other)", "mint.div")
alias("ops.auto_generate.Dot()(input, other)", "mint.dot")
alias(
    "ops.auto_generate.EinsumExt()(equation, operands)",
    lambda equation, operands: mint.einsum(equation, *operands),
)


@alias("ops.auto_generate.Empty()(size, dtype=None, device=None, pin_memory=False)")
def empty(size, dtype, device, pin_memory):
    return mint.empty(*size, dtype=dtype, device=device, pin_memory=pin_memory)


alias(
    "ops.auto_generate.EmptyLike()(input, dtype=None, device=None, pin_memory=False)",
    "mint.empty_like",
)
alias("ops.auto_generate.EqScalar()(input, other)", "mint.eq")
alias("ops.auto_generate.EqualExt()(input, other)", "mint.equal")
alias("ops.auto_generate.Exp2()(input)", "mint.exp2")
alias("ops.auto_generate.ExpandAs()(input, other)", "ops.expand_as")
alias("ops.auto_generate.ExpandDimsView()(input, dim)", "ops.expand_dims")
alias("ops.auto_generate.FFT()(input, n=None, dim=-1, norm=None)", "ops.fft")
alias("ops.auto_generate.FFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.fft2")
alias("ops.auto_generate.FFTFreq()(n, d=1.0, dtype=None)", "ops.fftfreq")
alias("ops.auto_generate.FFTN()(input, s=None, dim=None, norm=None)", "ops.fftn")
alias("ops.auto_generate.FFTShift()(input, dim=None)", "ops.fftshift")
alias("ops.auto_generate.FillScalar()(size, fill_value, dtype=None)", "mint.full")
alias("ops.auto_generate.FillTensor()(size, fill_value, dtype=None)", "mint.full")
alias("ops.auto_generate.FlattenExt()(input, start_dim=0, end_dim=-1)", "mint.flatten")
alias("ops.auto_generate.FloorDivScalar()(input, other)", "mint.floor_divide")
alias("ops.auto_generate.FmodScalar()(input, other)", "mint.fmod")
alias("ops.auto_generate.FmodTensor()(input, other)", "mint.fmod")
alias("ops.auto_generate.Frac()(input)", "mint.frac")
alias("ops.auto_generate.FullLike()(input, fill_value, dtype=None)", "mint.full_like")
alias("ops.auto_generate.GreaterEqualScalar()(input, other)", "mint.ge")
alias("ops.auto_generate.HFFT()(input, n=None, dim=-1, norm=None)", "ops.hfft")
alias("ops.auto_generate.HFFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.hfft2")
alias("ops.auto_generate.HFFTN()(input, s=None, dim=None, norm=None)", "ops.hfftn")
alias("ops.auto_generate.HistcExt()(input, bins=100, min=0, max=0)", "mint.histc")
alias("ops.auto_generate.IDCT()(x, type=2, n=None, axis=-1, norm=None)", "scipy.fft.idct")
alias("ops.auto_generate.IDCTN()(x, type=2, s=None, axes=None, norm=None)", "scipy.fft.idctn")
alias("ops.auto_generate.IFFT()(input, n=None, dim=-1, norm=None)", "ops.ifft")
alias("ops.auto_generate.IFFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.ifft2")
alias("ops.auto_generate.IFFTN()(input, s=None, dim=None, norm=None)", "ops.ifftn")
alias("ops.auto_generate.IFFTShift()(input, dim=None)", "ops.ifftshift")
alias("ops.auto_generate.IHFFT()(input, n=None, dim=-1, norm=None)", "ops.ihfft")
alias("ops.auto_generate.IHFFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.ihfft2")
alias("ops.auto_generate.IHFFTN()(input, s=None, dim=None, norm=None)", "ops.ihfftn")
alias("ops.auto_generate.IRFFT()(input, n=None, dim=-1, norm=None)", "ops.irfft")
alias("ops.auto_generate.IRFFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.irfft2")
alias("ops.auto_generate.IRFFTN()(input, s=None, dim=None, norm=None)", "ops.irfftn")
alias("ops.auto_generate.ImagView()(input)", "mint.imag")
alias(
    "ops.auto_generate.Index()(input, indices)",
    lambda input, indices: ops.tuple_getitem(input, tuple(indices)),
)
alias("ops.auto_generate.IndexAddExt()(input, dim, index, source, alpha=1)", "mint.index_add")
alias("ops.auto_generate.IndexFillScalar()(input, dim, index, value)", "Tensor.index_fill")
alias("ops.auto_generate.IndexFillTensor()(input, dim, index, value)", "Tensor.index_fill")
alias("ops.auto_generate.IndexSelect()(input, dim, index)", "mint.index_select")
alias(
    "ops.auto_generate.InnerIndex()(input, indices)",
    lambda input, indices: ops.tuple_getitem(input, tuple(indices)),
)
alias("ops.auto_generate.InnerNonZero()(input)", "mint.nonzero")
alias("ops.auto_generate.IsNegInf()(input)", "mint.isneginf")
alias("ops.auto_generate.Kthvalue()(input, k, dim=-1, keepdim=False)", "mint.kthvalue")
alias("ops.auto_generate.LessScalar()(input, other)", "mint.lt")
alias("ops.auto_generate.LinSpaceExt()(start, end, steps, dtype=None)", "mint.linspace")
alias("ops.auto_generate.LinalgQr()(A, mode='reduced')", "mint.linalg.qr")
alias(
    "ops.auto_generate.LinalgVectorNorm()(x, ord=2, dim=None, keepdim=False, dtype=None)",
    "mint.linalg.vector_norm",
)
alias("ops.auto_generate.Log10()(input)", "mint.log10")
alias("ops.auto_generate.Log2()(input)", "mint.log2")
alias("ops.auto_generate.LogAddExp()(input, other)", "mint.logaddexp")
alias("ops.auto_generate.LogAddExp2()(input, other)", "mint.logaddexp2")
alias("ops.auto_generate.LogSumExp()(input, dim, keepdim=False)", "mint.logsumexp")
alias("ops.auto_generate.MaskedFillScalar()(input, mask, value)", "mint.masked_fill")
alias("ops.auto_generate.MatMulExt()(input, other)", "mint.matmul")
alias("ops.auto_generate.MatrixInverseExt()(input)", "ops.matrix_inverse")
alias("ops.auto_generate.Max()(input)", "mint.max")
alias("ops.auto_generate.MaxDim()(input, dim, keepdim=False)", "mint.max")


@alias(
    "ops.auto_generate.MaxPoolWithIndices(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x)"
)
def max_pool_with_indices(x, kernel_size, strides, pads, dilation, ceil_mode, argmax_type):
    return ops.MaxPoolWithArgmaxV2(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)(x)


alias("ops.auto_generate.MeanExt()(input, dim=None, keepdim=False, dtype=None)", "mint.mean")
alias("ops.auto_generate.MedianDim()(input, dim=-1, keepdim=False)", "mint.median")
alias("ops.auto_generate.MedianExt()(input)", "mint.median")
alias("ops.auto_generate.Min()(input)", "mint.min")
alias("ops.auto_generate.MinDim()(input, dim, keepdim=False)", "mint.min")
alias("ops.auto_generate.Mm()(input, mat2)", "mint.mm")
alias("ops.auto_generate.Muls()(input, other)", "mint.mul")
alias("ops.auto_generate.Mv()(input, vec)", "mint.mv")
alias("ops.auto_generate.Nansum()(input, dim=None, keepdim=False, dtype=None)", "mint.nansum")
alias("ops.auto_generate.Narrow()(input, dim, start, length)", "mint.narrow")
alias("ops.auto_generate.NarrowView()(input, dim, start, length)", "mint.narrow")
alias("ops.auto_generate.NewEmpty()(input, size, dtype=None, device=None)", "Tensor.new_empty")
alias("ops.auto_generate.NewFull()(input, size, fill_value, dtype=None)", "Tensor.new_full")
alias(
    "ops.auto_generate.NewOnes()(input, size, dtype=None)",
    lambda input, size, dtype: Tensor.new_ones(input, size, dtype=dtype),
)
alias(
    "ops.auto_generate.NewZeros()(input, size, dtype=None)",
    lambda input, size, dtype: Tensor.new_zeros(input, size, dtype=dtype),
)
alias("ops.auto_generate.NonZeroExt()(input)", lambda input: mint.nonzero(input, as_tuple=True))
alias("ops.auto_generate.Norm()(input, p=2.0, dim=None, keepdim=False, dtype=None)", "mint.norm")
alias("ops.auto_generate.NpuGelu()(input, approximate='none')", "mint.npu_gelu")
alias(
    "ops.auto_generate.OneHotExt(axis=-1)(tensor, num_classes, on_value, off_value)", "ops.one_hot"
)


alias("ops.auto_generate.OnesLikeExt()(input, dtype=None)", "mint.ones_like")
alias("ops.auto_generate.Outer()(input, vec2)", "mint.outer")
alias("ops.auto_generate.PowScalarTensor()(input, exponent)", "mint.pow")
alias("ops.auto_generate.PowTensorScalar()(input, exponent)", "mint.pow")
alias("ops.auto_generate.ProdExt()(input, dim=None, keepdim=False, dtype=None)", "mint.prod")
alias("ops.auto_generate.RFFT()(input, n=None, dim=-1, norm=None)", "ops.rfft")
alias("ops.auto_generate.RFFT2()(input, s=None, dim=(-2, -1), norm=None)", "ops.rfft2")
alias("ops.auto_generate.RFFTFreq()(n, d=1.0, dtype=None)", "ops.rfftfreq")
alias("ops.auto_generate.RFFTN()(input, s=None, dim=None, norm=None)", "ops.rfftn")
alias("ops.auto_generate.RealView()(input)", "mint.real")
alias("ops.auto_generate.RemainderScalarTensor()(input, other)", "mint.remainder")
alias("ops.auto_generate.RemainderTensorScalar()(input, other)", "mint.remainder")
alias("ops.auto_generate.RemainderTensorTensor()(input, other)", "mint.remainder")
alias("ops.auto_generate.Repeat()(input, repeats)", "Tensor.repeat")
alias(
    "ops.auto_generate.RepeatInterleaveInt()(input, repeats, dim=None, output_size=None)",
    "mint.repeat_interleave",
)
alias(
    "ops.auto_generate.RepeatInterleaveTensor()(input, repeats, dim=None, output_size=None)",
    "mint.repeat_interleave",
)


@alias(
    "ops.auto_generate.RotatedIou()(boxes, query_boxes, trans=False, mode=0, is_cross=True, "
    "v_threshold=0.0, e_threshold=0.0)"
)
def rotated_iou(boxes, query_boxes, trans, mode, is_cross, v_threshold, e_threshold):
    return ops.rotated_iou(
        boxes.swapaxes(1, 2),
        query_boxes.swapaxes(1, 2),
        trans,
        mode,
        is_cross,
        v_threshold,
        e_threshold,
    )


@alias("ops.auto_generate.Scatter()(input, dim, index, src, reduce='none')")
@alias("ops.auto_generate.ScatterValue()(input, dim, index, src, reduce='none')")
def scatter(input, dim, index, src, reduce):
    return Tensor.scatter_(
        input.copy(), dim, index, src, reduce=None if reduce == "none" else reduce
    )


alias("ops.auto_generate.ScatterAddExt()(input, dim, index, src)", "mint.scatter_add")
alias("ops.auto_generate.SelectExtView()(input, dim, index)", "mint.select")
alias("ops.auto_generate.SelectV2()(condition, input, other)", "mint.where")
alias("ops.auto_generate.SequenceConcat(axis=0)(x)", "ops.cat")


@alias("ops.auto_generate.SliceExt()(input, dim, start, end, step)")
@alias("ops.auto_generate.SliceExtView()(input, dim, start, end, step)")
def slice_ext(input, dim, start, end, step):
    return ops.tuple_getitem(input, _along(input.ndim, dim, slice(start, end, step)))


@alias("ops.auto_generate.SolveTriangular()(a, b, trans=0, lower=False, unit_diagonal=False)")
def solve_triangular(a, b, trans, lower, unit_diagonal):
    return mint.triangular_solve(
        b, a.conj() if trans == 2 else a, not lower, trans > 0, unit_diagonal
    )[0]


alias("ops.auto_generate.SortExt()(input, dim=-1, descending=False, stable=False)", "mint.sort")
alias("ops.auto_generate.SplitTensor()(input, split_size, dim=0)", "mint.split")
alias("ops.auto_generate.SplitTensorView()(input, split_size, dim=0)", "mint.split")
alias("ops.auto_generate.SplitWithSize()(input, split_size, dim=0)", "mint.split")
alias("ops.auto_generate.SplitWithSizeView()(input, split_size, dim=0)", "mint.split")
alias("ops.auto_generate.StackExt(dim=0)(tensors)", "mint.stack")
alias("ops.auto_generate.Std()(input, dim=None, correction=1, keepdim=False)", "mint.std")
alias("ops.auto_generate.StdMean()(input, dim=None, correction=1, keepdim=False)", "mint.std_mean")
alias("ops.auto_generate.SubExt()(input, other, alpha=1)", "mint.sub")
alias("ops.auto_generate.SubScalar()(input, other, alpha=1)", "mint.sub")
alias("ops.auto_generate.SumExt()(input, dim=None, keepdim=False, dtype=None)", "mint.sum")
alias("ops.auto_generate.Swiglu()(input, dim=-1)", "ops.swiglu")
alias("ops.auto_generate.TExt()(input)", "mint.t")
alias("ops.auto_generate.Take()(input, index)", "mint.take")


@alias("ops.auto_generate.ToDtype()(input, dtype=None, non_blocking=False, copy=False)")
def to_dtype(input, dtype, non_blocking, copy):
    return Tensor.to(input, dtype, non_blocking=non_blocking, copy=copy)


@alias("ops.auto_generate.ToOther()(input, other, non_blocking=False, copy=False)")
def to_other(input, other, non_blocking, copy):
    return Tensor.to(input, other, non_blocking=non_blocking, copy=copy)


alias("ops.auto_generate.TopkExt()(input, k, dim=-1, largest=True, sorted=True)", "mint.topk")
alias("ops.auto_generate.TraceExt()(input)", "mint.trace")
alias(
    "ops.auto_generate.TraceV2()(input, offset=0, axis1=1, axis2=0, dtype=None)",
    lambda input, offset, axis1, axis2, dtype: Tensor.trace(input, offset, axis1, axis2, dtype),
)
alias(
    "ops.auto_generate.TriangularSolve()(b, A, upper=True, transpose=False, unitriangular=False)",
    "mint.triangular_solve",
)
alias("ops.auto_generate.TrilExt()(input, diagonal=0)", "mint.tril")
alias("ops.auto_generate.UnstackExtView()(input, dim=0)", "mint.unbind")
alias("ops.auto_generate.Var()(input, dim=None, correction=1, keepdim=False)", "mint.var")
alias("ops.auto_generate.VarMean()(input, dim=None, correction=1, keepdim=False)", "mint.var_mean")
alias("ops.auto_generate.Vdot()(input, other)", "mint.vdot")
alias("ops.auto_generate.View()(input, shape)", "Tensor.view")
alias("ops.auto_generate.ViewAs()(input, other)", "ops.view_as")
alias("ops.auto_generate.ViewDtype()(input, dtype)", "Tensor.view")
alias("ops.auto_generate.XLogYScalarOther()(input, other)", "mint.xlogy")
alias("ops.auto_generate.XLogYScalarSelf()(input, other)", "mint.xlogy")
alias("ops.auto_generate.ZerosLikeExt()(input, dtype=None)", "mint.zeros_like")
