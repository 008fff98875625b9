"""Mixed precision by level, list and operation; loss scalers; `all_finite`; training steps."""

import subprocess
import sys
import threading

import numpy as np
import pytest
from kit import close

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, amp, mint, nn, ops
from mindspore_compat.ops._autocast import autocast
from mindspore_compat.train import _amp_strategy as strategies
from mindspore_compat.train import amp as amp_module

pytestmark = pytest.mark.quick

HALVES = (ms.float16, ms.bfloat16)


class Net(nn.Cell):
    """A network with layers of all lists; `seen` has the dtypes of their outputs."""

    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(2, 3, 1)
        self.norm = nn.BatchNorm2d(3)
        self.relu = ops.ReLU()
        self.flatten = nn.Flatten()
        self.dense = nn.Dense(12, 4)
        self.exp = ops.Exp()
        self.inside = []

    def construct(self, x):
        self.inside.clear()
        for layer in (self.conv, self.norm, self.relu, self.flatten, self.dense, self.exp):
            x = layer(x)
            self.inside.append(x.dtype)
        return x


class Watching(nn.Conv2d):
    """A convolution that records the dtype of the input with which it computes."""

    def construct(self, x):
        self.__dict__["seen"] = x.dtype
        return super().construct(x)


def images():
    return Tensor(np.random.default_rng(0).standard_normal((2, 2, 2, 2)), ms.float32)


# By level and by list -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize(
    "level, expected",
    [
        ("O0", "full full full full full full"),
        ("O1", "full full full full full full"),
        ("O2", "low low low low low low"),
        ("O3", "low low low low low low"),
        ("auto", "low full full full full full"),
    ],
)
def test_what_comes_out_of_the_layers_of_a_level(space, level, expected, dtype):
    net = Net()
    made = amp.auto_mixed_precision(net, level, dtype)
    out = made(images())
    assert out.dtype == ms.float32
    dtypes = {"low": dtype, "full": ms.float32}
    assert net.inside == [dtypes[each] for each in expected.split()]
    assert all(weight.dtype == ms.float32 for weight in net.trainable_params())
    assert (made is net) == (level not in ("O2", "O3"))


def test_o1_computes_listed_layers_in_low_precision():
    class Own(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense = nn.Dense(3, 2)
            self.relu = ops.ReLU()

        def construct(self, x):
            return self.relu(self.dense(x))

    net = Own()
    x = Tensor(np.float32([[1 + 2**-13, 1000.0, -3.0]]))
    exact = net(x).asnumpy()
    lowered = amp.auto_mixed_precision(net, "O1")(x).asnumpy()
    weight, bias = (each.asnumpy().astype(np.float16) for each in net.trainable_params())
    by_hand = np.maximum(
        np.float16(x.asnumpy().astype(np.float16).astype(np.float32) @ weight.T.astype(np.float32))
        + bias,
        0,
    )
    close(lowered, by_hand, rtol=1e-3, atol=0)
    assert (lowered != exact).any() or not exact.any()


def test_a_subclass_of_a_listed_cell_stays_as_it_is():
    net = nn.SequentialCell(Watching(2, 3, 1), nn.Conv2d(3, 3, 1))
    amp.auto_mixed_precision(net, "O1")(images())
    assert net[0].seen == ms.float32
    amp.auto_mixed_precision(net, "O3")(images())
    assert net[0].seen == ms.float16


def test_o2_leaves_the_black_list_in_float32():
    class Norm(nn.BatchNorm2d):
        pass

    plain = nn.SequentialCell(nn.Conv2d(2, 3, 1), nn.BatchNorm2d(3)).set_train()
    amp.auto_mixed_precision(plain, "O2")(images())
    assert plain[1]._backbone.moving_mean.dtype == ms.float32
    exact = nn.SequentialCell(plain[0], nn.BatchNorm2d(3)).set_train()
    exact(images())
    close(plain[1]._backbone.moving_mean, exact[1].moving_mean)
    assert sorted(each.__name__ for each in amp.get_black_list()) == [
        "BatchNorm1d",
        "BatchNorm2d",
        "BatchNorm3d",
        "LayerNorm",
    ]


def test_a_network_wrapped_by_o2_keeps_its_names_and_trains():
    net = nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.Dense(4, 2))
    before = [weight.name for weight in net.trainable_params()]
    made = amp.auto_mixed_precision(net, "O2")
    assert [weight.name for weight in made.trainable_params()] == before
    x = Tensor(np.ones((2, 3), np.float32))
    grads = ops.grad(lambda t: made(t).sum(), None, made.trainable_params())(x)
    assert {grad.dtype for grad in grads} == {ms.float32}


