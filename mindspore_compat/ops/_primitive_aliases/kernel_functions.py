"""Functions of `ops.auto_generate` that the original runs on an Ascend alone."""

from ..._core.declare.public_api import public
from ..._core.tensor.dtype import float16
from . import kernel_arithmetic
from .alias import Tensor, mint


@public("ops.auto_generate.div_scalar_")
def div_scalar_(input, other):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.div_scalar_ of MindSpore 2.10.
    """
    return Tensor.div_(input, other)


@public("ops.auto_generate.div_tensor_")
def div_tensor_(input, other):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.div_tensor_ of MindSpore 2.10.
    """
    return Tensor.div_(input, other)


@public("ops.auto_generate.divmod_scalar_")
def divmod_scalar_(input, other, rounding_mode=None):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.divmod_scalar_ of MindSpore 2.10.
    """
    return Tensor.div_(input, other, rounding_mode=rounding_mode)


@public("ops.auto_generate.divmod_tensor_")
def divmod_tensor_(input, other, rounding_mode=None):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.divmod_tensor_ of MindSpore 2.10.
    """
    return Tensor.div_(input, other, rounding_mode=rounding_mode)


@public("ops.auto_generate.fill_diagonal_")
def fill_diagonal_(input, fill_value, wrap=False):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.fill_diagonal_ of MindSpore 2.10.
    """
    return Tensor.fill_diagonal_(input, fill_value, wrap)


@public("ops.auto_generate.grouped_matmul_add_")
def grouped_matmul_add_(x, weight, group_list, out):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.grouped_matmul_add_ of MindSpore 2.10.
    """
    return kernel_arithmetic.grouped_matmul_add_(x, weight, group_list, out)


@public("ops.auto_generate.masked_fill_tensor_")
def masked_fill_tensor_(input, mask, value):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.masked_fill_tensor_ of MindSpore 2.10.
    """
    return Tensor.masked_fill_(input, mask, value)


@public("ops.auto_generate.matmul_add_")
def matmul_add_(x, weight, C):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.matmul_add_ of MindSpore 2.10.
    """
    return Tensor.add_(C, mint.matmul(kernel_arithmetic.turned(x), weight))


@public("ops.auto_generate.quant_batch_matmul")
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
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.quant_batch_matmul of MindSpore 2.10.
    """
    return kernel_arithmetic.quant_batch_matmul(
        x1, x2, scale, offset, bias, pertokenScaleOptional, transpose_x1, transpose_x2, dtype
    )


@public("ops.auto_generate.shard_identity")
def shard_identity(input):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.shard_identity of MindSpore 2.10.
    """
    return input


@public("ops.auto_generate.sub_tensor_")
def sub_tensor_(input, other, alpha=1):
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.sub_tensor_ of MindSpore 2.10.
    """
    return Tensor.sub_(input, other, alpha=alpha)


@public("ops.auto_generate.weight_quant_batch_matmul")
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
    """Computes what the Primitive of the same name does.

    Source: mindspore.ops.auto_generate.weight_quant_batch_matmul of MindSpore 2.10.
    """
    return kernel_arithmetic.weight_quant_batch_matmul(
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
    )
