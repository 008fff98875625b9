"""Compiled loops of operator bodies match NumPy, forward and backward."""

import concurrent.futures
import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from kit import close_sums, normal
from kit.loops import ParallelByPython, every_size, needs_numba

import mindspore_compat as ms
from mindspore_compat import Tensor, mint, ops
from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies import host, host_axis, host_rows
from mindspore_compat._backend.bodies.row_plan import ELEMENT, ROW
from mindspore_compat._backend.compiled import jit
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least

pytestmark = pytest.mark.host

CLASSES = Tensor([3, -100, 19], ms.int32)


def activation(function, *bodies):
    return (lambda x, y: function(x) * y, [(3, 20), (3, 20)], bodies)


# name: function of Tensors, the shapes of its inputs, the names of the bodies that are compiled
CASES = {
    "layer norm": (
        lambda x, gamma, beta: ops.layer_norm(x, (20,), gamma, beta),
        [(3, 20), (20,), (20,)],
        ("standardized", "_kernel_vjp"),
    ),
    "layer norm of two axes": (
        lambda x, gamma, beta: ops.layer_norm(x, (2, 5), gamma, beta),
        [(3, 2, 5), (2, 5), (2, 5)],
        ("standardized", "_kernel_vjp"),
    ),
    "root mean square norm": (
        lambda x, gamma: ops.rms_norm(x, gamma)[0],
        [(3, 20), (20,)],
        ("_scaled_rows", "_scaled_rows_vjp"),
    ),
    "sum and root mean square norm": (
        lambda x, y, gamma: sum(each.sum() for each in ops.add_rms_norm(x, y, gamma)),
        [(3, 20), (3, 20), (20,)],
        ("_scaled_rows", "_scaled_rows_vjp"),
    ),
    "group norm": (
        lambda x, gamma, beta: ops.group_norm(x, 2, gamma, beta),
        [(2, 4, 3, 5), (4,), (4,)],
        ("_grouped", "_grouped_vjp"),
    ),
    "batch norm": (
        lambda x, gamma, beta: ops.batch_norm(
            x, ops.zeros(4), ops.ones(4), gamma, beta, training=True
        ),
        [(2, 4, 3, 5), (4,), (4,)],
        ("standardized", "_standardized_vjp", "_update_running"),
    ),
    "softmax": (
        lambda x, y: ops.softmax(x) * y,
        [(3, 20), (3, 20)],
        ("_softmax_whole", "_softmax_vjp_whole"),
    ),
    "log softmax": (
        lambda x, y: ops.log_softmax(x) * y,
        [(2, 3, 10), (2, 3, 10)],
        ("_log_softmax_whole", "_log_softmax_vjp_whole"),
    ),
    "softmax over channels": (
        lambda x, y: ops.softmax(x, 1) * y,
        [(2, 5, 3, 4), (2, 5, 3, 4)],
        ("_softmax_whole", "_softmax_vjp_whole"),
    ),
    "log softmax of columns": (
        lambda x, y: ops.log_softmax(x, 0) * y,
        [(6, 9), (6, 9)],
        ("_log_softmax_whole", "_log_softmax_vjp_whole"),
    ),
    "smooth l1": (
        lambda x, y: ops.smooth_l1_loss(x, y, 0.7),
        [(3, 20), (3, 20)],
        ("_smooth", "_smooth_vjp"),
    ),
    "huber": (
        lambda x, y: ops.huber_loss(x, y, delta=0.7),
        [(3, 20), (3, 20)],
        ("_huber", "_huber_vjp"),
    ),
    "binary cross-entropy": (
        lambda x, y: ops.binary_cross_entropy(ops.sigmoid(x), ops.sigmoid(y)),
        [(3, 20), (3, 20)],
        ("_sigmoid", "_sigmoid_vjp", "_bernoulli", "_bernoulli_by_x", "_bernoulli_by_y"),
    ),
    "binary cross-entropy of logits": (
        ops.binary_cross_entropy_with_logits,
        [(3, 20), (3, 20)],
        ("_logistic", "_logistic_by_x"),
    ),
    "cross-entropy": (lambda x: ops.cross_entropy(x, CLASSES), [(3, 20)], ("_row_nll", "_row_vjp")),
    "gelu": activation(ops.gelu, "_gelu_erf", "_gelu_erf_vjp"),
    "gelu by tanh": activation(ops.GeLU(), "_gelu_tanh", "_gelu_tanh_vjp"),
    "fast gelu": activation(ops.fast_gelu, "_fast_gelu", "_fast_gelu_vjp"),
    "sigmoid": activation(ops.sigmoid, "_sigmoid", "_sigmoid_vjp"),
    "tanh": activation(ops.tanh, "_tanh", "_tanh_vjp"),
    "silu": activation(ops.silu, "_silu", "_silu_vjp"),
    "mish": activation(ops.mish, "_mish", "_mish_vjp"),
    "logsigmoid": activation(ops.logsigmoid, "_logsigmoid", "_logsigmoid_vjp"),
    "softplus": activation(ops.softplus, "_softplus", "_softplus_vjp"),
    "elu": activation(ops.elu, "_elu", "_elu_vjp"),
    "elu of mint": activation(mint.nn.functional.elu, "_elu", "_elu_ext_vjp"),
    "celu": activation(ops.celu, "_elu", "_celu_vjp"),
    "selu": activation(ops.selu, "_selu", "_selu_vjp"),
    "hardswish": activation(ops.hardswish, "_hardswish", "_hardswish_vjp"),
    "prelu": (
        lambda x, y, w: ops.prelu(x, w) * y,
        [(3, 4, 5, 2), (3, 4, 5, 2), (4,)],
        ("_prelu", "_prelu_vjp_row"),
    ),
    "prelu of one weight": (
        lambda x, y, w: ops.prelu(x, w) * y,
        [(3, 4, 5), (3, 4, 5), (1,)],
        ("_prelu", "_prelu_vjp_row"),
    ),
    "prelu of a matrix": (
        lambda x, y, w: ops.prelu(x, w) * y,
        [(3, 20), (3, 20), (20,)],
        ("_prelu", "_prelu_vjp"),
    ),
    "prelu of a matrix, of one weight": (
        lambda x, y, w: ops.prelu(x, w) * y,
        [(3, 20), (3, 20), (1,)],
        ("_prelu", "_prelu_vjp"),
    ),
    "hardsigmoid": activation(ops.hardsigmoid, "_hardsigmoid", "_hardsigmoid_vjp"),
}


