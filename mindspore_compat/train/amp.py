"""Mixed precision: decides which Cells and operations compute in float16 or bfloat16.

`auto_mixed_precision` changes a network; `build_train_network` builds a training step from it. A
Cell computes in another float type by `Cell.to_float`; this module decides which Cells do. Loss
scalers are in the module amp, managers of the loss scale in loss_scale_manager.py.
"""

import collections
import dataclasses
import functools
from types import FunctionType

from .. import nn, ops
from .._core.gradients.transforms import map_tensors
from .._core.rules.value_rules import Nothing
from .._core.rules.vocabulary import AsValue, Bool, CellOf, InstanceOf, OneOf, checked
from .._core.tensor import dtype as dtypes
from .._core.tensor.precision import precision
from .._core.tensor.tensor import Tensor
from .._core.without_effect import without_effect
from ..nn.cell import Cell
from ..nn.wrap import TrainOneStepCell, TrainOneStepWithLossScaleCell, WithLossCell
from ..ops._autocast import FULL, LOW, autocast
from ._amp_strategy import AmpLevel, pop_amp_strategy, push_amp_strategy
from .loss_scale_manager import DynamicLossScaleManager, LossScaleManager

__all__ = [
    "auto_mixed_precision",
    "build_train_network",
    "custom_mixed_precision",
    "get_white_list",
    "get_black_list",
]

LEVELS = ("O0", "O1", "O2", "O3", "auto")
CLASS_LISTS = {
    # Cells and Primitives that "O1" computes in low precision
    "AMP_WHITE_LIST": """Conv1d Conv2d Conv3d Conv1dTranspose Conv2dTranspose Conv3dTranspose Dense
        LSTMCell RNNCell GRUCell Conv2D Conv3D Conv2DTranspose Conv3DTranspose Conv2DBackpropInput
        MatMul BatchMatMul PReLU ReLU Ger""",
    # Cells that "O2" leaves in float32
    "AMP_BLACK_LIST": "BatchNorm1d BatchNorm2d BatchNorm3d LayerNorm",
    # Primitives that "auto" computes in low precision, and in float32
    "AMP_AUTO_WHITE_LIST": f"{LOW} Einsum",
    "AMP_AUTO_BLACK_LIST": f"{FULL} LayerNorm LayerNormExt BatchNorm BatchNormExt GroupNorm",
}
# Primitive -> the inputs that "auto" casts, if not all
AMP_PRIM_ARG_TABLE = collections.defaultdict(list)


def _class_list(name):
    """Returns the list of classes of this name, created at the first access; scripts may change
    it."""
    if name not in globals():
        primitives = (ops.operations, ops.auto_generate)
        modules = primitives if "AUTO" in name else (nn, *primitives)
        globals()[name] = [
            next(getattr(module, entry) for module in modules if hasattr(module, entry))
            for entry in CLASS_LISTS[name].split()
        ]
    return globals()[name]


def __getattr__(name):
    if name not in CLASS_LISTS:
        raise AttributeError(f"module '{__name__}' has no attribute '{name}'")
    return _class_list(name)


def get_white_list():
    """Returns the Cells and operations that "O1" computes in low precision, as a new list.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.nn.Conv2d in ms.amp.get_white_list()
        True

    Source: mindspore.amp.get_white_list of MindSpore 2.10.
    """
    return list(_class_list("AMP_WHITE_LIST"))


def get_black_list():
    """Returns the Cells that "O2" leaves in float32, as a new list.

    Example:
        >>> import mindspore_compat as ms
        >>> ms.nn.Conv2d in ms.amp.get_black_list()
        False

    Source: mindspore.amp.get_black_list of MindSpore 2.10.
    """
    return list(_class_list("AMP_BLACK_LIST"))


# Networks -----------------------------------------------------------------------------------------


class _Cast(Cell):
    """Wraps a Cell and casts its floating outputs; everything else is delegated to the Cell."""

    _wanted = None

    def __init__(self, backbone):
        super().__init__(auto_prefix=False)
        self._backbone = backbone

    def construct(self, *inputs, **kwargs):
        """Returns the output of the wrapped Cell, cast."""
        return _cast(self._backbone(*inputs, **kwargs), self._wanted)

    def __getattr__(self, name):
        if name.startswith("_"):
            return super().__getattr__(name)
        return getattr(self._backbone, name)


class _OutputTo32(_Cast):
    """Wraps a Cell whose outputs are cast to float32."""

    _wanted = dtypes.float32


class _OutputTo16(_Cast):
    """Wraps a Cell whose outputs are cast to a low precision."""

    def __init__(self, backbone, dtype=dtypes.float16):
        super().__init__(backbone)
        self._wanted = dtype


def _cast(value, dtype):
    """Casts every floating Tensor in nested tuples and lists."""
    return map_tensors(
        lambda tensor: ops.cast(tensor, dtype) if _is_float(tensor) else tensor, value
    )


