"""Where the strategies of operations are stored or read, for a search that this package has not."""

import os

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Str

_setting = {"mode": None, "path": ""}


@checked
def set_op_strategy_config(mode: Str = "SAVE", path: Str = ""):
    """Sets the file that strategies of operations are stored in, or read from.

    They come of a search for a way to divide a network, and every rank holds the whole network
    here: the setting is checked and kept.

    Args:
        mode (str): "SAVE" or "LOAD".
        path (str): an absolute path that ends in ".json".

    Raises:
        TypeError: an argument is no str.
        KeyError: `mode` is something else, or `path` is not such a path.

    Examples:
        >>> from mindspore_compat import parallel
        >>> parallel.set_op_strategy_config("SAVE", "/tmp/strategies.json")

    Source: mindspore.parallel.set_op_strategy_config of MindSpore 2.10.
    """
    api = "set_op_strategy_config"
    if not os.path.isabs(path):
        raise KeyError(f"For '{api}', 'path' must be an absolute path, but got {path!r}.")
    if not path.endswith(".json"):
        raise KeyError(f"For '{api}', 'path' must end in '.json', but got {path!r}.")
    if mode not in ("SAVE", "LOAD"):
        raise KeyError(f"For '{api}', 'mode' must be 'SAVE' or 'LOAD', but got {mode!r}.")
    _setting.update(mode=mode, path=path)
