"""Layers that the tables of observed results lack: random layers, recurrences, look-ups, names."""

import importlib

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import Tensor, nn, ops


def normal(*shape, seed=0):
    return Tensor(np.random.RandomState(seed).randn(*shape).astype(np.float32))


# Dropout ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layer", [nn.Dropout(0.7), nn.Dropout(p=0.3), nn.DropoutExt(0.3)])
def test_dropout_keeps_its_share_and_the_mean(layer):
    x = ops.ones((200, 200))
    found = layer.set_train()(x).asnumpy()
    assert (found != 0).mean() == pytest.approx(0.7, abs=0.02)
    assert found.max() == pytest.approx(1 / 0.7, rel=1e-5)
    assert layer.set_train(False)(x).asnumpy().tolist() == x.asnumpy().tolist()


@pytest.mark.parametrize(
    "layer, shape",
    [
        (nn.Dropout1d(0.5), (20, 30, 4)),
        (nn.Dropout2d(0.5), (20, 30, 2, 2)),
        (nn.Dropout3d(0.5), (20, 30, 2, 2, 2)),
    ],
)
def test_channel_dropout_drops_whole_channels(layer, shape):
    found = layer.set_train()(ops.ones(shape)).asnumpy().reshape(600, -1)
    assert (found == found[:, :1]).all()
    assert (found[:, 0] == 0).mean() == pytest.approx(0.5, abs=0.1)


def test_the_gradient_of_dropout_has_the_mask_of_its_result():
    layer = nn.Dropout(p=0.5).set_train()
    found, gradient = ms.value_and_grad(layer)(ops.ones((100,)))
    assert found.asnumpy().tolist() == gradient.asnumpy().tolist()


def test_a_seed_repeats_dropout():
    def drawn():
        ms.set_seed(5)
        layer = nn.Dropout(p=0.5).set_train()  # it takes its seeds when it is made
        return layer(ops.ones((50,))).asnumpy().tolist()

    assert drawn() == drawn()


# Normalisation ------------------------------------------------------------------------------------


def test_batch_norm_moves_its_statistics_while_training_only():
    layer = nn.BatchNorm1d(2, momentum=0.75)
    x = Tensor([[1.0, 10.0], [3.0, 30.0]])
    layer(x)
    assert layer.moving_mean.asnumpy().tolist() == [0, 0]
    layer.set_train()
    found = layer(x).asnumpy()
    assert np.allclose(found, [[-1, -1], [1, 1]], atol=1e-4)
    assert np.allclose(layer.moving_mean.asnumpy(), [0.5, 5])
    assert np.allclose(layer.moving_variance.asnumpy(), [0.75 + 0.25 * 2, 0.75 + 0.25 * 200])


def test_batch_norm_may_use_either_statistics_in_any_mode():
    x = normal(8, 2)
    fixed = nn.BatchNorm1d(2, use_batch_statistics=False).set_train()
    assert np.allclose(fixed(x).asnumpy(), x.asnumpy(), atol=1e-4)
    of_batch = nn.BatchNorm1d(2, use_batch_statistics=True)
    assert np.allclose(of_batch(x).asnumpy().mean(0), 0, atol=1e-5)


@pytest.mark.parametrize(
    "layer, axes",
    [
        (nn.InstanceNorm2d(3), (2, 3)),
        (nn.LayerNorm((3, 5, 4), 1, 1), (1, 2, 3)),
        (nn.GroupNorm(1, 3), (1, 2, 3)),
    ],
)
def test_each_sample_is_brought_to_mean_zero_and_deviation_one(layer, axes):
    found = layer.set_train()(normal(2, 3, 5, 4) * 3 + 1).asnumpy()
    assert np.allclose(found.mean(axes), 0, atol=1e-5)
    assert np.allclose(found.std(axes), 1, atol=1e-3)


