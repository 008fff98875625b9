"""Layers combined with the usual batch norm and activation after them."""

from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, checked
from ..cell import Cell
from ._batch_norm import BatchNorm1d, BatchNorm2d
from .activation import get_activation, need_activation
from .basic import Dense
from .conv import Conv2d

__all__ = ["Conv2dBnAct", "DenseBnAct"]


class _BnAct(Cell):
    """Base class: the batch norm and the activation that follow another layer."""

    @checked
    def __init__(self, has_bn: Bool, after_fake: Bool):
        super().__init__()
        self.has_bn = has_bn
        self.after_fake = after_fake

    def _follow(self, norm, channels, momentum, eps, activation, alpha):
        """Adds the batch norm and the activation that follow the layer."""
        self.has_act = activation is not None
        if self.has_bn:
            self.batchnorm = norm(channels, eps, momentum)
        if activation == "leakyrelu":
            self.activation = type(get_activation(activation))(alpha)
        elif self.has_act:
            self.activation = need_activation(type(self).__name__, activation)
        else:
            self.activation = None

    def _apply_rest(self, x):
        if self.has_bn:
            x = self.batchnorm(x)
        return self.activation(x) if self.has_act else x


@public("nn.Conv2dBnAct")
class Conv2dBnAct(_BnAct):
    """2-D convolution followed by an optional batch normalization and activation.

    Args:
        in_channels, out_channels, kernel_size, stride: as for Conv2d.
        pad_mode, padding, dilation, group: as for Conv2d.
        has_bias, weight_init, bias_init: as for Conv2d.
        has_bn (bool): whether the layer has a batch normalization.
        momentum (float): the momentum of the batch norm, in [0, 1].
        eps (float): the epsilon of the batch norm.
        activation (Union[str, Cell, Primitive]): the activation.
        alpha (float): the slope of 'leakyrelu' below zero.
        after_fake (bool): accepted, but without effect.

    Inputs:
        - **x** (Tensor): shape (N, in_channels, H, W).

    Outputs:
        Tensor of shape (N, out_channels, H', W').

    Raises:
        TypeError: if `has_bn` or `after_fake` is not a bool, or an argument of the wrong type.
        ValueError: if an argument is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.Conv2dBnAct(2, 4, 3, has_bn=True,
        ...                         activation="relu")(ms.ops.ones((1, 2, 8, 8))).shape)
        (1, 4, 8, 8)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride=1,
        pad_mode="same",
        padding=0,
        dilation=1,
        group=1,
        has_bias=False,
        weight_init="normal",
        bias_init="zeros",
        has_bn=False,
        momentum=0.997,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__(has_bn, after_fake)
        self.conv = Conv2d(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            weight_init,
            bias_init,
        )
        self._follow(BatchNorm2d, out_channels, momentum, eps, activation, alpha)

    def construct(self, x):
        """Returns a Tensor of shape (N, out_channels, H', W')."""
        return self._apply_rest(self.conv(x))


@public("nn.DenseBnAct")
class DenseBnAct(_BnAct):
    """Dense layer followed by an optional batch normalization and activation.

    Args:
        in_channels, out_channels, weight_init, bias_init, has_bias: as for Dense.
        has_bn (bool): whether the layer has a batch normalization.
        momentum (float): the momentum of the batch norm, in [0, 1].
        eps (float): the epsilon of the batch norm.
        activation (Union[str, Cell, Primitive]): the activation.
        alpha (float): the slope of 'leakyrelu' below zero.
        after_fake (bool): accepted, but without effect.

    Inputs:
        - **x** (Tensor): shape (N, in_channels).

    Outputs:
        Tensor of shape (N, out_channels).

    Raises:
        TypeError: if `has_bn` or `after_fake` is not a bool, or an argument of the wrong type.
        ValueError: if an argument is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.DenseBnAct(2, 4, activation="relu")(ms.ops.ones((1, 2))).shape)
        (1, 4)
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        weight_init="normal",
        bias_init="zeros",
        has_bias=True,
        has_bn=False,
        momentum=0.9,
        eps=1e-5,
        activation=None,
        alpha=0.2,
        after_fake=True,
    ):
        super().__init__(has_bn, after_fake)
        self.dense = Dense(in_channels, out_channels, weight_init, bias_init, has_bias)
        self._follow(BatchNorm1d, out_channels, momentum, eps, activation, alpha)

    def construct(self, x):
        """Returns a Tensor of shape (N, out_channels)."""
        return self._apply_rest(self.dense(x))
