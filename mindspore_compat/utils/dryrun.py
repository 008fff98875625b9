"""`mindspore.utils.dryrun`: substitute values for dry runs.

A dry run is requested by the environment variable MS_SIMULATION_LEVEL, which `set_simulation` or a
launcher sets. In it `mock` returns the substitute, as in MindSpore. Operators compute as in any
run, because there is no device to be left out.
"""

import os

__all__ = ["mock", "set_simulation"]


def set_simulation():
    """Requests a dry run in this process: from now on `mock` returns the substitutes.

    Examples:
        >>> import os
        >>> from mindspore_compat.utils import dryrun
        >>> dryrun.set_simulation()
        >>> dryrun.mock("substitute", "value"), os.environ.pop("MS_SIMULATION_LEVEL")
        ('substitute', '1')

    Source: mindspore.utils.dryrun.set_simulation of MindSpore 2.10.
    """
    os.environ["MS_SIMULATION_LEVEL"] = "1"


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
