"""mindspore.numpy.utils_const: MindSpore's private helpers that scripts import."""


def _raise_value_error(info, param=None):
    """Raises a ValueError with a message, followed by a value if one is given."""
    raise ValueError(info if param is None else f"{info}{param}")


def _raise_type_error(info, param=None):
    """Raises a TypeError with a message, followed by the type of a value if one is given."""
    raise TypeError(info if param is None else f"{info}{type(param)}")
