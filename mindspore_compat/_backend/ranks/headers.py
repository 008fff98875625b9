"""Headers that ranks compare before an exchange, so that mismatched calls are detected.

A header is `SIZE` bytes: a text with operation, dtype, shape, root and sequence number, padded by
zeros. A text that is too long is cut and ends in a digest of the whole text, so that headers of
different texts differ.
"""

import hashlib
import itertools

import numpy

from . import endings

SIZE = 128  # bytes
UNDONE = "undone: "  # before the text of a rank that differs from the others (endings.py)
_DIGEST = 8  # bytes, written as 16 hexadecimal characters


def packed(text):
    """Returns the header of a text, as bytes."""
    data = text.encode()
    if len(data) > SIZE:
        digest = hashlib.blake2b(data, digest_size=_DIGEST).hexdigest()
        data = data[: SIZE - 2 * _DIGEST - 4] + f"... {digest}".encode()
    return data.ljust(SIZE, b"\0")


def text_of(header):
    """Returns the text of a header, possibly cut."""
    return bytes(header).rstrip(b"\0").decode("utf-8", "replace")


def array_text(array):
    """Returns the dtype and shape of an array, as text for a header."""
    return f"{array.dtype.name} {tuple(array.shape)}"


def same(gathered, header, ranks):
    """Returns whether the headers of several ranks equal this rank's own.

    Args:
        gathered (bytes): the headers of all ranks, one after another.
        header (bytes): the header of this rank.
        ranks (Sequence[int]): the world ranks, in the order of their headers.

    Raises:
        RuntimeError: if an interrupt has undone a training step of one rank; the message names it.
    """
    mark = UNDONE.encode()
    if gathered == header * len(ranks) and not header.startswith(mark):
        return True
    callers = _callers(gathered, ranks)
    undone = [members for text, members in callers.items() if text.startswith(UNDONE)]
    if undone:
        raise endings.undone_steps(sorted(itertools.chain(*undone)))
    return False


def difference(gathered, notes, ranks):
    """Returns the error of ranks whose headers differ, the same on all ranks.

    Args:
        gathered (bytes): the headers of all ranks, one after another.
        notes (Sequence[list]): for each rank the pairs of names and texts that its header has
            compared, too (`Group.note`); the error names the first ones that differ.
        ranks (Sequence[int]): the world ranks, in the order of their headers.
    """
    for row in itertools.zip_longest(*notes, fillvalue=("", "nothing")):
        if len(set(row)) > 1:
            several = len({name for name, _ in row if name}) > 1
            ranks_by_text = {}
            for rank, (name, text) in zip(ranks, row, strict=True):
                ranks_by_text.setdefault(f"{name} {text}" if several else text, []).append(rank)
            passed = "; ".join(
                f"{text} from {_names(some)}" for text, some in ranks_by_text.items()
            )
            error = RuntimeError(
                f"For '{next(filter(None, (name for name, _ in row)))}', all ranks of a divided "
                f"network must pass the same, but got {passed}."
            )
            error.is_of_notes = all(name for name, _ in row)  # else one rank may have failed
            return error
    callers = _callers(gathered, ranks)
    calls = "; ".join(f"{_names(members)} called {text}" for text, members in callers.items())
    return RuntimeError(
        "The ranks of a group must call the same exchanges in the same order, with "
        f"arrays of one dtype and shape, but {calls}."
    )


def _callers(gathered, ranks):
    """Returns a dict: the text of a header -> the ranks that have it."""
    callers = {}
    for index, rank in enumerate(ranks):
        text = text_of(gathered[index * SIZE : (index + 1) * SIZE])
        callers.setdefault(text, []).append(rank)
    return callers


def compare_rows(sent, received, ranks):
    """Compares the row counts of an all-to-all exchange: member i sends `sent[i, j]` rows to member
    j, who expects `received[j, i]` rows.

    Raises:
        RuntimeError: if two counts differ; the message is the same on all ranks.
    """
    if numpy.array_equal(sent, received.T):
        return
    for i, source in enumerate(ranks):
        for j, target in enumerate(ranks):
            if sent[i, j] != received[j, i]:
                raise RuntimeError(
                    f"In an exchange of all ranks with all, rank {source} sends "
                    f"{sent[i, j]} rows to rank {target}, but rank {target} expects "
                    f"{received[j, i]} rows from rank {source}."
                )


def _names(ranks):
    """Returns the names of ranks in messages."""
    return f"rank {ranks[0]}" if len(ranks) == 1 else f"ranks {', '.join(map(str, ranks))}"
