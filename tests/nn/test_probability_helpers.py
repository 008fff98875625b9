"""Checks, casts and logarithms that scripts' own distributions import."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor
from mindspore_compat.experimental.optim.optimizer import (
    check_not_less_than,
    check_not_less_than_without_equal,
)
from mindspore_compat.nn.probability import _helpers as helpers
from mindspore_compat.nn.probability.distribution import normal

pytestmark = pytest.mark.quick


def test_logarithms_of_what_is_not_positive():
    found = helpers.log_generic(Tensor([-1.0, 0.0, 1.0])).asnumpy()
    assert np.isnan(found[0])
    assert found[1:].tolist() == [-np.inf, 0]
    assert helpers.exp_generic(Tensor([0, 1])).dtype == ms.float32


@pytest.mark.parametrize(
    "check, good, wrong",
    [(helpers.check_greater_zero, [1.0], [0.0]), (helpers.check_greater_equal_zero, [0.0], [-1.0])],
)
def test_checks_of_numbers(check, good, wrong):
    assert check(Tensor(good), "sd") is None
    with pytest.raises(ValueError, match="sd"):
        check(Tensor(wrong), "sd")


def test_checks_of_chances():
    helpers.check_prob(Tensor([0.5]))
    helpers.check_sum_equal_one(Tensor([[0.25, 0.75]]))
    for check, wrong in (
        (helpers.check_prob, [1.0]),
        (helpers.check_sum_equal_one, [0.5]),
        (helpers.check_rank, 0.5),
    ):
        with pytest.raises(ValueError, match="probs"):
            check(Tensor(wrong))
    with pytest.raises(ValueError, match="'a'"):
        helpers.check_greater(Tensor([2.0]), Tensor([1.0]), "a", "b")
    with pytest.raises(ValueError, match="Normal"):
        normal.check_distribution_name("Gamma", "Normal")


def test_types_of_parameters():
    assert helpers.cast_to_tensor(3).dtype == ms.float32
    with pytest.raises(TypeError):
        helpers.cast_to_tensor(True)
    half = Tensor([1.0], ms.float16)
    assert helpers.set_param_type({"a": half, "b": None}, ms.float32) == ms.float16
    assert helpers.set_param_type({"a": np.ones(1)}, ms.float16) == ms.float32
    with pytest.raises(TypeError, match="dtype"):
        helpers.set_param_type({"a": half, "b": Tensor([1.0])}, ms.float32)
    with pytest.raises(TypeError, match="Tensor"):
        helpers.CheckTensor()(3, "value")


def test_limits_of_optimizers():
    check_not_less_than(0.0, "lr", "Adam")
    with pytest.raises(ValueError, match="lr"):
        check_not_less_than_without_equal(0.0, "lr", "Adam")
