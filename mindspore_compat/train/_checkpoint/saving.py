"""save_checkpoint: converts a network, a list or a dict to named arrays, and writes them to a file.

`_io` writes the bytes of the files. Loading is in `loading.py`.
"""

import errno
import os

import numpy as np

from ... import log
from ..._backend.arrays import to_host
from ..._core.rules.vocabulary import AsValue, Bool, Callable, InstanceOf, Str
from ..._core.sharding.array import Sharded
from ..._core.sharding.staged import Staged
from ..._core.tensor.tensor import Tensor
from ..._io import checkpoint, encryption, safetensors
from ...common.parameter import Parameter
from ...nn.cell import Cell
from . import background
from .divisions import can_be_cut

_Saved = InstanceOf(Parameter).called("Parameters, or dicts with the keys 'name' and 'data'")

FORMATS = ("ckpt", "safetensors")


def save_checkpoint(
    save_obj,
    ckpt_file_name,
    integrated_save=True,
    async_save=False,
    append_dict=None,
    enc_key=None,
    enc_mode="AES-GCM",
    choice_func=None,
    crc_check=False,
    format="ckpt",
    **kwargs,
):
    """Saves parameters to a checkpoint file, and replaces an existing file.

    After the call the file is complete and on disk; after an error there is no new file (an old one
    stays). Only its owner can read it, and nobody can write it. A "ckpt" file omits parameters
    without elements. The file contains a checksum, which `load_checkpoint` verifies.

    Args:
        save_obj (Union[Cell, list[Parameter], list[dict], dict]): what to save: all parameters of a
            Cell under their names; a list of Parameters; a list of dicts with the keys "name" (a
            str) and "data" (a Parameter or a Tensor); or a dict from names to
            Parameters, Tensors, arrays or texts.
        ckpt_file_name (str): the file; a missing ".ckpt" or ".safetensors" is appended.
        integrated_save (bool): whether to join the parts of a parameter that is divided over
            processes, or lies on a stage of a pipeline; all processes must then call this.
            Otherwise only what this process holds is saved.
        async_save (Union[bool, str]): True or "thread" writes in a thread, "process" in a process.
            The values are those at the time of the call. The next call waits for the writer.
        append_dict (dict): additional values by name: int, float, bool, str, Parameter, Tensor or
            Generator (its state).
        enc_key (Union[None, bytes]): the encryption key: 16, 24 or 32 bytes, 16 for SM4.
        enc_mode (str): "AES-GCM", "AES-CBC" or "SM4-CBC".
        choice_func (function): takes a parameter's name and returns whether to save it. It is not
            called for names in `append_dict`.
        crc_check (bool): whether to store the checksum after the values, where MindSpore's own
            `crc_check` expects it; the file then equals MindSpore's byte for byte. Otherwise the
            checksum comes before the values, in a field that MindSpore skips. Encrypted files
            always have it before the values, because MindSpore cannot read one after them.
        format (str): "ckpt" or "safetensors". The latter supports neither texts nor a key.
        kwargs: further options. `remove_redundancy` (a bool or None) is stored in a safetensors
            file; others have no effect.

    Raises:
        TypeError: if `save_obj`, `ckpt_file_name`, `integrated_save`, `async_save`, `append_dict`
            or `choice_func` is of the wrong type, or holds something else.
        ValueError: if `async_save` is another str, `format` is unknown, `crc_check` is not a bool,
            or the key or the mode cannot be used.
        IsADirectoryError: if `ckpt_file_name` is a directory.
        FileNotFoundError: if the folder of `ckpt_file_name` does not exist.
        OSError: if the file cannot be written; or if the previous background write failed, in which
            case this call has written nothing.
        ImportError: if a key or format needs a package that is not installed.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import nn
        >>> net = nn.Dense(2, 3)
        >>> ms.save_checkpoint(net, "dense.ckpt", append_dict={"epoch": 5})
        >>> ms.load_checkpoint("dense.ckpt")["epoch"]
        Parameter (name=epoch, shape=(), dtype=Int64, requires_grad=True)
    """
    _check_save(save_obj, ckpt_file_name, integrated_save, async_save, append_dict, choice_func)
    redundancy = kwargs.get("remove_redundancy")
    _check_options(enc_key, enc_mode, crc_check, format, redundancy)
    values = [
        (name, value)
        for name, value in _named_values(save_obj)
        if choice_func is None or choice_func(name)
        if integrated_save or not _lies_elsewhere(value)
    ]
    values += _append_pairs(append_dict or {})
    values = [(name, _host_value(name, value, integrated_save)) for name, value in values]
    if format == "safetensors":
        about = {} if redundancy is None else {"remove_redundancy": str(redundancy)}
        write, options = safetensors.write, {"crc": True, "metadata": about}
    else:
        write, trailing = checkpoint.write, crc_check and enc_key is None
        options = {"crc": trailing, "leading_crc": not trailing, "key": enc_key, "mode": enc_mode}
    _refuse_early(format, values)
    background.wait()
    if async_save:
        copies = [
            (name, value if isinstance(value, str) else value.copy()) for name, value in values
        ]
        file = os.path.abspath(ckpt_file_name)  # the script may change the working directory
        background.begin(async_save, write, file, copies, options)
    else:
        write(ckpt_file_name, values, **options)


