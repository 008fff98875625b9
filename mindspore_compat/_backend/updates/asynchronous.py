"""Whether reading a number of an update would block the host.

A GPU computes while Python continues, and reading a value of a GPU array blocks Python until the
value is available. A step on a GPU therefore keeps numbers such as the step count in GPU arrays,
and is skipped by a flag that a kernel reads instead of a Python branch. On the host, Python numbers
and branches are free. Optimizers and loss scales ask this module which case applies.
"""

from .. import arrays


def is_asynchronous(*values):
    """Returns True if all arrays lie on a GPU, where reading a value blocks the host."""
    return all(map(arrays.on_device, values))


def is_known_to_reach(array, least, waits):
    """Returns True if the only element of an array is at least `least`. One on a GPU is read, which
    waits for the GPU, only if `waits`; otherwise the answer is False."""
    if not waits and is_asynchronous(array):
        return False
    return bool(arrays.to_host(array).reshape(()) >= least)


def step_number(step, tensor):
    """Returns the only element of a Tensor, a number of an update, without waiting for a GPU: a
    float for one on the host, else a 0-d array on the GPU.

    Args:
        step: the step that is being captured, or None. Its replays copy the number of a Tensor on
            the host to the GPU, so that it is also a 0-d array on the GPU.
        tensor: the Tensor.
    """
    if step is None or is_asynchronous(tensor._array):
        return arrays.number_of(tensor._array)
    return step.number(tensor)
