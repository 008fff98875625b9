"""The package's callbacks print, record, change and reject as documented."""

import json
import os
import re
import signal

import numpy as np
import pytest
from train.runs import At, Descent, Line, SquaredError, batches

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.train import (
    BackupAndRestore,
    EarlyStopping,
    History,
    LambdaCallback,
    LearningRateScheduler,
    LossMonitor,
    Model,
    OnRequestExit,
    ReduceLROnPlateau,
    RunContext,
    TimeMonitor,
)
from mindspore_compat.train.callback import _InternalCallbackParam
from mindspore_compat.train.callback._callback import CallbackManager, _handle_loss


def context(**params):
    """The context of a step of a run."""
    return RunContext(
        _InternalCallbackParam(
            {
                "cur_epoch_num": 3,
                "cur_step_num": 7,
                "batch_num": 4,
                "mode": "train",
                "net_outputs": Tensor(1.5),
                **params,
            }
        )
    )


class Net(nn.Cell):
    """A train network with an optimizer and a parameter."""

    def __init__(self, rate=0.1):
        super().__init__()
        self.line = Line()
        self.optimizer = nn.SGD(self.line.trainable_params(), rate)


# The frame


def test_a_context_holds_a_dict():
    with pytest.raises(TypeError, match="For 'RunContext'"):
        RunContext(1)


@pytest.mark.parametrize("given", [1, [1], ["a"], [None]])
def test_a_manager_takes_callbacks(given):
    with pytest.raises(TypeError, match="'callbacks'"):
        CallbackManager(given)


def test_the_newer_hooks_call_the_older_ones():
    seen = []
    hooks = {
        name: lambda run_context, name=name: seen.append(name)
        for name in ("begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end")
    }
    Model(Descent()).train(1, batches(1), At(**hooks))
    assert seen == ["begin", "epoch_begin", "step_begin", "step_end", "epoch_end", "end"]


# LossMonitor


@pytest.mark.parametrize(
    "outputs, text",
    [
        (Tensor(1.5), "1.5"),
        (1.5, "1.5"),
        (3, "3"),
        (Tensor(np.array([1, 2], np.float32)), "1.5"),
        ((Tensor(2.5), Tensor(1.0)), "2.5"),
        ([Tensor(2.5)], "2.5"),
        (None, "None"),
        (np.array([1.0, 2.0]), "[1. 2.]"),
        (Tensor(1.1, ms.float16), "1.099609375"),
        ((Tensor(np.float32(np.nan)), Tensor(1)), "nan"),
    ],
)
def test_the_loss_is_printed(outputs, text, capsys):
    LossMonitor().step_end(context(net_outputs=outputs))
    assert capsys.readouterr().out == f"epoch: 3 step: 3, loss is {text}\n"


@pytest.mark.parametrize("loss", [np.nan, np.inf, -np.inf])
def test_a_loss_that_is_no_number_ends_the_training(loss):
    for outputs in (Tensor(np.float32(loss)), float(loss)):
        with pytest.raises(ValueError, match="epoch: 3 step: 3"):
            LossMonitor(0).step_end(context(net_outputs=outputs))


def test_how_often_the_loss_is_printed(capsys):
    monitor = LossMonitor(3)
    for step in (1, 2, 3, 4, 5, 6, 1, 3, 12, 13):
        monitor.step_end(context(cur_step_num=step))
    steps = re.findall(r"step: (\d)", capsys.readouterr().out)
    assert steps == ["3", "2", "3", "4"]
    monitor = LossMonitor(0)
    monitor.step_end(context())
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("times", [-1, 1.0, "1", True, None])
def test_what_loss_monitor_refuses(times):
    with pytest.raises(ValueError, match="For 'LossMonitor', 'per_print_times'"):
        LossMonitor(times)


@pytest.mark.parametrize(
    "outputs, loss",
    [((Tensor(2.0), 1), 2.0), (Tensor([1.0, 3.0]), 2.0), ((1, Tensor(2.0)), (1, Tensor(2.0)))],
)
def test_which_output_is_the_loss(outputs, loss):
    found = _handle_loss(outputs)
    assert float(found) == loss if not isinstance(loss, tuple) else found is outputs


