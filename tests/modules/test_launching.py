"""mindspore.runtime's thread settings: each may be set once; core binding."""

import json
import os
import threading

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import _launching, runtime
from mindspore_compat._backend import arrays
from mindspore_compat._backend.threads import affinity
from mindspore_compat.dataset import GeneratorDataset

needs_binding = pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="needs Linux")


@pytest.fixture(autouse=True)
def fresh(monkeypatch):
    monkeypatch.setattr(_launching, "_done", set())
    monkeypatch.setattr(affinity, "_cores", {})
    threads, before = ms.get_context("runtime_num_threads"), affinity.available()
    yield
    ms.set_context(runtime_num_threads=threads)
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(os.getpid(), before)


def test_threads_are_set_once():
    runtime.dispatch_threads_num(6)
    assert ms.get_context("runtime_num_threads") == 6
    with pytest.raises(RuntimeError, match="dispatch_threads_num"):
        runtime.dispatch_threads_num(7)
    runtime.set_kernel_launch_group(thread_num=2, kernel_group_num=8)
    with pytest.raises(RuntimeError, match="set_kernel_launch_group"):
        runtime.set_kernel_launch_group()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: runtime.dispatch_threads_num("a"), TypeError),
        (lambda: runtime.dispatch_threads_num(True), TypeError),
        (lambda: runtime.dispatch_threads_num(0), ValueError),
        (lambda: runtime.set_kernel_launch_group("a"), TypeError),
        (lambda: runtime.set_kernel_launch_group(0), ValueError),
        (lambda: runtime.set_kernel_launch_group(3, 8), ValueError),
    ],
)
def test_refused_numbers_count_as_no_call(call, error):
    with pytest.raises(error):
        call()
    runtime.dispatch_threads_num(6)
    runtime.set_kernel_launch_group()


def core():
    return affinity.available()[-1]


@needs_binding
def test_the_main_thread_is_bound():
    runtime.set_cpu_affinity(True, [f"{core()}-{core()}"])
    assert os.sched_getaffinity(threading.main_thread().native_id) == {affinity.available()[-1]}
    with pytest.raises(RuntimeError, match="second"):
        runtime.set_cpu_affinity(True)


@needs_binding
def test_nothing_is_bound_unless_wanted():
    before = affinity.available()
    runtime.set_cpu_affinity(False, [f"{core()}-{core()}"])
    assert affinity.available() == before


@needs_binding
@pytest.mark.parametrize("from_file", [False, True])
def test_workers_of_pipelines_are_bound(tmp_path, from_file):
    wanted, before = core(), affinity.available()
    if from_file:
        record = {"bind_cpu": {"device0": {"minddata": f"{wanted}-{wanted}", "scheduler": "0"}}}
        path = tmp_path / "bind.json"
        path.write_text(json.dumps(record), encoding="utf-8")
        runtime.set_cpu_affinity(True, bind_file=str(path))
    else:
        runtime.set_cpu_affinity(True, [], {"minddata": [wanted]})
    seen = []

    def note(row):
        seen.append(os.sched_getaffinity(threading.get_native_id()))
        return row

    rows = GeneratorDataset([np.int32(each) for each in range(4)], ["x"]).map(
        note, num_parallel_workers=2
    )
    assert len(list(rows)) == 4 and seen == [{wanted}] * 4
    assert affinity.available() == before


@pytest.mark.parametrize(
    "arguments, error",
    [
        ((1,), TypeError),
        ((True, 3), TypeError),
        ((True, [3]), TypeError),
        ((True, ["a"]), ValueError),
        ((True, ["3-1"]), ValueError),
        ((True, None, 3), TypeError),
        ((True, None, {3: [0]}), TypeError),
        ((True, None, {"main": 3}), TypeError),
        ((True, None, {"other": [0]}), ValueError),
        ((True, None, {"main": [-1]}), ValueError),
        ((True, None, {"main": ["0"]}), ValueError),
        ((True, ["0-99999"]), RuntimeError),
        ((True, None, {"main": [99999]}), RuntimeError),
        ((True, None, None, 3), TypeError),
        ((True, None, None, "absent.json"), ValueError),
    ],
)
def test_refused_cores(arguments, error):
    before = affinity.available()
    with pytest.raises(error, match="set_cpu_affinity"):
        runtime.set_cpu_affinity(*arguments)
    assert affinity.available() == before
    runtime.set_cpu_affinity(False)


def test_a_file_of_other_content_is_refused(tmp_path):
    path = tmp_path / "bind.json"
    for text in ("[", "[]", '{"bind_cpu": {}}', '{"bind_cpu": {"device0": {"main": 3}}}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match="bind_file"):
            runtime.set_cpu_affinity(True, bind_file=str(path))


@pytest.mark.parametrize("by_context", [False, True])
def test_operations_are_waited_for(space, monkeypatch, by_context):
    waited = []
    monkeypatch.setattr(arrays, "synchronize", lambda: waited.append(True))
    x = ms.Tensor(np.ones((2, 3), np.float32))
    ms.ops.tanh(x)
    assert waited == []
    saved = dict(arrays.DIRECT)
    try:
        if by_context:
            ms.set_context(pynative_synchronize=True)
        else:
            runtime.launch_blocking()
        found = ms.ops.tanh(x)
        gradient = ms.grad(lambda x: ms.ops.tanh(x).sum())(x)
        waits = len(waited)
        ms.set_context(pynative_synchronize=False)
        ms.ops.tanh(x)
        assert by_context is (len(waited) == waits) or space is arrays.HOST
    finally:
        arrays.blocking = False
        arrays.DIRECT.update(saved)
    assert bool(waited) is (space is not arrays.HOST)
    close(found, np.tanh(1.0))
    close(gradient, 1 - np.tanh(1.0) ** 2)
