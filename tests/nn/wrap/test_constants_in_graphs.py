"""Numbers that a step writes out, as in `Tensor([0, 1])`, are constants of its CUDA graph."""

import pytest
from fakecupy import rawkernels
from kit.steps import plain_step, runs

import mindspore_compat as ms
from mindspore_compat import nn, ops
from mindspore_compat._backend import arrays
from mindspore_compat.common._graph_mode import steps

pytestmark = [
    pytest.mark.usefixtures("capture_allowed"),
    pytest.mark.parametrize(
        "space", ["fakecupy", *["cupy"] * arrays.gpu_available()], indirect=True
    ),
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]


@pytest.fixture
def logged(monkeypatch):
    """The warnings about steps that are not captured."""
    found = []
    monkeypatch.setattr(steps.log, "warning", lambda text, *args, **options: found.append(text))
    return found


class Between(nn.Cell):
    """A function between the layers of a network."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, x):
        return self.function(x)


def rows(x):
    """Rows at positions that Python counts: each is another table."""
    return x + ops.stack([x[ms.Tensor([row])] for row in range(2)]).sum()


def written(x):
    """A constant that the step writes to: a replay begins with its first value."""
    shift = ms.Tensor([0.5, 0.25, 0, 1] * 2, x.dtype)
    shift[1] += 2.0
    return x + shift


def scalars(x):
    return x * ms.Tensor(0.5) + ms.tensor(True).astype(x.dtype) * ms.Tensor([[1, 2]]).sum()


@pytest.mark.parametrize("function", [rows, written, scalars])
def test_numbers_that_a_step_writes_out_are_captured(space, function, logged):
    def step(cell):
        cell.backbone_network.between = Between(function)
        return plain_step(cell)

    eager, captured = runs(make_step=step)
    captured.same_as(eager)
    assert logged == []


def test_a_long_list_is_not_kept(space, logged):
    def step(cell):
        cell.backbone_network.between = Between(lambda x: x + ms.Tensor([1.0] * 8000).sum())
        return plain_step(cell)

    eager, captured = runs(make_step=step)
    captured.same_as(eager)
    assert len(logged) == 1 and "a copy from the host's memory" in logged[0]
