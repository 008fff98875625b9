"""Counts the work of one training step on the device, part by part."""

import mindspore_compat as ms
from mindspore_compat import nn

from . import counters, networks

OPTIMIZERS = {
    "Momentum": lambda parameters: nn.Momentum(parameters, 0.01, 0.9, weight_decay=1e-4),
    "Adam": lambda parameters: nn.Adam(parameters, 0.01),
    "ASGD": lambda parameters: nn.ASGD(parameters, 0.01, weight_decay=1e-4),
    "AdaFactor": lambda parameters: nn.AdaFactor(parameters, weight_decay=1e-4),
    "AdaMax": lambda parameters: nn.AdaMax(parameters, 0.01),
    "LARS": lambda parameters: nn.LARS(nn.Momentum(parameters, 0.01, 0.9, 1e-4, loss_scale=2.0)),
    "Lamb": lambda parameters: nn.Lamb(parameters, 0.01, weight_decay=1e-4),
    "Rprop": lambda parameters: nn.Rprop(parameters, 0.01),
    "SGD": lambda parameters: nn.SGD(parameters, 0.01, momentum=0.9, weight_decay=1e-4),
    "Adam, decaying": lambda parameters: nn.Adam(
        parameters, nn.ExponentialDecayLR(0.01, 0.9, 4), eps=1e-3
    ),
}


def counts_of(name, optimizer="Momentum", dtype=ms.float32):
    """Returns the counts of a step of one network, by part: forward, backward, update, whole.

    Returns:
        dict: part -> Counts; and "layers" and "parameters", their numbers.
    """
    network, data, labels = networks.made(name, dtype=dtype)
    network.set_train()
    weights = network.trainable_params()
    update = OPTIMIZERS[optimizer](weights)
    scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 100)
    step = nn.TrainOneStepWithLossScaleCell(network, update, scale_sense=scale)
    gradient = ms.value_and_grad(network, None, weights)
    for _ in range(2):  # the first step makes kernels, plans and tables
        step(data, labels)
        gradient(data, labels)
    with counters.counted() as forward:
        network(data, labels)
    with counters.counted() as both:
        _, grads = gradient(data, labels)
    flag = ms.ops.isnan(data).any()
    with counters.counted() as updated:
        update.skipping(flag._array, grads)
    with counters.counted() as whole:
        step(data, labels)
    return {
        "layers": networks.layers(network),
        "parameters": len(weights),
        "forward": forward,
        "forward and backward": both,
        "update": updated,
        "step": whole,
    }


def replayed(name):
    """Returns the counts of a step of one network that is captured as a CUDA graph."""
    network, data, labels = networks.made(name)
    network.set_train()
    scale = nn.DynamicLossScaleUpdateCell(2.0**10, 2, 100)
    optimizer = OPTIMIZERS["Momentum"](network.trainable_params())
    step = nn.TrainOneStepWithLossScaleCell(network, optimizer, scale_sense=scale)
    mode = ms.get_context("mode")
    ms.set_context(mode=ms.GRAPH_MODE)
    try:
        for _ in range(3):  # the first two run operator by operator, the third is captured
            step(data, labels)
        with counters.counted() as found:
            step(data, labels)
    finally:
        ms.set_context(mode=mode)
    return found


def updated(name, optimizer):
    """Returns the counts of one update of a network's parameters, without a loss scale."""
    network, data, labels = networks.made(name)
    weights = network.trainable_params()
    update = OPTIMIZERS[optimizer](weights)
    _, grads = ms.value_and_grad(network, None, weights)(data, labels)
    update(grads)
    with counters.counted() as found:
        update(grads)
    return found


def per_layer(found):
    """Returns the launches of each layer: (forward, backward)."""
    forward = found["forward"].launches
    backward = found["forward and backward"].launches - forward
    return forward / found["layers"], backward / found["layers"]