# TimeMonitor


@pytest.mark.parametrize(
    "mode, data_time, text",
    [
        ("train", False, "Train epoch time: # ms, per step time: # ms\n"),
        ("eval", True, "Eval epoch time: # ms, per step time: # ms (data time: # ms)\n"),
    ],
)
def test_times_are_printed(mode, data_time, text, capsys):
    monitor = TimeMonitor(data_time=data_time)
    monitor.epoch_begin(context())
    monitor.on_train_step_begin(context())
    monitor.on_train_step_end(context())
    monitor.epoch_end(context(mode=mode))
    assert re.sub(r"\d+\.\d{3}", "#", capsys.readouterr().out) == text


def test_time_monitor_needs_a_number_of_steps():
    TimeMonitor(2).epoch_end(context(batch_num=None))
    with pytest.raises(TypeError, match="'data_size'"):
        TimeMonitor().epoch_end(context(batch_num=None))
    with pytest.raises(TypeError, match="'data_time'"):
        TimeMonitor(data_time=1)


# History, LambdaCallback, LearningRateScheduler


def test_history_notes_the_outputs_and_metrics():
    history = History()
    assert (history.history, history.epoch) == ({}, None)
    Model(Descent()).train(2, batches(2), history)
    assert history.epoch == {"epoch": [1, 2]}
    assert history.history == {"net_output": [16.0, 12.0]}
    history.begin(context())
    history.epoch_end(context(metrics={"acc": 0.5}, net_outputs=(Tensor([1.0, 3.0]), 1)))
    assert history.epoch == {"epoch": [3]}
    assert history.history == {"net_output": [16.0, 12.0, 2.0], "acc": [0.5]}


def test_lambda_callback_calls_what_it_is_given():
    seen = []
    callback = LambdaCallback(
        on_train_step_end=lambda run_context: seen.append("step"),
        on_train_end=lambda run_context: seen.append("end"),
    )
    Model(Descent()).train(1, batches(2), callback)
    assert seen == ["step", "step", "end"]


def test_the_learning_rate_is_set_after_each_step():
    seen = []

    def halve(rate, step):
        seen.append((rate, step))
        return rate / 2

    net = Line()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    Model(net, SquaredError(), optimizer).train(1, batches(2), LearningRateScheduler(halve))
    assert seen == [(0.1, 1), (0.05, 2)]
    assert float(optimizer.learning_rate) == pytest.approx(0.025)


def test_what_the_learning_rate_cannot_be_set_to():
    with pytest.raises(TypeError, match="'learning_rate_function'"):
        LearningRateScheduler(lambda rate, step: "a").step_end(context(optimizer=Net().optimizer))
    with pytest.raises(ValueError, match="'LearningRateScheduler'"):
        LearningRateScheduler(lambda rate, step: 1).step_end(
            context(optimizer=Net([0.1, 0.2]).optimizer)
        )


# EarlyStopping and ReduceLROnPlateau

FALLING = [1.0, 0.9, 0.95, 0.94, 0.8, 0.81, 0.82, 0.83, 0.84]


def watched(callback, values, monitor="eval_loss"):
    """Runs a callback through epochs with these values; returns the network, after which epoch it
    stopped, and the learning rates.
    """
    net, rates = Net(), []
    for epoch, value in enumerate(values, 1):
        params = context(
            train_network=net,
            optimizer=net.optimizer,
            cur_epoch_num=epoch,
            eval_results={monitor: value},
            net_outputs=Tensor(value),
        )
        if epoch == 1:
            callback.on_train_begin(params)
        net.line.weight.set_data(Tensor(np.float32(epoch)))
        callback.on_train_epoch_end(params)
        rates.append(float(net.optimizer.learning_rate))
        if params.get_stop_requested():
            break
    callback.on_train_end(params)
    return net, epoch, rates


