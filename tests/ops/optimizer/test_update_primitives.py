"""Updates as primitives: MindSpore's numbers, in place, selected rows only, rejected calls."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, ops

P = [[0.6, 0.4], [0.1, 0.5]]
A = [[0.6, 0.5], [0.2, 0.6]]
B = [[0.9, 0.1], [0.7, 0.8]]
G = [[0.3, 0.7], [0.1, 0.8]]


def parameter(values, name="p"):
    return Parameter(Tensor(np.array(values, np.float32)), name=name)


def given(values):
    return Tensor(np.array(values, np.float32))


ROWS = Tensor(np.array([0, 1], np.int32))
GRAD = given(G)

# (primitive, arguments, what MindSpore prints for the parameter)
OBSERVED = [
    (ops.ApplyMomentum, (), (P, A), (0.1, GRAD, 0.9), [0.516, 0.285, 0.072, 0.366]),
    (
        ops.ApplyAdaMax,
        (),
        (P, A, B),
        (0.9, 0.001, 0.9, 0.99, 1e-10, GRAD),
        [0.5936027, 0.3925714, 0.0972583, 0.49225],
    ),
    (
        ops.ApplyAdadelta,
        (),
        (P, A, B),
        (0.001, 0.0, 1e-6, GRAD),
        [0.5990514, 0.3996838, 0.0991634, 0.4991056],
    ),
    (ops.ApplyAdagrad, (), (P, A), (0.001, GRAD), [0.5996389, 0.3992965, 0.0997818, 0.4992816]),
    (
        ops.ApplyAdagradV2,
        (1e-2,),
        (P, A),
        (0.001, GRAD),
        [0.5996432, 0.3993035, 0.0997864, 0.499288],
    ),
    (
        ops.ApplyAdagradDA,
        (),
        (P, A, B),
        (GRAD, 0.001, 0.001, 0.001, 2),
        [-0.0009025, -0.0015597, -0.0003537, -0.001165],
    ),
    (
        ops.ApplyAddSign,
        (),
        (P, A),
        (0.001, 1.0, 0.99, 0.9, GRAD),
        [0.599403, 0.398607, 0.099801, 0.498408],
    ),
    (
        ops.ApplyPowerSign,
        (),
        (P, A),
        (0.001, np.e, 0.99, 0.9, GRAD),
        [0.5955757, 0.3896765, 0.0985252, 0.4882017],
    ),
    (
        ops.ApplyFtrl,
        (),
        (P, A, B),
        (GRAD, 0.001, 0.0, 0.1, -0.5),
        [0.0390431, 0.1149053, 0.000664, 0.1507319],
    ),
    (ops.ApplyGradientDescent, (), (P,), (0.001, GRAD), [0.5997, 0.3993, 0.0999, 0.4992]),
    (
        ops.ApplyProximalAdagrad,
        (),
        (P, A),
        (0.1, 0.1, 0.2, GRAD),
        [0.5388712, 0.3132994, 0.0539997, 0.4117818],
    ),
    (
        ops.ApplyProximalGradientDescent,
        (),
        (P,),
        (0.1, 0.1, 0.2, GRAD),
        [0.5490196, 0.3137255, 0.0784314, 0.4019608],
    ),
    (
        ops.ApplyAdamWithAmsgradV2,
        (),
        (P, A, B, G),
        (0.9, 0.999, 0.01, 0.9, 0.999, 1e-8, GRAD),
        [0.5980992, 0.3980346, 0.0992815, 0.497808],
    ),
    (
        ops.FusedSparseAdam,
        (),
        (P, A, B),
        (0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, GRAD, ROWS),
        [0.5998099, 0.399481, 0.0999282, 0.4997808],
    ),
    (
        ops.FusedSparseLazyAdam,
        (),
        (P, A, B),
        (0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, GRAD, ROWS),
        [0.5998099, 0.399481, 0.0999282, 0.4997808],
    ),
    (
        ops.FusedSparseFtrl,
        (0.01, 0.1, 0.2, -0.5),
        (P, A, B),
        (GRAD, ROWS),
        [0.0247279, 0.1062599, -0.0127539, 0.1364393],
    ),
    (
        ops.FusedSparseProximalAdagrad,
        (),
        (P, A),
        (0.1, 0.1, 0.2, GRAD, ROWS),
        [0.5388712, 0.3132994, 0.0539997, 0.4117818],
    ),
    (
        ops.SparseApplyAdagradV2,
        (0.1, 1e-6),
        (P, A),
        (GRAD, ROWS),
        [0.5638843, 0.3296474, 0.0781783, 0.4281579],
    ),
    (
        ops.SparseApplyRMSProp,
        (0.2, 0.01, 1e-6),
        (P, A, B),
        (0.01, GRAD, ROWS),
        [0.5841535, 0.3890204, 0.0884357, 0.4819369],
    ),
]


@pytest.mark.parametrize("case", OBSERVED, ids=lambda case: case[0].__name__)
def test_the_parameter_becomes_what_it_becomes_in_the_original(case):
    primitive, settings, states, others, expected = case
    states = [parameter(s) for s in states]
    primitive(*settings)(*states, *others)
    close(states[0].asnumpy().ravel(), expected)


def test_updates_return_what_they_change():
    var, m, v = parameter(P), parameter(A), parameter(B)
    out = ops.Adam()(var, m, v, 0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, GRAD)
    for one, changed in zip(out, (var, m, v), strict=True):
        assert type(one) is Tensor and one._array is changed._array
    close(m, 0.9 * np.array(A) + 0.1 * np.array(G), atol=0)


def test_adam_without_update_gives_the_step_and_keeps_the_gradient():
    m, v, gradient = parameter(P), parameter(B), given(G)
    out = ops.AdamNoUpdateParam()(m, v, 0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, gradient)
    expected = [-1.9008431e-04, -4.2916110e-04, -3.7814840e-05, -1.8740082e-04]
    # The correction divides by 1 - 0.999, which has four exact digits in float32.
    np.testing.assert_allclose(out.asnumpy().ravel(), expected, rtol=2e-5)
    np.testing.assert_array_equal(gradient.asnumpy(), np.float32(G))


def test_sgd_takes_the_first_gradient_whole():
    parameters, accum = given([2, -0.5, 1.7, 4]), given([0.1, 0.3, -0.2, -0.1])
    stat = given([1.5, -0.3, 0.2, -0.7])
    ops.SGD()(parameters, given([1, -1, 0.5, 2]), given(0.01), accum, given(0.1), stat)
    close(parameters, [1.99, -0.4903, 1.695, 3.9801], atol=0)


def test_lars_scales_by_the_ratio_of_norms():
    weight = given([[0.5, 0.8, 0.2], [0.6, 0.4, 0.2]])
    gradient = given([[0.4, 0.4, 0.5], [0.2, 0.4, 0.3]])
    norms = [(t * t).sum() for t in (weight, gradient)]
    out = ops.LARSUpdate()(weight, gradient, *norms, 0.0, 1.0)
    expected = [[0.0005265, 0.0005265, 0.00065813], [0.00026325, 0.0005265, 0.00039488]]
    # The page prints five digits.
    np.testing.assert_allclose(out.asnumpy(), expected, rtol=1e-4)


def test_rows_named_twice_are_added_and_others_stay():
    var, accum = parameter(P), parameter(A)
    rows = Tensor(np.array([1, 1], np.int32))
    ops.SparseApplyAdagrad(0.1)(var, accum, GRAD, rows)
    whole = np.array([[0, 0], np.sum(G, 0)])
    grown = np.array(A) + whole**2
    close(accum, grown, atol=0)
    close(var, P - 0.1 * whole / np.sqrt(grown))


def test_averages_of_rows_not_named_decay_unless_lazy():
    one = Tensor(np.array([0], np.int32))
    for primitive, factor in ((ops.FusedSparseAdam, 0.9), (ops.FusedSparseLazyAdam, 1.0)):
        var, m, v = parameter(P), parameter(A), parameter(B)
        primitive()(var, m, v, 0.9, 0.999, 0.001, 0.9, 0.999, 1e-8, given(G[:1]), one)
        close(m.asnumpy()[1], factor * np.array(A[1]), atol=0)


@pytest.mark.parametrize(
    "call, error, part",
    [
        (lambda v: ops.ApplyMomentum(use_nesterov=1), TypeError, "use_nesterov"),
        (
            lambda v: ops.ApplyMomentum()(v, parameter(A), "fast", GRAD, 0.9),
            TypeError,
            "learning_rate",
        ),
        (
            lambda v: ops.ApplyMomentum()(v, parameter(A), 0.1, given([1.0]), 0.9),
            ValueError,
            "shape",
        ),
        (lambda v: ops.ApplyMomentum()(v, parameter(A), GRAD, GRAD, 0.9), ValueError, "lr"),
        (
            lambda v: ops.AdamWeightDecay()(
                v, parameter(A), parameter(B), 0.1, "fast", 0.9, 1e-8, 0.0, GRAD
            ),
            TypeError,
            "beta1",
        ),
        (lambda v: ops.SGD(dampening=0.1, nesterov=True), ValueError, "dampening"),
        (lambda v: ops.SparseApplyFtrl(0.0, 0.0, 0.0, -0.5), ValueError, "'lr'"),
        (
            lambda v: ops.SparseApplyAdagrad(0.1)(v, parameter(A), GRAD, Tensor([0, 2])),
            IndexError,
            "indices",
        ),
        (
            lambda v: ops.SparseApplyAdagrad(0.1)(v, parameter(A), GRAD, Tensor([0])),
            ValueError,
            "indices",
        ),
        (lambda v: ops.ApplyMomentum()(v, parameter(A), 0.1, 0.5, 0.9), ValueError, "shape"),
        (lambda v: ops.ApplyMomentum()(0.5, parameter(A), 0.1, GRAD, 0.9), ValueError, "shape"),
        (
            lambda v: ops.ApplyMomentum()(v, parameter(A), True, GRAD, 0.9),
            TypeError,
            "learning_rate",
        ),
        (
            lambda v: ops.FusedSparseFtrl(0.1, 0.0, 0.0, -0.5)(
                v, parameter(A), parameter(B), 0.5, ROWS
            ),
            ValueError,
            "indices",
        ),
        (
            lambda v: ops.SparseApplyAdagradV2(0.1, 1e-6)(
                v, parameter(A), GRAD.astype("float64"), ROWS
            ),
            TypeError,
            "wider",
        ),
        (
            lambda v: ops.Adam()(v, parameter(A), parameter(B), 0.9, 0.9, 1, 0.9, 0.9, 1e-8, GRAD),
            TypeError,
            "'lr'",
        ),
        (
            lambda v: ops.ApplyProximalAdagrad()(v, parameter(A), given([0.1]), 0.1, 0.1, GRAD),
            ValueError,
            "'lr' must have no axis",
        ),
        (
            lambda v: ops.ApplyRMSProp()(
                v, given(A), given(B).astype("float64"), 0.1, GRAD, 0.0, 0.1, 0.1
            ),
            TypeError,
            "one dtype",
        ),
        (
            lambda v: ops.ApplyAdaMax()(
                v, parameter(A), parameter(B), 1.0, 0.1, 0.9, 0.9, 1e-8, GRAD
            ),
            RuntimeError,
            "beta1_power",
        ),
        (
            lambda v: ops.FusedSparseAdam()(
                v, parameter(A), parameter(B), 1.0, 0.9, 0.1, 0.9, 0.9, 1e-8, GRAD, ROWS
            ),
            RuntimeError,
            "beta1_power",
        ),
        (
            lambda v: ops.FusedSparseLazyAdam()(
                v, parameter(A), parameter(B), True, 0.9, 0.1, 0.9, 0.9, 1e-8, GRAD, ROWS
            ),
            RuntimeError,
            "beta1_power",
        ),
    ],
)
def test_a_refused_update_changes_nothing(call, error, part):
    var = parameter(P)
    with pytest.raises(error, match=part):
        call(var)
    np.testing.assert_array_equal(var.asnumpy(), np.float32(P))


@pytest.mark.parametrize("dtype", ["bool", "int32", "uint8", "float16"])
def test_a_narrower_gradient_is_converted(dtype):
    wanted, var = parameter(P), parameter(P)
    whole = given([[1.0, 0.0], [1.0, 1.0]])
    ops.ApplyMomentum()(wanted, parameter(A), 0.1, whole, 0.9)
    ops.ApplyMomentum()(var, parameter(A), 0.1, whole.astype(dtype), 0.9)
    np.testing.assert_array_equal(var.asnumpy(), wanted.asnumpy())
    rows, named = parameter(P), parameter(P)
    ops.SparseApplyAdagradV2(0.1, 1e-6)(named, parameter(A), whole, ROWS)
    ops.SparseApplyAdagradV2(0.1, 1e-6)(rows, parameter(A), whole.astype(dtype), ROWS)
    np.testing.assert_array_equal(rows.asnumpy(), named.asnumpy())


def test_a_number_is_the_gradient_of_a_parameter_without_axes():
    var = Parameter(Tensor(np.float32(1.0)), name="p")
    ops.ApplyMomentum()(var, Parameter(Tensor(np.float32(1.0)), name="a"), 0.1, 0.5, 0.9)
    close(var, 0.86, atol=0)


def test_rows_that_do_not_exist_are_left_out_of_fused_updates():
    """In the example on the page of SparseApplyFtrl, the only row is past the end."""
    var, accum, linear = parameter([[0.2]]), parameter([[0.1]]), parameter([[0.6]])
    settings = (0.01, 0.0, 0.0, -0.5)
    past = Tensor(np.array([1], np.int32))
    out = ops.SparseApplyFtrl(*settings)(var, accum, linear, given([[0.7]]), past)
    for one, value in zip(out, (0.2, 0.1, 0.6), strict=True):
        np.testing.assert_array_equal(one.asnumpy(), np.float32([[value]]))
    ones = [parameter([[1.0], [1.0]]) for _ in range(3)]
    rows = Tensor(np.array([-1, 0], np.int32))
    ops.FusedSparseFtrl(*settings)(*ones, given([[1.0], [1.0]]), rows)
    close(ones[0], [[0.27875108], [1.0]])


def test_adam_divides_by_zero_as_arrays_do():
    var = parameter(P)
    ops.ApplyAdamWithAmsgradV2()(
        var, parameter(A), parameter(B), parameter(G), 1.0, 0.999, 0.01, 0.9, 0.999, 1e-8, GRAD
    )
    assert np.isneginf(var.asnumpy()).all()


def test_a_pair_of_numbers_is_the_epsilon_of_adafactor():
    def updated(epsilon, *unused):
        var = parameter(P)
        ops.FusedAdaFactor()(
            epsilon,
            1.0,
            0.9,
            0.8,
            0.01,
            0.03,
            GRAD,
            var,
            unused[0],
            parameter([0.1, 0.1]),
            parameter([0.1, 0.1]),
            unused[1],
        )
        return var.asnumpy()

    wanted = updated(given([1e-30, 1e-3]), parameter(A), parameter(A))
    np.testing.assert_array_equal(updated((1e-30, 1e-3), 0.5, 0.5), wanted)


@pytest.mark.parametrize("dtype", ["float16", "float64"])
def test_adafactor_takes_gradients_of_every_width(dtype):
    def updated(gradient):
        var = parameter(P)
        ops.FusedAdaFactor()(
            (1e-30, 1e-3),
            1.0,
            0.9,
            0.8,
            0.01,
            0.03,
            gradient,
            var,
            0.5,
            parameter([0.1, 0.1]),
            parameter([0.1, 0.1]),
            0.5,
        )
        return var.asnumpy()

    ones = given([[1.0, 0.5], [0.25, 2.0]])
    np.testing.assert_array_equal(updated(ones.astype(dtype)), updated(ones))
