"""Linearization of a function at a point: one recorded run, many directions.

`Pull` maps gradients of the outputs to gradients of the inputs. `Push` maps directions of the
inputs to derivatives of the outputs. Both run the function once; the tape keeps the saved values.
The public `linearize` is here. `jacrev` and `jacfwd` (ops/_transforms/functional.py) batch these
maps by vmap. `jvp` and `vjp` are in transforms.py.
"""

from ..._core.rules.vocabulary import InstanceOf
from ..autograd.devices import moves
from ..autograd.tape import depth
from ..declare.public_api import public
from ..tensor.tensor import Tensor
from ..vmap.batch import running
from .output_gradients import to_device_of
from .transforms import (
    _GradientScope,
    _without_history,
    map_tensors,
    ones_like,
    tensors_in,
    walking,
)

_OneTensor = InstanceOf(Tensor).called("a Tensor or a tuple or list of Tensors")


class Pull:
    """The vector-Jacobian product: maps gradients at the outputs of `fn` to gradients at its
    inputs.

    Args:
        fn (Callable): the function to differentiate.
        inputs (Sequence[Tensor]): the point.
        has_aux (bool): True if only the first output is differentiated.

    Attributes:
        out: the result of `fn`.
        main: the part of it that is differentiated.
        heads (list[Tensor]): the Tensors in `main`.
        alone (bool): True if no other gradient is open, `fn` ran no vmap, and all is on one device;
            only then can a vmap walk the tape.
    """

    def __init__(self, fn, inputs, has_aux=False):
        before = _events()
        with _GradientScope() as scope:
            out = fn(*[scope.input(t) for t in inputs])
        depth.retained = True
        self.alone = depth.open == 0 and _events() == before
        self.scope = scope
        self.main = out[0] if has_aux else out
        self.heads = tensors_in(self.main)
        self.out = _without_history(out)

    def __call__(self, grad_outputs):
        """Returns the gradients of the inputs as a list, given the gradients of the heads."""
        with walking():
            return self.scope.gradients(self.heads, grad_outputs)


def _events():
    """Returns the numbers of vmaps and of moves between devices so far. A backward pass inside a
    vmap cannot go through either."""
    return running.started, moves.recorded


class Push:
    """The Jacobian-vector product: maps a direction of the inputs to derivatives of the outputs.

    A pull is linear in its argument, so its own gradients are these derivatives. The arguments and
    attributes are the same as for `Pull`.
    """

    def __init__(self, fn, inputs, has_aux=False):
        before = _events()
        with _GradientScope() as outer:
            pull = Pull(fn, inputs, has_aux)
            self.pulled = pull([outer.input(ones_like(head)) for head in pull.heads])
        self.scope = outer
        self.alone = depth.open == 0 and _events() == before
        self.main = pull.main
        self.heads = pull.heads
        self.out = _without_history(pull.out)

    def __call__(self, direction):
        """Returns the derivatives of the heads as a list, along one direction for each input."""
        with walking():
            along = [to_device_of(d, p) for d, p in zip(direction, self.pulled)]
            return self.scope.gradients(self.pulled, along)


def _tensors(name, value):
    """Returns a Tensor or a tuple or list of Tensors as a list."""
    values = list(value) if isinstance(value, (tuple, list)) else [value]
    for tensor in values:
        _OneTensor.refuse("linearize", name, tensor)
    return values


@public("ops.linearize", "ops.functional.linearize")
def linearize(fn, inputs):
    """Linearizes `fn` at `inputs`: returns its outputs and a function for its Jacobian-vector
    product.

    `fn` runs only once, however often the derivative is taken. So the values that it read, such as
    its weights, must not change in the meantime.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): the point.

    Returns:
        (outputs, jvp_fn). `jvp_fn(v)` takes a direction in the form of `inputs` and returns the
        derivatives in the form of the outputs.

    Raises:
        TypeError: if `inputs` or a direction is neither a Tensor nor a tuple or list of Tensors.
        ValueError: if a direction does not have the shapes of `inputs`.

    Examples:
        >>> from mindspore_compat import Tensor, ops
        >>> out, jvp_fn = ops.linearize(lambda x, y: x * y, (Tensor([3.0]), Tensor([4.0])))
        >>> print(out, jvp_fn((Tensor([1.0]), Tensor([0.0]))), jvp_fn((Tensor([1.0]),) * 2))
        [12.] [4.] [7.]

    Source: mindspore.ops.linearize of MindSpore 2.10.
    """
    inputs = _tensors("inputs", inputs)
    push = Push(fn, inputs)
    shapes = [t.shape for t in inputs]

    def along(v):
        direction = _tensors("v", v)
        found_shapes = [d.shape for d in direction]
        if found_shapes != shapes:
            raise ValueError(
                f"For 'linearize', 'v' must have the shapes of 'inputs', {shapes}, but got "
                f"{found_shapes}."
            )
        derivatives = iter(push(direction))
        return map_tensors(lambda t: next(derivatives), push.main)

    return push.out, along
