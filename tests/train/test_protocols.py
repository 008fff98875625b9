"""Which methods of a base class are called, and in which order, because subclasses override
them."""

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, nn, ops, train
from mindspore_compat import dataset as ds
from mindspore_compat.dataset.transforms import PyTensorOperation


def watched(cls, names, calls):
    """A subclass that overrides methods; each records its name and calls the method of `cls`."""

    def noting(name):
        def method(self, *args, **kwargs):
            calls.append(name)
            return getattr(super(made, self), name)(*args, **kwargs)

        return method

    made = type(f"Watched{cls.__name__}", (cls,), {name: noting(name) for name in names.split()})
    return made


def rows():
    ones = np.ones((4, 2), np.float32)
    return ds.NumpySlicesDataset({"x": ones, "y": ones[:, :1]}, shuffle=False).batch(2)


_OF_TRAIN = """train _check_methods_for_custom_callbacks _transform_callbacks _check_reuse_dataset
    _train_process _exec_preprocess on_train_begin begin on_train_epoch_begin epoch_begin"""
_OF_STEP = "on_train_step_begin step_begin _check_network_mode on_train_step_end step_end"
_OF_EPOCH_END = "_flush_from_cache on_train_epoch_end epoch_end on_train_end end"
_OF_EVAL = """eval _check_methods_for_custom_callbacks _transform_callbacks _clear_metrics clear
    _eval_process on_eval_begin begin _exec_preprocess on_eval_epoch_begin epoch_begin"""
_OF_EVAL_STEP = """on_eval_step_begin step_begin _check_network_mode on_eval_step_end step_end
    _update_metrics update"""
_OF_EVAL_END = "on_eval_epoch_end epoch_end _get_metrics eval on_eval_end end"
_OF_MODEL = """train eval predict _train_process _eval_process _exec_preprocess _clear_metrics
    _update_metrics _get_metrics _flush_from_cache _check_reuse_dataset _check_network_mode
    _transform_callbacks _check_methods_for_custom_callbacks"""
_OF_CALLBACK = """begin end epoch_begin epoch_end step_begin step_end on_train_begin on_train_end
    on_train_epoch_begin on_train_epoch_end on_train_step_begin on_train_step_end on_eval_begin
    on_eval_end on_eval_epoch_begin on_eval_epoch_end on_eval_step_begin on_eval_step_end"""


class TestModel:
    @pytest.fixture
    def calls(self):
        return []

    @pytest.fixture
    def model(self, calls):
        net = nn.Dense(2, 1)
        metric = watched(train.MSE, "clear update eval", calls)()
        made = watched(train.Model, _OF_MODEL, calls)(
            net, nn.MSELoss(), nn.SGD(net.trainable_params()), metrics={"mse": metric}
        )
        calls.clear()
        return made

    @pytest.fixture
    def callback(self, calls):
        return watched(train.Callback, _OF_CALLBACK, calls)()

    def test_train(self, model, callback, calls):
        model.train(1, rows(), callbacks=callback)
        assert calls == f"{_OF_TRAIN} {_OF_STEP} {_OF_STEP} {_OF_EPOCH_END}".split()

    def test_eval(self, model, callback, calls):
        model.eval(rows(), callbacks=callback)
        assert calls == f"{_OF_EVAL} {_OF_EVAL_STEP} {_OF_EVAL_STEP} {_OF_EVAL_END}".split()

    def test_fit_clears_the_metrics_before_each_evaluation(self, model, calls):
        model.fit(2, rows(), rows())
        assert calls.count("_clear_metrics") == 2
        assert calls.index("_clear_metrics") < calls.index("_eval_process")

    def test_predict(self, model, calls):
        model.predict(Tensor(np.ones((1, 2), np.float32)))
        assert calls == ["predict", "_check_network_mode"]

    def test_a_copied_evaluation_measures_each_dataset_alone(self):
        class Model(train.Model):
            def _eval_process(self, valid_dataset, list_callback=None, cb_params=None, *more):
                for x, y in valid_dataset.create_tuple_iterator(num_epochs=1):
                    self._update_metrics(self._eval_network(x, y))
                return self._get_metrics()

        net = nn.Dense(2, 1, weight_init=0.0, bias_init=0.0)
        model = Model(net, nn.MSELoss(), metrics={"mae"})
        assert model.eval(rows()) == model.eval(rows()) == {"mae": 1.0}
        assert model._metric_fns["mae"]._samples_num == 4


