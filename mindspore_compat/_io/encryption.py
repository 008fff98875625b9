"""Encrypted checkpoint files: AES-GCM, AES-CBC and SM4-CBC, in MindSpore's blocks.

The plain bytes are split into blocks of 64 MiB. Each block is stored as a magic number for the
mode, the 16-byte tag (GCM only), the length of the rest, and the initial vector and the ciphertext,
each preceded by its length. The package `cryptography` performs the encryption.
"""

import os
import struct

BLOCK = 64 << 20
MAGIC = {"AES-GCM": 0x7F3A5ED8, "AES-CBC": 0x7F3A5ED9, "SM4-CBC": 0x7F3A5EDA}
KEY_LENGTHS = {"AES-GCM": (16, 24, 32), "AES-CBC": (16, 24, 32), "SM4-CBC": (16,)}
TAG_LENGTH = 16
IV_LENGTH = 16
NONCE_LENGTH = 12  # the number of bytes of the initial vector that GCM uses


def check(key, mode):
    """Raises ValueError for an unknown mode or a key of a wrong length."""
    if mode not in MAGIC:
        raise ValueError(f"the mode must be one of {', '.join(MAGIC)}, but got {mode!r}")
    if len(key) not in KEY_LENGTHS[mode]:
        lengths = ", ".join(str(n) for n in KEY_LENGTHS[mode])
        raise ValueError(
            f"a key for {mode} must have one of these lengths: {lengths} bytes; but got {len(key)}"
        )


def looks_encrypted(view):
    """Returns True if the bytes begin like an encrypted file."""
    return len(view) >= 4 and struct.unpack("<I", view[:4])[0] in MAGIC.values()


def encrypt(pieces, key, mode):
    """Encrypts the concatenation of `pieces`; yields blocks."""
    check(key, mode)
    cipher_of(key, mode, bytes(IV_LENGTH))  # before the first block, in case the package is missing
    return (encrypt_block(block, key, mode) for block in blocks(pieces))


def blocks(pieces):
    """Yields the bytes of `pieces` in blocks of 64 MiB; the last block may be shorter."""
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


def encrypt_block(plain, key, mode):
    """Encrypts one block and adds its head."""
    iv = os.urandom(IV_LENGTH)
    encryptor = cipher_of(key, mode, iv).encryptor()
    if mode != "AES-GCM":
        pad = 16 - len(plain) % 16
        plain += bytes([pad]) * pad
    ciphertext = encryptor.update(plain) + encryptor.finalize()
    tag = encryptor.tag if mode == "AES-GCM" else b""
    body = struct.pack("<i", len(iv)) + iv + struct.pack("<i", len(ciphertext)) + ciphertext
    return struct.pack("<I", MAGIC[mode]) + tag + struct.pack("<i", len(body)) + body


def decrypt(view, key, mode):
    """Decrypts the bytes of a file.

    Raises:
        ValueError: If the bytes are not encrypted in this mode, are damaged, or the key differs.
    """
    check(key, mode)
    plain, at = bytearray(), 0
    while at < len(view):
        block, at = decrypt_block(view, at, key, mode)
        plain += block
    return plain


def decrypt_block(view, at, key, mode):
    """Decrypts the block that begins at `at`; returns the plain bytes and the start of the next
    block.
    """
    magic, at = number(view, at, "<I")
    if magic != MAGIC[mode]:
        raise ValueError(f"it is not encrypted with {mode}")
    tag = b""
    if mode == "AES-GCM":
        tag, at = take_bytes(view, at, TAG_LENGTH)
    length, at = number(view, at)
    rest, end = take_bytes(view, at, length)
    count, position = number(rest, 0)
    iv, position = take_bytes(rest, position, count)
    count, position = number(rest, position)
    secret, position = take_bytes(rest, position, count)
    if len(iv) != IV_LENGTH or position != len(rest) or mode != "AES-GCM" and count % 16:
        raise ValueError("an encrypted block has wrong lengths")
    return decrypt_content(bytes(secret), key, mode, bytes(iv), bytes(tag)), end


def decrypt_content(secret, key, mode, iv, tag):
    """Decrypts one block's ciphertext."""
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
    """Returns the cipher of one block."""
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
    """Reads the 32-bit number at `at`; returns it and the next position."""
    part, end = take_bytes(view, at, 4)
    return struct.unpack(form, part)[0], end


def take_bytes(view, at, length):
    """Reads `length` bytes at `at`; returns them and the next position."""
    if length < 0 or length > len(view) - at:
        raise ValueError("an encrypted block is cut short")
    return view[at : at + length], at + length