@pytest.mark.parametrize("affine", [True, False])
def test_group_norm_keeps_float64(affine):
    """Its weights are float32, as in MindSpore 2.10."""
    x = np.random.default_rng(0).normal(size=(2, 4, 3, 1))
    groups = x.reshape(2, 2, -1)
    wanted = (groups - groups.mean(2, keepdims=True)) / np.sqrt(groups.var(2, keepdims=True) + 1e-5)
    found = nn.GroupNorm(2, 4, affine=affine)(Tensor(x))
    assert found.dtype == ms.float64
    np.testing.assert_allclose(found.asnumpy(), wanted.reshape(x.shape), rtol=1e-12)


def test_a_bool_as_the_number_of_heads_is_refused_in_use():
    with pytest.raises(TypeError, match="'num_heads' must be an int"):
        nn.MultiheadAttention(4, True)(*[normal(3, 2, 4)] * 3)


# Look-ups -----------------------------------------------------------------------------------------


def test_the_gradient_of_a_row_read_twice_is_counted_twice():
    layer = nn.Embedding(4, 2)
    (gradient,) = ms.grad(lambda ids: layer(ids).sum(), None, layer.trainable_params())(
        Tensor([1, 3, 1], ms.int32)
    )
    assert gradient.asnumpy().tolist() == [[0, 0], [2, 2], [0, 0], [1, 1]]


def test_the_row_of_the_padding_starts_at_zero():
    table = nn.Embedding(4, 2, padding_idx=2).embedding_table.asnumpy()
    assert table[2].tolist() == [0, 0]
    assert (table[[0, 1, 3]] != 0).all()


def test_rows_are_no_longer_than_max_norm():
    layer = nn.EmbeddingLookup(3, 4, "ones", max_norm=1.0)
    assert np.allclose(layer(Tensor([0, 2], ms.int32)).asnumpy(), 0.5)


# Recurrences --------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_padding_of_short_sequences_changes_nothing(kind):
    layer = kind(3, 4, num_layers=2, bidirectional=True)
    long, short = normal(6, 1, 3), normal(4, 1, 3, seed=1)
    padded = ops.cat((short, ops.ones((2, 1, 3)) * 9))
    both = ops.cat((long, padded), 1)
    found, last = layer(both, None, Tensor([6, 4], ms.int32))
    alone, own = layer(short)
    assert np.allclose(found.asnumpy()[:4, 1:], alone.asnumpy(), atol=1e-5)
    assert (found.asnumpy()[4:, 1:] == 0).all()
    last, own = (x if isinstance(x, tuple) else (x,) for x in (last, own))
    for one, other in zip(last, own):
        assert np.allclose(one.asnumpy()[:, 1:], other.asnumpy(), atol=1e-5)


@pytest.mark.parametrize(
    "layer, cell, states",
    [(nn.LSTM, nn.LSTMCell, 2), (nn.GRU, nn.GRUCell, 1), (nn.RNN, nn.RNNCell, 1)],
)
def test_a_layer_is_its_cell_step_by_step(layer, cell, states):
    whole, step = layer(3, 4), cell(3, 4)
    for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
        getattr(step, name).set_data(getattr(whole, f"{name}_l0"))
    x = normal(5, 2, 3)
    state = (ops.zeros((2, 4)),) * states if states > 1 else ops.zeros((2, 4))
    for t in range(5):
        state = step(x[t], state)
        out = state[0] if states > 1 else state
        assert np.allclose(whole(x)[0][t].asnumpy(), out.asnumpy(), atol=1e-5)


