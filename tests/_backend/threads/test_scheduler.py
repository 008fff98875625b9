"""The threads that share large work: results, errors, limits, forks, process exit."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import threadpoolctl
from kit import close, close_sums
from kit.windows import maximum_with_index

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.conv import convolution, pooling
from mindspore_compat._backend.threads import cgroup, scheduler
from mindspore_compat._backend.updates import fuse
from mindspore_compat.ops._optimizer.formulas import adam_update

pytestmark = pytest.mark.host

COUNTS = (1, 2, 4)


@pytest.fixture(autouse=True)
def limits():
    yield
    scheduler.limit(0)
    scheduler.limit(0, "test")


def with_threads(count, function):
    scheduler.limit(count)
    return function()


def test_every_piece_is_done_once():
    scheduler.limit(4)
    done = []
    scheduler.run(done.append, 1000)
    assert sorted(done) == list(range(1000))
    scheduler.run(done.append, 0)
    assert len(done) == 1000


def test_several_threads_take_pieces():
    scheduler.limit(3)
    barrier = threading.Barrier(3, timeout=60)
    scheduler.run(lambda number: barrier.wait(), 3)


def test_work_inside_a_piece_stays_on_its_thread():
    scheduler.limit(2)
    found = []

    def outer(number):
        scheduler.run(lambda inner: found.append((number, threading.get_ident())), 4)

    scheduler.run(outer, 2)
    for number in range(2):
        assert len({thread for each, thread in found if each == number}) == 1


@pytest.mark.parametrize("count", COUNTS)
def test_an_error_of_a_piece_is_raised_and_the_pool_goes_on(count):
    scheduler.limit(count)

    def fail(number):
        if number >= 5:
            raise KeyError(number)

    for _ in range(3):
        with pytest.raises(KeyError):
            scheduler.run(fail, 20)
    done = []
    scheduler.run(done.append, 8)
    assert sorted(done) == list(range(8))


@pytest.mark.parametrize("name", ["call", "take", "_end"])
def test_after_an_interrupt_no_piece_runs_and_the_pool_goes_on(name, monkeypatch):
    scheduler.limit(2)
    owner = scheduler._pool if name == "call" else scheduler._Job
    method, caller = getattr(owner, name), threading.get_ident()
    started, running, done = threading.Event(), threading.Event(), []

    def interrupted(*args):
        if threading.get_ident() != caller:
            return method(*args)
        monkeypatch.undo()
        if name == "call":
            method(*args)
        assert name == "_end" or started.wait(60)
        raise KeyboardInterrupt

    def piece(number):
        if threading.get_ident() == caller:
            assert started.wait(60)
            return
        running.set()
        started.set()
        time.sleep(0.05)
        running.clear()
        done.append(number)

    monkeypatch.setattr(owner, name, interrupted)
    with pytest.raises(KeyboardInterrupt):
        scheduler.run(piece, 1000)
    assert not running.is_set()
    before = len(done)
    time.sleep(0.02)
    assert len(done) == before
    test_several_threads_take_pieces()


def test_settings_of_numpy_hold_in_every_thread():
    scheduler.limit(2)
    barrier = threading.Barrier(2, timeout=60)

    def work(number):
        barrier.wait()
        assert np.geterr()["divide"] == "raise"

    with np.errstate(divide="raise"):
        scheduler.run(work, 2)


@pytest.fixture
def libraries():
    """Lets each BLAS library use two threads while the test runs, and returns the libraries."""
    with threadpoolctl.threadpool_limits(2, "blas"):
        yield scheduler.libraries()


def test_products_use_one_thread_of_their_library_meanwhile(libraries):
    before = [each.get_num_threads() for each in libraries]
    found = []
    scheduler.run(lambda number: found.append([each.get_num_threads() for each in libraries]), 3)
    assert found == [[1] * len(libraries)] * 3
    assert [each.get_num_threads() for each in libraries] == before


def test_the_last_of_several_holds_gives_the_threads_back(libraries):
    before = [each.get_num_threads() for each in libraries]
    entered, leave = threading.Event(), threading.Event()

    def other():
        with scheduler.hold:
            entered.set()
            leave.wait(60)

    thread = threading.Thread(target=other)
    with scheduler.step:
        with scheduler.hold:
            thread.start()
            entered.wait(60)
        assert [each.get_num_threads() for each in libraries] == [1] * len(libraries)
    leave.set()
    thread.join()
    assert [each.get_num_threads() for each in libraries] == before


@pytest.mark.parametrize("in_step", [False, True], ids=["alone", "in a step"])
def test_a_hold_that_is_interrupted_gives_the_threads_back(in_step, libraries):
    """CPython checks for interrupts when a function begins and when one returns."""
    before = [each.get_num_threads() for each in libraries]
    for point in range(1000):
        left = iter(range(point))

        def profile(frame, event, _):
            begins = event == "call" and frame.f_code is not scheduler.Hold.__exit__.__code__
            if (begins or event == "c_return") and next(left, None) is None:
                sys.setprofile(None)
                raise KeyboardInterrupt

        context = scheduler.step if in_step else contextlib.nullcontext()
        try:
            with context:
                sys.setprofile(profile)
                with scheduler.hold:
                    pass
                sys.setprofile(None)
                break  # all points have been seen
        except KeyboardInterrupt:
            assert [each.get_num_threads() for each in libraries] == before
        with scheduler.hold:
            assert [each.get_num_threads() for each in libraries] == [1] * len(libraries)
        assert [each.get_num_threads() for each in libraries] == before
    assert 10 < point < 999


def products(rng):
    x, y = rng.standard_normal((700, 300), np.float32), rng.standard_normal((300, 650), np.float32)
    stack = rng.standard_normal((5, 96, 128), np.float32)
    return (
        HOST.matmul(x, y),
        HOST.matmul(x, x.T),
        HOST.matmul(stack, y[:128, :512]),
        HOST.matmul(x[None], y[None, None]),
        HOST.matmul_add(x[:24, :128], x[:512, :128].T.copy("F"), y[0, :512]),
    )


def convolutions(rng):
    found = []
    for shape, weights, groups in (
        ((4, 16, 30, 30), (24, 16, 3, 3), 1),
        ((2, 3, 90, 80), (70, 3, 5, 5), 1),
        ((3, 32, 40, 40), (32, 1, 3, 3), 32),
    ):
        x = rng.standard_normal(shape, np.float32)
        w = rng.standard_normal(weights, np.float32)
        for stride in (1, 2):
            options = (stride, stride), ((1, 1), (1, 1)), (1, 1), groups
            y = convolution.convolve(np, x, w, *options)
            found += [
                y,
                convolution.input_gradient(np, y, w, x.shape, *options),
                convolution.weight_gradient(np, y, x, w.shape, *options),
            ]
    return found


def pools(rng):
    x = rng.standard_normal((24, 16, 60, 60), np.float32)
    window = (3, 3), (2, 2), ((1, 1), (1, 1))
    top, index = maximum_with_index(np, x, *window, (1, 1))
    mean = pooling.average(np, x, *window)
    return [
        top,
        index,
        mean,
        pooling.max_gradient(np, mean, x, top, *window, (1, 1)),
        pooling.max_pick(np, x * x, x, top, *window, (1, 1)),
        pooling.average_gradient(np, top, x.shape, *window),
    ]


def rows(rng):
    x = rng.standard_normal((300, 700), np.float32)
    return [
        HOST.log_soft(x, -1),
        HOST.row_normal(x, 1e-5),
        HOST.sum_by_rows(lambda xp, part: xp.sum(part, 0), x),
        HOST.blockwise(lambda xp, part: xp.tanh(part), x),
    ]


def update(rng):
    arrays = rng.random((4, 3 * fuse.BLOCK + 5), np.float32)
    fuse.fuse(adam_update)(*arrays, lr=0.1, beta1=0.9, beta2=0.99, eps=1e-8)
    return list(arrays)


@pytest.mark.parametrize("work", [products, convolutions, pools, rows, update])
def test_bits_do_not_depend_on_the_number_of_threads(work, monkeypatch):
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")  # no loop becomes ready between two runs
    found = [with_threads(count, lambda: work(np.random.default_rng(0))) for count in COUNTS]
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two, strict=True)


def test_products_are_those_of_numpy():
    rng = np.random.default_rng(0)
    for shapes in (
        ((300, 200), (200, 900)),
        ((900, 200), (200, 300)),
        ((2, 200), (200, 70000)),
        ((6, 1, 90, 200), (3, 200, 170)),
        ((200, 300), (4, 300, 200)),
        ((1, 1, 300, 200), (1, 200, 900)),
    ):
        x, y = (rng.standard_normal(shape) for shape in shapes)
        close(HOST.matmul(x, y), np.matmul(x, y))
        out = np.empty((2, *HOST.matmul(x, y).shape))[::2][0]
        assert HOST.matmul(x, y, out) is out
        close(out, np.matmul(x, y))
    with pytest.raises(ValueError):
        HOST.matmul(np.ones((700, 700)), np.ones((699, 700)))


@pytest.mark.parametrize("columns", [600, 9000], ids=["one piece", "strips"])
def test_few_rows_by_a_transposed_weight_are_those_of_numpy(columns):
    rng = np.random.default_rng(0)
    x, weight, bias = (
        rng.standard_normal(shape, np.float32) for shape in ((17, 130), (columns, 130), (columns,))
    )
    made, want = HOST.matmul_add(x, weight.T, bias), x @ weight.T
    assert made.flags.c_contiguous
    close_sums(made, want + bias)
    close_sums(HOST.matmul(x, weight.T), want)
    out = np.empty((2, *want.shape), np.float32).swapaxes(0, 1)[:, 0]
    assert HOST.matmul(x, weight.T, out) is out
    close_sums(out, want)


def test_two_threads_that_compute_at_once_get_their_own_results():
    scheduler.limit(3)
    x = np.random.default_rng(0).standard_normal((2, 600, 600))
    expected = [np.matmul(each, each) for each in x]
    wrong = []

    def compute(which):
        for _ in range(10):
            if not np.allclose(HOST.matmul(x[which], x[which]), expected[which]):
                wrong.append(which)

    workers = [threading.Thread(target=compute, args=(which,)) for which in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


def test_limits(monkeypatch):
    scheduler.recount()
    allowed = scheduler.threads()
    assert 1 <= allowed <= (os.cpu_count() or 1)
    scheduler.limit(1, "test")
    assert scheduler.threads() == 1
    scheduler.limit(1 << 20, "test")
    assert scheduler.threads() == allowed
    scheduler.limit(7)
    assert scheduler.threads() == 7
    scheduler.limit(0)
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    scheduler.recount()
    assert scheduler.threads() == 1
    monkeypatch.undo()
    scheduler.recount()


@pytest.mark.parametrize(
    "files, expected",
    [
        (
            {
                "proc/self/cgroup": "0::/a/b\n",
                "sys/fs/cgroup/a/cpu.max": "250000 100000\n",
                "sys/fs/cgroup/a/b/cpu.max": "max 100000\n",
            },
            3,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu,cpuacct:/a\n3:memory:/b\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "50000\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
            },
            1,
        ),
        (
            {
                "proc/self/cgroup": "4:cpu:/a\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_quota_us": "-1\n",
                "sys/fs/cgroup/cpu/a/cpu.cfs_period_us": "100000\n",
            },
            None,
        ),
        ({"proc/self/cgroup": "0::/\n"}, None),
        ({}, None),
    ],
)
def test_limits_of_control_groups(files, expected, tmp_path):
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert cgroup.cores(str(tmp_path)) == expected


def run_script(text):
    found = subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", text],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert not found.stderr
    return found.stdout


START = """
import threading
import numpy as np
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.arrays import HOST
scheduler.limit(3)
x = np.ones((600, 600))
HOST.matmul(x, x)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own():
    out = run_script(
        START
        + """
import os
with scheduler.hold:
    child = os.fork()
    if not child:
        meet = threading.Barrier(3, timeout=60)
        scheduler.run(lambda number: meet.wait(), 3)
        assert HOST.matmul(x, x)[0, 0] == 600
        os._exit(7)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert out.split() == ["7"]


def test_a_process_ends_while_threads_work():
    out = run_script(
        START
        + """
import time
threading.Thread(target=scheduler.run, args=(lambda number: time.sleep(0.05), 2000),
                 daemon=True).start()
time.sleep(0.1)
print("end")
"""
    )
    assert out.split() == ["end"]


def test_nothing_starts_at_import():
    out = run_script("""
import sys, threading
import mindspore_compat
print(threading.active_count(), "threadpoolctl" in sys.modules)
""")
    assert out.split() == ["1", "False"]
