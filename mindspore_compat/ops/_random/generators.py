"""Selects the generators of random operators.

Without a seed, an operator draws from the default generator, which `mindspore.set_seed` seeds. With
a seed, it draws from the generator of that seed, which continues from call to call (a primitive has
one per instance). `bernoulli`, `randperm`, `multinomial_with_replacement` and `random_categorical`
return the same numbers at every call with the same seed. The `mint` forms, which take a
mindspore.Generator, are in _random/mint.py.

With a seed, `rand`, `randn`, `randint` and the functions related to them, `laplace`, `multinomial`
and `bernoulli` draw MindSpore's numbers on the host (_backend/random/kernels.py). The numbers of
the others differ from MindSpore's.
"""

import numpy

from ..._backend.arrays import current_space
from ..._backend.random import kernels, streams
from ..._core.rules.vocabulary import (
    AsValue,
    DType,
    Int,
    TensorOf,
    TupleOf,
    checked,
    floating,
    integer,
)
from ..._core.tensor import dtype as dtypes
from ..._core.tensor.tensor import Tensor
from .._shape.reshape import shape_of
from ..primitive import Primitive

Shape = TupleOf(Int(ge=0)) | TensorOf("int32", "int64")
Seed = Int(ge=0) | None
Fractional, Whole = AsValue(DType(floating)), AsValue(DType(integer))


def _generator(xp, seed=None, counted=None, kind=None):
    """Returns the generator for one draw: the generator of the seed if one is given, else the
    default generator. If the name of the function whose calls are `counted` is given, it draws
    MindSpore's numbers, with the `kind` of generator that of_call has.
    """
    if counted:
        return _Draw(lambda: kernels.of_call(counted, seed, kind), xp)
    return _Draw(lambda: streams.stream(seed), xp)


def _lengths(api, shape):
    """Returns the shape of a draw; rejects negative lengths."""
    lengths = shape_of(api, shape, ValueError)
    if any(length < 0 for length in lengths):
        raise ValueError(f"For '{api}', the shape must hold ints >= 0, but got {lengths}.")
    return lengths


def _int_lengths(api, size):
    """Returns the shape of a draw; rejects negative lengths, and Tensors in place of ints."""
    several = len(size) == 1 and isinstance(size[0], (tuple, list))
    for length in size[0] if several else size:
        if isinstance(length, Tensor):
            Int.refuse_part(api, "size", length)
    return _lengths(api, size)


class _Draw:
    """A generator that takes numbers from a stream at its first use, when `make_stream` returns the
    stream. If the operator fails, the stream is restored, so that a rejected call draws no numbers.
    """

    def __init__(self, make_stream, xp):
        self._make_stream = make_stream
        self._xp = xp
        self._stream_generator = None

    def __getattr__(self, name):
        def call(*args, **kwargs):
            if self._stream_generator is not None:
                return getattr(self._stream_generator, name)(*args, **kwargs)
            stream = self._make_stream()
            before = stream.state()
            self._stream_generator = stream.next(self._xp)
            try:
                return getattr(self._stream_generator, name)(*args, **kwargs)
            except BaseException:
                self._stream_generator = None
                stream.restore(before)
                raise

        return call


def _first(xp, seed, offset=None):
    """Returns the first generator of the seeds at every call; without seeds, the next generator of
    the default stream."""
    return (streams.start(seed, offset) if seed or offset else streams.default).next(xp)


class _Seeded(Primitive):
    """The base class of primitives with two seeds: each instance has its own stream, or uses the
    default stream if both seeds are 0.
    """

    @checked
    def __init__(self, seed: Int(ge=0) = 0, seed2: Int(ge=0) = 0):
        self._set(seed, seed2)

    def _set(self, seed, seed2):
        Primitive.__init__(self, type(self).__name__)
        self.seed, self.seed2 = seed, seed2
        self._own_stream = streams.start(seed, seed2) if seed or seed2 else None

    @property
    def _stream(self):
        return self._own_stream or streams.default

    def _draw(self, xp):
        """Returns the generator for one call."""
        return _Draw(lambda: self._stream, xp)


class _Kernel(_Seeded):
    """The base class of the primitives that draw MindSpore's numbers for their two seeds."""

    _kind = None  # see kernels.KernelStream

    def _set(self, seed, seed2):
        super()._set(seed, seed2)
        self._kernels = kernels.Kernels((seed, seed2), self._kind)

    def _draw(self, xp, shape):
        """Returns the generator for one call, which draws a shape."""
        if xp.module is numpy and (self.seed or self.seed2):
            return _Draw(lambda: self._kernels.stream(shape), xp)
        return super()._draw(xp)


def _make(array, dtype, default="float32"):
    if not getattr(array, "shape", ()):
        array = current_space().asarray(array)  # NumPy returns a single number as a scalar
    target = default if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(array if array.dtype == target else array.astype(target))


def _number(value):
    """Converts a number or a Tensor to the form that generators accept."""
    return value._array if isinstance(value, Tensor) else value


def _stream(generator, xp, seed=None, counted=None, kind=None):
    """Returns the generator for one draw, where a mindspore.Generator may be given. Functions of
    shapes and `random_` pass `generator or None`, since MindSpore ignores a false one there."""
    if generator is None:
        return _generator(xp, seed, counted, kind)
    if not hasattr(generator, "_stream"):
        raise AttributeError(
            f"For 'generator', a mindspore.Generator is needed, but got {generator!r}."
        )
    return _Draw(lambda: generator._stream, xp)


def _dtype_like(api, input, dtype, rule):
    """Returns the given dtype, or the dtype of the input. Checks both with the same rule."""
    dtype = input.dtype if dtype is None else dtype
    rule.refuse(api, "dtype", dtype)
    return dtype


def _shapes(*values):
    return [v.shape for v in values if hasattr(v, "shape")]
