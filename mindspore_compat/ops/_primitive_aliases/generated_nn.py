"""Primitives of `ops.auto_generate` for layers: activations, convolutions, poolings, losses."""

from .alias import alias, functional

alias(
    "ops.auto_generate.AdaptiveAvgPool1D()(input, output_size)",
    "mint.nn.functional.adaptive_avg_pool1d",
)
alias(
    "ops.auto_generate.AdaptiveAvgPool2DExt()(input, output_size)",
    "mint.nn.functional.adaptive_avg_pool2d",
)
alias(
    "ops.auto_generate.AdaptiveAvgPool3DExt()(input, output_size)",
    "mint.nn.functional.adaptive_avg_pool3d",
)
alias(
    "ops.auto_generate.AdaptiveMaxPool1D()(input, output_size)",
    lambda input, output_size: functional.adaptive_max_pool1d(input, output_size, True),
)
alias(
    "ops.auto_generate.AvgPool1D()(input, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True)",
    "mint.nn.functional.avg_pool1d",
)
alias(
    "ops.auto_generate.AvgPool2D()(input, kernel_size, stride, padding=0, ceil_mode=False, "
    "count_include_pad=True, divisor_override=None)",
    "mint.nn.functional.avg_pool2d",
)
alias(
    "ops.auto_generate.AvgPool3DExt()(input, kernel_size, stride=None, padding=0, "
    "ceil_mode=False, count_include_pad=True, divisor_override=None)",
    "mint.nn.functional.avg_pool3d",
)
alias(
    "ops.auto_generate.Col2ImExt()(input, output_size, kernel_size, dilation=1, padding=0, "
    "stride=1)",
    "mint.nn.functional.fold",
)
alias(
    "ops.auto_generate.Col2ImGrad()(input, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.unfold",
)
alias(
    "ops.auto_generate.ConstantPadND()(input, padding, value=0.0)",
    lambda input, padding, value: functional.pad(input, padding, "constant", value),
)
alias(
    "ops.auto_generate.Conv1DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    "mint.nn.functional.conv1d",
)
alias(
    "ops.auto_generate.Conv1DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)",
    "mint.nn.functional.conv1d",
)
alias(
    "ops.auto_generate.Conv2DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    "mint.nn.functional.conv2d",
)
alias(
    "ops.auto_generate.Conv2DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)",
    "mint.nn.functional.conv2d",
)
alias(
    "ops.auto_generate.Conv3DExt()(input, weight, bias=None, stride=1, padding=0, dilation=1, "
    "groups=1)",
    "mint.nn.functional.conv3d",
)
alias(
    "ops.auto_generate.Conv3DPadding()(input, weight, bias=None, stride=1, padding='valid', "
    "dilation=1, groups=1)",
    "mint.nn.functional.conv3d",
)
alias(
    "ops.auto_generate.ConvTranspose2D()(input, weight, bias=None, stride=1, padding=0, "
    "output_padding=0, groups=1, dilation=1)",
    "mint.nn.functional.conv_transpose2d",
)
alias(
    "ops.auto_generate.CosineEmbeddingLoss()(input1, input2, target, margin=0.0, reduction='mean')",
    "mint.nn.functional.cosine_embedding_loss",
)
alias("ops.auto_generate.EluExt(alpha=1.0)(input)", "mint.nn.functional.elu")
alias(
    "ops.auto_generate.Embedding()(input, weight, padding_idx=None, max_norm=None, "
    "norm_type=2.0, scale_grad_by_freq=False)",
    "mint.nn.functional.embedding",
)
alias(
    "ops.auto_generate.FuncMaxPool2D()(input, kernel_size, stride=None, padding=0, "
    "dilation=(1, 1), ceil_mode=False, return_indices=False)",
    "mint.nn.functional.max_pool2d",
)
alias("ops.auto_generate.GeluExt()(input, approximate='none')", "mint.nn.functional.gelu")
alias("ops.auto_generate.Hardtanh()(input, min_val=-1, max_val=1)", "mint.nn.functional.hardtanh")
alias(
    "ops.auto_generate.Im2ColExt()(input, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.unfold",
)


@alias("ops.auto_generate.KLDiv()(input, target, reduction='mean', log_target=False)")
def kl_div(input, target, reduction, log_target):
    return functional.kl_div(input, target, reduction, log_target)


alias(
    "ops.auto_generate.L1LossExt()(input, target, reduction='mean')", "mint.nn.functional.l1_loss"
)
alias(
    "ops.auto_generate.LeakyReLUExt()(input, negative_slope=0.01)", "mint.nn.functional.leaky_relu"
)
alias(
    "ops.auto_generate.MSELossExt()(input, target, reduction='mean')", "mint.nn.functional.mse_loss"
)
alias(
    "ops.auto_generate.MaxUnpool2DExt()(input, indices, kernel_size, stride=None, padding=0, "
    "output_size=None)",
    "mint.nn.functional.max_unpool2d",
)
alias("ops.auto_generate.MishExt()(input)", "mint.nn.functional.mish")
alias("ops.auto_generate.PixelShuffle()(input, upscale_factor)", "mint.nn.functional.pixel_shuffle")
alias(
    "ops.auto_generate.ReflectionPad1D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "reflect"),
)
alias(
    "ops.auto_generate.ReflectionPad2D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "reflect"),
)
alias(
    "ops.auto_generate.ReflectionPad3D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "reflect"),
)
alias(
    "ops.auto_generate.ReplicationPad1D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "replicate"),
)
alias(
    "ops.auto_generate.ReplicationPad2D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "replicate"),
)
alias(
    "ops.auto_generate.ReplicationPad3D()(input, padding)",
    lambda input, padding: functional.pad(input, padding, "replicate"),
)
alias("ops.auto_generate.SeLUExt()(input)", "mint.nn.functional.selu")
alias("ops.auto_generate.SiLU()(input)", "mint.nn.functional.silu")
alias("ops.auto_generate.SoftplusExt()(input, beta=1, threshold=20)", "mint.nn.functional.softplus")
alias("ops.auto_generate.Threshold()(input, threshold, value)", "mint.nn.functional.threshold")


@alias(
    "ops.auto_generate.UpsampleBicubic2D()(x, output_size=None, scales=None, align_corners=False)"
)
def upsample_bicubic2d(x, output_size, scales, align_corners):
    return functional.interpolate(x, output_size, scales, "bicubic", align_corners)


@alias(
    "ops.auto_generate.UpsampleBilinear2D()(x, output_size=None, scales=None, align_corners=False)"
)
def upsample_bilinear2d(x, output_size, scales, align_corners):
    return functional.interpolate(x, output_size, scales, "bilinear", align_corners)


@alias(
    "ops.auto_generate.UpsampleLinear1D()(x, output_size=None, scales=None, align_corners=False)"
)
def upsample_linear1d(x, output_size, scales, align_corners):
    return functional.interpolate(x, output_size, scales, "linear", align_corners)


alias(
    "ops.auto_generate.UpsampleNearest1D()(x, output_size=None, scales=None)",
    lambda x, output_size, scales: functional.interpolate(x, output_size, scales, "nearest"),
)
alias(
    "ops.auto_generate.UpsampleNearest2D()(x, output_size=None, scales=None)",
    lambda x, output_size, scales: functional.interpolate(x, output_size, scales, "nearest"),
)
