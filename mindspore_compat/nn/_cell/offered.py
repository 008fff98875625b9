"""Primitives that layers and optimizers offer: `nn.Softmax().softmax`, `nn.Momentum(...).opt`.

MindSpore's layers compute with these primitives. Scripts for several devices set strategies on
them (`layer.softmax.shard(...)`), and subclasses of optimizers call them on `params`. Here layers
compute without them, so each primitive is created when it is first read.
"""

import ast
import functools

from ... import ops
from ..._core.tensor.dtype import float32
from ..._core.tensor.tensor import Tensor
from .offered_distributions import DISTRIBUTIONS


def _max_pool(layer):
    if layer.pad_mode == "PAD":
        return ops.MaxPool3DWithArgmax(
            (1, *layer._kernel), (1, *layer._stride), (0, *layer._padding)
        )
    return ops.MaxPool(layer.kernel_size, layer.stride, layer.pad_mode, layer.format)


def _reversed_padding(layer):
    """Returns the padding from the last axis to the first, before and after each."""
    return tuple(size for size in reversed(layer.padding) for _ in range(2))


# (layer, attribute) -> how the primitive is created from the layer's settings
_OFFERED = {
    ("ReLU", "relu"): lambda layer: ops.ReLU(),
    ("ReLU6", "relu6"): lambda layer: ops.ReLU6(),
    ("Sigmoid", "sigmoid"): lambda layer: ops.Sigmoid(),
    ("Tanh", "tanh"): lambda layer: ops.Tanh(),
    ("Softmax", "softmax"): lambda layer: ops.Softmax(layer.axis),
    ("LogSoftmax", "log_softmax"): lambda layer: ops.LogSoftmax(layer.axis),
    ("HSwish", "hswish"): lambda layer: ops.HSwish(),
    ("HSigmoid", "hsigmoid"): lambda layer: ops.HSigmoid(),
    ("ELU", "elu"): lambda layer: ops.Elu(layer.alpha),
    ("Mish", "mish"): lambda layer: ops.Mish(),
    ("MaxPool2d", "max_pool"): _max_pool,
    ("Embedding", "expand"): lambda layer: ops.ExpandDims(),
    ("SoftmaxCrossEntropyWithLogits", "softmax_cross_entropy"): lambda layer: (
        ops.SoftmaxCrossEntropyWithLogits()
    ),
    ("SoftmaxCrossEntropyWithLogits", "sparse_softmax_cross_entropy"): lambda layer: (
        ops.SparseSoftmaxCrossEntropyWithLogits()
    ),
    ("SGD", "opt"): lambda layer: tuple(
        ops.SGD(layer.dampening, 0.0, layer.nesterov) for _ in layer.parameters
    ),
    ("AdaptiveAvgPool2d", "adaptive_avgpool2d"): lambda layer: ops.AdaptiveAvgPool2D(
        layer.output_size
    ),
    ("AdaptiveAvgPool3d", "adaptive_avg_pool3d"): lambda layer: ops.AdaptiveAvgPool3D(
        layer.output_size
    ),
    ("AvgPool1d", "avg_pool"): lambda layer: ops.AvgPool(
        (1, layer.kernel_size), (1, layer.stride), layer.pad_mode
    ),
    ("MaxPool1d", "max_pool"): lambda layer: ops.MaxPool(
        (1, layer.kernel_size), (1, layer.stride), layer.pad_mode
    ),
    **{
        (name, "shape"): lambda layer: ops.shape
        for name in ("AdaptiveAvgPool1d", "AdaptiveMaxPool1d", "AvgPool1d", "MaxPool1d")
    },
    **{
        (name, flag): lambda layer, mode=mode: layer.pad_mode.lower() == mode
        for name in ("Conv1dTranspose", "Conv2dTranspose")
        for flag, mode in (("is_pad", "pad"), ("is_same", "same"), ("is_valid", "valid"))
    },
    **{
        (name, attribute): lambda layer, value=value: Tensor(value, float32)
        for name in ("Embedding", "SoftmaxCrossEntropyWithLogits")
        for attribute, value in (("on_value", 1.0), ("off_value", 0.0))
    },
    ("Conv2d", "_dilation"): lambda layer: layer.dilation,
    ("Dropout2d", "dropout2d"): lambda layer: ops.Dropout2D(layer.keep_prob),
    ("Dropout3d", "dropout3d"): lambda layer: ops.Dropout3D(layer.keep_prob),
    ("HShrink", "hshrink"): lambda layer: ops.HShrink(layer.lambd),
    ("MultiheadAttention", "q_is_k"): lambda layer: False,
    ("MultiheadAttention", "k_is_v"): lambda layer: False,
    ("mint.BCEWithLogitsLoss", "bce_with_logits"): lambda layer: ops.BCEWithLogitsLoss(
        layer.reduction
    ),
    ("mint.MSELoss", "mse_loss"): lambda layer: ops.mse_loss,
    ("mint.SmoothL1Loss", "smooth_l1_loss"): lambda layer: ops.smooth_l1_loss,
    ("mint.Conv1d", "_reversed_padding"): _reversed_padding,
    ("mint.Conv2d", "_reversed_padding"): _reversed_padding,
    ("mint.Conv3d", "_reversed_padding"): _reversed_padding,
    ("AvgPool2d", "avg_pool"): lambda layer: ops.AvgPool(
        layer.kernel_size, layer.stride, layer.pad_mode, layer.format
    ),
    ("CELU", "celu"): lambda layer: ops.CeLU(layer.alpha),
    ("PolynomialDecayLR", "diff_learning_rate"): lambda layer: (
        layer.start_learning_rate - layer.end_learning_rate
    ),
    ("CosineDecayLR", "delta"): lambda layer: 0.5 * (layer.max_lr - layer.min_lr),
    ("DynamicLossScaleUpdateCell", "const_true"): lambda layer: Tensor(True),
    ("LRN", "lrn_op"): lambda layer: ops.LRN(
        layer.depth_radius, layer.bias, layer.alpha, layer.beta, layer.norm_region
    ),
    ("OneHot", "onehot"): lambda layer: ops.OneHot(layer.axis),
    ("RNNCell", "_non_linearity"): lambda layer: ["tanh", "relu"],
    ("SmoothL1Loss", "smooth_l1_loss"): lambda layer: ops.SmoothL1Loss(layer.beta, layer.reduction),
    ("Cell", "cast"): lambda layer: ops.Cast(),  # which every Cell had in older releases
    ("SoftShrink", "softshrink"): lambda layer: ops.SoftShrink(layer.lambd),
    **{
        (name, "params"): lambda layer: layer.parameters
        for name in ("AdamOffload", "Lamb", "Momentum")
    },
    ("Unfold", "extract_image_patches"): lambda layer: ops.ExtractImagePatches(
        (1, 1, *layer.ksizes), (1, 1, *layer.strides), (1, 1, *layer.rates), layer.padding
    ),
    ("Momentum", "opt"): lambda layer: ops.ApplyMomentum(layer.use_nesterov),
    ("Adam", "opt"): lambda layer: ops.Adam(layer.use_locking, layer.use_nesterov),
    ("FTRL", "opt"): lambda layer: ops.ApplyFtrl(layer.use_locking),
    ("RMSProp", "opt"): lambda layer: (
        ops.ApplyCenteredRMSProp() if layer.centered else ops.ApplyRMSProp()
    ),
    ("Adagrad", "opt"): lambda layer: ops.ApplyAdagrad(layer.update_slots),
    ("AdaMax", "opt"): lambda layer: ops.ApplyAdaMax(),
    ("Adadelta", "opt"): lambda layer: ops.ApplyAdadelta(),
    ("ProximalAdagrad", "opt"): lambda layer: ops.ApplyProximalAdagrad(layer.use_locking),
}
# layers -> their attribute names, each with a Primitive (and its settings) or a constant
_MEMBERS = {
    "ASGD": "pow=Pow maximum=Maximum assign=Assign assignsub=AssignSub cast=Cast squeeze=Squeeze",
    "AdaptiveAvgPool1d AdaptiveMaxPool1d": """
        expand=ExpandDims squeeze=Squeeze(axis=(2,)) dtype=DType""",
    "AdaptiveMaxPool3d": "adaptive_max_pool3d=AdaptiveMaxPool3D",
    "AvgPool1d": """
        format='NCHW' is_expand_3d=False reduce_mean=ReduceMean(keep_dims=True) slice=Slice
        expand=ExpandDims squeeze=Squeeze(axis=(2,))""",
    "AvgPool2d": "is_expand=False ascend_910b_target=False",
    "AvgPool3d MaxPool3d": "format='NCHW'",
    "BatchNorm1d BatchNorm2d": """
        format='NCHW' parallel_mode='stand_alone' _target='CPU' shape=Shape
        reduce_mean=ReduceMean(keep_dims=True) square=Square sqrt=Sqrt cast=Cast dtype=DType
        reshape=Reshape sub_mean=Sub sub_var=Sub mul_mean=Mul mul_var=Mul
        assign_sub_mean=AssignSub assign_sub_var=AssignSub""",
    "BatchNorm3d Unflatten": "shape=Shape reshape=Reshape",
    "BiDense": "bias_add=BiasAdd matmul=MatMul",
    "CentralCrop": "slice=Slice",
    "ChannelShuffle": "shape=Shape reshape=Reshape transpose=Transpose",
    """Conv1d Conv1dTranspose Conv2dTranspose Conv3dTranspose InstanceNorm1d InstanceNorm2d
    InstanceNorm3d mint.BatchNorm2d mint.BatchNorm3d""": """
        shape=Shape""",
    "Conv3d": "shape=Shape concat=Concat(axis=1) split_0=Split(axis=0) split_1=Split(axis=1)",
    "CosineDecayLR": "math_pi=3.141592653589793 cos=Cos sin=Sin min=Minimum cast=Cast",
    "CosineEmbeddingLoss PoissonNLLLoss": "maximum=Maximum",
    "Dense": """
        reshape=Reshape shape_op=Shape bias_add=BiasAdd matmul=MatMul(transpose_b=True)""",
    "DenseThor": "shape=Shape transpose=Transpose mul=Mul cube_matmul=MatMul(transpose_a=True)",
    "DiGamma": """
        k_lanczos_gamma=7 k_base_lanczos_coeff=0.9999999999998099 nan=nan pi=3.141592653589793
        lanczos_gamma_plus_one_half=7.5 log_lanczos_gamma_plus_one_half=2.0149030205422647
        log1p=Log1p abs=Abs shape=Shape dtype=DType floor=Floor equal=Equal less=Less
        select=Select sin=Sin cos=Cos logicaland=LogicalAnd""",
    "DiceLoss MultiClassDiceLoss": "reshape=Reshape",
    "DynamicLossScaleUpdateCell": """
        select=Select max=Maximum reciprocal=Reciprocal less_equal=LessEqual logic_and=LogicalAnd
        logic_not=LogicalNot logic_or=LogicalOr""",
    "Embedding": """
        reshape_flat=Reshape shp_flat=(-1,) one_hot=OneHot array_mul=MatMul reshape=Reshape
        get_shp=Shape concat=Concat""",
    "EmbeddingLookup": """
        gatherv2=SparseGatherV2 gather_revert=Gather reshape_first=Reshape reshape=Reshape
        unique=Unique shape=Shape forward_unique=False embeddinglookup=EmbeddingLookup""",
    "EmbeddingThor": """
        reshape_flat=Reshape shp_flat=(-1,) one_hot=OneHot array_mul=MatMul reshape=Reshape
        get_shp=Shape reduce_sum=ReduceSum cast=Cast cube_matmul=MatMul(transpose_a=True)
        mul=Mul""",
    "ExponentialDecayLR": "pow=Pow cast=Cast",
    "FastGelu": "fast_gelu=FastGeLU",
    "GRU RNN": "is_lstm=False",
    "LSTM": "is_lstm=True",
    "LSTMCell": "support_non_tensor_inputs=True",
    "FocalLoss": """
        expand_dims=ExpandDims gather_d=GatherD squeeze=Squeeze(axis=(1,)) tile=Tile dtype=DType""",
    "GLU": "spilt=Split(axis=-1) sigmoid=Sigmoid",
    "GRU LSTM RNN": "reverse=ReverseV2(axis=(0,))",
    "GradAccumulationCell MicroBatchInterleaved PipelineCell": "add=Add",
    # of releases before 2.0, whose subclasses compute with them
    "GroupNorm": """
        shape=Shape reshape=Reshape reduce_mean=ReduceMean(keep_dims=True) square=Square
        reduce_sum=ReduceSum(keep_dims=True) sqrt=Sqrt""",
    "IGamma": """
        logicaland=LogicalAnd logicalor=LogicalOr logicalnot=LogicalNot equal=Equal
        greater=Greater less=Less neg=Neg log=Log exp=Exp select=Select zeroslike=ZerosLike
        shape=Shape dtype=DType cast=Cast""",
    "InverseDecayLR": "cast=Cast",
    "L1Regularizer": "abs=Abs reduce_sum=ReduceSum",
    "LARS": "lars=LARSUpdate cast=Cast",
    "LBeta": """
        log_2pi=1.8378770664093453 log=Log log1p=Log1p less=Less select=Select shape=Shape
        dtype=DType const=ScalarToTensor""",
    "LGamma": """
        k_lanczos_gamma=7 k_base_lanczos_coeff=0.9999999999998099 one_half=0.5 one=1 two=2 inf=inf
        pi=3.141592653589793 log_2=0.6931471805599453 log_pi=1.1447298858494002
        log_sqrt_two_pi=0.9189385332046727 lanczos_gamma_plus_one_half=7.5
        log_lanczos_gamma_plus_one_half=2.0149030205422647 log=Log log1p=Log1p abs=Abs shape=Shape
        dtype=DType floor=Floor equal=Equal greater=Greater less=Less lessequal=LessEqual
        select=Select sin=Sin isfinite=IsFinite ones_like=OnesLike""",
    "Linear mint.Linear": "dense=Dense",
    "LogSigmoid": "mul=Mul exp=Exp add=Add rec=Reciprocal log=Log",
    "LogSoftmaxExt mint.LogSoftmax": "log_softmax=LogSoftmaxExt",
    "MAELoss": "abs=Abs",
    "MSSSIM": """
        reduce_mean=ReduceMean prod=ReduceProd pow=Pow stack=Stack(axis=-1)
        concat=Concat(axis=1)""",
    "MatDet": "dtype=DType cholesky=Cholesky square=Square",
    "MatInverse MatrixDiag MatrixDiagPart MatrixSetDiag RMSELoss": "dtype=DType",
    "MatMul": """
        shape_op=Shape expand_op=ExpandDims squeeze_left_op=Squeeze(axis=(-2,))
        squeeze_right_op=Squeeze(axis=(-1,)) reduce_sum_op=ReduceSum""",
    "MaxPool1d": """
        format='NCHW' use_pad=False reduce_mean=ReduceMean(keep_dims=True) expand=ExpandDims
        squeeze=Squeeze(axis=(2,))""",
    "MaxPool2d": "use_pad=False",
    "Moments": """
        cast=Cast reduce_mean=ReduceMean(keep_dims=True) square_diff=SquaredDifference
        squeeze=Squeeze""",
    "MultiFieldEmbeddingLookup": """
        gatherv2=SparseGatherV2 embeddinglookup=EmbeddingLookup gather_revert=Gather
        reshape_first=Reshape reshape=Reshape unique=Unique shape=Shape mul=Mul inf_mask_mul=Mul
        bias_add=Add inf_add=Add merge_op=UnsortedSegmentSum count_op=UnsortedSegmentSum abs=Abs
        equal=Equal add=Add cast=Cast
        forward_unique=False div_no_nan=DivNoNan expand=ExpandDims max_mask_mul=Mul
        max_no_equal=NotEqual
        negative_inf_value=-3.402823466e+38""",
    "NaturalExpDecayLR": "math_e=2.718281828459045 pow=Pow cast=Cast",
    "Norm": "reduce_sum=ReduceSum(keep_dims=True) sqrt=Sqrt squeeze=Squeeze",
    "PolynomialDecayLR": "pow=Pow ceil=Ceil min=Minimum max=Maximum",
    "RReLU": "sign=Sign",
    "ReduceLogSumExp": "exp=Exp sum=ReduceSum(keep_dims=True) log=Log max=ReduceMax",
    "ReflectionPad1d": "name='ReflectionPad1d'",
    "ReflectionPad2d": "name='ReflectionPad2d'",
    "ReflectionPad3d": "name='ReflectionPad3d'",
    "ReplicationPad1d": "name='ReplicationPad1d' padv3=PadV3",
    "ReplicationPad2d": "name='ReplicationPad2d' padv3=PadV3",
    "ReplicationPad3d": "name='ReplicationPad3d' padv3=PadV3",
    "Rprop": "sign=Sign fill=FillV2 assign=Assign cast=Cast select=Select ones_like=OnesLike",
    "SSIM": "reduce_mean=ReduceMean concat=Concat(axis=1)",
    "SampledSoftmaxLoss": """
        reshape=Reshape shape=Shape exp=Exp log=Log slice_op=Slice matmul=MatMul(transpose_b=True)
        gather_v2=Gather reduce_max_true=ReduceMax(keep_dims=True)
        reduce_sum_true=ReduceSum(keep_dims=True) concat_dim0=Concat concat_dim1=Concat(axis=1)
        ones_like=OnesLike zeros_like=ZerosLike expand_dims=ExpandDims dtype=DType""",
    "SeLU": "selu=SeLU",
    "Softmax2d": "softmax=Softmax(axis=(-3,)) shape=Shape",
    "SoftmaxCrossEntropyWithLogits": "one_hot=OneHot is_cpugpu=True",
    "Softsign": "softsign=Softsign",
    "SparseToDense": "sparse_to_dense=SparseToDense",
    "TimeDistributed": "transpose=Transpose reshape=Reshape",
    "TrainOneStepCell": "use_graceful_exit=False",
    "TrainOneStepWithLossScaleCell": """
        ascend_910a_target=False ascend_910b_target=False enable_allfinite=True
        enable_tuple_broaden=True""",
    "Adam LazyAdam": "_is_device=True",
    "AdaFactor AdamWeightDecay Lamb": "_support_parallel_optimizer=True",
    "Optimizer": "_support_parallel_optimizer=False",
    "Tril Triu": "dtype=DType mul=Mul cast=Cast",
    "TripletMarginWithDistanceLoss": "minimum=Minimum maximum=Maximum",
    "WarmUpLR": "min=Minimum cast=Cast",
    "mint.Conv1d": "conv1d=Conv1DExt",
    "mint.Conv2d": "conv2d=Conv2DExt",
    "mint.Conv3d": "conv3d=Conv3DExt",
    "mint.Hardsigmoid": "hsigmoid=HSigmoid",
    "mint.Hardswish": "hswish=HSwish",
    "mint.L1Loss": "reduce_mean=ReduceMean reduce_sum=ReduceSum mul=Mul cast=Cast",
    "mint.Softshrink": "softshrink=SoftShrink",
}


