"""Tables of a GPU: copied once, given up when unused, kept by captured graphs."""

import numpy as np
import pytest
from fakecupy import counting

from mindspore_compat._backend.cuda import tables
from mindspore_compat._backend.steps import cuda_graph

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize("space", ["fakecupy"], indirect=True),
]


def squares(count):
    return np.arange(count) ** 2.0


def test_a_table_is_copied_once(space):
    first = space.table(squares, 4)
    with counting.counted() as counts:
        again = space.table(squares, 4)
    assert again is first and counts.transfers == counts.launches == 0
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
