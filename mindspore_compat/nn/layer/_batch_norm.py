"""Batch normalization layers, for one process and for a batch that several ranks share.

The arithmetic and its gradients are in `ops/_normalization/batch_norm.py`. The public argument
`momentum` is the weight of the old running statistics. The attribute `self.momentum` and the ops
use the weight of the new ones instead.
"""

import functools

from ... import ops
from ..._core.context.config import config
from ..._core.declare.public_api import public
from ..._core.rules.number_forms import plain_numbers
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Init,
    Int,
    LayerDType,
    ListOf,
    Number,
    ScalarOf,
    checked,
)
from ..._core.tensor.dtype import float32, float64
from ..._core.tensor.tensor import Tensor
from ...communication.groups import create_group, get_group_size, get_rank
from ...ops._normalization.batch_norm import channels_first, channels_last, normalize_batch, running
from .._parts import parameter
from ..cell import Cell
from ._norm_documented import batch_norm

_FLOATS = ["float16", "bfloat16", "float32", "float64"]
Share = ScalarOf(Number(ge=0, le=1, numpy_scalars=True) | Bool)


def _need_shape(api, x, ranks, error=ValueError, widest="float32"):
    """Raises an error unless `x` is a Tensor of floats, at most as wide as `widest`, whose number
    of axes is in `ranks`.
    """
    is_tensor = isinstance(x, Tensor)
    if is_tensor and x.ndim not in ranks:
        expected = " or ".join(map(str, ranks))
        raise error(f"For '{api}', the input must have {expected} axes, but got shape {x.shape}.")
    allowed = _FLOATS[: _FLOATS.index(widest) + 1]
    if not is_tensor or x._array.dtype.name not in allowed:
        type_name = x.dtype if isinstance(x, Tensor) else type(x).__name__
        expected = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        raise TypeError(
            f"For '{api}', the input must be a Tensor of {expected}, but got {type_name}."
        )


def _need_share(api, name, value):
    if not 0 < value <= 1:
        raise ValueError(f"For '{api}', '{name}' must be in (0, 1], but got {value!r}.")


class _Statistics(Cell):
    """Base class: running statistics, scale and shift of normalization by channels."""

    _stores_weight_of_new = True  # `self.momentum` is 1 - momentum

    def _set_up(self, num_features, eps, momentum, affine, inits, dtype):
        self.num_features = num_features
        self.eps = plain_numbers(eps)
        self.momentum = 1.0 - momentum if self._stores_weight_of_new else momentum
        gamma, beta, mean, variance = inits
        shape = (num_features,)
        self.moving_mean = parameter(mean, shape, dtype, "mean", requires_grad=False)
        self.moving_variance = parameter(variance, shape, dtype, "variance", requires_grad=False)
        self.gamma = parameter(gamma, shape, dtype, "gamma", requires_grad=affine)
        self.beta = parameter(beta, shape, dtype, "beta", requires_grad=affine)

    def extend_repr(self):
        """Returns the sizes and the parameters of the layer."""
        momentum = 1.0 - self.momentum if self._stores_weight_of_new else self.momentum
        return (
            f"num_features={self.num_features}, eps={self.eps}, "
            f"momentum={momentum}, gamma={self.gamma}, beta={self.beta}, "
            f"moving_mean={self.moving_mean}, "
            f"moving_variance={self.moving_variance}"
        )


