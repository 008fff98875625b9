"""Primitives that layers and optimizers offer: `nn.Softmax().softmax`, `nn.Momentum(...).opt`.

The original's layers compute with these primitives. Scripts for several devices set strategies on
them (`layer.softmax.shard(...)`), and subclasses of optimizers call them on `params`. Here layers
compute without them, so each primitive is created when it is first read.
"""

from ... import ops


def _max_pool(layer):
    if layer.pad_mode == "PAD":
        return ops.MaxPool3DWithArgmax(
            (1, *layer._kernel), (1, *layer._stride), (0, *layer._padding)
        )
    return ops.MaxPool(layer.kernel_size, layer.stride, layer.pad_mode, layer.format)


# (layer, attribute) -> how the primitive is created from the layer's settings
_OFFERED = {
    ("ReLU", "relu"): lambda layer: ops.ReLU(),
    ("ReLU6", "relu6"): lambda layer: ops.ReLU6(),
    ("Sigmoid", "sigmoid"): lambda layer: ops.Sigmoid(),
    ("Tanh", "tanh"): lambda layer: ops.Tanh(),
    ("Softmax", "softmax"): lambda layer: ops.Softmax(layer.axis),
    ("LogSoftmax", "log_softmax"): lambda layer: ops.LogSoftmax(layer.axis),
    ("HSwish", "hswish"): lambda layer: ops.HSwish(),
    ("HSigmoid", "hsigmoid"): lambda layer: ops.HSigmoid(),
    ("ELU", "elu"): lambda layer: ops.Elu(layer.alpha),
    ("Mish", "mish"): lambda layer: ops.Mish(),
    ("MaxPool2d", "max_pool"): _max_pool,
    ("Embedding", "expand"): lambda layer: ops.ExpandDims(),
    ("SoftmaxCrossEntropyWithLogits", "softmax_cross_entropy"): lambda layer: (
        ops.SoftmaxCrossEntropyWithLogits()
    ),
    ("SoftmaxCrossEntropyWithLogits", "sparse_softmax_cross_entropy"): lambda layer: (
        ops.SparseSoftmaxCrossEntropyWithLogits()
    ),
    ("SGD", "opt"): lambda layer: tuple(
        ops.SGD(layer.dampening, 0.0, layer.nesterov) for _ in layer.parameters
    ),
    **{
        (name, "params"): lambda layer: layer.parameters
        for name in ("AdamOffload", "Lamb", "Momentum")
    },
    ("Momentum", "opt"): lambda layer: ops.ApplyMomentum(layer.use_nesterov),
    ("Adam", "opt"): lambda layer: ops.Adam(layer.use_locking, layer.use_nesterov),
    ("FTRL", "opt"): lambda layer: ops.ApplyFtrl(layer.use_locking),
    ("RMSProp", "opt"): lambda layer: (
        ops.ApplyCenteredRMSProp() if layer.centered else ops.ApplyRMSProp()
    ),
    ("Adagrad", "opt"): lambda layer: ops.ApplyAdagrad(layer.update_slots),
    ("AdaMax", "opt"): lambda layer: ops.ApplyAdaMax(),
    ("Adadelta", "opt"): lambda layer: ops.ApplyAdadelta(),
    ("ProximalAdagrad", "opt"): lambda layer: ops.ApplyProximalAdagrad(layer.use_locking),
}
_NAMES = {name for _, name in _OFFERED}
_NN = __package__.rpartition(".")[0]  # this package: scripts may define layers of the same names


def offer(layer, name):
    """Returns a function that creates the attribute `name` of a layer, or None if the layer does
    not offer it."""
    if name not in _NAMES:
        return None
    for cls in type(layer).__mro__:
        if cls.__module__.startswith(_NN) and (cls.__name__, name) in _OFFERED:
            return _OFFERED[cls.__name__, name]
    return None
