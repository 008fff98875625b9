"""mint.optim: its formulas against the same steps in NumPy with float64, and rejected calls."""

import copy

import numpy as np
import pytest
from kit import close

from mindspore_compat import Parameter, Tensor, mint
from mindspore_compat.mint import optim

STEPS = np.random.default_rng(5).normal(size=(6, 3))
FIRST = np.array([1.0, -2.0, 0.5])


def adam(
    decoupled,
    lr=1e-3,
    betas=(0.9, 0.999),
    eps=1e-8,
    weight_decay=0.0,
    amsgrad=False,
    maximize=False,
):
    """The parameter after all steps."""
    p, m, v, top = FIRST.copy(), 0.0, 0.0, 0.0
    for t, g in enumerate(-STEPS if maximize else STEPS, 1):
        if decoupled:
            p = p * (1 - lr * weight_decay)
        else:
            g = g + weight_decay * p
        m = betas[0] * m + (1 - betas[0]) * g
        v = betas[1] * v + (1 - betas[1]) * g * g
        top = np.maximum(top, v)
        second = (top if amsgrad else v) / (1 - betas[1] ** t)
        p = p - lr * m / (1 - betas[0] ** t) / (np.sqrt(second) + eps)
    return p


def sgd(lr, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, maximize=False):
    """The parameter after all steps."""
    p, buffer = FIRST.copy(), None
    for g in -STEPS if maximize else STEPS:
        g = g + weight_decay * p
        if momentum:
            buffer = g if buffer is None else momentum * buffer + (1 - dampening) * g
            g = g + momentum * buffer if nesterov else buffer
        p = p - lr * g
    return p


def trained(make, options):
    param = Parameter(Tensor(FIRST.astype(np.float32)), name="a")
    optimizer = make([param], **options)
    for g in STEPS:
        assert optimizer((Tensor(g.astype(np.float32)),)) is True
    return param.asnumpy()


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"lr": 0.1, "eps": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "betas": (0.5, 0.6), "eps": 0.1, "amsgrad": True, "maximize": True},
    ],
    ids=str,
)
@pytest.mark.parametrize("name", ["Adam", "AdamW", "FusedAdamW"])
def test_adam_steps(name, options):
    decoupled = name != "Adam"
    expected = adam(decoupled, **{"weight_decay": 0.01 if decoupled else 0.0, **options})
    close(trained(getattr(optim, name), options), expected)


@pytest.mark.parametrize(
    "options",
    [
        {"lr": 0.1},
        {"lr": 0.1, "dampening": 0.3},
        {"lr": 1, "momentum": 0.9, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "maximize": True},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True},
    ],
    ids=str,
)
def test_sgd_steps(options):
    close(trained(optim.SGD, options), sgd(**options))


def test_it_is_reached_through_mint():
    assert mint.optim is optim
    assert optim.Adam.__name__ == "Adam"


@pytest.mark.parametrize(
    "name, options, error",
    [
        ("Adam", {"lr": 1}, TypeError),
        ("Adam", {"lr": -1.0}, ValueError),
        ("Adam", {"betas": [0.9, 0.9]}, TypeError),
        ("AdamW", {"betas": (1.0, 0.9)}, ValueError),
        ("AdamW", {"eps": -1.0}, ValueError),
        ("Adam", {"amsgrad": 1}, TypeError),
        ("AdamW", {"weight_decay": 1}, TypeError),
        ("SGD", {"lr": "x"}, ValueError),
        ("SGD", {"lr": -1.0}, ValueError),
        ("SGD", {"lr": 0.1, "momentum": -1}, ValueError),
        ("SGD", {"lr": 0.1, "nesterov": True}, ValueError),
        ("SGD", {"lr": 0.1, "maximize": 1}, ValueError),
        ("Adam", {"lr": True}, ValueError),
        ("AdamW", {"lr": "x"}, ValueError),
        ("Adam", {"lr": Tensor(0.1)}, TypeError),
        ("Adam", {"betas": (1, 0.9)}, ValueError),
        ("AdamW", {"betas": (0, 0.9)}, TypeError),
        ("FusedAdamW", {"betas": (-1, 0.9)}, ValueError),
        ("SGD", {"lr": 0.1, "momentum": "x"}, ValueError),
        ("SGD", {"lr": 0.1, "dampening": [1]}, ValueError),
        ("SGD", {"lr": 0.1, "weight_decay": {}}, ValueError),
    ],
)
def test_wrong_settings_are_refused(name, options, error):
    with pytest.raises(error, match=f"For '{name}'"):
        getattr(optim, name)([Parameter(Tensor([1.0]), name="a")], **options)


# States and blocks --------------------------------------------------------------------------------


def parameters(*shapes, dtype=np.float32):
    rng = np.random.default_rng(7)
    return [
        Parameter(Tensor(rng.normal(size=shape).astype(dtype)), name=f"p{number}")
        for number, shape in enumerate(shapes)
    ]


def gradients(param, step):
    rng = np.random.default_rng(step)
    return tuple(Tensor(rng.normal(size=p.shape).astype(p.asnumpy().dtype)) for p in param)


