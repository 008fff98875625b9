"""Waits with a time limit end when their flag changes or the time is up."""

import contextvars
import threading
import time

import numpy as np
import pytest
from kit.loops import needs_numba

from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import scheduler, spinning

pytestmark = pytest.mark.host


@pytest.fixture
def ready():
    spinning._loop.wait()
    assert spinning._loop.ready


def flags():
    return np.zeros(2, np.int64)[:1], np.zeros(1, np.int64)


def test_without_its_loop_a_wait_returns_at_once(monkeypatch):
    monkeypatch.setattr(spinning, "_loop", jit.Loop(str, (), False, "none"))
    monkeypatch.setattr(spinning.jit, "available", lambda: False)
    flag, left = flags()
    spinning.wait(flag, 0, left)
    assert not flag[0] and not left[0]


def test_waits_are_compiled_once_a_larger_loop_was_requested(monkeypatch):
    queue = jit._Queue()
    monkeypatch.setattr(queue, "_start", lambda: None)
    monkeypatch.setattr(jit, "_queue", queue)
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(jit, "_setting", lambda: "background")
    monkeypatch.setattr(jit.Loop, "load", lambda loop: None)
    loops = [jit.Loop("def {}(): pass".format, (), False, "none") for _ in range(3)]
    monkeypatch.setattr(spinning, "_loop", loops[0])
    monkeypatch.setattr(spinning, "_serve", loops[1])
    spinning._request.cache_clear()
    flag, left = flags()
    for is_used in (False, True):
        if is_used:
            queue.add(loops[2])
        for _ in range(3):
            spinning.wait(flag, 0, left)
            spinning.serve(flag, 0, left)
        assert queue._waiting == ([loops[2], *loops[:2]] if is_used else [])
    spinning._request.cache_clear()


@needs_numba
def test_a_wait_gives_up(ready):
    flag, left = flags()
    start = time.perf_counter()
    spinning.wait(flag, 0, left)
    assert time.perf_counter() - start >= spinning.SECONDS / 4
    assert left[0] == 1 and not flag[0]


@needs_numba
def test_a_wait_sees_the_change_of_another_thread(ready, monkeypatch):
    monkeypatch.setattr(spinning, "_limits", lambda: (1 << 40, 1))  # hours
    flag, left = flags()
    waiting = threading.Thread(target=spinning.wait, args=(flag, 0, left), daemon=True)
    waiting.start()
    while not left[0]:
        time.sleep(0.001)
    flag[0] = 3
    waiting.join(60)
    assert not waiting.is_alive()


def test_a_thread_that_takes_the_next_job_says_that_the_last_has_ended():
    pool = scheduler._Pool()
    jobs = [scheduler._Job(lambda number: None, 1) for _ in range(2)]
    for job in jobs:
        pool.jobs.put((contextvars.copy_context(), job))
    pool._start(1)
    assert jobs[1].done.acquire(timeout=60)
    assert jobs[0].ended[0] == 1


@needs_numba
@pytest.mark.parametrize("limit", [0, 1 << 20])
def test_the_scheduler_with_short_and_long_waits(ready, monkeypatch, limit):
    monkeypatch.setattr(spinning, "_limits", lambda: (limit, 10))
    scheduler.limit(3)
    try:
        for count in range(2, 200):
            done = []
            scheduler.run(done.append, count)
            assert sorted(done) == list(range(count))
        with pytest.raises(ZeroDivisionError):
            scheduler.run(lambda number: 1 // (number - 40), 100)
    finally:
        scheduler.limit(0)
