"""`mindspore.common.file_system`: settings of MindIO, a library for checkpoints in a cluster.

This package reads and writes files itself, without MindIO.
"""

from .._core.rules.checked import checked
from .._core.rules.vocabulary import Int

__all__ = ["mindio_preload", "set_mindio_server_info"]

_settings = {"memfs.data_block_pool_capacity_in_gb": "100"}


@checked
def set_mindio_server_info(data_block_pool_capacity_in_gb: Int = 100):
    """Sets how much memory MindIO has for blocks of data; the setting is kept.

    Args:
        data_block_pool_capacity_in_gb (int, optional): how many GB.

    Raises:
        TypeError: it is no int.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.set_mindio_server_info(50)

    Source: mindspore.set_mindio_server_info of MindSpore 2.10.
    """
    _settings["memfs.data_block_pool_capacity_in_gb"] = str(data_block_pool_capacity_in_gb)


def mindio_preload(ckpt_file_name):
    """Has MindIO read a checkpoint ahead of its use; without MindIO nothing is read ahead.

    Args:
        ckpt_file_name (str): the file.

    Returns:
        bool, whether it has been read: False without MindIO, as in the original.

    Examples:
        >>> import mindspore_compat as ms
        >>> ms.mindio_preload("net.ckpt")
        False

    Source: mindspore.mindio_preload of MindSpore 2.10.
    """
    return False
