"""Operator bodies as single GPU kernels match NumPy, and all of them compile."""

import ml_dtypes
import numpy as np
import pytest
from fakecupy import counting, rawkernels
from kit import close, close_sums

from mindspore_compat._backend import arrays
from mindspore_compat._backend.bodies.row_plan import ELEMENT, ROW

pytestmark = [
    pytest.mark.device,
    pytest.mark.skipif(rawkernels.compiler() is None, reason="no C++ compiler"),
]


def normal(xp, x, scale, shift, *, eps):
    mean = xp.row_sum(x) / xp.row_size()
    part = x - mean
    rstd = 1 / xp.sqrt(xp.row_sum(part * part) / xp.row_size() + eps)
    out = part * rstd if scale is None else part * rstd * scale
    return out if shift is None else out + shift, mean, rstd


def expected_normal(x, scale, shift, axes, eps):
    x = x.astype(np.float64)
    mean = x.mean(axes, keepdims=True)
    rstd = 1 / np.sqrt(x.var(axes, keepdims=True) + eps)
    out = (x - mean) * rstd * (1 if scale is None else scale)
    return out + (0 if shift is None else shift), mean.reshape(-1), rstd.reshape(-1)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", ml_dtypes.bfloat16], ids=str)
@pytest.mark.parametrize("shape", [(3, 5), (2, 700), (1, 1)], ids=str)
def test_rows_of_a_matrix(space, dtype, shape):
    rng = np.random.default_rng(0)
    x = rng.standard_normal(shape).astype(dtype)
    scale = rng.standard_normal(shape[1]).astype(np.float32)
    with counting.counted() as counts:
        found = space.bodies.rows(
            normal,
            (1, *shape),
            (ELEMENT, ROW, ROW),
            elements=(space.array(x),),
            columns=(space.array(scale), None),
            eps=1e-5,
        )
    expected = expected_normal(x, scale, None, 1, 1e-5)
    tolerance = {4: 1e-5, 8: 1e-12, 2: 1e-2}[x.itemsize]
    for have, want in zip(found, expected, strict=True):
        close(have.get().astype(float), want, rtol=tolerance, atol=tolerance)
    assert counts.launches == 1 or not counting.counts(space)
    assert found[0].dtype == dtype
    assert found[1].dtype == (np.float64 if dtype == "float64" else np.float32)


def test_channels_of_a_batch(space):
    x = np.random.default_rng(0).standard_normal((3, 4, 2, 5)).astype(np.float32)
    scale, shift = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
    found = space.bodies.rows(
        normal,
        (3, 4, 10),
        (ELEMENT, ROW, ROW),
        elements=(space.array(x),),
        rows=(space.array(scale), space.array(shift)),
        eps=1e-3,
    )
    expected = expected_normal(x, scale.reshape(-1, 1, 1), shift.reshape(-1, 1, 1), (0, 2, 3), 1e-3)
    for have, want in zip(found, expected, strict=True):
        close_sums(have.get(), want)


def scaled_normal(xp, x, scale, *, eps, groups, area):
    return normal(xp, x, scale, None, eps=eps)[0]


def test_groups_of_channels_have_a_number_for_each_channel(space):
    x = np.random.default_rng(0).standard_normal((3, 4, 2, 5)).astype(np.float32)
    scale = np.arange(4, dtype=np.float32)
    found = space.bodies.rows(
        scaled_normal,
        (1, 6, 20),
        (ELEMENT,),
        elements=(space.array(x),),
        channels=(space.array(scale),),
        eps=1e-3,
        groups=2,
        area=10,
    )
    wanted, _, _ = expected_normal(x.reshape(6, 20), None, None, 1, 1e-3)
    close(found.get(), wanted.reshape(x.shape) * scale.reshape(-1, 1, 1), rtol=1e-5, atol=1e-5)


def below(xp, x, column, counts):
    top = xp.row_max(x)
    picked = xp.row_sum(xp.where(xp.at_column(column), x, 0))
    return xp.where(counts, top - picked, 7)


@pytest.mark.parametrize("kind", ["int32", "int64"])
def test_an_element_of_each_row_is_picked(space, kind):
    x = np.random.default_rng(0).standard_normal((4, 300)).astype(np.float32)
    column, counts = np.array([0, 299, -1, 5], kind), np.array([True, True, True, False])
    rows = space.array(column), space.array(counts)
    found = space.bodies.rows(below, (1, 4, 300), (ROW,), elements=(space.array(x),), rows=rows)
    wanted = x.max(1) - x[np.arange(4), column]
    wanted[3] = 7
    close(found.get(), wanted)
    x[1, 3] = np.nan
    found = space.bodies.rows(below, (1, 4, 300), (ROW,), elements=(space.array(x),), rows=rows)
    np.testing.assert_array_equal(np.isnan(found.get()), [False, True, False, False])


def replaced(xp, x):
    return xp.where(x == 0, 7.0, xp.where(x != 2, x, 5.0))


def test_equality_is_that_of_elements(space):
    found = space.bodies.pointwise(replaced, space.array(np.float32([-1, 0, 2])))
    np.testing.assert_array_equal(found.get(), [-1, 7, 5])


def joint(xp, x, y, *, factor, flag):
    total = x + factor * y if flag else x
    return xp.tanh(total), total > 0


def test_elements_are_broadcast_and_written_where_asked(space):
    x, y = np.arange(6, dtype=np.float32).reshape(2, 3), np.float32([[1], [-9]])
    operands = space.array(x), space.array(y)
    with counting.counted() as counts:
        first, positive = space.bodies.pointwise(joint, *operands, factor=0.5, flag=True)
    assert counts.launches == 1 or not counting.counts(space)
    close(first.get(), np.tanh(x + 0.5 * y))
    np.testing.assert_array_equal(positive.get(), x + 0.5 * y > 0)
    into = space.zeros((2, 6), np.float32)
    space.bodies.pointwise(joint, *operands, out=(into[:, :3], into[:, 3:]), factor=0.5, flag=False)
    close(into.get(), np.concatenate([np.tanh(x), x > 0], 1))


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)  # a GPU would hang
def test_threads_that_do_not_meet_are_an_error(space):
    text = (
        'extern "C" __global__ void uneven(float* x) { __shared__ float lanes[32]; '
        "lanes[threadIdx.x] = x[0]; if (threadIdx.x) __syncthreads(); x[0] = lanes[0]; }"
    )
    with pytest.raises(RuntimeError, match="some threads of uneven"):
        space.module.RawKernel(text, "uneven")((1,), (32,), (space.zeros(1, np.float32),))
    assert arrays.on_device(space.zeros(1))
