"""AdaFactor's step for many tensors by one kernel of a GPU.

A block of threads works on each tensor: it sums the squares of the gradient over rows and over
columns (of a vector it keeps each square), finds the root mean squares of the direction and of the
parameter, and writes parameter, average and mean squares. The formulas are those of
`adafactor_direction` and `adafactor_vector_direction`; a host runs these as they stand. Numbers of
a call may lie on the GPU, and so may a flag that leaves everything as it is, as in
bodies/multi_tensor.py.
"""

from math import prod

from .. import arrays
from ..bodies.c_code import TYPES, compute_dtype, load, preamble, store
from ..bodies.multi_tensor import PARAMETERS, SPARE, Numbers, declared, filled_table, loaded_numbers

THREADS = 1024
KINDS = 5  # parameter, gradient, average, means over rows (squares of a vector), over columns
MOST = (PARAMETERS - SPARE) // (8 * KINDS + 8 * 4 + 4)  # rows of a table
_made = {}  # (CuPy, dtypes, flags, which numbers lie on the device) -> the kernel
_TEXT = """
{preamble}
struct Table {{ unsigned long long at[{kinds}][{most}];
               long long size[{most}], height[{most}], width[{most}], scratch[{most}];
               int first[{most}]; int count; }};
__device__ {real} sum_of_block({real}* lanes, {real} value) {{
    lanes[threadIdx.x] = value;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2) {{
        if (threadIdx.x < half) lanes[threadIdx.x] += lanes[threadIdx.x + half];
        __syncthreads();
    }}
    const {real} sum = lanes[0];
    __syncthreads();
    return sum;
}}
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    const Table table, const bool* skip{numbers}) {{
    __shared__ {real} lanes[{threads}];
    if (skip && *skip) return;
    {opened}
    const double step = n_taken + 1;
    const {real} beta2 = ({real})(1 - pow(step, -n_decay_rate));
    const {real} eps = ({real})n_eps, scale = ({real})n_scale;
    {real} rate = ({real})({rate});
    const int tensor = blockIdx.x;
    const long long length = table.size[tensor], height = table.height[tensor];
    const long long width = table.width[tensor], first = threadIdx.x, stride = blockDim.x;
    {pointers}
    const long long count = width ? length / width : 0, outer = width ? count / height : 0;
    {real}* const rows = ({real}*)table.scratch[tensor];
    {real}* const columns = rows + count;
    {real}* const means = columns + outer * width;
    auto gradient = [&](long long at) -> {real} {{ return {x1} / scale; }};
    auto square = [&](long long at) -> {real} {{
        const {real} g = gradient(at);
        return g * g + eps;
    }};
    for (long long row = first; row < count; row += stride) {{
        {real} sum = 0;
        for (long long at = row * width; at < (row + 1) * width; ++at) sum += square(at);
        const long long at = row;
        rows[row] = beta2 * {x3} + (1 - beta2) * (sum / width);
    }}
    for (long long at = first; at < outer * width; at += stride) {{
        const long long from = at / width * height * width + at % width;
        {real} sum = 0;
        for (long long row = 0; row < height; ++row) sum += square(from + row * width);
        columns[at] = beta2 * {x4} + (1 - beta2) * (sum / height);
    }}
    __syncthreads();
    const bool together = outer < stride;  // a few long sums by all threads, or one for each
    for (long long one = together ? 0 : first; one < outer; one += together ? 1 : stride) {{
        {real} sum = 0;
        for (long long row = together ? first : 0; row < height; row += together ? stride : 1)
            sum += rows[one * height + row];
        if (together) sum = sum_of_block(lanes, sum);
        if (!together || first == 0) means[one] = sum / height;
    }}
    for (long long at = first; at < count; at += stride) x3[at] = {rows};
    for (long long at = first; at < outer * width; at += stride) x4[at] = {columns};
    __syncthreads();
    auto kept = [&](long long at) -> {real} {{ return beta2 * {x3} + (1 - beta2) * square(at); }};
    auto direction = [&](long long at) -> {real} {{
        if (!width) return gradient(at) / sqrt(kept(at));
        const long long row = at / width;
        const {real} column = columns[row / height * width + at % width];
        return gradient(at) / (sqrt(rows[row] / means[row / height]) * sqrt(column));
    }};
    {real} squares = 0, own = 0;
    for (long long at = first; at < length; at += stride) {{
        const {real} d = direction(at), p = {x0};
        squares += d * d;
        own += p * p;
    }}
    const {real} size = sqrt(sum_of_block(lanes, squares) / length);
    const {real} parameter = sqrt(sum_of_block(lanes, own) / length), least = ({real})n_least;
    if ({scaled}) rate *= parameter <= least ? least : parameter;
    const {real} clip = ({real})n_clip / size;
    const {real} factor = (clip >= 1 ? 1 : clip) * rate;
    for (long long at = first; at < length; at += stride) {{
        {real} d = direction(at) * factor;
        if (!width) x3[at] = {kept};
        const {real} p = {x0};
        {step}
        x0[at] = {stored};
    }}
}}
"""


