"""Covariance matrices, optionally weighted by frequencies and by importance."""

from ..._core.declare.inputs import Quirks
from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, InTensor, ListOf, Number, TensorOf, TupleOf, number
from .._rules import Float16To64, Index

Correction = InTensor(Number | Bool | TupleOf(Number) | ListOf(Number) | TupleOf(TupleOf(Number)))


@op(
    "ops.cov(input, *, correction=1, fweights=None, aweights=None)",
    "Tensor.cov(*, correction=1, fweights=None, aweights=None)",
    compute="native",
    quirks=Quirks(on_tape=lambda *weights_argument: _by_tensor(*weights_argument)),
)
def cov(
    xp,
    input: TensorOf(number),
    correction: Correction = 1,
    fweights: Index | None = None,
    aweights: Float16To64 | None = None,
):
    """Computes the covariance matrix of variables, each of which is a row of observations.

    `fweights` is the number of occurrences of each observation, `aweights` its relative weight. The
    sums are divided by the number of observations minus `correction`.

    Shapes:
        `input` is (M, N), or (N,) for one variable; weights are (N,). The result is (M, M), or ().

    Example:
        >>> print(ms.ops.cov(ms.Tensor([[1.0, 2.0, 3.0], [3.0, 2.0, 1.0]])))
        [[ 1. -1.]
         [-1.  1.]]
    """
    if input.ndim > 2:
        raise ValueError(
            f"For 'cov', 'input' must have at most two axes, but got shape {input.shape}."
        )
    x = xp.reshape(input, (1, -1)) if input.ndim < 2 else input
    if x.dtype.kind in "iub" or x.dtype.itemsize == 2:
        x = xp.cast(x, "float32")
    for name, weights_argument in (("fweights", fweights), ("aweights", aweights)):
        if weights_argument is not None and (
            weights_argument.ndim > 1 or weights_argument.size != x.shape[1]
        ):
            raise ValueError(
                f"For 'cov', '{name}' must have one number for each of {x.shape[1]} "
                f"columns, but got shape {weights_argument.shape}."
            )
    if not isinstance(correction, (int, float)):
        correction = xp.cast(xp.asarray(correction), xp.real(x).dtype)
    weights = None
    if fweights is not None:
        weights = xp.cast(fweights, x.dtype)
    if aweights is not None:
        weights = aweights if weights is None else weights * aweights
    if weights is None:
        centred = x - xp.mean(x, 1, keepdims=True)
        divisor = x.shape[1] - correction
        divisor = xp.maximum(divisor, 0) if hasattr(divisor, "dtype") else max(divisor, 0)
        covariance = xp.matmul(centred, xp.conj(xp.swapaxes(centred, 0, 1))) / divisor
    else:
        total = xp.sum(weights)
        centred = x - xp.sum(x * weights, 1, keepdims=True) / total
        share = 1 if aweights is None else xp.sum(weights * aweights) / total
        shrink = total - correction * share
        covariance = xp.matmul(centred * weights, xp.conj(xp.swapaxes(centred, 0, 1))) / shrink
    return xp.reshape(covariance, ()) if x.shape[0] == 1 and covariance.ndim == 2 else covariance


def _by_tensor(input, correction, fweights, aweights):
    """Computes `cov` with a gradient for `correction`, which only scales the result."""
    total, share = input.shape[-1], 1
    if fweights is not None or aweights is not None:
        weights = aweights if fweights is None else fweights.astype(input.dtype)
        weights = weights if None in (fweights, aweights) else weights * aweights
        total = weights.sum()
        share = 1 if aweights is None else (weights * aweights).sum() / total
    return cov.run(input, 0, fweights, aweights) * (total / (total - correction * share))
