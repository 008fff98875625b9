"""_Function: an operation whose forward and backward passes the user writes."""

from .._core.autograd.custom import as_given, as_given_back, put_node
from .._core.autograd.tape import Node, VjpRule, depth, next_number, packed
from .._core.autograd.transforms import unrecorded
from .._core.tensor.tensor import Tensor

__all__ = ["_Function"]


class _Function:
    """Base class of operations with a custom gradient (autograd functions); call them by `apply`.

    A subclass defines `forward(ctx, *inputs)` and `backward(ctx, *gradients)` as static methods, or
    `forward(*inputs)` and `setup_context(ctx, inputs, output)` instead of the first. `ctx` is
    an instance of the subclass on which anything may be noted. `backward` receives one gradient for
    each output (None for one that is not a Tensor) and returns one for each input (None where there
    is none).

    Attributes:
        saved_tensors (tuple): what `save_for_backward` was given.
        needs_input_grad (tuple[bool]): for each input whether it is a Tensor.

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
        """The outputs: a Tensor, or a tuple or list. To be defined by the subclass."""
        raise NotImplementedError("For '_Function', 'forward' must be defined by the subclass.")

    @staticmethod
    def setup_context(ctx, inputs, output):
        """Notes what `backward` needs, where `forward` does not take the context."""
        raise NotImplementedError(
            "For '_Function', 'setup_context' must be defined by the subclass."
        )

    @staticmethod
    def backward(ctx, *gradients):
        """The gradients of the inputs. To be defined by the subclass."""
        raise NotImplementedError("For '_Function', 'backward' must be defined by the subclass.")

    def save_for_backward(self, *tensors):
        """Keeps Tensors (or None) for the backward pass.

        Raises:
            RuntimeError: if one is something else.
        """
        for one in tensors:
            if one is not None and not isinstance(one, Tensor):
                raise RuntimeError(
                    f"For '{type(self).__name__}', 'save_for_backward' takes "
                    f"Tensors and None, but got {one!r} of type "
                    f"{type(one).__name__}."
                )
        self._saved = self._found = tensors

    @property
    def saved_tensors(self):
        return self._found

    def mark_dirty(self, *tensors):
        """Notes inputs that `forward` changed in place."""
        self.dirty_tensors = tensors

    def mark_non_differentiable(self, *tensors):
        """Notes outputs through which no gradient flows."""
        self.non_differentiable = tensors

    def set_materialize_grads(self, value):
        """Whether `backward` gets zeros, and not None, for an output that no gradient reached."""
        self.materialize_grads = value

    @classmethod
    def apply(cls, *inputs):
        """Runs `forward` and records one step whose gradient is `backward`.

        Raises:
            RuntimeError: when the gradient is taken, if `backward` returns a wrong number of
                gradients, or one of a wrong shape.
        """
        ctx = cls()
        ctx.needs_input_grad = tuple(isinstance(one, Tensor) for one in inputs)
        given = tuple(_twin(one) for one in inputs)
        with unrecorded():
            if cls.setup_context is _Function.setup_context:
                out = cls.forward(ctx, *given)
            else:
                out = cls.forward(*given)
                cls.setup_context(ctx, given, out)
        outs = list(out) if isinstance(out, (tuple, list)) else [out]
        made = _recorded(ctx, inputs, given, outs)
        for tensor, twin in zip(inputs, given):
            if isinstance(tensor, Tensor) and twin._array is not tensor._array:
                _follow(tensor, twin, outs, made)
        return type(out)(made) if isinstance(out, (tuple, list)) else made[0]


def _twin(value):
    """A copy of an input: what `forward` writes to it in place is applied after it has returned."""
    if type(value) is not Tensor:
        return value
    made = Tensor._wrap(value._array)
    made._node = value._node
    return made


def _follow(tensor, twin, outs, made):
    """Gives an input the values that its twin was changed to, and their node in the record."""
    tensor._array = twin._array
    at = next((i for i, out in enumerate(outs) if out is twin), None)
    tensor._node = None if at is None else made[at]._node


def _recorded(ctx, inputs, given, outs):
    """The outputs, fresh and made by one node if an input takes part in a gradient."""
    heads = [out for out in outs if isinstance(out, Tensor)]
    fresh = [Tensor._wrap(head._array) for head in heads]
    tensors = [one for one in inputs if isinstance(one, Tensor)]
    if not depth.paused and any(one._node is not None for one in tensors):
        node = object.__new__(Node)
        twins = [one for one in given if isinstance(one, Tensor)]
        node.rule = _FunctionRule(ctx, inputs, [isinstance(out, Tensor) for out in outs])
        node.parents = tuple(one._node for one in tensors)
        node.metas = tuple((one._array.shape, one._array.dtype) for one in tensors)
        node.number = next_number()
        node.saved = _saved_values(ctx, twins, heads)
        put_node(node, fresh)
        for head, one in zip(heads, fresh):
            if any(head is fixed for fixed in ctx.non_differentiable):
                one._node = None
    made = iter(fresh)
    return [next(made) if isinstance(out, Tensor) else out for out in outs]


def _saved_values(ctx, twins, heads):
    """The arrays of those inputs and outputs that were saved, in the form the rule takes them."""
    saved = {id(one) for one in ctx._saved}
    given, results = (
        [one._array if id(one) in saved else None for one in several] for several in (twins, heads)
    )
    ctx._saved_positions = [_position(one, twins, heads) for one in ctx._saved]
    ctx._saved = tuple(
        one if position is None else None for one, position in zip(ctx._saved, ctx._saved_positions)
    )
    return packed((given, tuple(results) if len(results) != 1 else results[0]))


def _position(tensor, twins, heads):
    """Where a saved Tensor stands: ("given" or "result", index), or None for another one."""
    for name, several in (("given", twins), ("result", heads)):
        for i, one in enumerate(several):
            if one is tensor:
                return name, i
    return None


class _FunctionRule(VjpRule):
    """The rule of one call of `_Function.apply`."""

    def __init__(self, ctx, inputs, differentiated):
        self.name = type(ctx).__name__
        self.inputs = ("given",)
        self.upcast = False
        self.many = True
        self.saves = ("given", "out")
        self.fills = ctx.materialize_grads
        self.ctx = ctx
        self.tensors = [isinstance(one, Tensor) for one in inputs]
        self.shapes = [one.shape if isinstance(one, Tensor) else None for one in inputs]
        self.differentiated = differentiated

    def pull(self, xp, g, saved, wanted):
        """The gradients of the inputs, by the user's `backward`."""
        given, result = saved
        results = result if isinstance(result, tuple) else (result,)
        operands = {"given": given, "result": results}
        self.ctx._found = tuple(
            one if position is None else as_given(operands[position[0]][position[1]])
            for one, position in zip(self.ctx._saved, self.ctx._saved_positions)
        )
        gradients = iter(g if isinstance(g, tuple) else (g,))
        flow = [_given_or_none(next(gradients)) if live else None for live in self.differentiated]
        found = self.ctx.backward(self.ctx, *flow)
        found = found if isinstance(found, (tuple, list)) else (found,)
        self._need_same_metadata(found)
        return (
            [as_given_back(xp, one) for one, is_tensor in zip(found, self.tensors) if is_tensor],
        )

    def _need_same_metadata(self, found):
        if len(found) != len(self.tensors):
            raise RuntimeError(
                f"For '{self.name}', 'backward' must return one gradient for each "
                f"of {len(self.tensors)} inputs, but got {len(found)}."
            )
        for shape, one in zip(self.shapes, found):
            if shape is not None and isinstance(one, Tensor) and not _sums_to(one.shape, shape):
                raise RuntimeError(
                    f"For '{self.name}', 'backward' must return a gradient of the "
                    f"input's shape, {shape}, but got {one.shape}."
                )


def _given_or_none(gradient):
    return None if gradient is None else as_given(gradient)


def _sums_to(shape, goal):
    """True if `goal` could be broadcast to `shape`."""
    tail = shape[len(shape) - len(goal) :]
    return len(shape) >= len(goal) and all(n in (1, m) for n, m in zip(goal, tail))
