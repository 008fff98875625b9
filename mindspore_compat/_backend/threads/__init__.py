"""Host threads: the pool that shares work, and the limits of the process."""
