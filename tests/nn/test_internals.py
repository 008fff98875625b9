"""Members of base classes that subclasses and libraries reach into."""

import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops
from mindspore_compat.experimental import optim
from mindspore_compat.nn._cell.offered import _OFFERED, _PACKAGES, offer
from mindspore_compat.ops.primitive import Primitive
from mindspore_compat.train import CheckpointConfig, Model, ModelCheckpoint


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(2, 2, weight_init="ones", bias_init="zeros")
        self.scale = Parameter(Tensor([1.0, 2.0]), name="scale")

    def construct(self, x):
        return self.dense(x) * self.scale


def test_layers_offer_the_primitives_of_the_original():
    """Each primitive exists, but only in classes with these names and their subclasses."""
    for (layer, name), make in _OFFERED.items():
        module, prefix = next(each for each in reversed(_PACKAGES) if layer.startswith(each[1]))
        cls = type(layer.removeprefix(prefix), (nn.Cell,), {"__module__": module})
        assert offer(cls(), name) is make
    assert offer(type("Dense", (nn.Cell,), {})(), "matmul") is None


@pytest.mark.parametrize(
    ("layer", "name", "kind"),
    [
        (lambda: nn.Dense(2, 3), "matmul", ops.MatMul),
        (lambda: nn.BiDense(2, 3, 4), "bias_add", ops.BiasAdd),
        (lambda: nn.DynamicLossScaleUpdateCell(2.0, 2, 3), "less_equal", ops.LessEqual),
        (lambda: nn.RNNCell(2, 3), "_non_linearity", list),
        (lambda: nn.LGamma(), "inf", float),
        (lambda: nn.AvgPool2d(2), "avg_pool", ops.AvgPool),
        (lambda: nn.CosineDecayLR(0.1, 0.3, 4), "delta", float),
        (lambda: nn.AvgPool2d(2), "is_expand", bool),
        (lambda: mint.nn.Linear(2, 3), "dense", ops.Dense),
    ],
)
def test_a_layer_offers(layer, name, kind):
    made = layer()
    assert isinstance(getattr(made, name), kind)
    assert getattr(made, name) is getattr(made, name)


def test_constants_and_settings_of_offered_names():
    assert nn.LGamma().inf == float("inf") and nn.DiGamma().k_lanczos_gamma == 7
    assert nn.Embedding(2, 3).shp_flat == (-1,)
    assert nn.CosineDecayLR(0.1, 0.3, 4).delta == pytest.approx(0.1)
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
    product = nn.Dense(3, 3).matmul(x, x)
    np.testing.assert_array_equal(product.asnumpy(), x.asnumpy() @ x.asnumpy().T)


def test_every_cell_casts_as_in_older_releases():
    class Rounded(nn.Cell):
        def construct(self, x):
            return self.cast(x, ms.int32)

    np.testing.assert_array_equal(Rounded()(Tensor([1.5, -2.5])).asnumpy(), [1, -2])
    assert list(Rounded()._primitives) == []


def test_primitives_of_a_network():
    net = Net()
    assert list(net.dense._primitives) == ["reshape", "shape_op", "bias_add", "matmul"]
    assert all(isinstance(each, Primitive) for each in net._get_prims_recursively())


def test_names_and_members_of_a_cell():
    net = Net()
    net._update_local_parameters_name("pre.")
    assert [p.name for p in net.get_parameters()] == [
        "pre.scale",
        "pre.dense.weight",
        "pre.dense.bias",
    ]
    net._update_local_parameters_name("own.", False)
    assert net.scale.name == "own.pre.scale" and net.dense.weight.name == "pre.dense.weight"
    names = [name for name, _ in net._named_members(lambda cell: cell._params.items())]
    assert names == ["scale", "dense.weight", "dense.bias"]
    assert net._get_name() == "Net" and net._cell_tag == f"{__name__}.Net"
    assert list(dict(net._children_scope_recursive())) == ["Default/dense-Dense"]
    assert str(net._construct_sig) == "(x)" and not net.has_bprop
    with pytest.raises(TypeError, match="'construct'"):
        net._check_construct_args(1, 2)


def test_the_float_type_that_a_cell_is_set_to():
    net = Net()
    assert net.mixed_precision_type is None
    assert str(net.to_float(ms.float16).mixed_precision_type) == "MixedPrecisionType.FP16"


def test_a_function_is_applied_to_all_parameters():
    net = Net()
    assert net._apply(lambda parameter: 2 * parameter) is net
    np.testing.assert_array_equal(net.scale.asnumpy(), [2, 4])
    np.testing.assert_array_equal(net.dense.weight.asnumpy(), 2)


