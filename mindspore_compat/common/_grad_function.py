"""_Function: an operation with user-defined forward and backward passes."""

from .._core.autograd.tape import Node, depth, next_number, packed
from .._core.autograd.vjp_rule import VjpRule
from .._core.gradients.custom import as_given, as_given_back, put_node
from .._core.gradients.transforms import unrecorded
from .._core.tensor.tensor import Tensor

__all__ = ["_Function"]


class _Function:
    """Base class of operations with a custom gradient (autograd functions); call them by `apply`.

    A subclass defines `forward(ctx, *inputs)` and `backward(ctx, *gradients)` as static methods, or
    `forward(*inputs)` and `setup_context(ctx, inputs, output)` instead of the first. `ctx` is an
    instance of the subclass, on which any attribute may be stored. `backward` receives one gradient
    per output (None for one that is not a Tensor) and returns one per input (None for no gradient).

    Attributes:
        saved_tensors (tuple): the values passed to `save_for_backward`.
        needs_input_grad (tuple[bool]): for each input, whether it is a Tensor.

    Examples:
        >>> import mindspore_compat as ms
        >>> class Cube(ms._Function):
        ...     @staticmethod
        ...     def forward(ctx, x):
        ...         ctx.save_for_backward(x)
        ...         return x ** 3
        ...
        ...     @staticmethod
        ...     def backward(ctx, grad_output):
        ...         (x,) = ctx.saved_tensors
        ...         return 3 * x ** 2 * grad_output
        >>> print(ms.grad(Cube.apply)(ms.Tensor([2.0])))
        [12.]

    Source: mindspore._Function of MindSpore 2.10.
    """

    needs_input_grad = ()
    materialize_grads = True
    dirty_tensors = non_differentiable = ()
    _saved = _found = ()

    @staticmethod
    def forward(ctx, *inputs):
        """Computes the outputs: a Tensor, or a tuple or list. The subclass defines it."""
        raise NotImplementedError("For '_Function', 'forward' must be defined by the subclass.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Stores what `backward` needs, if `forward` does not take the context."""
        raise NotImplementedError(
            "For '_Function', 'setup_context' must be defined by the subclass."
        )

    @staticmethod
    def backward(ctx, *gradients):
        """Computes the gradients of the inputs. The subclass defines it."""
        raise NotImplementedError("For '_Function', 'backward' must be defined by the subclass.")

    def save_for_backward(self, *tensors):
        """Stores Tensors (or None) for the backward pass.

        Raises:
            RuntimeError: if one is something else.
        """
        for tensor in tensors:
            if tensor is not None and not isinstance(tensor, Tensor):
                raise RuntimeError(
                    f"For '{type(self).__name__}', 'save_for_backward' takes "
                    f"Tensors and None, but got {tensor!r} of type "
                    f"{type(tensor).__name__}."
                )
        self._saved = self._found = tensors

    @property
    def saved_tensors(self):
        return self._found

    def mark_dirty(self, *tensors):
        """Marks inputs that `forward` has changed in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Marks outputs through which no gradient flows."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Sets whether `backward` receives zeros instead of None for an output without a
        gradient."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *inputs):
        """Runs `forward`, and records one tape node whose gradient is `backward`.

        Raises:
            RuntimeError: when the gradient is taken, if `backward` returns a wrong number of
                gradients, or one of a wrong shape.
        """
        ctx = cls()
        ctx.needs_input_grad = tuple(isinstance(value, Tensor) for value in inputs)
        copies = tuple(_twin(value) for value in inputs)
        with unrecorded():
            if cls.setup_context is _Function.setup_context:
                out = cls.forward(ctx, *copies)
            else:
                out = cls.forward(*copies)
                cls.setup_context(ctx, copies, out)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        results = _record_outputs(ctx, inputs, copies, outs)
        for tensor, twin in zip(inputs, copies):
            if isinstance(tensor, Tensor) and twin._array is not tensor._array:
                _follow(tensor, twin, outs, results)
        return type(out)(results) if isinstance(out, (tuple, list)) else results[0]


def _twin(value):
    """Copies an input; in-place writes of `forward` to the copy are applied after it has
    returned."""
    if type(value) is not Tensor:
        return value
    copy = Tensor._wrap(value._array)
    copy._node = value._node
    return copy


def _follow(tensor, twin, outs, results):
    """Assigns the changed values and the tape node of a copy to its input."""
    tensor._array = twin._array
    at = next((i for i, out in enumerate(outs) if out is twin), None)
    tensor._node = None if at is None else results[at]._node


def _record_outputs(ctx, inputs, copies, outs):
    """Returns the outputs as new Tensors, with one tape node if an input takes part in a
    gradient."""
    heads = [out for out in outs if isinstance(out, Tensor)]
    fresh = [Tensor._wrap(head._array) for head in heads]
    tensors = [value for value in inputs if isinstance(value, Tensor)]
    if not depth.paused and any(tensor._node is not None for tensor in tensors):
        node = object.__new__(Node)
        twins = [value for value in copies if isinstance(value, Tensor)]
        node.rule = _FunctionRule(ctx, inputs, [isinstance(out, Tensor) for out in outs])
        node.parents = tuple(tensor._node for tensor in tensors)
        node.metas = tuple((tensor._array.shape, tensor._array.dtype) for tensor in tensors)
        node.number = next_number()
        node.saved = _saved_values(ctx, twins, heads)
        put_node(node, fresh)
        for head, result in zip(heads, fresh):
            if any(head is fixed for fixed in ctx.non_differentiable):
                result._node = None
    results = iter(fresh)
    return [next(results) if isinstance(out, Tensor) else out for out in outs]


def _saved_values(ctx, twins, heads):
    """Returns the arrays of the saved inputs and outputs in the form that the gradient rule
    needs."""
    identities = {id(tensor) for tensor in ctx._saved}
    operands, results = (
        [tensor._array if id(tensor) in identities else None for tensor in tensors]
        for tensors in (twins, heads)
    )
    ctx._saved_positions = [_position(tensor, twins, heads) for tensor in ctx._saved]
    ctx._saved = tuple(
        tensor if position is None else None
        for tensor, position in zip(ctx._saved, ctx._saved_positions)
    )
    return packed((operands, tuple(results) if len(results) != 1 else results[0]))


def _position(tensor, twins, heads):
    """Returns the position of a saved Tensor: ("given" or "result", index), or None if it is
    neither."""
    for name, tensors in (("given", twins), ("result", heads)):
        for i, candidate in enumerate(tensors):
            if candidate is tensor:
                return name, i
    return None


class _FunctionRule(VjpRule):
    """The gradient rule of one call of `_Function.apply`."""

    def __init__(self, ctx, inputs, differentiated):
        self.name = type(ctx).__name__
        self.inputs = ("given",)
        self.upcast = False
        self.many = True
        self.saves = ("given", "out")
        self.fills = ctx.materialize_grads
        self.ctx = ctx
        self.tensors = [isinstance(value, Tensor) for value in inputs]
        self.shapes = [value.shape if isinstance(value, Tensor) else None for value in inputs]
        self.differentiated = differentiated

    def pull(self, xp, g, saved, needs_grad):
        """Returns the gradients of the inputs, computed by the user's `backward`."""
        inputs, result = saved
        results = result if isinstance(result, tuple) else (result,)
        operands = {"given": inputs, "result": results}
        self.ctx._found = tuple(
            tensor if position is None else as_given(operands[position[0]][position[1]])
            for tensor, position in zip(self.ctx._saved, self.ctx._saved_positions)
        )
        gradients = iter(g if isinstance(g, tuple) else (g,))
        flow = [_given_or_none(next(gradients)) if live else None for live in self.differentiated]
        grads = self.ctx.backward(self.ctx, *flow)
        grads = grads if isinstance(grads, (tuple, list)) else (grads,)
        self._need_same_metadata(grads)
        return (
            [as_given_back(xp, grad) for grad, is_tensor in zip(grads, self.tensors) if is_tensor],
        )

    def _need_same_metadata(self, grads):
        if len(grads) != len(self.tensors):
            raise RuntimeError(
                f"For '{self.name}', 'backward' must return one gradient for each "
                f"of {len(self.tensors)} inputs, but got {len(grads)}."
            )
        for shape, grad in zip(self.shapes, grads):
            if shape is not None and isinstance(grad, Tensor) and not _sums_to(grad.shape, shape):
                raise RuntimeError(
                    f"For '{self.name}', 'backward' must return a gradient of the "
                    f"input's shape, {shape}, but got {grad.shape}."
                )


def _given_or_none(gradient):
    return None if gradient is None else as_given(gradient)


def _sums_to(shape, goal):
    """Returns True if `goal` can be broadcast to `shape`."""
    tail = shape[len(shape) - len(goal) :]
    return len(shape) >= len(goal) and all(n in (1, m) for n, m in zip(goal, tail))
