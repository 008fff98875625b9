"""Layout, shard and the settings of the strategy search: stored, reported, rejected."""

import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, parallel

DEFAULTS = {
    "fully_use_devices": False,
    "elementwise_op_strategy_follow": False,
    "enable_algo_approxi": False,
    "algo_approxi_epsilon": 0.1,
    "tensor_slice_align_enable": False,
    "tensor_slice_align_size": 16,
}


@pytest.fixture(autouse=True)
def untouched():
    yield
    parallel.reset_algo_parameters()


def settings():
    return {name: parallel.get_algo_parameters(name) for name in DEFAULTS}


def test_settings_of_the_search_are_kept_and_reset():
    assert settings() == DEFAULTS
    changed = {
        "enable_algo_approxi": True,
        "algo_approxi_epsilon": 1.0,
        "tensor_slice_align_size": 1024,
    }
    parallel.set_algo_parameters(**changed)
    assert settings() == {**DEFAULTS, **changed}
    parallel.reset_algo_parameters()
    assert settings() == DEFAULTS


@pytest.mark.parametrize(
    "values, error",
    [
        ({"fully_use_devices": 1}, TypeError),
        ({"algo_approxi_epsilon": 1}, TypeError),
        ({"algo_approxi_epsilon": 0.0}, RuntimeError),
        ({"algo_approxi_epsilon": 2.0}, RuntimeError),
        ({"tensor_slice_align_size": 0}, ValueError),
        ({"tensor_slice_align_size": "x"}, TypeError),
        ({"x": 1}, ValueError),
    ],
)
def test_a_refused_setting_changes_nothing(values, error):
    with pytest.raises(error):
        parallel.set_algo_parameters(enable_algo_approxi=True, **values)
    assert settings() == DEFAULTS


def test_unknown_settings_are_not_reported():
    with pytest.raises(ValueError, match="key"):
        parallel.get_algo_parameters("x")


def test_layouts_tell_how_tensors_are_divided():
    layout = parallel.Layout((2, 3, 4), ("a", "b", "c"))
    found = layout(("a", "b"), "None", "c").to_dict()
    assert found == {
        "device_matrix": (2, 3, 4),
        "tensor_map": ((2, 1), -1, 0),
        "interleaved_parallel": False,
        "alias_name": ("a", "b", "c"),
        "rank_list": list(range(24)),
    }
    other = parallel.Layout((2,), ("interleaved_parallel",), [5, 6])
    assert other("interleaved_parallel").to_dict()["interleaved_parallel"]
    assert other("None").to_dict()["rank_list"] == [5, 6]
    with pytest.raises(ValueError, match="to_dict"):
        layout.to_dict()


@pytest.mark.parametrize(
    "arguments, error",
    [
        (((2, 2), ("a",)), ValueError),
        (([2], ("a",)), TypeError),
        (((2,), ["a"]), TypeError),
        (((2.0,), ("a",)), TypeError),
        (((2,), (5,)), TypeError),
        (((2, 2), ("a", "a")), ValueError),
        (((2,), ("None",)), ValueError),
        (((2,), ("",)), ValueError),
        (((2,), ("a",), (0, 1)), TypeError),
        (((2,), ("a",), [0.5]), TypeError),
    ],
)
def test_layouts_are_checked(arguments, error):
    with pytest.raises(error, match="Layout"):
        parallel.Layout(*arguments)


@pytest.mark.parametrize("names", [("x",), ("a", "a"), (("a", "a"),), (5,)])
def test_names_of_axes_are_checked(names):
    with pytest.raises(ValueError, match="names"):
        parallel.Layout((2, 2), ("a", "b"))(*names)


def test_functions_of_one_process_run_as_they_are():
    def double(x):
        return x * 2

    assert parallel.shard(double, ((1, 1),)).__name__ == "double"
    assert float(parallel.shard(double, (None,), ((1,),), {"w": (1,)})(Tensor(2.0))) == 4.0


@pytest.mark.parametrize("arguments", [(abs, 5), (abs, ((1,),), 5), (abs, ((1,),), None, 5)])
def test_strategies_are_checked_where_networks_are_divided(arguments):
    assert parallel.shard(*arguments) is abs
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    try:
        with pytest.raises(TypeError, match="shard"):
            parallel.shard(*arguments)
    finally:
        ms.reset_auto_parallel_context()


NEWER = {"convert_checkpoint_by_rank", "convert_checkpoints", "rank_list_for_convert"}


def test_the_names_are_at_the_top_too():
    for name in set(parallel.__all__) - NEWER:
        assert getattr(ms, name) is getattr(parallel, name)


def test_the_newer_names_are_not():
    assert NEWER < set(parallel.__all__) and not any(hasattr(ms, name) for name in NEWER)


def test_shard_returns_anything_where_nothing_is_divided():
    assert parallel.shard(3, ((1,),)) == 3
