"""load: reads a MindIR file as a graph that nn.GraphCell runs."""

import os

from ..._core.rules.vocabulary import AsValue, Str, checked
from ..._io import encryption, mindir
from ..._io.files import map_file
from ..._io.reading import reading
from ...nn._func_graph import FuncGraph
from .writing import SUFFIX, check_lock


@checked
def load(file_name: AsValue(Str), **kwargs):
    """Loads a MindIR file.

    Args:
        file_name (str): the file, whose name ends in ".mindir".
        kwargs: `dec_key` (bytes) is the key with which the file was encrypted, `dec_mode` the mode
            ("AES-GCM", "AES-CBC" or "SM4-CBC", or a function that takes the file's name and the key
            and returns the content). Others have no effect.

    Returns:
        FuncGraph, which `nn.GraphCell` runs.

    Raises:
        ValueError: if `file_name` is not a str, does not end in ".mindir" or is not there; if the
            key or mode cannot be used.
        RuntimeError: if the file cannot be read: it is damaged, encrypted in another way, uses an
            unknown primitive, or names weights outside its folder.

    Examples:
        >>> import numpy as np
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn, Tensor
        >>> x = Tensor(np.ones((1, 2), np.float32))
        >>> ms.export(nn.ReLU(), x, file_name="relu", file_format="MINDIR")
        >>> ms.load("relu.mindir")
        FuncGraph('ReLU', 2 nodes)
    """
    if not file_name.endswith(SUFFIX):
        raise ValueError(f"For 'load', 'file_name' must end in '{SUFFIX}', but got {file_name!r}.")
    if not os.path.isfile(file_name):
        raise ValueError(f"For 'load', the file {os.path.abspath(file_name)} is not there.")
    key, mode = kwargs.get("dec_key"), kwargs.get("dec_mode", "AES-GCM")
    check_lock("load", "dec", key, mode)
    folder = _ExternalData(os.path.dirname(os.path.abspath(file_name)))
    with reading(file_name, problem="cannot be read as MindIR"):
        return FuncGraph(mindir.parse(_content(file_name, key, mode)), folder)


def _content(file_name, key, mode):
    """Returns the decrypted content of the file."""
    if key is None:
        content = map_file(file_name)
        if encryption.looks_encrypted(content):
            raise ValueError("it is encrypted, and no 'dec_key' is given")
        return content
    if callable(mode):
        return memoryview(mode(file_name, key))
    return memoryview(encryption.decrypt(map_file(file_name), key, mode))


class _ExternalData:
    """Reads values from files next to the graph, in which large models store them.

    A graph names these files. To keep it from naming any file of the machine, they must be in the
    folder of the graph or below it, after resolving links.
    """

    def __init__(self, folder):
        self.folder, self._mapped = os.path.realpath(folder), {}

    def __call__(self, entry):
        path, start = self._path(entry.location), entry.offset or 0
        if path not in self._mapped:
            if not os.path.isfile(path):
                raise ValueError(f"its weights lie in {path!r}, which is not there")
            self._mapped[path] = map_file(path)
        if start < 0 or (entry.length or 0) < 0:
            raise ValueError(
                f"its weights lie at byte {start} of {path!r} and have {entry.length} bytes"
            )
        return self._mapped[path][start : start + entry.length]

    def _path(self, location):
        path = os.path.realpath(os.path.join(self.folder, location))
        if os.path.isabs(location) or os.path.commonpath([path, self.folder]) != self.folder:
            raise ValueError(
                f"its weights lie in {location!r}, which is outside of the folder of the graph"
            )
        return path
