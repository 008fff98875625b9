"""Checks that the ranks have called the same collectives.

Every collective compares the calls of its members, so members that completed one agree on it. Some
members may still have called more collectives than others. The counts of a group show this.
"""

import collections

from .._backend.ranks import endings
from . import groups


class CommExecOrderChecker:
    """Compares how many collectives the members of each group have called in a period."""

    _instance = None

    def __init__(self):
        self._before = None

    @classmethod
    def get_instance(cls):
        """Returns the one checker of this process."""
        if cls._instance is None:
            cls._instance = cls()
        return cls._instance

    def start_collect_exec_order(self):
        """Starts counting."""
        self._before = dict(endings.counts)

    def stop_collect_exec_order(self):
        """Compares the counts of all ranks; every rank must call it.

        Raises:
            RuntimeError: if members of a group have called different numbers of collectives.
        """
        before, self._before = self._before or {}, None
        if not groups.GlobalComm.INITED:
            return
        total_counts = collections.Counter()
        for group in groups.all_groups():
            total_counts[group.ranks] += endings.counts[group.key] - before.get(group.key, 0)
        recorded = groups.group_named(None).objects(total_counts)
        for ranks in total_counts:
            counts = {rank: recorded[rank][ranks] for rank in ranks}
            if len(set(counts.values())) > 1:
                raise RuntimeError(
                    f"The members of the group of ranks {list(ranks)} have called different "
                    f"numbers of collectives: {counts}."
                )
