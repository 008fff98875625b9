"""mindspore.device_context and device_manager: which settings are stored, and what is rejected."""

import importlib
import os

import numpy as np
import pytest
from fakecupy import functions

import mindspore_compat as ms
from mindspore_compat._backend import arrays
from mindspore_compat._backend.cuda import cublas
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._core.context import config as contexts
from mindspore_compat.device_context import ascend, cpu, gpu
from mindspore_compat.device_context.cpu import op_tuning as cpu_tuning

MODULES = (ascend.op_debug, ascend.op_precision, ascend.op_tuning, gpu.op_precision, gpu.op_tuning)
KEPT = [
    (ascend.op_precision.precision_mode, ("force_fp16",), "ascend_config", "precision_mode"),
    (ascend.op_precision.op_precision_mode, ("a.ini",), "ascend_config", "op_precision_mode"),
    (ascend.op_precision.matmul_allow_hf32, (True,), "ascend_config", "matmul_allow_hf32"),
    (ascend.op_precision.conv_allow_hf32, (False,), "ascend_config", "conv_allow_hf32"),
    (ascend.op_tuning.op_compile, (True,), "ascend_config", "jit_compile"),
    (ascend.op_tuning.aclnn_cache, (True, 9), "ascend_config", "aclnn_cache"),
    (ascend.op_tuning.aoe_tune_mode, ("online",), None, "aoe_tune_mode"),
    (ascend.op_tuning.aoe_job_type, ("1",), "aoe_config", "job_type"),
    (ascend.op_debug.execute_timeout, (100,), None, "op_timeout"),
    (ascend.op_debug.debug_option, ("oom",), "ascend_config", "op_debug_option"),
    (ascend.op_debug.aclinit_config, ({"err_msg_mode": "1"},), "ascend_config", "aclinit"),
    (gpu.op_precision.matmul_allow_tf32, (True,), "gpu_config", "matmul_allow_tf32"),
    (gpu.op_precision.conv_allow_tf32, (False,), "gpu_config", "conv_allow_tf32"),
    (gpu.op_tuning.conv_fprop_algo, ("performance",), "gpu_config", "conv_fprop_algo"),
    (gpu.op_tuning.conv_wgrad_algo, ("algo_3",), "gpu_config", "conv_wgrad_algo"),
    (gpu.op_tuning.conv_dgrad_algo, ("fft",), "gpu_config", "conv_dgrad_algo"),
]


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setenv("CUPY_TF32", "0")
    monkeypatch.setattr(cublas, "tf32", {"matmul": False, "conv": False})
    for key in ("ascend_config", "gpu_config", "aoe_config", "aoe_tune_mode", "op_timeout"):
        monkeypatch.setattr(contexts.config, key, ms.get_context(key))
    for module in MODULES:
        monkeypatch.setattr(module, "function_status", dict.fromkeys(module.function_status, False))
    monkeypatch.setattr(cpu_tuning, "_done", [])


def reported(table, key):
    return ms.get_context(key) if table is None else ms.get_context(table)[key]


@pytest.mark.parametrize(
    "call, values, table, key", KEPT, ids=lambda each: getattr(each, "__name__", None)
)
def test_a_setting_is_stored_and_reported(call, values, table, key):
    module = importlib.import_module(call.__module__)
    assert module.function_status[call.__name__] is False
    call(*values)
    assert reported(table, key) == (values if len(values) > 1 else values[0])
    assert module.function_status[call.__name__] is True
    call(*values)


def test_another_value_is_refused():
    ascend.op_precision.precision_mode("force_fp16")
    with pytest.raises(RuntimeError, match="precision_mode"):
        ascend.op_precision.precision_mode("force_fp32")
    assert ms.get_context("ascend_config")["precision_mode"] == "force_fp16"


