"""Argument descriptions that the docstrings of recurrent layers share."""

from ..._core.declare.templates import template

documented = template(
    """
    input_size (int): the features of the input.
    hidden_size (int): the units.
    has_bias (bool): whether there are biases.
    dtype (mindspore.dtype): the type of the parameters.
    """
)
