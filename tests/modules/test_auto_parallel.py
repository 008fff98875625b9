"""AutoParallel in one process: settings that it accepts, reports and rejects, and its results."""

import json

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn
from mindspore_compat.parallel import Layout
from mindspore_compat.parallel.auto_parallel import AutoParallel


@pytest.fixture(autouse=True)
def settings():
    ms.reset_auto_parallel_context()
    yield
    ms.reset_auto_parallel_context()


class Telling(nn.Cell):
    """Returns its input, and records the current settings."""

    def __init__(self, *keys):
        super().__init__()
        self.keys, self.seen = keys, None

    def construct(self, x):
        self.seen = {key: ms.get_auto_parallel_context(key) for key in self.keys}
        return x


def in_force(prepare, *keys):
    inner = Telling(*keys)
    net = AutoParallel(inner)
    prepare(net)
    net(Tensor(np.ones(2, np.float32)))
    return inner.seen


SETTINGS = {
    "strategy_ckpt_load_file": (lambda net: net.load_param_strategy_file("a.ckpt"), "a.ckpt"),
    "strategy_ckpt_save_file": (lambda net: net.save_param_strategy_file("b.ckpt"), "b.ckpt"),
    "gradients_mean": (lambda net: net.enable_gradients_mean(), True),
    "gradient_fp32_sync": (lambda net: net.disable_gradient_fp32_sync(), False),
    "loss_repeated_mean": (lambda net: net.disable_loss_repeated_mean(), False),
    "force_fp32_communication": (lambda net: net.enable_fp32_communication(), True),
    "full_batch": (lambda net: net.dataset_strategy("full_batch"), True),
    "dataset_strategy": (lambda net: net.dataset_strategy(((2, 1), (2,))), [[2, 1], [2]]),
    "pipeline_stages": (lambda net: net.pipeline(4), 4),
    "pipeline_interleave": (lambda net: net.pipeline(4, interleave=True), True),
    "pipeline_scheduler": (lambda net: net.pipeline(4, scheduler="gpipe"), "gpipe"),
    "pipeline_result_broadcast": (lambda net: net.pipeline(4, output_broadcast=True), True),
    "enable_parallel_optimizer": (lambda net: net.hsdp(), True),
    "optimizer_weight_shard_size": (lambda net: net.hsdp(2), 2),
    "init_param_in_compile": (lambda net: net.no_init_parameters_in_compile(), False),
    "dump_local_norm": (lambda net: net.print_local_norm(), True),
    "dump_local_norm_path": (lambda net: net.dump_local_norm("norms"), "norms"),
    "dump_device_local_norm": (lambda net: net.enable_device_local_norm(), True),
}


@pytest.mark.parametrize("key", SETTINGS)
def test_a_setting_is_in_force_while_the_network_runs(key):
    prepare, wanted = SETTINGS[key]
    assert in_force(lambda net: None, key)[key] != wanted
    assert in_force(prepare, key)[key] == wanted


def test_settings_end_with_the_call():
    ms.set_auto_parallel_context(gradients_mean=True)
    seen = in_force(lambda net: net.pipeline(2), "gradients_mean", "pipeline_stages")
    assert seen == {"gradients_mean": False, "pipeline_stages": 2}
    assert ms.get_auto_parallel_context("gradients_mean") is True
    assert ms.get_auto_parallel_context("pipeline_stages") == 1


def test_fusion_and_files_are_passed_on_whole():
    def prepare(net):
        net.comm_fusion({"allreduce": {"mode": "size", "config": 32}})
        net.disable_strategy_file_only_for_trainable_params()

    seen = in_force(prepare, "comm_fusion", "strategy_ckpt_config")
    assert seen["comm_fusion"]["allreduce"] == {"mode": "size", "config": 32}
    assert seen["comm_fusion"]["openstate"] is True
    assert seen["strategy_ckpt_config"]["only_trainable_params"] is False


def test_one_process_stands_alone():
    for mode in ("semi_auto", "sharding_propagation", "recursive_programming"):
        inner = Telling("parallel_mode")
        AutoParallel(inner, mode)(Tensor([1.0]))
        assert inner.seen == {"parallel_mode": "stand_alone"}


def test_the_network_is_that_within():
    inner = nn.Dense(3, 2)
    net = AutoParallel(inner)
    x = Tensor(np.ones((4, 3), np.float32))
    assert np.array_equal(net(x).asnumpy(), inner(x).asnumpy())
    assert [p.name for p in net.trainable_params()] == ["weight", "bias"]
    assert AutoParallel(lambda x, more: x + more)(x, more=1).asnumpy().max() == 2


def test_a_model_trains_evaluates_and_predicts_with_it():
    rng = np.random.default_rng(0)
    data = rng.normal(size=(8, 3)).astype(np.float32)
    labels = data.sum(1, keepdims=True)
    batches = ms.dataset.NumpySlicesDataset((data, labels), ["x", "y"]).batch(4)
    inner = nn.Dense(3, 1)
    before = inner.weight.asnumpy().copy()
    step = nn.Adam(inner.trainable_params(), 0.1)
    model = ms.Model(AutoParallel(nn.WithLossCell(inner, nn.MSELoss())), optimizer=step)
    model.train(2, batches, dataset_sink_mode=False)
    assert not np.array_equal(inner.weight.asnumpy(), before)
    asked = ms.Model(AutoParallel(inner), nn.MSELoss(), metrics={"loss"})
    assert asked.eval(batches, dataset_sink_mode=False)["loss"] > 0
    assert asked.predict(Tensor(data)).shape == (8, 1)


