"""Elements kept by a mask: exactly those, whatever they are, and exact zeros elsewhere."""

import numpy as np
import pytest

from mindspore_compat._backend import arrays, masks  # noqa: F401 - masks declares `keep`


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32"])
@pytest.mark.parametrize("layout", ["whole", "strided", "broadcast"])
def test_keep_is_where(space, dtype, layout):
    values = np.arange(-6, 6).reshape(3, 4).astype(dtype)
    if dtype.startswith("float"):
        values[0, :3] = np.inf, np.nan, -np.inf
    mask = np.random.default_rng(0).random((3, 4)) < .5
    expected = np.where(mask, values, 0)
    given = space.asarray(values)
    if layout == "strided":
        given = space.asarray(np.repeat(values, 2, 1))[:, ::2]
    if layout == "broadcast":
        given = space.broadcast_to(space.asarray(values[:1]), (3, 4))
        expected = np.where(mask, values[:1], 0)
    found = arrays.to_host(space.keep(space.asarray(mask), given))
    assert found.dtype == values.dtype
    np.testing.assert_array_equal(found, expected)


def test_keep_of_one_element_without_axes(space):
    for held, wanted in ((True, 2.5), (False, 0.0)):
        found = space.keep(space.asarray(held), space.asarray(np.float32(2.5)))
        assert found.shape == () and float(found) == wanted
