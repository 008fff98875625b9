"""Assigning to an attribute of a layer, a loss or an optimizer takes effect."""

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, mint, nn, ops

IMAGE = Tensor(np.sin(np.arange(2 * 3 * 8 * 8)).reshape(2, 3, 8, 8).astype(np.float32))
ROWS = IMAGE.reshape(48, 8)
SHARES = ops.sigmoid(ROWS)

# (constructor of the layer, argument, other value, inputs)
LAYERS = [
    (nn.Dense, {"in_channels": 8, "out_channels": 3}, "has_bias", False, (ROWS,)),
    (nn.Dense, {"in_channels": 8, "out_channels": 3}, "activation", nn.Tanh(), (ROWS,)),
    (nn.Linear, {"in_features": 8, "out_features": 3}, "bias", None, (ROWS,)),
    (
        nn.BiDense,
        {"in1_channels": 8, "in2_channels": 8, "out_channels": 3},
        "has_bias",
        False,
        (ROWS, ROWS),
    ),
    (
        nn.Conv2d,
        {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "has_bias": True},
        "has_bias",
        False,
        (IMAGE,),
    ),
    (
        nn.Conv2d,
        {"in_channels": 3, "out_channels": 4, "kernel_size": 3},
        "stride",
        (2, 2),
        (IMAGE,),
    ),
    (
        nn.Conv2dTranspose,
        {"in_channels": 3, "out_channels": 4, "kernel_size": 3, "has_bias": True},
        "has_bias",
        False,
        (IMAGE,),
    ),
    (nn.MaxPool2d, {"kernel_size": 2}, "kernel_size", 3, (IMAGE,)),
    (nn.AvgPool2d, {"kernel_size": 2}, "stride", 2, (IMAGE,)),
    (nn.MaxPool3d, {"kernel_size": 1, "stride": 1}, "stride", (1, 2, 2), (IMAGE,)),
    (nn.MaxPool2d, {"kernel_size": 2}, "pad_mode", "same", (IMAGE,)),
    (nn.AvgPool2d, {"kernel_size": 3, "pad_mode": "pad"}, "padding", 1, (IMAGE,)),
    (nn.AdaptiveAvgPool2d, {"output_size": 2}, "output_size", (3, 3), (IMAGE,)),
    (nn.BatchNorm2d, {"num_features": 3}, "eps", 0.5, (IMAGE,)),
    (nn.LayerNorm, {"normalized_shape": (8,)}, "epsilon", 0.5, (IMAGE,)),
    (nn.GroupNorm, {"num_groups": 1, "num_channels": 3}, "num_groups", 3, (IMAGE,)),
    (nn.GroupNorm, {"num_groups": 1, "num_channels": 3}, "eps", 0.5, (IMAGE,)),
    (nn.LeakyReLU, {}, "alpha", 0.7, (IMAGE,)),
    (nn.CELU, {}, "alpha", 0.7, (IMAGE,)),
    (nn.Softmax, {}, "axis", 0, (IMAGE,)),
    (nn.ConstantPad2d, {"padding": 1, "value": 0.5}, "padding", (1, 2, 0, 1), (IMAGE,)),
    (nn.ConstantPad2d, {"padding": 1, "value": 0.5}, "value", 2.0, (IMAGE,)),
    (nn.ReflectionPad2d, {"padding": 1}, "padding", 2, (IMAGE,)),
    (nn.ReplicationPad2d, {"padding": 1}, "padding", 2, (IMAGE,)),
    (nn.ZeroPad2d, {"padding": 1}, "padding", (0, 0, 2, 1), (IMAGE,)),
    (nn.MSELoss, {}, "reduction", "sum", (ROWS, SHARES)),
    (nn.L1Loss, {}, "reduction", "none", (ROWS, SHARES)),
    (nn.SoftmaxCrossEntropyWithLogits, {}, "reduction", "mean", (ROWS, SHARES)),
    (nn.BCELoss, {}, "reduction", "sum", (SHARES, SHARES)),
    (nn.SmoothL1Loss, {}, "beta", 0.2, (ROWS, SHARES)),
    (mint.nn.Softmax, {"dim": 1}, "dim", 0, (ROWS,)),
]


def named(case):
    """The layer and the argument of a case."""
    made, _, name, _, _ = case
    return f"{made.__name__}.{name}"


@pytest.mark.parametrize("case", LAYERS, ids=named)
def test_a_layer_computes_with_what_was_assigned_last(case):
    make, options, name, value, inputs = case
    layer = make(**options)
    before = layer(*inputs).asnumpy()
    setattr(layer, name, value)
    after = layer(*inputs).asnumpy()
    expected = make(**{**options, name: value if value is not None else False})
    for own, other in zip(expected.get_parameters(), layer.get_parameters()):
        own.set_data(other)
    close(after, expected(*inputs), rtol=1e-6, atol=0)
    assert before.shape != after.shape or not np.allclose(before, after)


