"""Linearization of a function at a point: one recorded run, many directions.

`Pull` maps gradients of the outputs to gradients of the inputs, `Push` directions of the inputs to
derivatives of the outputs. Both run the function once; the tape keeps the saved values. The
public `linearize` is here, and `jacrev` and `jacfwd` (ops/_transforms/functional.py) batch these
maps by vmap. `jvp` and `vjp` are in transforms.py.
"""

from ..._core.rules.vocabulary import InstanceOf
from ..declare.public_api import public
from ..tensor.tensor import Tensor
from ..vmap.batch import running
from .devices import moves
from .tape import depth
from .transforms import (
    _GradientScope,
    _left,
    _on_device_of,
    map_tensors,
    ones_like,
    tensors_in,
    walking,
)

_OneTensor = InstanceOf(Tensor).called("a Tensor or a tuple or list of Tensors")


class Pull:
    """The gradients of `fn` at some inputs, as a function of those at its outputs.

    Args:
        fn (Callable): what to differentiate.
        inputs (Sequence[Tensor]): where.
        has_aux (bool): True if only the first output is differentiated.

    Attributes:
        out: what `fn` returned.
        main: that of it which is differentiated.
        heads (list[Tensor]): the Tensors in `main`.
        alone (bool): True if no other gradient is open and `fn` ran no vmap, all on one device:
            then a vmap can walk the tape.
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
        self.out = _left(out)

    def __call__(self, grad_outputs):
        """The gradient of each input as a list, given that of each head."""
        with walking():
            return self.scope.gradients(self.heads, grad_outputs)


def _events():
    """How many vmaps and moves between devices there have been, which no vmap can walk back."""
    return running.started, moves.recorded


class Push:
    """The derivatives of `fn` at some inputs, as a function of a direction.

    They are the gradients of a pull, which is linear in what it is given. The arguments and
    attributes are those of `Pull`.
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
        self.out = _left(pull.out)

    def __call__(self, direction):
        """The derivative of each head as a list, along a direction for each input."""
        with walking():
            along = [_on_device_of(d, p) for d, p in zip(direction, self.pulled)]
            return self.scope.gradients(self.pulled, along)


def _tensors(name, value):
    """A Tensor or a tuple or list of Tensors as a list."""
    listed = list(value) if isinstance(value, (tuple, list)) else [value]
    for one in listed:
        _OneTensor.refuse("linearize", name, one)
    return listed


@public("ops.linearize", "ops.functional.linearize")
def linearize(fn, inputs):
    """The outputs of `fn` at `inputs`, and the function that gives its derivative along a
    direction.

    `fn` runs once, however often the derivative is taken, so what it read at that time, its
    weights included, must stay as it was.

    Args:
        fn (Union[Cell, Function]): what to differentiate.
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): where.

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
        found = [d.shape for d in direction]
        if found != shapes:
            raise ValueError(
                f"For 'linearize', 'v' must have the shapes of 'inputs', {shapes}, but got {found}."
            )
        derivatives = iter(push(direction))
        return map_tensors(lambda t: next(derivatives), push.main)

    return push.out, along
