"""Grayscale dilation: a convolution with sums instead of products and maxima instead of sums."""

from ..._core.declare.inputs import SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import AsValue, OneOf, TensorOf, real
from .._rules import Positive, sizes
from .sizes import height_and_width, need_kernel_fits, need_rank, padding_of

Step = sizes(Positive, 2, 4)


@op(
    "ops.Dilation2D(stride, dilation, pad_mode='SAME', data_format='NCHW')(x, filter)",
    types=SameDtype("x filter"),
)
def dilation2d(
    xp,
    x: TensorOf(real),
    filter: TensorOf(real),
    stride: Step,
    dilation: Step,
    pad_mode: AsValue(OneOf("same", "valid", "SAME", "VALID")) = "SAME",
    data_format: AsValue(OneOf("NCHW")) = "NCHW",
):
    """Computes the grayscale dilation of images: the maximum of x + filter over each window.

    Shapes:
        `x` is (N, C, H, W), `filter` is (C, k_h, k_w), of one dtype. The result is (N, C, H', W'),
        of the same dtype.

    Example:
        >>> x = ms.Tensor([[[[1.0, 2.0], [4.0, 3.0]]]])
        >>> print(ms.ops.Dilation2D(1, 1, "VALID")(x, ms.ops.zeros((1, 2, 2))))
        [[[[4.]]]]
    """
    need_rank("Dilation2D", "x", x, 4)
    need_rank("Dilation2D", "filter", filter, 3)
    if x.shape[1] != filter.shape[0]:
        raise ValueError(
            f"For 'Dilation2D', 'filter' must have {x.shape[1]} channels, but got "
            f"{filter.shape[0]}."
        )
    stride, dilation = height_and_width(stride), height_and_width(dilation)
    if max(stride) > 255:
        raise ValueError(f"For 'Dilation2D', 'stride' must be in [1, 255], but got {stride}.")
    kernel, size = tuple(filter.shape[1:]), tuple(x.shape[2:])
    pads = padding_of("Dilation2D", pad_mode, 0, size, kernel, stride, dilation)
    need_kernel_fits("Dilation2D", size, kernel, pads, dilation)
    padded = xp.cast(x, "float64") if x.dtype.kind in "iu" else x
    padded = xp.pad(padded, ((0, 0), (0, 0), *pads), "constant", constant_values=-xp.inf)
    best = None
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            rows, columns = (
                slice(t * d, n + sum(p) - (k - 1 - t) * d, s)
                for t, d, n, p, k, s in zip((i, j), dilation, size, pads, kernel, stride)
            )
            candidate = padded[:, :, rows, columns] + xp.reshape(filter[:, i, j], (-1, 1, 1))
            best = candidate if best is None else xp.maximum(best, candidate)
    return xp.cast(best, x.dtype)
