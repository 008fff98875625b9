"""The stand-in counts the launches, allocations, transfers and synchronisations of a call."""

import numpy as np
import pytest

import fakecupy
from fakecupy import counting, memory

KERNEL = ("float32 x", "float32 y", "y = 2 * x;", "twice")
CASES = {  # name -> (what is called with CuPy and an array, its four counts)
    "ufunc": (lambda cp, a: a + 1, (1, 1, 0, 0)),
    "ufunc in place": (lambda cp, a: cp.add(a, 1, out=a), (1, 0, 0, 0)),
    "operator in place": (lambda cp, a: a.__iadd__(a), (1, 0, 0, 0)),
    "reduction": (lambda cp, a: a.sum(), (1, 1, 0, 0)),
    "several kernels": (lambda cp, a: cp.var(a), (3, 1, 0, 0)),
    "product": (lambda cp, a: a @ a.T, (1, 1, 0, 0)),
    "memory alone": (lambda cp, a: cp.empty((2, 2)), (0, 1, 0, 0)),
    "zeros": (lambda cp, a: cp.zeros((2, 2)), (1, 1, 0, 0)),
    "view": (lambda cp, a: a.reshape(3, 2).T[1:], (0, 0, 0, 0)),
    "reshape that copies": (lambda cp, a: a.T.reshape(6), (1, 1, 0, 0)),
    "the same array": (lambda cp, a: cp.asarray(a).astype("float32", copy=False), (0, 0, 0, 0)),
    "another dtype": (lambda cp, a: a.astype("float64"), (1, 1, 0, 0)),
    "a part written": (lambda cp, a: a.__setitem__(0, 1.0), (1, 0, 0, 0)),
    "elements by index": (lambda cp, a: a[:, cp.arange(2)], (2, 2, 0, 0)),
    "elements by mask": (lambda cp, a: a[a > 1], (2, 2, 0, 1)),
    "a shape that depends on values": (lambda cp, a: cp.nonzero(a), (3, 2, 0, 1)),
    "host data": (lambda cp, a: cp.asarray(np.ones(3)), (0, 1, 1, 0)),
    "a number": (lambda cp, a: cp.asarray(3.0), (1, 1, 0, 0)),
    "a list": (lambda cp, a: cp.array([1, 2]), (0, 1, 1, 0)),
    "to the host": (lambda cp, a: cp.asnumpy(a), (0, 0, 1, 1)),
    "to the host, not waited for": (lambda cp, a: a.get(blocking=False), (0, 0, 1, 0)),
    "a number read": (lambda cp, a: float(a[0, 0]), (0, 0, 0, 1)),
    "a truth read": (lambda cp, a: bool(a[0, 0]), (0, 0, 0, 1)),
    "shown": (lambda cp, a: str(a), (0, 0, 0, 1)),
    "waited for": (lambda cp, a: cp.cuda.Stream.null.synchronize(), (0, 0, 0, 1)),
    "random numbers": (lambda cp, a: cp.random.random(4), (1, 1, 0, 0)),
    "elementwise kernel": (lambda cp, a: cp.ElementwiseKernel(*KERNEL)(a), (1, 1, 0, 0)),
    "elementwise kernel in place": (
        lambda cp, a: cp.ElementwiseKernel(*KERNEL)(a, a),
        (1, 0, 0, 0),
    ),
    "shape alone": (lambda cp, a: (a.shape, cp.result_type(a), len(a)), (0, 0, 0, 0)),
    "nothing to do": (lambda cp, a: cp.zeros((0, 3)) + 1, (0, 0, 0, 0)),
}


@pytest.mark.parametrize("case", CASES)
def test_what_a_call_asks_of_the_device(case):
    run, expected = CASES[case]
    with fakecupy.installed():
        import cupy

        a = cupy.arange(6, dtype="float32").reshape(2, 3)
        with counting.counted() as counts:
            run(cupy, a)
        a + 1  # after the block nothing is counted
    assert tuple(counts.figures().values()) == expected, counts.names


def test_the_memory_in_use_is_that_of_arrays_and_their_views():
    with fakecupy.installed():
        import cupy

        before = cupy.zeros(1000, "float32")
        with memory.tracked() as usage:
            a = cupy.zeros(1000, "float32")
            view = a[10:].reshape(99, 10)
            b = a + before
            assert (usage.now, usage.peak) == (8000, 8000)
            del a, b
            assert usage.now == 4000  # the view keeps it
            del view
            assert (usage.now, usage.peak) == (0, 8000)
        cupy.zeros(1000)
        assert usage.peak == 8000
