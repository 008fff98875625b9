"""Common parts of the docstrings of the collectives."""

from ..._core.declare.templates import template

documented = template(
    """
    group: the group's name.
    async_op: whether to return before the result is there.
    """,
    Returns="CommHandle; None unless `async_op` is set.",
)
