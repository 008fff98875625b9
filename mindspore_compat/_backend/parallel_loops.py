"""Compiled loops whose pieces are shared by the scheduler's threads within compiled code.

A ParallelLoop is a function of arrays and numbers, some of which differ from piece to piece:

    def scale(x, factor, memory, first, last): ...

    loop = ParallelLoop(text, [array(FLOAT), number(FLOAT), memory(FLOAT), piece(), piece()], ...)
    if loop.is_ready():
        loop.run(numpy.array([[0, 64], [64, 100]]), x, numpy.float32(2), 32)

`run` calls it once for each row of the table, in any order: scale(x, 2, memory, 0, 64) and
scale(x, 2, memory, 64, 100), with 32 elements of memory for each thread. Nothing of that needs the
interpreter's lock but the call of `run` (job_slot.py).
"""

import functools
from typing import NamedTuple

import numpy

from . import compiled, job_slot, scheduler, spinning

INDEX = numpy.dtype(numpy.int64)
_NEXT, _COUNT, _FAILED, _TABLE, _FIRST = range(5)  # words of a job


class Parameter(NamedTuple):
    """A parameter of a loop: see the functions below."""

    kind: str
    dtype: numpy.dtype = INDEX
    column: int = 0


def array(dtype):
    """An array of one axis, the same for all pieces."""
    return Parameter("array", dtype)


def part(dtype, column):
    """The part of an array from the piece's number in a column of the table to that in the next."""
    return Parameter("part", dtype, column)


def number(dtype=INDEX):
    """A number, the same for all pieces."""
    return Parameter("number", dtype)


def memory(dtype):
    """Uninitialised memory of a thread; `run` is given how many elements."""
    return Parameter("memory", dtype)


def piece(column):
    """The piece's int64 in a column of the table."""
    return Parameter("piece", column=column)


class ParallelLoop(compiled.Loop):
    """A loop that `run` shares among threads, where it is ready.

    Args:
        text, reorders, label, library: as for compiled.Loop.
        parameters: a Parameter for each of the function's.
        checks: whether it returns a bool, whether the arrays were as they should be in a piece.
    """

    def __init__(self, text, parameters, reorders, label, library=None, checks=False):
        super().__init__(text, parameters, reorders, label, library)
        self._checks = checks

    def is_ready(self):
        """True if it can run; has it compiled."""
        return self.ready is not None or self.request()

    def make(self, numba):
        """Compiles the code that threads enter, and what calls them to it."""
        digest, functions = self.functions()
        options = self.options()
        loop = numba.njit(no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)(
            self.python(f"loop_{digest}", functions)
        )
        scope = {**job_slot.Library.compiled(), **_numba_names(numba), "loop": loop}
        text = self._entry_text(f"entry_{digest}")
        make = numba.cfunc(numba.void(numba.int64), cache=True, **options)
        entry = make(compiled.executed(text, f"entry_{digest}", scope))
        kinds = tuple(
            (each.kind in ("array", "part"), INDEX if each.kind == "memory" else each.dtype)
            for each in self._parameters
            if each.kind != "piece"
        )
        return _Ready(entry, entry.address, _caller(kinds))

    def run(self, table, *given):
        """Calls the loop for all pieces.

        Args:
            table (numpy.ndarray): contiguous, int64, one row for each piece.
            *given: arrays, numbers and sizes of memory, for all parameters but the pieces' own.

        Returns:
            bool: False if a piece has returned False.
        """
        helpers = scheduler.helpers(len(table))
        ready = self.ready
        return not ready.call(
            scheduler.slot(), helpers, ready.address, spinning.turns(), table, *given
        )

    def _entry_text(self, name):
        """The Python text of the function that threads enter: takes pieces until none is left."""
        lines, arguments, word = [], [], _FIRST
        columns = 1 + max(
            [each.column + (each.kind == "part") for each in self._parameters
             if each.kind in ("piece", "part")], default=-1,
        )  # fmt: skip
        for index, (kind, dtype, column) in enumerate(self._parameters):
            own = f"p{index}"
            if kind == "piece":
                arguments.append(f"table[at + {column}]")
                continue
            if kind in ("array", "part"):
                lines.append(
                    f"{own} = carray(pointer(words[{word}]), words[{word + 1}], {dtype.name})"
                )
                word += 2
            else:
                source = "floats" if dtype.kind == "f" and kind == "number" else "words"
                value = f"{source}[{word}]"
                lines.append(
                    f"{own} = empty({value}, {dtype.name})"
                    if kind == "memory"
                    else f"{own} = {dtype.name}({value})"
                )
                word += 1
            sliced = f"{own}[table[at + {column}] : table[at + {column + 1}]]"
            arguments.append(sliced if kind == "part" else own)
        return "\n".join(
            [
                f"def {name}(address):",
                f"    words = carray(pointer(address), {word}, int64)",
                f"    floats = carray(pointer(address), {word}, float64)",
                f"    count = words[{_COUNT}]",
                f"    table = carray(pointer(words[{_TABLE}]), count * {columns}, int64)",
                *[f"    {line}" for line in lines],
                "    while True:",
                f"        number = fetch_add(words, {_NEXT}, 1)",
                "        if number >= count:",
                "            break",
                f"        at = number * {columns}",
                *(
                    [
                        f"        if not loop({', '.join(arguments)}):",
                        f"            words[{_FAILED}] = 1",
                    ]
                    if self._checks
                    else [f"        loop({', '.join(arguments)})"]
                ),
            ]
        )


