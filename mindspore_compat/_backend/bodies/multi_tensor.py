"""Multi-tensor update kernels: one launch updates many parameters. updates/fuse.py runs the
formulas of optimizers by them.

A row is what one call of a formula takes: a parameter, its gradient and its states. One kernel
receives the addresses and sizes of many rows in a struct that is passed by value, so nothing is
copied to the device first. A block of threads looks up its row in that struct. A single row, or
rows that are not contiguous, use one ElementwiseKernel each.

Both kinds of kernels accept the numbers of a call as Python numbers or as 0-d arrays of the device,
and a flag on the device that suppresses the whole update. A step can therefore depend on values on
the device without making the host wait for them.
"""

import functools
import itertools
import operator

import numpy

from .c_code import (
    TYPES,
    compute_dtype,
    load,
    operand,
    preamble,
    scalar_lines,
    step_line,
    store,
    supported,
)

THREADS = 256
CHUNK = 8192  # elements of one block of threads
PARAMETERS = 4096  # bytes of kernel parameters that every device supports
SPARE = 512  # of these, the bytes reserved for numbers and the flag

_HEAD = """
struct Table {{ unsigned long long at[{arrays}][{rows}]; long long size[{rows}];
               int first[{rows}]; int count; }};
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    const Table table, const bool* skip{numbers}) {{
    {shared}
    if (skip && *skip) return;
    int row = 0, last = table.count - 1;
    while (row < last) {{
        int middle = (row + last + 1) / 2;
        if (table.first[middle] <= (int)blockIdx.x) row = middle; else last = middle - 1;
    }}
    const long long start = (blockIdx.x - table.first[row]) * {chunk}ll;
    long long stop = start + {chunk};
    if (stop > table.size[row]) stop = table.size[row];
"""
_LOOP = """    {before}
    for (long long at = start + threadIdx.x; at < stop; at += blockDim.x) {{
        {body}
    }}
}}
"""


class Numbers:
    """The numbers of a call, such as a learning rate, each on the host or on the device.

    Args:
        values: name -> a number, or a 0-d array of the device.
        device: the type of the device's arrays.
    """

    def __init__(self, values, device):
        self.given = values
        self.on_device = {
            name: value for name, value in values.items() if isinstance(value, device)
        }

    def kinds(self):
        """Returns the names and dtypes of the numbers on the device, on which the source of a
        kernel depends."""
        return tuple((name, value.dtype) for name, value in self.on_device.items())

    def values(self):
        """Returns the kernel arguments for the numbers, in order."""
        return [
            value if name in self.on_device else numpy.float64(value)
            for name, value in self.given.items()
        ]


