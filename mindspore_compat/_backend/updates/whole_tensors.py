"""Updates that use tensor norms, for many tensors in two GPU kernels.

`whole(formula)` does the work of `fuse` for a formula with `xp.whole_norm`. Blocks of threads work
on chunks of all tensors. The first kernel computes the partial sums of the norms over each chunk.
In the second kernel, each block adds the sums of its tensor's chunks, always in the same order, and
writes its chunk of the results. An update that needs a dozen launches per parameter thus needs two
for all parameters, however large they are. Tensors on the host, and those that are not contiguous,
are updated one by one, by NumPy or CuPy. The numbers of a call may lie on the GPU, and so may a
flag that suppresses the update, as in bodies/multi_tensor.py.
"""

from functools import partial

import numpy

from .. import arrays
from ..bodies.block_code import WARP, pack_name, pack_width, packs, reductions
from ..bodies.c_code import (
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
from ..bodies.multi_tensor import (
    PARAMETERS,
    SPARE,
    THREADS,
    Numbers,
    declared,
    filled_table,
    loaded_numbers,
    row_head,
)
from ..bodies.row_plan import RowPlan
from .complete import Reserve, Several, Unit, assigned, called, complete

TEMPORARIES = 3  # arrays of the size of a row that the formula of Lamb holds at a time
_LOOP = """
    const bool aligned = ({addresses}) % 16 == 0;
    {before}
    #pragma unroll 2
    for (long long at = start + threadIdx.x * {width}; at < stop; at += blockDim.x * {width}) {{
        const int count = stop - at < {width} ? (int)(stop - at) : {width};
        const bool packed = aligned && count == {width};
        {loads}
        #pragma unroll
        for (int k = 0; k < {width}; ++k) if (k < count) {{
            {body}
        }}
        {stores}
    }}
    {after}
}}
"""
_LOAD = """Pack_{pack} e{0};
        if (packed) e{0} = *(const Pack_{pack}*)(x{0} + at);
        else for (int k = 0; k < count; ++k) e{0}.at[k] = x{0}[at + k];"""
_STORE = """if (packed) *(Pack_{pack}*)(x{0} + at) = e{0};
        else for (int k = 0; k < count; ++k) x{0}[at + k] = e{0}.at[k];"""
_TOTAL = """{real} r{0} = 0;
    for (int part = table.first[row] + threadIdx.x; part < last_part; part += blockDim.x)
        r{0} += sums[{number} * (long long)gridDim.x + part];
    const {real} v{0} = block_sum(lanes, r{0});"""
_LAST_PART = "row + 1 < table.count ? table.first[row + 1] : (int)gridDim.x"


def whole_norm(xp, x):
    """Returns the Euclidean norm over all elements, in float32 or better."""
    upcast = x if x.dtype.itemsize >= 4 else x.astype("float32")
    return xp.sqrt(xp.sum(upcast * upcast))


def reserve(row, temporaries=TEMPORARIES):
    """Returns the Reserve for rows of which this one is the largest.

    Args:
        row: its arrays.
        temporaries (int): the most arrays of this size that a formula holds at a time.
    """
    array = row[0]
    is_of_host = type(array) is numpy.ndarray
    return Reserve(temporaries * array.size * max(array.itemsize, 4) if is_of_host else 0)


def kernels_take(rows):
    """Returns True if all arrays of the rows are contiguous on a GPU and kernels are available for
    them.

    Args:
        rows: sequences of arrays; None stands for an absent array.
    """
    return all(
        arrays.on_device(array)
        and array.flags.c_contiguous
        and arrays.space_of(array).kernels is not None
        and supported([array.dtype])
        for row in rows
        for array in row
        if array is not None
    )


def whole(formula, reads=("g",), units_of_row=None):
    """Turns `formula(xp, *arrays, **scalars) -> new values` into an update of whole tensors.

    Args:
        formula: the function of the arrays of one row; it may call `xp.whole_norm`, and returns one
            value per array argument that is not in `reads`, in the order of the arguments.
        reads: the names of the arrays that are only read.
        units_of_row: a faster form of the formula for one row without kernels: a function of the
            same arrays and scalars that returns units (complete.py). None for the formula itself.
    """
    return Whole(formula, reads, units_of_row)


class Whole:
    """A formula and its kernels, one pair for each combination of flags and dtypes."""

    def __init__(self, formula, reads, units_of_row=None):
        code = formula.__code__
        self.formula = formula
        self.names = code.co_varnames[1 : code.co_argcount]
        self.written = [index for index, name in enumerate(self.names) if name not in reads]
        self._units_of_row = units_of_row or self._unit_of_row
        self._kernel_pairs = {}

    def __deepcopy__(self, memo):
        """Returns this object: a copied optimizer shares the kernels."""
        return self

    def sweep(self, rows, skip=None, **scalars):
        """Runs the `units`."""
        complete(self.units(rows, skip, **scalars))

    def units(self, rows, skip=None, **scalars):
        """Returns the units (complete.py) that update rows of arrays, all with the same scalars.

        Args:
            rows: sequences of arrays in the order of the formula's arguments.
            skip: a 0-d bool array on the GPU; if true, the rows stay unchanged. None unless
                `can_skip(rows)`.
            scalars: flags, and numbers, which may lie on the GPU as 0-d arrays.
        """
        if kernels_take(rows):
            return self._units_of_kernels(rows, skip, scalars)
        rows = sorted(rows, key=lambda row: -row[0].size)
        units = [Several(partial(self._units_of_row, *row, **scalars)) for row in rows]
        return [reserve(rows[0]), *units] if rows else []

    def can_skip(self, rows):
        """Returns True if kernels update these rows, so that they can check a flag first."""
        return kernels_take(rows)

    def results(self, rows, **scalars):
        """Returns, for each row, what the formula would write to its first argument, in new arrays.

        Args:
            rows: sequences of arrays in the order of the formula's arguments, without the first.
            scalars: as in `units`.
        """
        results, rows_of_kernels = [], []
        for row in rows:
            space, dtype = arrays.space_of(row[0]), compute_dtype([array.dtype for array in row])
            if kernels_take([row]):
                results.append(space.empty(row[0].shape, dtype))
                rows_of_kernels.append((results[-1], *row))
            else:
                upcast = [space.cast(array, dtype) for array in row]
                results.append(self.formula(space, None, *upcast, **scalars)[0])
        complete(self._units_of_kernels(rows_of_kernels, None, scalars))
        return results

    def _unit_of_row(self, *row, **scalars):
        targets = [row[index] for index in self.written]

        def prepare():
            return assigned(targets, self.formula(arrays.space_of(row[0]), *row, **scalars))

        return [Unit(prepare)]

    def _units_of_kernels(self, rows, skip, scalars):
        flags = {
            key: value
            for key, value in scalars.items()
            if value is None or isinstance(value, (bool, str))
        }
        numbers = {key: value for key, value in scalars.items() if key not in flags}
        kinds, units = {}, []
        for row in rows:
            if row[0].size:
                kinds.setdefault(tuple(array.dtype for array in row), []).append(row)
        for dtypes, same_dtypes in kinds.items():
            space = arrays.space_of(same_dtypes[0][0])
            values = Numbers(numbers, space.module.ndarray)
            kernels = self._kernels(space.module, dtypes, flags, values)
            most = _most_rows(dtypes)
            for start in range(0, len(same_dtypes), most):
                part = same_dtypes[start : start + most]
                units.append(Unit(partial(kernels.calls, space, part, skip, values.values())))
        return units

    def _kernels(self, module, dtypes, flags, numbers):
        key = (module, dtypes, tuple(flags.items()), tuple(numbers.given), numbers.kinds())
        kernels = self._kernel_pairs.get(key)
        if kernels is None:
            plan = TensorPlan(self.formula, self.written, dtypes, flags, numbers)
            kernels = self._kernel_pairs[key] = TensorKernels(module, plan)
        return kernels


def _most_rows(dtypes):
    return (PARAMETERS - SPARE) // (8 * len(dtypes) + 12)


class TensorKernels:
    """The two kernels of a formula, for one CuPy."""

    def __init__(self, module, plan):
        self.plan = plan
        self._sum = module.RawKernel(plan.sums_text(), plan.sums_name)
        self._update = module.RawKernel(plan.update_text(), plan.update_name)

    def calls(self, space, rows, skip, values):
        """Returns the launches that update as many rows as a table holds."""
        table, blocks = filled_table(rows, _most_rows(self.plan.dtypes))
        sums = space.empty(len(self.plan.norms) * blocks, self.plan.dtype)
        arguments = ((blocks,), (THREADS,), (table, skip, sums, *values))
        return called([partial(kernel, *arguments) for kernel in (self._sum, self._update)])


class TensorPlan(RowPlan):
    """The CUDA sources of a formula whose rows are whole tensors, at the addresses of a table.

    Attributes:
        norms: the steps that sum over tensors.
        sums_name, update_name: the names of the kernels.
    """

    def __init__(self, formula, written, dtypes, flags, numbers):
        self.written, self.numbers = written, numbers
        kinds, gives = "e" * len(dtypes), "e" * len(written)
        super().__init__(formula, kinds, gives, dtypes, flags, tuple(numbers.given))
        if self.levels > 2:
            raise ValueError(f"a norm in {formula.__name__} waits for another norm")
        self.norms = self.reductions(1)
        self.real = "double" if self.dtype.itemsize == 8 else "float"
        self.width = pack_width(dtypes)
        self.sums_name = f"sums_of_{self.trace.name}"
        self.update_name = f"tensors_{self.trace.name}"

    def sums_text(self):
        """Returns the source of the kernel that computes the sums of each chunk."""
        loads, body = self._elements([value for step in self.norms for value in step.values()])
        body += [f"r{step.result} += {operand(step.operands[0])};" for step in self.norms]
        before = [f"{self.real} r{step.result} = 0;" for step in self.norms]
        after = []
        for number, step in enumerate(self.norms):
            after += [
                f"r{step.result} = block_sum(lanes, r{step.result});",
                "if (threadIdx.x == 0)",
                f"    sums[{number} * (long long)gridDim.x + blockIdx.x] = r{step.result};",
            ]
        return self._text(self.sums_name, before, loads, body, [], after)

    def update_text(self):
        """Returns the source of the kernel that writes the results of each chunk."""
        before = [f"const int last_part = {_LAST_PART};"]
        for number, step in enumerate(self.norms):
            before.append(_TOTAL.format(step.result, number=number, real=self.real))
        for level in range(self.levels):
            before += [self._line(step) for step in self.of_row(level)]
        loads, body = self._elements(self.trace.results)
        stores, loaded = [], {load.split()[1][:-1] for load in loads}
        for value, index in zip(self.trace.results, self.written, strict=True):
            kind = TYPES[self.dtypes[index]]
            if f"e{index}" not in loaded:
                loads.append(f"Pack_{pack_name(kind)} e{index};")
            body.append(f"e{index}.at[k] = {store(self.dtypes[index], f'v{value}')};")
            stores.append(_STORE.format(index, pack=pack_name(kind)))
        return self._text(self.update_name, before, loads, body, stores, [])

    def _elements(self, values):
        """Returns the lines that load packs, and the lines that compute the values of their
        elements."""
        indices, steps = self.elements(values)
        loads, body = [], []
        for index in indices:
            dtype = self.dtypes[index]
            loads.append(_LOAD.format(index, pack=pack_name(TYPES[dtype])))
            body.append(f"const {self.real} v{index} = {load(dtype, f'e{index}.at[k]')};")
        return loads, body + [self._line(step) for step in steps]

    def _line(self, step):
        """Returns the C declaration for one step."""
        if step.name == "row_size":
            return f"const {self.real} v{step.result} = ({self.real})table.size[row];"
        if step.name == "constant":
            return f"const {self.real} v{step.result} = {step.operands[0]};"
        return step_line(step, self.real)

    def _text(self, name, before, loads, body, stores, after):
        parameters = f", {self.real}* sums{declared(self.numbers)}"
        pointers = [
            f"{TYPES[dtype]}* const x{index} = ({TYPES[dtype]}*)table.at[{index}][row];"
            for index, dtype in enumerate(self.dtypes)
        ]
        numbers = [*loaded_numbers(self.numbers), *scalar_lines(self.trace, self.real)]
        shared = f"__shared__ {self.real} lanes[{THREADS // WARP}];"
        most, count = _most_rows(self.dtypes), len(self.dtypes)
        loop = _LOOP.format(
            addresses=" | ".join(f"table.at[{index}][row]" for index in range(count)),
            width=self.width,
            before="\n    ".join([*numbers, *pointers, *before]),
            loads="\n        ".join(loads),
            body="\n            ".join(body),
            stores="\n        ".join(stores),
            after="\n    ".join(after),
        )
        functions = preamble(self.dtypes) + packs(self.dtypes, self.width)
        functions += reductions(self.real, "sum")
        return functions + row_head(name, count, most, parameters, shared) + loop