@pytest.mark.parametrize("kind", [nn.LSTMCell, nn.GRUCell, nn.RNNCell])
@pytest.mark.parametrize("rows, state_rows", [(2, 1), (1, 2)])
def test_a_single_row_is_broadcast_in_a_cell(kind, rows, state_rows):
    cell, x, state = kind(3, 4), normal(rows, 3), normal(state_rows, 4, seed=1)

    def out(x, state):
        result = cell(x, (state, state) if kind is nn.LSTMCell else state)
        return ops.stack(result) if kind is nn.LSTMCell else result

    full = ops.broadcast_to(x, (2, 3)), ops.broadcast_to(state, (2, 4))
    assert np.array_equal(out(x, state).asnumpy(), out(*full).asnumpy())
    gradient = ms.grad(lambda *given: out(*given).sum(), (0, 1))
    for found, wanted in zip(gradient(x, state), gradient(*full), strict=True):
        wanted = wanted.asnumpy()
        if len(found) == 1:
            wanted = wanted.sum(0, keepdims=True)
        assert np.allclose(found.asnumpy(), wanted, atol=1e-6)


def test_states_of_other_rows_are_refused():
    x = normal(2, 3)
    for kind in (nn.GRUCell, nn.RNNCell):
        with pytest.raises(ValueError, match=r"'hx' must have shape \(2, 4\), but got \(3, 4\)"):
            kind(3, 4)(x, normal(3, 4))
    with pytest.raises(ValueError, match=r"'hx' must have shape \(2, 4\), but got \(3, 4\)"):
        nn.LSTMCell(3, 4)(x[:1], (normal(2, 4), normal(3, 4)))


@pytest.mark.parametrize("kind", [nn.LSTM, nn.GRU, nn.RNN])
def test_second_derivatives_of_recurrences(kind):
    layer, x = kind(2, 3), normal(3, 1, 2)

    def gradient(x):
        return ms.grad(lambda v: layer(v)[0].sum())(x)

    weights = normal(3, 1, 2, seed=3)
    exact = ms.grad(lambda v: (gradient(v) * weights).sum())(x).asnumpy()
    step = 1e-2 * weights
    around = ((gradient(x + step) - gradient(x - step)) / 2e-2).asnumpy()
    assert np.allclose(exact, around, atol=2e-3)


def test_dropout_between_recurrent_layers_only():
    ms.set_seed(1)
    one, two = nn.GRU(2, 8, 1, dropout=0.9).set_train(), nn.GRU(2, 8, 2, dropout=0.9).set_train()
    x = normal(4, 3, 2)
    assert np.array_equal(one(x)[0].asnumpy(), one(x)[0].asnumpy())
    assert not np.array_equal(two(x)[0].asnumpy(), two(x)[0].asnumpy())


# Attention ----------------------------------------------------------------------------------------


def test_a_key_that_is_left_out_changes_nothing():
    layer = nn.MultiheadAttention(4, 2)
    query, keys = normal(3, 2, 4), normal(5, 2, 4, seed=1)
    other = ops.cat((keys[:4], keys[4:] * 100))
    mask = Tensor(np.array([[False] * 4 + [True]] * 2))
    one, weights = layer(query, keys, keys, mask)
    assert np.allclose(one.asnumpy(), layer(query, other, other, mask)[0].asnumpy(), atol=1e-5)
    assert np.allclose(weights.asnumpy().sum(-1), 1, atol=1e-5)
    assert (weights.asnumpy()[..., 4] == 0).all()


def test_the_same_inputs_and_equal_inputs_give_the_same():
    layer, x = nn.MultiheadAttention(4, 2), normal(3, 2, 4)
    once = layer(x, x, x)[0].asnumpy()
    apart = layer(x, x.copy(), x.copy())[0].asnumpy()
    assert np.allclose(once, apart, atol=1e-6)


# Names --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sorted(n for n in nn.__all__ if n not in ("auc", "names")))
def test_every_name_is_there(name):
    assert callable(getattr(nn, name))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="Conv2d"):
        nn.Conv2D  # noqa: B018


