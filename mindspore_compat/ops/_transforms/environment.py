"""Building blocks of MindSpore's graphs: operators such as `x += y`, sums of gradients, iteration.

MindSpore 2.10 exposes these under `ops.composite`. Its compiler replaces Python statements by them:
`augassign_add` stands for `+=`, `ms_next` for a step of a loop. Here they compute what the
statements compute. The classes `HyperMap` and `MultitypeFuncGraph` are in
_transforms/functional.py.
"""

import functools
import operator

from ..._core.declare.public_api import public
from ..._core.gradients import custom
from ..._core.rules.checked import checked
from ..._core.tensor.tensor import Tensor
from ...common.sparse_tensor import COOTensor, CSRTensor
from .._rules import Anything
from .._shape.create_like import zeros_like
from ..primitive import Primitive
from .functional import HyperMap, MultitypeFuncGraph

# Assignments with an operator, and sums of gradients ----------------------------------------------

# They return the value that the assignment would give its target, and write nothing.
# Implementations for further types can be registered.
_ASSIGNMENTS = {  # each under two public paths
    ("ops.augassign_add", "ops.composite.augassign_add"): operator.add,
    ("ops.augassign_sub", "ops.composite.augassign_sub"): operator.sub,
    ("ops.augassign_mul", "ops.composite.augassign_mul"): operator.mul,
    ("ops.augassign_div", "ops.composite.augassign_div"): operator.truediv,
    ("ops.augassign_floordiv", "ops.composite.augassign_floordiv"): operator.floordiv,
    ("ops.augassign_mod", "ops.composite.augassign_mod"): operator.mod,
}

for _paths, _operation in _ASSIGNMENTS.items():
    _graph = MultitypeFuncGraph(_paths[0].removeprefix("ops."), True)
    _graph._register_default()(_operation)
    public(*_paths)(_graph)


def _sum_of_gradients(x, y):
    """Adds two gradients of one value; for sparse gradients with equal indices, adds the values."""
    if x is None and y is None:
        return None
    for kind in (Tensor, (int, float)):
        if isinstance(x, kind) and isinstance(y, kind):
            return x + y
    if isinstance(x, COOTensor) and isinstance(y, COOTensor):
        return COOTensor(x.indices, x.values + y.values, x.shape)
    if isinstance(x, CSRTensor) and isinstance(y, CSRTensor):
        return CSRTensor(x.indptr, x.indices, x.values + y.values, x.shape)
    if isinstance(x, Environment) and isinstance(y, Environment):
        return environ_add(x, y)
    raise ValueError(
        f"For 'hyper_add', gradients must be of one kind, but got {type(x).__name__} and "
        f"{type(y).__name__}."
    )


public("ops.hyper_add", "ops.composite.hyper_add")(HyperMap(_sum_of_gradients))


# Environments of gradients ------------------------------------------------------------------------


class Environment:
    """Maps Parameters' keys to gradients; setting a gradient makes a new environment."""

    def __init__(self, values):
        self._values = values


class Key:
    """The key of a Parameter in an environment."""

    def __init__(self, parameter):
        self._parameter = parameter


@public("ops.environ_create", "ops.functional.environ_create")
def environ_create():
    """Creates an environment without gradients.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.ops.environ_create()).__name__)
        Environment

    Source: mindspore.ops.functional.environ_create of MindSpore 2.10, in graph mode.
    """
    return Environment({})


@public("ops.embed", "ops.ref_to_embed", "ops.functional.embed", "ops.functional.ref_to_embed")
@checked
def embed(parameter: Anything):
    """Returns the key of a Parameter, or of another Tensor, in environments.

    Args:
        parameter (Tensor): the Parameter.

    Returns:
        The key.

    Raises:
        TypeError: if `parameter` is not a Tensor.

    Example:
        >>> import mindspore_compat as ms
        >>> print(type(ms.ops.embed(ms.Tensor([1, 2]))).__name__)
        Key

    Source: mindspore.ops.functional.ref_to_embed of MindSpore 2.10, in graph mode.
    """
    return Key(parameter)


