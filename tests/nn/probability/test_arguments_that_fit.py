"""Arguments of distributions: broadcast shapes, and samples given as numbers."""

import pytest

import mindspore_compat as ms
from mindspore_compat.nn.probability import distribution


@pytest.mark.parametrize(
    "name", ["Normal", "Gamma", "Beta", "Cauchy", "Logistic", "LogNormal", "Uniform"]
)
def test_shapes_broadcast(name):
    family = getattr(distribution, name)
    assert family([[1.0], [1.5]], [[2.0, 3.0]]).batch_shape == (2, 2)
    with pytest.raises(ValueError, match="broadcast"):
        family([[1.0], [1.5]], [[2.0], [3.0], [4.0]])


@pytest.mark.parametrize("name, probs", [("Bernoulli", 0.5), ("Categorical", [0.5, 0.5])])
def test_samples_are_no_bools(name, probs):
    with pytest.raises(TypeError, match="dtype"):
        getattr(distribution, name)(probs, dtype=ms.bool_)