class KernelProgram:
    """The CuPy kernels of one update formula.

    Args:
        trace: the steps of the formula.
        dtypes: the dtypes of its arrays.
        space: the functions of the GPU's array library.
        singles: the names of the arrays that have one element for a whole row.
    """

    def __init__(self, trace, dtypes, space, singles=()):
        self.trace = trace
        self.singles = singles
        self.name = trace.name if trace.name.isidentifier() else "update"  # CuPy refuses "<lambda>"
        self.dtypes = dtypes
        self.dtype = compute_dtype(dtypes)
        self.module = space.module
        self.tables = space.kernels is not None and supported(dtypes)
        self._kernels = {}

    def prepare(self, numbers):
        """Returns the pair that `run_all` takes for the numbers of a call: a Numbers, and the
        kernel arguments.

        The arguments are the formula's scalars, computed once for all rows. If a number is on the
        device, they are the numbers themselves, and kernels compute the scalars.
        """
        values = Numbers(numbers, self.module.ndarray)
        if values.on_device:
            return values, values.values()
        real = self.dtype.type
        return values, [real(value) for value in self.trace.scalars(numbers)]

    def most_rows(self):
        """Returns how many rows one launch can update."""
        return (PARAMETERS - SPARE) // (8 * len(self.dtypes) + 12)

    # One row ------------------------------------------------------------------------------------

    def launch_one(self, row, prepared, skip):
        """Returns the launch that updates one row, which need not be contiguous."""
        numbers, values = prepared
        key = ("one", numbers.kinds(), skip is not None)
        kernel = self._kernels.get(key)
        if kernel is None:
            kernel = self._kernels[key] = self._elementwise(numbers, skip is not None)
        flags = self.trace.written
        return functools.partial(
            kernel,
            *[array for array, writes in zip(row, flags, strict=True) if not writes],
            *values,
            *([] if skip is None else [skip]),
            *[array for array, writes in zip(row, flags, strict=True) if writes],
        )

    def _elementwise(self, numbers, skips):
        trace, real = self.trace, _real(self.dtype)
        arrays = [
            (f"{letter(index)} {name}_", writes)
            for index, (name, writes) in enumerate(zip(trace.names, trace.written, strict=True))
        ]
        text, parameters = kernel_text(trace, self.dtype), self._parameter_list(numbers)
        if numbers.on_device:
            text = "\n".join([*_number_lines(numbers), *scalar_lines(trace, real), text])
        text = f"if (!skip_) {{\n{text}\n}}" if skips else text
        return self.module.ElementwiseKernel(
            ", ".join(
                [declaration for declaration, writes in arrays if not writes]
                + parameters
                + ["bool skip_"] * skips
            ),
            ", ".join(declaration for declaration, writes in arrays if writes),
            text,
            self.name,
        )

    def _parameter_list(self, numbers):
        """Returns the parameters of an ElementwiseKernel for the numbers of a call."""
        if not numbers.on_device:
            return [f"{self.dtype.name} s{index}" for index in range(self.trace.scalar_count)]
        on_device = numbers.on_device
        return [
            f"{on_device[name].dtype.name if name in on_device else 'float64'} h_{name}"
            for name in numbers.given
        ]

    # Many rows ----------------------------------------------------------------------------------

    def launch_table(self, rows, prepared, skip):
        """Returns the launch that updates many contiguous rows. Their dtypes may differ from those
        of this program, if the arithmetic has the same dtype; rows of equal dtypes stand
        together."""
        numbers, values = prepared
        counts = {}
        for row in rows:
            dtypes = tuple([array.dtype for array in row])
            counts[dtypes] = counts.get(dtypes, 0) + 1
        key = ("many", numbers.kinds(), *counts)
        kernel = self._kernels.get(key)
        if kernel is None:
            name = f"many_{self.name}"
            most = self.most_rows()
            source = table_source(self.trace, tuple(counts), numbers, name, most, self.singles)
            kernel = self._kernels[key] = self.module.RawKernel(source, name)
        table, blocks = filled_table(rows, self.most_rows())
        ends = itertools.accumulate([*counts.values()][:-1])
        arguments = (table, skip, *values, *map(numpy.int32, ends))
        return functools.partial(kernel, (blocks,), (THREADS,), arguments)


def calls(parts, skip=None):
    """Returns the launches that update rows of arrays by programs of one formula whose arithmetic
    has one dtype, as the calls of a unit (updates/complete.py). Rows of all programs share
    launches.

    Args:
        parts: for each program the KernelProgram, sequences of arrays with its dtypes, and what
            `prepare` returned.
        skip: a 0-d bool array of the device; if true, nothing is written. None means no flag.
    """
    first, _, prepared = parts[0]
    rows = [(program, row) for program, rows, _ in parts for row in rows if row[0].size]
    launches = []
    if len(rows) > 1 and first.tables:
        flat = [row for _, row in rows if _is_contiguous(row)]
        for start in range(0, len(flat), first.most_rows()):
            part = flat[start : start + first.most_rows()]
            launches.append(first.launch_table(part, prepared, skip))
        rows = [(program, row) for program, row in rows if not _is_contiguous(row)]
    launches += [program.launch_one(row, prepared, skip) for program, row in rows]
    return operator.methodcaller("__call__"), launches


def _is_contiguous(row):
    return all([array.flags.c_contiguous for array in row])


