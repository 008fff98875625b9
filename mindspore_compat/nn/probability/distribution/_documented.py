"""Argument descriptions that the docstrings of the distributions share."""

from ...._core.declare.templates import template

documented = template(
    """
    seed (int): the seed of samples; None for the global one.
    dtype (mindspore.dtype): the type of samples, a float.
    name (str): the name of the distribution.
    """
)
