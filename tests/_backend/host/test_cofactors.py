"""Cofactors of matrices that are regular, nearly singular and singular, in one stack."""

import numpy as np
import pytest

from mindspore_compat._backend import arrays


def _minors(x):
    rows = range(len(x))
    return np.array(
        [
            [
                (-1) ** (i + j) * np.linalg.det(np.delete(np.delete(x, i, 0), j, 1)).conj()
                for j in rows
            ]
            for i in rows
        ]
    )


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("stack", [(6,), (2, 3)])
def test_cofactors_are_minors(dtype, stack):
    random = np.random.default_rng(4)
    x = random.normal(size=(6, 4, 4)).astype(dtype)
    if x.dtype.kind == "c":
        x += 1j * random.normal(size=x.shape).astype(x.real.dtype)
    x[1] = 0
    x[2, 0] = x[2, 3]
    x[3, 0] = x[3, 3] * (1 + np.finfo(dtype).eps)
    x[4] *= 1e-12
    wanted = np.stack([_minors(each) for each in x.astype(np.result_type(dtype, "float64"))])
    found = arrays.current_space().linalg_cofactors(x.reshape(*stack, 4, 4))
    assert found.dtype == x.dtype
    size = np.abs(wanted).max((-1, -2), keepdims=True) + np.finfo(dtype).tiny
    error = np.abs(found.reshape(wanted.shape) - wanted) / size
    assert error.max() < 100 * np.finfo(dtype).eps
