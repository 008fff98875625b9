"""Batch normalization folded into the weights before it.

Weights are scaled by gamma / running_std before they are quantized, so that the quantized weights
do not vary with the batch. Formulas: Krishnamoorthi, "Quantizing deep convolutional networks for
efficient inference: A whitepaper", 2018, section 3.2.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, Int, checked
from .._primitive_aliases.alias import ops
from ..primitive import Primitive
from .rounding import along_channels, require_channels

_AXIS = 1


def _moments(x):
    """Returns mean and variance of each channel."""
    others = tuple(axis for axis in range(x.ndim) if axis != _AXIS)
    mean = ops.mean(x, others)
    return mean, ops.mean(ops.square(x - along_channels(mean, x, _AXIS)), others)


class _BatchNormFold(Primitive):
    """Base class of the two primitives that find the statistics of a batch."""

    def _set(self, name, momentum, epsilon, is_training, freeze_bn):
        Primitive.__init__(self, name)
        self.momentum, self.epsilon = momentum, epsilon
        self.is_training, self.freeze_bn = is_training, freeze_bn

    def _running(self, x, moments, mean, variance):
        """Returns the running mean and variance after this batch."""
        count = x.size // x.shape[_AXIS]
        keep, add = self.momentum, 1 - self.momentum
        batch_mean, batch_variance = moments
        unbiased = batch_variance * (count / max(count - 1, 1))
        return keep * mean + add * batch_mean, keep * variance + add * unbiased

    def _std(self, variance):
        return ops.sqrt(variance + self.epsilon)


@public("ops.operations._quant_ops.BatchNormFold")
class BatchNormFold(_BatchNormFold):
    """Computes the statistics of a batch and updates the running ones, for `BatchNormFold2`.

    From step `freeze_bn` on, and without training, the mean of the batch counts as 0, its standard
    deviation as 1, and the running statistics stay.

    Args:
        momentum (float): the part of the old running statistics that is kept, in [0, 1].
            Default: 0.9.
        epsilon (float): is added to variances. Default: 1e-5.
        is_training (bool): whether statistics of the batch are computed. Default: True.
        freeze_bn (int): the first step with frozen statistics. Default: 0.

    Inputs:
        - **x** (Tensor): the data, with channels along axis 1.
        - **mean**, **variance** (Parameter): the running statistics, which are updated in place.
        - **global_step** (Tensor): the number of the step.

    Returns:
        tuple[Tensor], mean and standard deviation of the batch, running mean and standard
        deviation.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if `momentum` is out of its range, or a statistic does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.BatchNormFold of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        momentum: Float(ge=0.0, le=1.0) = 0.9,
        epsilon: Float = 1e-5,
        is_training: Bool = True,
        freeze_bn: Int = 0,
    ):
        self._set("BatchNormFold", momentum, epsilon, is_training, freeze_bn)

    def __call__(self, x, mean, variance, global_step):
        """Computes the statistics."""
        require_channels("BatchNormFold", "mean", mean, x, _AXIS)
        require_channels("BatchNormFold", "variance", variance, x, _AXIS)
        zeros, ones = ops.zeros_like(mean), ops.ones_like(mean)
        if not self.is_training:
            return zeros, ones, ops.stop_gradient(mean), ops.stop_gradient(self._std(variance))
        is_frozen = global_step.reshape((-1,))[0] >= self.freeze_bn
        moments = _moments(x)
        updated = self._running(x, moments, mean, variance)
        for statistic, new in zip((mean, variance), updated, strict=True):
            ops.assign(statistic, ops.where(is_frozen, statistic, ops.stop_gradient(new)))
        return (
            ops.where(is_frozen, zeros, moments[0]),
            ops.where(is_frozen, ones, self._std(moments[1])),
            ops.stop_gradient(mean),
            ops.stop_gradient(self._std(variance)),
        )


