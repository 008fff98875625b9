"""Functions of functions: Jacobians, GradOperation, HyperMap, MultitypeFuncGraph, partial."""

import functools

from ..._core.autograd.tape import depth
from ..._core.context.config import GRAPH_MODE, config
from ..._core.declare.op import space_for
from ..._core.declare.public_api import public
from ..._core.gradients.leaves import trained_parameters
from ..._core.gradients.linearization import Pull, Push
from ..._core.gradients.transforms import (
    Request,
    are_plain,
    gradients_of_tensors,
    map_tensors,
    tensors_in,
)
from ..._core.rules.vocabulary import Any, Bool, Callable, checked
from ..._core.tensor.tensor import Tensor
from ...common._graph_mode.call import graphs
from ...common.mutable import is_dynamic
from ...common.sparse_tensor import COOTensor, CSRTensor, RowTensor
from .._shape.join_split import stack
from .._shape.transpose import moveaxis
from .vmap import vmap

# Jacobians ----------------------------------------------------------------------------------------

_AT_ONCE = 256  # passes in one walk; more would cost memory and save no time


def _jacobian(api, fn, grad_position, has_aux, forward):
    Bool.refuse(api, "has_aux", has_aux)

    def jacobian(*args):
        positions = _positions(api, grad_position, len(args))

        def of_chosen(*inputs_of_jacobian):
            full = list(args)
            for position, item in zip(positions, inputs_of_jacobian):
                full[position] = item
            return fn(*full)

        inputs_of_jacobian = [args[p] for p in positions]
        at = (Push if forward else Pull)(of_chosen, inputs_of_jacobian, has_aux)
        by_head = _columns(at, inputs_of_jacobian) if forward else _rows(at, inputs_of_jacobian)
        result = _arrange(at.main, by_head)
        return (result, at.out[1] if len(at.out) == 2 else at.out[1:]) if has_aux else result

    return jacobian


def _positions(api, grad_position, count):
    """Returns `grad_position` as a tuple of different positions among `count` inputs."""
    positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
    if any(isinstance(index, bool) or not isinstance(index, int) for index in positions):
        raise TypeError(
            f"For '{api}', 'grad_position' must be an int or a tuple of ints, "
            f"but got {grad_position!r}."
        )
    if not positions or len({*positions}) < len(positions):
        raise ValueError(
            f"For '{api}', 'grad_position' must name different inputs, but got {grad_position!r}."
        )
    if min(positions) < 0 or max(positions) >= count:
        raise ValueError(
            f"For '{api}', 'grad_position' must be from 0 to {count - 1}, because there are "
            f"{count} inputs, but got {grad_position!r}."
        )
    return positions


def _rows(pull, inputs):
    """Runs one backward pass for each element of each output."""
    by_head = []
    for k, head in enumerate(pull.heads):
        pulled = _of_units(pull, pull.heads, k)
        by_head.append([p.reshape(head.shape + c.shape) for p, c in zip(pulled, inputs)])
    return by_head


def _columns(push, inputs):
    """Runs one forward pass for each element of each input."""
    by_head = [[] for _ in push.heads]
    for n, tensor in enumerate(inputs):
        for row, head, product in zip(by_head, push.heads, _of_units(push, inputs, n)):
            row.append(moveaxis.run(product, 0, -1).reshape(head.shape + tensor.shape))
    return by_head


def _of_units(linear, likes, at):
    """Returns the images of all unit vectors of one input under a linear map, stacked.

    Args:
        linear (Callable): maps a list of Tensors, shaped like `likes`, to a list of Tensors.
        likes (list[Tensor]): the shapes and dtypes of its inputs.
        at (int): the position of the input that runs through the unit vectors; the others are zero.
    """
    like = likes[at]
    xp = space_for(like._array)
    units = xp.eye(like.size, dtype=like._array.dtype).reshape((like.size, *like.shape))
    rest = [Tensor._wrap(xp.zeros(tensor.shape, tensor._array.dtype)) for tensor in likes]

    def walk(unit):
        return tuple(linear([*rest[:at], unit, *rest[at + 1 :]]))

    if linear.alone:
        return vmap(walk, chunk_size=_AT_ONCE)(Tensor._wrap(units))
    columns = [walk(Tensor._wrap(units[i : i + 1].reshape(like.shape))) for i in range(like.size)]
    return [stack.run(list(column), 0) for column in zip(*columns)]


