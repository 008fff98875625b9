"""Subclasses of layers, networks and optimizers rely on free names, primitives of layers and
replaceable states.
"""

import copy

import numpy as np
import pytest
from kit import close, close_sums

import mindspore_compat as ms
from mindspore_compat import Parameter, ParameterTuple, Tensor, nn, ops

pytestmark = pytest.mark.quick

# Private names of MindSpore that scripts use.
KNOWN = {
    "_add_init_args",
    "_amp_level",
    "_apply",
    "_auto_prefix",
    "_backward_hook",
    "_backward_pre_hook",
    "_bprop_debug",
    "_buffers",
    "_cells",
    "_check_construct_args",
    "_children_scope_recursive",
    "_compile_cache",
    "_compile_phase",
    "_compiled",
    "_construct_sig",
    "_create_time",
    "_forward_hook",
    "_forward_pre_hook",
    "_func_graph_flags",
    "_get_attr_from_cell",
    "_get_name",
    "_get_prims_recursively",
    "_load_from_state_dict",
    "_named_members",
    "_non_persistent_buffers_set",
    "_param_prefix",
    "_params",
    "_phase",
    "_phase_cache",
    "_primitives",
    "_recompute",
    "_repr_html_",
    "_run_construct",
    "_run_forward_hook",
    "_run_forward_pre_hook",
    "_save_to_state_dict",
    "_scope",
    "_set_attr_for_cell",
    "_set_attr_for_object",
    "_set_scope",
    "_update_local_parameters_name",
}


