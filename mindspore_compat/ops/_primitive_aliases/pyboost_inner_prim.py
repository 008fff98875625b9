"""mindspore.ops.auto_generate.pyboost_inner_prim: Primitives as functions, settings included.

`roll_impl(input, shifts, dims)` is `Roll(shifts, dims)(input)`: a function takes the inputs and
then the settings of a Primitive, all without defaults. It has a class too, `RollPrim_`, whose calls
take them as one list. Both are made at first use.
"""

import functools
import inspect

from ..._core.rules.vocabulary import InstanceOf
from ..._core.source import compiled
from . import declarations  # noqa: F401 - it makes names
from .alias import find

_Arguments = InstanceOf(list, tuple).called("a list")

_AREAS = ("ops.auto_generate", "ops.operations._grad_ops", "ops")
_PRIMITIVES = {
    "adaptive_max_pool2d_impl": "AdaptiveMaxPool2D",
    "apply_rotary_pos_emb_impl": "ApplyRotaryPosEmb",
    "argmax_with_value_impl": "ArgMaxWithValue",
    "argmin_with_value_impl": "ArgMinWithValue",
    "batch_mat_mul_impl": "BatchMatMul",
    "batch_norm_grad_ext_impl": "BatchNormGradExt",
    "binary_cross_entropy_grad_impl": "BinaryCrossEntropyGrad",
    "binary_cross_entropy_impl": "BinaryCrossEntropy",
    "binary_cross_entropy_with_logits_impl": "BCEWithLogitsLoss",
    "broadcast_to_impl": "BroadcastTo",
    "cdist_impl": "Cdist",
    "concat_impl": "Concat",
    "cross_impl": "Cross",
    "cummax_impl": "Cummax",
    "elu_ext_impl": "EluExt",
    "ffn_ext_impl": "FFNExt",
    "flash_attention_score_grad_impl": "FlashAttentionScoreGrad",
    "flash_attention_score_impl": "FlashAttentionScore",
    "fused_infer_attention_score_impl": "FusedInferAttentionScore",
    "glu_grad_impl": "GluGrad",
    "glu_impl": "GLU",
    "grid_sampler_2d_grad_impl": "GridSampler2DGrad",
    "grid_sampler_2d_impl": "GridSampler2D",
    "grid_sampler_3d_grad_impl": "GridSampler3DGrad",
    "grid_sampler_3d_impl": "GridSampler3D",
    "grouped_matmul_impl": "GroupedMatmul",
    "hshrink_grad_impl": "HShrinkGrad",
    "hshrink_impl": "HShrink",
    "incre_flash_attention_impl": "IncreFlashAttention",
    "isclose_impl": "IsClose",
    "log_softmax_grad_impl": "LogSoftmaxGrad",
    "log_softmax_impl": "LogSoftmax",
    "matmul_impl": "MatMul",
    "max_pool_grad_with_indices_impl": "MaxPoolGradWithIndices",
    "max_pool_grad_with_mask_impl": "MaxPoolGradWithMask",
    "max_pool_with_indices_impl": "MaxPoolWithIndices",
    "max_pool_with_mask_impl": "MaxPoolWithMask",
    "meshgrid_impl": "Meshgrid",
    "nan_to_num_impl": "NanToNum",
    "nllloss_grad_impl": "NLLLossGrad",
    "nllloss_impl": "NLLLoss",
    "one_hot_ext_impl": "OneHotExt",
    "paged_attention_impl": "PagedAttention",
    "prompt_flash_attention_impl": "PromptFlashAttention",
    "quant_batch_matmul_impl": "QuantBatchMatmul",
    "reduce_all_impl": "ReduceAll",
    "reduce_any_impl": "ReduceAny",
    "reduce_max_impl": "ReduceMax",
    "reduce_min_impl": "ReduceMin",
    "reverse_v2_impl": "ReverseV2",
    "rms_norm_impl": "RmsNorm",
    "roll_impl": "Roll",
    "searchsorted_impl": "SearchSorted",
    "smooth_l1_loss_grad_impl": "SmoothL1LossGrad",
    "smooth_l1_loss_impl": "SmoothL1Loss",
    "soft_margin_loss_grad_impl": "SoftMarginLossGrad",
    "soft_margin_loss_impl": "SoftMarginLoss",
    "softmax_impl": "Softmax",
    "softshrink_grad_impl": "SoftShrinkGrad",
    "softshrink_impl": "SoftShrink",
    "split_impl": "Split",
    "squeeze_impl": "Squeeze",
    "stack_ext_impl": "StackExt",
    "triu_impl": "Triu",
    "unique_consecutive_impl": "UniqueConsecutive",
    "upsample_trilinear3d_grad_impl": "UpsampleTrilinear3DGrad",
    "upsample_trilinear3d_impl": "UpsampleTrilinear3D",
    "weight_quant_batch_matmul_impl": "WeightQuantBatchMatmul",
}
_FUNCTIONS = {f"{primitive}Prim_": name for name, primitive in _PRIMITIVES.items()}
_RENAMED = {  # parameters whose names differ from those of the Primitive
    "binary_cross_entropy_impl": {"logits": "input", "labels": "target"},
    "binary_cross_entropy_with_logits_impl": {"pos_weight": "posWeight"},
    "cross_impl": {"x1": "input", "x2": "other"},
    "nan_to_num_impl": {"x": "input"},
    "smooth_l1_loss_impl": {"input": "prediction"},
}
_BEHIND_SETTINGS = {"batch_norm_grad_ext_impl": "output_mask"}  # an input after the settings

