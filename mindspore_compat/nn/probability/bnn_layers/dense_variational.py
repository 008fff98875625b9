"""Bayesian dense layers, whose weights are sampled from learnt distributions in every call."""

import functools

from .... import ops
from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import AsValue, Bool, CellOf, Int, checked
from ...cell import Cell
from ...layer.activation import get_activation
from ..distribution.normal import Normal
from .layer_distribution import NormalPrior, Variational, normal_post_fn

_Activation = AsValue(CellOf | None).called("a str, a Cell or None")

__all__ = ["DenseReparam", "DenseLocalReparam"]


class _DenseVariational(Variational, Cell):
    """Base class of the two Bayesian dense layers."""

    @checked
    def __init__(
        self,
        in_channels: Int(ge=1),
        out_channels: Int(ge=1),
        activation=None,
        has_bias: Bool = True,
        weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn,
        bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):
        super().__init__()
        self.in_channels, self.out_channels, self.has_bias = in_channels, out_channels, has_bias
        self._set_up_distributions(
            [out_channels, in_channels],
            (weight_prior_fn, bias_prior_fn),
            (weight_posterior_fn, bias_posterior_fn),
        )
        if isinstance(activation, str):
            activation = get_activation(activation)
        else:
            _Activation.refuse(type(self).__name__, "activation", activation)
        self.activation = activation
        self.activation_flag = activation is not None

    @functools.cached_property
    def matmul(self):
        """The primitive of the matrix product."""
        return ops.MatMul(transpose_b=True)

    def construct(self, x):
        """Applies the layer to `x`, with weights sampled for this call."""
        out = self._apply_variational_weight(x)
        if self.has_bias:
            out = ops.bias_add(out, self._drawn_bias())
        return self.activation(out) if self.activation_flag else out

    def extend_repr(self):
        """Returns the sizes of the layer."""
        text = (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, "
            f"has_bias={self.has_bias}"
        )
        return text + (f", activation={self.activation}" if self.activation_flag else "")


@public("nn.probability.bnn_layers.DenseReparam")
class DenseReparam(_DenseVariational):
    """Bayesian dense layer, activation(x @ weight.T + bias), which samples its weights once per
    batch.

    Args:
        in_channels (int): the length of the input's last axis.
        out_channels (int): the length of the output's last axis.
        activation (Union[str, Cell]): the activation applied to the output.
        has_bias (bool): whether the layer has a bias.
        weight_prior_fn (Cell): the prior distribution of the weight, which must be normal, or a
            class that creates it.
        weight_posterior_fn (function): takes `name` and `shape` and returns the NormalPosterior of
            the weight, of shape [out_channels, in_channels].
        bias_prior_fn (Cell): the same for the bias.
        bias_posterior_fn (function): the same for the bias, of shape [out_channels].

    Inputs:
        - **input** (Tensor) - shape (N, in_channels).

    Outputs:
        Tensor, shape (N, out_channels).

    Raises:
        TypeError: if a number of channels is not an int, `has_bias` not a bool, or a distribution
            of another kind.
        ValueError: if a number of channels is less than 1, or `activation` of the wrong type.
        KeyError: if no activation has the name given.

    Examples:
        >>> from mindspore_compat import ops
        >>> from mindspore_compat.nn.probability import bnn_layers
        >>> bnn_layers.DenseReparam(3, 4)(ops.ones((2, 3))).shape
        (2, 4)

    Source: mindspore.nn.probability.bnn_layers.DenseReparam of MindSpore 2.10; Kingma and Welling,
    Auto-Encoding Variational Bayes, 2013.
    """

    def _apply_variational_weight(self, inputs):
        return self.matmul(inputs, self.weight_posterior("sample"))


@public("nn.probability.bnn_layers.DenseLocalReparam")
class DenseLocalReparam(_DenseVariational):
    """Bayesian dense layer with local reparameterization, which samples each element of the output.

    It samples x @ weight.T instead of the weights; this product is normally distributed too.

    Args:
        in_channels (int): the length of the input's last axis.
        out_channels (int): the length of the output's last axis.
        activation (Union[str, Cell]): the activation applied to the output.
        has_bias (bool): whether the layer has a bias, which is sampled once per batch.
        weight_prior_fn (Cell): the prior distribution of the weight, which must be normal, or a
            class that creates it.
        weight_posterior_fn (function): takes `name` and `shape` and returns the NormalPosterior of
            the weight, of shape [out_channels, in_channels].
        bias_prior_fn (Cell): the same for the bias.
        bias_posterior_fn (function): the same for the bias, of shape [out_channels].

    Inputs:
        - **input** (Tensor) - shape (N, in_channels).

    Outputs:
        Tensor, shape (N, out_channels).

    Raises:
        TypeError: if a number of channels is not an int, `has_bias` not a bool, or a distribution
            of another kind.
        ValueError: if a number of channels is less than 1, or `activation` of the wrong type.
        KeyError: if no activation has the name given.

    Examples:
        >>> from mindspore_compat import ops
        >>> from mindspore_compat.nn.probability import bnn_layers
        >>> bnn_layers.DenseLocalReparam(3, 4)(ops.ones((2, 3))).shape
        (2, 4)

    Source: mindspore.nn.probability.bnn_layers.DenseLocalReparam of MindSpore 2.10; Kingma,
    Salimans and Welling, Variational Dropout and the Local Reparameterization Trick, 2015.
    """

    def __init__(
        self,
        in_channels,
        out_channels,
        activation=None,
        has_bias=True,
        weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn,
        bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):
        super().__init__(
            in_channels,
            out_channels,
            activation,
            has_bias,
            weight_prior_fn,
            weight_posterior_fn,
            bias_prior_fn,
            bias_posterior_fn,
        )
        self.normal = Normal()

    def _apply_variational_weight(self, inputs):
        mean = self.matmul(inputs, self.weight_posterior("mean"))
        variance = self.matmul(ops.square(inputs), ops.square(self.weight_posterior("sd")))
        return self.normal("sample", (), mean, ops.sqrt(variance))
