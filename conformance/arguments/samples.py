"""Objects that the documentation's examples use without defining them: LeNet5 and a small dataset,
built from the target's own layers.

The examples refer to files with these names. The network is the published one; the data are random.
"""

import numpy as np


def lenet(ms):
    """Returns the class LeNet5 on a target."""
    nn = ms.nn

    class LeNet5(nn.Cell):
        """Two convolution layers and three dense layers."""

        def __init__(self, num_class=10, num_channel=1):
            super().__init__()
            self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
            self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
            self.fc1 = nn.Dense(16 * 5 * 5, 120)
            self.fc2 = nn.Dense(120, 84)
            self.fc3 = nn.Dense(84, num_class)
            self.relu = nn.ReLU()
            self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
            self.flatten = nn.Flatten()

        def construct(self, x):
            x = self.max_pool2d(self.relu(self.conv1(x)))
            x = self.max_pool2d(self.relu(self.conv2(x)))
            x = self.relu(self.fc1(self.flatten(x)))
            return self.fc3(self.relu(self.fc2(x)))

    return LeNet5


def data(ms):
    """Returns the function create_dataset on a target."""

    def create_dataset(num_train=64, batch_size=32, **options):
        rng = np.random.default_rng(0)
        rows = [
            (rng.normal(size=(1, 32, 32)).astype(np.float32), np.int32(i % 10))
            for i in range(num_train)
        ]
        from mindspore import dataset  # the worker has installed the target under this name

        return dataset.GeneratorDataset(rows, ["image", "label"], shuffle=False).batch(batch_size)

    return create_dataset


# Names that an example may use without defining them.
MAKERS = {"LeNet5": lenet, "Net": lenet, "create_dataset": data}
