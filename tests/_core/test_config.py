"""The context: values that are accepted, rejected and reported, compared with MindSpore 2.10."""

import os
import random

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import context
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cublas
from mindspore_compat._backend.random import streams
from mindspore_compat._core.context import config as module
from mindspore_compat._core.context.config import (
    TABLE,
    config,
    get_seed,
    set_recursion_limit,
    set_seed,
)
from mindspore_compat._core.context.parallel_config import PARALLEL


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    """Every test starts from, and leaves, the defaults."""
    monkeypatch.setattr(cublas, "tf32", dict(cublas.tf32))
    saved = arrays._target, streams.default.state(), np.random.get_state(), random.getstate()
    yield
    config.reset()
    config.parallel.reset()
    config.ps.reset()
    config.seed = None
    arrays._target = saved[0]
    arrays.block(False)
    streams.default.restore(saved[1])
    np.random.set_state(saved[2])
    random.setstate(saved[3])


# key, default as reported, values taken (with what is reported where that differs), of the wrong
# type, of the wrong value
CONTEXT = [
    ("mode", 1, [0, 1, (True, 1), (False, 0)], [1.5, "a", {}], [2, -1]),
    (
        "device_target",
        "CPU",
        ["CPU", "GPU", "Ascend", ("Davinci", "Ascend")],
        [1, True, {}],
        ["cpu", ""],
    ),
    ("device_id", 0, [0, 7, 4095], [1.5, "1", None], [-1, 4096]),
    ("deterministic", "OFF", ["ON", "OFF"], [True, 1], ["on", ""]),
    ("max_call_depth", 1000, [1, 10**6, (True, 1)], [1.5, "1", None], [0, -1]),
    ("save_graphs", 0, [(True, 2), (False, 0), 1, 3], [1.5, "1", None], [4, 100]),
    ("save_graphs_path", ".", [(".", os.getcwd()), ("/tmp/x", "/tmp/x")], [1, None], [""]),
    ("pynative_synchronize", False, [True, False], [1, "a", None], []),
    ("jit_syntax_level", 2, [0, 1, 2], [1.5, "a"], [3, -1]),
    ("jit_config", {}, [{}, {"jit_level": "O0"}], [1, "a", None], [{"a": 1}, {"jit_level": "O9"}]),
    ("jit_level", "", ["O0", "O1", "O2"], [1, None], []),
    ("exec_order", "bfs", ["bfs", "dfs"], [], ["a", ""]),
    ("debug_level", 0, [0, 1], [1.5, "a"], [2, -1]),
    ("reserve_class_name_in_scope", True, [False, True], [1, "a"], []),
    ("check_bprop", False, [True], [1, None], []),
    ("enable_reduce_precision", True, [False], [1, "a"], []),
    ("enable_graph_kernel", False, [True], [1, None], []),
    ("graph_kernel_flags", "", ["--opt_level=2"], [1, None], []),
    ("enable_compile_cache", None, [True], [1, None, "a"], []),
    ("compile_cache_path", "", ["./x"], [1, None], []),
    (
        "max_device_memory",
        1024.0,
        [("3.5GB", 3.5), ("10GB", 10.0), ("0.5GB", 0.5)],
        [1, 1.5, {}],
        ["0GB", "1gb", "1", "GB", "-1GB", "1GBx"],
    ),
    ("mempool_block_size", 1.0, [("2GB", 2.0)], [1, None], ["a"]),
    ("variable_memory_max_size", "0", [("6GB", str(6 * 2**30))], [1, None], ["6"]),
    ("memory_optimize_level", 0, [("O0", 0), ("O1", 1)], [], ["O2", ""]),
    ("runtime_num_threads", 30, [0, 1, 16], [1.5, "a", None], [-1]),
    ("inter_op_parallel_num", 0, [0, 4], [1.5, "a", None], [-1]),
    ("op_timeout", 900, [0, 100], [1.5, "a", None], [-1]),
    ("disable_format_transform", False, [True, (None, False)], [1, "a"], []),
    ("aoe_tune_mode", "", ["online", "offline"], [1, True], ["a", ""]),
    ("aoe_config", {}, [{"job_type": "2"}], [1, None], [{"a": 1}]),
    (
        "ascend_config",
        {},
        [{"precision_mode": "force_fp32", "jit_compile": True}],
        [1, "a"],
        [{"a": 1}, {"precision_mode": "x"}],
    ),
    (
        "gpu_config",
        {},
        [{"conv_fprop_algo": "performance", "conv_allow_tf32": True}],
        [1, "a"],
        [{"conv_fprop_algo": "x"}],
    ),
    ("print_file_path", "", ["print.pb"], [1, {}], []),
    ("support_binary", False, [True], [1, None], []),
]
PARALLEL_CASES = [
    (
        "parallel_mode",
        "stand_alone",
        ["data_parallel", "hybrid_parallel", "auto_parallel"],
        [1, True, None],
        ["a", ""],
    ),
    ("device_num", 1, [8, 4096, (True, 1)], [1.5, "8", None], [0, -1]),
    ("global_rank", 0, [0, 4095, (False, 0)], [1.5, "a", None], [-1, 4096]),
    ("gradients_mean", False, [True, (None, False)], [1, "a"], []),
    ("parameter_broadcast", False, [True], [1, "a"], []),
    ("gradient_fp32_sync", True, [False], [1, "a"], []),
    ("loss_repeated_mean", True, [False], [1, None], []),
    ("search_mode", "recursive_programming", ["sharding_propagation"], [1, None], ["a"]),
    ("enable_parallel_optimizer", False, [True], [1, None], []),
    ("all_reduce_fusion_config", [], [[8, 160]], [1, "a", (1,), ["a"]], [[], [3, 1], [1, 1]]),
    (
        "dataset_strategy",
        "data_parallel",
        ["full_batch", (((1, 8), (1, 8)), [[1, 8], [1, 8]])],
        [1, None, [], (1,), ((1, "a"),)],
        ["a"],
    ),
    ("full_batch", False, [True, (None, False)], [1, "a"], []),
    ("pipeline_stages", 1, [1, 2], [True, 1.5, None], [0, -1]),
    ("grad_accumulation_step", 1, [1], [True, 1.5], [0, 2]),
    ("optimizer_weight_shard_size", -1, [2, 8, (1, -1)], [True, None, "a"], []),
    ("communi_parallel_mode", "all_group_parallel", ["no_group_parallel"], [1, None], ["a"]),
    ("strategy_ckpt_load_file", "", ["./a.ckpt"], [1, None], []),
    ("dump_local_norm", False, [True, (1, True), (None, False)], ["a", []], []),
    ("force_fp32_communication", False, [True], [1, None], []),
]


