"""Power-average (LP) pooling: the p-norm of each window."""

from ..._core.declare.op import op
from ..._core.rules.vocabulary import Bool, Number
from .._conv.sizes import need_rank, per_dimension
from .._rules import Positive, RealsOrBools, length_first
from .average_pool import average_windows


def _norms(xp, api, x, power, kernel, stride, ceil_mode, count):
    """Computes (sum of x^p over each window)^(1 / p); an incomplete window is scaled up as if
    complete.
    """
    if power == 0:
        raise ValueError(f"For '{api}', 'norm_type' must not be 0, but got {power!r}.")
    x = xp.cast(x, "float32") if x.dtype.kind in "iub" else x
    kernel = per_dimension(kernel, count)
    stride = kernel if stride is None else per_dimension(stride, count)
    kernel_elements = 1
    for k in kernel:
        kernel_elements *= k
    none = ((0, 0),) * count
    means = average_windows(
        xp, api, xp.power(x, float(power)), kernel, stride, none, ceil_mode, True, None
    )
    total = means * kernel_elements
    zero = total == 0  # the derivative of the root would be infinite
    return xp.where(zero, 0 * total, xp.power(xp.where(zero, 1, total), 1.0 / power))


@op(
    "ops.lp_pool1d(x, norm_type, kernel_size, stride=None, ceil_mode=False)",
    "nn.LPPool1d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)",
)
def lp_pool1d(
    xp,
    x: RealsOrBools,
    norm_type: Number | Bool,
    kernel_size: Positive,
    stride: Positive = None,
    ceil_mode: Bool = False,
):
    """Applies 1-D power-average (LP) pooling: the p-norm of each window of a sequence, p =
    `norm_type`.

    Shapes:
        `x` is (N, C, L) or (C, L). The result is (N, C, L') or (C, L'), of the same dtype.

    Example:
        >>> print(ms.ops.lp_pool1d(ms.Tensor([[3.0, 4.0, 0.0]]), 2, 2, stride=1))
        [[5. 4.]]
    """
    need_rank("lp_pool1d", "x", x, 2, 3)
    return _norms(xp, "lp_pool1d", x, norm_type, kernel_size, stride, ceil_mode, 1)


@op(
    "ops.lp_pool2d(x, norm_type, kernel_size, stride=None, ceil_mode=False)",
    "nn.LPPool2d(norm_type, kernel_size, stride=None, ceil_mode=False)(x)",
)
def lp_pool2d(
    xp,
    x: RealsOrBools,
    norm_type: Number | Bool,
    kernel_size: length_first(Positive, 2, lists=False),
    stride: length_first(Positive, 2, lists=False) = None,
    ceil_mode: Bool = False,
):
    """Applies 2-D power-average (LP) pooling: the p-norm of each window of images, p = `norm_type`.

    Shapes:
        `x` is (N, C, H, W). The result is (N, C, H', W'), of the same dtype.

    Example:
        >>> print(ms.ops.lp_pool2d(ms.Tensor([[[[3.0, 4.0]]]]), 2, (1, 2)))
        [[[[5.]]]]
    """
    need_rank("lp_pool2d", "x", x, 4)
    return _norms(xp, "lp_pool2d", x, norm_type, kernel_size, stride, ceil_mode, 2)
