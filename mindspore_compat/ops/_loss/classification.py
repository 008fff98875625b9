"""Losses of classification: cross entropies and multi-class margins.

Those of regression and of margins between pairs are in _loss/regression.py, those of sequences in
_loss/ctc.py.
"""

from ..._backend.device_bodies import bodies_of
from ..._backend.space import extra
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Promote, Quirks, SameDtype
from ..._core.declare.op import op
from ..._core.rules.vocabulary import (
    Any,
    AsValue,
    Bool,
    Float,
    Int,
    InTensor,
    Number,
    OneOf,
    ScalarOf,
    TensorOf,
    floating,
    number,
    real,
)
from .._activation import softmax  # noqa: F401 - it declares log_soft
from .._indexing.gather import beyond
from .._rules import Float16Or32, Float16To64, Floats, FloatsUpTo32, Index
from .regression import Reduced, Reduction, need_broadcast, need_shape, reduced

# Cross entropy of classes -------------------------------------------------------------------------


@extra
def class_nll(xp, x, target, counts):
    """log(sum(exp(x))) - x[target] for each row of (N, C), and 0 where `counts` is false."""
    if bodies := bodies_of(xp, x, target, counts):
        return xp.cast(bodies.rows(_row_nll, "err", "r", (1, *x.shape), x, target, counts), x.dtype)
    return xp.by_rows(_row_nll, x, target, counts)


def _row_nll(xp, x, target, counts):
    x = x - xp.max(x, 1, keepdims=True)
    lost = xp.log(xp.sum(xp.exp(x), 1)) - xp.pick_column(x, xp.where(counts, target, 0))
    return xp.where(counts, lost, 0)


def _class_nll_vjp(xp, g, out, x, target, counts):
    """softmax(x) less 1 at the target; 0 where a row does not count."""
    if bodies := bodies_of(xp, x, target, counts, out, g):
        return bodies.rows(_row_vjp, "errrr", "e", (1, *x.shape), x, target, counts, out, g)
    return xp.by_rows(_row_vjp, x, target, counts, out, g)


def _row_vjp(xp, x, target, counts, out, g):
    target, g = xp.where(counts, target, 0), xp.where(counts, g, 0)
    total = xp.where(counts, out + xp.pick_column(x, target), float("inf"))
    soft = xp.exp(x - xp.expand_dims(total, 1)) * xp.expand_dims(g, 1)
    return xp.add_at_column(soft, target, -g)


derive("class_nll(x, target, counts)", arrays="x target counts", x=_class_nll_vjp)


def _in_rows(xp, x, target):
    """`target`, whose classes may stand in rows of one each beside the rows of `x`."""
    single = x.ndim == 2 and tuple(target.shape) == (x.shape[0], 1) and target.dtype.kind in "iu"
    return xp.reshape(target, (-1,)) if single else target


def _rows_of_classes(xp, x, target, ignore, reduction):
    """The cross entropy of rows with classes, all of one weight."""
    if tuple(target.shape) != tuple(x.shape[:1]):
        raise _misfit(xp, target, x.shape[1])(
            f"For 'cross_entropy', 'target' must have shape {tuple(x.shape[:1])}, but got "
            f"{tuple(target.shape)}."
        )
    counts = target != ignore
    loss = xp.class_nll(x, target, counts)
    if reduction == "mean":
        return xp.sum(loss) / xp.cast(xp.sum(counts), x.dtype)
    return reduced(xp, loss, reduction)


def _picked(xp, x, target, axis):
    """The entries of `x` that `target` names along `axis`."""
    return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(target, axis), axis), axis)


def _class_weights(xp, weight, x, axis):
    """Weights of the classes, shaped to multiply `x`."""
    return xp.reshape(weight, (-1,) + (1,) * (x.ndim - 1 - axis))


def _misfit(xp, target, length):
    """The exception for shapes that do not fit: the original picks the classes first, and has a
    RuntimeError for one that is not there."""
    return RuntimeError if bool(xp.any((target < -length) | (target >= length))) else ValueError


