"""The most memory that arrays have held on a GPU, and the most its pool has had from the device.

CuPy's pool reports what is held now, not what was. So an allocator stands in front of it, put there
when a GPU becomes the device target in force, and looks at the pool whenever an allocation may have
made a new peak. Worked example, with a peak of 1000 and 600 held: a counter starts at 600 and grows
by every allocation, as if nothing were ever freed. Once it passes 1000 the pool is queried; if it
says 700, the counter goes on from there. So most allocations cost one addition.

What the pool gives back to the device by itself, when memory runs short, is seen only at the next
look; the figures of the CPU are in `hal`.
"""

import threading

UNIT = 512  # the pool hands out whole multiples of this many bytes


class Watch:
    """An allocator that knows peaks.

    Args:
        pool: the memory pool, whose `used_bytes` and `total_bytes` report what is held.
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
        """Looks at the pool, as before it gives memory back; after a reset, not before the next
        allocation."""
        with self._lock:
            if not self._total_is_reset:
                self._most_total = max(self._most_total, self._pool.total_bytes())

    def peaks(self):
        """(most bytes in arrays, most bytes held from the device) since the start or a reset."""
        self.note()
        return self._most_used, self._most_total

    def reset(self, used, total):
        """Forgets one peak or both: it is 0 until the next allocation."""
        with self._lock:
            if used:
                self._most_used = 0
            if total:
                self._most_total, self._total_is_reset = 0, True


_watches = {}  # by CuPy and the number of the device
_in_force = None


def watch(module, number):
    """Puts the watch of a device in front of CuPy's allocator."""
    global _in_force
    present = module.cuda.get_allocator()
    behind = present.allocate if isinstance(present, Watch) else present
    if (module, number) not in _watches:
        _watches[module, number] = Watch(module.get_default_memory_pool(), behind)
    _in_force = _watches[module, number]
    _in_force.allocate = behind
    module.cuda.set_allocator(_in_force)


def in_force():
    """The watch of the device that last became the target."""
    return _in_force
