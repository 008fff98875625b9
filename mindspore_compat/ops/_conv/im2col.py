"""What convolution and pooling share: functions of `xp` with their gradients, and sizes.

The functions stand for those of _backend/conv/convolution.py, pooling.py and adaptive_pooling.py in
any body; each is given with its gradient, which is another of them, so that derivatives of every
order exist. Sizes are what public arguments (a number, a tuple, a padding mode) become: one number
per spatial dimension. The public operations are those of _conv and _pooling.
"""

from ..._backend.conv import adaptive_pooling, convolution, pooling
from ..._backend.space import extra
from ..._core.autograd.vjp_rules import CONSTANT, derive
from ..._core.tensor.dtype import int32, int64
from ..._core.tensor.tensor import Tensor

# Functions of xp: convolution ---------------------------------------------------------------------


@extra
def convolve_nd(xp, x, w, stride, pads, dilation, groups):
    """Cross-correlation of (batch, channels, ...) with (filters, channels / groups, kernel...)."""
    return convolution.convolve(xp, x, w, stride, pads, dilation, groups)


@extra
def convolve_input(xp, y, w, x_shape, stride, pads, dilation, groups):
    """The gradient of `convolve_nd` for its input: a transposed convolution of `y`."""
    return convolution.input_gradient(xp, y, w, x_shape, stride, pads, dilation, groups)


@extra
def convolve_weight(xp, y, x, w_shape, stride, pads, dilation, groups):
    """The gradient of `convolve_nd` for its weights."""
    return convolution.weight_gradient(xp, y, x, w_shape, stride, pads, dilation, groups)


@extra
def im2col(xp, x, kernel, stride, pads, dilation):
    """The windows of `x`, (batch, channels, kernel positions, windows)."""
    return convolution.im2col(xp, x, kernel, stride, pads, dilation)


@extra
def col2im(xp, y, size, kernel, stride, pads, dilation):
    """Windows added back into images of spatial `size`."""
    return convolution.col2im(xp, y, size, kernel, stride, pads, dilation)


derive(
    "convolve_nd(x, w, stride, pads, dilation, groups)",
    arrays="x w",
    x=lambda xp, g, w, x_shape, stride, pads, dilation, groups: xp.convolve_input(
        g, w, x_shape, stride, pads, dilation, groups
    ),
    w=lambda xp, g, x, w_shape, stride, pads, dilation, groups: xp.convolve_weight(
        g, x, w_shape, stride, pads, dilation, groups
    ),
)
derive(
    "convolve_input(y, w, x_shape, stride, pads, dilation, groups)",
    arrays="y w",
    y=lambda xp, g, w, stride, pads, dilation, groups: xp.convolve_nd(
        g, w, stride, pads, dilation, groups
    ),
    w=lambda xp, g, y, w_shape, stride, pads, dilation, groups: xp.convolve_weight(
        y, g, w_shape, stride, pads, dilation, groups
    ),
)
derive(
    "convolve_weight(y, x, w_shape, stride, pads, dilation, groups)",
    arrays="y x",
    y=lambda xp, g, x, stride, pads, dilation, groups: xp.convolve_nd(
        x, g, stride, pads, dilation, groups
    ),
    x=lambda xp, g, y, x_shape, stride, pads, dilation, groups: xp.convolve_input(
        y, g, x_shape, stride, pads, dilation, groups
    ),
)
derive(
    "im2col(x, kernel, stride, pads, dilation)",
    x=lambda xp, g, x_shape, kernel, stride, pads, dilation: xp.col2im(
        g, x_shape[2:], kernel, stride, pads, dilation
    ),
)
derive(
    "col2im(y, size, kernel, stride, pads, dilation)",
    y=lambda xp, g, kernel, stride, pads, dilation: xp.im2col(g, kernel, stride, pads, dilation),
)


# Functions of xp: pooling -------------------------------------------------------------------------


@extra
def max_pool(xp, x, kernel, stride, pads, dilation, ceil_mode=False):
    """The largest value of each window of the last dimensions."""
    return pooling.maximum(xp, x, kernel, stride, pads, dilation, ceil_mode)


@extra
def max_pool_index(xp, x, top, kernel, stride, pads, dilation):
    """Flat positions of the values `top` that `max_pool` found in `x`."""
    return pooling.index_of_maximum(xp, x, top, kernel, stride, pads, dilation)


@extra
def max_pool_gradient(xp, y, x, top, kernel, stride, pads, dilation):
    """Each element of `y` at the index of its window's maximum; sums where windows overlap."""
    return pooling.max_gradient(xp, y, x, top, kernel, stride, pads, dilation)


@extra
def max_pick(xp, u, x, top, kernel, stride, pads, dilation):
    """The elements of `u` at the indices of the maxima of `x`."""
    return pooling.max_pick(xp, u, x, top, kernel, stride, pads, dilation)


@extra
def average_pool(xp, x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None):
    """The mean of each window of the last dimensions."""
    return pooling.average(xp, x, kernel, stride, pads, ceil_mode, include, divisor)


@extra
def average_pool_gradient(xp, y, x_shape, kernel, stride, pads, ceil_mode, include, divisor):
    """The gradient of `average_pool`."""
    return pooling.average_gradient(xp, y, x_shape, kernel, stride, pads, include, divisor)


@extra
def adaptive_average(xp, x, goal):
    """Means over windows that divide the last dimensions into `goal` parts."""
    return adaptive_pooling.average(xp, x, goal)


@extra
def adaptive_pool_gradient(xp, y, size):
    """The gradient of `adaptive_average` for spatial `size`."""
    return adaptive_pooling.average_gradient(xp, y, size)


