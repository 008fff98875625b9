"""mindspore.parallel's private modules: what scripts read from the parallel settings."""

import pytest

import mindspore_compat as ms
from mindspore_compat.parallel import _utils
from mindspore_compat.parallel._auto_parallel_context import auto_parallel_context


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setenv("PMI_RANK", "1")
    monkeypatch.setenv("PMI_SIZE", "4")
    auto_parallel_context().reset()
    yield
    auto_parallel_context().reset()


def facts():
    return (
        _utils._get_device_num(),
        _utils._get_global_rank(),
        _utils._get_stage_device_num(),
        _utils._get_parallel_mode(),
        _utils._get_gradients_mean(),
        _utils._get_parameter_broadcast(),
    )


def test_stand_alone_is_one_device():
    assert facts() == (1, 0, 1, "stand_alone", False, False)


def test_what_is_not_set_is_the_launcher_s():
    ms.set_auto_parallel_context(parallel_mode="data_parallel")
    assert facts() == (4, 1, 4, "data_parallel", False, False)
    assert _utils._is_in_data_parallel_mode() and not _utils._is_in_auto_parallel_mode()
    assert ms.get_auto_parallel_context("device_num") == 1


def test_what_is_set_wins():
    ms.set_auto_parallel_context(
        parallel_mode="semi_auto_parallel",
        device_num=8,
        global_rank=3,
        gradients_mean=True,
        pipeline_stages=2,
    )
    assert facts() == (8, 3, 4, "semi_auto_parallel", True, False)
    assert _utils._is_in_auto_parallel_mode()
    ms.set_auto_parallel_context(device_num=1)
    assert _utils._get_device_num() == 1


def test_number_of_devices_is_checked():
    assert _utils._device_number_check("data_parallel", 8) is None
    with pytest.raises(ValueError, match="device_num"):
        _utils._device_number_check("stand_alone", 8)


def test_context_object_reads_and_sets_the_keys():
    context = auto_parallel_context()
    assert context is auto_parallel_context()
    assert context.get_device_num() == 1 and not context.get_device_num_is_set()
    context.set_device_num(4)
    assert context.get_device_num_is_set()
    assert ms.get_auto_parallel_context("device_num") == 4
    with pytest.raises(ValueError, match="parallel_mode"):
        context.set_parallel_mode("nonsense")
    with pytest.raises(AttributeError):
        context.get_nonsense()
    context.reset()
    assert context.get_device_num() == 1 and not context.get_device_num_is_set()


def test_fusion_is_kept_by_group():
    context = auto_parallel_context()
    assert context.get_all_reduce_fusion_split_indices() == []
    context.set_all_reduce_fusion_split_indices([1, 5])
    context.set_all_reduce_fusion_split_indices([3], "g")
    context.set_all_reduce_fusion_split_sizes([16])
    context.set_enable_all_reduce_fusion(True)
    assert context.get_all_reduce_fusion_split_indices() == [1, 5]
    assert context.get_all_reduce_fusion_split_indices("g") == [3]
    assert context.get_all_reduce_fusion_split_sizes() == [16]
    assert context.get_enable_all_reduce_fusion() is True
    with pytest.raises(ValueError, match="twice"):
        context.set_all_reduce_fusion_split_indices([1, 1])
    with pytest.raises(TypeError, match="indices"):
        context.set_all_reduce_fusion_split_indices("a")
    context.reset()
    assert context.get_all_reduce_fusion_split_indices() == []
