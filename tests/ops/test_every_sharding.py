"""Every operator on arrays sharded over two ranks equals the operator on whole arrays. An operand
is sharded along an axis of even length, a partial sum on each rank, or replicated. In the first
form each operand has the first placement that is possible; the other forms rotate the placements.
"""

import census
import numpy as np
import pytest
from kit import close
from kit.simulated_ranks import on_ranks

import mindspore_compat as ms
from mindspore_compat import Tensor, ops
from mindspore_compat._backend.arrays import current_space
from mindspore_compat._core.sharding import network  # noqa: F401 - run_apart
from mindspore_compat._core.sharding.array import ShardedSpace
from mindspore_compat._core.sharding.mesh import Mesh

CASES = census.cases()
FORMS = 3
SINGLE = {"image.signal_to_noise", "_image.crop.crop_and_resize"}  # compute in float32 within


def asked():
    return [
        label
        for label, case in CASES.items()
        if case.positions()
        and not census.exempt_from(label.split(",")[0], "vmap")
        and label.split(",")[0] not in census.exempt.RANDOM
    ]


def divided(space, array, turn):
    """A Tensor of `array` with the placement of number `turn`."""
    even = [i for i, n in enumerate(array.shape) if n and n % 2 == 0]
    ways = [*even, *(["sum"] if array.dtype.kind in "fc" else []), "whole"]
    way = ways[turn % len(ways)]
    whole = space.module.asarray(array)
    if way == "whole":
        return Tensor._wrap(whole)
    if way == "sum":
        share = 0.25 if space.mesh.place[0] else 0.75
        with np.errstate(all="ignore"):
            block = (whole * share).astype(whole.dtype)
        return Tensor._wrap(space.wrap(block, ((),) * whole.ndim, (0,)))
    dims = [(0,) if i == way else () for i in range(whole.ndim)]
    return Tensor._wrap(space.shard(whole, dims))


def flat(out):
    """The Tensors of a result, in order."""
    if isinstance(out, (tuple, list)):
        return [t for one in out for t in flat(one)]
    return [out]


def on_both(case, positions, form, run):
    """The results of `run` on two ranks, gathered to whole arrays."""

    def of_rank(world):
        space = ShardedSpace(Mesh(world), current_space())
        tensors = [divided(space, case.at(p), i + form) for i, p in enumerate(positions)]
        with np.errstate(all="ignore"):
            out = flat(run(*tensors))
        return [np.asarray(t.asnumpy()) for t in out]

    return on_ranks(2, of_rank)


def equal(found, wanted, label):
    for of_rank in found:
        assert len(of_rank) == len(wanted)
        for got, want in zip(of_rank, wanted):
            assert got.shape == want.shape and got.dtype == want.dtype
            if "svd" in label:  # vectors but for their signs
                got, want = abs(got), abs(want)
            single = got.dtype in (np.float32, np.complex64) or label in SINGLE
            close(got, want, 2e-5 if single else 1e-9)


@pytest.mark.parametrize("label", asked())
def test_equals_the_whole(label):
    case = CASES[label]
    positions = case.positions()

    def run(*tensors):
        return case.call(dict(zip(positions, tensors)))

    with np.errstate(all="ignore"):
        wanted = [t.asnumpy() for t in flat(run(*[Tensor(case.at(p)) for p in positions]))]
    for form in range(FORMS):
        equal(on_both(case, positions, form, run), wanted, label)


@pytest.mark.parametrize(
    "label",
    [
        label
        for label in asked()
        if CASES[label].floats() and not census.exempt_from(label.split(",")[0], "gradient")
    ],
)
def test_gradient_equals_the_whole(label):
    case = CASES[label]
    positions = case.positions()
    floats = [positions.index(p) for p in case.floats()]

    def total(*tensors):
        parts = [
            t for t in flat(case.call(dict(zip(positions, tensors)))) if t._array.dtype.kind in "fc"
        ]
        return sum(
            ((ops.real(p) if p._array.dtype.kind == "c" else p).square().sum() for p in parts),
            Tensor(0.0, ms.float64),
        )

    gradient = ms.grad(total, tuple(floats))
    with np.errstate(all="ignore"):
        wanted = flat(gradient(*[Tensor(case.at(p)) for p in positions]))
    wanted = [t.asnumpy() for t in wanted]
    for form in range(FORMS):
        equal(on_both(case, positions, form, gradient), wanted, label)
