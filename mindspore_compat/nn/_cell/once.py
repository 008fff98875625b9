"""A training step computes its network's loss and then its gradient in a single forward run.

Worked example. In

    loss = self.network(x, y)
    grads = self.grad(self.network, self.weights)(x, y, sens)

the first line runs the network with a tape on the weights, and keeps the tape. The second line
receives the same network, weights and inputs, so it only runs that tape backward. MindSpore gets
the same effect by compiling both lines into one graph, and in PyNative mode for networks marked by
`set_grad`, as TrainOneStepCell marks its own. Results depend on it too: if the network ran twice,
BatchNorm would count its batch twice, and the gradients of Dropout would belong to another loss
than the returned one.

A *step* is a Cell with an attribute that is a GradOperation by a list of weights. Its *networks*
are the sub-cells that train nothing themselves. If anything differs (other inputs, a weight written
in between, a gradient that is already open, keywords), nothing is reused and both lines run
separately.
"""

import contextlib
import threading

from ..._core.autograd.tape import depth
from ..._core.context.config import GRAPH_MODE, config
from ..._core.gradients.transforms import (
    _apply_hooks,
    _GradientScope,
    _output_gradients,
    map_tensors,
    outside,
    tensors_in,
)
from ...common.parameter import Parameter


@contextlib.contextmanager
def networks_once(step):
    """Returns a context in which each network of a step runs only once per step."""
    with contextlib.ExitStack() as stack:
        for network, weights in networks_of(step):
            if config.mode == GRAPH_MODE or network.requires_grad:
                stack.enter_context(Once(network, weights))
        yield


def within_once(step, function, args, kwargs):
    """Calls a function of a step within `networks_once`. After an error or interrupt, it also
    closes contexts that were left open."""
    try:
        with networks_once(step):
            return function(args, kwargs)
    except BaseException:
        for network, _ in networks_of(step):
            around = network.__dict__.get("_cell_around")
            if around is not None:
                around.__self__.__exit__()
        raise


def networks_of(step):
    """Returns pairs (network, weights) of a step. The weights are those in `weights`, or all
    trained ones."""
    networks = step.__dict__.get("_cell_networks")
    if networks is None:
        parameters = step.__dict__.get("weights")
        parameters = parameters if isinstance(parameters, (tuple, list)) else ()
        parameters = tuple({id(parameter): parameter for parameter in parameters}.values())
        is_known = bool(parameters) and all(
            isinstance(parameter, Parameter) for parameter in parameters
        )
        networks = [
            (cell, parameters if is_known else tuple(cell.trainable_params()))
            for cell in step.cells()
            if cell is not None and _only_computes(cell)
        ]
        networks = [(cell, weights) for cell, weights in networks if weights]
        step.__dict__["_cell_networks"] = networks
    return networks


def _only_computes(cell):
    """Returns True for a Cell that contains neither a step nor an optimizer."""
    within = [member for _, member in cell.cells_and_names()]
    return not any(member._cell_updates or member._cell_is_step for member in within)


class Once:
    """Saves the tape of a network's first call while a step runs.

    Args:
        network (Cell): the network whose first call is recorded.
        weights (Sequence[Parameter]): the weights that the gradient may be requested for.
    """

    def __init__(self, network, weights):
        self.network = network
        self.weights = weights
        self._saved = None
        self._thread = threading.get_ident()  # others may use the network meanwhile

    def __enter__(self):
        self._set(self._record)
        depth.keepers = (*depth.keepers, self)
        return self

    def __exit__(self, *error):
        depth.keepers = tuple(keeper for keeper in depth.keepers if keeper is not self)
        self._set(None)
        self._saved = None

    def _set(self, around):
        self.network.__dict__["_cell_around"] = around
        self.network._cell_choose_path()

    def _record(self, args, kwargs):
        """Runs the network. Records it if this is the call whose tape is saved."""
        other = threading.get_ident() != self._thread
        if depth.open or kwargs or self._saved is not None or other:
            return self.network._cell_inside(args, kwargs)
        differentiated = _GradientScope(self.weights)
        out = differentiated.within(lambda: self.network._cell_inside(args, kwargs))
        arrays = [weight._array for weight in self.weights]
        self._saved = (args, arrays, out, differentiated)
        return map_tensors(outside, out)

    def note_in_place_write(self, tensors):
        """Drops the saved tape when Tensors on it are about to be written in place."""
        if self._saved is not None:
            own_tensors = {id(tensor) for tensor in (*self.weights, *self._saved[0])}
            if any(id(tensor) in own_tensors for tensor in tensors):
                self._saved = None

    def gradients(self, network, weights, args, grad_outputs):
        """Returns the gradients of weights from the saved tape, or None if the saved call differs.

        Args:
            network: the Cell that is to be differentiated.
            weights: the Parameters wanted.
            args: its inputs.
            grad_outputs: the gradient at the output; None for ones.
        """
        if self._saved is None or network is not self.network or depth.open:
            return None
        saved_args, arrays, out, differentiated = self._saved
        index_of = {id(weight): index for index, weight in enumerate(self.weights)}
        if not _equal_arrays(args, saved_args) or any(
            id(weight) not in index_of for weight in weights
        ):
            return None
        self._saved = None
        if not _equal_arrays([weight._array for weight in self.weights], arrays):
            return None
        heads = tensors_in(out)

        def walk():
            differentiated.only([index_of[id(weight)] for weight in weights])
            return differentiated.gradients(
                heads, _output_gradients(heads, grad_outputs), last=True
            )

        gradients = differentiated.within(walk)
        return tuple(_apply_hooks(weight, g) for weight, g in zip(weights, gradients, strict=True))


def _equal_arrays(sequence, previous):
    """Returns True if two sequences hold the same objects."""
    return len(sequence) == len(previous) and all(
        a is b for a, b in zip(sequence, previous, strict=True)
    )
