"""Encrypted checkpoint files: AES-GCM, AES-CBC and SM4-CBC, in the original's blocks.

The plain bytes are cut into blocks of 64 MiB. Each is stored as a magic number that states the
mode, the 16-byte tag (GCM only), the length of what follows, and the initial vector and the
ciphertext, each behind its length. The package `cryptography` does the arithmetic.
"""

import os
import struct

BLOCK = 64 << 20
MAGIC = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
KEY_LENGTHS = {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}
TAG_LENGTH = 16
IV_LENGTH = 16
NONCE_LENGTH = 12  # GCM uses this much of the initial vector


def check(key, mode):
    """Refuses a mode that is not known, and a key of a length that the mode does not take."""
    if mode not in MAGIC:
        raise ValueError(f"the mode must be one of {', '.join(MAGIC)}, but got {mode!r}")
    if len(key) not in KEY_LENGTHS[mode]:
        lengths = ", ".join(str(n) for n in KEY_LENGTHS[mode])
        raise ValueError(
            f"a key for {mode} must have one of these lengths: {lengths} bytes; but got {len(key)}"
        )


def looks_locked(view):
    """True if bytes begin as an encrypted file does."""
    return len(view) >= 4 and struct.unpack("<I", view[:4])[0] in MAGIC.values()


def encrypt(pieces, key, mode):
    """The encrypted blocks of what `pieces` hold together."""
    check(key, mode)
    cipher_of(key, mode, bytes(IV_LENGTH))  # before the first block, should the package be missing
    return (locked(block, key, mode) for block in blocks(pieces))


def blocks(pieces):
    """`pieces` cut and joined to blocks of 64 MiB; the last one is shorter."""
    block = bytearray()
    for piece in pieces:
        at = 0
        while at < len(piece):
            take = min(len(piece) - at, BLOCK - len(block))
            block += piece[at : at + take]
            at += take
            if len(block) == BLOCK:
                yield bytes(block)
                block.clear()
    if block:
        yield bytes(block)


def locked(plain, key, mode):
    """One block, encrypted and with its head."""
    iv = os.urandom(IV_LENGTH)
    lock = cipher_of(key, mode, iv).encryptor()
    if mode != "AES-GCM":
        pad = 16 - len(plain) % 16
        plain += bytes([pad]) * pad
    secret = lock.update(plain) + lock.finalize()
    tag = lock.tag if mode == "AES-GCM" else b""
    rest = struct.pack("<i", len(iv)) + iv + struct.pack("<i", len(secret)) + secret
    return struct.pack("<I", MAGIC[mode]) + tag + struct.pack("<i", len(rest)) + rest


def decrypt(view, key, mode):
    """The plain bytes of an encrypted file.

    Raises:
        ValueError: If the bytes are not encrypted in this mode, are damaged, or the key differs.
    """
    check(key, mode)
    plain, at = bytearray(), 0
    while at < len(view):
        block, at = unlocked(view, at, key, mode)
        plain += block
    return plain


def unlocked(view, at, key, mode):
    """The plain bytes of the block that begins at `at`, and where the next one begins."""
    magic, at = number(view, at, "<I")
    if magic != MAGIC[mode]:
        raise ValueError(f"it is not encrypted with {mode}")
    tag = b""
    if mode == "AES-GCM":
        tag, at = taken(view, at, TAG_LENGTH)
    length, at = number(view, at)
    rest, end = taken(view, at, length)
    count, position = number(rest, 0)
    iv, position = taken(rest, position, count)
    count, position = number(rest, position)
    secret, position = taken(rest, position, count)
    if len(iv) != IV_LENGTH or position != len(rest) or mode != "AES-GCM" and count % 16:
        raise ValueError("an encrypted block has wrong lengths")
    return decrypted(bytes(secret), key, mode, bytes(iv), bytes(tag)), end


def decrypted(secret, key, mode, iv, tag):
    """The plain bytes of one block's ciphertext."""
    from cryptography.exceptions import InvalidTag

    lock = cipher_of(key, mode, iv, tag).decryptor()
    try:
        plain = lock.update(secret) + lock.finalize()
    except InvalidTag:
        raise ValueError("the key does not fit, or the file was changed") from None
    if mode == "AES-GCM":
        return plain
    pad = plain[-1] if plain else 0
    if not 1 <= pad <= 16 or plain[-pad:] != bytes([pad]) * pad:
        raise ValueError("the key does not fit, or the file was changed")
    return plain[:-pad]


def cipher_of(key, mode, iv, tag=None):
    """The cipher for one block."""
    try:
        from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
    except ImportError as error:
        raise ImportError(
            "Encrypted files need the package cryptography: pip install mindspore-compat[crypto]"
        ) from error
    if mode == "AES-GCM":
        return Cipher(algorithms.AES(key), modes.GCM(iv[:NONCE_LENGTH], tag or None))
    algorithm = algorithms.SM4 if mode == "SM4-CBC" else algorithms.AES
    return Cipher(algorithm(key), modes.CBC(iv))


def number(view, at, form="<i"):
    """The 32-bit number at `at`, and where the next thing begins."""
    part, end = taken(view, at, 4)
    return struct.unpack(form, part)[0], end


def taken(view, at, length):
    """The `length` bytes at `at`, and where the next thing begins."""
    if length < 0 or length > len(view) - at:
        raise ValueError("an encrypted block is cut short")
    return view[at : at + length], at + length