def results(case, scale=1):
    """Returns the result of a case and its gradients, with `scale` times as many rows."""
    function, shapes, _ = CASES[case]
    rows = shapes[0][0]
    given = [
        normal(*((shape[0] * scale if shape[0] == rows else shape[0]), *shape[1:]), seed=seed)
        for seed, shape in enumerate(shapes)
    ]
    tensors = [Tensor(each.astype(np.float32)) for each in given]
    made = ms.value_and_grad(function, tuple(range(len(tensors))))(*tensors)
    return [made[0].asnumpy(), *(each.asnumpy() for each in made[1])]


@pytest.fixture
def bodies(monkeypatch):
    """Loops for arrays of any size."""
    found = host.CompiledBodies()
    every_size(monkeypatch)
    monkeypatch.setattr(host_axis, "WIDTH", 5)
    monkeypatch.setitem(vars(arrays.HOST), "bodies", found)
    return found


def run_by_python(monkeypatch):
    """Lets Python run the loops."""
    for module in (host, host_rows, host_axis):
        monkeypatch.setattr(module, "ParallelLoop", ParallelByPython)


def names(bodies):
    """Returns the names of the bodies that have a compiled loop."""
    return {made.trace.name for made in bodies._made.values() if made.loop.ready is not None}


@pytest.mark.parametrize("case", CASES)
def test_a_loop_means_what_the_composed_operator_means(case, bodies, monkeypatch):
    run_by_python(monkeypatch)
    with np.errstate(all="ignore"):
        found = results(case)
    assert names(bodies) == set(CASES[case][2])
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found, results(case), strict=True):
        assert have.shape == want.shape and have.dtype == want.dtype
        close_sums(have, want)


