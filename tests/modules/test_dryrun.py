"""mindspore.utils.dryrun.mock: the value of a real run, that of a dry run, rejected calls."""

import numpy as np
import pytest

from mindspore_compat import Tensor
from mindspore_compat.utils import dryrun

ONES = Tensor(np.ones((3, 3), np.float32))


@pytest.fixture(autouse=True)
def real(monkeypatch):
    monkeypatch.delenv("MS_SIMULATION_LEVEL", raising=False)


@pytest.mark.parametrize(
    "arguments, expected",
    [
        ((ONES[0, 0] > 0.5,), True),
        (((ONES > 0.5).any,), True),
        ((3,), 3),
        ((max, 3, 4), 4),
        ((lambda: 7,), 7),
        (("x",), "x"),
    ],
)
def test_a_real_and_a_dry_run(monkeypatch, arguments, expected):
    assert dryrun.mock(5, *arguments) == expected
    monkeypatch.setenv("MS_SIMULATION_LEVEL", "1")
    assert dryrun.mock(5, *arguments) == 5


@pytest.mark.parametrize("arguments", [(), (3, 4)])
def test_refusals(arguments):
    with pytest.raises(TypeError, match="mock"):
        dryrun.mock(5, *arguments)


def test_set_simulation_makes_mock_return_the_substitutes(monkeypatch):
    monkeypatch.setenv("MS_SIMULATION_LEVEL", "")  # restored after the test
    monkeypatch.delenv("MS_SIMULATION_LEVEL")
    dryrun.set_simulation()
    assert dryrun.mock(True, ONES[0, 0] > 5) is True
