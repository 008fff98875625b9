"""Compiled loops whose pieces the scheduler's threads share, without returning to Python.

A ParallelLoop is a function of arrays and numbers, some of which differ from piece to piece. The
annotations of its parameters give their kinds:

    def scale(x: array(FLOAT), factor: number(FLOAT), buffer: memory(FLOAT), first: piece(0),
              last: piece(1)):
        ...

    loop = loop_of(scale)
    if loop.is_ready():
        loop.run(numpy.array([[0, 64], [64, 100]]), x, numpy.float32(2), 32)

`run` calls it once for each row of the table, in any order: scale(x, 2, buffer, 0, 64) and
scale(x, 2, buffer, 64, 100), with 32 elements of memory for each thread. Only the call of `run`
needs the interpreter lock (job_slot.py).
"""

import functools
import hashlib
import inspect
import sys
from typing import NamedTuple

import numpy

from ..compiled import jit, machine_code
from . import job_slot, scheduler, spinning

FLOAT, INDEX = numpy.dtype(numpy.float32), numpy.dtype(numpy.int64)
OFFSET = numpy.dtype(numpy.int32)
LINE = 64  # bytes of a cache line, where the longest vectors begin
# The words of a job; from _FIRST on its table, and what it is given, of two words each.
_NEXT, _COUNT, _COLUMNS, _FAILED, _FIRST = range(5)
# Arguments of a call that Numba inlines, at most: Python packs more of them into a tuple.
_INLINED = 30


class Parameter(NamedTuple):
    """A parameter of a loop; the functions below make one for each kind."""

    kind: str
    dtype: numpy.dtype = INDEX
    column: int = 0
    fields: type = None


def array(dtype):
    """Declares a 1-D array, the same for all pieces."""
    return Parameter("array", dtype)


def part(dtype, column):
    """Declares a slice of a 1-D array. For each piece, the slice starts at the number in `column`
    of the table, and stops at the number in the next column."""
    return Parameter("part", dtype, column)


def number(dtype=INDEX):
    """Declares a number, the same for all pieces."""
    return Parameter("number", dtype)


def memory(dtype):
    """Declares uninitialized memory for each thread; `run` gets the number of elements."""
    return Parameter("memory", dtype)


def piece(column):
    """Declares an int64 that each piece reads from a column of the table."""
    return Parameter("piece", column=column)


def record(kind):
    """Declares a named tuple of int64 that each piece reads from its row of the table."""
    return Parameter("record", fields=kind)


def sizes(kind):
    """Declares a named tuple of int64, the same for all pieces; `run` gets its fields as
    arguments."""
    return Parameter("sizes", fields=kind)


@functools.lru_cache(maxsize=1024)
def blocks(total, size):
    """Returns a table with one row (start, stop) for each piece; the pieces have at most `size`
    elements and cover range(total)."""
    starts = numpy.arange(0, total, size)
    return numpy.stack([starts, numpy.minimum(starts + size, total)], 1)


