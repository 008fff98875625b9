"""Arrays, queues and buffers of Tensors, and other old names of reinforcement learning."""

import os
import subprocess
import sys

import numpy as np
import pytest
from kit import close
from kit.gradients import check_gradients

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, ops
from mindspore_compat.ops._legacy import replay_buffer
from mindspore_compat.ops.operations import _rl_inner_ops as rl
from mindspore_compat.ops.operations import _tensor_array as ta


def floats(*values):
    return Tensor(np.array(values, np.float32))


def counter(value):
    return Parameter(Tensor(value, ms.int32), name="n")


# Arrays -------------------------------------------------------------------------------------------


def test_an_array_grows_and_closes():
    handle = ta.TensorArray(ms.float32, (2,))()
    other = ta.TensorArray(ms.float32, (2,))()
    write, read = ta.TensorArrayWrite(), ta.TensorArrayRead(ms.float32, (2,))
    value = floats(1, 2)
    write(handle, 2, value)
    value[0] = 9
    write(handle, Tensor(0, ms.int64), floats(3, 4))
    assert int(ta.TensorArraySize()(handle)) == 3 and int(ta.TensorArraySize()(other)) == 0
    np.testing.assert_array_equal(read(handle, 2).asnumpy(), [1, 2])
    whole = ta.TensorArrayStack(ms.float32, (2,), True, 0)(handle)
    np.testing.assert_array_equal(whole.asnumpy(), [[3, 4], [0, 0], [1, 2]])
    some = ta.TensorArrayGather(ms.float32, (2,))(handle, Tensor([2, 0]))
    np.testing.assert_array_equal(some.asnumpy(), [[1, 2], [3, 4]])
    ta.TensorArrayClear()(handle)
    assert ta.TensorArrayStack(ms.float32, (2,), True, 0)(handle).shape == (0, 2)
    ta.TensorArrayClose()(handle)
    with pytest.raises(RuntimeError, match="open store"):
        ta.TensorArraySize()(handle)


def test_an_array_of_fixed_size():
    handle = ta.TensorArray(ms.int32, (), False, 2)()
    ta.TensorArrayWrite()(handle, 0, Tensor(5, ms.int32))
    stacked = ta.TensorArrayStack(ms.int32, (), False, 2)(handle)
    np.testing.assert_array_equal(stacked.asnumpy(), [5, 0])
    with pytest.raises(IndexError):
        ta.TensorArrayWrite()(handle, 2, Tensor(5, ms.int32))
    with pytest.raises(IndexError):
        ta.TensorArrayRead(ms.int32, ())(handle, 1)
    with pytest.raises(TypeError):
        ta.TensorArrayWrite()(handle, 0, Tensor(5.0))
    with pytest.raises(ValueError):
        ta.TensorArrayWrite()(handle, 0, Tensor([5], ms.int32))


# Queues -------------------------------------------------------------------------------------------


def test_a_queue_gives_the_first_first():
    shapes = ((2,), ())
    handle = rl.TensorsQueueCreate(ms.float32, shapes, 2)()
    put, size = rl.TensorsQueuePut(ms.float32, shapes), rl.TensorsQueueSize()
    put(handle, (floats(1, 2), Tensor(3.0)))
    put(handle, (floats(4, 5), Tensor(6.0)))
    with pytest.raises(RuntimeError, match="full"):
        put(handle, (floats(7, 8), Tensor(9.0)))
    peek = rl.TensorsQueueGet(ms.float32, shapes)
    pop = rl.TensorsQueueGet(ms.float32, shapes, True)
    assert float(peek(handle)[1]) == 3 and int(size(handle)) == 2
    assert float(pop(handle)[1]) == 3 and float(pop(handle)[1]) == 6
    with pytest.raises(RuntimeError, match="empty"):
        pop(handle)
    put(handle, (floats(1, 2), Tensor(3.0)))
    rl.TensorsQueueClear()(handle)
    assert int(size(handle)) == 0
    with pytest.raises(ValueError):
        put(handle, (floats(1, 2),))
    with pytest.raises(RuntimeError, match="open store"):
        ta.TensorArraySize()(handle)
    rl.TensorsQueueClose()(handle)
    with pytest.raises(RuntimeError, match="open store"):
        size(handle)


# Buffers ------------------------------------------------------------------------------------------

SETTINGS = (3, ((2,), ()), (ms.float32, ms.int32))