@pytest.mark.parametrize(
    "name, options, states, first",
    [
        ("Adam", {}, ["exp_avg.p0", "exp_avg_sq.p0", "state_step"], 0),
        ("AdamW", {"amsgrad": True}, ["exp_avg.p0", "exp_avg_sq.p0", "state_step"], -1),
        ("FusedAdamW", {}, ["exp_avg.p0", "exp_avg_sq.p0", "state_step"], -1),
        (
            "FusedAdamW",
            {"amsgrad": True},
            ["exp_avg.p0", "exp_avg_sq.p0", "state_step", "max_exp_avg_sq.p0"],
            -1,
        ),
    ],
)
def test_states_have_the_names_and_the_order_of_the_original(name, options, states, first):
    param = parameters((3,))
    optimizer = getattr(optim, name)(param, **options)
    assert [p.name for p in optimizer.get_parameters()] == ["p0", *states]
    assert optimizer.state_step.asnumpy().tolist() == [first]
    optimizer(gradients(param, 1))
    assert optimizer.state_step.asnumpy().tolist() == [first + 1]
    tops = optimizer.param_groups[0].get("max_exp_avg_sq", ())
    assert [p.name for p in tops] == ["max_exp_avg_sq.p0"] * bool(options)


def test_groups_may_differ_in_amsgrad():
    shapes = (3,), (2, 2), (4,)
    together, alone = parameters(*shapes), parameters(*shapes)
    optimizer = optim.Adam(
        [{"params": together[:1]}, {"params": together[1:], "amsgrad": True}], 0.1
    )
    plain, top = optim.Adam(alone[:1], 0.1), optim.Adam(alone[1:], 0.1, amsgrad=True)
    for step in range(4):
        flow = gradients(together, step)
        optimizer(flow)
        plain(flow[:1])
        top(flow[1:])
    for one, other in zip(together, alone):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("amsgrad", [False, True])
def test_blocks_are_updated_as_single_parameters_are(amsgrad, dtype):
    shapes = (3,), (2, 3), (), (5, 1)
    fused, single = parameters(*shapes, dtype=dtype), parameters(*shapes, dtype=dtype)

    def groups(param):
        return [{"params": param[:3], "lr": 0.1}, {"params": param[3:], "weight_decay": 0.3}]

    optimizer = optim.FusedAdamW(groups(fused), 0.05, amsgrad=amsgrad)
    other = optim.AdamW(groups(single), 0.05, amsgrad=amsgrad)
    assert [p.shape for p in optimizer.continuous_parameters] == [(10,), (5,)]
    for step in range(5):
        if step == 2:  # new values from elsewhere belong to the block from then on
            for param in (fused, single):
                param[1].set_data(Tensor(np.ones((2, 3), dtype)))
        assert optimizer(gradients(fused, step)) is True
        other(gradients(single, step))
    for one, expected in zip(fused, single):
        np.testing.assert_array_equal(one.asnumpy(), expected.asnumpy())
    block = optimizer.continuous_parameters[0].asnumpy()
    np.testing.assert_array_equal(block[3:9], fused[1].asnumpy().ravel())
    np.testing.assert_array_equal(
        optimizer.continuous_exp_avg[1].asnumpy(), optimizer.exp_avg[3].asnumpy().ravel()
    )
    tops = optimizer.continuous_max_exp_avg_sq
    assert [each is None for each in tops] == [not amsgrad] * 2


def test_a_group_of_two_dtypes_has_two_blocks():
    param = parameters((2,), (3,)) + parameters((4,), dtype=np.float16)
    param[2].name = "half"
    optimizer = optim.FusedAdamW(param, 0.1)
    assert [str(p.dtype) for p in optimizer.continuous_parameters] == ["Float32", "Float16"]
    before = param[2].asnumpy()
    optimizer(gradients(param, 0))
    assert param[2].asnumpy().dtype == np.float16 and (param[2].asnumpy() != before).all()


def test_a_later_group_has_a_block_of_its_own():
    param = parameters((2,), (3,), (4,))
    optimizer = optim.FusedAdamW(param[:2], 0.1, amsgrad=True)
    optimizer(gradients(param[:2], 0))
    before = param[0].asnumpy().copy()
    optimizer.add_param_group({"params": param[2]})
    assert [p.shape for p in optimizer.continuous_parameters] == [(5,), (4,)]
    assert [p.name for p in optimizer.max_exp_avg_sq] == [f"max_exp_avg_sq.p{i}" for i in range(3)]
    np.testing.assert_array_equal(param[0].asnumpy(), before)
    optimizer(gradients(param, 1))
    with pytest.raises(ValueError, match="FusedAdamW.*amsgrad"):
        optimizer.add_param_group({"params": parameters((1,)), "amsgrad": False})
    assert len(optimizer.param_groups) == 2 and len(optimizer.parameters) == 3


@pytest.mark.parametrize(
    "flags, amsgrad",
    [((True, False), False), ((True, None), False), ((False, False), True), ((None, False), True)],
)
def test_groups_of_blocks_must_agree_in_amsgrad(flags, amsgrad):
    groups = [
        {"params": [param]} if flag is None else {"params": [param], "amsgrad": flag}
        for param, flag in zip(parameters((2,), (2,)), flags)
    ]
    with pytest.raises(ValueError, match="FusedAdamW.*amsgrad"):
        optim.FusedAdamW(groups, amsgrad=amsgrad)


def test_a_copy_of_an_optimizer_goes_on_by_itself():
    param = parameters((2,), (3,))
    optimizer = optim.FusedAdamW(param, 0.1)
    twin = copy.deepcopy(optimizer)
    before = [p.asnumpy().copy() for p in param]
    twin(gradients(param, 0))
    for p, old, new in zip(param, before, twin.parameters):
        np.testing.assert_array_equal(p.asnumpy(), old)
        assert (new.asnumpy() != old).all()
