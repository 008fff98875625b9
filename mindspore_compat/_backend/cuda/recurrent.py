"""Computes a layer of a recurrent network on GPU arrays by cuDNN, with its gradients.

A layer has one or two directions, and all sequences have one length. One call runs all steps; the
gradients take two. cuDNN takes the weights in one array: the weights of the input and of the states
of each direction, then the two biases of each. It orders the gates as MindSpore does:

    LSTM  input, forget, candidate, output
    GRU   reset, update, candidate

The forward pass keeps what the gradients need in the array `reserve`. They overwrite it, so they
get a copy. Half types are multiplied as they are and summed in float32.
"""

from ctypes import byref, c_size_t, c_void_p
from itertools import pairwise
from typing import NamedTuple

from ..host import checksums
from . import cublas, cudnn

KINDS = {"relu": (0, 1), "tanh": (1, 1), "lstm": (2, 4), "gru": (3, 3)}  # cuDNN's number, gates
STANDARD, LINEAR_INPUT, STEPS_FIRST = 0, 0, 0
PADDED = 1  # cuDNN's flag for sequences that are padded, not packed
NO_BIAS, TWO_BIASES = 0, 2
INFERENCE, TRAINING = 0, 1
ADD_TO_GRADIENT = 0
MOST_PLANS = 1024  # largest number of cached plans


class Sizes(NamedTuple):
    """The sizes of a layer.

    Args:
        kind (str): "relu", "tanh", "lstm" or "gru".
        steps, batch, inputs, units, directions (int): the lengths of axes; one or two directions.
        has_bias (bool): whether it has biases.
    """

    kind: str
    steps: int
    batch: int
    inputs: int
    units: int
    directions: int
    has_bias: bool

    def weights(self):
        """Returns the numbers of elements of the parts of the weights, in order."""
        rows = KINDS[self.kind][1] * self.units
        biases = 2 * self.directions if self.has_bias else 0
        return [rows * self.inputs, rows * self.units] * self.directions + [rows] * biases