def _arrange(main, by_head):
    """Arranges the Jacobians in the structure of the outputs; several inputs give a tuple per
    output.
    """
    rows = iter(by_head)

    def of_output(_):
        row = next(rows)
        return row[0] if len(row) == 1 else tuple(row)

    return map_tensors(of_output, main[0] if isinstance(main, tuple) and len(main) == 1 else main)


@public("jacrev", "ops.jacrev")
def jacrev(fn, grad_position=0, has_aux=False):
    """Computes the Jacobian of `fn` in reverse mode: returns a function that runs one reverse pass
    per output element.

    `fn` runs once. The reverse passes run together, as with `vmap`; within another gradient, or if
    `fn` itself uses vmap, they run one after the other.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        grad_position (Union[int, tuple[int]]): the inputs with respect to which it is
            differentiated. Default: 0.
        has_aux (bool): True if only the first output is differentiated. Default: False.

    Returns:
        Function, which returns for each output a Tensor whose shape is the shape of the output
        followed by the shape of the input; for several inputs, a tuple of such Tensors.

    Raises:
        TypeError: if `has_aux` is not a bool; when called, if `grad_position` does not hold ints.
        ValueError: when called, if `grad_position` is empty, repeats an input, or is negative or
            not below the number of inputs.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.jacrev(lambda x: x * x)(ms.Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]

    Source: mindspore.jacrev of MindSpore 2.10.
    """
    return _jacobian("jacrev", fn, grad_position, has_aux, forward=False)


@public("jacfwd", "ops.jacfwd")
def jacfwd(fn, grad_position=0, has_aux=False):
    """Computes the Jacobian of `fn` in forward mode: returns a function that runs one forward pass
    per input element.

    The passes run together, as in `jacrev`.

    Args:
        fn (Union[Cell, Function]): the function to differentiate.
        grad_position (Union[int, tuple[int]]): the inputs with respect to which it is
            differentiated. Default: 0.
        has_aux (bool): True if only the first output is differentiated. Default: False.

    Returns:
        Function, which returns for each output a Tensor whose shape is the shape of the output
        followed by the shape of the input; for several inputs, a tuple of such Tensors.

    Raises:
        TypeError: if `has_aux` is not a bool; when called, if `grad_position` does not hold ints.
        ValueError: when called, if `grad_position` is empty, repeats an input, or is negative or
            not below the number of inputs.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.jacfwd(lambda x: x * x)(ms.Tensor([1.0, 2.0])))
        [[2. 0.]
         [0. 4.]]

    Source: mindspore.jacfwd of MindSpore 2.10.
    """
    return _jacobian("jacfwd", fn, grad_position, has_aux, forward=True)


# The class forms ----------------------------------------------------------------------------------


@public("ops.GradOperation", "ops.composite.GradOperation")
class GradOperation:
    """Makes the gradient function of a network: `GradOperation(get_all=True)(net)(x, y)`.

    Args:
        get_all (bool): True for the gradients of all inputs, False for the gradient of the first
            only. Default: False.
        get_by_list (bool): True for the gradients of weights. Default: False.
        sens_param (bool): True if the last argument, or the one named `sens`, is the gradient of
            the output. Default: False.

    With `get_by_list`, the weights are passed after the network. Without weights, the gradients are
    those of the Parameters that the result depends on, in the order in which the network uses them.
    In graph mode the result is then an empty tuple.

    Raises:
        TypeError: if an argument is not a bool.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.GradOperation()(lambda x: x * x)(ms.Tensor(3.0)))
        6.0

    Source: mindspore.ops.GradOperation of MindSpore 2.10.
    """

    @checked
    def __init__(self, get_all: Bool = False, get_by_list: Bool = False, sens_param: Bool = False):
        self.get_all = get_all
        self.get_by_list = get_by_list
        self.sens_param = sens_param

    def __call__(self, fn, weights=None):
        return functools.partial(self._run, fn, weights)

    def _run(self, fn, weights, *args, **kwargs):
        if depth.keepers and isinstance(weights, (tuple, list)) and not kwargs:
            inputs, sens = (args[:-1], args[-1]) if self.sens_param else (args, None)
            for keeper in () if self.get_all else depth.keepers:
                gradients = keeper.gradients(fn, weights, inputs, sens)
                if gradients is not None:
                    return gradients
        return self.value_and_gradient(fn, weights, *args, **kwargs)[1]

    def value_and_gradient(self, fn, weights, *args, **kwargs):
        """Returns the value of `fn` and the result of the gradient function."""
        last = self.sens_param and "sens" not in kwargs
        inputs = args[:-1] if last else args
        if not (self.get_by_list or kwargs) and are_plain(inputs):
            positions = range(len(inputs)) if self.get_all else (0,)
            sens = args[-1] if last else None
            out, gradients = gradients_of_tensors(fn, inputs, positions, sens)
            return out, tuple(gradients) if self.get_all else gradients[0]
        if kwargs:
            named = [v for k, v in kwargs.items() if k != "sens" or not self.sens_param]
            inputs = [*inputs, *named]
        tensors = tuple(
            [i for i, value in enumerate(inputs) if isinstance(value, Tensor) or tensors_in(value)]
        )
        positions = tensors if self.get_all else tensors[:1]
        if self.get_by_list and not self.get_all:
            positions = ()
        used_only = self.get_by_list and weights is None
        requested = weights if self.get_by_list else None
        if used_only:
            graph = config.mode == GRAPH_MODE and not graphs.running
            requested = () if graph else trained_parameters()
        request = Request(
            "GradOperation",
            fn,
            positions or (None if self.get_by_list else ()),
            requested,
            sens_param=self.sens_param,
        )
        request.single_input = not self.get_all
        request.paired = self.get_all
        request.used_only = used_only
        request.single_weight = self.get_by_list and isinstance(weights, Tensor)
        return request.run(args, kwargs)


