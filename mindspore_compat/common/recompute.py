"""recompute: trade time for memory by running a block again on the way back."""

from .._core import custom

__all__ = ["recompute"]


def recompute(block, *args, use_reentrant=True, output_recompute=False, early_stop=True,
              context_fn=None, **kwargs):
    """Runs `block` and keeps nothing of its inside; the gradient runs it a second time.

    Args:
        block (Cell): what to run.
        *args: its inputs.
        use_reentrant (bool), output_recompute (bool), early_stop (bool), context_fn (Callable): how
            the original schedules the second run; the values are the same.
        **kwargs: its inputs by name.

    Returns:
        What `block` returns.

    Raises:
        TypeError: if `block` is not a Cell.

    Source: mindspore.recompute of MindSpore 2.10.
    """
    if not hasattr(block, "construct"):
        raise TypeError(f"For 'recompute', 'block' must be a Cell, but got {type(block).__name__}.")
    return custom.recompute(block, *args, **kwargs)
