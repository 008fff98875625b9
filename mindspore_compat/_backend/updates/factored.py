"""AdaFactor's update of many tensors: two GPU kernels, or a given function where the kernels do
not support a tensor. nn/optim calls it.

Blocks of threads work on parts of all tensors. The first kernel sums the squares of the gradient
over rows and columns, in tiles of at most 64 rows and 128 columns. The block that finishes the last
tile of a band of rows adds the band's sums, and likewise for a strip of columns. Several smaller
matrices share a block, which also computes their means.

The second kernel has two blocks for each chunk of a tensor. The first sums the squares of the
direction and of the parameter. The second waits until all chunks of the tensor are summed, then
writes the parameter, the average and, for a vector, the mean squares.

The launch cannot deadlock. A block gets its number from a counter when it starts running, and the
summing blocks of a tensor have lower numbers than its waiting blocks. A block therefore waits only
for blocks that are already running, and those wait for nothing. This holds on every GPU, however
few blocks run at a time. The counters stay allocated between steps; each launch leaves them zero.

Sums are added in a fixed order. The formulas are the same as in `adafactor_direction` and
`adafactor_vector_direction`, which the host runs directly. The numbers of a call may lie on the
GPU, and so may a flag that suppresses the update, as in bodies/multi_tensor.py.
"""

from functools import partial
from math import prod

import numpy

from .. import arrays
from ..bodies.block_code import WARP, reductions
from ..bodies.c_code import TYPES, compute_dtype, load, preamble, store
from ..bodies.multi_tensor import (
    CHUNK,
    PARAMETERS,
    SPARE,
    THREADS,
    Numbers,
    declared,
    filled_table,
    loaded_numbers,
)
from .complete import Unit, called
from .whole_tensors import kernels_take, reserve

