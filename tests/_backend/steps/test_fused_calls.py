"""Fused calls of a recorded step give the bits of the separate calls."""

import os
import types

import numpy as np
import pytest
from kit import loops
from kit.loops import needs_numba

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._backend.compiled import door, jit
from mindspore_compat._backend.steps import fused_calls, recorded_array
from mindspore_compat._backend.steps.recorded_array import RECORDED
from mindspore_compat._backend.steps.recording import StepRecorder
from mindspore_compat._backend.threads import scheduler
from mindspore_compat._backend.thresholds import Least

SPECIAL = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-45, -1e-40, 3e38, -3e38, 1.0, -2.5]
SHAPES = [(4, 6), (2, 3, 5), (2, 3, 2, 2), (9,)]


def values_of(rng, shape, dtype=np.float32, special=True):
    """Returns normal numbers; with `special`, a third of them is replaced by values of SPECIAL."""
    found = rng.standard_normal(shape).astype(dtype)
    if special:
        chosen = rng.integers(0, 3, shape) == 0
        found = np.where(chosen, rng.choice(np.array(SPECIAL, dtype), shape), found)
    return found


def operands_of(rng, shape, dtype=np.float32):
    """Returns three random arrays of a shape, and one whose shape broadcasts to it."""
    ways = [(1,), (), shape[-1:]]
    if len(shape) > 1:
        ways += [shape[1:], (*shape[:-1], 1), (shape[0], *(1,) * (len(shape) - 1))]
    if len(shape) > 2:
        ways += [(shape[1], *(1,) * (len(shape) - 2))]
    way = ways[rng.integers(len(ways))]
    return [values_of(rng, each, dtype) for each in (shape, shape, shape, way)]


def program_of(rng, shape, dtype=np.float32):
    """Returns a random program: a function of a space and arrays that returns some of the values
    that it computes."""
    binary = ["add", "subtract", "multiply", "divide", "maximum", "minimum"]
    steps = []
    for number in range(rng.integers(2, 9)):
        kind = rng.integers(12)
        chosen = [rng.integers(4 + number) for _ in range(3)]
        steps.append((kind, binary[rng.integers(len(binary))], chosen, float(rng.choice(SPECIAL))))
    kept = set(rng.integers(4, 4 + len(steps), rng.integers(1, 3)).tolist()) | {3 + len(steps)}

    def run(xp, *arrays):
        found = list(arrays)
        for kind, name, (a, b, c), number in steps:
            x, y, z = (found[each] for each in (a, b, c))
            if kind < 4:
                made = getattr(xp, name)(x, y)
            elif kind < 6:
                made = x * number if kind == 4 else 1.5 - x
            elif kind == 6:
                made = xp.where(x > y, y, z)
            elif kind == 7:
                made = xp.keep((found[0] <= x) & (y != z), found[0])
            elif kind == 8:
                made = xp.at_least(x, 0.0) + xp.at_most(y, -0.0)
            elif kind == 9:
                made = xp.sqrt(xp.abs(x)) - y
            elif kind == 10:
                made = (-x).astype(dtype)
            else:
                made = xp.square(x) / y
            found.append(made)
        return [found[index] for index in sorted(kept)]

    return run


def planned(program, arrays):
    """The plan of a program, and its groups."""
    groups, close = [], fused_calls.Group.close

    def record(self, last):
        parts = close(self, last)
        groups.extend(part for part in parts if type(part) is fused_calls.Group)
        return parts

    with pytest.MonkeyPatch.context() as patch, StepRecorder() as recorder:
        patch.setattr(fused_calls.Group, "close", record)
        given = [recorder.argument(each) for each in arrays]
        results = program(RECORDED, *given)
        plan = recorder.plan(list(results), lambda array: array)
    assert recorder.reason is None
    return lambda *arrays: plan(*[types.SimpleNamespace(_array=x) for x in arrays]), groups


def same_bits(got, want):
    """Asserts that results have equal dtypes, shapes and values; all NaNs count as equal."""
    for mine, other in zip(got, want, strict=True):
        assert mine.dtype == other.dtype and mine.shape == other.shape
        np.testing.assert_array_equal(mine, other)
        nan = np.isnan(other)
        np.testing.assert_array_equal(np.signbit(mine)[~nan], np.signbit(other)[~nan])
        assert mine.strides == other.strides