@public("ops.HyperMap", "ops.composite.HyperMap")
class HyperMap:
    """Applies an operation to corresponding elements of nested sequences.

    Args:
        ops (Union[MultitypeFuncGraph, Function, None]): the operation; if it is None, the first
            argument of the call is the operation.
        reverse (bool): without effect; in MindSpore's graph mode it sets the order of evaluation.
            Default: False.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.HyperMap(lambda x: x * 2)([ms.Tensor(1.0), ms.Tensor(2.0)]))
        (Tensor(shape=[], dtype=Float32, value= 2), Tensor(shape=[], dtype=Float32, value= 4))

    Source: mindspore.ops.HyperMap of MindSpore 2.10.
    """

    @checked
    def __init__(self, ops: Callable | None = None, reverse: Any = False):
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args):
        operation, args = (self.ops, args) if self.ops is not None else (args[0], args[1:])
        return self._apply(operation, args)

    def _apply(self, operation, args):
        nested = [a for a in args if isinstance(a, (tuple, list))]
        if not nested:
            return operation(*args)
        if graphs.running:
            _check_sequences("HyperMap", "In a nonleaf situation, the", args)
            if any(map(is_dynamic, args)) and isinstance(args[0][0], (tuple, list)):
                raise TypeError(
                    "The HyperMap does not support scenarios involving nested dynamic "
                    f"sequences, but got items of type {type(args[0][0]).__name__}."
                )
        lengths = {len(a) for a in nested}
        if len(lengths) != 1 or len(nested) != len(args):
            raise ValueError(
                f"For '{type(self).__name__}', the sequences must be equal, but got "
                f"{[len(a) if isinstance(a, (tuple, list)) else type(a).__name__ for a in args]}."
            )
        return _collect((self._apply(operation, column) for column in zip(*args)), args)


def _check_sequences(api, subject, args):
    """Rejects sequences whose type or length differs from the first one's, as a graph does when it
    maps an operation.
    """
    kind = list if isinstance(args[0], list) else tuple
    if not all(isinstance(arg, kind) for arg in args):
        raise RuntimeError(
            f"{subject} types of arguments in {api} must be consistent, but the types of "
            f"arguments are inconsistent: {[type(arg).__name__ for arg in args]}."
        )
    lengths = [len(arg) for arg in args]
    if len(set(lengths)) > 1:
        raise RuntimeError(
            f"The {kind.__name__}s in {api} should have the same length. The length of "
            f"{kind.__name__}s must be the same, but got {lengths}."
        )


def _collect(results, args):
    """Returns mapped results as a tuple; in graph mode as a list if lists were mapped."""
    return (list if graphs.running and isinstance(args[0], list) else tuple)(results)