@pytest.mark.parametrize(
    "lists, expected",
    [
        ({"white_list": [nn.Conv2d]}, [ms.float32] * 6),
        ({"white_list": [ops.ReLU]}, [ms.float32] * 6),
        ({"black_list": [nn.Conv2d]}, [ms.float16] * 6),
    ],
    ids=str,
)
def test_lists_of_ones_own(lists, expected):
    net = Net()
    assert amp.custom_mixed_precision(net, **lists)(images()).dtype == ms.float32
    assert net.inside == expected


def test_a_list_names_what_computes_low():
    net = nn.SequentialCell(Watching(2, 3, 1))
    amp.custom_mixed_precision(net, white_list=[Watching], dtype=ms.bfloat16)(images())
    assert net[0].seen == ms.bfloat16
    net = nn.SequentialCell(Watching(2, 3, 1))
    amp.custom_mixed_precision(net, black_list=[Watching])(images())
    assert net[0]._backbone.seen == ms.float32
    amp.custom_mixed_precision(net, black_list=[Watching])(images())  # it stays so
    assert net[0]._backbone.seen == ms.float32


def test_lists_are_ones_own_to_change():
    amp.get_white_list().clear()
    amp.get_black_list().clear()
    assert nn.Dense in amp.get_white_list() and nn.LayerNorm in amp.get_black_list()


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: amp.auto_mixed_precision(1, "O1"), TypeError),
        (lambda: amp.auto_mixed_precision(lambda x: x, "O1"), TypeError),
        (lambda: amp.auto_mixed_precision(1, "auto"), TypeError),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), "O4"), ValueError),
        (lambda: amp.auto_mixed_precision(nn.ReLU(), "O1", ms.float32), ValueError),
        (lambda: amp.custom_mixed_precision(1, white_list=[]), TypeError),
        (lambda: amp.custom_mixed_precision(nn.ReLU()), ValueError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[], black_list=[]), ValueError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=(nn.Dense,)), TypeError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[int]), TypeError),
        (lambda: amp.custom_mixed_precision(nn.ReLU(), black_list=[ops.ReLU]), TypeError),
        (
            lambda: amp.custom_mixed_precision(nn.ReLU(), white_list=[], dtype=ms.float64),
            ValueError,
        ),
    ],
)
def test_refusals(call, error):
    with pytest.raises(error):
        call()


# By operation -------------------------------------------------------------------------------------


def halves(*shape):
    return Tensor(np.full(shape, 0.5), ms.float16)


def floats(*shape):
    return Tensor(np.full(shape, 0.5), ms.float32)


LABELS = [0, 1, 0]
BY_OPERATION = [  # MindSpore's result on Tensors of the first dtype
    ("low", lambda: (lambda x: x @ x)(floats(2, 2))),
    ("low", lambda: ops.MatMul()(floats(2, 2), floats(2, 2))),
    ("low", lambda: ops.bmm(floats(3, 2, 2), floats(3, 2, 2))),
    ("low", lambda: ops.dense(floats(3, 2), floats(4, 2), floats(4))),
    ("low", lambda: mint.nn.functional.linear(floats(3, 2), floats(4, 2), floats(4))),
    ("low", lambda: ops.conv2d(floats(1, 2, 4, 4), floats(3, 2, 1, 1))),
    ("full", lambda: ops.conv2d(floats(1, 2, 4, 4), floats(3, 2, 1, 1), floats(3))),
    ("full", lambda: halves(2).exp()),
    ("full", lambda: ops.softmax(halves(2, 2))),
    ("full", lambda: halves(2) ** 2),
    ("full", lambda: ops.cumsum(halves(3, 2), 0)),
    ("full", lambda: ops.log_softmax(halves(2, 2))),
    ("full", lambda: halves(2).sum()),
    ("full", lambda: ops.nll_loss(halves(3, 2), Tensor(LABELS))),
    ("full", lambda: ops.cross_entropy(halves(3, 2), Tensor(LABELS))),
    ("full", lambda: ops.kl_div(halves(3, 2), halves(3, 2))),
    ("full", lambda: ops.smooth_l1_loss(halves(3, 2), halves(3, 2))),
    ("full", lambda: nn.GroupNorm(1, 2)(halves(1, 2, 2, 2))),
    ("full", lambda: nn.BatchNorm2d(2)(halves(1, 2, 2, 2))),
    ("full", lambda: nn.LayerNorm((2,))(halves(3, 2))),
    ("full", lambda: ops.concat((halves(2), floats(2)))),
    ("low", lambda: ops.concat((halves(2), halves(2)))),
    ("low", lambda: ops.mean(halves(3))),
    ("low", lambda: ops.tanh(halves(3))),
    ("low", lambda: ops.mse_loss(halves(3), halves(3))),
    ("full", lambda: ops.tanh(floats(3))),
]


