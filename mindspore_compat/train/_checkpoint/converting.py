"""ckpt_to_safetensors and safetensors_to_ckpt: convert files from one format to the other."""

import os
import re

from ..._backend.ranks import children
from ..._core import progress
from ..._core.rules.vocabulary import AsValue, InstanceOf, Number, OneOf, Str
from ..._io import checkpoint, safetensors

_OptionalStr = Str | None
_Processes = Number(ge=1, numpy_scalars=True) | OneOf(True) | None


def ckpt_to_safetensors(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
):
    """Converts checkpoint files to the safetensors format.

    An encrypted file is rejected. A checksum is not copied.

    Args:
        file_path (str): a file whose name ends in ".ckpt", or a directory, whose files are
            converted, including the files in its sub-directories.
        save_path (str): the directory of the new files, created if missing, with the
            sub-directories of `file_path`. By default each new file is written next to its source.
        name_map (dict): old parameter name -> new name.
        file_name_regex (str): convert only files in whose names this expression matches a part.
        processes_num (int): the number of processes, at least 1.

    Raises:
        ValueError: if `file_path` is not there or of another kind, `save_path` is a file,
            `name_map` is not a dict, or `processes_num` is below 1; if a file cannot be read.
        TypeError: if `file_name_regex` is not a str or `processes_num` not a number, or a file
            holds a text, which safetensors cannot store.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.save_checkpoint([ms.Parameter(1.0, name="a")], "one.ckpt")
        >>> ms.ckpt_to_safetensors("one.ckpt", name_map={"a": "b"})
        >>> ms.load_checkpoint("one.safetensors", format="safetensors")
        {'b': Parameter (name=b, shape=(), dtype=Float32, requires_grad=True)}
    """
    _convert_all(
        "ckpt_to_safetensors", file_path, save_path, name_map, file_name_regex, processes_num
    )


def safetensors_to_ckpt(
    file_path, save_path=None, name_map=None, file_name_regex=None, processes_num=1
):
    """Converts safetensors files to the checkpoint format.

    Args:
        file_path (str): a file whose name ends in ".safetensors", or a directory; the other
            arguments are the same as for `ckpt_to_safetensors`.

    Raises:
        ValueError: as for `ckpt_to_safetensors`.
        TypeError: if `file_name_regex` is not a str or `processes_num` not a number.

    Example:
        >>> import mindspore_compat as ms
        >>> saved = [{"name": "a", "data": ms.Tensor([1.0])}]
        >>> ms.save_checkpoint(saved, "two", format="safetensors")
        >>> ms.safetensors_to_ckpt("two.safetensors")
        >>> sorted(ms.load_checkpoint("two.ckpt"))
        ['a']
    """
    _convert_all(
        "safetensors_to_ckpt", file_path, save_path, name_map, file_name_regex, processes_num
    )


def _convert_all(api, file_path, save_path, name_map, file_name_regex, processes_num):
    """Checks the arguments of both directions, and converts the selected files."""
    suffix = checkpoint.SUFFIX if api.startswith("ckpt") else safetensors.SUFFIX
    _check(api, file_path, save_path, name_map, file_name_regex, processes_num)
    if os.path.isfile(file_path):
        if not file_path.endswith(suffix):
            raise ValueError(
                f"For '{api}', 'file_path' must be a {suffix} file, but got {file_path!r}."
            )
        top, files = os.path.dirname(file_path), [file_path]
    else:
        top, files = file_path, _files_below(file_path, suffix)
    if file_name_regex is not None:
        files = [file for file in files if re.search(file_name_regex, os.path.basename(file))]
    tasks = [(api, file, _target(file, top, save_path, suffix), name_map or {}) for file in files]
    for task in tasks:
        os.makedirs(os.path.dirname(task[2]) or ".", exist_ok=True)
    if len(tasks) < 2 or processes_num is None or processes_num == 1:
        progress.exhaust((_convert(*task) for task in tasks), "Converting", len(tasks), "files")
        return
    with children.executor(int(min(processes_num, len(tasks)))) as pool:
        converted = pool.map(_convert, *zip(*tasks, strict=True))
        progress.exhaust(converted, "Converting", len(tasks), "files")


def _check(api, file_path, save_path, name_map, file_name_regex, processes_num):
    if not isinstance(file_path, (str, bytes, os.PathLike, int)):
        raise TypeError(f"For '{api}', 'file_path' must be a str, but got {file_path!r}.")
    if not isinstance(file_path, str) or not os.path.exists(file_path):
        raise ValueError(
            f"For '{api}', 'file_path' must be a file or a directory, but got {file_path!r}."
        )
    _OptionalStr.refuse(api, "save_path", save_path)
    _OptionalStr.refuse(api, "file_name_regex", file_name_regex)
    if not os.path.isfile(file_path):  # for one file it is not read
        _Processes.refuse(api, "processes_num", processes_num)
    if save_path is not None and os.path.isfile(save_path):
        raise ValueError(f"For '{api}', 'save_path' must be a directory, but got {save_path!r}.")
    AsValue(InstanceOf(dict) | None).refuse(api, "name_map", name_map)


def _files_below(folder, suffix):
    """Returns the files with this suffix in a directory and its sub-directories, sorted by path."""
    return sorted(
        os.path.join(where, name)
        for where, _, names in os.walk(folder)
        for name in names
        if name.endswith(suffix)
    )


def _target(file, top, save_path, suffix):
    """Returns the path of the converted file."""
    other = safetensors.SUFFIX if suffix == checkpoint.SUFFIX else checkpoint.SUFFIX
    target = file.removesuffix(suffix) + other
    return (
        target
        if save_path is None
        else os.path.join(save_path, os.path.relpath(target, top or "."))
    )


def _convert(api, file, target, name_map):
    """Converts one file."""
    if api == "ckpt_to_safetensors":
        values, write = checkpoint.read(file), safetensors.write
    else:
        (values, _), write = safetensors.read(file), checkpoint.write
    write(target, [(name_map.get(name, name), value) for name, value, _ in values])