KINDS = 5  # parameter, gradient, average, means over rows (squares of a vector), over columns
TEMPORARIES = 6  # arrays of the size of a parameter that its update on the host holds at a time
TILE_ROWS, TILE_COLUMNS = 64, 128
FIELDS = ("height", "width", "scratch", "tiles", "counts")
MOST = (PARAMETERS - SPARE) // (8 * KINDS + 8 * (1 + len(FIELDS)) + 4)  # rows of a table
_kernel_cache = {}  # (CuPy, dtypes, flags, the kinds of Numbers) -> the kernels
_HEAD = """
struct Table {{ unsigned long long at[{kinds}][{most}];
               long long size[{most}], height[{most}], width[{most}], scratch[{most}];
               long long tiles[{most}], counts[{most}]; int first[{most}]; int count; }};
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    const Table table, const bool* skip, {real}* sums, unsigned* counts{numbers}) {{
    __shared__ {real} lanes[{shared}];
    if (skip && *skip) return;
    {block}
    {opened}
    const double step = n_taken + 1;
    const {real} beta2 = ({real})(1 - pow(step, -n_decay_rate));
    const {real} eps = ({real})n_eps, scale = ({real})n_scale;
    int tensor = 0, last = table.count - 1;
    while (tensor < last) {{
        const int middle = (tensor + last + 1) / 2;
        if (table.{starts}[middle] * {copies} <= block) tensor = middle; else last = middle - 1;
    }}
    const long long length = table.size[tensor], height = table.height[tensor];
    const long long width = table.width[tensor];
    long long part = block - table.{starts}[tensor] * {copies};
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    {pointers}
    const long long count = width ? length / width : 0, outer = width ? count / height : 0;
    const bool divided = height > {tile_rows} || width > {tile_columns};
    const long long bands = divided ? (height + {tile_rows} - 1) / {tile_rows} : 1;
    const long long strips = divided ? (width + {tile_columns} - 1) / {tile_columns} : 1;
    {real}* const rows = ({real}*)table.scratch[tensor];
    {real}* const columns = rows + count;
    {real}* const band_sums = columns + outer * width;
    volatile {real}* const row_parts = band_sums + outer * bands;  // other blocks write them, too
    volatile {real}* const column_parts = row_parts + count * strips;
    auto gradient = [&](long long at) -> {real} {{ return {x1} / scale; }};
    auto square = [&](long long at) -> {real} {{
        const {real} g = gradient(at);
        return g * g + eps;
    }};
    auto end_row = [&](long long at, {real} sum) {{
        rows[at] = beta2 * {x3} + (1 - beta2) * (sum / width);
        x3[at] = {rows};
    }};
    auto end_column = [&](long long at, {real} sum) {{
        columns[at] = beta2 * {x4} + (1 - beta2) * (sum / height);
        x4[at] = {columns};
    }};
"""
_TILES = """
    if (divided) {{
        const long long strip = part % strips, band = part / strips % bands;
        const long long one = part / strips / bands;
        {real} found[4] = {{}};
        #pragma unroll
        for (int k = 0; k < {tile_rows} / 8; ++k) {{
            const long long row = band * {tile_rows} + k * 8 + warp;
            {real} sum = 0;
            #pragma unroll
            for (int q = 0; q < 4; ++q) {{
                const long long column = strip * {tile_columns} + q * 32 + lane;
                if (row < height && column < width) {{
                    const {real} value = square((one * height + row) * width + column);
                    sum += value;
                    found[q] += value;
                }}
            }}
            sum = warp_sum(sum, 32);
            if (lane == 0 && row < height) row_parts[(one * height + row) * strips + strip] = sum;
        }}
        for (int q = 0; q < 4; ++q) lanes[warp * {tile_columns} + q * 32 + lane] = found[q];
        __syncthreads();
        const long long column = strip * {tile_columns} + thread;
        if (thread < {tile_columns} && column < width) {{
            {real} sum = 0;
            for (int k = 0; k < 8; ++k) sum += lanes[k * {tile_columns} + thread];
            column_parts[(one * bands + band) * width + column] = sum;
        }}
        __threadfence();
        __syncthreads();
        __shared__ bool is_last[2];  // tile of its band, and of its strip
        if (thread < 2) {{
            const unsigned most = (thread ? bands : strips) - 1;
            unsigned* const finished = counts + table.counts[tensor] + one * (bands + strips);
            is_last[thread] = atomicInc(finished + (thread ? bands + strip : band), most) == most;
        }}
        __syncthreads();
        __threadfence();
        if (is_last[0]) {{
            {real} total = 0;
            for (int k = warp; k < {tile_rows}; k += {threads} / 32) {{
                const long long row = band * {tile_rows} + k;
                {real} sum = 0;
                if (row < height)
                    for (long long strip = lane; strip < strips; strip += 32)
                        sum += row_parts[(one * height + row) * strips + strip];
                sum = warp_sum(sum, 32);
                if (lane == 0 && row < height) {{
                    end_row(one * height + row, sum);
                    total += rows[one * height + row];
                }}
            }}
            total = block_sum(lanes, total);
            if (thread == 0) band_sums[one * bands + band] = total;
        }}
        if (is_last[1]) {{
            {real} sum = 0;
            const long long column = strip * {tile_columns} + thread % {tile_columns};
            if (column < width)
                for (long long band = thread / {tile_columns}; band < bands;
                     band += {threads} / {tile_columns})
                    sum += column_parts[(one * bands + band) * width + column];
            lanes[thread] = sum;
            __syncthreads();
            if (thread < {tile_columns} && column < width) {{
                for (int k = thread + {tile_columns}; k < {threads}; k += {tile_columns})
                    sum += lanes[k];
                end_column(one * width + column, sum);
            }}
        }}
        return;
    }}
    const long long together = {chunk} / (height * width), start = part * together;
    const long long stop = start + together < outer ? start + together : outer;
    for (long long row = start * height + thread; row < stop * height; row += {threads}) {{
        {real} sum = 0;
        for (long long at = row * width; at < (row + 1) * width; ++at) sum += square(at);
        end_row(row, sum);
    }}
    for (long long column = start * width + thread; column < stop * width; column += {threads}) {{
        const long long from = column / width * height * width + column % width;
        {real} sum = 0;
        for (long long row = 0; row < height; ++row) sum += square(from + row * width);
        end_column(column, sum);
    }}
    __syncthreads();
    for (long long one = start + thread; one < stop; one += {threads}) {{
        {real} sum = 0;
        for (long long row = 0; row < height; ++row) sum += rows[one * height + row];
        band_sums[one] = sum;
    }}
}}
"""
_CHUNK_OF_DIRECTION = """
    const long long chunks = (length + {chunk} - 1) / {chunk};
    const bool measures = part < chunks;  // the direction; else the block updates
    part -= measures ? 0 : chunks;
    unsigned* const measured = counts + 1 + 2 * tensor;  // chunks, and behind it those read
    const int parts = gridDim.x / 2, place = table.first[tensor] + part;
    const long long start = part * {chunk}ll;
    const long long stop = start + {chunk} < length ? start + {chunk} : length;
    const bool small = length < 1ll << 31;
    auto quotient = [&](long long value, long long by) -> long long {{
        return small ? (long long)((unsigned)value / (unsigned)by) : value / by;
    }};
    const long long area = height * width, first_one = width ? start / area : 0;
    const bool few = area >= {chunk};  // a chunk lies in at most two matrices
    {real} means[2] = {{}};
    for (int k = 0; k < 2; ++k) {{
        const long long one = first_one + k;
        {real} sum = 0;
        if (few && one < outer)
            for (long long band = thread; band < bands; band += {threads})
                sum += band_sums[one * bands + band];
        means[k] = block_sum(lanes, sum) / height;
    }}
    auto kept = [&](long long at) -> {real} {{ return beta2 * {x3} + (1 - beta2) * square(at); }};
    auto direction = [&](long long at) -> {real} {{
        if (!width) return gradient(at) / sqrt(kept(at));
        const long long row = quotient(at, width), one = quotient(row, height);
        const {real} column = columns[one * width + (at - row * width)];
        {real} mean = one == first_one ? means[0] : means[1];
        if (!few) {{
            mean = 0;
            for (long long band = 0; band < bands; ++band) mean += band_sums[one * bands + band];
            mean /= height;
        }}
        return gradient(at) / (sqrt(rows[row] / mean) * sqrt(column));
    }};
"""
_MEASURE = """
    {real} squares = 0, own = 0;
    if (measures) {{
        #pragma unroll 4
        for (long long at = start + thread; at < stop; at += {threads}) {{
            const {real} d = direction(at), p = {x0};
            squares += d * d;
            own += p * p;
        }}
        squares = block_sum(lanes, squares);
        own = block_sum(lanes, own);
        if (thread == 0) {{
            sums[place] = squares;
            sums[parts + place] = own;
            __threadfence();
            atomicAdd(measured, 1u);
        }}
        return;
    }}
    if (thread == 0) {{
        while (*(volatile unsigned*)measured < chunks) {{}}
        if (atomicInc(measured + 1, chunks - 1) == chunks - 1) *measured = 0;
    }}
    __syncthreads();
    __threadfence();
"""
_UPDATE = """
    const volatile {real}* const written = sums + table.first[tensor];
    for (int chunk = thread; chunk < chunks; chunk += {threads}) {{
        squares += written[chunk];
        own += written[parts + chunk];
    }}
    {real} rate = ({real})({rate});
    const {real} size = sqrt(block_sum(lanes, squares) / length);
    const {real} parameter = sqrt(block_sum(lanes, own) / length), least = ({real})n_least;
    if ({scaled}) rate *= parameter <= least ? least : parameter;
    const {real} clip = ({real})n_clip / size;
    const {real} factor = (clip >= 1 ? 1 : clip) * rate;
    #pragma unroll 2
    for (long long at = start + thread; at < stop; at += {threads}) {{
        {real} d = direction(at) * factor;
        if (!width) x3[at] = {kept};
        const {real} p = {x0};
        {step}
        x0[at] = {stored};
    }}
}}
"""
_NUMBERED = "const int block = blockIdx.x;"
_IN_ORDER = """__shared__ int place_of_block;
    if (threadIdx.x == 0) place_of_block = atomicInc(counts, gridDim.x - 1);
    __syncthreads();
    const int block = place_of_block;"""
