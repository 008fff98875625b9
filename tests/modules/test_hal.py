"""mindspore.hal and mindspore.runtime: devices, memory, streams and events."""

import time

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, hal, runtime
from mindspore_compat._backend import arrays


def test_which_devices_there_are(space):
    on_gpu = space is not arrays.HOST
    assert hal.is_available("CPU") and not hal.is_available("Ascend")
    assert hal.is_available("GPU") is arrays.gpu_available()
    assert hal.is_initialized("GPU") is on_gpu and hal.is_initialized("CPU") is not on_gpu
    assert hal.device_count() >= 1 and hal.device_count("CPU") == 1


def test_what_devices_are(space):
    assert hal.get_device_name(0, "CPU") == "CPU"
    for ask in (hal.get_device_properties, hal.get_device_capability):
        assert ask(0, "CPU") is None
    assert hal.get_arch_list("CPU") is None
    if space is arrays.HOST:
        return
    found = hal.get_device_properties(0)
    assert found.name == hal.get_device_name(0) and found.total_memory > 1 << 30
    assert hal.get_device_capability(0) == (found.major, found.minor)
    assert f"sm_{found.major}{found.minor}" in hal.get_arch_list()


@pytest.mark.parametrize(
    "call",
    [
        lambda: hal.is_available("XPU"),
        lambda: hal.is_available(5),
        lambda: hal.device_count("Ascend"),
        lambda: hal.get_device_name(1, "CPU"),
        lambda: hal.get_device_name(-1, "CPU"),
        lambda: hal.get_device_properties(0, "Ascend"),
        lambda: hal.memory_allocated("XPU"),
        lambda: hal.is_initialized("gpu"),
        lambda: hal.get_arch_list("Ascend"),
        lambda: hal.memory_stats("Ascend"),
        lambda: hal.max_memory_allocated("XPU"),
        lambda: hal.reset_peak_memory_stats("Ascend"),
    ],
)
def test_unknown_devices_are_refused(call):
    with pytest.raises(ValueError, match="For 'hal"):
        call()


def test_arguments_are_refused():
    for call in (
        lambda: hal.get_device_name("0"),
        lambda: hal.Event(1),
        lambda: hal.Event(True, 1),
        lambda: hal.Stream("1"),
        lambda: hal.set_cur_stream(5),
        lambda: hal.StreamCtx(5),
        lambda: hal.Stream().wait_event(5),
        lambda: hal.Stream().wait_stream(5),
        lambda: hal.Stream().record_event(5),
        lambda: hal.Event().record(5),
        lambda: hal.Event().elapsed_time(5),
    ):
        with pytest.raises(TypeError):
            call()


def test_memory(space):
    alive = Tensor(np.zeros(1000, np.float32))
    assert hal.memory_reserved() >= hal.memory_allocated() >= 0
    assert runtime.memory_allocated() == hal.memory_allocated()
    assert runtime.memory_reserved() == hal.memory_reserved()
    assert hal.memory_allocated("CPU") == hal.memory_reserved("CPU") == 0
    hal.empty_cache()
    assert alive.shape == (1000,)


def test_streams(space):
    stream, other = hal.Stream(), hal.Stream(priority=-1)
    before = hal.current_stream()
    assert before == hal.default_stream() == hal.communication_stream()
    with hal.StreamCtx(stream):
        total = ms.ops.sum(Tensor([1.0, 2.0]))
    with hal.StreamCtx(None):
        assert hal.current_stream() == before
    assert hal.current_stream() == before
    event = stream.record_event()
    other.wait_event(event)
    other.wait_stream(stream)
    for each in (stream, other, event, hal):
        each.synchronize()
    assert stream.query() and event.query() and float(total) == 3.0
    assert repr(stream).startswith(f"Stream(device_name={'CPU' if space is arrays.HOST else 'GPU'}")


def test_events_tell_the_time_between_them():
    first, second = hal.Event(enable_timing=True), hal.Event(enable_timing=True)
    first.record()
    time.sleep(0.002)
    second.record(hal.current_stream())
    assert 2 <= first.elapsed_time(second) < 60000


