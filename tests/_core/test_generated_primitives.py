"""Primitives that MindSpore generates: what their constructors store, what their calls check first,
and how they read strings. Each outcome was observed in MindSpore 2.10."""

import copy

import numpy as np
import pytest

import mindspore_compat as ms
import mindspore_compat.scipy
from mindspore_compat import Tensor, float32, int8, int32, mint, nn, ops


def ones(*shape, dtype=float32):
    return Tensor(np.ones(shape), dtype)


def test_a_stored_argument_is_refused_by_the_call():
    argmax = ops.Argmax(axis="first")
    assert isinstance(argmax, ops.Argmax)
    with pytest.raises(TypeError, match="'axis' must be an int, but got 'first'"):
        argmax(ones(2, 3))


def test_a_converted_argument_is_refused_at_once_unless_it_is_none():
    assert ops.BCEWithLogitsLoss(None) is not None
    with pytest.raises(TypeError, match="'reduction'"):
        ops.BCEWithLogitsLoss(1)


def test_a_layer_with_a_stored_argument_can_be_copied_and_refuses_its_call():
    class Flat(nn.Flatten):
        pass

    flat = copy.deepcopy(Flat(start_dim="first"))
    with pytest.raises(TypeError, match="For 'Flat', 'start_dim'"):
        flat(ones(2, 3))


def test_a_layer_that_cannot_be_built_with_a_stored_argument_refuses_its_call():
    loss = nn.CTCLoss(reduction=3)
    assert loss.blank == 0
    with pytest.raises(TypeError, match="'reduction' must be a str"):
        loss(ones(2, 3), ones(2, dtype=int32), (1,), (1,))


def test_a_primitive_made_by_hand_checks_at_once_though_its_base_class_does_not():
    ops.AdamWeightDecay(use_locking=1)
    with pytest.raises(TypeError, match="For 'FusedCastAdamWeightDecay', 'use_locking'"):
        ops.FusedCastAdamWeightDecay(use_locking=1)


@pytest.mark.parametrize(
    "call",
    [
        lambda: ops.det(ones(2, 3, dtype=int8)),
        lambda: ops.Betainc()(ones(3, dtype=int32), ones(3), ones(2)),
        lambda: ops.inner(ones(3), ones(2, dtype=int32)),
        lambda: ops.svd(ones(2, dtype=int32)),
        lambda: nn.BatchNorm2d(3)(ones(2, 3, dtype=int32)),
        lambda: nn.Dense(3, 2)(ones(2, 4, dtype=int32)),
        lambda: ops.allclose(ones(3), ones(2, dtype=int32)),
        lambda: ops.BatchNorm()(ones(2, 3), ones(2, dtype=int32), *[ones(3)] * 3),
        lambda: ops.LayerNorm()(ones(2, 3), ones(2, dtype=int32), ones(3)),
        lambda: mint.lerp(ones(3), ones(2, dtype=int32), 0.5),
        lambda: mint.bitwise_and(ones(3), ones(2, dtype=int32)),
        lambda: ms.scipy.linalg.solve_triangular(ones(2, 2), ones(3, dtype=int32)),
    ],
)
def test_shapes_come_before_dtypes(call):
    with pytest.raises(ValueError):
        call()


def test_a_refused_dropout_draws_nothing():
    before = ms.get_rng_state()
    for call in (ops.Dropout(0.5), ops.gumbel_softmax):
        with pytest.raises(TypeError):
            call(ones(2, 3, dtype=int32))
    assert (ms.get_rng_state() == before).all()


def test_a_refused_batch_norm_writes_nothing():
    mean, variance = ones(3), ones(3)
    with pytest.raises(TypeError, match="'bias'"):
        ops.batch_norm(ones(2, 3) * 2, mean, variance, ones(3), ones(3, dtype=int32), training=True)
    assert (mean == 1).all() and (variance == 1).all()


def test_dtypes_come_before_shapes_in_primitives_made_by_hand():
    with pytest.raises(TypeError):
        ops.BitwiseAnd()(ones(3), ones(2, dtype=int32))


def test_strings_are_read_in_any_case():
    x = Tensor([0.25, 0.5])
    assert ops.BinaryCrossEntropy("MEAN").reduction == "mean"
    assert ops.BinaryCrossEntropy("Sum")(x, x) == ops.BinaryCrossEntropy("sum")(x, x)
    assert mint.div(Tensor([-7.0]), Tensor([2.0]), rounding_mode="FLOOR") == -4
    with pytest.raises(ValueError, match="'reduction'"):
        ops.KLDivLoss("MEAN")
