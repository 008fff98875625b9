"""Streams, events, copies, pools, host threads, graphs and what their capture forbids."""

import threading

import cupy
import cupyx
import numpy as np

from .common import RNG, counted, refused, same

runtime = cupy.cuda.runtime


def test_streams_and_events():
    stream, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream()
    start, end = cupy.cuda.Event(), cupy.cuda.Event()
    with stream:
        start.record()
        x = cupy.arange(1000) * 2
        end.record()
    other.wait_event(end)
    with other:
        y = x + 1
    end.synchronize()
    assert end.done and cupy.cuda.get_elapsed_time(start, end) >= 0
    same(y, np.arange(1000) * 2 + 1)
    calls = []
    stream.add_callback(lambda *arguments: calls.append("callback"), None)
    stream.launch_host_func(calls.append, "host function")
    assert calls == ["callback", "host function"]
    untimed = cupy.cuda.Event(disable_timing=True)
    untimed.record()
    refused(
        runtime.CUDARuntimeError, "InvalidResourceHandle", cupy.cuda.get_elapsed_time, untimed, end
    )


def test_copies_are_counted():
    pinned = cupyx.empty_pinned(100, "d")
    pinned[...] = RNG.standard_normal(100)
    stream = cupy.cuda.Stream(non_blocking=True)
    with counted() as count:
        d = cupy.empty(100)
        d.set(pinned, stream=stream)
        back = d.get(stream=stream, blocking=False)
        stream.synchronize()
    np.testing.assert_array_equal(back, pinned)
    assert count["host_to_device"] == 1 and count["device_to_host"] == 1, count.changes
    assert count["synchronizations"] == 1, count.changes
    with counted() as count:
        bool(d[0] > 0)
    assert count["device_to_host"] == 1 and count["launches"] == 1, count.changes


def test_memory_and_pools():
    pool = cupy.get_default_memory_pool()
    used = pool.used_bytes()
    x = cupy.empty(1000)
    assert pool.used_bytes() == used + 8192
    place = x.data.ptr
    del x
    y = cupy.empty(1000)
    assert y.data.ptr == place
    assert np.isnan(y.get()).all() and np.isnan(cupy.empty(9, "e").get()).all()
    free, total = cupy.cuda.Device().mem_info
    assert 0 < free <= total
    refused(cupy.cuda.memory.OutOfMemoryError, "", cupy.empty, total, "d")
    managed = cupy.cuda.MemoryPool(cupy.cuda.malloc_managed)
    with cupy.cuda.using_allocator(managed.malloc):
        same(cupy.arange(5) + 1, np.arange(5) + 1)
    asynchronous = cupy.cuda.MemoryAsyncPool()
    with cupy.cuda.using_allocator(asynchronous.malloc):
        same(cupy.arange(5) + 1, np.arange(5) + 1)
    assert runtime.pointerGetAttributes(place).type == runtime.memoryTypeDevice
    cupy.get_default_memory_pool().free_all_blocks()


def test_graphs():
    stream = cupy.cuda.Stream(non_blocking=True)
    x, y, total = cupy.arange(8, dtype="f"), cupy.empty(8, "f"), cupy.zeros((), "f")
    pinned = cupyx.empty_pinned(8, "f")
    double = cupy.ElementwiseKernel("T x", "T y", "y = 2 * x", "check_double")
    double(x, y)
    calls = []
    with stream:
        stream.begin_capture()
        double(x, y)
        refused(RuntimeError, "D2H transfers are disallowed", y.get)
        runtime.memcpyAsync(pinned.ctypes.data, y.data.ptr, 32, 2, stream.ptr)
        cupy.sum(y, out=total)
        y.data.memset_async(0, 16, stream)
        stream.launch_host_func(calls.append, "host function")
        graph = stream.end_capture()
    pinned[...] = -1
    for factor in (1, 5):
        x[...] = cupy.arange(8, dtype="f") * factor
        with counted() as count:
            graph.launch(stream)
        stream.synchronize()
        np.testing.assert_array_equal(pinned, np.arange(8, dtype="f") * factor * 2)
        same(total, np.float32(56 * factor))
        same(y, np.where(np.arange(8) < 4, 0, np.arange(8) * 2 * factor).astype("f"))
        assert count["graph_launches"] == 1 and count["launches"] == 0
    assert calls == ["host function"] * 2


def test_graphs_of_two_streams():
    stream, other = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
    x, y = cupy.ones(4), cupy.empty(4)
    cupy.add(x, 1, out=y)
    fork, join = cupy.cuda.Event(disable_timing=True), cupy.cuda.Event(disable_timing=True)

    def capture(joined):
        with stream:
            stream.begin_capture()
            fork.record()
            other.wait_event(fork)
            with other:
                cupy.add(x, 1, out=y)
                join.record()
            if joined:
                stream.wait_event(join)
            return stream.end_capture()

    refused(runtime.CUDARuntimeError, "StreamCaptureUnjoined", capture, False)
    graph = capture(True)
    y.fill(0)
    graph.launch(stream)
    same(y, np.full(4, 2.0))
    refused(runtime.CUDARuntimeError, "CapturedEvent", fork.synchronize)


def _in_capture(function, stream=None, mode=None):
    """Runs a function while a stream is captured, and ends the capture, which may have been
    invalidated."""
    stream = stream or cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture(*([] if mode is None else [mode]))
        try:
            function(stream)
        finally:
            try:
                stream.end_capture()
            except runtime.CUDARuntimeError:
                pass


def test_what_captures_forbid():
    x = cupy.ones((4, 4), "f")
    error = runtime.CUDARuntimeError
    (x @ x).sum()
    same(x.sum(), np.float32(16))
    refused(error, "StreamCaptureUnsupported", _in_capture, lambda s: s.synchronize())
    refused(RuntimeError, "D2H transfers are disallowed", _in_capture, lambda s: x.sum().get())
    refused(error, "StreamCaptureUnsupported", _in_capture, lambda s: runtime.deviceSynchronize())
    refused(NotImplementedError, "cuBLAS", _in_capture, lambda s: x @ x)
    blocking = cupy.cuda.Stream()
    with_null = lambda s: runtime.memcpyAsync(x.data.ptr, x.data.ptr, 4, 3, 0)  # noqa: E731
    refused(error, "StreamCaptureImplicit", _in_capture, with_null, blocking)
    _in_capture(with_null)
    strict = runtime.streamCaptureModeGlobal
    refused(
        error, "StreamCaptureUnsupported", _in_capture, lambda s: runtime.malloc(4096), None, strict
    )
    _in_capture(lambda s: runtime.free(runtime.malloc(4096)))
    stream = cupy.cuda.Stream(non_blocking=True)
    with stream:
        stream.begin_capture()
        try:
            stream.synchronize()
        except error:
            pass
        refused(error, "StreamCaptureInvalidated", stream.end_capture)
    refused(RuntimeError, "", cupy.cuda.Stream.null.begin_capture)


def test_threads_of_the_host():
    results = []

    def work(number):
        with cupy.cuda.Stream(non_blocking=True):
            results.append((number, int((cupy.arange(1000) * number).sum())))

    threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(results) == [(n, 499500 * n) for n in range(4)]
