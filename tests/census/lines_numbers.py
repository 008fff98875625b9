"""Operands of arithmetic, special functions, reductions, statistics, schedules and matrices.

The notes of lines_layers.py apply here too.
"""

import numpy as np

from .operands import apart, bools, definite, fixed, ints, of, positive, unit, x

NAN = np.array([[0.3, np.nan, -1.2], [np.nan, 0.8, 0.4]])
_REFLECTED = {
    name: of(x(3, away=(0,)), positive(3, seed=1))
    for name in ("difference", "radd", "rsub", "rmul")
}
ARITHMETIC = {
    **{f"_elementwise.arithmetic.{name}": case for name, case in _REFLECTED.items()},
    "_elementwise.division.rtruediv": of(x(3, away=(0,)), positive(3, seed=1)),
    "_elementwise.arithmetic.rpow": of(x(3), positive(3, seed=1)),
    "_elementwise.division.rmod": of(positive(3), [3.1, 4.7, -2.9]),
    "_elementwise.division.rfloordiv": of(positive(3), [3.1, 4.7, -2.9]),
    "_elementwise.elementary.rsqrt": of(positive(3)),
    "_elementwise.division.fmod": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.division.truncate_mod": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.division.mod": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.division.floor_mod": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.division.floor_divide": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.division.truncate_div": of([3.1, 4.7, -2.9], positive(3)),
    "_elementwise.comparison.less": of(x(3), x(3, seed=1)),
    "_elementwise.comparison.approximately_equal": of(x(3), x(3, seed=1), 0.5),
    "_elementwise.arithmetic.mul_no_nan": of([1.2, -0.7, 0.4], [0.3, 0.0, 2.0]),
    "_elementwise.ternary.lerp_scalar": of(x(3), x(3, seed=1), 0.3),
    "_shape.ranges.log_space": of(0.5, 1.25, 4),
    "_linalg.matmul.matrix_product": of(x(3, 4), x(4, 2)),
    "_linalg.matmul.rmatmul": of(x(4, 2), x(3, 4)),
    "_signal.dct.cosine_transform": [
        of(x(3, 5), None, (0, 1), False),
        of(x(3, 5), (7,), (-1,), False).labelled("padded"),
        of(x(3, 5), (4,), (0,), True).labelled("inverse"),
        of(x(3, 5), (2,), (1,), True).labelled("cut"),
    ],
}
SPECIAL = {
    "_elementwise.unary.arccosh": of(x(3, low=1.2, high=3.0)),
    "_elementwise.unary.erfinv": of(x(3, low=-0.8, high=0.8)),
    "_elementwise.special.igamma": of(positive(4), positive(4, seed=1)),
    "_elementwise.special.igammac": of(positive(4), positive(4, seed=1)),
    "_elementwise.special.zeta": of(positive(3) + 1.2, positive(3, seed=1)),
    "_elementwise.special.zeta_of_pairs": of(positive(3) + 1.2, positive(3, seed=1)),
    "_reduction.cumulative.diff_ext": of(x(3, 4), 2, 1),
    "_elementwise.special.polygamma": of(positive(3), ints(1)).unchanged(),
    "_elementwise.special.xlogy": of([-1.2, 0.0, 0.7], positive(3)),
    "_elementwise.special.logit": of(unit(4)),
    "_elementwise.elementary.float_power": of(positive(3), x(3)),
    "_elementwise.floating_point.sgn": [
        of(x(3, away=(0,))),
        of([0.3 + 0.4j, -1 + 0.2j]).labelled("complex"),
    ],
    "_elementwise.bitwise.bitwise_left_shift": of(ints([1, 2, 3]), ints([2, 0, 1])),
    "_elementwise.bitwise.bitwise_right_shift": of(ints([9, 2, 3]), ints([2, 0, 1])),
    "_elementwise.bitwise.left_shift": of(ints([1, 2, 3]), ints([2, 0, 1])),
    "_elementwise.bitwise.right_shift": of(ints([9, 2, 3]), ints([2, 0, 1])),
    "_elementwise.complex_parts.polar": of(positive(3), x(3)),
    "_elementwise.complex_parts.complex": of(x(3), x(3, seed=1)),
    "_elementwise.special.betainc": of(positive(3), positive(3, seed=1), unit(3)),
}
REDUCTIONS = {
    "_reduction.min_max.max_along": of(apart(3, 4), 1),
    "_reduction.min_max.min_along": of(apart(3, 4), 0, True),
    "_reduction.min_max.amax": of(apart(3, 4), 1),
    "_reduction.min_max.amin": of(apart(3, 4), 1),
    "_reduction.reduce.prod": of(x(3, 4), 1),
    "_reduction.cumulative.cumprod": of(np.array([[1.5, 0.0, 2.0], [0.3, 2.0, 1.0]]), 1),
    "_reduction.min_max.ptp": of(apart(3, 4), 1),
    "_reduction.quantile.median_of_all": of(apart(7)),
    "_reduction.quantile.median": of(apart(3, 4), 1),
    "_reduction.min_max.aminmax": of(apart(3, 4), 1),
    "_reduction.cumulative.cummax": of(apart(4, 3), 0),
    "_reduction.cumulative.cummin": of(apart(4, 3), 0),
    "_reduction.statistics.nanmean": of(NAN, 1),
    "_reduction.statistics.nansum": of(NAN, 1),
    "_reduction.quantile.nanmedian": of(NAN, 1),
    "_reduction.quantile.nanquantile": of(NAN, [0.15, 0.6], 1),
    "_reduction.quantile.quantile": [
        of(apart(3, 4), [0.15, 0.6, 0.9], 1),
        of(apart(3, 4), 0.35).labelled("one, of all"),
    ],
    "_reduction.quantile.quantile_primitive": of(apart(3, 4), [0.15, 0.6, 0.9], 1),
    "_reduction.statistics.bin_indices": of(x(4, low=-2, high=2).cumsum(), x(5), True).unchanged(),
    "_reduction.distance.cdist_grad": of(x(3, 2), x(3, 4), x(2, 4, seed=1), positive(3, 2), 3.0),
    "_reduction.distance.cosine_similarity": of(x(3, 4), x(3, 4, seed=1)),
    "_reduction.norm.vector_norm": of(x(3, 4), 3, 1),
    "_reduction.norm.euclidean_norm": of(x(3, 4), (1,), True),
    "_reduction.unique.unique": of(ints([3, 1, 2, 1])).unchanged(),
    "_reduction.histogram.histc": of(x(7, low=0.1, high=0.9), 4, 0.0, 1.0),
    "_reduction.histogram.histogram": of(x(7, low=0.1, high=0.9), 4, 0.0, 1.0),
    "_reduction.norm.mint_norm": of(x(3, 4), 3, 1),
    "_linalg.products.vdot": of(x(3), x(3, seed=1)),
    "_reduction.statistics.reduce_std": of(x(3, 4), (1,)),
    "_reduction.sort.sort": of(apart(3, 4)),
    "_reduction.sort.mint_sort": of(apart(3, 4)),
    "_reduction.sort.topk": of(apart(3, 4), 2),
    "_reduction.sort.msort": of(apart(3, 4)),
    "_reduction.sort.kthvalue": of(apart(3, 4), 2),
}
MATRICES = {
    "_linalg.decomposition.reduced_qr": [
        of(x(4, 3)),
        of(x(3, 3)).labelled("square"),
        of(x(2, 4)).labelled("wide"),
    ],
    "_linalg.decomposition.complete_qr": [
        of(x(4, 3)).labelled("one more row"),
        of(x(3, 3)).labelled("square"),
        of(x(2, 4)).labelled("wide"),
    ],
    "_linalg.decomposition.r_of_qr": [of(x(4, 3)), of(x(2, 4)).labelled("wide")],
    "_linalg.householder.qr_full": of(x(4, 3)),
    "_linalg.decomposition.reduced_svd": [of(x(4, 3)), of(x(2, 4)).labelled("wide")],
    "_linalg.decomposition.full_svd": [of(x(4, 3)), of(x(3, 4)).labelled("wide")],
    "_linalg.decomposition.singular_values": of(x(4, 3)),
    "_linalg.decomposition.eigh": of(definite(3)).halves(),
    "_linalg.decomposition.general_eig": of(np.diag([1.0, 2.5, -1.0]) + 0.2 * x(3, 3)),
    "_linalg.decomposition.cholesky": of(definite(3)),
    "_linalg.decomposition.cholesky_inverse": of(np.tril(x(3, 3)) + 2 * np.eye(3)),
    "_linalg.decomposition.cholesky_solve": of(x(3, 2), np.tril(x(3, 3)) + 2 * np.eye(3)),
    "_linalg.inverse.inverse": of(definite(3, 2)),
    "_linalg.inverse.matrix_inverse": of(definite(3, 2), True),
    "_linalg.inverse.pinv": of(x(4, 3)),
    "_linalg.decomposition.lu_solve": of(
        x(3, 2), definite(3), ints([1, 2, 3], np.int32)
    ).unchanged(),
    "_linalg.decomposition.triangular_solve": of(x(3, 2), x(3, 3) + 3 * np.eye(3)),
    "_linalg.matrix_norm.nuclear_norm": of(x(4, 3)),
    "_linalg.solve.triangles": of(x(3, 4)),
    "_linalg.householder.geqrf": of(x(4, 3)),
    "_linalg.householder.orgqr": of(x(4, 3), unit(2)),
    "_linalg.householder.ormqr": of(x(4, 3), unit(3), x(4, 2)),
    "_linalg.matrix_exp.matrix_exp": of(x(3, 3)),
    "_linalg.solve.matrix_solve_ls": [
        of(x(4, 3), x(4, 2), 0.3),
        of(x(3, 4), x(3, 2), 0.3).labelled("wide"),
    ],
    "_linalg.solve.matrix_triangular_solve": of(x(3, 3) + 3 * np.eye(3), x(3, 2)),
    "_linalg.solve.lstsq": of(x(4, 3), x(4, 2)),
    "_reduction.distance.pdist": of(x(4, 3), 1.7),
    "_linalg.matmul.einsum_of": of([x(2, 3), x(3, 4)], "ij,jk->ik"),
    "linalg._packed_lu": of(definite(3)),
}
_STEPS = ints([0, 3, 7], np.int32)
SCHEDULES = {
    "learning_rate_schedule.cosine_decay": of(_STEPS, 0.01, 0.1, 5),
    "learning_rate_schedule.exponential_decay": of(_STEPS, 0.1, 0.9, 4, False),
    "learning_rate_schedule.inverse_decay": of(_STEPS, 0.1, 0.9, 4, True),
    "learning_rate_schedule.natural_exp_decay": of(_STEPS, 0.1, 0.9, 4, False),
    "learning_rate_schedule.polynomial_decay": of(_STEPS, 0.1, 0.01, 5, 0.5, False),
    "learning_rate_schedule.warm_up": of(_STEPS, 0.1, 5),
    "_rates.pick_step": of(x(4), ints(2, np.int32)).unchanged(),
}
FORMS = {
    "_embedding.lookup.rows_of": of(x(4, 3), ints([2, 0, 2])),
    "_random.distributions.moved_noise": of(x(3), positive(3), x(4, 3)),
    "_random.uniform.between": of(x(3), positive(3) + 2, unit(4, 3)),
    "_random.distributions.at_rate": of(positive(4, 3), positive(3)),
    "_random.sampling.permuted": of(x(4, 3), ints([2, 0, 3, 1])),
    "embedding.rows_or_zeros": of(x(4, 3), ints([2, 0, 5])).unchanged(),
    "embedding.sparse_rows": of(x(4, 3), ints([2, 0, 5])).unchanged(),
    "embedding.occurrences": of(ints([2, 0, 2]), 4),
    "embedding.short_rows": of(x(4, 3), ints([1, 0, 1, 1]), 0.7, 2.0),
    "embedding.combined_fields": of(
        x(2, 3, 4), positive(2, 3, seed=1), ints([[0, 1, 0], [1, 1, 0]], np.int32), 2, "SUM"
    ),
    "_sparse.conversion.dense_from": of(x(3), ints([0, 2, 1]), ints([1, 0, 1]), (3, 2)).unchanged(),
    "_sparse.coo_csr.product_of": of(
        x(3), x(2, 4), ints([0, 2, 1]), ints([1, 0, 1]), 3
    ).unchanged(),
    "_sparse.components.sparse_segment_mean": of(
        x(4, 2), ints([2, 0, 1], np.int32), ints([0, 0, 1], np.int32)
    ).unchanged(),
    "_reduction.segment.by_segment": [
        of(apart(4, 2), ints([0, 0, 2, 2]), 3, how).labelled(how).unchanged()
        for how in ("add", "mean", "mul", "max", "min")
    ],
    "_reduction.unsorted_segment.unsorted_segment_prod": of(
        x(4, 2), ints([0, 2, 0, -1]), 3
    ).unchanged(),
    "_reduction.unsorted_segment.unsorted_segment_max": of(
        apart(4, 2), ints([0, 2, 0, 1]), 3
    ).unchanged(),
    "_reduction.unsorted_segment.unsorted_segment_min": of(
        apart(4, 2), ints([0, 2, 0, 1]), 3
    ).unchanged(),
    "_signal.stft.stretches": of(x(2, 9), positive(4), 4, 2, True, False),
    "_indexing.masks.where": of(bools([1, 0, 1]), x(3), x(3, seed=1)),
    "_random.dropout.dropout_gen_mask": of(fixed(0.5), (4, 4)),
    "_elementwise.bitwise.gcd": of(ints([12, 18, 7]), ints([8, 27, 21])),
    "_elementwise.bitwise.lcm": of(ints([12, 18, 7]), ints([8, 27, 21])),
}
LINES = {**ARITHMETIC, **SPECIAL, **REDUCTIONS, **MATRICES, **SCHEDULES, **FORMS}
