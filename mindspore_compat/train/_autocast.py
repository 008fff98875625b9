"""Mixed precision by operation: while `autocast` runs, operations of three lists cast their inputs.

Worked example. Within `autocast(float16)`, `ops.matmul(x, w)` computes in float16, `ops.exp(y)` in
float32 whatever `y` is, `ops.addcmul(a, b, c)` in the widest float among its inputs, and `x + y` in
what its inputs are.

An operation's call path is a function that others have taken hold of, so a detour is put into that
very function: its code is replaced, once, when `autocast` is first used. Operations on lists of
Tensors share one such function, `Op.general`. Programs that never use it never pay for it.
"""

import contextlib
import re
import types

import numpy as np

from .._core.autograd.custom import surroundings
from .._core.autograd.transforms import map_tensors
from .._core.declare.op import DECLARED, Op
from .._core.declare.public_api import PUBLIC
from .._core.declare.source import compiled
from .._core.tensor.precision import state as precision
from ..ops._normalization.batch_norm import batch_rescale, batch_standardize
from ..ops._normalization.layer_norm import group_standardize, row_standardize

LOW = """Conv2D Conv2DExt Conv3D Conv3DExt Conv2DTranspose ConvTranspose2D Conv3DTranspose
    Convolution MatMul MatMulExt BatchMatMul BatchMatMulExt PReLU Einsum Dense Addmm Addbmm Addmv
    Baddbmm Mv"""
FULL = """Pow ACos Asin Cosh Erfinv Exp Expm1 Log Log10 Log1p Log2 Reciprocal Rsqrt Sinh Tan
    Softplus SoftplusExt KLDivLoss SmoothL1Loss MultilabelMarginLoss SoftMarginLoss
    TripletMarginLoss MultiMarginLoss BCEWithLogitsLoss Pdist Cdist Renorm ReduceProd Softmax
    LogSoftmax LogSoftmaxExt CumProd CumSum CumsumExt ProdExt SumExt Norm L1LossExt MSELossExt
    NLLLoss NLLLoss2d"""
NORMS = (row_standardize, group_standardize, batch_standardize, batch_rescale)  # full, too
WIDEST = "Addcdiv Addcmul Cross Dot GridSampler2D GridSampler3D BiasAdd AddN Concat"
BIASED = ("conv1d", "conv2d", "conv3d")  # BiasAdd, which is among the WIDEST, comes behind them
OTHER_NAMES = {  # where an operation's own name, in capitals or small letters, is not the one here
    "BCEWithLogitsLoss": "binary_cross_entropy_with_logits", "BatchMatMul": "bmm",
    "ConvTranspose2D": "conv_transpose2d",
    "Convolution": "conv1d conv2d conv3d conv_transpose2d", "Conv2DTranspose": "conv_transpose2d",
    "Conv3DTranspose": "conv_transpose3d", "GridSampler2D": "grid_sample", "KLDivLoss": "kl_div",
    "L1LossExt": "l1_loss_ext", "MSELossExt": "mse_loss_ext",
    "MultiMarginLoss": "multi_margin_loss",
    "MultilabelMarginLoss": "multilabel_margin_loss", "NLLLoss": "nll_loss cross_entropy",
    "NLLLoss2d": "nll_loss_ext", "SmoothL1Loss": "smooth_l1_loss",
    "SoftMarginLoss": "soft_margin_loss", "TripletMarginLoss": "triplet_margin_loss",
}
NOT_MEANT = {("ops", "norm")}  # composed of others in the original
AREAS = ("ops", "mint", "mint.nn.functional")
FLOAT32 = np.dtype(np.float32)


class _State:
    """The NumPy dtype of low precision in force, or None."""

    dtype = None
    installed = False


_state = _State()


class autocast:
    """A context in which the operations listed cast their inputs.

    Args:
        dtype: the NumPy dtype of low precision.
    """

    def __init__(self, dtype):
        self.dtype = dtype

    def __enter__(self):
        _install()
        self.outer = _state.dtype, precision.listed
        _state.dtype, precision.listed = self.dtype, True
        return self

    def __exit__(self, *error):
        _state.dtype, precision.listed = self.outer


surroundings.append(lambda: autocast(_state.dtype) if _state.dtype else contextlib.nullcontext())


