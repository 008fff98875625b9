"""Bijectors: forward and inverse, derivatives against the tape, and user-defined ones."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, float16, float32, float64, grad, jit
from mindspore_compat.nn import Cell
from mindspore_compat.nn.probability import bijector as maps
from mindspore_compat.nn.probability import distribution as families

MADE = {
    "Exp": maps.Exp(),
    "PowerTransform": maps.PowerTransform(0.5),
    "Mixed": maps.PowerTransform([0.5, 0.0, 2.0]),
    "ScalarAffine": maps.ScalarAffine(-2.0, 1.0),
    "Softplus": maps.Softplus(2.0),
    "GumbelCDF": maps.GumbelCDF(0.5, 2.0),
    "Invert": maps.Invert(maps.Softplus(0.5)),
}


def values(tensor):
    return tensor.asnumpy().astype(np.float64)


@pytest.mark.parametrize("name", MADE)
def test_there_and_back(name):
    points = Tensor([0.4, 1.2, 2.0], float32)
    back = MADE[name].inverse(MADE[name].forward(points))
    close(values(back), values(points), rtol=2e-5, atol=0)


@pytest.mark.parametrize("name", MADE)
def test_logarithms_of_derivatives_are_those_of_the_tape(name):
    points, made = Tensor([0.4, 1.2, 2.0], float32), MADE[name]
    gradients = np.abs(values(grad(lambda value: made.forward(value).sum())(points)))
    found = np.broadcast_to(values(made.forward_log_jacobian(points)), 3)
    close(found, np.log(gradients), atol=1e-6)
    images = made.forward(points)
    back = np.broadcast_to(values(made.inverse_log_jacobian(images)), 3)
    close(back, -found, atol=1e-5)


def test_large_numbers_stay_finite():
    far = Tensor([80.0, -80.0], float32)
    made = maps.Softplus(2.0)
    close(values(made.forward(far)), [80.0, 0.0])
    assert values(made.inverse(Tensor([80.0]))) == [80.0]
    assert values(made.forward_log_jacobian(far)).tolist() == [0.0, -160.0]
    gradient = grad(lambda value: maps.PowerTransform([0.0, 2.0]).forward(value).sum())
    assert np.isfinite(values(gradient(Tensor([1.0, 400.0])))).all()


def test_arguments_take_the_type_of_the_value():
    made = maps.GumbelCDF(np.array([0.5]), np.array([2.0]))
    assert made.loc.dtype == float64 and made.dtype is None
    for dtype in (float16, float32, float64):
        assert made.forward(Tensor([1.0], dtype)).dtype == dtype


def test_what_a_bijector_tells():
    made = maps.ScalarAffine([2.0, 3.0], 1.0, name="line")
    assert made.name == "line" and made.is_constant_jacobian and made.is_injective
    assert made.parameters == {"scale": [2.0, 3.0], "shift": 1.0, "name": "line"}
    assert repr(made) == "ScalarAffine(batch_shape = (2,))" and repr(maps.Exp()) == "Exp(exp)"
    assert repr(maps.PowerTransform(0.5)) == "PowerTransform(power = 0.5)"
    softplus = "Softplus(\n  sharpness = 2.0\n  (log_sigmoid): LogSigmoid()\n)"
    assert repr(maps.Softplus(2.0)) == softplus
    assert maps.Invert(made).batch_shape == (2,) and maps.Invert(made).bijector is made
    assert not maps.Exp().is_constant_jacobian and maps.Exp().power == 0.0


def test_parameters_given_have_gradients_though_the_bijector_does_not_own_them():
    scale = Parameter(Tensor([2.0], float32), name="scale")
    made = maps.ScalarAffine(scale, Tensor([1.0], float32))
    assert made.trainable_params() == []
    (gradient,) = grad(lambda value: made.forward(value).sum(), None, [scale])(Tensor([3.0, 4.0]))
    assert values(gradient) == [7.0]


def test_a_bijector_of_a_user_with_a_type():
    class Scaled(maps.Bijector):
        def __init__(self, by):
            super().__init__(True, True, "Scaled", float32, {"by": by})
            self.by = self._add_parameter(by, "by")

        def _forward(self, x):
            x = self._check_value_dtype(x)
            return x * self.cast_param_by_value(x, self.by)

        def _inverse(self, y, extra=0.0):
            return (y - extra) / self.by

    made = Scaled(4.0)
    assert values(made.forward(Tensor([2.0]))) == [8.0] and made.parameters == {"by": 4.0}
    assert values(made("inverse", Tensor([9.0]), extra=1.0)) == [2.0]
    with pytest.raises(TypeError, match="'value' must have Float32, but got Float16"):
        made.forward(Tensor([2.0], float16))
    with pytest.raises(TypeError, match="'by' must have Float32"):
        Scaled(Tensor([2.0], float16))
    with pytest.raises(NotImplementedError, match="'forward_log_jacobian' is not known of"):
        made.forward_log_jacobian(Tensor([1.0]))
    linear = made(families.Normal(1.0, 1.0), name="wide")
    assert linear.name == "wide" and linear.mean() == 4.0


def test_in_a_network():
    class Net(Cell):
        def __init__(self):
            super().__init__()
            self.invert = maps.Invert(maps.ScalarAffine(2.0, 1.0))

        @jit
        def construct(self, x):
            return self.invert.forward(x)

    assert values(Net()(Tensor([2.0, 3.0]))).tolist() == [0.5, 1.0]


def test_questions_unknown_are_refused():
    with pytest.raises(ValueError, match="'name' must be that of a question, but got 'foo'"):
        maps.Exp()("foo", Tensor([1.0]))
