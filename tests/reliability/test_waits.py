"""Every wait in the package can end: it has a time limit, or the table below says why it ends. A
wait without a limit is a call of a method in `WAITING` without arguments. The class of
_backend/starting.py starts threads, and its `start` has a limit.
"""

import ast
import contextlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import pytest

import mindspore_compat as ms
from mindspore_compat._backend import starting
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._core.tensor import precision

pytestmark = pytest.mark.quick
PACKAGE = Path(starting.__file__).parents[1]
WAITING = "wait acquire result recv recv_bytes communicate get join accept".split()
CALL = re.compile(rf"\.({'|'.join(WAITING)})\(\)")
RANKS = "looks whether a rank that it needs has ended (_backend/ranks/pending.py)"
STREAM = "a stream of the GPU waits, not the host"
ARRAYS = "copies an array of a GPU"
VARIABLE = "reads a variable"
ENDS = {  # file, or folder -> function -> why it ends
    "_backend/ranks/collective.py": {"*": RANKS},
    "_backend/ranks/objects.py": {"*": RANKS},
    "_backend/ranks/children.py": {"wait_for": "the caller knows that the process ends"},
    "_backend/starting.py": {"Thread.__init__": "a new lock"},
    "_backend/compiled/compiler.py": {"Compiler._kill": "the process has been killed"},
    "_backend/ranks/channels.py": {"Channels.receive": RANKS},
    "_backend/ranks/nccl.py": {"Channel.receive": STREAM, "Channel.settle": STREAM},
    "communication/": {"*": RANKS},
    "communication/job.py": {"Job.__exit__": "the process has been killed"},
    "communication/inplace/store.py": {
        "_Server.accept": "ends when the listening socket is closed"
    },
    "nn/wrap/grad_reducer.py": {"*": RANKS},
    "ops/_communication/internal.py": {"*": RANKS},
    "parallel/": {"*": RANKS},
    "_backend/ranks/worker.py": {"main": "the script of a rank, which may run as long as it likes"},
    "_backend/arrays.py": {"to_host": ARRAYS},
    "_backend/host/linalg.py": {"*": ARRAYS},
    "_backend/host/scatter.py": {"*": ARRAYS},
    "train/mind_ir/onnx_writing.py": {"*": ARRAYS},
    "train/mind_ir/writing.py": {"*": ARRAYS},
    "_backend/steps/recorded_array.py": {"*": VARIABLE},
    "_core/sharding/": {"*": RANKS},
    "dataset/engine/rows.py": {"*": VARIABLE},
    "_backend/threads/scheduler.py": {
        "_Job.__init__": "a new lock",
        "_Pool._serve": "a daemon thread, for which nobody waits",
    },
    "_io/checkpoint.py": {"run_in_thread.result": "a thread that computes, or has died"},
    "dataset/engine/worker_processes.py": {
        "WorkerProcess.__call__": "poll has found an answer, or the end of the process",
        "_serve": "ends when the parent ends (_backend/ranks/children.py)",
    },
    "dataset/engine/workers.py": {
        "calls_back": VARIABLE,
        "OrderedMap.__init__": VARIABLE,
        "_take": "a daemon thread, for which nobody waits longer than its patience",
        "_Pool.finish": "WorkerProcess.join has a limit",
    },
    "train/_checkpoint/background.py": {
        "wait": "BackgroundSave.result",
        "BackgroundSave._wait_for_process": "the pipe ends with the process",
    },
    "train/_checkpoint/saving.py": {"save_checkpoint": "BackgroundSave.result"},
    "train/_checkpoint/loading.py": {"ParamDictFuture.result": "ends when the file is read"},
    "train/callback/_checkpoint.py": {"*": "BackgroundSave.result"},
    "train/callback/_summary_landscape.py": {"_measure": "a dead process breaks the pool"},
}


def waits():
    """The waits without a limit in the package: (file, function, line)."""
    for path in sorted(PACKAGE.rglob("*.py")):
        text = path.read_text()
        if CALL.search(text):
            yield from _waits(ast.parse(text), path.relative_to(PACKAGE).as_posix(), ())


