"""Staged: a value of a network that is divided into pipeline stages. It lies on the ranks of one
stage; all ranks know its shape and dtype.

    x = Staged(stages, 0, array)                     # on the ranks of stage 0
    x = Staged(stages, 0, None, (4, 8), float32)     # on all others

Within a Cell of a stage Tensors hold ordinary arrays, because only the ranks of this stage run the
Cell (stage_cells.py). Between Cells they hold Staged. An operator then runs on the ranks of the
last stage among its inputs, which receive the other inputs. On other ranks the operator runs once
on samples of the same shapes, which tells the shape of the result. Later calls with these shapes
and numbers use the same result.

Outside of the network, in a training step, Staged are gradients and the parameters of other stages.
There an operator with inputs of several stages shares them among all ranks.
"""

import threading

import numpy

from ..._backend.arrays import HOST, to_host
from ..._backend.random import streams
from ..autograd.operators import with_operators
from ..autograd.tape import depth
from ..declare.values import space_for
from ..gradients.transforms import map_tensors, tensors_in, unrecorded
from ..tensor import dtype as dtypes
from ..tensor.tensor import Tensor
from .array import ConversionsMixin

MOST = 4096  # operators with their shapes and numbers whose results are remembered
_OUTSIDE = (
    "A parameter of a pipeline stage must be used within the network of 'nn.PipelineCell' if a "
    "gradient by it is taken."
)


class _Flow(threading.local):
    """The run of a divided network in this thread: `stages` are its Stages (stages.py), None if it
    has only one; `micro` is the micro-batch that runs (micro_batches.py), None outside; `inside`
    tells whether a Cell of this rank's stage runs."""

    stages = None
    micro = None
    inside = False


flow = _Flow()


class Paused(BaseException):
    """Ends a part of a forward pass before the Cell of a later segment (micro_batches.py). It is
    not an error, so no network handles it."""


class StagedSpace:
    """The space of Staged. It has no functions of `xp`: `run_apart` runs whole operators."""

    level = 1 << 20
    hides_axis = False
    by_operator = True  # operators are passed to `run_apart` before their bodies run
    bodies = kernels = None
    base = HOST
    low_precision = HOST.low_precision
    low_precision_products = HOST.low_precision_products

    def __init__(self):
        self._shapes = {}  # an operator with its inputs -> the shapes of its results

    def number(self, value, dtype):
        """Returns a Python number as a 0-d array."""
        return HOST.number(value, dtype)

    def ones_like(self, x):
        """Returns ones in the shape and on the stage of `x`."""
        return _fill_like(x, "ones_like")

    def zeros_like(self, x):
        """Returns zeros in the shape and on the stage of `x`."""
        return _fill_like(x, "zeros_like")

    def add(self, a, b):
        """Returns the sum of two gradients of one parameter of a stage."""
        if type(a) is not Staged or type(b) is not Staged:
            raise RuntimeError(_OUTSIDE)
        array = None if a.array is None else a.array + b.array
        return Staged(a.stages, a.stage, array, a.shape, a.dtype, a.stays)

    def cast(self, x, dtype):
        """Returns `x` in another dtype."""
        array = None if x.array is None else x.array.astype(dtype)
        return Staged(x.stages, x.stage, array, x.shape, numpy.dtype(dtype), x.stays)

    def run_apart(self, operator, values):
        """Runs an operator with at least one Staged input on the ranks of its stage.

        Args:
            operator (Op): the operator.
            values (dict): its arguments by name.
        """
        tensors = [t for t in tensors_in(list(values.values())) if type(t._array) is Staged]
        if flow.micro is None and depth.open and not depth.paused:
            _refuse_recorded(operator, tensors)
        stage_numbers = {t._array.stage for t in tensors}
        stages, stage = tensors[0]._array.stages, max(stage_numbers)
        stays = flow.micro is None and any(t._array.stays for t in tensors)
        if len(stage_numbers) > 1 and flow.micro is None:
            values = map_tensors(stages.everywhere, values)
            return operator.run(**values)
        if flow.micro is None:
            return self._run(operator, values, stages, stage, stays)
        return flow.micro.once(lambda: self._run(operator, values, stages, stage, stays))

    def _run(self, operator, values, stages, stage, stays):
        """Moves the inputs of an operator to a stage and runs it on the ranks of the stage."""
        if flow.micro is not None:
            values = map_tensors(lambda t: stages.move(t, stage), values)
        if stages.physical(stage) == stages.own:
            out = operator.run(**map_tensors(unwrap, values))
            return map_tensors(lambda t: stages.wrap(t, stage, stays), out)
        return self._elsewhere(operator, values, stages, stage, stays)

    def _elsewhere(self, operator, values, stages, stage, stays):
        """Returns what an operator on another stage's ranks returns, as Staged without values.

        One run with sample inputs yields the shapes and dtypes; they are kept for the next calls.
        """
        key = operator.name, describe(values)
        out = self._shapes.get(key)
        if out is None:
            with streams.replaying() as again, unrecorded():
                try:
                    out = outline(operator.run(**map_tensors(_sample, values)))
                finally:
                    again()
            if len(self._shapes) >= MOST:  # a number among the arguments changes in each step
                self._shapes.clear()
            self._shapes[key] = out
        return fill_in(out, lambda description: stages.absent(stage, *description, stays))


