"""Normalization layers: BatchNorm, SyncBatchNorm over several ranks, and GroupNorm.

The arithmetic and its gradients are in `ops/_normalization/batch_norm.py` and
`ops/_normalization/layer_norm.py`. `momentum` is the weight of the batch in the running statistics.
"""

import numpy as np

from .... import ops
from ...._core.declare.public_api import facade, public
from ...._core.declare.writing import own
from ...._core.rules.value_rules import Falsy
from ...._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    DType,
    Float,
    Forbid,
    InstanceOf,
    Int,
    Number,
    Str,
    checked,
)
from ...._core.tensor.dtype import float32, int64
from ...._core.tensor.tensor import Tensor
from ....common.parameter import Parameter
from ....communication.groups import GlobalComm, get_group_size
from ....nn._parts import need_floats, parameter
from ....nn.cell import Cell
from ....nn.layer._batch_norm import normalize_together
from ....ops._normalization.batch_norm import (
    batch_rescale,
    batch_standardize,
    need_channels,
    normalize_batch,
)
from ....ops._normalization.group_norm import group_standardize

Channels = AsValue(Int(ge=1), InstanceOf(tuple, list, np.ndarray, range, Tensor))
Flag = Any  # MindSpore accepts any value as true or false

__all__ = ["BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "GroupNorm", "LayerNorm", "SyncBatchNorm"]
__getattr__, __dir__, _ = facade(__name__, classes=Cell, area="mint.nn")


class _BatchNorm(Cell):
    """The base class of the batch normalization layers."""

    _ranks = ()

    @checked
    def __init__(
        self,
        num_features: Channels,
        eps: Number = 1e-5,
        momentum: Number | None = 0.1,
        affine: Flag = True,
        track_running_stats: Flag = True,
        dtype: DType = None,
    ):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        self.momentum = momentum
        self.affine = affine
        self.track_running_stats = track_running_stats
        self.dtype = dtype or float32
        self.weight = self._values("ones", "weight", affine)
        self.bias = self._values("zeros", "bias", affine)
        self.running_mean = self._values("zeros", "running_mean", track_running_stats, False)
        self.running_var = self._values("ones", "running_var", track_running_stats, False)
        self.num_batches_tracked = None
        if track_running_stats:
            self.num_batches_tracked = Parameter(
                ops.zeros((), int64), "num_batches_tracked", requires_grad=False
            )

    def _values(self, init, name, enabled, trained=True):
        """Returns a Parameter with one value per channel, or None."""
        if not enabled:
            return None
        return parameter(init, (self.num_features,), self.dtype, name, requires_grad=trained)

    def reset_running_stats(self):
        """Resets the running statistics: means 0, variances 1."""
        if self.track_running_stats:
            _fill(self.running_mean, 0)
            _fill(self.running_var, 1)
            _fill(self.num_batches_tracked, 0)

    def reset_parameters(self):
        """Resets the running statistics and the parameters: weights 1, biases 0."""
        self.reset_running_stats()
        if self.affine:
            _fill(self.weight, 1)
            _fill(self.bias, 0)

    def construct(self, input):
        """Normalizes each channel of `input`."""
        api = type(self).__name__
        need_floats(api, "input", input)
        self._check_input_dim(input)
        self._check_settings()
        need_channels(
            api,
            input,
            range(2, 9),
            weight=self.weight,
            bias=self.bias,
            running_mean=self.running_mean,
            running_var=self.running_var,
        )
        if not self.training and self.track_running_stats:
            return batch_rescale.run(
                input, self.running_mean, self.running_var, self.weight, self.bias, self.eps
            )
        return self._by_batch(input, self._count_batch())

    def _check_settings(self):
        """Raises TypeError for ints, which the constructor lets pass."""
        Float.refuse(type(self).__name__, "eps", self.eps)
        if self.momentum is not None:
            Float.refuse(type(self).__name__, "momentum", self.momentum)

    def _check_input_dim(self, input):
        """Raises ValueError for an input whose number of axes is not in `_ranks`; a subclass may
        accept others."""
        if input.ndim not in self._ranks:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have "
                f"{' or '.join(map(str, self._ranks))} axes, but got shape {input.shape}."
            )

    def _count_batch(self):
        """Counts a batch; returns the weight of the batch in the running statistics."""
        if not self.track_running_stats:
            return 0.0
        _fill(self.num_batches_tracked, self.num_batches_tracked._array + 1)
        return self.momentum if self.momentum is not None else 1 / int(self.num_batches_tracked)

    def _by_batch(self, x, momentum):
        """Normalizes `x` with its own statistics; updates the running statistics if they are
        tracked."""
        if not self.track_running_stats:
            return batch_standardize.run(x, self.weight, self.bias, self.eps)[0]
        return normalize_batch(
            x, self.weight, self.bias, self.running_mean, self.running_var, True, momentum, self.eps
        )[0]

    def extend_repr(self):
        """Returns the settings of the layer as text."""
        return (
            f"num_features={self.num_features}, eps={self.eps}, momentum={self.momentum}, "
            f"affine={self.affine}, track_running_stats={self.track_running_stats}"
        )


