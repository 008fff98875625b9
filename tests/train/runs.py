"""Small datasets and networks for the tests of this folder.

The datasets are not those of mindspore_compat.dataset, because Model needs less.
"""

import numpy as np

from mindspore_compat import Parameter, Tensor, nn
from mindspore_compat.train import Callback

HOOKS = [
    f"on_{kind}_{time}"
    for kind in ("train", "eval")
    for time in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
]


class Batches:
    """A dataset of given batches."""

    def __init__(self, *batches):
        self.batches = [[Tensor(column) for column in batch] for batch in batches]

    def get_dataset_size(self):
        return len(self.batches)

    def create_tuple_iterator(self, num_epochs=-1, do_copy=False):
        return self.batches

    def output_types(self):
        return [column.asnumpy().dtype for column in self.batches[0]]

    def output_shapes(self):
        return [list(column.shape) for column in self.batches[0]]


def batches(count=4, columns=2):
    """`count` batches of columns (2, 3): 1, 2, ... in the first, zeros in the second."""
    rows = [np.full((2, 3), number + 1, np.float32) for number in range(count)]
    return Batches(*([row, row * 0, row * 0][:columns] for row in rows))


class Descent(nn.Cell):
    """A complete training step: subtracts 1 from its weight, and returns the weight times the mean
    input."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.float32(10.0)), name="weight")

    def construct(self, x, y):
        self.weight.set_data(Tensor(np.float32(self.weight.asnumpy() - 1)))
        return self.weight * x.mean()


class Compare(nn.Cell):
    """A network for evaluation: loss, prediction and label."""

    def construct(self, x, y):
        return x.mean(), x, y


class SquaredError(nn.Cell):
    """The mean squared error."""

    def construct(self, x, y):
        return ((x - y) * (x - y)).mean()


class Line(nn.Cell):
    """x * weight, with weight 1 at the start."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.float32(1.0)), name="weight")

    def construct(self, x):
        return x * self.weight


class Teller(Callback):
    """A callback that records each call of a hook with some of its arguments."""

    def __init__(self, *wanted):
        self.wanted = wanted
        self.lines = []

    def __enter__(self):
        self.lines.append("enter")
        return self

    def __exit__(self, *err):
        self.lines.append(f"exit {err[0].__name__ if err[0] else None}")


def _hook(name):
    def hook(self, run_context):
        params = run_context.original_args()
        self.lines.append(" ".join([name, *(str(params.get(key)) for key in self.wanted)]))

    return hook


for _name in HOOKS:
    setattr(Teller, _name, _hook(_name))


class At(Callback):
    """A callback that calls given functions with the run's context at the named hooks."""

    def __init__(self, **hooks):
        for name, function in hooks.items():
            setattr(self, name, function)
