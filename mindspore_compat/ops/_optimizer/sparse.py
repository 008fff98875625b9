"""Optimizer updates from sparse gradients, which cover only some rows.

If an index occurs twice, its gradients are summed first, except in RMSProp. `FusedSparse...` return
their Parameter and, as MindSpore documents, a Tensor of one zero for each state. `SparseApply...`
return the Parameters themselves. Updates with dense gradients are in the other files of this
folder.
"""

import numpy

from ..._backend import arrays
from ..._core.autograd.tape import note_in_place_write
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.rules.vocabulary import Bool, Float, TensorOf, checked, floating, inf, real
from ..._core.tensor.tensor import Tensor
from .._indexing.scatter import check_range
from .._indexing.write_cast import standing
from .._rules import Floats, Index, NumberOrBool
from .adam import _Corrected, need_below
from .update import (
    ADADELTA,
    ADAGRAD,
    ADAGRAD_EPS,
    ADAM,
    FTRL,
    FTRL_SHRUNK,
    PROXIMAL_ADAGRAD,
    RMSPROP,
    Gradient,
    Rate,
    Scalar,
    Update,
    without_axes,
)

FloatsOrNumber = Floats | NumberOrBool
GradientOrNumber = Gradient | NumberOrBool
# Of the Tensors that become float32 in MindSpore; it converts no wide unsigned integers.
_convertible = real - {"float64", "uint16", "uint32", "uint64"}
Power = NumberOrBool | TensorOf(_convertible)
UpTo32Bits = NumberOrBool | TensorOf(
    _convertible, "bool"
)  # no gradient may have a wider dtype than what it updates
Index32 = TensorOf("int32")


def merged(update, tensors, grad, indices, lenient=False):
    """Returns the distinct row indices, and the sum of the gradients of each; see
    `_rows_and_gradients`."""
    at, grad_rows = _rows_and_gradients(update, tensors, grad, indices, lenient)
    xp = space_for(at)
    rows, positions = xp.unique(at, return_inverse=True)
    return rows, xp.segment_sum(
        positions.reshape(-1), grad_rows, rows.size
    ) if rows.size else grad_rows


def _rows_and_gradients(update, tensors, grad, indices, lenient=False):
    """Returns the row indices and their gradients, as arrays.

    With `lenient`, rows that do not exist are skipped, as in MindSpore's documented example.

    Raises:
        TypeError: if the gradient has a wider dtype than the Tensors that it updates.
        ValueError: if shapes do not fit; a TypeError if the update's `unfit` says so.
        IndexError: if a row does not exist.
    """
    var = tensors[0]
    update.need_no_wider(tensors, grad)
    if indices.ndim != 1 or grad.ndim == 0 or indices.shape[0] != grad.shape[0]:
        raise (update.unfit if grad.ndim else ValueError)(
            f"For '{update.name}', 'indices' must have one index for each row of the gradient, but "
            f"got {indices.shape} and {grad.shape}."
        )
    if grad.shape[1:] != var.shape[1:] or any(tensor.shape != var.shape for tensor in tensors):
        raise update.unfit(
            f"For '{update.name}', states must have the shape of the parameter, and rows that of "
            f"its rows, but got {[tensor.shape for tensor in (*tensors, grad)]}."
        )
    xp = space_for(var._array)
    at, grad_rows = xp.asarray(indices._array), xp.asarray(grad._array)
    if lenient:
        in_range = (at >= 0) & (at < var.shape[0])
        at, grad_rows = at[in_range], grad_rows[in_range]
    else:
        check_range(update.name, at.reshape(-1, 1), var.shape[:1])
    return at, grad_rows if grad_rows.dtype.kind not in "iub" else xp.cast(
        grad_rows, var._array.dtype
    )


class _RowUpdate(Update):
    """The base class of updates that change only the rows of a sparse gradient."""

    lenient = False  # whether rows that do not exist are skipped

    def run_rows(self, fused, tensors, grad, indices, **scalars):
        """Updates rows of `tensors` in place and returns `tensors`."""
        *tensors, grad = standing(*tensors, grad)
        note_in_place_write(tensors)
        rows, g = merged(self, tensors, grad, indices, self.lenient)
        scalars = self.numbers(scalars)
        if rows.size:
            parts = [tensor._array[rows] for tensor in tensors]
            fused(parts[0], g, *parts[1:], **scalars)
            for tensor, values in zip(tensors, parts, strict=True):
                tensor._array[rows] = values
        return self.barred(tensors, grad)