class _Ready(NamedTuple):
    """What `ParallelLoop.run` calls."""

    entry: object  # the function that threads enter
    address: int
    call: object  # writes its arguments down and shares it


@functools.cache
def _caller(kinds):
    """The compiled function that writes the arguments of a job down, and shares it; loops with the
    same kinds of parameters have the same."""
    import numba

    names, lines, word = [], [], _FIRST
    for index, (is_array, dtype) in enumerate(kinds):
        own = f"p{index}"
        names.append(own)
        if is_array:
            lines += [f"words[{word}] = {own}.ctypes.data", f"words[{word + 1}] = {own}.size"]
            word += 2
        else:
            target = "floats" if dtype.kind == "f" else "words"
            lines.append(f"{target}[{word}] = {own}")
            word += 1
    spelled = "_".join(f"{dtype.name}s" if is_array else dtype.name for is_array, dtype in kinds)
    name = f"call_{spelled}_{job_slot.Library.digest()}"
    text = "\n".join(
        [
            f"def {name}(slot, helpers, entry, turns, table, {', '.join(names)}):",
            f"    words = empty({word}, int64)",
            "    floats = words.view(float64)",
            f"    words[{_NEXT}] = words[{_FAILED}] = 0",
            f"    words[{_COUNT}], words[{_TABLE}] = table.shape[0], table.ctypes.data",
            *[f"    {line}" for line in lines],
            "    share(slot, helpers, entry, words, turns)",
            f"    return words[{_FAILED}]",
        ]
    )
    scope = {**job_slot.Library.compiled(), **_numba_names(numba)}
    words = numba.int64[::1]
    of = [
        numba.from_dtype(dtype)[::1] if is_array else numba.from_dtype(dtype)
        for is_array, dtype in kinds
    ]
    given = (words, numba.int64, numba.int64, numba.int64, numba.int64[:, ::1], *of)
    make = numba.njit(given, nogil=True, cache=True, error_model="numpy")
    return make(compiled.executed(text, name, scope))


def _numba_names(numba):
    return {
        "carray": numba.carray,
        "empty": numpy.empty,
        "int64": numpy.int64,
        "int32": numpy.int32,
        "float32": numpy.float32,
        "float64": numpy.float64,
        "bool": numpy.bool_,
    }
