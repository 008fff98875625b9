"""Where the host would wait for a number of an update.

A GPU computes while Python goes on; reading a value of one of its arrays stops Python until the
value is there. A step on a GPU therefore keeps numbers such as the count of steps in arrays there,
and is skipped by a flag that a kernel reads, not by a branch of Python. On the host Python's own
numbers and branches cost nothing. Optimizers and loss scales ask here which of the two they have.
"""

from .. import arrays


def is_asynchronous(*values):
    """True if all arrays lie on a GPU, where reading one makes the host wait."""
    return all(map(arrays.on_device, values))
