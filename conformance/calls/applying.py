"""Calls an object with arguments by their documented names: by keyword if it accepts them, else by
position."""

import inspect


def apply(thing, given):
    """Returns the result of a call."""
    stars = [i for i, k in enumerate(given) if k.startswith("*")]
    if stars:  # variadic arguments are positional, and so must be all arguments before them
        items = list(given.items())
        return thing(*(v for _, v in items[: stars[-1] + 1]), **dict(items[stars[-1] + 1 :]))
    try:
        bound = inspect.signature(thing)
        keyword = all(
            k in bound.parameters or any(p.kind is p.VAR_KEYWORD for p in bound.parameters.values())
            for k in given
        )
    except (TypeError, ValueError):  # a built-in function; it may still accept keywords
        return _by_name_or_position(thing, given)
    if _is_cell(thing):
        keyword = _leaves_one_out(thing, given)
    return thing(**given) if keyword else thing(*given.values())


def _by_name_or_position(thing, given):
    """Returns the result of a call by keyword, or by position if the function itself does not
    accept the keywords."""
    try:
        return thing(**given)
    except TypeError as error:
        if "keyword" not in str(error):
            raise
    return thing(*given.values())


def _leaves_one_out(thing, given):
    """Returns True if the inputs of a layer, named as on the page, are passed without one before
    them."""
    names = list(inspect.signature(getattr(thing, "construct", thing)).parameters)
    return set(given) <= set(names) and names[: len(given)] != list(given)


def _is_cell(thing):
    """Returns True for layers and primitives, which are called by position: the documented names of
    their inputs are no promise."""
    return not isinstance(thing, type) and any(
        c.__name__ in ("Cell", "Primitive") for c in type(thing).__mro__
    )