@pytest.mark.parametrize(
    "key, default, taken, wrong_type, wrong_value", CONTEXT, ids=[case[0] for case in CONTEXT]
)
def test_context_values(key, default, taken, wrong_type, wrong_value):
    check_values(
        context.set_context, context.get_context, key, default, taken, wrong_type, wrong_value
    )


@pytest.mark.parametrize(
    "key, default, taken, wrong_type, wrong_value",
    PARALLEL_CASES,
    ids=[case[0] for case in PARALLEL_CASES],
)
def test_parallel_values(key, default, taken, wrong_type, wrong_value):
    check_values(
        context.set_auto_parallel_context,
        context.get_auto_parallel_context,
        key,
        default,
        taken,
        wrong_type,
        wrong_value,
    )


def check_values(set_, get, key, default, taken, wrong_type, wrong_value):
    """Defaults are reported. Valid values are accepted and reported back; invalid ones are refused
    without effect."""
    assert get(key) == default
    for each in taken:
        given, reported = each if type(each) is tuple else (each, each)
        set_(**{key: given})
        assert get(key) == reported and type(get(key)) is type(reported)
    before = get(key)
    for error, values in ((TypeError, wrong_type), (ValueError, wrong_value)):
        for value in values:
            with pytest.raises(error):
                set_(**{key: value})
            assert get(key) == before


def test_every_key_of_the_tables_is_reported_or_only_set():
    for table, get in ((TABLE, context.get_context), (PARALLEL, context.get_auto_parallel_context)):
        for key, setting in table.items():
            if setting.readable:
                assert get(key) == setting.default
            else:
                with pytest.raises(ValueError, match=f"'{key}'"):
                    get(key)