def test_model_checkpoint(tmp_path):
    calls = []
    names = "begin step_end epoch_end end _save_ckpt _check_save_ckpt"
    net = nn.Dense(2, 1)
    saver = watched(train.ModelCheckpoint, names, calls)(
        "a", str(tmp_path), train.CheckpointConfig(save_checkpoint_steps=2)
    )
    model = train.Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    model.train(1, rows(), callbacks=saver)
    step = ["step_end", "_save_ckpt", "_check_save_ckpt"]
    assert calls == ["begin", *step, *step, "epoch_end", "end", "_save_ckpt"]
    assert [path.name for path in tmp_path.glob("*.ckpt")] == ["a-1_2.ckpt"]


def step_of(cls, **given):
    """A Parameter after two steps with gradients of 1."""
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    given = {"learning_rate": 0.1, "weight_decay": 0.1, **given}
    optimizer = cls([weight], **given)
    for _ in range(2):
        optimizer((Tensor([1.0, 1.0]),))
    return weight.asnumpy()


class TestOptimizer:
    """Numbers are those of MindSpore 2.10."""

    momentum = {"momentum": 0.9, "loss_scale": 2.0}

    def test_order_in_a_construct_of_the_own(self):
        calls = []
        names = "decay_weight get_weight_decay gradients_centralization scale_grad get_lr"

        class Descent(watched(nn.Optimizer, names, calls)):
            def construct(self, gradients):
                gradients = self.gradients_centralization(self.decay_weight(gradients))
                for parameter, gradient in zip(self.parameters, self.scale_grad(gradients)):
                    ops.assign_sub(parameter, self.get_lr() * gradient)

        weight = Parameter(Tensor([1.0, 2.0]), name="weight")
        Descent(0.1, [weight], 0.1, 2.0)((Tensor([1.0, 1.0]),))
        assert calls == names.split()
        np.testing.assert_allclose(weight.asnumpy(), [0.94, 1.93], rtol=1e-6)

    @pytest.mark.parametrize(
        ("cls", "given", "expected"),
        [
            (nn.SGD, {"weight_decay": 0.0}, [0.6, 1.6]),
            (nn.Adam, {"weight_decay": 0.0}, [0.6, 1.6]),
            (nn.AdamWeightDecay, {"weight_decay": 0.0}, [-0.4823, 0.5177]),
            (nn.Momentum, momentum, [0.6544, 1.5968]),
        ],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    def test_get_lr(self, cls, given, expected):
        double = type(cls.__name__, (cls,), {"get_lr": lambda self: self.learning_rate * 2})
        np.testing.assert_allclose(step_of(double, **given), expected, rtol=1e-4)

    @pytest.mark.parametrize(
        ("link", "expected"),
        [
            ("decay_weight", [0.565, 1.565]),
            ("scale_grad", [-0.0224, 0.8072]),
            ("gradients_centralization", [0.4834, 1.3973]),
        ],
    )
    def test_links(self, link, expected):
        def thrice(self, gradients):
            return tuple(3 * gradient for gradient in gradients)

        own = type("Own", (nn.Momentum,), {link: thrice})
        np.testing.assert_allclose(step_of(own, **self.momentum), expected, rtol=1e-5)

    @pytest.mark.parametrize(
        ("cls", "given", "expected"),
        [(nn.Momentum, momentum, [0.784375, 1.7125]), (nn.AdamWeightDecay, {}, [0.17714, 1.07964])],
        ids=lambda value: getattr(value, "__name__", ""),
    )
    def test_get_weight_decay(self, cls, given, expected):
        half = type(cls.__name__, (cls,), {"get_weight_decay": lambda self: Tensor(0.5)})
        np.testing.assert_allclose(step_of(half, **given), expected, rtol=1e-4)


class TestCell:
    def test_assignments(self):
        calls = []
        net = watched(nn.Cell, "_set_attr_for_cell insert_param_to_cell", calls)()
        net.dense, net.weight, net.count = nn.Dense(1, 1), Parameter(Tensor([1.0])), 3
        assert calls == ["_set_attr_for_cell", "insert_param_to_cell"]

    def test_a_step_without_a_factor(self):
        calls = []
        net = nn.WithLossCell(nn.Dense(2, 1), nn.MSELoss())
        step = watched(nn.TrainOneStepCell, "construct _no_sens_impl", calls)
        x, y = Tensor(np.ones((1, 2), np.float32)), Tensor(np.ones((1, 1), np.float32))
        step(net, nn.SGD(net.trainable_params()))(x, y)
        step(net, nn.SGD(net.trainable_params()), sens=2.0)(x, y)
        assert calls == ["construct", "_no_sens_impl", "construct"]

    def test_state_is_loaded_cell_by_cell(self):
        class Renaming(nn.Dense):
            def _load_from_state_dict(self, state_dict, prefix, *args):
                state_dict[prefix + "weight"] = state_dict.pop(prefix + "kernel")
                super()._load_from_state_dict(state_dict, prefix, *args)

        net = nn.SequentialCell(Renaming(1, 1, has_bias=False))
        keys = net.load_state_dict({"0.kernel": Tensor([[5.0]])})
        assert keys.missing_keys == keys.unexpected_keys == []
        assert float(net[0].weight.asnumpy()[0, 0]) == 5

    def test_a_refused_state_changes_nothing(self):
        net = nn.SequentialCell(nn.Dense(1, 1, weight_init=1.0), nn.Dense(1, 1))
        state = {**net.state_dict(), "0.weight": Tensor([[5.0]]), "1.bias": Tensor([1.0, 2.0])}
        with pytest.raises(RuntimeError, match="1.bias"):
            net.load_state_dict(state)
        assert float(net[0].weight.asnumpy()[0, 0]) == 1

    def test_group_norm_and_loss(self):
        calls = []
        norm = watched(nn.GroupNorm, "_cal_output", calls)(1, 2)
        norm(ops.ones((1, 2, 3, 3)))
        loss = watched(nn.LossBase, "get_loss get_axis", calls)()
        loss.get_loss(Tensor([1.0]))
        assert calls == ["_cal_output", "get_loss", "get_axis"]

    def test_dimensions_of_a_batch_norm(self):
        class AnyDimensions(ms.mint.nn.BatchNorm2d):
            def _check_input_dim(self, input):
                assert input.ndim > 1

        assert AnyDimensions(2)(ops.ones((3, 2))).shape == (3, 2)


class TestDataset:
    def test_a_transform_of_the_own(self):
        class Plus(PyTensorOperation):
            def __init__(self, count):
                self.count = count

            def _execute_py(self, x, *others):
                return (x + self.count, *others) if others else x + self.count

        assert Plus(1)(2) == 3
        assert Plus(1)(2, 5) == (3, 5)
        data = ds.NumpySlicesDataset([1, 2], ["a"], shuffle=False).map(Plus(3), ["a"])
        assert [int(row["a"]) for row in data.create_dict_iterator(1, True)] == [4, 5]

    def test_a_source_and_a_sampler_of_the_own(self):
        calls = []

        class Source:
            def __getitem__(self, index):
                calls.append(index)
                return np.int64(index)

            def __len__(self):
                return 3

        class Backwards(ds.Sampler):
            def __iter__(self):
                yield from reversed(range(3))

        data = ds.GeneratorDataset(Source(), ["a"], sampler=Backwards())
        assert [int(row[0]) for row in data.create_tuple_iterator(num_epochs=1)] == [2, 1, 0]
        assert calls == [2, 1, 0]

    def test_iteration(self):
        calls = []
        cls = watched(ds.NumpySlicesDataset, "create_tuple_iterator get_dataset_size", calls)
        data = cls([1, 2], ["a"], shuffle=False)
        assert len(data) == sum(1 for _ in data) == 2
        assert calls == ["get_dataset_size", "create_tuple_iterator"]
