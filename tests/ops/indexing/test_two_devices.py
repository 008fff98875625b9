"""In-place operators whose arguments are partly on the host and partly on a GPU. The Tensor that is
written to stays on its device."""

import itertools

import numpy as np
import pytest

from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat._backend import arrays

WRITES = {
    "ScatterUpdate": lambda x, i, u: ops.ScatterUpdate()(x, i, u),
    "ScatterAdd": lambda x, i, u: ops.ScatterAdd()(x, i, u),
    "ScatterMax": lambda x, i, u: ops.ScatterMax()(x, i, u),
    "ScatterNdUpdate": lambda x, i, u: ops.ScatterNdUpdate()(x, i.reshape(-1, 1), u),
    "scatter_nd_mul": lambda x, i, u: ops.scatter_nd_mul(x, i.reshape(-1, 1), u),
    "index_add": lambda x, i, u: ops.index_add(x, i, u, 0),
    "index_add_": lambda x, i, u: x.index_add_(0, i, u),
    "index_copy_": lambda x, i, u: x.index_copy_(0, i, u),
    "scatter_": lambda x, i, u: x.scatter_(0, i.reshape(-1, 1), u),
    "add_": lambda x, i, u: x.add_(u),
    "copy_": lambda x, i, u: x.copy_(u),
    "assign_add": lambda x, i, u: ops.assign_add(x, u),
    "setitem": lambda x, i, u: x.__setitem__(i, u),
}


def written(write, devices):
    """The Tensor that `write` has changed; its three arguments are made on `devices`."""
    values = np.float32([[1, 2], [3, 4]]), np.int32([1, 0]), np.float32([[5, 1], [2, 9]])
    tensors = []
    for value, device in zip(values, devices, strict=True):
        arrays.set_target(device)
        tensors.append((Parameter if not tensors else Tensor)(Tensor(value) + 0))
    arrays.set_target("GPU")
    write(*tensors)
    return tensors[0]


@pytest.mark.device
@pytest.mark.parametrize("devices", list(itertools.product(["CPU", "GPU"], repeat=3))[1:-1])
@pytest.mark.parametrize("name", WRITES)
def test_parts_on_two_devices(space, name, devices):
    result = written(WRITES[name], devices)
    expected = written(WRITES[name], ["GPU"] * 3)
    np.testing.assert_array_equal(result.asnumpy(), expected.asnumpy())
    assert arrays.on_device(result._array) == (devices[0] == "GPU")
