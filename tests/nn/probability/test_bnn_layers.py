"""Bayesian layers: shapes, names, variance of samples, divergences, training, rejected calls."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import (
    Tensor,
    float16,
    float32,
    grad,
    int32,
    load_param_into_net,
    nn,
    ops,
    set_seed,
    value_and_grad,
)
from mindspore_compat.nn.probability import bnn_layers
from mindspore_compat.nn.probability.bnn_layers.layer_distribution import normal_post_fn
from mindspore_compat.nn.probability.distribution import Normal


def values(tensor):
    return tensor.asnumpy().astype(np.float64)


def fixed(mean, deviation):
    """A posterior with one mean and one standard deviation, as closely as the parameters allow."""
    start = float(np.log(np.expm1(deviation)))

    def make(name, shape):
        return bnn_layers.NormalPosterior(
            name,
            shape,
            loc_mean=mean,
            loc_std=1e-7,
            untransformed_scale_mean=start,
            untransformed_scale_std=1e-7,
        )

    return make


def divergence(prior_mean, prior_sd, mean, sd):
    return np.log(sd / prior_sd) + (prior_sd**2 + (prior_mean - mean) ** 2) / (2 * sd**2) - 0.5


def test_a_prior_is_a_normal_distribution():
    prior = bnn_layers.NormalPrior()
    close([values(prior("mean")), values(prior("sd"))], [0, 0.1], rtol=1e-7, atol=0)
    other = bnn_layers.NormalPrior(float16, 1, 2.0)
    assert other("mean").dtype == float16 and values(other("sd")) == 2
    assert not prior.parameters_dict()


def test_a_posterior_starts_as_set_and_can_be_asked():
    set_seed(1)
    posterior = bnn_layers.NormalPosterior("w", [200, 100], loc_mean=2, loc_std=3)
    assert [each.name for each in posterior.get_parameters()] == ["w_mean", "w_untransformed_std"]
    start = values(posterior.mean)
    close([start.mean(), start.std()], [2, 3], rtol=1e-7, atol=0.1)
    deviation = values(posterior.untransformed_std)
    close([deviation.mean(), deviation.std()], [-5, 0.1], rtol=1e-7, atol=0.01)
    close(values(posterior("sd")), np.log1p(np.exp(deviation)), rtol=1e-5, atol=0)
    mean, sd = posterior("get_dist_args")
    assert mean is posterior.mean and sd.shape == (200, 100)
    assert posterior("get_dist_type") == "Normal"
    assert posterior("sample", (3,)).shape == (3, 200, 100)


@pytest.mark.parametrize("kind", [bnn_layers.DenseReparam, bnn_layers.DenseLocalReparam])
def test_dense_layers(kind):
    set_seed(3)
    net = kind(3, 4, activation="relu")
    names = [
        "weight_posterior.mean",
        "weight_posterior.untransformed_std",
        "bias_posterior.mean",
        "bias_posterior.untransformed_std",
    ]
    assert [each.name for each in net.trainable_params()] == names
    assert [each.shape for each in net.get_parameters()] == [(4, 3), (4, 3), (4,), (4,)]
    out = values(net(ops.ones((50, 3))))
    assert out.shape == (50, 4) and (out >= 0).all() and isinstance(net.activation, nn.ReLU)
    plain = kind(3, 4, nn.Tanh(), has_bias=False)
    assert len(plain.trainable_params()) == 2
    assert (np.abs(values(plain(ops.ones((9, 3))))) < 1).all()


def test_a_dense_layer_draws_one_weight_for_a_batch():
    set_seed(4)
    net = bnn_layers.DenseReparam(2, 1, has_bias=False, weight_posterior_fn=fixed(1.0, 0.5))
    rows = Tensor(np.tile([[3.0, 4.0]], (20, 1)), float32)
    drawn = np.array([values(net(rows)) for _ in range(2000)])
    assert (drawn == drawn[:, :1]).all()
    close([drawn[:, 0].mean(), drawn[:, 0].std()], [7.0, 2.5], rtol=1e-7, atol=0.3)


def test_a_local_dense_layer_draws_for_each_row():
    set_seed(4)
    net = bnn_layers.DenseLocalReparam(2, 1, has_bias=False, weight_posterior_fn=fixed(1.0, 0.5))
    drawn = values(net(Tensor(np.tile([[3.0, 4.0]], (20000, 1)), float32)))
    close([drawn.mean(), drawn.std()], [7.0, 2.5], rtol=1e-7, atol=0.1)


def test_a_convolution_draws_kernels():
    set_seed(5)
    net = bnn_layers.ConvReparam(
        4,
        6,
        (3, 2),
        stride=2,
        pad_mode="pad",
        padding=1,
        group=2,
        has_bias=True,
        weight_posterior_fn=fixed(2.0, 1e-4),
        bias_posterior_fn=fixed(10.0, 1e-4),
    )
    images = Tensor(np.random.default_rng(0).normal(size=(2, 4, 7, 6)), float32)
    same = nn.Conv2d(
        4, 6, (3, 2), 2, "pad", 1, group=2, has_bias=True, weight_init=2.0, bias_init=10.0
    )
    close(values(net(images)), values(same(images)), atol=2e-2)
    assert (values(net(images)) != values(net(images))).any()
    assert [each.name for each in net.trainable_params()] == [
        "weight_posterior.mean",
        "weight_posterior.untransformed_std",
        "bias_posterior.mean",
        "bias_posterior.untransformed_std",
    ]
    assert [each.name for each in net.untrainable_params()] == ["weight", "bias"]
    assert net.weight_posterior.mean.shape == (6, 2, 3, 2)


@pytest.mark.parametrize(
    "net",
    [
        lambda **given: bnn_layers.DenseReparam(3, 4, **given),
        lambda **given: bnn_layers.DenseLocalReparam(3, 4, **given),
        lambda **given: bnn_layers.ConvReparam(3, 4, 1, has_bias=True, **given),
    ],
)
def test_the_divergence_is_that_from_the_priors(net):
    found = net(
        weight_prior_fn=lambda: bnn_layers.NormalPrior(mean=1, std=0.5),
        bias_prior_fn=Normal(0.5, 2.0),
        weight_posterior_fn=fixed(2.0, 0.7),
        bias_posterior_fn=fixed(-1.0, 0.3),
    ).compute_kl_loss()
    expected = 12 * divergence(1, 0.5, 2, 0.7) + 4 * divergence(0.5, 2, -1, 0.3)
    assert found.shape == ()
    close(values(found), expected, rtol=1e-4, atol=0)


def test_the_loss_has_both_parts():
    set_seed(6)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first = bnn_layers.DenseReparam(16, 8, weight_posterior_fn=fixed(0.1, 1e-6))
            self.rest = nn.SequentialCell([nn.ReLU(), bnn_layers.DenseLocalReparam(8, 1)])

        def construct(self, x):
            return self.rest(self.first(x))

    net = Net()
    parts = values(net.first.compute_kl_loss()) + values(net.rest[1].compute_kl_loss())
    data, label = ops.ones((2, 16)), ops.ones((2, 1))
    only = bnn_layers.WithBNNLossCell(net, nn.MSELoss(), 0, 0.5)
    close(values(only(data, label)), 0.5 * parts, rtol=1e-5, atol=0)
    one = bnn_layers.WithBNNLossCell(net, TwoForEach(), 3, 0)
    assert values(one(data, label)).tolist() == [6.0, 6.0] and one.backbone_network is net
    assert [each.name for each in only.trainable_params()][:2] == [
        "first.weight_posterior.mean",
        "first.weight_posterior.untransformed_std",
    ]
    bare = bnn_layers.WithBNNLossCell(nn.Dense(16, 1, 0.5, 0.0), nn.MSELoss(), 2)
    close(values(bare(data, label)), 98.0, atol=0)


class TwoForEach(nn.Cell):
    """A loss of 2 for each row."""

    def construct(self, out, label):
        return (out * 0 + 2)[:, 0]


def test_a_network_learns():
    set_seed(7)
    rng = np.random.default_rng(0)
    x = rng.normal(size=(256, 3))
    y = x @ [[1.0], [-2.0], [0.5]] + 0.3
    net = bnn_layers.DenseLocalReparam(3, 1)
    criterion = bnn_layers.WithBNNLossCell(net, nn.MSELoss(), bnn_factor=1e-6)
    step = nn.TrainOneStepCell(criterion, nn.Adam(net.trainable_params(), learning_rate=0.05))
    for _ in range(200):
        step(Tensor(x, float32), Tensor(y, float32))
    close(values(net.weight_posterior.mean), [[1.0, -2.0, 0.5]], atol=0.15)
    close(values(net.bias_posterior.mean), [0.3], atol=0.15)
    assert values(criterion(Tensor(x, float32), Tensor(y, float32))) < 0.1


def test_draws_and_divergences_have_gradients():
    set_seed(8)
    net = bnn_layers.DenseReparam(2, 1, has_bias=False, weight_posterior_fn=fixed(1.0, 0.5))
    weights = net.trainable_params()
    out, gradients = value_and_grad(lambda x: net(x).sum(), None, weights)(Tensor([[3.0, 4.0]]))
    drawn = (values(out) - 7) / 0.5  # 3 u + 4 v, where u and v are the numbers drawn
    close(values(gradients[0]), [[3.0, 4.0]], atol=0)
    rising = 1 - np.exp(-0.5)  # the derivative of the standard deviation
    close(values(gradients[1]).sum(), rising * drawn, 1e-3)
    gradients = grad(net.compute_kl_loss, None, weights)()
    close(values(gradients[0]), [[4.0, 4.0]], rtol=1e-4, atol=0)  # mean / sd ** 2


def test_saved_weights_are_loaded():
    one, other = bnn_layers.ConvReparam(2, 3, 3), bnn_layers.ConvReparam(2, 3, 3)
    missing, extra = load_param_into_net(other, one.parameters_dict())
    assert not missing and not extra
    np.testing.assert_array_equal(
        values(one.weight_posterior.mean), values(other.weight_posterior.mean)
    )


def test_the_function_for_posteriors_gets_a_name_and_a_list():
    seen = []

    def make(name, shape):
        seen.append((name, shape))
        return normal_post_fn(name, shape)

    bnn_layers.ConvReparam(
        4, 6, 3, group=2, has_bias=True, weight_posterior_fn=make, bias_posterior_fn=make
    )
    assert seen == [("bnn_weight", [6, 2, 3, 3]), ("bnn_bias", [6])]


def dense(**given):
    return lambda: bnn_layers.DenseReparam(**{"in_channels": 3, "out_channels": 1, **given})


def conv(**given):
    sizes = {"in_channels": 4, "out_channels": 6, "kernel_size": 3}
    return lambda: bnn_layers.ConvReparam(**{**sizes, **given})


NET = nn.Dense(3, 1)


@pytest.mark.parametrize(
    "make, error",
    [
        (dense(in_channels=0), ValueError),
        (dense(in_channels=3.0), TypeError),
        (dense(out_channels=-1), ValueError),
        (dense(has_bias=1), TypeError),
        (dense(activation=3), ValueError),
        (dense(activation=nn.ReLU), ValueError),
        (dense(activation="foo"), KeyError),
        (dense(weight_prior_fn=3), TypeError),
        (dense(weight_prior_fn=nn.ReLU()), TypeError),
        (dense(weight_posterior_fn=3), TypeError),
        (dense(weight_posterior_fn=lambda name, shape: Normal(0.0, 1.0)), TypeError),
        (dense(weight_posterior_fn=bnn_layers.NormalPosterior("w", [1, 3])), TypeError),
        (dense(bias_prior_fn=3), TypeError),
        (dense(bias_posterior_fn=3), TypeError),
        (conv(pad_mode="foo"), ValueError),
        (conv(stride=0), ValueError),
        (conv(group=3), ValueError),
        (conv(dilation=0), ValueError),
        (conv(kernel_size=(1, 2, 3)), TypeError),
        (conv(padding=1), ValueError),
        (conv(padding=-1), ValueError),
        (conv(has_bias=1), TypeError),
        (conv(weight_prior_fn=3), TypeError),
        (conv(weight_posterior_fn=3), TypeError),
        (conv(bias_prior_fn=3, has_bias=True), TypeError),
        (lambda: bnn_layers.NormalPrior(float32, 0, -1), ValueError),
        (lambda: bnn_layers.NormalPrior(int32), TypeError),
        (lambda: bnn_layers.NormalPrior(float32, "a"), TypeError),
        (lambda: bnn_layers.NormalPosterior(3, [2]), TypeError),
        (lambda: bnn_layers.NormalPosterior("w", 3), TypeError),
        (lambda: bnn_layers.NormalPosterior("w", [2.0]), TypeError),
        (lambda: bnn_layers.NormalPosterior("w", [-1]), ValueError),
        (lambda: bnn_layers.NormalPosterior("w", [2], float32, 0, -1), TypeError),
        (lambda: bnn_layers.NormalPosterior("w", [2], float32, 0, 0.1, 0, 0), TypeError),
        (lambda: bnn_layers.WithBNNLossCell(3, nn.MSELoss()), TypeError),
        (lambda: bnn_layers.WithBNNLossCell(NET, nn.MSELoss(), "a"), TypeError),
        (lambda: bnn_layers.WithBNNLossCell(NET, nn.MSELoss(), -1), ValueError),
        (lambda: bnn_layers.WithBNNLossCell(NET, nn.MSELoss(), 1, -1), ValueError),
        (lambda: bnn_layers.DenseReparam(3, 4)(ops.ones((2, 4))), ValueError),
        (lambda: bnn_layers.DenseReparam(3, 4)(ops.ones((2, 5, 3))), ValueError),
        (lambda: bnn_layers.DenseReparam(3, 4)(ops.ones((2, 3), float16)), TypeError),
    ],
)
def test_what_is_refused(make, error):
    with pytest.raises(error):
        make()


def test_distributions_of_a_bias_that_is_not_there_are_not_made():
    net = bnn_layers.ConvReparam(4, 6, 3, bias_prior_fn=3, bias_posterior_fn=3)
    assert net(ops.ones((1, 4, 5, 5))).shape == (1, 6, 5, 5)