@public("ops.operations._grad_ops.RefToEmbed")
class RefToEmbed(Primitive):
    """Returns the key of a Parameter in environments; the class form of `ops.ref_to_embed`.

    Raises:
        TypeError: if the input is not a Tensor.

    Source: mindspore.ops.operations._grad_ops.RefToEmbed of MindSpore 2.10, in graph mode.
    """

    def __init__(self):
        super().__init__("RefToEmbed")

    def __call__(self, input):
        return embed(input)


def _need_environment(api, env, key=None):
    if not isinstance(env, Environment) or not (key is None or isinstance(key, Key)):
        raise TypeError(
            f"For '{api}', 'env' must be an environment and 'key' what 'embed' gave, but got "
            f"{env!r} and {key!r}."
        )


@public("ops.environ_set", "ops.functional.environ_set")
def environ_set(env, key, value):
    """Returns a copy of an environment in which `key` has the value `value`.

    Args:
        env (EnvType): an environment.
        key (Any): the key.
        value (Any): the value.

    Returns:
        EnvType.

    Raises:
        TypeError: if `env` is not an environment, or `key` is not a result of `embed`.

    Example:
        >>> key = ms.ops.embed(ms.Parameter(ms.Tensor([0.0]), name="weight"))
        >>> env = ms.ops.environ_set(ms.ops.environ_create(), key, ms.Tensor([1.0]))
        >>> print(ms.ops.environ_get(env, key, ms.Tensor([0.0])))
        [1.]

    Source: mindspore.ops.functional.environ_set of MindSpore 2.10, in graph mode.
    """
    _need_environment("environ_set", env, key)
    return Environment({**env._values, id(key._parameter): (key._parameter, value)})


@public("ops.environ_get", "ops.functional.environ_get")
def environ_get(env, key, default):
    """Returns the value of a key in an environment, or `default`.

    Args:
        env (EnvType): an environment.
        key (Any): the key.
        default (Any): what is returned without a value.

    Returns:
        The value.

    Raises:
        TypeError: if `env` is not an environment, or `key` is not a result of `embed`.

    Example:
        >>> key = ms.ops.embed(ms.Parameter(ms.Tensor([0.0]), name="weight"))
        >>> print(ms.ops.environ_get(ms.ops.environ_create(), key, ms.Tensor([0.0])))
        [0.]

    Source: mindspore.ops.functional.environ_get of MindSpore 2.10, in graph mode.
    """
    _need_environment("environ_get", env, key)
    return env._values.get(id(key._parameter), (None, default))[1]


@public("ops.environ_add", "ops.functional.environ_add")
def environ_add(x, y):
    """Adds two environments: returns one with the sums of their values.

    Args:
        x (EnvType): an environment.
        y (EnvType): another.

    Returns:
        EnvType.

    Raises:
        TypeError: if either is not an environment.

    Example:
        >>> key = ms.ops.embed(ms.Parameter(ms.Tensor([0.0]), name="weight"))
        >>> one = ms.ops.environ_set(ms.ops.environ_create(), key, ms.Tensor([1.0]))
        >>> print(ms.ops.environ_get(ms.ops.environ_add(one, one), key, ms.Tensor([0.0])))
        [2.]

    Source: mindspore.ops.functional.environ_add of MindSpore 2.10, in graph mode.
    """
    for env in (x, y):
        _need_environment("environ_add", env)
    values = dict(x._values)
    for key, (parameter, value) in y._values.items():
        value = _sum_of_gradients(values[key][1], value) if key in values else value
        values[key] = parameter, value
    return Environment(values)


def _env_get(env, parameter):
    """Returns the gradient of a Parameter, or zeros like it."""
    return environ_get(env, embed(parameter), zeros_like.run(parameter))


_graph = MultitypeFuncGraph("env_get")
_graph._register_default()(_env_get)
public("ops.env_get", "ops.composite.env_get")(_graph)


# Iteration ----------------------------------------------------------------------------------------


@public("ops.tail", "ops.composite.tail")
def tail(sequence):
    """Returns a tuple or list without its first element; an empty one is returned unchanged.

    Args:
        sequence (Union[tuple, list]): the sequence.

    Returns:
        A sequence of the same type.

    Raises:
        RuntimeError: if `sequence` is neither a tuple nor a list.

    Source: mindspore.ops.composite.tail of MindSpore 2.10, in graph mode.

    Example:
        >>> from mindspore_compat import ops
        >>> ops.tail((1, 2, 3))
        (2, 3)
    """
    if not isinstance(sequence, (tuple, list)):
        raise RuntimeError(
            f"For 'tail', 'sequence' must be a tuple or a list, but got {type(sequence).__name__}."
        )
    return sequence[1:]


