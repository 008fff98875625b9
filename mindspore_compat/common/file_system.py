"""`mindspore.common.file_system`: preloading of checkpoints.

The original uses MindIO, a library for clusters. Here the operating system reads a file into its
cache.
"""

import os

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int, Str

__all__ = ["mindio_preload", "set_mindio_server_info"]

_most_gb = 100


@checked
def set_mindio_server_info(data_block_pool_capacity_in_gb: Int = 100):
    """Sets the size of the largest file that `mindio_preload` reads.

    Args:
        data_block_pool_capacity_in_gb (int, optional): the size in GB.

    Raises:
        TypeError: if it is not an int.

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
        TypeError: if it is not a str.

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
