"""If a step fails, its earlier writes are undone, whichever function wrote: in the first runs, in
the recorded run and in replays."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops

INDEX = Tensor([0], ms.int32)
WAYS = {
    "assign": lambda seen, loss: ops.assign(seen, seen + loss),
    "assign_add": lambda seen, loss: ops.assign_add(seen, seen + loss),
    "AssignSub": lambda seen, loss: ops.AssignSub()(seen, seen + loss),
    "an element": lambda seen, loss: seen.__setitem__(0, loss),
    "all elements": lambda seen, loss: seen.__setitem__(slice(None), seen + loss),
    "elements by a mask": lambda seen, loss: seen.__setitem__(seen > 0, loss),
    "a view": lambda seen, loss: seen[1:].add_(loss),
    "add_": lambda seen, loss: seen.add_(loss),
    "copy_": lambda seen, loss: seen.copy_(seen + loss),
    "scatter_add": lambda seen, loss: ops.scatter_add(seen, INDEX, loss.reshape(1)),
    "set_data": lambda seen, loss: seen.set_data(seen + loss),
    "assign_value": lambda seen, loss: seen.assign_value(seen + loss),
    "data": lambda seen, loss: setattr(seen, "data", seen + loss),
}


class Stop(BaseException):
    """Raised from outside."""


class Descent(nn.SGD):
    """Stochastic gradient descent that fails before it writes if a flag is set."""

    fails = False

    def construct(self, gradients):
        if self.fails:
            raise Stop
        return super().construct(gradients)


class Scaled(nn.Cell):
    def __init__(self):
        super().__init__()
        self.weight = Parameter(Tensor(np.ones(3, np.float32)), name="weight")

    def construct(self, x):
        return ((x * self.weight) ** 2).mean()


def step_of_a_cell(write, seen):
    """A TrainOneStepCell that writes between the gradients and the update."""

    class Step(nn.TrainOneStepCell):
        def __init__(self, *parts):
            super().__init__(*parts)
            self.seen = seen

        def construct(self, x):
            loss = self.network(x)
            gradients = self.grad(self.network, self.weights)(x, self.sens)
            write(self.seen, loss)
            return ops.depend(loss, self.optimizer(gradients))

    net = Scaled()
    return Step(net, Descent([net.weight], 0.1)).set_train()


def step_of_a_function(write, seen):
    """A jitted function that writes between the gradients and the update."""
    net = Scaled()
    optimizer = Descent([net.weight], 0.1)
    value_and_grad = ms.value_and_grad(net, None, [net.weight])

    @ms.jit
    def step(x):
        loss, gradients = value_and_grad(x)
        write(seen, loss)
        optimizer(gradients)
        return loss

    step.optimizer = optimizer
    return step


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
@pytest.mark.parametrize("make", [step_of_a_cell, step_of_a_function], ids=["cell", "jit"])
@pytest.mark.parametrize("way", WAYS)
def test_a_write_before_the_update_is_undone(way, make, mode):
    ms.set_context(mode=mode)
    x = Tensor(np.linspace(0.1, 1, 6).reshape(2, 3).astype(np.float32))
    for done in range(5):
        seen = Parameter(Tensor(np.full(3, 0.75, np.float32)), name="seen", requires_grad=False)
        step = make(WAYS[way], seen)
        for _ in range(done):
            step(x)
        before = seen.asnumpy().copy()
        step.optimizer.fails = True
        with pytest.raises(Stop):
            step(x)
        assert seen.asnumpy().tolist() == before.tolist(), done
        step.optimizer.fails = False
        step(x)
        assert seen.asnumpy().tolist() != before.tolist(), done