def test_unknown_keys():
    for set_, get in (
        (context.set_context, context.get_context),
        (context.set_auto_parallel_context, context.get_auto_parallel_context),
        (context.set_ps_context, context.get_ps_context),
    ):
        with pytest.raises(ValueError, match="no_key"):
            set_(no_key=1)
        with pytest.raises(ValueError, match="no_key"):
            get("no_key")
        with pytest.raises(TypeError if get is context.get_context else ValueError):
            get(1)
    with pytest.raises(TypeError):
        context.set_context(1)
    for removed in ("memory_offload", "grad_for_scalar", "precompile_only"):
        with pytest.raises(ValueError):
            context.set_context(**{removed: True})


def test_a_refused_call_changes_nothing():
    with pytest.raises(ValueError):
        context.set_context(mode=0, max_call_depth=-1)
    with pytest.raises(TypeError, match="'max_call_depth'"):
        context.set_context(mode=7, max_call_depth="a")
    assert context.get_context("mode") == 1


def test_keys_of_other_versions_are_taken_and_not_reported():
    context.set_context(
        auto_tune_mode="RL,GA", enable_sparse=True, enable_auto_mixed_precision=True
    )
    with pytest.raises(ValueError):
        context.get_context("auto_tune_mode")


def test_refusals_inside_a_dict_name_the_key():
    with pytest.raises(TypeError, match=r"'ascend_config\['jit_compile'\]' must be a bool, but"):
        context.set_context(ascend_config={"jit_compile": 1})
    with pytest.raises(ValueError, match="keys of 'jit_config' must be among 'jit_level'"):
        context.set_context(jit_config={"level": 1})


def test_env_config_path_names_a_json_file(tmp_path):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text("{}")
    bad.write_text("{")
    context.set_context(env_config_path=str(good))
    assert context.get_context("env_config_path") == str(good)
    for path in (bad, tmp_path / "absent.json", tmp_path):
        with pytest.raises(ValueError, match="env_config_path"):
            context.set_context(env_config_path=str(path))


# Devices ------------------------------------------------------------------------------------------


@pytest.fixture
def calls(monkeypatch):
    """Records the targets that the backend receives, and the warnings; `gpu` says whether a GPU is
    present."""
    seen = {"target": [], "warnings": [], "gpu": False}
    monkeypatch.setattr(arrays, "gpu_available", lambda: seen["gpu"])
    monkeypatch.setattr(arrays, "set_target", lambda *args: seen["target"].append(args))
    monkeypatch.setattr(module.log, "warning", lambda *args: seen["warnings"].append(args))
    monkeypatch.setattr(module, "_warned_of_cpu", False)
    return seen


@pytest.mark.parametrize("target", ["GPU", "Ascend"])
def test_accelerator_without_a_gpu_is_the_cpu_with_one_warning(calls, target):
    context.set_context(device_target=target)
    context.set_context(device_target=target, device_id=2)
    assert calls["target"] == [("CPU",), ("CPU",)] and len(calls["warnings"]) == 1
    assert context.get_context("device_target") == target


@pytest.mark.parametrize("target", ["GPU", "Ascend"])
def test_accelerator_with_a_gpu_is_the_gpu(calls, target):
    calls["gpu"] = True
    context.set_context(device_target=target)
    context.set_context(device_id=1)
    context.set_context(mode=0)
    context.set_context(device_target="CPU")
    assert calls["target"] == [("GPU", 0), ("GPU", 1), ("CPU",)] and not calls["warnings"]


def test_a_device_that_fails_is_not_set(monkeypatch):
    def fail(*args):
        raise RuntimeError("no such device")

    monkeypatch.setattr(arrays, "gpu_available", lambda: True)
    monkeypatch.setattr(arrays, "set_target", fail)
    with pytest.raises(RuntimeError):
        context.set_context(device_target="GPU", device_id=99, mode=0)
    with pytest.raises(RuntimeError):
        context.set_device("GPU", 99)
    assert context.get_current_device() == ("CPU", 0) and context.get_context("mode") == 1


