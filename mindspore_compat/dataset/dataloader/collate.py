"""How rows become a batch, and what is not batched becomes Tensors."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..._core.tensor.dtype import float64
from ..._core.tensor.tensor import Tensor

__all__ = ["default_collate", "default_convert"]


def _numeric(array):
    """Whether an array can be a Tensor: strings and objects cannot."""
    return array.dtype.kind not in "SUO"


def _like(data, make):
    """A mapping or sequence of the type of `data` with its items made anew."""
    if isinstance(data, Mapping):
        items = {key: make(value) for key, value in data.items()}
    else:
        items = [make(each) for each in data]
        if hasattr(data, "_fields"):
            return type(data)(*items)
        if isinstance(data, tuple):
            return items
    try:
        return type(data)(items)
    except TypeError:  # its class is not made from items
        return items


def default_convert(data):
    """Arrays and numbers of NumPy as Tensors, also those in mappings and sequences.

    Strings, objects and Python's numbers stay as they are.

    Args:
        data (Any): what is converted.

    Returns:
        Any.

    Example:
        >>> import numpy as np
        >>> ms.dataset.dataloader.default_convert({"a": np.array([1, 2]), "b": "text"})
        {'a': Tensor(shape=[2], dtype=Int64, value= [1, 2]), 'b': 'text'}

    Source: mindspore.dataset.dataloader.default_convert of MindSpore 2.10.
    """
    if isinstance(data, (np.number, np.bool_)) or isinstance(data, np.ndarray) and _numeric(data):
        return Tensor(data)
    if isinstance(data, (Mapping, Sequence)) and not isinstance(data, (str, bytes)):
        return _like(data, default_convert)
    return data


def default_collate(batch):
    """A batch of rows: Tensors and arrays stacked, numbers as one Tensor, structures part by part.

    Python's floats become float64, ints int64; strings stay a list.

    Args:
        batch (list): the rows, all of one structure.

    Returns:
        Any.

    Raises:
        TypeError: rows are of a type that cannot be batched.
        RuntimeError: sequences in them differ in length.

    Example:
        >>> ms.dataset.dataloader.default_collate([(1, "a"), (2, "b")])
        [Tensor(shape=[2], dtype=Int64, value= [1, 2]), ['a', 'b']]

    Source: mindspore.dataset.dataloader.default_collate of MindSpore 2.10.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return Tensor(np.stack([each.asnumpy() for each in batch]), first.dtype)
    if isinstance(first, (np.ndarray, np.number, np.bool_)) and _numeric(first):
        return Tensor(np.stack(batch))
    if isinstance(first, float):
        return Tensor(np.array(batch), float64)
    if isinstance(first, int):
        return Tensor(np.array(batch))
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like({key: [each[key] for each in batch] for key in first}, default_collate)
    if isinstance(first, Sequence):
        return _parts(first, batch)
    raise TypeError(
        f"For 'default_collate', rows must be Tensors, arrays, numbers, strings, "
        f"mappings or sequences, but got {type(first).__name__}."
    )


def _parts(first, batch):
    """Sequences part by part: a list, or a named tuple of the rows' type."""
    if len({len(each) for each in batch}) > 1:
        raise RuntimeError(
            "For 'default_collate', sequences in rows must have one length, but "
            f"got {sorted({len(each) for each in batch})}."
        )
    made = [default_collate(list(each)) for each in zip(*batch)]
    return type(first)(*made) if hasattr(first, "_fields") else made