class _BatchNorm(_Statistics):
    """Base class of layers that normalize over the batch."""

    _ranks = range(2, 9)

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps: Number(numpy_scalars=True) = 1e-5,
        momentum: Share = 0.9,
        affine: Bool = True,
        gamma_init: Init = "ones",
        beta_init: Init = "zeros",
        moving_mean_init: Init = "zeros",
        moving_var_init: Init = "ones",
        use_batch_statistics=None,
        data_format="NCHW",
        dtype: LayerDType = float32,
    ):
        if use_batch_statistics not in (None, True, False) or type(use_batch_statistics) is int:
            raise ValueError(
                f"For '{type(self).__name__}', 'use_batch_statistics' must be a bool "
                f"or None, but got {use_batch_statistics!r}."
            )
        if data_format not in ("NCHW", "NHWC"):
            raise ValueError(
                f"For '{type(self).__name__}', 'data_format' must be 'NCHW' or "
                f"'NHWC', but got {data_format!r}."
            )
        if data_format == "NHWC" and config.device_target == "CPU":
            raise ValueError(
                f"For '{type(self).__name__}', 'data_format' must be 'NCHW' on a CPU, "
                "but got 'NHWC'."
            )
        super().__init__()
        self.use_batch_statistics = use_batch_statistics
        self.data_format = data_format
        self.gamma_init = gamma_init
        self.beta_init = beta_init
        self.moving_mean_init = moving_mean_init
        self.moving_var_init = moving_var_init
        inits = gamma_init, beta_init, moving_mean_init, moving_var_init
        self._set_up(num_features, eps, momentum, affine, inits, dtype)

    @functools.cached_property
    def bn_train(self):
        """The primitive that normalizes with the statistics of the batch, for subclasses."""
        return ops.BatchNorm(True, self.eps, self.momentum, self.data_format)

    @functools.cached_property
    def bn_infer(self):
        """The primitive that normalizes with the running statistics, for subclasses."""
        return ops.BatchNorm(False, self.eps, data_format=self.data_format)

    def construct(self, x):
        """Returns `x`, normalized per channel."""
        _need_shape(type(self).__name__, x, self._ranks)
        # Rejected in a call, as in MindSpore, not by the constructor.
        Float.refuse(type(self).__name__, "eps", self.eps)
        _need_share(type(self).__name__, "eps", self.eps)
        last = self.data_format == "NHWC"
        if last:
            x = channels_first.run(x)
        if x.shape[1] != self.num_features:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have "
                f"{self.num_features} channels, but got shape {x.shape}."
            )
        uses_batch = self.use_batch_statistics
        out = self._normalize(x, self.training if uses_batch is None else uses_batch)
        return channels_last.run(out) if last else out

    def _normalize(self, x, training):
        return normalize_batch(
            x,
            self.gamma,
            self.beta,
            self.moving_mean,
            self.moving_variance,
            training,
            self.momentum,
            self.eps,
        )[0]


