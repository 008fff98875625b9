"""Processes that share the memory of Tensors."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import numpy
import pytest

import mindspore_compat as ms
import mindspore_compat.multiprocessing as mp
from mindspore_compat import Parameter, Tensor

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="memory with descriptors is Linux's"
)

SCRIPT = """
import sys
from multiprocessing import reduction
import mindspore as ms
import mindspore.multiprocessing as mp
from mindspore import Parameter, Tensor, ops


def double(given, done):
    whole, row, weight, half = given.get(timeout=30)
    assert type(weight) is Parameter and weight.name == "w" and not weight.requires_grad
    assert half.dtype == ms.bfloat16 and half.tolist() == [1.5, 2.5]
    row[:] = row * 10
    ops.assign(weight, weight + 1)
    whole[0] = whole[0] + 1
    done.set()


def square(x):
    return x * x


if __name__ == "__main__":
    mp.set_start_method(sys.argv[1])
    given, done = mp.Queue(), mp.Event()
    whole = Tensor([[1.0, 2.0], [3.0, 4.0]])
    weight = Parameter(Tensor([5.0]), name="w", requires_grad=False)
    worker = mp.Process(target=double, args=(given, done))
    worker.start()
    reduction.ForkingPickler.dumps(whole)  # moves it, so that the row is a view of the same
    given.put((whole, whole[1], weight, Tensor([1.5, 2.5], ms.bfloat16)))
    assert done.wait(30)
    worker.join()
    assert worker.exitcode == 0
    assert whole.tolist() == [[2, 3], [30, 40]] and weight.asnumpy().tolist() == [6]
    with mp.Pool(2) as pool:
        found = pool.map(square, [Tensor([1.0]), Tensor([2.0]), Tensor([3.0])])
    assert [each.tolist() for each in found] == [[1], [4], [9]]
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_tensors_are_shared(tmp_path, method):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", str(script), method],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr


def sent(value):
    return multiprocessing.reduction.ForkingPickler.loads(
        multiprocessing.reduction.ForkingPickler.dumps(value)
    )


@pytest.mark.parametrize(
    "dtype", [ms.float32, ms.float16, ms.bfloat16, ms.int8, ms.bool_, ms.complex64]
)
@pytest.mark.parametrize("shape", [(2, 3), (), (0, 2)])
def test_what_is_sent_is_the_same(dtype, shape):
    given = Tensor(numpy.ones(shape), dtype)
    found = sent(given)
    assert type(found) is Tensor and found.dtype == dtype and found.shape == shape
    assert (found.asnumpy() == given.asnumpy()).all()


@pytest.mark.host  # memory of a GPU is not shared: its Tensors are copied
def test_both_see_what_is_written():
    given = Tensor(numpy.arange(12.0).reshape(3, 4))
    turned = sent(given).T
    again = sent(turned[1:])
    given[0, 1] = 100.0
    assert turned[1, 0] == again[0, 0] == 100
    again[1, 2] = -1.0
    assert given[2, 2] == -1


def test_no_gradient_leaves_its_process():
    def function(x):
        with pytest.raises(RuntimeError, match="gradient"):
            sent(x)
        return x * x

    assert ms.grad(function)(Tensor(3.0)).item() == 6


def test_everything_of_pythons_is_there():
    assert set(multiprocessing.__all__) <= set(dir(mp))
    assert mp.Queue is multiprocessing.Queue and issubclass(mp.Process, multiprocessing.Process)
    assert Parameter(Tensor(1.0), name="x").name == sent(Parameter(Tensor(1.0), name="x")).name


ENDING = """
import os, signal, sys, time
import mindspore.multiprocessing as mp

def wait():
    signal.signal(signal.SIGINT, lambda *_: (open(sys.argv[1] + ".told", "w").close(), os._exit(0)))
    open(sys.argv[1], "w").close()
    time.sleep(60)

mp.set_start_method("fork")
mp.Process(target=wait).start()
while not os.path.exists(sys.argv[1]):
    time.sleep(0.01)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_ends_with_the_one_that_started_it(tmp_path):
    script, mark = tmp_path / "script.py", tmp_path / "mark"
    script.write_text(ENDING)
    done = subprocess.run(
        [sys.executable, "-m", "mindspore_compat", str(script), str(mark)], timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    until = time.monotonic() + 30
    while not os.path.exists(f"{mark}.told") and time.monotonic() < until:
        time.sleep(0.01)
    assert os.path.exists(f"{mark}.told")
