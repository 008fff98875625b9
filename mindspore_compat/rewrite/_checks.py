"""Checks of arguments that the public classes share."""


def need(api, name, value, *types):
    """Refuses, by TypeError, a value of none of the types; a bool is no int."""
    if isinstance(value, types) and not (isinstance(value, bool) and bool not in types):
        return
    allowed = " or ".join(each.__name__ for each in types)
    raise TypeError(
        f"For '{api}', '{name}' must be of type {allowed}, but got {value!r} of "
        f"type {type(value).__name__}."
    )


def need_each(api, name, values, *types):
    """Refuses, by TypeError, what is no list or tuple, or has a member of none of the types."""
    need(api, name, values, list, tuple)
    for number, value in enumerate(values):
        need(api, f"{name}[{number}]", value, *types)