@pytest.mark.parametrize("number", range(len(BY_OPERATION)))
def test_the_precision_of_an_operation(number):
    expected, call = BY_OPERATION[number]
    wanted = {"low": ms.float16, "full": ms.float32}[expected]
    outside = call().dtype
    within = amp.auto_mixed_precision(lambda: call(), "auto")  # noqa: PLW0108 - a function is wanted
    assert within().dtype == wanted
    assert call().dtype == outside


def test_terms_of_several_dtypes_are_promoted_to_the_widest():
    terms = [halves(2), floats(2)]
    assert amp.auto_mixed_precision(lambda: ops.addn(terms), "auto")().dtype == ms.float32
    with pytest.raises(TypeError, match="For 'addn'.*one dtype"):
        ops.addn(terms)


def test_gradients_come_back_in_the_dtype_of_the_input():
    step = amp.auto_mixed_precision(lambda x, w: ops.exp(x @ w).sum(), "auto", ms.bfloat16)
    grads = ops.grad(step, (0, 1))(floats(2, 3), floats(3, 2))
    expected = np.exp(0.75) * 0.5 * 2
    for grad in grads:
        assert grad.dtype == ms.float32
        close(grad, expected, rtol=2e-2, atol=0)


def test_an_error_inside_ends_the_context():
    def fails(x):
        raise KeyError("on purpose")

    with pytest.raises(KeyError):
        amp.auto_mixed_precision(fails, "auto")(floats(2))
    assert (floats(2, 2) @ floats(2, 2)).dtype == ms.float32


# Loss scalers -------------------------------------------------------------------------------------


def test_a_static_scaler():
    scaler = amp.StaticLossScaler(scale_value=2**4)
    assert isinstance(scaler, amp.LossScaler) and scaler.scale_value.name == "scale_value"
    nested = (Tensor(1.5), [Tensor([2.0], ms.float16), (Tensor([0.25], ms.float64),)])
    scaled = scaler.scale(nested)
    assert scaled[0].asnumpy() == 24 and scaled[1][0].asnumpy() == 32
    assert scaled[1][1][0].asnumpy() == 4 and type(scaled[1]) is list
    assert [scaled[0].dtype, scaled[1][0].dtype, scaled[1][1][0].dtype] == [
        ms.float32,
        ms.float16,
        ms.float64,
    ]
    assert scaler.unscale(scaled)[1][0].asnumpy() == 2.0
    assert scaler.adjust(Tensor(False)) is False and float(scaler.scale_value) == 16


def test_a_dynamic_scaler():
    scaler = amp.DynamicLossScaler(scale_value=8, scale_factor=2, scale_window=3)
    found = []
    for finite in (True, True, True, True, False, True, True, True, False, False, False, False):
        assert scaler.adjust(Tensor(finite)) is True
        found.append((float(scaler.scale_value), int(scaler.counter)))
    assert found == [
        (8, 1),
        (8, 2),
        (16, 0),
        (16, 1),
        (8, 0),
        (8, 1),
        (8, 2),
        (16, 0),
        (8, 0),
        (4, 0),
        (2, 0),
        (1, 0),
    ]
    assert scaler.adjust(False) and float(scaler.scale_value) == 1


def test_a_scale_stays_below_the_largest_float32():
    scaler = amp.DynamicLossScaler(2.0**127, 2, 1)
    scaler.adjust(Tensor(True))
    assert np.isfinite(float(scaler.scale_value))


