"""Rows from several workers: passed in groups, or computed by the reader if that is faster.

tests/reliability/test_processes.py checks that no worker outlives its pipeline.
"""

import multiprocessing
import threading
import time

import numpy as np
import pytest

import mindspore_compat.dataset as ds
from mindspore_compat.dataset import vision
from mindspore_compat.dataset.engine import config, workers

ROWS = 70


@pytest.fixture(autouse=True)
def seed():
    ds.config.set_seed(3)


@pytest.fixture(params=[0, 60], ids=["shared", "alone"])
def tiny(request, monkeypatch):
    """Rows shared by workers and the reader, or done by the reader alone after the first."""
    monkeypatch.setattr(workers, "_TINY", request.param)


@pytest.fixture(params=["threads", "processes"])
def options(request, tiny):
    """Options of an operation with workers."""
    return {
        "num_parallel_workers": min(2, config.max_workers()),
        "python_multiprocessing": request.param == "processes",
    }


def numbers():
    return ds.NumpySlicesDataset(np.arange(ROWS), ["n"], shuffle=False)


def given(data):
    return [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)]


def squared(n):
    return n * n


def uneven(n):
    time.sleep(0.002 * (n % 7 == 0))
    return n


def refused(n):
    if n % 30 == 29:
        raise ValueError("not this one")
    return n


@pytest.mark.parametrize("function", [squared, uneven])
def test_the_order_stays_over_all_rows_and_rounds(options, function):
    rows = given(numbers().map(function, **options).repeat(2))
    assert rows == 2 * [int(function(n)) for n in range(ROWS)]


def test_an_error_comes_at_its_row_and_names_the_function(options):
    rows = numbers().map(refused, **options).create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(rows)[0]) for _ in range(29)] == list(range(29))
    with pytest.raises(RuntimeError, match="refused raised ValueError: not this one"):
        next(rows)


def test_an_error_of_the_source_comes_after_the_rows_before_it(options):
    def source():
        yield from range(29)
        raise ValueError("no more")

    data = ds.GeneratorDataset(source, "n", shuffle=False).map(squared, **options)
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert [int(next(rows)[0]) for _ in range(29)] == [n * n for n in range(29)]
    with pytest.raises(RuntimeError, match="no more"):
        next(rows)


def test_rows_beside_a_refused_one_are_kept(options, monkeypatch):
    monkeypatch.setattr(config._values, "error_samples", config.ErrorSamplesMode.SKIP)
    assert given(numbers().map(refused, **options)) == [n for n in range(ROWS) if n % 30 != 29]


def test_an_epoch_that_is_left_goes_on(options):
    rows = numbers().map(squared, **options).create_tuple_iterator(num_epochs=1, output_numpy=True)
    first = [int(row[0]) for row, _ in zip(rows, range(40))]
    rest = [int(row[0]) for row in rows]
    assert first == [n * n for n in range(40)] and rest == [n * n for n in range(41, ROWS)]


def test_random_transforms_draw_the_same_whoever_works(tiny):
    images = np.arange(60 * 75, dtype=np.uint32).astype(np.uint8).reshape(60, 5, 5, 3)

    def run():
        data = ds.NumpySlicesDataset(images, ["i"], shuffle=False)
        data = data.map(
            [vision.RandomCrop(3), vision.RandomHorizontalFlip()],
            num_parallel_workers=min(2, config.max_workers()),
        )
        return [
            row[0].tolist() for row in data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        ]

    assert run() == run()


def work(item):
    if item == 9:
        return lambda: None
    return item


def test_a_result_that_cannot_be_sent_is_an_error_at_its_row():
    rows = workers.OrderedMap("map", 2, processes=True)(work, range(ROWS))
    assert [next(rows) for _ in range(9)] == list(range(9))
    with pytest.raises(RuntimeError, match="pickle"):
        next(rows)


@pytest.mark.parametrize("seconds, largest, wanted", [(1, 8, 1), (3e-4, 8, 4), (0, 8, 8)])
def test_rows_are_handed_over_together_when_they_are_short(seconds, largest, wanted):
    pool = workers._Pool("map", squared, 1, False)
    pool.pace.recent.append(seconds)
    assert pool.chunk_size(largest) == wanted
    pool.finish()


def threads_of_rows(seconds, count):
    """The threads that worked on rows of this length, row by row."""

    def work(item):
        time.sleep(seconds)
        return threading.current_thread()

    return list(workers.OrderedMap("map", 2)(work, range(count)))


