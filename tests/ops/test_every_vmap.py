"""Every operator: `vmap` equals a Python loop over the mapped axis.

Operands are mapped along their first axis, along their last axis, the first operand alone, and all
but the first. Random operators draw once, so their slices are the same.
"""

import census
import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Tensor, ops

CASES = census.cases()
FORMS = {
    "first axis": (slice(None), 0),
    "last axis": (slice(None), -1),
    "one operand": (slice(0, 1), 0),
    "all but one": (slice(1, None), 0),
}


def asked():
    for label, case in CASES.items():
        if case.positions() and not census.exempt_from(label.split(",")[0], "vmap"):
            yield label


def second(case, position):
    """The operand of the second slice: floats are shifted a little, integers rotated by one
    element."""
    array = case.at(position)
    if array.dtype.kind in "fc":
        return (
            array
            if position[0] in case.fixed
            else census.documented.moved(array).astype(array.dtype)
        )
    return array if case.steady or not array.ndim else np.roll(array, 1, -1)


def flat(out):
    """The Tensors of a result, in order."""
    if isinstance(out, (tuple, list)):
        return [t for one in out for t in flat(one)]
    return [out]


SINGLE = (np.float32, np.complex64)


def equal(got, wanted, signs=True, single=False):
    """Compares an output with the expected one. `single` says that float64 is computed in
    float32."""
    got = got.asnumpy()
    assert got.shape == wanted.shape and got.dtype == wanted.dtype
    got, wanted = (got, wanted) if signs else (abs(got), abs(wanted))
    close(got, wanted, 1e-5 if single or got.dtype in SINGLE else 1e-9)


@pytest.mark.parametrize("label", list(asked()))
def test_equals_a_loop(label):
    case = CASES[label]
    positions = case.positions()
    with np.errstate(all="ignore"):
        for mapped, axis in FORMS.values():
            if positions[mapped]:
                compare(label, positions[mapped], positions, axis)


def compare(label, mapped, positions, axis):
    """Compares vmap with a loop. The signs of singular vectors are ignored, because a GPU's solvers
    of one matrix and of a stack choose different ones."""
    case = CASES[label]
    others = {p: Tensor(case.at(p)) for p in positions if p not in mapped}
    slices = [[case.at(p) for p in mapped], [second(case, p) for p in mapped]]

    def run(*tensors):
        return case.call({**others, **dict(zip(mapped, tensors))})

    wanted = [flat(run(*map(Tensor, one))) for one in slices]
    stacked = [Tensor(np.stack(pair, axis)) for pair in zip(*slices)]
    got = flat(ms.vmap(run, axis, axis)(*stacked))
    assert len(got) == len(wanted[0])
    for out, *loop in zip(got, *wanted):
        equal(out, np.stack([one.asnumpy() for one in loop], axis), "svd" not in label)


def differentiable():
    return [
        label
        for label, case in CASES.items()
        if case.floats()
        and not any(
            census.exempt_from(label.split(",")[0], check) for check in ("gradient", "vmap")
        )
    ]


@pytest.mark.parametrize("label", differentiable())
def test_gradient_equals_a_loop(label):
    """jacrev and jacfwd run the gradient rules on Batches; this tests those rules."""
    case = CASES[label]
    positions = case.floats()
    others = {p: Tensor(case.at(p)) for p in case.positions() if p not in positions}

    def total(*tensors):
        parts = [
            t
            for t in flat(case.call({**others, **dict(zip(positions, tensors))}))
            if t._array.dtype.kind in "fc"
        ]
        return sum(
            ((ops.real(p) if p._array.dtype.kind == "c" else p).square().sum() for p in parts),
            Tensor(0.0, ms.float64),
        )

    gradient = ms.grad(total, tuple(range(len(positions))))
    slices = [[case.at(p) for p in positions], [second(case, p) for p in positions]]
    with np.errstate(all="ignore"):
        wanted = [flat(gradient(*map(Tensor, one))) for one in slices]
        results = flat(case.call({p: Tensor(case.at(p)) for p in case.positions()}))
        got = flat(ms.vmap(gradient)(*[Tensor(np.stack(pair)) for pair in zip(*slices)]))
    single = any(t._array.dtype in SINGLE for t in results)  # such as of crop_and_resize
    for out, *loop in zip(got, *wanted):
        equal(out, np.stack([one.asnumpy() for one in loop]), single=single)


# Random numbers: drawn once, as MindSpore documents --------------------------------------------


@pytest.mark.parametrize("name", sorted(census.exempt.RANDOM))
def test_random_ops_draw_once(name):
    case = CASES[name]
    positions = case.positions()
    arrays = [np.stack([case.at(p)] * 3) for p in positions]
    drawn = flat(
        ms.vmap(lambda *given: case.call(dict(zip(positions, given))))(*map(Tensor, arrays))
    )
    for out in drawn:
        out = out.asnumpy()
        assert (out == out[:1]).all()


def four():
    return Tensor([4], ms.int32)


def halves():
    """Three equal slices of probabilities."""
    return Tensor(np.full((3, 8), 0.5, np.float32))


DRAWS = {
    "rand": lambda p: ops.rand(8) + 0 * p,
    "randn": lambda p: ops.randn(8) + 0 * p,
    "rand_like": ops.rand_like,
    "randn_like": ops.randn_like,
    "uniform": lambda p: ops.uniform((8,), Tensor(0.0), Tensor(1.0)) + 0 * p,
    "standard_normal": lambda p: ops.standard_normal((8,)) + 0 * p,
    "normal": lambda p: ops.normal((8,), p, Tensor(1.0)),
    "bernoulli": ops.bernoulli,
    "multinomial": lambda p: ops.multinomial(p, 4),
    "gamma": lambda p: ops.random_gamma(four(), p),
    "poisson": lambda p: ops.random_poisson(four(), p),
    "shuffle": lambda p: ops.shuffle(p * 0 + Tensor(np.arange(8.0), ms.float32)),
    "randperm": lambda p: ops.randperm(8) + 0 * p,
    "mint.dropout": lambda p: ms.mint.nn.functional.dropout(p),
    "mint.bernoulli": lambda p: ms.mint.bernoulli(p),
    "mint.normal": lambda p: ms.mint.normal(p, p),
    "mint.multinomial": lambda p: ms.mint.multinomial(p, 4),
    "mint.rand_like": lambda p: ms.mint.rand_like(p),
    "categorical": lambda p: ops.random_categorical(p.reshape(2, 4), 5),
    "log_normal": lambda p: ops.LogNormalReverse()(p),
}


@pytest.mark.parametrize("name", DRAWS)
def test_random_functions_draw_once(name):
    out = ms.vmap(DRAWS[name])(halves()).asnumpy()
    assert out.shape[0] == 3 and (out == out[:1]).all()
    again = ms.vmap(DRAWS[name])(halves()).asnumpy()
    assert out.shape == again.shape


def test_numbers_drawn_outside_differ_from_slice_to_slice():
    noise = ops.rand(3, 8)
    out = ms.vmap(lambda p, n: p + n)(halves(), noise).asnumpy()
    assert not (out == out[:1]).all()
