"""Capture and replay of the stand-in: recorded calls, rejected calls, and the memory of replays."""

import gc

import numpy as np
import pytest

import fakecupy
from fakecupy import counting, graphs, rawkernels


@pytest.fixture
def cp():
    with fakecupy.installed() as cupy:
        yield cupy


def captured(cp, function, rehearsed=True):
    """Captures a function without arguments; returns the graph and the function's result."""
    pool, stream = cp.cuda.MemoryPool(), cp.cuda.Stream(non_blocking=True)
    with cp.cuda.using_allocator(pool.malloc), stream:
        if rehearsed:
            function()
        stream.begin_capture()
        try:
            made = function()
        except BaseException:
            with pytest.raises(graphs.CUDARuntimeError, match="Invalidated"):
                stream.end_capture()
            raise
        graph = stream.end_capture()
    graph.pool_of_test = pool
    return graph, made


def test_a_capture_does_nothing_and_each_replay_does_all_of_it(cp):
    x = cp.arange(3, dtype="float32")

    def step():
        y = (x * 2)[1:]
        x[...] = x + 1
        return y

    graph, y = captured(cp, step)
    assert x.tolist() == [1, 2, 3]  # of the rehearsal alone
    assert np.isnan(y.get()).all()
    graph.launch()
    assert (x.tolist(), y.tolist()) == ([2, 3, 4], [4, 6])
    graph.launch()
    assert (x.tolist(), y.tolist()) == ([3, 4, 5], [6, 8])


def test_kernels_are_replayed_in_the_same_memory(cp):
    if rawkernels.compiler() is None:
        pytest.skip("no C++ compiler")
    x = cp.ones(2, dtype="float32")
    twice = cp.ElementwiseKernel("float32 x", "float32 y", "y = 2 * x;", "twice")
    text = 'extern "C" __global__ void more(float* x, int by) { x[threadIdx.x] += by; }'
    more = cp.RawKernel(text, "more")

    def step():
        more((1,), (2,), (x, np.int32(3)))
        return twice(x)

    graph, y = captured(cp, step)
    with counting.counted() as counts:
        graph.launch()
        graph.launch()
    assert (x.tolist(), y.tolist()) == ([10, 10], [20, 20])
    assert dict(counts.names["launches"]) == {"graph": 2}


def on_the_default_stream(cp, x):
    with cp.cuda.Stream.null:
        cp.add(x, 1, out=x)


REFUSED = {  # what the refusal names -> the call
    "__float__": lambda cp, x: float(x.sum()),
    "get": lambda cp, x: x.get(),
    "boolean index": lambda cp, x: x[x > 0],
    "asarray": lambda cp, x: cp.asarray(np.ones(2)),
    "__getitem__": lambda cp, x: x[np.array([0, 1])],
    "Device.synchronize": lambda cp, x: cp.cuda.Device().synchronize(),
    "Stream.synchronize": lambda cp, x: cp.cuda.get_current_stream().synchronize(),
    "cudaEventQuery": lambda cp, x: cp.cuda.get_current_stream().record().done,
    "cudaFree": lambda cp, x: cp.get_default_memory_pool().free_all_blocks(),
    "another stream": on_the_default_stream,
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_cuda_refuses_is_refused_and_spoils_the_capture(cp, name):
    x = cp.arange(3.0)
    with pytest.raises(graphs.CUDARuntimeError, match=f"is capturing: .*{name}"):
        captured(cp, lambda: REFUSED[name](cp, x))
    assert x.tolist() == ([1, 2, 3] if name == "another stream" else [0, 1, 2])  # rehearsed


def test_memory_comes_from_a_pool_that_has_it(cp):
    x = cp.arange(3.0)
    with pytest.raises(graphs.CUDARuntimeError, match="cudaMalloc"):
        captured(cp, lambda: x + 1, rehearsed=False)
    graph, _ = captured(cp, lambda: x + 1)
    del graph.pool_of_test
    gc.collect()
    with pytest.raises(graphs.CUDARuntimeError, match="memory of the graph"):
        graph.launch()


def test_a_replay_finds_that_memory_was_freed(cp):
    inputs = [cp.arange(3.0)]
    graph, _ = captured(cp, lambda: inputs[0] + 1)
    graph.launch()
    inputs.clear()
    gc.collect()
    with pytest.raises(graphs.CUDARuntimeError, match="is freed"):
        graph.launch()


def test_a_second_graph_reads_memory_of_the_first_that_its_pool_keeps(cp):
    pool, stream = cp.cuda.MemoryPool(), cp.cuda.Stream(non_blocking=True)
    x, total = cp.arange(3.0), cp.zeros(3)
    with cp.cuda.using_allocator(pool.malloc), stream:
        x + 1  # the pool gets memory
        stream.begin_capture()
        y = x + 1
        first = stream.end_capture()
        stream.begin_capture()
        total[...] = y
        second = stream.end_capture()
    del y
    gc.collect()
    first.launch()
    second.launch()
    assert total.tolist() == [1, 2, 3]


def test_a_graph_does_not_keep_memory_of_another_pool(cp):
    x = cp.arange(3.0)
    _first, *inputs = captured(cp, lambda: x + 1)
    graph, _ = captured(cp, lambda: inputs[0] + 1)
    graph.launch()
    inputs.clear()
    gc.collect()
    with pytest.raises(graphs.CUDARuntimeError, match="is freed"):
        graph.launch()


def test_another_stream_takes_part_once_it_waits_for_the_first(cp):
    x, side = cp.ones(2), cp.cuda.Stream(non_blocking=True)

    def step():
        main = cp.cuda.get_current_stream()
        side.wait_event(main.record())
        with side:
            cp.add(x, 1, out=x)
        main.wait_event(side.record())

    graph, _ = captured(cp, step)
    graph.launch()
    assert x.tolist() == [3, 3]


def test_the_default_stream_is_not_captured(cp):
    with pytest.raises(RuntimeError, match="default"):
        cp.cuda.Stream.null.begin_capture()
