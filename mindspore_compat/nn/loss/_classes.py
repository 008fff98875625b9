"""Classification losses: cross entropies, sampled softmax, and CTC."""

from ... import ops
from ..._core.declare.public_api import public
from ..._core.rules.value_rules import AnyCase
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    ListOf,
    OneOf,
    Str,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from ..._core.tensor.dtype import int32, int64
from ..._core.tensor.tensor import Tensor
from ...common.parameter import Parameter
from ..layer.activation import get_activation
from ._base import LossBase

Anything = TensorOf(any_dtype)
Half = TensorOf("float16", "float32")
Classes = TensorOf("int32", "int64")
Reduction = OneOf("none", "mean", "sum")


# Entropies ----------------------------------------------------------------------------------------


def _check_is_tensor(param_name, input_data, cls_name):
    """Rejects an input of a loss that is not a Tensor.

    Args:
        param_name (str): the name of the input, for the message.
        input_data (object): the input.
        cls_name (str): the name of the loss, for the message.

    Raises:
        TypeError: if `input_data` is not a Tensor.
    """
    if input_data is not None and not isinstance(input_data, Tensor):
        got = type(input_data).__name__
        raise TypeError(f"For '{cls_name}', '{param_name}' must be a Tensor, but got {got}.")


def _check_label_dtype(labels_dtype, cls_name):
    """Rejects labels that are not class indices.

    Args:
        labels_dtype (mindspore.dtype): the dtype of the labels.
        cls_name (str): the name of the loss, for the message.

    Raises:
        TypeError: if the dtype is neither int32 nor int64.
    """
    if labels_dtype not in (int32, int64):
        raise TypeError(
            f"For '{cls_name}', 'labels' must be of dtype int32 or int64, but got {labels_dtype}."
        )


@public("nn.SoftmaxCrossEntropyWithLogits")
class SoftmaxCrossEntropyWithLogits(LossBase):
    """Softmax cross entropy of logits with classes, or with probabilities of classes.

    Args:
        sparse (bool): whether labels are class indices instead of probabilities.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits** (Tensor): floats of shape (N, C).
        - **labels** (Tensor): if `sparse`, int32 or int64 of shape (N,), else as `logits`. Class
          indices outside [0, C) contribute nothing.

    Outputs:
        Tensor in the dtype of `logits`: of shape (N,) for "none", otherwise of shape ().

    Raises:
        TypeError: if `sparse` is not a bool, or the labels are of the wrong type.
        ValueError: if `reduction` is invalid, or the shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.SoftmaxCrossEntropyWithLogits(sparse=True)(ms.Tensor([[0.0, 0.0]]),
        ...         ms.Tensor([1], ms.int32)))
        [0.6931472]
    """

    @checked
    def __init__(self, sparse: Bool = False, reduction: Any = "none"):
        super().__init__(reduction)
        self.sparse = sparse

    @checked
    def construct(self, logits: Half, labels: Anything):
        """Returns the loss of the predictions `logits` for the `labels`."""
        if not self.sparse:
            return self.get_loss(ops.SoftmaxCrossEntropyWithLogits()(logits, labels)[0])
        return self.get_loss(self._of_classes(logits, labels))

    @checked
    def _of_classes(self, logits, labels: Classes):
        if logits.ndim != 2 or labels.shape != logits.shape[:1]:
            raise ValueError(
                f"For 'SoftmaxCrossEntropyWithLogits', 'logits' must have shape (N, "
                f"C) and 'labels' (N,), but got {logits.shape} and {labels.shape}."
            )
        in_range = ops.logical_and(labels >= 0, labels < logits.shape[1])
        return ops.cross_entropy(logits, ops.where(in_range, labels, -100), reduction="none")


