"""Primitives that probability distributions offer to subclasses: `self.exp`, `self.sq_base`.

MindSpore's distributions compute with them, and a subclass that overrides `_log_prob` does, too.
A name that ends in `_base` is set by MindSpore's base class, any other by single distributions;
here all distributions offer all of them.
"""

from ... import ops
from ..._core.context.config import config


def _offered():
    primitives = {
        "abs": "Abs",
        "atan": "Atan",
        "cast cast_base": "Cast",
        "const consttensor": "ScalarToTensor",
        "cumsum": "CumSum",
        "dtypeop dtype_base": "DType",
        "equal equal_base": "Equal",
        "erf": "Erf",
        "exp exp_base": "Exp",
        "expand_dim": "ExpandDims",
        "expm1": "Expm1",
        "fill": "Fill",
        "floor": "Floor",
        "greater": "Greater",
        "igamma": "Igamma",
        "isnan": "IsNan",
        "less": "Less",
        "lessequal": "LessEqual",
        "lgamma": "Lgamma",
        "log log_base": "Log",
        "log1p": "Log1p",
        "logicaland logicand": "LogicalAnd",
        "logicalor logicor": "LogicalOr",
        "neg": "Neg",
        "pow": "Pow",
        "reshape": "Reshape",
        "select select_base": "Select",
        "shape shape_base": "Shape",
        "sigmoid": "Sigmoid",
        "sq sq_base square": "Square",
        "sqrt sqrt_base": "Sqrt",
        "tan": "Tan",
        "zeroslike": "ZerosLike",
    }
    makers = {
        name: lambda layer, kind=kind: getattr(ops, kind)()
        for names, kind in primitives.items()
        for name in names.split()
    }
    makers |= {
        "broadcast": lambda layer: ops.broadcast_to,
        "context_mode": lambda layer: config.mode,
        "device_target": lambda layer: config.device_target,
        "squeeze": lambda layer: ops.Squeeze(0),
        "uniform": lambda layer: ops.uniform,
    }
    return {("Distribution", name): make for name, make in makers.items()}


DISTRIBUTIONS = _offered()
