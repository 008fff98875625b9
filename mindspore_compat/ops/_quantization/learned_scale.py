"""Fake quantization with a learned clipping limit.

Formulas: Esser et al., "Learned Step Size Quantization", 2019.
"""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Int, checked
from .._primitive_aliases.alias import ops
from .rounding import DelayedQuantization, along_channels, require_channels, straight_through


class _LearnedScale(DelayedQuantization):
    """Base class of the quantizations with a learned limit."""

    def _quantize(self, x, alpha, quant_max):
        """Rounds `x` to `quant_max` levels on each side of 0, up to `alpha`."""
        ratio = ops.stop_gradient(x / alpha)
        levels = ops.stop_gradient(quant_max)
        level = ops.round(ops.clamp(ratio, 0 if self.neg_trunc else -1, 1) * levels) / levels
        lowest = 0 if self.neg_trunc else -1
        inside = ops.logical_and(ratio >= lowest, ratio <= 1)
        return straight_through(alpha * level, ops.where(inside, x - alpha * ratio, 0))


@public("ops.operations._quant_ops.FakeLearnedScaleQuantPerLayer")
class FakeLearnedScaleQuantPerLayer(_LearnedScale):
    """Rounds data to levels below a limit that is learned.

    The result is `alpha * round(clip(x / alpha, -1, 1) * quant_max) / quant_max`. Within the limit,
    the gradient of `x` is the gradient of the result; elsewhere it is 0. The derivative with
    respect to `alpha` is the level minus `x / alpha` within the limit, and the level elsewhere.

    Args:
        quant_delay (int): the number of training calls that return the data unchanged. Default: 0.
        neg_trunc (bool): whether negative data become 0. Default: False.
        training (bool): whether `quant_delay` counts. Default: True.

    Inputs:
        - **input_x** (Tensor): the data.
        - **alpha** (Tensor): the limit.
        - **quant_max** (Tensor): the number of levels on each side of 0.

    Returns:
        Tensor, like `input_x`.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if `quant_delay` is negative.

    Example:
        >>> import mindspore_compat as ms
        >>> quantize = ms.ops.operations._quant_ops.FakeLearnedScaleQuantPerLayer()
        >>> one = lambda value: ms.Tensor([value], ms.float32)
        >>> print(quantize(ms.Tensor([-9.0, 0.2, 1.4]), one(2.0), one(4.0)))
        [-2.   0.   1.5]

    Source: mindspore.ops.operations._quant_ops.FakeLearnedScaleQuantPerLayer of MindSpore 2.10.
    """

    @checked
    def __init__(self, quant_delay: Int(ge=0) = 0, neg_trunc: Bool = False, training: Bool = True):
        super().__init__("FakeLearnedScaleQuantPerLayer", quant_delay, training)
        self.neg_trunc = neg_trunc

    def quantize(self, input_x, alpha, quant_max):
        """Computes the rounded data."""
        return self._quantize(input_x, alpha, quant_max)


@public("ops.operations._quant_ops.FakeLearnedScaleQuantPerChannel")
class FakeLearnedScaleQuantPerChannel(_LearnedScale):
    """Rounds data to levels below a limit that is learned for each channel.

    The settings and gradients are the same as for `FakeLearnedScaleQuantPerLayer`.

    Args:
        channel_axis (int): the axis of the channels. Default: 1.

    Inputs:
        - **input_x** (Tensor): the data.
        - **alpha** (Tensor): the limit of each channel.
        - **quant_max** (Tensor): the number of levels on each side of 0.

    Returns:
        Tensor, like `input_x`.

    Raises:
        TypeError: if a setting has the wrong type.
        ValueError: if a setting is negative, or `alpha` does not fit the channels.

    Source: mindspore.ops.operations._quant_ops.FakeLearnedScaleQuantPerChannel of MindSpore 2.10.
    """

    @checked
    def __init__(
        self,
        quant_delay: Int(ge=0) = 0,
        neg_trunc: Bool = False,
        training: Bool = True,
        channel_axis: Int(ge=0) = 1,
    ):
        super().__init__("FakeLearnedScaleQuantPerChannel", quant_delay, training)
        self.neg_trunc, self.channel_axis = neg_trunc, channel_axis

    def quantize(self, input_x, alpha, quant_max):
        """Computes the rounded data."""
        axis = self.channel_axis
        require_channels("FakeLearnedScaleQuantPerChannel", "alpha", alpha, input_x, axis)
        return self._quantize(input_x, along_channels(alpha, input_x, axis), quant_max)
