"""Weights, gradients and data of samples: sums of waves, the same on every machine."""

import numpy as np

NAMES = {"weight": (2, 3), "bias": (3,), "norm.gamma": (2,)}


def wave(shape, phase=0.0):
    """Returns float32 numbers without symmetry, between 0.1 and 1.1."""
    positions = np.arange(int(np.prod(shape)), dtype=np.float64)
    return (0.6 + 0.5 * np.sin(1.7 * positions + phase)).astype(np.float32).reshape(shape)


def weight_of(name):
    """Returns the initial value of a sample's Parameter."""
    return wave(NAMES[name], len(name))


def gradient_of(name, step):
    """Returns the gradient of a Parameter in a step; its signs change from step to step."""
    return wave(NAMES[name], 2.0 * len(name) + 2.3 * step) - np.float32(0.5)


def dense_weights():
    """Returns weight and bias of the dense layer."""
    return wave((2, 3), 1.0), wave((2,), 2.0)


def batch_of(step):
    """Returns input and target of a training step."""
    return wave((4, 3), 3.0 * step), wave((4, 2), 5.0 * step)
