"""Generated faults in optimizers, training cells and layers: the cases of the changed name must
detect nine of ten. `survivors.yaml` lists the others with the reason.

A nightly run plants all faults. Every run plants two, and checks the list against the code.
"""

import functools
import os
from pathlib import Path

import pytest
import yaml
from kit.mutant_server import MutantServer
from kit.mutants import mutants, sample

# name -> {module: the functions in which its cases should detect faults}
TARGETS = {
    "nn.LARS": {
        "nn.optim.lars": ["LARS", "_check_inner"],
        "ops._optimizer.formulas": ["trust_ratio", "unscaled"],
    },
    "nn.AdamOffload": {
        "nn.optim.adam": ["AdamOffload"],
        "ops._optimizer.formulas": ["adam_step", "adam_update"],
    },
    "nn.thor": {
        "nn.optim.thor": ["_Layer", "_matrix", "ThorGpu", "_trainable", "thor"],
        "nn.layer.thor_layer": ["_moments", "_SecondOrder", "DenseThor", "convert", "_can_convert"],
    },
    "nn.DynamicLossScaleUpdateCell": {
        "nn.wrap.loss_scale": ["DynamicLossScaleUpdateCell"],
        "_backend.updates.loss_scaling": ["_change_scale"],
    },
    "nn.Conv1d": {"nn.layer.conv": ["Conv1d", "_flat", "_three_axes", "_sequence"]},
    "nn.Conv2d": {
        "nn.layer.conv": ["_Conv", "Conv2d", "_as_tuple", "_two"],
        "ops._conv.conv": ["_convolve", "add_bias", "conv2d"],
        "ops._conv.sizes": ["per_dimension", "sided", "padding_of", "need_kernel_fits"],
    },
    "nn.Conv3d": {"nn.layer.conv": ["Conv3d"], "ops._conv.conv": ["conv3d"]},
    "nn.Conv2dTranspose": {
        "nn.layer.conv": ["_Transpose", "Conv2dTranspose"],
        "ops._conv.conv_transpose": ["conv2d_transpose_primitive"],
    },
    "nn.Dense": {"nn.layer.basic": ["Dense", "_product"]},
    "nn.BiDense": {"nn.layer.dense": ["BiDense"]},
    "nn.BatchNorm2d": {
        "nn.layer.normalization": ["_Statistics", "_BatchNorm"],
        "ops._normalization.batch_norm": ["normalize_batch", "running", "batch_rescale", "_factor"],
    },
    "nn.LayerNorm": {
        "nn.layer.normalization": ["LayerNorm"],
        "ops._normalization.layer_norm": ["row_standardize", "multiply_add", "_row_statistics"],
    },
    "nn.GroupNorm": {
        "nn.layer.normalization": ["GroupNorm", "_need_shape"],
        "ops._normalization.group_norm": ["group_standardize"],
    },
    "nn.MaxPool2d": {
        "nn.layer.pooling": ["pool_largest", "_Pool", "_MaxPool", "MaxPool2d"],
        "ops._pooling.max_pool": ["largest_windows"],
    },
    "nn.AvgPool2d": {
        "nn.layer.pooling": ["pool_means", "_AvgPool", "AvgPool2d"],
        "ops._pooling.average_pool": ["average_windows"],
    },
    "nn.Embedding": {"nn.layer.embedding": ["Embedding", "_need_numbers"]},
    "nn.PReLU": {"nn.layer.activation": ["PReLU"], "ops._activation.relu": ["prelu", "_prelu"]},
    "nn.LSTM": {
        "nn.layer.rnns": ["_Direction", "_RNNBase", "LSTM"],
        "ops._recurrent.sequence": ["lstm_gates", "lstm_sequence"],
    },
    "nn.GRU": {
        "nn.layer.rnns": ["_DynamicGRUCPUGPU", "GRU"],
        "ops._recurrent.sequence": ["_gru_gates", "_gru_recurrent", "gru_sequence"],
    },
    "nn.MultiheadAttention": {
        "nn.layer._attention.multi_head": ["MultiheadAttention"],
        "ops._attention.multi_head": ["multi_head_attention_forward"],
    },
    "nn.Pad": {"nn.layer._basic.wrappers": ["Pad", "_is_pair"]},
    "nn.PixelShuffle": {"nn.layer.image": ["PixelShuffle"]},
    "nn.CrossEntropyLoss": {
        "nn.loss._classes": ["CrossEntropyLoss"],
        "nn.loss._base": ["LossBase", "need_reduction"],
        "ops._loss.cross_entropy": ["cross_entropy"],
    },
    "nn.HuberLoss": {
        "nn.loss._distances": ["HuberLoss"],
        "ops._loss.regression": ["huber_loss", "_huber"],
    },
}
COUNTS = {
    "nn.LARS": 100,
    "nn.AdamOffload": 100,
    "nn.DynamicLossScaleUpdateCell": 100,
    "nn.thor": 30,
}
SHARE = 0.9  # the share of the mutants that must be detected, not counting equivalent ones


@functools.cache
def planted(name):
    """Returns the sample of mutants of a name."""
    candidates = [m for module, names in TARGETS[name].items() for m in mutants(module, names)]
    return sample(candidates, COUNTS.get(name, 20))


def listed():
    """Returns {key: reason} of equivalent mutants, and {key: reason} of mutants that no case
    finds."""
    entries = yaml.safe_load(Path(__file__).with_name("survivors.yaml").read_text(encoding="utf-8"))
    return tuple(
        {key: reason for reason, keys in entries[part].items() for key in keys}
        for part in ("equivalent", "not found")
    )


def survivors(name, chosen, **options):
    """Returns the keys of the mutants that no case of the name detects."""
    with MutantServer(name, **options) as server:
        sound = server.failing()
        return [m.key for m in chosen if not server.failing(m.module, m.source(), sound)]


@pytest.mark.nightly
@pytest.mark.parametrize("name", TARGETS)
def test_what_survives_is_listed(name):
    equivalent, missed = listed()
    assert set(survivors(name, planted(name))) <= {*equivalent, *missed}


def test_nine_of_ten_mutants_are_found():
    equivalent, missed = listed()
    keys = [m.key for name in TARGETS for m in planted(name)]
    unlike = [key for key in keys if key not in equivalent]
    found = [key for key in unlike if key not in missed]
    assert len(found) >= SHARE * len(unlike)


def test_the_list_names_mutants_that_are_planted():
    equivalent, missed = listed()
    assert {*equivalent, *missed} <= {m.key for name in TARGETS for m in planted(name)}


def test_a_function_that_is_not_there_is_an_error():
    with pytest.raises(LookupError, match="Conv9d"):
        list(mutants("nn.layer.conv", ["Conv2d", "Conv9d"]))


@pytest.mark.skipif(not hasattr(os, "fork"), reason="mutants run in forked processes")
def test_planted_mutants_are_found():
    name = "nn.DynamicLossScaleUpdateCell"
    entries = mutants("_backend.updates.loss_scaling", ["_change_scale"])
    chosen = [m for m in entries if m.kind == "operator" and "window" in m.old][:2]
    assert chosen and survivors(name, chosen, kinds=("steps",)) == []