def test_short_rows_are_done_by_the_reader_and_workers_and_long_ones_by_workers():
    reader = threading.current_thread()
    assert len(set(threads_of_rows(0.0005, 200))) == 3
    assert reader not in threads_of_rows(0.006, 12)


def test_tiny_rows_are_done_by_the_reader_alone_until_they_take_longer():
    reader = threading.current_thread()

    def work(item):
        if item >= 300:
            time.sleep(0.002)
        return threading.current_thread()

    done = list(workers.OrderedMap("map", 2)(work, range(400)))
    assert done[:300].count(reader) > 200
    assert len(set(done[350:])) == 3


def test_the_next_epoch_of_tiny_rows_begins_with_the_reader():
    threads = []

    def noted(n):
        threads.append(threading.current_thread())
        return n

    if config.max_workers() < 2:
        pytest.skip("one processor")
    data = numbers().map(noted, num_parallel_workers=2)
    assert given(data) == list(range(ROWS))
    assert threading.current_thread() not in threads[:16]
    threads.clear()
    assert given(data) == list(range(ROWS)) and set(threads) == {threading.current_thread()}


def test_tiny_rows_start_one_thread():
    pool = workers._Pool("map", squared, 4, False)
    for number in range(3):
        assert pool.result(pool.submit([number])) == [(number * number, None)]
    assert len(pool.threads) == 1
    pool.finish()


@pytest.mark.parametrize("computing, away, wanted", [(1.0, 1.0, 1), (0.1, 1.0, 2), (1.0, 3.0, 2)])
def test_a_reader_who_waits_for_rows_that_compute_counts_as_a_worker(
    monkeypatch, computing, away, wanted
):
    monkeypatch.setattr(workers.affinity, "available", lambda: [0, 1])
    pool = workers._Pool("map", squared, 2, False)
    pool.pace.recent.append(0.001)
    pool.pace.computing.append(computing)
    pool.pace.finished, pool.pace.within, pool.pace.away = 16, 2.0, away
    assert pool.most_threads() == wanted
    pool.finish()


def test_tasks_say_how_long_rows_take_and_compute():
    pool = workers._Pool("map", lambda seconds: time.sleep(seconds), 2, False)
    assert pool.result(pool.submit([0.02])) == [(None, None)]
    assert pool.pace.recent[0] >= 0.02 and pool.pace.computing[0] < 0.5
    pool.finish()


@pytest.mark.parametrize(
    "batched",
    [
        lambda data: data.batch(24),
        lambda data: data.padded_batch(24),
        lambda data: data.bucket_batch_by_length(["n"], [9], [24, 1], lambda n: 0),
    ],
    ids=["batch", "padded_batch", "bucket_batch_by_length"],
)
def test_the_next_batch_is_made_while_the_last_one_is_used(monkeypatch, batched):
    monkeypatch.setattr(config._values, "prefetch", 2)
    done = []

    def long(n):
        time.sleep(0.006)
        done.append(int(n))
        return n

    workers = min(2, config.max_workers())
    if workers < 2:
        pytest.skip("one processor")
    rows = batched(numbers().map(long, num_parallel_workers=workers)).create_tuple_iterator()
    assert len(next(rows)[0]) == 24
    until = time.monotonic() + 20
    while len(done) < 48 and time.monotonic() < until:
        time.sleep(0.01)
    rows.stop()
    assert 48 <= len(done) < ROWS


@pytest.mark.parametrize("enable", [False, True])
def test_autotune_gives_workers_to_a_map_that_has_none(monkeypatch, enable):
    if config.max_workers() < 2:
        pytest.skip("one processor")
    threads = set()

    def noted(n):
        threads.add(threading.current_thread())
        time.sleep(0.006)
        return n

    monkeypatch.setattr(config._values, "workers", None)
    monkeypatch.setattr(config._values, "autotune", enable)
    assert given(numbers().take(20).map(noted)) == list(range(20))
    assert (threads == {threading.current_thread()}) is not enable


def test_transforms_of_the_package_need_no_processes():
    images = np.zeros((9, 4, 4, 3), np.uint8)
    data = ds.GeneratorDataset(list(images), "i", shuffle=False).map(
        vision.Resize(3),
        num_parallel_workers=min(2, config.max_workers()),
        python_multiprocessing=True,
    )
    rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
    assert next(rows)[0].shape == (3, 3, 3) and not multiprocessing.active_children()
    rows.stop()
