"""The losses: those of regression are in _distances.py, the others in _classes.py."""

from ._base import LossBase, _Loss
from ._classes import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    DiceLoss,
    FocalLoss,
    MultiClassDiceLoss,
    MultilabelMarginLoss,
    MultiLabelSoftMarginLoss,
    MultiMarginLoss,
    NLLLoss,
    SampledSoftmaxLoss,
    SoftmaxCrossEntropyWithLogits,
)
from ._distances import (
    CosineEmbeddingLoss,
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    L1LossExt,
    MAELoss,
    MarginRankingLoss,
    MSELoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
    SoftMarginLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)

__all__ = [
    "LossBase", "_Loss", "BCELoss", "BCEWithLogitsLoss", "CrossEntropyLoss", "CTCLoss", "DiceLoss",
    "FocalLoss", "MultiClassDiceLoss", "MultilabelMarginLoss", "MultiLabelSoftMarginLoss",
    "MultiMarginLoss", "NLLLoss", "SampledSoftmaxLoss", "SoftmaxCrossEntropyWithLogits",
    "CosineEmbeddingLoss", "GaussianNLLLoss", "HingeEmbeddingLoss", "HuberLoss", "KLDivLoss",
    "L1Loss", "L1LossExt", "MAELoss", "MarginRankingLoss", "MSELoss", "PoissonNLLLoss", "RMSELoss",
    "SmoothL1Loss", "SoftMarginLoss", "TripletMarginLoss", "TripletMarginWithDistanceLoss",
]
