"""`tensordot`, `einsum` and their kin on a GPU, against NumPy."""

import numpy as np
import pytest
from kit import close

from mindspore_compat._backend import arrays

pytestmark = [
    pytest.mark.parametrize("space", ["cupy"], indirect=True),
    pytest.mark.skipif(not arrays.gpu_available(), reason="no GPU computes"),
]
EQUATIONS = {
    "ij,jk->ik": [(3, 4), (4, 5)],
    "ij,jk": [(3, 1), (4, 5)],
    "i,i": [(3,), (3,)],
    "bhqd,bkhd->bhqk": [(2, 3, 4, 5), (2, 6, 3, 5)],
    "ij,kl->iljk": [(2, 3), (4, 5)],
    "ijk,ik->j": [(2, 3, 4), (2, 4)],
    "ijm,jkn->ik": [(2, 3, 4), (3, 5, 6)],
    "ij,ij->ij": [(3, 4), (3, 4)],
    "bi,bj->bij": [(3, 2), (3, 4)],
    ",ij->ij": [(), (2, 3)],
    "ij , jk -> ik": [(3, 0), (0, 5)],
    "ij,jk,kl->il": [(2, 3), (3, 4), (4, 5)],
    "ab,cd,bc,e->ade": [(2, 3), (4, 5), (3, 4), (2,)],
    "ii,ij->j": [(3, 3), (3, 4)],
    "b...,b...->...": [(3, 2), (3, 2)],
    "ij->ji": [(2, 3)],
}


def _arrays(space, shapes):
    rng = np.random.default_rng(5)
    on_host = [rng.standard_normal(shape) for shape in shapes]
    return [space.asarray(each) for each in on_host], on_host


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(space, equation):
    operands, on_host = _arrays(space, EQUATIONS[equation])
    wanted = np.einsum(equation, *on_host)
    close(space.einsum(equation, *operands).get(), wanted)
    close(space.einsum_list(operands, equation).get(), wanted)


@pytest.mark.parametrize("equation", ["ij,jk->ik", "ij,ij->im"])
def test_what_does_not_fit_is_a_value_error(space, equation):
    operands, _ = _arrays(space, [(2, 3), (4, 5)])
    with pytest.raises(ValueError):
        space.einsum(equation, *operands)


@pytest.mark.parametrize(
    "shapes, axes",
    [
        (((2, 3, 4), (3, 4, 5)), 2),
        (((2, 3, 4), (4, 3, 5)), ((1, 2), (1, 0))),
        (((2, 3), (4,)), 0),
        (((3, 4), (5, 4)), (1, -1)),
    ],
)
def test_tensordot(space, shapes, axes):
    operands, on_host = _arrays(space, shapes)
    close(space.tensordot(*operands, axes).get(), np.tensordot(*on_host, axes))


def test_tensordot_refuses_axes_that_do_not_fit(space):
    with pytest.raises(ValueError, match="tensordot"):
        space.tensordot(space.ones((2, 3)), space.ones((2, 3)), 1)


@pytest.mark.parametrize(
    "name, shapes",
    [
        ("dot", ((3, 4), (4,))),
        ("dot", ((4,), (4,))),
        ("dot", ((2, 3, 4), (5, 4, 6))),
        ("dot", ((), (2, 3))),
        ("inner", ((2, 3, 4), (5, 4))),
        ("inner", ((4,), ())),
        ("vdot", ((2, 3), (2, 3))),
    ],
)
def test_products_of_numpy(space, name, shapes):
    operands, on_host = _arrays(space, shapes)
    operands, on_host = ([x * (1 + 2j) for x in each] for each in (operands, on_host))
    close(getattr(space, name)(*operands).get(), getattr(np, name)(*on_host))
