"""The layers of nn.TransformerEncoder and nn.TransformerDecoder, which are new ones."""

from types import SimpleNamespace

import numpy as np
import pytest

import mindspore_compat as ms
from mindspore_compat import nn

KINDS = [
    (nn.TransformerEncoder, nn.TransformerEncoderLayer),
    (nn.TransformerDecoder, nn.TransformerDecoderLayer),
]


@pytest.mark.parametrize("stack, kind", KINDS)
def test_the_weights_of_the_given_layer_are_not_used(stack, kind):
    layer = kind(4, 2, 8)
    for parameter in layer.get_parameters():
        parameter.set_data(ms.ops.full_like(parameter, 7))
    first, second = stack(layer, 2).layers
    for one, other in zip(first.get_parameters(), second.get_parameters(), strict=True):
        assert one is not other
        assert not np.any(one.asnumpy() == 7)
        assert np.array_equal(one.asnumpy(), other.asnumpy())


@pytest.mark.parametrize("stack, kind", KINDS)
def test_the_settings_of_the_given_layer_are_used(stack, kind):
    settings = dict(layer_norm_eps=1e-3, batch_first=True, norm_first=True, dtype=ms.float16)
    layer = stack(kind(4, 2, 8, 0.3, "gelu", **settings), 1).layers[0]
    assert (layer.d_model, layer.nhead, layer.dim_feedforward) == (4, 2, 8)
    assert layer.dropout.p == layer.dropout1.p == layer.dropout_num == 0.3
    assert layer.activation is ms.ops.gelu
    assert layer.norm1.epsilon == layer.layernorm_eps == 1e-3
    assert layer.self_attn.batch_first and layer.batch_first and layer.norm_first
    assert layer.dense1.weight.dtype == layer.dtype == ms.float16


@pytest.mark.parametrize("stack, kind", KINDS)
def test_the_layers_are_of_the_class_that_the_stack_is_made_for(stack, kind):
    class Custom(kind):
        pass

    assert type(stack(Custom(4, 2, 8), 1).layers[0]) is kind
    [(_, other)] = [pair for pair in KINDS if pair[0] is not stack]
    assert type(stack(other(4, 2, 8), 1).layers[0]) is kind


def test_initial_weights_are_those_of_the_original():
    ms.set_seed(3)
    network = nn.Transformer(4, 2, 2, 2, 8)
    sums = [parameter.asnumpy().sum() for parameter in network.get_parameters()]
    assert np.allclose(
        sums[:8], [3.4584, 0, 0.9592, -0.5267, 0.5588, -0.1871, -1.705, 0.1045], atol=1e-4
    )
    assert np.allclose(sums[-20:-14], [0.5101, 0, -1.0582, 0.3617, -0.961, 0], atol=1e-4)


@pytest.mark.parametrize(
    "layer", [nn.Dense(2, 2), None, "layer", SimpleNamespace(d_model=4)], ids=repr
)
def test_other_layers_are_refused(layer):
    with pytest.raises(
        AttributeError, match="'TransformerEncoder'.*a TransformerEncoderLayer.*has no"
    ):
        nn.TransformerEncoder(layer, 1)
