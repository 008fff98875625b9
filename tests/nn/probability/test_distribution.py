"""Distributions against SciPy's, samples by their moments, gradients, rejected calls."""

import numpy as np
import pytest
from kit import close
from scipy import stats

import mindspore_compat.nn.probability.distribution as families
from mindspore_compat import Tensor, float16, float32, grad, int32, ops, set_seed
from mindspore_compat.nn import probability

FLOATS = Tensor(np.array([-0.5, 0.3, 1.2], np.float32))
WHOLE = Tensor(np.array([0, 1, 1]), int32)
LEVELS = np.array([0.2, 0.3, 0.5])
LIST = stats.rv_discrete(values=([0, 1, 2], LEVELS))
CASES = {
    "Normal": ((0.5, 2.0), FLOATS, stats.norm(0.5, 2.0)),
    "Uniform": ((-0.2, 2.0), FLOATS, stats.uniform(-0.2, 2.2)),
    "Bernoulli": ((0.3,), WHOLE, stats.bernoulli(0.3)),
    "Categorical": ((LEVELS,), Tensor(np.array([0, 1, 2]), int32), LIST),
}
OTHERS = {
    "Normal": (0.1, 1.5),
    "Uniform": (-1.0, 3.0),
    "Bernoulli": (0.6,),
    "Categorical": ([0.1, 0.1, 0.8],),
}
# The divergences from CASES to OTHERS, in closed form.
DIVERGENCES = {
    "Normal": np.log(1.5 / 2) + (4 + 0.16) / 4.5 - 0.5,
    "Uniform": np.log(4 / 2.2),
    "Bernoulli": 0.3 * np.log(0.5) + 0.7 * np.log(1.75),
    "Categorical": LEVELS @ np.log(LEVELS / [0.1, 0.1, 0.8]),
}


def made(name):
    return getattr(families, name)(*CASES[name][0])


def tensors(name):
    return [Tensor(np.array(each), float32) for each in OTHERS[name]]


@pytest.mark.parametrize("name", CASES)
def test_probabilities_are_those_of_scipy(name):
    _, values, expected = CASES[name]
    found, points = made(name), values.asnumpy()
    mass = expected.pmf(points) if hasattr(expected, "pmf") else expected.pdf(points)
    with np.errstate(divide="ignore"):
        answers = {
            "prob": mass,
            "log_prob": np.log(mass),
            "cdf": expected.cdf(points),
            "log_cdf": np.log(expected.cdf(points)),
            "survival_function": 1 - expected.cdf(points),
        }
    for question, answer in answers.items():
        np.testing.assert_allclose(
            getattr(found, question)(values).asnumpy(),
            answer,
            rtol=2e-5,
            atol=2e-7,
            err_msg=question,
        )
    np.testing.assert_array_equal(found("prob", values).asnumpy(), found.prob(values).asnumpy())


@pytest.mark.parametrize("name", CASES)
def test_moments_are_those_of_scipy(name):
    found, expected = made(name), CASES[name][2]
    answers = {
        "mean": expected.mean(),
        "sd": expected.std(),
        "var": expected.var(),
        "entropy": expected.entropy(),
    }
    for question, answer in answers.items():
        got = getattr(found, question)().asnumpy().reshape(())
        np.testing.assert_allclose(got, answer, rtol=2e-5, err_msg=question)


@pytest.mark.parametrize("name", CASES)
def test_divergence_and_cross_entropy(name):
    found, others = made(name), tensors(name)
    close(found.kl_loss(name, *others), DIVERGENCES[name])
    crossed = found.cross_entropy(name, *others).asnumpy()
    expected = DIVERGENCES[name] + CASES[name][2].entropy()
    close(crossed, expected)
    close(found.kl_loss(name, *others, *others), 0)
    with pytest.raises(ValueError, match="Gumbel"):
        found.kl_loss("Gumbel", *others)


@pytest.mark.parametrize("name", CASES)
def test_samples_have_the_moments(name):
    set_seed(3)
    found, expected = made(name), CASES[name][2]
    drawn = found.sample((20000,))
    assert drawn.dtype == found.dtype
    close(drawn.asnumpy().mean(), expected.mean(), rtol=1e-7, atol=0.05)
    close(drawn.asnumpy().std(), expected.std(), rtol=1e-7, atol=0.05)
    assert found.sample().shape == ()
    seeded = getattr(families, name)(*CASES[name][0], seed=7)
    one, other = seeded.sample((50,)).asnumpy(), seeded.sample((50,)).asnumpy()
    assert (one != other).any()


@pytest.mark.parametrize("name", CASES)
def test_arguments_may_come_with_the_question(name):
    empty, others, values = getattr(families, name)(), tensors(name), CASES[name][1]
    whole = getattr(families, name)(*OTHERS[name])
    close(empty.prob(values, *others), whole.prob(values), rtol=1e-7, atol=0)
    close(empty.mean(*others), whole.mean(), rtol=1e-7, atol=0)
    with pytest.raises(TypeError, match="must be a Tensor"):
        empty.mean()
    assert empty.batch_shape is None


