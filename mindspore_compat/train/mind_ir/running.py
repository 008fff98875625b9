"""load: a MindIR file as a graph that nn.GraphCell runs."""

import os

from ..._io import encryption, mindir
from ..._io.files import mapped
from ...nn._func_graph import FuncGraph
from .writing import SUFFIX, check_lock


def load(file_name, **kwargs):
    """Load a MindIR file.

    Args:
        file_name (str): The file, whose name ends in ".mindir".
        kwargs: `dec_key` (bytes) is the key that the file was encrypted with, `dec_mode` the mode
            ("AES-GCM", "AES-CBC" or "SM4-CBC", or a function of the file's name and the key that
            returns the content). Others have no effect.

    Returns:
        FuncGraph, which `nn.GraphCell` runs.

    Raises:
        ValueError: If `file_name` is not a str, does not end in ".mindir" or is not there; if the
            key or mode cannot be used.
        RuntimeError: If the file cannot be read: it is damaged, encrypted otherwise, or uses a
            primitive that is not known here.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, Tensor
        >>> x = Tensor(np.ones((1, 2), np.float32))
        >>> ms.export(nn.ReLU(), x, file_name="relu", file_format="MINDIR")
        >>> ms.load("relu.mindir")
        FuncGraph('ReLU', 2 nodes)
    """
    if not isinstance(file_name, str):
        raise ValueError(f"For 'load', 'file_name' must be a str, but got {file_name!r} of type "
                         f"{type(file_name).__name__}.")
    if not file_name.endswith(SUFFIX):
        raise ValueError(f"For 'load', 'file_name' must end in '{SUFFIX}', but got {file_name!r}.")
    if not os.path.isfile(file_name):
        raise ValueError(f"For 'load', the file {os.path.abspath(file_name)} is not there.")
    key, mode = kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM")
    check_lock("load", "dec", key, mode)
    folder = _Beside(os.path.dirname(os.path.abspath(file_name)))
    try:
        return FuncGraph(mindir.parsed(_content(file_name, key, mode)), folder)
    except ValueError as error:
        raise RuntimeError(f"The file {file_name} cannot be read as MindIR: {error}.") from error


def _content(file_name, key, mode):
    """The plain bytes of the file."""
    if key is None:
        content = mapped(file_name)
        if encryption.looks_locked(content):
            raise ValueError("it is encrypted, and no 'dec_key' is given")
        return content
    if callable(mode):
        return memoryview(mode(file_name, key))
    return memoryview(encryption.decrypt(mapped(file_name), key, mode))


class _Beside:
    """Reads values that lie in files beside the graph, as large models have them."""

    def __init__(self, folder):
        self.folder, self._held = folder, {}

    def __call__(self, place):
        path = os.path.join(self.folder, place.location)
        if path not in self._held:
            if not os.path.isfile(path):
                raise ValueError(f"its weights lie in {path}, which is not there")
            self._held[path] = mapped(path)
        start = place.offset or 0
        return self._held[path][start:start + place.length]