@pytest.mark.parametrize(
    "call, error",
    [
        (lambda: amp.StaticLossScaler(0.5), ValueError),
        (lambda: amp.StaticLossScaler("1"), TypeError),
        (lambda: amp.StaticLossScaler(float("nan")), ValueError),
        (lambda: amp.DynamicLossScaler(8, 2.0, 1), TypeError),
        (lambda: amp.DynamicLossScaler(8, 0, 1), ValueError),
        (lambda: amp.DynamicLossScaler(8, 2, 0), ValueError),
        (lambda: amp.StaticLossScaler(2).scale(3.0), TypeError),
        (amp.LossScaler, TypeError),
        (lambda: amp.all_finite(Tensor(1.0)), TypeError),
        (lambda: amp.all_finite([1.0]), TypeError),
        (lambda: amp.all_finite([]), ValueError),
    ],
)
def test_scalers_refuse(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize("dtype", [ms.float16, ms.bfloat16, ms.float32, ms.float64], ids=str)
@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_all_finite(space, dtype, bad):
    good = [Tensor(np.ones((3, 5)), dtype), Tensor(np.full(70000, 3.0), dtype)]
    found = amp.all_finite(good)
    assert found.shape == () and found.dtype == ms.bool_ and found.asnumpy()
    values = np.ones(70000)
    for index in (0, 69999):
        values[index] = bad
        assert not amp.all_finite((good[0], Tensor(values, dtype)))
    assert amp.all_finite([Tensor([1, 2])])


def test_large_sums_are_finite():
    assert amp.all_finite([Tensor(np.full(1000, 3e38, np.float32))])
    assert amp.all_finite([Tensor(np.full(1000, 6e4, np.float16))])


def test_a_training_loop_with_a_scaler(space):
    net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), 0.05)
    scaler = amp.DynamicLossScaler(2.0**10, 2, 2)
    x = Tensor(np.random.default_rng(1).standard_normal((16, 3)).astype(np.float32))
    y = Tensor(x.asnumpy() @ np.float32([[1], [-2], [0.5]]))

    def forward(x, y):
        return scaler.scale(((net(x) - y) ** 2).mean())

    step = ops.value_and_grad(forward, None, optimizer.parameters)
    losses = []
    for number in range(40):
        bad = number == 7
        loss, grads = step(x * np.inf if bad else x, y)
        grads = scaler.unscale(grads)
        finite = amp.all_finite(grads)
        assert bool(finite) is not bad
        if finite:
            optimizer(grads)
            losses.append(float(scaler.unscale(loss)))
        scaler.adjust(finite)
    assert losses[-1] < 0.01 * losses[0]
    assert np.isfinite(net.weight.asnumpy()).all()


# Training steps -----------------------------------------------------------------------------------


def built(level, **kwargs):
    ms.set_seed(1)  # with some weights the steps of O2 without a check for overflow diverge
    net = nn.SequentialCell(nn.Dense(3, 4), nn.LayerNorm((4,)), nn.ReLU(), nn.Dense(4, 2))
    optimizer = nn.Momentum(net.trainable_params(), 0.01, 0.9)
    return net, amp.build_train_network(net, optimizer, nn.MSELoss(), level, **kwargs)


@pytest.mark.parametrize(
    "level, kwargs, kind",
    [
        ("O0", {}, nn.TrainOneStepCell),
        ("O1", {}, nn.TrainOneStepCell),
        ("O2", {}, nn.TrainOneStepWithLossScaleCell),
        ("O3", {}, nn.TrainOneStepCell),
        ("auto", {}, nn.TrainOneStepCell),
        ("O0", {"boost_level": "O1"}, nn.TrainOneStepCell),
        ("O0", {"cast_model_type": ms.float16, "keep_batchnorm_fp32": True}, nn.TrainOneStepCell),
        ("O2", {"loss_scale_manager": None}, nn.TrainOneStepCell),
        ("O2", {"loss_scale_manager": amp.FixedLossScaleManager(64.0, False)}, nn.TrainOneStepCell),
        (
            "O3",
            {"loss_scale_manager": amp.FixedLossScaleManager(64.0)},
            nn.TrainOneStepWithLossScaleCell,
        ),
    ],
)
def test_built_steps(level, kwargs, kind):
    net, step = built(level, **kwargs)
    assert type(step) is kind and step.training
    if "loss_scale_manager" in kwargs and kind is nn.TrainOneStepCell and level == "O2":
        assert step.sens == (64.0 if kwargs["loss_scale_manager"] else 1.0)
    x, y = Tensor(np.eye(3, dtype=np.float32)), Tensor(np.ones((3, 2), np.float32))
    before = [weight.asnumpy().copy() for weight in net.trainable_params()]
    for _ in range(12):
        out = step(x, y)
    loss = out[0] if isinstance(out, tuple) else out
    assert loss.dtype == ms.float32 and np.isfinite(loss.asnumpy())
    if not isinstance(out, tuple) or not out[1]:
        changed = [
            (weight.asnumpy() != old).any()
            for weight, old in zip(net.trainable_params(), before, strict=True)
        ]
        assert any(changed)