def test_stages_are_passed_on():
    net = AutoParallel(nn.Dense(3, 2))
    assert net.get_pipeline_stages() == 1
    net.pipeline(4)
    assert net.get_pipeline_stages() == 4


def test_layouts_divide_data():
    layout = Layout((2, 2), ("a", "b"))("a", "b")
    assert in_force(lambda net: net.dataset_strategy((layout,)), "full_batch") == {
        "full_batch": False
    }


REFUSED = [
    ("load_param_strategy_file", (1,), TypeError),
    ("save_param_strategy_file", (None,), TypeError),
    ("set_group_ckpt_save_file", (1,), TypeError),
    ("dump_local_norm", (1,), TypeError),
    ("save_operator_strategy_file", (1,), TypeError),
    ("save_operator_strategy_file", ("a.json",), KeyError),
    ("load_operator_strategy_file", ("/tmp/a",), KeyError),
    ("load_operator_strategy_file", (None,), TypeError),
    ("dataset_strategy", (None,), ValueError),
    ("dataset_strategy", ("x",), ValueError),
    ("dataset_strategy", (1,), TypeError),
    ("dataset_strategy", ([(1,)],), TypeError),
    ("dataset_strategy", ((1,),), TypeError),
    ("dataset_strategy", (((1, "a"),),), TypeError),
    ("hsdp", (0,), ValueError),
    ("hsdp", ("a",), ValueError),
    ("hsdp", (-1, -1), ValueError),
    ("hsdp", (-1, 1.5), ValueError),
    ("hsdp", (-1, 64, "level4"), ValueError),
    ("pipeline", ("a",), TypeError),
    ("pipeline", (0,), ValueError),
    ("pipeline", (1, 1), TypeError),
    ("pipeline", (1, False, None), TypeError),
    ("pipeline", (1, False, False, 1), TypeError),
    ("pipeline", (1, False, False, "x"), ValueError),
    ("comm_fusion", (1,), TypeError),
    ("transformer_opt", (1,), TypeError),
    ("transformer_opt", ("/no/such/file.json",), ValueError),
]


@pytest.mark.parametrize("name, arguments, error", REFUSED)
def test_refused_settings_change_nothing(name, arguments, error):
    net = AutoParallel(nn.Dense(3, 2))
    before = {key: value for key, value in vars(net).items() if key.startswith("_")}
    with pytest.raises(
        error,
        match=r"'(config|file_path|shard_size|threshold|optimizer_level|"
        r"stages|output_broadcast|interleave|scheduler)",
    ):
        getattr(net, name)(*arguments)
    assert {key: value for key, value in vars(net).items() if key.startswith("_")} == before


@pytest.mark.parametrize(
    "content, is_right",
    [
        ({}, True),
        ({"recomputation_communication_overlap": True}, True),
        ({"grad_matmul_communication_overlap": "AlltoAll,AllReduce"}, True),
        ({"dataset_broadcast_opt_level": 3}, True),
        ({"unknown": 1}, False),
        ({"grad_fa_allgather_overlap": 1}, False),
        ({"pp_1f1b_overlap": "Sideways"}, False),
        ({"computation_communication_fusion_level": "a"}, False),
        (["a"], False),
    ],
)
def test_the_file_of_speed_ups(tmp_path, content, is_right):
    path = tmp_path / "speed.json"
    path.write_text(json.dumps(content))
    net = AutoParallel(nn.Dense(3, 2))
    if is_right:
        assert net.transformer_opt(str(path)) is None
        assert net._transformer_opt_config == str(path)
    else:
        with pytest.raises(ValueError, match="transformer_opt"):
            net.transformer_opt(str(path))


def test_a_file_of_speed_ups_must_be_json(tmp_path):
    (tmp_path / "speed.json").write_text("not json")
    with pytest.raises(ValueError, match="transformer_opt.*is no JSON file of settings"):
        AutoParallel(nn.Dense(3, 2)).transformer_opt(str(tmp_path / "speed.json"))


def test_a_wrong_fusion_is_refused_when_the_network_runs():
    net = AutoParallel(nn.Dense(3, 2))
    net.comm_fusion({"sideways": 1})
    with pytest.raises(KeyError, match="sideways"):
        net(Tensor(np.ones((4, 3), np.float32)))
    assert ms.get_auto_parallel_context("auto_parallel_new_interface") is False


@pytest.mark.parametrize(
    "arguments, error", [((nn.ReLU(), "auto"), ValueError), ((nn.ReLU(), None), ValueError)]
)
def test_what_it_is_made_of(arguments, error):
    with pytest.raises(error, match="'AutoParallel', '(network|parallel_mode)'"):
        AutoParallel(*arguments)


@pytest.mark.parametrize("network", [3, None])
def test_a_network_that_cannot_be_called_is_refused_when_it_runs(network):
    net = AutoParallel(network)
    with pytest.raises(ValueError, match="'AutoParallel', 'network'"):
        net(Tensor(np.ones((4, 3), np.float32)))
