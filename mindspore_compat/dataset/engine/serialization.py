"""Serialization of pipelines as JSON: `serialize`, `deserialize`, `compare` and `show`.

A node is a dict of "op_type", "children" and the arguments of the node. Samplers and transforms in
it are dicts with "sampler_name" and "tensor_op_name". Values that JSON lacks are dicts with one key
that begins with "$". Arrays are written completely. Functions and objects of scripts are written
only by name, so a pipeline that contains them can be shown and compared, but not deserialized.

Worked example. `ds.TextFileDataset("a.txt", shuffle=False).batch(2)` is, except for values of None,

    {"op_type": "Batch", "batch_size": 2, "drop_remainder": false, ..., "children": [
        {"op_type": "TextFileDataset", "dataset_files": ["a.txt"], ..., "children": []}]}
"""

import json
import re
import sys
import types
from enum import Enum

import numpy as np

from ... import log
from ..._core.rules.vocabulary import InstanceOf, Str
from ..._core.tensor import dtype as dtypes
from ..._io.files import atomic_write
from ..._io.reading import content, reading
from ..transforms.base import TensorOperation
from ._base_sampler import BuiltinSampler
from .pipeline import Dataset, SourceDataset

__all__ = ["compare", "deserialize", "serialize", "show"]

_PACKAGE = __name__.rpartition(".engine")[0]
_SUFFIX = "Dataset"
_A_DATASET = InstanceOf(Dataset).called("a dataset")
_A_DICT = InstanceOf(dict)


def serialize(dataset, json_filepath=""):
    """Serializes a pipeline to a dict for JSON, and optionally writes it to a file.

    Args:
        dataset (Dataset): the last node of the pipeline.
        json_filepath (str, optional): the file; "" writes no file.

    Returns:
        dict, the description, in which functions and objects of scripts are names and arrays are
        lists.

    Raises:
        AttributeError: if `dataset` is not a dataset.
        TypeError: if `json_filepath` is not a str.
        OSError: if the file cannot be written.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> with open("lines.txt", "w") as file:
        ...     _ = file.write("one\\ntwo\\nthree")
        >>> described = ds.serialize(ds.TextFileDataset("lines.txt", shuffle=False).batch(2))
        >>> described["op_type"], described["batch_size"]
        ('Batch', 2)
        >>> ds.deserialize(described).get_dataset_size()
        2

    Source: mindspore.dataset.serialize of MindSpore 2.10.
    """
    _need_dataset("serialize", "dataset", dataset)
    Str.refuse("serialize", "json_filepath", json_filepath)
    description = _node(dataset)
    if json_filepath:
        with atomic_write(json_filepath) as file:
            file.write(json.dumps(description).encode())
    return description


def deserialize(input_dict=None, json_filepath=None):
    """Deserializes a pipeline from the description by `serialize`.

    Args:
        input_dict (dict, optional): the description.
        json_filepath (str, optional): the file with the description, if `input_dict` is not given.

    Returns:
        Dataset, the pipeline; None if neither argument is given.

    Raises:
        TypeError: if `input_dict` is not a dict, or `json_filepath` is not a str.
        OSError: if the file cannot be read.
        RuntimeError: if it does not describe a pipeline, or the pipeline contains functions or
            objects of scripts.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> described = ds.serialize(ds.NumpySlicesDataset([1, 2, 3, 4], shuffle=False).batch(2))
        >>> [row[0].tolist() for row in ds.deserialize(described).create_tuple_iterator()]
        [[1, 2], [3, 4]]

    Source: mindspore.dataset.deserialize of MindSpore 2.10.
    """
    if input_dict is not None:
        _A_DICT.refuse("deserialize", "input_dict", input_dict)
        json_filepath = None
    elif json_filepath is None:
        return None
    else:
        Str.refuse("deserialize", "json_filepath", json_filepath)
        text = content(json_filepath)
        with reading(json_filepath, problem="is no JSON", api="deserialize"):
            input_dict = json.loads(str(text, "utf-8"))
    with reading(json_filepath, problem="is no pipeline", api="deserialize"):
        return _make_node(input_dict)


def compare(pipeline1, pipeline2):
    """Compares two pipelines by their descriptions by `serialize`.

    Args:
        pipeline1 (Dataset): a pipeline.
        pipeline2 (Dataset): another one.

    Raises:
        AttributeError: if one is not a dataset.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> numbers = ds.NumpySlicesDataset([1, 2, 3])
        >>> ds.compare(numbers.batch(2), numbers.batch(2)), ds.compare(numbers, numbers.batch(2))
        (True, False)

    Source: mindspore.dataset.compare of MindSpore 2.10.
    """
    for name, pipeline in (("pipeline1", pipeline1), ("pipeline2", pipeline2)):
        _need_dataset("compare", name, pipeline)
    return _node(pipeline1) == _node(pipeline2)


def show(dataset, indentation=2):
    """Logs the description of a pipeline at level "info".

    Args:
        dataset (Dataset): the last node of the pipeline.
        indentation (int, optional): the number of spaces of the indentation; None writes one line.

    Raises:
        AttributeError: if `dataset` is not a dataset.

    Example:
        >>> from mindspore_compat import dataset as ds
        >>> ds.show(ds.NumpySlicesDataset([1, 2, 3]).batch(2))

    Source: mindspore.dataset.show of MindSpore 2.10.
    """
    _need_dataset("show", "dataset", dataset)
    log.info(json.dumps(_node(dataset), indent=indentation))


# Writing ------------------------------------------------------------------------------------------


def _need_dataset(api, name, value):
    """Raises an AttributeError, as MindSpore does, unless a value is a dataset."""
    try:
        _A_DATASET.refuse(api, name, value)
    except TypeError as usual:
        raise AttributeError(str(usual)) from None


