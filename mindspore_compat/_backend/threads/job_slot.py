"""How compiled loops are shared by threads without the interpreter's lock.

A thread that runs Python needs the interpreter's lock for each piece of work that it takes, and
waits for it 10 to 50 microseconds where another has it. Here a job is an address of compiled code
and the address of its arguments, in an array that all threads know, the slot. Threads of the pool
watch the slot in compiled code, and enter the job while it gives tickets:

    the thread that calls                      a thread of the pool
    `share`: writes the job, n tickets         `serve`: takes a ticket
             calls the code, which takes                calls the code, which takes
             pieces until none is left                  pieces until none is left
             takes the tickets back                     adds 1 to ENDED, watches again
             waits until ENDED is the
             number of tickets taken

There is one job at a time: who finds the slot in use does all pieces itself.
"""

import ctypes
import functools
import inspect
import os
import platform
import sys
import time

import numpy

# Elements of the slot, each in a cache line of its own if written while others are watched.
CALLS = 0  # how often threads have been called to work that runs in Python
TICKETS, ENTRY, ARGUMENTS = 8, 9, 10
ENDED = 16
OWNER = 24  # 1 while there is a job
WATCHING = 32  # how many threads watch
ALONE = 40  # how many jobs on end no thread of the pool has helped with
SIZE = 48
NAP = 50  # microseconds


def new_slot():
    """A slot without a job."""
    return numpy.zeros(SIZE, numpy.int64)


def serve(slot, before, left, limit, grace):
    """Does jobs of a slot until none has come for a time, or CALLS is not `before` any more.

    Args:
        left: an array of which the first element is set to 1 when this has begun.
        limit: how long, in what `pause` counts.
        grace: the time that passes after CALLS has changed.
    """
    left[0] = 1
    fetch_add(slot, WATCHING, 1)
    waiting = limit
    while waiting > 0 and slot[CALLS] == before:
        tickets = slot[TICKETS]
        if tickets > 0:
            if compare_exchange(slot, TICKETS, tickets, tickets - 1):
                call(slot[ENTRY], slot[ARGUMENTS])
                fetch_add(slot, ENDED, 1)
                waiting = limit
        else:
            waiting -= pause()
    fetch_add(slot, WATCHING, -1)
    while waiting > 0 and grace > 0:
        grace -= pause()


def share(slot, helpers, entry, words, limit):
    """Does a job, together with at most so many threads that watch the slot.

    Args:
        entry: the address of a function of one int64, which may be called by several threads.
        words: an array of int64, whose address the function is given.
        limit: how long this waits for others before it naps.
    """
    arguments = words.ctypes.data
    owns = helpers > 0 and compare_exchange(slot, OWNER, 0, 1)
    if owns:
        slot[ENTRY], slot[ARGUMENTS], slot[ENDED] = entry, arguments, 0
        exchange(slot, TICKETS, helpers)
    call(entry, arguments)
    if owns:
        entered = helpers - exchange(slot, TICKETS, 0)
        while slot[ENDED] != entered:
            limit -= pause()
            if limit < 0:
                nap()
        slot[ALONE] = 0 if entered else slot[ALONE] + 1
        # A thread that was woken may wait for the processor of this one, although another
        # is idle: sleeping for a moment lets it go first, and separates the two.
        if slot[ALONE] > 1 and slot[ALONE] & (slot[ALONE] - 1) == 0:
            nap()
        exchange(slot, OWNER, 0)
    return words[0]  # which is thereby alive until here


def fetch_add(array, index, value):
    """Adds to an element of an array of int64, and returns what it was before."""
    found = array[index]
    array[index] += value
    return found


def exchange(array, index, value):
    """Overwrites an element of an array of int64, and returns what it was before."""
    found = array[index]
    array[index] = value
    return found


def compare_exchange(array, index, expected, value):
    """Overwrites an element of an array of int64 if it is `expected`; returns whether it was."""
    found = array[index] == expected
    if found:
        array[index] = value
    return found


def call(address, argument):
    """Calls the function of one int64 at an address."""
    ctypes.CFUNCTYPE(None, ctypes.c_int64)(address)(argument)


def pause():
    """Lets a moment pass, and returns how long it was: in cycles of the processor's counter, or 1
    where that cannot be read. After it, compiled code reads memory anew."""
    return 1


def nap():
    """Sleeps for some 50 microseconds."""
    time.sleep(NAP * 1e-6)


@functools.cache
def intrinsics():
    """The functions above for compiled code, where the first three are atomic."""
    import numba
    from llvmlite import ir
    from numba import types
    from numba.extending import intrinsic

    word = ir.IntType(64)

    def element(context, builder, kind, array, index):
        return builder.gep(context.make_array(kind)(context, builder, value=array).data, [index])

    def read_modify_write(name, operation):
        def typed(context, array, index, value):
            def code(context, builder, signature, arguments):
                array, index, value = arguments
                place = element(context, builder, signature.args[0], array, index)
                return builder.atomic_rmw(operation, place, value, "seq_cst")

            return types.int64(array, types.int64, types.int64), code

        typed.__name__ = name
        return intrinsic(typed)

    @intrinsic
    def compare_exchange(context, array, index, expected, value):
        def code(context, builder, signature, arguments):
            array, index, expected, value = arguments
            place = element(context, builder, signature.args[0], array, index)
            found = builder.cmpxchg(place, expected, value, "seq_cst", "seq_cst")
            return builder.extract_value(found, 1)

        return types.boolean(array, types.int64, types.int64, types.int64), code

    @intrinsic
    def call(context, address, argument):
        def code(context, builder, signature, arguments):
            kind = ir.FunctionType(ir.VoidType(), [word])
            builder.call(builder.inttoptr(arguments[0], kind.as_pointer()), [arguments[1]])
            return context.get_dummy_value()

        return types.void(types.int64, types.int64), code

    @intrinsic
    def pause(context):
        def code(context, builder, signature, arguments):
            found = word(1)
            if platform.machine() in ("x86_64", "AMD64"):
                module, kind = builder.module, ir.FunctionType(ir.VoidType(), [])
                counter = module.declare_intrinsic(
                    "llvm.readcyclecounter", (), ir.FunctionType(word, [])
                )
                start = builder.call(counter, [])
                builder.call(module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
                found = builder.sub(builder.call(counter, []), start)
            builder.fence("acquire")
            return found

        return types.int64(), code

    @intrinsic
    def nap(context):
        def code(context, builder, signature, arguments):
            if os.name == "posix":
                lane = ir.IntType(32)
                kind = ir.FunctionType(lane, [lane])
                function = numba.core.cgutils.get_or_insert_function(builder.module, kind, "usleep")
                builder.call(function, [lane(NAP)])
            return context.get_dummy_value()

        return types.void(), code

    found = {each._name: each for each in (compare_exchange, call, pause, nap)}
    return {
        "fetch_add": read_modify_write("fetch_add", "add"),
        "exchange": read_modify_write("exchange", "xchg"),
        **found,
    }


class Library:
    """The functions of this module, for loops (compiled.Loop)."""

    python = {}

    @staticmethod
    def text():
        """Their source, by which loops on disk are distinguished."""
        return inspect.getsource(sys.modules[__name__])

    @staticmethod
    @functools.cache
    def compiled():
        """The functions by name, to be compiled into the loops that call them."""
        import types

        import numba

        scope = {**_CONSTANTS, **intrinsics()}
        made = types.FunctionType(share.__code__, scope, "share")
        return {**scope, "share": numba.njit(error_model="numpy")(made)}


_CONSTANTS = {name: value for name, value in globals().items() if name.isupper()}
