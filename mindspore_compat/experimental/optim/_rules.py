"""Rules of parameters that several optimizers of this package share.

The documentation names ValueError for a learning rate of the wrong type, and so do these rules; the
original raises TypeError there. A bool counts as a number, as in the original.
"""

from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Float,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    inf,
)

Lr = AsValue(Number(ge=0.0, lt=inf) | Bool | TensorOf())
LrAbove = AsValue(Number(gt=0.0, lt=inf) | OneOf(True) | TensorOf())
Decay = Number(ge=0.0, lt=inf) | Bool
Beta = Number(ge=0.0, lt=1.0)
Betas = TupleOf(Beta, length=2) | ListOf(Beta, length=2)


class _FloatBeta(type(Float)):
    """A float in [0, 1); an int outside this range is a ValueError, one inside it a TypeError."""

    _python_only = "(isinstance({0}, float) or type({0}) is int and not 0 <= {0} < 1)"


FloatBeta = _FloatBeta(ge=0.0, lt=1.0)
FloatBetas = TupleOf(FloatBeta, length=2) | ListOf(FloatBeta, length=2)
AtLeast = Number(ge=0.0, lt=inf, numpy_scalars=True) | Bool
Above = Number(gt=0.0, lt=inf, numpy_scalars=True) | OneOf(True)
Finite = Float(gt=-inf, lt=inf)
Flag = Any  # the original takes any value for true or false
