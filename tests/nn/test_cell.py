"""Cells: the call, members and their names, hooks, custom gradients, float types, copies."""

import copy
import pickle

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Parameter, Tensor, mint, nn, ops


class Scale(nn.Cell):
    """Computes x * w and counts its calls."""

    def __init__(self, value=2.0):
        super().__init__()
        self.w = Parameter(Tensor([value], ms.float32))
        self.calls = 0

    def construct(self, x, *, times=1):
        self.calls += 1
        return x * self.w * times


class Pair(nn.Cell):
    """Two such Cells in sequence."""

    def __init__(self):
        super().__init__()
        self.first = Scale()
        self.second = Scale(3.0)

    def construct(self, x):
        return self.second(self.first(x))


def x(*values):
    return Tensor(values or (1.0, 2.0), ms.float32)


# The call -----------------------------------------------------------------------------------------


def test_call_passes_arguments_on():
    assert Scale()(x(), times=5).asnumpy().tolist() == [10, 20]


@pytest.mark.parametrize("arguments", [(), (1, 2)])
def test_call_with_wrong_arguments(arguments):
    with pytest.raises(TypeError, match="construct"):
        Scale()(*arguments)


def test_a_cell_without_construct():
    class Empty(nn.Cell):
        pass

    with pytest.raises((AttributeError, NotImplementedError)):
        Empty()(x())


def test_assigning_before_init():
    class Hasty(nn.Cell):
        def __init__(self):
            self.w = Parameter(Tensor(1.0))

    with pytest.raises(AttributeError, match="init"):
        Hasty()


# Members and names --------------------------------------------------------------------------------


def test_parameters_are_named_by_the_way_to_them():
    net = nn.SequentialCell(Pair(), nn.CellList([Scale(), nn.Dense(1, 1)]))
    assert [p.name for p in net.get_parameters()] == [
        "0.first.w",
        "0.second.w",
        "1.0.w",
        "1.1.weight",
        "1.1.bias",
    ]


def test_a_cell_in_two_places_has_its_parameters_once():
    class Shared(nn.Cell):
        def __init__(self):
            super().__init__()
            self.one = Scale()
            self.two = self.one

    assert [name for name, _ in Shared().parameters_and_names()] == ["one.w"]


def test_a_prefix_is_put_before_all_names():
    net = Pair()
    net.update_parameters_name("net.")
    assert list(net.parameters_dict()) == ["net.first.w", "net.second.w"]
    with pytest.raises(TypeError, match="prefix"):
        net.update_parameters_name(3)


def test_equal_names_are_refused_by_the_check():
    net = Pair()
    net.second.w.name = net.first.w.name
    with pytest.raises(ValueError, match="first.w"):
        net.check_names()


def test_requires_grad_decides_what_is_trained():
    net = Pair()
    net.first.w.requires_grad = False
    assert [p.name for p in net.trainable_params()] == ["second.w"]
    assert [p.name for p in net.untrainable_params()] == ["first.w"]
    assert net.set_grad().requires_grad


def test_a_member_may_be_replaced_and_deleted():
    net = Pair()
    net.first = Scale(7.0)
    assert net.first.w.name == "first.w"
    del net.second
    assert [name for name, _ in net.parameters_and_names()] == ["first.w"]
    with pytest.raises(AttributeError, match="second"):
        net.second  # noqa: B018


def test_set_train_reaches_every_cell():
    net = nn.SequentialCell(Pair(), nn.Dropout(p=0.5))
    assert net.set_train() is net
    assert all(cell.training for _, cell in net.cells_and_names())
    net.set_train(False)
    assert not net[0].first.training


def test_a_parameter_is_no_plain_attribute():
    net = Scale()
    with pytest.raises(TypeError):
        net.w = 3
    net.w = None
    assert list(net.get_parameters()) == []


# Hooks --------------------------------------------------------------------------------------------


def test_hooks_added_after_a_call_run_and_removed_ones_do_not():
    net, seen = Scale(), []
    net(x())
    before = net.register_forward_pre_hook(lambda cell, args: seen.append("before"))
    after = net.register_forward_hook(lambda cell, args, out: seen.append("after"))
    net(x())
    assert seen == ["before", "after"]
    before.remove()
    after.remove()
    net(x())
    assert len(seen) == 2


def test_hooks_replace_inputs_and_outputs():
    net = Scale()
    net.register_forward_pre_hook(lambda cell, args: (args[0] + 1,))
    net.register_forward_hook(lambda cell, args, out: -out)
    assert net(x()).asnumpy().tolist() == [-4, -6]