def _node(dataset):
    """Returns the description of a node and its children."""
    name = type(dataset).__name__
    if not isinstance(dataset, SourceDataset):
        name = name.removesuffix(_SUFFIX)
    children = [_node(child) for child in dataset.children]
    return {"op_type": name, "children": children, **_state(dataset, dataset._description())}


def _state(owner, attributes):
    """Returns the attributes of an object, as JSON; its own methods by name."""
    return {
        name: {"$method": value.__name__}
        if isinstance(value, types.MethodType) and value.__self__ is owner
        else _value(value)
        for name, value in attributes.items()
    }


def _value(value):
    """Converts any value for JSON."""
    if value is None or type(value) in (bool, int, float, str):
        return value
    if type(value) in (list, tuple):
        items = [_value(item) for item in value]
        return items if type(value) is list else {"$tuple": items}
    if type(value) is dict:
        return {"$dict": [[_value(key), _value(item)] for key, item in value.items()]}
    for kind, write in _WRITTEN.items():
        if isinstance(value, kind):
            return write(value)
    return _object(value)


def _object(value):
    """Returns a sampler, a transform or another object of this package; for other objects, the
    name."""
    kind = type(value)
    if isinstance(value, Dataset):
        return {"$node": _node(value)}
    if not kind.__module__.startswith(_PACKAGE) or isinstance(value, types.FunctionType):
        owner = value if hasattr(value, "__qualname__") else kind
        return {"$python": f"{getattr(owner, '__module__', 'builtins')}.{owner.__qualname__}"}
    if isinstance(value, BuiltinSampler):
        return {"sampler_name": _path(kind), **_state(value, vars(value))}
    if isinstance(value, TensorOperation):
        state = _state(value, value.__getstate__())
        return {"tensor_op_name": _path(kind), "tensor_op_params": state}
    return {"$object": _path(kind), "state": _state(value, vars(value))}


def _path(kind):
    """Returns the path of a class below `dataset`."""
    return f"{kind.__module__}.{kind.__qualname__}".removeprefix(f"{_PACKAGE}.")


_WRITTEN = {
    Enum: lambda value: {"$member": [_path(type(value)), value.name]},
    np.dtype: lambda value: {"$dtype": value.str},
    np.generic: lambda value: {"$array": [value.dtype.str, _value(value.item()), []]},
    np.ndarray: lambda value: {
        "$array": [value.dtype.str, _value(value.ravel().tolist()), list(value.shape)]
    },
    dtypes.Type: lambda value: {"$type": str(value)},
    bytes: lambda value: {"$bytes": value.hex()},
    re.Pattern: lambda value: {"$pattern": [value.pattern, value.flags]},
}


# Reading ------------------------------------------------------------------------------------------


def _make_node(description):
    """Creates a node from its description."""
    if not isinstance(description, dict):
        raise TypeError(f"a node must be a dict, but is {description!r}")
    attributes = dict(description)
    name, children = attributes.pop("op_type"), attributes.pop("children")
    kinds = {kind.__name__: kind for kind in _below(Dataset)}
    kind = kinds.get(name) or kinds.get(name + _SUFFIX)
    if kind is None:
        raise ValueError(f"there is no node {name!r}")
    node = object.__new__(kind)
    node.children = [_make_node(child) for child in children]
    node._restore(_attributes(node, attributes))
    return node


def _below(kind):
    """Yields the subclasses of a class in this package."""
    for subclass in kind.__subclasses__():
        if subclass.__module__.startswith(_PACKAGE):
            yield subclass
        yield from _below(subclass)


def _attributes(owner, state):
    return {
        name: getattr(owner, value["$method"])
        if isinstance(value, dict) and "$method" in value
        else _read(value)
        for name, value in state.items()
    }


def _read(value):
    """Converts JSON to the value that it stands for."""
    if isinstance(value, list):
        return [_read(item) for item in value]
    if not isinstance(value, dict):
        return value
    if "sampler_name" in value:
        state = {name: item for name, item in value.items() if name != "sampler_name"}
        return _instance(value["sampler_name"], state)
    if "tensor_op_name" in value:
        return _instance(value["tensor_op_name"], value["tensor_op_params"])
    if "$object" in value:
        return _instance(value["$object"], value["state"])
    ((tag, content),) = value.items()
    return _READ[tag](content)


def _instance(path, state):
    """Creates an object of a class of this package with its attributes."""
    kind = _class(path)
    if not isinstance(kind, type) or not kind.__module__.startswith(_PACKAGE):
        raise ValueError(f"{path!r} is no class of datasets")
    instance = object.__new__(kind)
    vars(instance).update(_attributes(instance, state))
    return instance


def _class(path):
    module, _, name = path.rpartition(".")
    return getattr(sys.modules[f"{_PACKAGE}.{module}".rstrip(".")], name)


def _member(path, name):
    kind = _class(path)
    if not (isinstance(kind, type) and issubclass(kind, Enum)):
        raise ValueError(f"{path!r} is no enumeration")
    return kind[name]


def _refuse(name):
    raise ValueError(f"{name!r} is Python code, which a description does not hold")


def _array(content):
    dtype, items, shape = content
    array = np.array(_read(items), np.dtype(dtype)).reshape(shape)
    return array if shape else array[()]


_READ = {
    "$tuple": lambda items: tuple(map(_read, items)),
    "$dict": lambda items: {_read(key): _read(each) for key, each in items},
    "$node": _make_node,
    "$python": _refuse,
    "$member": lambda content: _member(*content),
    "$dtype": np.dtype,
    "$array": _array,
    "$type": lambda name: getattr(dtypes, name.lower()),
    "$bytes": bytes.fromhex,
    "$pattern": lambda content: re.compile(*content),
}
