"""mindspore.numpy.utils_const: private helpers of the original that scripts import."""


def _raise_value_error(info, param=None):
    """Raises a ValueError of a text, with a value after it if there is one."""
    raise ValueError(info if param is None else f"{info}{param}")


def _raise_type_error(info, param=None):
    """Raises a TypeError of a text, with the type of a value after it if there is one."""
    raise TypeError(info if param is None else f"{info}{type(param)}")