@pytest.mark.parametrize(
    "options, last, best",
    [
        ({}, 1, 1.0),
        ({"patience": 2}, 4, 0.9),
        ({"patience": 2, "min_delta": 0.2}, 3, 1.0),
        ({"patience": 2, "mode": "max"}, 3, 1.0),
        ({"patience": 2, "baseline": 0.5}, 2, 0.9),
        ({"patience": 2, "baseline": 0.96}, 4, 0.9),
        ({"patience": 99}, 9, 0.8),
    ],
)
def test_when_early_stopping_stops(options, last, best):
    callback = EarlyStopping(**options)
    assert watched(callback, FALLING)[1] == last
    assert callback.best == best


def test_early_stopping_watches_a_metric_that_rises():
    assert (
        watched(EarlyStopping("acc", patience=2), [0.1, 0.2, 0.15, 0.3, 0.2, 0.2, 0.2], "acc")[1]
        == 6
    )


def test_early_stopping_watches_the_loss_of_the_last_step():
    assert watched(EarlyStopping("loss", patience=2), [1.0, 0.5, 0.6, 0.7, 0.1])[1] == 4


def test_the_best_weights_come_back(capsys):
    callback = EarlyStopping(patience=1, restore_best_weights=True, verbose=True)
    net, last, _ = watched(callback, FALLING)
    assert (last, float(net.line.weight)) == (3, 2.0)
    assert capsys.readouterr().out == (
        "EarlyStopping: the weights of the best epoch are back.\nEpoch 00003: early stopping\n"
    )


@pytest.mark.parametrize(
    "options, rates",
    [
        ({"patience": 2}, [0.1, 0.1, 0.1, 0.01, 0.01, 0.01, 0.001, 0.001, 0.0001]),
        (
            {"patience": 1, "cooldown": 2},
            [0.1, 0.1, 0.01, 0.01, 0.01, 0.001, 0.001, 0.0001, 0.0001],
        ),
        (
            {"patience": 1, "min_lr": 0.005, "factor": 0.5},
            [0.1, 0.1, 0.05, 0.025, 0.025, 0.0125, 0.00625, 0.005, 0.005],
        ),
    ],
)
def test_when_the_learning_rate_falls(options, rates):
    assert watched(ReduceLROnPlateau(**options), FALLING)[2] == pytest.approx(rates)


def test_a_fall_of_the_learning_rate_is_printed(capsys):
    watched(ReduceLROnPlateau(patience=1, verbose=True), FALLING[:3])
    assert capsys.readouterr().out == (
        "Epoch 00003: ReduceLROnPlateau reducing learning rate to 0.010000001.\n"
    )


@pytest.mark.parametrize("cls", [EarlyStopping, ReduceLROnPlateau])
def test_a_monitor_that_is_not_there_does_nothing(cls):
    net, last, rates = watched(cls("acc", patience=0), [1.0, 1.0])
    assert last == 2
    assert rates == pytest.approx([0.1, 0.1])


@pytest.mark.parametrize("cls", [EarlyStopping, ReduceLROnPlateau])
@pytest.mark.parametrize("value", [np.ones(2), np.ones(1), "a", [1.0]])
def test_a_monitored_value_is_a_number(cls, value):
    with pytest.raises(ValueError, match=f"For '{cls.__name__}'"):
        cls("acc").on_train_epoch_end(
            context(eval_results={"acc": value}, train_network=Net(), optimizer=Net().optimizer)
        )


@pytest.mark.parametrize(
    "cls, options, error",
    [
        (EarlyStopping, {"monitor": 1}, ValueError),
        (EarlyStopping, {"patience": -1}, ValueError),
        (EarlyStopping, {"patience": 1.0}, TypeError),
        (EarlyStopping, {"mode": "x"}, ValueError),
        (EarlyStopping, {"min_delta": "a"}, TypeError),
        (EarlyStopping, {"verbose": 1}, TypeError),
        (EarlyStopping, {"restore_best_weights": 1}, TypeError),
        (ReduceLROnPlateau, {"factor": 1}, TypeError),
        (ReduceLROnPlateau, {"factor": 1.0}, ValueError),
        (ReduceLROnPlateau, {"factor": 0.0}, ValueError),
        (ReduceLROnPlateau, {"cooldown": -1}, ValueError),
        (ReduceLROnPlateau, {"min_lr": "a"}, TypeError),
        (ReduceLROnPlateau, {"mode": "x"}, ValueError),
    ],
)
def test_what_watching_callbacks_refuse(cls, options, error):
    with pytest.raises(error, match=f"For '{cls.__name__}', '{next(iter(options))}'"):
        cls(**options)


