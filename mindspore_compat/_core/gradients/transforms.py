"""The public transforms: grad, value_and_grad, vjp, jvp, stop_gradient.

Each transform attaches new leaves to the Tensors with respect to which it differentiates, runs the
function and the backward pass, and restores all changes, even if the function raises an error. The
backward pass is in autograd/tape.py; user-defined gradients and recomputation are in custom.py.
Forward mode is two reverse passes: `w = vjp(u)` is linear in `u`, and its own vjp at `v` is `J v`.
"""

import contextlib
import copy
import functools

from ..._backend.steps.journal import whole_step
from ..autograd.tape import depth
from ..context.config import PYNATIVE_MODE, config
from ..declare.public_api import public
from ..rules.base import type_named
from ..rules.vocabulary import Bool, InstanceOf, checked
from ..tensor.tensor import Tensor, as_array
from .differentiated import checked_positions, listed_weights
from .leaves import _GradientScope, in_order_of_use, ones_like, zeros_like
from .output_gradients import fits, fitted, need_dtypes, to_device_of

_TENSORS = InstanceOf(Tensor).called("Tensors")


def tensors_in(value):
    """Returns all Tensors in nested tuples, lists and dicts, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in tensors_in(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v)]
    if isinstance(value, Sparse):
        return [value.values]
    return []


def map_tensors(function, value):
    """Applies `function` to every Tensor in nested tuples, lists and dicts; other values stay."""
    if isinstance(value, Tensor):
        return function(value)
    if isinstance(value, (tuple, list)):
        items = [map_tensors(function, v) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return type(value)((k, map_tensors(function, v)) for k, v in value.items())
    if isinstance(value, Sparse):
        return value.holding(function(value.values))
    return value


class Mutable:
    """The mixin that `mutable` adds to tuples, lists and dicts: `grad` looks at their Tensors."""


class Sparse:
    """The base of sparse tensors: gradients flow through their `values`, a Tensor."""

    def holding(self, values):
        """Returns a sparse tensor with the same positions and other values."""
        duplicate = copy.copy(self)
        duplicate._values = values
        return duplicate


# grad and value_and_grad --------------------------------------------------------------------------


class Request:
    """The specification of a gradient: the function, the inputs (by position) and weights with
    respect to which it is differentiated, and the form of the result. Each transform makes one."""

    def __init__(
        self, api, fn, position, weights, has_aux=False, return_ids=False, sens_param=False
    ):
        self.fn = fn
        self.has_aux = has_aux
        self.return_ids = return_ids
        self.sens_param = sens_param
        self.positions = checked_positions(api, position, weights)
        self.single_input = True  # the gradient of a single input is not in a tuple
        self.paired = weights is not None and bool(self.positions)
        self.weights, self.single_weight = listed_weights(weights)
        self.asks_weights = weights is not None
        self.used_only = False  # only for weights that the function uses, in that order
        self.api = api
        # Whether `gradients_of_tensors` may compute them, if the arguments allow it.
        increasing = list(self.positions) == sorted(set(self.positions)) != []
        self.is_plain = increasing and not (has_aux or return_ids or self.asks_weights)

    def need_weights(self):
        """Raises a TypeError for weights of a wrong type. As in MindSpore, this happens only
        when the gradient function is called."""
        for weight in self.weights:
            if not isinstance(weight, Tensor):
                raise TypeError(
                    f"For '{self.api}', 'weights' must be a Parameter, several or None, "
                    f"but got {weight!r}."
                )

    def run(self, args, kwargs):
        """Runs the function; returns (its value, the gradients in the requested form)."""
        if self.weights:
            self.need_weights()
        grad_outputs = None
        if self.sens_param:
            args, kwargs, grad_outputs = self._split(args, kwargs)
        if self.is_plain and not kwargs and are_plain(args) and self.positions[-1] < len(args):
            out, gradients = gradients_of_tensors(self.fn, args, self.positions, grad_outputs)
            return out, gradients[0] if len(gradients) == 1 else tuple(gradients)
        scope = _GradientScope(self.weights)
        both = self._value_and_gradients, scope, args, kwargs, grad_outputs
        run, gradients = whole_step(scope.within, both, {})
        return _without_history(run.out), run.answer(gradients)

    def _value_and_gradients(self, scope, args, kwargs, grad_outputs):
        """Runs the function and the backward pass; returns the _Run and the gradients."""
        run = _Run(self, scope, args, kwargs)
        if self.used_only:
            run.leave_unused()
        return run, run.gradients(grad_outputs, last=True)

    def _split(self, args, kwargs):
        """Splits off the gradient at the output: the last argument, or the keyword `sens`."""
        if "sens" in kwargs:
            kwargs = dict(kwargs)
            return args, kwargs, kwargs.pop("sens")
        return args[:-1], kwargs, args[-1]

    def _heads(self, out):
        """Returns the outputs to differentiate: all, or only the first if the others are
        auxiliary."""
        if self.has_aux:
            if not isinstance(out, tuple) or len(out) < 2:
                raise ValueError(
                    "For 'grad', a function must return at least two outputs when 'has_aux' is "
                    "True."
                )
            out = out[0]
        return [out] if type(out) is Tensor else tensors_in(out)

    def _form(self, inputs, weights):
        if self.return_ids:
            inputs = [(i, g) for i, g in inputs]
            weights = [(w.name, g) for w, g in weights]
        else:
            inputs = [g for _, g in inputs]
            weights = [g for _, g in weights]
        gradients = inputs[0] if self.single_input and len(inputs) == 1 else tuple(inputs)
        by_weight = weights[0] if self.single_weight else tuple(weights)
        if not self.asks_weights:
            return gradients
        return (gradients, by_weight) if self.paired else by_weight


def are_plain(args):
    """Returns True for one or more different Tensors, without hooks and of no subclass."""
    for value in args:
        if type(value) is not Tensor or value._hooks:
            return False
    return len(args) == 1 or 0 < len(args) == len(set(map(id, args)))


def gradients_of_tensors(fn, args, positions, grad_output):
    """Does what `_Run` does for the ordinary case, in a third of its time: returns (the value of
    `fn`, a list of its gradients with respect to the arguments at increasing `positions`).

    Args:
        fn (callable): takes `args`.
        args (Sequence): what `are_plain` accepts.
        positions (Sequence[int]): below `len(args)`.
        grad_output: the gradient at the outputs, or None for ones.
    """
    scope = _GradientScope()
    both = _plain_value_and_gradients, scope, fn, args, positions, grad_output
    out, gradients = whole_step(scope.within, both, {})
    return _without_history(out), gradients


def _plain_value_and_gradients(scope, fn, args, positions, grad_output):
    inside = list(args)
    for i in positions:
        inside[i] = scope.input(args[i])
    out = fn(*inside)
    heads = [out] if type(out) is Tensor else tensors_in(out)
    return out, scope.gradients(heads, _output_gradients(heads, grad_output), last=True)


class _Run:
    """One run of a Request within an open gradient, and its gradients for given sensitivities.

    Positions count positional arguments first, then keyword arguments. A Tensor that is passed
    several times is one input: its gradient is the sum over all its positions.
    """

    def __init__(self, request, scope, args, kwargs):
        self.args = [*args, *kwargs.values()] if kwargs else args
        positions = request.positions
        if positions and max(positions) >= len(self.args):
            raise RuntimeError(
                f"For 'grad', 'grad_position' must be below the number of inputs, "
                f"{len(self.args)}, but got {max(positions)}."
            )
        self.request = request
        self.scope = scope
        self.weights = request.weights
        self.weight_leaves = []
        if self.weights:
            leaf_of = {id(w): end for w, end in zip(scope.weights, scope.leaves, strict=True)}
            self.weight_leaves = [leaf_of[id(w)] for w in self.weights]
        self.inputs = {}  # id of an argument -> the argument, its Tensor with a leaf, the leaf
        for i in positions:
            value = self.args[i]
            if type(value) is Tensor:
                self._enter(value)
            elif isinstance(value, _WITH_GRADIENTS):
                map_tensors(self._enter, value)
        inside = [self._inside(value) for value in args]
        if kwargs:
            kwargs = {key: self._inside(value) for key, value in kwargs.items()}
        self.out = request.fn(*inside, **kwargs)
        self.heads = request._heads(self.out)

    def _enter(self, tensor):
        if id(tensor) not in self.inputs:
            copy_of_input = self.scope.input(tensor)
            self.inputs[id(tensor)] = tensor, copy_of_input, copy_of_input._node

    def _inside(self, value):
        """Returns an argument whose Tensors are replaced by Tensors with leaves."""
        if type(value) is Tensor:
            entered = self.inputs.get(id(value))
            return value if entered is None else entered[1]
        return map_tensors(self._tensor_inside, value)

    def _tensor_inside(self, tensor):
        tensor_inside = self.inputs.get(id(tensor))
        return tensor if tensor_inside is None else tensor_inside[1]

    def leave_unused(self):
        """Drops the weights that the outputs do not depend on."""
        weight_of = dict(zip(self.weight_leaves, self.weights))
        used_leaves = in_order_of_use(self.weight_leaves, self.heads)
        others = weight_of.keys() - set(used_leaves)
        self.scope.leaves = [end for end in self.scope.leaves if end not in others]
        self.weights, self.weight_leaves = [weight_of[end] for end in used_leaves], used_leaves

    def gradients(self, grad_outputs, last=False):
        """Returns the gradient at each leaf. The caller is inside an open gradient."""
        return self.scope.gradients(self.heads, _output_gradients(self.heads, grad_outputs), last)

    def answer(self, gradients):
        """Returns the gradients in the requested form."""
        by_leaf = dict(zip(self.scope.leaves, gradients))
        by_input = {}
        for key, (tensor, _, end) in self.inputs.items():
            by_input[key] = _apply_hooks(tensor, by_leaf[end]) if tensor._hooks else by_leaf[end]
        inputs = []
        for i in self.request.positions:
            value = self.args[i]
            if type(value) is Tensor or isinstance(value, Tensor):
                inputs.append((i, by_input[id(value)]))
            elif isinstance(value, _WITH_GRADIENTS):
                gradient = map_tensors(lambda t: by_input[id(t)], value)
                inputs.append((i, _as_given(gradient)))
        weights = [
            (w, _of_weight(w, by_leaf[end])) for w, end in zip(self.weights, self.weight_leaves)
        ]
        return self.request._form(inputs, weights)


_WITH_GRADIENTS = (Tensor, Mutable, Sparse)


def _as_given(gradient):
    """Returns a gradient as the caller gets it. In PyNative mode, a sparse gradient is replaced by
    its values; all other gradients are unchanged."""
    return (
        gradient.values
        if isinstance(gradient, Sparse) and config.mode == PYNATIVE_MODE
        else gradient
    )


def _of_weight(weight, g):
    """Returns the gradient of a weight after its hooks; zeros for a Parameter without
    `requires_grad`."""
    if isinstance(weight, type_named("Parameter")) and not weight.requires_grad:
        return zeros_like(g)
    return _apply_hooks(weight, g)


def _without_history(out):
    """Returns the results of a transform, without tape nodes unless an outer gradient needs
    them."""
    if depth.open and not depth.paused:
        return out
    return outside(out) if type(out) is Tensor else map_tensors(outside, out)


@contextlib.contextmanager
def walking():
    """A context for a backward pass that runs after the scope of its gradient has ended
    (`linearize`): inside, one more gradient counts as open."""
    depth.open += 1
    try:
        yield
    finally:
        depth.open -= 1


def outside(tensor):
    """Returns a Tensor without its history, for results that leave the outermost gradient."""
    if tensor._node is None:
        return tensor
    if type(tensor) is not Tensor:
        return tensor
    return Tensor._wrap(tensor._array)


def _apply_hooks(weight, g):
    """Returns the gradient of a weight after the hooks registered on it."""
    if weight._hooks:
        for hook in weight._hooks.values():
            new_gradient = hook(g)
            g = g if new_gradient is None else new_gradient
    return g


def _output_gradients(heads, grad_outputs):
    """Returns the gradient at each output: ones, or the caller's sensitivity fitted to the
    output."""
    if grad_outputs is None:
        return [ones_like(head) for head in heads]
    if type(grad_outputs) is Tensor and len(heads) == 1 and fits(grad_outputs, heads[0]):
        return [grad_outputs]
    gradients = (
        tensors_in(grad_outputs)
        if not isinstance(grad_outputs, (int, float))
        else [Tensor._wrap(as_array(grad_outputs))]
    )
    return [fitted(gradient, head) for gradient, head in zip(gradients, heads)]


@public("grad", "ops.grad")
@checked
def grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: Bool = False,
    return_ids: Bool = False,
    sens_param: Bool = False,
):
    """Returns a function that computes the gradient of `fn`.

    Args:
        fn (Union[Cell, Function]): the function to differentiate; its outputs are summed.
        grad_position (Union[None, int, tuple[int]]): the inputs that receive gradients.
            Default: 0.
        weights (Union[None, Parameter, list, ParameterTuple]): the weights that receive gradients.
        has_aux (bool): True if only the first output is differentiated and the others are returned
            unchanged.
        return_ids (bool): True to pair each gradient with its position or the weight's name.
        sens_param (bool): True if the caller passes the gradient at the outputs, as the last
            argument or as `sens`; otherwise it is ones. Default: False.

    Returns:
        Function with the inputs of `fn`, which returns the gradients: a Tensor for one position, a
        tuple for several; a tuple for weights (a Tensor for one Parameter); a pair for both. With
        `has_aux`, a pair of these and a tuple of the other outputs.

    Raises:
        ValueError: if `grad_position` and `weights` are both None, or a position is negative.
        TypeError: if `grad_position` is neither int nor tuple of ints, or a flag is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.grad(lambda x: x * x)(ms.Tensor(3.0)))
        6.0

    Source: mindspore.grad of MindSpore 2.10.
    """
    request = Request("grad", fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def gradient(*args, **kwargs):
        value, gradients = request.run(args, kwargs)
        return (gradients, value[1:]) if has_aux else gradients

    return gradient


@public("value_and_grad", "ops.value_and_grad")
@checked
def value_and_grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: Bool = False,
    return_ids: Bool = False,
    sens_param: Bool = False,
):
    """Returns a function that computes the value and the gradient of `fn`; the arguments are the
    same as for `grad`.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        grad_position (Union[None, int, tuple[int]]): the inputs that receive gradients.
        weights (Union[None, Parameter, list, ParameterTuple]): the weights that receive gradients.

    Returns:
        Function with the inputs of `fn`, which returns (outputs of `fn`, gradients in the form of
        `grad`).

    Raises:
        ValueError: if `grad_position` and `weights` are both None, or a position is negative.
        TypeError: if `grad_position` is neither int nor tuple of ints, or a flag is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.ops.value_and_grad(lambda x: x * x)(ms.Tensor(3.0)))
        9.0 6.0

    Source: mindspore.value_and_grad of MindSpore 2.10.
    """
    request = Request("value_and_grad", fn, grad_position, weights, has_aux, return_ids, sens_param)

    @functools.wraps(fn, assigned=("__name__", "__doc__"), updated=())
    def value_and_gradient(*args, **kwargs):
        return request.run(args, kwargs)

    return value_and_gradient


@public("get_grad", "ops.get_grad")
def get_grad(gradients, identifier):
    """Returns the gradient of one position or weight from the result of `grad(return_ids=True)`.

    Args:
        gradients (Union[tuple[int, Tensor], tuple[tuple]]): the pairs.
        identifier (Union[int, Parameter]): the position, or the weight.

    Raises:
        RuntimeError: if there is no gradient for `identifier`.
        TypeError: if `identifier` is neither int nor Parameter.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.get_grad(((0, ms.Tensor(5.0)),), 0))
        5.0

    Source: mindspore.get_grad of MindSpore 2.10.
    """
    key = identifier if isinstance(identifier, int) else getattr(identifier, "name", None)
    if key is None:
        raise TypeError(
            f"For 'get_grad', 'identifier' must be an int or a Parameter, but got {identifier!r}."
        )
    stack = [gradients]
    while stack:
        item = stack.pop()
        if len(item) == 2 and isinstance(item[0], (int, str)):
            if item[0] == key:
                return item[1]
        else:
            stack.extend(i for i in item if isinstance(i, tuple))
    raise RuntimeError(f"For 'get_grad', there is no gradient for {key!r}.")


# vjp, jvp -----------------------------------------------------------------------------------------


@public("vjp", "ops.vjp")
def vjp(fn, *inputs, weights=None, has_aux=False):
    """Computes a vector-Jacobian product: returns the outputs of `fn` and a function that maps
    gradients at the outputs to gradients at the inputs.

    `fn` runs only once, however often the product is taken. So the values that it read, such as its
    weights, must not change in the meantime.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        *inputs (Tensor): the point.
        weights (Union[None, Parameter, list, ParameterTuple]): weights that receive gradients too.
        has_aux (bool): True if only the first output is differentiated.

    Returns:
        (outputs, vjp_fn), and the other outputs with `has_aux`. `vjp_fn(*sens)` returns the
        gradients of all inputs as a tuple, together with the gradients of the weights.

    Raises:
        TypeError: if an input is not a Tensor, or a weight is not one.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.vjp(lambda x: x * x, ms.Tensor(3.0))[0])
        9.0

    Source: mindspore.vjp of MindSpore 2.10.
    """
    Bool.refuse("vjp", "has_aux", has_aux)
    for value in inputs:
        if not tensors_in(value):
            raise TypeError(f"For 'vjp', 'inputs' must be Tensors, but got {type(value).__name__}.")
    positions = tuple(range(len(inputs)))
    request = Request("vjp", fn, positions, weights, has_aux)
    request.single_input = False
    request.need_weights()
    scope = _GradientScope(request.weights)
    run = scope.within(lambda: _Run(request, scope, inputs, {}))
    depth.retained = True
    out = _without_history(run.out)

    def pull(*grad_outputs):
        need_dtypes("vjp", "sens", tensors_in(grad_outputs), run.heads)
        with scope if scope.weights else walking():
            gradients = run.gradients(grad_outputs[0] if len(grad_outputs) == 1 else grad_outputs)
        return run.answer(gradients)

    if has_aux:
        return out[0], pull, out[1] if len(out) == 2 else out[1:]
    return out, pull


@public("jvp", "ops.jvp")
def jvp(fn, inputs, v, has_aux=False):
    """Computes a Jacobian-vector product: returns the outputs of `fn` at `inputs` and its
    derivative along `v`.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        inputs (Union[Tensor, tuple[Tensor], list[Tensor]]): the point.
        v (Union[Tensor, tuple[Tensor], list[Tensor]]): the direction, in the shapes of `inputs`.
        has_aux (bool): True if only the first output is differentiated.

    Returns:
        (outputs, derivatives), and the other outputs with `has_aux`.

    Raises:
        TypeError: if `inputs` or `v` holds something other than Tensors, or their dtypes differ.

    Example:
        >>> import mindspore_compat as ms
        >>> print(*ms.ops.jvp(lambda x: x * x, ms.Tensor(3.0), ms.Tensor(1.0)))
        9.0 6.0

    Source: mindspore.jvp of MindSpore 2.10.
    """
    Bool.refuse("jvp", "has_aux", has_aux)
    inputs = list(inputs) if isinstance(inputs, (tuple, list)) else [inputs]
    v = list(v) if isinstance(v, (tuple, list)) else [v]
    for name, tensors in (("inputs", inputs), ("v", v)):
        for tensor in tensors:
            if not isinstance(tensor, Tensor):
                _TENSORS.refuse("jvp", name, tensor)
    need_dtypes("jvp", "v", v, inputs)
    with _GradientScope() as outer:
        with _GradientScope() as inner:
            out = fn(*[inner.input(t) for t in inputs])
            heads = tensors_in(out[0] if has_aux else out)
            pulled = inner.gradients(heads, [outer.input(ones_like(head)) for head in heads])
        derivatives = outer.gradients(pulled, [to_device_of(d, p) for d, p in zip(v, pulled)])
    main = out[0] if has_aux else out
    gradients = iter(derivatives)
    tangents = map_tensors(lambda t: next(gradients), main)
    value = _without_history(out)
    if has_aux:
        return value[0], tangents, value[1] if len(value) == 2 else value[1:]
    return value, tangents


@contextlib.contextmanager
def unrecorded():
    """A context (and decorator) that pauses recording, even while gradients are open."""
    outer, depth.paused = depth.paused, True
    try:
        yield
    finally:
        depth.paused = outer


@public("ops.stop_gradient", "ops.functional.stop_gradient")
def stop_gradient(value):
    """Stops the gradient: returns the same values, but no gradient flows back from them.

    Args:
        value (Any): a Tensor, or nested tuples, lists and dicts of Tensors; other values pass
            through.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.grad(lambda x: x * ms.ops.stop_gradient(x))(ms.Tensor(3.0)))
        3.0

    Source: mindspore.ops.stop_gradient of MindSpore 2.10.
    """
    return map_tensors(lambda t: Tensor._wrap(t._array), value)
