"""Every gradient rule of a function of `xp` against finite differences, including at second order;
each is linear in g.
"""

import subprocess
import sys
import zlib

import numpy
import pytest
from kit import close

from mindspore_compat._backend.arrays import HOST
from mindspore_compat._core.autograd import (  # noqa: F401 - their rules
    vjp_rules,
    vjp_rules_indexing,
    vjp_rules_linalg,
    vjp_rules_products,
    vjp_rules_reduce,
    vjp_rules_special,
)
from mindspore_compat._core.autograd.tape import FLOAT32, backward, leaf
from mindspore_compat._core.autograd.traced import traced_space

SPACE = traced_space(HOST)
RANDOM = numpy.random.default_rng(7)


def normal(*shape):
    return RANDOM.normal(size=shape)


def positive(*shape):
    return RANDOM.uniform(0.3, 2.0, size=shape)


def unit(*shape):
    return RANDOM.uniform(-0.8, 0.8, size=shape)


def away_from_zero(*shape):
    """Returns values at least 0.1 apart, so that a small step does not change their order."""
    count = int(numpy.prod(shape))
    return (RANDOM.permutation(count) * 0.37 - count / 6).reshape(shape)


CASES = {  # function of xp -> (call on the inputs, inputs)
    "copysign": (lambda xp, x: xp.copysign(x, -1.0), [normal(3)]),
    "where": (
        lambda xp, x, y: xp.where(numpy.array([True, False, True]), x, y),
        [normal(3), normal(3)],
    ),
    "clip": (lambda xp, x: xp.clip(x, -0.5, 0.5), [away_from_zero(5)]),
    "nan_to_num": (lambda xp, x: xp.nan_to_num(x), [normal(3)]),
    "polygamma": (lambda xp, x: xp.polygamma(1, x), [positive(3)]),
    "nextafter": (lambda xp, x: xp.nextafter(x, 9.0), [normal(3)]),
    "zeta": (lambda xp, x, q: xp.zeta(x, q), [positive(3) + 1.5, positive(3)]),
    "zeta_x": (lambda xp, x, q: xp.zeta_x(x, q), [positive(3) + 1.5, positive(3)]),
    **{
        name: (
            lambda xp, a, b, x, name=name: getattr(xp, name)(a, b, x),
            [positive(3), positive(3), RANDOM.uniform(0.1, 0.9, 3)],
        )
        for name in ("betainc", "betainc_a", "betainc_b")
    },
    "linalg_eig": (
        lambda xp, x: xp.real(xp.linalg_eig(x)[0] ** 2) * xp.square(xp.abs(xp.linalg_eig(x)[1])),
        [normal(3, 3)],
    ),
    "linalg_logm": (lambda xp, x: xp.linalg_logm(x), [4 * numpy.eye(3) + unit(3, 3)]),
    "linalg_qr_full": (
        lambda xp, x: xp.matmul(*[xp.square(m) for m in xp.linalg_qr_full(x)]),
        [normal(4, 3)],
    ),
    "linalg_svd_full": (
        lambda xp, x: xp.square(xp.linalg_svd_full(x)[0])[:, :3] * xp.linalg_svd_full(x)[1],
        [normal(4, 3)],
    ),
    "arctan2": (lambda xp, y, x: xp.arctan2(y, x), [normal(3), positive(3)]),
    "cast": (lambda xp, x: xp.cast(x, "float64"), [normal(3)]),
    "reshape": (lambda xp, x: xp.reshape(x, (3, 2)), [normal(2, 3)]),
    "expand_dims": (lambda xp, x: xp.expand_dims(x, 1), [normal(2, 3)]),
    "squeeze": (lambda xp, x: xp.squeeze(x, 1), [normal(2, 1, 3)]),
    "transpose": (lambda xp, x: xp.transpose(x, (2, 0, 1)), [normal(2, 1, 3)]),
    "swapaxes": (lambda xp, x: xp.swapaxes(x, 0, 1), [normal(2, 3)]),
    "moveaxis": (lambda xp, x: xp.moveaxis(x, 0, 2), [normal(2, 1, 3)]),
    "broadcast_to": (lambda xp, x: xp.broadcast_to(x, (2, 4, 3)), [normal(1, 3)]),
    "flip": (lambda xp, x: xp.flip(x, 1), [normal(2, 3)]),
    "roll": (lambda xp, x: xp.roll(x, (1, -1), (0, 1)), [normal(2, 3)]),
    "rot90": (lambda xp, x: xp.rot90(x), [normal(2, 3)]),
    "concatenate": (lambda xp, x, y: xp.concatenate([x, y], 1), [normal(2, 1), normal(2, 3)]),
    "stack": (lambda xp, x, y: xp.stack([x, y], 1), [normal(2), normal(2)]),
    "tile": (lambda xp, x: xp.tile(x, (2, 1, 3)), [normal(2, 3)]),
    "pad": (lambda xp, x: xp.pad(x, ((1, 2), (0, 1))), [normal(2, 3)]),
    "pad_by_index": (lambda xp, x: xp.pad_by_index(x, ((1, 0), (2, 1)), "reflect"), [normal(2, 3)]),
    "add_padding_back": (
        lambda xp, g: xp.add_padding_back(g, (2, 3), ((1, 0), (2, 1)), "reflect"),
        [normal(3, 6)],
    ),
    "repeat": (lambda xp, x: xp.repeat(x, 2, 1), [normal(2, 3)]),
    "tril": (lambda xp, x: xp.tril(x, 1), [normal(3, 3)]),
    "triu": (lambda xp, x: xp.triu(x), [normal(3, 3)]),
    "diagonal": (lambda xp, x: xp.diagonal(x, 1), [normal(3, 4)]),
    "scatter_diagonal": (lambda xp, x: xp.scatter_diagonal(x, (3, 4), 1), [normal(3)]),
    "getitem": (lambda xp, x: x[numpy.array([0, 0, 1]), 1:], [normal(2, 3)]),
    "scatter_add": (
        lambda xp, x, v: xp.scatter_add(x, (numpy.array([0, 0]),), v),
        [normal(3), normal(2)],
    ),
    "add_slices": (
        lambda xp, x, y: xp.add_slices([x, y], [0, (slice(None), slice(1, 3))], (2, 3)),
        [normal(3), normal(2, 2)],
    ),
    "scatter_set": (
        lambda xp, x, v: xp.scatter_set(x, (numpy.array([0, 2]),), v),
        [normal(3), normal(2)],
    ),
    "scatter_reduce": (
        lambda xp, x, v: xp.scatter_reduce(x, (numpy.array([0, 2, 0]),), v, "max"),
        [away_from_zero(3), away_from_zero(3) + 0.05],
    ),
    "scatter_reduce, product": (
        lambda xp, x, v: xp.scatter_reduce(x, (numpy.array([0, 2, 0, 2]),), v, "mul"),
        [away_from_zero(3), numpy.array([0.7, 0.0, -1.2, 0.4])],
    ),
    "scatter_reduce, quotient": (
        lambda xp, x, v: xp.scatter_reduce(x, (numpy.array([0, 2, 0]),), v, "div"),
        [away_from_zero(3), positive(3)],
    ),
    "scatter_along_axis, written": (
        lambda xp, x, v: xp.scatter_along_axis(x, numpy.array([[0, 2]]), v, 1),
        [normal(2, 3), normal(1, 2)],
    ),
    "scatter_along_axis": (
        lambda xp, x, v: xp.scatter_along_axis(x, numpy.array([[0], [2]]), v, 1, add=True),
        [normal(2, 3), normal(2, 1)],
    ),
    "keep": (lambda xp, x: xp.keep(numpy.array([True, False, True]), x), [normal(3)]),
    "take": (lambda xp, x: xp.take(x, numpy.array([[0, 1], [1, 1]]), 1), [normal(2, 3)]),
    "take_along_axis": (
        lambda xp, x: xp.take_along_axis(x, numpy.array([[0, 0], [2, 1]]), 1),
        [normal(2, 3)],
    ),
    "sort": (lambda xp, x: xp.sort(x, 1), [away_from_zero(2, 3)]),
    "max": (lambda xp, x: xp.max(x, 1), [away_from_zero(2, 3)]),
    "min": (lambda xp, x: xp.min(x, 1, keepdims=True), [away_from_zero(2, 3)]),
    "prod": (lambda xp, x: xp.prod(x, 1), [numpy.array([[1.5, 0.0, 2.0], [0.0, 0.0, 1.0]])]),
    "var": (lambda xp, x: xp.var(x, 1, ddof=1), [normal(2, 3)]),
    "std": (lambda xp, x: xp.std(x, 0), [normal(2, 3)]),
    "cumsum": (lambda xp, x: xp.cumsum(x, 1), [normal(2, 3)]),
    "linear_recurrence": (
        lambda xp, x, y: xp.linear_recurrence(x, y, 1),
        [normal(2, 4), normal(2, 4)],
    ),
    "cumprod": (lambda xp, x: xp.cumprod(x, 1), [numpy.array([[1.5, 0.0, 2.0], [0.3, 2.0, 1.0]])]),
    "segment_sum": (lambda xp, v: xp.segment_sum(numpy.array([2, 0, 2]), v, 4), [normal(3, 2)]),
    "matmul": (lambda xp, x, y: xp.matmul(x, y), [normal(2, 3, 4), normal(4, 2)]),
    "einsum_list": (
        lambda xp, x, y: xp.einsum_list([x, y], "ij,kj->ik"),
        [normal(2, 3), normal(4, 3)],
    ),
    "real": (lambda xp, x: xp.real(x * (1 + 2j)), [normal(3)]),
    "imag": (lambda xp, x: xp.imag(x * (1 + 2j)), [normal(3)]),
    "conj": (lambda xp, x: xp.real(xp.conj(x * (1 + 2j)) * 1j), [normal(3)]),
    "angle": (lambda xp, x: xp.angle(x + 1j), [normal(3)]),
    "power": (lambda xp, x, y: xp.power(x, y), [positive(3), normal(3)]),
    "remainder": (lambda xp, x, y: xp.remainder(x, y), [away_from_zero(3), positive(3)]),
    "mod": (lambda xp, x, y: xp.mod(x, y), [away_from_zero(3), positive(3)]),
    "fmod": (lambda xp, x, y: xp.fmod(x, y), [away_from_zero(3), positive(3)]),
}


