"""Converts the public size arguments of convolution and pooling (a number, a tuple, a padding mode)
to one number per spatial dimension. The packages _conv and _pooling use it.
"""

import functools

from ..._backend.conv import pooling
from ..._core.tensor.dtype import int32, int64
from ..._core.tensor.tensor import Tensor


def cached(function):
    """Caches the results of a function of sizes, as `functools.lru_cache` does. A call with a list
    computes its result."""
    find = functools.lru_cache(maxsize=1024)(function)

    @functools.wraps(function)
    def call(*args):
        try:
            return find(*args)
        except TypeError:
            return function(*args)

    return call


def per_dimension(value, count):
    """Returns one number per spatial dimension, given a number or a sequence.

    A single number, including in a sequence of length 1, is repeated.
    """
    if type(value) is int:
        return (value,) * count
    if isinstance(value, (tuple, list)):
        value = tuple(value)
        return value * count if len(value) == 1 else value
    return (value,) * count


def height_and_width(value):
    """Returns (height, width), given one number, two, or four of which the last two count."""
    return per_dimension(value, 2)[-2:]


def sided(value, count):
    """Returns (before, after) pairs, given a number, one number per dimension, or two per
    dimension."""
    value = per_dimension(value, count)
    if len(value) == 2 * count:
        return tuple(zip(value[::2], value[1::2]))
    return tuple((n, n) for n in value)


@cached
def padding_of(api, mode, padding, size, kernel, stride, dilation):
    """Returns the padding that a mode implies; rejects explicit padding unless the mode is "pad".

    Args:
        api (str): the public name, for the message.
        mode (str): "same", "valid" or "pad", in any case.
        padding: as `sided` accepts it.
        size, kernel, stride, dilation (tuple): one number per spatial dimension.
    """
    pads = sided(padding, len(size))
    if mode.lower() != "pad" and any(map(any, pads)):
        raise ValueError(
            f"For '{api}', 'padding' must be 0 where 'pad_mode' is '{mode}', but got {padding!r}."
        )
    return pooling.resolve_pads(mode, size, kernel, stride, dilation, pads)


def need_rank(api, name, x, *ranks, error=ValueError):
    """Rejects a Tensor whose rank is not one of `ranks`."""
    if x.ndim not in ranks:
        choices = " or ".join(map(str, ranks))
        raise error(
            f"For '{api}', '{name}' must have {choices} dimensions, but got shape {tuple(x.shape)}."
        )


def need_one_dtype(api, **arrays):
    """Rejects arrays of different dtypes; ignores those that are None.

    It serves bodies that layers call directly, without the `SameDtype` check of a public name.
    """
    present = {name: x for name, x in arrays.items() if x is not None}
    if len({x.dtype for x in present.values()}) > 1:
        names = ", ".join(f"'{name}'" for name in present)
        dtypes = ", ".join(str(x.dtype) for x in present.values())
        raise TypeError(f"For '{api}', {names} must have the same dtype, but got {dtypes}.")


def sizes_of(api, name, value, *lengths, count_error=ValueError, batch=False):
    """Returns a size as a tuple of ints, given a number, a sequence of numbers, or an integer
    Tensor.

    Args:
        api, name (str): the public name and the parameter, for messages.
        value: the size, as the user passed it.
        *lengths (int): the allowed lengths; a single number is accepted if 1 is one of them.
        count_error (type): raised for any other length.
        batch (bool): whether the first number is a batch size, which may be 0.
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
