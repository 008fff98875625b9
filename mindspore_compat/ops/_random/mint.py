"""Random numbers of `mindspore.mint`, with the arguments `generator` and `device`.

The generators are defined in _random/generators.py; `mint.randperm` is in _random/sampling.py.
`device` may only name the accelerator, "Ascend" or "npu", which stands for the current device
target, because MindSpore draws these numbers nowhere else.
"""

from ..._backend.arrays import SPACES, current_space
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    Bool,
    DType,
    InstanceOf,
    Int,
    Number,
    Str,
    TensorOf,
    checked,
    floating,
)
from ..._core.rules.vocabulary import any_dtype as every
from ..._core.tensor.tensor import Tensor
from .._shape.reshape import shape_of
from .distributions import moved
from .generators import _make, _shapes, _stream
from .sampling import _multinomial
from .uniform import _integers

_Device = Str | None

_Size = InstanceOf(tuple, list)

EveryDtype = TensorOf(every)
FloatDType = DType("float16", "float32", "float64", "bfloat16")
NumberOrTensor = Number | Bool | TensorOf(every)


def need_accelerator(api, device):
    """Rejects a device on which no random numbers can be drawn.

    Raises:
        TypeError: if `device` is not a str or None.
        RuntimeError: if it is the CPU.
        ValueError: if it is an unknown name.
    """
    if device is None:
        return
    if not isinstance(device, str):
        _Device.refuse(api, "device", device)
    if device in ("CPU", "cpu"):
        raise RuntimeError(
            f"For '{api}', 'device' must not be the CPU: leave it out for the "
            f"device target in force."
        )
    if device not in ("Ascend", "npu"):
        raise ValueError(f"For '{api}', 'device' must be 'Ascend' or 'npu', but got {device!r}.")


def _shape_and_dtype(api, size, dtype, device):
    """Returns the shape and the dtype; the dtype may follow a shape given as one sequence."""
    need_accelerator(api, device)
    if len(size) == 2 and isinstance(size[0], (tuple, list)):
        size, dtype = size[:1], size[1]
    FloatDType.refuse(api, "dtype", dtype) if dtype is not None else None
    return shape_of(api, size, ValueError), dtype


@public("mint.rand")
def rand(*size, generator=None, dtype=None, device=None):
    """Draws uniformly distributed numbers in [0, 1).

    Args:
        *size (Union[int, tuple(int), list(int)]): the shape.
        generator (mindspore.Generator): the source of the numbers. Default: the default generator.
        dtype (mindspore.dtype): a floating dtype. Default: float32.
        device (str): "Ascend" or "npu", the accelerator. Default: the device target.

    Returns:
        Tensor of shape `size`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `size` holds a negative number, or `device` is an unknown name.
        RuntimeError: if `device` is "CPU".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.rand(2, 3).shape)
        (2, 3)

    Source: mindspore.mint.rand of MindSpore 2.10.
    """
    shape, dtype = _shape_and_dtype("rand", size, dtype, device)
    return _make(_stream(generator or None, current_space()).random(shape), dtype)


@public("mint.randn")
def randn(*size, generator=None, dtype=None, device=None):
    """Draws numbers from the standard normal distribution.

    Args:
        *size (Union[int, tuple[int], list[int]]): the shape.
        generator (mindspore.Generator): the source of the numbers; None for the default generator.
        dtype (mindspore.dtype): a floating dtype; None for float32.
        device (str): "Ascend" or "npu", the accelerator; None for the device target.

    Returns:
        Tensor of shape `size`.

    Raises:
        TypeError: if an argument has the wrong type.
        ValueError: if `size` holds a negative number, or `device` is an unknown name.
        RuntimeError: if `device` is "CPU".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.randn(2, 3).shape)
        (2, 3)

    Source: mindspore.mint.randn of MindSpore 2.10.
    """
    shape, dtype = _shape_and_dtype("randn", size, dtype, device)
    return _make(_stream(generator or None, current_space()).standard_normal(shape), dtype)


def _space_and_dtype(api, input, dtype, device):
    """Returns the array namespace of the input's array, and the dtype of the result, which must be
    floating."""
    need_accelerator(api, device)
    target = input.dtype if dtype is None else dtype
    FloatDType.refuse(api, "dtype", target)
    return space_for(input._array), target


