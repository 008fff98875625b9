"""Rules of parameters that several optimizers of this room share."""

from ..._core.rules import Any, Float, ListOf, Number, TupleOf, inf

Beta = Number(ge=0.0, lt=1.0)
Betas = TupleOf(Beta, length=2) | ListOf(Beta, length=2)
FloatBeta = Float(ge=0.0, lt=1.0)
FloatBetas = TupleOf(FloatBeta, length=2) | ListOf(FloatBeta, length=2)
AtLeast = Number(ge=0.0, lt=inf)
Above = Number(gt=0.0, lt=inf)
Finite = Float(gt=-inf, lt=inf)
Flag = Any  # the original takes any value for true or false