def async_ckpt_thread_status():
    """Returns True while `save_checkpoint(..., async_save=True)` is still writing.

    Raises:
        OSError: if the write has failed.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.async_ckpt_thread_status()
        False

    Source: mindspore.train.async_ckpt_thread_status of MindSpore 2.10.
    """
    log.warning("'async_ckpt_thread_status' is deprecated since MindSpore 2.5.")
    return background.is_alive()


# Checks -------------------------------------------------------------------------------------------


def _check_save(save_obj, file_name, integrated_save, async_save, append_dict, choice_func):
    """Rejects arguments of a wrong type, in the order of the signature."""
    api = "save_checkpoint"
    InstanceOf(Cell, list, dict).refuse(api, "save_obj", save_obj)
    Str.refuse(api, "ckpt_file_name", file_name)
    Bool.refuse(api, "integrated_save", integrated_save)
    (Bool | Str).refuse(api, "async_save", async_save)
    (InstanceOf(dict) | None).refuse(api, "append_dict", append_dict)
    (Callable.called("a function") | None).refuse(api, "choice_func", choice_func)
    if isinstance(async_save, str) and async_save not in ("process", "thread"):
        raise ValueError(
            "For 'save_checkpoint', 'async_save' must be a bool, 'process' or "
            f"'thread', but got {async_save!r}."
        )
    if os.path.isdir(file_name) or not file_name:
        raise IsADirectoryError(
            "For 'save_checkpoint', 'ckpt_file_name' must be a file, but "
            f"{file_name!r} is a directory."
        )
    folder = os.path.dirname(file_name)
    if folder and not os.path.isdir(folder):
        raise FileNotFoundError(
            errno.ENOENT,
            "For 'save_checkpoint', the folder of 'ckpt_file_name' does not exist",
            folder,
        )


def _check_options(enc_key, enc_mode, crc_check, format, redundancy):
    """Rejects options for which MindSpore raises ValueError, whatever their type."""
    check_key("save_checkpoint", "enc", enc_key, enc_mode, format)
    check_crc("save_checkpoint", crc_check)
    AsValue(Bool | None).refuse("save_checkpoint", "remove_redundancy", redundancy)


def check_key(api, prefix, key, mode, format):
    """Rejects an invalid format, key or mode; `prefix` is "enc" or "dec"."""
    if format not in FORMATS:
        raise ValueError(
            f"For '{api}', 'format' must be 'ckpt' or 'safetensors', but got {format!r}."
        )
    AsValue(InstanceOf(bytes) | None).refuse(api, f"{prefix}_key", key)
    AsValue(Str).refuse(api, f"{prefix}_mode", mode)
    if key is None:
        return
    if format == "safetensors":
        raise ValueError(
            f"For '{api}', '{prefix}_key' must be None when 'format' is 'safetensors'."
        )
    try:
        encryption.check(key, mode)
    except ValueError as error:
        raise ValueError(
            f"For '{api}', '{prefix}_key' and '{prefix}_mode' do not fit: {error}."
        ) from None


def check_crc(api, crc_check):
    """Rejects a `crc_check` that is not a bool."""
    AsValue(Bool).refuse(api, "crc_check", crc_check)


