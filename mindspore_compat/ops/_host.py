"""Primitives of graphs and of devices, as a host runs them: in the order written, in one memory.

Morph, UpdateState, MoveTo, CopyWithSlice and stop_gradient_; the parameter server's Push and Pull;
functions registered for Primitives; and small older names. Printing, summaries and hooks are in
_debug/print_summary.py, writing to files in _debug/dump.py.
"""

from collections import UserDict

from .._backend.arrays import HOST, SPACES, current_space, to_space
from .._core.autograd import custom
from .._core.context.config import GRAPH_MODE, config
from .._core.declare.public_api import overwrite, public
from .._core.rules.vocabulary import (
    Bool,
    Int,
    ListOf,
    Number,
    OneOf,
    TensorOf,
    TupleOf,
    any_dtype,
    checked,
)
from .._core.tensor import dtype as dtypes
from .._core.tensor.tensor import Tensor
from ..common.sparse_tensor import RowTensor
from ._debug.print_summary import scalar_to_array
from ._elementwise.arithmetic import mul
from ._shape.join_split import cat
from .primitive import Primitive

Anything = TensorOf(any_dtype)


@public("ops.Morph")
class Morph(Primitive):
    """A function of the user's as a Primitive of graph mode; its result is that of `fn`.

    Gradients go through `fn`, or through `bprop_fn` where that is given.

    Args:
        fn (Function): what is computed.
        infer_shape (Function): the shapes of the outputs from those of the inputs, for a compiler.
        infer_dtype (Function): their dtypes, likewise.
        bprop_fn (Function): `(*inputs, out, dout)` to one gradient for each input.

    Raises:
        RuntimeError: if it is called outside GRAPH_MODE.

    Examples:
        >>> import mindspore_compat as ms
        >>> from mindspore_compat import Tensor, ops
        >>> thrice = ops.Morph(lambda x: 3 * x, lambda shape: shape, lambda dtype: dtype)
        >>> ms.set_context(mode=ms.GRAPH_MODE)
        >>> print(thrice(Tensor([1.0, 2.0])))
        [3. 6.]
        >>> ms.set_context(mode=ms.PYNATIVE_MODE)

    Source: mindspore.ops.Morph of MindSpore 2.10.
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__("Morph")
        self.fn, self.infer_shape, self.infer_dtype = fn, infer_shape, infer_dtype
        self.bprop_fn = bprop_fn

    def __call__(self, *args):
        if config.mode != GRAPH_MODE:
            raise RuntimeError("For 'Morph', the mode must be GRAPH_MODE, but got PYNATIVE_MODE.")
        if self.bprop_fn is None:
            return self.fn(*args)
        return custom.custom_gradient(
            self.fn, lambda given, out, sens: self.bprop_fn(*given, out, sens), args
        )


@public("ops.UpdateState")
class UpdateState(Primitive):
    """Orders effects in a graph: the state after `expr` was evaluated, which is `value` itself.

    Source: mindspore.ops.UpdateState of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("UpdateState")

    def __call__(self, value, expr):
        return value


@public("ops.MoveTo")
class MoveTo(Primitive):
    """A copy of a Tensor in the memory of a device: `ops.MoveTo()(input, to, blocking)`.

    Args of the call:
        input (Union[Tensor, list[int], tuple[int]]): what is copied; a list becomes an int64
            Tensor.
        to (str): "CPU" for the host; "GPU" or "Ascend" for the accelerator in force, which is the
            host where there is none. Default: "CPU".
        blocking (bool): whether the copy is whole when the call returns, which it always is.
            Default: True.

    Raises:
        TypeError: if an argument is of another type.
        ValueError: if `to` is no device.

    Source: mindspore.ops.MoveTo of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("MoveTo")

    @checked
    def __call__(
        self,
        input: Anything | TupleOf(Int) | ListOf(Int),
        to: OneOf("Ascend", "GPU", "CPU") = "CPU",
        blocking: Bool = True,
    ):
        given = input if isinstance(input, Tensor) else Tensor(list(input), dtypes.int64)
        there = HOST if to == "CPU" else current_space()
        home = SPACES.get(type(given._array), there)
        return custom.custom_gradient(
            lambda x: _moved(x, there), lambda x, out, sens: (_moved(sens, home),), (given,)
        )


def _moved(tensor, space):
    """A copy in the memory of `space`; a batch stays where it is."""
    array = tensor._array
    return Tensor._wrap((to_space(space, array) if type(array) in SPACES else array).copy())


@public("ops.CopyWithSlice")
class CopyWithSlice(Primitive):
    """Writes a Tensor's values into another, which may be a part of a larger one.

    `ops.CopyWithSlice()(target, source)` returns `target`; the values take its dtype.

    Raises:
        TypeError: if an input is no Tensor.
        ValueError: if the shapes differ.

    Source: mindspore.ops.CopyWithSlice of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("CopyWithSlice")

    @checked
    def __call__(self, x: Anything, y: Anything):
        return overwrite(self.name, x, y)


@public("ops.stop_gradient_")
@checked
def stop_gradient_(input: Anything):
    """Lets no gradient pass through a Tensor from here on, and returns it.

    What was computed from it before keeps its gradient.

    Args:
        input (Tensor): the Tensor.

    Raises:
        TypeError: if `input` is not a Tensor.

    Source: mindspore.ops.stop_gradient_ of MindSpore 2.10.
    """
    input._node = None
    return input


