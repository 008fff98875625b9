"""Counts what the stand-in would require of a GPU: launches, allocations, transfers,
synchronisations.

    with counting.counted() as counts:
        step(x, y)
    counts.launches, counts.transfers, counts.names["launches"]

The rules for one call from outside the stand-in:

* A call that fills new memory or writes to an array is a launch, whether the GPU runs a kernel, a
  cuBLAS product or a memset. A call that returns a view of its input, or a shape, is not.
* A function that CuPy composes of several kernels counts with about that many (`WEIGHTS`).
* Host data that become an array or an index are a transfer, and so is `get`. A number is not: CuPy
  fills the new array by a kernel that receives the number.
* A call whose result the host waits for is a synchronisation: `get` (unless it does not block),
  `float`, `bool`, `item`, printing, `synchronize`, and any function whose result has a shape that
  depends on values (`SYNCHRONISING`).
"""

import collections
import contextlib
import threading

import numpy

from . import arrays, graphs, timeline

KINDS = ("launches", "allocations", "transfers", "synchronisations")
WEIGHTS = {
    "var": 3,
    "std": 4,
    "einsum": 2,
    "unique": 6,
    "sort": 2,
    "argsort": 2,
    "nonzero": 3,
    "argwhere": 3,
    "flatnonzero": 3,
    "cumsum": 2,
    "cumprod": 2,
    "percentile": 4,
    "quantile": 4,
    "median": 3,
    "norm": 3,
    "average": 3,
    "isclose": 4,
    "allclose": 5,
}
SYNCHRONISING = {
    "nonzero",
    "argwhere",
    "flatnonzero",
    "unique",
    "extract",
    "bincount",
    "setdiff1d",
    "intersect1d",
    "union1d",
    "histogram",
    "compress",
}
FREE = {"empty", "empty_like", "ndarray"}  # they allocate memory and do not write to it
IN_PLACE = {
    "copyto",
    "fill",
    "put",
    "shuffle",
    "scatter_add",
    "scatter_max",
    "scatter_min",
    "at",
    "__setitem__",
    "_scatter",
    "fill_diagonal",
    "putmask",
    "place",
}


class Counts:
    """How often each kind of event occurred, and under which names."""

    def __init__(self):
        self.names = {kind: collections.Counter() for kind in KINDS}

    launches, allocations, transfers, synchronisations = (
        property(lambda self, kind=kind: sum(self.names[kind].values())) for kind in KINDS
    )

    def figures(self):
        """Returns the four totals, by kind."""
        return {kind: getattr(self, kind) for kind in KINDS}


_open = []  # the Counts that are being filled
watchers = []  # functions of the name of each launch and the arrays that it reads and writes
_inside = threading.local()


@contextlib.contextmanager
def counted():
    """Counts what happens while the block runs."""
    found = Counts()
    _open.append(found)
    try:
        yield found
    finally:
        _open.remove(found)


def counts(space):
    """Returns whether the calls of a space are counted. Calls of a real CuPy are not."""
    return space.module.ndarray is arrays.ndarray


def note(kind, name, times=1):
    """Counts an event, except one that the stand-in's own code caused."""
    if times and not getattr(_inside, "depth", 0):
        if kind in ("transfers", "synchronisations"):
            graphs.refuse(name)
        if kind == "launches":
            arrays.FUNCTIONS["streams"]["launch"](name)
        for counts in _open:
            counts.names[kind][name] += times


def submitted(name, values):
    """Passes a launch to the watchers, unless the stand-in itself caused it."""
    if watchers and not getattr(_inside, "depth", 0):
        arrays_of_call = list(_device_arrays(values))
        for watch in watchers:
            watch(name, arrays_of_call)


def wait(name):
    """Adds a synchronisation, including within a call that is counted."""
    graphs.refuse(name)
    for counts in _open:
        counts.names["synchronisations"][name] += 1


@contextlib.contextmanager
def quiet():
    """Does not count the calls in the block, because they are part of a call that is already
    counted."""
    _inside.depth = getattr(_inside, "depth", 0) + 1
    try:
        yield
    finally:
        _inside.depth -= 1


def call(name, run, arguments, keywords):
    """Returns `run(*arguments, **keywords)` and counts the call by its result."""
    if not (_open or timeline.each() or graphs.watched()) or getattr(_inside, "depth", 0):
        return run(*arguments, **keywords)
    note_for_replays = graphs.begin(run, arguments, keywords)
    with quiet():
        found = run(*arguments, **keywords)
    new = _note_call(name, [*arguments, *keywords.values()], found)
    if new is not None:
        submitted(name, [*arguments, *keywords.values(), found])
        note_for_replays(found, new)
    return found


def allocated(name, new):
    """Adds the allocation of new arrays."""
    note("allocations", name, len(new))
    graphs.allocate(new)


def through(name, run):
    """Returns a function that calls `run` and counts the call."""

    def counting(*arguments, **keywords):
        return call(name, run, arguments, keywords)

    counting.__name__ = name
    counting.__wrapped__ = run
    return counting


def _note_call(name, given, found):
    """Counts the events of a call. Returns the new arrays in its result if it launches a kernel,
    else None."""
    taken = list(_device_arrays(given))
    made = list(_device_arrays([found]))
    new = [
        one
        for one in made
        if one.size and not any(numpy.may_share_memory(one._host, x._host) for x in taken)
    ]
    if name in ("concatenate", "stack") and len(given[0]) > 8 and graphs.state.graph is not None:
        note("transfers", f"{name} of more than 8 arrays")  # CuPy copies a table of them
    if _host_data(name, given, bool(taken)):
        arrays.FUNCTIONS["cupy.cuda"]["alloc_pinned_memory"](1)
        note("transfers", name)
        if name in ("array", "asarray", "asanyarray"):
            allocated(name, new)
            return None
    allocated(name, new)
    wrote = name in IN_PLACE or any(one is x for one in made for x in taken if name != "astype")
    launches = name in IN_PLACE or (new and name not in FREE) or (wrote and not _is_view(name))
    if launches:
        note("launches", name, WEIGHTS.get(name, 1))
    if name in SYNCHRONISING or name == "where" and len(given) == 1:
        note("synchronisations", name)
    return new if launches else None


def _is_view(name):
    """Returns whether a function may return the array that it was given."""
    return name in {
        "asarray",
        "asanyarray",
        "array",
        "ascontiguousarray",
        "asfortranarray",
        "broadcast_to",
        "reshape",
        "ravel",
        "squeeze",
        "atleast_1d",
        "atleast_2d",
        "atleast_3d",
        "broadcast_arrays",
        "moveaxis",
        "transpose",
        "swapaxes",
        "view",
        "astype",
        "real",
        "conj",
        "conjugate",
        "get_array_module",
        "expand_dims",
    }


def _host_data(name, given, beside):
    """Returns 1 if host data with axes are copied to the device in this call, else 0."""
    for value in given:
        if isinstance(value, numpy.ndarray) and value.ndim:
            return 1
        if name in ("array", "asarray", "asanyarray") and isinstance(value, (list, tuple)):
            return int(not beside and len(value) > 0)
        if name in ("__getitem__", "__setitem__", "take") and isinstance(value, (list, tuple)):
            if any(isinstance(part, (list, numpy.ndarray)) and numpy.ndim(part) for part in value):
                return 1
    return 0


def _device_arrays(values):
    for value in values:
        if isinstance(value, arrays.ndarray):
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _device_arrays(value)
