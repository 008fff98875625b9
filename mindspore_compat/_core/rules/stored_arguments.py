"""The order of checks in generated Primitives and in layers that store their arguments.

MindSpore generates many Primitives from declarations. Their constructors store most arguments
without a check, and accept None for all others. Their calls check the shapes of inputs before the
dtypes; hand-written Primitives check the dtypes first. Layers that pass arguments on to a function
also store them without a check.

Here the constructor checks stored arguments, too. If only such arguments are wrong, it creates an
object whose call raises the error. So the calls of valid objects need no check. The names were
observed in MindSpore 2.10.
"""

import functools

from .base import registered

_PACKAGE = __name__.partition(".")[0] + "."
WORD = 1 << 63  # ints below fit int64

# "Primitive: the parameters that it stores; ..." of all generated Primitives.
_GENERATED = """
    ACos; Abs; Acosh; AdamWeightDecay: use_locking; AdaptiveMaxPool2D; Add; Addcdiv;
    Addcmul; Angle; ApplyRotaryPosEmb: cos_format; ArgMaxWithValue: axis keep_dims;
    ArgMinWithValue: axis keep_dims; Argmax: axis; Argmin: axis; Asin; Asinh;
    Assign; AssignAdd; AssignSub; Atan; Atan2; Atanh; AvgPool; BCEWithLogitsLoss;
    BatchMatMul: transpose_a transpose_b; BatchNorm: is_training epsilon momentum;
    Betainc; BiasAdd; BinaryCrossEntropy; BroadcastTo; Cast; Cdist: p; CeLU: alpha;
    Ceil; Cholesky: upper; CholeskyInverse: upper; Complex; Concat: axis; Conj; Cos;
    Cosh; Cross: dim; CumProd: exclusive reverse; CumSum: exclusive reverse; Cummax:
    axis; Cummin: axis; Dense; Diag; Div; Dropout: keep_prob Seed0 Seed1; Eig:
    compute_v; Elu: alpha; Equal; Erf; Erfc; Erfinv; Exp; ExpandDims; Expm1;
    ExtractImagePatches; Eye; FFTWithSize: signal_ndim inverse real onesided
    signal_sizes; FastGeLU; Flatten; Floor; FloorDiv; FloorMod; GLU: axis; Gather:
    batch_dims; GatherD; GatherNd; Gcd; GeLU; Geqrf; Greater; GreaterEqual;
    GridSampler2D: align_corners; GridSampler3D: align_corners; GroupTopk; HShrink;
    HSigmoid; HSwish; Identity; IsClose: equal_nan; IsFinite; IsInf; LayerNorm:
    begin_norm_axis begin_params_axis epsilon; LeftShift; Lerp; LerpScalar; Less;
    LessEqual; LinSpace; Log; Log1p; LogMatrixDeterminant; LogSoftmax: axis;
    LogSoftmaxExt; LogicalAnd; LogicalNot; LogicalOr; LogicalXor; Logit: eps;
    MaskedFill; MaskedScatter; MaskedSelect; MatMul: transpose_a transpose_b;
    MatrixDeterminant; MatrixExp; Maximum; Meshgrid; Minimum; Mul; NLLLoss:
    ignore_index; NanToNum; Neg; NextAfter; NonZero; NotEqual; OneHot: axis; Ones;
    OnesLike; PReLU; PagedAttention; PagedAttentionMask; Polar; Pow; Qr:
    full_matrices; RandpermV2; Range: maxlen; Rank; ReLU; ReLU6; Real; RealDiv;
    Reciprocal; ReduceAll: keep_dims; ReduceAny: keep_dims; ReduceMax: keep_dims;
    ReduceMean: keep_dims; ReduceMin: keep_dims; ReduceProd: keep_dims; ReduceStd:
    unbiased keep_dims; ReduceSum: keep_dims skip_mode; Reshape; ReshapeAndCache;
    ResizeBicubic: align_corners half_pixel_centers; ResizeBilinearV2: align_corners
    half_pixel_centers; ResizeLinear1D; ResizeNearestNeighbor: align_corners
    half_pixel_centers; ResizeNearestNeighborV2: align_corners half_pixel_centers;
    ReverseV2; RightShift; RmsNorm: epsilon; Roll; Round; Rsqrt; ScalarCast;
    ScalarToTensor; ScatterNd; SearchSorted: right; Select; Shape; Sigmoid; Sign;
    Sin; Sinc; Sinh; Slice; SmoothL1Loss; SoftMarginLoss; SoftShrink; Softmax;
    Split: axis output_num; Sqrt; Square; Squeeze; StridedSlice: begin_mask end_mask
    ellipsis_mask new_axis_mask shrink_axis_mask; Svd: full_matrices compute_uv;
    Tanh; TensorScatterAdd; TensorShape; Tile; Trace; Transpose; TransposeExtView;
    TransposeView; Triu; Trunc; UniqueConsecutive: return_inverse return_counts dim;
    UnsortedSegmentSum; UpsampleNearest3D; UpsampleTrilinear3D: align_corners;
    Xlogy; Zeros; ZerosLike
"""