def _answer(tensors):
    """Returns the Parameter, and a Tensor of one zero for each state."""
    zero = space_for(tensors[0]._array).zeros
    return (tensors[0], *(Tensor._wrap(zero(1, tensor._array.dtype)) for tensor in tensors[1:]))


class _CorrectedRows(_Corrected):
    """The base class of sparse Adam updates, which reject a power of beta1 of 1."""

    def rate(self, lr, beta1_power, beta2_power):
        """Returns the learning rate, corrected for the bias of moments that start at zero."""
        need_below(self.name, self._number("beta1_power", beta1_power))
        return super().rate(lr, beta1_power, beta2_power)


@public("ops.FusedSparseAdam")
class FusedSparseAdam(_CorrectedRows):
    """Updates a parameter with Adam from a sparse gradient; the moments of all rows decay.

    Args:
        use_locking (bool): has no effect. Default: False.
        use_nesterov (bool): whether the step looks ahead, as Nesterov's momentum. Default: False.

    Inputs:
        - **var**, **m**, **v** (Parameter): the parameter and its moments, of one shape.
        - **beta1_power**, **beta2_power** (Union[float, Tensor]): `beta1` and `beta2` to the power
          of the number of steps.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **beta1**, **beta2** (Union[float, Tensor]): the decay rates of the moments.
        - **epsilon** (Union[float, Tensor]): added to the denominator.
        - **gradient** (Tensor): the rows of the gradient.
        - **indices** (Tensor): the number of each row, of shape (n,).

    Example:
        >>> weight, m, v = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0, 0.0))
        >>> numbers = [ms.Tensor(x) for x in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)]
        >>> step = ms.ops.FusedSparseAdam()
        >>> _ = step(weight, m, v, *numbers, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))
        >>> print(m.value())
        [[0.        ]
         [0.20000005]]
    """

    @checked
    def __call__(
        self,
        var: FloatsOrNumber,
        m: FloatsOrNumber,
        v: FloatsOrNumber,
        beta1_power: Power,
        beta2_power: UpTo32Bits,
        lr: UpTo32Bits,
        beta1: UpTo32Bits,
        beta2: UpTo32Bits,
        epsilon: UpTo32Bits,
        gradient: GradientOrNumber,
        indices: Index32,
    ):
        var, *tensors, gradient = standing(var, m, v, gradient)
        tensors = (var, *tensors)
        rows, g = merged(self, tensors, gradient, indices, lenient=True)
        whole = space_for(var._array).zeros(var.shape, g.dtype)
        whole[rows] = g
        rate = self.rate(lr, beta1_power, beta2_power)
        return _answer(
            self.run(
                ADAM,
                tensors,
                Tensor._wrap(whole),
                lr=rate,
                beta1=beta1,
                beta2=beta2,
                eps=epsilon,
                nesterov=self.use_nesterov,
            )
        )


@public("ops.FusedSparseLazyAdam")
class FusedSparseLazyAdam(_CorrectedRows, _RowUpdate):
    """Updates rows of a parameter with lazy Adam; the moments of other rows do not change.

    Args:
        use_locking (bool): has no effect. Default: False.
        use_nesterov (bool): whether the step looks ahead, as Nesterov's momentum. Default: False.

    Inputs:
        - **var**, **m**, **v** (Parameter): the parameter and its moments, of one shape.
        - **beta1_power**, **beta2_power** (Union[float, Tensor]): `beta1` and `beta2` to the power
          of the number of steps.
        - **lr** (Union[float, Tensor]): the learning rate.
        - **beta1**, **beta2** (Union[float, Tensor]): the decay rates of the moments.
        - **epsilon** (Union[float, Tensor]): added to the denominator.
        - **gradient** (Tensor): the rows of the gradient.
        - **indices** (Tensor): the number of each row, of shape (n,).

    Example:
        >>> weight, m, v = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0, 0.0))
        >>> numbers = [ms.Tensor(x) for x in (0.9, 0.999, 0.1, 0.9, 0.999, 1e-8)]
        >>> step = ms.ops.FusedSparseLazyAdam()
        >>> _ = step(weight, m, v, *numbers, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))
        >>> print(m.value())
        [[0.        ]
         [0.20000005]]
    """

    lenient = True

    @checked
    def __call__(
        self,
        var: FloatsOrNumber,
        m: FloatsOrNumber,
        v: FloatsOrNumber,
        beta1_power: Power,
        beta2_power: UpTo32Bits,
        lr: UpTo32Bits,
        beta1: UpTo32Bits,
        beta2: UpTo32Bits,
        epsilon: UpTo32Bits,
        gradient: GradientOrNumber,
        indices: Index32,
    ):
        rate = self.rate(lr, beta1_power, beta2_power)
        return _answer(
            self.run_rows(
                ADAM,
                (var, m, v),
                gradient,
                indices,
                lr=rate,
                beta1=beta1,
                beta2=beta2,
                eps=epsilon,
                nesterov=self.use_nesterov,
            )
        )


