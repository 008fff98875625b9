"""Layouts of images, NHWC and NCHW: axes and lengths of one in the order of the other."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, OneOf, TensorOf

Index = TensorOf("int32", "int64")
Layout = OneOf("NHWC", "NCHW")
Format = AsValue(Layout)


def _order(src_format, dst_format):
    return [src_format.index(letter) for letter in dst_format]


@op("ops.DataFormatDimMap(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_dim_map(xp, input_x: TensorOf("int32", "int64"), src_format: Layout = "NHWC",
                        dst_format: Layout = "NCHW"):
    """The number of an axis in one layout of images as its number in another."""
    places = xp.asarray(_order(src_format, dst_format), "int32")
    return xp.cast(xp.take(places, xp.mod(input_x, 4)), input_x.dtype)


@op("ops.DataFormatVecPermute(src_format='NHWC', dst_format='NCHW')(input_x)", compute="native")
def data_format_vec_permute(xp, input_x: Index, src_format: Format = "NHWC",
                            dst_format: Format = "NCHW"):
    """Four numbers (or rows of two), one for each axis, in the order of another layout."""
    if input_x.shape not in ((4,), (4, 2)):
        raise ValueError(
            f"For 'DataFormatVecPermute', 'input_x' must have the shape (4,) or (4, 2), but got "
            f"{input_x.shape}."
        )
    return xp.take(input_x, xp.asarray(_order(src_format, dst_format)), 0)