@pytest.mark.parametrize(
    "call, values, error",
    [
        (ascend.op_precision.precision_mode, ("other",), ValueError),
        (ascend.op_precision.precision_mode, (3,), TypeError),
        (ascend.op_precision.op_precision_mode, (3,), TypeError),
        (ascend.op_precision.matmul_allow_hf32, (1,), TypeError),
        (ascend.op_tuning.op_compile, (1,), TypeError),
        (ascend.op_tuning.aclnn_cache, (True, "a"), TypeError),
        (ascend.op_tuning.aclnn_cache, (True, -1), ValueError),
        (ascend.op_tuning.aoe_job_type, ("3",), ValueError),
        (ascend.op_debug.execute_timeout, ("a",), TypeError),
        (ascend.op_debug.execute_timeout, (-1,), ValueError),
        (ascend.op_debug.debug_option, ("x",), ValueError),
        (ascend.op_debug.aclinit_config, (3,), TypeError),
        (ascend.op_debug.aclinit_config, ({"x": "1"},), ValueError),
        (ascend.op_debug.aclinit_config, ({"max_opqueue_num": 1},), TypeError),
        (gpu.op_precision.conv_allow_tf32, (1,), TypeError),
        (gpu.op_tuning.conv_fprop_algo, ("algo_0",), ValueError),
    ],
)
def test_refusals_change_nothing(call, values, error):
    with pytest.raises(error, match=call.__name__):
        call(*values)
    assert not importlib.import_module(call.__module__).function_status[call.__name__]


def test_threads_of_the_cpu_are_set():
    before = scheduler.threads()
    for wrong, error in (("a", TypeError), (True, TypeError), (0, ValueError)):
        with pytest.raises(error, match="threads_num"):
            cpu_tuning.threads_num(wrong)
    try:
        cpu_tuning.threads_num(before + 2)
        assert scheduler.threads() == before + 2
        with pytest.raises(RuntimeError, match="threads_num"):
            cpu_tuning.threads_num(1)
    finally:
        scheduler.limit(0)
    assert scheduler.threads() == before


def test_devices(space):
    assert cpu.is_available() and cpu.device_count() == 1
    assert not ascend.is_available() and gpu.is_available() is ms.hal.is_available("GPU")
    with pytest.raises(RuntimeError, match="Ascend"):
        ascend.device_count()


def test_the_window_of_the_device():
    for name in ms.device_manager.__all__:
        assert getattr(ms.device_manager, name) is getattr(ms, name)


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
@pytest.mark.parametrize(
    "allow",
    [
        gpu.op_precision.matmul_allow_tf32,
        lambda value: ms.set_context(gpu_config={"matmul_allow_tf32": value}),
    ],
)
def test_products_of_float32_are_in_tf32_where_that_is_allowed(space, allow):
    x = ms.Tensor(np.ones((2, 2), np.float32))
    allow(True)
    ms.ops.matmul(x, x)
    assert functions.TF32 == [True]


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_tf32_after_the_first_product_is_warned_of(space, capsys):
    x = ms.Tensor(np.ones((2, 2), np.float32))
    gpu.op_precision.matmul_allow_tf32(False)
    ms.ops.matmul(x, x)
    assert functions.TF32 == [False]
    ms.set_context(gpu_config={"matmul_allow_tf32": True})
    assert "changes nothing" in capsys.readouterr().err
    assert os.environ["CUPY_TF32"] == "0"


def test_tf32_is_kept_for_a_gpu_that_is_chosen_later():
    assert arrays.allow_tf32(True)
    assert os.environ["CUPY_TF32"] == "1"


@pytest.mark.parametrize("purpose", ["matmul", "conv"])
def test_the_settings_of_tf32_reach_cublas(purpose):
    name = f"{purpose}_allow_tf32"
    other = "conv" if purpose == "matmul" else "matmul"
    ms.set_context(gpu_config={name: True})
    assert cublas.tf32 == {purpose: True, other: False}
    ms.set_context(gpu_config={name: False})
    getattr(gpu.op_precision, name)(True)
    assert cublas.tf32 == {purpose: True, other: False}
