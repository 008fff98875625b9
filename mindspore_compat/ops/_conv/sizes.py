"""Sizes of convolution and pooling: public arguments (a number, a tuple, a padding mode) as one
number per spatial dimension. The public operations are those of _conv and _pooling.
"""

from ..._backend.conv import pooling
from ..._core.tensor.dtype import int32, int64
from ..._core.tensor.tensor import Tensor


def per_dimension(value, count):
    """One number per spatial dimension: `value` itself if it is a sequence, else repeated.

    A sequence of one number counts for all dimensions.
    """
    if isinstance(value, (tuple, list)):
        value = tuple(value)
        return value * count if len(value) == 1 else value
    return (value,) * count


def height_and_width(value):
    """Height and width of a size given as a number, two, or four of which the last two count."""
    return per_dimension(value, 2)[-2:]


def sided(value, count):
    """(before, after) pairs from a number, one number per dimension, or two per dimension."""
    value = per_dimension(value, count)
    if len(value) == 2 * count:
        return tuple(zip(value[::2], value[1::2]))
    return tuple((n, n) for n in value)


def padding_of(api, mode, padding, size, kernel, stride, dilation):
    """The pads that a mode stands for; rejects explicit padding with a mode that computes its own.

    Args:
        api (str): the public name, for the message.
        mode (str): "same", "valid" or "pad", in any case.
        padding: as `sided` takes it.
        size, kernel, stride, dilation (tuple): one number per spatial dimension.
    """
    pads = sided(padding, len(size))
    if mode.lower() != "pad" and any(map(any, pads)):
        raise ValueError(
            f"For '{api}', 'padding' must be 0 where 'pad_mode' is '{mode}', but got {padding!r}."
        )
    return pooling.resolve_pads(mode, size, kernel, stride, dilation, pads)


def need_rank(api, name, x, *ranks, error=ValueError):
    """Rejects a Tensor of another rank."""
    if x.ndim not in ranks:
        choices = " or ".join(map(str, ranks))
        raise error(
            f"For '{api}', '{name}' must have {choices} dimensions, but got shape {tuple(x.shape)}."
        )


def need_one_dtype(api, **arrays):
    """Rejects Tensors of different dtypes; absent ones are skipped.

    For bodies that layers run without the checks of a public name, where `SameDtype` is none.
    """
    present = {name: x for name, x in arrays.items() if x is not None}
    if len({x.dtype for x in present.values()}) > 1:
        names = ", ".join(f"'{name}'" for name in present)
        dtypes = ", ".join(str(x.dtype) for x in present.values())
        raise TypeError(f"For '{api}', {names} must have the same dtype, but got {dtypes}.")


def sizes_of(api, name, value, *lengths, count_error=ValueError, batch=False):
    """A size given as a number, a sequence of numbers, or an integer Tensor; as a tuple of ints.

    Args:
        api, name (str): the public name and the parameter, for messages.
        value: what was given.
        *lengths (int): how many numbers there may be; with 1, a single number will do.
        count_error (type): raised for another count.
        batch (bool): the first number is that of a batch, which may be 0.
    """
    if isinstance(value, int) and type(value) is not bool and 1 in lengths:
        value = (value,)
    if isinstance(value, Tensor) and value.dtype in (int32, int64):
        if value.ndim != 1:
            raise ValueError(f"For '{api}', '{name}' must have 1 dimension, but got {value.ndim}.")
        value = tuple(int(n) for n in value.asnumpy())
    if not isinstance(value, (tuple, list)) or not all(type(n) is int for n in value):
        raise TypeError(
            f"For '{api}', '{name}' must be ints or an integer Tensor, but got {value!r}."
        )
    too_low = any(n < (0 if batch and not i else 1) for i, n in enumerate(value))
    if len(value) not in lengths or too_low:
        choices = " or ".join(map(str, lengths))
        error = ValueError if len(value) in lengths else count_error
        raise error(f"For '{api}', '{name}' must be {choices} positive ints, but got {value!r}.")
    return tuple(value)


def need_kernel_fits(api, size, kernel, pads, dilation):
    """Rejects a kernel larger than the padded input."""
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the input after padding must be at least as large as the kernel, but "
            f"got input {size}, padding {pads}, kernel {kernel} and dilation {dilation}."
        )
