"""Sliding windows of images as columns (im2col), and columns summed back into images (col2im)."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Any, TensorOf
from .._rules import WIDE_UNSIGNED, Index, Natural, Numbers, Positive, length_first, pair_of
from .sizes import need_kernel_fits, need_rank, per_dimension, sided, sizes_of

Columns = TensorOf("float16", "float32", "float64", "bfloat16", "complex64", "complex128")
_PAIRS = {
    "kernel_size": pair_of(Positive),
    "dilation": pair_of(Positive),
    "padding": pair_of(Natural),
    "stride": pair_of(Positive),
}


def _unfold(xp, api, name, x, kernel, dilation, padding, stride):
    """Returns the windows as (N, C, kernel positions, windows)."""
    need_rank(api, name, x, 4)
    if not x.shape[1]:
        raise ValueError(
            f"For '{api}', '{name}' must have at least one channel, but got shape {x.shape}."
        )
    kernel, stride, dilation = (
        per_dimension(kernel, 2),
        per_dimension(stride, 2),
        per_dimension(dilation, 2),
    )
    pads = sided(padding, 2)
    need_kernel_fits(api, tuple(x.shape[2:]), kernel, pads, dilation)
    return xp.im2col(x, kernel, stride, pads, dilation)


def _fold(xp, api, x, size, kernel, dilation, padding, stride):
    """Sums columns (N, C, kernel positions, windows) into images of `size`."""
    size, kernel = per_dimension(size, 2), per_dimension(kernel, 2)
    stride, dilation, pads = per_dimension(stride, 2), per_dimension(dilation, 2), sided(padding, 2)
    need_kernel_fits(api, size, kernel, pads, dilation)
    count = 1
    for n, p, k, d, s in zip(size, pads, kernel, dilation, stride):
        count *= (n + sum(p) - d * (k - 1) - 1) // s + 1
    if x.shape[2] != kernel[0] * kernel[1] or x.shape[3] != count:
        raise ValueError(
            f"For '{api}', the input must hold {kernel[0] * kernel[1]} values for each of {count} "
            f"windows, but got {x.shape[2]} and {x.shape[3]}."
        )
    return xp.col2im(x, size, kernel, stride, pads, dilation)


@op(
    "ops.unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.unfold(input, kernel_size, dilation=1, padding=0, stride=1)",
    quirks=Quirks(rules=dict.fromkeys(("mint.nn.functional.unfold", "mint.nn.Unfold"), _PAIRS)),
    compute="native",
)
def unfold(
    xp,
    input: Numbers,
    kernel_size: length_first(Positive, 1, 2),
    dilation: length_first(Positive, 1, 2) = 1,
    padding: length_first(Natural, 1, 2) = 0,
    stride: length_first(Positive, 1, 2) = 1,
):
    """Extracts the sliding windows of images as columns (im2col).

    Shapes:
        `input` is (N, C, H, W). The result is (N, C * k_h * k_w, windows), of the same dtype.

    Example:
        >>> print(ms.ops.unfold(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]]), 2))
        [[[1. 2.]
          [2. 3.]
          [4. 5.]
          [5. 6.]]]
    """
    out = _unfold(xp, "unfold", "input", input, kernel_size, dilation, padding, stride)
    return xp.reshape(out, (out.shape[0], out.shape[1] * out.shape[2], out.shape[3]))


@op("ops.Im2Col(ksizes, strides=1, dilations=1, pads=0)(x)", compute="native")
def im2col(
    xp,
    x: Numbers.but("bfloat16", *WIDE_UNSIGNED),
    ksizes: length_first(Positive, 1, 2),
    strides: length_first(Positive, 1, 2) = 1,
    dilations: length_first(Positive, 1, 2) = 1,
    pads: length_first(Natural, 1, 2) = 0,
):
    """Extracts the sliding windows of images as columns, with a separate axis for the channels.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, k_h * k_w, windows), of the same dtype.

    Example:
        >>> print(ms.ops.Im2Col(2)(ms.Tensor([[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]]])))
        [[[[1. 2.]
           [2. 3.]
           [4. 5.]
           [5. 6.]]]]
    """
    return _unfold(xp, "Im2Col", "x", x, ksizes, dilations, pads, strides)


@op(
    "ops.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
    "mint.nn.functional.fold(input, output_size, kernel_size, dilation=1, padding=0, stride=1)",
    quirks=Quirks(
        rules=dict.fromkeys(
            ("mint.nn.functional.fold", "mint.nn.Fold"),
            {**_PAIRS, "output_size": pair_of(Positive)},
        )
    ),
)
def fold(
    xp,
    input: Numbers,
    output_size: Any,
    kernel_size: length_first(Positive, 2),
    dilation: length_first(Positive, 2) = 1,
    padding: length_first(Natural, 2) = 0,
    stride: length_first(Positive, 2) = 1,
):
    """Sums columns into images (col2im), the transpose of `unfold`. Pixels in several windows get
    the sum.

    Shapes:
        `input` is (N, C * k_h * k_w, windows), or has the second axis split into C and k_h * k_w,
        or lacks N. The result is (N, C, *output_size), or lacks N if the input does, of the same
        dtype.

    Example:
        >>> columns = ms.ops.ones((1, 4, 2))
        >>> print(ms.ops.fold(columns, (2, 3), 2))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]
    """
    need_rank("fold", "input", input, 2, 3, 4)
    kernel_elements = per_dimension(kernel_size, 2)[0] * per_dimension(kernel_size, 2)[1]
    x = xp.expand_dims(input, 0) if input.ndim == 2 else input
    if input.ndim == 4:
        x = xp.reshape(x, (x.shape[0], x.shape[1] * x.shape[2], x.shape[3]))
    if x.shape[1] % kernel_elements:
        raise ValueError(
            f"For 'fold', the rows of 'input' must be a multiple of the {kernel_elements} "
            f"elements of the kernel, but got {x.shape[1]}."
        )
    x = xp.reshape(x, (x.shape[0], x.shape[1] // kernel_elements, kernel_elements, x.shape[2]))
    size = sizes_of("fold", "output_size", output_size, 1, 2)
    out = _fold(xp, "fold", x, size, kernel_size, dilation, padding, stride)
    return xp.squeeze(out, 0) if input.ndim == 2 else out


@op(
    "ops.col2im(input_x, output_size, kernel_size, dilation, padding_value, stride)",
    "ops.Col2Im(kernel_size, dilation=1, padding: padding_value=0, stride=1)(x: input_x, "
    "output_size)",
    "Tensor.col2im(output_size, kernel_size, dilation, padding_value, stride)",
    quirks=Quirks(
        rules=dict.fromkeys(("ops.col2im", "ops.Col2Im", "Tensor.col2im"), {"output_size": Index})
    ),
)
def col2im(
    xp,
    input_x: Columns,
    output_size: Any,
    kernel_size: length_first(Positive, 2),
    dilation: length_first(Positive, 2),
    padding_value: length_first(Natural, 2),
    stride: length_first(Positive, 2),
):
    """Sums columns into images, the transpose of `Im2Col`. Pixels in several windows get the sum.

    Shapes:
        `input_x` is (N, C, k_h * k_w, windows), `output_size` is (2,) of int32. The result is (N,
        C, *output_size), of the dtype of `input_x`.

    Example:
        >>> columns = ms.ops.ones((1, 1, 4, 2))
        >>> print(ms.ops.Col2Im(kernel_size=2)(columns, ms.Tensor([2, 3], ms.int32)))
        [[[[1. 2. 1.]
           [1. 2. 1.]]]]
    """
    need_rank("col2im", "input_x", input_x, 4)
    size = sizes_of("col2im", "output_size", output_size, 1, 2)
    return _fold(xp, "col2im", input_x, size, kernel_size, dilation, padding_value, stride)
