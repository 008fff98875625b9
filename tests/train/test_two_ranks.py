"""A Model trained by two ranks: the same initial weights, and the mean of their gradients."""

import re

from kit.ranks import output_of_ranks, require_mpi

require_mpi()

SCRIPT = """
import numpy as np
import mindspore_compat as ms
from mindspore_compat import Tensor, communication, nn
from mindspore_compat.train import Model
from train.runs import Batches, Line, SquaredError
communication.init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", device_num=2, gradients_mean=True,
                             parameter_broadcast=True)
rank = communication.get_rank()
net = Line()
net.weight.set_data(Tensor(np.float32(1 + rank)))
row = np.full((2, 3), 1 + rank, np.float32)
Model(net, SquaredError(), nn.SGD(net.trainable_params(), 0.1)).train(1, Batches([row, row * 0]))
print(f"<{rank} {float(net.weight):.4f}>")
"""

# Each rank has half of the columns.
SLICES = """
import numpy as np
from mindspore_compat import Tensor, communication, nn
from mindspore_compat.train.serialization import _get_merged_param_data
communication.init()
rank = communication.get_rank()
half = Tensor(np.float32([[1, 2], [5, 6]]) + 2 * rank)
layouts = {"w": ([2], [-1, 0], [2, 2], 0, True, ""), "v": ([2], [-1, -1], [2, 2], 0, True, "")}
net = nn.Cell()
whole = _get_merged_param_data(net, layouts, "w", half, True)
assert _get_merged_param_data(net, layouts, "w", half, False) is half
assert _get_merged_param_data(net, layouts, "v", half, True) is half
print(f"<{rank} {whole.asnumpy().tolist()}>")
"""

# The rows of rank 1 overflow in the second of three batches; both ranks must skip that step.
OVERFLOW = """
import numpy as np
import mindspore_compat as ms
from mindspore_compat import communication, nn
from mindspore_compat.train import DynamicLossScaleManager, Model
from train.runs import Batches, Line, SquaredError
communication.init()
ms.set_auto_parallel_context(parallel_mode="data_parallel", device_num=2, gradients_mean=True)
rank = communication.get_rank()
net = Line()
row = np.full((2, 3), 1 + rank, np.float32)
large = np.full((2, 3), [1, np.inf][rank], np.float32)
optimizer = nn.SGD(net.trainable_params(), 0.01)
scale = DynamicLossScaleManager(2.0**8, 2, 2)
Model(net, SquaredError(), optimizer, loss_scale_manager=scale).train(
    1, Batches([row, row * 0], [large, large * 0], [row, row * 0]))
print(f"<{rank} {float(net.weight):.4f} {int(optimizer.global_step.asnumpy()[0])}>")
"""


def run_by_two(script):
    """The texts that two ranks print between angle brackets, in order."""
    return sorted(re.findall(r"<(.*?)>", output_of_ranks(2, "-c", script)))


def test_two_ranks_train_one_model():
    # Both start from rank 0's weight, 1; the gradients 2 and 8 have the mean 5.
    assert run_by_two(SCRIPT) == ["0 0.5000", "1 0.5000"]


def test_no_rank_takes_a_step_in_which_one_overflows():
    first, second = run_by_two(OVERFLOW)
    assert first.split()[2] == second.split()[2] == "2"
    assert first.split()[1] == second.split()[1] != "nan"


def test_slices_of_a_parameter_are_joined():
    whole = "[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]]"
    assert run_by_two(SLICES) == [f"0 {whole}", f"1 {whole}"]