def _generated_methods():
    """Returns (layer, attribute) -> a function that makes it, for the lines of _MEMBERS."""
    return {
        (layer, name): functools.partial(_generate, text)
        for layers, members in _MEMBERS.items()
        for name, _, text in (member.partition("=") for member in members.split())
        for layer in layers.split()
    }


def _generate(text, layer):
    """Returns the Primitive or constant that an entry of _MEMBERS describes."""
    name, _, settings = text.partition("(")
    if not name[:1].isupper() or name in ("True", "False"):
        return _CONSTANTS[text] if text in _CONSTANTS else ast.literal_eval(text)
    cls = getattr(ops.operations, name, None) or getattr(ops.auto_generate, name)
    return cls(
        **{
            keyword.arg: ast.literal_eval(keyword.value)
            for keyword in ast.parse(f"f({settings or ')'}", mode="eval").body.keywords
        }
    )


_CONSTANTS = {"nan": float("nan"), "inf": float("inf")}
_OFFERED = {**_generated_methods(), **DISTRIBUTIONS, **_OFFERED}
_NAMES = {name for _, name in _OFFERED}
_NN = __package__.rpartition(".")[0]
# packages of layers, with a prefix of their names: scripts may define layers of the same names
_PACKAGES = ((_NN, ""), (f"{_NN.removesuffix('nn')}mint.nn", "mint."))


def offered_names(layer):
    """Returns the attribute names that a layer offers, in the order of the table. Names that all
    Cells had in older releases are not among them."""
    owners = [cls for cls in type(layer).__mro__ if cls.__name__ != "Cell"]
    return list(dict.fromkeys(name for cls in owners for name in offered_by(cls)))


def offered_by(cls):
    """Returns the attribute names that a class of layers offers beyond those of its bases, in the
    order of the table."""
    owners = {
        prefix + cls.__name__ for package, prefix in _PACKAGES if cls.__module__.startswith(package)
    }
    return [name for owner, name in _OFFERED if owner in owners]


def offer(layer, name):
    """Returns a function that creates the attribute `name` of a layer, or None if the layer does
    not offer it."""
    if name not in _NAMES:
        return None
    for cls in type(layer).__mro__:
        for package, prefix in _PACKAGES:
            key = prefix + cls.__name__, name
            if cls.__module__.startswith(package) and key in _OFFERED:
                return _OFFERED[key]
    return None
