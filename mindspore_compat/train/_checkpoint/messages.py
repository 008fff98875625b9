"""Private functions of MindSpore's serialization module that scripts import. They read a
checkpoint file as a message, and write one from names, shapes, types and values."""

import os

from ..._io import checkpoint, encryption, safetensors
from ..._io.reading import content
from ..checkpoint_pb2 import Checkpoint
from .saving import _check_options, _host_value


def _parse_ckpt_proto(ckpt_file_name, dec_key, dec_mode, crc_check):
    """Reads a checkpoint file as a message.

    Args:
        ckpt_file_name (str): the file.
        dec_key (Union[bytes, None]): the key with which the file was encrypted.
        dec_mode (str): the encryption mode.
        crc_check (bool): whether to verify the checksum at the end of the file.

    Returns:
        Checkpoint.

    Raises:
        ValueError: if there is no such file, it is not a checkpoint, or is damaged.
    """
    if not os.path.isfile(ckpt_file_name):
        raise ValueError(f"There is no checkpoint file {ckpt_file_name!r}.")
    checkpoint.read(ckpt_file_name, crc=crc_check, key=dec_key, mode=dec_mode, accepts=lambda _: 0)
    view, _ = checkpoint.split_checksum(memoryview(content(ckpt_file_name)))
    if dec_key is not None:
        view = encryption.decrypt(view, dec_key, dec_mode)
    return Checkpoint.FromString(bytes(view))


def _exec_save(
    ckpt_file_name,
    data_list,
    enc_key=None,
    enc_mode="AES-GCM",
    map_param_inc=False,
    crc_check=False,
    format="ckpt",
    remove_redundancy=None,
):
    """Writes a checkpoint file.

    Args:
        ckpt_file_name (str): the file.
        data_list (dict): name -> [shape, name of the type, value]; values are written unchanged.
        enc_key (Union[bytes, None]): the encryption key.
        enc_mode (str): the encryption mode.
        map_param_inc (bool): ignored, because incremental files do not exist here.
        crc_check (bool): whether to append a checksum.
        format (str): "ckpt" or "safetensors".
        remove_redundancy (Union[bool, None]): stored in a safetensors file.

    Raises:
        ValueError: if an option is wrong.
        OSError: if the file cannot be written.
    """
    _check_options(enc_key, enc_mode, crc_check, format, remove_redundancy)
    values = []
    for name, (_, _, value) in data_list.items():
        values.append((name, _host_value(name, value)))
    if format == "safetensors":
        about = {} if remove_redundancy is None else {"remove_redundancy": str(remove_redundancy)}
        safetensors.write(ckpt_file_name, values, crc=True, metadata=about)
    else:
        checkpoint.write(ckpt_file_name, values, crc=crc_check, key=enc_key, mode=enc_mode)
