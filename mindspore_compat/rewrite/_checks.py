"""Argument checks of the public classes."""


def need(api, name, value, *types):
    """Raises a TypeError unless a value has one of the types; a bool is not an int."""
    if isinstance(value, types) and not (isinstance(value, bool) and bool not in types):
        return
    names = " or ".join(type_.__name__ for type_ in types)
    raise TypeError(
        f"For '{api}', '{name}' must be of type {names}, but got {value!r} of "
        f"type {type(value).__name__}."
    )


def need_each(api, name, values, *types):
    """Raises a TypeError unless a value is a list or tuple whose items have one of the types."""
    need(api, name, values, list, tuple)
    for number, value in enumerate(values):
        need(api, f"{name}[{number}]", value, *types)