def test_the_state_of_a_cell_can_be_extended():
    class Extended(Net):
        def _save_to_state_dict(self, destination, prefix, keep_vars):
            super()._save_to_state_dict(destination, prefix, keep_vars)
            destination[prefix + "extra"] = Tensor(1)

    assert list(nn.SequentialCell(Extended()).state_dict()) == [
        "0.scale",
        "0.extra",
        "0.dense.weight",
        "0.dense.bias",
    ]


def test_a_wrapper_takes_over_the_options_of_its_network():
    net, wrapper = Net(), nn.Cell()
    net.set_jit_config(ms.JitConfig(jit_level="O0"))
    wrapper._get_attr_from_cell(net)
    assert wrapper.jit_config_dict["jit_level"] == "O0"


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_hooks_on_parameters(mode):
    ms.set_context(mode=mode)
    try:
        net = Net()
        net.register_parameter_forward_hook([{"params": [net.scale], "hook": lambda p: 10 * p}])
        x = Tensor([[1.0, 1.0]])
        gradient = ms.value_and_grad(net, 0, net.trainable_params())
        for _ in range(4):  # a step is recorded, then replayed
            out, (_, weights) = gradient(x)
            np.testing.assert_array_equal(out.asnumpy(), [[20, 40]])
            np.testing.assert_array_equal(weights[0].asnumpy(), [20, 20])
        net.register_parameter_forward_hook(lambda parameter: 3 * parameter)
        np.testing.assert_array_equal(net(x).asnumpy(), [[18, 36]])
        assert isinstance(net.scale, Parameter) and isinstance(net.dense.weight, Parameter)
    finally:
        ms.set_context(mode=ms.PYNATIVE_MODE)


@pytest.mark.parametrize(
    ("hook", "error"),
    [(3, TypeError), ([{"params": []}], ValueError), ([{"params": [3], "hook": abs}], TypeError)],
)
def test_a_refused_hook_on_parameters(hook, error):
    net = Net()
    with pytest.raises(error, match="register_parameter_forward_hook"):
        net.register_parameter_forward_hook(hook)
    assert net._cell_parameter_hooks is None


def test_hooks_on_saved_tensors_hold_within_their_cell():
    packed = []

    def pack(tensor):
        packed.append(tensor.shape)
        return tensor.asnumpy()

    net = Net()
    net.dense.register_saved_tensors_hooks(pack, Tensor)
    gradient = ms.grad(net)(Tensor([[1.0, 1.0]]))
    np.testing.assert_array_equal(gradient.asnumpy(), [[3, 3]])
    assert packed and (2,) not in packed
    with pytest.raises(TypeError):
        net.register_saved_tensors_hooks(3, Tensor)


def test_optimizers_show_their_parameters():
    net = Net()
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    assert optimizer._parameters is optimizer.parameters
    adam = optim.Adam(net.trainable_params())
    assert adam.state["new"] == {} and isinstance(adam.hyper_map, ops.HyperMap)
    assert pickle.loads(pickle.dumps(adam.state)) == {"new": {}}


def test_a_loss_of_mint_can_be_weighted():
    loss = mint.nn.L1Loss()
    assert isinstance(loss, nn.LossBase) and mint.nn.L1Loss is nn.L1LossExt
    assert loss.get_loss(Tensor([1.0, 3.0]), 2.0) == 4.0


def test_a_model_asks_its_subclass():
    seen = []

    class Own(Model):
        def _check_kwargs(self, kwargs):
            seen.append(sorted(kwargs))

        def _process_amp_args(self, kwargs):
            kwargs.pop("own")
            super()._process_amp_args(kwargs)

    net = Net()
    Own(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1), own=1)
    assert seen == [["own"]]


def test_counts_of_a_checkpoint_go_on():
    callback = ModelCheckpoint(config=CheckpointConfig(append_info=["epoch_num", {"step_num": 3}]))
    callback._append_dict_content(2, 5)
    assert callback._append_dict == {"epoch_num": 2, "step_num": 8}
    assert (callback._append_epoch_num, callback._append_step_num) == (0, 3)
    assert callback._need_flush_from_cache is False


def test_a_network_with_inputs_of_unknown_shapes_runs_in_graph_mode():
    net = nn.ReLU()
    net.set_inputs(ms.Tensor(shape=[None, None], dtype=ms.float32))
    before = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        assert net(ms.Tensor([[1.0, -2.0]])).asnumpy().tolist() == [[1.0, 0.0]]
    finally:
        ms.set_context(mode=before)
