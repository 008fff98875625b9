"""`mindspore.utils.dryrun`: values for a run that only pretends to compute.

Nothing pretends here: every run computes. So what starts a dry run, and what traces one, is not
here. `mock` gives what it would in the original, where a launcher requests a dry run by the
environment variable MS_SIMULATION_LEVEL as well as where none does.
"""

import os

__all__ = ["mock"]


def mock(mock_val, *args):
    """Returns a value, or in a dry run another one in its stead.

    Args:
        mock_val (Any): what a dry run gets: where the environment variable MS_SIMULATION_LEVEL is
            set.
        *args: what any other run gets: a value, or a function and its arguments, which is called.

    Returns:
        Any, `mock_val`, the value, or what the function returns.

    Raises:
        TypeError: there is no value, or there are several and the first is no function.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat.utils import dryrun
        >>> x = ms.Tensor([0.2, 0.7])
        >>> bool(dryrun.mock(False, (x > 0.5).any))
        True

    Source: mindspore.utils.dryrun.mock of MindSpore 2.10.
    """
    if not args:
        raise TypeError("For 'mock', there must be a value or a function with 'mock_val'.")
    value, *arguments = args
    if arguments and not callable(value):
        raise TypeError(
            f"For 'mock', what has arguments must be a function, but got {value!r} of "
            f"type {type(value).__name__}."
        )
    if "MS_SIMULATION_LEVEL" in os.environ:
        return mock_val
    return value(*arguments) if callable(value) else value
