"""Fixtures that all tests share.

`space` runs a test once per available array type: NumPy, the stand-in for CuPy (tests/fakecupy)
and, if a GPU is present, CuPy; with `--gpu` CuPy alone. `--fakecupy` (or FAKECUPY=1) runs a whole
session with the stand-in as the GPU, `--gpu` with a GPU, `--compiled` with loops compiled by Numba.
"""

import contextlib
import faulthandler
import gc
import os
import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))

import fakecupy  # noqa: E402  (found through the line above)

pytest_plugins = ["conformance.plugin"]


@pytest.fixture(autouse=True, scope="session")
def loops_are_not_delayed():
    """Lets loops be compiled at once. Parallel tests keep all cores busy, and the package would
    then delay the compilation."""
    from mindspore_compat._backend.compiled import jit
    from mindspore_compat._backend.threads import contention  # noqa: F401  sets what delays them

    jit.limit_beside(None, None)


def pytest_addoption(parser):
    parser.addoption(
        "--fakecupy",
        action="store_true",
        default=bool(os.environ.get("FAKECUPY")),
        help="run every test with the stand-in for CuPy as the GPU",
    )
    parser.addoption(
        "--gpu", action="store_true", help="run every test with the GPU as the device target"
    )
    parser.addoption(
        "--compiled",
        action="store_true",
        help="have arrays of every size take compiled loops, which need the extra `fast`",
    )


LIMIT = 1200  # seconds a test may take; one with the mark `nightly` may take ten times as long


def pytest_configure(config):
    config.messages = os.fdopen(os.dup(2), "w")  # tests run with another file as descriptor 2
    if "PYTEST_XDIST_WORKER" in os.environ:
        # In parallel processes, OpenBLAS threads that wait for work would keep cores busy.
        import scipy.linalg  # noqa: F401  (which brings an OpenBLAS of its own)
        import threadpoolctl

        threadpoolctl.threadpool_limits(1, "blas")
    if config.getoption("--compiled"):
        from kit.loops import check_arguments

        from mindspore_compat._backend.thresholds import Least

        check_arguments()
        os.environ["MINDSPORE_COMPAT_COMPILE"] = "wait"
        for name in filter(str.isupper, vars(Least)):
            setattr(Least, name, 1)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Ends the process of a test that waits forever, and shows where its threads stand."""
    limit = 10 * LIMIT if item.get_closest_marker("nightly") else LIMIT
    faulthandler.dump_traceback_later(limit, exit=True, file=item.config.messages)
    try:
        return (yield)
    finally:
        faulthandler.cancel_dump_traceback_later()


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Disables garbage collection while tests are collected, where it would take two fifths of the
    time. The collected objects live to the end, so later garbage collections skip them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


def pytest_ignore_collect(collection_path, config):
    """Skips files without the mark at `-m quick`; importing them would take longest."""
    if config.option.markexpr != "quick" or not collection_path.name.startswith("test_"):
        return None
    unmarked = collection_path.suffix == ".py" and b"pytest.mark.quick" not in (
        collection_path.read_bytes()
    )
    return unmarked or None


def pytest_generate_tests(metafunc):
    marked = [mark.args[0] for mark in metafunc.definition.iter_markers("parametrize")]
    if "space" in metafunc.fixturenames and "space" not in marked:
        from mindspore_compat._backend import arrays

        present = ["cupy"] * arrays.gpu_available()
        if not (present and metafunc.config.getoption("--gpu")):
            present = ["numpy", "fakecupy", *present]
            if metafunc.definition.get_closest_marker("device"):
                present.remove("numpy")
        metafunc.parametrize("space", present, indirect=True)


@contextlib.contextmanager
def standing_in():
    """Installs the stand-in as CuPy, and as the device of new arrays, while the block runs."""
    from mindspore_compat._backend import arrays

    target = arrays._target
    arrays.block(False)  # the conformance tool turns on waiting for operations in this process
    with fakecupy.installed() as cupy:
        arrays._device_space.cache_clear()
        arrays.set_target("GPU")
        if fakecupy.rawkernels.compiler() is None:
            arrays.current_space().kernels = None
            arrays.current_space().bodies.compiles = False
        try:
            yield arrays.current_space()
        finally:
            arrays.set_target(target)
            arrays.SPACES.pop(cupy.ndarray)
            arrays.DIRECT.pop(cupy.ndarray, None)
    arrays._device_space.cache_clear()


@pytest.fixture
def space(request):
    """Makes an array library the device target of the test, and yields its functions."""
    from mindspore_compat._backend import arrays

    if request.param == "fakecupy":
        with standing_in() as found:
            yield found
        return
    arrays.set_target("GPU" if request.param == "cupy" else "CPU")
    yield arrays.current_space()
    arrays.set_target("CPU")


@pytest.fixture(autouse=True)
def whole_session(request):
    """With --fakecupy, the stand-in is the GPU of each test; with --gpu, a GPU is. A test that has
    `space`, or the mark `host`, chooses by itself."""
    option = request.config.getoption
    chooses = "space" in request.fixturenames or request.node.get_closest_marker("host")
    if chooses or not (option("--fakecupy") or option("--gpu")):
        yield
    elif option("--fakecupy"):
        with standing_in():
            yield
    else:
        from mindspore_compat._backend import arrays

        arrays.set_target("GPU")
        yield
        arrays.set_target("CPU")


@pytest.fixture(autouse=True)
def mode_and_float_status():
    """Restores the mode and the checks of the float status, which are global to the process, and
    the depth of `jit`. A test may interrupt even the line that restores the depth, unlike a real
    Ctrl+C."""
    import mindspore_compat as ms
    from mindspore_compat._core.gradients import leaves
    from mindspore_compat.common.jit import building

    mode, watchers, depth = ms.get_context("mode"), leaves.watchers, building.depth
    leaves.watchers = []
    yield
    leaves.watchers, building.depth = watchers, depth
    ms.set_context(mode=mode)


@pytest.fixture
def capture_allowed(monkeypatch):
    """Allows captures of steps."""
    from mindspore_compat._backend.steps import current

    monkeypatch.setattr(current, "_permitted", True)


@pytest.fixture
def oracle(tmp_path, tmp_path_factory):
    """Returns a function that runs Python text in real MindSpore and returns the printed text.
    Skips the test if MindSpore is missing.

    The environment variable MINDSPORE_ORACLE names the interpreter that has it.
    """
    interpreter = os.environ.get("MINDSPORE_ORACLE")
    if not interpreter:
        pytest.skip("MINDSPORE_ORACLE names no interpreter with real MindSpore")

    def run(text, *arguments):
        environment = {**os.environ, "GLOG_v": "3", "DNNL_MAX_CPU_ISA": "AVX2"}
        script = tmp_path_factory.mktemp("oracle") / "script.py"  # it compiles from files only
        script.write_text(text, encoding="utf-8")
        done = subprocess.run(
            [interpreter, script, *map(str, arguments)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    return run
