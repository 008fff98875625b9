"""Small helpers of this package that scripts import from `mindspore.train._utils`."""

import functools
import os

from .._io.reading import check_name
from ._checkpoint.redundancy import get_parameter_redundancy, remove_param_redundancy

__all__ = ["check_value_type", "get_parameter_redundancy", "remove_param_redundancy"]


def _make_directory(path, arg_name="path"):
    """Creates a directory and its parents, unless it exists.

    Args:
        path (str): the directory; "~" and links are followed.
        arg_name (str): the name of the argument in errors.

    Returns:
        str, the real path.

    Raises:
        TypeError: if `path` is not a str.
        ValueError: if it is blank.
        NotADirectoryError: if there is a file of that name.
    """
    directory = _check_directory(path, arg_name)
    os.makedirs(directory, mode=0o700, exist_ok=True)
    return directory


def _check_directory(path, arg_name):
    """Returns the real path of a directory to create; raises the errors of `_make_directory`."""
    if not isinstance(path, str):
        raise TypeError(
            f"The {arg_name} is invalid, the type should be string. Got {path!r} of type "
            f"{type(path).__name__}."
        )
    if not path.strip():
        raise ValueError(f"The {arg_name} is invalid, it should be non-blank.")
    check_name(path)
    directory = os.path.realpath(os.path.expanduser(path))
    if os.path.exists(directory) and not os.path.isdir(directory):
        raise NotADirectoryError(f"The {arg_name} must be a directory, but {directory} is a file.")
    return directory


def without_optimizer(network):
    """Returns the network with its loss, without the training steps around it."""
    while {"network", "optimizer"} <= network.name_cells().keys():
        network = network.network
    return network


def documented_as_value_error(function):
    """Decorates constructors whose documentation names ValueError for a wrong type, too."""

    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        try:
            return function(*args, **kwargs)
        except TypeError as error:
            if not str(error).startswith("For '"):  # Python's own TypeError, not a rule's
                raise
            raise ValueError(*error.args) from None

    return wrapper


def check_value_type(arg_name, arg_value, valid_types):
    """Raises TypeError unless a value has one of the allowed types; a bool is not an int.

    Args:
        arg_name (str): the name of the argument in the error.
        arg_value (Any): the value.
        valid_types (Union[type, tuple, list]): the types.

    Raises:
        TypeError: if the value is of the wrong type.
    """
    kinds = tuple(valid_types) if isinstance(valid_types, (list, tuple)) else (valid_types,)
    if not isinstance(arg_value, kinds) or (isinstance(arg_value, bool) and bool not in kinds):
        names = [kind.__name__ for kind in kinds]
        raise TypeError(
            f"For `{arg_name}` the type should be a valid type of {names}, but got "
            f"{type(arg_value).__name__}."
        )