def _is_float(tensor):
    return tensor.dtype.is_floating_point


class _LowPrecision:
    """Wraps an operation of a Cell: it computes in low precision and returns float32."""

    def __init__(self, primitive, dtype):
        self.primitive = primitive
        self.dtype = dtype

    def __call__(self, *args):
        args = [
            _cast(arg, self.dtype) if isinstance(arg, (Tensor, tuple, list)) else arg
            for arg in args
        ]
        with precision(dtypes.to_numpy(self.dtype)):
            return _cast(self.primitive(*args), dtypes.float32)

    def __getattr__(self, name):
        return getattr(self.primitive, name)


def _lower_classes(network, white_list, dtype):
    """Makes Cells and operations of the listed classes compute in `dtype` and return float32."""
    cells = tuple(cls for cls in white_list if issubclass(cls, Cell))
    operations = tuple(cls for cls in white_list if not issubclass(cls, Cell))
    for _, cell in network.cells_and_names():
        if type(cell) in cells:
            cell.to_float(dtype)
            cell.register_forward_hook(_to_float32)
        for name, value in list(cell.__dict__.items()):
            if operations and isinstance(value, operations):
                cell.__dict__[name] = _LowPrecision(value, dtype)
    return network


def _to_float32(cell, inputs, output):
    """Forward hook that casts the output to float32."""
    return _cast(output, dtypes.float32)


_to_float32.is_pure = True  # recorded steps contain what it computes


def _raise_classes(network, black_list, dtype):
    """Makes the network compute in `dtype`, except Cells of the listed classes, which use
    float32."""
    return _in_full_precision(network.to_float(dtype), lambda cell: type(cell) in black_list, dtype)


def _in_full_precision(network, classes, dtype):
    """Makes the inner Cells for which `classes` is true compute in float32 and return `dtype`.

    Those that have been changed before keep their wrapper.
    """
    for cell in [cell for _, cell in network.cells_and_names()]:
        for name, child in list(cell._cells.items()):
            if classes(child):
                child.to_float(dtypes.float32)
                if type(cell) is not _OutputTo16:
                    cell._cells[name] = _OutputTo16(child, dtype)
    return network


def _do_keep_batchnorm_fp32(network):
    """Makes normalization layers compute in float32 and return float16; for scripts that import
    it."""
    _in_full_precision(
        network, lambda cell: isinstance(cell, tuple(get_black_list())), dtypes.float16
    )


def _auto_black_list(network, black_list, dtype):
    """Leaves the Cells of `black_list` inside `network` in float32, with outputs of `dtype`.

    Returns:
        Cell, the network, which is changed.
    """
    return _in_full_precision(network, lambda cell: type(cell) in black_list, dtype)


def _auto_mixed_precision_rewrite(network, dtype, *, white_list=None, black_list=None):
    """Casts the classes of `white_list`, or all but those of `black_list`, to `dtype`.

    Returns:
        Cell, the network, which is changed; its outputs are float32.

    Raises:
        ValueError: if not exactly one list is given.
    """
    if (white_list is None) == (black_list is None):
        raise ValueError(
            "For '_auto_mixed_precision_rewrite', exactly one of 'white_list' and 'black_list' "
            "must be given."
        )
    if white_list is not None:
        return _lower_classes(network, white_list, dtype)
    return _OutputTo32(_raise_classes(network, black_list, dtype))


@dataclasses.dataclass
class AmpDecorator:
    """A context in which operations cast their inputs by a strategy.

    Args:
        amp_level (AmpLevel): the level; `create_amp_strategy` describes all arguments.
        amp_dtype (mindspore.dtype): the dtype of low precision.
        white_list (list[tuple[str, list[int]]]): what computes in low precision.
        black_list (list[tuple[str, list[int]]]): what computes in float32.
    """

    amp_level: AmpLevel
    amp_dtype: dtypes.Type
    white_list: list
    black_list: list

    def __enter__(self):
        push_amp_strategy(**vars(self))

    def __exit__(self, *error):
        pop_amp_strategy()


def _check_dtype(dtype):
    if dtype not in (dtypes.float16, dtypes.bfloat16):
        raise ValueError(
            f"'dtype' must be mindspore.float16 or mindspore.bfloat16, but got {dtype!r}."
        )