@pytest.mark.parametrize(
    "made, name, value, share",
    [
        (lambda: nn.Dropout(p=0.3), "p", 0.0, 0.0),
        (lambda: nn.Dropout(p=0.3), "p", 0.6, 0.6),
        (lambda: nn.Dropout(p=0.3), "keep_prob", 1.0, 0.0),
        (lambda: nn.Dropout(keep_prob=0.7), "keep_prob", 0.4, 0.6),
        (lambda: nn.Dropout(keep_prob=0.7), "p", 0.1, 0.1),
        (lambda: nn.Dropout1d(0.3), "prob", 0.6, 0.6),
        (lambda: nn.Dropout2d(0.3), "p", 0.6, 0.6),
        (lambda: nn.Dropout2d(0.3), "keep_prob", 1.0, 0.0),
        (lambda: nn.Dropout3d(0.3), "keep_prob", 0.4, 0.6),
        (lambda: mint.nn.Dropout(0.3), "p", 0.6, 0.6),
    ],
)
def test_dropout_zeroes_the_share_assigned_last(made, name, value, share):
    layer = made().set_train()
    setattr(layer, name, value)
    shape = {
        "Dropout1d": (100, 100, 1),
        "Dropout2d": (100, 100, 1, 1),
        "Dropout3d": (100, 100, 1, 1, 1),
    }.get(type(layer).__name__, (100, 100))
    out = layer(ops.ones(shape)).asnumpy()
    assert abs((out == 0).mean() - share) < 0.03
    close(out.max(), 1 / (1 - share), rtol=1e-6, atol=0)


def test_the_flag_of_an_activation_counts():
    layer = nn.Dense(8, 3, activation="relu")
    layer.activation_flag = False
    assert float(layer(ROWS).min()) < 0
    layer.activation_flag = True
    assert float(layer(ROWS).min()) == 0


@pytest.mark.parametrize(
    "made, name, value, error",
    [
        (lambda: nn.ReflectionPad2d(1), "padding", 1.5, TypeError),
        (lambda: nn.ZeroPad2d(1), "padding", (1, 2, 3), ValueError),
        (lambda: nn.MaxPool2d(2), "kernel_size", 0, ValueError),
        (lambda: nn.AvgPool2d(2), "pad_mode", "edge", ValueError),
    ],
)
def test_a_value_that_is_refused_is_not_assigned(made, name, value, error):
    layer = made()
    before = getattr(layer, name)
    out = layer(IMAGE).asnumpy()
    with pytest.raises(error):
        setattr(layer, name, value)
    assert getattr(layer, name) == before
    np.testing.assert_array_equal(layer(IMAGE).asnumpy(), out)


def test_a_loss_of_a_user_keeps_its_own_kind_of_reduction():
    class Own(nn.LossBase):
        def __init__(self):
            super().__init__()
            self.reduction = "batchmean"

    assert Own().reduction == "batchmean"
    assert float(Own().get_loss(Tensor([1.0, 3.0]))) == 2


def step(make, **assigned):
    """A parameter after one step of an optimizer whose attributes were assigned after
    construction."""
    weight = Parameter(Tensor([1.0, -2.0]), name="w")
    optimizer = make([weight])
    for name, value in assigned.items():
        setattr(optimizer, name, value)
    optimizer((Tensor([0.5, 0.25]),))
    return weight.asnumpy()


@pytest.mark.parametrize(
    "make, assigned, expected",
    [
        (
            lambda p: nn.SGD(p, 0.1),
            {"weight_decay": Tensor(0.5)},
            lambda p: nn.SGD(p, 0.1, weight_decay=0.5),
        ),
        (
            lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.1),
            {"weight_decay": 0.5},
            lambda p: nn.Momentum(p, 0.1, 0.9, weight_decay=0.5),
        ),
        (
            lambda p: nn.Adam(p, 0.1, weight_decay=0.1),
            {"weight_decay": Tensor(0.0)},
            lambda p: nn.Adam(p, 0.1),
        ),
        (lambda p: nn.Adam(p, 0.1), {"eps": 0.5}, lambda p: nn.Adam(p, 0.1, eps=0.5)),
        (lambda p: nn.RMSProp(p, 0.1), {"decay": 0.5}, lambda p: nn.RMSProp(p, 0.1, decay=0.5)),
        (
            lambda p: nn.AdaFactor(p, 0.1, relative_step=False),
            {"beta1": Tensor(0.5)},
            lambda p: nn.AdaFactor(p, 0.1, relative_step=False, beta1=0.5),
        ),
        (lambda p: nn.SGD(p, 0.1), {"learning_rate": Tensor(0.5)}, lambda p: nn.SGD(p, 0.5)),
    ],
    ids=["sgd", "momentum", "no_decay", "adam", "rmsprop", "adafactor", "rate"],
)
def test_an_optimizer_steps_with_what_was_assigned_last(make, assigned, expected):
    close(step(make, **assigned), step(expected), rtol=1e-6, atol=0)


def test_lars_decays_with_what_was_assigned_last():
    def made(decay):
        return lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9, weight_decay=decay))

    close(step(made(0.1), weight_decay=Tensor(0.5)), step(made(0.5)), rtol=1e-6, atol=0)


def test_a_keep_prob_out_of_range_is_refused_in_the_name_of_the_layer():
    with pytest.raises(ValueError, match="For 'Dropout', 'keep_prob'"):
        nn.Dropout(keep_prob=0.0)