def test_backward_hooks_watch_what_forward_hooks_do_too():
    seen = []
    net = Scale(2.0)
    net.register_forward_pre_hook(lambda cell, args: (args[0] * 3,))
    net.register_forward_hook(lambda cell, args, out: out * 5)
    net.register_backward_pre_hook(lambda cell, arrived: seen.append(arrived))
    net.register_backward_hook(lambda cell, left, arrived: seen.extend((left, arrived)))
    assert float(ms.grad(net)(Tensor([1.0]))[0]) == 30
    assert [float(grads[0][0]) for grads in seen] == [1, 10, 1]


@pytest.mark.parametrize("raising", ["pre-hook", "construct", "hook"])
def test_hooks_that_are_always_called_run_once_after_an_error(raising):
    seen = []

    def fail_in(place):
        def fail(*args):
            if place == raising:
                raise ValueError(place)

        return fail

    class Failing(nn.Cell):
        def construct(self, x):
            fail_in("construct")()
            return x

    net = Failing()
    net.register_forward_pre_hook(fail_in("pre-hook"))
    net.register_forward_hook(lambda *args: seen.append("first"), always_call=True)
    net.register_forward_hook(fail_in("hook"))
    net.register_forward_hook(lambda cell, args, out: seen.append(out), always_call=True)
    with pytest.raises(ValueError, match=raising):
        net(Tensor([1.0]))
    assert seen[0] == "first" and len(seen) == 2
    assert (seen[1] is None) == (raising != "hook")


def test_a_backward_hook_replaces_the_gradient():
    net, seen = Pair(), []
    net.first.register_backward_hook(
        lambda cell, back, out: seen.append(out[0].asnumpy()) or (back[0] * 10,)
    )
    found = ms.grad(net)(x())
    assert found.asnumpy().tolist() == [60, 60]
    assert seen[0].tolist() == [3, 3]


# Gradients ----------------------------------------------------------------------------------------


def test_bprop_is_the_gradient():
    class Double(Scale):
        def bprop(self, x, out, dout):
            return (dout * 100,)

    assert ms.grad(Double())(x()).asnumpy().tolist() == [100, 100]


def test_an_input_that_a_cell_with_bprop_returns():
    class Same(nn.Cell):
        def construct(self, x):
            return x, x * 2

        def bprop(self, x, out, dout):
            return (dout[0],)

    x = Tensor([1.0, 2.0])
    assert Same()(x)[0] is x
    found = Same().set_grad()(x)[0]
    assert found is not x and found.asnumpy().tolist() == [1, 2]


def test_too_few_gradients_of_bprop():
    class Two(nn.Cell):
        def construct(self, a, b):
            return a * b

        def bprop(self, a, b, out, dout):
            return (dout,)

    with pytest.raises(RuntimeError, match="bprop"):
        ms.grad(Two(), (0, 1))(x(), x())


def test_recompute_runs_forward_again_and_finds_the_same():
    plain, again = Pair(), Pair()
    again.first.recompute()
    again.second.recompute()

    def gradients(net):
        return ms.grad(lambda v: net(v).sum(), 0, net.trainable_params())(x())

    (one, ours), (other, theirs) = gradients(plain), gradients(again)
    assert one.asnumpy().tolist() == other.asnumpy().tolist()
    assert [g.asnumpy().tolist() for g in ours] == [g.asnumpy().tolist() for g in theirs]
    assert plain.first.calls == 1
    assert again.first.calls == 2


def test_recompute_draws_the_same_numbers_again():
    net = nn.SequentialCell(nn.Dropout(p=0.5))
    net.set_train()
    net.recompute()
    out, gradient = ms.value_and_grad(lambda v: net(v))(ops.ones((50,)))
    assert out.asnumpy().tolist() == gradient.asnumpy().tolist()


# Float types --------------------------------------------------------------------------------------


def test_to_float_computes_in_half_and_keeps_the_parameters():
    net = nn.Dense(3, 2).to_float(ms.float16)
    found, gradients = ms.value_and_grad(lambda v: net(v).sum(), None, net.trainable_params())(
        ops.ones((4, 3))
    )
    assert found.dtype == ms.float16
    assert {p.dtype for p in net.get_parameters()} == {ms.float32}
    assert {s.dtype for s in gradients} == {ms.float32}


class _Times(nn.Cell):
    def __init__(self, multiply):
        super().__init__()
        self.weight = ms.Parameter(ops.ones((3, 3)), name="weight")
        self.multiply = multiply

    def construct(self, x):
        return self.multiply(x, self.weight)


class _Joined(nn.Cell):
    def __init__(self, join):
        super().__init__()
        self.join = join

    def construct(self, x):
        return self.join((x, Tensor([1.0, 2.0], ms.float32)))


@pytest.mark.parametrize("join", [ops.cat, ops.Concat(), ops.stack, mint.cat, mint.stack, ops.addn])
def test_floats_that_are_joined_are_promoted_to_the_type_of_to_float(join):
    assert _Joined(join).to_float(ms.float16)(Tensor([3.0, 4.0])).dtype == ms.float16


