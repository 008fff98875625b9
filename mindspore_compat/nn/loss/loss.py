"""The losses: of regression in _distances.py, of classes in _classes.py, of margins between classes
in _margins.py, of overlaps in _overlaps.py."""

from ._base import LossBase, _Loss
from ._classes import (
    BCELoss,
    BCEWithLogitsLoss,
    CrossEntropyLoss,
    CTCLoss,
    FocalLoss,
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
from ._margins import MultilabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss
from ._overlaps import DiceLoss, MultiClassDiceLoss

__all__ = [
    "LossBase",
    "_Loss",
    "BCELoss",
    "BCEWithLogitsLoss",
    "CrossEntropyLoss",
    "CTCLoss",
    "DiceLoss",
    "FocalLoss",
    "MultiClassDiceLoss",
    "MultilabelMarginLoss",
    "MultiLabelSoftMarginLoss",
    "MultiMarginLoss",
    "NLLLoss",
    "SampledSoftmaxLoss",
    "SoftmaxCrossEntropyWithLogits",
    "CosineEmbeddingLoss",
    "GaussianNLLLoss",
    "HingeEmbeddingLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "L1LossExt",
    "MAELoss",
    "MarginRankingLoss",
    "MSELoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]
