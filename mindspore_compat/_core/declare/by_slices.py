"""Runs an operator inside a vmap slice by slice, if its body reads values.

Most bodies work on Batches (vmap/batch.py) and so are their own vmap. A body that reads a value of
its input (the number of rows, whether a step is needed) is not: it runs once for each slice, and
the results are stacked. Gradients flow through both steps.

`in_each_slice` does the same for functions that are not operators: functions that write to their
arguments, or use NumPy on the host. A slice is a view, so writes reach the whole array.
"""

import functools

from ..._backend.random.streams import replaying
from ..rules.vocabulary import Any, TensorOf, TupleOf, any_dtype
from ..tensor.tensor import Tensor
from ..vmap.batch import Batch, BatchSpace, NoSingleAnswer, one_shape, running, space_among
from .op import Op, op

UNFIT = (NoSingleAnswer, TypeError, IndexError, AttributeError)


@op(compute="native")
def slice_of(xp, x: TensorOf(any_dtype), space: Any, index: Any):
    """Returns the slice of a Batch at an index."""
    return xp.leave_batch(x, space, 0)[index, ...]


@op(compute="native")
def joined(xp, parts: TupleOf(TensorOf(any_dtype)), space: Any):
    """Returns a Batch of the vmap `space`, whose slices are the Tensors in `parts`."""
    return xp.enter_batch(xp.stack(parts, 0), space, 0)


@op(compute="native")
def broadcast(xp, x: TensorOf(any_dtype), space: Any):
    """Returns a Tensor as a Batch of equal slices."""
    return xp.enter_batch(xp.broadcast_to(x, (space.count, *x.shape)), space, 0)


def batched_like(tensor, values):
    """Returns `tensor` as a Batch of equal slices if one of `values` is a Batch of a vmap to which
    `tensor` does not belong; else `tensor` itself."""
    space = space_among(values)
    space_of_tensor = space_among([tensor._array])
    if space is None or space_of_tensor is not None and space_of_tensor.level >= space.level:
        return tensor
    return broadcast.run(tensor, space)


def by_slices(owner, space, values):
    """Runs an operator slice by slice on inputs that include Batches of `space`.

    Args:
        owner (Op): the op.
        space (BatchSpace): the vmap that runs.
        values (dict): its inputs and attributes, as passed by the caller.

    Raises:
        ValueError: if the results of two slices differ in shape.
    """
    return _run_slices(
        space, lambda i: owner.run(**{n: _at(v, space, i) for n, v in values.items()})
    )


Op._unfit = UNFIT
BatchSpace.run_apart = lambda space, owner, values: by_slices(owner, space, values)


def in_each_slice(function):
    """Wraps `function` to run once for each slice if an argument is a Batch."""

    @functools.wraps(function)
    def call(*args, **kwargs):
        space = _space_of((*args, *kwargs.values())) if running.spaces else None
        if space is None:
            return function(*args, **kwargs)
        return _run_slices(
            space,
            lambda i: call(
                *_at(args, space, i), **{n: _at(v, space, i) for n, v in kwargs.items()}
            ),
        )

    return call


def _run_slices(space, function):
    """Calls `function(i)` for each slice number i of a vmap, and returns the results as Batches;
    None if the function returns None."""
    outs = []
    with replaying() as again:  # random numbers are the same in every slice
        for i in range(space.count):
            again()
            outs.append(function(i))
    if outs[0] is None:
        return None
    if not isinstance(outs[0], tuple):
        return _join_parts(space, outs)
    return tuple(_join_parts(space, column) for column in zip(*outs))


def _space_of(values):
    """Returns the array namespace of the innermost vmap among Tensors and Batches, including within
    sequences, or None."""
    return space_among(_flat_arrays(values))


def _flat_arrays(values):
    for value in values:
        if isinstance(value, Tensor):
            yield value._array
        elif type(value) is Batch:
            yield value
        elif isinstance(value, (tuple, list)):
            yield from _flat_arrays(value)


def _at(value, space, index):
    if isinstance(value, Tensor):
        return slice_of.run(value, space, index) if space.is_batch(value._array) else value
    if type(value) is Batch:
        return value.array[index] if value.space is space else value
    if isinstance(value, (tuple, list)):
        return type(value)(_at(item, space, index) for item in value)
    return value


def _join_parts(space, parts):
    one_shape([part.shape for part in parts])
    return joined.run(parts, space)
