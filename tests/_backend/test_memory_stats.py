"""Peak memory: the counts of the wrapper around a memory pool, and its use on an active GPU."""

import pytest

from mindspore_compat._backend import arrays, memory_stats


class Pool:
    """A pool that keeps its device memory until it is told to release it."""

    def __init__(self):
        self.used = self.total = self.asked = 0

    def malloc(self, size):
        self.used += size
        self.total = max(self.total, self.used)
        return size

    def free(self, size):
        self.used -= size

    def used_bytes(self):
        self.asked += 1
        return self.used

    def total_bytes(self):
        return self.total


@pytest.fixture
def pool():
    return Pool()


@pytest.fixture
def watch(pool):
    return memory_stats.Watch(pool, pool.malloc)


def test_the_most_is_kept(pool, watch):
    for size in (1000, 5000):
        assert watch(size) == size
    pool.free(5000)
    watch(2000)
    assert watch.peaks() == (6000, 6000)
    pool.free(3000)
    watch(7000)
    assert watch.peaks() == (7000, 7000)


def test_the_pool_is_seldom_asked(pool, watch):
    watch(1 << 20)
    pool.free(1 << 20)
    for _ in range(1000):
        pool.free(watch(100))
    assert pool.asked < 5 and watch.peaks()[0] == 1 << 20


def test_after_a_reset_peaks_are_0_until_the_next_allocation(pool, watch):
    watch(5000)
    pool.free(4000)
    watch.reset(used=True, total=True)
    assert watch.peaks() == (0, 0)
    watch(100)
    assert watch.peaks() == (1100, 5000)


@pytest.mark.parametrize(
    "used, total, expected", [(True, False, (0, 5000)), (False, True, (5000, 0))]
)
def test_one_peak_is_reset(watch, used, total, expected):
    watch(5000)
    watch.reset(used, total)
    assert watch.peaks() == expected


def test_what_was_held_before_it_is_given_back_counts(pool, watch):
    watch(5000)
    pool.free(5000)
    pool.total = 9000
    watch.note()
    pool.total = 0
    assert watch.peaks() == (5000, 9000)


def test_a_gpu_in_force_is_watched_once(space):
    if space is arrays.HOST:
        pytest.skip("no allocator of the host is watched")
    arrays.set_target("GPU")
    arrays.set_target("GPU")
    found = space.module.cuda.get_allocator()
    assert found is memory_stats.in_force() and not isinstance(found.allocate, memory_stats.Watch)
    assert len(found(64)) == 64 if isinstance(found(64), bytearray) else found(64).mem.size >= 64
