"""`mindspore.mindrecord.config`: encryption settings of MindRecord files.

With a key, files are encrypted when they are committed and decrypted when they are opened. AES
needs the library `cryptography`: `pip install mindspore-compat[crypto]`.
"""

from .._io.encryption import KEY_LENGTHS
from .._io.mindrecord_encryption import BUILT_IN, settings

__all__ = ["set_dec_mode", "set_enc_key", "set_enc_mode"]


def set_enc_key(enc_key):
    """Sets the key for encryption and decryption of files.

    Args:
        enc_key (Union[str, None]): the key, of 16, 24 or 32 bytes; None disables encryption.

    Raises:
        ValueError: if `enc_key` is something else.

    Example:
        >>> from mindspore_compat import mindrecord
        >>> mindrecord.set_enc_key("0123456789012345")
        >>> mindrecord.set_enc_key(None)

    Source: mindspore.mindrecord.set_enc_key of MindSpore 2.10.
    """
    is_key = isinstance(enc_key, str) and len(enc_key.encode()) in KEY_LENGTHS[BUILT_IN]
    if enc_key is not None and not is_key:
        description = (
            f"{len(enc_key.encode())} bytes" if isinstance(enc_key, str) else repr(enc_key)
        )
        raise ValueError(
            f"For 'set_enc_key', 'enc_key' must be a str of 16, 24 or 32 bytes or None, but got "
            f"{description}."
        )
    settings.key = enc_key


def set_enc_mode(enc_mode="AES-GCM"):
    """Sets the encryption mode of files.

    Args:
        enc_mode (Union[str, function], optional): "AES-GCM"; or a function that takes a file to
            read from, its length in bytes, a file to write to, and the key.

    Raises:
        ValueError: if `enc_mode` is neither.

    Example:
        >>> from mindspore_compat import mindrecord
        >>> mindrecord.set_enc_mode("AES-GCM")

    Source: mindspore.mindrecord.set_enc_mode of MindSpore 2.10.
    """
    _check_mode("set_enc_mode", "enc_mode", enc_mode)
    settings.enc_mode = enc_mode


def set_dec_mode(dec_mode="AES-GCM"):
    """Sets the decryption mode of files.

    Args:
        dec_mode (Union[str, function, None], optional): "AES-GCM"; a function that takes a file to
            read from, its length in bytes, a file to write to, and the key; or None, which inverts
            the mode "AES-GCM". After the output of an encrypting function, the file has four zero
            bytes and 7 bytes with the mode.

    Raises:
        ValueError: if `dec_mode` is neither.

    Example:
        >>> from mindspore_compat import mindrecord
        >>> mindrecord.set_dec_mode(None)

    Source: mindspore.mindrecord.set_dec_mode of MindSpore 2.10.
    """
    if dec_mode is not None:
        _check_mode("set_dec_mode", "dec_mode", dec_mode)
    settings.dec_mode = dec_mode
    settings.copies.clear()


def _check_mode(api, name, mode):
    if not callable(mode) and (not isinstance(mode, str) or mode != BUILT_IN):
        raise ValueError(
            f"For '{api}', '{name}' must be {BUILT_IN!r} or a function, but got {mode!r}."
        )
