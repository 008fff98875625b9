"""ModelThor: second-order steps, overflow, sinking, and conversion."""

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Model, Tensor, nn
from mindspore_compat.amp import DynamicLossScaleManager, FixedLossScaleManager
from mindspore_compat.train.callback import Callback
from mindspore_compat.train.train_thor import ConvertModelUtils, ConvertNetUtils
from mindspore_compat.train.train_thor.model_thor import ModelThor

RATES = Tensor(np.full(100, 0.01, np.float32))
DAMPINGS = Tensor(np.full(100, 0.03, np.float32))


def data(steps=8, spoilt=()):
    rng = np.random.default_rng(0)
    x = rng.standard_normal((steps * 4, 3)).astype(np.float32)
    for step in spoilt:
        x[4 * step] = np.inf
    y = np.tanh(x[:, :2]).astype(np.float32)
    return ds.NumpySlicesDataset({"x": x, "y": y}, shuffle=False).batch(4)


def network():
    rng = np.random.default_rng(1)

    def draw(*shape):
        return Tensor(rng.standard_normal(shape).astype(np.float32) / 2)

    return nn.SequentialCell(
        nn.Dense(3, 5, draw(5, 3), "zeros"), nn.Tanh(), nn.Dense(5, 2, draw(2, 5), "zeros")
    )


def thor_model(frequency=3, manager=None, **options):
    net = network()
    options = {"batch_size": 4, "frequency": frequency, **options}
    optimizer = nn.thor(net, RATES, DAMPINGS, 0.9, **options)
    plain = Model(net, nn.MSELoss(), optimizer, loss_scale_manager=manager)
    made = ms.ConvertModelUtils.convert_to_thor_model(
        plain,
        network=net,
        loss_fn=nn.MSELoss(),
        optimizer=optimizer,
        metrics={"mae"},
        loss_scale_manager=manager,
    )
    return made, net, optimizer


class Watch(Callback):
    """Records after each step whether it was of the second order, and the loss."""

    def __init__(self, optimizer):
        self.optimizer = optimizer
        self.seen, self.losses = [], []

    def on_train_step_end(self, run_context):
        self.seen.append(self.optimizer.thor)
        outputs = run_context.original_args().net_outputs
        outputs = outputs[0] if isinstance(outputs, tuple) else outputs
        self.losses.append(float(outputs))


@pytest.mark.parametrize("frequency", [2, 3, 100])
@pytest.mark.parametrize("sink", [False, True])
def test_every_so_many_steps_are_of_second_order(frequency, sink):
    model, _, optimizer = thor_model(frequency)
    assert type(model) is ModelThor
    watch = Watch(optimizer)
    model.train(4, data(), callbacks=watch, dataset_sink_mode=sink)
    if not sink:
        assert watch.seen == [step % frequency == 0 for step in range(32)]
    assert int(optimizer.cov_step) == 32
    assert np.mean(watch.losses[-8:]) < 0.3 * np.mean(watch.losses[:8]) or sink
    assert watch.losses[-1] < 0.1


def test_a_model_is_as_a_loop_that_switches():
    model, net, _ = thor_model(2)
    model.train(1, data())
    other = network()
    optimizer = nn.thor(other, RATES, DAMPINGS, 0.9, batch_size=4, frequency=2)
    step = nn.TrainOneStepCell(nn.WithLossCell(other, nn.MSELoss()), optimizer).set_train()
    for number, (x, y) in enumerate(data()):
        step.add_flags_recursive(thor=number % 2 == 0)
        step(x, y)
    for weight, expected in zip(net.trainable_params(), other.trainable_params(), strict=True):
        close(weight, expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "manager, options",
    [
        (FixedLossScaleManager(1024.0), {"loss_scale": 1024.0}),
        (DynamicLossScaleManager(1024.0, 2, 1000), {}),
    ],
    ids=["fixed", "dynamic"],
)
def test_an_overflow_of_a_second_order_step_is_made_up_for(manager, options):
    options = {} if isinstance(manager, DynamicLossScaleManager) else options
    model, net, optimizer = thor_model(3, manager, **options)
    watch = Watch(optimizer)
    with np.errstate(all="ignore"):
        model.train(1, data(8, spoilt=(0, 4)), callbacks=watch)
    # steps 0 and 4 update nothing, so updates 0, 1, ... are steps 1, 2, 3, 5, 6, 7
    assert watch.seen == [True, True, False, False, True, True, False, False]
    assert int(optimizer.cov_step) == 6
    assert all(np.isfinite(weight.asnumpy()).all() for weight in net.trainable_params())


def test_evaluation_gathers_nothing():
    model, _, optimizer = thor_model(2)
    model.train(1, data(2))
    before = [factor.asnumpy().copy() for factor in optimizer.matrix_a_cov]
    found = model.eval(data(2))
    assert set(found) == {"mae"} and np.isfinite(found["mae"])
    for factor, old in zip(optimizer.matrix_a_cov, before, strict=True):
        np.testing.assert_array_equal(factor.asnumpy(), old)
    assert np.isfinite(model.predict(Tensor(np.ones((4, 3), np.float32))).asnumpy()).all()


def test_a_training_step_is_converted_as_it_is():
    net = network()
    optimizer = nn.thor(net, RATES, DAMPINGS, 0.9, batch_size=4, frequency=2)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    model = ConvertModelUtils().convert_to_thor_model(
        Model(step), network=step, optimizer=optimizer
    )
    assert type(model) is ModelThor
    watch = Watch(optimizer)
    model.train(1, data(4), callbacks=watch)
    assert watch.seen == [True, False, True, False]


def test_other_optimizers_keep_their_model():
    net = network()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    model = Model(net, nn.MSELoss(), optimizer)
    assert ms.ConvertModelUtils.convert_to_thor_model(model, net, nn.MSELoss(), optimizer) is model


@pytest.mark.parametrize("model", [None, 1, "model"])
def test_only_a_model_is_converted(model):
    with pytest.raises(TypeError, match="model"):
        ms.ConvertModelUtils.convert_to_thor_model(model, network(), nn.MSELoss())


def test_a_model_without_thor_is_refused():
    net = network()
    with pytest.raises(ValueError, match="thor"):
        ModelThor(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))


def test_a_network_is_converted_in_place():
    net = network()
    before = {weight.name: weight.asnumpy().copy() for weight in net.trainable_params()}
    ConvertNetUtils().convert_to_thor_net(net)
    assert [type(cell).__name__ for cell in net.cells()] == ["DenseThor", "Tanh", "DenseThor"]
    assert {weight.name for weight in net.trainable_params()} == set(before)
    for weight in net.trainable_params():
        np.testing.assert_array_equal(weight.asnumpy(), before[weight.name])
    with pytest.raises(TypeError, match="net"):
        ConvertNetUtils().convert_to_thor_net(1)


@pytest.mark.parametrize(
    "manager, options",
    [
        (DynamicLossScaleManager(1024.0, 2, 1000), {}),
        (FixedLossScaleManager(1024.0), {"loss_scale": 1024.0}),
        (FixedLossScaleManager(1024.0, drop_overflow_update=False), {"loss_scale": 1024.0}),
    ],
    ids=["dynamic", "fixed", "fixed, kept"],
)
def test_a_loss_scale_changes_nothing(manager, options):
    scaled, net, _ = thor_model(
        2, manager, **(options if not manager.get_drop_overflow_update() else {})
    )
    scaled.train(1, data())
    plain, other, _ = thor_model(2)
    plain.train(1, data())
    for weight, expected in zip(net.trainable_params(), other.trainable_params(), strict=True):
        close(weight, expected, rtol=1e-4, atol=1e-5)
