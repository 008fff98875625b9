"""Stores a setting of a device in the context, once."""

from .._core.context.config import config


def store_once(status, name, value, table=None, key=None):
    """Stores a setting; a second call with another value is refused.

    Args:
        status (dict[str, bool]): of the module, whether each of its functions has been called.
        name (str): the function.
        value: what it was given.
        table (str, optional): the dict of the context that has it; by default the context itself.
        key (str, optional): its key there; by default `name`.

    Raises:
        RuntimeError: the function was called before, with another value.
    """
    key = name if key is None else key
    current = vars(config) if table is None else getattr(config, table)
    if status[name] and current.get(key) != value:
        raise RuntimeError(
            f"For '{name}', a second value is refused: it has been set to {current.get(key)!r}."
        )
    if table is None:
        setattr(config, key, value)
    else:
        setattr(config, table, {**current, key: value})
    status[name] = True
