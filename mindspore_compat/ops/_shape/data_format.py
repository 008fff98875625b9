"""Image layouts NHWC and NCHW: conversion of axes and of per-axis numbers between them."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, OneOf, TensorOf
from .._rules import Index

Layout = OneOf("NHWC", "NCHW")
Format = AsValue(Layout)


def _order(src_format, dst_format):
    return [src_format.index(letter) for letter in dst_format]


@op("ops.DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_dim_map(
    xp,
    input_x: TensorOf("int32", "int64"),
    src_format: Layout = "NHWC",
    dst_format: Layout = "NCHW",
):
    """Maps the number of an axis in one image layout to its number in another.

    Shapes:
        `input_x` is int32 or int64 of any shape, within [-4, 4). The result has the same shape and
        dtype.

    Example:
        >>> print(ms.ops.DataFormatDimMap()(ms.Tensor([0, 1, 2, 3], ms.int32)))
        [0 3 1 2]
    """
    indices = xp.asarray(_order(src_format, dst_format), "int32")
    return xp.cast(xp.take(indices, xp.mod(input_x, 4)), input_x.dtype)


@op("ops.DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_vec_permute(
    xp, input_x: Index, src_format: Format = "NHWC", dst_format: Format = "NCHW"
):
    """Permutes per-axis numbers from one image layout to another.

    Shapes:
        `input_x` is (4,) or (4, 2), of int32 or int64. The result has the same shape and dtype.

    Example:
        >>> print(ms.ops.DataFormatVecPermute()(ms.Tensor([8, 32, 64, 3], ms.int32)))
        [ 8  3 32 64]
    """
    if input_x.shape not in ((4,), (4, 2)):
        raise ValueError(
            f"For 'DataFormatVecPermute', 'input_x' must have the shape (4,) or (4, 2), but got "
            f"{input_x.shape}."
        )
    return xp.take(input_x, xp.asarray(_order(src_format, dst_format)), 0)
