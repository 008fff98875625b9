"""What ranks send each other before an exchange, so that all learn it where they disagree.

A header is `SIZE` bytes: a text that names operation, dtype, shape, root and sequence number, with
zeros behind it. A text that is too long is cut, and a digest of the whole put at its end; so
headers are equal where the texts are.
"""

import hashlib

import numpy

SIZE = 128  # bytes
_DIGEST = 8  # bytes, written as twice as many characters


def packed(text):
    """The header of a text, as bytes."""
    data = text.encode()
    if len(data) > SIZE:
        digest = hashlib.blake2b(data, digest_size=_DIGEST).hexdigest()
        data = data[: SIZE - 2 * _DIGEST - 4] + f"... {digest}".encode()
    return data.ljust(SIZE, b"\0")


def text_of(header):
    """The text of a header, as it was or cut."""
    return bytes(header).rstrip(b"\0").decode("utf-8", "replace")


def array_text(array):
    """Dtype and shape of an array."""
    return f"{array.dtype.name} {tuple(array.shape)}"


def compare(gathered, own, ranks):
    """Refuses the headers of several ranks, one after the other, that are not all equal.

    Raises:
        RuntimeError: they differ; the same text on all ranks, which says what each one called.
    """
    if gathered == own * len(ranks):
        return
    callers = {}
    for index, rank in enumerate(ranks):
        text = text_of(gathered[index * SIZE : (index + 1) * SIZE])
        callers.setdefault(text, []).append(rank)
    calls = "; ".join(f"{_named(found)} called {text}" for text, found in callers.items())
    raise RuntimeError(
        "The ranks of a group must call the same exchanges in the same order, with "
        f"arrays of one dtype and shape, but {calls}."
    )


def compare_rows(sent, got, ranks):
    """Refuses counts of rows that do not fit: `sent[i, j]` from member i to j, `got[j, i]` there.

    Raises:
        RuntimeError: two differ; the same text on all ranks.
    """
    if numpy.array_equal(sent, got.T):
        return
    for i, source in enumerate(ranks):
        for j, target in enumerate(ranks):
            if sent[i, j] != got[j, i]:
                raise RuntimeError(
                    f"In an exchange of all ranks with all, rank {source} sends "
                    f"{sent[i, j]} rows to rank {target}, but rank {target} expects "
                    f"{got[j, i]} rows from rank {source}."
                )


def _named(ranks):
    """Ranks as words."""
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))}"
