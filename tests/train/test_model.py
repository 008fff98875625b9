"""Model: the order of a run, what callbacks receive, rejected calls."""

import numpy as np
import pytest
from train.runs import At, Batches, Compare, Descent, Line, SquaredError, Teller, batches

import mindspore_compat as ms
import mindspore_compat.dataset as ds
from mindspore_compat import Tensor, nn
from mindspore_compat.train import (
    Accuracy,
    Callback,
    FixedLossScaleManager,
    Loss,
    LossMonitor,
    Model,
    ModelCheckpoint,
)


def compared(**options):
    """A Model with a complete training step as its network; it can be evaluated."""
    return Model(
        Descent(),
        eval_network=Compare(),
        eval_indexes=[0, 1, 2],
        metrics={"loss": Loss()},
        **options,
    )


def trained(rate=0.1, **options):
    """A Model with loss and optimizer; its weight starts as 1 and the labels are 0."""
    net = Line()
    return Model(net, SquaredError(), nn.SGD(net.trainable_params(), rate), **options)


# The order of a run


def test_hooks_come_in_order():
    teller = Teller("cur_epoch_num", "cur_step_num")
    Model(Descent()).train(2, batches(2), teller)
    assert teller.lines == [
        "enter",
        "on_train_begin None 0",
        "on_train_epoch_begin 1 0",
        "on_train_step_begin 1 1",
        "on_train_step_end 1 1",
        "on_train_step_begin 1 2",
        "on_train_step_end 1 2",
        "on_train_epoch_end 1 2",
        "on_train_epoch_begin 2 2",
        "on_train_step_begin 2 3",
        "on_train_step_end 2 3",
        "on_train_step_begin 2 4",
        "on_train_step_end 2 4",
        "on_train_epoch_end 2 4",
        "on_train_end 2 4",
        "exit None",
    ]


def test_an_evaluation_in_fit_comes_before_the_end_of_the_epoch():
    teller = Teller("mode", "cur_step_num", "batch_num")
    compared().fit(1, batches(1), batches(2), callbacks=teller)
    assert teller.lines == [
        "enter",
        "on_train_begin train 0 1",
        "on_train_epoch_begin train 0 1",
        "on_train_step_begin train 1 1",
        "on_train_step_end train 1 1",
        "enter",
        "on_eval_begin eval 0 2",
        "on_eval_epoch_begin eval 0 2",
        "on_eval_step_begin eval 1 2",
        "on_eval_step_end eval 1 2",
        "on_eval_step_begin eval 2 2",
        "on_eval_step_end eval 2 2",
        "on_eval_epoch_end eval 2 2",
        "on_eval_end eval 2 2",
        "exit None",
        "on_train_epoch_end train 1 1",
        "on_train_end train 1 1",
        "exit None",
    ]


def test_an_exception_leaves_the_callbacks_without_their_end_hooks():
    teller = Teller()

    def fail(run_context):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        Model(Descent()).train(1, batches(2), [teller, At(on_train_step_end=fail)])
    assert teller.lines[-2:] == ["on_train_step_end", "exit ZeroDivisionError"]


@pytest.mark.parametrize(
    "hook, last",
    [
        ("on_train_step_begin", "on_train_step_end 1"),
        ("on_train_step_end", "on_train_step_end 1"),
        ("on_train_epoch_end", "on_train_step_end 2"),
    ],
)
def test_a_request_ends_the_run_after_the_step_or_epoch(hook, last):
    teller = Teller("cur_step_num")
    stopping = At(**{hook: lambda run_context: run_context.request_stop()})
    Model(Descent()).train(3, batches(2), [stopping, teller])
    step = last[-1]
    assert teller.lines[-4:] == [
        last,
        f"on_train_epoch_end {step}",
        f"on_train_end {step}",
        "exit None",
    ]


def test_a_request_ends_an_evaluation_after_the_step():
    stopping = At(on_eval_step_end=lambda run_context: run_context.request_stop())
    assert compared().eval(batches(4), stopping) == {"loss": 1.0}


