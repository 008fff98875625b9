"""Every operator: gradients of first and second order against finite differences, and forward mode
against gradients. The census (tests/census) must have operands for every operator.

An operator without float inputs or outputs has no gradient. The other exemptions are in
census/exempt.py.
"""

import census
import numpy as np
import pytest
from kit.gradients import check_gradients, check_jvp

from mindspore_compat._core.gradients.transforms import grad, jvp
from mindspore_compat._core.tensor.tensor import Tensor

CASES = census.cases()


def op_of(label):
    return label.split(",")[0]


def differentiated(label):
    """The case's operator as a function of its float operands, and the operands; None if it has
    none."""
    case = CASES[label]
    positions = case.floats()
    others = [p for p in case.positions() if p not in positions]

    def function(*tensors):
        if case.symmetric:
            tensors = [(t + t.swapaxes(-1, -2)) / 2 for t in tensors]
        out = case.call(
            {**{p: Tensor(case.at(p)) for p in others}, **dict(zip(positions, tensors))}
        )
        return out if case.results is None else out[: case.results]

    return function, [case.at(p) for p in positions]


def asked(check):
    return [
        label
        for label, case in CASES.items()
        if case.floats() and not census.exempt_from(op_of(label), check)
    ]


def has_floats(function, arrays):
    """Returns False if no output is a float; then every derivative is zero."""
    return any(out._array.dtype.kind in "fc" for out in flat(function(*map(Tensor, arrays))))


def flat(outs):
    return outs if isinstance(outs, (tuple, list)) else (outs,)


def assert_all_zero(tensors):
    for tensor in flat(tensors):
        assert not tensor.asnumpy().any()


@pytest.mark.parametrize("name", census.table())
def test_the_census_has_operands(name):
    """A new op needs a documented call in the conformance specs or a line in census/lines_*.py."""
    reason = census.exempt_from(name, "operands")
    assert reason or any(op_of(label) == name for label in CASES), (
        f"no operands for {name}: give it a line in tests/census or a reason in census/exempt.py"
    )


def test_operands_are_small():
    """The tests make thousands of calls with the operands, and a documented example may have
    millions of elements."""
    sizes = {label: sum(case.at(p).size for p in case.positions()) for label, case in CASES.items()}
    assert {label: size for label, size in sizes.items() if size > 3000} == {}


def test_the_census_names_only_ops():
    named = {*census.LINES, *census.exempt.named()}
    assert sorted(named - set(census.table())) == []


@pytest.mark.parametrize("label", asked("gradient"))
def test_gradients_agree_with_differences(label):
    function, arrays = differentiated(label)
    order = 1 if census.exempt_from(op_of(label), "second") else 2
    with np.errstate(all="ignore"):
        if has_floats(function, arrays):
            check_gradients(function, *arrays, order=order)
        else:
            assert_all_zero(grad(function, tuple(range(len(arrays))))(*map(Tensor, arrays)))


@pytest.mark.parametrize("label", asked("gradient"))
def test_forward_mode(label):
    function, arrays = differentiated(label)
    with np.errstate(all="ignore"):
        if has_floats(function, arrays):
            check_jvp(function, *arrays)
        else:
            along = [Tensor(np.ones_like(array)) for array in arrays]
            assert_all_zero(jvp(function, tuple(map(Tensor, arrays)), tuple(along))[1])