@public("nn.CrossEntropyLoss")
class CrossEntropyLoss(LossBase):
    """Cross entropy loss of softmax(logits) with class indices, or with probabilities of classes.

    With q = softmax(logits), the loss is -log(q[c]) for a class c, and -sum(labels log(q)) for
    probabilities.

    Args:
        weight (Tensor): a weight per class, float16 or float32.
        ignore_index (int): a class that does not contribute to the loss.
        reduction (str): 'none', 'mean' (weighted) or 'sum'.
        label_smoothing (float): the share of the uniform distribution in the targets, in [0, 1].

    Inputs:
        - **logits** (Tensor): floats of shape (C,), (N, C) or (N, C, ...).
        - **labels** (Tensor): int32 class indices in that shape without C, or probabilities in that
          shape.

    Outputs:
        Tensor in the dtype of `logits`: of the shape of class indices for "none", otherwise of
        shape ().

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `reduction` is invalid, or `label_smoothing` out of range.

    Examples:
        >>> from mindspore_compat import Tensor, nn, ops
        >>> loss = nn.CrossEntropyLoss()(ops.zeros((2, 4)), Tensor([1, 3]).int())
        >>> round(float(loss), 4)
        1.3863
    """

    @checked
    def __init__(
        self,
        weight: Half | None = None,
        ignore_index: Int = -100,
        reduction: Any = "mean",
        label_smoothing: Float(ge=0.0, le=1.0) = 0.0,
    ):
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    @checked
    def construct(
        self, logits: Anything, labels: TensorOf("int32", "float16", "float32", "bfloat16")
    ):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


@public("nn.NLLLoss")
class NLLLoss(LossBase):
    """Negative log likelihood loss: minus the log probabilities of the classes.

    Args:
        weight (Tensor): a weight per class, float16 or float32.
        ignore_index (int): a class that does not contribute to the loss.
        reduction (str): 'none', 'mean' (weighted) or 'sum'.

    Inputs:
        - **logits** (Tensor): log probabilities of shape (N, C) or (N, C, ...).
        - **labels** (Tensor): int32 class indices in that shape without C.

    Outputs:
        Tensor in the dtype of `logits`: of the shape of `labels` for "none", otherwise of shape ().

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `reduction` is invalid.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.NLLLoss()(ms.Tensor([[-0.5, -1.0]]), ms.Tensor([1], ms.int32)))
        1.0
    """

    @checked
    def __init__(
        self, weight: Half | None = None, ignore_index: Int = -100, reduction: Any = "mean"
    ):
        super().__init__(reduction)
        self.weight = weight
        self.ignore_index = ignore_index

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        Anything.refuse("NLLLoss", "logits", logits)
        # a difference in the first axis is a ValueError, raised below
        if not isinstance(labels, Tensor) or logits.shape[:1] == labels.shape[:1]:
            Classes.refuse("NLLLoss", "labels", labels)
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


@public("nn.BCELoss")
class BCELoss(LossBase):
    """Binary cross entropy loss of probabilities: -(labels log(logits) + (1 - labels) log(1 -
    logits)).

    Args:
        weight (Tensor): multiplies the loss; of the same shape and dtype as the inputs.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits**, **labels** (Tensor): floats of the same shape and dtype.

    Outputs:
        Tensor in the dtype of `logits`: of the shape of `logits` for "none", otherwise of shape ().

    Raises:
        TypeError: if dtypes differ or are others.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BCELoss(reduction="mean")(ms.Tensor([0.9, 0.2]), ms.Tensor([1.0, 0.0])))
        0.16425204
    """

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = weight

    def construct(self, logits, labels):
        """Returns the loss of the predictions `logits` for the `labels`."""
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