@public("ops.tensor_muls")
@checked
def tensor_muls(input: Anything, other: Number | Bool):
    """A Tensor times a Python number, of the dtype that `input * other` has.

    Raises:
        TypeError: if `input` is not a Tensor or `other` no number.

    Source: mindspore.ops.tensor_muls of MindSpore 2.10.
    """
    return mul.run(input, other)


@public("ops.ScalarToArray")
class ScalarToArray(Primitive):
    """The class form of `ops.scalar_to_array`.

    Raises:
        TypeError: if the input is no number.

    Source: mindspore.ops.ScalarToArray of MindSpore 1.10, whose name 2.10 keeps.
    """

    def __init__(self):
        super().__init__("ScalarToArray")

    @checked
    def __call__(self, input_x: Number | Bool):
        return scalar_to_array(input_x)


# The parameter server -----------------------------------------------------------------------------


class _Server(Primitive):
    """What asks a parameter server; no process is one here, as in the original on a CPU."""

    def _refuse(self):
        raise RuntimeError(f"For '{self.name}', a parameter server must run, but there is none.")


@public("ops.Push")
class Push(_Server):
    """Sends an optimizer's inputs to the parameter server.

    Optimizers of older releases make it and call it only where parameters lie on a server. There is
    no server, so a call is refused.

    Args:
        optim_type (str): the Primitive of the optimizer.
        only_shape_indices (list): the inputs of which only the shape is sent.

    Raises:
        RuntimeError: if it is called.

    Source: mindspore.ops.Push of MindSpore 2.10.
    """

    def __init__(self, optim_type="ApplyMomentum", only_shape_indices=None):
        super().__init__("Push")
        self.optim_type, self.only_shape_indices = optim_type, only_shape_indices

    def __call__(self, optim_inputs, optim_input_shapes):
        self._refuse()


@public("ops.Pull")
class Pull(_Server):
    """Brings a weight from the parameter server; there is none, so a call is refused.

    Raises:
        RuntimeError: if it is called.

    Source: mindspore.ops.Pull of MindSpore 2.10.
    """

    def __init__(self):
        super().__init__("Pull")

    def __call__(self, key, weight):
        self._refuse()


# Functions registered for Primitives --------------------------------------------------------------


class VmImplRegistry(UserDict):
    """Functions by the name of a Primitive; `register(name)` is a decorator that adds one."""

    def register(self, prim):
        """A decorator that keeps a function under a name, or that of a Primitive or its class."""

        def keep(function):
            self[_name_of(prim)] = function
            return function

        return keep


def _name_of(prim):
    if isinstance(prim, type):
        return prim.__name__
    return prim.name if isinstance(prim, Primitive) else prim


vm_impl_registry = public("ops.vm_impl_registry")(VmImplRegistry())


@public("ops.get_vm_impl_fn")
def get_vm_impl_fn(prim):
    """The function that `ops.vm_impl_registry` has for a Primitive; None where there is none.

    What is registered is called with the Primitive (or name) and gives the function.

    Args:
        prim (Union[Primitive, str]): the Primitive or its name.

    Examples:
        >>> from mindspore_compat import ops
        >>> @ops.vm_impl_registry.register("Twice")
        ... def make(self):
        ...     return lambda x: 2 * x
        >>> ops.get_vm_impl_fn("Twice")(4)
        8

    Source: mindspore.ops.get_vm_impl_fn of MindSpore 2.10.
    """
    make = vm_impl_registry.get(_name_of(prim)) if isinstance(prim, (str, Primitive)) else None
    return None if make is None else make(prim)


# Rows ---------------------------------------------------------------------------------------------


@public("ops.make_row_tensor", "ops.make_row_tensor_inner")
def make_row_tensor(indices, values, dense_shape):
    """A `RowTensor` of slices `values` at `indices` of the first axis; errors as for RowTensor.

    Source: mindspore.ops.make_row_tensor of MindSpore 2.10.
    """
    return RowTensor(indices, values, dense_shape)


def _need_rows(api, x):
    if not isinstance(x, RowTensor):
        raise TypeError(f"For '{api}', 'x' must be a RowTensor, but got {type(x).__name__}.")
    return x


@public("ops.row_tensor_get_indices")
def row_tensor_get_indices(x):
    """The positions of the slices of a RowTensor; a TypeError for anything else."""
    return _need_rows("row_tensor_get_indices", x).indices


@public("ops.row_tensor_get_values")
def row_tensor_get_values(x):
    """The slices of a RowTensor; a TypeError for anything else."""
    return _need_rows("row_tensor_get_values", x).values


@public("ops.row_tensor_get_dense_shape")
def row_tensor_get_dense_shape(x):
    """The dense shape of a RowTensor; a TypeError for anything else."""
    return _need_rows("row_tensor_get_dense_shape", x).dense_shape


@public("ops.row_tensor_add")
def row_tensor_add(x, y):
    """Two RowTensors of one shape as one that has the slices of both.

    Raises:
        TypeError: if an input is no RowTensor.
        ValueError: if the dense shapes differ.
    """
    _need_rows("row_tensor_add", x)
    _need_rows("row_tensor_add", y)
    if tuple(x.dense_shape) != tuple(y.dense_shape):
        raise ValueError(
            f"For 'row_tensor_add', 'x' and 'y' must have one dense shape, but got "
            f"{x.dense_shape} and {y.dense_shape}."
        )
    return RowTensor(
        cat.run([x.indices, y.indices], 0), cat.run([x.values, y.values], 0), x.dense_shape
    )
