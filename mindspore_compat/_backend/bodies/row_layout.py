"""How GPU threads share the rows of a body, decided before the kernel's source is generated.

Worked example. Rows of 768 float32 elements consist of 192 packs of four, and a thread holds up to
eight packs: 64 threads of two warps hold three each and load all of them before the first use. Each
element is read once, however many sums the body computes, since later sweeps work on registers.
Rows of 10 elements are shared by four threads each, so a block of 128 threads works on 32 rows. A
channel of 800,000 elements is divided into chunks of 8,192: one launch computes the sums of chunks,
and a second one adds these sums and writes the results. For rows that are neither held nor chunked,
each sweep reads the elements again, four packs at a time.
"""

import math
from typing import NamedTuple

from .block_code import WARP, pack_width

MOST_THREADS = 1024
READING_THREADS = 512  # threads of a block that rereads its rows, which needs more registers
ROWS_BLOCK = 128  # threads of a block that works on several rows
HELD = 32  # 32-bit numbers of arrays that a thread holds; the compiler has 64 registers
IN_FLIGHT = 4  # packs that a thread loads before it uses the first
CHUNK = 8192  # elements of a chunk, approximately
FEW_BLOCKS = 256  # with fewer blocks, long rows are divided into chunks
MOST_CHUNKS = 512  # with more chunks, chunks are larger
MOST_BLOCKS = 1 << 20  # beyond this, a block loops over several rows
MOST_GRID_ROWS = 65535  # blocks along the second axis of a grid, where the chunks are
LARGEST_INT = (1 << 31) - MOST_BLOCKS * ROWS_BLOCK  # 32-bit indices go past the end by a step
ROWS_OF_SUM = 16  # minimum number of rows that a block sums before the sum over all rows


class Layout(NamedTuple):
    """The decisions that the source of a kernel depends on; `choose` makes them.

    Attributes:
        lanes: which threads share a row. "warp": part of a warp. "block": the whole block.
            "columns": threads of a block that are 32 apart, where neighbours in memory belong to
            different rows.
        width: the elements of a pack: neighbours that a thread loads at once.
        packs: the number of packs that a thread holds.
        held: whether these packs are all that the thread has of a row or chunk, so that it reads
            each element once.
        chunked: whether rows are divided into chunks.
        segmented: whether a row consists of several parts that are not contiguous.
        bound: the maximum number of threads of a block, which limits the registers of a thread.
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
    """A Layout and the sizes of a launch.

    Attributes:
        layout: the Layout.
        blocks: the number of blocks of threads that share the rows.
        chunks: the number of chunks of a row.
        block: the number of threads of a block.
        threads: the number of threads of a row.
    """

    layout: Layout
    blocks: int
    chunks: int
    block: int
    threads: int


class Problem(NamedTuple):
    """The properties of a body and its arrays from which `choose` decides.

    Attributes:
        shape: (outer, rows, inner).
        dtypes: the dtypes of the arrays with one value for each element or each position.
        words: the 32-bit numbers that a thread holds for each element.
        aligned: whether arrays start at multiples of 16 bytes.
        run: a number that the width of a pack must also divide, such as the area of a channel; 0
            for no such condition.
        sums: whether the body has results that are sums over rows.
        chunkable: whether rows may be divided into chunks.
    """

    shape: tuple
    dtypes: tuple
    words: int
    aligned: bool
    run: int
    sums: bool
    chunkable: bool


def choose(problem):
    """Returns the Launch for a Problem: how threads share its rows."""
    outer, rows, inner = problem.shape
    length = outer * inner
    columns = inner == 1 and outer > 1 and rows >= WARP // 4
    segmented = outer > 1 and rows > 1 and not columns
    width, packs = _packs(problem, columns, segmented)
    units = length // width
    most = WARP if columns else MOST_THREADS
    threads = _power(min(most, -(-units // min(packs, IN_FLIGHT))))
    least_groups = -(-rows // (WARP if columns else max(1, ROWS_BLOCK // threads)))
    held = units <= threads * packs
    too_few = least_groups < FEW_BLOCKS and length > CHUNK
    of_chunk = most if columns else _chunk_threads(units, width, packs)
    chunks = -(-units // (of_chunk * packs))
    chunked = problem.chunkable and (not held or too_few) and chunks <= MOST_GRID_ROWS
    if chunked:
        threads, held = of_chunk, True
    elif held:
        packs = -(-units // threads)
    else:
        packs, threads = min(packs, IN_FLIGHT), min(threads, READING_THREADS)
    lanes = "columns" if columns else "warp" if threads <= WARP and not chunked else "block"
    index = "int" if outer * rows * inner < LARGEST_INT else "long long"
    block = {"columns": WARP * threads, "warp": ROWS_BLOCK, "block": threads}[lanes]
    groups = -(-rows // {"columns": WARP, "warp": ROWS_BLOCK // threads, "block": 1}[lanes])
    blocks = min(groups, MOST_BLOCKS)
    if problem.sums and held and not (columns or segmented):
        blocks = min(groups, max(groups // ROWS_OF_SUM, FEW_BLOCKS))
    bound = next(most for most in (ROWS_BLOCK, 512, MOST_THREADS) if block <= most)
    layout = Layout(lanes, width, packs, held, chunked, segmented, bound, index)
    return Launch(layout, blocks, chunks if chunked else 1, block, threads)


def _packs(problem, columns, segmented):
    """Returns the width of a pack, and the maximum number of packs that a thread holds."""
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
    """Returns the smallest power of two that is not less than a number."""
    return 1 << max(0, int(number) - 1).bit_length()