def test_initial_epoch_counts_epochs_as_done():
    teller = Teller("cur_epoch_num", "epoch_num")
    Model(Descent()).train(3, batches(1), teller, initial_epoch=2)
    assert [line for line in teller.lines if "epoch_end" in line] == ["on_train_epoch_end 3 1"]


# What callbacks see


def test_what_callbacks_see_in_training():
    seen = {}
    model, data = trained(), batches(2)
    callback = At(on_train_step_end=lambda run_context: seen.update(run_context.original_args()))
    model.train(1, data, callback)
    assert set(seen) == {
        "batch_num",
        "cur_epoch_num",
        "cur_step_num",
        "dataset_sink_mode",
        "device_number",
        "epoch_num",
        "initial_step",
        "last_save_ckpt_step",
        "latest_ckpt_file",
        "list_callback",
        "loss_fn",
        "loss_scale_mananger",
        "mode",
        "net_outputs",
        "network",
        "optimizer",
        "parallel_mode",
        "train_dataset",
        "train_dataset_element",
        "train_network",
    }
    assert seen["network"] is model._network
    assert seen["train_network"] is model.train_network
    assert seen["train_dataset"] is data
    assert seen["list_callback"] == [callback]
    assert (seen["batch_num"], seen["parallel_mode"], seen["mode"]) == (2, "stand_alone", "train")
    assert isinstance(seen["train_dataset_element"], list)


def test_what_callbacks_see_in_evaluation():
    seen = {}
    compared().eval(
        batches(1), At(on_eval_end=lambda run_context: seen.update(run_context.original_args()))
    )
    assert set(seen) == {
        "batch_num",
        "cur_step_num",
        "dataset_sink_mode",
        "eval_dataset_element",
        "eval_network",
        "list_callback",
        "metrics",
        "mode",
        "net_outputs",
        "network",
        "valid_dataset",
    }
    assert isinstance(seen["net_outputs"], tuple)


def test_fit_tells_the_metrics_in_epochs_that_evaluate():
    logs = []
    compared().fit(
        3,
        batches(1),
        batches(2),
        2,
        At(
            on_train_epoch_end=lambda run_context: logs.append(
                (
                    run_context.original_args().get("metrics"),
                    run_context.original_args().get("eval_results"),
                )
            )
        ),
    )
    assert logs == [(None, None), ({"loss": 1.5}, {"loss": 1.5, "eval_loss": 2.0}), (None, None)]


def test_attributes_that_are_not_there():
    logs = []
    Model(Descent()).train(
        1,
        batches(1),
        At(on_train_begin=lambda run_context: logs.append(run_context.original_args())),
    )
    assert not hasattr(logs[0], "metrics")
    with pytest.raises(KeyError, match="metrics"):
        logs[0].metrics


@pytest.mark.parametrize(
    "frequency, epochs",
    [(1, [1, 2, 3, 4]), (2, [2, 4]), ([1, 3], [1, 3]), (-1, [1, 2, 3, 4]), ([], [])],
)
def test_when_fit_evaluates(frequency, epochs):
    seen = []
    compared().fit(
        4,
        batches(1),
        batches(1),
        frequency,
        At(on_eval_end=lambda run_context: seen.append(run_context.original_args().cur_epoch_num)),
    )
    assert seen == epochs


def test_fit_leaves_callbacks_of_the_package_out_of_its_evaluations(capsys, tmp_path):
    saving = ModelCheckpoint("a", str(tmp_path))
    compared().fit(1, batches(1), batches(5), callbacks=[LossMonitor(), saving])
    assert capsys.readouterr().out == (
        "epoch: 1 step: 1, loss is 9.0\nEval result: epoch 1, metrics: {'loss': 3.0}\n"
    )
    assert [file.name for file in tmp_path.iterdir()] == ["a-1_1.ckpt"]


# What is computed


