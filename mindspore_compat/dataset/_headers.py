"""Image sizes read from the headers of image files alone.

A header of a few bytes can request gigabytes, so the size is checked before a library decodes the
file. The formats are those that OpenCV reads. A file of another format, or a truncated one, has no
size here; a library that cannot read it does not allocate memory for it either.

Sources: the PNG specification, section 11.2.2 (W3C); ITU-T T.81, annex B (JPEG); the GIF89a
specification; TIFF 6.0, section 2; RFC 9649 (WebP); netpbm.sourceforge.net (PNM).
"""

import contextlib
import re
import struct

_HEADERS = [  # the bytes before width and height (in some order), and their format
    (rb"\x89PNG\r\n\x1a\n.{8}", ">II"),
    (rb"GIF8[79]a", "<HH"),
    (rb"BM.{12}\x0c\0\0\0", "<HH"),
    (rb"BM.{16}", "<ii"),
    (rb"\x59\xa6\x6a\x95", ">II"),  # Sun raster
    (rb".{0,64}?ihdr", ">II"),  # JPEG 2000
    (rb"\xff\x4f\xff\x51.{4}", ">II"),
    (rb"....ftyp.{0,4096}?ispe.{4}", ">II"),  # AVIF
]
_HEADERS = [(re.compile(pattern, re.DOTALL), struct.Struct(form)) for pattern, form in _HEADERS]
_PNM = re.compile(rb"P([1-6FfY])(?:\s|#[^\n]*\n)+(\d+)(?:\s|#[^\n]*\n)+(\d+)")
_PAM = re.compile(rb"P7\s.*?WIDTH\s+(\d+).*?HEIGHT\s+(\d+)", re.DOTALL)
_RADIANCE = re.compile(rb"#\?.{0,4096}?[-+][YX] (\d+) [-+][YX] (\d+)", re.DOTALL)
_OLD, _BIG = ((4, "I"), (2, "H"), (12, 8)), ((8, "Q"), (8, "Q"), (20, 12))
_TIFF = {  # byte order; position of the directory's offset, formats of its head and its entries
    b"II*\0": ("<", *_OLD),
    b"MM\0*": (">", *_OLD),
    b"II+\0": ("<", *_BIG),
    b"MM\0+": (">", *_BIG),
}
_TIFF_SIZES = (256, 257)
_BARE = frozenset((0x00, 0x01, 0xFF, *range(0xD0, 0xD9)))  # not markers, or markers without content
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}


def pixels_of(content):
    """Returns the number of pixels of the image in a file; 0 if unknown.

    Args:
        content (bytes): the content of the file.
    """
    if content[:2] == b"\xff\xd8":
        return _of_jpeg(content)
    if content[:4] in _TIFF:
        return _of_tiff(content, _TIFF[content[:4]])
    for pattern in (_PNM, _PAM, _RADIANCE):
        if match := pattern.match(content):
            width, height = match.groups()[-2:]
            return int(width[:19]) * int(height[:19])
    if content[:4] == b"RIFF" and len(content) >= 30:
        return _of_webp(content)
    for pattern, form in _HEADERS:
        match = pattern.match(content)
        if match and match.end() + form.size <= len(content):
            width, height = form.unpack_from(content, match.end())
            return abs(width) * abs(height)
    return 0


def _of_jpeg(content):
    """Returns the number of pixels of the largest frame; each begins with a marker."""
    most, at = 0, 2
    while (at := content.find(b"\xff", at)) >= 0 and at + 9 <= len(content):
        kind = content[at + 1]
        if kind in _BARE:
            at += 1 if kind == 0xFF else 2
            continue
        if kind in _FRAMES:
            height, width = struct.unpack_from(">HH", content, at + 5)
            most = max(most, height * width)
        if kind in (0xDA, 0xD9):
            break
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return most


def _of_tiff(content, form):
    """Returns the product of the largest width and height in the first directory."""
    order, (offset_at, offset), (head, count), (entry, value) = form
    lengths = dict.fromkeys(_TIFF_SIZES, 0)
    # A directory may be truncated: its entries up to there count.
    with contextlib.suppress(struct.error, OverflowError):
        (start,) = struct.unpack_from(order + offset, content, offset_at)
        (number,) = struct.unpack_from(order + count, content, start)
        for at in range(start + head, start + head + entry * number, entry):
            tag, kind = struct.unpack_from(f"{order}HH", content, at)
            if tag in _TIFF_SIZES:
                length = "H" if kind == 3 else "Q" if kind == 16 else "I"
                (side,) = struct.unpack_from(order + length, content, at + value)
                lengths[tag] = max(lengths[tag], side)
    width, height = lengths.values()
    return width * height


def _of_webp(content):
    if content[12:16] == b"VP8X":
        width, height = (int.from_bytes(content[at : at + 3], "little") + 1 for at in (24, 27))
    elif content[12:16] == b"VP8L":
        bits = int.from_bytes(content[21:25], "little")
        width, height = (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    else:
        width, height = (int.from_bytes(content[at : at + 2], "little") & 0x3FFF for at in (26, 28))
    return width * height