STAGED = StagedSpace()


@with_operators
class Staged(ConversionsMixin):
    """A value that lies on the ranks of one pipeline stage.

    Args:
        stages (Stages): the division of the ranks into stages (stages.py).
        stage (int): the stage on whose ranks it lies; with interleaved stages a number for each
            segment of each stage, in the order in which the network runs (Stages.physical).
        array: the value, on these ranks; None on all others.
        shape, dtype: the shape and dtype of the value; by default the shape and dtype of `array`.
        stays (bool): whether it belongs to one stage, as the gradient of a parameter does, and is
            not returned to all ranks when the network ends.
    """

    __slots__ = ("stages", "stage", "array", "shape", "dtype", "stays")
    space = STAGED

    nbytes = property(lambda self: 0 if self.array is None else self.array.nbytes)

    def __init__(self, stages, stage, array=None, shape=None, dtype=None, stays=False):
        self.stages, self.stage, self.array, self.stays = stages, stage, array, stays
        self.shape = tuple(array.shape if shape is None else shape)
        self.dtype = array.dtype if dtype is None else dtype

    def astype(self, dtype, copy=True):
        return STAGED.cast(self, dtype)

    def copy(self):
        array = None if self.array is None else self.array.copy()
        return Staged(self.stages, self.stage, array, self.shape, self.dtype, self.stays)

    def like(self, array, has_values=False):
        """Returns `array` on the stage of this Staged; with its values only if `has_values`."""
        mine = array if has_values else None
        return Staged(self.stages, self.stage, mine, array.shape, array.dtype, True)

    def get(self):
        """Returns the value as a NumPy array, on a rank of its stage.

        Raises:
            RuntimeError: on other ranks, and while the network runs, where the ranks of other
                stages could not follow a decision about the value.
        """
        if flow.micro is not None:
            raise RuntimeError(
                "A network of several pipeline stages must not read values between its Cells, "
                f"but it reads a Tensor of shape {self.shape}."
            )
        if self.array is None:
            raise RuntimeError(
                f"A Tensor of shape {self.shape} must be read by the processes of pipeline "
                f"{self.stages.name(self.stage)}, on which it lies, but a process of stage "
                f"{self.stages.own} reads it."
            )
        return to_host(self.array)

    def __repr__(self):
        return f"Staged({self.stage}, {self.array!r}, shape={self.shape}, dtype={self.dtype})"


def unwrap(tensor):
    """Returns a Tensor of this rank's stage with its ordinary array; others unchanged."""
    array = tensor._array
    if type(array) is not Staged or array.array is None:
        return tensor
    result = Tensor._wrap(array.array)
    result._node = tensor._node
    return result


def own_array(tensor):
    """Returns the ordinary array of a Tensor; None for a Staged that lies on another stage."""
    array = tensor._array
    return array.array if type(array) is Staged else array


def _fill_like(x, name):
    if x.array is None:
        return Staged(x.stages, x.stage, None, x.shape, x.dtype, x.stays)
    return getattr(space_for(x.array), name)(x.array)


def _refuse_recorded(operator, tensors):
    if any(t._node is not None for t in tensors):
        raise RuntimeError(f"For '{operator.name}': {_OUTSIDE}")


# Descriptions: results without their values -------------------------------------------------------


class Description(tuple):
    """The shape and the name of the dtype of a Tensor, in place of it."""


def _description(tensor):
    return Description((tuple(tensor._array.shape), tensor._array.dtype.name))


def dtype_named(name):
    """Returns the dtype of arrays with this name."""
    return dtypes.to_numpy(dtypes.bfloat16) if name == "bfloat16" else numpy.dtype(name)


def describe(value):
    """Returns a hashable key of a nested value, the same on all ranks: Tensors count by shape and
    dtype, objects without a text of their own by type."""
    if isinstance(value, Tensor):
        return tuple(value._array.shape), str(value._array.dtype)
    if isinstance(value, (tuple, list)):
        return (type(value).__name__, *map(describe, value))
    if isinstance(value, dict):
        return tuple((key, describe(item)) for key, item in value.items())
    text = repr(value)
    return type(value).__name__, getattr(value, "shape", None), "" if " at 0x" in text else text


def fill_in(value, make):
    """Returns a nested value in which `make` has replaced every Description."""
    if type(value) is Description:
        return make(value)
    if isinstance(value, (tuple, list)):
        items = [fill_in(item, make) for item in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return type(value)((key, fill_in(item, make)) for key, item in value.items())
    return value


def outline(value):
    """Returns a nested value in which Descriptions have replaced Tensors."""
    return map_tensors(_description, value)


def _sample(tensor):
    """Returns a Tensor of zeros, which are also valid indices. A float Tensor has ones on the
    diagonal, so that matrices have inverses."""
    array = numpy.zeros(tensor._array.shape, tensor._array.dtype)
    if array.ndim > 1 and array.dtype.kind not in "biu":
        positions = numpy.arange(min(array.shape[-2:]))
        array[..., positions, positions] = 1
    return Tensor._wrap(array)
