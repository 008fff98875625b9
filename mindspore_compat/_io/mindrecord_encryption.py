"""Encrypted MindRecord files: the settings, encryption of complete files, and decryption for
reading.

A file and its index are encrypted in the same way, each as a whole. "AES-GCM" splits the file into
blocks of 64 MiB and stores each in the format of `encryption.py`, preceded by its length in 4
bytes, most significant first. A user-defined function may write any format. Both are followed by
four zero bytes, the mode in 7 bytes, "AES-GCM" or "UDF-ENC", and "ENCRYPT".

Readers get the path of a decrypted copy, in a folder that is removed at exit.
"""

import atexit
import os
import shutil
import tempfile

from . import encryption
from .files import AtomicFile
from .mindrecord_errors import MRMCommitError, MRMOpenError
from .reading import reading

BUILT_IN = "AES-GCM"
_CUSTOM = "UDF-ENC"
_END = b"ENCRYPT"
_LAST_BLOCK = bytes(4)
_MODE_LENGTH = 7


class _Settings:
    """The key, which is None for plain files, and the modes of encryption and decryption."""

    key = None
    enc_mode = BUILT_IN
    dec_mode = None  # None means a built-in `enc_mode`
    folder = None
    copies: dict = {}


settings = _Settings()


def is_encrypted(path):
    """Returns whether a file ends like an encrypted file."""
    return _tail(path)[_MODE_LENGTH:] == _END


def _tail(path):
    with open(path, "rb") as file:
        length = _MODE_LENGTH + len(_END)
        file.seek(max(0, os.fstat(file.fileno()).st_size - length))
        return file.read(length)


def readable(path, fresh=False):
    """Returns the path to read a file and its index from: the file itself, or a decrypted copy.

    Args:
        path (str): the file; its index is `<path>.db`.
        fresh (bool): whether to make a new copy that no other reader uses.

    Raises:
        MRMOpenError: if it is encrypted and there is no key, or vice versa, or the key is wrong.
    """
    if not os.path.isfile(path):
        return path  # the reader reports the error
    with reading(path, MRMOpenError):
        has_encryption = is_encrypted(path)
    if has_encryption and settings.key is None:
        raise MRMOpenError(f"{path!r} is encrypted; 'mindrecord.set_enc_key' must state its key.")
    if not has_encryption and settings.key is not None:
        raise MRMOpenError(f"{path!r} is not encrypted; 'mindrecord.set_enc_key(None)' is needed.")
    with reading(path, MRMOpenError):
        return _copy(path, fresh) if has_encryption else path


def _copy(path, fresh):
    """Returns the decrypted copy of a file and its index, made once for each state of the file."""
    state = os.stat(path)
    name = (os.path.abspath(path), state.st_mtime_ns, state.st_size, settings.key)
    if fresh or name not in settings.copies:
        if settings.folder is None:
            settings.folder = tempfile.mkdtemp(prefix="mindrecord-")
            atexit.register(shutil.rmtree, settings.folder, ignore_errors=True)
        folder = tempfile.mkdtemp(dir=settings.folder)
        plain = os.path.join(folder, os.path.basename(path))
        try:
            for ending in ("", ".db"):
                if os.path.isfile(path + ending):
                    _decrypt(path + ending, plain + ending)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        if fresh:
            return plain
        settings.copies[name] = plain
    return settings.copies[name]


def _decrypt(path, plain):
    mode = _tail(path)[:_MODE_LENGTH].decode("ascii", "replace")
    decoder = settings.enc_mode if settings.dec_mode is None else settings.dec_mode
    if callable(settings.enc_mode) and settings.dec_mode is None:
        raise MRMOpenError(
            "'mindrecord.set_dec_mode' must be given a function where 'set_enc_mode' was given one."
        )
    if mode != (_CUSTOM if callable(decoder) else decoder):
        raise MRMOpenError(f"{path!r} was encrypted as {mode!r}, but is to be read as {decoder!r}.")
    size = os.path.getsize(path) - len(_END)
    with open(path, "rb") as file, open(plain, "w+b") as out:
        os.chmod(plain, 0o600)
        if callable(decoder):
            decoder(file, size, out, settings.key)
            return
        with reading(path, MRMOpenError, "cannot be decrypted"):
            while length := int.from_bytes(file.read(4), "big"):
                if length > size - file.tell():
                    raise ValueError("a block is cut short")
                block, _ = encryption.decrypt_block(
                    file.read(length), 0, settings.key.encode(), mode
                )
                out.write(block)


def encrypted(source, target):
    """Returns a complete new file for `target`, an AtomicFile that has not replaced it yet.

    Args:
        source (str): the plain file. It is copied if there is no key.
        target (str): the final path.

    Raises:
        MRMCommitError: if it cannot be written.
    """
    try:
        new = AtomicFile(target, 0o600)
        try:
            with open(source, "rb") as file:
                _encrypt(file, new.file)
            new.sync()
        except BaseException:
            new.discard()
            raise
    except OSError as error:
        raise MRMCommitError(f"{target!r} cannot be encrypted: {error}") from error
    return new


def _encrypt(file, out):
    mode, key = settings.enc_mode, settings.key
    if key is None:
        shutil.copyfileobj(file, out)
        return
    if callable(mode):
        mode(file, os.fstat(file.fileno()).st_size, out, key)
    else:
        while plain := file.read(encryption.BLOCK):
            block = encryption.encrypt_block(plain, key.encode(), mode)
            out.write(len(block).to_bytes(4, "big") + block)
    out.write(_LAST_BLOCK + (_CUSTOM if callable(mode) else mode).encode() + _END)