def definite(n):
    half = normal(n, n)
    return half @ half.T + n * numpy.eye(n)


CASES.update(
    {
        "linalg_cofactors": (lambda xp, x: xp.linalg_cofactors(x), [definite(3)]),
        "linalg_det, singular": (
            lambda xp, x: xp.linalg_det(x),
            [numpy.outer([1.0, 2, -1], [2.0, 4, 1]) + numpy.diag([1.0, 0, 0])],
        ),
        "linalg_inv": (lambda xp, x: xp.linalg_inv(x), [definite(3)]),
        "linalg_det": (lambda xp, x: xp.linalg_det(x), [definite(3)]),
        "linalg_slogdet": (lambda xp, x: xp.linalg_slogdet(x)[1], [definite(3)]),
        "linalg_solve": (lambda xp, a, b: xp.linalg_solve(a, b), [definite(3), normal(3, 2)]),
        "linalg_lu": (lambda xp, x: xp.linalg_lu(x), [definite(3)]),
        "linalg_cholesky": (
            lambda xp, x: xp.linalg_cholesky(0.5 * (x + xp.swapaxes(x, 0, 1))),
            [definite(3)],
        ),
        "linalg_eigh": (
            lambda xp, x: xp.linalg_eigh(0.5 * (x + xp.swapaxes(x, 0, 1)))[1] ** 2,
            [definite(3)],
        ),
        "fft_c2c": (
            lambda xp, x: xp.square(xp.abs(xp.fft_c2c(x * (1 + 0.5j), (0, 1), "backward", True))),
            [normal(3, 2)],
        ),
        "linalg_qr": (
            lambda xp, x: xp.matmul(*[xp.square(m) for m in xp.linalg_qr(x)]),
            [normal(4, 3)],
        ),
        "linalg_svd": (
            lambda xp, x: xp.square(xp.linalg_svd(x)[0]) * xp.linalg_svd(x)[1],
            [normal(4, 3)],
        ),
    }
)
DOMAINS = {
    "log": positive,
    "log2": positive,
    "log10": positive,
    "log1p": positive,
    "sqrt": positive,
    "rsqrt": positive,
    "arcsin": unit,
    "arccos": unit,
    "arctanh": unit,
    "erfinv": unit,
    "gammaln": positive,
    "digamma": positive,
    "k0": positive,
    "k1": positive,
    "k0e": positive,
    "k1e": positive,
    "y0": positive,
    "y1": positive,
    "logit": lambda *s: RANDOM.uniform(0.2, 0.8, s),
    "gammainc": positive,
    "gammaincc": positive,
    "gammainc_a": positive,
    "arccosh": lambda *s: RANDOM.uniform(1.2, 2.0, s),
    "xlogy": positive,
}
# without a rule for the second derivative, or (linalg_det) without one for singular matrices
LAST = {"gammainc_a", "betainc_a", "betainc_b", "zeta_x", "linalg_det, singular"}
INTERNAL = {"enter_batch", "leave_batch", "sum_slices"}  # tests/_core/test_vmap.py


