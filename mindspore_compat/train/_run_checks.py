"""Checks of the arguments, datasets and outputs of a Model.

The ranges of plain arguments are checked by rules in the signatures of `model.py`.
"""

from .._core.rules.vocabulary import AsValue, Bool, InstanceOf, Str
from .._core.tensor.tensor import Tensor
from .loss_scale_manager import LossScaleManager

_Predicted = (InstanceOf(Tensor, int, float, str) | None).called(
    "Tensors, numbers, strs, None, or lists, tuples or dicts of them"
)

_LEVELS = ("O0", "O1", "O2", "O3", "auto")
_BOOST_LEVELS = ("O0", "O1", "O2")
_KEYWORDS = ("loss_scale_manager", "keep_batchnorm_fp32", "boost_config_dict", "acc_level")
_OLD_HOOKS = {"begin", "epoch_begin", "epoch_end", "step_begin", "step_end", "end"}


def check_levels(optimizer, amp_level, boost_level):
    """Raises ValueError for an unknown `amp_level` or `boost_level`, and for mixed precision
    without an optimizer."""
    Str.refuse("Model", "amp_level", amp_level)
    for name, level, levels in (
        ("amp_level", amp_level, _LEVELS),
        ("boost_level", boost_level, _BOOST_LEVELS),
    ):
        if level not in levels:
            raise ValueError(
                f"For 'Model', '{name}' must be one of "
                f"{', '.join(map(repr, levels))}, but got {level!r}."
            )
    if amp_level != "O0" and optimizer is None:
        raise ValueError(
            f"For 'Model', 'amp_level' must be 'O0' without an optimizer, but got {amp_level!r}."
        )


def check_optimizer(optimizer):
    """Rejects a Cell that neither is nor wraps an optimizer."""
    if optimizer is not None and not hasattr(optimizer, "parameters"):
        raise TypeError(
            f"For 'Model', 'optimizer' must be an Optimizer or None, but got "
            f"{optimizer!r} of type {type(optimizer).__name__}."
        )


def check_kwargs(optimizer, kwargs):
    """Rejects unknown keywords of Model, and values of the wrong type."""
    for name in kwargs:
        if name not in _KEYWORDS:
            raise ValueError(
                f"For 'Model', the keywords must be among "
                f"{', '.join(map(repr, _KEYWORDS))}, but got {name!r}."
            )
    keep = kwargs.get("keep_batchnorm_fp32")
    (Bool | None).refuse("Model", "keep_batchnorm_fp32", keep)
    manager = kwargs.get("loss_scale_manager")
    if manager is None:
        return
    InstanceOf(LossScaleManager).called("a LossScaleManager or None").refuse(
        "Model", "loss_scale_manager", manager
    )
    if optimizer is None:
        raise ValueError("For 'Model', 'loss_scale_manager' needs an 'optimizer', but got None.")


def check_callbacks_of_fit(callbacks):
    """Rejects user-defined callbacks that define the older hooks."""
    package = __name__.partition(".")[0] + "."
    for callback in callbacks:
        cls = type(callback)
        old = sorted(_OLD_HOOKS & vars(cls).keys())
        if old and not cls.__module__.startswith(package):
            raise ValueError(
                f"For 'Model.fit', callbacks must define hooks that begin with "
                f"'on_train' or 'on_eval', but {cls.__name__} defines "
                f"{', '.join(old)}."
            )


def check_dataset_size(dataset, sink_size=-1):
    """Returns the number of steps of an epoch.

    Raises:
        ValueError: if the dataset is empty.
    """
    size = dataset.get_dataset_size()
    if size == 0:
        raise ValueError("For 'Model', the dataset must have at least one batch, but got 0.")
    return sink_size if sink_size > 0 else size


def check_two_columns(inputs):
    """Rejects batches that are not a pair of input and label, which a loss needs."""
    if len(inputs) != 2:
        raise ValueError(
            f"For 'Model', with a 'loss_fn' the dataset must give two columns, but "
            f"got {len(inputs)}."
        )


def _transfer_tensor_to_tuple(inputs):
    """Wraps a Tensor in a tuple; returns anything else unchanged."""
    return (inputs,) if isinstance(inputs, Tensor) else inputs


def check_outputs(outputs, least=0):
    """Returns the outputs of the evaluation network as a tuple.

    Raises:
        ValueError: if they are neither a Tensor nor a tuple, or fewer than `least`.
    """
    outputs = _transfer_tensor_to_tuple(outputs)
    AsValue(InstanceOf(tuple)).called("a Tensor or a tuple").refuse_part(
        "Model.eval", "the outputs of 'eval_network'", outputs
    )
    if len(outputs) < least:
        raise ValueError(
            f"For 'Model.eval', the outputs of 'eval_network' must be at least "
            f"{least} with 'eval_indexes', but got {len(outputs)}."
        )
    return outputs


def check_predict_data(values):
    """Rejects anything but Tensors, None, numbers, texts, and lists, tuples and dicts of them."""
    for value in values:
        if isinstance(value, (list, tuple)):
            check_predict_data(value)
        elif isinstance(value, dict):
            check_predict_data(value.values())
        else:
            _Predicted.refuse_part("Model.predict", "inputs", value)
