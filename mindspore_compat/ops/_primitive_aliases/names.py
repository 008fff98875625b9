"""The table of Primitives and functions that duplicate public functions.

On the left is the public signature. A Primitive has its settings in the first parentheses and its
inputs in the second; a function has its parameters in one pair. On the right is the function that
takes the inputs and then the settings, in this order, or a call of it if it takes them in another
way. alias.py makes the objects. Primitives with arithmetic of their own are declared in
`internal.py` of the package of their subject.
"""

NAMES = {
    # Arithmetic, shapes, reductions, linear algebra and Fourier transforms.
    "ops.auto_generate.AcosExt()(input)": "mint.acos",
    "ops.auto_generate.AcoshExt()(input)": "mint.acosh",
    "ops.auto_generate.Addbmm()(input, batch1, batch2, beta=1, alpha=1)": "mint.addbmm",
    "ops.auto_generate.AddcdivExt()(input, tensor1, tensor2, value=1)": "ops.addcdiv",
    "ops.auto_generate.AddcmulExt()(input, tensor1, tensor2, value=1)": "ops.addcmul",
    "ops.auto_generate.add_ext(input, other, alpha=1)": "mint.add",
    "ops.auto_generate.sub_ext(input, other, alpha=1)": "mint.sub",
    "ops.auto_generate.AddExt()(input, other, alpha=1)": "mint.add",
    "ops.auto_generate.AddLayerNormV2()(x1, x2, gamma, beta, epsilon=1e-05, "
    "additionalOut=False)": "ops.add_layer_norm",
    "ops.auto_generate.Addmm()(input, mat1, mat2, beta=1, alpha=1)": "mint.addmm",
    "ops.auto_generate.Addmv()(input, mat, vec, beta=1, alpha=1)": "mint.addmv",
    "ops.auto_generate.AddRmsNorm()(x1, x2, gamma, epsilon=1e-06)": "ops.add_rms_norm",
    "ops.auto_generate.AddScalar()(input, other, alpha=1)": "mint.add",
    "ops.auto_generate.Any()(input)": "mint.any",
    "ops.auto_generate.AnyExt()(input, dim, keepdim=False)": "mint.any",
    "ops.auto_generate.Arange()(start, end, step, dtype=None)": "mint.arange",
    "ops.auto_generate.ArgMaxExt()(input, dim=None, keepdim=False)": "mint.argmax",
    "ops.auto_generate.ArgMinExt()(input, dim=None, keepdim=False)": "mint.argmin",
    "ops.auto_generate.ArgSort()(input, dim=-1, descending=False, stable=False)": "mint.argsort",
    "ops.auto_generate.AsinExt()(input)": "mint.asin",
    "ops.auto_generate.AsinhExt()(input)": "mint.asinh",
    "ops.auto_generate.Atan2Ext()(input, other)": "mint.atan2",
    "ops.auto_generate.AtanExt()(input)": "mint.atan",
    "ops.auto_generate.Baddbmm()(input, batch1, batch2, beta=1, alpha=1)": "mint.baddbmm",
    "ops.auto_generate.BatchMatMulExt()(input, mat2)": "mint.bmm",
    "ops.auto_generate.BatchNormElemt()(input, weight=None, bias=None, mean=None, invstd=None, "
    "eps=1e-05)": "mint.batch_norm_elemt",
    "ops.auto_generate.BatchNormStats()(input, eps)": "mint.batch_norm_stats",
    "ops.auto_generate.BincountExt()(input, weights=None, minlength=0)": "mint.bincount",
    "ops.auto_generate.BitwiseAndScalar()(input, other)": "mint.bitwise_and",
    "ops.auto_generate.BitwiseAndTensor()(input, other)": "mint.bitwise_and",
    "ops.auto_generate.BitwiseNot()(input)": "mint.bitwise_not",
    "ops.auto_generate.BitwiseOrScalar()(input, other)": "mint.bitwise_or",
    "ops.auto_generate.BitwiseOrTensor()(input, other)": "mint.bitwise_or",
    "ops.auto_generate.BitwiseXorScalar()(input, other)": "mint.bitwise_xor",
    "ops.auto_generate.BitwiseXorTensor()(input, other)": "mint.bitwise_xor",
    "ops.auto_generate.BroadcastToView()(input, shape)": "mint.broadcast_to",
    "ops.auto_generate.Chunk()(input, chunks, dim=0)": "mint.chunk",
    "ops.auto_generate.ChunkView()(input, chunks, dim=0)": "mint.chunk",
    "ops.auto_generate.ClampScalar()(input, min=None, max=None)": "mint.clamp",
    "ops.auto_generate.ClampTensor()(input, min=None, max=None)": "mint.clamp",
    "ops.auto_generate.Clone()(input)": "mint.clone",
    "ops.auto_generate.Contiguous()(input)": "Tensor.contiguous",
    "ops.auto_generate.ConvTbc()(input, weight, bias, pad=0)": "mint.conv_tbc",
    "ops.auto_generate.Copy()(input)": "mint.clone",
    "ops.auto_generate.CumminExt()(input, dim)": "mint.cummin",
    "ops.auto_generate.CumsumExt()(input, dim, dtype=None)": "mint.cumsum",
    "ops.auto_generate.DCT()(x, type=2, n=None, axis=-1, norm=None)": "scipy.fft.dct",
    "ops.auto_generate.DCTN()(x, type=2, s=None, axes=None, norm=None)": "scipy.fft.dctn",
    "ops.auto_generate.DiagExt()(input, diagonal=0)": "mint.diag",
    "ops.auto_generate.Diagonal(offset=0, dim1=0, dim2=1)(input)": "ops.diagonal",
    "ops.auto_generate.DiagonalView()(input, offset=0, dim1=0, dim2=1)": "mint.diagonal",
    "ops.auto_generate.DivMod()(input, other, rounding_mode=None)": "mint.div",
    "ops.auto_generate.DivMods()(input, other, rounding_mode=None)": "mint.div",
    "ops.auto_generate.Divs()(input, other)": "mint.div",
    "ops.auto_generate.Dot()(input, other)": "mint.dot",
    "ops.auto_generate.EinsumExt()(equation, operands)": "mint.einsum(equation, *operands)",
    "ops.auto_generate.Empty()(size, dtype=None, device=None, pin_memory=False)": (
        "mint.empty(*size, dtype=dtype, device=device, pin_memory=pin_memory)"
    ),
    "ops.auto_generate.EmptyLike()(input, dtype=None, device=None, pin_memory=False)": (
        "mint.empty_like"
    ),
    "ops.auto_generate.EqScalar()(input, other)": "mint.eq",
    "ops.auto_generate.EqualExt()(input, other)": "mint.equal",
    "ops.auto_generate.Exp2()(input)": "mint.exp2",
    "ops.auto_generate.ExpandAs()(input, other)": "ops.expand_as",
    "ops.auto_generate.ExpandDimsView()(input, dim)": "ops.expand_dims",
    "ops.auto_generate.FFT()(input, n=None, dim=-1, norm=None)": "ops.fft",
    "ops.auto_generate.FFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.fft2",
    "ops.auto_generate.FFTFreq()(n, d=1.0, dtype=None)": "ops.fftfreq",
    "ops.auto_generate.FFTN()(input, s=None, dim=None, norm=None)": "ops.fftn",
    "ops.auto_generate.FFTShift()(input, dim=None)": "ops.fftshift",
    "ops.auto_generate.FillScalar()(size, fill_value, dtype=None)": "mint.full",
    "ops.auto_generate.FillTensor()(size, fill_value, dtype=None)": "mint.full",
    "ops.auto_generate.FlattenExt()(input, start_dim=0, end_dim=-1)": "mint.flatten",
    "ops.auto_generate.FloorDivScalar()(input, other)": "mint.floor_divide",
    "ops.auto_generate.FmodScalar()(input, other)": "mint.fmod",
    "ops.auto_generate.FmodTensor()(input, other)": "mint.fmod",
    "ops.auto_generate.Frac()(input)": "mint.frac",
    "ops.auto_generate.FullLike()(input, fill_value, dtype=None)": "mint.full_like",
    "ops.auto_generate.GreaterEqualScalar()(input, other)": "mint.ge",
    "ops.auto_generate.HFFT()(input, n=None, dim=-1, norm=None)": "ops.hfft",
    "ops.auto_generate.HFFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.hfft2",
    "ops.auto_generate.HFFTN()(input, s=None, dim=None, norm=None)": "ops.hfftn",
    "ops.auto_generate.HistcExt()(input, bins=100, min=0, max=0)": "mint.histc",
    "ops.auto_generate.IDCT()(x, type=2, n=None, axis=-1, norm=None)": "scipy.fft.idct",
    "ops.auto_generate.IDCTN()(x, type=2, s=None, axes=None, norm=None)": "scipy.fft.idctn",
    "ops.auto_generate.IFFT()(input, n=None, dim=-1, norm=None)": "ops.ifft",
    "ops.auto_generate.IFFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.ifft2",
    "ops.auto_generate.IFFTN()(input, s=None, dim=None, norm=None)": "ops.ifftn",
    "ops.auto_generate.IFFTShift()(input, dim=None)": "ops.ifftshift",
    "ops.auto_generate.IHFFT()(input, n=None, dim=-1, norm=None)": "ops.ihfft",
    "ops.auto_generate.IHFFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.ihfft2",
    "ops.auto_generate.IHFFTN()(input, s=None, dim=None, norm=None)": "ops.ihfftn",
    "ops.auto_generate.ImagView()(input)": "mint.imag",
    "ops.auto_generate.IndexAddExt()(input, dim, index, source, alpha=1)": "mint.index_add",
    "ops.auto_generate.IndexFillScalar()(input, dim, index, value)": "Tensor.index_fill",
    "ops.auto_generate.IndexFillTensor()(input, dim, index, value)": "Tensor.index_fill",
    "ops.auto_generate.IndexSelect()(input, dim, index)": "mint.index_select",
    "ops.auto_generate.InnerNonZero()(input)": "mint.nonzero",
    "ops.auto_generate.IRFFT()(input, n=None, dim=-1, norm=None)": "ops.irfft",
    "ops.auto_generate.IRFFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.irfft2",
    "ops.auto_generate.IRFFTN()(input, s=None, dim=None, norm=None)": "ops.irfftn",
    "ops.auto_generate.IsNegInf()(input)": "mint.isneginf",
    "ops.auto_generate.Kthvalue()(input, k, dim=-1, keepdim=False)": "mint.kthvalue",
    "ops.auto_generate.LessScalar()(input, other)": "mint.lt",
    "ops.auto_generate.LinalgQr()(A, mode='reduced')": "mint.linalg.qr",
    "ops.auto_generate.LinalgVectorNorm()(x, ord=2, dim=None, keepdim=False, dtype=None)": (
        "mint.linalg.vector_norm"
    ),
    "ops.auto_generate.LinSpaceExt()(start, end, steps, dtype=None)": "mint.linspace",
    "ops.auto_generate.Log10()(input)": "mint.log10",
    "ops.auto_generate.Log2()(input)": "mint.log2",
    "ops.auto_generate.LogAddExp()(input, other)": "mint.logaddexp",
    "ops.auto_generate.LogAddExp2()(input, other)": "mint.logaddexp2",
    "ops.auto_generate.LogSumExp()(input, dim, keepdim=False)": "mint.logsumexp",
    "ops.auto_generate.MaskedFillScalar()(input, mask, value)": "mint.masked_fill",
    "ops.auto_generate.MatMulExt()(input, other)": "mint.matmul",
    "ops.auto_generate.MatrixInverseExt()(input)": "ops.matrix_inverse",
    "ops.auto_generate.Max()(input)": "mint.max",
    "ops.auto_generate.MaxDim()(input, dim, keepdim=False)": "mint.max",
    "ops.auto_generate.MaxPoolWithIndices(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x)": (
        "ops.MaxPoolWithArgmaxV2(kernel_size, strides, pads, dilation, ceil_mode, argmax_type)(x)"
    ),
    "ops.auto_generate.MeanExt()(input, dim=None, keepdim=False, dtype=None)": "mint.mean",
    "ops.auto_generate.MedianDim()(input, dim=-1, keepdim=False)": "mint.median",
    "ops.auto_generate.MedianExt()(input)": "mint.median",
    "ops.auto_generate.Min()(input)": "mint.min",
    "ops.auto_generate.MinDim()(input, dim, keepdim=False)": "mint.min",
    "ops.auto_generate.Mm()(input, mat2)": "mint.mm",
    "ops.auto_generate.Muls()(input, other)": "mint.mul",
    "ops.auto_generate.Mv()(input, vec)": "mint.mv",
    "ops.auto_generate.Nansum()(input, dim=None, keepdim=False, dtype=None)": "mint.nansum",
    "ops.auto_generate.Narrow()(input, dim, start, length)": "mint.narrow",
    "ops.auto_generate.NarrowView()(input, dim, start, length)": "mint.narrow",
    "ops.auto_generate.NewEmpty()(input, size, dtype=None, device=None)": "Tensor.new_empty",
    "ops.auto_generate.NewFull()(input, size, fill_value, dtype=None)": "Tensor.new_full",
    "ops.auto_generate.NewOnes()(input, size, dtype=None)": (
        "Tensor.new_ones(input, size, dtype=dtype)"
    ),
    "ops.auto_generate.NewZeros()(input, size, dtype=None)": (
        "Tensor.new_zeros(input, size, dtype=dtype)"
    ),
    "ops.auto_generate.NonZeroExt()(input)": "mint.nonzero(input, as_tuple=True)",
    "ops.auto_generate.Norm()(input, p=2.0, dim=None, keepdim=False, dtype=None)": "mint.norm",
    "ops.auto_generate.NpuGelu()(input, approximate='none')": "mint.npu_gelu",
    "ops.auto_generate.OneHotExt(axis=-1)(tensor, num_classes, on_value, off_value)": "ops.one_hot",
    "ops.auto_generate.OnesLikeExt()(input, dtype=None)": "mint.ones_like",
    "ops.auto_generate.Outer()(input, vec2)": "mint.outer",
    "ops.auto_generate.PowScalarTensor()(input, exponent)": "mint.pow",
    "ops.auto_generate.PowTensorScalar()(input, exponent)": "mint.pow",
    "ops.auto_generate.ProdExt()(input, dim=None, keepdim=False, dtype=None)": "mint.prod",
    "ops.auto_generate.RealView()(input)": "mint.real",
    "ops.auto_generate.RemainderScalarTensor()(input, other)": "mint.remainder",
    "ops.auto_generate.RemainderTensorScalar()(input, other)": "mint.remainder",
    "ops.auto_generate.RemainderTensorTensor()(input, other)": "mint.remainder",
    "ops.auto_generate.Repeat()(input, repeats)": "Tensor.repeat",
    "ops.auto_generate.RepeatInterleaveInt()(input, repeats, dim=None, output_size=None)": (
        "mint.repeat_interleave"
    ),
    "ops.auto_generate.RepeatInterleaveTensor()(input, repeats, dim=None, output_size=None)": (
        "mint.repeat_interleave"
    ),
    "ops.auto_generate.RFFT()(input, n=None, dim=-1, norm=None)": "ops.rfft",
    "ops.auto_generate.RFFT2()(input, s=None, dim=(-2, -1), norm=None)": "ops.rfft2",
    "ops.auto_generate.RFFTFreq()(n, d=1.0, dtype=None)": "ops.rfftfreq",
    "ops.auto_generate.RFFTN()(input, s=None, dim=None, norm=None)": "ops.rfftn",
    "ops.auto_generate.ScatterAddExt()(input, dim, index, src)": "mint.scatter_add",
    "ops.auto_generate.SelectExtView()(input, dim, index)": "mint.select",
    "ops.auto_generate.SelectV2()(condition, input, other)": "mint.where",
    "ops.auto_generate.SequenceConcat(axis=0)(x)": "ops.cat",
    "ops.auto_generate.SortExt()(input, dim=-1, descending=False, stable=False)": "mint.sort",
    "ops.auto_generate.SplitTensor()(input, split_size, dim=0)": "mint.split",
    "ops.auto_generate.SplitTensorView()(input, split_size, dim=0)": "mint.split",
    "ops.auto_generate.SplitWithSize()(input, split_size, dim=0)": "mint.split",
    "ops.auto_generate.SplitWithSizeView()(input, split_size, dim=0)": "mint.split",
    "ops.auto_generate.StackExt(dim=0)(tensors)": "mint.stack",
    "ops.auto_generate.Std()(input, dim=None, correction=1, keepdim=False)": "mint.std",
    "ops.auto_generate.StdMean()(input, dim=None, correction=1, keepdim=False)": "mint.std_mean",
    "ops.auto_generate.SubExt()(input, other, alpha=1)": "mint.sub",
    "ops.auto_generate.SubScalar()(input, other, alpha=1)": "mint.sub",
    "ops.auto_generate.SumExt()(input, dim=None, keepdim=False, dtype=None)": "mint.sum",
    "ops.auto_generate.Swiglu()(input, dim=-1)": "ops.swiglu",
    "ops.auto_generate.Take()(input, index)": "mint.take",
    "ops.auto_generate.TExt()(input)": "mint.t",
    "ops.auto_generate.ToDtype()(input, dtype=None, non_blocking=False, copy=False)": (
        "Tensor.to(input, dtype, non_blocking=non_blocking, copy=copy)"
    ),
    "ops.auto_generate.ToOther()(input, other, non_blocking=False, copy=False)": (
        "Tensor.to(input, other, non_blocking=non_blocking, copy=copy)"
    ),
    "ops.auto_generate.TopkExt()(input, k, dim=-1, largest=True, sorted=True)": "mint.topk",
    "ops.auto_generate.TraceExt()(input)": "mint.trace",
    "ops.auto_generate.TraceV2()(input, offset=0, axis1=1, axis2=0, dtype=None)": (
        "Tensor.trace(input, offset, axis1, axis2, dtype)"
    ),
    "ops.auto_generate.TriangularSolve()(b, A, upper=True, transpose=False, "
    "unitriangular=False)": "mint.triangular_solve",
    "ops.auto_generate.TrilExt()(input, diagonal=0)": "mint.tril",
    "ops.auto_generate.UnstackExtView()(input, dim=0)": "mint.unbind",
    "ops.auto_generate.Var()(input, dim=None, correction=1, keepdim=False)": "mint.var",
    "ops.auto_generate.VarMean()(input, dim=None, correction=1, keepdim=False)": "mint.var_mean",
    "ops.auto_generate.Vdot()(input, other)": "mint.vdot",
    "ops.auto_generate.View()(input, shape)": "Tensor.view",
    "ops.auto_generate.ViewAs()(input, other)": "ops.view_as",
    "ops.auto_generate.ViewDtype()(input, dtype)": "Tensor.view",
    "ops.auto_generate.XLogYScalarOther()(input, other)": "mint.xlogy",
    "ops.auto_generate.XLogYScalarSelf()(input, other)": "mint.xlogy",
    "ops.auto_generate.ZerosLikeExt()(input, dtype=None)": "mint.zeros_like",
    # Layers: activations, convolutions, pools, paddings and losses.
    "ops.auto_generate.AdaptiveAvgPool1D()(input, output_size)": (
        "mint.nn.functional.adaptive_avg_pool1d"
    ),
    "ops.auto_generate.AdaptiveAvgPool2DExt()(input, output_size)": (
        "mint.nn.functional.adaptive_avg_pool2d"
    ),
    "ops.auto_generate.AdaptiveAvgPool3DExt()(input, output_size)": (
        "mint.nn.functional.adaptive_avg_pool3d"
    ),
    "ops.auto_generate.AdaptiveMaxPool1D()(input, output_size)": (
        "mint.nn.functional.adaptive_max_pool1d(input, output_size, True)"
    ),
    "ops.auto_generate.AvgPool1D()(input, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True)": "mint.nn.functional.avg_pool1d",
    "ops.auto_generate.AvgPool2D()(input, kernel_size, stride, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)": "mint.nn.functional.avg_pool2d",
    "ops.auto_generate.AvgPool3DExt()(input, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)": (
        "mint.nn.functional.avg_pool3d"
    ),
    "ops.auto_generate.Col2ImExt()(input, output_size, kernel_size, dilation=1, padding=0, "
    "stride=1)": "mint.nn.functional.fold",
    "ops.auto_generate.Col2ImGrad()(input, kernel_size, dilation=1, padding=0, stride=1)": (
        "mint.nn.functional.unfold"
    ),
    "ops.auto_generate.ConstantPadND()(input, padding, value=0.0)": (
        "mint.nn.functional.pad(input, padding, 'constant', value)"
    ),
    "ops.auto_generate.Conv1DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)": "mint.nn.functional.conv1d",
    "ops.auto_generate.Conv1DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)": "mint.nn.functional.conv1d",
    "ops.auto_generate.Conv2DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)": "mint.nn.functional.conv2d",
    "ops.auto_generate.Conv2DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)": "mint.nn.functional.conv2d",
    "ops.auto_generate.Conv3DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)": "mint.nn.functional.conv3d",
    "ops.auto_generate.Conv3DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)": "mint.nn.functional.conv3d",
    "ops.auto_generate.ConvTranspose2D()(input, weight, bias=None, stride=1, padding=0, "
    "output_padding=0, groups=1, dilation=1)": "mint.nn.functional.conv_transpose2d",
    "ops.auto_generate.CosineEmbeddingLoss()(input1, input2, target, margin=0.0, "
    "reduction='mean')": "mint.nn.functional.cosine_embedding_loss",
    "ops.auto_generate.EluExt(alpha=1.0)(input)": "mint.nn.functional.elu",
    "ops.auto_generate.Embedding()(input, weight, padding_idx=None, max_norm=None, "
    "norm_type=2.0, scale_grad_by_freq=False)": "mint.nn.functional.embedding",
    "ops.auto_generate.FuncMaxPool2D()(input, kernel_size, stride=None, padding=0, "
    "dilation=(1, 1), ceil_mode=False, return_indices=False)": "mint.nn.functional.max_pool2d",
    "ops.auto_generate.GeluExt()(input, approximate='none')": "mint.nn.functional.gelu",
    "ops.auto_generate.Hardtanh()(input, min_val=-1, max_val=1)": "mint.nn.functional.hardtanh",
    "ops.auto_generate.Im2ColExt()(input, kernel_size, dilation=1, padding=0, stride=1)": (
        "mint.nn.functional.unfold"
    ),
    "ops.auto_generate.KLDiv()(input, target, reduction='mean', log_target=False)": (
        "mint.nn.functional.kl_div(input, target, reduction, log_target)"
    ),
    "ops.auto_generate.L1LossExt()(input, target, reduction='mean')": "mint.nn.functional.l1_loss",
    "ops.auto_generate.LeakyReLUExt()(input, negative_slope=0.01)": "mint.nn.functional.leaky_relu",
    "ops.auto_generate.MaxPoolGradWithMask(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x, grad, mask)": (
        "ops.auto_generate.MaxPoolGradWithIndices(kernel_size, strides, pads, dilation, ceil_mode, "
        "argmax_type)(x, grad, mask)"
    ),
    "ops.auto_generate.MaxPoolWithMask(kernel_size, strides=None, pads=0, dilation=(1, 1), "
    "ceil_mode=False, argmax_type=int64)(x)": (
        "ops.auto_generate.MaxPoolWithIndices(kernel_size, strides, pads, dilation, ceil_mode, "
        "argmax_type)(x)"
    ),
    "ops.auto_generate.MaxUnpool2DExt()(input, indices, kernel_size, stride=None, padding=0, "
    "output_size=None)": "mint.nn.functional.max_unpool2d",
    "ops.auto_generate.MishExt()(input)": "mint.nn.functional.mish",
    "ops.auto_generate.MSELossExt()(input, target, reduction='mean')": (
        "mint.nn.functional.mse_loss"
    ),
    "ops.auto_generate.PixelShuffle()(input, upscale_factor)": "mint.nn.functional.pixel_shuffle",
    "ops.auto_generate.ReflectionPad1D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'reflect')"
    ),
    "ops.auto_generate.ReflectionPad2D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'reflect')"
    ),
    "ops.auto_generate.ReflectionPad3D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'reflect')"
    ),
    "ops.auto_generate.ReplicationPad1D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'replicate')"
    ),
    "ops.auto_generate.ReplicationPad2D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'replicate')"
    ),
    "ops.auto_generate.ReplicationPad3D()(input, padding)": (
        "mint.nn.functional.pad(input, padding, 'replicate')"
    ),
    "ops.auto_generate.SeLUExt()(input)": "mint.nn.functional.selu",
    "ops.auto_generate.SiLU()(input)": "mint.nn.functional.silu",
    "ops.auto_generate.SoftplusExt()(input, beta=1, threshold=20)": "mint.nn.functional.softplus",
    "ops.auto_generate.Threshold()(input, threshold, value)": "mint.nn.functional.threshold",
    "ops.auto_generate.UpsampleBicubic2D()(x, output_size=None, scales=None, "
    "align_corners=False)": (
        "mint.nn.functional.interpolate(x, output_size, scales, 'bicubic', align_corners)"
    ),
    "ops.auto_generate.UpsampleBilinear2D()(x, output_size=None, scales=None, "
    "align_corners=False)": (
        "mint.nn.functional.interpolate(x, output_size, scales, 'bilinear', align_corners)"
    ),
    "ops.auto_generate.UpsampleLinear1D()(x, output_size=None, scales=None, align_corners=False)": (
        "mint.nn.functional.interpolate(x, output_size, scales, 'linear', align_corners)"
    ),
    "ops.auto_generate.UpsampleNearest1D()(x, output_size=None, scales=None)": (
        "mint.nn.functional.interpolate(x, output_size, scales, 'nearest')"
    ),
    "ops.auto_generate.UpsampleNearest2D()(x, output_size=None, scales=None)": (
        "mint.nn.functional.interpolate(x, output_size, scales, 'nearest')"
    ),
    "ops.operations._grad_ops.AvgPoolGradGe(kernel_size=1, strides=1, pad_mode='VALID', "
    "data_format='NCHW')(origin_input, dout)": (
        "ops.operations._grad_ops.AvgPoolGradV1(kernel_size, strides, pad_mode, data_format)"
        "(origin_input, dout)"
    ),
    # Primitives that write into their first input.
    "ops.auto_generate.InnerInplaceIndexPut()(input, indices, values, accumulate=False)": (
        "Tensor.index_put_"
    ),
    "ops.auto_generate.InplaceAddExt()(input, other, alpha=1)": "Tensor.add_",
    "ops.auto_generate.InplaceAddmm()(input, mat1, mat2, beta=1, alpha=1)": "Tensor.addmm_",
    "ops.auto_generate.InplaceAddsExt()(input, other, alpha=1)": "Tensor.add_",
    "ops.auto_generate.InplaceClampScalar()(input, min=None, max=None)": "Tensor.clamp_",
    "ops.auto_generate.InplaceClampTensor()(input, min=None, max=None)": "Tensor.clamp_",
    "ops.auto_generate.InplaceCopy()(input, src, non_blocking=False)": "Tensor.copy_",
    "ops.auto_generate.InplaceDiv()(input, other)": "Tensor.div_",
    "ops.auto_generate.InplaceDivMod()(input, other, rounding_mode=None)": "Tensor.div_",
    "ops.auto_generate.InplaceDivMods()(input, other, rounding_mode=None)": "Tensor.div_",
    "ops.auto_generate.InplaceDivs()(input, other)": "Tensor.div_",
    "ops.auto_generate.InplaceElu()(input, alpha=1.0)": "mint.nn.functional.elu_",
    "ops.auto_generate.InplaceErfinv()(input)": "Tensor.erfinv_",
    "ops.auto_generate.InplaceExp()(input)": "Tensor.exp_",
    "ops.auto_generate.InplaceFillDiagonal()(input, fill_value, wrap=False)": (
        "Tensor.fill_diagonal_"
    ),
    "ops.auto_generate.InplaceFillScalar()(input, value)": "Tensor.fill_",
    "ops.auto_generate.InplaceFillTensor()(input, value)": "Tensor.fill_",
    "ops.auto_generate.InplaceFloor()(input)": "Tensor.floor_",
    "ops.auto_generate.InplaceFloorDivide()(input, other)": "Tensor.floor_divide_",
    "ops.auto_generate.InplaceFloorDivides()(input, other)": "Tensor.floor_divide_",
    "ops.auto_generate.InplaceHardtanh()(input, min_val=-1, max_val=1)": (
        "mint.nn.functional.hardtanh(input, min_val, max_val, True)"
    ),
    "ops.auto_generate.InplaceIndexAddExt()(input, dim, index, source, alpha=1)": (
        "Tensor.index_add_"
    ),
    "ops.auto_generate.InplaceIndexCopy()(input, dim, index, tensor)": "Tensor.index_copy_",
    "ops.auto_generate.InplaceIndexFillScalar()(input, dim, index, value)": "Tensor.index_fill_",
    "ops.auto_generate.InplaceIndexFillTensor()(input, dim, index, value)": "Tensor.index_fill_",
    "ops.auto_generate.InplaceIndexPut()(input, indices, values, accumulate=False)": (
        "Tensor.index_put_"
    ),
    "ops.auto_generate.InplaceLog()(input)": "Tensor.log_",
    "ops.auto_generate.InplaceMaskedFillScalar()(input, mask, value)": "Tensor.masked_fill_",
    "ops.auto_generate.InplaceMaskedFillTensor()(input, mask, value)": "Tensor.masked_fill_",
    "ops.auto_generate.InplaceMaskedScatter()(input, mask, source)": "Tensor.masked_scatter_",
    "ops.auto_generate.InplaceMul()(input, other)": "Tensor.mul_",
    "ops.auto_generate.InplaceMuls()(input, other)": "Tensor.mul_",
    "ops.auto_generate.InplacePut()(input, index, source, accumulate=False)": "Tensor.put_",
    "ops.auto_generate.InplaceReLU()(input)": "mint.nn.functional.relu_",
    "ops.auto_generate.InplaceRemainderTensorScalar()(input, other)": "Tensor.remainder_",
    "ops.auto_generate.InplaceRemainderTensorTensor()(input, other)": "Tensor.remainder_",
    "ops.auto_generate.InplaceScatterAdd()(input, dim, index, src)": "Tensor.scatter_add_",
    "ops.auto_generate.InplaceScatterSrc()(input, dim, index, src)": "Tensor.scatter_",
    "ops.auto_generate.InplaceScatterSrcReduce()(input, dim, index, src, reduce)": (
        "Tensor.scatter_"
    ),
    "ops.auto_generate.InplaceScatterValue()(input, dim, index, value)": "Tensor.scatter_",
    "ops.auto_generate.InplaceScatterValueReduce()(input, dim, index, value, reduce)": (
        "Tensor.scatter_"
    ),
    "ops.auto_generate.InplaceSigmoid()(input)": "Tensor.sigmoid_",
    "ops.auto_generate.InplaceSign()(input)": "Tensor.sign_",
    "ops.auto_generate.InplaceSiLU()(input)": "mint.nn.functional.silu(input, True)",
    "ops.auto_generate.InplaceStopGradient()(input)": "ops.stop_gradient_",
    "ops.auto_generate.InplaceSubExt()(input, other, alpha=1)": "Tensor.sub_",
    "ops.auto_generate.InplaceSubScalar()(input, other, alpha=1)": "Tensor.sub_",
    "ops.auto_generate.InplaceTanh()(input)": "Tensor.tanh_",
    "ops.auto_generate.InplaceThreshold()(input, threshold, value)": (
        "mint.nn.functional.threshold(input, threshold, value, True)"
    ),
    "ops.auto_generate.InplaceZero()(input)": "Tensor.zero_",
    # Attention, experts, and products fused with exchanges.
    "ops.auto_generate.AllGatherMatmul()(input, x2, group, world_size, bias=None, "
    "gather_index=0, gather_output=True, comm_turn=0, trans_input=False, trans_x2=False)": (
        "ops.all_gather_matmul"
    ),
    "ops.auto_generate.BatchNormGatherStatsWithCounts()(input, mean, invstd, "
    "running_mean=None, running_var=None, momentum=0.1, eps=1e-05, counts=None)": (
        "mint.batch_norm_gather_stats_with_counts"
    ),
    "ops.auto_generate.FusedInferAttentionScore(num_heads=1, scale_value=1.0, "
    "pre_tokens=2147483647, next_tokens=2147483647, input_layout='BSH', num_key_value_heads=0, "
    "sparse_mode=0, inner_precise=1, block_size=0, antiquant_mode=0, softmax_lse_flag=False, "
    "key_antiquant_mode=0, value_antiquant_mode=0)(query, key, value, pse_shift=None, "
    "attn_mask=None, actual_seq_lengths=None, actual_seq_lengths_kv=None, dequant_scale1=None, "
    "quant_scale1=None, dequant_scale2=None, quant_scale2=None, quant_offset2=None, "
    "antiquant_scale=None, antiquant_offset=None, block_table=None, query_padding_size=None, "
    "kv_padding_size=None, key_antiquant_scale=None, key_antiquant_offset=None, "
    "value_antiquant_scale=None, value_antiquant_offset=None, key_shared_prefix=None, "
    "value_shared_prefix=None, actual_shared_prefix_len=None)": (
        "ops.fused_infer_attention_score(query, key, value, pse_shift=pse_shift, "
        "atten_mask=attn_mask, actual_seq_lengths=actual_seq_lengths, "
        "actual_seq_lengths_kv=actual_seq_lengths_kv, dequant_scale1=dequant_scale1, "
        "quant_scale1=quant_scale1, dequant_scale2=dequant_scale2, quant_scale2=quant_scale2, "
        "quant_offset2=quant_offset2, antiquant_scale=antiquant_scale, "
        "antiquant_offset=antiquant_offset, key_antiquant_scale=key_antiquant_scale, "
        "key_antiquant_offset=key_antiquant_offset, value_antiquant_scale=value_antiquant_scale, "
        "value_antiquant_offset=value_antiquant_offset, block_table=block_table, "
        "query_padding_size=query_padding_size, kv_padding_size=kv_padding_size, "
        "key_shared_prefix=key_shared_prefix, value_shared_prefix=value_shared_prefix, "
        "actual_shared_prefix_len=actual_shared_prefix_len, num_heads=num_heads, "
        "scale=scale_value, pre_tokens=pre_tokens, next_tokens=next_tokens, "
        "input_layout=input_layout, num_key_value_heads=num_key_value_heads, "
        "sparse_mode=sparse_mode, inner_precise=inner_precise, block_size=block_size, "
        "antiquant_mode=antiquant_mode, key_antiquant_mode=key_antiquant_mode, "
        "value_antiquant_mode=value_antiquant_mode, softmax_lse_flag=softmax_lse_flag)"
    ),
    "ops.auto_generate.GatherNdExt()(input, indices)": "ops.gather_nd",
    "ops.auto_generate.GroupedMatmulV2()(x, weight, bias=None, scale=None, offset=None, "
    "antiquant_scale=None, antiquant_offset=None, group_list=None, split_item=0, group_type=-1)": (
        "ops.auto_generate.grouped_matmul"
    ),
    "ops.auto_generate.IncreFlashAttention(num_heads=1, input_layout='BSH', scale_value=1.0, "
    "num_key_value_heads=0, block_size=0, inner_precise=1)(query, key, value, attn_mask=None, "
    "actual_seq_lengths=None, pse_shift=None, dequant_scale1=None, quant_scale1=None, "
    "dequant_scale2=None, quant_scale2=None, quant_offset2=None, antiquant_scale=None, "
    "antiquant_offset=None, block_table=None, kv_padding_size=None)": (
        "ops.incre_flash_attention(query, key, value, attn_mask, actual_seq_lengths, pse_shift, "
        "dequant_scale1, quant_scale1, dequant_scale2, quant_scale2, quant_offset2, "
        "antiquant_scale, antiquant_offset, block_table, num_heads, input_layout, scale_value, "
        "num_key_value_heads, block_size, inner_precise, kv_padding_size)"
    ),
    "ops.auto_generate.InnerMoeTokenUnpermute()(permuted_tokens, sorted_indices, probs=None, "
    "padded_mode=False, restore_shape=None)": "ops.moe_token_unpermute",
    "ops.auto_generate.LightningIndexer()(query, key, weights, actual_seq_lengths_query=None, "
    "actual_seq_lengths_key=None, block_table=None, layout_query='BSND', layout_key='BSND', "
    "sparse_count=2048, sparse_mode=3, pre_tokens=9223372036854775807, "
    "next_tokens=9223372036854775807, return_value=False)": "ops.lightning_indexer",
    "ops.auto_generate.MatmulReduceScatter()(input, x2, group, world_size, reduce_op='sum', "
    "bias=None, comm_turn=0, trans_input=False, trans_x2=False)": "ops.matmul_reduce_scatter",
    "ops.auto_generate.MoeDistributeCombine()(expand_x, expert_ids, expand_idx, "
    "ep_send_counts, expert_scales, ep_world_size, ep_rank_id, moe_expert_num, "
    "tp_send_counts=None, x_active_mask=None, activate_scale=None, weight_scale=None, "
    "group_list=None, expand_scales=None, group_ep=None, group_tp=None, tp_world_size=0, "
    "tp_rank_id=0, expert_shard_type=0, shared_expert_num=0, shared_export_rank_num=0, "
    "global_bs=0, out_dtype=0, common_quant_mode=0, group_list_type=0)": (
        "ops.moe_distribute_combine"
    ),
    "ops.auto_generate.MoeDistributeDispatch()(x, expert_ids, ep_world_size, ep_rank_id, "
    "moe_expert_num, expert_scales=None, scales=None, x_active_mask=None, group_ep=None, "
    "group_tp=None, tp_world_size=0, tp_rank_id=0, expert_shard_type=0, shared_expert_num=0, "
    "shared_expert_rank_num=0, quant_mode=0, global_bs=0, expert_token_nums_type=0)": (
        "ops.moe_distribute_dispatch"
    ),
    "ops.auto_generate.NsaCompress()(input, weight, compress_block_size, compress_stride, "
    "actual_seq_len=None)": "ops.nsa_compress",
    "ops.auto_generate.NsaCompressAttention()(query, key, value, scale_value, head_num, "
    "compress_block_size, compress_stride, select_block_size, select_block_count, "
    "topk_mask=None, atten_mask=None, actual_seq_qlen=None, actual_cmp_seq_kvlen=None, "
    "actual_sel_seq_kvlen=None)": "ops.nsa_compress_attention",
    "ops.auto_generate.NsaSelectAttention()(query, key, value, topk_indices, scale_value, "
    "head_num, select_block_size, select_block_count, atten_mask=None, actual_seq_qlen=None, "
    "actual_seq_kvlen=None)": "ops.nsa_select_attention",
    "ops.auto_generate.PromptFlashAttention(num_heads=1, scale_value=1.0, "
    "pre_tokens=2147483647, next_tokens=0, input_layout='BSH', num_key_value_heads=0, "
    "sparse_mode=0, inner_precise=1)(query, key, value, attn_mask=None, "
    "actual_seq_lengths=None, actual_seq_lengths_kv=None, pse_shift=None, deq_scale1=None, "
    "quant_scale1=None, deq_scale2=None, quant_scale2=None, quant_offset2=None)": (
        "ops.prompt_flash_attention"
    ),
    "ops.auto_generate.SparseFlashAttention()(query, key, value, sparse_indices, scale_value, "
    "block_table=None, actual_seq_lengths_query=None, actual_seq_lengths_kv=None, "
    "query_rope=None, key_rope=None, sparse_block_size=1, layout_query='BSND', "
    "layout_kv='BSND', sparse_mode=3, pre_tokens=9223372036854775807, "
    "next_tokens=9223372036854775807, attention_mode=0, return_softmax_lse=False)": (
        "ops.sparse_flash_attention"
    ),
    # Functions.
    "ops.auto_generate.div_scalar_(input, other)": "Tensor.div_",
    "ops.auto_generate.div_tensor_(input, other)": "Tensor.div_",
    "ops.auto_generate.divmod_scalar_(input, other, rounding_mode=None)": "Tensor.div_",
    "ops.auto_generate.divmod_tensor_(input, other, rounding_mode=None)": "Tensor.div_",
    "ops.auto_generate.fill_diagonal_(input, fill_value, wrap=False)": "Tensor.fill_diagonal_",
    "ops.auto_generate.masked_fill_tensor_(input, mask, value)": "Tensor.masked_fill_",
    "ops.auto_generate.sub_tensor_(input, other, alpha=1)": "Tensor.sub_",
}