def _fill(tensor, value):
    """Assigns a value to all elements of a Parameter that has no gradient, in its own memory."""
    own(tensor)[...] = value


@public("mint.nn.BatchNorm1d")
class BatchNorm1d(_BatchNorm):
    """Applies batch normalization to (N, C) or (N, C, L): standardizes each channel, multiplies it
    by `weight` and adds `bias`.

    In training, the statistics of the batch are used, and the running statistics move toward them
    (with the unbiased variance). Otherwise the running statistics are used, if they are tracked.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): the weight of the batch in the running statistics; None averages over all
            batches.
        affine (bool): whether there are a weight and a bias.
        track_running_stats (bool): whether running statistics are tracked; otherwise the statistics
            of the batch are always used.
        dtype (mindspore.dtype): the dtype of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): of a floating dtype.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` is not a number, or the
            input is not a floating Tensor.
        ValueError: if `num_features` is less than 1, or the input has the wrong number of axes or
            channels.

    Examples:
        >>> from mindspore_compat import Tensor, mint
        >>> net = mint.nn.BatchNorm1d(2).set_train()
        >>> net(Tensor([[1.0, 2.0], [3.0, 6.0]])).asnumpy().round(3).tolist()
        [[-1.0, -1.0], [1.0, 1.0]]
        >>> net.running_mean.asnumpy().round(3).tolist(), int(net.num_batches_tracked)
        ([0.20000000298023224, 0.4000000059604645], 1)

    Source: mindspore.mint.nn.BatchNorm1d of MindSpore 2.10.
    """

    _ranks = (2, 3)


@public("mint.nn.BatchNorm2d")
class BatchNorm2d(_BatchNorm):
    """Applies batch normalization to (N, C, H, W): standardizes each channel, multiplies it by
    `weight` and adds `bias`.

    In training, the statistics of the batch are used, and the running statistics move toward them
    (with the unbiased variance). Otherwise the running statistics are used, if they are tracked.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance. Default: 1e-5.
        momentum (float): the weight of the batch in the running statistics; None averages over all
            batches. Default: 0.1.
        affine (bool): whether there are a weight and a bias. Default: True.
        track_running_stats (bool): whether running statistics are tracked; otherwise the statistics
            of the batch are always used. Default: True.
        dtype (mindspore.dtype): the dtype of the parameters; None for float32.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, H, W).

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` is not a number, or the
            input is not a floating Tensor.
        ValueError: if `num_features` is less than 1, or the input has the wrong number of axes or
            channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.BatchNorm2d(2)(ms.ops.ones((2, 2, 3, 3))).shape)
        (2, 2, 3, 3)

    Source: mindspore.mint.nn.BatchNorm2d of MindSpore 2.10.
    """

    _ranks = (4,)


@public("mint.nn.BatchNorm3d")
class BatchNorm3d(_BatchNorm):
    """Applies batch normalization to (N, C, D, H, W): standardizes each channel, multiplies it by
    `weight` and adds `bias`.

    In training, the statistics of the batch are used, and the running statistics move toward them
    (with the unbiased variance). Otherwise the running statistics are used, if they are tracked.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance. Default: 1e-5.
        momentum (float): the weight of the batch in the running statistics; None averages over all
            batches. Default: 0.1.
        affine (bool): whether there are a weight and a bias. Default: True.
        track_running_stats (bool): whether running statistics are tracked; otherwise the statistics
            of the batch are always used. Default: True.
        dtype (mindspore.dtype): the dtype of the parameters; None for float32.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, D, H, W).

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `num_features` is not an int, `eps` or `momentum` is not a number, or the
            input is not a floating Tensor.
        ValueError: if `num_features` is less than 1, or the input has the wrong number of axes or
            channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.BatchNorm3d(2)(ms.ops.ones((2, 2, 3, 3, 3))).shape)
        (2, 2, 3, 3, 3)

    Source: mindspore.mint.nn.BatchNorm3d of MindSpore 2.10.
    """

    _ranks = (5,)