@public("ops.zip_operation", "ops.composite.zip_operation")
def zip_operation(*sequences):
    """Zips sequences: returns a tuple of tuples of corresponding elements if all arguments are
    tuples or lists.

    If an argument is another iterable, such as a Tensor or a str, it returns Python's `zip`. The
    shortest sequence determines the length.

    Raises:
        RuntimeError: if there are no arguments.
        TypeError: if an argument is not iterable.

    Example:
        >>> import mindspore_compat as ms
        >>> print(list(ms.ops.zip_operation([1, 2], [3, 4])))
        [(1, 3), (2, 4)]

    Source: mindspore.ops.composite.zip_operation of MindSpore 2.10, in graph mode.
    """
    if not sequences:
        raise RuntimeError("For 'zip_operation', there must be at least one sequence.")
    together = zip(*sequences)
    plain = all(isinstance(sequence, (tuple, list)) for sequence in sequences)
    return tuple(together) if plain else together


@public("ops.iter_converter", "ops.composite.iter_converter")
def iter_converter(value):
    """Returns the iterable of a loop over `value`: for a dict a tuple of its keys, else the value
    itself.

    Raises:
        TypeError: if `value` is not iterable.

    Example:
        >>> ms.ops.ms_hasnext(ms.ops.iter_converter((1, 2)))
        True

    Source: mindspore.ops.composite.iter_converter of MindSpore 2.10, in graph mode.
    """
    if isinstance(value, dict):
        return tuple(value)
    iter(value)
    return value


@public("ops.ms_hasnext", "ops.composite.ms_hasnext")
def ms_hasnext(value):
    """Returns whether a sequence, a dict or the first axis of a Tensor has an element left.

    Raises:
        TypeError: if `value` has no length.

    Example:
        >>> ms.ops.ms_hasnext(ms.ops.iter_converter((1, 2)))
        True

    Source: mindspore.ops.composite.ms_hasnext of MindSpore 2.10, in graph mode.
    """
    return len(value) > 0


@public("ops.ms_next", "ops.composite.ms_next")
def ms_next(value):
    """Returns (the first element, the rest) of a sequence, or of a Tensor along its first axis; for
    a dict, (the first key, the dict without it).

    Raises:
        TypeError: if `value` has no length.
        ValueError: if no element is left.

    Example:
        >>> ms.ops.ms_next(ms.ops.iter_converter((1, 2)))
        (1, (2,))

    Source: mindspore.ops.composite.ms_next of MindSpore 2.10, in graph mode.
    """
    if not ms_hasnext(value):
        raise ValueError("For 'ms_next', 'value' must have an element, but it is empty.")
    if isinstance(value, dict):
        first, *others = value
        return first, {key: value[key] for key in others}
    return value[0], value[1:]


# Recomputation ------------------------------------------------------------------------------------


@public("ops.recompute_block", "ops.composite.recompute_block")
def recompute_block(block, output_recompute):
    """Returns a function that runs `block` without keeping its intermediate results, which are
    recomputed for the gradient.

    Args:
        block (Callable): the function to run.
        output_recompute (bool): whether MindSpore's graph also recomputes the result of the block;
            without effect on the values.

    Raises:
        TypeError: if `block` is not callable, or `output_recompute` is not a bool.

    Example:
        >>> block = ms.ops.recompute_block(lambda x: ms.ops.exp(x) * x, False)
        >>> print(ms.grad(block)(ms.Tensor(0.0)))
        1.0

    Source: mindspore.ops.composite.recompute_block of MindSpore 2.10, in graph mode.
    """
    if not callable(block) or not isinstance(output_recompute, bool):
        raise TypeError(
            f"For 'recompute_block', 'block' must be callable and 'output_recompute' a bool, but "
            f"got {block!r} and {output_recompute!r}."
        )
    return functools.partial(custom.recompute, block)
