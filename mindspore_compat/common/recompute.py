"""recompute: trades time for memory by running a block again in the backward pass."""

from .._core.gradients import custom
from .._core.without_effect import without_effect

__all__ = ["recompute"]


@without_effect("recompute(output_recompute, early_stop)")
def recompute(
    block,
    *args,
    use_reentrant=True,
    output_recompute=False,
    early_stop=True,
    context_fn=None,
    **kwargs,
):
    """Recomputes a block in the backward pass, which trades time for memory.

    Args:
        block (Cell): the block.
        *args: its inputs.
        use_reentrant (bool): whether the block runs without `context_fn`.
        output_recompute (bool): whether to recompute also the output of the block.
        early_stop (bool): whether the second run stops after the last required value.
        context_fn (Callable): returns two context managers, for the first and the second run; needs
            `use_reentrant=False`. Default: None.
        **kwargs: its keyword inputs.

    Returns:
        The result of `block`.

    Raises:
        TypeError: if `block` is not a Cell.
        ValueError: if `context_fn` is given with `use_reentrant`, or does not return two context
            managers.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.recompute(ms.nn.Dense(2, 3), ms.ops.ones((1, 2))).shape)
        (1, 3)

    Source: mindspore.recompute of MindSpore 2.10.
    """
    if not hasattr(block, "construct"):
        raise TypeError(f"For 'recompute', 'block' must be a Cell, but got {type(block).__name__}.")
    if context_fn is not None:
        if use_reentrant:
            raise ValueError("For 'recompute', 'context_fn' needs 'use_reentrant=False'.")
        block = _within(block, context_fn())
    return custom.recompute(block, *args, **kwargs)


def _within(block, contexts):
    """Returns a function that runs `block`: the first call in the first context, all later calls
    in the second."""
    if not isinstance(contexts, (tuple, list)) or len(contexts) != 2:
        raise ValueError(
            f"For 'recompute', 'context_fn' must return two context managers, but got {contexts!r}."
        )
    contexts_to_enter = list(contexts)

    def run(*args, **kwargs):
        with contexts_to_enter.pop(0) if len(contexts_to_enter) > 1 else contexts_to_enter[0]:
            return block(*args, **kwargs)

    return run