@public("mint.nn.SyncBatchNorm")
class SyncBatchNorm(_BatchNorm):
    """Applies synchronized batch normalization to (N, C, ...): the batch is distributed over
    several ranks.

    In training, the statistics are taken over the batches of all ranks of a group together.

    Args:
        num_features (int): the number of channels.
        eps (float): added to the variance.
        momentum (float): the weight of the batch in the running statistics, in [0, 1]; None
            averages over all batches.
        affine (bool): whether there are a weight and a bias.
        track_running_stats (bool): as for BatchNorm1d.
        process_group (str): the group of ranks; None means all ranks.
        dtype (mindspore.dtype): the dtype of the parameters; float32 by default.

    Inputs:
        - **x** (Tensor): of a floating dtype.

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if `process_group` is not a str, or as for BatchNorm1d.
        ValueError: if `num_features` is less than 1, `momentum` is not in [0, 1], or the input has
            the wrong number of axes or channels.
        RuntimeError: if there is no such group.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.SyncBatchNorm(3).weight.shape)
        (3,)

    Source: mindspore.mint.nn.SyncBatchNorm of MindSpore 2.10.
    """

    _ranks = range(2, 9)

    @checked
    def __init__(
        self,
        num_features: Channels,
        eps: Number = 1e-5,
        momentum: Number(ge=0, le=1) | None = 0.1,
        affine: Flag = True,
        track_running_stats: Flag = True,
        process_group: Str | Falsy = None,
        dtype: DType = None,
    ):
        super().__init__(num_features, eps, momentum, affine, track_running_stats, dtype)
        self.process_group = process_group or GlobalComm.WORLD_COMM_GROUP
        self.world_size = get_group_size(self.process_group)

    def _check_input_dim(self, input):
        if input.ndim not in self._ranks:
            raise ValueError(
                f"For '{type(self).__name__}', the input must have at least 2 axes, but got shape "
                f"{input.shape}."
            )

    def _by_batch(self, x, momentum):
        if not self.training or self.world_size == 1:
            return super()._by_batch(x, momentum)
        add_up = ops.AllReduce(group=self.process_group)
        return normalize_together(
            x,
            self.weight,
            self.bias,
            self.running_mean,
            self.running_var,
            momentum,
            self.eps,
            add_up,
        )


@public("mint.nn.GroupNorm")
class GroupNorm(Cell):
    """Applies group normalization: standardizes each group of channels to mean 0 and standard
    deviation 1; then each channel is scaled and shifted.

    Args:
        num_groups (int): the number of groups.
        num_channels (int): the number of channels.
        eps (float): added to the variance.
        affine (bool): whether weight and bias are trained; they are 1 and 0 initially.
        dtype (mindspore.dtype): the dtype of the parameters; float32 by default.

    Inputs:
        - **input** (Tensor): of a floating dtype, shape (N, C, ...).

    Outputs:
        Tensor of the same shape and dtype.

    Raises:
        TypeError: if a number is not an int, `eps` is not a float, or `affine` is not a bool.
        ValueError: if a number is less than 1, `num_groups` does not divide the channels, or the
            input has the wrong number of channels.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.mint.nn.GroupNorm(1, 2)(ms.ops.ones((1, 2, 3, 3))).shape)
        (1, 2, 3, 3)

    Source: mindspore.mint.nn.GroupNorm of MindSpore 2.10.
    """

    @checked(
        Forbid(
            "num_channels % num_groups",
            ValueError,
            "'num_channels' must be divisible by 'num_groups'",
        )
    )
    def __init__(
        self,
        num_groups: Int(ge=1),
        num_channels: Int(ge=1),
        eps: Float = 1e-5,
        affine: Bool = True,
        dtype: DType = None,
    ):
        super().__init__()
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        shape, dtype = (num_channels,), dtype or float32
        self.weight = parameter("ones", shape, dtype, "weight", requires_grad=affine)
        self.bias = parameter("zeros", shape, dtype, "bias", requires_grad=affine)

    def construct(self, input):
        """Normalizes each group of channels of `input`."""
        return self._cal_output(input)

    def _cal_output(self, input):
        need_floats("GroupNorm", "input", input)
        need_channels(
            "GroupNorm", input, range(2, 9), RuntimeError, weight=self.weight, bias=self.bias
        )
        return group_standardize.run(input, self.weight, self.bias, self.num_groups, self.eps)

    def extend_repr(self):
        """Returns the settings of the layer as text."""
        return (
            f"num_groups={self.num_groups}, num_channels={self.num_channels}, eps={self.eps}, "
            f"affine={self.affine}"
        )