def test_training_moves_the_weights():
    model = trained()
    model.train(1, batches(2))
    # d/dw mean (w x)² = 2 w x²: 1 - 0.1 * 2 * 1 = 0.8, then 0.8 - 0.1 * 2 * 0.8 * 4 = 0.16
    assert float(model._network.weight) == pytest.approx(0.16)


@pytest.mark.parametrize(
    "manager",
    [
        None,
        FixedLossScaleManager(8, False),
        FixedLossScaleManager(8, True),
        ms.DynamicLossScaleManager(8, 2, 2),
    ],
    ids=["none", "fixed", "checked", "dynamic"],
)
def test_loss_scaling_changes_no_result(manager):
    net = Line()
    by_optimizer = manager is not None and not manager.get_drop_overflow_update()
    optimizer = nn.SGD(net.trainable_params(), 0.1, loss_scale=8.0 if by_optimizer else 1.0)
    Model(net, SquaredError(), optimizer, loss_scale_manager=manager).train(1, batches(2))
    assert float(net.weight) == pytest.approx(0.16)


def test_an_overflow_lowers_the_loss_scale_and_skips_the_step():
    manager = ms.DynamicLossScaleManager(8, 2, 100)
    model = trained(loss_scale_manager=manager)
    model.train(1, Batches([np.full((2, 3), np.inf, np.float32), np.zeros((2, 3), np.float32)]))
    assert float(model._network.weight) == 1.0
    assert manager.get_loss_scale() == 4


def test_modes_are_set_when_a_run_begins():
    modes = []

    class Watching(nn.Cell):
        def construct(self, x, y):
            modes.append(self.training)
            return x.mean()

    net = Watching()
    model = Model(net, eval_network=net, metrics={"loss": Loss()})
    model.fit(2, batches(1), batches(1))
    model.predict(Tensor(1.0), Tensor(1.0))
    assert modes == [True, False, True, False, False]


def test_a_mode_set_between_epochs_is_kept():
    net = Descent()
    modes = []
    freezing = At(
        on_train_epoch_end=lambda run_context: net.set_train(False),
        on_train_step_end=lambda run_context: modes.append(net.training),
    )
    Model(net).train(2, batches(1), freezing)
    assert modes == [True, False]


def test_sinking_runs_sink_size_steps_in_an_epoch(monkeypatch):
    ms.set_context(mode=ms.GRAPH_MODE)
    monkeypatch.setattr("mindspore_compat._core.context.config.config.device_target", "Ascend")
    teller = Teller("cur_step_num", "batch_num", "dataset_sink_mode")
    net = Descent()
    try:
        Model(net).train(2, batches(2), teller, dataset_sink_mode=True, sink_size=3)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)
    assert [line for line in teller.lines if "step_end" in line] == [
        "on_train_step_end 3 3 True",
        "on_train_step_end 6 3 True",
    ]
    assert float(net.weight) == 4.0


def test_without_a_device_nothing_is_sunk():
    teller = Teller("cur_step_num", "batch_num", "dataset_sink_mode")
    Model(Descent()).train(1, batches(4), teller, dataset_sink_mode=True, sink_size=3)
    assert [line for line in teller.lines if "step_end" in line][-1] == (
        "on_train_step_end 4 3 False"
    )


def test_subclasses_can_replace_the_step():
    class Counted(Model):
        steps = 0

        def _run_step(self, inputs):
            self.steps += 1
            return super()._run_step(inputs)

    model = Counted(Descent())
    model.train(2, batches(3))
    assert model.steps == 6


def test_networks_are_put_together():
    net, loss = Line(), SquaredError()
    assert Model(net).train_network is net
    assert Model(net).eval_network is None
    assert type(Model(net, loss).train_network) is nn.WithLossCell
    model = Model(net, loss, nn.SGD(net.trainable_params(), 0.1), metrics={"loss"})
    assert type(model.train_network) is nn.TrainOneStepCell
    assert type(model.eval_network) is nn.WithEvalCell
    assert model.predict_network is net