# Public module -> "class: the parameters that it stores; ..." of other Primitives and of layers;
# of a parameter with "=None" only this value is stored, with "=range" only values out of range.
_TABLE = {
    "ops": """
        CollectiveGather: dest_rank; CollectiveScatter: src_rank; ConfusionMatrix:
        num_classes=range dtype=range; PyFunc: fn; Reduce: dest_rank; SGD: dampening
        weight_decay
    """,
    "mint.nn": """
        AdaptiveAvgPool1d: output_size; AdaptiveAvgPool2d: output_size;
        AdaptiveMaxPool1d: output_size return_indices; BCELoss: weight;
        BCEWithLogitsLoss: weight pos_weight reduction=None; BatchNorm1d: eps momentum; BatchNorm2d:
        eps momentum; BatchNorm3d: eps momentum; ConstantPad1d: value; ConstantPad2d:
        value; ConstantPad3d: value; Flatten: start_dim end_dim; PixelShuffle:
        upscale_factor; SyncBatchNorm: eps momentum
    """,
    "nn": """
        BCEWithLogitsLoss: reduction; BatchNorm1d: eps; BatchNorm2d: eps; BatchNorm3d:
        eps; CTCLoss: blank reduction zero_infinity; Conv2dBnAct: eps; EmbeddingExt:
        _freeze; Flatten: start_dim end_dim; HuberLoss: delta; KLDivLoss: reduction;
        LayerNorm: begin_norm_axis begin_params_axis epsilon; LayerNormExt: eps
        elementwise_affine bias; MarginRankingLoss: margin; MultiheadAttention: dropout;
        OneHot: axis depth on_value off_value dtype; PixelShuffle: upscale_factor;
        PixelUnshuffle: downscale_factor; SoftMarginLoss: reduction; SyncBatchNorm: eps;
        Transformer: layer_norm_eps; TransformerDecoderLayer: layer_norm_eps;
        TransformerEncoderLayer: layer_norm_eps; TripletMarginLoss: p swap eps reduction
        margin
    """,
}


@functools.cache
def _parsed() -> dict[str, frozenset]:
    """Returns the parameters by public path of the class."""
    parameters_of = {}
    for area, text in [("ops", _GENERATED), *_TABLE.items()]:
        for entry in text.split(";"):
            name, _, parameters = entry.partition(":")
            parameters_of[f"{area}.{name.strip()}"] = frozenset(parameters.split())
    return parameters_of


@functools.cache
def _generated() -> frozenset:
    """Returns the public paths of the generated Primitives."""
    return frozenset(f"ops.{entry.partition(':')[0].strip()}" for entry in _GENERATED.split(";"))


def stored_at(path: str) -> frozenset:
    """Returns the parameters that the class of a public path ("ops.Argmax") stores."""
    return _parsed().get(path, frozenset())


def is_generated(path: str) -> bool:
    """Returns True if a public path ("ops.Argmax") names a generated Primitive."""
    return path in _generated()


@functools.cache
def _path_of(cls: type) -> str:
    """Returns the public path of a class. For a user's class, returns the path of its nearest base
    class in this package, or "" if there is none.
    """
    base = next((base for base in cls.__mro__ if base.__module__.startswith(_PACKAGE)), None)
    if base is None:
        return ""
    home = base.__module__.removeprefix(_PACKAGE)
    area = next((area for area in _TABLE if f"{home}.".startswith(f"{area}.")), "")
    return f"{area}.{base.__name__}"


def has_stored(cls: type, rules: dict, values) -> bool:
    """Returns True if all of the `values` that their rules refuse are stored by a class."""
    path = _path_of(cls)
    stored, takes_none = stored_at(path), is_generated(path)
    return all(
        name in stored
        or value is None
        and (takes_none or f"{name}=None" in stored)
        or verdict is ValueError
        and f"{name}=range" in stored
        for (name, rule), value in zip(rules.items(), values, strict=True)
        if (verdict := rule.verdict(value)) is not None
    )


def refuse_wide(thing, values):
    """Refuses ints beyond 64 bits, alone and in tuples and lists, for a Primitive that keeps its
    attributes as C++ integers: every Primitive that is not generated.

    Raises:
        RuntimeError: if `values` has such an int.
    """
    if not isinstance(thing, registered("Primitive")) or is_generated(_path_of(type(thing))):
        return
    for value in values:
        if type(value) is int and not -WORD <= value < WORD:
            raise RuntimeError(
                f"For '{type(thing).__name__}', an attribute must fit in int64, but got {value}."
            )
        if type(value) in (tuple, list):
            refuse_wide(thing, value)


def wide_lines(path, names, scope):
    """Returns the source that calls `refuse_wide` in a constructor, and adds it to `scope`; nothing
    for layers, generated Primitives and constructors without arguments."""
    if not path.startswith("ops.") or not names or is_generated(path):
        return []
    scope["refuse_wide"] = refuse_wide
    return [f"    refuse_wide(self, ({', '.join(names)},))"]


def build_unchecked(thing, build, arguments, error):
    """Builds a Cell or Primitive with arguments that its call refuses with `error`: by `build`, or
    as an object that only has the arguments, if they stop `build`."""
    try:
        build()
    except Exception:
        bases = {base.__name__: base for base in type(thing).__mro__}
        if "Cell" in bases:
            bases["Cell"].__init__(thing)
        else:
            bases["Primitive"].__init__(thing, type(thing).__name__)
        for name, value in arguments.items():
            setattr(thing, name, value)
    refuse_calls(thing, error)


def refuse_calls(thing, error):
    """Lets every call of a Cell or Primitive raise an error like `error`."""
    refuse = functools.partial(_refuse_call, type(error), str(error))
    cls = type(thing)
    if hasattr(cls, "construct"):
        vars(thing)["construct"] = refuse
    else:
        members = {"__call__": refuse, "__module__": cls.__module__, "__doc__": cls.__doc__}
        thing.__class__ = type(cls.__name__, (cls,), members)


def _refuse_call(error, message, *args, **kwargs):
    raise error(message)
