"""Common parts of the optimizers' docstrings: arguments, inputs, outputs."""

from ..._core.declare.templates import template

documented = template(
    """
    params (Union[list[Parameter], list[dict]]): what to train, see `Optimizer`.
    lr (Union[int, float, Tensor]): the learning rate.
    betas (tuple[float, float]): how slowly the averages of gradients and of their squares
        change.
    eps (float): added to the denominator.
    weight_decay (Union[int, float]): what times the parameter is added to its gradient.
    amsgrad (bool): whether to divide by the largest average of squares so far.
    maximize (bool): whether to climb, not descend.
    """,
    Inputs="""
    - **gradients** (tuple[Tensor]) - the gradients of `params`, in their order and shapes.
    """,
    Outputs="bool, True.",
)
documented_implementation = template(
    """
    lr (Union[float, Tensor]): the learning rate.
    beta1 (float): how slowly the average of gradients changes.
    beta2 (float): how slowly the average of their squares, or their size, changes.
    eps (float): added to the denominator.
    weight_decay (float): what times the parameter is added to its gradient.
    maximize (bool): whether to climb, not descend.
    group_id (int): the number of the group.
    start_id (int): the number of the first parameter.
    end_id (int): the number after the last one.
    gradients (tuple[Tensor]): one gradient for each parameter of the optimizer.
    """,
    Returns="bool, True.",
)