@public("ops.SparseApplyFtrl")
class SparseApplyFtrl(_RowUpdate):
    """Updates rows of a parameter with FTRL (follow the regularized leader); returns var, accum and
    linear.

    Rows that do not exist are skipped, as in MindSpore's example.

    Args:
        lr (float): the learning rate, above 0.
        l1 (float): the strength of the l1 penalty, at least 0.
        l2 (float): the strength of the l2 penalty, at least 0.
        lr_power (float): the power that controls the decay of the learning rate, at most 0.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> weight, total, linear = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.1, 0.0))
        >>> step = ms.ops.SparseApplyFtrl(lr=0.1, l1=0.0, l2=0.0, lr_power=-0.5)
        >>> _ = step(weight, total, linear, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))
        >>> print(total.value())
        [[0.1]
         [4.1]]
    """

    lenient = True
    _formula = FTRL

    @checked
    def __init__(
        self,
        lr: Float(gt=0.0, lt=inf),
        l1: Float(ge=0.0, lt=inf),
        l2: Float(ge=0.0, lt=inf),
        lr_power: Float(le=0.0),
        use_locking: Bool = False,
    ):
        Update.__init__(self, use_locking)
        self.lr, self.l1, self.l2, self.lr_power = lr, l1, l2, lr_power

    @checked
    def __call__(
        self,
        var: FloatsOrNumber,
        accum: FloatsOrNumber,
        linear: FloatsOrNumber,
        grad: GradientOrNumber,
        indices: Index,
    ):
        return self.run_rows(self._formula, (var, accum, linear), grad, indices, **self._numbers())

    def _numbers(self):
        return {"lr": self.lr, "l1": self.l1, "l2": self.l2, "lr_power": self.lr_power}


@public("ops.SparseApplyFtrlV2")
class SparseApplyFtrlV2(SparseApplyFtrl):
    """Updates rows of a parameter as `ops.SparseApplyFtrl`, with an additional shrinkage of the
    parameter.

    Args:
        lr (float): the learning rate, above 0.
        l1 (float): the strength of the l1 penalty, at least 0.
        l2 (float): the strength of the l2 penalty, at least 0.
        l2_shrinkage (float): twice this number times the parameter is added to the gradient in the
            linear term.
        lr_power (float): the power that controls the decay of the learning rate, at most 0.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> var, accum, linear = (ms.Parameter(ms.ops.ones((3, 1)), name=n) for n in "val")
        >>> apply = ms.ops.SparseApplyFtrlV2(0.1, 0.0, 0.0, l2_shrinkage=0.1, lr_power=-0.5)
        >>> _ = apply(var, accum, linear, ms.ops.ones((1, 1)), ms.Tensor([1], ms.int32))
        >>> print(accum.value().flatten())
        [1. 2. 1.]
    """

    _formula = FTRL_SHRUNK

    @checked
    def __init__(
        self,
        lr: Float(gt=0.0, lt=inf),
        l1: Float(ge=0.0, lt=inf),
        l2: Float(ge=0.0, lt=inf),
        l2_shrinkage: Float,
        lr_power: Float(le=0.0),
        use_locking: Bool = False,
    ):
        SparseApplyFtrl.__init__(self, lr, l1, l2, lr_power, use_locking)
        self.l2_shrinkage = l2_shrinkage

    def _numbers(self):
        return {**super()._numbers(), "shrink": self.l2_shrinkage}


