"""The two kinds of Primitives in MindSpore, and what they refuse.

Generated Primitives have a call of their own: Python raises a TypeError for a wrong number of
inputs. Primitives that are made by hand share one call, which counts the inputs and raises a
ValueError; their constructors take no NumPy scalars. The names were observed in MindSpore 2.10.
"""

# Made by hand: a ValueError for too few inputs.
_BY_HAND = frozenset(
    """
    Adam AdamNoUpdateParam AdaptiveAvgPool2D AdaptiveAvgPool3D AdaptiveMaxPool3D AdjustHue
    AdjustSaturation AffineGrid AllGather ApplyAdaMax ApplyAdadelta ApplyAdagrad ApplyAdagradDA
    ApplyAdagradV2 ApplyAdamWithAmsgrad ApplyAdamWithAmsgradV2 ApplyAddSign ApplyCenteredRMSProp
    ApplyFtrl ApplyGradientDescent ApplyKerasMomentum ApplyMomentum ApplyPowerSign
    ApplyProximalAdagrad ApplyProximalGradientDescent ApplyRMSProp ApproximateEqual AvgPool3D
    BartlettWindow BatchToSpace BatchToSpaceND Bernoulli BesselI0 BesselI0e BesselI1 BesselI1e
    BesselJ0 BesselJ1 BesselK0 BesselK0e BesselK1 BesselK1e BesselY0 BesselY1 Bincount BitwiseAnd
    BitwiseOr BitwiseXor BlackmanWindow BoundingBoxDecode BoundingBoxEncode Bucketize
    CTCGreedyDecoder CTCLoss CTCLossV2 ChannelShuffle CheckNumerics CheckValid CholeskySolve
    Coalesce Col2Im CollectiveGather CollectiveScatter CombinedNonMaxSuppression CompareAndBitpack
    ComplexAbs ConjugateTranspose Conv2D Conv2DTranspose Conv3D Conv3DTranspose CropAndResize
    CumulativeLogsumexp DataFormatDimMap DataFormatVecPermute DeformableOffsets DepthToSpace
    DiagPart Digamma Dilation2D DivNoNan Dropout2D Dropout3D DynamicGRUV2 DynamicRNN EditDistance
    EmbeddingLookup Eps EqualCount EuclideanNorm ExtractGlimpse ExtractVolumePatches FillDiagonal
    FloatStatus Fmax FractionalMaxPool3DWithFixedKsize FractionalMaxPoolWithFixedKsize
    FusedAdaFactor FusedSparseAdam FusedSparseFtrl FusedSparseLazyAdam FusedSparseProximalAdagrad
    Ger HSVToRGB HammingWindow Heaviside Histogram HistogramFixedWidth Hypot IOU IdentityN Igamma
    Igammac Im2Col Imag IndexAdd IndexFill IndexPut InplaceAdd InplaceIndexAdd InplaceSub
    InplaceUpdate Inv Invert IsNan KLDivLoss L2Loss L2Normalize LARSUpdate LRN LSTM Lcm Lgamma
    ListDiff LogNormalReverse LogSpace LogUniformCandidateSampler LowerBound LpNorm Lstsq LuSolve
    LuUnpack MapUniform MatrixBandPart MatrixDiagPartV3 MatrixDiagV3 MatrixInverse MatrixLogarithm
    MatrixPower MatrixSetDiagV3 MatrixSolve MatrixSolveLs MatrixTriangularSolve MaxPool3D
    MaxPool3DWithArgmax MaxPoolWithArgmaxV2 MaxUnpool2D MaxUnpool3D MirrorPad Mish Mod MulNoNan
    MultilabelMarginLoss Multinomial MultinomialWithReplacement Mvlgamma NMSWithMask
    NPUClearFloatStatus NPUGetFloatStatus NoRepeatNGram NonDeterministicInts NonMaxSuppressionV3
    NonMaxSuppressionWithOverlaps NthElement NuclearNorm Orgqr Ormqr Pad PadV3 Padding
    ParallelConcat ParameterizedTruncatedNormal Pdist Polygamma PopulationCount Quantile RGBToHSV
    ROIAlign RaggedRange RandomCategorical RandomChoiceWithMask RandomGamma RandomPoisson
    RandomShuffle Randperm Renorm ResizeArea ReverseSequence SGD STFT SampleDistortedBoundingBoxV2
    ScaleAndTranslate ScatterAdd ScatterAddWithAxis ScatterDiv ScatterMax ScatterMin ScatterMul
    ScatterNdAdd ScatterNdDiv ScatterNdMax ScatterNdMin ScatterNdMul ScatterNdSub ScatterNdUpdate
    ScatterSub ScatterUpdate SeLU SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum Send
    SigmoidCrossEntropyWithLogits Size SoftmaxCrossEntropyWithLogits Softplus Softsign Sort
    SpaceToBatchND SpaceToDepth SparseApplyAdadelta SparseApplyAdagrad SparseApplyAdagradV2
    SparseApplyFtrl SparseApplyProximalAdagrad SparseApplyRMSProp SparseGatherV2
    SparseSoftmaxCrossEntropyWithLogits SparseTensorDenseAdd SparseTensorDenseMatmul SparseToDense
    SplitV SquareSumAll SquaredDifference StandardLaplace StandardNormal SubAndFilter
    TensorScatterDiv TensorScatterMax TensorScatterMin TensorScatterMul TensorScatterSub
    TensorScatterUpdate TopK TridiagonalMatMul Tril TrilIndices TripletMarginLoss TriuIndices
    TruncateDiv TruncateMod TruncatedNormal TupleToArray UniformCandidateSampler UniformInt
    UniformReal UniqueWithPad UnravelIndex UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd
    UpperBound Xdivy Zeta
    """.split()
)

# A TypeError for too many, as a check of the inputs runs first.
_TYPE_ERROR_FOR_EXCESS = frozenset(
    """
    AdamNoUpdateParam ApplyCenteredRMSProp ApplyRMSProp BatchToSpaceND Bucketize CTCGreedyDecoder
    ChannelShuffle CheckNumerics CombinedNonMaxSuppression Conv2D Conv3D Conv3DTranspose
    DataFormatDimMap DeformableOffsets FusedAdaFactor Igamma Igammac Inv LogNormalReverse LogSpace
    LogUniformCandidateSampler NthElement Polygamma RandomGamma SGD ScatterAddWithAxis
    SigmoidCrossEntropyWithLogits SoftmaxCrossEntropyWithLogits StandardLaplace StandardNormal
    TensorScatterDiv TensorScatterMax TensorScatterMin TensorScatterMul TensorScatterSub
    TensorScatterUpdate UniformInt UniformReal UnsortedSegmentMax UnsortedSegmentMin
    UnsortedSegmentProd
    """.split()
)


# Made by hand, with constructors that take NumPy scalars; and generated, with ones that do not.
_LOOSE = frozenset({"Pad", "SGD"})
_STRICT = frozenset({"NanToNum", "Unstack"})


def takes_numpy_scalars(name):
    """Returns whether the constructor of a Primitive takes NumPy scalars for numbers."""
    return name in _LOOSE or name not in _BY_HAND | _STRICT


def error_for_count(name, excess=False):
    """Returns the exception type for too few inputs of a Primitive, or for too many (`excess`)."""
    is_counted = name in _BY_HAND and not (excess and name in _TYPE_ERROR_FOR_EXCESS)
    return ValueError if is_counted else TypeError