def _likelihood(xp, api, logs, target, weight, ignore, reduction, smoothing):
    """The negative log likelihood of the classes `target`, weighted, smoothed and reduced.

    Classes are along axis 1, or along the only axis.
    """
    axis = min(logs.ndim, 2) - 1
    classes = logs.shape[axis]
    wanted = tuple(n for i, n in enumerate(logs.shape) if i != axis)
    if tuple(target.shape) != wanted:
        raise _misfit(xp, target, classes)(
            f"For '{api}', 'target' must have shape {wanted}, but got {tuple(target.shape)}."
        )
    if weight is not None and tuple(weight.shape) != (classes,):
        raise _misfit(xp, target, weight.shape[0] if weight.ndim else 0)(
            f"For '{api}', 'weight' must have shape ({classes},), but got {tuple(weight.shape)}."
        )
    counts = target != ignore
    target = xp.where(counts, target, 0)
    keep = xp.cast(counts, logs.dtype)
    own = keep if weight is None else keep * xp.cast(xp.take(weight, target, 0), logs.dtype)
    loss = -_picked(xp, logs, target, axis) * own
    if smoothing:
        spread = (
            logs
            if weight is None
            else logs * _class_weights(xp, xp.cast(weight, logs.dtype), logs, axis)
        )
        uniform = -xp.sum(spread, axis) * keep
        loss = (1 - smoothing) * loss + (smoothing / classes) * uniform
    if reduction == "mean":
        return xp.sum(loss) / xp.sum(own)
    return reduced(xp, loss, reduction)


def _against_probabilities(xp, api, logs, target, weight, reduction, smoothing):
    """-sum(target * logs) over the classes; the mean is over everything but the classes."""
    need_shape(api, "input", "target", logs, target)
    axis = min(logs.ndim, 2) - 1
    classes = logs.shape[axis]
    if smoothing:
        target = target * (1 - smoothing) + smoothing / classes
    terms = logs * target
    if weight is not None:
        terms = terms * _class_weights(xp, weight, logs, axis)
    loss = -xp.sum(terms, axis)
    return reduced(xp, loss, reduction)


def _cross_entropy(xp, x, target, weight, ignore, reduction, smoothing):
    if x.ndim == 2 and weight is None and not smoothing and target.dtype.kind in "iu":
        return _rows_of_classes(xp, x, target, ignore, reduction)
    logs = xp.log_soft(x, min(x.ndim, 2) - 1)
    if target.dtype.kind in "iu":
        return _likelihood(xp, "cross_entropy", logs, target, weight, ignore, reduction, smoothing)
    return _against_probabilities(xp, "cross_entropy", logs, target, weight, reduction, smoothing)


def _need_classes(api, x):
    if x.ndim == 0:
        raise ValueError(
            f"For '{api}', the input must have at least 1 dimension, but got a scalar."
        )


@op(
    "ops.cross_entropy(input, target, weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)",
    "mint.nn.functional.cross_entropy(input, target, weight=None, ignore_index=-100, "
    "reduction='mean', label_smoothing=0.0)",
    "mint.nn.CrossEntropyLoss(weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)(input, target)",
    types=Promote("input weight"),
)
def cross_entropy(
    xp,
    input: Floats,
    target: TensorOf("int32", "int64", floating),
    weight: Floats = None,
    ignore_index: Int = -100,
    reduction: Reduced = "mean",
    label_smoothing: Float = 0.0,
):
    """Computes the cross entropy of logits with classes, or with probabilities of classes.

    Integer targets name classes; `ignore_index` marks those that do not count, and the mean is
    weighted by `weight`, one number for each class. Floating targets are probabilities.
    `label_smoothing` mixes in that much of the uniform distribution.

    Shapes:
        `input` is (N, C, ...) or (C,). Classes have its shape without C, or (N, 1); probabilities
        have its shape. The result is (), or the shape without C for `reduction` "none".

    Example:
        >>> print(ms.ops.cross_entropy(ms.Tensor([[2.0, 0.0], [0.0, 1.0]]),
        ...                            ms.Tensor([0, 0], ms.int32)))
        0.72009486
    """
    _need_classes("cross_entropy", input)
    target = _in_rows(xp, input, target)
    try:
        return _cross_entropy(xp, input, target, weight, ignore_index, reduction, label_smoothing)
    except IndexError as error:
        raise beyond("cross_entropy", "target", error) from error


