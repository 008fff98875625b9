"""`mindspore.common.file_system`: how files are opened, and preloading of checkpoints.

MindSpore uses MindIO, a library for clusters. Here the operating system reads a file into its
cache.
"""

import os

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int, Str

__all__ = ["mindio_preload", "set_mindio_server_info"]

_most_gb = 100


class FileSystem:
    """How files are created and opened: by Python's `open`.

    Attributes:
        create (Callable): opens a file to append to, `create(path, *create_args)`.
        create_args (tuple): its further arguments.
        open (Callable): opens a file to read, `open(path, *open_args)`.
        open_args (tuple): its further arguments.
        backend (str): "basic".
    """

    def __init__(self):
        _register_basic_file_system(self)


def _register_basic_file_system(fs):
    """Sets the attributes of a FileSystem to Python's `open`; returns True."""
    fs.create, fs.create_args = open, ("ab",)
    fs.open, fs.open_args = open, ("rb",)
    fs.backend = "basic"
    return True


def _register_mindio_file_system(fs):
    """Returns False: there is no MindIO, so the FileSystem stays as it is."""
    return False


@checked
def set_mindio_server_info(data_block_pool_capacity_in_gb: Int = 100):
    """Sets the size of the largest file that `mindio_preload` reads.

    Args:
        data_block_pool_capacity_in_gb (int, optional): the size in GB.

    Raises:
        TypeError: if `data_block_pool_capacity_in_gb` is not an int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.set_mindio_server_info(100)

    Source: mindspore.set_mindio_server_info of MindSpore 2.10.
    """
    global _most_gb
    _most_gb = data_block_pool_capacity_in_gb


@checked
def mindio_preload(ckpt_file_name: Str):
    """Preloads a checkpoint into the operating system's cache, without waiting for it.

    Args:
        ckpt_file_name (str): the file.

    Returns:
        bool, whether the file is being read: False if there is no such file, if it is larger than
            `set_mindio_server_info` allows, or if the system cannot read ahead.

    Raises:
        TypeError: if `ckpt_file_name` is not a str.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.mindio_preload("missing.ckpt")
        False

    Source: mindspore.mindio_preload of MindSpore 2.10.
    """
    if not hasattr(os, "posix_fadvise"):
        return False
    try:
        with open(ckpt_file_name, "rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > _most_gb << 30:
                return False
            os.posix_fadvise(file.fileno(), 0, size, os.POSIX_FADV_WILLNEED)
    except OSError:
        return False
    return True