@pytest.fixture
def of_any_size(monkeypatch):
    """Fuses everything that can be."""
    monkeypatch.setattr(Least, "FUSED_CALLS", 1)
    monkeypatch.setattr(Least, "FUSED_CALL", 1)
    monkeypatch.setattr(Least, "FUSED_STEPS", 1)


@pytest.fixture
def by_python(monkeypatch, of_any_size):
    """Fuses everything that can be, to loops that Python runs."""
    loops.by_python(monkeypatch)
    monkeypatch.setattr(jit, "available", lambda: True)
    monkeypatch.setattr(fused_calls, "_loops", {})
    monkeypatch.setitem(vars(HOST), "bodies", door.call("bodies"))
    monkeypatch.setattr(HOST.bodies, "_made", {})


@pytest.mark.parametrize("clips", [False, True])
@pytest.mark.parametrize("shape", SHAPES)
def test_random_programs_have_the_same_bits(shape, clips, by_python, monkeypatch):
    monkeypatch.setattr(Least, "WHERE", 1 if clips else 1 << 14)
    fused = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        dtype = [np.float32, np.float64][seed % 5 == 0]
        program, arrays = program_of(rng, shape, dtype), operands_of(rng, shape, dtype)
        with np.errstate(all="ignore"):
            plan, groups = planned(program, arrays)
            for _ in range(3):
                same_bits(plan(*arrays), program(HOST, *arrays))
                arrays = [values_of(rng, each.shape, dtype) for each in arrays]
        fused += max((len(group.calls) for group in groups), default=0) > 1
    assert fused > 10, "of so many programs most have calls that belong together"


@needs_numba
@pytest.mark.parametrize("shape", [(40, 101), (3, 7, 11, 13)])
def test_compiled_programs_have_the_same_bits_with_any_number_of_threads(
    shape, of_any_size, monkeypatch
):
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")
    monkeypatch.setattr(fused_calls, "BLOCK", 1000)
    rng = np.random.default_rng(1)
    program, arrays = program_of(rng, shape), operands_of(rng, shape)
    with np.errstate(all="ignore"):
        want = program(HOST, *arrays)
        plan, groups = planned(program, arrays)
        for threads in (1, 2, 4):
            scheduler.limit(threads)
            try:
                same_bits(plan(*arrays), want)
            finally:
                scheduler.limit(0)
    assert groups and all(group.fused.loop.ready for group in groups)


def residual(xp, x, y, bias):
    """The end of a network block, with a value that is used twice."""
    total = x + y
    return [xp.at_least(total + bias, 0.0), total]


def normalized(xp, x, y, mean, var, scale, shift):
    """The end of a network block: batch norm by channels, a sum and an activation."""
    planes = xp.reshape(x, (*x.shape[:2], -1))
    factor = 1 / xp.sqrt(var + 1e-5) * scale
    factor, middle, offset = (xp.reshape(v, (-1, 1)) for v in (factor, mean, shift))
    out = xp.by_rows(lambda xp, part: (part - middle) * factor + offset, planes)
    return [xp.at_least(xp.reshape(out, x.shape) + y, 0.0)]


@pytest.mark.parametrize("shape", [(2, 3, 4, 5), (3, 3, 3, 3), (1, 3, 1, 1), (2, 3, 7)])
def test_values_of_channels_are_broadcast_as_they_are_reshaped(shape, by_python):
    rng = np.random.default_rng(0)
    shapes = [shape, shape, *([(3,)] * 4)]
    arrays = [np.abs(values_of(rng, each, special=False)) for each in shapes]
    plan, groups = planned(body_call(normalized), arrays)
    assert [len(group.calls) for group in groups] == [1]
    same_bits(plan(*arrays), normalized(HOST, *arrays))


def body_call(function):
    """Returns the function as one recorded call, like the body of an operator."""
    return lambda xp, *arrays: recorded_array.call_body(function, arrays)


def test_a_value_that_is_broadcast_in_two_ways_is_left_alone(by_python):
    rng = np.random.default_rng(0)
    arrays = [values_of(rng, shape, special=False) for shape in ((3, 3), (3,))]

    def program(xp, x, v):
        return [(x + v) * xp.reshape(v, (-1, 1))]

    plan, groups = planned(body_call(program), arrays)
    same_bits(plan(*arrays), program(HOST, *arrays))
    assert not groups


def test_a_value_that_is_used_later_is_written(by_python):
    rng = np.random.default_rng(0)
    arrays = [values_of(rng, shape) for shape in ((3, 8), (3, 8), (8,))]
    plan, groups = planned(residual, arrays)
    assert [len(group.results) for group in groups] == [2]
    same_bits(plan(*arrays), residual(HOST, *arrays))