def auto_mixed_precision(network, amp_level="O0", dtype=dtypes.float16):
    """Applies automatic mixed precision to a network, at a level from "O0" to "O3" or "auto".

    Args:
        network (Union[Cell, function]): the network, which is changed; or, with "auto", a function.
        amp_level (str): "O0" changes nothing. "O1": Cells and operations of the white list compute
            in low precision and return float32. "O2": everything except the Cells of the black
            list. "O3": everything. "auto": decided per operation, see MindSpore's documentation
            for the lists.
        dtype (mindspore.dtype): float16 or bfloat16.

    Returns:
        Cell or, for a function, a function: the network, with float32 outputs at "O2" and "O3".

    Raises:
        TypeError: if `network` is not a Cell, or at "auto" neither a Cell nor a function.
        ValueError: if `amp_level` or `dtype` is another.

    Examples:
        >>> from mindspore_compat import amp, nn
        >>> net = amp.auto_mixed_precision(nn.Dense(2, 3), "O3")

    Source: mindspore.amp.auto_mixed_precision of MindSpore 2.10.
    """
    if amp_level not in LEVELS:
        raise ValueError(
            f"For 'auto_mixed_precision', 'amp_level' must be one of "
            f"{', '.join(LEVELS)}, but got {amp_level!r}."
        )
    kinds = (Cell, FunctionType) if amp_level == "auto" else (Cell,)
    InstanceOf(*kinds).called("a Cell (or a function, at level 'auto')").refuse(
        "auto_mixed_precision", "network", network
    )
    _check_dtype(dtype)
    if amp_level == "O0":
        return network
    if amp_level == "O1":
        return _lower_classes(network, get_white_list(), dtype)
    if amp_level == "auto":
        return _autocast(network, dtype)
    if amp_level == "O2":
        return _OutputTo32(_raise_classes(network, get_black_list(), dtype))
    return _OutputTo32(network.to_float(dtype))


def _autocast(network, dtype):
    """Wraps a network or function so that each operation runs in the precision of its list."""
    low_type = dtypes.to_numpy(dtype)
    inner = network.construct if isinstance(network, Cell) else network

    @functools.wraps(inner)
    def within(*args, **kwargs):
        with autocast(low_type):
            return inner(*args, **kwargs)

    if not isinstance(network, Cell):
        return within
    network.__dict__["construct"] = within
    for _, cell in network.cells_and_names():
        if type(cell) is nn.Dense and cell.has_bias:
            cell.register_forward_hook(_as_bias)
    return network


def _as_bias(cell, inputs, output):
    """Forward hook that casts the output to the dtype of the bias, as adding it promotes to the
    wider."""
    return ops.cast(output, cell.bias.dtype)


_as_bias.is_pure = True


@checked
def custom_mixed_precision(
    network: InstanceOf(Cell), *, white_list=None, black_list=None, dtype=dtypes.float16
):
    """Applies mixed precision to a network by a white list or a black list of classes.

    Args:
        network (Cell): the network, which is changed in place.
        white_list (list[Primitive, Cell]): the classes that compute in low precision.
        black_list (list[Cell]): the classes that stay in float32; all others use low precision.
        dtype (mindspore.dtype): float16 or bfloat16.

    Returns:
        Cell, the network.

    Raises:
        TypeError: if `network` is not a Cell, or a list is not a list of classes of that kind.
        ValueError: if not exactly one list is given, or `dtype` is another.

    Examples:
        >>> from mindspore_compat import amp, nn
        >>> net = nn.SequentialCell(nn.Dense(2, 3), nn.ReLU())
        >>> net = amp.custom_mixed_precision(net, white_list=[nn.Dense])

    Source: mindspore.amp.custom_mixed_precision of MindSpore 2.10.
    """
    if (white_list is None) == (black_list is None):
        raise ValueError(
            "For 'custom_mixed_precision', exactly one of 'white_list' and "
            "'black_list' must be given."
        )
    _check_dtype(dtype)
    if white_list is not None:
        _check_classes("white_list", white_list, (Cell, ops.Primitive))
        return _lower_classes(network, white_list, dtype)
    _check_classes("black_list", black_list, (Cell,))
    return _OutputTo32(_raise_classes(network, black_list, dtype))


def _check_classes(name, classes, kinds):
    InstanceOf(list).refuse("custom_mixed_precision", name, classes)
    for cls in classes:
        if not isinstance(cls, type) or not issubclass(cls, kinds):
            raise TypeError(
                f"For 'custom_mixed_precision', each element of '{name}' must be a "
                f"subclass of {' or '.join(kind.__name__ for kind in kinds)}, but got "
                f"{cls!r}."
            )


# Training steps -----------------------------------------------------------------------------------

_LEVEL_CONFIG = {  # level -> (float type of the network, batch norm in float32, loss scale manager)
    "O0": (dtypes.float32, False, None),
    "O1": (dtypes.float32, False, None),
    "O2": (dtypes.float16, True, DynamicLossScaleManager),
    "O3": (dtypes.float16, False, None),
    "auto": (dtypes.float32, False, None),
}
_config_level = {  # the same table, with the names and values that scripts read
    level: {
        "keep_batchnorm_fp32": keep,
        "cast_model_type": cast_type,
        "loss_scale_manager": manager and manager(),
    }
    for level, (cast_type, keep, manager) in _LEVEL_CONFIG.items()
}