@extra
def adaptive_max_index(xp, x, goal):
    """Flat positions of the largest values of adaptive windows."""
    return adaptive_pooling.maximum(xp, x, goal)[1]


@extra
def take_spatial(xp, u, index, spatial):
    """The elements of `u` at flat positions of its last `spatial` dimensions."""
    return pooling.take_at(xp, u, index, spatial)


@extra
def add_spatial(xp, y, index, size):
    """Zeros of spatial `size` with `y` added at flat positions `index`."""
    return pooling.add_at(xp, y, index, size)


@extra
def put_spatial(xp, y, index, size):
    """Zeros of spatial `size` with `y` written at flat positions `index`."""
    return pooling.put_at(xp, y, index, size)


derive(
    "put_spatial(y, index, size)",
    arrays="y index",
    y=lambda xp, g, index, size: xp.take_spatial(g, index, len(size)),
)
derive(
    "max_pool(x, kernel, stride, pads, dilation, ceil_mode=False)",
    x=lambda xp, g, x, out, kernel, stride, pads, dilation: xp.max_pool_gradient(
        g, x, out, kernel, stride, pads, dilation
    ),
)
derive(
    "max_pool_gradient(y, x, top, kernel, stride, pads, dilation)",
    arrays="y x top",
    y=lambda xp, g, x, top, kernel, stride, pads, dilation: xp.max_pick(
        g, x, top, kernel, stride, pads, dilation
    ),
)
derive(
    "max_pick(u, x, top, kernel, stride, pads, dilation)",
    arrays="u x top",
    u=lambda xp, g, x, top, kernel, stride, pads, dilation: xp.max_pool_gradient(
        g, x, top, kernel, stride, pads, dilation
    ),
)
derive(
    "average_pool(x, kernel, stride, pads, ceil_mode=False, include=True, divisor=None)",
    x=lambda xp, g, x_shape, kernel, stride, pads, ceil_mode, include, divisor: (
        xp.average_pool_gradient(g, x_shape, kernel, stride, pads, ceil_mode, include, divisor)
    ),
)
derive(
    "average_pool_gradient(y, x_shape, kernel, stride, pads, ceil_mode, include, divisor)",
    arrays="y",
    y=lambda xp, g, kernel, stride, pads, ceil_mode, include, divisor: xp.average_pool(
        g, kernel, stride, pads, ceil_mode, include, divisor
    ),
)
derive(
    "adaptive_average(x, goal)",
    x=lambda xp, g, x_shape, goal: xp.adaptive_pool_gradient(g, tuple(x_shape[-len(goal) :])),
)
derive(
    "adaptive_pool_gradient(y, size)",
    y=lambda xp, g, y_shape, size: xp.adaptive_average(g, tuple(y_shape[-len(size) :])),
)
derive(
    "take_spatial(u, index, spatial)",
    arrays="u index",
    u=lambda xp, g, u_shape, index, spatial: xp.add_spatial(
        g, index, tuple(u_shape[len(u_shape) - spatial :])
    ),
)
derive(
    "add_spatial(y, index, size)",
    arrays="y index",
    y=lambda xp, g, index, size: xp.take_spatial(g, index, len(size)),
)
CONSTANT.update({"max_pool_index", "adaptive_max_index"})


# Sizes --------------------------------------------------------------------------------------------


def each(value, count):
    """One number per spatial dimension: `value` itself if it is a sequence, else repeated.

    A sequence of one number counts for all dimensions.
    """
    if isinstance(value, (tuple, list)):
        value = tuple(value)
        return value * count if len(value) == 1 else value
    return (value,) * count


def height_and_width(value):
    """Height and width of a size given as a number, two, or four of which the last two count."""
    return each(value, 2)[-2:]


def sided(value, count):
    """(before, after) pairs from a number, one number per dimension, or two per dimension."""
    value = each(value, count)
    if len(value) == 2 * count:
        return tuple(zip(value[::2], value[1::2]))
    return tuple((n, n) for n in value)


def padding_of(api, mode, padding, size, kernel, stride, dilation):
    """The pads that a mode stands for; refuses padding together with a mode that makes its own.

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
    """Refuses a Tensor of another number of dimensions."""
    if x.ndim not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise error(
            f"For '{api}', '{name}' must have {wanted} dimensions, but got shape {tuple(x.shape)}."
        )


def need_one_dtype(api, **arrays):
    """Refuses Tensors of different dtypes; absent ones are skipped.

    For bodies that layers run without the checks of a public name, where `SameDtype` is none.
    """
    present = {name: x for name, x in arrays.items() if x is not None}
    if len({x.dtype for x in present.values()}) > 1:
        names = ", ".join(f"'{name}'" for name in present)
        found = ", ".join(str(x.dtype) for x in present.values())
        raise TypeError(f"For '{api}', {names} must have the same dtype, but got {found}.")


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
        wanted = " or ".join(map(str, lengths))
        error = ValueError if len(value) in lengths else count_error
        raise error(f"For '{api}', '{name}' must be {wanted} positive ints, but got {value!r}.")
    return tuple(value)


def need_kernel_fits(api, size, kernel, pads, dilation):
    """Refuses a kernel that does not fit into the padded input."""
    if any(n + sum(p) < d * (k - 1) + 1 for n, p, k, d in zip(size, pads, kernel, dilation)):
        raise ValueError(
            f"For '{api}', the input after padding must be at least as large as the kernel, but "
            f"got input {size}, padding {pads}, kernel {kernel} and dilation {dilation}."
        )
