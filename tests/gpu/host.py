"""The host beside the device: results, networks and steps that a test compares with."""

import contextlib

import numpy as np
from kit import close
from kit.compare import TOLERANCES_OF_SUMS

import mindspore_compat as ms
from mindspore_compat import nn
from mindspore_compat._backend import arrays

from . import networks


@contextlib.contextmanager
def host():
    """Makes the host the device target while the block runs."""
    target = arrays._target
    arrays.set_target("CPU")
    try:
        yield
    finally:
        arrays.set_target(target)


def flat(values):
    """Returns the Tensors in nested tuples and lists, as NumPy arrays."""
    if isinstance(values, (tuple, list)):
        return [array for value in values for array in flat(value)]
    return [] if values is None else [values.asnumpy()]


def agree(results, expected, factor=1):
    """Asserts that results of sums equal the host's. The tolerance is a factor times the tolerance
    in the table of `kit` for the largest number of each array."""
    assert len(results) == len(expected)
    for result, right in zip(results, expected):
        assert result.dtype == right.dtype
        rtol, atol = TOLERANCES_OF_SUMS.get(right.dtype.name, (0, 0))
        largest = np.max(np.abs(right.astype(np.float64)), initial=1)
        close(result, right, rtol=factor * rtol, atol=factor * atol * largest)


def copied(source, target):
    """Copies parameters from one network to another; returns the latter."""
    for mine, other in zip(target.get_parameters(), source.get_parameters(), strict=True):
        mine.set_data(ms.Tensor(other.asnumpy()))
    return target


def twins(name, dropout=0.0):
    """Returns two copies of a network of tests/gpu/networks.py, one on the device and one on the
    host. Both have a loss, the same parameters and a batch.

    Args:
        name: the network.
        dropout: the probability; the device draws other numbers than the host.
    """
    with host():
        ms.set_seed(1)
        original = networks.made(name, dropout=dropout)
    network, data, labels = networks.made(name, dropout=dropout)
    return (copied(original[0], network), data, labels), original


def result_and_gradients(function, inputs, weights=None):
    """Returns the result and the gradients of its weighted sum as NumPy arrays."""
    out, pull = ms.vjp(function, *inputs, weights=weights)
    rng = np.random.default_rng(5)
    sens = ms.Tensor(rng.standard_normal(out.shape).astype(np.float32)).astype(out.dtype)
    return flat((out, pull(sens)))


def train(network, data, labels, optimizer, steps, scaled=False):
    """Trains for some steps; returns the losses, then the parameters, as NumPy arrays."""
    ms.set_seed(3)
    network.set_train()
    optimizer = optimizer(network.trainable_params())
    if scaled:
        scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 3)
        step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=scale)
    else:
        step = nn.TrainOneStepCell(network, optimizer)
    results = [step(data, labels) for _ in range(steps)]
    return flat(results) + flat(list(network.get_parameters()))