_KERNELS = {  # name -> the field of the table with the first block of each tensor, how many times
    # as many blocks there are, how a block finds its place among them, and the source
    "adafactor_sums": ("tiles", 1, _NUMBERED, _HEAD + _TILES),
    "adafactor": ("first", 2, _IN_ORDER, _HEAD + _CHUNK_OF_DIRECTION + _MEASURE + _UPDATE),
}


def can_skip(rows):
    """Returns True if GPU kernels can update these rows; only these kernels take a `skip` flag."""
    return kernels_take(rows)


def units(rows, rates, decays, row_update, skip=None, **settings):
    """Returns the units (complete.py) of one step of AdaFactor.

    Args:
        rows: for each tensor the parameter, its gradient, the average of steps (None without
            `beta1`), and the means of squares over rows and over columns; for a vector its mean
            squares and None.
        rates, decays: the learning rate and the weight decay (None for none) of each tensor.
        row_update: for rows without kernels, a function of the arrays of a row, its learning rate
            and its decay; it returns the assignments of the new values.
        skip: a 0-d bool array on the GPU; if true, the rows stay unchanged. None unless
            `can_skip(rows)`.
        settings: the other arguments of `_units_of_kernels`.
    """
    if rows and not kernels_take(rows):
        order = sorted(range(len(rows)), key=lambda index: -rows[index][0].size)
        updates = [
            Unit(partial(row_update, *rows[index], rates[index], decays[index])) for index in order
        ]
        return [reserve(rows[order[0]], TEMPORARIES), *updates]
    groups = {}  # rows that share a learning rate and a decay
    for row, rate, decay in zip(rows, rates, decays, strict=True):
        groups.setdefault((id(rate), decay), (rate, []))[1].append(row)
    return [
        unit
        for (_, decay), (rate, group) in groups.items()
        for unit in _units_of_kernels(group, skip, lr=rate, decay=decay, **settings)
    ]


