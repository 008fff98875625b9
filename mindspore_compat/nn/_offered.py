"""The primitives of layers that are made from lines of the ops: `nn.Softmax().softmax`.

The original's layers compute with these, and scripts for several devices set strategies on them
(`layer.softmax.shard(...)`); here the layers compute without them, so each is made at first use.
Layers that are classes of their own have theirs as attributes (`matmul` of Dense).
"""

from .. import ops

# (layer, attribute) -> the primitive, of the layer's settings
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
}
_NAMES = {name for _, name in _OFFERED}


def offered(layer, name):
    """A function that makes the primitive `name` of a layer, or None where there is no such."""
    if name not in _NAMES:
        return None
    for cls in type(layer).__mro__:
        if cls.__module__ == "mindspore_compat.nn" and (cls.__name__, name) in _OFFERED:
            return _OFFERED[cls.__name__, name]
    return None
