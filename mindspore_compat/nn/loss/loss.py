"""Facade of the losses: regression losses are in _distances.py, losses of pairs and triplets in
_pairs.py, classification losses in _classes.py, multi-class margin losses in _margins.py, overlap
losses in _overlaps.py."""

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
    _check_is_tensor,
    _check_label_dtype,
)
from ._distances import (
    GaussianNLLLoss,
    HingeEmbeddingLoss,
    HuberLoss,
    KLDivLoss,
    L1Loss,
    L1LossExt,
    MAELoss,
    MSELoss,
    PoissonNLLLoss,
    RMSELoss,
    SmoothL1Loss,
    SoftMarginLoss,
)
from ._margins import MultilabelMarginLoss, MultiLabelSoftMarginLoss, MultiMarginLoss
from ._overlaps import DiceLoss, MultiClassDiceLoss
from ._pairs import (
    CosineEmbeddingLoss,
    MarginRankingLoss,
    TripletMarginLoss,
    TripletMarginWithDistanceLoss,
)

__all__ = [
    "LossBase",
    "_Loss",
    "_check_is_tensor",
    "_check_label_dtype",
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