@public("nn.BCEWithLogitsLoss")
class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy loss with logits: the binary cross entropy of sigmoid(input) and
    `target`.

    Args:
        reduction (str): 'none', 'mean' or 'sum'.
        weight (Tensor): multiplies the loss; must not be a Parameter.
        pos_weight (Tensor): multiplies the loss of positive targets; must not be a Parameter.

    Inputs:
        - **input**, **target** (Tensor): floats of the same shape.

    Outputs:
        Tensor in the dtype of `input`: of the shape of `input` for "none", otherwise of shape ().

    Raises:
        TypeError: if `reduction` is not a str, or a weight a Parameter.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.BCEWithLogitsLoss()(ms.Tensor([2.0, -1.0]), ms.Tensor([1.0, 0.0])))
        0.22009481
    """

    @checked
    def __init__(self, reduction: AnyCase(Reduction) = "mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        for name, value in (("weight", weight), ("pos_weight", pos_weight)):
            if isinstance(value, Parameter):
                raise TypeError(
                    f"For 'BCEWithLogitsLoss', '{name}' must be no Parameter, but got {value!r}."
                )
        self.weight = weight
        self.pos_weight = pos_weight

    def construct(self, input, target):
        """Returns the loss of the predictions `input` for `target`."""
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


@public("nn.FocalLoss")
class FocalLoss(LossBase):
    """Focal loss: -(1 - p)^gamma log(p), where p is softmax(logits) at the labels.

    Args:
        weight (Tensor): a weight per class.
        gamma (float): the exponent that reduces the loss of well-classified elements.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **logits** (Tensor): shape (N, C), (N, C, H) or (N, C, H, W).
        - **labels** (Tensor): class indices, with C = 1; or a factor for each element of `logits`.

    Outputs:
        Tensor in the dtype of `logits`: of shape (N,) for "none", otherwise of shape ().

    Raises:
        TypeError: if `gamma` is not a float, or `weight` not a Tensor.
        ValueError: if `reduction` is invalid, or shapes do not fit.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.nn.FocalLoss()(ms.Tensor([[0.8, 1.4], [0.5, 0.9]]),
        ...                         ms.Tensor([[1], [0]], ms.int32)))
        0.19108999
    """

    @checked
    def __init__(self, weight: Anything | None = None, gamma: Float = 2.0, reduction: Any = "mean"):
        super().__init__(reduction)
        if weight is not None and weight.ndim != 1:
            raise ValueError(
                f"For 'FocalLoss', 'weight' must have 1 axis, but got shape {weight.shape}."
            )
        self.weight = weight
        self.gamma = gamma
        self.logsoftmax = get_activation("logsoftmax").__class__(1)

    @checked
    def construct(self, logits: Anything, labels: TensorOf("int32", "int64", "float16", "float32")):
        """Returns the loss, averaged over the positions of each sample and then reduced."""
        self._need_shapes(logits.shape, labels.shape)
        batch, classes = logits.shape[:2]
        logs = self.logsoftmax(logits.reshape((batch, classes, -1)))
        labels = labels.reshape((*labels.shape[:2], logs.shape[2]))
        factor = ops.pow(1 - ops.exp(logs), self.gamma)
        if self.weight is not None:
            logs = logs * self.weight.reshape((1, classes, 1))
        loss = -factor * logs
        if labels.shape[1] == 1:
            indices = labels.astype(int32)
            indices = ops.where(indices < 0, indices + classes, indices)
            loss = ops.gather_elements(loss, 1, indices).squeeze(1)
        else:
            loss = loss * labels
        return self.get_loss(loss.mean(-1))

    def _need_shapes(self, shape, labels):
        if not 2 <= len(shape) <= 4 or len(labels) != len(shape):
            raise ValueError(
                f"For 'FocalLoss', 'logits' and 'labels' must have as many axes, 2 to "
                f"4, but got shapes {shape} and {labels}."
            )
        if shape[1] == 1:
            raise ValueError(
                f"For 'FocalLoss', 'logits' must have more than one class, but got shape {shape}."
            )
        if labels[1] not in (1, shape[1]):
            raise ValueError(
                f"For 'FocalLoss', 'labels' must have 1 or {shape[1]} classes, but "
                f"got shape {labels}."
            )


@public("nn.SampledSoftmaxLoss")
class SampledSoftmaxLoss(LossBase):
    """Sampled softmax loss: the cross entropy over the true classes and some randomly drawn
    classes.

    Args:
        num_sampled (int): the number of classes drawn.
        num_classes (int): the number of classes.
        num_true (int): the number of true classes of a sample.
        sampled_values (Union[list, tuple]): the sampled classes, the expected counts of the true
            classes, and those of the sampled ones, as a candidate sampler returns them; drawn
            uniformly by default.
        remove_accidental_hits (bool): whether to ignore sampled classes that are true classes.
        seed (int): the seed of the draws.
        reduction (str): 'none', 'mean' or 'sum'.

    Inputs:
        - **weights** (Tensor): shape (num_classes, dim).
        - **biases** (Tensor): shape (num_classes,).
        - **labels** (Tensor): int32 or int64, shape (N, num_true), or (N,).
        - **logits** (Tensor): the inputs of the last layer, shape (N, dim).

    Outputs:
        Tensor of float32, or float64 for float64: of shape (N,) for "none", otherwise of shape ().

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if more classes are asked for than there are, or `sampled_values` are not three.

    Example:
        >>> import mindspore_compat as ms
        >>> loss = ms.nn.SampledSoftmaxLoss(num_sampled=2, num_classes=4, seed=1)
        >>> print(loss(ms.ops.ones((4, 3)), ms.ops.zeros((4,)), ms.Tensor([[1]]),
        ...            ms.ops.ones((1, 3))).shape)
        (1,)
    """

    def __init__(
        self,
        num_sampled,
        num_classes,
        num_true=1,
        sampled_values=None,
        remove_accidental_hits=True,
        seed=0,
        reduction="none",
    ):
        super().__init__(reduction)
        _need_samples(num_sampled, num_classes, num_true, sampled_values)
        self.num_sampled, self.num_classes, self.num_true = num_sampled, num_classes, num_true
        self.sampled_values, self.seed = sampled_values, seed
        self.remove_accidental_hits = remove_accidental_hits
        self.sampler = ops.UniformCandidateSampler(
            num_true, num_sampled, True, num_classes, seed, remove_accidental_hits
        )

    @checked
    def construct(self, weights: Anything, biases: Anything, labels: Classes, logits: Anything):
        """Returns the loss of `weights`, `biases`, `labels` and `logits`."""
        if labels.ndim == 1:
            labels = labels.expand_dims(1)
        classes, true_counts, counts = self.sampled_values or self.sampler(labels)
        scores = (logits.expand_dims(1) * weights[labels]).sum(-1) + biases[labels]
        others = ops.matmul(logits, weights[classes].swapaxes(0, 1)) + biases[classes]
        scores = ops.cat((scores - ops.log(true_counts), others - ops.log(counts)), 1)
        logs = ops.log_softmax(scores, 1)[:, : labels.shape[1]]
        return self.get_loss(-logs.mean(1))


@checked
def _need_samples(
    num_sampled: Int(ge=1),
    num_classes: Int(ge=1),
    num_true: Int(ge=1),
    sampled_values: TupleOf(Any) | ListOf(Any) | None,
):
    """Raises an error if more classes are sampled than exist, or `sampled_values` has not 3
    members."""
    for name, count in (("num_sampled", num_sampled), ("num_true", num_true)):
        if count > num_classes:
            raise ValueError(
                f"For 'SampledSoftmaxLoss', '{name}' must be at most 'num_classes', "
                f"but got {count} and {num_classes}."
            )
    if sampled_values is not None and len(sampled_values) != 3:
        raise ValueError(
            f"For 'SampledSoftmaxLoss', 'sampled_values' must be three, but got "
            f"{len(sampled_values)}."
        )


# Sequences ----------------------------------------------------------------------------------------


@public("nn.CTCLoss")
class CTCLoss(LossBase):
    """Connectionist temporal classification (CTC) loss.

    Args:
        blank (int): the index of the blank class.
        reduction (str): 'none', 'mean' or 'sum'.
        zero_infinity (bool): whether the loss of an impossible target is 0.

    Inputs:
        - **log_probs** (Tensor): shape (T, N, C) or (T, C).
        - **targets** (Tensor): ints of shape (N, S), or (S,) for (T, C).
        - **input_lengths**, **target_lengths** (Union[tuple, Tensor]): ints of shape (N,), or
          (1,) for (T, C).

    Outputs:
        Tensor in the dtype of `log_probs`: of shape (N,) for "none", otherwise or without N of
        shape ().

    Raises:
        TypeError: if an argument or an input is of the wrong type.
        ValueError: if `reduction` is invalid, `blank` not a class, or shapes do not fit.
        RuntimeError: if a length is out of range.

    Example:
        >>> import mindspore_compat as ms
        >>> probabilities = ms.ops.log_softmax(ms.ops.zeros((3, 1, 2)))
        >>> print(ms.nn.CTCLoss()(probabilities, ms.Tensor([[1]], ms.int32),
        ...                       ms.Tensor([3], ms.int32), ms.Tensor([1], ms.int32)))
        0.28768206
    """

    @checked
    def __init__(self, blank: Int = 0, reduction: Str = "mean", zero_infinity: Bool = False):
        super().__init__(reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    @checked
    def construct(self, log_probs: Anything, targets: Anything, input_lengths, target_lengths):
        """Returns the loss of `log_probs`, `targets`, `input_lengths` and `target_lengths`."""
        single = log_probs.ndim == 2
        if single:
            log_probs = log_probs.expand_dims(1)
            targets = targets.expand_dims(0) if targets.ndim == 1 else targets
        loss = ops.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )[0]
        return loss.squeeze(0) if single and self.reduction == "none" else loss
