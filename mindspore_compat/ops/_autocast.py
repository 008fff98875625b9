"""Mixed precision by operation: while `autocast` runs, operations of three lists cast their inputs.

Worked example. Within `autocast(float16)`, `ops.matmul(x, w)` computes in float16, `ops.exp(y)` in
float32 for any dtype of `y`, `ops.addcmul(a, b, c)` in the widest float dtype among its
inputs, and `x + y` in the dtype of its inputs, as usual.

The listed operations are marked where they are declared (`Op.divert`). Only their call paths check
whether a context is active.
"""

import contextlib
import functools
import re

import numpy as np

from .._core.declare.op import DECLARED, Op
from .._core.gradients.custom import surroundings
from .._core.gradients.transforms import map_tensors
from .._core.tensor.precision import casting
from .._core.tensor.precision import state as precision
from . import _declarations  # noqa: F401 - the operations must be there to be marked
from ._elementwise.cast import cast
from ._linalg.matmul import einsum_of
from ._normalization.batch_norm import batch_rescale, batch_standardize
from ._normalization.group_norm import group_standardize
from ._normalization.layer_norm import row_standardize

LOW = """Conv2D Conv2DExt Conv3D Conv3DExt Conv2DTranspose ConvTranspose2D Conv3DTranspose
    Convolution MatMul MatMulExt BatchMatMul BatchMatMulExt PReLU Dense Addmm Addbmm Addmv
    Baddbmm Mv"""
FULL = """Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan
    Softplus SoftplusExt KLDivLoss SmoothL1Loss MultilabelMarginLoss SoftMarginLoss
    TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax
    LogSoftmax LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt Norm L1LossExt MSELossExt
    NLLLoss NLLLoss2d"""
NORMS = (row_standardize, group_standardize, batch_standardize, batch_rescale)  # float32, too
WIDEST = "Addcdiv Addcmul Cross Dot GridSampler2D GridSampler3D BiasAdd AddN Concat"
BIASED = ("conv1d", "conv2d", "conv3d")  # followed by BiasAdd, which is in WIDEST
OTHER_NAMES = {  # MindSpore's name in its lists: the names here, where they differ
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
    "BatchMatMul": "bmm",
    "ConvTranspose2D": "conv_transpose2d",
    "Convolution": "conv1d conv2d conv3d conv_transpose2d",
    "Conv2DTranspose": "conv_transpose2d",
    "Conv3DTranspose": "conv_transpose3d",
    "GridSampler2D": "grid_sample",
    "KLDivLoss": "kl_div",
    "L1LossExt": "l1_loss_ext",
    "MSELossExt": "mse_loss_ext",
    "MultiMarginLoss": "multi_margin_loss",
    "MultilabelMarginLoss": "multilabel_margin_loss",
    "NLLLoss": "nll_loss cross_entropy",
    "NLLLoss2d": "nll_loss_ext",
    "SmoothL1Loss": "smooth_l1_loss",
    "SoftMarginLoss": "soft_margin_loss",
    "TripletMarginLoss": "triplet_margin_loss",
}
NOT_MEANT = {("ops", "norm")}  # MindSpore composes it of other operations
AREAS = ("ops", "mint", "mint.nn.functional")
FLOAT32 = np.dtype(np.float32)


class autocast:
    """A context in which operations cast their inputs.

    Args:
        dtype: the NumPy dtype of low precision.
        strategy (Strategy): which operations cast, and to what; None for the lists of this module.
    """

    def __init__(self, dtype, strategy=None):
        self.dtype = dtype
        self.strategy = strategy

    def __enter__(self):
        self.outer = precision.low, precision.strategy
        precision.low, precision.strategy = self.dtype, self.strategy
        with casting.lock:
            casting.active += 1
        return self

    def __exit__(self, *error):
        precision.low, precision.strategy = self.outer
        with casting.lock:
            casting.active -= 1


def _current():
    """Returns a context that restores the present autocast settings, for a gradient that is
    computed later."""
    if precision.low is None:
        return contextlib.nullcontext()
    return autocast(precision.low, precision.strategy)


surroundings.append(_current)


