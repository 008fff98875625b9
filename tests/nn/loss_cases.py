"""Losses to compare with MindSpore, one per line: name | constructor | inputs, continued on
indented lines.

`compare_cells.py` runs them and explains T, I, J, P, S and L.
"""

CASES = """
l1_loss | nn.L1Loss() | T(2, 3), T(3)
l1_none | nn.L1Loss("none") | T(2, 3), T(2, 3)
mae | nn.MAELoss("sum") | T(2, 3), T(2, 3)
mse | nn.MSELoss() | T(2, 3), T(2, 3)
mse_none | nn.MSELoss("none") | T(2, 3), T(3)
mse_ints | nn.MSELoss() | I(5, 2, 3), I(4, 2, 3)
rmse | nn.RMSELoss() | T(2, 3), T(2, 3)
smooth_l1 | nn.SmoothL1Loss() | T(2, 3), T(2, 3)
smooth_l1_mean | nn.SmoothL1Loss(0.3, "mean") | T(2, 3), T(2, 3)
huber | nn.HuberLoss() | T(2, 3), T(3)
huber_none | nn.HuberLoss("none", 0.5) | T(2, 3), T(2, 3)
kl_div | nn.KLDivLoss() | T(2, 3), P(2, 3)
kl_div_batch | nn.KLDivLoss("batchmean") | T(2, 3), P(2, 3)
poisson | nn.PoissonNLLLoss() | T(2, 3), P(2, 3)
poisson_full | nn.PoissonNLLLoss(False, True, reduction="none") | P(2, 3), T(2, 3) + 2
gaussian | nn.GaussianNLLLoss() | T(2, 3), T(2, 3), P(2, 3)
gaussian_full | nn.GaussianNLLLoss(full=True, eps=0.5, reduction="none") | T(2, 3), T(2, 3), P(2, 1)
hinge_embedding | nn.HingeEmbeddingLoss(0.5) | T(2, 3), S(2, 3)
margin_ranking | nn.MarginRankingLoss(0.5, "none") | T(2, 3), T(2, 3), S(2, 3)
cosine_embedding | nn.CosineEmbeddingLoss(0.2) | T(2, 3), T(2, 3), L(1, -1)
triplet_distance | nn.TripletMarginWithDistanceLoss(swap=True, margin=2.0) |
    T(2, 3), T(2, 3), T(2, 3)
softmax_classes | nn.SoftmaxCrossEntropyWithLogits(True) | T(2, 3), I(3, 2)
softmax_mean | nn.SoftmaxCrossEntropyWithLogits(True, "mean") | T(2, 3), J(3, 2)
softmax_shares | nn.SoftmaxCrossEntropyWithLogits(reduction="sum") | T(2, 3), P(2, 3)
cross_entropy | nn.CrossEntropyLoss() | T(4, 3), I(3, 4)
cross_entropy_ignore | nn.CrossEntropyLoss(None, 1) | T(4, 3), I(3, 4)
cross_entropy_weight | nn.CrossEntropyLoss(P(3), 2, "mean", 0.1) | T(4, 3), I(3, 4)
cross_entropy_none | nn.CrossEntropyLoss(reduction="none") | T(2, 3, 2), I(3, 2, 2)
cross_entropy_shares | nn.CrossEntropyLoss(label_smoothing=0.2) | T(4, 3), P(4, 3)
cross_entropy_one | nn.CrossEntropyLoss() | T(3), I(3, 1)[0]
nll | nn.NLLLoss(P(3), 1, "sum") | T(4, 3), I(3, 4)
nll_mean | nn.NLLLoss() | T(4, 3, 2), I(3, 4, 2)
bce | nn.BCELoss() | P(2, 3), P(2, 3)
bce_weight | nn.BCELoss(P(2, 3), "none") | P(2, 3), P(2, 3)
bce_logits | nn.BCEWithLogitsLoss() | T(2, 3), P(2, 3)
bce_logits_weight | nn.BCEWithLogitsLoss("none", P(3), P(2, 3) + 1) | T(2, 3), P(2, 3)
focal | nn.FocalLoss() | T(2, 3), I(3, 2, 1)
focal_places | nn.FocalLoss(P(3), 1.5, "none") | T(2, 3, 2, 2), I(3, 2, 1, 2, 2)
focal_factor | nn.FocalLoss(reduction="sum") | T(2, 3, 2), I(2, 2, 3, 2)
sampled | nn.SampledSoftmaxLoss(3, 7, sampled_values=(L(0, 3, 5), P(2, 1), P(3))) |
    T(7, 3), T(7), I(7, 2, 1), T(2, 3)
sampled_two | nn.SampledSoftmaxLoss(3, 7, 2, (L(0, 3, 5), P(2, 2), P(3))) |
    T(7, 3), T(7), I(7, 2, 2), T(2, 3)
sampled_all | nn.SampledSoftmaxLoss(7, 7) | T(7, 3), T(7), I(7, 2, 1), T(2, 3)
dice | nn.DiceLoss() | P(2, 3), P(2, 3)
dice_classes | nn.MultiClassDiceLoss() | T(2, 3, 2), P(2, 3, 2)
dice_weights | nn.MultiClassDiceLoss(P(3, 2), 1, None) | P(2, 3, 2), P(2, 3, 2)
multi_margin | nn.MultiMarginLoss(2, 0.7) | T(2, 3), J(3, 2)
multi_margin_weight | nn.MultiMarginLoss(weight=P(3), reduction="none") | T(2, 3), J(3, 2)
multi_soft | nn.MultiLabelSoftMarginLoss() | T(2, 3), I(2, 2, 3)
multi_soft_weight | nn.MultiLabelSoftMarginLoss(P(3), "none") | T(2, 3), I(2, 2, 3)
ctc | nn.CTCLoss() | T(5, 2, 4), L(1, 2, 3, 1).reshape((2, 2)), L(5, 4), L(2, 1)
ctc_sum | nn.CTCLoss(3, "sum", True) | T(5, 2, 4), L(1, 2, 0, 1).reshape((2, 2)), L(5, 4), L(2, 1)
ctc_one | nn.CTCLoss(reduction="none") | T(5, 4), L(1, 2), L(5), L(2)
"""

# The inputs are integers, or MindSpore omits the gradient of the labels, or it requires inputs
# that are distributions.
NO_GRADIENT = {
    "mse_ints",
    "kl_div",
    "kl_div_batch",
    "softmax_shares",
    "hinge_embedding",
    "ctc",
    "ctc_sum",
    "ctc_one",
}