class Layers:
    """Recurrent layers for the arrays of one library.

    Args:
        space (Space): the functions of these arrays; its convolutions have loaded cuDNN.
    """

    def __init__(self, space):
        self.space = space
        self._plans = {}  # sizes, dtype, TF32 and GPU -> Plan; None if cuDNN refuses them

    def take(self, kind, has_bias, x, first, *others):
        """Returns True if cuDNN computes a layer of these arrays.

        Args:
            kind (str), has_bias (bool): what it computes.
            x: (steps, batch, inputs).
            first: the first states (directions, batch, units).
            *others: other arrays of the layer.
        """
        if self.space.convolutions.library is None or checksums.on or not x.size:
            return False
        cupy_array, dtype = self.space.module.ndarray, x.dtype
        same = all(
            [type(array) is cupy_array and array.dtype == dtype for array in (x, first, *others)]
        )
        if not same or dtype not in cudnn.TYPES:
            return False
        return self._plan(_sizes(kind, has_bias, x, first), dtype)[0] is not None

    def forward(self, kind, has_bias, x, states, weights, saves):
        """Runs a layer that `take` accepts.

        Args:
            kind (str): "relu", "tanh", "lstm" or "gru".
            has_bias (bool): whether it has biases.
            x: (steps, batch, inputs).
            states (tuple): the first states and, of an LSTM, cells (directions, batch, units).
            weights: all weights in one array.
            saves (bool): whether gradients are wanted.

        Returns:
            A tuple of the outputs (steps, batch, directions * units), the reserve (empty unless
            `saves`), and the last states; None if cuDNN does not support the layer after all.
        """
        sizes = _sizes(kind, has_bias, x, states[0])
        plan, handle = self._plan(sizes, x.dtype)
        x, weights, *states = map(self._aligned, (x, weights, *states))
        outputs = self._empty((*x.shape[:2], sizes.directions * sizes.units), x.dtype)
        lasts = [self._empty(state.shape, x.dtype) for state in states]
        reserve = self._empty(-(-plan.reserve // x.itemsize) * saves, x.dtype)
        done = self._run(
            *("cudnnRNNForward", plan, handle, weights, reserve, TRAINING if saves else INFERENCE),
            *(None, plan.x, _address(x), plan.y, _address(outputs)),
            *plan.with_states(states, lasts),
        )
        return (outputs, reserve, *lasts) if done else None

    def backward(self, kind, has_bias, x, states, weights, outputs, reserve, g):
        """Computes the gradients of `forward`.

        Args:
            kind, has_bias, x, states, weights: as for `forward`.
            outputs, reserve: what it returned.
            g (list): the gradients of the outputs and of the last states; None for zeros.

        Returns:
            The gradients of x, of the weights, and of the first states; None if cuDNN does not
            support them.
        """
        plan, handle = self._plan(_sizes(kind, has_bias, x, states[0]), x.dtype)
        if plan is None:  # cuDNN refused the layer since the forward pass
            return None
        x, weights, *states = map(self._aligned, (x, weights, *states))
        grad_out, *flows = [None if array is None else self._aligned(array) for array in g]
        grad_out = self.space.zeros_like(outputs) if grad_out is None else grad_out
        grad_x, grad_weights = self._empty(x.shape, x.dtype), self.space.zeros_like(weights)
        firsts, reserve = [self._empty(state.shape, x.dtype) for state in states], reserve.copy()
        done = self._run(
            *("cudnnRNNBackwardData_v8", plan, handle, weights, reserve, None),
            *(plan.y, _address(outputs), _address(grad_out), plan.x, _address(grad_x)),
            *plan.with_states(states, flows, firsts),
        ) and self._run(
            *("cudnnRNNBackwardWeights_v8", plan, handle, grad_weights, reserve, ADD_TO_GRADIENT),
            *(None, plan.x, _address(x), plan.states, _address(states[0])),
            *(plan.y, _address(outputs)),
        )
        return (grad_x, grad_weights, firsts) if done else None

    def _run(self, name, plan, handle, weights, reserve, *arguments):
        """Calls a function with the arguments between the network and the spaces.

        Returns:
            True; False if cuDNN does not support the layer, which is then never given to it again.
        """
        library = self.space.convolutions.library
        size = plan.work
        workspace = self.space.module.cuda.alloc(size) if size else None
        status = getattr(library, name)(
            *(handle, plan.network, *arguments, weights.nbytes, _address(weights)),
            *(size, workspace.ptr if size else None, reserve.nbytes, _address(reserve)),
        )
        if status in cudnn.NOT_SUPPORTED:
            for key in [key for key, known in tuple(self._plans.items()) if known is plan]:
                self._plans[key] = None
            return False
        library.check(status, name)
        return True

    def _plan(self, sizes, dtype):
        """Returns the plan and the handle of a layer; (None, None) if cuDNN refuses it."""
        gpu, handle = self.space.convolutions.handle()
        if handle is None:
            return None, None
        tf32 = dtype == cudnn.FLOAT32 and cublas.tf32["matmul"]
        key = sizes, dtype.num, tf32, gpu
        if key not in self._plans:
            if len(self._plans) >= MOST_PLANS:
                self._plans.clear()
            try:
                plan = Plan(self.space.convolutions.library, handle, sizes, dtype, tf32)
            except cudnn.Refused:
                plan = None
            self._plans[key] = plan
        return self._plans[key], handle

    def _empty(self, shape, dtype):
        return self.space.module.ndarray(shape, dtype)

    def _aligned(self, array):
        """Returns the array without gaps and at an address that the library can read."""
        array = self.space.module.ascontiguousarray(array)
        return array if array.data.ptr % cudnn.ALIGNMENT == 0 else array.copy()


class Plan:
    """The descriptors of a layer and the sizes of its spaces.

    Args:
        library (cudnn.Library): the library.
        handle: its handle.
        sizes (Sizes): what the layer computes.
        dtype (numpy.dtype): of the arrays.
        tf32 (bool): whether float32 may be multiplied in TF32.

    Attributes:
        network, x, y, states: the addresses of descriptors.
        work, reserve (int): bytes of the workspace and of the reserve.

    Raises:
        Refused: if cuDNN does not support the layer, or lays out its weights in another way.
    """

    def __init__(self, library, handle, sizes, dtype, tf32):
        self._descriptors = []  # these live as long as their addresses are used

        def describe(kind, name, *values):
            descriptor = cudnn.Descriptor(library, kind)
            descriptor.set(name, *values)
            self._descriptors.append(descriptor)
            return descriptor.address

        number, type_number = KINDS[sizes.kind][0], cudnn.TYPES[dtype]
        math = cudnn.TENSOR_OP_MATH if dtype in cudnn.HALF_TYPES else cudnn.DEFAULT_MATH
        math = cudnn.FMA_MATH if dtype == cudnn.FLOAT32 and not tf32 else math
        no_dropout = describe("Dropout", "Descriptor", handle, 0.0, None, 0, 0)
        self.network = describe(
            *("RNN", "Descriptor_v8", STANDARD, number),
            *(TWO_BIASES if sizes.has_bias else NO_BIAS, sizes.directions - 1, LINEAR_INPUT),
            *(type_number, cudnn.TYPES[cudnn.sum_type(dtype)], math),
            *(sizes.inputs, sizes.units, sizes.units, 1, no_dropout, PADDED),
        )
        lengths = cudnn.ints([sizes.steps] * sizes.batch)
        self.x, self.y = (
            describe(
                *("RNNData", "Descriptor", type_number, STEPS_FIRST, sizes.steps, sizes.batch),
                *(width, lengths, None),
            )
            for width in (sizes.inputs, sizes.directions * sizes.units)
        )
        shape = sizes.directions, sizes.batch, sizes.units
        strides = sizes.batch * sizes.units, sizes.units, 1
        shape, strides = cudnn.ints(shape), cudnn.ints(strides)
        self.states = describe("Tensor", "NdDescriptor", type_number, 3, shape, strides)
        work, reserve = c_size_t(), c_size_t()
        status = library.cudnnGetRNNTempSpaceSizes(
            handle, self.network, TRAINING, self.x, byref(work), byref(reserve)
        )
        library.refuse(status)
        self.work, self.reserve = work.value, reserve.value
        self._check_weights(library, handle, sizes, dtype)

    def with_states(self, *columns):
        """Returns the arguments of a cuDNN call for the states, then for the cells: a descriptor,
        and one address for each of the `columns`, which are lists of arrays (states, cells). The
        addresses of cells are null if the lists have no cells."""
        rows = [*zip(*columns, strict=True), (None,) * len(columns)][:2]
        return [argument for row in rows for argument in (self.states, *map(_address, row))]

    def _check_weights(self, library, handle, sizes, dtype):
        """Raises Refused unless cuDNN lays out the weights in the order of `Sizes.weights`."""
        size = c_size_t()
        library.refuse(library.cudnnGetRNNWeightSpaceSize(handle, self.network, byref(size)))
        lengths, gates = sizes.weights(), KINDS[sizes.kind][1]
        starts = [0]
        for length in lengths:
            starts.append(starts[-1] + length * dtype.itemsize)
        expected = [
            start + gate * (stop - start) // gates
            for start, stop in pairwise(starts)
            for gate in range(gates)
        ]
        base = 1 << 20  # no address of the weights may be 0
        found = {"matrices": [], "biases": []}
        matrix, bias = cudnn.Descriptor(library, "Tensor"), cudnn.Descriptor(library, "Tensor")
        for direction in range(sizes.directions):
            for part in range(2 * gates):
                places = c_void_p(), c_void_p()
                status = library.cudnnGetRNNWeightParams(
                    *(handle, self.network, direction, size.value, base, part),
                    *(matrix.address, byref(places[0]), bias.address, byref(places[1])),
                )
                library.refuse(status)
                for kind, place in zip(found.values(), places, strict=True):
                    kind += [] if place.value is None else [place.value - base]
        if [*found["matrices"], *found["biases"]] != expected or size.value != starts[-1]:
            raise cudnn.Refused("an unknown order of weights")


def _sizes(kind, has_bias, x, first):
    directions, _, units = first.shape
    return Sizes(kind, *x.shape, units, directions, has_bias)


def _address(array):
    """Returns the address of an array's data; None for no array, or an empty one."""
    return None if array is None or not array.size else array.data.ptr