def test_events_without_times_tell_none():
    timed, plain = hal.Event(enable_timing=True), hal.Event()
    assert plain.query()
    for event in (timed, plain):
        event.record()
    for pair in ((timed, plain), (plain, timed), (timed, hal.Event(enable_timing=True))):
        with pytest.raises(RuntimeError, match="enable_timing"):
            pair[0].elapsed_time(pair[1])


def test_memory_is_limited(space):
    runtime.set_memory(max_size="30GB")
    if space is not arrays.HOST:
        pool = space.module.get_default_memory_pool()
        assert pool.get_limit() == 30 << 30
        pool.set_limit(0)


def test_the_context_limits_memory_too(space):
    ms.set_context(max_device_memory="3.5GB")
    assert ms.get_context("max_device_memory") == 3.5
    if space is not arrays.HOST:
        pool = space.module.get_default_memory_pool()
        assert pool.get_limit() == 7 << 29
        pool.set_limit(0)
    ms.set_context(max_device_memory="1024GB")


@pytest.mark.parametrize(
    "arguments, error",
    [
        ({"max_size": 5}, TypeError),
        ({"max_size": "5"}, ValueError),
        ({"init_size": "0GB"}, ValueError),
        ({"optimize_level": "O2"}, ValueError),
        ({"optimize_level": 1}, TypeError),
        ({"huge_page_reserve_size": "-1GB"}, ValueError),
    ],
)
def test_sizes_are_checked(arguments, error):
    with pytest.raises(error, match="set_memory"):
        runtime.set_memory(**arguments)


def test_both_paths_have_one_stream():
    assert runtime.Stream is hal.Stream and ms.hal is hal and ms.runtime is runtime


def test_the_names_of_runtime_are_at_the_top_too():
    for name in ms.runtime.__all__:
        assert getattr(ms, name) is getattr(ms.runtime, name)


def test_the_default_stream_has_number_0():
    assert ms.runtime.default_stream().stream_id() == 0


ZEROS = {
    "total_reserved_memory",
    "total_allocated_memory",
    "total_idle_memory",
    "total_eager_free_memory",
    "max_reserved_memory",
    "max_allocated_memory",
}


@pytest.mark.host
def test_the_host_counts_no_memory():
    found = runtime.memory_stats()
    assert {name for name, figure in found.items() if figure == 0} == ZEROS
    assert found["common_mem_pool_stats"] == {
        "block_unit_size": 0,
        "block_counts": 0,
        "blocks_info": {},
    }
    assert hal.memory_stats("CPU") == {}
    assert runtime.max_memory_allocated() == runtime.max_memory_reserved() == 0
    assert runtime.memory_summary() == hal.memory_summary("CPU")
    assert "| Allocated memory     |      0 B             |\n" in runtime.memory_summary()


@pytest.mark.parametrize(
    "size, text",
    [
        (0, "     0 B"),
        (786431, "786431 B"),
        (786432, "   768 KB"),
        (5 << 30, "  5120 MB"),
        (999 << 30, "   999 GB"),
    ],
)
def test_figures_are_printed_in_units(size, text):
    from mindspore_compat._memory import _readable

    assert _readable(size) == text


def test_figures_of_a_pool(monkeypatch):
    from mindspore_compat._backend import device

    monkeypatch.setattr(device, "memory", lambda: (300, 1000))
    monkeypatch.setattr(device, "peak_memory", lambda: (700, 1200))
    found = runtime.memory_stats()
    assert (found["total_idle_memory"], found["max_allocated_memory"]) == (700, 700)
    assert (runtime.max_memory_allocated(), runtime.max_memory_reserved()) == (700, 1200)


def test_the_peaks_of_a_device_are_reset(space):
    for reset in (
        hal.reset_peak_memory_stats,
        hal.reset_max_memory_allocated,
        runtime.reset_max_memory_reserved,
        runtime.reset_peak_memory_stats,
        runtime.reset_max_memory_allocated,
        hal.reset_max_memory_reserved,
    ):
        reset()
    assert hal.max_memory_allocated() == hal.max_memory_reserved() == 0


def test_targets_of_memory_are_strs():
    for ask in (hal.memory_stats, hal.memory_reserved, hal.device_count, hal.memory_summary):
        with pytest.raises(TypeError, match="device_target"):
            ask(5)