@public("ops.operations._quant_ops.BatchNormFoldD")
class BatchNormFoldD(_BatchNormFold):
    """Computes the statistics of a batch from its sums, for `BatchNormFold2D`.

    Args:
        momentum (float): as for `BatchNormFold`. Default: 0.9.
        epsilon (float): is added to variances. Default: 1e-5.
        is_training (bool): whether statistics of the batch are computed. Default: True.
        freeze_bn (int): is stored. Default: 0.

    Inputs:
        - **x** (Tensor): the data, with channels along axis 1.
        - **x_sum**, **x_square_sum** (Tensor): for each channel the sum of the data and of their
          squares.
        - **mean**, **variance** (Tensor): the running statistics.

    Returns:
        tuple[Tensor], the data, mean and standard deviation of the batch, running mean and standard
        deviation, updated running mean and variance.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if `momentum` is out of its range, or a statistic does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.BatchNormFoldD of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        momentum: Float(ge=0.0, le=1.0) = 0.9,
        epsilon: Float = 1e-5,
        is_training: Bool = True,
        freeze_bn: Int = 0,
    ):
        self._set("BatchNormFoldD", momentum, epsilon, is_training, freeze_bn)

    def __call__(self, x, x_sum, x_square_sum, mean, variance):
        """Computes the statistics."""
        sums = {"x_sum": x_sum, "x_square_sum": x_square_sum, "mean": mean, "variance": variance}
        for name, v in sums.items():
            require_channels("BatchNormFoldD", name, v, x, _AXIS)
        if not self.is_training:
            running = mean, self._std(variance), mean, variance
            return (x, ops.zeros_like(mean), ops.ones_like(mean), *map(ops.stop_gradient, running))
        count = x.size // x.shape[_AXIS]
        batch_mean = x_sum / count
        batch_variance = x_square_sum / count - ops.square(batch_mean)
        updated = self._running(x, (batch_mean, batch_variance), mean, variance)
        running = updated[0], self._std(updated[1]), *updated
        return (x, batch_mean, self._std(batch_variance), *map(ops.stop_gradient, running))


def _normalize_batch(x, beta, gamma, batch_std, batch_mean, running_std):
    """Undoes the correction of the weights, and normalizes with the statistics of the batch."""
    beta, gamma, batch_std, batch_mean, running_std = (
        along_channels(v, x, _AXIS) for v in (beta, gamma, batch_std, batch_mean, running_std)
    )
    return x * (running_std / batch_std) + (beta - gamma * batch_mean / batch_std)


def _add_running_bias(x, beta, gamma, running_std, running_mean):
    """Adds the bias of the running statistics."""
    shift = beta - gamma * running_mean / running_std
    return x + along_channels(shift, x, _AXIS)


class _BatchNormFold2(Primitive):
    """Base class of the two primitives that add the folded bias."""

    def __call__(
        self,
        x,
        beta,
        gamma,
        batch_std,
        batch_mean,
        running_std,
        running_mean=None,
        global_step=None,
    ):
        """Computes the normalized data."""
        for name, v in {"beta": beta, "gamma": gamma, "batch_std": batch_std}.items():
            require_channels(self.name, name, v, x, _AXIS)
        training = _normalize_batch(x, beta, gamma, batch_std, batch_mean, running_std)
        if global_step is None:
            return training
        is_frozen = global_step.reshape((-1,))[0] >= self.freeze_bn
        return ops.where(
            is_frozen, _add_running_bias(x, beta, gamma, running_std, running_mean), training
        )


@public("ops.operations._quant_ops.BatchNormFold2")
class BatchNormFold2(_BatchNormFold2):
    """Adds the bias of a folded batch normalization.

    Before step `freeze_bn` the result is
    `x * running_std / batch_std + beta - gamma * batch_mean / batch_std`, from then on
    `x + beta - gamma * running_mean / running_std`.

    Args:
        freeze_bn (int): the first step with frozen statistics. Default: 0.

    Inputs:
        - **x** (Tensor): the data, with channels along axis 1.
        - **beta**, **gamma** (Tensor): shift and scale of the normalization.
        - **batch_std**, **batch_mean** (Tensor): statistics of the batch.
        - **running_std**, **running_mean** (Tensor): running statistics.
        - **global_step** (Tensor): the number of the step.

    Returns:
        Tensor, like `x`.

    Raises:
        TypeError: if `freeze_bn` is not an int.
        ValueError: if a statistic does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.BatchNormFold2 of MindSpore 2.10.
    """

    @checked
    def __init__(self, freeze_bn: Int = 0):
        super().__init__("BatchNormFold2")
        self.freeze_bn = freeze_bn

    def __call__(
        self, x, beta, gamma, batch_std, batch_mean, running_std, running_mean, global_step
    ):
        """Computes the normalized data."""
        return super().__call__(
            x, beta, gamma, batch_std, batch_mean, running_std, running_mean, global_step
        )


@public("ops.operations._quant_ops.BatchNormFold2D")
class BatchNormFold2D(_BatchNormFold2):
    """Adds the bias of a folded batch normalization, as `BatchNormFold2`.

    Without `running_mean` and `global_step` statistics are never frozen.

    Args:
        freeze_bn (int): the first step with frozen statistics. Default: 0.

    Returns:
        Tensor, like `x`.

    Raises:
        TypeError: if `freeze_bn` is not an int.
        ValueError: if a statistic does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.BatchNormFold2D of MindSpore 2.10.
    """

    @checked
    def __init__(self, freeze_bn: Int = 0):
        super().__init__("BatchNormFold2D")
        self.freeze_bn = freeze_bn


@public("ops.operations._quant_ops.CorrectionMul")
class CorrectionMul(Primitive):
    """Scales weights by `batch_std / running_std`, channel by channel.

    Args:
        channel_axis (int): the axis of the channels. Default: 0.

    Inputs:
        - **x** (Tensor): the weights.
        - **batch_std**, **running_std** (Tensor): one value for each channel.

    Returns:
        Tensor, like `x`.

    Raises:
        TypeError: if `channel_axis` is not an int.
        ValueError: if an input does not fit the channels.

    Example:
        >>> import mindspore_compat as ms
        >>> scale = ms.ops.operations._quant_ops.CorrectionMul()
        >>> print(scale(ms.Tensor([[1.0, 2.0]]), ms.Tensor([3.0]), ms.Tensor([2.0])))
        [[1.5 3. ]]

    Source: mindspore.ops.operations._quant_ops.CorrectionMul of MindSpore 2.10.
    """

    @checked
    def __init__(self, channel_axis: Int(ge=0) = 0):
        super().__init__("CorrectionMul")
        self.channel_axis = channel_axis

    def __call__(self, x, batch_std, running_std):
        """Computes the scaled weights."""
        axis = self.channel_axis
        for name, v in {"batch_std": batch_std, "running_std": running_std}.items():
            require_channels("CorrectionMul", name, v, x, axis)
        return x * along_channels(batch_std / running_std, x, axis)
