"""How a line of the census writes operands: arrays drawn by shape and domain, and `of(...)`."""

import numpy as np

from mindspore_compat._core.tensor.tensor import Tensor


class Fixed:
    """A float operand that is not differentiated: targets, boxes, sizes."""

    def __init__(self, values):
        self.values = np.asarray(values, np.float64)


def x(*shape, seed=0, scale=1.0, away=(), low=None, high=None):
    """Returns float operands: normal numbers off the kinks `away`, or uniform from `low` to
    `high`."""
    rng = np.random.default_rng(seed + sum(shape))
    if low is not None:
        return rng.uniform(low, high, shape)
    values = rng.standard_normal(shape) * scale
    for kink in away:
        values = np.where(np.abs(values - kink) < 0.05, kink + 0.1, values)
    return values


def positive(*shape, seed=0):
    """Returns floats from 0.3 to 2."""
    return x(*shape, seed=seed, low=0.3, high=2.0)


def unit(*shape, seed=0):
    """Returns floats from 0.1 to 0.9."""
    return x(*shape, seed=seed, low=0.1, high=0.9)


def apart(*shape, seed=0):
    """Returns floats at least 0.1 apart, so that a small step does not change their order."""
    count = int(np.prod(shape))
    order = np.random.default_rng(seed + count).permutation(count)
    return (order * 0.37 - count / 6 + 0.05).reshape(shape)


def definite(n, *lead, seed=0):
    """Returns symmetric positive definite matrices."""
    half = x(*lead, n, n, seed=seed)
    return half @ half.swapaxes(-1, -2) + n * np.eye(n)


def ints(values, dtype=np.int64):
    """Returns an integer operand."""
    return np.asarray(values, dtype)


def bools(values):
    """Returns a boolean operand."""
    return np.asarray(values, bool)


def fixed(values):
    """Returns a float operand that is not differentiated."""
    return Fixed(values)


class AmongAttributes:
    """An array that the body receives as a Tensor although it is not an input."""

    def __init__(self, values):
        self.values = values


def among_attributes(values):
    """Returns an integer Tensor among the attributes."""
    return AmongAttributes(values)


class Case:
    """The operands of one op, by parameter.

    Attributes:
        values (dict): arrays, lists of arrays, and attributes; absent ones have their defaults.
        fixed (set): float operands for which no derivative is computed.
        steady (bool): True if the integers must stay the same in all slices of vmap (lengths,
            sorted positions).
        symmetric (bool): True if only a triangle of matrices is read, so that derivatives refer to
            their symmetric part.
        results (int): how many outputs are differentiated; None for all.
    """

    def __init__(self, args, options):
        self.args, self.options = args, options
        self.label = ""
        self.steady = self.symmetric = False
        self.results = None

    def labelled(self, label):
        self.label = label
        return self

    def unchanged(self):
        self.steady = True
        return self

    def halves(self):
        self.symmetric = True
        return self

    def first(self, count=1):
        self.results = count
        return self

    def bound(self, op):
        """Assigns the case's values to the parameters of `op`, and returns the case."""
        self.op = op
        op.parameters  # noqa: B018 - reads the body's signature
        values = dict(zip(op.parameters, self.args), **self.options)
        unknown = set(values) - set(op.parameters)
        assert not unknown, f"{op.name} has no parameters {unknown}, only {op.parameters}"
        assert len(self.args) <= len(op.parameters), f"{op.name} takes only {op.parameters}"
        self.fixed = {n for n, v in values.items() if isinstance(v, Fixed)}
        self.values = {n: v.values if isinstance(v, Fixed) else v for n, v in values.items()}
        for name in op.inputs:
            if isinstance(self.values.get(name), (list, float)):
                given = np.asarray(self.values[name])
                self.values[name] = given.astype(np.result_type(given, np.float64))
        return self

    def positions(self):
        """Returns where the array operands are: (parameter, None) or (parameter, index in the
        list)."""
        found = []
        for name in [*self.op.inputs, self.op.many]:
            value = self.values.get(name)
            if isinstance(value, np.ndarray):
                found.append((name, None))
            elif isinstance(value, (list, tuple)) and name == self.op.many:
                found += [(name, i) for i in range(len(value))]
        return found

    def at(self, position):
        """Returns the operand at a position."""
        name, i = position
        return self.values[name] if i is None else self.values[name][i]

    def floats(self):
        """Returns the positions of the operands that are differentiated by."""
        return [
            p for p in self.positions() if self.at(p).dtype.kind in "fc" and p[0] not in self.fixed
        ]

    def call(self, tensors):
        """Returns the result for a Tensor at each of some positions; the others are
        `make(operand)`."""
        values = {
            n: Tensor(v.values) if isinstance(v, AmongAttributes) else v
            for n, v in self.values.items()
        }
        for (name, i), tensor in tensors.items():
            if i is None:
                values[name] = tensor
            else:
                values[name] = [*values[name]]
                values[name][i] = tensor
        return self.op.run(*[values.get(n, self.op.defaults.get(n)) for n in self.op.parameters])


def of(*args, **options):
    """Returns one case: the operands by position and by name, as the op's body takes them."""
    return Case(args, options)
