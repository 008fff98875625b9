"""Rules of parameters that several optimizers of this package share.

For a learning rate of the wrong type these rules raise ValueError, as documented; MindSpore
raises TypeError. A bool counts as a number, as in MindSpore.
"""

import numpy as np

from ..._core.rules.comparisons import Compared, Items
from ..._core.rules.vocabulary import Any, AsValue, Bool, Number, OneOf, TensorOf, inf


class _PositiveTensor(TensorOf):
    """A Tensor of numbers above 0."""

    def kind(self, name):
        return f"{super().kind(name)} and bool(({name}._array > 0).all())"


Lr = AsValue(Number(ge=0.0, lt=inf) | Bool | TensorOf())
LrAbove = AsValue(Number(gt=0.0, lt=inf) | OneOf(True) | _PositiveTensor())
Beta = Compared(ge=0.0, lt=1.0, nan=False)
Betas = Items(Beta, Beta)
_FLOATS = (float, np.generic, np.ndarray)


class _Decay(Compared):
    """A number that is at least 0; a NumPy scalar that is not a Python float is a TypeError."""

    def verdict(self, value):
        if isinstance(value, np.generic) and not isinstance(value, float):
            return super().verdict(value) or TypeError
        return super().verdict(value)


class _FloatBeta(Compared):
    """A float in [0, 1); an int outside this range is a ValueError, one inside it a TypeError."""

    def verdict(self, value):
        if type(value) is int and not 0 <= value < 1:
            return ValueError
        return super().verdict(value)


Decay = _Decay(ge=0.0, lt=inf, as_number=False)
FloatBeta = _FloatBeta(ge=0.0, lt=1.0, of=_FLOATS)
FloatShare = Compared(ge=0.0, le=1.0, of=_FLOATS)
FloatBetas = Items(FloatBeta, FloatBeta)
AtLeast = Compared(ge=0.0)
Above = Compared(gt=0.0)
Flag = Any  # MindSpore reads the truth of any value
