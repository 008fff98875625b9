"""Attributes of primitives besides their arguments: the constants that MindSpore's constructors
set, and second names of arguments.
"""

import ast
import functools

# "attribute=value" -> primitives that have it, also in `attrs`
_CONSTANTS = {
    "adjoint_a=False": "SparseTensorDenseMatmul",
    "adjoint_b=False": "SparseTensorDenseMatmul",
    "base=-1.0": "Log",
    "batch_dims=0": "GatherV2",
    "bprop_return_sparse=True": "EmbeddingLookup SparseGatherV2",
    "channel_name='ms_histogram_summary'": "HistogramSummary",
    "channel_name='ms_image_summary'": "ImageSummary",
    "channel_name='ms_scalar_summary'": "ScalarSummary",
    "channel_name='ms_tensor_dump'": "TensorDump",
    "channel_name='ms_tensor_summary'": "TensorSummary",
    "check_index_bound=True": "IndexAdd",
    "cust_aicpu='Log'": "Log",
    "data_format='NCHW'": "DepthToSpace SpaceToDepth",
    "dyn_input_sizes=[-1, 1]": "HistogramSummary ImageSummary ScalarSummary",
    "fusion=0": "AllGather AllReduce ReduceScatter",
    "ignore_nan=True": "Fmax Fmin",
    "index=0": "AllReduce",
    "is_dynamic_shape=True": "DynamicShape",
    "is_maxpoolwithargmax=False": "MaxPool",
    "max_length=1000000": """
        BartlettWindow BlackmanWindow Expand NonDeterministicInts RaggedRange SegmentMax
        SegmentMean SegmentMin SegmentProd SegmentSum TruncatedNormal""",
    "max_length=200000000": "MatrixDiagPartV3 MatrixSetDiagV3",
    "mean_flag=False": "AllGather AllGatherV",
    "no_eliminate=True": """
        AllGather AllReduce AlltoAll BatchISendIRecv Broadcast NeighborExchange ReduceScatter
        Send""",
    "offset_x=0": "Conv3D",
    "padding_mode='CALCULATED'": "Im2Col",
    "scale=1.0": "Log",
    "sens=1.0": "SparseSoftmaxCrossEntropyWithLogits",
    "shift=0.0": "Log",
    "side_effect_hidden=True": """
        Dropout DropoutGenMask Gamma LogNormalReverse LogUniformCandidateSampler Multinomial
        MultinomialWithReplacement NonDeterministicInts ParameterizedTruncatedNormal Poisson
        Push RandomCategorical RandomChoiceWithMask RandomGamma RandomPoisson RandomShuffle
        StandardLaplace StandardNormal TruncatedNormal UniformCandidateSampler UniformInt
        UniformReal""",
    "side_effect_io=True": """
        Assert HistogramSummary ImageSummary Print PyExecute ScalarSummary TensorDump
        TensorSummary""",
    "side_effect_mem=True": """
        Adam AdamNoUpdateParam AdamWeightDecay ApplyAdaMax ApplyAdadelta ApplyAdagrad
        ApplyAdagradDA ApplyAdagradV2 ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 ApplyAddSign
        ApplyCenteredRMSProp ApplyFtrl ApplyGradientDescent ApplyMomentum ApplyPowerSign
        ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp Assign AssignAdd
        AssignSub Barrier CopyWithSlice FusedAdaFactor FusedAdaFactorWithGlobalNorm
        FusedCastAdamWeightDecay FusedSparseAdam FusedSparseFtrl FusedSparseLazyAdam
        FusedSparseProximalAdagrad GroupTopk IndexAdd InplaceIndexAdd ReshapeAndCache SGD
        ScatterAdd ScatterDiv ScatterMax ScatterMin ScatterMul ScatterNdAdd ScatterNdDiv
        ScatterNdMax ScatterNdMin ScatterNdMul ScatterNdSub ScatterNdUpdate
        ScatterNonAliasingAdd ScatterSub ScatterUpdate SparseApplyAdagradV2 SparseApplyFtrl
        SparseApplyProximalAdagrad TransposeExtView TransposeView""",
    "side_effect_propagate=1": "Depend Partial",
    "substitute_name='Add'": "TensorAdd",
    "substitute_name='FastGeLU'": "FastGelu",
    "substitute_name='Gather'": "GatherV2",
    "substitute_name='GeLU'": "Gelu",
    "substitute_name='Stack'": "Pack",
    "substitute_name='Unstack'": "Unpack",
    "use_lock=True": "IndexAdd",
    "epsilon=1e-06": "ApplyAdagradV2 SparseApplyAdagradV2",
}


def _sizes(count):
    return lambda size: size if isinstance(size, tuple) else (size,) * count


# (primitive, attribute) -> (the argument that it repeats, a function of that argument)
_SECOND_NAMES = {
    ("AvgPool3D", "format"): ("data_format", str),
    ("CTCLoss", "ctc_merge_repeated_"): ("ctc_merge_repeated", bool),
    ("CTCLoss", "ignore_longer_outputs_than_inputs_"): ("ignore_longer_outputs_than_inputs", bool),
    ("CTCLoss", "preprocess_collapse_repeated_"): ("preprocess_collapse_repeated", bool),
    ("Conv2D", "format"): ("data_format", str),
    ("Conv2D", "groups"): ("group", int),
    ("Conv2D", "padding"): ("pad", _sizes(4)),
    ("Conv2DTranspose", "format"): ("data_format", str),
    ("Conv2DTranspose", "groups"): ("group", int),
    ("Conv2DTranspose", "padding"): ("pad", _sizes(4)),
    ("Conv3D", "dilations"): ("dilation", lambda size: (1, 1, *_sizes(3)(size))),
    ("Conv3D", "format"): ("data_format", str),
    ("Conv3D", "groups"): ("group", int),
    ("Conv3D", "padding"): ("pad", _sizes(6)),
    ("Conv3D", "strides"): ("stride", lambda size: (1, 1, *_sizes(3)(size))),
    ("Conv3DTranspose", "dilations"): ("dilation", lambda size: (1, 1, *_sizes(3)(size))),
    ("Conv3DTranspose", "format"): ("data_format", str),
    ("Conv3DTranspose", "groups"): ("group", int),
    ("Conv3DTranspose", "strides"): ("stride", lambda size: (1, 1, *_sizes(3)(size))),
    ("MaxPool", "format"): ("data_format", str),
    ("ReverseSequence", "batch_dim_"): ("batch_dim", int),
    ("ReverseSequence", "seq_dim_"): ("seq_dim", int),
}


@functools.cache
def constants_of(name):
    """Returns {attribute: value} of the constants of a primitive."""
    return {
        attribute: ast.literal_eval(value)
        for text, names in _CONSTANTS.items()
        if name in names.split()
        for attribute, _, value in [text.partition("=")]
    }


def further_attribute(primitive, name):
    """Returns the value of an attribute besides the arguments.

    Raises:
        AttributeError: if the primitive has no such attribute.
    """
    own = type(primitive).__name__
    constants = constants_of(own)
    if name in constants:
        return constants[name]
    argument, convert = _SECOND_NAMES.get((own, name), (None, None))
    if argument is None:
        raise AttributeError(f"'{own}' object has no attribute '{name}'")
    return convert(getattr(primitive, argument))
