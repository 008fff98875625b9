"""Cross entropy of several classes, and the negative log likelihood loss.

Losses of two classes are in _loss/binary_cross_entropy.py, margin losses in _loss/margin.py, losses
of sequences in _loss/ctc.py.
"""

from ..._backend.bodies.gpu import bodies_of
from ..._backend.bodies.row_plan import ELEMENT, ROW
from ..._backend.space import implements
from ..._core.autograd.vjp_rules import derive
from ..._core.declare.inputs import Promote, Quirks
from ..._core.declare.op import op
from ..._core.declare.values import upcast
from ..._core.rules.vocabulary import (
    Any,
    Bool,
    Float,
    Int,
    InTensor,
    Number,
    ScalarOf,
    TensorOf,
    floating,
    number,
)
from .._indexing.gather import beyond
from .._rules import Float16Or32, Floats, Index
from .reduction import Reduced, Reduction, need_shape, reduced


@implements
def class_nll(xp, x, target, counts):
    """Computes log(sum(exp(x))) - x[target] for each row of (N, C), and 0 where `counts` is
    false. For `x` in low precision the result is float32."""
    if bodies := bodies_of(xp, x, target, counts):
        result = bodies.rows(_row_nll, (1, *x.shape), (ROW,), elements=(x,), rows=(target, counts))
        if result is not None:
            return result if x.dtype in xp.low_precision else xp.cast(result, x.dtype)
    return xp.by_rows(_row_nll, upcast(xp, x), target, counts)


def _row_nll(xp, x, target, counts):
    x = x - xp.max(x, 1, keepdims=True)
    losses = xp.log(xp.sum(xp.exp(x), 1)) - xp.pick_column(x, xp.where(counts, target, 0))
    return xp.where(counts, losses, 0)


def _class_nll_vjp(xp, g, out, x, target, counts):
    """Returns softmax(x) with 1 subtracted at the target; 0 for rows where `counts` is false."""
    if bodies := bodies_of(xp, x, target, counts, out, g):
        result = bodies.rows(
            _row_vjp, (1, *x.shape), (ELEMENT,), elements=(x,), rows=(target, counts, out, g)
        )
        if result is not None:
            return result
    return xp.by_rows(_row_vjp, upcast(xp, x), target, counts, out, g)


def _row_vjp(xp, x, target, counts, out, g):
    target, g = xp.where(counts, target, 0), xp.where(counts, g, 0)
    total = xp.where(counts, out + xp.pick_column(x, target), float("inf"))
    soft = xp.exp(x - xp.expand_dims(total, 1)) * xp.expand_dims(g, 1)
    return xp.add_at_column(soft, target, -g)


derive(
    "class_nll(x, target, counts)",
    arrays="x target counts",
    x=_class_nll_vjp,
    upcast="low_precision_kernels",
)


def _in_rows(xp, x, target):
    """Returns `target`, in which the classes may be columns of length 1, flattened for the rows of
    `x`."""
    single = x.ndim == 2 and tuple(target.shape) == (x.shape[0], 1) and target.dtype.kind in "iu"
    return xp.reshape(target, (-1,)) if single else target


def _rows_of_classes(xp, x, target, ignore, reduction):
    """Computes the cross entropy of rows with target classes, without class weights."""
    if tuple(target.shape) != tuple(x.shape[:1]):
        raise _misfit(xp, target, x.shape[1])(
            f"For 'cross_entropy', 'target' must have shape {tuple(x.shape[:1])}, but got "
            f"{tuple(target.shape)}."
        )
    counts = target != ignore
    loss = xp.class_nll(x, target, counts)
    if reduction == "mean":
        loss = xp.sum(loss) / xp.cast(xp.sum(counts), loss.dtype)
    else:
        loss = reduced(xp, loss, reduction)
    return xp.cast(loss, x.dtype)


def _pick(xp, x, target, axis):
    """Selects the entries of `x` at the classes `target` along `axis`."""
    return xp.squeeze(xp.take_along_axis(x, xp.expand_dims(target, axis), axis), axis)


def _class_weights(xp, weight, x, axis):
    """Returns the weights of the classes, shaped to multiply `x`."""
    return xp.reshape(weight, (-1,) + (1,) * (x.ndim - 1 - axis))


def _misfit(xp, target, length):
    """Returns the exception for shapes that do not fit. MindSpore selects the classes first, and
    raises a RuntimeError if one does not exist."""
    return RuntimeError if bool(xp.any((target < -length) | (target >= length))) else ValueError


