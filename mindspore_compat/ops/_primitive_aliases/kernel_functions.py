"""Functions of `ops.auto_generate` that the original runs on an Ascend alone."""

from ..._core.declare.public_api import public
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


public("ops.auto_generate.grouped_matmul_add_")(kernel_arithmetic.grouped_matmul_add_)


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


public("ops.auto_generate.quant_batch_matmul")(kernel_arithmetic.quant_batch_matmul)


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


public("ops.auto_generate.weight_quant_batch_matmul")(kernel_arithmetic.weight_quant_batch_matmul)