def _refuse_early(format, values):
    """Raises errors immediately that a background writer would only find later."""
    for name, value in values:
        if isinstance(value, str):
            if format == "safetensors":
                raise TypeError(
                    "For 'save_checkpoint', a text cannot be stored in the format "
                    f"'safetensors', but '{name}' is one."
                )
        elif value.dtype.newbyteorder("=") not in checkpoint.NAMES:
            raise TypeError(
                f"For 'save_checkpoint', '{name}' has values of type {value.dtype}, "
                "which a checkpoint cannot hold."
            )


# Conversion to named values -----------------------------------------------------------------------


def _named_values(save_obj):
    """Returns the (name, value) pairs of `save_obj`, in the order of the file."""
    if isinstance(save_obj, list):
        return _of_list(save_obj)
    if isinstance(save_obj, dict):
        return _of_dict(save_obj)
    return [(param.name, param) for _, param in save_obj.parameters_and_names()]


def _of_list(items):
    """Returns the pairs of a list of Parameters, or of dicts with a name and data."""
    if items and isinstance(items[0], dict):
        return [_of_item(item) for item in items]
    for item in items:
        _Saved.refuse_part("save_checkpoint", "'save_obj'", item, verb="hold")
    return [(param.name, param) for param in items]


def _of_item(item):
    """Returns the pair of one {"name": ..., "data": ...}."""
    if not isinstance(item, dict) or not {"name", "data"} <= item.keys():
        raise TypeError(
            "For 'save_checkpoint', each dict of 'save_obj' must have the keys 'name' "
            f"and 'data', but got {item!r}."
        )
    name, data = item["name"], item["data"]
    Str.refuse_part("save_checkpoint", "'name' in a dict of 'save_obj'", name)
    InstanceOf(Tensor).called("a Parameter or a Tensor").refuse_part(
        "save_checkpoint", "'data' in a dict of 'save_obj'", data
    )
    return name, data


def _of_dict(items):
    """Returns the pairs of a dict from names to values."""
    for name, value in items.items():
        fits = isinstance(value, (Tensor, np.ndarray, str, int, float))
        if not isinstance(name, str) or not fits:
            raise TypeError(
                "For 'save_checkpoint', a dict as 'save_obj' must hold Parameters by "
                f"name, but got {value!r} of type {type(value).__name__} by {name!r}."
            )
    return list(items.items())


def _append_pairs(items):
    """Returns the pairs of `append_dict`."""
    for name, value in items.items():
        fits = isinstance(value, (Tensor, bool, int, float, str)) or _is_generator(value)
        if not isinstance(name, str) or not fits or isinstance(value, np.generic):
            raise TypeError(
                "For 'save_checkpoint', 'append_dict' must hold int, float, bool, str, "
                "Parameter, Tensor or Generator by name, but got "
                f"{value!r} of type {type(value).__name__} by {name!r}."
            )
    return list(items.items())


def _is_generator(value):
    """Returns True for a Generator, whose state is saved."""
    if not hasattr(value, "get_state"):
        return False
    from ...common.generator import Generator

    return isinstance(value, Generator)


def _lies_elsewhere(value):
    """Returns True for a parameter of another pipeline stage."""
    return isinstance(value, Parameter) and type(value._array) is Staged


def _host_value(name, value, whole=True):
    """Returns a copy of a value as an array on the host, or as a text; with `whole` the value that
    all ranks hold together."""
    if isinstance(value, str):
        return value
    if isinstance(value, Tensor):
        array = (value.init_data() if value.has_init else value)._array
        where = value.__dict__.get("_stages")
        if whole and where is not None:  # of one stage of a pipeline
            stages, first = where
            return to_host(stages.whole_value(value, first))
        if not whole and type(array) is Sharded and can_be_cut(array):
            return to_host(array.block)
        return to_host(array)
    if isinstance(value, bool):
        return np.array(value)
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(
                f"For 'save_checkpoint', '{name}' must fit into 64 bits, but got {value}."
            )
        return np.array(value, np.int64)
    if isinstance(value, float):
        return np.array(value, np.float32)
    return value if isinstance(value, np.ndarray) else to_host(value.get_state()._array)