@public("ops.Map", "ops.composite.Map")
class Map(HyperMap):
    """Applies an operation to corresponding elements of sequences, one level deep.

    Args:
        ops (Callable): the operation; None if it is the first input of each call.
        reverse (bool): has no effect on the result. Default: False.

    Inputs:
        - **args** (Union[tuple, list]): sequences of one length.

    Outputs:
        A tuple: the results of the operation for each position.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.Map(lambda x, y: x + y)((1, 2), (3, 4)))
        (4, 6)

    Source: mindspore.ops.Map of MindSpore 2.10.
    """

    def _apply(self, operation, args):
        if graphs.running and any(isinstance(items, (tuple, list)) for items in args):
            _check_sequences("Map", "The", args)
            if any(map(is_dynamic, args)):
                raise RuntimeError(
                    "For 'map', the dynamic length input is unsupported in graph mode."
                )
        return _collect((operation(*items) for items in zip(*args)), args)


@public("ops.MultitypeFuncGraph", "ops.composite.MultitypeFuncGraph")
class MultitypeFuncGraph:
    """A function with several implementations, chosen by the types of the arguments (multiple
    dispatch).

    Args:
        name (str): the name of the function.
        read_value (bool): without effect; in MindSpore's graph mode Parameters are read by value.
            Default: False.
        doc_url (str): without effect; MindSpore uses it in error messages of graph mode. Default:
            "".

    Raises:
        ValueError: if no implementation fits the arguments.

    Example:
        >>> import mindspore_compat as ms
        >>> double = ms.ops.MultitypeFuncGraph("double")
        >>> @double.register("Number")
        ... def double_number(x):
        ...     return 2 * x
        >>> print(double(3))
        6

    Source: mindspore.ops.MultitypeFuncGraph of MindSpore 2.10.
    """

    def __init__(self, name, read_value=False, doc_url=""):
        self.name = name
        self.entries = []
        self.default = None

    def register(self, *type_names):
        """Returns a decorator that adds an implementation for arguments of the given types, such as
        "Tensor"."""

        def add(function):
            self.entries.append((tuple(str(t) for t in type_names), function))
            return function

        return add

    def _register_default(self):
        """Returns a decorator that sets the implementation for all other types of arguments."""

        def keep(function):
            self.default = function
            return function

        return keep

    def __call__(self, *args):
        for names, function in self.entries:
            if len(names) == len(args) and all(_is_a(a, n) for a, n in zip(args, names)):
                return function(*args)
        if self.default is not None:
            return self.default(*args)
        if len(self.entries) == 1 and len(self.entries[0][0]) == len(args):
            return self.entries[0][1](*args)
        types = ", ".join(type(a).__name__ for a in args)
        raise ValueError(
            f"For 'MultitypeFuncGraph', cannot find fn match given args. '{self.name}' has no "
            f"implementation for ({types})."
        )


_KINDS = {
    "Tensor": Tensor,
    "Number": (int, float),
    "Int": int,
    "Int32": int,
    "Int64": int,
    "Float": float,
    "Float32": float,
    "Bool": bool,
    "String": str,
    "Tuple": tuple,
    "List": list,
    "Dictionary": dict,
    "RowTensor": RowTensor,
    "COOTensor": COOTensor,
    "CSRTensor": CSRTensor,
}


def _is_a(value, name):
    """Returns whether a value is of one of MultitypeFuncGraph's types."""
    if name in ("None", "NoneType", "type_none"):
        return value is None
    if name in ("Function", "Func"):
        return callable(value)
    if name.startswith("Tensor"):
        return isinstance(value, Tensor)
    kind = _KINDS.get(name)
    return kind is not None and isinstance(value, kind)


@public("ops.partial")
def partial(func, *args):
    """Fixes the first arguments of `func`.

    Args:
        func (Callable): the function.
        *args (Any): its first arguments.

    Returns:
        Function that takes the other arguments.

    Raises:
        TypeError: if `func` is not a function.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.partial(ms.ops.add, ms.Tensor([1]))(ms.Tensor([2])))
        [3]

    Source: mindspore.ops.partial of MindSpore 2.10.
    """
    if not callable(func):
        raise TypeError(f"For 'partial', 'func' must be a function, but got {type(func).__name__}.")
    return functools.partial(func, *args)


@public("ops.identity")
def identity(x):
    """Returns `x` itself, of any type. Scripts pass it a tuple of gradients if nothing is to
    reduce them.

    Args:
        x (Any): the value to return.

    Returns:
        Any, `x`.

    Example:
        >>> import mindspore_compat as ms
        >>> print(ms.ops.identity(ms.Tensor([1, 2])))
        [1 2]

    Source: mindspore.ops.functional.identity of MindSpore 2.10.
    """
    return x