@public("mint.rand_like")
@checked
def rand_like(input: EveryDtype, *, dtype: DType = None, device=None):
    """Draws uniformly distributed numbers in [0, 1) in the shape of a Tensor.

    Args:
        input (Tensor): any shape.
        dtype (mindspore.dtype): a floating dtype. Default: the dtype of `input`.
        device (str): "Ascend" or "npu" for the accelerator.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        TypeError: if an argument has the wrong type, or `dtype` is not floating.
        ValueError: if `device` is an unknown name.
        RuntimeError: if `device` is "CPU".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.rand_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)

    Source: mindspore.mint.rand_like of MindSpore 2.10.
    """
    xp, target = _space_and_dtype("rand_like", input, dtype, device)
    return _make(_stream(None, xp).random(input.shape), target)


@public("mint.randn_like")
@checked
def randn_like(input: EveryDtype, *, dtype: DType = None, device=None):
    """Draws numbers from the standard normal distribution in the shape of a Tensor.

    Args:
        input (Tensor): gives the shape.
        dtype (mindspore.dtype): a floating dtype; None for that of `input`.
        device (str): "Ascend" or "npu", the accelerator; None for the device target.

    Returns:
        Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.randn_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)

    Source: mindspore.mint.randn_like of MindSpore 2.10.
    """
    xp, target = _space_and_dtype("randn_like", input, dtype, device)
    return _make(_stream(None, xp).standard_normal(input.shape), target)


@public("mint.randint")
def randint(*args, generator=None, dtype=None, device=None):
    """Draws random integers: `randint(low, high, size)` in [low, high), `randint(high, size)` in
    [0, high).

    Args:
        low (int): the smallest number. Default: 0.
        high (int): the upper bound, which is never drawn.
        size (Union[tuple(int), list(int)]): the shape.
        generator (mindspore.Generator): the source of the numbers. Default: the default generator.
        dtype (mindspore.dtype): the dtype. Default: int64.
        device (str): "Ascend" or "npu" for the accelerator.

    Returns:
        Tensor of shape `size`.

    Raises:
        TypeError: if a bound is not an int, `size` is neither a tuple nor a list, or the number of
            arguments is wrong.
        ValueError: if `low` is not below `high`, or `device` is an unknown name.
        RuntimeError: if `device` is "CPU".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.randint(0, 5, (2, 3)).shape)
        (2, 3)

    Source: mindspore.mint.randint of MindSpore 2.10.
    """
    need_accelerator("randint", device)
    low, high = _bounds("randint", args[:-1])
    if not isinstance(args[-1], (tuple, list)):
        _Size.refuse("randint", "size", args[-1])
    draw = _stream(generator or None, current_space())
    return _integers("randint", low, high, args[-1], draw, dtype)


def _bounds(api, bounds):
    """Returns the bounds of random integers, given the upper one or both."""
    if len(bounds) not in (1, 2):
        raise TypeError(f"For '{api}', there must be one bound or two, but got {len(bounds)}.")
    low, high = bounds if len(bounds) == 2 else (0, *bounds)
    Int.refuse(api, "low", low)
    Int.refuse(api, "high", high)
    return low, high


@public("mint.randint_like")
def randint_like(*args, dtype=None, device=None):
    """Draws random integers in the shape of a Tensor: `randint_like(input, low, high)` in [low,
    high), `randint_like(input, high)` in [0, high).

    Args:
        input (Tensor): any shape.
        low (int): the smallest number. Default: 0.
        high (int): the upper bound, which is never drawn.
        dtype (mindspore.dtype): the dtype. Default: the dtype of `input`.
        device (str): "Ascend" or "npu" for the accelerator.

    Returns:
        Tensor of the shape of `input`.

    Raises:
        TypeError: if `input` is not a Tensor, a bound is not an int, or the number of bounds is
            wrong.
        ValueError: if `low` is not below `high`, or `device` is an unknown name.
        RuntimeError: if `device` is "CPU".

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.randint_like(ms.Tensor([1.0, 2.0]), 5).shape)
        (2,)

    Source: mindspore.mint.randint_like of MindSpore 2.10.
    """
    need_accelerator("randint_like", device)
    EveryDtype.refuse("randint_like", "input", args[0] if args else None)
    low, high = _bounds("randint_like", args[1:])
    draw = _stream(None, space_for(args[0]._array))
    return _integers("randint_like", low, high, args[0].shape, draw, dtype or args[0].dtype)


