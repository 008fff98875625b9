"""In-place updates match the plain formulas in float64 on every array type; a rejected call changes
nothing.
"""

import ctypes
import shutil
import subprocess

import ml_dtypes
import numpy as np
import pytest
from kit import close

from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies.multi_tensor import kernel_text
from mindspore_compat._backend.bodies.symbols import Trace
from mindspore_compat._backend.updates.fuse import BLOCK, fuse
from mindspore_compat.ops._optimizer import formulas

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-6}
RMS = {"lr": 0.1, "rho": 0.9, "momentum": 0.3, "eps": 1e-3}
CASES = {
    "momentum_update": {"lr": 0.1, "momentum": 0.9},
    "momentum_update, nesterov": {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    "sgd_update": {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "nesterov": False},
    "sgd_update, undampened": {"lr": 0.1, "momentum": 0.9, "dampening": None, "nesterov": True},
    "plain_update": {"lr": 0.1},
    "adam_update": {**ADAM, "nesterov": False},
    "adam_update, nesterov": {**ADAM, "nesterov": True},
    "amsgrad_update": ADAM,
    "adam_weight_decay_update": {**ADAM, "decay": 0.1},
    "adam_weight_decay_update, none": {**ADAM, "decay": None},
    "adamax_update": ADAM,
    "rmsprop_update": RMS,
    "centered_rmsprop_update": RMS,
    "adagrad_update": {"lr": 0.1},
    "adagrad_update, fixed slots": {"lr": 0.1, "update_slots": False},
    "adadelta_update": {"lr": 0.1, "rho": 0.9, "eps": 1e-5},
    "proximal_adagrad_update": {"lr": 0.1, "l1": 0.1, "l2": 0.2},
    "ftrl_update": {"lr": 0.1, "lr_power": -0.3, "l1": 0.1, "l2": 0.2},
    "asgd_update": {"lambd": 0.1, "eta": 0.2, "mu": 0.3},
    "rprop_update": {
        "lr": 0.1,
        "first": False,
        "shrink": 0.5,
        "grow": 1.2,
        "smallest": 1e-6,
        "largest": 50.0,
    },
    "rprop_update, first": {
        "lr": 0.1,
        "first": True,
        "shrink": 0.5,
        "grow": 1.2,
        "smallest": 1e-6,
        "largest": 50.0,
    },
    "lamb_direction": {
        "beta1": 0.9,
        "beta2": 0.99,
        "eps": 1e-6,
        "correct1": 2.0,
        "correct2": 3.0,
        "decay": 0.1,
    },
}
each_case = pytest.mark.parametrize("case", CASES)
SIGNED = {"p", "g", "previous", "linear", "step", "average"}
NARROW = {np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)}


def formula_of(case):
    return getattr(formulas, case.split(",")[0])


def updater(case):
    reads = ("p", "g") if case == "lamb_direction" else ("g",)
    return fuse(formula_of(case), reads)