class Strategy:
    """Which operations cast their inputs, by two lists of names and a level.

    Args:
        level (str): "O1" casts the operations of `white` to low precision; "auto" also casts
            `black` to float32, and some to the widest dtype of their inputs; "O2" casts `black` to
            float32 and all others to low precision; "O3" casts all to low precision; "O0" casts
            none.
        dtype: the NumPy dtype of low precision.
        white (list[tuple[str, list[int]]]): names of Primitives, each with the positions of the
            inputs that it casts; an empty list of positions means all inputs.
        black (list[tuple[str, list[int]]]): the same.
    """

    def __init__(self, level, dtype, white, black):
        self.level = level
        self.dtype = dtype
        self.white = {op: positions for name, positions in white for op in _ops(name)}
        self.black = {op: positions for name, positions in black for op in _ops(name)}
        _mark({*self.white, *self.black})

    def choice(self, op, choose, arguments):
        """Returns (dtype, positions): `op` casts the inputs at `positions` to `dtype`.

        No positions mean all inputs; None as dtype means no cast. `choose` is the rule that the
        lists of this module prescribe for the operation.
        """
        if self.level == "O3":
            return self.dtype, ()
        if op in self.black and self.level in ("O2", "auto"):
            return FLOAT32, self.black[op]
        if op in self.white and self.level in ("O1", "auto"):
            return self.dtype, self.white[op]
        if self.level == "O2":
            return self.dtype, ()
        return (
            (_widest(arguments), ()) if self.level == "auto" and choose is _widest else (None, ())
        )


# The dtypes of operations -------------------------------------------------------------------------


def _low(tensors):
    return precision.low


def _full(tensors):
    return FLOAT32 if any(dtype.itemsize < 4 for dtype in _floats(tensors)) else None


def _widest(tensors):
    floats = _floats(tensors)
    return max(floats, key=lambda dtype: dtype.itemsize) if len(set(floats)) > 1 else None


def _floats(tensors):
    """Returns the float dtypes of the Tensors among the arguments."""
    floats = []

    def note(tensor):
        if tensor.dtype.is_floating_point:
            floats.append(tensor._array.dtype)
        return tensor

    map_tensors(note, tensors)
    return floats


def _cast(tensor, dtype):
    if tensor.dtype.is_floating_point and tensor._array.dtype != dtype:
        return cast.run(tensor, dtype)
    return tensor


# The lists ----------------------------------------------------------------------------------------


def _ops(name):
    """Returns the operations that a name in MindSpore's lists stands for."""
    plain = name.removesuffix("Ext")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    others = OTHER_NAMES.get(name, "").split()
    for candidate in dict.fromkeys((name, plain, snake, plain.lower(), *others)):
        for area in AREAS:
            if candidate in DECLARED.get(area, {}) and (area, candidate) not in NOT_MEANT:
                yield DECLARED[area][candidate][0]


def _policy():
    """Returns a dict from each listed operation to the function that chooses its dtype; an
    operation in several lists follows the first."""
    result = {op_name: _full for op_name in NORMS}
    result[einsum_of] = _low
    for names, choose in ((LOW, _low), (FULL, _full), (WIDEST, _widest)):
        for name in names.split():
            for op_name in _ops(name):
                result.setdefault(op_name, choose)
    return result


def _casting(op, choose, biased):
    """Returns a call path that casts the operation's inputs while `autocast` is active in this
    thread."""
    plain = functools.partial(Op.general, op)

    def general(*args, **kwargs):
        if precision.low is None:
            return plain(*args, **kwargs)
        positions, strategy = (), precision.strategy
        if strategy is None:
            target = choose and choose((args, kwargs))
        else:
            target, positions = strategy.choice(op, choose, (args, kwargs))
        if target is None:
            return _as_bias(plain(*args, **kwargs), args, kwargs)
        arguments = [
            map_tensors(lambda tensor: _cast(tensor, target), value)
            if not positions or index in positions
            else value
            for index, value in enumerate(args)
        ]
        names = kwargs if positions else map_tensors(lambda tensor: _cast(tensor, target), kwargs)
        return _as_bias(plain(*arguments, **names), args, kwargs)

    def _as_bias(out, args, kwargs):
        is_cast = precision.strategy is None or precision.strategy.level == "auto"
        return _in_dtype_of_bias(out, args, kwargs) if biased and is_cast else out

    return general


def cast_everywhere():
    """Marks the operations that are in no list, too: levels "O2" and "O3" cast all of them."""
    _mark({op for names in DECLARED.values() for op, _ in names.values()})


def _mark(ops):
    """Makes operations cast their inputs while `autocast` is active, by its lists and
    strategies."""
    for op in ops:
        if not op.diverted and op is not cast:
            op.divert(_casting(op, None, False))


def _in_dtype_of_bias(out, args, kwargs):
    """Casts the result to the dtype of the third argument, the bias, if there is one."""
    bias = args[2] if len(args) > 2 else kwargs.get("bias")
    return out if bias is None else _cast(out, bias._array.dtype)


_biased = {DECLARED["ops"][name][0] for name in BIASED}
for _op, _choose in _policy().items():
    _op.divert(_casting(_op, _choose, _op in _biased))