@functools.lru_cache(maxsize=1024)
def blocks_around(outer, length, inner, size, width):
    """Returns a table of pieces that divide an array (outer, length, inner) along its first and its
    last axis.

    Args:
        outer, length, inner (int): the shape of the array.
        size (int): the approximate number of elements per piece.
        width (int): pieces along the last axis begin at multiples of this number.

    Returns:
        A row for each piece: start and stop on the first axis, start and stop on the last axis.
    """
    columns = max(size // length // width * width, width)
    outer_blocks = blocks(outer, max(size // (length * inner), 1))
    parts = blocks(inner, columns)
    return numpy.ascontiguousarray([[*block, *part] for block in outer_blocks for part in parts])


def aligned(count, dtype=FLOAT):
    """Returns `count` uninitialized elements, aligned to a cache line so that no vector crosses
    one."""
    memory = numpy.empty(count + LINE, dtype)
    start = -memory.ctypes.data % LINE // memory.itemsize
    return memory[start : start + count]


class ParallelLoop(jit.Loop):
    """A loop that `run` shares among threads once it is compiled.

    Args:
        text, reorders, label, library: as for jit.Loop.
        parameters: a Parameter for each parameter of the function.
        checks: whether the function returns a bool, False for a piece with unsuitable values.
    """

    def __init__(self, text, parameters, reorders, label, library=None, checks=False):
        super().__init__(text, parameters, reorders, label, library)
        self._checks = checks

    def __reduce__(self):
        kind, arguments = super().__reduce__()
        return kind, (*arguments, self._checks)

    def is_ready(self):
        """Returns True if the loop is compiled; otherwise requests its compilation."""
        return self.ready is not None or self.request()

    def load(self):
        """Returns what `make` returns if the disk cache has it, else None."""
        name, text, tuples = self._entry()
        address, call = machine_code.address(name), machine_code.function(_name(self._kinds()))
        return _Ready(None, address, call) if address and call else None

    def make(self, numba):
        """Compiles the two functions of a `_Ready`: the entry that threads run, and the caller that
        shares a job among them."""
        options, kinds = self.options(), self._kinds()
        inline = "always" if len(self._parameters) <= _INLINED else "never"
        loop = self.python(f"loop_{self.digest()}", self.functions())
        name, text, tuples = self._entry()
        scope = {
            "loop": numba.njit(inline=inline, **options)(loop),
            "read": _reader(kinds),
            **tuples,
            **_scope(),
        }
        entry = jit.executed(text.format(name), name, scope)
        entry = jit.callback_of(entry, (numba.int64,), **options)
        return _Ready(entry, entry.address, _caller(kinds))

    def _entry(self):
        """Returns the name of the entry, and what `_entry_text` returns."""
        text, tuples = self._entry_text("{}")
        shapes = [(name, kind._fields) for name, kind in tuples.items()]
        key = text + repr((self._kinds(), shapes)) + _source()
        return f"entry_{self.digest()}_{_digest(key)}", text, tuples

    def run(self, table, *arguments):
        """Calls the loop for all pieces.

        Args:
            table (numpy.ndarray): contiguous, int64, one row for each piece.
            *arguments: arrays, numbers and sizes of memory, for all parameters but `piece`s.

        Returns:
            bool: False if a piece has returned False.
        """
        return not (len(table) and self.ready.call(*self._job(table), *arguments))

    def caller(self, table):
        """Returns a function that takes the arguments of `run` without the table, and returns a
        true value if a piece has returned False. For a single piece, which no other thread shares,
        it takes a third of the time of `run`."""
        if len(table) == 1:
            return self.call_of(table)
        return lambda *arguments: not self.run(table, *arguments)

    def call_of(self, table, *arguments):
        """Returns a function without arguments that runs the loop for a table of at least one
        piece. It returns a true value if a piece has returned False."""
        return functools.partial(self.ready.call, *self._job(table), *arguments)

    def _job(self, table):
        """Returns the first arguments of the compiled caller: the helpers and the pieces."""
        helpers = scheduler.helpers(len(table))
        longest = spinning.longest() if helpers else 0
        return scheduler.slot(), helpers, self.ready.address, longest, table

    def _kinds(self):
        """Returns, for each argument of `run`, whether it is an array, and its dtype."""
        kinds = []
        for kind, dtype, _, fields in self._parameters:
            if kind == "sizes":
                kinds += [(False, INDEX)] * len(fields._fields)
            elif kind not in ("piece", "record"):
                kinds.append((kind in ("array", "part"), INDEX if kind == "memory" else dtype))
        return tuple(kinds)

    def _entry_text(self, name):
        """Returns the Python source of the entry, and the types of the named tuples that it
        creates, by name. The entry is the function that takes pieces until none is left."""
        lines, arguments, tuples, count = [], [], {}, 0
        for kind, dtype, column, fields in self._parameters:
            if kind == "piece":
                arguments.append(f"table[at + {column}]")
                continue
            if kind == "record":
                columns = [f"table[at + {index}]" for index in range(len(fields._fields))]
                tuples[fields.__name__] = fields
                arguments.append(f"{fields.__name__}({', '.join(columns)})")
                continue
            own, value = f"p{len(lines)}", f"given[{count}]"
            if kind == "sizes":
                names = [f"given[{count + index}]" for index in range(len(fields._fields))]
                tuples[fields.__name__] = fields
                value = f"{fields.__name__}({', '.join(names)})"
                count += len(names) - 1
            elif kind == "memory":
                value = f"aligned({value}, {dtype.name})"
            count += 1
            lines.append(f"{own} = {value}")
            sliced = f"{own}[table[at + {column}] : table[at + {column + 1}]]"
            arguments.append(sliced if kind == "part" else own)
        call = f"loop({', '.join(arguments)})"
        lines = [
            "words, table, given = read(address)",
            *lines,
            "while True:",
            f"    number = fetch_add(words, {_NEXT}, 1)",
            f"    if number >= words[{_COUNT}]:",
            "        break",
            f"    at = number * words[{_COLUMNS}]",
            *(
                [f"    if not {call}:", f"        words[{_FAILED}] = 1"]
                if self._checks
                else [f"    {call}"]
            ),
        ]
        return "\n".join([f"def {name}(address):", *[f"    {line}" for line in lines]]), tuples


@jit.made_once
def loop_of(function, library=None, reorders=False):
    """Returns the ParallelLoop of a function whose parameters are annotated by the functions above.
    It `checks` if the function is annotated to return a bool."""
    kinds = dict(function.__annotations__)
    checks = kinds.pop("return", None) is bool
    text = functools.partial(jit.text_of, function)
    return ParallelLoop(text, list(kinds.values()), reorders, function.__name__, library, checks)


def _digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


class _Ready(NamedTuple):
    """The compiled functions of a ParallelLoop."""

    entry: object  # the function that threads run, if Numba compiled it in this process
    address: int
    call: object  # writes the arguments of a job and shares it


@functools.cache
def _source():
    """Returns the source of the functions that entries and callers consist of, which is part of the
    key of cached loops."""
    return inspect.getsource(sys.modules[__name__]) + job_slot.Library.text()


@functools.cache
def _scope():
    import numba

    return {
        **job_slot.Library.compiled(),
        "aligned": numba.njit(error_model="numpy")(aligned),
        "empty": numpy.empty,
        "int64": numpy.int64,
        "int32": numpy.int32,
        "float32": numpy.float32,
        "float64": numpy.float64,
    }


@functools.cache
def _caller(kinds):
    """Returns the compiled function that writes the arguments of a job and shares the job among
    threads. All loops with parameters of the same kinds use the same function."""
    import numba

    name, names = _name(kinds), ", ".join([f"p{index}" for index in range(len(kinds))])
    text = f"""def {{}}(slot, helpers, entry, limit, table, {names}):
    words = empty({_FIRST + 2 + 2 * len(kinds)}, int64)
    words[{_NEXT}] = words[{_FAILED}] = 0
    words[{_COUNT}], words[{_COLUMNS}] = table.shape
    write(words, (table.reshape(-1), {names}))
    share(slot, helpers, entry, words, limit)
    return words[{_FAILED}]
"""
    number = numba.int64
    types = (number[::1], number, number, number, number[:, ::1], *_types(kinds))
    caller = machine_code.function(name)
    if caller is None:
        caller = jit.executed(text.format(name), name, {"write": _writer(), **_scope()})
        caller = jit.function_of(caller, types, error_model="numpy")
    return caller


def _name(kinds):
    """Returns the name of `_caller(kinds)`, which identifies its code."""
    return f"call_{_digest(repr(kinds) + _source())}"


def _types(kinds):
    """Returns Numba's types for parameters, each given as (whether it is an array, its dtype)."""
    import numba

    types = [numba.from_dtype(dtype) for _, dtype in kinds]
    return [t[::1] if is_array else t for (is_array, _), t in zip(kinds, types, strict=True)]


@functools.cache
def _writer():
    """Returns the compiled function that writes arrays and numbers into the words of a job: the
    address and size of an array, the bits of a number."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    @intrinsic
    def write(context, words, values):
        def code(context, builder, signature, arguments):
            words = context.make_array(signature.args[0])(context, builder, value=arguments[0]).data
            for index, kind in enumerate(values.types):
                value = builder.extract_value(arguments[1], index)
                target = builder.gep(words, [ir.IntType(64)(_FIRST + 2 * index)])
                if isinstance(kind, types.Array):
                    array = context.make_array(kind)(context, builder, value=value)
                    size = builder.gep(target, [ir.IntType(64)(1)])
                    builder.store(array.nitems, size)
                    value = builder.ptrtoint(array.data, ir.IntType(64))
                builder.store(value, builder.bitcast(target, value.type.as_pointer()))
            return context.get_dummy_value()

        return types.void(words, values), code

    return write


@functools.cache
def _reader(kinds):
    """Returns the compiled function that reads a job from an address: its words, its table, and a
    tuple of the arrays and numbers that `_writer` has written."""
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    words = types.int64[::1]
    given = types.Tuple(_types(kinds))

    def array_at(context, builder, kind, pointer, size):
        result = context.make_array(kind)(context, builder)
        item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
        result.data = builder.bitcast(pointer, result.data.type)
        result.nitems, result.itemsize = size, size.type(item)
        result.shape, result.strides = [
            builder.insert_value(ir.Constant(ir.ArrayType(size.type, 1), None), extent, 0)
            for extent in (size, size.type(item))
        ]
        return result._getvalue()

    @intrinsic
    def read(context, address):
        def code(context, builder, signature, arguments):
            word = ir.IntType(64)
            start = builder.inttoptr(arguments[0], word.as_pointer())

            def value(index, kind):
                source = builder.gep(start, [word(_FIRST + 2 * index)])
                if not isinstance(kind, types.Array):
                    source = builder.bitcast(source, context.get_value_type(kind).as_pointer())
                    return builder.load(source)
                size = builder.load(builder.gep(source, [word(1)]))
                pointer = builder.inttoptr(builder.load(source), word.as_pointer())
                return array_at(context, builder, kind, pointer, size)

            values = [value(index + 1, kind) for index, kind in enumerate(given.types)]
            parts = [
                array_at(context, builder, words, start, word(_FIRST + 2 + 2 * len(kinds))),
                value(0, words),
                context.make_tuple(builder, given, values),
            ]
            return context.make_tuple(builder, signature.return_type, parts)

        return types.Tuple([words, words, given])(types.int64), code

    return read