@op(
    "ops.nll_loss(inputs, target, weight=None, ignore_index=-100, reduction='mean', "
    "label_smoothing=0.0)",
    types=Promote("inputs weight"),
)
def nll_loss(
    xp,
    inputs: TensorOf(number),
    target: Index,
    weight: Floats = None,
    ignore_index: InTensor(Number | Bool | None) = -100,
    reduction: Any = "mean",
    label_smoothing: InTensor(Number | Bool) = 0.0,
):
    """Computes minus the log probability of the class that each target names.

    `ignore_index` marks targets that do not count, and the mean is weighted by `weight`, one number
    for each class. Any other `reduction` counts as "none".

    Shapes:
        `inputs` is (N, C, ...) or (C,), `target` has its shape without C. The result is (), or that
        shape for "none".

    Example:
        >>> print(ms.ops.nll_loss(ms.Tensor([[-0.5, -1.0], [-2.0, -0.1]]),
        ...                       ms.Tensor([0, 1], ms.int32)))
        0.3
    """
    _need_classes("nll_loss", inputs)
    if not (isinstance(reduction, str) and reduction in ("mean", "sum")):
        reduction = "none"
    inputs = xp.cast(inputs, "float32") if inputs.dtype.kind in "iu" else inputs
    target = _in_rows(xp, inputs, target)
    try:
        return _likelihood(
            xp, "nll_loss", inputs, target, weight, ignore_index, reduction, label_smoothing
        )
    except IndexError as error:
        raise beyond("nll_loss", "target", error) from error


@op(
    "mint.nn.functional.nll_loss(input, target, weight=None, ignore_index=-100, reduction='mean')",
    "mint.nn.NLLLoss(weight=None, ignore_index=-100, reduction='mean')(input, target)",
    quirks=Quirks(shapes_first=True),
)
def nll_loss_ext(
    xp,
    input: Floats,
    target: TensorOf("int16", "int32", "int64"),
    weight: Floats = None,
    ignore_index: ScalarOf(Int, TypeError) = -100,
    reduction: Reduction = "mean",
):
    """Computes minus the log probability of the class that each target names.

    `ignore_index` marks targets that do not count, and the mean is weighted by `weight`, one number
    for each class.

    Shapes:
        `input` is (N, C, ...) or (C,), `target` has its shape without C. The result is (), or that
        shape for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.nll_loss(ms.Tensor([[-0.5, -1.0], [-2.0, -0.1]]),
        ...                                      ms.Tensor([0, 1])))
        0.3
    """
    _need_classes("nll_loss", input)
    classes, wanted = input.shape[min(input.ndim, 2) - 1], input.shape[:1] + input.shape[2:]
    if input.ndim > 1 and tuple(target.shape) != tuple(wanted):
        raise ValueError(
            f"For 'nll_loss', 'target' must have shape {tuple(wanted)}, but got "
            f"{tuple(target.shape)}."
        )
    if input.ndim == 1 and target.ndim or weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(
            f"For 'nll_loss', 'target' must have the shape of 'input' without the classes, and "
            f"'weight' ({classes},), but got {tuple(input.shape)}, {tuple(target.shape)} and "
            f"{None if weight is None else tuple(weight.shape)}."
        )
    return _likelihood(xp, "nll_loss", input, target, weight, ignore_index, reduction, 0.0)


@op("ops.NLLLoss(reduction='mean', ignore_index=-100)(logits, labels, weight)")
def nll_loss_primitive(
    xp,
    logits: Floats,
    labels: TensorOf("int16", "int32", "int64", "uint8"),
    weight: Floats,
    reduction: Reduction = "mean",
    ignore_index: ScalarOf(Int) = -100,
):
    """Computes minus the log probability of the class that each label names, weighted by class.

    Shapes:
        `logits` is (N, C) or (C,), `labels` is (N,) or (), `weight` is (C,). The loss is (), or
        (N,) for `reduction` "none".

    Returns:
        The loss, and the sum of the weights that counted.

    Example:
        >>> loss, weight = ms.ops.NLLLoss()(ms.Tensor([[-0.5, -1.0]]), ms.Tensor([1], ms.int32),
        ...                                 ms.Tensor([1.0, 2.0]))
        >>> print(loss, weight)
        1.0 2.0
    """
    if (
        logits.ndim not in (1, 2)
        or tuple(labels.shape) != tuple(logits.shape[:-1])
        or tuple(weight.shape) != tuple(logits.shape[-1:])
    ):
        raise RuntimeError(
            f"For 'NLLLoss', 'logits' must have shape (N, C), 'labels' (N,) and 'weight' (C,), but "
            f"got {tuple(logits.shape)}, {tuple(labels.shape)} and {tuple(weight.shape)}."
        )
    loss = _likelihood(xp, "NLLLoss", logits, labels, weight, ignore_index, reduction, 0.0)
    counts = labels != ignore_index
    own = xp.take(weight, xp.where(counts, labels, 0), 0) * xp.cast(counts, weight.dtype)
    return loss, xp.cast(xp.sum(own), logits.dtype)


