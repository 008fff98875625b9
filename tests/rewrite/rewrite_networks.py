"""The networks that the tests of `rewrite` parse: classes of a module, as users write them."""

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


class Digits(nn.Cell):
    """Two convolutions, and optionally three dense layers."""

    def __init__(self, classes=10, classifies=True):
        super().__init__()
        self.classifies = classifies
        self.stem = nn.Conv2d(1, 4, 5, pad_mode="valid")
        self.second = nn.Conv2d(4, 8, 5, pad_mode="valid")
        self.act, self.shrink, self.flat = nn.ReLU(), nn.MaxPool2d(2, 2), nn.Flatten()
        if classifies:
            self.wide, self.middle = nn.Dense(8 * 5 * 5, 30), nn.Dense(30, 20)
            self.last = nn.Dense(20, classes)

    def construct(self, x):
        x = self.stem(x)
        x = self.act(x)
        x = self.shrink(x)
        x = self.second(x)
        x = self.act(x)
        x = self.shrink(x)
        if not self.classifies:
            return x
        x = self.flat(x)
        x = self.act(self.wide(x))
        x = self.act(self.middle(x))
        x = self.last(x)
        return x


def shifted(a, by=1):
    """A user's function, whose statements become nodes, too."""
    size = ops.abs(a)
    return size + by


class SubNet(nn.Cell):
    """A user-defined Cell that another Cell contains."""

    def __init__(self):
        super().__init__()
        self.act = nn.ReLU()

    def construct(self, x):
        x = self.act(x)
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
    """Uses `super`, and a private name that Python mangles."""

    def __init__(self):
        super().__init__()
        self.__hidden = 3

    def construct(self, x):
        return super().construct(x) * self.__hidden
