"""The base class of the optimizers' update primitives: fused formulas, input types, in-place
update.

The formulas are in formulas.py; the Cells of `nn.optim` run the same ones.
"""

from ..._backend import arrays
from ..._backend.updates.fuse import fuse
from ..._core.autograd.tape import depth, note_in_place_write, record
from ..._core.autograd.vjp_rule import VjpRule
from ..._core.autograd.vjp_rules import no_gradient
from ..._core.declare.by_slices import in_each_slice
from ..._core.declare.op import space_for
from ..._core.declare.writing import plain
from ..._core.rules.vocabulary import (
    Bool,
    Float,
    Forbid,
    Number,
    TensorOf,
    checked,
    floating,
    integer,
    real,
)
from ..._core.sharding.staged import Staged, unwrap
from ..._core.tensor.tensor import Tensor
from .._indexing.write_cast import promotes_beyond, standing
from .._rules import Float16Or32, NumberOrBool
from ..primitive import Primitive
from . import formulas
from .formulas import unscaled

# Parameters and states keep their dtype; a gradient is converted to it, unless its dtype is wider.
# Where `Plain` stands beside a Tensor, a number counts as a 0-D Tensor, and its shape is
# rejected.
Gradient = TensorOf(floating, integer, "bool")

# Scalars: those that must be floating accept no Python int; others accept any number.
Scalar = Number | TensorOf(floating)
Rate = Float | TensorOf(floating)
HalfRate = Float | Float16Or32
Loose = NumberOrBool | TensorOf(real, "bool")


def without_axes(names):
    """Returns rules that reject a Tensor with axes in the place of a scalar."""
    return [
        Forbid(f"getattr({name}, 'ndim', 0)", ValueError, f"'{name}' must have no axis")
        for name in names.split()
    ]


ADADELTA = fuse(formulas.adadelta_update)
ADAGRAD = fuse(formulas.adagrad_update)
ADAGRAD_EPS = fuse(formulas.adagrad_eps_update)
ADAGRAD_DA = fuse(formulas.adagrad_da_update)
ADAM = fuse(formulas.adam_update)
ADAM_DELTA = fuse(formulas.adam_no_parameter_update)
ADAM_DECAY = fuse(formulas.adam_weight_decay_update)
ADAMAX = fuse(formulas.adamax_update)
AMSGRAD = fuse(formulas.amsgrad_update)
CENTERED_RMSPROP = fuse(formulas.centered_rmsprop_update)
FTRL = fuse(formulas.ftrl_update)
FTRL_SHRUNK = fuse(formulas.ftrl_shrunk_update)
KERAS_MOMENTUM = fuse(formulas.keras_momentum_update)
MOMENTUM = fuse(formulas.momentum_update, link=unscaled)
PLAIN = fuse(formulas.plain_update)
PLAIN_DECAYED = fuse(formulas.plain_update, link=unscaled)
PROXIMAL = fuse(formulas.proximal_update)
PROXIMAL_ADAGRAD = fuse(formulas.proximal_adagrad_update)
RMSPROP = fuse(formulas.rmsprop_update)
SGD_STEP = fuse(formulas.sgd_update, link=unscaled)
ADD_SIGN = fuse(formulas.add_sign_update)
POWER_SIGN = fuse(formulas.power_sign_update)


class Update(Primitive):
    """The base class of all updates: checks shapes, converts scalars to numbers, updates in
    place."""

    unfit = ValueError  # the exception for row shapes that do not fit

    def __init_subclass__(cls):
        super().__init_subclass__()
        if "__call__" in cls.__dict__:
            cls.__call__ = in_each_slice(cls.__call__)

    @checked
    def __init__(self, use_locking: Bool = False):
        super().__init__(type(self).__name__)
        self.use_locking = use_locking

    def run(self, fused, tensors, grad, **scalars):
        """Updates `tensors`, first the parameter, with `grad`; returns Tensors that share their
        memory."""
        *tensors, gradient = standing(*tensors, grad)
        if Staged in [type(tensor._array) for tensor in (*tensors, gradient)]:
            space_arrays = [unwrap(tensor) for tensor in (*tensors, gradient)]
            if Staged not in [
                type(tensor._array) for tensor in space_arrays
            ]:  # it is this rank's stage
                self.run(fused, space_arrays[:-1], space_arrays[-1], **scalars)
            return tuple(map(plain, tensors))
        note_in_place_write(tensors)
        grad = self.gradient_array(tensors, gradient)
        states = [tensor._array for tensor in tensors[1:]]
        scalars = self.numbers(scalars)
        if tensors[0]._array.dtype.kind in "iuc":
            self._run_plainly(fused.formula, [tensors[0]._array, *states], grad, scalars)
        else:
            fused(tensors[0]._array, grad, *states, **scalars)
        return self.barred(tensors, gradient)

    def barred(self, tensors, *inputs):
        """Returns `tensors` as results that raise an error when differentiated."""
        results = tuple(map(plain, tensors))
        live = tuple(t._node for t in (*tensors, *inputs) if t._node is not None)
        if live and not depth.paused:
            vjps = {str(i): no_gradient(self.name) for i in range(len(live))}
            for tensor in results:
                tensor._node = record(VjpRule(self.name, vjps, vjps), live, (), None)
        return results

    def _run_plainly(self, formula, tensors, grad, scalars):
        """Runs the unfused formula, for integers and complex numbers."""
        new = formula(
            space_for(tensors[0]),
            tensors[0],
            grad.astype(tensors[0].dtype),
            *tensors[1:],
            **scalars,
        )
        for array, value in zip(tensors, new, strict=True):
            array[...] = value

    def gradient_array(self, tensors, grad):
        """Returns the array of the gradient, moved to the device of the parameter.

        Raises:
            TypeError: if the gradient has a wider dtype than every Tensor that it updates, because
                these Tensors keep their dtypes.
            ValueError: if shapes differ.
        """
        grad = standing(*tensors, grad)[-1]
        self.need_no_wider(tensors, grad)
        for tensor in (*tensors[1:], grad):
            if tensor.shape != tensors[0].shape:
                raise ValueError(
                    f"For '{self.name}', all states and the gradient must have the shape of the "
                    f"parameter, {tensors[0].shape}, but got {tensor.shape}."
                )
        space = space_for(tensors[0]._array)
        array = arrays.to_space(space, grad._array)
        return (
            array if array.dtype.kind not in "iub" else space.cast(array, tensors[0]._array.dtype)
        )

    def need_no_wider(self, tensors, grad):
        """Rejects a gradient whose dtype is wider than the dtypes of all the Tensors that it
        updates.
        """
        dtypes = {tensor._array.dtype for tensor in tensors}
        if all(promotes_beyond(grad._array.dtype, dtype) for dtype in dtypes):
            raise TypeError(
                f"For '{self.name}', the gradient must not be wider than what it updates, of dtype "
                f"{tensors[0].dtype}, but got {grad.dtype}."
            )

    def numbers(self, scalars):
        """Returns the scalars as plain numbers, given numbers or Tensors of one element."""
        return {name: self._number(name, value) for name, value in scalars.items()}

    def _number(self, name, value):
        if not isinstance(value, Tensor):
            return value
        if value.size != 1:
            raise ValueError(
                f"For '{self.name}', '{name}' must hold one number, but got a Tensor of shape "
                f"{value.shape}."
            )
        return value.asnumpy().item()


class Nesterov(Update):
    """The base class of updates that may use Nesterov's momentum."""

    @checked
    def __init__(self, use_locking: Bool = False, use_nesterov: Bool = False):
        Update.__init__(self, use_locking)
        self.use_nesterov = use_nesterov
