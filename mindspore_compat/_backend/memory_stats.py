"""Peak GPU memory: the most bytes used by arrays, and the most that the pool has reserved.

CuPy's pool reports current figures, not peaks. So an allocator is put in front of it when a GPU
becomes the device target, and queries the pool whenever an allocation may reach a new peak. Worked
example, with a peak of 1000 and 600 in use: a counter starts at 600 and grows by every allocation,
as if nothing were ever freed. Once it passes 1000, the pool is queried; if 700 are in use, the
counter continues from 700. So most allocations cost one addition.

Memory that the pool returns to the device by itself, when memory runs short, is noticed only at the
next query. The figures of the CPU are in `hal`.
"""

import threading

UNIT = 512  # the pool allocates multiples of this many bytes


class Watch:
    """An allocator in front of CuPy's that tracks the peaks of a memory pool.

    Args:
        pool: the memory pool, whose `used_bytes` and `total_bytes` report the current figures.
        allocate (Callable): the allocator behind this one; takes bytes.
    """

    def __init__(self, pool, allocate):
        self._pool, self.allocate = pool, allocate
        self._lock = threading.Lock()
        self._most_used = self._most_total = self._bound = 0
        self._total_is_reset = False

    def __call__(self, size):
        memory = self.allocate(size)
        with self._lock:
            self._bound += size + UNIT
            if self._bound > self._most_used or self._total_is_reset:
                self._look()
        return memory

    def _look(self):
        self._total_is_reset = False
        self._bound = self._pool.used_bytes()
        self._most_used = max(self._most_used, self._bound)
        self._most_total = max(self._most_total, self._pool.total_bytes())

    def note(self):
        """Queries the pool, and raises the peak of reserved bytes if it is higher now. Must be
        called before the pool frees memory. After a reset this does nothing until the next
        allocation."""
        with self._lock:
            if not self._total_is_reset:
                self._most_total = max(self._most_total, self._pool.total_bytes())

    def peaks(self):
        """Returns (peak bytes in arrays, peak bytes reserved) since the start or a reset."""
        self.note()
        return self._most_used, self._most_total

    def reset(self, used, total):
        """Resets one peak or both to 0, until the next allocation."""
        with self._lock:
            if used:
                self._most_used = 0
            if total:
                self._most_total, self._total_is_reset = 0, True


_watches = {}  # (CuPy, number of a device) -> its Watch
_in_force = None


def watch(module, number):
    """Installs the Watch of a device in front of CuPy's allocator."""
    global _in_force
    present = module.cuda.get_allocator()
    behind = present.allocate if isinstance(present, Watch) else present
    if (module, number) not in _watches:
        _watches[module, number] = Watch(module.get_default_memory_pool(), behind)
    _in_force = _watches[module, number]
    _in_force.allocate = behind
    module.cuda.set_allocator(_in_force)


def in_force():
    """Returns the Watch of the device that last became the target."""
    return _in_force