def _install():
    if not _state.installed:
        _state.installed = True
        done = {}
        for norm in NORMS:
            done[norm.run] = _full
        for names, choose in ((LOW, _low), (FULL, _full), (WIDEST, _widest)):
            for name in names.split():
                for path in _call_paths(name):
                    done.setdefault(path, choose)
        lists = {}
        biased = {DECLARED["ops"][name][0].run for name in BIASED}
        for number, (path, choose) in enumerate(done.items()):
            if isinstance(path, types.MethodType):
                lists[path.__self__] = choose
            else:
                _detour(path, choose, f"_{number}", path in biased)
        _detour_lists(lists)


def _call_paths(name):
    """The functions that compute what a name of the original's lists stands for."""
    plain = name.removesuffix("Ext")
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", plain).lower()
    others = OTHER_NAMES.get(name, "").split()
    for candidate in dict.fromkeys((name, plain, snake, plain.lower(), *others)):
        for area in AREAS:
            found = None
            if (area, candidate) in NOT_MEANT:
                continue
            if candidate in DECLARED.get(area, {}):
                found = DECLARED[area][candidate][0].run
            elif candidate in PUBLIC.get(area, {}):
                written = PUBLIC[area][candidate]
                found = getattr(written, "__wrapped__", written)  # behind its checks
            if isinstance(found, types.MethodType) or (
                    isinstance(found, types.FunctionType) and found.__closure__ is None):
                yield found


def _brought(choose, args, kwargs):
    """The arguments in the dtype that is chosen for them."""
    given = (args, kwargs)
    wanted = choose(given)
    return given if wanted is None else map_tensors(lambda tensor: _cast(tensor, wanted), given)


def _detour(path, choose, mark, biased=False):
    """Puts a look at the inputs in front of a call path; with `biased` one at the bias behind."""
    lines = ["def detour(*args, **kwargs):",
             "    if autocast_.dtype is None:",
             f"        return plain{mark}(*args, **kwargs)",
             f"    given, names = brought_(choose{mark}, args, kwargs)",
             f"    out = plain{mark}(*given, **names)",
             "    return widened_(out, args, kwargs)" if biased else "    return out"]
    _replace(path, lines, mark, {f"choose{mark}": choose, "widened_": _widened})


def _widened(out, args, kwargs):
    """The result in the dtype of the third argument, the bias, where there is one."""
    bias = args[2] if len(args) > 2 else kwargs.get("bias")
    return out if bias is None else _cast(out, bias._array.dtype)


def _detour_lists(chosen):
    """The same for the call path of operations on lists, for those `chosen`."""
    lines = ["def detour(self, *args, **kwargs):",
             "    if autocast_.dtype is not None and self in chosen_:",
             "        args, kwargs = brought_(chosen_[self], args, kwargs)",
             "    return plain_lists(self, *args, **kwargs)"]
    _replace(Op.general, lines, "_lists", {"chosen_": chosen})


def _replace(path, lines, mark, names):
    """Gives a function new code, which finds the old function as `plain` and its mark."""
    plain = types.FunctionType(path.__code__, path.__globals__, path.__name__, path.__defaults__)
    plain.__kwdefaults__ = path.__kwdefaults__
    path.__globals__.update(names)
    path.__globals__.update({"autocast_": _state, "brought_": _brought, f"plain{mark}": plain})
    path.__code__ = compiled(lines, {}, f"detour of {path.__name__}")["detour"].__code__
    path.__defaults__ = path.__kwdefaults__ = None


def _cast(tensor, dtype):
    if tensor.dtype.is_floating_point and tensor._array.dtype != dtype:
        return DECLARED["ops"]["cast"][0].run(tensor, dtype)
    return tensor


def _low(given):
    return _state.dtype


def _full(given):
    return FLOAT32 if any(dtype.itemsize < 4 for dtype in _floats(given)) else None


def _widest(given):
    found = _floats(given)
    return max(found, key=lambda dtype: dtype.itemsize) if len(set(found)) > 1 else None


def _floats(given):
    """The float dtypes of the Tensors among the arguments."""
    found = []

    def note(tensor):
        if tensor.dtype.is_floating_point:
            found.append(tensor._array.dtype)
        return tensor

    map_tensors(note, given)
    return found
