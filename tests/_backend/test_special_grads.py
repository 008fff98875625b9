"""Derivatives of special functions by their parameters: recurrences and known values."""

import numpy
import pytest
from scipy import special

from mindspore_compat._backend import special_grads  # noqa: F401 - it declares what is asked for

ORDERS = numpy.array([1e-3, 0.2, 1.0, 2.5, 30.0, 400.0])[:, None]
PLACES = numpy.array([1e-6, 0.1, 1.0, 2.0, 25.0, 420.0])


def close(got, wanted, size):
    assert numpy.max(numpy.abs(got - wanted) / size) < 1e-9


def test_gammainc_by_its_order(space):
    """P(a + 1, x) = P(a, x) - x^a exp(-x) / gamma(a + 1), differentiated with respect to a."""
    a, x = space.asarray(ORDERS), space.asarray(PLACES)
    log_term = ORDERS * numpy.log(PLACES) - PLACES - special.gammaln(ORDERS + 1)
    step = numpy.exp(log_term) * (numpy.log(PLACES) - special.digamma(ORDERS + 1))
    found = space.gammainc_a(a + 1, x) - space.gammainc_a(a, x)
    close(_host(found), -step, 1 + numpy.abs(step))


def test_gammainc_by_its_order_at_known_points(space):
    """The numbers that MindSpore 2.10 prints for the gradients of igamma(2, 1.5), (3, 2.5)."""
    found = _host(space.gammainc_a(space.asarray([2.0, 3.0]), space.asarray([1.5, 2.5])))
    # MindSpore computes them in float32.
    numpy.testing.assert_allclose(found, [-0.31348851, -0.49423483 / 2], atol=1e-7)
    assert _host(space.gammainc_a(space.asarray(2.0), space.asarray(0.0))) == 0


@pytest.mark.parametrize("x", [0.01, 0.3, 0.7, 0.999])
def test_betainc_by_its_parameters(space, x):
    """I(a + 1, b) = I(a, b) - x^a (1 - x)^b / (a B(a, b)), differentiated with respect to a and
    b."""
    a, b = ORDERS[1:], numpy.array([0.2, 1.0, 3.0, 40.0])
    term = numpy.exp(a * numpy.log(x) + b * numpy.log1p(-x) - special.betaln(a, b)) / a
    by_a = term * (numpy.log(x) - special.digamma(a) + special.digamma(a + b) - 1 / a)
    by_b = term * (numpy.log1p(-x) - special.digamma(b) + special.digamma(a + b))
    on = [space.asarray(each) for each in (a, b)]
    for gradient, wanted in ((space.betainc_a, by_a), (space.betainc_b, by_b)):
        found = gradient(on[0] + 1, on[1], x) - gradient(*on, x)
        close(_host(found), -wanted, 1 + numpy.abs(wanted))


def test_zeta_by_its_power(space):
    """zeta(s, q) = zeta(s, q + 1) + q^-s, differentiated with respect to s; zeta'(2) is a known
    number."""
    s, q = numpy.array([1.1, 2.0, 5.0, 12.0])[:, None], numpy.array([0.4, 1.0, 3.0, 20.0])
    on = [space.asarray(each) for each in (s, q)]
    found = space.zeta_x(on[0], on[1] + 1) - space.zeta_x(*on)
    wanted = numpy.log(q) * q**-s
    close(_host(found), wanted, 1 + numpy.abs(_host(space.zeta_x(*on))))
    known = float(space.zeta_x(space.asarray(2.0), space.asarray(1.0)))
    assert abs(known + 0.937548254315844) < 1e-9


def test_float32_stays(space):
    made = space.gammainc_a(space.asarray(2.0, "float32"), space.asarray(1.5, "float32"))
    assert made.dtype == "float32" and abs(float(made) + 0.31348851) < 1e-6


def _host(array):
    return array.get() if hasattr(array, "get") else array
