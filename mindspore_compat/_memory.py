"""Statistics of the GPU memory pool as a dict and as a table. Host memory is not counted; its
figures are 0.

The pool allocates as much as each array needs. Unlike MindSpore's it has no blocks of one size:
their size and number are given as 0, and no block is listed.
"""

from ._backend import device

_WIDTH = 45


def stats():
    """Returns the statistics of the current pool, in bytes."""
    allocated, reserved = device.memory()
    most_allocated, most_reserved = device.peak_memory()
    return {
        "total_reserved_memory": reserved,
        "total_allocated_memory": allocated,
        "total_idle_memory": reserved - allocated,
        "total_eager_free_memory": 0,
        "max_reserved_memory": most_reserved,
        "max_allocated_memory": most_allocated,
        "common_mem_pool_stats": {"block_unit_size": 0, "block_counts": 0, "blocks_info": {}},
        "persistent_mem_pool_stats": {"block_counts": 0, "block_unit_size": 0, "blocks_info": {}},
    }


def summary(target):
    """Returns the statistics of a target as a text table."""
    figures = stats() if target == "GPU" else {}
    statistics = {
        "Reserved memory": figures.get("total_reserved_memory", 0),
        "Allocated memory": figures.get("total_allocated_memory", 0),
        "Idle memory": figures.get("total_idle_memory", 0),
        "Eager free memory": figures.get("total_eager_free_memory", 0),
        "Max reserved memory": figures.get("max_reserved_memory", 0),
        "Max allocated memory": figures.get("max_allocated_memory", 0),
    }
    double, single = f"|{'=' * _WIDTH}|", f"|{'-' * _WIDTH}|"
    lines = [double, f"|{'Memory summary':^{_WIDTH}}|", double]
    lines += [f"| {'Metric':<20} | {'Data':<20} |"]
    for name, size in statistics.items():
        lines += [single, f"| {name:<20} | {_readable(size):<20} |"]
    return "\n".join([*lines, double, ""])


def _readable(size):
    """Formats bytes in the smallest unit with a number below 750,000."""
    for unit in ("B", "KB", "MB"):
        if size < 768 * 1024:
            return f"{size:>6} {unit}"
        size //= 1024
    return f"{size:>6} GB"