@without_effect("amp.build_train_network(boost_level)")
@checked
def build_train_network(
    network: CellOf,
    optimizer: CellOf,
    loss_fn: CellOf | Nothing | None = None,
    level: OneOf(*LEVELS) = "O0",
    boost_level: AsValue(OneOf("O0", "O1", "O2")) = "O0",
    **kwargs,
):
    """Builds a training step of a network: mixed precision, loss, loss scale, optimizer.

    Args:
        network (Cell): the network, which is changed unless the level is "O0".
        optimizer (Cell): the optimizer that updates the parameters.
        loss_fn (Cell): the loss; None if `network` includes it.
        level (str): the level of mixed precision, see `auto_mixed_precision`. "O2" adds a
            DynamicLossScaleManager.
        boost_level (str): accepted, but without effect; it affects only the speed.
        **kwargs: `cast_model_type` (float16 or float32), `keep_batchnorm_fp32` (bool) and
            `loss_scale_manager` (LossScaleManager or None); they override the level's settings.

    Returns:
        Cell, a TrainOneStepCell or TrainOneStepWithLossScaleCell in training mode.

    Raises:
        TypeError: if an argument is of the wrong type.
        ValueError: if `kwargs` has another key, or a level is unknown.

    Examples:
        >>> from mindspore_compat import amp, nn
        >>> net = nn.Dense(2, 3)
        >>> optimizer = nn.SGD(net.trainable_params(), 0.1)
        >>> step = amp.build_train_network(net, optimizer, nn.MSELoss(), "O2")

    Source: mindspore.amp.build_train_network of MindSpore 2.10.
    """
    cast_type, keep_norms, manager = _level_settings(level, kwargs)
    is_float16 = cast_type == dtypes.float16
    if level in ("O1", "auto"):
        network = auto_mixed_precision(network, level)
    elif is_float16:
        network = _raise_classes(network, get_black_list() if keep_norms else [], dtypes.float16)
    if loss_fn is not None:
        network = _add_loss_network(
            network, loss_fn, dtypes.float16 if level == "auto" else cast_type
        )
    if manager is None:
        return TrainOneStepCell(network, optimizer).set_train()
    update_cell = manager.get_update_cell()
    if update_cell is None:
        return TrainOneStepCell(network, optimizer, manager.get_loss_scale()).set_train()
    return TrainOneStepWithLossScaleCell(network, optimizer, update_cell).set_train()


class _LossIn32(Cell):
    """Casts outputs and labels to float32 and computes a loss of them."""

    def __init__(self, loss_fn):
        super().__init__(auto_prefix=False)
        self._loss_fn = loss_fn

    def construct(self, *values):
        """Returns the loss."""
        return self._loss_fn(*_cast(values, dtypes.float32))


def _add_loss_network(network, loss_fn, cast_model_type):
    """Returns a network followed by its loss, which computes in float32 even if the network does
    not.

    Raises:
        TypeError: if `loss_fn` is not a Cell.
    """
    if not isinstance(loss_fn, Cell):
        raise TypeError(
            f"'loss_fn' must be a Cell, but got {loss_fn!r} of type {type(loss_fn).__name__}."
        )
    is_low_precision = cast_model_type in (dtypes.float16, dtypes.bfloat16)
    return WithLossCell(network, _LossIn32(loss_fn) if is_low_precision else loss_fn)


def _level_settings(level, kwargs):
    """Returns (float type, batch norm in float32, loss scale manager) of a level, changed by
    `kwargs`."""
    unknown = set(kwargs) - {"cast_model_type", "keep_batchnorm_fp32", "loss_scale_manager"}
    if unknown:
        raise ValueError(
            "For 'build_train_network', the keywords must be among "
            "'cast_model_type', 'keep_batchnorm_fp32' and 'loss_scale_manager', but "
            f"got {', '.join(map(repr, sorted(unknown)))}."
        )
    cast_type, keep_norms, manager = _LEVEL_CONFIG[level]
    cast_type = kwargs.get("cast_model_type", cast_type)
    if cast_type not in (dtypes.float16, dtypes.float32):
        raise TypeError(
            "For 'build_train_network', 'cast_model_type' must be mindspore.float16 or "
            f"mindspore.float32, but got {cast_type!r}."
        )
    keep_norms = kwargs.get("keep_batchnorm_fp32", keep_norms)
    Bool.refuse("build_train_network", "keep_batchnorm_fp32", keep_norms)
    if "loss_scale_manager" in kwargs:
        manager = kwargs["loss_scale_manager"]
        (InstanceOf(LossScaleManager) | None).refuse(
            "build_train_network", "loss_scale_manager", manager
        )
    elif manager is not None:
        manager = manager()
    return cast_type, keep_norms, manager
