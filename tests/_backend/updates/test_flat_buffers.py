"""Small parameters are updated in packs: which parameters share a pack, and that results are
unchanged."""

import numpy as np
import pytest

from mindspore_compat._backend.thresholds import Most
from mindspore_compat._backend.updates.complete import complete
from mindspore_compat._backend.updates.flat_buffers import Pack, Scratch, groups_of_small
from mindspore_compat._backend.updates.fuse import fuse
from mindspore_compat.ops._optimizer.formulas import adam_update

ADAM = {"lr": 0.1, "beta1": 0.9, "beta2": 0.99, "eps": 1e-8}


def zeros(*sizes):
    return [np.zeros(size, np.float32) for size in sizes]


def test_small_arrays_of_one_kind_share_a_pack():
    buffers = zeros(10, Most.UPDATE_COPIED + 1, 20, 30, 40)
    assert groups_of_small(buffers, ["a", "a", "b", "a", "b"]) == ([[0, 3], [2, 4]], [1])


def test_one_array_is_no_pack():
    assert groups_of_small(zeros(10, 20), ["a", "b"]) == ([], [0, 1])
    assert groups_of_small([], []) == ([], [])


def test_a_pack_is_a_block_at_most():
    buffers = zeros(*[Most.UPDATE_COPIED] * 25)
    packs, rest = groups_of_small(buffers, ["a"] * 25)
    assert [len(members) for members in packs] == [10, 10, 5] and rest == []
    assert sorted(sum(packs, [])) == list(range(25))


@pytest.mark.parametrize("space", ["fakecupy"], indirect=True)
def test_arrays_on_a_gpu_are_not_packed(space):
    buffers = [space.zeros(10, "float32") for _ in range(3)]
    assert groups_of_small(buffers, ["a"] * 3) == ([], [0, 1, 2])


@pytest.mark.parametrize("dtype", [np.float32, np.float16, np.float64])
def test_each_is_updated_as_alone(dtype):
    rng = np.random.default_rng(0)
    shapes = [(3, 4), (), (5,), (2, 0), (1, 2, 3)]
    alone = [[rng.random(shape).astype(dtype) for _ in range(4)] for shape in shapes]
    parameters = [row[0].copy() for row in alone]
    gradients = [row[1] for row in alone]
    pack = Pack(shapes, [dtype] * 4)
    for kind, views in enumerate(pack.views):
        for row, view in zip(alone, views, strict=True):
            view[...] = row[2 + kind]
    update = fuse(adam_update)
    for _ in range(3):
        pack.update(update, parameters, gradients, **ADAM)
        for p, g, m, v in alone:
            update(p, g, m, v, **ADAM)
    for index, (p, _, m, v) in enumerate(alone):
        np.testing.assert_array_equal(parameters[index], p)
        np.testing.assert_array_equal(pack.views[0][index], m)
        np.testing.assert_array_equal(pack.views[1][index], v)


def test_packs_of_one_sweep_may_share_their_scratch_memory():
    rng = np.random.default_rng(0)
    scratch, units, expected, found = Scratch(8), [], [], []
    descent = fuse(lambda xp, p, g, *, lr: (p - lr * g,))
    for shapes in ([(4,), (4,)], [(2, 2), (3,)]):
        parameters, gradients = [[rng.random(shape) for shape in shapes] for _ in range(2)]
        pack = Pack(shapes, [np.dtype(float)] * 2, scratch)
        expected += [p - 0.5 * g for p, g in zip(parameters, gradients, strict=True)]
        found += parameters
        (unit,) = descent.units([pack.row()], lr=0.5)
        units.append(pack.around(unit, parameters, gradients))
    complete(units)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other)


def test_parameters_may_lie_in_strides():
    wide = np.ones((4, 6), np.float32)
    parameter, other = wide[:, ::2], np.ones(2, np.float32)
    pack = Pack([parameter.shape, other.shape], [np.float32, np.float32])
    pack.update(
        fuse(lambda xp, p, g, *, lr: (p - lr * g,)),
        [parameter, other],
        [np.ones((4, 3), np.float32), np.ones(2, np.float32)],
        lr=0.25,
    )
    np.testing.assert_array_equal(wide[:, ::2], np.full((4, 3), 0.75))
    np.testing.assert_array_equal(wide[:, 1::2], np.ones((4, 3)))