@pytest.mark.parametrize("layer", [nn.LSTM, nn.GRU, nn.RNN])
@pytest.mark.parametrize("dtype", [ms.float16, ms.float32])
def test_recurrent_layers_compute_in_half_and_answer_in_the_type_of_the_input(layer, dtype):
    x = Tensor(np.full((2, 1, 3), 0.3), dtype)
    out, last = layer(3, 2).to_float(ms.float16)(x=x)
    for each in (out, *(last if isinstance(last, tuple) else (last,))):
        assert each.dtype == dtype
        rounded = each.asnumpy().astype(np.float16).astype(np.float32)
        np.testing.assert_array_equal(each.asnumpy(), rounded)


@pytest.mark.parametrize(
    "multiply",
    [
        lambda x, weight: ops.MatMul()(x, weight),
        lambda x, weight: ops.kl_div(x, weight),
        lambda x, weight: ops.allclose(x, weight) + x,
    ],
)
def test_inputs_of_one_dtype_are_asked_for_after_the_casts_of_to_float(multiply):
    half = ops.ones((3, 3), ms.float16)
    assert _Times(multiply).to_float(ms.float16)(half).dtype == ms.float16
    with pytest.raises(TypeError, match="must have one dtype"):
        _Times(multiply)(half)


def test_a_cell_inside_may_have_another_float_type():
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2)).to_float(ms.float16)
    net[1].to_float(ms.float32)
    assert net(ops.ones((1, 2))).dtype == ms.float32


def test_flags_set_the_float_type_too():
    x = ops.ones((1, 2))
    assert nn.Dense(2, 2).add_flags(fp16=True)(x).dtype == ms.float16
    net = nn.SequentialCell(nn.Dense(2, 2), nn.Dense(2, 2)).add_flags_recursive(fp16=True)
    assert net(x).dtype == ms.float16
    assert net.add_flags_recursive(fp32=True)(x).dtype == ms.float32
    assert nn.Dense(2, 2).to_float(ms.float16).add_flags(fp16=False)(x).dtype == ms.float32


@pytest.mark.parametrize("wrong", [ms.int32, "float16", 16])
def test_to_float_refuses_other_types(wrong):
    with pytest.raises((TypeError, ValueError)):
        nn.Dense(1, 1).to_float(wrong)


# Copies and states --------------------------------------------------------------------------------


@pytest.mark.parametrize("twin", [copy.deepcopy, lambda net: pickle.loads(pickle.dumps(net))])
def test_a_copy_is_independent(twin):
    net = Pair()
    net(x())
    other = twin(net)
    other.first.w.set_data(Tensor([10.0]))
    assert net(x()).asnumpy().tolist() == [6, 12]
    assert other(x()).asnumpy().tolist() == [30, 60]
    assert [p.name for p in other.get_parameters()] == ["first.w", "second.w"]


def test_a_copy_has_hooks_of_its_own():
    net, seen = Pair(), []
    net.register_forward_hook(lambda cell, args, out: seen.append(cell))
    other = copy.deepcopy(net)
    other(x())
    assert seen == [other]


def test_state_dict_goes_into_another_cell():
    source, target = nn.BatchNorm1d(3).set_train(), nn.BatchNorm1d(3)
    source(Tensor(np.arange(12.0).reshape(4, 3), ms.float32))
    target.load_state_dict(source.state_dict())
    assert target.moving_mean.asnumpy().tolist() == source.moving_mean.asnumpy().tolist()
    with pytest.raises(RuntimeError, match="gamma"):
        nn.Dense(1, 1).load_state_dict(source.state_dict())


def test_buffers_are_kept_and_never_trained():
    net = Scale()
    net.register_buffer("count", Tensor([0.0]))
    net.register_buffer("hidden", Tensor([1.0]), persistent=False)
    assert [name for name, _ in net.named_buffers()] == ["count", "hidden"]
    assert list(net.state_dict()) == ["w", "count"]
    assert [p.name for p in net.trainable_params()] == ["w"]


def test_apply_reaches_inner_cells_first():
    seen = []
    net = Pair()
    assert net.apply(lambda cell: seen.append(type(cell).__name__)) is net
    assert seen == ["Scale", "Scale", "Pair"]