def test_batch_norms_keep_the_dtype_that_the_level_says_if_none_is_given():
    def cells(**options):
        net = nn.SequentialCell(nn.Conv2d(1, 2, 3), nn.BatchNorm2d(2))
        Model(net, SquaredError(), nn.SGD(net.trainable_params()), **options)
        return [type(cell).__name__ for _, cell in net.cells_and_names()]

    for level in ("O0", "O2", "O3"):
        expected = cells(amp_level=level)
        assert cells(amp_level=level, keep_batchnorm_fp32=None) == expected, level


# What is refused


def make(**options):
    net = Line()
    given = {
        "network": net,
        "loss_fn": SquaredError(),
        "optimizer": nn.SGD(net.trainable_params(), 0.1),
        **options,
    }
    return Model(**given)


@pytest.mark.parametrize(
    "options, error",
    [
        ({"network": 1}, TypeError),
        ({"loss_fn": 1}, TypeError),
        ({"optimizer": "sgd"}, TypeError),
        ({"optimizer": nn.Dense(1, 1)}, TypeError),
        ({"metrics": ["loss"]}, TypeError),
        ({"metrics": {"loss": 1}}, TypeError),
        ({"metrics": {1: Loss()}}, TypeError),
        ({"metrics": {"no such metric"}}, KeyError),
        ({"metrics": {"loss"}, "loss_fn": None, "optimizer": None}, ValueError),
        ({"metrics": {"loss"}, "eval_network": Compare(), "eval_indexes": [0, 1]}, ValueError),
        ({"metrics": {"loss"}, "eval_network": Compare(), "eval_indexes": 3}, ValueError),
        ({"amp_level": "O4"}, ValueError),
        ({"amp_level": 2}, TypeError),
        ({"amp_level": "O2", "optimizer": None}, ValueError),
        ({"boost_level": "O3"}, ValueError),
        ({"loss_scale_manager": 1}, TypeError),
        ({"loss_scale_manager": FixedLossScaleManager(), "optimizer": None}, ValueError),
        ({"keep_batchnorm_fp32": 1}, TypeError),
        ({"no_such_option": 1}, ValueError),
    ],
)
def test_what_a_model_refuses(options, error):
    make()
    with pytest.raises(error, match="For '(Model|get_metrics|get_metric_fn)'"):
        make(**options)


@pytest.mark.parametrize(
    "options, error",
    [
        ({"epoch": 0}, ValueError),
        ({"epoch": "1"}, TypeError),
        ({"epoch": True}, TypeError),
        ({"train_dataset": None}, TypeError),
        ({"train_dataset": [1]}, TypeError),
        ({"train_dataset": Batches()}, ValueError),
        ({"callbacks": 1}, TypeError),
        ({"callbacks": [None]}, TypeError),
        ({"dataset_sink_mode": 1}, TypeError),
        ({"sink_size": 0}, ValueError),
        ({"sink_size": -2}, ValueError),
        ({"sink_size": 1.0}, TypeError),
        ({"initial_epoch": -1}, ValueError),
        ({"initial_epoch": 1}, ValueError),
    ],
)
def test_what_training_refuses(options, error):
    model = Model(Descent())
    given = {"epoch": 1, "train_dataset": batches(1), **options}
    with pytest.raises(error, match="For 'Model"):
        model.train(**given)
    assert float(model._network.weight) == 10.0


@pytest.mark.parametrize(
    "options, error",
    [
        ({"valid_dataset": 1}, TypeError),
        ({"valid_frequency": "1"}, TypeError),
        ({"valid_frequency": 0}, ValueError),
        ({"valid_frequency": (1,)}, TypeError),
        ({"valid_dataset_sink_mode": 1}, TypeError),
    ],
)
def test_what_fit_refuses(options, error):
    with pytest.raises(error, match="For 'Model"):
        compared().fit(
            **{"epoch": 1, "train_dataset": batches(1), "valid_dataset": batches(1), **options}
        )


def test_fit_refuses_older_hooks_of_callbacks_from_outside():
    class Old(Callback):
        def step_end(self, run_context):
            """Here to be refused."""

    compared().train(1, batches(1), Old())
    with pytest.raises(ValueError, match="Old defines step_end"):
        compared().fit(1, batches(1), callbacks=Old())