def test_arrays_that_are_not_contiguous_take_the_calls(by_python):
    rng = np.random.default_rng(0)
    arrays = [values_of(rng, shape) for shape in ((3, 8), (3, 8), (8,))]
    plan, groups = planned(residual, arrays)
    views = [values_of(rng, (8, 3)).T, values_of(rng, (3, 16))[:, ::2], arrays[2]]
    ran = []
    with pytest.MonkeyPatch.context() as patch:
        for group_loop in fused_calls._loops.values():
            patch.setattr(group_loop, "run", lambda *given: ran.append(given))
        same_bits(plan(*views), residual(HOST, *views))
    assert groups and not ran


def test_what_is_not_elementwise_in_one_dtype_is_not_fused(by_python):
    x, n = np.ones((4, 6), np.float32), np.ones((4, 6), np.int32)
    half = x.astype(np.float16)
    others = {
        "another function": (lambda xp, x: [xp.exp(x) + xp.tanh(x)], (x,)),
        "integers": (lambda xp, n: [n + n * 2 - n], (n,)),
        "halves": (lambda xp, h: [h + h * 2 - h], (half,)),
        "two dtypes": (lambda xp, x, n: [(x + n) * n], (x, n)),
        "a power": (lambda xp, x: [x**3 + x**2.5], (x,)),
        "a mask as a number": (lambda xp, x: [(x > 0) * x], (x,)),
    }
    for name, (program, arrays) in others.items():
        plan, groups = planned(program, arrays)
        fused = [call for group in groups for call in group.calls]
        same_bits(plan(*arrays), program(HOST, *arrays))
        assert len(fused) < 2, name


def test_arrays_that_rows_do_not_describe_are_left_alone(by_python):
    x = np.ones((2, 5, 3), np.float32)
    for others in [((2, 1, 3),), ((5, 3), (5, 1)), ((2, 1, 1), (5, 1))]:
        arrays = [x, *[np.ones(shape, np.float32) for shape in others]]
        plan, groups = planned(lambda xp, x, *y: [xp.where(x > y[0], x, y[-1])], arrays)
        same_bits(plan(*arrays), [x])
        assert all(len(group.calls) == 1 for group in groups)
    single = [x, np.array(True)]
    plan, groups = planned(lambda xp, x, mask: [xp.where(mask, x, -x)], single)
    same_bits(plan(*single), [x])


def test_nothing_moves_across_a_write(by_python):
    def program(xp, x, y):
        total = x + y
        y[0] = 7.0
        twice = total * 2.0 - y
        y *= 3.0
        return [twice + y, total + y]

    rng = np.random.default_rng(0)
    given = [values_of(rng, (4, 6), special=False) for _ in range(2)]
    plan, _ = planned(program, [each.copy() for each in given])
    same_bits(
        plan(*[each.copy() for each in given]), program(HOST, *[each.copy() for each in given])
    )


def test_a_group_takes_no_more_memory_than_its_calls(by_python):

    def difference(xp, x, y):
        first = xp.exp(x) - xp.exp(y)
        return [first, -first + 1.0]

    arrays = [np.ones((4, 6), np.float32)] * 2
    assert not planned(difference, arrays)[1], "four arrays at once in place of three"
    _, groups = planned(lambda *given: difference(*given)[1:], arrays)
    assert [len(group.calls) for group in groups] == [3]


@needs_numba
def test_a_forked_process_has_the_same_bits(of_any_size, monkeypatch):
    monkeypatch.setenv("MINDSPORE_COMPAT_COMPILE", "wait")
    rng = np.random.default_rng(0)
    arrays = [values_of(rng, shape, special=False) for shape in ((30, 8), (30, 8), (8,))]
    want = residual(HOST, *arrays)
    plan, groups = planned(residual, arrays)
    same_bits(plan(*arrays), want)
    child = os.fork()
    if not child:
        fresh, _ = planned(lambda xp, *given: [each * 3.0 for each in residual(xp, *given)], arrays)
        right = all(map(np.array_equal, plan(*arrays), want)) and all(
            map(np.array_equal, fresh(*arrays), [each * 3.0 for each in want])
        )
        os._exit(0 if right else 1)
    assert os.waitpid(child, 0)[1] == 0 and groups[0].fused.loop.ready
