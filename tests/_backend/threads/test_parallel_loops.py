"""Compiled loops that threads share without the GIL."""

import os
import threading

import numpy as np
import pytest

from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import job_slot, scheduler, spinning
from mindspore_compat._backend.threads import parallel_loops as parallel

pytestmark = [
    pytest.mark.numba,
    pytest.mark.skipif(not jit.available(), reason="needs Numba"),
    pytest.mark.host,
]
FLOAT, DOUBLE = np.dtype(np.float32), np.dtype(np.float64)

SCALE = """def {}(x, out, factor, times, memory, first, last):
    for i in range(first, last):
        memory[0] = x[i]
        for _ in range(times):
            memory[0] = memory[0] * factor
        out[i] += memory[0]
"""
SUM = """def {}(x, out, row):
    total = 0.0
    for i in range(x.size):
        total += x[i]
    out[row] = total
    return total < 10
"""


@pytest.fixture(scope="module")
def scale():
    parameters = [
        parallel.array(FLOAT),
        parallel.array(FLOAT),
        parallel.number(FLOAT),
        parallel.number(),
        parallel.memory(FLOAT),
        parallel.piece(0),
        parallel.piece(1),
    ]
    return ready(parallel.ParallelLoop(SCALE.format, parameters, False, "scale"))


@pytest.fixture(params=[1, 2, 4])
def threads(request):
    scheduler.limit(request.param)
    yield request.param
    scheduler.limit(0)


def ready(loop):
    for each in (loop, spinning._loop, spinning._serve):
        each.wait()
    assert loop.is_ready()
    return loop


def table(total, size):
    return np.array([(part.start, part.stop) for part in scheduler.blocks(total, size)])


@pytest.mark.parametrize("size", [1, 7, 100, 1000])
def test_each_piece_is_done_once(scale, threads, size):
    x = np.arange(1000, dtype=FLOAT)
    pieces = table(x.size, size)
    for turn in range(1, 200):
        out = np.zeros_like(x)
        assert scale.run(pieces, x, out, FLOAT.type(0.5), turn % 3, 1)
        np.testing.assert_array_equal(out, x * 0.5 ** (turn % 3))


def test_no_piece_at_all(scale, threads):
    out = np.zeros(3, FLOAT)
    for pieces in (np.zeros((0, 2), np.int64), np.array([], np.int64)):
        assert scale.run(pieces, out, out, FLOAT.type(1), 1, 1)
    assert not out.any()


def test_parts_of_arrays_and_what_a_loop_returns(threads):
    parameters = [parallel.part(DOUBLE, 0), parallel.array(DOUBLE), parallel.piece(2)]
    loop = ready(parallel.ParallelLoop(SUM.format, parameters, False, "sum", checks=True))
    x, out = np.arange(6, dtype=DOUBLE), np.zeros(3)
    pieces = np.array(
        [[0, 2, 0, -1], [2, 3, 2, -1], [3, 5, 1, -1]]
    )  # of which one column is ignored
    assert loop.run(pieces, x, out)
    np.testing.assert_array_equal(out, [1, 7, 2])
    assert not loop.run(np.array([[0, 2, 0], [2, 6, 2]]), x, out)  # 14 is too much


def test_threads_of_python_share_one_after_the_other_or_work_alone(scale, threads):
    x, failed = np.ones(4000, FLOAT), []
    pieces = table(x.size, 100)

    def work():
        for _ in range(300):
            out = np.zeros_like(x)
            scale.run(pieces, x, out, FLOAT.type(2), 3, 1)
            if not (out == 8).all():
                failed.append(out)

    workers = [threading.Thread(target=work) for _ in range(3)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not failed
    assert not scheduler.slot()[job_slot.OWNER] and not scheduler.slot()[job_slot.TICKETS]


def test_within_pieces_of_python_and_between_them(scale, threads):
    x = np.ones(400, FLOAT)
    for _ in range(50):
        outs = np.zeros((8, 400), FLOAT)
        pieces = table(400, 50)
        scheduler.run(lambda n: scale.run(pieces, x, outs[n], FLOAT.type(3), 1, 1), 8)  # noqa: B023
        assert (outs == 3).all()
        scale.run(pieces, x, outs[0], FLOAT.type(1), 1, 1)
        assert (outs[0] == 4).all()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_process_has_threads_of_its_own(scale):
    x, pieces = np.ones(4000, FLOAT), table(4000, 100)
    scale.run(pieces, x, np.zeros_like(x), FLOAT.type(2), 1, 1)
    if not (child := os.fork()):
        out = np.zeros_like(x)
        for _ in range(20):
            scale.run(pieces, x, out, FLOAT.type(2), 1, 1)
        os._exit(0 if (out == 40).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_loop_that_does_not_compile_stays_away(caplog):
    loop = parallel.ParallelLoop(
        "def {}(x):\n    return nothing\n".format, [parallel.array(FLOAT)], False, "broken"
    )
    loop.wait()
    assert not loop.is_ready() and "broken" in caplog.text
    assert jit.available()


MEMORIES = """def {}(out, a, b, c, d, row):
    a[0], b[0], c[0], d[0] = row, row, row, row
    out[row] = a[0] + b[0] + c[0] + d[0]
"""


def test_memory_of_each_dtype():
    dtypes = [FLOAT, DOUBLE, np.dtype(np.int32), np.dtype(np.int64)]
    parameters = [parallel.array(DOUBLE), *map(parallel.memory, dtypes), parallel.piece(0)]
    loop = ready(parallel.ParallelLoop(MEMORIES.format, parameters, False, "memories"))
    out = np.zeros(3)
    assert loop.run(np.arange(3).reshape(3, 1), out, 1, 1, 1, 1)
    np.testing.assert_array_equal(out, [0, 4, 8])


COPY = """def {}(x, out, first, last):
    out[first:last] = x[first:last]
"""


def test_memory_begins_with_a_cache_line():
    dtypes = [np.dtype(each) for each in ("int32", "float32", "float64")]
    parameters = [parallel.array(DOUBLE), *map(parallel.memory, dtypes), parallel.piece(0)]
    text = """def {}(out, a, b, c, row):
    out[3 * row] = a.ctypes.data % 64
    out[3 * row + 1] = b.ctypes.data % 64
    out[3 * row + 2] = c.ctypes.data % 64
"""
    loop = ready(parallel.ParallelLoop(text.format, parameters, False, "addresses"))
    out = np.ones(9)
    for size in (1, 77, 5001):  # each after memory of another size
        loop.run(np.arange(3)[:, None], out, size, size + 3, size)
        np.testing.assert_array_equal(out, 0)
        out += 1
    for size in (1, 77, 5001):
        assert all(parallel.aligned(size, each).ctypes.data % 64 == 0 for each in dtypes)
        assert {parallel.aligned(size, each).size for each in dtypes} == {size}


@pytest.mark.parametrize("dtype", [np.int32, np.int64, np.float32, np.float64])
def test_one_text_for_several_dtypes(dtype):
    dtype = np.dtype(dtype)
    parameters = [parallel.array(dtype)] * 2 + [parallel.piece(0), parallel.piece(1)]
    x, out = np.arange(100).astype(dtype), np.zeros(100, dtype)
    loop = ready(parallel.ParallelLoop(COPY.format, parameters, False, "copy"))
    assert loop.run(table(100, 30), x, out)
    np.testing.assert_array_equal(out, x)
