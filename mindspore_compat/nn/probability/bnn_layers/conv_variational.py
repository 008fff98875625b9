"""ConvReparam: a Bayesian convolution, whose kernels are sampled from learnt distributions."""

from ...._core.declare.public_api import public
from ...._core.rules.vocabulary import Bool, Forbid, checked
from ....ops._conv.conv import conv2d
from ...layer._conv.base import (
    Mode,
    Pads2,
    Size,
    Sizes,
    _as_tuple,
    _groups,
    _no_pads,
    _padding,
    _two,
)
from ...layer._conv.documented import documented
from ...layer.conv import Conv2d
from .layer_distribution import NormalPrior, Variational, normal_post_fn

__all__ = ["ConvReparam"]


@public("nn.probability.bnn_layers.ConvReparam")
@documented
class ConvReparam(Variational, Conv2d):
    """Bayesian 2-D convolution layer, which samples its kernels once per batch.

    Args:
        kernel_size (Union[int, tuple[int]]): height and width of the kernels.
        stride (Union[int, tuple[int]]): the step of the kernel from one position to the next.
        pad_mode (str): "same" for an output of ceil(size / stride), "valid" for no padding, "pad"
            for `padding` zeros.
        padding (Union[int, tuple[int]]): the zeros above, below, left and right.
        weight_prior_fn (Cell): the prior distribution of the weight, which must be normal, or a
            class that creates it.
        weight_posterior_fn (function): takes `name` and `shape` and returns the NormalPosterior of
            the weight, of shape [out_channels, in_channels / group, height, width].
        bias_prior_fn (Cell): the same for the bias.
        bias_posterior_fn (function): the same for the bias, of shape [out_channels].

    Inputs:
        - **input** (Tensor) - shape (N, C, H, W).

    Outputs:
        Tensor, shape (N, out_channels, H', W').

    The parameters `weight` and `bias` are unused; they exist because checkpoint files contain them.

    Raises:
        TypeError: if a number is not an int, a size neither an int nor a tuple of ints, or a
            distribution of another kind.
        ValueError: if one is out of range, `padding` is given with another mode than "pad", the
            groups do not divide the channels, or `pad_mode` is unknown.

    Examples:
        >>> from mindspore_compat import ops
        >>> from mindspore_compat.nn.probability import bnn_layers
        >>> bnn_layers.ConvReparam(3, 8, 3)(ops.ones((1, 3, 16, 16))).shape
        (1, 8, 16, 16)

    Source: mindspore.nn.probability.bnn_layers.ConvReparam of MindSpore 2.10; Kingma and Welling,
    Auto-Encoding Variational Bayes, 2013.
    """

    @checked(
        *map(_two, ("kernel_size", "stride", "dilation")),
        _groups,
        Forbid(_no_pads.format("padding if type(padding) is tuple else [1]"), ValueError, _padding),
    )
    def __init__(
        self,
        in_channels: Size,
        out_channels: Size,
        kernel_size: Sizes,
        stride: Sizes = 1,
        pad_mode: Mode = "same",
        padding: Pads2 = 0,
        dilation: Sizes = 1,
        group: Size = 1,
        has_bias: Bool = False,
        weight_prior_fn=NormalPrior,
        weight_posterior_fn=normal_post_fn,
        bias_prior_fn=NormalPrior,
        bias_posterior_fn=normal_post_fn,
    ):
        super().__init__(
            in_channels,
            out_channels,
            kernel_size,
            stride,
            pad_mode,
            padding,
            dilation,
            group,
            has_bias,
            bias_init="zeros",
        )
        self.weight.requires_grad = False
        if has_bias:
            self.bias.requires_grad = False
        shape = [out_channels, in_channels // group, *_as_tuple(kernel_size, 2)]
        self._set_up_distributions(
            shape, (weight_prior_fn, bias_prior_fn), (weight_posterior_fn, bias_posterior_fn)
        )

    def construct(self, inputs):
        """Returns the convolution of `inputs`, with kernels sampled for this call."""
        return conv2d.run(
            inputs,
            self.weight_posterior("sample"),
            self._drawn_bias(),
            self.stride,
            self.pad_mode,
            self.padding,
            self.dilation,
            self.group,
        )

    def extend_repr(self):
        """Returns the sizes of the layer."""
        return (
            f"in_channels={self.in_channels}, out_channels={self.out_channels}, "
            f"kernel_size={self.kernel_size}, stride={self.stride}, "
            f"pad_mode={self.pad_mode}, padding={self.padding}, dilation={self.dilation}, "
            f"group={self.group}, has_bias={self.has_bias}"
        )