@public("ops.FusedSparseFtrl")
class FusedSparseFtrl(SparseApplyFtrl):
    """Updates rows of a parameter as `ops.SparseApplyFtrl`; returns var and a zero for each state.

    Example:
        >>> var, accum, linear = (ms.Parameter(ms.ops.ones((3, 1)), name=n) for n in "val")
        >>> apply = ms.ops.FusedSparseFtrl(lr=0.1, l1=0.0, l2=0.0, lr_power=-0.5)
        >>> _ = apply(var, accum, linear, ms.ops.ones((1, 1)), ms.Tensor([1], ms.int32))
        >>> print(accum.value().flatten())
        [1. 2. 1.]
    """

    unfit = TypeError

    @checked
    def __call__(
        self,
        var: FloatsOrNumber,
        accum: FloatsOrNumber,
        linear: FloatsOrNumber,
        grad: GradientOrNumber,
        indices: Index32,
    ):
        return _answer(
            self.run_rows(self._formula, (var, accum, linear), grad, indices, **self._numbers())
        )


@public("ops.SparseApplyProximalAdagrad")
class SparseApplyProximalAdagrad(_RowUpdate):
    """Updates rows of a parameter with proximal Adagrad; returns var and accum.

    Example:
        >>> weight, total = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0))
        >>> step, rows = ms.ops.SparseApplyProximalAdagrad(), ms.Tensor([1], ms.int32)
        >>> _ = step(weight, total, 0.1, 0.0, 0.0, ms.Tensor([[2.0]]), rows)
        >>> print(weight.value())
        [[1. ]
         [0.9]]
    """

    @checked(*without_axes("lr l1 l2"))
    def __call__(
        self,
        var: FloatsOrNumber,
        accum: FloatsOrNumber,
        lr: Float(gt=0.0) | TensorOf(floating),
        l1: Float(ge=0.0) | TensorOf(floating),
        l2: Float(ge=0.0) | TensorOf(floating),
        grad: FloatsOrNumber,
        indices: Index,
    ):
        return self.run_rows(PROXIMAL_ADAGRAD, (var, accum), grad, indices, lr=lr, l1=l1, l2=l2)


@public("ops.FusedSparseProximalAdagrad")
class FusedSparseProximalAdagrad(SparseApplyProximalAdagrad):
    """Updates rows of a parameter as `ops.SparseApplyProximalAdagrad`, but accepts any numbers,
    skips rows that do not exist, and returns var and a zero for accum.
    """

    lenient = True

    @checked(*without_axes("lr l1 l2"))
    def __call__(
        self,
        var: FloatsOrNumber,
        accum: FloatsOrNumber,
        lr: UpTo32Bits,
        l1: UpTo32Bits,
        l2: UpTo32Bits,
        grad: GradientOrNumber,
        indices: Index32,
    ):
        return _answer(
            self.run_rows(PROXIMAL_ADAGRAD, (var, accum), grad, indices, lr=lr, l1=l1, l2=l2)
        )


@public("ops.SparseApplyAdagrad")
class SparseApplyAdagrad(_RowUpdate):
    """Updates rows of a parameter with Adagrad; returns var and accum.

    Args:
        lr (float): the learning rate.
        update_slots (bool): whether the sum of squares is updated.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> weight, total = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0))
        >>> rows = ms.Tensor([1], ms.int32)
        >>> _ = ms.ops.SparseApplyAdagrad(lr=0.1)(weight, total, ms.Tensor([[2.0]]), rows)
        >>> print(weight.value())
        [[1. ]
         [0.9]]
    """

    fused, more = ADAGRAD, {}

    @checked
    def __init__(
        self, lr: Float(gt=-inf, lt=inf), update_slots: Bool = True, use_locking: Bool = False
    ):
        Update.__init__(self, use_locking)
        self.lr, self.update_slots = lr, update_slots

    @checked
    def __call__(
        self, var: FloatsOrNumber, accum: FloatsOrNumber, grad: GradientOrNumber, indices: Index
    ):
        return self.run_rows(
            self.fused,
            (var, accum),
            grad,
            indices,
            lr=self.lr,
            update_slots=self.update_slots,
            **self.more,
        )


@public("ops.SparseApplyAdagradV2")
class SparseApplyAdagradV2(SparseApplyAdagrad):
    """Updates rows of a parameter as `ops.SparseApplyAdagrad`, with `epsilon` added to the root.

    Example:
        >>> weight, total = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0))
        >>> rows = ms.Tensor([1], ms.int32)
        >>> step = ms.ops.SparseApplyAdagradV2(lr=0.1, epsilon=1e-6)
        >>> _ = step(weight, total, ms.Tensor([[2.0]]), rows)
        >>> print(total.value())
        [[0.]
         [4.]]
    """

    @checked
    def __init__(
        self, lr: Float, epsilon: Float, use_locking: Bool = False, update_slots: Bool = True
    ):
        Update.__init__(self, use_locking)
        self.lr, self.update_slots, self.epsilon = lr, update_slots, epsilon
        self.fused, self.more = ADAGRAD_EPS, {"eps": epsilon}


