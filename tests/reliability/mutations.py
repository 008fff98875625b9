"""Damages the content of a file, reproducibly by a seed.

`mutated(content, seed)` returns the content after one to three changes: flipped bits, a part
removed, copied or moved, inserted bytes, extreme numbers, very deep nesting.
"""

import random
import re

EXTREMES = [
    *(bytes([value]) * width for width in (1, 2, 4, 8) for value in (0, 0x7F, 0x80, 0xFF)),
    b"\x7f\xff\xff\xff",
    b"\xff\xff\xff\x7f",
    b"\x00\x00\x00\x80",
    b"\x80\x00\x00\x00",
    b"\x00\x00\x01\x00",
    b"\x00\x01\x00\x00",
    b"\xff" * 9 + b"\x01",
]
TEXTS = [
    b"99999999999999999999",
    b"-1",
    b"1e999",
    b"nan",
    b"",
    b"-9223372036854775809",
    b"4294967296",
    b"0",
    b"2147483648",
    b"x",
    b"null",
    b"[]",
    b"{}",
    b'"',
    b"1" * 5000,
]
PIECES = [
    b"\0",
    b"\xff\xfe",
    b"\xc3",
    b"\xed\xa0\x80",
    b"\n",
    b"\r",
    b"\t",
    b'"',
    b"'",
    b",",
    b"|",
    b" ",
    b"{",
    b"}",
    b"[",
    b"]",
    b"<",
    b"</",
    b"&#0;",
    b"\\",
    b"\xf4\x90\x80\x80",
    b"..",
    b"/",
    b"../../" * 4,
]
DEEP = [b"[", b'{"a":', b"<a>", b"(", b"\x1a\x02"]


def _flip(content, draw):
    for _ in range(draw.choice((1, 1, 1, 2, 8, 40))):
        content[draw.randrange(len(content))] ^= 1 << draw.randrange(8)


def _set(content, draw):
    for _ in range(draw.choice((1, 1, 4))):
        content[draw.randrange(len(content))] = draw.randrange(256)


def _cut(content, draw):
    del content[draw.randrange(len(content)) :]


def _span(content, draw):
    begin = draw.randrange(len(content))
    longest = min(len(content) - begin, draw.choice((1, 4, 16, 200, 4000)))
    return begin, begin + draw.randint(1, longest)


def _copy(content, draw):
    begin, end = _span(content, draw)
    at = draw.randint(0, len(content))
    content[at:at] = content[begin:end] * draw.choice((1, 1, 2, 50))


def _remove(content, draw):
    begin, end = _span(content, draw)
    del content[begin:end]


def _move(content, draw):
    begin, end = _span(content, draw)
    part = content[begin:end]
    del content[begin:end]
    at = draw.randint(0, len(content))
    content[at:at] = part


def _insert(content, draw):
    at = draw.randint(0, len(content))
    content[at:at] = draw.choice((draw.randbytes(draw.choice((1, 4, 100))), draw.choice(PIECES)))


def _extreme(content, draw):
    value = draw.choice(EXTREMES)
    at = draw.randrange(max(1, min(len(content), draw.choice((32, 256, len(content))))))
    content[at : at + len(value)] = value


def _number(content, draw):
    """Replaces a number that is written as text."""
    found = list(re.finditer(rb"-?\d[\d.]*", bytes(content[:20000])))
    if not found:
        return _extreme(content, draw)
    begin, end = draw.choice(found).span()
    content[begin:end] = draw.choice(TEXTS)


def _nest(content, draw):
    found = [offset for offset in range(min(len(content), 4000)) if content[offset] in b':,[>"=']
    at = draw.choice(found) + 1 if found and draw.random() < 0.8 else 0
    content[at:at] = draw.choice(DEEP) * draw.choice((2000, 100_000))


def _empty(content, draw):
    content.clear()


_WAYS = [_flip, _set, _cut, _copy, _remove, _move, _insert, _extreme, _number]
WAYS = [*_WAYS * 4, _nest, _nest, _empty]


def mutated(content, seed):
    """The damaged content, bytes.

    Args:
        content (bytes): what a valid file holds.
        seed (str): chooses the damage.
    """
    draw, out = random.Random(seed), bytearray(content)
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        if out:
            draw.choice(WAYS)(out, draw)
    return bytes(out)
