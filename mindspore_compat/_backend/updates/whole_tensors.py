"""Updates that ask for the norm of a tensor, for many tensors by one kernel of a GPU.

`whole(formula)` is to a formula with `xp.whole_norm` what `fuse` is to one without: a block of
threads works on each tensor, first over all of it for the norms, then over all of it for the
results. So an update that takes a dozen launches for each parameter takes one for all of them. It
is for GPUs; a host runs such a formula as it stands. Numbers of a call may lie on the GPU, and so
may a flag that leaves everything as it is, as in bodies/multi_tensor.py.
"""

from .. import arrays
from ..bodies.c_code import TYPES, preamble, scalar_lines, supported
from ..bodies.gpu import RowKernel
from ..bodies.multi_tensor import PARAMETERS, SPARE, Numbers, declared, filled_table, loaded_numbers

THREADS = 1024
_TEXT = """
{preamble}
struct Table {{ unsigned long long at[{arrays}][{rows}]; long long size[{rows}];
               int first[{rows}]; int count; }};
extern "C" __global__ void __launch_bounds__({threads}) {name}(
    const Table table, const bool* skip{numbers}) {{
    __shared__ {real} lanes[{threads}];
    if (skip && *skip) return;
    {scalars}
    const int row = blockIdx.x;
    const long long length = table.size[row];
    {pointers}
    {{
        {body}
    }}
}}
"""


def whole_norm(xp, x):
    """The Euclidean norm over all elements, in float32 or better."""
    upcast = x if x.dtype.itemsize >= 4 else x.astype("float32")
    return xp.sqrt(xp.sum(upcast * upcast))


def kernels_take(rows):
    """True if all arrays of some rows lie on a GPU, contiguous, and kernels can be had for them.

    Args:
        rows: sequences of arrays; None stands for one that is not there.
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


def whole(formula, reads=("g",)):
    """Makes `formula(xp, *arrays, **scalars) -> new values` an update in place of whole tensors.

    Args:
        formula: what it does to the arrays of one row; it may ask for `xp.whole_norm`, and returns
            one value per array argument that is not in `reads`, in the order of the arguments.
        reads: the names of the arrays that are only read.
    """
    return Whole(formula, reads)


class Whole:
    """A formula with its kernels: one for each set of flags and dtypes met."""

    def __init__(self, formula, reads):
        code = formula.__code__
        self.formula = formula
        self.names = code.co_varnames[1 : code.co_argcount]
        self.written = [index for index, name in enumerate(self.names) if name not in reads]
        self._made = {}

    def __deepcopy__(self, memo):
        """An optimizer that is copied goes on with the same kernels."""
        return self

    def sweep(self, rows, skip=None, **scalars):
        """Updates rows of arrays that `kernels_take` accepts, all with the same scalars.

        Args:
            rows: sequences of arrays in the order of the formula's arguments.
            skip: a 0-d bool array of the GPU, which leaves the rows as they are where it holds.
            scalars: flags, and numbers, which may lie on the GPU as 0-d arrays.
        """
        flags = {
            key: value
            for key, value in scalars.items()
            if value is None or isinstance(value, (bool, str))
        }
        numbers = {key: value for key, value in scalars.items() if key not in flags}
        kinds = {}
        for row in rows:
            if row[0].size:
                kinds.setdefault(tuple(array.dtype for array in row), []).append(row)
        for dtypes, same_dtypes in kinds.items():
            module = arrays.space_of(same_dtypes[0][0]).module
            found = Numbers(numbers, module.ndarray)
            kernel = self._kernel(module, dtypes, flags, found)
            most = _most_rows(dtypes)
            for start in range(0, len(same_dtypes), most):
                part = same_dtypes[start : start + most]
                table = filled_table(part, most)[0]
                kernel((len(part),), (THREADS,), (table, skip, *found.values()))

    def _kernel(self, module, dtypes, flags, numbers):
        key = (module, dtypes, tuple(flags.items()), tuple(numbers.given), numbers.kinds())
        found = self._made.get(key)
        if found is None:
            text = TensorKernel(self.formula, self.written, dtypes, flags, numbers)
            found = self._made[key] = module.RawKernel(text.text, text.name)
        return found


def _most_rows(dtypes):
    return (PARAMETERS - SPARE) // (8 * len(dtypes) + 12)


class TensorKernel(RowKernel):
    """The CUDA text of a formula whose rows are whole tensors, at the addresses in a table."""

    offset = "at"

    def __init__(self, formula, written, dtypes, flags, numbers):
        self.written, self.numbers = written, numbers
        kinds, gives = "e" * len(dtypes), "e" * len(written)
        super().__init__(formula, kinds, gives, dtypes, flags, tuple(numbers.given))

    def _made(self, number):
        return self.dtypes[self.written[number]]

    def _text(self, names):
        pointers = [
            f"{TYPES[dtype]}* const x{index} = ({TYPES[dtype]}*)table.at[{index}][row];"
            for index, dtype in enumerate(self.dtypes)
        ]
        pointers += [
            f"{TYPES[self._made(number)]}* const o{number} = x{index};"
            for number, index in enumerate(self.written)
        ]
        self.name = f"tensors_{self.trace.name}"
        return _TEXT.format(
            preamble=preamble(self.dtypes),
            arrays=len(self.dtypes),
            rows=_most_rows(self.dtypes),
            name=self.name,
            threads=THREADS,
            numbers=declared(self.numbers),
            real=self.real,
            scalars="\n    ".join(
                [*loaded_numbers(self.numbers), *scalar_lines(self.trace, self.real)]
            ),
            pointers="\n    ".join(pointers),
            body=self._body(),
        )
