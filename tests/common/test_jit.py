"""The options that `jit` takes, and what it marks.

The results are those of MindSpore 2.10 on a CPU.
"""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn


@pytest.mark.parametrize(
    "options, error",
    [
        ({"jit_level": "O2"}, ValueError),
        ({"jit_level": 1}, ValueError),
        ({"disable_format_transform": 1}, TypeError),
        ({"exec_order": "abc"}, ValueError),
        ({"exec_order": 1}, TypeError),
        ({"infer_boost": "abc"}, ValueError),
        ({"infer_boost": True}, TypeError),
        ({"auto_offload": ""}, ValueError),
        ({"auto_offload": None}, TypeError),
        ({"exc_mode": 1}, ValueError),
        ({"backend": "GE", "exec_order": "abc"}, ValueError),
    ],
)
def test_options_that_are_refused(options, error):
    with pytest.raises(error, match=f"For 'jit', '{[*options][-1]}'"):
        ms.jit(abs, **options)


def test_options_that_are_taken():
    options = {
        "disable_format_transform": True,
        "exec_order": "dfs",
        "infer_boost": "on",
        "auto_offload": "all",
        "any_other": 3,
    }
    assert ms.jit(abs, backend="ms_backend", jit_level="O1", **options)(Tensor([-1])) == 1


def test_classes_are_marked():
    @ms.jit
    class Scaled(nn.Cell):
        """A Cell that scales."""

        def __init__(self, factor):
            super().__init__()
            self.factor = factor

        def construct(self, x):
            return (x * self.factor, range(2))

    assert isinstance(Scaled, type)
    assert Scaled(3)(Tensor([2])) == (Tensor([6]), (0, 1))

    @ms.jit(capture_mode="ast")
    class Added:
        """A class without Cell."""

        def __init__(self, number):
            self.number = number

        def __call__(self, x):
            return x + self.number

    assert isinstance(Added, type) and Added(3)(Tensor([2])) == 5