@op("ops.SoftmaxCrossEntropyWithLogits()(logits, labels)")
def softmax_cross_entropy_with_logits(xp, logits: Float16Or32, labels: Float16Or32):
    """Computes the cross entropy of each row of logits with a row of probabilities, and its
    gradient.

    Shapes:
        `logits` and `labels` are (N, C), of one dtype, which is that of the results.

    Returns:
        The losses, (N,), and their gradient for the logits, softmax(logits) - labels.

    Example:
        >>> rows = ms.ops.SoftmaxCrossEntropyWithLogits()
        >>> loss, grad = rows(ms.Tensor([[0.0, 0.0]]), ms.Tensor([[1.0, 0.0]]))
        >>> print(loss, grad)
        [0.6931472] [[-0.5  0.5]]
    """
    if logits.ndim != 2:
        raise ValueError(
            f"For 'SoftmaxCrossEntropyWithLogits', 'logits' must have 2 dimensions, but got "
            f"{logits.ndim}."
        )
    need_shape("SoftmaxCrossEntropyWithLogits", "logits", "labels", logits, labels)
    logs = xp.log_soft(logits, 1)
    return -xp.sum(logs * labels, 1), xp.exp(logs) - labels


@op("ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=False)(logits, labels)")
def sparse_softmax_cross_entropy_with_logits(
    xp, logits: Float16Or32, labels: Index, is_grad: Bool = False
):
    """Computes the mean cross entropy of logits with classes, or its gradient with `is_grad`.

    Shapes:
        `logits` is (N, C), `labels` is (N,) of integers. The result is (), or (N, C) for the
        gradient.

    Example:
        >>> print(ms.ops.SparseSoftmaxCrossEntropyWithLogits()(ms.Tensor([[0.0, 0.0]]),
        ...         ms.Tensor([1], ms.int32)))
        0.6931472
    """
    if logits.ndim != 2 or tuple(labels.shape) != tuple(logits.shape[:1]):
        raise ValueError(
            f"For 'SparseSoftmaxCrossEntropyWithLogits', 'logits' must have shape (N, C) and "
            f"'labels' (N,), but got {tuple(logits.shape)} and {tuple(labels.shape)}."
        )
    logs = xp.log_soft(logits, 1)
    if not is_grad:
        return -xp.mean(_picked(xp, logs, labels, 1))
    hit = xp.expand_dims(labels, 1) == xp.arange(logits.shape[1])
    return (xp.exp(logs) - xp.cast(hit, logits.dtype)) / logits.shape[0]


# Cross entropy of yes and no ----------------------------------------------------------------------


def _yes_no(xp, api, x, y, weight, reduction):
    need_shape(api, "logits", "labels", x, y)
    if weight is not None:
        need_shape(api, "logits", "weight", x, weight)
    if x.dtype != y.dtype or weight is not None and weight.dtype != x.dtype:
        raise TypeError(
            f"For '{api}', all inputs must have the same dtype, but got {x.dtype} and {y.dtype}."
        )
    loss = xp.bernoulli_loss(x, y)
    return reduced(xp, loss if weight is None else loss * weight, reduction)


@extra
def bernoulli_loss(xp, x, y):
    """-(y log(x) + (1 - y) log(1 - x)), logarithms cut off at that of 1e-12."""
    return -(y * xp.log(xp.maximum(x, 1e-12)) + (1 - y) * xp.log(xp.maximum(1 - x, 1e-12)))


derive(
    "bernoulli_loss(x, y)",
    x=lambda xp, g, x, y: g * (x - y) / xp.maximum(x * (1 - x), 1e-12),
    y=lambda xp, g, x: g * (xp.log(xp.maximum(1 - x, 1e-12)) - xp.log(xp.maximum(x, 1e-12))),
)