def _units_of_kernels(rows, skip, *, relative, warmup, scaled, lr, decay, beta1, **numbers):
    """Returns the units that update rows with equal scalars by kernels.

    Args:
        rows, skip: as in `units`.
        relative: whether the learning rate follows from the step number instead of `lr`.
        warmup: whether a relative learning rate is at most 1e-6 times the step number, not 1e-2.
        scaled: whether the learning rate is multiplied by the root mean square of the parameter.
        lr: the learning rate.
        decay, beta1: the weight decay and the decay rate of the average; None for neither.
        numbers: `taken`, the number of earlier steps; `decay_rate`; `eps`, added to squares;
            `least`, the least size of a parameter; `clip`; `scale`, which divides gradients.
    """
    flags = (relative, warmup, scaled, decay is not None, beta1 is not None)
    numbers |= {"lr": lr, "decay": decay or 0.0, "beta1": beta1 or 0.0}
    kinds, units = {}, []
    for row in rows:
        if row[0].size:  # kernels get another array of the tensor in place of an absent one
            p, _, average, means, columns = row
            whole = (*row[:2], p if average is None else average, means)
            row_arrays = (*whole, means if columns is None else columns)
            kinds.setdefault(tuple(array.dtype for array in row_arrays), []).append(row_arrays)
    for dtypes, same_dtypes in kinds.items():
        space = arrays.space_of(same_dtypes[0][0])
        values = Numbers(numbers, space.module.ndarray)
        kernels = _kernels(space.module, dtypes, flags, values)
        for start in range(0, len(same_dtypes), MOST):
            part = same_dtypes[start : start + MOST]
            units.append(Unit(partial(_launches, space, kernels, part, dtypes, skip, values)))
    return units


def _launches(space, kernels, part, dtypes, skip, numbers):
    """Returns the calls (complete.py) that launch the kernels for the rows `part`, at most as many
    as a table holds."""
    scratch, fields, tiles, counters = _plan(space, part, compute_dtype(dtypes))
    table, chunks = filled_table(part, MOST, **fields)
    sums = space.empty(2 * chunks, compute_dtype(dtypes))
    counts = space.table(_zeros, counters, part[0][0].data.ptr)
    arguments = (table, skip, sums, counts, *numbers.values())
    launches = [
        partial(kernel, (count,), (THREADS,), arguments)
        for kernel, count in zip(kernels, (tiles, 2 * chunks), strict=True)
        if count
    ]
    return called([*launches, partial(id, scratch)])  # kept until then, and freed in stream order


def _zeros(count, owner):
    """Returns the counters of the launches that update certain rows; `owner` is the address of the
    first parameter, so no other launch counts in them."""
    return numpy.zeros(count, numpy.uint32)


def _plan(space, part, dtype):
    """Plans the launches for the rows `part`.

    Returns:
        Scratch memory for sums and means in full precision, the fields of the table, the number of
        thread blocks that work on tiles, and the number of counters.
    """
    extents = [_extents(row[0].shape) for row in part]
    sizes = [_scratch_size(*extent) for extent in extents]
    scratch = space.empty(max(1, sum(sizes)), dtype)
    starts = numpy.cumsum([0, *sizes[:-1]]) * dtype.itemsize + scratch.data.ptr
    tiles, counts = ([count(*extent) for extent in extents] for count in (_tiles, _counters))
    before = 1 + 2 * len(part)  # counters of the second kernel
    fields = {
        "height": [height for _, height, _ in extents],
        "width": [width for _, _, width in extents],
        "scratch": starts,
        "tiles": numpy.cumsum(tiles) - tiles,
        "counts": before + numpy.cumsum(counts) - counts,
    }
    return scratch, fields, sum(tiles), before + sum(counts)


