"""Triangles of large arrays, which are copied by blocks, against NumPy's."""

import numpy as np
import pytest

from mindspore_compat._backend.host import triangles


@pytest.mark.parametrize("dtype", ["float32", "int8", "bool"])
@pytest.mark.parametrize(
    "shape", [(200, 130), (130, 200), (3, 2, 70, 90), (1, 20_000), (20_000, 1)]
)
def test_as_numpy(shape, dtype):
    x = (np.random.default_rng(2).normal(size=shape) * 9).astype(dtype)
    for array in (x, np.asfortranarray(x), x[::-1]):
        for k in (0, 1, -1, 5, -7, 64, -64, 129, 500, -500):
            for name in ("tril", "triu"):
                found = getattr(triangles, name)(array, k)
                wanted = getattr(np, name)(array, k)
                assert found.dtype == wanted.dtype and np.array_equal(found, wanted)