@public("ops.SparseApplyRMSProp")
class SparseApplyRMSProp(_RowUpdate):
    """Updates rows of a parameter with RMSProp; returns var, ms and mom.

    A row whose index occurs twice is updated twice. Where a gradient is 0, `ms` does not change.

    Args:
        rho (float): the decay rate of the mean square, in [0, 1].
        momentum (float): the momentum, at least 0.
        epsilon (float): added under the root, above 0.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> weight, square, moment = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0, 0.0))
        >>> step = ms.ops.SparseApplyRMSProp(rho=0.5, momentum=0.0, epsilon=1e-6)
        >>> _ = step(weight, square, moment, 0.1, ms.Tensor([[2.0]]), ms.Tensor([1], ms.int32))
        >>> print(square.value())
        [[0.]
         [2.]]
    """

    @checked
    def __init__(
        self,
        rho: Float(ge=0.0, le=1.0),
        momentum: Float(ge=0.0),
        epsilon: Float(gt=0.0),
        use_locking: Bool = False,
    ):
        Update.__init__(self, use_locking)
        self.rho, self.momentum, self.epsilon = rho, momentum, epsilon

    @checked(*without_axes("lr"))
    def __call__(
        self, var: Floats, ms: Floats, mom: Floats, lr: Rate, grad: Gradient, indices: Index
    ):
        *tensors, grad = standing(var, ms, mom, grad)
        note_in_place_write(tensors)
        rows, grad_rows = _rows_and_gradients(self, tensors, grad, indices)
        scalars = self.numbers(
            {"lr": lr, "rho": self.rho, "momentum": self.momentum, "eps": self.epsilon}
        )
        for at in _rounds(arrays.to_host(rows)):
            self._move(tensors, rows[at], grad_rows[at], scalars)
        return self.barred(tensors, grad)

    @staticmethod
    def _move(tensors, rows, grad_rows, scalars):
        """Updates rows whose indices are distinct."""
        xp = space_for(rows)
        parts = [tensor._array[rows] for tensor in tensors]
        before = parts[1].copy()
        RMSPROP(parts[0], grad_rows, *parts[1:], **scalars)
        parts[1] = xp.where(grad_rows == 0, before, parts[1])
        for tensor, values in zip(tensors, parts, strict=True):
            tensor._array[rows] = values


def _rounds(rows):
    """Splits the positions in `rows` into the fewest groups in which no row occurs twice; equal
    rows keep their order.
    """
    order = numpy.argsort(rows, kind="stable")
    sorted_rows = rows[order]
    turn = numpy.arange(rows.size) - numpy.searchsorted(sorted_rows, sorted_rows)
    return [order[turn == i] for i in range(turn.max(initial=-1) + 1)]


@public("ops.SparseApplyAdadelta")
class SparseApplyAdadelta(_RowUpdate):
    """Updates rows of a parameter with Adadelta; returns var, accum and accum_update.

    Args:
        epsilon (float): added under both roots, at least 0.
        use_locking (bool): accepted, without effect; an update is always atomic.

    Example:
        >>> weight, total, updates = (ms.Parameter(ms.Tensor([[x], [x]])) for x in (1.0, 0.0, 0.0))
        >>> rows = ms.Tensor([1], ms.int32)
        >>> step = ms.ops.SparseApplyAdadelta(epsilon=1e-6)
        >>> _ = step(weight, total, updates, 1.0, 0.5, ms.Tensor([[2.0]]), rows)
        >>> print(total.value())
        [[0.]
         [2.]]
    """

    @checked
    def __init__(self, epsilon: Float(ge=0.0), use_locking: Bool = False):
        Update.__init__(self, use_locking)
        self.epsilon = epsilon

    @checked
    def __call__(
        self,
        var: Floats,
        accum: Floats,
        accum_update: Floats,
        lr: Scalar,
        rho: Scalar,
        grad: Floats,
        indices: Index,
    ):
        return self.run_rows(
            ADADELTA, (var, accum, accum_update), grad, indices, lr=lr, rho=rho, eps=self.epsilon
        )
