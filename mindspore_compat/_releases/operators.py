"""Earlier meanings of functions of `ops` and of methods of Tensor."""

from .. import ops
from .._core.tensor.tensor import Tensor
from ..ops._legacy.keywords import interpolate as earlier_interpolate
from .earlier import instead


@instead
def split(today, input_x, axis=0, output_num=1):
    """Splits into `output_num` parts of the same length."""
    return ops.Split(axis, output_num)(input_x)


@instead
def pad(today, input_x, paddings):
    """Pads every axis by its pair of numbers, from the first axis on."""
    return ops.Pad(paddings)(input_x)


@instead
def meshgrid(today, inputs, indexing="xy"):
    """Takes the vectors as one tuple."""
    return today(*inputs, indexing=indexing)


@instead
def largest(today, x, axis=0, keep_dims=False):
    """Returns the index, then the value, along the first axis by default."""
    return ops.ArgMaxWithValue(axis, keep_dims)(x)


@instead
def smallest(today, x, axis=0, keep_dims=False):
    """Returns the index, then the value, along the first axis by default."""
    return ops.ArgMinWithValue(axis, keep_dims)(x)


@instead
def norm(today, input_x, axis, p=2, keep_dims=False, epsilon=1e-12):
    """Computes the p-norm along axes, which must be given."""
    return ops.LpNorm(axis, p, keep_dims, epsilon)(input_x)


@instead
def std(today, input_x, axis=(), unbiased=True, keep_dims=False):
    """Divides by the number of elements minus 1 by default."""
    return today(input_x, None if axis == () else axis, int(unbiased), keep_dims)


@instead
def dropout(today, x, p=0.5, seed0=0, seed1=0):
    """Returns the result and the mask, and always drops."""
    return ops.Dropout(1.0 - p, seed0, seed1)(x)


@instead
def dropout2d(today, x, p=0.5):
    """Returns the result and the mask, and always drops."""
    return ops.Dropout2D(1.0 - p)(x)


@instead
def dropout3d(today, x, p=0.5):
    """Returns the result and the mask, and always drops."""
    return ops.Dropout3D(1.0 - p)(x)


@instead
def drawn(today, shape, seed=0, seed2=0):
    """Takes two seeds. If both are 0, the seed is drawn at random."""
    return today(shape, seed or seed2 or None)


@instead
def random_gamma(today, shape, alpha, seed=0, seed2=0):
    """Takes two seeds. If both are 0, the seed is drawn at random."""
    return today(shape, alpha, seed or seed2 or None)


@instead
def conv2d(today, inputs, weight, pad_mode="valid", padding=0, stride=1, dilation=1, group=1):
    """Has no bias, and the padding before the stride."""
    return today(inputs, weight, None, stride, pad_mode, padding, dilation, group)


@instead
def avg_pool2d(today, x, kernel_size=1, strides=1, pad_mode="valid", data_format="NCHW"):
    """Takes a padding mode instead of numbers."""
    return ops.AvgPool(kernel_size, strides, pad_mode, data_format)(x)


@instead
def interpolate(
    today,
    x,
    roi=None,
    scales=None,
    sizes=None,
    coordinate_transformation_mode="align_corners",
    mode="linear",
):
    """Takes scales before sizes; the default mode is "linear"."""
    return earlier_interpolate(x, roi, scales, sizes, coordinate_transformation_mode, mode)


@instead
def extreme_method(
    today, self, axis=None, keepdims=False, *, initial=None, where=True, return_indices=False
):
    """Returns the value alone, along an axis too."""
    return today(
        self,
        axis=axis,
        keepdims=keepdims,
        initial=initial,
        where=where,
        return_indices=return_indices,
    )


@instead
def item_at(today, self, index=None):
    """Returns the element at an index as a Python number."""
    return self.asnumpy().item() if index is None else self.asnumpy().item(index)


@instead
def item_as_tensor(today, self, index=None):
    """Returns the element at an index as a Tensor, of a Tensor without axes as a NumPy array."""
    values = self.asnumpy()
    if self.ndim == 0:
        return values
    return Tensor(values.item() if index is None else values.item(index), self.dtype)


@instead
def repeat_elements(today, self, repeats, axis=None):
    """Repeats each element along an axis, or all elements of the flattened Tensor."""
    return self.repeat_interleave(repeats, axis)


@instead
def xlogy_of_numbers(today, self, input, other):
    """Accepts a number in place of one Tensor."""
    if not isinstance(input, Tensor):
        input = Tensor(input, other.dtype)
    elif not isinstance(other, Tensor):
        other = Tensor(other, input.dtype)
    return today(self, input, other)