@needs_numba
@pytest.mark.parametrize("case", ["layer norm", "cross-entropy", "gelu", "softmax over channels"])
def test_a_compiled_loop_has_the_same_bits_with_any_number_of_threads(case, bodies, monkeypatch):
    for module in (host, host_rows, host_axis):
        monkeypatch.setattr(module, "BLOCK", 60)
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    found = []
    for count in (1, 2, 4, 4):
        scheduler.limit(count)
        try:
            found.append(results(case))
        finally:
            scheduler.limit(0)
    assert names(bodies) == set(CASES[case][2])
    for other in found[1:]:
        for one, two in zip(found[0], other, strict=True):
            np.testing.assert_array_equal(one, two)
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found[0], results(case), strict=True):
        close_sums(have, want)


def test_long_rows_are_added_a_stretch_at_a_time(bodies, monkeypatch):
    run_by_python(monkeypatch)
    monkeypatch.setattr(host_rows, "STRETCH", 7)
    found = results("batch norm")
    monkeypatch.setitem(vars(arrays.HOST), "bodies", None)
    for have, want in zip(found, results("batch norm"), strict=True):
        close_sums(have, want)


@pytest.mark.parametrize(
    "normalize",
    [
        lambda x: ops.layer_norm(x, (64,)),
        lambda x: ops.group_norm(x, 2),
        lambda x: ops.batch_norm(
            x, ops.zeros(4), ops.ones(4), ops.ones(4), ops.zeros(4), training=True
        ),
    ],
    ids=["layer", "group", "batch"],
)
def test_norms_of_numbers_far_from_zero(normalize, bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = (1e4 + np.random.default_rng(0).random((2, 4, 64))).astype(np.float32)
    found = normalize(Tensor(x)).asnumpy()
    assert "standardized" in names(bodies) or "_grouped" in names(bodies)
    # At 1e4 float32 numbers are 1e-3 apart. A norm that rounded its mean would have that error.
    wanted = normalize(Tensor(x.astype(np.float64) - 1e4, ms.float32)).asnumpy()
    np.testing.assert_allclose(found, wanted, atol=2e-6)


def test_the_variance_of_equal_numbers_is_zero_however_large_they_are(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = Tensor(np.full((3, 20), 1e30, np.float32))
    with np.errstate(all="ignore"):
        out, _, var = ops.LayerNorm()(x, ops.ones(20), ops.zeros(20))
    assert "standardized" in names(bodies)
    assert not var.asnumpy().any() and not out.asnumpy().any()


@pytest.mark.parametrize("axis", [0, 1])
def test_a_row_with_nan_is_nan_and_no_other(axis, bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = normal(3, 20).astype(np.float32)
    x[1, 4] = -np.float32(np.nan)
    x[2, 5] = -np.inf
    with np.errstate(all="ignore"):
        found = ops.softmax(Tensor(x if axis else x.T), axis).asnumpy()
    found = found if axis else found.T
    assert names(bodies) == {"_softmax_whole"}
    assert np.isnan(found).all(1).tolist() == [False, True, False]
    assert found[2, 5] == 0 and not np.isnan(found[[0, 2]]).any()


def test_a_number_that_stands_for_all_elements_is_given_as_one(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = normal(3, 20).astype(np.float32)
    two, four = (np.broadcast_to(np.float32(number), x.shape) for number in (2, 4))
    for arrays_ in ([x, x], [x, two], [two, x], [two, four]):
        found = bodies.pointwise(lambda xp, x, y: x - y / 2.0, *arrays_)
        np.testing.assert_array_equal(found, arrays_[0] - arrays_[1] / 2)
    assert len(bodies._made) == 3
    assert found.shape == x.shape and found.flags.writeable


def test_an_array_of_one_element_is_given_as_a_number(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x, y = normal(3, 8).astype(np.float32), normal(3, 8, seed=1).astype(np.float32)
    for weight in (np.float32(0.25), np.full((1, 1), 0.25, np.float32)):
        found = bodies.pointwise(_between, x, y, np.asarray(weight))
        np.testing.assert_allclose(found, x + weight * (y - x), rtol=1e-6, atol=1e-6)
    assert bodies.pointwise(_between, x, y, np.ones(8, np.float32)) is None
    assert bodies.pointwise(_between, x, y, np.ones((1, 1, 1), np.float32)) is None


def _between(xp, x, y, weight):
    return x + weight * (y - x)


def test_equality_is_that_of_elements(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = np.array([-1, 0, 0, 2], np.float32)
    found = bodies.pointwise(lambda xp, x: xp.where(x == 0, 7.0, xp.where(x != 2, x, 5.0)), x)
    np.testing.assert_array_equal(found, [-1, 7, 7, 5])
    by_x = ms.grad(lambda x: ops.leaky_relu(x, 0.5))(Tensor(x))
    np.testing.assert_array_equal(by_x.asnumpy(), [0.5, 0.75, 0.75, 1])


def test_a_class_that_is_not_there_is_refused(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = Tensor(normal(2, 20).astype(np.float32))
    with pytest.raises(RuntimeError, match="target"):
        ops.cross_entropy(x, Tensor([0, 20], ms.int32))
    last = ops.cross_entropy(x, Tensor([-1, 2], ms.int32))
    close_sums(last.asnumpy(), ops.cross_entropy(x, Tensor([19, 2], ms.int32)).asnumpy())


def test_arrays_that_are_not_contiguous_or_only_read_are_taken(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = normal(20, 3).astype(np.float32).T
    want = bodies.along(lambda xp, x, axis: x - xp.max(x, axis), -1, x.copy())
    for given in (x, np.broadcast_to(x, (2, *x.shape))[0]):
        np.testing.assert_array_equal(
            bodies.along(lambda xp, x, axis: x - xp.max(x, axis), -1, given), want
        )


def shifted(xp, x, y, *, shift):
    return x * shift, xp.row_sum(x + y)


def shifted_rows(bodies, x, shift):
    return bodies.rows(
        shifted, (1, *x.shape), (ELEMENT, ROW), elements=(x,), columns=(x[0],), shift=shift
    )


def test_a_call_is_prepared_once_for_its_shape_and_scalars(bodies, monkeypatch):
    run_by_python(monkeypatch)
    for seed, rows, shift in ((0, 3, 2.0), (1, 3, 2.0), (2, 3, 4.0), (3, 5, 2.0)):
        x = normal(rows, 20, seed=seed).astype(np.float32)
        product, total = shifted_rows(bodies, x, shift)
        np.testing.assert_array_equal(product, x * np.float32(shift))
        close_sums(total, (x + x[0]).sum(1))
    assert len(bodies._calls) == 3 and len(bodies._made) == 1


def test_zeros_of_both_signs_are_different_scalars(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = np.ones((3, 20), np.float32)
    for shift in (0.0, -0.0, 0.0):
        assert (np.signbit(shifted_rows(bodies, x, shift)[0]) == np.signbit(shift)).all()


def test_calls_of_elements_are_prepared_once_and_tell_zeros_apart(bodies, monkeypatch):
    run_by_python(monkeypatch)
    x = np.ones((3, 20), np.float32)

    def scaled(xp, x, *, factor):
        return xp.exp(x) * factor

    for factor in (2.0, 4.0, 2.0, 0.0, -0.0, 0.0, np.nan, np.nan):
        found = bodies.pointwise(scaled, x, factor=factor)
        assert np.isnan(factor) or (np.signbit(found) == np.signbit(factor)).all()
        np.testing.assert_allclose(found, np.exp(x) * factor, rtol=1e-6)
    assert len(bodies._calls) == 3 and len(bodies._made) == 1


def test_few_prepared_calls_are_kept(bodies, monkeypatch):
    run_by_python(monkeypatch)
    monkeypatch.setattr(host, "MOST_CALLS", 2)
    for rows in range(1, 7):
        shifted_rows(bodies, np.ones((rows, 20), np.float32), 2.0)
        assert len(bodies._calls) <= 2


@pytest.mark.parametrize("size, dtype", [(100, np.float32), (1 << 14, np.float64)], ids=str)
def test_small_arrays_and_float64_are_numpys(size, dtype, monkeypatch):
    monkeypatch.setattr(Least, "BODY", 1 << 13)
    monkeypatch.setattr(Least, "BODY_POINT", 1 << 9)
    found = host.CompiledBodies()
    x = np.ones((2, size // 2), dtype)
    assert found.pointwise(lambda xp, x: x * x, x) is None
    assert not found.apply(x)


def test_a_forked_process_compiles_nothing(monkeypatch):
    monkeypatch.setattr(jit, "_queue", jit._Closed())
    loop = jit.Loop(lambda name: f"def {name}(): pass\n", [], False, "nothing")
    loop.wait()
    assert not loop.request() and loop.ready is None


def test_a_loop_that_two_threads_ask_for_is_compiled_once(monkeypatch):
    compiled_loops = []
    loop = jit.Loop(lambda name: "", [], False, "nothing")
    monkeypatch.setattr(loop, "compile", lambda *_: compiled_loops.append(loop) or loop._done.set())
    queue = jit._Queue()
    queue.add(loop)
    first = loop._done
    queue.add(loop)  # as another thread that has not seen the first request
    assert loop._done is first and first.wait(20) and compiled_loops == [loop]


def test_threads_that_make_an_object_at_the_same_time_get_one():
    together = threading.Barrier(2, timeout=20)

    @jit.made_once
    def make():
        together.wait()  # until both threads are here, so that neither has returned yet
        return object()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        first, second = [future.result() for future in [pool.submit(make), pool.submit(make)]]
    assert first is second is make()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_process_does_not_wait_for_what_the_parent_compiles(monkeypatch):
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    going_on = threading.Event()
    loop = jit.Loop(lambda name: "", [], False, "nothing")
    monkeypatch.setattr(loop, "compile", lambda *_: going_on.wait() and loop._done.set())
    waiting = threading.Thread(target=loop.request)
    waiting.start()
    while loop._done is None:
        time.sleep(0.001)
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(int(loop.request()))
    going_on.set()
    waiting.join()
    assert os.waitpid(child, 0)[1] == 0


@needs_numba
@pytest.mark.parametrize("setting, found", [("off", "False"), ("wait", "True")])
def test_the_environment_switches_loops_off_or_waits_for_them(setting, found):
    text = """
import numpy as np
import mindspore_compat as ms
from mindspore_compat._backend import arrays
ms.ops.silu(ms.Tensor(np.ones(1 << 16, np.float32)))
bodies = arrays.HOST.bodies
print(bodies is not None and all(made.loop.ready for made in bodies._made.values()))
"""
    done = subprocess.run(
        [sys.executable, "-c", text],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
        env={**os.environ, "MINDSPORE_COMPAT_COMPILE": setting},
    )
    assert done.stdout.split() == [found]


@needs_numba
def test_a_small_array_takes_the_loop_of_a_body_of_many_steps(monkeypatch):
    monkeypatch.setattr(Least, "BODY_POINT", 1 << 9)
    monkeypatch.setattr(Least, "BODY_WORK", 3 << 11)
    monkeypatch.setattr(jit, "_setting", lambda: "wait")
    found = host.CompiledBodies()
    x = np.linspace(-1, 1, 1 << 10, dtype=np.float32)

    def long(xp, x):
        for _ in range(6):
            x = x * x
        return x

    def short(xp, x):
        return x * x

    assert found.pointwise(short, x) is None
    assert found.pointwise(long, x[:100]) is None
    for _ in range(2):
        np.testing.assert_array_equal(found.pointwise(long, x), long(np, x))
        assert found.pointwise(short, x) is None
    assert found.pays(long, x.size) and not found.pays(short, x.size)
    assert found.pays(short, 1 << 13)
