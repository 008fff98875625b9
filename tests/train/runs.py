"""Small datasets and networks for the tests of this folder; nothing here needs mindspore_compat.dataset."""

import numpy as np

from mindspore_compat import Parameter, Tensor, nn


class Batches:
    """A dataset of given batches, as far as Model wants one."""

    def __init__(self, *batches):
        self.batches = [[Tensor(column) for column in batch] for batch in batches]

    def get_dataset_size(self):
        return len(self.batches)

    def create_tuple_iterator(self, num_epochs=-1, do_copy=False):
        return self.batches


def batches(count=4, columns=2):
    """`count` batches of (2, 3) inputs 1, 2, ... and labels of zeros."""
    rows = [np.full((2, 3), number + 1, np.float32) for number in range(count)]
    return Batches(*([row, np.zeros((2, 3), np.float32)][:columns] for row in rows))


class Descent(nn.Cell):
    """A whole training step: takes 0.1 from its weight and returns weight * mean(inputs)."""

    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(1.0), name="weight")

    def construct(self, x, y):
        self.weight.set_data(Tensor(np.float32(self.weight.asnumpy() - 0.1)))
        return self.weight * x.mean()


class Compare(nn.Cell):
    """A network for evaluation: loss, prediction and label."""

    def construct(self, x, y):
        return x.mean(), x, y


class Told:
    """What the hooks of a callback were told, in order."""

    def __init__(self, base, hooks, wanted):
        told = self.lines = []

        def hook(name):
            def call(self, run_context):
                params = run_context.original_args()
                told.append((name, *(params.get(key) for key in wanted)))
            return call

        self.callback = type("Teller", (base,), {name: hook(name) for name in hooks})()