def operands(fused, shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    made = {}
    for name in fused.names:
        values = rng.standard_normal(shape)
        if name not in SIGNED:
            values = abs(values) + (2.0 if name == "mean_square" else 0.01)
        if name == "mean":
            values = values * 0.1
        made[name] = values.astype(dtype)
    return made


def wanted(case, made):
    """The new values by the plain formula, in float64."""
    exact = [array.astype(np.float64) for array in made.values()]
    return formula_of(case)(np, *exact, **CASES[case])


def check(fused, on_device, expected, rtol, atol):
    results = [
        arrays.to_host(array)
        for array, writes in zip(on_device, fused.written, strict=True)
        if writes
    ]
    for result, value in zip(results, expected, strict=True):
        close(result.astype(np.float64), value, rtol=rtol, atol=atol)


@each_case
@pytest.mark.parametrize("shape", [(), (5,), (3, 4), (0,)], ids=str)
def test_update_is_the_formula(space, case, shape):
    fused = updater(case)
    made = operands(fused, shape, np.float32)
    on_device = [space.array(array) for array in made.values()]
    fused(*on_device, **CASES[case])
    check(fused, on_device, wanted(case, made), 1e-5, 1e-6)


@each_case
def test_blocks_meet_without_a_seam(case):
    fused = updater(case)
    made = operands(fused, (2 * BLOCK + 3,), np.float64)
    on_device = [array.copy() for array in made.values()]
    fused(*on_device, **CASES[case])
    check(fused, on_device, wanted(case, made), 1e-12, 1e-13)


@each_case
@pytest.mark.parametrize("dtype", sorted(NARROW, key=str), ids=str)
def test_halves_are_computed_in_float32_and_rounded_once(space, case, dtype):
    if dtype == ml_dtypes.bfloat16 and space is not arrays.HOST and not arrays.gpu_available():
        pytest.skip("the stand-in reads no bfloat16 kernels")
    fused = updater(case)
    made = operands(fused, (3, 4), dtype)
    on_device = [space.array(array) for array in made.values()]
    fused(*on_device, **CASES[case])
    step = 2.0 ** (-11 if dtype == np.float16 else -8)
    check(fused, on_device, wanted(case, made), 1.01 * step, 1e-4 * step)


def test_float32_states_beside_half_parameters_keep_their_precision(space):
    fused = fuse(formulas.momentum_update)
    p, g, moments = np.float16([1, 2]), np.float16([0.1, 0.2]), np.float32([1 / 3, 2 / 3])
    on_device = [space.array(array) for array in (p, g, moments)]
    fused(*on_device, lr=0.1, momentum=0.9)
    expected = np.float64(0.9) * moments + g.astype(np.float64)
    close(arrays.to_host(on_device[2]), expected, rtol=1e-7, atol=0)
    assert on_device[0].dtype == np.float16


def test_arrays_that_are_not_contiguous_are_written_through(space):
    fused = fuse(formulas.momentum_update)
    p, moments = space.zeros((4, 6)), space.zeros((4, 6))
    g = space.asarray(np.arange(6.0).reshape(3, 2).T)
    fused(p[::2, 1::2], g, moments[::2, 1::2], lr=1.0, momentum=0.5)
    expected = np.zeros((4, 6))
    expected[::2, 1::2] = np.arange(6.0).reshape(3, 2).T
    np.testing.assert_array_equal(arrays.to_host(moments), expected)
    np.testing.assert_array_equal(arrays.to_host(p), -expected)


@pytest.mark.parametrize("part", [slice(None), slice(0, 3)], ids=["the same", "a view"])
def test_a_gradient_may_be_the_parameter_itself(part):
    p = np.linspace(-1, 1, 3)
    rates = dict(lr=0.1, l1=0.1, l2=0.2)
    expected, *_ = formulas.proximal_adagrad_update(np, p, p.copy(), np.ones(3), **rates)
    fuse(formulas.proximal_adagrad_update)(p, p[part], np.ones(3), lr=0.1, l1=0.1, l2=0.2)
    close(p, expected, rtol=1e-12, atol=0)


def test_a_refused_sweep_changes_nothing(space):
    fused = fuse(formulas.momentum_update)
    good = [space.ones((3,)), space.ones((3,)), space.ones((3,))]
    bad = [space.ones((3,)), space.ones((1,)), space.ones((3,))]
    with pytest.raises(ValueError, match="momentum_update"):
        fused.sweep([good, bad], lr=0.1, momentum=0.9)
    for array in good + bad:
        assert (arrays.to_host(array) == 1).all()


def test_non_finite_gradients_warn_no_one(recwarn):
    p, m = np.zeros(2, np.float32), np.zeros(2, np.float32)
    with np.errstate(all="raise"):
        fuse(formulas.momentum_update)(p, np.float32([np.inf, np.nan]), m, lr=0.1, momentum=0.9)
    assert not recwarn.list and not np.isfinite(p).any()


def test_scalars_are_computed_in_float64():
    trace = Trace(
        formulas.adam_update,
        ("p", "g", "m", "v"),
        (True, False, True, True),
        {"nesterov": False},
        ("lr", "beta1", "beta2", "eps"),
    )
    values = trace.scalars({"lr": 0.1, "beta1": 0.9, "beta2": np.float64(0.999), "eps": 1})
    assert values == (0.9, 1 - 0.9, 0.999, 1 - 0.999, 0.1, 1.0)


def test_a_formula_that_branches_on_a_value_is_refused():
    def branching(xp, p, g, *, lr):
        return (p - lr * g if p > 0 else p,)

    with pytest.raises(TypeError, match="branch"):
        fuse(branching)(np.ones(2), np.ones(2), lr=0.1)


def test_values_that_are_swapped():
    def swapped(xp, p, g, q):
        return q, p

    p, q = np.arange(3.0), np.arange(3.0) + 10
    fuse(swapped)(p, np.zeros(3), q)
    np.testing.assert_array_equal(p, np.arange(3.0) + 10)
    np.testing.assert_array_equal(q, np.arange(3.0))


C_FRAME = """
#include <cmath>
using namespace std;
{types}
extern "C" void run(long size, {arguments}) {{
    for (long at = 0; at < size; ++at) {{
        {references}
        {body}
    }}
}}
"""


def traced(case):
    fused = updater(case)
    scalars = CASES[case]
    flags = {
        key: value for key, value in scalars.items() if value is None or isinstance(value, bool)
    }
    numbers = {key: value for key, value in scalars.items() if key not in flags}
    return Trace(fused.formula, fused.names, fused.written, flags, tuple(numbers)), numbers


@pytest.mark.skipif(shutil.which("c++") is None, reason="no C++ compiler")
@each_case
def test_the_text_of_the_kernel_compiled_for_the_host(case, tmp_path):
    trace, numbers = traced(case)
    scalars = trace.scalars(numbers)
    names = trace.names
    source = C_FRAME.format(
        types="\n".join(f"typedef float {chr(65 + i)};" for i in range(len(names))),
        arguments=", ".join(
            [f"float *{name}_at" for name in names] + [f"float s{i}" for i in range(len(scalars))]
        ),
        references="\n".join(f"float &{name}_ = {name}_at[at];" for name in names),
        body=kernel_text(trace, np.dtype(np.float32)),
    )
    (tmp_path / "k.cpp").write_text(source)
    subprocess.run(
        ["c++", "-O1", "-shared", "-fPIC", "-o", tmp_path / "k.so", tmp_path / "k.cpp"], check=True
    )
    fused = updater(case)
    made = operands(fused, (50,), np.float32)
    on_device = [array.copy() for array in made.values()]
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    library.run(
        ctypes.c_long(50),
        *[ctypes.c_void_p(array.ctypes.data) for array in on_device],
        *[ctypes.c_float(value) for value in scalars],
    )
    check(fused, on_device, wanted(case, made), 1e-5, 1e-6)
