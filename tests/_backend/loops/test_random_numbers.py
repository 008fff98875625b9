"""The loops of the Mersenne Twister and of the polar method give the bits of NumPy."""

import pytest
from kit import same
from kit.loops import by_python, fresh_loops, needs_numba

from mindspore_compat._backend import thresholds
from mindspore_compat._backend.compiled import door
from mindspore_compat._backend.random import engines

pytestmark = pytest.mark.host

SEEDS = 5, 7


@pytest.fixture
def any_size(monkeypatch):
    """Has draws of every size take the loops."""
    with fresh_loops(monkeypatch, engines, _BLOCK=1 << 9):
        engines._powers.cache_clear()
        yield
    engines._powers.cache_clear()


def drawn(count):
    """Returns two successive draws of each kind."""
    twister, values, first = engines.Twister(), [], 0
    for _ in range(2):
        values.append(engines.uniform(twister, SEEDS, first, count))
        first += 2 * count
    first = 0
    for _ in range(2):
        numbers, taken = engines.integers(twister, SEEDS, first, count, -5, 3 << 30)
        values.append(numbers)
        first += taken
    first = 0
    for _ in range(2):
        numbers, taken = engines.standard_normal(SEEDS, first, count)
        values.append(numbers)
        first += taken
    return values


def check(monkeypatch):
    for count in (1, 2, 7, 700, 1301):
        by_loops = drawn(count)
        with monkeypatch.context() as numpy_only:
            numpy_only.setattr(door, "registered", lambda name: ())
            expected = drawn(count)
        for values, others in zip(by_loops, expected, strict=True):
            same(values, others)


def test_the_loops_mean_what_numpy_does(any_size, monkeypatch):
    by_python(monkeypatch)
    check(monkeypatch)


@needs_numba
def test_compiled_loops_do_so(any_size, monkeypatch):
    check(monkeypatch)


@needs_numba
def test_they_are_used(any_size):
    assert door.find("twister", 9) and door.find("standard_normal", None, None, 9)


def test_an_engine_skips_words(any_size):
    whole = engines.Twister().at(3, 0, 2000).words(2000)
    same(engines.Twister().at(3, 900, 1100).words(1100), whole[900:])


def test_a_draw_begun_by_numpy_stays_there(monkeypatch):
    monkeypatch.setattr(thresholds.Least, "TWISTER", 1 << 11)
    twister = engines.Twister()
    engine = twister.at(3, 0, 10)
    engine.words(10)
    assert twister.at(3, 10, 1 << 12) is engine
