"""CRC-32C, the check sum of TFRecord and event files, and the masked form those files store.

The sum of a text is found byte by byte through a table. Long data are cut into lanes of equal
length that advance together as one NumPy array; the lanes' sums are then joined, because the sum of
"a followed by b" is the sum of a, moved on by len(b) zero bytes, xor the sum of b.

Source: RFC 3720, appendix B.4 (the polynomial and examples).
"""

import functools

import numpy as np

_POLYNOMIAL = 0x82F63B78
_LONG = 512


def _table():
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, table >> 1 ^ np.uint32(_POLYNOMIAL), table >> 1)
    return table.astype(np.uint32)


_TABLE = _table()
_LIST = _TABLE.tolist()


def crc32c(data):
    """The CRC-32C of bytes."""
    data = memoryview(data)
    state, at = 0xFFFFFFFF, 0
    if len(data) >= _LONG:
        length = 1 << (len(data).bit_length() // 2)
        lanes = len(data) // length
        at = lanes * length
        state = _joined(np.frombuffer(data, np.uint8, at).reshape(lanes, length), state)
    for byte in data[at:]:
        state = _LIST[(state ^ byte) & 0xFF] ^ state >> 8
    return state ^ 0xFFFFFFFF


def masked(data):
    """The CRC-32C of bytes as the files store it: turned by 15 bits, plus a constant."""
    found = crc32c(data)
    return ((found >> 15 | found << 17) + 0xA282EAD8) & 0xFFFFFFFF


def _joined(rows, state):
    states = np.zeros(len(rows), np.uint32)
    states[0] = state
    for column in rows.T:
        states = _TABLE[(states ^ column) & 0xFF] ^ states >> 8
    first, *others = states.tolist()
    low, second, third, high = _zeros(rows.shape[1])
    for other in others:
        first = (low[first & 0xFF] ^ second[first >> 8 & 0xFF] ^ third[first >> 16 & 0xFF]
                 ^ high[first >> 24] ^ other)
    return first


@functools.cache
def _zeros(length):
    """What `length` zero bytes make of a state: a table for each of its four bytes."""
    states = (np.arange(256, dtype=np.uint32)[None] << np.arange(0, 32, 8, np.uint32)[:, None])
    for _ in range(length):
        states = _TABLE[states & 0xFF] ^ states >> 8
    return states.tolist()