def test_evaluation_needs_metrics():
    with pytest.raises(ValueError, match="'metrics'"):
        Model(Descent()).eval(batches(1))
    with pytest.raises(ValueError, match="'metrics'"):
        Model(Descent()).fit(1, batches(1), batches(1))


def test_a_dataset_belongs_to_the_model_trained_with_it():
    data, first, second = batches(1), compared(), compared()
    first.train(1, data)
    first.train(1, data)
    second.eval(data)
    with pytest.raises(RuntimeError, match="another Model"):
        second.train(1, data)


@pytest.mark.parametrize("columns", [1, 3])
def test_a_loss_needs_two_columns(columns):
    with pytest.raises(ValueError, match="two columns"):
        trained().train(1, batches(1, columns))


def test_prediction_takes_tensors_and_what_holds_them():
    class Same(nn.Cell):
        def construct(self, *inputs):
            return inputs

    model = Model(Same())
    assert model.predict(1, "a", None, [2.0], {"b": 3}) == (1, "a", None, [2.0], {"b": 3})
    with pytest.raises(TypeError, match="For 'Model.predict'"):
        model.predict(np.ones(2))
    with pytest.raises(ValueError, match="'backend'"):
        model.predict(1, backend="other")


def test_outputs_for_metrics_must_be_a_tuple_of_three():
    class One(nn.Cell):
        def construct(self, x, y):
            return x.mean()

    class Listed(nn.Cell):
        def construct(self, x, y):
            return [x, x, y]

    for net in (One(), Listed()):
        model = Model(
            Descent(), eval_network=net, eval_indexes=[0, 1, 2], metrics={"a": Accuracy()}
        )
        with pytest.raises(ValueError, match="outputs"):
            model.eval(batches(1))


def small():
    """Returns batches of eight rows, for `normed`."""
    rows = np.random.RandomState(0).randn(8, 3).astype(np.float32), np.zeros(8, np.int32)
    return ds.NumpySlicesDataset(rows, ["x", "y"], shuffle=False).batch(4)


def normed():
    """A Model whose layers depend on the training mode, and its network."""
    net = nn.SequentialCell(nn.BatchNorm1d(3), nn.Dense(3, 2))
    return Model(net, nn.CrossEntropyLoss(), nn.SGD(net.trainable_params()), {"accuracy"}), net


@pytest.mark.parametrize("sinking", [False, True])
@pytest.mark.parametrize(
    "use",
    [
        lambda model: model.eval(small()),
        lambda model: model.predict(Tensor(np.ones((2, 3), np.float32))),
    ],
)
def test_training_goes_on_as_training_after_a_callback_evaluated(use, sinking):
    modes, means = [], []

    class Watching(Callback):
        def on_train_step_end(self, run_context):
            modes.append(net[0].training)

        def on_train_epoch_end(self, run_context):
            means.append(net[0].moving_mean.asnumpy().copy())
            use(model)
            assert not net[0].training

    model, net = normed()
    model.train(3, small(), Watching(), dataset_sink_mode=sinking)
    assert all(modes)
    assert (means[0] != means[1]).all() and (means[1] != means[2]).all()


def test_a_mode_that_a_callback_sets_itself_stays():
    class Freezing(Callback):
        def on_train_epoch_end(self, run_context):
            net.set_train(False)

    model, net = normed()
    data = small()
    model.train(2, data, Freezing())
    assert not net.training
    model.train(1, data)
    assert net.training and net[0].training


@pytest.mark.parametrize("frequency, left_training", [(1, False), (2, True)])
def test_a_fit_leaves_the_network_in_the_mode_of_its_last_pass(frequency, left_training):
    modes = []
    model, net = normed()
    model.fit(
        3,
        small(),
        small(),
        frequency,
        At(on_train_step_end=lambda run_context: modes.append(net[0].training)),
    )
    assert all(modes) and len(modes) == 6
    assert net[0].training is left_training
