"""Tables on a GPU are copied once, freed when unused, and kept alive by captured graphs."""

import threading

import numpy as np
import pytest
from fakecupy import counting, timeline

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat._backend.cuda import streams, tables
from mindspore_compat._backend.steps import cuda_graph
from mindspore_compat._core.declare.values import weak_scalar

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", ["fakecupy"], indirect=True),
]


def squares(count):
    return np.arange(count) ** 2.0


def test_a_table_is_copied_once(space):
    with counting.counted() as counts:
        first = space.table(squares, 4)
    assert counts.synchronisations == 1  # work on any stream may read it
    with counting.counted() as counts:
        again = space.table(squares, 4)
    assert again is first and counts.transfers == counts.launches == counts.synchronisations == 0
    np.testing.assert_array_equal(first.get(), [0, 1, 4, 9])
    assert space.table(squares, 5).shape == (5,)


def test_the_table_that_was_not_used_for_longest_is_given_up(space, monkeypatch):
    monkeypatch.setattr(tables, "MOST", 2)
    own = tables.Tables(space.module)
    first, second = own.array(squares, 1), own.array(squares, 2)
    assert own.array(squares, 1) is first
    own.array(squares, 3)
    assert own.array(squares, 1) is first
    assert own.array(squares, 2) is not second


def test_the_memory_of_a_table_waits_for_the_streams_that_read_it(space, monkeypatch):
    """A kernel on another stream may still run when the table is freed."""
    monkeypatch.setattr(tables, "MOST", 1)
    own, home = tables.Tables(space.module), space.module.cuda.get_current_stream()
    reader = space.module.cuda.Stream(non_blocking=True)
    own.array(squares, 3)
    with timeline.drawn() as line:
        with reader:
            for _ in range(8):
                own.array(squares, 3) + 1
        assert line.done(home) < line.done(reader)
        own.array(squares, 4)
        assert line.done(home) >= line.done(reader) and line.now < line.done(reader)


def test_a_table_that_another_thread_captures_is_kept_until_the_end(space, monkeypatch):
    monkeypatch.setattr(tables, "MOST", 1)
    own, stream = tables.Tables(space.module), space.module.cuda.Stream(non_blocking=True)
    with stream:
        first = own.array(squares, 3)
    with monkeypatch.context() as patch:
        patch.setattr(stream, "is_capturing", lambda: True)
        second = own.array(squares, 4)
    assert [id(array) for array in own.arrays()] == [id(first), id(second)]
    own.array(squares, 5)
    assert len(own.arrays()) == 1


def test_each_thread_has_the_tables_of_its_default_stream(space, monkeypatch):
    """The default streams of different threads have the same address but do not wait for each
    other."""
    own, found = tables.Tables(space.module), []
    monkeypatch.setattr(space.module.cuda.get_current_stream(), "ptr", streams.PER_THREAD)
    for _ in range(2):
        found.append(own.array(squares, 3))
    thread = threading.Thread(target=lambda: found.append(own.array(squares, 3)))
    thread.start()
    thread.join()
    assert found[0] is found[1] is not found[2]


def test_a_graph_keeps_the_tables_that_it_reads(space, monkeypatch):
    monkeypatch.setattr(tables, "MOST", 1)
    capture, total = cuda_graph.Capture(space), space.zeros(3)

    def step():
        total[...] = total + space.table(squares, 3)

    capture.rehearse(step)
    total.fill(0)
    capture.capture(step)
    held = space.table(squares, 3)
    space.table(squares, 7)
    assert any(array is held for array in capture._kept)
    capture.replay()
    np.testing.assert_array_equal(total.get(), [0, 1, 4])


def test_a_number_beside_an_array_is_filled_once(space):
    x = space.zeros(3, "float32")
    first = weak_scalar(x, 1.5, False)
    with counting.counted() as counts:
        again = weak_scalar(x, 1.5, False)
    assert again is first and counts.launches == 0 and first.dtype == np.float32
    zeros = [weak_scalar(x, zero, False).get() for zero in (0.0, -0.0, float("nan"))]
    assert [bool(np.signbit(zero)) for zero in zeros[:2]] == [False, True] and np.isnan(zeros[2])
    assert weak_scalar(space.zeros(3, bool), True, False).get() == np.True_
    assert weak_scalar(space.zeros(3, "int32"), 7, False).dtype == np.int32


def test_a_number_that_is_first_met_in_a_capture_is_part_of_the_graph(space):
    total, capture = space.zeros(2, "float32"), cuda_graph.Capture(space)
    numbers = iter((2.0, 3.0))

    def step():
        spare = [space.zeros(1) for _ in range(3)]  # memory of the capture that is free by then
        spare.clear()
        total[...] = total + weak_scalar(total, next(numbers), False)

    capture.rehearse(step)
    capture.capture(step)
    capture.replay()
    np.testing.assert_array_equal(total.get(), [5, 5])
    assert weak_scalar(total, 3.0, False).get() == 3


@pytest.mark.parametrize("value", [2, 1.1, True, -5])
@pytest.mark.parametrize("dtype", [None, ms.float64, ms.int32, ms.bfloat16])
def test_tensors_of_one_number_are_filled_without_a_wait(space, value, dtype):
    for function in (ops.full, mint.full, lambda size, value, dtype: ops.fill(dtype, size, value)):
        with counting.counted() as counts:
            found = function((2, 3), value, dtype=dtype)
        assert counts.synchronisations == counts.transfers == 0 and counts.launches <= 1
        wanted = function((2, 3), Tensor(value), dtype=dtype)
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found.asnumpy(), wanted.asnumpy())