def normal(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


def same(found, expected):
    close(found, expected)


# Networks -----------------------------------------------------------------------------------------


def test_a_network_may_use_any_private_name_but_those_of_cells():
    taken = {name for name in dir(nn.Cell()) if name.startswith("_") and name[1] != "_"}
    assert {name for name in taken if not name.startswith("_cell_")} == KNOWN


def test_methods_with_the_names_of_helpers_are_the_networks_own():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self._stage, self._plain, self._started = "train", False, False

        def _run(self, x):
            return x + 1

        def _call(self, x, y):
            return x * y

        def _check_inputs(self, x):
            return x

        def construct(self, x):
            return self._call(self._run(self._check_inputs(x)), 3)

    net = Net()
    net.set_inputs(Tensor(shape=[None], dtype=ms.float32))
    assert net(Tensor([1.0])).asnumpy() == net(Tensor([1.0])).asnumpy() == 6
    assert (net._stage, net._plain, net._started) == ("train", False, False)


# Layers -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("member", [nn.Dense(2, 2), Parameter(Tensor([1.0]), name="own")])
@pytest.mark.parametrize(
    "layer, args, name",
    [
        (nn.Dense, (2, 2), "matmul"),
        (nn.Conv2d, (2, 2, 3), "conv2d"),
        (nn.LayerNorm, ([2],), "layer_norm"),
        (nn.BatchNorm2d, (2,), "bn_train"),
    ],
)
def test_a_subclass_may_have_a_member_of_its_own_in_place_of_a_primitive(layer, args, name, member):
    class Own(layer):
        def __init__(self):
            super().__init__(*args)
            setattr(self, name, member)

    assert getattr(Own(), name) is member


def test_a_primitive_that_was_made_is_an_attribute_like_others():
    layer = nn.Dense(2, 2)
    assert layer.matmul is layer.matmul
    with pytest.raises(KeyError, match="matmul"):
        layer.insert_child_to_cell("matmul", nn.Dense(2, 2))


@pytest.mark.parametrize(
    "layer, name, wanted",
    [
        (nn.MaxPool2d(3, 2), "max_pool", ops.MaxPool),
        (nn.MaxPool2d(3, 2, pad_mode="pad", padding=1), "max_pool", ops.MaxPool3DWithArgmax),
        (
            nn.SoftmaxCrossEntropyWithLogits(),
            "softmax_cross_entropy",
            ops.SoftmaxCrossEntropyWithLogits,
        ),
        (nn.Embedding(2, 2), "expand", ops.ExpandDims),
    ],
)
def test_layers_offer_their_primitives(layer, name, wanted):
    assert type(getattr(layer, name)) is wanted


@pytest.mark.parametrize(
    "make",
    [
        nn.Adadelta,
        nn.Adagrad,
        nn.AdaMax,
        nn.Adam,
        nn.FTRL,
        nn.ProximalAdagrad,
        nn.RMSProp,
        lambda params: nn.RMSProp(params, centered=True),
    ],
)
def test_optimizers_offer_the_primitive_of_their_update(make):
    optimizer = make([ms.Parameter(ms.Tensor([1.0]), name="w")])
    assert isinstance(optimizer.opt, ops.Primitive)
    assert optimizer.opt is optimizer.opt


class OwnMomentum(nn.Momentum):
    def construct(self, gradients):
        for parameter, moment, gradient in zip(self.params, self.moments, gradients):
            self.opt(parameter, moment, self.get_lr(), gradient, self.momentum)
        return True


def test_an_optimizer_of_the_scripts_own_may_update_by_the_primitive_of_the_base():
    found = []
    for make in (nn.Momentum, OwnMomentum):
        weight = ms.Parameter(ms.Tensor([1.0, 2.0]), name="w")
        optimizer = make([weight], 0.1, 0.9)
        for _ in range(3):
            optimizer((ms.Tensor([0.5, 0.25]),))
        found.append(weight.asnumpy())
    np.testing.assert_array_equal(*found)


def channels_last(layer, x):
    return layer.layer_norm(x.transpose(0, 2, 3, 1), layer.gamma, layer.beta)[0]


def by_batch(layer, x):
    return layer.bn_train(x, layer.gamma, layer.beta, layer.moving_mean, layer.moving_variance)[0]


def by_running(layer, x):
    return layer.bn_infer(x, layer.gamma, layer.beta, layer.moving_mean, layer.moving_variance)[0]


@pytest.mark.parametrize(
    "layer, x, own, expected",
    [
        (
            nn.LayerNorm((4,), epsilon=1e-3),
            normal(2, 4, 3, 3),
            channels_last,
            lambda layer, x: layer(x.transpose(0, 2, 3, 1)),
        ),
        (
            nn.BatchNorm2d(4, momentum=0.7),
            normal(2, 4, 3, 3),
            by_running,
            lambda layer, x: layer(x),
        ),
        (
            nn.Conv3d(2, 4, 2, padding=1, pad_mode="pad"),
            normal(1, 2, 3, 3, 3),
            lambda layer, x: layer.conv3d(x, layer.weight),
            lambda layer, x: layer(x),
        ),
        (
            nn.Conv3dTranspose(2, 4, 2, 2),
            normal(1, 2, 3, 3, 3),
            lambda layer, x: layer.conv3d_transpose(x, layer.weight),
            lambda layer, x: layer(x),
        ),
        (
            nn.Conv2dTranspose(2, 4, 3, 2),
            normal(1, 2, 3, 3),
            lambda layer, x: layer.conv2d_transpose(x, layer.weight, (1, 4, 6, 6)),
            lambda layer, x: layer(x),
        ),
        (
            nn.Conv1d(2, 4, 3, dilation=2),
            normal(1, 2, 5),
            lambda layer, x: layer.squeeze(layer.conv2d(layer.expand_dims(x, 2), layer.weight)),
            lambda layer, x: layer(x),
        ),
        (
            nn.Conv1dTranspose(2, 4, 3),
            normal(1, 2, 5),
            lambda layer, x: layer.squeeze(
                layer.conv2d_transpose(layer.expand_dims(x, 2), layer.weight, (1, 4, 1, 5))
            ),
            lambda layer, x: layer(x),
        ),
    ],
    ids=lambda value: getattr(value, "cls_name", ""),
)
def test_subclasses_compute_with_the_primitives_of_a_layer(layer, x, own, expected):
    same(own(layer, x), expected(layer, x))


def test_the_primitive_of_batch_normalisation_moves_the_running_statistics():
    layer, other = nn.BatchNorm2d(4, momentum=0.7), nn.BatchNorm2d(4, momentum=0.7).set_train()
    x = normal(2, 4, 3, 3)
    same(by_batch(layer, x), other(x))
    same(layer.moving_mean, other.moving_mean)
    same(layer.moving_variance, other.moving_variance)


def test_recurrent_layers_list_their_weights():
    layer = nn.LSTM(2, 3, num_layers=2, bidirectional=True)
    assert [weight.name for weight in layer.w_ih_list] == [
        "weight_ih_l0",
        "weight_ih_l0_reverse",
        "weight_ih_l1",
        "weight_ih_l1_reverse",
    ]
    assert layer.w_hh_list[1] is layer.weight_hh_l0_reverse
    assert layer.b_ih_list[0] is layer.bias_ih_l0 and len(layer.b_hh_list) == 4
    assert nn.GRU(2, 3, has_bias=False).b_hh_list == ()


# Optimizers ---------------------------------------------------------------------------------------


class WideStates(nn.AdamWeightDecay):
    """AdamWeightDecay with float32 states for weights of any dtype."""

    def __init__(self, params):
        super().__init__(params, learning_rate=0.01)
        self.moments1 = self.wide("adam_m")
        self.moments2 = self.wide("adam_v")

    def wide(self, prefix):
        return ms.ParameterTuple(
            Parameter(ops.zeros(each.shape, ms.float32), name=f"{prefix}.{each.name}")
            for each in self.parameters
        )


@pytest.mark.parametrize("dtype", [ms.float32, ms.float16])
@pytest.mark.parametrize("count", [3, 70000])
def test_states_that_a_subclass_puts_in_place_are_those_used(dtype, count):
    weight = Parameter(ops.ones(count, dtype), name="w")
    optimizer = WideStates([weight])
    for _ in range(3):
        optimizer((ops.full((count,), 2.0, dtype=dtype),))
    assert optimizer.moments1[0].dtype == optimizer.moments2[0].dtype == ms.float32
    close(optimizer.moments1[0], 2 * (1 - 0.9**3))
    close(optimizer.moments2[0], 4 * (1 - 0.999**3))
    assert (weight.asnumpy() < 1).all()


def test_a_state_may_be_replaced_between_steps():
    weight = Parameter(Tensor([1.0]), name="w")
    optimizer = nn.Momentum([weight], 0.1, 0.5)
    optimizer((Tensor([1.0]),))
    optimizer.moments = ms.ParameterTuple([Parameter(Tensor([10.0]), name="fresh")])
    optimizer((Tensor([1.0]),))
    assert optimizer.moments[0].asnumpy() == 6
    close(weight, 1 - 0.1 - 0.6, rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    "layer, name",
    [
        (nn.ReLU(), "relu"),
        (nn.ReLU6(), "relu6"),
        (nn.Sigmoid(), "sigmoid"),
        (nn.Tanh(), "tanh"),
        (nn.Softmax(0), "softmax"),
        (nn.LogSoftmax(0), "log_softmax"),
        (nn.HSwish(), "hswish"),
        (nn.HSigmoid(), "hsigmoid"),
        (nn.ELU(), "elu"),
        (nn.Mish(), "mish"),
        (nn.PReLU(), "prelu"),
    ],
)
def test_activations_offer_their_primitives_for_strategies(layer, name):
    primitive, x = getattr(layer, name), normal(3, 4)
    assert primitive is getattr(layer, name) and primitive.shard(((1, 1),)) is primitive
    same(primitive(x, layer.w) if name == "prelu" else primitive(x), layer(x))


def test_layers_with_settings_offer_them_too():
    assert nn.Dropout(p=0.25).dropout.keep_prob == nn.Dropout(0.75).dropout.keep_prob == 0.75
    table = nn.Embedding(5, 2)
    same(
        table.gather(table.embedding_table, Tensor([3, 1], ms.int32), 0),
        table(Tensor([3, 1], ms.int32)),
    )


def test_networks_with_the_names_of_layers_offer_nothing():
    class ReLU(nn.Cell):
        def __init__(self):
            super().__init__()
            assert not hasattr(self, "relu")
            self.relu = nn.ReLU()

    class Own(nn.ReLU):
        def __init__(self):
            super().__init__()
            self.relu = nn.Sigmoid()

    assert isinstance(ReLU().relu, nn.ReLU) and isinstance(Own().relu, nn.Sigmoid)
    with pytest.raises(AttributeError, match="softmax"):
        nn.ReLU().softmax  # noqa: B018


@pytest.mark.parametrize(
    "make",
    [
        lambda params: nn.Adam(params, 0.1),
        lambda params: nn.Momentum(params, 0.1, 0.9),
        lambda params: nn.SGD(params, 0.1),
        lambda params: nn.Lamb(params, 0.1),
        lambda params: nn.LARS(nn.Momentum(params, 0.1, 0.9)),
    ],
)
def test_a_copy_of_a_step_that_has_run_trains_its_own_weights(make):
    x = normal(4, 3)
    net = nn.SequentialCell(nn.Dense(3, 2), nn.Tanh(), nn.Dense(2, 1), nn.Norm())
    step = nn.TrainOneStepCell(net, make(net.trainable_params()))
    step(x)
    twin = copy.deepcopy(step)
    before = [each.asnumpy().copy() for each in net.trainable_params()]
    for _ in range(2):
        twin(x)
    for own, old in zip(net.trainable_params(), before, strict=True):
        assert (own.asnumpy() == old).all()
    for _ in range(2):
        step(x)
    for own, theirs in zip(net.trainable_params(), twin.network.trainable_params(), strict=True):
        assert own is not theirs
        same(theirs, own)


def test_plain_attributes_may_be_assigned_before_the_base_class_is_set_up():
    class Early(nn.Cell):
        def __init__(self):
            self.width = 3
            self.sizes = [1, 2]
            super().__init__()
            self.layer = nn.Dense(self.width, self.sizes[1])

    cell = Early()
    assert cell.width == 3 and [p.name for p in cell.get_parameters()] == [
        "layer.weight",
        "layer.bias",
    ]


def test_a_layer_before_the_base_class_is_set_up_is_refused():
    class Early(nn.Cell):
        def __init__(self):
            self.layer = nn.Dense(2, 2)

    with pytest.raises(AttributeError):
        Early()


def test_weights_assigned_as_lists_are_those_that_run():
    layer, other = nn.LSTM(2, 3), nn.LSTM(2, 3)
    x = Tensor(np.ones((4, 1, 2), np.float32))
    for name in ("w_ih_list", "w_hh_list", "b_ih_list", "b_hh_list"):
        setattr(layer, name, ParameterTuple(getattr(other, name)))
    np.testing.assert_array_equal(layer(x)[0].asnumpy(), other(x)[0].asnumpy())


class Watched(nn.Cell):
    """Records which of its methods a call runs."""

    def __init__(self):
        super().__init__()
        self.ran = []

    def construct(self, x):
        self.ran.append("construct")
        return x * 2

    def _run_construct(self, *args, **kwargs):
        self.ran.append("_run_construct")
        return super()._run_construct(*args, **kwargs)

    def _run_forward_pre_hook(self, args, kwargs):
        self.ran.append("_run_forward_pre_hook")
        return super()._run_forward_pre_hook(args, kwargs)

    def _run_forward_hook(self, args, kwargs, output, called):
        self.ran.append("_run_forward_hook")
        return super()._run_forward_hook(args, kwargs, output, called)


RUNS = {  # what a call of MindSpore 2.10 runs
    "nothing": (lambda net: None, ["construct"]),
    "forward hook": (
        lambda net: net.register_forward_hook(lambda cell, args, out: None),
        ["_run_construct", "construct", "_run_forward_hook"],
    ),
    "forward pre-hook": (
        lambda net: net.register_forward_pre_hook(lambda cell, args: None),
        ["_run_construct", "_run_forward_pre_hook", "construct"],
    ),
    "backward hook": (
        lambda net: net.register_backward_hook(lambda cell, given, arrived: None),
        ["_run_construct", "construct"],
    ),
    "recompute": (lambda net: net.recompute(), ["_run_construct", "construct"]),
    "float type": (lambda net: net.to_float(ms.float16), ["construct"]),
}


@pytest.mark.parametrize("setting", RUNS)
def test_a_call_runs_what_a_subclass_puts_in_place(setting):
    change, ran = RUNS[setting]
    net = Watched()
    change(net)
    for _ in range(2):
        net.ran.clear()
        net(Tensor([1.0]))
        assert net.ran == ran


def test_a_subclass_of_group_norm_computes_with_the_primitives_of_older_releases():
    class Unbiased(nn.GroupNorm):
        """A layer that overrides the arithmetic."""

        def _cal_output(self, x):
            batch, channels, height, width = self.shape(x)
            x = self.reshape(x, (batch, self.num_groups, -1))
            centered = x - self.reduce_mean(x, 2)
            count = channels * height * width / self.num_groups
            variance = self.reduce_sum(self.square(centered), 2) / count
            return self.reshape(
                centered / self.sqrt(variance + self.eps), (batch, -1, height, width)
            )

    x = Tensor(np.random.default_rng(0).standard_normal((2, 4, 3, 3)).astype(np.float32))
    close_sums(Unbiased(2, 4)(x), nn.GroupNorm(2, 4)(x).asnumpy())


class Slotted(nn.Cell):
    __slots__ = ["w", "count", "layer"]

    def __init__(self):
        super().__init__()
        self.w = ms.Parameter(Tensor([1.0]), name="w")
        self.count = 3
        self.layer = nn.Dense(1, 1)

    def construct(self, x):
        return x * self.w * self.count


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_slots_hide_no_parameters_and_cells(mode):
    before = ms.get_context("mode")
    ms.set_context(mode=mode)
    try:
        net = Slotted()
        assert [p.name for p in net.get_parameters()] == ["w", "layer.weight", "layer.bias"]
        assert net(Tensor([2.0])).asnumpy() == 6
        assert isinstance(net.layer, nn.Dense)
        net.w = Tensor([5.0])
        assert isinstance(net.w, ms.Parameter)
        del net.w
        assert not hasattr(net, "w")
    finally:
        ms.set_context(mode=before)


def test_distributions_of_a_script_compute_with_the_primitives_of_the_base():
    class Mine(nn.probability.distribution.Normal):
        def _log_prob(self, value, mean=None, sd=None):
            mean, sd = self._check_param_type(mean, sd)
            return -self.sq((value - mean) / sd) / 2 - self.log(sd) + self.const(1.0)

    distribution = Mine(0.0, 2.0)
    wanted = 1 - np.log(2) - np.array([1.0, 4.0]) / 8
    np.testing.assert_allclose(distribution.log_prob(Tensor([1.0, 2.0])).asnumpy(), wanted, 1e-6)
    names = ("exp_base", "sqrt_base", "erf", "expm1", "logicaland", "zeroslike")
    kinds = [type(getattr(distribution, name)).__name__ for name in names]
    assert kinds == ["Exp", "Sqrt", "Erf", "Expm1", "LogicalAnd", "ZerosLike"]
    assert distribution.device_target == ms.get_context("device_target")
    assert not hasattr(nn.Dense(1, 1), "sq_base")


def test_a_combined_layer_without_activation_has_none():
    for layer in (nn.DenseBnAct(2, 3), nn.Conv2dBnAct(2, 3, 1)):
        assert layer.activation is None and not layer.has_act
        assert "activation" not in dict(layer.name_cells())