def test_reduce_lr_needs_one_learning_rate():
    net = Net([0.1, 0.2])
    with pytest.raises(ValueError, match="'ReduceLROnPlateau'"):
        ReduceLROnPlateau().on_train_epoch_end(context(train_network=net, optimizer=net.optimizer))


# BackupAndRestore and OnRequestExit


def test_a_training_goes_on_from_its_backup(tmp_path):
    def fail_in_third(run_context):
        if run_context.original_args().cur_epoch_num == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Model(Descent()).train(
            4, batches(1), [BackupAndRestore(str(tmp_path)), At(on_train_epoch_begin=fail_in_third)]
        )
    assert os.listdir(tmp_path) == ["backup.ckpt"]
    net = Descent()
    Model(net).train(1, batches(1), BackupAndRestore(str(tmp_path)))
    assert float(net.weight) == 7.0  # 10, two steps, a backup, one step
    assert os.listdir(tmp_path) == []


def test_how_often_a_backup_is_written(tmp_path):
    seen = []
    callback = BackupAndRestore(str(tmp_path), save_freq=2, delete_checkpoint=False)
    Model(Descent()).train(
        2,
        batches(1),
        [callback, At(on_train_epoch_end=lambda run_context: seen.append(os.listdir(tmp_path)))],
    )
    assert seen == [[], ["backup.ckpt"]]
    assert os.listdir(tmp_path) == ["backup.ckpt"]


@pytest.mark.parametrize("arguments", [(1,), ("a", 0), ("a", "x"), ("a", True), ("a", 1, 1)])
def test_what_backup_refuses(arguments, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError):
        BackupAndRestore(*arguments)


def ask_by_signal(tmp_path):
    os.kill(os.getpid(), signal.SIGTERM)


def ask_by_file(tmp_path):
    (tmp_path / "exit.json").write_text(json.dumps({"GracefulExit": 1}))


@pytest.mark.parametrize("ask", [ask_by_signal, ask_by_file])
def test_a_training_ends_on_request(ask, tmp_path):
    before = signal.getsignal(signal.SIGTERM)
    steps = []

    def ask_in_second(run_context):
        steps.append(run_context.original_args().cur_step_num)
        if steps[-1] == 2:
            ask(tmp_path)

    leaving = OnRequestExit(True, False, "net", str(tmp_path), str(tmp_path / "exit.json"))
    Model(Descent()).train(3, batches(4), [At(on_train_step_begin=ask_in_second), leaving])
    assert steps == [1, 2]
    saved = ms.load_checkpoint(str(tmp_path / "rank_0" / "net_train.ckpt"))
    assert float(saved["weight"]) == 8.0
    assert signal.getsignal(signal.SIGTERM) is before


@pytest.mark.parametrize("save_ckpt", [True, False])
def test_a_run_goes_on_from_what_was_saved_on_request(save_ckpt, tmp_path):
    first = OnRequestExit(True, False, "net", str(tmp_path))
    Model(Descent()).train(
        3, batches(4), [At(on_train_step_begin=lambda run_context: ask_by_signal(tmp_path)), first]
    )
    begun = 9.0 if save_ckpt else 10.0  # one step of 1 from 10, where a file is taken
    again = OnRequestExit(save_ckpt, False, "net", str(tmp_path))
    trained, evaluated = Descent(), Descent()
    Model(trained).train(1, batches(1), again)
    assert float(trained.weight) == begun - 1
    with again:
        again.on_eval_begin(context(eval_network=evaluated))
    assert float(evaluated.weight) == begun


@pytest.mark.parametrize(
    "options",
    [
        {"save_ckpt": 1},
        {"save_mindir": 1},
        {"file_name": 1},
        {"directory": 1},
        {"sig": "a"},
        {"sig": signal.SIGKILL},
    ],
)
def test_what_on_request_exit_refuses(options, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=f"For 'OnRequestExit', '{next(iter(options))}'"):
        OnRequestExit(**options)
