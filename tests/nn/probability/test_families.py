"""Further distributions: SciPy's values where 2.10 has none, samples, tails, seeds."""

import numpy as np
import pytest
from kit import close
from scipy import stats

import mindspore_compat.nn.probability.distribution as families
from mindspore_compat import Parameter, Tensor, float16, float32, grad, int32, int64, ops, set_seed
from mindspore_compat.nn.probability import bijector

SAMPLED = {
    "Beta": ((2.0, 3.0), stats.beta(2, 3)),
    "Exponential": ((0.7,), stats.expon(scale=1 / 0.7)),
    "Gamma": ((2.5, 1.5), stats.gamma(2.5, scale=1 / 1.5)),
    "Geometric": ((0.3,), stats.geom(0.3, loc=-1)),
    "Gumbel": ((0.5, 2.0), stats.gumbel_r(0.5, 2)),
    "LogNormal": ((0.3, 0.5), stats.lognorm(0.5, scale=np.exp(0.3))),
    "Logistic": ((0.5, 2.0), stats.logistic(0.5, 2)),
    "Poisson": (([2.3],), stats.poisson(2.3)),
    "Cauchy": ((0.5, 2.0), stats.cauchy(0.5, 2)),
}
TAILS = {
    "Cauchy": -1e6,
    "Exponential": 60.0,
    "Gamma": 40.0,
    "Gumbel": 60.0,
    "Logistic": -80.0,
    "Poisson": 40.0,
    "Geometric": 80.0,
}


def values(tensor):
    return tensor.asnumpy().astype(np.float64)


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_follow_the_distribution(name):
    set_seed(5)
    args, expected = SAMPLED[name]
    drawn = values(getattr(families, name)(*args).sample((20000,))).reshape(-1)
    assert drawn.shape == (20000,)
    for level in (0.1, 0.35, 0.5, 0.8, 0.95):  # five standard errors are below 0.018
        quantile = expected.ppf(level)
        close((drawn <= quantile).mean(), expected.cdf(quantile), atol=0.018)


@pytest.mark.parametrize("name", SAMPLED)
def test_samples_by_a_seed_repeat_and_go_on(name):
    args = SAMPLED[name][0]

    def two():
        found = getattr(families, name)(*args, seed=7)
        return values(found.sample((30,))), values(found.sample((30,)))

    first, again = two(), two()
    np.testing.assert_array_equal(first, again)
    assert (first[0] != first[1]).any()


ROWS = ([2.0, 1.5], [[3.0], [1.0], [2.0]])


@pytest.mark.parametrize(
    "name, batch",
    [
        *((name, ROWS) for name in ("Beta", "Gamma", "Cauchy", "Gumbel", "Logistic", "LogNormal")),
        ("Poisson", ([[2.0, 1.5]] * 3,)),
        ("Exponential", ([[2.0, 1.5]] * 3,)),
        ("Geometric", ([[0.2, 0.5]] * 3,)),
    ],
)
def test_samples_of_a_batch_have_its_shape_and_type(name, batch):
    found = getattr(families, name)(*batch, dtype=float16)
    drawn = found.sample((4, 5))
    assert drawn.shape == (4, 5, 3, 2) and drawn.dtype == float16
    assert found.sample().shape == (3, 2) and found.broadcast_shape == (3, 2)
    if name != "Gumbel":  # its methods do not take the distribution's arguments
        other = [Tensor([1.0] if name != "Geometric" else [0.5], float32)] * len(batch)
        assert found.sample((4,), *other).shape == (4, 1)


@pytest.mark.parametrize("name", SAMPLED)
def test_one_number_is_a_tensor_of_no_axes(name):
    args = SAMPLED[name][0]
    drawn = getattr(families, name)(*args).sample(())
    assert isinstance(drawn, Tensor) and drawn.shape == np.shape(args[0])


@pytest.mark.parametrize("name", TAILS)
def test_tails_keep_their_digits(name):
    args, expected = SAMPLED[name]
    found, quantile = getattr(families, name)(*args), Tensor([TAILS[name]], float32)
    question = "cdf" if TAILS[name] < 0 else "survival_function"
    answer = (expected.cdf if TAILS[name] < 0 else expected.sf)(TAILS[name])
    assert 0 < answer < 1e-6
    close(values(getattr(found, question)(quantile))[0], answer, rtol=2e-5, atol=0)


def test_support_ends_where_it_should():
    assert values(families.Beta([1.0], [3.0]).prob(Tensor([0.0, 1.0]))).tolist() == [3.0, 0.0]
    assert np.isnan(values(families.Beta([1.0], [3.0]).prob(Tensor([-1.0, 2.0])))).all()
    assert values(families.Gamma([1.0], [0.5]).prob(Tensor([0.0]))).tolist() == [0.5]
    assert np.isnan(values(families.Gamma([1.0], [0.5]).prob(Tensor([-1.0])))).all()
    assert values(families.LogNormal(0.0, 1.0).survival_function(Tensor([-2.0]))) == [1.0]
    assert values(families.LogNormal(0.0, 1.0).log_cdf(Tensor([-2.0]))) == [-np.inf]


def test_plain_numbers_make_the_distributions_of_two_concentrations():
    assert families.Beta(2, 3).is_scalar_batch and families.Gamma(2.5, 1).mean() == 2.5
    assert repr(families.Beta(2, 3)) == "Beta(concentration1 = 2.0, concentration0 = 3.0)"
    assert families.Poisson(Tensor(2.0)).batch_shape == ()
    assert families.Poisson(Tensor(2.0)).sample().shape == ()