def _likelihood(xp, api, logs, target, weight, ignore, reduction, smoothing):
    """Computes the negative log likelihood of the classes `target`, weighted, smoothed and reduced.

    The classes are on axis 1, or on the only axis.
    """
    axis = min(logs.ndim, 2) - 1
    classes = logs.shape[axis]
    sizes = tuple(n for i, n in enumerate(logs.shape) if i != axis)
    if tuple(target.shape) != sizes:
        raise _misfit(xp, target, classes)(
            f"For '{api}', 'target' must have shape {sizes}, but got {tuple(target.shape)}."
        )
    if weight is not None and tuple(weight.shape) != (classes,):
        raise _misfit(xp, target, weight.shape[0] if weight.ndim else 0)(
            f"For '{api}', 'weight' must have shape ({classes},), but got {tuple(weight.shape)}."
        )
    counts = target != ignore
    target = xp.where(counts, target, 0)
    keep = xp.cast(counts, logs.dtype)
    factor = keep if weight is None else keep * xp.cast(xp.take(weight, target, 0), logs.dtype)
    loss = -_pick(xp, logs, target, axis) * factor
    if smoothing:
        smoothed = (
            logs
            if weight is None
            else logs * _class_weights(xp, xp.cast(weight, logs.dtype), logs, axis)
        )
        uniform = -xp.sum(smoothed, axis) * keep
        loss = (1 - smoothing) * loss + (smoothing / classes) * uniform
    if reduction == "mean":
        return xp.sum(loss) / xp.sum(factor)
    return reduced(xp, loss, reduction)


def _against_probabilities(xp, api, logs, target, weight, reduction, smoothing):
    """Returns -sum(target * logs) over the classes; the mean is over all other axes."""
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
    dtype, x, weight = x.dtype, upcast(xp, x), upcast(xp, weight)
    logs = xp.log_soft(x, min(x.ndim, 2) - 1)
    if target.dtype.kind in "iu":
        loss = _likelihood(xp, "cross_entropy", logs, target, weight, ignore, reduction, smoothing)
        return xp.cast(loss, dtype)
    shares = upcast(xp, target)
    loss = _against_probabilities(xp, "cross_entropy", logs, shares, weight, reduction, smoothing)
    return xp.cast(loss, dtype) if target.dtype == dtype else loss


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
    compute="kernels",
)
def cross_entropy(
    xp,
    input: Floats,
    target: TensorOf("int32", "int64", floating),
    weight: Floats = None,
    ignore_index: Int = -100,
    reduction: Reduced = "mean",
    label_smoothing: Float(ge=0.0) = 0.0,
):
    """Computes the cross entropy of logits and target classes, or target probabilities.

    Integer targets are classes. Targets equal to `ignore_index` are ignored, and the mean is
    weighted by `weight`, one number per class. Floating targets are probabilities.
    `label_smoothing` is the share of the uniform distribution in the smoothed targets.

    Shapes:
        `input` is (N, C, ...) or (C,). Target classes have its shape without C, or (N, 1); target
        probabilities have its shape. The result is (), or the shape without C for `reduction`
        "none".

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
    """Computes the negative log likelihood of the target classes, given log probabilities.

    Targets equal to `ignore_index` are ignored, and the mean is weighted by `weight`, one number
    per class. An unknown `reduction` counts as "none".

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
    """Computes the negative log likelihood of the target classes, given log probabilities.

    Targets equal to `ignore_index` are ignored, and the mean is weighted by `weight`, one number
    per class.

    Shapes:
        `input` is (N, C, ...) or (C,), `target` has its shape without C. The result is (), or that
        shape for `reduction` "none".

    Example:
        >>> print(ms.mint.nn.functional.nll_loss(ms.Tensor([[-0.5, -1.0], [-2.0, -0.1]]),
        ...                                      ms.Tensor([0, 1])))
        0.3
    """
    _need_classes("nll_loss", input)
    classes, expected_shape = input.shape[min(input.ndim, 2) - 1], input.shape[:1] + input.shape[2:]
    if input.ndim > 1 and tuple(target.shape) != tuple(expected_shape):
        raise ValueError(
            f"For 'nll_loss', 'target' must have shape {tuple(expected_shape)}, but got "
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
    """Computes the negative log likelihood of the target classes, weighted by class.

    Shapes:
        `logits` is (N, C) or (C,), `labels` is (N,) or (), `weight` is (C,). The loss is (), or
        (N,) for `reduction` "none".

    Returns:
        The loss, and the sum of the weights of the targets that were not ignored.

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
    factor = xp.take(weight, xp.where(counts, labels, 0), 0) * xp.cast(counts, weight.dtype)
    return loss, xp.cast(xp.sum(factor), logits.dtype)


@op("ops.SoftmaxCrossEntropyWithLogits()(logits, labels)")
def softmax_cross_entropy_with_logits(xp, logits: Float16Or32, labels: Float16Or32):
    """Computes the softmax cross entropy of each row of logits with a row of probabilities, and its
    gradient.

    Shapes:
        `logits` and `labels` are (N, C), of one dtype, which is that of the results.

    Returns:
        The losses, (N,), and their gradient with respect to the logits, softmax(logits) - labels.

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
    """Computes the mean softmax cross entropy of logits and target classes, or its gradient if
    `is_grad` is True.

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
        return -xp.mean(_pick(xp, logs, labels, 1))
    hit = xp.expand_dims(labels, 1) == xp.arange(logits.shape[1])
    return (xp.exp(logs) - xp.cast(hit, logits.dtype)) / logits.shape[0]
