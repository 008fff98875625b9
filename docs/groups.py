"""The groups in which the reference lists the names of a large module, by the module that defines
them."""

import inspect

from mindspore_compat._core.declare.op import DECLARED

# The start of a path within the package: the title of its group. The longest fitting start counts.
TITLES = {
    "nn": "Other",
    "nn.cell": "Cells and containers",
    "nn.graph_cell": "Cells and containers",
    "nn.layer.container": "Cells and containers",
    "nn.layer.conv": "Convolution layers",
    "nn.layer._conv": "Convolution layers",
    "nn.layer.dense": "Linear and dropout layers",
    "nn.layer.basic": "Linear and dropout layers",
    "nn.layer._basic.dropout": "Linear and dropout layers",
    "nn.layer._basic.matrices": "Mathematical layers",
    "nn.layer._basic.wrappers": "Tools",
    "nn.layer.math": "Mathematical layers",
    "nn.layer.thor_layer": "Layers for thor",
    "nn.layer.timedistributed": "Training and evaluation cells",
    "nn.sparse": "Mathematical layers",
    "nn.layer.combined": "Linear and dropout layers",
    "nn.layer.embedding": "Embedding layers",
    "nn.layer.normalization": "Normalization layers",
    "nn.layer._batch_norm": "Normalization layers",
    "nn.layer.pooling": "Pooling layers",
    "nn.layer._pool": "Pooling layers",
    "nn.layer.padding": "Padding layers",
    "nn.layer.activation": "Activation layers",
    "nn.layer.rnns": "Recurrent layers",
    "nn.layer.rnn_cells": "Recurrent layers",
    "nn.layer.transformer": "Transformer layers",
    "nn.layer._attention.multi_head": "Transformer layers",
    "nn.layer.image": "Image layers",
    "nn.layer.channel_shuffle": "Image layers",
    "nn.loss": "Losses",
    "nn.optim": "Optimizers",
    "nn.dynamic_lr": "Learning rates",
    "nn.learning_rate_schedule": "Learning rates",
    "nn.wrap": "Training and evaluation cells",
    "nn.grad": "Training and evaluation cells",
    "nn.probability": "Probability",
    "train.metrics": "Metrics",
    "ops": "Other",
    "ops._activation": "Activations",
    "ops._attention": "Attention",
    "ops._communication": "Communication",
    "ops._conv": "Convolution",
    "ops._custom": "Custom operators",
    "ops._debug": "Debugging",
    "ops._elementwise": "Elementwise",
    "ops._embedding": "Embedding",
    "ops._image": "Images",
    "ops._indexing": "Indexing and in-place writes",
    "ops._legacy": "Names of older releases",
    "ops._linalg": "Linear algebra",
    "ops._loss": "Losses",
    "ops._moe": "Mixture of experts",
    "ops._normalization": "Normalization",
    "ops._optimizer": "Updates of optimizers",
    "ops._pooling": "Pooling",
    "ops._primitive_aliases": "Other",
    "ops._quantization": "Quantization",
    "ops._random": "Random numbers",
    "ops._recurrent": "Recurrence",
    "ops._reduction": "Reductions",
    "ops._shape": "Shapes and creation",
    "ops._signal": "Signal processing",
    "ops._sparse": "Sparse Tensors",
    "ops._transforms": "Gradients and function transforms",
    "ops._tensor_methods": "Shapes and creation",
    "ops.primitive": "Operator primitives",
    "common.mutable": "Operator primitives",
    "_core.gradients": "Gradients and function transforms",
    "communication": "Communication",
}
# The groups of primitives made from functions of several modules, by the start of their names.
PRIMITIVES = {
    "Assign": "Indexing and in-place writes",
    "Inplace": "Indexing and in-place writes",
    "Scatter": "Indexing and in-place writes",
    "TensorScatter": "Indexing and in-place writes",
    "Segment": "Reductions",
    "Rank": "Shapes and creation",
    "Shape": "Shapes and creation",
    "Size": "Shapes and creation",
}
# The titles of layers that are made from operators of a group.
LAYERS = {
    "Activations": "Activation layers",
    "Convolution": "Convolution layers",
    "Elementwise": "Activation layers",
    "Normalization": "Normalization layers",
    "Pooling": "Pooling layers",
}
MODULES = ("nn", "ops", "mint", "mint.nn", "mint.nn.functional")  # large enough for groups


def group_of(area, name, thing):
    """Returns the title of the group of a public name; "" in a module without groups."""
    if area not in MODULES:
        return ""
    declared = DECLARED.get(area, {}).get(name)
    path = declared[0].body.__module__ if declared else getattr(thing, "__module__", None) or area
    path = inspect.unwrap(thing).__module__ if inspect.isfunction(thing) and not declared else path
    if path == "mindspore_compat.ops":
        starts = (start for start in PRIMITIVES if name.startswith(start))
        return PRIMITIVES[start] if (start := next(starts, None)) else "Other"
    parts = path.removeprefix("mindspore_compat.").removeprefix("mint.").split(".")
    starts = [".".join(parts[:count]) for count in range(len(parts), 0, -1)]
    title = next((TITLES[start] for start in starts if start in TITLES), "Other")
    return LAYERS.get(title, title) if area in ("nn", "mint.nn") else title
