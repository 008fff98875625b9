"""Stores a device setting in the context, only once."""

from .._core.context.config import config


def store_once(status, name, value, table=None, key=None):
    """Stores a setting; a second call with another value is refused.

    Args:
        status (dict[str, bool]): of the module, whether each of its functions has been called.
        name (str): the function.
        value: the value of the setting.
        table (str, optional): the dict of the context that holds it; by default the context itself.
        key (str, optional): the key in the dict; by default `name`.

    Raises:
        RuntimeError: if the function was called before, with another value.
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
