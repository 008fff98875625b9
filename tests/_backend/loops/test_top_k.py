"""The compiled search for the largest elements of rows matches a stable sort."""

import numpy as np
import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba, on_threads

from mindspore_compat._backend import arrays
from mindspore_compat._backend.loops import top_k

pytestmark = pytest.mark.host

HOST = arrays.HOST
VALUES = np.array([0.0, -0.0, 1, -1, 2, np.inf, -np.inf, np.nan], np.float32)


@pytest.fixture
def any_size(monkeypatch):
    """Has arrays of every size take the loop, in several pieces."""
    with fresh_loops(monkeypatch, top_k, PIECE=40):
        yield


def sorted_stably(x, k, largest):
    order = np.argsort(-x if largest else x, -1, kind="stable")[..., :k]
    return np.take_along_axis(x, order, -1), order


def check():
    rng = np.random.default_rng(0)
    for shape in ((5, 9), (3, 4, 30), (40,), (7, 1)):
        for values in (VALUES[:-1], VALUES[:2], rng.standard_normal(50).astype(np.float32)):
            x = rng.choice(values, shape)
            for k in range(1, min(shape[-1], 16) + 1, 3):
                for largest in (True, False):
                    found = HOST.top_k(x, k, -1, largest)
                    for have, want in zip(found, sorted_stably(x, k, largest), strict=True):
                        same(have, want)


def test_the_loop_means_what_a_stable_sort_does(any_size, monkeypatch):
    by_python(monkeypatch)
    monkeypatch.setattr(arrays.HOST, "argsort", lambda *_, **__: pytest.fail("sorted"))
    check()


@needs_numba
@pytest.mark.parametrize("threads", [1, 2, 4])
def test_compiled_it_does_so_with_any_number_of_threads(threads, any_size):
    with on_threads(threads):
        check()


@pytest.mark.parametrize("largest", [True, False])
def test_nan_is_left_to_a_sort(largest, any_size, monkeypatch):
    by_python(monkeypatch)
    assert top_k.loop_of(top_k.top_k_of_rows).is_ready()
    x = np.repeat(VALUES, 3)[None]
    assert top_k.top_k(x, 2, largest) is None
    assert np.isnan(HOST.top_k(x, 2, -1, largest)[0][0, 0]) == largest


def test_what_the_loop_does_not_take_goes_other_ways(any_size, monkeypatch):
    monkeypatch.setattr(top_k, "loop_of", lambda *_: pytest.fail("asked for"))
    x = np.random.default_rng(0).standard_normal((6, 90))
    for given, k in (
        (x, 2),
        (x.astype(np.float32), 0),
        (x.astype(np.float32)[:, ::2], 2),
        (np.tile(x.astype(np.float32), (1, 40)), 2),
    ):
        for have, want in zip(HOST.top_k(given, k), sorted_stably(given, k, True), strict=True):
            same(have, want)