def _extents(shape):
    """Returns the number of matrices in a tensor of this shape, their height and their width; zeros
    for a vector."""
    return (prod(shape[:-2]), *shape[-2:]) if len(shape) > 1 else (0, 0, 0)


def _divisions(height, width):
    """Returns the numbers of row bands and column strips of a divided matrix; None for an undivided
    one."""
    if height <= TILE_ROWS and width <= TILE_COLUMNS:
        return None
    return -(-height // TILE_ROWS), -(-width // TILE_COLUMNS)


def _tiles(outer, height, width):
    divisions = _divisions(height, width)
    if divisions is None:
        return -(-outer // (CHUNK // (height * width))) if outer else 0
    return outer * prod(divisions)


def _counters(outer, height, width):
    """Returns the number of bands and strips of a tensor, whose finished tiles are counted."""
    divisions = _divisions(height, width)
    return 0 if divisions is None else outer * sum(divisions)


def _scratch_size(outer, height, width):
    """Returns the number of elements of scratch memory for a tensor: means over rows and columns,
    and the sums of bands and tiles."""
    bands, strips = _divisions(height, width) or (1, 1)
    size = outer * (height + width + bands)
    if _divisions(height, width) is None:
        return size
    return size + outer * (height * strips + width * bands)


def _kernels(module, dtypes, flags, numbers):
    key = (module, dtypes, flags, numbers.kinds())
    kernels = _kernel_cache.get(key)
    if kernels is None:
        texts = _texts(dtypes, flags, numbers)
        kernels = _kernel_cache[key] = [
            module.RawKernel(text, name) for name, text in texts.items()
        ]
    return kernels


def _texts(dtypes, flags, numbers):
    """Returns the CUDA sources, by name, for arrays of these dtypes and these Numbers of a call."""
    relative, warmup, scaled, decays, averages = flags
    real = "double" if compute_dtype(dtypes).itemsize == 8 else "float"
    read = {
        f"x{kind}": f"({real}){load(dtype, f'x{kind}[at]')}" for kind, dtype in enumerate(dtypes)
    }
    step = []
    if averages:
        mean = f"({real})n_beta1 * {read['x2']} + ({real})(1 - n_beta1) * d"
        step += [f"x2[at] = {store(dtypes[2], mean)};", f"d = {read['x2']};"]
    step += [f"d += ({real})n_decay * rate * p;"] if decays else []
    rate = "fmin({}, 1 / sqrt(step))".format("1e-6 * step" if warmup else "1e-2")
    parts = {
        "kinds": KINDS,
        "most": MOST,
        "threads": THREADS,
        "real": real,
        "numbers": declared(numbers),
        "opened": "\n    ".join(loaded_numbers(numbers)),
        "pointers": "\n    ".join(
            f"{TYPES[dtype]}* const x{kind} = ({TYPES[dtype]}*)table.at[{kind}][tensor];"
            for kind, dtype in enumerate(dtypes)
        ),
        "tile_rows": TILE_ROWS,
        "tile_columns": TILE_COLUMNS,
        "chunk": CHUNK,
        "rate": rate if relative else "n_lr",
        "scaled": int(scaled),
        "step": "\n        ".join(step),
        "rows": store(dtypes[3], "rows[at]"),
        "columns": store(dtypes[4], "columns[at]"),
        "kept": store(dtypes[3], "kept(at)"),
        "stored": store(dtypes[0], "p - d"),
        **read,
    }
    functions = preamble(dtypes) + reductions(real, "sum")
    return {
        name: functions
        + text.format(
            name=name, starts=starts, copies=copies, block=block, shared=_shared_size(name), **parts
        )
        for name, (starts, copies, block, text) in _KERNELS.items()
    }


def _shared_size(name):
    """Returns the number of shared-memory elements that a kernel needs."""
    return THREADS // WARP * (TILE_COLUMNS if name == "adafactor_sums" else 1)
