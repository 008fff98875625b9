"""Argument descriptions that the docstrings of learning-rate functions and schedules share."""

from .._core.declare.templates import template

documented = template(
    """
    learning_rate (float): the learning rate of step 0.
    decay_rate (float): how fast it falls.
    """,
    Inputs="- **global_step** (Tensor) - the step, of any shape.",
    Outputs="Tensor of float32, shaped as `global_step`.",
)
documented_list = template(
    """
    learning_rate (float): the learning rate of the first epoch.
    decay_rate (float): how fast it falls.
    total_step (int): the number of steps to return.
    step_per_epoch (int): the steps of an epoch.
    """,
    Returns="list[float] of `total_step` values.",
)
