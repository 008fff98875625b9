"""The generator that a random op draws from, and what such ops share.

Without a seed an op draws from the default stream, which `mindspore.set_seed` starts; with a seed
of its own from the stream of that seed, which goes on from call to call (a primitive has one for
each instance). `bernoulli`, `randperm`, `multinomial_with_replacement` and `random_categorical`
give the same numbers at every call with the same seed. The `mint` forms, which take a generator
(mindspore.Generator), are in _random/mint.py. The distributions, shapes and dtypes are those of the
original; the numbers are not.
"""

from ..._backend import random
from ..._backend.arrays import current_space
from ..._core.rules.vocabulary import (
    AsValue,
    DType,
    Int,
    ListOf,
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

Shape = TupleOf(Int(ge=0)) | ListOf(Int(ge=0)) | TensorOf("int32", "int64")
Seed = Int(ge=0) | None
Fractional, Whole = AsValue(DType(floating)), AsValue(DType(integer))


def _generator(xp, seed=None):
    """One draw's generator: of the seed's stream if there is one, else of the default stream."""
    return _Draw(random.stream(seed), xp)


def _lengths(api, shape):
    """The shape of a draw; no length may be negative."""
    lengths = shape_of(api, shape)
    if any(length < 0 for length in lengths):
        raise ValueError(f"For '{api}', the shape must hold ints >= 0, but got {lengths}.")
    return lengths


class _Draw:
    """A generator that the first call takes from a stream; a refused call gives it back, so that it
    draws nothing.
    """

    def __init__(self, stream, xp):
        self._stream = stream
        self._xp = xp
        self._taken = None

    def __getattr__(self, name):
        def call(*args, **kwargs):
            if self._taken is not None:
                return getattr(self._taken, name)(*args, **kwargs)
            before = self._stream.state()
            self._taken = self._stream.next(self._xp)
            try:
                return getattr(self._taken, name)(*args, **kwargs)
            except BaseException:
                self._taken = None
                self._stream.restore(before)
                raise

        return call


def _first(xp, seed, offset=None):
    """The first generator of the seeds, at every call, if there are any."""
    return (random.start(seed, offset) if seed or offset else random.default).next(xp)


class _Seeded(Primitive):
    """What primitives with two seeds share: a stream for each instance, or, if both seeds are 0,
    the default one.
    """

    @checked
    def __init__(self, seed: Int(ge=0) = 0, seed2: Int(ge=0) = 0):
        self._set(seed, seed2)

    def _set(self, seed, seed2):
        Primitive.__init__(self, type(self).__name__)
        self.seed, self.seed2 = seed, seed2
        self._own = random.start(seed, seed2) if seed or seed2 else None

    @property
    def _stream(self):
        return self._own or random.default

    def _draw(self, xp):
        """The generator of one call."""
        return _Draw(self._stream, xp)


def _make(array, dtype, default="float32"):
    if not getattr(array, "shape", ()):
        array = current_space().asarray(array)  # NumPy draws one number as a plain one
    target = default if dtype is None else dtypes.to_numpy(dtype)
    return Tensor._wrap(array if array.dtype == target else array.astype(target))


def _number(value):
    """A number or a Tensor argument, in the form that generators take."""
    return value._array if isinstance(value, Tensor) else value


def _stream(generator, xp, seed=None):
    """The generator of one draw, where a mindspore.Generator may be given."""
    if generator is None:
        return _generator(xp, seed)
    return _Draw(generator._stream, xp)


def _dtype_like(api, input, dtype, rule):
    """The dtype that was given, or that of the input, which is checked like it."""
    dtype = input.dtype if dtype is None else dtype
    rule.refuse(api, "dtype", dtype)
    return dtype


def _shapes(*values):
    return [v.shape for v in values if hasattr(v, "shape")]