def test_a_network_with_its_loss_inside():
    net = nn.Dense(3, 1)
    step = amp.build_train_network(net, nn.SGD(net.trainable_params(), 0.1), level="O0")
    assert step.network is net


@pytest.mark.parametrize(
    "arguments, kwargs, error",
    [
        ((1, nn.ReLU()), {}, TypeError),
        ((nn.ReLU(), 1), {}, TypeError),
        ((nn.ReLU(), nn.ReLU(), 1), {}, TypeError),
        ((nn.ReLU(), nn.ReLU(), None, "O4"), {}, ValueError),
        ((nn.ReLU(), nn.ReLU()), {"boost_level": "O3"}, ValueError),
        ((nn.ReLU(), nn.ReLU()), {"other": 1}, ValueError),
        ((nn.ReLU(), nn.ReLU()), {"cast_model_type": ms.float64}, TypeError),
        ((nn.ReLU(), nn.ReLU()), {"keep_batchnorm_fp32": 1}, TypeError),
        ((nn.ReLU(), nn.ReLU()), {"loss_scale_manager": 1}, TypeError),
    ],
    ids=str,
)
def test_build_train_network_refuses(arguments, kwargs, error):
    with pytest.raises(error):
        amp.build_train_network(*arguments, **kwargs)


def test_a_parameter_is_unscaled_too():
    scaler = amp.StaticLossScaler(4)
    found = scaler.unscale(Parameter(Tensor([8.0]), name="p"))
    assert found.asnumpy() == 2.0


def test_autocast_holds_for_its_own_thread():
    x = Tensor(np.ones((2, 2), np.float32))
    found = []
    with autocast(np.dtype(np.float16)):
        other = threading.Thread(target=lambda: found.append(ops.matmul(x, x).dtype))
        other.start()
        other.join()
        assert ops.matmul(x, x).dtype == ms.float16
        assert ops.einsum("ij,jk->ik", x, x).dtype == ms.float16
        assert ops.cat([x, x.astype(ms.float16)]).dtype == ms.float32
    assert found == [ms.float32] and ops.matmul(x, x).dtype == ms.float32


def test_the_lists_of_auto_hold_classes_of_primitives():
    """The lists have the same number of classes as in MindSpore 2.10."""
    white, black = amp_module.AMP_AUTO_WHITE_LIST, amp_module.AMP_AUTO_BLACK_LIST
    assert (len(white), len(black)) == (20, 46)
    assert ops.MatMul in white and ops.Softmax in black and not set(white) & set(black)
    assert amp_module.AMP_AUTO_WHITE_LIST is white
    assert amp_module.AMP_PRIM_ARG_TABLE["MatMul"] == []


def test_the_lists_of_levels_can_be_changed():
    white = amp_module.AMP_WHITE_LIST
    assert amp.get_white_list() == white and amp.get_white_list() is not white
    assert amp_module.AMP_BLACK_LIST == amp.get_black_list()
    white.append(nn.LayerNorm)
    try:
        assert nn.LayerNorm in amp.get_white_list()
    finally:
        white.pop()


LEVEL = strategies.AmpLevel
STRATEGIES = [  # level, lists, dtypes of matmul of float16 and of exp, + of float32
    (LEVEL.AmpO0, [("MatMul", [])], [], "Float16 Float32 Float32"),
    (LEVEL.AmpO1, [("Exp", [])], [("MatMul", [])], "Float16 Float16 Float32"),
    (LEVEL.AmpO2, [], [("MatMul", [])], "Float32 Float16 Float16"),
    (LEVEL.AmpO3, [], [("MatMul", [])], "Float16 Float16 Float16"),
    (LEVEL.AmpAuto, [("Exp", [])], [("MatMul", [])], "Float32 Float16 Float32"),
]