@public("nn.BatchNorm1d")
@batch_norm
class BatchNorm1d(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, L): standardizes each channel, multiplies it by gamma
    and adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    In training mode it uses the statistics of the batch, and the running statistics move toward
    them (the variance as an unbiased estimate). In inference mode it uses the running statistics.

    Inputs:
        - **x** (Tensor): shape (N, C) or (N, C, L), float16, bfloat16 or float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm1d(2)(ms.ops.ones((3, 2))).shape)
        (3, 2)
    """

    _ranks = (2, 3)


@public("nn.BatchNorm2d")
@batch_norm
class BatchNorm2d(_BatchNorm):
    """Batch normalization of (N, C, H, W): standardizes each channel, multiplies it by gamma and
    adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    In training mode it uses the statistics of the batch, and the running statistics move toward
    them (the variance as an unbiased estimate). In inference mode it uses the running statistics.

    Inputs:
        - **x** (Tensor): shape (N, C, H, W), float16, bfloat16 or float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm2d(2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)
    """

    _ranks = (4,)


@public("nn.BatchNorm3d")
@batch_norm
class BatchNorm3d(Cell):
    """Batch normalization of (N, C, D, H, W): standardizes each channel, multiplies it by gamma and
    adds beta.

    y = (x - mean(x)) / sqrt(var + eps) gamma + beta, where var is the variance of the channel.

    In training mode it uses the statistics of the batch, and the running statistics move toward
    them (the variance as an unbiased estimate). In inference mode it uses the running statistics.

    Its parameters belong to the BatchNorm2d in `bn2d`.

    Inputs:
        - **x** (Tensor): shape (N, C, D, H, W), float16, bfloat16 or float32.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BatchNorm3d(2)(ms.ops.ones((1, 2, 3, 3, 3))).shape)
        (1, 2, 3, 3, 3)
    """

    def __init__(
        self,
        num_features,
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        dtype=float32,
    ):
        super().__init__()
        self.bn2d = BatchNorm2d(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )

    def construct(self, x):
        """Returns `x`, normalized per channel."""
        _need_shape("BatchNorm3d", x, (5,))
        n, c, d, h, w = x.shape
        return self.bn2d(x.reshape(n, c, d * h, w)).reshape(n, c, d, h, w)


@public("nn.SyncBatchNorm")
class SyncBatchNorm(_BatchNorm):
    """Batch normalization of (N, C) or (N, C, H, W) with statistics over the batches of several
    ranks.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): the weight of the old running statistics, in [0, 1].
        affine (bool): whether gamma and beta are trained.
        gamma_init (Union[Tensor, str, Initializer, numbers.Number]): gamma's first values.
        beta_init (Union[Tensor, str, Initializer, numbers.Number]): beta's.
        moving_mean_init (Union[Tensor, str, Initializer, numbers.Number]): the running mean's.
        moving_var_init (Union[Tensor, str, Initializer, numbers.Number]): the running variance's.
        use_batch_statistics (bool): as for BatchNorm1d.
        process_groups (list): lists of the ranks that normalise together; None for all ranks.
        dtype (mindspore.dtype): the type of the parameters.

    Inputs:
        - **x** (Tensor): float16, bfloat16 or float32, shape (N, C) or (N, C, H, W).

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `process_groups` is not a list of lists of ints, or as for BatchNorm1d.
        ValueError: if a rank occurs twice or does not exist, or as for BatchNorm1d.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SyncBatchNorm(3).gamma.shape)
        (3,)
    """

    _ranks = (2, 4)

    @checked
    def __init__(
        self,
        num_features: Int(ge=1),
        eps=1e-5,
        momentum=0.9,
        affine=True,
        gamma_init="ones",
        beta_init="zeros",
        moving_mean_init="zeros",
        moving_var_init="ones",
        use_batch_statistics=None,
        process_groups: ListOf(ListOf(Int(ge=0))) = None,
        dtype=float32,
    ):
        _need_ranks(process_groups)
        super().__init__(
            num_features,
            eps,
            momentum,
            affine,
            gamma_init,
            beta_init,
            moving_mean_init,
            moving_var_init,
            use_batch_statistics,
            "NCHW",
            dtype,
        )
        self.process_groups = process_groups
        self._joint = None
        self._size = get_group_size()
        for ranks in process_groups or ():
            if get_rank() in ranks:
                self._size = len(ranks)
                if self._size > 1:
                    self._joint = f"sync_batch_norm_{'_'.join(map(str, ranks))}"
                    create_group(self._joint, ranks)
        if process_groups is not None and self._joint is None:
            self._size = 1

    def _normalize(self, x, training):
        if not training or self._size == 1:
            return super()._normalize(x, training)
        add_up = ops.AllReduce() if self._joint is None else ops.AllReduce(group=self._joint)
        return normalize_together(
            x,
            self.gamma,
            self.beta,
            self.moving_mean,
            self.moving_variance,
            self.momentum,
            self.eps,
            add_up,
        )


def normalize_together(x, scale, shift, mean, variance, momentum, eps, add_up):
    """Normalizes a batch with the statistics of the batches on all ranks of a group.

    Args:
        x (Tensor): data, (N, C, ...).
        scale, shift (Tensor): one value per channel, or None for 1 and 0.
        mean, variance (Tensor): running statistics, which are updated, or None.
        momentum (float): the weight of this batch in them.
        eps (float): added to the variance.
        add_up (Callable): gives the sum of a Tensor over the ranks.

    Returns:
        Tensor of the shape and dtype of `x`.
    """
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    column = (1, -1) + (1,) * (x.ndim - 2)
    upcast = x if x.dtype == float64 else x.astype(float32)
    counts = Tensor([x.size // x.shape[1]], upcast.dtype)
    sums = add_up(ops.cat((upcast.sum(axes), counts)))
    count, own_mean = sums[-1], sums[:-1] / sums[-1]
    middle = upcast - own_mean.reshape(column)
    var = add_up((middle * middle).sum(axes)) / count
    factor = 1 / ops.sqrt(var + eps)
    if mean is not None:
        running(mean, own_mean, momentum)
        running(variance, var * (count / (count - 1)), momentum)
    out = middle * (factor if scale is None else factor * scale).reshape(column)
    out = out if shift is None else out + shift.reshape(column)
    return out.astype(x.dtype)


def _need_ranks(process_groups):
    """Rejects groups in which a rank occurs twice or does not exist."""
    ranks = [rank for group in process_groups or () for rank in group]
    if len(set(ranks)) < len(ranks) or any(rank >= get_group_size() for rank in ranks):
        raise ValueError(
            "For 'SyncBatchNorm', 'process_groups' must hold each rank in [0, "
            f"{get_group_size()}) once at most, but got {process_groups}."
        )