def _waits(node, file, names):
    for child in ast.iter_child_nodes(node):
        named = isinstance(child, (ast.FunctionDef, ast.ClassDef))
        inner = (*names, child.name) if named else names
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            method, arguments = child.func.attr, [*child.args, *child.keywords]
            if method in WAITING and not arguments:
                yield file, ".".join(inner), child.lineno
        yield from _waits(child, file, inner)


def reason(file, function):
    for place, functions in ENDS.items():
        if file == place or (place.endswith("/") and file.startswith(place)):
            found = functions.get(function) or functions.get("*")
            if found:
                return found
    return None


def test_every_wait_has_a_limit_or_a_reason():
    unknown = [where for where in waits() if not reason(*where[:2])]
    assert not unknown


def test_every_reason_is_of_a_wait():
    present = {(file, function) for file, function, _ in waits()}
    for place, functions in ENDS.items():
        for function in functions:
            assert any(
                (file == place or (place.endswith("/") and file.startswith(place)))
                and function in ("*", name)
                for file, name in present
            ), (place, function)


def test_threads_are_started_with_a_limit():
    for path in PACKAGE.rglob("*.py"):
        if path.name != "starting.py":
            assert "threading.Thread(" not in path.read_text(), path


class _Dies(starting.Thread):
    """A thread that dies before it reports its start, as if memory had run out."""

    def _bootstrap(self):
        pass


def test_the_starter_of_a_thread_that_dies_goes_on(monkeypatch):
    monkeypatch.setattr(starting, "LONGEST", 0.05)
    with pytest.raises(RuntimeError, match="has not begun"):
        _Dies(target=print).start()


def test_a_pause_of_the_process_is_not_taken_for_a_thread_that_dies(monkeypatch):
    wait, waits = threading.Event.wait, []

    def paused(event, timeout=None):
        waits.append(timeout)
        return len(waits) > 1 and wait(event, timeout)  # the time is over, the thread has not run

    monkeypatch.setattr(threading.Event, "wait", paused)
    thread = starting.Thread(target=waits.clear)
    thread.start()
    thread.finish()


def test_work_goes_on_where_no_thread_can_start(monkeypatch):
    monkeypatch.setattr(starting, "LONGEST", 0.05)
    monkeypatch.setattr(scheduler, "Thread", _Dies)
    monkeypatch.setattr(scheduler, "_pool", scheduler._Pool())
    scheduler.limit(3)
    try:
        done = []
        scheduler.run(done.append, 5)
    finally:
        scheduler.limit(0)
    assert sorted(done) == [0, 1, 2, 3, 4]


def test_a_loop_that_nobody_compiles_is_not_waited_for(monkeypatch):
    monkeypatch.setattr(starting, "LONGEST", 0.05)
    monkeypatch.setattr(jit, "Thread", _Dies)
    monkeypatch.setattr(jit, "PATIENCE", 0.05)
    monkeypatch.setattr(jit, "_queue", jit._Queue())
    loop = jit.Loop(lambda name: "", [], False, "none")
    loop.wait()
    assert loop.ready is None


PRODUCTS = """
    import resource
    import numpy as np
    from mindspore_compat import Tensor, ops
    from mindspore_compat._backend.threads import scheduler

    scheduler.limit(3)
    x, y = (Tensor(np.ones(shape, np.float32)) for shape in ({0}, {1}))
    with open("/proc/self/statm") as file:
        used = int(file.read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + (28 << 20), resource.RLIM_INFINITY))
    try:
        for _ in range(20):
            assert (ops.matmul(x, y).asnumpy() == x.shape[1]).all()
    except MemoryError as error:
        assert str(error).startswith("For 'matmul', "), error
"""


