"""CRC-32C, the checksum of TFRecord and event files, and its masked form in these files; and CRC-32
(zlib's) of many zeros.

The checksum is computed byte by byte with a table. Long data are split into lanes of equal length
that advance together as one NumPy array. The checksums of the lanes are then combined: the checksum
of "a followed by b" is the checksum of a, advanced by len(b) zero bytes, xor the checksum of b.

Source: RFC 3720, appendix B.4 (the polynomial and examples); for CRC-32, ITU-T V.42, 8.1.1.6.2.
"""

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78
_POLYNOMIAL_OF_CRC32 = 0xEDB88320
_LONG = 512


def _table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


_TABLE = _table()
_LIST = _TABLE.tolist()


def crc32c(data):
    """Returns the CRC-32C of bytes."""
    data = memoryview(data)
    state, at = 0xFFFFFFFF, 0
    if len(data) >= _LONG:
        length = 1 << (len(data).bit_length() // 2)
        lanes = len(data) // length
        at = lanes * length
        state = _join(np.frombuffer(data, np.uint8, at).reshape(lanes, length), state)
    for byte in data[at:]:
        state = _LIST[(state ^ byte) & 0xFF] ^ state >> 8
    return state ^ 0xFFFFFFFF


def masked_crc(data):
    """Returns the masked CRC-32C of bytes, as in TFRecord files: rotated by 15 bits, plus a
    constant."""
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def crc32_of_zeros(count, value):
    """Returns `zlib.crc32(bytes(count), value)`, in time logarithmic in `count`.

    A zero byte multiplies the state by x**8 modulo the polynomial.
    """
    state, factor = value ^ 0xFFFFFFFF, 1 << 31 - 8  # the highest bit is the coefficient of x**0
    while count:
        if count & 1:
            state = _product(state, factor)
        factor = _product(factor, factor)
        count >>= 1
    return state ^ 0xFFFFFFFF


def _product(first, second):
    """Multiplies two polynomials over GF(2) modulo the polynomial of CRC-32; the lowest bit is the
    highest power."""
    product = 0
    for bit in range(31, -1, -1):
        if first >> bit & 1:
            product ^= second
        second = second >> 1 ^ (_POLYNOMIAL_OF_CRC32 if second & 1 else 0)
    return product


def _join(rows, state):
    states = np.zeros(len(rows), np.uint32)
    states[0] = state
    for column in rows.T:
        states = _TABLE[(states ^ column) & 0xFF] ^ states >> 8
    first, *others = states.tolist()
    low, second, third, high = _zeros(rows.shape[1])
    for other in others:
        first = (
            low[first & 0xFF]
            ^ second[first >> 8 & 0xFF]
            ^ third[first >> 16 & 0xFF]
            ^ high[first >> 24]
            ^ other
        )
    return first


@functools.cache
def _zeros(length):
    """Returns tables that advance a checksum over `length` zero bytes: one table for each of its
    four bytes."""
    states = np.arange(256, dtype=np.uint32)[None] << np.arange(0, 32, 8, np.uint32)[:, None]
    for _ in range(length):
        states = _TABLE[states & 0xFF] ^ states >> 8
    return states.tolist()
