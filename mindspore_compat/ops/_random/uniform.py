"""Uniformly distributed floats and integers."""

from ..._backend.arrays import current_space
from ..._core.declare.op import op, space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import (
    AsValue,
    DType,
    Float,
    Forbid,
    Int,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
    floating,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._rules import Anything
from ..primitive import Primitive
from .generators import (
    Fractional,
    Seed,
    Shape,
    Whole,
    _dtype_like,
    _generator,
    _int_lengths,
    _Kernel,
    _lengths,
    _make,
    _shapes,
    _stream,
)


@op(compute="native")
def between(xp, low: TensorOf(any_dtype), high: TensorOf(any_dtype), drawn: TensorOf(floating)):
    """Computes low + (high - low) * drawn, in float32."""
    return xp.cast(low + (high - low) * drawn, "float32")


@public("ops.rand")
@checked
def rand(*size, dtype: Fractional = None, seed: Seed = None, generator=None):
    """Draws uniformly distributed numbers in [0, 1).

    Args:
        *size (Union[int, tuple[int], list[int]]): the shape.
        dtype (mindspore.dtype): a floating dtype. Default: float32.
        seed (int): a seed for this operator alone.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rand(2, 3).shape)
        (2, 3)

    Source: mindspore.ops.rand of MindSpore 2.10.
    """
    xp = current_space()
    return _make(_stream(generator, xp, seed, "rand").random(_int_lengths("rand", size)), dtype)


@public("ops.rand_like")
@checked
def rand_like(input: Anything, seed: Seed = None, *, dtype: Fractional = None):
    """Draws uniformly distributed numbers in [0, 1) in the shape of a Tensor; by default in its
    dtype.

    Args:
        input (Tensor): gives the shape.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): a floating dtype; None for that of `input`.

    Returns:
        Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.rand_like(ms.Tensor([1.0, 2.0])).shape)
        (2,)
    """
    dtype = _dtype_like("rand_like", input, dtype, Fractional)
    return _make(_generator(space_for(input._array), seed, "rand_like").random(input.shape), dtype)


@public("ops.uniform")
@checked
def uniform(
    shape: Shape,
    minval: TensorOf(any_dtype),
    maxval: TensorOf(any_dtype),
    seed: Seed = None,
    dtype: DType("float32", "int32") = None,
):
    """Draws uniformly distributed numbers in [minval, maxval): floats, or integers if `dtype` is
    int32.

    The bounds are Tensors of that dtype. Integer bounds have one element, and `minval` has no axes.

    Args:
        shape (Union[tuple[int], Tensor]): the shape of the result, if the bounds are scalars.
        minval (Tensor): the lower bound.
        maxval (Tensor): the upper bound.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): int32 or float32; None for float32.

    Returns:
        Tensor whose shape is `shape`, broadcast with the shapes of the bounds.

    Raises:
        TypeError: if an argument has the wrong type, or a bound has another dtype.
        ValueError: if an integer bound has several elements.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.uniform((2, 3), ms.Tensor(0.0), ms.Tensor(1.0)).shape)
        (2, 3)

    Source: mindspore.ops.uniform of MindSpore 2.10.
    """
    xp = current_space()
    low, high = minval._array, maxval._array
    shape = _lengths("uniform", (shape,))
    target = dtypes.float32 if dtype is None else dtype
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.dtype != target:
            raise TypeError(
                f"For 'uniform', '{name}' must have dtype {target}, but got {bound.dtype}."
            )
    draw = _generator(xp, seed, "uniform")
    if dtype == dtypes.int32:
        if low.ndim or high.size != 1:
            raise ValueError(
                f"For 'uniform', whole numbers need bounds without axes, but got "
                f"shapes {low.shape} and {high.shape}."
            )
        high = high.reshape(())
        return _make(draw.integers(int(low), int(high), shape), dtype)
    noise = xp.asarray(draw.random(xp.broadcast_shapes(shape, *_shapes(low, high))))
    return between.run(minval, maxval, Tensor._wrap(noise))


@public("ops.UniformReal")
class UniformReal(_Kernel):
    """Draws uniformly distributed float32 numbers in [0, 1): `ops.UniformReal(seed, seed2)(shape)`.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Union[tuple[int], Tensor]): the shape of the result.

    Outputs:
        float32 Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniformReal()((2, 3)).shape)
        (2, 3)
    """

    @checked
    def __call__(self, shape: Shape):
        lengths = _lengths("UniformReal", (shape,))
        return _make(self._draw(current_space(), lengths).random(lengths), None)


@public("ops.UniformInt")
class UniformInt(_Kernel):
    """Draws uniformly distributed int32 numbers in [minval, maxval): `ops.UniformInt(seed,
    seed2)(shape, minval, maxval)`.

    Args:
        seed (int): a seed for this Primitive alone, at least 0; if both seeds are 0, the global
            seed is used. Default: 0.
        seed2 (int): a second seed, at least 0. Default: 0.

    Inputs:
        - **shape** (Union[tuple[int], Tensor]): the shape of the result.
        - **minval** (Union[int, Tensor]): the lower bound, one int32 number.
        - **maxval** (Union[int, Tensor]): the end of the range, one int32 number that is never
          drawn.

    Outputs:
        int32 Tensor of shape `shape`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.UniformInt()((2, 3), ms.Tensor(0, ms.int32), ms.Tensor(5, ms.int32)).shape)
        (2, 3)
    """

    @checked
    def __call__(
        self, shape: Shape, minval: Int | TensorOf("int32"), maxval: Int | TensorOf("int32")
    ):
        if isinstance(minval, Tensor) and minval.ndim:
            raise ValueError(
                f"For 'UniformInt', 'minval' must have no axes, but got shape {minval.shape}."
            )
        low, high = int(minval), int(maxval)
        if low >= high:
            raise ValueError(
                f"For 'UniformInt', 'minval' must be below 'maxval', but got {low} and {high}."
            )
        lengths = _lengths("UniformInt", (shape,))
        draw = self._draw(current_space(), lengths)
        return _make(draw.integers(low, high, lengths), dtypes.int32)


@public("ops.randint")
@checked
def randint(
    low: Int,
    high: Int,
    size: AsValue(TupleOf(Int(ge=0)) | TensorOf("int32", "int64")),
    seed: Seed = None,
    *,
    dtype: Whole = None,
):
    """Draws random integers in [low, high); int64 by default.

    Args:
        low (int): the least integer.
        high (int): the end of the range, which is never drawn.
        size (Union[tuple[int], Tensor]): the shape of the result.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): the dtype of the result; None for int64.

    Returns:
        Tensor of shape `size`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randint(0, 5, (2, 3)).shape)
        (2, 3)

    Source: mindspore.ops.randint of MindSpore 2.10.
    """
    draw = _generator(current_space(), seed, "randint" if high - low < 1 << 32 else None)
    return _integers("randint", low, high, size, draw, dtype)


def _integers(api, low, high, size, draw, dtype):
    if low >= high:
        raise RuntimeError(f"For '{api}', 'low' must be below 'high', but got {low} and {high}.")
    return _make(draw.integers(low, high, _lengths(api, (size,))), dtype, "int64")


@public("ops.randint_like")
@checked
def randint_like(input: Anything, low: Int, high: Int, seed: Seed = None, *, dtype: Whole = None):
    """Draws random integers in [low, high) in the shape of a Tensor; by default in its dtype.

    Args:
        input (Tensor): gives the shape.
        low (int): the least integer.
        high (int): the end of the range, which is never drawn.
        seed (int): a seed for this call alone; None draws from the global seed.
        dtype (mindspore.dtype): the dtype of the result; None for that of `input`.

    Returns:
        Tensor of the shape of `input`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.randint_like(ms.Tensor([1, 2]), 0, 5).shape)
        (2,)
    """
    dtype = _dtype_like("randint_like", input, dtype, Whole)
    counted = "randint_like" if high - low < 1 << 32 else None
    draw = _generator(space_for(input._array), seed, counted)
    return _integers("randint_like", low, high, input.shape, draw, dtype)


@public("ops.operations.random_ops.Uniform")
class Uniform(Primitive):
    """Draws uniformly distributed numbers in [minval, maxval), in the shape and dtype of a Tensor.

    Args:
        minval (float): the lower bound, at least 0. Default: 0.0.
        maxval (float): the upper bound. Default: 1.0.
        seed (int): the seed of the draws; 0 uses the default generator. Default: 0.
        offset (int): checked, without effect. Default: 0.

    Raises:
        TypeError: if an argument has the wrong type, or the input is not a floating Tensor.
        ValueError: if `minval` is negative or larger than `maxval`.

    Example:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.ops.operations.random_ops import Uniform
        >>> print(Uniform(minval=1.0, maxval=2.0)(ms.ops.zeros((2, 3))).shape)
        (2, 3)

    Source: mindspore.ops.operations.random_ops.Uniform of MindSpore 2.10.
    """

    @checked(Forbid("minval > maxval"))
    def __init__(
        self,
        minval: Float(ge=0.0) = 0.0,
        maxval: Float(ge=0.0) = 1.0,
        seed: Int = 0,
        offset: Int = 0,
    ):
        super().__init__("Uniform")
        self.minval, self.maxval, self.seed, self.offset = minval, maxval, seed, offset

    @checked
    def __call__(self, x: TensorOf("float16", "float32", "float64")):
        xp = space_for(x._array)
        noise = _generator(xp, self.seed or None).random(x.shape)
        result = self.minval + noise * (self.maxval - self.minval)
        return Tensor._wrap(xp.asarray(result, x._array.dtype))