OUTSIDE_OF_PRODUCTS = """
    import os, resource, traceback
    import numpy as np
    from mindspore_compat import Tensor, ops

    x = Tensor(np.random.default_rng(1).normal(size=(300, 300)).astype(np.float32))
    row, equation = Tensor(x.asnumpy()[0]), "ij,jk->ik"
    (x + x).asnumpy()  # what comes first prepares the host, and there is no limit yet

    def run(megabytes, *calls):
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + (megabytes << 20), resource.RLIM_INFINITY))
        for name, *arguments in calls:
            try:
                getattr(ops, name)(*arguments)
            except MemoryError as error:
                names = {"svd": "reduced_svd", "einsum": "einsum_of"}
                assert f"'{name}'" in str(error) or f"'{names[name]}'" in str(error), error

    calls = ("svd", x), ("einsum", equation, x, x), ("tensor_dot", x, x, 1), ("mv", x, row)
    for megabytes, order in ((40, 1), (40, -1), (12, 1)):
        child = os.fork()  # BLAS has no threads there
        if not child:
            try:
                run(megabytes, *calls[::order], ("matmul", x, x))
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    run(16, *calls)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
def test_calls_of_the_library_end_where_it_has_no_memory_for_products():
    env = {**os.environ, "MINDSPORE_COMPAT_COMPILE": "off"}
    code = textwrap.dedent(OUTSIDE_OF_PRODUCTS)
    run = subprocess.run([sys.executable, "-c", code], timeout=60, capture_output=True, env=env)
    assert run.returncode == 0, run.stderr[-3000:]


@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
@pytest.mark.parametrize("shapes", [((256, 3072), (3072, 512)), ((99, 99), (99, 99))])
@pytest.mark.parametrize("kernels", [None, "Haswell"])
def test_products_end_where_the_library_has_no_memory_for_them(shapes, kernels):
    env = {**os.environ, "MINDSPORE_COMPAT_COMPILE": "off"}
    env.pop("OPENBLAS_CORETYPE", None)
    run = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(PRODUCTS.format(*shapes))],
        timeout=100,
        capture_output=True,
        text=True,
        env={**env, **({"OPENBLAS_CORETYPE": kernels} if kernels else {})},
    )
    assert run.returncode == 0, run.stderr[-3000:]


@pytest.mark.nightly
@pytest.mark.skipif(sys.platform != "linux", reason="RLIMIT_AS")
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("megabytes", [0, 8, 16, 32, 64, 128, 256, 512])
def test_training_ends_where_memory_lacks(megabytes, mode):
    code = """
        import resource
        import numpy as np
        import mindspore_compat as ms
        from mindspore_compat import nn

        ms.set_context(mode={mode})
        net = nn.SequentialCell(
            nn.Conv2d(3, 16, 3), nn.BatchNorm2d(16), nn.ReLU(), nn.Flatten(), nn.Dense(16384, 10)
        )
        loss = nn.WithLossCell(net, nn.SoftmaxCrossEntropyWithLogits(sparse=True))
        step = nn.TrainOneStepCell(loss, nn.Adam(net.trainable_params(), 1e-3))
        x = ms.Tensor(np.ones((32, 3, 32, 32), np.float32))
        y = ms.Tensor(np.arange(32) % 10, ms.int32)
        np.ones((64, 64), np.float32) @ np.ones((64, 64), np.float32)
        with open("/proc/self/statm") as file:
            used = int(file.read().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (used + ({megabytes} << 20),) * 2)
        for _ in range(4):
            try:
                step(x, y)
            except (MemoryError, RuntimeError, SystemError):
                pass
    """
    text = textwrap.dedent(code.format(mode=mode, megabytes=megabytes))
    # OpenBLAS may end the process itself. The test requires only that it ends.
    subprocess.run([sys.executable, "-c", text], timeout=120, capture_output=True)


def locks():
    """The locks of the package that are not of single objects, by name."""
    found = {"precision.casting": precision.casting.lock}
    for name, module in [*sys.modules.items()]:
        if name.startswith("mindspore_compat"):
            for attribute, value in vars(module).items():
                if type(value) is type(threading.Lock()):
                    found[f"{name}.{attribute}"] = value
    return found


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_locks_that_other_threads_hold_are_free_in_a_forked_process():
    weight = ms.Parameter(ms.Tensor([1.0]))
    gradient = ms.jit(ms.value_and_grad(lambda x: x * weight, None, (weight,)))
    gradient(ms.Tensor([2.0]))  # imports what it needs
    assert len(locks()) > 4
    with contextlib.ExitStack() as stack:
        for lock in locks().values():
            stack.enter_context(lock)
        child = os.fork()
        if not child:
            signal.alarm(20)  # ends a process that waits
            locked = [name for name, lock in locks().items() if lock.locked()]
            os._exit(1 if locked else int(float(gradient(ms.Tensor([3.0]))[0]) != 3))
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
