"""Limits of Ascend cores, memory pools from a shared library, and hardware tests."""

import contextlib
import ctypes

import pytest

import mindspore_compat as ms
from mindspore_compat import _memory_pools as pools
from mindspore_compat import runtime
from mindspore_compat._backend import arrays, device
from mindspore_compat._backend.steps import current

UNSET = {"cube_core_num": -1, "vector_core_num": -1}


def test_a_limit_of_a_device_is_read_back():
    assert runtime.get_device_limit(7) == UNSET
    runtime.set_device_limit(7, cube_num=4)
    runtime.set_device_limit(7, vector_num=6)
    assert runtime.get_device_limit(7) == {"cube_core_num": 4, "vector_core_num": 6}
    with pytest.raises(TypeError, match="cube_num"):
        runtime.set_device_limit(7, "a")


def test_a_limit_of_a_stream_holds_within_its_block():
    stream = runtime.Stream()
    runtime.set_stream_limit(stream, 3, 5)
    with runtime.StreamLimitCtx(stream, 8):
        assert runtime.get_stream_limit(stream) == {"cube_core_num": 8, "vector_core_num": 5}
    assert runtime.get_stream_limit(stream) == {"cube_core_num": 3, "vector_core_num": 5}
    runtime.reset_stream_limit(stream)
    assert runtime.get_stream_limit(stream) == UNSET


@pytest.mark.parametrize(
    "call",
    [
        lambda: runtime.get_stream_limit(1),
        lambda: runtime.set_stream_limit(None),
        lambda: runtime.reset_stream_limit(1),
        lambda: runtime.StreamLimitCtx(1),
    ],
)
def test_what_is_no_stream_is_refused(call):
    with pytest.raises(TypeError, match="'stream' must be a Stream"):
        call()


def test_names_that_are_not_captured_are_strs(monkeypatch):
    monkeypatch.setattr(current, "_permitted", True)
    ms.set_kernel_launch_capture(True, ["matmul"])
    with pytest.raises(TypeError, match="op_capture_skip"):
        ms.set_kernel_launch_capture(True, [1])
    with pytest.raises(TypeError, match="enable_capture_graph"):
        ms.set_kernel_launch_capture(1)


@pytest.fixture
def library():
    """An allocator with `malloc` and `free`; the package only looks up their addresses."""
    return runtime.PluggableAllocator("libc.so.6", "malloc", "free")


def test_an_allocator_gives_the_addresses_of_its_functions(library):
    found = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_size_t)(library.alloc_fn_ptr)
    memory = found(8)
    assert memory
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(library.free_fn_ptr)(memory)
    with pytest.raises(OSError):
        runtime.PluggableAllocator("/none/such.so", "malloc", "free")
    with pytest.raises(AttributeError):
        runtime.PluggableAllocator("libc.so.6", "no_such_function", "free")


def test_memory_of_a_gpu_comes_from_the_pool(library, monkeypatch):
    pool = runtime.MemPool(library)
    freed = []
    monkeypatch.setattr(pool, "_free", lambda *call: freed.append(call))
    monkeypatch.setattr(pool, "_allocate", lambda size, number, stream: 100 + size)
    monkeypatch.setattr(device, "current_stream_pointer", lambda: 9)

    @contextlib.contextmanager
    def using(allocate, free):
        assert allocate(64, 0) == 164
        yield
        free(164, 0)

    monkeypatch.setattr(pools.device, "using_allocator", using)
    with runtime.use_mem_pool(pool):
        assert not freed
    assert freed == [(164, 64, 9)]


def test_a_pool_that_gives_nothing_says_so(library, monkeypatch):
    pool = runtime.MemPool(library)
    monkeypatch.setattr(pool, "_allocate", lambda *call: None)
    monkeypatch.setattr(device, "current_stream_pointer", lambda: 0)
    with pytest.raises(MemoryError, match="64 bytes"):
        pool._give(64, 0)


@pytest.mark.skipif(arrays.gpu_available(), reason="asks the CPU")
def test_arrays_of_the_cpu_need_no_pool(library):
    with runtime.use_mem_pool(runtime.MemPool(library)):
        assert (ms.Tensor([1.0]) + 1).asnumpy().tolist() == [2.0]


def test_what_is_no_pool_is_refused():
    with pytest.raises(TypeError, match="'allocator' must be a PluggableAllocator"):
        runtime.MemPool(1)
    with pytest.raises(TypeError, match="'pool' must be a MemPool"), runtime.use_mem_pool(1):
        pytest.fail("the block ran")


def test_there_is_no_hardware_of_an_ascend_to_test():
    assert ms.stress_detect("hccs") == 1
    with pytest.raises(RuntimeError, match="without an Ascend"):
        ms.stress_detect()
