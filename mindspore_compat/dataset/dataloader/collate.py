"""Collation of rows into batches, and conversion of single rows to Tensors."""

from collections.abc import Mapping, Sequence

import numpy as np

from ..._core.tensor.dtype import float64
from ..._core.tensor.tensor import Tensor

__all__ = ["default_collate", "default_convert"]


def _numeric(array):
    """Returns whether an array can become a Tensor; strings and objects cannot."""
    return array.dtype.kind not in "SUO"


def _like(data, make):
    """Returns a mapping or sequence of the type of `data` with `make` applied to each item."""
    if isinstance(data, Mapping):
        items = {key: make(value) for key, value in data.items()}
    else:
        items = [make(item) for item in data]
        if hasattr(data, "_fields"):
            return type(data)(*items)
        if isinstance(data, tuple):
            return items
    try:
        return type(data)(items)
    except TypeError:  # its class does not take the items
        return items


def default_convert(data):
    """Converts NumPy arrays and numbers to Tensors, including within mappings and sequences.

    Strings, objects and Python numbers are unchanged. On a CPU, a Tensor shares the memory of its
    array.

    Args:
        data (Any): the data to convert.

    Returns:
        Any.

    Example:
        >>> import numpy as np
        >>> ms.dataset.dataloader.default_convert({"a": np.array([1, 2]), "b": "text"})
        {'a': Tensor(shape=[2], dtype=Int64, value= [1, 2]), 'b': 'text'}

    Source: mindspore.dataset.dataloader.default_convert of MindSpore 2.10.
    """
    if isinstance(data, np.ndarray) and _numeric(data):
        return Tensor.from_numpy(data)
    if isinstance(data, (np.number, np.bool_)):
        return Tensor(data)
    if isinstance(data, (Mapping, Sequence)) and not isinstance(data, (str, bytes)):
        return _like(data, default_convert)
    return data


def default_collate(batch):
    """Collates rows into a batch: stacks Tensors and arrays, and makes numbers one Tensor.

    Mappings and sequences are collated item by item. Python floats become float64 and ints int64;
    strings stay a list.

    Args:
        batch (list): the rows, all of the same structure.

    Returns:
        Any.

    Raises:
        TypeError: if rows are of a type that cannot be batched.
        RuntimeError: if sequences in them differ in length.

    Example:
        >>> ms.dataset.dataloader.default_collate([(1, "a"), (2, "b")])
        [Tensor(shape=[2], dtype=Int64, value= [1, 2]), ['a', 'b']]

    Source: mindspore.dataset.dataloader.default_collate of MindSpore 2.10.
    """
    first = batch[0]
    if isinstance(first, Tensor):
        return Tensor(np.stack([row.asnumpy() for row in batch]), first.dtype)
    if isinstance(first, (np.ndarray, np.number, np.bool_)) and _numeric(first):
        return Tensor(np.stack(batch))
    if isinstance(first, (float, int)):
        if any(isinstance(row, (str, bytes)) for row in batch):
            raise TypeError(f"For 'default_collate', rows must be all numbers, but got {batch}.")
        return Tensor(np.array(batch), float64 if isinstance(first, float) else None)
    if isinstance(first, (str, bytes)):
        return batch
    if isinstance(first, Mapping):
        return _like({key: [row[key] for row in batch] for key in first}, default_collate)
    if isinstance(first, Sequence):
        return _parts(first, batch)
    raise TypeError(
        f"For 'default_collate', rows must be Tensors, arrays, numbers, strings, "
        f"mappings or sequences, but got {type(first).__name__}."
    )


def _parts(first, batch):
    """Collates sequences item by item: returns a list, or a named tuple of the rows' type."""
    if len({len(row) for row in batch}) > 1:
        raise RuntimeError(
            "For 'default_collate', sequences in rows must have one length, but "
            f"got {sorted({len(row) for row in batch})}."
        )
    parts = [default_collate(list(row)) for row in zip(*batch)]
    return type(first)(*parts) if hasattr(first, "_fields") else parts