def test_likeliest_values():
    assert families.Normal(0.5, 2.0).mode() == 0.5
    assert families.Bernoulli([0.3, 0.7]).mode().asnumpy().tolist() == [0, 1]
    assert families.Categorical([0.2, 0.5, 0.3]).mode() == 1
    with pytest.raises(NotImplementedError, match="'mode' is not known of 'Uniform'"):
        families.Uniform(0.0, 1.0).mode()


def test_shapes_of_batches():
    batch = families.Normal(Tensor([0.0, 1.0]), 1.0)
    assert batch.batch_shape == (2,) and batch.sample((3,)).shape == (3, 2)
    assert repr(batch) == "Normal(batch_shape = (2,))"
    assert repr(families.Normal(0.5, 2.0)) == "Normal(mean = 0.5, standard deviation = 2.0)"
    rows = families.Categorical([[0.2, 0.8], [0.5, 0.5]])
    assert rows.sample((3,)).shape == (3, 2)
    assert rows.mean().shape == (2, 1)


def test_what_lies_outside():
    found = families.Categorical([0.2, 0.8])
    assert np.isnan(found.prob(Tensor([2, 5, -1])).asnumpy()).all()
    close(found.cdf(Tensor([-1.0, 0.5, 3.0])), [0, 0.2, 1], rtol=1e-7, atol=0)
    other = families.Uniform(0.0, 1.0)
    assert other.kl_loss("Uniform", Tensor(0.5), Tensor(2.0)) == float("inf")
    assert other.log_prob(Tensor([2.0])).asnumpy() == -np.inf


def test_samples_and_divergences_have_gradients():
    unit = families.Normal(0.0, 1.0, dtype=float32)

    def loss(mean, sd):
        return unit.kl_loss("Normal", Tensor(0.0), Tensor(1.0), mean, sd).sum()

    gradients = grad(loss, (0, 1))(Tensor([0.5]), Tensor([2.0]))
    close([each.asnumpy()[0] for each in gradients], [0.5, 1.5], rtol=1e-6, atol=0)
    gradient = grad(lambda mean: ops.reduce_sum(unit.sample((4,), mean, Tensor([1.0]))))(
        Tensor([0.5])
    )
    close(gradient, [4.0], rtol=1e-7, atol=0)


@pytest.mark.parametrize(
    "make, error",
    [
        (lambda: families.Normal(0.0, -1.0), ValueError),
        (lambda: families.Normal(0.0, 0.0), ValueError),
        (lambda: families.Normal("x", 1.0), TypeError),
        (lambda: families.Normal(0.0, 1.0, dtype=int32), TypeError),
        (lambda: families.Normal(0.0, 1.0, seed=1.0), TypeError),
        (lambda: families.Normal(0.0, 1.0, seed=-1), ValueError),
        (lambda: families.Normal(0.0, 1.0, name=3), TypeError),
        (lambda: families.Uniform(1.0, 1.0), ValueError),
        (lambda: families.Uniform(0.0, 1.0, dtype=int32), TypeError),
        (lambda: families.Categorical([0.2, 0.3]), ValueError),
        (lambda: families.Categorical(0.2), ValueError),
        (lambda: families.Bernoulli(1.0), ValueError),
        (lambda: families.Normal(0.0, 1.0).sample([2]), TypeError),
        (lambda: families.Normal(0.0, 1.0).prob([0.1]), TypeError),
        (lambda: families.Normal(0.0, 1.0)("foo"), NotImplementedError),
    ],
)
def test_what_is_refused(make, error):
    with pytest.raises(error):
        make()


def test_a_family_of_a_user_and_halves():
    class Point(families.Distribution):
        def __init__(self, location):
            super().__init__(None, float16, "Point", {"location": location})
            self.location = self._add_parameter(location, "location")

        def _mean(self, location=None):
            return self._check_param_type(location)

    assert Point(2.0).mean().dtype == float16
    assert Point(2.0).get_dist_args()[0] == 2.0
    assert probability.distribution is families


@pytest.mark.parametrize("value", [True, np.bool_(True), np.float32(2.0), "a", (2.0,)])
@pytest.mark.parametrize(
    "family", [families.Normal, families.Gamma, families.Cauchy, families.Logistic]
)
def test_a_parameter_is_a_number_list_array_or_tensor(family, value):
    with pytest.raises(TypeError, match=f"For '{family.__name__}'"):
        family(3.0, value)
    for taken in (2, 2.0, [2.0], np.array([2.0]), Tensor([2.0])):
        assert isinstance(family(3.0, taken), families.Distribution)