def case(name):
    """Returns the call and the inputs that test the rule of `name`; elementwise functions need no
    entry above. The random numbers depend only on the name."""
    RANDOM.bit_generator.state = numpy.random.PCG64(zlib.crc32(name.encode())).state
    if name in CASES:
        return CASES[name]
    primitive = vjp_rules.TABLE[name]
    draw = DOMAINS.get(name, normal)
    inputs = [draw(2, 3) for _ in primitive.rule.inputs]
    return (lambda xp, *args: getattr(xp, name)(*args)), inputs


def declared_in_core():
    """Returns the names of the rules in vjp_rules*.py; rules that other files add to the table are
    tested with those files."""
    code = (
        "from mindspore_compat._core.autograd import vjp_rules, vjp_rules_indexing, "
        "vjp_rules_linalg, vjp_rules_products, vjp_rules_reduce, vjp_rules_special, traced\n"
        "print(*vjp_rules.TABLE)"
    )
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()


NAMES = sorted({*declared_in_core(), *CASES} - INTERNAL)


def traced_gradients(call, inputs, g):
    """The output, and the gradients of all inputs by the rules."""
    ends = [leaf(None, x.shape, x.dtype) for x in inputs]
    out = call(SPACE, *[SPACE.wrap(x, end) for x, end in zip(inputs, ends)])
    return out.array, backward([out.node], [g], ends, False)


