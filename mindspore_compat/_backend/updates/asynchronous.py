"""Tells whether reading a number of an update would block the host.

A GPU computes while Python continues, and reading a value of a GPU array blocks Python until the
value is available. A step on a GPU therefore keeps numbers such as the step count in GPU arrays,
and is skipped by a flag that a kernel reads instead of a Python branch. On the host, Python numbers
and branches are free. Optimizers and loss scales ask this module which case applies.
"""

from .. import arrays


def is_asynchronous(*values):
    """Returns True if all arrays lie on a GPU, where reading a value blocks the host."""
    return all(map(arrays.on_device, values))
