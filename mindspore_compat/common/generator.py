"""Generators of random numbers: a seed and an offset that can be read and restored."""

import struct

import numpy

from .._backend.random import kernels, streams
from .._core.context.config import get_seed, set_seed
from .._core.rules.vocabulary import InstanceOf, Int, checked
from .._core.tensor.dtype import int64
from .._core.tensor.tensor import Tensor

__all__ = [
    "Generator",
    "default_generator",
    "get_rng_state",
    "initial_seed",
    "manual_seed",
    "seed",
    "set_rng_state",
]

STATE_BYTES = 16


class Generator:
    """Random number generator: a stream of numbers that random functions draw from.

    Equal seeds and equal numbers of draws give equal numbers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.Generator().manual_seed(5).initial_seed())
        5

    Source: mindspore.Generator of MindSpore 2.10.
    """

    def __init__(self):
        self._stream = streams.Stream(0)

    @checked
    def manual_seed(self, seed: Int):
        """Restarts the generator from `seed`, and returns it.

        Raises:
            TypeError: if `seed` is not an int.
        """
        self._stream.restore((seed, 0))
        return self

    def seed(self):
        """Restarts the generator from a seed drawn from the system, and returns that seed."""
        self._stream.restore(streams.Stream().state())
        return self.initial_seed()

    def initial_seed(self):
        """Returns the seed from which the generator started."""
        return self._stream.seed

    def get_state(self):
        """Returns the seed and the number of draws, as a uint8 Tensor of 16 bytes. After
        `set_seed`, further bytes of the default generator have the state of dropout and of the
        other operators that draw MindSpore's numbers."""
        packed = struct.pack("<qq", *self._stream.state())
        if self._stream is streams.default:
            packed += kernels.state()
        return Tensor(numpy.frombuffer(packed, numpy.uint8))

    def set_state(self, state):
        """Restores a state that `get_state` returned.

        Raises:
            TypeError: if `state` is not a Tensor.
            ValueError: if it is no such state.
        """
        InstanceOf(Tensor).refuse("Generator.set_state", "state", state)
        packed = state.asnumpy().astype(numpy.uint8).tobytes()
        numbers, kernel_state = packed[:STATE_BYTES], packed[STATE_BYTES:]
        is_default = self._stream is streams.default
        if len(numbers) != STATE_BYTES or kernel_state and not is_default:
            raise ValueError(
                f"For 'Generator.set_state', 'state' must hold 16 bytes, but got {len(packed)}."
            )
        if is_default:
            kernels.restore(kernel_state)
        self._stream.restore(struct.unpack("<qq", numbers))

    def _step(self, step):
        """Advances the stream by a number of draws.

        Args:
            step (Tensor): the number.

        Returns:
            tuple[Tensor], seed and offset before, of int64.

        Raises:
            TypeError: if `step` is not a Tensor.
        """
        InstanceOf(Tensor).refuse("Generator._step", "step", step)
        seed, offset = self._stream.state()
        self._stream.restore((seed, offset + int(step)))
        return Tensor(seed, int64), Tensor(offset, int64)


default_generator = Generator()
default_generator._stream = streams.default


def manual_seed(seed):
    """Restarts the default generator from `seed` and returns it; raises TypeError unless it is an
    int.

    Args:
        seed (int): the seed.

    Returns:
        The default generator.

    Example:
        >>> import mindspore_compat as ms
        >>> generator = ms.manual_seed(5)
        >>> ms.initial_seed()
        5

    Source: mindspore.manual_seed of MindSpore 2.10.
    """
    return default_generator.manual_seed(seed)


def seed():
    """Restarts the default generator from a seed drawn from the system, and returns that seed.

    Example:
        >>> import mindspore_compat as ms
        >>> number = ms.seed()
        >>> ms.initial_seed() == number
        True
    """
    return default_generator.seed()


# In releases 1.x this name is a module, and scripts read its attributes.
seed.get_seed, seed.set_seed = get_seed, set_seed


def initial_seed():
    """Returns the seed from which the default generator started.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.initial_seed()).__name__)
        int

    Source: mindspore.initial_seed of MindSpore 2.10.
    """
    return default_generator.initial_seed()


def get_rng_state():
    """Returns the state of the default generator, see `Generator.get_state`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.get_rng_state().dtype)
        UInt8

    Source: mindspore.get_rng_state of MindSpore 2.10.
    """
    return default_generator.get_state()


def set_rng_state(state):
    """Restores a state of the default generator; errors as for `Generator.set_state`.

    Args:
        state (Tensor): what `get_rng_state` has returned.

    Example:
        >>> import mindspore_compat as ms
        >>> state = ms.get_rng_state()
        >>> first = ms.mint.rand(2)
        >>> ms.set_rng_state(state)
        >>> print((ms.mint.rand(2) == first).all())
        True

    Source: mindspore.set_rng_state of MindSpore 2.10.
    """
    default_generator.set_state(state)
