"""Redistribution between all placements, and the bytes that it takes."""

import itertools

import numpy
import pytest
from kit.simulated_ranks import on_ranks

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._core.sharding.array import ShardedSpace
from mindspore_compat._core.sharding.mesh import Mesh, prime_factors

WHOLE = numpy.arange(8 * 12, dtype=numpy.float64).reshape(8, 12)


def placements(mesh_axes):
    """Yields every placement of an array with two axes on mesh axes: whole, divided or to be
    summed."""
    for chosen in itertools.product(("whole", 0, 1, "sum"), repeat=len(mesh_axes)):
        for order in itertools.permutations(mesh_axes):
            dims = [
                tuple(a for a in order if chosen[mesh_axes.index(a)] == axis) for axis in (0, 1)
            ]
            sums = tuple(a for a in mesh_axes if chosen[mesh_axes.index(a)] == "sum")
            yield tuple(dims), sums


ALL = sorted(set(placements((0, 1))))


def made(space, placement):
    """Returns WHOLE under a placement; blocks to be summed are multiples of WHOLE that add up to
    it."""
    dims, sums = placement
    share = 1.0
    for axis in sums:
        share *= (1 + space.mesh.place[axis]) / sum(range(1, space.mesh.shape[axis] + 1))
    return space.wrap(space.cut(WHOLE * share, dims).copy(), dims, sums)


def test_every_placement_becomes_every_other():
    def run(world):
        space = ShardedSpace(Mesh(world), HOST)
        for source, target in itertools.product(ALL, ALL):
            if not set(target[1]) <= set(source[1]):
                continue
            moved = space.place(made(space, source), *target)
            assert (moved.dims, moved.sums, moved.shape) == (*target, WHOLE.shape)
            numpy.testing.assert_allclose(moved.get(), WHOLE, err_msg=f"{source} {target}")
            if not target[1]:
                numpy.testing.assert_allclose(moved.block, space.cut(WHOLE, target[0]))

    on_ranks(4, run)


@pytest.mark.parametrize("size", [6, 8, 12])
def test_larger_meshes(size):
    def run(world):
        space = ShardedSpace(Mesh(world), HOST)
        found = list(itertools.islice(placements(space.mesh.axes), 0, None, 7))
        good = [
            p
            for p in found
            if all(8 * 12 and n % space.mesh.count(axes) == 0 for n, axes in zip(WHOLE.shape, p[0]))
        ]
        for source, target in zip(good, reversed(good)):
            if set(target[1]) <= set(source[1]):
                moved = space.place(made(space, source), *target)
                numpy.testing.assert_allclose(moved.get(), WHOLE)

    on_ranks(size, run)


COSTS = {  # on 4 ranks: the share of an array of 8 * 12 doubles that a rank receives
    "all_gather": ((((0, 1), ()), ()), (((), ()), ()), 3 / 4),
    "all_reduce": ((((), ()), (0, 1)), (((), ()), ()), 2 * 3 / 4),
    "reduce_scatter": ((((), ()), (0,)), (((0,), ()), ()), 1 / 2),
    "all_to_all": ((((0,), ()), ()), (((), (0,)), ()), 1 / 4),
    "all_to_all of two axes": ((((0, 1), ()), ()), (((), (0, 1)), ()), 3 / 16),
    "nothing": ((((0,), ()), ()), (((0,), (1,)), ()), 0),
}


@pytest.mark.parametrize("kind", COSTS)
def test_the_cheapest_exchange_is_taken_and_counted(kind):
    source, target, share = COSTS[kind]

    def run(world):
        space = ShardedSpace(Mesh(world), HOST)
        space.place(made(space, source), *target)
        return dict(space.mesh.traffic)

    expected = {} if kind == "nothing" else {kind.split()[0]: int(share * WHOLE.nbytes)}
    assert on_ranks(4, run) == [expected] * 4


def test_axes_of_a_mesh():
    def run(world):
        mesh = Mesh(world)
        return mesh.place, mesh.group((1, 2)).ranks, mesh.index((2, 0))

    found = on_ranks(8, run)
    assert found[6] == ((1, 1, 0), (4, 5, 6, 7), 1)
    assert [prime_factors(n) for n in (1, 2, 6, 8)] == [(), (2,), (2, 3), (2, 2, 2)]


def test_axes_for_a_number_of_parts():
    def run(world):
        mesh = Mesh(world)
        return mesh.axes_for(4), mesh.axes_for(3), mesh.axes_for(2, (0,)), mesh.axes_for(5)

    assert on_ranks(12, run)[0] == ((0, 1), (2,), (1,), None)