@pytest.mark.parametrize(("level", "white", "black", "expected"), STRATEGIES)
def test_a_strategy_casts_as_its_level_says(level, white, black, expected):
    x = Tensor(np.ones((2, 2), np.float32))
    half = x.astype(ms.float16)
    with amp_module.AmpDecorator(level, ms.float16, white, black):
        results = ops.matmul(half, half), ops.exp(x), x + x
        assert strategies.get_curr_amp_strategy().get_amp_level() is level
    assert [str(result.dtype) for result in results] == expected.split()
    assert ops.exp(x).dtype == (x + x).dtype == ms.float32


def test_a_strategy_casts_the_inputs_at_its_positions():
    x = Tensor(np.ones((2, 2), np.float16))
    y = Tensor(np.full((2, 2), 1 + 2.0**-12, np.float32))  # rounds to 1 in float16
    for positions, expected in (([0], 1 + 2.0**-12), ([1], 1.0)):
        with amp_module.AmpDecorator(LEVEL.AmpO1, ms.float16, [("Mul", positions)], []):
            assert (x * y).asnumpy()[0, 0] == np.float32(expected)


LISTED_ALONE = """
import mindspore_compat as ms
from mindspore_compat import ops
from mindspore_compat.train import amp

x = ops.ones((2, 2), ms.float32)
ops.sin(x), ops.cos(x)  # their call paths exist before the strategy
for name, function in (("Sin", ops.sin), ("Cos", ops.cos), ("Tan", ops.tan)):
    with amp.AmpDecorator(amp.AmpLevel.AmpO1, ms.float16, [(name, [])], []):
        assert function(x).dtype == ms.float16, name
"""


def test_a_strategy_casts_what_no_other_strategy_has_cast_before():
    subprocess.run([sys.executable, "-c", LISTED_ALONE], check=True)


def test_strategies_nest_and_an_extra_pop_is_ignored():
    assert strategies.get_curr_amp_strategy() is None
    strategies.push_amp_strategy(LEVEL.AmpO1, ms.float16, [], [])
    strategies.push_amp_strategy(LEVEL.AmpAuto, ms.bfloat16, [("Exp", [0])], [])
    inner = strategies.get_curr_amp_strategy()
    assert inner.get_amp_dtype() == ms.bfloat16 and inner.get_white_list() == [("Exp", [0])]
    for _ in range(3):
        strategies.pop_amp_strategy()
    assert strategies.get_curr_amp_strategy() is None


@pytest.mark.parametrize(
    "arguments",
    [
        (1, ms.float16, [], []),
        (LEVEL.AmpO1, "float16", [], []),
        (LEVEL.AmpO1, ms.float16, ["a"], []),
    ],
)
def test_a_refused_strategy_leaves_the_old_one(arguments):
    with pytest.raises(TypeError, match="create_amp_strategy"):
        strategies.push_amp_strategy(*arguments)
    assert strategies.get_curr_amp_strategy() is None


def test_networks_are_rewritten_by_one_list():
    net = nn.SequentialCell(nn.Dense(2, 3), nn.LayerNorm((3,)))
    low = amp_module._auto_mixed_precision_rewrite(net, ms.float16, white_list=[nn.Dense])
    assert low is net and net[0](ops.ones((1, 2))).dtype == ms.float32
    norms = amp_module._auto_black_list(
        nn.SequentialCell(nn.LayerNorm((3,))), [nn.LayerNorm], ms.float16
    )
    assert norms(ops.ones((1, 3), ms.float16)).dtype == ms.float16
    with pytest.raises(ValueError, match="exactly one"):
        amp_module._auto_mixed_precision_rewrite(net, ms.float16)


@pytest.mark.parametrize("method, argument", [("scale", 1), ("unscale", 1), ("adjust", True)])
def test_methods_that_a_loss_scaler_must_define(method, argument):
    with pytest.raises(NotImplementedError, match=f"a subclass must define '{method}'"):
        getattr(amp.LossScaler, method)(None, argument)