def test_flags_reach_sub_cells():
    net = Pair()
    net.add_flags_recursive(special=True)
    assert net.first.special
    assert net.get_flags()["special"]


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.Embedding(4, 3),
        lambda: nn.Embedding(4, 3, use_one_hot=True),
        lambda: nn.EmbeddingLookup(4, 3),
        lambda: nn.EmbeddingExt(4, 3),
    ],
)
def test_rows_that_are_looked_up_have_the_type_of_to_float(make):
    net = make().to_float(ms.float16)
    table, ids = net.trainable_params()[0], Tensor([0, 1, 1], ms.int32)
    rows = net(ids)
    assert rows.dtype == ms.float16 and table.dtype == ms.float32
    np.testing.assert_array_equal(rows.asnumpy(), table.asnumpy()[[0, 1, 1]].astype(np.float16))
    gradient = ms.grad(lambda ids: net(ids).sum(), None, net.trainable_params())(ids)
    assert gradient[0].dtype == ms.float32
    np.testing.assert_array_equal(gradient[0].asnumpy()[:, 0], [1, 2, 0, 0])


@pytest.mark.parametrize("operation", [ops.functional.identity, ops.ReLU()])
def test_an_operation_takes_the_place_of_a_cell(operation):
    net = nn.TrainOneStepCell(nn.Dense(1, 1), nn.SGD([Parameter(1.0, name="w")]))
    net.grad_reducer = operation
    assert net.grad_reducer is operation and "grad_reducer" not in net.name_cells()
    assert copy.deepcopy(net).grad_reducer(Tensor([2.0])).asnumpy().tolist() == [2.0]
    net.grad_reducer = nn.Identity()
    assert "grad_reducer" in net.name_cells()
    with pytest.raises(TypeError, match="grad_reducer"):
        net.grad_reducer = ops.relu


def test_a_step_without_reducer_updates_as_with_one():
    def trained(change):
        line = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        loss = nn.WithLossCell(line, nn.MSELoss())
        net = nn.TrainOneStepCell(loss, nn.SGD(line.trainable_params()))
        change(net)
        net.set_train()(Tensor([[1.0, 2.0]]), Tensor([[1.0]]))
        return line.weight.asnumpy()

    def without(net):
        net.grad_reducer = ops.functional.identity

    assert ops.functional.identity((1, None)) == (1, None)
    np.testing.assert_array_equal(trained(without), trained(lambda net: None))
    assert (trained(without) != 1).all()


@pytest.mark.parametrize(
    "layer, shown",
    [
        (lambda: mint.nn.AvgPool2d(2), "AvgPool2dExt()"),
        (lambda: mint.nn.Hardshrink(), "HShrink()"),
        (lambda: mint.nn.Softmax(1), "SoftmaxExt()"),
        (lambda: mint.nn.Upsample(2), "UpsampleExt()"),
        (lambda: type("Softmax", (nn.Softmax,), {})(), "Softmax()"),
    ],
)
def test_layers_of_mint_are_shown_by_the_name_of_their_class(layer, shown):
    cell = layer()
    assert repr(cell) == shown
    assert cell.cls_name == shown.partition("(")[0]


def test_the_network_of_a_gradient_cell_is_shown_first():
    cell = nn.WithGradCell(nn.Dense(2, 2), nn.MSELoss())
    assert [name for name, _ in cell.name_cells().items()][0] == "network"
    lines = [line for line in repr(cell).split("\n") if line.startswith("  (")]
    names = [line.strip().partition(")")[0] for line in lines]
    assert names == ["(network", "(loss_fn", "(network_with_loss"]


@pytest.mark.parametrize("arguments", [(3,), ("a",), (((1, 1),), 3), (((1, 1),), None, 3)])
def test_strategies_are_checked_where_networks_are_divided(arguments):
    net = nn.ReLU()
    assert ms.shard(net, *arguments) is net
    net.shard(*arguments)
    assert net(ms.Tensor([-1.0, 2.0])).asnumpy().tolist() == [0, 2]
    ms.set_auto_parallel_context(parallel_mode="semi_auto_parallel")
    try:
        for divide in (net.shard, lambda *given: ms.shard(net, *given)):
            with pytest.raises(TypeError, match="For 'shard'"):
                divide(*arguments)
    finally:
        ms.reset_auto_parallel_context()


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE], ids=["PyNative", "graph"])
def test_a_cell_with_a_float_type_casts_operations_of_weights_alone(mode):
    """As in MindSpore 2.10. In graph mode this holds in the first runs and in replays."""
    ms.set_context(mode=mode)

    class OfWeights(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale = Parameter(Tensor(np.full(4, 1.1, np.float32)), name="scale")

        def construct(self, x):
            return self.scale * 0.9, self.scale * self.scale, ms.ops.exp(self.scale), x

    net = OfWeights().to_float(ms.float16)
    for _ in range(5):
        results = net(Tensor(np.ones(4, np.float32)))
        assert [result.dtype for result in results] == [ms.float16] * 4
        wanted = [0.98974609375, 1.208984375, 3.00390625, 1]
        assert [float(result.asnumpy()[0]) for result in results] == wanted
