"""The costs of `parallel._cost_model_context`: stored and reported with MindSpore's checks."""

import pytest

from mindspore_compat.parallel import _cost_model_context as costs


@pytest.fixture(autouse=True)
def defaults():
    costs.reset_cost_model_context()
    yield
    costs.reset_cost_model_context()


def test_costs_are_kept_and_set_back():
    costs.set_cost_model_context(costmodel_alpha=2.5, run_phase=1)
    assert costs.get_cost_model_context("costmodel_alpha") == 2.5
    assert costs.cost_model_context().get_run_phase() == 1
    costs.cost_model_context().set_costmodel_beta(7.0)
    assert costs.get_cost_model_context("costmodel_beta") == 7.0
    costs.reset_cost_model_context()
    values = [costs.get_cost_model_context(f"costmodel_{name}") for name in ("alpha", "beta")]
    assert values == [1.0, 400.0]
    assert costs.get_cost_model_context("costmodel_gamma") == pytest.approx(0.001)


def test_flags_are_stored_and_reported():
    assert costs._get_multi_subgraphs() is costs._get_algo_single_loop() is False
    costs._set_multi_subgraphs()
    costs._set_algo_single_loop(True)
    costs._set_rp_matmul_mem_coef(2)
    assert costs._get_multi_subgraphs() is costs._get_algo_single_loop() is True
    assert costs._get_rp_matmul_mem_coef() == 2.0


WRONG = [
    ("costmodel_alpha", 1, TypeError),
    ("costmodel_alpha", "a", TypeError),
    ("costmodel_alpha", 0.0, RuntimeError),
    ("costmodel_gamma", 2.5, RuntimeError),
    ("costmodel_communi_bias", -1.0, RuntimeError),
    ("run_phase", 5, ValueError),
    ("run_phase", True, TypeError),
    ("costmodel_allreduce_fusion_times", 2.5, TypeError),
    ("device_memory_capacity", None, TypeError),
    ("unknown", 1, ValueError),
]


@pytest.mark.parametrize("name, value, error", WRONG)
def test_a_refused_cost_changes_nothing(name, value, error):
    with pytest.raises(error, match=name):
        costs.set_cost_model_context(costmodel_beta=3.0, **{name: value})
    assert costs.get_cost_model_context("costmodel_beta") == 400.0


def test_other_refusals():
    with pytest.raises(ValueError, match="unknown"):
        costs.get_cost_model_context("unknown")
    with pytest.raises(AttributeError):
        costs.cost_model_context().get_unknown()
    with pytest.raises(TypeError):
        costs._set_algo_single_loop(1)
    with pytest.raises(TypeError):
        costs._set_multi_subgraphs("a")
    with pytest.raises(RuntimeError):
        costs._set_rp_matmul_mem_coef(0)
