"""Bessel functions, element by element."""

from math import inf

from .._rules import Float16To64
from .unary import unary

unary(
    "i0",
    "Computes the modified Bessel function of the first kind, order 0.",
    "[0.25, 0.5]",
    "[1.0156864 1.0634835]",
    "ops.bessel_i0(x: input)",
    "ops.i0(input)",
    "ops.BesselI0()(x: input)",
    "Tensor.i0()",
    only=Float16To64,
)


unary(
    "i0e",
    "Computes exp(-|x|) times the modified Bessel function I0.",
    "[0.25, 0.5]",
    "[0.7910172  0.64503527]",
    "ops.bessel_i0e(x: input)",
    "ops.BesselI0e()(x: input)",
    only=Float16To64,
)


unary(
    "i1",
    "Computes the modified Bessel function of the first kind, order 1.",
    "[0.25, 0.5]",
    "[0.12597911 0.2578943 ]",
    "ops.bessel_i1(x: input)",
    "ops.BesselI1()(x: input)",
    only=Float16To64,
)


unary(
    "i1e",
    "Computes exp(-|x|) times the modified Bessel function I1.",
    "[0.25, 0.5]",
    "[0.09811263 0.1564208 ]",
    "ops.bessel_i1e(x: input)",
    "ops.BesselI1e()(x: input)",
    only=Float16To64,
)


unary(
    "k0",
    "Computes the modified Bessel function of the second kind, order 0.",
    "[0.25, 0.5]",
    "[1.5415068  0.92441905]",
    "ops.bessel_k0(x: input)",
    "ops.BesselK0()(x: input)",
    only=Float16To64,
    below_zero=inf,
)


unary(
    "k0e",
    "Computes exp(x) times the modified Bessel function K0.",
    "[0.25, 0.5]",
    "[1.9793339 1.5241094]",
    "ops.bessel_k0e(x: input)",
    "ops.BesselK0e()(x: input)",
    only=Float16To64,
    below_zero=inf,
)


unary(
    "k1",
    "Computes the modified Bessel function of the second kind, order 1.",
    "[0.25, 0.5]",
    "[3.747026  1.6564411]",
    "ops.bessel_k1(x: input)",
    "ops.BesselK1()(x: input)",
    only=Float16To64,
    below_zero=inf,
)


unary(
    "k1e",
    "Computes exp(x) times the modified Bessel function K1.",
    "[0.25, 0.5]",
    "[4.8112764 2.7310097]",
    "ops.bessel_k1e(x: input)",
    "ops.BesselK1e()(x: input)",
    only=Float16To64,
    below_zero=inf,
)


unary(
    "j0",
    "Computes the Bessel function of the first kind, order 0.",
    "[0.25, 0.5]",
    "[0.9844359 0.9384698]",
    "ops.bessel_j0(x: input)",
    "ops.BesselJ0()(x: input)",
    only=Float16To64,
)


unary(
    "j1",
    "Computes the Bessel function of the first kind, order 1.",
    "[0.25, 0.5]",
    "[0.12402598 0.24226846]",
    "ops.bessel_j1(x: input)",
    "ops.BesselJ1()(x: input)",
    only=Float16To64,
)


unary(
    "y0",
    "Computes the Bessel function of the second kind, order 0.",
    "[0.25, 0.5]",
    "[-0.93157303 -0.44451874]",
    "ops.bessel_y0(x: input)",
    "ops.BesselY0()(x: input)",
    only=Float16To64,
    below_zero=-inf,
)


unary(
    "y1",
    "Computes the Bessel function of the second kind, order 1.",
    "[0.25, 0.5]",
    "[-2.7041051 -1.4714724]",
    "ops.bessel_y1(x: input)",
    "ops.BesselY1()(x: input)",
    only=Float16To64,
    below_zero=-inf,
)