def test_the_number_reaches_the_gpu(space):
    if space is arrays.HOST:
        pytest.skip("no GPU")
    context.set_device("GPU", 0)
    with pytest.raises(RuntimeError):
        context.set_context(device_target="GPU", device_id=4000)
    assert arrays.current_space() is space and context.get_current_device() == ("GPU", 0)


def test_set_device(calls):
    calls["gpu"] = True
    context.set_device("Ascend", 3)
    current = context.get_current_device()
    assert current == ("Ascend", 3) and repr(current) == "('Ascend', 3)"
    assert (current.device_target, current.device_id) == ("Ascend", 3)
    context.set_device("GPU")
    assert calls["target"] == [("GPU", 3), ("GPU", 0)]
    assert context.get_context("device_id") == 0
    for error, given in (
        (ValueError, ("cpu",)),
        (TypeError, (1,)),
        (TypeError, ("CPU", "0")),
        (ValueError, ("CPU", -1)),
        (TypeError, ()),
    ):
        with pytest.raises(error):
            context.set_device(*given)


# Seeds and single setters -------------------------------------------------------------------------


def test_seed_reaches_every_stream():
    assert get_seed() is None
    set_seed(5)
    drawn = np.random.rand(), random.random(), streams.default.state()
    assert get_seed() == 5
    np.random.seed(5)
    random.seed(5)
    assert drawn == (np.random.rand(), random.random(), (5, 0))
    for error, given in (
        (ValueError, -1),
        (ValueError, 2**32),
        (TypeError, 1.5),
        (TypeError, True),
        (TypeError, None),
    ):
        with pytest.raises(error):
            set_seed(given)
    assert get_seed() == 5


def test_single_setters():
    context.set_deterministic(True)
    assert context.get_context("deterministic") == "ON"
    context.set_deterministic(False)
    assert context.get_context("deterministic") == "OFF"
    set_recursion_limit(50)
    assert context.get_context("max_call_depth") == 50
    set_recursion_limit()
    assert context.get_context("max_call_depth") == 1000
    context.set_context(jit_config={"jit_level": "O1"})
    assert context.get_jit_config() == {"jit_level": "O1"}
    assert context.get_context("jit_level") == "O1"
    for call, given, error in (
        (context.set_deterministic, 1, TypeError),
        (set_recursion_limit, 0, ValueError),
        (set_recursion_limit, True, TypeError),
    ):
        with pytest.raises(error):
            call(given)


# Several devices ----------------------------------------------------------------------------------


def test_reset_restores_every_parallel_value():
    context.set_auto_parallel_context(
        device_num=8,
        global_rank=3,
        gradients_mean=True,
        parallel_mode=context.ParallelMode.DATA_PARALLEL,
    )
    assert config.parallel.device_num == 8 and config.parallel.gradients_mean
    context.reset_auto_parallel_context()
    assert config.parallel.device_num == 1 and config.parallel.parallel_mode == "stand_alone"


def test_values_that_follow_from_others():
    get = context.get_auto_parallel_context
    context.set_auto_parallel_context(full_batch=True)
    assert get("dataset_strategy") == "full_batch" and get("full_batch_is_set")
    context.set_auto_parallel_context(dataset_strategy="data_parallel")
    assert get("full_batch") is False
    context.set_auto_parallel_context(auto_parallel_search_mode="sharding_propagation")
    assert get("search_mode") == "sharding_propagation"
    context.set_auto_parallel_context(strategy_ckpt_config={"load_file": "./a"})
    assert get("strategy_ckpt_config") == {
        "load_file": "./a",
        "save_file": "",
        "only_trainable_params": True,
    }
    context.set_auto_parallel_context(
        pipeline_config={"pipeline_interleave": True, "pipeline_scheduler": "gpipe"},
        parallel_optimizer_config={"optimizer_weight_shard_size": 4},
    )
    assert get("pipeline_interleave") and get("pipeline_scheduler") == "gpipe"
    assert get("optimizer_weight_shard_size") == 4


def test_values_that_only_follow_cannot_be_set():
    for key in ("pipeline_interleave", "pipeline_scheduler", "full_batch_is_set"):
        with pytest.raises(ValueError, match=key):
            context.set_auto_parallel_context(**{key: True})