__all__ = sorted([*_PRIMITIVES, *_FUNCTIONS])


def __getattr__(name):
    """Returns a function, or the class that belongs to one."""
    if name in _PRIMITIVES:
        return _function(name)
    if name in _FUNCTIONS:
        return _class(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__():
    return __all__


@functools.cache
def _function(name):
    """Returns the function of a Primitive."""
    primitive = _PRIMITIVES[name]
    primitive_class = next(filter(None, (find(f"{area}.{primitive}") for area in _AREAS)))
    renamed = _RENAMED.get(name, {})
    inputs, settings = (
        [
            renamed.get(parameter, parameter)
            for parameter in list(inspect.signature(method).parameters)[1:]
        ]
        for method in (primitive_class.__call__, primitive_class.__init__)
    )
    last = _BEHIND_SETTINGS.get(name)
    parameters = [
        *(parameter for parameter in inputs if parameter != last),
        *settings,
        *filter(None, [last]),
    ]
    lines = [
        f"def {name}({', '.join(parameters)}):",
        f"    return {primitive}({', '.join(settings)})({', '.join(inputs)})",
    ]
    function = compiled(lines, {primitive: primitive_class}, name)[name]
    function.__module__ = __name__
    function.__doc__ = f"""Calls the Primitive `{primitive}`.

    Source: mindspore.ops.auto_generate.pyboost_inner_prim.{name} of MindSpore 2.10.
    """
    return function


@functools.cache
def _class(title):
    """Returns the class of a function; its calls take the arguments of the function as one list."""
    name = _FUNCTIONS[title]

    def call(self, arguments):
        if not isinstance(arguments, (list, tuple)):
            _Arguments.refuse(title, "arguments", arguments)
        return _function(name)(*arguments)

    call.__name__, call.__qualname__ = "__call__", f"{title}.__call__"
    call.__doc__ = f"`{name}(*arguments)`; a TypeError if they are not a list."
    source = f"mindspore.ops.auto_generate.pyboost_inner_prim.{title} of MindSpore 2.10."
    doc = f"`{name}` with its arguments in one list.\n\n    Source: {source}\n    "
    return type(title, (), {"__call__": call, "__module__": __name__, "__doc__": doc})
