"""Threads share compiled loops through a job slot, without the interpreter lock (GIL).

A thread that runs Python needs the GIL for each piece of work, and waits 10 to 50 microseconds for
it while another thread holds it. Here a job is the address of compiled code and the address of its
arguments, stored in a shared array, the slot. Threads of the pool watch the slot in compiled code,
and join the job while tickets are left:

    the calling thread                         a thread of the pool
    `share`: writes the job, n tickets         `serve`: takes a ticket
             calls the code, which takes                calls the code, which takes
             pieces until none is left                  pieces until none is left
             takes the tickets back                     adds 1 to ENDED, watches again
             waits until ENDED is the
             number of tickets taken

There is one job at a time: a caller that finds the slot busy runs all pieces itself.
"""

import ctypes
import functools
import inspect
import os
import platform
import sys
import time

import numpy

# Elements of the slot. An element that is written while threads watch another has its own cache
# line.
CALLS = 0  # how often Python code has offered a job to the threads
TICKETS, ENTRY, ARGUMENTS = 8, 9, 10
ENDED = 16
OWNER = 24  # 1 while there is a job
WATCHING = 32  # the number of threads that watch
ALONE = 40  # the number of consecutive jobs without help from the pool
SIZE = 48
NAP = 50  # microseconds


def new_slot():
    """Returns a slot without a job."""
    return numpy.zeros(SIZE, numpy.int64)


def serve(slot, before, left, limit, grace):
    """Runs jobs of a slot on a thread of the pool, until no job comes for some time, or CALLS
    differs from `before`.

    Args:
        slot: the slot.
        before: the value of CALLS that the thread has seen.
        left: an array whose first element is set to 1 when the thread has left Python.
        limit: the time without a job, in units of `pause`.
        grace: the time to wait after CALLS has changed.
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
    """Runs a job on the calling thread, with the help of at most `helpers` threads that watch the
    slot. Returns the first element of `words`.

    Args:
        entry: the address of a function of one int64, which several threads may call.
        words: an array of int64; the function is called with its address.
        limit: how long this waits for other threads before it naps.
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
        # A woken thread may wait for the core of this one although another core is idle. A short
        # sleep lets it run first, and the system then puts the two on different cores.
        if slot[ALONE] > 1 and slot[ALONE] & (slot[ALONE] - 1) == 0:
            nap()
        exchange(slot, OWNER, 0)
    return words[0]  # keeps `words` alive until here


def fetch_add(array, index, value):
    """Adds to an element of an int64 array, and returns its previous value."""
    before = array[index]
    array[index] += value
    return before


def exchange(array, index, value):
    """Overwrites an element of an int64 array, and returns its previous value."""
    before = array[index]
    array[index] = value
    return before


def compare_exchange(array, index, expected, value):
    """Overwrites an element of an int64 array if it is `expected`; returns whether it was."""
    equal = array[index] == expected
    if equal:
        array[index] = value
    return equal


def call(address, argument):
    """Calls the function of one int64 at an address."""
    ctypes.CFUNCTYPE(None, ctypes.c_int64)(address)(argument)


def pause():
    """Waits for a moment. Returns the length of the wait in cycles of the processor's counter, or 1
    if there is no counter. Compiled code reloads values from memory afterwards."""
    return 1


def nap():
    """Sleeps for about 50 microseconds."""
    time.sleep(NAP * 1e-6)


@functools.cache
def intrinsics():
    """Returns the compiled versions of the functions above, by name. In them `fetch_add`,
    `exchange` and `compare_exchange` are atomic."""
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
            equal = builder.cmpxchg(place, expected, value, "seq_cst", "seq_cst")
            return builder.extract_value(equal, 1)

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
            cycles = word(1)
            if platform.machine() in ("x86_64", "AMD64"):
                module, kind = builder.module, ir.FunctionType(ir.VoidType(), [])
                counter = module.declare_intrinsic(
                    "llvm.readcyclecounter", (), ir.FunctionType(word, [])
                )
                start = builder.call(counter, [])
                builder.call(module.declare_intrinsic("llvm.x86.sse2.pause", (), kind), [])
                cycles = builder.sub(builder.call(counter, []), start)
            builder.fence("acquire")
            return cycles

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

    others = {function._name: function for function in (compare_exchange, call, pause, nap)}
    return {
        "fetch_add": read_modify_write("fetch_add", "add"),
        "exchange": read_modify_write("exchange", "xchg"),
        **others,
    }


class Library:
    """The functions of this module, for loops (compiled.Loop)."""

    python = {}

    @staticmethod
    def text():
        """Returns the source of the functions, which is part of the key of cached loops."""
        return inspect.getsource(sys.modules[__name__])

    @staticmethod
    @functools.cache
    def compiled():
        """Returns the functions by name, to be compiled into the loops that call them."""
        import types

        import numba

        scope = {**_CONSTANTS, **intrinsics()}
        function = types.FunctionType(share.__code__, scope, "share")
        return {**scope, "share": numba.njit(error_model="numpy")(function)}


_CONSTANTS = {name: value for name, value in globals().items() if name.isupper()}
