"""The networks that the tests of `rewrite` read: classes of a module, as users write them."""

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


class LeNet5(nn.Cell):
    """The network of the documentation's examples."""

    def __init__(self, num_class=10, num_channel=1, include_top=True):
        super().__init__()
        self.conv1 = nn.Conv2d(num_channel, 6, 5, pad_mode="valid")
        self.conv2 = nn.Conv2d(6, 16, 5, pad_mode="valid")
        self.relu = nn.ReLU()
        self.max_pool2d = nn.MaxPool2d(kernel_size=2, stride=2)
        self.include_top = include_top
        if self.include_top:
            self.flatten = nn.Flatten()
            self.fc1 = nn.Dense(16 * 5 * 5, 120)
            self.fc2 = nn.Dense(120, 84)
            self.fc3 = nn.Dense(84, num_class)

    def construct(self, x):
        x = self.conv1(x)
        x = self.relu(x)
        x = self.max_pool2d(x)
        x = self.conv2(x)
        x = self.relu(x)
        x = self.max_pool2d(x)
        if not self.include_top:
            return x
        x = self.flatten(x)
        x = self.relu(self.fc1(x))
        x = self.relu(self.fc2(x))
        x = self.fc3(x)
        return x


def shifted(a, by=1):
    """A function of the user, which is read."""
    size = ops.abs(a)
    return size + by


class SubNet(nn.Cell):
    """A Cell of the user within another."""

    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x):
        x = self.relu(x)
        return x


class Mixed(nn.Cell):
    """Statements of every kind."""

    def __init__(self, n=2):
        super().__init__()
        self.sub = SubNet()
        self.seq = nn.SequentialCell(nn.Dense(3, 3), nn.ReLU(), SubNet())
        self.blocks = nn.CellList([nn.Dense(3, 3), nn.ReLU()])
        self.add = ops.Add()
        self.n = n
        self.w = ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="w")

    def multiplied(self, x, y):
        z = x * y
        return z

    def construct(self, x, y=None, *args, **kwargs):
        a, b = x, self.w
        x = self.sub(x)
        x = self.seq(x)
        z = self.add(x, b)
        z += 1
        q = -z * (a + 2) ** 2
        for block in self.blocks:
            z = block(z)
        if self.n > 1 and x.ndim == 2:
            z = z + 1
        else:
            z = z - 1
        while self.n > 5:
            z = z * 2
        z = self.multiplied(z, q)
        z = shifted(z, by=2)
        parts = (z, q)
        first = parts[0]
        total = first.sum(axis=1)
        table = {"a": z}
        listed = [each for each in parts]
        with ms._no_grad():
            total = total + 0
        return table["a"], listed[1], total if self.n else None


class Base(nn.Cell):
    """What Derived's `super` means."""

    def construct(self, x):
        return x + 1


class Derived(Base):
    """Uses `super` and a name that Python changes."""

    def __init__(self):
        super().__init__()
        self.__hidden = 3

    def construct(self, x):
        return super().construct(x) * self.__hidden