def test_communication_fusion():
    whole = {"mode": "auto", "config": None}
    context.set_auto_parallel_context(comm_fusion={"allreduce": {"mode": "size", "config": 32}})
    assert context.get_auto_parallel_context("comm_fusion") == {
        "openstate": True,
        "allreduce": {"mode": "size", "config": 32},
        "allgather": whole,
        "reducescatter": whole,
    }
    for error, given in (
        (KeyError, {"a": 1}),
        (TypeError, {"openstate": 1}),
        (TypeError, {"allreduce": 1}),
        (KeyError, {"allreduce": {"mode": "auto"}}),
        (TypeError, 1),
        (TypeError, None),
        (KeyError, {"allreduce": {"mode": "x", "config": 1}}),
        (KeyError, {"allgather": {"mode": "index", "config": [1]}}),
        (ValueError, {"allreduce": {"mode": "size", "config": -1}}),
        (TypeError, {"allreduce": {"mode": "size", "config": "a"}}),
    ):
        with pytest.raises(error):
            context.set_auto_parallel_context(comm_fusion=given)


@pytest.mark.parametrize(
    "error, given",
    [
        (ValueError, dict(parallel_optimizer_config={"a": 1})),
        (ValueError, dict(parallel_optimizer_config={"parallel_optimizer_threshold": -1})),
        (TypeError, dict(parallel_optimizer_config={"parallel_optimizer_threshold": 1.5})),
        (ValueError, dict(parallel_optimizer_config={"optimizer_level": "level9"})),
        (TypeError, dict(parallel_optimizer_config={"gradient_accumulation_shard": 1})),
        (
            ValueError,
            dict(
                parallel_optimizer_config={
                    "optimizer_level": "level3",
                    "gradient_accumulation_shard": True,
                }
            ),
        ),
        (KeyError, dict(pipeline_config={})),
        (KeyError, dict(pipeline_config={"pipeline_interleave": True})),
        (
            ValueError,
            dict(pipeline_config={"pipeline_interleave": True, "pipeline_scheduler": "z"}),
        ),
        (TypeError, dict(pipeline_config={"pipeline_interleave": 1, "pipeline_scheduler": "1f1b"})),
        (TypeError, dict(strategy_ckpt_config={"load_file": 1})),
        (ValueError, dict(strategy_ckpt_config={"a": 1})),
    ],
)
def test_parallel_dicts_are_checked(error, given):
    with pytest.raises(error):
        context.set_auto_parallel_context(**given)


def test_parallel_modes():
    mode = context.ParallelMode
    assert mode.MODE_LIST == [
        "stand_alone",
        "data_parallel",
        "hybrid_parallel",
        "semi_auto_parallel",
        "auto_parallel",
    ]
    assert mode.SEMI_AUTO_PARALLEL == "semi_auto_parallel"


def test_parameter_server_values():
    assert context.get_ps_context("enable_ps") is False
    context.set_ps_context(enable_ps=True, enable_ssl=True, client_password="", server_password="")
    assert context.get_ps_context("enable_ps") and context.get_ps_context("enable_ssl")
    for error, given in ((TypeError, dict(enable_ps=1)), (TypeError, dict(config_file_path=1))):
        with pytest.raises(error):
            context.set_ps_context(**given)
    with pytest.raises(ValueError):
        context.get_ps_context("client_password")
    context.reset_ps_context()
    assert context.get_ps_context("enable_ps") is False


def test_public_objects_name_their_module():
    for name in context.__all__:
        if callable(getattr(context, name)):
            assert getattr(context, name).__module__ == "mindspore_compat.context"


@pytest.mark.parametrize(
    "change", [ms.set_deterministic, lambda on: ms.set_context(deterministic="ON" if on else "OFF")]
)
def test_the_environment_tells_whether_results_are_deterministic(change, monkeypatch):
    monkeypatch.delenv("HCCL_DETERMINISTIC", raising=False)
    monkeypatch.delenv("TE_PARALLEL_COMPILER", raising=False)
    change(True)
    assert os.environ["HCCL_DETERMINISTIC"] == "true"
    assert os.environ["TE_PARALLEL_COMPILER"] == "1"
    change(False)
    assert "HCCL_DETERMINISTIC" not in os.environ and "TE_PARALLEL_COMPILER" not in os.environ
