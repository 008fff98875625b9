"""Argument descriptions that the docstrings of convolution layers share."""

from ...._core.declare.templates import template

documented = template(
    """
    in_channels (int): the channels of the input.
    out_channels (int): the channels of the output.
    dilation (Union[int, tuple[int]]): the step within a kernel.
    group (int): the number of groups of channels.
    has_bias (bool): whether the layer has a bias.
    weight_init (Union[Tensor, str, Initializer, numbers.Number]): the weight's first values;
        U(-k, k) with k = 1 / sqrt(fan_in) by default.
    bias_init (Union[Tensor, str, Initializer, numbers.Number]): the bias's, likewise.
    dtype (mindspore.dtype): the type of the parameters.
    """
)