def numeric_gradients(call, inputs, g, step=1e-6):
    """Central differences of sum(g * call)."""
    found = []
    for x in inputs:
        gradient = numpy.zeros_like(x)
        for index in numpy.ndindex(*x.shape):
            ends = []
            for sign in (1, -1):
                old = x[index]
                x[index] = old + sign * step
                ends.append(numpy.sum(call(HOST, *inputs) * g))
                x[index] = old
            gradient[index] = (ends[0] - ends[1]) / (2 * step)
        found.append(gradient)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_rule_agrees_with_finite_differences(name):
    call, inputs = case(name)
    g = RANDOM.normal(size=numpy.shape(call(HOST, *inputs)))
    _, found = traced_gradients(call, inputs, g)
    for got, wanted in zip(found, numeric_gradients(call, inputs, g)):
        close(0.0 if got is None else got, wanted, rtol=2e-5)


@pytest.mark.parametrize("name", NAMES)
def test_rule_is_linear_in_g(name):
    call, inputs = case(name)
    shape = numpy.shape(call(HOST, *inputs))
    one, two = RANDOM.normal(size=shape), RANDOM.normal(size=shape)
    apart = [traced_gradients(call, inputs, g)[1] for g in (one, two)]
    together = traced_gradients(call, inputs, 2 * one - 3 * two)[1]
    for a, b, both in zip(*apart, together):
        if both is not None:
            close(both, 2 * a - 3 * b)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in LAST])
def test_second_order(name):
    """Compares the gradient of a weighted sum of gradients with differences of first-order
    gradients."""
    call, inputs = case(name)
    g = RANDOM.normal(size=numpy.shape(call(HOST, *inputs)))
    weights = [RANDOM.normal(size=x.shape) for x in inputs]

    def weighted(*values):
        gradients = traced_gradients(call, list(values), g)[1]
        return sum(numpy.sum(w * s) for w, s in zip(weights, gradients) if s is not None)

    outer = [leaf(None, x.shape, x.dtype) for x in inputs]
    inner = [leaf(o, x.shape, x.dtype) for o, x in zip(outer, inputs)]
    out = call(SPACE, *[SPACE.wrap(x, end) for x, end in zip(inputs, inner)])
    gradients = backward([out.node], [SPACE.wrap(g, None)], inner, True)
    pairs = [
        (s.node, w) for s, w in zip(gradients, weights) if s is not None and s.node is not None
    ]
    found = backward([n for n, _ in pairs], [w for _, w in pairs], outer, False)
    for i, (got, x) in enumerate(zip(found, inputs)):
        wanted = numpy.zeros_like(x)
        for index in numpy.ndindex(*x.shape):
            shifted = [v.copy() for v in inputs], [v.copy() for v in inputs]
            shifted[0][i][index] += 1e-6
            shifted[1][i][index] -= 1e-6
            wanted[index] = (weighted(*shifted[0]) - weighted(*shifted[1])) / 2e-6
        close(0.0 if got is None else got, wanted, atol=1e-5)


def test_name_without_rule_is_refused():
    with pytest.raises(AttributeError, match="no gradient rule"):
        SPACE.interp


def test_a_function_that_returns_its_argument_is_not_recorded():
    x = SPACE.wrap(numpy.ones((2, 3), numpy.float32), leaf(None, (2, 3), FLOAT32))
    assert SPACE.cast(x, "float32") is x
    assert SPACE.cast(x, "float64").node.parents == (x.node,)
    second = traced_space(SPACE)  # for second derivatives
    y = second.wrap(x, leaf(None, (2, 3), FLOAT32))
    assert second.cast(y, "float32") is y
    assert second.cast(y, "float64").node.parents == (y.node,)