def test_types_of_counts():
    assert families.Geometric(0.5).sample((3,)).dtype == int32
    assert families.Poisson([0.5], dtype=int64).sample((3,)).dtype == int64
    assert families.Geometric(0.5, dtype=int64).mode().dtype == int64


def test_samples_have_gradients():
    set_seed(2)

    def gradients(name, *args):
        found = getattr(families, name)()
        return [
            values(each)
            for each in grad(
                lambda *given: found.sample((4000,), *given).mean(), tuple(range(len(args)))
            )(*(Tensor(each, float32) for each in args))
        ]

    close(gradients("Logistic", 0.5, 2.0), [1.0, 0.0], rtol=1e-7, atol=0.15)
    close(gradients("LogNormal", 0.3, 0.5)[0], np.exp(0.3 + 0.125), rtol=0.05, atol=0)
    found = families.Exponential()
    gradient = grad(lambda rate: found.sample((4000,), rate).mean())(Tensor(2.0))
    close(values(gradient), -0.25, rtol=0.1, atol=0)


def test_probabilities_have_gradients_in_their_arguments():
    points = Tensor([0.5, 1.5], float32)

    def numeric(name, args, question, at):
        def asked(value):
            given = [*args[:at], value, *args[at + 1 :]]
            made = [Tensor([each], float32) for each in given]
            return float(values(getattr(getattr(families, name)(), question)(points, *made)).sum())

        return (asked(args[at] + 1e-2) - asked(args[at] - 1e-2)) / 2e-2

    for name, args in (
        ("Cauchy", [0.5, 2.0]),
        ("Logistic", [0.5, 2.0]),
        ("Exponential", [0.7]),
        ("Geometric", [0.3]),
        ("LogNormal", [0.3, 0.8]),
    ):
        made = [Tensor(each, float32) for each in args]
        for question in ("cdf", "survival_function"):
            found = grad(
                lambda *given: getattr(getattr(families, name)(), question)(  # noqa: B023
                    points, *given
                ).sum(),
                tuple(range(len(args))),
            )(*made)
            found = found if isinstance(found, tuple) else (found,)
            for at, gradient in enumerate(found):
                expected = numeric(name, args, question, at)
                # A difference of float32 numbers over a step of 1e-2.
                np.testing.assert_allclose(
                    values(gradient), expected, atol=2e-3, err_msg=f"{name} {question} {at}"
                )


def test_arguments_that_are_parameters_are_learnt():
    loc = Parameter(Tensor([0.5], float32), name="loc")
    found = families.Cauchy(loc, 2.0)
    assert found.trainable_params() == [loc] and found.loc is loc
    assert families.Gumbel(loc, 2.0).trainable_params() == [loc]
    (gradient,) = grad(lambda value: found.log_prob(value).sum(), None, [loc])(Tensor([1.5]))
    close(values(gradient), 2 * 0.5 / 2 / (1 + 0.25), rtol=1e-6, atol=0)


def test_seed_of_a_transformed_distribution_leaves_that_of_its_source():
    source = families.Normal(0.0, 1.0, seed=3)
    before = values(families.Normal(0.0, 1.0, seed=3).sample((9,)))
    made = families.TransformedDistribution(bijector.Exp(), source, seed=11)
    first = values(made.sample((9,)))
    assert made.seed == 11 and source.seed == 3 and (first != np.exp(before)).any()
    np.testing.assert_array_equal(values(source.sample((9,))), before)
    again = families.TransformedDistribution(bijector.Exp(), families.Normal(0.0, 1.0), seed=11)
    np.testing.assert_array_equal(values(again.sample((9,))), first)
    unseeded = families.TransformedDistribution(bijector.Exp(), families.Normal(0.0, 1.0, seed=3))
    close(values(unseeded.sample((9,))), np.exp(before), rtol=1e-6, atol=0)


def test_transformed_distribution_of_the_users_own():
    class Shifted(families.TransformedDistribution):
        def __init__(self):
            super().__init__(bijector.ScalarAffine(1.0, 2.0), families.Gamma([2.0], [1.0]), 0, "S")

        def _mode(self):
            return self.bijector.forward(self.distribution.mode())

    found = Shifted()
    assert found.name == "S" and found.dtype == float32 and values(found.mode()) == [3.0]
    assert values(found.mean()) == [4.0]
    with pytest.raises(NotImplementedError, match="'sd' is not known of 'Shifted'"):
        found.sd()
    expected = stats.gamma(2.0, loc=2).cdf([3.0, 4.0])
    close(values(found.cdf(Tensor([3.0, 4.0]))), expected, rtol=1e-5, atol=0)
    assert found.get_dist_args()[0] == 2.0


def test_refusals_change_nothing():
    found = families.Cauchy(0.5, 2.0, seed=4)
    twin = families.Cauchy(0.5, 2.0, seed=4)
    for wrong in ([2], 2, None):
        with pytest.raises(TypeError, match="'shape' must be a tuple"):
            found.sample(wrong)
    np.testing.assert_array_equal(values(found.sample((5,))), values(twin.sample((5,))))
    with pytest.raises(TypeError, match="'get_dist_args' takes"):
        found.get_dist_args(quantile=Tensor(1.0))
    with pytest.raises(ValueError, match=r"For 'Cauchy', 'scale' must be above 0, but got"):
        families.Cauchy(0.0, ops.zeros((2,)))