@op(
    "ops.binary_cross_entropy(logits, labels, weight=None, reduction='mean')",
    "ops.BinaryCrossEntropy(reduction='mean')(logits, labels, weight=None)",
)
def binary_cross_entropy(
    xp,
    logits: FloatsUpTo32,
    labels: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the cross entropy of probabilities with targets of two classes: -(labels log(logits)
    + (1 - labels) log(1 - logits)).

    Shapes:
        `logits`, `labels` and `weight` have one shape. The result is (), or that shape for
        `reduction` "none".

    Example:
        >>> print(ms.ops.binary_cross_entropy(ms.Tensor([0.9, 0.2]), ms.Tensor([1.0, 0.0])))
        0.16425204
    """
    return _yes_no(xp, "binary_cross_entropy", logits, labels, weight, reduction)


@op(
    "mint.nn.functional.binary_cross_entropy(input, target, weight=None, reduction='mean')",
    "mint.nn.BCELoss(weight=None, reduction='mean')(input, target)",
    quirks=Quirks(rules={"mint.nn.BCELoss": {"reduction": AsValue(Reduction)}}),
)
def binary_cross_entropy_ext(
    xp,
    input: FloatsUpTo32,
    target: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the cross entropy of probabilities with targets of two classes: -(target log(input)
    + (1 - target) log(1 - input)).

    Shapes:
        `input` and `target` have one shape, `weight` is broadcast. The result is (), or that shape
        for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.binary_cross_entropy(ms.Tensor([0.9, 0.2]),
        ...         ms.Tensor([1.0, 0.0])))
        0.16425204
    """
    return _yes_no(xp, "binary_cross_entropy", input, target, weight, reduction)


@op(
    "ops.binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, "
    "reduction='mean')",
    "mint.nn.functional.binary_cross_entropy_with_logits(input, target, weight=None, "
    "reduction='mean', pos_weight=None)",
    "mint.nn.BCEWithLogitsLoss(weight=None, reduction='mean', pos_weight=None)(input, target)",
    "ops.BCEWithLogitsLoss(reduction='mean')(input, target, weight=None, pos_weight=None)",
    compute="native",
)
def binary_cross_entropy_with_logits(
    xp,
    input: FloatsUpTo32,
    target: FloatsUpTo32,
    weight: FloatsUpTo32 = None,
    pos_weight: FloatsUpTo32 = None,
    reduction: Reduction = "mean",
):
    """Computes the cross entropy of sigmoid(input) with targets of two classes, without overflow.

    `pos_weight` multiplies what positive targets contribute, `weight` the whole; both are
    broadcast.

    Shapes:
        `input` and `target` have one shape. The result is (), or that shape for `reduction` "none",
        of the dtype of `target`.

    Example:
        >>> print(ms.ops.binary_cross_entropy_with_logits(ms.Tensor([2.0, -1.0]),
        ...         ms.Tensor([1.0, 0.0])))
        0.22009481
    """
    dtype = target.dtype
    input, target, weight, pos_weight = (
        each if each is None or each.dtype.itemsize > 2 else xp.cast(each, "float32")
        for each in (input, target, weight, pos_weight)
    )
    api = "binary_cross_entropy_with_logits"
    need_shape(api, "input", "target", input, target)
    for name, given in (("weight", weight), ("pos_weight", pos_weight)):
        if given is not None and xp.broadcast_shapes(*_fit(api, name, given, input)) != tuple(
            input.shape
        ):
            raise ValueError(
                f"For '{api}', '{name}' must broadcast to {tuple(input.shape)}, but got "
                f"{tuple(given.shape)}."
            )
    tail = xp.softplus(-input)
    if pos_weight is not None:
        tail = tail * (1 + (pos_weight - 1) * target)
    loss = (1 - target) * input + tail
    return xp.cast(reduced(xp, loss if weight is None else loss * weight, reduction), dtype)


def _fit(api, name, given, x):
    """The two shapes, after a look at whether they broadcast at all."""
    for a, b in zip(reversed(given.shape), reversed(x.shape)):
        if a != b and 1 not in (a, b):
            raise ValueError(
                f"For '{api}', '{name}' must broadcast to {tuple(x.shape)}, but got "
                f"{tuple(given.shape)}."
            )
    return tuple(given.shape), tuple(x.shape)


@op("ops.SigmoidCrossEntropyWithLogits()(logits, label)", types=SameDtype("logits label"))
def sigmoid_cross_entropy_with_logits(xp, logits: Floats, label: Floats):
    """Computes the cross entropy of sigmoid(logits) with targets of two classes, element by
    element.

    Shapes:
        `logits` and `label` have one shape and dtype, which are also those of the result.

    Example:
        >>> print(ms.ops.SigmoidCrossEntropyWithLogits()(ms.Tensor([2.0, -1.0]),
        ...         ms.Tensor([1.0, 0.0])))
        [0.126928   0.31326163]
    """
    need_shape("SigmoidCrossEntropyWithLogits", "logits", "label", logits, label)
    return logits * (1 - label) + xp.softplus(-logits)


sigmoid_cross_entropy_with_logits.vjp(
    logits=lambda xp, g, logits, label: g * (xp.sigmoid(logits) - label),
    label=lambda xp, g, logits: -g * logits,
)


# Margins between classes --------------------------------------------------------------------------


def _multi_margin(xp, api, x, target, p, margin, weight, reduction):
    if x.ndim != 2 or target.ndim != 1 or x.shape[0] != target.shape[0]:
        raise ValueError(
            f"For '{api}', 'input' must have shape (N, C) and 'target' (N,), but got "
            f"{tuple(x.shape)} and {tuple(target.shape)}."
        )
    if weight is not None and (weight.ndim != 1 or weight.shape[0] != x.shape[1]):
        raise ValueError(
            f"For '{api}', 'weight' must have shape ({x.shape[1]},), but got {tuple(weight.shape)}."
        )
    if weight is not None and weight.dtype != x.dtype:
        raise TypeError(
            f"For '{api}', 'weight' must have the dtype of 'input', but got {weight.dtype} and "
            f"{x.dtype}."
        )
    if bool(xp.any((target < 0) | (target >= x.shape[1]))):
        raise ValueError(f"For '{api}', 'target' must be in [0, {x.shape[1]}).")
    own = xp.take_along_axis(x, xp.expand_dims(target, 1), 1)
    terms = xp.maximum(margin - own + x, 0)
    terms = terms if p == 1 else xp.square(terms)
    if weight is not None:
        terms = terms * xp.expand_dims(xp.take(weight, target, 0), 1)
    other = xp.expand_dims(target, 1) != xp.arange(x.shape[1])
    return reduced(xp, xp.sum(xp.where(other, terms, 0), 1) / x.shape[1], reduction)


@op("ops.multi_margin_loss(input, target, p=1, margin=1, weight=None, reduction='mean')")
def multi_margin_loss(
    xp,
    input: Float16To64,
    target: TensorOf("int64"),
    p: OneOf(1, 2) = 1,
    margin: Int | Bool = 1,
    weight: Float16To64 = None,
    reduction: Reduction = "mean",
):
    """Computes for each row the sum over the other classes i of max(0, margin - input[target] +
    input[i])^p / C.

    `weight` multiplies it by the weight of the class of the target.

    Shapes:
        `input` is (N, C) or (C,), `target` is (N,) or (). The result is (), or (N,) for `reduction`
        "none".

    Example:
        >>> print(ms.ops.multi_margin_loss(ms.Tensor([[0.1, 0.9, 0.4]]), ms.Tensor([1])))
        0.23333335
    """
    return _multi_margin(xp, "multi_margin_loss", input, target, p, margin, weight, reduction)


@op("ops.MultiMarginLoss(p=1, margin=1.0, reduction='mean')(inputs, target, weight=None)")
def multi_margin_loss_primitive(
    xp,
    inputs: Float16To64,
    target: TensorOf("int64"),
    weight: Float16To64 = None,
    p: OneOf(1, 2) = 1,
    margin: Float = 1.0,
    reduction: Reduced = "mean",
):
    """Computes for each row the sum over the other classes i of max(0, margin - inputs[target] +
    inputs[i])^p / C.

    `weight` multiplies it by the weight of the class of the target.

    Shapes:
        `inputs` is (N, C) or (C,), `target` is (N,) or () of int64. The result is (), or (N,) for
        `reduction` "none".

    Example:
        >>> print(ms.ops.MultiMarginLoss()(ms.Tensor([[0.1, 0.9, 0.4]]), ms.Tensor([1])))
        0.23333335
    """
    return _multi_margin(xp, "MultiMarginLoss", inputs, target, p, margin, weight, reduction)


def _multilabel(xp, api, x, target):
    """The loss of each row, and which classes are targets."""
    need_shape(api, "input", "target", x, target)
    if x.ndim not in (1, 2):
        raise ValueError(f"For '{api}', 'input' must have 1 or 2 dimensions, but got {x.ndim}.")
    rows, classes = (xp.expand_dims(v, 0) if v.ndim == 1 else v for v in (x, target))
    listed = xp.cumsum(xp.cast(classes < 0, "int64"), 1) == 0  # up to the first negative entry
    places = xp.arange(rows.shape[1])
    hit = xp.any((xp.expand_dims(classes, 2) == places) & xp.expand_dims(listed, 2), 1)
    own = xp.take_along_axis(rows, xp.where(listed, classes, 0), 1)
    gaps = xp.maximum(1 - (xp.expand_dims(own, 2) - xp.expand_dims(rows, 1)), 0)
    counts = xp.expand_dims(listed, 2) & xp.expand_dims(xp.logical_not(hit), 1)
    loss = xp.sum(xp.where(counts, gaps, 0), (1, 2)) / rows.shape[1]
    if x.ndim == 1:
        return xp.squeeze(loss, 0), xp.squeeze(hit, 0)
    return loss, hit


@op("ops.multilabel_margin_loss(input, target, reduction='mean')")
def multilabel_margin_loss(
    xp, input: Float16Or32, target: TensorOf("int32"), reduction: Reduction = "mean"
):
    """Computes for each row the sum over targets t and other classes i of max(0, 1 - (input[t] -
    input[i])) / C.

    The targets of a row are the entries of `target` before the first negative one.

    Shapes:
        `input` and `target` are (N, C) or (C,). The result is (), or (N,) for `reduction` "none".

    Example:
        >>> print(ms.ops.multilabel_margin_loss(ms.Tensor([[0.1, 0.9, 0.4]]),
        ...                                     ms.Tensor([[1, -1, 0]], ms.int32)))
        0.23333335
    """
    loss, _ = _multilabel(xp, "multilabel_margin_loss", input, target)
    return reduced(xp, loss, reduction)


@op("ops.MultilabelMarginLoss(reduction='mean')(x, target)")
def multilabel_margin_loss_primitive(
    xp, x: Float16Or32, target: TensorOf("int32"), reduction: AsValue(Reduction) = "mean"
):
    """Computes for each row the sum over targets t and other classes i of max(0, 1 - (x[t] - x[i]))
    / C.

    The targets of a row are the entries of `target` before the first negative one.

    Shapes:
        `x` and `target` are (N, C) or (C,). The loss is (), or (N,) for `reduction` "none".

    Returns:
        The loss, and int32 ones for the classes that are targets.

    Example:
        >>> loss, marks = ms.ops.MultilabelMarginLoss()(ms.Tensor([[0.1, 0.9]]),
        ...         ms.Tensor([[1, -1]], ms.int32))
        >>> print(loss, marks)
        0.100000024 [[0 1]]
    """
    loss, hit = _multilabel(xp, "MultilabelMarginLoss", x, target)
    return reduced(xp, loss, reduction), xp.cast(hit, "int32")


@op(
    "ops.multilabel_soft_margin_loss(input, target, weight=None, reduction='mean')",
    types=Promote("input target weight"),
)
def multilabel_soft_margin_loss(
    xp,
    input: Floats,
    target: TensorOf(real, "bool"),
    weight: TensorOf(real, "bool", scalars=True) = None,
    reduction: Reduced = "mean",
):
    """Computes the mean over the classes of the cross entropy of sigmoid(input) with `target`.

    Shapes:
        `input` and `target` are (N, C), `weight` is broadcast. The result is (), or (N,) for
        `reduction` "none", of the dtype to which the inputs are promoted.

    Example:
        >>> print(ms.ops.multilabel_soft_margin_loss(ms.Tensor([[2.0, -1.0]]),
        ...         ms.Tensor([[1.0, 0.0]])))
        0.22009481
    """
    need_broadcast("multilabel_soft_margin_loss", "input", "target", input, target)
    loss = (1 - target) * input + xp.softplus(-input)
    loss = loss if weight is None else loss * weight
    return reduced(xp, xp.sum(loss, input.ndim - 1) / input.shape[-1], reduction)
