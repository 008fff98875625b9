"""How the threads of a GPU share the rows of a body: what is decided before its text is written.

Worked example. Rows of 768 float32 take 192 packs of four, of which a thread holds up to eight: 64
threads of two warps have three each, all loaded before the first is used. Each element is read
once, however many sums the body asks for, since its later loops work on registers. Rows of 10
elements are shared by four threads each, so that a block of 128 works on 32 rows. A channel of
800,000 elements is divided into chunks of 8,192: one launch sums over chunks, and a second one adds
these sums and writes the results. Rows that fit neither way are read again in each loop, four packs
at a time.
"""

import math
from typing import NamedTuple

from .block_code import WARP, pack_width

MOST_THREADS = 1024
READING_THREADS = 512  # of a block that reads its rows again, and so needs more registers
SEVERAL = 128  # threads of a block that works on several rows
HELD = 32  # numbers of 32 bits of arrays that a thread holds; the compiler has 64 registers
IN_FLIGHT = 4  # packs that a thread loads before it uses one
CHUNK = 8192  # elements of a chunk, about
FEW_BLOCKS = 256  # below so many, long rows are divided into chunks
MOST_CHUNKS = 512  # above so many, chunks are larger
MOST_BLOCKS = 1 << 20  # a block goes on with further rows beyond this
ROWS_OF_SUM = 16  # rows whose sum a block leaves for the sum over all rows, at least


class Layout(NamedTuple):
    """What the text of a kernel depends on.

    Attributes:
        lanes: which threads share a row: "warp", a part of one; "block", all of a block; "columns",
            those of a block that are 32 apart, where neighbours in memory are of different rows.
        width: how many elements side by side a thread loads at once, a pack.
        packs: how many packs a thread holds.
        held: whether these are all that it works on of a row, or of a chunk.
        chunked: whether rows are divided into chunks.
        segmented: whether a row consists of several parts.
        bound: how many threads a block has at most, by which the compiler counts registers.
        index: the C type of an index.
    """

    lanes: str
    width: int
    packs: int
    held: bool
    chunked: bool
    segmented: bool
    bound: int
    index: str


class Launch(NamedTuple):
    """A Layout, and the sizes of its launch: blocks in rows, chunks, threads of a block, threads
    of a row."""

    layout: Layout
    blocks: int
    chunks: int
    block: int
    threads: int


class Problem(NamedTuple):
    """What a Launch is chosen for.

    Attributes:
        shape: (outer, rows, inner).
        dtypes: those of the arrays that have an element for each of the data, or for each position.
        words: how many numbers of 32 bits a thread holds for each element.
        aligned: whether arrays lie on boundaries of 16 bytes.
        run: how many elements stay side by side for other reasons, such as the area of a channel;
            0 for any number.
        sums: whether there are sums over rows.
        chunkable: whether rows may be divided.
    """

    shape: tuple
    dtypes: tuple
    words: int
    aligned: bool
    run: int
    sums: bool
    chunkable: bool


def choose(problem):
    """The Launch for a Problem."""
    outer, rows, inner = problem.shape
    length = outer * inner
    columns = inner == 1 and outer > 1 and rows >= WARP // 4
    segmented = outer > 1 and rows > 1 and not columns
    width, packs = _packs(problem, columns, segmented)
    units = length // width
    most = WARP if columns else MOST_THREADS
    threads = _power(min(most, -(-units // min(packs, IN_FLIGHT))))
    groups = -(-rows // (WARP if columns else max(1, SEVERAL // threads)))
    held = units <= threads * packs
    chunked = problem.chunkable and (not held or groups < FEW_BLOCKS and length > CHUNK)
    chunks = 1
    if chunked:
        threads = most if columns else _chunk_threads(units, width, packs)
        chunks, held = -(-units // (threads * packs)), True
    elif held:
        packs = -(-units // threads)
    else:
        packs, threads = min(packs, IN_FLIGHT), min(threads, READING_THREADS)
    lanes = "columns" if columns else "warp" if threads <= WARP and not chunked else "block"
    index = "int" if outer * rows * inner < 1 << 31 else "long long"
    block = {"columns": WARP * threads, "warp": SEVERAL, "block": threads}[lanes]
    groups = -(-rows // {"columns": WARP, "warp": SEVERAL // threads, "block": 1}[lanes])
    blocks = min(groups, MOST_BLOCKS)
    if problem.sums and held and not (columns or segmented):
        blocks = min(groups, max(groups // ROWS_OF_SUM, FEW_BLOCKS))
    bound = SEVERAL if block <= SEVERAL else MOST_THREADS if block > 512 else 512
    layout = Layout(lanes, width, packs, held, chunked, segmented, bound, index)
    return Launch(layout, blocks, chunks, block, threads)


def _packs(problem, columns, segmented):
    """How wide a pack is, and how many a thread may hold."""
    outer, _, inner = problem.shape
    run = inner if segmented else outer * inner
    width = math.gcd(pack_width(problem.dtypes), run, problem.run)
    width = 1 if columns or not problem.aligned else width
    elements = _power(max(1, HELD // problem.words) + 1) // 2
    width = min(width, elements)
    packs = elements // width
    return width, min(packs, HELD // 2) if segmented else packs


def _chunk_threads(units, width, packs):
    threads = min(MOST_THREADS, max(WARP, _power(CHUNK // (width * packs))))
    return MOST_THREADS if units > MOST_CHUNKS * threads * packs else threads


def _power(number):
    """The least power of two that is not below a number."""
    return 1 << max(0, int(number) - 1).bit_length()
