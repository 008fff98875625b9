"""Operands of arithmetic, special functions, reductions, statistics, schedules and matrices.

What is said of lines_layers.py holds here.
"""

import numpy as np

from .operands import apart, bools, definite, fixed, ints, of, positive, unit, x

NAN = np.array([[.3, np.nan, -1.2], [np.nan, .8, .4]])
_REFLECTED = {name: of(x(3, away=(0,)), positive(3, seed=1))
              for name in ("radd", "rsub", "rmul", "rtruediv")}
ARITHMETIC = {
    **{f"_math.{name}": case for name, case in _REFLECTED.items()},
    "_math.rpow": of(x(3), positive(3, seed=1)),
    "_math.rmod": of(positive(3), [3.1, 4.7, -2.9]),
    "_math.rfloordiv": of(positive(3), [3.1, 4.7, -2.9]),
    "_math.rsqrt": of(positive(3)),
    "_math.fmod": of([3.1, 4.7, -2.9], positive(3)),
    "_math.floor_mod": of([3.1, 4.7, -2.9], positive(3)),
    "_math.floor_divide": of([3.1, 4.7, -2.9], positive(3)),
    "_math.truncate_div": of([3.1, 4.7, -2.9], positive(3)),
    "_compare.less": of(x(3), x(3, seed=1)),
    "_primitives.mul_no_nan": of([1.2, -.7, .4], [.3, 0., 2.]),
    "_primitives.lerp_scalar": of(x(3), x(3, seed=1), .3),
    "_primitives.log_space": of(.5, 1.25, 4),
    "_linalg.rmatmul": of(x(4, 2), x(3, 4)),
}
SPECIAL = {
    "_special.arccosh": of(x(3, low=1.2, high=3.)),
    "_special.erfinv": of(x(3, low=-.8, high=.8)),
    "_special.igamma": of(positive(4), positive(4, seed=1)),
    "_special.igammac": of(positive(4), positive(4, seed=1)),
    "_special.zeta": of(positive(3) + 1.2, positive(3, seed=1)),
    "_special.polygamma": of(positive(3), ints(1)).kept(),
    "_special.xlogy": of([-1.2, 0., .7], positive(3)),
    "_special.logit": of(unit(4)),
    "_special.float_power": of(positive(3), x(3)),
    "_special.sgn": [of(x(3, away=(0,))), of([.3 + .4j, -1 + .2j]).labelled("complex")],
    "_special.bitwise_left_shift": of(ints([1, 2, 3]), ints([2, 0, 1])),
    "_special.bitwise_right_shift": of(ints([9, 2, 3]), ints([2, 0, 1])),
    "_special.polar": of(positive(3), x(3)),
    "_special.complex": of(x(3), x(3, seed=1)),
    "_primitives.betainc": of(positive(3), positive(3, seed=1), unit(3)),
}
REDUCTIONS = {
    "_reduce.max_along": of(apart(3, 4), 1),
    "_reduce.min_along": of(apart(3, 4), 0, True),
    "_reduce.amax": of(apart(3, 4), 1),
    "_reduce.amin": of(apart(3, 4), 1),
    "_reduce.prod": of(x(3, 4), 1),
    "_reduce.cumprod": of(np.array([[1.5, 0., 2.], [.3, 2., 1.]]), 1),
    "_forms.ptp": of(apart(3, 4), 1),
    "_statistics.median_of_all": of(apart(7)),
    "_statistics.median": of(apart(3, 4), 1),
    "_statistics.aminmax": of(apart(3, 4), 1),
    "_statistics.cummax": of(apart(4, 3), 0),
    "_statistics.cummin": of(apart(4, 3), 0),
    "_statistics.nanmean": of(NAN, 1),
    "_statistics.nansum": of(NAN, 1),
    "_statistics.nanmedian": of(NAN, 1),
    "_statistics.nanquantile": of(NAN, [.15, .6], 1),
    "_statistics.quantile": [of(apart(3, 4), [.15, .6, .9], 1),
                             of(apart(3, 4), .35).labelled("one, of all")],
    "_primitives.quantile": of(apart(3, 4), [.15, .6, .9], 1),
    "_statistics.places_in": of(x(4, low=-2, high=2).cumsum(), x(5), True).kept(),
    "_statistics.cosine_similarity": of(x(3, 4), x(3, 4, seed=1)),
    "_statistics.vector_norm": of(x(3, 4), 3, 1),
    "_statistics.euclidean_norm": of(x(3, 4), (1,), True),
    "_statistics.unique": of(ints([3, 1, 2, 1])).kept(),
    "_statistics.histc": of(x(7, low=.1, high=.9), 4, 0., 1.),
    "_counting.histogram": of(x(7, low=.1, high=.9), 4, 0., 1.),
    "_mint_forms.norm": of(x(3, 4), 3, 1),
    "_mint_forms.vdot": of(x(3), x(3, seed=1)),
    "_factors.reduce_std": of(x(3, 4), (1,)),
    "_compare.sort": of(apart(3, 4)),
    "_compare.mint_sort": of(apart(3, 4)),
    "_compare.topk": of(apart(3, 4), 2),
    "_forms.msort": of(apart(3, 4)),
    "_forms.kthvalue": of(apart(3, 4), 2),
}
MATRICES = {
    "_decompose.reduced_qr": [of(x(4, 3)), of(x(3, 3)).labelled("square"),
                              of(x(2, 4)).labelled("wide")],
    "_decompose.complete_qr": [of(x(4, 3)).labelled("one more row"), of(x(3, 3)).labelled("square"),
                               of(x(2, 4)).labelled("wide")],
    "_factors.qr_full": of(x(4, 3)),
    "_decompose.reduced_svd": [of(x(4, 3)), of(x(2, 4)).labelled("wide")],
    "_decompose.full_svd": [of(x(4, 3)), of(x(3, 4)).labelled("wide")],
    "_decompose.singular_values": of(x(4, 3)),
    "_decompose.eigh": of(definite(3)).halves(),
    "_decompose.general_eig": of(np.diag([1., 2.5, -1.]) + .2 * x(3, 3)),
    "_decompose.cholesky": of(definite(3)),
    "_decompose.cholesky_inverse": of(np.tril(x(3, 3)) + 2 * np.eye(3)),
    "_decompose.cholesky_solve": of(x(3, 2), np.tril(x(3, 3)) + 2 * np.eye(3)),
    "_decompose.inverse": of(definite(3, 2)),
    "_decompose.matrix_inverse": of(definite(3, 2), True),
    "_decompose.pinv": of(x(4, 3)),
    "_decompose.lu_solve": of(x(3, 2), definite(3), ints([1, 2, 3], np.int32)).kept(),
    "_decompose.triangular_solve": of(x(3, 2), x(3, 3) + 3 * np.eye(3)),
    "_factors.nuclear_norm": of(x(4, 3)),
    "_factors.triangles": of(x(3, 4)),
    "_factors.geqrf": of(x(4, 3)),
    "_factors.orgqr": of(x(4, 3), unit(2)),
    "_factors.ormqr": of(x(4, 3), unit(3), x(4, 2)),
    "_factors.matrix_exp": of(x(3, 3)),
    "_factors.matrix_solve_ls": [of(x(4, 3), x(4, 2), .3), of(x(3, 4), x(3, 2), .3)
                                 .labelled("wide")],
    "_factors.matrix_triangular_solve": of(x(3, 3) + 3 * np.eye(3), x(3, 2)),
    "_factors.lstsq": of(x(4, 3), x(4, 2)),
    "_factors.pdist": of(x(4, 3), 1.7),
    "_linalg.einsum_of": of([x(2, 3), x(3, 4)], "ij,jk->ik"),
    "linalg._packed_lu": of(definite(3)),
}
_STEPS = ints([0, 3, 7], np.int32)
SCHEDULES = {
    "learning_rate_schedule.cosine_decay": of(_STEPS, .01, .1, 5),
    "learning_rate_schedule.exponential_decay": of(_STEPS, .1, .9, 4, False),
    "learning_rate_schedule.inverse_decay": of(_STEPS, .1, .9, 4, True),
    "learning_rate_schedule.natural_exp_decay": of(_STEPS, .1, .9, 4, False),
    "learning_rate_schedule.polynomial_decay": of(_STEPS, .1, .01, 5, .5, False),
    "learning_rate_schedule.warm_up": of(_STEPS, .1, 5),
    "_rates.pick_step": of(x(4), ints(2, np.int32)).kept(),
}
FORMS = {
    "_mint_forms.rows_of": of(x(4, 3), ints([2, 0, 2])),
    "_random.permuted": of(x(4, 3), ints([2, 0, 3, 1])),
    "embedding.rows_or_zeros": of(x(4, 3), ints([2, 0, 5])).kept(),
    "embedding.occurrences": of(ints([2, 0, 2]), 4),
    "embedding.short_rows": of(x(4, 3), ints([1, 0, 1, 1]), .7, 2.0),
    "embedding.combined_fields": of(x(2, 3, 4), positive(2, 3, seed=1), ints([[0, 1, 0], [1, 1, 0]],
                                                                            np.int32), 2, "SUM"),
    "_sparse.dense_from": of(x(3), ints([0, 2, 1]), ints([1, 0, 1]), (3, 2)).kept(),
    "_sparse.product_of": of(x(3), x(2, 4), ints([0, 2, 1]), ints([1, 0, 1]), 3).kept(),
    "_sparse_parts.sparse_segment_mean": of(x(4, 2), ints([2, 0, 1], np.int32),
                                            ints([0, 0, 1], np.int32)).kept(),
    "_segments.by_segment": [
        of(apart(4, 2), ints([0, 0, 2, 2]), 3, how).labelled(how).kept()
        for how in ("add", "mean", "mul", "max", "min")],
    "_scatter.unsorted_segment_prod": of(x(4, 2), ints([0, 2, 0, -1]), 3).kept(),
    "_scatter.unsorted_segment_max": of(apart(4, 2), ints([0, 2, 0, 1]), 3).kept(),
    "_scatter.unsorted_segment_min": of(apart(4, 2), ints([0, 2, 0, 1]), 3).kept(),
    "_signal.stretches": of(x(2, 9), positive(4), 4, 2, True, False),
    "_index.where": of(bools([1, 0, 1]), x(3), x(3, seed=1)),
    "_dropout.dropout_gen_mask": of(fixed(.5), (4, 4)),
    "_special.gcd": of(ints([12, 18, 7]), ints([8, 27, 21])),
    "_special.lcm": of(ints([12, 18, 7]), ints([8, 27, 21])),
}
LINES = {**ARITHMETIC, **SPECIAL, **REDUCTIONS, **MATRICES, **SCHEDULES, **FORMS}
