"""Descriptions of arguments, inputs and outputs that the docstrings of the optimizers share."""

from ..._core.declare.templates import template

documented = template(
    """
    params (Union[list[Parameter], list[dict]]): what to train, see `Optimizer`.
    learning_rate (Union[float, int, Tensor, Iterable, LearningRateSchedule]): the learning
        rate.
    beta1 (float): how slowly the average of gradients changes.
    beta2 (float): how slowly the average of squared gradients changes.
    eps (float): added to the denominator.
    momentum (float): how much of the accumulated gradient stays.
    use_locking (bool): accepted; an update is never run by two threads at once.
    use_nesterov (bool): whether to look one step ahead in the average of gradients.
    weight_decay (Union[float, int, Cell]): the weight decay.
    loss_scale (float): what gradients have been multiplied by.
    l1 (float): the strength of the penalty on absolute values.
    l2 (float): the strength of the penalty on squares.
    """,
    Inputs="""
    - **gradients** (tuple[Tensor]) - the gradients of `params`, in their order and shapes.
    """,
    Outputs="tuple[bool], True for each parameter.",
)