def filled_table(rows, most, **fields):
    """Returns the struct with the addresses and sizes of rows, and the number of blocks of threads
    that they need.

    Args:
        rows: sequences of arrays.
        most: the number of rows that the struct can hold.
        fields: a dict from the names of further fields to their 64-bit integers, one for each row.
    """
    kind = numpy.dtype(
        [
            ("at", numpy.uint64, (len(rows[0]), most)),
            *((name, numpy.int64, most) for name in ("size", *fields)),
            ("first", numpy.int32, most),
            ("count", numpy.int32),
        ],
        align=True,
    )
    table = numpy.zeros((), kind)
    sizes = numpy.array([row[0].size for row in rows], numpy.int64)
    blocks = -(-sizes // CHUNK)
    table["at"][:, : len(rows)] = [
        [row[kind].data.ptr for row in rows] for kind in range(len(rows[0]))
    ]
    table["size"][: len(rows)] = sizes
    for name, values in fields.items():
        table[name][: len(rows)] = values
    table["first"][: len(rows)] = numpy.cumsum(blocks) - blocks
    table["count"] = len(rows)
    return table, int(blocks.sum())


def table_source(trace, kinds, numbers, name, rows, singles=()):
    """Returns the CUDA source of a kernel that applies an update formula to a table of rows.

    Args:
        trace: the steps of the formula.
        kinds: the dtypes of the arrays of a row, for each kind of rows. The table has all rows of
            the first kind, then those of the second, and so on. The last arguments of the kernel
            are the end rows (exclusive) of all kinds but the last.
        numbers: the Numbers of a call.
        name: the name of the kernel.
        rows: the number of rows that the table can hold.
        singles: the names of the arrays that have one element for a whole row.
    """
    real = _real(compute_dtype(kinds[0]))
    if numbers.on_device:
        parameters, lines = (
            declared(numbers),
            [*loaded_numbers(numbers), *scalar_lines(trace, real)],
        )
    else:
        parameters, lines = "".join(f", {real} s{index}" for index in range(trace.scalar_count)), []
    parameters += "".join(f", int end{number}" for number in range(len(kinds) - 1))
    body = []
    for number, dtypes in enumerate(kinds):
        test = f"if (row < end{number}) " if number < len(kinds) - 1 else ""
        step = _row_step(trace, dtypes, real, singles)
        body += [f"{test}{{", *step, "} else" if test else "}"]
    both = preamble([dtype for dtypes in kinds for dtype in dtypes])
    return both + row_source(name, len(kinds[0]), rows, parameters, lines, body)


def _row_step(trace, dtypes, real, singles):
    """Returns the lines that update the element `at` of a row with these dtypes."""
    elements = [f"(({TYPES[dtype]}*)table.at[{index}][row])" for index, dtype in enumerate(dtypes)]
    read = [
        f"{element}[{0 if name in singles else 'at'}]"
        for name, element in zip(trace.names, elements, strict=True)
    ]
    body = [
        f"const {real} v{index} = ({real}){load(dtype, element)};"
        for index, (dtype, element) in enumerate(zip(dtypes, read, strict=True))
    ]
    body += [step_line(step, real) for step in trace.steps]
    body += [
        f"{elements[index]}[at] = {store(dtypes[index], operand(value))};"
        for index, value in trace.outputs.items()
        if value != index
    ]
    return body


def row_source(name, arrays, rows, parameters, before, body):
    """Returns the CUDA source of a kernel over a table of rows.

    Args:
        name: the name of the kernel.
        arrays: the number of arrays of a row.
        rows: the number of rows that the table can hold.
        parameters: the further parameters of the kernel, each after a comma.
        before: the lines that each thread runs first.
        body: the lines that run for each element `at` of the row `row`.
    """
    loop = _LOOP.format(before="\n    ".join(before), body="\n        ".join(body))
    return row_head(name, arrays, rows, parameters) + loop


def row_head(name, arrays, rows, parameters, shared=""):
    """Returns the CUDA source with which a kernel over a table of rows begins. The lines that
    follow can use `row`, the row of the block, and the range of the block's elements, `start` to
    `stop`.

    Args:
        name, arrays, rows, parameters: as for `row_source`.
        shared: the declaration of the kernel's shared memory.
    """
    return _HEAD.format(
        arrays=arrays,
        rows=rows,
        name=name,
        threads=THREADS,
        numbers=parameters,
        chunk=CHUNK,
        shared=shared,
    )


def declared(numbers):
    """Returns the declarations of the kernel parameters for the numbers of a call, each after a
    comma. A number on the device is a pointer, any other a double."""
    kinds = {
        key: f"const {TYPES[value.dtype]}* a_{key}" for key, value in numbers.on_device.items()
    }
    return "".join(f", {kinds.get(key, f'double h_{key}')}" for key in numbers.given)


def loaded_numbers(numbers):
    """Returns the C lines that declare the numbers of a call as variables `n_lr`, ... of type
    double."""
    read = [f"const double h_{key} = (double)*a_{key};" for key in numbers.on_device]
    return read + _number_lines(numbers)


def _number_lines(numbers):
    return [f"const double n_{key} = (double)h_{key};" for key in numbers.given]


def _real(dtype):
    return "double" if dtype == numpy.float64 else "float"


def kernel_text(trace, dtype):
    """Returns the C source that computes one element of a trace, for an ElementwiseKernel. Arrays
    are `p_`, `g_`, ... (their names, with an underscore) of types `A`, `B`, ..., and scalars are
    `s0`, `s1`, ...

    Args:
        trace: the steps of the formula.
        dtype: the dtype of the arithmetic, float32 or float64.
    """
    real = _real(dtype)
    lines = [f"const {real} v{index} = ({real}){name}_;" for index, name in enumerate(trace.names)]
    lines += [step_line(step, real) for step in trace.steps]
    lines += [
        f"{trace.names[index]}_ = ({letter(index)})v{value};"
        for index, value in trace.outputs.items()
        if value != index
    ]
    return "\n".join(lines)


def letter(index):
    """Returns the type parameter of array number `index` in an ElementwiseKernel: "A", "B", ..."""
    return chr(ord("A") + index)
