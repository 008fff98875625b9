"""Hints for names that exist in other libraries but not in MindSpore: a sentence each, by owner.

A hint ends the message of the AttributeError. For Tensors and keywords only the traceback of a
script shows it, because a `__getattr__` would make every attribute slower.
"""

_NO_DEVICE = (
    "Tensors lie on the device of mindspore.set_device; "
    "Tensor.to('CPU') and Tensor.to('GPU') copy one"
)
_GRADIENTS = "mindspore.grad and mindspore.value_and_grad return gradients"
_NO_HISTORY = "mindspore.ops.stop_gradient gives the values without their history"
_NO_RECORDING = (
    "nothing is recorded outside of mindspore.grad and mindspore.value_and_grad, "
    "so there is nothing to switch off"
)
_DTYPES = (
    "Cell.to_float(mindspore.float16) sets the dtype of its arithmetic, "
    "mindspore.amp.auto_mixed_precision that of a whole network"
)
_MODES = "Cell.set_train() and Cell.set_train(False) switch between training and evaluation"

NAMES = {
    "": {
        "no_grad": _NO_RECORDING,
        "cuda": "mindspore.set_device('GPU') chooses the device, mindspore.hal describes it",
        "optim": "the optimizers are in mindspore.nn and mindspore.mint.optim",
        "device": "mindspore.set_device chooses the device",
        "array": "mindspore.Tensor and mindspore.numpy.array make Tensors",
        "autograd": "gradients are those of functions: mindspore.grad and mindspore.value_and_grad",
        "compile": "mindspore.jit compiles a function or the 'construct' of a Cell",
        "save": "mindspore.save_checkpoint writes the parameters of a Cell",
        "inference_mode": _NO_RECORDING,
        "set_grad_enabled": _NO_RECORDING,
    },
    "nn": {
        "Module": "networks derive from mindspore.nn.Cell, with 'construct' instead of 'forward'",
        "functional": "functions are in mindspore.ops and mindspore.mint.nn.functional",
        "init": "initializers are in mindspore.common.initializer",
        "Sequential": "mindspore.nn.SequentialCell runs cells in order",
        "ModuleList": "mindspore.nn.CellList holds cells",
        "ModuleDict": "mindspore.nn.CellDict holds cells",
    },
    "ops": {"no_grad": _NO_RECORDING},
    "dataset": {
        "DataLoader": "mindspore.dataset.GeneratorDataset reads a Python object, and its methods "
        "'shuffle' and 'batch' do the rest",
        "TensorDataset": "mindspore.dataset.NumpySlicesDataset reads arrays",
    },
    "Tensor": {
        "cuda": _NO_DEVICE,
        "cpu": _NO_DEVICE,
        "is_cuda": _NO_DEVICE,
        "get_device": _NO_DEVICE,
        "retain_grad": _GRADIENTS,
        "backward": "gradients are those of functions: mindspore.value_and_grad(function, None, "
        "weights) returns them with the value",
        "grad": _GRADIENTS,
        "grad_fn": _GRADIENTS,
        "detach": _NO_HISTORY,
        "detach_": _NO_HISTORY,
    },
    "Cell": {
        "cuda": _NO_DEVICE,
        "cpu": _NO_DEVICE,
        "eval": _MODES,
        "train": _MODES,
        "parameters": "Cell.trainable_params() and Cell.get_parameters() give the parameters",
        "named_parameters": "Cell.parameters_and_names() gives names with parameters",
        "modules": "Cell.cells_and_names() gives all cells below",
        "named_modules": "Cell.cells_and_names() gives all cells below",
        "children": "Cell.cells() gives the cells directly below",
        "named_children": "Cell.name_cells() gives the cells directly below, by name",
        "add_module": "Cell.insert_child_to_cell(name, cell) adds a cell",
        "register_module": "Cell.insert_child_to_cell(name, cell) adds a cell",
        "register_parameter": "Cell.insert_param_to_cell(name, parameter) adds a parameter",
        "half": _DTYPES,
        "bfloat16": _DTYPES,
        "float": _DTYPES,
        "double": _DTYPES,
        "zero_grad": "gradients are returned, not gathered: there is nothing to set to zero",
        "forward": "the computation of a Cell is its method 'construct'",
        "step": "an optimizer is called with the gradients: optimizer(gradients)",
    },
}
# Keyword arguments of other libraries, and the equivalent parameters here.
KEYWORDS = {
    "lr": ("learning_rate",),
    "dim": ("axis",),
    "axis": ("dim",),
    "bias": ("has_bias",),
    "has_bias": ("bias",),
    "keepdim": ("keep_dims", "keepdims"),
    "keep_dims": ("keepdim",),
    "keepdims": ("keepdim", "keep_dims"),
    "betas": ("beta1",),
    "epochs": ("epoch",),
    "p": ("keep_prob",),
    "groups": ("group",),
    "padding_mode": ("pad_mode",),
    "in_features": ("in_channels",),
    "out_features": ("out_channels",),
}


def with_hint(message, owner, name):
    """Appends to `message` the hint for a name of an owner ("", "nn", "Tensor", "Cell"), if any."""
    hint = NAMES.get(owner, {}).get(name)
    return f"{message}; {hint}." if hint else message


def no_attribute(kind, name, is_made):
    """Returns the message for an attribute that a Cell lacks.

    Args:
        kind (str): the class of the Cell.
        name (str): the attribute.
        is_made (bool): whether `Cell.__init__` has run. If not, the message for a private attribute
            asks to call it.
    """
    if name.startswith("_") and not is_made:
        return f"For '{kind}', '__init__' must call 'super().__init__()'."
    return with_hint(f"The '{kind}' object has no attribute '{name}'", "Cell", name)
