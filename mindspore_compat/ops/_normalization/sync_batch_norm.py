"""The steps of synchronized batch normalization: compute local statistics, merge and apply them."""

from ..._core.declare.op import op
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Number, checked
from ..._core.tensor.tensor import Tensor
from .._precision import at_least_float32
from .._rules import Floats
from .batch_norm import running
from .bodies import column, planes_of


@op("mint.batch_norm_stats(input, eps)", compute="native")
def batch_norm_stats(xp, input: Floats, eps: Number):
    """Computes the mean and the reciprocal standard deviation of each channel.

    Shapes:
        `input` is (N, C, ...). Both results are (C,), of float32.

    Example:
        >>> mean, invstd = ms.mint.batch_norm_stats(ms.Tensor([[1.0], [3.0]]), 0.0)
        >>> print(mean, invstd)
        [2.] [1.]
    """
    planes = at_least_float32(xp, planes_of(xp, input))
    mean = xp.mean(planes, (0, 2))
    var = xp.mean(xp.square(planes - column(xp, mean)), (0, 2))
    return mean, 1 / xp.sqrt(var + eps)


@op(
    "mint.batch_norm_elemt(input, weight=None, bias=None, mean=None, invstd=None, eps=1e-05)",
    compute="native",
)
def batch_norm_elemt(
    xp,
    input: Floats,
    weight: Floats = None,
    bias: Floats = None,
    mean: Floats = None,
    invstd: Floats = None,
    eps: Number = 1e-5,
):
    """Normalizes each channel with given statistics: (input - mean) * invstd * weight + bias.

    Shapes:
        `input` is (N, C, ...); `weight`, `bias`, `mean` and `invstd` are (C,). The result has the
        shape and dtype of `input`.

    Example:
        >>> print(ms.mint.batch_norm_elemt(ms.Tensor([[1.0], [3.0]]), mean=ms.Tensor([2.0]),
        ...                                invstd=ms.Tensor([1.0])))
        [[-1.]
         [ 1.]]
    """
    out = at_least_float32(xp, planes_of(xp, input))
    out = out if mean is None else out - column(xp, at_least_float32(xp, mean))
    out = out if invstd is None else out * column(xp, at_least_float32(xp, invstd))
    out = out if weight is None else out * column(xp, at_least_float32(xp, weight))
    out = out if bias is None else out + column(xp, at_least_float32(xp, bias))
    return xp.cast(xp.reshape(out, input.shape), input.dtype)


@public("mint.batch_norm_gather_stats_with_counts")
@checked
def batch_norm_gather_stats_with_counts(
    input: Floats,
    mean: Floats,
    invstd: Floats,
    running_mean: Floats = None,
    running_var: Floats = None,
    momentum: Number = 0.1,
    eps: Number = 1e-5,
    counts: Floats = None,
):
    """Merges the statistics of several parts of a batch, and moves the running statistics toward
    them.

    `mean` and `invstd` are (parts, C), `counts` (parts,).

    Returns:
        The mean and the reciprocal of the standard deviation of each channel.

    Source: mindspore.mint of MindSpore 2.10, where synchronized batch normalization is built on it.
    """
    whole, var, total = joined_statistics.run(mean, invstd, counts, eps)
    unbiased = Tensor._wrap(var._array * (total._array / (total._array - 1)))
    if running_mean is not None:
        running(running_mean, whole, momentum)
    if running_var is not None:
        running(running_var, unbiased, momentum)
    return whole, Tensor._wrap(1 / (var._array + eps) ** 0.5)


@op(compute="native")
def joined_statistics(xp, mean: Floats, invstd: Floats, counts: Floats, eps: Number):
    """Computes the mean, the biased variance and the element count of a whole batch from the
    statistics of its parts.
    """
    mean, invstd, counts = at_least_float32(xp, mean, invstd, counts)
    weight = xp.reshape(counts, (-1, 1))
    total = xp.sum(counts)
    whole = xp.sum(mean * weight, 0) / total
    var = 1 / xp.square(invstd) - eps
    return whole, xp.sum((var + xp.square(mean - whole)) * weight, 0) / total, total
