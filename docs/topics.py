"""The topics of a public name, for the search of the pages and the general index: the terms in the
first sentence of its docstring, and the terms of other libraries for it.

    2-D convolution of an image.           2-D convolution
    Batch normalization over channels.     Batch normalization

A page of text lists its terms itself, in an `index` directive.
"""

import inspect
import re

_END = re.compile(
    r"[.:;,()=`]|\b(?:of|over|with|that|which|for|by|from|in|on|to|where|whose|and|or|as|at|layer|"
    r"layers|optimizer|operator|element|along|between|per|into)\b"
)
_START = re.compile(
    r"^(?:Appl(?:ies|y)|Computes?|Returns?|Performs?|Creates?|Calculates?|Does|Makes)?\s*"
    r"(?:an?\b|the\b|one\b)?\s*",
    re.I,
)


_NO_TOPIC = {
    "function",
    "tensor",
    "tensors",
    "element",
    "elements",
    "value",
    "values",
    "number",
    "class",
    "form",
}


def topic_of(thing):
    """Returns the topic of a class or function: at most four words, or "" if its docstring names
    none, as that of `set_seed`, which starts with another verb."""
    if not callable(thing):
        return ""
    sentence = inspect.cleandoc(thing.__doc__ or "").partition("\n\n")[0].replace("\n", " ")
    rest = _START.sub("", sentence)
    words = _END.split(rest)[0].split()
    if not 1 <= len(words) <= 4 or words[-1].lower() in _NO_TOPIC:
        return ""
    is_verb = rest == sentence and re.fullmatch(r"[A-Z]\w*[^su]s", words[0])
    return "" if is_verb else " ".join(words)


# The terms that users of other libraries look for, if the first sentence has another one.
USUAL_TERMS = {
    "COOTensor": "sparse tensor",
    "CSRTensor": "sparse tensor",
    "Model": "training loop, trainer, fit",
    "Parameter": "weight, trainable parameter",
    "Tensor": "tensor, array",
    "amp.DynamicLossScaler": "gradient scaler, GradScaler",
    "amp.auto_mixed_precision": "mixed precision, AMP, half precision, autocast",
    "common.initializer.HeNormal": "He initialization, Kaiming initialization, Kaiming normal",
    "common.initializer.HeUniform": "He initialization, Kaiming initialization, Kaiming uniform",
    "common.initializer.XavierNormal": "Xavier initialization, Glorot initialization",
    "common.initializer.XavierUniform": "Xavier initialization, Glorot initialization",
    "common.initializer.initializer": "weight initialization",
    "communication.comm_func.all_reduce": "all reduce, collective communication",
    "dataset": "data loading, data pipeline",
    "dataset.Dataset": "batch, shuffle, iterate",
    "dataset.DistributedSampler": "sharding",
    "dataset.GeneratorDataset": "data loader, DataLoader, custom dataset",
    "dataset.ImageFolderDataset": "ImageNet, image folder",
    "dataset.transforms.Compose": "transforms",
    "dataset.vision": "data augmentation, image augmentation, image transforms",
    "dataset.vision.HorizontalFlip": "flip",
    "dataset.vision.Normalize": "normalize",
    "dataset.vision.RandAugment": "data augmentation",
    "dataset.vision.RandomColorAdjust": "color jitter, brightness and contrast",
    "dataset.vision.Resize": "resize",
    "dataset.vision.ToTensor": "to tensor",
    "export": "ONNX, export a model",
    "grad": "gradient, autograd, automatic differentiation, backward, backpropagation",
    "jacfwd": "Jacobian, Hessian",
    "jacrev": "Jacobian, Hessian",
    "jit": "graph mode, compile",
    "load_checkpoint": "checkpoint, load a model",
    "load_param_into_net": "checkpoint, load weights, state dict",
    "manual_seed": "random seed",
    "nn.AdamWeightDecay": "AdamW, weight decay",
    "nn.AdaptiveAvgPool2d": "adaptive pooling, global average pooling",
    "nn.AvgPool2d": "pooling, average pooling",
    "nn.BCEWithLogitsLoss": "binary cross entropy with logits",
    "nn.Cell": "module, network, layer, hook",
    "nn.CellList": "module list, list of layers",
    "nn.Conv2d": "convolution, dilated convolution, depthwise convolution, grouped convolution",
    "nn.Conv2dTranspose": "transposed convolution, deconvolution",
    "nn.CosineDecayLR": "cosine annealing, learning rate schedule",
    "nn.CrossEntropyLoss": "label smoothing, negative log likelihood, classification loss",
    "nn.Dense": "linear layer, fully connected, linear",
    "nn.Embedding": "word embedding, lookup table",
    "nn.L1Loss": "mean absolute error, MAE",
    "nn.MSELoss": "MSE, mean squared error, L2 loss",
    "nn.MaxPool2d": "pooling, max pooling",
    "nn.MultiheadAttention": "attention, self-attention, multi-head attention",
    "nn.Optimizer": "optimizer, weight decay, parameter groups",
    "nn.SequentialCell": "sequential, sequence of layers",
    "nn.TrainOneStepCell": "training step",
    "nn.Transformer": "encoder-decoder",
    "nn.WarmUpLR": "learning rate warm-up, warmup",
    "nn.piecewise_constant_lr": "step decay, learning rate steps",
    "ops.bmm": "batch matrix multiplication, batched matmul",
    "ops.broadcast_to": "broadcast, expand",
    "ops.cat": "concatenate, concatenation",
    "ops.clip_by_global_norm": "gradient clipping, clip gradients",
    "ops.clip_by_value": "gradient clipping, clip",
    "ops.cumsum": "cumulative sum",
    "ops.eye": "identity matrix",
    "ops.flash_attention_score": "flash attention, scaled dot product attention",
    "ops.interpolate": "upsample, downsample, resize a tensor",
    "ops.inverse": "matrix inverse",
    "ops.masked_fill": "mask",
    "ops.matmul": "matrix multiplication, dot product",
    "ops.multinomial": "sample from a distribution, categorical",
    "ops.permute": "permute dimensions, transpose",
    "ops.randn": "random normal, Gaussian noise",
    "ops.stop_gradient": "no grad, detach, freeze",
    "ops.svd": "singular value decomposition, SVD",
    "ops.tril": "triangular matrix, triangular, causal mask",
    "ops.where": "condition",
    "recompute": "gradient checkpointing, activation checkpointing",
    "save_checkpoint": "checkpoint, save a model, state dict",
    "set_context": "graph mode, device, eager mode",
    "set_seed": "random seed, reproducibility, seed",
    "train.Callback": "callback, hook of the training",
    "train.EarlyStopping": "early stopping",
    "train.ModelCheckpoint": "checkpoint, save a checkpoint",
    "train.Precision": "precision and recall, precision recall",
    "train.Recall": "precision and recall, precision recall",
    "train.SummaryCollector": "TensorBoard, logging",
    "value_and_grad": "gradient, autograd, backward",
    "vmap": "vectorize, batching of a function",
}


def index_of(path, thing):
    """Returns the directive that indexes a public name or module; "" if it has no topic."""
    usual = [term.strip() for term in USUAL_TERMS.get(path, "").split(",")]
    terms = [term for term in dict.fromkeys([topic_of(thing), *usual]) if term]
    entries = "".join(f"\n   ! single: {term}" for term in terms)
    return f".. index::{entries}\n\n" if terms else ""
