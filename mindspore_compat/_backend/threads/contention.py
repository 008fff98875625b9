"""Tells whether other processes compete for the cores.

A thread that spins for work (spinning.py) gains where cores are idle. Beside other processes it
takes time from the threads that compute, its own process's too. The operating system counts how
often it interrupts a thread in favour of another one; such a switch is rare where cores are idle,
and comes every few milliseconds where they are not.

Worked example: 20 switches in the last 0.1 s mean contention for the next second. If the 0.1 s
after it have as many, contention lasts for 2 s, then 4 s, and at most LONGEST.
"""

import time

try:
    import resource
except ImportError:  # Windows
    resource = None

WINDOW = 0.1  # seconds in which switches are counted, at least
SWITCHES = 4  # in a window; with fewer, a daemon may have run for a moment
RATE = 40  # switches a second
SHORTEST, LONGEST = 1.0, 8.0  # seconds


class Contention:
    """What this process knows about contention.

    Attributes:
        now (bool): whether there is contention.
    """

    def __init__(self, clock=time.monotonic, switches=None):
        self._clock, self._switches = clock, switches or _switches
        self.now = False
        self._period = SHORTEST
        self._start_window(clock())

    def _start_window(self, start):
        self._start, self._before, self._next = start, self._switches(), start + WINDOW

    def update(self):
        """Returns whether there is contention, and counts switches again if it is time to."""
        moment = self._clock()
        if moment < self._next:
            return self.now
        if self.now:  # to see whether it lasts
            self.now = False
            self._start_window(moment)
            return False
        switches = self._switches() - self._before
        self.now = switches >= SWITCHES and switches >= RATE * (moment - self._start)
        if self.now:
            self._next, self._period = moment + self._period, min(2 * self._period, LONGEST)
        else:
            self._period = SHORTEST
            self._start_window(moment)
        return self.now


def _switches():
    """Returns how often threads of this process have been interrupted in favour of others."""
    return 0 if resource is None else resource.getrusage(resource.RUSAGE_SELF).ru_nivcsw


contention = Contention()
