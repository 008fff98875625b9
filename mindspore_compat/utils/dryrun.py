"""`mindspore.utils.dryrun`: substitute values for dry runs.

Here every run computes, so the functions that start and trace a dry run do not exist. `mock`
returns the same values as in the original, both when a launcher requests a dry run by the
environment variable MS_SIMULATION_LEVEL and otherwise.
"""

import os

__all__ = ["mock"]


def mock(mock_val, *args):
    """Returns a value, or its substitute in a dry run.

    Args:
        mock_val (Any): the value for a dry run, in which the environment variable
            MS_SIMULATION_LEVEL is set.
        *args: the value for other runs: a value, or a function to call and its arguments.

    Returns:
        Any, `mock_val`, the value, or what the function returns.

    Raises:
        TypeError: if there is no value, or there are several and the first is not a function.

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