@pytest.mark.parametrize(
    "module, name",
    [
        ("nn.layer", "Dense"),
        ("nn.layer", "ReLU"),
        ("nn.layer.activation", "ReLU"),
        ("nn.layer.basic", "Dropout"),
        ("nn.layer.container", "CellList"),
        ("nn.loss.loss", "MSELoss"),
        ("nn.loss", "LossBase"),
        ("nn.cell", "Cell"),
        ("nn.grad", "Jvp"),
        ("nn.utils", "no_init_parameters"),
    ],
)
def test_older_paths_show_the_same_object(module, name):
    found = importlib.import_module(f"mindspore_compat.{module}")
    assert getattr(found, name) is getattr(nn, name)


def test_axes_of_flatten_are_checked_by_name():
    layer = nn.Flatten()
    assert layer.check_axis_valid(-2, 2) is None
    for axis in (2, -3):
        with pytest.raises(ValueError, match="For 'Flatten', 'start_dim' and 'end_dim'"):
            layer.check_axis_valid(axis, 2)


def test_instance_norm_stores_its_momentum_as_it_came():
    assert nn.InstanceNorm2d(3, momentum=0.3).momentum == 0.3
    assert "momentum=0.3, " in str(nn.InstanceNorm2d(3, momentum=0.3))
    assert nn.BatchNorm2d(3, momentum=0.5).momentum == 0.5


@pytest.mark.parametrize(
    "time, other, order",
    [
        (1, 0, (0, 1, 2, 3)),
        (2, 3, (0, 1, 2, 3)),
        (1, 1, (1, 0, 2, 3)),
        (1, 3, (0, 2, 1, 3)),
        (2, 0, (0, 2, 1, 3)),
        (3, 0, (0, 3, 1, 2)),
        (3, -1, (0, 1, 3, 2)),
    ],
)
def test_the_time_axis_of_joined_slices_is_beside_the_other_axis(time, other, order):
    x = np.arange(120, dtype=np.float32).reshape(2, 3, 4, 5)
    layer = nn.TimeDistributed(nn.ReLU(), time, other)
    np.testing.assert_array_equal(layer(Tensor(x)).asnumpy(), x.transpose(order))


def test_a_first_axis_is_not_joined_with_itself():
    with pytest.raises(ValueError, match="must not both be 0"):
        nn.TimeDistributed(nn.ReLU(), 0, 0)(ops.ones((2, 3, 4)))


LATE = {
    "mint.nn.AvgPool1d": ("kernel_size", TypeError),
    "mint.nn.AdaptiveAvgPool3d": ("output_size", TypeError),
    "mint.nn.GELU": ("approximate", TypeError),
    "mint.nn.KLDivLoss": ("reduction", ValueError),
    "nn.ELU": ("alpha", TypeError),
    "nn.Softmin": ("axis", TypeError),
    "nn.LeakyReLU": ("alpha", TypeError),
    "nn.MaxUnpool3d": ("kernel_size", TypeError),
}


@pytest.mark.parametrize("name", LATE)
def test_constructors_of_layers_take_what_their_calls_refuse(name):
    argument, error = LATE[name]
    made = importlib.import_module(f"mindspore_compat.{name.rpartition('.')[0]}")
    layer = getattr(made, name.rpartition(".")[2])(**{argument: {}})
    x = ops.ones((1, 1, 2, 4, 4))
    inputs = (x, x) if name.endswith(("Loss", "Unpool3d")) else (x,)
    with pytest.raises(error, match=argument):
        layer(*inputs)


@pytest.mark.parametrize(
    "make",
    [
        lambda: nn.AdaptiveAvgPool1d("a"),
        lambda: nn.AdaptiveAvgPool2d("a"),
        lambda: nn.AdaptiveAvgPool3d("a"),
        lambda: nn.AdaptiveMaxPool1d("a"),
        lambda: nn.GELU("a"),
        lambda: nn.HShrink("a"),
        lambda: nn.LRN("a"),
        lambda: nn.Softmax("a"),
        lambda: nn.SoftShrink("a"),
    ],
)
def test_constructors_that_check_their_arguments(make):
    with pytest.raises(TypeError, match="For '"):
        make()