def sweep(rows, skip=None, *, relative, warmup, scaled, lr, decay, beta1, **numbers):
    """One step of AdaFactor for rows of arrays that `kernels_take` accepts.

    Args:
        rows: for each tensor the parameter, its gradient, the average of steps (None without
            `beta1`), and the means of squares over rows and over columns; for a vector its mean
            squares and None.
        skip: a 0-d bool array of the GPU, which leaves the rows as they are where it holds.
        relative: whether the learning rate comes from the number of the step, not from `lr`.
        warmup: whether it then starts at 1e-6 times that number.
        scaled: whether it is multiplied by the root mean square of the parameter.
        lr: the learning rate.
        decay, beta1: the weight decay and how much of the average stays; None for neither.
        numbers: `taken`, the steps before; `decay_rate`; `eps`, added to squares; `least`, the
            least size of a parameter; `clip`; `scale`, what gradients are divided by.
    """
    flags = (relative, warmup, scaled, decay is not None, beta1 is not None)
    numbers |= {"lr": lr, "decay": decay or 0.0, "beta1": beta1 or 0.0}
    kinds = {}
    for row in rows:
        if row[0].size:  # what a tensor has no use for is stood in for by another array of it
            p, _, average, means, columns = row
            whole = (*row[:2], p if average is None else average, means)
            row_arrays = (*whole, means if columns is None else columns)
            kinds.setdefault(tuple(array.dtype for array in row_arrays), []).append(row_arrays)
    for dtypes, same_dtypes in kinds.items():
        space = arrays.space_of(same_dtypes[0][0])
        found = Numbers(numbers, space.module.ndarray)
        kernel = _kernel(space.module, dtypes, flags, found)
        for start in range(0, len(same_dtypes), MOST):
            part = same_dtypes[start : start + MOST]
            scratch, fields = _scratch(space, part, compute_dtype(dtypes))
            table = filled_table(part, MOST, **fields)[0]
            kernel((len(part),), (THREADS,), (table, skip, *found.values()))
            del scratch  # given back in the order of the stream


def _scratch(space, part, dtype):
    """Memory for means in full precision, and where and how large each tensor's are."""
    heights, widths, sizes = [], [], []
    for row in part:
        shape = row[0].shape
        height, width = shape[-2:] if len(shape) > 1 else (0, 0)
        outer = prod(shape[:-2]) if width else 0
        heights.append(height)
        widths.append(width)
        sizes.append(outer * (height + width + 1))
    scratch = space.empty(max(1, sum(sizes)), dtype)
    starts = [scratch.data.ptr + sum(sizes[:index]) * dtype.itemsize for index in range(len(sizes))]
    return scratch, {"height": heights, "width": widths, "scratch": starts}


def _kernel(module, dtypes, flags, numbers):
    key = (module, dtypes, flags, numbers.kinds())
    found = _made.get(key)
    if found is None:
        found = _made[key] = module.RawKernel(_text(dtypes, flags, numbers), "adafactor")
    return found


def _text(dtypes, flags, numbers):
    """The CUDA text for arrays of these dtypes and these Numbers of a call."""
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
    return _TEXT.format(
        preamble=preamble(dtypes),
        kinds=KINDS,
        most=MOST,
        name="adafactor",
        threads=THREADS,
        real=real,
        numbers=declared(numbers),
        opened="\n    ".join(loaded_numbers(numbers)),
        rate=rate if relative else "n_lr",
        pointers="\n    ".join(
            f"{TYPES[dtype]}* const x{kind} = ({TYPES[dtype]}*)table.at[{kind}][tensor];"
            for kind, dtype in enumerate(dtypes)
        ),
        scaled=int(scaled),
        step="\n        ".join(step),
        rows=store(dtypes[3], "rows[at]"),
        columns=store(dtypes[4], "columns[at]"),
        kept=store(dtypes[3], "kept(at)"),
        stored=store(dtypes[0], "p - d"),
        **read,
    )