@public("mint.normal")
@checked
def normal(mean: NumberOrTensor = 0.0, std: NumberOrTensor = 1.0, size=None, generator=None):
    """Draws numbers from the normal distribution. The mean and the standard deviation may be
    Tensors, which then determine the shape.

    Args:
        mean (Union[float, int, Tensor]): the mean. Default: 0.0.
        std (Union[float, int, Tensor]): the standard deviation, at least 0. Default: 1.0.
        size (tuple[int]): the shape; required if both are numbers.
        generator (mindspore.Generator): the source of the numbers. Default: the default generator.

    Returns:
        Tensor of shape `size`, or of the shape to which `mean` and `std` broadcast.

    Raises:
        TypeError: if `mean` or `std` is neither a number nor a Tensor, or `size` is missing.
        ValueError: if `std` is a number below 0.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.normal(0.0, 1.0, (2, 3)).shape)
        (2, 3)

    Source: mindspore.mint.normal of MindSpore 2.10.
    """
    xp = current_space()
    mean, std = (
        argument if isinstance(argument, Tensor) else float(argument) for argument in (mean, std)
    )
    alone = isinstance(mean, float) and isinstance(std, float)
    if alone and size is None:
        raise TypeError("For 'normal', 'size' must be given where 'mean' and 'std' are numbers.")
    if isinstance(std, float) and not std >= 0:
        raise ValueError(f"For 'normal', 'std' must be at least 0, but got {std}.")
    whole = xp.broadcast_shapes(
        () if size is None else shape_of("normal", (size,), ValueError), *_shapes(mean, std)
    )
    return moved(mean, std, _stream(generator, xp).standard_normal(whole))


@public("mint.bernoulli", "Tensor.bernoulli")
@checked
def bernoulli(input: TensorOf(floating), *, generator=None):
    """Draws Bernoulli samples: 1 with the probability given by each element, else 0.

    Args:
        input (Tensor): probabilities, floats in [0, 1].
        generator (mindspore.Generator): the source of the numbers. Default: the default generator.

    Returns:
        Tensor of zeros and ones, of the shape and dtype of `input`.

    Raises:
        TypeError: if `input` is not a floating Tensor.
        ValueError: if an element is not in [0, 1].

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.bernoulli(ms.Tensor([0.0, 1.0])))
        [0. 1.]

    Source: mindspore.mint.bernoulli of MindSpore 2.10.
    """
    chances = input._array
    xp = space_for(chances)
    if type(chances) in SPACES and not bool(((chances >= 0) & (chances <= 1)).all()):
        raise ValueError("For 'bernoulli', 'input' must hold numbers in [0, 1].")
    return _make(_stream(generator, xp).random(input.shape) < chances, None, chances.dtype)


@public("mint.multinomial")
@checked
def multinomial(input: EveryDtype, num_samples: Int, replacement: Bool = False, *, generator=None):
    """Draws category indices with probabilities proportional to the weights in each row; int64.

    Args:
        input (Tensor): weights, one row or several.
        num_samples (int): the number of indices drawn from each row.
        replacement (bool): whether an index may be drawn again.
        generator (mindspore.Generator): the source of the numbers. Default: the default generator.

    Returns:
        int64 Tensor of shape (num_samples,), or (rows, num_samples) for several rows.

    Raises:
        TypeError: if an argument has the wrong type.
        RuntimeError: if `num_samples` is below 1, or above the length of a row without replacement.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.multinomial(ms.Tensor([0.0, 1.0]), 1))
        [1]

    Source: mindspore.mint.multinomial of MindSpore 2.10.
    """
    length = input.shape[-1] if input.ndim else 0
    if not replacement and num_samples > length:
        raise RuntimeError(
            f"For 'multinomial', 'num_samples' must be at most {length} without "
            f"replacement, but got {num_samples}."
        )
    draw = _stream(generator, space_for(input._array))
    return _multinomial(input, num_samples, replacement, draw, "int64")