def filled(entries):
    buffer = (
        Parameter(ops.zeros((3, 2)), name="a"),
        Parameter(ops.zeros((3,), ms.int32), name="b"),
    )
    count, head = counter(0), counter(0)
    for i in range(entries):
        ops.BufferAppend(*SETTINGS)(buffer, (floats(i, -i), Tensor(i, ms.int32)), count, head)
    return buffer, count, head


@pytest.mark.parametrize("entries, remaining", [(2, [0, 1]), (3, [0, 1, 2]), (5, [2, 3, 4])])
def test_a_buffer_keeps_the_newest(entries, remaining):
    buffer, count, head = filled(entries)
    assert int(count) == len(remaining) and int(head) == entries % 3 * (entries > 3)
    get = ops.BufferGetItem(*SETTINGS)
    assert [int(get(buffer, count, head, i)[1]) for i in range(len(remaining))] == remaining
    newest = get(buffer, count, head, Tensor(-1, ms.int64))
    np.testing.assert_array_equal(newest[0].asnumpy(), [remaining[-1], -remaining[-1]])
    with pytest.raises(IndexError):
        get(buffer, count, head, len(remaining))


def test_samples_of_a_buffer():
    buffer, count, head = filled(5)
    capacity, shapes, kinds = SETTINGS
    drawn = ops.BufferSample(capacity, 3, shapes, kinds, 1, True)(buffer, count, head)
    assert sorted(drawn[1].asnumpy().tolist()) == [2, 3, 4]
    np.testing.assert_array_equal(drawn[0].asnumpy()[:, 0], drawn[1].asnumpy())
    few, used, first = filled(1)
    again = ops.BufferSample(capacity, 1, shapes, kinds)(few, used, first)
    assert again[1].asnumpy().tolist() == [0]
    with pytest.raises(ValueError):
        ops.BufferSample(capacity, 2, shapes, kinds)(few, used, first)


def test_what_a_buffer_refuses():
    buffer, count, head = filled(1)
    append = ops.BufferAppend(*SETTINGS)
    with pytest.raises(TypeError):
        append(buffer, (floats(1, 2), Tensor(1.0)), count, head)
    with pytest.raises(ValueError):
        append(buffer, (floats(1, 2, 3), Tensor(1, ms.int32)), count, head)
    with pytest.raises(ValueError):
        ops.BufferAppend(3, ((2,),), (ms.float32, ms.int32))
    assert int(count) == 1


# Returns and copies -------------------------------------------------------------------------------


def test_discounted_returns():
    reward, last = np.random.default_rng(0).standard_normal((4, 2)), np.array([3.0, -1.0])
    done = np.array([[0, 0], [1, 0], [0, 0], [0, 1]], bool)
    got = rl.DiscountedReturn(0.9)(Tensor(reward), Tensor(done), Tensor(last)).asnumpy()
    following = last
    for t in range(3, -1, -1):
        following = reward[t] + 0.9 * np.where(done[t], 0, following)
        close(got[t], following)
    discounted = replay_buffer.discounted.run
    check_gradients(lambda r, v: discounted(r, Tensor(done), v, 0.9), reward, last)
    with pytest.raises(ValueError):
        rl.DiscountedReturn(0.9)(Tensor(reward), Tensor(done[:3]), Tensor(last))
    with pytest.raises(ValueError):
        rl.DiscountedReturn(1.5)


def test_batch_assign_copies():
    targets = [Parameter(floats(0, 0), name="a"), Parameter(Tensor(0.0), name="b")]
    sources = [floats(1, 2), Tensor(3.0)]
    rl.BatchAssign()(targets, sources)
    sources[0][0] = 9
    np.testing.assert_array_equal(targets[0].asnumpy(), [1, 2])
    assert float(targets[1]) == 3
    with pytest.raises(ValueError):
        rl.BatchAssign()(targets, sources[:1])
    with pytest.raises(ValueError):
        rl.BatchAssign()(targets, [floats(1, 2), floats(1)])


@pytest.mark.parametrize("value, shown", [("0", False), ("1", True)])
def test_the_names_are_legacy(value, shown):
    """MindSpore 2.10 lacks these names, and an environment variable hides them here, too."""
    script = (
        "from mindspore_compat import ops;"
        "from mindspore_compat.ops.operations import _rl_inner_ops as r, _tensor_array as t;"
        "print(hasattr(ops, 'BufferAppend'), hasattr(r, 'BatchAssign'),"
        " hasattr(t, 'TensorArray'), hasattr(r, 'CudnnGRU'))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "MINDSPORE_COMPAT_LEGACY": value},
    )
    assert found.stdout.split() == [str(shown)] * 3 + ["True"]
