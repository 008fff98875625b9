"""Docstrings that a template completes."""

import inspect

import pytest

from mindspore_compat import nn
from mindspore_compat._core.declare.templates import template

documented = template(
    """
    rate (float): how long a step is,
        in all groups.
    decay (float): the weight decay.
    unused (int): of no function here.
    """,
    Outputs="True.",
    Raises="TypeError: never.",
)


@documented
class Step:
    """A step.

    Args:
        size, base (int): its parts.
        decay (int): in whole numbers.
        **more: settings.

    Raises:
        ValueError: always.

    Source: nowhere.
    """

    def __init__(self, rate, size, base=1, *, decay=0, **more):
        pass


def test_arguments_come_in_the_order_of_the_signature_and_own_words_first():
    assert (
        inspect.getdoc(Step)
        == """A step.

Args:
    rate (float): how long a step is,
        in all groups.
    size, base (int): its parts.
    decay (int): in whole numbers.
    **more: settings.

Outputs:
    True.

Raises:
    ValueError: always.

Source: nowhere."""
    )


def test_functions_without_arguments_or_docstring():
    @documented
    def plain():
        """Nothing."""

    assert plain.__doc__ == "Nothing.\n\nOutputs:\n    True.\n\nRaises:\n    TypeError: never.\n"
    assert documented(lambda rate: rate).__doc__ is None


@pytest.mark.parametrize("optimizer", [nn.Adam, nn.LazyAdam, nn.AdamOffload, nn.Momentum])
def test_help_of_optimizers_has_every_argument(optimizer):
    text = inspect.getdoc(optimizer)
    names = [name for name in inspect.signature(optimizer).parameters if name != "kwargs"]
    positions = [text.index(f"    {name} (") for name in names]
    assert positions == sorted(positions)
    assert "tuple[bool], True for each parameter." in text
